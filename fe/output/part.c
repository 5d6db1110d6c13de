/* part.c - what a series holds where it is of a part of the mesh: its cells, or its facets as cells of their own. */
#include "output_impl.h"

#include <string.h>

/* Where the places of a part are. */
static PetscErrorCode find_places(RungMesh mesh, const char part[], RungDomain *domain, const RungPlaces **places)
{
  static const RungDomain list[] = {RUNG_CELLS, RUNG_BOUNDARY, RUNG_INTERIOR_FACETS};
  PetscBool               has    = PETSC_FALSE;

  PetscFunctionBegin;
  *domain = RUNG_BOUNDARY; /* whose message about a part that is none lists those that exist */
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(list) && !has; ++i) {
    PetscCall(RungMeshHasPart(mesh, list[i], part, &has));
    if (has) *domain = list[i];
  }
  PetscCall(RungMeshGetPlaces(mesh, *domain, part, places));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOutputSetPart(RungOutput o, RungMesh mesh, const char part[])
{
  RungDomain        domain;
  const RungPlaces *places;

  PetscFunctionBegin;
  RungNeed(o);
  PetscCheck(!o->written, o->comm, PETSC_ERR_ORDER, "the part of a series after its first time; choose it before");
  PetscCall(find_places(mesh, part, &domain, &places));
  PetscCall(PetscFree(o->part));
  PetscCall(PetscStrallocpy(part, &o->part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- points of facets --------------------------------------------------------------------------------------- */

/* node[facet][point]: the cell's node at each point of a facet, in VTK's order.  The facet's lattice goes into the cell's by the
   affine map of their reference cells, in units of 1/degree. */
typedef struct {
  int       type;   /* of VTK */
  PetscInt  points; /* of a facet */
  PetscInt *node;   /* owned */
} Facets;

static PetscInt find_node(const RungElement *e, PetscInt dim, const PetscInt c[3])
{
  const PetscInt first = RungCellGet(e->type)->simplex ? 1 : 0;
  PetscInt       j     = 0;
  PetscBool      same  = PETSC_FALSE;

  for (; j < e->nodes && !same; j += !same) {
    same = PETSC_TRUE;
    for (PetscInt a = 0; a < dim; ++a) same = (PetscBool)(same && e->lattice[4 * j + first + a] == c[a]);
  }
  return j;
}

/* The facet's vertex at unit coordinate a of its reference cell, -1: its origin. */
static PetscInt unit_vertex(const RungCell *facet, PetscInt axis)
{
  PetscInt v = 0;

  for (PetscInt i = 0; i < facet->vertices; ++i) {
    PetscBool at = PETSC_TRUE;

    for (PetscInt a = 0; a < facet->dim; ++a) at = (PetscBool)(at && facet->x[i][a] == (a == axis ? 1 : 0));
    if (at) v = i;
  }
  return v;
}

static PetscErrorCode make_facets(const RungElement *e, Facets *facets)
{
  const RungCell *cell = RungCellGet(e->type), *facet = RungCellGet(cell->facet_type);
  const PetscInt  k = e->degree, first = facet->simplex ? 1 : 0;
  PetscInt       *lattice;

  PetscFunctionBegin;
  PetscCall(RungVtkCell(cell->facet_type, k, &facets->type, &facets->points, &lattice));
  PetscCall(PetscMalloc1(cell->facets * facets->points, &facets->node));
  for (PetscInt f = 0; f < cell->facets; ++f) {
    const PetscReal *origin = cell->x[cell->facet[f][unit_vertex(facet, -1)]];

    for (PetscInt p = 0; p < facets->points; ++p) {
      PetscInt c[3] = {0, 0, 0};

      for (PetscInt a = 0; a < cell->dim; ++a) {
        PetscReal x = (PetscReal)k * origin[a];

        for (PetscInt b = 0; b < facet->dim; ++b)
          x += (PetscReal)lattice[4 * p + first + b] * (cell->x[cell->facet[f][unit_vertex(facet, b)]][a] - origin[a]);
        c[a] = (PetscInt)PetscFloorReal(x + 0.5);
      }
      facets->node[f * facets->points + p] = find_node(e, cell->dim, c);
    }
  }
  PetscCall(PetscFree(lattice));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the cut ------------------------------------------------------------------------------------------------ */

/* connection[place][point] of the points of the whole piece. */
static PetscErrorCode connect(RungOutput o, const RungPlaces *places, const Facets *facets, RungVtu *v)
{
  const PetscInt n = places->count, nodes = o->space->data.cell_nodes, m = facets->node ? facets->points : o->points;
  PetscInt      *connection;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * m, &connection));
  for (PetscInt i = 0; i < n; ++i)
    for (PetscInt p = 0; p < m; ++p) {
      const PetscInt node = facets->node ? facets->node[places->facet[0][i] * m + p] : o->order[p];

      connection[i * m + p] = o->space->cell_node[places->cell[0][i] * nodes + node];
    }
  PetscCall(PetscFree(v->connection));
  v->connection  = connection;
  v->cells       = n;
  v->cell_points = m;
  v->type        = facets->node ? facets->type : o->type;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* value[row][n] of the rows in from[]; rows only move forward. */
static void keep_rows(PetscInt rows, const PetscInt from[], PetscInt n, PetscReal value[])
{
  for (PetscInt i = 0; i < rows; ++i) memmove(&value[i * n], &value[from[i] * n], (size_t)n * sizeof *value);
}

/* Points that no cell has are left out. */
static PetscErrorCode drop_points(RungVtu *v)
{
  PetscInt *number, *from, kept = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(v->points, &number));
  PetscCall(PetscMalloc1(v->points, &from));
  for (PetscInt i = 0; i < v->cells * v->cell_points; ++i) number[v->connection[i]] = 1;
  for (PetscInt i = 0; i < v->points; ++i) {
    if (!number[i]) continue;
    from[kept] = i;
    number[i]  = kept++;
  }
  for (PetscInt i = 0; i < v->cells * v->cell_points; ++i) v->connection[i] = number[v->connection[i]];
  keep_rows(kept, from, 3, v->x);
  for (PetscInt i = 0; i < v->arrays; ++i) {
    if (!v->array[i].on_cells) keep_rows(kept, from, v->array[i].components, v->array[i].value);
  }
  v->points = kept;
  PetscCall(PetscFree(number));
  PetscCall(PetscFree(from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungVtuCut(RungOutput o, RungVtu *v)
{
  const RungPlaces *places;
  RungDomain        domain;
  Facets            facets = {0};

  PetscFunctionBegin;
  PetscCall(find_places(o->space->mesh, o->part, &domain, &places));
  if (domain != RUNG_CELLS) PetscCall(make_facets(o->space->element, &facets));
  PetscCall(connect(o, places, &facets, v));
  PetscCall(PetscFree(facets.node));
  for (PetscInt i = 0; i < v->arrays; ++i) { /* a facet has the value of its cell */
    RungVtuArray *a = &v->array[i];
    PetscReal    *value;

    if (!a->on_cells) continue;
    PetscCall(PetscMalloc1(places->count * a->components, &value));
    for (PetscInt c = 0; c < places->count; ++c)
      PetscCall(PetscArraycpy(&value[c * a->components], &a->value[places->cell[0][c] * a->components], a->components));
    PetscCall(PetscFree(a->value));
    a->value = value;
  }
  PetscCall(drop_points(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}
