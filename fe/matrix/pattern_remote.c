/* pattern_remote.c - rows of the nonzero pattern that other ranks own: columns travel to the owner once, and the
   buffers in which their values will travel are laid out.

   A rank sends a row block by block: the global number of the first dof of every column and its components. */
#include <rungown_room.h>
#include "pattern_impl.h"

/* Ids of the local blocks; foreign ones come with the received rows. */
PetscErrorCode RungPatternIds(RungPatternBuild *b, PetscInt foreign, const PetscInt foreign_dof[])
{
  const RungLayoutData *data = &b->layout->data;

  PetscFunctionBegin;
  b->ids = b->p->blocks + foreign;
  PetscCall(RungScratch1(b->ids, &b->id_dof));
  PetscCall(RungScratch1(b->ids, &b->id_components));
  PetscCall(PetscArrayzero(b->id_components + b->p->blocks, foreign));
  for (PetscInt i = 0; i < b->p->blocks; ++i) {
    b->id_dof[i]        = data->global[b->p->block_dof[i]];
    b->id_components[i] = b->p->components[RungUnknownOfDof(data, b->p->block_dof[i])];
  }
  for (PetscInt i = 0; i < foreign; ++i) b->id_dof[b->p->blocks + i] = foreign_dof[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The ghost block that begins at a ghost dof, or -1. */
static PetscInt ghost_block_at(const RungPatternBuild *b, PetscInt ghost_dof)
{
  const PetscInt ghosts = b->p->blocks - b->p->owned;
  PetscInt       at;

  if (PetscFindInt(b->layout->data.owned + ghost_dof, ghosts, b->p->block_dof + b->p->owned, &at)) return -1;
  return at;
}

PetscErrorCode RungPatternSendRows(RungPatternBuild *b, const PetscInt start[], const PetscInt id[],
                                   RungPatternTravel *t)
{
  RungExchange                                 *ex      = b->layout->exchange;
  RUNG_OWNED(RungExchangeDestroy) RungExchange *columns = NULL;
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
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt owned_block(const RungPatternBuild *b, PetscInt dof)
{
  const RungLayoutData *data = &b->layout->data;
  const PetscInt        f    = RungUnknownOfDof(data, dof);
  PetscInt              at   = (dof - data->range[f]) / b->p->components[f];

  for (PetscInt g = 0; g < f; ++g) at += (data->range[g + 1] - data->range[g]) / b->p->components[g];
  return at;
}

/* The id of a column known by its global dof, or -1.  Ghosts of one unknown ascend by global number. */
static PetscErrorCode find_column(const RungPatternBuild *b, PetscInt dof, PetscInt foreign,
                                  const PetscInt foreign_dof[], PetscInt *id)
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
  for (PetscInt f = 0; f < data->unknowns && *id < 0 && data->far; ++f) {
    PetscCall(PetscFindInt(dof, data->far[f + 1] - data->far[f], data->global + data->far[f], &at));
    if (at >= 0) *id = base + at / b->p->components[f];
    base += RungPatternFarBlocks(b, f);
  }
  if (*id >= 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFindInt(dof, foreign, foreign_dof, &at));
  if (at >= 0) *id = b->p->blocks + at;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Foreign columns get ids; received rows are chained to the blocks they add to. */
PetscErrorCode RungPatternTakeRows(RungPatternBuild *b, const RungPatternTravel *t)
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
  PetscCall(RungScratchFree(&b->id_dof));
  PetscCall(RungScratchFree(&b->id_components));
  PetscCall(RungPatternIds(b, foreign, dof));
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

/* Global numbers of the dofs of the foreign columns, one after the other. */
static PetscErrorCode list_foreign(RungPatternBuild *b, PetscInt *count, PetscInt **dof)
{
  const PetscInt first = b->p->blocks;

  PetscFunctionBegin;
  *count = 0;
  PetscCall(PetscMalloc1(b->ids - first + 1, &b->foreign_start));
  for (PetscInt id = first; id < b->ids; ++id) {
    b->foreign_start[id - first] = *count;
    *count += b->id_components[id];
  }
  PetscCall(PetscMalloc1(*count, dof));
  for (PetscInt id = first; id < b->ids; ++id)
    for (PetscInt c = 0; c < b->id_components[id]; ++c) (*dof)[b->foreign_start[id - first] + c] = b->id_dof[id] + c;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Asks the owners of foreign columns which of their dofs are fixed. */
PetscErrorCode RungPatternShareFixed(RungPatternBuild *b)
{
  const RungLayoutData *data = &b->layout->data;
  PetscBool             some = b->fixed ? PETSC_TRUE : PETSC_FALSE, any;
  PetscInt              n, *dof;
  PetscScalar          *mine;
  const PetscScalar    *value;
  Vec                   flag, foreign;
  IS                    from;
  VecScatter            scatter;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(&some, &any, 1, RUNG_MPI_BOOL, MPI_LOR, data->comm));
  if (!any) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(list_foreign(b, &n, &dof));
  PetscCall(PetscMalloc1(n + 1, &b->foreign_fixed));
  PetscCall(VecCreateMPI(data->comm, data->owned, PETSC_DETERMINE, &flag));
  PetscCall(VecGetArrayWrite(flag, &mine));
  for (PetscInt i = 0; i < data->owned; ++i) mine[i] = b->fixed && b->fixed[i] ? 1 : 0;
  PetscCall(VecRestoreArrayWrite(flag, &mine));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, n, &foreign));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, dof, PETSC_OWN_POINTER, &from));
  PetscCall(VecScatterCreate(flag, from, foreign, NULL, &scatter));
  PetscCall(VecScatterBegin(scatter, flag, foreign, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(scatter, flag, foreign, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetArrayRead(foreign, &value));
  for (PetscInt i = 0; i < n; ++i) b->foreign_fixed[i] = PetscRealPart(value[i]) > 0 ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(VecRestoreArrayRead(foreign, &value));
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(ISDestroy(&from));
  PetscCall(VecDestroy(&foreign));
  PetscCall(VecDestroy(&flag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The exchange of values: where the row of every place of the dof exchange starts on either side.
   Out  sent[ghost block], received[place]; the caller's */
PetscErrorCode RungPatternValueExchange(RungPatternBuild *b, const PetscInt start[], const PetscInt id[],
                                        PetscInt **sent, PetscInt **received)
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
      length     = RungRowLength(b, start[g + 1] - start[g], id + start[g]);
      (*sent)[g] = total;
    }
    count[RUNG_GHOSTS][q] = length;
    total += length;
  }
  total = 0;
  for (PetscInt q = 0; q < n[RUNG_OWNERS]; ++q) {
    const PetscInt dof = ex->item[RUNG_OWNERS][q], f = RungUnknownOfDof(data, dof);

    if ((dof - data->range[f]) % b->p->components[f] == 0)
      length = RungRowLength(b, b->received_start[q + 1] - b->received_start[q], b->received_id + b->received_start[q]);
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
