/* test_dense.c - values between levels. */
#include "../step_impl.h"
#include "ode.h"
#include "points.h"

/* u'' + 0.3 u' + sin(u) = g, a step apart: u has an error of h^4, u' of h^4 by u'', u'' is a straight line. */
static PetscErrorCode test_hermite_has_order_4_between_levels(void)
{
  PetscReal h[4], error[2][4];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 4; ++i) {
    Ode         ode = driven();
    RungStepper stepper;
    RungSystem  sys;
    Vec         u[3], other;
    PetscReal   t = 0.5 + 0.3 * (h[i] = 0.2 / pow(2, (double)i));

    PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, "esdirk_16_8_5", 0.5, 0.5 + h[i], h[i], &stepper));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetSystem(stepper, &sys));
    for (int k = 0; k < 3; ++k) PetscCall(RungSystemCreateVec(sys, &u[k]));
    PetscCall(RungStepperInterpolate(stepper, t, u));
    for (int k = 0; k < 2; ++k) {
      const PetscScalar *p;

      PetscCall(VecGetArrayRead(u[k], &p));
      error[k][i] = fabs(p[0] - (k ? cos(2 * t) : 1 + sin(2 * t) / 2));
      PetscCall(VecRestoreArrayRead(u[k], &p));
    }
    CHECK_RAISES(RungStepperInterpolate(stepper, t, (Vec[]){u[0], NULL, NULL}),
                 "no place for values between levels in u[1]");
    CHECK_RAISES(RungStepperInterpolate(stepper, t, (Vec[]){u[0], u[1], u[0]}),
                 "in one Vec u[0] = u[2]; wanted a Vec for each");
    PetscCall(VecCreateSeq(PETSC_COMM_SELF, 7, &other));
    CHECK_RAISES(RungStepperInterpolate(stepper, t, (Vec[]){u[0], other, u[2]}),
                 "a place for values between levels has 7 entries, the system 1");
    PetscCall(VecDestroy(&other));
    CHECK_RAISES(RungStepperInterpolate(stepper, 0.4, u), "wanted a time between the two newest levels, 0.5 and");
    for (int k = 0; k < 3; ++k) PetscCall(VecDestroy(&u[k]));
    PetscCall(RungStepperDestroy(&stepper));
  }
  CHECK_ORDER("u", 4, h, error[0], 4, 0.3, 0.3);
  CHECK_ORDER("u'", 4, h, error[1], 4, 0.4, 0.3);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_ends_are_the_levels(void)
{
  Ode              ode = kaps();
  RungStepper      stepper;
  RungSystem       sys;
  const RungState *state;
  Vec              u[2];

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGBDF, NULL, 0, 0.5, 0.1, &stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetSystem(stepper, &sys));
  for (int k = 0; k < 2; ++k) PetscCall(RungSystemCreateVec(sys, &u[k]));
  for (PetscInt back = 0; back < 2; ++back) {
    PetscReal distance;

    PetscCall(RungStepperGetState(stepper, back, &state));
    PetscCall(RungStepperInterpolate(stepper, state->t, u));
    for (int k = 0; k < 2; ++k) {
      PetscCall(VecAXPY(u[k], -1, state->u[k]));
      PetscCall(VecNorm(u[k], NORM_INFINITY, &distance));
      CHECK_NEAR(distance, 0, 1e-14);
    }
  }
  for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&u[k]));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z = cos(t) + (y - sin(t)) beside y' = cos(t): without a rate, but with a stage in the middle of the step. */
static PetscErrorCode test_algebraic_unknowns_follow_a_parabola_through_a_stage(void)
{
  static const char *const name[] = {"y", "z"}, *const space[] = {"P0", "P0"}, *const start[] = {"sin(t)", "0"};
  PetscReal h[4], error[4];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 4; ++i) {
    RungSystem         sys;
    RungStepper        stepper;
    Vec                u[2];
    const PetscScalar *p;
    const PetscReal    t = 0.5 + 0.3 * (h[i] = 0.4 / pow(2, (double)i));

    PetscCall(points_create(2, name, space, start, "(dt(y) - cos(t))*v*dx + (z - cos(t) - y + sin(t))*q*dx", &stepper));
    PetscCall(RungStepperGetSystem(stepper, &sys));
    PetscCall(RungStepperSetInterval(stepper, 0.5, 0.5 + h[i], h[i]));
    PetscCall(RungStepperSolve(stepper));
    for (int k = 0; k < 2; ++k) PetscCall(RungSystemCreateVec(sys, &u[k]));
    PetscCall(RungStepperInterpolate(stepper, t, u));
    PetscCall(VecGetArrayRead(u[0], &p));
    error[i] = fabs(p[1] - cos(t));
    PetscCall(VecRestoreArrayRead(u[0], &p));
    for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&u[k]));
    PetscCall(RungStepperDestroy(&stepper));
  }
  CHECK_ORDER("z", 4, h, error, 3, 0.3, 0.3);
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_hermite_has_order_4_between_levels), RUNG_TEST(test_the_ends_are_the_levels),
               RUNG_TEST(test_algebraic_unknowns_follow_a_parabola_through_a_stage))
