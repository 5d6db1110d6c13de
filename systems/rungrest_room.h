/* rungrest_room.h - solutions without rates, one after the other.  Not installed, not exported. */
#pragma once

#include <rungsolve_room.h>

/* RungRest - solves F(t, u, 0, 0) = 0 by Newton's method of the stages, with their options and the solver that they choose, and keeps matrix
   and factors for the next solve.  Collective. */
typedef struct _RungRest *RungRest;

RUNG_INTERN PetscErrorCode RungRestCreate(RungTransientSystem ts, RungRest *rest); /* ts is lent and outlives it */
RUNG_INTERN PetscErrorCode RungRestDestroy(RungRest *rest);                        /* NULL: nothing              */
/* RungRestSolve - boundary values and bounds of time t are put in.
   In   u        the solution before, or a guess: what is accurate is measured from there
        ratio    the guess is u + ratio (u - before);  0: u, and before is not read
   Out  w        the solution, where verdict->solved; may be u
        iterations  of Newton's method; NULL: nobody asks */
RUNG_INTERN PetscErrorCode RungRestSolve(RungRest rest, PetscReal t, Vec u, PetscReal ratio, Vec before, Vec w,
                                         PetscInt *iterations, RungVerdict *verdict);
