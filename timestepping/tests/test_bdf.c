/* test_bdf.c - backward differences: known errors, variable steps, past levels given by hand. */
#include "../step_impl.h"
#include "ode.h"

static PetscErrorCode relaxation_error(const char method[], PetscReal lambda, PetscReal dt, PetscReal *error)
{
  Ode         ode = relaxation(lambda, 1);
  RungStepper stepper;
  PetscReal   y;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGBDF, method, 0, 1, dt, &stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(ode_values(stepper, 0, 1, &y));
  *error = fabs(y - exp(-lambda)) / exp(-lambda);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Computed from the recursions; bdf2 starts with a step of TR-BDF2. */
static PetscErrorCode test_relaxation_errors_are_the_known_ones(void)
{
  static const struct {
    const char *method;
    double      dt, error;
  } row[] = {{"bdf1", 0.1, 4.802e-2}, {"bdf1", 0.05, 2.449e-2}, {"bdf2", 0.2, 1.1117e-2}, {"bdf2", 0.1, 3.1088e-3}};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    PetscReal error;

    PetscCall(relaxation_error(row[i].method, 1, row[i].dt, &error));
    CHECK_NEAR(error, row[i].error, 1e-3 * row[i].error);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both equations, both orders, on grids whose last step is shorter: 1 is no multiple of h. */
static PetscErrorCode order_of(Ode ode, const char method[], PetscReal order)
{
  PetscReal h[5], error[5];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 5; ++i) {
    RungStepper stepper;
    PetscReal   y[3], exact[3] = {1 + sin(2) / 2, 0, 0};

    h[i] = 1 / (80.3 * pow(2, (double)i));
    PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGBDF, method, 0, 1, h[i], &stepper));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(ode_values(stepper, 0, ode.local, y));
    if (ode.order == 1) kaps_exact(1, exact);
    error[i] = 0;
    for (PetscInt c = 0; c < ode.local; ++c) error[i] = PetscMax(error[i], fabs(y[c] - exact[c]));
    PetscCall(RungStepperDestroy(&stepper));
  }
  CHECK_ORDER(method, 5, h, error, order, 0.15, 0.15);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_orders_with_a_shorter_last_step(void)
{
  PetscFunctionBegin;
  PetscCall(order_of(kaps(), "bdf1", 1));
  PetscCall(order_of(kaps(), "bdf2", 2));
  PetscCall(order_of(driven(), "bdf1", 1));
  PetscCall(order_of(driven(), "bdf2", 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With the exact value one step back the first step is BDF2 already: error of (3/2 + h) u1 = 2 u0 - u_-1/2. */
static PetscErrorCode test_an_exact_past_level_replaces_the_start(void)
{
  Ode                 ode = relaxation(1, 1);
  RungStepper         stepper;
  RungTransientSystem ts;
  Vec                 u, v;
  PetscReal           y;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGBDF, "bdf2", 0, 0.1, 0.1, &stepper));
  PetscCall(RungStepperGetTransientSystem(stepper, &ts));
  PetscCall(RungTransientSystemStart(ts, 0));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, 1, &u));
  PetscCall(VecDuplicate(u, &v));
  PetscCall(VecSet(u, exp(0.1)));
  PetscCall(VecSet(v, -exp(0.1)));
  PetscCall(RungTransientSystemAddPast(ts, -0.1, u, v));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(ode_values(stepper, 0, 1, &y));
  CHECK_NEAR(y, (2 - exp(0.1) / 2) / 1.6, 1e-14);
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&v));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode stiff_decay(PetscReal end, PetscReal *y)
{
  Ode         ode = relaxation(1e6, 1);
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGBDF, "bdf2", 0, end, 1, &stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(ode_values(stepper, 0, 1, y));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u' = -1e6 u, h = 1: after the start the ratio of two steps is the large root of (3/2 + z) x^2 - 2 x + 1/2, |x| = 7e-4. */
static PetscErrorCode test_stiff_decay_has_the_spectral_radius(void)
{
  PetscReal early, late;

  PetscFunctionBegin;
  PetscCall(stiff_decay(2, &early));
  PetscCall(stiff_decay(42, &late));
  CHECK_NEAR(log(fabs(late / early)) / 40, log(7.07e-4), 0.06);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is rough at the start is gone after one step, where the trapezoidal rule has -1. */
static PetscErrorCode test_the_start_damps_what_is_rough(void)
{
  PetscReal y;

  PetscFunctionBegin;
  PetscCall(stiff_decay(1, &y));
  CHECK(fabs(y) < 1e-5);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_tolerances_are_refused(void)
{
  Ode         ode = kaps();
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGBDF, "bdf2", 0, 1, 0.1, &stepper));
  PetscCall(RungStepperSetTolerances(stepper, 1e-4, 1e-4));
  CHECK_RAISES(RungStepperSolve(stepper), "bdf method \"bdf2\" has no error estimate to choose steps by");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_relaxation_errors_are_the_known_ones), RUNG_TEST(test_orders_with_a_shorter_last_step),
               RUNG_TEST(test_an_exact_past_level_replaces_the_start),
               RUNG_TEST(test_stiff_decay_has_the_spectral_radius), RUNG_TEST(test_the_start_damps_what_is_rough),
               RUNG_TEST(test_tolerances_are_refused))
