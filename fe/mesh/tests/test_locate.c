/* test_locate.c - the cell that has a point, and the nearest place of a mesh for points outside. */
#include "check.h"
#include "check_curved.h"

static const char *const names[] = {"interval", "triangle", "quadrilateral", "tetrahedron", "hexahedron"};

/* Pseudo-random points of the unit box, the same in every run and on every rank. */
static double number(unsigned *seed)
{
  *seed = *seed * 1103515245u + 12345u;
  return (double)(*seed >> 8 & 0xffff) / 65536;
}

/* x of a field "x" at the points: its components interpolate the coordinates, so that a value is the place found. */
static PetscErrorCode places(RungMesh mesh, const char spec[], PetscInt n, const PetscReal x[], PetscScalar found[],
                             PetscReal distance[])
{
  const RungSpaceData *data;
  const RungMeshData  *m;
  const PetscReal     *d;
  RungSpace            space;
  RungField            field;
  RungProbes           probes;
  PetscScalar         *u;
  Vec                  v;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(mesh, &m));
  PetscCall(RungSpaceCreate(mesh, spec, &space));
  PetscCall(RungFieldCreate(space, "x", &field));
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(RungFieldGetVec(field, &v));
  PetscCall(VecGetArrayWrite(v, &u));
  for (PetscInt i = 0; i < data->owned * m->dim; ++i) u[i] = data->x[i];
  PetscCall(VecRestoreArrayWrite(v, &u));
  PetscCall(RungProbesCreate(mesh, n, x, &probes));
  PetscCall(RungProbesGetDistance(probes, &d));
  PetscCall(PetscArraycpy(distance, d, n));
  PetscCall(RungFieldEvaluate(field, probes, found));
  PetscCall(RungProbesDestroy(&probes));
  PetscCall(RungFieldDestroy(&field));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_points_of_boxes_are_found_in_all_cells(void)
{
  enum { N = 60 };

  PetscFunctionBegin;
  for (int k = 0; k < 5; ++k) {
    const PetscInt dim = k == 0 ? 1 : k < 3 ? 2 : 3;
    RungMesh       mesh;
    PetscReal      x[3 * N], distance[N];
    PetscScalar    found[3 * N];
    unsigned       seed = 7;

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetBox(mesh, names[k], dim, (PetscInt[]){4, 3, 2}, (PetscReal[]){1, 1, 1}));
    for (int i = 0; i < N * dim; ++i) x[i] = i < 8 * dim ? (double)(i % 5) / 4 : number(&seed);
    PetscCall(places(mesh, dim == 1 ? "P1^d" : "CG1^d", N, x, found, distance));
    for (int i = 0; i < N; ++i) {
      CHECK(distance[i] == 0);
      for (int a = 0; a < dim; ++a) CHECK_NEAR(found[i * dim + a], x[i * dim + a], 1e-12);
    }
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_points_outside_stand_for_the_nearest_place(void)
{
  static const double x[]      = {-3, 0.5, 2, 2, 0.25, 1.5, 1.5, -0.5};
  static const double wanted[] = {0, 0.5, 1, 1, 0.25, 1, 1, 0};
  const double        far[]    = {3, sqrt(2), 0.5, sqrt(0.5)};

  PetscFunctionBegin;
  for (int k = 1; k < 5; ++k) {
    const PetscInt dim = k < 3 ? 2 : 3;
    RungMesh       mesh;
    PetscReal      at[3 * 4], distance[4];
    PetscScalar    found[3 * 4];

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetBox(mesh, names[k], dim, (PetscInt[]){3, 3, 3}, (PetscReal[]){1, 1, 1}));
    for (int i = 0; i < 4; ++i)
      for (int a = 0; a < dim; ++a) at[i * dim + a] = a < 2 ? x[2 * i + a] : 0.4;
    PetscCall(places(mesh, "CG1^d", 4, at, found, distance));
    for (int i = 0; i < 4; ++i) {
      CHECK_NEAR(distance[i], far[i], 1e-12);
      for (int a = 0; a < dim; ++a) CHECK_NEAR(found[i * dim + a], a < 2 ? wanted[2 * i + a] : 0.4, 1e-10);
    }
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The isoparametric field of coordinates gives every point of a curved cell back. */
static PetscErrorCode test_points_of_curved_cells_are_found(void)
{
  enum { N = 40 };
  const RungCellType types[] = {RUNG_TRIANGLE, RUNG_QUADRILATERAL, RUNG_TETRAHEDRON, RUNG_HEXAHEDRON};

  PetscFunctionBegin;
  for (int k = 0; k < 4; ++k) {
    const PetscInt dim = RungCellGet(types[k])->dim;
    RungMesh       mesh;
    PetscReal      x[3 * N], distance[N];
    PetscScalar    found[3 * N];
    unsigned       seed = 3;

    PetscCall(curved_mesh(types[k], 2, 2, PETSC_FALSE, "curved.msh", &mesh));
    for (int i = 0; i < N; ++i) {
      const double b[3] = {0.02 + 0.96 * number(&seed), number(&seed), number(&seed)};
      double       y[3];

      curved_map(dim, b, y);
      for (int a = 0; a < dim; ++a) x[i * dim + a] = y[a];
    }
    PetscCall(places(mesh, "CG2^d", N, x, found, distance));
    for (int i = 0; i < N; ++i) {
      CHECK(distance[i] < 0.01); /* the cells' sides are parabolas, not arcs */
      for (int a = 0; a < dim && distance[i] == 0; ++a) CHECK_NEAR(found[i * dim + a], x[i * dim + a], 1e-9);
    }
    { /* the centre of a ring sees its inner arc, one away */
      const PetscReal centre[3] = {0, 0, 0};

      PetscCall(places(mesh, "CG2^d", 1, centre, found, distance));
      CHECK_NEAR(distance[0], 1, 0.01);
    }
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_points_of_a_mesh_of_points(void)
{
  const PetscReal x[] = {3, 0, 4.25, -1};
  PetscReal       distance[4];
  PetscScalar     found[4];
  RungMesh        mesh;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 5));
  PetscCall(places(mesh, "P0", 4, x, found, distance));
  CHECK_NEAR(found[0], 3, 0);
  CHECK_NEAR(found[1], 0, 0);
  CHECK_NEAR(found[2], 4, 0);
  CHECK_NEAR(found[3], 0, 0);
  CHECK_NEAR(distance[0], 0, 0);
  CHECK_NEAR(distance[2], 0.25, 1e-15);
  CHECK_NEAR(distance[3], 1, 1e-15);
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_points_of_boxes_are_found_in_all_cells),
               RUNG_TEST(test_points_outside_stand_for_the_nearest_place),
               RUNG_TEST(test_points_of_curved_cells_are_found), RUNG_TEST(test_points_of_a_mesh_of_points))
