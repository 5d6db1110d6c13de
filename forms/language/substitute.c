/* substitute.c - the same expression with another operand in it, and what of a residual is a time derivative. */
#include <rungown_room.h>
#include "rungnodal_room.h"
#include "scope_impl.h"

/* ---- substitution ----------------------------------------------------------------------------------------------- */

static PetscErrorCode holds(RungScope scope, PetscInt root, PetscInt node, PetscBool *yes)
{
  PetscInt            n;
  RUNG_FREE PetscInt *nodes = NULL;

  PetscFunctionBegin;
  *yes = PETSC_FALSE;
  PetscCall(RungNodeReach(scope, root, &n, &nodes));
  for (PetscInt i = 0; i < n; ++i) *yes = *yes || nodes[i] == node ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* derive(E, u, w) cannot be taken after u has been replaced, when the value of u would be differentiated by u: it is
   written out first. */
static PetscErrorCode through_derive(RungScope scope, PetscInt node, PetscInt from, PetscInt to, PetscBool pointwise,
                                     PetscInt *new)
{
  const RungNode *a = RungScopeNode(scope, node);

  PetscFunctionBegin;
  PetscCall(RungNodeGateaux(scope, a->arg[0], a->arg[1], a->arg[2], new));
  if (*new >= 0) PetscCall(RungNodeSubstitute(scope, *new, from, to, pointwise, new));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode is_about(RungScope scope, PetscInt unknown, PetscInt from, PetscInt to, PetscBool *yes)
{
  PetscBool before, after;

  PetscFunctionBegin;
  PetscCall(holds(scope, from, unknown, &before));
  PetscCall(holds(scope, to, unknown, &after));
  *yes = before || after ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Node a with its operands mapped; itself where none of them changes. */
PetscErrorCode RungNodeRebuild(RungScope scope, PetscInt node, const PetscInt map[], PetscInt *to)
{
  const RungNode *a       = RungScopeNode(scope, node);
  PetscBool       changed = PETSC_FALSE;
  PetscInt       *arg;

  PetscFunctionBegin;
  *to = node;
  if (a->op == RUNG_OP_VARIABLE) {
    const RungVariableEntry variable = scope->variable.entry[a->index[0]];

    if (map[variable.value] != variable.value)
      PetscCall(RungNodeVariable(scope, map[variable.value], variable.ordinal, to));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = 0; i < a->args; ++i) changed = changed || map[a->arg[i]] != a->arg[i] ? PETSC_TRUE : PETSC_FALSE;
  if (!changed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(a->args, &arg));
  for (PetscInt i = 0; i < a->args; ++i) arg[i] = map[a->arg[i]];
  if (a->op == RUNG_OP_SUM)
    PetscCall(RungNodeSumIntegrals(scope, a->args, arg, to));
  else
    PetscCall(RungNodeApply(scope, a->op, a->args, arg, a->index, to));
  PetscCall(PetscFree(arg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool in_space_or_time(RungOp op)
{
  return op == RUNG_OP_GRAD || op == RUNG_OP_DIVERGENCE || op == RUNG_OP_CURL || op == RUNG_OP_DT ? PETSC_TRUE
                                                                                                  : PETSC_FALSE;
}

PetscErrorCode RungNodeSubstitute(RungScope scope, PetscInt root, PetscInt from, PetscInt to, PetscBool pointwise,
                                  PetscInt *node)
{
  PetscInt            n, bad = 0;
  RUNG_FREE PetscInt *map   = NULL;
  RUNG_FREE PetscInt *nodes = NULL;

  PetscFunctionBegin;
  PetscCall(RungNodeReach(scope, root, &n, &nodes));
  PetscCall(PetscMalloc1(root + 1, &map));
  for (PetscInt i = 0; i < n && bad >= 0; ++i) {
    const PetscInt  k = nodes[i];
    const RungNode *a = RungScopeNode(scope, k);

    if (k == from)
      map[k] = to;
    else if (pointwise && in_space_or_time(a->op))
      map[k] = k;
    else {
      PetscBool write_out = PETSC_FALSE;

      if (a->op == RUNG_OP_DERIVE) PetscCall(is_about(scope, a->arg[1], from, to, &write_out));
      if (write_out)
        PetscCall(through_derive(scope, k, from, to, pointwise, &map[k]));
      else
        PetscCall(RungNodeRebuild(scope, k, map, &map[k]));
      bad = PetscMin(0, map[k]);
    }
  }
  *node = bad < 0 ? bad : map[root];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- conserved quantities ---------------------------------------------------------------------------------------- */

/* What split() knows of every node: how it depends on the unknowns, and node = rest + d/dt conserved, or node = rest + terms with
   rates, which stand in `conserved` then. */
typedef struct {
  int      degree; /* 0 free of unknowns, 1 affine in them, 2 anything else */
  PetscInt rest, conserved;
} Part;

typedef enum { CONSERVED, RATED } What;

static int degree_of(const RungNode *a, const Part part[])
{
  const int kind    = rung_ops[a->op].test & ~RUNG_COMMUTES;
  int       highest = 0, holding = 0;

  if (!(a->depends & RUNG_ON_UNKNOWN)) return 0;
  if (a->op == RUNG_OP_UNKNOWN) return 1;
  if (a->op == RUNG_OP_VARIABLE || a->op == RUNG_OP_DIFF || a->op == RUNG_OP_DERIVE) return 2;
  for (PetscInt i = 0; i < a->args; ++i) {
    const int degree = part[a->arg[i]].degree;

    highest = PetscMax(highest, degree);
    holding += degree > 0;
    if (i > 0 && kind == RUNG_FIRST && degree) return 2;
    if (i == 0 && kind == RUNG_BRANCHES && degree) return 2;
  }
  if (kind == RUNG_NONLINEAR && a->op != RUNG_OP_DT) return 2;
  return kind == RUNG_MULTILINEAR && holding > 1 ? 2 : highest;
}

/* Operand of a product whose time derivative goes through the whole product; -1 where none or more than one does. */
static PetscInt carrier(RungScope scope, const RungNode *a, What what, const Part part[])
{
  const int kind  = rung_ops[a->op].test & ~RUNG_COMMUTES;
  PetscInt  found = -1;

  if ((kind != RUNG_MULTILINEAR && kind != RUNG_FIRST) || a->op == RUNG_OP_DERIVE || a->op == RUNG_OP_DIFF) return -1;
  for (PetscInt i = 0; i < a->args; ++i) {
    if (part[a->arg[i]].conserved != RUNG_NO_EXPR) {
      if (found >= 0 || (kind == RUNG_FIRST && i > 0)) return -1;
      found = i;
    }
  }
  for (PetscInt i = 0; i < a->args && found >= 0 && what == CONSERVED; ++i) {
    if (i != found && RungScopeNode(scope, a->arg[i])->depends & (RUNG_ON_UNKNOWN | RUNG_ON_TIME | RUNG_ON_FIELD))
      return -1;
  }
  return found;
}

/* The operator on the rests (or the conserved parts) of its operands; nothing counts as zero. */
static PetscErrorCode with_parts(RungScope scope, PetscInt node, PetscInt which, const Part part[], PetscBool conserved,
                                 PetscInt *to)
{
  const RungNode *a = RungScopeNode(scope, node);
  PetscInt       *arg, n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(a->args, &arg));
  for (PetscInt i = 0; i < a->args; ++i) {
    const PetscInt  k  = a->arg[i];
    const RungNode *op = RungScopeNode(scope, k);
    PetscInt        p  = which >= 0 && i != which ? k : conserved ? part[k].conserved : part[k].rest;

    if (p == RUNG_NO_EXPR && a->op == RUNG_OP_SUM) continue;
    if (p == RUNG_NO_EXPR) PetscCall(RungNodeZero(scope, op->rank, op->shape, -1, &p));
    arg[n++] = p;
  }
  if (a->op == RUNG_OP_SUM && !n)
    *to = RUNG_NO_EXPR;
  else if (a->op == RUNG_OP_SUM)
    PetscCall(RungNodeSumIntegrals(scope, n, arg, to));
  else
    PetscCall(RungNodeApply(scope, a->op, n, arg, a->index, to));
  PetscCall(PetscFree(arg));
  if (*to >= 0 && !RungScopeNode(scope, *to)->integral && RungNodeIsZero(scope, *to)) *to = RUNG_NO_EXPR;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is d/dt of something, or of what is nonlinear in the unknowns, to be taken out? */
static PetscBool is_taken(RungScope scope, const RungNode *a, What what, const Part part[])
{
  if (a->op != RUNG_OP_DT) return PETSC_FALSE;
  if (what == RATED) return part[a->arg[0]].degree ? PETSC_TRUE : PETSC_FALSE;
  return part[a->arg[0]].degree == 2 && RungScopeNode(scope, a->arg[0])->order_t == 0 ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode split(RungScope scope, PetscInt node, What what, Part part[])
{
  const RungNode *a    = RungScopeNode(scope, node);
  Part           *p    = &part[node];
  const PetscInt  only = carrier(scope, a, what, part);
  PetscBool       some = only >= 0 ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  *p = (Part){degree_of(a, part), node, RUNG_NO_EXPR};
  if (is_taken(scope, a, what, part)) {
    *p = (Part){p->degree, RUNG_NO_EXPR, what == RATED ? node : a->arg[0]};
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if ((rung_ops[a->op].test & ~RUNG_COMMUTES) == RUNG_ADDITIVE) {
    for (PetscInt i = 0; i < a->args; ++i)
      some = some || part[a->arg[i]].conserved != RUNG_NO_EXPR ? PETSC_TRUE : PETSC_FALSE;
  }
  if (!some) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(with_parts(scope, node, only, part, PETSC_TRUE, &p->conserved));
  if (only >= 0 && part[a->arg[only]].rest == RUNG_NO_EXPR)
    p->rest = RUNG_NO_EXPR;
  else
    PetscCall(with_parts(scope, node, only, part, PETSC_FALSE, &p->rest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The two parts of a residual. */
static PetscErrorCode split_all(RungExpr residual, What what, RungExpr *rest, RungExpr *taken)
{
  RUNG_FREE PetscInt *nodes = NULL;
  RUNG_FREE Part     *part  = NULL;
  PetscInt            n;
  Part                whole;

  PetscFunctionBegin;
  PetscCall(RungExprCheck(residual));
  PetscCheck(rest && taken, RungScopeComm(residual.scope), PETSC_ERR_ARG_NULL,
             "no place for the two parts of a residual");
  PetscCall(RungNodeReach(residual.scope, residual.node, &n, &nodes));
  PetscCall(PetscMalloc1(residual.node + 1, &part));
  for (PetscInt i = 0; i < n; ++i) PetscCall(split(residual.scope, nodes[i], what, part));
  whole  = part[residual.node];
  *rest  = (RungExpr){residual.scope, whole.rest};
  *taken = (RungExpr){residual.scope, whole.conserved};
  PetscCheck(whole.rest >= 0 || whole.rest == RUNG_NO_EXPR, RungScopeComm(residual.scope), PETSC_ERR_PLIB, "%s",
             RungScopeError(residual.scope, whole.rest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExprSplitConserved(RungExpr residual, RungExpr *rest, RungExpr *conserved)
{
  PetscFunctionBegin;
  PetscCall(split_all(residual, CONSERVED, rest, conserved));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Integrals over cells and boundaries without a degree of their own get the rule at the nodes. */
static PetscErrorCode at_nodes(RungScope scope, PetscInt node, PetscInt *to, PetscInt *found)
{
  const RungNode *a = RungScopeNode(scope, node);
  PetscInt       *arg;

  PetscFunctionBegin;
  *to = node;
  if (a->op == RUNG_OP_INTEGRAL) {
    if (a->index[1] != -1 || (a->index[0] != RUNG_CELLS && a->index[0] != RUNG_BOUNDARY))
      PetscFunctionReturn(PETSC_SUCCESS);
    ++*found;
    PetscCall(RungNodeIntegral(scope, a->arg[0], a->index[0], RUNG_AT_NODES, a->index[2], to));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(a->args + 1, &arg));
  for (PetscInt i = 0; i < a->args; ++i) {
    arg[i] = a->arg[i];
    if (RungScopeNode(scope, a->arg[i])->integral) PetscCall(at_nodes(scope, a->arg[i], &arg[i], found));
  }
  if (a->op == RUNG_OP_SUM)
    PetscCall(RungNodeSumIntegrals(scope, a->args, arg, to));
  else if (a->integral)
    PetscCall(RungNodeApply(scope, a->op, a->args, arg, a->index, to));
  PetscCall(PetscFree(arg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExprLumpRates(RungExpr residual, RungExpr *lumped, PetscInt *terms)
{
  RungScope scope = residual.scope;
  RungExpr  rest, rated;
  PetscInt  node;

  PetscFunctionBegin;
  PetscCall(split_all(residual, RATED, &rest, &rated));
  *terms  = 0;
  *lumped = residual;
  if (rated.node == RUNG_NO_EXPR) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(at_nodes(scope, rated.node, &node, terms));
  *lumped = (RungExpr){scope, node};
  if (rest.node != RUNG_NO_EXPR)
    PetscCall(RungNodeSumIntegrals(scope, 2, (PetscInt[]){node, rest.node}, &lumped->node));
  PetscCall(RungExprCheck(*lumped));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rows ---------------------------------------------------------------------------------------------------------- */

PetscErrorCode RungExprKeepTests(RungExpr residual, const PetscBool keep[], RungExpr *kept)
{
  RungScope           scope = residual.scope;
  RUNG_FREE PetscInt *nodes = NULL;
  PetscInt            n, root = residual.node;

  PetscFunctionBegin;
  PetscCall(RungExprCheck(residual));
  PetscCheck(kept, RungScopeComm(scope), PETSC_ERR_ARG_NULL, "no place for the kept rows of a residual");
  PetscCall(RungNodeReach(scope, root, &n, &nodes));
  for (PetscInt i = 0; i < n && root >= 0; ++i) {
    const RungNode *a = RungScopeNode(scope, nodes[i]);
    PetscInt        zero;

    if (a->op != RUNG_OP_TEST || keep[a->index[0]]) continue;
    PetscCall(RungNodeZero(scope, a->rank, a->shape, a->index[0], &zero));
    PetscCall(RungNodeSubstitute(scope, root, nodes[i], zero, PETSC_FALSE, &root));
  }
  *kept = (RungExpr){scope, root};
  PetscCall(RungExprCheck(*kept));
  if (RungScopeNode(scope, root)->op == RUNG_OP_INTEGRAL) root = RungScopeNode(scope, root)->arg[0];
  if (RungNodeIsZero(scope, root)) kept->node = RUNG_NO_EXPR;
  PetscFunctionReturn(PETSC_SUCCESS);
}
