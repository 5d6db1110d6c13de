/* imex_impl.h - implicit-explicit Runge-Kutta methods: their steps (imex.c), their explicit part (imex_explicit.c), constraints on
   values alone (imex_constrained.c). */
#pragma once

#include "tableau_impl.h"

/* A level, as far as explicit terms are concerned; t = NAN: none. */
typedef struct {
  PetscReal        t;
  PetscObjectId    u[2];     /* values and rates ..   */
  PetscObjectState state[2]; /* .. as written last    */
  PetscInt64       data;     /* what the system holds */
} RungImexLevel;

typedef struct {
  RungStepperFacts   facts;
  const RungImexRow *row;      /* static                                                                           */
  const RungTableau *implicit; /* static                                                                           */
  PetscBool          split;    /* there are explicit terms                                                         */
  PetscBool          constant; /* M is, so that explicit terms may be loads                                        */
  PetscBool          loads;    /* in this attempt they are                                                         */
  RungTableau        timed;    /* copy of the implicit part; its c is the array below                             */
  PetscReal          c[RUNG_MAX_STAGES];                      /* [stage] times of the implicit part, in steps      */
  PetscReal          share[RUNG_MAX_STAGES][RUNG_MAX_STAGES]; /* [i][j]: with loads k_i is k[i] + sum_j share_ij e_j */
  PetscReal          slope[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS]; /* of the solves with M                      */
  Vec k[RUNG_MAX_STAGES], e[RUNG_MAX_STAGES]; /* lent work: rates of the stages, both parts; with loads e holds E */
  Vec w, p, z, x, error, sum;                 /* lent work; z = w - p                                            */
  Vec d;                                      /* lent work: what the stages missed of boundary data              */
  Vec m[RUNG_MAX_STAGES], g[RUNG_MAX_STAGES],
    load;                                     /* lent work with conserved terms: dm/dt of both parts; load NULL: none */
  RungStageDensity density;                   /* of conserved terms                                          */
  PetscReal        step;                      /* length of the present one                                    */
  PetscReal        ended;                     /* time of the proposal whose rates are there; NAN: none        */
  RungImexLevel    known;                     /* with loads: the level of which e[0] is E                     */
  PetscInt        *entry_order;               /* owned, [local entry]                                        */
  PetscBool        constrained;               /* there are constraints on values alone, beside explicit terms */
  PetscBool       *is_constraint;             /* owned, [local row]; NULL where there are none             */
  PetscBool        number[RUNG_MAX_UNKNOWNS]; /* in R without a rate, and a constraint holds it         */
  PetscReal        rate_slope;                /* with these: weight of M in the solves with it; 0: not yet chosen */
} RungImex;

/* a_ij of the explicit part, 0 above the diagonal; its weights */
PetscReal        RungImexA(const RungImexRow *row, PetscInt i, PetscInt j);
const PetscReal *RungImexB(const RungImex *imex);
PetscBool        RungImexAsks(const RungImex *imex, PetscInt i); /* does anything ask for e_i? */
/* share[][] of the method. */
void RungImexSetShares(RungImex *imex);
/* e_i at the values of stage i, or E where it is a load; with conserved terms g_i too.  rate: of the stage, which E
   does not depend on. */
PetscErrorCode RungImexExplicit(RungStepper stepper, PetscReal t, PetscInt i, Vec u, Vec rate, RungVerdict *verdict);
/* e[0] = E of a level, with loads: evaluated where e[0] is that of another one. */
PetscErrorCode RungImexExplicitOfLevel(RungImex *imex, PetscReal t, const Vec u[]);
/* The load of stage i, lent; NULL: there is none. */
PetscErrorCode RungImexLoad(RungImex *imex, PetscInt i, Vec *load);
/* y += h sum_i own_i k_i + other_i e_i, whichever way explicit terms enter stages; t, u: where M is looked at. */
PetscErrorCode RungImexAdd(RungStepper stepper, PetscReal h, const PetscReal own[], const PetscReal other[],
                           const RungState *at, Vec y, RungVerdict *verdict);
/* The level as it is now: rates are written anew where constants or what the data switch make others of them. */
PetscErrorCode RungImexDescribe(const RungImex *imex, PetscReal t, const Vec u[], RungImexLevel *level);
/* The rates of a level from F = 0 by one solve with M, which is constant; no unknown is without a rate. */
PetscErrorCode RungImexRates(RungStepper stepper, const RungState *from, RungState *to, RungVerdict *verdict);

/* imex_constrained.c: constrained, and is[f]: the equation of unknown f is one of those; their rows, at set-up.  Collective. */
PetscErrorCode RungImexFindConstraints(RungImex *imex, PetscBool is[]);
PetscErrorCode RungImexMarkConstraints(RungImex *imex);
/* slope[], as steps of this length have it. */
const PetscReal *RungImexSlope(RungImex *imex);
/* The matrix of solves with M at a state; x = M^-1 b with it, with constraints their e, and 0 elsewhere: a rate in steps of this length, or
   with length 1 a step of values. */
PetscErrorCode RungImexLinearise(RungStepper stepper, PetscReal t, const Vec u[], RungVerdict *verdict);
PetscErrorCode RungImexApply(RungStepper stepper, Vec b, Vec u, PetscReal length, Vec x, RungVerdict *verdict);
/* Values of a new level on the constraints, where there are some. */
PetscErrorCode RungImexProject(RungStepper stepper, RungState *to, RungVerdict *verdict);
/* Rates of a level, and what has no rate, where there are constraints. */
PetscErrorCode RungImexConstrainedRates(RungStepper stepper, const RungState *from, RungState *to,
                                        RungVerdict *verdict);
