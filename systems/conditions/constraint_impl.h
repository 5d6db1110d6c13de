/* constraint_impl.h - affine constraints u_s = C u_m + c(t): what the constraint*.c files share.

   Declared conditions become equations, sum_i a_i u_i = c, one for a dof or a normal (constraint_read.c,
   constraint_slip.c).  All ranks hold all equations and eliminate them alike (constraint_resolve.c); what is left is a
   table of slaves with masters that are no slaves.  A rank keeps the rows of the slaves that it owns for imposing,
   extending and reducing vectors (constraint.c), and all of them for the matrix (constraint_matrix.c). */
#pragma once

#include <rungtable_room.h>
#include "form_side_impl.h"

/* A declared condition with its data c(x, t). */
typedef struct {
  char                      label[512];
  const RungConstraintText *text; /* lent */
  RungTarget                target;
  PetscInt                  width;                       /* components of the data                                */
  RungPointwise             value[RUNG_MAX_ORDER + 1];   /* owned, [k]; NULL: zero                                */
  PetscBool                 moves;                       /* depends on t                                          */
  PetscReal                 doubt;                       /* of normals of a slip wall: sine of an angle           */
  PetscInt                  points;                      /* where this rank needs them                            */
  PetscReal                *x;                           /* owned, [point][dim]                                   */
  PetscScalar              *data[RUNG_MAX_ORDER + 1];    /* owned, [k][point * width + component]                 */
  PetscReal                 t[RUNG_MAX_ORDER + 1];       /* time of data[k]                                       */
  PetscInt                  version[RUNG_MAX_ORDER + 1]; /* constants of data[k]; -1: never evaluated             */
} RungAffine;

/* Equations, the same list on all ranks; equation e has terms start[e] .. start[e + 1] - 1. */
typedef struct {
  PetscInt   n, terms;
  PetscInt  *condition;   /* owned, [e]                                                        */
  PetscInt  *component;   /* owned, [e] of the data                                            */
  PetscReal *x;           /* owned, [e][3] where the data are taken                            */
  PetscInt  *start;       /* owned, [e + 1]                                                    */
  PetscInt  *dof;         /* owned, [term] global; the first one is the slave if one is named  */
  PetscReal *coefficient; /* owned, [term]                                                     */
} RungEquations;

/* A sum over keys: masters or equations. */
typedef struct {
  PetscInt   n, room;
  PetscInt  *key;   /* owned */
  PetscReal *value; /* owned */
} RungSum;

typedef struct {
  PetscInt dof;      /* global                                                                   */
  PetscInt equation; /* that it was eliminated by                                                */
  RungSum  masters;  /* u_s = sum value u_key ..                                                 */
  RungSum  data;     /*       + sum value c_key, keys are equations                              */
} RungSlave;

/* What must hold without any unknown in it: sum of fixed values = data. */
typedef struct {
  PetscInt equation, other; /* the condition that it meets: an equation, or -1 - Dirichlet condition  */
  RungSum  fixed, data;
} RungCheck;

struct _RungConstraints {
  PetscInt      conditions;
  RungAffine   *condition; /* owned                                                          */
  RungEquations equations; /* owned                                                          */
  PetscInt      slaves;    /* on all ranks                                                   */
  RungSlave    *slave;     /* owned                                                          */
  PetscHMapI    index;     /* owned, global dof -> slave                                     */
  PetscHMapI    fixed;     /* owned, dofs in equations that are fixed -> Dirichlet condition */
  PetscInt      checks;
  RungCheck    *check; /* owned                                                          */
  /* rows of this rank's slaves */
  PetscInt      n;
  PetscInt     *entry;        /* owned, [n] local entry                                          */
  PetscInt     *start;        /* owned, [n + 1] into master                                      */
  PetscInt     *master;       /* owned, local entry, or -1 - place in remote                     */
  PetscReal    *coefficient;  /* owned                                                           */
  PetscInt     *data_start;   /* owned, [n + 1] into data_..                                     */
  PetscInt     *data_of;      /* owned, condition                                                */
  PetscInt     *data_at;      /* owned, place in the condition's data                            */
  PetscReal    *data_weight;  /* owned                                                           */
  PetscBool     exchanges;    /* some rank has masters of another                                */
  PetscBool    *follows;      /* owned, [local dof] slaves; made by constraint_diagonal.c        */
  VecScatter    scatter;      /* owned, Vec -> remote                                            */
  Vec           remote;       /* owned, values of masters of other ranks                         */
  RungReduction reduction[2]; /* owned, constraint_matrix.c: whole, without internal variables   */
};

/* constraint_read.c */
PetscErrorCode RungConstraintsRead(RungSystem sys);
PetscErrorCode RungEquationsAdd(RungEquations *list, PetscInt condition, PetscInt component, PetscInt dim,
                                const PetscReal x[], PetscInt terms, const PetscInt dof[],
                                const PetscReal coefficient[]);
/* Appends the equations of all ranks to `all`, in rank order, and empties `mine`. */
PetscErrorCode RungEquationsGather(MPI_Comm comm, RungEquations *mine, RungEquations *all);
PetscErrorCode RungEquationsDestroy(RungEquations *list);
/* Values of all ranks in rank order.  Out all, the caller's */
PetscErrorCode RungGatherInts(MPI_Comm comm, PetscInt n, const PetscInt mine[], PetscInt *total, PetscInt **all);
PetscErrorCode RungGatherReals(MPI_Comm comm, PetscInt n, const PetscReal mine[], PetscInt *total, PetscReal **all);
/* constraint_slip.c */
PetscErrorCode RungConstraintsReadSlip(RungSystem sys, PetscInt condition, RungEquations *mine);
/* constraint_resolve.c */
PetscErrorCode RungConstraintsResolve(RungSystem sys);
PetscErrorCode RungSumAdd(RungSum *sum, PetscInt key, PetscReal value);
PetscErrorCode RungSumDestroy(RungSum *sum);
/* constraint_start.c, constraint.c */
PetscErrorCode RungAffineEvaluate(RungSystem sys, RungAffine *c, PetscReal t, PetscInt k);
/* constraint_matrix.c */
PetscErrorCode RungReductionDestroy(RungReduction *reduction);
