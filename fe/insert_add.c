/* insert_add.c - dense blocks of several cells, read lane by lane, added to value arrays through a pattern's offsets.

   The kernels' results come transposed, [row dof][column dof][lane]: they are read where they lie, a block row of all
   lanes after the other, so that what is read stays in the first cache and a row's start is looked up once.  The common
   shapes are functions of their own with constant sizes; offsets come in three widths. */
#include "fe_space_impl.h"

/* One pair of unknowns of a cell: n x m dofs in each of `rows` x `columns` pairs of blocks. */
typedef struct {
  PetscInt  rows, columns, row_block, column_block; /* blocks of the cell                   */
  PetscInt  row_dof, column_dof;                    /* first row and column of the dense block */
  PetscBool by_rows;                                /* a row of all lanes after the other, else cell after cell */
} Pair;

/* Where a block row of a cell goes: its owned columns (or all of a sent row), the other columns. */
typedef struct {
  PetscScalar *value[2];
  PetscInt     start[2], stride[2]; /* in value; to the next row of dofs      */
  PetscInt     step, scale;         /* to the next column of dofs; of offsets */
  PetscInt     lower[2];            /* blocks that are not stored             */
} Row;

#define INLINE static inline __attribute__((always_inline))

typedef PetscScalar Two __attribute__((vector_size(2 * sizeof(PetscScalar)), aligned(sizeof(PetscScalar)), may_alias));

/* Neighbours in a row two by two: half the loads and stores. */
INLINE void add_columns(PetscScalar to[], const PetscScalar from[], const PetscInt m, const PetscInt sj)
{
  PetscInt b = 0;

  for (; b + 2 <= m; b += 2) *(Two *)(to + b) += (Two){from[b * sj], from[(b + 1) * sj]};
  if (b < m) to[b] += from[b * sj];
}

/* Row i of lane l. */
#define DEFINE_ADD(T)                                                                                                  \
  INLINE void add_row_##T(const RungPattern p, PetscScalar *restrict diag, const RungInsertCells *cells,               \
                          const Pair *pair, PetscInt l, PetscInt i, const PetscInt n, const PetscInt m,                \
                          const PetscInt unit, const PetscInt columns, const PetscInt sj)                              \
  {                                                                                                                    \
    const PetscInt width = p->block_offset[p->unknowns], si = cells->si;                                               \
    const size_t   at        = (size_t)cells->cell[l] * (size_t)width + (size_t)(pair->row_block + i);                 \
    const PetscInt r         = p->cell_block[at];                                                                      \
    const PetscInt stride    = n > 1 ? p->stride[0][r] : 0;                                                            \
    const T *restrict offset = (const T *)p->offset + at * (size_t)width + pair->column_block;                         \
    PetscScalar       *row   = diag + p->start[0][r];                                                                  \
    const PetscScalar *from  = cells->dense + (pair->row_dof + n * i) * si + pair->column_dof * sj + l;                \
                                                                                                                       \
    for (PetscInt a = 0; a < n; ++a, row += stride, from += si)                                                        \
      for (PetscInt j = 0; j < columns; ++j) {                                                                         \
        PetscScalar *to = row + (PetscInt)offset[j] * unit;                                                            \
                                                                                                                       \
        add_columns(to, from + j * m * sj, m, sj);                                                                     \
      }                                                                                                                \
  }                                                                                                                    \
                                                                                                                       \
  /* n rows and m columns of dofs a block; what is constant where this is inlined is folded. */                        \
  INLINE void add_##T(const RungPattern p, PetscScalar *restrict diag, const RungInsertCells *cells, const Pair *pair, \
                      const PetscInt n, const PetscInt m, const PetscInt unit, const PetscInt columns,                 \
                      const PetscInt sj)                                                                               \
  {                                                                                                                    \
    if (pair->by_rows) {                                                                                               \
      for (PetscInt i = 0; i < pair->rows; ++i)                                                                        \
        for (PetscInt l = 0; l < cells->count; ++l) add_row_##T(p, diag, cells, pair, l, i, n, m, unit, columns, sj);  \
    } else {                                                                                                           \
      for (PetscInt l = 0; l < cells->count; ++l)                                                                      \
        for (PetscInt i = 0; i < pair->rows; ++i) add_row_##T(p, diag, cells, pair, l, i, n, m, unit, columns, sj);    \
    }                                                                                                                  \
  }                                                                                                                    \
                                                                                                                       \
  static void add_pair_##T(const RungPattern p, PetscScalar diag[], const RungInsertCells *cells, const Pair *pair,    \
                           PetscInt n, PetscInt m)                                                                     \
  {                                                                                                                    \
    const PetscInt columns = pair->columns, sj = cells->sj, unit = p->unit;                                            \
                                                                                                                       \
    if (unit == 1 && n == 1 && m == 1 && sj == 8 && columns == 4)                                                      \
      add_##T(p, diag, cells, pair, 1, 1, 1, 4, 8);                                                                    \
    else if (unit == 1 && n == 1 && m == 1 && sj == 8 && columns == 3)                                                 \
      add_##T(p, diag, cells, pair, 1, 1, 1, 3, 8);                                                                    \
    else if (unit == 1 && n == 1 && m == 1 && sj == 8 && columns == 10)                                                \
      add_##T(p, diag, cells, pair, 1, 1, 1, 10, 8);                                                                   \
    else if (unit == 1 && n == 1 && m == 1)                                                                            \
      add_##T(p, diag, cells, pair, 1, 1, 1, columns, sj);                                                             \
    else if (unit == 1 && n <= 2 && m == 2)                                                                            \
      add_##T(p, diag, cells, pair, n, 2, 1, columns, sj);                                                             \
    else if (unit == 1 && n <= 3 && m == 3)                                                                            \
      add_##T(p, diag, cells, pair, n, 3, 1, columns, sj);                                                             \
    else if (unit == 2 && n == 2 && m == 2)                                                                            \
      add_##T(p, diag, cells, pair, 2, 2, 2, columns, sj);                                                             \
    else if (unit == 3 && n == 3 && m == 3 && sj == 8)                                                                 \
      add_##T(p, diag, cells, pair, 3, 3, 3, columns, 8);                                                              \
    else if (unit == 3 && n == 3 && m == 3)                                                                            \
      add_##T(p, diag, cells, pair, 3, 3, 3, columns, sj);                                                             \
    else                                                                                                               \
      add_##T(p, diag, cells, pair, n, m, unit, columns, sj);                                                          \
  }

