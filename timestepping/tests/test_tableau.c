/* test_tableau.c - order conditions by rooted trees, row sums, stage order and limits of every tableau. */
#include "../step_impl.h"
#include "../tableau_impl.h"
#include <check.h>

#define S RUNG_MAX_STAGES

/* ---- rooted trees by level sequences (Beyer and Hedetniemi 1980) ------------------------------------------------ */

static PetscBool next_tree(int n, int level[])
{
  int p = n - 1, q;

  while (p > 0 && level[p] == 2) --p;
  if (p <= 0 || level[p] < 2) return PETSC_FALSE;
  q = p - 1;
  while (level[q] != level[p] - 1) --q;
  for (int i = p; i < n; ++i) level[i] = level[i - (p - q)];
  return PETSC_TRUE;
}

/* weight . Phi(tree) - 1/gamma(tree); Phi of a node is the product of A Phi over its children. */
static double defect(const RungTableau *t, const PetscReal weight[], int n, const int level[])
{
  const int s = (int)t->stages;
  double    phi[10][S], gamma = 1, sum = 0;
  int       size[10];

  for (int i = n - 1; i >= 0; --i) {
    size[i] = 1;
    for (int j = 0; j < s; ++j) phi[i][j] = 1;
    for (int c = i + 1; c < n && level[c] > level[i]; ++c) {
      if (level[c] != level[i] + 1) continue;
      size[i] += size[c];
      for (int j = 0; j < s; ++j) {
        double a = 0;

        for (int k = 0; k <= j; ++k) a += RungTableauA(t, j, k) * phi[c][k];
        phi[i][j] *= a;
      }
    }
    gamma *= size[i];
  }
  for (int j = 0; j < s; ++j) sum += weight[j] * phi[0][j];
  return fabs(sum - 1 / gamma);
}

static double worst_defect(const RungTableau *t, const PetscReal weight[], int n)
{
  int    level[10];
  double worst = 0;

  for (int i = 0; i < n; ++i) level[i] = i + 1;
  do worst = PetscMax(worst, defect(t, weight, n, level));
  while (next_tree(n, level));
  return worst;
}

/* Largest order whose conditions hold; digits of the sources: 15 at least. */
static PetscInt order_of(const RungTableau *t, const PetscReal weight[])
{
  double most = 1;
  int    p    = 0;

  for (PetscInt i = 0; i < t->stages; ++i) most = PetscMax(most, fabs(weight[i]));
  while (p < 9 && worst_defect(t, weight, p + 1) < 1e-11 * most) ++p; /* weights reach 176 */
  return p;
}

