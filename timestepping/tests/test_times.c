/* test_times.c - stop times, limits of steps, runs that do not end; boundary data that rise far from the start. */
#include "../step_impl.h"
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
  (void)stepper, (void)u, (void)step;
  if (times->n < 512) times->t[times->n++] = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool met(const Times *times, PetscReal t)
{
  for (PetscInt i = 0; i < times->n; ++i) {
    if (times->t[i] == t) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static PetscErrorCode test_stop_times_are_landed_on_and_cost_little(void)
{
  const PetscReal       stop[] = {7.1, -3, 2.0 / 3, 11, 1e9, 7.1};
  RungStepperStatistics s[2];

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    Ode         ode = relaxation(0.5, 2);
    RungStepper stepper;
    Times       times = {0};

    PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, NULL, 0, 20, 0.01, &stepper));
    PetscCall(RungStepperSetTolerances(stepper, 1e-6, 1e-6));
    PetscCall(RungStepperAddMonitor(stepper, keep_time, &times));
    if (i) PetscCall(RungStepperAddStopTimes(stepper, 6, stop));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetStatistics(stepper, &s[i]));
    CHECK(met(&times, 20));
    if (i) CHECK(met(&times, 2.0 / 3) && met(&times, 7.1) && met(&times, 11));
    PetscCall(RungStepperDestroy(&stepper));
  }
  CHECK(s[1].steps <= s[0].steps + 8);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define LOOKS 12

/* Largest errors of y = cos t, w = -sin t, z = w at levels and at times in between, and of dt(y) there. */
typedef struct {
  PetscInt  next;
  PetscReal look[LOOKS], level, between, rate;
  Vec       u[2];
} Looked;

static PetscReal error_of(Vec u, PetscReal t)
{
  const PetscReal    wanted[] = {cos(t), -sin(t), -sin(t)};
  const PetscScalar *p;
  PetscReal          worst = 0;
  PetscInt           n;

  VecGetLocalSize(u, &n);
  VecGetArrayRead(u, &p);
  for (PetscInt i = 0; i < n; ++i) worst = PetscMax(worst, fabs(PetscRealPart(p[i]) - wanted[i]));
  VecRestoreArrayRead(u, &p);
  return worst;
}

static PetscErrorCode look_between(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  Looked *it = (Looked *)ctx;

  PetscFunctionBegin;
  it->level = PetscMax(it->level, error_of(u[0], t));
  for (; step && it->next < LOOKS && it->look[it->next] <= t; ++it->next) {
    const PetscReal    at = it->look[it->next];
    const PetscScalar *p;

    PetscCall(RungStepperInterpolate(stepper, at, it->u));
    it->between = PetscMax(it->between, error_of(it->u[0], at));
    PetscCall(VecGetArrayRead(it->u[1], &p));
    it->rate = PetscMax(it->rate, fabs(PetscRealPart(p[0]) + sin(at)));
    PetscCall(VecRestoreArrayRead(it->u[1], &p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode look_by(const char type[], const char method[], PetscBool algebraic, Looked *it)
{
  static const char *const name[] = {"y", "w", "z"}, *const space[] = {"P0", "P0", "P0"};
  static const char *const start[] = {"cos(t)", "-sin(t)", "-sin(t)"};
  RungStepper              stepper;
  RungSystem               sys;

  PetscFunctionBegin;
  PetscCall(points_create(algebraic ? 3 : 2, name, space, start,
                          algebraic ? "(dt(y) - z)*v*dx + (dt(w) + y)*q*dx + (z - w)*r*dx"
                                    : "(dt(y) - w)*v*dx + (dt(w) + y)*q*dx",
                          &stepper));
  PetscCall(RungStepperSetType(stepper, type));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 100, 102, 0.1));
  PetscCall(RungStepperSetTolerances(stepper, 1e-7, 1e-7));
  PetscCall(RungStepperGetSystem(stepper, &sys));
  for (PetscInt i = 0; i < LOOKS; ++i) it->look[i] = 100.1 + 0.153 * (PetscReal)i;
  for (int k = 0; k < 2; ++k) PetscCall(RungSystemCreateVec(sys, &it->u[k]));
  PetscCall(RungStepperAddLookTimes(stepper, LOOKS, it->look));
  PetscCall(RungStepperAddMonitor(stepper, look_between, it));
  PetscCall(RungStepperSolve(stepper));
  for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&it->u[k]));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of cubics those of methods of order 8 would be off by 1e4 tolerances, of straight lines in z by 1e6. */
static PetscErrorCode test_values_that_are_asked_for_are_as_good_as_levels(void)
{
  const char *const *type, *const *method;
  PetscInt n, seen = 0;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &type, &method));
  for (PetscInt i = 0; i < n; ++i) {
    RungMethodPlan plan;

    PetscCall(RungStepperGetPlan(type[i], method[i], &plan));
    if (plan.order < 4 || !plan.exponent || !(plan.can & RUNG_CAN_ORDER1)) continue;
    for (int algebraic = plan.order < 5; algebraic < (plan.can & RUNG_CAN_ALGEBRAIC ? 2 : 1); ++algebraic) {
      Looked          it     = {0};
      const PetscBool smooth = (PetscBool)(!strcmp(method[i], "dopri54") || !strcmp(method[i], "dop853"));

      PetscCall(look_by(type[i], method[i], algebraic ? PETSC_TRUE : PETSC_FALSE, &it));
      if (it.between > 4 * it.level + (algebraic ? 3e-5 : 5e-6) || it.next != LOOKS || (smooth && it.rate > 2e-5))
        fprintf(stderr, "%s, %d unknowns: levels %g, between %g, rate %g\n", method[i], 2 + algebraic, (double)it.level,
                (double)it.between, (double)it.rate);
      CHECK(it.next == LOOKS && it.between <= 4 * it.level + (algebraic ? 3e-5 : 5e-6));
      CHECK(!smooth || it.rate < 2e-5);
      ++seen;
    }
  }
  CHECK(seen > 50);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps of 0.5 after a stop time that differs from a level by rounding: the matrix is not made anew. */
