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

RUNG_TEST_MAIN(RUNG_TEST(test_parts_are_listed), RUNG_TEST(test_a_part_is_known_by_name_and_number),
               RUNG_TEST(test_an_unknown_part_is_refused_with_a_list_and_a_suggestion), RUNG_TEST(test_places_are_kept))
