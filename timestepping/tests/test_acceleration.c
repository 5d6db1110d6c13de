/* test_acceleration.c - central differences and Newmark's method for u'': frequency, the limit of stability, energy over many steps, rigid
   motion, small steps, orders, restarts. */
#include "moving.h"
#include "points.h"

typedef struct {
  const char *options;
  PetscReal   omega, zeta, h;
  PetscInt    steps;
} Run;

/* u'' + 2 zeta omega u' + omega^2 u = 0 from (1, 0): u, v, u'' */
static PetscErrorCode run(const Run *r, PetscReal y[3], RungStepperStatistics *s)
{
  Ode         ode = oscillator(r->omega, r->zeta);
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, r->options));
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGACCELERATION, NULL, 0, r->h * (PetscReal)r->steps, r->h, &stepper));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungStepperSolve(stepper));
  for (PetscInt k = 0; k < 3; ++k) PetscCall(ode_values(stepper, k, 1, &y[k]));
  PetscCall(RungStepperGetStatistics(stepper, s));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u_n+1 - 2 u_n + u_n-1 = -h^2 omega^2 u_n: cos(n phase) with 2 sin(phase/2) = omega h, the phase omega h (1 + (omega h)^2/24 + ..). */
static PetscErrorCode test_the_frequency_is_that_of_central_differences(void)
{
  const Run             r     = {"", 1, 0, 0.5, 200};
  const PetscReal       phase = 2 * asin(0.25);
  RungStepperStatistics s;
  PetscReal             y[3];

  PetscFunctionBegin;
  PetscCall(run(&r, y, &s));
  CHECK_NEAR(y[0], cos(200 * phase), 1e-11);
  CHECK_NEAR(y[1], -sin(200 * phase) * sin(phase) / 0.5, 1e-11); /* (u_n+1 - u_n-1)/2h */
  CHECK_NEAR(phase / 0.5 - 1, 0.25 / 24, 4e-4);
  CHECK(s.steps == 200 && s.newton == 200 && s.factorisations <= 3); /* the start, the check of the step, the steps */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 2/omega, whatever the damping is; Newmark's with beta = 1/12: sqrt(6). */
static PetscErrorCode test_steps_are_stable_up_to_the_limit_and_refused_beyond(void)
{
  static const Run      stable[] = {{"", 1, 0, 1.99, 2000},
                                    {"", 1, 0.1, 1.99, 2000},
                                    {"-stepper_beta 0.083333333333333333", 1, 0, 2.44, 2000},
                                    {"-stepper_beta 0.25", 1, 0, 1000, 2000},
                                    {"-stepper_stable", 1, 0, 3, 20}};
  static const Run      beyond[] = {{"", 1, 0, 2.05, 20}, {"-stepper_beta 0.083333333333333333", 1, 0, 2.5, 20}};
  const Run             insisted = {"-stepper_force", 1, 0, 2.01, 200};
  RungStepperStatistics s;
  PetscReal             y[3];

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(stable); ++i) {
    PetscCall(run(&stable[i], y, &s));
    CHECK(fabs(y[0]) < 20);
  }
  CHECK(s.steps == 32); /* 60 in steps of 1.9 */
  PetscCall(run(&insisted, y, &s));
  CHECK(fabs(y[0]) > 1e10);
  CHECK_RAISES(run(&beyond[0], y, &s),
               "dt = 2.05 is beyond the longest stable step of method \"central_difference\", about 2");
  PetscCall(PetscOptionsClear(NULL));
  CHECK_RAISES(run(&beyond[1], y, &s), "of method \"newmark_acceleration\", about 2.449");
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v_n+1/2 v_n-1/2/2 + omega^2 u_n^2/2 with v_n+-1/2 = v_n +- h u''_n/2 is kept; v a half step off would be wrong by omega h/2. */
static PetscErrorCode test_energy_is_kept_over_many_periods(void)
{
  RungStepperStatistics s;
  PetscReal             first = 0;

  PetscFunctionBegin;
  for (PetscInt n = 1; n <= 10000; n *= 10) {
    const Run       r = {"", 1.5, 0, 0.4, n};
    PetscReal       y[3], energy;
    const PetscReal h = 0.4;

    PetscCall(run(&r, y, &s));
    energy = (y[1] + h * y[2] / 2) * (y[1] - h * y[2] / 2) / 2 + 1.125 * y[0] * y[0];
    if (n == 1) first = energy;
    CHECK_NEAR(energy, first, 1e-12 * first);
  }
  CHECK_NEAR(first, 1.125 * (1 - 0.09), 1e-12); /* v_1/2 v_-1/2 = -(h u''/2)^2 at the start */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With beta = 1/4 the energy itself is kept; so is u'' in steps that a difference of displacements over h^2 would drown. */
static PetscErrorCode test_newmark_keeps_energy_and_the_digits_of_small_steps(void)
{
  const Run             kept = {"-stepper_beta 0.25", 2, 0, 0.3, 5000}, small = {"-stepper_beta 0.25", 1, 0, 1e-8, 20};
  RungStepperStatistics s;
  PetscReal             y[3];

  PetscFunctionBegin;
  PetscCall(run(&kept, y, &s));
  CHECK_NEAR(y[1] * y[1] / 2 + 2 * y[0] * y[0], 2, 2e-12);
  PetscCall(run(&small, y, &s));
  CHECK_NEAR(y[2], -1 + 2e-14, 1e-15);
  CHECK_NEAR(y[1], -2e-7, 1e-20);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_orders_of_an_ode(void)
{
  static const Ladder ladder = {4, 40, 1.5};

  PetscFunctionBegin;
  PetscCall(check_ode_order("central_difference", driven(), &ladder, 2, 1e-3));
  PetscCall(check_ode_order("newmark_acceleration", driven(), &ladder, 2, 1e-3));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_moving_boundary_data_keep_the_order(void)
{
  PetscFunctionBegin;
  PetscCall(check_moving_order("central_difference", &moving_bar, 2, 2));
  PetscCall(check_moving_order("newmark_acceleration", &moving_bar, 2, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_errors_follow_tolerances(void)
{
  PetscFunctionBegin;
  PetscCall(check_tolerances("central_difference", driven(), 50));
  PetscCall(check_tolerances("newmark_acceleration", driven(), 10));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_restart_at_any_step_goes_on_bit_for_bit(void)
{
  PetscFunctionBegin;
  PetscCall(check_restarts("central_difference", driven(), 0));
  PetscCall(check_restarts("newmark_acceleration", driven(), 1e-4));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u and v of  u'' + d u' + sin(u) = 0  at the end */
static PetscErrorCode swing(const char residual[], PetscReal y[2])
{
  static const char *const name[] = {"u"}, *const space[] = {"P0"}, *const start[] = {"1"};
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(points_create(1, name, space, start, residual, &stepper));
  PetscCall(RungStepperSetMethod(stepper, "central_difference"));
  PetscCall(RungStepperSetInterval(stepper, 0, 10, 0.1));
  PetscCall(RungStepperSolve(stepper));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(ode_values(stepper, k, 1, &y[k]));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A length that is to stay holds no force where positions are known: no smaller step mends that, and the text tells it before the run, unless
   the force stands there for nothing. */
static PetscErrorCode test_constraints_on_values_are_refused_with_a_way_out(void)
{
  static const char *const name[] = {"X", "Y", "l"}, *const space[] = {"P0", "P0", "P0"},
                           *const start[] = {"1", "0", "0"};
  static const struct {
    const char *method, *length, *refused;
  } row[] = {{"central_difference", "(X^2 + Y^2 - 1)*r*dx", "and the equation of \"l\" holds neither; take a method"},
             {"rk4", "(X^2 + Y^2 - 1)*r*dx", "and the equation of \"l\" holds neither; take a method"},
             {"rk4", "2*(X*dt(X) + Y*dt(Y))*r*dx", "and the equation of \"l\" holds neither; take a method"},
             {"central_difference", "(X^2 + Y^2 - 1 + if(X > 5, l, 0))*r*dx",
              "knows values and wants what has no rate, as \"l\", to be given by them (index 1); take one that solves "
              "with all of F, as trbdf2"},
             {"central_difference", "2*(X*dt(X) + Y*dt(Y))*r*dx", NULL},
             {"trbdf2", "(X^2 + Y^2 - 1)*r*dx", NULL}};

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    RungStepper stepper;
    RungSystem  sys;

    PetscCall(
      points_create(3, name, space, start, "(dt(X, 2) - 2*l*X)*v*dx + (dt(Y, 2) + 9.81 - 2*l*Y)*q*dx", &stepper));
    PetscCall(RungStepperGetSystem(stepper, &sys));
    PetscCall(RungSystemAddResidual(sys, row[i].length));
    PetscCall(RungStepperSetMethod(stepper, row[i].method));
    PetscCall(RungStepperSetInterval(stepper, 0, 0.1, 0.01));
    if (!row[i].refused)
      PetscCall(RungStepperSolve(stepper));
    else if (strstr(row[i].refused, "neither")) /* `rung check` sees it, too */
      CHECK_RAISES(RungStepperSetUp(stepper), row[i].refused);
    else
      CHECK_RAISES(RungStepperSolve(stepper), row[i].refused);
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v is written once a step where F does not read it: the same but for rounding as where it reads it for nothing, not as where it is damped. */
static PetscErrorCode test_rates_that_nobody_reads_make_no_difference(void)
{
  PetscReal plain[2], read[2], damped[2];

  PetscFunctionBegin;
  PetscCall(swing("(dt(u, 2) + sin(u))*v*dx", plain));
  PetscCall(swing("(dt(u, 2) + 1e-300*dt(u) + sin(u))*v*dx", read));
  PetscCall(swing("(dt(u, 2) + 0.01*dt(u) + sin(u))*v*dx", damped));
  for (int k = 0; k < 2; ++k) {
    CHECK_NEAR(plain[k], read[k], 1e-13);
    CHECK(fabs(plain[k] - damped[k]) > 1e-3);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first step leaves u where it is, since nothing pulls at its start: the velocity tells the size that u is going to have. */
static PetscErrorCode test_rest_is_left_with_tolerances(void)
{
  static const char *const name[] = {"y"}, *const spec[] = {"P0"}, *const initial[] = {"0"};
  static const struct {
    const char *residual;
    PetscReal   y;
  } row[] = {{"(dt(y, 2) - t)*v*dx", 1.0 / 6}, {"(dt(y, 2) - max(0, t - 0.5))*v*dx", 1.0 / 48}};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    RungStepper stepper;
    PetscReal   y;

    PetscCall(points_create(1, name, spec, initial, row[i].residual, &stepper));
    PetscCall(RungStepperSetMethod(stepper, "central_difference"));
    PetscCall(RungStepperSetInterval(stepper, 0, 1, PETSC_DEFAULT));
    PetscCall(RungStepperSetTolerances(stepper, 1e-5, PETSC_DEFAULT));
    PetscCall(points_solve(&stepper, 1, &y, NULL));
    CHECK_NEAR(y, row[i].y,
               3e-4 * row[i].y); /* the estimate of u is of its own order, and rest is left by one step of it */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_rest_is_left_with_tolerances),
               RUNG_TEST(test_the_frequency_is_that_of_central_differences),
               RUNG_TEST(test_steps_are_stable_up_to_the_limit_and_refused_beyond),
               RUNG_TEST(test_energy_is_kept_over_many_periods),
               RUNG_TEST(test_newmark_keeps_energy_and_the_digits_of_small_steps), RUNG_TEST(test_orders_of_an_ode),
               RUNG_TEST(test_moving_boundary_data_keep_the_order), RUNG_TEST(test_errors_follow_tolerances),
               RUNG_TEST(test_constraints_on_values_are_refused_with_a_way_out),
               RUNG_TEST(test_rates_that_nobody_reads_make_no_difference),
               RUNG_TEST(test_a_restart_at_any_step_goes_on_bit_for_bit))
