/* pattern_rows.c - rows of blocks of the nonzero pattern: a stamp tells which columns a row already has.

   Rows are needed twice: first to know their lengths, then to put the columns where they stay.  A second list of all columns
   would be as large as a third of the matrix; one bit for every block of every cell around a block, whether it was new to the
   row, says the same. */
#include <rungown_room.h>
#include "pattern_impl.h"

/* The most columns of a block's row, and one to write behind.  A global number is in every cell, but no row has more columns
   than there are. */
static PetscInt most_columns(const RungPatternBuild *b, PetscInt row)
{
  PetscInt most = 1 + (b->around_start[row + 1] - b->around_start[row]) * b->width + RungPatternFacetsRoom(b, row);

  for (PetscInt q = b->received && row < b->p->owned ? b->received_head[row] : -1; q >= 0; q = b->received_next[q])
    most += b->received_start[q + 1] - b->received_start[q];
  return 1 + PetscMin(most, b->ids);
}

/* Appends m columns unless the row, which stamps `mark`, has them.  Every id is written behind the row, and stays if it is
   new: no branch to guess. */
static inline PetscInt add_columns(PetscInt stamp[], PetscInt mark, PetscInt m, const PetscInt id[], PetscInt to[],
                                   PetscInt n)
{
  for (PetscInt j = 0; j < m; ++j) {
    to[n] = id[j];
    n += stamp[id[j]] != mark;
    stamp[id[j]] = mark;
  }
  return n;
}

/* The columns that cells and facets around a block, and ranks that have some of these, couple it to.  Returns how many;
   `mark` is in no stamp before. */
static PetscInt find_row(const RungPatternBuild *b, PetscInt row, PetscInt mark, PetscInt to[])
{
  const RungPattern p = b->p;
  PetscInt          n = 0;

  if (row < p->owned) n = add_columns(b->stamp, mark, 1, &row, to, n); /* the diagonal is always there */
  for (PetscInt k = b->around_start[row]; k < b->around_start[row + 1]; ++k) {
    const PetscInt  at = b->around[k], first = RungPatternCellOf(b, at) * b->width;
    const PetscInt *block = p->cell_block + first;

    if (p->full) {
      n = add_columns(b->stamp, mark, b->width, block, to, n);
      continue;
    }
    for (PetscInt g = 0, f = b->unknown[at - first]; g < p->unknowns; ++g)
      if (p->couple[f * p->unknowns + g])
        n = add_columns(b->stamp, mark, p->block_offset[g + 1] - p->block_offset[g], block + p->block_offset[g], to, n);
  }
  RungPatternFacetsAddRow(b, row, mark, to, &n);
  for (PetscInt q = b->received && row < p->owned ? b->received_head[row] : -1; q >= 0; q = b->received_next[q])
    n = add_columns(b->stamp, mark, b->received_start[q + 1] - b->received_start[q],
                    b->received_id + b->received_start[q], to, n);
  return n;
}

/* Is a row known by its cells alone? */
static PetscBool is_plain(const RungPatternBuild *b, PetscInt row)
{
  const PetscInt first = b->around_start[row];
  PetscInt       f;

  if (first == b->around_start[row + 1] || RungPatternFacetsRoom(b, row)) return PETSC_FALSE;
  if (b->received && b->received_head[row] >= 0) return PETSC_FALSE;
  if (b->p->full) return PETSC_TRUE;
  f = b->unknown[b->around[first] % b->width];
  return b->p->couple[f * b->p->unknowns + f];
}

/* How many bits are set in a byte: what stands for any machine in the place of the compiler's own is a call. */
static inline PetscInt bits_of(unsigned byte)
{
  byte -= byte >> 1 & 0x55;
  byte = (byte & 0x33) + (byte >> 2 & 0x33);
  return (PetscInt)((byte + (byte >> 4)) & 0xf);
}

/* mark_row() and read_row() with a width that the compiler may know. */
static inline PetscInt mark_width(const RungPatternBuild *b, PetscInt row, const PetscInt width)
{
  const PetscInt *cell_block = b->p->cell_block, bytes = (width + 7) / 8;
  const uint8_t  *couple = b->couple_bits + b->unknown[b->around[b->around_start[row]] % width] * bytes;
  PetscInt       *stamp = b->stamp, n = 0;

  for (PetscInt k = b->around_start[row]; k < b->around_start[row + 1]; ++k) {
    const PetscInt *block = cell_block + RungPatternCellOf(b, b->around[k]) * width;
    uint8_t        *to    = b->fresh + (size_t)k * (size_t)bytes;

    for (PetscInt j = 0; j < width; j += 8) {
      const PetscInt some = PetscMin(width - j, 8);
      unsigned       bits = 0;

      for (PetscInt i = 0; i < some; ++i) {
        bits |= (unsigned)(stamp[block[j + i]] != row) << i;
        stamp[block[j + i]] = row;
      }
      bits &= couple[j / 8];
      to[j / 8] = (uint8_t)bits;
      n += bits_of(bits);
    }
  }
  return n;
}

