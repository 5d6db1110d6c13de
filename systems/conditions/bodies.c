/* bodies.c - the pieces of a mesh that no cell joins, over all ranks: each may move by itself. */
#include <rungown_room.h>
#include "form_side_impl.h"
#include <petscsf.h>

static PetscInt root_of(PetscInt parent[], PetscInt v)
{
  while (parent[v] != v) v = parent[v] = parent[parent[v]];
  return v;
}

/* parent[vertex]: the root of what the cells of this rank join. */
static void join_cells(const RungMeshData *data, PetscInt parent[])
{
  const PetscInt n = RungCellGet(data->type)->vertices;

  for (PetscInt v = 0; v < data->entities[0]; ++v) parent[v] = v;
  for (PetscInt c = 0; c < data->cells; ++c) {
    const PetscInt *vertex = data->cell_entity[0] + c * n;
    PetscInt        least  = root_of(parent, vertex[0]);

    for (PetscInt i = 1; i < n; ++i) {
      PetscInt root, most;

      if (parent[vertex[i]] == least) continue; /* as most are */
      root         = root_of(parent, vertex[i]);
      most         = PetscMax(least, root);
      least        = PetscMin(least, root);
      parent[most] = least;
    }
  }
}

/* Ghost vertices and their owners. */
static PetscErrorCode make_exchange(RungMesh mesh, const RungMeshData *data, PetscSF *sf)
{
  const PetscInt                             ghosts = data->entities[0] - data->owned[0];
  RUNG_FREE PetscInt                        *leaf   = NULL;
  RUNG_OWNED(PetscLayoutDestroy) PetscLayout owned  = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(ghosts, &leaf));
  for (PetscInt i = 0; i < ghosts; ++i) leaf[i] = data->owned[0] + i;
  PetscCall(PetscLayoutCreateFromSizes(RungMeshComm(mesh), data->owned[0], PETSC_DECIDE, 1, &owned));
  PetscCall(PetscSFCreate(RungMeshComm(mesh), sf));
  PetscCall(PetscSFSetGraphLayout(*sf, owned, ghosts, leaf, PETSC_COPY_VALUES, data->global[0] + data->owned[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of all labels in a piece the least: in the pieces of this rank, then between ranks, until nothing changes. */
static PetscErrorCode spread(MPI_Comm comm, PetscInt n, PetscSF sf, PetscInt parent[], PetscInt label[])
{
  PetscInt            changed = 1;
  RUNG_FREE PetscInt *before  = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &before));
  while (changed) {
    PetscCall(PetscArraycpy(before, label, n));
    for (PetscInt v = 0; v < n; ++v) label[root_of(parent, v)] = PetscMin(label[root_of(parent, v)], label[v]);
    for (PetscInt v = 0; v < n; ++v) label[v] = label[root_of(parent, v)];
    changed = 0;
    for (PetscInt v = 0; v < n; ++v) changed |= label[v] != before[v];
    PetscCall(PetscArraycpy(before, label, n));
    PetscCall(PetscSFReduceBegin(sf, MPIU_INT, before, label, MPI_MIN));
    PetscCall(PetscSFReduceEnd(sf, MPIU_INT, before, label, MPI_MIN));
    PetscCall(PetscArraycpy(before, label, n));
    PetscCall(PetscSFBcastBegin(sf, MPIU_INT, before, label, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(sf, MPIU_INT, before, label, MPI_REPLACE));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPIU_INT, MPI_MAX, comm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* label[vertex] -> 0, 1, .. in the order of the labels, each of which is the number of a vertex.  Out  how many there are */
static PetscErrorCode count_labels(MPI_Comm comm, const RungMeshData *data, PetscInt label[], PetscInt *bodies)
{
  PetscInt mine[RUNG_BODIES], all[RUNG_BODIES], found = 0, before;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < data->owned[0]; ++v) found += label[v] == data->global[0][v];
  PetscCallMPI(MPI_Allreduce(&found, bodies, 1, MPIU_INT, MPI_SUM, comm));
  if (*bodies > RUNG_BODIES) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Scan(&found, &before, 1, MPIU_INT, MPI_SUM, comm));
  before -= found;
  for (PetscInt b = 0; b < RUNG_BODIES; ++b) mine[b] = -1;
  for (PetscInt v = 0; v < data->owned[0]; ++v)
    if (label[v] == data->global[0][v]) mine[before++] = label[v];
  PetscCallMPI(MPI_Allreduce(mine, all, RUNG_BODIES, MPIU_INT, MPI_MAX, comm));
  for (PetscInt v = 0; v < data->entities[0]; ++v) {
    PetscInt b = 0;

    while (b < *bodies - 1 && all[b] != label[v]) ++b;
    label[v] = b;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungBodiesFind(RungMesh mesh, PetscInt *bodies, PetscInt **body)
{
  const MPI_Comm                     comm = RungMeshComm(mesh);
  const RungMeshData                *data;
  RUNG_FREE PetscInt                *parent = NULL, *label = NULL;
  RUNG_OWNED(PetscSFDestroy) PetscSF sf = NULL;

  PetscFunctionBegin;
  *bodies = 1;
  *body   = NULL;
  PetscCall(RungMeshGetData(mesh, &data));
  if (data->type == RUNG_POINT) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(data->entities[0], &parent));
  PetscCall(PetscMalloc1(data->entities[0], &label));
  join_cells(data, parent);
  PetscCall(PetscArraycpy(label, data->global[0], data->entities[0]));
  PetscCall(make_exchange(mesh, data, &sf));
  PetscCall(spread(comm, data->entities[0], sf, parent, label));
  PetscCall(count_labels(comm, data, label, bodies));
  if (*bodies > RUNG_BODIES) *bodies = 1;
  *body = label;
  label = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
