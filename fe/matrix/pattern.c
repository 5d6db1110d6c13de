/* pattern.c - the nonzero pattern of a layout's matrix, and where the entries of every cell go in it: blocks, and the order
   in which things are made.

   Rows are made block by block (a block: one node of one unknown) from the cells around the block (pattern_rows.c).  A row of
   another rank's block is sent to its owner once, as a list of columns; the owner merges it (pattern_remote.c).  Columns have
   ids: the local blocks, then the foreign ones that only rows received from others know. */
#include <rungown_room.h>
#include "pattern_impl.h"

/* ---- blocks ------------------------------------------------------------------------------------------------- */

static PetscErrorCode set_blocks(RungPatternBuild *b)
{
  const RungLayoutData *data  = &b->layout->data;
  RungPattern           p     = b->p;
  RUNG_FREE PetscInt   *bases = NULL;
  PetscInt             *base[2], n = 0; /* [owned, ghost][unknown] first block */

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(2 * data->unknowns, &bases));
  base[0] = bases;
  base[1] = bases + data->unknowns;
  for (int ghost = 0; ghost < 2; ++ghost) {
    for (PetscInt f = 0; f < data->unknowns; ++f) {
      const RungSpaceData *s = &b->layout->space[f]->data;

      base[ghost][f] = n;
      n += ghost ? s->nodes - s->owned : s->owned;
    }
    if (!ghost) p->owned = n;
  }
  p->blocks = n;
  for (PetscInt f = 0; f < data->unknowns; ++f) p->blocks += RungPatternFarBlocks(b, f);
  PetscCall(PetscMalloc1(p->blocks, &p->block_dof));
  for (PetscInt f = 0; f < data->unknowns; ++f) {
    for (PetscInt i = 0; i < RungPatternFarBlocks(b, f); ++i, ++n)
      p->block_dof[n] = data->far[f] + i * p->components[f];
  }
  if (data->unknowns == 1)
    p->cell_block = b->layout->space[0]->cell_node; /* nodes have the numbers of their blocks */
  else
    PetscCall(PetscMalloc1(data->cells * b->width, &p->cell_block));
  for (PetscInt f = 0; f < data->unknowns; ++f) {
    const RungSpaceData *s = &b->layout->space[f]->data;

    for (PetscInt i = 0; i < s->nodes; ++i)
      p->block_dof[i < s->owned ? base[0][f] + i : base[1][f] + i - s->owned] = RungLayoutDof(b->layout, f, i, 0);
    for (PetscInt c = 0; c < data->cells && data->unknowns > 1; ++c)
      for (PetscInt i = 0; i < s->cell_nodes; ++i) {
        const PetscInt node = s->cell_node[c * s->cell_nodes + i];

        p->cell_block[c * b->width + p->block_offset[f] + i] = node < s->owned ? base[0][f] + node
                                                                               : base[1][f] + node - s->owned;
      }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells around every block, as cell * width + place in the cell. */
static PetscErrorCode set_around(RungPatternBuild *b)
{
  const PetscInt                               n    = b->layout->data.cells * b->width;
  RUNG_OWNED(RungPatternScratchFree) PetscInt *next = NULL;

  PetscFunctionBegin;
  PetscCall(RungScratch1(b->p->blocks + 1, &b->around_start));
  PetscCall(PetscArrayzero(b->around_start, b->p->blocks + 1));
  PetscCall(RungScratch1(n, &b->around));
  PetscCall(RungScratch1(b->p->blocks, &next));
  for (PetscInt i = 0; i < n; ++i) ++b->around_start[b->p->cell_block[i] + 1];
  for (PetscInt r = 0; r < b->p->blocks; ++r) {
    b->around_start[r + 1] += b->around_start[r];
    next[r] = b->around_start[r];
  }
  for (PetscInt i = 0; i < n; ++i) b->around[next[b->p->cell_block[i]]++] = i;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The unknown that a local dof belongs to. */
PetscInt RungUnknownOfDof(const RungLayoutData *data, PetscInt dof)
{
  PetscInt f = 0;

  if (dof < data->owned)
    while (dof >= data->range[f + 1]) ++f;
  else if (dof < data->ghost[data->unknowns])
    while (dof >= data->ghost[f + 1]) ++f;
  else
    while (dof >= data->far[f + 1]) ++f;
  return f;
}

/* ---- life --------------------------------------------------------------------------------------------------- */

static PetscErrorCode start_build(RungLayout layout, const PetscBool couple[], const PetscBool fixed[],
                                  RungPatternBuild *b)
{
  const RungLayoutData *data = &layout->data;
  const PetscInt        n    = data->unknowns;
  RungPattern           p    = b->p;
  PetscInt              some = 0;

  PetscFunctionBegin;
  p->unknowns = n;
  p->layout   = layout;
  PetscCall(RungLayoutReference(layout));
  PetscCall(PetscMalloc1(n, &p->components));
  PetscCall(PetscCalloc1(n + 1, &p->block_offset));
  PetscCall(PetscMalloc1(n * n, &p->couple));
  PetscCall(PetscArraycpy(p->couple, couple, n * n));
  p->full    = PETSC_TRUE;
  p->uniform = layout->components[0];
  for (PetscInt f = 0; f < n; ++f) {
    p->components[f]       = layout->components[f];
    p->block_offset[f + 1] = p->block_offset[f] + layout->space[f]->data.cell_nodes;
    if (p->components[f] != p->uniform) p->uniform = 0;
  }
  for (PetscInt i = 0; i < n * n; ++i) p->full = (PetscBool)(p->full && couple[i]);
  if (fixed) { /* far dofs may have come after who says so: they hear it from their owners */
    PetscCall(PetscCalloc1(data->local, &b->fixed));
    PetscCall(PetscArraycpy(b->fixed, fixed, data->ghost[n]));
  }
  if (data->far) PetscCall(RungPatternFacetsShareFixed(b));
  for (PetscInt i = 0; b->fixed && i < data->local; ++i) some += b->fixed[i] ? 1 : 0;
  if (!some) PetscCall(PetscFree(b->fixed));
  PetscCall(PetscMalloc1(some, &p->fixed_diagonal));
  p->width     = p->block_offset[n];
  p->cell_dofs = data->cell_dofs;
  b->width     = p->width;
  b->per_width = UINT64_MAX / (uint64_t)p->width + 1;
  PetscCall(PetscMalloc1(p->width, &p->other));
  PetscCall(PetscMalloc1(b->width, &b->unknown));
  for (PetscInt f = 0; f < n; ++f)
    for (PetscInt i = p->block_offset[f]; i < p->block_offset[f + 1]; ++i) b->unknown[i] = f;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What it still holds is half made: pattern and matrix are given away. */
static PetscErrorCode end_build(RungPatternBuild *b)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(b->unknown));
  PetscCall(PetscFree(b->foreign_fixed));
  PetscCall(PetscFree(b->foreign_start));
  PetscCall(PetscFree(b->fixed));
  PetscCall(RungScratchFree(&b->around_start));
  PetscCall(RungScratchFree(&b->around));
  PetscCall(PetscFree(b->facet_start));
  PetscCall(PetscFree(b->facet));
  PetscCall(RungScratchFree(&b->id_dof));
  PetscCall(RungScratchFree(&b->id_components));
  PetscCall(RungScratchFree(&b->stamp));
  PetscCall(RungScratchFree(&b->where));
  PetscCall(PetscFree(b->line));
  PetscCall(PetscFree(b->row_start));
  if (!b->in_place) PetscCall(RungScratchFree(&b->row_id));
  PetscCall(PetscFree(b->received_start));
  PetscCall(PetscFree(b->received_id));
  PetscCall(PetscFree(b->received_head));
  PetscCall(PetscFree(b->received_next));
  for (int part = 0; part < 2; ++part) {
    PetscCall(PetscFree(b->start[part]));
    PetscCall(RungScratchFree(&b->column[part]));
  }
  PetscCall(RungPatternDestroy(&b->p));
  PetscCall(MatDestroy(&b->J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end_travel(RungPatternTravel *travel)
{
  PetscFunctionBegin;
  for (int side = 0; side < 2; ++side) {
    PetscCall(PetscFree(travel->count[side]));
    PetscCall(PetscFree(travel->pair[side]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ghost rows and their journey. */
static PetscErrorCode send_ghosts(RungPatternBuild *b, PetscInt **ghost_start, PetscInt **ghost_id)
{
  RUNG_OWNED(end_travel) RungPatternTravel travel = {0};

  PetscFunctionBegin;
  PetscCall(RungPatternIds(b, 0, NULL));
  PetscCall(RungPatternGhostRows(b, ghost_start, ghost_id));
  PetscCall(RungPatternSendRows(b, *ghost_start, *ghost_id, &travel));
  PetscCall(RungPatternTakeRows(b, &travel));
  b->parts = b->ids > b->p->owned ? 2 : 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns of blocks by their global numbers, which on one rank ids are. */
static PetscErrorCode create_blocks(RungPatternBuild *b)
{
  const RungPattern p = b->p;
  const PetscInt    n = b->row_start[p->owned];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(p->owned + 1, &p->row_start));
  PetscCall(PetscArraycpy(p->row_start, b->row_start, p->owned + 1));
  b->in_place = b->ids == p->owned && !b->layout->data.start ? PETSC_TRUE : PETSC_FALSE;
  if (b->in_place) {
    p->column = b->row_id;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungScratch1(n, &p->column));
  for (PetscInt k = 0; k < n; ++k) p->column[k] = b->id_dof[b->row_id[k]] / p->uniform;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of dofs in a list of all columns, for COO. */
static PetscErrorCode list_columns(RungPatternBuild *b)
{
  const RungPattern p         = b->p;
  PetscInt         *column[2] = {NULL, NULL};

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(b->layout->data.owned + 1, &p->row_start));
  PetscCall(RungScratch1(p->entries[0] + p->entries[1], &p->column));
  column[0] = p->column;
  RungPatternFillColumns(b, p->row_start, NULL, column);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of dofs of AIJ, owned columns and others apart.  Where a block is a number, on one rank, rows of blocks are rows of
   dofs. */
static PetscErrorCode create_rows(RungPatternBuild *b)
{
  const RungPattern p = b->p;
  PetscMPIInt       size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(b->layout->data.comm, &size));
  if (p->uniform == 1 && size == 1) {
    b->start[0]  = b->row_start;
    b->column[0] = b->row_id;
    b->row_start = b->row_id = NULL;
  } else {
    for (int part = 0; part < 2; ++part) {
      PetscCall(PetscMalloc1(b->layout->data.owned + 1, &b->start[part]));
      PetscCall(RungScratch1(p->entries[part], &b->column[part]));
    }
    RungPatternFillColumns(b, b->start[0], b->start[1], b->column);
  }
  PetscCall(RungFormatCreateRows(p, b->start, b->column, &b->J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_offsets(RungPatternBuild *b, const PetscInt ghost_start[], const PetscInt ghost_id[])
{
  RungPattern  p = b->p;
  const size_t n = (size_t)b->layout->data.cells * (size_t)(b->width * b->width);
  PetscInt     longest;

  PetscFunctionBegin;
  PetscCall(RungPatternLongest(b, &longest));
  for (PetscInt g = 0; g < p->blocks - p->owned; ++g)
    longest = PetscMax(longest, RungRowLength(b, ghost_start[g + 1] - ghost_start[g], ghost_id + ghost_start[g]));
  p->unit         = PetscMax(1, p->uniform);
  p->offset_bytes = longest / p->unit <= UINT8_MAX + 1 ? 1 : longest / p->unit <= UINT16_MAX + 1 ? 2 : 4;
  PetscCall(RungScratch1(b->ids, &b->where));
  PetscCall(PetscMalloc(n * (size_t)p->offset_bytes + RUNG_OFFSET_PAD, &p->offset));
  memset((char *)p->offset + n * (size_t)p->offset_bytes, 0, RUNG_OFFSET_PAD);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPatternCreate(RungLayout layout, RungMatFormat format, const PetscBool couple[],
                                 const PetscBool fixed[], RungPattern *pattern, Mat *J)
{
  RUNG_OWNED(end_build) RungPatternBuild b           = {.layout = layout};
  RUNG_FREE PetscInt                    *ghost_start = NULL, *ghost_id = NULL, *sent = NULL, *received = NULL;

  PetscFunctionBegin;
  PetscCall(PetscNew(&b.p));
  b.p->refct  = 1;
  b.p->format = format;
  PetscCall(start_build(layout, couple, fixed, &b));
  PetscCall(set_blocks(&b));
  PetscCall(set_around(&b));
  PetscCall(RungPatternFacetsCreate(&b));
  PetscCall(send_ghosts(&b, &ghost_start, &ghost_id));
  PetscCall(RungPatternValueExchange(&b, ghost_start, ghost_id, &sent, &received));
  PetscCall(RungPatternShareFixed(&b));
  PetscCall(RungPatternStartRows(&b));
  PetscCall(create_offsets(&b, ghost_start, ghost_id));
  PetscCall(RungPatternFillOwned(&b, received));
  PetscCall(RungPatternFillGhosts(&b, sent, ghost_start, ghost_id));
  if (RungPatternHasBlocks(b.p)) {
    PetscCall(create_blocks(&b));
    PetscCall(RungPatternToBlocks(b.p, format == RUNG_MAT_SBAIJ ? PETSC_TRUE : PETSC_FALSE));
  } else if (format != RUNG_MAT_AIJ)
    PetscCall(list_columns(&b));
  PetscCall(RungPatternListFixed(&b, ghost_start, ghost_id));
  if (format == RUNG_MAT_AIJ) PetscCall(create_rows(&b));
  *pattern = b.p;
  *J       = b.J;
  b.p      = NULL;
  b.J      = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPatternDestroy(RungPattern *pattern)
{
  RungPattern p = *pattern;

  PetscFunctionBegin;
  *pattern = NULL;
  if (!p || --p->refct > 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungExchangeDestroy(&p->exchange));
  PetscCall(PetscFree(p->components));
  PetscCall(PetscFree(p->block_offset));
  PetscCall(PetscFree(p->couple));
  PetscCall(PetscFree(p->block_dof));
  if (p->unknowns > 1) PetscCall(PetscFree(p->cell_block));
  PetscCall(PetscFree(p->facet_slot));
  PetscCall(PetscFree(p->facet_couple));
  PetscCall(PetscFree(p->facet_block));
  PetscCall(PetscFree(p->facet_kind));
  PetscCall(PetscFree(p->facet_at));
  PetscCall(PetscFree(p->facet_position));
  PetscCall(PetscFree(p->offset));
  for (int part = 0; part < 2; ++part) {
    PetscCall(PetscFree(p->start[part]));
    PetscCall(PetscFree(p->stride[part]));
  }
  for (int array = 0; array < 3; ++array) PetscCall(PetscFree(p->clear[array]));
  PetscCall(PetscFree(p->tile));
  PetscCall(RungSomeDestroy(&p->some));
  PetscCall(PetscFree(p->other));
  PetscCall(PetscFree(p->page_cell));
  PetscCall(PetscFree(p->page_start));
  PetscCall(PetscFree(p->fixed_diagonal));
  PetscCall(PetscFree(p->send));
  PetscCall(PetscFree(p->receive));
  PetscCall(PetscFree(p->target));
  for (int part = 0; part < 2; ++part) PetscCall(PetscFree(p->lower[part]));
  PetscCall(PetscFree(p->row_start));
  PetscCall(RungScratchFree(&p->column));
  PetscCall(RungLayoutDestroy(&p->layout));
  PetscCall(PetscFree(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}