static PetscErrorCode test_a_time_that_a_step_all_but_meets_leaves_the_matrix(void)
{
  const PetscReal       stop = 1.5 * (1 + 1e-14);
  Ode                   ode  = relaxation(0.5, 1);
  RungStepper           stepper;
  RungStepperStatistics s;
  Times                 times = {0};

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, NULL, 0, 4, 0.5, &stepper));
  PetscCall(RungStepperSetTolerances(stepper, 1, 1));
  PetscCall(RungStepperSetStepLimits(stepper, 0, 0.5));
  PetscCall(RungStepperAddStopTimes(stepper, 1, &stop));
  PetscCall(RungStepperAddMonitor(stepper, keep_time, &times));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, &s));
  CHECK(met(&times, stop) && s.steps == 8 && s.factorisations == 1);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_fixed_steps_have_to_meet_stop_times_and_have_no_limits(void)
{
  Ode         ode = relaxation(1, 1);
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, NULL, 0, 1, 0.1, &stepper));
  PetscCall(RungStepperAddStopTimes(stepper, 2, (PetscReal[]){0.3, 5}));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, NULL, -1e6, -1e6 + 0.7, 0.1, &stepper));
  PetscCall(RungStepperAddStopTimes(stepper, 1, (PetscReal[]){-1e6 + 0.2}));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, NULL, 0, 1, 0.1, &stepper));
  PetscCall(RungStepperAddStopTimes(stepper, 1, (PetscReal[]){0.35}));
  CHECK_RAISES(RungStepperSolve(stepper), "do not meet the stop time 0.35");
  CHECK_RAISES(RungStepperAddStopTimes(stepper, 1, (PetscReal[]){NAN}), "stop time 0 is nan");
  CHECK_RAISES(RungStepperAddStopTimes(stepper, -1, (PetscReal[]){1}), "-1 stop times, wanted an array of 0 or more");
  CHECK_RAISES(RungStepperAddStopTimes(stepper, 1, NULL), "1 stop times in no array");
  CHECK_RAISES(RungStepperSetMonitor(stepper, (RungMonitorMode)17), "monitor 17, wanted RUNG_MONITOR_NONE");
  CHECK_RAISES(RungStepperSetStepLimits(stepper, 2, 1), "the largest step is 1.");
  CHECK_RAISES(RungStepperSetStepLimits(stepper, -1, 1), "the smallest step is -1.");
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, NULL, 0, 1, 0.1, &stepper));
  PetscCall(RungStepperSetStepLimits(stepper, 0, 1));
  CHECK_RAISES(RungStepperSolve(stepper), "and no tolerances: all steps are dt");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_steps_keep_to_their_limits(void)
{
  Ode         ode = kaps();
  RungStepper stepper;
  Times       times = {0};

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, NULL, 0, 10, 0.01, &stepper));
  PetscCall(RungStepperSetTolerances(stepper, 1e-3, 1e-3));
  PetscCall(RungStepperSetStepLimits(stepper, 0, 0.25));
  PetscCall(RungStepperAddMonitor(stepper, keep_time, &times));
  PetscCall(RungStepperSolve(stepper));
  for (PetscInt i = 1; i < times.n; ++i) CHECK(times.t[i] - times.t[i - 1] < 0.25 * (1 + 1e-12));
  CHECK(times.n > 40);
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, NULL, 0, 10, 1, &stepper));
  PetscCall(RungStepperSetTolerances(stepper, 1e-9, 1e-9));
  PetscCall(RungStepperSetStepLimits(stepper, 0.2, 1));
  CHECK_RAISES(RungStepperSolve(stepper),
               "t = 0, step 1: a step of 2.0e-01 was refused, and -stepper_dt_min is 2.0e-01: the local error is");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A step of the least size is one, 4 units of t are lost, and 1e-9 of the run is not small yet. */
