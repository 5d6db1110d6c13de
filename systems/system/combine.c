/* combine.c - linear combinations of vectors in one pass. */
#include "system_impl.h"

#define RUNG_TERMS 16
#define RUNG_BLOCK 1024 /* entries that stay in the first cache while the terms are added up */

/* y[i] = sum_j a_j x_j[i], the terms in their order: one with a = 1 is copied bit for bit. */
static void add_up(PetscInt n, PetscInt terms, const PetscReal a[], const PetscScalar *const x[], PetscInt start,
                   PetscScalar y[])
{
  for (PetscInt i = 0; i < n; ++i) y[start + i] = terms ? a[0] * x[0][start + i] : 0;
  for (PetscInt j = 1; j < terms; ++j) {
    for (PetscInt i = 0; i < n; ++i) y[start + i] += a[j] * x[j][start + i];
  }
}

/* y = sum_j c_j x_j for entries in [start, end), in one pass. */
PetscErrorCode RungCombinePart(Vec y, PetscInt start, PetscInt end, PetscInt n, const PetscReal c[], const Vec x[])
{
  const PetscScalar *from[RUNG_TERMS];
  PetscReal          a[RUNG_TERMS];
  PetscScalar       *to;
  PetscInt           terms = 0;

  PetscFunctionBegin;
  PetscCheck(n <= RUNG_TERMS, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "a sum of %" PetscInt_FMT " vectors, wanted at most %d; add up in several calls", n, RUNG_TERMS);
  PetscCall(VecGetArray(y, &to));
  for (PetscInt j = 0; j < n; ++j) {
    if (c[j] == 0) continue;
    PetscCheck(x[j], PETSC_COMM_SELF, PETSC_ERR_ARG_NULL,
               "a sum of vectors whose number %" PetscInt_FMT " is NULL, with the factor %g; wanted a vector, or 0", j,
               (double)c[j]);
    PetscCall(VecGetArrayRead(x[j], &from[terms]));
    a[terms++] = c[j];
  }
  for (PetscInt i = start; i < end; i += RUNG_BLOCK) add_up(PetscMin(RUNG_BLOCK, end - i), terms, a, from, i, to);
  for (PetscInt j = 0, k = 0; j < n; ++j) {
    if (c[j] != 0) PetscCall(VecRestoreArrayRead(x[j], &from[k++]));
  }
  PetscCall(VecRestoreArray(y, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCombine(Vec y, PetscInt n, const PetscReal c[], const Vec x[])
{
  PetscInt size;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(y, &size));
  PetscCall(RungCombinePart(y, 0, size, n, c, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
