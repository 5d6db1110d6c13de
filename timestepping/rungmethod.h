/* rungmethod.h - how a family of methods is written, in the library or outside of it (docs/writing-a-method.md).

   A family is a table of functions, RungStepperOps, and one call of RungStepperRegister().  A method proposes a level, the loop
   disposes: it accepts or refuses, chooses the step, lands on times, counts, writes.  So a method reads accepted levels, writes the
   one that it makes, and nothing else; what it keeps from step to step is in levels (vectors, numbers), which the loop rolls back,
   drops at jumps and saves. */
#pragma once

#include <rungline.h>
#include <rungstep.h>
#include <rungsystem_method.h>

#define RUNG_MAX_STAGES 24

/* What a method can.  A system that asks for more is refused by SetUp, by the name of the unknown, with the methods that can. */
typedef enum {
  RUNG_CAN_ORDER1    = 1,   /* systems of order 1 in time                                                           */
  RUNG_CAN_ORDER2    = 2,   /* unknowns of order 2                                                                  */
  RUNG_CAN_ALGEBRAIC = 4,   /* free entries without a rate, index 1                                                 */
  RUNG_CAN_INDEX2    = 8,   /* .. of index 2 at its order; nobody asks, pages tell                                  */
  RUNG_CAN_CONSERVE  = 16,  /* conserved terms dm(t, u)/dt, which RungState.m is for                                */
  RUNG_CAN_BOUND     = 32,  /* bounds on unknowns                                                                   */
  RUNG_CAN_CONDENSE  = 64,  /* internal variables at points, which a line's solver eliminates                       */
  RUNG_CAN_SPLIT     = 128, /* terms inside of explicit(..) are taken apart: stages solve F without them            */
  RUNG_CAN_VARY_MASS = 256, /* derivatives by the highest rates that depend on t or u                               */
  RUNG_CAN_ALL       = 511
} RungMethodAbility;

/* What a method is, and what it needs of the loop. */
typedef struct {
  PetscInt  order;    /* of convergence                                                                             */
  PetscInt  exponent; /* the error that it hands over is O(h^exponent); 0: it makes no estimate                      */
  PetscInt  depth;    /* accepted levels that it looks at, level 0 among them; at least 2 are kept                   */
  PetscInt  carried;  /* vectors of its own in each level, RungState.carry (and carry_m)                             */
  PetscInt  numbers;  /* numbers of its own in each level, RungState.number                                          */
  PetscInt  matrices; /* slopes that come again in a run of equal steps                                              */
  PetscInt  work;     /* vectors of RungStepperGetWork()                                                             */
  PetscBool mixes;    /* it solves with rates alone beside values of unknowns that have none, which is not symmetric */
  PetscBool matches;  /* it calls RungStageMatch()                                                                   */
  PetscBool linear;   /* its stages are linear solves, which may lead anywhere: no value is believed to grow tenfold */
  PetscInt
            dense; /* order of between(), 0: that of RungStepperHermite(); 1: of straight lines.  With tolerances, steps of methods of a higher
                          order than dense + 1 end where values are asked for                                         */
  PetscReal growth; /* largest change of a step; 0: 2                                                              */
  unsigned  can;    /* RUNG_CAN_..                                                                                 */
  unsigned  forced; /* .. and what -stepper_force makes it do, less well than its order says                       */
  PetscBool
            algebraic; /* its estimate is one of unknowns without a rate, too, whose errors do not follow from those of the others: they
                            are tested                                                                            */
  PetscBool limited; /* fixed steps beyond RungStepperOps.stable() are refused                                     */
  PetscInt
              index1; /* constraints that hold no unknown without rates are refused by their text: 1 those without the highest rates of
                         any, 2 those of values alone; 0: none                                                          */
  const char *way_out; /* how it could do more, "take -stepper_x y"; NULL: another method can; lent                  */
  const char *
    successor; /* the method that goes on where leave() says so, one that carries nothing in its levels; NULL: none; lent */
  /* for pages and warnings; limit also for how long rounding stays in levels */
  PetscInt    stages, stage_order, solves; /* solves: implicit stages of a step                                      */
  PetscReal   limit;                       /* |R(inf)| of its stability function; negative: none                     */
  PetscReal   angle;                       /* of stability about the negative axis, 90: A-stable, 0: bounded          */
  const char *caution;                     /* what a run with tolerances warns of, lent, static as the next; NULL    */
  const char *citation;
} RungMethodPlan;

