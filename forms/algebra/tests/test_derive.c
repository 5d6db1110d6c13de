/* test_derive.c - derivatives against finite differences and known identities. */
#include "scalar_tools.h"

static RungScope scope;
static RungDag   dag;

static PetscErrorCode begin(const char cell[], PetscInt dim, const char spec[])
{
  PetscFunctionBegin;
  PetscCall(tools_scope(cell, dim, spec, NULL, &scope));
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

/* d s / d input in reverse mode */
static PetscErrorCode find_slope(RungScalar s, RungScalar input, RungScalar *d)
{
  const RungWhich   which = {1u << RUNG_IN_UNKNOWN, -1, -1};
  RungGraph         graph;
  const RungScalar *inputs;
  RungScalar       *all;
  PetscInt          n;

  PetscFunctionBegin;
  *d = dag->zero;
  PetscCall(RungGraphCreate(dag, 1, &s, &which, &graph));
  RungGraphGetInputs(graph, &n, &inputs);
  PetscCall(PetscMalloc1(n, &all));
  PetscCall(RungGraphReverse(graph, s, dag->one, all));
  for (PetscInt i = 0; i < n; ++i) {
    if (inputs[i] == input) *d = all[i];
  }
  PetscCall(PetscFree(all));
  PetscCall(RungGraphDestroy(&graph));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Operands that are numbers for ever: the order of a Bessel function, a table and the order of its derivative. */
static PetscBool is_parameter(RungOp op, int i)
{
  return (i == 0 && (op == RUNG_OP_JN || op == RUNG_OP_YN)) || (i > 0 && op == RUNG_OP_TABLE) ? PETSC_TRUE
                                                                                              : PETSC_FALSE;
}

static PetscErrorCode check_operator(RungOp op)
{
  static const double  cubic[]  = {2, 0, 1, 0.1, 0.2, -0.3, 0.4, 0.4}; /* of one interval */
  static const double *table[1] = {cubic};
  RungScalar           arg[3], s;

  PetscFunctionBegin;
  rung_tables = table;
  for (int i = 0; i < 3; ++i)
    arg[i] = is_parameter(op, i) ? RungDagNumber(dag, op == RUNG_OP_TABLE ? 0 : 2) : tools_unknown(dag, 0, i, 0, 0);
  s = RungDagOp(dag, op, arg);
  for (int i = 0; i < rung_ops[op].max; ++i) {
    if (is_parameter(op, i)) continue;
    for (tools_seed = 1; tools_seed <= 5; ++tools_seed) {
      RungScalar d;
      double     slope;

      PetscCall(find_slope(s, arg[i], &d));
      slope = tools_slope(dag, s, arg[i]);
      if (fabs(slope - tools_value(dag, d, -1, 0)) > 1e-7)
        fprintf(stderr, "operator \"%s\", operand %d\n", rung_ops[op].name, i);
      CHECK_NEAR(tools_value(dag, d, -1, 0), slope, 1e-7);
    }
  }
  tools_seed = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* noise() is left out: it is flat by decree */
static PetscErrorCode test_every_operator_has_the_slope_of_finite_differences(void)
{
  PetscFunctionBegin;
  PetscCall(begin("triangle", 2, "P2^3"));
  for (int op = 0; op < RUNG_OPS; ++op) {
    if (rung_ops[op].class_ == RUNG_CLASS_SCALAR && op != RUNG_OP_NOISE) PetscCall(check_operator((RungOp)op));
  }
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_det_and_inverse_have_their_classical_derivatives(void)
{
  const RungScalar *component, *cofactor, *inverse;

  PetscFunctionBegin;
  PetscCall(begin("tetrahedron", 3, "P2^d"));
  PetscCall(tools_expand(scope, dag, "cofactor(I + grad(u))", &cofactor));
  PetscCall(tools_expand(scope, dag, "F = I + grad(u); diff(det(F), F)", &component));
  for (int i = 0; i < 9; ++i) CHECK(component[i] == cofactor[i]);
  PetscCall(tools_expand(scope, dag, "inv(I + grad(u))", &inverse));
  PetscCall(tools_expand(scope, dag, "F = I + grad(u); diff(inv(F), F)", &component));
  for (int i = 0; i < 81; ++i) { /* d inv_ab / d F_kl = -inv_ak inv_lb */
    const int a = i / 27, b = i / 9 % 3, k = i / 3 % 3, l = i % 3;

    CHECK(component[i] == RungDagNeg(dag, RungDagMul(dag, inverse[3 * a + k], inverse[3 * l + b])));
  }
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_dt_raises_the_order_and_knows_data(void)
{
  const RungScalar *left, *right;

  PetscFunctionBegin;
  PetscCall(begin("triangle", 2, "P2"));
  PetscCall(tools_expand(scope, dag, "dt(u^3 + sin(2*t)*x[0])", &left));
  PetscCall(tools_expand(scope, dag, "3*u^2*dt(u) + 2*cos(2*t)*x[0]", &right));
  CHECK(left[0] == right[0]);
  PetscCall(tools_expand(scope, dag, "dt(u*u, 2)", &left));
  PetscCall(tools_expand(scope, dag, "2*dt(u)^2 + 2*u*dt(u, 2)", &right));
  CHECK(left[0] == right[0]);
  CHECK(*left != tools_unknown(dag, 0, 0, 2, 0));
  PetscCall(tools_expand(scope, dag, "dt(grad(u))", &left));
  CHECK(left[0] == tools_unknown(dag, 0, 0, 1, 1) && left[1] == tools_unknown(dag, 0, 0, 1, 2));
  CHECK_RAISES(tools_expand(scope, dag, "dt(dt(u)^2, 2)", &left), "order 3");
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_grad_of_products_and_second_derivatives(void)
{
  const RungScalar *left, *right;

  PetscFunctionBegin;
  PetscCall(begin("tetrahedron", 3, "P2"));
  PetscCall(tools_expand(scope, dag, "grad(u*x[1])", &left));
  PetscCall(tools_expand(scope, dag, "grad(u)*x[1] + u*unit(1)", &right));
  for (int i = 0; i < 3; ++i) CHECK(left[i] == right[i]);
  PetscCall(tools_expand(scope, dag, "grad(grad(u))", &left));
  for (int i = 0; i < 9; ++i) {
    static const int second[9] = {4, 5, 6, 5, 7, 8, 6, 8, 9};

    CHECK(left[i] == tools_unknown(dag, 0, 0, 0, second[i]));
  }
  PetscCall(tools_expand(scope, dag, "grad(h*t + volume)", &left));
  CHECK(left[0] == dag->zero);
  CHECK_RAISES(tools_expand(scope, dag, "grad(grad(grad(u)))", &left), "third derivative");
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_derive_is_the_directional_derivative(void)
{
  const RungScalar *left, *right;

  PetscFunctionBegin;
  PetscCall(begin("triangle", 2, "P2"));
  PetscCall(tools_expand(scope, dag, "derive(u^3 + inner(grad(u), grad(u))*x[0], u)", &left));
  PetscCall(tools_expand(scope, dag, "3*u^2*v + 2*inner(grad(u), grad(v))*x[0]", &right));
  CHECK(left[0] == right[0]);
  PetscCall(tools_expand(scope, dag, "derive(u*dt(u) + div(grad(u)), u, t*x[0]^2*u)", &left));
  PetscCall(tools_expand(scope, dag, "t*x[0]^2*u*dt(u) + u*dt(t*x[0]^2*u) + div(grad(t*x[0]^2*u))", &right));
  CHECK(left[0] == right[0]);
  CHECK_RAISES(tools_expand(scope, dag, "derive(dt(u)^2, u)", &left), "time derivative");
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_diff_holds_other_occurrences_fixed(void)
{
  const RungScalar *left, *right;

  PetscFunctionBegin;
  PetscCall(begin("triangle", 2, "P2"));
  PetscCall(tools_expand(scope, dag, "W = u^4 + u*inner(grad(u), grad(u)); diff(W, u)", &left));
  PetscCall(tools_expand(scope, dag, "4*u^3 + inner(grad(u), grad(u))", &right));
  CHECK(left[0] == right[0]);
  PetscCall(tools_expand(scope, dag, "g = grad(u); diff(inner(g, g)*u, g)", &left));
  PetscCall(tools_expand(scope, dag, "2*u*grad(u)", &right));
  CHECK(left[0] == right[0] && left[1] == right[1]);
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* the slope is 0 where the root is not taken, not 0 * inf */
static PetscErrorCode test_if_differentiates_inside_its_branches(void)
{
  const RungScalar *s;
  RungScalar        u, d;

  PetscFunctionBegin;
  PetscCall(begin("triangle", 2, "P2"));
  u = tools_unknown(dag, 0, 0, 0, 0);
  PetscCall(tools_expand(scope, dag, "x[0]*if(u > 0.1, sqrt(u - 0.1)*u, 0)", &s));
  PetscCall(find_slope(*s, u, &d));
  CHECK_NEAR(tools_value(dag, d, -1, 0), tools_slope(dag, *s, u), 1e-7);
  CHECK_NEAR(tools_value(dag, d, u, 0.1 - tools_value(dag, u, -1, 0)), 0, 0);
  CHECK_NEAR(tools_value(dag, d, u, -3), 0, 0);
  PetscCall(end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_every_operator_has_the_slope_of_finite_differences),
               RUNG_TEST(test_det_and_inverse_have_their_classical_derivatives),
               RUNG_TEST(test_dt_raises_the_order_and_knows_data),
               RUNG_TEST(test_grad_of_products_and_second_derivatives),
               RUNG_TEST(test_derive_is_the_directional_derivative), RUNG_TEST(test_diff_holds_other_occurrences_fixed),
               RUNG_TEST(test_if_differentiates_inside_its_branches))
