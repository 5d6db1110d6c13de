/* part.c - what a series holds where it is of a part of the mesh: its cells, or its facets as cells of their own. */
#include "output_impl.h"

#include <string.h>

/* What is cut out: cells, or facets of cells. */
typedef struct {
  PetscBool whole; /* cells; the same on all ranks    */
  PetscInt  count;
  PetscInt *cell;  /* owned, [count] local            */
  PetscInt *facet; /* owned, [count], unless cells    */
} Cut;

/* Which entity facet f of a cell is; in one dimension facet i is opposite to vertex i. */
static PetscInt facet_entity(const RungMeshData *data, PetscInt c, PetscInt f)
{
  const RungCell *cell = RungCellGet(data->type);
  const PetscInt  d    = cell->dim - 1;

  return data->cell_entity[d][c * cell->facets + (d ? f : 1 - f)];
}

/* first[local facet]: the least number of a cell that has it, of any rank; those of the part, others are not looked at. */
static PetscErrorCode find_first(RungMesh mesh, const RungPart *part, PetscInt first[])
{
  const RungMeshData *data = &mesh->data;
  const PetscInt      d = part->dim, n = data->entities[d];
  PetscInt           *key, *value, keys = 0;
  RungDirectory       dir;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &key, n, &value));
  for (PetscInt e = 0; e < n; ++e) first[e] = -1;
  for (PetscInt i = 0; i < part->count; ++i) {
    const PetscInt c = part->cell[i], e = facet_entity(data, c, part->entity[i]);

    if (first[e] < 0 || data->cell_number[c] < first[e]) first[e] = data->cell_number[c];
  }
  for (PetscInt e = 0; e < n; ++e) {
    if (first[e] < 0) continue;
    key[keys]     = data->global[d][e];
    value[keys++] = -first[e];
  }
  PetscCall(RungDirectoryCreate(mesh->comm, 1, keys, key, &dir));
  PetscCall(RungDirectoryMax(dir, value));
  PetscCall(RungDirectoryDestroy(&dir));
  for (PetscInt e = n - 1; e >= 0; --e) {
    if (first[e] >= 0) first[e] = -value[--keys];
  }
  PetscCall(PetscFree2(key, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each facet of a part once, exterior or interior, of the cell that comes first in the whole mesh, on any number of ranks. */
static PetscErrorCode list_facets(RungMesh mesh, const RungPart *part, Cut *cut)
{
  PetscInt *first;

  PetscFunctionBegin;
  PetscCall(RungMeshNeedEntities(mesh, part->dim));
  PetscCall(PetscMalloc1(mesh->data.entities[part->dim], &first));
  PetscCall(find_first(mesh, part, first));
  PetscCall(PetscMalloc1(part->count, &cut->cell));
  PetscCall(PetscMalloc1(part->count, &cut->facet));
  for (PetscInt i = 0; i < part->count; ++i) {
    const PetscInt c = part->cell[i], f = part->entity[i];

    if (mesh->data.cell_number[c] != first[facet_entity(&mesh->data, c, f)]) continue;
    cut->cell[cut->count]    = c;
    cut->facet[cut->count++] = f;
  }
  PetscCall(PetscFree(first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy_places(const RungPlaces *places, Cut *cut)
{
  PetscFunctionBegin;
  cut->count = places->count;
  PetscCall(PetscMalloc1(cut->count, &cut->cell));
  PetscCall(PetscArraycpy(cut->cell, places->cell[0], cut->count));
  if (cut->whole) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(cut->count, &cut->facet));
  PetscCall(PetscArraycpy(cut->facet, places->facet[0], cut->count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells where there are some of this name, else facets; a name that is neither is refused with those that there are. */
static PetscErrorCode make_cut(RungMesh mesh, const char name[], Cut *cut)
{
  const PetscInt    d = RungCellGet(mesh->data.type)->dim - 1;
  const RungPart   *part;
  const RungPlaces *places;

  PetscFunctionBegin;
  PetscCall(RungMeshHasPart(mesh, RUNG_CELLS, name, &cut->whole));
  part = cut->whole ? NULL : RungMeshFindPart(mesh, d, d, name);
  if (part) {
    PetscCall(list_facets(mesh, part, cut));
  } else {
    PetscCall(RungMeshGetPlaces(mesh, cut->whole ? RUNG_CELLS : RUNG_BOUNDARY, name, &places));
    PetscCall(copy_places(places, cut));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode clear_cut(Cut *cut)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(cut->cell));
  PetscCall(PetscFree(cut->facet));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOutputSetPart(RungOutput o, RungMesh mesh, const char part[])
{
  Cut cut = {0};

  PetscFunctionBegin;
  RungNeed(o);
  PetscCheck(!o->written, o->comm, PETSC_ERR_ORDER, "the part of a series after its first time; choose it before");
  PetscCall(RungMeshSetUp(mesh));
  RungCallFinally(make_cut(mesh, part, &cut), PetscCall(clear_cut(&cut)));
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
static PetscErrorCode connect(RungOutput o, const Cut *cut, const Facets *facets, RungVtu *v)
{
  const PetscInt n = cut->count, nodes = o->space->data.cell_nodes, m = facets->node ? facets->points : o->points;
  PetscInt      *connection;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * m, &connection));
  for (PetscInt i = 0; i < n; ++i)
    for (PetscInt p = 0; p < m; ++p) {
      const PetscInt node = facets->node ? facets->node[cut->facet[i] * m + p] : o->order[p];

      connection[i * m + p] = o->space->cell_node[cut->cell[i] * nodes + node];
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

/* A facet has the value of its cell. */
static PetscErrorCode cut_array(const Cut *cut, RungVtuArray *a)
{
  PetscReal *value;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(cut->count * a->components, &value));
  for (PetscInt i = 0; i < cut->count; ++i)
    PetscCall(PetscArraycpy(&value[i * a->components], &a->value[cut->cell[i] * a->components], a->components));
  PetscCall(PetscFree(a->value));
  a->value = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungVtuCut(RungOutput o, RungVtu *v)
{
  Cut    cut    = {0};
  Facets facets = {0};

  PetscFunctionBegin;
  PetscCall(make_cut(o->space->mesh, o->part, &cut));
  if (!cut.whole) PetscCall(make_facets(o->space->element, &facets));
  PetscCall(connect(o, &cut, &facets, v));
  PetscCall(PetscFree(facets.node));
  for (PetscInt i = 0; i < v->arrays; ++i) {
    if (v->array[i].on_cells) PetscCall(cut_array(&cut, &v->array[i]));
  }
  PetscCall(clear_cut(&cut));
  PetscCall(drop_points(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}