/* An option of the family, refused for steppers of other types; its name begins with "-stepper_". */
typedef struct {
  const char *name, *about;
} RungMethodOption;

/* What others call a method: words in small letters and digits with blanks around each, " cn cranknicolson ".  why: this method is
   not the same but the nearest, with the reason; NULL: it is the same. */
typedef struct {
  const char *method, *why, *words;
} RungMethodSynonym;

/* Names that others give exactly this method, which choose it like its own: as they write them, with blanks around each,
   " DoPri8 dormand-prince-853 ". */
typedef struct {
  const char *method, *names;
} RungMethodAlias;

/* What is known of a stepper; all lent.  Before SetUp sys may be NULL, and traits and what follows them say nothing. */
typedef struct {
  MPI_Comm          comm;
  RungSystem        sys;
  PetscInt          method;    /* number in methods[] of the one in use                                              */
  PetscBool         adaptive;  /* there are tolerances                                                               */
  PetscBool         ready;     /* SetUp was called                                                                   */
  PetscBool         force;     /* -stepper_force                                                                     */
  PetscBool         itself;    /* nobody has named the method: the stepper took it by itself                         */
  const RungTraits *traits;    /* of the system                                                                      */
  PetscBool         algebraic; /* some free entry has no rate                                                        */
  PetscBool         dirichlet; /* there are boundary data or constraints                                             */
  PetscBool         points;    /* all unknowns are on a mesh of points: equations without a space                    */
} RungStepperFacts;

/* A family.  Arrays end with NULL; functions that may be NULL say what happens then.  All are collective. */
typedef struct {
  const char *const       *methods;
  const char              *first;    /* the method of a new stepper; NULL: methods[0]                                */
  const char *const       *keys;     /* as many as methods: longer names, which are taken too; NULL: none            */
  const RungMethodOption  *options;  /* NULL: none                                                                   */
  const RungMethodSynonym *synonyms; /* of messages, which lead to the method; NULL: none                            */
  const RungMethodAlias   *aliases;  /* taken like names; NULL: none                                                 */
  size_t                   size;     /* of RungStepperGetData()                                                      */
  /* Reads the options of the family.  NULL: none. */
  PetscErrorCode (*read)(RungStepper stepper);
  /* Fills a plan of zeros; numbers below 0 or an order of 0 are an error.  traits NULL: of the method by itself; else for this
     system, whose RungStepperGetFacts() are known. */
  PetscErrorCode (*plan)(RungStepper stepper, const RungTraits *traits, RungMethodPlan *plan);
  /* The system fits and work vectors are there.  NULL: nothing. */
  PetscErrorCode (*setup)(RungStepper stepper);
  /* From level 0 to to->t, which is set: writes all of to's u, m, carry and number, and nothing else that a later attempt reads.
     h is to->t - from->t but for rounding; slopes are made of h.  verdict comes as solved without an error; where that is above 1
     afterwards, or nothing was solved, the rest of `to` does not matter.  Writing elsewhere or not at all is an error of the run. */
  PetscErrorCode (*attempt)(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                            RungVerdict *verdict);
  /* The attempt from `from` is going to be accepted, unless an event is found inside of it; `to` is still open.  ratio, which is 0:
     the next step is so many times this one; 0: the control decides, by plan.exponent; negative: it does, up to -ratio times.  What it
     asks of the attempt, its error too, the attempt leaves in to->number.  NULL: nothing. */
  PetscErrorCode (*accepted)(RungStepper stepper, const RungState *from, RungState *to, PetscReal *ratio);
  /* With tolerances, the attempt was rejected or failed, and its level is gone.  ratio as above, below 1.  NULL: nothing. */
  PetscErrorCode (*refused)(RungStepper stepper, const RungState *from, PetscReal h, const RungVerdict *verdict,
                            PetscReal *ratio);
  /* Adaptive steps, before each attempt: does plan.successor go on from this level, since stability bounds the steps?  The level alone
     decides, with which a run goes on from a checkpoint.  NULL: it never does. */
  PetscErrorCode (*leave)(RungStepper stepper, const RungState *level, PetscBool *leaves);
  /* u^(k) at a place of an accepted step, theta in [0, 1]; boundary data are imposed after it.  NULL: RungStepperHermite(). */
  PetscErrorCode (*between)(RungStepper stepper, const RungState *from, const RungState *to, PetscReal theta,
                            PetscInt k, Vec u);
  /* The longest stable step from a level, 0: none is known, or all are; negative: none is.  For -stepper_stable.  NULL: all are. */
  PetscErrorCode (*stable)(RungStepper stepper, const RungState *level, PetscReal *h);
  /* Parameters, one line; a restart wants the same text.  NULL: none. */
  PetscErrorCode (*view)(RungStepper stepper, PetscViewer viewer);
  /* Frees what setup made.  NULL: nothing.  destroy: what the data hold besides; NULL: nothing */
  PetscErrorCode (*reset)(RungStepper stepper);
  PetscErrorCode (*destroy)(RungStepper stepper);
} RungStepperOps;

