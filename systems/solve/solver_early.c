/* solver_early.c - iterations that are left before their end, as what may follow takes less by the estimates.

   Multigrid by default, a Schur complement, ILU in space, and ICC or Jacobi of what moves and is not linear; what follows them is in
   solver_next.c. */
#include "levels_impl.h"
#include <petsc/private/kspimpl.h> /* the test of a ksp and what it has found */

#define RUNG_MORE                                                                                                      \
  200 /* iterations left with which multigrid on degrees goes on where no estimates are                       */
#define RUNG_EARLY                                                                                                     \
  15 /* iterations of multigrid on degrees after which it may end                                            */
#define RUNG_MOVES                                                                                                     \
  10 /* .. of ICC of what moves, and after each so many; of Jacobi three times as many                        */
#define RUNG_FALLS                                                                                                     \
  5 /* .. within GMRES, whose residual never grows                                                         */
#define RUNG_BENT                                                                                                      \
  25 /* .. of vectors, whose residual grows while they begin to bend                                        */
#define RUNG_AGAIN                                                                                                     \
  25 /* .. and after each so many behind that: bodies that are bent fall in steps                           */
#define RUNG_ASTRAY                                                                                                    \
  2 /* times the iterations of ICC by estimate, after which, and each time as many again, it may make place for levels */
#define RUNG_LAST                                                                                                      \
  600 /* .. and after so many                                                                                */
#define RUNG_SOON                                                                                                      \
  8 /* iterations of multigrid on degrees after which ICC may take its place                               */
#define RUNG_SLENDER                                                                                                   \
  4 /* .. and sides of cells to each other from which on it may do so earlier                              */
#define RUNG_LAYERED                                                                                                   \
  0.4 /* .. of which so much is of one weak axis: of degree 2 and higher ICC resolves lines no better than Jacobi */
#define RUNG_CELLS                                                                                                     \
  64 /* .. of which so many of a rank are asked, of degree 2 and higher, whose matrices are dear                  */
#define RUNG_SLOW                                                                                                      \
  3 /* .. where iterations by the rate are so many times those of compact cells                                   */
#define RUNG_SEEN                                                                                                      \
  2 /* .. namely after so many, of vectors, which have begun to bend then, after twice as many             */
#define RUNG_WORTH                                                                                                     \
  1.5 /* times as long as ICC by estimate, with which it does: iterations left are a guess                    */
#define RUNG_ENTRIES                                                                                                   \
  40 /* nanoseconds of an entry of a matrix that is made anew                                               */
#define RUNG_HARD                                                                                                      \
  5 /* time of Jacobi behind failed levels, in its estimates: where coefficients jump it was 7 to 10        */

/* In the place of the test of ksp, which it asks first: multigrid on degrees whose iterations promise no end, as of jumps of coefficients
   through cells, or none soon enough, makes place for another solver.  The best residual of them speaks: conjugate gradients do not fall
   evenly. */
typedef struct {
  RungSystem     sys; /* lent                            */
  void          *own; /* owned, of KSPConvergedDefault() */
  PetscReal      best, largest;
  PetscReal      from;  /* the best one when it was looked at last, the largest one before that */
  PetscInt       since; /* the iteration of that                                                */
  RungSolverKind kind;  /* of ksp                                                               */
  PetscInt       next;  /* iteration at which it is looked at: RUNG_EARLY, RUNG_BENT, ..        */
  PetscReal      most;  /* iterations that may be left of a Schur complement, or of ILU         */
  PetscReal      left;  /* .. that were when it ended                                           */
  PetscInt       first; /* the first one of these                                               */
  PetscBool      alone; /* ICC behind levels, which nothing but factors follow                  */
  PetscBool      ended; /* the last solve was                                                   */
  RungSolverKind other; /* .. for which                                                         */
  PetscReal      soft;  /* .. for ICC: of the body                                              */
} Early;

/* Iterations that are left at the mean rate since the residual was looked at, or at its largest, from which it falls: bodies that are bent have
   one of a thousand times the load first.  Infinite where it has not fallen. */
static PetscReal left_at_rate(const Early *early, KSP ksp, PetscInt it)
{
  const PetscReal gone = PetscLogReal(early->from / early->best);

  return gone > 0 ? (PetscReal)(it - early->since) * PetscLogReal(early->best / ksp->ttol) / gone : PETSC_INFINITY;
}

/* How soft the body is where it is moved most, which the iterations of ICC follow: x^T D x / x^T J x with the diagonal D of J, for the solution so
   far.  One or two iterations of multigrid show it: of scalars to a hundredth, of plates that begin to bend to a fifth. */
