/* test_quadrature.c - every rule is exact to its degree, positive and inside; facet rules obey Gauss' theorem. */
#include "check.h"
#include "rungnodes_room.h"

static PetscReal power(PetscReal x, PetscInt n)
{
  PetscReal p = 1;

  while (n-- > 0) p *= x;
  return p;
}

/* int over the reference cell of x^e: boxes 1 / prod (e + 1), simplices prod e! / (sum e + d)! */
static PetscReal monomial_integral(const RungCell *cell, const PetscInt e[])
{
  PetscReal value = 1;
  PetscInt  sum   = 0;

  for (PetscInt a = 0; a < cell->dim; ++a) {
    if (!cell->simplex) value /= (PetscReal)e[a] + 1;
    for (PetscInt i = 1; i <= e[a] && cell->simplex; ++i) value *= (PetscReal)i / (PetscReal)++sum;
  }
  for (PetscInt i = 1; i <= cell->dim && cell->simplex; ++i) value /= (PetscReal)(sum + i);
  return value;
}

static PetscReal sum_monomial(const RungQuadrature *rule, PetscInt dim, const PetscInt e[])
{
  PetscReal sum = 0;

  for (PetscInt p = 0; p < rule->points; ++p) {
    PetscReal f = 1;

    for (PetscInt a = 0; a < dim; ++a) f *= power(rule->x[p * dim + a], e[a]);
    sum += rule->weight[p] * f;
  }
  return sum;
}

/* The next exponents with every one (boxes) or their sum (simplices) up to `degree`. */
static PetscBool next_exponents(const RungCell *cell, PetscInt degree, PetscInt e[])
{
  for (PetscInt a = 0; a < cell->dim; ++a) {
    PetscInt total = 0;

    ++e[a];
    for (PetscInt b = 0; b < cell->dim && cell->simplex; ++b) total += e[b];
    if (PetscMax(total, e[a]) <= degree) return PETSC_TRUE;
    e[a] = 0;
  }
  return PETSC_FALSE;
}

