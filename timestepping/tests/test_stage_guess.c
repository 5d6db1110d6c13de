/* test_stage_guess.c - where the iteration for a stage begins: earlier stages of the step lead there. */
#include "points.h"

#include <rungfe.h>

static const char *const unknown[] = {"u", "p"}, *const spec[] = {"P0", "P0"}, *const initial[] = {"2", "-0.66"};

/* Van der Pol's oscillator, an equation without a rate, and the pendulum, which is of order 2.  Steps of Newton's method: at most `most`;
   from the cubic of the last step alone it takes `cubic`. */
static PetscErrorCode test_newton_takes_fewer_steps_than_from_the_last_step(void)
{
  static const struct {
    const char *method, *residual;
    PetscInt    most, cubic;
  } row[] = {
    {"esdirk43", "(dt(u) - p)*v*dx + (dt(p) - 100*((1 - u^2)*p - u))*q*dx", 5700, 6125},
    {"esdirk54", "(dt(u) - p)*v*dx + (dt(p) - 100*((1 - u^2)*p - u))*q*dx", 6500, 7206},
    {"ark436", "(dt(u) - p)*v*dx + (dt(p) - 100*((1 - u^2)*p - u))*q*dx + explicit(0.1*cos(p)*v*dx)", 5500, 5992},
    {"esdirk43", "(dt(u) + 3*sin(p))*v*dx + (p + p^3/9 - u)*q*dx", 365, 395},
    {"esdirk54", "(dt(u, 2) + sin(u))*v*dx + (dt(p, 2) + sin(p) + p^3)*q*dx", 353, 373},
  };

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    RungStepper           stepper;
    RungStepperStatistics s;
    PetscReal             x[2];

    PetscCall(points_create(2, unknown, spec, initial, row[i].residual, &stepper));
    PetscCall(RungStepperSetMethod(stepper, row[i].method));
    PetscCall(RungStepperSetTolerances(stepper, 1e-5, 1e-5));
    PetscCall(RungStepperSetInterval(stepper, 0, 5, 0.001));
    PetscCall(points_solve(&stepper, 2, x, &s));
    CHECK(s.newton <= row[i].most && row[i].most < row[i].cubic);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u = t^2 (1 + x) in conduction, with a source and moving ends, without explicit terms or with a loss that is one: one step of 0.5 by CG. */
static PetscErrorCode solve_step(const char method[], const char residual[], PetscReal h, PetscInt *its,
                                 PetscReal *error)
{
  RungMesh              mesh;
  RungSpace             space;
  RungSystem            sys;
  RungStepper           stepper;
  RungStepperStatistics s;
  const RungState      *state;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){40}, NULL));
  PetscCall(RungSpaceCreate(mesh, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungSystemAddResidual(sys, residual));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", "t^2*(1 + x[0])"));
  PetscCall(RungSystemSetInitial(sys, "u", "1 + x[0]"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 1, 1.5, h));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, &s));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(RungSystemNorm(sys, "u - t^2*(1 + x[0])", NULL, RUNG_NORM_MAX, state->t, state->u, error));
  *its = s.linear;
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rates are on a straight line in t, which stages behind the second one go on along, so that the iteration has nothing to do there. */
static PetscErrorCode test_iterations_of_linear_stages_begin_there_too(void)
{
  static const char *const method[] = {"esdirk43", "esdirk54", "ark436"};

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, "-ksp_type cg -pc_type jacobi"));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(method); ++i) {
    PetscReal error;
    PetscInt  its;

    PetscCall(
      solve_step(method[i], "dt(u)*v*dx + inner(grad(u), grad(v))*dx - 2*t*(1 + x[0])*v*dx", 0.5, &its, &error));
    CHECK_NEAR(error, 0, 1e-7);
    CHECK(its <= 50); /* 195 and 234 from the stage before */
  }
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Beside explicit terms, which may be linear or not: at most `most` iterations, of methods whose times are in no table as well.  Before stages
   with terms that are not linear began there, it took 5673 and 7606. */
static PetscErrorCode test_so_do_those_beside_explicit_terms(void)
{
  static const struct {
    const char *method, *term;
    PetscInt    most;
    PetscReal   error;
  } row[] = {
    {"ark436", "u", 5300, 2e-5}, {"ark436", "u^3/4", 5580, 2e-4}, {"ark548b", "u^3/4", 7450, 1e-4},
    {"ars443", "u", 4500, 8e-5}, {"ssp332", "u^3/4", 4000, 2e-2},
  };

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, "-ksp_type cg -pc_type jacobi"));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    char      residual[256];
    PetscReal error;
    PetscInt  its;

    PetscCall(PetscSNPrintf(residual, sizeof residual,
                            "dt(u)*v*dx + inner(grad(u), grad(v))*dx + explicit(%s*v*dx) - (2*t*(1 + x[0]) + %s)*v*dx",
                            row[i].term, strchr(row[i].term, '^') ? "(t^2*(1 + x[0]))^3/4" : "t^2*(1 + x[0])"));
    PetscCall(solve_step(row[i].method, residual, 0.02, &its, &error));
    CHECK(its <= row[i].most);
    CHECK_NEAR(error, 0, row[i].error);
  }
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_newton_takes_fewer_steps_than_from_the_last_step),
               RUNG_TEST(test_iterations_of_linear_stages_begin_there_too),
               RUNG_TEST(test_so_do_those_beside_explicit_terms))
