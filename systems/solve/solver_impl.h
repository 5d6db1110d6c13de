/* solver_impl.h - linear solvers: facts about a system, the table of choices, and what is done with the row that is taken. */
#pragma once

#include "form_side_impl.h"

#define RUNG_KSP_RTOL    1e-10
#define RUNG_OFTEN       20   /* solves that pay for rows, which PETSc's own factors want (solver_factors.c) */
#define RUNG_NEWTON_RTOL 1e-4 /* of a step of Newton's method with the factors of an older matrix */

/* What a row of solver_choices.def says; RungSolverFill() turns it into KSP and PC. */
typedef enum {
  RUNG_BY_FACTORS, /* Cholesky where symmetry stays, else LU                                          */
  RUNG_BY_JACOBI,
  RUNG_BY_ACTION, /* Jacobi, and a kept matrix is applied by kernels, not assembled                   */
  RUNG_BY_ICC,    /* of the whole on one rank, of each rank's block on several                          */
  RUNG_BY_ILU,    /* of the whole or of blocks, in GMRES                                                */
  RUNG_BY_HYPRE,  /* BoomerAMG, tuned for space                                                         */
  RUNG_BY_GAMG,
  RUNG_BY_LEVELS, /* multigrid on lower degrees of the same mesh (levels.c), of the matrix that there is */
  RUNG_BY_SADDLE  /* the Schur complement of the second of two unknowns (saddle.c), in FGMRES           */
} RungSolverKind;

/* What the conditions of the table are made of.  solver_facts.c */
typedef struct {
  PetscInt  n;      /* entries that the solver sees, of all ranks                                            */
  PetscInt  dim;    /* of the mesh; 3 where nobody knows                                                     */
  PetscInt  degree; /* the highest of the unknowns; 0 of callbacks                                           */
  PetscInt  ranks;
  PetscInt  unknowns;
  PetscInt  lanes;       /* numbers in a vector of compiled kernels, the fewest of all ranks; 0 where none is     */
  PetscInt  ahead;       /* solves ahead, at least 1                                                              */
  PetscInt  each;        /* of them, with one matrix, as far as the size of steps decides it; 0: all              */
  PetscBool anew;        /* factors in the plane, of degree 1, would be made too often for their sweeps         */
  PetscReal row;         /* mean entries of a row, 0 where nobody knows                                           */
  PetscReal kappa;       /* mean of K_ii/(J_ii - K_ii) over free entries, where measured                          */
  PetscReal slender;     /* sides of cells to each other, in lengths of what diffuses, where measured; 0: not asked */
  PetscBool measured;    /* there is a matrix                                                                     */
  PetscBool kept;        /* which stays                                                                           */
  PetscBool newton;      /* or is near the one before                                                             */
  PetscBool algebraic;   /* an unknown has no rate                                                                */
  PetscBool start;       /* rates and algebraic unknowns of a start                                               */
  PetscBool constraints; /* .. some of whose equations are constraints that are differentiated in time */
  PetscBool mass;        /* of the highest rates alone, definite                                                  */
  PetscBool definite, vectors;
  PetscBool saddle; /* a field without a block of its own                                                    */
  PetscBool split;  /* two unknowns in space for a Schur complement, and nobody names a solver              */
  PetscBool tensor; /* quadrilaterals, hexahedra                                                             */
  PetscBool
    convective; /* by forms, not on lines, neither definite nor symmetric, every row with a block of its own         */
  PetscBool
    refuted; /* symmetric, by forms, of one unknown, taken for definite until a solve has shown that it is not */
  PetscBool bordered; /* by forms, in space, unknowns with blocks of their own and numbers (R), a border without */
  PetscBool stored;   /* AIJ, BAIJ or SBAIJ, which can be factored                                             */
  PetscBool
            free; /* one unknown, nothing eliminated, no type of matrix asked for, no function of the C library at points: a kept matrix may be any */
  PetscBool rows; /* multigrid may have whole rows                                                         */
  PetscBool hypre;   /* PETSc has it                                                                          */
  PetscBool lower;   /* there are levels of lower degree                                                      */
  PetscBool lined;   /* a stiff scalar, measured, most of whose entries are on lines of strong couplings */
  PetscBool behind;  /* there are, in space, for what is not definite: they follow ILU that fails           */
  PetscBool coupled; /* .. in the plane, too, for several unknowns or components at rest that are linear */
  PetscBool body;    /* .. at rest that is not linear, taken for definite, whose factors are dear beside levels */
  PetscBool moving;  /* a vector in space, or a scalar, with rates that is not linear, taken for definite       */
  /* estimates, nanoseconds of all solves ahead with their set-up; where measured */
  PetscReal simple, multigrid, factors, levels;
} RungSolverFacts;

