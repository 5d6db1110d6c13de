/* test_directory.c - holders of equal keys agree. */
#include "fe_impl.h"
#include "check.h"

/* Rank r holds the pairs (i, 7) for i = r .. r + 9. */
static PetscErrorCode test_holders_choose_one_of_them(void)
{
  PetscInt      key[20], owner[10], holders[10], partner[10], value[10];
  PetscMPIInt   rank, size;
  RungDirectory dir;

  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt i = 0; i < 10; ++i) key[2 * i] = rank + i, key[2 * i + 1] = 7;
  PetscCall(RungDirectoryCreate(PETSC_COMM_WORLD, 2, 10, key, &dir));
  PetscCall(RungDirectoryChoose(dir, owner, holders, partner));
  for (PetscInt i = 0; i < 10; ++i) {
    const PetscInt k = rank + i, low = PetscMax(0, k - 9), high = PetscMin(size - 1, k);

    CHECK(holders[i] == high - low + 1);
    CHECK(owner[i] >= low && owner[i] <= high);
    CHECK(partner[i] == (high == low + 1 ? low + high - rank : -1));
    value[i] = owner[i] == rank ? 100 + k : -1;
  }
  PetscCall(RungDirectoryMax(dir, value));
  for (PetscInt i = 0; i < 10; ++i) CHECK(value[i] == 100 + rank + i); /* exactly one owner brought it */
  PetscCall(RungDirectoryDestroy(&dir));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_ranks_without_keys_take_part(void)
{
  PetscInt      key = 5, owner = -1, holders = -1;
  PetscMPIInt   rank;
  RungDirectory dir;

  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(RungDirectoryCreate(PETSC_COMM_WORLD, 1, rank ? 0 : 1, &key, &dir));
  PetscCall(RungDirectoryChoose(dir, &owner, &holders, NULL));
  CHECK(rank ? owner == -1 : owner == 0 && holders == 1);
  PetscCall(RungDirectoryDestroy(&dir));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_holders_choose_one_of_them), RUNG_TEST(test_ranks_without_keys_take_part))
