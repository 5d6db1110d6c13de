/* bdf.c - backward differences of order 1 and 2 with the coefficients of the steps as they are, omega = h_n/h_n-1:

       u'_n+1 = sum_j alpha_j u_n+1-j,   h alpha = (1, -1)  or  ((1 + 2 omega)/(1 + omega), -(1 + omega), omega^2/(1 + omega))

   At order 2 in time the same formula makes u'' of u'; conserved terms are differenced themselves.  The first step of
   bdf2 is one of TR-BDF2 (Bank et al. 1985): to t + gamma h, gamma = 2 - sqrt(2), by the trapezoidal rule in endpoint form,
   u'_1 = 2 (u_1 - u_0)/h - u'_0, then by bdf2 over both parts, with one matrix.  The trapezoidal rule alone would reflect rough
   data, which this damps.  Every line has the unknown w = u_n+1, with the origin u_n, or u_n + h v_n.  A level carries its
   increment, u_n - u_n-1: over small steps the difference of the values has lost it.  Boundary data are those of the new level, of order 2 with
   their rates. */
#include <rungmethod.h>

#define ROUNDING (4 * PETSC_MACHINE_EPSILON) /* by which a difference of values misses their increment */

enum { BDF1, BDF2 };

typedef struct {
  RungStepperFacts facts;
  Vec              base[RUNG_MAX_ORDER + 1], move, load; /* lent work                                             */
  RungState        middle;                               /* of the first step of bdf2; its Vecs are lent work    */
  Vec              carry[1];                             /* lent work: what it carries                           */
  Vec              rate[2];                              /* lent work; NULL: no data, or of order 1 in time     */
  PetscBool        starts;                               /* that step has one: an unknown has a time derivative */
} Bdf;

/* Past values enter as  rate = slope value + sum_j c_j x_j:  x are the older values, and the older rate at the start. */
typedef struct {
  PetscReal slope, c[2];
  PetscBool start; /* x = (value, rate) of level n; else values of levels n and n - 1 */
} Formula;

/* Steps that differ by rounding are equal, so that the matrix stays. */
static PetscReal ratio_of_steps(PetscReal h, PetscReal old)
{
  return PetscAbsReal(h - old) <= 1e-9 * h ? 1 : h / old;
}

/* Over a step h, after one of h / omega. */
static Formula second_order(PetscReal h, PetscReal omega)
{
  return (Formula){.slope = (1 + 2 * omega) / ((1 + omega) * h),
                   .c     = {-(1 + omega) / h, omega * omega / ((1 + omega) * h)}};
}

