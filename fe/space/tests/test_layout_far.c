/* test_layout_far.c - local arrays with the dofs of cells across facets between ranks. */
#include "check.h"

static PetscErrorCode create(const char cell[], PetscInt dim, RungMesh *mesh, RungSpace space[2], RungLayout *layout)
{
  const PetscInt count[3] = {3, 2, 2};

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RungMeshSetBox(*mesh, cell, dim, count, NULL));
  PetscCall(RungSpaceCreate(*mesh, "CG2", &space[0]));
  PetscCall(RungSpaceCreate(*mesh, "DG1^d", &space[1]));
  PetscCall(RungLayoutCreate(PETSC_COMM_WORLD, 2, space, layout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RungMesh *mesh, RungSpace space[2], RungLayout *layout)
{
  PetscFunctionBegin;
  PetscCall(RungLayoutDestroy(layout));
  for (int f = 0; f < 2; ++f) PetscCall(RungSpaceDestroy(&space[f]));
  PetscCall(RungMeshDestroy(mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x of every node in component 0 of its dofs: far cells read what their owner wrote. */
static PetscErrorCode check_gather(const char cell[], PetscInt dim)
{
  RungMesh              mesh;
  RungSpace             space[2];
  RungLayout            layout;
  const RungLayoutData *d;
  const PetscScalar    *local;
  PetscScalar          *x;
  Vec                   u;

  PetscCall(create(cell, dim, &mesh, space, &layout));
  PetscCall(RungLayoutAddNeighbours(layout));
  PetscCall(RungLayoutAddNeighbours(layout)); /* no more */
  PetscCall(RungLayoutGetData(layout, &d));
  PetscCall(RungLayoutCreateVec(layout, &u));
  PetscCall(VecGetArray(u, &x));
  for (PetscInt i = 0; i < d->owned; ++i) x[i] = (PetscScalar)(d->start + i);
  PetscCall(VecRestoreArray(u, &x));
  PetscCall(RungLayoutGather(layout, u, 0, &local));
  for (PetscInt i = 0; i < d->local; ++i) CHECK(local[i] == (PetscScalar)d->global[i]);
  for (PetscInt i = 0; i < d->far_cells * d->cell_dofs; ++i) CHECK(d->far_dof[i] >= 0 && d->far_dof[i] < d->local);
  PetscCall(RungLayoutGatherRestore(layout, u, 0, &local));
  PetscCall(VecDestroy(&u));
  PetscCall(destroy(&mesh, space, &layout));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_far_dofs_are_read_from_their_owners(void)
{
  PetscCall(check_gather("interval", 1));
  PetscCall(check_gather("triangle", 2));
  PetscCall(check_gather("hexahedron", 3));
  return PETSC_SUCCESS;
}

/* Every rank adds 1 to each dof of each of its cells and far cells: owners get the number of both. */
static PetscErrorCode test_far_dofs_are_added_to_their_owners(void)
{
  RungMesh              mesh;
  RungSpace             space[2];
  RungLayout            layout;
  const RungLayoutData *d;
  PetscScalar          *local, sum;
  PetscReal             mine, wanted;
  Vec                   r;

  PetscCall(create("tetrahedron", 3, &mesh, space, &layout));
  PetscCall(RungLayoutAddNeighbours(layout));
  PetscCall(RungLayoutGetData(layout, &d));
  PetscCall(RungLayoutCreateVec(layout, &r));
  PetscCall(RungLayoutScatterBegin(layout, r, &local));
  for (PetscInt i = 0; i < d->cells * d->cell_dofs; ++i) local[d->cell_dof[i]] += 1;
  for (PetscInt i = 0; i < d->far_cells * d->cell_dofs; ++i) local[d->far_dof[i]] += 1;
  PetscCall(RungLayoutScatterEnd(layout, r, &local));
  mine = (PetscReal)((d->cells + d->far_cells) * d->cell_dofs);
  PetscCallMPI(MPI_Allreduce(&mine, &wanted, 1, MPIU_REAL, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(VecSum(r, &sum));
  CHECK(PetscRealPart(sum) == wanted);
  PetscCall(VecDestroy(&r));
  PetscCall(destroy(&mesh, space, &layout));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_neighbours_while_a_gather_is_open_are_refused(void)
{
  RungMesh           mesh;
  RungSpace          space[2];
  RungLayout         layout;
  const PetscScalar *local;
  Vec                u;

  PetscCall(create("triangle", 2, &mesh, space, &layout));
  PetscCall(RungLayoutCreateVec(layout, &u));
  PetscCall(RungLayoutGather(layout, u, 0, &local));
  CHECK_RAISES(RungLayoutAddNeighbours(layout), "end the gather or scatter first");
  PetscCall(RungLayoutGatherRestore(layout, u, 0, &local));
  PetscCall(VecDestroy(&u));
  PetscCall(destroy(&mesh, space, &layout));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_far_dofs_are_read_from_their_owners), RUNG_TEST(test_far_dofs_are_added_to_their_owners),
               RUNG_TEST(test_neighbours_while_a_gather_is_open_are_refused))
