/* stage_newton.c - what the solver of a stage calls: F, its derivative, and when Newton's method is done.

   Newton stops when, with d_k the steps and theta = |d_k|/|d_k-1| (1 for the first),

       fixed step     |F| <= rtol |F_0|  or  |d_k| <= 100 u |w|      rtol 1e-12 (-snes_rtol); 1e-14 with conserved terms
       adaptive step  theta/(1 - theta) |d_k|_WRMS <= 0.01           in the norm of the error test (Hairer and Wanner,
                      or |d_k| <= 100 u |w|                          Solving ODEs II, IV.8)
   both               |F| <= 4 u |J| |w|, except that conserved totals are worth the last digits

   A line search that finds no descent at the level of rounding has converged by the last two rules.

   Internal variables are eliminated: Newton sees F(u, s(u)) and its derivative, with s solved for at every point in each
   evaluation (RungTransientSystemSolveCondensed).  Entries s of w are a guess; a full step moves it along the tangent of
   s(u), and what the last Jacobian's s differed from it is added.  Points that are not solved make F not a number, and the
   step is cut (stage_domain.c).  Linear systems take s from the elimination alone. */
#include "stage_impl.h"

#define NEWTON_KAPPA 0.01
#define LAG_MOST     6     /* iterations with old factors after which new ones pay */
#define LOOSEST      0.1   /* tolerance of a linear solve */
#define OWN_EXACT    1e-14 /* backward error of factors without pivots, for linear stages */
#define OWN_NEAR     1e-9  /* where an iteration does the rest */
#define NEAR         1e-6  /* of |F_0|: from here on it pays to ask whether |F| is rounding */

/* ---- what the solver calls -------------------------------------------------------------------------------------- */

