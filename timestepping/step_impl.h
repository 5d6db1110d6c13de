/* step_impl.h - what the files of this room share: a stepper's parts.  Families of methods see rungmethod.h alone. */
#pragma once

#include <rungmethod.h>
#include <rungstep_room.h>
#include <rungsolve_room.h>

/* ---- step size (control.c) -------------------------------------------------------------------------------------- */

typedef struct {
  PetscReal   h;        /* proposed size of the next step                                                           */
  PetscReal   error;    /* of the last accepted step, negative without one: the filter's memory                     */
  PetscReal   ratio;    /* last change of the step                                                                  */
  PetscInt    refused;  /* consecutive rejections and failures                                                      */
  PetscReal   tried;    /* size of the last rejected step ..                                                        */
  PetscReal   missed;   /* .. and its error; negative: the last refusal was none by an error                        */
  PetscReal   steep;    /* error^(1/exponent)/h of the last accepted step that was not cut short; 0: there is none    */
  PetscInt    falling;  /* accepted steps for which a rejection is remembered; 3: in a fall (control.c)              */
  PetscInt    order;    /* that the method wants to try next, as refusals have taught it; 0: nothing                 */
  PetscReal   exponent; /* error is O(h^exponent)                                                                   */
  PetscReal   growth;   /* largest change                                                                           */
  PetscReal   deadband; /* growth up to this part of h is left away: the stage matrices stay; 0: none               */
  PetscReal   shrink;   /* .. and what makes h shorter; below deadband where errors of two steps are compared       */
  PetscBool   unstable; /* stability may bound the steps: the law of explicit methods                               */
  const char *why;      /* static: how h was chosen                                                                 */
} RungControl;

void RungControlStart(RungControl *control, PetscReal h, PetscReal exponent, PetscReal growth, PetscReal deadband,
                      PetscBool unstable);
/* An accepted step of size h; truncated: it was cut to land on a time: longer ones may follow, the filter learns nothing. */
void RungControlAccept(RungControl *control, PetscReal h, PetscReal error, PetscBool truncated);
void RungControlReject(RungControl *control, PetscReal h, PetscReal error);
void RungControlFail(RungControl *control, PetscReal h);
/* The method itself chooses the next step, ratio times one of size h. */
void RungControlFollow(RungControl *control, PetscReal h, PetscReal ratio, PetscReal error, PetscBool truncated);
/* The next step is at most h long. */
void RungControlBound(RungControl *control, PetscReal h);

/* How many times as long a step of this error may be, with safety. */
PetscReal RungControlElementary(const RungControl *control, PetscReal error);

/* ---- the first step (first.c) ------------------------------------------------------------------------------------ */

/* Where the app leaves it to us; level 0 is the start, and the control has begun. */
PetscErrorCode RungFirstStep(RungStepper stepper, PetscReal *h);

/* ---- explanations (explain.c), -stepper_explain ------------------------------------------------------------------ */

PetscErrorCode RungExplainRefused(RungStepper stepper, PetscReal t, PetscReal h, const RungVerdict *verdict);
PetscErrorCode RungExplainStep(RungStepper stepper, PetscReal t, PetscReal h); /* each tenth */

/* ---- tolerances (tolerances.c) ---------------------------------------------------------------------------------- */

#define RUNG_TARGET_SIZE 256 /* letters of a name like "dt(u)[1]" */

/* What was said of one unknown. */
typedef struct _RungToleranceLink *RungToleranceLink;
struct _RungToleranceLink {
  char              name[RUNG_TARGET_SIZE]; /* as given, without blanks */
  PetscReal         rtol, atol;             /* negative: not given      */
  RungToleranceLink link;                   /* owned                    */
};

PetscErrorCode RungTolerancesReadOptions(RungStepper stepper); /* -stepper_atol_NAME, .. */
PetscErrorCode RungTolerancesSetUp(RungStepper stepper);       /* makes the weights */
PetscErrorCode RungTolerancesDrop(RungStepper stepper);        /* what was said of unknowns                    */
PetscErrorCode RungTolerancesTell(RungStepper stepper);        /* the atol that was used where none was given  */

/* ---- times of adaptive steps (times.c) --------------------------------------------------------------------------- */

#define RUNG_MOST_REFUSALS 30 /* in a row */

typedef struct {
  PetscInt   stops;
  PetscReal *stop; /* owned, [stops] ascending: landed on                                                  */
  PetscInt   looks;
  PetscReal *look;        /* owned, [looks] ascending: landed on where values between levels are not good enough  */
  PetscReal  least, most; /* sizes of steps; 0 and infinity without                                               */
  PetscInt   small;       /* accepted steps in a row that were small and did not grow, the guard's count          */
  PetscReal  first;       /* the first of these                                                                   */
  PetscInt   until;       /* the last of RUNG_LOOKS times of the run that is landed on: sources are yet to come   */
  PetscReal  change;      /* the next switch of the data, as far as one step looks                                */
} RungTimes;

