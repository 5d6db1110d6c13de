/* levels_pc.c - PETSc's PCMG on the levels of a system: its cycles, smoothers and options, our operators and transfers.

   Chebyshev iterations of degree 2 with the operator's diagonal smooth; their bounds are estimates.
   Chebyshev iterations grow without limit where convection turns eigenvalues off the real axis.  GMRES smooths there, within
   FGMRES alone, since GMRES is not linear.  Levels and transfers stay.  A set-up of the preconditioner, whose matrix has changed
   then, renews the diagonal of the finest smoother; where the coarser operators serve no longer (levels_kept.c), it fills them
   at the state of the matrix, restricted to their nodes, and the bounds of all smoothers are estimated anew (levels_bounds.c). */
#include "levels_impl.h"
#include <petsc/private/pcimpl.h> /* ops->setup: PCMG asks nobody for the operators of a new matrix */

#define HOOK    "RungLevelsHook"
#define SMOOTH  2 /* Chebyshev iterations before and after a coarser level */
#define LANCZOS 4 /* steps for the bounds (levels_lanczos.c) */
#define WARY                                                                                                           \
  28 /* .. where bounds of so few have failed: of slivers few entries have eigenvalues of their own, which few steps do not see */
#define ESTIMATE  7 /* .. iterations of GMRES, of what is not definite: 6 find the same counts of solves as PETSc's 10 */
#define SYMMETRIC 1e-6 /* |J x - J^T x| / |J x| of rounding, and of convection that nobody feels */
#define MANY      50   /* iterations of a solve that somebody is told of: by default Jacobi takes over there */

/* Of one preconditioner; hangs on it. */
typedef struct {
  RungSystem     sys;     /* lent */
  PetscInt       unknown; /* whose block it is for, RUNG_WHOLE: all are in it */
  RungLevels    *levels;  /* lent by the system */
  KSP            ksp;     /* lent: who solves with J, and counts iterations */
  KSP            inner;   /* lent: of the coarsest level, where few ranks solve */
  RungLevelsKept kept;
  PetscBool      turning;                                 /* GMRES smooths */
  PetscBool      told;                                    /* of many iterations */
  Mat            A[RUNG_LEVELS_MOST];                     /* owned, of the coarser levels */
  Mat            block[RUNG_LEVELS_MOST];                 /* owned, their blocks; NULL of all unknowns */
  Mat            P[RUNG_LEVELS_MOST];                     /* owned, transfers, of the block */
  Vec            u[RUNG_LEVELS_MOST][RUNG_MAX_ORDER + 1]; /* owned, their states; NULL of linear systems */
  PetscErrorCode (*set_up)(PC);                           /* of PCMG */
} Hook;

static PetscErrorCode destroy_hook(RungContainerArg arg)
{
  Hook *hook = (Hook *)RungContainerPointer(arg);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < RUNG_LEVELS_MOST; ++i) {
    PetscCall(MatDestroy(&hook->A[i]));
    PetscCall(MatDestroy(&hook->block[i]));
    PetscCall(MatDestroy(&hook->P[i]));
    for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) PetscCall(VecDestroy(&hook->u[i][k]));
  }
  PetscCall(RungLevelsKeptDestroy(&hook->kept));
  PetscCall(PetscFree(hook));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- operators ------------------------------------------------------------------------------------------------------ */

