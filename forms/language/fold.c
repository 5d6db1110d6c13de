/* fold.c - what an operator on given operands amounts to: numbers computed, zeros and ones gone, signs outermost.

   Canonical products: a sign stands outside, at most one number leads: NEG(MUL(2, MUL(a, b))) for every way to write
   -2ab; so equal terms are one node and the printer can write them without parentheses.  A zero keeps its shape and,
   where a test function was multiplied away, its arity: 0*v is still a term of a form.                              */
#include "scope_impl.h"
#include <math.h>

static const RungNode *operand(RungScope scope, const RungNode *r, PetscInt i)
{
  return RungScopeNode(scope, r->arg[i]);
}
static PetscBool is_op(RungScope scope, PetscInt node, RungOp op)
{
  return RungScopeNode(scope, node)->op == op ? PETSC_TRUE : PETSC_FALSE;
}

/* A number proper, not a zero tensor or what is left of a test function. */
static PetscBool is_number(RungScope scope, PetscInt node)
{
  const RungNode *a = RungScopeNode(scope, node);

  return a->op == RUNG_OP_NUMBER && !a->rank && !a->arity ? PETSC_TRUE : PETSC_FALSE;
}

static PetscBool is_value(RungScope scope, PetscInt node, PetscReal value)
{
  return is_number(scope, node) && RungScopeNode(scope, node)->number == value ? PETSC_TRUE : PETSC_FALSE;
}

static PetscReal value_of(RungScope scope, PetscInt node)
{
  return RungScopeNode(scope, node)->number;
}

