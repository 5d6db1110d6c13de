/* test_mesh_points.c - meshes of points: numbers in order, contiguous, no facets. */
#include "mesh_tools.h"

static PetscErrorCode check_points(PetscInt n)
{
  RungMesh            mesh;
  const RungMeshData *data;
  const RungPlaces   *places;

  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetPoints(mesh, n));
  PetscCall(RungMeshGetData(mesh, &data));
  CHECK(data->type == RUNG_POINT && data->dim == 1 && data->nodes_per_cell == 1);
  CHECK(data->cells_global == n && data->entities[0] == data->cells && data->owned[0] == data->cells);
  CHECK(sum_all(mesh, (PetscReal)data->cells) == (PetscReal)n);
  for (PetscInt c = 0; c < data->cells; ++c) {
    CHECK(data->x[data->cell_node[c]] == (PetscReal)(data->cell_start + c));
    CHECK(data->global[0][c] == data->cell_start + c);
    CHECK(data->cell_entity[0][c] == c);
  }
  PetscCall(RungMeshGetPlaces(mesh, RUNG_CELLS, NULL, &places));
  CHECK(places->count == data->cells);
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_points_are_numbered_in_order(void)
{
  PetscCall(check_points(7));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_more_ranks_than_points_work(void)
{
  PetscCall(check_points(1));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_facets_of_points_are_refused(void)
{
  RungMesh          mesh;
  const RungPlaces *places;

  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  CHECK_RAISES(RungMeshSetPoints(mesh, 0), "wanted at least 1");
  PetscCall(RungMeshSetPoints(mesh, 3));
  CHECK_RAISES(RungMeshGetPlaces(mesh, RUNG_BOUNDARY, NULL, &places), "a mesh of points has no facets");
  CHECK_RAISES(RungMeshGetPlaces(mesh, RUNG_INTERIOR_FACETS, "a", &places), "a mesh of points has no facets");
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_points_are_numbered_in_order), RUNG_TEST(test_more_ranks_than_points_work),
               RUNG_TEST(test_facets_of_points_are_refused))
