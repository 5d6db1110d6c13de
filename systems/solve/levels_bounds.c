/* levels_bounds.c - the bounds of the finest smoother, which stay while the coarser levels do.

   Chebyshev iterations need the largest eigenvalue e of D^-1 J, D the diagonal of J.  PETSc's solver that estimates it for every
   new matrix takes Lanczos' steps here where J is definite (levels_lanczos.c), some iterations of its own where it is not.  e is
   at most the largest one of the same quotient

       (x, J_c x) / (x, D_c x)   of a cell c,

   which does not see what multiplies J_c: where coefficients or slopes change, e changes less than J does.  While the coarser
   levels serve (levels_kept.c: a change of at most a fifth, and no more iterations), so does the estimate; two iterations on
   (a e, b e) still damp what is below (a + b) e, at least 1.2 e.

   That solver keeps what it has found: its next solve does nothing, and PETSc asks it for eigenvalues as ever. */
#include "levels_impl.h"
#include <petsc/private/kspimpl.h> /* ops->solve of the solver that estimates */

#define HOOK "RungBounds"

/* Of one solver that estimates; hangs on it. */
typedef struct {
  PetscBool          keep;  /* the next solve does nothing                    */
  PetscBool          known; /* there has been a solve, with its and reason    */
  PetscInt           its;
  KSPConvergedReason reason;
  PetscReal          largest;   /* eigenvalue of that solve */
  PetscBool          lanczos;   /* or PETSc's own */
  PetscErrorCode (*solve)(KSP); /* of its type */
  PetscErrorCode (*eigenvalues)(KSP, PetscInt, PetscReal *, PetscReal *, PetscInt *);
} Bounds;

static PetscErrorCode destroy(RungContainerArg arg)
{
  Bounds *bounds = (Bounds *)RungContainerPointer(arg);

  PetscFunctionBegin;
  PetscCall(PetscFree(bounds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As PETSc finds it. */
static PetscErrorCode find_largest(KSP estimate, PetscReal *largest)
{
  PetscReal *real, *imaginary;
  PetscInt   n;

  PetscFunctionBegin;
  *largest = 0;
  PetscCall(PetscMalloc2(estimate->its, &real, estimate->its, &imaginary));
  PetscCall(KSPComputeEigenvalues(estimate, estimate->its, real, imaginary, &n));
  for (PetscInt i = 0; i < n; ++i) *largest = PetscMax(*largest, real[i]);
  PetscCall(PetscFree2(real, imaginary));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the place of the type's own, which it calls. */
static PetscErrorCode eigenvalues(KSP estimate, PetscInt n, PetscReal real[], PetscReal imaginary[], PetscInt *found)
{
  Bounds *bounds;

  PetscFunctionBegin;
  PetscCall(RungComposedFind((PetscObject)estimate, HOOK, &bounds));
  if (!bounds->lanczos) {
    PetscCall((*bounds->eigenvalues)(estimate, n, real, imaginary, found));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  real[0]      = bounds->largest;
  imaginary[0] = 0;
  *found       = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the place of the type's own solve, which it calls. */
static PetscErrorCode estimate_or_keep(KSP estimate)
{
  Bounds *bounds;

  PetscFunctionBegin;
  PetscCall(RungComposedFind((PetscObject)estimate, HOOK, &bounds));
  if (bounds->keep && bounds->known) {
    estimate->its    = bounds->its;
    estimate->reason = bounds->reason;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (estimate->ops->computeeigenvalues != eigenvalues) { /* of the type's set-up */
    bounds->eigenvalues               = estimate->ops->computeeigenvalues;
    estimate->ops->computeeigenvalues = eigenvalues;
  }
  PetscCall(RungLanczosLargest(estimate, &estimate->its, &bounds->largest));
  bounds->lanczos = bounds->largest > 0 ? PETSC_TRUE : PETSC_FALSE;
  if (bounds->lanczos)
    estimate->reason = KSP_CONVERGED_ITS;
  else {
    PetscCall((*bounds->solve)(estimate));
    PetscCall(find_largest(estimate, &bounds->largest));
  }
  bounds->known  = PETSC_TRUE;
  bounds->its    = estimate->its;
  bounds->reason = estimate->reason;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode attach(KSP estimate, Bounds **bounds)
{
  PetscFunctionBegin;
  PetscCall(RungComposedCreate((PetscObject)estimate, HOOK, sizeof **bounds, destroy, bounds));
  (*bounds)->solve     = estimate->ops->solve;
  estimate->ops->solve = estimate_or_keep;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungBoundsKeep(KSP smoother, PetscBool keep)
{
  KSP       estimate = NULL;
  Bounds   *bounds;
  PetscBool chebyshev;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)smoother, KSPCHEBYSHEV, &chebyshev));
  if (chebyshev) PetscCall(KSPChebyshevEstEigGetKSP(smoother, &estimate));
  if (!estimate) PetscFunctionReturn(PETSC_SUCCESS); /* bounds or smoothers of the user */
  PetscCall(RungComposedFind((PetscObject)estimate, HOOK, &bounds));
  if (!bounds || estimate->ops->solve != estimate_or_keep)
    PetscCall(attach(estimate, &bounds));                                 /* or of another type now */
  if (estimate->setupstage == KSP_SETUP_NEW) bounds->known = PETSC_FALSE; /* and so after KSPReset() */
  bounds->keep = keep;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungBoundsLargest(KSP smoother, PetscReal *largest)
{
  KSP     estimate;
  Bounds *bounds = NULL;

  PetscFunctionBegin;
  PetscCall(KSPChebyshevEstEigGetKSP(smoother, &estimate));
  if (estimate) PetscCall(RungComposedFind((PetscObject)estimate, HOOK, &bounds));
  *largest = bounds && bounds->known ? bounds->largest : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
