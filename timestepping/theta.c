/* theta.c - the theta method and Crank-Nicolson with a damped start, as stages of dirk.c.

   With the endpoint form  u_n+1 = u_n + h ((1 - theta) k_n + theta k_n+1),  F(t_n+1, u_n+1, k_n+1) = 0,  the method is the tableau

       c = (0, 1),   A = (0; 1 - theta, theta),   b = (1 - theta, theta),      R(inf) = -(1 - theta)/theta.

   Algebraic unknowns and boundary data have their values at t_n+1; means of equations would let them alternate.  At order 2 in time v has
   the same rule.

   Crank-Nicolson is theta = 1/2 and keeps what is rough at the start, with alternating sign.  So the first steps, and those after a
   jump of data, are two half steps of Euler's implicit method each (Rannacher):  c = (1/2, 1), A = (1/2; 1/2, 1/2), with the same
   diagonal, so that one matrix serves both.  A fixed number of them leaves the order at 2.

   Estimate: (1/2 - theta) h (k_n+1 - k_n); where that vanishes h^3 u'''/12 by the second difference of three rates; two half steps of Euler's
   method have h (k_n+1 - k_n)/4.  Boundary data that the stages missed are tested beside it, as in dirk.c. */
#include "dirk_impl.h"

enum { CRANK_NICOLSON, THETA };
static const char *const methods[] = {"crank_nicolson", "theta", NULL};

typedef struct {
  RungDirk    dirk;   /* the first member: functions of dirk.c see no more */
  PetscInt    damped; /* steps at the start that are two half steps of Euler's method */
  PetscReal   theta;
  PetscBool   has_theta, has_damped; /* were asked for */
  PetscReal   c[2], a[3], b[2];
  RungTableau own;
} Theta;

static const PetscReal   half_c[] = {0.5, 1}, half_a[] = {0.5, 0.5, 0.5}, half_b[] = {0.5, 0.5};
static const RungTableau halves = {"halves", "halves",   2,      1,      0,      1,    0,
                                   0,        PETSC_TRUE, half_c, half_a, half_b, NULL, NULL};

static void set_tableau(Theta *it, PetscReal theta)
{
  it->c[0] = 0;
  it->c[1] = 1;
  it->a[0] = 0;
  it->a[1] = it->b[0] = 1 - theta;
  it->a[2] = it->b[1] = theta;
  it->own             = (RungTableau){.name             = "theta",
                                      .key              = "theta",
                                      .stages           = 2,
                                      .order            = theta == 0.5 ? 2 : 1,
                                      .stage_order      = theta == 0.5 ? 2 : 1,
                                      .limit            = (1 - theta) / theta,
                                      .stiffly_accurate = PETSC_TRUE,
                                      .c                = it->c,
                                      .a                = it->a,
                                      .b                = it->b};
}

/* ---- a step ----------------------------------------------------------------------------------------------------- */

