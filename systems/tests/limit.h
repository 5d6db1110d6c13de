/* limit.h - files that may not grow: what a full disk does to a write. */
#pragma once

#include <check.h>
#include <sys/resource.h>

/* No file may grow beyond so many bytes. */
static inline PetscErrorCode limit_files(rlim_t bytes)
{
  struct rlimit limit;

  PetscFunctionBegin;
  CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
  limit.rlim_cur = PetscMin(bytes, limit.rlim_max);
  CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}
