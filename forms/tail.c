/* tail.c - the ends of an interpreted kernel: tables times dofs before the tape, coefficients times tables after it.

   Vectors of RUNG_PACK lanes; the points are the innermost loop, so that an entry is stored once. */
#include "kernel_impl.h"

#define W RUNG_PACK

RUNG_INLINE RungPack Load(const double *at)
{
  return *(const RungPack *)at;
}

/* ---- evaluation ---------------------------------------------------------------------------------------------------
 */

RUNG_HOT void RungTailEvaluate(PetscInt points, PetscInt nodes, const double table[], PetscInt lanes, PetscInt stride,
                               const double u[], double out[])
{
  for (PetscInt l = 0; l < lanes; l += W) {
    for (PetscInt q = 0; q < points; ++q) {
      const double *t   = table + q * nodes;
      RungPack      sum = t[0] * Load(u + l);

      for (PetscInt i = 1; i < nodes; ++i) sum += t[i] * Load(u + i * stride * lanes + l);
      *(RungPack *)(out + q * lanes + l) = sum;
    }
  }
}

/* ---- contraction --------------------------------------------------------------------------------------------------
 */

/* Entry (i, j), and (j, i) of a symmetric block, of all destinations. */
RUNG_INLINE void Store(const RungBlock *block, PetscInt i, PetscInt j, PetscInt lanes, double *out,
                       const RungPack *value)
{
  for (PetscInt d = 0; d < block->destinations; ++d) {
    const RungDestination *to = &block->destination[d];

    *(RungPack *)(out + (to->base + i * to->row + j * to->col) * lanes) += *value;
    if (block->half && i != j) *(RungPack *)(out + (to->base + j * to->row + i * to->col) * lanes) += *value;
  }
}

/* out += sum_c tensor[i][j][c] coefficient[c] */
RUNG_INLINE void ContractTensor(const RungBlock *block, RungPairKind kind, PetscInt side, PetscInt lanes, PetscInt l,
                                const double *coefficient, double *out)
{
  const PetscInt n = block->coefficients[kind], rows = block->row->nodes, cols = block->col->nodes;

  for (PetscInt i = 0; i < rows; ++i) {
    for (PetscInt j = block->half ? i : 0; j < cols; ++j) {
      const double *tensor = block->tensor[kind] + ((side * rows + i) * cols + j) * n;
      RungPack      sum    = tensor[0] * Load(coefficient + l);

      for (PetscInt c = 1; c < n; ++c) sum += tensor[c] * Load(coefficient + c * lanes + l);
      Store(block, i, j, lanes, out + l, &sum);
    }
  }
}

/* The different test derivatives r of the pairs; pairs are sorted by r. */
RUNG_INLINE PetscInt Rows(const RungBlock *block, PetscInt r[])
{
  PetscInt n = 0;

  for (PetscInt p = 0; p < block->pairs[RUNG_PAIR_POINT]; ++p) {
    if (!n || r[n - 1] != block->pair[RUNG_PAIR_POINT][p].r) r[n++] = block->pair[RUNG_PAIR_POINT][p].r;
  }
  return n;
}

/* S[r][q] = sum_s coefficient[rs][q] R_s(w_j)(q) */
RUNG_INLINE void Columns(RungPlan plan, const RungBlock *block, PetscInt side, PetscInt lanes, PetscInt j,
                         const double *coefficient, RungPack S[])
{
  const PetscInt points = plan->points, cols = block->col->nodes;
  PetscInt       row = -1, last = -1;

  for (PetscInt p = 0; p < block->pairs[RUNG_PAIR_POINT]; ++p) {
    const RungPair *pair  = &block->pair[RUNG_PAIR_POINT][p];
    const double   *table = RungBasisTable(plan, block->col, pair->s, side) + j;
    const double   *c     = coefficient + pair->coefficient * points * lanes;

    if (pair->r != last) {
      ++row;
      for (PetscInt q = 0; q < points; ++q) S[row * points + q] = table[q * cols] * Load(c + q * lanes);
    } else {
      for (PetscInt q = 0; q < points; ++q) S[row * points + q] += table[q * cols] * Load(c + q * lanes);
    }
    last = pair->r;
  }
}

/* out += sum_q sum_r R_r(v_i)(q) S[r][q]; n is a constant where this is called */
RUNG_INLINE void Contract(PetscInt n, PetscInt points, PetscInt rows, PetscInt first, PetscInt last,
                          const double *const table[], const RungPack S[], const RungBlock *block, PetscInt j,
                          PetscInt lanes, double *out)
{
  for (PetscInt i = first; i < last; ++i) {
    RungPack sum = {0};

    for (PetscInt q = 0; q < points; ++q) {
      for (PetscInt r = 0; r < n; ++r) sum += table[r][q * rows + i] * S[r * points + q];
    }
    Store(block, i, j, lanes, out, &sum);
  }
}

RUNG_INLINE void ContractPoints(RungPlan plan, const RungBlock *block, PetscInt side, PetscInt lanes, PetscInt l,
                                const double *coefficient, RungPack S[], double *out)
{
  const PetscInt rows = block->row->nodes, points = plan->points;
  const double  *table[RUNG_MAX_DERIVATIVE];
  PetscInt       r[RUNG_MAX_DERIVATIVE], n = Rows(block, r);

  for (PetscInt k = 0; k < n; ++k) table[k] = RungBasisTable(plan, block->row, r[k], side);
  for (PetscInt j = 0; j < block->col->nodes; ++j) {
    const PetscInt last = block->half ? j + 1 : rows;

    Columns(plan, block, side, lanes, j, coefficient + l, S);
    if (n == 1)
      Contract(1, points, rows, 0, last, table, S, block, j, lanes, out + l);
    else if (n == 2)
      Contract(2, points, rows, 0, last, table, S, block, j, lanes, out + l);
    else if (n == 3)
      Contract(3, points, rows, 0, last, table, S, block, j, lanes, out + l);
    else
      Contract(n, points, rows, 0, last, table, S, block, j, lanes, out + l);
  }
}

RUNG_HOT void RungTailBlock(RungPlan plan, const RungBlock *block, PetscInt side, PetscInt lanes,
                            double *const coefficient[], double scratch[], double out[])
{
  for (PetscInt l = 0; l < lanes; l += W) {
    for (int kind = RUNG_PAIR_CELL; kind <= RUNG_PAIR_SUM; ++kind) {
      if (!block->coefficients[kind]) continue;
      ContractTensor(block, (RungPairKind)kind, side, lanes, l, coefficient[kind], out);
    }
    if (!block->coefficients[RUNG_PAIR_POINT]) continue;
    ContractPoints(plan, block, side, lanes, l, coefficient[RUNG_PAIR_POINT], (RungPack *)scratch, out);
  }
}