/* RungStepperRegister - a family under a name, which is copied; ops is lent for the rest of the process.  Before steppers of the
   type; the same on all ranks.  Its methods are listed, studied, helped with and restarted like others.  Not collective.
   Errors  PETSC_ERR_ARG_NULL, PETSC_ERR_ARG_WRONG  no name, no ops, a name that is taken, of the type or of a method
           PETSC_ERR_ARG_INCOMP                     ops without methods, plan or attempt, an option of another prefix, `first`
                                                    that is no method */
RUNG_EXTERN PetscErrorCode RungStepperRegister(RungStepperType type, const RungStepperOps *ops);
/* RungStepperGetMethods - all (type, method) pairs, for studies over all of them: type[i], method[i]; lent. */
RUNG_EXTERN PetscErrorCode RungStepperGetMethods(PetscInt *n, const char *const **types, const char *const **methods);
/* RungStepperGetPlan - what a method says of itself, without a system.  Errors  as of RungStepperSetType and SetMethod */
RUNG_EXTERN PetscErrorCode RungStepperGetPlan(RungStepperType type, const char method[], RungMethodPlan *plan);

/* RungMethodsPrint - all methods with what they say of themselves, a line each; page: as the table of docs/methods.md.  Collective. */
RUNG_EXTERN PetscErrorCode RungMethodsPrint(MPI_Comm comm, PetscBool page);

/* ---- what a method asks its stepper ----------------------------------------------------------------------------- */

/* RungStepperGetData - size bytes of the family's own, zero at first; lent.  plan() is called without read() too, and before it: what
   is not 0 by default gets its value in both. */
RUNG_EXTERN void          *RungStepperGetData(RungStepper stepper);
RUNG_EXTERN PetscErrorCode RungStepperGetFacts(RungStepper stepper, RungStepperFacts *facts); /* see there */
/* RungStepperGetWork - plan.work vectors, zero at first, nobody else's; lent from setup() to reset(). */
RUNG_EXTERN PetscErrorCode RungStepperGetWork(RungStepper stepper, Vec **work);
/* RungStepperGetLevels - accepted levels that there are, 1 after a start and after a jump; RungStepperGetState() lends them. */
RUNG_EXTERN PetscErrorCode RungStepperGetLevels(RungStepper stepper, PetscInt *levels);
/* RungStepperMeasure - the norm of an error as RungStepperSetTolerances() has it, the largest of its groups', accepted up to 1.  With
   tolerances only.  Collective.
   In      e  of u, and of v = u' where the order is 2; e[1] NULL: of u alone
           d  what a method that does not impose boundary data made of them; NULL: it imposes them */
RUNG_EXTERN PetscErrorCode RungStepperMeasure(RungStepper stepper, const Vec e[2], const Vec d[2],
                                              const RungState *from, const RungState *to, PetscReal *norm);
/* RungStepperSize - the same norm of any x, and x' where the order is 2, by the scales of the last error that was measured.  With
   tolerances only.  Collective. */
