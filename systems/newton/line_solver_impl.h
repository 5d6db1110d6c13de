/* line_solver_impl.h - what the files of the solver share: slots, and the problem that is being solved. */
#pragma once

#include <rungsolve_room.h>
#include "system_impl.h"
#include <petsc/private/petscimpl.h> /* PetscObjectStateGet */
#include <petsctime.h>

#define RUNG_NEWTON_ROUNDING (100 * PETSC_MACHINE_EPSILON)
#define RUNG_LINE_PAST       6    /* levels that a guess is made of */
#define NEWTON_LONG          1000 /* iterations without tolerances: newton_stop.c counts those that do not get on */

typedef enum {
  PROBLEM_LINE,
  PROBLEM_GIVEN, /* F of a start, of a match                           */
  PROBLEM_STATE  /* no F = 0: J at a state alone (line_linearise.c) */
} Problem;

/* F that is not that of a line.  Newton's method with its stop, its steps and its verdicts is the same. */
typedef struct {
  PetscErrorCode (*prepare)(void *ctx, KSP ksp,
                            Mat *J); /* sets ksp and makes J; NULL: those of stages with a matrix of the system */
  PetscErrorCode (*residual)(void *ctx, Vec w, Vec r);
  PetscErrorCode (*jacobian)(void *ctx, Vec w, Mat J);
  void     *ctx;                         /* lent                                                        */
  PetscBool lasting;                     /* J serves for the next step, too, where |F| falls fast         */
  PetscBool constant;                    /* J does not depend on w                                      */
  PetscReal rounding[RUNG_MAX_UNKNOWNS]; /* Euclidean, of each unknown: |F| that is rounding in F's terms */
} RungLineGiven;

/* A matrix that is kept (newton_kept.c). */
typedef struct {
  PetscBool  valid; /* there is one                                                     */
  PetscInt64 data;  /* constants and fields it was made with (RungSystemGetDataState)   */
  PetscReal  rate;  /* at which steps with it have shrunk                               */
  PetscReal  worst; /* the slowest in the present step of the run                       */
  PetscReal  first; /* |d| of the first step of the last solve in the norm of the error test; 0: none */
  PetscReal  t;     /* where that step begins                                           */
  PetscInt   age;   /* steps of the run since it was made                               */
} RungNewtonKept;

typedef struct _RungLineBlocks *RungLineBlocks;
typedef struct _RungLineThin   *RungLineThin;

typedef struct {
  PetscReal        slope[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS]; /* that the matrix belongs to */
  PetscReal        made[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS];  /* slopes when it was assembled */
  RungNewtonKept   kept;
  PetscBool        filled;     /* the matrix is valid for these slopes, whatever the state           */
  PetscInt64       data;       /* and for these constants and fields (RungSystemGetDataState)        */
  PetscInt         used;       /* clock of the last use                                              */
  Mat              J;          /* owned                                                              */
  Mat              packed;     /* owned, J without zeros, which is solved with; NULL: J itself is     */
  SNES             snes;       /* owned                                                              */
  Vec              inverse;    /* owned, 1/diag(J) where J is a diagonal, else NULL or void */
  PetscBool        chosen;     /* the user has named a solver, or wants to see it           */
  PetscObjectState diagonal;   /* state of the J that it belongs to, -1: none               */
  IS               active;     /* owned, entries that bounds held when the KSP got its matrix, NULL: no bounds yet */
  RungLineBlocks   blocks;     /* owned; NULL: steps with a kept matrix are solved for by the KSP of snes   */
  RungLineThin     thin;       /* owned; NULL: not looked for yet                                    */
  Mat              mass;       /* owned; NULL: not known, or not constant */
  PetscInt64       mass_data;  /* constants and fields it was made with */
  PetscBool        iterative;  /* the residual of the linear solver is measured in the Euclidean norm */
  PetscBool        affine;     /* J w = b is solved for w itself (line_linear.c)                    */
  PetscReal        rtol, atol; /* of the linear solver, as options left them                          */
  PetscReal        plain;      /* .. of a right-hand side without a guess, where there are tolerances */
  PetscObjectState factored;   /* state of J at the last set-up of the preconditioner, -1: do it anew */
  PetscObjectState held;       /* state of J when RungLineLinearise() filled it last, -1: it never did */
  PetscBool        lag;        /* the factors may be those of an older matrix                        */
  PetscBool        lagged;     /* and were in the present solve                                      */
  PetscBool        lost;       /* but not now: an equation is lost in the rounding of others          */
  PetscBool        asked;      /* whose factors are used has been decided                            */
  PetscBool        own;        /* PETSc's, which are checked when they are made                      */
  PetscReal        worth;      /* .. which cost as much as this many iterations                      */
  PetscReal        extra;      /* iterations beyond the first of each solve since factors were made  */
  PetscInt         its;        /* of the last linear solve                                           */
  PetscErrorCode (*after)(KSP, Vec, Vec, void *); /* what the solver does behind each solve; NULL: nothing */
  void          *after_ctx;                       /* lent                                                   */
  PetscBool      full;    /* Newton takes full steps, and a line search where they diverge      */
  PetscBool      named;   /* -snes_type is given: that solver, as it is                           */
  PetscBool      tries;   /* an iteration that may give up: factors are taken behind the solve in which it has */
  PetscBool      tune;    /* the preconditioner is chosen when there is a matrix                */
  PetscReal      tuned;   /* the highest slope for which it was                                 */
  PetscBool      current; /* J is that of the guess (given F)                                   */
  RungLineGiven *given;   /* lent; NULL: F of lines                                             */
  RungLineSolver solver;  /* lent                                                               */
} RungLineSlot;

