/* acceleration.c - central differences, and Newmark's method solved for the new acceleration, for systems of order 2 in time.

   The unknown of a step is w = u''_n+1.  With (beta, gamma), and (0, 1/2) for central differences,

       u_n+1 = u_n + h v_n + h^2 ((1/2 - beta) a_n + beta w),       v_n+1 = v_n + h ((1 - gamma) a_n + gamma w),
       F(t_n+1, u_n+1, v_n+1, w) = 0:       slopes  beta h^2,  gamma h,  1.

   With beta = 0 nothing but the mass, and half a step of damping, is solved with: the mass is kept in factors, and where the form
   has it lumped it is a diagonal.  Then v_n+1/2 = v_n + h a_n/2 is what u moves with, and for linear systems without
   damping  v_n+1/2' M v_n-1/2/2 + u_n' K u_n/2  is kept to rounding, whatever the number of steps.  Where F holds no u' nobody reads
   v_n+1/2, and v is written once a step, behind the solve.  Solved for u'', small steps lose no digits: a difference of displacements would
   be divided by h^2.

   Unknowns of order 1 beside it follow  u_n+1 = u_n + h ((1 - gamma) u'_n + gamma w),  those without a rate are found with w.
   Boundary data and their rates are those of the data at t_n+1, all of them.

   Estimates: (beta - 1/6) h^2 (a_n+1 - a_n) of u (Zienkiewicz and Xie, Earthq. Eng. Struct. Dyn. 20, 1991), h^3 v'''/12 of v by the
   difference of two slopes of a; (gamma - 1/2) h (a_n+1 - a_n) where gamma is not 1/2.

   With beta < gamma/2 a step is stable up to  omega h = 1/sqrt(gamma/2 - beta),  2 for central differences, omega the highest
   frequency: fixed steps beyond it are refused. */
#include <rungmethod.h>

enum { CENTRAL, NEWMARK };
static const char *const methods[] = {"central_difference", "newmark_acceleration", NULL};

typedef struct {
  RungStepperFacts facts;
  PetscReal        beta, gamma;
  PetscBool        given;                      /* both were asked for                                            */
  PetscBool        plain;                      /* w is u'' of all unknowns, none of it given                      */
  PetscBool        late;                       /* .. and nothing reads u' or moves u before the end of a step     */
  Vec              w, base[RUNG_MAX_ORDER];    /* lent: u'', u and u' of the level in hand, where it is made      */
  Vec              rate, data, e[2], power[4]; /* lent work                                                     */
} Acceleration;

