/* explicit.c - explicit Euler as a family from outside: docs/writing-a-method.md goes through it.

   A level has rates that satisfy F = 0, so the step of differential unknowns is y_n+1 = y_n + h y'_n.  What is left of F at t_n+1,
   rates of these and values of algebraic unknowns, is one line: slope 1 on the rate for the first, on the value for the others,

       F(t_n+1, (y_n+1, z), y') = 0      for      w = (y', z),

   one solve a step, whose matrix dF/d(y', z) does not depend on h.  A mass that is constant is factored once in a run, however
   nonlinear the rest of F is: F is affine in y', so that y' = w - M^-1 F(w) from any w. */
#include "outside.h"

typedef struct {
  RungStepperFacts facts;
  PetscBool        kept;            /* there is a constant mass and no algebraic unknown       */
  Vec              value, given, e; /* lent work: known values; boundary data; the estimate */
} Euler;

static const char *const methods[] = {"forward", NULL};

/* Rates of all components or none: a vector with one algebraic component has no line of its own. */
static PetscBool splits(const RungStepperFacts *facts, const RungTraits *traits)
{
  for (PetscInt f = 0; f < traits->unknowns; ++f) {
    if (traits->unknown_order[f] == 0) return PETSC_TRUE;
  }
  return facts->algebraic ? PETSC_FALSE : PETSC_TRUE;
}

