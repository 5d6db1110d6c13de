/* test_heap.c - arrays in huge pages: where the system has them, unless the program does not want them. */
#include "base_impl.h"
#include "check.h"

#include <stdio.h>

#define ARRAYS 12
#define BYTES  ((size_t)8 << 20)

/* Are huge pages asked for where `place` lies?  The kernel tells by the flag "hg" of its part of the memory. */
static PetscBool is_huge(const void *place)
{
  FILE     *file   = fopen("/proc/self/smaps", "r");
  PetscBool within = PETSC_FALSE, found = PETSC_FALSE;
  char      line[4096];

  while (file && fgets(line, sizeof line, file)) {
    unsigned long long first, end;

    if (sscanf(line, "%llx-%llx ", &first, &end) == 2)
      within = (uintptr_t)place >= first && (uintptr_t)place < end ? PETSC_TRUE : PETSC_FALSE;
    else if (within && strncmp(line, "VmFlags:", 8) == 0)
      found = strstr(line, " hg") ? PETSC_TRUE : PETSC_FALSE;
  }
  if (file) (void)fclose(file);
  return found;
}

/* malloc() of sanitizers has its own places; kernels may be built without huge pages. */
static PetscBool has_huge_pages(void)
{
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
  FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");

  if (file) (void)fclose(file);
  return file ? PETSC_TRUE : PETSC_FALSE;
#else
  return PETSC_FALSE;
#endif
}

static PetscErrorCode take(char *a[])
{
  PetscFunctionBegin;
  for (int i = 0; i < ARRAYS; ++i) PetscCall(PetscMalloc1(BYTES, &a[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode give_back(char *a[])
{
  PetscFunctionBegin;
  for (int i = 0; i < ARRAYS; ++i) PetscCall(PetscFree(a[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_arrays_lie_in_huge_pages(void)
{
  char *a[ARRAYS], *large;

  PetscCall(take(a));
  PetscCall(PetscMalloc1(8 * BYTES, &large));
  if (has_huge_pages()) {
    for (int i = 0; i < ARRAYS; ++i) CHECK(is_huge(a[i] + BYTES / 2));
    CHECK(is_huge(large + 4 * BYTES));
  }
  PetscCall(PetscFree(large));
  PetscCall(give_back(a));
  return PETSC_SUCCESS;
}

/* But for the page with its length. */
static PetscErrorCode test_what_nobody_touches_costs_nothing(void)
{
  PetscLogDouble before, after;
  char          *a[ARRAYS];

  PetscCall(PetscMemoryGetCurrentUsage(&before));
  PetscCall(take(a));
  PetscCall(PetscMemoryGetCurrentUsage(&after));
  if (has_huge_pages()) CHECK(after - before < (PetscLogDouble)(ARRAYS * BYTES / 2));
  PetscCall(give_back(a));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_what_is_asked_for_cleared_is(void)
{
  char  *a[ARRAYS], *b;
  size_t wrong = 0;

  PetscCall(take(a));
  for (int i = 0; i < ARRAYS; ++i) memset(a[i], 1, BYTES);
  PetscCall(give_back(a));
  PetscCall(PetscCalloc1(2 * BYTES, &b));
  for (size_t i = 0; i < 2 * BYTES; ++i) wrong += b[i] != 0;
  CHECK(!wrong);
  PetscCall(PetscFree(b));
  return PETSC_SUCCESS;
}

/* More than the heap has room for so far: it grows. */
static PetscErrorCode test_a_program_may_do_without(void)
{
  char *a[4][ARRAYS];

  RungHeapEnd();
  for (int i = 0; i < 4; ++i) PetscCall(take(a[i]));
  if (has_huge_pages()) CHECK(!is_huge(a[3][ARRAYS - 1] + BYTES / 2));
  for (int i = 0; i < 4; ++i) PetscCall(give_back(a[i]));
  RungHeapBegin();
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_arrays_lie_in_huge_pages), RUNG_TEST(test_what_nobody_touches_costs_nothing),
               RUNG_TEST(test_what_is_asked_for_cleared_is), RUNG_TEST(test_a_program_may_do_without))