typedef struct _RungNewtonFloor *RungNewtonFloor;
typedef struct _RungLineCubic   *RungLineCubic;

/* What the tests of newton_stop.c remember of the steps of one solve; [unknown]. */
typedef struct {
  PetscReal step;                        /* |d| of the last step in the norm of the error test, negative: none    */
  PetscReal F[RUNG_MAX_UNKNOWNS];        /* |F| at w, Euclidean; with bounds [0] alone                              */
  PetscReal before[RUNG_MAX_UNKNOWNS];   /* |F| before the last step                                              */
  PetscReal start[RUNG_MAX_UNKNOWNS];    /* |F_0|                                                                 */
  PetscReal rounding[RUNG_MAX_UNKNOWNS]; /* of F, where a given F or its terms say so; 0: nothing does            */
  PetscReal d[RUNG_MAX_UNKNOWNS];        /* |d| of the last step, Euclidean; with bounds [0] alone; 0: none yet    */
  PetscReal last[RUNG_MAX_UNKNOWNS];     /* |d| of the one before                                                 */
  PetscReal reach[RUNG_MAX_UNKNOWNS];    /* the longest of the first steps                                        */
  PetscInt  slow;                        /* steps in a row that did not get on                                    */
  PetscInt  spent, most;                 /* steps that did not halve |F|, and how many of them there may be       */
  PetscBool fast;                        /* |F| has fallen to a tenth, or far: the matrix is still a good one     */
  PetscReal vague;                       /* |d|/|w| where rounding of F leaves w open; 0: it does not              */
  PetscReal first[RUNG_MAX_UNKNOWNS];    /* |F_0|, or |F| at the method's own guess where that is larger            */
  PetscReal opening[RUNG_MAX_UNKNOWNS];  /* |d_1|, maximum                                                        */
  PetscReal length[RUNG_MAX_UNKNOWNS];   /* |d| of the last step, Euclidean; negative: none that was whole        */
} RungNewtonStop;

