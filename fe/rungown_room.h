/* rungown_room.h - local variables that give back what they hold, on every way out.  Not installed, not exported.

   RUNG_OWNED(destroy) in front of a local variable, NULL or zeros at first: what it holds where its block ends is destroyed, behind an error,
   too.  Who gives it away sets it to NULL.  RUNG_FREE: the same of an array from PetscMalloc1() and its like.

       RUNG_FREE PetscInt *order = NULL;

       PetscCall(PetscMalloc1(n, &order));
       PetscCall(fill(n, order));                      without an end of its own                                                          */
#pragma once

#include <petscsys.h>
#include <string.h>

#define RUNG_OWNED(destroy) __attribute__((cleanup(destroy)))
#define RUNG_FREE           RUNG_OWNED(RungFree_Private)

static inline void RungFree_Private(void *array)
{
  void *memory;

  memcpy(&memory, array, sizeof memory);
  (void)PetscFree(memory);
}
