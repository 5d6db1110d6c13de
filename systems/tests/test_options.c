/* test_options.c - -system_.. */
#include "check.h"
#include "form_problems.h"

static PetscErrorCode kappa(RungSystem sys, PetscReal *value)
{
  RungScope scope;

  PetscFunctionBegin;
  PetscCall(RungSystemGetScope(sys, &scope));
  PetscCall(RungScopeGetConstant(scope, "kappa", value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The constant may be declared before or after options are read; what the app sets later stands. */
static PetscErrorCode test_constants_are_options_by_their_name(void)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-system_kappa", "7.5"));
  for (PetscInt late = 0; late < 2; ++late) {
    RungSystem sys;
    PetscReal  value;

    PetscCall(system_create("interval", 1, 2, "P1", &sys));
    if (late) PetscCall(RungSystemSetFromOptions(sys));
    PetscCall(RungSystemSetConstant(sys, "kappa", 1));
    if (!late) PetscCall(RungSystemSetFromOptions(sys));
    PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + kappa*u*v*dx"));
    PetscCall(RungSystemSetUp(sys));
    PetscCall(kappa(sys, &value));
    CHECK(value == 7.5);
    PetscCall(RungSystemSetConstant(sys, "kappa", 2));
    PetscCall(kappa(sys, &value));
    CHECK(value == 2);
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-system_kappa"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_constant_named_like_an_option_is_refused(void)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(system_create("interval", 1, 2, "P1", &sys));
  CHECK_RAISES(RungSystemSetConstant(sys, "view", 1), "constant \"view\" would be the option -system_view");
  CHECK_RAISES(RungSystemSetConstant(sys, "initial", 1), "take another name");
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_word_that_is_not_known_is_refused_with_the_nearest(void)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(system_create("interval", 1, 2, "P1", &sys));
  PetscCall(PetscOptionsSetValue(NULL, "-system_initial", "chekc"));
  CHECK_RAISES(RungSystemSetFromOptions(sys), "did you mean check?");
  PetscCall(PetscOptionsClearValue(NULL, "-system_initial"));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_options_are_read_before_set_up(void)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(heat_create(&sys));
  PetscCall(RungSystemSetUp(sys));
  CHECK_RAISES(RungSystemSetFromOptions(sys), "comes before the system is set up");
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_constants_are_options_by_their_name),
               RUNG_TEST(test_a_constant_named_like_an_option_is_refused),
               RUNG_TEST(test_a_word_that_is_not_known_is_refused_with_the_nearest),
               RUNG_TEST(test_options_are_read_before_set_up))
