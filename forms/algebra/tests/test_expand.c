/* test_expand.c - components of tensor expressions against index notation written out by hand. */
#include "scalar_tools.h"

static RungScope scope;
static RungDag   dag;

static PetscErrorCode Begin(PetscInt dim)
{
  PetscFunctionBegin;
  PetscCall(ToolsScope(dim == 2 ? "triangle" : "tetrahedron", dim, dim == 2 ? "P2^2" : "P2^3",
                       dim == 2 ? "P2^2x2" : "P2^3x3", &scope));
  PetscCall(RungDagCreate(scope, &dag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode End(void)
{
  PetscFunctionBegin;
  PetscCall(RungDagDestroy(&dag));
  PetscCall(RungScopeDestroy(&scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* values of u and of the tensor p */
static double U(int i)
{
  return ToolsInput(RungDagGetInput(dag, ToolsUnknown(dag, 0, i, 0, 0)));
}
static double P(int i, int j, int m)
{
  return ToolsInput(RungDagGetInput(dag, ToolsUnknown(dag, 1, i * m + j, 0, 0)));
}
static double G(int i, int j)
{
  return ToolsInput(RungDagGetInput(dag, ToolsUnknown(dag, 0, i, 0, 1 + j)));
}
static double Value(const RungScalar component[], int i)
{
  return ToolsValue(dag, component[i], -1, 0);
}

static PetscErrorCode test_contractions_and_products(void)
{
  const RungScalar *inner, *dot, *matrix, *outer;
  double            sum = 0, row, all;

  PetscFunctionBegin;
  PetscCall(Begin(3));
  PetscCall(ToolsExpand(scope, dag, "inner(p, transpose(p))", &inner));
  PetscCall(ToolsExpand(scope, dag, "dot(p, u)", &dot));
  PetscCall(ToolsExpand(scope, dag, "dot(p, p)", &matrix));
  PetscCall(ToolsExpand(scope, dag, "outer(u, p)", &outer));
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      all = 0;
      for (int k = 0; k < 3; ++k) all += P(i, k, 3) * P(k, j, 3);
      for (int k = 0; k < 3; ++k) CHECK_NEAR(Value(outer, 9 * k + 3 * i + j), U(k) * P(i, j, 3), 1e-14);
      CHECK_NEAR(Value(matrix, 3 * i + j), all, 1e-14);
      sum += P(i, j, 3) * P(j, i, 3);
    }
    row = P(i, 0, 3) * U(0) + P(i, 1, 3) * U(1) + P(i, 2, 3) * U(2);
    CHECK_NEAR(Value(dot, i), row, 1e-14);
  }
  CHECK_NEAR(Value(inner, 0), sum, 1e-13);
  PetscCall(End());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_det_inverse_and_cofactor(void)
{
  PetscFunctionBegin;
  for (int m = 2; m <= 3; ++m) {
    const RungScalar *det, *inverse, *cofactor;

    PetscCall(Begin(m));
    PetscCall(ToolsExpand(scope, dag, "det(p)", &det));
    PetscCall(ToolsExpand(scope, dag, "inv(p)", &inverse));
    PetscCall(ToolsExpand(scope, dag, "cofactor(p)", &cofactor));
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < m; ++j) {
        double one = 0, expansion = 0;

        for (int k = 0; k < m; ++k) one += P(i, k, m) * Value(inverse, k * m + j);
        for (int k = 0; k < m; ++k) expansion += P(i, k, m) * Value(cofactor, j * m + k);
        CHECK_NEAR(one, i == j, 1e-12);
        CHECK_NEAR(expansion, i == j ? Value(det, 0) : 0, 1e-14);
      }
    }
    if (m == 2) CHECK_NEAR(Value(det, 0), P(0, 0, 2) * P(1, 1, 2) - P(0, 1, 2) * P(1, 0, 2), 1e-15);
    PetscCall(End());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_parts_of_a_tensor(void)
{
  const RungScalar *dev, *sym, *skew, *tr;

  PetscFunctionBegin;
  PetscCall(Begin(3));
  PetscCall(ToolsExpand(scope, dag, "dev(p)", &dev));
  PetscCall(ToolsExpand(scope, dag, "sym(p)", &sym));
  PetscCall(ToolsExpand(scope, dag, "skew(p)", &skew));
  PetscCall(ToolsExpand(scope, dag, "tr(p)", &tr));
  CHECK_NEAR(Value(tr, 0), P(0, 0, 3) + P(1, 1, 3) + P(2, 2, 3), 1e-15);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      CHECK_NEAR(Value(dev, 3 * i + j), P(i, j, 3) - (i == j) * Value(tr, 0) / 3, 1e-15);
      CHECK_NEAR(Value(sym, 3 * i + j), (P(i, j, 3) + P(j, i, 3)) / 2, 1e-15);
      CHECK_NEAR(Value(skew, 3 * i + j), (P(i, j, 3) - P(j, i, 3)) / 2, 1e-15);
    }
  }
  CHECK(sym[1] == sym[3]);
  PetscCall(End());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_cross_curl_and_divergence(void)
{
  const RungScalar *cross, *curl, *div;

  PetscFunctionBegin;
  PetscCall(Begin(3));
  PetscCall(ToolsExpand(scope, dag, "cross(u, x)", &cross));
  PetscCall(ToolsExpand(scope, dag, "curl(u)", &curl));
  PetscCall(ToolsExpand(scope, dag, "div(u*x[0])", &div));
  for (int i = 0; i < 3; ++i) {
    const int       j = (i + 1) % 3, k = (i + 2) % 3;
    const RungInput xj = {.kind = RUNG_IN_X, .index = j}, xk = {.kind = RUNG_IN_X, .index = k};

    CHECK_NEAR(Value(cross, i), U(j) * ToolsInput(&xk) - U(k) * ToolsInput(&xj), 1e-15);
    CHECK_NEAR(Value(curl, i), G(k, j) - G(j, k), 1e-15);
  }
  CHECK_NEAR(Value(div, 0), (G(0, 0) + G(1, 1) + G(2, 2)) * ToolsInput(&(RungInput){.kind = RUNG_IN_X}) + U(0), 1e-14);
  PetscCall(End());
  PetscCall(Begin(2));
  PetscCall(ToolsExpand(scope, dag, "cross(u, x)", &cross));
  PetscCall(ToolsExpand(scope, dag, "curl(u)", &curl));
  CHECK_NEAR(Value(cross, 0),
             U(0) * ToolsInput(&(RungInput){.kind = RUNG_IN_X, .index = 1}) -
               U(1) * ToolsInput(&(RungInput){.kind = RUNG_IN_X}),
             1e-15);
  CHECK_NEAR(Value(curl, 0), G(1, 0) - G(0, 1), 1e-15);
  PetscCall(End());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_grad_index_vector_and_unit(void)
{
  const RungScalar *grad, *row, *one, *vector, *unit;

  PetscFunctionBegin;
  PetscCall(Begin(3));
  PetscCall(ToolsExpand(scope, dag, "grad(u)", &grad));
  PetscCall(ToolsExpand(scope, dag, "p[1]", &row));
  PetscCall(ToolsExpand(scope, dag, "p[1, 2]", &one));
  PetscCall(ToolsExpand(scope, dag, "vector(u, 2*x)", &vector));
  PetscCall(ToolsExpand(scope, dag, "unit(2)", &unit));
  for (int i = 0; i < 9; ++i) CHECK_NEAR(Value(grad, i), G(i / 3, i % 3), 0);
  for (int j = 0; j < 3; ++j) {
    CHECK_NEAR(Value(row, j), P(1, j, 3), 0);
    CHECK_NEAR(Value(vector, j), U(j), 0);
    CHECK_NEAR(Value(vector, 3 + j), 2 * ToolsInput(&(RungInput){.kind = RUNG_IN_X, .index = j}), 1e-15);
    CHECK_NEAR(Value(unit, j), j == 2, 0);
  }
  CHECK_NEAR(Value(one, 0), P(1, 2, 3), 0);
  PetscCall(End());
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_contractions_and_products), RUNG_TEST(test_det_inverse_and_cofactor),
               RUNG_TEST(test_parts_of_a_tensor), RUNG_TEST(test_cross_curl_and_divergence),
               RUNG_TEST(test_grad_index_vector_and_unit))
