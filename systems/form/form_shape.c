/* form_shape.c - how slender cells are for J: what smoothers of multigrid live on.

   For a cell with the matrix A and the coordinates X_a of its reference cell, taken at the nodes and from its middle,

       e_a = X_a^T A X_a

   is the energy of a function that is linear along the axis a: of a brick with sides h_a and conductivities k_a along them
   volume (k_a / h_a^2), with rates beside it as much more of the mass for all of them.  sqrt(max e_a / min e_a) is what its sides are to each other where
   lengths are measured by what diffuses along them, and with the second of them in the place of the largest it is how much
   weaker one axis is than all others: a body of tall cells consists of layers that hold together loosely, one of flat cells of lines.  Of simplices the coordinate of vertex 0, 1 - sum X_a, counts as the others do. */
#include "form_side_impl.h"

typedef struct {
  const RungSpaceData *space;
  PetscInt             axes;
  PetscReal           *x;      /* owned, [axis][cell node] from the middle of the cell */
  PetscReal            sum[3]; /* of cells and components, of both, and how many      */
} Shape;

/* At the nodes, less their mean over the vertices. */
static PetscErrorCode make_axes(const RungSpaceData *space, Shape *shape)
{
  const RungMeshData *mesh;
  const RungCell     *cell;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(space->mesh, &mesh));
  cell         = RungCellGet(mesh->type);
  shape->space = space;
  shape->axes  = mesh->dim + (cell->simplex ? 1 : 0);
  PetscCall(PetscMalloc1(shape->axes * space->cell_nodes, &shape->x));
  for (PetscInt i = 0; i < space->cell_nodes; ++i) {
    PetscReal rest = 0;

    for (PetscInt a = 0; a < mesh->dim; ++a) {
      const PetscReal middle = cell->simplex ? 1 / (PetscReal)(mesh->dim + 1) : 0.5;

      shape->x[a * space->cell_nodes + i] = space->node[i * mesh->dim + a] - middle;
      rest -= space->node[i * mesh->dim + a] - middle;
    }
    if (cell->simplex) shape->x[mesh->dim * space->cell_nodes + i] = rest;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal energy(const Shape *shape, PetscInt component, PetscInt axis, const PetscScalar block[], PetscInt si,
                        PetscInt sj)
{
  const PetscInt   n = shape->space->cell_nodes, of = shape->space->components;
  const PetscReal *x   = shape->x + axis * n;
  PetscReal        sum = 0;

  for (PetscInt i = 0; i < n; ++i)
    for (PetscInt j = 0; j < n; ++j)
      sum += x[i] * x[j] * PetscRealPart(block[(i * of + component) * si + (j * of + component) * sj]);
  return sum;
}

/* Has it every node of the cell?  That of a facet has not. */
static PetscBool is_whole(const Shape *shape, PetscInt component, const PetscScalar block[], PetscInt si, PetscInt sj)
{
  for (PetscInt i = 0; i < shape->space->cell_nodes; ++i) {
    const PetscInt k = i * shape->space->components + component;

    if (!(PetscRealPart(block[k * si + k * sj]) > 0)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Blocks of cells; those of facets say nothing. */
static PetscErrorCode look(PetscInt count, const PetscInt cell[], PetscScalar block[], PetscInt si, PetscInt sj,
                           void *ctx)
{
  Shape *shape = (Shape *)ctx;

  for (PetscInt l = 0; cell && l < count; ++l)
    for (PetscInt c = 0; c < shape->space->components; ++c) {
      PetscReal least = PETSC_INFINITY, second = PETSC_INFINITY, most = 0;

      if (!is_whole(shape, c, block + l, si, sj)) continue;
      for (PetscInt a = 0; a < shape->axes; ++a) {
        const PetscReal e = energy(shape, c, a, block + l, si, sj);

        second = PetscMin(second, PetscMax(least, e));
        least  = PetscMin(least, e);
        most   = PetscMax(most, e);
      }
      if (!(least > PETSC_MACHINE_EPSILON * most)) continue;
      shape->sum[0] += PetscSqrtReal(most / least);
      shape->sum[1] += PetscSqrtReal(PetscMin(second, most) / least);
      shape->sum[2] += 1;
    }
  return PETSC_SUCCESS;
}

PetscErrorCode RungFormSideShape(RungSystem sys, RungSystemPart part, PetscReal t, const Vec u[],
                                 const PetscReal sigma[], PetscInt every, PetscReal *slender, PetscReal *layered)
{
  const RungForm       form = RungFormOfPart(sys, part);
  const RungSpaceData *space;
  PetscReal            all[3];
  Shape                shape = {.axes = 0};

  PetscFunctionBegin;
  *slender = *layered = 1;
  if (!form || sys->form->unknowns > 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSpaceGetData(sys->form->space[0], &space));
  if (space->single || space->quadrature || space->degree < 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungCouplingsFollow(sys, t));
  PetscCall(make_axes(space, &shape));
  RungCallFinally(RungFormShowSome(form, t, u, sigma, every, look, &shape), PetscCall(PetscFree(shape.x)));
  PetscCallMPI(MPI_Allreduce(shape.sum, all, 3, MPIU_REAL, MPIU_SUM, sys->comm));
  if (all[2] > 0) *slender = all[0] / all[2], *layered = all[1] / all[2];
  PetscFunctionReturn(PETSC_SUCCESS);
}
