/* test_rated.c - which entries have a time derivative: component by component, node by node, on any number of ranks. */
#include <check.h>
#include <rungsystem_room.h>

static PetscErrorCode make(const char cell[], PetscInt dim, const char spec[], const char residual[], RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, cell, dim, (PetscInt[]){4, 4, 4}, NULL));
  PetscCall(RungSpaceCreate(mesh, spec, &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(*sys, residual));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of all ranks with a time derivative, and what the first one without is called. */
static PetscErrorCode count(RungSystem sys, PetscInt *n, char name[64])
{
  PetscInt *order, first, end;
  PetscBool any;
  Vec       u;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(VecGetOwnershipRange(u, &first, &end));
  PetscCall(RungSystemGetOrders(sys, &order));
  for (PetscInt i = 0; i < end - first; ++i) *n += order[i] > 0 ? 1 : 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, n, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(PetscFree(order));
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemGetAlgebraic(sys, &any, name, 64));
  CHECK(any == (name[0] ? PETSC_TRUE : PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_rates_are_found_by_component_and_by_node(void)
{
  static const struct {
    const char *cell;
    PetscInt    dim;
    const char *space, *residual;
    PetscInt    rated;
    const char *name;
  } rows[] = {
    {"triangle", 2, "P1", "dt(u)*v*dx + inner(grad(u), grad(v))*dx", 25, ""},
    {"triangle", 2, "P1^3", "(dt(u[0])*v[0] + dt(u[2])*v[2])*dx + inner(u, v)*dx", 50, "u[1]"},
    {"quadrilateral", 2, "Q2", "dt(u)*v*ds(right) + inner(grad(u), grad(v))*dx", 9, "u"},
    {"tetrahedron", 3, "P2", "dt(u, 2)*v*ds(left) + inner(grad(u), grad(v))*dx", 81, "u"},
    {"triangle", 2, "P1", "inner(grad(dt(u)), grad(v))*ds(left) + inner(grad(u), grad(v))*dx", 9, "u"},
    {"interval", 1, "P1", "(dt(u) - dt(u))*v*dx + dt(u)*v*ds(left) + u*v*dx", 1, "u"},
    {"interval", 1, "P1", "u^3*dt(u)*v*dx + u*v*dx", 5, ""}, /* by structure, whatever u is */
    {"interval", 1, "P0", "jump(dt(u))*jump(v)*dS + u*v*dx", 4, ""},
  };

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    RungSystem sys;
    PetscInt   n;
    char       name[64];

    PetscCall(make(rows[i].cell, rows[i].dim, rows[i].space, rows[i].residual, &sys));
    PetscCall(count(sys, &n, name));
    if (n != rows[i].rated || strcmp(name, rows[i].name))
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "row %d: %d \"%s\"\n", (int)i, (int)n, name));
    CHECK(n == rows[i].rated);
    CHECK(!strcmp(name, rows[i].name));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The left edge follows the right one: a rate on it belongs to its master. */
static PetscErrorCode test_masters_have_the_rates_of_their_slaves(void)
{
  RungSystem sys;
  PetscInt   n;
  char       name[64];

  PetscFunctionBegin;
  PetscCall(make("quadrilateral", 2, "Q1", "dt(u)*v*ds(left) + inner(grad(u), grad(v))*dx", &sys));
  PetscCall(RungSystemAddPeriodic(sys, "u", "left", "right", NULL, NULL));
  PetscCall(count(sys, &n, name));
  CHECK(n == 10); /* a slave counts as its master */
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two squares of two triangles each, side by side: parts west and east, x = 1 between them; floor is the lower side of both. */
static PetscErrorCode make_parts(const char residual[], RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace space;
  FILE     *file;

  PetscFunctionBegin;
  PetscCall(PetscFOpen(PETSC_COMM_WORLD, "rated.msh", "w", &file));
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file,
                         "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n2 1 \"west\"\n2 2 \"east\"\n1 3 "
                         "\"floor\"\n$EndPhysicalNames\n"
                         "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 2 0 0\n4 0 1 0\n5 1 1 0\n6 2 1 0\n$EndNodes\n"
                         "$Elements\n6\n1 2 2 1 1 1 2 4\n2 2 2 1 1 2 5 4\n3 2 2 2 2 2 3 5\n4 2 2 2 2 3 6 5\n"
                         "5 1 2 3 3 1 2\n6 1 2 3 3 2 3\n$EndElements\n"));
  PetscCall(PetscFClose(PETSC_COMM_WORLD, file));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetFile(mesh, "rated.msh"));
  PetscCall(RungSpaceCreate(mesh, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSystemSetConstant(*sys, "none", 0));
  PetscCall(RungSystemAddResidual(*sys, residual));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where value() gives a coefficient the number 0 nothing has a rate, as where no integral is; a constant may change. */
static PetscErrorCode test_parts_where_a_coefficient_is_zero_have_no_rates(void)
{
  static const struct {
    const char *mass;
    PetscInt    rated;
  } rows[] = {
    {"value(west: 3, else: 0)*dt(u)*v*dx", 4},
    {"value(west: 0, else: u)*dt(u)*v*dx", 4},
    {"value(west: 3, east: 0)*inner(grad(dt(u)), grad(v))*dx", 4},
    {"value(west: 3, else: none)*dt(u)*v*dx", 6},
    {"(value(west: 1, else: 0) + value(east: 1, else: 0))*dt(u)*v*dx", 6},
    {"value(west: 1, else: 0)*dt(u)*v*dx + value(west: 0, east: 2)*dt(u)*v*dx", 6},
    {"value(west: 1, else: 0)*value(east: 1, else: 0)*dt(u)*v*dx + dt(u)*v*ds(floor)", 3},
    {"value(west: 1, else: 0)*dt(u)*v*dx(east) + dt(u)*v*ds(floor)", 3},
    {"h*value(west: 1, else: 0)*dt(u)*v*dx(west)", 4},
  };

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    RungSystem sys;
    PetscInt   n;
    char       name[64], text[256];

    PetscCall(PetscSNPrintf(text, sizeof text, "%s + inner(grad(u), grad(v))*dx", rows[i].mass));
    PetscCall(make_parts(text, &sys));
    PetscCall(count(sys, &n, name));
    if (n != rows[i].rated) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %d\n", rows[i].mass, (int)n));
    CHECK(n == rows[i].rated);
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A mask of the app's adds to what the form tells; it comes before a system in time, and has the length of a Vec. */
static PetscErrorCode test_an_app_declares_more_entries_algebraic(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  Vec                 mask, wrong;
  PetscInt            n;
  char                name[64];

  PetscFunctionBegin;
  PetscCall(make("interval", 1, "P1^2", "inner(dt(u), v)*dx + inner(u, v)*dx", &sys));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, 1, PETSC_DETERMINE, &wrong));
  CHECK_RAISES(RungSystemSetDifferential(sys, wrong), "RungSystemSetDifferential comes after RungSystemSetUp");
  PetscCall(RungSystemSetUp(sys));
  CHECK_RAISES(RungSystemSetDifferential(sys, wrong), "a mask of 1 local entries for a system of");
  PetscCall(RungSystemCreateVec(sys, &mask));
  PetscCall(VecSet(mask, 1));
  PetscCall(VecStrideSet(mask, 1, 0));
  PetscCall(RungSystemSetDifferential(sys, mask));
  PetscCall(count(sys, &n, name));
  CHECK(n == 5 && !strcmp(name, "u[1]"));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  CHECK_RAISES(RungSystemSetDifferential(sys, mask), "comes before the stepper is set up");
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(VecDestroy(&mask));
  PetscCall(VecDestroy(&wrong));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_rates_are_found_by_component_and_by_node),
               RUNG_TEST(test_parts_where_a_coefficient_is_zero_have_no_rates),
               RUNG_TEST(test_masters_have_the_rates_of_their_slaves),
               RUNG_TEST(test_an_app_declares_more_entries_algebraic))