struct _RungLineSolver {
  RungTransientSystem ts;         /* lent                                                               */
  RungSystem          sys;        /* lent, of ts                                                        */
  MPI_Comm            comm;       /* lent, of sys                                                       */
  RungTraits          traits;     /* of sys                                                             */
  PetscBool           agreed;     /* it has been looked whether a Jacobian callback is that of F      */
  PetscBool           dirichlet;  /* there are Dirichlet data                                           */
  PetscBool           adaptive;   /* there are tolerances: weights                                      */
  RungWeights         weights;    /* lent; NULL: solves are as exact as can be                          */
  PetscReal           rtol;       /* of the tolerances                                                  */
  RungSolveCounts     counts;     /* since they were taken                                              */
  PetscLogDouble      mark;       /* when the linear solve in hand began                                */
  PetscBool           keep;       /* the Jacobian is constant                                                */
  PetscBool           masses;     /* all matrices are masses, and what is chosen by the traits of F would be for more */
  PetscBool           gave;       /* a slot's iteration has given up                                                  */
  PetscBool           eliminates; /* internal variables of the system                                                 */
  PetscBool           definite;   /* slots are made for a definite J                                                */
  PetscBool           presumed;   /* slots are made for a J that is taken for definite                              */
  PetscBool     signs_asked;      /* RungLineAskSigns() was asked                                                     */
  PetscBool     light;  /* no stages are solved: slopes of the highest rates, and such as vanish with the step      */
  PetscInt64    joined; /* constants and fields with which a matrix was no diagonal, -1: not asked                  */
  PetscInt      n, clock;
  RungLineSlot *slot;           /* owned, [n]                                                                */
  RungLineSlot *last;           /* whose matrix was used last                                                */
  RungLineSlot *apart;          /* owned, a constant matrix beside those of lines that are not; NULL: not wanted yet */
  PetscInt      matrices;       /* of the method                                                  */
  RungLineSlot *match;          /* owned, for RungLineMatch(); NULL where nobody calls it         */
  RungLineGiven matching;       /* its F                                                          */
  IS            unrated;        /* owned: entries that a match leaves as they are; NULL: none     */
  Vec           r;              /* owned, residual                                                           */
  Vec           step, residual; /* owned, d and F of newton_kept.c; NULL before it was wanted      */
  Vec           rate[2];        /* owned, those of a step and of w at order 2; NULL before they were wanted */
  Vec           begin;          /* owned, the guess; NULL where nothing is tried twice                       */
  Vec           point;          /* owned, w with internal variables solved for; NULL without                 */
  Vec           shift;          /* owned, point - w at the last Jacobian                                     */
  char          why[200];       /* internal variables were not solved for; "" if they were                   */
  Vec           value;          /* owned, w of a line with an origin; NULL before it was wanted                 */
  Vec           held;           /* owned, given entries while an iteration does without; NULL before it was wanted  */
  Vec rest[2];     /* owned, what equations of small unknowns lack, and the step for it; NULL before they were wanted */
  Vec digits[3];   /* owned, two iterates and rates of line_step.c; NULL before they were wanted */
  PetscBool small; /* increments are solved for to digits of their own                            */
  Vec       trial; /* owned, the step that newton_domain.c tried; NULL: linear, or bounds             */
  Vec       tried_r;  /* owned, F there                                                            */
  Vec       outside;  /* owned, the last step that was cut, as it was; NULL: none was             */
  PetscBool tried;    /* and nothing was evaluated since                                           */
  PetscBool cut;      /* the last step was cut to have F finite                                    */
  Vec       bound[2]; /* owned, lower and upper bounds of w; NULL without                          */
  Vec       guess;    /* owned, w at the start of a run, and                                       */
  Vec       followed; /* w with slaves of constraints as they follow; NULL without bounds          */
  Vec       iterate;  /* owned, the last w that was tested; NULL without bounds                    */
  /* guesses (line_predict.c) */
  Vec           past[RUNG_LINE_PAST]; /* owned, made when wanted: accepted values, newest first      */
  PetscReal     when[RUNG_LINE_PAST]; /* their times                                                 */
  PetscInt      pasts;
  Vec           own;       /* owned, the method's own guess; NULL: linear, not wanted                    */
  RungLineCubic cubic;     /* owned; NULL before a stage was predicted                               */
  PetscBool     continued; /* w comes from the cubic, own holds the other choice                     */
  PetscBool     predicted; /* w comes from the past, own holds the other choice                          */
  PetscBool     begun;     /* there is too little past, own holds the last value                         */
  PetscBool     known;     /* own holds the guess that was chosen, and r what F is there                 */
  /* the problem being solved, all lent */
  Problem         problem;
  RungLineGiven  *given; /* F; NULL: that of the line                                       */
  PetscReal       plain; /* relative, of linear systems without an F; 0: that of the solver */
  PetscReal       t;
  const RungLine *line;
  Vec             load, start[2];            /* start: u and u' that steps are measured from             */
  Vec             at[RUNG_MAX_ORDER + 1];    /* match: u, (w - u)/h; owned                           */
  Vec             target, still;             /* match: -h R(t, u, 0) - aim, h R(t, u, 0); owned      */
  Vec             aim;                       /* match: what m is to be                               */
  PetscReal       span;                      /* match: h                                             */
  PetscReal       scale;                     /* |F| at the method's own guess, 0: not known                          */
  PetscBool       measured;                  /* it was found before the solve */
  PetscReal       scales[RUNG_MAX_UNKNOWNS]; /* the same of each unknown                          */
  RungNewtonStop  stop;
  RungNewtonFloor floor;                    /* owned; NULL before it was asked for                                  */
  PetscReal       enough;                   /* size of F that has converged                                         */
  PetscBool       doubt[RUNG_MAX_UNKNOWNS]; /* RungLineTakeDoubt()                                */
};