PetscErrorCode RungTimesCheck(RungStepper stepper); /* do they fit the stepper? */
PetscErrorCode RungTimesCheckGrid(RungStepper stepper, PetscReal t0, PetscReal h);
/* Times near t that are less apart are equal: what rounding may make of a length between two of them. */
PetscReal      RungTimesRounding(PetscReal t);
PetscErrorCode RungTimesDestroy(RungStepper stepper);
/* The next step from t: at most control.h, onto the next stop time or t1, no sliver before it. */
void RungTimesPlan(RungStepper stepper, PetscReal t, PetscReal *h, PetscReal *next, PetscBool *truncated);
/* Do steps end where values are asked for, since those between levels would be of a much lower order? */
PetscBool RungTimesLands(RungStepper stepper);
/* Ends a run whose next step is lost in rounding. */
PetscErrorCode RungTimesCheckNext(RungStepper stepper, PetscReal t, PetscReal h, PetscReal next);
/* So short that the end is far beyond any number of such steps, and it is time to ask why: by what checkpoints hold. */
PetscBool RungTimesAreStuck(RungStepper stepper, PetscReal h);
/* After control has chosen: keeps to the limits, ends runs that do not get on, with the groups that are to blame. */
PetscErrorCode RungTimesRefused(RungStepper stepper, PetscReal t, PetscReal h, const RungVerdict *verdict);
PetscErrorCode RungTimesAccepted(RungStepper stepper, PetscReal t, PetscReal h, const RungVerdict *verdict);

/* ---- jumps of data (jumps.c) ------------------------------------------------------------------------------------- */

typedef struct {
  PetscInt64 constants; /* state of the constants that the rates of level 0 belong to                             */
  PetscReal  crossed;   /* time of the last level that is a right limit                                           */
  PetscReal
    looked; /* time of the last level that RungJumpsMend() has looked at in this run: it finds the same every time */
  PetscBool marked; /* the app says that data have jumped                                                     */
  PetscBool told;   /* a step that holds a switch was told of                                                 */
  PetscInt  tries;  /* attempts at steps since a start or since the last thousand was looked at               */
  PetscInt  missed; /* refused ones among `tries`                                                             */
  PetscBool slides; /* the warning of a solution that slides along a jump of F was given in this run          */
} RungJumps;

PetscErrorCode RungJumpsStart(RungStepper stepper, PetscReal t); /* before level 0 is made: data right of t */
/* Level 0 belongs to the constants of now; right: and to the data right of t. */
PetscErrorCode RungJumpsKnown(RungStepper stepper, PetscBool right);
/* Level 0 at t becomes its right limit if data jump there; h: of a step. */
PetscErrorCode RungJumpsCross(RungStepper stepper, PetscReal t, PetscReal h);
/* Values without a rate are solved for at level 0, which stays where that finds none, or another solution. */
PetscErrorCode RungJumpsMend(RungStepper stepper);
/* An attempt at a step from t has an end: warns, once in a run, where steps are refused as if along a jump of F. */
PetscErrorCode RungJumpsCount(RungStepper stepper, PetscReal t, PetscBool refused);
PetscErrorCode RungJumpsTell(RungStepper stepper);                                    /* level 0 has jumped */
PetscErrorCode RungJumpsAhead(RungStepper stepper, PetscReal t, PetscReal h);         /* finds times.change */
PetscErrorCode RungJumpsTellMissed(RungStepper stepper, PetscReal t, PetscReal next); /* fixed steps, once  */

/* ---- stages (stage.c), levels in between (dense.c) ---------------------------------------------------------------- */

/* RungLineSolver of the stepper, whose work is counted in its statistics.  Stages begin at level 0 of the system in time. */
PetscErrorCode RungStagesSetUp(RungStepper stepper);

/* ---- records (record.c, table.c), progress (monitor.c) ---------------------------------------------------------- */

#define RUNG_PACE 64 /* points of a run's pace */

typedef struct _RungOutputRecord *RungOutputRecord;
typedef struct _RungTableRecord  *RungTableRecord;

