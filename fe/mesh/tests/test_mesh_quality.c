/* test_mesh_quality.c - lengths and shapes of cells against what geometry says of them. */
#include "fe_impl.h"

#include "mesh_tools.h"

static PetscErrorCode measure(RungMesh *mesh, RungMeshQuality *q)
{
  PetscFunctionBegin;
  PetscCall(RungMeshSetUp(*mesh));
  PetscCall(RungMeshMeasure(*mesh, q));
  PetscCall(RungMeshDestroy(mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A mesh of the cells in `elements`, lines of a Gmsh file, among nodes given by three coordinates each. */
static PetscErrorCode from_nodes(PetscInt n, const double x[][3], PetscInt cells, const char elements[], RungMesh *mesh)
{
  char   text[2048];
  size_t used;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, sizeof text, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", (int)n));
  for (PetscInt i = 0; i < n; ++i) {
    used = strlen(text);
    snprintf(text + used, sizeof text - used, "%d %.17g %.17g %.17g\n", (int)i + 1, x[i][0], x[i][1], x[i][2]);
  }
  used = strlen(text);
  snprintf(text + used, sizeof text - used, "$EndNodes\n$Elements\n%d\n%s$EndElements\n", (int)cells, elements);
  PetscCall(write_file("shape.msh", strlen(text), text));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RungMeshSetFile(*mesh, "shape.msh"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_regular_simplices_have_ratio_one(void)
{
  const double    triangle[3][3]    = {{0, 0, 0}, {2, 0, 0}, {1, sqrt(3), 0}};
  const double    tetrahedron[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  RungMesh        mesh;
  RungMeshQuality q;

  PetscCall(from_nodes(3, triangle, 1, "1 2 2 1 1 1 2 3\n", &mesh));
  PetscCall(measure(&mesh, &q));
  CHECK_NEAR(q.quality_least, 1, 1e-14);
  CHECK_NEAR(q.h_most, 2, 1e-14);
  PetscCall(from_nodes(4, tetrahedron, 1, "1 4 2 1 1 1 2 3 4\n", &mesh));
  PetscCall(measure(&mesh, &q));
  CHECK_NEAR(q.quality_least, 1, 1e-14);
  CHECK_NEAR(q.h_least, sqrt(8), 1e-14);
  return PETSC_SUCCESS;
}

/* r = (a + b - c) / 2 and R = c / 2 of a right triangle; r = 3 V / S and R = half the diagonal of a path tetrahedron. */
static PetscErrorCode test_boxes_have_the_ratios_of_their_simplices(void)
{
  const double    surface = 0.5 + 0.5 * sqrt(2) + 0.5 * sqrt(2) + 0.5;
  RungMesh        mesh;
  RungMeshQuality q;

  PetscCall(make_box(RUNG_TRIANGLE, 3, 4, 1, (PetscReal[]){9, 16}, &mesh));
  PetscCall(measure(&mesh, &q));
  CHECK_NEAR(q.quality_least, 2 * (3. + 4 - 5) / 5, 1e-14);
  CHECK_NEAR(q.quality_mean, 0.8, 1e-14);
  CHECK_NEAR(q.h_mean, 5, 1e-13);
  PetscCall(make_box(RUNG_TETRAHEDRON, 2, 2, 2, (PetscReal[]){2, 2, 2}, &mesh));
  PetscCall(measure(&mesh, &q));
  CHECK_NEAR(q.quality_least, 3 * (0.5 / surface) / (sqrt(3) / 2), 1e-14);
  CHECK_NEAR(q.h_least, sqrt(3), 1e-14);
  CHECK(!strcmp(q.name, "radius ratio"));
  return PETSC_SUCCESS;
}

/* A parallelogram of 60 degrees has sin 60 at each corner; a trapezoid sin 45 at two of them. */
static PetscErrorCode test_boxes_are_measured_by_their_worst_corner(void)
{
  const double    x[6][3] = {{0, 0, 0}, {2, 0, 0}, {3, sqrt(3), 0}, {1, sqrt(3), 0}, {3 + sqrt(3), 0, 0}, {9, 9, 0}};
  RungMesh        mesh;
  RungMeshQuality q;

  PetscCall(from_nodes(6, x, 1, "1 3 2 1 1 1 2 3 4\n", &mesh));
  PetscCall(measure(&mesh, &q));
  CHECK_NEAR(q.quality_least, sqrt(3) / 2, 1e-14);
  PetscCall(from_nodes(6, x, 1, "1 3 2 1 1 1 5 3 4\n", &mesh));
  PetscCall(measure(&mesh, &q));
  CHECK_NEAR(q.quality_least, sqrt(0.5), 1e-14);
  CHECK_NEAR(q.h_most, 3 + sqrt(3), 1e-14);
  PetscCall(make_box(RUNG_INTERVAL, 5, 1, 1, NULL, &mesh));
  PetscCall(measure(&mesh, &q));
  CHECK(!q.name && fabs(q.h_mean - 0.2) < 1e-15);
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_regular_simplices_have_ratio_one),
               RUNG_TEST(test_boxes_have_the_ratios_of_their_simplices),
               RUNG_TEST(test_boxes_are_measured_by_their_worst_corner))
