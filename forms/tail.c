/* tail.c - the ends of an interpreted kernel: tables times dofs before the tape, coefficients times tables after it.

   Vectors of RUNG_PACK lanes; the points are the innermost loop, so that an entry is stored once. */
#include "kernel_impl.h"

#define W     RUNG_PACK
#define LANES RUNG_BATCH

/* MANY results of PACKS packs at a time, so that what they share is loaded once for all of them: as many as the registers
   hold. */
#if RUNG_PACK == 8 && defined(__AVX512F__)
  #define PACKS   1
  #define MANY    10
  #define COLUMNS 2 /* of a matrix, so many results of each */
#else
  #define PACKS   (RUNG_PACK < RUNG_BATCH ? 2 : 1)
  #define MANY    5
  #define COLUMNS 1
#endif

/* f(m, ..) with m a constant, 1 to MANY */
#define FOR_MANY(m, f, ...)                                                                                            \
  switch (m) {                                                                                                         \
  case 1: f(1, __VA_ARGS__); break;                                                                                    \
  case 2: f(2, __VA_ARGS__); break;                                                                                    \
  case 3: f(3, __VA_ARGS__); break;                                                                                    \
  case 4: f(4, __VA_ARGS__); break;                                                                                    \
  case 5: f(5, __VA_ARGS__); break;                                                                                    \
  case 6: f(6 > MANY ? 1 : 6, __VA_ARGS__); break;                                                                     \
  case 7: f(7 > MANY ? 1 : 7, __VA_ARGS__); break;                                                                     \
  case 8: f(8 > MANY ? 1 : 8, __VA_ARGS__); break;                                                                     \
  case 9: f(9 > MANY ? 1 : 9, __VA_ARGS__); break;                                                                     \
  default: f(MANY, __VA_ARGS__);                                                                                       \
  }

/* n parted into equal shares of at most MANY. */
static inline PetscInt Share(PetscInt n)
{
  const PetscInt parts = (n + MANY - 1) / MANY;

  return n <= MANY ? n : (n + parts - 1) / parts;
}

/* ---- evaluation ---------------------------------------------------------------------------------------------------
 */

/* m points at a time, so that a dof is loaded once for all of them and a table once for all packs; m is a constant where
   this is called. */
RUNG_INLINE void EvaluatePoints(PetscInt m, PetscInt nodes, const double *table, PetscInt step, RungSpan span,
                                const double *u, double *out)
{
  for (PetscInt k = 0; k < span.n; ++k, u += span.u, out += span.out) {
    RungPack      sum[MANY][PACKS];
    const double *node = u;

    for (PetscInt q = 0; q < m; ++q) {
      for (PetscInt p = 0; p < PACKS; ++p) sum[q][p] = (RungPack){0};
    }
    for (PetscInt i = 0; i < nodes; ++i, node += step) {
      const RungPack *value = (const RungPack *)node;

      for (PetscInt q = 0; q < m; ++q) {
        for (PetscInt p = 0; p < PACKS; ++p) sum[q][p] += table[q * nodes + i] * value[p];
      }
    }
    for (PetscInt q = 0; q < m; ++q) {
      for (PetscInt p = 0; p < PACKS; ++p) ((RungPack *)(out + q * LANES))[p] = sum[q][p];
    }
  }
}

void RungTailEvaluate(PetscInt points, PetscInt nodes, const double table[], PetscInt stride, RungSpan span,
                      const double u[], double out[])
{
  const PetscInt share = Share(points);

  for (PetscInt l = 0; l < LANES; l += PACKS * W) {
    for (PetscInt q = 0; q < points; q += share) {
      const PetscInt m = PetscMin(share, points - q);

      FOR_MANY(m, EvaluatePoints, nodes, table + q * nodes, stride * LANES, span, u + l, out + q * LANES + l);
    }
  }
}

/* ---- contraction: tensors ------------------------------------------------------------------------------------------ */

/* What is computed first in an `out` is set, all else is added. */
RUNG_INLINE void Into(PetscBool set, double *out, const RungPack value[PACKS])
{
  for (PetscInt p = 0; p < PACKS; ++p) ((RungPack *)out)[p] = set ? value[p] : ((RungPack *)out)[p] + value[p];
}