RUNG_EXTERN PetscErrorCode RungStepperSize(RungStepper stepper, const Vec x[2], PetscReal *size);
/* RungStepperSetNextOrder - for methods of several orders: the order that a refusal asks for, kept and saved beside the memory of the
   control, since a level's numbers are rolled back; 0, as after starts and jumps: none.  It stays until it is set again: accepted()
   sets it to 0. */
RUNG_EXTERN PetscErrorCode RungStepperSetNextOrder(RungStepper stepper, PetscInt order);
RUNG_EXTERN PetscErrorCode RungStepperGetNextOrder(RungStepper stepper, PetscInt *order);

/* RungStepperTell - a line "note: .." for the user, on rank 0.  Collective. */
RUNG_EXTERN PetscErrorCode RungStepperTell(RungStepper stepper, const char format[], ...);
/* RungStepperSetParameter - a number of the method, by the name of its option without -stepper_: "theta" of theta, "damped_steps" of
   crank_nicolson, "rho_inf" of rho_bathe, "beta" and "gamma" of newmark_acceleration, "lag" of W methods, "low_storage" (1) of ssp33.
   The option on the command line has precedence.  After SetType or SetMethod, before SetUp.  Collective.
   Errors  PETSC_ERR_ARG_UNKNOWN_TYPE  the type has no such number: those that it has are named;  those of the option */
RUNG_EXTERN PetscErrorCode RungStepperSetParameter(RungStepper stepper, const char name[], PetscReal value);
/* RungStepperSetEntryTolerances - adaptive steps, with an absolute tolerance for each entry of u in the place of that of
   RungStepperSetTolerances(), whose rtol is that of all:

       s_i = atol_i + rtol max(|u_n,i|, |u_n+1,i|),     of v = dt(u) at order 2 atol_i V/U with the largest |v| and |u| so far, V and U

   For systems of callbacks, whose entries are quantities of different units, and of forms, where RungStepperSetUnknownTolerances() of an
   unknown, a component or a rate wins.  Before SetUp.  Collective.
   In      atol  as RungSystemCreateVec() makes it, no entry negative; copied
   Errors  PETSC_ERR_ARG_OUTOFRANGE  an entry that is negative or not finite;  (SetUp) PETSC_ERR_ARG_SIZ  another length;
           PETSC_ERR_ARG_INCOMP  an entry of 0 without an rtol */
RUNG_EXTERN PetscErrorCode RungStepperSetEntryTolerances(RungStepper stepper, Vec atol);
/* RungStepperSetExplain - the error output tells at each refused attempt and each tenth step which unknown decided (values, rates or
   boundary data), its three largest entries in units of what is allowed, with their places, and how the next step was chosen.
   Any time. */
RUNG_EXTERN PetscErrorCode RungStepperSetExplain(RungStepper stepper, PetscBool explain);
/* RungStepperSetIntegral - where the sum of a rate begins: runs that go on where another one ended.  Sets the stepper up.
   Errors  PETSC_ERR_ARG_UNKNOWN_TYPE  no such quantity;  PETSC_ERR_ARG_WRONG  it is no rate */
RUNG_EXTERN PetscErrorCode RungStepperSetIntegral(RungStepper stepper, const char name[], PetscReal value);
/* RungStepperAddLookTimes - values are asked for at these times, by RungStepperInterpolate(): adaptive steps land on them, and on the
   times of outputs, where the order of the method is more than one above that of its values between levels.  Any time. */
RUNG_EXTERN PetscErrorCode RungStepperAddLookTimes(RungStepper stepper, PetscInt n, const PetscReal t[]);
/* RungStepperSave - a checkpoint of the newest level, now; for monitors.  Errors  PETSC_ERR_ORDER  there is no level yet */
RUNG_EXTERN PetscErrorCode RungStepperSave(RungStepper stepper, const char path[]);

/* RungStepperReadReal, RungStepperReadInt - for read(): an option of the family; range in words, "above 0", "1 to 5", "at least 0",
   refused otherwise and shown by -help.  ReadChoice - one of words, which end with NULL, by its number.  RungOptionBool() and
   RungOptionText() read others. */
RUNG_EXTERN PetscErrorCode RungStepperReadReal(RungStepper stepper, const char name[], const char range[],
                                               PetscReal *value, PetscBool *given);
