/* scratch.c - large arrays of a while: pages of their own, which go back to the system when they are freed.

   What is freed to malloc() stays with the process where a library forbids it to give memory back: SuperLU_DIST, which
   comes with PETSc, calls mallopt() when it is loaded.  Transient arrays of a set-up would then count at its peak although
   nothing is in them.  Pages that are never touched cost nothing, so an upper bound of a length will do. */
#include "base_impl.h"
#include <sys/mman.h>

#define LARGE ((size_t)1 << 22) /* bytes; smaller ones are PetscMalloc's, which knows about leaks and overruns */
#define HEAD  64                /* bytes before the array: how many were mapped                                */

/* A number of whole huge pages.  Without the bounds, the parts before the first huge page and behind the last one would come in pages of 4 kB,
   256 each on average.  On a virtual machine a fault of such a page took 13 us, one of a huge page, which has 512 times the bytes, 140. */
static void *map(size_t size)
{
  char  *mapped = mmap(NULL, size + RUNG_HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                       0);
  size_t before;

  if (mapped == MAP_FAILED) return NULL;
  before = (RUNG_HUGE - (uintptr_t)mapped % RUNG_HUGE) % RUNG_HUGE;
  if (before) (void)munmap(mapped, before);
  (void)munmap(mapped + before + size, RUNG_HUGE - before);
  RungHugePages(mapped + before, size);
  return mapped + before;
}

PetscErrorCode RungScratchAlloc(size_t bytes, void **scratch)
{
  char  *mapped;
  size_t size = bytes + HEAD;

  PetscFunctionBegin;
  if (size < LARGE) {
    PetscCall(PetscMalloc(size, &mapped));
    size = 0;
  } else {
    size   = (size + RUNG_HUGE - 1) / RUNG_HUGE * RUNG_HUGE;
    mapped = map(size);
    PetscCheck(mapped, PETSC_COMM_SELF, PETSC_ERR_MEM,
               "the system has no %zu bytes of memory; take a smaller problem, more ranks or another machine", size);
  }
  memcpy(mapped, &size, sizeof size);
  *scratch = mapped + HEAD;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New pages are zero. */
PetscErrorCode RungScratchZeros(size_t bytes, void **scratch)
{
  PetscFunctionBegin;
  PetscCall(RungScratchAlloc(bytes, scratch));
  if (bytes + HEAD < LARGE) memset(*scratch, 0, bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungScratchFree_(void **scratch)
{
  char  *mapped = *scratch ? (char *)*scratch - HEAD : NULL;
  size_t size;

  PetscFunctionBegin;
  *scratch = NULL;
  if (!mapped) PetscFunctionReturn(PETSC_SUCCESS);
  memcpy(&size, mapped, sizeof size);
  if (size)
    (void)munmap(mapped, size);
  else
    PetscCall(PetscFree(mapped));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Advice: nothing is wrong if the system has no huge pages or does not want to give any. */
void RungHugePages(void *array, size_t bytes)
{
#if defined(MADV_HUGEPAGE)
  const uintptr_t first = ((uintptr_t)array + RUNG_HUGE - 1) / RUNG_HUGE * RUNG_HUGE,
                  end   = ((uintptr_t)array + bytes) / RUNG_HUGE * RUNG_HUGE;

  if (bytes >= 2 * RUNG_HUGE && end > first) (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
#else
  (void)array, (void)bytes;
#endif
}
