/* solver_given.c - a solver that the user has chosen in part, or whole: it solves, or it is refused.

   A factorisation is applied once (preonly).  Another preconditioner in its place, -pc_type jacobi alone, would be applied
   once, too, and what comes out is no solution: it gets an iteration.  Whatever is chosen in the end, -ksp_type preonly beside
   -pc_type jacobi, a preconditioner that maps to zero, an iteration that is told to stop early, is asked after each solve of
   a linear system for

       |b - J x| <= most |b|,        most = max(1e-6, 100 rtol)

   at the price of one product.  Newton's method asks for itself.  Where a matrix has no entries, what needs them is refused. */
#include "solver_impl.h"

#define MOST 1e-6

static const PCType exact[] = {PCLU, PCCHOLESKY, PCQR, PCSVD, PCREDUNDANT};

static PetscBool is_exact(const char type[])
{
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(exact); ++i) {
    if (!strcmp(type, exact[i])) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* -pc_type lu or cholesky by name is the same as factors by default: of the package that pivots, applied once. */
PetscErrorCode RungSolverFactorsGiven(RungSystem sys, KSP ksp, const RungSolverFacts *facts, RungSolver *choice)
{
  static const RungSolverRow row = {.name = "given", .kind = RUNG_BY_FACTORS, .reason = "-pc_type names factors"};

  char        type[64] = "";
  const char *prefix;
  PetscBool   set, lu, cholesky;

  PetscFunctionBegin;
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  PetscCall(PetscOptionsGetString(NULL, prefix, "-pc_type", type, sizeof type, &set));
  PetscCall(PetscStrcmp(type, PCLU, &lu));
  PetscCall(PetscStrcmp(type, PCCHOLESKY, &cholesky));
  if (!lu && !cholesky) PetscFunctionReturn(PETSC_SUCCESS);
  RungSolverFill(sys, facts, &row, choice);
  choice->pc = lu ? PCLU : PCCHOLESKY;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverFollow(RungSystem sys, PetscBool definite, KSP ksp)
{
  static const char *const option[] = {"-ksp_type", "-pc_type"};

  char        type[64] = "";
  const char *prefix;
  PetscBool   once, set;

  PetscFunctionBegin;
  PetscCall(RungSolverIsGiven(ksp, PETSC_STATIC_ARRAY_LENGTH(option), option, &set));
  if (set) sys->given_solver = PETSC_TRUE;
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  PetscCall(PetscOptionsGetString(NULL, prefix, "-pc_type", type, sizeof type, &set));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPPREONLY, &once));
  if (!set || !once || is_exact(type)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPSetType(ksp, definite ? KSPCG : KSPFGMRES));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factors need no proof, an iteration that gave up has said so, and what is singular has no solution for every b. */
static PetscErrorCode wants_proof(RungSystem sys, KSP ksp, PetscBool *wants)
{
  KSPConvergedReason reason;
  MatNullSpace       null;
  PCType             type;
  PetscBool          once;
  Mat                J;
  PC                 pc;

  PetscFunctionBegin;
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPPREONLY, &once));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &type));
  PetscCall(KSPGetOperators(ksp, &J, NULL));
  PetscCall(MatGetNullSpace(J, &null));
  *wants = sys->given_solver && RungSystemSolved(sys)->linear && reason > 0 && !null && !(once && is_exact(type))
             ? PETSC_TRUE
             : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverProve(RungSystem sys, KSP ksp, Vec b, Vec x)
{
  PetscReal   rtol, atol, size, left;
  PetscBool   wants;
  const char *prefix;
  KSPType     ksp_type;
  PCType      pc_type;
  Mat         J;
  Vec         r;
  PC          pc;

  PetscFunctionBegin;
  PetscCall(RungLevelsTellMany(sys, ksp));
  PetscCall(wants_proof(sys, ksp, &wants));
  if (!wants) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetOperators(ksp, &J, NULL));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(J, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, &left));
  PetscCall(VecNorm(b, NORM_2, &size));
  PetscCall(VecDestroy(&r));
  PetscCall(KSPGetTolerances(ksp, &rtol, &atol, NULL, NULL));
  PetscCall(KSPGetType(ksp, &ksp_type));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &pc_type));
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  PetscCheck(
    left <= PetscMax(MOST, 100 * rtol) * size + 100 * atol, sys->comm, PETSC_ERR_ARG_INCOMP,
    "-%sksp_type %s with -%spc_type %s leaves %.2g of a linear system unsolved; leave the two away, or take an "
    "iteration with a preconditioner that fits it, -%sksp_type fgmres",
    prefix ? prefix : "", ksp_type, prefix ? prefix : "", pc_type, (double)(left / size), prefix ? prefix : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemCheckSolver(RungSystem sys, KSP ksp)
{
  static const PCType fit[] = {PCNONE, PCJACOBI, PCSHELL, PCKSP, PCMAT};
  PC                  pc;
  PCType              type;
  PetscBool           fits = PETSC_FALSE;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &type));
  PetscCall(RungLevelsCheck(sys, pc, &fits));
  if (fits || (!sys->matrix_free && !sys->typed)) PetscFunctionReturn(PETSC_SUCCESS);
  if (sys->typed) PetscCall(RungTypedCheckSolver(sys, type));
  if (!sys->matrix_free) PetscFunctionReturn(PETSC_SUCCESS);
  for (size_t i = 0; type && i < sizeof fit / sizeof fit[0]; ++i) {
    if (!strcmp(type, fit[i])) fits = PETSC_TRUE;
  }
  PetscCheck(
    fits, sys->comm, PETSC_ERR_SUP,
    "-pc_type %s needs the entries of the matrix, but -system_mat_type shell has none; take -pc_type jacobi or "
    "none, mg for degrees above 1 (with -ksp_type cg, gmres, chebyshev, ..), or -system_mat_type aij",
    type ? type : "(none chosen)");
  PetscFunctionReturn(PETSC_SUCCESS);
}