RUNG_EXTERN PetscErrorCode RungStepperReadInt(RungStepper stepper, const char name[], const char range[],
                                              PetscInt *value, PetscBool *given);
RUNG_EXTERN PetscErrorCode RungStepperReadChoice(RungStepper stepper, const char name[], const char *const words[],
                                                 PetscInt *choice);

/* ---- lines ------------------------------------------------------------------------------------------------------ */

/* RungLineSetSlope - slope[k] of all unknowns.  RungCombineUnknown - y = sum_j c[j] x[j] on the entries of unknown f. */
RUNG_EXTERN void RungLineSetSlope(RungStepper stepper, RungLine *line, PetscInt k, PetscReal value);
/* RungLineMove - the same line from origin + by, Vecs of the method all of them.  by becomes 0 at entries where it is larger than the
   origin, which would lose digits there.  At order 2 h u' leaves h^2 u'' to the increment. */
RUNG_EXTERN PetscErrorCode RungLineMove(RungStepper stepper, RungLine *line, Vec by);
RUNG_EXTERN PetscErrorCode RungCombineUnknown(RungStepper stepper, PetscInt f, Vec y, PetscInt n, const PetscReal c[],
                                              const Vec x[]);
/* RungStageSolve - F(t, line(w)) + slope_1 m(t, w) + load = 0 for w, counted.  Matrices are kept as long as that is right.
   In      load     NULL: 0
   In/Out  w        a guess, with boundary values that the line leads to; the solution
           line->increment  with an origin it is the guess in the place of w, and w - origin of the solution
   Out     verdict  why there is none: return it as it is
   Predict - boundary values at t, the end of the step, and a better guess where accepted levels lead to one.  PredictInside - a
   better guess alone, for t inside of the step: `stages`, what earlier stages of the step lead to, or, where that is NULL, what the
   last step leads to; either way with the boundary values of w.
   Apply - x = J^-1 b with the matrix of the last solve, or of the last Linearise; rows of given entries: x = b.  Counted;
   b becomes 0 at entries of the last solve that bounds hold.
   ApplyStep - the same where x is a step of values at[0], or their error, and rate x one of at[1] = v at order 2, else NULL: with
   tolerances an iteration ends where the error test sees a ten-thousandth of what it accepts.
   Linearise - J = sum_k slope[k * unknowns + f] dF/du_f^(k) at a state, factored; it stays while nothing in it depends on t or the
   state, as the mass of an explicit method.
   Linearised - does Apply still have the matrix of the last Linearise?  Not so after another solve, or a checkpoint.
   Match - w with m(w) = target in rows with conserved terms, w = u in others: the end of a step by weights. */
RUNG_EXTERN PetscErrorCode RungStageSolve(RungStepper stepper, PetscReal t, const RungLine *line, Vec load, Vec w,
                                          RungVerdict *verdict);
RUNG_EXTERN PetscErrorCode RungStagePredict(RungStepper stepper, PetscReal t, Vec w);
RUNG_EXTERN PetscErrorCode RungStagePredictInside(RungStepper stepper, PetscReal t, Vec stages, Vec w);
RUNG_EXTERN PetscErrorCode RungStageApply(RungStepper stepper, Vec b, Vec x, RungVerdict *verdict);
RUNG_EXTERN PetscErrorCode RungStageApplyStep(RungStepper stepper, Vec b, const Vec at[2], PetscReal rate, Vec x,
                                              RungVerdict *verdict);
RUNG_EXTERN PetscErrorCode RungStageLinearise(RungStepper stepper, PetscReal t, const Vec u[], const PetscReal slope[],
                                              RungVerdict *verdict);
RUNG_EXTERN PetscBool      RungStageLinearised(RungStepper stepper);
RUNG_EXTERN PetscErrorCode RungStageMatch(RungStepper stepper, PetscReal t, Vec u, Vec target, Vec w,
                                          RungVerdict *verdict);
/* RungStageEvaluate - u[k] = base[k] + slope[k] w, with an origin slope[k] increment; u[k] may be base[k], and the last one w.
   Residual - r = F on the line at w plus load.
   Consistent - the highest rates of a state from F = 0, and algebraic values where asked for; boundary data get their rates.
   ConsistentLater - the highest rates alone, of a method whose next step needs none: for accepted(), found when somebody asks for
   the level, RungStepperGetState() among them, and at once where events or sums of rates look at each step.
   Rest - rates of entries that bounds hold at the new level: those of the bound over the step.  For methods whose first stage takes the
   rate of a level: what a stage at a bound has for one, s (w - p), is what led it there, and would come back from step to step. */
