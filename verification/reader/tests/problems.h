/* problems.h - the reference problems of verification/problems, for tests that study them. */
#pragma once

#include <rungreader.h>
#include <rungverify.h>

static PetscErrorCode test_the_problems_are_there(void)
{
  static const char *const wanted[] = {"relaxation", "oscillator",     "steady_edge",
                                       "moving_bar", "nonlinear_mass", "maxwell"};
  const RungCase          *problem;

  PetscFunctionBegin;
  PetscCall(RungCaseReadFiles(PETSC_COMM_WORLD, RUNG_PROBLEMS));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(wanted); ++i) {
    PetscCall(RungCaseFind(PETSC_COMM_WORLD, wanted[i], &problem));
    CHECK(problem->about[0] && problem->end > problem->start && problem->method);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
