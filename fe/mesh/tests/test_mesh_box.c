/* test_mesh_box.c - boxes: volumes, sides, normals, counts, on any number of ranks. */
#include "mesh_tools.h"

static const PetscReal size[3] = {2, 3, 0.5};

static PetscErrorCode check_box(RungCellType type, PetscInt cells_per_box)
{
  const PetscInt      dim = RungCellGet(type)->dim;
  RungMesh            mesh;
  const RungMeshData *data;
  PetscReal           volume = 1, found = 0;

  PetscCall(make_box(type, 3, 2, 4, size, &mesh));
  PetscCall(RungMeshGetData(mesh, &data));
  for (PetscInt a = 0; a < dim; ++a) volume *= size[a];
  PetscCall(volume_of(mesh, NULL, &found));
  CHECK_NEAR(found, volume, 1e-13);
  CHECK(data->cells_global == cells_per_box * (dim == 1 ? 3 : dim == 2 ? 6 : 24));
  CHECK(data->affine);
  for (PetscInt c = 0; c < data->cells; ++c)
    CHECK_NEAR(cell_measure(data, c), volume / (PetscReal)data->cells_global, 1e-14);
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_cells_of_all_types_fill_the_box(void)
{
  PetscCall(check_box(RUNG_INTERVAL, 1));
  PetscCall(check_box(RUNG_TRIANGLE, 2));
  PetscCall(check_box(RUNG_QUADRILATERAL, 1));
  PetscCall(check_box(RUNG_TETRAHEDRON, 6));
  PetscCall(check_box(RUNG_HEXAHEDRON, 1));
  return PETSC_SUCCESS;
}

/* All facets of a side have its normal and lie at its coordinate, and they cover it. */
static PetscErrorCode check_side(RungMesh mesh, PetscInt side)
{
  static const char *const name[6] = {"left", "right", "bottom", "top", "back", "front"};
  const RungMeshData      *data;
  const RungPlaces        *places;
  PetscReal                area = 1, found, count;
  const PetscInt           a = side / 2, s = side % 2;

  PetscCall(RungMeshGetData(mesh, &data));
  PetscCall(RungMeshGetPlaces(mesh, RUNG_BOUNDARY, name[side], &places));
  for (PetscInt b = 0; b < data->dim; ++b) area *= b == a ? 1 : size[b];
  PetscCall(area_of(mesh, name[side], &found, &count));
  CHECK_NEAR(found, area, 1e-13);
  for (PetscInt i = 0; i < places->count; ++i) {
    const RungCell *cell = RungCellGet(data->type);
    const PetscInt  c = places->cell[0][i], f = places->facet[0][i];
    PetscReal       normal[3];

    (void)facet_measure(data, c, f, normal);
    CHECK_NEAR(normal[a], s ? 1 : -1, 1e-14);
    for (PetscInt v = 0; v < RungCellGet(cell->facet_type)->vertices; ++v) {
      const PetscInt node = data->cell_node[c * data->nodes_per_cell + cell->facet[f][v]];

      CHECK_NEAR(data->x[node * data->dim + a], s ? size[a] : 0, 1e-14);
    }
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_sides_carry_their_names(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    RungMesh mesh;

    PetscCall(make_box((RungCellType)type, 3, 2, 4, size, &mesh));
    for (PetscInt side = 0; side < 2 * RungCellGet((RungCellType)type)->dim; ++side) PetscCall(check_side(mesh, side));
    PetscCall(RungMeshDestroy(&mesh));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_the_boundary_is_the_sum_of_its_sides(void)
{
  RungMesh  mesh;
  PetscReal area, count;

  PetscCall(make_box(RUNG_TETRAHEDRON, 3, 2, 4, size, &mesh));
  PetscCall(area_of(mesh, "boundary", &area, &count));
  CHECK_NEAR(area, 2 * (2 * 3 + 2 * 0.5 + 3 * 0.5), 1e-12);
  CHECK(count == 2 * 2 * (3 * 2 + 3 * 4 + 2 * 4));
  PetscCall(area_of(mesh, NULL, &area, &count));
  CHECK(count == 2 * 2 * (3 * 2 + 3 * 4 + 2 * 4));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_box_beyond_the_integers_is_refused(void)
{
  RungMesh mesh;

  if (sizeof(PetscInt) > 4) return PETSC_SUCCESS;
  PetscCall(make_box(RUNG_TETRAHEDRON, 1000, 1000, 1000, NULL, &mesh));
  CHECK_RAISES(RungMeshSetUp(mesh), "more than this PETSc can number");
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_cells_of_all_types_fill_the_box), RUNG_TEST(test_sides_carry_their_names),
               RUNG_TEST(test_the_boundary_is_the_sum_of_its_sides),
               RUNG_TEST(test_a_box_beyond_the_integers_is_refused))
