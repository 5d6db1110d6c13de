/* heap.c - the heap of the process lies in huge pages.

   A vector of a million unknowns is 2000 pages of 4 kB, each of which the system hands out and clears by itself when it is
   first touched, and looks up again in each pass.  In huge pages there are four of them, which spares 5 to 15 % of the time from
   a mesh to its first solution and 5 to 30 % of an explicit step (bench/README.md).  Many systems give huge pages only where
   a program asks for them (/sys/kernel/mm/transparent_hugepage/enabled: madvise).

   So malloc() takes all but the largest arrays from the heap, which grows by GROWTH at a time, and what has been added is
   asked for in huge pages before it is touched.  An array that is never touched costs the page with its length. */
#include "base_impl.h"

#if defined(__GLIBC__)
  #include <malloc.h>
  #include <unistd.h>

  #define GROWTH (1 << 26) /* bytes */
  #define MAPPED (1 << 25) /* bytes from which on malloc() maps an array by itself: the most that mallopt() takes */

static struct {
  PetscBool on;
  uintptr_t end; /* of the heap, when it was looked at last */
} heap;

void RungHeapBegin(void)
{
  if (heap.on) return;
  (void)mallopt(M_MMAP_THRESHOLD, MAPPED);
  (void)mallopt(M_TRIM_THRESHOLD, 2 * GROWTH);
  (void)mallopt(M_TOP_PAD, GROWTH);
  heap.on  = PETSC_TRUE;
  heap.end = (uintptr_t)sbrk(0);
}

void RungHeapEnd(void)
{
  heap.on = PETSC_FALSE;
}

void RungHeapAdvise(void *array, size_t bytes)
{
  uintptr_t end;

  if (!heap.on) return;
  end = (uintptr_t)sbrk(0);
  if (end > heap.end) RungHugePages((void *)heap.end, end - heap.end);
  heap.end = end / RUNG_HUGE * RUNG_HUGE; /* a page that is not whole yet is asked for when it is */
  if (bytes >= MAPPED && (uintptr_t)array > end) RungHugePages(array, bytes);
}
#else
void RungHeapBegin(void) {}

void RungHeapEnd(void) {}

void RungHeapAdvise(void *array, size_t bytes)
{
  (void)array, (void)bytes;
}
#endif
