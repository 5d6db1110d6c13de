/* pattern.c - the nonzero pattern of a layout's matrix, and where the entries of every cell go in it.

   Rows are made block by block (a block: one node of one unknown), from the cells around the block: a stamp tells which
   columns a row already has, so the work is that of visiting each pair of blocks of each cell twice.  A row of another
   rank's block is sent to its owner once, as a list of columns; the owner merges it.  Columns have ids: the local
   blocks, then the foreign ones that only rows received from others know. */
#include "fe_space_impl.h"

typedef struct {
  RungLayout  layout;
  RungPattern p;
  PetscInt    width;                    /* blocks of a cell                                              */
  PetscInt   *unknown;                  /* owned, [cell block]                                           */
  PetscInt   *around_start, *around;    /* owned, [block + 1] into cell * width + i, the places of a block */
  PetscInt    ids;                      /* blocks and foreign columns                                    */
  PetscInt   *id_dof, *id_components;   /* owned, [id] first global dof                                  */
  PetscInt   *stamp, *where;            /* owned, [id] the row that has the column; its offset there     */
  PetscInt   *row_start, *row_id, room; /* owned, [block + 1] columns of block rows; room of row_id      */
  /* received rows of blocks of this rank */
  PetscInt  received;       /* rows                                                          */
  PetscInt *received_start; /* owned, [received + 1] into received_id                        */
  PetscInt *received_id;    /* owned, columns                                                */
  PetscInt *received_head;  /* owned, [owned block] first received row of the block or -1    */
  PetscInt *received_next;  /* owned, [received row]                                         */
} Build;

/* ---- blocks --------------------------------------------------------------------------------------------------------
 */

static PetscErrorCode set_blocks(Build *b)
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
  PetscCall(PetscMalloc1(n, &p->block_dof));
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

/* The unknown that a local dof belongs to. */
static PetscInt unknown_of_dof(const RungLayoutData *data, PetscInt dof)
{
  PetscInt f = 0;

  if (dof < data->owned)
    while (dof >= data->range[f + 1]) ++f;
  else
    while (dof >= data->ghost[f + 1]) ++f;
  return f;
}

/* Cells around every block, as cell * width + place in the cell. */
static PetscErrorCode set_around(Build *b)
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

