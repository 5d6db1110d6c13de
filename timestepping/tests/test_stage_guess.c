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

/* u = t^2 (1 + x) in conduction, with a source and moving ends: rates are on a straight line in t, which stages behind the second one go on
   along, so that the iteration has nothing to do there. */
static PetscErrorCode test_iterations_of_linear_stages_begin_there_too(void)
{
  static const char *const method[] = {"esdirk43", "esdirk54", "ark436"};

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, "-ksp_type cg -pc_type jacobi"));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(method); ++i) {
    RungMesh              mesh;
    RungSpace             space;
    RungSystem            sys;
    RungStepper           stepper;
    RungStepperStatistics s;
    PetscReal             error;
    const RungState      *state;

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){40}, NULL));
    PetscCall(RungSpaceCreate(mesh, "P1", &space));
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
    PetscCall(RungSpaceDestroy(&space));
    PetscCall(RungMeshDestroy(&mesh));
    PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx - 2*t*(1 + x[0])*v*dx"));
    PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", "t^2*(1 + x[0])"));
    PetscCall(RungSystemSetInitial(sys, "u", "1 + x[0]"));
    PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
    PetscCall(RungStepperSetSystem(stepper, sys));
    PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
    PetscCall(RungStepperSetMethod(stepper, method[i]));
    PetscCall(RungStepperSetInterval(stepper, 1, 1.5, 0.5));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetStatistics(stepper, &s));
    PetscCall(RungStepperGetState(stepper, 0, &state));
    PetscCall(RungSystemNorm(sys, "u - t^2*(1 + x[0])", NULL, RUNG_NORM_MAX, state->t, state->u, &error));
    CHECK_NEAR(error, 0, 1e-7);
    CHECK(s.linear <= 50); /* 195 and 234 from the stage before */
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_newton_takes_fewer_steps_than_from_the_last_step),
               RUNG_TEST(test_iterations_of_linear_stages_begin_there_too))
