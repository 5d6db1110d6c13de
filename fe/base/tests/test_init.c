/* test_init.c - findings of one rank become errors of all.  How the program ends: init_ends.sh. */
#include "check.h"

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

RUNG_TEST_MAIN(RUNG_TEST(test_the_text_of_the_lowest_finder_is_raised_on_all_ranks),
               RUNG_TEST(test_without_a_finding_nothing_is_raised))