typedef struct {
  const char    *name, *condition; /* in words of C, as solver_choices.def has it       */
  RungSolverKind kind;
  PetscInt       levels; /* of fill                                                     */
  PetscInt       most; /* iterations of a trial that it has to pass, or of each solve where it is not tried; 0: none */
  const char    *reason;
  const char    *problem, *rejected; /* what was measured, and against what             */
  PetscReal      seconds, others;
} RungSolverRow;

typedef struct {
  const RungSolverRow *row;
  KSPType              ksp;
  PCType               pc;
  const char          *package;  /* of a factorisation; NULL: PETSc's choice    */
  PetscInt             levels;   /* of an incomplete factorisation              */
  PetscReal            rtol;     /* 0: RUNG_KSP_RTOL                            */
  PetscBool            rows;     /* a matrix that stays has to have whole rows  */
  PetscBool            presumed; /* the matrix is taken for definite (solver_presume.c) */
  PetscBool            lines;    /* incomplete factors by layers of lines (solver_lines.c) */
  PetscBool            moving;   /* it makes place where its iterations cost more than what may follow */
} RungSolver;

/* solver_table.c: the first row from `from` on whose condition holds; there is one.  All: row[n] */
const RungSolverRow *RungSolverFind(const RungSolverFacts *facts, const RungSolverRow *from);
const RungSolverRow *RungSolverRows(PetscInt *n);

/* solver_facts.c; stage: internal variables are eliminated */
PetscErrorCode RungSolverGather(RungSystem sys, RungSolverUse use, PetscBool stage, RungSolverFacts *facts);
PetscErrorCode RungSolverMeasured(RungSystem sys, Mat J, PetscReal kappa, RungSolverFacts *facts);
/* Is it a body at rest that is not linear, which has levels once it is taken for definite?  Collective. */
PetscErrorCode RungSolverIsBody(RungSystem sys, PetscBool *body);
/* What moves, J x = b of Newton's method: would  its  iterations of ICC or Jacobi take longer than levels, or factors that grow old,
   by estimate?  other: which of them.  Collective. */
PetscErrorCode RungSolverIsOutrun(RungSystem sys, RungSolverKind kind, Mat J, PetscReal its, RungSolverKind *other,
                                  PetscBool *outrun);
PetscReal      RungSolverIterations(const RungSolverFacts *facts); /* of ICC, without fill, by estimate */
PetscReal      RungSolverIccBySoftness(const RungSolverFacts *facts, PetscReal soft); /* .. by x^T D x / x^T J x */
PetscReal RungSolverOfIcc(const RungSolverFacts *facts, PetscReal soft); /* nanoseconds of the solves ahead, likewise */
/* iterations of multigrid on degrees, by the shape of cells and, where it is known, else 0, softness */
PetscReal RungSolverOfLevels(const RungSolverFacts *facts, PetscReal soft);
PetscReal RungSolverIteration(const RungSolverFacts *facts,
                              RungSolverKind         kind);      /* nanoseconds of one of a multigrid */
PetscReal RungSolverSweep(const RungSolverFacts *facts); /* .. of one of ICC */
/* solver_width.c: entries of a cut through the body, and how many times as long as thick it is; OfLevels: by the coarser levels of sys, which
   has some.  Collective */
PetscErrorCode RungSolverWidth(RungSystem sys, PetscReal *width, PetscReal *length);
PetscErrorCode RungSolverWidthOfLevels(RungSystem sys, PetscReal *width, PetscReal *length);

/* solver.c */
PetscErrorCode RungSolverChoose(RungSystem sys, RungSolverUse use, PetscBool stage, RungSolver *choice);
void RungSolverFill(RungSystem sys, const RungSolverFacts *facts, const RungSolverRow *row, RungSolver *choice);
/* Does it take few iterations of what is not definite, or another one its place? */
PetscBool RungSolverIsTried(const RungSolverRow *row);
/* Is one of option[n], with the prefix of ksp, in the options database? */
PetscErrorCode RungSolverIsGiven(KSP ksp, size_t n, const char *const option[], PetscBool *given);
PetscErrorCode RungSolverApply(RungSystem sys, KSP ksp, const RungSolver *choice);
/* Where ksp factors J, which is filled: what passes for a zero pivot, in the units of J.  Collective. */
PetscErrorCode RungSolverScalePivot(KSP ksp, Mat J);
/* solver_copies.c: factors of the whole on each of several ranks, a package of its own; registered once.  whole: [1] A on each rank,
   by MatDestroySubMatrices().  Collective. */
