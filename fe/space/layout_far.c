/* layout_far.c - the dofs of cells across facets between ranks, in the local arrays of a layout.

   local array     | owned | ghosts of unknown 0 | ghosts of 1 | .. | far dofs of 0 | far dofs of 1 | ..

   A far dof is one that no local cell has.  Far dofs of one unknown ascend by global number, as ghosts do. */
#include "fe_space_impl.h"

/* Global numbers of the dofs of far cells, [far cell][cell dof]. */
static PetscErrorCode fetch_numbers(RungLayout layout, RungSides sides, PetscInt **far)
{
  const RungLayoutData *data = &layout->data;
  PetscInt             *mine;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(data->cells * data->cell_dofs, &mine));
  PetscCall(PetscMalloc1(sides->far * data->cell_dofs, far));
  for (PetscInt i = 0; i < data->cells * data->cell_dofs; ++i) mine[i] = layout->global[layout->cell_dof[i]];
  PetscCall(RungExchangeForward(sides->exchange, (size_t)data->cell_dofs * sizeof *mine, mine, *far));
  PetscCall(PetscFree(mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Place of a global number in the range of unknown f that from[f] .. from[f + 1] - 1 is; -1: not there. */
static PetscErrorCode find_in(const PetscInt global[], const PetscInt from[], PetscInt f, PetscInt number,
                              PetscInt *local)
{
  PetscFunctionBegin;
  PetscCall(PetscFindInt(number, from[f + 1] - from[f], global + from[f], local));
  *local = *local < 0 ? -1 : *local + from[f];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The local dof among owned ones and ghosts; -1: not there. */
static PetscErrorCode find_local(const RungLayout layout, PetscInt f, PetscInt number, PetscInt *local)
{
  const RungLayoutData *data = &layout->data;

  PetscFunctionBegin;
  if (number >= data->start && number < data->start + data->owned)
    *local = number - data->start;
  else
    PetscCall(find_in(layout->global, layout->ghost, f, number, local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Far dofs behind the ghosts: layout->far, layout->global. */
static PetscErrorCode number_far(RungLayout layout, RungSides sides, const PetscInt number[])
{
  RungLayoutData *data = &layout->data;
  PetscInt       *list, *global, total = data->local, room = sides->far * data->cell_dofs;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(data->unknowns + 1, &layout->far));
  PetscCall(PetscMalloc1(room, &list));
  PetscCall(PetscMalloc1(data->local + room, &global));
  PetscCall(PetscArraycpy(global, layout->global, data->local));
  for (PetscInt f = 0; f < data->unknowns; ++f) {
    PetscInt n = 0, local;

    for (PetscInt c = 0; c < sides->far; ++c) {
      for (PetscInt i = layout->offset[f]; i < layout->offset[f + 1]; ++i) {
        PetscCall(find_local(layout, f, number[c * data->cell_dofs + i], &local));
        if (local < 0) list[n++] = number[c * data->cell_dofs + i];
      }
    }
    PetscCall(PetscSortRemoveDupsInt(&n, list));
    PetscCall(PetscArraycpy(global + total, list, n));
    layout->far[f] = total;
    total += n;
  }
  layout->far[data->unknowns] = total;
  PetscCall(PetscFree(list));
  PetscCall(PetscFree(layout->global));
  layout->global = global;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_far_dofs(RungLayout layout, RungSides sides, const PetscInt number[])
{
  const RungLayoutData *data = &layout->data;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(sides->far * data->cell_dofs, &layout->far_dof));
  for (PetscInt c = 0; c < sides->far; ++c) {
    for (PetscInt f = 0; f < data->unknowns; ++f) {
      for (PetscInt i = c * data->cell_dofs + layout->offset[f]; i < c * data->cell_dofs + layout->offset[f + 1]; ++i) {
        PetscCall(find_local(layout, f, number[i], &layout->far_dof[i]));
        if (layout->far_dof[i] < 0) PetscCall(find_in(layout->global, layout->far, f, number[i], &layout->far_dof[i]));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One exchange for ghosts and far dofs in the place of that for ghosts. */
static PetscErrorCode replace_exchange(RungLayout layout)
{
  RungLayoutData *data   = &layout->data;
  const PetscInt  others = layout->far[data->unknowns] - data->owned;
  PetscMPIInt     size, *owner;
  PetscInt       *start;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(data->comm, &size));
  PetscCall(PetscMalloc2(size, &start, others, &owner));
  PetscCallMPI(MPI_Allgather(&data->start, 1, MPIU_INT, start, 1, MPIU_INT, data->comm));
  for (PetscInt i = 0; i < others; ++i) {
    PetscMPIInt low = 0, high = size; /* of ranks with one start the last has the dofs, the others have none */

    while (high - low > 1) {
      const PetscMPIInt middle = (low + high) / 2;

      if (start[middle] <= layout->global[data->owned + i])
        low = middle;
      else
        high = middle;
    }
    owner[i] = low;
  }
  PetscCall(RungExchangeDestroy(&layout->exchange));
  PetscCall(
    RungExchangeCreate(data->comm, others, owner, layout->global + data->owned, data->start, &layout->exchange));
  PetscCall(PetscFree2(start, owner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_closed(RungLayout layout)
{
  PetscFunctionBegin;
  for (int s = 0; s < RUNG_LAYOUT_SLOTS; ++s) {
    PetscCheck(!layout->open[s] && !layout->scattering, layout->data.comm, PETSC_ERR_ORDER,
               "a layout gets neighbours while it is read or written; end the gather or scatter first");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLayoutAddNeighbours(RungLayout layout)
{
  RungNeed(layout);
  RungLayoutData *data = &layout->data;
  RungSides       sides;
  PetscInt       *number;

  PetscFunctionBegin;
  if (layout->far) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(check_closed(layout));
  PetscCall(RungMeshGetSides(layout->space[0]->mesh, &sides));
  PetscCall(fetch_numbers(layout, sides, &number));
  PetscCall(number_far(layout, sides, number));
  PetscCall(set_far_dofs(layout, sides, number));
  PetscCall(replace_exchange(layout));
  data->global    = layout->global;
  data->far       = layout->far;
  data->far_cells = sides->far;
  data->far_dof   = layout->far_dof;
  data->local     = layout->far[data->unknowns];
  for (int s = 0; s < RUNG_LAYOUT_SLOTS; ++s) PetscCall(PetscFree(layout->slot[s]));
  PetscCall(RungFlightsDestroy(layout));
  PetscCall(PetscFree(layout->sum));
  if (data->local > data->owned) PetscCall(PetscMalloc1(data->local, &layout->sum));
  PetscCall(PetscFree(number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLayoutCoupleFacets(RungLayout layout, const char part[], const PetscBool couple[])
{
  RungNeed(layout);
  const PetscInt    n = layout->data.unknowns;
  const RungPlaces *places;
  RungSides         sides;

  PetscFunctionBegin;
  PetscCall(RungMeshGetPlaces(layout->space[0]->mesh, RUNG_INTERIOR_FACETS, part, &places));
  PetscCall(RungLayoutAddNeighbours(layout));
  PetscCall(RungMeshGetSides(layout->space[0]->mesh, &sides));
  if (!layout->facet_couple) PetscCall(PetscCalloc1(n * n, &layout->facet_couple));
  if (!layout->facet_used) PetscCall(PetscCalloc1(sides->facets, &layout->facet_used));
  for (PetscInt i = 0; i < n * n; ++i) layout->facet_couple[i] = layout->facet_couple[i] || couple[i];
  for (PetscInt i = 0; i < places->count; ++i) layout->facet_used[places->number[i]] = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
