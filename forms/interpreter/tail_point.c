/* tail_point.c - contraction point by point: coefficients at all points times tables. */
#include "tail_impl.h"

static void find_pairs(RungPlan plan, const RungBlock *block, const PetscInt side[2], const double *coefficient,
                       Pairs *pairs)
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
    pairs->coefficient[p] = coefficient + pair->coefficient * plan->points * LANES;
  }
  pairs->start[pairs->rows] = block->pairs[RUNG_PAIR_POINT];
}

/* S[column][q] = sum over n pairs, those of one row, of coefficient[q] R_s(w_j)(q) for columns j and on, at a distance of
   `across`; n and columns are constants where this is called, or n is not small. */
RUNG_INLINE void column(PetscInt n, PetscInt columns, const double *const col[], const double *const coefficient[],
                        PetscInt points, PetscInt cols, PetscInt j, PetscInt l, PetscInt across, RungPack *S)
{
  for (PetscInt q = 0; q < points; ++q) {
    for (PetscInt p = 0; p < PACKS; ++p) {
      const PetscInt at = q * LANES + l + p * W;
      RungPack       sum[COLUMNS];

      for (PetscInt e = 0; e < columns; ++e)
        sum[e] = col[0][q * cols + j + e] * *(const RungPack *)(coefficient[0] + at);
      for (PetscInt r = 1; r < n; ++r) {
        const RungPack value = *(const RungPack *)(coefficient[r] + at);

        for (PetscInt e = 0; e < columns; ++e) sum[e] += col[r][q * cols + j + e] * value;
      }
      for (PetscInt e = 0; e < columns; ++e) S[e * across + q * PACKS + p] = sum[e];
    }
  }
}

RUNG_INLINE void sum_columns(PetscInt columns, const Pairs *pairs, PetscInt points, PetscInt cols, PetscInt j,
                             PetscInt l, RungPack S[])
{
  const PetscInt across = pairs->rows * points * PACKS;

  for (PetscInt k = 0; k < pairs->rows; ++k, S += points * PACKS) {
    const PetscInt       first = pairs->start[k], n = pairs->start[k + 1] - first;
    const double *const *col = pairs->col + first, *const *coefficient = pairs->coefficient + first;

    switch (n) {
    case 1: column(1, columns, col, coefficient, points, cols, j, l, across, S); break;
    case 2: column(2, columns, col, coefficient, points, cols, j, l, across, S); break;
    case 3: column(3, columns, col, coefficient, points, cols, j, l, across, S); break;
    case 4: column(4, columns, col, coefficient, points, cols, j, l, across, S); break;
    default: column(n, columns, col, coefficient, points, cols, j, l, across, S);
    }
  }
}

/* What columns are contracted with: n rows of values, of a column [point][pack] at a distance of `step` from point to point,
   columns at a distance of `across`. */
typedef struct {
  PetscInt             n, points, step, across;
  const double *const *table; /* [n] of [point][i] */
  const double        *values[RUNG_MAX_DERIVATIVE];
} Rows;

/* Entries (i, j) .. (i + m - 1, j + columns - 1) of out += sum_q sum_r R_r(v_i)(q) value[r][q]; m and columns are constants
   where this is called. */
RUNG_INLINE void point_entries(PetscInt m, PetscInt columns, const Rows *rows, const RungBlock *block, PetscInt i,
                               PetscInt j, RungBatchSpan span, double *out)
{
  const PetscInt nodes = block->row->nodes;

  for (PetscInt k = 0; k < span.n; ++k, out += span.out) {
    RungPack sum[COLUMNS][MANY][PACKS];

    for (PetscInt c = 0; c < columns; ++c) {
      for (PetscInt e = 0; e < m; ++e) {
        for (PetscInt p = 0; p < PACKS; ++p) sum[c][e][p] = (RungPack){0};
      }
    }
    for (PetscInt r = 0; r < rows->n; ++r) {
      const double *value = rows->values[r] + k * span.u, *table = rows->table[r] + i;

      for (PetscInt q = 0; q < rows->points; ++q, value += rows->step, table += nodes) {
        for (PetscInt e = 0; e < m; ++e) {
          for (PetscInt c = 0; c < columns; ++c) {
            for (PetscInt p = 0; p < PACKS; ++p)
              sum[c][e][p] += table[e] * ((const RungPack *)(value + c * rows->across))[p];
          }
        }
      }
    }
    for (PetscInt c = 0; c < columns; ++c) store(m, block, i, j + c, 1, 0, span.set, out, sum[c]);
  }
}

