/* store_impl.h - one HDF5 file that rank 0 alone opens; values go through it to and from all ranks (store.c).

   Writing never fails in the middle: the first trouble of the disk is kept, what is put afterwards is dropped, and Finish
   tells.  Reading raises PETSC_ERR_FILE_UNEXPECTED on all ranks with what was found.  All functions are collective. */
#pragma once

#include <rungfe_room.h>

typedef struct _RungStore *RungStore;

/* kind, "checkpoint": the first word of messages.  Create makes PATH.part; ok and why[room] say whether that is possible. */
PetscErrorCode RungStoreCreate(MPI_Comm comm, const char kind[], const char path[], RungStore *store);
PetscErrorCode RungStoreOpen(MPI_Comm comm, const char kind[], const char path[], RungStore *store);
/* What has gone wrong so far; why[room] on all ranks. */
PetscErrorCode RungStoreGetTrouble(RungStore store, PetscBool *ok, char why[], size_t room);
/* The file gets its seal and its name if all is well; nulls *store in any case. */
PetscErrorCode RungStoreFinish(RungStore *store, PetscBool *ok, char why[], size_t room);
PetscErrorCode RungStoreClose(RungStore *store);                /* nulls; a file that was not finished is removed */
PetscErrorCode RungStoreReserve(RungStore store, double bytes); /* so many are going to be put */
const char    *RungStorePath(RungStore store);                  /* lent */

/* Attributes of the group /rung.  Put takes rank 0's value. */
PetscErrorCode RungStorePutNumber(RungStore store, const char name[], double value);
PetscErrorCode RungStorePutText(RungStore store, const char name[], const char text[]);
PetscErrorCode RungStoreHas(RungStore store, const char name[], PetscBool *has);
PetscErrorCode RungStoreGetNumber(RungStore store, const char name[], double *value); /* finite */
PetscErrorCode RungStoreGetText(RungStore store, const char name[], char **text);     /* PetscFree */

/* A data set "group/name" with the entries of u, [entry/block size][block size], or [entry] where that is 1. */
PetscErrorCode RungStorePutVec(RungStore store, const char group[], const char name[], Vec u);
PetscErrorCode RungStoreGetVec(RungStore store, const char group[], const char name[], Vec u); /* finite entries */
/* Entries of a data set of one dimension. */
PetscErrorCode RungStoreGetSize(RungStore store, const char group[], const char name[], PetscInt *n);
