/* test_contract_rejection.c - a rejected step leaves no trace, in any method: runs with attempts thrown away in between are
   equal to runs without, bit for bit.  The internal variable s relaxes behind u:  u' = -s,  s' = (u - s)/tau. */
#include "../step_impl.h"
#include "ode.h"

static PetscErrorCode internal_residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  const PetscReal    tau = 0.05;
  const PetscScalar *y, *d;
  PetscScalar       *f;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecGetArrayRead(u[0], &y));
  PetscCall(VecGetArrayRead(u[1], &d));
  PetscCall(VecGetArrayWrite(r, &f));
  f[0] = d[0] + y[1];
  f[1] = d[1] - (y[0] - y[1]) / tau;
  PetscCall(VecRestoreArrayWrite(r, &f));
  PetscCall(VecRestoreArrayRead(u[1], &d));
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode internal_jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J,
                                        void *ctx)
{
  const PetscReal tau = 0.05;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx, (void)u;
  PetscCall(ode_add(J, 0, 0, sigma[1]));
  PetscCall(ode_add(J, 0, 1, sigma[0]));
  PetscCall(ode_add(J, 1, 0, -sigma[0] / tau));
  PetscCall(ode_add(J, 1, 1, sigma[1] + sigma[0] / tau));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static Ode internal(void)
{
  return (Ode){"internal variable", 1, PETSC_TRUE, internal_residual, internal_jacobian,
               one_initial,         2, {0},        PETSC_FALSE};
}

/* One step of size h; before it `thrown` attempts of other sizes that are rolled back. */
static PetscErrorCode step(RungStepper stepper, PetscReal h, PetscReal t, PetscInt thrown)
{
  static const PetscReal size[] = {0.31, 1, 2.7};
  const RungState       *from;
  RungTransientSystem    ts;

  PetscFunctionBegin;
  PetscCall(RungStepperGetTransientSystem(stepper, &ts));
  PetscCall(RungTransientSystemGetState(ts, 0, &from));
  for (PetscInt i = 0; i <= thrown; ++i) {
    const PetscReal part    = i < thrown ? size[i] : 1;
    RungVerdict     verdict = {.solved = PETSC_TRUE, .error = -1};
    RungState      *to;

    PetscCall(RungTransientSystemGetProposal(ts, &to));
    to->t = i < thrown ? from->t + part * h : t;
    PetscCall(stepper->ops->attempt(stepper, from, part * h, to, &verdict));
    CHECK(verdict.solved);
    if (i < thrown) PetscCall(RungTransientSystemRollBack(ts));
  }
  PetscCall(RungTransientSystemAccept(ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(Ode ode, const char type[], const char method[], PetscInt thrown, PetscReal y[3][3])
{
  const PetscReal     h = 0.04;
  RungStepper         stepper;
  RungTransientSystem ts;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, type, method, 0, 1, h, &stepper));
  PetscCall(RungStepperGetTransientSystem(stepper, &ts));
  PetscCall(RungTransientSystemStart(ts, 0));
  for (PetscInt n = 0; n < 12; ++n) PetscCall(step(stepper, h, (PetscReal)(n + 1) * h, n % 3 == 1 ? thrown : 0));
  for (PetscInt k = 0; k <= ode.order; ++k) PetscCall(ode_values(stepper, k, ode.local, y[k]));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare(Ode ode, PetscBool second)
{
  const char *const *type, *const *method;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &type, &method));
  for (PetscInt i = 0; i < n; ++i) {
    const unsigned need    = (ode.order == 1 ? RUNG_CAN_ORDER1 : RUNG_CAN_ORDER2) | RUNG_CAN_VARY_MASS;
    PetscReal      a[3][3] = {{0}}, b[3][3] = {{0}};
    RungMethodPlan plan;

    PetscCall(RungStepperGetPlan(type[i], method[i], &plan));
    if ((plan.can & need) != need) continue; /* the systems of ode.h say nothing of their mass */
    if (!second && !strcmp(type[i], RUNGALPHA) && strcmp(method[i], "chung_hulbert") != 0) continue;
    PetscCall(run(ode, type[i], method[i], 0, a));
    PetscCall(run(ode, type[i], method[i], 3, b));
    if (memcmp(a, b, sizeof a) != 0) fprintf(stderr, "%s %s: ", type[i], method[i]);
    CHECK(!memcmp(a, b, sizeof a));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_an_internal_variable_forgets_rejected_steps(void)
{
  PetscFunctionBegin;
  PetscCall(compare(internal(), PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_nonlinear_systems_of_both_orders_forget_rejected_steps(void)
{
  PetscFunctionBegin;
  PetscCall(compare(kaps(), PETSC_FALSE));
  PetscCall(compare(driven(), PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The order of a method with the internal variable. */
static PetscErrorCode test_the_internal_variable_has_the_order_of_the_method(void)
{
  PetscReal h[4], error[4];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 4; ++i) {
    /* u'' + 20 u' + 20 u = 0, u = 1, u' = -1 */
    const double r1 = -10 + sqrt(80), r2 = -10 - sqrt(80), c1 = (-1 - r2) / (r1 - r2), c2 = 1 - c1;
    Ode          ode = internal();
    RungStepper  stepper;
    PetscReal    y[2];

    h[i] = 1 / (20 * pow(2, (double)i));
    PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, "esdirk43", 0, 1, h[i], &stepper));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(ode_values(stepper, 0, 2, y));
    error[i] = fabs(y[0] - c1 * exp(r1) - c2 * exp(r2)) + fabs(y[1] + c1 * r1 * exp(r1) + c2 * r2 * exp(r2));
    PetscCall(RungStepperDestroy(&stepper));
  }
  CHECK_ORDER("esdirk43", 4, h, error, 4, 0.4, 0.4);
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_an_internal_variable_forgets_rejected_steps),
               RUNG_TEST(test_nonlinear_systems_of_both_orders_forget_rejected_steps),
               RUNG_TEST(test_the_internal_variable_has_the_order_of_the_method))
