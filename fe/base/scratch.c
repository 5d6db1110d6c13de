/* scratch.c - large arrays of a while: pages of their own, which go back to the system when they are freed.

   What is freed to malloc() stays with the process where a library forbids it to give memory back: SuperLU_DIST, which
   comes with PETSc, calls mallopt() when it is loaded.  Transient arrays of a set-up would then count at its peak although
   nothing is in them.  Pages that are never touched cost nothing, so an upper bound of a length will do. */
#include "base_impl.h"
#include <sys/mman.h>

#define LARGE ((size_t)1 << 22) /* bytes; smaller ones are PetscMalloc's, which knows about leaks and overruns */
#define HUGE  ((size_t)1 << 21) /* bytes of a huge page where the system has them                              */
#define HEAD  64                /* bytes before the array: how many were mapped                                */

PetscErrorCode RungScratchAlloc(size_t bytes, void **scratch)
{
  char  *mapped;
  size_t size = bytes + HEAD;

  PetscFunctionBegin;
  if (size < LARGE) {
    PetscCall(PetscMalloc(size, &mapped));
    size = 0;
  } else {
    mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    PetscCheck(mapped != MAP_FAILED, PETSC_COMM_SELF, PETSC_ERR_MEM, "the system has no %zu bytes of memory", size);
    RungHugePages(mapped, size);
  }
  memcpy(mapped, &size, sizeof size);
  *scratch = mapped + HEAD;
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
  const uintptr_t first = ((uintptr_t)array + HUGE - 1) / HUGE * HUGE, end = ((uintptr_t)array + bytes) / HUGE * HUGE;

  if (bytes >= 2 * HUGE && end > first) (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
#else
  (void)array, (void)bytes;
#endif
}