struct _RungOutputRecord {
  char             path[PETSC_MAX_PATH_LEN];
  PetscReal        every;  /* <= 0: each step                                       */
  PetscInt         steps;  /* > 0: every so many steps, `every` is not looked at    */
  char            *fields; /* owned: what is written; NULL: the unknowns            */
  PetscBool        chosen; /* a call of RungStepperSetOutputFields() was for it     */
  PetscInt         next;   /* number of the next time, t0 + next every              */
  PetscInt         times;  /* written in this run                                   */
  PetscReal        last;   /* the newest of them; NAN: none                         */
  RungMissing      missing;
  RungWriter       writer; /* owned                                                 */
  RungOutputRecord link;   /* owned                                                 */
};

struct _RungTableRecord {
  char            path[PETSC_MAX_PATH_LEN];
  FILE           *file;    /* owned by rank 0: path.part; NULL where the disk has refused the last row */
  PetscBool       open;    /* rank 0: a run is writing it                         */
  PetscBool       written; /* rank 0: this run has finished it                    */
  PetscBool       drawn;   /* rank 0: and its picture                             */
  PetscBool       barred;  /* rank 0: something foreign has the picture's name    */
  RungMissing     missing;
  RungTableRecord link; /* owned                                                    */
  /* rank 0, from the start of a run to the next one */
  PetscInt  columns;  /* behind t                                                   */
  char    **name;     /* owned, [columns]                                           */
  PetscInt *quantity; /* owned, [columns] its number; -1: the system has it no more */
};

/* Quantities at the newest level and the integrals of rates. */
typedef struct {
  PetscInt           n;
  const char *const *name;     /* lent by the system                                */
  const PetscBool   *rate;     /* the same                                          */
  PetscReal         *value;    /* owned, [n] at the newest level                    */
  PetscReal         *integral; /* owned, [n] of rates since the start               */
  PetscReal         *before;   /* owned, [n] their values at the start              */
  PetscReal          t;        /* of value; NAN: not evaluated                      */
  PetscBool          always;   /* each step needs them: a table or a rate           */
  /* sums of rates over a step, integral.c; NULL without rates */
  PetscReal *at;                          /* owned, [n] rates at one stage                                    */
  PetscReal *step;                        /* owned, [n] what the proposed step adds to the sums               */
  PetscReal *bend;                        /* owned, [n] .. beyond the trapezoidal rule                        */
  PetscReal *middle;                      /* owned, [n] rates in the middle of the proposed step              */
  PetscReal *off;                         /* owned, [n] of what the proposed step adds, by another rule       */
  PetscReal *doubt, *total;               /* owned, [n] sums of these, and of |step|, of accepted steps       */
  PetscReal *from_value, *from_integral;  /* owned, [n] rates and sums where the newest step began            */
  PetscReal  weight;                      /* of the proposed step's stages so far                             */
  PetscReal  length;                      /* of the proposed step, and after it of the newest; 0: of neither  */
  Vec        between[RUNG_MAX_ORDER + 1]; /* owned, for places in a step, made where these are needed          */
  PetscInt   numbers;                     /* made of them, in tables                           */
  char     **number_name;                 /* owned, [numbers]                               */
  PetscReal *number;                      /* owned, [numbers] of the row in hand            */
  char     **number_text;                 /* owned, [numbers]                               */
  RungGauge *gauge;                       /* owned, [numbers] when set up                   */
} RungQuantities;

PetscErrorCode RungOutputsDrop(RungStepper stepper);              /* those that were asked for so far */
PetscReal      RungOutputsNext(RungStepper stepper, PetscReal t); /* the first time of one behind t, at most t1 */
PetscErrorCode RungTablesDrop(RungStepper stepper);
PetscErrorCode RungRecordsSetUp(RungStepper stepper);
/* Numbers made of value[0 .. n), behind them. */
PetscErrorCode RungNumbersEvaluate(const RungQuantities *q, PetscReal t, PetscReal value[]);
PetscErrorCode RungRecordsStart(RungStepper stepper,
                                PetscBool   on);         /* level 0 is the start of a run; on: of one that goes on */
PetscErrorCode RungRecordsResume(RungStepper stepper); /* level 0 comes from a checkpoint          */
PetscErrorCode RungRecordsStep(RungStepper stepper);   /* level 0 is new                          */
PetscErrorCode RungRecordsFinish(RungStepper stepper); /* files get their final names             */
/* A run ends with an error: what tables hold so far, and where.  Not collective. */
PetscErrorCode RungRecordsTellOpen(RungStepper stepper);
PetscErrorCode RungRecordsReset(RungStepper stepper); /* what SetUp made */
PetscErrorCode RungRecordsDestroy(RungStepper stepper);

