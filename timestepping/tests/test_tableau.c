/* test_tableau.c - order conditions by rooted trees, of Runge-Kutta, additive and Rosenbrock methods, row sums, stage order and limits of
   every tableau. */
#include "../explicit_impl.h"
#include "../step_impl.h"
#include "trees.h"
#include <check.h>

#define S RUNG_MAX_STAGES

/* ---- methods as trees.h has them -------------------------------------------------------------------------------- */

static void copy_row(PetscInt n, const PetscReal from[], TreeRow to)
{
  for (PetscInt i = 0; i < n; ++i) to[i] = from[i];
}

/* Largest order whose conditions hold. */
static PetscInt order_of(const RungTableau *t, const PetscReal weight[])
{
  TreeMethod method = {.kind = TREES_ADDITIVE, .stages = (int)t->stages, .colours = 1};
  TreeRow    w;

  for (PetscInt i = 0; i < t->stages; ++i) copy_row(i + 1, t->a + i * (i + 1) / 2, method.edge[0][i]);
  copy_row(t->stages, weight, w);
  return tree_order(&method, &w, 9);
}

static PetscErrorCode test_trees_are_counted(void)
{
  static const int wanted[] = {0, 1, 1, 2, 4, 9, 20, 48, 115};
  Tree             tree;

  PetscFunctionBegin;
  for (int n = 1; n <= 8; ++n) {
    int count = 1;

    tree_first(&tree, n);
    while (tree_next(&tree)) ++count;
    CHECK(count == wanted[n]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- additive methods ------------------------------------------------------------------------------------------- */

/* Both parts of a row, whose conditions are those of trees in two colours; hat: with the embedded weights.  moved: a coefficient, counted
   over A, b, explicit A, explicit b, that is changed by change; returns how many there are. */
static PetscErrorCode imex_order(const RungImexRow *row, PetscBool hat, PetscInt moved, PetscReal change,
                                 PetscInt *order, PetscInt *count)
{
  const PetscInt     s      = row->stages;
  TreeMethod         method = {.kind = TREES_ADDITIVE, .stages = (int)s, .colours = 2};
  TreeRow            weight[2];
  const RungTableau *implicit;
  PetscReal          both[2 * S];

  PetscFunctionBegin;
  PetscCall(RungImexImplicit(row, &implicit));
  for (PetscInt i = 0; i < s; ++i) {
    both[i]     = hat ? implicit->bhat[i] : implicit->b[i];
    both[s + i] = row->b && !hat ? row->b[i] : both[i];
    copy_row(i + 1, implicit->a + i * (i + 1) / 2, method.edge[0][i]);
    copy_row(i, row->a + i * (i - 1) / 2, method.edge[1][i]);
  }
  *count = 0;
  for (PetscInt i = 0; i < s; ++i) {
    for (PetscInt j = 0; j <= i; ++j) method.edge[0][i][j] += (*count)++ == moved ? change : 0;
    for (PetscInt j = 0; j < i; ++j) method.edge[1][i][j] += (*count)++ == moved ? change : 0;
  }
  for (PetscInt i = 0; i < 2 * s; ++i) both[i] += (*count)++ == moved ? change : 0;
  copy_row(s, both, weight[0]);
  copy_row(s, both + s, weight[1]);
  *order = tree_order(&method, weight, 6);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_both_parts_of_imex_methods_have_the_order_together(void)
{
  const RungImexRow *row;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(RungImexGetAll(&n, &row));
  CHECK(n == 18);
  for (PetscInt i = 0; i < n; ++i) {
    const RungTableau *implicit;
    PetscInt           order, embedded = 0, count, unseen = 0;

    PetscCall(RungImexImplicit(&row[i], &implicit));
    PetscCall(imex_order(&row[i], PETSC_FALSE, -1, 0, &order, &count));
    if (implicit->bhat) PetscCall(imex_order(&row[i], PETSC_TRUE, -1, 0, &embedded, &count));
    if (order != implicit->order || embedded != implicit->embedded)
      fprintf(stderr, "%s: orders %d and %d\n", row[i].name, (int)order, (int)embedded);
    CHECK(order == implicit->order && embedded == implicit->embedded);
    for (PetscInt moved = 0; moved < count; ++moved) {
      PetscInt less, same;

      PetscCall(imex_order(&row[i], PETSC_FALSE, moved, 1e-8, &less, &same));
      unseen += less >= order;
    }
    CHECK(order == 1 || unseen <= 1); /* of ars122, ars232 and ssp433 one stands in no condition */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Rosenbrock methods ----------------------------------------------------------------------------------------- */

/* A row in the terms of the literature:  Gamma = (1/gamma - C)^-1, alpha = A Gamma, b = m Gamma, the sums of rows c and d. */
typedef struct {
  PetscInt  s;
  PetscReal gamma, C[S * S], A[S * S], m[S], e[S], c[S], d[S];
  TreeRow   Gamma[S], alpha[S], weight[2]; /* b, b^ */
} Linear;

static void take(const RungRosenbrockRow *row, Linear *it)
{
  it->s     = row->stages;
  it->gamma = row->gamma;
  for (PetscInt i = 0; i < it->s; ++i) {
    for (PetscInt j = 0; j < i; ++j) {
      it->C[i * S + j] = row->C[i * (i - 1) / 2 + j];
      it->A[i * S + j] = row->a[i * (i - 1) / 2 + j];
    }
    it->m[i] = row->m[i];
    it->e[i] = row->e ? row->e[i] : 0;
    it->c[i] = row->c[i];
    it->d[i] = row->d[i];
  }
}

static void translate(Linear *it)
{
  for (PetscInt i = 0; i < it->s; ++i) {
    for (PetscInt j = 0; j < it->s; ++j) {
      long double g = i == j, a = 0;

      for (PetscInt k = 0; k < i; ++k) g += it->C[i * S + k] * it->Gamma[k][j];
      it->Gamma[i][j] = j > i ? 0 : g * it->gamma;
      for (PetscInt k = 0; k < i; ++k) a += it->A[i * S + k] * it->Gamma[k][j];
      it->alpha[i][j] = a;
    }
  }
  for (PetscInt j = 0; j < it->s; ++j) {
    it->weight[0][j] = it->weight[1][j] = 0;
    for (PetscInt i = 0; i < it->s; ++i) {
      it->weight[0][j] += it->m[i] * it->Gamma[i][j];
      it->weight[1][j] += (it->m[i] - it->e[i]) * it->Gamma[i][j];
    }
  }
}

/* The largest distance of c and d from the sums of rows. */
static double off_times(const Linear *it)
{
  double worst = 0;

  for (PetscInt i = 0; i < it->s; ++i) {
    long double c = 0, d = 0;

    for (PetscInt j = 0; j <= i; ++j) c += it->alpha[i][j], d += it->Gamma[i][j];
    worst = fmax(worst, (double)fmaxl(fabsl(c - it->c[i]), fabsl(d - it->d[i])));
  }
  return worst;
}

static PetscInt linear_order(Linear *it, TreeKind kind, TreeRow weight[])
{
  TreeMethod method = {.kind = kind, .stages = (int)it->s, .colours = kind == TREES_W ? 2 : 1};

  for (PetscInt i = 0; i < it->s; ++i) {
    for (PetscInt j = 0; j <= i; ++j) {
      method.edge[0][i][j] = it->alpha[i][j];
      method.edge[1][i][j] = it->Gamma[i][j] + (kind == TREES_W ? 0 : it->alpha[i][j]);
    }
  }
  return tree_order(&method, weight, kind == TREES_W ? 5 : 7);
}

/* Bits of the rows, of alpha and of alpha + Gamma, that are weights: a step may end in a stage, and stand in its argument. */
static void find_ends(const Linear *it, PetscInt ends[4])
{
  for (int kind = 0; kind < 4; ++kind) {
    ends[kind] = 0;
    for (PetscInt i = 0; i < it->s; ++i) {
      long double off = 0;

      for (PetscInt j = 0; j < it->s; ++j)
        off = fmaxl(off, fabsl(it->alpha[i][j] + (kind / 2 ? it->Gamma[i][j] : 0) - it->weight[kind % 2][j]));
      if (off <= TREE_DIGITS) ends[kind] |= (PetscInt)1 << i;
    }
  }
}

static PetscErrorCode test_rosenbrock_methods_have_the_orders_of_their_table(void)
{
  const RungRosenbrockRow *row;
  PetscInt                 n;

  PetscFunctionBegin;
  PetscCall(RungRosenbrockGetAll(&n, &row));
  CHECK(n == 36);
  for (PetscInt i = 0; i < n; ++i) {
    Linear   it;
    PetscInt order, embedded, w;

    memset(&it, 0, sizeof it);
    take(&row[i], &it);
    translate(&it);
    order    = linear_order(&it, TREES_ROSENBROCK, it.weight);
    embedded = row[i].e ? linear_order(&it, TREES_ROSENBROCK, it.weight + 1) : 0;
    w        = linear_order(&it, TREES_W, it.weight);
    if (order != row[i].order || embedded != row[i].embedded || w != row[i].w_order || off_times(&it) > TREE_DIGITS)
      fprintf(stderr, "%s: orders %d, %d embedded, %d with any matrix, times off by %.1e\n", row[i].name, (int)order,
              (int)embedded, (int)w, off_times(&it));
    CHECK(order == row[i].order && embedded == row[i].embedded && w == row[i].w_order);
    CHECK(off_times(&it) <= TREE_DIGITS);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Weights of estimates that are left free by their order. */
static PetscBool is_free(const char name[], int list, PetscInt j)
{
  return list == 3 && ((j == 1 && !strcmp(name, "ros2pr")) || (j == 2 && !strcmp(name, "ros2s")) ||
                       (j == 7 && !strcmp(name, "rodas5pe")))
           ? PETSC_TRUE
           : PETSC_FALSE;
}

/* Each coefficient moved by 1e-8 is noticed: by the times, by an order, or by the end of the step. */
static PetscErrorCode test_an_altered_coefficient_of_a_rosenbrock_method_is_noticed(void)
{
  const RungRosenbrockRow *row;
  PetscInt                 n;

  PetscFunctionBegin;
  PetscCall(RungRosenbrockGetAll(&n, &row));
  for (PetscInt i = 0; i < n; ++i) {
    Linear           it;
    PetscReal *const list[] = {it.C, it.A, it.m, it.e, it.c, it.d, &it.gamma};
    PetscInt         ends[2][4];

    memset(&it, 0, sizeof it);
    take(&row[i], &it);
    translate(&it);
    find_ends(&it, ends[0]);
    for (int l = 0; l < 7; ++l) {
      const PetscInt size = l < 2 ? S * it.s : l < 6 ? it.s : 1;

      for (PetscInt j = 0; j < size; ++j) {
        const PetscReal kept = list[l][j];
        PetscBool       seen;

        if (l < 2 && j % S >= j / S) continue;
        if (l == 3 && !row[i].e) continue;
        list[l][j] += 1e-8;
        translate(&it);
        find_ends(&it, ends[1]);
        seen = memcmp(ends[0], ends[1], sizeof ends[0]) || off_times(&it) > TREE_DIGITS ||
               linear_order(&it, TREES_ROSENBROCK, it.weight) < row[i].order ||
               (row[i].e && linear_order(&it, TREES_ROSENBROCK, it.weight + 1) < row[i].embedded);
        if (!seen && !is_free(row[i].name, l, j))
          fprintf(stderr, "%s: coefficient %d of list %d may be another\n", row[i].name, (int)j, l);
        CHECK(seen || is_free(row[i].name, l, j));
        list[l][j] = kept;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Runge-Kutta methods ---------------------------------------------------------------------------------------- */

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
    const RungExplicitMore *more  = RungExplicitFindMore(t[i].name);
    const PetscInt          order = order_of(&t[i], t[i].b), embedded = t[i].bhat ? order_of(&t[i], t[i].bhat) : 0;

    if (order != t[i].order || embedded != t[i].embedded)
      fprintf(stderr, "%s: orders %d and %d\n", t[i].key, (int)order, (int)embedded);
    CHECK(order == t[i].order && embedded == t[i].embedded);
    if (more && more->bhat) CHECK(order_of(&t[i], more->bhat) == 3);
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

/* RK1(2): an estimate of a 512th of a difference, beside an error of h^3/6. */
static PetscErrorCode test_one_explicit_pair_hides_its_error(void)
{
  const RungTableau *all;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(RungExplicitGetAll(&n, &all));
  for (PetscInt i = 0; i < n; ++i) {
    const PetscReal times = RungTableauHides(&all[i]);

    if (!strcmp(all[i].name, "fehlberg21"))
      CHECK_NEAR(times, 22, 2);
    else
      CHECK(times < 5);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_one_explicit_pair_hides_its_error),
               RUNG_TEST(test_explicit_methods_are_what_their_table_says), RUNG_TEST(test_trees_are_counted),
               RUNG_TEST(test_both_parts_of_imex_methods_have_the_order_together),
               RUNG_TEST(test_rosenbrock_methods_have_the_orders_of_their_table),
               RUNG_TEST(test_an_altered_coefficient_of_a_rosenbrock_method_is_noticed),
               RUNG_TEST(test_orders_are_those_of_the_table), RUNG_TEST(test_rows_sum_to_c_and_weights_to_one),
               RUNG_TEST(test_stage_orders_are_those_of_the_table), RUNG_TEST(test_limits_are_those_of_the_table),
               RUNG_TEST(test_final_stage_goes_with_stiff_accuracy), RUNG_TEST(test_an_altered_coefficient_is_noticed),
               RUNG_TEST(test_names_and_keys_lead_to_one_tableau))