/* The state of level i, at the nodes that it has of those of the next finer one. */
static PetscErrorCode restrict_state(Hook *hook, const RungFilled *filled, PetscInt i)
{
  const RungLevels *levels = hook->levels;

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= hook->sys->traits.order; ++k) {
    const Vec from = i == levels->n - 2 ? filled->u[k] : hook->u[i + 1][k];

    if (!hook->u[i][k]) PetscCall(RungSystemCreateVec(levels->sys[i], &hook->u[i][k]));
    if (levels->down[i + 1]) PetscCall(RungNestedApply(levels->down[i + 1], from, hook->u[i][k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill_level(Hook *hook, const RungFilled *filled, PetscInt i)
{
  RungSystem sys = hook->levels->sys[i];

  PetscFunctionBegin;
  PetscCall(RungCoarseFollow(sys));
  PetscCall(restrict_state(hook, filled, i));
  if (!hook->A[i] && filled->kind == RUNG_FILLED_CONDENSED)
    PetscCall(RungSystemCreateStageMat(sys, &hook->A[i]));
  else if (!hook->A[i])
    PetscCall(RungSystemCreateMat(sys, &hook->A[i]));
  PetscCall(RungSolverFillAs(sys, filled, hook->u[i], hook->A[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The operator of a coarser level: the whole Jacobian, or the block in it. */
static PetscErrorCode cut_block(Hook *hook, PetscInt i)
{
  MatNullSpace near;
  IS           is;

  PetscFunctionBegin;
  if (hook->unknown == RUNG_WHOLE) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungBlockIS(hook->levels->sys[i], hook->unknown, &is));
  PetscCall(
    MatCreateSubMatrix(hook->A[i], is, is, hook->block[i] ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, &hook->block[i]));
  PetscCall(ISDestroy(&is));
  PetscCall(RungNullSpacesGetNear(hook->levels->sys[i], hook->unknown, &near));
  PetscCall(MatSetNearNullSpace(hook->block[i], near));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- solvers of levels ---------------------------------------------------------------------------------------------- */

static PetscErrorCode clear_fixed_of_block(KSP ksp, Vec b, Vec x, void *P)
{
  PetscFunctionBegin;
  (void)ksp;
  (void)x;
  PetscCall(RungTransferClearBlock((Mat)P, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of the identity have the eigenvalue 1 whatever the units of the others are, which would drown them. */
static PetscErrorCode clear_fixed(KSP ksp, Vec b, Vec x, void *P)
{
  PetscFunctionBegin;
  (void)ksp;
  (void)x;
  PetscCall(RungTransferClear((Mat)P, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The lower bound of smoothers: what is below is left to the coarser level, more of it where that is good at it. */
static PetscErrorCode find_lowest(const Hook *hook, PetscReal *lowest)
{
  const RungFormSide form = hook->sys->form;

  PetscFunctionBegin;
  *lowest = RUNG_SMOOTHER_TENSOR;
  for (PetscInt f = 0; f < form->unknowns; ++f) {
    const RungSpaceData *space;
    const RungMeshData  *mesh;

    if (hook->unknown != RUNG_WHOLE && hook->unknown != f) continue;
    PetscCall(RungSpaceGetData(form->space[f], &space));
    PetscCall(RungMeshGetData(space->mesh, &mesh));
    if (space->components > 1 || RungCellGet(mesh->type)->simplex) *lowest = RUNG_SMOOTHER_LOWEST;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_smoother(const Hook *hook, PC pc, PetscInt i)
{
  const PetscBool whole = hook->unknown == RUNG_WHOLE ? PETSC_TRUE : PETSC_FALSE;
  PetscReal       lowest;
  KSP             ksp, estimate;
  PC              jacobi;

  PetscFunctionBegin;
  PetscCall(PCMGGetSmoother(pc, i, &ksp));
  PetscCall(KSPSetType(ksp, KSPCHEBYSHEV));
  PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, SMOOTH));
  PetscCall(find_lowest(hook, &lowest));
  PetscCall(KSPChebyshevEstEigSet(ksp, 0, lowest, 0, RUNG_SMOOTHER_HIGHEST));
  PetscCall(KSPChebyshevEstEigGetKSP(ksp, &estimate));
  if (estimate && hook->sys->traits.definite) PetscCall(KSPSetType(estimate, KSPCG));
  if (estimate)
    PetscCall(KSPSetTolerances(estimate, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT,
                               hook->sys->traits.definite ? (hook->sys->wary ? WARY : LANCZOS) : ESTIMATE));
  if (estimate) PetscCall(KSPSetPreSolve(estimate, whole ? clear_fixed : clear_fixed_of_block, hook->P[i]));
  PetscCall(KSPGetPC(ksp, &jacobi));
  PetscCall(PCSetType(jacobi, PCJACOBI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The smoothers that this matrix needs, where the user names none. */
static PetscErrorCode choose_smoothers(Hook *hook, PC pc, Mat B)
{
  static const char *const option[] = {"-ksp_type"};
  PetscBool                turning, flexible;
  PetscReal                turn;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)hook->ksp, KSPFGMRES, &flexible));
  PetscCall(MatHasOperation(B, MATOP_MULT_TRANSPOSE, &turning));
  if (!flexible || !turning) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungMatTurn(B, &turn));
  turning = turn > SYMMETRIC ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt i = 1; i < hook->levels->n && turning != hook->turning; ++i) {
    PetscBool given;
    KSP       level;

    PetscCall(PCMGGetSmoother(pc, i, &level));
    PetscCall(RungSolverIsGiven(level, 1, option, &given));
    if (given) continue;
    if (turning)
      PetscCall(KSPSetType(level, KSPGMRES));
    else
      PetscCall(set_smoother(hook, pc, i));
    PetscCall(KSPSetFromOptions(level));
  }
  hook->turning = turning;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- set-up ---------------------------------------------------------------------------------------------------------- */

/* In the place of PCMG's own set-up, which it calls. */
static PetscErrorCode set_up(PC pc)
{
  const RungFilled *filled;
  PetscInt          n;
  PetscReal         lowest;
  PetscBool         serve;
  Hook             *hook;
  Mat               A, B, J;

  PetscFunctionBegin;
  PetscCall(RungComposedFind((PetscObject)pc, HOOK, &hook));
  n = hook->levels->n;
  PetscCall(PCGetOperators(pc, &A, &B));
  PetscCall(KSPGetOperators(hook->ksp, NULL, &J));
  PetscCall(RungFilledGet(hook->unknown == RUNG_WHOLE ? B : J, &filled));
  PetscCheck(filled && (RungSystemSolved(hook->sys)->linear || filled->u[0]), hook->sys->comm, PETSC_ERR_ORDER,
             "-pc_type mg: the matrix was %s, so that nobody knows %s coarser levels; fill it by RungSystemJacobian "
             "after RungSystemSetSolverDefaults",
             filled ? "filled before its solver was made" : "not filled by the system",
             filled ? "the state for" : "what to fill in");
  PetscCall(RungLevelsServe(hook->sys, &hook->kept, hook->ksp, B, filled, &serve));
  for (PetscInt i = n - 2; i >= 0 && !serve; --i) {
    PetscCall(fill_level(hook, filled, i));
    if (!i) PetscCall(RungTransferScale(hook->levels->P[1], hook->A[0]));
    PetscCall(cut_block(hook, i));
  }
  if (!serve) PetscCall(RungLevelsKeep(hook->sys, &hook->kept, B, filled));
  for (PetscInt i = 1; i < n; ++i) PetscCall(PCMGSetInterpolation(pc, i, hook->P[i]));
  for (PetscInt i = 0; i < n; ++i) {
    const Mat own = hook->block[i] ? hook->block[i] : hook->A[i];
    KSP       level;

    PetscCall(PCMGGetSmoother(pc, i, &level));
    PetscCall(KSPSetOperators(level, i < n - 1 ? own : A, i < n - 1 ? own : B));
  }
  PetscCall(choose_smoothers(hook, pc, B));
  PetscCall(find_lowest(hook, &lowest));
  for (PetscInt i = 1; i < n; ++i) {
    KSP level;

    PetscCall(PCMGGetSmoother(pc, i, &level));
    PetscCall(RungBoundsKeep(level, i == n - 1 ? serve : PETSC_FALSE));
    PetscCall(RungSmootherSet(level, lowest));
  }
  PetscCall(RungCoarsestSetUp(hook->levels->sys[0], hook->unknown, pc, hook->block[0] ? hook->block[0] : hook->A[0],
                              &hook->inner));
  PetscCall((*hook->set_up)(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PCMG in the place of ksp's preconditioner; outer: who solves with J. */
static PetscErrorCode attach(RungSystem sys, PetscInt unknown, KSP outer, KSP ksp)
{
  RungLevels *levels;
  Hook       *hook;
  PC          pc;
  PetscErrorCode (*original)(PC);

  PetscFunctionBegin;
  PetscCall(RungLevelsGet(sys, unknown, &levels));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCMG));
  PetscCall(PCMGSetLevels(pc, levels->n, NULL));
  original = pc->ops->setup;
  PetscCall(RungComposedFind((PetscObject)pc, HOOK, &hook));
  if (hook && original == set_up) original = hook->set_up;                             /* asked for before */
  if (hook && pc->setupcalled && hook->levels == levels && hook->unknown == unknown) { /* by a trial */
    hook->ksp = outer;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungComposedCreate((PetscObject)pc, HOOK, sizeof *hook, destroy_hook, &hook));
  hook->sys      = sys;
  hook->unknown  = unknown;
  hook->levels   = levels;
  hook->ksp      = outer;
  hook->set_up   = original;
  pc->ops->setup = set_up;
  for (PetscInt i = 1; i < levels->n; ++i) {
    if (unknown == RUNG_WHOLE) {
      PetscCall(PetscObjectReference((PetscObject)levels->P[i]));
      hook->P[i] = levels->P[i];
    } else
      PetscCall(RungTransferOfBlock(levels->P[i], levels->sys[i - 1], levels->sys[i], unknown, &hook->P[i]));
  }
  PetscCall(RungCoarsestSet(levels->sys[0], unknown, pc));
  for (PetscInt i = 1; i < levels->n; ++i) PetscCall(set_smoother(hook, pc, i));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLevelsAttach(RungSystem sys, KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(KSPSetErrorIfNotConverged(ksp, PETSC_FALSE));
  PetscCall(KSPSetType(ksp, sys->traits.definite ? KSPCG : KSPFGMRES));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetTolerances(ksp, RUNG_KSP_RTOL, PETSC_CURRENT, PETSC_CURRENT, 2000));
  PetscCall(attach(sys, RUNG_WHOLE, ksp, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLevelsAttachBlock(RungSystem sys, PetscInt unknown, KSP outer, KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(attach(sys, unknown, outer, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLevelsPrepare(RungSystem sys, KSP ksp)
{
  const char *prefix;
  char        type[64] = "", why[512] = "";
  PetscBool   set, mg, above, sure;

  PetscFunctionBegin;
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  PetscCall(PetscOptionsGetString(NULL, prefix, "-pc_type", type, sizeof type, &set));
  PetscCall(PetscStrcmp(type, PCMG, &mg));
  if (!mg || !sys->form) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungLevelsBelow(sys, &above, &sure));
  if (!sure) PetscCall(RungLevelsExplain(sys, why, sizeof why));
  if (!why[0])
    PetscCall(RungLevelsAttach(sys, ksp));
  else
    PetscCall(RungSystemWarn(sys,
                             "-pc_type mg: the system has no coarser levels: %s; PETSc's one level is a smoother, and "
                             "iterations grow with the mesh",
                             why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLevelsTellMany(RungSystem sys, KSP ksp)
{
  PetscInt its;
  Hook    *hook;
  PC       pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(RungComposedFind((PetscObject)pc, HOOK, &hook));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  if (!hook || pc->ops->setup != set_up || hook->told || its <= MANY) PetscFunctionReturn(PETSC_SUCCESS);
  if (!sys->given_solver) PetscFunctionReturn(PETSC_SUCCESS); /* chosen in view of what else there is */
  hook->told = PETSC_TRUE;
  PetscCall(
    RungSystemWarn(sys,
                   "-pc_type mg took %" PetscInt_FMT
                   " iterations of a solve: there is what its smoothers do not damp, as in bodies that are nearly "
                   "incompressible, or where cells are long; compare the solver that is chosen without it",
                   its));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLevelsCheck(RungSystem sys, PC pc, PetscBool *ours)
{
  PCMGGalerkinType galerkin;
  PetscInt         n;
  PetscBool        mg;
  Hook            *hook;

  PetscFunctionBegin;
  *ours = PETSC_FALSE;
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCMG, &mg));
  PetscCall(RungComposedFind((PetscObject)pc, HOOK, &hook));
  if (!mg || !hook || pc->ops->setup != set_up) PetscFunctionReturn(PETSC_SUCCESS);
  *ours = PETSC_TRUE;
  PetscCall(PCMGGetLevels(pc, &n));
  PetscCheck(n == hook->levels->n, sys->comm, PETSC_ERR_ARG_WRONG,
             "-pc_mg_levels %" PetscInt_FMT ", but the system has %" PetscInt_FMT
             " levels; name the degrees below its own by -system_levels, as in -system_levels 2,1",
             n, hook->levels->n);
  PetscCall(PCMGGetGalerkin(pc, &galerkin));
  PetscCheck(
    galerkin == PC_MG_GALERKIN_NONE, sys->comm, PETSC_ERR_SUP,
    "-pc_mg_galerkin wants transfers with entries, those of levels have none; leave it out: coarser operators are "
    "filled from the forms");
  PetscFunctionReturn(PETSC_SUCCESS);
}
