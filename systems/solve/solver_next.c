/* solver_next.c - after each solve: what an iteration has failed at is solved in another way, and slaves follow their masters.

   Conjugate gradients fail where the matrix is not what its form promises (a coefficient of the wrong sign), where kappa has
   misled the choice, or multigrid does not suit; a multigrid may also claim what the true residual does not show.  Then

       ICC that takes many more iterations than by the estimates  ->  multigrid on degrees
       multigrid on degrees that is not definite  ->  the same, with bounds of its smoothers by more steps
       multigrid on degrees that goes slowly  ->  ICC, where that takes less by the estimates  ->  factors (of few entries)
       multigrid on degrees  ->  Jacobi, which needs no entries either, or factors, which alone what is not definite gets
       BoomerAMG of what is not symmetric, in the plane  ->  factors
       ILU, in space  ->  multigrid on degrees, where there are levels  ->  of more entries than are factored ILU again, to its end
       a Schur complement  ->  factors
       incomplete factors, Jacobi, BoomerAMG  ->  GAMG  ->  factors (of few entries)
       Jacobi on products by kernels of a linear system  ->  factors of as many, of a matrix that is made for them

   go on from where the last one stopped, by a solver of their own, since hooks of the first have prepared b.  What has succeeded
   is kept for the solves that follow: the first solver ends after one iteration then.  Whoever has given -ksp_type, -pc_type or
   -ksp_max_it is told of the failure instead. */
#include "levels_impl.h"
#include <petsc/private/kspimpl.h> /* the reason of a solve that has been made good */

#define HOOK "RungSolver"
#define RUNG_TRUE                                                                                                      \
  10 /* true residual that is accepted, in tolerances                                                        */
#define RUNG_MANY                                                                                                      \
  5 /* solves with one matrix from which on factors, not levels, follow ILU                                 */
#define RUNG_ROUNDING                                                                                                  \
  1e-6 /* of b: rounding of J x beyond that is no solution                                                    */
#define RUNG_TURN                                                                                                      \
  0.15 /* |A x - A^T x| / |A x| beyond which convection rules from node to node, and factors are taken        */
#define RUNG_SOFTEST                                                                                                   \
  4 /* iterations of ICC likewise, in those that the softness of the body promises                       */
#define RUNG_HARDEST                                                                                                   \
  13 /* its iterations then, in those of ICC by estimate, behind which factors follow                       */

typedef struct {
  RungSystem       sys; /* lent                                                    */
  RungSolverKind   kind;
  PetscBool        extends;
  PetscBool        presumed; /* J is taken for definite: who thinks so solves anew where it is not */
  PetscBool        moving;   /* .. and levels or factors follow where it takes many iterations */
  PetscBool        tried;    /* it may take few iterations, and nobody is told where these are not enough */
  PetscBool        spent;    /* .. and what was tried for it, too, so that nothing but ILU is left */
  KSP              own;      /* owned: of what has succeeded last; NULL: the first one  */
  RungSolverKind   next;     /* valid where own                                         */
  RungSolver       choice;   /* .. and ICC                                              */
  Mat              entries;  /* owned: those of a J without; NULL: not asked for yet */
  PetscObjectState filled;   /* of that J when they were                             */
} Watch;

/* J has the identity for slaves of constraints and internal variables: they follow the others afterwards.  What a null space leaves open is
   taken out. */
