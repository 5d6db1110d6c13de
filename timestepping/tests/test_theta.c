/* test_theta.c - theta and Crank-Nicolson with a damped start: a step by hand, orders, rough data, algebraic unknowns, tolerances. */
#include "moving.h"

/* u' = -l u, z = -l h: R = (1 + (1 - theta) z)/(1 - theta z); two half steps of Euler's method: 1/(1 - z/2)^2 */
static PetscErrorCode decay(const char options[], PetscReal l, PetscReal dt, PetscInt steps, PetscReal rtol,
                            PetscReal *y, RungStepperStatistics *s)
{
  Ode         ode = relaxation(l, 1);
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGTHETA, NULL, 0, dt * (PetscReal)steps, dt, &stepper));
  if (rtol > 0) PetscCall(RungStepperSetTolerances(stepper, rtol, rtol));
  RungCallOrUndo(RungStepperSetFromOptions(stepper), PetscCall(RungStepperDestroy(&stepper)));
  RungCallOrUndo(RungStepperSolve(stepper), PetscCall(RungStepperDestroy(&stepper)));
  PetscCall(ode_values(stepper, 0, 1, y));
  PetscCall(RungStepperGetStatistics(stepper, s));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_steps_are_those_by_hand(void)
{
  const PetscReal       z = -0.3, start = PetscPowRealInt(1 / (1 - z / 2), 4);
  RungStepperStatistics s;
  PetscReal             y;

  PetscFunctionBegin;
  PetscCall(decay("-stepper_theta 0.7", 3, 0.1, 5, 0, &y, &s));
  CHECK_NEAR(y, pow((1 + 0.3 * z) / (1 - 0.7 * z), 5), 1e-14);
  PetscCall(decay("", 3, 0.1, 5, 0, &y, &s));
  CHECK_NEAR(y, start * pow((1 + z / 2) / (1 - z / 2), 3), 1e-14);
  CHECK(s.steps == 5 && s.factorisations == 1 && s.newton == 7); /* two solves in each of the first two steps */
  PetscCall(decay("-stepper_damped_steps 0", 3, 0.1, 5, 0, &y, &s));
  CHECK_NEAR(y, pow((1 + z / 2) / (1 - z / 2), 5), 1e-14);
  CHECK(s.newton == 5);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is fast at the start is gone: (1/(1 - z/2))^4 R^n, where R^n alone alternates about its first value. */
static PetscErrorCode test_the_start_damps_what_is_rough(void)
{
  RungStepperStatistics s;
  PetscReal             y;

  PetscFunctionBegin;
  PetscCall(decay("", 1e6, 1, 9, 0, &y, &s));
  CHECK(fabs(y) < 1e-20);
  PetscCall(decay("-stepper_damped_steps 0", 1e6, 1, 9, 0, &y, &s));
  CHECK_NEAR(y, -1, 1e-4);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_orders_of_odes(void)
{
  static const Ladder ladder = {4, 40, 1.5};

  PetscFunctionBegin;
  PetscCall(check_ode_order("crank_nicolson", kaps(), &ladder, 2, 5e-4));
  PetscCall(check_ode_order("crank_nicolson", driven(), &ladder, 2, 2e-3));
  PetscCall(check_ode_order("theta", kaps(), &ladder, 1, 1e-2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_moving_boundary_data_keep_the_order(void)
{
  PetscFunctionBegin;
  PetscCall(check_moving_order("crank_nicolson", &moving_heat, 2, 1));
  PetscCall(check_moving_order("crank_nicolson", &moving_bar, 2, 1));
  PetscCall(check_moving_order("theta", &moving_heat, 1, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Averaged equations would leave z with an error that alternates for ever. */
static PetscErrorCode test_algebraic_unknowns_have_order_2_and_do_not_alternate(void)
{
  PetscReal h[4], error[4];

  PetscFunctionBegin;
  for (PetscInt l = 0; l < 4; ++l) {
    PetscReal both[2];

    h[l] = 1 / (PetscReal)(8 << l);
    PetscCall(index_1("crank_nicolson", 8 << l, both));
    error[l] = both[1];
    PetscCall(index_1("crank_nicolson", (8 << l) + 1, both)); /* an odd number of steps: no other sign */
    CHECK(both[1] < 1.2 * error[l]);
  }
  CHECK_ORDER("z", 4, h, error, 2, 0.3, 0.3);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_errors_follow_tolerances(void)
{
  PetscFunctionBegin;
  PetscCall(check_tolerances("crank_nicolson", kaps(), 20));
  PetscCall(check_tolerances("crank_nicolson", driven(), 10));
  PetscCall(check_tolerances("theta", kaps(), 50));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_restart_at_any_step_goes_on_bit_for_bit(void)
{
  PetscFunctionBegin;
  PetscCall(check_restarts("crank_nicolson", kaps(), 0));
  PetscCall(check_restarts("crank_nicolson", driven(), 1e-4));
  PetscCall(check_restarts("theta", kaps(), 1e-3));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_options_of_the_other_method_are_refused(void)
{
  RungStepperStatistics s;
  PetscReal             y;

  PetscFunctionBegin;
  CHECK_RAISES(decay("-stepper_method crank_nicolson -stepper_theta 0.6", 1, 0.1, 1, 0, &y, &s),
               "-stepper_theta is that of method theta, not of \"crank_nicolson\"");
  PetscCall(PetscOptionsClear(NULL));
  CHECK_RAISES(decay("-stepper_theta 0.4", 1, 0.1, 1, 0, &y, &s), "-stepper_theta is 0.4");
  PetscCall(PetscOptionsClear(NULL));
  CHECK_RAISES(decay("-stepper_method theta -stepper_damped_steps 1", 1, 0.1, 1, 0, &y, &s),
               "are those of method crank_nicolson");
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_steps_are_those_by_hand), RUNG_TEST(test_the_start_damps_what_is_rough),
               RUNG_TEST(test_orders_of_odes), RUNG_TEST(test_moving_boundary_data_keep_the_order),
               RUNG_TEST(test_algebraic_unknowns_have_order_2_and_do_not_alternate),
               RUNG_TEST(test_errors_follow_tolerances), RUNG_TEST(test_a_restart_at_any_step_goes_on_bit_for_bit),
               RUNG_TEST(test_options_of_the_other_method_are_refused))
