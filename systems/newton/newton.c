/* newton.c - what the solver of a stage calls: F and its derivative.  When it is done is told in newton_stop.c.

   Internal variables are eliminated: Newton sees F(u, s(u)) and its derivative, with s solved for at every point in each
   evaluation (RungTransientSystemSolveCondensed).  Entries s of w are a guess; a full step moves it along the tangent of
   s(u), and what the last Jacobian's s differed from it is added.  Points that are not solved make F not a number, and the
   step is cut (newton_domain.c).  Linear systems take s from the elimination alone. */
#include "line_solver_impl.h"
#include "solver_impl.h"
#include <petsc/private/kspimpl.h> /* what is called behind a solve */

#define LAG_MOST  6     /* iterations with old factors after which new ones pay */
#define OWN_WORTH 0.08  /* sweeps that a factorisation takes the time of, times n/nz: 9 where nz/n = 111 */
#define RATES     1e-8  /* the same of increments that are small beside values */
#define LOOSEST   0.1   /* tolerance of a linear solve */
#define LOST      1e-8  /* share of |b| of equations that a linear solve with old factors does not see */
#define OWN_EXACT 1e-14 /* backward error of factors without pivots, for linear systems */
#define OWN_NEAR  1e-9  /* where an iteration does the rest */

/* ---- what the solver calls -------------------------------------------------------------------------------------- */

/* Does solver->point have the values of w outside internal variables? */
static PetscErrorCode is_current(RungLineSolver solver, Vec w, PetscBool *current)
{
  PetscReal distance;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(solver->r, -1, w, solver->point));
  PetscCall(RungSystemZeroCondensed(solver->sys, solver->r));
  PetscCall(VecNorm(solver->r, NORM_INFINITY, &distance));
  *current = distance == 0 && !solver->why[0] ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* solver->point = w with internal variables solved for, or solver->why */
