/* test_event_find.c - where numbers go through zero: balls and a relay against exact times, ceilings that are only just reached or missed. */
#include "events.h"

/* reference_values: (2n + 1) T, and where the ball is at t = 10 */
static PetscErrorCode test_a_ball_bounces_at_exact_times(void)
{
  static const struct {
    const char *method;
    PetscReal   rtol, close;
  } rows[] = {{"dopri54", 1e-9, 1e-12}, {"esdirk43", 0, 1e-12}, {"newmark", 0, 1e-12}, {"bdf2", 0, 0.05}};

  PetscFunctionBegin;
  for (size_t i = 0; i < (check_alone() ? PETSC_STATIC_ARRAY_LENGTH(rows) : 1); ++i) {
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

/* Last digits of the time on the floor differ, so that landings do that end a rounding above it, below it and on it. */
static PetscErrorCode test_balls_of_many_heights_miss_no_bounce(void)
{
  static const struct {
    const char *method;
    PetscInt    first, end;
    PetscReal   rtol;
  } row[] = {{"dopri54", 3800, 3950, 1e-9}, {"esdirk43", 0, 20, 0}, {"newmark", 0, 20, 0}};

  PetscFunctionBegin;
  for (size_t r = 0; r < (check_alone() ? PETSC_STATIC_ARRAY_LENGTH(row) : 0); ++r) {
    for (PetscInt i = row[r].first; i < row[r].end; ++i) {
      const PetscReal  height = 0.5 + 0.00131 * (PetscReal)i, fall = sqrt(2 * height / G);
      RungStepper      stepper;
      RungSystem       sys;
      char             text[64];
      const PetscReal *t;
      PetscInt         n;

      PetscCall(ball("", 1, row[r].method, 7.5 * fall, 0.1, row[r].rtol, &stepper));
      PetscCall(RungStepperGetSystem(stepper, &sys));
      (void)snprintf(text, sizeof text, "%.17g", height);
      PetscCall(RungSystemSetInitial(sys, "y", text));
      PetscCall(RungStepperSolve(stepper));
      PetscCall(RungStepperGetEvent(stepper, "bounce", &n, &t));
      if (n != 4) fprintf(stderr, "from %.17g by %s %d bounces: ", height, row[r].method, (int)n);
      CHECK(n == 4);
      for (PetscInt k = 0; k < n; ++k) CHECK_NEAR(t[k], (2 * k + 1) * fall, 1e-11 * (2 * k + 1) * fall);
      PetscCall(RungStepperDestroy(&stepper));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sin(pi t) is 0 at the beginning and a rounding above 0 at the end of the first step, which does not meet it. */
static PetscErrorCode test_what_has_left_zero_and_comes_back_to_it_at_the_end_of_a_step_is_awake(void)
{
  RungStepper      stepper;
  RungSystem       sys;
  const PetscReal *t;
  PetscInt         n;

  PetscFunctionBegin;
  PetscCall(ball("", 1, "newmark", 4.5, 1, 0, &stepper));
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(RungSystemSetInitial(sys, "y", "1000")); /* no floor */
  PetscCall(RungStepperAddEvent(stepper, "wave", &(RungEvent){.text = "sin(pi*t)", .direction = RUNG_FALLING}));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetEvent(stepper, "wave", &n, &t));
  CHECK(n == 2);
  for (PetscInt k = 0; k < PetscMin(n, 2); ++k) CHECK_NEAR(t[k], 2 * k + 1, 1e-12);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_thousand_bounces_keep_the_energy(void)
{
  RungStepper stepper;
  PetscReal   energy;
  PetscInt    n;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
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
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
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

static PetscErrorCode test_a_relay_switches_at_exact_times(void)
{
  RungStepper      stepper;
  const PetscReal *warm, *cold;
  PetscReal        t = log(20. / 8);
  PetscInt         n, m;

  PetscFunctionBegin;
  PetscCall(relay(18, 22, check_alone() ? 5 : 2, &stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetEvent(stepper, "warm", &n, &warm));
  PetscCall(RungStepperGetEvent(stepper, "cold", &m, &cold));
  CHECK(check_alone() ? n == 7 && m == 7 : n == 2 && m == 2);
  for (PetscInt i = 0; i < PetscMin(n - 1, m); ++i) {
    CHECK_NEAR(warm[i], t, 1e-9 * t);
    t += log(22. / 18);
    CHECK_NEAR(cold[i], t, 1e-9 * t);
    t += log(12. / 8);
  }
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
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
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

/* Fixed steps of length 1; pairs of zeros 1e-3 apart at many places, and those of an oscillation whose period is a third of a step. */
static PetscErrorCode clock_with(const char g[], PetscReal t1, RungEventDirection direction, RungStepper *stepper)
{
  static const char *const name[] = {"T"}, *const space[] = {"P0"}, *const start[] = {"0"};

  PetscFunctionBegin;
  PetscCall(points_create(1, name, space, start, "dt(T)*v*dx - v*dx", stepper));
  PetscCall(RungStepperSetMethod(*stepper, "esdirk43"));
  PetscCall(RungStepperSetInterval(*stepper, 0, t1, 1));
  PetscCall(RungStepperAddEvent(*stepper, "zero", &(RungEvent){.text = g, .direction = direction}));
  PetscCall(RungStepperSetFromOptions(*stepper));
  PetscCall(RungStepperSolve(*stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_zeros_between_the_places_of_a_step_are_found(void)
{
  const PetscReal *t;
  RungStepper      stepper;
  PetscInt         n, k = 0;
  char             text[128];

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscReal a = 0.0103; a < 1; a += 0.0611) {
    (void)snprintf(text, sizeof text, "(t - %.17g)*(t - %.17g)*(1 + 3*t^2)*(2 - t)", a, a + 1e-3);
    PetscCall(clock_with(text, 1, RUNG_BOTH, &stepper));
    PetscCall(RungStepperGetEvent(stepper, "zero", &n, &t));
    CHECK(n == 2);
    if (n == 2) CHECK_NEAR(t[0], a, 1e-12);
    if (n == 2) CHECK_NEAR(t[1], a + 1e-3, 1e-12);
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscCall(clock_with("sin(20*t + 0.3) - 0.2", 5, RUNG_FALLING, &stepper));
  PetscCall(RungStepperGetEvent(stepper, "zero", &n, &t));
  for (PetscReal zero = 0; zero < 5; ++k) {
    zero = ((2 * (PetscReal)k + 1) * PETSC_PI - asin(0.2) - 0.3) / 20;
    if (zero < 5 && k < n) CHECK_NEAR(t[k], zero, 1e-12);
  }
  CHECK(n == k - 1);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A narrow dip in the middle between two 32nds of a step of 1. */
static PetscErrorCode test_a_dip_that_no_place_shows_is_seen_by_more_places(void)
{
  static const char *const parts[] = {NULL, "64"};

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    const PetscReal *t;
    RungStepper      stepper;
    PetscInt         n;

    if (parts[i]) PetscCall(PetscOptionsSetValue(NULL, "-stepper_event_parts", parts[i]));
    PetscCall(clock_with("1 - 2*exp(-((t - 0.421875)/0.003)^2)", 1, RUNG_FALLING, &stepper));
    PetscCall(PetscOptionsClearValue(NULL, "-stepper_event_parts"));
    PetscCall(RungStepperGetEvent(stepper, "zero", &n, &t));
    CHECK(n == i);
    if (n == 1) CHECK_NEAR(t[0], 0.421875 - 0.003 * sqrt(log(2)), 1e-12);
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_dip_that_no_place_shows_is_seen_by_more_places),
               RUNG_TEST(test_a_ball_bounces_at_exact_times), RUNG_TEST(test_balls_of_many_heights_miss_no_bounce),
               RUNG_TEST(test_what_has_left_zero_and_comes_back_to_it_at_the_end_of_a_step_is_awake),
               RUNG_TEST(test_a_thousand_bounces_keep_the_energy),
               RUNG_TEST(test_a_ball_with_drag_bounces_at_reference_times),
               RUNG_TEST(test_a_relay_switches_at_exact_times),
               RUNG_TEST(test_what_only_just_happens_is_told_from_what_does_not),
               RUNG_TEST(test_zeros_between_the_places_of_a_step_are_found))
