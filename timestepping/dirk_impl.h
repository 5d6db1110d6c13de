/* dirk_impl.h - stages that are found one by one, for families whose tableau is no row of tableaux.def, or another one from step to
   step: their data begin with a RungDirk, and their functions call those here, which are the table of dirk.c. */
#pragma once

#include "tableau_impl.h"

typedef struct {
  RungStepperFacts   facts;
  const RungTableau *tableau; /* static                                                                         */
  PetscInt           final;   /* stage that is the end of the step, -1: none                                    */
  PetscBool          filter, filter_given;
  PetscInt           orders; /* time derivatives that have stages: 1 or 2                                      */
  Vec                k[RUNG_MAX_ORDER][RUNG_MAX_STAGES]; /* [k - 1][stage] lent work: u^(k) of the stages        */
  Vec                m[RUNG_MAX_STAGES];                 /* lent work: K_i; with conserved terms                 */
  Vec                middle;                             /* lent work: a stage inside of the step                */
  Vec                w, z, known[RUNG_MAX_ORDER];        /* lent work: unknown, its increment; p and q           */
  Vec                base[RUNG_MAX_ORDER + 1], load;     /* lent work                                            */
  Vec                origin;                             /* lent, of the line of a stage                         */
  Vec                e[RUNG_MAX_ORDER], rhs, x;          /* lent work of the estimate                            */
  PetscReal          span[2]; /* times between which k[] are the stages of a step                                */
  Vec                d[RUNG_MAX_ORDER]; /* lent work: what the stages missed of boundary data   */
  RungStageDensity   density;           /* of conserved terms                                          */
  PetscInt          *entry_order;       /* owned, [local entry]; NULL: all have a time derivative */
} RungDirk;

/* Fills the plan of a method with this tableau, which is lent to the stepper from now on; traits NULL: by itself. */
PetscErrorCode RungDirkPlan(RungStepper stepper, const RungTableau *tableau, const RungTraits *traits,
                            RungMethodPlan *plan);
/* Another tableau for the attempts to come, of as many stages and with the same diagonal as far as matrices are to be kept. */
void           RungDirkTake(RungDirk *dirk, const RungTableau *tableau);
PetscErrorCode RungDirkSetUp(RungStepper stepper);
PetscErrorCode RungDirkAttempt(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                               RungVerdict *verdict);
PetscErrorCode RungDirkAccepted(RungStepper stepper, const RungState *from, RungState *to, PetscReal *ratio);
PetscErrorCode RungDirkBetween(RungStepper stepper, const RungState *from, const RungState *to, PetscReal theta,
                               PetscInt k, Vec u);
PetscErrorCode RungDirkReset(RungStepper stepper);
