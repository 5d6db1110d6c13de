/* rungstep_room.h - what the room above needs of steppers besides what programs do.  Not installed, not exported. */
#pragma once

#include <rungstep.h>
#include <rungsystem_room.h>

/* RungStepperGetTransientSystem - the system in time; sets the stepper up; lent.  Solve goes on from a start at t0 that was made by
   hand (exact rates, past levels of multistep methods). */
RUNG_INTERN PetscErrorCode RungStepperGetTransientSystem(RungStepper stepper, RungTransientSystem *ts);
