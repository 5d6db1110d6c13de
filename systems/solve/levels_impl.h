/* levels_impl.h - coarser levels of a system: which there are (levels.c), a multigrid of PETSc on them (levels_pc.c), and how long
   their matrices serve (levels_kept.c). */
#pragma once

#include "solver_impl.h"
#include <rungnested_room.h>

#define RUNG_LEVELS_MOST  16    /* degrees up to 256, halved, and meshes                      */
#define RUNG_LEVELS_SMALL 2000  /* entries of a coarsest level that is factored, in space     */
#define RUNG_LEVELS_PLANE 20000 /* .. in the plane                                            */
#define RUNG_LEVELS_LINE  1000000

/* Level 0 is the coarsest one, level n - 1 the system itself. */
typedef struct {
  PetscInt   n;
  RungSystem sys[RUNG_LEVELS_MOST];    /* owned but the last, which is lent: it owns the levels           */
  Mat        P[RUNG_LEVELS_MOST];      /* owned, [i] from level i - 1 to i                                */
  RungFamily family[RUNG_LEVELS_MOST]; /* owned, [i] of the meshes of levels i - 1 and i; NULL: one mesh    */
  RungNested down[RUNG_LEVELS_MOST];   /* owned, [i] states of level i at the nodes of level i - 1; NULL
                                        of linear systems, whose Jacobian has no state                  */
} RungLevels;

/* Made by the first call and kept with the system.  Collective. */
PetscErrorCode RungLevelsGet(RungSystem sys, RungLevels **levels);

/* Is a coarsest level so small that it is factored? */
PetscErrorCode RungLevelsAreSmall(RungSystem coarse, PetscBool *small);

/* coarse.c: RungSystemCreateCoarse() on another mesh, and RungSystemCreateTransfer() between the meshes of a family; NULL: the same.
   Clear: 0 where rows of the fine system's Jacobian are those of the identity. */
PetscErrorCode RungCoarseCreate(RungSystem sys, const char spec[], RungMesh mesh, RungSystem *coarse);
PetscErrorCode RungTransferCreate(RungFamily family, RungSystem coarse, RungSystem sys, Mat *P);
PetscErrorCode RungTransferClear(Mat P, Vec fine);

/* Of which matrix the coarser levels are. */
typedef struct {
  PetscBool      filled; /* they are of any                                                        */
  RungFilledKind kind;
  PetscReal      slope[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS];
  PetscInt64     data;          /* constants and fields then (RungSystemGetDataState)                     */
  PetscInt       its;           /* of the first solve with them; 0: it is not known yet                   */
  Vec            diagonal, now; /* owned, of the finest level: then, at present; NULL of constant systems */
} RungLevelsKept;

/* Serve: may they stay for B, filled so, whose last solve was by ksp?  Keep: they have become those of B.  Collective. */
PetscErrorCode RungLevelsServe(RungSystem sys, RungLevelsKept *kept, KSP ksp, Mat B, const RungFilled *filled,
                               PetscBool *serve);
PetscErrorCode RungLevelsKeep(RungSystem sys, RungLevelsKept *kept, Mat B, const RungFilled *filled);
PetscErrorCode RungLevelsKeptDestroy(RungLevelsKept *kept);