static PetscErrorCode extend(RungSystem sys, KSP ksp, Vec x)
{
  MatNullSpace null;
  Mat          J;

  PetscFunctionBegin;
  PetscCall(RungNullSpacesGet(sys, &null));
  if (null) PetscCall(MatNullSpaceRemove(null, x));
  if (!sys->form || !sys->form->bounds) PetscCall(RungSystemExtend(sys, x)); /* else F sees slaves that follow */
  PetscCall(KSPGetOperators(ksp, &J, NULL));
  PetscCall(RungCondenseExtend(J, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RungSolverIsFollowed(RungSystem sys, RungSolverKind failed, PetscBool shell, RungSolverKind *next)
{
  const PetscBool few = sys->global - RungCondensedEntries(sys) <= sys->most_factored ? PETSC_TRUE : PETSC_FALSE;

  *next = failed == RUNG_BY_LEVELS && sys->traits.definite ? RUNG_BY_JACOBI : RUNG_BY_FACTORS;
  if (failed == RUNG_BY_LEVELS) return sys->traits.definite || few ? PETSC_TRUE : PETSC_FALSE;
  if (shell && failed != RUNG_BY_JACOBI && failed != RUNG_BY_ACTION) return PETSC_FALSE;
  if (shell) return RungSystemSolved(sys)->linear && few ? PETSC_TRUE : PETSC_FALSE;
  switch (failed) {
  case RUNG_BY_JACOBI:
  case RUNG_BY_ICC:
  case RUNG_BY_HYPRE:
    if (sys->traits.definite) *next = RUNG_BY_GAMG;
    return sys->traits.definite || few ? PETSC_TRUE : PETSC_FALSE;
  case RUNG_BY_SADDLE: return PETSC_TRUE; /* which ILU does not solve */
  case RUNG_BY_ILU:
  case RUNG_BY_GAMG: return few;
  default: return PETSC_FALSE;
  }
}

/* Rounding of J x, which no residual is below: slender bodies have a large x, J x is a small difference. */
static PetscErrorCode rounding_of(Mat J, Vec x, Vec work, PetscReal *rounding)
{
  PetscFunctionBegin;
  PetscCall(MatGetDiagonal(J, work));
  PetscCall(VecPointwiseMult(work, work, x));
  PetscCall(VecNorm(work, NORM_2, rounding));
  *rounding *= PETSC_MACHINE_EPSILON;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |b - J x| <= RUNG_TRUE times what was asked for, or rounding.  CG and GMRES know their residual by recursion. */
static PetscErrorCode is_true(KSP ksp, Vec b, Vec x, PetscBool *good)
{
  PetscReal rtol, atol, size, left, rounding;
  Vec       r, own = NULL;
  Mat       J;

  PetscFunctionBegin;
  PetscCall(KSPGetTolerances(ksp, &rtol, &atol, NULL, NULL));
  PetscCall(KSPGetOperators(ksp, &J, NULL));
  if (ksp->nwork < 1) PetscCall(VecDuplicate(b, &own));
  r = own ? own : ksp->work[0]; /* nobody needs it behind a solve */
  PetscCall(MatMult(J, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(b, NORM_2, &size));
  PetscCall(VecNorm(r, NORM_2, &left));
  *good = left <= RUNG_TRUE * PetscMax(rtol * size, atol) ? PETSC_TRUE : PETSC_FALSE;
  if (!*good && left <= RUNG_ROUNDING * size) {
    PetscCall(rounding_of(J, x, r, &rounding));
    *good = left <= RUNG_TRUE * rounding ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscCall(VecDestroy(&own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* watch->own for J as it is now, with the tolerances of ksp */
static PetscErrorCode make_own(Watch *watch, KSP ksp, RungSolverKind kind, PetscReal soft)
{
  RungSolverRow   row = {.kind = kind};
  RungSolverFacts facts;

  PetscFunctionBegin;
  PetscCall(KSPDestroy(&watch->own));
  PetscCall(RungSolverGather(watch->sys, RUNG_SOLVE_ONCE, PETSC_TRUE, &facts));
  if (kind == RUNG_BY_ICC && facts.row <= 20) row.levels = 1; /* short rows, as in the table */
  RungSolverFill(watch->sys, &facts, &row, &watch->choice);
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)ksp), &watch->own));
  PetscCall(RungSolverApply(watch->sys, watch->own, &watch->choice));
  if (kind == RUNG_BY_FACTORS) PetscCall(RungSolverBalance(watch->sys, watch->own)); /* as of all factors */
  facts.kappa = watch->sys->kappa;
  if (kind == RUNG_BY_JACOBI && watch->kind == RUNG_BY_LEVELS && RungSystemSolved(watch->sys)->linear &&
      watch->sys->global <= watch->sys->most_factored) /* factors follow */
    PetscCall(KSPSetTolerances(watch->own, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT,
                               (PetscInt)(RUNG_HARDEST * RungSolverIterations(&facts))));
  if (kind == RUNG_BY_ICC && soft > 0)
    PetscCall(RungSolverEndEarly(watch->sys, &row, (PetscInt)RungSolverIccBySoftness(&facts, soft), watch->own));
  if (kind == RUNG_BY_ICC && soft > 0 && watch->sys->global <= watch->sys->most_factored) /* likewise */
    PetscCall(KSPSetTolerances(watch->own, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT,
                               (PetscInt)(RUNG_SOFTEST * RungSolverIccBySoftness(&facts, soft))));
  watch->choice.row = NULL;
  watch->next       = kind;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverFillAs(RungSystem sys, const RungFilled *filled, const Vec u[], Mat A)
{
  PetscFunctionBegin;
  switch (filled->kind) {
  case RUNG_FILLED_JACOBIAN: PetscCall(RungSystemJacobian(sys, filled->t, u, filled->slope, A)); break;
  case RUNG_FILLED_STAGE: PetscCall(RungSystemPartJacobian(sys, filled->part, filled->t, u, filled->slope, A)); break;
  case RUNG_FILLED_CONDENSED: PetscCall(RungCondenseJacobian(sys, filled->part, filled->t, u, filled->slope, A)); break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* watch->entries of J, which has none; of a linear system they depend on no state. */
static PetscErrorCode fill_entries(Watch *watch, Mat J)
{
  Vec               zero, u[RUNG_MAX_ORDER + 1];
  PetscObjectState  state;
  const RungFilled *filled;

  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet((PetscObject)J, &state));
  if (watch->entries && state == watch->filled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungFilledGet(J, &filled));
  PetscCheck(filled, watch->sys->comm, PETSC_ERR_PLIB, "nobody knows how a matrix without entries was filled");
  if (!watch->entries) PetscCall(RungSystemCreateStageMat(watch->sys, &watch->entries));
  PetscCall(RungSystemCreateVec(watch->sys, &zero));
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) u[k] = zero;
  RungCallFinally(RungSolverFillAs(watch->sys, filled, u, watch->entries), PetscCall(VecDestroy(&zero)));
  watch->filled = state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Multigrid wants rows: of one half a copy that has them.  Factors, whole or not, want entries. */
static PetscErrorCode set_operators(Watch *watch, Mat J)
{
  PetscBool half, shell;
  Mat       A = NULL, P;

  PetscFunctionBegin;
  PetscCall(RungIsShell(J, &shell));
  if (shell && (watch->next == RUNG_BY_FACTORS || watch->next == RUNG_BY_ICC || watch->next == RUNG_BY_GAMG)) {
    PetscCall(fill_entries(watch, J));
    PetscCall(KSPSetOperators(watch->own, watch->entries, watch->entries));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(KSPGetOperatorsSet(watch->own, &half, NULL));
  if (half) PetscCall(KSPGetOperators(watch->own, &A, NULL));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)J, &half, MATSEQSBAIJ, MATMPISBAIJ, ""));
  if (!half || watch->next != RUNG_BY_GAMG) {
    PetscCall(KSPSetOperators(watch->own, J, J));
  } else if (A != J) { /* it stays: what changes is not one half */
    PetscCall(MatConvert(J, MATAIJ, MAT_INITIAL_MATRIX, &P));
    PetscCall(KSPSetOperators(watch->own, J, P));
    PetscCall(MatDestroy(&P));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve_own(Watch *watch, KSP ksp, Vec b, Vec x, PetscBool *good)
{
  PetscReal rtol, atol, norm;
  PetscInt  its;
  Mat       J;

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(ksp, &J, NULL));
  PetscCall(KSPGetTolerances(ksp, &rtol, &atol, NULL, NULL));
  PetscCall(KSPSetTolerances(watch->own, rtol, atol, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(set_operators(watch, J));
  if (watch->next == RUNG_BY_ICC) PetscCall(RungSolverSetBlocks(watch->own, &watch->choice));
  PetscCall(VecNorm(x, NORM_2, &norm));
  if (PetscIsInfOrNanReal(norm)) PetscCall(VecZeroEntries(x));
  PetscCall(KSPSetInitialGuessNonzero(watch->own, watch->next == RUNG_BY_FACTORS ? PETSC_FALSE : PETSC_TRUE));
  PetscCall(KSPSolve(watch->own, b, x));
  PetscCall(KSPGetConvergedReason(watch->own, &ksp->reason));
  PetscCall(KSPGetIterationNumber(watch->own, &its));
  ksp->its += its;
  *good = ksp->reason > 0 ? PETSC_TRUE : PETSC_FALSE;
  if (*good && watch->next != RUNG_BY_FACTORS)
    PetscCall(is_true(ksp, b, x, good)); /* of thin plates rounding is more */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Diffusion beside which convection is small: incomplete factors take more iterations the finer the mesh is.  Many solves
   with one matrix sweep through factors where unknowns without a rate, as the displacement of Biot's equations, hold on to the others: iterations
   of levels with whole rows are ten times as dear as those of diffusion. */
static PetscErrorCode try_levels(RungSystem sys, PetscBool *levels)
{
  RungSolverFacts facts;
  char            why[512] = "";

  PetscFunctionBegin;
  *levels = PETSC_FALSE;
  PetscCall(RungSolverGather(sys, RungSystemSolved(sys)->constant_jacobian ? RUNG_SOLVE_KEPT : RUNG_SOLVE_NEWTON,
                             PETSC_TRUE, &facts));
  if (facts.algebraic && facts.ahead >= RUNG_MANY && facts.n <= sys->most_factored) PetscFunctionReturn(PETSC_SUCCESS);
  if (facts.behind) PetscCall(RungLevelsExplain(sys, why, sizeof why));
  *levels = facts.behind && !why[0] ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Behind ILU that was to take few iterations: levels, once; for more entries than factors are taken for, ILU with as many as it takes. */
static PetscErrorCode find_behind_trial(Watch *watch, RungSolverKind failed, RungSolverKind *next, PetscBool *followed)
{
  PetscBool levels;

  PetscFunctionBegin;
  if (failed == RUNG_BY_ILU && !watch->spent) {
    PetscCall(try_levels(watch->sys, &levels));
    if (levels) *next = RUNG_BY_LEVELS;
    if (levels) *followed = PETSC_TRUE;
  }
  if (failed != RUNG_BY_ILU && failed != RUNG_BY_LEVELS) PetscFunctionReturn(PETSC_SUCCESS);
  if (*followed || !watch->tried || watch->spent) PetscFunctionReturn(PETSC_SUCCESS);
  *next        = RUNG_BY_ILU;
  *followed    = PETSC_TRUE;
  watch->spent = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is the type of J, as of -system_mat_type dense, one that only products know?  Then nothing follows Jacobi. */
static PetscErrorCode knows_products(Mat J, PetscBool *products)
{
  PetscBool lu, cholesky;

  PetscFunctionBegin;
  PetscCall(MatGetFactorAvailable(J, MATSOLVERMUMPS, MAT_FACTOR_LU, &lu));
  PetscCall(MatGetFactorAvailable(J, MATSOLVERMUMPS, MAT_FACTOR_CHOLESKY, &cholesky));
  *products = lu || cholesky ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The way that follows `failed` for J; *followed: there is one.  What multigrid on degrees was ended for is known.  Where
   it fails, as of thin plates, Jacobi may take thousands of iterations, many more than are estimated: where factors take less by the estimates,
   these are taken at once. */
static PetscErrorCode find_next(Watch *watch, KSP ksp, Mat J, RungSolverKind failed, PetscReal soft,
                                RungSolverKind *next, PetscBool *followed)
{
  const RungSystem sys  = watch->sys;
  const PetscReal  left = watch->own ? PETSC_INFINITY : RungSolverLeft(ksp);
  RungSolverKind   other;
  PetscBool        shell, products, faster;

  PetscFunctionBegin;
  if (failed == RUNG_BY_LEVELS && !watch->own && ksp->reason == KSP_DIVERGED_INDEFINITE_PC && sys->traits.definite &&
      !sys->wary) {
    sys->wary = *followed = PETSC_TRUE;
    *next                 = RUNG_BY_LEVELS;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungIsShell(J, &shell));
  PetscCall(knows_products(J, &products));
  *followed = RungSolverIsFollowed(sys, failed, shell && !watch->entries ? PETSC_TRUE : PETSC_FALSE, next);
  if (products && !shell) *followed = PETSC_FALSE;
  PetscCall(find_behind_trial(watch, failed, next, followed));
  if ((failed == RUNG_BY_JACOBI || failed == RUNG_BY_ICC) && watch->kind == RUNG_BY_LEVELS &&
      RungSystemSolved(sys)->linear && sys->global <= sys->most_factored)
    *next = RUNG_BY_FACTORS; /* levels have failed, too */
  if (failed == RUNG_BY_ICC && !watch->own && RungSolverMadePlace(ksp, &other)) {
    *next     = other;
    *followed = PETSC_TRUE;
  }
  if (failed == RUNG_BY_HYPRE && (left < PETSC_INFINITY || watch->tried))
    *next = RUNG_BY_FACTORS; /* it was ended for them */
  if (failed == RUNG_BY_HYPRE && watch->tried) *followed = PETSC_TRUE;
  if (failed != RUNG_BY_LEVELS) PetscFunctionReturn(PETSC_SUCCESS);
  if (watch->own || !RungSolverMadePlace(ksp, &other))
    PetscCall(RungSolverIsIccFaster(sys, J, left, soft, &faster));
  else
    faster = other == RUNG_BY_ICC ? PETSC_TRUE : PETSC_FALSE;
  if (faster) *next = RUNG_BY_ICC;
  if (faster || !RungSystemSolved(sys)->linear) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSolverIsOtherFaster(sys, failed, J, left, &other, &faster));
  if (other == RUNG_BY_FACTORS) *next = other;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the user has decided fails in his words, and where he wants no entries nothing else can be made.  A trial is no decision of
   his: a tolerance or a count of iterations that he gives says nothing of what comes behind it. */
static PetscErrorCode may_change(const Watch *watch, KSP ksp, PetscBool *may)
{
  static const char *const option[] = {"-ksp_type", "-pc_type", "-ksp_max_it", "-ksp_rtol"};
  PetscBool                given;

  PetscFunctionBegin;
  PetscCall(RungSolverIsGiven(ksp, watch->tried ? 2 : PETSC_STATIC_ARRAY_LENGTH(option), option, &given));
  *may = given || watch->sys->matrix_free ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Was it ended for the iterations that it had left, or has it spent those that a trial has, and not failed? */
static PetscBool is_dearer(const Watch *watch, KSP ksp)
{
  RungSolverKind other;

  if (watch->tried && ksp->reason == KSP_DIVERGED_ITS) return PETSC_TRUE;
  return RungSolverMadePlace(ksp, &other) && (watch->kind == RUNG_BY_ICC || RungSolverLeft(ksp) < PETSC_INFINITY)
           ? PETSC_TRUE
           : PETSC_FALSE;
}

static PetscErrorCode make_good(Watch *watch, KSP ksp, Vec b, Vec x)
{
  const KSPConvergedReason first  = ksp->reason;
  RungSolverKind           failed = watch->own ? watch->next : watch->kind, next;
  const PetscBool          dearer = !watch->own && is_dearer(watch, ksp) ? PETSC_TRUE : PETSC_FALSE;
  PetscBool                good   = PETSC_FALSE;
  PetscBool                fresh  = PETSC_FALSE, followed;
  PetscReal                soft   = RungSolverSoftness(ksp);
  Mat                      J;

  PetscFunctionBegin;
  if (watch->own) PetscCall(solve_own(watch, ksp, b, x, &good));
  PetscCall(KSPGetOperators(ksp, &J, NULL));
  while (!good) {
    PetscCall(find_next(watch, ksp, J, failed, soft, &next, &followed));
    if (!followed) break;
    PetscCall(make_own(watch, ksp, next, soft));
    PetscCall(solve_own(watch, ksp, b, x, &good));
    failed = next;
    fresh  = PETSC_TRUE;
  }
  if (good && fresh) PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, 1));
  if (good && fresh && (failed != RUNG_BY_LEVELS || watch->kind != RUNG_BY_LEVELS)) {
    const char *name = failed == RUNG_BY_GAMG     ? PCGAMG
                       : failed == RUNG_BY_JACOBI ? PCJACOBI
                       : failed == RUNG_BY_LEVELS ? PCMG
                       : failed == RUNG_BY_ILU    ? PCILU
                       : failed == RUNG_BY_ICC    ? PCICC
                                                  : "lu or cholesky";

    PetscCall(PetscStrncpy(watch->sys->tuned_next, name, sizeof watch->sys->tuned_next));
    watch->sys->tuned_dearer = dearer || failed == RUNG_BY_ICC ? PETSC_TRUE
                                                               : PETSC_FALSE; /* which multigrid was too slow for */
    if (!watch->tried && !watch->sys->tuned_dearer)
      PetscCall(RungSystemWarn(watch->sys,
                               "the solver chosen by default has failed (%s); solved by -pc_type %s from now on",
                               KSPConvergedReasons[first], name));
  }
  if (!good) PetscCall(KSPDestroy(&watch->own));
  if (!good) ksp->reason = first;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is b one whose scalar products, which iterations make of it and of J b, are finite?  Steps that are refused for their error may have led
   anywhere. */
static PetscErrorCode is_finite(Vec b, PetscBool *finite)
{
  PetscReal size;

  PetscFunctionBegin;
  PetscCall(VecNorm(b, NORM_2, &size));
  *finite = size < PetscPowReal(PETSC_MAX_REAL, 0.25) ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What moves and was ended for levels: they solve it, and all that follows.  Else *cost tells whether it was ended for factors. */
static PetscErrorCode follow_moving(Watch *watch, KSP ksp, Vec b, Vec x, PetscBool *good, PetscBool *cost)
{
  const KSPConvergedReason first = ksp->reason;
  RungSolverKind           other = watch->kind;
  PetscBool                ended;
  PC                       pc;

  PetscFunctionBegin;
  ended = RungSolverMadePlace(ksp, &other);
  *cost = ended && other == RUNG_BY_FACTORS ? PETSC_TRUE : PETSC_FALSE;
  if (!watch->own && !(ended && other == RUNG_BY_LEVELS)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!watch->own) {
    PetscCall(make_own(watch, ksp, RUNG_BY_LEVELS, 0));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCNONE));
    PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, 1));
    PetscCall(PetscStrncpy(watch->sys->tuned_next, PCMG, sizeof watch->sys->tuned_next));
    watch->sys->tuned_dearer = PETSC_TRUE;
  }
  PetscCall(solve_own(watch, ksp, b, x, good));
  if (*good) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPDestroy(&watch->own));
  watch->sys->tuned_next[0] = 0;
  ksp->reason               = first;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode finish(KSP ksp, Vec b, Vec x, void *ctx)
{
  Watch    *watch = (Watch *)ctx;
  PetscInt  n;
  PetscBool good = ksp->reason >= 0 ? PETSC_TRUE : PETSC_FALSE, may, finite = PETSC_TRUE, cost = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RungSolverProve(watch->sys, ksp, b, x));
  PetscCall(VecGetSize(x, &n));
  if (n != watch->sys->global) PetscFunctionReturn(PETSC_SUCCESS); /* on the subspace that bounds leave */
  if (!good) PetscCall(is_finite(b, &finite));
  if (!finite) PetscFunctionReturn(PETSC_SUCCESS); /* no solver helps */
  if (good &&
      (watch->presumed || watch->kind == RUNG_BY_HYPRE || watch->kind == RUNG_BY_GAMG || watch->kind == RUNG_BY_LEVELS))
    PetscCall(is_true(ksp, b, x, &good));
  if (!good && watch->moving) PetscCall(follow_moving(watch, ksp, b, x, &good, &cost));
  if (!good && watch->presumed) {
    watch->sys->presumption = RUNG_PRESUMED_WRONGLY;
    watch->sys->disproved   = cost ? PETSC_FALSE : PETSC_TRUE;
    if (ksp->reason >= 0) ksp->reason = KSP_DIVERGED_BREAKDOWN;
  } else if (!good) {
    PetscCall(may_change(watch, ksp, &may));
    if (may) PetscCall(make_good(watch, ksp, b, x));
  }
  if (watch->extends) PetscCall(extend(watch->sys, ksp, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode watch_destroy(RungContainerArg arg)
{
  Watch *watch = (Watch *)RungContainerPointer(arg);

  PetscFunctionBegin;
  PetscCall(KSPDestroy(&watch->own));
  PetscCall(MatDestroy(&watch->entries));
  PetscCall(PetscFree(watch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverWatch(RungSystem sys, KSP ksp, const RungSolver *choice)
{
  MatNullSpace    null;
  RungSolverFacts facts;
  Watch          *watch;

  PetscFunctionBegin;
  PetscCall(RungComposedCreate((PetscObject)ksp, HOOK, sizeof *watch, watch_destroy, &watch));
  PetscCall(RungNullSpacesGet(sys, &null));
  watch->sys      = sys;
  watch->kind     = choice->row->kind;
  watch->presumed = choice->presumed;
  watch->moving   = choice->moving;
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_NEWTON, PETSC_TRUE, &facts));
  if (watch->kind == RUNG_BY_LEVELS || ((watch->kind == RUNG_BY_ILU || watch->moving) && facts.behind))
    sys->keep_filled = PETSC_TRUE; /* levels come to the states of matrices */
  watch->tried   = RungSolverIsTried(choice->row) ||
                     ((facts.refuted || facts.coupled) && watch->kind == RUNG_BY_LEVELS) ||
                     (watch->kind == RUNG_BY_SADDLE && !RungSystemSolved(sys)->linear)
                     ? PETSC_TRUE
                     : PETSC_FALSE;
  watch->extends = null || (sys->form && (sys->form->constraints || sys->form->condense)) ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(KSPSetPostSolve(ksp, finish, watch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverHasChanged(RungSystem sys, KSP ksp, PetscBool *changed)
{
  Watch    *watch;
  PetscBool levels;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(RungComposedFind((PetscObject)ksp, HOOK, &watch));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCMG, &levels));
  *changed = (watch && watch->own) || (levels && !RungSystemSolved(sys)->linear) ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverReconsider(KSP ksp, Mat J)
{
  PetscReal turn;
  Watch    *watch;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(RungComposedFind((PetscObject)ksp, HOOK, &watch));
  if (!watch || !watch->tried || watch->kind != RUNG_BY_HYPRE) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(RungMatTurn(J, &turn));
  if (turn <= RUNG_TURN) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
  watch->kind = RUNG_BY_FACTORS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverMayGiveUp(KSP ksp, PetscBool *may, PetscBool *gave)
{
  Watch *watch;

  PetscFunctionBegin;
  PetscCall(RungComposedFind((PetscObject)ksp, HOOK, &watch));
  *may  = watch && watch->tried ? PETSC_TRUE : PETSC_FALSE;
  *gave = *may && watch->own && watch->next == RUNG_BY_FACTORS ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverTakeFactors(KSP ksp, const char type[], PC *made)
{
  Watch    *watch;
  PetscBool same = PETSC_FALSE;
  PC        pc;

  PetscFunctionBegin;
  *made = NULL;
  PetscCall(RungComposedFind((PetscObject)ksp, HOOK, &watch));
  if (!watch || !watch->own || watch->next != RUNG_BY_FACTORS || watch->entries) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetPC(watch->own, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, type, &same));
  if (!same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectReference((PetscObject)pc));
  *made = pc;
  PetscFunctionReturn(PETSC_SUCCESS);
}
