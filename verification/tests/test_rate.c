/* test_rate.c - observed orders and their intervals. */
#include "check.h"
#include "rungverify.h"

static PetscErrorCode test_an_exact_power_has_its_order_and_no_width(void)
{
  const PetscReal h[] = {0.2, 0.1, 0.05, 0.025};
  PetscReal       error[4], order, low, high;

  PetscFunctionBegin;
  for (int i = 0; i < 4; ++i) error[i] = 7 * h[i] * h[i] * h[i];
  PetscCall(RungRate(4, h, error, &order, &low, &high));
  CHECK_NEAR(order, 3, 1e-12);
  CHECK_NEAR(low, 3, 1e-6);
  CHECK_NEAR(high, 3, 1e-6);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Slope and standard error of the points (0, 0), (1, 1), (2, 3) are 3/2 and 1/sqrt(12); t_{0.975, 1} = 12.706. */
static PetscErrorCode test_the_interval_is_that_of_student(void)
{
  const PetscReal h[] = {1, PetscExpReal(1), PetscExpReal(2)}, error[] = {1, PetscExpReal(1), PetscExpReal(3)};
  PetscReal       order, low, high;

  PetscFunctionBegin;
  PetscCall(RungRate(3, h, error, &order, &low, &high));
  CHECK_NEAR(order, 1.5, 1e-12);
  CHECK_NEAR(high - order, 12.706 / sqrt(12.), 1e-6);
  CHECK_NEAR(order - low, 12.706 / sqrt(12.), 1e-6);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fourteen points on a line but for d = +-0.1 by turns: the standard error is that of least squares; t_{0.975, 12} = 2.1788. */
static PetscErrorCode test_the_interval_of_many_levels_is_that_of_student(void)
{
  const PetscReal spread = 14. * (14 * 14 - 1) / 12, rest = 0.01 * (14 - 49 / spread);
  PetscReal       h[14], error[14], order, low, high;

  PetscFunctionBegin;
  for (int i = 0; i < 14; ++i) {
    h[i]     = PetscExpReal(i);
    error[i] = PetscExpReal(2 * i + (i % 2 ? -0.1 : 0.1));
  }
  PetscCall(RungRate(14, h, error, &order, &low, &high));
  CHECK_NEAR(order, 2 - 0.7 / spread, 1e-12);
  CHECK_NEAR((high - order) / PetscSqrtReal(rest / (12 * spread)), 2.1788, 2e-3);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_two_levels_have_a_slope_and_no_interval(void)
{
  const PetscReal h[] = {0.2, 0.1}, error[] = {4e-3, 1e-3};
  PetscReal       order, low, high;

  PetscFunctionBegin;
  PetscCall(RungRate(2, h, error, &order, &low, &high));
  CHECK_NEAR(order, 2, 1e-12);
  CHECK(isnan(low) && isnan(high));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_errors_of_zero_have_no_order(void)
{
  const PetscReal h[] = {0.2, 0.1, 0.05}, error[] = {1e-3, 0, 1e-5};
  PetscReal       order, low, high;

  PetscFunctionBegin;
  PetscCall(RungRate(3, h, error, &order, &low, &high));
  CHECK(isnan(order) && isnan(low) && isnan(high));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_an_exact_power_has_its_order_and_no_width),
               RUNG_TEST(test_the_interval_is_that_of_student),
               RUNG_TEST(test_the_interval_of_many_levels_is_that_of_student),
               RUNG_TEST(test_two_levels_have_a_slope_and_no_interval), RUNG_TEST(test_errors_of_zero_have_no_order))