/* out (+)= sum of n coefficients times factors, of all batches; n is a constant where this is called, or not small. */
RUNG_INLINE void Terms(PetscInt n, const double factor[], const PetscInt at[], RungSpan span, const double *coefficient,
                       double *out)
{
  for (PetscInt k = 0; k < span.n; ++k, coefficient += span.u, out += span.out) {
    RungPack sum[PACKS];

    for (PetscInt p = 0; p < PACKS; ++p) {
      sum[p] = n ? factor[0] * ((const RungPack *)(coefficient + at[0]))[p] : (RungPack){0};
      for (PetscInt c = 1; c < n; ++c) sum[p] += factor[c] * ((const RungPack *)(coefficient + at[c]))[p];
    }
    Into(span.set, out, sum);
  }
}

static void AddTerms(PetscInt n, const double factor[], const PetscInt at[], RungSpan span, const double *coefficient,
                     double *out)
{
  switch (n) {
  case 0:
    if (span.set) Terms(0, factor, at, span, coefficient, out);
    break;
  case 1: Terms(1, factor, at, span, coefficient, out); break;
  case 2: Terms(2, factor, at, span, coefficient, out); break;
  case 3: Terms(3, factor, at, span, coefficient, out); break;
  case 4: Terms(4, factor, at, span, coefficient, out); break;
  case 5: Terms(5, factor, at, span, coefficient, out); break;
  case 6: Terms(6, factor, at, span, coefficient, out); break;
  default: Terms(n, factor, at, span, coefficient, out);
  }
}

#define MOST_TERMS (RUNG_MAX_DERIVATIVE * RUNG_MAX_DERIVATIVE)

/* Entry (i, j) of all destinations, with its mirror image in symmetric blocks: factors that vanish are left out. */
RUNG_INLINE void TensorEntry(const RungBlock *block, const double *tensor, PetscInt n, PetscInt i, PetscInt j,
                             RungSpan span, const double *coefficient, double *out)
{
  double   factor[MOST_TERMS];
  PetscInt at[MOST_TERMS], terms = 0;

  for (PetscInt c = 0; c < n; ++c) {
    factor[terms] = tensor[c];
    at[terms]     = c * LANES;
    terms += tensor[c] != 0;
  }
  for (PetscInt d = 0; d < block->destinations; ++d) {
    const RungDestination *to = &block->destination[d];

    AddTerms(terms, factor, at, span, coefficient, out + (to->base + i * to->row + j * to->col) * LANES);
    if (!block->half || i == j) continue;
    AddTerms(terms, factor, at, span, coefficient, out + (to->base + j * to->row + i * to->col) * LANES);
  }
}

/* Many batches: an entry of all of them at a time. */
static void TensorBatches(const RungBlock *block, const double *tensor, PetscInt n, RungSpan span,
                          const double *coefficient, double *out)
{
  const PetscInt rows = block->row->nodes, cols = block->col->nodes;

  for (PetscInt i = 0; i < rows; ++i, tensor += cols * n) {
    for (PetscInt j = block->half ? i : 0; j < cols; ++j)
      TensorEntry(block, tensor + j * n, n, i, j, span, coefficient, out);
  }
}

/* m entries from `out` on, `step` numbers apart; m and set are constants where this is called */
RUNG_INLINE void StoreLine(PetscInt m, PetscInt limit, PetscBool set, PetscInt step, double *out,
                           RungPack (*value)[PACKS])
{
  for (PetscInt k = 0; k < m; ++k, out += step) {
    if (k >= limit) break;
    Into(set, out, value[k]);
  }
}

/* Entries (i, j), (i + di, j + dj), .., m of them, of all destinations; of symmetric blocks those on and above the diagonal,
   with their mirror images. */
RUNG_INLINE void Store(PetscInt m, const RungBlock *block, PetscInt i, PetscInt j, PetscInt di, PetscInt dj,
                       PetscBool set, double *out, RungPack (*value)[PACKS])
{
  const PetscInt limit = block->half && di ? PetscMin(m, j - i + 1) : m;
  const PetscInt first = block->half && dj && i == j ? 1 : 0; /* what is on the diagonal has no mirror image */
  const PetscInt last  = block->half && di && i + limit - 1 == j ? limit - 1 : limit;

  for (PetscInt d = 0; d < block->destinations; ++d) {
    const RungDestination *to   = &block->destination[d];
    const PetscInt         step = (di * to->row + dj * to->col) * LANES, back = (di * to->col + dj * to->row) * LANES;
    double                *at     = out + (to->base + i * to->row + j * to->col) * LANES;
    double                *mirror = out + (to->base + j * to->row + i * to->col) * LANES;

    if (set)
      StoreLine(m, limit, PETSC_TRUE, step, at, value);
    else
      StoreLine(m, limit, PETSC_FALSE, step, at, value);
    if (!block->half) continue;
    if (set)
      StoreLine(m - first, last - first, PETSC_TRUE, back, mirror + first * back, value + first);
    else
      StoreLine(m - first, last - first, PETSC_FALSE, back, mirror + first * back, value + first);
  }
}

