/* solver_trial.c - how many iterations a preconditioner needs, by a solve.

   kappa says how stiff the entries are, not how smooth what is left: in a thin plate, or where cells are long, most of it
   couples along one axis, which an incomplete factorisation resolves at once and multigrid does not.  Only iterations
   tell, so that where it matters they are counted once, for a right-hand side with all frequencies.

   Multigrid on degrees is tried as well, which flat cells and layers of coefficients make slow.

   The table asks for it where so many solves are ahead that the trials of all its rows are at most a tenth of their work: each may
   take so many iterations as a fraction of one solve by multigrid costs, and ends as soon as it is seen not to come to its end in
   twice as many, or to come there in half of them.  The preconditioner of one that has passed stays, with its set-up. */
#include "solver_impl.h"

#define TRIAL_RTOL  1e-6 /* what a step has to gain: its guess is extrapolated */
#define TRIAL_LEAST 8    /* iterations before one is given up                  */
#define TRIAL_PART  4    /* half of the digits in this part of the iterations are enough */

typedef struct {
  PetscInt  most;
  PetscReal first; /* residual */
} Trial;

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

/* Ends what would take more than twice the iterations that are allowed, or half of them: convergence is taken to be linear. */
static PetscErrorCode judge(KSP ksp, PetscInt it, PetscReal norm, KSPConvergedReason *reason, void *ctx)
{
  Trial *trial = (Trial *)ctx;

  PetscFunctionBegin;
  if (!it) trial->first = norm;
  *reason = KSP_CONVERGED_ITERATING;
  if (norm <= TRIAL_RTOL * trial->first ||
      (TRIAL_PART * it <= trial->most && norm <= PetscSqrtReal(TRIAL_RTOL) * trial->first))
    *reason = KSP_CONVERGED_RTOL;
  else if (it >= trial->most ||
           (it >= TRIAL_LEAST &&
            norm > trial->first * PetscPowReal(TRIAL_RTOL, 0.5 * (PetscReal)it / (PetscReal)trial->most)))
    *reason = KSP_DIVERGED_ITS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverTry(RungSystem sys, Mat J, const RungSolver *choice, PetscInt most, const char prefix[],
                             PetscBool *solved, PC *made)
{
  Trial              trial = {.most = most};
  PetscLogDouble     before, after;
  Vec                b, x;
  KSP                ksp;
  PC                 pc;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  *made = NULL;
  PetscCall(PetscGetFlops(&before));
  PetscCall(MatCreateVecs(J, &x, &b));
  PetscCall(set_all_frequencies(b));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)J), &ksp));
  PetscCall(KSPSetOptionsPrefix(ksp, prefix));
  PetscCall(RungSolverApply(sys, ksp, choice));
  PetscCall(KSPSetConvergenceTest(ksp, judge, &trial, NULL));
  PetscCall(KSPSetOperators(ksp, J, J));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(RungSolverSetBlocks(ksp, choice));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  *solved = reason > 0 ? PETSC_TRUE : PETSC_FALSE;
  if (*solved) PetscCall(PetscObjectReference((PetscObject)pc));
  if (*solved) *made = pc;
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(PetscGetFlops(&after));
  ++sys->counts.trials;
  sys->counts.trial_flops += after - before;
  PetscFunctionReturn(PETSC_SUCCESS);
}
