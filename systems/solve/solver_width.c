/* solver_width.c - how wide a body is, in entries: what the fronts of its factors have.

   Layers of cells grow from one end of the body, each the neighbours of the one before.  The entries that a layer adds, over the
   layers of nodes in a cell, are those of a cut; the mean of the cuts, weighted with their entries, is a cube's face, a beam's
   section and a plate's side wall.  Nested dissection has separators of that size (George, Nested dissection of a regular finite
   element mesh, SIAM J. Numer. Anal. 10, 1973). */
#include "solver_impl.h"

typedef struct {
  const RungSpaceData *space;
  PetscInt             cells;
  PetscInt            *start, *cell; /* owned: cells of node i are cell[start[i] .. start[i + 1]] */
  PetscInt            *level;        /* owned, [node], -1: not reached                            */
  PetscInt            *queue;        /* owned, [node]                                             */
  PetscBool           *done;         /* owned, [cell]                                             */
} Layers;

static PetscErrorCode layers_destroy(Layers *l)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(l->start));
  PetscCall(PetscFree(l->cell));
  PetscCall(PetscFree(l->level));
  PetscCall(PetscFree(l->queue));
  PetscCall(PetscFree(l->done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cells of each node. */
static PetscErrorCode layers_make(const RungSpaceData *space, PetscInt cells, Layers *l)
{
  const PetscInt of = space->cell_nodes, n = space->nodes;

  PetscFunctionBegin;
  l->space = space;
  l->cells = cells;
  PetscCall(PetscCalloc1(n + 2, &l->start));
  PetscCall(PetscMalloc1(cells * of + 1, &l->cell));
  PetscCall(PetscMalloc1(n + 1, &l->level));
  PetscCall(PetscMalloc1(n + 1, &l->queue));
  PetscCall(PetscMalloc1(cells + 1, &l->done));
  for (PetscInt i = 0; i < cells * of; ++i) ++l->start[space->cell_node[i] + 2];
  for (PetscInt i = 1; i <= n; ++i) l->start[i + 1] += l->start[i];
  for (PetscInt c = 0; c < cells; ++c)
    for (PetscInt i = 0; i < of; ++i) l->cell[l->start[space->cell_node[c * of + i] + 1]++] = c;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Layers from a node; returns the one reached last.  sum[0] nodes, sum[1] squares of the layers' nodes */
static PetscInt grow(Layers *l, PetscInt from, PetscReal sum[2])
{
  const PetscInt of    = l->space->cell_nodes;
  PetscInt       first = 0, end = 1;

  for (PetscInt i = 0; i < l->space->nodes; ++i) l->level[i] = -1;
  for (PetscInt c = 0; c < l->cells; ++c) l->done[c] = PETSC_FALSE;
  l->queue[0]    = from;
  l->level[from] = 0;
  while (first < end) {
    const PetscInt next = end;

    sum[0] += (PetscReal)(next - first);
    sum[1] += (PetscReal)(next - first) * (PetscReal)(next - first);
    for (; first < next; ++first) {
      const PetscInt node = l->queue[first];

      for (PetscInt k = l->start[node]; k < l->start[node + 1]; ++k) {
        const PetscInt c = l->cell[k];

        for (PetscInt i = 0; i < of && !l->done[c]; ++i) {
          const PetscInt other = l->space->cell_node[c * of + i];

          if (l->level[other] < 0) l->level[other] = l->level[node] + 1, l->queue[end++] = other;
        }
        l->done[c] = PETSC_TRUE;
      }
    }
  }
  return l->queue[end - 1];
}

static PetscErrorCode measure(const RungSpaceData *space, Layers *l, PetscReal *width)
{
  const RungMeshData *mesh;
  PetscReal           sum[2] = {0, 0};
  PetscInt            end;

  PetscFunctionBegin;
  *width = 0;
  PetscCall(RungMeshGetData(space->mesh, &mesh));
  if (!mesh->cells || !space->nodes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(layers_make(space, mesh->cells, l));
  end    = grow(l, space->cell_node[0], sum);
  sum[0] = sum[1] = 0;
  (void)grow(l, end, sum);
  *width = sum[1] / sum[0] / (PetscReal)PetscMax(1, space->degree);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverWidth(RungSystem sys, PetscReal *width)
{
  const RungSpaceData *space, *widest = NULL;
  Layers               l = {0};
  PetscReal            mine;

  PetscFunctionBegin;
  for (PetscInt f = 0; sys->form && f < sys->traits.unknowns; ++f) {
    PetscCall(RungSpaceGetData(sys->form->space[f], &space));
    if (!space->single && !space->quadrature && (!widest || space->nodes_global > widest->nodes_global)) widest = space;
  }
  *width = PetscPowReal((PetscReal)sys->global, 2.0 / 3);
  if (!widest) PetscFunctionReturn(PETSC_SUCCESS);
  RungCallFinally(measure(widest, &l, &mine), PetscCall(layers_destroy(&l)));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPIU_REAL, MPIU_MAX, sys->comm));
  *width = mine * (PetscReal)sys->global / (PetscReal)PetscMax(1, widest->nodes_global);
  PetscFunctionReturn(PETSC_SUCCESS);
}
