/* natural.c - numbers that depend on the mesh and the space alone, not on how many ranks hold them.

   A node is known by the smallest place  cell number * nodes of a cell + node of the cell  of the cells that have it,
   where cells are numbered as their source (box, file, points) does.  Sorted by that key the nodes of all ranks get the
   natural numbers 0, 1, ..  Files that are read by another number of ranks are written in this order. */
#include "fe_space_impl.h"

#include <petscsf.h>

/* key[owned node], the smallest place of each over all ranks */
static PetscErrorCode smallest_places(RungSpace space, const RungMeshData *mesh, PetscInt **keys)
{
  const RungSpaceData *data = &space->data;
  const RungExchange  *ex   = space->exchange;
  const void          *bytes;
  const PetscInt      *received;
  PetscInt            *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(data->nodes, &key));
  for (PetscInt i = 0; i < data->nodes; ++i) key[i] = PETSC_MAX_INT;
  for (PetscInt c = 0; c < mesh->cells; ++c) {
    for (PetscInt i = 0; i < data->cell_nodes; ++i) {
      PetscInt *least = &key[data->cell_node[c * data->cell_nodes + i]];

      *least = PetscMin(*least, mesh->cell_number[c] * data->cell_nodes + i);
    }
  }
  PetscCall(RungExchangeReverse(space->exchange, sizeof(PetscInt), key + data->owned, &bytes));
  received = (const PetscInt *)bytes;
  for (PetscInt i = 0; i < ex->start[RUNG_OWNERS][ex->n[RUNG_OWNERS]]; ++i) {
    PetscInt *least = &key[ex->item[RUNG_OWNERS][i]];

    *least = PetscMin(*least, received[i]);
  }
  *keys = key;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* place[i] of the used keys 0 <= key < total: how many used ones are smaller.  Each rank counts a range of keys. */
static PetscErrorCode rank_keys(MPI_Comm comm, PetscInt total, PetscInt n, const PetscInt key[], PetscInt place[])
{
  PetscLayout range;
  PetscSF     sf;
  PetscInt    local, mine = 0, before, *used;

  PetscFunctionBegin;
  PetscCall(PetscLayoutCreateFromSizes(comm, PETSC_DECIDE, total, 1, &range));
  PetscCall(PetscLayoutGetLocalSize(range, &local));
  PetscCall(PetscSFCreate(comm, &sf));
  PetscCall(PetscSFSetGraphLayout(sf, range, n, NULL, PETSC_COPY_VALUES, key));
  PetscCall(PetscCalloc1(local, &used));
  for (PetscInt i = 0; i < n; ++i) place[i] = 1;
  PetscCall(PetscSFReduceBegin(sf, MPIU_INT, place, used, MPI_REPLACE));
  PetscCall(PetscSFReduceEnd(sf, MPIU_INT, place, used, MPI_REPLACE));
  for (PetscInt i = 0; i < local; ++i) mine += used[i];
  PetscCallMPI(MPI_Scan(&mine, &before, 1, MPIU_INT, MPI_SUM, comm));
  before -= mine;
  for (PetscInt i = 0; i < local; ++i) {
    const PetscInt next = before + used[i];

    used[i] = before;
    before  = next;
  }
  PetscCall(PetscSFBcastBegin(sf, MPIU_INT, used, place, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, MPIU_INT, used, place, MPI_REPLACE));
  PetscCall(PetscFree(used));
  PetscCall(PetscSFDestroy(&sf));
  PetscCall(PetscLayoutDestroy(&range));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSpaceGetNatural(RungSpace space, const PetscInt **natural)
{
  const RungMeshData *mesh;
  PetscInt           *key;

  PetscFunctionBegin;
  RungNeed(space);
  if (!space->natural) {
    PetscCall(RungMeshGetData(space->mesh, &mesh));
    PetscCheck((double)mesh->cells_global * (double)space->data.cell_nodes < (double)PETSC_MAX_INT, space->comm,
               PETSC_ERR_ARG_OUTOFRANGE,
               "%" PetscInt_FMT " cells with %" PetscInt_FMT
               " nodes each have too many places for this PETSc's integers; use one with 64-bit integers",
               mesh->cells_global, space->data.cell_nodes);
    PetscCall(PetscMalloc1(space->data.owned + 1, &space->natural)); /* not NULL on ranks that own no node */
    PetscCall(smallest_places(space, mesh, &key));
    PetscCall(
      rank_keys(space->comm, mesh->cells_global * space->data.cell_nodes, space->data.owned, key, space->natural));
    PetscCall(PetscFree(key));
  }
  *natural = space->natural;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- fingerprint of a mesh ---------------------------------------------------------------------------------------- */

/* One round of splitmix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014). */
static uint64_t mix(uint64_t hash, uint64_t value)
{
  uint64_t z = (hash ^ value) + 0x9e3779b97f4a7c15u;

  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static uint64_t mix_text(uint64_t hash, const char text[])
{
  for (; *text; ++text) hash = mix(hash, (unsigned char)*text);
  return hash;
}

static uint64_t bits_of(PetscReal x)
{
  const double y    = (double)x + 0.0; /* -0 becomes 0 */
  uint64_t     bits = 0;

  memcpy(&bits, &y, sizeof y);
  return bits;
}

PetscErrorCode RungMeshGetFingerprint(RungMesh mesh, char fingerprint[17])
{
  const RungMeshData *data;
  uint64_t            mine = 0, all, hash;

  PetscFunctionBegin;
  RungNeed(mesh);
  PetscCall(RungMeshGetData(mesh, &data));
  for (PetscInt c = 0; c < data->cells; ++c) { /* a sum, so that it does not matter who has which cell */
    hash = mix(1, (uint64_t)data->cell_number[c]);
    for (PetscInt i = 0; i < data->nodes_per_cell; ++i) {
      const PetscReal *x = &data->x[data->cell_node[c * data->nodes_per_cell + i] * data->dim];

      for (PetscInt a = 0; a < data->dim; ++a) hash = mix(hash, bits_of(x[a]));
    }
    mine += hash;
  }
  for (PetscInt p = 0; p < mesh->parts.n; ++p) {
    const RungPart *part = &mesh->parts.part[p];
    const uint64_t  name = mix_text(2 + (uint64_t)part->dim, part->name);

    for (PetscInt i = 0; i < part->count; ++i) {
      hash = mix(name, (uint64_t)data->cell_number[part->cell[i]]);
      mine += part->entity ? mix(hash, 3 + (uint64_t)part->entity[i]) : hash;
    }
  }
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, mesh->comm));
  all = mix(mix(mix(all, (uint64_t)data->type), (uint64_t)data->dim), (uint64_t)data->cells_global);
  PetscCall(PetscSNPrintf(fingerprint, 17, "%016llx", (unsigned long long)all));
  PetscFunctionReturn(PETSC_SUCCESS);
}
