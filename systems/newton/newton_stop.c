/* newton_stop.c - when Newton's method is done.

   With d_k the steps, theta = |d_k|/|d_k-1| (1/2 for the first), f the unknowns, each by itself:

       not finite     it has failed
       tolerances     theta/(1 - theta) |d_k| <= 0.01 in the norm of the error test (Hairer and Wanner, Solving ODEs II, IV.8),
                      of all entries, also of those that the error test leaves out; of unknowns of order 2 also the rate
                      that goes with the step, slope_1 d_k: with small h it is the larger one.  Behind a step that went far, or
                      far and back, as of a diode, |d_k|/|d_k-1| is nothing although F does not fall: theta is at least
                      min(1/2, |F_k|/|F_k-1|), and what has more of F than at first is no solution
       without        |F|_f <= rtol |F_0|_f for every f; rtol 1e-12 (-snes_rtol), 1e-14 with conserved terms
                      or theta_f/(1 - theta_f) |d_k|_f <= 100 rtol |w|_f, theta_f <= 0.1 for every f: what is left is no more than
                      rtol asks for; that F says so, too, takes digits that bending does not leave it.  Not of conserved terms
       both           |d_k|_f <= 100 u |w|_f for every f
                      F is rounding, row by row (newton_floor.c); with tolerances asked where steps no longer shrink, with conserved
                      terms never: totals are worth the last digits
                      steps have come to a stand (below)

   No unknown and no equation decides for another one: each has units of its own.  |F| and |d| below are those of each;
   steps get on where they do for one of them, and diverge where they do for one.

   |F| and |d| come to a stand where F is made of terms that are larger than J w: I + grad(u) rounds as 1 does, however small
   the load is.  After two steps with theta > 0.5 and |F_k| > 0.3 |F_k-1| that is convergence if |d_k| <= 0.01 in the norm of
   the error test, or without tolerances, in maximum norms, |d_k|_f <= 1e-7 max(|w|_f, |d_1|_f); or if d_k is no more than rounding makes of a
   step (newton_floor.c), which is asked once.

   Without tolerances Newton's method may take any number of steps that halve |F|: along a power of w of any degree n it goes by
   w/n, and |F| falls by (1 - 1/n)^n < 1/e, as often as the powers of ten by which the first step overshot ask for.

   A line search that finds no descent, and a last iteration, have converged by these rules, too.  Of a step that a line search has cut to a part
   lambda of it, d_k is the whole: where |F| has a minimum that is no solution, along a kink or a jump of F, lambda is 1e-13. */
#include "line_solver_impl.h"

#define KAPPA     0.01
#define SURE      1e-4 /* |d| in tolerances below which F may have grown */
#define SLOW      0.5  /* theta above which steps do not get on */
#define STANDS    0.3  /* |F| against the one before           */
#define FAST      0.1  /* the same, of steps that get on well  */
#define FAR       1e-8 /* of |F_0|: what is left then are refinements */
#define LITTLE    1e-6 /* of |F_0|: an equation that is as good as solved */
#define SLOW_MOST 2    /* such steps one after the other        */
#define STANDING  1e-7
#define PATIENCE  25   /* steps without tolerances that do not halve |F|, unless -snes_max_it says how many steps */
#define NOISE     100  /* times the rounding of a given F */
#define VAGUE     1e-2 /* |d| against |w| of steps that stand: F rounds too much */
#define CONTRACTS 0.1  /* theta of steps that tell how far it is to the solution */
#define DIGITS    100  /* rtol of |F| in |d|, whose equations are more exact than their solution */
#define NEAR      1e-6 /* of |F_0|: from here on it pays to ask whether F is rounding */

/* ---- norms of each unknown ------------------------------------------------------------------------------------------ */

