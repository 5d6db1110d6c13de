/* levels_impl.h - coarser levels of a system: which there are (levels.c), a multigrid of PETSc on them (levels_pc.c), how
   long their matrices serve (levels_kept.c), and with them the bounds of the finest smoother (levels_bounds.c); smoothers
   (levels_smooth.c). */
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

/* Made by the first call and kept with the system, whether for all unknowns, RUNG_WHOLE, or for one of them.  Collective. */
#define RUNG_WHOLE (-1)
PetscErrorCode RungLevelsGet(RungSystem sys, PetscInt unknown, RungLevels **levels);
/* Why the block of one unknown has no levels; empty: it has. */
PetscErrorCode RungLevelsExplainBlock(RungSystem sys, PetscInt unknown, char why[], size_t size);
/* PCMG for the block of one unknown in J, the operator of `outer`, as the preconditioner of ksp. */
PetscErrorCode RungLevelsAttachBlock(RungSystem sys, PetscInt unknown, KSP outer, KSP ksp);

/* An option that is what the user says, or else value; name without its hyphen and prefix. */
PetscErrorCode RungLevelsSetDefault(const char prefix[], const char name[], const char value[]);

/* levels_block.c: a transfer of all unknowns for the entries of one of them. */
PetscErrorCode RungTransferOfBlock(Mat P, RungSystem coarse, RungSystem fine, PetscInt unknown, Mat *block);
PetscErrorCode RungTransferClearBlock(Mat block, Vec fine);
PetscErrorCode RungBlockIS(RungSystem sys, PetscInt unknown, IS *is);

/* saddle.c: -pc_type fieldsplit of two unknowns, by the Schur complement of the second one. */
PetscErrorCode RungSaddlePrepare(RungSystem sys, KSP ksp);
PetscErrorCode RungSaddleFits(RungSystem sys, PetscBool *fits); /* there are such two, and the first has levels */
PetscErrorCode RungSaddleIs(PC pc, PetscBool *is);              /* it was prepared so */

/* Is a coarsest level so small that it is factored, or at most so many times larger? */
PetscErrorCode RungLevelsAreSmall(RungSystem coarse, PetscInt times, PetscBool *small);

/* levels_coarsest.c: who solves on the coarsest level of mg, the block of one unknown or RUNG_WHOLE.  Ranks: how many have enough
   to do.  SetUp: behind Set, once the level has its operator A, whenever that has changed; *inner is NULL at first, and who solves
   on the fewer ranks then.  Collective. */
PetscErrorCode RungCoarsestRanks(RungSystem coarse, PetscInt *ranks);
PetscErrorCode RungCoarsestSet(RungSystem coarse, PetscInt unknown, PC mg);
PetscErrorCode RungCoarsestSetUp(RungSystem coarse, PetscInt unknown, PC mg, Mat A, KSP *inner);
/* A cycle of algebraic multigrid for a scalar unknown: hypre's, or GAMG where there is none. */
PetscErrorCode RungCoarsestSetScalars(KSP ksp, PetscInt dim);

/* saddle.c: 1 and -1 by an irregular rule that the number of ranks does not change. */
PetscErrorCode RungFillSigns(Vec x);
/* saddle.c: turn = |A x - A^T x| / |A x| for such x, in the norm of diag(A)^-1: 0 of symmetric matrices in any units.  Collective. */
PetscErrorCode RungMatTurn(Mat A, PetscReal *turn);
/* saddle_commutator.c: pc, a PCSHELL, becomes the inverse of the Schur complement -C A^-1 B.  The rows of D are zero but
   those of values of p that are given, which have their diagonal alone.  Q: mass of u; prefix: of the solver with L.
   SetUp: for each new matrix, whose blocks stay until the next one.  Collective. */
typedef struct RungCommutator_s *RungCommutator;

PetscErrorCode RungCommutatorCreate(Mat Q, PetscInt dim, const char prefix[], RungCommutator *commutator);
PetscErrorCode RungCommutatorSetUp(RungCommutator commutator, Mat A, Mat B, Mat C, Mat D, PC pc);
PetscErrorCode RungCommutatorDestroy(RungCommutator *commutator);

/* coarse.c: RungSystemCreateCoarse() on another mesh, and RungSystemCreateTransfer() between the meshes of a family; NULL: the same.
   Places: with constraints that name nodes by their places.  Clear: 0 where rows of the fine system's Jacobian are those of the
   identity.  Scale: such rows of the coarse system's J get the largest entry that the diagonal has of their unknown, since algebraic
   multigrid estimates eigenvalues, which the identity would drown in large units; no residual ever gets there. */
PetscErrorCode RungCoarseCreate(RungSystem sys, const char spec[], RungMesh mesh, PetscBool places, RungSystem *coarse);
PetscErrorCode RungTransferCreate(RungFamily family, RungSystem coarse, RungSystem sys, Mat *P);
PetscErrorCode RungTransferClear(Mat P, Vec fine);
PetscErrorCode RungTransferScale(Mat P, Mat J);

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

/* levels_bounds.c: before each set-up: does the estimate that the smoother's bounds have been made of serve for its new matrix?
   Bounds that the user has given are left alone.  Collective. */
PetscErrorCode RungBoundsKeep(KSP smoother, PetscBool keep);
/* The estimate of the largest eigenvalue that the last set-up has made or kept; 0: there is none of ours. */
PetscErrorCode RungBoundsLargest(KSP smoother, PetscReal *largest);

/* levels_lanczos.c: the largest eigenvalue of D^-1 J by at most max_it steps of ksp, from its right-hand side; both 0: ksp is
   not conjugate gradients with Jacobi, or J is not definite.  Overwrites the vectors of ksp.  Collective. */
PetscErrorCode RungLanczosLargest(KSP ksp, PetscInt *steps, PetscReal *largest);

/* levels_smooth.c: before a set-up: Chebyshev iterations on (lowest, RUNG_SMOOTHER_HIGHEST) times that estimate go in one pass behind
   each product; others, and those whose bounds the user names, stay what they are.  What is below is left to the coarser level. */
#define RUNG_SMOOTHER_LOWEST  0.15
#define RUNG_SMOOTHER_TENSOR  0.2 /* lowest of scalars on hexahedra and their like */
#define RUNG_SMOOTHER_HIGHEST 1.05
PetscErrorCode RungSmootherSet(KSP smoother, PetscReal lowest);
