/* numbering.c - which nodes a space has on this rank, who owns them, and where they are.

   A continuous space has entity_nodes[d] nodes in every entity of dimension d; the owner of the entity owns them.
   (An owner of an entity has a cell that touches it.)  Owned nodes have the order of their entities where all of these have one dimension,
   vertices of P1 and Q1; others are numbered as the cells, visited in order, touch them first, so that they lie in memory as the cells
   do.  Ghosts follow in the order of their global numbers.  Nodes of a discontinuous space belong to their cells; the one node
   of R is on all ranks, cells or not. */
#include <rungown_room.h>
#include "fe_space_impl.h"

typedef struct {
  PetscInt  dim;         /* of the cells                                                    */
  PetscInt  per_cell[4]; /* [d] entities of a cell                                          */
  PetscInt *first[4];    /* owned, [d][entity] local number of its first node               */
} Numbering;

static PetscErrorCode numbering_destroy(Numbering *numbering)
{
  PetscFunctionBegin;
  for (int d = 0; d < 4; ++d) PetscCall(PetscFree(numbering->first[d]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode allocate_space(RungSpace space, PetscInt cells, PetscInt nodes, PetscInt dim)
{
  PetscFunctionBegin;
  if (!space->lent) {
    PetscCall(PetscMalloc1(cells * space->element->nodes, &space->cell_node));
    PetscCall(PetscCalloc1(nodes * dim, &space->x));
  }
  PetscCall(PetscMalloc1(nodes, &space->global));
  PetscCall(PetscMalloc1(nodes, &space->owner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Start and total from the owned count of every rank; global numbers of the owned nodes. */
static PetscErrorCode set_start(RungSpace space, PetscInt owned)
{
  RungSpaceData *data = &space->data;
  PetscInt       end;

  PetscFunctionBegin;
  data->owned = owned;
  PetscCallMPI(MPI_Scan(&owned, &end, 1, MPIU_INT, MPI_SUM, space->comm));
  PetscCallMPI(MPI_Allreduce(&owned, &data->nodes_global, 1, MPIU_INT, MPI_SUM, space->comm));
  data->start = end - owned;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Owned entities of a cell that no cell before has, n nodes in each. */
static inline void number_new(PetscInt entities, const PetscInt entity[], PetscInt owned, PetscInt n, PetscInt first[],
                              PetscInt *next)
{
  for (PetscInt i = 0; i < entities; ++i) {
    if (first[entity[i]] >= 0 || entity[i] >= owned) continue;
    first[entity[i]] = *next;
    *next += n;
  }
}

static PetscErrorCode number_owned(RungSpace space, const RungMeshData *mesh, Numbering *numbering, PetscInt *owned)
{
  const RungElement *e    = space->element;
  PetscInt           next = 0, some[4], n = 0; /* dimensions with nodes */

  PetscFunctionBegin;
  for (PetscInt d = 0; d <= numbering->dim; ++d) {
    if (!e->entity_nodes[d]) continue;
    some[n++] = d;
    PetscCall(PetscMalloc1(mesh->entities[d], &numbering->first[d]));
    for (PetscInt i = 0; i < mesh->entities[d]; ++i) numbering->first[d][i] = -1;
  }
  for (PetscInt i = 0; n == 1 && i < mesh->owned[some[0]]; ++i, next += e->entity_nodes[some[0]])
    numbering->first[some[0]][i] = next;
  for (PetscInt c = 0; c < mesh->cells && n > 1; ++c)
    for (PetscInt k = 0; k < n; ++k) {
      const PetscInt d = some[k], per_cell = numbering->per_cell[d];

      number_new(per_cell, mesh->cell_entity[d] + c * per_cell, mesh->owned[d], e->entity_nodes[d], numbering->first[d],
                 &next);
    }
  *owned = next;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Global number of the first node of every ghost entity, from its owner: first[d][ghost] in local arrays. */
static PetscErrorCode ask_owners(RungSpace space, const RungMeshData *mesh, PetscInt d, const PetscInt first[],
                                 PetscInt ghost[])
{
  const PetscInt                                owned    = mesh->owned[d];
  RUNG_OWNED(RungExchangeDestroy) RungExchange *exchange = NULL;
  RUNG_FREE PetscInt                           *global   = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(owned, &global));
  for (PetscInt i = 0; i < owned; ++i) global[i] = space->data.start + first[i];
  PetscCall(RungExchangeCreate(space->comm, mesh->entities[d] - owned, mesh->owner[d] + owned, mesh->global[d] + owned,
                               mesh->start[d], &exchange));
  PetscCall(RungExchangeForward(exchange, sizeof(PetscInt), global, ghost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets first[] of the ghost entities, in the order of their global nodes, and global[], owner[] of all nodes. */
static PetscErrorCode number_ghosts(RungSpace space, const RungMeshData *mesh, Numbering *numbering)
{
  const RungElement  *e     = space->element;
  PetscInt            total = 0, nodes = space->data.owned, base[5] = {0};
  RUNG_FREE PetscInt *key = NULL, *which = NULL;
  PetscMPIInt         me;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(space->comm, &me));
  for (PetscInt d = 0; d <= numbering->dim; ++d) {
    const PetscInt ghosts = e->entity_nodes[d] ? mesh->entities[d] - mesh->owned[d] : 0;

    base[d + 1] = total += ghosts;
    nodes += ghosts * e->entity_nodes[d];
  }
  space->data.nodes = nodes;
  PetscCall(allocate_space(space, mesh->cells, nodes, mesh->dim));
  PetscCall(PetscMalloc1(total, &key));
  PetscCall(PetscMalloc1(total, &which));
  for (PetscInt d = 0; d <= numbering->dim; ++d)
    if (e->entity_nodes[d]) PetscCall(ask_owners(space, mesh, d, numbering->first[d], key + base[d]));
  for (PetscInt i = 0; i < total; ++i) which[i] = i;
  PetscCall(PetscSortIntWithArray(total, key, which));
  for (PetscInt i = 0; i < space->data.owned; ++i) {
    space->global[i] = space->data.start + i;
    space->owner[i]  = me;
  }
  nodes = space->data.owned;
  for (PetscInt i = 0; i < total; ++i) {
    PetscInt d = 0, entity;

    while (which[i] >= base[d + 1]) ++d;
    entity                      = mesh->owned[d] + which[i] - base[d];
    numbering->first[d][entity] = nodes;
    for (PetscInt j = 0; j < e->entity_nodes[d]; ++j, ++nodes) {
      space->global[nodes] = key[i] + j;
      space->owner[nodes]  = mesh->owner[d][entity];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The global numbers of the vertices of entity i of dimension d of a cell give its orientation. */
static PetscInt orientation(const RungMeshData *mesh, PetscInt cell, PetscInt d, PetscInt i)
{
  const RungCell *type   = RungCellGet(mesh->type);
  const PetscInt *corner = d == type->dim - 1 ? type->facet[i] : type->edge[i];
  PetscInt        vertex[4];

  for (PetscInt v = 0; v < (d == 1 ? 2 : type->simplex ? 3 : 4); ++v)
    vertex[v] = mesh->global[0][mesh->cell_entity[0][cell * type->vertices + corner[v]]];
  return RungOrientation(d == 1 ? RUNG_INTERVAL : type->simplex ? RUNG_TRIANGLE : RUNG_QUADRILATERAL, vertex);
}

/* One in each vertex and no others? */
static PetscBool are_vertices(const RungElement *e)
{
  return e->continuous && e->nodes == RungCellGet(e->type)->vertices && e->entity_nodes[0] == 1 ? PETSC_TRUE
                                                                                                : PETSC_FALSE;
}

/* On one rank nodes that are vertices have their numbers, and their places where the mesh's geometry has no other nodes: the mesh lends both. */
static PetscErrorCode lend(RungSpace space, const RungMeshData *mesh)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(space->comm, &size));
  if (size > 1 || !are_vertices(space->element) || mesh->cell_node != mesh->cell_entity[0])
    PetscFunctionReturn(PETSC_SUCCESS);
  space->lent      = PETSC_TRUE;
  space->cell_node = (PetscInt *)mesh->cell_node;
  space->x         = (PetscReal *)mesh->x;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void fill_cells(RungSpace space, const RungMeshData *mesh, const Numbering *numbering)
{
  const RungElement *e = space->element;

  if (space->lent) return;
  if (are_vertices(e)) {
    for (PetscInt i = 0; i < mesh->cells * e->nodes; ++i) {
      const PetscInt v = mesh->cell_entity[0][i];

      space->cell_node[i] = v < mesh->owned[0] ? v : numbering->first[0][v];
    }
    return;
  }
  for (PetscInt d = 0; d <= numbering->dim; ++d) /* dimension by dimension: most elements have nodes in few */
    for (PetscInt c = 0; c < mesh->cells && e->entity_nodes[d]; ++c) {
      const PetscInt n    = e->entity_nodes[d];
      PetscInt      *node = &space->cell_node[c * e->nodes + e->entity_start[d]];

      for (PetscInt i = 0; i < numbering->per_cell[d]; ++i, node += n) {
        const PetscInt  first = numbering->first[d][mesh->cell_entity[d][c * numbering->per_cell[d] + i]];
        const PetscInt *turn  = n > 1 && d > 0 && d < numbering->dim ? e->turn[d] + n * orientation(mesh, c, d, i)
                                                                     : NULL;

        for (PetscInt j = 0; j < n; ++j) node[j] = first + (turn ? turn[j] : j);
      }
    }
}

static PetscErrorCode number_continuous(RungSpace space, const RungMeshData *mesh)
{
  const RungCell                         *cell      = RungCellGet(mesh->type);
  RUNG_OWNED(numbering_destroy) Numbering numbering = {.dim = cell->dim};
  PetscInt                                owned     = 0;

  PetscFunctionBegin;
  for (PetscInt d = 0; d <= cell->dim; ++d)
    numbering.per_cell[d] = d == cell->dim       ? 1
                            : d == 0             ? cell->vertices
                            : d == cell->dim - 1 ? cell->facets
                                                 : cell->edges;
  for (PetscInt d = 1; d <= cell->dim; ++d)
    if (space->element->entity_nodes[d]) PetscCall(RungMeshNeedEntities(space->mesh, d));
  PetscCall(number_owned(space, mesh, &numbering, &owned));
  PetscCall(set_start(space, owned));
  PetscCall(lend(space, mesh));
  PetscCall(number_ghosts(space, mesh, &numbering));
  fill_cells(space, mesh, &numbering);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode number_discontinuous(RungSpace space, const RungMeshData *mesh)
{
  const PetscInt n = mesh->cells * space->element->nodes;
  PetscMPIInt    me;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(space->comm, &me));
  PetscCall(set_start(space, n));
  space->data.nodes = n;
  PetscCall(allocate_space(space, mesh->cells, n, mesh->dim));
  for (PetscInt i = 0; i < n; ++i) {
    space->cell_node[i] = i;
    space->global[i]    = space->data.start + i;
    space->owner[i]     = me;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One node for all cells: owned by the lowest rank that has cells, a ghost on all others. */
static PetscErrorCode number_single(RungSpace space, const RungMeshData *mesh)
{
  PetscMPIInt me, size, mine, owner;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(space->comm, &me));
  PetscCallMPI(MPI_Comm_size(space->comm, &size));
  mine = mesh->cells ? me : size;
  PetscCallMPI(MPI_Allreduce(&mine, &owner, 1, MPI_INT, MPI_MIN, space->comm));
  if (owner == size) owner = 0;
  PetscCall(set_start(space, me == owner ? 1 : 0));
  space->data.nodes = 1;
  PetscCall(allocate_space(space, mesh->cells, 1, mesh->dim));
  PetscCall(PetscArrayzero(space->cell_node, mesh->cells));
  space->global[0] = 0;
  space->owner[0]  = owner;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSpaceNumber(RungSpace space, const RungMeshData *mesh)
{
  RungSpaceData *data = &space->data;

  PetscFunctionBegin;
  if (space->element->single)
    PetscCall(number_single(space, mesh));
  else if (space->element->continuous)
    PetscCall(number_continuous(space, mesh));
  else
    PetscCall(number_discontinuous(space, mesh));
  data->global    = space->global;
  data->owner     = space->owner;
  data->cell_node = space->cell_node;
  data->x         = space->x;
  PetscCall(RungExchangeCreate(space->comm, data->nodes - data->owned, space->owner + data->owned,
                               space->global + data->owned, data->start, &space->exchange));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The geometry nodes of a cell, [geometry node][3]; 0 beyond the dimension. */
static void corners_of(const RungMeshData *mesh, PetscInt c, PetscReal corner[])
{
  const PetscInt *node = mesh->cell_node + c * mesh->nodes_per_cell;

  for (PetscInt v = 0; v < mesh->nodes_per_cell; ++v)
    for (PetscInt a = 0; a < 3; ++a) corner[3 * v + a] = a < mesh->dim ? mesh->x[node[v] * mesh->dim + a] : 0;
}

/* The place of a node by the cell map, x[3]; table[geometry node] at the node. */
static void place_of(PetscInt m, const PetscReal table[], const PetscReal corner[], PetscReal x[])
{
  x[0] = x[1] = x[2] = 0;
  for (PetscInt v = 0; v < m; ++v)
    for (PetscInt a = 0; a < 3; ++a) x[a] += table[v] * corner[3 * v + a];
}

#define APART 1e-6 /* of the distance of two geometry nodes of a cell: places nearer than this are one */

/* Is x another place than y, and a lower one?  The first axis along which they lie apart decides. */
static PetscBool is_lower(PetscInt dim, PetscReal near, const PetscReal x[], const PetscReal y[])
{
  for (PetscInt a = 0; a < dim; ++a) {
    if (PetscAbsReal(x[a] - y[a]) > near) return x[a] < y[a] ? PETSC_TRUE : PETSC_FALSE;
  }
  return PETSC_FALSE;
}

/* Between the first and the last geometry node. */
static PetscReal cell_size(PetscInt m, const PetscReal corner[])
{
  PetscReal square = 0;

  for (PetscInt a = 0; a < 3; ++a) square += PetscSqr(corner[a] - corner[3 * (m - 1) + a]);
  return PetscSqrtReal(square);
}

/* Nodes on the seam of a mesh that closes upon itself have a place in the cells of either side: the lower one, whoever has those cells;
   near[owned node].  Ghosts take the numbers of their owner, so that all ranks have the same to the last bit. */
static PetscErrorCode agree(RungSpace space, PetscInt dim, const PetscReal near[])
{
  const RungExchange *ex    = space->exchange;
  const size_t        bytes = (size_t)dim * sizeof(PetscReal);
  const void         *received;
  PetscReal          *owned = space->x, *ghost = space->x + space->data.owned * dim;

  PetscFunctionBegin;
  PetscCall(RungExchangeReverse(space->exchange, bytes, ghost, &received));
  for (PetscInt i = 0; i < ex->start[RUNG_OWNERS][ex->n[RUNG_OWNERS]]; ++i) {
    const PetscInt   node  = ex->item[RUNG_OWNERS][i];
    const PetscReal *other = (const PetscReal *)received + i * dim;

    if (is_lower(dim, near[node], other, owned + node * dim)) PetscCall(PetscArraycpy(owned + node * dim, other, dim));
  }
  PetscCall(RungExchangeForward(space->exchange, bytes, owned, ghost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool have_places(PetscInt n, const PetscInt node[], const PetscReal near[])
{
  for (PetscInt i = 0; i < n; ++i)
    if (near[node[i]] == 0) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* x(node) by the cell map, of the last cell that has the node there. */
PetscErrorCode RungSpaceLocate(RungSpace space, const RungMeshData *mesh)
{
  const RungElement   *e     = space->element;
  const PetscInt       m     = mesh->nodes_per_cell;
  const PetscBool      glued = mesh->geometry_degree == 1 && mesh->nodes == mesh->cells * m ? PETSC_TRUE : PETSC_FALSE;
  RUNG_FREE PetscReal *table = NULL; /* [node][geometry node] */
  RUNG_FREE PetscReal *near  = NULL; /* [node], 0: it has no place yet */

  PetscFunctionBegin;
  if (e->single || space->lent) PetscFunctionReturn(PETSC_SUCCESS); /* it is nowhere, or its places are known */
  PetscCall(PetscCalloc1(space->data.nodes, &near));
  PetscCall(PetscMalloc1(e->nodes * m, &table));
  PetscCall(RungCellTabulate(mesh->type, mesh->geometry_degree, e->nodes, e->node, 0, table));
  for (PetscInt c = mesh->cells - 1; c >= 0; --c) {
    PetscReal corner[27 * 3], apart;

    if (!glued && have_places(e->nodes, space->cell_node + c * e->nodes, near)) continue;
    corners_of(mesh, c, corner);
    apart = PetscMax(APART * cell_size(m, corner), PETSC_MACHINE_EPSILON);
    for (PetscInt i = 0; i < e->nodes; ++i) {
      const PetscInt node = space->cell_node[c * e->nodes + i];
      PetscReal      here[3], *x = &space->x[node * mesh->dim];

      if (near[node] != 0 && !glued) continue; /* the same place in each cell */
      place_of(m, table + i * m, corner, here);
      if (near[node] != 0 && !is_lower(mesh->dim, near[node], here, x)) continue;
      for (PetscInt k = 0; k < mesh->dim; ++k) x[k] = here[k];
      near[node] = apart;
    }
  }
  for (PetscInt i = 0; i < space->data.nodes * mesh->dim; ++i)
    if (near[i / mesh->dim] == 0) space->x[i] = PETSC_INFINITY; /* in no cell of this rank: nobody takes it */
  PetscCall(agree(space, mesh->dim, near));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSpaceFindNode(RungSpace space, const PetscReal x[], PetscReal near, PetscInt *node)
{
  const RungElement   *e = space->element;
  const RungMeshData  *mesh;
  RUNG_FREE PetscReal *table = NULL;

  PetscFunctionBegin;
  RungNeed(space);
  *node = -1;
  PetscCall(RungMeshGetData(space->data.mesh, &mesh));
  PetscCall(PetscMalloc1(e->nodes * mesh->nodes_per_cell, &table));
  PetscCall(RungCellTabulate(mesh->type, mesh->geometry_degree, e->nodes, e->node, 0, table));
  for (PetscInt c = 0; c < mesh->cells; ++c) {
    PetscReal corner[27 * 3];

    corners_of(mesh, c, corner);
    for (PetscInt i = 0; i < e->nodes; ++i) {
      const PetscInt here     = space->cell_node[c * e->nodes + i];
      PetscReal      distance = 0, y[3];

      place_of(mesh->nodes_per_cell, table + i * mesh->nodes_per_cell, corner, y);
      for (PetscInt a = 0; a < mesh->dim; ++a) distance += PetscSqr(y[a] - x[a]);
      if (distance > near * near) continue;
      if (*node < 0 || space->global[here] > space->global[*node]) *node = here;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