/* Entries of columns j and on; in symmetric blocks those down to the diagonal of the last. */
RUNG_INLINE void contract_columns(PetscInt columns, const Rows *rows, const RungBlock *block, PetscInt j,
                                  RungBatchSpan span, double *out)
{
  const PetscInt last = block->half ? j + columns : block->row->nodes, share = equal_share(last);

  for (PetscInt i = 0; i < last; i += share) {
    const PetscInt m = PetscMin(share, last - i);

    FOR_MANY(m, point_entries, columns, rows, block, i, j, span, out);
  }
}

static void contract_matrix(const RungBlock *block, const Pairs *pairs, const Rows *rows, PetscInt l, PetscBool set,
                            RungPack S[], double *out)
{
  const PetscInt      cols = block->col->nodes;
  const RungBatchSpan one  = {.n = 1, .set = set};
  PetscInt            j    = 0;

  /* with one row of pairs the sums are short, and more results at a time cost more than the loads that they share */
  for (; COLUMNS > 1 && rows->n > 1 && j + COLUMNS <= cols; j += COLUMNS) {
    sum_columns(COLUMNS, pairs, rows->points, cols, j, l, S);
    contract_columns(COLUMNS, rows, block, j, one, out);
  }
  for (; j < cols; ++j) {
    sum_columns(1, pairs, rows->points, cols, j, l, S);
    contract_columns(1, rows, block, j, one, out);
  }
}

/* PACKS packs from lane l on: vectors, whose coefficients are the values, of all batches; matrices column by column. */
static void contract_points(RungPlan plan, const RungBlock *block, const Pairs *pairs, PetscInt l, RungBatchSpan span,
                            RungPack S[], double *out)
{
  const PetscInt points = plan->points;
  Rows           rows   = {.n      = pairs->rows,
                           .points = points,
                           .step   = block->col == &plan->one ? LANES : PACKS * W,
                           .across = pairs->rows * points * PACKS * W,
                           .table  = pairs->row};

  for (PetscInt r = 0; r < pairs->rows; ++r)
    rows.values[r] = block->col == &plan->one ? pairs->coefficient[r] + l : (const double *)(S + r * points * PACKS);
  if (block->col == &plan->one)
    contract_columns(1, &rows, block, 0, span, out + l);
  else
    for (PetscInt k = 0; k < span.n; ++k)
      contract_matrix(block, pairs, &rows, l + k * span.u, span.set, S, out + l + k * span.out);
}

/* Values of the tape, and the tables that have the weights, in place of coefficients. */
static void fold_values(const RungBlock *block, const RungStraight *fold, Pairs *pairs)
{
  for (PetscInt p = 0; p < block->pairs[RUNG_PAIR_POINT]; ++p) pairs->coefficient[p] = fold->value[p];
  for (PetscInt k = 0; k < pairs->rows; ++k) pairs->row[k] = fold->row[block->pair[RUNG_PAIR_POINT][pairs->start[k]].r];
  pairs->factor = fold->factor;
  pairs->batch  = fold->batch;
}

void RungTailPoints(RungPlan plan, const RungBlock *block, const PetscInt side[2], RungBatchSpan span,
                    const double *coefficient, const RungStraight *fold, PetscInt tensors, const Tensor tensor[],
                    double scratch[], double out[])
{
  Pairs pairs = {.factor = NULL, .batch = span.u};

  find_pairs(plan, block, side, coefficient, &pairs);
  if (fold) fold_values(block, fold, &pairs);
  if (span.tiles) {
    RungTailTiles(block, tensors, tensor, &pairs, plan->points, span, out);
    return;
  }
  for (PetscInt l = 0; l < LANES; l += PACKS * W)
    contract_points(plan, block, &pairs, l, span, (RungPack *)scratch, out);
}
