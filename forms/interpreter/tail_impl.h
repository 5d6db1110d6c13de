/* tail_impl.h - what contractions of tensors (tail.c) and of points (tail_point.c) have in common. */
#pragma once

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
static inline PetscInt equal_share(PetscInt n)
{
  const PetscInt parts = (n + MANY - 1) / MANY;

  return n <= MANY ? n : (n + parts - 1) / parts;
}

/* ---- results --------------------------------------------------------------------------------------------------------- */

/* What is computed first in an `out` is set, all else is added. */
RUNG_INLINE void store_into(PetscBool set, double *out, const RungPack value[PACKS])
{
  for (PetscInt p = 0; p < PACKS; ++p) ((RungPack *)out)[p] = set ? value[p] : ((RungPack *)out)[p] + value[p];
}

/* m entries from `out` on, `step` numbers apart; m and set are constants where this is called */
RUNG_INLINE void store_line(PetscInt m, PetscInt limit, PetscBool set, PetscInt step, double *out,
                            RungPack (*value)[PACKS])
{
  for (PetscInt k = 0; k < m; ++k, out += step) {
    if (k >= limit) break;
    store_into(set, out, value[k]);
  }
}

/* Entries (i, j), (i + di, j + dj), .., m of them, of all destinations; of symmetric blocks those on and above the diagonal,
   with their mirror images. */
RUNG_INLINE void store(PetscInt m, const RungBlock *block, PetscInt i, PetscInt j, PetscInt di, PetscInt dj,
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
      store_line(m, limit, PETSC_TRUE, step, at, value);
    else
      store_line(m, limit, PETSC_FALSE, step, at, value);
    if (!block->half) continue;
    if (set)
      store_line(m - first, last - first, PETSC_TRUE, back, mirror + first * back, value + first);
    else
      store_line(m - first, last - first, PETSC_FALSE, back, mirror + first * back, value + first);
  }
}

/* ---- points -------------------------------------------------------------------------------------------------------- */

/* The pairs of a block as pointers, sorted by the test derivative r: those of row k are start[k] .. start[k + 1] - 1. */
typedef struct {
  PetscInt             rows, start[RUNG_MAX_DERIVATIVE + 1];
  const double        *row[RUNG_MAX_DERIVATIVE];                               /* [point][i] table of the row    */
  const double        *col[RUNG_MAX_DERIVATIVE * RUNG_MAX_DERIVATIVE];         /* [point][j] table of the pair   */
  const double        *coefficient[RUNG_MAX_DERIVATIVE * RUNG_MAX_DERIVATIVE]; /* [point][lane] of the pair      */
  const double *const *factor;                                                 /* lent, of RungStraight, NULL: 1 */
  PetscInt             batch;                                                  /* numbers of a batch of coefficients */
} Pairs;

/* Coefficients of cells, or sums over points, and their tensor [i][j][n]. */
typedef struct {
  PetscInt      n;
  const double *tensor, *coefficient;
} Tensor;

/* tail_tile.c: adds or sets a matrix of small elements that has tiles, of span.n batches: `tensors` of them, and pairs unless it
   is NULL. */
void RungTailTiles(const RungBlock *block, PetscInt tensors, const Tensor tensor[], const Pairs *pairs, PetscInt points,
                   RungBatchSpan span, double out[]);

/* tail_point.c: coefficients at all points, of a block whose sums do not factorise; see RungTailBlock(); with tensors, of
   blocks that have tiles. */
void RungTailPoints(RungPlan plan, const RungBlock *block, const PetscInt side[2], RungBatchSpan span,
                    const double *coefficient, const RungStraight *fold, PetscInt tensors, const Tensor tensor[],
                    double scratch[], double out[]);