PetscErrorCode RungTableOpen(RungStepper stepper, RungTableRecord table);
PetscErrorCode RungTableResume(RungStepper stepper, RungTableRecord table, PetscReal t); /* keeps rows up to t */
PetscErrorCode RungTableRow(RungStepper stepper, RungTableRecord table, PetscReal t);
PetscErrorCode RungTableFinish(RungStepper stepper, RungTableRecord table);
PetscErrorCode RungTableTellOpen(RungStepper stepper, RungTableRecord table);
PetscErrorCode RungTableForget(RungTableRecord table); /* columns and file */
PetscErrorCode RungTableAddColumn(RungTableRecord table, const char name[], PetscInt quantity);
PetscErrorCode RungTableHead(RungTableRecord table, RungDraft *head);
/* history.c, rank 0: what an earlier run left goes on behind its rows up to t.  Out  found  was there anything;  note  what
   the user should know, or "";  why  the reason if it cannot, and then nothing was touched. */
PetscErrorCode RungTableContinue(RungTableRecord table, const RungQuantities *q, PetscReal t, PetscBool *found,
                                 char note[], size_t length, char why[], size_t room);
/* picture.c, rank 0: NAME.png of NAME.csv. */
PetscErrorCode RungTableDraw(RungTableRecord table);
PetscErrorCode RungTablePicture(RungTableRecord table, char path[PETSC_MAX_PATH_LEN]); /* where it goes */
PetscErrorCode RungQuantitiesUpdate(RungStepper stepper);                              /* values at level 0 */
PetscErrorCode RungQuantitiesStart(RungStepper stepper, PetscBool on);
PetscErrorCode RungQuantitiesResume(RungStepper stepper); /* integrals are loaded */
PetscErrorCode RungQuantitiesRenew(RungStepper stepper);  /* level 0 has jumped    */
PetscErrorCode RungQuantitiesStep(RungStepper stepper);   /* adds the last step to the integrals */
/* integral.c.  Begin: an attempt; Close: its level is complete; Step: it was accepted, values are still those of its beginning. */
PetscErrorCode RungIntegralsSetUp(RungStepper stepper);
PetscErrorCode RungIntegralsReset(RungStepper stepper);
PetscErrorCode RungIntegralsBegin(RungStepper stepper);
PetscErrorCode RungIntegralsClose(RungStepper stepper);
void           RungIntegralsStep(RungStepper stepper);
PetscErrorCode RungIntegralsTell(RungStepper stepper); /* sums that adaptive steps have not resolved */
/* value[] at t of the proposed step: rates become sums.  Close has been called, or t is that of level 0. */
PetscErrorCode RungIntegralsProposed(RungStepper stepper, PetscReal t, PetscReal value[]);

/* How a run went: seconds since its start and times of the problem, few points, evenly in seconds (pace.c). */
typedef struct {
  PetscInt       n;
  PetscLogDouble gap;                    /* least seconds between two points            */
  PetscLogDouble seconds[RUNG_PACE + 1]; /* [n + 1], the last one is the newest step's  */
  PetscReal      t[RUNG_PACE + 1];
} RungPace;

void   RungPaceStart(RungPace *pace, PetscReal t);
void   RungPaceAdd(RungPace *pace, PetscLogDouble seconds, PetscReal t);      /* after a step */
double RungPaceLeft(const RungPace *pace, PetscReal end, PetscBool adaptive); /* seconds, -1: nobody can tell */

typedef struct {
  RungMonitorMode mode;
  RungPace        pace;
  PetscLogDouble  start, last; /* seconds                                           */
  PetscBool       spoken;      /* a line has been printed                           */
} RungProgress;

PetscErrorCode RungProgressStart(RungStepper stepper);
PetscErrorCode RungProgressStep(RungStepper stepper, PetscReal h, PetscReal error);
PetscErrorCode RungProgressRefused(RungStepper stepper, PetscReal h, const RungVerdict *verdict);
PetscErrorCode RungProgressFinish(RungStepper stepper);
PetscErrorCode RungWarning(MPI_Comm comm, const char format[], ...); /* "warning: .." */

/* ---- events (event.c, event_find.c, event_land.c, event_happen.c, event_log.c, event_save.c) ---------------------------- */

/* One call of RungStepperSetEventJump(). */
typedef struct {
  char      *name, *text; /* owned                     */
  RungChange change;      /* owned, made by SetUp       */
} RungEventChange;

