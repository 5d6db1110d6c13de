/* interpret_impl.h - the interpreter's data, shared by its loop (interpret.c) and its pull-back (interpret_pull.c). */
#pragma once

#include "kernel_impl.h"

/* A pull-back of gradients alone: coefficient[to[b][d]] = sum_ac K[b][a] value[a][c] K[d][c], in registers. */
typedef struct {
  PetscBool is;
  PetscInt  value[3][3], to[3][3]; /* -1: absent */
} RungPullDense;

typedef struct {
  PetscInt     lanes, P;     /* P = points * lanes                                                                   */
  RungGeometry geometry[2];  /* of either cell of the places */
  double      *memory;       /* owned                                                                                */
  double     **value;        /* owned, [value] uniform: [1] or [P]; cell: [lane] or [P]; point: [P]                   */
  PetscBool   *spread;       /* owned, [value] read at a higher rate                                                 */
  double      *uniform;      /* part of memory, [value] results of uniform instructions, inputs                      */
  double      *before;       /* part of memory, uniform inputs of the last run                                       */
  PetscBool    fresh;        /* no run yet                                                                           */
  PetscInt    *order;        /* owned, instructions by rate                                                          */
  PetscInt     start[4];     /* order of rate r is start[r] .. start[r + 1] - 1                                      */
  double      *evaluation;   /* part of memory, [evaluation][P]                                                      */
  double      *coefficient;  /* part of memory                                                                       */
  double      *temporary;    /* part of memory, [temporary][P]                                                       */
  RungPullDense (*dense)[2]; /* owned, [block][class] */
  double *scratch;           /* part of memory                                                                       */
} RungInterpreter;

/* interpret_pull.c.  class 0: coefficients of the cell, 1: of the points; in the order of block->pull[class]. */
PetscErrorCode RungPullCreate(RungPlan plan, RungInterpreter *in);
void           RungPullRun(RungPlan plan, RungInterpreter *in, PetscInt block, int class, double *coefficient);