static PetscErrorCode plan(RungStepper stepper, const RungTraits *traits, RungMethodPlan *plan)
{
  Euler *euler = RungStepperGetData(stepper);

  PetscFunctionBegin;
  PetscCall(RungStepperGetFacts(stepper, &euler->facts));
  plan->order    = 1;
  plan->exponent = 2;
  plan->depth    = 1;
  plan->matrices = 1;
  plan->work     = 3;
  plan->can      = RUNG_CAN_ORDER1 | RUNG_CAN_ALGEBRAIC | RUNG_CAN_VARY_MASS;
  if (traits && !splits(&euler->facts, traits)) plan->can &= ~(unsigned)RUNG_CAN_ALGEBRAIC;
  plan->stages   = 1;
  plan->limit    = -1;
  plan->citation = "Euler, Institutiones calculi integralis, 1768";
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode setup(RungStepper stepper)
{
  Euler *euler = RungStepperGetData(stepper);
  Vec   *work;

  PetscFunctionBegin;
  PetscCall(RungStepperGetWork(stepper, &work));
  euler->kept  = euler->facts.traits->constant_block[1] && !euler->facts.algebraic ? PETSC_TRUE : PETSC_FALSE;
  euler->value = work[0];
  euler->given = work[1];
  euler->e     = work[2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* w = (y', z) of the level before, with the boundary data of t: rates g' of differential unknowns, values g of others */
static PetscErrorCode guess(RungStepper stepper, PetscReal t, const RungState *from, Vec w)
{
  Euler            *euler  = RungStepperGetData(stepper);
  const RungTraits *traits = euler->facts.traits;
  const PetscReal   one    = 1;

  PetscFunctionBegin;
  PetscCall(VecCopy(from->u[1], w));
  if (euler->facts.dirichlet) PetscCall(RungSystemImposeDirichlet(euler->facts.sys, t, 1, w));
  PetscCall(VecCopy(from->u[0], euler->given));
  if (euler->facts.dirichlet) PetscCall(RungSystemImposeDirichlet(euler->facts.sys, t, 0, euler->given));
  for (PetscInt f = 0; f < traits->unknowns; ++f) {
    if (traits->unknown_order[f] == 0) PetscCall(RungCombineUnknown(stepper, f, w, 1, &one, &euler->given));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The line for w: by the factors of the mass, or as any other. */
static PetscErrorCode solve(RungStepper stepper, PetscReal t, const RungState *from, const RungLine *line, Vec w,
                            RungVerdict *verdict)
{
  Euler *euler = RungStepperGetData(stepper);

  PetscFunctionBegin;
  if (!euler->kept) {
    PetscCall(RungStageSolve(stepper, t, line, NULL, w, verdict));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungStageLinearise(stepper, t, from->u, line->slope, verdict));
  PetscCall(RungStageResidual(stepper, t, line, NULL, w, euler->given));
  if (verdict->solved) PetscCall(RungStageApply(stepper, euler->given, euler->e, verdict));
  PetscCall(VecAXPY(w, -1, euler->e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode attempt(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                              RungVerdict *verdict)
{
  Euler            *euler  = RungStepperGetData(stepper);
  const RungTraits *traits = euler->facts.traits;
  const PetscInt    n      = traits->unknowns;
  RungLine          line;
  Vec               w = to->u[1], levels[2];

  PetscFunctionBegin;
  memset(&line, 0, sizeof line);
  PetscCall(VecWAXPY(euler->value, h, from->u[1], from->u[0]));
  if (euler->facts.dirichlet) PetscCall(RungSystemImposeDirichlet(euler->facts.sys, to->t, 0, euler->value));
  for (PetscInt f = 0; f < n; ++f) {
    const PetscInt k = traits->unknown_order[f] == 0 ? 0 : 1;

    line.slope[k * n + f] = 1;
    if (k == 0) PetscCall(RungCombineUnknown(stepper, f, euler->value, 0, NULL, NULL));
  }
  line.base[0] = euler->value;
  PetscCall(guess(stepper, to->t, from, w));
  PetscCall(solve(stepper, to->t, from, &line, w, verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  levels[0] = to->u[0];
  levels[1] = euler->given;
  PetscCall(RungStageEvaluate(stepper, &line, w, levels));
  PetscCall(VecCopy(euler->given, to->u[1]));
  if (!euler->facts.adaptive) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecWAXPY(euler->e, -1, from->u[1], to->u[1]));
  PetscCall(VecScale(euler->e, h / 2));
  PetscCall(RungStepperMeasure(stepper, (Vec[]){euler->e, NULL}, NULL, from, to, &verdict->error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const RungMethodSynonym synonyms[] = {{"forward", NULL, " eulerforward forwardeuler1 "}, {NULL, NULL, NULL}};

static const RungStepperOps ops = {
  .methods = methods, .synonyms = synonyms, .size = sizeof(Euler), .plan = plan, .setup = setup, .attempt = attempt};

/* ---- does it work? ------------------------------------------------------------------------------------------------ */

static PetscErrorCode check_runs(void)
{
  Run       run = {.type = "outside", .end = 1, .dt = 0.1};
  Found     found;
  PetscReal error[2], z[2], order;

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i, run.dt /= 2) PetscCall(error_of("decay", &run, &found, &error[i]));
  WANT(error[0] / error[1] > 1.8 && error[0] / error[1] < 2.2, "errors %.3e %.3e", error[0], error[1]);
  run.rtol = 1e-3;
  PetscCall(go("decay", &run, &found));
  WANT(found.count.factorisations == 1, "%g factorisations, %g steps", (double)found.count.factorisations,
       (double)found.count.steps);
  run.rtol = 0;
  run.dt   = 0.1;
  for (int i = 0; i < 2; ++i, run.dt /= 2) {
    PetscCall(error_of("index1", &run, &found, &error[i]));
    z[i] = PetscAbsReal(found.y[1] - 0.25);
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "forward on index1: errors of y %.3e %.3e, of z %.3e %.3e\n",
                        (double)error[0], (double)error[1], (double)z[0], (double)z[1]));
  WANT(error[0] / error[1] > 1.8 && error[0] / error[1] < 2.2, "errors of y %.3e %.3e", error[0], error[1]);
  WANT(z[0] / z[1] > 1.8 && z[0] / z[1] < 2.2, "errors of z %.3e %.3e", z[0], z[1]);
  run.dt   = 0.01;
  run.rtol = 1e-4;
  PetscCall(error_of("decay", &run, &found, &error[0]));
  WANT(error[0] < 5e-3 && found.count.steps < 400, "error %.3e in %g steps", error[0], (double)found.count.steps);
  PetscCall(study("outside", "forward", "power_edge", 0.0025, &error[0], &order));
  WANT(order > 0.9 && order < 1.1, "order %g%.0f", order, 0.0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_the_rest(void)
{
  Run run = {.type = "outside", .end = 1, .dt = 0.1};

  PetscFunctionBegin;
  PetscCall(is_listed("outside", "forward"));
  PetscCall(restarts("index1", run, 3, 6));
  run.rtol = 1e-3;
  PetscCall(restarts("decay", run, 4, 8));
  run.rtol = 0;
  PetscCall(
    refused("oscillator", &run, "outside method \"forward\" advances systems of order 1, and \"y\" has a second"));
  PetscCall(refused("conserved", &run, "does not keep conserved terms"));
  PetscCall(refused("bounded", &run, "keeps no bounds, and \"y\" has some; take one that can: esdirk43, bdf2"));
  run.method = "Euler-forward";
  PetscCall(refused("decay", &run, "; here it is \"forward\"; there are forward"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(check_all(argc, argv, "Explicit Euler from outside.\n", "outside", &ops, check_runs, check_the_rest));
  return 0;
}
