/* test_probes.c - values at points that any rank asks for, and fields from one mesh to another. */
#include <check_curved.h>

static PetscErrorCode begin(const char cell[], PetscInt n, const char spec[], RungMesh *mesh, RungField *field)
{
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RungMeshSetBox(*mesh, cell, 2, (PetscInt[]){n, n}, (PetscReal[]){1, 1}));
  PetscCall(RungSpaceCreate(*mesh, spec, &space));
  PetscCall(RungFieldCreate(space, "u", field));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double quadratic(const PetscReal x[])
{
  return 1 + x[0] - 2 * x[1] + 3 * x[0] * x[1] - x[1] * x[1];
}

/* quadratic(x) (1 + component) at the nodes; of discontinuous spaces the number of the cell */
static PetscErrorCode fill(RungField field)
{
  const RungSpaceData *data;
  const RungMeshData  *mesh;
  RungSpace            space;
  PetscScalar         *u;
  Vec                  v;

  PetscFunctionBegin;
  PetscCall(RungFieldGetSpace(field, &space));
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(RungMeshGetData(data->mesh, &mesh));
  PetscCall(RungFieldGetVec(field, &v));
  PetscCall(VecGetArrayWrite(v, &u));
  for (PetscInt i = 0; i < data->owned * data->components; ++i)
    u[i] = quadratic(data->x + 2 * (i / data->components)) * (double)(1 + i % data->components);
  for (PetscInt c = 0; c < (data->continuous || data->quadrature ? 0 : mesh->cells); ++c)
    for (PetscInt i = 0; i < data->cell_nodes; ++i)
      u[data->cell_node[c * data->cell_nodes + i]] = (double)mesh->cell_number[c];
  PetscCall(VecRestoreArrayWrite(v, &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_every_rank_asks_for_its_own_points(void)
{
  PetscMPIInt rank;
  RungMesh    mesh;
  RungField   field;
  RungProbes  probes;
  PetscReal   x[2 * 9];
  PetscScalar value[2 * 9];
  PetscInt    n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  n = rank == 1 ? 0 : 5 + 2 * (rank % 3);
  PetscCall(begin("triangle", 5, "P2^2", &mesh, &field));
  PetscCall(fill(field));
  for (int i = 0; i < 2 * n; ++i) x[i] = fmod(0.37 * i + 0.11 * rank + 0.05 * i * i, 1);
  PetscCall(RungProbesCreate(mesh, n, x, &probes));
  PetscCall(RungFieldEvaluate(field, probes, value));
  for (int i = 0; i < n; ++i) {
    CHECK_NEAR(value[2 * i], quadratic(x + 2 * i), 1e-13);
    CHECK_NEAR(value[2 * i + 1], 2 * quadratic(x + 2 * i), 1e-13);
  }
  PetscCall(RungProbesDestroy(&probes));
  PetscCall(RungFieldDestroy(&field));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On a facet between cells, whatever ranks have them, the cell that comes first is taken. */
static PetscErrorCode test_ties_do_not_depend_on_the_ranks(void)
{
  RungMesh        mesh;
  RungField       field;
  RungProbes      probes;
  const PetscReal x[] = {0.25, 0.1, 0.5, 0.5, 0.3, 0.75};
  PetscScalar     value[3];

  PetscFunctionBegin;
  PetscCall(begin("quadrilateral", 4, "DQ0", &mesh, &field));
  PetscCall(fill(field));
  PetscCall(RungProbesCreate(mesh, 3, x, &probes));
  PetscCall(RungFieldEvaluate(field, probes, value));
  CHECK_NEAR(value[0], 0, 0);
  CHECK_NEAR(value[1], 5, 0);
  CHECK_NEAR(value[2], 9, 0);
  PetscCall(RungProbesDestroy(&probes));
  PetscCall(RungFieldDestroy(&field));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_fields_go_to_other_meshes(void)
{
  static const char *const spec[] = {"Q2^2", "DQ2^2", "Quad(3)^2", "Q3^2"};

  PetscFunctionBegin;
  for (int k = 0; k < 4; ++k) {
    RungMesh             mesh[2];
    RungField            from, to;
    const RungSpaceData *data;
    RungSpace            space;
    PetscReal            farthest;
    const PetscScalar   *u;
    Vec                  v;

    PetscCall(begin("triangle", 5, "P2^2", &mesh[0], &from));
    PetscCall(begin("quadrilateral", 4, spec[k], &mesh[1], &to));
    PetscCall(fill(from));
    PetscCall(RungFieldTransfer(from, to, &farthest));
    CHECK(farthest == 0);
    PetscCall(RungFieldGetSpace(to, &space));
    PetscCall(RungSpaceGetData(space, &data));
    PetscCall(RungFieldGetVec(to, &v));
    PetscCall(VecGetArrayRead(v, &u));
    for (PetscInt i = 0; i < data->owned * 2; ++i)
      CHECK_NEAR(u[i], quadratic(data->x + 2 * (i / 2)) * (double)(1 + i % 2), 1e-12);
    PetscCall(VecRestoreArrayRead(v, &u));
    PetscCall(RungFieldDestroy(&from));
    PetscCall(RungFieldDestroy(&to));
    PetscCall(RungMeshDestroy(&mesh[0]));
    PetscCall(RungMeshDestroy(&mesh[1]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One node of one rank, outside of the mesh that it has its value from. */
static PetscErrorCode test_the_distance_of_a_single_node_is_told(void)
{
  RungMesh  mesh[2];
  RungField from, to;
  RungSpace space;
  PetscReal farthest;

  PetscFunctionBegin;
  PetscCall(begin("triangle", 5, "P2", &mesh[0], &from));
  PetscCall(fill(from));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh[1]));
  PetscCall(RungMeshSetBox(mesh[1], "quadrilateral", 2, (PetscInt[]){1, 1}, (PetscReal[]){3, 2.6}));
  PetscCall(RungSpaceCreate(mesh[1], "DQ0", &space));
  PetscCall(RungFieldCreate(space, "u", &to));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungFieldTransfer(from, to, &farthest));
  CHECK_NEAR(farthest, sqrt(0.5 * 0.5 + 0.3 * 0.3), 1e-12);
  PetscCall(RungFieldDestroy(&from));
  PetscCall(RungFieldDestroy(&to));
  for (int k = 0; k < 2; ++k) PetscCall(RungMeshDestroy(&mesh[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double cubic(PetscInt dim, const PetscReal x[])
{
  double value = 1 - x[0] * x[0] * x[0] / 2 + x[0];

  for (PetscInt a = 1; a < dim; ++a) value += (double)(a + 1) * x[a] * x[a - 1] * x[0] - x[a];
  return value;
}

/* The nodes' values of a field: written, or compared. */
static PetscErrorCode visit_cubic(RungField field, PetscBool write, PetscReal *off)
{
  const RungSpaceData *data;
  const RungMeshData  *mesh;
  RungSpace            space;
  PetscScalar         *u;
  Vec                  v;

  PetscFunctionBegin;
  PetscCall(RungFieldGetSpace(field, &space));
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(RungMeshGetData(data->mesh, &mesh));
  PetscCall(RungFieldGetVec(field, &v));
  PetscCall(VecGetArray(v, &u));
  for (PetscInt i = 0; i < data->owned; ++i) {
    const double value = cubic(mesh->dim, data->x + mesh->dim * i);

    if (write) u[i] = value;
    *off = PetscMax(*off, PetscAbsScalar(u[i] - value));
  }
  PetscCall(VecRestoreArray(v, &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Distorted cells of the unit box, turned at random; what both spaces hold goes over without an error. */
static PetscErrorCode test_cubics_go_between_cells_of_any_kind(void)
{
  static const RungCellType pair[][2] = {{RUNG_INTERVAL, RUNG_INTERVAL},
                                         {RUNG_TRIANGLE, RUNG_QUADRILATERAL},
                                         {RUNG_QUADRILATERAL, RUNG_TRIANGLE},
                                         {RUNG_TETRAHEDRON, RUNG_HEXAHEDRON},
                                         {RUNG_HEXAHEDRON, RUNG_TETRAHEDRON}};

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof pair / sizeof pair[0]; ++i) {
    RungMesh  mesh[2];
    RungField field[2];
    PetscReal farthest, off = 0;

    for (int k = 0; k < 2; ++k) {
      RungSpace space;

      PetscCall(shuffled_mesh(pair[i][k], 3 - k, 1, 5 + (unsigned)k, k ? "to.msh" : "from.msh", &mesh[k]));
      PetscCall(RungSpaceCreate(mesh[k], k ? "DG3" : "CG3", &space));
      PetscCall(RungFieldCreate(space, "u", &field[k]));
      PetscCall(RungSpaceDestroy(&space));
    }
    PetscCall(visit_cubic(field[0], PETSC_TRUE, &off));
    PetscCall(RungFieldTransfer(field[0], field[1], &farthest));
    PetscCall(visit_cubic(field[1], PETSC_FALSE, &off));
    CHECK_NEAR(off, 0, 1e-11);
    CHECK_NEAR(farthest, 0, 1e-12);
    for (int k = 0; k < 2; ++k) {
      PetscCall(RungFieldDestroy(&field[k]));
      PetscCall(RungMeshDestroy(&mesh[k]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Points within a ring: the box of a rank's cells may be nearer than that of the rank that has the nearest cell. */
static PetscErrorCode test_the_nearest_cell_is_found_behind_nearer_boxes(void)
{
  enum { RADII = 6, N = RADII * 12 };
  RungMesh         mesh;
  RungProbes       probes;
  PetscReal        x[2 * N];
  const PetscReal *distance;

  PetscFunctionBegin;
  PetscCall(curved_mesh(RUNG_TRIANGLE, 5, 2, PETSC_FALSE, "ring.msh", &mesh));
  for (int i = 0; i < N; ++i) {
    const double r = 0.05 + 0.15 * (i % RADII), angle = PETSC_PI / 2 * (i / RADII) / 11;

    x[2 * i]     = r * cos(angle);
    x[2 * i + 1] = r * sin(angle);
  }
  PetscCall(RungProbesCreate(mesh, N, x, &probes));
  PetscCall(RungProbesGetDistance(probes, &distance));
  for (int i = 0; i < N; ++i) CHECK_NEAR(distance[i], 0.95 - 0.15 * (i % RADII), 1e-3);
  PetscCall(RungProbesDestroy(&probes));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_has_no_value_is_refused(void)
{
  RungMesh    mesh, other;
  RungField   field, points, vector;
  RungProbes  probes;
  PetscReal   x[2] = {NAN, 0};
  PetscScalar value[2];

  PetscFunctionBegin;
  PetscCall(begin("triangle", 2, "P1", &mesh, &field));
  PetscCall(begin("triangle", 2, "Quad(2)", &other, &points));
  CHECK_RAISES(RungProbesCreate(mesh, 1, x, &probes), "not finite");
  CHECK_RAISES(RungProbesCreate(mesh, -1, x, &probes), "-1 points, wanted an array of 0 or more");
  CHECK_RAISES(RungProbesCreate(mesh, 1, NULL, &probes), "1 points in no array");
  x[0] = 0;
  PetscCall(RungProbesCreate(other, 1, x, &probes));
  CHECK_RAISES(RungFieldEvaluate(field, probes, value), "another mesh");
  CHECK_RAISES(RungFieldEvaluate(points, probes, value), "project it");
  PetscCall(RungProbesDestroy(&probes));
  PetscCall(RungMeshDestroy(&other));
  PetscCall(begin("triangle", 2, "P1^2", &other, &vector));
  CHECK_RAISES(RungFieldTransfer(field, vector, NULL), "wanted equal shapes");
  PetscCall(RungFieldDestroy(&vector));
  PetscCall(RungFieldDestroy(&points));
  PetscCall(RungFieldDestroy(&field));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungMeshDestroy(&other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_every_rank_asks_for_its_own_points), RUNG_TEST(test_ties_do_not_depend_on_the_ranks),
               RUNG_TEST(test_fields_go_to_other_meshes), RUNG_TEST(test_the_distance_of_a_single_node_is_told),
               RUNG_TEST(test_cubics_go_between_cells_of_any_kind),
               RUNG_TEST(test_the_nearest_cell_is_found_behind_nearer_boxes),
               RUNG_TEST(test_what_has_no_value_is_refused))
