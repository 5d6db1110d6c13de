/* consistent_impl.h - shared by the three files of consistent starts. */
#pragma once

#include "system_impl.h"
#include <petsc/private/petscimpl.h> /* PetscObjectStateGet */

#define RUNG_NODES 4 /* of the extrapolation */

/* The matrix of a start that was found to be regular. */
typedef struct {
  PetscBool        is;        /* it was                                              */
  PetscObjectState state;     /* of J then                                           */
  PetscInt64       data;      /* constants and fields then (RungSystemGetDataState)  */
  PetscBool        algebraic; /* algebraic entries were solved for                   */
} RungRegularMass;

struct _RungConsistent {
  PetscInt       *order;                  /* owned, [local entry] order in time, 0 algebraic             */
  PetscBool       mixed;                  /* entries of one unknown have several orders                  */
  IS              fixed;                  /* owned: algebraic entries, held when they are not solved for */
  Mat             J, K;                   /* owned; K only where mixed                                   */
  Vec             weight;                 /* owned; column weights where mixed                           */
  KSP             ksp;                    /* owned                                                       */
  Vec             rows, scale;            /* owned: max of each row of the factored matrix; of F then    */
  PetscBool       kept, stale;            /* ksp has factors for h > 0; they are those of another h      */
  Vec             u[RUNG_MAX_ORDER + 1];  /* owned, [order + 1]                                          */
  Vec             u0[RUNG_MAX_ORDER + 1]; /* owned, [order + 1] the given state                          */
  Vec             w, w_new, r, step;      /* owned                                                       */
  Vec             begin;                  /* owned: w where Newton's method began                        */
  Vec             node[RUNG_NODES];       /* owned: w(h), w(h/2), ..                                     */
  Vec             best, other;            /* owned: the best w so far; work                              */
  Vec             jump[2];                /* owned: limits of h^p w, of this and the last h              */
  RungRegularMass regular;
  PetscBool       algebraic;  /* algebraic entries are solved for                            */
  PetscReal       t, h;       /* of the lines                                                */
  PetscReal       noise;      /* rounding error of F                                         */
  PetscReal       vague;      /* |step| against |w| where rounding of F left w open; 0: it did not */
  PetscReal       later;      /* |F| of the guess where F is looked at a little later        */
  PetscBool       sought;     /* constraints of index 3 were looked for                     */
  char            third[256]; /* the first of them; "": none                                */
};

/* consistent_newton.c: F on the lines of c->h, c->u0; solves from c->w.  *norm is |F|. */
PetscErrorCode RungConsistentLines(RungTransientSystem ts, RungConsistent c, Vec w); /* c->u at w */
PetscErrorCode RungConsistentResidual(RungTransientSystem ts, RungConsistent c, Vec w, Vec r, PetscReal *norm);
PetscErrorCode RungConsistentJacobian(RungTransientSystem ts, RungConsistent c); /* c->J at c->u, given to c->ksp */
PetscErrorCode RungConsistentSolve(RungConsistent c, Vec b, Vec x, PetscBool *solved);
/* current: c->J is dF/dw at c->w already */
PetscErrorCode RungConsistentNewton(RungTransientSystem ts, RungConsistent c, PetscBool current, PetscBool *solved);
PetscErrorCode RungConsistentNoise(RungTransientSystem ts, RungConsistent c);
/* consistent_shift.c: the way with h > 0; changes c->u0 if it is not consistent. */
PetscErrorCode RungConsistentShifted(RungTransientSystem ts, RungConsistent c, PetscBool *solved);
/* index.c: the first equation that is a constraint of index 3, "u[2] at (0.5, 0)"; "": none.  Changes c->u and c->w. */
PetscErrorCode RungConsistentFindIndex(RungTransientSystem ts, RungConsistent c, char name[256]);
PetscErrorCode RungConsistentNeed(RungTransientSystem ts); /* consistent.c: ts->consistent is there */
/* consistent.c: c->w from what is given: 0 for derivatives, the value of algebraic entries */
PetscErrorCode RungConsistentGuess(RungTransientSystem ts, RungConsistent c);
