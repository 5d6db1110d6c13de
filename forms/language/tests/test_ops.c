/* test_ops.c - every row of ops.def: its example is read, printed and built as one node, its rule is its derivative. */
#include "scalar_impl.h"
#include "front_tools.h"
#include <rungtext_room.h>

static RungField field;

static PetscErrorCode begin(void)
{
  static const char text[] = "time, flow, pressure\n0, 0, 1\n1, 2, 1.5\n3, 2.5, 2\n4, 1, 0\n";
  RungMesh          mesh;
  RungSpace         space;

  PetscFunctionBegin;
  PetscCall(RungFileWrite(PETSC_COMM_WORLD, "inflow.csv", sizeof text - 1, text));
  PetscCall(front_begin(2));
  PetscCall(front_mesh(2, &mesh));
  PetscCall(RungSpaceCreate(mesh, "P2", &space));
  PetscCall(RungFieldCreate(space, "f", &field));
  PetscCall(RungScopeAddField(scope, "f", field));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(void)
{
  PetscFunctionBegin;
  PetscCall(front_end());
  PetscCall(RungFieldDestroy(&field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- builders ----------------------------------------------------------------------------------------------------- */

static RungExpr rebuild(PetscInt node);

static RungExpr rebuild_leaf(PetscInt node)
{
  const RungNode *a = RungScopeNode(scope, node);

  switch (a->op) {
  case RUNG_OP_NUMBER: return a->rank || a->arity ? (RungExpr){scope, node} : RungNumber(scope, a->number);
  case RUNG_OP_CONSTANT: return RungName(scope, RungScopeConstantName(scope, a->index[0]));
  case RUNG_OP_UNKNOWN: return RungName(scope, RungScopeUnknownName(scope, a->index[0]));
  case RUNG_OP_TEST: return RungName(scope, RungScopeTestName(scope, a->index[0]));
  case RUNG_OP_FIELD: return RungName(scope, RungScopeFieldName(scope, a->index[0]));
  case RUNG_OP_VARIABLE: return rebuild(RungScopeVariableValue(scope, a->index[0]));
  default: return RungName(scope, rung_ops[a->op].name);
  }
}

static RungExpr rebuild_sum(const RungNode *a)
{
  RungExpr sum = {scope, RUNG_NO_EXPR};

  for (PetscInt i = 0; i < a->args; ++i) sum = RungAdd(sum, rebuild(a->arg[i]));
  return sum;
}

static RungExpr rebuild_value(const RungNode *a)
{
  const char *part[4];
  RungExpr    value[4];

  for (PetscInt i = 0; i < a->args / 2; ++i) {
    const PetscInt string = RungScopeNode(scope, a->arg[2 * i])->index[0];

    part[i]  = string < 0 ? NULL : RungScopeString(scope, string);
    value[i] = rebuild(a->arg[2 * i + 1]);
  }
  return RungPerPart(a->args / 2, part, value);
}

static RungExpr rebuild_table(const RungNode *a)
{
  const RungTableEntry *table = &scope->table.entry[(PetscInt)RungScopeNode(scope, a->arg[1])->number];

  return RungTable(rebuild(a->arg[0]), RungScopeString(scope, table->path), RungScopeString(scope, table->column),
                   table->cubic);
}

/* The node once more, through public functions. */
static RungExpr rebuild(PetscInt node)
{
  const RungNode *a = RungScopeNode(scope, node);
  RungExpr        arg[3];
  PetscInt        n = 0;

  if (rung_ops[a->op].class_ == RUNG_CLASS_TERMINAL) return rebuild_leaf(node);
  if (a->op == RUNG_OP_VALUE) return rebuild_value(a);
  if (a->op == RUNG_OP_TABLE) return rebuild_table(a);
  if (a->op == RUNG_OP_SUM) return rebuild_sum(a);
  if (a->op == RUNG_OP_UNIT) return RungCall("unit", 1, (const RungExpr[]){RungNumber(scope, a->index[0])});
  for (PetscInt i = 0; i < PetscMin(3, a->args); ++i) arg[i] = rebuild(a->arg[i]);
  while (a->op == RUNG_OP_INDEX && n < RUNG_MAX_RANK && a->index[n] >= 0) ++n;
  switch (a->op) {
  case RUNG_OP_INDEX: return RungIndex(arg[0], n, a->index);
  case RUNG_OP_INTEGRAL:
    return RungIntegrate(arg[0], (RungDomain)a->index[0], RungScopeString(scope, a->index[2]), a->index[1]);
  default: return RungCall(rung_ops[a->op].name, a->args, arg);
  }
}

/* ---- rows ----------------------------------------------------------------------------------------------------------- */

static PetscBool holds(PetscInt root, RungOp op)
{
  PetscInt  n, *nodes;
  PetscBool yes = PETSC_FALSE;

  if (RungNodeReach(scope, root, &n, &nodes)) return PETSC_FALSE;
  for (PetscInt i = 0; i < n; ++i) yes = yes || RungScopeNode(scope, nodes[i])->op == op ? PETSC_TRUE : PETSC_FALSE;
  return PetscFree(nodes) ? PETSC_FALSE : yes;
}

static PetscErrorCode test_examples_are_read_printed_and_built_as_one_node(void)
{
  PetscFunctionBegin;
  PetscCall(begin());
  for (int op = 0; op < RUNG_OPS; ++op) {
    PetscInt node, again;
    RungExpr built;
    char    *text;

    CHECK(rung_ops[op].doc[0]);
    if (!rung_ops[op].example[0]) continue;
    PetscCall(front_read(rung_ops[op].example, &node));
    CHECK(op == RUNG_OP_SUB || op == RUNG_OP_JUMP || op == RUNG_OP_AVG || holds(node, (RungOp)op));
    PetscCall(RungExprToText((RungExpr){scope, node}, &text));
    PetscCall(front_read(text, &again));
    built = rebuild(node);
    PetscCall(RungExprCheck(built));
    if (again != node || built.node != node) {
      fprintf(stderr, "row %s: \"%s\" is printed as \"%s\"\n", rung_ops[op].code, rung_ops[op].example, text);
    }
    CHECK(again == node);
    CHECK(built.node == node);
    PetscCall(PetscFree(text));
  }
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode append(char text[], size_t size, const char name[], PetscInt node)
{
  char *value;

  PetscFunctionBegin;
  PetscCall(RungExprToText((RungExpr){scope, node}, &value));
  PetscCall(RungTextAppend(text, name, size));
  PetscCall(RungTextAppend(text, " = ", size));
  PetscCall(RungTextAppend(text, value, size));
  PetscCall(RungTextAppend(text, "; ", size));
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode same_value(PetscInt a, PetscInt b, PetscBool *same)
{
  RungDag           dag;
  const RungScalar *ca, *cb;
  PetscInt          na, nb;

  PetscFunctionBegin;
  *same = a == b ? PETSC_TRUE : PETSC_FALSE;
  if (*same || RungScopeNode(scope, a)->integral || RungScopeNode(scope, b)->integral)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungDagCreate(scope, &dag));
  PetscCall(RungDagExpand(dag, a, &na, &ca));
  PetscCall(RungDagExpand(dag, b, &nb, &cb));
  *same = na == nb ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt i = 0; i < na && *same; ++i) *same = ca[i] == cb[i] ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(RungDagDestroy(&dag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rule in the example's operands, against derive(example, unknown, direction) written out. */
static PetscErrorCode check_rule(int op, const char unknown[], const char direction[])
{
  PetscInt        node, u, w, derivative, rule, d, k = 0;
  const RungNode *a;
  char            text[2048] = "", name[8];
  PetscBool       same;

  PetscFunctionBegin;
  PetscCall(front_read(rung_ops[op].example, &node));
  PetscCall(front_read(unknown, &u));
  PetscCall(front_read(direction, &w));
  a = RungScopeNode(scope, node);
  PetscCall(RungNodeGateaux(scope, node, u, w, &derivative));
  for (PetscInt i = 0; i < a->args && k < 2; ++i) {
    if (RungScopeNode(scope, a->arg[i])->op == RUNG_OP_PART) continue;
    PetscCall(RungNodeGateaux(scope, a->arg[i], u, w, &d));
    (void)snprintf(name, sizeof name, "%c", k ? 'B' : 'A');
    PetscCall(append(text, sizeof text, name, a->arg[i]));
    (void)snprintf(name, sizeof name, "d%c", k++ ? 'B' : 'A');
    PetscCall(append(text, sizeof text, name, d));
  }
  PetscCall(RungTextAppend(text, rung_ops[op].d[0], sizeof text));
  PetscCall(front_read(text, &rule));
  PetscCall(same_value(rule, derivative, &same));
  if (!same) fprintf(stderr, "row %s: %s\n", rung_ops[op].code, text);
  CHECK(same);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_rules_of_tensor_operators_are_their_derivatives(void)
{
  PetscInt rules = 0;

  PetscFunctionBegin;
  PetscCall(begin());
  for (int op = 0; op < RUNG_OPS; ++op) {
    if (rung_ops[op].class_ != RUNG_CLASS_TENSOR || !rung_ops[op].d[0][0]) continue;
    ++rules;
    PetscCall(check_rule(op, "u", "p*u"));
    PetscCall(check_rule(op, "U", "p*U + x"));
  }
  CHECK(rules > 20);
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Operators that are no words have builders, too: RungCall("-", 2, ..) and so on. */
static PetscErrorCode test_operators_with_named_arguments_have_their_own_builders(void)
{
  RungExpr u, value;

  PetscFunctionBegin;
  PetscCall(begin());
  u = RungName(scope, "u");
  CHECK_RAISES(RungExprCheck(RungCall("value", 2, (const RungExpr[]){u, u})), "build it with RungPerPart");
  CHECK_RAISES(RungExprCheck(RungCall("table", 3, (const RungExpr[]){u, u, u})), "build it with RungTable");
  CHECK_RAISES(RungExprCheck(RungTable(u, "no such file.csv", NULL, PETSC_FALSE)), "cannot be read");
  value = RungPerPart(2, (const char *const[]){"a", "a"}, (const RungExpr[]){u, u});
  CHECK_RAISES(RungExprCheck(value), "two values for the part \"a\"");
  value = RungPerPart(2, (const char *const[]){NULL, "a"}, (const RungExpr[]){u, u});
  CHECK_RAISES(RungExprCheck(value), "all other places last");
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_examples_are_read_printed_and_built_as_one_node),
               RUNG_TEST(test_rules_of_tensor_operators_are_their_derivatives),
               RUNG_TEST(test_operators_with_named_arguments_have_their_own_builders))