/* *to = op(a, b); a or b may be errors already. */
static PetscErrorCode apply(RungScope scope, RungOp op, PetscInt a, PetscInt b, PetscInt *to)
{
  const PetscInt arg[] = {a, b};

  PetscFunctionBegin;
  PetscCall(RungNodeApply(scope, op, rung_ops[op].class_ == RUNG_CLASS_SCALAR ? rung_ops[op].max : rung_ops[op].min,
                          arg, NULL, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode apply_neg(RungScope scope, RungOp op, PetscInt a, PetscInt b, PetscInt *to)
{
  PetscInt positive;

  PetscFunctionBegin;
  PetscCall(apply(scope, op, a, b, &positive));
  PetscCall(apply(scope, RUNG_OP_NEG, positive, -1, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode fold_numbers(RungScope scope, const RungNode *r, PetscInt *node)
{
  double v[3] = {0, 0, 0}, value;

  PetscFunctionBegin;
  if (rung_ops[r->op].class_ != RUNG_CLASS_SCALAR || r->op == RUNG_OP_TABLE) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < r->args; ++i) {
    if (!is_number(scope, r->arg[i])) PetscFunctionReturn(PETSC_SUCCESS);
    v[i] = (double)value_of(scope, r->arg[i]);
  }
  if (r->op == RUNG_OP_DIV && v[1] == 0) PetscFunctionReturn(PETSC_SUCCESS); /* fold_quotient() has words for it */
  RungInstructionRun(r->op, 1, &v[0], &v[1], &v[2], &value);
  if (isfinite(value)) {
    PetscCall(RungNodeNumber(scope, (PetscReal)value, node));
  } else if (r->args == 1) {
    PetscCall(RungScopeFail(scope, node, "%s(%g) is not a finite number", rung_ops[r->op].name, v[0]));
  } else {
    PetscCall(
      RungScopeFail(scope, node, "\"%s\" of %g and %g is not a finite number", rung_ops[r->op].name, v[0], v[1]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A zero in what the operator is linear in makes the result zero. */
static PetscErrorCode fold_zeros(RungScope scope, const RungNode *r, PetscInt *node)
{
  const int test  = rung_ops[r->op].test & ~RUNG_COMMUTES;
  PetscInt  zeros = 0, v = -1, linear = test == RUNG_FIRST ? 1 : r->args;

  PetscFunctionBegin;
  if (r->integral || (test != RUNG_ADDITIVE && test != RUNG_MULTILINEAR && test != RUNG_FIRST))
    PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < r->args; ++i) {
    if (i < linear) zeros += RungNodeIsZero(scope, r->arg[i]);
    if (v < 0 && operand(scope, r, i)->arity) v = RungNodeFirstTest(scope, r->arg[i]);
  }
  if (r->op == RUNG_OP_DIV && RungNodeIsZero(scope, r->arg[1])) zeros = 0; /* a division by zero, whatever it divides */
  if (test == RUNG_ADDITIVE ? zeros == r->args : zeros > 0) PetscCall(RungNodeZero(scope, r->rank, r->shape, v, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- arithmetic ------------------------------------------------------------------------------------------------- */

static PetscErrorCode fold_sum(RungScope scope, const RungNode *r, PetscInt *node)
{
  const PetscInt a = r->arg[0], b = r->arg[1];
  PetscInt       minus_a;

  PetscFunctionBegin;
  if (RungNodeIsZero(scope, a))
    *node = b;
  else if (RungNodeIsZero(scope, b))
    *node = a;
  else if (r->op == RUNG_OP_ADD) {
    if ((is_op(scope, b, RUNG_OP_NEG) && operand(scope, r, 1)->arg[0] == a) ||
        (is_op(scope, a, RUNG_OP_NEG) && operand(scope, r, 0)->arg[0] == b)) {
      PetscCall(RungNodeZero(scope, 0, NULL, r->arity ? RungNodeFirstTest(scope, a) : -1, node));
    }
  } else if (is_op(scope, a, RUNG_OP_SCALE) || is_op(scope, b, RUNG_OP_SCALE)) {
    PetscInt arg[] = {0, a};

    PetscCall(RungNodeNumber(scope, -1, &arg[0]));
    PetscCall(RungNodeApply(scope, RUNG_OP_SCALE, 2, arg, NULL, &minus_a));
    if (minus_a == b)
      PetscCall(RungNodeZero(scope, r->rank, r->shape, r->arity ? RungNodeFirstTest(scope, a) : -1, node));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* number * b */
static PetscErrorCode fold_multiple(RungScope scope, PetscInt number, PetscInt b, PetscInt *node)
{
  const RungNode *B = RungScopeNode(scope, b);
  const PetscReal n = value_of(scope, number);
  PetscInt        lead;

  PetscFunctionBegin;
  if (n < 0) {
    PetscCall(RungNodeNumber(scope, -n, &lead));
    PetscCall(apply_neg(scope, RUNG_OP_MUL, lead, b, node));
  } else if (n == 1) {
    *node = b;
  } else if ((B->op == RUNG_OP_MUL || B->op == RUNG_OP_DIV) && is_number(scope, B->arg[0])) {
    PetscCall(RungNodeNumber(scope, n * value_of(scope, B->arg[0]), &lead));
    PetscCall(apply(scope, B->op, lead, B->arg[1], node));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fold_product(RungScope scope, const RungNode *r, PetscInt *node)
{
  const PetscInt  a = r->arg[0], b = r->arg[1];
  const RungNode *A = operand(scope, r, 0), *B = operand(scope, r, 1);
  PetscInt        rest;

  PetscFunctionBegin;
  if (A->op == RUNG_OP_NEG)
    PetscCall(apply_neg(scope, RUNG_OP_MUL, A->arg[0], b, node));
  else if (B->op == RUNG_OP_NEG)
    PetscCall(apply_neg(scope, RUNG_OP_MUL, a, B->arg[0], node));
  else if (is_number(scope, a))
    PetscCall(fold_multiple(scope, a, b, node));
  else if (is_number(scope, b))
    PetscCall(apply(scope, RUNG_OP_MUL, b, a, node));
  else if (A->op == RUNG_OP_MUL && is_number(scope, A->arg[0])) {
    PetscCall(apply(scope, RUNG_OP_MUL, A->arg[1], b, &rest));
    PetscCall(apply(scope, RUNG_OP_MUL, A->arg[0], rest, node));
  } else if (B->op == RUNG_OP_MUL && is_number(scope, B->arg[0])) {
    PetscCall(apply(scope, RUNG_OP_MUL, a, B->arg[1], &rest));
    PetscCall(apply(scope, RUNG_OP_MUL, B->arg[0], rest, node));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fold_quotient(RungScope scope, const RungNode *r, PetscInt *node)
{
  const PetscInt  a = r->arg[0], b = r->arg[1];
  const RungNode *A = operand(scope, r, 0), *B = operand(scope, r, 1);
  PetscInt        rest;

  PetscFunctionBegin;
  if (is_value(scope, b, 1))
    *node = a;
  else if (RungNodeIsZero(scope, b))
    PetscCall(RungScopeFail(scope, node, "a division by zero"));
  else if (A->op == RUNG_OP_NEG)
    PetscCall(apply_neg(scope, RUNG_OP_DIV, A->arg[0], b, node));
  else if (B->op == RUNG_OP_NEG)
    PetscCall(apply_neg(scope, RUNG_OP_DIV, a, B->arg[0], node));
  else if (is_number(scope, a) && A->number < 0) {
    PetscCall(RungNodeNumber(scope, -A->number, &rest));
    PetscCall(apply_neg(scope, RUNG_OP_DIV, rest, b, node));
  } else if (is_number(scope, b) && B->number < 0) {
    PetscCall(RungNodeNumber(scope, -B->number, &rest));
    PetscCall(apply_neg(scope, RUNG_OP_DIV, a, rest, node));
  } else if (A->op == RUNG_OP_MUL && is_number(scope, A->arg[0])) {
    PetscCall(apply(scope, RUNG_OP_DIV, A->arg[1], b, &rest));
    PetscCall(apply(scope, RUNG_OP_MUL, A->arg[0], rest, node));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fold_scalar(RungScope scope, const RungNode *r, PetscInt *node)
{
  PetscFunctionBegin;
  switch (r->op) {
  case RUNG_OP_ADD: PetscCall(fold_sum(scope, r, node)); break;
  case RUNG_OP_NEG:
    if (is_op(scope, r->arg[0], RUNG_OP_NEG)) *node = operand(scope, r, 0)->arg[0];
    break;
  case RUNG_OP_MUL: PetscCall(fold_product(scope, r, node)); break;
  case RUNG_OP_DIV: PetscCall(fold_quotient(scope, r, node)); break;
  case RUNG_OP_POW:
    if (is_value(scope, r->arg[1], 1))
      *node = r->arg[0];
    else if (is_value(scope, r->arg[1], 0) || is_value(scope, r->arg[0], 1))
      PetscCall(RungNodeNumber(scope, 1, node));
    break;
  case RUNG_OP_IF:
    if (is_number(scope, r->arg[0]))
      *node = r->arg[value_of(scope, r->arg[0]) != 0 ? 1 : 2];
    else if (r->arg[1] == r->arg[2])
      *node = r->arg[1];
    break;
  default: break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- tensors ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode fold_scale(RungScope scope, const RungNode *r, PetscInt *node)
{
  const RungNode *B = operand(scope, r, 1);
  PetscInt        arg[2];

  PetscFunctionBegin;
  if (is_value(scope, r->arg[0], 1))
    *node = r->arg[1];
  else if (B->op == RUNG_OP_SCALE) {
    PetscCall(apply(scope, RUNG_OP_MUL, r->arg[0], B->arg[0], &arg[0]));
    arg[1] = B->arg[1];
    PetscCall(RungNodeApply(scope, RUNG_OP_SCALE, 2, arg, NULL, node));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A component of what shows its components. */
static PetscErrorCode fold_index(RungScope scope, const RungNode *r, PetscInt *node)
{
  const RungNode *A        = operand(scope, r, 0);
  PetscInt        index[4] = {-1, -1, -1, -1}, n = 0;

  PetscFunctionBegin;
  if (A->op == RUNG_OP_INDEX) {
    while (n < RUNG_MAX_RANK && A->index[n] >= 0) index[n] = A->index[n], ++n;
    for (PetscInt i = 0; n < RUNG_MAX_RANK; ++i, ++n) index[n] = r->index[i];
    PetscCall(RungNodeApply(scope, RUNG_OP_INDEX, 1, A->arg, index, node));
  } else if (A->op == RUNG_OP_VECTOR) {
    for (PetscInt i = 1; i < RUNG_MAX_RANK; ++i) index[i - 1] = r->index[i];
    if (index[0] < 0)
      *node = A->arg[r->index[0]];
    else
      PetscCall(RungNodeApply(scope, RUNG_OP_INDEX, 1, &A->arg[r->index[0]], index, node));
  } else if (A->op == RUNG_OP_UNIT || (A->op == RUNG_OP_IDENTITY && r->index[1] >= 0)) {
    PetscCall(RungNodeNumber(scope, r->index[0] == (A->op == RUNG_OP_UNIT ? A->index[0] : r->index[1]), node));
  } else if (A->op == RUNG_OP_IDENTITY) {
    PetscCall(RungNodeApply(scope, RUNG_OP_UNIT, 0, NULL, r->index, node));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* tr, det, inv, cofactor, dev, sym, skew and transpose of the identity and of themselves. */
static PetscErrorCode fold_square(RungScope scope, const RungNode *r, PetscInt *node)
{
  const RungOp inside = operand(scope, r, 0)->op;

  PetscFunctionBegin;
  if (inside == RUNG_OP_IDENTITY) {
    if (r->op == RUNG_OP_TRACE)
      PetscCall(RungNodeNumber(scope, (PetscReal)scope->dim, node));
    else if (r->op == RUNG_OP_DET)
      PetscCall(RungNodeNumber(scope, 1, node));
    else if (r->op == RUNG_OP_DEVIATOR || r->op == RUNG_OP_SKEW)
      PetscCall(RungNodeZero(scope, 2, r->shape, -1, node));
    else
      *node = r->arg[0];
  } else if (inside == RUNG_OP_TRANSPOSE && r->op == RUNG_OP_TRANSPOSE) {
    *node = operand(scope, r, 0)->arg[0];
  } else if (inside == r->op && (r->op == RUNG_OP_SYM || r->op == RUNG_OP_SKEW || r->op == RUNG_OP_DEVIATOR)) {
    *node = r->arg[0];
  } else if (inside == RUNG_OP_SYM && r->op == RUNG_OP_TRANSPOSE) {
    *node = r->arg[0];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Derivatives of what does not vary, of x and of t. */
static PetscErrorCode fold_derivative(RungScope scope, const RungNode *r, PetscInt *node)
{
  const RungNode *A     = operand(scope, r, 0);
  const unsigned  moves = r->op == RUNG_OP_DT       ? RUNG_ON_TIME | RUNG_ON_UNKNOWN | RUNG_ON_FIELD
                          : r->op == RUNG_OP_DERIVE ? RUNG_ON_UNKNOWN
                                                    : RUNG_ON_X | RUNG_ON_UNKNOWN | RUNG_ON_FIELD | RUNG_ON_TEST;
  PetscInt        v     = -1;

  PetscFunctionBegin;
  if (r->integral) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < r->args && v < 0; ++i) {
    if (operand(scope, r, i)->arity) v = RungNodeFirstTest(scope, r->arg[i]);
  }
  if (!(A->depends & moves))
    PetscCall(RungNodeZero(scope, r->rank, r->shape, v, node));
  else if (r->op == RUNG_OP_DT && A->op == RUNG_OP_TIME)
    PetscCall(RungNodeNumber(scope, 1, node));
  else if (r->op == RUNG_OP_DT && A->op == RUNG_OP_FIELD) {
    PetscCall(RungScopeFieldRate(scope, A->index[0], &v));
    if (v >= 0) PetscCall(RungNodeTerminal(scope, RUNG_OP_FIELD, v, node));
  } else if (r->op == RUNG_OP_GRAD && A->op == RUNG_OP_X)
    PetscCall(RungNodeTerminal(scope, RUNG_OP_IDENTITY, -1, node));
  else if (r->op == RUNG_OP_DIVERGENCE && A->op == RUNG_OP_X)
    PetscCall(RungNodeNumber(scope, (PetscReal)scope->dim, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fold_diff(RungScope scope, const RungNode *r, PetscInt *node)
{
  const RungNode *A = operand(scope, r, 0);

  PetscFunctionBegin;
  if (r->arg[0] == r->arg[1] && !A->rank)
    PetscCall(RungNodeNumber(scope, 1, node));
  else if (!A->args && r->arg[0] != r->arg[1])
    PetscCall(RungNodeZero(scope, r->rank, r->shape, A->arity ? A->index[0] : -1, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fold_tensor(RungScope scope, const RungNode *r, PetscInt *node)
{
  PetscFunctionBegin;
  switch (r->op) {
  case RUNG_OP_TADD: PetscCall(fold_sum(scope, r, node)); break;
  case RUNG_OP_SCALE: PetscCall(fold_scale(scope, r, node)); break;
  case RUNG_OP_DOT:
    if (is_op(scope, r->arg[0], RUNG_OP_IDENTITY))
      *node = r->arg[1];
    else if (is_op(scope, r->arg[1], RUNG_OP_IDENTITY))
      *node = r->arg[0];
    break;
  case RUNG_OP_INDEX: PetscCall(fold_index(scope, r, node)); break;
  case RUNG_OP_GRAD:
  case RUNG_OP_DIVERGENCE:
  case RUNG_OP_CURL:
  case RUNG_OP_DT:
  case RUNG_OP_DERIVE: PetscCall(fold_derivative(scope, r, node)); break;
  case RUNG_OP_DIFF: PetscCall(fold_diff(scope, r, node)); break;
  case RUNG_OP_EXPLICIT:
    if (is_op(scope, r->arg[0], RUNG_OP_INTEGRAL) && RungNodeIsZero(scope, operand(scope, r, 0)->arg[0]))
      *node = r->arg[0];
    break;
  case RUNG_OP_PLUS:
  case RUNG_OP_MINUS: /* of what does not depend on the cell */
    if (!(operand(scope, r, 0)->depends & ~(unsigned)(RUNG_ON_X | RUNG_ON_TIME | RUNG_ON_CONSTANT))) *node = r->arg[0];
    break;
  case RUNG_OP_TRACE:
  case RUNG_OP_DET:
  case RUNG_OP_INVERSE:
  case RUNG_OP_COFACTOR:
  case RUNG_OP_DEVIATOR:
  case RUNG_OP_SYM:
  case RUNG_OP_SKEW:
  case RUNG_OP_TRANSPOSE: PetscCall(fold_square(scope, r, node)); break;
  default: break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFold(RungScope scope, const RungNode *proto, PetscInt *node)
{
  PetscFunctionBegin;
  *node = -1;
  PetscCall(fold_zeros(scope, proto, node));
  if (*node == -1) PetscCall(fold_numbers(scope, proto, node));
  if (*node == -1 && rung_ops[proto->op].class_ == RUNG_CLASS_SCALAR) PetscCall(fold_scalar(scope, proto, node));
  if (*node == -1 && rung_ops[proto->op].class_ == RUNG_CLASS_TENSOR) PetscCall(fold_tensor(scope, proto, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}
