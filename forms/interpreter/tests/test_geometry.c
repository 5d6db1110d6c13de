/* test_geometry.c - maps of cells: measures, normals, sizes, derivatives, affine and bent. */
#include <check_curved.h>
#include "kernel_tools.h"

/* div(x_0^2, x_0 x_1 + x_1, ..) summed over the axes that exist, and its flux */
static const char *const divergence[] = {"", "2*x[0]*dx(degree: 6)", "(3*x[0] + 1)*dx(degree: 6)",
                                         "(3*x[0] + 1 + 2*x[2]*x[1])*dx(degree: 6)"};
static const char *const flux[]       = {"", "dot(vector(x[0]^2), n)*ds(degree: 6)",
                                         "dot(vector(x[0]^2, x[0]*x[1] + x[1]), n)*ds(degree: 6)",
                                         "dot(vector(x[0]^2, x[0]*x[1] + x[1], x[2]^2*x[1]), n)*ds(degree: 6)"};

static PetscErrorCode test_divergence_theorem_on_every_cell(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    for (int bent = 0; bent < 2; ++bent) {
      Tools     tools;
      PetscReal inside, through;

      PetscCall(tools_create(PETSC_COMM_WORLD, (RungCellType)type, bent ? PETSC_TRUE : PETSC_FALSE, "1", NULL, &tools));
      PetscCall(tools_value(&tools, divergence[tools_dim[type]], &inside));
      PetscCall(tools_value(&tools, flux[tools_dim[type]], &through));
      CHECK_NEAR(inside, through, 1e-13);
      CHECK(inside > 0.5);
      PetscCall(tools_destroy(&tools));
    }
  }
  return PETSC_SUCCESS;
}

/* In a box [0, L]: int x_a^m = L^m+1 / (m + 1) * the other sizes */
static PetscErrorCode test_moments_of_boxes_are_exact(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    const PetscReal volume = tools_dim[type] == 1 ? 1 : tools_dim[type] == 2 ? 1.5 : 1.125;
    Tools           tools;
    PetscReal       value;

    PetscCall(tools_create(PETSC_COMM_WORLD, (RungCellType)type, PETSC_FALSE, "1", NULL, &tools));
    PetscCall(tools_value(&tools, "x[0]^5*dx", &value));
    CHECK_NEAR(value, volume / 6, 1e-14);
    PetscCall(tools_value(&tools, "(1 + x[0]^2)*ds(right)", &value));
    CHECK_NEAR(value, 2 * volume, 1e-14);
    PetscCall(tools_value(&tools, "n[0]*ds(left) + 2*facet_area*ds(right)", &value));
    CHECK(tools_dim[type] > 1 || fabs(value - 1) < 1e-14);
    PetscCall(tools_destroy(&tools));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_volumes_of_cells_sum_up(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    Tools     tools;
    PetscReal cells, volume;

    PetscCall(tools_create(PETSC_COMM_WORLD, (RungCellType)type, PETSC_TRUE, "1", NULL, &tools));
    PetscCall(tools_value(&tools, "1/volume*dx(degree: 4)", &cells));
    CHECK_NEAR(cells, (double)tools.data->cells_global, 1e-12);
    PetscCall(tools_value(&tools, "1/facet_area*ds(degree: 4)", &volume));
    CHECK_NEAR(volume, round(volume), 1e-12);
    PetscCall(tools_destroy(&tools));
  }
  return PETSC_SUCCESS;
}

