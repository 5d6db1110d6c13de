/* emit_impl.h - what the files of the C back end's printer share. */
#pragma once

#include "kernel_impl.h"

/* ---- text (emit_text.c) -------------------------------------------------------------------------------------------
 */

/* Grows; the first failure stays in `error`, later additions do nothing. */
typedef struct {
  char          *text; /* owned, ends with 0; NULL while empty */
  size_t         n, room;
  int            indent; /* of lines */
  PetscErrorCode error;
} RungText;

/* As it is. */
void RungTextAdd(RungText *text, const char format[], ...) __attribute__((format(printf, 2, 3)));
/* A line: indented, wrapped at spaces before column 120. */
void RungTextLine(RungText *text, const char format[], ...) __attribute__((format(printf, 2, 3)));
void RungTextFree(RungText *text);
/* the shortest decimal that reads back as the number, always a double's literal: 2. 0.1 1e-05 */
void RungTextNumber(double value, char literal[32]);

/* ---- emitter (emit.c) ---------------------------------------------------------------------------------------------
 */

typedef struct {
  char *name, *body; /* owned */
} RungEmitItem;

/* Things that are printed once, whoever asks first gives the name. */
typedef struct {
  PetscInt      n, room;
  RungEmitItem *item; /* owned */
} RungEmitPool;

/* Numbers that have a name already: printing them again only to find that takes long. */
typedef struct {
  const double *data; /* lent, of the plans */
  const char   *name; /* lent by the pool   */
} RungEmitKnown;

typedef struct {
  PetscInt       lanes;
  RungEmitPool   tables, functions;
  PetscBool      one[RUNG_OPS], each[RUNG_OPS]; /* operators wanted on doubles, on Reals */
  RungText       kernels;
  RungPull      *late;       /* owned, [block][2] of the plan that is printed, see emit_late.c; NULL             */
  PetscInt       lates;      /* sums that are collected in the loop over points                                  */
  PetscInt      *late_value; /* owned, [lates] of the tape                                                       */
  PetscInt       known, known_room;
  RungEmitKnown *known_table; /* owned, [known] */
} RungEmitter;

/* The name under which body is printed: one that exists with an equal body, or wish, wish_2, ..  body holds the name as
   "@".  Lent by the pool. */
PetscErrorCode RungEmitPoolAdd(RungEmitPool *pool, const char wish[], const char body[], const char **name);
/* static const double NAME[dim 0][dim 1].. = data; keep: data stays where it is while the emitter lives */
PetscErrorCode RungEmitTable(RungEmitter *emitter, const char wish[], PetscInt dims, const PetscInt dim[],
                             const double data[], PetscBool keep, const char **name);
/* The weights of the points, [side][point] where there are several sides, else [point]. */
PetscErrorCode RungEmitWeights(RungEmitter *emitter, RungPlan plan, const char **name);
/* An entry of a basis table at a point and node as C: "P2_d0[q][i]", with the side of that cell of the place where there are several, without q where it is constant.
 */
PetscErrorCode RungEmitBasis(RungEmitter *emitter, RungPlan plan, const RungBasis *basis, PetscInt r, PetscInt cell,
                             const char point[], const char node[], char entry[], size_t size);

/* Is table r of a node zero at all points? */
PetscBool RungEmitIsZero(RungPlan plan, const RungBasis *basis, PetscInt r, PetscInt node);
/* Do so many of the n tables vanish for so many nodes, each by itself, that a loop over nodes is better written out?  As
   of gradients of P2. */
PetscBool RungEmitIsSparse(RungPlan plan, const RungBasis *basis, PetscInt n, const PetscInt r[]);

/* ---- operators (emit_ops.c) ---------------------------------------------------------------------------------------
 */

void RungEmitHelpers(const RungEmitter *emitter, RungText *text); /* Real, and the operators that are wanted */

/* ---- geometry and values (emit_point.c emit_tape.c) ----------------------------------------------------------------
 */

#define RUNG_EMIT_NAME_SIZE 96

/* C of map[s][r] of a cell of the place, "" for 1. */
void RungEmitMapName(RungPlan plan, PetscInt cell, PetscInt s, PetscInt r, char name[RUNG_EMIT_NAME_SIZE]);
/* Do vectors on curved cells take the cofactors C = det K, of first derivatives at points, in place of their inverse map?
   Dividing all of K costs more where few functions are differentiated. */
PetscBool RungEmitTakesCofactors(RungPlan plan);
/* Names of the evaluations and of inputs. */
void           RungEmitEvaluationName(RungPlan plan, const RungEvaluation *evaluation, char name[RUNG_EMIT_NAME_SIZE]);
void           RungEmitDofsName(RungPlan plan, PetscInt source, PetscInt k, char name[RUNG_EMIT_NAME_SIZE]);
void           RungEmitInputName(RungPlan plan, const RungInput *input, char name[RUNG_EMIT_NAME_SIZE]);
PetscErrorCode RungEmitArguments(RungEmitter *emitter, RungPlan plan);
PetscErrorCode RungEmitGeometry(RungEmitter *emitter, RungPlan plan); /* J, K, measure, normal, maps       */
PetscErrorCode RungEmitInputs(RungEmitter *emitter, RungPlan plan,
                              RungValueRate rate); /* functions and their derivatives */

