/* tail.c - the ends of an interpreted kernel: tables times dofs before the tape, coefficients times tables after it.

   Vectors of RUNG_PACK lanes; the points are the innermost loop, so that an entry is stored once. */
#include "kernel_impl.h"

#define W RUNG_PACK

#define ROWS 5  /* results at a time: what they share is loaded once for all of them */
#define MANY 10 /* of one pack each: as many as the registers hold */

/* f(m, ..) with m a constant, 1 to ROWS */
#define FOR_COUNT(m, f, ...)                                                                                           \
  switch (m) {                                                                                                         \
  case 1: f(1, __VA_ARGS__); break;                                                                                    \
  case 2: f(2, __VA_ARGS__); break;                                                                                    \
  case 3: f(3, __VA_ARGS__); break;                                                                                    \
  case 4: f(4, __VA_ARGS__); break;                                                                                    \
  default: f(ROWS, __VA_ARGS__);                                                                                       \
  }

/* the same with 1 to MANY */
#define FOR_MANY(m, f, ...)                                                                                            \
  switch (m) {                                                                                                         \
  case 6: f(6, __VA_ARGS__); break;                                                                                    \
  case 7: f(7, __VA_ARGS__); break;                                                                                    \
  case 8: f(8, __VA_ARGS__); break;                                                                                    \
  case 9: f(9, __VA_ARGS__); break;                                                                                    \
  case MANY: f(MANY, __VA_ARGS__); break;                                                                              \
  default: FOR_COUNT(m, f, __VA_ARGS__)                                                                                \
  }

/* ---- evaluation ---------------------------------------------------------------------------------------------------
 */

/* m points of w packs at a time, so that a dof is loaded once for all points and a table once for all packs; m and w are
   constants where this is called. */
RUNG_INLINE void EvaluatePoints(PetscInt m, PetscInt w, PetscInt nodes, const double *table, PetscInt lanes,
                                PetscInt step, const double *u, double *out)
{
  RungPack sum[MANY][2];

  for (PetscInt k = 0; k < m; ++k) {
    for (PetscInt p = 0; p < w; ++p) sum[k][p] = (RungPack){0};
  }
  for (PetscInt i = 0; i < nodes; ++i, u += step) {
    const RungPack *value = (const RungPack *)u;

    for (PetscInt k = 0; k < m; ++k) {
      for (PetscInt p = 0; p < w; ++p) sum[k][p] += table[k * nodes + i] * value[p];
    }
  }
  for (PetscInt k = 0; k < m; ++k) {
    for (PetscInt p = 0; p < w; ++p) ((RungPack *)(out + k * lanes))[p] = sum[k][p];
  }
}

void RungTailEvaluate(PetscInt points, PetscInt nodes, const double table[], PetscInt lanes, PetscInt stride,
                      const double u[], double out[])
{
  PetscInt l = 0;

  for (; l + 2 * W <= lanes; l += 2 * W) {
    for (PetscInt q = 0, m = 0; q < points; q += m) {
      m = PetscMin(ROWS, points - q);
      FOR_COUNT(m, EvaluatePoints, 2, nodes, table + q * nodes, lanes, stride * lanes, u + l, out + q * lanes + l);
    }
  }
  for (; l < lanes; l += W) {
    for (PetscInt q = 0, m = 0; q < points; q += m) {
      m = PetscMin(MANY, points - q);
      FOR_MANY(m, EvaluatePoints, 1, nodes, table + q * nodes, lanes, stride * lanes, u + l, out + q * lanes + l);
    }
  }
}

/* ---- contraction -------------------------------------------------------------------------------------------------- */

/* Packs at a time, so that loops and tables cost once for all of them; as many as the registers hold. */
#if RUNG_PACK == 8 && defined(__AVX512F__)
  #define PACKS 4
#else
  #define PACKS 2
#endif

/* Entry (i, j), and (j, i) of a symmetric block, of all destinations; w packs. */
RUNG_INLINE void Store(PetscInt w, const RungBlock *block, PetscInt i, PetscInt j, PetscInt lanes, double *out,
                       const RungPack *value)
{
  for (PetscInt d = 0; d < block->destinations; ++d) {
    const RungDestination *to = &block->destination[d];
    RungPack              *at = (RungPack *)(out + (to->base + i * to->row + j * to->col) * lanes);

    for (PetscInt p = 0; p < w; ++p) at[p] += value[p];
    if (!block->half || i == j) continue;
    at = (RungPack *)(out + (to->base + j * to->row + i * to->col) * lanes);
    for (PetscInt p = 0; p < w; ++p) at[p] += value[p];
  }
}

/* Entries (i, j) .. (i, j + m - 1) of out += sum_c tensor[i][j][c] coefficient[c]; m and w are constants where this is
   called. */
