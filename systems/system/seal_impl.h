/* seal_impl.h - the last 64 bytes of a checkpoint: how long the file is and a hash of all of it (seal.c). */
#pragma once

#include <rungfe.h>

/* Collective.  Has the disk of `path` so many bytes?  One that fills up in the middle of a parallel write leaves nobody in a
   state to say so. */
PetscErrorCode RungSealRoom(MPI_Comm comm, const char path[], double bytes);
/* Collective.  Can `path` be replaced and the file at `aside` be made?  Rank 0 makes it; ok and why are its own. */
PetscErrorCode RungSealTry(MPI_Comm comm, const char path[], const char aside[], PetscBool *ok, char why[],
                           size_t room);
PetscErrorCode RungSealForget(MPI_Comm comm, const char aside[]); /* removes it */
/* Collective.  Rank 0 appends the seal to the file at `aside`, flushes it to the disk and renames it to `path`. */
PetscErrorCode RungSealWrite(MPI_Comm comm, const char aside[], const char path[]);
/* Collective.  Raises PETSC_ERR_FILE_OPEN or PETSC_ERR_FILE_UNEXPECTED with the reason unless the file is whole. */
PetscErrorCode RungSealCheck(MPI_Comm comm, const char path[]);
