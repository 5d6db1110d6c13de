/* test_rosenbrock_lag.c - W methods whose matrix serves several steps: their order with any matrix, matrices counted, restarts, refusals. */
#include <rungmethod.h>
#include "ode.h"

typedef struct {
  const char *method;
  PetscInt    lag, from; /* from a checkpoint after this step; 0: from the start, -1: with checkpoints at each */
  PetscReal   dt, rtol;
} Run;

/* The derivative by the highest rates is constant, as this family wants it. */
static PetscErrorCode start(Ode *ode, const Run *run, RungStepper *stepper)
{
  RungTraits traits = {.unknowns = 1, .order = ode->order, .unknown_order = {ode->order}};
  RungSystem sys;

  PetscFunctionBegin;
  traits.constant_block[ode->order] = PETSC_TRUE;
  PetscCall(RungSystemCreate(PETSC_COMM_SELF, &sys));
  PetscCall(RungSystemSetCallbacks(sys, ode->local, traits, ode->residual, ode->jacobian, ode));
  PetscCall(RungSystemSetInitialCallback(sys, ode->initial));
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, stepper));
  PetscCall(RungStepperSetSystem(*stepper, sys));
  PetscCall(RungStepperSetMethod(*stepper, run->method));
  PetscCall(RungStepperSetInterval(*stepper, 0, 1, run->dt));
  PetscCall(RungStepperSetMonitor(*stepper, RUNG_MONITOR_NONE));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(Ode ode, const Run *run, PetscReal y[9], RungStepperStatistics *s)
{
  RungStepper stepper;
  char        text[64];

  PetscFunctionBegin;
  (void)snprintf(text, sizeof text, "-stepper_lag %d", (int)run->lag);
  PetscCall(PetscOptionsInsertString(NULL, text));
  PetscCall(start(&ode, run, &stepper));
  if (run->rtol > 0) PetscCall(RungStepperSetTolerances(stepper, run->rtol, run->rtol));
  PetscCall(RungStepperSetFromOptions(stepper));
  if (run->from) PetscCall(RungStepperSetCheckpoint(stepper, run->from < 0 ? "lag_{step}.h5" : "lag_again.h5", 1));
  (void)snprintf(text, sizeof text, "lag_%d.h5", (int)run->from);
  if (run->from > 0) PetscCall(RungStepperSetRestart(stepper, text, PETSC_FALSE));
  RungCallOrUndo(RungStepperSolve(stepper), PetscCall(RungStepperDestroy(&stepper)));
  for (PetscInt k = 0; k <= ode.order; ++k) PetscCall(ode_values(stepper, k, ode.local, y + 3 * k));
  PetscCall(RungStepperGetStatistics(stepper, s));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With one matrix for seven steps, on a nonlinear problem that depends on t, at orders 1 and 2 in time. */
static PetscErrorCode check_order(Ode ode, const char method[], PetscReal order)
{
  PetscReal h[4], error[4];

  PetscFunctionBegin;
  for (int l = 0; l < 4; ++l) {
    const Run             run      = {method, 7, 0, 1 / round(42 * pow(1.5, l)), 0};
    PetscReal             exact[3] = {1 + sin(2.0) / 2, 0, 0}, y[9];
    RungStepperStatistics s;

    PetscCall(solve(ode, &run, y, &s));
    if (ode.order == 1) kaps_exact(1, exact);
    h[l]     = run.dt;
    error[l] = 0;
    for (PetscInt c = 0; c < ode.local; ++c) error[l] = PetscMax(error[l], fabs(y[c] - exact[c]));
    CHECK(s.jacobians == (s.steps + 6) / 7 && s.factorisations == s.jacobians);
  }
  CHECK_ORDER(method, 4, h, error, order, 0.35, 1.2);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_w_methods_keep_their_order_with_a_matrix_of_an_earlier_step(void)
{
  PetscFunctionBegin;
  PetscCall(check_order(kaps(), "ros34pw2", 3));
  PetscCall(check_order(driven(), "ros34pw2", 3));
  PetscCall(check_order(kaps(), "rosenbrock23", 2));
  PetscCall(check_order(kaps(), "ros34prw", 3));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_tolerances_are_kept_with_fewer_matrices(void)
{
  const Run             own = {"ros34pw2", 1, 0, 0.05, 1e-6}, shared = {"ros34pw2", 10, 0, 0.05, 1e-6};
  RungStepperStatistics s[2];
  PetscReal             y[9], exact[3];

  PetscFunctionBegin;
  kaps_exact(1, exact);
  PetscCall(solve(kaps(), &own, y, &s[0]));
  PetscCall(solve(kaps(), &shared, y, &s[1]));
  for (int i = 0; i < 3; ++i) CHECK_NEAR(y[i], exact[i], 2e-5);
  CHECK(s[1].jacobians < s[0].jacobians);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The place of the matrix is carried: a run that goes on makes the same one. */
static PetscErrorCode test_a_restart_at_any_step_goes_on_bit_for_bit(void)
{
  PetscReal             whole[9] = {0}, part[9] = {0};
  RungStepperStatistics s;

  PetscFunctionBegin;
  for (int adaptive = 0; adaptive < 2; ++adaptive) {
    Run run = {"ros34pw2", 4, -1, 0.1, adaptive ? 1e-5 : 0};

    PetscCall(solve(kaps(), &run, whole, &s));
    CHECK(s.steps >= 8);
    for (run.from = 1; run.from < 8; ++run.from) {
      PetscCall(solve(kaps(), &run, part, &s));
      CHECK(!memcmp(whole, part, sizeof whole));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_methods_that_want_their_own_matrix_refuse(void)
{
  const Run             run = {"rodas4", 5, 0, 0.1, 0};
  RungStepperStatistics s;
  PetscReal             y[9];

  PetscFunctionBegin;
  CHECK_RAISES(solve(kaps(), &run, y, &s), "-stepper_lag: rosenbrock method \"rodas4\" has order 1 with a matrix");
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_w_methods_keep_their_order_with_a_matrix_of_an_earlier_step),
               RUNG_TEST(test_tolerances_are_kept_with_fewer_matrices),
               RUNG_TEST(test_a_restart_at_any_step_goes_on_bit_for_bit),
               RUNG_TEST(test_methods_that_want_their_own_matrix_refuse))
