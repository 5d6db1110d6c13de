/* test_proportion.c - errors follow tolerances: every method with an estimate, by proportion.h; test_control.c has one of each family. */
#include "proportion.h"

static PetscErrorCode test_errors_follow_tolerances_over_five_decades(void)
{
  const char *const *types, *const *methods;
  char      from[128] = "";
  PetscBool given;
  PetscInt  n;

  PetscFunctionBegin;
  printf("slope that is wanted; slope, scatter and error/tolerance on:");
  for (int k = 0; k < TASKS; ++k) printf(" %s", tasks[k].name);
  printf("\n");
  PetscCall(PetscOptionsGetString(NULL, NULL, "-proportion_from", from, sizeof from, &given));
  PetscCall(RungStepperGetMethods(&n, &types, &methods));
  for (PetscInt i = 0; i < n; ++i) {
    RungMethodPlan plan;

    if (given && strcmp(methods[i], from) != 0) continue;
    given = PETSC_FALSE;
    PetscCall(RungStepperGetPlan(types[i], methods[i], &plan));
    if (plan.exponent) PetscCall(check_proportion(types[i], methods[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_errors_follow_tolerances_over_five_decades))
