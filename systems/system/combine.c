/* combine.c - linear combinations of vectors in one pass. */
#include "system_impl.h"

#define RUNG_TERMS 32
#define PAIRS      4 /* that are added up side by side */

/* Two entries at any place.  A compiler that is given plain numbers puts terms side by side, and takes four times as long to sort them. */
typedef PetscScalar Pair __attribute__((vector_size(2 * sizeof(PetscScalar)), aligned(sizeof(PetscScalar)), may_alias));

/* y[i] = sum_j a_j x_j[i], the terms in their order: one with a = 1 is copied bit for bit. */
static void add_up(PetscInt start, PetscInt end, PetscInt terms, const PetscReal a[], const PetscScalar *const x[],
                   PetscScalar y[])
{
  PetscInt i = start;

  for (; i + 2 * PAIRS <= end; i += 2 * PAIRS) {
    Pair sum[PAIRS];

    for (int l = 0; l < PAIRS; ++l) sum[l] = a[0] * ((const Pair *)(x[0] + i))[l];
    for (PetscInt j = 1; j < terms; ++j) {
      for (int l = 0; l < PAIRS; ++l) sum[l] += a[j] * ((const Pair *)(x[j] + i))[l];
    }
    for (int l = 0; l < PAIRS; ++l) ((Pair *)(y + i))[l] = sum[l];
  }
  for (; i < end; ++i) {
    PetscScalar sum = a[0] * x[0][i];

    for (PetscInt j = 1; j < terms; ++j) sum += a[j] * x[j][i];
    y[i] = sum;
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
  if (terms)
    add_up(start, end, terms, a, from, to);
  else
    PetscCall(PetscArrayzero(to + start, end - start));
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
  RungNeed(y);
  if (n > 0) RungNeedArgument(c);
  PetscCall(VecGetLocalSize(y, &size));
  PetscCall(RungCombinePart(y, 0, size, n, c, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
