/* test_event.c - events of balls, a relay and a bar against exact times; two at once, at ends of steps, at the start; runs that go on. */
#include "../step_impl.h"
#include "ode.h"
#include "points.h"
#include <unistd.h>

#define G    9.81
#define FALL 0.451523640985730904 /* sqrt(2/g): the first time on the floor */

/* Ranks change no rule: on several of them fewer runs are made. */
static PetscBool alone(void)
{
  PetscMPIInt size;

  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  return size == 1 ? PETSC_TRUE : PETSC_FALSE;
}

static const char *const y_name[] = {"y"}, *const y_space[] = {"P0"}, *const y_start[] = {"1"};

/* A ball that falls from 1 with y'' = -g - drag; e of its speed is left by the floor. */
static PetscErrorCode ball(const char drag[], PetscReal e, const char method[], PetscReal t1, PetscReal dt,
                           PetscReal rtol, RungStepper *stepper)
{
  RungSystem sys;
  char       residual[128];

  PetscFunctionBegin;
  (void)snprintf(residual, sizeof residual, "(dt(y, 2) + g%s)*v*dx", drag);
  PetscCall(points_create(1, y_name, y_space, y_start, residual, stepper));
  PetscCall(RungStepperGetSystem(*stepper, &sys));
  PetscCall(RungSystemSetConstant(sys, "g", G));
  PetscCall(RungSystemSetConstant(sys, "e", e));
  PetscCall(RungSystemAddProbe(sys, "height", "y", (PetscReal[]){0}));
  PetscCall(RungSystemAddProbe(sys, "speed", "dt(y)", (PetscReal[]){0}));
  PetscCall(RungSystemAddQuantity(sys, "energy", "(dt(y)^2/2 + g*y)*dx"));
  PetscCall(RungStepperSetMethod(*stepper, method));
  PetscCall(RungStepperSetInterval(*stepper, 0, t1, dt));
  if (rtol > 0) PetscCall(RungStepperSetTolerances(*stepper, rtol, rtol * 1e-3));
  PetscCall(RungStepperAddEvent(*stepper, "bounce", &(RungEvent){.text = "height", .direction = RUNG_FALLING}));
  PetscCall(RungStepperSetEventJump(*stepper, "bounce", "dt(y)", "-e*dt(y)"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* reference_values: (2n + 1) T, and where the ball is at t = 10 */
static PetscErrorCode test_a_ball_bounces_at_exact_times(void)
{
  static const struct {
    const char *method;
    PetscReal   rtol, close;
  } rows[] = {{"dopri54", 1e-9, 1e-12}, {"esdirk43", 0, 1e-12}, {"newmark", 0, 1e-12}, {"bdf2", 0, 0.05}};

  PetscFunctionBegin;
  for (size_t i = 0; i < (alone() ? PETSC_STATIC_ARRAY_LENGTH(rows) : 1); ++i) {
    RungStepper           stepper;
    const PetscReal      *t;
    PetscReal             height, speed;
    PetscInt              n;
    RungStepperStatistics s;

    PetscCall(ball("", 1, rows[i].method, 10, 0.1, rows[i].rtol, &stepper));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetEvent(stepper, "bounce", &n, &t));
    CHECK(n == 11);
    for (PetscInt k = 0; k < n; ++k) CHECK_NEAR(t[k], (2 * k + 1) * FALL, rows[i].close * (2 * k + 1) * FALL);
    PetscCall(RungStepperGetQuantity(stepper, "height", &height));
    PetscCall(RungStepperGetQuantity(stepper, "speed", &speed));
    CHECK_NEAR(height, 0.97832197540443799, 10 * rows[i].close);
    CHECK_NEAR(speed, -0.6521678024595562, 10 * rows[i].close);
    PetscCall(RungStepperGetStatistics(stepper, &s));
    CHECK(s.events == 11);
    CHECK(s.located >= 11 && s.located <= 40);
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_thousand_bounces_keep_the_energy(void)
{
  RungStepper stepper;
  PetscReal   energy;
  PetscInt    n;

  PetscFunctionBegin;
  if (!alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ball("", 1, "dopri54", 2000 * FALL, 0.1, 1e-9, &stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetEvent(stepper, "bounce", &n, NULL));
  PetscCall(RungStepperGetQuantity(stepper, "energy", &energy));
  CHECK(n == 1000);
  CHECK_NEAR(energy, G, 1e-9 * G);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* reference_values: v' = -g - 0.2 v |v|, thrown up with 5 from 1, 0.95 of the speed is left */
static PetscErrorCode test_a_ball_with_drag_bounces_at_reference_times(void)
{
  static const PetscReal time[] = {
    1.130196822313217528, 2.041032739186977708, 2.774155775554922314, 3.396373595182540505, 3.940158277260222830,
    4.424314076053891636, 4.860940550480485581, 5.258398258937778867, 5.622770893859506542, 5.958663243777863630,
    6.269670718218519169, 6.558672172699547876, 6.828021215325082836, 7.079676028696817407, 7.315290302417925345,
    7.536278657403567618, 7.743864813774734200, 7.939117769859208607};
  RungStepper      stepper;
  RungSystem       sys;
  const PetscReal *t;
  PetscInt         n;

  PetscFunctionBegin;
  if (!alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ball(" + 0.2*dt(y)*abs(dt(y))", 0.95, "dopri87", 8, 0.01, 1e-12, &stepper));
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(RungSystemSetInitial(sys, "dt(y)", "5"));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetEvent(stepper, "bounce", &n, &t));
  CHECK(n == 18);
  for (PetscInt i = 0; i < PetscMin(n, 18); ++i) CHECK_NEAR(t[i], time[i], 1e-9 * time[i]);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a relay: T' = -T + 30 on ------------------------------------------------------------------------------------- */

static PetscErrorCode relay(PetscReal low, PetscReal high, PetscReal t1, RungStepper *stepper)
{
  static const char *const name[] = {"T"}, *const space[] = {"P0"}, *const start[] = {"10"};
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(points_create(1, name, space, start, "(dt(T) + T - 30*on)*v*dx", stepper));
  PetscCall(RungStepperGetSystem(*stepper, &sys));
  PetscCall(RungSystemSetConstant(sys, "on", 1));
  PetscCall(RungSystemSetConstant(sys, "low", low));
  PetscCall(RungSystemSetConstant(sys, "high", high));
  PetscCall(RungSystemAddQuantity(sys, "heater", "on*dx"));
  PetscCall(RungSystemAddProbe(sys, "room", "T", (PetscReal[]){0}));
  PetscCall(RungStepperSetMethod(*stepper, "esdirk54"));
  PetscCall(RungStepperSetInterval(*stepper, 0, t1, 0.05));
  PetscCall(RungStepperSetTolerances(*stepper, 1e-11, 1e-12));
  PetscCall(RungStepperAddEvent(*stepper, "warm", &(RungEvent){.text = "room - high", .direction = RUNG_RISING}));
  PetscCall(RungStepperSetEventJump(*stepper, "warm", "on", "0"));
  PetscCall(RungStepperAddEvent(*stepper, "cold", &(RungEvent){.text = "room - low", .direction = RUNG_FALLING}));
  PetscCall(RungStepperSetEventJump(*stepper, "cold", "on", "1 - on"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_relay_switches_at_exact_times(void)
{
  RungStepper      stepper;
  const PetscReal *warm, *cold;
  PetscReal        t = log(20. / 8);
  PetscInt         n, m;

  PetscFunctionBegin;
  PetscCall(relay(18, 22, 5, &stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetEvent(stepper, "warm", &n, &warm));
  PetscCall(RungStepperGetEvent(stepper, "cold", &m, &cold));
  CHECK(n == 7 && m == 7);
  for (PetscInt i = 0; i < PetscMin(n - 1, m); ++i) {
    CHECK_NEAR(warm[i], t, 1e-9 * t);
    t += log(22. / 18);
    CHECK_NEAR(cold[i], t, 1e-9 * t);
    t += log(12. / 8);
  }
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 1 up to the time of the last event, -1 behind it */
static PetscErrorCode flip(RungStepper stepper, PetscReal t, const Vec u[], PetscReal *g, void *ctx)
{
  (void)stepper, (void)u;
  *g = t <= *(PetscReal *)ctx ? 1 : -1;
  return PETSC_SUCCESS;
}

static PetscErrorCode flip_back(RungStepper stepper, PetscReal t, const Vec u[], void *ctx)
{
  (void)stepper, (void)u;
  *(PetscReal *)ctx = t;
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_run_that_cannot_leave_a_time_is_told(void)
{
  RungStepper stepper;
  PetscReal   last = 0.3;

  PetscFunctionBegin;
  PetscCall(relay(0, 100, 1, &stepper));
  PetscCall(RungStepperAddEvent(stepper, "flip", &(RungEvent){.fn = flip, .act = flip_back, .ctx = &last}));
  CHECK_RAISES(RungStepperSolve(stepper), "event \"flip\" happens again and again at t = 0.3");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_bounces_that_pile_up_are_told_with_their_limit(void)
{
  RungStepper      stepper;
  const PetscReal *t;
  PetscReal        time = FALL;
  PetscInt         n;

  PetscFunctionBegin;
  if (!alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ball("", 0.8, "dopri54", 10, 0.1, 1e-9, &stepper));
  CHECK_RAISES(RungStepperSolve(stepper), "limit 4.063712769");
  PetscCall(RungStepperGetEvent(stepper, "bounce", &n, &t));
  for (PetscInt i = 0; i < 20; ++i) {
    CHECK_NEAR(t[i], time, 1e-12 * time);
    time += 2 * FALL * pow(0.8, i + 1);
  }
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(ball("", 0.8, "dopri54", 10, 0.1, 1e-9, &stepper));
  PetscCall(
    RungStepperAddEvent(stepper, "rest", &(RungEvent){.text = "height", .direction = RUNG_FALLING, .stop = 20}));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetEvent(stepper, "bounce", &n, NULL));
  CHECK(n == 20);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- near misses -------------------------------------------------------------------------------------------------- */

/* A ball thrown up with 5 under a ceiling that is `below` under its highest place: it comes to it at two times, or never. */
static PetscErrorCode throw_up(const char method[], PetscReal below, RungEventDirection direction, PetscInt *n,
                               PetscReal t[2])
{
  RungStepper      stepper;
  RungSystem       sys;
  const PetscReal *found;

  PetscFunctionBegin;
  PetscCall(ball("", 1, method, 1, 0.1, 0, &stepper));
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(RungSystemSetInitial(sys, "y", "0.5"));
  PetscCall(RungSystemSetInitial(sys, "dt(y)", "5"));
  PetscCall(RungSystemSetConstant(sys, "top", 0.5 + 12.5 / G - below));
  PetscCall(RungStepperAddEvent(stepper, "ceiling", &(RungEvent){.text = "height - top", .direction = direction}));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetEvent(stepper, "ceiling", n, &found));
  for (PetscInt i = 0; i < PetscMin(2, *n); ++i) t[i] = found[i];
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_only_just_happens_is_told_from_what_does_not(void)
{
  PetscFunctionBegin;
  if (!alone()) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscReal d = 1e-3; d > 0.9e-12; d /= 10) {
    const PetscReal half = sqrt(2 * d / G), sharp = 1e-14 / (G * half) + 1e-12;
    PetscReal       t[2] = {0, 0};
    PetscInt        n;

    PetscCall(throw_up("esdirk43", d, RUNG_BOTH, &n, t));
    CHECK(n == 2);
    CHECK_NEAR(t[0], 5 / G - half, sharp);
    CHECK_NEAR(t[1], 5 / G + half, sharp);
    PetscCall(throw_up("newmark", d, RUNG_FALLING, &n, t));
    CHECK(n == 1);
    CHECK_NEAR(t[0], 5 / G + half, sharp);
    PetscCall(throw_up("newmark", d, RUNG_RISING, &n, t));
    CHECK(n == 1);
    PetscCall(throw_up("esdirk43", -d, RUNG_BOTH, &n, t));
    CHECK(n == 0);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- at once, at ends, at the start ------------------------------------------------------------------------------- */

static PetscErrorCode test_events_at_one_time_happen_together(void)
{
  RungStepper           stepper;
  const PetscReal      *one, *two;
  PetscInt              n, m;
  RungStepperStatistics s;

  PetscFunctionBegin;
  if (!alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ball("", 1, "dopri54", 2, 0.1, 1e-9, &stepper));
  PetscCall(RungStepperAddEvent(stepper, "count", &(RungEvent){.text = "3*height", .direction = RUNG_FALLING}));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetEvent(stepper, "bounce", &n, &one));
  PetscCall(RungStepperGetEvent(stepper, "count", &m, &two));
  CHECK(n == 2 && m == 2 && one[0] == two[0] && one[1] == two[1]);
  PetscCall(RungStepperGetStatistics(stepper, &s));
  CHECK(s.events == 4);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* g = t - 0.5 is 0 where a step of the grid ends; t (t - 0.35) is 0 at the start. */
static PetscErrorCode test_ends_of_steps_and_the_start(void)
{
  RungStepper           stepper;
  const PetscReal      *t;
  PetscInt              n;
  RungStepperStatistics s;

  PetscFunctionBegin;
  PetscCall(relay(0, 100, 1, &stepper));
  PetscCall(RungStepperAddEvent(stepper, "half", &(RungEvent){.text = "t - 0.5"}));
  PetscCall(RungStepperAddEvent(stepper, "start", &(RungEvent){.text = "t*(t - 0.35)"}));
  PetscCall(RungStepperAddEvent(stepper, "end", &(RungEvent){.text = "t - 1", .tol = 1e-6}));
  PetscCall(RungStepperAddStopTimes(stepper, 1, (PetscReal[]){0.5}));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetEvent(stepper, "half", &n, &t));
  CHECK(n == 1 && t[0] == 0.5);
  PetscCall(RungStepperGetEvent(stepper, "start", &n, &t));
  CHECK(n == 1);
  CHECK_NEAR(t[0], 0.35, 1e-15);
  PetscCall(RungStepperGetEvent(stepper, "end", &n, &t));
  CHECK(n == 1 && t[0] == 1);
  PetscCall(RungStepperGetStatistics(stepper, &s));
  CHECK(s.events == 3 && s.located <= 2);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A run that an event has ended goes on where it is, and does not meet that event again. */
static PetscErrorCode test_a_run_goes_on_behind_the_event_that_ended_it(void)
{
  RungStepper       stepper;
  RungStepperReason reason;
  const RungState  *state;
  const PetscReal  *t;
  PetscInt          n;

  PetscFunctionBegin;
  if (!alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(relay(18, 100, 2, &stepper));
  PetscCall(RungStepperAddEvent(stepper, "stop", &(RungEvent){.text = "room - 20", .stop = 1}));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetReason(stepper, &reason));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  CHECK(reason == RUNG_STEPPER_EVENT);
  CHECK_NEAR(state->t, log(2), 1e-10);
  PetscCall(RungStepperSetInterval(stepper, state->t, 2, 0.05));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetReason(stepper, &reason));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(RungStepperGetEvent(stepper, "stop", &n, &t));
  CHECK(reason == RUNG_STEPPER_REACHED_END && state->t == 2 && n == 0);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- callbacks: every method ---------------------------------------------------------------------------------------- */

/* y' = v, v' = -g of order 1, y'' = -g of order 2, the same on each rank */
static PetscErrorCode fall_residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  const Ode         *ode = (const Ode *)ctx;
  const PetscScalar *y, *v;
  PetscScalar       *f;

  PetscFunctionBegin;
  (void)sys, (void)t;
  PetscCall(VecGetArrayRead(u[0], &y));
  PetscCall(VecGetArrayRead(u[ode->order], &v));
  PetscCall(VecGetArrayWrite(r, &f));
  if (ode->order == 2)
    f[0] = v[0] + G;
  else
    f[0] = v[0] - y[1], f[1] = v[1] + G;
  PetscCall(VecRestoreArrayWrite(r, &f));
  PetscCall(VecRestoreArrayRead(u[ode->order], &v));
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fall_jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J,
                                    void *ctx)
{
  const Ode *ode = (const Ode *)ctx;
  PetscInt   start;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)u;
  PetscCall(MatGetOwnershipRange(J, &start, NULL));
  PetscCall(ode_add(J, start, start, sigma[ode->order]));
  if (ode->order == 2) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ode_add(J, start, start + 1, -sigma[0]));
  PetscCall(ode_add(J, start + 1, start + 1, sigma[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fall_initial(RungSystem sys, PetscReal t, PetscInt k, Vec u, void *ctx)
{
  PetscScalar *y;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecSet(u, 0));
  PetscCall(VecGetArray(u, &y));
  if (!k) y[0] = 1;
  PetscCall(VecRestoreArray(u, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fall_height(RungStepper stepper, PetscReal t, const Vec u[], PetscReal *g, void *ctx)
{
  const PetscScalar *y;

  PetscFunctionBegin;
  (void)stepper, (void)t, (void)ctx;
  PetscCall(VecGetArrayRead(u[0], &y));
  *g = PetscRealPart(y[0]);
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fall_turn(RungStepper stepper, PetscReal t, const Vec u[], void *ctx)
{
  const Ode   *ode = (const Ode *)ctx;
  PetscScalar *v;

  PetscFunctionBegin;
  (void)stepper, (void)t;
  PetscCall(VecGetArray(u[ode->order - 1], &v));
  v[ode->order == 2 ? 0 : 1] *= -1;
  PetscCall(VecRestoreArray(u[ode->order - 1], &v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two bounces by one method; with tolerances where it has an estimate and `adaptive` asks for them. */
static PetscErrorCode check_method(const char type[], const char method[], const RungMethodPlan *plan, PetscInt order,
                                   PetscBool adaptive)
{
  Ode              ode = {"fall", order, PETSC_TRUE, fall_residual, fall_jacobian, fall_initial, 3 - order, {0}};
  RungStepper      stepper;
  const PetscReal *t;
  PetscInt         n;
  PetscReal        close = plan->order >= 3 && strcmp(type, RUNGBDF) != 0 ? 1e-9 : 0.1;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_WORLD, &ode, type, method, 0, 2, plan->order == 1 ? 0.02 : 0.1, &stepper));
  if (adaptive) PetscCall(RungStepperSetTolerances(stepper, 1e-6, 1e-8));
  if (adaptive) close = PetscMax(close, 1e-3);
  PetscCall(RungStepperAddEvent(
    stepper, "floor", &(RungEvent){.fn = fall_height, .act = fall_turn, .ctx = &ode, .direction = RUNG_FALLING}));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetEvent(stepper, "floor", &n, &t));
  if (n != 2 || !(fabs(t[0] - FALL) < close) || !(fabs(t[1] - 3 * FALL) < 3 * close))
    fprintf(stderr, "%s %s, order %d in time%s: %d bounces, %.3e, %.3e\n", type, method, (int)order,
            adaptive ? ", with tolerances" : "", (int)n, n > 0 ? (double)(t[0] - FALL) : 0,
            n > 1 ? (double)(t[1] - 3 * FALL) : 0);
  CHECK(n == 2 && fabs(t[0] - FALL) < close && fabs(t[1] - 3 * FALL) < 3 * close);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_every_method_meets_events(void)
{
  const char *const *type, *const *method;
  PetscInt n, checked = 0;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &type, &method));
  for (PetscInt i = 0; i < n; i += alone() ? 1 : 37) {
    RungMethodPlan plan;

    PetscCall(RungStepperGetPlan(type[i], method[i], &plan));
    if (plan.can & RUNG_CAN_ORDER1) PetscCall(check_method(type[i], method[i], &plan, 1, PETSC_FALSE));
    if (plan.can & RUNG_CAN_ORDER2) PetscCall(check_method(type[i], method[i], &plan, 2, PETSC_FALSE));
    if ((plan.can & RUNG_CAN_ORDER2) && plan.exponent > 2)
      PetscCall(check_method(type[i], method[i], &plan, 2, PETSC_TRUE));
    ++checked;
  }
  CHECK(checked > n / 40);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- runs that go on ------------------------------------------------------------------------------------------------ */

/* A monitor that saves at the first event, before it happens. */
static PetscErrorCode save_at_event(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  RungStepperStatistics s;
  PetscInt             *saved = (PetscInt *)ctx;

  PetscFunctionBegin;
  (void)step, (void)u;
  PetscCall(RungStepperGetStatistics(stepper, &s));
  if (!*saved && !s.events && t > log(20. / 8) - 1e-6) {
    PetscCall(RungStepperSave(stepper, "pending.h5"));
    *saved = 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscReal T, on, warm[8], cold[8];
  PetscInt  n, m, events, located, steps;
} Outcome;

static PetscErrorCode run_relay(const char restart[], PetscReal rtol, Outcome *o)
{
  RungStepper           stepper;
  RungStepperStatistics s;
  const PetscReal      *warm, *cold;
  PetscInt              saved = restart[0] ? 1 : 0;

  PetscFunctionBegin;
  memset(o, 0, sizeof *o);
  PetscCall(relay(18, 22, 3, &stepper));
  PetscCall(RungStepperSetTolerances(stepper, rtol, 1e-12));
  PetscCall(RungStepperSetCheckpoint(stepper, "relay_{step}.h5", 9));
  PetscCall(RungStepperSetRestart(stepper, restart, PETSC_FALSE));
  PetscCall(RungStepperAddTable(stepper, "relay"));
  PetscCall(RungStepperAddMonitor(stepper, save_at_event, &saved));
  PetscCall(RungStepperSolve(stepper));
  CHECK(saved);
  PetscCall(RungStepperGetQuantity(stepper, "room", &o->T));
  PetscCall(RungStepperGetQuantity(stepper, "heater", &o->on));
  PetscCall(RungStepperGetEvent(stepper, "warm", &o->n, &warm));
  PetscCall(RungStepperGetEvent(stepper, "cold", &o->m, &cold));
  for (PetscInt i = 0; i < PetscMin(8, o->n); ++i) o->warm[i] = warm[i];
  for (PetscInt i = 0; i < PetscMin(8, o->m); ++i) o->cold[i] = cold[i];
  PetscCall(RungStepperGetStatistics(stepper, &s));
  o->events  = s.events;
  o->located = s.located;
  o->steps   = s.steps;
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lines of a file on rank 0. */
static PetscErrorCode read_file(const char path[], char text[], size_t size)
{
  FILE *file = fopen(path, "r");

  PetscFunctionBegin;
  text[0] = 0;
  if (file) text[fread(text, 1, size - 1, file)] = 0;
  if (file) (void)fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Checkpoints between events, and one with an event that has not happened yet: the rest of the run has the same bits. */
static PetscErrorCode test_a_run_with_events_goes_on_bit_for_bit(void)
{
  static const char *const from[] = {"relay_9.h5", "relay_27.h5", "pending.h5"};
  Outcome                  whole, rest;
  PetscMPIInt              rank, size;
  static char              log[4096], again[4096];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(run_relay("", 1e-9, &whole));
  CHECK(whole.n == 4 && whole.m == 4 && whole.steps > 40);
  if (!rank) PetscCall(read_file("relay.events.csv", log, sizeof log));
  if (!rank) CHECK(!strncmp(log, "t,warm,cold,heater,room\n0.916290731", 35) && strstr(log, ",,3,0,18\n"));
  for (size_t i = size > 1 ? 2 : 0; i < PETSC_STATIC_ARRAY_LENGTH(from); ++i) {
    PetscCall(run_relay(from[i], 1e-9, &rest));
    CHECK(!memcmp(&whole, &rest, sizeof whole));
    if (!rank) PetscCall(read_file("relay.events.csv", again, sizeof again));
    if (!rank) CHECK(!strcmp(log, again));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- forms: moving data, numbers, what is refused -------------------------------------------------------------------- */

static PetscErrorCode interval(PetscInt cells, const char space[], RungSystem *sys, RungStepper *stepper)
{
  RungMesh  mesh;
  RungSpace of;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){cells}, (PetscReal[]){1}));
  PetscCall(RungSpaceCreate(mesh, space, &of));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", of));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, stepper));
  PetscCall(RungStepperSetSystem(*stepper, *sys));
  PetscCall(RungStepperSetMonitor(*stepper, RUNG_MONITOR_NONE));
  PetscCall(RungSpaceDestroy(&of));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A bar of length 1 and wave speed 1 flies onto a wall at 0.1 from its tip: the tip stays there while a wave runs to the other
   end and back, 2, and the bar flies off as fast as it came. */
static PetscErrorCode test_a_bar_hits_a_wall_by_events_on_its_tip(void)
{
  RungSystem       sys;
  RungStepper      stepper;
  const PetscReal *touch, *leave;
  PetscReal        momentum;
  PetscInt         n, m;

  PetscFunctionBegin;
  PetscCall(interval(alone() ? 64 : 32, "P1", &sys, &stepper));
  PetscCall(RungSystemSetConstant(sys, "wall", 0));
  PetscCall(RungSystemAddResidual(sys, "dt(u, 2)*v*dx + grad(u)[0]*grad(v)[0]*dx"));
  PetscCall(RungSystemAddResidual(sys, "wall*50*(u + 0.1)*v*ds(left)"));
  PetscCall(RungSystemSetInitial(sys, "dt(u)", "-1"));
  PetscCall(RungSystemAddProbe(sys, "tip", "u", (PetscReal[]){0}));
  PetscCall(RungSystemAddQuantity(sys, "momentum", "dt(u)*dx"));
  PetscCall(RungStepperSetMethod(stepper, "chung_hulbert"));
  PetscCall(RungStepperSetInterval(stepper, 0, 3, 0.01));
  PetscCall(RungStepperAddEvent(stepper, "touch", &(RungEvent){.text = "tip + 0.1", .direction = RUNG_FALLING}));
  PetscCall(RungStepperSetEventJump(stepper, "touch", "wall", "1"));
  PetscCall(RungStepperAddEvent(stepper, "leave", &(RungEvent){.text = "tip + 0.1", .direction = RUNG_RISING}));
  PetscCall(RungStepperSetEventJump(stepper, "leave", "wall", "0"));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetEvent(stepper, "touch", &n, &touch));
  PetscCall(RungStepperGetEvent(stepper, "leave", &m, &leave));
  PetscCall(RungStepperGetQuantity(stepper, "momentum", &momentum));
  CHECK(n == 1 && m == 1);
  CHECK_NEAR(touch[0], 0.1, 1e-10);
  CHECK_NEAR(leave[0], 2.1, alone() ? 0.05 : 0.2);
  CHECK_NEAR(momentum, 1, 0.05);
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |F| at each level that a monitor sees, a jump's too */
static PetscErrorCode watch_rates(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  RungSystem sys;
  Vec        r;
  PetscReal  norm, *most = (PetscReal *)ctx;

  PetscFunctionBegin;
  (void)step;
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(RungSystemCreateVec(sys, &r));
  PetscCall(RungSystemResidual(sys, t, u, r));
  PetscCall(VecNorm(r, NORM_INFINITY, &norm));
  *most = PetscMax(*most, norm);
  ++most[1];
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Heat with an edge that moves: at half its mean of u = t everything is halved but the edge, rates fit, a sum of a rate goes on. */
static PetscErrorCode test_fields_jump_beside_moving_data(void)
{
  RungSystem       sys;
  RungStepper      stepper;
  const PetscReal *t;
  PetscReal        most[2] = {0, 0}, left, mean, sum;
  PetscInt         n;

  PetscFunctionBegin;
  PetscCall(interval(8, "P2", &sys, &stepper));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + grad(u)[0]*grad(v)[0]*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "t"));
  PetscCall(RungSystemAddQuantity(sys, "mean", "u*dx"));
  PetscCall(RungSystemAddRate(sys, "sum", "1*dx"));
  PetscCall(RungSystemAddProbe(sys, "edge", "u", (PetscReal[]){0}));
  PetscCall(RungStepperSetMethod(stepper, "esdirk43"));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.05));
  PetscCall(RungStepperSetTolerances(stepper, 1e-7, 1e-9));
  PetscCall(RungStepperAddEvent(stepper, "half", &(RungEvent){.text = "mean - 0.25", .direction = RUNG_RISING}));
  PetscCall(RungStepperSetEventJump(stepper, "half", "u", "u/2"));
  PetscCall(RungStepperAddEvent(stepper, "sum", &(RungEvent){.text = "sum - 0.77"}));
  PetscCall(RungStepperAddMonitor(stepper, watch_rates, most));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetEvent(stepper, "sum", &n, &t));
  CHECK(n == 1);
  CHECK_NEAR(t[0], 0.77, 1e-13);
  PetscCall(RungStepperGetEvent(stepper, "half", &n, &t));
  CHECK(n == 12 && t[0] > 0.48 && t[0] < 0.49);
  PetscCall(RungStepperGetQuantity(stepper, "edge", &left));
  PetscCall(RungStepperGetQuantity(stepper, "mean", &mean));
  PetscCall(RungStepperGetQuantity(stepper, "sum", &sum));
  CHECK_NEAR(left, 1, 1e-14);
  CHECK_NEAR(sum, 1, 1e-12);
  CHECK(mean > 0.1 && mean < 0.25);
  CHECK(most[0] < 1e-9 && most[1] > 5);
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two numbers p, q in R and a vector on points: all right sides are values before the event. */
static PetscErrorCode test_right_sides_are_values_before_the_event(void)
{
  static const char *const name[] = {"u", "p", "q"}, *const space[] = {"P0^2", "R", "R"},
                           *const start[] = {"vector(1, 2)", "3", "4"};
  RungStepper                     stepper;
  RungSystem                      sys;
  PetscReal                       x, y, p, q, c;
  RungMesh                        points;
  RungSpace                       of;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &points));
  PetscCall(RungMeshSetPoints(points, 1));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  for (PetscInt f = 0; f < 3; ++f) {
    PetscCall(RungSpaceCreate(points, space[f], &of));
    PetscCall(RungSystemAddUnknown(sys, name[f], (const char *[]){"v", "a", "b"}[f], of));
    PetscCall(RungSpaceDestroy(&of));
    PetscCall(RungSystemSetInitial(sys, name[f], start[f]));
  }
  PetscCall(RungSystemSetConstant(sys, "c", 5));
  PetscCall(RungSystemAddResidual(sys, "inner(dt(u), v)*dx + (dt(p)*a + dt(q)*b)*dR"));
  PetscCall(RungSystemAddProbe(sys, "at", "u", (PetscReal[]){0}));
  PetscCall(RungSystemAddProbe(sys, "now", "c", (PetscReal[]){0}));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetMethod(stepper, "trbdf2"));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.2));
  PetscCall(RungStepperAddEvent(stepper, "swap", &(RungEvent){.text = "t - 0.3 + 0*p"}));
  PetscCall(RungStepperSetEventJump(stepper, "swap", "u[0]", "u[1] + c"));
  PetscCall(RungStepperSetEventJump(stepper, "swap", "u[1]", "u[0]"));
  PetscCall(RungStepperSetEventJump(stepper, "swap", "p", "q + c"));
  PetscCall(RungStepperSetEventJump(stepper, "swap", "q", "p"));
  PetscCall(RungStepperSetEventJump(stepper, "swap", "c", "c + p*q"));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetQuantity(stepper, "at[0]", &x));
  PetscCall(RungStepperGetQuantity(stepper, "at[1]", &y));
  PetscCall(RungStepperGetQuantity(stepper, "p", &p));
  PetscCall(RungStepperGetQuantity(stepper, "q", &q));
  PetscCall(RungStepperGetQuantity(stepper, "now", &c));
  CHECK(x == 7 && y == 1 && p == 9 && q == 3 && c == 17);
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungMeshDestroy(&points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode not_a_number(RungStepper stepper, PetscReal t, const Vec u[], PetscReal *g, void *ctx)
{
  (void)stepper, (void)t, (void)u, (void)ctx;
  *g = NAN;
  return PETSC_SUCCESS;
}

/* One event more, and SetUp or Solve says what is wrong with it. */
static PetscErrorCode check_refused(const RungEvent *event, const char target[], const char text[],
                                    const char message[])
{
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(relay(18, 22, 1, &stepper));
  PetscCall(RungStepperAddEvent(stepper, "more", event));
  if (target) PetscCall(RungStepperSetEventJump(stepper, "more", target, text));
  CHECK_RAISES(RungStepperSolve(stepper), message);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_is_wrong_is_said(void)
{
  const RungEvent good = {.text = "room - 20"};
  RungStepper     stepper;

  PetscFunctionBegin;
  PetscCall(relay(18, 22, 1, &stepper));
  CHECK_RAISES(RungStepperAddEvent(stepper, "warm", &good), "there is an event \"warm\" already");
  CHECK_RAISES(RungStepperAddEvent(stepper, "x", &(RungEvent){.tol = 1}), "neither a text nor a function");
  CHECK_RAISES(RungStepperAddEvent(stepper, "x", &(RungEvent){.text = "t", .tol = -1}), "tolerance -1");
  CHECK_RAISES(RungStepperSetEventJump(stepper, "wram", "on", "1"), "did you mean \"warm\"");
  CHECK_RAISES(RungStepperSetEventJump(stepper, "warm", "on", "1"), "changes \"on\" twice");
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(check_refused(&(RungEvent){.text = "T - 20"}, NULL, NULL,
                          "event more: \"T - 20\" holds \"T\", an unknown with values at many places"));
  PetscCall(check_refused(&(RungEvent){.text = "rom - 20"}, NULL, NULL, "event more, column 1"));
  PetscCall(check_refused(&(RungEvent){.text = "x[0] - 1"}, NULL, NULL, "holds x; wanted quantities"));
  PetscCall(check_refused(&good, "dt(T)", "1", "its rate follows from the equations; change \"T\""));
  PetscCall(check_refused(&good, "S", "1", "\"S\" is no unknown"));
  PetscCall(check_refused(&good, "T", "vector(1, 2)", "has rank 1, wanted the shape"));
  PetscCall(check_refused(&(RungEvent){.fn = not_a_number}, NULL, NULL, "its function\" is not finite at t = 0"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_ball_bounces_at_exact_times), RUNG_TEST(test_a_thousand_bounces_keep_the_energy),
               RUNG_TEST(test_a_ball_with_drag_bounces_at_reference_times),
               RUNG_TEST(test_a_relay_switches_at_exact_times), RUNG_TEST(test_a_run_that_cannot_leave_a_time_is_told),
               RUNG_TEST(test_bounces_that_pile_up_are_told_with_their_limit),
               RUNG_TEST(test_what_only_just_happens_is_told_from_what_does_not),
               RUNG_TEST(test_events_at_one_time_happen_together), RUNG_TEST(test_ends_of_steps_and_the_start),
               RUNG_TEST(test_a_run_goes_on_behind_the_event_that_ended_it), RUNG_TEST(test_every_method_meets_events),
               RUNG_TEST(test_a_run_with_events_goes_on_bit_for_bit),
               RUNG_TEST(test_a_bar_hits_a_wall_by_events_on_its_tip), RUNG_TEST(test_fields_jump_beside_moving_data),
               RUNG_TEST(test_right_sides_are_values_before_the_event), RUNG_TEST(test_what_is_wrong_is_said))
