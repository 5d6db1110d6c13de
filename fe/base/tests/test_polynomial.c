/* test_polynomial.c - the polynomials are orthonormal, and their derivatives are those of difference quotients. */
#include "check.h"
#include "base_impl.h"

static const RungCellType simplex[4] = {RUNG_POINT, RUNG_INTERVAL, RUNG_TRIANGLE, RUNG_TETRAHEDRON};

static PetscErrorCode test_polynomials_are_orthonormal(void)
{
  const PetscInt degree = 5;

  for (PetscInt dim = 0; dim <= 3; ++dim) {
    const PetscInt        n = RungPolynomialCount(dim, degree);
    const RungQuadrature *rule;
    PetscReal            *phi;

    PetscCall(RungQuadratureGet(simplex[dim], 2 * degree, &rule));
    PetscCall(PetscMalloc1(rule->points * n, &phi));
    PetscCall(RungPolynomialTabulate(dim, degree, rule->points, rule->x, 0, phi));
    for (PetscInt i = 0; i < n; ++i)
      for (PetscInt j = 0; j <= i; ++j) {
        PetscReal sum = 0;

        for (PetscInt p = 0; p < rule->points; ++p) sum += rule->weight[p] * phi[p * n + i] * phi[p * n + j];
        CHECK_NEAR(sum, i == j ? 1 : 0, 1e-12);
      }
    PetscCall(PetscFree(phi));
  }
  return PETSC_SUCCESS;
}

/* Central differences of the derivative number `low` along axis a give number `high`. */
static PetscErrorCode check_difference(PetscInt dim, PetscInt degree, PetscInt a, PetscInt low, PetscInt high)
{
  const PetscInt  n = RungPolynomialCount(dim, degree), size = RungDerivativeCount(dim, 2) * n;
  const PetscReal h = 1e-5, x[3] = {0.21, 0.17, 0.34};
  PetscReal      *at, *plus, *minus, y[3];

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(size, &at, size, &plus, size, &minus));
  PetscCall(RungPolynomialTabulate(dim, degree, 1, x, 2, at));
  PetscCall(PetscArraycpy(y, x, 3));
  y[a] = x[a] + h;
  PetscCall(RungPolynomialTabulate(dim, degree, 1, y, 2, plus));
  y[a] = x[a] - h;
  PetscCall(RungPolynomialTabulate(dim, degree, 1, y, 2, minus));
  for (PetscInt i = 0; i < n; ++i) {
    const PetscReal slope = (plus[low * n + i] - minus[low * n + i]) / (2 * h);

    CHECK_NEAR(at[high * n + i], slope, 1e-6 * (1 + PetscAbsReal(slope)));
  }
  PetscCall(PetscFree3(at, plus, minus));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_derivatives_are_slopes(void)
{
  for (PetscInt dim = 1; dim <= 3; ++dim) {
    PetscInt second = 1 + dim;

    for (PetscInt a = 0; a < dim; ++a) PetscCall(check_difference(dim, 5, a, 0, 1 + a));
    for (PetscInt a = 0; a < dim; ++a)
      for (PetscInt b = a; b < dim; ++b) PetscCall(check_difference(dim, 5, b, 1 + a, second++));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_the_collapsed_corner_is_regular(void)
{
  const PetscReal corner[3] = {0, 0, 1};
  PetscReal       phi[10 * 20];

  PetscCall(RungPolynomialTabulate(3, 3, 1, corner, 2, phi));
  for (int i = 0; i < 200; ++i) CHECK(isfinite(phi[i]));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_polynomials_are_orthonormal), RUNG_TEST(test_derivatives_are_slopes),
               RUNG_TEST(test_the_collapsed_corner_is_regular))
