/* store_file_impl.h - a store as store.c and store_vec.c see it. */
#pragma once

#include "store_impl.h"
#include <hdf5.h>
#include <stdint.h>

struct _RungStore {
  MPI_Comm    comm; /* owned, PetscCommDuplicate                                      */
  PetscMPIInt tag;  /* of pieces of vectors                                           */
  PetscMPIInt rank;
  const char *kind;     /* static: "checkpoint"                                       */
  hid_t       file;     /* owned by rank 0; -1 on others, and where it is not open    */
  int        *trouble;  /* owned while `file` is open or can be: errno of the disk (disk.c), 0 while all is well */
  int         lock;     /* rank 0: keeps other runs from the file aside; -1: none     */
  PetscBool   writing;  /* and not finished                                           */
  PetscBool   made;     /* rank 0 has made the file aside                             */
  char        why[256]; /* rank 0: the first trouble, "" while all is well            */
  char        path[PETSC_MAX_PATH_LEN], aside[PETSC_MAX_PATH_LEN + 8];
};

/* Rank 0: whether HDF5 could write `what`; the store's first trouble is kept, in the disk's words where those are known. */
void RungStoreMind(RungStore store, int ok, const char what[]);

/* Rank 0: whether there is an object of this name, and the byte of the file with its header, which is not read. */
int RungStoreFind(RungStore store, const char path[], uint64_t *at);

/* Whether numbers of a file are of a type that stores are written with, on some machine; HDF5 could turn others into
   these, by the rules that the file gives. */
int RungStoreIsReal(hid_t type);
