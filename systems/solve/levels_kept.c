/* levels_kept.c - how long the coarser levels of a multigrid serve.

   J_0 = sum_k s0_k A_k was the matrix when they were filled, J is the present one.  They stay, with their smoothers, factors and
   algebraic multigrids, while

       |s_k - s0_k| <= 0.2 |s0_k|            slopes: smooth functions feel them where the diagonal does not
       |J_ii - J0_ii| <= 0.2 |J0_ii|         the finest diagonal, of what is not linear with constant coefficients
       its <= 1.5 its_0 + 1                  iterations of the last solve; its_0: of the first with these levels

   and that solve has succeeded.  With the first two, where coefficients change alike in all directions, J_0 is J up to a
   factor of 1.25; the third one sees what these miss.  The diagonal of the finest smoother is always that of J, its bounds
   are as old as the coarser levels (levels_bounds.c). */
#include "levels_impl.h"

#define CHANGE 0.2
#define GROWN  1.5

PetscErrorCode RungLevelsKeptDestroy(RungLevelsKept *kept)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&kept->diagonal));
  PetscCall(VecDestroy(&kept->now));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nothing but the slopes and what data states see changes the matrix. */
static PetscBool is_constant(RungSystem sys)
{
  return RungSystemSolved(sys)->linear && RungSystemSolved(sys)->constant_jacobian ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode took_long(RungLevelsKept *kept, KSP ksp, PetscBool *longer)
{
  KSPConvergedReason reason;
  PetscInt           its;

  PetscFunctionBegin;
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  if (!kept->its) kept->its = its;
  *longer = reason < 0 || (PetscReal)its > GROWN * (PetscReal)kept->its + 1 ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the whole matrix, on all ranks. */
static PetscErrorCode diagonal_changed(RungLevelsKept *kept, Mat B, PetscBool *changed)
{
  const PetscScalar *before, *now;
  PetscInt           n;

  PetscFunctionBegin;
  if (!kept->now) PetscCall(VecDuplicate(kept->diagonal, &kept->now));
  PetscCall(MatGetDiagonal(B, kept->now));
  PetscCall(VecGetLocalSize(kept->now, &n));
  PetscCall(VecGetArrayRead(kept->diagonal, &before));
  PetscCall(VecGetArrayRead(kept->now, &now));
  *changed = PETSC_FALSE;
  for (PetscInt i = 0; i < n; ++i) {
    if (!(PetscAbsScalar(now[i] - before[i]) <= CHANGE * PetscAbsScalar(before[i]))) *changed = PETSC_TRUE;
  }
  PetscCall(VecRestoreArrayRead(kept->now, &now));
  PetscCall(VecRestoreArrayRead(kept->diagonal, &before));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, changed, 1, MPIU_BOOL, MPI_LOR, PetscObjectComm((PetscObject)B)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLevelsServe(RungSystem sys, RungLevelsKept *kept, KSP ksp, Mat B, const RungFilled *filled,
                               PetscBool *serve)
{
  PetscBool  changed = PETSC_FALSE;
  PetscInt64 data;

  PetscFunctionBegin;
  *serve = PETSC_FALSE;
  if (!kept->filled || kept->kind != filled->kind) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(took_long(kept, ksp, &changed));
  PetscCall(RungSystemGetDataState(sys, &data));
  if (is_constant(sys) && data != kept->data) changed = PETSC_TRUE;
  for (PetscInt i = 0; i < (sys->traits.order + 1) * sys->traits.unknowns; ++i) {
    if (PetscAbsReal(filled->slope[i] - kept->slope[i]) > CHANGE * PetscAbsReal(kept->slope[i])) changed = PETSC_TRUE;
  }
  if (!changed && !is_constant(sys)) PetscCall(diagonal_changed(kept, B, &changed));
  *serve = changed ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLevelsKeep(RungSystem sys, RungLevelsKept *kept, Mat B, const RungFilled *filled)
{
  PetscFunctionBegin;
  kept->filled = PETSC_TRUE;
  kept->kind   = filled->kind;
  kept->its    = 0;
  PetscCall(PetscArraycpy(kept->slope, filled->slope, (sys->traits.order + 1) * sys->traits.unknowns));
  PetscCall(RungSystemGetDataState(sys, &kept->data));
  if (is_constant(sys)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!kept->diagonal) PetscCall(MatCreateVecs(B, &kept->diagonal, NULL));
  PetscCall(MatGetDiagonal(B, kept->diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}
