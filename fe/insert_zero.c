/* insert_zero.c - zeros just ahead of the sums: a matrix that was zeroed as a whole has left the cache when cells come.

   The values of owned columns are cut into pages.  For each the first cell is known that adds to it, so that before any
   cell is added the pages of all cells up to this one have to be zero: whatever order the cells come in, no page is zeroed
   twice or too late, and where their numbers ascend, as in an assembly, its zeros are still in the cache. */
#include "fe_space_impl.h"
#include <string.h>

#define PAGE   512 /* values */
#define SPARSE 16  /* with fewer values a cell zeros are a small part, and whole stretches the faster way */

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

PetscErrorCode RungPagesCreate(RungPattern p)
{
  const PetscInt cells = p->layout->data.cells, width = p->block_offset[p->unknowns],
                 all     = (p->entries[0] + PAGE - 1) / PAGE;
  const PetscBool sparse = p->entries[0] / SPARSE < cells ? PETSC_TRUE : PETSC_FALSE;
  PetscBool      *listed;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(all, &p->page_cell));
  PetscCall(PetscMalloc1(all, &p->page_start));
  PetscCall(PetscCalloc1(all, &listed));
  for (PetscInt c = 0; c < cells; ++c) {
    for (PetscInt i = 0; i < width; ++i) {
      const PetscInt r = p->cell_block[c * width + i];

      if (r < p->owned) add_pages(p, r, sparse ? 0 : c, listed);
    }
  }
  for (PetscInt r = 0; r < p->owned; ++r) add_pages(p, r, INT32_MAX, listed); /* rows that only others add to */
  PetscCall(PetscFree(listed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungPagesZero(RungInsertion *insertion, PetscInt cell)
{
  const RungPattern p = insertion->pattern;

  for (; insertion->zeroed < p->pages && p->page_cell[insertion->zeroed] <= cell; ++insertion->zeroed) {
    const PetscInt start = p->page_start[insertion->zeroed], length = PetscMin(PAGE, p->entries[0] - start);

    memset(insertion->diag + start, 0, (size_t)length * sizeof(PetscScalar));
  }
  insertion->next = insertion->zeroed < p->pages ? p->page_cell[insertion->zeroed] : INT32_MAX;
}