static PetscErrorCode test_limits_themselves_are_within(void)
{
  Ode         ode     = kaps();
  RungVerdict verdict = {0};
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, NULL, 0, 10, 1, &stepper));
  PetscCall(RungStepperSetTolerances(stepper, 1e-3, 1e-3));
  PetscCall(RungStepperSetStepLimits(stepper, 0.25, 1));
  PetscCall(RungStepperSetUp(stepper));
  stepper->control.h = 0.25;
  PetscCall(RungTimesRefused(stepper, 1, 0.25, &verdict));
  CHECK(stepper->control.h == 0.25);
  stepper->control.refused  = RUNG_MOST_REFUSALS;
  stepper->statistics.steps = 3;
  CHECK_RAISES(RungTimesRefused(stepper, 1, 0.25, &verdict), "gave up at t = 1, step 4, dt = 2.5e-01 after");
  stepper->control.refused  = 0;
  stepper->statistics.steps = 0;
  stepper->control.h        = 4 * PETSC_MACHINE_EPSILON;
  CHECK_RAISES(RungTimesRefused(stepper, 1, 0.25, &verdict), "is lost in rounding");
  PetscCall(RungTimesAccepted(stepper, 1, 1e-9 * 10, &verdict));
  CHECK(stepper->times.small == 0);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- heat at rest whose ends rise at t = 100 ---------------------------------------------------------------------- */

