/* tail_tile.c - matrices of small elements, contracted in registers: a tile of entries at a time, all that it is a sum of.

   Entry (i, j) = sum_c tensor[i][j][c] coefficient[c] + sum_q sum_r R_r(v_i)(q) S_rj(q),  S_rj = sum_s coefficient[rs](q) R_s(w_j)(q).
   The sums S of a tile's columns are used at once and never stored, and an entry is stored once. */
#include "tail_impl.h"

/* Results and what they are made of stay in so many registers; with fewer, or packs of several, tiles do not pay. */
#if RUNG_PACK == 8 && defined(__AVX512F__)
  #define REGISTERS 31
#elif RUNG_PACK < 8
  #define REGISTERS 15
#else
  #define REGISTERS 0
#endif
#define MOST_ROWS    10
#define MOST_COLUMNS 5

/* Columns of a tile of so many rows: its entries, the sums of its columns and one factor. */
#define ROOM(rows)  ((REGISTERS - 1) / ((rows) + 1))
#define WIDTH(rows) (ROOM(rows) < MOST_COLUMNS ? ROOM(rows) : MOST_COLUMNS)

typedef RungPack Tile[MOST_ROWS][MOST_COLUMNS];

typedef struct {
  const RungBlock *block;
  PetscInt         tensors;
  const Tensor    *tensor;
  const Pairs     *pairs;
  PetscInt         points, cols, j; /* columns of the table; the tile's first */
  PetscBool        set;
} Job;

/* Entries on and above the diagonal of a tile of n columns that ends there, or all. */
#define IN_TILE(m, n, half, i, e) (!(half) || (i) <= (m) - (n) + (e))

/* A coefficient of pair p; folded, a constant where this is called: a value and its factor. */
RUNG_INLINE RungPack load_coefficient(PetscBool folded, const Pairs *pairs, PetscInt p, PetscInt place, PetscInt at)
{
  const RungPack value = *(const RungPack *)(pairs->coefficient[p] + place);

  return folded ? value * *(const RungPack *)(pairs->factor[p] + at) : value;
}

/* One row of pairs at all points, place: of their coefficients, at: of what cells have.  m, n, half and folded are constants where
   this and what follows is called. */
RUNG_INLINE void add_points(PetscInt m, PetscInt n, PetscBool half, PetscBool folded, const Job *job, PetscInt row,
                            PetscInt place, PetscInt at, Tile sum)
{
  const Pairs   *pairs = job->pairs;
  const PetscInt first = pairs->start[row], last = pairs->start[row + 1], cols = job->cols;
  const PetscInt rows  = job->block->row->nodes;
  const double  *table = pairs->row[row];

  for (PetscInt q = 0; q < job->points; ++q, table += rows, place += LANES) {
    const double *col   = pairs->col[first] + q * cols + job->j;
    RungPack      value = load_coefficient(folded, pairs, first, place, at), S[MOST_COLUMNS];

    RUNG_UNROLL
    for (PetscInt e = 0; e < n; ++e) S[e] = col[e] * value;
    for (PetscInt p = first + 1; p < last; ++p) {
      col   = pairs->col[p] + q * cols + job->j;
      value = load_coefficient(folded, pairs, p, place, at);
      RUNG_UNROLL
      for (PetscInt e = 0; e < n; ++e) S[e] += col[e] * value;
    }
    RUNG_UNROLL
    for (PetscInt i = 0; i < m; ++i) {
      RUNG_UNROLL
      for (PetscInt e = 0; e < n; ++e)
        if (IN_TILE(m, n, half, i, e)) sum[i][e] += table[i] * S[e];
    }
  }
}

/* All terms of a tensor. */
RUNG_INLINE void add_tensor(PetscInt m, PetscInt n, PetscBool half, const Job *job, const Tensor *tensor, PetscInt at,
                            Tile sum)
{
  const PetscInt terms = tensor->n, row = job->cols * terms;
  const double  *factor = tensor->tensor + job->j * terms, *coefficient = tensor->coefficient + at;

  for (PetscInt c = 0; c < terms; ++c, ++factor, coefficient += LANES) {
    const RungPack value = *(const RungPack *)coefficient;

    RUNG_UNROLL
    for (PetscInt i = 0; i < m; ++i) {
      RUNG_UNROLL
      for (PetscInt e = 0; e < n; ++e)
        if (IN_TILE(m, n, half, i, e)) sum[i][e] += factor[i * row + e * terms] * value;
    }
  }
}

/* To one place of the block, the mirror image of what is above the diagonal if wanted; set is a constant. */
RUNG_INLINE void store_tile(PetscInt m, PetscInt n, PetscBool half, PetscBool set, const RungDestination *to,
                            PetscInt j, double *out, Tile sum)
{
  double        *at = out + (to->base + j * to->col) * LANES, *mirror = out + (to->base + j * to->row) * LANES;
  const PetscInt row = to->row * LANES, col = to->col * LANES;

  RUNG_UNROLL
  for (PetscInt e = 0; e < n; ++e) {
    RUNG_UNROLL
    for (PetscInt i = 0; i < m; ++i) {
      RungPack *one = (RungPack *)(at + i * row + e * col), *other = (RungPack *)(mirror + i * col + e * row);

      if (!IN_TILE(m, n, half, i, e)) continue;
      *one = set ? sum[i][e] : *one + sum[i][e];
      if (half && i < m - n + e) *other = set ? sum[i][e] : *other + sum[i][e];
    }
  }
}

