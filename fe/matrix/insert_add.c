/* insert_add.c - dense blocks of several cells, read lane by lane, added to value arrays through a pattern's offsets.

   The kernels' results come transposed, [row dof][column dof][lane], and are read where they lie: cell after cell where
   the blocks of all lanes stay in the first cache, else a block row of all lanes after the other.  Common shapes are
   functions of their own with constant sizes; offsets come in three widths.  Cells with dofs of other ranks go their own
   way (insert_edge.c). */
#include "insert_impl.h"
#include <string.h>

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

static RungTile tile_of(const RungPattern p, PetscInt f, PetscInt g, PetscInt g_end)
{
  RungTile tile = {.rows         = p->block_offset[f + 1] - p->block_offset[f],
                   .columns      = p->block_offset[g_end] - p->block_offset[g],
                   .row_block    = p->block_offset[f],
                   .column_block = p->block_offset[g],
                   .row_dof      = p->layout->offset[f],
                   .column_dof   = p->layout->offset[g],
                   .n            = p->components[f],
                   .m            = p->components[g]};

  return tile;
}

/* Rows right below those of a tile, with the same columns, belong to it. */
static void append_tile(const RungTile *tile, PetscInt *n, RungTile list[])
{
  for (PetscInt k = 0; k < *n; ++k) {
    RungTile *t = &list[k];

    if (t->row_block + t->rows == tile->row_block && t->column_block == tile->column_block &&
        t->columns == tile->columns && t->n == tile->n) {
      t->rows += tile->rows;
      return;
    }
  }
  list[(*n)++] = *tile;
}

