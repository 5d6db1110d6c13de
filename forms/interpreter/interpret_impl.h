/* interpret_impl.h - the interpreter's data, shared by its loop (interpret.c), what it reads (interpret_read.c) and its
   pull-back (interpret_pull.c). */
#pragma once

#include "kernel_impl.h"

/* Where a value lies: numbers of RUNG_BATCH lanes at a distance from point to point, 0 where all points have one, and from
   batch to batch, 0 where all batches have one. */
typedef struct {
  double  *at; /* lent; NULL: nothing reads it */
  PetscInt point, batch;
} RungValuePlace;

/* A pull-back of values (0) and gradients (1 and on), in registers:
   to[b][d] = weight sum_ac K[b][a] value[a][c] K[d][c], where the K of a value is 1. */
typedef struct {
  PetscBool      is;
  PetscBool      straight;   /* K is diagonal */
  PetscBool      part[2][2]; /* value or gradient of test and of trial function: some are there */
  PetscInt       points;
  RungValuePlace value[4][4];        /* NULL: absent                  */
  const double  *map[3][3], *weight; /* of the first batch            */
  PetscInt       map_point, map_batch, weight_batch, to_batch;
  double        *to[4][4]; /* coefficients */
} RungPullDense;

/* Gradients of both functions that interpret_simplex.c takes from values to entries; scale of the weights. */
typedef struct {
  PetscBool     is;
  RungPullDense pull;
  double        scale;
} RungSimplex;

/* A pull-back that the tiles do, of straight affine cells: factor of pair p = |J| map[p][0] map[p][1], missing ones are 1. */
typedef struct {
  PetscBool     is;
  PetscInt      pairs;
  const double *map[RUNG_MAX_DERIVATIVE * RUNG_MAX_DERIVATIVE][2]; /* [batch][lane] */
  double       *table;                                             /* owned, [derivative][point][i], with weights */
  RungStraight  fold;                                              /* of the first batch */
} RungFolded;

/* What there is to do for a block besides what goes from values to entries at once. */
typedef struct {
  PetscBool pull[2], sums, tail;
  PetscInt  tiles; /* RungTailWidth() */
} RungWork;

/* An instruction, or several in one go: r = what its name says of a[0], a[1], .. */
typedef enum {
  RUNG_STEP_TAPE, /* op */
  RUNG_STEP_ADD,
  RUNG_STEP_SUB,
  RUNG_STEP_MUL,
  RUNG_STEP_DIV,
  RUNG_STEP_NEG,
  RUNG_STEP_ADD3,   /* a + b + c    */
  RUNG_STEP_MUL3,   /* a b c        */
  RUNG_STEP_ADDMUL, /* a + b c     */
  RUNG_STEP_SUBMUL, /* a - b c     */
  RUNG_STEP_MULSUB, /* b c - a     */
  RUNG_STEP_SUM2,   /* a b + c d   */
  RUNG_STEP_DIFF2   /* a b - c d   */
} RungStepKind;
typedef struct {
  RungStepKind kind;
  RungOp       op;
  PetscInt     arg[4], value; /* of the tape, -1: none */
  /* Steps of one loop over the points of all batches (flat), else of a loop over points within one over batches. */
  PetscBool     flat;
  const double *a[4];
  PetscInt      inner[4], outer[4];
  double       *r;
} RungStep;

/* to[s][q] = sum_r map[s][r][q] from[r][q]; gradient: first derivatives alone, else there is one output, and map NULL is 1 */
typedef struct {
  PetscBool     gradient;
  PetscInt      n, outputs, points;
  const double *from[RUNG_MAX_DERIVATIVE], *map[3][RUNG_MAX_DERIVATIVE];
  PetscInt      from_batch[RUNG_MAX_DERIVATIVE]; /* numbers of a batch */
  double       *to[3];
} RungReadMap;

/* Where an evaluation goes, [batch][point][lane]; points: 1 where all its readers are constant in cells. */
typedef struct {
  PetscBool sum; /* a sum sees to it */
  PetscInt  points;
  double   *to; /* part of memory */
} RungReadPoint;

/* A component of a function whose sums factorise, at all points. */
typedef struct {
  PetscInt evaluation; /* one of it               */
  double  *out[1 + 3]; /* NULL: not wanted, but for the value */
  double  *scale[3];   /* [batch][lane] of physical derivatives on straight cells; NULL: reference derivatives */
} RungReadSum;

