/* runglanes_room.h - how wide the kernels of a form are, and how cheap: what the systems above choose by. */
#pragma once

#include "rungforms.h"

/* RungFormLanes - numbers in a vector of compiled kernels (-form_isa, -form_lanes), 0 where they are interpreted.  Not collective. */
RUNG_INTERN PetscInt RungFormLanes(RungForm form);

/* RungFormAppliesCells - do kernels of actions make the matrix of each cell and apply it, over all cells (plan_choose.c)?  Such a product
   is cheaper than that of a sparse matrix.  Sets actions up.  Collective. */
RUNG_INTERN PetscErrorCode RungFormAppliesCells(RungForm form, PetscBool *applies);
