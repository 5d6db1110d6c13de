/* nullspace_left.c - do the equations at rest add up to one that no unknown enters?  With v the constants and rotations of nullspace.c
   as test functions, v^T J = 0: J is singular whatever it maps to zero itself, as that of (1 + u^2)*inner(grad(u), grad(w))*dx, whose
   solutions u + c are none.  Then v^T F = 0 is asked of loads, and there is no solution, or more than one near by; factors tell neither,
   by chance.

   Column j sums up to s_j = sum_i v_i J_ij of terms of size c_j.  All |s_j| <= EXACT c_j, and the sum of s_j/c_j over n columns as small as
   that of n roundings: what a weak spring adds has one sign, and is no rounding. */
#include "nullspace_impl.h"

#define EXACT 1e-13

/* sum[0] = v^T J, sum[1] the same of absolute values, by rows of this rank. */
static PetscErrorCode add_columns(Mat J, Vec v, Vec sum[2])
{
  const PetscScalar *x;
  PetscInt           start, end;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(J, &start, &end));
  for (int k = 0; k < 2; ++k) PetscCall(VecZeroEntries(sum[k]));
  PetscCall(VecGetArrayRead(v, &x));
  for (PetscInt i = start; i < end; ++i) {
    const PetscInt    *column;
    const PetscScalar *entry;
    PetscInt           n;

    if (x[i - start] == 0) continue;
    PetscCall(MatGetRow(J, i, &n, &column, &entry));
    for (PetscInt j = 0; j < n; ++j) {
      const PetscScalar term = x[i - start] * entry[j];

      PetscCall(VecSetValue(sum[0], column[j], term, ADD_VALUES));
      PetscCall(VecSetValue(sum[1], column[j], PetscAbsScalar(term), ADD_VALUES));
    }
    PetscCall(MatRestoreRow(J, i, &n, &column, &entry));
  }
  PetscCall(VecRestoreArrayRead(v, &x));
  for (int k = 0; k < 2; ++k) {
    PetscCall(VecAssemblyBegin(sum[k]));
    PetscCall(VecAssemblyEnd(sum[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode is_left_null(Mat J, Vec v, Vec sum[2], PetscBool *null)
{
  const PetscScalar *s, *c;
  PetscInt           n;
  PetscReal          most = 0, all[2] = {0, 0}; /* sum of s_j/c_j, and of columns that v enters */

  PetscFunctionBegin;
  PetscCall(add_columns(J, v, sum));
  PetscCall(VecGetLocalSize(sum[0], &n));
  PetscCall(VecGetArrayRead(sum[0], &s));
  PetscCall(VecGetArrayRead(sum[1], &c));
  for (PetscInt j = 0; j < n; ++j) {
    const PetscReal size = PetscRealPart(c[j]), part = size == 0 ? 0 : PetscRealPart(s[j]) / size;

    most = PetscIsInfOrNanReal(part) ? PETSC_INFINITY : PetscMax(most, PetscAbsReal(part));
    all[0] += part;
    all[1] += size > 0 ? 1 : 0;
  }
  PetscCall(VecRestoreArrayRead(sum[0], &s));
  PetscCall(VecRestoreArrayRead(sum[1], &c));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)v)));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, 2, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)v)));
  *null = all[1] > 0 && most <= EXACT && PetscAbsReal(all[0]) <= EXACT * PetscSqrtReal(all[1]) ? PETSC_TRUE
                                                                                               : PETSC_FALSE;
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

static PetscErrorCode look(RungSystem sys, Mat J, Vec v, Vec sum[2], char why[], size_t size)
{
  PetscFunctionBegin;
  for (PetscInt f = 0; f < sys->form->unknowns && !why[0]; ++f) {
    PetscInt n;

    PetscCall(RungNullCount(sys, f, &n));
    for (PetscInt i = 0; i < n && !why[0]; ++i) {
      PetscBool null;

      PetscCall(RungNullFill(sys, f, i, v));
      PetscCall(is_free(sys, v, &null));
      if (null) PetscCall(is_left_null(J, v, sum, &null));
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
  PetscBool aij, assembled;
  Vec       v = NULL, sum[2] = {NULL, NULL};

  PetscFunctionBegin;
  why[0] = 0;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)J, &aij, MATSEQAIJ, MATMPIAIJ, ""));
  if (!aij || !sys->form) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatAssembled(J, &assembled));
  if (!assembled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemCreateVec(sys, &v));
  PetscCall(VecDuplicate(v, &sum[0]));
  PetscCall(VecDuplicate(v, &sum[1]));
  RungCallFinally(look(sys, J, v, sum, why, size), PetscCall(VecDestroy(&v)); PetscCall(VecDestroy(&sum[0]));
                  PetscCall(VecDestroy(&sum[1])));
  PetscFunctionReturn(PETSC_SUCCESS);
}
