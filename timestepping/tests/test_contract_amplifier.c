/* test_contract_amplifier.c - the one-transistor amplifier: derivatives in every row, mass of rank 3 of 5 (Hairer and
   Wanner, Solving ODEs II, VI.1; Hairer, Lubich and Roche 1989).  References: Radau IIA with 5 and 7 stages in quadruple
   precision, 15 digits. */
#include "../step_impl.h"
#include "ode.h"

#define UB 6.0
#define R  1000.0
#define S  9000.0

static const PetscReal mass[5][5] = {
  {-1e-6, 1e-6, 0, 0, 0}, {1e-6, -1e-6, 0, 0, 0}, {0, 0, -2e-6, 0, 0}, {0, 0, 0, -3e-6, 3e-6}, {0, 0, 0, 3e-6, -3e-6}};

static PetscErrorCode residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  const PetscReal    source = 0.4 * sin(200 * PETSC_PI * t);
  const PetscScalar *y, *d;
  PetscScalar       *f;
  PetscReal          g;

  PetscFunctionBegin;
  (void)sys, (void)ctx;
  PetscCall(VecGetArrayRead(u[0], &y));
  PetscCall(VecGetArrayRead(u[1], &d));
  PetscCall(VecGetArrayWrite(r, &f));
  g    = 1e-6 * (exp((y[1] - y[2]) / 0.026) - 1);
  f[0] = -(y[0] - source) / R;
  f[1] = -((2 * y[1] - UB) / S + 0.01 * g);
  f[2] = -(y[2] / S - g);
  f[3] = -((y[3] - UB) / S + 0.99 * g);
  f[4] = -y[4] / S;
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) f[i] += mass[i][j] * d[j];
  }
  PetscCall(VecRestoreArrayWrite(r, &f));
  PetscCall(VecRestoreArrayRead(u[1], &d));
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J, void *ctx)
{
  const PetscScalar *y;
  PetscReal          g;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecGetArrayRead(u[0], &y));
  g = 1e-6 / 0.026 * exp((y[1] - y[2]) / 0.026) * sigma[0];
  PetscCall(VecRestoreArrayRead(u[0], &y));
  for (PetscInt i = 0; i < 5; ++i) {
    static const PetscReal conductance[] = {1 / R, 2 / S, 1 / S, 1 / S, 1 / S}, gain[] = {0, 0.01, -1, 0.99, 0};

    for (PetscInt j = 0; j < 5; ++j) PetscCall(ode_add(J, i, j, sigma[1] * mass[i][j]));
    PetscCall(ode_add(J, i, i, -sigma[0] * conductance[i]));
    PetscCall(ode_add(J, i, 1, -gain[i] * g));
    PetscCall(ode_add(J, i, 2, gain[i] * g));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode initial(RungSystem sys, PetscReal t, PetscInt k, Vec u, void *ctx)
{
  static const PetscScalar start[] = {0, UB / 2, UB / 2, UB, 0};
  static const PetscInt    rows[]  = {0, 1, 2, 3, 4};

  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecSet(u, 0));
  if (k) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecSetValues(u, 5, rows, start, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(u));
  PetscCall(VecAssemblyEnd(u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static Ode amplifier(void)
{
  return (Ode){"amplifier", 1, PETSC_FALSE, residual, jacobian, initial, 5, {0}, PETSC_FALSE};
}

static const double at_10ms[] = {-0.01964636436087816, 3.05678091825921806, 2.8863106553128774, 2.64674588470247,
                                 -2.90903471491974};
static const double at_50ms[] = {-0.02226513683016721, 3.06869999577829102, 2.8983404619981955, 2.03353371999304,
                                 -2.26917147157041};

static double distance(const PetscReal y[], const double wanted[])
{
  double worst = 0;

  for (int i = 0; i < 5; ++i) worst = PetscMax(worst, fabs(y[i] - wanted[i]));
  return worst;
}

/* M u' = f at the start, with the values that were given: they are consistent. */
static PetscErrorCode test_the_start_is_consistent(void)
{
  Ode                 ode = amplifier();
  RungStepper         stepper;
  RungSystem          sys;
  const RungState    *state;
  RungTransientSystem ts;
  Vec                 r;
  PetscReal           norm, y[5];

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, "esdirk43", 0, 0.01, 1e-4, &stepper));
  PetscCall(RungStepperGetTransientSystem(stepper, &ts));
  PetscCall(RungTransientSystemStart(ts, 0));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(RungSystemCreateVec(sys, &r));
  PetscCall(RungSystemResidual(sys, 0, state->u, r));
  PetscCall(VecNorm(r, NORM_INFINITY, &norm));
  CHECK(norm < 1e-10);
  PetscCall(ode_values(stepper, 0, 5, y));
  CHECK(distance(y, (double[]){0, 3, 3, 6, 0}) < 1e-9);
  PetscCall(VecDestroy(&r));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_esdirk43_has_order_4(void)
{
  PetscReal h[4], error[4];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 4; ++i) {
    Ode         ode = amplifier();
    RungStepper stepper;
    PetscReal   y[5];

    h[i] = 0.01 / (200 * pow(2, (double)i));
    PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, "esdirk43", 0, 0.01, h[i], &stepper));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(ode_values(stepper, 0, 5, y));
    error[i] = distance(y, at_10ms);
    PetscCall(RungStepperDestroy(&stepper));
  }
  CHECK_ORDER("esdirk43", 4, h, error, 4, 0.4, 0.4);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_adaptive_steps_meet_the_reference(void)
{
  static const char *const method[] = {"esdirk32", "esdirk43", "esdirk54"};

  PetscFunctionBegin;
  for (size_t m = 0; m < PETSC_STATIC_ARRAY_LENGTH(method); ++m) {
    Ode         ode = amplifier();
    RungStepper stepper;
    PetscReal   y[5];

    PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, method[m], 0, 0.05, 1e-6, &stepper));
    PetscCall(RungStepperSetTolerances(stepper, 1e-6, 1e-6));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(ode_values(stepper, 0, 5, y));
    CHECK_NEAR(distance(y, at_50ms), 0, 1e-4);
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_the_start_is_consistent), RUNG_TEST(test_esdirk43_has_order_4),
               RUNG_TEST(test_adaptive_steps_meet_the_reference))