/* y = u_n - u_n-1: what the level carries as far as that is it; levels may come from elsewhere. */
static PetscErrorCode take_increment(const RungState *from, const RungState *before, Vec y)
{
  const PetscScalar *u, *old, *carried;
  PetscScalar       *d;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(y, &n));
  PetscCall(VecGetArrayRead(from->u[0], &u));
  PetscCall(VecGetArrayRead(before->u[0], &old));
  PetscCall(VecGetArrayRead(from->carry[0], &carried));
  PetscCall(VecGetArrayWrite(y, &d));
  for (PetscInt i = 0; i < n; ++i) {
    const PetscReal rounding = ROUNDING * (PetscAbsScalar(u[i]) + PetscAbsScalar(old[i]));

    d[i] = PetscAbsScalar(u[i] - old[i] - carried[i]) <= rounding ? carried[i] : u[i] - old[i];
  }
  PetscCall(VecRestoreArrayWrite(y, &d));
  PetscCall(VecRestoreArrayRead(from->carry[0], &carried));
  PetscCall(VecRestoreArrayRead(before->u[0], &old));
  PetscCall(VecRestoreArrayRead(from->u[0], &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rates at the origin u_n, since slope + c_0 + c_1 = 0:

       base_1 = -c_1 (u_n - u_n-1),   base_2 = slope base_1 + c . (v_n, v_n-1),   at the start with c_1 (u'_n, u''_n) */
static PetscErrorCode set_bases(Bdf *bdf, const Formula *f, const RungState *from, const RungState *before)
{
  PetscFunctionBegin;
  if (f->start || !before) {
    PetscCall(RungCombine(bdf->base[1], 1, &f->c[1], &from->u[1]));
  } else {
    PetscCall(take_increment(from, before, bdf->base[1]));
    PetscCall(VecScale(bdf->base[1], -f->c[1]));
  }
  if (bdf->facts.traits->order == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungCombine(bdf->base[2], 3, (PetscReal[]){f->c[0], f->c[1], f->slope},
                        (Vec[]){from->u[1], f->start ? from->u[2] : (before ? before->u[1] : NULL), bdf->base[1]}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_line(RungStepper stepper, const Formula *f, const RungState *from, const RungState *before,
                               RungState *to, RungLine *line)
{
  Bdf           *bdf   = RungStepperGetData(stepper);
  const PetscInt order = bdf->facts.traits->order;

  PetscFunctionBegin;
  *line = (RungLine){.origin = bdf->base[0], .increment = to->carry[0]};
  for (PetscInt k = 0; k <= order; ++k) {
    RungLineSetSlope(stepper, line, k, PetscPowRealInt(f->slope, (int)k));
    line->base[k] = bdf->base[k];
  }
  PetscCall(VecCopy(from->u[0], line->origin));
  if (order) PetscCall(set_bases(bdf, f, from, before));
  if (order == 2) {
    PetscCall(RungCombine(bdf->move, 1, (PetscReal[]){to->t - from->t}, &from->u[1]));
    PetscCall(RungLineMove(stepper, line, bdf->move));
  }
  if (!bdf->load) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(
    RungCombine(bdf->load, 2, f->c, (Vec[]){from->m[0], f->start ? from->m[1] : (before ? before->m[0] : NULL)}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Given entries, and what is tied to them, have the rates of the data.  Differences would have leaps there: u' of this step and of the last one
   are differences over steps of unlike lengths, and the u'' of a short step is what these differ by, divided by the step. */
static PetscErrorCode take_data_rates(Bdf *bdf, const RungLine *line, PetscReal t)
{
  const PetscInt n     = bdf->facts.traits->unknowns;
  const Vec      found = bdf->rate[0], given = bdf->rate[1];

  PetscFunctionBegin;
  for (PetscInt k = 1; k <= bdf->facts.traits->order; ++k) {
    PetscCall(VecWAXPY(found, line->slope[k * n], line->increment, line->base[k]));
    PetscCall(VecCopy(found, given));
    PetscCall(RungSystemImposeDirichlet(bdf->facts.sys, t, k, given));
    PetscCall(VecAXPY(given, -1, found)); /* exactly 0 elsewhere */
    PetscCall(VecAXPY(line->base[k], 1, given));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From one level, or two, to another. */
static PetscErrorCode advance(RungStepper stepper, const Formula *f, const RungState *from, const RungState *before,
                              RungState *to, RungVerdict *verdict)
{
  Bdf     *bdf = RungStepperGetData(stepper);
  RungLine line;

  PetscFunctionBegin;
  PetscCall(VecCopy(from->u[0], to->u[0]));
  if (bdf->facts.traits->order == 2) PetscCall(VecAXPY(to->u[0], to->t - from->t, from->u[1]));
  PetscCall(set_line(stepper, f, from, before, to, &line));
  PetscCall(RungStagePredict(stepper, to->t, to->u[0]));
  PetscCall(VecWAXPY(line.increment, -1, line.origin, to->u[0]));
  if (bdf->rate[0]) PetscCall(take_data_rates(bdf, &line, to->t));
  PetscCall(RungStageSolve(stepper, to->t, &line, bdf->load, to->u[0], verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 1; k <= bdf->facts.traits->order; ++k) {
    PetscCall(VecWAXPY(to->u[k], line.slope[k * bdf->facts.traits->unknowns], line.increment, line.base[k]));
  }
  if (bdf->facts.traits->order == 2) PetscCall(VecAXPY(to->carry[0], 1, bdf->move));
  if (!bdf->load) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemConserved(bdf->facts.sys, to->t, to->u[0], to->m[0]));
  PetscCall(VecWAXPY(to->m[1], f->slope, to->m[0], bdf->load));
  if (to->carry_m) PetscCall(VecWAXPY(to->carry_m[0], -1, from->m[0], to->m[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first step of bdf2; both of its parts have the slope 2/(gamma h). */
static PetscErrorCode begin(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                            RungVerdict *verdict)
{
  Bdf            *bdf   = RungStepperGetData(stepper);
  const PetscReal gamma = 2 - PetscSqrtReal(2.0), slope = 2 / (gamma * h);
  const Formula   first  = {.slope = slope, .c = {-slope, -1}, .start = PETSC_TRUE};
  Formula         second = second_order((1 - gamma) * h, (1 - gamma) / gamma);

  PetscFunctionBegin;
  second.slope  = slope;
  bdf->middle.t = from->t + gamma * h;
  PetscCall(advance(stepper, &first, from, NULL, &bdf->middle, verdict));
  if (verdict->solved) PetscCall(advance(stepper, &second, &bdf->middle, from, to, verdict));
  if (verdict->solved) PetscCall(VecAXPY(to->carry[0], 1, bdf->middle.carry[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode attempt_bdf(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                                  RungVerdict *verdict)
{
  Bdf             *bdf    = RungStepperGetData(stepper);
  const RungState *before = NULL;
  Formula          f      = {.slope = 1 / h, .c = {-1 / h, 0}};
  PetscInt         levels;

  PetscFunctionBegin;
  PetscCall(RungStepperGetLevels(stepper, &levels));
  if (levels > 1) PetscCall(RungStepperGetState(stepper, 1, &before));
  if (bdf->facts.method == BDF2 && !before && bdf->starts) {
    PetscCall(begin(stepper, from, h, to, verdict));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (bdf->facts.method == BDF2 && before) f = second_order(h, ratio_of_steps(h, from->t - before->t));
  PetscCall(advance(stepper, &f, from, before, to, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode plan_bdf(RungStepper stepper, const RungTraits *traits, RungMethodPlan *plan)
{
  Bdf *bdf = RungStepperGetData(stepper);

  PetscFunctionBegin;
  PetscCall(RungStepperGetFacts(stepper, &bdf->facts));
  plan->order       = bdf->facts.method == BDF2 ? 2 : 1;
  plan->depth       = 2;
  plan->carried     = 1;
  plan->matrices    = plan->order; /* bdf2: that of its start too */
  plan->can         = RUNG_CAN_ALL & ~(unsigned)RUNG_CAN_SPLIT;
  plan->stages      = 1;
  plan->stage_order = plan->order;
  plan->solves      = 1;
  plan->angle       = 90;
  plan->citation =
    "Curtiss and Hirschfelder, Proc. Nat. Acad. Sci. 38, 1952; start: Bank et al., IEEE Trans. CAD 4, 1985";
  if (traits) plan->work = 2 * traits->order + 9;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up_bdf(RungStepper stepper)
{
  Bdf              *bdf    = RungStepperGetData(stepper);
  const RungTraits *traits = bdf->facts.traits;
  const PetscInt    n      = traits->order;
  Vec              *work;

  PetscFunctionBegin;
  bdf->starts = PETSC_FALSE;
  for (PetscInt f = 0; f < traits->unknowns; ++f) {
    if (bdf->facts.method == BDF2 && traits->unknown_order[f] > 0) bdf->starts = PETSC_TRUE;
  }
  PetscCall(RungStepperGetWork(stepper, &work));
  for (PetscInt k = 0; k <= n; ++k) bdf->base[k] = *work++;
  for (PetscInt k = 0; k <= n; ++k) bdf->middle.u[k] = *work++;
  for (PetscInt k = 0; k < 2; ++k) bdf->middle.m[k] = *work++;
  bdf->carry[0]     = *work++;
  bdf->move         = *work++;
  bdf->middle.carry = bdf->carry;
  bdf->load         = traits->conserved ? *work++ : NULL;
  for (int i = 0; i < 2; ++i) bdf->rate[i] = n == 2 && bdf->facts.dirichlet ? *work++ : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *const       methods[]  = {"bdf1", "bdf2", NULL};
static const RungMethodOption  options[]  = {{"-stepper_order", "bdf: order 1 or 2"}, {NULL, NULL}};
static const RungMethodSynonym synonyms[] = {
  {"bdf2", NULL, " bdf gear "},
  {"esdirk43", "of higher order than 2, and bdf ends there", " bdf3 bdf4 "},
  {"esdirk54", "of higher order than 2, and bdf ends there", " bdf5 bdf6 "},
  {"bdf2", "of higher order than 2, and bdf ends there", " ode15s ida cvode "},
  {NULL, NULL, NULL}};

const RungStepperOps RungBdfOps = {.methods  = methods,
                                   .first    = "bdf2",
                                   .options  = options,
                                   .synonyms = synonyms,
                                   .size     = sizeof(Bdf),
                                   .plan     = plan_bdf,
                                   .setup    = set_up_bdf,
                                   .attempt  = attempt_bdf};
