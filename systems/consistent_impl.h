/* consistent_impl.h - shared by the files of consistent starts. */
#pragma once

#include "line_solver_impl.h"
#include <rungrest_room.h>

#define RUNG_NODES 4 /* of the extrapolation */

/* The matrix of a start that was found to be regular. */
typedef struct {
  PetscBool        is;        /* it was                                              */
  PetscObjectState state;     /* of J then                                           */
  PetscInt64       data;      /* constants and fields then (RungSystemGetDataState)  */
  PetscBool        algebraic; /* algebraic entries were solved for                   */
} RungRegularMass;

struct _RungConsistent {
  RungTransientSystem ts;                     /* lent                                                        */
  RungRest            rest;                   /* owned: where no unknown has a rate, and then all there is   */
  RungLineSolver      solver;                 /* owned: of F(w) = 0                                          */
  RungLineGiven       start;                  /* this F                                                      */
  char                why[1536];              /* why the last solve has failed; "": it has not               */
  PetscInt           *order;                  /* owned, [local entry] order in time, 0 algebraic             */
  PetscBool           mixed;                  /* entries of one unknown have several orders                  */
  IS                  fixed;                  /* owned: algebraic entries, held when they are not solved for */
  Mat                 J;                      /* lent by the solver                                          */
  KSP                 ksp;                    /* lent by the solver                                          */
  Mat                 K;                      /* owned; NULL unless mixed                                    */
  Vec                 weight;                 /* owned; column weights where mixed                           */
  Vec                 rows;                   /* owned: what the rows of F and J are multiplied by ..        */
  PetscBool           scaled, once;           /* .. if they are; factors solved at once before               */
  PetscBool           weighed;                /* F and w are measured in units of their own:                 */
  Vec                 unit;                   /* owned: |F| is that of F_i unit_i, NULL: it never was         */
  PetscReal           of[RUNG_MAX_UNKNOWNS];  /* [unknown] |w| is that of w_i/of, a power of 2                */
  Vec                 u[RUNG_MAX_ORDER + 1];  /* owned, [order + 1]                                          */
  Vec                 u0[RUNG_MAX_ORDER + 1]; /* owned, [order + 1] the given state                          */
  Vec                 w, r, step;             /* owned                                                       */
  Vec                 node[RUNG_NODES];       /* owned: w(h), w(h/2), ..                                     */
  Vec                 best, other;            /* owned: the best w so far; work                              */
  Vec                 rounding;               /* owned: of F's entries at the guess, at c->h = 0             */
  Vec                 jump[2];                /* owned: limits of h^p w, of this and the last h              */
  PetscBool
           *constraint; /* owned, [local entry] is row i a constraint that is differentiated?  NULL: nobody has asked */
  PetscBool differentiated; /* F has their derivatives in time, and ..                     */
  Vec       over;           /* owned: .. what its rows are multiplied by, as dF/dw of the step `nothing` */
  PetscReal unit_row; /* .. which other rows, and F, are multiplied by: 1, or h where constraints are as they are */
  PetscReal nothing, later_by; /* steps: next to none; from which derivatives are extrapolated */
  RungRegularMass regular;
  PetscBool       empty_row;  /* the last start found a row that holds no rate and no algebraic value */
  PetscBool       algebraic;  /* algebraic entries are solved for                            */
  PetscReal       t, h;       /* of the lines                                                */
  PetscReal       rtol;       /* of Newton\'s method at h = 0, which is stricter for h > 0 */
  PetscReal       noise;      /* rounding error of F                                         */
  PetscReal       told;       /* the least accurate rates that a warning has told of, 0: none */
  PetscReal       later;      /* |F| of the guess where F is looked at a little later        */
  PetscBool       sought;     /* constraints of index 3 were looked for                     */
  char            third[256]; /* the first of them; "": none                                */
};

