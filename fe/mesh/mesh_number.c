/* mesh_number.c - numbers of vertices, edges and faces that all ranks agree on; those of edges, faces and cells are listed when something first
   asks for them: a space of degree 1 has nothing there.

   The nodes of a piece have their order, edges and faces are numbered as the cells meet them; then owned entities are moved
   before ghosts, which changes no distance among the owned. */
#include <rungown_room.h>
#include "fe_impl.h"

/* What entities are numbered by.  All arrays are lent. */
typedef struct {
  const RungCell  *cell;
  PetscInt         dim, cells;
  const PetscInt  *cell_node; /* [cell][vertex]                                            */
  const PetscInt  *name;      /* [node] the same on all ranks                              */
  const PetscReal *x;         /* [node][dim]                                               */
  const PetscBool *shared;    /* [node] do other ranks hold it; NULL: not yet known        */
} Corners;

/* The entities of one dimension while they are numbered. */
typedef struct {
  PetscInt  count;
  PetscInt  width;
  PetscInt *key;    /* owned, [entity][width] nodes                                                     */
  PetscInt  asked;  /* those that other ranks may have as well                                      */
  PetscInt *ask;    /* owned, [asked]                                                               */
  PetscInt *owner;  /* owned, [entity]                                                              */
  PetscInt *global; /* owned, [entity]                                                              */
  PetscInt *rank;   /* owned, [entity] final local number                                           */
} Entities;

static PetscErrorCode entities_destroy(Entities *e)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(e->key));
  PetscCall(PetscFree(e->ask));
  PetscCall(PetscFree(e->owner));
  PetscCall(PetscFree(e->global));
  PetscCall(PetscFree(e->rank));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of what two ranks hold each owns a half.  In name[asked][width], partner[asked] */
