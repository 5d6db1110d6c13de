/* pattern.c - the nonzero pattern of a layout's matrix, and where the entries of every cell go in it.

   Rows are made block by block (a block: one node of one unknown), from the cells around the block: a stamp tells which
   columns a row already has, so the work is that of visiting each pair of blocks of each cell twice.  A row of another
   rank's block is sent to its owner once, as a list of columns; the owner merges it.  Columns have ids: the local
   blocks, then the foreign ones that only rows received from others know. */
#include "pattern_impl.h"

/* ---- blocks ------------------------------------------------------------------------------------------------- */

static PetscErrorCode set_blocks(RungPatternBuild *b)
{
  const RungLayoutData *data = &b->layout->data;
  RungPattern           p    = b->p;
  PetscInt             *base[2], n = 0; /* [owned, ghost][unknown] first block */

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(data->unknowns, &base[0], data->unknowns, &base[1]));
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
  PetscCall(PetscMalloc1(data->cells * b->width, &p->cell_block));
  for (PetscInt f = 0; f < data->unknowns; ++f) {
    const RungSpaceData *s = &b->layout->space[f]->data;

    for (PetscInt i = 0; i < s->nodes; ++i)
      p->block_dof[i < s->owned ? base[0][f] + i : base[1][f] + i - s->owned] = RungLayoutDof(b->layout, f, i, 0);
    for (PetscInt c = 0; c < data->cells; ++c)
      for (PetscInt i = 0; i < s->cell_nodes; ++i) {
        const PetscInt node = s->cell_node[c * s->cell_nodes + i];

        p->cell_block[c * b->width + p->block_offset[f] + i] = node < s->owned ? base[0][f] + node
                                                                               : base[1][f] + node - s->owned;
      }
  }
  PetscCall(PetscFree2(base[0], base[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells around every block, as cell * width + place in the cell. */
static PetscErrorCode set_around(RungPatternBuild *b)
{
  const PetscInt n = b->layout->data.cells * b->width;
  PetscInt      *next;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(b->p->blocks + 1, &b->around_start));
  PetscCall(PetscMalloc1(n, &b->around));
  PetscCall(PetscMalloc1(b->p->blocks, &next));
  for (PetscInt i = 0; i < n; ++i) ++b->around_start[b->p->cell_block[i] + 1];
  for (PetscInt r = 0; r < b->p->blocks; ++r) {
    b->around_start[r + 1] += b->around_start[r];
    next[r] = b->around_start[r];
  }
  for (PetscInt i = 0; i < n; ++i) b->around[next[b->p->cell_block[i]]++] = i;
  PetscCall(PetscFree(next));
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

/* ---- rows --------------------------------------------------------------------------------------------------- */

/* Room for `more` columns behind the n that are there; doubles, so that copies cost no more than the entries. */
static PetscErrorCode reserve(RungPatternBuild *b, PetscInt n, PetscInt more)
{
  PetscFunctionBegin;
  if (n + more <= b->room) PetscFunctionReturn(PETSC_SUCCESS);
  b->room = 2 * (n + more);
  PetscCall(PetscRealloc(sizeof *b->row_id * (size_t)b->room, &b->row_id));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Appends a column unless the row has it; room is reserved. */
static inline void add_column(RungPatternBuild *b, PetscInt row, PetscInt id, PetscInt *n)
{
  if (b->stamp[id] == row) return;
  b->stamp[id]      = row;
  b->row_id[(*n)++] = id;
}

/* The same for m columns.  Every id is written behind the row, and stays if it is new: no branch to guess. */
static void add_columns(RungPatternBuild *b, PetscInt row, PetscInt m, const PetscInt id[], PetscInt *n)
{
  PetscInt *stamp = b->stamp, *to = b->row_id, end = *n;

  for (PetscInt j = 0; j < m; ++j) {
    to[end] = id[j];
    end += stamp[id[j]] != row;
    stamp[id[j]] = row;
  }
  *n = end;
}

/* Appends the columns that the cells around a block couple it to. */
static PetscErrorCode add_row(RungPatternBuild *b, PetscInt row, PetscInt *n)
{
  RungPattern p = b->p;

  PetscFunctionBegin;
  /* a global number is in every cell, but no row has more columns than there are; one to write behind */
  PetscCall(
    reserve(b, *n,
            1 + PetscMin((b->around_start[row + 1] - b->around_start[row]) * b->width + RungPatternFacetsRoom(b, row),
                         b->ids)));
  for (PetscInt k = b->around_start[row]; k < b->around_start[row + 1]; ++k) {
    const PetscInt  cell = b->around[k] / b->width, f = b->unknown[b->around[k] - cell * b->width];
    const PetscInt *block = &p->cell_block[cell * b->width];

    if (p->full) {
      add_columns(b, row, b->width, block, n);
      continue;
    }
    for (PetscInt g = 0; g < p->unknowns; ++g)
      if (p->couple[f * p->unknowns + g])
        add_columns(b, row, p->block_offset[g + 1] - p->block_offset[g], block + p->block_offset[g], n);
  }
  RungPatternFacetsAddRow(b, row, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sorts rows that have owned columns alone, whose order is that of their ids, without comparing: row r is appended to the
   rows of its columns, for r = 0, 1, ..  That gives the transposed pattern, which is the pattern.
   In  inside[row] these rows;  Out inside[row] becomes false where the transposed row has another length */
static PetscErrorCode sort_by_transposition(RungPatternBuild *b, PetscBool inside[])
{
  const PetscInt  rows = b->p->owned;
  const PetscInt *id = b->row_id, *start = b->row_start;
  PetscInt       *sorted, *end;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(start[rows], &sorted));
  PetscCall(PetscMalloc1(rows, &end));
  PetscCall(PetscArraycpy(end, start, rows));
  for (PetscInt r = 0; r < rows; ++r)
    for (PetscInt k = start[r]; k < start[r + 1]; ++k)
      if (id[k] < rows && end[id[k]] < start[id[k] + 1]) sorted[end[id[k]]++] = r;
  for (PetscInt r = 0; r < rows; ++r) {
    if (end[r] < start[r + 1]) inside[r] = PETSC_FALSE;
    if (!inside[r]) PetscCall(PetscArraycpy(sorted + start[r], id + start[r], start[r + 1] - start[r]));
  }
  PetscCall(PetscFree(end));
  PetscCall(PetscFree(b->row_id));
  b->row_id = sorted;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns of all rows in the order of their global numbers. */
static PetscErrorCode sort_rows(RungPatternBuild *b)
{
  const PetscInt   n      = b->p->unknowns;
  const PetscBool *facets = b->p->facet_couple;
  PetscBool       *inside, symmetric = PETSC_TRUE;
  PetscInt        *key;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < n; ++f)
    for (PetscInt g = 0; g < f; ++g)
      if (b->p->couple[f * n + g] != b->p->couple[g * n + f] || (facets && facets[f * n + g] != facets[g * n + f]))
        symmetric = PETSC_FALSE;
  PetscCall(PetscMalloc1(b->p->owned, &inside));
  for (PetscInt r = 0; r < b->p->owned; ++r) {
    inside[r] = symmetric;
    for (PetscInt k = b->row_start[r]; k < b->row_start[r + 1]; ++k)
      if (b->row_id[k] >= b->p->owned) inside[r] = PETSC_FALSE;
  }
  if (symmetric) PetscCall(sort_by_transposition(b, inside));
  PetscCall(PetscMalloc1(b->ids, &key));
  for (PetscInt r = 0; r < b->p->owned; ++r) {
    const PetscInt length = b->row_start[r + 1] - b->row_start[r];
    PetscInt      *id     = b->row_id + b->row_start[r];

    if (inside[r]) continue;
    for (PetscInt k = 0; k < length; ++k) key[k] = b->id_dof[id[k]];
    PetscCall(PetscSortIntWithArray(length, key, id));
  }
  PetscCall(PetscFree(key));
  PetscCall(PetscFree(inside));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_owned_rows(RungPatternBuild *b)
{
  PetscInt n = 0;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < b->p->owned; ++r) {
    b->row_start[r] = n;
    PetscCall(reserve(b, n, 1));
    add_column(b, r, r, &n); /* the diagonal is always there */
    PetscCall(add_row(b, r, &n));
    for (PetscInt q = b->received ? b->received_head[r] : -1; q >= 0; q = b->received_next[q]) {
      PetscCall(reserve(b, n, b->received_start[q + 1] - b->received_start[q]));
      for (PetscInt k = b->received_start[q]; k < b->received_start[q + 1]; ++k)
        add_column(b, r, b->received_id[k], &n);
    }
  }
  b->row_start[b->p->owned] = n;
  PetscCall(sort_rows(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of ghost blocks, in arrays of their own: start[ghost + 1], id. */
static PetscErrorCode make_ghost_rows(RungPatternBuild *b, PetscInt **start, PetscInt **id)
{
  const PetscInt ghosts = b->p->blocks - b->p->owned;
  PetscInt       n      = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(ghosts + 1, start));
  for (PetscInt g = 0; g < ghosts; ++g) {
    (*start)[g] = n;
    PetscCall(add_row(b, b->p->owned + g, &n));
  }
  (*start)[ghosts] = n;
  PetscCall(PetscMalloc1(n, id));
  PetscCall(PetscArraycpy(*id, b->row_id, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RungRowLength(const RungPatternBuild *b, PetscInt n, const PetscInt id[])
{
  PetscInt length = 0;

  if (b->p->uniform) return n * b->p->uniform;
  for (PetscInt k = 0; k < n; ++k) length += b->id_components[id[k]];
  return length;
}

/* ---- life --------------------------------------------------------------------------------------------------- */

/* Positions are 32-bit; so are PetscInt matrices of Debian.  Out longest: row, sent ones included */
static PetscErrorCode check_entries(const RungPatternBuild *b, const PetscInt ghost_start[], const PetscInt ghost_id[],
                                    PetscInt *entries, PetscInt *longest)
{
  PetscInt64 total = 0;

  PetscFunctionBegin;
  *longest = 0;
  for (PetscInt r = 0; r < b->p->owned; ++r) {
    const PetscInt length = RungRowLength(b, b->row_start[r + 1] - b->row_start[r], b->row_id + b->row_start[r]);

    total += (PetscInt64)b->id_components[r] * length;
    *longest = PetscMax(*longest, length);
  }
  for (PetscInt g = 0; g < b->p->blocks - b->p->owned; ++g)
    *longest = PetscMax(*longest, RungRowLength(b, ghost_start[g + 1] - ghost_start[g], ghost_id + ghost_start[g]));
  RungCheckAll(total <= INT32_MAX, b->layout->data.comm, PETSC_ERR_ARG_OUTOFRANGE,
               "a matrix would have %g entries on one rank, more than 2^31; use more ranks", (double)total);
  *entries = (PetscInt)total;
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
  if (fixed) {
    PetscCall(PetscMalloc1(data->local, &b->fixed));
    PetscCall(PetscArraycpy(b->fixed, fixed, data->local));
  }
  if (data->far) PetscCall(RungPatternFacetsShareFixed(b));
  for (PetscInt i = 0; b->fixed && i < data->local; ++i) some += b->fixed[i] ? 1 : 0;
  if (!some) PetscCall(PetscFree(b->fixed));
  PetscCall(PetscMalloc1(some, &p->fixed_diagonal));
  p->width     = p->block_offset[n];
  p->cell_dofs = data->cell_dofs;
  b->width     = p->width;
  PetscCall(PetscMalloc1(p->width, &p->other));
  PetscCall(PetscMalloc1(b->width, &b->unknown));
  for (PetscInt f = 0; f < n; ++f)
    for (PetscInt i = p->block_offset[f]; i < p->block_offset[f + 1]; ++i) b->unknown[i] = f;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end_build(RungPatternBuild *b)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(b->unknown));
  PetscCall(PetscFree(b->foreign_fixed));
  PetscCall(PetscFree(b->foreign_start));
  PetscCall(PetscFree(b->fixed));
  PetscCall(PetscFree(b->around_start));
  PetscCall(PetscFree(b->around));
  PetscCall(PetscFree(b->facet_start));
  PetscCall(PetscFree(b->facet));
  PetscCall(PetscFree(b->id_dof));
  PetscCall(PetscFree(b->id_components));
  PetscCall(PetscFree(b->stamp));
  PetscCall(PetscFree(b->where));
  PetscCall(PetscFree(b->row_start));
  PetscCall(PetscFree(b->row_id));
  PetscCall(PetscFree(b->received_start));
  PetscCall(PetscFree(b->received_id));
  PetscCall(PetscFree(b->received_head));
  PetscCall(PetscFree(b->received_next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode clear_stamps(RungPatternBuild *b)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(b->stamp));
  PetscCall(PetscMalloc1(b->ids, &b->stamp));
  for (PetscInt i = 0; i < b->ids; ++i) b->stamp[i] = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ghost rows, their journey, owned rows: all block rows are known afterwards. */
static PetscErrorCode make_rows(RungPatternBuild *b, PetscInt **ghost_start, PetscInt **ghost_id)
{
  RungPatternTravel travel;

  PetscFunctionBegin;
  b->room = 1024 + 16 * b->p->blocks;
  PetscCall(PetscMalloc1(b->room, &b->row_id));
  PetscCall(PetscMalloc1(b->p->blocks + 1, &b->row_start));
  PetscCall(RungPatternIds(b, 0, NULL));
  PetscCall(clear_stamps(b));
  PetscCall(make_ghost_rows(b, ghost_start, ghost_id));
  PetscCall(RungPatternSendRows(b, *ghost_start, *ghost_id, &travel));
  PetscCall(RungPatternTakeRows(b, &travel));
  for (int side = 0; side < 2; ++side) {
    PetscCall(PetscFree(travel.count[side]));
    PetscCall(PetscFree(travel.pair[side]));
  }
  PetscCall(clear_stamps(b));
  PetscCall(make_owned_rows(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_positions(RungPatternBuild *b, PetscInt longest)
{
  RungPattern  p = b->p;
  const size_t n = (size_t)b->layout->data.cells * (size_t)(b->width * b->width);

  PetscFunctionBegin;
  p->unit         = PetscMax(1, p->uniform);
  p->offset_bytes = longest / p->unit <= UINT8_MAX + 1 ? 1 : longest / p->unit <= UINT16_MAX + 1 ? 2 : 4;
  PetscCall(PetscMalloc1(b->ids, &b->where));
  PetscCall(PetscMalloc(n * (size_t)p->offset_bytes, &p->offset));
  for (int part = 0; part < 2; ++part) {
    PetscCall(PetscMalloc1(p->blocks, &p->start[part]));
    PetscCall(PetscMalloc1(p->blocks, &p->stride[part]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPatternCreate(RungLayout layout, const PetscBool couple[], const PetscBool fixed[],
                                 RungPattern *pattern, PetscInt **row_start, PetscInt **column)
{
  RungPatternBuild b = {.layout = layout};
  PetscInt         entries, longest, *ghost_start, *ghost_id, *sent, *received;

  PetscFunctionBegin;
  PetscCall(PetscNew(&b.p));
  b.p->refct = 1;
  PetscCall(start_build(layout, couple, fixed, &b));
  PetscCall(set_blocks(&b));
  PetscCall(set_around(&b));
  PetscCall(RungPatternFacetsCreate(&b));
  PetscCall(make_rows(&b, &ghost_start, &ghost_id));
  PetscCall(check_entries(&b, ghost_start, ghost_id, &entries, &longest));
  PetscCall(RungPatternValueExchange(&b, ghost_start, ghost_id, &sent, &received));
  PetscCall(RungPatternShareFixed(&b));
  PetscCall(create_positions(&b, longest));
  PetscCall(PetscMalloc1(layout->data.owned + 1, row_start));
  PetscCall(PetscMalloc1(entries, column));
  PetscCall(RungPatternFillOwned(&b, received, *row_start, *column));
  PetscCall(RungPatternFillGhosts(&b, sent, ghost_start, ghost_id));
  PetscCall(PetscFree(ghost_start));
  PetscCall(PetscFree(ghost_id));
  PetscCall(PetscFree(sent));
  PetscCall(PetscFree(received));
  PetscCall(end_build(&b));
  *pattern = b.p;
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
  PetscCall(PetscFree(p->cell_block));
  PetscCall(PetscFree(p->facet_slot));
  PetscCall(PetscFree(p->facet_couple));
  PetscCall(PetscFree(p->facet_block));
  PetscCall(PetscFree(p->facet_position));
  PetscCall(PetscFree(p->offset));
  for (int part = 0; part < 2; ++part) {
    PetscCall(PetscFree(p->start[part]));
    PetscCall(PetscFree(p->stride[part]));
  }
  for (int array = 0; array < 3; ++array) PetscCall(PetscFree(p->clear[array]));
  PetscCall(PetscFree(p->tile));
  PetscCall(PetscFree(p->other));
  PetscCall(PetscFree(p->page_key));
  PetscCall(PetscFree(p->page_start));
  PetscCall(PetscFree(p->fixed_diagonal));
  PetscCall(PetscFree(p->send));
  PetscCall(PetscFree(p->receive));
  PetscCall(PetscFree(p->target));
  for (int part = 0; part < 2; ++part) PetscCall(PetscFree(p->lower[part]));
  PetscCall(PetscFree(p->row_start));
  PetscCall(PetscFree(p->column));
  PetscCall(RungLayoutDestroy(&p->layout));
  PetscCall(PetscFree(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}
