/* normal.c - outward normals at the nodes of a part of the boundary, facet by facet. */
#include "fe_space_impl.h"

/* n = det(J) J^-T N = cof(J) N: outward where det(J) > 0, as long as the facet is larger than its reference. */
static void facet_normal(PetscInt dim, const PetscReal J[3][3], const PetscReal N[3], PetscReal n[3])
{
  n[0] = N[0];
  if (dim == 2) {
    n[0] = J[1][1] * N[0] - J[1][0] * N[1];
    n[1] = J[0][0] * N[1] - J[0][1] * N[0];
  }
  for (PetscInt c = 0; dim == 3 && c < 3; ++c) {
    const PetscInt p = (c + 1) % 3, q = (c + 2) % 3;

    n[c] = 0;
    for (PetscInt a = 0; a < 3; ++a) {
      const PetscInt r = (a + 1) % 3, s = (a + 2) % 3;

      n[c] += (J[p][r] * J[q][s] - J[p][s] * J[q][r]) * N[a];
    }
  }
}

/* J[c][a] = dx_c/dX_a at a node of a cell; table[derivative][node][geometry node] */
static void jacobian_at(const RungMeshData *mesh, PetscInt cell, PetscInt nodes, PetscInt node, const PetscReal table[],
                        PetscReal J[3][3])
{
  const PetscInt m = mesh->nodes_per_cell;

  for (PetscInt c = 0; c < mesh->dim; ++c) {
    for (PetscInt a = 0; a < mesh->dim; ++a) {
      J[c][a] = 0;
      for (PetscInt v = 0; v < m; ++v)
        J[c][a] += table[((1 + a) * nodes + node) * m + v] * mesh->x[mesh->cell_node[cell * m + v] * mesh->dim + c];
    }
  }
}

static PetscErrorCode tabulate_geometry(RungSpace space, const RungMeshData *mesh, PetscReal **table)
{
  const RungElement *e    = space->element;
  const RungCell    *cell = RungCellGet(mesh->type);
  RungElement       *map;

  PetscFunctionBegin;
  PetscCall(RungElementCreateMap(mesh->type, mesh->geometry_degree, &map));
  PetscCall(PetscMalloc1(RungDerivativeCount(cell->dim, 1) * e->nodes * map->nodes, table));
  PetscCall(RungElementTabulate(map, e->nodes, e->node, 1, *table));
  PetscCall(RungElementDestroy(&map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSpaceGetFacetNormals(RungSpace space, const char part[], PetscInt *count, PetscInt **nodes,
                                        PetscReal **normals)
{
  RungNeed(space);
  const RungElement  *e = space->element;
  const RungMeshData *mesh;
  const RungPlaces   *places;
  PetscReal          *table, J[3][3];
  PetscInt            n = 0;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(space->mesh, &mesh));
  PetscCall(RungMeshGetPlaces(space->mesh, RUNG_BOUNDARY, part, &places));
  PetscCall(tabulate_geometry(space, mesh, &table));
  for (PetscInt i = 0; i < places->count; ++i)
    n += e->facet_start[places->facet[0][i] + 1] - e->facet_start[places->facet[0][i]];
  PetscCall(PetscMalloc1(n, nodes));
  PetscCall(PetscMalloc1(n * mesh->dim, normals));
  *count = 0;
  for (PetscInt i = 0; i < places->count; ++i) {
    const PetscInt cell = places->cell[0][i], facet = places->facet[0][i];

    for (PetscInt j = e->facet_start[facet]; j < e->facet_start[facet + 1]; ++j) {
      PetscReal normal[3];

      jacobian_at(mesh, cell, e->nodes, e->facet_node[j], table, J);
      facet_normal(mesh->dim, (const PetscReal(*)[3])J, RungCellGet(mesh->type)->normal[facet], normal);
      for (PetscInt a = 0; a < mesh->dim; ++a) (*normals)[*count * mesh->dim + a] = normal[a];
      (*nodes)[(*count)++] = space->cell_node[cell * e->nodes + e->facet_node[j]];
    }
  }
  PetscCall(PetscFree(table));
  PetscFunctionReturn(PETSC_SUCCESS);
}