/* RungLineSolverCreateGiven - a solver of F that are not those of lines, without weights and bounds; options with `prefix`.  Collective.
   RungLineSolveGiven - F(w) = 0;  current: J is dF/dw at w already.  Collective. */
PetscErrorCode RungLineSolverCreateGiven(RungTransientSystem ts, const char prefix[], RungLineGiven *given,
                                         RungLineSolver *solver);
PetscErrorCode RungLineSolveGiven(RungLineSolver solver, RungLineGiven *given, PetscBool current, Vec w,
                                  RungVerdict *verdict);

/* newton.c.  Where in slot->slope the highest rate is: of the last unknown that has one, as alpha methods give none to those without. */
PetscInt RungLineHighest(const RungLineSlot *slot);

/* line_agree.c.  CheckJacobian: once, before a solve without iterations (exact: of a method that is built on J); TellSlow: a warning, once,
   behind a solve of so many iterations with matrices of their own; BlameJacobian: added to why a solve has failed.  Collective. */
PetscErrorCode RungLineCheckJacobian(RungLineSolver solver, PetscBool exact);
PetscErrorCode RungLineTellSlow(RungLineSolver solver, PetscInt its);
PetscErrorCode RungLineBlameJacobian(RungLineSolver solver, RungVerdict *verdict);

/* line_step.c.  J x = b by ksp; step NULL: to the solver's own tolerance, as without weights.  Collective. */
PetscErrorCode RungLineSolveStep(RungLineSolver solver, const RungLineStep *step, KSP ksp, Vec b, Vec x);

