/* rungstep_room.h - what the room above needs of steppers besides what programs do.  Not installed, not exported. */
#pragma once

#include <rungstep.h>
#include <rungsystem_room.h>

#define RUNG_MOST_OUTPUTS 1e6 /* of one series: its pieces are files with six digits in their names */

/* RungStepperGetTransientSystem - the system in time; sets the stepper up; lent.  Solve goes on from a start at t0 that was made by
   hand (exact rates, past levels of multistep methods). */
RUNG_INTERN PetscErrorCode RungStepperGetTransientSystem(RungStepper stepper, RungTransientSystem *ts);

/* RungStagesForget - what solves have left behind, as in a new stepper; after SetUp.  Collective. */
RUNG_INTERN PetscErrorCode RungStagesForget(RungStepper stepper);

/* RungStepperGetSizes - what absolute tolerances follow: n numbers, the largest |u_f^(k)| so far, [2 f + k], and behind them those of components,
   and what rounding leaves in u_f^(k), as far as it is known; 0 and NULL with fixed steps; lent.
   RungStepperSetSizes: those of a run up to t that this one goes on from.  Both after SetUp. */
RUNG_INTERN PetscErrorCode RungStepperGetSizes(RungStepper stepper, PetscInt *n, const PetscReal **largest,
                                               const PetscReal **rounding);
RUNG_INTERN PetscErrorCode RungStepperSetSizes(RungStepper stepper, PetscReal t, const PetscReal largest[],
                                               const PetscReal rounding[]);

/* RungStepperEvaluateBetween - u^(k) and quantities at a time between the two newest levels, sums of rates among them.  Collective. */
RUNG_INTERN PetscErrorCode RungStepperEvaluateBetween(RungStepper stepper, PetscReal t, const Vec u[],
                                                      PetscReal value[]);
/* RungStepperGetCaution - what a run by this method would be warned of, "": nothing; after SetUp.  Not collective. */
RUNG_INTERN PetscErrorCode RungStepperGetCaution(RungStepper stepper, char text[], size_t size);
/* RungStepperTypeOf - the type that has a method, and the name that is registered for this one, its key or an alias of it; type NULL:
   none has it.  All lent. */
RUNG_INTERN PetscErrorCode RungStepperTypeOf(const char word[], const char **type, const char **method);
/* RungStepperFindSynonyms - the n methods, at most RUNG_CLAIMS, that others call so, in any letters; why: it is the nearest, and for that
   reason, NULL: it is the same.  GetOtherNames - " dopri8 ode78", what others call exactly this method; aliases: those of
   their names that choose it, as they write them. */
enum { RUNG_CLAIMS = 4 };
RUNG_INTERN PetscErrorCode RungStepperFindSynonyms(const char word[], PetscInt *n, const char *method[RUNG_CLAIMS],
                                                   const char **why);
RUNG_INTERN PetscErrorCode RungStepperGetOtherNames(const char method[], PetscBool aliases, char text[], size_t size);
/* RungStepperFindRecord - what was asked of a stepper that is of a whole run: "an output", "a table", "a number", "a checkpoint",
   "a restart", "an event"; NULL: nothing of the kind.  Not collective. */
RUNG_INTERN PetscErrorCode RungStepperFindRecord(RungStepper stepper, const char **kind);
/* RungStepperSetKeeper - what is put into each checkpoint besides, and taken out of the one that a run goes on from;
   copied.  Not collective. */
RUNG_INTERN PetscErrorCode RungStepperSetKeeper(RungStepper stepper, const RungKeeper *keeper);
/* What the disk has refused of one file in a run. */
typedef struct {
  PetscInt  n;
  PetscReal t;        /* the first, valid with n > 0 */
  char      why[256]; /* its reason                  */
} RungMissing;

/* RungMissingAdd - one more is not written, why; of the first one there is a warning.  RungMissingTell - at the end of
   the run: what the file lacks, and the exit status says so.  kind: "row", "time".  Not collective. */
RUNG_INTERN PetscErrorCode RungMissingAdd(MPI_Comm comm, RungMissing *missing, const char kind[], const char path[],
                                          PetscReal t, const char why[]);
RUNG_INTERN PetscErrorCode RungMissingTell(MPI_Comm comm, const RungMissing *missing, const char kind[],
                                           const char path[]);
/* RungNotice - "note: .." on standard error, from rank 0; like printf.  Not collective. */
RUNG_INTERN PetscErrorCode RungNotice(MPI_Comm comm, const char format[], ...);

/* RungStepperSetOrder - order 1 or 2 of type bdf, for -stepper_order: its methods bdf1 and bdf2; other types choose their order by the
   method.  Before SetUp. */
RUNG_INTERN PetscErrorCode RungStepperSetOrder(RungStepper stepper, PetscInt order);

/* RungStepperCheckLadder - has a run gone by a level of a ladder, fixed steps dt or, where dt is 0, rtol?  Options have precedence over what a
   study sets, and steps that are too long become shorter.  After Solve; collective.
   Errors  PETSC_ERR_ARG_INCOMP  it has gone by something else */
RUNG_INTERN PetscErrorCode RungStepperCheckLadder(RungStepper stepper, PetscReal dt, PetscReal rtol);

/* RungStepperKeepMethod - a stepper that is given new levels again and again: what it takes by itself is no method with a successor, which
   each of them would begin anew.  Once it is set up it keeps what it has.  Before or after its options; collective. */
RUNG_INTERN PetscErrorCode RungStepperKeepMethod(RungStepper stepper);

/* RungStepperGetSuccessor - the method that goes on where the one in use leaves, after SetUp; NULL: there is none.  found: the first step
   is left to the stepper.  Not collective. */
RUNG_INTERN PetscErrorCode RungStepperGetSuccessor(RungStepper stepper, const char **method, PetscBool *found);

/* RungStepperGetStage - the last stage that was solved for, as the equations saw it, and its time: where a method gets there by rates,
   boundary values are what these lead to, not the data.  w is NULL where nothing was solved since the start; lent to the next
   attempt.  Not collective. */
RUNG_INTERN PetscErrorCode RungStepperGetStage(RungStepper stepper, PetscReal *t, Vec *w);

/* ---- zeros of a number along a way (event_find.c) -------------------------------------------------------------------- */

#define RUNG_TRACK 128 /* places of a step */

/* g at places of a step, 0 to 1, in their order; fn evaluates it at others. */
typedef struct {
  PetscInt  n;
  PetscReal place[RUNG_TRACK], g[RUNG_TRACK];
  PetscErrorCode (*fn)(PetscReal place, PetscReal *g, void *ctx);
  void *ctx;
} RungTrack;

/* Where g goes through zero, between two places of which the first has the sign `side`, or g near 0 after an event. */
typedef struct {
  PetscBool found;
  int       side; /* sign of g before it */
  PetscReal place, low, high, g_low, g_high;
} RungCrossing;

/* RungTrackAdd - puts a place between the others.
   RungTrackGuess - what g is at a place by those that are there, of which there are two at least.
   RungTrackFind - the first crossing in the direction.  side: sign of g at the beginning, 0: g sleeps until |g| is above rest; tol: of
   its place.  Collective where fn is. */
RUNG_INTERN void           RungTrackAdd(RungTrack *track, PetscReal place, PetscReal g);
RUNG_INTERN PetscReal      RungTrackGuess(const RungTrack *track, PetscReal place);
RUNG_INTERN PetscErrorCode RungTrackFind(RungTrack *track, int side, PetscReal rest, RungEventDirection direction,
                                         PetscReal tol, RungCrossing *crossing);
