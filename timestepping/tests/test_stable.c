/* test_stable.c - the longest stable step of waves and heat on meshes, whose fastest parts are known in closed form, and what it costs. */
#include "listen.h"
#include "points.h"
#include <check.h>
#include <rungstep.h>

#define WAVES "dt(u, 2)*v*dx + inner(grad(u), grad(v))*dx"
#define HEAT  "dt(u)*v*dx + inner(grad(u), grad(v))*dx"
#define RATES "(dt(u, 2) + dt(u) + u)*v*dx + (dt(z) + 1000*z)*w*dx"

/* A run to `end` with the longest stable step and all solves of it; fixed: u = 0 on the boundary; a z of the first order where the
   residual has one. */
static PetscErrorCode run(const char cell[], PetscInt dim, PetscInt n, PetscBool fixed, const char residual[],
                          const char type[], const char method[], PetscReal end, PetscInt *steps, PetscInt *solves)
{
  RungStepperStatistics s;
  RungMesh              mesh;
  RungSpace             space;
  RungSystem            sys;
  RungStepper           stepper;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter"));
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_stable", NULL));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, cell, dim, (PetscInt[]){n, n, n}, (PetscReal[]){1, 1, 1}));
  PetscCall(RungSpaceCreate(mesh, "CG1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  if (strstr(residual, "*w*")) PetscCall(RungSystemAddUnknown(sys, "z", "w", space));
  PetscCall(RungSystemAddResidual(sys, residual));
  PetscCall(RungSystemSetInitial(sys, "u", "x[0]*(1 - x[0])"));
  if (fixed) PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", "0"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetType(stepper, type));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, end, end));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, &s));
  *steps  = s.steps;
  *solves = s.linear;
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The fastest part of linear elements on n cells a side has 12 n^2 dim. */
static PetscErrorCode test_steps_are_as_long_as_the_fastest_part_lets_them_in_a_few_actions(void)
{
  static const struct {
    const char *cell, *residual, *type, *method;
    PetscInt    dim, n, order;
    PetscReal   reach; /* of the method, on its axis */
  } row[] = {{"interval", WAVES, "acceleration", "central_difference", 1, 400, 2, 2},
             {"quadrilateral", WAVES, "acceleration", "central_difference", 2, 40, 2, 2},
             {"quadrilateral", HEAT, "explicit", "forward_euler", 2, 20, 1, 2}};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    const PetscReal fastest = 12. * (PetscReal)(row[i].n * row[i].n * row[i].dim);
    const PetscReal h       = 0.95 * row[i].reach / PetscPowReal(fastest, 1. / (PetscReal)row[i].order);
    PetscInt        steps, solves;

    PetscCall(run(row[i].cell, row[i].dim, row[i].n, PETSC_FALSE, row[i].residual, row[i].type, row[i].method, 100 * h,
                  &steps, &solves));
    if (steps > 100 || steps < 99 || solves - steps > 32)
      fprintf(stderr, "%d: %d steps, %d solves\n", (int)i, (int)steps, (int)solves);
    CHECK(steps <= 100 && steps >= 99); /* at most half a percent longer */
    CHECK(solves - steps <= 32);        /* the start, and 2 of what is 100 powers */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u'' + C u' + K u = 0 by rk4, stable to 2.7853 on the negative axis and 2.8284 beside the imaginary one: C = 1 and 1000 without space,
   C = K/100 whose fastest part, 8 n^2 cos(pi/(2 n))^2, is as in heat, and where one of the first order is faster. */
static PetscErrorCode test_damping_and_rates_of_the_first_order_bound_steps(void)
{
  const PetscReal heat = 8 * 81 * PetscSqr(PetscCosReal(PETSC_PI / 18));
  const struct {
    const char *residual;
    PetscBool   fixed;
    PetscReal   h;
  } row[] = {{"(dt(u, 2) + dt(u) + 10000*u)*v*dx", PETSC_FALSE, 2.8284 / 100},
             {"(dt(u, 2) + 1000*dt(u) + u)*v*dx", PETSC_FALSE, 2.7853 / 1000},
             {"dt(u, 2)*v*dx(rule: nodes) + inner(grad(u + dt(u)), grad(v))*dx", PETSC_TRUE, 2.7853 / heat},
             {RATES, PETSC_FALSE, 2.7853 / 1000}};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    PetscInt steps, solves;

    PetscCall(run("triangle", 2, 9, row[i].fixed, row[i].residual, "explicit", "rk4", 95 * row[i].h, &steps, &solves));
    if (steps < 98 || steps > 104) fprintf(stderr, "%d: %d steps\n", (int)i, (int)steps);
    CHECK(steps >= 98 && steps <= 104); /* 100 of 0.95 h; damping makes reach and size smaller by a little */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* a' = -100 a lets Euler's steps be 0.02 long, and b' = 10 c, c' = -10 b grow by 2 % in each of 0.019; rk4 does not, and what grows by
   itself is not told. */
static PetscErrorCode test_slow_oscillations_that_a_method_amplifies_are_told_behind_the_run(void)
{
  static const struct {
    const char *method, *residual;
    PetscReal   told;
  } row[] = {{"forward_euler", "(dt(a) + 100*a)*v*dx + (dt(b) - 10*c)*q*dx + (dt(c) + 10*b)*r*dx", 1},
             {"rk4", "(dt(a) + 100*a)*v*dx + (dt(b) - 10*c)*q*dx + (dt(c) + 10*b)*r*dx", 0},
             {"forward_euler", "(dt(a) + 100*a)*v*dx + (dt(b) - b)*q*dx + (dt(c) - c)*r*dx", 0}};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    static const char *const name[] = {"a", "b", "c"}, *const space[] = {"P0", "P0", "P0"},
                             *const start[] = {"1", "1", "0"};
    RungStepper                     stepper;
    Listen                          listen;
    PetscReal                       told = 0;
    char                            said[1024];

    PetscCall(points_create(3, name, space, start, row[i].residual, &stepper));
    PetscCall(RungStepperSetType(stepper, "explicit"));
    PetscCall(RungStepperSetMethod(stepper, row[i].method));
    PetscCall(RungStepperSetInterval(stepper, 0, 19.002, 0.019)); /* and a short one */
    PetscCall(listen_begin(&listen));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(listen_end(&listen, sizeof said, said));
    if (strstr(said, "times as large, and not by its own rates: method \"forward_euler\" amplifies slow")) told = 1;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &told, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
    CHECK(told == row[i].told);
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y' = -k y, k from 1 to 100 in a run whose step is stable for the first: it ends with the step that is wanted, and grew to 1e100. */
static PetscErrorCode test_a_constant_that_an_event_changes_leaves_no_unstable_step(void)
{
  static const char *const name[] = {"y"}, *const space[] = {"P0"}, *const start[] = {"1"};
  RungStepper    stepper;
  RungSystem     sys;
  PetscErrorCode ierr;
  Listen         listen;
  char           said[4096];

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_stable", NULL));
  PetscCall(points_create(1, name, space, start, "(dt(y) + k*y)*v*dx", &stepper));
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(RungSystemSetConstant(sys, "k", 1));
  PetscCall(RungStepperSetMethod(stepper, "rk4"));
  PetscCall(RungStepperSetInterval(stepper, 0, 10, 0.1));
  PetscCall(RungStepperAddEvent(stepper, "faster", &(RungEvent){.text = "t - 0.55", .direction = RUNG_RISING}));
  PetscCall(RungStepperSetEventJump(stepper, "faster", "k", "100"));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_stable"));
  PetscCall(listen_begin(&listen));
  PetscCall(PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
  ierr = RungStepperSolve(stepper);
  PetscCall(PetscPopErrorHandler());
  PetscCall(listen_end(&listen, sizeof said, said));
  CHECK(ierr == PETSC_ERR_NOT_CONVERGED);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_constant_that_an_event_changes_leaves_no_unstable_step),
               RUNG_TEST(test_slow_oscillations_that_a_method_amplifies_are_told_behind_the_run),
               RUNG_TEST(test_damping_and_rates_of_the_first_order_bound_steps),
               RUNG_TEST(test_steps_are_as_long_as_the_fastest_part_lets_them_in_a_few_actions))