RUNG_INLINE void TensorEntries(PetscInt m, PetscInt w, const RungBlock *block, const double *tensor, PetscInt n,
                               PetscInt i, PetscInt j, PetscInt lanes, const double *coefficient, double *out)
{
  RungPack sum[ROWS][PACKS];

  for (PetscInt k = 0; k < m; ++k) {
    for (PetscInt p = 0; p < w; ++p) sum[k][p] = (RungPack){0};
  }
  for (PetscInt c = 0; c < n; ++c) {
    const RungPack *value = (const RungPack *)(coefficient + c * lanes);

    for (PetscInt k = 0; k < m; ++k) {
      const double factor = tensor[k * n + c];

      for (PetscInt p = 0; p < w; ++p) sum[k][p] += factor * value[p];
    }
  }
  for (PetscInt k = 0; k < m; ++k) Store(w, block, i, j + k, lanes, out, sum[k]);
}

RUNG_INLINE void ContractTensor(PetscInt w, const RungBlock *block, RungPairKind kind, PetscInt side, PetscInt lanes,
                                const double *coefficient, double *out)
{
  const PetscInt n = block->coefficients[kind], rows = block->row->nodes, cols = block->col->nodes;

  for (PetscInt i = 0; i < rows; ++i) {
    const double *tensor = block->tensor[kind] + (side * rows + i) * cols * n;

    for (PetscInt j = block->half ? i : 0, m = 0; j < cols; j += m) {
      m = PetscMin(ROWS, cols - j);
      FOR_COUNT(m, TensorEntries, w, block, tensor + j * n, n, i, j, lanes, coefficient, out);
    }
  }
}

/* The pairs of a block as pointers, sorted by the test derivative r: those of row k are start[k] .. start[k + 1] - 1. */
typedef struct {
  PetscInt      rows, start[RUNG_MAX_DERIVATIVE + 1];
  const double *row[RUNG_MAX_DERIVATIVE];                               /* [point][i] table of the row    */
  const double *col[RUNG_MAX_DERIVATIVE * RUNG_MAX_DERIVATIVE];         /* [point][j] table of the pair   */
  const double *coefficient[RUNG_MAX_DERIVATIVE * RUNG_MAX_DERIVATIVE]; /* [point][lane] of the pair      */
} Pairs;

RUNG_INLINE void FindPairs(RungPlan plan, const RungBlock *block, const PetscInt side[2], PetscInt lanes,
                           const double *coefficient, Pairs *pairs)
{
  PetscInt last = -1;

  pairs->rows = 0;
  for (PetscInt p = 0; p < block->pairs[RUNG_PAIR_POINT]; ++p) {
    const RungPair *pair = &block->pair[RUNG_PAIR_POINT][p];

    if (pair->r != last) {
      pairs->start[pairs->rows] = p;
      pairs->row[pairs->rows++] = RungBasisTable(plan, block->row, pair->r, side[block->row_cell]);
    }
    last                  = pair->r;
    pairs->col[p]         = RungBasisTable(plan, block->col, pair->s, side[block->col_cell]);
    pairs->coefficient[p] = coefficient + pair->coefficient * plan->points * lanes;
  }
  pairs->start[pairs->rows] = block->pairs[RUNG_PAIR_POINT];
}

/* S[k][q] = sum over the pairs of row k of coefficient[q] R_s(w_j)(q), w packs each */
RUNG_INLINE void Columns(PetscInt w, const Pairs *pairs, PetscInt points, PetscInt cols, PetscInt lanes, PetscInt j,
                         RungPack S[])
{
  for (PetscInt k = 0; k < pairs->rows; ++k) {
    const PetscInt first = pairs->start[k], last = pairs->start[k + 1];

    for (PetscInt q = 0; q < points; ++q) {
      RungPack sum[PACKS];

      for (PetscInt p = 0; p < w; ++p) sum[p] = (RungPack){0};
      for (PetscInt r = first; r < last; ++r) {
        const double    factor = pairs->col[r][q * cols + j];
        const RungPack *value  = (const RungPack *)(pairs->coefficient[r] + q * lanes);

        for (PetscInt p = 0; p < w; ++p) sum[p] += factor * value[p];
      }
      for (PetscInt p = 0; p < w; ++p) S[(k * points + q) * w + p] = sum[p];
    }
  }
}

/* Entries (i, j) .. (i + m - 1, j) of out += sum_q sum_r R_r(v_i)(q) value[r][q], n of them at a distance of `step`; m and
   w are constants where this is called. */