typedef struct {
  char            *name; /* owned                                                                     */
  RungEvent        said; /* its text is owned                                                         */
  PetscInt         changes;
  RungEventChange *change; /* owned                                                                  */
  RungGauge        gauge;  /* owned, made by SetUp; NULL: a function                                 */
  /* of a run */
  int        side;  /* sign of g at level 0; 0: it sleeps                                             */
  PetscReal  rest;  /* while |g| is not above this                                                    */
  PetscReal  scale; /* the largest |g| so far                                                         */
  PetscReal  value; /* of g at level 0                                                                */
  PetscReal  next;  /* of g at the proposal                                                           */
  PetscBool  meets; /* the proposal ends at it                                                        */
  int        wakes; /* while it sleeps: sign of g when it has left 0 within the proposal, 0: it has not */
  PetscReal  comes; /* how far the rates lead g within a while, before what happens; NAN: not asked   */
  int        came;  /* sign of g before a jump that stopped or turned it, while it sleeps behind that */
  PetscBool  lost;  /* g has left 0 to the other side nevertheless: it is told, once                  */
  PetscBool  due;   /* it happens at level 0, and has not yet                                         */
  PetscInt   count, room;
  PetscReal *t; /* owned, [count] when it has happened                                                */
} RungEventRecord;

typedef struct {
  PetscInt         n;
  PetscInt         parts;                 /* of a step, between which values are looked at at least     */
  RungEventRecord *event;                 /* owned                                                     */
  Vec              u[RUNG_MAX_ORDER + 1]; /* owned, made by SetUp: a state between two levels            */
  PetscReal       *quantity;              /* owned: of this state                                       */
  PetscReal        last;                  /* when one has happened last; NAN: none                       */
  PetscInt         stuck;                 /* happened at that time                                       */
  PetscBool        fresh;                 /* level 0 is a start, or what an event has left                */
  PetscBool        stopped;               /* one ends the run                                            */
  RungMissing      missing;               /* rows of the log                                             */
} RungEvents;

PetscErrorCode RungEventsSetUp(RungStepper stepper);
PetscErrorCode RungEventsReset(RungStepper stepper);   /* what SetUp made */
PetscErrorCode RungEventsDestroy(RungStepper stepper); /* what was said   */
PetscErrorCode RungEventsView(RungStepper stepper, PetscViewer viewer);
PetscErrorCode RungEventFindRecord(RungStepper stepper, const char name[], PetscInt *number);
/* Level 0 begins a run; anew: no event is known of it. */
PetscErrorCode RungEventsStart(RungStepper stepper, PetscBool anew);
/* g of all events, or of one, at a state; g[events]. */
PetscErrorCode RungEventsEvaluate(RungStepper stepper, PetscInt only, PetscReal t, const Vec u[], PetscReal g[]);
/* By how much g of event e would differ from now if unknowns went on from level 0 with their rates for
   a time; NAN: nobody can tell. */
PetscErrorCode RungEventsAhead(RungStepper stepper, PetscInt e, PetscReal time, PetscReal *change);
/* What a proposal that may be accepted meets.
     NOTHING   it may be accepted
     LAND      it was made anew and ends at an event
     SHORT     it was made anew, shorter, but what was seen in it is not there
     HERE      the event is at level 0 itself: nothing is proposed any more
   verdict, ratio: of the new proposal, which may not be accepted then. */
typedef enum { RUNG_MEETS_NOTHING, RUNG_MEETS_LAND, RUNG_MEETS_SHORT, RUNG_MEETS_HERE } RungMeeting;
PetscErrorCode RungEventsMeet(RungStepper stepper, PetscReal *h, PetscReal *t, RungVerdict *verdict, PetscReal *ratio,
                              RungMeeting *meeting);
void           RungEventsAccepted(RungStepper stepper); /* the proposal has become level 0 */
/* What is due happens at level 0, h: of a step; changed: the level is another one. */
PetscErrorCode RungEventsHappen(RungStepper stepper, PetscReal h, PetscBool *changed);
PetscBool      RungEventsPending(RungStepper stepper); /* is one due? */
/* Quantities at a state, into events.quantity; sums of rates go on from level 0. */
PetscErrorCode RungEventsQuantities(RungStepper stepper, PetscReal t, const Vec u[]);
PetscErrorCode RungEventsSave(RungStepper stepper, RungCheckpoint file);
PetscErrorCode RungEventsLoad(RungStepper stepper, RungCheckpoint file); /* level 0 is loaded */
PetscErrorCode RungEventsLoadConstants(RungStepper stepper, RungCheckpoint file);
PetscErrorCode RungEventsLogCheck(RungStepper stepper); /* may the files be written? */
PetscErrorCode RungEventsLogStart(RungStepper stepper);
PetscErrorCode RungEventsLogResume(RungStepper stepper);           /* rows of what has happened stay */
PetscErrorCode RungEventsLogRow(RungStepper stepper, PetscReal t); /* of what is due and has been counted */
PetscErrorCode RungEventsLogFinish(RungStepper stepper);           /* what the disk has refused           */

