/* test_step.c - steps of a run: what holds in each, what goes from one to the next, values of a constant. */
#include "files.h"

#define POINT "points 3\nunknown y z P0\nconstant k 1\nconstant load 0\nconstant half load/2\nprobe y 0 y\n"
#define BEND  "step bend\nresidual (k*y + y^3 - half)*z*dx\nstatic load 0 4 1\n"
#define FALL  "step fall\nresidual (dt(y) + k*y)*z*dx\nrate sum y*dx\ntime 0 1 0.1\nmethod esdirk43\n"

static PetscErrorCode test_a_state_goes_from_step_to_step(void)
{
  RungExit  status;
  PetscReal y;

  PetscFunctionBegin;
  PetscCall(run_text(POINT "initial y 0.5\n" BEND "reference y 0 1 1e-9\n" FALL
                           "reference y 1 0.36787944 1e-5\nreference sum 1 1.8963617 1e-3\n"
                           "step stay\nconstant k 0\nresidual (dt(y) + k*y)*z*dx\nrate sum y*dx\ntime 1 2 0.5\n"
                           "reference y 2 0.36787944 1e-5\nreference sum 2 3 1e-3\n",
                     &status, &y));
  CHECK(status == RUNG_EXIT_DONE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The constant of the first line, too. */
static PetscErrorCode test_a_step_has_a_constant_of_its_own(void)
{
  RungExit  status;
  PetscReal y;

  PetscFunctionBegin;
  PetscCall(run_text("constant k 2\npoints 1\nunknown y z P0\nprobe y 0 y\n"
                     "step a\nconstant k 4\nresidual (k*y - 2)*z*dx\nstatic\nreference y 0 0.5 1e-9\n",
                     &status, &y));
  CHECK(status == RUNG_EXIT_DONE);
  CHECK_NEAR(y, 0.5, 1e-12);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_constant_goes_there_and_back(void)
{
  RungExit  status;
  PetscReal y;

  PetscFunctionBegin;
  PetscCall(run_text(POINT "residual (k*y + y^3 - half)*z*dx\nstatic load 4 0 1.5\n", &status, &y));
  CHECK(status == RUNG_EXIT_DONE);
  CHECK_NEAR(y, 0, 1e-9);
  PetscCall(run_text(POINT "residual (k*y + y^3 - half)*z*dx\nstatic load 0 4000 4000\n", &status, &y));
  CHECK_NEAR(y, 12.5727538537, 1e-8);
  PetscCall(run_text(POINT "residual (k*y + y^3 - 2)*z*dx\nstatic\ntable t\nreference y 0 1 1e-9\n", &status, &y));
  CHECK(status == RUNG_EXIT_DONE);
  CHECK_NEAR(y, 1, 1e-9);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values at rest go on to an order that has rates, and the other way round. */
/* y exp(-y) = load has no solution beyond 1/e, in whatever units: steps are not halved into rounding there. */
static PetscErrorCode test_beyond_the_largest_load_a_way_is_given_up(void)
{
  RungExit  status;
  PetscReal y;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS); /* systems.static has a case on several ranks */
  CHECK_RAISES(run_text(POINT "residual (y*exp(-y) - load/1048576)*z*dx\nstatic load 0 1048576 1e5\n", &status, &y),
               "at steps of 0.762939: it may be the largest load");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* exp(y) rounds as 1 does: F cannot fall below 1e-16, whatever it balances. */
static PetscErrorCode test_rounding_of_large_terms_is_an_end_or_is_told(void)
{
  RungExit  status;
  PetscReal y;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(run_text(POINT "residual (exp(y) - exp(-y) - load)*z*dx\nstatic load 0 3e-9 3e-9\n", &status, &y));
  CHECK_NEAR(y, 1.5e-9, 1e-15);
  CHECK_RAISES(run_text(POINT "residual (exp(y) - exp(-y) - load)*z*dx\nstatic load 0 3e-12 3e-12\n", &status, &y),
               "rounding of F leaves the solution open by");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first step of Newton's method leads 1e10 times too far, and the way back takes some 55 steps, by a third each. */
static PetscErrorCode test_coefficients_of_any_size_are_solved_from_zero(void)
{
  RungExit  status;
  PetscReal y;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(run_text(POINT "residual ((1e-6 + 1e12*y^2)*y - load)*z*dx\nstatic load 1 1 1\n", &status, &y));
  CHECK_NEAR(y, 1e-4, 1e-12);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_orders_may_differ(void)
{
  RungExit  status;
  PetscReal y;

  PetscFunctionBegin;
  PetscCall(run_text(POINT "initial y 1\nstep a\nresidual (dt(y, 2) + y)*z*dx\ntime 0 pi/2 pi/200\nmethod newmark\n"
                           "step b\nresidual dt(y, 2)*z*dx\ntime pi/2 pi/2+1 0.1\nmethod newmark\n",
                     &status, &y));
  CHECK(status == RUNG_EXIT_DONE);
  CHECK_NEAR(y, -1, 1e-3); /* it flies on with the rate that it had */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_does_not_fit_is_told_at_its_line(void)
{
  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(check_mistakes(POINT "step a\nstatic g 0 1 0.1\nresidual y*z*dx\n", 1,
                           "test.rung:8:8: no constant is called \"g\""));
  PetscCall(check_mistakes(POINT "step a\nstatic load 0 1 -0.1\nresidual y*z*dx\n", 1,
                           "test.rung:8:17: a step of -0.1, wanted a positive number"));
  PetscCall(check_mistakes(POINT "step a\nstatic load 0 1 1\nresidual dt(y)*z*dx\n", 1,
                           "test.rung:8:1: the equations hold time derivatives of order 1"));
  PetscCall(check_mistakes(POINT "quantity load y*dx\nstep a\nstatic load 0 1 1\nresidual y*z*dx\n", 1,
                           "test.rung:9:8: a quantity is called \"load\", too"));
  PetscCall(check_mistakes(POINT "step a\nstatic load 0 1 1\ntime 0 1 1\nresidual y*z*dx\n", 1,
                           "test.rung:9:1: no time passes in a static step; take time away"));
  PetscCall(check_mistakes(POINT "static load 0 1 1\nmethod bdf2\ntime 0 1 1\nresidual y*z*dx\n", 1,
                           "test.rung:8:1: no time passes in a static step; take method, time away"));
  PetscCall(check_mistakes(POINT BEND "title late\n", 1, "test.rung:10:1: title belongs in front of the first step"));
  PetscCall(check_mistakes(POINT BEND BEND, 1, "test.rung:10:6: there is a step \"bend\" already"));
  PetscCall(check_mistakes(POINT BEND FALL "step end\nresidual dt(y)*z*dx\ntime 2 3 0.1\n", 1,
                           "test.rung:17:6: step \"end\" begins at t = 2, the one before ends at t = 1"));
  PetscCall(check_mistakes(POINT BEND "reference y 2 1\n", 1,
                           "test.rung:10:13: no time passes in a static step: t = 0, not 2"));
  PetscCall(check_mistakes(POINT FALL "dirichlet y nowhere 0\nstep end\nresidual dt(y)*z*dx\ntime 1 3 0.1\n", 1,
                           "test.rung:12:11: "));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_run_begins_with_the_step_that_is_asked_for(void)
{
  RungProblem problem;
  RungExit    status;
  const char *found;

  PetscFunctionBegin;
  PetscCall(read_text(POINT "initial y 2\n" BEND FALL "reference y 1 0.73575888 1e-5\n", &problem));
  PetscCall(RungProblemSetStep(problem, "fall"));
  PetscCall(RungProblemRun(problem, &status));
  CHECK(status == RUNG_EXIT_DONE);
  PetscCall(RungProblemSetStep(problem, "fell"));
  PetscCall(RungProblemGetMistakes(problem, NULL, &found));
  CHECK(strstr(found, "no step is called \"fell\"; did you mean \"fall\"?") != NULL);
  PetscCall(RungProblemDestroy(&problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_state_goes_from_step_to_step), RUNG_TEST(test_a_step_has_a_constant_of_its_own),
               RUNG_TEST(test_a_constant_goes_there_and_back),
               RUNG_TEST(test_beyond_the_largest_load_a_way_is_given_up),
               RUNG_TEST(test_rounding_of_large_terms_is_an_end_or_is_told),
               RUNG_TEST(test_coefficients_of_any_size_are_solved_from_zero), RUNG_TEST(test_orders_may_differ),
               RUNG_TEST(test_what_does_not_fit_is_told_at_its_line),
               RUNG_TEST(test_a_run_begins_with_the_step_that_is_asked_for))
