/* memory.c - memory that is not there: PETSc's own message has neither its size nor a reason. */
#include <rungtable_room.h>
#include "base_impl.h"

#include <stdio.h>

static PetscErrorCode (*petsc_malloc)(size_t, PetscBool, int, const char[], const char[], void **);
static PetscErrorCode (*petsc_realloc)(size_t, int, const char[], const char[], void **);

static PetscErrorCode refuse(size_t size, const char function[])
{
  static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  double                   amount = (double)size;
  size_t                   i      = 0;

  while (amount >= 1000 && i + 1 < PETSC_STATIC_ARRAY_LENGTH(unit)) amount /= 1000, ++i;
  return PetscError(PETSC_COMM_SELF, __LINE__, function, __FILE__, PETSC_ERR_MEM, PETSC_ERROR_INITIAL,
                    "no memory for %.3g %s (%s); take a smaller problem, more ranks or another machine", amount,
                    unit[i], function);
}

static PetscErrorCode allocate(size_t size, PetscBool clear, int line, const char function[], const char file[],
                               void **result)
{
  if (petsc_malloc(size, PETSC_FALSE, line, function, file, result)) return refuse(size, function);
  RungHeapAdvise(*result, size); /* before it is touched */
  if (clear && size) memset(*result, 0, size);
  return PETSC_SUCCESS;
}

static PetscErrorCode reallocate(size_t size, int line, const char function[], const char file[], void **result)
{
  if (petsc_realloc(size, line, function, file, result)) return refuse(size, function);
  RungHeapAdvise(*result, size);
  return PETSC_SUCCESS;
}

void *RungTableMemory(void *memory, size_t bytes)
{
  if (memory || !bytes) return memory;
  (void)fprintf(stderr,
                "error: no memory for %zu bytes of a table; take a smaller problem, more ranks or another machine\n",
                bytes);
  (void)MPI_Abort(MPI_COMM_WORLD, PETSC_ERR_MEM);
  return NULL;
}

void RungMemoryBegin(void)
{
  petsc_malloc   = PetscTrMalloc;
  petsc_realloc  = PetscTrRealloc;
  PetscTrMalloc  = allocate;
  PetscTrRealloc = reallocate;
}

void RungMemoryEnd(void)
{
  if (PetscTrMalloc == allocate) PetscTrMalloc = petsc_malloc;
  if (PetscTrRealloc == reallocate) PetscTrRealloc = petsc_realloc;
}
