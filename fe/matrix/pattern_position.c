/* pattern_position.c - where every pair of blocks of every cell lies in the values of the matrix or of the send buffer.
 */
#include "pattern_impl.h"

/* where[id] = offset of each column in its part of the row, in units; length[0] owned (or all) columns, length[1] others, in
   dofs. */
static void place_columns(RungPatternBuild *b, PetscBool split, PetscInt n, const PetscInt id[], PetscInt length[2])
{
  const PetscInt uniform = b->p->uniform;

  length[0] = length[1] = 0;
  if (uniform && (!split || b->ids == b->p->owned)) {
    for (PetscInt k = 0; k < n; ++k) b->where[id[k]] = k;
    length[0] = n * uniform;
    return;
  }
  for (PetscInt k = 0; k < n; ++k) {
    const int part = split && id[k] >= b->p->owned;

    b->where[id[k]] = length[part];
    length[part] += uniform ? 1 : b->id_components[id[k]];
  }
  for (int part = 0; part < 2; ++part) length[part] *= PetscMax(1, uniform);
}

/* offset[j] = where[block[j]] for m columns of a cell's row, from entry `at` on. */
static void write_offsets(const RungPatternBuild *b, size_t at, PetscInt m, const PetscInt block[])
{
  const RungPattern p     = b->p;
  const PetscInt   *where = b->where;

  if (p->offset_bytes == 1)
    for (PetscInt j = 0; j < m; ++j) ((uint8_t *)p->offset)[at + (size_t)j] = (uint8_t)where[block[j]];
  else if (p->offset_bytes == 2)
    for (PetscInt j = 0; j < m; ++j) ((uint16_t *)p->offset)[at + (size_t)j] = (uint16_t)where[block[j]];
  else
    for (PetscInt j = 0; j < m; ++j) ((uint32_t *)p->offset)[at + (size_t)j] = (uint32_t)where[block[j]];
}

/* The same for all cells around a row and all columns, with a width that the compiler may know; offsets of one byte. */
static inline void write_bytes(const RungPatternBuild *b, PetscInt row, const PetscInt width)
{
  const PetscInt *cell_block = b->p->cell_block, *where = b->where;

  for (PetscInt k = b->around_start[row]; k < b->around_start[row + 1]; ++k) {
    const PetscInt *block = cell_block + RungPatternCellOf(b, b->around[k]) * width;
    uint8_t        *to    = (uint8_t *)b->p->offset + (size_t)b->around[k] * (size_t)width;

    for (PetscInt j = 0; j < width; ++j) to[j] = (uint8_t)where[block[j]];
  }
}

static void write_row(const RungPatternBuild *b, PetscInt row)
{
  switch (b->width) {
  case 3: write_bytes(b, row, 3); break;
  case 4: write_bytes(b, row, 4); break;
  case 6: write_bytes(b, row, 6); break;
  case 8: write_bytes(b, row, 8); break;
  case 10: write_bytes(b, row, 10); break;
  case 27: write_bytes(b, row, 27); break;
  default: write_bytes(b, row, b->width);
  }
}

/* Offsets of the pairs (row, j) in all cells around the row; the columns are placed. */
static void set_offsets(RungPatternBuild *b, PetscInt row)
{
  RungPattern p = b->p;

  if (p->full && p->offset_bytes == 1) {
    write_row(b, row);
    return;
  }
  for (PetscInt k = b->around_start[row]; k < b->around_start[row + 1]; ++k) {
    const PetscInt  cell = RungPatternCellOf(b, b->around[k]), f = b->unknown[b->around[k] - cell * b->width];
    const PetscInt *block = &p->cell_block[cell * b->width];
    const size_t    to    = (size_t)b->around[k] * (size_t)b->width;

    if (p->full) {
      write_offsets(b, to, b->width, block);
      continue;
    }
    for (PetscInt g = 0; g < p->unknowns; ++g)
      if (p->couple[f * p->unknowns + g])
        write_offsets(b, to + (size_t)p->block_offset[g], p->block_offset[g + 1] - p->block_offset[g],
                      block + p->block_offset[g]);
  }
}

/* Targets of the rows that other ranks send for a block; value[place]: where a row starts in the receive buffer. */
static void set_targets(RungPatternBuild *b, PetscInt row, const PetscInt base[2], const PetscInt length[2],
                        const PetscInt value[])
{
  for (PetscInt q = b->received ? b->received_head[row] : -1; q >= 0; q = b->received_next[q]) {
    PetscInt n = value[q];

    for (PetscInt a = 0; a < b->id_components[row]; ++a)
      for (PetscInt k = b->received_start[q]; k < b->received_start[q + 1]; ++k) {
        const PetscInt id   = b->received_id[k];
        const int      part = id >= b->p->owned;

        for (PetscInt c = 0; c < b->id_components[id]; ++c) {
          const int32_t at  = (int32_t)(base[part] + a * length[part] + b->where[id] * b->p->unit + c);
          b->p->target[n++] = part ? -1 - at : at;
        }
      }
  }
}