static PetscErrorCode find_softness(KSP ksp, Mat J, PetscReal *soft)
{
  PetscScalar of_d, of_j;
  Vec         x, y;

  PetscFunctionBegin;
  PetscCall(KSPBuildSolution(ksp, NULL, &x));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(MatGetDiagonal(J, y));
  PetscCall(VecPointwiseMult(y, y, x));
  PetscCall(VecDot(y, x, &of_d));
  PetscCall(MatMult(J, x, y));
  PetscCall(VecDot(y, x, &of_j));
  PetscCall(VecDestroy(&y));
  *soft = PetscRealPart(of_j) > 0 && PetscRealPart(of_d) > 0 ? PetscRealPart(of_d) / PetscRealPart(of_j) : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverIsIccFaster(RungSystem sys, Mat J, PetscReal left, PetscReal soft, PetscBool *faster)
{
  RungSolverFacts facts;
  PetscReal       icc, least;
  PetscBool       shell;

  PetscFunctionBegin;
  *faster = PETSC_FALSE;
  if (sys->icc_slow) PetscFunctionReturn(PETSC_SUCCESS);
  if (!sys->traits.definite || !RungSystemSolved(sys)->linear || left <= RUNG_SOON) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &facts));
  if (soft <= 0 && (facts.vectors || facts.degree >= 2)) PetscFunctionReturn(PETSC_SUCCESS);
  if (soft > 0 && sys->width <= 0) PetscCall(RungSolverWidthOfLevels(sys, &sys->width, &sys->length));
  PetscCall(RungSolverMeasured(sys, J, sys->kappa, &facts));
  PetscCall(RungIsShell(J, &shell));
  least = (PetscReal)facts.ahead * left * RungSolverIteration(&facts, RUNG_BY_LEVELS);
  if (soft > 0) {
    icc = RungSolverOfIcc(&facts, soft) + (shell ? RUNG_ENTRIES * facts.row * (PetscReal)facts.n : 0);
    if (sys->global <= sys->most_factored) least = PetscMin(least, facts.factors);
  } else
    icc = facts.simple + RUNG_ENTRIES * facts.row * (PetscReal)facts.n;
  *faster = least > RUNG_WORTH * icc ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode early_destroy(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(KSPConvergedDefaultDestroy(((Early *)ctx)->own));
  PetscCall(PetscFree(ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverIsOtherFaster(RungSystem sys, RungSolverKind kind, Mat J, PetscReal left,
                                       RungSolverKind *other, PetscBool *faster)
{
  const PetscBool levels = kind == RUNG_BY_LEVELS ? PETSC_TRUE : PETSC_FALSE;
  RungSolverFacts facts;
  PetscReal       least;

  PetscFunctionBegin;
  *other  = levels && sys->traits.definite ? RUNG_BY_JACOBI : RUNG_BY_FACTORS;
  *faster = levels && left > RUNG_MORE ? PETSC_TRUE : PETSC_FALSE;
  if (!RungSystemSolved(sys)->linear || (!levels && sys->global > sys->most_factored))
    PetscFunctionReturn(PETSC_SUCCESS);
  if (sys->width <= 0 && levels)
    PetscCall(RungSolverWidthOfLevels(sys, &sys->width, &sys->length)); /* they may have been taken without it */
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &facts));
  PetscCall(RungSolverMeasured(sys, J, sys->kappa, &facts));
  least = levels ? RUNG_HARD * facts.simple : facts.factors;
  if (sys->global <= sys->most_factored && facts.factors < least) *other = RUNG_BY_FACTORS;
  /* who makes multigrid slow makes Jacobi slower: its estimate is asked where there are no factors */
  if (sys->global <= sys->most_factored) least = facts.factors;
  *faster = (PetscReal)facts.ahead * left * RungSolverIteration(&facts, kind) > least ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How slender cells are: those of degree 1 have been looked at before, of others only what is slow is worth it. */
static PetscErrorCode look_at_cells(Early *early, Mat J, PetscInt it, RungSolverFacts *facts)
{
  const RungSystem  sys     = early->sys;
  RungSolverFacts   compact = *facts;
  const RungFilled *filled;
  PetscInt          every;
  Vec               u[RUNG_MAX_ORDER + 1], x;

  PetscFunctionBegin;
  compact.slender = 0;
  facts->slender  = sys->slender;
  if (facts->degree < 2 || sys->slender > 0 ||
      (PetscReal)it + early->left < RUNG_SLOW * RungSolverOfLevels(&compact, 0))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungFilledGet(J, &filled));
  if (!filled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSolverEvery(sys, RUNG_CELLS, &every));
  PetscCall(RungSystemCreateVec(sys, &x)); /* the matrix of what is linear has no state */
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) u[k] = x;
  RungCallFinally(
    RungFormSideShape(sys, filled->part, filled->t, u, filled->slope, every, &sys->slender, &sys->layered),
    PetscCall(VecDestroy(&x)));
  facts->slender = sys->slender;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Multigrid on degrees of what is definite and linear, behind iteration `it`: by the rate and, where cells are slender, which makes it slow, before there
   is one, by what these and the softness of the body let foresee, is ICC, or are factors faster? */
static PetscErrorCode end_levels(Early *early, KSP ksp, Mat J, PetscInt it, PetscBool *end)
{
  const RungSystem sys = early->sys;
  PetscBool        deep, seen; /* judged by softness; by what is foreseen */
  PetscReal        left = early->left;
  RungSolverFacts  facts;

  PetscFunctionBegin;
  early->soft = 0;
  if (it > RUNG_SOON && it != early->next) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &facts));
  deep = facts.vectors || facts.degree >= 2 ? PETSC_TRUE : PETSC_FALSE;
  seen = deep && it == (facts.vectors ? 2 : 1) * RUNG_SEEN ? PETSC_TRUE : PETSC_FALSE;
  if (seen) PetscCall(look_at_cells(early, J, it, &facts));
  facts.slender = sys->slender;
  if (sys->slender < RUNG_SLENDER) seen = PETSC_FALSE;
  if (!seen && it != RUNG_SOON && it != early->next) PetscFunctionReturn(PETSC_SUCCESS);
  if (deep) PetscCall(find_softness(ksp, J, &early->soft));
  if (seen) left = early->left = RungSolverOfLevels(&facts, early->soft);
  if (it == RUNG_SOON && facts.vectors) left = PetscMin(left, RungSolverOfLevels(&facts, early->soft));
  if (!deep || facts.degree == 1 || sys->layered >= RUNG_LAYERED * sys->slender)
    PetscCall(RungSolverIsIccFaster(sys, J, left, early->soft, end));
  if (*end && !deep) { /* the softness has a word where its estimate, of scalars that are held all around, says so */
    PetscCall(find_softness(ksp, J, &early->soft));
    PetscCall(RungSolverIsIccFaster(sys, J, left, early->soft, end));
  }
  if (*end) early->other = RUNG_BY_ICC;
  if (!*end && seen) PetscCall(RungSolverIsOtherFaster(sys, early->kind, J, left / RUNG_WORTH, &early->other, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Multigrid behind iteration `it` */
static PetscErrorCode end_multigrid(Early *early, KSP ksp, PetscInt it, PetscBool *end)
{
  Mat J;

  PetscFunctionBegin;
  *end        = PETSC_FALSE;
  early->left = left_at_rate(early, ksp, it);
  PetscCall(KSPGetOperators(ksp, &J, NULL));
  if (early->kind == RUNG_BY_LEVELS && early->sys->traits.definite && RungSystemSolved(early->sys)->linear)
    PetscCall(end_levels(early, ksp, J, it, end));
  if (*end || it != early->next) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSolverIsOtherFaster(early->sys, early->kind, J, early->left, &early->other, end));
  early->from  = early->best;
  early->since = it;
  early->next += RUNG_AGAIN;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ICC or Jacobi of what moves behind iteration `it` */
static PetscErrorCode end_moving(Early *early, KSP ksp, PetscInt it, PetscBool *end)
{
  Mat J;

  PetscFunctionBegin;
  *end = PETSC_FALSE;
  if (it != early->next) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetOperators(ksp, &J, NULL));
  early->left = left_at_rate(early, ksp, it);
  PetscCall(RungSolverIsOutrun(early->sys, early->kind, J, (PetscReal)it + early->left, &early->other, end));
  early->next += early->first;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ICC of what is linear behind iteration `it`: kappa knows cells, not where the body is held, nor an oblique axis that conducts well.  Where it takes
   more iterations than it was taken for, those that are left are compared with levels, and with factors, from their start. */
static PetscErrorCode end_astray(Early *early, KSP ksp, PetscInt it, PetscBool *end)
{
  const RungSystem sys = early->sys;
  RungSolverFacts  facts;
  PetscReal        least;
  Mat              J;

  PetscFunctionBegin;
  *end = PETSC_FALSE;
  if (it != early->next) PetscFunctionReturn(PETSC_SUCCESS);
  early->next *= RUNG_ASTRAY;
  early->left = left_at_rate(early, ksp, it);
  PetscCall(KSPGetOperators(ksp, &J, NULL));
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &facts));
  PetscCall(RungSolverMeasured(sys, J, sys->kappa, &facts));
  least        = early->alone ? PETSC_INFINITY : facts.levels;
  early->other = RUNG_BY_LEVELS;
  if (sys->global <= sys->most_factored && facts.factors < least) {
    least        = facts.factors;
    early->other = RUNG_BY_FACTORS;
  }
  *end = (PetscReal)facts.ahead * early->left * RungSolverSweep(&facts) > RUNG_WORTH * least ? PETSC_TRUE : PETSC_FALSE;
  if (*end && early->other == RUNG_BY_LEVELS) sys->icc_slow = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end_early(KSP ksp, PetscInt it, PetscReal norm, KSPConvergedReason *reason, void *ctx)
{
  Early    *early = (Early *)ctx;
  PetscBool end   = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(KSPConvergedDefault(ksp, it, norm, reason, early->own));
  if (!it) early->next = early->first, early->ended = PETSC_FALSE;
  if (!it || norm > early->largest) {
    early->largest = early->from = early->best = norm;
    early->since                               = it;
  }
  early->best = PetscMin(early->best, norm);
  early->left = PETSC_INFINITY;
  if (*reason != KSP_CONVERGED_ITERATING || !it) PetscFunctionReturn(PETSC_SUCCESS);
  if (early->kind == RUNG_BY_ICC && RungSystemSolved(early->sys)->linear)
    PetscCall(end_astray(early, ksp, it, &end));
  else if (early->kind == RUNG_BY_ICC || early->kind == RUNG_BY_JACOBI)
    PetscCall(end_moving(early, ksp, it, &end));
  else if (early->kind != RUNG_BY_SADDLE && early->kind != RUNG_BY_ILU)
    PetscCall(end_multigrid(early, ksp, it, &end));
  else if (it == early->next) {
    early->left = left_at_rate(early, ksp, it);
    end         = early->left > early->most ? PETSC_TRUE : PETSC_FALSE;
  }
  early->ended = end;
  if (end) *reason = KSP_DIVERGED_ITS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscReal RungSolverLeft(KSP ksp)
{
  return ksp->converged == end_early && ksp->reason == KSP_DIVERGED_ITS ? ((const Early *)ksp->cnvP)->left
                                                                        : PETSC_INFINITY;
}

PetscReal RungSolverSoftness(KSP ksp)
{
  const Early *early = ksp->converged == end_early ? (const Early *)ksp->cnvP : NULL;

  return early && early->ended && early->other == RUNG_BY_ICC ? early->soft : 0;
}

PetscBool RungSolverMadePlace(KSP ksp, RungSolverKind *other)
{
  const Early *early = ksp->converged == end_early ? (const Early *)ksp->cnvP : NULL;

  if (!early || !early->ended) return PETSC_FALSE;
  *other = early->other;
  return PETSC_TRUE;
}

PetscErrorCode RungSolverEndEarly(RungSystem sys, const RungSolverRow *row, PetscInt first, KSP ksp)
{
  static const char *const option[] = {"-ksp_type", "-pc_type", "-ksp_max_it", "-ksp_rtol"};
  PetscBool                given;
  RungSolverFacts          facts;
  Early                   *early;

  PetscFunctionBegin;
  PetscCall(RungSolverIsGiven(ksp, PETSC_STATIC_ARRAY_LENGTH(option), option, &given));
  if (given) PetscFunctionReturn(PETSC_SUCCESS); /* nothing would follow */
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &facts));
  PetscCall(PetscNew(&early));
  early->sys   = sys;
  early->kind  = row->kind;
  early->first = row->kind == RUNG_BY_ICC                                   ? RUNG_MOVES
                 : row->kind == RUNG_BY_JACOBI                              ? 3 * RUNG_MOVES
                 : row->kind == RUNG_BY_SADDLE || row->kind == RUNG_BY_ILU  ? row->most / 5
                 : RungSolverIsTried(row) || facts.refuted || facts.coupled ? RUNG_FALLS
                 : facts.vectors                                            ? RUNG_BENT
                                                                            : RUNG_EARLY;
  facts.kappa  = sys->kappa;
  if (row->kind == RUNG_BY_ICC && RungSystemSolved(sys)->linear)
    early->first = first ? first : (PetscInt)(RUNG_ASTRAY * RungSolverIterations(&facts));
  early->alone = first ? PETSC_TRUE : PETSC_FALSE;
  early->most  = row->kind == RUNG_BY_ILU ? 2 * row->most : row->most; /* of waves it falls in steps */
  PetscCall(KSPConvergedDefaultCreate(&early->own));
  PetscCall(KSPSetConvergenceTest(ksp, end_early, early, early_destroy));
  if (row->kind == RUNG_BY_LEVELS && RungSystemSolved(sys)->linear) /* else nothing is estimated */
    PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, RUNG_LAST));
  PetscFunctionReturn(PETSC_SUCCESS);
}
