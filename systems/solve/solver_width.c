/* solver_width.c - how wide a body is, in entries: what the fronts of its factors have.

   Nested dissection has separators of the size of a cut (George, Nested dissection of a regular finite element mesh, SIAM J. Numer.
   Anal. 10, 1973): a cube's face, a beam's section, a plate's side wall.  Two ways lead to it:

       planes   across an axis, through the whole body: the cells that each goes through have their share of all nodes, over the layers
                of nodes in a cell; the mean of the planes weighted with it, of the axis where it is least
       layers   of cells grow from one end of the body, each the neighbours of the one before: the mean of what they add,
                weighted with it, over the layers of nodes in a cell

   Layers follow a body that is bent, which planes meet several times; of a cube they are shells around a corner, up to twice a
   face of hexahedra, three quarters of it of tetrahedra.  So they are taken where they are less than half of the planes.

   A body is so many times as long as thick as the second plane in size has times the nodes of the least one: 4 of a beam 4 x 1 x 1, 1 of a
   cube.  Plates fall into pieces that are as thick as they are, so that sections with others at both ends come again on each level: FLAT (1 - s)
   is added, s the second plane over the third.  Of bodies that are bent, which planes meet where it happens, nobody knows it: 1.

   A coarser level has the same body, with 1/8 of the entries in space and a quarter of a cut.

   The body is that of all ranks, whose parts are narrower: each grows as far as it can, tells its neighbours, and goes on where
   theirs was a shorter way, so that there are as many messages as ranks on the longest way, not as layers. */
#include "levels_impl.h"
#include <petscsf.h>

#define FAR    PETSC_MAX_INT
#define FLAT   (2.0 / 3) /* factors of plates take three times what those of cubes with such a section do */
#define PLANES 17        /* planes across each axis                                                       */

typedef struct {
  const RungSpaceData *space;
  PetscInt             cells;
  PetscInt            *start, *cell; /* owned: cells of node i are cell[start[i] .. start[i + 1]]        */
  PetscInt            *level;        /* owned, [node] its layer, FAR: not reached                        */
  PetscInt            *turn;         /* owned, [node] which of all changes of levels was its last one    */
  PetscInt            *from;         /* owned, [cell] the layer that it was reached from, FAR: none      */
  PetscInt            *shared;       /* owned, [node] work of exchange()                                 */
  PetscInt            *queue;        /* owned, [node] nodes whose neighbours are to be looked at, a ring */
  PetscBool           *queued;       /* owned, [node]                                                    */
  PetscInt             first, waiting, turns;
  PetscSF              ghosts; /* owned: to their owners; NULL on one rank */
} Layers;

