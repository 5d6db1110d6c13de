/* interpret_impl.h - the interpreter's data, shared by its loop (interpret.c), what it reads (interpret_read.c) and its
   pull-back (interpret_pull.c). */
#pragma once

#include "kernel_impl.h"

/* A pull-back of values (0) and gradients (1 and on), in registers:
   to[b][d] = weight sum_ac K[b][a] value[a][c] K[d][c], where the K of a value is 1. */
typedef struct {
  PetscBool     is;
  PetscBool     part[2][2]; /* value or gradient of test and of trial function: some are there */
  PetscInt      points, map_step;
  const double *value[4][4], *map[3][3], *weight; /* NULL: absent    */
  PetscInt      step[4][4];                       /* between points  */
  double       *to[4][4];                         /* coefficients    */
} RungPullDense;

/* An instruction, or several in one go: r = what its name says of a[0], a[1], .. on n numbers. */
typedef enum {
  RUNG_STEP_TAPE, /* op */
  RUNG_STEP_ADD,
  RUNG_STEP_SUB,
  RUNG_STEP_MUL,
  RUNG_STEP_ADD3,   /* a + b + c    */
  RUNG_STEP_MUL3,   /* a b c        */
  RUNG_STEP_ADDMUL, /* a + b c     */
  RUNG_STEP_SUBMUL, /* a - b c     */
  RUNG_STEP_MULSUB, /* b c - a     */
  RUNG_STEP_SUM2,   /* a b + c d   */
  RUNG_STEP_DIFF2   /* a b - c d   */
} RungStepKind;
typedef struct {
  RungStepKind  kind;
  RungOp        op;
  PetscInt      arg[4], value; /* of the tape, -1: none */
  const double *a[4];
  double       *r;
} RungStep;

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
  PetscInt       uniforms;   /* the first of `order`: those of rate uniform                                          */
  RungStep      *step;       /* owned, [step] of rate cell, then point                                               */
  PetscInt       steps[2];   /* of the cell; all                                                                     */
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

/* interpret_fuse.c: the instructions of cells and points as steps, before there are registers. */
PetscErrorCode RungStepsCreate(RungPlan plan, RungInterpreter *in);
/* interpret_ops.c: n numbers, whole packs */
void RungStepRun(const RungStep *step, PetscInt n);

/* interpret_read.c: inputs that are functions; made last, for it keeps places of values and maps. */
PetscErrorCode RungReadCreate(RungPlan plan, RungInterpreter *in);
PetscErrorCode RungReadDestroy(RungInterpreter *in);
void           RungReadRun(RungPlan plan, RungInterpreter *in, const PetscInt side[2], const RungKernelArgs *args);

/* interpret_pull.c.  class 0: coefficients of the cell, 1: of the points; in the order of block->pull[class].
   Made when there are values and maps. */
PetscErrorCode RungPullCreate(RungPlan plan, RungInterpreter *in);
void           RungPullRun(RungPlan plan, RungInterpreter *in, PetscInt block, int class, double *coefficient);
