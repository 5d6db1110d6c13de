/* test_stage_digits.c - how many digits the linear solves of stages have. */
#include <check.h>
#include <rungfe.h>
#include <rungstep.h>

typedef struct {
  const char *cell, *spec, *residual, *dirichlet, *initial, *method, *options;
  PetscInt    cells, dim;
  PetscReal   end, dt, rtol, atol;
  const char *second; /* equation of w, tested with z; NULL: there is none */
} Run;

static PetscErrorCode solve(const Run *run, RungStepperStatistics *counts)
{
  const PetscInt count[3] = {run->cells, run->cells, run->cells};
  RungMesh       mesh;
  RungSpace      space;
  RungSystem     sys;
  RungStepper    stepper;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, run->options));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, run->cell, run->dim, count, NULL));
  PetscCall(RungSpaceCreate(mesh, run->spec, &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  if (run->second) PetscCall(RungSystemAddUnknown(sys, "w", "z", space));
  if (run->second) PetscCall(RungSystemAddResidual(sys, run->second));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungSystemAddResidual(sys, run->residual));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", run->dirichlet));
  if (run->initial) PetscCall(RungSystemSetInitial(sys, "u", run->initial));
  PetscCall(RungSystemSetFromOptions(sys));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMethod(stepper, run->method));
  PetscCall(RungStepperSetInterval(stepper, 0, run->end, run->dt));
  if (run->rtol > 0) PetscCall(RungStepperSetTolerances(stepper, run->rtol, run->atol));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, counts));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a solve leaves of u is divided by the step in u': of a bar on a support that moves steps were refused for it. */
static PetscErrorCode test_a_body_that_is_iterated_takes_the_steps_of_one_that_is_factored(void)
{
  static const char *const method[] = {"esdirk43", "esdirk54"};
  Run                      run      = {.cell      = "hexahedron",
                                       .spec      = "Q2^d",
                                       .dirichlet = "vector(0, 0.01*(1 - cos(3*t)), 0)",
                                       .cells     = 3,
                                       .dim       = 3,
                                       .end       = 2,
                                       .dt        = 0.01,
                                       .rtol      = 1e-6,
                                       .atol      = 5e-8};

  PetscFunctionBegin;
  run.residual =
    "inner(dt(u, 2), v)*dx + (2*inner(sym(grad(u)), sym(grad(v))) + 1.5*div(u)*div(v))*dx - sin(4*t)*v[1]*dx";
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(method); ++i) {
    RungStepperStatistics factored, iterated;

    run.method  = method[i];
    run.options = "-pc_type cholesky";
    PetscCall(solve(&run, &factored));
    run.options = "-ksp_type cg -pc_type jacobi";
    PetscCall(solve(&run, &iterated));
    CHECK_NEAR(iterated.steps, factored.steps, 1); /* 2 more with digits as of order 1 */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solver that is chosen when the matrix is there, above 20000 entries, has the tolerance of the step as well. */
static PetscErrorCode test_solvers_that_are_chosen_late_have_the_digits_of_the_step(void)
{
  Run                   run = {.cell      = "quadrilateral",
                               .spec      = "Q1",
                               .residual  = "dt(u)*v*dx + 1e-3*inner(grad(u), grad(v))*dx - sin(5*t)*x[0]*v*dx",
                               .dirichlet = "sin(3*t)",
                               .method    = "esdirk43",
                               .options   = "",
                               .cells     = 145,
                               .dim       = 2,
                               .end       = 0.1,
                               .dt        = 0.01,
                               .rtol      = 1e-3,
                               .atol      = 1e-3};
  RungStepperStatistics s[2];

  PetscFunctionBegin;
  PetscCall(solve(&run, &s[0]));
  run.options = "-ksp_rtol 1e-10";
  PetscCall(solve(&run, &s[1]));
  CHECK(s[0].steps == s[1].steps);
  CHECK(s[0].linear > 0 && (double)s[0].linear < 0.8 * (double)s[1].linear);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The residual of a small unknown is nothing beside that of a large one: it is solved for by itself. */
static PetscErrorCode test_a_small_unknown_is_solved_for_as_well(void)
{
  Run run = {.cell      = "triangle",
             .spec      = "P1",
             .residual  = "dt(u)*v*dx + 1e-3*inner(grad(u), grad(v))*dx - sin(5*t)*x[0]*v*dx",
             .dirichlet = "sin(3*t)",
             .method    = "esdirk54",
             .cells     = 40,
             .dim       = 2,
             .end       = 1,
             .dt        = 0.05};

  PetscFunctionBegin;
  for (int convective = 0; convective < 2; ++convective) {
    RungStepperStatistics factored, iterated;

    run.second  = convective
                    ? "dt(w)*z*dx + (3*inner(grad(w), grad(z)) + grad(w)[0]*z + u*z/1e8)*dx - 3e-8*sin(5*t)*x[0]*z*dx"
                    : "dt(w)*z*dx + (3*inner(grad(w), grad(z)) + w*z)*dx - 3e-8*sin(5*t)*x[0]*z*dx";
    run.options = "-stepper_rtol 1e-4 -pc_type lu";
    PetscCall(solve(&run, &factored));
    run.options = convective ? "-stepper_rtol 1e-4 -pc_type jacobi -ksp_type gmres"
                             : "-stepper_rtol 1e-4 -pc_type jacobi -ksp_type cg";
    PetscCall(solve(&run, &iterated));
    CHECK(iterated.linear > 5 * factored.linear);
    CHECK_NEAR(iterated.steps, factored.steps, 1); /* thousands without */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_body_that_is_iterated_takes_the_steps_of_one_that_is_factored),
               RUNG_TEST(test_solvers_that_are_chosen_late_have_the_digits_of_the_step),
               RUNG_TEST(test_a_small_unknown_is_solved_for_as_well))
