/* nullspace_left.c - do the equations at rest add up to one that no unknown enters?  With v the constants and rotations of nullspace.c
   as test functions, v^T J = 0: J is singular whatever it maps to zero itself, as that of (1 + u^2)*inner(grad(u), grad(w))*dx, whose
   solutions u + c are none.  Then v^T F = 0 is asked of loads, and there is no solution, or more than one near by; factors tell neither,
   by chance.

   J is asked by products alone, so that it may be of any type.  y = J r of a rough r in the entries of one unknown at a time, as large as
   the inverse of the diagonal, has terms of one size whatever coefficients and units are; sum_i v_i y_i is that of n roundings where
   v^T J = 0.  r has one sign: what a weak spring adds has one too, and is no rounding. */
#include "nullspace_impl.h"

#define EXACT 1e-13

/* r_j = (1 + something)/|J_jj| in the entries of unknown g; 1 for the inverse where the diagonal is 0. */
static PetscErrorCode fill_rough(RungSystem sys, PetscInt g, Vec diagonal, Vec r)
{
  const PetscScalar *d;
  PetscScalar       *x;
  PetscInt           start;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(r));
  PetscCall(VecGetOwnershipRange(r, &start, NULL));
  PetscCall(VecGetArrayRead(diagonal, &d));
  PetscCall(VecGetArray(r, &x));
  for (PetscInt i = sys->range[g]; i < sys->range[g + 1]; ++i) {
    const PetscReal size = PetscAbsScalar(d[i]);

    x[i] = (1 + (PetscReal)((start + i) * 5 % 13) / 13) / (size > 0 && size < PETSC_INFINITY ? size : 1);
  }
  PetscCall(VecRestoreArray(r, &x));
  PetscCall(VecRestoreArrayRead(diagonal, &d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *nothing: v^T y is a sum of roundings of terms v_i y_i; *any: some of them are not 0. */
static PetscErrorCode adds_up(Vec v, Vec y, PetscBool *nothing, PetscBool *any)
{
  const PetscScalar *a, *b;
  PetscInt           n;
  PetscReal          sum[2] = {0, 0};

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetArrayRead(v, &a));
  PetscCall(VecGetArrayRead(y, &b));
  for (PetscInt i = 0; i < n; ++i) {
    const PetscReal term = a[i] == 0 ? 0 : PetscRealPart(a[i] * b[i]);

    sum[0] += term;
    sum[1] += term * term;
  }
  PetscCall(VecRestoreArrayRead(y, &b));
  PetscCall(VecRestoreArrayRead(v, &a));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)v)));
  *nothing = PetscAbsReal(sum[0]) <= EXACT * PetscSqrtReal(sum[1]) ? PETSC_TRUE : PETSC_FALSE; /* not of NaN */
  *any     = sum[1] > 0 ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v^T J = 0?  It is not where v enters no column at all.  y[unknown] = J r */
static PetscErrorCode is_left_null(PetscInt unknowns, const Vec y[], Vec v, PetscBool *null)
{
  PetscBool some = PETSC_FALSE;

  PetscFunctionBegin;
  *null = PETSC_TRUE;
  for (PetscInt g = 0; g < unknowns && *null; ++g) {
    PetscBool any;

    PetscCall(adds_up(v, y[g], null, &any));
    some = some || any;
  }
  *null = *null && some;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Candidates that boundary data or constraints take an entry from are none. */
static PetscErrorCode is_free(RungSystem sys, Vec v, PetscBool *is)
{
  PetscReal before, after;

  PetscFunctionBegin;
  PetscCall(VecNorm(v, NORM_2, &before));
  PetscCall(RungSystemZeroDirichlet(sys, v));
  PetscCall(VecNorm(v, NORM_2, &after));
  *is = after == before ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill_products(RungSystem sys, Mat J, Vec d, Vec r, Vec y[])
{
  PetscFunctionBegin;
  PetscCall(MatGetDiagonal(J, d));
  for (PetscInt g = 0; g < sys->form->unknowns; ++g) {
    PetscCall(fill_rough(sys, g, d, r));
    PetscCall(MatMult(J, r, y[g]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first candidate of all that is free and a left null vector.  v, d, r are work vectors; y[unknown] is filled once for all of them. */
static PetscErrorCode look(RungSystem sys, Mat J, Vec v, Vec d, Vec r, Vec y[], char why[], size_t size)
{
  const PetscInt unknowns = sys->form->unknowns;
  PetscBool      filled   = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < unknowns && !why[0]; ++f) {
    PetscInt n;

    PetscCall(RungNullCount(sys, f, &n));
    for (PetscInt i = 0; i < n && !why[0]; ++i) {
      PetscBool null;

      PetscCall(RungNullFill(sys, f, i, v));
      PetscCall(is_free(sys, v, &null));
      if (null && !filled) PetscCall(fill_products(sys, J, d, r, y));
      filled = filled || null;
      if (null) PetscCall(is_left_null(unknowns, y, v, &null));
      if (null)
        PetscCall(PetscSNPrintf(why, size,
                                "the equations of \"%s\" add up to one that no unknown enters, so that they have no "
                                "solution, or more than one near by: fix a value of it, or its mean by an unknown in R",
                                sys->form->name[f]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNullLeft(RungSystem sys, Mat J, char why[], size_t size)
{
  PetscBool known[2], assembled;
  Vec       v = NULL, d, r, *y;
  PetscInt  n;

  PetscFunctionBegin;
  why[0] = 0;
  PetscCall(MatHasOperation(J, MATOP_MULT, &known[0]));
  PetscCall(MatHasOperation(J, MATOP_GET_DIAGONAL, &known[1]));
  PetscCall(MatAssembled(J, &assembled));
  if (!sys->form || !known[0] || !known[1] || !assembled) PetscFunctionReturn(PETSC_SUCCESS);
  n = sys->form->unknowns;
  PetscCall(RungSystemCreateVec(sys, &v));
  PetscCall(VecDuplicate(v, &d));
  PetscCall(VecDuplicate(v, &r));
  PetscCall(VecDuplicateVecs(v, n, &y));
  RungCallFinally(look(sys, J, v, d, r, y, why, size), PetscCall(VecDestroy(&v)); PetscCall(VecDestroy(&d));
                  PetscCall(VecDestroy(&r)); PetscCall(VecDestroyVecs(n, &y)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
