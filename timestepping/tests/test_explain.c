/* test_explain.c - why steps are refused and chosen is said of every refused step and of each tenth that is taken. */
#include "listen.h"
#include "points.h"
#include <rungmethod.h>
#include <string.h>

/* What a run of T' = -50 (T - cos(t)) with a first step of 1 says; its statistics. */
static PetscErrorCode run(PetscBool explain, size_t size, char said[], RungStepperStatistics *statistics)
{
  Listen      listen;
  RungStepper stepper;
  PetscReal   T[1];

  PetscFunctionBegin;
  PetscCall(points_create(1, (const char *const[]){"T"}, (const char *const[]){"P0"}, (const char *const[]){"0"},
                          "(dt(T) + 50*(T - cos(t)))*v*dx", &stepper));
  PetscCall(RungStepperSetInterval(stepper, 0, 2, 1));
  PetscCall(RungStepperSetTolerances(stepper, 1e-6, 1e-6));
  PetscCall(RungStepperSetExplain(stepper, explain));
  PetscCall(listen_begin(&listen));
  PetscCall(points_solve(&stepper, 1, T, statistics));
  PetscCall(listen_end(&listen, size, said));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt count(const char text[], const char word[])
{
  PetscInt n = 0;

  for (; (text = strstr(text, word)); ++text) ++n;
  return n;
}

static PetscErrorCode test_refused_steps_and_each_tenth_are_explained(void)
{
  static char           said[1 << 16];
  RungStepperStatistics s;

  PetscFunctionBegin;
  PetscCall(run(PETSC_TRUE, sizeof said, said, &s));
  CHECK(s.rejected > 0 && count(said, "rejected: ") == s.rejected);
  CHECK(s.steps >= 20 && count(said, "explain: step ") == s.steps / 10);
  CHECK(strstr(said, "explain: step 10, t = ") && strstr(said, "; dt becomes "));
  CHECK(strstr(said, "rejected: T "));
  PetscCall(run(PETSC_FALSE, sizeof said, said, &s));
  CHECK(!count(said, "explain: "));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_refused_steps_and_each_tenth_are_explained))
