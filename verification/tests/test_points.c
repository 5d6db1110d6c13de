/* test_points.c - forces, springs and masses at points (dP), loads and trusses along lines (dl): their exact solutions. */
#include <check.h>
#include <rungverify.h>

/* A system of one unknown in CG1, held at "left"; takes the mesh. */
static PetscErrorCode create_body(RungMesh mesh, const char residual[], RungSystem *sys)
{
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungSpaceCreate(mesh, "CG1", &space));
  PetscCall(RungSystemCreate(RungMeshComm(mesh), sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(*sys, residual));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "0"));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton's one step from zero; error of u against the exact solution, the greatest at the nodes. */
static PetscErrorCode solve(RungSystem sys, const char exact[], PetscReal *error)
{
  const PetscReal one = 1;
  PetscReal       size;
  Mat             J;
  Vec             u, r;
  KSP             ksp;

  PetscFunctionBegin;
  PetscCall(RungSystemSetFromOptions(sys));
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(VecSet(u, 0));
  PetscCall(VecDuplicate(u, &r));
  PetscCall(RungSystemResidual(sys, 0, &u, r));
  PetscCall(RungSystemJacobian(sys, 0, &u, &one, J));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, J, J));
  PetscCall(KSPSetTolerances(ksp, 1e-14, 1e-50, PETSC_DEFAULT, 1000));
  PetscCall(VecScale(r, -1));
  PetscCall(KSPSolve(ksp, r, u));
  PetscCall(RungError(sys, "u", "max", exact, 0, u, error, &size));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&r));
  PetscCall(MatDestroy(&J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* [0, 1] in 8 lines, with the points "hit" at 1/4, "left" and "right". */
static PetscErrorCode write_bar(void)
{
  char        text[2000];
  size_t      at;
  PetscMPIInt rank;

  PetscFunctionBegin;
  at = (size_t)snprintf(text, sizeof text,
                        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n0 1 \"hit\"\n0 2 \"left\"\n"
                        "0 3 \"right\"\n$EndPhysicalNames\n$Nodes\n9\n");
  for (int i = 0; i <= 8; ++i) at += (size_t)snprintf(text + at, sizeof text - at, "%d %g 0 0\n", i + 1, i / 8.);
  at += (size_t)snprintf(text + at, sizeof text - at,
                         "$EndNodes\n$Elements\n11\n1 15 2 1 1 3\n2 15 2 2 1 1\n3 15 2 3 1 9\n");
  for (int i = 0; i < 8; ++i)
    at += (size_t)snprintf(text + at, sizeof text - at, "%d 1 2 9 1 %d %d\n", i + 4, i + 1, i + 2);
  (void)snprintf(text + at, sizeof text - at, "$EndElements\n");
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    FILE *file = fopen("bar.msh", "w");

    CHECK(file && fputs(text, file) >= 0 && !fclose(file));
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* - 2 u'' = 3 delta(x - 1/4), the end pulled by 0.5 and held by a spring of stiffness 2: the nodes are exact. */
static PetscErrorCode test_a_point_force_on_a_bar_gives_exact_nodes(void)
{
  PetscCall(write_bar());
  for (PetscInt refine = 0; refine < 2; ++refine) {
    RungMesh   mesh;
    RungSystem sys;
    PetscReal  error;

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetFile(mesh, "bar.msh"));
    PetscCall(RungMeshSetRefinement(mesh, refine));
    PetscCall(create_body(mesh, "2*inner(grad(u), grad(v))*dx", &sys));
    PetscCall(RungSystemAddResidual(sys, "-3*v*dP(hit) + (2*u - 0.5)*v*dP(right)"));
    /* 2 u' = s up to the force, s - 3 beyond; 2 u(1) = 0.5 + 3 - s and u(1) = s/2 - 9/8, so s = 2.875 */
    PetscCall(solve(sys, "2.875/2*x[0] - 1.5*max(0, x[0] - 0.25)", &error));
    CHECK_NEAR(error, 0, 1e-12);
    PetscCall(RungSystemDestroy(&sys));
  }
  return PETSC_SUCCESS;
}

/* A block of conductivity 2 with a wire of 5 along an edge and one of 3 along another, pulled so that u = x[0]; a load along
   an edge across is balanced by one of the same sum at points. */
static PetscErrorCode test_a_wire_along_an_edge_carries_its_share(void)
{
  static const char *const cell[] = {"hexahedron", "tetrahedron"};

  for (int i = 0; i < 4; ++i) {
    RungMesh   mesh;
    RungSystem sys;
    PetscReal  error;

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetBox(mesh, cell[i % 2], 3, (PetscInt[]){3, 2, 2}, NULL));
    PetscCall(RungMeshSetRefinement(mesh, i / 2));
    PetscCall(create_body(mesh, "2*inner(grad(u), grad(v))*dx", &sys));
    PetscCall(RungSystemAddResidual(sys, "s = dot(grad(u), tangent); w = dot(grad(v), tangent);"
                                         "5*s*w*dl(bottom_back) + 3*s*w*dl(top_front)"));
    PetscCall(RungSystemAddResidual(sys, "-2*v*ds(right) - 5*v*dP(right_bottom_back) - 3*v*dP(right_top_front)"));
    PetscCall(solve(sys, "x[0]", &error));
    CHECK_NEAR(error, 0, 1e-11);
    PetscCall(RungSystemDestroy(&sys));
  }
  return PETSC_SUCCESS;
}

/* w . r where w has the values of coordinate `axis` at the nodes, of 1 if axis < 0. */
static PetscErrorCode work_of(RungSpace space, PetscInt axis, Vec r, PetscReal *work)
{
  const RungSpaceData *data;
  const PetscScalar   *value;
  PetscReal            mine = 0;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(VecGetArrayRead(r, &value));
  for (PetscInt i = 0; i < data->owned; ++i) mine += PetscRealPart(value[i]) * (axis < 0 ? 1 : data->x[3 * i + axis]);
  PetscCall(VecRestoreArrayRead(r, &value));
  PetscCallMPI(MPI_Allreduce(&mine, work, 1, MPIU_REAL, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The force of a load q = 2 + 3 y along an edge of length 2 and its moment about the edge's end, by virtual work. */
static PetscErrorCode test_a_line_load_does_the_work_of_its_force(void)
{
  static const char *const cell[] = {"hexahedron", "tetrahedron"};

  for (int i = 0; i < 4; ++i) {
    RungMesh   mesh;
    RungSpace  space;
    RungSystem sys;
    Vec        u, r;
    PetscReal  work;

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetBox(mesh, cell[i % 2], 3, (PetscInt[]){3, 2, 2}, (PetscReal[]){1, 2, 1}));
    PetscCall(RungMeshSetRefinement(mesh, i / 2));
    PetscCall(RungSpaceCreate(mesh, "CG1", &space));
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
    PetscCall(RungSystemAddResidual(sys, "inner(grad(u), grad(v))*dx + (2 + 3*x[1])*v*dl(right_front)"));
    PetscCall(RungSystemSetUp(sys));
    PetscCall(RungSystemCreateVec(sys, &u));
    PetscCall(VecDuplicate(u, &r));
    PetscCall(VecSet(u, 0));
    PetscCall(RungSystemResidual(sys, 0, &u, r));
    PetscCall(work_of(space, -1, r, &work));
    CHECK_NEAR(work, 10, 1e-12); /* int q */
    PetscCall(work_of(space, 1, r, &work));
    CHECK_NEAR(work, 12, 1e-12); /* int q y */
    PetscCall(VecDestroy(&u));
    PetscCall(VecDestroy(&r));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungSpaceDestroy(&space));
    PetscCall(RungMeshDestroy(&mesh));
  }
  return PETSC_SUCCESS;
}

/* A mass of 0.5 at the end of one massless cell of stiffness 2: u = cos(2 t) x. */
static PetscErrorCode create_oscillator(MPI_Comm comm, const RungCase *problem, RungSystem *sys)
{
  const PetscInt one = 1;
  RungMesh       mesh;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(comm, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, &one, NULL));
  PetscCall(create_body(mesh, "2*inner(grad(u), grad(v))*dx", sys));
  PetscCall(RungSystemAddResidual(*sys, "0.5*dt(u, 2)*v*dP(right)"));
  PetscCall(RungSystemSetInitial(*sys, "u", "x[0]"));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const RungCase oscillator = {.name    = "points_oscillator",
                                    .about   = "a mass at the end of a massless bar",
                                    .create  = create_oscillator,
                                    .unknown = "u",
                                    .exact   = "cos(2*t)*x[0]",
                                    .end     = 1,
                                    .ladder  = "0.1,0.05,0.025",
                                    .type    = RUNGALPHA,
                                    .method  = "newmark"};

/* Newmark with beta = 1/4: cos of tan(phase/2) = h omega/2. */
static PetscErrorCode test_a_mass_at_a_point_swings_as_the_method_says(void)
{
  RungStudy        study;
  PetscInt         levels;
  const PetscReal *dt, *error;
  PetscReal        order, low, high;

  PetscCall(RungCaseRegister(&oscillator));
  PetscCall(RungStudyCreate(PETSC_COMM_WORLD, &study));
  PetscCall(RungStudySetCase(study, oscillator.name));
  PetscCall(RungStudyRun(study));
  PetscCall(RungStudyGetResults(study, &levels, &dt, &error, &order, &low, &high));
  for (PetscInt i = 0; i < levels; ++i)
    CHECK_NEAR(error[i], fabs((cos(2 * atan(dt[i]) / dt[i]) - cos(2.)) / cos(2.)), 1e-9);
  CHECK_NEAR(order, 2, 0.02);
  PetscCall(RungStudyDestroy(&study));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_point_force_on_a_bar_gives_exact_nodes),
               RUNG_TEST(test_a_wire_along_an_edge_carries_its_share),
               RUNG_TEST(test_a_line_load_does_the_work_of_its_force),
               RUNG_TEST(test_a_mass_at_a_point_swings_as_the_method_says))
