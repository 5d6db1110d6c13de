/* sides.c - plus, minus, jump, avg as they are written, and what must say on which side of a facet it is taken. */
#include "scope_impl.h"

PetscErrorCode RungShapeSide(RungScope scope, RungNode *r, PetscInt *bad)
{
  const RungNode *a = RungScopeNode(scope, r->arg[0]);

  PetscFunctionBegin;
  r->rank = a->rank;
  for (PetscInt i = 0; i < a->rank; ++i) r->shape[i] = a->shape[i];
  if (a->depends & RUNG_ON_SIDE) {
    PetscCall(
      RungScopeFail(scope, bad, "%s() of something that has a side already; take the side once", rung_ops[r->op].name));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What differs from cell to cell at a facet, a vertex or an edge; in which parts these are is known of vertices and edges,
   while a facet's answer may be that of its cells. */
static PetscBool jumps(RungScope scope, const RungNode *a, RungDomain domain, PetscBool derivative)
{
  const RungSpaceData *data = NULL;
  RungSpace            space;

  switch (a->op) {
  case RUNG_OP_NORMAL:
  case RUNG_OP_SIZE:
  case RUNG_OP_VOLUME: return PETSC_TRUE;
  case RUNG_OP_PART: return domain == RUNG_INTERIOR_FACETS ? PETSC_TRUE : PETSC_FALSE;
  case RUNG_OP_UNKNOWN:
  case RUNG_OP_TEST:
    if (RungSpaceGetData(scope->unknown.entry[a->index[0]].space, &data)) return PETSC_TRUE;
    break;
  case RUNG_OP_FIELD:
    if (RungFieldGetSpace(scope->field.entry[a->index[0]].field, &space)) return PETSC_TRUE;
    if (RungSpaceGetData(space, &data)) return PETSC_TRUE;
    break;
  default: return PETSC_FALSE;
  }
  if (data->single) return PETSC_FALSE; /* one number everywhere */
  return derivative || !data->continuous ? PETSC_TRUE : PETSC_FALSE;
}

/* The slope of f along an edge is one number for all cells, if f is: f of dot(grad(f), tangent), -1 if a is no such. */
static PetscInt along_edge(RungScope scope, const RungNode *a)
{
  if (a->op != RUNG_OP_DOT && a->op != RUNG_OP_INNER) return -1;
  for (int i = 0; i < 2; ++i) {
    const RungNode *slope = RungScopeNode(scope, a->arg[i]), *other = RungScopeNode(scope, a->arg[1 - i]);

    while (slope->op == RUNG_OP_VARIABLE) slope = RungScopeNode(scope, RungScopeVariableValue(scope, slope->index[0]));
    while (other->op == RUNG_OP_VARIABLE) other = RungScopeNode(scope, RungScopeVariableValue(scope, other->index[0]));
    if (slope->op == RUNG_OP_GRAD && other->op == RUNG_OP_TANGENT && (i == 0 || slope->rank == 1)) return slope->arg[0];
  }
  return -1;
}

/* A leaf below root that differs on the two sides of a facet and has no side; -1: none.  state[node]: bit 0 seen, bit 1
   seen under a derivative in space. */
static PetscInt find_jump(RungScope scope, PetscInt root, RungDomain domain, PetscBool derivative,
                          unsigned char state[])
{
  const RungNode     *a     = RungScopeNode(scope, root);
  const unsigned char bit   = derivative ? 2 : 1;
  PetscInt            found = -1, along;

  if (state[root] & bit || a->op == RUNG_OP_PLUS || a->op == RUNG_OP_MINUS) return -1;
  state[root] |= bit;
  if (jumps(scope, a, domain, derivative)) return root;
  along = domain == RUNG_EDGES ? along_edge(scope, a) : -1;
  if (along >= 0) return find_jump(scope, along, domain, derivative, state);
  if (a->op == RUNG_OP_GRAD || a->op == RUNG_OP_DIVERGENCE || a->op == RUNG_OP_CURL) derivative = PETSC_TRUE;
  for (PetscInt i = 0; i < a->args && found < 0; ++i) {
    if (a->op != RUNG_OP_DERIVE || i != 1) found = find_jump(scope, a->arg[i], domain, derivative, state);
  }
  if (a->op == RUNG_OP_VARIABLE && found < 0)
    found = find_jump(scope, RungScopeVariableValue(scope, a->index[0]), domain, derivative, state);
  return found;
}

/* What jumps across facets must say from which side it is taken; on vertices and edges it has no value at all.  The caret
   goes to the leaf where this text holds it. */
PetscErrorCode RungSidesCheck(RungScope scope, RungNode *r, PetscInt *bad)
{
  const PetscInt  from = scope->place.at, to = scope->place.at + scope->place.length;
  unsigned char  *state;
  const RungNode *leaf;
  PetscInt        found;
  char           *name;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(r->arg[0] + 1, &state));
  found = find_jump(scope, r->arg[0], (RungDomain)r->index[0], PETSC_FALSE, state);
  PetscCall(PetscFree(state));
  if (found < 0) PetscFunctionReturn(PETSC_SUCCESS);
  leaf = RungScopeNode(scope, found);
  PetscCall(RungExprToText((RungExpr){scope, found}, &name));
  PetscCall(RungScopeFail(scope, bad, "\"%s\"%s differs %s", leaf->op == RUNG_OP_PART ? "value(..)" : name,
                          jumps(scope, leaf, (RungDomain)r->index[0], PETSC_FALSE) ? "" : " has a derivative that",
                          r->index[0] == RUNG_INTERIOR_FACETS
                            ? "on the two sides of a facet under dS; write plus(), minus(), jump() or avg() around it"
                          : r->index[0] == RUNG_VERTICES
                            ? "from cell to cell at a vertex under dP; take a continuous function, or a mean over dx"
                          : jumps(scope, leaf, RUNG_EDGES, PETSC_FALSE)
                            ? "from cell to cell at an edge under dl; take a continuous function, or a mean over dx"
                            : "from cell to cell at an edge under dl; take its slope along the edge, dot(grad(..), "
                              "tangent)"));
  PetscCall(PetscFree(name));
  if (leaf->text == scope->place.text && leaf->at >= from && leaf->at + leaf->length <= to) {
    scope->place.at     = leaf->at;
    scope->place.length = leaf->length;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* a times n where a is a scalar, else dot(a, n) */
static PetscErrorCode normal_part(RungScope scope, PetscInt a, PetscInt n, PetscInt *node)
{
  const PetscInt pair[] = {a, n};

  PetscFunctionBegin;
  PetscCall(RungNodeCall(scope, RungScopeNode(scope, a)->rank ? RUNG_OP_DOT : RUNG_OP_MUL, 2, pair, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* plus(a) - minus(a), or plus(a) plus(n) + minus(a) minus(n) */
PetscErrorCode RungSidesJump(RungScope scope, PetscInt n, const PetscInt arg[], PetscInt *node)
{
  PetscInt side[2], normal[2], other;

  PetscFunctionBegin;
  for (int s = 0; s < 2; ++s) {
    const RungOp op = s ? RUNG_OP_MINUS : RUNG_OP_PLUS;

    PetscCall(RungNodeApply(scope, op, 1, &arg[0], NULL, &side[s]));
    *node = side[s];
    if (*node >= 0 && n > 1) PetscCall(RungNodeApply(scope, op, 1, &arg[1], NULL, &normal[s]));
    if (*node >= 0 && n > 1) *node = normal[s];
    if (*node >= 0 && n > 1) PetscCall(normal_part(scope, side[s], normal[s], &side[s]));
    if (*node >= 0) *node = side[s];
    if (*node < 0) PetscFunctionReturn(PETSC_SUCCESS);
  }
  other = side[1];
  if (n == 1) PetscCall(RungNodeCall(scope, RUNG_OP_NEG, 1, &other, &side[1]));
  PetscCall(RungNodeCall(scope, RUNG_OP_ADD, 2, side, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSidesAverage(RungScope scope, PetscInt a, PetscInt *node)
{
  PetscInt side[2], half[2];

  PetscFunctionBegin;
  PetscCall(RungNodeApply(scope, RUNG_OP_PLUS, 1, &a, NULL, &side[0]));
  PetscCall(RungNodeApply(scope, RUNG_OP_MINUS, 1, &a, NULL, &side[1]));
  *node = PetscMin(side[0], side[1]);
  if (*node < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungNodeNumber(scope, 0.5, &half[0]));
  PetscCall(RungNodeCall(scope, RUNG_OP_ADD, 2, side, &half[1]));
  PetscCall(RungNodeCall(scope, RUNG_OP_MUL, 2, half, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}
