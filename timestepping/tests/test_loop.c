/* test_loop.c - the grid of times, landing, rejections, giving up, counters. */
#include "../step_impl.h"
#include "listen.h"
#include "ode.h"
#include "points.h"

typedef struct {
  PetscInt  n;
  PetscReal t[512];
} Times;

static PetscErrorCode keep_time(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  Times *times = (Times *)ctx;

  PetscFunctionBegin;
  (void)stepper, (void)u;
  CHECK(step == times->n);
  times->t[times->n++] = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode grid(PetscReal t0, PetscReal t1, PetscReal dt, Times *times)
{
  Ode         ode = relaxation(1, 1);
  RungStepper stepper;

  PetscFunctionBegin;
  times->n = 0;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, "euler", t0, t1, dt, &stepper));
  PetscCall(RungStepperAddMonitor(stepper, keep_time, times));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_times_are_made_by_index_and_end_exactly(void)
{
  Times times;

  PetscFunctionBegin;
  PetscCall(grid(0, 1, 0.1, &times));
  CHECK(times.n == 11);
  for (int n = 0; n < 10; ++n) CHECK(times.t[n] == n * 0.1);
  CHECK(times.t[10] == 1);
  PetscCall(grid(-0.7, 0.3, 0.3, &times));
  CHECK(times.n == 5);
  CHECK(times.t[3] == -0.7 + 3 * 0.3);
  CHECK(times.t[4] == 0.3);
  PetscCall(grid(5, 6, 0.3333333333333, &times)); /* stretched by 1e-13 */
  CHECK(times.n == 4);
  CHECK(times.t[3] == 6);
  PetscCall(grid(1e6, 1000000.3, 0.1, &times)); /* 1e-10 off by the rounding of its ends */
  CHECK(times.n == 4);
  CHECK(times.t[3] == 1000000.3);
  PetscCall(grid(-1e9, -1e9 + 0.7, 0.1, &times));
  CHECK(times.n == 8);
  PetscCall(grid(1e6, 1000000.35, 0.1, &times)); /* a rest is still one */
  CHECK(times.n == 5);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_an_interval_without_length_gives_the_initial_state(void)
{
  Times times;

  PetscFunctionBegin;
  PetscCall(grid(2, 2, 0.1, &times));
  CHECK(times.n == 1 && times.t[0] == 2);
  PetscCall(grid(0, 1, 3, &times));
  CHECK(times.n == 2 && times.t[1] == 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_second_solve_goes_on_where_the_first_ended(void)
{
  Ode         ode = kaps();
  RungStepper once, twice;
  PetscReal   a[3], b[3];

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGBDF, "bdf2", 0, 2, 0.125, &once));
  PetscCall(RungStepperSolve(once));
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGBDF, "bdf2", 0, 1, 0.125, &twice));
  PetscCall(RungStepperSolve(twice));
  PetscCall(RungStepperSetInterval(twice, 1, 2, 0.125));
  PetscCall(RungStepperSolve(twice));
  PetscCall(ode_values(once, 0, 3, a));
  PetscCall(ode_values(twice, 0, 3, b));
  for (int i = 0; i < 3; ++i) CHECK(a[i] == b[i]);
  PetscCall(RungStepperDestroy(&once));
  PetscCall(RungStepperDestroy(&twice));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a system that fails ---------------------------------------------------------------------------------------- */

static PetscInt nan_from, nan_to, evaluation;