RUNG_INLINE void run_tile(PetscInt m, PetscInt n, PetscBool half, const Job *job, PetscInt place, PetscInt at,
                          double *out)
{
  Tile sum;

  RUNG_UNROLL
  for (PetscInt i = 0; i < m; ++i) {
    RUNG_UNROLL
    for (PetscInt e = 0; e < n; ++e) sum[i][e] = (RungPack){0};
  }
  for (PetscInt t = 0; t < job->tensors; ++t) add_tensor(m, n, half, job, &job->tensor[t], at, sum);
  for (PetscInt r = 0; job->pairs && r < job->pairs->rows; ++r) {
    if (job->pairs->factor)
      add_points(m, n, half, PETSC_TRUE, job, r, place, at, sum);
    else
      add_points(m, n, half, PETSC_FALSE, job, r, place, at, sum);
  }
  for (PetscInt d = 0; d < job->block->destinations; ++d) {
    if (job->set)
      store_tile(m, n, half, PETSC_TRUE, &job->block->destination[d], job->j, out, sum);
    else
      store_tile(m, n, half, PETSC_FALSE, &job->block->destination[d], job->j, out, sum);
  }
}

/* ---- the tiles that there are ---------------------------------------------------------------------------------------- */

typedef void TileFn(const Job *job, PetscInt place, PetscInt at, double *out);

/* A full tile of m rows and n columns; of a symmetric block, down to the diagonal: H. */
#define F(m, n)                                                                                                        \
  static void full_##m##_##n(const Job *job, PetscInt place, PetscInt at, double *out)                                 \
  {                                                                                                                    \
    if ((n) <= WIDTH(m)) run_tile(m, n, PETSC_FALSE, job, place, at, out);                                             \
  }
#define H(m, n)                                                                                                        \
  static void half_##m##_##n(const Job *job, PetscInt place, PetscInt at, double *out)                                 \
  {                                                                                                                    \
    if ((n) <= WIDTH(m)) run_tile(m, n, PETSC_TRUE, job, place, at, out);                                              \
  }
/* clang-format off */
F(2, 1) F(2, 2) F(2, 3) F(2, 4) F(2, 5)
F(3, 1) F(3, 2) F(3, 3) F(3, 4) F(3, 5)
F(4, 1) F(4, 2) F(4, 3) F(4, 4) F(4, 5)
F(6, 1) F(6, 2) F(6, 3) F(6, 4)
F(8, 1) F(8, 2) F(8, 3)
F(9, 1) F(9, 2) F(9, 3)
F(10, 1) F(10, 2)
H(2, 2) H(3, 3) H(4, 2) H(4, 4) H(6, 2) H(6, 3) H(8, 2) H(9, 3) H(10, 2)

static TileFn *const full[MOST_ROWS + 1][MOST_COLUMNS + 1] = {
  [2] = {NULL, full_2_1, full_2_2, full_2_3, full_2_4, full_2_5}, [3] = {NULL, full_3_1, full_3_2, full_3_3, full_3_4, full_3_5},
  [4] = {NULL, full_4_1, full_4_2, full_4_3, full_4_4, full_4_5}, [6] = {NULL, full_6_1, full_6_2, full_6_3, full_6_4},
  [8] = {NULL, full_8_1, full_8_2, full_8_3},               [9] = {NULL, full_9_1, full_9_2, full_9_3},
  [10] = {NULL, full_10_1, full_10_2}};
static TileFn *const half[MOST_ROWS + 1][MOST_COLUMNS + 1] = {
  [2] = {[2] = half_2_2}, [3] = {[3] = half_3_3}, [4] = {[2] = half_4_2, [4] = half_4_4}, [6] = {[2] = half_6_2, [3] = half_6_3},
  [8] = {[2] = half_8_2}, [9] = {[3] = half_9_3}, [10] = {[2] = half_10_2}};
/* clang-format on */

/* Columns of the tiles of a block, 0 if there are none for it. */
static PetscInt tile_width(const RungBlock *block)
{
  const PetscInt rows = block->row->nodes, cols = block->col->nodes, most = rows > MOST_ROWS ? 0 : WIDTH(rows);
  PetscInt       tiles;

  if (most < 2 || !full[rows][1]) return 0;
  if (block->half && rows <= most) return rows;
  if (block->half) return rows % 3 == 0 || rows == 8 ? PetscMin(most, 3) : 2;
  tiles = (cols + most - 1) / most;
  return (cols + tiles - 1) / tiles;
}

PetscInt RungTailWidth(RungPlan plan, const RungBlock *block)
{
  return block->col == &plan->one || block->diagonal ? 0 : tile_width(block);
}

void RungTailTiles(const RungBlock *block, PetscInt tensors, const Tensor tensor[], const Pairs *pairs, PetscInt points,
                   RungBatchSpan span, double out[])
{
  const PetscInt width = span.tiles, cols = block->col->nodes;
  Job            job = {block, tensors, tensor, pairs, points, cols, 0, span.set};

  for (; job.j < cols; job.j += width) {
    const PetscInt n   = PetscMin(width, cols - job.j);
    TileFn        *run = block->half ? half[job.j + n][n] : full[block->row->nodes][n];

    for (PetscInt k = 0; k < span.n; ++k) {
      for (PetscInt l = 0; l < LANES; l += W)
        run(&job, k * (pairs ? pairs->batch : 0) + l, k * span.u + l, out + k * span.out + l);
    }
  }
}