/* consistent_newton.c: F on the lines of c->h, c->u0; solves from c->w.  *norm is |F|, in units of its rows where c->weighed. */
PetscErrorCode RungConsistentLines(RungTransientSystem ts, RungConsistent c, Vec w); /* c->u at w */
PetscErrorCode RungConsistentResidual(RungTransientSystem ts, RungConsistent c, Vec w, Vec r, PetscReal *norm);
PetscErrorCode RungConsistentJacobian(RungTransientSystem ts, RungConsistent c, Mat J); /* J = dF/dw at c->u */
PetscErrorCode RungConsistentStays(RungConsistent c, PetscBool *stays);                 /* dF/dw does not depend on w */
/* From c->w, also where it fails, then with c->why;  current: c->J is dF/dw at c->w already */
PetscErrorCode RungConsistentNewton(RungTransientSystem ts, RungConsistent c, PetscBool current, PetscBool *solved);
/* Solves with c->J, its rows scaled alike, by factors of another h (on), or by its own. */
PetscErrorCode RungConsistentLag(RungConsistent c, PetscBool on);
PetscErrorCode RungConsistentNoise(RungTransientSystem ts, RungConsistent c); /* c->rounding at c->w */
PetscErrorCode RungConsistentDisturb(RungTransientSystem ts, RungConsistent c,
                                     PetscInt turn); /* c->u by rounding errors, others at each turn */
PetscErrorCode RungConsistentRows(RungConsistent c,
                                  Vec            rows); /* c->J at c->w; 1/its rows' largest entries times c->of */
/* consistent_units.c: c->weighed, its units, and a time of the system; |v| of a w in its units */
PetscErrorCode RungConsistentFindUnits(RungTransientSystem ts, RungConsistent c, PetscReal *time);
PetscErrorCode RungConsistentSize(RungConsistent c, Vec v, PetscReal *size);
PetscErrorCode RungConsistentFindTime(RungTransientSystem ts, RungConsistent c,
                                      PetscReal *time); /* .. and not below what t + h resolves */
/* consistent_constraints.c: the way with constraints that are differentiated, which c->J at h = 0 has empty rows of;  initial: c->u0 may be
   projected on them.  F and dF/dw of that. */
PetscErrorCode RungConsistentConstraints(RungTransientSystem ts, RungConsistent c, PetscBool initial,
                                         PetscBool *solved);
PetscErrorCode RungConsistentConstraintsResidual(RungConsistent c, Vec w, Vec r);
PetscErrorCode RungConsistentConstraintsJacobian(RungConsistent c, Vec w, Mat J);
/* consistent_regular.c: is c->J, just made, regular? */
PetscErrorCode RungConsistentIsRegular(RungTransientSystem ts, RungConsistent c, PetscBool *regular);
/* consistent_shift.c: the way with h > 0; changes c->u0 if it is not consistent. */
PetscErrorCode RungConsistentShifted(RungTransientSystem ts, RungConsistent c, PetscBool *solved);
/* index.c: the first equation that is a constraint of index 3, "u[2] at (0.5, 0)"; "": none.  Changes c->u and c->w. */
PetscErrorCode RungConsistentFindIndex(RungTransientSystem ts, RungConsistent c, char name[256]);
PetscErrorCode
RungConsistentNeed(RungTransientSystem ts); /* consistent.c: ts->consistent is there, with all that rates need */
/* consistent_rest.c: has no unknown a rate? Then values by the solver of the stages; of c nothing but `rest` is there. */
PetscErrorCode RungConsistentIsRest(RungTransientSystem ts, PetscBool *is);
PetscErrorCode RungConsistentRest(RungTransientSystem ts, RungConsistent c, RungState *state);
/* consistent.c: does F = 0 hold at the time itself for c->best, which c->w then is?  *left = |F|; c->h = 0 afterwards. */
PetscErrorCode RungConsistentHolds(RungTransientSystem ts, RungConsistent c, PetscReal *left, PetscBool *holds);
/* consistent.c: the solver of starts, for a matrix or for products alone */
PetscErrorCode RungConsistentSetSolver(RungConsistent c, KSP ksp, PetscBool *matrix_free);
/* consistent.c: c->w from what is given: 0 for derivatives, the value of algebraic entries */
PetscErrorCode RungConsistentGuess(RungTransientSystem ts, RungConsistent c);