/* G(w) = R(t, u, w - u) + m(w) + load, with load = -R(t, u, 0) - target */
static PetscErrorCode match_residual(RungStages stages, Vec w, Vec r)
{
  RungLine line = {.base = {stages->at[0], stages->at[1], NULL}};

  PetscFunctionBegin;
  PetscCall(VecWAXPY(stages->at[1], -1, stages->at[0], w));
  PetscCall(RungTransientSystemConserved(stages->stepper->ts, stages->t, w, stages->r));
  PetscCall(VecAXPY(stages->r, 1, stages->load));
  PetscCall(RungTransientSystemResidual(stages->stepper->ts, stages->t, &line, stages->r, w, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does stages->point have the values of w outside internal variables? */
static PetscErrorCode is_current(RungStages stages, Vec w, PetscBool *current)
{
  PetscReal distance;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(stages->r, -1, w, stages->point));
  PetscCall(RungSystemZeroCondensed(stages->stepper->sys, stages->r));
  PetscCall(VecNorm(stages->r, NORM_INFINITY, &distance));
  *current = distance == 0 && !stages->why[0] ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* stages->point = w with internal variables solved for, or stages->why */
static PetscErrorCode solve_points(RungStages stages, Vec w, PetscBool *solved)
{
  PetscFunctionBegin;
  stages->why[0] = 0;
  PetscCall(VecWAXPY(stages->point, 1, stages->shift, w));
  PetscCall(RungTransientSystemSolveCondensed(stages->stepper->ts, stages->t, stages->line, stages->load, stages->point,
                                              solved, stages->why, sizeof stages->why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode condensed_residual(RungStages stages, Vec w, Vec r)
{
  PetscBool solved;

  PetscFunctionBegin;
  PetscCall(solve_points(stages, w, &solved));
  if (!solved) {
    PetscCall(VecSet(r, NAN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungTransientSystemResidual(stages->stepper->ts, stages->t, stages->line, stages->load, stages->point, r));
  PetscCall(RungSystemZeroCondensed(stages->stepper->sys, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStagesFollow(RungStages stages, Vec w, Vec *at)
{
  PetscFunctionBegin;
  *at = w;
  if (!stages->followed) PetscFunctionReturn(PETSC_SUCCESS);
  *at = stages->followed;
  PetscCall(VecWAXPY(*at, -1, stages->guess, w)); /* 0 for slaves: their rows are those of the identity */
  PetscCall(RungSystemExtend(stages->stepper->sys, *at));
  PetscCall(VecAXPY(*at, 1, stages->guess));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageSlotResidual(SNES snes, Vec w, Vec r, void *ctx)
{
  RungStages stages = ((RungStageSlot *)ctx)->stages;
  PetscBool  known;
  Vec        at;

  PetscFunctionBegin;
  (void)snes;
  PetscCall(RungStageSlotRecall(stages, w, r, &known));
  if (known) PetscFunctionReturn(PETSC_SUCCESS);
  ++stages->stepper->statistics.residuals;
  if (stages->problem == PROBLEM_MATCH)
    PetscCall(match_residual(stages, w, r));
  else if (stages->point)
    PetscCall(condensed_residual(stages, w, r));
  else {
    PetscCall(RungStagesFollow(stages, w, &at));
    PetscCall(RungTransientSystemResidual(stages->stepper->ts, stages->t, stages->line, stages->load, at, r));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The derivative of F(u, s(u)) at the s that the residual found. */
static PetscErrorCode stage_jacobian(RungStages stages, Vec w, Mat J)
{
  PetscBool current, solved;
  Vec       at;

  PetscFunctionBegin;
  PetscCall(RungStagesFollow(stages, w, &at));
  if (stages->point) {
    at = stages->point;
    PetscCall(is_current(stages, w, &current));
    if (!current) PetscCall(solve_points(stages, w, &solved));
    PetscCall(VecWAXPY(stages->shift, -1, w, stages->point));
  }
  PetscCall(RungTransientSystemStageJacobian(stages->stepper->ts, stages->t, stages->line, at, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps that are four times as long ask for another preconditioner, perhaps. */
static PetscBool is_other(const RungStageSlot *slot)
{
  const RungTraits *traits = &slot->stages->stepper->traits;
  const PetscReal   slope  = slot->slope[(traits->order + 1) * traits->unknowns - 1];

  return slope < slot->tuned / 4 || slope > slot->tuned * 4 ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode tune(RungStageSlot *slot, Vec w)
{
  RungStages  stages  = slot->stages;
  RungStepper stepper = stages->stepper;
  KSP         ksp;

  PetscFunctionBegin;
  PetscCall(SNESGetKSP(slot->snes, &ksp));
  slot->asked = slot->own = PETSC_FALSE;
  PetscCall(RungTransientSystemTuneSolver(stepper->ts, stages->t, stages->line, w, &slot->J, ksp));
  PetscCall(SNESSetJacobian(slot->snes, slot->J, slot->J, RungStageSlotJacobian, slot)); /* it may be another matrix */
  slot->tuned = slot->slope[(stepper->traits.order + 1) * stepper->traits.unknowns - 1];
  PetscCall(RungStageSlotChoosePath(slot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageSlotJacobian(SNES snes, Vec w, Mat J, Mat P, void *ctx)
{
  RungStageSlot *slot   = (RungStageSlot *)ctx;
  RungStages     stages = slot->stages;
  PetscInt64     data   = 0;

  PetscFunctionBegin;
  (void)snes, (void)P;
  if (stages->keep) PetscCall(RungSystemGetDataState(stages->stepper->sys, &data)); /* a monitor may change them */
  if (stages->keep && slot->filled && slot->data == data) PetscFunctionReturn(PETSC_SUCCESS);
  slot->data = data;
  ++stages->stepper->statistics.jacobians;
  slot->filled = PETSC_TRUE;
  if (slot->tune && is_other(slot)) {
    PetscCall(tune(slot, w));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (stages->problem == PROBLEM_MATCH) {
    PetscCall(VecWAXPY(stages->at[1], -1, stages->at[0], w));
    PetscCall(RungSystemStageJacobian(stages->stepper->sys, stages->t, (Vec[]){w, stages->at[1]}, slot->slope, J));
  } else
    PetscCall(stage_jacobian(stages, w, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A linear stage J d = F(w) is solved from a guess w that is good already: what counts is the residual against the right-
   hand side of J w* = b, not against F(w).  |J w| is |b| up to the error of the guess. */
static PetscErrorCode set_scale(RungStageSlot *slot, KSP ksp)
{
  PetscReal rtol, size;
  Vec       w;

  PetscFunctionBegin;
  if (!slot->stages->keep || !slot->iterative || slot->affine) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SNESGetSolution(slot->snes, &w));
  PetscCall(MatMult(slot->J, w, slot->stages->r));
  PetscCall(RungSystemZeroCondensed(slot->stages->stepper->sys, slot->stages->r));
  PetscCall(VecNorm(slot->stages->r, NORM_2, &size));
  PetscCall(KSPGetTolerances(ksp, &rtol, NULL, NULL, NULL));
  PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PetscMax(slot->atol, rtol * size), PETSC_CURRENT, PETSC_CURRENT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last step of Newton's method needs no more digits than are left to go. */
static PetscErrorCode set_digits(RungStageSlot *slot, KSP ksp)
{
  const RungStages stages = slot->stages;
  PetscReal        norm, left;

  PetscFunctionBegin;
  if (!slot->lag || stages->stepper->adaptive) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SNESGetFunctionNorm(slot->snes, &norm));
  left = norm > 0 ? PetscMin(LOOSEST, 0.3 * stages->enough / norm) : 0;
  PetscCall(KSPSetTolerances(ksp, PetscMax(slot->rtol, left), PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factors that precondition may be worse than those that solve. */
static PetscErrorCode set_factors(RungStageSlot *slot, KSP ksp)
{
  RungSystem sys = slot->stages->stepper->sys;

  PetscFunctionBegin;
  if (!slot->asked) {
    const RungSolverUse use = slot->lag || slot->stages->keep ? RungStagesUse(slot->stages) : RUNG_SOLVE_ONCE;

    slot->asked = PETSC_TRUE;
    if (!slot->own) PetscCall(RungSystemChooseFactors(sys, use, ksp, &slot->own));
  }
  if (slot->own) PetscCall(RungSystemCheckFactors(sys, ksp, slot->lag ? OWN_NEAR : OWN_EXACT, &slot->own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PCSetUp() works where the matrix has another state than before; this counts by the same rule. */
PetscErrorCode RungStageSlotCountSetUp(KSP ksp, Vec b, Vec x, void *ctx)
{
  RungStageSlot   *slot = (RungStageSlot *)ctx;
  PetscObjectState state;
  PetscBool        reuse;

  PetscFunctionBegin;
  (void)x;
  PetscCall(set_scale(slot, ksp));
  PetscCall(set_digits(slot, ksp));
  PetscCall(RungSystemCondenseRhs(slot->stages->stepper->sys, slot->J, b));
  PetscCall(KSPGetReusePreconditioner(ksp, &reuse));
  if (slot->lag && slot->factored >= 0 && slot->its <= LAG_MOST) {
    reuse = slot->lagged = PETSC_TRUE;
    PetscCall(KSPSetReusePreconditioner(ksp, PETSC_TRUE));
  }
  PetscCall(PetscObjectStateGet((PetscObject)slot->J, &state));
  if (state != slot->factored && !(reuse && slot->factored >= 0)) {
    ++slot->stages->stepper->statistics.factorisations;
    slot->factored = state;
    PetscCall(set_factors(slot, ksp));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode adaptive_test(RungStages stages, SNES snes, PetscInt it, SNESConvergedReason *reason)
{
  RungStepper stepper = stages->stepper;
  PetscReal   step, theta = 0.5; /* theta/(1 - theta) = 1 */
  Vec         d, w;

  PetscFunctionBegin;
  if (stages->cut) {
    stages->step = -1;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(SNESGetSolutionUpdate(snes, &d));
  PetscCall(SNESGetSolution(snes, &w));
  PetscCall(
    RungWeightsMeasure(stepper->weights, &(RungMeasured){.error = {d}, .from = {stages->start}, .to = {w}}, &step));
  if (it > 1 && stages->step > 0) theta = step / stages->step;
  if (theta < 1 && theta / (1 - theta) * step <= NEWTON_KAPPA) *reason = SNES_CONVERGED_SNORM_RELATIVE;
  stages->step = step;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* f <= 4 u |J| |w| */
static PetscErrorCode is_below(SNES snes, PetscReal f, PetscBool *floor)
{
  Mat       J;
  Vec       w;
  PetscReal j, x;

  PetscFunctionBegin;
  PetscCall(SNESGetJacobian(snes, &J, NULL, NULL, NULL));
  PetscCall(SNESGetSolution(snes, &w));
  PetscCall(VecNorm(w, NORM_INFINITY, &x));
  PetscCall(MatNorm(J, NORM_INFINITY, &j));
  *floor = f <= 4 * PETSC_MACHINE_EPSILON * j * x ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |w| in the maximum norm, of what the matrix acts on */
static PetscErrorCode size_of(RungStages stages, Vec w, PetscReal *size)
{
  PetscFunctionBegin;
  if (stages->point) {
    PetscCall(VecCopy(w, stages->r));
    PetscCall(RungSystemZeroCondensed(stages->stepper->sys, stages->r));
    w = stages->r;
  }
  PetscCall(VecNorm(w, NORM_INFINITY, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |F| <= 4 u |J| |w| in the maximum norm: a change of J in its last digits accounts for all of F, Newton cannot do better. */
static PetscErrorCode is_floor(RungStages stages, SNES snes, PetscBool *floor)
{
  Mat       J;
  Vec       w, F;
  PetscReal f, j, x;
  PetscBool known;

  PetscFunctionBegin;
  *floor = PETSC_FALSE;
  PetscCall(SNESGetJacobian(snes, &J, NULL, NULL, NULL));
  PetscCall(MatHasOperation(J, MATOP_NORM, &known)); /* not without entries: then the steps decide */
  if (!known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SNESGetSolution(snes, &w));
  PetscCall(SNESGetFunction(snes, &F, NULL, NULL));
  PetscCall(VecNorm(F, NORM_INFINITY, &f));
  PetscCall(size_of(stages, w, &x));
  PetscCall(MatNorm(J, NORM_INFINITY, &j));
  *floor = f <= 4 * PETSC_MACHINE_EPSILON * j * x ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageSlotConverged(SNES snes, PetscInt it, PetscReal wnorm, PetscReal dnorm, PetscReal fnorm,
                                      SNESConvergedReason *reason, void *ctx)
{
  RungStageSlot *slot   = (RungStageSlot *)ctx;
  RungStages     stages = slot->stages;
  PetscBool      floor  = PETSC_FALSE;
  PetscReal      atol, rtol;
  KSP            ksp;

  PetscFunctionBegin;
  PetscCall(SNESGetTolerances(snes, &atol, &rtol, NULL, NULL, NULL));
  *reason = SNES_CONVERGED_ITERATING;
  PetscCall(SNESGetKSP(snes, &ksp));
  if (it) PetscCall(KSPGetIterationNumber(ksp, &slot->its));
  if (!it) {
    stages->step   = -1;
    stages->first  = PetscMax(fnorm, stages->problem == PROBLEM_STAGE ? stages->scale : 0);
    stages->enough = PetscMax(atol, stages->first * rtol);
  }
  if (stages->bound[0]) /* fnorm is that of what the bounds leave, F itself is not small at them */
    PetscCall(is_below(snes, fnorm, &floor));
  else if (it && !stages->stepper->traits.conserved && fnorm <= NEAR * stages->first)
    PetscCall(is_floor(stages, snes, &floor));
  if (PetscIsInfOrNanReal(fnorm) || PetscIsInfOrNanReal(dnorm))
    *reason = SNES_DIVERGED_FUNCTION_NANORINF;
  else if (fnorm <= atol)
    *reason = SNES_CONVERGED_FNORM_ABS;
  else if (floor || (it && !stages->bound[0] && !stages->cut && dnorm <= RUNG_STAGE_ROUNDING * wnorm))
    *reason = SNES_CONVERGED_SNORM_RELATIVE;
  else if (it && stages->stepper->adaptive && stages->problem == PROBLEM_STAGE) {
    PetscCall(adaptive_test(stages, snes, it, reason));
  } else if (it && fnorm <= stages->enough)
    *reason = SNES_CONVERGED_FNORM_RELATIVE;
  if (it && !*reason && RungStageSlotDiverges(slot, it, dnorm)) *reason = SNES_DIVERGED_DTOL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Converged after all: what is left of the residual is rounding, or a full step would not change w. */
PetscErrorCode RungStagesAreRounded(RungStages stages, SNES snes, Vec w, PetscBool *rounding)
{
  Vec       d;
  PetscReal step, size;

  PetscFunctionBegin;
  PetscCall(is_floor(stages, snes, rounding));
  PetscCall(SNESGetSolutionUpdate(snes, &d));
  if (!d || *rounding || stages->cut) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecNorm(d, NORM_2, &step));
  PetscCall(VecNorm(w, NORM_2, &size));
  *rounding = step <= RUNG_STAGE_ROUNDING * size ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The internal variables that belong to the solution. */
PetscErrorCode RungStagesFinishPoints(RungStages stages, Vec w, RungVerdict *verdict)
{
  PetscBool current, solved = PETSC_TRUE;

  PetscFunctionBegin;
  if (!stages->point || stages->problem != PROBLEM_STAGE) PetscFunctionReturn(PETSC_SUCCESS);
  if (verdict->solved) {
    PetscCall(is_current(stages, w, &current));
    if (!current) PetscCall(solve_points(stages, w, &solved));
    if (solved) PetscCall(VecCopy(stages->point, w));
  }
  if (stages->why[0]) RungVerdictFail(verdict, "%s", stages->why);
  PetscFunctionReturn(PETSC_SUCCESS);
}
