/* rungtable_room.h - PETSc's tables by keys.  Not installed, not exported.

   The tables ask for memory by these macros and use what they get, without a way to say that there was none: a message ends the process
   then, in the place of a crash. */
#pragma once

#include <petscsys.h>
#include <rungerror.h>

/* RungTableMemory - memory of so many bytes, or NULL, which ends the process on all ranks with a message.  Not collective. */
RUNG_INTERN void *RungTableMemory(void *memory, size_t bytes);

#define kcalloc(n, size)       RungTableMemory(calloc((n), (size)), (size_t)(n) * (size))
#define kmalloc(size)          RungTableMemory(malloc(size), (size))
#define krealloc(memory, size) RungTableMemory(realloc((memory), (size)), (size))

#include <petsc/private/hashmapi.h>
#include <petsc/private/hashmapij.h>
