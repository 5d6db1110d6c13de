/* test_mesh_parts.c - parts by name and number, places of integrals, messages for what does not exist. */
#include "mesh_tools.h"

static PetscErrorCode test_parts_are_listed(void)
{
  RungMesh mesh;
  char     list[256];

  PetscCall(make_box(RUNG_TRIANGLE, 2, 2, 1, NULL, &mesh));
  PetscCall(RungMeshGetParts(mesh, RUNG_BOUNDARY, list, sizeof list));
  CHECK(!strcmp(list, "boundary, bottom, left, right, top"));
  PetscCall(RungMeshGetParts(mesh, RUNG_CELLS, list, sizeof list));
  CHECK(!strcmp(list, ""));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_part_is_known_by_name_and_number(void)
{
  RungMesh          mesh;
  const RungPlaces *name, *number;
  PetscBool         has;

  PetscCall(make_box(RUNG_QUADRILATERAL, 3, 2, 1, NULL, &mesh));
  PetscCall(RungMeshGetPlaces(mesh, RUNG_BOUNDARY, "top", &name));
  PetscCall(RungMeshGetPlaces(mesh, RUNG_BOUNDARY, "4", &number));
  CHECK(name == number);
  CHECK(sum_all(mesh, (PetscReal)name->count) == 3);
  PetscCall(RungMeshHasPart(mesh, RUNG_BOUNDARY, "top", &has));
  CHECK(has);
  PetscCall(RungMeshHasPart(mesh, RUNG_BOUNDARY, "Top", &has));
  CHECK(!has);
  PetscCall(RungMeshHasPart(mesh, RUNG_BOUNDARY, "boundary", &has));
  CHECK(has);
  PetscCall(RungMeshHasPart(mesh, RUNG_CELLS, "top", &has));
  CHECK(!has);
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_an_unknown_part_is_refused_with_a_list_and_a_suggestion(void)
{
  RungMesh          mesh;
  const RungPlaces *places;

  PetscCall(make_box(RUNG_TRIANGLE, 2, 2, 1, NULL, &mesh));
  CHECK_RAISES(RungMeshGetPlaces(mesh, RUNG_BOUNDARY, "rihgt", &places),
               "boundary part \"rihgt\" does not exist; this mesh has boundary, bottom, left, right, top; did you mean "
               "right?");
  CHECK_RAISES(RungMeshGetPlaces(mesh, RUNG_CELLS, "steel", &places), "this mesh has none");
  CHECK_RAISES(RungMeshGetPlaces(mesh, RUNG_CELLS, "left", &places), "it is a part of facets; use ds(left)");
  CHECK_RAISES(RungMeshGetPlaces(mesh, RUNG_INTERIOR_FACETS, "left", &places), "holds no interior facets");
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_places_are_kept(void)
{
  RungMesh          mesh;
  const RungPlaces *a, *b, *c;

  PetscCall(make_box(RUNG_TRIANGLE, 2, 2, 1, NULL, &mesh));
  PetscCall(RungMeshGetPlaces(mesh, RUNG_BOUNDARY, NULL, &a));
  PetscCall(RungMeshGetPlaces(mesh, RUNG_BOUNDARY, "boundary", &b));
  PetscCall(RungMeshGetPlaces(mesh, RUNG_BOUNDARY, "", &c));
  CHECK(a == b && b == c);
  PetscCall(RungMeshGetPlaces(mesh, RUNG_CELLS, NULL, &c));
  CHECK(a != c);
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

/* Sum of the coordinates of the vertices of a facet. */
static PetscReal facet_place(const RungMeshData *data, PetscInt c, PetscInt f)
{
  const RungCell *cell = RungCellGet(data->type);
  PetscReal       sum  = 0;

  for (PetscInt v = 0; v < RungCellGet(cell->facet_type)->vertices; ++v) {
    for (PetscInt a = 0; a < data->dim; ++a) {
      sum += (PetscReal)(1 << a) *
             data->x[data->cell_node[c * data->nodes_per_cell + cell->facet[f][v]] * data->dim + a];
    }
  }
  return sum;
}

/* Both sides see one facet: opposite normals, equal measure, the same vertices; no pair twice. */
static PetscErrorCode check_interior(RungCellType type, PetscReal facets)
{
  RungMesh            mesh;
  const RungMeshData *data;
  const RungPlaces   *places;
  PetscReal           n[2][3], size[2];
  PetscMPIInt         ranks;

  PetscCall(make_box(type, 3, 2, 2, NULL, &mesh));
  PetscCall(RungMeshGetData(mesh, &data));
  PetscCall(RungMeshGetPlaces(mesh, RUNG_INTERIOR_FACETS, NULL, &places));
  for (PetscInt i = 0; i < places->count; ++i) {
    CHECK(places->cell[0][i] < places->cell[1][i]);
    for (int s = 0; s < 2; ++s) size[s] = facet_measure(data, places->cell[s][i], places->facet[s][i], n[s]);
    CHECK_NEAR(size[0], size[1], 1e-14);
    CHECK_NEAR(facet_place(data, places->cell[0][i], places->facet[0][i]),
               facet_place(data, places->cell[1][i], places->facet[1][i]), 1e-14);
    for (int a = 0; a < 3; ++a) CHECK_NEAR(n[0][a], -n[1][a], 1e-14);
  }
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  if (ranks == 1)
    CHECK((PetscReal)places->count == facets);
  else
    CHECK(sum_all(mesh, (PetscReal)places->count) < facets);
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_interior_facets_come_in_pairs(void)
{
  PetscCall(check_interior(RUNG_INTERVAL, 2));
  PetscCall(check_interior(RUNG_TRIANGLE, 13));
  PetscCall(check_interior(RUNG_QUADRILATERAL, 7));
  PetscCall(check_interior(RUNG_TETRAHEDRON, 112));
  PetscCall(check_interior(RUNG_HEXAHEDRON, 20));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_parts_are_listed), RUNG_TEST(test_a_part_is_known_by_name_and_number),
               RUNG_TEST(test_an_unknown_part_is_refused_with_a_list_and_a_suggestion), RUNG_TEST(test_places_are_kept),
               RUNG_TEST(test_interior_facets_come_in_pairs))