#define RUNG_COPIES "rung_copies"
PetscErrorCode RungCopiesRegister(void);
PetscErrorCode RungCopyWhole(Mat A, MatReuse reuse, Mat **whole);
PetscErrorCode RungCopyTakeOwn(Vec whole, Vec x); /* x = its entries of the whole, a vector of this rank */
/* solver_dense.c: dense factors with row exchanges, on each of all ranks, a package of its own; registered once. */
#define RUNG_DENSE "rung_dense"
PetscErrorCode RungDenseRegister(void);
/* solver_lines.c.  Find: the share of the coupled entries that are on lines of strong couplings; collective.  Set: pc, of one process, becomes
   ICC in an order by layers across these lines. */
PetscErrorCode RungLinesFind(Mat A, PetscReal *share);
PetscErrorCode RungLinesSet(PC pc, PetscInt levels);
/* Sets its preconditioner up for J; MUMPS that runs out of room is given more, unless somebody has said how much. */
PetscErrorCode RungSolverSetUp(KSP ksp, Mat J);
/* solver_balance.c: factors of several unknowns are those of the matrix in units in which its blocks are alike.  Before they are set up, any number of
   times. */
PetscErrorCode RungSolverBalance(RungSystem sys, KSP ksp);
/* choice becomes factors where -pc_type of ksp names them, lu or cholesky.  Before RungSolverApply() */
PetscErrorCode RungSolverFactorsGiven(RungSystem sys, KSP ksp, const RungSolverFacts *facts, RungSolver *choice);
/* -pc_type without -ksp_type, in place of factors: an iteration.  After RungSolverApply(), before KSPSetFromOptions().
   definite: the matrix */
PetscErrorCode RungSolverFollow(RungSystem sys, PetscBool definite, KSP ksp);
/* Is a matrix of stages that of the highest rates, whose orders differ?  Its columns come from blocks dF/du^(k) with k of their own: it is
   not symmetric where all of these are, nor definite. */
PetscBool RungSolverMixesRates(RungSystem sys);
/* solver_presume.c: from now on, if J is of a kind to be taken for definite, it is.  Is it, without being known for it? */
PetscErrorCode RungSolverPresume(RungSystem sys);
PetscBool      RungSolverIsPresumed(RungSystem sys);
/* solver_next.c: which way follows one that has failed; FALSE: none.  shell: of a matrix without entries */
PetscBool RungSolverIsFollowed(RungSystem sys, RungSolverKind failed, PetscBool shell, RungSolverKind *next);
/* After a solve of J x = b: PETSC_ERR_ARG_INCOMP if what the user has chosen did not solve it.  Collective. */
PetscErrorCode RungSolverProve(RungSystem sys, KSP ksp, Vec b, Vec x);
/* Each rank's block gets ICC, which its sub-solver's options (-sub_) may replace; nothing where there are no blocks. */
PetscErrorCode RungSolverSetBlocks(KSP ksp, const RungSolver *choice);
/* Does it solve a system with J in at most `most` iterations?  Its work is counted.  made: of what has solved the preconditioner, set up for
   J, with options of this prefix, the caller's; else NULL.  solver_trial.c */
PetscErrorCode RungSolverTry(RungSystem sys, Mat J, const RungSolver *choice, PetscInt most, const char prefix[],
                             PetscBool *solved, PC *made);
/* solver_tune.c: of how many cells one is asked, so that about `enough` of a rank are.  Collective. */
PetscErrorCode RungSolverEvery(RungSystem sys, PetscInt enough, PetscInt *every);
/* solver_early.c: ksp, multigrid by default, a Schur complement, ILU, ICC of what is linear, or ICC and Jacobi of what moves, ends after a few iterations that promise
   no end, or one behind that of what may follow.  Left: iterations that it had left then; infinite where it was not ended for their sake.
   MadePlace: was it ended for `other`, of what moves and of ICC levels or factors?  Softness: where it was ended for ICC, x^T D x / x^T J x then, 0: not
   asked.  first: iterations after which ICC behind levels is looked at, which then makes place for factors; else 0. */