/* Entries (i, j) .. (i, j + m - 1) of out += sum_c tensor[i][j][c] coefficient[c]; m is a constant where this is called. */
RUNG_INLINE void TensorEntries(PetscInt m, const RungBlock *block, const double *tensor, PetscInt n, PetscInt i,
                               PetscInt j, PetscBool set, const double *coefficient, double *out)
{
  RungPack sum[MANY][PACKS];

  for (PetscInt k = 0; k < m; ++k) {
    for (PetscInt p = 0; p < PACKS; ++p) sum[k][p] = (RungPack){0};
  }
  for (PetscInt c = 0; c < n; ++c) {
    const RungPack *value = (const RungPack *)(coefficient + c * LANES);

    for (PetscInt k = 0; k < m; ++k) {
      const double factor = tensor[k * n + c];

      for (PetscInt p = 0; p < PACKS; ++p) sum[k][p] += factor * value[p];
    }
  }
  Store(m, block, i, j, 0, 1, set, out, sum);
}

static void TensorMany(PetscInt n, const RungBlock *block, const double *tensor, PetscBool set,
                       const double *coefficient, double *out)
{
  const PetscInt rows = block->row->nodes, cols = block->col->nodes;

  for (PetscInt i = 0; i < rows; ++i, tensor += cols * n) {
    const PetscInt first = block->half ? i : 0, share = Share(cols - first);

    for (PetscInt j = first; j < cols; j += share) {
      const PetscInt m = PetscMin(share, cols - j);

      FOR_MANY(m, TensorEntries, block, tensor + j * n, n, i, j, set, coefficient, out);
    }
  }
}

/* Entries of as many terms and places each; both are constants where this is called, or not small. */
RUNG_INLINE void SparseEntries(PetscInt terms, PetscInt places, PetscInt entries, PetscBool set, const double factor[],
                               const PetscInt at[], const PetscInt place[], const double *coefficient, double *out)
{
  for (PetscInt e = 0; e < entries; ++e, factor += terms, at += terms, place += places) {
    RungPack sum[PACKS];

    for (PetscInt p = 0; p < PACKS; ++p) {
      sum[p] = terms ? factor[0] * ((const RungPack *)(coefficient + at[0] * LANES))[p] : (RungPack){0};
      for (PetscInt c = 1; c < terms; ++c) sum[p] += factor[c] * ((const RungPack *)(coefficient + at[c] * LANES))[p];
    }
    for (PetscInt d = 0; d < places; ++d) Into(set, out + place[d] * LANES, sum);
  }
}

#define SPARSE(n, m)                                                                                                   \
  SparseEntries(n, m, group->entries, set, sparse->factor + group->term, sparse->at + group->term,                     \
                sparse->place + group->place, coefficient, out)

/* Mostly zeros: term by term, to places that are known. */
static void TensorSparse(const RungSparse *sparse, PetscBool set, const double *coefficient, double *out)
{
  for (const RungSparseGroup *group = sparse->group; group < sparse->group + sparse->groups; ++group) {
    const PetscInt n = group->terms, m = group->places;

    if (!n && !set) continue;
    if (n == 1 && m == 1)
      SPARSE(1, 1);
    else if (n == 1 && m == 2)
      SPARSE(1, 2);
    else if (n == 2 && m == 2)
      SPARSE(2, 2);
    else if (n == 3 && m == 1)
      SPARSE(3, 1);
    else if (n == 3 && m == 2)
      SPARSE(3, 2);
    else
      SPARSE(n, m);
  }
}

/* Few coefficients, n, a constant where this is called: they stay in registers. */
RUNG_INLINE void TensorFew(PetscInt n, const RungBlock *block, const double *tensor, PetscBool set,
                           const double *coefficient, double *out)
{
  const PetscInt rows = block->row->nodes, cols = block->col->nodes;
  RungPack       value[9][PACKS], sum[1][PACKS];

  for (PetscInt c = 0; c < n; ++c) {
    for (PetscInt p = 0; p < PACKS; ++p) value[c][p] = ((const RungPack *)(coefficient + c * LANES))[p];
  }
  for (PetscInt i = 0; i < rows; ++i, tensor += cols * n) {
    for (PetscInt j = block->half ? i : 0; j < cols; ++j) {
      for (PetscInt p = 0; p < PACKS; ++p) {
        sum[0][p] = tensor[j * n] * value[0][p];
        for (PetscInt c = 1; c < n; ++c) sum[0][p] += tensor[j * n + c] * value[c][p];
      }
      Store(1, block, i, j, 0, 1, set, out, sum);
    }
  }
}