typedef struct {
  char   **text;       /* owned, [value] C expression */
  int     *precedence; /* owned, [value] 1 sum, 2 product, 3 operand */
  PetscInt n;
} RungEmitValues;
PetscErrorCode RungEmitValuesCreate(RungPlan plan, RungEmitValues *values);
PetscErrorCode RungEmitValuesDestroy(RungEmitValues *values);
/* The tape's instructions of one rate, as statements. */
PetscErrorCode RungEmitTape(RungEmitter *emitter, RungPlan plan, RungValueRate rate, RungEmitValues *values);

/* ---- sum factorisation (emit_sum.c), where plan->tensor says so ---------------------------------------------------- */

PetscErrorCode RungEmitSumValues(RungEmitter *emitter,
                                 RungPlan     plan);                     /* arrays at_.. of all evaluations at the points */
PetscErrorCode RungEmitSumLoop(RungEmitter *emitter, RungPlan plan); /* opens the loop over points, J inside          */
PetscErrorCode RungEmitSumLoopEnd(RungEmitter *emitter, RungPlan plan);
/* The axis of derivatives that the loop over points makes, plane by plane (of two axes: line by line) in at_.., -1: the array
   has all points.  Likewise of coefficient c of a block, which is B<block>_<c> there.  Index of a point in such an array. */
PetscInt    RungSumAxis(RungPlan plan, const RungEvaluation *it);
const char *RungEmitAtPoint(RungPlan plan, PetscInt axis, char index[32]);
PetscInt    RungSumFolds(RungPlan plan, const RungBlock *block, PetscInt coefficient);
PetscBool   RungSumBends(RungPlan plan); /* J comes with the loop                                                  */
/* Is this contraction done axis by axis?  The body of its function: rank 1, rank 2. */
PetscBool      RungSumContracts(RungPlan plan, const RungBlock *block, int kind);
PetscErrorCode RungEmitSumVector(RungEmitter *emitter, RungPlan plan, const RungBlock *block, RungText *text);
PetscErrorCode RungEmitSumMatrix(RungEmitter *emitter, RungPlan plan, const RungBlock *block, int kind, RungText *text);

/* emit_kronecker.c: the body of a function that applies a block by matrices of a line */
PetscErrorCode RungEmitKronecker(RungEmitter *emitter, RungPlan plan, const RungBlock *block, RungText *text);

/* ---- blocks (emit_pull.c emit_tail.c) ------------------------------------------------------------------------------
 */

PetscErrorCode RungEmitDeclare(RungEmitter *emitter, RungPlan plan); /* arrays of coefficients */
/* The tensors of the cell are printed divided by this number, which goes into the measure: 1/6 for P1 in three
   dimensions; 1 where nothing is won. */
double RungEmitScale(RungPlan plan);
void   RungEmitScaled(RungEmitter *emitter, RungPlan plan); /* the measure with that number, where there is one */
/* What holds the weight in entries that have it already: of the cell, or of a point. */
const char *RungEmitWeight(RungPlan plan);
/* class 0: of the cell; class 1: at a point; class 2: sums over points, after the loop */
PetscErrorCode RungEmitPull(RungEmitter *emitter, RungPlan plan, int class, const RungEmitValues *values);
#define RUNG_PULL_LATE 2
/* emit_late.c: what of a block's pull-back belongs to a class; collections of the plan that is printed: made, declared, added
   to at a point, pulled back after the loop, gone. */
const RungPull *RungEmitPullOf(const RungEmitter *emitter, RungPlan plan, PetscInt b, int class);
PetscErrorCode  RungEmitLateCreate(RungEmitter *emitter, RungPlan plan);
void            RungEmitLateDeclare(RungEmitter *emitter);
void            RungEmitLateAdd(RungEmitter *emitter, const RungEmitValues *values);
PetscErrorCode  RungEmitLatePull(RungEmitter *emitter, RungPlan plan, const RungEmitValues *values);
PetscErrorCode  RungEmitLateDestroy(RungEmitter *emitter, RungPlan plan);
/* emit_diagonal.c: the body of a contraction of a diagonal block; point: the index of a point in tables. */
PetscErrorCode RungEmitDiagonal(RungEmitter *emitter, RungPlan plan, const RungBlock *block, int kind,
                                const char point[], RungText *text);
/* emit_outer.c: arrays of vectors and their coefficients; their values at a point; the products.  Is a block of the cell
   added with them? */
void           RungEmitOuterDeclare(RungEmitter *emitter, RungPlan plan);
void           RungEmitOuterStore(RungEmitter *emitter, RungPlan plan, const RungEmitValues *values);
PetscErrorCode RungEmitOuter(RungEmitter *emitter, RungPlan plan);
PetscBool      RungEmitOuterTakes(RungPlan plan, PetscInt b);
/* Points at a time: as many as have room for their coefficients in the cache, a divisor of their number. */
PetscInt RungEmitChunk(RungPlan plan);
/* in_loop: what belongs into the loop over chunks of points; else all the rest */
PetscErrorCode RungEmitContract(RungEmitter *emitter, RungPlan plan, PetscBool in_loop);
