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

void RungTailEvaluate(PetscInt points, PetscInt nodes, const double table[], PetscInt lanes, PetscInt stride,
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

/* ---- contraction -------------------------------------------------------------------------------------------------- */

#define ROWS 4 /* entries at a time: each coefficient is loaded once for all of them */

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

/* Entries (i, j) .. (i, j + m - 1) of out += sum_c tensor[i][j][c] coefficient[c]; m is a constant where this is called. */
RUNG_INLINE void TensorEntries(const RungBlock *block, const double *tensor, PetscInt n, PetscInt m, PetscInt i,
                               PetscInt j, PetscInt lanes, const double *coefficient, double *out)
{
  RungPack sum[ROWS];

  for (PetscInt k = 0; k < m; ++k) sum[k] = (RungPack){0};
  for (PetscInt c = 0; c < n; ++c) {
    const RungPack value = Load(coefficient + c * lanes);

    for (PetscInt k = 0; k < m; ++k) sum[k] += tensor[k * n + c] * value;
  }
  for (PetscInt k = 0; k < m; ++k) Store(block, i, j + k, lanes, out, &sum[k]);
}

RUNG_INLINE void ContractTensor(const RungBlock *block, RungPairKind kind, PetscInt side, PetscInt lanes,
                                const double *coefficient, double *out)
{
  const PetscInt n = block->coefficients[kind], rows = block->row->nodes, cols = block->col->nodes;

  for (PetscInt i = 0; i < rows; ++i) {
    const double *tensor = block->tensor[kind] + (side * rows + i) * cols * n;
    PetscInt      j      = block->half ? i : 0;

    for (; j + ROWS <= cols; j += ROWS) TensorEntries(block, tensor + j * n, n, ROWS, i, j, lanes, coefficient, out);
    for (; j < cols; ++j) TensorEntries(block, tensor + j * n, n, 1, i, j, lanes, coefficient, out);
  }
}

/* The pairs of a block as pointers, sorted by the test derivative r: those of row k are start[k] .. start[k + 1] - 1. */
typedef struct {
  PetscInt      rows, start[RUNG_MAX_DERIVATIVE + 1];
  const double *row[RUNG_MAX_DERIVATIVE];                               /* [point][i] table of the row    */
  const double *col[RUNG_MAX_DERIVATIVE * RUNG_MAX_DERIVATIVE];         /* [point][j] table of the pair   */
  const double *coefficient[RUNG_MAX_DERIVATIVE * RUNG_MAX_DERIVATIVE]; /* [point][lane] of the pair      */
} Pairs;

RUNG_INLINE void FindPairs(RungPlan plan, const RungBlock *block, PetscInt side, PetscInt lanes,
                           const double *coefficient, Pairs *pairs)
{
  PetscInt last = -1;

  pairs->rows = 0;
  for (PetscInt p = 0; p < block->pairs[RUNG_PAIR_POINT]; ++p) {
    const RungPair *pair = &block->pair[RUNG_PAIR_POINT][p];

    if (pair->r != last) {
      pairs->start[pairs->rows] = p;
      pairs->row[pairs->rows++] = RungBasisTable(plan, block->row, pair->r, side);
    }
    last                  = pair->r;
    pairs->col[p]         = RungBasisTable(plan, block->col, pair->s, side);
    pairs->coefficient[p] = coefficient + pair->coefficient * plan->points * lanes;
  }
  pairs->start[pairs->rows] = block->pairs[RUNG_PAIR_POINT];
}

/* S[k][q] = sum over the pairs of row k of coefficient[q] R_s(w_j)(q) */
RUNG_INLINE void Columns(const Pairs *pairs, PetscInt points, PetscInt cols, PetscInt lanes, PetscInt j, RungPack S[])
{
  for (PetscInt k = 0; k < pairs->rows; ++k) {
    const PetscInt first = pairs->start[k], last = pairs->start[k + 1];

    for (PetscInt q = 0; q < points; ++q) {
      RungPack sum = pairs->col[first][q * cols + j] * Load(pairs->coefficient[first] + q * lanes);

      for (PetscInt p = first + 1; p < last; ++p) {
        sum += pairs->col[p][q * cols + j] * Load(pairs->coefficient[p] + q * lanes);
      }
      S[k * points + q] = sum;
    }
  }
}

/* Entries (i, j) .. (i + m - 1, j) of out += sum_q sum_r R_r(v_i)(q) S[r][q]; m is a constant where this is called. */
RUNG_INLINE void PointEntries(PetscInt n, PetscInt points, PetscInt rows, PetscInt m, PetscInt i,
                              const double *const table[], const RungPack S[], const RungBlock *block, PetscInt j,
                              PetscInt lanes, double *out)
{
  RungPack sum[ROWS];

  for (PetscInt k = 0; k < m; ++k) sum[k] = (RungPack){0};
  for (PetscInt r = 0; r < n; ++r) {
    for (PetscInt q = 0; q < points; ++q) {
      const RungPack value = S[r * points + q];

      for (PetscInt k = 0; k < m; ++k) sum[k] += table[r][q * rows + i + k] * value;
    }
  }
  for (PetscInt k = 0; k < m; ++k) Store(block, i + k, j, lanes, out, &sum[k]);
}

RUNG_INLINE void ContractPoints(RungPlan plan, const RungBlock *block, PetscInt side, PetscInt lanes,
                                const double *coefficient, RungPack S[], double *out)
{
  const PetscInt rows = block->row->nodes, points = plan->points;
  Pairs          pairs;

  FindPairs(plan, block, side, lanes, coefficient, &pairs);
  for (PetscInt j = 0; j < block->col->nodes; ++j) {
    const PetscInt last = block->half ? j + 1 : rows, n = pairs.rows;
    PetscInt       i = 0;

    Columns(&pairs, points, block->col->nodes, lanes, j, S);
    for (; i + ROWS <= last; i += ROWS) PointEntries(n, points, rows, ROWS, i, pairs.row, S, block, j, lanes, out);
    for (; i < last; ++i) PointEntries(n, points, rows, 1, i, pairs.row, S, block, j, lanes, out);
  }
}

void RungTailBlock(RungPlan plan, const RungBlock *block, PetscInt side, PetscInt lanes, double *const coefficient[],
                   double scratch[], double out[])
{
  for (PetscInt l = 0; l < lanes; l += W) {
    for (int kind = RUNG_PAIR_CELL; kind <= RUNG_PAIR_SUM; ++kind) {
      if (!block->coefficients[kind]) continue;
      ContractTensor(block, (RungPairKind)kind, side, lanes, coefficient[kind] + l, out + l);
    }
    if (!block->coefficients[RUNG_PAIR_POINT]) continue;
    ContractPoints(plan, block, side, lanes, coefficient[RUNG_PAIR_POINT] + l, (RungPack *)scratch, out + l);
  }
}
