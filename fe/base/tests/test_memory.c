/* test_memory.c - large arrays of PETSc: zero where they are asked to be, in huge pages where the system gives them. */
#include "check.h"
#include <string.h>

static PetscErrorCode test_large_arrays_are_zero(void)
{
  const PetscInt n = 1 << 20;

  for (int again = 0; again < 2; ++again) { /* the second one may lie where the first one was */
    PetscInt *a, wrong = 0;

    PetscCall(PetscCalloc1(n, &a));
    for (PetscInt i = 0; i < n; ++i) wrong += a[i] != 0, a[i] = i + 1;
    CHECK(!wrong);
    for (PetscInt i = 0; i < n; ++i) wrong += a[i] != i + 1;
    CHECK(!wrong);
    PetscCall(PetscFree(a));
  }
  return PETSC_SUCCESS;
}

/* Does the system give huge pages to who asks for them, and not to others? */
static PetscBool asks(void)
{
  FILE     *file      = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
  char      line[128] = "";
  PetscBool advice    = PETSC_FALSE;

  if (file && fgets(line, sizeof line, file)) advice = strstr(line, "[madvise]") ? PETSC_TRUE : PETSC_FALSE;
  if (file) (void)fclose(file);
  return advice;
}

/* The flag "hg" of the mapping that holds an address. */
static PetscBool is_advised(const void *address)
{
  FILE         *file = fopen("/proc/self/smaps", "r");
  char          line[1024];
  unsigned long first, end, at = (unsigned long)address;
  PetscBool     here = PETSC_FALSE, advised = PETSC_FALSE;

  while (file && fgets(line, sizeof line, file)) {
    if (sscanf(line, "%lx-%lx ", &first, &end) == 2) here = at >= first && at < end ? PETSC_TRUE : PETSC_FALSE;
    if (here && !strncmp(line, "VmFlags:", 8) && strstr(line, " hg")) advised = PETSC_TRUE;
  }
  if (file) (void)fclose(file);
  return advised;
}

static PetscErrorCode test_large_arrays_ask_for_huge_pages(void)
{
  const PetscInt n = 1 << 20;
  Vec            x;
  PetscScalar   *value;
  char          *a;

  if (!asks()) return PETSC_SUCCESS;
  PetscCall(PetscMalloc1(n, &a));
  CHECK(is_advised(a));
  CHECK(is_advised(a + n - 1));
  PetscCall(PetscFree(a));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, n, &x));
  PetscCall(VecGetArray(x, &value));
  CHECK(is_advised(value + n / 2));
  PetscCall(VecRestoreArray(x, &value));
  PetscCall(VecDestroy(&x));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_large_arrays_are_zero), RUNG_TEST(test_large_arrays_ask_for_huge_pages))