static PetscErrorCode make_heat(const char data[], RungStepper *stepper)
{
  RungMesh   mesh;
  RungSpace  space;
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_SELF, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){16}, (PetscReal[]){1}));
  PetscCall(RungSpaceCreate(mesh, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_SELF, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter"));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + 0.001*inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", data));
  PetscCall(RungSystemAddQuantity(sys, "mean", "u*dx"));
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, stepper));
  PetscCall(RungStepperSetSystem(*stepper, sys));
  PetscCall(RungStepperSetInterval(*stepper, 0, 200, 0.1));
  PetscCall(RungStepperSetMonitor(*stepper, RUNG_MONITOR_NONE));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_boundary_data_that_rise_late_are_seen(void)
{
  static const struct {
    const char *data;
    PetscReal   mean; /* with tolerances of 1e-10 */
  } rows[]                          = {{"0.5*(1 + tanh((t - 100)/0.1))", 0.6988466661},
                                       {"0.5*(1 + tanh((t - 100)/1))", 0.6988346134},
                                       {"0.5*(1 + tanh((t - 100)/4))", 0.6986518949},
                                       {"min(1, max(0, (t - 100)/0.5))", 0.6980999005}};
  static const char *const method[] = {"esdirk43", "esdirk54", "chung_hulbert", "grk4t"};
  const size_t             methods  = PETSC_STATIC_ARRAY_LENGTH(method);

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(rows) * methods; ++i) {
    RungStepper           stepper;
    RungStepperStatistics s;
    PetscReal             mean;

    PetscCall(make_heat(rows[i / methods].data, &stepper));
    PetscCall(RungStepperSetMethod(stepper, method[i % methods]));
    PetscCall(RungStepperSetTolerances(stepper, 1e-4, PETSC_DEFAULT));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetQuantity(stepper, "mean", &mean));
    PetscCall(RungStepperGetStatistics(stepper, &s));
    CHECK_NEAR(mean, rows[i / methods].mean, 2e-4);
    CHECK(s.steps <= 250);
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_pulse_of_boundary_data_is_seen(void)
{
  static const char *const        data[]   = {"exp(-((t - 100)/2)^2)", "if(t > 40, exp(-((t - 100)/2)^2), 0)"},
                           *const method[] = {"esdirk43", "esdirk54", "trbdf2", "rodas4p", "rodas5p", "chung_hulbert"};
  const size_t                    methods  = PETSC_STATIC_ARRAY_LENGTH(method);

  PetscFunctionBegin;
  for (size_t i = 0; i < 2 * methods; ++i) {
    RungStepper stepper;
    PetscReal   mean;

    PetscCall(make_heat(data[i / methods], &stepper));
    PetscCall(RungStepperSetMethod(stepper, method[i % methods]));
    PetscCall(RungStepperSetTolerances(stepper, 1e-5, PETSC_DEFAULT));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetQuantity(stepper, "mean", &mean));
    CHECK_NEAR(mean, 0.0105741375, 2e-6); /* of 8000 fixed steps of order 5 */
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- runs that do not end ----------------------------------------------------------------------------------------- */

/* u' = w cos(w t): w is told after the first steps. */
static PetscErrorCode fast_residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  const Ode *ode = (const Ode *)ctx;

  PetscFunctionBegin;
  (void)sys;
  PetscCall(VecCopy(u[1], r));
  PetscCall(VecShift(r, -ode->p[0] * cos(ode->p[0] * t)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fast_jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J,
                                    void *ctx)
{
  PetscFunctionBegin;
  (void)sys, (void)t, (void)u, (void)ctx;
  PetscCall(ode_add(J, 0, 0, sigma[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u'' = -w^2 u beside T' = w cos(w t), u = x at the start. */
static PetscErrorCode make_three_groups(RungStepper *stepper)
{
  RungMesh   mesh;
  RungSpace  space;
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_SELF, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){2}, (PetscReal[]){1}));
  PetscCall(RungSpaceCreate(mesh, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_SELF, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddUnknown(sys, "T", "q", space));
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter"));
  PetscCall(RungSystemAddResidual(sys, "(dt(u, 2) + 1e24*u)*v*dx + (dt(T) - 1e12*cos(1e12*t))*q*dx"));
  PetscCall(RungSystemSetInitial(sys, "u", "x[0]"));
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, stepper));
  PetscCall(RungStepperSetSystem(*stepper, sys));
  PetscCall(RungStepperSetType(*stepper, RUNGDIRK));
  PetscCall(RungStepperSetInterval(*stepper, 0, 1, 1e-14));
  PetscCall(RungStepperSetTolerances(*stepper, 1e-6, PETSC_DEFAULT));
  PetscCall(RungStepperSetMonitor(*stepper, RUNG_MONITOR_NONE));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_run_that_does_not_get_on_ends_with_the_cause(void)
{
  Ode         ode = {"fast", 1, PETSC_TRUE, fast_residual, fast_jacobian, one_initial, 1, {1e12}, PETSC_FALSE};
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, NULL, 0, 1, 1e-14, &stepper));
  PetscCall(RungStepperSetTolerances(stepper, 1e-6, 1e-6));
  PetscCall(RungStepperSetMaxSteps(stepper, 2000));
  CHECK_RAISES(RungStepperSolve(stepper), "500 steps of about");
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(make_heat("if(t < 100 + abs(x[0] - 0.5), 0, 1)", &stepper));
  PetscCall(RungStepperSetTolerances(stepper, 1e-4, PETSC_DEFAULT));
  CHECK_RAISES(RungStepperSolve(stepper), "boundary data of u 5e+03: u at 0 5e+03 (error 1, value 1), u at 1 5e+03");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_three_largest_groups_and_their_places_are_named(void)
{
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(make_three_groups(&stepper));
  CHECK_RAISES(RungStepperSolve(stepper), "without growth");
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(make_three_groups(&stepper));
  CHECK_RAISES(RungStepperSolve(stepper), "tolerances allow (T 0.65: T at "); /* three places, equal but for rounding */
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(make_three_groups(&stepper));
  CHECK_RAISES(RungStepperSolve(stepper), "; dt(u) 0.14: dt(u) at 1 0.21 (error");
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(make_three_groups(&stepper));
  CHECK_RAISES(RungStepperSolve(stepper), "; u 0.1: u at 1 0.15 (error");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u' = w cos(w t), w = 1e10 from step p[2] to step p[3], 1 before and after. */
static PetscErrorCode stop_forcing(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  Ode *ode = (Ode *)ctx;

  PetscFunctionBegin;
  (void)stepper, (void)t, (void)u;
  if (step == (PetscInt)ode->p[2]) ode->p[0] = 1e10;
  if (step == (PetscInt)ode->p[3]) ode->p[0] = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_fast_layer_is_no_end(void)
{
  static const PetscReal begin[] = {0, 1500}, end[] = {400, 2400};

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    Ode ode = {"fast",     1, PETSC_TRUE, fast_residual, fast_jacobian, one_initial, 1, {1, 1, begin[i], end[i]},
               PETSC_FALSE};
    RungStepper           stepper;
    RungStepperStatistics s;

    PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, NULL, 0, 1, 1e-14, &stepper));
    PetscCall(RungStepperSetTolerances(stepper, 1e-6, 1e-6));
    PetscCall(RungStepperSetStepLimits(stepper, 0, 1e-4));
    PetscCall(RungStepperAddMonitor(stepper, stop_forcing, &ode));
    PetscCall(RungStepperSetMaxSteps(stepper, 20000));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetStatistics(stepper, &s));
    CHECK(s.steps > (PetscInt)end[i]);
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A pulse that begins with 1e-300: nothing of it is gone over, and what is smaller than anything is not resolved; behind a switch, too. */
static PetscErrorCode test_a_pulse_from_rest_is_seen_and_cheap(void)
{
  static const struct {
    const char *method;
    PetscInt    most;
  } row[] = {{"dopri54", 180}, {"esdirk54", 200}, {"rodas5p", 260}, {"bs32", 700}, {"trbdf2", 800}};
  static const char *const u[] = {"u"}, *const spec[] = {"P0"}, *const zero[] = {"0"};
  static const char *const residual[] = {"(dt(u) - exp(-((t - 5.13)/0.1)^2))*v*dx",
                                         "(dt(u) - if(t > 2, exp(-((t - 5.13)/0.1)^2), 0))*v*dx"};

  PetscFunctionBegin;
  for (size_t n = 0; n < 2 * PETSC_STATIC_ARRAY_LENGTH(row); ++n) {
    const size_t          i    = n / 2;
    const PetscReal       rtol = i < 3 ? 1e-6 : 1e-4;
    RungStepper           stepper;
    RungStepperStatistics statistics;
    PetscReal             end;

    PetscCall(points_create(1, u, spec, zero, residual[n % 2], &stepper));
    PetscCall(RungStepperSetMethod(stepper, row[i].method));
    PetscCall(RungStepperSetInterval(stepper, 0, 10, PETSC_DEFAULT));
    PetscCall(RungStepperSetTolerances(stepper, rtol, PETSC_DEFAULT));
    PetscCall(points_solve(&stepper, 1, &end, &statistics));
    CHECK_NEAR(end, 0.1 * PetscSqrtReal(PETSC_PI), 0.2 * 20 * rtol);
    CHECK(statistics.steps <= row[i].most);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_stop_times_are_landed_on_and_cost_little),
               RUNG_TEST(test_values_that_are_asked_for_are_as_good_as_levels),
               RUNG_TEST(test_a_time_that_a_step_all_but_meets_leaves_the_matrix),
               RUNG_TEST(test_fixed_steps_have_to_meet_stop_times_and_have_no_limits),
               RUNG_TEST(test_limits_themselves_are_within), RUNG_TEST(test_steps_keep_to_their_limits),
               RUNG_TEST(test_boundary_data_that_rise_late_are_seen), RUNG_TEST(test_a_pulse_of_boundary_data_is_seen),
               RUNG_TEST(test_a_run_that_does_not_get_on_ends_with_the_cause),
               RUNG_TEST(test_the_three_largest_groups_and_their_places_are_named),
               RUNG_TEST(test_a_fast_layer_is_no_end), RUNG_TEST(test_a_pulse_from_rest_is_seen_and_cheap))
