/* test_scalar.c - equal nodes are one, folding keeps values. */
#include "scalar_tools.h"

static RungScope  scope;
static RungDag    dag;
static RungScalar a, b, c;

static PetscErrorCode Begin(void)
{
  PetscFunctionBegin;
  PetscCall(RungScopeCreate(PETSC_COMM_WORLD, &scope));
  PetscCall(RungScopeSetDimension(scope, 2));
  PetscCall(RungDagCreate(scope, &dag));
  a = ToolsUnknown(dag, 0, 0, 0, 0);
  b = RungDagInput(dag, &(RungInput){.kind = RUNG_IN_CONSTANT});
  c = RungDagInput(dag, &(RungInput){.kind = RUNG_IN_TIME});
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode End(void)
{
  PetscFunctionBegin;
  PetscCall(RungDagCheck(dag));
  PetscCall(RungDagDestroy(&dag));
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static RungScalar Add(RungScalar x, RungScalar y)
{
  return RungDagAdd(dag, x, y);
}
static RungScalar Sub(RungScalar x, RungScalar y)
{
  return RungDagSub(dag, x, y);
}
static RungScalar Mul(RungScalar x, RungScalar y)
{
  return RungDagMul(dag, x, y);
}
static RungScalar Div(RungScalar x, RungScalar y)
{
  return RungDagDiv(dag, x, y);
}
static RungScalar Num(double x)
{
  return RungDagNumber(dag, x);
}
static RungScalar Op(RungOp op, RungScalar x, RungScalar y, RungScalar z)
{
  const RungScalar arg[3] = {x, y, z};

  return RungDagOp(dag, op, arg);
}

static PetscErrorCode test_rational_identities_give_one_node(void)
{
  PetscFunctionBegin;
  PetscCall(Begin());
  CHECK(Mul(Add(a, b), Sub(a, b)) == Sub(Mul(a, a), Mul(b, b)));
  CHECK(Add(Mul(a, b), Mul(a, c)) == Mul(a, Add(b, c)));
  CHECK(Mul(Mul(a, b), c) == Mul(a, Mul(c, b)));
  CHECK(Sub(Add(a, b), Add(b, a)) == dag->zero);
  CHECK(Div(Sub(Mul(a, a), Mul(b, b)), Sub(a, b)) == Add(a, b));
  CHECK(Div(a, Mul(b, c)) == Div(Div(a, b), c));
  CHECK(Sub(b, a) == RungDagNeg(dag, Sub(a, b)));
  CHECK(Add(Add(a, Num(1)), Num(-1)) == a);
  CHECK(Mul(Num(3), Div(a, Num(3))) == a);
  CHECK(Add(Add(a, a), a) == Mul(Num(3), a));
  CHECK(Add(a, b) != Add(a, c));
  CHECK(Mul(a, Num(1e-300)) != dag->zero);
  PetscCall(End());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_numbers_with_other_powers_of_two_differ(void)
{
  PetscFunctionBegin;
  PetscCall(Begin());
  for (int i = -300; i <= 300; ++i) {
    double value;

    CHECK(RungDagIsNumber(dag, Num(ldexp(1, i)), &value) && value == ldexp(1, i));
    CHECK(Mul(Num(ldexp(1, i)), Num(ldexp(1, -i))) == dag->one);
  }
  CHECK(Num(0.1) != Num(0.1 + DBL_EPSILON));
  CHECK(Num(-0.) == dag->zero);
  PetscCall(End());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_functions_fold_and_commute(void)
{
  double value;

  PetscFunctionBegin;
  PetscCall(Begin());
  CHECK(RungDagIsNumber(dag, Op(RUNG_OP_SIN, Num(0.5), -1, -1), &value) && value == sin(0.5));
  CHECK(Op(RUNG_OP_MIN, a, b, -1) == Op(RUNG_OP_MIN, b, a, -1));
  CHECK(Op(RUNG_OP_ATAN2, a, b, -1) != Op(RUNG_OP_ATAN2, b, a, -1));
  CHECK(Op(RUNG_OP_SIN, Add(a, b), -1, -1) == Op(RUNG_OP_SIN, Add(b, a), -1, -1));
  CHECK(Op(RUNG_OP_POW, a, Num(2), -1) == Mul(a, a));
  CHECK(Op(RUNG_OP_POW, a, Num(-1), -1) == Div(dag->one, a));
  CHECK(Op(RUNG_OP_POW, a, Num(0), -1) == dag->one);
  CHECK(Op(RUNG_OP_POW, Op(RUNG_OP_SQRT, a, -1, -1), Num(2), -1) == a);
  CHECK(Op(RUNG_OP_POW, a, Div(Num(5), Num(3)), -1) == Mul(a, Op(RUNG_OP_POW, a, Div(Num(2), Num(3)), -1)));
  CHECK(dag->node[Op(RUNG_OP_LOG, dag->zero, -1, -1)].op == RUNG_OP_LOG);
  PetscCall(End());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_selects_of_one_condition_join(void)
{
  RungScalar yes, no, less;

  PetscFunctionBegin;
  PetscCall(Begin());
  less = Op(RUNG_OP_LT, a, b, -1);
  yes  = Op(RUNG_OP_IF, less, c, dag->zero);
  no   = Op(RUNG_OP_IF, less, dag->zero, a);
  CHECK(Add(yes, no) == Op(RUNG_OP_IF, less, c, a));
  CHECK(Mul(yes, no) == dag->zero);
  CHECK(Op(RUNG_OP_IF, less, b, b) == b);
  CHECK(Op(RUNG_OP_IF, Num(2), a, b) == a && Op(RUNG_OP_IF, dag->zero, a, b) == b);
  CHECK(dag->node[Mul(Op(RUNG_OP_IF, less, dag->one, dag->zero), c)].op == RUNG_OP_IF);
  PetscCall(End());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* if(x > 0, sqrt(x), 0) has slope 0, not 0 * inf, at x = 0 */
static PetscErrorCode test_a_branch_not_taken_does_not_spoil_the_other(void)
{
  RungScalar selected, product;

  PetscFunctionBegin;
  PetscCall(Begin());
  selected = Op(RUNG_OP_IF, Op(RUNG_OP_GT, a, dag->zero, -1), dag->one, dag->zero);
  product  = Mul(Mul(b, selected), Div(c, Op(RUNG_OP_SQRT, a, -1, -1)));
  CHECK_NEAR(ToolsValue(dag, product, a, -ToolsValue(dag, a, -1, 0)), 0, 0);
  PetscCall(End());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_division_by_zero_is_refused(void)
{
  PetscFunctionBegin;
  PetscCall(Begin());
  (void)Div(a, Sub(Mul(Add(a, b), c), Add(Mul(a, c), Mul(b, c))));
  CHECK_RAISES(RungDagCheck(dag), "division by zero");
  dag->error = 0;
  PetscCall(End());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static unsigned Random(unsigned n)
{
  static uint64_t state = 12345;

  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)(state >> 33) % n;
}

/* Random expressions: the folded node has the value of the plain evaluation. */
static PetscErrorCode test_folding_keeps_values(void)
{
  static const RungOp ops[]     = {RUNG_OP_ADD, RUNG_OP_ADD, RUNG_OP_MUL, RUNG_OP_MUL,  RUNG_OP_DIV,
                                   RUNG_OP_NEG, RUNG_OP_POW, RUNG_OP_SIN, RUNG_OP_SQRT, RUNG_OP_IF,
                                   RUNG_OP_LT,  RUNG_OP_MAX, RUNG_OP_SUB};
  static const double numbers[] = {2, 3, -1, 0.5, 1, 0, -2, 1.5};
  enum { POOL = 600 };
  RungScalar pool[POOL];
  double     value[POOL];

  PetscFunctionBegin;
  PetscCall(Begin());
  for (int i = 0; i < POOL; ++i) {
    const RungOp op     = ops[Random(sizeof ops / sizeof ops[0])];
    const int    arg[3] = {(int)Random((unsigned)PetscMax(i, 1)), (int)Random((unsigned)PetscMax(i, 1)),
                           (int)Random((unsigned)PetscMax(i, 1))};

    if (i < 11) {
      pool[i]  = i < 3 ? (i == 0 ? a : i == 1 ? b : c) : Num(numbers[i - 3]);
      value[i] = ToolsValue(dag, pool[i], -1, 0);
      continue;
    }
    RungInstructionRun(op, 1, &value[arg[0]], &value[arg[1]], &value[arg[2]], &value[i]);
    if (!(fabs(value[i]) < 20) || (op == RUNG_OP_DIV && fabs(value[arg[1]]) < 0.05) ||
        (op == RUNG_OP_POW && (fabs(value[arg[0]]) < 0.05 || fabs(value[arg[1]]) > 4))) {
      --i;
      continue;
    }
    pool[i] = Op(op, pool[arg[0]], pool[arg[1]], pool[arg[2]]);
    PetscCall(RungDagCheck(dag));
    CHECK_NEAR(ToolsValue(dag, pool[i], -1, 0), value[i], 1e-6 * PetscMax(1, fabs(value[i])));
    value[i] = ToolsValue(dag, pool[i], -1, 0);
  }
  PetscCall(End());
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_rational_identities_give_one_node),
               RUNG_TEST(test_numbers_with_other_powers_of_two_differ), RUNG_TEST(test_functions_fold_and_commute),
               RUNG_TEST(test_selects_of_one_condition_join),
               RUNG_TEST(test_a_branch_not_taken_does_not_spoil_the_other), RUNG_TEST(test_division_by_zero_is_refused),
               RUNG_TEST(test_folding_keeps_values))