/* e[k] of u^(k) from the rates of the new level, of this one and of the one before, which may be missing. */
static PetscErrorCode set_error(RungStepper stepper, PetscBool damped, const RungState *before, const RungState *from,
                                PetscReal h, const RungState *to, PetscInt k)
{
  Theta         *it     = RungStepperGetData(stepper);
  const Vec      rate[] = {to->u[k + 1], from->u[k + 1], before ? before->u[k + 1] : from->u[k + 1]};
  const PetscInt n = it->dirk.facts.traits->unknowns, *order = it->dirk.facts.traits->unknown_order;
  PetscReal      c[3] = {h / 12, -h / 12, 0};

  PetscFunctionBegin;
  if (damped || it->own.order == 1) {
    c[0] = (damped ? 0.25 : 0.5 - it->theta) * h;
    c[1] = -c[0];
  } else if (before) {
    const PetscReal h_old = from->t - before->t, s = h * h * h / (6 * (h + h_old));

    c[0] = s / h;
    c[2] = s / h_old;
    c[1] = -c[0] - c[2];
  }
  for (PetscInt f = 0; f < n; ++f)
    PetscCall(RungCombineUnknown(stepper, f, it->dirk.e[k], order[f] > k ? 3 : 0, c, rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode attempt_theta(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                                    RungVerdict *verdict)
{
  Theta           *it     = RungStepperGetData(stepper);
  const RungState *before = NULL;
  PetscInt         levels;
  PetscBool        damped;

  PetscFunctionBegin;
  PetscCall(RungStepperGetLevels(stepper, &levels));
  if (levels > 1) PetscCall(RungStepperGetState(stepper, 1, &before));
  damped = it->dirk.facts.method == CRANK_NICOLSON && levels <= it->damped ? PETSC_TRUE : PETSC_FALSE;
  RungDirkTake(&it->dirk, damped ? &halves : &it->own);
  PetscCall(RungDirkAttempt(stepper, from, h, to, verdict));
  if (!verdict->solved || !it->dirk.facts.adaptive) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < it->dirk.orders; ++k) PetscCall(set_error(stepper, damped, before, from, h, to, k));
  PetscCall(
    RungStepperMeasure(stepper, it->dirk.e, it->dirk.facts.dirichlet ? it->dirk.d : NULL, from, to, &verdict->error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- set-up ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode plan_theta(RungStepper stepper, const RungTraits *traits, RungMethodPlan *plan)
{
  Theta           *it = RungStepperGetData(stepper);
  RungStepperFacts facts;

  PetscFunctionBegin;
  PetscCall(RungStepperGetFacts(stepper, &facts));
  if (!it->has_damped) it->damped = 2;
  if (!it->has_theta || facts.method == CRANK_NICOLSON) it->theta = facts.method == CRANK_NICOLSON ? 0.5 : 0.55;
  set_tableau(it, it->theta);
  PetscCall(RungDirkPlan(stepper, &it->own, traits, plan));
  plan->exponent = plan->order + 1;
  plan->depth    = PetscMax(3, it->damped + 1);
  plan->citation =
    facts.method == CRANK_NICOLSON
      ? "Crank and Nicolson, Proc. Camb. Phil. Soc. 43, 1947; damped start: Rannacher, Numer. Math. 43, 1984"
      : "Hairer and Wanner, Solving Ordinary Differential Equations II, 1996, section IV.3";
  if (plan->order == 1)
    plan->caution =
      "is of order 1: errors of its many steps add up to several times the tolerances; crank_nicolson and "
      "trbdf2 take fewer";
  if (facts.method == CRANK_NICOLSON)
    plan->caution =
      "hardly damps what is stiff: errors there may be far larger than the estimate, or steps may get ever "
      "smaller; take trbdf2";
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_theta(RungStepper stepper)
{
  Theta           *it    = RungStepperGetData(stepper);
  PetscReal        theta = it->has_theta ? it->theta : 0.55;
  PetscInt         steps = it->has_damped ? it->damped : 2;
  PetscBool        has_theta, has_steps, has_method;
  RungStepperFacts facts;

  PetscFunctionBegin;
  PetscCall(RungStepperGetFacts(stepper, &facts));
  PetscCall(RungStepperReadReal(stepper, "-stepper_theta", "0.5 to 1", &theta, &has_theta));
  PetscCall(RungStepperReadInt(stepper, "-stepper_damped_steps", "0 to 10", &steps, &has_steps));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-stepper_method", &has_method));
  if (has_theta && facts.method != THETA) {
    PetscCheck(!has_method, facts.comm, PETSC_ERR_ARG_INCOMP,
               "-stepper_theta is that of method theta, not of \"%s\"; leave it or -stepper_method away",
               methods[facts.method]);
    PetscCall(RungStepperSetMethod(stepper, methods[THETA]));
    facts.method = THETA;
  }
  PetscCheck(!has_steps || facts.method == CRANK_NICOLSON, facts.comm, PETSC_ERR_ARG_INCOMP,
             "-stepper_damped_steps are those of method crank_nicolson, not of \"%s\"; leave them away",
             methods[facts.method]);
  it->theta      = theta;
  it->damped     = steps;
  it->has_theta  = it->has_theta || has_theta ? PETSC_TRUE : PETSC_FALSE;
  it->has_damped = it->has_damped || has_steps ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_theta(RungStepper stepper, PetscViewer viewer)
{
  Theta         *it   = RungStepperGetData(stepper);
  RungMethodPlan plan = {0};

  PetscFunctionBegin;
  PetscCall(plan_theta(stepper, NULL, &plan));
  PetscCall(PetscViewerASCIIPrintf(viewer, "theta = %g", (double)it->theta));
  if (it->dirk.facts.method == CRANK_NICOLSON)
    PetscCall(PetscViewerASCIIPrintf(
      viewer, ", the first %" PetscInt_FMT " steps are two half steps of Euler's implicit method each", it->damped));
  PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const RungMethodOption options[] = {
  {"-stepper_theta", "theta: weight of the new level, 0.5 to 1"},
  {"-stepper_damped_steps", "theta, method crank_nicolson: first steps that are two half steps of Euler's method each"},
  {NULL, NULL}};

static const RungMethodSynonym synonyms[] = {{"crank_nicolson", NULL, " cn cranknicholson rannacher "},
                                             {NULL, NULL, NULL}};

const RungStepperOps RungThetaOps = {.methods  = methods,
                                     .options  = options,
                                     .synonyms = synonyms,
                                     .size     = sizeof(Theta),
                                     .read     = read_theta,
                                     .plan     = plan_theta,
                                     .setup    = RungDirkSetUp,
                                     .attempt  = attempt_theta,
                                     .accepted = RungDirkAccepted,
                                     .between  = RungDirkBetween,
                                     .view     = view_theta,
                                     .reset    = RungDirkReset};
