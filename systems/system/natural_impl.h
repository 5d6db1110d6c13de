/* natural_impl.h - a system's Vec in natural order (natural.c), for files. */
#pragma once

#include "form_side_impl.h"

typedef struct _RungNatural *RungNatural;
struct _RungNatural {
  PetscInt    pieces;  /* one for each unknown; 1 for callbacks                                        */
  Vec        *piece;   /* owned, [pieces] named as the unknown                                         */
  VecScatter *scatter; /* owned, [pieces] from the system's Vec; NULL where the order is the same      */
};
PetscErrorCode RungNaturalCreate(RungSystem sys, RungNatural *natural);
PetscErrorCode RungNaturalFrom(RungNatural natural, PetscInt f, Vec u); /* piece[f] = entries of u */
PetscErrorCode RungNaturalTo(RungNatural natural, PetscInt f, Vec u);   /* entries of u = piece[f] */
PetscErrorCode RungNaturalDestroy(RungNatural *natural);
