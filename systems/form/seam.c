/* seam.c - data at the nodes of a mesh that closes upon itself, which lie in two places or more. */
#include <rungown_room.h>
#include "form_side_impl.h"

#define APART 1e-6 /* of the mesh's cells: places that are farther apart are two                 */
#define SAME  1e-9 /* of the largest value: differences of two sides that are rounding            */

/* Places of nodes that are not those which the space has for them: x[place][dim], and those beside them. */
typedef struct {
  PetscInt   n, room;
  PetscReal *other, *taken; /* owned */
} Seam;

static PetscErrorCode add(Seam *seam, PetscInt dim, const PetscReal other[], const PetscReal taken[])
{
  PetscFunctionBegin;
  if (seam->n == seam->room) {
    seam->room = 2 * seam->room + 64;
    PetscCall(PetscRealloc((size_t)(seam->room * dim) * sizeof *seam->other, &seam->other));
    PetscCall(PetscRealloc((size_t)(seam->room * dim) * sizeof *seam->taken, &seam->taken));
  }
  PetscCall(PetscArraycpy(seam->other + seam->n * dim, other, dim));
  PetscCall(PetscArraycpy(seam->taken + seam->n * dim, taken, dim));
  ++seam->n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* table[node][geometry node] of the cell map; at[local node]: it is looked at */
static PetscErrorCode find(const RungMeshData *mesh, const RungSpaceData *space, const PetscReal table[],
                           const PetscBool at[], Seam *seam)
{
  const PetscInt m = mesh->nodes_per_cell, dim = mesh->dim;

  PetscFunctionBegin;
  for (PetscInt c = 0; c < mesh->cells; ++c) {
    for (PetscInt i = 0; i < space->cell_nodes; ++i) {
      const PetscReal *taken   = space->x + space->cell_node[c * space->cell_nodes + i] * dim;
      const PetscReal *corner  = mesh->x + mesh->cell_node[c * m] * dim;
      PetscReal        here[3] = {0, 0, 0}, away = 0, size = 0;

      if (!at[space->cell_node[c * space->cell_nodes + i]]) continue;
      for (PetscInt a = 0; a < dim; ++a) {
        for (PetscInt v = 0; v < m; ++v) here[a] += table[i * m + v] * mesh->x[mesh->cell_node[c * m + v] * dim + a];
        away = PetscMax(away, PetscAbsReal(here[a] - taken[a]));
        size = PetscMax(size, PetscAbsReal(mesh->x[mesh->cell_node[c * m + m - 1] * dim + a] - corner[a]));
      }
      if (away > APART * size) PetscCall(add(seam, dim, here, taken));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* most[2]: the largest difference of the values of two sides, and the largest value, on all ranks. */
static PetscErrorCode compare(RungSystem sys, const Seam *seam, RungPointwise function, PetscInt width, PetscReal t,
                              PetscReal most[2])
{
  PetscScalar *value; /* [side][place][component] */
  PetscInt     n = seam->n * width;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(2 * n, &value));
  PetscCall(RungPointwiseEvaluate(function, t, seam->n, seam->other, value));
  PetscCall(RungPointwiseEvaluate(function, t, seam->n, seam->taken, value + n));
  for (PetscInt i = 0; i < n; ++i) {
    most[0] = PetscMax(most[0], PetscAbsScalar(value[i] - value[n + i]));
    most[1] = PetscMax(most[1], PetscMax(PetscAbsScalar(value[i]), PetscAbsScalar(value[n + i])));
  }
  PetscCall(PetscFree(value));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPIU_REAL, MPIU_MAX, sys->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* at[local node]: the node is of the part, or of the mesh (NULL). */
static PetscErrorCode mark_nodes(RungSpace s, const char part[], PetscInt nodes, PetscBool at[])
{
  PetscInt count = 0, *node = NULL;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < nodes; ++i) at[i] = part ? PETSC_FALSE : PETSC_TRUE;
  if (part) PetscCall(RungSpaceGetPartNodes(s, part, &count, &node));
  for (PetscInt i = 0; i < count; ++i) at[node[i]] = PETSC_TRUE;
  PetscCall(PetscFree(node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemCheckSeam(RungSystem sys, const char label[], const char name[], const char text[],
                                   PetscReal t)
{
  const RungSpaceData                           *space;
  RungTarget                                     target;
  RungExpr                                       expr;
  PetscBool                                      zero;
  RUNG_OWNED(RungPointwiseDestroy) RungPointwise function = NULL;
  RUNG_FREE PetscScalar                         *value    = NULL;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungTargetFind(sys, label, name, &target));
  PetscCall(RungTargetRead(sys, &target, label, text, &expr, &zero));
  if (zero) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungPointwiseCreate(expr, &function));
  PetscCall(RungSpaceGetData(sys->form->space[target.unknown], &space));
  PetscCall(PetscCalloc1(space->owned * target.width, &value));
  PetscCall(RungPointwiseEvaluate(function, t, space->owned, space->x, value));
  PetscCall(RungSeamCheck(sys, label, text, sys->form->space[target.unknown], NULL, function, target.width, t,
                          space->owned * target.width, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSeamCheck(RungSystem sys, const char label[], const char text[], RungSpace s, const char part[],
                             RungPointwise function, PetscInt width, PetscReal t, PetscInt n, const PetscScalar value[])
{
  const RungMeshData  *mesh;
  const RungSpaceData *space;
  Seam                 seam    = {0};
  RUNG_FREE PetscReal *table   = NULL;
  RUNG_FREE PetscBool *at      = NULL;
  PetscReal            most[2] = {0, 0};
  PetscBool            glued;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(s, &space));
  PetscCall(RungMeshGetData(space->mesh, &mesh));
  glued = mesh->geometry_degree == 1 && mesh->nodes == mesh->cells * mesh->nodes_per_cell ? PETSC_TRUE : PETSC_FALSE;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &glued, 1, MPIU_BOOL, MPI_LAND, sys->comm));
  if (!function || !glued || !space->continuous || space->single) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(space->cell_nodes * mesh->nodes_per_cell, &table));
  PetscCall(PetscMalloc1(space->nodes, &at));
  PetscCall(RungCellTabulate(mesh->type, mesh->geometry_degree, space->cell_nodes, space->node, 0, table));
  PetscCall(mark_nodes(s, part, space->nodes, at));
  PetscCall(find(mesh, space, table, at, &seam));
  for (PetscInt i = 0; i < n; ++i) most[1] = PetscMax(most[1], PetscAbsScalar(value[i]));
  PetscCall(compare(sys, &seam, function, width, t, most));
  PetscCall(PetscFree(seam.other));
  PetscCall(PetscFree(seam.taken));
  if (most[0] > SAME * most[1])
    PetscCall(
      RungSystemWarn(sys,
                     "%s: \"%s\" has two values where the mesh closes upon itself; nodes there take that of the "
                     "lower side",
                     label, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}
