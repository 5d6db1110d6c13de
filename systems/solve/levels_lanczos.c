/* levels_lanczos.c - the largest eigenvalue of D^-1 J, D the diagonal of a symmetric J, by few of Lanczos' steps.

   m conjugate gradients with D from a right-hand side of all frequencies make the tridiagonal matrix T_m of D^-1/2 J D^-1/2 in their
   Krylov space (G. Golub, C. Van Loan, Matrix Computations, 4th ed., 10.2 and 11.3.4).  Its largest eigenvalue, theta, is too small:
   with J = 15 M + K, elasticity and cells 1 x 1 x 0.05 by 2 to 8 % after seven steps.  With s the last entry of its eigenvector,

       theta + beta_m |s|

   has an eigenvalue of J between theta and itself, and with the same matrices that is within 4 % below and 7 % above the largest one
   after four steps.  As conjugate gradients of PETSc, but for fewer passes over the vectors: products of a matrix without entries cost
   less than what is around them. */
#include "levels_impl.h"
#include <petsc/private/kspimpl.h> /* vectors of a solver */

#define MOST 64 /* steps */

/* T of m steps: its diagonal and what is beside it. */
typedef struct {
  PetscInt  m;
  PetscReal diagonal[MOST], beside[MOST];
} Tridiagonal;

/* Are all eigenvalues below x?  By the signs of pivots. */
static PetscBool all_below(const Tridiagonal *T, PetscReal x)
{
  PetscReal pivot = 1;

  for (PetscInt i = 0; i < T->m; ++i) {
    pivot = x - T->diagonal[i] - (i ? PetscSqr(T->beside[i - 1]) / pivot : 0);
    if (!(pivot > 0)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* By bisection below the largest sum of a row. */
static PetscReal largest_of(const Tridiagonal *T)
{
  PetscReal low = T->diagonal[0], high = 0;

  for (PetscInt i = 0; i < T->m; ++i)
    high = PetscMax(high, T->diagonal[i] + (i ? T->beside[i - 1] : 0) + (i < T->m - 1 ? T->beside[i] : 0));
  while (high - low > 1e-6 * high) {
    const PetscReal middle = (low + high) / 2;

    if (all_below(T, middle))
      high = middle;
    else
      low = middle;
  }
  return high;
}

/* beta_m |s| of the eigenvalue theta. */
static PetscReal left_of(const Tridiagonal *T, PetscReal theta)
{
  PetscReal before = 0, s = 1, square = 1;

  for (PetscInt i = 0; i < T->m - 1; ++i) {
    const PetscReal next = ((theta - T->diagonal[i]) * s - (i ? T->beside[i - 1] * before : 0)) / T->beside[i];

    before = s;
    s      = next;
    square += s * s;
  }
  return PetscAbsReal(s) / PetscSqrtReal(square) * T->beside[T->m - 1];
}

/* r -= alpha y, rho = (r, D^-1 r), p = D^-1 r + rho / rho_before p; rho 0 before: there is no p yet */
static PetscErrorCode advance(PetscReal alpha, Vec inverse, Vec y, Vec r, Vec p, PetscReal *rho)
{
  const PetscReal    before = *rho;
  const PetscScalar *d, *product;
  PetscScalar       *left, *direction;
  PetscReal          mine = 0;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(r, &n));
  PetscCall(VecGetArrayRead(inverse, &d));
  PetscCall(VecGetArrayRead(y, &product));
  PetscCall(VecGetArray(r, &left));
  PetscCall(VecGetArray(p, &direction));
  for (PetscInt i = 0; i < n; ++i) {
    left[i] -= alpha * product[i];
    mine += PetscRealPart(left[i] * d[i] * left[i]);
  }
  PetscCallMPI(MPI_Allreduce(&mine, rho, 1, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)r)));
  for (PetscInt i = 0; i < n; ++i) direction[i] = d[i] * left[i] + (before > 0 ? *rho / before * direction[i] : 0);
  PetscCall(VecRestoreArray(p, &direction));
  PetscCall(VecRestoreArray(r, &left));
  PetscCall(VecRestoreArrayRead(y, &product));
  PetscCall(VecRestoreArrayRead(inverse, &d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r = D^1/2 b: in the space of D^-1/2 J D^-1/2 all entries begin alike, whatever their units.  With b itself those of a part a thousand times as
   stiff begin at a thirtieth of the others, and few steps do not see its eigenvalues. */
static PetscErrorCode begin(Vec b, Vec inverse, Vec r)
{
  const PetscScalar *d, *right;
  PetscScalar       *left;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(r, &n));
  PetscCall(VecGetArrayRead(inverse, &d));
  PetscCall(VecGetArrayRead(b, &right));
  PetscCall(VecGetArrayWrite(r, &left));
  for (PetscInt i = 0; i < n; ++i) left[i] = d[i] != 0 ? right[i] / PetscSqrtReal(PetscAbsScalar(d[i])) : right[i];
  PetscCall(VecRestoreArrayWrite(r, &left));
  PetscCall(VecRestoreArrayRead(b, &right));
  PetscCall(VecRestoreArrayRead(inverse, &d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps until the Krylov space ends, or J is seen not to be definite. */
static PetscErrorCode fill(KSP ksp, Mat J, Vec inverse, Tridiagonal *T)
{
  const Vec r = ksp->work[0], p = ksp->work[1], y = ksp->work[2];
  PetscReal rho = 0, before = 0, alpha = 0, energy;

  PetscFunctionBegin;
  T->m = 0;
  PetscCall(begin(ksp->vec_rhs, inverse, r));
  PetscCall(VecZeroEntries(y));
  PetscCall(advance(0, inverse, y, r, p, &rho));
  while (rho > 0 && T->m < PetscMin(ksp->max_it, MOST)) {
    const PetscReal carried = T->m ? rho / before / alpha : 0;

    PetscCall(MatMult(J, p, y));
    PetscCall(VecDotRealPart(p, y, &energy));
    if (!(energy > 0)) break;
    alpha  = rho / energy;
    before = rho;
    PetscCall(advance(alpha, inverse, y, r, p, &rho));
    T->diagonal[T->m] = 1 / alpha + carried;
    T->beside[T->m]   = PetscSqrtReal(rho / before) / alpha;
    ++T->m;
    PetscCall(KSPMonitor(ksp, T->m, PetscSqrtReal(rho)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLanczosLargest(KSP ksp, PetscInt *steps, PetscReal *largest)
{
  const Vec   inverse = ksp->vec_sol; /* nobody wants a solution */
  Tridiagonal T;
  PetscBool   jacobi, cg;
  Mat         J;

  PetscFunctionBegin;
  *steps   = 0;
  *largest = 0;
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPCG, &cg));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp->pc, PCJACOBI, &jacobi));
  if (!cg || !jacobi || ksp->nwork < 3) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCGetOperators(ksp->pc, &J, NULL));
  PetscCall(VecSet(ksp->work[0], 1));
  PetscCall(PCApply(ksp->pc, ksp->work[0], inverse));
  PetscCall(fill(ksp, J, inverse, &T));
  if (!T.m) PetscFunctionReturn(PETSC_SUCCESS);
  *steps   = T.m;
  *largest = largest_of(&T);
  *largest += left_of(&T, *largest);
  PetscFunctionReturn(PETSC_SUCCESS);
}