/* Evaluations count from the first accepted step on: how many the start takes is its own affair. */
static PetscErrorCode arm(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  PetscFunctionBegin;
  (void)stepper, (void)t, (void)u, (void)ctx;
  if (step == 1) evaluation = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u' + u = 0, but evaluations nan_from .. nan_to - 1 are not numbers; nonlinear, so that Newton looks. */
static PetscErrorCode faulty_residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  PetscFunctionBegin;
  PetscCall(relaxation_residual(sys, t, u, r, ctx));
  if (evaluation >= nan_from && evaluation < nan_to) PetscCall(VecSet(r, NAN));
  ++evaluation;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode faulty(PetscBool linear, PetscBool adaptive, RungStepper *stepper, Ode *ode)
{
  PetscFunctionBegin;
  *ode          = relaxation(1, 1);
  ode->linear   = linear;
  ode->residual = faulty_residual;
  evaluation    = -1000000;
  PetscCall(ode_stepper(PETSC_COMM_SELF, ode, RUNGDIRK, "esdirk43", 0, 1, 0.1, stepper));
  PetscCall(RungStepperAddMonitor(*stepper, arm, NULL));
  if (adaptive) PetscCall(RungStepperSetTolerances(*stepper, 1e-4, 1e-4));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_residual_that_is_not_finite_ends_a_fixed_step(void)
{
  Ode                   ode;
  RungStepper           stepper;
  RungStepperStatistics s;

  PetscFunctionBegin;
  for (int linear = 0; linear < 2; ++linear) {
    nan_from = 4, nan_to = 100000;
    PetscCall(faulty(linear, PETSC_FALSE, &stepper, &ode));
    CHECK_RAISES(RungStepperSolve(stepper), "the residual is not finite; take a smaller -stepper_dt");
    PetscCall(RungStepperGetStatistics(stepper, &s));
    CHECK(s.failed == 1);
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u' = 1e9 u with h = 1: each step multiplies by 4e34, and no smaller step is the way out. */
static PetscErrorCode test_values_that_grow_without_bound_are_told(void)
{
  RungStepper stepper;
  PetscReal   x[1];

  PetscFunctionBegin;
  PetscCall(points_create(1, (const char *const[]){"u"}, (const char *const[]){"P0"}, (const char *const[]){"1"},
                          "(dt(u) - 1e9*u)*v*dx", &stepper));
  PetscCall(RungStepperSetMethod(stepper, "rk4"));
  PetscCall(RungStepperSetInterval(stepper, 0, 20, 1));
  CHECK_RAISES(points_solve(&stepper, 1, x, NULL), "a term of the residual may have the wrong sign");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_adaptive_steps_survive_a_residual_that_is_not_finite_for_a_while(void)
{
  Ode                   ode;
  RungStepper           stepper;
  RungStepperStatistics s;
  PetscReal             y;

  PetscFunctionBegin;
  for (int linear = 0; linear < 2; ++linear) {
    nan_from = 4, nan_to = linear ? 6 : 9; /* a solve of a nonlinear system is tried with other matrices, too */
    PetscCall(faulty(linear, PETSC_TRUE, &stepper, &ode));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetStatistics(stepper, &s));
    PetscCall(ode_values(stepper, 0, 1, &y));
    CHECK(s.failed >= 1 && s.failed <= 3);
    CHECK_NEAR(y, exp(-1), 1e-3);
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u' = residual's other terms at a point, until they are not finite. */
static PetscErrorCode check_gives_up(const char residual[], const char wanted[])
{
  RungMesh    mesh;
  RungSpace   Y;
  RungSystem  sys;
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_SELF, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 2));
  PetscCall(RungSpaceCreate(mesh, "P0", &Y));
  PetscCall(RungSystemCreate(PETSC_COMM_SELF, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", Y));
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter"));
  PetscCall(RungSystemAddResidual(sys, residual));
  PetscCall(RungSystemSetInitial(sys, "u", "1"));
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.1));
  CHECK_RAISES(RungStepperSolve(stepper), wanted);
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&Y));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_giving_up_names_what_is_not_finite(void)
{
  PetscFunctionBegin;
  PetscCall(check_gives_up("(dt(u) + log(0.32 - t))*v*dx", "\"log(0.32 - t)\" is not finite where 0.32 - t = -0."));
  PetscCall(
    check_gives_up("(dt(u) + u^2*sqrt(0.32 - t))*v*dx", "\"sqrt(0.32 - t)\" is not finite where 0.32 - t = -0."));
  PetscCall(
    check_gives_up("(dt(u) + sqrt(abs(u - 1)) - 1)*v*dx", "a derivative of \"sqrt(abs(u - 1))\" is not finite where"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Boundary data that end at t = 0.35: at a fixed step, and where steps get smaller until they are nothing. */
static PetscErrorCode test_giving_up_names_data_that_are_not_finite(void)
{
  PetscFunctionBegin;
  for (int adaptive = 0; adaptive < 2; ++adaptive) {
    RungMesh    mesh;
    RungSpace   space;
    RungSystem  sys;
    RungStepper stepper;

    PetscCall(RungMeshCreate(PETSC_COMM_SELF, &mesh));
    PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){2}, NULL));
    PetscCall(RungSpaceCreate(mesh, "P1", &space));
    PetscCall(RungSystemCreate(PETSC_COMM_SELF, &sys));
    PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
    PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter"));
    PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"));
    PetscCall(RungSystemSetDirichlet(sys, "u", "left", "(0.35 - t)^1.5"));
    PetscCall(RungSystemSetInitial(sys, "u", "0.35^1.5"));
    PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
    PetscCall(RungStepperSetSystem(stepper, sys));
    PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.1));
    if (adaptive) PetscCall(RungStepperSetTolerances(stepper, 1e-3, 1e-3));
    CHECK_RAISES(RungStepperSolve(stepper),
                 adaptive
                   ? "lost in rounding; larger ones were refused: the residual is not finite: Dirichlet u on left"
                   : "is not finite: Dirichlet u on left: the data is not finite at x = (0.), t = 0.3");
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungSpaceDestroy(&space));
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_failures_in_a_row_end_the_run(void)
{
  Ode                   ode;
  RungStepper           stepper;
  RungStepperStatistics s;

  PetscFunctionBegin;
  nan_from = 4, nan_to = 100000;
  PetscCall(faulty(PETSC_FALSE, PETSC_TRUE, &stepper, &ode));
  CHECK_RAISES(RungStepperSolve(stepper), "lost in rounding; larger ones were refused: the residual is not finite");
  PetscCall(RungStepperGetStatistics(stepper, &s));
  CHECK(s.failed > 20 && s.failed <= 30);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_rejections_are_counted_and_the_end_is_met(void)
{
  Ode                   ode = kaps();
  RungStepper           stepper;
  RungStepperStatistics s;
  Times                 times = {0};

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, "esdirk54", 0, 3.7, 3.7, &stepper));
  PetscCall(RungStepperSetTolerances(stepper, 1e-9, 1e-9));
  PetscCall(RungStepperAddMonitor(stepper, keep_time, &times));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, &s));
  CHECK(s.rejected > 0);
  CHECK(s.steps == times.n - 1);
  CHECK(times.t[times.n - 1] == 3.7);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_too_many_steps_are_an_error(void)
{
  Ode         ode = kaps();
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, "euler", 0, 1, 0.1, &stepper));
  PetscCall(RungStepperSetMaxSteps(stepper, 4));
  CHECK_RAISES(RungStepperSolve(stepper), "4 steps have led to t = 0.4, not to the end at 1.");
  CHECK_RAISES(RungStepperSetMaxSteps(stepper, 0), "at most 0 steps");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A constant that solves the system stays as it is, to the last bits, with every method. */
