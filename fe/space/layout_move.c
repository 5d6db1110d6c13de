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

PetscErrorCode RungLayoutGatherBegin(RungLayout layout, Vec u, PetscInt slot, const PetscScalar **local)
{
  RungNeed(layout);
  const RungLayoutData *data = &layout->data;
  const PetscScalar    *x;

  PetscFunctionBegin;
  PetscCall(RungLayoutCheckVec(layout, u));
  PetscCall(check_slot(layout, slot));
  layout->open[slot] = layout->waiting[slot] = PETSC_TRUE;
  PetscCall(VecGetArrayRead(u, &x));
  PetscCall(take_off(layout->exchange, RUNG_OWNERS, x, &layout->flight[slot]));
  if (data->local == data->owned) { /* no ghosts here, though others may have ghosts of this rank's */
    *local = x;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!layout->slot[slot]) PetscCall(PetscMalloc1(data->local, &layout->slot[slot]));
  PetscCall(PetscArraycpy(layout->slot[slot], x, data->owned));
  PetscCall(VecRestoreArrayRead(u, &x));
  *local = layout->slot[slot];
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
  if (layout->data.local == layout->data.owned) PetscCall(VecRestoreArrayRead(u, local));
  *local = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- scatter ------------------------------------------------------------------------------------------------ */

PetscErrorCode RungLayoutScatterBegin(RungLayout layout, Vec r, PetscScalar **local)
{
  PetscFunctionBegin;
  RungNeed(layout);
  PetscCall(RungLayoutCheckVec(layout, r));
  PetscCheck(!layout->scattering, layout->data.comm, PETSC_ERR_ORDER,
             "a layout scatters already; end that scatter first");
  layout->scattering = PETSC_TRUE;
  if (layout->data.local == layout->data.owned) { /* no ghosts here: r itself */
    PetscCall(VecGetArray(r, local));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscArrayzero(layout->sum, layout->data.local));
  *local = layout->sum;
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
  const RungExchange *ex = layout->exchange;
  const PetscScalar  *received;
  PetscScalar        *x;

  PetscFunctionBegin;
  PetscCheck(layout->scattering, layout->data.comm, PETSC_ERR_ORDER, "a layout does not scatter; begin first");
  if (!layout->sent) PetscCall(RungLayoutScatterSend(layout));
  layout->scattering = layout->sent = PETSC_FALSE;
  PetscCall(RungExchangeWait(layout->exchange, layout->flight[RUNG_LAYOUT_SLOTS].request));
  received = layout->flight[RUNG_LAYOUT_SLOTS].buffer[RUNG_OWNERS];
  if (layout->data.local == layout->data.owned) PetscCall(VecRestoreArray(r, local));
  PetscCall(VecGetArray(r, &x));
  if (layout->data.local > layout->data.owned)
    for (PetscInt i = 0; i < layout->data.owned; ++i) x[i] += layout->sum[i];
  for (PetscInt i = 0; i < ex->start[RUNG_OWNERS][ex->n[RUNG_OWNERS]]; ++i) x[ex->item[RUNG_OWNERS][i]] += received[i];
  PetscCall(VecRestoreArray(r, &x));
  *local = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
