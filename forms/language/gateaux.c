/* gateaux.c - the derivative of a node by an unknown in a direction, as a node.

   Kernels take derivatives of scalars (derive.c); here derive(E, u, w) itself is written out, so that u can be replaced in
   the result.  Operators linear in an operand pass the derivative on, functions of numbers have their rules in ops.def,
   and

       d det(A) = cof(A) : dA      d inv(A) = -inv(A) dA inv(A)

       d cof(A)^T = tr(dA) I - dA                                                               2D
       d cof(A)^T = A dA + dA A - tr(dA) A - tr(A) dA + (tr(A) tr(dA) - tr(A dA)) I             3D                      */
#include <rungown_room.h>
#include "scope_impl.h"

typedef struct {
  RungScope scope;
  PetscInt  unknown, direction; /* nodes */
  PetscInt *d;                  /* [node] its derivative; RUNG_NO_EXPR: it does not depend on the unknown */
} Gateaux;

static PetscErrorCode call2(RungScope scope, RungOp op, PetscInt a, PetscInt b, PetscInt *node)
{
  const PetscInt arg[] = {a, b};

  PetscFunctionBegin;
  PetscCall(RungNodeCall(scope, op, 2, arg, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode call1(RungScope scope, RungOp op, PetscInt a, PetscInt *node)
{
  PetscFunctionBegin;
  PetscCall(RungNodeCall(scope, op, 1, &a, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *sum += term; nothing is the empty sum */
static PetscErrorCode add(RungScope scope, PetscInt term, PetscInt *sum)
{
  PetscFunctionBegin;
  if (*sum == RUNG_NO_EXPR)
    *sum = term;
  else
    PetscCall(call2(scope, RUNG_OP_ADD, *sum, term, sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The operator with operand i replaced by its derivative (i < 0: all, zero where there is none). */
static PetscErrorCode with_derivative(const Gateaux *g, PetscInt node, PetscInt from, PetscInt i, PetscInt *to)
{
  const RungNode *a = RungScopeNode(g->scope, node);
  PetscInt       *arg;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(a->args, &arg));
  for (PetscInt j = 0; j < a->args; ++j) {
    const RungNode *b = RungScopeNode(g->scope, a->arg[j]);

    arg[j] = a->arg[j];
    if (j < from || (i >= 0 && j != i) || b->op == RUNG_OP_PART) continue;
    arg[j] = g->d[arg[j]];
    if (arg[j] == RUNG_NO_EXPR && a->op == RUNG_OP_SUM) {
      PetscCall(RungNodeNumber(g->scope, 0, &arg[j]));
      PetscCall(RungNodeIntegral(g->scope, arg[j], RUNG_CELLS, -1, -1, &arg[j]));
    } else if (arg[j] == RUNG_NO_EXPR) {
      PetscCall(RungNodeZero(g->scope, b->rank, b->shape, -1, &arg[j]));
    }
  }
  if (a->op == RUNG_OP_SUM)
    PetscCall(RungNodeSumIntegrals(g->scope, a->args, arg, to));
  else
    PetscCall(RungNodeApply(g->scope, a->op, a->args, arg, a->index, to));
  PetscCall(PetscFree(arg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sum_i op(.., d arg_i, ..) over the operands below `args` that depend on the unknown */
static PetscErrorCode product_rule(const Gateaux *g, PetscInt node, PetscInt args, PetscInt *sum)
{
  const RungNode *a = RungScopeNode(g->scope, node);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < args; ++i) {
    PetscInt term;

    if (g->d[a->arg[i]] == RUNG_NO_EXPR) continue;
    PetscCall(with_derivative(g, node, 0, i, &term));
    PetscCall(add(g->scope, term, sum));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Column d of ops.def: sum_i rule_i(arg, r) d arg_i */
static PetscErrorCode chain_rule(const Gateaux *g, PetscInt node, PetscInt *sum)
{
  const RungNode *a = RungScopeNode(g->scope, node);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < a->args; ++i) {
    PetscInt factor, operand;

    if (g->d[a->arg[i]] == RUNG_NO_EXPR) continue;
    PetscCall(RungScopeParseRule(g->scope, rung_ops[a->op].d[i], &factor));
    for (PetscInt j = 0; j < 4 && factor >= 0; ++j) {
      if (j < 3 && j >= a->args) continue;
      PetscCall(RungNodeTerminal(g->scope, RUNG_OP_OPERAND, j, &operand));
      PetscCall(RungNodeSubstitute(g->scope, factor, operand, j < 3 ? a->arg[j] : node, PETSC_FALSE, &factor));
    }
    PetscCall(call2(g->scope, RUNG_OP_MUL, factor, g->d[a->arg[i]], &factor));
    PetscCall(add(g->scope, factor, sum));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- det, inv, cofactor ------------------------------------------------------------------------------------------ */

static PetscErrorCode derive_det(const Gateaux *g, PetscInt A, PetscInt dA, PetscInt *to)
{
  PetscFunctionBegin;
  PetscCall(call1(g->scope, RUNG_OP_COFACTOR, A, to));
  PetscCall(call2(g->scope, RUNG_OP_INNER, *to, dA, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode derive_inverse(const Gateaux *g, PetscInt inverse, PetscInt dA, PetscInt *to)
{
  PetscFunctionBegin;
  PetscCall(call2(g->scope, RUNG_OP_DOT, inverse, dA, to));
  PetscCall(call2(g->scope, RUNG_OP_DOT, *to, inverse, to));
  PetscCall(call1(g->scope, RUNG_OP_NEG, *to, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The identity of size m, which is not d where A is no tensor of the mesh's axes. */
static PetscErrorCode identity(RungScope scope, PetscInt m, PetscInt *to)
{
  PetscInt row[3], entry[3];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < m; ++i) {
    for (PetscInt j = 0; j < m; ++j) PetscCall(RungNodeNumber(scope, i == j, &entry[j]));
    PetscCall(RungNodeCall(scope, RUNG_OP_VECTOR, m, entry, &row[i]));
  }
  PetscCall(RungNodeCall(scope, RUNG_OP_VECTOR, m, row, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode derive_cofactor(const Gateaux *g, PetscInt A, PetscInt dA, PetscInt *to)
{
  const RungScope scope = g->scope;
  const RungNode *a     = RungScopeNode(scope, A);
  PetscInt        trA, trdA, scale, term, AdA, dAA;

  PetscFunctionBegin;
  if (a->shape[0] == 1) {
    PetscCall(RungNodeZero(scope, 2, a->shape, -1, to));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(call1(scope, RUNG_OP_TRACE, A, &trA));
  PetscCall(call1(scope, RUNG_OP_TRACE, dA, &trdA));
  PetscCall(identity(scope, a->shape[0], to));
  scale = trdA;
  if (a->shape[0] == 3) {
    PetscCall(call2(scope, RUNG_OP_DOT, A, dA, &AdA));
    PetscCall(call2(scope, RUNG_OP_DOT, dA, A, &dAA));
    PetscCall(call2(scope, RUNG_OP_MUL, trA, trdA, &scale));
    PetscCall(call1(scope, RUNG_OP_TRACE, AdA, &term));
    PetscCall(call1(scope, RUNG_OP_NEG, term, &term));
    PetscCall(add(scope, term, &scale));
  }
  PetscCall(call2(scope, RUNG_OP_MUL, scale, *to, to));
  PetscCall(RungNodeNumber(scope, -1, &term));
  if (a->shape[0] == 3) PetscCall(call2(scope, RUNG_OP_MUL, term, trA, &term));
  PetscCall(call2(scope, RUNG_OP_MUL, term, dA, &term));
  PetscCall(add(scope, term, to));
  if (a->shape[0] == 3) {
    PetscCall(add(scope, AdA, to));
    PetscCall(add(scope, dAA, to));
    PetscCall(call2(scope, RUNG_OP_MUL, trdA, A, &term));
    PetscCall(call1(scope, RUNG_OP_NEG, term, &term));
    PetscCall(add(scope, term, to));
  }
  PetscCall(call1(scope, RUNG_OP_TRANSPOSE, *to, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- all operators ----------------------------------------------------------------------------------------------- */

static PetscErrorCode derive_quotient(const Gateaux *g, PetscInt node, PetscInt *sum)
{
  const RungNode *a = RungScopeNode(g->scope, node);
  PetscInt        term;

  PetscFunctionBegin;
  PetscCall(product_rule(g, node, 1, sum)); /* da / b */
  if (g->d[a->arg[1]] == RUNG_NO_EXPR) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(call2(g->scope, RUNG_OP_MUL, node, g->d[a->arg[1]], &term)); /* -(a/b) db / b */
  PetscCall(call2(g->scope, RUNG_OP_DIV, term, a->arg[1], &term));
  PetscCall(call1(g->scope, RUNG_OP_NEG, term, &term));
  PetscCall(add(g->scope, term, sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode derive_node(const Gateaux *g, PetscInt node, PetscInt *to)
{
  const RungNode *a    = RungScopeNode(g->scope, node);
  const int       kind = rung_ops[a->op].test & ~RUNG_COMMUTES;
  PetscBool       some = PETSC_FALSE;

  PetscFunctionBegin;
  *to = node == g->unknown ? g->direction : RUNG_NO_EXPR;
  for (PetscInt i = 0; i < a->args; ++i) some = some || g->d[a->arg[i]] != RUNG_NO_EXPR ? PETSC_TRUE : PETSC_FALSE;
  if (a->op == RUNG_OP_DIFF &&
      g->d[RungScopeVariableValue(g->scope, RungScopeNode(g->scope, a->arg[1])->index[0])] != RUNG_NO_EXPR) {
    PetscCall(RungScopeFail(g->scope, to,
                            "\"%s\" cannot be replaced under derive() of diff(); write one of the two out",
                            RungScopeUnknownName(g->scope, RungScopeNode(g->scope, g->unknown)->index[0])));
  } else if (!some) {
    PetscFunctionReturn(PETSC_SUCCESS);
  } else if (a->op == RUNG_OP_DERIVE) {
    PetscCall(RungNodeGateaux(g->scope, a->arg[0], a->arg[1], a->arg[2], to));
    if (*to >= 0) PetscCall(RungNodeGateaux(g->scope, *to, g->unknown, g->direction, to));
  } else if (a->op == RUNG_OP_DIV)
    PetscCall(derive_quotient(g, node, to));
  else if (a->op == RUNG_OP_DET)
    PetscCall(derive_det(g, a->arg[0], g->d[a->arg[0]], to));
  else if (a->op == RUNG_OP_INVERSE)
    PetscCall(derive_inverse(g, node, g->d[a->arg[0]], to));
  else if (a->op == RUNG_OP_COFACTOR)
    PetscCall(derive_cofactor(g, a->arg[0], g->d[a->arg[0]], to));
  else if (kind == RUNG_ADDITIVE || a->op == RUNG_OP_VALUE)
    PetscCall(with_derivative(g, node, 0, -1, to));
  else if (kind == RUNG_BRANCHES)
    PetscCall(with_derivative(g, node, 1, -1, to));
  else if (kind == RUNG_MULTILINEAR || kind == RUNG_FIRST || a->op == RUNG_OP_DT)
    PetscCall(product_rule(g, node, a->args, to));
  else
    PetscCall(chain_rule(g, node, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNodeGateaux(RungScope scope, PetscInt root, PetscInt unknown, PetscInt direction, PetscInt *node)
{
  Gateaux             g     = {scope, unknown, direction, NULL};
  RUNG_FREE PetscInt *nodes = NULL, *d = NULL;
  PetscInt            n, bad           = 0;

  PetscFunctionBegin;
  PetscCall(RungNodeReach(scope, root, &n, &nodes));
  PetscCall(PetscMalloc1(root + 1, &d));
  g.d = d;
  for (PetscInt i = 0; i < n && bad >= 0; ++i) {
    PetscCall(derive_node(&g, nodes[i], &g.d[nodes[i]]));
    if (g.d[nodes[i]] < 0 && g.d[nodes[i]] != RUNG_NO_EXPR) bad = g.d[nodes[i]];
  }
  *node = bad < 0 ? bad : g.d[root];
  if (*node == RUNG_NO_EXPR) { /* E does not depend on u */
    const RungNode *a = RungScopeNode(scope, root);

    PetscCall(RungNodeZero(scope, a->rank, a->shape, -1, node));
    if (a->integral) PetscCall(RungNodeIntegral(scope, *node, RUNG_CELLS, -1, -1, node));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
