/* test_scalar.c - equal nodes are one, folding keeps values. */
#include "scalar_tools.h"

static RungScope  scope;
static RungDag    dag;
static RungScalar a, b, c;

static PetscErrorCode begin(void)
{
  PetscFunctionBegin;
  PetscCall(RungScopeCreate(PETSC_COMM_WORLD, &scope));
  PetscCall(RungScopeSetDimension(scope, 2));
  PetscCall(RungDagCreate(scope, &dag));
  a = tools_unknown(dag, 0, 0, 0, 0);
  b = RungDagInput(dag, &(RungInput){.kind = RUNG_IN_CONSTANT});
  c = RungDagInput(dag, &(RungInput){.kind = RUNG_IN_TIME});
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(void)
{
  PetscFunctionBegin;
  PetscCall(RungDagCheck(dag));
  PetscCall(RungDagDestroy(&dag));
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static RungScalar sum_of(RungScalar x, RungScalar y)
{
  return RungDagAdd(dag, x, y);
}
static RungScalar difference_of(RungScalar x, RungScalar y)
{
  return RungDagSub(dag, x, y);
}
static RungScalar product_of(RungScalar x, RungScalar y)
{
  return RungDagMul(dag, x, y);
}
static RungScalar quotient_of(RungScalar x, RungScalar y)
{
  return RungDagDiv(dag, x, y);
}
static RungScalar number_of(double x)
{
  return RungDagNumber(dag, x);
}
static RungScalar op_of(RungOp op, RungScalar x, RungScalar y, RungScalar z)
{
  const RungScalar arg[3] = {x, y, z};

  return RungDagOp(dag, op, arg);
}

static PetscErrorCode test_rational_identities_give_one_node(void)
{
  PetscFunctionBegin;
  PetscCall(begin());
  CHECK(product_of(sum_of(a, b), difference_of(a, b)) == difference_of(product_of(a, a), product_of(b, b)));
  CHECK(sum_of(product_of(a, b), product_of(a, c)) == product_of(a, sum_of(b, c)));
  CHECK(product_of(product_of(a, b), c) == product_of(a, product_of(c, b)));
  CHECK(difference_of(sum_of(a, b), sum_of(b, a)) == dag->zero);
  CHECK(quotient_of(difference_of(product_of(a, a), product_of(b, b)), difference_of(a, b)) == sum_of(a, b));
  CHECK(quotient_of(a, product_of(b, c)) == quotient_of(quotient_of(a, b), c));
  CHECK(difference_of(b, a) == RungDagNeg(dag, difference_of(a, b)));
  CHECK(sum_of(sum_of(a, number_of(1)), number_of(-1)) == a);
  CHECK(product_of(number_of(3), quotient_of(a, number_of(3))) == a);
  CHECK(sum_of(sum_of(a, a), a) == product_of(number_of(3), a));
  CHECK(sum_of(a, b) != sum_of(a, c));
  CHECK(product_of(a, number_of(1e-300)) != dag->zero);
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_numbers_with_other_powers_of_two_differ(void)
{
  PetscFunctionBegin;
  PetscCall(begin());
  for (int i = -300; i <= 300; ++i) {
    double value;

    CHECK(RungDagIsNumber(dag, number_of(ldexp(1, i)), &value) && value == ldexp(1, i));
    CHECK(product_of(number_of(ldexp(1, i)), number_of(ldexp(1, -i))) == dag->one);
  }
  CHECK(number_of(0.1) != number_of(0.1 + DBL_EPSILON));
  CHECK(number_of(-0.) == dag->zero);
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_functions_fold_and_commute(void)
{
  double value;

  PetscFunctionBegin;
  PetscCall(begin());
  CHECK(RungDagIsNumber(dag, op_of(RUNG_OP_SIN, number_of(0.5), -1, -1), &value) && value == sin(0.5));
  CHECK(op_of(RUNG_OP_MIN, a, b, -1) == op_of(RUNG_OP_MIN, b, a, -1));
  CHECK(op_of(RUNG_OP_ATAN2, a, b, -1) != op_of(RUNG_OP_ATAN2, b, a, -1));
  CHECK(op_of(RUNG_OP_SIN, sum_of(a, b), -1, -1) == op_of(RUNG_OP_SIN, sum_of(b, a), -1, -1));
  CHECK(op_of(RUNG_OP_POW, a, number_of(2), -1) == product_of(a, a));
  CHECK(op_of(RUNG_OP_POW, a, number_of(-1), -1) == quotient_of(dag->one, a));
  CHECK(op_of(RUNG_OP_POW, a, number_of(0), -1) == dag->one);
  CHECK(op_of(RUNG_OP_POW, op_of(RUNG_OP_SQRT, a, -1, -1), number_of(2), -1) == a);
  CHECK(op_of(RUNG_OP_POW, a, quotient_of(number_of(5), number_of(3)), -1) ==
        product_of(a, op_of(RUNG_OP_POW, a, quotient_of(number_of(2), number_of(3)), -1)));
  CHECK(dag->node[op_of(RUNG_OP_LOG, dag->zero, -1, -1)].op == RUNG_OP_LOG);
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_selects_of_one_condition_join(void)
{
  RungScalar yes, no, less;

  PetscFunctionBegin;
  PetscCall(begin());
  less = op_of(RUNG_OP_LT, a, b, -1);
  yes  = op_of(RUNG_OP_IF, less, c, dag->zero);
  no   = op_of(RUNG_OP_IF, less, dag->zero, a);
  CHECK(sum_of(yes, no) == op_of(RUNG_OP_IF, less, c, a));
  CHECK(product_of(yes, no) == dag->zero);
  CHECK(op_of(RUNG_OP_IF, less, b, b) == b);
  CHECK(op_of(RUNG_OP_IF, number_of(2), a, b) == a && op_of(RUNG_OP_IF, dag->zero, a, b) == b);
  CHECK(dag->node[product_of(op_of(RUNG_OP_IF, less, dag->one, dag->zero), c)].op == RUNG_OP_IF);
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* if(x > 0, sqrt(x), 0) has slope 0, not 0 * inf, at x = 0 */
static PetscErrorCode test_a_branch_not_taken_does_not_spoil_the_other(void)
{
  RungScalar selected, product;

  PetscFunctionBegin;
  PetscCall(begin());
  selected = op_of(RUNG_OP_IF, op_of(RUNG_OP_GT, a, dag->zero, -1), dag->one, dag->zero);
  product  = product_of(product_of(b, selected), quotient_of(c, op_of(RUNG_OP_SQRT, a, -1, -1)));
  CHECK_NEAR(tools_value(dag, product, a, -tools_value(dag, a, -1, 0)), 0, 0);
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_division_by_zero_is_refused(void)
{
  PetscFunctionBegin;
  PetscCall(begin());
  (void)quotient_of(a, difference_of(product_of(sum_of(a, b), c), sum_of(product_of(a, c), product_of(b, c))));
  CHECK_RAISES(RungDagCheck(dag), "division by zero");
  dag->error = 0;
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static unsigned random_below(unsigned n)
{
  static uint64_t state = 12345;

  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)(state >> 33) % n;
}

/* Nodes before the place stay where they are in the table, also one whose value a number took for a while. */
static PetscErrorCode test_what_is_forgotten_is_made_again(void)
{
  RungScalar kept[200], same, number;
  PetscInt   before, inputs, wrong = 0;

  PetscFunctionBegin;
  PetscCall(begin());
  for (int i = 0; i < 200; ++i) kept[i] = op_of(RUNG_OP_SIN, product_of(a, number_of(i + 0.5)), -1, -1);
  same   = difference_of(product_of(sum_of(a, number_of(1.5)), sum_of(a, number_of(-1.5))), product_of(a, a));
  before = dag->n;
  inputs = dag->inputs;
  number = number_of(-2.25);
  CHECK(number >= before && RungDagFind(dag, dag->node[same].signature) == number);
  for (int i = 0; i < 3000; ++i) (void)op_of(RUNG_OP_EXP, sum_of(a, number_of(i + 0.25)), -1, -1);
  CHECK(dag->n > before + 6000);
  RungDagForget(dag, before);
  CHECK(dag->inputs == inputs);
  for (int i = 0; i < 200; ++i) wrong += op_of(RUNG_OP_SIN, product_of(a, number_of(i + 0.5)), -1, -1) != kept[i];
  CHECK(!wrong && dag->n == before && RungDagFind(dag, dag->node[same].signature) == same);
  CHECK(number_of(-2.25) == number && op_of(RUNG_OP_EXP, sum_of(a, number_of(0.25)), -1, -1) >= before);
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
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
  PetscCall(begin());
  for (int i = 0; i < POOL; ++i) {
    const RungOp op     = ops[random_below(sizeof ops / sizeof ops[0])];
    const int    arg[3] = {(int)random_below((unsigned)PetscMax(i, 1)), (int)random_below((unsigned)PetscMax(i, 1)),
                           (int)random_below((unsigned)PetscMax(i, 1))};

    if (i < 11) {
      pool[i]  = i < 3 ? (i == 0 ? a : i == 1 ? b : c) : number_of(numbers[i - 3]);
      value[i] = tools_value(dag, pool[i], -1, 0);
      continue;
    }
    RungInstructionRun(op, 1, &value[arg[0]], &value[arg[1]], &value[arg[2]], &value[i]);
    if (!(fabs(value[i]) < 20) || (op == RUNG_OP_DIV && fabs(value[arg[1]]) < 0.05) ||
        (op == RUNG_OP_POW && (fabs(value[arg[0]]) < 0.05 || fabs(value[arg[1]]) > 4))) {
      --i;
      continue;
    }
    pool[i] = op_of(op, pool[arg[0]], pool[arg[1]], pool[arg[2]]);
    PetscCall(RungDagCheck(dag));
    CHECK_NEAR(tools_value(dag, pool[i], -1, 0), value[i], 1e-6 * PetscMax(1, fabs(value[i])));
    value[i] = tools_value(dag, pool[i], -1, 0);
  }
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_rational_identities_give_one_node),
               RUNG_TEST(test_numbers_with_other_powers_of_two_differ), RUNG_TEST(test_functions_fold_and_commute),
               RUNG_TEST(test_selects_of_one_condition_join),
               RUNG_TEST(test_a_branch_not_taken_does_not_spoil_the_other), RUNG_TEST(test_division_by_zero_is_refused),
               RUNG_TEST(test_what_is_forgotten_is_made_again), RUNG_TEST(test_folding_keeps_values))
