/* mesh_closure.c - the vertices and edges of a part of the mesh, each once over the ranks.

   A part of cells or facets may touch a vertex on some of the ranks that know it only: those that see it in the part agree on
   one of them, by its global number. */
#include "fe_impl.h"

/* The vertices of a cell, as bits, that belong to member i of a part; everything: i counts cells. */
static PetscInt member_vertices(const RungCell *cell, const RungPart *part, PetscInt i)
{
  const PetscInt m    = RungCellGet(cell->facet_type)->vertices;
  PetscInt       bits = 0;

  if (!part || !part->facet) return ((PetscInt)1 << cell->vertices) - 1;
  for (PetscInt k = 0; k < m; ++k) bits |= (PetscInt)1 << cell->facet[part->facet[i]][k];
  return bits;
}

/* where[entity] = cell * entities of a cell + entity of the cell of the first place that shows it; -1: not in the part */
static PetscErrorCode see(RungMesh mesh, PetscInt d, const RungPart *part, PetscInt where[])
{
  const RungMeshData *data    = &mesh->data;
  const RungCell     *cell    = RungCellGet(data->type);
  const PetscInt      members = part ? part->count : data->cells;
  PetscInt            n, m, stride;
  const PetscInt     *corner;

  PetscFunctionBegin;
  PetscCall(RungCellEntities(cell, d, &n, &m, &corner, &stride));
  for (PetscInt e = 0; e < data->entities[d]; ++e) where[e] = -1;
  for (PetscInt i = 0; i < members; ++i) {
    const PetscInt c = part ? part->cell[i] : i, bits = member_vertices(cell, part, i);

    for (PetscInt k = 0; k < n; ++k) {
      const PetscInt e   = data->cell_entity[d][c * n + k];
      PetscInt       all = 1;

      for (PetscInt v = 0; v < m; ++v) all &= bits >> corner[k * stride + v];
      if (all & 1 && where[e] < 0) where[e] = c * n + k;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshFindEntities(RungMesh mesh, PetscInt d, const RungPart *part, PetscInt *count, PetscInt **cell,
                                    PetscInt **entity)
{
  const RungMeshData *data = &mesh->data;
  PetscInt            n, m, stride, seen = 0, *where, *key, *owner, *holders;
  const PetscInt     *corner;
  PetscMPIInt         me;
  RungDirectory       dir;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(mesh->comm, &me));
  PetscCall(RungCellEntities(RungCellGet(data->type), d, &n, &m, &corner, &stride));
  PetscCall(PetscMalloc4(data->entities[d], &where, data->entities[d], &key, data->entities[d], &owner,
                         data->entities[d], &holders));
  PetscCall(see(mesh, d, part, where));
  for (PetscInt e = 0; e < data->entities[d]; ++e) {
    if (where[e] < 0) continue;
    where[seen] = where[e];
    key[seen++] = data->global[d][e];
  }
  PetscCall(RungDirectoryCreate(mesh->comm, 1, seen, key, &dir));
  PetscCall(RungDirectoryChoose(dir, owner, holders));
  PetscCall(RungDirectoryDestroy(&dir));
  PetscCall(PetscMalloc1(seen, cell));
  PetscCall(PetscMalloc1(seen, entity));
  *count = 0;
  for (PetscInt i = 0; i < seen; ++i) {
    if (owner[i] != me) continue;
    (*cell)[*count]       = where[i] / n;
    (*entity)[(*count)++] = where[i] % n;
  }
  PetscCall(PetscFree4(where, key, owner, holders));
  PetscFunctionReturn(PETSC_SUCCESS);
}