static PetscErrorCode renew(RungStepper stepper)
{
  Acceleration *it = RungStepperGetData(stepper);

  PetscFunctionBegin;
  PetscCall(RungStepperGetFacts(stepper, &it->facts));
  if (it->facts.method == CENTRAL || !it->given) {
    it->beta  = it->facts.method == CENTRAL ? 0 : 0.25;
    it->gamma = 0.5;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a step ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode set_line(RungStepper stepper, const RungState *from, PetscReal h, RungLine *line)
{
  Acceleration     *it     = RungStepperGetData(stepper);
  const RungTraits *traits = it->facts.traits;
  const PetscInt    n      = traits->unknowns;

  PetscFunctionBegin;
  *line = (RungLine){.base = {it->base[0], it->base[1]}};
  if (it->plain) line->guess = from->u[2];
  if (it->late) {
    RungLineSetSlope(stepper, line, 2, 1);
    line->base[1] = from->u[1]; /* whatever it is */
    PetscCall(RungCombine(it->base[0], 3, (PetscReal[]){1, h, h * h / 2}, from->u));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* base[1] = v + gain u'', then base[0] = u + h base[1], which reads no u'' where gamma = beta + 1/2: central differences */
  for (PetscInt f = 0; f < n; ++f) {
    const PetscInt  order   = traits->unknown_order[f];
    const PetscReal gain    = h * (1 - it->gamma);
    const PetscReal value[] = {1, order == 2 ? h : gain, h * h * (it->gamma - 0.5 - it->beta)}, rate[] = {0, 1, gain};
    const Vec       x[] = {from->u[0], order == 2 ? it->base[1] : from->u[1], from->u[2]};

    PetscCall(RungCombineUnknown(stepper, f, it->base[1], order == 2 ? 3 : 0, rate, from->u));
    PetscCall(RungCombineUnknown(stepper, f, it->base[0], order ? order + 1 : 0, value, x));
    line->slope[order * n + f] = 1;
    if (order >= 1) line->slope[(order - 1) * n + f] = h * it->gamma;
    if (order == 2) line->slope[f] = h * h * it->beta;
    if (!it->plain) PetscCall(RungCombineUnknown(stepper, f, it->w, 1, (PetscReal[]){1}, &from->u[order]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RungStepper stepper, const RungState *from, PetscReal h, const RungLine *line,
                               RungState *to)
{
  Acceleration   *it   = RungStepperGetData(stepper);
  const PetscReal c[3] = {1, h * (1 - it->gamma), h * it->gamma};

  PetscFunctionBegin;
  if (it->late)
    PetscCall(RungCombine(to->u[1], 3, c, (Vec[]){from->u[1], from->u[2], it->w}));
  else
    PetscCall(RungStageEvaluate(stepper, line, it->w, to->u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Boundary entries: w has the data's highest rate, the others follow from base[] such that they are the data's, too. */
static PetscErrorCode set_data(RungStepper stepper, PetscReal t, const RungLine *line)
{
  Acceleration  *it = RungStepperGetData(stepper);
  const PetscInt n  = it->facts.traits->unknowns;

  PetscFunctionBegin;
  if (!it->facts.dirichlet) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStageImposeRates(stepper, t, it->w, it->data));
  for (PetscInt k = 0; k < 2; ++k) {
    for (PetscInt f = 0; f < n; ++f) {
      PetscCall(RungCombineUnknown(stepper, f, it->rate, 2, (PetscReal[]){line->slope[k * n + f], 1},
                                   (Vec[]){it->w, it->base[k]}));
    }
    PetscCall(VecCopy(it->rate, it->data));
    PetscCall(RungSystemImposeDirichlet(it->facts.sys, t, k, it->data));
    for (PetscInt f = 0; f < n; ++f) {
      if (it->facts.traits->unknown_order[f] <= k)
        PetscCall(RungCombineUnknown(stepper, f, it->data, 1, (PetscReal[]){1}, &it->rate));
    }
    PetscCall(VecAXPY(it->data, -1, it->rate));
    PetscCall(VecAXPY(it->base[k], 1, it->data));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = c (x_n+1 - x_n), or with a level before  3rd order: 2 c h^2 (slope_n+1 - slope_n)/(h + h_old) of x = u^(k) */
static PetscErrorCode difference(RungStepper stepper, PetscInt f, PetscReal c, const RungState *before,
                                 const RungState *from, PetscReal h, const RungState *to, PetscInt k, Vec y)
{
  PetscFunctionBegin;
  if (before) {
    const PetscReal h_old = from->t - before->t, s = 2 * c * h * h / (h + h_old);

    PetscCall(RungCombineUnknown(stepper, f, y, 3, (PetscReal[]){s / h, -s / h - s / h_old, s / h_old},
                                 (Vec[]){to->u[k], from->u[k], before->u[k]}));
  } else {
    PetscCall(RungCombineUnknown(stepper, f, y, 2, (PetscReal[]){c, -c}, (Vec[]){to->u[k], from->u[k]}));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode estimate(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                               RungVerdict *verdict)
{
  Acceleration    *it     = RungStepperGetData(stepper);
  const PetscBool  second = it->gamma == 0.5 ? PETSC_TRUE : PETSC_FALSE;
  const PetscReal  rate   = second ? h / 12 : (it->gamma - 0.5) * h;
  const RungState *before = NULL;
  PetscInt         levels;

  PetscFunctionBegin;
  if (!it->facts.adaptive) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStepperGetLevels(stepper, &levels));
  if (levels > 1 && second) PetscCall(RungStepperGetState(stepper, 1, &before));
  for (PetscInt f = 0; f < it->facts.traits->unknowns; ++f) {
    const PetscInt order = it->facts.traits->unknown_order[f];

    PetscCall(RungCombineUnknown(stepper, f, it->e[0], 0, NULL, NULL));
    PetscCall(RungCombineUnknown(stepper, f, it->e[1], 0, NULL, NULL));
    if (order == 2) PetscCall(difference(stepper, f, (it->beta - 1.0 / 6) * h * h, NULL, from, h, to, 2, it->e[0]));
    if (order >= 1) PetscCall(difference(stepper, f, rate, before, from, h, to, order, it->e[order - 1]));
  }
  PetscCall(RungStepperMeasure(stepper, it->e, NULL, from, to, &verdict->error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode attempt_acceleration(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                                           RungVerdict *verdict)
{
  Acceleration *it = RungStepperGetData(stepper);
  RungLine      line;

  PetscFunctionBegin;
  it->w       = to->u[2];
  it->base[0] = to->u[0];
  it->base[1] = to->u[1];
  PetscCall(set_line(stepper, from, h, &line));
  PetscCall(set_data(stepper, to->t, &line));
  PetscCall(RungStageSolve(stepper, to->t, &line, NULL, it->w, verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(evaluate(stepper, from, h, &line, to));
  for (PetscInt k = 0; k <= 2 && it->facts.dirichlet; ++k)
    PetscCall(RungSystemImposeDirichlet(it->facts.sys, to->t, k, to->u[k]));
  PetscCall(estimate(stepper, from, h, to, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The longest stable step, 0: all are. */
static PetscErrorCode find_stable(RungStepper stepper, const RungState *level, PetscReal *h)
{
  Acceleration   *it  = RungStepperGetData(stepper);
  const PetscReal gap = it->gamma / 2 - it->beta;
  PetscReal       size, cosine;

  PetscFunctionBegin;
  *h = 0;
  if (gap <= 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStageFastest(stepper, level, it->power, &size, &cosine));
  if (size > 0 && cosine < 0) *h = 1 / PetscSqrtReal(gap * size); /* size: omega^2, of u'' = -omega^2 u */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- set-up ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode read_acceleration(RungStepper stepper)
{
  Acceleration *it = RungStepperGetData(stepper);
  PetscReal     beta, gamma;
  PetscBool     has_beta, has_gamma, has_method;

  PetscFunctionBegin;
  PetscCall(renew(stepper));
  beta  = it->given ? it->beta : 0.25;
  gamma = it->given ? it->gamma : 0.5;
  PetscCall(RungStepperReadReal(stepper, "-stepper_beta", "at least 0", &beta, &has_beta));
  PetscCall(RungStepperReadReal(stepper, "-stepper_gamma", "above 0", &gamma, &has_gamma));
  if (!has_beta && !has_gamma) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsHasName(NULL, NULL, "-stepper_method", &has_method));
  PetscCheck(!has_method || it->facts.method == NEWMARK, it->facts.comm, PETSC_ERR_ARG_INCOMP,
             "-stepper_beta and -stepper_gamma are those of method newmark_acceleration, not of \"%s\"; leave them or "
             "-stepper_method away",
             methods[it->facts.method]);
  PetscCheck(gamma >= 0.5 || it->facts.force, it->facts.comm, PETSC_ERR_ARG_OUTOFRANGE,
             "gamma is %g, and below 0.5 Newmark's method amplifies all motion; take 0.5 or insist with -stepper_force",
             (double)gamma);
  PetscCall(RungStepperSetMethod(stepper, methods[NEWMARK]));
  it->beta  = beta;
  it->gamma = gamma;
  it->given = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode plan_acceleration(RungStepper stepper, const RungTraits *traits, RungMethodPlan *plan)
{
  Acceleration *it = RungStepperGetData(stepper);

  PetscFunctionBegin;
  PetscCall(renew(stepper));
  plan->order       = it->gamma == 0.5 ? 2 : 1;
  plan->exponent    = plan->order + 1;
  plan->depth       = 2;
  plan->matrices    = 1;
  plan->can         = RUNG_CAN_ORDER2 | RUNG_CAN_ALGEBRAIC | RUNG_CAN_VARY_MASS;
  plan->stages      = 1;
  plan->solves      = it->beta > 0 ? 1 : 0;
  plan->stage_order = plan->order;
  plan->limit       = it->beta > 0 ? 1 : -1;
  plan->angle       = it->beta >= it->gamma / 2 ? 90 : 0;
  plan->limited     = PETSC_TRUE;
  plan->index1      = it->beta > 0 ? 0 : 2;
  plan->citation    = it->facts.method == CENTRAL
                        ? "Hughes, The Finite Element Method, 1987, section 9.1: central differences"
                        : "Newmark, J. Eng. Mech. Div. ASCE 85, 1959; solved for accelerations: Hughes, The Finite "
                          "Element Method, 1987, section 9.1";
  if (!traits) PetscFunctionReturn(PETSC_SUCCESS);
  plan->work = 8;
  if (traits->conserved) plan->way_out = "take -system_conserve false, which expands dt() of nonlinear terms";
  PetscCheck(!it->facts.adaptive || PetscAbsReal(it->beta - 1.0 / 6) > 1e-12, it->facts.comm, PETSC_ERR_ARG_OUTOFRANGE,
             "beta is 1/6, for which the error estimate vanishes; take another beta or a fixed step");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up_acceleration(RungStepper stepper)
{
  Acceleration *it = RungStepperGetData(stepper);
  Vec          *work;

  PetscFunctionBegin;
  PetscCall(RungStepperGetWork(stepper, &work));
  it->rate = work[0];
  it->data = work[1];
  it->e[0] = work[2];
  it->e[1] = work[3];
  for (int i = 0; i < 4; ++i) it->power[i] = work[4 + i];
  it->plain = it->facts.dirichlet ? PETSC_FALSE : PETSC_TRUE;
  for (PetscInt f = 0; f < it->facts.traits->unknowns; ++f)
    it->plain = it->plain && it->facts.traits->unknown_order[f] == 2 ? PETSC_TRUE : PETSC_FALSE;
  it->late = it->plain && it->facts.traits->undamped && it->beta == 0 ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_acceleration(RungStepper stepper, PetscViewer viewer)
{
  Acceleration *it = RungStepperGetData(stepper);

  PetscFunctionBegin;
  PetscCall(renew(stepper));
  PetscCall(
    PetscViewerASCIIPrintf(viewer, "solved for u'', beta = %g, gamma = %g\n", (double)it->beta, (double)it->gamma));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const RungMethodOption options[] = {{"-stepper_beta", "newmark, newmark_acceleration: beta"},
                                           {"-stepper_gamma", "newmark, newmark_acceleration: gamma"},
                                           {NULL, NULL}};

static const RungMethodSynonym synonyms[] = {
  {"central_difference", NULL, " centraldifferences leapfrog verlet velocityverlet stormerverlet explicitdynamics "},
  {"newmark_acceleration", NULL, " newmarkaform newmarkexplicit "},
  {NULL, NULL, NULL}};

const RungStepperOps RungAccelerationOps = {.methods  = methods,
                                            .options  = options,
                                            .synonyms = synonyms,
                                            .size     = sizeof(Acceleration),
                                            .read     = read_acceleration,
                                            .plan     = plan_acceleration,
                                            .setup    = set_up_acceleration,
                                            .attempt  = attempt_acceleration,
                                            .stable   = find_stable,
                                            .view     = view_acceleration};
