/* checkpoint_impl.h - a checkpoint as checkpoint.c and checkpoint_describe.c see it. */
#pragma once

#include "natural_impl.h"
#include "store_impl.h"
#include <math.h>

struct _p_RungCheckpoint {
  MPI_Comm    comm;    /* lent by sys                                                           */
  RungSystem  sys;     /* reference                                                             */
  RungStore   store;   /* owned                                                                 */
  RungNatural natural; /* owned                                                                 */
  PetscBool   writing;
  PetscBool   force; /* reading: differences in the equations are told, not refused             */
};

/* Writes what the file is a checkpoint of, or compares it with what was written. */
PetscErrorCode RungCheckpointDescribe(RungCheckpoint checkpoint);