static void TensorDense(PetscInt n, const RungBlock *block, const double *tensor, PetscBool set,
                        const double *coefficient, double *out)
{
  switch (n) {
  case 0: break;
  case 1: TensorFew(1, block, tensor, set, coefficient, out); break;
  case 2: TensorFew(2, block, tensor, set, coefficient, out); break;
  case 3: TensorFew(3, block, tensor, set, coefficient, out); break;
  case 4: TensorFew(4, block, tensor, set, coefficient, out); break;
  case 6: TensorFew(6, block, tensor, set, coefficient, out); break;
  case 9: TensorFew(9, block, tensor, set, coefficient, out); break;
  default: TensorMany(n, block, tensor, set, coefficient, out);
  }
}

static void ContractTensor(const RungBlock *block, RungPairKind kind, PetscInt side, RungSpan span,
                           const double *coefficient, double *out)
{
  const PetscInt n      = block->coefficients[kind];
  const double  *tensor = block->tensor[kind] + side * block->row->nodes * block->col->nodes * n;

  if (n && span.n > 1) {
    TensorBatches(block, tensor, n, span, coefficient, out);
    return;
  }
  if (n && block->sparse[kind].group) {
    TensorSparse(&block->sparse[kind], span.set, coefficient, out);
    return;
  }
  TensorDense(n, block, tensor, span.set, coefficient, out);
}

/* ---- contraction: points ------------------------------------------------------------------------------------------- */

/* The pairs of a block as pointers, sorted by the test derivative r: those of row k are start[k] .. start[k + 1] - 1. */
typedef struct {
  PetscInt      rows, start[RUNG_MAX_DERIVATIVE + 1];
  const double *row[RUNG_MAX_DERIVATIVE];                               /* [point][i] table of the row    */
  const double *col[RUNG_MAX_DERIVATIVE * RUNG_MAX_DERIVATIVE];         /* [point][j] table of the pair   */
  const double *coefficient[RUNG_MAX_DERIVATIVE * RUNG_MAX_DERIVATIVE]; /* [point][lane] of the pair      */
} Pairs;

