/* layout_move.c - values of a Vec with those of ghosts, and sums of ghosts back to their owners: gather and scatter.

   Both are begun and ended: between, cells without dofs of other ranks can be computed.  Messages of several slots follow
   each other in the order in which they were begun, the same on all ranks. */
#include "fe_space_impl.h"

/* No reduction here: gathers are frequent.  A Vec of another layout nearly always differs on all ranks. */
PetscErrorCode RungLayoutCheckVec(RungLayout layout, Vec u)
{
  PetscInt n;

  PetscFunctionBegin;
  RungNeed(layout);
  PetscCheck(u, layout->data.comm, PETSC_ERR_ARG_NULL,
             "a Vec of a layout is NULL; create it with RungLayoutCreateVec()");
  PetscCall(VecGetLocalSize(u, &n));
  PetscCheck(n == layout->data.owned, layout->data.comm, PETSC_ERR_ARG_SIZ,
             "a Vec has %" PetscInt_FMT " entries on a rank where the layout has %" PetscInt_FMT
             "; create it with RungLayoutCreateVec()",
             n, layout->data.owned);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* buffer = values of the items of a side, which start their way to the other one. */
static PetscErrorCode take_off(RungExchange *ex, int from, const PetscScalar value[], RungFlight *flight)
{
  const PetscInt n = value ? ex->start[from][ex->n[from]] : 0; /* NULL: nothing here */
  PetscScalar   *to;

  PetscFunctionBegin;
  if (!flight->request) {
    PetscCall(PetscMalloc1(ex->n[0] + ex->n[1] + 1, &flight->request));
    for (int side = 0; side < 2; ++side) PetscCall(PetscMalloc1(ex->start[side][ex->n[side]], &flight->buffer[side]));
  }
  to = flight->buffer[from];
  for (PetscInt i = 0; i < n; ++i) to[i] = value[ex->item[from][i]];
  PetscCall(RungExchangeStart(ex, from, MPIU_SCALAR, 1, to, flight->buffer[1 - from], flight->request));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFlightsDestroy(RungLayout layout)
{
  PetscFunctionBegin;
  for (int s = 0; s <= RUNG_LAYOUT_SLOTS; ++s) {
    PetscCall(PetscFree(layout->flight[s].request));
    for (int side = 0; side < 2; ++side) PetscCall(PetscFree(layout->flight[s].buffer[side]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- gather ------------------------------------------------------------------------------------------------- */

static PetscErrorCode check_slot(RungLayout layout, PetscInt slot)
{
  PetscFunctionBegin;
  PetscCheck(slot >= 0 && slot < RUNG_LAYOUT_SLOTS, layout->data.comm, PETSC_ERR_ARG_OUTOFRANGE,
             "slot %" PetscInt_FMT " of a layout; wanted 0 to %d", slot, RUNG_LAYOUT_SLOTS - 1);
  PetscCheck(!layout->open[slot], layout->data.comm, PETSC_ERR_ORDER,
             "slot %" PetscInt_FMT " of a layout is in use; restore it first", slot);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ghosts start their way, and the slot's array is there: the Vec's own without ghosts. */
static PetscErrorCode open_slot(RungLayout layout, Vec u, PetscInt slot, const PetscScalar **local)
{
  const RungLayoutData *data = &layout->data;

  PetscFunctionBegin;
  PetscCall(RungLayoutCheckVec(layout, u));
  PetscCall(check_slot(layout, slot));
  layout->open[slot] = layout->waiting[slot] = PETSC_TRUE;
  PetscCall(VecGetArrayRead(u, (const PetscScalar **)&layout->flight[slot].own));
  PetscCall(take_off(layout->exchange, RUNG_OWNERS, layout->flight[slot].own, &layout->flight[slot]));
  *local = layout->flight[slot].own;
  if (data->local == data->owned) PetscFunctionReturn(PETSC_SUCCESS); /* though others may have ghosts of this rank's */
  if (!layout->slot[slot]) PetscCall(PetscMalloc1(data->local, &layout->slot[slot]));
  *local = layout->slot[slot];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLayoutGatherBegin(RungLayout layout, Vec u, PetscInt slot, const PetscScalar **local)
{
  PetscFunctionBegin;
  RungNeed(layout);
  PetscCall(open_slot(layout, u, slot, local));
  if (*local != layout->flight[slot].own)
    PetscCall(PetscArraycpy(layout->slot[slot], layout->flight[slot].own, layout->data.owned));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLayoutGatherSome(RungLayout layout, Vec u, PetscInt slot, PetscInt n, const PetscInt entry[],
                                    const PetscScalar **own, const PetscScalar **local)
{
  PetscFunctionBegin;
  RungNeed(layout);
  PetscCall(open_slot(layout, u, slot, local));
  *own = layout->flight[slot].own;
  for (PetscInt i = 0; *local != *own && i < n; ++i) layout->slot[slot][entry[i]] = (*own)[entry[i]];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLayoutGatherEnd(RungLayout layout, PetscInt slot)
{
  RungNeed(layout);
  const RungExchange *ex = layout->exchange;
  PetscScalar        *ghost;

  PetscFunctionBegin;
  PetscCheck(slot >= 0 && slot < RUNG_LAYOUT_SLOTS && layout->waiting[slot], layout->data.comm, PETSC_ERR_ORDER,
             "slot %" PetscInt_FMT " of a layout waits for nothing; begin a gather first", slot);
  layout->waiting[slot] = PETSC_FALSE;
  PetscCall(RungExchangeWait(layout->exchange, layout->flight[slot].request));
  ghost = layout->slot[slot] ? layout->slot[slot] + layout->data.owned : NULL; /* NULL: nothing here */
  for (PetscInt i = 0; ghost && i < ex->start[RUNG_GHOSTS][ex->n[RUNG_GHOSTS]]; ++i)
    ghost[ex->item[RUNG_GHOSTS][i]] = layout->flight[slot].buffer[RUNG_GHOSTS][i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLayoutGather(RungLayout layout, Vec u, PetscInt slot, const PetscScalar **local)
{
  PetscFunctionBegin;
  RungNeed(layout);
  PetscCall(RungLayoutGatherBegin(layout, u, slot, local));
  PetscCall(RungLayoutGatherEnd(layout, slot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLayoutGatherRestore(RungLayout layout, Vec u, PetscInt slot, const PetscScalar **local)
{
  PetscFunctionBegin;
  RungNeed(layout);
  PetscCheck(slot >= 0 && slot < RUNG_LAYOUT_SLOTS && layout->open[slot] && !layout->waiting[slot], layout->data.comm,
             PETSC_ERR_ORDER, "slot %" PetscInt_FMT " of a layout is not in use; gather first", slot);
  layout->open[slot] = PETSC_FALSE;
  PetscCall(VecRestoreArrayRead(u, (const PetscScalar **)&layout->flight[slot].own));
  *local = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- scatter ------------------------------------------------------------------------------------------------ */

/* An array for sums beside those of r: r's own without ghosts. */
static PetscErrorCode open_sum(RungLayout layout, Vec r, PetscInt some, const PetscInt entry[], PetscScalar **local)
{
  RungFlight *flight = &layout->flight[RUNG_LAYOUT_SLOTS];

  PetscFunctionBegin;
  PetscCall(RungLayoutCheckVec(layout, r));
  PetscCheck(!layout->scattering, layout->data.comm, PETSC_ERR_ORDER,
             "a layout scatters already; end that scatter first");
  layout->scattering = PETSC_TRUE;
  flight->some       = some;
  flight->entry      = entry;
  PetscCall(VecGetArray(r, &flight->own));
  *local = layout->data.local == layout->data.owned ? flight->own : layout->sum;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLayoutScatterBegin(RungLayout layout, Vec r, PetscScalar **local)
{
  PetscFunctionBegin;
  RungNeed(layout);
  PetscCall(open_sum(layout, r, -1, NULL, local));
  if (*local == layout->sum) PetscCall(PetscArrayzero(layout->sum, layout->data.local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLayoutScatterSome(RungLayout layout, Vec r, PetscInt n, const PetscInt entry[], PetscScalar **own,
                                     PetscScalar **local)
{
  PetscFunctionBegin;
  RungNeed(layout);
  PetscCall(open_sum(layout, r, n, entry, local));
  *own = layout->flight[RUNG_LAYOUT_SLOTS].own;
  if (*local == *own) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscArrayzero(layout->sum + layout->data.owned, layout->data.local - layout->data.owned));
  for (PetscInt i = 0; i < n; ++i) layout->sum[entry[i]] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLayoutScatterSend(RungLayout layout)
{
  PetscFunctionBegin;
  RungNeed(layout);
  PetscCheck(layout->scattering && !layout->sent, layout->data.comm, PETSC_ERR_ORDER,
             "a layout %s; begin first, and send once", layout->sent ? "has sent its sums" : "does not scatter");
  layout->sent = PETSC_TRUE;
  PetscCall(take_off(layout->exchange, RUNG_GHOSTS, layout->sum ? layout->sum + layout->data.owned : NULL,
                     &layout->flight[RUNG_LAYOUT_SLOTS]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLayoutScatterEnd(RungLayout layout, Vec r, PetscScalar **local)
{
  RungNeed(layout);
  const RungExchange *ex     = layout->exchange;
  RungFlight         *flight = &layout->flight[RUNG_LAYOUT_SLOTS];
  const PetscScalar  *received;
  PetscScalar        *x = flight->own;

  PetscFunctionBegin;
  PetscCheck(layout->scattering, layout->data.comm, PETSC_ERR_ORDER, "a layout does not scatter; begin first");
  if (!layout->sent) PetscCall(RungLayoutScatterSend(layout));
  layout->scattering = layout->sent = PETSC_FALSE;
  PetscCall(RungExchangeWait(layout->exchange, flight->request));
  received = flight->buffer[RUNG_OWNERS];
  if (layout->data.local > layout->data.owned) {
    const PetscInt *entry = flight->entry;

    for (PetscInt i = 0; flight->some < 0 && i < layout->data.owned; ++i) x[i] += layout->sum[i];
    for (PetscInt i = 0; i < flight->some; ++i) x[entry[i]] += layout->sum[entry[i]];
  }
  for (PetscInt i = 0; i < ex->start[RUNG_OWNERS][ex->n[RUNG_OWNERS]]; ++i) x[ex->item[RUNG_OWNERS][i]] += received[i];
  PetscCall(VecRestoreArray(r, &flight->own));
  *local = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
