/* build.c - operators on arguments as they are written: by the parser, and by programs through the builders.

   Written operators and nodes differ a little (ops.def says how): + and * choose between scalars, tensors and
   integrals, if() and noise() go into components, a factor moves under the integral.  Text and builder meet here, so
   that they make the same nodes. */
#include <rungown_room.h>
#include "scope_impl.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const RungNode *look(RungScope scope, PetscInt node)
{
  return RungScopeNode(scope, node);
}

static PetscErrorCode apply2(RungScope scope, RungOp op, PetscInt a, PetscInt b, PetscInt *node)
{
  const PetscInt arg[] = {a, b};

  PetscFunctionBegin;
  PetscCall(RungNodeApply(scope, op, 2, arg, NULL, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- integrals -------------------------------------------------------------------------------------------------- */

PetscErrorCode RungNodeIntegral(RungScope scope, PetscInt integrand, PetscInt domain, PetscInt degree, PetscInt part,
                                PetscInt *node)
{
  const PetscInt index[RUNG_MAX_RANK] = {domain, degree, part, -1};

  PetscFunctionBegin;
  PetscCall(RungNodeApply(scope, RUNG_OP_INTEGRAL, 1, &integrand, index, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_nothing(RungScope scope, PetscInt node)
{
  const RungNode *a = look(scope, node);

  return a->op == RUNG_OP_INTEGRAL && RungNodeIsZero(scope, a->arg[0]) ? PETSC_TRUE : PETSC_FALSE;
}

/* One flat sum; integrals of zero are left out unless nothing else is there. */
PetscErrorCode RungNodeSumIntegrals(RungScope scope, PetscInt n, const PetscInt term[], PetscInt *node)
{
  PetscInt *all, total = 0, kept = 0, zero = -1;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) {
    *node = term[i];
    if (term[i] < 0) PetscFunctionReturn(PETSC_SUCCESS);
    total += PetscMax(1, look(scope, term[i])->args);
  }
  PetscCall(PetscMalloc1(total, &all));
  for (PetscInt i = 0; i < n; ++i) {
    const RungNode *a     = look(scope, term[i]);
    const PetscBool sum   = a->op == RUNG_OP_SUM ? PETSC_TRUE : PETSC_FALSE;
    const PetscInt  terms = sum ? a->args : 1;

    for (PetscInt j = 0; j < terms; ++j) {
      const PetscInt k = sum ? a->arg[j] : term[i];

      if (!is_nothing(scope, k))
        all[kept++] = k;
      else if (zero < 0 || (look(scope, k)->arity && !look(scope, zero)->arity))
        zero = k;
    }
  }
  if (!kept)
    *node = zero;
  else if (kept == 1)
    *node = all[0];
  else
    PetscCall(RungNodeApply(scope, RUNG_OP_SUM, kept, all, NULL, node));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* op(factor, integral): MUL, DIV (factor below) or NEG, moved under the integral. */
static PetscErrorCode scale_integral(RungScope scope, RungOp op, PetscInt factor, PetscInt integral, PetscInt *node)
{
  const RungNode *a = look(scope, integral);
  PetscInt       *arg;

  PetscFunctionBegin;
  if (!a->integral) {
    const PetscInt pair[] = {op == RUNG_OP_MUL ? factor : integral, op == RUNG_OP_MUL ? integral : factor};

    PetscCall(RungNodeCall(scope, op, op == RUNG_OP_NEG ? 1 : 2, pair, node));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(a->args, &arg));
  *node = 0;
  for (PetscInt i = 0; i < a->args && *node >= 0; ++i) {
    arg[i] = a->arg[i];
    if (i == 0 || a->op == RUNG_OP_SUM) PetscCall(scale_integral(scope, op, factor, a->arg[i], &arg[i]));
    *node = arg[i];
  }
  if (*node >= 0) {
    if (a->op == RUNG_OP_SUM)
      PetscCall(RungNodeSumIntegrals(scope, a->args, arg, node));
    else
      PetscCall(RungNodeApply(scope, a->op, a->args, arg, a->index, node));
  }
  PetscCall(PetscFree(arg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode factor_of_integral(RungScope scope, RungOp op, PetscInt factor, PetscInt integral, PetscInt *node)
{
  const RungNode *f = look(scope, factor);

  PetscFunctionBegin;
  if (f->integral) {
    PetscCall(RungScopeFail(scope, node, "a %s of two integrals; a form is a sum of integrals",
                            op == RUNG_OP_MUL ? "product" : "quotient"));
  } else if (f->rank || f->depends & ~(unsigned)(RUNG_ON_TIME | RUNG_ON_CONSTANT)) {
    PetscCall(RungScopeFail(
      scope, node,
      "an integral times something that varies in space; only numbers, constants and t stand outside, the "
      "rest goes before the measure"));
  } else {
    PetscCall(scale_integral(scope, op, factor, integral, node));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- arithmetic ------------------------------------------------------------------------------------------------- */

static PetscErrorCode call_sum(RungScope scope, PetscInt a, PetscInt b, PetscInt *node)
{
  const PetscInt  both[] = {a, b};
  const RungNode *A = look(scope, a), *B = look(scope, b);

  PetscFunctionBegin;
  if (A->integral && B->integral)
    PetscCall(RungNodeSumIntegrals(scope, 2, both, node));
  else if (A->integral || B->integral) {
    PetscCall(RungScopeFail(scope, node,
                            "a sum of an integral and a point value; multiply the point value by a measure, like dx"));
  } else {
    PetscCall(apply2(scope, A->rank || B->rank ? RUNG_OP_TADD : RUNG_OP_ADD, a, b, node));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode call_negative(RungScope scope, PetscInt a, PetscInt *node)
{
  PetscInt minus;

  PetscFunctionBegin;
  if (look(scope, a)->integral)
    PetscCall(scale_integral(scope, RUNG_OP_NEG, -1, a, node));
  else if (look(scope, a)->rank) {
    PetscCall(RungNodeNumber(scope, -1, &minus));
    PetscCall(apply2(scope, RUNG_OP_SCALE, minus, a, node));
  } else {
    PetscCall(RungNodeApply(scope, RUNG_OP_NEG, 1, &a, NULL, node));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode call_product(RungScope scope, PetscInt a, PetscInt b, PetscInt *node)
{
  const RungNode *A = look(scope, a), *B = look(scope, b);

  PetscFunctionBegin;
  if (A->integral)
    PetscCall(factor_of_integral(scope, RUNG_OP_MUL, b, a, node));
  else if (B->integral)
    PetscCall(factor_of_integral(scope, RUNG_OP_MUL, a, b, node));
  else if (B->rank)
    PetscCall(apply2(scope, RUNG_OP_SCALE, a, b, node));
  else if (A->rank)
    PetscCall(apply2(scope, RUNG_OP_SCALE, b, a, node));
  else
    PetscCall(apply2(scope, RUNG_OP_MUL, a, b, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode call_quotient(RungScope scope, PetscInt a, PetscInt b, PetscInt *node)
{
  const RungNode *A = look(scope, a), *B = look(scope, b);
  PetscInt        one;

  PetscFunctionBegin;
  if (B->integral)
    PetscCall(RungScopeFail(scope, node, "a division by an integral; a form is a sum of integrals"));
  else if (B->rank)
    PetscCall(RungScopeFail(scope, node, "a quotient wants a scalar below, got %s", RungNodeShapeText(B).text));
  else if (A->integral)
    PetscCall(factor_of_integral(scope, RUNG_OP_DIV, b, a, node));
  else if (A->rank) {
    PetscCall(RungNodeNumber(scope, 1, &one));
    PetscCall(apply2(scope, RUNG_OP_DIV, one, b, &one));
    PetscCall(apply2(scope, RUNG_OP_SCALE, one, a, node));
  } else {
    PetscCall(apply2(scope, RUNG_OP_DIV, a, b, node));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- functions whose arguments need care ------------------------------------------------------------------------ */

PetscErrorCode RungNodeIndex(RungScope scope, PetscInt a, PetscInt n, const PetscInt index[], PetscInt *node)
{
  PetscInt all[RUNG_MAX_RANK] = {-1, -1, -1, -1};

  PetscFunctionBegin;
  *node = 0;
  if (n < 1 || n > RUNG_MAX_RANK) {
    PetscCall(RungScopeFail(scope, node, "%" PetscInt_FMT " indices; a value has at most %d", n, RUNG_MAX_RANK));
  } else if (!index) {
    PetscCall(RungScopeFail(scope, node, "RungIndex() was called with index = NULL; it wants the address of numbers"));
  }
  for (PetscInt i = 0; i < n && *node >= 0; ++i) {
    all[i] = index[i];
    if (index[i] < 0) PetscCall(RungScopeFail(scope, node, "index %" PetscInt_FMT "; indices count from 0", index[i]));
  }
  if (*node >= 0) PetscCall(RungNodeApply(scope, RUNG_OP_INDEX, 1, &a, all, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* if(c, A, B) of tensors, component by component */
static PetscErrorCode call_if(RungScope scope, PetscInt c, PetscInt a, PetscInt b, PetscInt *node)
{
  const RungNode *A = look(scope, a), *B = look(scope, b);
  const PetscInt  n = A->rank ? A->shape[0] : 0, arg[] = {c, a, b};
  PetscInt       *part;

  PetscFunctionBegin;
  if (!A->rank || !RungNodeSameShape(A, B)) {
    if (!A->rank && !B->rank)
      PetscCall(RungNodeApply(scope, RUNG_OP_IF, 3, arg, NULL, node));
    else {
      PetscCall(RungScopeFail(scope, node, "if() wants two values of one shape, got %s and %s",
                              RungNodeShapeText(A).text, RungNodeShapeText(B).text));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(n, &part));
  *node = 0;
  for (PetscInt i = 0; i < n && *node >= 0; ++i) {
    PetscInt ai, bi;

    PetscCall(RungNodeIndex(scope, a, 1, &i, &ai));
    PetscCall(RungNodeIndex(scope, b, 1, &i, &bi));
    *node = PetscMin(ai, bi);
    if (*node >= 0) PetscCall(call_if(scope, c, ai, bi, &part[i]));
    if (*node >= 0) *node = part[i];
  }
  if (*node >= 0) PetscCall(RungNodeApply(scope, RUNG_OP_VECTOR, n, part, NULL, node));
  PetscCall(PetscFree(part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* noise of a vector is that of its components */
static PetscErrorCode call_noise(RungScope scope, PetscInt n, const PetscInt arg[], PetscInt *node)
{
  const RungNode *A = look(scope, arg[0]);
  PetscInt        three[3];

  PetscFunctionBegin;
  if (n == 1 && A->rank == 1 && !A->integral && A->shape[0] <= 3) n = A->shape[0];
  for (PetscInt i = 0; i < 3; ++i) {
    if (i >= n)
      PetscCall(RungNodeNumber(scope, 0, &three[i]));
    else if (A->rank == 1)
      PetscCall(RungNodeIndex(scope, arg[0], 1, &i, &three[i]));
    else
      three[i] = arg[i];
  }
  PetscCall(RungNodeApply(scope, RUNG_OP_NOISE, 3, three, NULL, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An argument that is an integer; -1 where it is none. */
static PetscInt integer_of(RungScope scope, PetscInt node)
{
  const RungNode *a = look(scope, node);

  if (a->op != RUNG_OP_NUMBER || a->rank || a->arity || a->number < 0 || a->number > 1e6 ||
      a->number != floor(a->number))
    return -1;
  return (PetscInt)a->number;
}

static PetscErrorCode call_dt(RungScope scope, PetscInt n, const PetscInt arg[], PetscInt *node)
{
  const PetscInt times = n > 1 ? integer_of(scope, arg[1]) : 1;

  PetscFunctionBegin;
  *node = arg[0];
  if (times < 0 || times > 100)
    PetscCall(RungScopeFail(scope, node, "dt() wants a whole number as second argument, the order"));
  for (PetscInt i = 0; i < times && *node >= 0; ++i) PetscCall(RungNodeApply(scope, RUNG_OP_DT, 1, node, NULL, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The order of a Bessel function is a number; in derivative rules it is made of the operand. */
static PetscErrorCode check_order(RungScope scope, RungOp op, PetscInt order, PetscInt *bad)
{
  const RungNode *a    = look(scope, order);
  const PetscBool rule = a->op != RUNG_OP_NUMBER && !a->depends && !a->rank ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  *bad = 0;
  if (!rule && (a->op != RUNG_OP_NUMBER || a->rank || fabs((double)a->number) > 1000 || a->number != floor(a->number)))
    PetscCall(RungScopeFail(scope, bad, "%s() wants a whole number as first argument, the order", rung_ops[op].name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode call_unit(RungScope scope, PetscInt arg, PetscInt *node)
{
  const PetscInt index[RUNG_MAX_RANK] = {integer_of(scope, arg), -1, -1, -1};

  PetscFunctionBegin;
  if (index[0] < 0)
    PetscCall(RungScopeFail(scope, node, "unit() wants a whole number, the axis, counted from 0"));
  else
    PetscCall(RungNodeApply(scope, RUNG_OP_UNIT, 0, NULL, index, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode call_derive(RungScope scope, PetscInt n, const PetscInt arg[], PetscInt *node)
{
  const RungNode *u        = look(scope, arg[1]);
  PetscInt        three[3] = {arg[0], arg[1], n > 2 ? arg[2] : arg[1]};

  PetscFunctionBegin;
  if (n == 2 && u->op == RUNG_OP_UNKNOWN) PetscCall(RungNodeTerminal(scope, RUNG_OP_TEST, u->index[0], &three[2]));
  PetscCall(RungNodeApply(scope, RUNG_OP_DERIVE, 3, three, NULL, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By nodes: the second argument is replaced by a variable wherever it stands in the first, but not under derivatives in
   space and time, which are variables of their own. */
static PetscErrorCode call_diff(RungScope scope, PetscInt w, PetscInt f, PetscInt *node)
{
  PetscInt pair[2];

  PetscFunctionBegin;
  if (look(scope, f)->integral || look(scope, f)->arity) {
    PetscCall(RungScopeFail(scope, node, "diff() by %s; it differentiates by point values",
                            look(scope, f)->integral ? "an integral" : "a test function"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungNodeVariable(scope, f, 0, &pair[1]));
  PetscCall(RungNodeSubstitute(scope, w, f, pair[1], PETSC_TRUE, &pair[0]));
  PetscCall(RungNodeApply(scope, RUNG_OP_DIFF, 2, pair, NULL, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- any operator ----------------------------------------------------------------------------------------------- */

static PetscErrorCode check_count(RungScope scope, RungOp op, PetscInt n, PetscInt *bad)
{
  const PetscInt min = op == RUNG_OP_NOISE ? 1 : rung_ops[op].min, max = rung_ops[op].max;
  char           wanted[48];

  PetscFunctionBegin;
  *bad = 0;
  if (n >= min && (max < 0 || n <= max)) PetscFunctionReturn(PETSC_SUCCESS);
  if (max < 0)
    snprintf(wanted, sizeof wanted, "at least %" PetscInt_FMT, min);
  else if (max == min)
    snprintf(wanted, sizeof wanted, "%" PetscInt_FMT, min);
  else
    snprintf(wanted, sizeof wanted, "%" PetscInt_FMT " to %" PetscInt_FMT, min, max);
  PetscCall(RungScopeFail(scope, bad, "%s() wants %s argument%s, got %" PetscInt_FMT, rung_ops[op].name, wanted,
                          max == 1 || (max < 0 && min == 1) ? "" : "s", n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNodeCall(RungScope scope, RungOp op, PetscInt n, const PetscInt arg[], PetscInt *node)
{
  PetscFunctionBegin;
  PetscCall(check_count(scope, op, n, node));
  for (PetscInt i = 0; i < n && *node >= 0; ++i) {
    if (arg[i] == RUNG_NO_EXPR)
      PetscCall(RungScopeFail(scope, node, "an empty sum as argument of \"%s\"", rung_ops[op].name));
    else if (arg[i] < 0)
      *node = arg[i];
  }
  if (*node < 0) PetscFunctionReturn(PETSC_SUCCESS);
  switch (op) {
  case RUNG_OP_ADD: PetscCall(call_sum(scope, arg[0], arg[1], node)); break;
  case RUNG_OP_NEG: PetscCall(call_negative(scope, arg[0], node)); break;
  case RUNG_OP_MUL: PetscCall(call_product(scope, arg[0], arg[1], node)); break;
  case RUNG_OP_DIV: PetscCall(call_quotient(scope, arg[0], arg[1], node)); break;
  case RUNG_OP_INNER:
    if (look(scope, arg[0])->rank || look(scope, arg[1])->rank || look(scope, arg[0])->integral ||
        look(scope, arg[1])->integral) /* the last two are refused, by this name */
      PetscCall(RungNodeApply(scope, op, n, arg, NULL, node));
    else
      PetscCall(RungNodeApply(scope, RUNG_OP_MUL, n, arg, NULL, node));
    break;
  case RUNG_OP_IF: PetscCall(call_if(scope, arg[0], arg[1], arg[2], node)); break;
  case RUNG_OP_NOISE: PetscCall(call_noise(scope, n, arg, node)); break;
  case RUNG_OP_DT: PetscCall(call_dt(scope, n, arg, node)); break;
  case RUNG_OP_VALUE:
  case RUNG_OP_TABLE:
    PetscCall(RungScopeFail(scope, node, "\"%s\" has named arguments; build it with %s", rung_ops[op].name,
                            op == RUNG_OP_VALUE ? "RungPerPart" : "RungTable"));
    break;
  case RUNG_OP_JN:
  case RUNG_OP_YN:
    PetscCall(check_order(scope, op, arg[0], node));
    if (*node >= 0) PetscCall(RungNodeApply(scope, op, n, arg, NULL, node));
    break;
  case RUNG_OP_UNIT: PetscCall(call_unit(scope, arg[0], node)); break;
  case RUNG_OP_DERIVE: PetscCall(call_derive(scope, n, arg, node)); break;
  case RUNG_OP_DIFF: PetscCall(call_diff(scope, arg[0], arg[1], node)); break;
  case RUNG_OP_JUMP: PetscCall(RungSidesJump(scope, n, arg, node)); break;
  case RUNG_OP_AVG: PetscCall(RungSidesAverage(scope, arg[0], node)); break;
  default: PetscCall(RungNodeApply(scope, op, n, arg, NULL, node)); break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- builders --------------------------------------------------------------------------------------------------- */

/* A builder cannot return an error code: what PETSc has raised (memory) becomes an error node as well. */
static RungExpr result(RungScope scope, PetscErrorCode raised, const PetscInt *node)
{
  return (RungExpr){scope, raised ? PETSC_MIN_INT : *node};
}

/* The message of a new error gets the operator's name and the arguments. */
static PetscErrorCode call_named(RungScope scope, RungOp op, PetscInt n, const PetscInt arg[], PetscInt *node)
{
  const PetscInt errors              = scope->error.n;
  char           where[RUNG_MESSAGE] = "", *text;

  PetscFunctionBegin;
  scope->place.text = -1;
  PetscCall(RungNodeCall(scope, op, n, arg, node));
  if (*node >= 0 || scope->error.n == errors) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < n; ++i) {
    const size_t used = strlen(where);

    if (arg[i] < 0) continue;
    PetscCall(RungExprToText((RungExpr){scope, arg[i]}, &text));
    snprintf(where + used, sizeof where - used, "%s%.60s%s", used ? ", " : "", text, strlen(text) > 60 ? ".." : "");
    PetscCall(PetscFree(text));
  }
  PetscCall(
    RungScopeFail(scope, node, "%s\n    in \"%s\" of %s", RungScopeError(scope, *node), rung_ops[op].name, where));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode call_expr(RungScope scope, RungOp op, PetscInt n, const RungExpr arg[], PetscInt *node)
{
  RUNG_FREE PetscInt *list = NULL;

  PetscFunctionBegin;
  *node = 0;
  for (PetscInt i = 0; i < n && *node >= 0; ++i) {
    if (arg[i].scope != scope)
      PetscCall(RungScopeFail(scope, node, "\"%s\" of expressions of two scopes", rung_ops[op].name));
  }
  if (*node < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(PetscMax(1, n), &list));
  for (PetscInt i = 0; i < n; ++i) list[i] = arg[i].node;
  PetscCall(call_named(scope, op, n, list, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static RungExpr build(RungOp op, PetscInt n, const RungExpr arg[])
{
  const RungScope scope = n > 0 && arg ? arg[0].scope : NULL;
  PetscInt        node  = 0;

  if (!scope) return (RungExpr){NULL, PETSC_MIN_INT};
  return result(scope, call_expr(scope, op, n, arg, &node), &node);
}

static RungExpr build2(RungOp op, RungExpr a, RungExpr b)
{
  return build(op, 2, (const RungExpr[]){a, b});
}

/* Nothing, the empty sum, is neutral in sums and stays nothing in products. */
static PetscBool nothing(RungExpr a)
{
  return a.node == RUNG_NO_EXPR ? PETSC_TRUE : PETSC_FALSE;
}

RungExpr RungAdd(RungExpr a, RungExpr b)
{
  return nothing(a) ? b : nothing(b) ? a : build2(RUNG_OP_ADD, a, b);
}
RungExpr RungSub(RungExpr a, RungExpr b)
{
  return nothing(b) ? a : RungAdd(a, build(RUNG_OP_NEG, 1, &b));
}
RungExpr RungMul(RungExpr a, RungExpr b)
{
  return nothing(a) ? a : nothing(b) ? b : build2(RUNG_OP_MUL, a, b);
}
RungExpr RungDiv(RungExpr a, RungExpr b)
{
  return nothing(a) ? a : build2(RUNG_OP_DIV, a, b);
}
RungExpr RungPow(RungExpr a, RungExpr b)
{
  return build2(RUNG_OP_POW, a, b);
}
RungExpr RungInner(RungExpr a, RungExpr b)
{
  return build2(RUNG_OP_INNER, a, b);
}
RungExpr RungDot(RungExpr a, RungExpr b)
{
  return build2(RUNG_OP_DOT, a, b);
}
RungExpr RungGrad(RungExpr a)
{
  return build(RUNG_OP_GRAD, 1, &a);
}
RungExpr RungDt(RungExpr a)
{
  return build(RUNG_OP_DT, 1, &a);
}
RungExpr RungDerive(RungExpr a, RungExpr wrt)
{
  return nothing(a) ? a : build2(RUNG_OP_DERIVE, a, wrt);
}
RungExpr RungVector(PetscInt n, const RungExpr component[])
{
  return build(RUNG_OP_VECTOR, n, component);
}

RungExpr RungNumber(RungScope scope, PetscReal value)
{
  PetscInt node = 0;

  if (!scope) return (RungExpr){NULL, PETSC_MIN_INT};
  scope->place.text = -1;
  return result(scope, RungNodeNumber(scope, value, &node), &node);
}

static PetscErrorCode call_by_name(RungScope scope, const char name[], PetscInt n, const RungExpr arg[], PetscInt *node)
{
  static const RungOp mark[] = {RUNG_OP_ADD, RUNG_OP_MUL, RUNG_OP_DIV, RUNG_OP_POW, RUNG_OP_LT,
                                RUNG_OP_LE,  RUNG_OP_GT,  RUNG_OP_GE,  RUNG_OP_EQ,  RUNG_OP_NE};
  RungOp              op     = RungOpFind(name, strlen(name));
  char                nearest[RUNG_MESSAGE];
  PetscInt            minus;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(mark); ++i) {
    if (!strcmp(name, rung_ops[mark[i]].name)) op = mark[i];
  }
  if (!strcmp(name, "-")) op = RUNG_OP_NEG;
  if (op == RUNG_OPS || rung_ops[op].class_ == RUNG_CLASS_TERMINAL) {
    PetscCall(RungScopeSuggest(scope, name, PETSC_TRUE, NULL, nearest));
    PetscCall(RungScopeFail(scope, node, "\"%.60s\" is not an operator%s", name, nearest));
  } else if (op == RUNG_OP_NEG && n == 2) {
    PetscCall(call_expr(scope, op, 1, &arg[1], &minus));
    PetscCall(call_expr(scope, RUNG_OP_ADD, 2, (const RungExpr[]){arg[0], {scope, minus}}, node));
  } else {
    PetscCall(call_expr(scope, op, n, arg, node));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RungExpr RungCall(const char op[], PetscInt n, const RungExpr arg[])
{
  const RungScope scope = n > 0 && arg ? arg[0].scope : NULL;
  PetscInt        node  = 0;

  if (!scope) return (RungExpr){NULL, PETSC_MIN_INT};
  if (!op) return result(scope, RungScopeFail(scope, &node, "an operator without a name"), &node);
  return result(scope, call_by_name(scope, op, n, arg, &node), &node);
}

RungExpr RungIndex(RungExpr a, PetscInt n, const PetscInt index[])
{
  PetscInt node = a.node;

  if (!a.scope || a.node < 0) return a;
  a.scope->place.text = -1;
  return result(a.scope, RungNodeIndex(a.scope, a.node, n, index, &node), &node);
}

RungExpr RungSubstitute(RungExpr a, RungExpr from, RungExpr to)
{
  PetscInt node = a.node;

  if (!a.scope || a.node < 0) return a;
  if (from.node < 0) return from;
  if (to.node < 0) return to;
  a.scope->place.text = -1;
  if (from.scope != a.scope || to.scope != a.scope) {
    return result(a.scope, RungScopeFail(a.scope, &node, "a substitution between two scopes"), &node);
  }
  if (!RungNodeSameShape(look(a.scope, from.node), look(a.scope, to.node))) {
    return result(a.scope,
                  RungScopeFail(a.scope, &node, "a substitution wants two expressions of one shape, got %s and %s",
                                RungNodeShapeText(look(a.scope, from.node)).text,
                                RungNodeShapeText(look(a.scope, to.node)).text),
                  &node);
  }
  return result(a.scope, RungNodeSubstitute(a.scope, a.node, from.node, to.node, PETSC_FALSE, &node), &node);
}

static PetscErrorCode integrate(RungExpr a, RungDomain domain, const char part[], PetscInt degree, PetscInt *node)
{
  PetscInt number = -1;

  PetscFunctionBegin;
  a.scope->place.text = -1;
  if ((int)domain < 0 || (int)domain >= RUNG_DOMAINS) {
    PetscCall(
      RungScopeFail(a.scope, node, "an integral over domain %d; there are RUNG_CELLS, RUNG_BOUNDARY, ..", (int)domain));
  } else if (part && part[0] && strpbrk(part, "\"\n")) {
    PetscCall(
      RungScopeFail(a.scope, node, "the part \"%.60s\"; names of parts have no quotes and no line breaks", part));
  } else if (degree < -1 || degree > RUNG_QUADRATURE_MOST) {
    PetscCall(RungScopeFail(a.scope, node,
                            "a quadrature degree of %" PetscInt_FMT "; it is between 0 and %d, or -1 for an estimate",
                            degree, RUNG_QUADRATURE_MOST));
  } else {
    if (part && part[0]) PetscCall(RungScopeAddString(a.scope, part, strlen(part), &number));
    PetscCall(RungNodeIntegral(a.scope, a.node, (PetscInt)domain, degree, number, node));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RungExpr RungIntegrate(RungExpr integrand, RungDomain domain, const char part[], PetscInt degree)
{
  PetscInt node = 0;

  if (!integrand.scope || integrand.node < 0) return integrand;
  return result(integrand.scope, integrate(integrand, domain, part, degree, &node), &node);
}

/* ---- questions to an expression --------------------------------------------------------------------------------- */

PetscErrorCode RungExprCheck(RungExpr a)
{
  PetscFunctionBegin;
  PetscCheck(a.scope, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "an expression without a scope");
  PetscCheck(a.node >= 0, a.scope->comm, a.node == PETSC_MIN_INT ? PETSC_ERR_MEM : PETSC_ERR_USER_INPUT, "%s",
             RungScopeError(a.scope, a.node));
  PetscCheck(a.node < a.scope->nodes, a.scope->comm, PETSC_ERR_ARG_WRONG, "an expression that its scope does not know");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExprGetShape(RungExpr a, PetscInt *rank, PetscInt shape[2], PetscBool *integral, PetscInt *arity)
{
  const RungNode *node;

  PetscFunctionBegin;
  PetscCall(RungExprCheck(a));
  node = look(a.scope, a.node);
  if (rank) *rank = node->rank;
  if (shape) {
    for (PetscInt i = 0; i < 2; ++i) shape[i] = node->shape[i];
  }
  if (integral) *integral = node->integral;
  if (arity) *arity = node->arity;
  PetscFunctionReturn(PETSC_SUCCESS);
}
