/* test_nullspace.c - what is found by trying: constants, rigid motions, pressures; splits by name. */
#include "check.h"
#include "form_problems.h"

static PetscErrorCode dimensions(RungSystem sys, PetscInt *near, PetscInt *null)
{
  MatNullSpace space;
  Mat          J;

  PetscFunctionBegin;
  *near = *null = 0;
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(MatGetNearNullSpace(J, &space));
  if (space) PetscCall(MatNullSpaceGetVecs(space, NULL, near, NULL));
  PetscCall(MatGetNullSpace(J, &space));
  if (space) PetscCall(MatNullSpaceGetVecs(space, NULL, null, NULL));
  PetscCall(MatDestroy(&J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_elasticity_has_its_rigid_motions(void)
{
  const char *const residual[]  = {"inner(dt(u, 2), v)*dx + inner(2*sym(grad(u)), grad(v))*dx",
                                   "inner(sym(grad(u)), grad(v))*dx + inner(u, u)*inner(u, v)*dx",
                                   "inner(grad(u), grad(v))*dx", "inner(grad(u), grad(v))*dx + u[0]*v[0]*dx"};
  const PetscInt    wanted[][2] = {{6, 0}, {6, 0}, {3, 3}, {2, 2}};

  PetscFunctionBegin;
  for (int i = 0; i < 4; ++i) {
    RungSystem sys;
    PetscInt   near, null;

    PetscCall(system_create("tetrahedron", 3, 2, "P1^d", &sys));
    PetscCall(RungSystemAddResidual(sys, residual[i]));
    PetscCall(dimensions(sys, &near, &null));
    CHECK_NEAR((double)near, (double)wanted[i][0], 0);
    CHECK_NEAR((double)null, (double)wanted[i][1], 0);
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a body that a side holds nothing is open, however small or large it is. */
static PetscErrorCode test_the_size_of_a_body_opens_nothing(void)
{
  const PetscReal size[] = {1e-9, 1e6};

  PetscFunctionBegin;
  for (int i = 0; i < 4; ++i) {
    const PetscReal s    = size[i % 2];
    const PetscBool held = i < 2 ? PETSC_TRUE : PETSC_FALSE;
    RungMesh        mesh;
    RungSpace       space;
    RungSystem      sys;
    PetscInt        near, null;

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetBox(mesh, "hexahedron", 3, (PetscInt[]){3, 2, 2}, (PetscReal[]){s, s, s}));
    PetscCall(RungSpaceCreate(mesh, "Q1^d", &space));
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
    PetscCall(RungSystemAddResidual(sys, "inner(8e10*sym(grad(u)) + 1e11*div(u)*I, grad(v))*dx"));
    if (held) PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
    PetscCall(dimensions(sys, &near, &null));
    CHECK(near == 6);
    CHECK(null == (held ? 0 : 6));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungSpaceDestroy(&space));
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Potentials that their difference couples, in units of their own; what one of them fixes, the other follows. */
static PetscErrorCode test_constants_of_several_unknowns_may_be_open_together(void)
{
  const char *const fixed[]  = {NULL, "b"};
  const PetscInt    wanted[] = {1, 0};

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    RungSystem sys;
    RungSpace  space;
    PetscInt   near, null;

    PetscCall(system_create("triangle", 2, 4, "P1", &sys));
    PetscCall(RungSystemGetUnknown(sys, 0, NULL, &space));
    PetscCall(RungSystemAddUnknown(sys, "b", "w", space));
    PetscCall(RungSystemAddResidual(sys, "inner(grad(u), grad(v))*dx + (u - 1e-5*b)*v*dx"));
    PetscCall(RungSystemAddResidual(sys, "2*inner(grad(b), grad(w))*dx + 1e5*(1e-5*b - u)*w*dx"));
    if (fixed[i]) PetscCall(RungSystemSetDirichlet(sys, fixed[i], "left", "0"));
    PetscCall(dimensions(sys, &near, &null));
    CHECK(null == wanted[i]);
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What turns about a pin is a rotation and a translation; a field of rotations turns with the displacements. */
static PetscErrorCode test_rotations_come_with_translations_and_fields(void)
{
  const char *const residual[] = {"inner(sym(grad(u)), grad(v))*dx",
                                  "inner(sym(grad(u)), grad(v))*dx + (curl(u)/2 - b)*(curl(v)/2 - w)*dx"};
  const PetscInt    wanted[]   = {1, 3};

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    RungSystem           sys;
    RungSpace            space, scalar;
    const RungSpaceData *data;
    PetscInt             near, null;

    PetscCall(system_create("triangle", 2, 3, "P1^d", &sys));
    PetscCall(RungSystemGetUnknown(sys, 0, NULL, &space));
    PetscCall(RungSpaceGetData(space, &data));
    PetscCall(RungSpaceCreate(data->mesh, "P1", &scalar));
    if (i) PetscCall(RungSystemAddUnknown(sys, "b", "w", scalar));
    PetscCall(RungSystemAddResidual(sys, residual[i]));
    if (i) PetscCall(RungSystemAddResidual(sys, "inner(grad(b), grad(w))*dx"));
    if (!i) PetscCall(RungSystemSetDirichlet(sys, "u", "right_bottom", "0"));
    PetscCall(dimensions(sys, &near, &null));
    CHECK(null == wanted[i]);
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungSpaceDestroy(&scalar));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* `bodies` squares of 2 x 2 cells beside each other, with a gap; the left side of the first is "wall". */
static PetscErrorCode squares(int bodies, RungMesh *mesh)
{
  const int n = 9 * bodies;
  FILE     *file;
  MPI_Comm  comm = PETSC_COMM_WORLD;

  PetscFunctionBegin;
  PetscCall(PetscFOpen(comm, "squares.msh", "w", &file));
  PetscCall(PetscFPrintf(comm, file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n1 7 \"wall\"\n"));
  PetscCall(PetscFPrintf(comm, file, "$EndPhysicalNames\n$Nodes\n%d\n", n));
  for (int i = 0; i < n; ++i) PetscCall(PetscFPrintf(comm, file, "%d %d %d 0\n", i + 1, i % 3 + i / 9 * 3, i % 9 / 3));
  PetscCall(PetscFPrintf(comm, file, "$EndNodes\n$Elements\n%d\n1 1 2 7 1 1 4\n2 1 2 7 1 4 7\n", 4 * bodies + 2));
  for (int i = 0; i < 4 * bodies; ++i) {
    const int v = 9 * (i % bodies) + i / bodies % 2 + 3 * (i / bodies / 2) + 1;

    PetscCall(PetscFPrintf(comm, file, "%d 3 2 1 1 %d %d %d %d\n", i + 3, v, v + 1, v + 4, v + 3));
  }
  PetscCall(PetscFPrintf(comm, file, "$EndElements\n"));
  PetscCall(PetscFClose(comm, file));
  PetscCall(RungMeshCreate(comm, mesh));
  PetscCall(RungMeshSetFile(*mesh, "squares.msh"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_every_body_has_null_vectors_of_its_own(void)
{
  static const struct {
    int         bodies;
    const char *spec, *residual;
    PetscBool   wall;
    PetscInt    near, null;
  } row[] = {{2, "Q1^d", "inner(sym(grad(u)), grad(v))*dx", PETSC_FALSE, 3, 6},
             {2, "Q2^d", "inner(sym(grad(u)), grad(v))*dx", PETSC_TRUE, 3, 3},
             {3, "Q2", "inner(grad(u), grad(v))*dx", PETSC_FALSE, 1, 3},
             {3, "Q1", "inner(grad(u), grad(v))*dx", PETSC_TRUE, 1, 2},
             {3, "Q1", "inner(grad(u), grad(v))*dx + u*v*ds(wall)", PETSC_FALSE, 0, 2},
             {3, "DQ1", "inner(grad(u), grad(v))*dx + u*v*dx", PETSC_FALSE, 0, 0},
             {20, "Q1", "inner(grad(u), grad(v))*dx", PETSC_FALSE, 1, 1}};

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i) {
    RungMesh   mesh;
    RungSpace  space;
    RungSystem sys;
    PetscInt   near, null;

    PetscCall(squares(row[i].bodies, &mesh));
    PetscCall(RungSpaceCreate(mesh, row[i].spec, &space));
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
    PetscCall(RungSystemAddResidual(sys, row[i].residual));
    if (row[i].wall) PetscCall(RungSystemSetDirichlet(sys, "u", "wall", "0"));
    PetscCall(dimensions(sys, &near, &null));
    CHECK_NEAR((double)near, (double)row[i].near, 0);
    CHECK_NEAR((double)null, (double)row[i].null, 0);
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungSpaceDestroy(&space));
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode stokes(RungSystem *sys)
{
  RungSpace            velocity, pressure;
  const RungSpaceData *data;

  PetscFunctionBegin;
  PetscCall(space_create("triangle", 2, 4, "P2^d", &velocity));
  PetscCall(RungSpaceGetData(velocity, &data));
  PetscCall(RungSpaceCreate(data->mesh, "P1", &pressure));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", velocity));
  PetscCall(RungSystemAddUnknown(*sys, "p", "q", pressure));
  PetscCall(RungSystemSetConstant(*sys, "P", 1));
  PetscCall(RungSystemSetConstant(*sys, "Q", 1));
  PetscCall(
    RungSystemAddResidual(*sys, "P*inner(grad(u), grad(v))*dx - P*p*div(v)*dx - Q*q*div(u)*dx - P*x[1]*v[0]*dx"));
  PetscCall(RungSpaceDestroy(&velocity));
  PetscCall(RungSpaceDestroy(&pressure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Closed: the pressure's constant is open and the start solves for the rest; with an outlet it is not. */
static PetscErrorCode test_a_closed_flow_leaves_the_pressure_open(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  PetscInt            near, null;
  PetscReal           value;

  PetscFunctionBegin;
  PetscCall(stokes(&sys));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
  PetscCall(dimensions(sys, &near, &null));
  CHECK(near == 2 && null == 0);
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(stokes(&sys));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", "0"));
  PetscCall(RungSystemAddQuantity(sys, "vorticity", "(grad(u)[1,0] - grad(u)[0,1])^2*dx"));
  PetscCall(dimensions(sys, &near, &null));
  CHECK(null == 1);
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungTransientSystemStart(ts, 0));
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  PetscCall(RungSystemEvaluateQuantities(sys, 0, state->u, &value));
  CHECK(value > 1e-5 && value < 1e-2);
  PetscCall(VecSum(state->u[0], &value));
  CHECK(!PetscIsInfOrNanReal(value));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A motion along walls has no divergence: what it makes of the other equations is small beside the divergence of another motion, in
   large units of that. */
static PetscErrorCode test_units_of_equations_open_nothing(void)
{
  PetscFunctionBegin;
  for (int closed = 0; closed < 2; ++closed) {
    for (int sign = -1; sign < 2; ++sign) {
      RungSystem sys;
      PetscInt   near, null;

      PetscCall(stokes(&sys));
      PetscCall(RungSystemSetConstant(sys, "P", pow(2, 20 * sign)));
      PetscCall(RungSystemSetConstant(sys, "Q", pow(2, -20 * sign)));
      PetscCall(RungSystemSetDirichlet(sys, "u", "bottom", "0"));
      PetscCall(RungSystemSetDirichlet(sys, "u", "top", "0"));
      if (closed) PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
      if (closed) PetscCall(RungSystemSetDirichlet(sys, "u", "right", "0"));
      PetscCall(dimensions(sys, &near, &null));
      CHECK(near == 2 && null == closed);
      PetscCall(RungSystemDestroy(&sys));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix has the identity for slaves: a null vector is 0 there, and what a constraint ties to is in it. */
/* Components of one unknown in units of their own, pressures beside temperatures: what is small in one of them is not small by that. */
static PetscErrorCode test_units_of_components_open_nothing(void)
{
#define STEEP "(1e6*inner(grad(u)[0], grad(v)[0]) + 1e-9*inner(grad(u)[1], grad(v)[1]))*dx"
  const char *const residual[] = {STEEP, STEEP " + 1e-9*u[1]*v[1]*dx", STEEP " + 1e-9*u[0]*v[1]*dx",
                                  "dt(u[0])*v[0]*dx + 1e-15*dt(u[1])*v[1]*dx + " STEEP, STEEP};
  const PetscInt    wanted[]   = {2, 1, 1, 0, 1};

  PetscFunctionBegin;
  for (int i = 0; i < 5; ++i) {
    RungSystem sys;
    PetscInt   near, null;

    PetscCall(system_create("quadrilateral", 2, 4, "Q1^2", &sys));
    PetscCall(RungSystemAddResidual(sys, residual[i]));
    if (i == 4) PetscCall(RungSystemSetDirichlet(sys, "u[1]", "left", "0"));
    PetscCall(dimensions(sys, &near, &null));
    CHECK_NEAR((double)null, (double)wanted[i], 0);
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
#undef STEEP
}

static PetscErrorCode test_null_vectors_of_constrained_systems_are_those_of_the_matrix(void)
{
  PetscFunctionBegin;
  for (int problem = 0; problem < 3; ++problem) {
    RungSystem      sys;
    MatNullSpace    null;
    Mat             J;
    Vec             u[2];
    PetscInt        n;
    PetscBool       exact;
    const PetscReal sigma[4] = {1, 1};

    if (problem < 2) PetscCall(stokes(&sys));
    if (problem == 2) PetscCall(system_create("tetrahedron", 3, 2, "P2^d", &sys));
    if (problem == 2) PetscCall(RungSystemAddResidual(sys, "inner(sym(grad(u)), grad(v))*dx"));
    PetscCall(RungSystemAddPeriodic(sys, "u", "left", "right", NULL, NULL));
    if (problem < 2) PetscCall(RungSystemAddPeriodic(sys, "p", "left", "right", NULL, NULL));
    PetscCall(RungSystemAddPeriodic(sys, "u", "bottom", "top", NULL, NULL));
    if (problem == 1) PetscCall(RungSystemTie(sys, "p", "top", NULL, NULL));
    PetscCall(RungSystemCreateMat(sys, &J));
    for (int k = 0; k < 2; ++k) PetscCall(RungSystemCreateVec(sys, &u[k]));
    for (int k = 0; k < 2; ++k) PetscCall(VecZeroEntries(u[k]));
    PetscCall(RungSystemJacobian(sys, 0, u, sigma, J));
    PetscCall(MatGetNullSpace(J, &null));
    CHECK(null != NULL);
    PetscCall(MatNullSpaceGetVecs(null, NULL, &n, NULL));
    CHECK_NEAR((double)n, 3., 0); /* translations, and in the plane the pressure */
    PetscCall(MatNullSpaceTest(null, J, &exact));
    CHECK(exact);
    for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&u[k]));
    PetscCall(MatDestroy(&J));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_field_splits_have_the_names_of_unknowns(void)
{
  const char *const option[][2] = {{"-pc_type", "fieldsplit"},
                                   {"-pc_fieldsplit_type", "schur"},
                                   {"-fieldsplit_u_ksp_type", "preonly"},
                                   {"-fieldsplit_u_pc_type", "jacobi"},
                                   {"-fieldsplit_p_pc_type", "none"}};
  RungSystem        sys;
  KSP               ksp, *sub;
  PC                pc;
  Mat               J;
  Vec               u[1];
  PetscInt          n;
  const PetscReal   sigma[] = {1, 1};
  PetscBool         same;

  PetscFunctionBegin;
  PetscCall(stokes(&sys));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
  for (int i = 0; i < 5; ++i) PetscCall(PetscOptionsSetValue(NULL, option[i][0], option[i][1]));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemCreateVec(sys, &u[0]));
  PetscCall(VecZeroEntries(u[0]));
  PetscCall(RungSystemJacobian(sys, 0, u, sigma, J));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(RungSystemSetSolverDefaults(sys, ksp, RUNG_SOLVE_ONCE));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSetOperators(ksp, J, J));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCFieldSplitGetSubKSP(pc, &n, &sub));
  CHECK(n == 2);
  PetscCall(KSPGetPC(sub[0], &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCJACOBI, &same));
  CHECK(same);
  PetscCall(PetscFree(sub));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&u[0]));
  for (int i = 0; i < 5; ++i) PetscCall(PetscOptionsClearValue(NULL, option[i][0]));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks of a closed flow: the pressure's knows the constant that is open, the velocity's has nothing open. */
static PetscErrorCode test_splits_know_what_is_open(void)
{
  const char *const name[]   = {"u", "p"};
  const PetscInt    wanted[] = {0, 1};
  RungSystem        sys;
  KSP               ksp;
  PC                pc;
  PetscBool         used;

  PetscFunctionBegin;
  PetscCall(stokes(&sys));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", "0"));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_type", "fieldsplit"));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(RungSystemSetSolverDefaults(sys, ksp, RUNG_SOLVE_ONCE));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  for (int i = 0; i < 2; ++i) {
    IS           is;
    MatNullSpace null;
    PetscInt     n = 0;

    PetscCall(PCFieldSplitGetIS(pc, name[i], &is));
    PetscCall(PetscObjectQuery((PetscObject)is, "nullspace", (PetscObject *)&null));
    if (null) PetscCall(MatNullSpaceGetVecs(null, NULL, &n, NULL));
    CHECK_NEAR((double)n, (double)wanted[i], 0);
  }
  PetscCall(PetscOptionsUsed(NULL, "mat_mumps_icntl_24", &used)); /* which nobody gave */
  CHECK(used);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_type"));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A source is not read by any derivative, however large it is: a rate of 1 beside 1e20 is there all the same. */
static PetscErrorCode test_sources_open_nothing(void)
{
  static const struct {
    const char *space, *residual;
    PetscInt    null;
  } of[] = {
    {"P1^d", "(dt(u[0]) - 1e20)*v[0]*dx + (dt(u[1]) + u[1])*v[1]*dx", 0},
    {"P1^d", "(dt(u[0]) - 1e20)*v[0]*dx + (dt(u[1]) + u[1])*v[1]*dx + u[0]*u[1]*v[1]*dx", 0},
    {"P1", "(dt(u) - 1e22)*v*dx + inner(grad(u), grad(v))*dx", 0},
    {"P1", "(dt(u) - 1e22)*v*dx + (1 + u^2)*inner(grad(u), grad(v))*dx", 0},
    {"P1", "-1e20*v*dx + inner(grad(u), grad(v))*dx", 1},
  };

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(of); ++i) {
    RungSystem sys;
    PetscInt   near, null;

    PetscCall(system_create("triangle", 2, 2, of[i].space, &sys));
    PetscCall(RungSystemAddResidual(sys, of[i].residual));
    PetscCall(dimensions(sys, &near, &null));
    CHECK_NEAR((double)null, (double)of[i].null, 0);
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_sources_open_nothing), RUNG_TEST(test_splits_know_what_is_open),
               RUNG_TEST(test_elasticity_has_its_rigid_motions), RUNG_TEST(test_the_size_of_a_body_opens_nothing),
               RUNG_TEST(test_constants_of_several_unknowns_may_be_open_together),
               RUNG_TEST(test_rotations_come_with_translations_and_fields),
               RUNG_TEST(test_every_body_has_null_vectors_of_its_own),
               RUNG_TEST(test_a_closed_flow_leaves_the_pressure_open), RUNG_TEST(test_units_of_equations_open_nothing),
               RUNG_TEST(test_units_of_components_open_nothing),
               RUNG_TEST(test_null_vectors_of_constrained_systems_are_those_of_the_matrix),
               RUNG_TEST(test_field_splits_have_the_names_of_unknowns))
