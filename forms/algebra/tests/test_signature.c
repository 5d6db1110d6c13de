/* test_signature.c - residues of doubles are a field's. */
#include "scalar_tools.h"

static PetscErrorCode test_sums_and_products_of_doubles_are_exact(void)
{
  PetscFunctionBegin;
  for (int i = -40; i < 40; ++i) {
    const double        x = ldexp(3 + i, i), y = ldexp(7 - i, -i / 2);
    const RungSignature a = RungSignatureNumber(x), b = RungSignatureNumber(y);

    CHECK(RungSignatureEqual(RungSignatureMul(a, b), RungSignatureNumber(x * y)));
    CHECK(
      RungSignatureEqual(RungSignatureAdd(a, RungSignatureNumber(ldexp(5, i))), RungSignatureNumber(x + ldexp(5, i))));
    CHECK(RungSignatureEqual(RungSignatureNeg(a), RungSignatureNumber(-x)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_inverse_times_number_is_one(void)
{
  PetscFunctionBegin;
  for (int i = 1; i < 200; ++i) {
    const RungSignature a = RungSignatureNumber(0.37 * i - 7);

    CHECK(RungSignatureEqual(RungSignatureMul(a, RungSignatureInverse(a)), RungSignatureNumber(1)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_doubles_of_all_magnitudes_differ(void)
{
  enum { N = 2000 };
  RungSignature s[N];

  PetscFunctionBegin;
  for (int i = 0; i < N; ++i) s[i] = RungSignatureNumber(ldexp(1, i - N / 2));
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < i; ++j) CHECK(s[i].w[0] != s[j].w[0] && s[i].w[1] != s[j].w[1]);
  }
  CHECK(!RungSignatureIsZero(RungSignatureNumber(DBL_MIN)) && !RungSignatureIsZero(RungSignatureNumber(HUGE_VAL)));
  CHECK(RungSignatureIsZero(RungSignatureNumber(0)) && RungSignatureIsZero(RungSignatureNumber(-0.)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_sums_and_products_of_doubles_are_exact), RUNG_TEST(test_inverse_times_number_is_one),
               RUNG_TEST(test_doubles_of_all_magnitudes_differ))
