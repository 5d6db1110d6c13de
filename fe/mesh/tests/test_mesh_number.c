/* test_mesh_number.c - edges and faces get numbers when they are asked for, the same whatever was asked for before. */
#include "fe_impl.h"
#include "mesh_tools.h"

static PetscErrorCode make(RungCellType type, PetscBool periodic, RungMesh *mesh)
{
  const PetscBool axes[3] = {periodic, PETSC_FALSE, PETSC_FALSE};

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RungMeshSetBox(*mesh, RungCellGet(type)->name, RungCellGet(type)->dim, (PetscInt[]){4, 3, 2},
                           (PetscReal[]){1, 1, 1}));
  PetscCall(RungMeshSetPeriodic(*mesh, axes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_space_asks_for_what_has_its_nodes(void)
{
  RungMesh            mesh;
  RungSpace           V;
  const RungMeshData *data;

  PetscCall(make(RUNG_HEXAHEDRON, PETSC_FALSE, &mesh));
  PetscCall(RungSpaceCreate(mesh, "Q1", &V));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshGetData(mesh, &data));
  CHECK(data->entities[0] > 0 && !data->cell_entity[1] && !data->cell_entity[2] && !data->cell_entity[3] &&
        !mesh->numbered[1]);
  PetscCall(RungSpaceCreate(mesh, "Q2", &V));
  PetscCall(RungSpaceDestroy(&V));
  CHECK(data->entities[1] > 0 && data->entities[2] > 0 && mesh->numbered[1] && mesh->numbered[2] &&
        data->cell_entity[3]);
  for (PetscInt c = 0; c < data->cells; ++c)
    CHECK(data->cell_entity[3][c] == c && data->global[3][c] == data->cell_start + c);
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

/* Faces before edges, edges before faces. */
static PetscErrorCode test_the_order_of_questions_does_not_matter(void)
{
  RungMesh            mesh[2];
  const RungMeshData *data[2];

  for (int i = 0; i < 2; ++i) {
    PetscCall(make(RUNG_TETRAHEDRON, PETSC_FALSE, &mesh[i]));
    PetscCall(RungMeshNeedEntities(mesh[i], i ? 1 : 2));
    PetscCall(RungMeshNeedEntities(mesh[i], i ? 2 : 1));
    PetscCall(RungMeshGetData(mesh[i], &data[i]));
  }
  for (PetscInt d = 1; d < 3; ++d) {
    PetscBool same;

    CHECK(data[0]->entities[d] == data[1]->entities[d] && data[0]->owned[d] == data[1]->owned[d]);
    PetscCall(PetscArraycmp(data[0]->global[d], data[1]->global[d], data[0]->entities[d], &same));
    CHECK(same);
    PetscCall(PetscArraycmp(data[0]->owner[d], data[1]->owner[d], data[0]->entities[d], &same));
    CHECK(same);
  }
  for (int i = 0; i < 2; ++i) PetscCall(RungMeshDestroy(&mesh[i]));
  return PETSC_SUCCESS;
}

/* Cells have nodes of their own; edges are halved between ranks by the places of vertices.  4 x 3 quadrilaterals around x: 16 edges
   along x, 12 along y. */
static PetscErrorCode test_edges_of_a_periodic_box_have_one_owner_each(void)
{
  RungMesh            mesh;
  const RungMeshData *data;
  PetscInt            all, most = 0;

  PetscCall(make(RUNG_QUADRILATERAL, PETSC_TRUE, &mesh));
  PetscCall(RungMeshNeedEntities(mesh, 1));
  PetscCall(RungMeshGetData(mesh, &data));
  PetscCallMPI(MPI_Allreduce(&data->owned[1], &all, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  CHECK(all == 28);
  for (PetscInt e = 0; e < data->entities[1]; ++e) most = PetscMax(most, data->global[1][e]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD));
  CHECK(most == 27);
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_space_asks_for_what_has_its_nodes),
               RUNG_TEST(test_the_order_of_questions_does_not_matter),
               RUNG_TEST(test_edges_of_a_periodic_box_have_one_owner_each))