static PetscErrorCode steady_residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  const Ode *ode = (const Ode *)ctx;

  PetscFunctionBegin;
  (void)sys, (void)t;
  PetscCall(VecCopy(u[0], r));
  PetscCall(VecShift(r, -1));
  for (PetscInt k = 1; k <= ode->order; ++k) PetscCall(VecAXPY(r, 1, u[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode steady_jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J,
                                      void *ctx)
{
  const Ode *ode = (const Ode *)ctx;
  PetscReal  sum = 0;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)u;
  for (PetscInt k = 0; k <= ode->order; ++k) sum += sigma[k];
  PetscCall(diagonal(J, sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_steady_state_stays_with_every_method(void)
{
  const char *const *type, *const *method;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &type, &method));
  for (PetscInt i = 0; i < n; ++i) {
    RungMethodPlan plan;

    PetscCall(RungStepperGetPlan(type[i], method[i], &plan));
    for (PetscInt order = 1; order <= 2; ++order) {
      Ode ode = {"steady", order, PETSC_TRUE, steady_residual, steady_jacobian, one_initial, 2, {0}, PETSC_FALSE};
      RungStepper stepper;
      PetscReal   y[2];

      if (!(plan.can & (order == 1 ? RUNG_CAN_ORDER1 : RUNG_CAN_ORDER2))) continue;
      if (order == 1 && !strcmp(type[i], RUNGALPHA) && strcmp(method[i], "chung_hulbert") != 0) continue;
      PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, type[i], method[i], 0, 2, 0.13, &stepper));
      PetscCall(RungStepperSolve(stepper));
      PetscCall(ode_values(stepper, 0, 2, y));
      CHECK_NEAR(y[0], 1, 2e-14);
      CHECK_NEAR(y[1], 1, 2e-14);
      PetscCall(RungStepperDestroy(&stepper));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define END 0.7
#define PARTS                                                                                                          \
  35 /* 35 (0.7/35) is more than 0.7 in the last digit: the checkpoint of the end lies before that of the grid */
static PetscErrorCode test_a_run_that_is_at_its_end_is_not_gone_on_with(void)
{
  static const char *const name[] = {"u"}, *const space[] = {"P0"}, *const start[] = {"1"};
  RungStepper           stepper;
  RungStepperStatistics s;
  PetscReal             u[2];

  PetscFunctionBegin;
  for (int again = 0; again < 2; ++again) {
    PetscCall(points_create(1, name, space, start, "dt(u)*v*dx + u*v*dx", &stepper));
    PetscCall(RungStepperSetMethod(stepper, "euler"));
    PetscCall(RungStepperSetInterval(stepper, 0, END, END / PARTS));
    if (again)
      PetscCall(RungStepperSetRestart(stepper, "end.h5", PETSC_FALSE));
    else
      PetscCall(RungStepperSetCheckpoint(stepper, "end.h5", 1));
    PetscCall(points_solve(&stepper, 1, &u[again], &s));
    CHECK(s.steps == PARTS);
  }
  CHECK(u[0] == u[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_it(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  PetscFunctionBegin;
  (void)stepper, (void)t, (void)u;
  if (step == 2) PetscCall(RungStepperDestroy((RungStepper *)ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 0.7 - 0.5 is less than 0.2 in the last digits. */
static PetscErrorCode test_a_step_as_long_as_the_interval_is_not_told_of(void)
{
  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    Ode         ode = relaxation(1, 1);
    RungStepper stepper;
    Listen      listen;
    char        said[512];

    PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, "euler", 0.5, 0.7, i ? 0.3 : 0.2, &stepper));
    PetscCall(listen_begin(&listen));
    RungCallFinally(RungStepperSolve(stepper), PetscCall(listen_end(&listen, sizeof said, said)));
    CHECK((strstr(said, "is longer than the interval") != NULL) == (i == 1));
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode go_on(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  PetscFunctionBegin;
  (void)t, (void)u, (void)ctx;
  if (step == 2) PetscCall(RungStepperSetInterval(stepper, 0, 3, 0.1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Half of the run would know one end and half the other. */
static PetscErrorCode test_a_stepper_that_solves_keeps_its_interval(void)
{
  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    Ode         ode = relaxation(1, 1);
    RungStepper stepper;
    PetscReal   y;

    PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, i ? "esdirk54" : "euler", 0, 1, 0.1, &stepper));
    if (i) PetscCall(RungStepperSetTolerances(stepper, 1e-6, PETSC_DEFAULT));
    PetscCall(RungStepperAddMonitor(stepper, go_on, NULL));
    CHECK_RAISES(RungStepperSolve(stepper),
                 "RungStepperSetInterval by a callback, monitor or event of the stepper while it solves");
    PetscCall(RungStepperGetInterval(stepper, NULL, &y, NULL));
    CHECK_NEAR(y, 1, 0);
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_stepper_that_solves_is_not_destroyed(void)
{
  Ode         ode = relaxation(1, 1);
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, "euler", 0, 1, 0.1, &stepper));
  PetscCall(RungStepperAddMonitor(stepper, destroy_it, &stepper));
  CHECK_RAISES(RungStepperSolve(stepper),
               "RungStepperDestroy by a method, monitor or event of the stepper while it solves");
  CHECK(stepper != NULL);
  PetscCall(RungStepperDestroy(&stepper));
  CHECK(stepper == NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_step_as_long_as_the_interval_is_not_told_of),
               RUNG_TEST(test_a_stepper_that_solves_is_not_destroyed),
               RUNG_TEST(test_a_stepper_that_solves_keeps_its_interval),
               RUNG_TEST(test_a_run_that_is_at_its_end_is_not_gone_on_with),
               RUNG_TEST(test_times_are_made_by_index_and_end_exactly),
               RUNG_TEST(test_an_interval_without_length_gives_the_initial_state),
               RUNG_TEST(test_a_second_solve_goes_on_where_the_first_ended),
               RUNG_TEST(test_a_residual_that_is_not_finite_ends_a_fixed_step),
               RUNG_TEST(test_values_that_grow_without_bound_are_told),
               RUNG_TEST(test_adaptive_steps_survive_a_residual_that_is_not_finite_for_a_while),
               RUNG_TEST(test_giving_up_names_what_is_not_finite),
               RUNG_TEST(test_giving_up_names_data_that_are_not_finite), RUNG_TEST(test_failures_in_a_row_end_the_run),
               RUNG_TEST(test_rejections_are_counted_and_the_end_is_met), RUNG_TEST(test_too_many_steps_are_an_error),
               RUNG_TEST(test_a_steady_state_stays_with_every_method))