/* Into blocks of n x n values, column after column; one unknown. */
#define DEFINE_ADD_BLOCKS(T)                                                                                           \
  INLINE void add_blocks_##T(const RungPattern p, PetscScalar *restrict diag, const RungInsertCells *cells,            \
                             const PetscInt n)                                                                         \
  {                                                                                                                    \
    const PetscInt width = p->block_offset[1], si = cells->si, sj = cells->sj;                                         \
                                                                                                                       \
    for (PetscInt l = 0; l < cells->count; ++l)                                                                        \
      for (PetscInt i = 0; i < width; ++i) {                                                                           \
        const size_t       at = (size_t)cells->cell[l] * (size_t)width + (size_t)i;                                    \
        const PetscInt     r = p->cell_block[at], first = p->lower[0] ? p->lower[0][r] : 0, start = p->start[0][r];    \
        const T           *offset = (const T *)p->offset + at * (size_t)width;                                         \
        const PetscScalar *row    = cells->dense + n * i * si + l;                                                     \
                                                                                                                       \
        for (PetscInt j = 0; j < width; ++j) {                                                                         \
          const PetscInt     k    = (PetscInt)offset[j];                                                               \
          const PetscScalar *from = row + n * j * sj;                                                                  \
          PetscScalar       *to;                                                                                       \
                                                                                                                       \
          if (k < first) continue;                                                                                     \
          to = diag + (start + (k - first) * n * n);                                                                   \
          for (PetscInt b = 0; b < n; ++b)                                                                             \
            for (PetscInt a = 0; a < n; ++a) to[b * n + a] += from[a * si + b * sj];                                   \
        }                                                                                                              \
      }                                                                                                                \
  }                                                                                                                    \
                                                                                                                       \
  static void add_all_blocks_##T(const RungPattern p, PetscScalar diag[], const RungInsertCells *cells)                \
  {                                                                                                                    \
    if (p->uniform == 1)                                                                                               \
      add_blocks_##T(p, diag, cells, 1);                                                                               \
    else if (p->uniform == 2)                                                                                          \
      add_blocks_##T(p, diag, cells, 2);                                                                               \
    else if (p->uniform == 3)                                                                                          \
      add_blocks_##T(p, diag, cells, 3);                                                                               \
    else                                                                                                               \
      add_blocks_##T(p, diag, cells, p->uniform);                                                                      \
  }

DEFINE_ADD(uint8_t)
DEFINE_ADD(uint16_t)
DEFINE_ADD(uint32_t)
DEFINE_ADD_BLOCKS(uint8_t)
DEFINE_ADD_BLOCKS(uint16_t)
DEFINE_ADD_BLOCKS(uint32_t)

/* Cell after cell, sums of neighbours into one place follow each other at a distance; the blocks of all lanes have to stay
   in the first cache for that. */
static PetscBool by_rows(const RungInsertCells *cells)
{
  const size_t rows = (size_t)cells->si / (size_t)PetscMax(1, cells->sj);

  return rows * (size_t)cells->si * sizeof(PetscScalar) > 24576 ? PETSC_TRUE : PETSC_FALSE;
}

static Pair pair_of(const RungPattern p, PetscInt f, PetscInt g)
{
  Pair pair = {.rows         = p->block_offset[f + 1] - p->block_offset[f],
               .columns      = p->block_offset[g + 1] - p->block_offset[g],
               .row_block    = p->block_offset[f],
               .column_block = p->block_offset[g]};

  for (PetscInt h = 0; h < f; ++h) pair.row_dof += p->components[h] * (p->block_offset[h + 1] - p->block_offset[h]);
  for (PetscInt h = 0; h < g; ++h) pair.column_dof += p->components[h] * (p->block_offset[h + 1] - p->block_offset[h]);
  return pair;
}

