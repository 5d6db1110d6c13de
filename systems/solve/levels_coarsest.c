/* levels_coarsest.c - who solves on the coarsest level of a multigrid.

   It is factored where it is small; above, hypre's multigrid takes scalars and GAMG, with the rigid motions that the matrix
   carries, vectors.  Where a rank would have few unknowns its messages cost more than its work: as many ranks take part as
   have enough. */
#include "levels_impl.h"

#define CYCLES "2" /* of GAMG: one takes a third more iterations of elastic bodies */
#define BLOCK  4   /* times as many entries are factored of a block in a saddle point: GAMG does not bear convection */
#define SPACE  16 /* .. in space, where a sweep is little beside a cycle of the level above, eight times as large     */
#define TINY   500 /* entries that are factored by PETSc itself, which has no set-up to speak of */
#if defined(PETSC_HAVE_HYPRE)
  #define HYPRE PETSC_TRUE
#else
  #define HYPRE PETSC_FALSE
#endif

/* An option of another package that PETSc has no function for; what the user says stays. */
PetscErrorCode RungLevelsSetDefault(const char prefix[], const char name[], const char value[])
{
  char      option[128];
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof option, "-%s%s", prefix ? prefix : "", name));
  PetscCall(PetscOptionsHasName(NULL, NULL, option, &set));
  if (!set) PetscCall(PetscOptionsSetValue(NULL, option, value));
  PetscCall(PetscOptionsHasName(NULL, NULL, option, &set)); /* nobody is told that he gave it and it was not used */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What docs/solvers.md calls tuned. */
static PetscErrorCode set_hypre(KSP ksp, PetscInt dim)
{
  const char *prefix;
  PC          pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCHYPRE));
  PetscCall(PCHYPRESetType(pc, "boomeramg"));
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  PetscCall(RungLevelsSetDefault(prefix, "pc_hypre_boomeramg_strong_threshold", dim == 3 ? "0.5" : "0.25"));
  PetscCall(RungLevelsSetDefault(prefix, "pc_hypre_boomeramg_coarsen_type", "HMIS"));
  PetscCall(RungLevelsSetDefault(prefix, "pc_hypre_boomeramg_interp_type", "ext+i"));
  PetscCall(RungLevelsSetDefault(prefix, "pc_hypre_boomeramg_P_max", "4"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_gamg(KSP ksp)
{
  const char *prefix;
  PC          pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCGAMG));
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  PetscCall(RungLevelsSetDefault(prefix, "pc_mg_multiplicative_cycles",
                                 CYCLES)); /* PCMGMultiplicativeSetCycles() is not heard */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCoarsestSetScalars(KSP ksp, PetscInt dim)
{
  PetscFunctionBegin;
  if (HYPRE)
    PetscCall(set_hypre(ksp, dim));
  else
    PetscCall(set_gamg(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factors of a matrix that is small: on several ranks each has all of it, which takes one message, or MUMPS has its parts. */
static PetscErrorCode set_factors(RungSystem coarse, KSP ksp)
{
  PetscMPIInt size;
  PC          pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)ksp), &size));
  if (size > 1 && coarse->global <= RUNG_LEVELS_SMALL) {
    PetscCall(PCSetType(pc, PCREDUNDANT));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PCSetType(pc, coarse->traits.symmetric ? PCCHOLESKY : PCLU));
  PetscCall(PCFactorSetMatSolverType(pc, size == 1 && coarse->global <= TINY ? MATSOLVERPETSC : MATSOLVERMUMPS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCoarsestRanks(RungSystem coarse, PetscInt *ranks)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(coarse->comm, &size));
  *ranks = PetscMax(1, PetscMin(size, coarse->global / coarse->level_rank));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What solves by ksp, on the ranks that it has. */
static PetscErrorCode choose(RungSystem coarse, PetscInt unknown, KSP ksp)
{
  const RungSpaceData *space;
  const RungMeshData  *mesh;
  MatNullSpace         null = NULL;
  PetscBool            small;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(coarse->form->space[PetscMax(unknown, 0)], &space));
  PetscCall(RungMeshGetData(space->mesh, &mesh));
  PetscCall(RungLevelsAreSmall(coarse, unknown == RUNG_WHOLE ? 1 : mesh->dim == 3 ? SPACE : BLOCK, &small));
  if (unknown == RUNG_WHOLE) PetscCall(RungNullSpacesGet(coarse, &null));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  if (!null && small)
    PetscCall(set_factors(coarse, ksp));
  else if ((unknown >= 0 || coarse->form->unknowns == 1) && space->components == 1)
    PetscCall(RungCoarsestSetScalars(ksp, mesh->dim));
  else
    PetscCall(set_gamg(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCoarsestSet(RungSystem coarse, PetscInt unknown, PC mg)
{
  PetscInt    ranks;
  PetscMPIInt size;
  KSP         ksp;
  PC          pc;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(coarse->comm, &size));
  PetscCall(RungCoarsestRanks(coarse, &ranks));
  PetscCall(PCMGGetCoarseSolve(mg, &ksp));
  if (ranks == size || coarse->global <= RUNG_LEVELS_SMALL) {
    PetscCall(choose(coarse, unknown, ksp));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCTELESCOPE));
  PetscCall(PCTelescopeSetReductionFactor(pc, (size + (PetscMPIInt)ranks - 1) / (PetscMPIInt)ranks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solver on fewer ranks is there once the outer one is set up; other ranks have none. */
static PetscErrorCode set_up_few(RungSystem coarse, PetscInt unknown, KSP ksp, KSP *inner)
{
  KSP now;
  Mat B;
  PC  pc;

  PetscFunctionBegin;
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCTelescopeGetKSP(pc, &now));
  if (now && now != *inner) {
    PetscCall(choose(coarse, unknown, now));
    PetscCall(KSPSetFromOptions(now));
  }
  *inner = now;
  if (!now) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetOperators(now, NULL, &B));
  PetscCall(RungSolverScalePivot(now, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCoarsestSetUp(RungSystem coarse, PetscInt unknown, PC mg, Mat A, KSP *inner)
{
  PetscBool redundant, few;
  KSP       ksp;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(PCMGGetCoarseSolve(mg, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCREDUNDANT, &redundant));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCTELESCOPE, &few));
  if (few) {
    PetscCall(set_up_few(coarse, unknown, ksp, inner));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (redundant) PetscCall(PCRedundantGetKSP(pc, &ksp));
  PetscCall(RungSolverScalePivot(ksp, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
