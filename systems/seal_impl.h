/* seal_impl.h - the last 64 bytes of a checkpoint: how long the file is and a hash of all of it (seal.c). */
#pragma once

#include <rungfe.h>

/* Collective.  Rank 0 appends the seal to the file at `aside`, flushes it to the disk and renames it to `path`. */
PetscErrorCode RungSealWrite(MPI_Comm comm, const char aside[], const char path[]);
/* Collective.  Raises PETSC_ERR_FILE_OPEN or PETSC_ERR_FILE_UNEXPECTED with the reason unless the file is whole. */
PetscErrorCode RungSealCheck(MPI_Comm comm, const char path[]);
