/* files.h - problems written as texts in tests: written to a file, read, run. */
#pragma once

#include <check.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../reader_impl.h"

/* Rank 0 alone has the file: the others stand in another folder. */
static PetscErrorCode write_file(const char name[], const char text[])
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    FILE *file = fopen(name, "wb");

    CHECK(file != NULL);
    (void)fputs(text, file);
    (void)fclose(file);
  } else
    CHECK(!chdir("/"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_text(const char text[], RungProblem *problem)
{
  PetscFunctionBegin;
  PetscCall(write_file("test.rung", text));
  PetscCall(RungProblemCreate(PETSC_COMM_WORLD, problem));
  PetscCall(RungProblemSetQuiet(*problem, PETSC_TRUE));
  PetscCall(RungProblemSetOutput(*problem, "none"));
  PetscCall(RungProblemRead(*problem, "test.rung"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mistakes of a text hold all that is wanted; they are n. */
static PETSC_UNUSED PetscErrorCode check_mistakes(const char text[], PetscInt n, const char wanted[])
{
  RungProblem problem;
  const char *found;
  PetscInt    mistakes;

  PetscFunctionBegin;
  PetscCall(read_text(text, &problem));
  if (problem->steps)
    PetscCall(RungStepsBuild(problem));
  else
    PetscCall(RungBuild(problem, PETSC_FALSE));
  PetscCall(RungProblemGetMistakes(problem, &mistakes, &found));
  if (mistakes != n || !strstr(found, wanted)) {
    fprintf(stderr, "%" PetscInt_FMT " mistakes of\n%s\nare\n%s\nwanted %" PetscInt_FMT " and\n%s\n", mistakes, text,
            found, n, wanted);
    ++check_failures;
  }
  PetscCall(RungProblemDestroy(&problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last value of the first quantity of a run. */
static inline PetscErrorCode run_text(const char text[], RungExit *status, PetscReal *value)
{
  RungProblem problem;
  const char *found;

  PetscFunctionBegin;
  PetscCall(read_text(text, &problem));
  RungCallOrUndo(RungProblemRun(problem, status), PetscCall(RungProblemDestroy(&problem)));
  PetscCall(RungProblemGetMistakes(problem, NULL, &found));
  if (found[0]) fprintf(stderr, "%s\n", found);
  CHECK(!found[0] && problem->series.rows > 0);
  if (value)
    *value = !problem->series.rows ? NAN : problem->series.value[(problem->series.rows - 1) * problem->series.n];
  PetscCall(RungProblemDestroy(&problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}