static PetscErrorCode layers_destroy(Layers *l)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(l->start));
  PetscCall(PetscFree(l->cell));
  PetscCall(PetscFree4(l->level, l->turn, l->shared, l->queue));
  PetscCall(PetscFree2(l->from, l->queued));
  PetscCall(PetscSFDestroy(&l->ghosts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_owners(const RungSpaceData *space, MPI_Comm comm, PetscSF *ghosts)
{
  const PetscInt n = space->nodes - space->owned;
  PetscLayout    layout;
  PetscMPIInt    size;
  PetscInt      *local;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, &local));
  for (PetscInt i = 0; i < n; ++i) local[i] = space->owned + i;
  PetscCall(PetscLayoutCreateFromSizes(comm, space->owned, PETSC_DETERMINE, 1, &layout));
  PetscCall(PetscSFCreate(comm, ghosts));
  PetscCall(PetscSFSetGraphLayout(*ghosts, layout, n, local, PETSC_OWN_POINTER, space->global + space->owned));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cells of each node. */
static PetscErrorCode layers_make(const RungSpaceData *space, PetscInt cells, MPI_Comm comm, Layers *l)
{
  const PetscInt of = space->cell_nodes, n = space->nodes;

  PetscFunctionBegin;
  l->space = space;
  l->cells = cells;
  PetscCall(PetscCalloc1(n + 2, &l->start));
  PetscCall(PetscMalloc1(cells * of + 1, &l->cell));
  PetscCall(PetscMalloc4(n + 1, &l->level, n + 1, &l->turn, n + 1, &l->shared, n + 1, &l->queue));
  PetscCall(PetscCalloc2(cells + 1, &l->from, n + 1, &l->queued));
  for (PetscInt i = 0; i < cells * of; ++i) ++l->start[space->cell_node[i] + 2];
  for (PetscInt i = 1; i <= n; ++i) l->start[i + 1] += l->start[i];
  for (PetscInt c = 0; c < cells; ++c)
    for (PetscInt i = 0; i < of; ++i) l->cell[l->start[space->cell_node[c * of + i] + 1]++] = c;
  PetscCall(find_owners(space, comm, &l->ghosts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void lower(Layers *l, PetscInt node, PetscInt level)
{
  l->level[node] = level;
  l->turn[node]  = l->turns++;
  if (!l->queued[node]) l->queue[(l->first + l->waiting++) % l->space->nodes] = node;
  l->queued[node] = PETSC_TRUE;
}

/* As far as the cells of this rank go. */
static void spread(Layers *l)
{
  const PetscInt of = l->space->cell_nodes;

  while (l->waiting) {
    const PetscInt node = l->queue[l->first], level = l->level[node];

    l->first        = (l->first + 1) % l->space->nodes;
    l->queued[node] = PETSC_FALSE;
    --l->waiting;
    for (PetscInt k = l->start[node]; k < l->start[node + 1]; ++k) {
      const PetscInt c = l->cell[k];

      for (PetscInt i = 0; i < of && l->from[c] > level; ++i) {
        const PetscInt other = l->space->cell_node[c * of + i];

        if (l->level[other] > level + 1) lower(l, other, level + 1);
      }
      l->from[c] = PetscMin(l->from[c], level);
    }
  }
}

/* Nodes of several ranks take the lowest of their levels; changed: some have, on any rank. */
static PetscErrorCode exchange(Layers *l, PetscBool *changed)
{
  PetscFunctionBegin;
  *changed = PETSC_FALSE;
  if (!l->ghosts) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscArraycpy(l->shared, l->level, l->space->nodes));
  PetscCall(PetscSFReduceBegin(l->ghosts, MPIU_INT, l->level, l->shared, MPI_MIN));
  PetscCall(PetscSFReduceEnd(l->ghosts, MPIU_INT, l->level, l->shared, MPI_MIN));
  PetscCall(PetscSFBcastBegin(l->ghosts, MPIU_INT, l->shared, l->shared, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(l->ghosts, MPIU_INT, l->shared, l->shared, MPI_REPLACE));
  for (PetscInt i = 0; i < l->space->nodes; ++i)
    if (l->shared[i] < l->level[i]) lower(l, i, l->shared[i]);
  *changed = l->waiting ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(MPIU_Allreduce(MPI_IN_PLACE, changed, 1, MPIU_BOOL, MPI_LOR, PetscObjectComm((PetscObject)l->ghosts)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Layers from a node, -1 on the other ranks. */
static PetscErrorCode grow(Layers *l, PetscInt from)
{
  PetscBool changed = PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < l->space->nodes; ++i) l->level[i] = FAR;
  for (PetscInt c = 0; c < l->cells; ++c) l->from[c] = FAR;
  if (from >= 0) lower(l, from, 0);
  while (changed) {
    spread(l);
    PetscCall(exchange(l, &changed));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the lowest rank that has one; -1 on the others. */
static PetscErrorCode keep_one(MPI_Comm comm, PetscInt *node)
{
  PetscMPIInt rank, first;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  first = *node >= 0 ? rank : PETSC_MPI_INT_MAX;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm));
  if (first != rank) *node = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last layer, and the node of it that was reached last. */
static PetscErrorCode find_end(const Layers *l, MPI_Comm comm, PetscInt *deepest, PetscInt *end)
{
  PetscFunctionBegin;
  *deepest = -1;
  *end     = -1;
  for (PetscInt i = 0; i < l->space->owned; ++i)
    if (l->level[i] < FAR) *deepest = PetscMax(*deepest, l->level[i]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, deepest, 1, MPIU_INT, MPI_MAX, comm));
  for (PetscInt i = 0; i < l->space->owned; ++i)
    if (l->level[i] == *deepest && (*end < 0 || l->turn[i] > l->turn[*end])) *end = i;
  PetscCall(keep_one(comm, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mean of the layers' nodes, each weighted with them. */
static PetscErrorCode mean_layer(const Layers *l, MPI_Comm comm, PetscInt deepest, PetscReal *mean)
{
  PetscReal *nodes, sum[2] = {0, 0};

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(deepest + 1, &nodes));
  for (PetscInt i = 0; i < l->space->owned; ++i)
    if (l->level[i] < FAR) nodes[l->level[i]] += 1;
  for (PetscInt i = 0; i <= deepest; i += 1 << 20) /* a PetscMPIInt holds each count */
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, nodes + i, (PetscMPIInt)PetscMin(1 << 20, deepest + 1 - i), MPIU_REAL,
                               MPIU_SUM, comm));
  for (PetscInt i = 0; i <= deepest; ++i) {
    sum[0] += nodes[i];
    sum[1] += nodes[i] * nodes[i];
  }
  PetscCall(PetscFree(nodes));
  *mean = sum[1] / PetscMax(1, sum[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where cell c lies along an axis: from least to most. */
static void extent(const RungMeshData *mesh, PetscInt c, PetscInt axis, PetscReal *least, PetscReal *most)
{
  const PetscInt corners = RungCellGet(mesh->type)->vertices;

  *least = PETSC_INFINITY;
  *most  = PETSC_NINFINITY;
  for (PetscInt i = 0; i < corners; ++i) {
    const PetscReal x = mesh->x[mesh->cell_node[c * mesh->nodes_per_cell + i] * mesh->dim + axis];

    *least = PetscMin(*least, x);
    *most  = PetscMax(*most, x);
  }
}

/* Planes across an axis, at even distances through the body: cells that one goes through, the mean of all planes weighted with
   them, since thick parts have the fronts that count.  Planes between cells, as of a box, go through none and have no weight. */
static PetscErrorCode cut_by_planes(const RungMeshData *mesh, MPI_Comm comm, PetscInt axis, PetscReal *cells)
{
  PetscReal end[2] = {PETSC_NINFINITY, PETSC_NINFINITY}, count[PLANES] = {0}, sum[2] = {0, 0}, apart;

  PetscFunctionBegin;
  for (PetscInt c = 0; c < mesh->cells; ++c) {
    PetscReal low, high;

    extent(mesh, c, axis, &low, &high);
    end[0] = PetscMax(end[0], -low);
    end[1] = PetscMax(end[1], high);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, end, 2, MPIU_REAL, MPIU_MAX, comm));
  apart = (end[0] + end[1]) / PLANES;
  for (PetscInt c = 0; c < mesh->cells; ++c) {
    PetscReal low, high;

    extent(mesh, c, axis, &low, &high);
    for (PetscInt i = (PetscInt)PetscMax(0, (low + end[0]) / apart - 1); i < PLANES; ++i) {
      const PetscReal plane = -end[0] + ((PetscReal)i + 0.5) * apart;

      if (plane >= high) break;
      if (plane > low) count[i] += 1;
    }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count, PLANES, MPIU_REAL, MPIU_SUM, comm));
  for (PetscInt i = 0; i < PLANES; ++i) {
    sum[0] += count[i];
    sum[1] += count[i] * count[i];
  }
  *cells = sum[1] / PetscMax(1, sum[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes of the cells that planes across one axis go through, the least of the axes, each counted for the cells that share it; the length,
   as above. */
static PetscErrorCode least_plane(const RungSpaceData *space, const RungMeshData *mesh, MPI_Comm comm, PetscReal *nodes,
                                  PetscReal *length)
{
  PetscReal plane[3] = {PETSC_INFINITY, PETSC_INFINITY, PETSC_INFINITY}, all = (PetscReal)mesh->cells;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPIU_REAL, MPIU_SUM, comm));
  for (PetscInt axis = 0; axis < mesh->dim; ++axis) {
    PetscReal cells;

    PetscCall(cut_by_planes(mesh, comm, axis, &cells));
    if (cells > 0) plane[axis] = cells * (PetscReal)space->nodes_global / all;
  }
  PetscCall(PetscSortReal(3, plane));
  *nodes  = plane[0];
  *length = plane[1] < PETSC_INFINITY ? plane[1] / plane[0] : 1;
  if (plane[2] < PETSC_INFINITY) *length += FLAT * (1 - plane[1] / plane[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode measure(const RungSpaceData *space, Layers *l, MPI_Comm comm, PetscReal *width, PetscReal *length)
{
  const RungMeshData *mesh;
  PetscInt            from, deepest;
  PetscReal           plane;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(space->mesh, &mesh));
  PetscCall(least_plane(space, mesh, comm, &plane, length));
  PetscCall(layers_make(space, mesh->cells, comm, l));
  from = mesh->cells ? space->cell_node[0] : -1;
  PetscCall(keep_one(comm, &from));
  for (int pass = 0; pass < 2; ++pass) {
    PetscCall(grow(l, from));
    PetscCall(find_end(l, comm, &deepest, &from));
  }
  PetscCall(mean_layer(l, comm, deepest, width));
  if (*width > plane / 2 && plane < PETSC_INFINITY)
    *width = plane;
  else
    *length = 1; /* of what is bent nobody knows it */
  *width /= (PetscReal)PetscMax(1, space->degree);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverWidth(RungSystem sys, PetscReal *width, PetscReal *length)
{
  const RungSpaceData *space, *widest = NULL;
  Layers               l = {0};

  PetscFunctionBegin;
  for (PetscInt f = 0; sys->form && f < sys->traits.unknowns; ++f) {
    PetscCall(RungSpaceGetData(sys->form->space[f], &space));
    if (!space->single && !space->quadrature && (!widest || space->nodes_global > widest->nodes_global)) widest = space;
  }
  *width  = PetscPowReal((PetscReal)sys->global, 2.0 / 3);
  *length = 1;
  if (!widest) PetscFunctionReturn(PETSC_SUCCESS);
  RungCallFinally(measure(widest, &l, sys->comm, width, length), PetscCall(layers_destroy(&l)));
  *width *= (PetscReal)sys->global / (PetscReal)PetscMax(1, widest->nodes_global);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the finest one with an eighth of the entries, or the coarsest one. */
PetscErrorCode RungSolverWidthOfLevels(RungSystem sys, PetscReal *width, PetscReal *length)
{
  const RungSpaceData *space;
  const RungMeshData  *mesh;
  RungLevels          *levels;
  PetscInt             i;

  PetscFunctionBegin;
  PetscCall(RungLevelsGet(sys, RUNG_WHOLE, &levels));
  for (i = levels->n - 2; i > 0 && levels->sys[i]->global > sys->global / 7;) --i;
  PetscCall(RungSolverWidth(levels->sys[i], width, length));
  PetscCall(RungSpaceGetData(sys->form->space[0], &space));
  PetscCall(RungMeshGetData(space->mesh, &mesh));
  *width *= PetscPowReal((PetscReal)sys->global / (PetscReal)PetscMax(1, levels->sys[i]->global),
                         1 - 1 / (PetscReal)mesh->dim);
  PetscFunctionReturn(PETSC_SUCCESS);
}
