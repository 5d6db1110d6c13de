/* weights_impl.h - in what an error is measured: groups of entries, their tolerances, the largest values seen so far. */
#pragma once

#include <rungstep.h>

typedef struct _RungWeights *RungWeights;

/* A tolerance that is not given: rtol is that of all unknowns, atol is rtol times the largest value seen so far. */
#define RUNG_AUTOMATIC (-1.0)

/* What is measured; all Vecs are lent.  Index k is the derivative in time: 0 of u, 1 of v = u' of unknowns of order 2. */
typedef struct {
  Vec error[2];  /* of free entries; error[1] NULL: u alone                                                        */
  Vec defect[2]; /* of entries with data; NULL: none                                                               */
  Vec from[2];   /* u^(k) where the step begins                                                                    */
  Vec to[2];     /* .. and where it ends; NULL: the scale is that of `from` alone                                  */
  Vec mask;      /* entries of `error` that count; NULL: all                                                       */
} RungMeasured;

/* ---- parts, for weights.c, weights_seen.c, explain.c -------------------------------------------------------------------------- */

typedef struct {
  PetscInt   start, end; /* local entries                                                                          */
  PetscInt   components;
  PetscInt   orders;            /* k < orders have groups: 1, or 2 at order 2 in time                              */
  PetscBool  points;            /* each node by itself                                                             */
  PetscReal *rtol[2], *atol[2]; /* [k][component] owned; negative: not given                                       */
  PetscReal *use[2];            /* [rtol, atol][component] owned, work                                             */
  PetscReal  data[2];           /* [k] largest boundary data that RungWeightsSurvey() has found                    */
} RungWeighedUnknown;

typedef struct {
  PetscReal sum, count, largest; /* of squares of weighted errors, of their weights; maximum */
} RungTally;

struct _RungWeights {
  RungSystem          sys; /* lent */
  RungErrorNormType   norm;
  PetscInt            n;       /* unknowns                                                                         */
  RungWeighedUnknown *unknown; /* owned, [n]                                                                       */
  Vec                 volumes; /* owned; NULL but for l2                                                           */
  PetscReal          *seen;    /* owned, [f * 2 + k] largest value in accepted levels                              */
  PetscReal          *now;     /* owned, the same with the level at hand                                           */
  PetscReal           t;       /* of the level that `seen` ends with; NAN: none                                    */
  PetscReal          *value;   /* owned, [group] of the last measurement, see RungGroupOf()                        */
  RungTally          *tally;   /* owned, [group]                                                                   */
  RungMeasured        last;    /* Vecs of the last measurement, lent                                               */
  MPI_Datatype        type;    /* of a RungTally                                                                   */
  MPI_Op              merge;
};

/* The group of the errors of u_f^(k), or of the defects of its data; 4 for each unknown. */
PetscInt RungGroupOf(PetscInt f, PetscInt k, PetscBool defect);
/* Calls visit with each local entry that counts in a group of the last measurement: its error, its value at the end of the
   step, |error|/scale. */
typedef void   RungVisitEntry(PetscInt entry, PetscReal error, PetscReal value, PetscReal weighted, void *ctx);
PetscErrorCode RungWeightsVisit(RungWeights weights, PetscInt group, RungVisitEntry *visit, void *ctx);

/* largest[2 f + k] = what was seen, or the largest |u_f^(k)|.  Collective. */
PetscErrorCode RungWeightsFindLargest(RungWeights weights, const Vec u[2], PetscReal largest[]);

/* ---- what steppers call ------------------------------------------------------------------------------------------ */

PetscErrorCode RungWeightsCreate(RungSystem sys, RungErrorNormType norm, RungWeights *weights);
PetscErrorCode RungWeightsDestroy(RungWeights *weights);
/* Of component c of u_f^(k); a negative number: not given. */
PetscErrorCode RungWeightsSet(RungWeights weights, PetscInt f, PetscInt k, PetscInt c, PetscReal rtol, PetscReal atol);
/* Given: of these calls, of a rate those of the value where it has none; atol is negative where it follows what was seen. */
PetscErrorCode RungWeightsGiven(RungWeights weights, PetscInt f, PetscInt k, PetscInt c, PetscReal *rtol,
                                PetscReal *atol);
/* The tolerances in use now; atol depends on what was seen. */
void RungWeightsGet(RungWeights weights, PetscInt f, PetscInt k, PetscInt c, PetscReal *rtol, PetscReal *atol);
/* Largest |u_f^(k)| of the levels accepted so far; lent, read and written by whoever saves a run: [f * 2 + k]. */
PetscReal *RungWeightsSeen(RungWeights weights);
/* Looks at the boundary data of a run, for their rounding.  Collective. */
PetscErrorCode RungWeightsSurvey(RungWeights weights, PetscReal t0, PetscReal t1);
/* Begins anew with a level; without `anew` what was seen stays if this level was the last to be accepted. */
PetscErrorCode RungWeightsStart(RungWeights weights, const RungState *level, PetscBool anew);
/* An attempt to get to t, the last that was measured if it was `solved`, has been refused.  Collective. */
PetscErrorCode RungWeightsRefuse(RungWeights weights, PetscReal t, PetscBool solved);
/* The last measurement belongs to a level that has been accepted. */
void RungWeightsAccept(RungWeights weights, const RungState *level);
/* The largest of the groups' norms, accepted up to 1; infinite where anything is not finite.  Collective. */
PetscErrorCode RungWeightsMeasure(RungWeights weights, const RungMeasured *measured, PetscReal *error);
/* |e|_G of the newest measurement's largest groups: up to n of them, the largest first. */
PetscInt RungWeightsLargest(RungWeights weights, PetscInt n, PetscInt group[]);
/* "u", "dt(u)", "data of u" */
PetscErrorCode RungWeightsName(RungWeights weights, PetscInt group, char text[], size_t size);
/* A line on the n groups that the last measurement found largest, each with its three largest entries.  Collective. */
PetscErrorCode RungWeightsExplain(RungWeights weights, PetscInt n, char text[], size_t size);
