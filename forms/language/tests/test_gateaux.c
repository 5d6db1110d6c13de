/* test_gateaux.c - derive(E, u, w) written out, against differences of E, after the unknowns have been replaced by data. */
#include "front_tools.h"

#define POINTS 3

static RungExpr read_expr(const char text[])
{
  RungExpr e = {scope, -1};

  if (RungScopeParse(scope, "text", text, &e)) e.node = PETSC_MIN_INT;
  return e;
}

static RungExpr with_data(RungExpr e)
{
  e = RungSubstitute(e, RungName(scope, "u"), read_expr("1.3 + x[0]*x[1] + sin(t)"));
  e = RungSubstitute(e, RungName(scope, "U"), read_expr("x[0]^2*x + 0.1*vector(x[1], x[0]*t)"));
  return RungSubstitute(e, RungName(scope, "S"), read_expr("vector(vector(2 + x[0], t), vector(0.3*x[1], 1.5))"));
}

static PetscErrorCode evaluate(RungExpr e, PetscScalar out[POINTS])
{
  const PetscReal x[] = {0.3, 0.7, -0.2, 0.4, 0.9, 0.1}; /* [point][axis] */
  RungPointwise   f;

  PetscFunctionBegin;
  PetscCall(RungPointwiseCreate(e, &f));
  PetscCall(RungPointwiseEvaluate(f, 0.6, POINTS, x, out));
  PetscCall(RungPointwiseDestroy(&f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Derivative of E by unknown in direction w against (E(u + s w) - E(u - s w))/2s; both after the data are in. */
static PetscErrorCode check_derivative(const char text[], const char unknown[], const char w[])
{
  const PetscReal s = 1e-5;
  const RungExpr  u = RungName(scope, unknown), step = RungMul(RungNumber(scope, s), read_expr(w));
  const RungExpr  E = read_expr(text), dE = RungCall("derive", 3, (const RungExpr[]){E, u, read_expr(w)});
  PetscScalar     up[POINTS], down[POINTS], found[POINTS];

  PetscFunctionBegin;
  PetscCall(evaluate(with_data(RungSubstitute(E, u, RungAdd(u, step))), up));
  PetscCall(evaluate(with_data(RungSubstitute(E, u, RungSub(u, step))), down));
  PetscCall(evaluate(with_data(dE), found));
  for (PetscInt i = 0; i < POINTS; ++i) {
    const double wanted = (double)(up[i] - down[i]) / (2 * s);

    if (!(fabs((double)found[i] - wanted) < 1e-7 * (1 + fabs(wanted))))
      fprintf(stderr, "derive(%s, %s, %s)\n", text, unknown, w);
    CHECK_NEAR((double)found[i], wanted, 1e-7 * (1 + fabs(wanted)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_scalar_operators_follow_their_rules(void)
{
  static const char *const text[] = {
    "u^3*p0 - u/(1 + u^2)",
    "exp(-u)*sin(u) + atan2(u, x[0])",
    "if(u < 1, u^2, sqrt(u))",
    "max(u, 1) + min(u^2, 2) + abs(u - 2)",
    "2^u + u^x[0]",
    "-u*u + erf(u)*tanh(u) + bessel_j0(u)",
    "inner(grad(u), grad(u))*u",
    "dt(u^2)*u",
    "derive(u^4, u, x[1])",
  };

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  PetscCall(RungScopeDefine(scope, "p0", "1 + t*x[0]"));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(text); ++i)
    PetscCall(check_derivative(text[i], "u", "x[0] - 0.3*t"));
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_tensor_operators_follow_theirs(void)
{
  static const char *const of_S[] = {
    "det(S)",
    "tr(inv(S)*u)",
    "inner(cofactor(S), S)",
    "inner(dev(S), sym(S))",
    "inner(skew(S), outer(U, x))",
    "dot(dot(S, U), x)",
    "S[0, 1]*S[1][0]",
    "inner(vector(S[0], x), transpose(S))",
    "A = vector(vector(S[0, 0], S[0, 1], 1), vector(u, 1, t), vector(0, 0.2, 2)); det(A) + tr(inv(A))",
    "B = vector(vector(1, u, 0), vector(t, S[1, 1], 1), vector(S[1, 0], 0.2, 2)); inner(cofactor(B), B)",
  };
  static const char *const of_U[] = {"inner(grad(U), S)*div(U)", "curl(U)^2 + cross(U, x)",
                                     "det(I + grad(U))*log(2 + inner(U, U))",
                                     "tr(dot(transpose(I + grad(U)), I + grad(U)))"};

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(of_S); ++i) {
    PetscCall(check_derivative(of_S[i], "S", "vector(vector(1, x[0]), vector(t, x[1]^2))"));
  }
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(of_U); ++i)
    PetscCall(check_derivative(of_U[i], "U", "vector(x[0]*x[1], t*x[0])"));
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_residuals_of_energies_take_data(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(2));
  CHECK(RungSubstitute(read_expr("derive(u^2/2*dx + u*p*ds(left), u)"), read_expr("u"), read_expr("t*x[0]")).node ==
        read_expr("(2*(t*x[0])*v)/2*dx + v*p*ds(left)").node);
  CHECK_RAISES(RungExprCheck(RungSubstitute(read_expr("derive(diff(u^4, u)*dx, u)"), read_expr("u"), read_expr("t"))),
               "\"u\" cannot be replaced under derive() of diff(); write one of the two out");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_scalar_operators_follow_their_rules), RUNG_TEST(test_tensor_operators_follow_theirs),
               RUNG_TEST(test_residuals_of_energies_take_data))
