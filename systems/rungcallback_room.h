/* rungcallback_room.h - functions of a program that are called on all ranks.  Not installed, not exported. */
#pragma once

#include <rungsystem.h>

/* RungCallback - calls a function of the program; an error on any rank becomes one on all of them, PETSC_ERR_USER with its text, on one
   rank the same error.  what: "residual callback".  Collective. */
#define RungCallback(comm, what, call) PetscCall(RungCallbackAgree((comm), (RungCallbackForget(), (call)), (what)))

/* The work of RungCallback. */
RUNG_INTERN PetscErrorCode RungCallbackAgree(MPI_Comm comm, PetscErrorCode code, const char what[]);
RUNG_INTERN void           RungCallbackForget(void);
