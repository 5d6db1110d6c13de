/* insert_edge.c - cells on the edge of a rank: rows of this rank have columns of others, rows of others are sent.

   Each column of a cell is looked up once, whether it is owned; then a row has two starts, and every column takes its
   own.  Rows of other ranks lie in the send buffer as rows of dofs in any format. */
#include "insert_impl.h"

/* Where the values of a row go: [0] owned columns (all columns of a row that is sent), [1] other columns. */
typedef struct {
  PetscScalar *to[2];
  PetscInt     stride[2];   /* to the next row of dofs              */
  PetscInt     lower[2];    /* blocks that are not stored           */
  PetscInt     step, scale; /* to the next column of dofs; of offsets */
} Row;

static inline Row row_of(const RungPattern p, const RungInsertion *insertion, PetscInt r)
{
  PetscScalar *sent = p->send + p->start[0][r];
  Row          row  = {.to = {sent, sent}, .stride = {p->stride[0][r], p->stride[0][r]}, .step = 1, .scale = p->unit};

  if (r >= p->owned) return row;
  row.to[0]     = insertion->diag + p->start[0][r];
  row.to[1]     = insertion->off + p->start[1][r];
  row.stride[1] = p->stride[1][r];
  if (!RungPatternHasBlocks(p)) return row;
  row.stride[0] = row.stride[1] = 1;
  row.step                      = p->uniform;
  row.scale                     = p->uniform * p->uniform;
  for (int part = 0; part < 2 && p->lower[part]; ++part) row.lower[part] = p->lower[part][r];
  return row;
}

/* One lane of a tile in rows of dofs: n x m dofs a block, `scale` of the offsets; constants are folded. */
#define DEFINE_ADD(T)                                                                                                  \
  RUNG_SPECIALIZED void add_##T(const RungPattern p, const RungInsertion *insertion, const RungInsertCells *cells,     \
                                PetscInt l, const RungTile *tile, const PetscInt n, const PetscInt m,                  \
                                const PetscInt unit)                                                                   \
  {                                                                                                                    \
    const size_t       width = (size_t)p->width, cell = (size_t)cells->cell[l] * width;                                \
    const PetscInt    *block = p->cell_block + cell + tile->row_block, si = cells->si, sj = cells->sj;                 \
    const T           *offset = (const T *)p->offset + (cell + (size_t)tile->row_block) * width + tile->column_block;  \
    const uint8_t     *other  = p->other + tile->column_block;                                                         \
    const PetscScalar *from   = cells->dense + tile->row_dof * si + tile->column_dof * sj + l;                         \
                                                                                                                       \
    for (PetscInt i = 0; i < tile->rows; ++i, offset += width) {                                                       \
      Row row = row_of(p, insertion, block[i]);                                                                        \
                                                                                                                       \
      for (PetscInt a = 0; a < n; ++a, from += si) {                                                                   \
        for (PetscInt j = 0; j < tile->columns; ++j)                                                                   \
          RungAddColumns(row.to[other[j]] + (PetscInt)offset[j] * unit, from + j * m * sj, m, sj);                     \
        for (int part = 0; part < 2; ++part) row.to[part] += row.stride[part];                                         \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
                                                                                                                       \
  static void add_tile_##T(const RungPattern p, const RungInsertion *insertion, const RungInsertCells *cells,          \
                           PetscInt l, const RungTile *tile)                                                           \
  {                                                                                                                    \
    const PetscInt n = tile->n, m = tile->m, unit = p->unit;                                                           \
                                                                                                                       \
    if (n == 1 && m == 1 && unit == 1)                                                                                 \
      add_##T(p, insertion, cells, l, tile, 1, 1, 1);                                                                  \
    else if (n == 2 && m == 2)                                                                                         \
      add_##T(p, insertion, cells, l, tile, 2, 2, unit);                                                               \
    else if (n == 3 && m == 3)                                                                                         \
      add_##T(p, insertion, cells, l, tile, 3, 3, unit);                                                               \
    else                                                                                                               \
      add_##T(p, insertion, cells, l, tile, n, m, unit);                                                               \
  }

DEFINE_ADD(uint8_t)
DEFINE_ADD(uint16_t)
DEFINE_ADD(uint32_t)

/* One lane in blocks of n x n. */
static void add_blocks(const RungPattern p, const RungInsertion *insertion, const RungInsertCells *cells, PetscInt l)
{
  const size_t   cell = (size_t)cells->cell[l] * (size_t)p->width;
  const PetscInt n    = p->uniform;

  for (PetscInt i = 0; p->full && i < p->width; ++i) {
    const Row row = row_of(p, insertion, p->cell_block[cell + (size_t)i]);

    for (PetscInt j = 0; j < p->width; ++j) {
      const int          other = p->other[j];
      const PetscInt     k     = RungOffsetAt(p, (cell + (size_t)i) * (size_t)p->width + (size_t)j) - row.lower[other];
      const PetscScalar *from  = cells->dense + n * i * cells->si + n * j * cells->sj + l;
      PetscScalar       *to    = row.to[other] + k * row.scale;

      for (PetscInt a = 0; k >= 0 && a < n; ++a)
        for (PetscInt b = 0; b < n; ++b)
          to[a * row.stride[other] + b * row.step] += from[a * cells->si + b * cells->sj];
    }
  }
}

#define LINE 8 /* values that come at once */

static inline void fetch_row(const PetscScalar row[], PetscInt length)
{
  for (PetscInt k = 0; k < length; k += LINE) __builtin_prefetch(row + k, 1);
}

/* What a cell of the edge has for itself, which no page brings: rows that are sent, columns of other ranks. */
void RungFetchEdge(const RungPattern p, const RungInsertion *insertion, PetscInt cell)
{
  const PetscInt *block = p->cell_block + (size_t)cell * (size_t)p->width;

  for (PetscInt i = 0; i < p->width; ++i) {
    const PetscInt r = block[i];

    if (r >= p->owned)
      fetch_row(p->send + p->start[0][r], p->stride[0][r]);
    else if (insertion->off)
      fetch_row(insertion->off + p->start[1][r], p->stride[1][r]);
  }
}

void RungInsertEdge(const RungPattern p, const RungInsertion *insertion, const RungInsertCells *cells)
{
  for (PetscInt l = 0; l < cells->count; ++l) {
    const PetscInt *block = p->cell_block + (size_t)cells->cell[l] * (size_t)p->width;

    for (PetscInt j = 0; j < p->width; ++j) p->other[j] = block[j] >= p->owned;
    if (RungPatternHasBlocks(p)) add_blocks(p, insertion, cells, l);
    for (PetscInt k = 0; k < insertion->tiles && !RungPatternHasBlocks(p); ++k) {
      if (p->offset_bytes == 1)
        add_tile_uint8_t(p, insertion, cells, l, &insertion->tile[k]);
      else if (p->offset_bytes == 2)
        add_tile_uint16_t(p, insertion, cells, l, &insertion->tile[k]);
      else
        add_tile_uint32_t(p, insertion, cells, l, &insertion->tile[k]);
    }
  }
}