static PetscErrorCode test_rules_integrate_monomials_of_their_degree(void)
{
  for (int type = RUNG_POINT; type < RUNG_CELL_TYPES; ++type) {
    const RungCell *cell = RungCellGet((RungCellType)type);

    for (PetscInt degree = 0; degree <= 22; ++degree) {
      const RungQuadrature *rule;
      PetscInt              e[3] = {0};

      PetscCall(RungQuadratureGet((RungCellType)type, degree, &rule));
      CHECK(rule->degree >= degree);
      do {
        CHECK_NEAR(sum_monomial(rule, cell->dim, e), monomial_integral(cell, e), 1e-14);
      } while (next_exponents(cell, cell->simplex ? rule->degree : degree, e));
    }
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_weights_are_positive_and_points_inside(void)
{
  for (int type = RUNG_POINT; type < RUNG_CELL_TYPES; ++type) {
    const RungCell *cell = RungCellGet((RungCellType)type);

    for (PetscInt degree = 0; degree <= 22; ++degree) {
      const RungQuadrature *rule;

      PetscCall(RungQuadratureGet((RungCellType)type, degree, &rule));
      for (PetscInt p = 0; p < rule->points; ++p) {
        PetscReal left = 1;

        CHECK(rule->weight[p] > 0);
        for (PetscInt a = 0; a < cell->dim; ++a) {
          CHECK(rule->x[p * cell->dim + a] > 0 && rule->x[p * cell->dim + a] < 1);
          left -= rule->x[p * cell->dim + a];
        }
        CHECK(!cell->simplex || left > 0 || cell->dim == 0);
      }
    }
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_simplices_have_the_fewest_points_known(void)
{
  static const PetscInt points[2][21] = {
    {1, 1, 3, 6, 6, 7, 12, 15, 16, 19, 25, 28, 33, 37, 42, 49, 60, 60, 67, 73, 79},
    {1, 1, 4, 8, 14, 14, 24, 35, 46, 59, 81, 110, 168, 172, 204, 264, 304, 364, 436, 487, 552}};
  const RungQuadrature *rule;

  for (PetscInt degree = 0; degree <= 20; ++degree) {
    PetscCall(RungQuadratureGet(RUNG_TRIANGLE, degree, &rule));
    CHECK(rule->points == points[0][degree]);
    PetscCall(RungQuadratureGet(RUNG_TETRAHEDRON, degree, &rule));
    CHECK(rule->points == points[1][degree]);
  }
  PetscCall(RungQuadratureGet(RUNG_POINT, 4, &rule));
  CHECK(rule->points == 1 && rule->weight[0] == 1);
  return PETSC_SUCCESS;
}

/* The barycentric coordinates of every point, swapped, are those of another point of the same weight. */
static PetscErrorCode test_rules_of_simplices_are_symmetric(void)
{
  for (int three = 0; three < 2; ++three)
    for (PetscInt degree = 1; degree <= 20; ++degree) {
      const PetscInt        dim = 2 + three;
      const RungQuadrature *rule;

      PetscCall(RungQuadratureGet(three ? RUNG_TETRAHEDRON : RUNG_TRIANGLE, degree, &rule));
      for (PetscInt p = 0; p < rule->points; ++p) {
        PetscReal turned[3] = {1, 0, 0}; /* the cycle of all coordinates */
        PetscBool found     = PETSC_FALSE;

        for (PetscInt a = 0; a < dim; ++a) turned[0] -= rule->x[p * dim + a];
        for (PetscInt a = 1; a < dim; ++a) turned[a] = rule->x[p * dim + a - 1];
        for (PetscInt q = 0; q < rule->points; ++q) {
          PetscReal off = fabs(rule->weight[q] - rule->weight[p]);

          for (PetscInt a = 0; a < dim; ++a) off += fabs(rule->x[q * dim + a] - turned[a]);
          if (off < 1e-13) found = PETSC_TRUE;
        }
        CHECK(found);
      }
    }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_rule_is_made_once(void)
{
  const RungQuadrature *a, *b;

  PetscCall(RungQuadratureGet(RUNG_TRIANGLE, 3, &a));
  PetscCall(RungQuadratureGet(RUNG_TRIANGLE, 3, &b));
  CHECK(a == b);
  PetscCall(RungQuadratureGetFacet(RUNG_TRIANGLE, 1, 3, &a));
  PetscCall(RungQuadratureGetFacet(RUNG_TRIANGLE, 1, 3, &b));
  CHECK(a == b);
  return PETSC_SUCCESS;
}

/* sum over facets of int n_a x^e = int d(x^e)/dx_a */
static PetscErrorCode check_gauss_theorem(RungCellType type, PetscInt degree)
{
  const RungCell *cell = RungCellGet(type);
  PetscInt        e[3] = {0};

  do {
    for (PetscInt a = 0; a < cell->dim; ++a) {
      PetscInt  less[3] = {e[0], e[1], e[2]};
      PetscReal sum     = 0;

      for (PetscInt f = 0; f < cell->facets; ++f) {
        const RungQuadrature *rule;

        PetscCall(RungQuadratureGetFacet(type, f, degree, &rule));
        sum += cell->normal[f][a] * sum_monomial(rule, cell->dim, e);
      }
      if (e[a]) --less[a];
      CHECK_NEAR(sum, (PetscReal)e[a] * monomial_integral(cell, less), 1e-14);
    }
  } while (next_exponents(cell, degree, e));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_facet_rules_obey_gauss_theorem(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type)
    for (PetscInt degree = 0; degree <= 5; ++degree) PetscCall(check_gauss_theorem((RungCellType)type, degree));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_bad_requests_are_refused(void)
{
  const RungQuadrature *rule;

  CHECK_RAISES(RungQuadratureGet(RUNG_TRIANGLE, -1, &rule), "degree -1");
  CHECK_RAISES(RungQuadratureGet(RUNG_INTERVAL, 100000, &rule), "degree 100000 was asked for; wanted 0 to 200");
  CHECK_RAISES(RungQuadratureGetFacet(RUNG_TRIANGLE, 3, 2, &rule), "it has 3 facets");
  CHECK_RAISES(RungQuadratureGetFacet(RUNG_POINT, 0, 2, &rule), "it has 0 facets");
  return PETSC_SUCCESS;
}

/* To 2 p - 1 on each axis; the vertices of simplices. */
static PetscErrorCode test_rules_of_nodes_are_exact_to_their_degree(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    const RungCell *cell = RungCellGet((RungCellType)type);

    for (PetscInt p = 1; p <= 6; ++p) {
      const PetscInt        exact = cell->simplex && cell->dim > 1 ? 1 : 2 * p - 1;
      const RungQuadrature *rule;
      PetscInt              e[3] = {0};

      CHECK(RungQuadratureHasNodes((RungCellType)type, p) == (p == 1 || cell->dim == 1 || !cell->simplex));
      if (!RungQuadratureHasNodes((RungCellType)type, p)) continue;
      PetscCall(RungQuadratureGet((RungCellType)type, RUNG_QUADRATURE_NODES + p, &rule));
      do {
        CHECK_NEAR(sum_monomial(rule, cell->dim, e), monomial_integral(cell, e), 1e-14);
      } while (next_exponents(cell, exact, e));
      for (PetscInt q = 0; q < rule->points; ++q) CHECK(rule->weight[q] > 0);
    }
  }
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_rules_of_nodes_are_exact_to_their_degree),
               RUNG_TEST(test_rules_integrate_monomials_of_their_degree),
               RUNG_TEST(test_weights_are_positive_and_points_inside),
               RUNG_TEST(test_simplices_have_the_fewest_points_known), RUNG_TEST(test_rules_of_simplices_are_symmetric),
               RUNG_TEST(test_a_rule_is_made_once), RUNG_TEST(test_facet_rules_obey_gauss_theorem),
               RUNG_TEST(test_bad_requests_are_refused))
