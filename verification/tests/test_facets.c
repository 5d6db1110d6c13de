/* test_facets.c - orders of convergence of discontinuous elements, which integrals over interior facets hold together.

       PENALTY   - div grad u = |a|^2 u,  u = sin(a . x) given by Nitsche's terms (SIPG)
       UPWIND    u + b . grad u = f,  u = sin(a . x) where b flows in
       BOTH      u + b . grad u - div grad u = f, by the sum of both

   The L2 order k + 1 is fitted over three meshes and must lie in an interval, and the error on the finest must be the
   stored one: on any number of ranks.  By default the rows marked quick; -facets_all takes all; -facets_print prints. */
#include <check.h>
#include <rungverify.h>

typedef enum { PENALTY, UPWIND, BOTH } Kind;

typedef struct {
  Kind         kind;
  RungCellType type;
  PetscInt     degree;
  PetscInt     blocks[3]; /* along each axis */
  double       error;     /* L2, finest mesh */
  PetscBool    quick;
} Row;

static const Row rows[] = {
#include "facet_rows.def"
};

/* a . x, |a|^2, b, a . b */
static const char *const phase[4]  = {"", "2*x[0]", "2*x[0] + x[1]", "2*x[0] + x[1] - x[2]"};
static const double      square[4] = {0, 4, 5, 6};
static const char *const wind[4]   = {"", "vector(1)", "vector(1, 0.5)", "vector(1, 0.5, 0.25)"};
static const double      along[4]  = {0, 2, 2.5, 2.25};

/* eta/k^2 that makes the penalty large enough where h is the longest edge: half the area of a cell over its volume times
   (k + 1)(k + d)/d on simplices (Shahbazi 2005). */
static const double enough[RUNG_CELL_TYPES] = {0, 4, 16, 4, 32, 4};

static const char *const diffusion[3] = {
  "(inner(grad(u), grad(v)) - a2*g*v)*dx(degree: 7)",
  "(eta/avg(h)*jump(u)*jump(v) - inner(avg(grad(u)), jump(v, n)) - inner(jump(u, n), avg(grad(v))))*dS(degree: 7)",
  "(eta/h*(u - g)*v - inner(grad(u), n)*v - (u - g)*inner(grad(v), n))*ds(degree: 7)"};
static const char *const advection[3] = {
  "((u - g - ab*cos(phase))*v - u*inner(b, grad(v)))*dx(degree: 7)",
  "(inner(b, plus(n))*avg(u) + abs(inner(b, plus(n)))/2*jump(u))*jump(v)*dS(degree: 7)",
  "(if(inner(b, n) > 0, u, g)*inner(b, n)*v)*ds(degree: 7)"};

