/* test_stage_kept.c - with tolerances matrices are kept over iterations, stages and steps: few of them, and no error is larger. */
#include "points.h"

/* One unknown y of this space at one point. */
static PetscErrorCode make_point(const char spec[], const char initial[], const char residual[], PetscReal tol,
                                 PetscReal atol, PetscReal end, RungSystem *sys, RungStepper *stepper)
{
  RungMesh  points;
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &points));
  PetscCall(RungMeshSetPoints(points, 1));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSpaceCreate(points, spec, &space));
  PetscCall(RungSystemAddUnknown(*sys, "y", "v", space));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&points));
  PetscCall(RungSystemSetInitial(*sys, "y", initial));
  PetscCall(RungSystemSetConstant(*sys, "c", 1));
  PetscCall(RungSystemAddResidual(*sys, residual));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, stepper));
  PetscCall(RungStepperSetSystem(*stepper, *sys));
  PetscCall(RungStepperSetMonitor(*stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetMethod(*stepper, "esdirk43"));
  PetscCall(RungStepperSetTolerances(*stepper, tol, atol));
  PetscCall(RungStepperSetInterval(*stepper, 0, end, 1e-6));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves; x: the first n entries at the end. */
static PetscErrorCode solve(RungStepper stepper, PetscInt n, PetscReal x[], RungStepperStatistics *statistics)
{
  const RungState   *state;
  const PetscScalar *u;

  PetscFunctionBegin;
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(VecGetArrayRead(state->u[0], &u));
  for (PetscInt i = 0; i < n; ++i) x[i] = PetscRealPart(u[i]);
  PetscCall(VecRestoreArrayRead(state->u[0], &u));
  PetscCall(RungStepperGetStatistics(stepper, statistics));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RungSystem *sys, RungStepper *stepper)
{
  PetscFunctionBegin;
  PetscCall(RungStepperDestroy(stepper));
  PetscCall(RungSystemDestroy(sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Robertson's kinetics over seventeen decades of time; 3317 matrices with one for each iterate. */
static PetscErrorCode test_kinetics_over_many_decades_take_few_matrices(void)
{
  const PetscReal       exact[] = {2.083340149701255e-8, 8.333360770334713e-14, 0.9999999791665050};
  PetscReal             y[3];
  RungSystem            sys;
  RungStepper           stepper;
  RungStepperStatistics s;

  PetscFunctionBegin;
  PetscCall(make_point("P0^3", "vector(1, 0, 0)",
                       "inner(dt(y) - vector(-0.04*y[0] + 1e4*y[1]*y[2], 0.04*y[0] - 1e4*y[1]*y[2] - 3e7*y[1]^2, "
                       "3e7*y[1]^2), v)*dx",
                       1e-6, 1e-20, 1e11, &sys, &stepper));
  PetscCall(solve(stepper, 3, y, &s));
  for (int i = 0; i < 3; ++i) CHECK_NEAR(y[i] / exact[i], 1, 3e-6);
  CHECK(s.steps <= 345);
  CHECK(s.failed == 0);
  CHECK(s.jacobians <= 120);
  CHECK(s.combinations >= 30); /* the derivative by y is kept where only the step has changed */
  CHECK(s.factorisations <= 180);
  CHECK(s.newton <= 5750);
  PetscCall(destroy(&sys, &stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Van der Pol's oscillator, whose jumps no kept matrix follows: those steps go on with others, none fails. */
static PetscErrorCode test_where_a_kept_matrix_fails_others_follow(void)
{
  const PetscReal       exact[] = {1.70616773217048, -0.892809701024795};
  PetscReal             y[2];
  RungSystem            sys;
  RungStepper           stepper;
  RungStepperStatistics s;

  PetscFunctionBegin;
  PetscCall(make_point("P0^2", "vector(2, -0.6666654321121172)",
                       "inner(dt(y) - vector(y[1], 1e6*((1 - y[0]^2)*y[1] - y[0])), v)*dx", 1e-4, 1e-4, 2, &sys,
                       &stepper));
  PetscCall(solve(stepper, 2, y, &s));
  for (int i = 0; i < 2; ++i) CHECK_NEAR(y[i], exact[i], 3e-4);
  CHECK(s.steps <= 260);
  CHECK(s.failed <= 10);
  CHECK(s.jacobians <= 500);
  PetscCall(destroy(&sys, &stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode change(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  RungSystem sys;

  PetscFunctionBegin;
  (void)step, (void)u, (void)ctx;
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(RungSystemSetConstant(sys, "c", t < 0.5 ? 1 : 1e4));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y' = c (1 - y^3): another c asks for another matrix, at once. */
static PetscErrorCode test_other_constants_ask_for_another_matrix(void)
{
  PetscReal             y;
  RungSystem            sys;
  RungStepper           stepper;
  RungStepperStatistics s;

  PetscFunctionBegin;
  PetscCall(make_point("P0", "0.1", "(dt(y) - c*(1 - y^3))*v*dx", 1e-6, 1e-6, 1, &sys, &stepper));
  PetscCall(RungStepperAddMonitor(stepper, change, NULL));
  PetscCall(solve(stepper, 1, &y, &s));
  CHECK_NEAR(y, 1, 1e-5);
  CHECK(s.failed == 0);
  CHECK(s.jacobians <= s.newton / 5);
  PetscCall(destroy(&sys, &stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y' = -10 sqrt(y) from 1: y = (1 - 5 t)^2, which the cubic of the last step continues to where no root is. */
static PetscErrorCode test_guesses_outside_of_the_domain_are_left(void)
{
  PetscReal             y;
  RungSystem            sys;
  RungStepper           stepper;
  RungStepperStatistics s;

  PetscFunctionBegin;
  PetscCall(make_point("P0", "1", "(dt(y) + c*sqrt(y)*10)*v*dx", 1e-5, 1e-9, 0.1999, &sys, &stepper));
  PetscCall(solve(stepper, 1, &y, &s));
  CHECK_NEAR(y, 2.5e-7, 1e-7); /* (1 - 5 t)^2 */
  PetscCall(destroy(&sys, &stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In a square, solved by iterations with a factor. */
static PetscErrorCode solve_square(const char cell[], const char spec[], const char initial[], const char residual[],
                                   const char edge[], PetscReal tol, RungStepperStatistics *s)
{
  RungMesh    mesh;
  RungSpace   space;
  RungSystem  sys;
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, "-ksp_type gmres -pc_type lu"));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, cell, 2, (PetscInt[]){16, 16}, NULL));
  PetscCall(RungSpaceCreate(mesh, spec, &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungSystemSetInitial(sys, "u", initial));
  PetscCall(RungSystemAddResidual(sys, residual));
  if (edge) PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", edge));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetMethod(stepper, "esdirk43"));
  PetscCall(RungStepperSetTolerances(stepper, tol, tol));
  PetscCall(RungStepperSetInterval(stepper, 0, 0.5, 0.01));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, s));
  PetscCall(destroy(&sys, &stepper));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Burgers' equation: old factors go where they take more than a few iterations, and so most solves have factors of the kept matrix
   itself.  18 iterations a solve where those of the first matrix stay. */
static PetscErrorCode test_old_factors_make_room_under_a_kept_matrix(void)
{
  RungStepperStatistics s;

  PetscFunctionBegin;
  PetscCall(solve_square("quadrilateral", "Q1^2", "vector(sin(pi*x[0])*sin(pi*x[1]), sin(2*pi*x[0])*sin(pi*x[1]))",
                         "inner(dt(u) + dot(grad(u), u), v)*dx + 0.02*inner(grad(u), grad(v))*dx", "vector(0, 0)", 1e-4,
                         &s));
  CHECK(s.jacobians > 2 && s.factorisations <= s.jacobians + 1);
  if (s.linear > 2 * s.newton) fprintf(stderr, "%d iterations in %d solves\n", (int)s.linear, (int)s.newton);
  CHECK(s.linear <= 2 * s.newton);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The Brusselator, whose old factors never take many iterations, only some in each solve: what these sum up to asks for new ones. */
static PetscErrorCode test_old_factors_go_when_they_have_cost_as_much_as_new_ones(void)
{
  RungStepperStatistics s;

  PetscFunctionBegin;
  PetscCall(solve_square("triangle", "P1^2", "vector(0.5 + x[1], 1 + 5*x[0])",
                         "inner(dt(u) - vector(1 + u[0]^2*u[1] - 4.4*u[0], 3.4*u[0] - u[0]^2*u[1]), v)*dx + "
                         "0.02*inner(grad(u), grad(v))*dx",
                         NULL, 1e-6, &s));
  CHECK(s.factorisations >= 5 && s.factorisations <= 20);
  CHECK(s.linear <= 1.5 * s.newton); /* 3.6 without */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is solved twice has the same bits. */
static PetscErrorCode test_a_run_repeats_bit_for_bit(void)
{
  PetscReal             y[2][2];
  RungStepperStatistics s[2];

  PetscFunctionBegin;
  for (int run = 0; run < 2; ++run) {
    RungSystem  sys;
    RungStepper stepper;

    PetscCall(make_point("P0^2", "vector(1, 0)", "inner(dt(y) - vector(y[1], 10*(1 - y[0]^2)*y[1] - y[0]), v)*dx", 1e-5,
                         1e-5, 10, &sys, &stepper));
    PetscCall(solve(stepper, 2, y[run], &s[run]));
    if (run) PetscCall(solve(stepper, 2, y[run], &s[run])); /* and by a stepper that has run */
    PetscCall(destroy(&sys, &stepper));
  }
  for (int i = 0; i < 2; ++i) CHECK(y[0][i] == y[1][i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of all stages of the log. */
static PetscErrorCode count_factorisations(PetscInt *n)
{
  static const char *const name[] = {"MatLUFactorNum", "MatCholFctrNum"};
  PetscStageLog            log;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(PetscLogGetStageLog(&log));
  for (int e = 0; e < 2; ++e) {
    PetscLogEvent event;

    PetscCall(PetscLogEventGetId(name[e], &event));
    for (int stage = 0; stage < log->numStages && event >= 0; ++stage) {
      PetscEventPerfInfo info;

      PetscCall(PetscLogEventGetPerfInfo(stage, event, &info));
      *n += info.count;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The end of a step of the midpoint rule is no stage: its rates come from a solve with the mass, the same each time. */
static PetscErrorCode test_a_hundred_linear_steps_of_the_midpoint_rule_make_two_factorisations(void)
{
  RungMesh    mesh;
  RungSpace   space;
  RungSystem  sys;
  RungStepper stepper;
  PetscInt    before, after;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){16}, NULL));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSpaceCreate(mesh, "P2", &space));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemSetInitial(sys, "u", "x[0]"));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx - sin(t)*v*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "t"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMethod(stepper, "midpoint"));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.01));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(PetscLogDefaultBegin());
  PetscCall(count_factorisations(&before));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(count_factorisations(&after));
  CHECK(after - before <= 3); /* one for the start, before the loop; two for its hundred steps */
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(destroy(&sys, &stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y' = -z or y'' = -z with z = y^3, the last unknown, of whose rates alpha methods know nothing: a step was taken for none. */
static PetscErrorCode test_an_unknown_without_a_rate_may_be_the_last(void)
{
  static const char *const unknown[] = {"y", "z"}, *const spec[] = {"P0", "P0"}, *const initial[] = {"1", "1"};
  static const struct {
    const char *residual, *method;
  } row[] = {{"(dt(y) + z)*v*dx + (z - y^3)*q*dx", "chung_hulbert"},
             {"(dt(y) + z)*v*dx + (z - y^3)*q*dx", "esdirk43"},
             {"(dt(y, 2) + z)*v*dx + (z - y^3)*q*dx", "chung_hulbert"},
             {"(dt(y, 2) + z)*v*dx + (z - y^3)*q*dx", "newmark"},
             {"(dt(y, 2) + z)*v*dx + (z - y^3)*q*dx", "esdirk43"}};
  /* 1/sqrt(1 + 2 t); cn(t, 1/2) */
  const PetscReal exact[] = {0.577350269189626, 0.595976567672136};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    PetscReal   y[2], wanted = exact[i > 1];
    RungStepper stepper;

    PetscCall(points_create(2, unknown, spec, initial, row[i].residual, &stepper));
    PetscCall(RungStepperSetMethod(stepper, row[i].method));
    PetscCall(RungStepperSetTolerances(stepper, 1e-6, 1e-8));
    PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.01));
    PetscCall(points_solve(&stepper, 2, y, NULL));
    CHECK_NEAR(y[0], wanted, 1e-4);
    CHECK_NEAR(y[1], wanted * wanted * wanted, 1e-4);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_an_unknown_without_a_rate_may_be_the_last),
               RUNG_TEST(test_kinetics_over_many_decades_take_few_matrices),
               RUNG_TEST(test_where_a_kept_matrix_fails_others_follow),
               RUNG_TEST(test_other_constants_ask_for_another_matrix),
               RUNG_TEST(test_guesses_outside_of_the_domain_are_left),
               RUNG_TEST(test_old_factors_make_room_under_a_kept_matrix),
               RUNG_TEST(test_old_factors_go_when_they_have_cost_as_much_as_new_ones),
               RUNG_TEST(test_a_run_repeats_bit_for_bit),
               RUNG_TEST(test_a_hundred_linear_steps_of_the_midpoint_rule_make_two_factorisations))
