/* gather.c - what a batch reads, as [value][lane], and what it has computed added to an array of dofs.

   The dofs of a node follow each other, so one place is looked up for all components of a node.  Counts that are common
   are constants of functions of their own: these loops take longer than the kernels of small elements do. */
#include "kernel_impl.h"
#include <string.h>

/* Cell s of the place that lane l of batch b is; lanes behind the last place are that place again. */
static PetscInt CellOf(RungBatches batches, PetscInt b, PetscInt l, PetscInt s)
{
  const PetscInt place = PetscMin(batches->first[b] + l, batches->first[b + 1] - 1);

  return (s ? batches->minus : batches->cell)[place];
}

/* ---- geometry -----------------------------------------------------------------------------------------------------
 */

/* x[(node * dim + axis) * lanes] of one cell */
RUNG_INLINE void GatherPlaces(const PetscReal place[], const PetscInt node[], PetscInt nodes, PetscInt dim,
                              PetscInt lanes, double x[])
{
  for (PetscInt i = 0; i < nodes; ++i) {
    const PetscReal *at = place + node[i] * dim;

    for (PetscInt a = 0; a < dim; ++a) x[(i * dim + a) * lanes] = at[a];
  }
}

RUNG_INLINE void GatherLocal(const RungMeshData *mesh, PetscInt nodes, PetscInt dim, PetscInt lanes,
                             const PetscInt cell[], double x[])
{
  for (PetscInt l = 0; l < lanes; ++l)
    GatherPlaces(mesh->x, mesh->cell_node + cell[l] * nodes, nodes, dim, lanes, x + l);
}

/* Cells of pairs may be far: their places lie one cell after the other. */
static void GatherNear(RungBatches batches, const PetscInt cell[], double x[])
{
  const RungMeshData *mesh  = batches->mesh;
  const PetscInt      nodes = mesh->nodes_per_cell, n = nodes * mesh->dim, lanes = batches->lanes;

  for (PetscInt l = 0; l < lanes; ++l) {
    if (cell[l] < mesh->cells) {
      GatherPlaces(mesh->x, mesh->cell_node + cell[l] * nodes, nodes, mesh->dim, lanes, x + l);
    } else {
      for (PetscInt i = 0; i < n; ++i) x[i * lanes + l] = batches->far[(cell[l] - mesh->cells) * n + i];
    }
  }
}

static void GatherGeometry(RungBatches batches, const PetscInt cell[], double x[])
{
  const RungMeshData *mesh  = batches->mesh;
  const PetscInt      nodes = mesh->nodes_per_cell, dim = mesh->dim, lanes = batches->lanes;

  if (batches->plan->cells > 1)
    GatherNear(batches, cell, x);
  else if (nodes == 4 && dim == 3 && lanes == 8)
    GatherLocal(mesh, 4, 3, 8, cell, x);
  else if (nodes == 8 && dim == 3 && lanes == 8)
    GatherLocal(mesh, 8, 3, 8, cell, x);
  else if (nodes == 3 && dim == 2 && lanes == 8)
    GatherLocal(mesh, 3, 2, 8, cell, x);
  else if (nodes == 4 && dim == 2 && lanes == 8)
    GatherLocal(mesh, 4, 2, 8, cell, x);
  else
    GatherLocal(mesh, nodes, dim, lanes, cell, x);
}

/* ---- dofs ---------------------------------------------------------------------------------------------------------
 */

/* Eight lanes: a vector of one dof of all cells is put together in registers and stored once. */
typedef double Lanes __attribute__((vector_size(64)));