static PetscErrorCode create(const Row *row, PetscInt n, RungSystem *sys)
{
  const RungCell *cell     = RungCellGet(row->type);
  const PetscInt  count[3] = {n, n, n};
  RungMesh        mesh;
  RungSpace       space;
  char            spec[8];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(spec, sizeof spec, "DG%d", (int)row->degree));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, cell->name, cell->dim, count, NULL));
  PetscCall(RungSpaceCreate(mesh, spec, &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSystemSetConstant(*sys, "eta", enough[row->type] * row->degree * row->degree));
  PetscCall(RungSystemSetConstant(*sys, "a2", square[cell->dim]));
  PetscCall(RungSystemSetConstant(*sys, "ab", along[cell->dim]));
  PetscCall(RungSystemDefine(*sys, "phase", phase[cell->dim]));
  PetscCall(RungSystemDefine(*sys, "g", "sin(phase)"));
  PetscCall(RungSystemDefine(*sys, "b", wind[cell->dim]));
  for (int i = 0; i < 3; ++i) {
    if (row->kind != UPWIND) PetscCall(RungSystemAddResidual(*sys, diffusion[i]));
    if (row->kind != PENALTY) PetscCall(RungSystemAddResidual(*sys, advection[i]));
  }
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(RungSystemSetUp(*sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u = - J^-1 F(0), to rounding: all rows are linear. */
static PetscErrorCode solve(const Row *row, RungSystem sys, Vec u)
{
  const PetscReal one = 1;
  Mat             J;
  Vec             r;
  KSP             ksp;
  PC              pc;

  PetscFunctionBegin;
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(VecDuplicate(u, &r));
  PetscCall(VecSet(u, 0));
  PetscCall(RungSystemResidual(sys, 0, &u, r));
  PetscCall(RungSystemJacobian(sys, 0, &u, &one, J));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, J, J));
  PetscCall(KSPSetType(ksp, row->kind == PENALTY ? KSPCG : KSPGMRES));
  PetscCall(KSPGMRESSetRestart(ksp, 200));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCBJACOBI));
  PetscCall(KSPSetTolerances(ksp, 1e-12, 1e-50, PETSC_CURRENT, 4000));
  PetscCall(VecScale(r, -1));
  PetscCall(KSPSolve(ksp, r, u));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&r));
  PetscCall(MatDestroy(&J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(const Row *row, PetscInt n, PetscReal *error)
{
  RungSystem sys;
  PetscReal  size;
  Vec        u;

  PetscFunctionBegin;
  PetscCall(create(row, n, &sys));
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(solve(row, sys, u));
  PetscCall(RungError(sys, "u", "L2", "g", 0, u, error, &size));
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From the mesh `first` on: the last one has the number that was stored when the order was fitted to all three. */
static PetscErrorCode check_row(const Row *row, int first, PetscBool print)
{
  static const char *const kind[] = {"penalty", "upwind", "both"};
  PetscReal                h[3], error[3], order, low, high;

  PetscFunctionBegin;
  for (int i = first; i < 3; ++i) {
    h[i] = 1 / (PetscReal)row->blocks[i];
    PetscCall(run(row, row->blocks[i], &error[i]));
  }
  CHECK_NEAR(error[2], row->error, 1e-5 * row->error);
  if (first) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungRate(3, h, error, &order, &low, &high));
  if (print)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-8s %-13s DG%d  L2 %.6e  order %.2f\n", kind[row->kind],
                          RungCellGet(row->type)->name, (int)row->degree, (double)error[2], (double)order));
  CHECK(order > (PetscReal)row->degree + 0.75 && order < (PetscReal)row->degree + 1.45);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_errors_fall_with_the_order_of_the_element(void)
{
  PetscBool all = PETSC_FALSE, print = PETSC_FALSE;

  PetscCall(PetscOptionsGetBool(NULL, NULL, "-facets_all", &all, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-facets_print", &print, NULL));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(rows); ++i)
    if (all || rows[i].quick) PetscCall(check_row(&rows[i], all || check_alone() ? 0 : 2, print));
  return PETSC_SUCCESS;
}

/* u' - div grad u = f by SIPG with the moving boundary data in Nitsche's terms; u is held exactly: all error is of time. */
static PetscErrorCode create_heat(MPI_Comm comm, const RungCase *problem, RungSystem *sys)
{
  const PetscInt count[2] = {3, 3};
  RungMesh       mesh;
  RungSpace      space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(comm, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, count, NULL));
  PetscCall(RungSpaceCreate(mesh, "DG2", &space));
  PetscCall(RungSystemCreate(comm, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSystemSetConstant(*sys, "eta", 64));
  PetscCall(RungSystemSetConstant(*sys, "a2", 0));
  PetscCall(RungSystemDefine(*sys, "f", "3*cos(3*t + 0.4)*(1 + x[0] + 2*x[0]^2) - 4*sin(3*t + 0.4)"));
  PetscCall(RungSystemDefine(*sys, "g", "sin(3*t + 0.4)*(1 + x[0] + 2*x[0]^2)"));
  PetscCall(RungSystemAddResidual(*sys, "(dt(u) - f)*v*dx"));
  for (int i = 0; i < 3; ++i) PetscCall(RungSystemAddResidual(*sys, diffusion[i]));
  PetscCall(RungSystemSetInitial(*sys, "u", "g"));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const RungCase heat = {.name    = "facets_heat",
                              .about   = "conduction by SIPG, moving data in Nitsche's terms",
                              .create  = create_heat,
                              .unknown = "u",
                              .exact   = "sin(3*t + 0.4)*(1 + x[0] + 2*x[0]^2)",
                              .end     = 0.4,
                              .ladder  = "0.04,0.02,0.01",
                              .type    = RUNGDIRK,
                              .method  = "trbdf2"};

static PetscErrorCode test_moving_data_in_the_boundary_terms_keep_the_order_in_time(void)
{
  static const struct {
    const char *method;
    double      low, high, error;
  } run[] = {{"euler", 0.9, 1.15, 1.638218e-03}, {"trbdf2", 1.9, 2.15, 4.842135e-07}};

  PetscCall(RungCaseRegister(&heat));
  for (int i = 0; i < 2; ++i) {
    RungStudy        study;
    PetscInt         levels;
    const PetscReal *dt, *error;
    PetscReal        order, low, high;

    PetscCall(RungStudyCreate(PETSC_COMM_WORLD, &study));
    PetscCall(RungStudySetCase(study, heat.name));
    PetscCall(RungStudySetStepper(study, RUNGDIRK, run[i].method));
    PetscCall(RungStudyRun(study));
    PetscCall(RungStudyGetResults(study, &levels, &dt, &error, &order, &low, &high));
    CHECK(order > run[i].low && order < run[i].high);
    CHECK_NEAR(error[levels - 1], run[i].error, 1e-4 * run[i].error);
    PetscCall(RungStudyDestroy(&study));
  }
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_moving_data_in_the_boundary_terms_keep_the_order_in_time),
               RUNG_TEST(test_errors_fall_with_the_order_of_the_element))
