/* test_mesh_parts.c - parts by name and number, places of integrals, messages for what does not exist. */
#include "mesh_tools.h"

static PetscErrorCode test_parts_are_listed(void)
{
  RungMesh mesh;
  char     list[256];

  PetscCall(make_box(RUNG_TRIANGLE, 2, 2, 1, NULL, &mesh));
  PetscCall(RungMeshGetParts(mesh, RUNG_BOUNDARY, list, sizeof list));
  CHECK(!strcmp(list, "boundary, bottom, left, right, top"));
  CHECK_RAISES(RungMeshGetParts(mesh, RUNG_BOUNDARY, list, 34), "wanted room for 35");
  PetscCall(RungMeshGetParts(mesh, RUNG_BOUNDARY, list, 35));
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

/* Members over all ranks and the least and the most of their coordinates. */
static PetscErrorCode measure(RungMesh mesh, RungDomain domain, const char part[], PetscReal *count, PetscReal low[3],
                              PetscReal high[3])
{
  const RungMeshData *data;
  const RungPlaces   *places;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(mesh, &data));
  PetscCall(RungMeshGetPlaces(mesh, domain, part, &places));
  *count = sum_all(mesh, (PetscReal)places->count);
  for (int a = 0; a < 3; ++a) low[a] = PETSC_MAX_REAL, high[a] = PETSC_MIN_REAL;
  for (PetscInt i = 0; i < places->count; ++i) {
    const PetscInt e = places->facet[0][i];

    for (PetscInt k = 0; k < (domain == RUNG_VERTICES ? 1 : 2); ++k) {
      const PetscInt v = domain == RUNG_VERTICES ? e : RungCellGet(data->type)->edge[e][k];

      for (PetscInt a = 0; a < data->dim; ++a) {
        const PetscReal x = data->x[data->cell_node[places->cell[0][i] * data->nodes_per_cell + v] * data->dim + a];

        low[a] = PetscMin(low[a], x), high[a] = PetscMax(high[a], x);
      }
    }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, low, 3, MPIU_REAL, MPIU_MIN, RungMeshComm(mesh)));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, high, 3, MPIU_REAL, MPIU_MAX, RungMeshComm(mesh)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_edges_and_corners_of_boxes_are_parts(void)
{
  const PetscReal size[3] = {1, 2, 4};

  for (int i = 0; i < 8; ++i) { /* refined or not */
    const RungCellType type = (RungCellType)(RUNG_TRIANGLE + i % 4);
    const PetscInt     dim  = RungCellGet(type)->dim;
    RungMesh           mesh;
    PetscReal          count, low[3], high[3];

    PetscCall(make_box(type, 3, 2, i < 4 ? 1 : 3, size, &mesh));
    if (i >= 4) PetscCall(RungMeshSetRefinement(mesh, 1));
    PetscCall(measure(mesh, RUNG_VERTICES, dim == 2 ? "left_top" : "left_top_back", &count, low, high));
    CHECK(count == 1 && low[0] == 0 && low[1] == 2 && (dim == 2 || high[2] == 0));
    if (dim == 3) {
      PetscCall(measure(mesh, RUNG_EDGES, "right_front", &count, low, high));
      CHECK(count == (i < 4 ? 2 : 4) && low[0] == 1 && low[1] == 0 && high[1] == 2 && low[2] == 4);
      PetscCall(measure(mesh, RUNG_VERTICES, "bottom_back", &count, low, high));
      CHECK(count == (i < 4 ? 4 : 7) && high[1] == 0 && high[2] == 0 && high[0] == 1);
    }
    PetscCall(RungMeshDestroy(&mesh));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_periodic_box_has_no_corners_where_it_closes(void)
{
  const PetscBool periodic[3] = {PETSC_FALSE, PETSC_TRUE, PETSC_FALSE};
  RungMesh        mesh;
  PetscBool       has;
  PetscReal       count, low[3], high[3];

  PetscCall(make_box(RUNG_HEXAHEDRON, 3, 3, 3, NULL, &mesh));
  PetscCall(RungMeshSetPeriodic(mesh, periodic));
  PetscCall(RungMeshHasPart(mesh, RUNG_VERTICES, "left_top", &has));
  CHECK(!has);
  PetscCall(measure(mesh, RUNG_EDGES, "left_front", &count, low, high));
  CHECK(count == 3 && high[0] == 0 && low[1] == 0 && low[2] == 1);
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

/* Whoever has the cells of the part, all ranks with a vertex of it know. */
static PetscErrorCode test_all_ranks_know_which_of_their_vertices_are_in_a_part(void)
{
  RungMesh            mesh;
  const RungMeshData *data;
  PetscBool          *mark;

  PetscCall(make_box(RUNG_TETRAHEDRON, 3, 3, 3, NULL, &mesh));
  PetscCall(RungMeshGetData(mesh, &data));
  PetscCall(PetscMalloc1(data->entities[0], &mark));
  PetscCall(RungMeshMarkEntities(mesh, RUNG_VERTICES, "top", mark));
  for (PetscInt i = 0; i < 4 * data->cells; ++i)
    CHECK(mark[data->cell_entity[0][i]] == (data->x[3 * data->cell_node[i] + 1] == 1));
  PetscCall(PetscFree(mark));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_parts_are_listed), RUNG_TEST(test_a_part_is_known_by_name_and_number),
               RUNG_TEST(test_an_unknown_part_is_refused_with_a_list_and_a_suggestion), RUNG_TEST(test_places_are_kept),
               RUNG_TEST(test_edges_and_corners_of_boxes_are_parts),
               RUNG_TEST(test_a_periodic_box_has_no_corners_where_it_closes),
               RUNG_TEST(test_all_ranks_know_which_of_their_vertices_are_in_a_part))
