/* stage.c - F on a line plus load = 0: what every implicit method asks for, solved here for all of them.

   A slot owns a matrix and a solver for one set of slopes.  Where the Jacobian is constant a slot's matrix is assembled
   once and its factors stay as long as the slopes do, bit for bit; as many slots as a step has distinct slopes are kept,
   the one unused for longest gives way.  Elsewhere one slot serves all: matrices are assembled anew anyway.

   Newton stops when, with d_k the steps and theta = |d_k|/|d_k-1| (1 for the first),

       fixed step     |F| <= rtol |F_0|  or  |d_k| <= 100 u |w|      rtol 1e-12 (-snes_rtol); 1e-14 with conserved terms
       adaptive step  theta/(1 - theta) |d_k|_WRMS <= 0.01           in the norm of the error test (Hairer and Wanner,
                      or |d_k| <= 100 u |w|                          Solving ODEs II, IV.8)
   both               |F| <= 4 u |J| |w|, except that conserved totals are worth the last digits

   A line search that finds no descent at the level of rounding has converged by the last two rules.

   Internal variables are eliminated: Newton sees F(u, s(u)) and its derivative, with s solved for at every point in each
   evaluation (RungTransientSystemSolveCondensed).  Entries s of w are a guess; a full step moves it along the tangent of
   s(u), and what the last Jacobian's s differed from it is added.  Points that are not solved make F not a number, which the
   line search backs off from.  Linear systems take s from the elimination alone. */
#include "step_impl.h"
#include <petscdmshell.h>
#include <petsc/private/petscimpl.h> /* PetscObjectStateGet */

#define NEWTON_FIXED      25
#define NEWTON_ADAPTIVE   10
#define NEWTON_KAPPA      0.01
#define NEWTON_RTOL       1e-12
#define NEWTON_CONSERVING 1e-14
#define NEAR              1e-6 /* of |F_0|: from here on it pays to ask whether |F| is rounding */
#define ROUNDING          (100 * PETSC_MACHINE_EPSILON)

typedef enum { PROBLEM_STAGE, PROBLEM_MATCH } Problem;

typedef struct {
  PetscReal        slope[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS]; /* that the matrix belongs to */
  PetscBool        filled;    /* the matrix is valid for these slopes, whatever the state          */
  PetscInt         used;      /* clock of the last use                                             */
  Mat              J;         /* owned                                                             */
  SNES             snes;      /* owned                                                             */
  PetscBool        iterative; /* the residual of the linear solver is measured in the Euclidean norm */
  PetscReal        atol;      /* of the linear solver, as options left it                         */
  PetscObjectState factored;  /* state of J at the last set-up of the preconditioner               */
  RungStages       stages;    /* lent                                                              */
} Slot;

struct _RungStages {
  RungStepper stepper; /* lent */
  PetscBool   keep;    /* the Jacobian is constant                                                */
  PetscInt    n, clock;
  Slot       *slot;     /* owned, [n]                                                                */
  Slot       *last;     /* whose matrix was used last                                                */
  Slot       *match;    /* owned, for RungStageMatch(); NULL where stepper->matches is false                    */
  Vec         r;        /* owned, residual                                                           */
  Vec         point;    /* owned, w with internal variables solved for; NULL without                 */
  Vec         shift;    /* owned, point - w at the last Jacobian                                     */
  char        why[200]; /* internal variables were not solved for; "" if they were                   */
  Vec         bound[2]; /* owned, lower and upper bounds of w; NULL without                          */
  /* the problem being solved, all lent */
  Problem         problem;
  PetscReal       t;
  const RungLine *line;
  Vec             load, start;            /* start: what the first step is measured from                     */
  Vec             at[RUNG_MAX_ORDER + 1]; /* match: u, w - u; owned                               */
  Vec             target;
  PetscReal       step;   /* |d_k-1|_WRMS, negative before the first                              */
  PetscReal       first;  /* |F_0|                                                                */
  PetscReal       enough; /* size of F that has converged                                         */
};