static inline PetscInt read_width(const RungPatternBuild *b, PetscInt row, PetscInt to[], const PetscInt width)
{
  const PetscInt *cell_block = b->p->cell_block, bytes = (width + 7) / 8;
  PetscInt        n = 0;

  for (PetscInt k = b->around_start[row]; k < b->around_start[row + 1]; ++k) {
    const PetscInt *block = cell_block + RungPatternCellOf(b, b->around[k]) * width;
    const uint8_t  *fresh = b->fresh + (size_t)k * (size_t)bytes;

    for (PetscInt j = 0; j < width; j += 8) {
      const PetscInt some = PetscMin(width - j, 8);
      const unsigned bits = fresh[j / 8];

      for (PetscInt i = 0; i < some; ++i) {
        to[n] = block[j + i];
        n += bits >> i & 1;
      }
    }
  }
  return n;
}

/* Which blocks of its cells are new to a plain row, eight in a byte.  Returns how many. */
static PetscInt mark_row(const RungPatternBuild *b, PetscInt row)
{
  switch (b->width) {
  case 3: return mark_width(b, row, 3);
  case 4: return mark_width(b, row, 4);
  case 6: return mark_width(b, row, 6);
  case 8: return mark_width(b, row, 8);
  case 10: return mark_width(b, row, 10);
  case 27: return mark_width(b, row, 27);
  default: return mark_width(b, row, b->width);
  }
}

/* The columns that mark_row() found. */
static PetscInt read_row(const RungPatternBuild *b, PetscInt row, PetscInt to[])
{
  switch (b->width) {
  case 3: return read_width(b, row, to, 3);
  case 4: return read_width(b, row, to, 4);
  case 6: return read_width(b, row, to, 6);
  case 8: return read_width(b, row, to, 8);
  case 10: return read_width(b, row, to, 10);
  case 27: return read_width(b, row, to, 27);
  default: return read_width(b, row, to, b->width);
  }
}