static PetscErrorCode norms_of(RungLineSolver solver, Vec v, NormType type, PetscReal norm[])
{
  const PetscInt     n = solver->traits.unknowns;
  const PetscScalar *x;

  PetscFunctionBegin;
  if (n == 1) {
    PetscCall(VecNorm(v, type, &norm[0]));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetArrayRead(v, &x));
  for (PetscInt f = 0; f < n; ++f) {
    PetscInt start, end;

    norm[f] = 0;
    PetscCall(RungSystemGetRange(solver->sys, f, &start, &end));
    for (PetscInt i = start; i < end; ++i) {
      const PetscReal a = PetscAbsScalar(x[i]);

      norm[f] = type == NORM_2 ? norm[f] + a * a : PetscMax(norm[f], a);
    }
  }
  PetscCall(VecRestoreArrayRead(v, &x));
  PetscCallMPI(
    MPI_Allreduce(MPI_IN_PLACE, norm, (PetscMPIInt)n, MPIU_REAL, type == NORM_2 ? MPIU_SUM : MPIU_MAX, solver->comm));
  for (PetscInt f = 0; f < n && type == NORM_2; ++f) norm[f] = PetscSqrtReal(norm[f]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonNorms(RungLineSolver solver, Vec v, PetscReal norm[])
{
  PetscFunctionBegin;
  PetscCall(norms_of(solver, v, NORM_2, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonLargest(RungLineSolver solver, Vec v, PetscReal largest[])
{
  PetscFunctionBegin;
  PetscCall(norms_of(solver, v, NORM_INFINITY, largest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |d|_f <= 100 u |w|_f; or steps say that w is as exact as rtol asks for (0: they are not asked), with what linear solves leave of
   them, `left`. */
static PetscErrorCode changes_nothing(RungLineSolver solver, Vec d, Vec w, PetscReal rtol, PetscReal left,
                                      PetscBool *nothing)
{
  PetscReal step[RUNG_MAX_UNKNOWNS], size[RUNG_MAX_UNKNOWNS];
  PetscBool exact = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(RungLineValue(solver, w, &w));
  PetscCall(norms_of(solver, d, NORM_2, step));
  PetscCall(norms_of(solver, w, NORM_2, size));
  *nothing = PETSC_TRUE;
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f) {
    const PetscReal before = solver->stop.length[f], theta = PetscMax(left, before > 0 ? step[f] / before : 1);

    if (!(step[f] <= RUNG_NEWTON_ROUNDING * size[f])) *nothing = PETSC_FALSE;
    if (step[f] > 0 && !(theta <= CONTRACTS && theta / (1 - theta) * step[f] <= DIGITS * rtol * size[f]))
      exact = PETSC_FALSE;
    solver->stop.length[f] = step[f];
  }
  *nothing = *nothing || exact;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a stand -------------------------------------------------------------------------------------------------------- */

/* solver->stop.vague tells of a stand that leaves w open. */
static PetscErrorCode is_short(RungLineSolver solver, Vec d, Vec w, PetscBool *is)
{
  PetscReal step[RUNG_MAX_UNKNOWNS], size[RUNG_MAX_UNKNOWNS], change = 0;

  PetscFunctionBegin;
  PetscCall(RungLineValue(solver, w, &w));
  PetscCall(norms_of(solver, d, NORM_INFINITY, step));
  PetscCall(norms_of(solver, w, NORM_INFINITY, size));
  *is = PETSC_TRUE;
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f) {
    if (!(step[f] <= STANDING * PetscMax(size[f], solver->stop.opening[f]))) *is = PETSC_FALSE;
    if (step[f] > 0) change = PetscMax(change, size[f] > 0 ? step[f] / size[f] : PETSC_INFINITY);
  }
  solver->stop.vague = !*is && change <= VAGUE ? change : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The Euclidean norm of v, F or a step, in each unknown; with bounds norm[0] = whole, that of the free entries, and 0 in the others. */
static PetscErrorCode take_norms(RungLineSolver solver, Vec v, PetscReal whole, PetscReal norm[])
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(norm, solver->traits.unknowns));
  if (solver->bound[0] || solver->traits.unknowns == 1)
    norm[0] = whole;
  else
    PetscCall(norms_of(solver, v, NORM_2, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode take_step(RungLineSolver solver, Vec d, Vec F, PetscReal dnorm, PetscReal fnorm)
{
  RungNewtonStop *stop = &solver->stop;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(stop->before, stop->F, solver->traits.unknowns));
  PetscCall(PetscArraycpy(stop->last, stop->d, solver->traits.unknowns));
  PetscCall(take_norms(solver, F, fnorm, stop->F));
  PetscCall(take_norms(solver, d, dnorm, stop->d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Has |F| of some equation that is more than rounding fallen to `part` of what it was before the step? */
static PetscBool gets_on(const RungLineSolver solver, PetscReal part)
{
  const RungNewtonStop *stop = &solver->stop;

  for (PetscInt f = 0; f < solver->traits.unknowns; ++f)
    if (stop->before[f] > NOISE * stop->rounding[f] && stop->F[f] <= part * stop->before[f]) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* What a given F says of its rounding.  An equation whose F_0 is 0, as that of a mean pressure before anything moves, has said nothing:
   its terms do, at w. */
static PetscErrorCode find_rounding(RungLineSolver solver, Mat J, Vec w)
{
  RungNewtonStop *stop   = &solver->stop;
  PetscBool       silent = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(stop->rounding, solver->traits.unknowns));
  if (solver->problem != PROBLEM_GIVEN || solver->bound[0]) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f)
    silent = silent || stop->start[f] == 0 ? PETSC_TRUE : PETSC_FALSE;
  if (silent) PetscCall(RungNewtonRounding(solver, J, w, stop->rounding));
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f)
    stop->rounding[f] = PetscMax(stop->start[f] == 0 ? stop->rounding[f] : 0, solver->given->rounding[f]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same of steps. */
static PetscBool shrinks(const RungLineSolver solver, PetscReal part)
{
  const RungNewtonStop *stop = &solver->stop;

  for (PetscInt f = 0; f < solver->traits.unknowns; ++f)
    if (stop->last[f] > 0 && stop->d[f] <= part * stop->last[f]) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Are all equations on their way, or as far as they get? */
static PetscBool is_fast(const RungLineSolver solver)
{
  const RungNewtonStop *stop = &solver->stop;

  for (PetscInt f = 0; f < solver->traits.unknowns; ++f) {
    if (!(stop->F[f] <= PetscMax(NOISE * stop->rounding[f], PetscMax(FAST * stop->before[f], FAR * stop->start[f]))))
      return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* *tired: too many steps did not halve |F|. */
static void count_step(RungLineSolver solver, PetscInt it, PetscBool *tired)
{
  RungNewtonStop *stop = &solver->stop;

  if (it == 1) stop->spent = 0;
  if (it == 1 || !gets_on(solver, 0.5)) ++stop->spent;
  *tired = stop->spent >= stop->most ? PETSC_TRUE : PETSC_FALSE;
}

/* Is F within what rounding of its terms may do?  Of a given F that says so. */
static PetscBool is_noise(const RungLineSolver solver)
{
  if (solver->problem != PROBLEM_GIVEN) return PETSC_FALSE;
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f)
    if (!(solver->stop.F[f] <= NOISE * solver->stop.rounding[f])) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Counts the steps that do not get on; *stands: the last ones did not, and are small. */
static PetscErrorCode look_for_stand(RungLineSolver solver, SNES snes, PetscInt it, Vec d, Vec w, PetscBool *stands)
{
  RungNewtonStop *stop = &solver->stop;

  PetscFunctionBegin;
  *stands = PETSC_FALSE;
  if (it == 1) {
    stop->slow = 0;
    PetscCall(norms_of(solver, d, NORM_INFINITY, stop->opening));
  } else if (!solver->cut && !shrinks(solver, SLOW) && !gets_on(solver, STANDS))
    ++stop->slow;
  else
    stop->slow = 0;
  stop->fast  = is_fast(solver);
  stop->vague = 0;
  if (stop->slow < SLOW_MOST) PetscFunctionReturn(PETSC_SUCCESS);
  if (solver->adaptive && solver->problem == PROBLEM_LINE)
    *stands = stop->step >= 0 && stop->step <= KAPPA ? PETSC_TRUE : PETSC_FALSE;
  else
    PetscCall(is_short(solver, d, w, stands));
  if (!*stands) *stands = is_noise(solver);
  if (!*stands && stop->slow == SLOW_MOST && !solver->bound[0])
    PetscCall(RungNewtonIsMadeOfRounding(solver, snes, w, d, stands));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- tests ---------------------------------------------------------------------------------------------------------- */

/* rate[0] = slope_1 d, rate[1] = u' at w */
static PetscErrorCode set_rates(RungLineSolver solver, Vec d, Vec w)
{
  const PetscInt  n     = solver->traits.unknowns;
  const RungLine *line  = solver->line;
  const Vec       of[2] = {d, w};

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    PetscScalar *rate;

    if (!solver->rate[i]) PetscCall(VecDuplicate(solver->r, &solver->rate[i]));
    PetscCall(VecCopy(of[i], solver->rate[i]));
    PetscCall(VecGetArray(solver->rate[i], &rate));
    for (PetscInt f = 0; f < n; ++f) {
      PetscInt start, end;

      PetscCall(RungSystemGetRange(solver->sys, f, &start, &end));
      for (PetscInt j = start; j < end; ++j) rate[j] *= line->slope[n + f];
    }
    PetscCall(VecRestoreArray(solver->rate[i], &rate));
  }
  if (line->base[1]) PetscCall(VecAXPY(solver->rate[1], 1, line->base[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonMeasure(RungLineSolver solver, Vec d, Vec w, PetscReal *size)
{
  const PetscBool second   = solver->problem == PROBLEM_LINE && solver->traits.order == 2 ? PETSC_TRUE : PETSC_FALSE;
  RungMeasured    measured = {.error = {d}, .from = {solver->start[0]}, .brief = !second};

  PetscFunctionBegin;
  PetscCall(RungLineValue(solver, w, &measured.to[0]));
  if (second) {
    PetscCall(set_rates(solver, d, w));
    measured.error[1] = solver->rate[0];
    measured.from[1]  = solver->start[1];
    measured.to[1]    = solver->rate[1];
  }
  PetscCall(RungWeightsMeasure(solver->weights, &measured, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungNewtonDoubt(RungLineSolver solver)
{
  PetscInt f;

  if (RungWeightsMayRound(solver->weights, &f) && solver->traits.unknown_order[f] == 0) solver->doubt[f] = PETSC_TRUE;
}

/* What the last step has left of |F|, at most 1/2, in the equation where it is most.  Equations of whose F_0 next to nothing is left have no say: what is
   left of rounding is chance, which differs from unit to unit. */
static PetscReal slowest_fall(const RungLineSolver solver)
{
  const RungNewtonStop *stop = &solver->stop;
  PetscReal             most = 0;

  for (PetscInt f = 0; f < solver->traits.unknowns; ++f)
    if (stop->F[f] > LITTLE * PetscMax(stop->start[f], stop->first[f]) && stop->F[f] > most * stop->before[f])
      most = PetscMin(0.5, stop->F[f] / stop->before[f]);
  return most;
}

/* Has an equation more of F than at first?  Not so where steps are next to nothing: it is rounding of what began with none. */
static PetscBool has_grown(const RungLineSolver solver, PetscReal step)
{
  const RungNewtonStop *stop = &solver->stop;

  for (PetscInt f = 0; f < solver->traits.unknowns && step > SURE; ++f)
    if (stop->F[f] > PetscMax(PetscMax(stop->start[f], stop->first[f]), NOISE * stop->rounding[f])) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* lambda: part of Newton's step that d is.  What is left of the way is the whole of it, however little of it a line search has left.
   *slow: steps do not shrink. */
static PetscErrorCode adaptive_test(RungLineSolver solver, PetscInt it, PetscReal lambda, Vec d, Vec w, PetscBool *done,
                                    PetscBool *slow)
{
  RungNewtonStop *stop = &solver->stop;
  PetscReal       step, theta = 0.5; /* theta/(1 - theta) = 1 */

  PetscFunctionBegin;
  *done = *slow = PETSC_FALSE;
  if (solver->cut) {
    stop->step = -1;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungNewtonMeasure(solver, d, w, &step));
  if (lambda < 1) step /= lambda;
  if (it > 1 && stop->step > 0) theta = PetscMax(step / stop->step, slowest_fall(solver));
  *done = theta < 1 && theta / (1 - theta) * step <= KAPPA && !(it > 1 && has_grown(solver, step)) ? PETSC_TRUE
                                                                                                   : PETSC_FALSE;
  *slow = it > 1 && theta >= SLOW ? PETSC_TRUE : PETSC_FALSE;
  if (*slow && !*done) RungNewtonDoubt(solver);
  stop->step = step;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |F|_f <= rtol |F_0|_f; an unknown whose F_0 is 0 is measured by its largest F.  *near: all are within NEAR, or F does not fall. */
static void fixed_test(RungLineSolver solver, PetscReal rtol, PetscReal atol, PetscBool *done, PetscBool *near)
{
  RungNewtonStop *stop = &solver->stop;

  *done = *near = PETSC_TRUE;
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f) {
    if (stop->first[f] == 0) stop->first[f] = stop->F[f];
    if (!(stop->F[f] <= PetscMax(atol, PetscMax(stop->rounding[f], rtol * stop->first[f])))) *done = PETSC_FALSE;
    if (!(stop->F[f] <= NEAR * stop->first[f])) *near = PETSC_FALSE;
  }
  if (!gets_on(solver, STANDS)) *near = PETSC_TRUE; /* it began there */
}

static PetscErrorCode begin(RungLineSolver solver, SNES snes, Vec F, PetscReal fnorm)
{
  RungNewtonStop *stop = &solver->stop;
  PetscReal       most = fnorm, atol, rtol;

  PetscFunctionBegin;
  PetscCall(SNESGetTolerances(snes, &atol, &rtol, NULL, &stop->most, NULL));
  if (stop->most == NEWTON_LONG) stop->most = PATIENCE;
  stop->step = -1;
  stop->fast = PETSC_FALSE;
  PetscCall(take_norms(solver, F, fnorm, stop->F));
  PetscCall(PetscArrayzero(stop->d, solver->traits.unknowns));
  if (solver->problem == PROBLEM_LINE) most = PetscMax(fnorm, solver->scale);
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f) {
    const PetscReal scale = solver->problem == PROBLEM_LINE && solver->scale > 0 ? solver->scales[f] : 0;

    stop->start[f] = stop->F[f];
    stop->first[f] = PetscMax(stop->F[f], scale);
  }
  solver->enough = PetscMax(atol, most * rtol);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Before the first step, by the matrix that the last solve has left, if there was one. */
static PetscErrorCode is_solved(RungLineSolver solver, SNES snes, PetscBool *solved)
{
  Vec w, F;
  Mat J;

  PetscFunctionBegin;
  PetscCall(SNESGetFunction(snes, &F, NULL, NULL));
  PetscCall(SNESGetSolution(snes, &w));
  PetscCall(SNESGetJacobian(snes, &J, NULL, NULL, NULL));
  PetscCall(MatAssembled(J, solved));
  if (*solved) PetscCall(RungNewtonIsFloor(solver, J, w, F, 1, solved));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A step that the line search has shortened is small where |F| has a minimum, too: it says nothing about convergence.  *lambda: what part of it. */
static PetscErrorCode get_part(SNES snes, PetscReal *lambda)
{
  SNESLineSearch search;

  PetscFunctionBegin;
  PetscCall(SNESGetLineSearch(snes, &search));
  PetscCall(SNESLineSearchGetLambda(search, lambda));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void forget_length(RungLineSolver solver)
{
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f) solver->stop.length[f] = -1;
}

/* Totals of conserved terms are worth the last digits; a given F says itself what is rounding. */
static PetscBool trusts_steps(const RungLineSolver solver)
{
  return !solver->adaptive && solver->problem == PROBLEM_LINE && !solver->traits.conserved ? PETSC_TRUE : PETSC_FALSE;
}

/* After the it-th step, from 1 on. */
static PetscErrorCode test_step(RungLineSlot *slot, SNES snes, PetscInt it, PetscReal dnorm, PetscReal fnorm,
                                PetscReal rtol, PetscReal atol, SNESConvergedReason *reason)
{
  RungLineSolver solver = slot->solver;
  PetscBool      done = PETSC_FALSE, ask = PETSC_TRUE, floor = PETSC_FALSE, stands, nothing = PETSC_FALSE,
            shortened = PETSC_FALSE, tired, direct, diverges;
  PetscReal left      = 0, lambda;
  Vec       d, w, F;
  Mat       J;
  KSP       ksp;

  PetscFunctionBegin;
  PetscCall(SNESGetSolutionUpdate(snes, &d));
  PetscCall(SNESGetSolution(snes, &w));
  PetscCall(SNESGetFunction(snes, &F, NULL, NULL));
  PetscCall(SNESGetJacobian(snes, &J, NULL, NULL, NULL));
  PetscCall(take_step(solver, d, F, dnorm, fnorm));
  PetscCall(find_rounding(solver, J, w));
  PetscCall(get_part(snes, &lambda));
  if (!solver->bound[0] && lambda < 1) shortened = PETSC_TRUE;
  if (solver->adaptive && solver->problem == PROBLEM_LINE)
    PetscCall(adaptive_test(solver, it, lambda, d, w, &done, &ask));
  else if (solver->bound[0])
    done = fnorm <= solver->enough ? PETSC_TRUE : PETSC_FALSE;
  else
    fixed_test(solver, rtol, atol, &done, &ask);
  if (it == 1 || solver->cut || shortened) forget_length(solver);
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPPREONLY, &direct));
  if (!direct) PetscCall(KSPGetTolerances(ksp, &left, NULL, NULL, NULL));
  if (!done && !solver->bound[0] && !solver->cut && !shortened)
    PetscCall(changes_nothing(solver, d, w, trusts_steps(solver) ? rtol : 0, left, &nothing));
  /* with tolerances, `ask` says that steps do not shrink: a multiplier that is 0 but for rounding has no others */
  if (!done && !nothing && (ask || solver->bound[0]) && (solver->bound[0] || !solver->traits.conserved))
    PetscCall(
      RungNewtonIsFloor(solver, J, w, F, solver->adaptive && solver->problem == PROBLEM_LINE ? NOISE : 1, &floor));
  count_step(solver, it, &tired);
  PetscCall(look_for_stand(solver, snes, it, d, w, &stands));
  PetscCall(RungNewtonDiverges(slot, it, w, &diverges));
  if (shortened) {
    stands             = PETSC_FALSE;
    solver->stop.vague = 0;
  }
  if (done && !solver->adaptive)
    *reason = SNES_CONVERGED_FNORM_RELATIVE;
  else if (done || nothing || floor || stands)
    *reason = SNES_CONVERGED_SNORM_RELATIVE;
  else if (diverges)
    *reason = SNES_DIVERGED_DTOL;
  else if (tired)
    *reason = SNES_DIVERGED_MAX_IT;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where its search finds no descent, SNESVI leaves J^T F in the place of the solution. */
static PetscErrorCode keep_iterate(RungLineSolver solver, SNES snes)
{
  Vec w;

  PetscFunctionBegin;
  PetscCall(SNESGetSolution(snes, &w));
  PetscCall(VecCopy(w, solver->iterate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonConverged(SNES snes, PetscInt it, PetscReal wnorm, PetscReal dnorm, PetscReal fnorm,
                                   SNESConvergedReason *reason, void *ctx)
{
  RungLineSlot  *slot   = (RungLineSlot *)ctx;
  RungLineSolver solver = slot->solver;
  PetscReal      atol, rtol;
  PetscBool      solved = PETSC_FALSE;
  Vec            F;
  KSP            ksp;

  PetscFunctionBegin;
  (void)wnorm;
  PetscCall(SNESGetTolerances(snes, &atol, &rtol, NULL, NULL, NULL));
  *reason = SNES_CONVERGED_ITERATING;
  PetscCall(SNESGetKSP(snes, &ksp));
  if (it) PetscCall(KSPGetIterationNumber(ksp, &slot->its));
  PetscCall(SNESGetFunction(snes, &F, NULL, NULL));
  if (!it) PetscCall(begin(solver, snes, F, fnorm));
  if (solver->iterate) PetscCall(keep_iterate(solver, snes));
  if (!it && solver->bound[0])
    PetscCall(is_solved(solver, snes, &solved)); /* of what the bounds leave nothing may be left */
  if (PetscIsInfOrNanReal(fnorm) || PetscIsInfOrNanReal(dnorm))
    *reason = SNES_DIVERGED_FUNCTION_NANORINF;
  else if (fnorm <= atol)
    *reason = SNES_CONVERGED_FNORM_ABS;
  else if (solved)
    *reason = SNES_CONVERGED_SNORM_RELATIVE;
  else if (it)
    PetscCall(test_step(slot, snes, it, dnorm, fnorm, rtol, atol, reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonIsRounded(RungLineSolver solver, SNES snes, Vec w, PetscBool *rounding)
{
  Vec d, F;
  Mat J;

  PetscFunctionBegin;
  PetscCall(SNESGetFunction(snes, &F, NULL, NULL));
  PetscCall(SNESGetJacobian(snes, &J, NULL, NULL, NULL));
  PetscCall(RungNewtonIsFloor(solver, J, w, F, 1, rounding));
  PetscCall(SNESGetSolutionUpdate(snes, &d));
  if (!d || *rounding || solver->cut) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(changes_nothing(solver, d, w, 0, 0, rounding));
  PetscFunctionReturn(PETSC_SUCCESS);
}
