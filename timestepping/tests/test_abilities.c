/* test_abilities.c - a method runs at its order, or is refused by name: one of each family (test_walk.c: all). */
#include "walk.h"

static PetscErrorCode test_each_family_runs_or_is_refused(void)
{
  static const char *const run[][2] = {
    {"dirk", "esdirk43"}, {"dirk", "midpoint"},        {"bdf", "bdf2"},        {"alpha", "chung_hulbert"},
    {"alpha", "hht"},     {"theta", "crank_nicolson"}, {"bathe", "rho_bathe"}, {"acceleration", "central_difference"}};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(run); ++i) PetscCall(walk(run[i][0], run[i][1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_who_is_refused_hears_of_those_who_can(void)
{
  const Problem *index1 = &walk_problem[3];
  PetscReal      error;

  PetscFunctionBegin;
  CHECK_RAISES(walk_run(index1, "dirk", "midpoint", 0.1, &error),
               "does not keep its order in algebraic unknowns, here \"z\", of which no equation holds a rate; take one "
               "that can: esdirk43, bdf2, chung_hulbert, ");
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_each_family_runs_or_is_refused), RUNG_TEST(test_who_is_refused_hears_of_those_who_can))