static PetscErrorCode create_bits(RungPatternBuild *b)
{
  const PetscInt n = b->p->unknowns;

  PetscFunctionBegin;
  b->bytes = (b->width + 7) / 8;
  PetscCall(RungScratchAlloc((size_t)(b->layout->data.cells * b->width) * (size_t)b->bytes, (void **)&b->fresh));
  PetscCall(PetscCalloc1(n * b->bytes, &b->couple_bits));
  for (PetscInt f = 0; f < n; ++f)
    for (PetscInt i = 0; i < b->width; ++i)
      if (b->p->couple[f * n + b->unknown[i]])
        b->couple_bits[f * b->bytes + i / 8] = (uint8_t)(b->couple_bits[f * b->bytes + i / 8] | 1U << i % 8);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode clear_stamps(RungPatternBuild *b)
{
  PetscFunctionBegin;
  PetscCall(RungScratchFree(&b->stamp));
  PetscCall(RungScratch1(b->ids, &b->stamp));
  for (PetscInt i = 0; i < b->ids; ++i) b->stamp[i] = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPatternGhostRows(RungPatternBuild *b, PetscInt **start, PetscInt **id)
{
  const PetscInt                               ghosts = b->p->blocks - b->p->owned;
  size_t                                       room   = 0;
  RUNG_OWNED(RungPatternScratchFree) PetscInt *all    = NULL;
  PetscInt                                     n      = 0;

  PetscFunctionBegin;
  PetscCall(clear_stamps(b));
  for (PetscInt g = 0; g < ghosts; ++g) room += (size_t)most_columns(b, b->p->owned + g);
  PetscCall(RungScratch1(room, &all));
  PetscCall(PetscMalloc1(ghosts + 1, start));
  for (PetscInt g = 0; g < ghosts; ++g) {
    (*start)[g] = n;
    n += find_row(b, b->p->owned + g, g, all + n);
  }
  (*start)[ghosts] = n;
  PetscCall(PetscMalloc1(n, id));
  PetscCall(PetscArraycpy(*id, all, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RungRowLength(const RungPatternBuild *b, PetscInt n, const PetscInt id[])
{
  PetscInt length = 0;

  if (b->p->uniform) return n * b->p->uniform;
  for (PetscInt k = 0; k < n; ++k) length += b->id_components[id[k]];
  return length;
}

/* ---- lengths ---------------------------------------------------------------------------------------------------- */

/* Room for one row of owned blocks. */
static PetscErrorCode create_line(const RungPatternBuild *b, PetscInt **line)
{
  PetscInt most = 1;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < b->p->owned; ++r) most = PetscMax(most, most_columns(b, r));
  PetscCall(PetscMalloc1(most, line));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Dofs of the columns in a row that are not owned. */
static PetscInt count_others(const RungPatternBuild *b, PetscInt n, const PetscInt id[])
{
  PetscInt others = 0;

  if (b->parts == 1) return 0;
  for (PetscInt k = 0; k < n; ++k) others += id[k] >= b->p->owned ? b->id_components[id[k]] : 0;
  return others;
}

/* Positions are 32-bit; so are PetscInt matrices of Debian. */
PetscErrorCode RungPatternCountRows(RungPatternBuild *b)
{
  const RungPattern   p     = b->p;
  PetscInt64          total = 0, blocks = 0;
  RUNG_FREE PetscInt *line = NULL;

  PetscFunctionBegin;
  b->parts = b->ids > p->owned ? 2 : 1;
  for (int part = 0; part < b->parts; ++part) {
    PetscCall(PetscMalloc1(p->blocks, &p->start[part]));
    PetscCall(PetscMalloc1(p->blocks, &p->stride[part]));
  }
  PetscCall(PetscMalloc1(p->owned, &b->inside));
  PetscCall(RungScratch1(p->owned + 1, &b->row_start));
  PetscCall(create_line(b, &line));
  PetscCall(create_bits(b));
  PetscCall(clear_stamps(b));
  for (PetscInt r = 0; r < p->owned; ++r) {
    const PetscBool plain = is_plain(b, r);
    const PetscInt  n     = plain ? mark_row(b, r) : find_row(b, r, r, line);
    PetscInt        length, others;

    if (plain && (!p->uniform || b->parts > 1)) (void)read_row(b, r, line);
    length          = RungRowLength(b, n, line);
    others          = count_others(b, n, line);
    b->row_start[r] = (PetscInt)blocks;
    blocks += n;
    total += (PetscInt64)b->id_components[r] * length;
    b->longest      = PetscMax(b->longest, length);
    b->inside[r]    = others ? PETSC_FALSE : PETSC_TRUE;
    p->stride[0][r] = (int32_t)(length - others);
    if (b->parts > 1) p->stride[1][r] = (int32_t)others;
  }
  b->row_start[p->owned] = (PetscInt)blocks;
  RungCheckAll(total <= INT32_MAX, b->layout->data.comm, PETSC_ERR_ARG_OUTOFRANGE,
               "a matrix would have %g entries on one rank, more than 2^31; use more ranks", (double)total);
  b->entries = (PetscInt)total;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- columns ---------------------------------------------------------------------------------------------------- */

static PetscBool coupling_is_symmetric(const RungPattern p)
{
  const PetscInt   n      = p->unknowns;
  const PetscBool *facets = p->facet_couple;

  for (PetscInt f = 0; f < n; ++f)
    for (PetscInt g = 0; g < f; ++g)
      if (p->couple[f * n + g] != p->couple[g * n + f] || (facets && facets[f * n + g] != facets[g * n + f]))
        return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Rows that have owned columns alone, whose order is that of their ids, need no sorting: row r is appended to the rows of its
   columns, for r = 0, 1, ..  That gives the transposed pattern, which is the pattern.
   Out inside[row] becomes false where the transposed row has another length */
static PetscErrorCode transpose_rows(RungPatternBuild *b, PetscInt line[])
{
  const PetscInt                               rows  = b->p->owned;
  const PetscInt                              *start = b->row_start;
  RUNG_OWNED(RungPatternScratchFree) PetscInt *end   = NULL;

  PetscFunctionBegin;
  PetscCall(RungScratch1(rows, &end));
  PetscCall(PetscArraycpy(end, start, rows));
  for (PetscInt r = 0; r < rows; ++r) {
    /* stamps are still those of the lengths, which are not negative */
    const PetscInt n = is_plain(b, r) ? read_row(b, r, line) : find_row(b, r, -2 - r, line);

    for (PetscInt k = 0; k < n; ++k)
      if (line[k] < rows && end[line[k]] < start[line[k] + 1]) b->row_id[end[line[k]]++] = r;
  }
  for (PetscInt r = 0; r < rows; ++r)
    if (end[r] < start[r + 1]) b->inside[r] = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns of all rows in the order of their global numbers. */
PetscErrorCode RungPatternMakeRows(RungPatternBuild *b)
{
  const PetscBool     symmetric = coupling_is_symmetric(b->p);
  RUNG_FREE PetscInt *line = NULL, *key = NULL;

  PetscFunctionBegin;
  PetscCall(create_line(b, &line));
  if (symmetric) PetscCall(transpose_rows(b, line));
  PetscCall(clear_stamps(b));
  PetscCall(PetscMalloc1(b->longest, &key));
  for (PetscInt r = 0; r < b->p->owned; ++r) {
    PetscInt n;

    if (symmetric && b->inside[r]) continue;
    n = find_row(b, r, r, line);
    for (PetscInt k = 0; k < n; ++k) key[k] = b->id_dof[line[k]];
    PetscCall(PetscSortIntWithArray(n, key, line));
    PetscCall(PetscArraycpy(b->row_id + b->row_start[r], line, n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
