/* pattern_facet.c - blocks of interior facets in a layout's matrix: columns and positions.

   A facet couples the dofs of its two cells, like a cell with twice as many.  Blocks that only far cells have follow the
   ghosts among the blocks of a pattern; their rows are sent to their owners like those of ghosts. */
#include "pattern_impl.h"

PetscInt RungPatternFarBlocks(const RungPatternBuild *b, PetscInt f)
{
  const RungLayoutData *data = &b->layout->data;

  return data->far ? (data->far[f + 1] - data->far[f]) / b->p->components[f] : 0;
}

PetscErrorCode RungPatternFacetsShareFixed(RungPatternBuild *b)
{
  const RungLayoutData *data = &b->layout->data;

  PetscFunctionBegin;
  if (!b->fixed) PetscCall(PetscCalloc1(data->local, &b->fixed));
  PetscCall(RungExchangeForward(b->layout->exchange, sizeof(PetscBool), b->fixed, b->fixed + data->owned));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- blocks of the two cells ---------------------------------------------------------------------------------------- */

/* The block that begins at a local dof of unknown f. */
static PetscInt block_at(const RungPatternBuild *b, PetscInt f, PetscInt dof)
{
  const RungLayoutData *data = &b->layout->data;
  const PetscInt        n    = b->p->components[f];
  const PetscInt *range = dof < data->owned ? data->range : dof < data->ghost[data->unknowns] ? data->ghost : data->far;
  PetscInt        at    = (dof - range[f]) / n;

  for (PetscInt g = 0; g < (range == data->range ? f : data->unknowns); ++g)
    at += (data->range[g + 1] - data->range[g]) / b->p->components[g];
  for (PetscInt g = 0; range != data->range && g < (range == data->ghost ? f : data->unknowns); ++g)
    at += (data->ghost[g + 1] - data->ghost[g]) / b->p->components[g];
  for (PetscInt g = 0; range == data->far && g < f; ++g) at += RungPatternFarBlocks(b, g);
  return at;
}

/* The blocks of a cell or far cell, [width]. */
static void cell_blocks(const RungPatternBuild *b, PetscInt cell, PetscInt block[])
{
  const RungLayoutData *data = &b->layout->data;
  const PetscInt       *dof;

  if (cell < data->cells) {
    for (PetscInt i = 0; i < b->width; ++i) block[i] = b->p->cell_block[cell * b->width + i];
    return;
  }
  dof = &data->far_dof[(cell - data->cells) * data->cell_dofs];
  for (PetscInt f = 0; f < data->unknowns; ++f) {
    for (PetscInt i = b->p->block_offset[f]; i < b->p->block_offset[f + 1]; ++i)
      block[i] = block_at(b, f, dof[data->offset[f] + (i - b->p->block_offset[f]) * b->p->components[f]]);
  }
}

/* Facets around every block. */
static PetscErrorCode set_around(RungPatternBuild *b)
{
  const PetscInt n = b->p->facets * 2 * b->width;
  PetscInt      *next;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(b->p->blocks + 1, &b->facet_start));
  PetscCall(PetscMalloc1(n, &b->facet));
  PetscCall(PetscMalloc1(b->p->blocks, &next));
  for (PetscInt i = 0; i < n; ++i) ++b->facet_start[b->p->facet_block[i] + 1];
  for (PetscInt r = 0; r < b->p->blocks; ++r) {
    b->facet_start[r + 1] += b->facet_start[r];
    next[r] = b->facet_start[r];
  }
  for (PetscInt i = 0; i < n; ++i) b->facet[next[b->p->facet_block[i]]++] = i;
  PetscCall(PetscFree(next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPatternFacetsCreate(RungPatternBuild *b)
{
  const PetscBool *used = b->layout->facet_used, *couple = b->layout->facet_couple;
  const PetscInt   n = b->p->unknowns;
  RungPattern      p = b->p;
  RungSides        sides;

  PetscFunctionBegin;
  if (!couple) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungMeshGetSides(b->layout->space[0]->mesh, &sides));
  p->facets_known = sides->facets;
  PetscCall(PetscMalloc1(n * n, &p->facet_couple));
  PetscCall(PetscArraycpy(p->facet_couple, couple, n * n));
  PetscCall(PetscMalloc1(sides->facets + 1, &p->facet_slot));
  for (PetscInt i = 0; i < sides->facets; ++i) p->facet_slot[i] = used[i] ? p->facets++ : -1;
  PetscCall(PetscMalloc1(p->facets * 2 * b->width, &p->facet_block));
  PetscCall(PetscMalloc1((size_t)p->facets * (size_t)(4 * b->width * b->width), &p->facet_position));
  for (PetscInt i = 0; i < sides->facets; ++i) {
    for (PetscInt s = 0; s < 2 && used[i]; ++s)
      cell_blocks(b, sides->cell[s][i], p->facet_block + (2 * p->facet_slot[i] + s) * b->width);
  }
  PetscCall(set_around(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- columns and positions ------------------------------------------------------------------------------------------ */

PetscInt RungPatternFacetsRoom(const RungPatternBuild *b, PetscInt row)
{
  return b->facet_start ? (b->facet_start[row + 1] - b->facet_start[row]) * 2 * b->width : 0;
}

/* Is place j of the 2 * width blocks of a facet coupled to place i? */
static PetscBool coupled(const RungPatternBuild *b, PetscInt i, PetscInt j)
{
  return b->p->facet_couple[b->unknown[i % b->width] * b->p->unknowns + b->unknown[j % b->width]];
}

void RungPatternFacetsAddRow(const RungPatternBuild *b, PetscInt row, PetscInt mark, PetscInt to[], PetscInt *n)
{
  const PetscInt wide = 2 * b->width;

  for (PetscInt k = b->facet_start ? b->facet_start[row] : 0; b->facet_start && k < b->facet_start[row + 1]; ++k) {
    const PetscInt *block = &b->p->facet_block[b->facet[k] / wide * wide];

    for (PetscInt j = 0; j < wide; ++j) {
      if (!coupled(b, b->facet[k], j) || b->stamp[block[j]] == mark) continue;
      b->stamp[block[j]] = mark;
      to[(*n)++]         = block[j];
    }
  }
}

void RungPatternFacetsPlace(RungPatternBuild *b, PetscBool split, PetscInt row, const PetscInt base[2])
{
  const PetscInt wide = 2 * b->width;

  for (PetscInt k = b->facet_start ? b->facet_start[row] : 0; b->facet_start && k < b->facet_start[row + 1]; ++k) {
    const PetscInt *block = &b->p->facet_block[b->facet[k] / wide * wide];
    int32_t        *to    = &b->p->facet_position[(size_t)b->facet[k] * (size_t)wide];

    for (PetscInt j = 0; j < wide; ++j)
      if (coupled(b, b->facet[k], j))
        to[j] = (int32_t)(base[split && block[j] >= b->p->owned] + b->where[block[j]] * b->p->unit);
  }
}
