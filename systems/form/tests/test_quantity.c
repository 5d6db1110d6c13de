/* test_quantity.c - named integrals, means and rates. */
#include "check.h"
#include "form_problems.h"
#include "vectors.h"

static PetscErrorCode test_integrals_have_their_values(void)
{
  RungSystem         sys;
  Vec                u[2];
  PetscInt           n;
  PetscReal          value[4];
  const char *const *name;
  const PetscBool   *rate;

  PetscFunctionBegin;
  PetscCall(heat_create(&sys));
  PetscCall(RungSystemAddQuantity(sys, "content", "u*dx"));
  PetscCall(RungSystemAddRate(sys, "flux", "(dt(u) + t)*ds(left)"));
  PetscCall(RungSystemAddQuantity(sys, "area", "2*dx"));
  PetscCall(RungSystemAddMean(sys, "middle", "4*u*dx"));
  PetscCall(RungSystemGetQuantities(sys, &n, &name, &rate));
  CHECK(n == 4 && !strcmp(name[1], "flux") && rate[1] && !rate[0] && !rate[3]);
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(VecSet(u[0], 3));
  PetscCall(VecSet(u[1], 5));
  PetscCall(RungSystemEvaluateQuantities(sys, 0.25, u, value));
  CHECK_NEAR(value[0], 3, 1e-13);
  CHECK_NEAR(value[1], 5.25, 1e-13);
  CHECK_NEAR(value[2], 2, 1e-13);
  CHECK_NEAR(value[3], 12, 1e-12);
  PetscCall(vecs_destroy(2, u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refuse(const char text[], const char message[])
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(heat_create(&sys));
  PetscCall(RungSystemAddQuantity(sys, "energy", text));
  CHECK_RAISES(RungSystemSetUp(sys), message);
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_quantities_that_make_no_sense_are_refused(void)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(refuse("u", "quantity energy: \"u\" is not integrated"));
  PetscCall(refuse("u*v*dx", "holds a test function"));
  PetscCall(refuse("dt(u, 2)*dx", "time derivative of order 2, the system has order 1"));
  PetscCall(refuse("u*dx +", "quantity energy"));
  PetscCall(heat_create(&sys));
  PetscCall(RungSystemAddQuantity(sys, "a", "u*dx"));
  CHECK_RAISES(RungSystemAddRate(sys, "a", "u*dx"), "there is a quantity \"a\" already");
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_integrals_have_their_values), RUNG_TEST(test_quantities_that_make_no_sense_are_refused))
