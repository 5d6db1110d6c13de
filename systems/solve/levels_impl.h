/* levels_impl.h - coarser levels of a system: which there are (levels.c), and a multigrid of PETSc on them (levels_pc.c). */
#pragma once

#include "solver_impl.h"
#include <rungnested_room.h>

#define RUNG_LEVELS_MOST 9 /* degrees up to 256, halved */

/* Level 0 is the coarsest one, level n - 1 the system itself. */
typedef struct {
  PetscInt   n;
  RungSystem sys[RUNG_LEVELS_MOST];  /* owned but the last, which is lent: it owns the levels           */
  Mat        P[RUNG_LEVELS_MOST];    /* owned, [i] from level i - 1 to i                                */
  RungNested down[RUNG_LEVELS_MOST]; /* owned, [i] states of level i at the nodes of level i - 1; NULL
                                        of linear systems, whose Jacobian has no state                  */
} RungLevels;

PetscErrorCode RungLevelsBelow(RungSystem sys, PetscBool *below); /* an unknown has a degree above 1 */
/* Made by the first call and kept with the system.  Collective. */
PetscErrorCode RungLevelsGet(RungSystem sys, RungLevels **levels);

/* coarse.c: 0 where rows of the fine system's Jacobian are those of the identity. */
PetscErrorCode RungTransferClear(Mat P, Vec fine);
