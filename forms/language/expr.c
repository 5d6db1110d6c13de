/* expr.c - nodes: hash-consed, shaped (shape.c) and folded (fold.c); the table of operators.

   A node is made once for all writings of it: equal operators on equal operands are one number, whatever the order of
   operands that commute (the first writing's order is kept, for the reader).  Nodes never change and never move, and
   operands have smaller numbers than what is made of them.                                                          */
#include <rungown_room.h>
#include "scope_impl.h"
#include <string.h>

const RungOpInfo rung_ops[RUNG_OPS] = {
#define RUNG_TERMINAL(code, name, doc, example)                                                                        \
  [RUNG_OP_##code] = {RUNG_CLASS_TERMINAL, #code, name, 0, 0, 0, "", {"", "", ""}, doc, example},
#define RUNG_SCALAR(code, name, args, test, c, da, db, dc, doc, example)                                               \
  [RUNG_OP_##code] = {RUNG_CLASS_SCALAR, #code, name, args, args, test, #c, {da, db, dc}, doc, example},
#define RUNG_TENSOR(code, name, min, max, test, shape, expand, rule, doc, example)                                     \
  [RUNG_OP_##code] = {RUNG_CLASS_TENSOR, #code, name, min, max, test, "", {rule, "", ""}, doc, example},
#include "ops.def"
};

PetscBool RungOperatorGet(PetscInt i, const char **name, const char **doc, const char **example)
{
  if (i < 0 || i >= RUNG_OPS) return PETSC_FALSE;
  *name    = rung_ops[i].name;
  *doc     = rung_ops[i].doc;
  *example = rung_ops[i].example;
  return PETSC_TRUE;
}

RungOp RungOpFind(const char name[], size_t length)
{
  if (!length || !((name[0] >= 'a' && name[0] <= 'z') || (name[0] >= 'A' && name[0] <= 'Z'))) return RUNG_OPS;
  for (RungOp op = 0; op < RUNG_OPS; ++op) {
    if (!strncmp(rung_ops[op].name, name, length) && !rung_ops[op].name[length]) return op;
  }
  return RUNG_OPS;
}

/* ---- facts that a node has from its operands -------------------------------------------------------------------- */

static void take(RungNode *r, const RungNode *a)
{
  r->depends |= a->depends;
  r->order_t = PetscMax(r->order_t, a->order_t);
  r->order_x = PetscMax(r->order_x, a->order_x);
  r->depth   = PetscMax(r->depth, a->depth + 1);
}

static unsigned own_dependence(RungOp op)
{
  switch (op) {
  case RUNG_OP_CONSTANT: return RUNG_ON_CONSTANT;
  case RUNG_OP_TIME: return RUNG_ON_TIME;
  case RUNG_OP_X: return RUNG_ON_X;
  case RUNG_OP_NORMAL:
  case RUNG_OP_FACETAREA: return RUNG_ON_FACET;
  case RUNG_OP_TANGENT: return RUNG_ON_EDGE;
  case RUNG_OP_SIZE:
  case RUNG_OP_PART:
  case RUNG_OP_VOLUME: return RUNG_ON_CELL;
  case RUNG_OP_UNKNOWN: return RUNG_ON_UNKNOWN;
  case RUNG_OP_TEST: return RUNG_ON_TEST;
  case RUNG_OP_FIELD: return RUNG_ON_FIELD;
  default: return 0;
  }
}

static void find_facts(RungScope scope, RungNode *r)
{
  r->depends = own_dependence(r->op);
  r->order_t = r->depends & RUNG_ON_UNKNOWN ? 0 : -1;
  r->order_x = r->depends & (RUNG_ON_UNKNOWN | RUNG_ON_TEST | RUNG_ON_FIELD) ? 0 : -1;
  r->depth   = 0;
  for (PetscInt i = 0; i < r->args; ++i) take(r, RungScopeNode(scope, r->arg[i]));
  if (r->op == RUNG_OP_VARIABLE) take(r, RungScopeNode(scope, RungScopeVariableValue(scope, r->index[0])));
  if (r->op == RUNG_OP_NUMBER && r->arity) r->depends |= RUNG_ON_TEST;
  if (r->op == RUNG_OP_PLUS || r->op == RUNG_OP_MINUS) r->depends |= RUNG_ON_SIDE;
  if (r->op == RUNG_OP_EXPLICIT) r->depends |= RUNG_ON_EXPLICIT;
  if (r->op == RUNG_OP_DT && r->order_t >= 0) ++r->order_t;
  if ((r->op == RUNG_OP_GRAD || r->op == RUNG_OP_DIVERGENCE || r->op == RUNG_OP_CURL) && r->order_x >= 0) ++r->order_x;
}

/* ---- hash-consing ----------------------------------------------------------------------------------------------- */

static size_t mix(size_t hash, size_t value)
{
  hash = (hash ^ value) * (size_t)0x9e3779b97f4a7c15ull;
  return hash ^ (hash >> 29);
}

static PetscBool commutes(const RungNode *r)
{
  return rung_ops[r->op].test & RUNG_COMMUTES ? PETSC_TRUE : PETSC_FALSE;
}

static size_t hash_node(const RungNode *r)
{
  size_t hash = mix(17, (size_t)r->op), args = 0, number = 0;

  memcpy(&number, &r->number, PetscMin(sizeof number, sizeof r->number));
  hash = mix(mix(hash, number), (size_t)r->arity);
  for (PetscInt i = 0; i < RUNG_MAX_RANK; ++i) hash = mix(hash, (size_t)r->index[i]);
  for (PetscInt i = 0; i < r->rank; ++i) hash = mix(hash, (size_t)r->shape[i]);
  for (PetscInt i = 0; i < r->args; ++i) {
    if (commutes(r))
      args += mix(29, (size_t)r->arg[i]);
    else
      args = mix(args, (size_t)r->arg[i]);
  }
  return mix(hash, args);
}

static PetscInt count_arg(const RungNode *r, PetscInt arg)
{
  PetscInt n = 0;

  for (PetscInt i = 0; i < r->args; ++i) n += r->arg[i] == arg;
  return n;
}

static PetscBool same_args(const RungNode *a, const RungNode *b)
{
  if (!a->args || !memcmp(a->arg, b->arg, (size_t)a->args * sizeof *a->arg)) return PETSC_TRUE;
  if (!commutes(a)) return PETSC_FALSE;
  for (PetscInt i = 0; i < a->args; ++i) {
    if (count_arg(a, a->arg[i]) != count_arg(b, a->arg[i])) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static PetscBool same_node(const RungNode *a, const RungNode *b)
{
  if (a->op != b->op || a->args != b->args || a->arity != b->arity || a->number != b->number) return PETSC_FALSE;
  if (memcmp(a->index, b->index, sizeof a->index) != 0 || !RungNodeSameShape(a, b)) return PETSC_FALSE;
  return same_args(a, b);
}

static RungNodeEntry *entry_of(RungScope scope, PetscInt node)
{
  return &scope->chunk.entry[node / RUNG_CHUNK][node % RUNG_CHUNK];
}

static PetscErrorCode rehash(RungScope scope)
{
  PetscFunctionBegin;
  scope->buckets = PetscMax(256, 4 * scope->buckets);
  PetscCall(PetscRealloc((size_t)scope->buckets * sizeof *scope->bucket, &scope->bucket));
  for (PetscInt i = 0; i < scope->buckets; ++i) scope->bucket[i] = -1;
  for (PetscInt i = 0; i < scope->nodes; ++i) {
    RungNodeEntry *entry  = entry_of(scope, i);
    PetscInt      *bucket = &scope->bucket[entry->hash % (size_t)scope->buckets];

    entry->next = *bucket;
    *bucket     = i;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_node(RungScope scope, const RungNode *proto, size_t hash, PetscInt *node)
{
  RungNodeEntry *entry;
  PetscInt      *arg, *bucket;

  PetscFunctionBegin;
  if (scope->nodes == scope->chunk.n * RUNG_CHUNK) {
    RUNG_TABLE_GROW(scope->chunk);
    PetscCall(PetscCalloc1(RUNG_CHUNK, &scope->chunk.entry[scope->chunk.n]));
    ++scope->chunk.n;
  }
  *node       = scope->nodes;
  entry       = entry_of(scope, *node);
  entry->node = *proto;
  entry->hash = hash;
  PetscCall(RungArenaGet(scope, (size_t)(proto->args + 1) * sizeof *arg, &arg));
  for (PetscInt i = 0; i < proto->args; ++i) arg[i] = proto->arg[i];
  entry->node.arg    = arg;
  entry->node.text   = scope->place.text;
  entry->node.at     = scope->place.at;
  entry->node.length = scope->place.length;
  ++scope->nodes;
  bucket      = &scope->bucket[hash % (size_t)scope->buckets];
  entry->next = *bucket;
  *bucket     = *node;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNodeIntern(RungScope scope, const RungNode *proto, PetscInt *node)
{
  RungNode     r    = *proto;
  const size_t hash = hash_node(proto);

  PetscFunctionBegin;
  if (scope->nodes >= scope->buckets) PetscCall(rehash(scope));
  for (*node = scope->bucket[hash % (size_t)scope->buckets]; *node >= 0; *node = entry_of(scope, *node)->next) {
    if (entry_of(scope, *node)->hash == hash && same_node(&entry_of(scope, *node)->node, proto))
      PetscFunctionReturn(PETSC_SUCCESS);
  }
  find_facts(scope, &r);
  if (r.depth > RUNG_MAX_DEPTH) {
    PetscCall(RungScopeFail(scope, node, "more than %d operators in one another; write long sums as sums of integrals",
                            RUNG_MAX_DEPTH));
  } else {
    PetscCall(add_node(scope, &r, hash, node));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- making nodes ----------------------------------------------------------------------------------------------- */

static RungNode blank(RungOp op)
{
  RungNode r = {.op = op};

  for (PetscInt i = 0; i < RUNG_MAX_RANK; ++i) r.index[i] = -1, r.shape[i] = 1;
  return r;
}

/* Operands that carry an error hand it on; point values and integrals do not mix. */
static PetscErrorCode check_operands(RungScope scope, RungOp op, PetscInt n, const PetscInt arg[], PetscInt *bad)
{
  const PetscBool wants_integrals = op == RUNG_OP_SUM || op == RUNG_OP_EXPLICIT ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  *bad = 0;
  for (PetscInt i = 0; i < n && !*bad; ++i) {
    if (arg[i] == RUNG_NO_EXPR || arg[i] >= scope->nodes) {
      PetscCall(
        RungScopeFail(scope, bad, "operand %" PetscInt_FMT " of \"%s\" is no expression", i + 1, rung_ops[op].name));
    } else if (arg[i] < 0) {
      *bad = arg[i];
    } else if (RungScopeNode(scope, arg[i])->integral != wants_integrals && !(op == RUNG_OP_DERIVE && i == 0)) {
      PetscCall(RungScopeFail(
        scope, bad,
        op == RUNG_OP_EXPLICIT ? "\"%s\" stands around whole terms, with their measure, as explicit(u^2*v*dx); got a "
                                 "point value"
        : wants_integrals      ? "a sum of integrals wants integrals, got a point value"
                               : "\"%s\" wants point values, got an integral; apply it under the integral",
        rung_ops[op].name));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNodeApply(RungScope scope, RungOp op, PetscInt n, const PetscInt arg[], const PetscInt index[],
                             PetscInt *node)
{
  RungNode r = blank(op);
  PetscInt made; /* node may be the place of an operand */

  PetscFunctionBegin;
  PetscCall(check_operands(scope, op, n, arg, &made));
  r.args = n;
  r.arg  = arg;
  if (index) memcpy(r.index, index, sizeof r.index);
  if (made >= 0) PetscCall(RungShapeOf(scope, &r, &made));
  if (made >= 0) {
    PetscCall(RungFold(scope, &r, &made));
    if (made == -1) PetscCall(RungNodeIntern(scope, &r, &made));
  }
  *node = made;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNodeNumber(RungScope scope, PetscReal value, PetscInt *node)
{
  RungNode r = blank(RUNG_OP_NUMBER);

  PetscFunctionBegin;
  if (PetscIsInfOrNanReal(value)) {
    PetscCall(RungScopeFail(scope, node, "%g is not a finite number", (double)value));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  r.number = value == 0 ? 0 : value; /* one zero */
  PetscCall(RungNodeIntern(scope, &r, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNodeZero(RungScope scope, PetscInt rank, const PetscInt shape[], PetscInt test, PetscInt *node)
{
  RungNode r = blank(RUNG_OP_NUMBER);

  PetscFunctionBegin;
  r.rank = rank;
  for (PetscInt i = 0; i < rank; ++i) r.shape[i] = shape[i];
  r.arity    = test >= 0;
  r.index[0] = test;
  PetscCall(RungNodeIntern(scope, &r, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNodeTerminal(RungScope scope, RungOp op, PetscInt index, PetscInt *node)
{
  RungNode r   = blank(op);
  PetscInt bad = 0;

  PetscFunctionBegin;
  r.index[0] = index;
  PetscCall(RungShapeOf(scope, &r, &bad));
  *node = bad;
  if (bad >= 0) PetscCall(RungNodeIntern(scope, &r, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNodeVariable(RungScope scope, PetscInt value, PetscInt ordinal, PetscInt *node)
{
  PetscInt i = 0;

  PetscFunctionBegin;
  while (i < scope->variable.n &&
         !(scope->variable.entry[i].value == value && scope->variable.entry[i].ordinal == ordinal))
    ++i;
  if (i == scope->variable.n) {
    RUNG_TABLE_GROW(scope->variable);
    scope->variable.entry[scope->variable.n++] = (RungVariableEntry){value, ordinal};
  }
  PetscCall(RungNodeTerminal(scope, RUNG_OP_VARIABLE, i, node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

PetscBool RungNodeSameShape(const RungNode *a, const RungNode *b)
{
  if (a->rank != b->rank || a->integral != b->integral) return PETSC_FALSE;
  for (PetscInt i = 0; i < a->rank; ++i) {
    if (a->shape[i] != b->shape[i]) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

PetscBool RungNodeIsZero(RungScope scope, PetscInt node)
{
  const RungNode *a = RungScopeNode(scope, node);

  return a->op == RUNG_OP_NUMBER && a->number == 0 ? PETSC_TRUE : PETSC_FALSE;
}

PetscInt RungNodeFirstTest(RungScope scope, PetscInt node)
{
  for (;;) {
    const RungNode *a = RungScopeNode(scope, node);
    PetscInt        i = 0;

    if (a->op == RUNG_OP_TEST || a->op == RUNG_OP_NUMBER) return a->index[0];
    while (i < a->args && !(RungScopeNode(scope, a->arg[i])->depends & RUNG_ON_TEST)) ++i;
    if (i == a->args) return -1;
    node = a->arg[i];
  }
}

/* Room for the marks of all nodes, of which there may be more than last time. */
static PetscErrorCode make_marks(RungScope scope)
{
  const PetscInt n = scope->nodes;

  PetscFunctionBegin;
  if (n <= scope->reached.n) PetscFunctionReturn(PETSC_SUCCESS);
  if (n > scope->reached.room) {
    PetscCall(PetscRealloc(2 * (size_t)n * sizeof(PetscBool), &scope->reached.entry));
    scope->reached.room = 2 * n;
  }
  PetscCall(PetscArrayzero(scope->reached.entry + scope->reached.n, n - scope->reached.n));
  scope->reached.n = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef RUNG_TABLE(PetscInt, Numbers);

static PetscErrorCode numbers_destroy(Numbers *list)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(list->entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Costs what it finds, not what the scope holds: a sum of n integrals asks for each of them. */
PetscErrorCode RungNodeReach(RungScope scope, PetscInt root, PetscInt *n, PetscInt **nodes)
{
  RUNG_OWNED(numbers_destroy) Numbers list = {0};

  PetscFunctionBegin;
  PetscCall(make_marks(scope));
  RUNG_TABLE_GROW(list);
  list.entry[list.n++]       = root;
  scope->reached.entry[root] = PETSC_TRUE;
  for (PetscInt i = 0; i < list.n; ++i) {
    const RungNode *a     = RungScopeNode(scope, list.entry[i]);
    const PetscInt  value = a->op == RUNG_OP_VARIABLE ? RungScopeVariableValue(scope, a->index[0]) : -1;

    for (PetscInt j = 0; j <= a->args; ++j) {
      const PetscInt below = j < a->args ? a->arg[j] : value;

      if (below < 0 || scope->reached.entry[below]) continue;
      RUNG_TABLE_GROW(list);
      list.entry[list.n++]        = below;
      scope->reached.entry[below] = PETSC_TRUE;
    }
  }
  for (PetscInt i = 0; i < list.n; ++i) scope->reached.entry[list.entry[i]] = PETSC_FALSE;
  PetscCall(PetscSortInt(list.n, list.entry));
  *n     = list.n;
  *nodes = list.entry;

  list.entry = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