/* loop.c: an attempt from level 0 to t, and what the method has to say to it if it may be accepted. */
PetscErrorCode RungLoopPropose(RungStepper stepper, PetscReal h, PetscReal t, RungVerdict *verdict, PetscReal *ratio);
/* dense.c: does it keep one level more than its plan says, for values between levels of order 4? */
PetscBool RungKeepsBefore(const RungMethodPlan *plan);
/* dense.c: u^(k), k <= order, at a time of a step that may still be a proposal */
PetscErrorCode RungStepperBetween(RungStepper stepper, const RungState *from, const RungState *to, PetscReal t,
                                  const Vec u[]);
/* explain.c */
PetscErrorCode RungExplainEvent(RungStepper stepper, const RungEventRecord *event);
/* record.c: rows behind a jump */
PetscErrorCode RungRecordsJump(RungStepper stepper);

/* ---- options (options.c) ---------------------------------------------------------------------------------------- */

PetscErrorCode RungStepperReadSystem(RungStepper stepper); /* its options, if they were not read */

/* Steps that are stable at level 0: fixed ones beyond are refused or made shorter, adaptive ones have a longest (stable.c). */
PetscErrorCode RungStableStep(RungStepper stepper);
/* Events have changed level 0 or constants: steps that are no longer stable are an error, adaptive ones get shorter. */
PetscErrorCode RungStableChanged(RungStepper stepper);
/* Around fixed steps, level 0 is the first and the last one: a solution that has grown because steps were too long is told of. */
PetscErrorCode RungStableBegin(RungStepper stepper);
PetscErrorCode RungStableEnd(RungStepper stepper);

/* ---- log (log.c) ------------------------------------------------------------------------------------------------ */

typedef enum { RUNG_LOG_SETUP, RUNG_LOG_START, RUNG_LOG_STEPS, RUNG_LOG_OUTPUT, RUNG_LOG_STAGES } RungLogStage;

PetscErrorCode RungLogPush(RungLogStage stage); /* stages of PETSc's log; they nest */
PetscErrorCode RungLogPop(void);

/* ---- the work of a run as a file (statistics.c) ----------------------------------------------------------------------- */

/* What the statistics of a run hold besides the counts that programs see. */
typedef struct {
  char           path[PETSC_MAX_PATH_LEN]; /* of the file; "": none                                                  */
  PetscInt       starts;                   /* rates made consistent: at the start, behind jumps, by stages           */
  PetscInt       found;                    /* late rates that had been found when the run began                      */
  PetscInt       solves, last, most;       /* solves on lines; iterations of Newton's method in the last, in one     */
  PetscInt       applied;                  /* solves with a matrix alone: a mass, W of linearly implicit methods     */
  PetscReal      h;                        /* the last accepted step                                                 */
  PetscLogDouble begun;                    /* when the attempt in hand began                                         */
  PetscReal      t;                        /* where the longest step ended                                           */
} RungEffort;

void           RungEffortStart(RungStepper stepper);
void           RungEffortSolve(RungStepper stepper, PetscInt iterations);
void           RungEffortRefuse(RungStepper stepper, const RungVerdict *verdict);
PetscErrorCode RungEffortBegin(RungStepper stepper);
PetscErrorCode RungEffortAccept(RungStepper stepper, PetscReal t, PetscReal h);
PetscErrorCode RungStatisticsCheck(RungStepper stepper); /* may the file be written? */
PetscErrorCode RungStatisticsWrite(RungStepper stepper); /* collective, where there is a path */

/* ---- restart (restart.c) ---------------------------------------------------------------------------------------- */

typedef struct {
  char       save[PETSC_MAX_PATH_LEN]; /* checkpoints go here; "": none                           */
  PetscInt   every;                    /* accepted steps between two; 0: 100, or none with seconds */
  PetscReal  seconds;                  /* wall time between two; 0: the clock does not matter      */
  char       load[PETSC_MAX_PATH_LEN]; /* the run goes on from here; "": it starts                */
  PetscBool  force;                    /* with other equations                                    */
  PetscBool  resumed;                  /* the run has begun with it                               */
  PetscReal  origin, h;                /* fixed steps: t = origin + index h                       */
  PetscInt   index;
  PetscInt   saved;                    /* steps of the run at its last checkpoint, at first those that it begins with */
  double     clock;                    /* seconds then                                                                */
  PetscBool  tried;                    /* there was a checkpoint in this run                                          */
  PetscBool  missing;                  /* the disk has refused the last one                                           */
  PetscInt   files;                    /* that this run has written                                                   */
  char       file[PETSC_MAX_PATH_LEN]; /* the last of them                                            */
  char       why[256];                 /* for that reason                                                             */
  RungKeeper keeper;                   /* of the room above; empty: nothing is kept                                   */
} RungRestart;

