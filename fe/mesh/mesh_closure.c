/* mesh_closure.c - the vertices and edges of a part of the mesh, each once over the ranks.

   A part of cells or facets may touch a vertex on some of the ranks that know it only: those that see it in the part agree
   on one of them, by its global number.  The cell that shows it is the first in the mesh (in the file), for any number of
   ranks: where vertices are glued, x depends on it. */
#include "fe_impl.h"

PetscInt RungPartVertices(const RungCell *cell, const RungPart *part, PetscInt i)
{
  const PetscInt m    = RungCellGet(cell->facet_type)->vertices;
  PetscInt       bits = 0;

  if (!part || part->dim == cell->dim) return ((PetscInt)1 << cell->vertices) - 1;
  if (part->dim == cell->dim - 1) {
    for (PetscInt k = 0; k < m; ++k) bits |= (PetscInt)1 << cell->facet[part->entity[i]][k];
    return bits;
  }
  if (!part->dim) return (PetscInt)1 << part->entity[i];
  return (PetscInt)1 << cell->edge[part->entity[i]][0] | (PetscInt)1 << cell->edge[part->entity[i]][1];
}

/* where[entity] = cell * entities of a cell + entity of the cell, of the first cell that shows it; -1: not in the part */
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
    const PetscInt c = part ? part->cell[i] : i, bits = RungPartVertices(cell, part, i);

    for (PetscInt k = 0; k < n; ++k) {
      const PetscInt e   = data->cell_entity[d][c * n + k];
      PetscInt       all = 1;

      for (PetscInt v = 0; v < m; ++v) all &= bits >> corner[k * stride + v];
      if (!(all & 1)) continue;
      if (where[e] < 0 || data->cell_number[c] < data->cell_number[where[e] / n]) where[e] = c * n + k;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshFindEntities(RungMesh mesh, PetscInt d, const RungPart *part, PetscInt *count, PetscInt **cell,
                                    PetscInt **entity)
{
  const RungMeshData *data = &mesh->data;
  PetscInt            n, m, stride, seen = 0, *where, *key, *first;
  const PetscInt     *corner;
  RungDirectory       dir;

  PetscFunctionBegin;
  PetscCall(RungMeshNeedEntities(mesh, d));
  PetscCall(RungCellEntities(RungCellGet(data->type), d, &n, &m, &corner, &stride));
  PetscCall(PetscMalloc3(data->entities[d], &where, data->entities[d], &key, data->entities[d], &first));
  PetscCall(see(mesh, d, part, where));
  for (PetscInt e = 0; e < data->entities[d]; ++e) {
    if (where[e] < 0) continue;
    where[seen] = where[e];
    first[seen] = -data->cell_number[where[seen] / n];
    key[seen++] = data->global[d][e];
  }
  PetscCall(RungDirectoryCreate(mesh->comm, 1, seen, key, &dir));
  PetscCall(RungDirectoryMax(dir, first));
  PetscCall(RungDirectoryDestroy(&dir));
  PetscCall(PetscMalloc1(seen, cell));
  PetscCall(PetscMalloc1(seen, entity));
  *count = 0;
  for (PetscInt i = 0; i < seen; ++i) {
    if (-first[i] != data->cell_number[where[i] / n]) continue; /* a cell is on one rank */
    (*cell)[*count]       = where[i] / n;
    (*entity)[(*count)++] = where[i] % n;
  }
  PetscCall(PetscFree3(where, key, first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshMarkEntities(RungMesh mesh, RungDomain domain, const char name[], PetscBool mark[])
{
  const PetscInt      d = domain == RUNG_VERTICES ? 0 : 1;
  const RungMeshData *data;
  const RungPlaces   *places;
  PetscInt            n, m, stride, *value;
  const PetscInt     *corner;
  RungDirectory       dir;

  PetscFunctionBegin;
  RungNeed(mesh);
  PetscCall(RungMeshGetData(mesh, &data));
  PetscCall(RungMeshNeedEntities(mesh, d));
  PetscCall(RungMeshGetPlaces(mesh, domain, name, &places));
  PetscCall(RungCellEntities(RungCellGet(data->type), d, &n, &m, &corner, &stride));
  PetscCall(PetscCalloc1(data->entities[d], &value));
  for (PetscInt i = 0; i < places->count; ++i)
    value[data->cell_entity[d][places->cell[0][i] * n + places->facet[0][i]]] = 1;
  PetscCall(RungDirectoryCreate(mesh->comm, 1, data->entities[d], data->global[d], &dir));
  PetscCall(RungDirectoryMax(dir, value));
  PetscCall(RungDirectoryDestroy(&dir));
  for (PetscInt e = 0; e < data->entities[d]; ++e) mark[e] = value[e] ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}
