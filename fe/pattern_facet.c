/* pattern_facet.c - blocks of interior facets in a layout's matrix: columns, positions and insertion.

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

/* ---- insertion ------------------------------------------------------------------------------------------------------ */

/* n x m entries of a pair of blocks at value, rows `stride` and columns `step` apart. */
static inline void add_pair(PetscInt n, PetscInt m, PetscScalar *value, PetscInt stride, PetscInt step,
                            const PetscScalar from[], PetscInt si, PetscInt sj)
{
  for (PetscInt a = 0; a < n; ++a)
    for (PetscInt d = 0; d < m; ++d) value[a * stride + d * step] += from[a * si + d * sj];
}

/* The pairs of a row block (side s, unknown f, block i of the cell) with all columns. */
static void add_row(const RungPattern p, const RungInsertion *insertion, PetscInt slot, PetscInt f, PetscInt i,
                    const PetscInt offset[], const PetscScalar dense[], PetscInt si, PetscInt sj)
{
  const PetscInt  width = p->block_offset[p->unknowns], *block = &p->facet_block[slot * 2 * width];
  const int32_t  *position = &p->facet_position[((size_t)slot * 2 * (size_t)width + (size_t)i) * 2 * (size_t)width];
  const PetscInt  r = block[i], n = p->components[f], dofs = offset[p->unknowns];
  const PetscBool blocks = r < p->owned && RungPatternHasBlocks(p) ? PETSC_TRUE : PETSC_FALSE;

  for (PetscInt t = 0; t < 2; ++t) {
    for (PetscInt g = 0; g < p->unknowns; ++g) {
      for (PetscInt j = p->block_offset[g]; p->facet_couple[f * p->unknowns + g] && j < p->block_offset[g + 1]; ++j) {
        const PetscInt c = block[t * width + j], m = p->components[g], outside = r < p->owned && c >= p->owned;
        PetscScalar   *value = r >= p->owned ? p->send : outside ? insertion->off : insertion->diag;

        if (position[t * width + j] == RUNG_NOWHERE) continue;
        add_pair(n, m, value + position[t * width + j], blocks ? 1 : p->stride[outside][r], blocks ? m : 1,
                 dense + (t * dofs + offset[g] + (j - p->block_offset[g]) * m) * sj, si, sj);
      }
    }
  }
}

PetscErrorCode RungLayoutInsertFacet(RungLayout layout, Mat J, PetscInt facet, const PetscScalar dense[], PetscInt si,
                                     PetscInt sj)
{
  RungInsertion    *insertion = &layout->insertion;
  const RungPattern p         = insertion->pattern;
  const PetscInt   *offset = layout->offset, dofs = layout->data.cell_dofs;

  if (PetscUnlikely(insertion->J != J))
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ORDER, "a facet is inserted into a matrix that is not open; begin first");
  if (PetscUnlikely(!p->facet_slot || facet >= p->facets_known || p->facet_slot[facet] < 0))
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ORDER,
            "a facet is inserted into a matrix that was made without it; call RungLayoutCoupleFacets() before "
            "RungLayoutCreateMat()");
  RungPagesZero(insertion, INT32_MAX);
  for (PetscInt s = 0; s < 2; ++s) {
    for (PetscInt f = 0; f < p->unknowns; ++f) {
      for (PetscInt i = p->block_offset[f]; i < p->block_offset[f + 1]; ++i) {
        const PetscInt row = s * dofs + offset[f] + (i - p->block_offset[f]) * p->components[f];

        add_row(p, insertion, p->facet_slot[facet], f, s * p->block_offset[p->unknowns] + i, offset, dense + row * si,
                si, sj);
      }
    }
  }
  return PETSC_SUCCESS;
}
