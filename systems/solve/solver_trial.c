/* solver_trial.c - how many iterations a preconditioner needs, by a solve.

   kappa says how stiff the entries are, not how smooth what is left: in a thin plate, or where cells are long, most of it
   couples along one axis, which an incomplete factorisation resolves at once and multigrid does not.  Only iterations
   tell, so that where it matters they are counted once, for a right-hand side with all frequencies. */
#include "solver_impl.h"

#define TRIAL_RTOL 1e-6 /* what a step has to gain: its guess is extrapolated */

/* A mean and what looks like chance, by the entry's number: the same in every run. */
static PetscErrorCode set_all_frequencies(Vec b)
{
  PetscScalar *x;
  PetscInt     start, n;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(b, &start, NULL));
  PetscCall(VecGetLocalSize(b, &n));
  PetscCall(VecGetArrayWrite(b, &x));
  for (PetscInt i = 0; i < n; ++i) {
    const unsigned number = (unsigned)(start + i) * 2654435761u;

    x[i] = 0.5 + (PetscReal)(number >> 16) / 65536;
  }
  PetscCall(VecRestoreArrayWrite(b, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverTry(Mat J, const RungSolver *choice, PetscInt most, PetscBool *solved)
{
  Vec                b, x;
  KSP                ksp;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(J, &x, &b));
  PetscCall(set_all_frequencies(b));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)J), &ksp));
  PetscCall(RungSolverApply(ksp, choice));
  PetscCall(KSPSetTolerances(ksp, TRIAL_RTOL, PETSC_CURRENT, PETSC_CURRENT, most));
  PetscCall(KSPSetOperators(ksp, J, J));
  PetscCall(RungSolverSetBlocks(ksp, choice));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  *solved = reason > 0 ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
