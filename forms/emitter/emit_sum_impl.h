/* emit_sum_impl.h - sum factorisation in C: what emit_line.c, emit_columns.c, emit_sum.c and emit_sum_matrix.c share. */
#pragma once

#include "emit_impl.h"

/* A function `NAME(const Real *a, int s, Real *r, int t)`: r[q t] = (or +=, with add) sum_i table[q][i] a[i s], q < m, i < n;
   transpose: r[i t] = sum_q table[q][i] a[q s]. */
PetscErrorCode RungEmitLine(RungEmitter *emitter, PetscInt m, PetscInt n, const double table[], PetscBool transpose,
                            PetscBool add, const char **name);
/* emit_columns.c: the places of the points on a line, differences of the vertices, what stays in the whole cell; then what
   stays once the point of an axis is fixed in the loop over it, from the last axis to the first, where J is. */
PetscErrorCode RungEmitColumns(RungEmitter *emitter, RungPlan plan, const char **points);
void           RungEmitColumnFixed(RungEmitter *emitter, RungPlan plan, int axis, const char points[]);
/* static const int NAME[n] = data */
PetscErrorCode RungEmitIntegers(RungEmitter *emitter, const char wish[], PetscInt n, const PetscInt data[],
                                const char **name);
/* emit_sum.c: such an array, [lattice point] the number of the node times a stride */
PetscErrorCode RungEmitOrder(RungEmitter *emitter, const RungLineBasis *line, PetscInt axes, PetscInt stride,
                             const char **name);
/* base^axes */
static inline PetscInt RungPower(PetscInt base, PetscInt axes)
{
  PetscInt power = 1;

  while (axes-- > 0) power *= base;
  return power;
}
/* emit_sum_matrix.c: products of a block of rank 2 in the best order of the axes */
double RungSumMatrixCost(RungPlan plan, const RungBlock *block, int kind);