/* *sum += seconds since *mark, which becomes now; sum NULL: the clock starts. */
static inline PetscErrorCode RungLineClock(PetscLogDouble *mark, PetscLogDouble *sum)
{
  PetscLogDouble now;

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  if (sum) *sum += now - *mark;
  *mark = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* line_slot.c, all but Use and FindSlot collective
   Create    a slot, zeroed, of F of lines or of `given`; options with `prefix`
   Forget    as if it had not been used; SlotsForget: all slots of lines, with new solvers where one of them has failed since, or has levels
             of an older state
   FindSlot  the slot of these slopes; else the one unused for longest, which is told to assemble
   Apart     the slot of a constant matrix, which stays while other slopes come and go
   TakeNext  the next way of the table, where an iteration has given up in the solve before */
RungSolverUse  RungLineSolverUse(RungLineSolver solver);
PetscErrorCode RungLineSlotCreate(RungLineSolver solver, const char prefix[], RungLineGiven *given, RungLineSlot *slot);
PetscErrorCode RungLineSlotForget(RungLineSlot *slot);
PetscErrorCode RungLineSlotsForget(RungLineSolver solver);
/* Has the sign of J changed, by fields that are filled or constants that are set?  Then slots get other solvers: before one is looked for. */
PetscErrorCode RungLineAskSigns(RungLineSolver solver, PetscBool presume);
PetscBool      RungLineIsDefinite(RungLineSolver solver); /* known or presumed */
PetscErrorCode RungLineSlotDestroy(RungLineSlot *slot);
RungLineSlot  *RungLineFindSlot(RungLineSolver solver, const PetscReal slope[]);
PetscErrorCode RungLineSlotApart(RungLineSolver solver, const PetscReal slope[], RungLineSlot **slot);
PetscErrorCode RungLineTakeNext(RungLineSlot *slot);

/* line_thin.c: J, which is filled, and the matrix of it that is factored, for ksp.  SetOperators - those that there
   are. Forget - as if nothing had been factored. */
PetscErrorCode RungLineThinFollow(RungLineSlot *slot, KSP ksp);
PetscErrorCode RungLineSetOperators(RungLineSlot *slot, KSP ksp);
PetscErrorCode RungLineThinForget(RungLineSlot *slot);
PetscErrorCode RungLineThinDestroy(RungLineThin *thin);

/* newton.c: what a solver calls; ctx is the slot */
PetscErrorCode RungNewtonResidual(SNES snes, Vec w, Vec r, void *ctx);
PetscErrorCode RungLineSolverExplain(RungLineSolver solver, Vec w, RungVerdict *verdict); /* collective */
/* The verdict on a factorisation that failed: why, as far as one look at the matrix tells.  A direct solver begins anew with the next
   matrix.  Collective. */
PetscErrorCode RungLineSolverFailFactor(RungLineSolver solver, Vec w, KSP ksp, RungVerdict *verdict);
/* With bounds Newton's steps are solved for on a subspace, where slaves of constraints do not follow: at is w with slaves that
   do, as they did in solver->guess; without bounds w itself.  Lent. */
PetscErrorCode RungLineSolverFollow(RungLineSolver solver, Vec w, Vec *at);
PetscErrorCode RungNewtonJacobian(SNES snes, Vec w, Mat J, Mat P, void *ctx);
PetscErrorCode RungNewtonCountSetUp(KSP ksp, Vec b, Vec x, void *ctx); /* before each linear solve */
/* Old factors are worth `most` iterations, however much they leave: the linear solver's own test, and an end there. */
#define RUNG_NEWTON_SWEEPS 20
PetscErrorCode RungNewtonLimitSweeps(KSP ksp, PetscInt most);
/* The preconditioner of ksp, whose operator is slot->J, counted if it is another one than before; its factors are chosen. */
PetscErrorCode RungNewtonSetUp(RungLineSlot *slot, KSP ksp);
/* The internal variables that belong to the solution. */
PetscErrorCode RungNewtonFinishPoints(RungLineSolver solver, Vec w, RungVerdict *verdict);

/* newton_stop.c: when it is done */
PetscErrorCode RungNewtonConverged(SNES snes, PetscInt it, PetscReal wnorm, PetscReal dnorm, PetscReal fnorm,
                                   SNESConvergedReason *reason, void *ctx);
/* What is left of the residual is rounding, or a full step would not change w. */
PetscErrorCode RungNewtonIsRounded(RungLineSolver solver, SNES snes, Vec w, PetscBool *rounding);
/* |d| in the norm of the error test, with the rates that go with it at order 2; w: where it has led to. */
PetscErrorCode RungNewtonMeasure(RungLineSolver solver, Vec d, Vec w, PetscReal *size);
/* Steps that the last RungNewtonMeasure() has measured do not get on: is that because of an unknown without a rate, whose size may be rounding?
   Kept for RungLineTakeDoubt(). */
void           RungNewtonDoubt(RungLineSolver solver);
PetscErrorCode RungNewtonNorms(RungLineSolver solver, Vec v, PetscReal norm[]);      /* Euclidean, of each unknown */
PetscErrorCode RungNewtonLargest(RungLineSolver solver, Vec v, PetscReal largest[]); /* |v_i| of each unknown */

/* line_rounding.c: 1 to 2 or -1 to -2, by the number of an entry alone, in an order that no grid has. */
PetscReal RungChanceOf(PetscInt i);

/* newton_floor.c: *below: every row of F at w is rounding of its terms; PETSC_FALSE where J has no rows.  Collective. */
PetscErrorCode RungNewtonIsFloor(RungLineSolver solver, Mat J, Vec w, Vec F, PetscReal times, PetscBool *below);
/* rounding[f]: Euclidean norm of what rounding does to the terms of equation f at w; 0: J has no rows.  Collective. */
PetscErrorCode RungNewtonRounding(RungLineSolver solver, Mat J, Vec w, PetscReal rounding[]);
/* r_i = +-4 u sum_j |J_ij| |w_j|: what the rounding of a solve with J that has found w leaves of its equations, 0 in entries that are given or
   follow others; *known: J has rows.  Collective. */
PetscErrorCode RungNewtonRoundingOfSolve(RungLineSolver solver, Mat J, Vec w, Vec r, PetscBool *known);
/* *made: d, the step that has led to w, is no larger than what the rounding of F's terms at w makes of a step; PETSC_FALSE where J has no
   rows.  A solve with the matrix of the last step.  Collective. */
PetscErrorCode RungNewtonIsMadeOfRounding(RungLineSolver solver, SNES snes, Vec w, Vec d, PetscBool *made);
/* A warning where rounding of J w may change an unknown of a solution w of statics by more than a hundredth of what it adds to the equations,
   or where J leaves more of one open than its null space.  With factors alone, of equations whose terms are not all 0: *looked; one to
   some solves more.  Collective. */
PetscErrorCode RungNewtonTellOpen(RungLineSolver solver, Vec w, PetscBool *looked);
PetscErrorCode RungNewtonFloorDestroy(RungNewtonFloor *floor);

/* newton_domain.c: steps of Newton's method are cut to where F is finite */
PetscErrorCode RungNewtonGuardDomain(RungLineSlot *slot);
PetscErrorCode RungNewtonRecall(RungLineSolver solver, Vec w, Vec r,
                                PetscBool *known); /* r = F(w), if that was just tried */
PetscErrorCode RungNewtonDestroyDomain(RungLineSolver solver);

/* line_hermite.c */
PetscErrorCode RungLineCubicDestroy(RungLineCubic *cubic);
void           RungLineCubicForget(RungLineSolver solver);

/* newton_kept.c: with a matrix of an earlier solve; w begins as solver->begin, and does so again where it is not solved */
PetscErrorCode RungNewtonMayKeep(RungLineSlot *slot, PetscBool *may);
PetscErrorCode RungNewtonKeep(RungLineSlot *slot, Vec w, PetscBool *solved);
void           RungNewtonForget(RungLineSlot *slot);

/* newton_slope.c
   LearnMass    J is that of w and the slope of now: M, which ChangeSlope wants, where it is constant and not yet known
   ChangeSlope  J, which is kept, for the slope of now; not *changed: it has to be evaluated */
PetscErrorCode RungNewtonLearnMass(RungLineSlot *slot, Vec w);
PetscErrorCode RungNewtonChangeSlope(RungLineSlot *slot, PetscBool *changed);

/* newton_loop.c: our iteration in the SNES of the slot, whose options have been read */
PetscErrorCode RungNewtonTakeLoop(RungLineSlot *slot);

/* newton_search.c: full steps by default; SetType and SetFromOptions of the solver come before */
PetscErrorCode RungNewtonChooseSearch(RungLineSlot *slot);
PetscErrorCode RungNewtonSearch(RungLineSlot *slot, PetscBool search); /* with a line search, or full steps again  */
PetscErrorCode RungNewtonMayBeSearched(RungLineSlot *slot,
                                       PetscBool    *may); /* full steps have failed after the first   */
/* Of solver->stop.d, the it-th step, from 1 on, that has led to w.  Collective. */
PetscErrorCode RungNewtonDiverges(RungLineSlot *slot, PetscInt it, Vec w, PetscBool *diverges);

/* line_blocks.c: factors of the small blocks that J falls into, without PETSc's objects; those of J as it is now.  All collective.
   Create  sets slot->blocks where they fit
   Factor  the factors are those of J as it is now;  *regular: no block is singular
   Solve   x = J^-1 b;  *solved: no block is singular
   OnPoints: do all unknowns live on points?  sum: of their components */
PetscErrorCode RungLineOnPoints(RungLineSolver solver, PetscBool *all_points, PetscInt *sum);
PetscErrorCode RungLineBlocksCreate(RungLineSlot *slot);
PetscErrorCode RungLineBlocksDestroy(RungLineBlocks *blocks);
PetscErrorCode RungLineBlocksFactor(RungLineSlot *slot, PetscBool *regular);
PetscErrorCode RungLineBlocksSolve(RungLineSlot *slot, Vec b, Vec x, PetscBool *solved);
/* line_masses.c: a copy of an AIJ matrix without its zeros, off the diagonal; NULL where few would be left out, or of other types.
   Collective. */
PetscErrorCode RungMassesPack(Mat J, Mat *packed);

/* line_diagonal.c, all collective
   Read     what options say of a slot
   MayBe    may a matrix of this solver be a diagonal, as far as is known before it is there?
   Ask      the matrix that the slot holds; where it is one factors are not wanted
   Is       has it been found to be one?
   Apply    x = J^-1 b
   Solve    F = 0 on solver->line, which is affine, from w, which has the boundary values */
PetscErrorCode RungLineReadDiagonal(RungLineSlot *slot);
PetscErrorCode RungLineMayBeDiagonal(RungLineSlot *slot, PetscBool *may);
PetscErrorCode RungLineAskDiagonal(RungLineSlot *slot);
PetscErrorCode RungLineIsDiagonal(RungLineSlot *slot, PetscBool *is);
PetscErrorCode RungLineApplyDiagonal(RungLineSlot *slot, Vec b, Vec x, RungVerdict *verdict);
PetscErrorCode RungLineSolveDiagonal(RungLineSlot *slot, Vec w, RungVerdict *verdict);

/* line_linearise.c: does J depend on neither state nor time?  Hold: such a J of solver->line in the slot; w is any state of it */
PetscBool      RungLineIsConstant(RungLineSolver solver, const PetscReal slope[]);
PetscErrorCode RungLineHold(RungLineSlot *slot, Vec w);

/* line_origin.c, for lines without an origin nothing but w = z:
   Open       a solve for z begins; the method's own guess becomes an increment
   Value      *w = origin + z, lent until the next call
   Increment  z = w - origin but where z has boundary data, which stay; w is overwritten
   Close      w = origin + z, between bounds */
PetscErrorCode RungLineOpen(RungLineSolver solver, const RungLineSlot *slot, Vec z);
PetscErrorCode RungLineValue(RungLineSolver solver, Vec z, Vec *w);
PetscErrorCode RungLineIncrement(RungLineSolver solver, Vec w, Vec z);
PetscErrorCode RungLineClose(RungLineSolver solver, Vec z, Vec w);

/* line_linear.c */
PetscErrorCode RungLineChoosePath(RungLineSlot *slot); /* sets affine and iterative */
/* line_linear.c: iterations of a linear solver came to nothing, and the way out.  Not collective. */
void           RungLineBlameLinear(RungVerdict *verdict, PetscInt its, KSPConvergedReason reason);
PetscErrorCode RungLineSolveAffine(RungLineSlot *slot, Vec w, RungVerdict *verdict);

/* line_balance.c.  CheckBalance - fails what a singular matrix has no solution for.  CheckRest - the last solve, of F without rates: fails
   what has a singular matrix without a null space that is known, and tells so where it has failed already. */
PetscErrorCode RungLineCheckBalance(RungLineSlot *slot, Vec w, RungVerdict *verdict);
PetscErrorCode RungLineCheckRest(RungLineSolver solver, RungVerdict *verdict);

/* line_predict.c: the better of w and the method's own guess, for nonlinear systems */
PetscErrorCode RungLineChooseGuess(RungLineSolver solver, Vec w);
/* The next solve is as exact as from w, whatever guess it begins with. */
PetscErrorCode RungLineMeasureFrom(RungLineSolver solver, PetscReal t, const RungLine *line, Vec w);
PetscErrorCode RungLinePastForget(RungLineSolver solver);
PetscErrorCode RungLinePastDestroy(RungLineSolver solver);

/* line_bounds.c.  ReadOptions - SNESSetFromOptions(), where bounds hold nothing but what is on them.
   SetBounds - bounds of w from those of u = base + w at the time of the solve; none: nothing.
   SolveFree - x = J^-1 b on the entries that no bound held, J being the KSP's matrix of these alone; x = 0 on the
   others. */
PetscErrorCode RungLineReadOptions(RungLineSolver solver, SNES snes, const char prefix[]);
PetscErrorCode RungLineSetBounds(RungLineSolver solver, RungLineSlot *slot);
PetscErrorCode RungLineSolveFree(KSP ksp, IS held, Vec b, Vec x);
