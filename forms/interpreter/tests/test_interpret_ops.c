/* test_interpret_ops.c - the vector loops against libm. */
#include "scalar_tools.h"

enum { N = 37 };
static double a[N], b[N], c[N], r[N];

static void fill_operands(void)
{
  for (int i = 0; i < N; ++i) {
    a[i] = 0.1 + 0.02 * i;
    b[i] = 0.9 - 0.03 * i;
    c[i] = (i % 5) - 2;
  }
}

#define CHECK_OP(code, wanted)                                                                                         \
  do {                                                                                                                 \
    RungInstructionRun(RUNG_OP_##code, N, a, b, c, r);                                                                 \
    for (int i = 0; i < N; ++i) CHECK_NEAR(r[i], wanted, 1e-15 * (1 + fabs(r[i])));                                    \
  } while (0)

static PetscErrorCode test_arithmetic(void)
{
  PetscFunctionBegin;
  fill_operands();
  CHECK_OP(ADD, a[i] + b[i]);
  CHECK_OP(SUB, a[i] - b[i]);
  CHECK_OP(MUL, a[i] * b[i]);
  CHECK_OP(NEG, -a[i]);
  CHECK_OP(DIV, a[i] / b[i]);
  CHECK_OP(POW, pow(a[i], b[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_functions(void)
{
  PetscFunctionBegin;
  fill_operands();
  CHECK_OP(SQRT, sqrt(a[i]));
  CHECK_OP(EXP, exp(a[i]));
  CHECK_OP(LOG, log(a[i]));
  CHECK_OP(SIN, sin(a[i]));
  CHECK_OP(ATAN2, atan2(a[i], b[i]));
  CHECK_OP(ERF, erf(a[i]));
  CHECK_OP(ABS, fabs(a[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_decisions_are_one_or_zero(void)
{
  PetscFunctionBegin;
  fill_operands();
  CHECK_OP(LT, a[i] < b[i] ? 1 : 0);
  CHECK_OP(GE, a[i] >= b[i] ? 1 : 0);
  CHECK_OP(MIN, a[i] < b[i] ? a[i] : b[i]);
  CHECK_OP(MAX, a[i] > b[i] ? a[i] : b[i]);
  RungInstructionRun(RUNG_OP_IF, N, c, a, b, r);
  for (int i = 0; i < N; ++i) CHECK(r[i] == (c[i] != 0 ? a[i] : b[i]));
  RungInstructionRun(RUNG_OP_SIGN, N, c, NULL, NULL, r);
  for (int i = 0; i < N; ++i) CHECK(r[i] == (c[i] > 0) - (c[i] < 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_arithmetic), RUNG_TEST(test_functions), RUNG_TEST(test_decisions_are_one_or_zero))