/* Ids of the local blocks; foreign ones come with the received rows. */
static PetscErrorCode set_ids(Build *b, PetscInt foreign, const PetscInt foreign_dof[])
{
  const RungLayoutData *data = &b->layout->data;

  PetscFunctionBegin;
  b->ids = b->p->blocks + foreign;
  PetscCall(PetscMalloc1(b->ids, &b->id_dof));
  PetscCall(PetscCalloc1(b->ids, &b->id_components));
  for (PetscInt i = 0; i < b->p->blocks; ++i) {
    b->id_dof[i]        = data->global[b->p->block_dof[i]];
    b->id_components[i] = b->p->components[unknown_of_dof(data, b->p->block_dof[i])];
  }
  for (PetscInt i = 0; i < foreign; ++i) b->id_dof[b->p->blocks + i] = foreign_dof[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rows ----------------------------------------------------------------------------------------------------------
 */

static PetscErrorCode add_column(Build *b, PetscInt row, PetscInt id, PetscInt *n)
{
  if (b->stamp[id] == row) return PETSC_SUCCESS;
  b->stamp[id] = row;
  if (*n == b->room) { /* doubles, so that the copies cost no more than the entries */
    PetscInt *larger;

    PetscCall(PetscMalloc1(2 * b->room, &larger));
    PetscCall(PetscArraycpy(larger, b->row_id, *n));
    PetscCall(PetscFree(b->row_id));
    b->row_id = larger;
    b->room *= 2;
  }
  b->row_id[(*n)++] = id;
  return PETSC_SUCCESS;
}

/* Appends the columns that the cells around a block couple it to. */
static PetscErrorCode add_row(Build *b, PetscInt row, PetscInt *n)
{
  RungPattern p = b->p;

  for (PetscInt k = b->around_start[row]; k < b->around_start[row + 1]; ++k) {
    const PetscInt  cell = b->around[k] / b->width, f = b->unknown[b->around[k] % b->width];
    const PetscInt *block = &p->cell_block[cell * b->width];

    for (PetscInt g = 0; g < p->unknowns; ++g)
      for (PetscInt j = p->block_offset[g]; p->couple[f * p->unknowns + g] && j < p->block_offset[g + 1]; ++j)
        PetscCall(add_column(b, row, block[j], n));
  }
  return PETSC_SUCCESS;
}

/* Columns of a row in the order of their global numbers.  Owned blocks are numbered as their dofs. */
static PetscErrorCode sort_row(const Build *b, PetscInt n, PetscInt id[], PetscInt key[])
{
  PetscBool inside = PETSC_TRUE;

  for (PetscInt k = 0; k < n; ++k) {
    key[k] = b->id_dof[id[k]];
    inside = (PetscBool)(inside && id[k] < b->p->owned);
  }
  if (inside)
    PetscCall(PetscSortInt(n, id));
  else
    PetscCall(PetscSortIntWithArray(n, key, id));
  return PETSC_SUCCESS;
}

static PetscErrorCode make_owned_rows(Build *b)
{
  PetscInt n = 0, *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(b->ids, &key));
  for (PetscInt r = 0; r < b->p->owned; ++r) {
    b->row_start[r] = n;
    PetscCall(add_column(b, r, r, &n)); /* the diagonal is always there */
    PetscCall(add_row(b, r, &n));
    for (PetscInt q = b->received ? b->received_head[r] : -1; q >= 0; q = b->received_next[q])
      for (PetscInt k = b->received_start[q]; k < b->received_start[q + 1]; ++k)
        PetscCall(add_column(b, r, b->received_id[k], &n));
    PetscCall(sort_row(b, n - b->row_start[r], b->row_id + b->row_start[r], key));
  }
  b->row_start[b->p->owned] = n;
  PetscCall(PetscFree(key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of ghost blocks, in arrays of their own: start[ghost + 1], id. */
static PetscErrorCode make_ghost_rows(Build *b, PetscInt **start, PetscInt **id)
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

/* ---- rows of other ranks -------------------------------------------------------------------------------------------
 */

/* What travels: per ghost dof that begins a block, its columns as pairs (first global dof, components). */
typedef struct {
  PetscInt *count[2]; /* owned, [side][place of the layout's exchange] columns of the block, 0 for its other dofs */
  PetscInt  columns[2];
  PetscInt *pair[2]; /* owned, [side][column][2]                                                                 */
} Travel;

/* The ghost block that begins at a ghost dof, or -1. */
static PetscInt ghost_block_at(const Build *b, PetscInt ghost_dof)
{
  const PetscInt ghosts = b->p->blocks - b->p->owned;
  PetscInt       at;

  if (PetscFindInt(b->layout->data.owned + ghost_dof, ghosts, b->p->block_dof + b->p->owned, &at)) return -1;
  return at;
}

static PetscErrorCode send_rows(Build *b, const PetscInt start[], const PetscInt id[], Travel *t)
{
  RungExchange  *ex  = b->layout->exchange, *columns;
  const PetscInt out = ex->start[RUNG_GHOSTS][ex->n[RUNG_GHOSTS]], in = ex->start[RUNG_OWNERS][ex->n[RUNG_OWNERS]];
  PetscInt       n = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(out, &t->count[RUNG_GHOSTS]));
  PetscCall(PetscCalloc1(in, &t->count[RUNG_OWNERS]));
  PetscCall(PetscMalloc1(2 * start[b->p->blocks - b->p->owned], &t->pair[RUNG_GHOSTS]));
  for (PetscInt q = 0; q < out; ++q) {
    const PetscInt g = ghost_block_at(b, ex->item[RUNG_GHOSTS][q]);

    if (g < 0) continue;
    t->count[RUNG_GHOSTS][q] = start[g + 1] - start[g];
    for (PetscInt k = start[g]; k < start[g + 1]; ++k) {
      t->pair[RUNG_GHOSTS][n++] = b->id_dof[id[k]];
      t->pair[RUNG_GHOSTS][n++] = b->id_components[id[k]];
    }
  }
  PetscCall(RungExchangeRun(ex, RUNG_GHOSTS, MPIU_INT, 1, t->count[RUNG_GHOSTS], t->count[RUNG_OWNERS]));
  PetscCall(RungExchangeExpand(ex, (const PetscInt *const *)t->count, &columns));
  for (int side = 0; side < 2; ++side) t->columns[side] = columns->start[side][columns->n[side]];
  PetscCall(PetscMalloc1(2 * t->columns[RUNG_OWNERS], &t->pair[RUNG_OWNERS]));
  PetscCall(RungExchangeRun(columns, RUNG_GHOSTS, MPIU_INT, 2, t->pair[RUNG_GHOSTS], t->pair[RUNG_OWNERS]));
  PetscCall(RungExchangeDestroy(&columns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt owned_block(const Build *b, PetscInt dof)
{
  const RungLayoutData *data = &b->layout->data;
  const PetscInt        f    = unknown_of_dof(data, dof);
  PetscInt              at   = (dof - data->range[f]) / b->p->components[f];

  for (PetscInt g = 0; g < f; ++g) at += (data->range[g + 1] - data->range[g]) / b->p->components[g];
  return at;
}

/* The id of a column known by its global dof, or -1.  Ghosts of one unknown ascend by global number. */
static PetscErrorCode find_column(const Build *b, PetscInt dof, PetscInt foreign, const PetscInt foreign_dof[],
                                  PetscInt *id)
{
  const RungLayoutData *data = &b->layout->data;
  PetscInt              at, base = b->p->owned;

  PetscFunctionBegin;
  *id = -1;
  if (dof >= data->start && dof < data->start + data->owned) {
    *id = owned_block(b, dof - data->start);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt f = 0; f < data->unknowns && *id < 0; ++f) {
    const PetscInt n = data->ghost[f + 1] - data->ghost[f], *ghosts = data->global + data->ghost[f];

    PetscCall(PetscFindInt(dof, n, ghosts, &at));
    if (at >= 0) *id = base + at / b->p->components[f];
    base += n / b->p->components[f];
  }
  if (*id >= 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFindInt(dof, foreign, foreign_dof, &at));
  if (at >= 0) *id = b->p->blocks + at;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Foreign columns get ids; received rows are chained to the blocks they add to, in rank order. */
static PetscErrorCode take_rows(Build *b, const Travel *t)
{
  const RungExchange *ex = b->layout->exchange;
  const PetscInt      in = ex->start[RUNG_OWNERS][ex->n[RUNG_OWNERS]], n = t->columns[RUNG_OWNERS];
  PetscInt            foreign = 0, *dof, id, k = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &dof));
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(find_column(b, t->pair[RUNG_OWNERS][2 * i], 0, NULL, &id));
    if (id < 0) dof[foreign++] = t->pair[RUNG_OWNERS][2 * i];
  }
  PetscCall(PetscSortRemoveDupsInt(&foreign, dof));
  PetscCall(PetscFree(b->id_dof));
  PetscCall(PetscFree(b->id_components));
  PetscCall(set_ids(b, foreign, dof));
  PetscCall(PetscMalloc1(n, &b->received_id));
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(find_column(b, t->pair[RUNG_OWNERS][2 * i], foreign, dof, &b->received_id[i]));
    b->id_components[b->received_id[i]] = t->pair[RUNG_OWNERS][2 * i + 1];
  }
  b->received = in;
  PetscCall(PetscMalloc1(in + 1, &b->received_start));
  PetscCall(PetscMalloc1(in, &b->received_next));
  PetscCall(PetscMalloc1(b->p->owned, &b->received_head));
  for (PetscInt r = 0; r < b->p->owned; ++r) b->received_head[r] = -1;
  for (PetscInt q = 0; q < in; ++q) {
    const PetscInt r = owned_block(b, ex->item[RUNG_OWNERS][q]);

    b->received_start[q] = k;
    k += t->count[RUNG_OWNERS][q];
    b->received_next[q] = t->count[RUNG_OWNERS][q] ? b->received_head[r] : -1;
    if (t->count[RUNG_OWNERS][q]) b->received_head[r] = q;
  }
  b->received_start[in] = k;
  PetscCall(PetscFree(dof));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- positions -----------------------------------------------------------------------------------------------------
 */

/* where[id] = offset of each column in its part of the row; length[0] owned (or all) columns, length[1] others. */
static void place_columns(Build *b, PetscBool split, PetscInt n, const PetscInt id[], PetscInt length[2])
{
  length[0] = length[1] = 0;
  for (PetscInt k = 0; k < n; ++k) {
    const int part = split && id[k] >= b->p->owned;

    b->where[id[k]] = length[part];
    length[part] += b->id_components[id[k]];
  }
}

/* Positions of the pairs (row, j) in all cells around the row; the columns are placed. */
static void set_positions(Build *b, PetscBool split, PetscInt row, const PetscInt base[2])
{
  RungPattern p = b->p;

  for (PetscInt k = b->around_start[row]; k < b->around_start[row + 1]; ++k) {
    const PetscInt  f     = b->unknown[b->around[k] % b->width];
    const PetscInt *block = &p->cell_block[b->around[k] / b->width * b->width];
    int32_t        *to    = &p->position[(size_t)b->around[k] * (size_t)b->width];

    for (PetscInt g = 0; g < p->unknowns; ++g)
      for (PetscInt j = p->block_offset[g]; p->couple[f * p->unknowns + g] && j < p->block_offset[g + 1]; ++j)
        to[j] = (int32_t)(base[split && block[j] >= p->owned] + b->where[block[j]]);
  }
}

/* Targets of the rows that other ranks send for a block; value[place]: where a row starts in the receive buffer. */
static void set_targets(Build *b, PetscInt row, const PetscInt base[2], const PetscInt length[2],
                        const PetscInt value[])
{
  for (PetscInt q = b->received ? b->received_head[row] : -1; q >= 0; q = b->received_next[q]) {
    PetscInt n = value[q];

    for (PetscInt a = 0; a < b->id_components[row]; ++a)
      for (PetscInt k = b->received_start[q]; k < b->received_start[q + 1]; ++k) {
        const PetscInt id   = b->received_id[k];
        const int      part = id >= b->p->owned;

        for (PetscInt c = 0; c < b->id_components[id]; ++c) {
          const int32_t at  = (int32_t)(base[part] + a * length[part] + b->where[id] + c);
          b->p->target[n++] = part ? -1 - at : at;
        }
      }
  }
}

/* The matrix's rows in dofs: row_start[owned dof + 1], column[] global; positions of all cells in it. */
static PetscErrorCode fill_owned_rows(Build *b, const PetscInt value[], PetscInt row_start[], PetscInt column[])
{
  RungPattern p    = b->p;
  PetscInt    next = 0, base[2] = {0, 0}, length[2];

  PetscFunctionBegin;
  for (PetscInt r = 0; r < p->owned; ++r) {
    const PetscInt *id = b->row_id + b->row_start[r], n = b->row_start[r + 1] - b->row_start[r];

    place_columns(b, PETSC_TRUE, n, id, length);
    set_positions(b, PETSC_TRUE, r, base);
    set_targets(b, r, base, length, value);
    for (int part = 0; part < 2; ++part) p->stride[part][r] = (int32_t)length[part];
    for (PetscInt a = 0; a < b->id_components[r]; ++a) {
      const PetscInt dof = p->block_dof[r] + a;

      row_start[dof] = next;
      for (PetscInt k = 0; k < n; ++k)
        for (PetscInt c = 0; c < b->id_components[id[k]]; ++c) column[next++] = b->id_dof[id[k]] + c;
      if (p->fixed && p->fixed[dof])
        p->fixed_diagonal[p->fixed_count++] = (int32_t)(base[0] + a * length[0] + b->where[r] + a);
    }
    for (int part = 0; part < 2; ++part) base[part] += b->id_components[r] * length[part];
  }
  row_start[b->layout->data.owned] = next;
  for (int part = 0; part < 2; ++part) p->entries[part] = base[part];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void fill_ghost_rows(Build *b, const PetscInt value[], const PetscInt start[], const PetscInt id[])
{
  RungPattern p = b->p;

  for (PetscInt g = 0; g < p->blocks - p->owned; ++g) {
    const PetscInt base[2] = {value[g], 0};
    PetscInt       length[2];

    place_columns(b, PETSC_FALSE, start[g + 1] - start[g], id + start[g], length);
    set_positions(b, PETSC_FALSE, p->owned + g, base);
    p->stride[0][p->owned + g] = (int32_t)length[0];
    p->stride[1][p->owned + g] = 0;
  }
}

static PetscInt row_length(const Build *b, PetscInt n, const PetscInt id[])
{
  PetscInt length = 0;

  for (PetscInt k = 0; k < n; ++k) length += b->id_components[id[k]];
  return length;
}

/* The exchange of values: where the row of every place of the dof exchange starts on either side.
   Out  sent[ghost block], received[place]; the caller's */
static PetscErrorCode set_value_exchange(Build *b, const PetscInt start[], const PetscInt id[], PetscInt **sent,
                                         PetscInt **received)
{
  RungExchange         *ex   = b->layout->exchange;
  const RungLayoutData *data = &b->layout->data;
  const PetscInt        n[2] = {ex->start[0][ex->n[0]], ex->start[1][ex->n[1]]};
  PetscInt             *count[2], total = 0, length = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n[0], &count[0], n[1], &count[1]));
  PetscCall(PetscMalloc1(b->p->blocks - b->p->owned, sent));
  PetscCall(PetscMalloc1(n[RUNG_OWNERS], received));
  for (PetscInt q = 0; q < n[RUNG_GHOSTS]; ++q) {
    const PetscInt g = ghost_block_at(b, ex->item[RUNG_GHOSTS][q]);

    if (g >= 0) {
      length     = row_length(b, start[g + 1] - start[g], id + start[g]);
      (*sent)[g] = total;
    }
    count[RUNG_GHOSTS][q] = length;
    total += length;
  }
  total = 0;
  for (PetscInt q = 0; q < n[RUNG_OWNERS]; ++q) {
    const PetscInt dof = ex->item[RUNG_OWNERS][q], f = unknown_of_dof(data, dof);

    if ((dof - data->range[f]) % b->p->components[f] == 0)
      length = row_length(b, b->received_start[q + 1] - b->received_start[q], b->received_id + b->received_start[q]);
    (*received)[q]        = total;
    count[RUNG_OWNERS][q] = length;
    total += length;
  }
  PetscCall(RungExchangeExpand(ex, (const PetscInt *const *)count, &b->p->exchange));
  PetscCall(PetscMalloc1(b->p->exchange->start[RUNG_GHOSTS][ex->n[RUNG_GHOSTS]], &b->p->send));
  PetscCall(PetscMalloc1(total, &b->p->receive));
  PetscCall(PetscMalloc1(total, &b->p->target));
  PetscCall(PetscFree2(count[0], count[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- life ----------------------------------------------------------------------------------------------------------
 */

/* Positions are 32-bit; so are PetscInt matrices of Debian. */
static PetscErrorCode check_entries(const Build *b, PetscInt *entries)
{
  PetscInt64 total = 0;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < b->p->owned; ++r)
    total += (PetscInt64)b->id_components[r] *
             row_length(b, b->row_start[r + 1] - b->row_start[r], b->row_id + b->row_start[r]);
  RungCheckAll(total <= INT32_MAX, b->layout->data.comm, PETSC_ERR_ARG_OUTOFRANGE,
               "a matrix would have %g entries on one rank, more than 2^31; use more ranks", (double)total);
  *entries = (PetscInt)total;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_interior(RungPattern p, const RungLayoutData *data)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(data->cells, &p->interior));
  for (PetscInt c = 0; c < data->cells; ++c) {
    const PetscInt *dof = &data->cell_dof[c * data->cell_dofs];

    p->interior[c] = PETSC_TRUE;
    for (PetscInt i = 0; i < data->cell_dofs; ++i)
      if (dof[i] >= data->owned || (p->fixed && p->fixed[dof[i]])) p->interior[c] = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode start_build(RungLayout layout, const PetscBool couple[], const PetscBool fixed[], Build *b)
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
  for (PetscInt i = 0; fixed && i < data->local; ++i) some += fixed[i] ? 1 : 0;
  if (some) {
    PetscCall(PetscMalloc1(data->local, &p->fixed));
    PetscCall(PetscArraycpy(p->fixed, fixed, data->local));
  }
  PetscCall(PetscMalloc1(some, &p->fixed_diagonal));
  b->width = p->block_offset[n];
  PetscCall(PetscMalloc1(b->width, &b->unknown));
  for (PetscInt f = 0; f < n; ++f)
    for (PetscInt i = p->block_offset[f]; i < p->block_offset[f + 1]; ++i) b->unknown[i] = f;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end_build(Build *b)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(b->unknown));
  PetscCall(PetscFree(b->around_start));
  PetscCall(PetscFree(b->around));
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

static PetscErrorCode clear_stamps(Build *b)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(b->stamp));
  PetscCall(PetscMalloc1(b->ids, &b->stamp));
  for (PetscInt i = 0; i < b->ids; ++i) b->stamp[i] = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ghost rows, their journey, owned rows: all block rows are known afterwards. */
static PetscErrorCode make_rows(Build *b, PetscInt **ghost_start, PetscInt **ghost_id)
{
  Travel travel;

  PetscFunctionBegin;
  b->room = 1024 + 16 * b->p->blocks;
  PetscCall(PetscMalloc1(b->room, &b->row_id));
  PetscCall(PetscMalloc1(b->p->blocks + 1, &b->row_start));
  PetscCall(set_ids(b, 0, NULL));
  PetscCall(clear_stamps(b));
  PetscCall(make_ghost_rows(b, ghost_start, ghost_id));
  PetscCall(send_rows(b, *ghost_start, *ghost_id, &travel));
  PetscCall(take_rows(b, &travel));
  for (int side = 0; side < 2; ++side) {
    PetscCall(PetscFree(travel.count[side]));
    PetscCall(PetscFree(travel.pair[side]));
  }
  PetscCall(clear_stamps(b));
  PetscCall(make_owned_rows(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPatternCreate(RungLayout layout, const PetscBool couple[], const PetscBool fixed[],
                                 RungPattern *pattern, PetscInt **row_start, PetscInt **column)
{
  Build    b = {.layout = layout};
  PetscInt entries, *ghost_start, *ghost_id, *sent, *received;

  PetscFunctionBegin;
  PetscCall(PetscNew(&b.p));
  b.p->refct = 1;
  PetscCall(start_build(layout, couple, fixed, &b));
  PetscCall(set_blocks(&b));
  PetscCall(set_around(&b));
  PetscCall(make_rows(&b, &ghost_start, &ghost_id));
  PetscCall(check_entries(&b, &entries));
  PetscCall(set_value_exchange(&b, ghost_start, ghost_id, &sent, &received));
  PetscCall(PetscMalloc1(b.ids, &b.where));
  PetscCall(PetscMalloc1((size_t)layout->data.cells * (size_t)(b.width * b.width), &b.p->position));
  for (int part = 0; part < 2; ++part) PetscCall(PetscMalloc1(b.p->blocks, &b.p->stride[part]));
  PetscCall(PetscMalloc1(layout->data.owned + 1, row_start));
  PetscCall(PetscMalloc1(entries, column));
  PetscCall(fill_owned_rows(&b, received, *row_start, *column));
  fill_ghost_rows(&b, sent, ghost_start, ghost_id);
  PetscCall(set_interior(b.p, &layout->data));
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
  PetscCall(PetscFree(p->position));
  for (int part = 0; part < 2; ++part) PetscCall(PetscFree(p->stride[part]));
  PetscCall(PetscFree(p->interior));
  PetscCall(PetscFree(p->fixed));
  PetscCall(PetscFree(p->fixed_diagonal));
  PetscCall(PetscFree(p->send));
  PetscCall(PetscFree(p->receive));
  PetscCall(PetscFree(p->target));
  PetscCall(RungLayoutDestroy(&p->layout));
  PetscCall(PetscFree(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}
