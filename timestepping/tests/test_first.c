/* test_first.c - the first step that is left to us is one of a size that lasts, in any unit of time. */
#include "../step_impl.h"
#include "ode.h"
#include "points.h"

static PetscErrorCode keep_time(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  PetscFunctionBegin;
  (void)stepper, (void)u;
  if (step < 3) ((PetscReal *)ctx)[step] = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt  steps, rejected;
  PetscReal h[2], error; /* in units of 1/lambda: the first two steps; at the end, in units of the tolerance */
} Run;

/* u' = -lambda u over `span` times 1/lambda */
static PetscErrorCode left_to_us(const char type[], const char method[], PetscReal lambda, PetscReal span, Run *run)
{
  Ode                   ode = relaxation(lambda, 1);
  RungStepper           stepper;
  RungStepperStatistics s;
  PetscReal             t[3] = {0, 0, 0}, y;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, type, method, 0, span / lambda, 1 / lambda, &stepper));
  PetscCall(RungStepperSetInterval(stepper, 0, span / lambda, PETSC_DEFAULT));
  PetscCall(RungStepperSetTolerances(stepper, 1e-6, PETSC_DEFAULT));
  PetscCall(RungStepperAddMonitor(stepper, keep_time, t));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, &s));
  PetscCall(ode_values(stepper, 0, 1, &y));
  *run = (Run){s.steps, s.rejected, {(t[1] - t[0]) * lambda, (t[2] - t[1]) * lambda}, fabs(y - exp(-span)) / 1e-6};
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A hundredth of the time in which u changes would be 0.01. */
static PetscErrorCode test_a_first_step_lasts_in_any_unit_of_time(void)
{
  static const char *const method[] = {"esdirk43", "esdirk54", "dopri54", "tsit54", "rodas4p"};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(method); ++i) {
    const char *type, *name;
    Run         run[3];

    PetscCall(RungStepperTypeOf(method[i], &type, &name));
    PetscCall(left_to_us(type, method[i], 1, 8, &run[0]));
    PetscCall(left_to_us(type, method[i], 1048576, 8, &run[1]));
    PetscCall(left_to_us(type, method[i], 1.0 / 1048576, 8, &run[2]));
    if (run[0].h[1] > 1.5 * run[0].h[0]) fprintf(stderr, "%s: %g, %g\n", method[i], run[0].h[0], run[0].h[1]);
    CHECK(run[0].h[0] > 0.02 && run[0].h[0] <= 0.8);
    CHECK(run[0].h[1] <= 1.5 * run[0].h[0] && run[0].rejected <= 1 && run[0].error < 10);
    for (int k = 1; k < 3; ++k) CHECK(run[k].steps == run[0].steps && run[k].h[0] == run[0].h[0]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_it_is_no_longer_than_a_tenth_of_the_run_and_belongs_to_tolerances(void)
{
  Ode         ode = relaxation(1, 1);
  RungStepper stepper;
  Run         run;

  PetscFunctionBegin;
  PetscCall(left_to_us(RUNGDIRK, "esdirk43", 1, 1e-3, &run));
  CHECK_NEAR(run.h[0], 1e-4, 1e-12);
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, "esdirk43", 0, 1, 1, &stepper));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, PETSC_DEFAULT));
  CHECK_RAISES(RungStepperSolve(stepper), "the stepper has no step; give it one by");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An attempt over a switch would tell nothing of the time before it: the guess by rates, 0.01 of the time in which T changes, stays. */
static PetscErrorCode test_nothing_is_tried_out_over_a_switch(void)
{
  RungStepper stepper;
  PetscReal   t[3] = {0, 0, 0}, T[1];

  PetscFunctionBegin;
  PetscCall(points_create(1, (const char *const[]){"T"}, (const char *const[]){"P0"}, (const char *const[]){"1"},
                          "(dt(T) + T - if(t < 0.015, 0, 1e-9))*v*dx", &stepper));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, PETSC_DEFAULT));
  PetscCall(RungStepperSetTolerances(stepper, 1e-2, 1e-2));
  PetscCall(RungStepperAddMonitor(stepper, keep_time, t));
  PetscCall(points_solve(&stepper, 1, T, NULL));
  CHECK_NEAR(t[1], 0.0075, 1e-12); /* a half of the way to the switch: 0.01 would leave a sliver */
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_nothing_is_tried_out_over_a_switch),
               RUNG_TEST(test_a_first_step_lasts_in_any_unit_of_time),
               RUNG_TEST(test_it_is_no_longer_than_a_tenth_of_the_run_and_belongs_to_tolerances))