/* Of a straight cell with its facet 0. */
static PetscErrorCode sizes_of(RungCellType type, const PetscReal x[], double size[3])
{
  RungSizes sizes;

  PetscFunctionBegin;
  PetscCall(RungSizesCreate(type, 1, PETSC_TRUE, &sizes));
  RungSizesRun(&sizes, 0, x, size);
  PetscCall(RungSizesDestroy(&sizes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_size_is_the_longest_edge(void)
{
  const PetscReal square[] = {0, 0, 3, 0, 0, 4, 3, 4}, tetrahedron[] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3};
  const PetscReal line[] = {1, 3.5};
  double          size[3];

  PetscCall(sizes_of(RUNG_QUADRILATERAL, square, size));
  CHECK_NEAR(size[0], 4, 1e-15);
  CHECK_NEAR(size[1], 12, 1e-14);
  CHECK_NEAR(size[2], 4, 1e-14); /* facet 0 is where x[0] = 0 */
  PetscCall(sizes_of(RUNG_TETRAHEDRON, tetrahedron, size));
  CHECK_NEAR(size[0], sqrt(13), 1e-15);
  CHECK_NEAR(size[1], 1, 1e-15);
  CHECK_NEAR(size[2], 3.5, 1e-14); /* |(2, 0, -1) x ..| / 2 of the face through (1,0,0), (0,2,0), (0,0,3) */
  PetscCall(sizes_of(RUNG_INTERVAL, line, size));
  CHECK_NEAR(size[0], 2.5, 1e-15);
  CHECK_NEAR(size[2], 1, 1e-15);
  return PETSC_SUCCESS;
}

/* The tools on tools->mesh, u of a degree. */
static PetscErrorCode tools_of(RungCellType type, const char degree[], Tools *tools)
{
  PetscFunctionBegin;
  PetscCall(RungMeshGetData(tools->mesh, &tools->data));
  PetscCall(tools_space(tools->mesh, type, degree, &tools->space[tools->unknowns++]));
  PetscCall(RungScopeCreate(PETSC_COMM_WORLD, &tools->scope));
  PetscCall(RungScopeAddUnknown(tools->scope, "u", "v", tools->space[0]));
  PetscCall(RungLayoutCreate(PETSC_COMM_WORLD, 1, tools->space, &tools->layout));
  PetscCall(tools_fill(tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode curved_tools(RungCellType type, PetscInt n, Tools *tools)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(tools, sizeof *tools));
  PetscCall(curved_mesh(type, n, 2, PETSC_FALSE, "curved.msh", &tools->mesh));
  PetscCall(tools_of(type, "2", tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Interpreted and compiled: volume and area, and the divergence theorem for x, which the map represents. */
static PetscErrorCode test_curved_cells_have_their_volume_area_and_normals(void)
{
  static const char *const text[] = {"1*dx", "1*ds(inner)", "dot(x, n)*ds", "inner(grad(x[0]*x[0]), n)*ds(inner)"};

  for (int type = RUNG_TRIANGLE; type < RUNG_CELL_TYPES; ++type) {
    const PetscInt dim = tools_dim[type];
    Tools          tools;
    PetscReal      value[4][2];

    PetscCall(curved_tools((RungCellType)type, 2, &tools));
    for (int compiled = 0; compiled < 2; ++compiled) {
      RungForm form[4];

      for (int i = 0; i < 4; ++i) {
        PetscCall(tools_form(&tools, text[i], compiled ? PETSC_TRUE : PETSC_FALSE, &form[i]));
        PetscCall(tools_quick_compiler(form[i]));
      }
      PetscCall(RungFormsSetUp(4, form)); /* which go to the compiler together */
      for (int i = 0; i < 4; ++i) {
        PetscCall(RungFormIntegrate(form[i], 0, tools.u, &value[i][compiled]));
        PetscCall(RungFormDestroy(&form[i]));
      }
    }
    for (int i = 0; i < 4; ++i) CHECK_NEAR(value[i][0], value[i][1], 1e-13);
    CHECK_NEAR(value[0][0], curved_volume(dim), 0.008);
    CHECK_NEAR(value[1][0], curved_inner(dim), 0.006);
    CHECK_NEAR(value[2][0], (double)dim * value[0][0], 1e-10);
    PetscCall(tools_destroy(&tools));
  }
  return PETSC_SUCCESS;
}

/* det J counts: what has no unknown needs no degree, on trapezoids and their like. */
static PetscErrorCode test_measures_and_moments_of_bent_boxes_are_exact(void)
{
  static const char *const text[]  = {"1*dx", "x[0]*dx", "x[0]^2*x[1]*dx"};
  static const char *const exact[] = {"1*dx(degree: 4)", "x[0]*dx(degree: 6)", "x[0]^2*x[1]*dx(degree: 9)"};

  for (int three = 0; three < 2; ++three) {
    Tools tools;

    PetscCall(
      tools_create(PETSC_COMM_WORLD, three ? RUNG_HEXAHEDRON : RUNG_QUADRILATERAL, PETSC_TRUE, "1", NULL, &tools));
    CHECK(!tools.data->affine);
    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(text); ++i) {
      PetscReal value, wanted;

      PetscCall(tools_value(&tools, text[i], &value));
      PetscCall(tools_value(&tools, exact[i], &wanted));
      CHECK_NEAR(value, wanted, 1e-14);
    }
    PetscCall(tools_destroy(&tools));
  }
  return PETSC_SUCCESS;
}

/* One trapezoid with corners (0, 0), (2, 0), (0, 1), (1, 1) has the area 3/2. */
static PetscErrorCode test_area_of_a_trapezoid_is_exact(void)
{
  static const char file[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 2 0 0\n3 1 1 0\n4 0 1 0\n"
                             "$EndNodes\n$Elements\n1\n1 3 2 1 1 1 2 3 4\n$EndElements\n";
  PetscMPIInt       rank;
  Tools             tools = {0};
  PetscReal         area, moment;

  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    FILE *out = fopen("trapezoid.msh", "w");

    CHECK(out && fputs(file, out) >= 0 && !fclose(out));
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &tools.mesh));
  PetscCall(RungMeshSetFile(tools.mesh, "trapezoid.msh"));
  PetscCall(tools_of(RUNG_QUADRILATERAL, "1", &tools));
  PetscCall(tools_value(&tools, "1*dx", &area));
  PetscCall(tools_value(&tools, "x[0]*dx", &moment));
  CHECK_NEAR(area, 1.5, 1e-15);
  CHECK_NEAR(moment, 7. / 6, 1e-15); /* int (2 - y)^2 / 2 */
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

/* The unit square beside the trapezoid (1, 0), (3, 0), (2, 1), (1, 1): each kind of cells has its kernel, and the sum is that
   of both; u = x_0 is linear, so that (grad u, grad v) with v = u is the area. */
static PetscErrorCode test_affine_cells_among_others_keep_their_kernel(void)
{
  static const char    file[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n"
                                "5 3 0 0\n6 2 1 0\n$EndNodes\n$Elements\n2\n1 3 2 1 1 1 2 3 4\n2 3 2 1 1 2 5 6 3\n"
                                "$EndElements\n";
  PetscMPIInt          rank;
  Tools                tools = {0};
  const RungSpaceData *space;
  PetscScalar         *u;
  RungCellKind         kind[2];
  RungIntegral         cells = {.domain = RUNG_CELLS};
  PetscReal            value;

  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    FILE *out = fopen("both.msh", "w");

    CHECK(out && fputs(file, out) >= 0 && !fclose(out));
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &tools.mesh));
  PetscCall(RungMeshSetFile(tools.mesh, "both.msh"));
  PetscCall(tools_of(RUNG_QUADRILATERAL, "1", &tools));
  CHECK(!tools.data->affine && tools.data->cell_affine && tools.data->affine_cells == 1);
  CHECK(RungPlanKinds(&cells, tools.layout, kind) == 2);
  PetscCall(RungSpaceGetData(tools.space[0], &space));
  PetscCall(VecGetArray(tools.u[0], &u));
  for (PetscInt i = 0; i < space->owned; ++i) u[RungLayoutDof(tools.layout, 0, i, 0)] = space->x[2 * i];
  PetscCall(VecRestoreArray(tools.u[0], &u));
  PetscCall(tools_value(&tools, "1*dx", &value));
  CHECK_NEAR(value, 2.5, 1e-14);
  PetscCall(tools_value(&tools, "inner(grad(u), grad(u))*dx(degree: 6)", &value));
  CHECK_NEAR(value, 2.5, 1e-13);
  PetscCall(tools_value(&tools, "x[0]*dx", &value));
  CHECK_NEAR(value, 0.5 + 8. / 3, 1e-14); /* int ((3 - y)^2 - 1)/2 */
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

/* u = x_0^2 interpolated has the Hessian 2 e_0 e_0, also where the map bends: Q2 on a bent mesh is not exact, so the
   nodes of u are moved with x_0 itself: u = x_0 has none. */
static PetscErrorCode test_second_derivatives_of_x_vanish_on_bent_cells(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    Tools                tools;
    const RungSpaceData *space;
    PetscScalar         *u;
    PetscReal            value;

    PetscCall(tools_create(PETSC_COMM_SELF, (RungCellType)type, PETSC_TRUE, "2", NULL, &tools));
    PetscCall(RungSpaceGetData(tools.space[0], &space));
    PetscCall(VecGetArray(tools.u[0], &u));
    for (PetscInt i = 0; i < space->nodes; ++i) u[RungLayoutDof(tools.layout, 0, i, 0)] = space->x[i * tools.data->dim];
    PetscCall(VecRestoreArray(tools.u[0], &u));
    PetscCall(tools_value(&tools, "inner(grad(grad(u)), grad(grad(u)))*dx(degree: 4)", &value));
    CHECK_NEAR(value, 0, 1e-20);
    PetscCall(tools_value(&tools, "inner(grad(u), grad(u))/volume*dx(degree: 4)", &value));
    CHECK_NEAR(value, (double)tools.data->cells_global, 1e-11);
    PetscCall(tools_destroy(&tools));
  }
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_curved_cells_have_their_volume_area_and_normals),
               RUNG_TEST(test_measures_and_moments_of_bent_boxes_are_exact),
               RUNG_TEST(test_area_of_a_trapezoid_is_exact),
               RUNG_TEST(test_affine_cells_among_others_keep_their_kernel),
               RUNG_TEST(test_divergence_theorem_on_every_cell), RUNG_TEST(test_moments_of_boxes_are_exact),
               RUNG_TEST(test_volumes_of_cells_sum_up), RUNG_TEST(test_size_is_the_longest_edge),
               RUNG_TEST(test_second_derivatives_of_x_vanish_on_bent_cells))
