/* test_expr.c - nodes: one for equal expressions, their facts, the table of operators. */
#include "front_tools.h"

static PetscErrorCode test_equal_expressions_are_one_node(void)
{
  PetscInt before, node;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  PetscCall(front_read("(u + sin(p*U[0]))*v*dx - q*ds(left)", &node));
  before = scope->nodes;
  CHECK_SAME("(u + sin(p*U[0]))*v*dx - q*ds(left)", "-q*ds(left) + v*(sin(U[0]*p) + u)*dx");
  CHECK(scope->nodes - before <= 4); /* the other order's integrals and their negative */
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_nodes_know_what_they_depend_on(void)
{
  PetscInt        node;
  const RungNode *a;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  PetscCall(front_read("kappa*dt(u*dt(p))*grad(grad(v))[0, 1]*x[0]*h", &node));
  a = RungScopeNode(scope, node);
  CHECK(a->depends == (RUNG_ON_CONSTANT | RUNG_ON_UNKNOWN | RUNG_ON_TEST | RUNG_ON_X | RUNG_ON_CELL));
  CHECK(a->order_t == 2 && a->order_x == 2 && a->arity == 1);
  PetscCall(front_read("sin(t) + kappa", &node));
  a = RungScopeNode(scope, node);
  CHECK(a->depends == (RUNG_ON_TIME | RUNG_ON_CONSTANT) && a->order_t == -1 && a->order_x == -1 && a->depth == 2);
  PetscCall(front_read("diff(u^3, u)", &node));
  CHECK(RungScopeNode(scope, node)->depends == RUNG_ON_UNKNOWN);
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_operands_come_first_and_nodes_do_not_move(void)
{
  const RungNode *first;
  PetscInt        u, node;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  PetscCall(front_read("u", &u));
  first = RungScopeNode(scope, u);
  for (PetscInt i = 0; i < 2000; ++i) RungAdd(RungName(scope, "u"), RungNumber(scope, (PetscReal)i));
  CHECK(RungScopeNode(scope, u) == first && scope->nodes > 3900);
  for (node = 0; node < scope->nodes; ++node) {
    const RungNode *a = RungScopeNode(scope, node);

    for (PetscInt i = 0; i < a->args; ++i) CHECK(a->arg[i] < node);
  }
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_every_operator_has_an_example_and_rules_that_are_read(void)
{
  RungExpr e;
  PetscInt node;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  PetscCall(RungFileWrite(PETSC_COMM_WORLD, "inflow.csv", 16, "0 1 2\n1 2 3\n    "));
  for (RungOp op = 0; op < RUNG_OPS; ++op) {
    const RungOpInfo *info = &rung_ops[op];

    CHECK(info->doc[0] && info->code[0]);
    if (info->class_ == RUNG_CLASS_TERMINAL) continue;
    PetscCall(RungScopeParse(scope, info->code, info->example, &e));
    for (int i = 0; i < info->max && info->class_ == RUNG_CLASS_SCALAR; ++i) {
      PetscCall(RungScopeParseRule(scope, info->d[i], &node));
    }
  }
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_equal_expressions_are_one_node), RUNG_TEST(test_nodes_know_what_they_depend_on),
               RUNG_TEST(test_operands_come_first_and_nodes_do_not_move),
               RUNG_TEST(test_every_operator_has_an_example_and_rules_that_are_read))
