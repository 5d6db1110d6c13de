/* test_matrix_free.c - whole runs without a matrix, and with matrices of other types, end where those with AIJ do, on any
   number of ranks. */
#include "check.h"
#include "rungverify.h"

typedef struct {
  const char *cell, *spec, *residual, *initial, *type, *method;
} Run;

/* The last u of a run, the caller's. */
static PetscErrorCode solve(const Run *run, const char mat_type[], RungSystem *sys, Vec *last)
{
  RungMesh         mesh;
  RungSpace        space;
  RungStepper      stepper;
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-system_mat_type", mat_type));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, run->cell, 2, (const PetscInt[]){3, 3}, NULL));
  PetscCall(RungSpaceCreate(mesh, run->spec, &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(*sys, run->residual));
  PetscCall(RungSystemSetDirichlet(*sys, strchr(run->spec, '^') ? "u[0]" : "u", "left", "0.1*sin(t)^2"));
  PetscCall(RungSystemSetInitial(*sys, "u", run->initial));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, *sys));
  PetscCall(RungStepperSetType(stepper, run->type));
  PetscCall(RungStepperSetMethod(stepper, run->method));
  PetscCall(RungStepperSetInterval(stepper, 0, 0.5, 0.1));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(VecDuplicate(state->u[0], last));
  PetscCall(VecCopy(state->u[0], *last));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(PetscOptionsClearValue(NULL, "-system_mat_type"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare(const Run *run, const char mat_type[])
{
  RungSystem sys[2];
  Vec        u[2];
  PetscReal  norm, difference;

  PetscFunctionBegin;
  PetscCall(solve(run, "aij", &sys[0], &u[0]));
  PetscCall(solve(run, mat_type, &sys[1], &u[1]));
  PetscCall(VecNorm(u[0], NORM_2, &norm));
  PetscCall(VecAXPY(u[1], -1, u[0]));
  PetscCall(VecNorm(u[1], NORM_2, &difference));
  CHECK(norm > 0.01);
  CHECK_NEAR(difference, 0, 1e-8 * norm);
  for (int i = 0; i < 2; ++i) {
    PetscCall(VecDestroy(&u[i]));
    PetscCall(RungSystemDestroy(&sys[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_linear_runs_agree(void)
{
  static const char *const heat = "dt(u)*v*dx + inner(grad(u), grad(v))*dx - x[0]*v*ds(top)";
  static const char *const wave =
    "inner(dt(dt(u)), v)*dx + inner(sym(grad(u)) + div(u)*I, grad(v))*dx + 0.1*inner(dt(u), v)*dx";
  static const Run run[] = {
    {"triangle", "P2", heat, "0.2*x[0]*x[1]", RUNGBDF, "bdf2"},
    {"quadrilateral", "Q2", heat, "0.2*x[0]*x[1]", RUNGDIRK, "esdirk43"},
    {"quadrilateral", "Q2^d", wave, "0.1*x", RUNGALPHA, "chung_hulbert"},
  };

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(run); ++i) PetscCall(compare(&run[i], "shell"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_nonlinear_runs_agree(void)
{
  static const char *const form  = "dt(u + u^3)*v*dx + (1 + u^2)*inner(grad(u), grad(v))*dx";
  static const Run         run[] = {
            {"quadrilateral", "Q2", form, "0.2*x[0]*x[1]", RUNGDIRK, "alexander2"},
            {"triangle", "P1", form, "0.2*x[0]*x[1]", RUNGBDF, "bdf2"},
            {"triangle", "P1", form, "0.2*x[0]*x[1]", RUNGALPHA, "chung_hulbert"},
  };

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(run); ++i) PetscCall(compare(&run[i], "shell"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Constant blocks, conserved terms and plain assemblies, with the solvers that are chosen for the type. */
static PetscErrorCode test_runs_with_other_types_agree(void)
{
  static const char *const elastic = "inner(dt(u), v)*dx + inner(sym(grad(u)), sym(grad(v)))*dx";
  static const char *const form    = "dt(u + u^3)*v*dx + inner(grad(u), grad(v))*dx";
  static const Run         run[]   = {
              {"triangle", "P2^d", elastic, "0.1*x", RUNGBDF, "bdf2"},
              {"quadrilateral", "Q1^d", elastic, "0.1*x", RUNGDIRK, "esdirk43"},
              {"triangle", "P1", form, "0.2*x[0]*x[1]", RUNGBDF, "bdf2"},
  };
  static const char *const type[] = {"baij", "sbaij", "sell"};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(run); ++i) {
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(type); ++k) PetscCall(compare(&run[i], type[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_runs_with_other_types_agree), RUNG_TEST(test_linear_runs_agree),
               RUNG_TEST(test_nonlinear_runs_agree))
