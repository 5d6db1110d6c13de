/* test_control.c - the step-size law, and that errors follow tolerances by it: one method of each family (test_proportion.c: all). */
#include "../step_impl.h"
#include "proportion.h"

/* error = (h/0.1)^3: the controller must settle where the safety factor puts it. */
static PetscErrorCode test_the_step_settles_below_the_tolerance(void)
{
  RungControl control;

  PetscFunctionBegin;
  RungControlStart(&control, 1e-6, 3, 5, 0, PETSC_FALSE);
  for (int n = 0; n < 100; ++n) {
    const PetscReal error = pow(control.h / 0.1, 3);

    if (error <= 1)
      RungControlAccept(&control, control.h, error, PETSC_FALSE);
    else
      RungControlReject(&control, control.h, error);
  }
  CHECK_NEAR(control.h, 0.09, 1e-4);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two errors a and b: first 0.9 a^(-1/3), then rho = (0.9^6/(a b))^(1/12) ratio^(-1/4), limited by 1 + atan(rho - 1). */
static PetscErrorCode test_the_filter_remembers_error_and_ratio(void)
{
  const double a = 0.2, b = 0.05, first = 0.9 * pow(a, -1.0 / 3);
  const double rho = pow(pow(0.9, 6) / (a * b), 1.0 / 12) * pow(first, -0.25);
  RungControl  control;

  PetscFunctionBegin;
  RungControlStart(&control, 1, 3, 5, 0, PETSC_FALSE);
  RungControlAccept(&control, 1, a, PETSC_FALSE);
  CHECK_NEAR(control.h, first, 1e-14);
  RungControlAccept(&control, 1, b, PETSC_FALSE);
  CHECK_NEAR(control.h, 1 + atan(rho - 1), 1e-14);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whatever the errors say: from the third refusal on, of explicit methods from the second. */
static PetscErrorCode test_refusals_again_and_again_take_a_quarter_of_the_step(void)
{
  RungControl control;

  PetscFunctionBegin;
  for (int unstable = 0; unstable < 2; ++unstable) {
    PetscReal h = 1;

    RungControlStart(&control, h, 3, 5, 0, unstable ? PETSC_TRUE : PETSC_FALSE);
    for (int n = unstable; n < 3; ++n) {
      h = control.h;
      RungControlReject(&control, h, pow(2, 3 - n));
    }
    CHECK_NEAR(control.h, 0.25 * h, 1e-14);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* .9 e_n^(-.85/k) e_n-1^(.2/k) with e_n-1 at least 1e-4, kept through a refusal; the filter with orders above 5. */
static PetscErrorCode test_explicit_methods_settle_at_their_limit(void)
{
  RungControl control;

  PetscFunctionBegin;
  RungControlStart(&control, 1, 5, 5, 0, PETSC_TRUE);
  RungControlAccept(&control, 1, 0.2, PETSC_FALSE);
  CHECK_NEAR(control.h, 0.9 * pow(0.2, -0.17), 1e-14);
  RungControlReject(&control, 1, 3);
  CHECK_NEAR(control.h, 0.9 * pow(3, -0.17), 1e-14);
  RungControlAccept(&control, 1, 0.9, PETSC_FALSE);
  CHECK_NEAR(control.h, 0.9 * pow(0.9, -0.17) * pow(0.2, 0.04), 1e-14);
  RungControlAccept(&control, 1, 1e-6, PETSC_FALSE);
  RungControlAccept(&control, 1, 0.5, PETSC_FALSE);
  CHECK_NEAR(control.h, 0.9 * pow(0.5, -0.17) * pow(1e-4, 0.04), 1e-14);
  RungControlStart(&control, 1, 8, 5, 0, PETSC_TRUE);
  RungControlAccept(&control, 1, 0.2, PETSC_FALSE);
  RungControlAccept(&control, 1, 0.5, PETSC_FALSE);
  CHECK_NEAR(control.h, 1 + atan(pow(pow(0.9, 16) / 0.1, 1.0 / 32) * pow(0.9 * pow(0.2, -0.125), -0.25) - 1), 1e-14);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_no_growth_after_a_rejection(void)
{
  RungControl control;

  PetscFunctionBegin;
  RungControlStart(&control, 1, 3, 5, 0, PETSC_FALSE);
  RungControlReject(&control, 1, 8);
  CHECK_NEAR(control.h, 0.45, 1e-12);
  CHECK(control.ratio == 1);
  RungControlAccept(&control, control.h, 1e-9, PETSC_FALSE);
  CHECK_NEAR(control.h, 0.45, 1e-12);
  RungControlAccept(&control, control.h, 1e-9, PETSC_FALSE);
  CHECK(control.h > 0.45 && control.h <= 5 * 0.45);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* error = (h/(0.2 (T - t)))^4 asks for steps of a fixed part of what is left: two are refused, the others are foreseen. */
static PetscErrorCode test_a_fall_is_foreseen(void)
{
  RungControl control;
  PetscReal   t       = 0;
  int         refused = 0, steps = 0;

  PetscFunctionBegin;
  RungControlStart(&control, 0.1, 4, 5, 0, PETSC_FALSE);
  RungControlAccept(&control, 0.1, 1e-3, PETSC_FALSE);
  for (; 1 - t > 1e-3 && steps + refused < 1000; ++steps) {
    const PetscReal h = control.h, error = pow(h / (0.2 * (1 - t)), 4);

    if (error <= 1)
      RungControlAccept(&control, h, error, PETSC_FALSE), t += h;
    else
      RungControlReject(&control, h, error), ++refused, --steps;
  }
  CHECK(refused <= 3);
  CHECK(steps <= 60);
  CHECK(control.falling == 3);
  for (int n = 0; n < 3; ++n) RungControlAccept(&control, control.h, pow(control.h / 1e-3, 4), PETSC_FALSE);
  CHECK(control.falling == 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same of explicit methods, by their law. */
static PetscErrorCode test_explicit_methods_foresee_falls(void)
{
  RungControl control;

  PetscFunctionBegin;
  RungControlStart(&control, 1, 5, 5, 0, PETSC_TRUE);
  RungControlAccept(&control, 1, 0.5, PETSC_FALSE);
  RungControlReject(&control, 1, 3);
  RungControlAccept(&control, 0.8, 0.6, PETSC_FALSE);
  RungControlReject(&control, 0.8, 3);
  RungControlAccept(&control, 0.6, 0.5, PETSC_FALSE);
  CHECK_NEAR(control.h, 0.6 * 0.9 * pow(0.5, -0.17) * 0.6 / 0.8 * pow(0.6 / 0.5, 0.2), 1e-14);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* .9 e_n^(-1/k) (phi_n-1/phi_n)^(1/k), phi = e/h^k, at least a half. */
static PetscErrorCode test_what_is_foreseen_is_the_growth_of_the_error(void)
{
  RungControl control;

  PetscFunctionBegin;
  RungControlStart(&control, 1, 3, 5, 0, PETSC_FALSE);
  RungControlAccept(&control, 1, 0.5, PETSC_FALSE);
  RungControlReject(&control, 1, 3);
  RungControlReject(&control, 0.9, 2); /* the same step again: no fall yet */
  RungControlAccept(&control, 0.8, 0.6, PETSC_FALSE);
  CHECK_NEAR(control.h, 0.8, 1e-14);
  RungControlReject(&control, 0.8, 3);
  RungControlAccept(&control, 0.6, 0.5, PETSC_FALSE);
  CHECK_NEAR(control.h, 0.6 * 0.9 * pow(0.5, -1.0 / 3) * 0.6 / 0.8 * pow(0.6 / 0.5, 1.0 / 3), 1e-14);
  RungControlAccept(&control, 0.4, 0.6, PETSC_FALSE); /* it goes on without a rejection */
  CHECK_NEAR(control.h, 0.4 * 0.9 * pow(0.6, -1.0 / 3) * 0.4 / 0.6 * pow(0.5 / 0.6, 1.0 / 3), 1e-14);
  RungControlAccept(&control, 0.01, 0.6, PETSC_FALSE);
  CHECK_NEAR(control.h, 0.005, 1e-14);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (0.9/0.1)^3 = 729 asks for a tenth and no less. */
static PetscErrorCode test_a_tenth_is_the_least_at_once(void)
{
  double      error = 729;
  RungControl control;

  PetscFunctionBegin;
  RungControlStart(&control, 1, 3, 5, 0, PETSC_FALSE);
  while (RungControlElementary(&control, error) > 0.1) error = nextafter(error, 1e3); /* of rounding */
  RungControlReject(&control, 1, error);
  CHECK(control.h == 0.1 && !strncmp(control.why, "a tenth", 7));
  RungControlReject(&control, 1, 1e9);
  CHECK(control.h == 0.1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Errors 4 of 1 and 2 of h: of an order below 3. */
static PetscErrorCode test_a_second_rejection_goes_by_the_order_that_errors_show(void)
{
  const double h = 0.9 * pow(4, -1.0 / 3), order = log(2) / log(1 / h);
  RungControl  control;

  PetscFunctionBegin;
  RungControlStart(&control, 1, 3, 5, 0, PETSC_FALSE);
  RungControlReject(&control, 1, 4);
  CHECK_NEAR(control.h, h, 1e-14);
  RungControlReject(&control, h, 2);
  CHECK(order > 1 && order < 3);
  CHECK_NEAR(control.h, 0.9 * h * pow(2, -1 / order), 1e-14);
  RungControlReject(&control, 0.2, 1.01); /* a third one */
  CHECK_NEAR(control.h, 0.05, 1e-14);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_second_rejection_and_a_failure_shrink_to_a_quarter(void)
{
  RungControl control;

  PetscFunctionBegin;
  RungControlStart(&control, 1, 3, 5, 0, PETSC_FALSE);
  RungControlReject(&control, 1, 1.1);
  CHECK(control.h > 0.8);
  RungControlReject(&control, 1, 1.1);
  CHECK(control.h == 0.25);
  RungControlFail(&control, 1);
  CHECK(control.h == 0.25 && control.refused == 3);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_truncated_step_allows_longer_ones(void)
{
  RungControl control;

  PetscFunctionBegin;
  RungControlStart(&control, 1, 3, 5, 0, PETSC_FALSE);
  RungControlAccept(&control, 0.01, 1e-8, PETSC_TRUE); /* five times 0.01 is less than 1 */
  CHECK(control.h == 1 && control.error < 0);
  RungControlAccept(&control, 0.5, 1e-3, PETSC_TRUE);
  CHECK_NEAR(control.h, 0.5 * 5, 1e-14);
  RungControlAccept(&control, 1, 0.125, PETSC_TRUE); /* 0.9 2 */
  CHECK_NEAR(control.h, 2.5, 1e-14);
  CHECK(control.error < 0 && control.ratio == 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_small_changes_are_left_away_where_matrices_are_kept(void)
{
  RungControl control;

  PetscFunctionBegin;
  RungControlStart(&control, 1, 3, 5, 0.3, PETSC_FALSE);
  RungControlAccept(&control, 1, 0.5, PETSC_FALSE); /* 1.13 */
  CHECK(control.h == 1);
  RungControlAccept(&control, 1, 0.99, PETSC_FALSE); /* below 1 */
  CHECK(control.h == 1);
  RungControlStart(&control, 1, 3, 5, 0.3, PETSC_FALSE);
  RungControlAccept(&control, 1, 0.1, PETSC_FALSE); /* 1.94, and a little less so that it lasts */
  CHECK_NEAR(control.h, 0.81 * pow(0.1, -1.0 / 3), 1e-14);
  RungControlAccept(&control, 1, 0.05, PETSC_FALSE); /* no filter */
  CHECK_NEAR(control.h, 0.81 * pow(0.05, -1.0 / 3), 1e-14);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_errors_follow_tolerances(void)
{
  static const char *const row[][2] = {{RUNGDIRK, "esdirk32"},    {RUNGALPHA, "chung_hulbert"}, {RUNGEXPLICIT, "bs32"},
                                       {RUNGEXPLICIT, "dopri54"}, {RUNGROSENBROCK, "rodas4p"},  {RUNGIMEX, "ark324"}};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) PetscCall(check_proportion(row[i][0], row[i][1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_errors_follow_tolerances), RUNG_TEST(test_the_step_settles_below_the_tolerance),
               RUNG_TEST(test_the_filter_remembers_error_and_ratio),
               RUNG_TEST(test_refusals_again_and_again_take_a_quarter_of_the_step),
               RUNG_TEST(test_explicit_methods_settle_at_their_limit), RUNG_TEST(test_no_growth_after_a_rejection),
               RUNG_TEST(test_a_fall_is_foreseen), RUNG_TEST(test_explicit_methods_foresee_falls),
               RUNG_TEST(test_what_is_foreseen_is_the_growth_of_the_error),
               RUNG_TEST(test_a_tenth_is_the_least_at_once),
               RUNG_TEST(test_a_second_rejection_goes_by_the_order_that_errors_show),
               RUNG_TEST(test_a_second_rejection_and_a_failure_shrink_to_a_quarter),
               RUNG_TEST(test_a_truncated_step_allows_longer_ones),
               RUNG_TEST(test_small_changes_are_left_away_where_matrices_are_kept))
