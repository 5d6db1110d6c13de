/* weights_impl.h - parts of a norm of errors, for the files weights*.c. */
#pragma once

#include <rungsolve_room.h>

typedef struct {
  PetscInt   start, end; /* local entries                                                                          */
  PetscInt   components;
  PetscInt   orders;            /* k < orders have groups: 1, or 2 at order 2 in time                              */
  PetscBool  points;            /* each node by itself                                                             */
  PetscReal *rtol[2], *atol[2]; /* [k][component] owned; negative: not given                                       */
  PetscBool *each;              /* [component] owned: the atol of the value is a multiple of that of the entry     */
  PetscReal *use[2];            /* [rtol, atol][component] owned, work                                             */
  PetscInt   parts;     /* seen[parts + k * components + c] is the largest of a component; 0: one size for all */
  struct _RungLow *low; /* [component] owned; NULL but at points, see weights_low.c                                 */
  PetscReal        data[2]; /* [k] largest boundary data that RungWeightsSurvey() has found                    */
  PetscReal        source;  /* the largest highest rate at rest, if it is yet to come; 0: none                   */
} RungWeighedUnknown;

typedef struct {
  PetscReal sum, count, largest; /* of squares of weighted errors, of their weights; maximum */
} RungTally;

struct _RungWeights {
  RungSystem          sys; /* lent */
  RungErrorNormType   norm;
  PetscInt            n;       /* unknowns                                                                         */
  PetscMPIInt         ranks;   /* of the system                                                                    */
  PetscReal           power;   /* see RungWeightsSetPower()                                                        */
  PetscBool           given;   /* every value has an atol of its own                                               */
  RungWeighedUnknown *unknown; /* owned, [n]                                                                       */
  Vec                 entries; /* owned; atol of each entry, NULL: none was given                                  */
  Vec                 volumes; /* owned; NULL but for l2                                                           */
  PetscReal          *seen;  /* owned, [f * 2 + k] largest value in accepted levels, behind them those of components */
  PetscInt            lows;  /* components that have an entry `low`                                              */
  PetscInt            sizes; /* of them                                                                          */
  PetscReal          *now;   /* owned, the same with what is believed of the level at hand                       */
  PetscReal          *reached;  /* owned, the same with all of it                                                   */
  PetscReal          *rounding; /* owned, [f * 2 + k] what rounding leaves there, as far as it is known; 0: nothing */
  PetscReal          *carried;  /* owned, the same of the steps that were accepted                                  */
  PetscBool          *born;     /* owned, [f * 2 + k] had a size at the last level that was accepted                */
  PetscInt           *unborn;   /* owned, the attempts in a row, since then, that have found no size                */
  PetscReal           t;        /* of the level that `seen` ends with; NAN: none                                    */
  PetscReal    surveyed[3];     /* t0, t1 and the last look of RungWeightsSurvey()                                  */
  PetscBool    resumed;         /* what it finds in these was found by the run that goes on                         */
  PetscReal   *value;           /* owned, [group] of the last measurement, see RungGroupOf()                        */
  RungTally   *tally;           /* owned, [group]                                                                   */
  RungMeasured last;            /* Vecs of the last measurement, lent                                               */
  MPI_Datatype type;            /* of a RungTally                                                                   */
  MPI_Op       merge;
};

/* The group of the errors of u_f^(k), or of the defects of its data; 4 for each unknown. */
PetscInt RungGroupOf(PetscInt f, PetscInt k, PetscBool defect);
/* Calls visit with each local entry that counts in a group of the last measurement: its error, its value at the end of the
   step, |error|/scale. */
typedef void   RungVisitEntry(PetscInt entry, PetscReal error, PetscReal value, PetscReal weighted, void *ctx);
PetscErrorCode RungWeightsVisit(RungWeights weights, PetscInt group, RungVisitEntry *visit, void *ctx);

/* What RungWeightsSetPower() multiplies tolerances with. */
PetscReal RungWeightsFactor(RungWeights weights, PetscReal rtol);
/* What atol of component c of u_f^(k) follows where the largest of all components is that. */
PetscReal RungWeightsSizeOf(RungWeights weights, PetscInt f, PetscInt k, PetscInt c, PetscReal largest);
/* weights_low.c; Watch: a level has been accepted, collective */
PetscErrorCode RungWeightsCreateLow(RungWeights weights);
PetscErrorCode RungWeightsWatchLow(RungWeights weights, const RungState *level);
/* largest[2 f + k] = what was seen, or the largest |u_f^(k)|.  Collective. */
PetscErrorCode RungWeightsFindLargest(RungWeights weights, const Vec u[2], PetscReal largest[]);
/* weights_source.c: sources that are yet to come, of all unknowns; until: the last look with the largest of one.  Collective. */
PetscErrorCode RungWeightsSurveySources(RungWeights weights, PetscReal t0, PetscReal t1, PetscInt *until);
/* weights_source.c: stiffness[f] = h |(x, x')|/(x, x) of each unknown f that had no size, at t, the end of the last measurement: x is u, or v at
   order 2, x' the part of its rate that it makes itself, by M x' + F_0(with it) - F_0(without) = 0, as of sources.  F_0 is the explicit part
   alone where the method is stable with all else, which leaves 0 where there is none; NAN where equations are no forms, or x is 0.  Collective. */
PetscErrorCode RungWeightsFindStiffness(RungWeights weights, PetscReal t, PetscReal stiffness[]);
/* The look with the largest size[look * n + f], of a source or of boundary data, if it is yet to come; -1: it is not. */
PetscInt RungWeightsFindLook(PetscInt n, PetscInt f, const PetscReal size[]);
/* What was found of an attempt becomes what is believed of it: RungMeasured.growth.  Collective. */
PetscErrorCode RungWeightsLimitGrowth(RungWeights weights, const RungMeasured *measured);