PetscErrorCode RungRestartSetUp(RungStepper stepper); /* can a checkpoint be written? */
PetscErrorCode RungRestartBegin(RungStepper stepper); /* level 0 is the start of the loop */
/* Before an attempt: saves if it is time to, or a signal came; stop: one came, and the loop ends. */
PetscErrorCode RungRestartAsk(RungStepper stepper, PetscBool *stop);
PetscErrorCode RungRestartFinish(RungStepper stepper); /* after the loop: the last checkpoint, what is missing */
PetscErrorCode RungRestartLoad(RungStepper stepper);

/* ---- a stepper -------------------------------------------------------------------------------------------------- */

/* What a stepper knows of a method that is not in use now. */
typedef struct {
  const char           *type; /* NULL: there is none */
  const RungStepperOps *ops;
  void                 *data; /* owned               */
  PetscInt              methods, chosen;
  const char *const    *method;
  RungMethodPlan        plan;
} RungOtherMethod;

typedef struct _RungMonitorLink *RungMonitorLink;
struct _RungMonitorLink {
  RungMonitorFn  *fn;
  void           *ctx; /* lent */
  RungMonitorLink link;
};

struct _p_RungStepper {
  MPI_Comm  comm; /* owned, PetscCommDuplicate                                                       */
  PetscBool ready;
  PetscBool making, solving; /* SetUp, Solve are at work */

  RungSystem          sys;                       /* reference                                                         */
  RungTraits          traits;                    /* of sys, valid when ready                                          */
  PetscBool           algebraic;                 /* some free entry has no time derivative                           */
  char                unrated[RUNG_TARGET_SIZE]; /* what the first of these is called                */
  PetscBool           dirichlet;                 /* there are Dirichlet data                                         */
  PetscBool           points;                    /* all unknowns are on points                                       */
  RungTransientSystem ts;                        /* owned, made by SetUp                                              */

  const char           *type;       /* registered name; NULL before SetType                             */
  const RungStepperOps *ops;        /* lent                                                             */
  void                 *data;       /* owned, ops->size bytes                                           */
  PetscInt              methods;    /* of the type                                                      */
  const char *const    *method;     /* [methods] names, static                                          */
  PetscInt              chosen;     /* the method in use                                                */
  PetscInt              advice;     /* 1 + class that it was taken by itself for, 0: it was said        */
  RungMethodPlan        plan;       /* of the method for this system, valid when ready                  */
  RungOtherMethod       other;      /* its successor, made by SetUp; once handed over, its predecessor  */
  PetscBool             handed;     /* the successor is in use                                          */
  PetscBool             lasting;    /* no method with a successor is taken by itself                    */
  PetscBool             warned;     /* of the method's weakness, since SetUp           */
  PetscBool             force;      /* -stepper_force                                  */
  PetscBool             stable;     /* -stepper_stable                                 */
  PetscBool             grows;      /* it was told that steps of the run are too long to be stable */
  PetscReal             start_size; /* of the values at its start */

  PetscReal         t0, t1, dt;
  PetscBool         choose_first; /* of adaptive steps: the app leaves dt to us, which is t1 - t0 then           */
  Vec               stage;        /* lent: the values that the last stage was solved for                        */
  PetscReal         stage_t;      /* its time                                                                   */
  PetscBool         interval;     /* has been set                                                                */
  PetscReal         rtol, atol;   /* of all unknowns; atol negative: it follows the values                     */
  PetscBool         adaptive;
  Vec               entry_atol; /* owned, of single entries; NULL: none was given                      */
  RungToleranceLink tolerances; /* owned, of single unknowns in order of the calls                   */
  RungErrorNormType norm;
  Vec               free;    /* owned, 1 in free entries, with a rate or without; NULL before it was wanted */
  RungWeights       weights; /* owned, made by SetUp                                              */
  PetscInt          max_steps;

  RungLineSolver solver;        /* owned                                */
  PetscBool      linearised;    /* its matrix is that of RungStageLinearise() */
  PetscBool      singular_mass; /* the last solve has failed since the coefficients of the highest rates are singular */
  PetscInt       works;
  Vec           *work; /* owned, [works] = plan.work */

  RungControl           control;
  RungTimes             times;
  RungJumps             jumps;
  RungEvents            events;
  RungStepperStatistics statistics;
  RungMonitorLink       monitors; /* owned, in order of addition                                     */
  RungProgress          progress;
  RungEffort            spent;
  RungRestart           restart;
  RungStepperReason     reason;  /* why the last Solve has ended                                       */
  int                   signal;  /* that has ended it, 0 without                                       */
  RungOutputRecord      outputs; /* owned                                                            */
  RungTableRecord       tables;  /* owned                                                            */
  RungQuantities        quantities;
  Vec                   interpolated[RUNG_MAX_ORDER + 1]; /* owned, made with the first output       */
  PetscBool             view;                             /* -stepper_view                           */
  PetscBool             explain;                          /* -stepper_explain                        */
  PetscBool             begun;                            /* by a former Solve                       */
  PetscBool             from_options;                     /* options were read: those of the system are too */
};

