/* test_system_form.c - systems of weak forms. */
#include "check.h"
#include "form_problems.h"

static PetscErrorCode test_heat_starts_with_the_exact_rate(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  PetscReal           error;

  PetscFunctionBegin;
  PetscCall(heat_create(&sys));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungTransientSystemStart(ts, 0.3));
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  PetscCall(error_of(sys, state->u[0], "g", 0.3, &error));
  CHECK_NEAR(error, 0, 1e-14);
  PetscCall(error_of(sys, state->u[1], "3*cos(3*t + 0.4)*(1 + x[0] + 2*x[1]^2)", 0.3, &error));
  CHECK_NEAR(error, 0, 1e-10);
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_heat_starts_with_the_exact_rate))