RUNG_INLINE void GatherEight(const RungLayoutData *layout, PetscInt offset, PetscInt nodes, PetscInt components,
                             const PetscInt cell[], const PetscScalar from[], double to[])
{
  const PetscInt *m[8];
  Lanes          *lanes = (Lanes *)to;

  for (int l = 0; l < 8; ++l) m[l] = RungCellDofs(layout, cell[l]) + offset;
  for (PetscInt i = 0; i < nodes * components; i += components)
    for (PetscInt a = 0; a < components; ++a) {
      const PetscScalar *at = from + a;

      lanes[i + a] = (Lanes){at[m[0][i]], at[m[1][i]], at[m[2][i]], at[m[3][i]],
                             at[m[4][i]], at[m[5][i]], at[m[6][i]], at[m[7][i]]};
    }
}

/* to[i][lane] = from[map[i]] */
RUNG_INLINE void GatherNodes(PetscInt nodes, PetscInt components, PetscInt lanes, const PetscInt map[],
                             const PetscScalar from[], double to[])
{
  for (PetscInt i = 0; i < nodes; ++i) {
    const PetscScalar *at = from + map[i * components];

    for (PetscInt a = 0; a < components; ++a) to[(i * components + a) * lanes] = at[a];
  }
}

RUNG_INLINE void GatherDofs(const RungLayoutData *layout, PetscInt offset, PetscInt nodes, PetscInt components,
                            PetscInt lanes, const PetscInt cell[], const PetscScalar from[], double to[])
{
  for (PetscInt l = 0; l < lanes; ++l)
    GatherNodes(nodes, components, lanes, RungCellDofs(layout, cell[l]) + offset, from, to + l);
}

static void GatherFunction(const RungLayoutData *layout, const RungBasis *basis, PetscInt offset, PetscInt lanes,
                           const PetscInt cell[], const PetscScalar from[], double to[])
{
  const PetscInt nodes = basis->nodes, components = basis->components;

  if (lanes == 8 && components == 1 && nodes == 4)
    GatherEight(layout, offset, 4, 1, cell, from, to);
  else if (lanes == 8 && components == 1 && nodes == 3)
    GatherEight(layout, offset, 3, 1, cell, from, to);
  else if (lanes == 8 && components == 1)
    GatherEight(layout, offset, nodes, 1, cell, from, to);
  else if (lanes == 8 && components == 2)
    GatherEight(layout, offset, nodes, 2, cell, from, to);
  else if (lanes == 8 && components == 3)
    GatherEight(layout, offset, nodes, 3, cell, from, to);
  else
    GatherDofs(layout, offset, nodes, components, lanes, cell, from, to);
}

/* Geometry (unless it is there), unknowns and fields of the cells on one side of the places. */
static void GatherSide(RungBatches batches, PetscBool geometry, const PetscInt cell[], PetscInt side,
                       const PetscScalar *const u[], const PetscScalar *const field[], const RungKernelArgs *args)
{
  const RungPlan plan  = batches->plan;
  const PetscInt lanes = batches->lanes, nx = batches->mesh->nodes_per_cell * batches->mesh->dim,
                 dof       = RungPlanCellOffset(plan, PETSC_FALSE, side),
                 field_dof = RungPlanCellOffset(plan, PETSC_TRUE, side);

  if (geometry) GatherGeometry(batches, cell, (double *)args->x + side * nx * lanes);
  for (PetscInt k = 0; k < RUNG_LEVELS; ++k) {
    for (PetscInt f = 0; f < plan->unknowns; ++f) {
      const RungBasis *basis = &plan->basis[f];

      if (batches->read[k * plan->unknowns + f])
        GatherFunction(batches->layout, basis, basis->offset, lanes, cell, u[k],
                       (double *)args->u + (k * plan->dofs + basis->offset + dof) * lanes);
    }
  }
  for (PetscInt f = 0; f < plan->fields; ++f) {
    const RungBasis *basis = &plan->basis[plan->unknowns + f];

    if (batches->read_field[f])
      GatherFunction(batches->field[f], basis, 0, lanes, cell, field[f],
                     (double *)args->field + (basis->offset + field_dof) * lanes);
  }
}

