/* interpret_impl.h - the interpreter's data, shared by its loop (interpret.c), what it reads (interpret_read.c) and its
   pull-back (interpret_pull.c). */
#pragma once

#include "kernel_impl.h"

/* A pull-back of values (0) and gradients (1 and on), in registers:
   coefficient[to[b][d]] = sum_ac K[b][a] value[a][c] K[d][c], where the K of a value is 1. */
typedef struct {
  PetscBool is;
  PetscBool part[2][2];            /* value or gradient of test and of trial function: some are there */
  PetscInt  value[4][4], to[4][4]; /* -1: absent                                                      */
} RungPullDense;

/* to[s][q] = sum_r map[s][r][q] from[r][q]; gradient: first derivatives alone, else there is one output, and map NULL is 1 */
typedef struct {
  PetscBool     gradient;
  PetscInt      n, outputs, points;
  const double *from[RUNG_MAX_DERIVATIVE], *map[3][RUNG_MAX_DERIVATIVE];
  double       *to[3];
} RungReadMap;

/* Where an evaluation goes; points: 1 where all its readers are constant in cells, 0: a sum sees to it. */
typedef struct {
  PetscInt points;
  double  *to; /* part of memory */
} RungReadPoint;

/* A component of a function whose sums factorise, at all points. */
typedef struct {
  PetscInt evaluation; /* one of it               */
  double  *out[1 + 3]; /* NULL: not wanted, but for the value */
} RungReadSum;

typedef struct {
  PetscInt       lanes, P;    /* P = points * lanes                                                                   */
  RungGeometry   geometry[2]; /* of either cell of the places */
  double        *memory;      /* owned                                                                                */
  double       **value;      /* owned, [value] uniform: [1] or [P]; cell: [lane] or [P]; point: [P]                   */
  PetscBool     *spread;     /* owned, [value] read at a higher rate                                                 */
  double        *uniform;    /* part of memory, [value] results of uniform instructions, inputs                      */
  double        *before;     /* part of memory, uniform inputs of the last run                                       */
  PetscBool      fresh;      /* no run yet                                                                           */
  PetscInt      *order;      /* owned, instructions by rate                                                          */
  PetscInt       start[4];   /* order of rate r is start[r] .. start[r + 1] - 1                                      */
  double        *evaluation; /* part of memory, [evaluation][P]                                                      */
  RungReadPoint *read;       /* owned, [evaluation]                                                                  */
  PetscInt       sums;
  RungReadSum   *sum; /* owned                                                                                */
  PetscInt       maps;
  RungReadMap   *map;         /* owned                                                                                */
  double        *coefficient; /* part of memory                                                                       */
  double        *temporary;   /* part of memory, [temporary][P]                                                       */
  RungPullDense (*dense)[2];  /* owned, [block][class] */
  double *unread;             /* part of memory, [P] values that only their derivatives need                          */
  double *scratch;            /* part of memory                                                                       */
} RungInterpreter;

/* interpret_read.c: inputs that are functions; made last, for it keeps places of values and maps. */
PetscErrorCode RungReadCreate(RungPlan plan, RungInterpreter *in);
PetscErrorCode RungReadDestroy(RungInterpreter *in);
void           RungReadRun(RungPlan plan, RungInterpreter *in, const PetscInt side[2], const RungKernelArgs *args);

/* interpret_pull.c.  class 0: coefficients of the cell, 1: of the points; in the order of block->pull[class]. */
PetscErrorCode RungPullCreate(RungPlan plan, RungInterpreter *in);
void           RungPullRun(RungPlan plan, RungInterpreter *in, PetscInt block, int class, double *coefficient);