PetscErrorCode RungSolverEndEarly(RungSystem sys, const RungSolverRow *row, PetscInt first, KSP ksp);
PetscReal      RungSolverLeft(KSP ksp);
PetscReal      RungSolverSoftness(KSP ksp);
PetscBool      RungSolverMadePlace(KSP ksp, RungSolverKind *other);
/* Are so many iterations of multigrid on degrees more than ICC takes by the estimates?  Where cells are slender, conduction is good along one axis, or
   jumps through cells, ICC is that fast.  soft: x^T D x / x^T J x of the solution so far, which vectors and higher degrees are judged by, of
   which kappa tells too little, and scalars of degree 1 that seem to be better off with ICC; 0: not asked, and ICC of the former is no faster.  P2 tetrahedra in 1 x 1 x 0.1, 68921 entries, take 499 iterations, 1.5 seconds
   for 0.7 of the 57 of multigrid. */
PetscErrorCode RungSolverIsIccFaster(RungSystem sys, Mat J, PetscReal left, PetscReal soft, PetscBool *faster);
/* Are so many iterations of this kind more than what follows takes by the estimates: factors, of multigrid on degrees Jacobi, too?  Of what is
   not linear there are none. */
PetscErrorCode RungSolverIsOtherFaster(RungSystem sys, RungSolverKind kind, Mat J, PetscReal left,
                                       RungSolverKind *other, PetscBool *faster);
/* solver_next.c: what is done after each solve, and instead of one that failed. */
PetscErrorCode RungSolverWatch(RungSystem sys, KSP ksp, const RungSolver *choice);
/* A = the Jacobian of sys as another one was filled, at the states u[] of sys. */
PetscErrorCode RungSolverFillAs(RungSystem sys, const RungFilled *filled, const Vec u[], Mat A);
/* Of an iteration whose row of the table limits its steps: may it give up;  gave: it has, and factors have solved
   instead. */
PetscErrorCode RungSolverMayGiveUp(KSP ksp, PetscBool *may, PetscBool *gave);
/* *made: the factors that have solved in the place of ksp's iteration, of PCType `type`, for the caller to destroy; NULL: there are none */
PetscErrorCode RungSolverTakeFactors(KSP ksp, const char type[], PC *made);
/* Before ksp is set up for J, which is filled: multigrid for convection at rest makes place for factors where convection rules. */
PetscErrorCode RungSolverReconsider(KSP ksp, Mat J);
/* Is ksp another solver than a new one would be?  Something has taken the place of what had failed, or it has levels, which may be those
   of an older state.  Not collective. */
PetscErrorCode RungSolverHasChanged(RungSystem sys, KSP ksp, PetscBool *changed);
/* solver.c: what the table says behind such a row.  ksp is reset; KSPSetFromOptions() follows. */
PetscErrorCode RungSolverTakeNext(RungSystem sys, KSP ksp, RungSolverUse use);
/* levels.c, levels_pc.c - multigrid on lower degrees of the system's own mesh and on coarser meshes.
     Below    whether there may be levels by degrees or meshes; sure: without a look at the cells
     Explain  why the system has no lower levels, "" if it has
     Attach   makes the levels, once, and ksp conjugate gradients (FGMRES) with PCMG on them; before KSPSetFromOptions() and before the
              matrix is filled.  Prepare: if the options of ksp say -pc_type mg
     Check    after KSPSetFromOptions().  Out  ours  pc is such a one;  Errors  options that do not fit
     TellMany after a solve, once: a warning of many iterations */
PetscErrorCode RungLevelsBelow(RungSystem sys, PetscBool *below, PetscBool *sure);
PetscErrorCode RungLevelsExplain(RungSystem sys, char why[], size_t size);
PetscErrorCode RungLevelsAttach(RungSystem sys, KSP ksp);
PetscErrorCode RungLevelsPrepare(RungSystem sys, KSP ksp);
PetscErrorCode RungLevelsCheck(RungSystem sys, PC pc, PetscBool *ours);
PetscErrorCode RungLevelsTellMany(RungSystem sys, KSP ksp);
/* coarse.c: the constants of a coarse system become those of the one that it was made of. */
PetscErrorCode RungCoarseFollow(RungSystem coarse);
/* One line: what solver_tune.c has found, if it has been asked. */
PetscErrorCode RungSolverViewTuned(RungSystem sys, PetscViewer viewer);
