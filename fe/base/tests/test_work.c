/* test_work.c - set-up that takes long is named, set-up that would take far too long is refused. */
#include "base_impl.h"
#include "check.h"
#include <stdio.h>
#include <unistd.h>

static void rest(double seconds)
{
  const double end = MPI_Wtime() + seconds;

  while (MPI_Wtime() < end) (void)usleep(20000);
}

/* What is said on standard error meanwhile: nothing while it is to be quiet, then where the work is. */
static PetscErrorCode test_work_is_named_after_two_seconds(void)
{
  FILE     *said  = tmpfile();
  const int error = dup(2);
  char      text[256];
  long      quiet, ended;
  size_t    n;

  CHECK(said && error >= 0);
  (void)dup2(fileno(said), 2);
  RungWorkBegin("the %s", "system");
  RungWorkBegin("residual %d", 1);
  RungWorkEnd();
  RungWorkBegin("residual %d", 2);
  RungWorkQuiet(PETSC_TRUE);
  rest(2.2);
  quiet = lseek(fileno(said), 0, SEEK_END);
  RungWorkQuiet(PETSC_FALSE);
  rest(1.1);
  RungWorkEnd();
  RungWorkEnd();
  ended = lseek(fileno(said), 0, SEEK_END);
  (void)dup2(error, 2);
  (void)close(error);
  rewind(said);
  n       = fread(text, 1, sizeof text - 1, said);
  text[n] = 0;
  (void)fclose(said);
  CHECK(!quiet && ended == (long)n);
  CHECK(!strcmp(text, "setting up the system, residual 2: 3 s so far\n"));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_what_takes_minutes_or_gigabytes_is_refused(void)
{
  PetscCall(RungWorkAllow(5e11, 1e8, "the table"));
  CHECK_RAISES(RungWorkAllow(7e11, 1e8, "the table of %d", 3), "the table of 3 would take some 7e+02 s and 0.8 GB");
  CHECK_RAISES(RungWorkAllow(1, 1.1e9, "the table"), "or -rung_large");
  PetscCall(PetscOptionsSetValue(NULL, "-rung_large", "true"));
  PetscCall(RungWorkStart());
  PetscCall(RungWorkAllow(7e11, 1e8, "the table"));
  CHECK_RAISES(RungWorkAllow(1, 1e19, "the table"), "more than this PETSc can count");
  PetscCall(PetscOptionsClearValue(NULL, "-rung_large"));
  PetscCall(RungWorkStart());
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_basis_of_hours_is_refused(void)
{
  RungElement *element;

  CHECK_RAISES(RungElementCreate(PETSC_COMM_SELF, "P40", "P", RUNG_TETRAHEDRON, 40, &element),
               "the basis of degree 40 on a tetrahedron would take some 1.9e+03 s");
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_work_is_named_after_two_seconds),
               RUNG_TEST(test_what_takes_minutes_or_gigabytes_is_refused), RUNG_TEST(test_a_basis_of_hours_is_refused))