/* Columns of the dofs of n column blocks: all global; of AIJ owned ones and others apart, owned ones less `start`. */
static void put_columns(const RungPatternBuild *b, PetscInt n, const PetscInt id[], PetscInt *column[2])
{
  const PetscBool apart = b->p->format == RUNG_MAT_AIJ ? PETSC_TRUE : PETSC_FALSE;
  const PetscInt  start = apart ? b->layout->data.start : 0, owned = apart ? b->p->owned : PETSC_MAX_INT;

  if (b->p->uniform == 1 && (!apart || b->ids == b->p->owned)) {
    for (PetscInt k = 0; k < n; ++k) column[0][k] = b->id_dof[id[k]] - start;
    column[0] += n;
    return;
  }
  for (PetscInt k = 0; k < n; ++k) {
    const int      part  = id[k] >= owned;
    const PetscInt first = b->id_dof[id[k]] - (part ? 0 : start);

    for (PetscInt c = 0; c < b->id_components[id[k]]; ++c) *column[part]++ = first + c;
  }
}

/* Owned rows, and the positions of all cells in them.  A row is placed as soon as it is found: its cells are at hand. */
PetscErrorCode RungPatternFillOwned(RungPatternBuild *b, const PetscInt value[])
{
  RungPattern p       = b->p;
  PetscInt64  next[2] = {0, 0};

  PetscFunctionBegin;
  for (int part = 0; part < b->parts; ++part) {
    PetscCall(PetscMalloc1(p->blocks, &p->start[part]));
    PetscCall(PetscMalloc1(p->blocks, &p->stride[part]));
  }
  for (PetscInt r = 0; r < p->owned && next[0] + next[1] <= INT32_MAX; ++r) {
    const PetscInt base[2] = {(PetscInt)next[0], (PetscInt)next[1]};
    PetscInt       length[2];

    PetscCall(RungPatternNextRow(b, r));
    place_columns(b, PETSC_TRUE, b->row_start[r + 1] - b->row_start[r], b->row_id + b->row_start[r], length);
    set_offsets(b, r);
    RungPatternFacetsPlace(b, PETSC_TRUE, r, base);
    set_targets(b, r, base, length, value);
    for (int part = 0; part < b->parts; ++part) {
      p->start[part][r]  = (int32_t)base[part];
      p->stride[part][r] = (int32_t)length[part];
    }
    for (int part = 0; part < 2; ++part) next[part] += (PetscInt64)b->id_components[r] * length[part];
  }
  RungCheckAll(next[0] + next[1] <= INT32_MAX, b->layout->data.comm, PETSC_ERR_ARG_OUTOFRANGE,
               "a matrix would have more than 2^31 entries on one rank; use more ranks");
  for (int part = 0; part < 2; ++part) p->entries[part] = (PetscInt)next[part];
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungPatternFillColumns(const RungPatternBuild *b, PetscInt start[], PetscInt other_start[],
                            PetscInt *const column[2])
{
  const RungPattern p       = b->p;
  PetscInt         *next[2] = {column[0], column[1]}, *first[2] = {start, other_start};

  for (PetscInt r = 0; r < p->owned; ++r) {
    const PetscInt *id = b->row_id + b->row_start[r], n = b->row_start[r + 1] - b->row_start[r];

    for (PetscInt a = 0; a < b->id_components[r]; ++a) {
      for (int part = 0; part < 2; ++part)
        if (first[part]) first[part][p->block_dof[r] + a] = (PetscInt)(next[part] - column[part]);
      put_columns(b, n, id, next);
    }
  }
  for (int part = 0; part < 2; ++part)
    if (first[part]) first[part][b->layout->data.owned] = (PetscInt)(next[part] - column[part]);
}

PetscErrorCode RungPatternFillGhosts(RungPatternBuild *b, const PetscInt value[], const PetscInt start[],
                                     const PetscInt id[])
{
  RungPattern p = b->p;

  PetscFunctionBegin;
  for (PetscInt g = 0; g < p->blocks - p->owned; ++g) {
    const PetscInt base[2] = {value[g], 0};
    PetscInt       length[2];

    place_columns(b, PETSC_FALSE, start[g + 1] - start[g], id + start[g], length);
    set_offsets(b, p->owned + g);
    RungPatternFacetsPlace(b, PETSC_FALSE, p->owned + g, base);
    p->start[0][p->owned + g]  = (int32_t)value[g];
    p->stride[0][p->owned + g] = (int32_t)length[0];
    p->start[1][p->owned + g] = p->stride[1][p->owned + g] = 0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
