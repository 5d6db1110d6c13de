/* runglanes_room.h - how wide the kernels of a form are: what the systems above choose by. */
#pragma once

#include "rungforms.h"

/* RungFormLanes - numbers in a vector of compiled kernels (-form_isa, -form_lanes), 0 where they are interpreted.  Not collective. */
RUNG_INTERN PetscInt RungFormLanes(RungForm form);
