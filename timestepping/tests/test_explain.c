/* test_explain.c - why steps are refused and chosen is said of every refused step and of each tenth that is taken. */
#include "listen.h"
#include "points.h"
#include <rungmethod.h>
#include <string.h>

/* What a run of T' = -50 (T - cos(t)) with a first step of 1 says; its statistics.  method: NULL by default */
static PetscErrorCode run(const char residual[], const char method[], PetscBool explain, size_t size, char said[],
                          RungStepperStatistics *statistics)
{
  Listen      listen;
  RungStepper stepper;
  PetscReal   T[1];

  PetscFunctionBegin;
  PetscCall(points_create(1, (const char *const[]){"T"}, (const char *const[]){"P0"}, (const char *const[]){"0"},
                          residual, &stepper));
  if (method) PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, 2, 1));
  PetscCall(RungStepperSetTolerances(stepper, 1e-6, 1e-6));
  PetscCall(RungStepperSetExplain(stepper, explain));
  PetscCall(listen_begin(&listen));
  PetscCall(points_solve(&stepper, 1, T, statistics));
  PetscCall(listen_end(&listen, size, said));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define COOLING "(dt(T) + 50*(T - cos(t)))*v*dx"

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
  PetscCall(run(COOLING, NULL, PETSC_TRUE, sizeof said, said, &s));
  CHECK(s.rejected > 0 && count(said, "rejected: ") == s.rejected);
  CHECK(s.steps >= 20 && count(said, "explain: step ") == s.steps / 10);
  CHECK(strstr(said, "explain: step 10, t = ") && strstr(said, "; dt becomes "));
  CHECK(strstr(said, "rejected: T "));
  PetscCall(run(COOLING, NULL, PETSC_FALSE, sizeof said, said, &s));
  CHECK(!count(said, "explain: "));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is said of the error of a step is what the step was judged by, whatever the method did behind that. */
static PetscErrorCode test_errors_of_a_split_are_those_that_were_tested(void)
{
  static char           said[1 << 16];
  RungStepperStatistics s;

  PetscFunctionBegin;
  PetscCall(run("(dt(T) + 50*T)*v*dx - explicit(50*cos(t)*v*dx)", "ark436", PETSC_TRUE, sizeof said, said, &s));
  for (const char *at = said; (at = strstr(at, "explain: step ")); ++at) {
    double      error = -1, entry = -2;
    const char *where = strstr(at, ": T ");

    CHECK(where && sscanf(where, ": T %lf: T of point 0 %lf", &error, &entry) == 2 && error == entry);
  }
  CHECK(count(said, "explain: step ") > 5);
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_refused_steps_and_each_tenth_are_explained),
               RUNG_TEST(test_errors_of_a_split_are_those_that_were_tested))