RUNG_EXTERN PetscErrorCode RungStageEvaluate(RungStepper stepper, const RungLine *line, Vec w, const Vec u[]);
RUNG_EXTERN PetscErrorCode RungStageResidual(RungStepper stepper, PetscReal t, const RungLine *line, Vec load, Vec w,
                                             Vec r);
RUNG_EXTERN PetscErrorCode RungStageConsistent(RungStepper stepper, PetscBool algebraic, RungState *state);
RUNG_EXTERN PetscErrorCode RungStageConsistentLater(RungStepper stepper, RungState *state);
/* RungStageSum - a stage of the attempt, u^(k) at t, counts weight in sums of rates (RungSystemAddRate()): h b_i of a Runge-Kutta method,
   whose quadrature conserves what the equations conserve.  The weights of an attempt add up to h; a method that does not call it gets
   the trapezoidal rule up to order 2 and Simpson's beyond.  Nothing is done in systems without rates.  Collective.
   RungStageSums - are there rates?  Else nobody asks for u^(k) of stages. */
RUNG_EXTERN PetscErrorCode RungStageSum(RungStepper stepper, PetscReal t, const Vec u[], PetscReal weight);
RUNG_EXTERN PetscBool      RungStageSums(RungStepper stepper);
/* RungStageImposeRates - boundary values of w, which is the highest derivative of each unknown: those of the data at t; work is another
   Vec, overwritten.
   Fastest - of  M du^(n) + K du = 0  about a level, n the order of the system: the size of the largest eigenvalue of -M^-1 K, never
   too large where both are symmetric, at most 2.2 % too small there on 41 sizes each of intervals and triangles (stable.c), and the cosine of the angle that -M^-1 K turns its vector by: 1 growth, -1
   decay at n = 1 and oscillation at n = 2, between them pairs of complex ones.  0 where nothing moves, or M is singular.
   Counted; work: four Vecs.  FastestOf - of  M du^(order) + K du^(k) = 0  of the unknowns of that order alone, K = dF/du^(k): damping has k = 1.
   FastestExplicit - the same of terms inside of explicit(..) alone, at order 1; slope: of the matrix that is solved with for M, whose rates
   have one weight, NULL: 1 on rates and on values of unknowns without; work: seven. */
RUNG_EXTERN PetscErrorCode RungStageImposeRates(RungStepper stepper, PetscReal t, Vec w, Vec work);
RUNG_EXTERN PetscErrorCode RungStageFastest(RungStepper stepper, const RungState *level, const Vec work[4],
                                            PetscReal *size, PetscReal *cosine);
RUNG_EXTERN PetscErrorCode RungStageFastestOf(RungStepper stepper, const RungState *level, PetscInt order, PetscInt k,
                                              const Vec work[4], PetscReal *size, PetscReal *cosine);
RUNG_EXTERN PetscErrorCode RungStageFastestExplicit(RungStepper stepper, const RungState *level,
                                                    const PetscReal slope[], const Vec work[7], PetscReal *size,
                                                    PetscReal *cosine);
RUNG_EXTERN PetscErrorCode RungStageRest(RungStepper stepper, const RungState *from, RungState *to);

/* ---- between levels ---------------------------------------------------------------------------------------------- */

/* RungStepperHermite - for between(): the cubic with values and rates of both ends, of order 3, of methods of order 5 and more without dense of
   their own the quartic through the level before, too; entries without a rate, and u^(k)
   of the highest k, by a straight line.  Through - entries without a rate by the polynomial through values at n places. */
RUNG_EXTERN PetscErrorCode RungStepperHermite(RungStepper stepper, const RungState *from, const RungState *to,
                                              PetscReal theta, PetscInt k, Vec u);
RUNG_EXTERN PetscErrorCode RungStepperThrough(RungStepper stepper, PetscInt n, const PetscReal place[],
                                              const Vec value[], PetscReal theta, Vec u);