static PetscErrorCode solve_points(RungLineSolver solver, Vec w, PetscBool *solved)
{
  PetscFunctionBegin;
  solver->why[0] = 0;
  PetscCall(VecWAXPY(solver->point, 1, solver->shift, w));
  PetscCall(RungTransientSystemSolveCondensed(solver->ts, solver->t, solver->line, solver->load, solver->point, solved,
                                              solver->why, sizeof solver->why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode condensed_residual(RungLineSolver solver, Vec w, Vec r)
{
  PetscBool solved;

  PetscFunctionBegin;
  PetscCall(solve_points(solver, w, &solved));
  if (!solved) {
    PetscCall(VecSet(r, NAN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungTransientSystemResidual(solver->ts, solver->t, solver->line, solver->load, solver->point, r));
  PetscCall(RungSystemZeroCondensed(solver->sys, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineSolverFollow(RungLineSolver solver, Vec w, Vec *at)
{
  PetscFunctionBegin;
  *at = w;
  if (!solver->followed) PetscFunctionReturn(PETSC_SUCCESS);
  *at = solver->followed;
  PetscCall(VecWAXPY(*at, -1, solver->guess, w)); /* 0 for slaves: their rows are those of the identity */
  PetscCall(RungSystemExtend(solver->sys, *at));
  PetscCall(VecAXPY(*at, 1, solver->guess));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonResidual(SNES snes, Vec w, Vec r, void *ctx)
{
  RungLineSolver solver = ((RungLineSlot *)ctx)->solver;
  PetscBool      known;
  Vec            at;

  PetscFunctionBegin;
  (void)snes;
  PetscCall(RungNewtonRecall(solver, w, r, &known));
  if (known) PetscFunctionReturn(PETSC_SUCCESS);
  ++solver->counts.residuals;
  if (solver->problem == PROBLEM_GIVEN)
    PetscCall(solver->given->residual(solver->given->ctx, w, r));
  else if (solver->point)
    PetscCall(condensed_residual(solver, w, r));
  else {
    PetscCall(RungLineSolverFollow(solver, w, &at));
    PetscCall(RungTransientSystemResidual(solver->ts, solver->t, solver->line, solver->load, at, r));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The derivative of F(u, s(u)) at the s that the residual found. */
static PetscErrorCode line_jacobian(RungLineSolver solver, Vec w, Mat J)
{
  PetscBool current, solved;
  Vec       at;

  PetscFunctionBegin;
  PetscCall(RungLineSolverFollow(solver, w, &at));
  if (solver->point) {
    at = solver->point;
    PetscCall(is_current(solver, w, &current));
    if (!current) PetscCall(solve_points(solver, w, &solved));
    PetscCall(VecWAXPY(solver->shift, -1, w, solver->point));
  }
  PetscCall(RungTransientSystemStageJacobian(solver->ts, solver->t, solver->line, at, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RungLineHighest(const RungLineSlot *slot)
{
  const RungTraits *traits = &slot->solver->traits;
  PetscInt          i      = (traits->order + 1) * traits->unknowns - 1;

  while (i > 0 && slot->slope[i] == 0) --i;
  return i;
}

/* Steps that are four times as long ask for another preconditioner, perhaps. */
static PetscBool is_other(const RungLineSlot *slot)
{
  const PetscReal slope = slot->slope[RungLineHighest(slot)];

  return slope < slot->tuned / 4 || slope > slot->tuned * 4 ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode tune(RungLineSlot *slot, Vec w)
{
  RungLineSolver solver = slot->solver;
  KSP            ksp;

  PetscFunctionBegin;
  PetscCall(SNESGetKSP(slot->snes, &ksp));
  slot->asked = slot->own = PETSC_FALSE;
  PetscCall(RungTransientSystemTuneSolver(solver->ts, solver->t, solver->line, w, &slot->J, ksp));
  PetscCall(KSPSetTolerances(ksp, slot->rtol, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT)); /* that of the step */
  PetscCall(SNESSetJacobian(slot->snes, slot->J, slot->J, RungNewtonJacobian, slot)); /* it may be another matrix */
  slot->tuned = slot->slope[RungLineHighest(slot)];
  PetscCall(RungLineChoosePath(slot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonJacobian(SNES snes, Vec w, Mat J, Mat P, void *ctx)
{
  RungLineSlot  *slot   = (RungLineSlot *)ctx;
  RungLineSolver solver = slot->solver;
  PetscInt64     data   = 0;
  PetscLogDouble mark;

  PetscFunctionBegin;
  (void)snes, (void)P;
  if (solver->keep) PetscCall(RungSystemGetDataState(solver->sys, &data)); /* a monitor may change them */
  if (solver->keep && slot->filled && slot->data == data) PetscFunctionReturn(PETSC_SUCCESS);
  if (slot->given && slot->filled &&
      (slot->current || slot->given->constant || (slot->given->lasting && solver->stop.fast))) {
    slot->current = PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  slot->data = data;
  PetscCall(RungLineClock(&mark, NULL));
  ++solver->counts.jacobians;
  slot->filled = PETSC_TRUE;
  PetscCall(PetscArraycpy(slot->made, slot->slope, sizeof slot->made / sizeof slot->made[0]));
  if (slot->tune && is_other(slot))
    PetscCall(tune(slot, w));
  else if (slot->given)
    PetscCall(slot->given->jacobian(slot->given->ctx, w, J));
  else
    PetscCall(line_jacobian(solver, w, J));
  PetscCall(RungLineClock(&mark, &solver->counts.assembly));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A linear stage J d = F(w) is solved from a guess w that is good already: what counts is the residual against the right-
   hand side of J w* = b, not against F(w).  |J w| is |b| up to the error of the guess.  Given entries, whose rows are those of the identity,
   have no part in it: beside rows of small cells or coefficients their values would be all of it. */
static PetscErrorCode set_scale(RungLineSlot *slot, KSP ksp)
{
  const PetscBool small = slot->solver->small;
  PetscReal       rtol, size;
  Vec             w;

  PetscFunctionBegin;
  if (!slot->solver->keep || !slot->iterative || (slot->affine && !small)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SNESGetSolution(slot->snes, &w));
  if (!small) PetscCall(RungLineValue(slot->solver, w, &w));
  PetscCall(MatMult(slot->J, w, slot->solver->r));
  PetscCall(RungSystemZeroCondensed(slot->solver->sys, slot->solver->r));
  PetscCall(RungSystemZeroDirichlet(slot->solver->sys, slot->solver->r));
  PetscCall(VecNorm(slot->solver->r, NORM_2, &size));
  PetscCall(KSPGetTolerances(ksp, &rtol, NULL, NULL, NULL));
  if (small) rtol = PetscMax(rtol, RATES);
  PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PetscMax(slot->atol, rtol * size), PETSC_CURRENT, PETSC_CURRENT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  void    *test; /* owned, that of KSPConvergedDefault() */
  PetscInt most;
} Sweeps;

static PetscErrorCode test_sweeps(KSP ksp, PetscInt it, PetscReal norm, KSPConvergedReason *reason, void *ctx)
{
  const Sweeps *sweeps = (const Sweeps *)ctx;

  PetscFunctionBegin;
  PetscCall(KSPConvergedDefault(ksp, it, norm, reason, sweeps->test));
  if (*reason == KSP_CONVERGED_ITERATING && it >= sweeps->most) *reason = KSP_CONVERGED_ITS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_sweeps(void *ctx)
{
  Sweeps *sweeps = (Sweeps *)ctx;

  PetscFunctionBegin;
  PetscCall(KSPConvergedDefaultDestroy(sweeps->test));
  PetscCall(PetscFree(sweeps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonLimitSweeps(KSP ksp, PetscInt most)
{
  static const char *const option[] = {"-ksp_convergence_test"};
  Sweeps                  *sweeps;
  PetscBool                given;

  PetscFunctionBegin;
  PetscCall(RungSolverIsGiven(ksp, 1, option, &given));
  if (given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&sweeps));
  PetscCall(KSPConvergedDefaultCreate(&sweeps->test));
  sweeps->most = most;
  PetscCall(KSPSetConvergenceTest(ksp, test_sweeps, sweeps, destroy_sweeps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What |F| of the equations of a given F that are on their way has to come to. */
static PetscReal given_enough(const RungLineSolver solver)
{
  PetscReal least = PETSC_MAX_REAL;

  for (PetscInt f = 0; f < solver->traits.unknowns; ++f)
    if (solver->stop.F[f] > solver->given->rounding[f]) least = PetscMin(least, solver->given->rounding[f]);
  return PetscMax(solver->enough, least < PETSC_MAX_REAL ? least : 0);
}

/* The last step of Newton's method needs no more digits than are left to go, in each equation that is on its way.
   The linear solver sees b as a whole: an equation that is lost in the rounding of the others is seen by factors
   alone, and they have to be those of this matrix. */
static PetscErrorCode set_digits(RungLineSlot *slot, KSP ksp, Vec b)
{
  const RungLineSolver  solver = slot->solver;
  const RungNewtonStop *stop   = &solver->stop;
  PetscReal             norm, rtol, rounding[RUNG_MAX_UNKNOWNS], least = LOOSEST;
  PetscBool             known = PETSC_FALSE;
  Vec                   w;

  PetscFunctionBegin;
  slot->lost = PETSC_FALSE;
  if (!slot->lag || solver->adaptive) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecNorm(b, NORM_2, &norm));
  PetscCall(SNESGetTolerances(slot->snes, NULL, &rtol, NULL, NULL, NULL));
  PetscCall(SNESGetSolution(slot->snes, &w));
  if (solver->problem == PROBLEM_GIVEN) /* its equations are scaled to be alike where factors are old */
    least = norm > 0 ? PetscMax(slot->rtol, PetscMin(LOOSEST, 0.3 * given_enough(solver) / norm)) : slot->rtol;
  for (PetscInt f = 0; solver->problem == PROBLEM_LINE && f < solver->traits.unknowns; ++f) {
    const PetscReal enough = solver->bound[0] ? solver->enough : rtol * stop->first[f];

    if (!(stop->F[f] > enough)) continue;
    if (stop->F[f] < LOST * norm && !known) {
      PetscCall(RungNewtonRounding(solver, slot->J, w, rounding));
      known = PETSC_TRUE;
    }
    if (stop->F[f] >= LOST * norm)
      least = PetscMin(least, PetscMax(slot->rtol, PetscMin(LOOSEST, 0.3 * enough / stop->F[f])) * stop->F[f] / norm);
    else if (stop->F[f] > rounding[f])
      slot->lost = PETSC_TRUE;
  }
  PetscCall(KSPSetTolerances(ksp, least, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factors that precondition may be worse than those that solve. */
static PetscErrorCode set_factors(RungLineSlot *slot, KSP ksp)
{
  RungSystem sys = slot->solver->sys;

  PetscFunctionBegin;
  PetscCall(RungSolverScalePivot(ksp, slot->J));
  if (!slot->asked) {
    const RungLineSolver solver = slot->solver;
    const PetscBool      stays  = slot->lag || solver->keep || solver->masses ? PETSC_TRUE : PETSC_FALSE;
    const RungSolverUse  use    = stays ? RungLineSolverUse(solver) : RUNG_SOLVE_ONCE;

    slot->asked = PETSC_TRUE;
    if (!slot->own) {
      PetscCall(RungSystemChooseFactors(sys, use, ksp, &slot->own));
      slot->worth = OWN_WORTH * sys->factors / (PetscReal)PetscMax(1, sys->global);
    }
  }
  if (slot->own) PetscCall(RungSystemCheckFactors(sys, ksp, slot->lag ? OWN_NEAR : OWN_EXACT, &slot->own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Do old factors still pay?  Iterations beyond the first of a solve are what they cost; own factors are made anew when the sum of these
   has reached what others cost. */
static PetscBool still_pays(const RungLineSlot *slot)
{
  return slot->its <= LAG_MOST && !(slot->own && slot->extra > slot->worth) ? PETSC_TRUE : PETSC_FALSE;
}

/* PCSetUp() works where the matrix has another state than before; this counts by the same rule.  KSPSolve() finds it done. */
PetscErrorCode RungNewtonSetUp(RungLineSlot *slot, KSP ksp)
{
  PetscObjectState state;
  PetscBool        reuse;
  PetscLogDouble   mark;

  PetscFunctionBegin;
  PetscCall(RungLineClock(&mark, NULL));
  PetscCall(KSPGetReusePreconditioner(ksp, &reuse));
  if (slot->lag && !slot->lost && slot->factored >= 0 && still_pays(slot)) {
    reuse = slot->lagged = PETSC_TRUE;
    PetscCall(KSPSetReusePreconditioner(ksp, PETSC_TRUE));
  }
  PetscCall(PetscObjectStateGet((PetscObject)slot->J, &state));
  if (state != slot->factored && !(reuse && slot->factored >= 0)) {
    ++slot->solver->counts.factorisations;
    slot->factored = state;
    slot->extra    = 0;
    PetscCall(RungLineThinFollow(slot, ksp));
    PetscCall(RungSolverReconsider(ksp, slot->J));
    PetscCall(set_factors(slot, ksp));
    PetscCall(RungSolverBalance(slot->solver->sys, ksp));
    PetscCall(RungSolverSetUp(ksp, slot->J));
    PetscCall(RungLineClock(&mark, &slot->solver->counts.factorisation));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A right-hand side without a guess: the tolerances are those of the solver. */
static PetscErrorCode set_plain(RungLineSlot *slot, KSP ksp)
{
  const RungLineSolver solver = slot->solver;
  const PetscReal      rtol   = solver->plain > 0  ? PetscMax(solver->plain, slot->rtol)
                                : solver->adaptive ? slot->plain
                                                   : PetscMin(slot->rtol, RUNG_KSP_RTOL);

  PetscFunctionBegin;
  PetscCall(KSPSetTolerances(ksp, rtol, slot->atol, PETSC_CURRENT, PETSC_CURRENT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Behind each linear solve: what the solver does there by itself, and the clock. */
static PetscErrorCode count_solve(KSP ksp, Vec b, Vec x, void *ctx)
{
  RungLineSlot  *slot   = (RungLineSlot *)ctx;
  RungLineSolver solver = slot->solver;
  PetscInt       its;

  PetscFunctionBegin;
  PetscCall(KSPGetIterationNumber(ksp, &its));
  slot->extra += PetscMax(0, its - 1);
  if (slot->after) PetscCall((*slot->after)(ksp, b, x, slot->after_ctx));
  PetscCall(RungLineClock(&solver->mark, &solver->counts.solution));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The clock starts; whoever chose the solver may have set another function behind its solves since the last time. */
static PetscErrorCode start_clock(RungLineSlot *slot, KSP ksp)
{
  PetscFunctionBegin;
  if (ksp->postsolve != count_solve) {
    slot->after     = ksp->postsolve;
    slot->after_ctx = ksp->postctx;
    PetscCall(KSPSetPostSolve(ksp, count_solve, slot));
  }
  PetscCall(RungLineClock(&slot->solver->mark, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonCountSetUp(KSP ksp, Vec b, Vec x, void *ctx)
{
  RungLineSlot *slot = (RungLineSlot *)ctx;

  PetscFunctionBegin;
  (void)x;
  if (slot->solver->problem == PROBLEM_STATE) {
    PetscCall(set_plain(slot, ksp));
  } else {
    PetscCall(set_scale(slot, ksp));
    PetscCall(set_digits(slot, ksp, b));
  }
  if (!slot->given) PetscCall(RungSystemCondenseRhs(slot->solver->sys, slot->J, b));
  PetscCall(RungNewtonSetUp(slot, ksp));
  PetscCall(start_clock(slot, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The internal variables that belong to the solution. */
PetscErrorCode RungNewtonFinishPoints(RungLineSolver solver, Vec w, RungVerdict *verdict)
{
  PetscBool current, solved = PETSC_TRUE;

  PetscFunctionBegin;
  if (!solver->point || solver->problem != PROBLEM_LINE) PetscFunctionReturn(PETSC_SUCCESS);
  if (verdict->solved) {
    PetscCall(is_current(solver, w, &current));
    if (!current) PetscCall(solve_points(solver, w, &solved));
    if (solved) PetscCall(VecCopy(solver->point, w));
  }
  if (solver->why[0]) RungVerdictBlame(verdict, RUNG_REFUSED_POINT, "%s", solver->why);
  PetscFunctionReturn(PETSC_SUCCESS);
}
