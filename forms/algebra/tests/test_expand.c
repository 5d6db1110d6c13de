/* test_expand.c - components of tensor expressions against index notation written out by hand. */
#include "scalar_tools.h"

static RungScope scope;
static RungDag   dag;

static PetscErrorCode begin(PetscInt dim)
{
  PetscFunctionBegin;
  PetscCall(tools_scope(dim == 2 ? "triangle" : "tetrahedron", dim, dim == 2 ? "P2^2" : "P2^3",
                        dim == 2 ? "P2^2x2" : "P2^3x3", &scope));
  PetscCall(RungDagCreate(scope, &dag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(void)
{
  PetscFunctionBegin;
  PetscCall(RungDagDestroy(&dag));
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* values of u and of the tensor p */
static double value_u(int i)
{
  return tools_input(RungDagGetInput(dag, tools_unknown(dag, 0, i, 0, 0)));
}
static double value_p(int i, int j, int m)
{
  return tools_input(RungDagGetInput(dag, tools_unknown(dag, 1, i * m + j, 0, 0)));
}
static double slope_u(int i, int j)
{
  return tools_input(RungDagGetInput(dag, tools_unknown(dag, 0, i, 0, 1 + j)));
}
static double value(const RungScalar component[], int i)
{
  return tools_value(dag, component[i], -1, 0);
}

static PetscErrorCode test_contractions_and_products(void)
{
  const RungScalar *inner, *dot, *matrix, *outer;
  double            sum = 0, row, all;

  PetscFunctionBegin;
  PetscCall(begin(3));
  PetscCall(tools_expand(scope, dag, "inner(p, transpose(p))", &inner));
  PetscCall(tools_expand(scope, dag, "dot(p, u)", &dot));
  PetscCall(tools_expand(scope, dag, "dot(p, p)", &matrix));
  PetscCall(tools_expand(scope, dag, "outer(u, p)", &outer));
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      all = 0;
      for (int k = 0; k < 3; ++k) all += value_p(i, k, 3) * value_p(k, j, 3);
      for (int k = 0; k < 3; ++k) CHECK_NEAR(value(outer, 9 * k + 3 * i + j), value_u(k) * value_p(i, j, 3), 1e-14);
      CHECK_NEAR(value(matrix, 3 * i + j), all, 1e-14);
      sum += value_p(i, j, 3) * value_p(j, i, 3);
    }
    row = value_p(i, 0, 3) * value_u(0) + value_p(i, 1, 3) * value_u(1) + value_p(i, 2, 3) * value_u(2);
    CHECK_NEAR(value(dot, i), row, 1e-14);
  }
  CHECK_NEAR(value(inner, 0), sum, 1e-13);
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_det_inverse_and_cofactor(void)
{
  PetscFunctionBegin;
  for (int m = 2; m <= 3; ++m) {
    const RungScalar *det, *inverse, *cofactor;

    PetscCall(begin(m));
    PetscCall(tools_expand(scope, dag, "det(p)", &det));
    PetscCall(tools_expand(scope, dag, "inv(p)", &inverse));
    PetscCall(tools_expand(scope, dag, "cofactor(p)", &cofactor));
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < m; ++j) {
        double one = 0, expansion = 0;

        for (int k = 0; k < m; ++k) one += value_p(i, k, m) * value(inverse, k * m + j);
        for (int k = 0; k < m; ++k) expansion += value_p(i, k, m) * value(cofactor, j * m + k);
        CHECK_NEAR(one, i == j, 1e-12);
        CHECK_NEAR(expansion, i == j ? value(det, 0) : 0, 1e-14);
      }
    }
    if (m == 2)
      CHECK_NEAR(value(det, 0), value_p(0, 0, 2) * value_p(1, 1, 2) - value_p(0, 1, 2) * value_p(1, 0, 2), 1e-15);
    PetscCall(end());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_parts_of_a_tensor(void)
{
  const RungScalar *dev, *sym, *skew, *tr;

  PetscFunctionBegin;
  PetscCall(begin(3));
  PetscCall(tools_expand(scope, dag, "dev(p)", &dev));
  PetscCall(tools_expand(scope, dag, "sym(p)", &sym));
  PetscCall(tools_expand(scope, dag, "skew(p)", &skew));
  PetscCall(tools_expand(scope, dag, "tr(p)", &tr));
  CHECK_NEAR(value(tr, 0), value_p(0, 0, 3) + value_p(1, 1, 3) + value_p(2, 2, 3), 1e-15);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      CHECK_NEAR(value(dev, 3 * i + j), value_p(i, j, 3) - (i == j) * value(tr, 0) / 3, 1e-15);
      CHECK_NEAR(value(sym, 3 * i + j), (value_p(i, j, 3) + value_p(j, i, 3)) / 2, 1e-15);
      CHECK_NEAR(value(skew, 3 * i + j), (value_p(i, j, 3) - value_p(j, i, 3)) / 2, 1e-15);
    }
  }
  CHECK(sym[1] == sym[3]);
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_cross_curl_and_divergence(void)
{
  const RungScalar *cross, *curl, *div;

  PetscFunctionBegin;
  PetscCall(begin(3));
  PetscCall(tools_expand(scope, dag, "cross(u, x)", &cross));
  PetscCall(tools_expand(scope, dag, "curl(u)", &curl));
  PetscCall(tools_expand(scope, dag, "div(u*x[0])", &div));
  for (int i = 0; i < 3; ++i) {
    const int       j = (i + 1) % 3, k = (i + 2) % 3;
    const RungInput xj = {.kind = RUNG_IN_X, .index = j}, xk = {.kind = RUNG_IN_X, .index = k};

    CHECK_NEAR(value(cross, i), value_u(j) * tools_input(&xk) - value_u(k) * tools_input(&xj), 1e-15);
    CHECK_NEAR(value(curl, i), slope_u(k, j) - slope_u(j, k), 1e-15);
  }
  CHECK_NEAR(
    value(div, 0),
    (slope_u(0, 0) + slope_u(1, 1) + slope_u(2, 2)) * tools_input(&(RungInput){.kind = RUNG_IN_X}) + value_u(0), 1e-14);
  PetscCall(end());
  PetscCall(begin(2));
  PetscCall(tools_expand(scope, dag, "cross(u, x)", &cross));
  PetscCall(tools_expand(scope, dag, "curl(u)", &curl));
  CHECK_NEAR(value(cross, 0),
             value_u(0) * tools_input(&(RungInput){.kind = RUNG_IN_X, .index = 1}) -
               value_u(1) * tools_input(&(RungInput){.kind = RUNG_IN_X}),
             1e-15);
  CHECK_NEAR(value(curl, 0), slope_u(1, 0) - slope_u(0, 1), 1e-15);
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_grad_index_vector_and_unit(void)
{
  const RungScalar *grad, *row, *one, *vector, *unit;

  PetscFunctionBegin;
  PetscCall(begin(3));
  PetscCall(tools_expand(scope, dag, "grad(u)", &grad));
  PetscCall(tools_expand(scope, dag, "p[1]", &row));
  PetscCall(tools_expand(scope, dag, "p[1, 2]", &one));
  PetscCall(tools_expand(scope, dag, "vector(u, 2*x)", &vector));
  PetscCall(tools_expand(scope, dag, "unit(2)", &unit));
  for (int i = 0; i < 9; ++i) CHECK_NEAR(value(grad, i), slope_u(i / 3, i % 3), 0);
  for (int j = 0; j < 3; ++j) {
    CHECK_NEAR(value(row, j), value_p(1, j, 3), 0);
    CHECK_NEAR(value(vector, j), value_u(j), 0);
    CHECK_NEAR(value(vector, 3 + j), 2 * tools_input(&(RungInput){.kind = RUNG_IN_X, .index = j}), 1e-15);
    CHECK_NEAR(value(unit, j), j == 2, 0);
  }
  CHECK_NEAR(value(one, 0), value_p(1, 2, 3), 0);
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_contractions_and_products), RUNG_TEST(test_det_inverse_and_cofactor),
               RUNG_TEST(test_parts_of_a_tensor), RUNG_TEST(test_cross_curl_and_divergence),
               RUNG_TEST(test_grad_index_vector_and_unit))