static PetscErrorCode test_trees_are_counted(void)
{
  static const int wanted[] = {0, 1, 1, 2, 4, 9, 20, 48, 115};

  PetscFunctionBegin;
  for (int n = 1; n <= 8; ++n) {
    int level[10], count = 1;

    for (int i = 0; i < n; ++i) level[i] = i + 1;
    while (next_tree(n, level)) ++count;
    CHECK(count == wanted[n]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_orders_are_those_of_the_table(void)
{
  const RungTableau *t;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(RungTableauGetAll(&n, &t));
  CHECK(n == 50);
  for (PetscInt i = 0; i < n; ++i) {
    const PetscInt order = order_of(&t[i], t[i].b), embedded = t[i].bhat ? order_of(&t[i], t[i].bhat) : 0;

    if (order != t[i].order || embedded != t[i].embedded) {
      fprintf(stderr, "%s: orders %d and %d\n", t[i].key, (int)order, (int)embedded);
    }
    CHECK(order == t[i].order);
    CHECK(embedded == t[i].embedded);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_rows_sum_to_c_and_weights_to_one(void)
{
  const RungTableau *t;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(RungTableauGetAll(&n, &t));
  for (PetscInt i = 0; i < n; ++i) {
    double total = 0;

    for (PetscInt j = 0; j < t[i].stages; ++j) {
      double sum = 0;

      for (PetscInt k = 0; k <= j; ++k) sum += RungTableauA(&t[i], j, k);
      CHECK_NEAR(sum, t[i].c[j], 1e-14);
      total += t[i].b[j];
    }
    CHECK_NEAR(total, 1, 1e-14);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B(q) and C(q) hold */
static PetscInt stage_order(const RungTableau *t)
{
  PetscInt q = 0;
  double   worst;

  do {
    double b = 0;

    worst = 0;
    for (PetscInt i = 0; i < t->stages; ++i) {
      double a = 0;

      for (PetscInt j = 0; j <= i; ++j) a += RungTableauA(t, i, j) * pow(t->c[j], (double)q);
      worst = PetscMax(worst, fabs(a - pow(t->c[i], (double)q + 1) / (double)(q + 1)));
      b += t->b[i] * pow(t->c[i], (double)q);
    }
    worst = PetscMax(worst, fabs(b - 1 / (double)(q + 1)));
    if (worst < 1e-11) ++q;
  } while (worst < 1e-11);
  return q;
}

static PetscErrorCode test_stage_orders_are_those_of_the_table(void)
{
  const RungTableau *t;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(RungTableauGetAll(&n, &t));
  for (PetscInt i = 0; i < n; ++i) CHECK(stage_order(&t[i]) == t[i].stage_order);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Explicit methods: coefficients of the largest reach 60, and their digits are those of doubles at some. */
static PetscErrorCode test_explicit_methods_are_what_their_table_says(void)
{
  const RungTableau *t;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(RungExplicitGetAll(&n, &t));
  for (PetscInt i = 0; i < n; ++i) {
    const PetscInt order = order_of(&t[i], t[i].b), embedded = t[i].bhat ? order_of(&t[i], t[i].bhat) : 0;

    if (order != t[i].order || embedded != t[i].embedded)
      fprintf(stderr, "%s: orders %d and %d\n", t[i].key, (int)order, (int)embedded);
    CHECK(order == t[i].order && embedded == t[i].embedded);
    CHECK(stage_order(&t[i]) == t[i].stage_order);
    for (PetscInt j = 0; j < t[i].stages; ++j) {
      double sum = 0;

      for (PetscInt k = 0; k < j; ++k) sum += RungTableauA(&t[i], j, k);
      CHECK(RungTableauA(&t[i], j, j) == 0);
      CHECK_NEAR(sum, t[i].c[j], 1e-13);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* R(z) = 1 + z w . (I - z A)^-1 1 by forward substitution */
static long double stability(const RungTableau *t, const PetscReal weight[], long double z)
{
  long double u[S], sum = 1;

  for (PetscInt i = 0; i < t->stages; ++i) {
    long double known = 1;

    for (PetscInt j = 0; j < i; ++j) known += z * RungTableauA(t, i, j) * u[j];
    u[i] = known / (1 - z * RungTableauA(t, i, i));
    sum += z * weight[i] * u[i];
  }
  return sum;
}

/* Rounded coefficients leave a part that grows like 1e-14 z at methods with an explicit stage: z = -1e5 is infinity. */
static PetscErrorCode test_limits_are_those_of_the_table(void)
{
  const RungTableau *t;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(RungTableauGetAll(&n, &t));
  for (PetscInt i = 0; i < n; ++i) {
    CHECK_NEAR((double)stability(&t[i], t[i].b, -1e5L), t[i].limit, 2e-3);
    if (!t[i].bhat) continue;
    if (t[i].embedded_limit == PETSC_INFINITY)
      CHECK(fabsl(stability(&t[i], t[i].bhat, -1e13L)) > 100);
    else
      CHECK_NEAR((double)stability(&t[i], t[i].bhat, -1e5L), t[i].embedded_limit, 1e-2);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_final_stage_goes_with_stiff_accuracy(void)
{
  const RungTableau *t;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(RungTableauGetAll(&n, &t));
  for (PetscInt i = 0; i < n; ++i) {
    CHECK((RungTableauFinal(&t[i]) >= 0) == t[i].stiffly_accurate);
    for (PetscInt j = 1; j < t[i].stages; ++j) CHECK(RungTableauA(&t[i], j, j) > 0);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The checker must be able to fail: every coefficient of every method, moved by 1e-7, is noticed. */
static PetscErrorCode test_an_altered_coefficient_is_noticed(void)
{
  const RungTableau *t;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(RungTableauGetAll(&n, &t));
  for (PetscInt i = 0; i < n; ++i) {
    const PetscInt entries = t[i].stages * (t[i].stages + 1) / 2;
    PetscReal      a[S * (S + 1) / 2], b[S];
    RungTableau    altered = t[i];

    memcpy(a, t[i].a, (size_t)entries * sizeof *a);
    memcpy(b, t[i].b, (size_t)t[i].stages * sizeof *b);
    altered.a = a;
    altered.b = b;
    b[0] += 1e-7;
    CHECK(order_of(&altered, b) < t[i].order);
    b[0] = t[i].b[0];
    for (PetscInt j = 0; j < entries; ++j) {
      PetscReal sum = 0;
      PetscInt  row = 0;

      while ((row + 1) * (row + 2) / 2 <= j) ++row;
      a[j] += 1e-7;
      for (PetscInt k = 0; k <= row; ++k) sum += RungTableauA(&altered, row, k);
      CHECK(fabs(sum - t[i].c[row]) > 1e-14);
      a[j] = t[i].a[j];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_names_and_keys_lead_to_one_tableau(void)
{
  static const char *const pairs[][2] = {
    {"euler", "backward_euler_1_1"},           {"midpoint", "implicit_midpoint_1_2"},
    {"trapezoid", "implicit_trapezoidal_2_2"}, {"alexander2", "sdirk2_alexander"},
    {"alexander3", "sdirk3_alexander"},        {"trbdf2", "trbdf2_3_3_2"},
    {"esdirk32", "esdirk325l2sa_5_2_3"},       {"esdirk43", "esdirk436l2sa_6_3_4"},
    {"esdirk54", "esdirk547l2sa2_7_4_5"}};
  const RungTableau *a, *b;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(pairs); ++i) {
    PetscCall(RungTableauFind(pairs[i][0], &a));
    PetscCall(RungTableauFind(pairs[i][1], &b));
    CHECK(a && a == b);
  }
  PetscCall(RungTableauFind("esdirk34", &a));
  CHECK(!a);
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_explicit_methods_are_what_their_table_says), RUNG_TEST(test_trees_are_counted),
               RUNG_TEST(test_orders_are_those_of_the_table), RUNG_TEST(test_rows_sum_to_c_and_weights_to_one),
               RUNG_TEST(test_stage_orders_are_those_of_the_table), RUNG_TEST(test_limits_are_those_of_the_table),
               RUNG_TEST(test_final_stage_goes_with_stiff_accuracy), RUNG_TEST(test_an_altered_coefficient_is_noticed),
               RUNG_TEST(test_names_and_keys_lead_to_one_tableau))
