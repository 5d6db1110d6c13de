/* plan_kronecker.c - the matrix of an affine cell as a sum of products of matrices of a line.

   Where points and functions are products (plan_tensor.c) and coefficients are constant in the cell, so are the tensors of pairs
   (kernel_impl.h, CELL): with A_a = sum_q w_q d^r_a(v_i)(q) d^s_a(w_j)(q) on a line, derived where r or s is the derivative along axis a,

       y = sum_(r,s) G_rs (A_2 x A_1 x A_0) u.

   Axis by axis, what pairs have in common is done once: of a mass and a stiffness, M and K the matrices of a line,

       y = M_2 (M_1 (c M_0 + c_0 K_0) + c_1 K_1 M_0) u + K_2 M_1 c_2 M_0 u,

   7 sweeps of lines, where sums over points take 12, for values, derivatives and the way back, and the work at the points besides. */
#include "kernel_impl.h"

PetscInt RungKroneckerMatrix(const RungPair *pair, PetscInt axis, PetscBool turned)
{
  const PetscInt row = (turned ? pair->s : pair->r) == 1 + axis, col = (turned ? pair->r : pair->s) == 1 + axis;

  return 2 * row + col;
}

PetscBool RungKroneckerTakes(RungPlan plan, const RungPair *pair, PetscBool turned, PetscInt last, PetscInt middle)
{
  if (last != (plan->axes > 2 ? RungKroneckerMatrix(pair, 2, turned) : 0)) return PETSC_FALSE;
  return middle < 0 || RungKroneckerMatrix(pair, 1, turned) == middle ? PETSC_TRUE : PETSC_FALSE;
}

PetscBool RungKroneckerHas(RungPlan plan, const RungBlock *block, PetscBool turned, PetscInt last, PetscInt middle)
{
  for (PetscInt p = 0; p < block->pairs[RUNG_PAIR_CELL]; ++p) {
    if (RungKroneckerTakes(plan, &block->pair[RUNG_PAIR_CELL][p], turned, last, middle)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

void RungKroneckerTable(RungPlan plan, const RungLineBasis *row, const RungLineBasis *col, PetscInt matrix,
                        double table[])
{
  const double *v = row->table[matrix / 2], *w = col->table[matrix % 2];
  double        largest = 0;

  for (PetscInt k = 0; k < row->line * col->line; ++k) {
    table[k] = 0;
    for (PetscInt q = 0; q < plan->tensor->points; ++q)
      table[k] += plan->tensor->weight[q] * v[q * row->line + k / col->line] * w[q * col->line + k % col->line];
    largest = PetscMax(largest, PetscAbsReal(table[k]));
  }
  for (PetscInt k = 0; k < row->line * col->line; ++k) {
    if (PetscAbsReal(table[k]) < 1e-15 * largest) table[k] = 0; /* sums that vanish but for rounding */
  }
}

/* Sweeps of lines of one application. */
static PetscInt count_sweeps(RungPlan plan, const RungBlock *block)
{
  PetscInt  n        = 0;
  PetscBool first[4] = {PETSC_FALSE};

  for (PetscInt p = 0; p < block->pairs[RUNG_PAIR_CELL]; ++p)
    first[RungKroneckerMatrix(&block->pair[RUNG_PAIR_CELL][p], 0, PETSC_FALSE)] = PETSC_TRUE;
  for (PetscInt f = 0; f < 4; ++f) {
    n += first[f] + (plan->axes > 2 && RungKroneckerHas(plan, block, PETSC_FALSE, f, -1));
    for (PetscInt g = 0; g < 4; ++g) n += RungKroneckerHas(plan, block, PETSC_FALSE, f, g);
  }
  return n;
}

double RungKroneckerCost(RungPlan plan)
{
  double cost = 0;

  for (PetscInt b = 0; b < plan->blocks; ++b) {
    const RungBlock     *block = &plan->block[b];
    const RungLineBasis *row = RungPlanLine(plan, block->row), *col = RungPlanLine(plan, block->col);
    const PetscInt       nodes = PetscMax(block->row->nodes, block->col->nodes);

    if (block->coefficients[RUNG_PAIR_SUM] || block->coefficients[RUNG_PAIR_POINT] || !row->line || !col->line)
      return -1;
    cost += (double)(block->destinations * nodes) *
            (RUNG_LINE_COST * (double)count_sweeps(plan, block) * (double)PetscMax(row->line, col->line) +
             (double)block->pairs[RUNG_PAIR_CELL]);
  }
  return cost;
}
