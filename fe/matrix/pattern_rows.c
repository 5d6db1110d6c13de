/* pattern_rows.c - rows of blocks of the nonzero pattern: a stamp tells which columns a row already has.

   A row is found once, sorted, and placed while its cells are at hand (pattern_position.c). */
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

/* All blocks of the cells around a row, with a width that the compiler may know. */
static inline PetscInt add_cells(const RungPatternBuild *b, PetscInt row, PetscInt mark, PetscInt to[], PetscInt n,
                                 const PetscInt width)
{
  for (PetscInt k = b->around_start[row]; k < b->around_start[row + 1]; ++k)
    n = add_columns(b->stamp, mark, width, b->p->cell_block + RungPatternCellOf(b, b->around[k]) * width, to, n);
  return n;
}

static PetscInt add_all(const RungPatternBuild *b, PetscInt row, PetscInt mark, PetscInt to[], PetscInt n)
{
  switch (b->width) {
  case 3: return add_cells(b, row, mark, to, n, 3);
  case 4: return add_cells(b, row, mark, to, n, 4);
  case 6: return add_cells(b, row, mark, to, n, 6);
  case 8: return add_cells(b, row, mark, to, n, 8);
  case 10: return add_cells(b, row, mark, to, n, 10);
  case 27: return add_cells(b, row, mark, to, n, 27);
  default: return add_cells(b, row, mark, to, n, b->width);
  }
}

/* Those of unknowns that the row's is coupled to. */
static PetscInt add_coupled(const RungPatternBuild *b, PetscInt row, PetscInt mark, PetscInt to[], PetscInt n)
{
  const RungPattern p = b->p;

  for (PetscInt k = b->around_start[row]; k < b->around_start[row + 1]; ++k) {
    const PetscInt  at = b->around[k], first = RungPatternCellOf(b, at) * b->width;
    const PetscInt *block = p->cell_block + first;

    for (PetscInt g = 0, f = b->unknown[at - first]; g < p->unknowns; ++g)
      if (p->couple[f * p->unknowns + g])
        n = add_columns(b->stamp, mark, p->block_offset[g + 1] - p->block_offset[g], block + p->block_offset[g], to, n);
  }
  return n;
}

/* The columns that cells and facets around a block, and ranks that have some of these, couple it to.  Returns how many;
   `mark` is in no stamp before. */
static PetscInt find_row(const RungPatternBuild *b, PetscInt row, PetscInt mark, PetscInt to[])
{
  PetscInt n = 0;

  if (row < b->p->owned) n = add_columns(b->stamp, mark, 1, &row, to, n); /* the diagonal is always there */
  n = b->p->full ? add_all(b, row, mark, to, n) : add_coupled(b, row, mark, to, n);
  RungPatternFacetsAddRow(b, row, mark, to, &n);
  for (PetscInt q = b->received && row < b->p->owned ? b->received_head[row] : -1; q >= 0; q = b->received_next[q])
    n = add_columns(b->stamp, mark, b->received_start[q + 1] - b->received_start[q],
                    b->received_id + b->received_start[q], to, n);
  return n;
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

/* ---- owned rows ------------------------------------------------------------------------------------------------- */

#define FEW   128 /* columns whose places are counted, which takes fewer steps than to sort them */
#define LANES 8

/* Columns by their global numbers, all different: the place of one is the number of those that are less.  In id[n].  Out to[n] */
static void sort_few(const RungPatternBuild *b, PetscInt n, const PetscInt id[], PetscInt to[])
{
  PetscInt key[FEW + LANES], place[LANES];

  for (PetscInt k = 0; k < n; ++k) key[k] = b->id_dof[id[k]];
  for (PetscInt k = n; k < n + LANES; ++k) key[k] = 0;
  for (PetscInt first = 0; first < n; first += LANES) {
    for (PetscInt l = 0; l < LANES; ++l) place[l] = 0;
    for (PetscInt k = 0; k < n; ++k)
      for (PetscInt l = 0; l < LANES; ++l) place[l] += key[k] < key[first + l];
    for (PetscInt l = 0; l < PetscMin(LANES, n - first); ++l) to[place[l]] = id[first + l];
  }
}

static PetscErrorCode sort_columns(const RungPatternBuild *b, PetscInt n, PetscInt id[], PetscInt to[])
{
  RUNG_FREE PetscInt *key = NULL;

  PetscFunctionBegin;
  if (n <= FEW) {
    sort_few(b, n, id, to);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(n, &key));
  for (PetscInt k = 0; k < n; ++k) key[k] = b->id_dof[id[k]];
  PetscCall(PetscSortIntWithArray(n, key, id));
  PetscCall(PetscArraycpy(to, id, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pages of columns that are not there are not touched: a bound is room enough. */
PetscErrorCode RungPatternStartRows(RungPatternBuild *b)
{
  const RungPattern p    = b->p;
  size_t            room = 0;
  PetscInt          most = 1;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < p->owned; ++r) {
    const PetscInt m = most_columns(b, r);

    most = PetscMax(most, m);
    room += (size_t)m;
  }
  PetscCall(PetscMalloc1(most, &b->line));
  PetscCall(PetscMalloc1(p->owned + 1, &b->row_start));
  PetscCall(RungScratch1(room, &b->row_id));
  b->row_start[0] = 0;
  PetscCall(clear_stamps(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPatternNextRow(RungPatternBuild *b, PetscInt row)
{
  const PetscInt n = find_row(b, row, row, b->line);

  PetscFunctionBegin;
  b->row_start[row + 1] = b->row_start[row] + n;
  PetscCall(sort_columns(b, n, b->line, b->row_id + b->row_start[row]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Dofs of the longest row, at most; exact where the cells around a row leave it open whether places in it take a byte. */
PetscErrorCode RungPatternLongest(RungPatternBuild *b, PetscInt *longest)
{
  const PetscInt unit = PetscMax(1, b->p->uniform);
  PetscInt       wide = 0;

  PetscFunctionBegin;
  *longest = 0;
  for (PetscInt f = 0; f < b->p->unknowns; ++f) wide = PetscMax(wide, b->p->components[f]);
  for (PetscInt r = 0; r < b->p->owned; ++r) {
    PetscInt length = most_columns(b, r) * wide;

    if (length / unit > UINT8_MAX) length = RungRowLength(b, find_row(b, r, -2 - r, b->line), b->line);
    *longest = PetscMax(*longest, length);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
