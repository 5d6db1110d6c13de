/* insert_some.c - values that begin as a sum of matrices, and cells that add to some pairs of unknowns only.

   What a nonlinear form has of constant terms is kept in matrices K of the same pattern; J begins as their sum, page by
   page just before cells are added, in the place of zeros.  Where J holds that sum already, only those values begin anew
   that cells can have added to, as runs of neighbours: those of some pairs of unknowns, of some cells alone where only
   these are visited (a part, a boundary). */
#include "insert_impl.h"
#include <string.h>

#define GAP 4 /* values between runs that are taken along */

PetscErrorCode RungSomeDestroy(RungSome **some)
{
  PetscFunctionBegin;
  if (!*some) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*some)->couple));
  PetscCall(PetscFree((*some)->cell));
  PetscCall(PetscFree((*some)->tile));
  PetscCall(PetscFree((*some)->run));
  PetscCall(PetscFree((*some)->end));
  PetscCall(PetscFree((*some)->page_run));
  PetscCall(PetscFree(*some));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Marks the values of owned columns that a tile of a cell is added to. */
static void mark_tile(const RungPattern p, const RungTile *tile, PetscInt cell, PetscBool touched[])
{
  const PetscInt *block = p->cell_block + cell * p->width;

  for (PetscInt i = tile->row_block; i < tile->row_block + tile->rows; ++i) {
    const PetscInt r = block[i];

    for (PetscInt j = tile->column_block; r < p->owned && j < tile->column_block + tile->columns; ++j) {
      const size_t   at    = ((size_t)cell * (size_t)p->width + (size_t)i) * (size_t)p->width + (size_t)j;
      const PetscInt first = p->start[0][r] + RungOffsetAt(p, at) * p->unit;

      if (block[j] >= p->owned) continue;
      for (PetscInt a = 0; a < tile->n; ++a)
        for (PetscInt b = 0; b < tile->m; ++b) touched[first + a * p->stride[0][r] + b] = PETSC_TRUE;
    }
  }
}

/* Cells of this rank, and all that other ranks send. */
static void mark_all(const RungPattern p, const RungSome *some, PetscBool touched[])
{
  const RungExchange *ex = p->exchange;

  for (PetscInt i = 0; i < some->cells; ++i)
    for (PetscInt k = 0; k < some->tiles; ++k) mark_tile(p, &some->tile[k], some->cell ? some->cell[i] : i, touched);
  for (PetscInt i = 0; i < ex->start[RUNG_OWNERS][ex->n[RUNG_OWNERS]]; ++i)
    if (p->target[i] >= 0) touched[p->target[i]] = PETSC_TRUE;
}

/* Runs of the marked values of a page; run and end NULL: counts them. */
static PetscInt find_runs(PetscInt start, PetscInt length, const PetscBool touched[], int32_t run[], int32_t end[])
{
  PetscInt n = 0;

  for (PetscInt k = start; k < start + length; ++k) {
    PetscInt last = k;

    if (!touched[k]) continue;
    for (PetscInt q = k; q < start + length && q <= last + GAP; ++q)
      if (touched[q]) last = q;
    if (run) run[n] = (int32_t)k, end[n] = (int32_t)(last + 1);
    ++n;
    k = last;
  }
  return n;
}

static PetscErrorCode create_runs(const RungPattern p, RungSome *some, const PetscBool touched[])
{
  const PetscInt pages = (p->entries[0] + RUNG_PAGE - 1) / RUNG_PAGE;
  PetscInt       n     = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(pages + 1, &some->page_run));
  for (int fill = 0; fill < 2; ++fill) {
    if (fill) PetscCall(PetscMalloc1(n, &some->run));
    if (fill) PetscCall(PetscMalloc1(n, &some->end));
    n = 0;
    for (PetscInt k = 0; k < pages; ++k) {
      const PetscInt start = k * RUNG_PAGE, length = PetscMin(RUNG_PAGE, p->entries[0] - start);

      some->page_run[k] = (int32_t)n;
      n += find_runs(start, length, touched, fill ? some->run + n : NULL, fill ? some->end + n : NULL);
    }
    some->page_run[pages] = (int32_t)n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Are these the pairs and the cells of the last time? */
static PetscBool is_same(const RungSome *some, PetscInt pairs, const PetscBool couple[], PetscInt cells,
                         const PetscInt cell[])
{
  if (memcmp(some->couple, couple, (size_t)pairs * sizeof *couple) != 0) return PETSC_FALSE;
  if (some->cells != cells || !some->cell != !cell) return PETSC_FALSE;
  return !cell || !memcmp(some->cell, cell, (size_t)cells * sizeof *cell) ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode RungSomeCreate(RungPattern p, const PetscBool couple[], PetscInt cells, const PetscInt cell[])
{
  const PetscInt n = p->unknowns;
  PetscBool     *touched;

  PetscFunctionBegin;
  if (cells < 0 && !p->facets) cells = p->layout->data.cells;
  if (p->some && is_same(p->some, n * n, couple, cells, cell)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSomeDestroy(&p->some));
  if (cells < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&p->some));
  p->some->number = ++p->some_made;
  p->some->cells  = cells;
  PetscCall(PetscMalloc1(n * n, &p->some->couple));
  PetscCall(PetscArraycpy(p->some->couple, couple, n * n));
  if (cell) PetscCall(PetscMalloc1(cells + 1, &p->some->cell)); /* not NULL, whatever there is */
  if (cell) PetscCall(PetscArraycpy(p->some->cell, cell, cells));
  PetscCall(RungTilesCreate(p, couple, &p->some->tiles, &p->some->tile));
  PetscCall(PetscCalloc1(p->entries[0] + 1, &touched));
  mark_all(p, p->some, touched);
  PetscCall(create_runs(p, p->some, touched));
  PetscCall(PetscFree(touched));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* values k .. end - 1 = the sum, in one order of additions whatever runs there are */
static void begin_values(const RungInsertion *insertion, PetscInt k, PetscInt end)
{
  const PetscReal          *c    = insertion->weight;
  const PetscScalar *const *from = insertion->from[0];
  PetscScalar *restrict to       = insertion->diag;

  if (insertion->base == 1)
    for (; k < end; ++k) to[k] = c[0] * from[0][k];
  else if (insertion->base == 2)
    for (const PetscScalar *more = insertion->from[1][0]; k < end; ++k) to[k] = c[0] * from[0][k] + c[1] * more[k];
  else
    for (; k < end; ++k) to[k] = c[0] * from[0][k] + c[1] * insertion->from[1][0][k] + c[2] * insertion->from[2][0][k];
}

void RungPageBegin(const RungInsertion *insertion, PetscInt start, PetscInt length)
{
  const RungSome *some = insertion->some;

  if (!some) {
    begin_values(insertion, start, start + length);
    return;
  }
  for (PetscInt k = some->page_run[start / RUNG_PAGE]; k < some->page_run[start / RUNG_PAGE + 1]; ++k)
    begin_values(insertion, some->run[k], some->end[k]);
}
