/* test_contract_multiplier.c - generalized-alpha in endpoint form on a pendulum at velocity level, index 2:

       x' = u,   u' = (0, -g) - x lambda,   x . u = 0;     y = (x, u, lambda)

   With the angle a from the lowest point: x = (sin a, -cos a), a'' = -g sin a, lambda = a'^2 + g cos a. */
#include "../step_impl.h"
#include "ode.h"

#define GRAVITY 9.81

static void angle(PetscReal t, PetscReal *a, PetscReal *v)
{
  const int    n = 4000;
  const double h = t / n;

  *a = 0.6, *v = 1.1;
  for (int i = 0; i < n; ++i) { /* the classical Runge-Kutta method, far below the errors looked at */
    const double k1 = *v, l1 = -GRAVITY * sin(*a), k2 = *v + h / 2 * l1, l2 = -GRAVITY * sin(*a + h / 2 * k1);
    const double k3 = *v + h / 2 * l2, l3 = -GRAVITY * sin(*a + h / 2 * k2), k4 = *v + h * l3;
    const double l4 = -GRAVITY * sin(*a + h * k3);

    *a += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    *v += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
}

static void exact(PetscReal t, PetscReal y[5])
{
  PetscReal a, v;

  angle(t, &a, &v);
  y[0] = sin(a);
  y[1] = -cos(a);
  y[2] = v * cos(a);
  y[3] = v * sin(a);
  y[4] = v * v + GRAVITY * cos(a);
}

static PetscErrorCode residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  const PetscScalar *y, *d;
  PetscScalar       *f;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecGetArrayRead(u[0], &y));
  PetscCall(VecGetArrayRead(u[1], &d));
  PetscCall(VecGetArrayWrite(r, &f));
  f[0] = d[0] - y[2];
  f[1] = d[1] - y[3];
  f[2] = d[2] + y[0] * y[4];
  f[3] = d[3] + y[1] * y[4] + GRAVITY;
  f[4] = y[0] * y[2] + y[1] * y[3];
  PetscCall(VecRestoreArrayWrite(r, &f));
  PetscCall(VecRestoreArrayRead(u[1], &d));
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J, void *ctx)
{
  const PetscReal    s = sigma[0], m = sigma[1];
  const PetscScalar *y;
  PetscInt           all[5] = {0, 1, 2, 3, 4};

  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecGetArrayRead(u[0], &y));
  {
    const PetscScalar block[25] = {m, 0,        -s,       0,        0,        0,        m, 0,        -s,
                                   0, s * y[4], 0,        m,        0,        s * y[0], 0, s * y[4], 0,
                                   m, s * y[1], s * y[2], s * y[3], s * y[0], s * y[1], 0};

    PetscCall(MatSetValues(J, 5, all, 5, all, block, ADD_VALUES));
  }
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode initial(RungSystem sys, PetscReal t, PetscInt k, Vec u, void *ctx)
{
  PetscScalar *y;

  PetscFunctionBegin;
  (void)sys, (void)ctx;
  PetscCall(VecSet(u, 0));
  if (k) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArray(u, &y));
  exact(t, y);
  PetscCall(VecRestoreArray(u, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(Ode *ode, PetscReal rho, PetscReal t1, PetscReal h, RungStepper *stepper)
{
  RungSystem sys;
  Vec        mask;

  PetscFunctionBegin;
  *ode = (Ode){"pendulum", 1, PETSC_FALSE, residual, jacobian, initial, 5, {0}, PETSC_FALSE};
  PetscCall(ode_create(PETSC_COMM_SELF, ode, &sys));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, 5, &mask));
  PetscCall(VecSet(mask, 1));
  PetscCall(VecSetValue(mask, 4, 0, INSERT_VALUES));
  PetscCall(RungSystemSetDifferential(sys, mask));
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, stepper));
  PetscCall(RungStepperSetSystem(*stepper, sys));
  PetscCall(RungStepperSetType(*stepper, RUNGALPHA));
  PetscCall(RungStepperAlphaSetRadius(*stepper, rho));
  PetscCall(RungStepperSetInterval(*stepper, 0, t1, h));
  PetscCall(VecDestroy(&mask));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_position_and_multiplier_have_order_2(void)
{
  static const double rhos[] = {0, 0.5, 1};

  PetscFunctionBegin;
  for (size_t j = 0; j < PETSC_STATIC_ARRAY_LENGTH(rhos); ++j) {
    PetscReal h[4], position[4], multiplier[4], wanted[5];

    exact(1, wanted);
    for (PetscInt i = 0; i < 4; ++i) {
      RungStepper stepper;
      Ode         ode;
      PetscReal   y[5];

      h[i] = 0.5 / floor(80 * pow(2, (double)i / 2)); /* even numbers: with rho_inf = 1 part of the error alternates */
      PetscCall(create(&ode, rhos[j], 1, h[i], &stepper));
      PetscCall(RungStepperSolve(stepper));
      PetscCall(ode_values(stepper, 0, 5, y));
      position[i]   = hypot(y[0] - wanted[0], y[1] - wanted[1]);
      multiplier[i] = fabs(y[4] - wanted[4]);
      PetscCall(RungStepperDestroy(&stepper));
    }
    CHECK_ORDER("position", 4, h, position, 2, 0.2, 0.2);
    CHECK_ORDER("multiplier", 4, h, multiplier, 2, 0.4, 0.2);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first step from a level whose u' belongs to a multiplier that is wrong by `error`. */
static PetscErrorCode first_step(RungStepper stepper, PetscReal h, PetscReal error)
{
  RungTransientSystem ts;
  const RungState    *from;
  RungState           wrong, *to;
  RungVerdict         verdict = {.solved = PETSC_TRUE, .error = -1};
  PetscScalar        *d;
  PetscReal           y[5];

  PetscFunctionBegin;
  PetscCall(RungStepperGetTransientSystem(stepper, &ts));
  PetscCall(RungTransientSystemStart(ts, 0));
  PetscCall(ode_values(stepper, 0, 5, y));
  PetscCall(RungTransientSystemGetState(ts, 0, &from));
  wrong = *from;
  PetscCall(VecDuplicate(from->u[1], &wrong.u[1]));
  PetscCall(VecCopy(from->u[1], wrong.u[1]));
  PetscCall(VecGetArray(wrong.u[1], &d));
  d[2] -= y[0] * error;
  d[3] -= y[1] * error;
  PetscCall(VecRestoreArray(wrong.u[1], &d));
  PetscCall(RungTransientSystemGetProposal(ts, &to));
  to->t = h;
  PetscCall(stepper->ops->attempt(stepper, &wrong, h, to, &verdict));
  CHECK(verdict.solved);
  PetscCall(RungTransientSystemAccept(ts));
  PetscCall(VecDestroy(&wrong.u[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode multiplier_after(PetscReal rho, PetscReal error, PetscReal *lambda)
{
  const PetscReal h = 0.01;
  RungStepper     stepper;
  Ode             ode;
  PetscReal       y[5];

  PetscFunctionBegin;
  PetscCall(create(&ode, rho, 1, h, &stepper));
  PetscCall(first_step(stepper, h, error));
  PetscCall(RungStepperSetInterval(stepper, h, 40 * h, h));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(ode_values(stepper, 0, 5, y));
  *lambda = y[4];
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_an_initial_error_of_the_multiplier_decays(void)
{
  static const double rhos[] = {0, 0.5, 0.8, 1};

  PetscFunctionBegin;
  for (size_t j = 0; j < PETSC_STATIC_ARRAY_LENGTH(rhos); ++j) {
    PetscReal good, bad;

    PetscCall(multiplier_after(rhos[j], 0, &good));
    PetscCall(multiplier_after(rhos[j], 1, &bad));
    CHECK_NEAR(bad, good, 0.02);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_position_and_multiplier_have_order_2),
               RUNG_TEST(test_an_initial_error_of_the_multiplier_decays))
