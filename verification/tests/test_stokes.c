/* test_stokes.c - incompressible flow: Taylor-Hood and MINI, steady and in time, with manufactured solutions.

       - div grad u + grad p = f,  div u = 0,  u given on the boundary, the mean of p by a number (R)

   Steady: orders k + 1 and k of u in L2 and H1, k of p in L2 for Taylor-Hood of degree k; 2, 1 and at least 1 (here 3/2)
   for MINI.  In time: u = U(x) cos(t + 0.3), p = P(x) sin(2 t + 0.5), both in the spaces, so that all error is of time. */
#include "ladder.h"

static const Ladder rows[] = {
#include "stokes_rows.def"
};

static const char *const velocity[4] = {"", "", "vector(sin(pi*x[0])*cos(pi*x[1]), -cos(pi*x[0])*sin(pi*x[1]))",
                                        "vector(sin(2*x[1] + x[2]), cos(x[0] - x[2]), sin(x[0] + 2*x[1]))"};
static const char *const pressure[4] = {"", "", "cos(2*pi*x[0])*x[1]", "sin(2*x[0] + x[1] - x[2])"};

/* spec: the velocity's space; "P1+B^d" is MINI with P1 */
static PetscErrorCode add_unknowns(RungSystem sys, RungMesh mesh, const char spec[])
{
  char p[8];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(p, sizeof p, "%c%d", spec[0], strchr(spec, '+') ? 1 : spec[1] - '0' - 1));
  PetscCall(ladder_unknown(sys, mesh, "u", "v", spec));
  PetscCall(ladder_unknown(sys, mesh, "p", "q", p));
  PetscCall(ladder_unknown(sys, mesh, "l", "m", "R"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(const Ladder *row, PetscInt n, RungSystem *sys)
{
  const RungCell *cell = RungCellGet(row->type);
  RungMesh        mesh;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, cell->name, cell->dim, (PetscInt[]){n, n, n}, NULL));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(add_unknowns(*sys, mesh, row->spec));
  PetscCall(RungSystemDefine(*sys, "u_exact", velocity[cell->dim]));
  PetscCall(RungSystemDefine(*sys, "p_exact", pressure[cell->dim]));
  PetscCall(RungSystemDefine(*sys, "f", "grad(p_exact) - div(grad(u_exact))"));
  PetscCall(RungSystemAddResidual(*sys, "(inner(grad(u), grad(v)) - p*div(v) - dot(f, v))*dx(degree: 7)"));
  PetscCall(RungSystemAddResidual(*sys, "(-q*div(u) + l*q + (p - p_exact)*m)*dx(degree: 7)"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "boundary", "u_exact"));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_errors_fall_with_the_order_of_the_pair(void)
{
  PetscCall(ladder_check_all(PETSC_STATIC_ARRAY_LENGTH(rows), rows, create));
  return PETSC_SUCCESS;
}

/* ---- in time ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode create_flow(MPI_Comm comm, const char cell[], const char spec[], RungSystem *sys)
{
  RungMesh mesh;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(comm, &mesh));
  PetscCall(RungMeshSetBox(mesh, cell, 2, (PetscInt[]){2, 2}, NULL));
  PetscCall(RungSystemCreate(comm, sys));
  PetscCall(add_unknowns(*sys, mesh, spec));
  PetscCall(RungSystemDefine(*sys, "u_exact", "cos(t + 0.3)*vector(x[1]^2 + x[0], x[0]^2 - x[1])"));
  PetscCall(RungSystemDefine(*sys, "p_exact", "sin(2*t + 0.5)*(x[0] + 2*x[1])"));
  PetscCall(RungSystemDefine(
    *sys, "f", "-sin(t + 0.3)*vector(x[1]^2 + x[0], x[0]^2 - x[1]) + grad(p_exact) - 0.001*div(grad(u_exact))"));
  PetscCall(RungSystemAddResidual(*sys, "(dot(dt(u) - f, v) + 0.001*inner(grad(u), grad(v)) - p*div(v))*dx"));
  PetscCall(RungSystemAddResidual(*sys, "(-q*div(u) + l*q + (p - p_exact)*m)*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "boundary", "u_exact"));
  PetscCall(RungSystemSetInitial(*sys, "u", "u_exact"));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_triangles(MPI_Comm comm, const RungCase *problem, RungSystem *sys)
{
  PetscCall(create_flow(comm, "triangle", "P2^d", sys));
  return PETSC_SUCCESS;
}

static PetscErrorCode create_quadrilaterals(MPI_Comm comm, const RungCase *problem, RungSystem *sys)
{
  PetscCall(create_flow(comm, "quadrilateral", "Q2^d", sys));
  return PETSC_SUCCESS;
}

static PetscErrorCode check_time(const RungCase *problem, const char type[], const char method[], double low,
                                 double high, double wanted)
{
  RungStudy        study;
  PetscInt         levels;
  const PetscReal *dt, *error;
  PetscReal        order, least, most;
  PetscBool        print = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-ladder_print", &print, NULL));
  PetscCall(RungStudyCreate(PETSC_COMM_WORLD, &study));
  PetscCall(RungStudySetCase(study, problem->name));
  PetscCall(RungStudySetStepper(study, type, method));
  PetscCall(RungStudyRun(study));
  PetscCall(RungStudyGetResults(study, &levels, &dt, &error, &order, &least, &most));
  if (print)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s %s: %.6e, order %.2f\n", problem->name, method,
                          (double)error[levels - 1], (double)order));
  CHECK(levels == 4 && order > low && order < high);
  CHECK_NEAR(error[levels - 1], wanted, 1e-4 * wanted);
  PetscCall(RungStudyDestroy(&study));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Index 2: velocity and pressure of stiffly accurate methods at the reported time. */
static PetscErrorCode test_velocity_and_pressure_have_the_order_in_time(void)
{
  static const struct {
    const char *unknown, *type, *method;
    double      low, high, error[2];
  } row[] = {{"u", RUNGBDF, "bdf2", 1.8, 2.1, {5.683162e-06, 6.553124e-06}},
             {"p", RUNGBDF, "bdf2", 1.8, 2.1, {1.338017e-05, 1.332542e-05}},
             {"u", RUNGDIRK, "euler", 0.9, 1.1, {1.646538e-03, 1.933429e-03}},
             {"p", RUNGDIRK, "euler", 0.9, 1.25, {3.907631e-04, 4.064971e-04}},
             {"u", RUNGDIRK, "trbdf2", 1.9, 2.25, {1.765813e-06, 2.070949e-06}},
             {"p", RUNGALPHA, NULL, 1.8, 2.45, {2.887397e-06, 2.996546e-06}}};
  static char names[2 * PETSC_STATIC_ARRAY_LENGTH(row)][32];

  for (int cell = 0; cell < 2; ++cell)
    for (int i = 0; i < (int)PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
      char    *name    = names[2 * i + cell];
      RungCase problem = {.name    = name,
                          .about   = "unsteady Stokes flow, all error is of time",
                          .create  = cell ? create_quadrilaterals : create_triangles,
                          .unknown = row[i].unknown,
                          .exact   = row[i].unknown[0] == 'u' ? "u_exact" : "p_exact",
                          .end     = 1,
                          .ladder  = "0.1,0.05,0.025,0.0125",
                          .type    = RUNGBDF,
                          .method  = "bdf2"};

      if (!check_alone() && (cell || strcmp(row[i].type, RUNGALPHA) != 0)) continue;
      PetscCall(PetscSNPrintf(name, sizeof names[0], "stokes_%d_%d", i, cell));
      PetscCall(RungCaseRegister(&problem));
      PetscCall(check_time(&problem, row[i].type, row[i].method, row[i].low, row[i].high, row[i].error[cell]));
    }
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_velocity_and_pressure_have_the_order_in_time),
               RUNG_TEST(test_errors_fall_with_the_order_of_the_pair))
