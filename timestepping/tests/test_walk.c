/* test_walk.c - every method of the registry runs at its order on what it takes, and is refused by name on what it does not. */
#include "walk.h"

static PetscErrorCode test_every_method_runs_or_is_refused(void)
{
  const char *const *types, *const *methods;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &types, &methods));
  for (PetscInt i = 0; i < n; ++i) PetscCall(walk(types[i], methods[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_every_method_runs_or_is_refused))
