/* scalar.c - nodes of the scalar dag: one node for equal values, and the algebra that makes nodes cheaper.

   The makers apply what always saves operations or costs none: numbers are folded and gathered, 0 and 1 vanish, signs
   move outwards until a sum absorbs them, quotients become products with one reciprocal per divisor, powers with
   integer or half-integer exponents become products and roots, and what is selected by one condition is selected once.
   A select stays outside of products, so that a branch that is not taken cannot spoil the other one with 0 * inf. */
#include <rungown_room.h>
#include "scalar_impl.h"
#include <float.h>
#include <math.h>
#include <stdarg.h>

#define MAX_NODES 4000000 /* about 500 MB with all that is derived from them */
#define MAX_POWER 32      /* integer exponents up to this become products    */
#define MAX_CHAIN 64      /* factors searched for a number                   */

/* ---- life and errors -------------------------------------------------------------------------------------------- */

PetscErrorCode RungDagCreate(RungScope scope, RungDag *dag)
{
  RUNG_OWNED(RungDagDestroy) RungDag d = NULL;

  PetscFunctionBegin;
  PetscCall(PetscNew(&d));
  d->scope       = scope;
  d->dim         = RungScopeDim(scope);
  d->max         = 1024;
  d->max_inputs  = 64;
  d->slots       = 4096;
  d->place       = -1;
  d->error_place = -1;
  PetscCall(PetscMalloc1(d->max, &d->node));
  PetscCall(PetscCalloc1(d->max, &d->mark));
  PetscCall(PetscMalloc1(d->max_inputs, &d->input));
  PetscCall(PetscMalloc1(d->slots, &d->slot));
  for (PetscInt i = 0; i < d->slots; ++i) d->slot[i] = -1;
  for (PetscInt i = 0; i < RUNG_OPS; ++i) d->rule[i][0] = d->rule[i][1] = d->rule[i][2] = -1;
  d->zero = RungDagNumber(d, 0);
  d->one  = RungDagNumber(d, 1);
  PetscCall(RungDagCheck(d));
  *dag = d;
  d    = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDagDestroy(RungDag *dag)
{
  PetscFunctionBegin;
  if (!*dag) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < (*dag)->expanded; ++i) PetscCall(PetscFree((*dag)->component[i]));
  PetscCall(PetscFree((*dag)->component));
  PetscCall(PetscFree((*dag)->wanted));
  PetscCall(PetscFree((*dag)->node));
  PetscCall(PetscFree((*dag)->mark));
  PetscCall(PetscFree((*dag)->input));
  PetscCall(PetscFree((*dag)->slot));
  PetscCall(PetscFree(*dag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungDagFail(RungDag dag, PetscErrorCode code, const char format[], ...)
{
  va_list list;

  if (dag->error) return;
  dag->error       = code;
  dag->error_place = dag->place;
  va_start(list, format);
  (void)PetscVSNPrintf(dag->message, sizeof dag->message, format, NULL, list);
  va_end(list);
}

PetscErrorCode RungDagCheck(RungDag dag)
{
  PetscFunctionBegin;
  if (dag->error) PetscCall(RungScopeRaise(dag->scope, dag->error_place, dag->error, "%s", dag->message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the table of nodes ----------------------------------------------------------------------------------------- */

static PetscInt *slot_of(RungDag dag, RungSignature s)
{
  const uint64_t mask = (uint64_t)dag->slots - 1;
  uint64_t       i    = ((s.w[0] ^ (s.w[1] >> 7)) * 0x9e3779b97f4a7c15u >> 32) & mask; /* multiples of a value spread */

  while (dag->slot[i] >= 0 && !RungSignatureEqual(dag->node[dag->slot[i]].signature, s)) i = (i + 1) & mask;
  return &dag->slot[i];
}

static RungScalar find_node(RungDag dag, RungSignature s)
{
  return *slot_of(dag, s);
}

RungScalar RungDagFind(RungDag dag, RungSignature value)
{
  return find_node(dag, value);
}

static void rebuild(RungDag dag)
{
  for (PetscInt i = 0; i < dag->slots; ++i) dag->slot[i] = -1;
  for (RungScalar i = 0; i < dag->n; ++i) *slot_of(dag, dag->node[i].signature) = i;
}

/* Doubles the arrays when they are full; no node is made when there is no memory, the dag remembers. */
static PetscBool grow_arrays(RungDag dag)
{
  PetscInt    slots = dag->slots * 2;
  RungScalar *slot;

  if (dag->n >= MAX_NODES) {
    RungDagFail(dag, PETSC_ERR_SUP,
                "the form grows beyond %d operations while it is lowered, split it into several residuals", MAX_NODES);
    return PETSC_FALSE;
  }
  if (dag->n == dag->max) {
    if (PetscRealloc((size_t)dag->max * 2 * sizeof *dag->node, &dag->node)) goto memory;
    if (PetscRealloc((size_t)dag->max * 2 * sizeof *dag->mark, &dag->mark)) goto memory;
    (void)PetscArrayzero(dag->mark + dag->max, dag->max);
    dag->max *= 2;
  }
  if (dag->inputs == dag->max_inputs) {
    if (PetscRealloc((size_t)dag->max_inputs * 2 * sizeof *dag->input, &dag->input)) goto memory;
    dag->max_inputs *= 2;
  }
  if (2 * dag->n < dag->slots) return PETSC_TRUE;
  if (PetscMalloc1(slots, &slot)) goto memory;
  (void)PetscFree(dag->slot);
  dag->slot  = slot;
  dag->slots = slots;
  rebuild(dag);
  return PETSC_TRUE;
memory:
  RungDagFail(dag, PETSC_ERR_MEM, "out of memory after %" PetscInt_FMT " operations of one form", dag->n);
  return PETSC_FALSE;
}

void RungDagForget(RungDag dag, PetscInt n)
{
  while (dag->n > n) { /* the last one of the table stands in nobody's way to a place: it can be taken out by itself */
    const RungScalarNode *node = &dag->node[--dag->n];

    *slot_of(dag, node->signature) = node->hides;
    if (node->input >= 0) --dag->inputs;
  }
}

static RungScalar append(RungDag dag, RungOp op, RungScalar a, RungScalar b, RungScalar c, RungSignature signature)
{
  const RungScalar arg[3] = {a, b, c};
  RungScalarNode   node   = {.op        = op,
                             .arg       = {a, b, c},
                             .input     = -1,
                             .rate      = RUNG_RATE_UNIFORM,
                             .hides     = find_node(dag, signature),
                             .signature = signature};

  if (dag->error || !grow_arrays(dag)) return 0;
  for (int i = 0; i < 3 && arg[i] >= 0; ++i) {
    const RungScalarNode *from = &dag->node[arg[i]];

    node.uses |= from->uses;
    node.rate = PetscMax(node.rate, from->rate);
    if (op == RUNG_OP_MUL || op == RUNG_OP_NEG) node.numeric = node.numeric || from->numeric ? PETSC_TRUE : PETSC_FALSE;
  }
  dag->node[dag->n]        = node;
  *slot_of(dag, signature) = dag->n;
  return dag->n++;
}

static RungScalar append_input(RungDag dag, const RungInput *input, RungSignature signature)
{
  RungScalar s = append(dag, RUNG_OPS, -1, -1, -1, signature);

  if (dag->error) return 0;
  dag->node[s].input   = dag->inputs;
  dag->node[s].uses    = 1u << input->kind;
  dag->node[s].numeric = input->kind == RUNG_IN_NUMBER ? PETSC_TRUE : PETSC_FALSE;
  dag->node[s].rate    = RUNG_RATE_POINT;
  if (input->kind <= RUNG_IN_TIME) dag->node[s].rate = RUNG_RATE_UNIFORM;
  if (input->kind == RUNG_IN_CELL || (input->kind == RUNG_IN_MAP && input->k)) dag->node[s].rate = RUNG_RATE_CELL;
  dag->input[dag->inputs++] = *input;
  return s;
}

RungScalar RungDagInput(RungDag dag, const RungInput *input)
{
  const uint64_t word[6] = {(uint64_t)input->kind + 1000, (uint64_t)input->index,      (uint64_t)input->component,
                            (uint64_t)input->k,           (uint64_t)input->derivative, (uint64_t)input->side};
  RungSignature  signature;
  RungScalar     s;

  if (input->kind == RUNG_IN_NUMBER) return RungDagNumber(dag, input->value);
  signature = RungSignatureHash(6, word);
  s         = find_node(dag, signature);
  return s >= 0 ? s : append_input(dag, input, signature);
}

const RungInput *RungDagGetInput(RungDag dag, RungScalar a)
{
  return dag->node[a].input >= 0 ? &dag->input[dag->node[a].input] : NULL;
}

/* A number with its exact value; it takes the place of an operator that happened to have this value. */
static RungScalar number_node(RungDag dag, double value, RungSignature signature)
{
  const RungInput input = {.kind = RUNG_IN_NUMBER, .value = value == 0 ? 0 : value};
  RungScalar      s     = find_node(dag, signature);

  if (s >= 0 && dag->node[s].op == RUNG_OPS) return s;
  return append_input(dag, &input, signature);
}

RungScalar RungDagNumber(RungDag dag, double value)
{
  return number_node(dag, value, RungSignatureNumber(value));
}

PetscBool RungDagIsNumber(RungDag dag, RungScalar a, double *value)
{
  const RungInput *input = RungDagGetInput(dag, a);

  if (!input || input->kind != RUNG_IN_NUMBER) return PETSC_FALSE;
  if (value) *value = input->value;
  return PETSC_TRUE;
}

static PetscBool has_op(RungDag dag, RungScalar a, RungOp op)
{
  return dag->node[a].op == op ? PETSC_TRUE : PETSC_FALSE;
}

/* ---- signs, sums ------------------------------------------------------------------------------------------------ */

RungScalar RungDagNeg(RungDag dag, RungScalar a)
{
  const RungSignature signature = RungSignatureNeg(dag->node[a].signature);
  double              value;
  RungScalar          s;

  if (RungDagIsNumber(dag, a, &value)) return number_node(dag, -value, signature);
  if (has_op(dag, a, RUNG_OP_NEG)) return dag->node[a].arg[0];
  s = find_node(dag, signature);
  return s >= 0 ? s : append(dag, RUNG_OP_NEG, a, -1, -1, signature);
}

/* The node of this value, or the negative of one, or -1. */
static RungScalar known(RungDag dag, RungSignature signature)
{
  RungScalar s = find_node(dag, signature);

  if (s >= 0) return s;
  s = find_node(dag, RungSignatureNeg(signature));
  return s >= 0 ? RungDagNeg(dag, s) : -1;
}

/* a = factor * rest where the factor does not vary over a form: a number or uniform */
static void split(RungDag dag, RungScalar a, RungScalar *factor, RungScalar *rest)
{
  const RungScalarNode *node = &dag->node[a];
  RungScalar            sign = dag->one;

  *factor = dag->one;
  *rest   = a;
  if (node->op == RUNG_OP_NEG) {
    sign  = RungDagNeg(dag, dag->one);
    a     = dag->node[a].arg[0];
    node  = &dag->node[a];
    *rest = a;
  }
  if (node->op == RUNG_OP_MUL && dag->node[node->arg[0]].rate == RUNG_RATE_UNIFORM &&
      (node->rate != RUNG_RATE_UNIFORM || RungDagIsNumber(dag, node->arg[0], NULL))) {
    *factor = node->arg[0];
    *rest   = node->arg[1];
  }
  *factor = RungDagMul(dag, sign, *factor);
}

/* The branches of a as seen from a condition; a itself where it does not depend on it. */
static PetscBool branches(RungDag dag, RungScalar condition, RungScalar a, RungScalar *yes, RungScalar *no)
{
  const RungScalarNode node = dag->node[a];

  *yes = *no = a;
  if (node.op == RUNG_OP_NEG && has_op(dag, node.arg[0], RUNG_OP_IF) && dag->node[node.arg[0]].arg[0] == condition) {
    *yes = RungDagNeg(dag, dag->node[node.arg[0]].arg[1]);
    *no  = RungDagNeg(dag, dag->node[node.arg[0]].arg[2]);
    return PETSC_TRUE;
  }
  if (node.op != RUNG_OP_IF || node.arg[0] != condition) return PETSC_FALSE;
  *yes = node.arg[1];
  *no  = node.arg[2];
  return PETSC_TRUE;
}

static RungScalar make_select(RungDag dag, RungScalar condition, RungScalar yes, RungScalar no)
{
  const RungScalar arg[3] = {condition, yes, no};

  return RungDagOp(dag, RUNG_OP_IF, arg);
}

static RungScalar sum_of_selects(RungDag dag, RungScalar a, RungScalar b)
{
  const RungScalar inner = has_op(dag, a, RUNG_OP_NEG) ? dag->node[a].arg[0] : a;
  RungScalar       yes[2], no[2];

  if (!has_op(dag, inner, RUNG_OP_IF)) return -1;
  branches(dag, dag->node[inner].arg[0], a, &yes[0], &no[0]);
  if (!branches(dag, dag->node[inner].arg[0], b, &yes[1], &no[1])) return -1;
  return make_select(dag, dag->node[inner].arg[0], RungDagAdd(dag, yes[0], yes[1]), RungDagAdd(dag, no[0], no[1]));
}

/* number + (number + x): the numbers are added */
static RungScalar sum_of_numbers(RungDag dag, RungScalar a, RungScalar b)
{
  if (!RungDagIsNumber(dag, a, NULL) || !has_op(dag, b, RUNG_OP_ADD)) return -1;
  for (int i = 0; i < 2; ++i) {
    const RungScalar number = dag->node[b].arg[i], rest = dag->node[b].arg[1 - i];

    if (RungDagIsNumber(dag, number, NULL)) return RungDagAdd(dag, rest, RungDagAdd(dag, a, number));
  }
  return -1;
}

RungScalar RungDagAdd(RungDag dag, RungScalar a, RungScalar b)
{
  const RungSignature signature = RungSignatureAdd(dag->node[a].signature, dag->node[b].signature);
  RungScalar          s, factor[2], rest[2];
  double              va, vb;

  if (a == dag->zero) return b;
  if (b == dag->zero) return a;
  if (RungDagIsNumber(dag, a, &va) && RungDagIsNumber(dag, b, &vb)) return number_node(dag, va + vb, signature);
  if ((s = known(dag, signature)) >= 0) return s;
  if (has_op(dag, a, RUNG_OP_NEG) && has_op(dag, b, RUNG_OP_NEG)) {
    return RungDagNeg(dag, RungDagAdd(dag, dag->node[a].arg[0], dag->node[b].arg[0]));
  }
  if ((s = sum_of_selects(dag, a, b)) >= 0) return s;
  if ((s = sum_of_numbers(dag, a, b)) >= 0 || (s = sum_of_numbers(dag, b, a)) >= 0) return s;
  split(dag, a, &factor[0], &rest[0]);
  split(dag, b, &factor[1], &rest[1]);
  if (rest[0] == rest[1]) return RungDagMul(dag, RungDagAdd(dag, factor[0], factor[1]), rest[0]);
  if (has_op(dag, a, RUNG_OP_NEG) || RungDagIsNumber(dag, a, NULL))
    return append(dag, RUNG_OP_ADD, b, a, -1, signature);
  return append(dag, RUNG_OP_ADD, a, b, -1, signature);
}

RungScalar RungDagSub(RungDag dag, RungScalar a, RungScalar b)
{
  return RungDagAdd(dag, a, RungDagNeg(dag, b));
}

/* ---- products --------------------------------------------------------------------------------------------------- */

/* number * a: the number joins one that is a factor of a already */
static RungScalar mul_number(RungDag dag, RungScalar number, RungScalar a, int depth)
{
  const RungScalarNode node      = dag->node[a];
  const RungSignature  signature = RungSignatureMul(dag->node[number].signature, node.signature);
  double               factor    = 1, value;
  RungScalar           s;

  (void)RungDagIsNumber(dag, number, &factor);
  if (RungDagIsNumber(dag, a, &value)) return number_node(dag, factor * value, signature);
  if (number == dag->one) return a;
  if (RungSignatureEqual(dag->node[number].signature, RungSignatureNeg(dag->node[dag->one].signature))) {
    return RungDagNeg(dag, a);
  }
  if ((s = known(dag, signature)) >= 0) return s;
  if (node.op == RUNG_OP_NEG) return RungDagNeg(dag, mul_number(dag, number, node.arg[0], depth + 1));
  if (node.op == RUNG_OP_MUL && (node.numeric || dag->node[node.arg[0]].rate < node.rate) && depth < MAX_CHAIN) {
    const int        i    = dag->node[node.arg[1]].numeric && !dag->node[node.arg[0]].numeric ? 1 : 0;
    const RungScalar part = mul_number(dag, number, node.arg[i], depth + 1), other = node.arg[1 - i];

    if (RungDagIsNumber(dag, part, NULL)) return mul_number(dag, part, other, depth + 1);
    return i ? append(dag, RUNG_OP_MUL, other, part, -1, signature)
             : append(dag, RUNG_OP_MUL, part, other, -1, signature);
  }
  return append(dag, RUNG_OP_MUL, number, a, -1, signature);
}

/* factor * a for a uniform factor, which joins one that a has in front; looks for nothing else, so that products end */
static RungScalar scale(RungDag dag, RungScalar factor, RungScalar a)
{
  const RungScalarNode node      = dag->node[a];
  const RungSignature  signature = RungSignatureMul(dag->node[factor].signature, node.signature);
  RungScalar           s;

  if (RungDagIsNumber(dag, factor, NULL)) return mul_number(dag, factor, a, 0);
  if (RungDagIsNumber(dag, a, NULL)) return mul_number(dag, a, factor, 0);
  if ((s = known(dag, signature)) >= 0) return s;
  if (node.op == RUNG_OP_NEG) return RungDagNeg(dag, scale(dag, factor, node.arg[0]));
  if (node.op == RUNG_OP_MUL && node.rate > RUNG_RATE_UNIFORM && dag->node[node.arg[0]].rate == RUNG_RATE_UNIFORM) {
    s = RungDagMul(dag, factor, node.arg[0]);
    return s == dag->one ? node.arg[1] : append(dag, RUNG_OP_MUL, s, node.arg[1], -1, signature);
  }
  return append(dag, RUNG_OP_MUL, factor, a, -1, signature);
}

/* A uniform factor (a number too) is taken out of one operand where what remains exists already, or where it can be
   joined with the other operand: one operation either way, and sums see the common rest. */
static RungScalar mul_uniform(RungDag dag, RungScalar a, RungScalar b)
{
  RungScalar factor[2], rest[2];

  split(dag, a, &factor[0], &rest[0]);
  split(dag, b, &factor[1], &rest[1]);
  for (int i = 0; i < 2; ++i) {
    const RungScalar other = i ? a : b, product = find_node(dag, RungSignatureMul(dag->node[rest[i]].signature,
                                                                                  dag->node[other].signature));

    if (factor[i] == dag->one) continue;
    if (product >= 0) return scale(dag, factor[i], product);
    if (dag->node[other].rate == RUNG_RATE_UNIFORM && dag->node[rest[i]].rate != RUNG_RATE_UNIFORM) {
      return scale(dag, RungDagMul(dag, factor[i], other), rest[i]);
    }
  }
  if (factor[0] != dag->one && factor[1] != dag->one && RungDagIsNumber(dag, factor[0], NULL) &&
      RungDagIsNumber(dag, factor[1], NULL)) {
    return scale(dag, RungDagMul(dag, factor[0], factor[1]), RungDagMul(dag, rest[0], rest[1]));
  }
  return -1;
}

/* if(c, p, 0) * x = if(c, p * x, 0) */
static RungScalar mul_select(RungDag dag, RungScalar a, RungScalar b)
{
  const RungScalarNode node = dag->node[a];
  RungScalar           yes, no;

  if (node.op != RUNG_OP_IF || (node.arg[1] != dag->zero && node.arg[2] != dag->zero)) return -1;
  branches(dag, node.arg[0], b, &yes, &no);
  return make_select(dag, node.arg[0], RungDagMul(dag, node.arg[1], yes), RungDagMul(dag, node.arg[2], no));
}

RungScalar RungDagMul(RungDag dag, RungScalar a, RungScalar b)
{
  const RungSignature signature = RungSignatureMul(dag->node[a].signature, dag->node[b].signature);
  RungScalar          s;

  if (a == dag->zero || b == dag->zero) return dag->zero;
  if (RungDagIsNumber(dag, a, NULL)) return mul_number(dag, a, b, 0);
  if (RungDagIsNumber(dag, b, NULL)) return mul_number(dag, b, a, 0);
  if (has_op(dag, a, RUNG_OP_NEG)) return RungDagNeg(dag, RungDagMul(dag, dag->node[a].arg[0], b));
  if (has_op(dag, b, RUNG_OP_NEG)) return RungDagNeg(dag, RungDagMul(dag, a, dag->node[b].arg[0]));
  if ((s = known(dag, signature)) >= 0) return s;
  if (a == b && has_op(dag, a, RUNG_OP_SQRT)) return dag->node[a].arg[0];
  if ((s = mul_select(dag, a, b)) >= 0 || (s = mul_select(dag, b, a)) >= 0) return s;
  if ((s = mul_uniform(dag, a, b)) >= 0) return s;
  if (dag->node[b].rate < dag->node[a].rate) return append(dag, RUNG_OP_MUL, b, a, -1, signature);
  return append(dag, RUNG_OP_MUL, a, b, -1, signature);
}

/* ---- quotients, powers ------------------------------------------------------------------------------------------ */

/* 1 / b; of products as the product of reciprocals that exist already */
static RungScalar reciprocal(RungDag dag, RungScalar b)
{
  const RungScalarNode node = dag->node[b];
  RungSignature        signature;
  RungScalar           s;
  double               value;

  if (RungSignatureIsZero(node.signature)) {
    RungDagFail(dag, PETSC_ERR_ARG_OUTOFRANGE, "division by zero: the divisor is zero for all data");
    return dag->zero;
  }
  signature = RungSignatureInverse(node.signature);
  if (RungDagIsNumber(dag, b, &value)) return number_node(dag, 1 / value, signature);
  if ((s = known(dag, signature)) >= 0) return s;
  if (node.op == RUNG_OP_NEG) return RungDagNeg(dag, reciprocal(dag, node.arg[0]));
  if (node.op == RUNG_OP_MUL) {
    for (int i = 0; i < 2; ++i) {
      const PetscBool number = RungDagIsNumber(dag, node.arg[i], NULL);

      if (number || find_node(dag, RungSignatureInverse(dag->node[node.arg[i]].signature)) >= 0) {
        return RungDagMul(dag, reciprocal(dag, node.arg[i]), reciprocal(dag, node.arg[1 - i]));
      }
    }
  }
  return append(dag, RUNG_OP_DIV, dag->one, b, -1, signature);
}

RungScalar RungDagDiv(RungDag dag, RungScalar a, RungScalar b)
{
  RungScalar s;

  if (b == dag->one) return a;
  if (RungSignatureIsZero(dag->node[b].signature)) return reciprocal(dag, b);
  if (a == dag->zero) return dag->zero;
  s = known(dag, RungSignatureMul(dag->node[a].signature, RungSignatureInverse(dag->node[b].signature)));
  return s >= 0 ? s : RungDagMul(dag, a, reciprocal(dag, b));
}

/* a^n by squaring */
static RungScalar integer_power(RungDag dag, RungScalar a, PetscInt n)
{
  RungScalar s = dag->one, square = n < 0 ? reciprocal(dag, a) : a;

  for (n = PetscAbsInt(n); n; n /= 2) {
    if (n % 2) s = RungDagMul(dag, s, square);
    if (n > 1) square = RungDagMul(dag, square, square);
  }
  return s;
}

static RungScalar generic(RungDag dag, RungOp op, const RungScalar arg[]);

/* a^b = a^floor(b) a^(b - floor(b)): powers that differ by an integer, as those of derivatives do, share the costly
   part; a^(-n/2) is a reciprocal, as the derivative of a root is */
static RungScalar fold_power(RungDag dag, RungScalar a, RungScalar b)
{
  RungScalar arg[2] = {a, b}, whole, fraction;
  double     exponent;

  if (a == dag->one || b == dag->zero) return dag->one;
  if (RungDagIsNumber(dag, a, NULL) && RungDagIsNumber(dag, b, NULL)) return generic(dag, RUNG_OP_POW, arg);
  if (!RungDagIsNumber(dag, b, &exponent) || !(fabs(exponent) <= MAX_POWER)) return generic(dag, RUNG_OP_POW, arg);
  if (exponent < 0 && fmod(2 * exponent, 2) == -1) return reciprocal(dag, fold_power(dag, a, RungDagNeg(dag, b)));
  whole    = RungDagNumber(dag, floor(exponent));
  fraction = RungDagSub(dag, b, whole);
  if (fraction == dag->zero) return integer_power(dag, a, (PetscInt)floor(exponent));
  (void)RungDagIsNumber(dag, fraction, &exponent);
  arg[1]   = fraction;
  fraction = exponent == 0.5 ? RungDagOp(dag, RUNG_OP_SQRT, arg) : generic(dag, RUNG_OP_POW, arg);
  (void)RungDagIsNumber(dag, whole, &exponent);
  return RungDagMul(dag, fraction, integer_power(dag, a, (PetscInt)exponent));
}

/* ---- other operators -------------------------------------------------------------------------------------------- */

/* A random value that depends on the operator and on its operands' values; of commuting operands on their set. */
static RungSignature op_signature(RungDag dag, RungOp op, const RungScalar arg[], int n)
{
  uint64_t word[7] = {(uint64_t)op + 1};

  for (int i = 0; i < n; ++i) {
    word[1 + 2 * i] = dag->node[arg[i]].signature.w[0];
    word[2 + 2 * i] = dag->node[arg[i]].signature.w[1];
  }
  if ((rung_ops[op].test & RUNG_COMMUTES) && word[1] > word[3]) {
    for (int i = 1; i < 3; ++i) {
      const uint64_t swap = word[i];

      word[i]     = word[i + 2];
      word[i + 2] = swap;
    }
  }
  return RungSignatureHash(1 + 2 * n, word);
}

static PetscBool fold_numbers(RungDag dag, RungOp op, const RungScalar arg[], int n, double *r)
{
  double a[3] = {0, 0, 0};

  for (int i = 0; i < n; ++i) {
    if (!RungDagIsNumber(dag, arg[i], &a[i])) return PETSC_FALSE;
  }
  RungInstructionRun(op, 1, &a[0], &a[1], &a[2], r);
  return fabs(*r) <= DBL_MAX ? PETSC_TRUE : PETSC_FALSE;
}

static RungScalar generic(RungDag dag, RungOp op, const RungScalar arg[])
{
  const int     n = rung_ops[op].max;
  RungSignature signature;
  RungScalar    s;
  double        value;

  if (op != RUNG_OP_TABLE && fold_numbers(dag, op, arg, n, &value)) return RungDagNumber(dag, value);
  signature = op_signature(dag, op, arg, n);
  s         = find_node(dag, signature);
  return s >= 0 ? s : append(dag, op, arg[0], n > 1 ? arg[1] : -1, n > 2 ? arg[2] : -1, signature);
}

/* if(c, a, b) = b + H(c) (a - b), where H(c) is random: sums and multiples of selects are recognised */
static RungScalar fold_if(RungDag dag, const RungScalar arg[])
{
  const RungSignature c = op_signature(dag, RUNG_OP_IF, arg, 1), b = dag->node[arg[2]].signature;
  RungSignature       signature = RungSignatureAdd(dag->node[arg[1]].signature, RungSignatureNeg(b));
  RungScalar          s, unused;
  double              value;

  if (RungDagIsNumber(dag, arg[0], &value)) return value != 0 ? arg[1] : arg[2];
  if (has_op(dag, arg[0], RUNG_OP_NOT)) return make_select(dag, dag->node[arg[0]].arg[0], arg[2], arg[1]);
  signature = RungSignatureAdd(b, RungSignatureMul(c, signature));
  if ((s = known(dag, signature)) >= 0) return s;
  if (branches(dag, arg[0], arg[1], &s, &unused)) return make_select(dag, arg[0], s, arg[2]);
  if (branches(dag, arg[0], arg[2], &unused, &s)) return make_select(dag, arg[0], arg[1], s);
  return append(dag, RUNG_OP_IF, arg[0], arg[1], arg[2], signature);
}

RungScalar RungDagOp(RungDag dag, RungOp op, const RungScalar arg[])
{
  switch (op) {
  case RUNG_OP_ADD: return RungDagAdd(dag, arg[0], arg[1]);
  case RUNG_OP_SUB: return RungDagSub(dag, arg[0], arg[1]);
  case RUNG_OP_NEG: return RungDagNeg(dag, arg[0]);
  case RUNG_OP_MUL: return RungDagMul(dag, arg[0], arg[1]);
  case RUNG_OP_DIV: return RungDagDiv(dag, arg[0], arg[1]);
  case RUNG_OP_POW: return fold_power(dag, arg[0], arg[1]);
  case RUNG_OP_IF: return fold_if(dag, arg);
  case RUNG_OP_MIN:
  case RUNG_OP_MAX: return arg[0] == arg[1] ? arg[0] : generic(dag, op, arg);
  default: return generic(dag, op, arg);
  }
}

/* ---- what roots reach ------------------------------------------------------------------------------------------- */

typedef struct {
  PetscInt    n, room;
  RungScalar *node; /* [n] */
} Reached;

static PetscErrorCode reach(RungDag dag, RungScalar s, unsigned kinds, Reached *reached)
{
  PetscFunctionBegin;
  if (dag->mark[s] || !(dag->node[s].uses & kinds)) PetscFunctionReturn(PETSC_SUCCESS);
  if (reached->n == reached->room) {
    reached->room = PetscMax(16, 2 * reached->room);
    PetscCall(PetscRealloc((size_t)reached->room * sizeof *reached->node, &reached->node));
  }
  dag->mark[s]                = PETSC_TRUE;
  reached->node[reached->n++] = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode reached_destroy(Reached *reached)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(reached->node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Marks are kept between calls and taken back, so that little is done where little is reached of a large dag. */
PetscErrorCode RungDagReach(RungDag dag, PetscInt n, const RungScalar root[], unsigned kinds, PetscInt *count,
                            RungScalar **list)
{
  RUNG_OWNED(reached_destroy) Reached reached = {0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) PetscCall(reach(dag, root[i], kinds, &reached));
  for (PetscInt at = 0; at < reached.n; ++at) {
    for (int i = 0; i < 3 && dag->node[reached.node[at]].arg[i] >= 0; ++i)
      PetscCall(reach(dag, dag->node[reached.node[at]].arg[i], kinds, &reached));
  }
  for (PetscInt i = 0; i < reached.n; ++i) dag->mark[reached.node[i]] = PETSC_FALSE;
  PetscCall(PetscSortInt(reached.n, reached.node));
  *count = reached.n;
  *list  = reached.node;

  reached.node = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
