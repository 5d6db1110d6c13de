/* mesh_sides.c - interior facets with the cells on both sides, also where these are on two ranks.

   Every facet between two cells is integrated by the rank that owns it.  If the other cell is on another rank, that cell's
   geometry comes here, as a far cell; ranks find each other through the facets' global numbers. */
#include "fe_impl.h"

/* ---- who is on the other side -------------------------------------------------------------------------------------- */

/* A side is cell * facets + facet, with local or with global numbers of cells. */
typedef struct {
  RungMesh            mesh;
  const RungMeshData *data;
  const RungCell     *cell;
  PetscInt            d;              /* dimension of the facets                                        */
  PetscInt           *first, *second; /* owned, [facet entity] local sides, -1: none                     */
  PetscInt            cuts, *cut;     /* owned, facet entities with one local and one foreign side       */
  PetscInt           *other;          /* owned, [cut] the foreign side, global                           */
  PetscInt           *vertex, *id;    /* owned, [far cell][vertex] global vertex; [far cell] cell id     */
} Search;

static PetscErrorCode find_local(Search *s)
{
  const PetscInt n = s->data->entities[s->d], facets = s->cell->facets;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &s->first));
  PetscCall(PetscMalloc1(n, &s->second));
  PetscCall(PetscMalloc1(n, &s->cut));
  for (PetscInt e = 0; e < n; ++e) s->first[e] = s->second[e] = -1;
  for (PetscInt i = 0; i < s->data->cells * facets; ++i) {
    const PetscInt turn = s->d ? i : i / facets * facets + (1 - i % facets); /* vertex i is opposite to facet i */
    const PetscInt e    = s->data->cell_entity[s->d][turn];

    if (s->first[e] < 0)
      s->first[e] = i;
    else
      s->second[e] = i;
  }
  for (PetscInt e = 0; e < n; ++e) {
    const PetscInt i = s->first[e];

    if (i >= 0 && s->second[e] < 0 && !(s->mesh->exterior[i / facets] >> (i % facets) & 1)) s->cut[s->cuts++] = e;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both holders of a facet bring their side: the other one is the largest or the smallest of the two. */
static PetscErrorCode find_foreign(Search *s)
{
  const PetscInt start = s->data->cell_start * s->cell->facets;
  PetscInt      *key, *least;
  RungDirectory  dir;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(s->cuts, &key, s->cuts, &least));
  PetscCall(PetscMalloc1(s->cuts, &s->other));
  for (PetscInt i = 0; i < s->cuts; ++i) {
    key[i]      = s->data->global[s->d][s->cut[i]];
    s->other[i] = start + s->first[s->cut[i]];
    least[i]    = -s->other[i];
  }
  PetscCall(RungDirectoryCreate(s->mesh->comm, 1, s->cuts, key, &dir));
  PetscCall(RungDirectoryMax(dir, s->other));
  PetscCall(RungDirectoryMax(dir, least));
  for (PetscInt i = 0; i < s->cuts; ++i) {
    if (s->other[i] == start + s->first[s->cut[i]]) s->other[i] = -least[i];
  }
  PetscCall(RungDirectoryDestroy(&dir));
  PetscCall(PetscFree2(key, least));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Far cells behind the facets that this rank owns.  Out global[far], the caller's. */
static PetscErrorCode list_far(const Search *s, RungSides sides, PetscInt **global)
{
  PetscInt n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(s->cuts, global));
  for (PetscInt i = 0; i < s->cuts; ++i) {
    if (s->cut[i] < s->data->owned[s->d]) (*global)[n++] = s->other[i] / s->cell->facets;
  }
  PetscCall(PetscSortRemoveDupsInt(&n, *global));
  sides->far = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The ranks that have cells with these ascending global numbers. */
static PetscErrorCode find_owners(const Search *s, PetscInt n, const PetscInt global[], PetscMPIInt owner[])
{
  PetscMPIInt size, r = 0;
  PetscInt   *start;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(s->mesh->comm, &size));
  PetscCall(PetscMalloc1(size + 1, &start));
  PetscCallMPI(MPI_Allgather(&s->data->cell_start, 1, MPIU_INT, start, 1, MPIU_INT, s->mesh->comm));
  start[size] = s->data->cells_global;
  for (PetscInt i = 0; i < n; ++i) {
    while (global[i] >= start[r + 1]) ++r;
    owner[i] = r;
  }
  PetscCall(PetscFree(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Geometry, vertices and ids of the far cells from their owners. */
static PetscErrorCode fetch_far(Search *s, RungSides sides)
{
  const RungMeshData *data = s->data;
  const PetscInt      nv = s->cell->vertices, m = data->nodes_per_cell, dim = data->dim;
  PetscInt           *vertex;
  PetscReal          *x;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(data->cells * nv, &vertex, data->cells * m * dim, &x));
  for (PetscInt i = 0; i < data->cells * nv; ++i) vertex[i] = data->global[0][data->cell_entity[0][i]];
  for (PetscInt i = 0; i < data->cells * m; ++i) {
    for (PetscInt a = 0; a < dim; ++a) x[i * dim + a] = data->x[data->cell_node[i] * dim + a];
  }
  PetscCall(PetscMalloc1(sides->far * nv, &s->vertex));
  PetscCall(PetscMalloc1(sides->far, &s->id));
  PetscCall(PetscMalloc1(sides->far * m * dim, &sides->x));
  PetscCall(RungExchangeForward(sides->exchange, (size_t)nv * sizeof *vertex, vertex, s->vertex));
  PetscCall(RungExchangeForward(sides->exchange, sizeof *s->id, s->data->cell_number, s->id));
  PetscCall(RungExchangeForward(sides->exchange, (size_t)(m * dim) * sizeof *x, x, sides->x));
  PetscCall(PetscFree2(vertex, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- pairs --------------------------------------------------------------------------------------------------------- */

static PetscInt id_of(const Search *s, PetscInt cell)
{
  return cell < s->data->cells ? s->data->cell_number[cell] : s->id[cell - s->data->cells];
}

/* Global numbers of the vertices of a side's facet, in its order. */
static void facet_vertices(const Search *s, PetscInt side, PetscInt vertex[])
{
  const PetscInt c = side / s->cell->facets, nv = s->cell->vertices, *corner = s->cell->facet[side % s->cell->facets];

  for (PetscInt k = 0; k < RungCellGet(s->cell->facet_type)->vertices; ++k) {
    vertex[k] = c < s->data->cells ? s->data->global[0][s->data->cell_entity[0][c * nv + corner[k]]]
                                   : s->vertex[(c - s->data->cells) * nv + corner[k]];
  }
}

/* -1: the two do not have the same vertices */
static PetscInt find_turn(const Search *s, PetscInt plus, PetscInt minus)
{
  const RungCellType type = s->cell->facet_type;
  PetscInt           a[4], b[4];

  if (!s->d) return 0;
  facet_vertices(s, plus, a);
  facet_vertices(s, minus, b);
  for (PetscInt t = 0; t < RungFacetTurns(type); ++t) {
    const PetscInt *to = RungFacetTurn(type, t);
    PetscInt        k  = 0;

    while (k < RungCellGet(type)->vertices && a[k] == b[to[k]]) ++k;
    if (k == RungCellGet(type)->vertices) return t;
  }
  return -1;
}

static PetscErrorCode add_pair(const Search *s, PetscInt plus, PetscInt minus, RungSides sides)
{
  const PetscInt n = s->cell->facets, swap = id_of(s, plus / n) > id_of(s, minus / n), i = sides->facets++;
  const PetscInt side[2] = {swap ? minus : plus, swap ? plus : minus};

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    sides->cell[k][i]  = side[k] / n;
    sides->facet[k][i] = side[k] % n;
  }
  sides->turn[i] = find_turn(s, side[0], side[1]);
  PetscCheck(sides->turn[i] >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "two cells at a facet disagree about its vertices");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode pair_up(const Search *s, const PetscInt far_global[], RungSides sides)
{
  const PetscInt facets = s->cell->facets;
  PetscInt       n = 0, c = 0, at;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < s->data->owned[s->d]; ++e) n += s->second[e] >= 0 ? 1 : 0;
  n += s->cuts;
  for (int k = 0; k < 2; ++k) PetscCall(PetscMalloc1(n, &sides->cell[k]));
  for (int k = 0; k < 2; ++k) PetscCall(PetscMalloc1(n, &sides->facet[k]));
  PetscCall(PetscMalloc1(n, &sides->turn));
  for (PetscInt e = 0; e < s->data->owned[s->d]; ++e) {
    if (s->second[e] >= 0) PetscCall(add_pair(s, s->first[e], s->second[e], sides));
    if (c == s->cuts || s->cut[c] != e) continue;
    PetscCall(PetscFindInt(s->other[c] / facets, sides->far, far_global, &at));
    PetscCall(add_pair(s, s->first[e], (s->data->cells + at) * facets + s->other[c] % facets, sides));
    ++c;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- life ---------------------------------------------------------------------------------------------------------- */

static PetscErrorCode create(RungMesh mesh, RungSides sides)
{
  const RungCell *cell = RungCellGet(mesh->data.type);
  Search          s    = {.mesh = mesh, .data = &mesh->data, .cell = cell, .d = cell->dim - 1};
  PetscInt       *global;
  PetscMPIInt    *owner;

  PetscFunctionBegin;
  PetscCall(RungMeshNeedEntities(mesh, s.d));
  PetscCall(find_local(&s));
  PetscCall(find_foreign(&s));
  PetscCall(list_far(&s, sides, &global));
  PetscCall(PetscMalloc1(sides->far, &owner));
  PetscCall(find_owners(&s, sides->far, global, owner));
  PetscCall(RungExchangeCreate(mesh->comm, sides->far, owner, global, mesh->data.cell_start, &sides->exchange));
  PetscCall(fetch_far(&s, sides));
  PetscCall(pair_up(&s, global, sides));
  PetscCall(PetscFree(owner));
  PetscCall(PetscFree(global));
  PetscCall(PetscFree(s.first));
  PetscCall(PetscFree(s.second));
  PetscCall(PetscFree(s.cut));
  PetscCall(PetscFree(s.other));
  PetscCall(PetscFree(s.vertex));
  PetscCall(PetscFree(s.id));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshGetSides(RungMesh mesh, RungSides *sides)
{
  PetscFunctionBegin;
  PetscCall(RungMeshSetUp(mesh));
  if (!mesh->sides) {
    PetscCall(PetscNew(&mesh->sides));
    if (mesh->data.type != RUNG_POINT) PetscCall(create(mesh, mesh->sides));
  }
  *sides = mesh->sides;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshGetFarCells(RungMesh mesh, PetscInt *cells, const PetscReal **x)
{
  RungSides sides;

  PetscFunctionBegin;
  RungNeed(mesh);
  PetscCall(RungMeshGetSides(mesh, &sides));
  *cells = sides->far;
  *x     = sides->x;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshMarkFarCells(RungMesh mesh, PetscBool mark[])
{
  RungSides sides;

  PetscFunctionBegin;
  RungNeed(mesh);
  PetscCall(RungMeshGetSides(mesh, &sides));
  if (sides->exchange) PetscCall(RungExchangeForward(sides->exchange, sizeof *mark, mark, mark + mesh->data.cells));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshSidesDestroy(RungMesh mesh)
{
  RungSides s = mesh->sides;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < 2; ++k) PetscCall(PetscFree(s->cell[k]));
  for (int k = 0; k < 2; ++k) PetscCall(PetscFree(s->facet[k]));
  PetscCall(PetscFree(s->turn));
  PetscCall(PetscFree(s->x));
  PetscCall(RungExchangeDestroy(&s->exchange));
  PetscCall(PetscFree(mesh->sides));
  PetscFunctionReturn(PETSC_SUCCESS);
}
