/* explicit_impl.h - explicit Runge-Kutta methods: their stages (explicit.c) and what some of them have besides (explicit_more.c). */
#pragma once

#include "tableau_impl.h"

typedef enum { RUNG_STIFFNESS_IGNORED, RUNG_STIFFNESS_TOLD, RUNG_STIFFNESS_STOPS, RUNG_STIFFNESS_LEFT } RungStiffness;

/* See explicit_more.def. */
typedef struct {
  const char      *name;
  PetscInt         row;
  PetscReal        reach;
  PetscInt         stages;
  const PetscReal *c, *a, *D, *bhat; /* bhat NULL: none */
  PetscInt         terms;            /* rows of D       */
} RungExplicitMore;

typedef struct {
  RungStepperFacts        facts;
  const RungTableau      *tableau;   /* static                                                            */
  const RungExplicitMore *more;      /* static; NULL: nothing                                             */
  PetscBool               renews;    /* the last stage is the new level: its row of A is b                */
  PetscBool               low;       /* -stepper_low_storage                                              */
  PetscBool               kept;      /* F is affine in w with a matrix that does not change               */
  PetscBool               alike;     /* all unknowns have the same order in time                          */
  PetscReal               step;      /* length of the present one                                         */
  PetscBool               checked;   /* rates and algebraic unknowns are determined                       */
  PetscInt                orders;    /* time derivatives that have stages: 1 or 2                         */
  RungStiffness           stiffness; /* what is done about it                                          */
  PetscBool               said;      /* options were read: it is what they say, or the default          */
  Vec                     k[RUNG_MAX_ORDER]
       [RUNG_MAX_STAGES]; /* [k - 1][stage] lent work: u^(k) of the stages, also of those of dense output */
  Vec              r;     /* lent work: a residual                              */
  Vec              w, x;  /* lent work: unknown; what solves need besides       */
  Vec              base[RUNG_MAX_ORDER]; /* lent work: what is known of a stage; [0] u of it, once it is solved */
  RungLine         line;                 /* on which w is: what is known of a stage is its base                 */
  Vec              e[RUNG_MAX_ORDER], d[RUNG_MAX_ORDER]; /* lent work: estimate; what was missed of boundary data */
  PetscBool        conserved;                            /* there are terms dm/dt                               */
  Vec              m[RUNG_MAX_STAGES], load;             /* lent work with them: dm/dt of the stages; what m is to be */
  RungStageDensity density;                              /* with them                                           */
  PetscReal        ended;                                /* time of the proposal whose rates are there; NAN: none */
  PetscReal        refused[2]; /* the level from which steps beyond what is stable were refused, their |dF/du| */
  PetscReal        span[2];    /* times between which k[] are the stages of a step       */
  PetscReal        dense[2];   /* .. and those of dense output, too                      */
} RungExplicit;

/* explicit.c: u[k] of F = 0 at t from what base[] holds; w holds a guess, and the solution. */
PetscErrorCode RungExplicitSolve(RungStepper stepper, PetscReal t, const Vec u[], RungVerdict *verdict);
/* explicit_more.c */
const RungExplicitMore *RungExplicitFindMore(const char name[]);
PetscInt                RungExplicitStages(const RungExplicit *family); /* rows of k[] */
/* The norm of the step's error from that of its estimate and a second one of order 3. */
PetscErrorCode RungExplicitSecond(RungStepper stepper, const RungState *from, PetscReal h, const RungState *to,
                                  PetscReal *error);
PetscErrorCode RungExplicitBetween(RungStepper stepper, const RungState *from, const RungState *to, PetscReal theta,
                                   PetscInt k, Vec u);
/* Counts steps that are bounded by stability in the new level's numbers, and says so. */
PetscErrorCode RungExplicitWatch(RungStepper stepper, const RungState *from, RungState *to);
/* With a successor.  Limit: the rates of the proposal are there; its error is above 1 where it is longer than is stable, too,
   and those that were above 1 are looked at.
   Follow: it is accepted; the next one keeps within what is stable, by *ratio, and those are counted whose error would let them be
   several times as long.  Leave: enough of them have led to this level. */
PetscErrorCode RungExplicitLimit(RungStepper stepper, const RungState *from, RungState *to, PetscReal *error);
PetscErrorCode RungExplicitFollow(RungStepper stepper, const RungState *from, RungState *to, PetscReal *ratio);
PetscErrorCode RungExplicitLeave(RungStepper stepper, const RungState *level, PetscBool *leaves);
/* explicit_low.c: is there a form with two vectors, for this system too (traits NULL: not known)?  u of the new level by it. */
PetscErrorCode RungExplicitCheckLow(RungStepper stepper, const RungTraits *traits);
PetscErrorCode RungExplicitLow(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                               RungVerdict *verdict);
/* explicit_conserved.c, where there are terms dm/dt.  SetUp: work vectors, one more than stages.  Begin: the first stage.  Stage: u and u' of
   another one.  Edge: what the stages lead boundary values to.  Values: u of the new level, which holds a guess with its boundary values.
   Rates: u' and m there.  Level: m of a level with its rates; without such terms nothing. */
PetscErrorCode RungExplicitConservedSetUp(RungStepper stepper, Vec work[]);
PetscErrorCode RungExplicitConservedBegin(RungStepper stepper, const RungState *from);
PetscErrorCode RungExplicitConservedStage(RungStepper stepper, const RungState *from, PetscReal h, PetscReal t,
                                          PetscInt i, RungVerdict *verdict);
PetscErrorCode RungExplicitConservedEdge(RungStepper stepper, PetscReal h, const RungState *to);
PetscErrorCode RungExplicitConservedValues(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                                           RungVerdict *verdict);
PetscErrorCode RungExplicitConservedRates(RungStepper stepper, RungState *to, RungVerdict *verdict);
PetscErrorCode RungExplicitConservedLevel(RungStepper stepper, RungState *to);
#define RUNG_EXPLICIT_NUMBERS 5
