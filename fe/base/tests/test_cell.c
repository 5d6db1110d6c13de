/* test_cell.c - reference cells: the divergence theorem ties sizes, facets and normals together. */
#include "check.h"

static void facet_corner(const RungCell *cell, PetscInt facet, PetscInt i, PetscReal x[3])
{
  for (int a = 0; a < 3; ++a) x[a] = cell->x[cell->facet[facet][i]][a];
}

/* The mean of the corners of an affine facet is its centroid. */
static void facet_centroid(const RungCell *cell, PetscInt facet, PetscReal x[3])
{
  const RungCell *f = RungCellGet(cell->facet_type);

  x[0] = x[1] = x[2] = 0;
  for (PetscInt i = 0; i < f->vertices; ++i) {
    for (int a = 0; a < 3; ++a) x[a] += cell->x[cell->facet[facet][i]][a] / f->vertices;
  }
}

static PetscErrorCode test_facets_close_around_the_cell(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    const RungCell *cell = RungCellGet((RungCellType)type), *facet = RungCellGet(cell->facet_type);
    PetscReal       sum[3] = {0, 0, 0}, moment = 0; /* integral of n, and of x . n = dim * size */

    for (PetscInt f = 0; f < cell->facets; ++f) {
      PetscReal x[3];

      facet_centroid(cell, f, x);
      for (int a = 0; a < 3; ++a) {
        sum[a] += cell->normal[f][a] * cell->facet_size[f] * facet->size;
        moment += x[a] * cell->normal[f][a] * cell->facet_size[f] * facet->size;
      }
    }
    for (int a = 0; a < 3; ++a) CHECK_NEAR(sum[a], 0, 1e-15);
    CHECK_NEAR(moment, cell->dim * cell->size, 1e-14);
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_normals_are_unit_and_normal_to_the_facet(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    const RungCell *cell = RungCellGet((RungCellType)type);

    for (PetscInt f = 0; f < cell->facets; ++f) {
      PetscReal square = 0, x[3], y[3];

      facet_corner(cell, f, 0, x);
      for (int a = 0; a < 3; ++a) square += cell->normal[f][a] * cell->normal[f][a];
      CHECK_NEAR(square, 1, 1e-15);
      for (PetscInt i = 1; i < RungCellGet(cell->facet_type)->vertices; ++i) {
        PetscReal dot = 0;

        facet_corner(cell, f, i, y);
        for (int a = 0; a < 3; ++a) dot += (y[a] - x[a]) * cell->normal[f][a];
        CHECK_NEAR(dot, 0, 1e-15);
      }
    }
  }
  return PETSC_SUCCESS;
}

/* facet_size from the corners: |a x b| of the first two sides over that of the reference cell, which is 1. */
static PetscErrorCode test_facet_sizes_follow_from_the_corners(void)
{
  for (int type = RUNG_TRIANGLE; type < RUNG_CELL_TYPES; ++type) {
    const RungCell *cell = RungCellGet((RungCellType)type);

    for (PetscInt f = 0; f < cell->facets; ++f) {
      PetscReal x[3], a[3], b[3] = {0, 0, 1}, c[3];

      facet_corner(cell, f, 0, x);
      facet_corner(cell, f, 1, a);
      if (cell->dim == 3) facet_corner(cell, f, 2, b);
      for (int i = 0; i < 3; ++i) a[i] -= x[i], b[i] -= cell->dim == 3 ? x[i] : 0;
      for (int i = 0; i < 3; ++i) c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
      CHECK_NEAR(cell->facet_size[f], sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]), 1e-15);
    }
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_corners_are_numbered_as_drawn(void)
{
  for (int type = RUNG_POINT; type < RUNG_CELL_TYPES; ++type) {
    const RungCell *cell = RungCellGet((RungCellType)type);

    CHECK(cell->vertices == (cell->simplex ? cell->dim + 1 : 1 << cell->dim));
    for (PetscInt v = 0; v < cell->vertices; ++v) {
      for (PetscInt a = 0; a < 3; ++a) {
        CHECK(cell->x[v][a] == (cell->simplex ? (v == a + 1) : a < cell->dim && (v >> a & 1)));
      }
    }
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_facets_are_numbered_as_documented(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    const RungCell *cell = RungCellGet((RungCellType)type);

    CHECK(cell->facets == (cell->simplex ? cell->dim + 1 : 2 * cell->dim));
    for (PetscInt f = 0; f < cell->facets; ++f) {
      for (PetscInt i = 0; i < RungCellGet(cell->facet_type)->vertices; ++i) {
        const PetscInt v = cell->facet[f][i];

        if (cell->simplex)
          CHECK(v != f);
        else
          CHECK(cell->x[v][f / 2] == f % 2);
        if (i) CHECK(v > cell->facet[f][i - 1]);
      }
    }
  }
  return PETSC_SUCCESS;
}

/* Edges: distinct, ends in order, and as many as Euler's formula asks for. */
static PetscErrorCode test_edges_are_complete(void)
{
  for (int type = RUNG_TRIANGLE; type < RUNG_CELL_TYPES; ++type) {
    const RungCell *cell = RungCellGet((RungCellType)type);

    CHECK(cell->vertices - cell->edges + (cell->dim == 3 ? cell->facets : 0) == (cell->dim == 3 ? 2 : 0));
    for (PetscInt e = 0; e < cell->edges; ++e) {
      CHECK(cell->edge[e][0] < cell->edge[e][1]);
      for (PetscInt o = 0; o < e; ++o) {
        CHECK(cell->edge[e][0] != cell->edge[o][0] || cell->edge[e][1] != cell->edge[o][1]);
      }
      if (cell->dim == 2) CHECK(cell->edge[e][0] == cell->facet[e][0] && cell->edge[e][1] == cell->facet[e][1]);
    }
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_cell_is_found_by_name_and_a_wrong_name_suggests(void)
{
  RungCellType type;

  PetscCall(RungCellFind(PETSC_COMM_WORLD, "tetrahedron", &type));
  CHECK(type == RUNG_TETRAHEDRON);
  CHECK_RAISES(RungCellFind(PETSC_COMM_WORLD, "tringle", &type), "did you mean triangle?");
  CHECK_RAISES(RungCellFind(PETSC_COMM_WORLD, "dodecahedron", &type), "does not exist; wanted point, interval");
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_facets_close_around_the_cell), RUNG_TEST(test_normals_are_unit_and_normal_to_the_facet),
               RUNG_TEST(test_facet_sizes_follow_from_the_corners), RUNG_TEST(test_corners_are_numbered_as_drawn),
               RUNG_TEST(test_facets_are_numbered_as_documented), RUNG_TEST(test_edges_are_complete),
               RUNG_TEST(test_a_cell_is_found_by_name_and_a_wrong_name_suggests))