static void insert_blocks(const RungPattern p, PetscScalar diag[], const RungInsertCells *cells)
{
  if (p->offset_bytes == 1)
    add_all_blocks_uint8_t(p, diag, cells);
  else if (p->offset_bytes == 2)
    add_all_blocks_uint16_t(p, diag, cells);
  else
    add_all_blocks_uint32_t(p, diag, cells);
}

void RungInsertInterior(const RungPattern p, PetscScalar diag[], const RungInsertCells *cells)
{
  if (RungPatternHasBlocks(p)) {
    if (p->full) insert_blocks(p, diag, cells);
    return;
  }
  if (p->full && p->uniform) { /* as if it were one unknown */
    const PetscInt width = p->block_offset[p->unknowns];
    const Pair     all   = {.rows = width, .columns = width, .by_rows = by_rows(cells)};

    if (p->offset_bytes == 1)
      add_pair_uint8_t(p, diag, cells, &all, p->uniform, p->uniform);
    else if (p->offset_bytes == 2)
      add_pair_uint16_t(p, diag, cells, &all, p->uniform, p->uniform);
    else
      add_pair_uint32_t(p, diag, cells, &all, p->uniform, p->uniform);
    return;
  }
  for (PetscInt f = 0; f < p->unknowns; ++f)
    for (PetscInt g = 0; g < p->unknowns; ++g) {
      Pair pair = pair_of(p, f, g);

      if (!p->couple[f * p->unknowns + g]) continue;
      pair.by_rows = by_rows(cells);
      if (p->offset_bytes == 1)
        add_pair_uint8_t(p, diag, cells, &pair, p->components[f], p->components[g]);
      else if (p->offset_bytes == 2)
        add_pair_uint16_t(p, diag, cells, &pair, p->components[f], p->components[g]);
      else
        add_pair_uint32_t(p, diag, cells, &pair, p->components[f], p->components[g]);
    }
}

/* ---- cells on the edge of a rank -------------------------------------------------------------------------------- */

static inline PetscInt offset_at(const RungPattern p, size_t at)
{
  if (p->offset_bytes == 1) return (PetscInt)((const uint8_t *)p->offset)[at];
  if (p->offset_bytes == 2) return (PetscInt)((const uint16_t *)p->offset)[at];
  return (PetscInt)((const uint32_t *)p->offset)[at];
}

static Row row_of(const RungPattern p, const RungInsertion *insertion, PetscInt r)
{
  const PetscInt n   = p->uniform;
  Row            row = {.start = {p->start[0][r], p->start[1][r]}, .step = 1, .scale = p->unit};

  if (r >= p->owned) {
    row.value[0] = row.value[1] = p->send;
    row.start[1]                = row.start[0];
    row.stride[0] = row.stride[1] = p->stride[0][r];
    return row;
  }
  row.value[0] = insertion->diag;
  row.value[1] = insertion->off;
  for (int part = 0; part < 2; ++part) row.stride[part] = p->stride[part][r];
  if (!RungPatternHasBlocks(p)) return row;
  row.stride[0] = row.stride[1] = 1;
  row.step                      = n;
  row.scale                     = n * n;
  for (int part = 0; part < 2 && p->lower[part]; ++part) row.lower[part] = p->lower[part][r];
  return row;
}

/* One pair of unknowns of lane l. */
static void add_any(const RungPattern p, const RungInsertion *insertion, const RungInsertCells *cells, PetscInt l,
                    const Pair *pair, PetscInt n, PetscInt m)
{
  const size_t    width = (size_t)p->block_offset[p->unknowns], cell = (size_t)cells->cell[l] * width;
  const PetscInt *block = p->cell_block + cell;

  for (PetscInt i = 0; i < pair->rows; ++i) {
    const size_t at  = (cell + (size_t)(pair->row_block + i)) * width + (size_t)pair->column_block;
    const Row    row = row_of(p, insertion, block[pair->row_block + i]);

    for (PetscInt j = 0; j < pair->columns; ++j) {
      const int          other = block[pair->column_block + j] >= p->owned;
      const PetscInt     k     = offset_at(p, at + (size_t)j) - row.lower[other];
      const PetscScalar *from  = cells->dense + (pair->row_dof + n * i) * cells->si +
                                (pair->column_dof + m * j) * cells->sj + l;
      PetscScalar *to;

      if (k < 0) continue;
      to = row.value[other] + (row.start[other] + k * row.scale);
      for (PetscInt a = 0; a < n; ++a)
        for (PetscInt b = 0; b < m; ++b)
          to[a * row.stride[other] + b * row.step] += from[a * cells->si + b * cells->sj];
    }
  }
}

void RungInsertAny(const RungPattern p, const RungInsertion *insertion, const RungInsertCells *cells)
{
  for (PetscInt l = 0; l < cells->count; ++l)
    for (PetscInt f = 0; f < p->unknowns; ++f)
      for (PetscInt g = 0; g < p->unknowns; ++g) {
        const Pair pair = pair_of(p, f, g);

        if (p->couple[f * p->unknowns + g]) add_any(p, insertion, cells, l, &pair, p->components[f], p->components[g]);
      }
}