static void FindPairs(RungPlan plan, const RungBlock *block, const PetscInt side[2], const double *coefficient,
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
RUNG_INLINE void Column(PetscInt n, PetscInt columns, const double *const col[], const double *const coefficient[],
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

RUNG_INLINE void Columns(PetscInt columns, const Pairs *pairs, PetscInt points, PetscInt cols, PetscInt j, PetscInt l,
                         RungPack S[])
{
  const PetscInt across = pairs->rows * points * PACKS;

  for (PetscInt k = 0; k < pairs->rows; ++k, S += points * PACKS) {
    const PetscInt       first = pairs->start[k], n = pairs->start[k + 1] - first;
    const double *const *col = pairs->col + first, *const *coefficient = pairs->coefficient + first;

    switch (n) {
    case 1: Column(1, columns, col, coefficient, points, cols, j, l, across, S); break;
    case 2: Column(2, columns, col, coefficient, points, cols, j, l, across, S); break;
    case 3: Column(3, columns, col, coefficient, points, cols, j, l, across, S); break;
    case 4: Column(4, columns, col, coefficient, points, cols, j, l, across, S); break;
    default: Column(n, columns, col, coefficient, points, cols, j, l, across, S);
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
RUNG_INLINE void PointEntries(PetscInt m, PetscInt columns, const Rows *rows, const RungBlock *block, PetscInt i,
                              PetscInt j, RungSpan span, double *out)
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
    for (PetscInt c = 0; c < columns; ++c) Store(m, block, i, j + c, 1, 0, span.set, out, sum[c]);
  }
}

/* Entries of columns j and on; in symmetric blocks those down to the diagonal of the last. */
RUNG_INLINE void ContractColumns(PetscInt columns, const Rows *rows, const RungBlock *block, PetscInt j, RungSpan span,
                                 double *out)
{
  const PetscInt last = block->half ? j + columns : block->row->nodes, share = Share(last);

  for (PetscInt i = 0; i < last; i += share) {
    const PetscInt m = PetscMin(share, last - i);

    FOR_MANY(m, PointEntries, columns, rows, block, i, j, span, out);
  }
}

static void ContractMatrix(const RungBlock *block, const Pairs *pairs, const Rows *rows, PetscInt l, PetscBool set,
                           RungPack S[], double *out)
{
  const PetscInt cols = block->col->nodes;
  const RungSpan one  = {.n = 1, .set = set};
  PetscInt       j    = 0;

  /* with one row of pairs the sums are short, and more results at a time cost more than the loads that they share */
  for (; COLUMNS > 1 && rows->n > 1 && j + COLUMNS <= cols; j += COLUMNS) {
    Columns(COLUMNS, pairs, rows->points, cols, j, l, S);
    ContractColumns(COLUMNS, rows, block, j, one, out);
  }
  for (; j < cols; ++j) {
    Columns(1, pairs, rows->points, cols, j, l, S);
    ContractColumns(1, rows, block, j, one, out);
  }
}

/* PACKS packs from lane l on: vectors, whose coefficients are the values, of all batches; matrices column by column. */
static void ContractPoints(RungPlan plan, const RungBlock *block, const Pairs *pairs, PetscInt l, RungSpan span,
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
    ContractColumns(1, &rows, block, 0, span, out + l);
  else
    for (PetscInt k = 0; k < span.n; ++k)
      ContractMatrix(block, pairs, &rows, l + k * span.u, span.set, S, out + l + k * span.out);
}

/* A vector whose sums factorise; PETSC_FALSE if they do not. */
static PetscBool SumVector(RungPlan plan, const RungBlock *block, RungSpan span, const double *coefficient,
                           double scratch[], double out[])
{
  const double *of[1 + 3] = {NULL};

  if (!plan->tensor || block->col != &plan->one || !RungSumFits(plan, block->row)) return PETSC_FALSE;
  for (PetscInt k = 0; k < span.n; ++k) {
    for (PetscInt p = 0; p < block->pairs[RUNG_PAIR_POINT]; ++p) {
      const RungPair *pair = &block->pair[RUNG_PAIR_POINT][p];

      of[pair->r] = coefficient + k * span.u + pair->coefficient * plan->points * LANES;
    }
    RungSumVector(plan, block, of, span.set, scratch, out + k * span.out);
  }
  return PETSC_TRUE;
}

/* Coefficients at a few of the points, which are gathered first. */
static void ContractFew(RungPlan plan, const RungBlock *block, RungSpan span, const double *coefficient,
                        double scratch[], double out[])
{
  const PetscInt n = block->coefficients[RUNG_PAIR_POINT] * block->few;

  for (PetscInt k = 0; k < span.n; ++k, coefficient += span.u, out += span.out) {
    for (PetscInt c = 0; c < n; ++c) {
      const double *from = coefficient + (c / block->few * plan->points + block->few_point[c % block->few]) * LANES;

      for (PetscInt l = 0; l < LANES; l += W) *(RungPack *)(scratch + c * LANES + l) = *(const RungPack *)(from + l);
    }
    for (PetscInt l = 0; l < LANES; l += PACKS * W)
      TensorDense(n, block, block->few_tensor, span.set, scratch + l, out + l);
  }
}

void RungTailBlock(RungPlan plan, const RungBlock *block, const PetscInt side[2], RungSpan span,
                   double *const coefficient[], double scratch[], double out[])
{
  Pairs pairs;

  for (int kind = RUNG_PAIR_CELL; kind <= RUNG_PAIR_SUM; ++kind) {
    if (!block->coefficients[kind]) continue;
    for (PetscInt l = 0; l < LANES; l += PACKS * W)
      ContractTensor(block, (RungPairKind)kind, side[0], span, coefficient[kind] + l, out + l);
    span.set = PETSC_FALSE;
  }
  if (!block->coefficients[RUNG_PAIR_POINT]) return;
  if (SumVector(plan, block, span, coefficient[RUNG_PAIR_POINT], scratch, out)) return;
  if (block->few) {
    ContractFew(plan, block, span, coefficient[RUNG_PAIR_POINT], scratch, out);
    return;
  }
  FindPairs(plan, block, side, coefficient[RUNG_PAIR_POINT], &pairs);
  for (PetscInt l = 0; l < LANES; l += PACKS * W)
    ContractPoints(plan, block, &pairs, l, span, (RungPack *)scratch, out);
}
