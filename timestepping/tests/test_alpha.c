/* test_alpha.c - Newmark, HHT, WBZ, generalized-alpha and JWH: known errors, spectra, energy, step changes, estimates. */
#include "../step_impl.h"
#include "ode.h"

static PetscErrorCode run(Ode *ode, const char method[], PetscReal rho, PetscReal t1, PetscReal dt,
                          RungStepper *stepper)
{
  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, ode, RUNGALPHA, method, 0, t1, dt, stepper));
  PetscCall(RungStepperAlphaSetRadius(*stepper, rho));
  PetscCall(RungStepperSolve(*stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Relative errors at t = 1, computed from the recursions. */
static PetscErrorCode test_relaxation_errors_are_the_known_ones(void)
{
  static const double row[][3] = {{0, 1.739e-4, 4.799e-5},
                                  {0.2, 1.986e-4, 5.090e-5},
                                  {0.5, 2.072e-4, 5.194e-5},
                                  {0.9, 2.085e-4, 5.209e-5},
                                  {1, 2.084e-4, 5.209e-5}};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    for (int j = 0; j < 2; ++j) {
      Ode         ode = relaxation(1, 1);
      RungStepper stepper;
      PetscReal   y;

      PetscCall(run(&ode, "chung_hulbert", row[i][0], 1, j ? 0.025 : 0.05, &stepper));
      PetscCall(ode_values(stepper, 0, 1, &y));
      CHECK_NEAR(fabs(y - exp(-1)) / exp(-1), row[i][j + 1], 1e-3 * row[i][j + 1]);
      PetscCall(RungStepperDestroy(&stepper));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u'' + 2 zeta u' + u = 0 from (1, 0) at t = 1. */
static double oscillator_exact(double zeta)
{
  const double w = sqrt(1 - zeta * zeta);

  return exp(-zeta) * (cos(w) + zeta / w * sin(w));
}

static PetscErrorCode test_oscillator_errors_are_the_known_ones(void)
{
  static const struct {
    const char *method;
    double      rho, zeta, error[2];
  } row[] = {{"newmark", 1, 0, {5.155e-3, 1.296e-3}},         {"chung_hulbert", 0, 0, {1.979e-2, 5.907e-3}},
             {"chung_hulbert", 0.2, 0, {1.266e-2, 3.514e-3}}, {"chung_hulbert", 0.5, 0, {7.351e-3, 1.895e-3}},
             {"chung_hulbert", 0.9, 0, {5.217e-3, 1.311e-3}}, {"chung_hulbert", 1, 0, {5.155e-3, 1.296e-3}},
             {"newmark", 1, 0.1, {4.925e-3, 1.237e-3}},       {"chung_hulbert", 1, 0.1, {4.925e-3, 1.237e-3}}};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    for (int j = 0; j < 2; ++j) {
      Ode          ode = oscillator(1, row[i].zeta);
      RungStepper  stepper;
      const double exact = oscillator_exact(row[i].zeta);
      PetscReal    y;

      PetscCall(run(&ode, row[i].method, row[i].rho, 1, j ? 0.1 : 0.2, &stepper));
      PetscCall(ode_values(stepper, 0, 1, &y));
      CHECK_NEAR(fabs(y - exact) / exact, row[i].error[j], 1e-3 * row[i].error[j]);
      PetscCall(RungStepperDestroy(&stepper));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- spectra ---------------------------------------------------------------------------------------------------- */

/* Carried a_n by the definition of the recursion: three consecutive u of a run obey the characteristic polynomial. */
static PetscErrorCode keep_values(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  const PetscScalar *y;

  PetscFunctionBegin;
  (void)stepper, (void)t;
  PetscCall(VecGetArrayRead(u[0], &y));
  ((PetscReal *)ctx)[step] = y[0];
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Omega^2 (x + rho)^3 + (1 + rho)^2 (x - 1)^2 ((2 - rho) x - (1 - 2 rho)) = 0 for chung_hulbert: applied to u_n .. u_n+3. */
static PetscErrorCode test_characteristic_polynomial_of_chung_hulbert(void)
{
  static const double rhos[] = {0, 0.3, 0.5, 0.9, 1};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(rhos); ++i) {
    const double r = rhos[i], O = 1.7, q = (1 + r) * (1 + r);
    const double c3 = O * O + q * (2 - r), c2 = 3 * r * O * O - q * (1 - 2 * r) - 2 * q * (2 - r);
    const double c1 = 3 * r * r * O * O + 2 * q * (1 - 2 * r) + q * (2 - r), c0 = r * r * r * O * O - q * (1 - 2 * r);
    Ode          ode = oscillator(O, 0);
    RungStepper  stepper;
    PetscReal    y[16];

    PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGALPHA, "chung_hulbert", 0, 10, 1, &stepper));
    PetscCall(RungStepperAlphaSetRadius(stepper, r));
    PetscCall(RungStepperAddMonitor(stepper, keep_values, y));
    PetscCall(RungStepperSolve(stepper));
    for (int n = 0; n < 7; ++n) CHECK_NEAR((c3 * y[n + 3] + c2 * y[n + 2] + c1 * y[n + 1] + c0 * y[n]) / c3, 0, 1e-12);
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 2 z (x + rho)^2 = (1 + rho) (x - 1) ((3 - rho) x + 3 rho - 1), z = -lambda h, for JWH. */
static PetscErrorCode test_characteristic_polynomial_of_jwh(void)
{
  static const double rhos[] = {0, 0.3, 0.5, 0.9, 1};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(rhos); ++i) {
    const double r = rhos[i], z = -0.8;
    const double c2 = 2 * z - (1 + r) * (3 - r), c1 = 4 * z * r - (1 + r) * (3 * r - 1) + (1 + r) * (3 - r);
    const double c0  = 2 * z * r * r + (1 + r) * (3 * r - 1);
    Ode          ode = relaxation(0.8, 1);
    RungStepper  stepper;
    PetscReal    y[16];

    PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGALPHA, NULL, 0, 10, 1, &stepper));
    PetscCall(RungStepperAlphaSetRadius(stepper, r));
    PetscCall(RungStepperAddMonitor(stepper, keep_values, y));
    PetscCall(RungStepperSolve(stepper));
    for (int n = 0; n < 8; ++n) CHECK_NEAR((c2 * y[n + 2] + c1 * y[n + 1] + c0 * y[n]) / c2, 0, 1e-13);
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode energy_root(PetscReal rho, PetscReal omega, PetscReal dt, PetscReal steps, PetscReal *root)
{
  Ode         ode = oscillator(omega, 0);
  RungStepper stepper;
  PetscReal   u, v;

  PetscFunctionBegin;
  PetscCall(run(&ode, "chung_hulbert", rho, steps * dt, dt, &stepper));
  PetscCall(ode_values(stepper, 0, 1, &u));
  PetscCall(ode_values(stepper, 1, 1, &v));
  *root = sqrt(u * u + v * v / (omega * omega));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* omega dt = 100, 20 steps: what the highest frequency keeps of sqrt(E). */
static PetscErrorCode test_dissipation_at_high_frequency(void)
{
  PetscReal root;

  PetscFunctionBegin;
  PetscCall(energy_root(1, 1000, 0.1, 20, &root));
  CHECK_NEAR(root, 1, 1e-12);
  PetscCall(energy_root(0.5, 1000, 0.1, 20, &root));
  CHECK_NEAR(root, 1.343e-4, 1e-3 * 1.343e-4);
  PetscCall(energy_root(0, 1000, 0.1, 20, &root));
  CHECK(root < 1e-20);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_average_acceleration_keeps_the_energy(void)
{
  PetscReal root;

  PetscFunctionBegin;
  PetscCall(energy_root(1, 6.283185307179586, 0.05, 2000, &root));
  CHECK_NEAR(root * root, 1, 1e-12 * sqrt(2000));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- orders ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode driven_order(const char method[], PetscReal rho, PetscBool blended, PetscReal order)
{
  PetscReal h[5], error[5];

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_alpha_form", blended ? "blended" : "endpoint"));
  for (PetscInt i = 0; i < 5; ++i) {
    Ode         ode = driven();
    RungStepper stepper;
    PetscReal   u, v;

    h[i] = 1 / (40 * pow(2, (double)i));
    PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGALPHA, method, 0, 1, h[i], &stepper));
    PetscCall(RungStepperAlphaSetRadius(stepper, rho));
    PetscCall(RungStepperSetFromOptions(stepper));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(ode_values(stepper, 0, 1, &u));
    PetscCall(ode_values(stepper, 1, 1, &v));
    error[i] = hypot(u - 1 - sin(2) / 2, v - cos(2));
    PetscCall(RungStepperDestroy(&stepper));
  }
  CHECK_ORDER(method, 5, h, error, order, 0.15, 0.15);
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_alpha_form"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_nonlinear_orders_of_all_methods_and_forms(void)
{
  PetscFunctionBegin;
  for (int blended = 0; blended < 2; ++blended) {
    PetscCall(driven_order("newmark", 1, blended, 2));
    PetscCall(driven_order("newmark", 0.5, blended, 1));
    PetscCall(driven_order("hht", 0.6, blended, 2));
    PetscCall(driven_order("wbz", 0.3, blended, 2));
    PetscCall(driven_order("chung_hulbert", 0, blended, 2));
    PetscCall(driven_order("chung_hulbert", 0.8, blended, 2));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u'' of the level itself is of order 2, that is why it is not the carried a. */
static PetscErrorCode test_acceleration_of_a_level_has_order_2(void)
{
  PetscReal h[5], error[5];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 5; ++i) {
    Ode         ode = driven();
    RungStepper stepper;
    PetscReal   a;

    h[i] = 1 / (40 * pow(2, (double)i));
    PetscCall(run(&ode, "chung_hulbert", 0.5, 1, h[i], &stepper));
    PetscCall(ode_values(stepper, 2, 1, &a));
    error[i] = fabs(a + 2 * sin(2));
    PetscCall(RungStepperDestroy(&stepper));
  }
  CHECK_ORDER("u''", 5, h, error, 2, 0.15, 0.15);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps alternate as 1 : 0.4; Solve goes on where a former one ended. */
static PetscErrorCode alternating(Ode ode, PetscReal rho, PetscInt pairs, PetscReal *error)
{
  const PetscReal big = 1 / (1.4 * (PetscReal)pairs);
  RungStepper     stepper;
  PetscReal       y[3], t = 0;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGALPHA, "chung_hulbert", 0, 1, 1, &stepper));
  PetscCall(RungStepperAlphaSetRadius(stepper, rho));
  for (PetscInt i = 0; i < 2 * pairs; ++i) {
    const PetscInt  pair = (i + 1) / 2;
    const PetscReal next = (PetscReal)pair * 1.4 * big + (i % 2 ? 0 : big);

    PetscCall(RungStepperSetInterval(stepper, t, next, next - t));
    PetscCall(RungStepperSolve(stepper));
    t = next;
  }
  PetscCall(ode_values(stepper, 0, ode.local, y));
  *error = ode.order == 2 ? fabs(y[0] - 1 - sin(2) / 2) : fabs(y[2] - 1 / (2 - sin(1)));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_alternating_steps_keep_order_2(void)
{
  static const double rhos[] = {0, 0.5, 0.8};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(rhos); ++i) {
    PetscReal h[4], first[4], second[4];

    for (PetscInt j = 0; j < 4; ++j) {
      const PetscInt pairs = 20 * (1 << j);

      h[j] = 1 / (PetscReal)pairs;
      PetscCall(alternating(kaps(), rhos[i], pairs, &first[j]));
      PetscCall(alternating(driven(), rhos[i], pairs, &second[j]));
    }
    CHECK_ORDER("order 1", 4, h, first, 2, 0.2, 0.2);
    CHECK_ORDER("order 2", 4, h, second, 2, 0.2, 0.5);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- estimates -------------------------------------------------------------------------------------------------- */

static PetscErrorCode test_adaptive_error_follows_the_tolerance(void)
{
  static const double tolerance[] = {1e-4, 1e-5, 1e-6, 1e-7};
  PetscReal           tol[4], first[4], second[4];

  PetscFunctionBegin;
  for (int i = 0; i < 4; ++i) {
    Ode         one = kaps(), two = driven();
    RungStepper stepper;
    PetscReal   y[3];

    tol[i] = tolerance[i];
    PetscCall(ode_stepper(PETSC_COMM_SELF, &one, RUNGALPHA, NULL, 0, 4, 0.01, &stepper));
    PetscCall(RungStepperSetTolerances(stepper, tol[i], tol[i]));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(ode_values(stepper, 0, 3, y));
    first[i] = fabs(y[2] - 1 / (2 - sin(4)));
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(ode_stepper(PETSC_COMM_SELF, &two, RUNGALPHA, NULL, 0, 4, 0.01, &stepper));
    PetscCall(RungStepperSetTolerances(stepper, tol[i], tol[i]));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(ode_values(stepper, 0, 1, y));
    second[i] = fabs(y[0] - 1 - sin(8) / 2);
    PetscCall(RungStepperDestroy(&stepper));
  }
  CHECK_NEAR(first[2], 0, 30 * tol[2]);
  CHECK_NEAR(second[2], 0, 200 * tol[2]);
  CHECK_ORDER("order 1", 4, tol, first, 2.0 / 3, 0.42, 0.4);
  CHECK_ORDER("order 2", 4, tol, second, 2.0 / 3, 0.4, 0.4);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- refusals --------------------------------------------------------------------------------------------------- */

static PetscErrorCode test_parameters_out_of_range_are_refused(void)
{
  Ode         ode = oscillator(1, 0), first = relaxation(1, 1);
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGALPHA, "hht", 0, 1, 0.1, &stepper));
  CHECK_RAISES(RungStepperAlphaSetRadius(stepper, 1.1), "rho_inf is 1.1, wanted a number in [0, 1]");
  CHECK_RAISES(RungStepperAlphaSetNewmark(stepper, 0, 0.5), "beta is 0., wanted a positive number");
  PetscCall(RungStepperAlphaSetRadius(stepper, 0.4));
  CHECK_RAISES(RungStepperSolve(stepper), "hht with rho_inf = 0.4, wanted a number in [1/2, 1]");
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGALPHA, NULL, 0, 1, 0.1, &stepper));
  PetscCall(RungStepperAlphaSetNewmark(stepper, 0.25, 0.4));
  CHECK_RAISES(RungStepperSolve(stepper), "gamma is 0.4, and below 0.5");
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGALPHA, NULL, 0, 1, 0.1, &stepper));
  PetscCall(RungStepperAlphaSetNewmark(stepper, 1.0 / 6, 0.5));
  PetscCall(RungStepperSetTolerances(stepper, 1e-3, 1e-3));
  CHECK_RAISES(RungStepperSolve(stepper), "beta is 1/6, for which the error estimate vanishes");
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(ode_stepper(PETSC_COMM_SELF, &first, RUNGALPHA, "wbz", 0, 1, 0.1, &stepper));
  CHECK_RAISES(RungStepperSolve(stepper), "alpha method \"wbz\" advances systems of order 2, this one has order 1");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_beta_and_gamma_imply_newmark_and_exclude_a_radius(void)
{
  Ode         ode = oscillator(1, 0);
  RungStepper stepper;
  const char *method;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGALPHA, NULL, 0, 1, 0.1, &stepper));
  PetscCall(RungStepperAlphaSetRadius(stepper, 0.5));
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_beta", "0.3025"));
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_gamma", "0.6"));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungStepperGetMethod(stepper, &method, NULL));
  CHECK(!strcmp(method, "newmark"));
  PetscCall(PetscOptionsSetValue(NULL, "-stepper_rho_inf", "0.5"));
  CHECK_RAISES(RungStepperSetFromOptions(stepper), "-stepper_rho_inf beside -stepper_beta or -stepper_gamma");
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_beta"));
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_gamma"));
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_rho_inf"));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_relaxation_errors_are_the_known_ones),
               RUNG_TEST(test_oscillator_errors_are_the_known_ones),
               RUNG_TEST(test_characteristic_polynomial_of_chung_hulbert),
               RUNG_TEST(test_characteristic_polynomial_of_jwh), RUNG_TEST(test_dissipation_at_high_frequency),
               RUNG_TEST(test_average_acceleration_keeps_the_energy),
               RUNG_TEST(test_nonlinear_orders_of_all_methods_and_forms),
               RUNG_TEST(test_acceleration_of_a_level_has_order_2), RUNG_TEST(test_alternating_steps_keep_order_2),
               RUNG_TEST(test_adaptive_error_follows_the_tolerance),
               RUNG_TEST(test_parameters_out_of_range_are_refused),
               RUNG_TEST(test_beta_and_gamma_imply_newmark_and_exclude_a_radius))