static PetscErrorCode halve_cuts(RungMesh mesh, const Corners *corners, const PetscInt name[], const PetscInt partner[],
                                 Entities *e)
{
  PetscInt             n    = 0;
  RUNG_FREE PetscInt  *list = NULL, *names = NULL, *partners = NULL, *owner = NULL;
  RUNG_FREE PetscReal *x = NULL;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < e->asked; ++i) n += partner[i] >= 0 ? 1 : 0;
  PetscCall(PetscMalloc1(n, &list));
  PetscCall(PetscMalloc1(n * e->width, &names));
  PetscCall(PetscMalloc1(n, &partners));
  PetscCall(PetscMalloc1(n, &owner));
  PetscCall(PetscMalloc1(n * corners->dim, &x));
  n = 0;
  for (PetscInt i = 0; i < e->asked; ++i) {
    if (partner[i] < 0) continue;
    list[n]     = e->ask[i];
    partners[n] = partner[i];
    for (PetscInt k = 0; k < e->width; ++k) names[n * e->width + k] = name[i * e->width + k];
    for (PetscInt a = 0; a < corners->dim; ++a) {
      x[n * corners->dim + a] = 0;
      for (PetscInt k = 0; k < e->width; ++k)
        x[n * corners->dim + a] += corners->x[e->key[list[n] * e->width + k] * corners->dim + a] / (PetscReal)e->width;
    }
    ++n;
  }
  PetscCall(RungOwnersHalve(mesh->comm, e->width, n, names, partners, corners->dim, x, owner));
  for (PetscInt i = 0; i < n; ++i) e->owner[list[i]] = owner[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An edge or face between nodes that all have several holders may itself have several.
   Out  several[entity], NULL: not wanted */
static PetscErrorCode ask_for_holders(RungMesh mesh, const Corners *corners, Entities *e, PetscBool several[],
                                      RungDirectory *dir)
{
  RUNG_FREE PetscInt *name = NULL, *owner = NULL, *holders = NULL, *partner = NULL;
  PetscMPIInt         me, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(mesh->comm, &me));
  PetscCallMPI(MPI_Comm_size(mesh->comm, &size));
  PetscCall(PetscMalloc1(size > 1 ? e->count : 0, &e->ask));
  PetscCall(PetscMalloc1(size > 1 ? e->count * e->width : 0, &name));
  for (PetscInt i = 0; i < e->count && size > 1; ++i) {
    PetscBool ask = PETSC_TRUE;

    for (PetscInt k = 0; k < e->width && corners->shared && ask; ++k) ask = corners->shared[e->key[i * e->width + k]];
    if (!ask) continue;
    for (PetscInt k = 0; k < e->width; ++k) name[e->asked * e->width + k] = corners->name[e->key[i * e->width + k]];
    RungSortFew(e->width, name + e->asked * e->width);
    e->ask[e->asked++] = i;
  }
  PetscCall(RungDirectoryCreate(mesh->comm, e->width, e->asked, name, dir));
  PetscCall(PetscMalloc1(e->asked, &owner));
  PetscCall(PetscMalloc1(e->asked, &holders));
  PetscCall(PetscMalloc1(e->asked, &partner));
  PetscCall(RungDirectoryChoose(*dir, owner, holders, partner));
  for (PetscInt i = 0; i < e->count; ++i) e->owner[i] = me;
  for (PetscInt i = 0; i < e->asked; ++i) {
    e->owner[e->ask[i]] = owner[i];
    if (several) several[e->ask[i]] = holders[i] > 1 ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscCall(halve_cuts(mesh, corners, name, partner, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Final local numbers, then global ones: owners know theirs, the other holders hear them. */
static PetscErrorCode agree(RungMesh mesh, PetscInt d, RungDirectory dir, Entities *e)
{
  RungMeshData       *data  = &mesh->data;
  PetscInt            owned = 0, ghost;
  RUNG_FREE PetscInt *value = NULL;
  PetscMPIInt         me;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(mesh->comm, &me));
  for (PetscInt i = 0; i < e->count; ++i) owned += e->owner[i] == me ? 1 : 0;
  data->entities[d] = e->count;
  data->owned[d]    = owned;
  PetscCallMPI(MPI_Scan(&owned, &data->start[d], 1, MPIU_INT, MPI_SUM, mesh->comm));
  data->start[d] -= owned;
  ghost = owned;
  owned = 0;
  for (PetscInt i = 0; i < e->count; ++i) {
    e->rank[i]   = e->owner[i] == me ? owned++ : ghost++;
    e->global[i] = e->owner[i] == me ? data->start[d] + e->rank[i] : -1;
  }
  PetscCall(PetscMalloc1(e->asked, &value));
  for (PetscInt i = 0; i < e->asked; ++i) value[i] = e->global[e->ask[i]];
  PetscCall(RungDirectoryMax(dir, value));
  for (PetscInt i = 0; i < e->asked; ++i) e->global[e->ask[i]] = value[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes global and owner of dimension d; cell_entity of n a cell, the caller's, becomes the mesh's, also where this fails. */
static PetscErrorCode keep(RungMesh mesh, PetscInt d, PetscInt n, PetscInt **given, Entities *e)
{
  RungMeshData *data = &mesh->data;
  PetscInt     *global, *cell_entity = *given;
  PetscMPIInt  *owner;

  PetscFunctionBegin;
  data->cell_entity[d] = cell_entity;
  *given               = NULL;
  PetscCall(PetscMalloc1(e->count, &global));
  data->global[d] = global;
  PetscCall(PetscMalloc1(e->count, &owner));
  data->owner[d] = owner;
  for (PetscInt i = 0; i < e->count; ++i) {
    global[e->rank[i]] = e->global[i];
    owner[e->rank[i]]  = (PetscMPIInt)e->owner[i];
  }
  for (PetscInt i = 0; i < data->cells * n && data->owned[d] < e->count; ++i)
    cell_entity[i] = e->rank[cell_entity[i]]; /* without ghosts they stay */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From e->count, e->width, e->key and cell_entity, n a cell, which becomes the mesh's, to the numbers of the mesh. */
static PetscErrorCode number(RungMesh mesh, const Corners *corners, PetscInt d, PetscInt n, PetscInt **cell_entity,
                             Entities *e, PetscBool several[])
{
  RUNG_OWNED(RungDirectoryDestroy) RungDirectory dir = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(e->count, &e->owner));
  PetscCall(PetscMalloc1(e->count, &e->global));
  PetscCall(PetscMalloc1(e->count, &e->rank));
  PetscCall(ask_for_holders(mesh, corners, e, several, &dir));
  PetscCall(agree(mesh, d, dir, e));
  PetscCall(keep(mesh, d, n, cell_entity, e));
  mesh->numbered[d] = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshNumberVertices(RungMesh mesh, RungPiece *piece, PetscInt **rank)
{
  const RungCell *cell    = RungCellGet(piece->type);
  const Corners   corners = {cell, piece->dim, piece->cells, piece->cell_node, piece->node_id, piece->x, NULL};
  RUNG_OWNED(entities_destroy) Entities e      = {.count = piece->nodes, .width = 1};
  RUNG_FREE PetscBool                  *shared = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(e.count, &e.key));
  for (PetscInt v = 0; v < e.count; ++v) e.key[v] = v;
  PetscCall(PetscCalloc1(e.count, &shared));
  PetscCall(number(mesh, &corners, 0, cell->vertices, &piece->cell_node, &e, shared));
  PetscCall(PetscMalloc1(e.count, &mesh->shared));
  for (PetscInt v = 0; v < e.count; ++v) mesh->shared[e.rank[v]] = shared[v];
  *rank  = e.rank;
  e.rank = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshListCells(RungMesh mesh, PetscInt d)
{
  RungMeshData *data = &mesh->data;
  PetscInt     *global, *self;
  PetscMPIInt  *owner, me;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(mesh->comm, &me));
  PetscCall(PetscMalloc1(data->cells, &global));
  data->global[d] = global;
  PetscCall(PetscMalloc1(data->cells, &self));
  data->cell_entity[d] = self;
  PetscCall(PetscMalloc1(data->cells, &owner));
  data->owner[d] = owner;
  for (PetscInt c = 0; c < data->cells; ++c) {
    global[c] = data->cell_start + c;
    self[c]   = c;
    owner[c]  = me;
  }
  mesh->numbered[d] = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMeshNeedEntities(RungMesh mesh, PetscInt d)
{
  const RungMeshData                   *data;
  RUNG_OWNED(entities_destroy) Entities e           = {0};
  RUNG_FREE PetscInt                   *cell_entity = NULL;
  Corners                               corners;
  PetscInt                              n, stride;
  const PetscInt                       *corner;

  PetscFunctionBegin;
  RungNeed(mesh);
  PetscCall(RungMeshGetData(mesh, &data));
  if (mesh->numbered[d]) PetscFunctionReturn(PETSC_SUCCESS);
  if (d == RungCellGet(data->type)->dim) {
    PetscCall(RungMeshListCells(mesh, d));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscLogEventBegin(RUNG_MESH_SETUP, 0, 0, 0, 0));
  corners = (Corners){RungCellGet(data->type),
                      data->dim,
                      data->cells,
                      data->cell_entity[0],
                      data->global[0],
                      mesh->vertex_x ? mesh->vertex_x : data->x,
                      mesh->shared};
  PetscCall(RungCellEntities(corners.cell, d, &n, &e.width, &corner, &stride));
  PetscCall(RungNumberEntities(corners.cells, corners.cell->vertices, corners.cell_node, n, e.width, corner, stride,
                               &e.count, &cell_entity, &e.key));
  PetscCall(number(mesh, &corners, d, n, &cell_entity, &e, NULL));
  PetscCall(PetscLogEventEnd(RUNG_MESH_SETUP, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
