/* test_scratch.c - arrays of a while: small ones, large ones in pages of their own. */
#include "base_impl.h"
#include "check.h"

static PetscErrorCode test_an_array_holds_what_is_written(void)
{
  const PetscInt count[4] = {0, 10, 1 << 18, 3 << 20};

  for (int i = 0; i < 4; ++i) {
    PetscInt *a, *b, wrong = 0;

    PetscCall(RungScratch1(count[i], &a));
    PetscCall(RungScratch1(count[i], &b));
    for (PetscInt k = 0; k < count[i]; ++k) a[k] = k, b[k] = -k;
    for (PetscInt k = 0; k < count[i]; ++k) wrong += a[k] != k || b[k] != -k;
    CHECK(!wrong);
    PetscCall(RungScratchFree(&a));
    PetscCall(RungScratchFree(&b));
    CHECK(!a && !b);
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_nothing_may_be_freed(void)
{
  PetscInt *a = NULL;

  PetscCall(RungScratchFree(&a));
  CHECK(!a);
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_large_array_goes_back_to_the_system(void)
{
  const PetscInt count = 1 << 22;
  PetscLogDouble before, during, after;
  char          *a;

  PetscCall(PetscMemoryGetCurrentUsage(&before));
  PetscCall(RungScratch1(4 * count, &a));
  for (PetscInt k = 0; k < 4 * count; k += 4096) a[k] = 1;
  PetscCall(PetscMemoryGetCurrentUsage(&during));
  PetscCall(RungScratchFree(&a));
  PetscCall(PetscMemoryGetCurrentUsage(&after));
  CHECK(during - before > 3. * (double)count);
  CHECK(after - before < (double)count);
  return PETSC_SUCCESS;
}

static PetscErrorCode test_zeros_are_zero_where_others_wrote(void)
{
  const size_t bytes[3] = {100, (size_t)1 << 20, (size_t)5 << 20};

  for (int i = 0; i < 3; ++i) {
    char  *a;
    size_t wrong = 0;

    for (int turn = 0; turn < 2; ++turn) {
      PetscCall(RungScratchZeros(bytes[i], (void **)&a));
      for (size_t k = 0; k < bytes[i]; ++k) wrong += a[k] != 0, a[k] = 1;
      PetscCall(RungScratchFree(&a));
    }
    CHECK(!wrong);
  }
  return PETSC_SUCCESS;
}

/* The length of a large array is the first thing in a huge page. */
static PetscErrorCode test_large_arrays_begin_with_a_huge_page(void)
{
  char *a[3];

  for (int i = 0; i < 3; ++i) {
    PetscCall(RungScratch1((3 + 2 * i) * (1 << 21) + 1000 * i, &a[i]));
    CHECK((uintptr_t)a[i] % RUNG_HUGE < 4096);
  }
  for (int i = 0; i < 3; ++i) PetscCall(RungScratchFree(&a[i]));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_an_array_holds_what_is_written), RUNG_TEST(test_nothing_may_be_freed),
               RUNG_TEST(test_a_large_array_goes_back_to_the_system), RUNG_TEST(test_zeros_are_zero_where_others_wrote),
               RUNG_TEST(test_large_arrays_begin_with_a_huge_page))
