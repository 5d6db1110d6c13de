/* levels_smooth.c - Chebyshev iterations with the diagonal D, each in one pass behind its product:

       x_{k+1} = x_k + d_k,      d_0 = D^-1 (b - J x_0) / theta,
       d_k = rho_k rho_{k-1} d_{k-1} + 2 rho_k / delta D^-1 (b - J x_k),    rho_0 = delta / theta,  rho_k = 1 / (2 theta / delta - rho_{k-1}),

   theta and delta the middle and half the length of the interval that they damp (Y. Saad, Iterative Methods for Sparse Linear Systems,
   2nd ed., algorithm 12.1).  PETSc's own KSPCHEBYSHEV makes the same numbers by three vector operations and two copies an
   iteration.  It keeps what it is good for: options, bounds, views; its solve is replaced where
   bounds and preconditioner are ours, and nobody wants norms. */
#include "levels_impl.h"
#include <petsc/private/kspimpl.h> /* ops->solve and the vectors of a solver */

#define HOOK "RungSmoother"

/* Of one smoother; hangs on it.  Work vectors of the solver: J x, d, D^-1. */
typedef struct {
  PetscErrorCode (*solve)(KSP); /* PETSc's                                  */
  PetscReal        lowest;      /* over the largest eigenvalue */
  PetscObjectId    id[2];       /* of the matrix and the vector of D^-1 ..   */
  PetscObjectState state;       /* .. and what the former was when it was made */
} Smoother;

static PetscErrorCode destroy(RungContainerArg arg)
{
  Smoother *smoother = (Smoother *)RungContainerPointer(arg);

  PetscFunctionBegin;
  PetscCall(PetscFree(smoother));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* D^-1 of the preconditioner, Jacobi's, once for each matrix. */
static PetscErrorCode set_inverse(KSP ksp, Mat J, Smoother *smoother)
{
  PetscObjectId    id[2];
  PetscObjectState state;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)J, &id[0]));
  PetscCall(PetscObjectGetId((PetscObject)ksp->work[2], &id[1]));
  PetscCall(PetscObjectStateGet((PetscObject)J, &state));
  if (id[0] == smoother->id[0] && id[1] == smoother->id[1] && state == smoother->state)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecSet(ksp->work[0], 1));
  PetscCall(PCApply(ksp->pc, ksp->work[0], ksp->work[2]));
  PetscCall(PetscArraycpy(smoother->id, id, 2));
  smoother->state = state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d = carry d + gain D^-1 (b - y), x += d; carry 0: there is no d yet; y NULL: x is 0 */
static PetscErrorCode advance(KSP ksp, PetscReal carry, PetscReal gain, Vec y)
{
  const PetscScalar *inverse, *b, *product = NULL;
  PetscScalar       *d, *x;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(ksp->vec_sol, &n));
  PetscCall(VecGetArrayRead(ksp->work[2], &inverse));
  PetscCall(VecGetArrayRead(ksp->vec_rhs, &b));
  if (y) PetscCall(VecGetArrayRead(y, &product));
  PetscCall(VecGetArray(ksp->work[1], &d));
  PetscCall(VecGetArray(ksp->vec_sol, &x));
  if (!y)
    for (PetscInt i = 0; i < n; ++i) {
      d[i] = gain * inverse[i] * b[i];
      x[i] = d[i];
    }
  else if (carry == 0)
    for (PetscInt i = 0; i < n; ++i) {
      d[i] = gain * inverse[i] * (b[i] - product[i]);
      x[i] += d[i];
    }
  else
    for (PetscInt i = 0; i < n; ++i) {
      d[i] = carry * d[i] + gain * inverse[i] * (b[i] - product[i]);
      x[i] += d[i];
    }
  PetscCall(VecRestoreArray(ksp->vec_sol, &x));
  PetscCall(VecRestoreArray(ksp->work[1], &d));
  if (y) PetscCall(VecRestoreArrayRead(y, &product));
  PetscCall(VecRestoreArrayRead(ksp->vec_rhs, &b));
  PetscCall(VecRestoreArrayRead(ksp->work[2], &inverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the place of KSPCHEBYSHEV's own solve. */
static PetscErrorCode smooth(KSP ksp)
{
  PetscReal largest, theta, delta, rho, before;
  PetscBool jacobi;
  Smoother *smoother;
  Mat       J, B;

  PetscFunctionBegin;
  PetscCall(RungComposedFind((PetscObject)ksp, HOOK, &smoother));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp->pc, PCJACOBI, &jacobi));
  PetscCall(PCGetOperators(ksp->pc, &J, &B));
  PetscCall(RungBoundsLargest(ksp, &largest));
  if (!jacobi || !(largest > 0) || ksp->normtype != KSP_NORM_NONE || J != B || ksp->nwork < 3) {
    smoother->id[1] = 0; /* work vectors are overwritten */
    PetscCall((*smoother->solve)(ksp));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(set_inverse(ksp, J, smoother));
  theta = (RUNG_SMOOTHER_HIGHEST + smoother->lowest) / 2 * largest;
  delta = (RUNG_SMOOTHER_HIGHEST - smoother->lowest) / 2 * largest;
  rho   = delta / theta;
  for (PetscInt k = 0; k < ksp->max_it; ++k) {
    const Vec y = k || !ksp->guess_zero ? ksp->work[0] : NULL;

    if (y) PetscCall(KSP_MatMult(ksp, J, ksp->vec_sol, y));
    before = rho;
    if (k) rho = 1 / (2 * theta / delta - before);
    PetscCall(advance(ksp, k ? rho * before : 0, k ? 2 * rho / delta : 1 / theta, y));
  }
  ksp->its    = ksp->max_it;
  ksp->reason = KSP_CONVERGED_ITS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSmootherSet(KSP ksp, PetscReal lowest)
{
  static const char *const option[] = {
    "-ksp_chebyshev_esteig",
    "-ksp_chebyshev_eigenvalues",
#if PETSC_VERSION_GE(3, 19, 0)
    "-ksp_chebyshev_kind" /* before, an option that nobody reads */
#endif
  };
  PetscBool chebyshev, given;
  Smoother *smoother;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPCHEBYSHEV, &chebyshev));
  PetscCall(RungSolverIsGiven(ksp, PETSC_STATIC_ARRAY_LENGTH(option), option, &given));
  if (!chebyshev || given || ksp->ops->solve == smooth) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungComposedCreate((PetscObject)ksp, HOOK, sizeof *smoother, destroy, &smoother));
  smoother->solve  = ksp->ops->solve;
  smoother->lowest = lowest;
  ksp->ops->solve  = smooth;
  PetscFunctionReturn(PETSC_SUCCESS);
}