typedef struct {
  PetscInt ahead, prepared, next; /* batches: the most, those of the last Prepare, the one whose run is next     */
  PetscInt P;                     /* points * RUNG_BATCH: numbers of a batch                                     */
  PetscInt distance;              /* of their arrays but `out`                                                   */
  PetscInt (*side)[2];            /* owned, [batch] of the tables of either cell                                 */
  RungGeometry    geometry[2];    /* of either cell of the places                                                */
  double         *memory;         /* owned                                                                       */
  RungValuePlace *value;          /* owned, [value]                                                              */
  double         *uniform;        /* part of memory, [value] uniform ones                                        */
  double         *before;         /* part of memory, uniform inputs of the last run                              */
  PetscBool       fresh;          /* no run yet                                                                  */
  PetscInt       *order;          /* owned, instructions by rate                                                 */
  PetscInt        uniforms;       /* the first of `order`: those of rate uniform                                 */
  RungStep       *step;           /* owned, [step] of rate cell, then point                                      */
  PetscInt        steps[2];       /* of the cell; all                                                            */
  double         *operand[3];     /* part of memory, [batch][point][lane] operands of steps that want them so     */
  double         *evaluation;     /* part of memory, [evaluation][batch][point][lane]                            */
  RungReadPoint  *read;           /* owned, [evaluation]                                                         */
  PetscInt        sums;
  RungReadSum    *sum; /* owned                                                                                       */
  PetscInt        maps;
  RungReadMap    *map;         /* owned                                                                               */
  double         *coefficient; /* part of memory, [batch] of one block                                               */
  PetscInt        coefficients; /* numbers of a batch there                                                           */
  double         *temporary; /* part of memory, [temporary][point][lane]                                            */
  RungPullDense (*dense)[2]; /* owned, [block][class]                                                               */
  RungSimplex (*simplex)[2]; /* owned, [block][class]                                                               */
  RungFolded *folded;        /* owned, [block]                                                                      */
  RungWork   *work;          /* owned, [block]                                                                      */
  PetscBool  *set;           /* owned, [block] it sets its entries of out, else it adds to them                     */
  PetscInt    bare;          /* entries of out to be cleared, in runs                                               */
  PetscInt (*entry)[2];      /* owned, [bare] first, end                                                            */
  double *unread;            /* part of memory, [point][lane] values that only their derivatives need               */
  double *scratch;           /* part of memory                                                                      */
} RungInterpreter;

/* interpret_fuse.c: the instructions of cells and points as steps, before there are registers. */
PetscErrorCode RungStepsCreate(RungPlan plan, RungInterpreter *in);
/* interpret_ops.c: one step at the points of n batches; operand: see above */
void RungStepRun(const RungStep *step, PetscInt n, PetscInt points, double *const operand[3]);

/* interpret_read.c: inputs that are functions; made last, for it keeps places of values and maps. */
PetscErrorCode RungReadCreate(RungPlan plan, RungInterpreter *in);
PetscErrorCode RungReadDestroy(RungInterpreter *in);
/* n batches from k on, which see the same sides. */
void RungReadRun(RungPlan plan, RungInterpreter *in, PetscInt k, PetscInt n, const RungKernelArgs *args);

/* interpret_pull.c, of n batches from k on.  class 0: coefficients of the cell, 1: of the points; in the order of block->pull[class].
   Made when there are values and maps. */
PetscErrorCode RungPullCreate(RungPlan plan, RungInterpreter *in);
void           RungPullRun(RungPlan plan, RungInterpreter *in, PetscInt block, int class, PetscInt k, PetscInt n,
                           double *coefficient);

/* interpret_straight.c: made after the pull-backs, of which it takes its part. */
PetscErrorCode RungStraightCreate(RungPlan plan, RungInterpreter *in);
PetscErrorCode RungStraightDestroy(RungPlan plan, RungInterpreter *in);
/* The factors of n batches from k on, [batch][pair][lane] at the distance of coefficients; what the tail takes. */
RungStraight RungStraightRun(const RungInterpreter *in, const RungFolded *it, PetscInt k, PetscInt n, double factor[]);

/* interpret_simplex.c: made after the pull-backs, of which it takes its part; what class there is has no sums (class 1) or
   tensor (class 0) any more. */
PetscErrorCode RungSimplexCreate(RungPlan plan, RungInterpreter *in);
/* span.n batches from k on */
void RungSimplexRun(const RungSimplex *it, const RungBlock *block, PetscInt k, RungBatchSpan span, double out[]);