void RungVerdictFail(RungVerdict *verdict, const char format[], ...)
{
  va_list arguments;

  va_start(arguments, format);
  (void)vsnprintf(verdict->why, sizeof verdict->why, format, arguments);
  va_end(arguments);
  verdict->solved = PETSC_FALSE;
}

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

static PetscErrorCode residual(SNES snes, Vec w, Vec r, void *ctx)
{
  RungStages stages = ((Slot *)ctx)->stages;

  PetscFunctionBegin;
  (void)snes;
  ++stages->stepper->statistics.residuals;
  if (stages->problem == PROBLEM_MATCH)
    PetscCall(match_residual(stages, w, r));
  else if (stages->point)
    PetscCall(condensed_residual(stages, w, r));
  else
    PetscCall(RungTransientSystemResidual(stages->stepper->ts, stages->t, stages->line, stages->load, w, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The derivative of F(u, s(u)) at the s that the residual found. */
static PetscErrorCode stage_jacobian(RungStages stages, Vec w, Mat J)
{
  PetscBool current, solved;
  Vec       at = stages->point ? stages->point : w;

  PetscFunctionBegin;
  if (stages->point) {
    PetscCall(is_current(stages, w, &current));
    if (!current) PetscCall(solve_points(stages, w, &solved));
    PetscCall(VecWAXPY(stages->shift, -1, w, stages->point));
  }
  PetscCall(RungTransientSystemStageJacobian(stages->stepper->ts, stages->t, stages->line, at, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode jacobian(SNES snes, Vec w, Mat J, Mat P, void *ctx)
{
  Slot      *slot   = (Slot *)ctx;
  RungStages stages = slot->stages;

  PetscFunctionBegin;
  (void)snes, (void)P;
  if (stages->keep && slot->filled) PetscFunctionReturn(PETSC_SUCCESS);
  ++stages->stepper->statistics.jacobians;
  if (stages->problem == PROBLEM_MATCH) {
    PetscCall(VecWAXPY(stages->at[1], -1, stages->at[0], w));
    PetscCall(RungSystemStageJacobian(stages->stepper->sys, stages->t, (Vec[]){w, stages->at[1]}, slot->slope, J));
  } else
    PetscCall(stage_jacobian(stages, w, J));
  slot->filled = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A linear stage J d = F(w) is solved from a guess w that is good already: what counts is the residual against the right-
   hand side of J w* = b, not against F(w).  |J w| is |b| up to the error of the guess. */
static PetscErrorCode set_scale(Slot *slot, KSP ksp)
{
  PetscReal rtol, size;
  Vec       w;

  PetscFunctionBegin;
  if (!slot->stages->keep || !slot->iterative) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SNESGetSolution(slot->snes, &w));
  PetscCall(MatMult(slot->J, w, slot->stages->r));
  PetscCall(RungSystemZeroCondensed(slot->stages->stepper->sys, slot->stages->r));
  PetscCall(VecNorm(slot->stages->r, NORM_2, &size));
  PetscCall(KSPGetTolerances(ksp, &rtol, NULL, NULL, NULL));
  PetscCall(KSPSetTolerances(ksp, PETSC_DEFAULT, PetscMax(slot->atol, rtol * size), PETSC_DEFAULT, PETSC_DEFAULT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PCSetUp() works where the matrix has another state than before; this counts by the same rule. */
static PetscErrorCode count_setup(KSP ksp, Vec b, Vec x, void *ctx)
{
  Slot            *slot = (Slot *)ctx;
  PetscObjectState state;
  PetscBool        reuse;

  PetscFunctionBegin;
  (void)x;
  PetscCall(set_scale(slot, ksp));
  PetscCall(RungSystemCondenseRhs(slot->stages->stepper->sys, slot->J, b));
  PetscCall(KSPGetReusePreconditioner(ksp, &reuse));
  PetscCall(PetscObjectStateGet((PetscObject)slot->J, &state));
  if (state != slot->factored && !(reuse && slot->factored >= 0)) {
    ++slot->stages->stepper->statistics.factorisations;
    slot->factored = state;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode adaptive_test(RungStages stages, SNES snes, PetscInt it, SNESConvergedReason *reason)
{
  RungStepper stepper = stages->stepper;
  PetscReal   step, theta = 0.5; /* theta/(1 - theta) = 1 */
  Vec         d;

  PetscFunctionBegin;
  PetscCall(SNESGetSolutionUpdate(snes, &d));
  PetscCall(RungErrorNorm(stepper, d, stages->start, NULL, stepper->atol, NULL, &step));
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

static PetscErrorCode converged(SNES snes, PetscInt it, PetscReal wnorm, PetscReal dnorm, PetscReal fnorm,
                                SNESConvergedReason *reason, void *ctx)
{
  RungStages stages = ((Slot *)ctx)->stages;
  PetscBool  floor  = PETSC_FALSE;
  PetscReal  atol, rtol;

  PetscFunctionBegin;
  PetscCall(SNESGetTolerances(snes, &atol, &rtol, NULL, NULL, NULL));
  *reason = SNES_CONVERGED_ITERATING;
  if (!it) {
    stages->step   = -1;
    stages->enough = PetscMax(atol, fnorm * rtol);
    stages->first  = fnorm;
  }
  if (stages->bound[0]) /* fnorm is that of what the bounds leave, F itself is not small at them */
    PetscCall(is_below(snes, fnorm, &floor));
  else if (it && !stages->stepper->traits.conserved && fnorm <= NEAR * stages->first)
    PetscCall(is_floor(stages, snes, &floor));
  if (PetscIsInfOrNanReal(fnorm))
    *reason = SNES_DIVERGED_FNORM_NAN;
  else if (fnorm <= atol)
    *reason = SNES_CONVERGED_FNORM_ABS;
  else if (floor || (it && !stages->bound[0] && dnorm <= ROUNDING * wnorm))
    *reason = SNES_CONVERGED_SNORM_RELATIVE;
  else if (it && stages->stepper->adaptive && stages->problem == PROBLEM_STAGE) {
    PetscCall(adaptive_test(stages, snes, it, reason));
  } else if (it && fnorm <= stages->enough)
    *reason = SNES_CONVERGED_FNORM_RELATIVE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* Linear systems: one solve to the accuracy of the step.  Others: full Newton with a backtracking line search. */
static PetscErrorCode set_defaults(RungStages stages, SNES snes)
{
  RungStepper     stepper = stages->stepper;
  const PetscReal rtol    = stepper->traits.conserved ? NEWTON_CONSERVING : NEWTON_RTOL;
  KSP             ksp;
  SNESLineSearch  search;

  PetscFunctionBegin;
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(RungSystemSetSolverDefaults(stepper->sys, ksp, stages->keep));
  PetscCall(KSPSetReusePreconditioner(ksp, PETSC_FALSE)); /* the state of the matrix decides */
  if (stepper->adaptive) {
    PetscCall(KSPSetTolerances(ksp, PetscMax(1e-12, PetscMin(1e-6, 1e-3 * stepper->rtol)), PETSC_DEFAULT, PETSC_DEFAULT,
                               PETSC_DEFAULT));
  }
  PetscCall(SNESSetType(snes, stages->bound[0]         ? SNESVINEWTONRSLS
                              : stepper->traits.linear ? SNESKSPONLY
                                                       : SNESNEWTONLS));
  if (!stepper->traits.linear) {
    PetscCall(SNESGetLineSearch(snes, &search));
    PetscCall(SNESLineSearchSetType(search, SNESLINESEARCHBT));
  }
  PetscCall(SNESSetTolerances(snes, 0, rtol, 0, stepper->adaptive ? NEWTON_ADAPTIVE : NEWTON_FIXED, 10000));
  PetscCall(SNESSetErrorIfNotConverged(snes, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_slot(RungStages stages, PetscBool match, Slot *slot)
{
  KSPNormType norm;
  KSP         ksp;

  PetscFunctionBegin;
  slot->stages   = stages;
  slot->factored = -1;
  if (match)
    PetscCall(RungSystemCreateMat(stages->stepper->sys, &slot->J));
  else
    PetscCall(RungSystemCreateStageMat(stages->stepper->sys, &slot->J));
  PetscCall(SNESCreate(stages->stepper->comm, &slot->snes));
  PetscCall(SNESSetFunction(slot->snes, NULL, residual, slot));
  PetscCall(SNESSetJacobian(slot->snes, slot->J, slot->J, jacobian, slot));
  PetscCall(set_defaults(stages, slot->snes));
  PetscCall(SNESSetConvergenceTest(slot->snes, converged, slot, NULL));
  PetscCall(SNESSetFromOptions(slot->snes));
  if (stages->bound[0]) { /* the reduced space asks the solver's shell for vectors */
    DM shell;

    PetscCall(SNESGetDM(slot->snes, &shell));
    PetscCall(DMShellSetGlobalVector(shell, stages->r));
  }
  PetscCall(SNESGetKSP(slot->snes, &ksp));
  PetscCall(RungSystemCheckSolver(stages->stepper->sys, ksp));
  PetscCall(KSPSetPreSolve(ksp, count_setup, slot));
  PetscCall(KSPGetTolerances(ksp, NULL, &slot->atol, NULL, NULL));
  PetscCall(KSPGetNormType(ksp, &norm));
  slot->iterative = norm == KSP_NORM_UNPRECONDITIONED ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_slot(Slot *slot)
{
  PetscFunctionBegin;
  PetscCall(SNESDestroy(&slot->snes));
  PetscCall(MatDestroy(&slot->J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Its matrix has slope 1 on rates and conserved terms and none on values. */
static PetscErrorCode create_match(RungStages stages)
{
  RungStepper stepper = stages->stepper;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(1, &stages->match));
  PetscCall(create_slot(stages, PETSC_TRUE, stages->match));
  for (PetscInt f = 0; f < stepper->traits.unknowns; ++f) stages->match->slope[stepper->traits.unknowns + f] = 1;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(RungSystemCreateVec(stepper->sys, &stages->at[k]));
  PetscCall(RungSystemCreateVec(stepper->sys, &stages->target));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStagesCreate(RungStepper stepper, PetscInt matrices, RungStages *created)
{
  RungStages stages;
  PetscBool  bounded, condensed;

  PetscFunctionBegin;
  PetscCall(PetscNew(&stages));
  *created        = stages;
  stages->stepper = stepper;
  stages->keep    = stepper->traits.linear && stepper->traits.constant_jacobian ? PETSC_TRUE : PETSC_FALSE;
  stages->n       = stages->keep ? PetscMax(1, matrices) : 1;
  PetscCall(RungSystemCreateVec(stepper->sys, &stages->r));
  PetscCall(RungSystemHasBounds(stepper->sys, &bounded));
  for (int side = 0; side < 2 && bounded; ++side) PetscCall(VecDuplicate(stages->r, &stages->bound[side]));
  PetscCall(PetscCalloc1(stages->n, &stages->slot));
  PetscCall(RungSystemGetCondensed(stepper->sys, &condensed));
  if (condensed && !stepper->traits.linear) {
    PetscCall(VecDuplicate(stages->r, &stages->point));
    PetscCall(VecDuplicate(stages->r, &stages->shift));
  }
  for (PetscInt i = 0; i < stages->n; ++i) PetscCall(create_slot(stages, PETSC_FALSE, &stages->slot[i]));
  if (stepper->matches) PetscCall(create_match(stages));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStagesDestroy(RungStages *destroyed)
{
  RungStages stages = *destroyed;

  PetscFunctionBegin;
  if (!stages) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < stages->n; ++i) PetscCall(destroy_slot(&stages->slot[i]));
  if (stages->match) PetscCall(destroy_slot(stages->match));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&stages->at[k]));
  PetscCall(VecDestroy(&stages->target));
  PetscCall(VecDestroy(&stages->r));
  PetscCall(VecDestroy(&stages->point));
  PetscCall(VecDestroy(&stages->shift));
  for (int side = 0; side < 2; ++side) PetscCall(VecDestroy(&stages->bound[side]));
  PetscCall(PetscFree(stages->match));
  PetscCall(PetscFree(stages->slot));
  PetscCall(PetscFree(*destroyed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStagesForget(RungStepper stepper)
{
  RungStages stages = stepper->stages;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < stages->n; ++i) {
    stages->slot[i].filled = PETSC_FALSE;
    stages->slot[i].used   = 0;
  }
  if (stages->match) stages->match->filled = PETSC_FALSE;
  stages->clock = 0;
  stages->last  = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- solve ------------------------------------------------------------------------------------------------------ */

static PetscInt slope_count(RungStages stages)
{
  return (stages->stepper->traits.order + 1) * stages->stepper->traits.unknowns;
}

/* The slot of these slopes; else the one unused for longest, which is told to assemble. */
static Slot *find_slot(RungStages stages, const PetscReal slope[])
{
  const size_t size = (size_t)slope_count(stages) * sizeof(PetscReal);
  Slot        *best = &stages->slot[0];

  for (PetscInt i = 0; i < stages->n; ++i) {
    Slot *slot = &stages->slot[i];

    if (slot->filled && !memcmp(slot->slope, slope, size)) {
      best = slot;
      break;
    }
    if (slot->used < best->used) best = slot;
  }
  if (memcmp(best->slope, slope, size) != 0) best->filled = PETSC_FALSE;
  memcpy(best->slope, slope, size);
  best->used = ++stages->clock;
  return best;
}

/* Converged after all: what is left of the residual is rounding, or a full step would not change w. */
static PetscErrorCode is_rounding(RungStages stages, SNES snes, Vec w, PetscBool *rounding)
{
  Vec       d;
  PetscReal step, size;

  PetscFunctionBegin;
  PetscCall(is_floor(stages, snes, rounding));
  PetscCall(SNESGetSolutionUpdate(snes, &d));
  if (!d || *rounding) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecNorm(d, NORM_2, &step));
  PetscCall(VecNorm(w, NORM_2, &size));
  *rounding = step <= ROUNDING * size ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode explain(SNES snes, SNESConvergedReason reason, RungVerdict *verdict)
{
  KSP                ksp;
  KSPConvergedReason linear;
  PetscReal          norm;
  PetscInt           its;

  PetscFunctionBegin;
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPGetConvergedReason(ksp, &linear));
  PetscCall(SNESGetFunctionNorm(snes, &norm));
  if (reason == SNES_DIVERGED_LINEAR_SOLVE && linear == KSP_DIVERGED_PC_FAILED) {
    RungVerdictFail(verdict, "the Jacobian is singular, or the preconditioner cannot be set up");
  } else if (reason == SNES_DIVERGED_LINEAR_SOLVE) {
    PetscCall(KSPGetIterationNumber(ksp, &its));
    RungVerdictFail(verdict, "the linear solver gave up after %ld iterations (%s)", (long)its,
                    KSPConvergedReasons[linear]);
  } else if (reason == SNES_DIVERGED_FNORM_NAN || reason == SNES_DIVERGED_FUNCTION_DOMAIN ||
             PetscIsInfOrNanReal(norm)) {
    RungVerdictFail(verdict, "the residual is not finite");
  } else if (reason == SNES_DIVERGED_MAX_IT) {
    PetscCall(SNESGetIterationNumber(snes, &its));
    RungVerdictFail(verdict, "Newton did not converge in %ld iterations (|F| = %.1e)", (long)its, (double)norm);
  } else if (reason == SNES_DIVERGED_LINE_SEARCH) {
    RungVerdictFail(verdict, "Newton found no descent (|F| = %.1e)", (double)norm);
  } else
    RungVerdictFail(verdict, "Newton diverged (|F| = %.1e, %s)", (double)norm, SNESConvergedReasons[reason]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bounds of w from those of u = base + w at time t. */
static PetscErrorCode set_bounds(RungStages stages, SNES snes)
{
  RungStepper stepper = stages->stepper;

  PetscFunctionBegin;
  if (!stages->bound[0]) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = 0; f < stepper->traits.unknowns; ++f) {
    PetscCheck(stages->problem == PROBLEM_STAGE && stages->line->slope[f] == 1, stepper->comm, PETSC_ERR_SUP,
               "stepper \"%s\" does not solve for values at the end of its stages, which bounds on unknowns want; try "
               "-stepper_type bdf",
               stepper->type);
  }
  PetscCall(RungSystemGetBounds(stepper->sys, stages->t, stages->bound[0], stages->bound[1]));
  for (int side = 0; side < 2 && stages->line->base[0]; ++side)
    PetscCall(VecAXPY(stages->bound[side], -1, stages->line->base[0]));
  PetscCall(SNESVISetVariableBounds(snes, stages->bound[0], stages->bound[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The internal variables that belong to the solution. */
static PetscErrorCode finish_points(RungStages stages, Vec w, RungVerdict *verdict)
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

static PetscErrorCode solve(RungStages stages, Slot *slot, Vec w, RungVerdict *verdict)
{
  RungStepper         stepper = stages->stepper;
  SNESConvergedReason reason;
  PetscBool           rounding = PETSC_FALSE;
  PetscReal           norm;
  PetscInt            its;

  PetscFunctionBegin;
  stages->last = slot;
  PetscCall(set_bounds(stages, slot->snes));
  if (stages->point) PetscCall(VecZeroEntries(stages->shift));
  stages->why[0] = 0;
  PetscCall(SNESSolve(slot->snes, NULL, w));
  PetscCall(SNESGetConvergedReason(slot->snes, &reason));
  PetscCall(SNESGetLinearSolveIterations(slot->snes, &its));
  stepper->statistics.linear += its;
  PetscCall(SNESGetIterationNumber(slot->snes, &its));
  stepper->statistics.newton += its;
  verdict->solved = PETSC_TRUE;
  if (reason == SNES_DIVERGED_LINE_SEARCH || reason == SNES_DIVERGED_MAX_IT)
    PetscCall(is_rounding(stages, slot->snes, w, &rounding));
  if (reason < 0 && !rounding) PetscCall(explain(slot->snes, reason, verdict));
  PetscCall(finish_points(stages, w, verdict));
  PetscCall(VecNorm(w, NORM_2, &norm)); /* one linear solve is not looked at by the solver */
  if (verdict->solved && PetscIsInfOrNanReal(norm)) RungVerdictFail(verdict, "the residual is not finite");
  if (!verdict->solved) slot->filled = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageSolve(RungStepper stepper, PetscReal t, const RungLine *line, Vec load, Vec w,
                              RungVerdict *verdict)
{
  RungStages stages = stepper->stages;

  PetscFunctionBegin;
  stages->problem = PROBLEM_STAGE;
  stages->t       = t;
  stages->line    = line;
  stages->load    = load;
  if (stepper->adaptive) {
    const RungState *from;

    PetscCall(RungTransientSystemGetState(stepper->ts, 0, &from));
    stages->start = from->u[0];
  }
  PetscCall(solve(stages, find_slot(stages, line->slope), w, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageGetSNES(RungStepper stepper, SNES *snes)
{
  PetscFunctionBegin;
  *snes = stepper->stages->slot[0].snes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageApply(RungStepper stepper, Vec b, Vec x, RungVerdict *verdict)
{
  KSP                ksp;
  KSPConvergedReason reason;
  PetscInt           its;

  PetscFunctionBegin;
  PetscCall(SNESGetKSP(stepper->stages->last->snes, &ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  stepper->statistics.linear += its;
  if (reason < 0)
    RungVerdictFail(verdict, "the linear solver gave up on the error estimate (%s)", KSPConvergedReasons[reason]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageMatch(RungStepper stepper, PetscReal t, Vec u, Vec target, Vec w, RungVerdict *verdict)
{
  RungStages     stages = stepper->stages;
  const RungLine rest   = {.base = {stages->at[0], stages->at[1], NULL}};

  PetscFunctionBegin;
  stages->problem = PROBLEM_MATCH;
  stages->t       = t;
  PetscCall(VecCopy(u, stages->at[0]));
  PetscCall(VecZeroEntries(stages->at[1]));
  PetscCall(RungTransientSystemResidual(stepper->ts, t, &rest, NULL, w, stages->target));
  PetscCall(VecAXPBY(stages->target, -1, -1, target)); /* -R(t, u, 0) - target */
  stages->load = stages->target;
  PetscCall(solve(stages, stages->match, w, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}