PetscErrorCode RungTilesCreate(RungPattern p, const PetscBool couple[], PetscInt *tiles, RungTile **list)
{
  const PetscInt n = p->unknowns;

  PetscFunctionBegin;
  *tiles = 0;
  PetscCall(PetscMalloc1(n * n, list));
  for (PetscInt f = 0; f < n; ++f) {
    for (PetscInt g = 0, end; g < n; g = end) {
      RungTile tile;

      end = g + 1;
      if (!couple[f * n + g]) continue;
      while (end < n && couple[f * n + end] && p->components[end] == p->components[g]) ++end;
      tile = tile_of(p, f, g, end);
      append_tile(&tile, tiles, *list);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rows of dofs ------------------------------------------------------------------------------------------------ */

/* A row's place stays a pointer: else the compiler adds offsets to `start`, one operation more for every entry. */
#define KEEP(pointer) __asm__("" : "+r"(pointer))

/* Offsets of scalars come a word at a time: one load for each would wait its turn among those of the values.  A word may
   reach beyond the last row of the last cell, where the array has a pad. */
#define WORD RUNG_OFFSET_PAD

RUNG_SPECIALIZED uint64_t read_word(const void *offset, const size_t bytes)
{
  uint64_t word = 0;

  memcpy(&word, offset, bytes <= WORD / 2 ? WORD / 2 : WORD);
  return word;
}

/* Number j of those of so many bytes that were read. */
RUNG_SPECIALIZED PetscInt offset_of(uint64_t word, const PetscInt j, const size_t bytes)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  const uint64_t number = word >> 8 * bytes * (size_t)j;

  return bytes == 1 ? (PetscInt)(uint8_t)number : bytes == 2 ? (PetscInt)(uint16_t)number : (PetscInt)(uint32_t)number;
#else
  const void *at = &word;

  return bytes == 1   ? (PetscInt)((const uint8_t *)at)[j]
         : bytes == 2 ? (PetscInt)((const uint16_t *)at)[j]
                      : (PetscInt)((const uint32_t *)at)[j];
#endif
}

/* The columns of a row of scalars, as many as the compiler knows: else it would shift by counts that come too late. */
RUNG_SPECIALIZED void add_row(PetscScalar row[], const void *offset, const size_t bytes, const PetscInt columns,
                              const PetscScalar from[], const PetscInt sj)
{
  const PetscInt most = (PetscInt)(WORD / bytes);

  for (PetscInt j = 0; j < columns; j += most) {
    const PetscInt n    = PetscMin(columns - j, most);
    const uint64_t word = read_word((const char *)offset + (size_t)j * bytes, (size_t)n * bytes);

    for (PetscInt k = 0; k < n; ++k) row[offset_of(word, k, bytes)] += from[(j + k) * sj];
  }
}

/* n rows and m columns of dofs a block; what is constant where this is inlined is folded. */
#define DEFINE_ADD(T)                                                                                                  \
  RUNG_SPECIALIZED void add_columns_##T(const RungPattern p, const RungTile *tile, PetscScalar *restrict diag,         \
                                        const RungInsertCells *cells, RungInsertRange range, const PetscInt n,         \
                                        const PetscInt m, const PetscInt unit, const PetscInt columns,                 \
                                        const PetscInt sj, const size_t width, const PetscBool words)                  \
  {                                                                                                                    \
    const size_t first              = (size_t)(tile->row_block + range.row);                                           \
    const PetscInt *restrict cell   = cells->cell;                                                                     \
    const PetscInt *restrict blocks = p->cell_block + first;                                                           \
    const T *restrict offsets       = (const T *)p->offset + first * width + tile->column_block;                       \
    const int32_t *restrict start   = p->start[0];                                                                     \
    const int32_t *restrict stride  = p->stride[0];                                                                    \
    const PetscInt si = cells->si, rows = range.row_end - range.row;                                                   \
    const PetscScalar *restrict dense = cells->dense + (tile->row_dof + n * range.row) * si + tile->column_dof * sj;   \
                                                                                                                       \
    for (PetscInt l = range.lane; l < range.lane_end; ++l) {                                                           \
      const PetscInt *restrict block   = blocks + (size_t)cell[l] * width;                                             \
      const T *restrict offset         = offsets + (size_t)cell[l] * width * width;                                    \
      const PetscScalar *restrict from = dense + l;                                                                    \
                                                                                                                       \
      for (PetscInt i = 0; i < rows; ++i, offset += width) {                                                           \
        const PetscInt r = block[i], next = n > 1 ? stride[r] : 0;                                                     \
        PetscScalar   *row = diag + start[r];                                                                          \
                                                                                                                       \
        KEEP(row);                                                                                                     \
        if (words) add_row(row, offset, sizeof(T), columns, from, sj);                                                 \
        for (PetscInt j = 0; j < columns && !words; ++j) {                                                             \
          const PetscInt     at  = (PetscInt)offset[j] * unit;                                                         \
          const PetscScalar *add = from + j * m * sj;                                                                  \
                                                                                                                       \
          for (PetscInt a = 0; a < n; ++a) RungAddColumns(row + a * next + at, add + a * si, m, sj);                   \
        }                                                                                                              \
        from += n * si;                                                                                                \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
                                                                                                                       \
  RUNG_SPECIALIZED void add_##T(const RungPattern p, const RungTile *tile, PetscScalar *restrict diag,                 \
                                const RungInsertCells *cells, RungInsertRange range, const PetscInt n,                 \
                                const PetscInt m, const PetscInt unit, const PetscInt columns, const PetscInt sj)      \
  {                                                                                                                    \
    add_columns_##T(p, tile, diag, cells, range, n, m, unit, columns, sj, (size_t)p->width, PETSC_FALSE);              \
  }                                                                                                                    \
                                                                                                                       \
  /* One dof a block, eight lanes; small tiles, all rows at once, most often are all of a cell. */                     \
  RUNG_SPECIALIZED void add_some_##T(const RungPattern p, const RungTile *tile, PetscScalar *restrict diag,            \
                                     const RungInsertCells *cells, RungInsertRange range, const PetscInt columns)      \
  {                                                                                                                    \
    if (p->width == columns)                                                                                           \
      add_columns_##T(p, tile, diag, cells, range, 1, 1, 1, columns, 8, (size_t)columns, PETSC_TRUE);                  \
    else                                                                                                               \
      add_columns_##T(p, tile, diag, cells, range, 1, 1, 1, columns, 8, (size_t)p->width, PETSC_TRUE);                 \
  }                                                                                                                    \
                                                                                                                       \
  static void add_scalars_##T(const RungPattern p, const RungTile *tile, PetscScalar *restrict diag,                   \
                              const RungInsertCells *cells, RungInsertRange range)                                     \
  {                                                                                                                    \
    const PetscInt  rows = range.row_end - range.row, columns = tile->columns;                                         \
    RungInsertRange all = {range.lane, range.lane_end, 0, rows};                                                       \
                                                                                                                       \
    if (cells->sj == 8 && rows == 4 && columns == 4) {                                                                 \
      all.row_end = 4;                                                                                                 \
      add_some_##T(p, tile, diag, cells, all, 4);                                                                      \
    } else if (cells->sj == 8 && rows == 3 && columns == 3) {                                                          \
      all.row_end = 3;                                                                                                 \
      add_some_##T(p, tile, diag, cells, all, 3);                                                                      \
    } else if (cells->sj == 8 && rows == 6 && columns == 6) {                                                          \
      all.row_end = 6;                                                                                                 \
      add_some_##T(p, tile, diag, cells, all, 6);                                                                      \
    } else if (cells->sj == 8 && rows == 8 && columns == 8) {                                                          \
      all.row_end = 8;                                                                                                 \
      add_some_##T(p, tile, diag, cells, all, 8);                                                                      \
    } else if (cells->sj == 8 && columns == 10)                                                                        \
      add_some_##T(p, tile, diag, cells, range, 10);                                                                   \
    else if (cells->sj == 8 && columns == 9)                                                                           \
      add_some_##T(p, tile, diag, cells, range, 9);                                                                    \
    else if (cells->sj == 8 && columns == 27)                                                                          \
      add_some_##T(p, tile, diag, cells, range, 27);                                                                   \
    else if (cells->sj == 8)                                                                                           \
      add_##T(p, tile, diag, cells, range, 1, 1, 1, columns, 8);                                                       \
    else                                                                                                               \
      add_##T(p, tile, diag, cells, range, 1, 1, 1, columns, cells->sj);                                               \
  }                                                                                                                    \
                                                                                                                       \
  static void add_tile_##T(const RungPattern p, const RungTile *tile, PetscScalar *restrict diag,                      \
                           const RungInsertCells *cells, RungInsertRange range)                                        \
  {                                                                                                                    \
    const PetscInt columns = tile->columns, n = tile->n, m = tile->m, sj = cells->sj, unit = p->unit;                  \
                                                                                                                       \
    if (unit == 1 && n == 1 && m == 1)                                                                                 \
      add_scalars_##T(p, tile, diag, cells, range);                                                                    \
    else if (unit == 1 && n == 1 && m == 2 && sj == 8)                                                                 \
      add_##T(p, tile, diag, cells, range, 1, 2, 1, columns, 8);                                                       \
    else if (unit == 1 && n == 1 && m == 2)                                                                            \
      add_##T(p, tile, diag, cells, range, 1, 2, 1, columns, sj);                                                      \
    else if (unit == 1 && n == 1 && m == 3)                                                                            \
      add_##T(p, tile, diag, cells, range, 1, 3, 1, columns, sj);                                                      \
    else if (unit == 1 && n == 2 && m == 1 && sj == 8)                                                                 \
      add_##T(p, tile, diag, cells, range, 2, 1, 1, columns, 8);                                                       \
    else if (unit == 1 && n == 2 && m == 1)                                                                            \
      add_##T(p, tile, diag, cells, range, 2, 1, 1, columns, sj);                                                      \
    else if (unit == 1 && n == 2 && m == 2 && sj == 8)                                                                 \
      add_##T(p, tile, diag, cells, range, 2, 2, 1, columns, 8);                                                       \
    else if (unit == 1 && n == 2 && m == 2)                                                                            \
      add_##T(p, tile, diag, cells, range, 2, 2, 1, columns, sj);                                                      \
    else if (unit == 1 && n == 3 && m == 1)                                                                            \
      add_##T(p, tile, diag, cells, range, 3, 1, 1, columns, sj);                                                      \
    else if (unit == 1 && n == 3 && m == 3)                                                                            \
      add_##T(p, tile, diag, cells, range, 3, 3, 1, columns, sj);                                                      \
    else if (unit == 2 && n == 2 && m == 2)                                                                            \
      add_##T(p, tile, diag, cells, range, 2, 2, 2, columns, sj);                                                      \
    else if (unit == 3 && n == 3 && m == 3 && sj == 8)                                                                 \
      add_##T(p, tile, diag, cells, range, 3, 3, 3, columns, 8);                                                       \
    else if (unit == 3 && n == 3 && m == 3)                                                                            \
      add_##T(p, tile, diag, cells, range, 3, 3, 3, columns, sj);                                                      \
    else                                                                                                               \
      add_##T(p, tile, diag, cells, range, n, m, unit, columns, sj);                                                   \
  }