RUNG_INLINE void PointEntries(PetscInt m, PetscInt w, PetscInt n, PetscInt points, PetscInt rows, PetscInt i,
                              const double *const table[], const double *const values[], PetscInt step,
                              const RungBlock *block, PetscInt j, PetscInt lanes, double *out)
{
  RungPack sum[MANY][PACKS];

  for (PetscInt k = 0; k < m; ++k) {
    for (PetscInt p = 0; p < w; ++p) sum[k][p] = (RungPack){0};
  }
  for (PetscInt r = 0; r < n; ++r) {
    const double *value_q = values[r], *table_q = table[r] + i;

    for (PetscInt q = 0; q < points; ++q, value_q += step, table_q += rows) {
      const RungPack *value = (const RungPack *)value_q;

      for (PetscInt k = 0; k < m; ++k) {
        const double factor = table_q[k];

        for (PetscInt p = 0; p < w; ++p) sum[k][p] += factor * value[p];
      }
    }
  }
  for (PetscInt k = 0; k < m; ++k) Store(w, block, i + k, j, lanes, out, sum[k]);
}

RUNG_INLINE void ContractPoints(PetscInt w, RungPlan plan, const RungBlock *block, const PetscInt side[2],
                                PetscInt lanes, const double *coefficient, RungPack S[], double *out)
{
  const PetscInt  rows = block->row->nodes, points = plan->points;
  const PetscBool vector = block->col == &plan->one ? PETSC_TRUE : PETSC_FALSE; /* S is the coefficients themselves */
  const double   *values[RUNG_MAX_DERIVATIVE];
  const PetscInt  step = vector ? lanes : w * W;
  Pairs           pairs;

  FindPairs(plan, block, side, lanes, coefficient, &pairs);
  for (PetscInt k = 0; k < pairs.rows; ++k)
    values[k] = vector ? pairs.coefficient[k] : (const double *)(S + k * points * w);
  for (PetscInt j = 0; j < block->col->nodes; ++j) {
    const PetscInt last = block->half ? j + 1 : rows, n = pairs.rows;

    if (!vector) Columns(w, &pairs, points, block->col->nodes, lanes, j, S);
    for (PetscInt i = 0, m = 0; i < last; i += m) {
      m = PetscMin(w == 1 ? MANY : ROWS, last - i);
      if (w == 1) {
        FOR_MANY(m, PointEntries, w, n, points, rows, i, pairs.row, values, step, block, j, lanes, out);
      } else {
        FOR_COUNT(m, PointEntries, w, n, points, rows, i, pairs.row, values, step, block, j, lanes, out);
      }
    }
  }
}

/* A vector whose sums factorise; PETSC_FALSE if they do not. */
static PetscBool SumVector(RungPlan plan, const RungBlock *block, PetscInt lanes, const double *coefficient,
                           double scratch[], double out[])
{
  const double *of[1 + 3] = {NULL};

  if (block->col != &plan->one || !RungSumFits(plan, block->row)) return PETSC_FALSE;
  for (PetscInt p = 0; p < block->pairs[RUNG_PAIR_POINT]; ++p) {
    const RungPair *pair = &block->pair[RUNG_PAIR_POINT][p];

    of[pair->r] = coefficient + pair->coefficient * plan->points * lanes;
  }
  RungSumVector(plan, block, lanes, of, scratch, out);
  return PETSC_TRUE;
}

/* w packs of a block from lane l on */
RUNG_INLINE void Contract(PetscInt w, RungPlan plan, const RungBlock *block, const PetscInt side[2], PetscInt lanes,
                          PetscInt l, PetscBool points, double *const coefficient[], double scratch[], double out[])
{
  for (int kind = RUNG_PAIR_CELL; kind <= RUNG_PAIR_SUM; ++kind) {
    if (!block->coefficients[kind]) continue;
    ContractTensor(w, block, (RungPairKind)kind, side[0], lanes, coefficient[kind] + l, out + l);
  }
  if (!points) return;
  ContractPoints(w, plan, block, side, lanes, coefficient[RUNG_PAIR_POINT] + l, (RungPack *)scratch, out + l);
}

void RungTailBlock(RungPlan plan, const RungBlock *block, const PetscInt side[2], PetscInt lanes,
                   double *const coefficient[], double scratch[], double out[])
{
  PetscBool points = block->coefficients[RUNG_PAIR_POINT] ? PETSC_TRUE : PETSC_FALSE;
  PetscInt  l      = 0;

  if (points && SumVector(plan, block, lanes, coefficient[RUNG_PAIR_POINT], scratch, out)) points = PETSC_FALSE;
  for (; l + PACKS * W <= lanes; l += PACKS * W)
    Contract(PACKS, plan, block, side, lanes, l, points, coefficient, scratch, out);
  for (; PACKS > 2 && l + 2 * W <= lanes; l += 2 * W)
    Contract(2, plan, block, side, lanes, l, points, coefficient, scratch, out);
  for (; l < lanes; l += W) Contract(1, plan, block, side, lanes, l, points, coefficient, scratch, out);
}
