/* alpha_impl.h - Newmark, HHT, WBZ, generalized-alpha and JWH: their parameters (alpha.c), their steps (alpha_step.c). */
#pragma once

#include <rungmethod.h>

/* Of one order: beta is not used at order 1. */
typedef struct {
  PetscReal m, f, gamma, beta;
} RungAlphaWeights;

typedef struct {
  RungStepperFacts facts;
  PetscInt         order; /* of the method */
  PetscReal        rho, beta, gamma;
  PetscBool        rho_given, newmark_given; /* rho_inf, or beta and gamma, by the user */
  PetscBool        blended;
  RungAlphaWeights weights[RUNG_MAX_ORDER + 1]; /* [order of the unknown] */
  RungAlphaWeights damped[RUNG_MAX_ORDER + 1];  /* the same with rho_inf = 0 */
  Vec base[RUNG_MAX_ORDER + 1], origin, move, z, load, shifted, shifted_m, e[2], rate, given; /* lent work */
} RungAlpha;

/* Steps at the start that are taken with rho_inf = 0, as alpha_step.c tells. */
PetscInt       RungAlphaDampedSteps(const RungAlpha *alpha);
PetscErrorCode RungAlphaAttempt(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                                RungVerdict *verdict);