void RungBatchGather(RungBatches batches, PetscInt b, const PetscScalar *const u[], const PetscScalar *const field[],
                     const RungKernelArgs *args)
{
  const PetscInt  first = batches->first[b], last = batches->first[b + 1] - 1, lanes = batches->lanes;
  const PetscInt  sizes    = batches->size ? batches->sizes * batches->plan->cells : 0;
  PetscInt       *held     = &batches->held[args - batches->next];
  const PetscBool geometry = batches->shape && batches->shape[b] == *held ? PETSC_FALSE : PETSC_TRUE;

  *held = batches->shape ? batches->shape[b] : -1;
  for (PetscInt s = 0; s < batches->plan->cells; ++s) {
    const PetscInt *cell = (s ? batches->minus : batches->cell) + first;

    if (last - first + 1 < lanes) {
      for (PetscInt l = 0; l < lanes; ++l) batches->padded[l] = CellOf(batches, b, l, s);
      cell = batches->padded;
    }
    GatherSide(batches, geometry, cell, s, u, field, args);
  }
  for (PetscInt i = 0; i < sizes; ++i)
    for (PetscInt l = 0; l < lanes; ++l)
      ((double *)args->cell)[i * lanes + l] = batches->size[PetscMin(first + l, last) * sizes + i];
}

/* ---- back ---------------------------------------------------------------------------------------------------------
 */

/* to[map[i]] += from[i][lane] */
RUNG_INLINE void ScatterNodes(PetscInt nodes, PetscInt components, PetscInt lanes, const PetscInt map[],
                              const double from[], PetscScalar to[])
{
  for (PetscInt i = 0; i < nodes; ++i) {
    PetscScalar *at = to + map[i * components];

    for (PetscInt a = 0; a < components; ++a) at[a] += from[(i * components + a) * lanes];
  }
}

RUNG_INLINE void ScatterDofs(const RungLayoutData *layout, PetscInt offset, PetscInt nodes, PetscInt components,
                             PetscInt lanes, PetscInt count, const PetscInt cell[], const double from[],
                             PetscScalar to[])
{
  for (PetscInt l = 0; l < count; ++l)
    ScatterNodes(nodes, components, lanes, RungCellDofs(layout, cell[l]) + offset, from + l, to);
}

static void ScatterFunction(const RungLayoutData *layout, const RungBasis *basis, PetscInt lanes, PetscInt count,
                            const PetscInt cell[], const double from[], PetscScalar to[])
{
  const PetscInt nodes = basis->nodes, components = basis->components, offset = basis->offset;

  if (lanes == 8 && components == 1 && nodes == 4)
    ScatterDofs(layout, offset, 4, 1, 8, count, cell, from, to);
  else if (lanes == 8 && components == 1 && nodes == 3)
    ScatterDofs(layout, offset, 3, 1, 8, count, cell, from, to);
  else if (lanes == 8 && components == 1)
    ScatterDofs(layout, offset, nodes, 1, 8, count, cell, from, to);
  else if (lanes == 8 && components == 2)
    ScatterDofs(layout, offset, nodes, 2, 8, count, cell, from, to);
  else if (lanes == 8 && components == 3)
    ScatterDofs(layout, offset, nodes, 3, 8, count, cell, from, to);
  else
    ScatterDofs(layout, offset, nodes, components, lanes, count, cell, from, to);
}

void RungBatchScatter(RungBatches batches, PetscInt b, PetscScalar local[])
{
  const RungPlan plan  = batches->plan;
  const PetscInt count = batches->first[b + 1] - batches->first[b], lanes = batches->lanes;

  for (PetscInt s = 0; s < plan->cells; ++s) {
    const PetscInt *cell = (s ? batches->minus : batches->cell) + batches->first[b];
    const double   *out  = batches->args.out + RungPlanCellOffset(plan, PETSC_FALSE, s) * lanes;

    for (PetscInt f = 0; f < plan->unknowns; ++f) {
      if (batches->write[f])
        ScatterFunction(batches->layout, &plan->basis[f], lanes, count, cell, out + plan->basis[f].offset * lanes,
                        local);
    }
  }
}
