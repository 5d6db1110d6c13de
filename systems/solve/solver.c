/* solver.c - linear solvers chosen by what the system is and how large; always before KSPSetFromOptions().

   Up to RUNG_DIRECT_SMALL entries a factorisation is cheaper than thinking about it.  Above, a definite matrix is given
   to conjugate gradients; with which preconditioner is decided when there is a matrix (solver_tune.c).  A matrix that is
   not definite stays with a factorisation as long as its fill is bearable, a saddle point always: without knowledge of
   its blocks it has no preconditioner, and ILU meets its zeros.  Newton's method keeps the factors of an older matrix while they
   precondition the present one well: a factorisation costs as much as some twenty sweeps. */
#define _GNU_SOURCE /* dladdr */
#include "solver_impl.h"
#include <dlfcn.h>
#include <stdlib.h>

#define RUNG_DIRECT_TINY   500    /* PETSc's own factorisation, which has no set-up to speak of; has no pivoting */
#define RUNG_DIRECT_LAGGED 2000   /* Newton keeps factors from here on                                           */
#define RUNG_DIRECT_SMALL  20000  /* direct whatever the matrix is                                               */
#define RUNG_DIRECT_LARGE  200000 /* direct where the matrix is not evidently definite; saddle points always      */

/* Declared algebraic entries leave zeros on the diagonal. */
static PetscBool needs_pivoting(RungSystem sys)
{
  MatNullSpace null;

  (void)RungNullSpacesGet(sys, &null);
  if (null) return PETSC_TRUE;
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) {
    if (sys->traits.unknown_order[f] <= 0) return PETSC_TRUE;
  }
  return sys->differential || sys->rated ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode RungSolverHasVectors(RungSystem sys, PetscBool *flag)
{
  PetscFunctionBegin;
  *flag = PETSC_FALSE;
  for (PetscInt f = 0; sys->form && f < sys->traits.unknowns; ++f) {
    RungSpace            space;
    const RungSpaceData *data;

    PetscCall(RungSystemGetUnknown(sys, f, NULL, &space));
    PetscCall(RungSpaceGetData(space, &data));
    if (data->components > 1) *flag = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks are weighted by unknown: where rates of first and of second order meet, alpha methods weight the two sides of a
   symmetric coupling apart.  Values have weight 1 everywhere. */
static PetscBool stays_symmetric(RungSystem sys)
{
  PetscInt order = 0;

  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) {
    const PetscInt mine = PetscMax(0, sys->traits.unknown_order[f]);

    if (order && mine && mine != order) return PETSC_FALSE;
    order = PetscMax(order, mine);
  }
  return sys->traits.symmetric;
}

/* n entries */
void RungSolverDirect(RungSystem sys, PetscMPIInt size, PetscInt n, RungSolver *choice)
{
  const PetscBool own  = size == 1 && n <= RUNG_DIRECT_TINY && !needs_pivoting(sys) ? PETSC_TRUE : PETSC_FALSE;
  const PetscBool baij = sys->typed && !strcmp(sys->mat_type, MATBAIJ) ? PETSC_TRUE : PETSC_FALSE;

  choice->ksp     = KSPPREONLY;
  choice->pc      = stays_symmetric(sys) && !baij ? PCCHOLESKY : PCLU; /* MUMPS has no Cholesky of BAIJ */
  choice->package = own ? MATSOLVERPETSC : MATSOLVERMUMPS;
}

/* What is not stored as AIJ, BAIJ or SBAIJ has no factorisation that all installations know. */
static PetscBool can_factor(RungSystem sys)
{
  return !sys->matrix_free && (!sys->typed || !strcmp(sys->mat_type, MATBAIJ) || !strcmp(sys->mat_type, MATSBAIJ))
           ? PETSC_TRUE
           : PETSC_FALSE;
}

/* A field without a block of its own on the diagonal: a pressure, a multiplier.  What is eliminated couples with nothing,
   and the few rows of numbers (R) fill in. */
static PetscErrorCode has_saddle(RungSystem sys, PetscBool stage, PetscBool *saddle)
{
  const PetscBool *couple, *fixed;

  PetscFunctionBegin;
  *saddle = PETSC_FALSE;
  if (!sys->form) PetscFunctionReturn(PETSC_SUCCESS);
  RungCondensePattern(sys, stage && sys->form->condense ? PETSC_TRUE : PETSC_FALSE, &couple, &fixed);
  for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
    const PetscBool     *row   = couple + f * sys->form->unknowns;
    PetscBool            reads = PETSC_FALSE;
    const RungSpaceData *data;

    PetscCall(RungSpaceGetData(sys->form->space[f], &data));
    for (PetscInt g = 0; g < sys->form->unknowns; ++g) reads = reads || row[g] ? PETSC_TRUE : PETSC_FALSE;
    if (reads && !row[f] && !data->single) *saddle = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* stage: internal variables are eliminated */
PetscErrorCode RungSolverChoose(RungSystem sys, RungSolverUse use, PetscBool stage, RungSolver *choice)
{
  const RungTraits *traits = &sys->traits;
  const PetscInt    n      = sys->global - (stage ? RungCondensedEntries(sys) : 0);
  PetscReal         row;
  PetscInt          dim;
  PetscMPIInt       size;
  PetscBool         saddle;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(sys->comm, &size));
  PetscCall(has_saddle(sys, stage, &saddle));
  memset(choice, 0, sizeof *choice);
  if (!can_factor(sys)) {
    choice->ksp = traits->definite ? KSPCG : KSPGMRES;
    choice->pc  = PCJACOBI;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (n <= RUNG_DIRECT_SMALL || (!traits->definite && (n <= RUNG_DIRECT_LARGE || saddle))) {
    RungSolverDirect(sys, size, n, choice);
    if (use == RUNG_SOLVE_NEWTON && n > RUNG_DIRECT_LAGGED) {
      choice->ksp  = KSPFGMRES; /* one sweep less than GMRES, and the true residual */
      choice->rtol = RUNG_NEWTON_RTOL;
    }
  } else if (traits->definite) {
    PetscCall(RungSolverDimension(sys, &dim));
    PetscCall(RungSolverRow(sys, &row));
    choice->ksp    = KSPCG;
    choice->pc     = size == 1 ? PCICC : PCBJACOBI;
    choice->levels = RungSolverLevels(dim, row);
    if (use != RUNG_SOLVE_KEPT) PetscCall(RungSolverChooseLongRows(sys, choice)); /* else when there is a matrix */
  } else {
    choice->ksp = KSPGMRES;
    choice->pc  = size == 1 ? PCILU : PCBJACOBI;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverIsGiven(KSP ksp, size_t n, const char *const option[], PetscBool *given)
{
  const char *prefix;

  PetscFunctionBegin;
  *given = PETSC_FALSE;
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  for (size_t i = 0; i < n; ++i) {
    PetscBool set;

    PetscCall(PetscOptionsHasName(NULL, prefix, option[i], &set));
    if (set) *given = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverApply(KSP ksp, const RungSolver *choice)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(KSPSetErrorIfNotConverged(ksp, PETSC_FALSE));
  PetscCall(KSPSetType(ksp, choice->ksp));
  PetscCall(KSPSetTolerances(ksp, choice->rtol > 0 ? choice->rtol : RUNG_KSP_RTOL, PETSC_CURRENT, PETSC_CURRENT, 2000));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, choice->pc));
  if (!strcmp(choice->ksp, KSPCG))
    PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED)); /* what errors are told in */
  if (choice->package) PetscCall(PCFactorSetMatSolverType(pc, choice->package));
  if (!strcmp(choice->pc, PCASM)) PetscCall(PCASMSetOverlap(pc, choice->overlap));
  if (!strcmp(choice->pc, PCICC) || !strcmp(choice->pc, PCILU)) PetscCall(PCFactorSetLevels(pc, choice->levels));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -pc_type fieldsplit of this solver: one split for each unknown, by its name, so that its options find them. */
static PetscErrorCode prepare_splits(RungSystem sys, KSP ksp)
{
  const char *prefix;
  char        type[64] = "";
  PetscBool   set, split;
  PC          pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  PetscCall(PetscOptionsGetString(NULL, prefix, "-pc_type", type, sizeof type, &set));
  PetscCall(PetscStrcmp(type, PCFIELDSPLIT, &split));
  if (!split) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPSetType(ksp, KSPGMRES)); /* a factorisation would be applied once */
  PetscCall(PCSetType(pc, PCFIELDSPLIT));
  PetscCall(RungNullSpacesSplit(sys, pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A singular matrix wants a factorisation that finds its null pivots; what the user says stays. */
static PetscErrorCode prepare_singular(RungSystem sys, KSP ksp)
{
  MatNullSpace null;
  const char  *prefix;
  char         option[128];
  PetscBool    set;

  PetscFunctionBegin;
  PetscCall(RungNullSpacesGet(sys, &null));
  if (!null) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  PetscCall(PetscSNPrintf(option, sizeof option, "-%smat_mumps_icntl_24", prefix ? prefix : ""));
  PetscCall(PetscOptionsHasName(NULL, NULL, option, &set));
  if (!set) PetscCall(PetscOptionsSetValue(NULL, option, "1"));
  PetscCall(PetscOptionsHasName(NULL, NULL, option, &set)); /* nobody is told that he gave it and it was not used */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J has the identity for slaves of constraints and internal variables: they follow the others afterwards.  What a null space leaves open is
   taken out. */
static PetscErrorCode extend(KSP ksp, Vec b, Vec x, void *ctx)
{
  RungSystem   sys = (RungSystem)ctx;
  MatNullSpace null;
  PetscInt     n;
  Mat          J;

  PetscFunctionBegin;
  PetscCall(RungSolverProve(sys, ksp, b, x));
  PetscCall(VecGetSize(x, &n));
  if (n != sys->global) PetscFunctionReturn(PETSC_SUCCESS); /* on the subspace that bounds leave */
  PetscCall(RungNullSpacesGet(sys, &null));
  if (null) PetscCall(MatNullSpaceRemove(null, x));
  if (!sys->form || !sys->form->bounds) PetscCall(RungSystemExtend(sys, x)); /* else F sees slaves that follow */
  PetscCall(KSPGetOperators(ksp, &J, NULL));
  PetscCall(RungCondenseExtend(J, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemSetSolverDefaults(RungSystem sys, KSP ksp, RungSolverUse use)
{
  RungSolver   choice;
  MatNullSpace null;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungSolverChoose(sys, use, PETSC_TRUE, &choice));
  PetscCall(RungSolverApply(ksp, &choice));
  PetscCall(RungSolverFollow(sys, sys->traits.definite, ksp));
  PetscCall(RungNullSpacesGet(sys, &null));
  if (null || sys->given_solver || (sys->form && (sys->form->constraints || sys->form->condense)))
    PetscCall(KSPSetPostSolve(ksp, extend, sys));
  PetscCall(prepare_singular(sys, ksp));
  PetscCall(prepare_splits(sys, ksp));
  PetscCall(RungLevelsPrepare(sys, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode prove(KSP ksp, Vec b, Vec x, void *ctx)
{
  PetscFunctionBegin;
  PetscCall(RungSolverProve((RungSystem)ctx, ksp, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemSetMassSolver(RungSystem sys, PetscBool matrix_free, PetscBool one_order, KSP ksp)
{
  const PetscBool  general = sys->matrix_free, typed = sys->typed;
  const RungTraits traits = sys->traits;
  RungSolver       choice;

  PetscFunctionBegin;
  sys->matrix_free = matrix_free;
  sys->typed       = PETSC_FALSE; /* starts have AIJ */
  if (!one_order) sys->traits.symmetric = sys->traits.definite = PETSC_FALSE;
  PetscCall(RungSolverChoose(sys, RUNG_SOLVE_ONCE, PETSC_FALSE, &choice));
  sys->matrix_free = general;
  sys->typed       = typed;
  sys->traits      = traits;
  if (!strcmp(choice.ksp, KSPCG)) choice.pc = PCJACOBI, choice.levels = 0;
  if (choice.package) choice.package = MATSOLVERMUMPS; /* it pivots, and it knows a singular matrix */
  PetscCall(KSPSetOptionsPrefix(ksp, "mass_"));
  PetscCall(RungSolverApply(ksp, &choice));
  PetscCall(RungSolverFollow(sys, one_order && traits.definite ? PETSC_TRUE : PETSC_FALSE, ksp));
  if (sys->given_solver) PetscCall(KSPSetPostSolve(ksp, prove, sys));
  PetscCall(prepare_singular(sys, ksp));
  PetscCall(prepare_splits(sys, ksp));
  PetscCall(RungLevelsPrepare(sys, ksp));
  PetscCall(KSPSetFromOptions(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- view ---------------------------------------------------------------------------------------------------------
 */

/* The library that dgemm_ comes from, symbolic links followed. */
static PetscErrorCode view_blas(PetscViewer viewer)
{
  Dl_info info;
  char   *path  = NULL;
  void   *dgemm = dlsym(RTLD_DEFAULT, "dgemm_");

  PetscFunctionBegin;
  if (dgemm && dladdr(dgemm, &info) && info.dli_fname) path = realpath(info.dli_fname, NULL);
  PetscCall(PetscViewerASCIIPrintf(viewer, "BLAS: %s\n", path ? path : "linked statically"));
  free(path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemViewSolver(RungSystem sys, PetscViewer viewer)
{
  const RungTraits *traits = &sys->traits;
  RungSolver        choice;

  PetscFunctionBegin;
  PetscCall(RungSolverChoose(sys,
                             !traits->linear             ? RUNG_SOLVE_NEWTON
                             : traits->constant_jacobian ? RUNG_SOLVE_KEPT
                                                         : RUNG_SOLVE_ONCE,
                             PETSC_TRUE, &choice));
  PetscCall(PetscViewerASCIIPrintf(viewer, "solver by default: -ksp_type %s -pc_type %s%s%s, -ksp_rtol %g\n",
                                   choice.ksp, choice.pc, choice.package ? " -pc_factor_mat_solver_type " : "",
                                   choice.package ? choice.package : "",
                                   choice.rtol > 0 ? choice.rtol : RUNG_KSP_RTOL));
  PetscCall(RungSolverViewTuned(sys, viewer));
  PetscCall(view_blas(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
