/* test_explicit_low.c - strong stability preserving methods with two vectors: the numbers of the tableau, total variation at the limit,
   refusals. */
#include "moving.h"

static PetscErrorCode run(Ode ode, const char method[], const char options[], PetscInt steps, PetscReal rtol,
                          PetscReal y[], RungStepperStatistics *s)
{
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGEXPLICIT, method, 0, 1, 1 / (PetscReal)steps, &stepper));
  if (rtol > 0) PetscCall(RungStepperSetTolerances(stepper, rtol, rtol));
  PetscCall(RungStepperSetFromOptions(stepper));
  RungCallOrUndo(RungStepperSolve(stepper), PetscCall(RungStepperDestroy(&stepper)));
  PetscCall(ode_values(stepper, 0, ode.local, y));
  PetscCall(RungStepperGetStatistics(stepper, s));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *const methods[] = {"heun21", "ssp33", "ssp43"};

static PetscErrorCode test_numbers_are_those_of_the_tableau(void)
{
  PetscFunctionBegin;
  for (int m = 0; m < 3; ++m) {
    RungStepperStatistics s[2];
    PetscReal             y[2][3];

    PetscCall(run(kaps(), methods[m], "", 13, 0, y[0], &s[0]));
    PetscCall(run(kaps(), methods[m], "-stepper_low_storage", 13, 0, y[1], &s[1]));
    for (int i = 0; i < 3; ++i) CHECK_NEAR(y[1][i], y[0][i], 1e-14);
    CHECK(s[0].newton == s[1].newton && s[0].factorisations == s[1].factorisations);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a step that moves ----------------------------------------------------------------------------------------------- */

#define CELLS 50

/* u_i' = -CELLS (u_i - u_i-1), 1 at the inlet: upwind */
static PetscErrorCode upwind_residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  const PetscScalar *y, *v;
  PetscScalar       *f;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecGetArrayRead(u[0], &y));
  PetscCall(VecGetArrayRead(u[1], &v));
  PetscCall(VecGetArrayWrite(r, &f));
  for (PetscInt i = 0; i < CELLS; ++i) f[i] = v[i] + CELLS * (y[i] - (i ? y[i - 1] : 1));
  PetscCall(VecRestoreArrayWrite(r, &f));
  PetscCall(VecRestoreArrayRead(u[1], &v));
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode upwind_jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J,
                                      void *ctx)
{
  PetscFunctionBegin;
  (void)sys, (void)t, (void)u, (void)ctx;
  for (PetscInt i = 0; i < CELLS; ++i) {
    PetscCall(ode_add(J, i, i, sigma[1] + CELLS * sigma[0]));
    if (i) PetscCall(ode_add(J, i, i - 1, -CELLS * sigma[0]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode upwind_initial(RungSystem sys, PetscReal t, PetscInt k, Vec u, void *ctx)
{
  PetscFunctionBegin;
  (void)sys, (void)t, (void)k, (void)ctx;
  PetscCall(VecSet(u, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sum |u_i - u_i-1| with 1 before the first cell, and 1 at the start */
static double variation(const PetscReal y[])
{
  double sum = fabs(1 - y[0]);

  for (int i = 1; i < CELLS; ++i) sum += fabs(y[i] - y[i - 1]);
  return sum;
}

/* Up to C = 1, 1 and 2 times the step of Euler's method the profile falls from cell to cell. */
static PetscErrorCode test_the_variation_of_a_step_stays_at_the_limit(void)
{
  static const double limit[] = {1, 1, 2};
  const Ode           upwind  = {"upwind",       1,     PETSC_TRUE, upwind_residual, upwind_jacobian,
                                 upwind_initial, CELLS, {0},        PETSC_FALSE};

  PetscFunctionBegin;
  for (int m = 0; m < 3; ++m) {
    RungStepperStatistics s;
    PetscReal             y[CELLS];

    PetscCall(run(upwind, methods[m], "-stepper_low_storage", (PetscInt)ceil(CELLS / limit[m]), 0, y, &s));
    CHECK_NEAR(variation(y), 1 - y[CELLS - 1], 1e-12); /* what overshoots or undershoots would add to it */
    CHECK(y[0] > 1 - 1e-6 && y[CELLS - 1] > 0.1);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_has_no_such_form_is_refused(void)
{
  RungStepperStatistics s;
  PetscReal             y[3];

  PetscFunctionBegin;
  CHECK_RAISES(run(kaps(), "rk4", "-stepper_low_storage", 10, 0, y, &s), "\"rk4\", which has no form with two vectors");
  PetscCall(PetscOptionsClear(NULL));
  CHECK_RAISES(run(kaps(), "heun21", "-stepper_low_storage", 10, 1e-3, y, &s),
               "keeps no stages to estimate errors from");
  PetscCall(PetscOptionsClear(NULL));
  CHECK_RAISES(run(driven(), "ssp33", "-stepper_low_storage", 10, 0, y, &s), "of a system of order 2 in time");
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_numbers_are_those_of_the_tableau),
               RUNG_TEST(test_the_variation_of_a_step_stays_at_the_limit),
               RUNG_TEST(test_what_has_no_such_form_is_refused))
