/* transfer.c - how the numbers of regular batches travel: lists of arrays that share a map of nodes.

   A batch is regular if its cells are consecutive and all their dofs are where

       dof of (node, component) = first + node * components + component

   holds: everywhere for one unknown, and where no cell has a ghost for several.  Then nodes are looked up in the maps of
   the spaces, once for all unknowns and time derivatives of one space. */
#include "kernel_impl.h"
#include <string.h>

/* Spaces made from one text have one numbering: the map that was there before. */
static const PetscInt *find_map(const RungTransferList *list, const RungSpaceData *space, const RungMeshData *mesh)
{
  const size_t size = sizeof(PetscInt) * (size_t)mesh->cells * (size_t)space->cell_nodes;

  for (PetscInt i = 0; i < list->n; ++i) {
    const RungTransfer *transfer = &list->transfer[i];

    if (transfer->nodes != space->cell_nodes || transfer->geometry) continue;
    if (transfer->map == space->cell_node || !memcmp(transfer->map, space->cell_node, size)) return transfer->map;
  }
  return space->cell_node;
}

/* Appends an end to what has this map; places travel by themselves, also where the mesh lends its map to a space.  space NULL: places */
static PetscErrorCode add_transfer(RungTransferList *list, const RungSpaceData *space, const PetscInt *map,
                                   PetscInt nodes, PetscInt n, const RungTransferEnd *end)
{
  RungTransfer *transfer = NULL;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < list->n; ++i) {
    RungTransfer *one = &list->transfer[i];

    if (one->map == map && one->components == n && one->geometry == !space && one->ends < RUNG_TRANSFER_ENDS)
      transfer = one;
  }
  if (!transfer) {
    PetscCall(PetscRealloc(sizeof *transfer * (size_t)(list->n + 1), &list->transfer));
    transfer  = &list->transfer[list->n++];
    *transfer = (RungTransfer){.geometry = !space, .space = space, .map = map, .nodes = nodes, .components = n};
  }
  transfer->end[transfer->ends++] = *end;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_function(RungTransferList *list, RungBatches batches, const RungLayoutData *layout,
                                   PetscInt f, RungTransferEnd end)
{
  const RungSpaceData *space;
  const PetscInt       components = layout->offset[f + 1] - layout->offset[f];

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(layout->space[f], &space));
  end.first = layout->range[f];
  if (!space->owned) end.first = layout->ghost[f]; /* all nodes are ghosts, as of a global number elsewhere */
  PetscCall(add_transfer(list, space, find_map(list, space, batches->mesh), space->cell_nodes,
                         components / space->cell_nodes, &end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_lists(RungBatches batches)
{
  const RungPlan        plan   = batches->plan;
  const RungLayoutData *layout = batches->layout;
  const PetscInt        lanes  = batches->lanes;
  const RungKernelArgs *args   = &batches->next[0];

  PetscFunctionBegin;
  PetscCall(add_transfer(&batches->gathers, NULL, batches->mesh->cell_node, batches->mesh->nodes_per_cell,
                         batches->mesh->dim, &(RungTransferEnd){RUNG_FROM_PLACES, 0, 0}));
  for (PetscInt f = 0; f < plan->unknowns; ++f) {
    const PetscInt offset = plan->basis[f].offset;

    for (PetscInt k = 0; k < RUNG_LEVELS; ++k) {
      const ptrdiff_t to = args->u - args->x + (k * plan->dofs + offset) * lanes;

      if (batches->read[k * plan->unknowns + f])
        PetscCall(add_function(&batches->gathers, batches, layout, f, (RungTransferEnd){k, 0, to}));
    }
    if (batches->write[f])
      PetscCall(add_function(&batches->scatters, batches, layout, f, (RungTransferEnd){0, 0, offset * lanes}));
  }
  for (PetscInt f = 0; f < plan->fields; ++f) {
    const ptrdiff_t to = args->field - args->x + plan->basis[plan->unknowns + f].offset * lanes;

    if (batches->read_field[f])
      PetscCall(
        add_function(&batches->gathers, batches, batches->field[f], 0, (RungTransferEnd){RUNG_LEVELS + f, 0, to}));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does the formula hold for unknown f in a cell?  `first` is that of add_function(). */
static PetscBool is_owned(const RungSpaceData *space, PetscInt cell)
{
  for (PetscInt i = 0; i < space->cell_nodes; ++i)
    if (space->cell_node[cell * space->cell_nodes + i] >= space->owned) return PETSC_FALSE;
  return PETSC_TRUE;
}

static PetscErrorCode find_regular(RungBatches batches)
{
  const RungLayoutData *layout = batches->layout;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < batches->batches; ++b) {
    const PetscInt *cell = batches->cell + batches->first[b], n = batches->first[b + 1] - batches->first[b];

    batches->regular[b] = n == batches->lanes ? PETSC_TRUE : PETSC_FALSE;
    for (PetscInt l = 1; l < n; ++l)
      if (cell[l] != cell[0] + l) batches->regular[b] = PETSC_FALSE;
  }
  for (PetscInt f = 0; f < layout->unknowns && layout->unknowns > 1; ++f) {
    const RungSpaceData *space;

    PetscCall(RungSpaceGetData(layout->space[f], &space));
    if (space->owned == space->nodes || !space->owned) continue;
    for (PetscInt b = 0; b < batches->batches; ++b) {
      for (PetscInt i = batches->first[b]; i < batches->first[b + 1] && batches->regular[b]; ++i)
        if (!is_owned(space, batches->cell[i])) batches->regular[b] = PETSC_FALSE;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vectors of functions with nodes inside cells are worth to be fetched ahead, and the places of such cells: these nodes are
   new to every batch.  Matrices take longer to insert. */
static PetscErrorCode create_lines(RungBatches batches)
{
  PetscBool inside = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < batches->gathers.n; ++i) {
    const RungTransfer *transfer = &batches->gathers.transfer[i];

    if (!transfer->geometry && transfer->space->entity_nodes[batches->mesh->dim]) inside = PETSC_TRUE;
  }
  if (batches->plan->cols > 1 || !inside) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < batches->gathers.n; ++i) {
    RungTransfer *transfer = &batches->gathers.transfer[i];

    if (!(transfer->geometry && batches->shape)) PetscCall(RungLinesCreate(batches, transfer, &transfer->lines));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One more than the largest of n owned nodes, at least `newest`. */
static PetscInt newest_of(PetscInt n, const PetscInt node[], PetscInt owned, PetscInt newest)
{
  for (PetscInt i = 0; i < n; ++i) {
    const PetscInt next = node[i] < owned ? node[i] + 1 : 0;

    newest = next > newest ? next : newest;
  }
  return newest;
}

/* Nodes are numbered as cells touch them first, ghosts behind: those that a batch is the first to touch follow each other.
   The cells of a phase come in order, but not after those of the phase before. */
static PetscErrorCode find_newest(RungBatches batches, RungTransfer *transfer)
{
  const PetscInt nodes = transfer->nodes, owned = transfer->space ? transfer->space->owned : PETSC_MAX_INT;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(batches->batches + 1, &transfer->newest));
  for (int phase = 0; phase < 3; ++phase) {
    PetscInt newest = 0;

    for (PetscInt b = batches->phase[phase]; b < batches->phase[phase + 1]; ++b) {
      const PetscInt *cell = batches->cell + batches->first[b], n = batches->first[b + 1] - batches->first[b];

      transfer->newest[b] = newest;
      if (batches->regular[b]) /* consecutive cells */
        newest = newest_of(n * nodes, transfer->map + cell[0] * nodes, owned, newest);
      else
        for (PetscInt k = 0; k < n; ++k) newest = newest_of(nodes, transfer->map + cell[k] * nodes, owned, newest);
      transfer->newest[b + 1] = newest;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is written is mostly what is read: the numbers of a gather of the same nodes, NULL if there is none. */
static const PetscInt *known_newest(RungBatches batches, const RungTransfer *transfer)
{
  for (PetscInt i = 0; i < batches->gathers.n; ++i) {
    const RungTransfer *gather = &batches->gathers.transfer[i];

    if (gather->map == transfer->map && gather->space == transfer->space && gather->newest) return gather->newest;
  }
  return NULL;
}

/* What vectors read and does not travel as runs is fetched ahead, but for places that are the same for all; matrices need the cache
   for what they add to. */
static PetscErrorCode create_runs(RungBatches batches, RungTransferList *list)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < list->n; ++i) {
    RungTransfer   *transfer = &list->transfer[i];
    const PetscInt *known;

    if (!transfer->geometry) PetscCall(RungRunsCreate(batches, transfer));
    if (transfer->runs || batches->plan->cols > 1 || (transfer->geometry && batches->shape)) continue;
    known = known_newest(batches, transfer);
    if (known) {
      PetscCall(PetscMalloc1(batches->batches + 1, &transfer->newest));
      PetscCall(PetscArraycpy(transfer->newest, known, batches->batches + 1));
    } else
      PetscCall(find_newest(batches, transfer));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_list(RungTransferList *list)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < list->n; ++i) {
    PetscCall(RungRunsDestroy(&list->transfer[i].runs));
    PetscCall(RungLinesDestroy(&list->transfer[i].lines));
    PetscCall(PetscFree(list->transfer[i].newest));
  }
  PetscCall(PetscFree(list->transfer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransfersCreate(RungBatches batches)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(batches->batches, &batches->regular));
  if (batches->plan->cells > 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(create_lists(batches));
  PetscCall(find_regular(batches));
  PetscCall(create_runs(batches, &batches->gathers));
  PetscCall(create_runs(batches, &batches->scatters));
  PetscCall(create_lines(batches));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransfersDestroy(RungBatches batches)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(batches->regular));
  PetscCall(destroy_list(&batches->gathers));
  PetscCall(destroy_list(&batches->scatters));
  PetscFunctionReturn(PETSC_SUCCESS);
}
