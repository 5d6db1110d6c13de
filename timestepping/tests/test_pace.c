/* test_pace.c - the time that a run still takes, against runs whose end is known. */
#include "check.h"
#include "step_impl.h"

/* A run whose time of the problem after s seconds is way(s), in steps of 1 to 2 ms of 100 seconds: how often the time left was
   said, and how often wrongly by more than a factor of two (seconds and more). */
static void watch(double (*way)(double), int *said, int *wrong)
{
  RungPace pace;

  *said = *wrong = 0;
  RungPaceStart(&pace, (PetscReal)way(0));
  for (double s = 0.001; s < 100; s += 0.001 + 0.001 * fabs(sin(s))) {
    double left;

    RungPaceAdd(&pace, s, (PetscReal)way(s));
    left = RungPaceLeft(&pace, (PetscReal)way(100), PETSC_TRUE);
    if (left < 0) continue;
    ++*said;
    if (100 - s > 1 && (left > 2 * (100 - s) || left < 0.5 * (100 - s))) ++*wrong;
  }
}

static double steady(double s)
{
  return 3 + 1e-7 * s;
}

/* Steps that grow as those of stiff kinetics, 12 decades in a run. */
static double growing(double s)
{
  return 1e-6 * exp(0.27 * s);
}

static double slowing(double s)
{
  return log(1 + s);
}

static double waving(double s)
{
  return s + 0.3 * sin(s);
}

static PetscErrorCode test_a_steady_run_is_told_from_a_quarter_of_its_way_on(void)
{
  int said, wrong;

  watch(steady, &said, &wrong);
  CHECK(said > 35000 && wrong == 0);
  watch(waving, &said, &wrong);
  CHECK(said > 20000 && wrong == 0);
  return PETSC_SUCCESS;
}

static PetscErrorCode test_nothing_is_said_where_the_past_does_not_tell(void)
{
  int said, wrong;

  watch(growing, &said, &wrong);
  CHECK(said == 0);
  watch(slowing, &said, &wrong);
  CHECK(wrong == 0);
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_run_that_goes_on_counts_from_where_it_began(void)
{
  RungPace pace;

  RungPaceStart(&pace, 0.5);
  for (int i = 1; i <= 10; ++i) RungPaceAdd(&pace, i, 0.5 + 0.02 * i);
  CHECK_NEAR(RungPaceLeft(&pace, 1, PETSC_TRUE), 15, 1e-9);
  CHECK_NEAR(RungPaceLeft(&pace, 10.5, PETSC_FALSE), 490, 1e-9);
  CHECK(RungPaceLeft(&pace, 10.5, PETSC_TRUE) == -1);
  CHECK(RungPaceLeft(&pace, 0.7, PETSC_TRUE) == 0);
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_steady_run_is_told_from_a_quarter_of_its_way_on),
               RUNG_TEST(test_nothing_is_said_where_the_past_does_not_tell),
               RUNG_TEST(test_a_run_that_goes_on_counts_from_where_it_began))