/* said.c: was the same said on all ranks?  Collective. */
PetscErrorCode RungStepperCheckRanks(RungStepper stepper);

/* ---- types and their methods (register.c, abilities.c, synonym.c) --------------------------------------------------- */

#define RUNG_STEPPER_TYPE(name, ops) extern const RungStepperOps ops;
#include "types.def"
#undef RUNG_STEPPER_TYPE

/* The types in their order, lent. */
PetscErrorCode RungStepperGetTypes(PetscInt *n, const char *const **names);
PetscErrorCode RungStepperFindType(MPI_Comm comm, RungStepperType type, const char **name, const RungStepperOps **ops);
/* NULL: there is none of the name. */
PetscErrorCode RungStepperOpsOf(const char type[], const RungStepperOps **ops);
/* "dirk, bdf or alpha": all types, or those that own an option. */
PetscErrorCode RungStepperListTypes(const char option[], char text[], size_t size);
/* "; here it is ..", what a name that others use for a method means to a stepper of this type (NULL: none); "" if nobody
   calls a method so. */
PetscErrorCode RungStepperHint(RungStepperType type, const char word[], char text[], size_t size);
/* What the system asks of a method, SetUp refuses one that cannot. */
PetscErrorCode RungAbilitiesCheck(RungStepper stepper);
PetscErrorCode RungAbilitiesWarn(RungStepper stepper); /* of what the method is not good at, once */
/* The plan of the method in use without a system. */
PetscErrorCode RungStepperOwnPlan(RungStepper stepper, RungMethodPlan *plan);

/* ---- what a family owes the loop (duties.c) --------------------------------------------------------------------------- */

/* Before an attempt. */
typedef struct {
  PetscReal        t;                     /* of the new level                                      */
  PetscInt         levels;                /* accepted                                              */
  PetscObjectState past;                  /* how often their vectors have been written             */
  PetscInt         found;                 /* late rates that have been, which writes to their level */
  PetscObjectState u[RUNG_MAX_ORDER + 1]; /* .. and u[k] of the new level                          */
  RungState        to;                    /* which vectors that has                                */
} RungDuties;

PetscErrorCode RungDutiesCheckNames(RungStepperType type, const RungStepperOps *ops);
PetscErrorCode RungDutiesCheckPlan(RungStepper stepper, const RungMethodPlan *plan);
/* Around an attempt.  A verdict without a reason gets one. */
PetscErrorCode RungDutiesBegin(RungStepper stepper, const RungState *to, RungDuties *duties);
PetscErrorCode RungDutiesCheck(RungStepper stepper, RungState *to, RungVerdict *verdict, const RungDuties *duties);
PetscErrorCode RungDutiesEnd(RungStepper stepper); /* of the run: its last level is finite */

/* ---- handing over (successor.c) ---------------------------------------------------------------------------------------- */

/* The method's work vectors and what its setup() makes; the plan is known.  Release: they go. */
PetscErrorCode RungMethodPrepare(RungStepper stepper);
PetscErrorCode RungMethodRelease(RungStepper stepper);
PetscErrorCode RungTellSolves(RungStepper stepper); /* how many solves there will be, for the choice of solvers */
/* The successor that the plan names, with its own plan; Forget: the first method is in use again, and alone. */
PetscErrorCode RungSuccessorFind(RungStepper stepper);
PetscErrorCode RungSuccessorForget(RungStepper stepper);
/* A run begins; fresh: its level has no predecessor.  The first method is in use then. */
PetscErrorCode RungSuccessorStart(RungStepper stepper, PetscBool fresh);
PetscErrorCode RungSuccessorExchange(RungStepper stepper);                  /* the other method is in use */
PetscErrorCode RungSuccessorAsk(RungStepper stepper, PetscBool *exchanged); /* before an attempt */

/* ---- which method (advice.c) ------------------------------------------------------------------------------------------- */

PetscErrorCode RungAdviceTake(RungStepper stepper);                     /* a type, if none was set; traits are known */
PetscErrorCode RungAdviceView(RungStepper stepper, PetscViewer viewer); /* why, where it took one */
PetscErrorCode RungAdvicePrint(MPI_Comm comm);                          /* the table of classes    */
void           RungAdviceOf(const char method[], char text[], size_t size); /* "split, first"; "studies" */
