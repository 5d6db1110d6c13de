/* line_masses.c - the matrix of masses of an explicit method, without the zeros of what F couples elsewhere.

   The Jacobian of a system has room for all of dF/du^(k).  A mass fills little of it: unknowns have masses of their own, components
   of a vector as a rule, cells too where functions are discontinuous; fluxes between cells, advection and coefficients of other
   unknowns are evaluated and never solved for.  Products and factors of what is left have a fraction of the entries. */
#include "line_solver_impl.h"

#define WORTH 0.8 /* most of the entries that may be left for a copy to be made */

/* Entries of each row that are not zero, in this rank's columns and in others; the diagonal counts. */
static PetscErrorCode count_rows(Mat J, PetscInt own[], PetscInt far[], PetscInt *all)
{
  PetscInt start, end, from, to;

  PetscFunctionBegin;
  *all = 0;
  PetscCall(MatGetOwnershipRange(J, &start, &end));
  PetscCall(MatGetOwnershipRangeColumn(J, &from, &to));
  for (PetscInt i = start; i < end; ++i) {
    const PetscInt    *column;
    const PetscScalar *value;
    PetscInt           n;

    own[i - start] = far[i - start] = 0;
    PetscCall(MatGetRow(J, i, &n, &column, &value));
    for (PetscInt k = 0; k < n; ++k) {
      if (value[k] == 0.0 && column[k] != i) continue;
      ++(column[k] >= from && column[k] < to ? own : far)[i - start];
    }
    *all += n;
    PetscCall(MatRestoreRow(J, i, &n, &column, &value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy_rows(Mat J, Mat to)
{
  PetscInt start, end;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(J, &start, &end));
  PetscCall(MatSetOption(to, MAT_IGNORE_ZERO_ENTRIES, PETSC_TRUE)); /* of which the diagonal is kept */
  for (PetscInt i = start; i < end; ++i) {
    const PetscInt    *column;
    const PetscScalar *value;
    PetscInt           n;

    PetscCall(MatGetRow(J, i, &n, &column, &value));
    PetscCall(MatSetValues(to, 1, &i, n, column, value, ADD_VALUES));
    PetscCall(MatRestoreRow(J, i, &n, &column, &value));
  }
  PetscCall(MatAssemblyBegin(to, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(to, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pack(Mat J, const PetscInt own[], const PetscInt far[], Mat *packed)
{
  PetscInt rows;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(J, &rows, NULL));
  PetscCall(RungMatBegin(PetscObjectComm((PetscObject)J), rows, 0, MATAIJ, packed));
  PetscCall(MatSeqAIJSetPreallocation(*packed, 0, own));
  PetscCall(MatMPIAIJSetPreallocation(*packed, 0, own, 0, far));
  PetscCall(copy_rows(J, *packed));
  PetscCall(MatSetOption(*packed, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMassesPack(Mat J, Mat *packed)
{
  PetscInt  rows, *own, *far, size[2] = {0, 0};
  PetscBool aij;

  PetscFunctionBegin;
  *packed = NULL;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)J, &aij, MATSEQAIJ, MATMPIAIJ, ""));
  if (!aij) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetLocalSize(J, &rows, NULL));
  PetscCall(PetscMalloc2(rows, &own, rows, &far));
  PetscCall(count_rows(J, own, far, &size[1]));
  for (PetscInt i = 0; i < rows; ++i) size[0] += own[i] + far[i];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, size, 2, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)J)));
  if ((PetscReal)size[0] <= WORTH * (PetscReal)size[1]) PetscCall(pack(J, own, far, packed));
  PetscCall(PetscFree2(own, far));
  PetscFunctionReturn(PETSC_SUCCESS);
}
