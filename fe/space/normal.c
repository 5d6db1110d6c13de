/* normal.c - outward normals at the nodes of a part of the boundary, facet by facet.

   A facet's normal at node i is int phi_i n ds on lines and quadrilaterals.  The sum over the facets of a node is then the one
   direction for which u.n = 0 at all nodes lets nothing through the wall:  int div u dx = int u.n ds = sum_i u_i . N_i
   (M. Engelman, R. Sani, P. Gresho, 1982), and as nodes are Gauss-Lobatto points it is close to n there.  Functions of
   triangles have no mean of their own at some of the nodes: there it is n at the node times the size, on flat facets the same. */
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

/* What is needed of one facet of the reference cell. */
typedef struct {
  const RungQuadrature *rule; /* lent                                                                              */
  PetscReal            *map;  /* owned, derivatives of the geometry: [derivative][point of the rule][geometry node]  */
  PetscReal            *phi;  /* owned, [point of the rule][cell node]                                               */
} Facet;

typedef struct {
  Facet      facet[6];
  PetscReal *map;   /* owned, as in Facet at the nodes of the element */
  PetscBool  means; /* normals are int phi_i n ds                     */
} Tables;

/* J[c][a] = dx_c/dX_a at one of `points` points; table[derivative][point][geometry node] */
static void jacobian_at(const RungMeshData *mesh, PetscInt cell, PetscInt points, PetscInt point,
                        const PetscReal table[], PetscReal J[3][3])
{
  const PetscInt m = mesh->nodes_per_cell;

  for (PetscInt c = 0; c < mesh->dim; ++c) {
    for (PetscInt a = 0; a < mesh->dim; ++a) {
      J[c][a] = 0;
      for (PetscInt v = 0; v < m; ++v)
        J[c][a] += table[((1 + a) * points + point) * m + v] * mesh->x[mesh->cell_node[cell * m + v] * mesh->dim + c];
    }
  }
}

static PetscErrorCode tabulate(const RungElement *element, PetscInt points, const PetscReal x[], PetscInt order,
                               PetscReal **table)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(RungDerivativeCount(RungCellGet(element->type)->dim, order) * points * element->nodes, table));
  PetscCall(RungElementTabulate(element, points, x, order, *table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode tables_create(const RungElement *e, const RungMeshData *mesh, Tables *tables)
{
  const PetscInt degree = e->degree + 2 * mesh->geometry_degree;
  RungElement   *map;

  PetscFunctionBegin;
  PetscCall(RungElementCreateMap(mesh->type, mesh->geometry_degree, &map));
  PetscCall(tabulate(map, e->nodes, e->node, 1, &tables->map));
  tables->means = RungCellGet(mesh->type)->facet_type == RUNG_TRIANGLE ? PETSC_FALSE : PETSC_TRUE;
  for (PetscInt f = 0; f < RungCellGet(mesh->type)->facets; ++f) {
    Facet *facet = &tables->facet[f];

    PetscCall(RungQuadratureGetFacet(mesh->type, f, degree, &facet->rule));
    PetscCall(tabulate(map, facet->rule->points, facet->rule->x, 1, &facet->map));
    PetscCall(tabulate(e, facet->rule->points, facet->rule->x, 0, &facet->phi));
  }
  PetscCall(RungElementDestroy(&map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode tables_destroy(Tables *tables)
{
  PetscFunctionBegin;
  for (int f = 0; f < 6; ++f) {
    PetscCall(PetscFree(tables->facet[f].map));
    PetscCall(PetscFree(tables->facet[f].phi));
  }
  PetscCall(PetscFree(tables->map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The normal of a facet of a cell at cell node i, as long as the facet is large. */
static void normal_at(const RungElement *e, const RungMeshData *mesh, const Tables *tables, PetscInt cell, PetscInt f,
                      PetscInt i, PetscReal normal[3])
{
  const RungCell *reference = RungCellGet(mesh->type);
  const Facet    *facet     = &tables->facet[f];
  const PetscInt  points    = tables->means ? facet->rule->points : 1;

  for (int a = 0; a < 3; ++a) normal[a] = 0;
  for (PetscInt q = 0; q < points; ++q) {
    PetscReal weight = reference->facet_size[f], J[3][3], n[3];

    if (tables->means) {
      weight = facet->rule->weight[q] * facet->phi[q * e->nodes + i];
      jacobian_at(mesh, cell, points, q, facet->map, J);
    } else {
      jacobian_at(mesh, cell, e->nodes, i, tables->map, J);
    }
    facet_normal(mesh->dim, (const PetscReal(*)[3])J, reference->normal[f], n);
    for (PetscInt a = 0; a < mesh->dim; ++a) normal[a] += weight * n[a];
  }
}

PetscErrorCode RungSpaceGetFacetNormals(RungSpace space, const char part[], PetscInt *count, PetscInt **nodes,
                                        PetscReal **normals)
{
  RungNeed(space);
  const RungElement  *e = space->element;
  const RungMeshData *mesh;
  const RungPlaces   *places;
  Tables              tables = {0};
  PetscInt            n      = 0;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(space->mesh, &mesh));
  PetscCall(RungMeshGetPlaces(space->mesh, RUNG_BOUNDARY, part, &places));
  RungCallOrUndo(tables_create(e, mesh, &tables), PetscCall(tables_destroy(&tables)));
  for (PetscInt i = 0; i < places->count; ++i)
    n += e->facet_start[places->facet[0][i] + 1] - e->facet_start[places->facet[0][i]];
  PetscCall(PetscMalloc1(n, nodes));
  PetscCall(PetscMalloc1(n * mesh->dim, normals));
  *count = 0;
  for (PetscInt i = 0; i < places->count; ++i) {
    const PetscInt cell = places->cell[0][i], facet = places->facet[0][i];

    for (PetscInt j = e->facet_start[facet]; j < e->facet_start[facet + 1]; ++j) {
      PetscReal normal[3];

      normal_at(e, mesh, &tables, cell, facet, e->facet_node[j], normal);
      for (PetscInt a = 0; a < mesh->dim; ++a) (*normals)[*count * mesh->dim + a] = normal[a];
      (*nodes)[(*count)++] = space->cell_node[cell * e->nodes + e->facet_node[j]];
    }
  }
  PetscCall(tables_destroy(&tables));
  PetscFunctionReturn(PETSC_SUCCESS);
}
