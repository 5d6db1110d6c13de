/* test_abilities.c - a method runs at its order, or is refused by name; it goes on from checkpoints, forgets what is thrown away, agrees about
   a NaN of one rank: one of each family, and those of another kind beside it (test_walk.c: all). */
#include "walk.h"
#include "walk_levels.h"

static const char *const chosen[][2] = {
  {RUNGDIRK, "esdirk43"},      {RUNGBDF, "bdf2"},      {RUNGALPHA, "chung_hulbert"},
  {RUNGEXPLICIT, "bs32"},      {RUNGIMEX, "ark324"},   {RUNGROSENBROCK, "rodas4p"},
  {RUNGROSENBROCK, "grk4t"}, /* boundary data by rates */
  {"theta", "crank_nicolson"}, {"bathe", "rho_bathe"}, {"acceleration", "central_difference"},
  {RUNGDIRK, "midpoint"},      {RUNGALPHA, "hht"}};
#define CHOSEN ((int)PETSC_STATIC_ARRAY_LENGTH(chosen))

static PetscBool alone(void)
{
  PetscMPIInt size;

  (void)MPI_Comm_size(PETSC_COMM_WORLD, &size);
  return size == 1 ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode test_each_family_runs_or_is_refused(void)
{
  PetscFunctionBegin;
  for (int i = 0; i < CHOSEN && alone(); ++i) {
    for (PetscInt p = 0; p < WALK_PROBLEMS; ++p) {
      PetscReal size;

      PetscCall(walk_problem_of(&walk_problem[p], chosen[i][0], chosen[i][1], &size));
      CHECK(size < 5e-2);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ten steps: what depends on ranks are equations in cells, numbers of all ranks, constraints. */
static PetscErrorCode test_each_family_runs_on_several_ranks(void)
{
  PetscFunctionBegin;
  for (int i = 0; i < CHOSEN && !alone(); i += 3) {
    RungMethodPlan plan;

    PetscCall(RungStepperGetPlan(chosen[i][0], chosen[i][1], &plan));
    for (PetscInt p = 0; p < WALK_PROBLEMS; ++p) {
      PetscReal error;

      if (!walk_runs(&walk_problem[p], chosen[i][0], plan.can)) continue;
      if (walk_problem[p].kind != CELLS && walk_problem[p].kind != GLOBAL && walk_problem[p].kind != TIED) continue;
      if (walk_problem[p].order == 2) continue;
      PetscCall(walk_run(&walk_problem[p], chosen[i][0], chosen[i][1], 0.1, &error));
      CHECK(error < 1e-3);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_levels_are_all_that_a_method_remembers(void)
{
  PetscFunctionBegin;
  for (int i = 0; i < CHOSEN; ++i) {
    if (alone() || i % 3 == 0) PetscCall(walk_survives(chosen[i][0], chosen[i][1]));
    if (!alone() || i > 6) continue;
    PetscCall(walk_restarts(chosen[i][0], chosen[i][1]));
    PetscCall(walk_forgets(chosen[i][0], chosen[i][1]));
  }
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

RUNG_TEST_MAIN(RUNG_TEST(test_each_family_runs_or_is_refused), RUNG_TEST(test_each_family_runs_on_several_ranks),
               RUNG_TEST(test_levels_are_all_that_a_method_remembers),
               RUNG_TEST(test_who_is_refused_hears_of_those_who_can))