DEFINE_ADD(uint8_t)
DEFINE_ADD(uint16_t)
DEFINE_ADD(uint32_t)

static void add_tile(const RungPattern p, const RungTile *tile, PetscScalar diag[], const RungInsertCells *cells,
                     RungInsertRange range)
{
  if (p->offset_bytes == 1)
    add_tile_uint8_t(p, tile, diag, cells, range);
  else if (p->offset_bytes == 2)
    add_tile_uint16_t(p, tile, diag, cells, range);
  else
    add_tile_uint32_t(p, tile, diag, cells, range);
}

/* ---- orders ------------------------------------------------------------------------------------------------------ */

#define CACHED  24576 /* bytes of the blocks of all lanes that stay in the first cache */
#define AT_ONCE 32    /* lines that may be fetched at one time                         */

void RungInsertionSetTiles(RungInsertion *insertion, PetscInt tiles, RungTile *tile)
{
  const PetscInt lines = insertion->pattern->lines;

  insertion->tiles = tiles;
  insertion->tile  = tile;
  insertion->step  = PetscMax(1, AT_ONCE * RUNG_CELLS_FETCH * tiles / PetscMax(1, lines));
  insertion->share = lines / PetscMax(1, tiles);
}

/* Some cells at a time, as many as can have their lines fetched at one time; all tiles of these. */
static void add_by_cells(const RungPattern p, RungInsertion *insertion, const RungInsertCells *cells)
{
  for (PetscInt l = 0, end; l < cells->count; l = end) {
    end = PetscMin(l + insertion->step, cells->count);
    for (PetscInt k = 0; k < insertion->tiles; ++k) {
      RungPagesFetch(insertion, insertion->share * (end - l) / RUNG_CELLS_FETCH + 1);
      add_tile(p, &insertion->tile[k], insertion->diag, cells, (RungInsertRange){l, end, 0, insertion->tile[k].rows});
    }
  }
}

static void add_by_rows(const RungPattern p, RungInsertion *insertion, const RungInsertCells *cells)
{
  for (PetscInt k = 0; k < insertion->tiles; ++k)
    for (PetscInt i = 0; i < insertion->tile[k].rows; ++i) {
      RungPagesFetch(insertion, p->lines / p->width + 1);
      add_tile(p, &insertion->tile[k], insertion->diag, cells, (RungInsertRange){0, cells->count, i, i + 1});
    }
}

void RungInsertInterior(const RungPattern p, RungInsertion *insertion, const RungInsertCells *cells)
{
  if (RungPatternHasBlocks(p)) {
    if (p->full) RungInsertBlocks(p, insertion->diag, cells);
  } else if (p->cell_dofs * cells->si * (PetscInt)sizeof(PetscScalar) > CACHED) {
    add_by_rows(p, insertion, cells);
  } else {
    add_by_cells(p, insertion, cells);
  }
}
