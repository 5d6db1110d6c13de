/* mesh_glue.c - periodic Gmsh meshes: vertices that $Periodic calls the same become one, cells stay where they are.

   Links may chain (a corner of a box that is periodic along three axes is linked three times): classes of vertices by
   union and find.  Afterwards edges and faces are known by vertices that stand for several places, which is only sound if
   no two of them get the same vertices by accident: where two facets that were different become one, all their vertices
   must be linked. */
#include "fe_impl.h"

static PetscInt root(PetscInt parent[], PetscInt v)
{
  while (parent[v] != v) v = parent[v] = parent[parent[v]];
  return v;
}

/* The vertices of the cells as the nodes of their maps, if these are straight so far. */
static PetscErrorCode make_shape(RungPiece *whole)
{
  const PetscInt nv = RungCellGet(whole->type)->vertices, dim = whole->dim;

  PetscFunctionBegin;
  if (whole->degree) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(whole->cells * nv * dim, &whole->shape));
  for (PetscInt i = 0; i < whole->cells * nv; ++i) {
    for (PetscInt a = 0; a < dim; ++a) whole->shape[i * dim + a] = whole->x[whole->cell_node[i] * dim + a];
  }
  whole->degree = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Facets that become one without being linked, and cells that have a vertex twice. */
static PetscErrorCode check_facets(const RungPiece *whole, const PetscInt glued_node[], const PetscBool linked[],
                                   const char place[], RungFinding *finding)
{
  const RungCell *cell = RungCellGet(whole->type);
  const PetscInt  n = cell->facets, m = RungCellGet(cell->facet_type)->vertices, nv = cell->vertices;
  PetscInt        count[2], *facet[2], *seen;

  PetscFunctionBegin;
  PetscCall(
    RungNumberEntities(whole->cells, nv, whole->cell_node, n, m, cell->facet[0], 4, &count[0], &facet[0], NULL));
  PetscCall(RungNumberEntities(whole->cells, nv, glued_node, n, m, cell->facet[0], 4, &count[1], &facet[1], NULL));
  PetscCall(PetscMalloc1(count[1], &seen));
  for (PetscInt f = 0; f < count[1]; ++f) seen[f] = -1;
  for (PetscInt i = 0; i < whole->cells * n; ++i) {
    PetscInt *before = &seen[facet[1][i]], other = 0;

    if (*before < 0) *before = facet[0][i];
    for (PetscInt k = 0; k < m && *before != facet[0][i]; ++k)
      other += linked[whole->cell_node[i / n * nv + cell->facet[i % n][k]]] ? 0 : 1;
    for (PetscInt v = 0; v < nv; ++v) {
      for (PetscInt w = 0; w < v; ++w) other += glued_node[i / n * nv + v] == glued_node[i / n * nv + w] ? 1 : 0;
    }
    if (!other) continue;
    RungFound(finding,
              "%s: %s %" PetscInt_FMT " is too large for a periodic mesh, where its neighbour on both sides is the "
              "same; wanted at least three cells from a periodic boundary to the other",
              place, cell->name, whole->cell_id[i / n]);
    break;
  }
  PetscCall(PetscFree(seen));
  PetscCall(PetscFree(facet[0]));
  PetscCall(PetscFree(facet[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers the classes; the vertices of a class lie where its first one does. */
static PetscErrorCode number_classes(RungPiece *whole, PetscInt parent[], PetscInt number[])
{
  PetscInt n = 0;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < whole->nodes; ++v) {
    if (root(parent, v) != v) continue;
    for (PetscInt a = 0; a < whole->dim; ++a) whole->x[n * whole->dim + a] = whole->x[v * whole->dim + a];
    number[v] = n++;
  }
  for (PetscInt v = 0; v < whole->nodes; ++v) number[v] = number[root(parent, v)];
  whole->nodes = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPieceGlue(RungPiece *whole, PetscInt links, const PetscInt link[], const char place[],
                             RungFinding *finding)
{
  const PetscInt nv = RungCellGet(whole->type)->vertices;
  PetscInt      *parent, *number, *glued;
  PetscBool     *linked;

  PetscFunctionBegin;
  if (!links) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc3(whole->nodes, &parent, whole->nodes, &number, whole->cells * nv, &glued));
  PetscCall(PetscCalloc1(whole->nodes, &linked));
  for (PetscInt v = 0; v < whole->nodes; ++v) parent[v] = v;
  for (PetscInt i = 0; i < links; ++i) { /* the lower number stands for both */
    const PetscInt a = root(parent, link[2 * i]), b = root(parent, link[2 * i + 1]);

    parent[PetscMax(a, b)] = PetscMin(a, b);
    linked[link[2 * i]] = linked[link[2 * i + 1]] = PETSC_TRUE;
  }
  for (PetscInt i = 0; i < whole->cells * nv; ++i) glued[i] = root(parent, whole->cell_node[i]);
  PetscCall(make_shape(whole));
  PetscCall(check_facets(whole, glued, linked, place, finding));
  PetscCall(number_classes(whole, parent, number));
  for (PetscInt i = 0; i < whole->cells * nv; ++i) whole->cell_node[i] = number[glued[i]];
  for (PetscInt i = 0; i < whole->tagged * 4; ++i) whole->tagged_node[i] = number[root(parent, whole->tagged_node[i])];
  whole->glued = PETSC_TRUE;
  PetscCall(PetscFree(linked));
  PetscCall(PetscFree3(parent, number, glued));
  PetscFunctionReturn(PETSC_SUCCESS);
}
