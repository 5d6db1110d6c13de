/* test_error.c - findings of one rank become errors of all; an error comes back to a program that goes on.  How a program
   ends after one: init_ends.sh. */
#include "check.h"
#include <rungbinding.h>

static PetscErrorCode find(PetscMPIInt finder)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  RungCheckAll(rank < finder, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "rank %d found it", rank);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_text_of_the_lowest_finder_is_raised_on_all_ranks(void)
{
  PetscMPIInt size;
  char        text[32];

  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscMPIInt finder = 0; finder < size; ++finder) {
    PetscCall(PetscSNPrintf(text, sizeof text, "rank %d found it", finder));
    CHECK_RAISES(find(finder), text);
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_without_a_finding_nothing_is_raised(void)
{
  PetscMPIInt size;

  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  CHECK(!find(size));
  return PETSC_SUCCESS;
}

/* ---- errors that come back ------------------------------------------------------------------------------------------ */

static int refusing; /* line of the SETERRQ below */

static PetscErrorCode refuse(PetscErrorCode code, const char text[])
{
  PetscFunctionBegin;
  refusing = __LINE__ + 1;
  SETERRQ(PETSC_COMM_SELF, code, "%s", text);
}

static PetscErrorCode pass_on(PetscErrorCode code, const char text[])
{
  PetscFunctionBegin;
  PetscCall(refuse(code, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_text_and_place_come_back_and_are_forgotten(void)
{
  RungErrorInfo error;

  PetscCall(RungErrorBegin());
  CHECK(pass_on(PETSC_ERR_ARG_WRONG, "found one, wanted two; take another") == PETSC_ERR_ARG_WRONG);
  PetscCall(RungErrorGet(&error));
  CHECK(error.code == PETSC_ERR_ARG_WRONG && error.line == refusing);
  CHECK(!strcmp(error.text, "found one, wanted two; take another"));
  CHECK(!strcmp(error.function, "refuse") && !strcmp(error.file, "fe/base/tests/test_error.c"));
  CHECK(strstr(error.trace, "refuse() fe/base/tests/test_error.c:") == error.trace);
  CHECK(strstr(error.trace, "\npass_on() fe/base/tests/test_error.c:"));
  PetscCall(RungErrorClear());
  PetscCall(RungErrorGet(&error));
  CHECK(!error.code && !error.line && !error.text[0] && !error.function[0] && !error.file[0] && !error.trace[0]);
  PetscCall(RungErrorEnd());
  return PETSC_SUCCESS;
}

static PetscErrorCode test_the_second_of_two_errors_is_the_last(void)
{
  RungErrorInfo error;

  PetscCall(RungErrorBegin());
  CHECK(pass_on(PETSC_ERR_ARG_WRONG, "the first") && refuse(PETSC_ERR_ARG_WRONG, "the second"));
  PetscCall(RungErrorGet(&error));
  CHECK(!strcmp(error.text, "the second") && !strstr(error.trace, "pass_on"));
  CHECK(RungCheckAll_Private(MPI_COMM_NULL, 1, NULL, 0, NULL) != 0); /* PETSc's own words about MPI's error */
  PetscCall(RungErrorGet(&error));
  CHECK(error.code == PETSC_ERR_MPI && strstr(error.text, "MPI error") && !strcmp(error.file, "fe/base/error.c"));
  PetscCall(RungErrorEnd());
  PetscCall(RungErrorClear());
  return PETSC_SUCCESS;
}

/* PETSc has 2048 bytes for a text. */
static PetscErrorCode test_a_text_that_is_too_long_ends_between_two_letters(void)
{
  RungErrorInfo error;
  char          text[3001];

  PetscCall(RungErrorBegin());
  for (int shift = 0; shift < 2; ++shift) {
    memset(text, 'x', sizeof text - 1);
    for (int i = shift; i + 1 < 3000; i += 2) memcpy(text + i, "\xc3\xa4", 2); /* a letter of two bytes */
    text[3000] = 0;
    CHECK(refuse(PETSC_ERR_ARG_WRONG, text));
    PetscCall(RungErrorGet(&error));
    const size_t n = strlen(error.text);
    CHECK(n > 2040 && n < 2048 && !strcmp(error.text + n - 2, ".."));
    CHECK(!strncmp(error.text, text, n - 2) && (n - 2 - (size_t)shift) % 2 == 0);
  }
  text[2046] = 0; /* just as long as it may be */
  CHECK(refuse(PETSC_ERR_ARG_WRONG, text));
  PetscCall(RungErrorGet(&error));
  CHECK(!strcmp(error.text, text));
  PetscCall(RungErrorEnd());
  PetscCall(RungErrorClear());
  return PETSC_SUCCESS;
}

static PetscErrorCode down(int depth)
{
  PetscFunctionBegin;
  PetscCheck(depth, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "at the ground");
  PetscCall(down(depth - 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_long_way_keeps_its_origin(void)
{
  RungErrorInfo error;

  PetscCall(RungErrorBegin());
  CHECK(down(500));
  PetscCall(RungErrorGet(&error));
  CHECK(strlen(error.trace) > 3000 && error.trace[strlen(error.trace) - 1] == '\n');
  CHECK(!strcmp(error.text, "at the ground"));
  PetscCall(RungErrorEnd());
  PetscCall(RungErrorClear());
  return PETSC_SUCCESS;
}

/* Nobody waits; what goes through all ranks has one text on all. */
static PetscErrorCode test_an_error_of_one_rank_is_known_there_alone(void)
{
  RungErrorInfo error;
  PetscMPIInt   rank, size;

  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(RungErrorBegin());
  if (rank == size - 1) CHECK(refuse(PETSC_ERR_MEM, "no room here"));
  PetscCall(RungErrorGet(&error));
  CHECK(!strcmp(error.text, rank == size - 1 ? "no room here" : ""));
  CHECK(find(size - 1) == PETSC_ERR_ARG_WRONG);
  PetscCall(RungErrorGet(&error));
  CHECK(strstr(error.text, " found it") && atoi(error.text + 5) == size - 1);
  PetscCall(RungErrorEnd());
  PetscCall(RungErrorClear());
  return PETSC_SUCCESS;
}

static PetscErrorCode test_ours_is_above_handlers_of_others_and_they_come_back(void)
{
  char          others[4096] = "";
  RungErrorInfo error;

  PetscCall(PetscPushErrorHandler(check_keep_message, others));
  PetscCall(RungErrorBegin());
  PetscCall(RungErrorBegin()); /* they nest */
  CHECK(refuse(PETSC_ERR_ARG_WRONG, "for us"));
  PetscCall(RungErrorEnd());
  CHECK(refuse(PETSC_ERR_ARG_WRONG, "for us as well") && !others[0]);
  PetscCall(RungErrorEnd());
  CHECK(refuse(PETSC_ERR_ARG_WRONG, "for others") && !strcmp(others, "for others"));
  PetscCall(PetscPopErrorHandler());
  PetscCall(RungErrorGet(&error));
  CHECK(!strcmp(error.text, "for us as well"));
  CHECK_RAISES(RungErrorEnd(), "RungErrorEnd() without a RungErrorBegin() before it");
  CHECK_RAISES(RungErrorGet(NULL), "with no place for the error");
  PetscCall(RungErrorClear());
  return PETSC_SUCCESS;
}

/* So does a program that has never heard of RungErrorBegin. */
static PetscErrorCode test_the_last_error_is_known_without_a_begin(void)
{
  RungErrorInfo error;

  CHECK(refuse(PETSC_ERR_ARG_WRONG, "by itself"));
  PetscCall(RungErrorGet(&error));
  CHECK(!strcmp(error.text, "by itself"));
  PetscCall(RungErrorClear());
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_the_text_of_the_lowest_finder_is_raised_on_all_ranks),
               RUNG_TEST(test_without_a_finding_nothing_is_raised),
               RUNG_TEST(test_text_and_place_come_back_and_are_forgotten),
               RUNG_TEST(test_the_second_of_two_errors_is_the_last),
               RUNG_TEST(test_a_text_that_is_too_long_ends_between_two_letters),
               RUNG_TEST(test_a_long_way_keeps_its_origin), RUNG_TEST(test_an_error_of_one_rank_is_known_there_alone),
               RUNG_TEST(test_ours_is_above_handlers_of_others_and_they_come_back),
               RUNG_TEST(test_the_last_error_is_known_without_a_begin))
