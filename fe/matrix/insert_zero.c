/* insert_zero.c - zeros just ahead of the sums: a matrix that was zeroed as a whole has left the cache when cells come.

   The values of owned columns are cut into pages.  For each the first cell is known that adds to it, so that before any
   cell is added the pages of all cells up to this one have to be zero: whatever order the cells come in, no page is zeroed
   twice or too late, and where they ascend, as in an assembly, its zeros are still in the cache.  Pages are small: little
   is taken along that is wanted much later.  The lines of the pages that come next are fetched a few with every cell:
   memory works while cells are added. */
#include <rungown_room.h>
#include "insert_impl.h"
#include <string.h>

#define PAGE  RUNG_PAGE
#define LINE  8 /* values that come at once */
#define LINES (PAGE / LINE)
#define AHEAD 12 /* pages between what is zero and what is fetched: less than the first cache */

/* Appends the pages of row r that are not yet listed. */
static void add_pages(const RungPattern p, PetscInt r, PetscInt cell, PetscBool listed[])
{
  const PetscInt start = p->start[0][r], end = r + 1 < p->owned ? p->start[0][r + 1] : p->entries[0];

  for (PetscInt k = start / PAGE; k * PAGE < end; ++k) {
    if (listed[k]) continue;
    listed[k]                 = PETSC_TRUE;
    p->page_cell[p->pages]    = (int32_t)cell;
    p->page_start[p->pages++] = (int32_t)(k * PAGE);
  }
}

/* Pages of the cells; done[row]: its pages are listed. */
static void add_cells(const RungPattern p, PetscBool listed[], uint8_t done[])
{
  for (PetscInt i = 0; i < p->layout->data.cells * p->width; ++i) {
    const PetscInt r = p->cell_block[i];

    if (r >= p->owned || done[r]) continue;
    done[r] = 1;
    add_pages(p, r, i / p->width, listed);
  }
}

PetscErrorCode RungPagesCreate(RungPattern p)
{
  const PetscInt       all = (p->entries[0] + PAGE - 1) / PAGE, cells = PetscMax(1, p->layout->data.cells);
  RUNG_FREE PetscBool *listed = NULL;
  RUNG_FREE uint8_t   *done   = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(all, &p->page_cell));
  PetscCall(PetscMalloc1(all, &p->page_start));
  PetscCall(PetscCalloc1(all, &listed));
  PetscCall(PetscCalloc1(p->owned, &done));
  add_cells(p, listed, done);
  for (PetscInt r = 0; r < p->owned; ++r) add_pages(p, r, INT32_MAX, listed); /* rows that only others add to */
  p->lines = (5 * (PetscInt64)p->entries[0] / (4 * LINE) * RUNG_CELLS_FETCH + cells - 1) / cells;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* memset() as the C library has it for this machine: what compilers put in its place for any machine is slower. */
static void *(*volatile const clear)(void *, int, size_t) = memset;

void RungPagesZero(RungInsertion *insertion, PetscInt cell)
{
  const RungPattern p = insertion->pattern;

  for (; insertion->zeroed < p->pages && p->page_cell[insertion->zeroed] <= cell; ++insertion->zeroed) {
    const PetscInt start = p->page_start[insertion->zeroed], length = PetscMin(PAGE, p->entries[0] - start);

    if (insertion->base) {
      RungPageBegin(insertion, start, length);
      continue;
    }
    clear(insertion->diag + start, 0, (size_t)length * sizeof(PetscScalar));
  }
  insertion->next = insertion->zeroed < p->pages ? p->page_cell[insertion->zeroed] : INT32_MAX;
}

void RungPagesFetch(RungInsertion *insertion, PetscInt lines)
{
  const RungPattern p   = insertion->pattern;
  const PetscInt    end = PetscMin(p->pages, insertion->zeroed + AHEAD) * LINES;
  PetscInt          at  = PetscMax(insertion->fetched, insertion->zeroed * LINES);

  if (insertion->some) return; /* little of a page is touched */
  lines = PetscMin(lines, end - at);
  while (lines > 0) {
    const PetscScalar *line = insertion->diag + p->page_start[at / LINES] + at % LINES * LINE;
    const PetscInt     n    = PetscMin(lines, LINES - at % LINES);

    for (PetscInt k = 0; k < n; ++k)
      __builtin_prefetch(line + k * LINE, 0, 2); /* the second cache has more room for what is on its way */
    for (PetscInt q = 0; q < insertion->base; ++q)
      for (PetscInt k = 0; k < n; ++k)
        __builtin_prefetch(insertion->from[q][0] + (line - insertion->diag) + k * LINE, 0, 2);
    at += n;
    lines -= n;
  }
  insertion->fetched = at;
}
