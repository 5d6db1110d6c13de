/* test_bathe.c - Bathe's method with a chosen spectral radius: the radius, the damping, one matrix, orders, restarts. */
#include "moving.h"

#include <complex.h>

/* u'' + w^2 u = 0 over one step of size 1 from (u, v) = (1, 0): u and v. */
static PetscErrorCode one_step(const char options[], PetscReal omega, PetscInt steps, PetscReal y[2],
                               RungStepperStatistics *s)
{
  Ode         ode = oscillator(omega, 0);
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGBATHE, NULL, 0, (PetscReal)steps, 1, &stepper));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(ode_values(stepper, 0, 1, &y[0]));
  PetscCall(ode_values(stepper, 1, 1, &y[1]));
  PetscCall(RungStepperGetStatistics(stepper, s));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By the formulas of the two parts, in complex form: q = u' + i w u turns by R(i w h). */
static void by_hand(PetscReal rho, PetscReal omega, PetscReal y[2])
{
  const double gamma = rho == 1 ? 0.5 : (2 - sqrt(2 + 2 * rho)) / (1 - rho);
  const double q1 = (rho + 1) / (2 * gamma * (rho - 1) + 4), q2 = 0.5 - gamma * q1, q0 = 1 - q1 - q2;
  const double _Complex z = omega * _Complex_I, g = (1 + gamma / 2 * z) / (1 - gamma / 2 * z);
  const double _Complex r = (1 + q0 * z + q1 * z * g) / (1 - q2 * z);

  y[0] = creal(r);
  y[1] = -omega * cimag(r);
}

static PetscErrorCode test_a_step_is_that_by_hand_with_one_matrix(void)
{
  static const char *const options[] = {"", "-stepper_rho_inf 0", "-stepper_rho_inf 0.4", "-stepper_rho_inf 1"};
  static const PetscReal   rho[]     = {0, 0, 0.4, 1};

  PetscFunctionBegin;
  for (int i = 0; i < 4; ++i) {
    RungStepperStatistics s;
    PetscReal             y[2], wanted[2];

    PetscCall(one_step(options[i], 1.3, 1, y, &s));
    by_hand(rho[i], 1.3, wanted);
    CHECK_NEAR(y[0], wanted[0], 1e-14);
    CHECK_NEAR(y[1], wanted[1], 1e-14);
    CHECK(s.newton == 2);
    PetscCall(one_step(options[i], 1.3, 6, y, &s));
    CHECK(s.newton == 12 && s.factorisations == 1); /* slopes of both parts are the same number */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_radius_at_infinity_is_the_one_asked_for(void)
{
  RungStepperStatistics s;
  PetscReal             y[2];

  PetscFunctionBegin;
  PetscCall(one_step("-stepper_rho_inf 0.4", 1e7, 4, y, &s));
  CHECK_NEAR(hypot(y[0], y[1] / 1e7), pow(0.4, 4), 1e-6);
  PetscCall(one_step("", 1e7, 4, y, &s));
  CHECK(hypot(y[0], y[1] / 1e7) < 1e-12);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_orders_of_odes(void)
{
  static const Ladder ladder = {4, 20, 1.5};

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    const char *const method = i ? "rho_bathe" : "bathe";

    PetscCall(check_ode_order(method, kaps(), &ladder, 2, 5e-4));
    PetscCall(check_ode_order(method, driven(), &ladder, 2, 1e-3));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_moving_boundary_data_keep_the_order(void)
{
  PetscFunctionBegin;
  PetscCall(check_moving_order("bathe", &moving_bar, 2, 1));
  PetscCall(check_moving_order("rho_bathe", &moving_bar, 2, 1));
  PetscCall(check_moving_order("bathe", &moving_heat, 2, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_errors_follow_tolerances(void)
{
  PetscFunctionBegin;
  PetscCall(check_tolerances("bathe", kaps(), 10));
  PetscCall(check_tolerances("bathe", driven(), 10));
  PetscCall(check_tolerances("rho_bathe", driven(), 10));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_restart_at_any_step_goes_on_bit_for_bit(void)
{
  PetscFunctionBegin;
  PetscCall(check_restarts("bathe", driven(), 0));
  PetscCall(check_restarts("rho_bathe", kaps(), 1e-4));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_step_is_that_by_hand_with_one_matrix),
               RUNG_TEST(test_the_radius_at_infinity_is_the_one_asked_for), RUNG_TEST(test_orders_of_odes),
               RUNG_TEST(test_moving_boundary_data_keep_the_order), RUNG_TEST(test_errors_follow_tolerances),
               RUNG_TEST(test_a_restart_at_any_step_goes_on_bit_for_bit))
