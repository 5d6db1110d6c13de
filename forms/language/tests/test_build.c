/* test_build.c - builders make the parser's nodes; errors are carried and raised by what takes the expression. */
#include "front_tools.h"

#define CHECK_BUILDS(expr, text)                                                                                       \
  do {                                                                                                                 \
    const RungExpr built_ = expr;                                                                                      \
    PetscInt       read_;                                                                                              \
    PetscCall(RungExprCheck(built_));                                                                                  \
    PetscCall(front_read(text, &read_));                                                                               \
    if (built_.node != read_) fprintf(stderr, "%s:%d: another node than %s\n", __FILE__, __LINE__, text);              \
    CHECK(built_.node == read_);                                                                                       \
  } while (0)

static RungExpr name(const char word[])
{
  return RungName(scope, word);
}
static RungExpr num(PetscReal x)
{
  return RungNumber(scope, x);
}
static RungExpr call1(const char op[], RungExpr a)
{
  return RungCall(op, 1, &a);
}
static RungExpr call2(const char op[], RungExpr a, RungExpr b)
{
  return RungCall(op, 2, (const RungExpr[]){a, b});
}

static PetscErrorCode test_builders_make_the_nodes_of_the_text(void)
{
  RungExpr F;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  F = RungAdd(
    RungIntegrate(RungMul(RungDt(name("u")), name("v")), RUNG_CELLS, NULL, -1),
    RungIntegrate(RungMul(name("kappa"), RungInner(RungGrad(name("u")), RungGrad(name("v")))), RUNG_CELLS, NULL, -1));
  CHECK_BUILDS(F, "dt(u)*v*dx + kappa*inner(grad(u), grad(v))*dx");
  CHECK_BUILDS(RungSub(F, RungIntegrate(name("v"), RUNG_BOUNDARY, "left", 3)),
               "dt(u)*v*dx + kappa*inner(grad(u), grad(v))*dx - v*ds(left, 3)");
  CHECK_BUILDS(RungMul(num(2), F), "2*(dt(u)*v*dx + kappa*inner(grad(u), grad(v))*dx)");
  CHECK_BUILDS(RungDiv(RungPow(name("u"), num(3)), name("p")), "u^3/p");
  CHECK_BUILDS(RungDot(name("sigma"), name("x")), "dot(sigma, x)");
  CHECK_BUILDS(RungDerive(RungIntegrate(RungPow(name("u"), num(2)), RUNG_CELLS, "", -1), name("u")),
               "derive(u^2*dx, u)");
  CHECK_BUILDS(RungIndex(name("S"), 2, (const PetscInt[]){0, 1}), "S[0, 1]");
  CHECK_BUILDS(RungVector(2, (const RungExpr[]){name("u"), name("t")}), "vector(u, t)");
  CHECK_BUILDS(call2("diff", RungPow(name("u"), num(4)), name("u")), "diff(u^4, u)");
  CHECK_BUILDS(
    call2("diff", RungAdd(RungPow(name("u"), num(4)), call2("inner", RungGrad(name("u")), name("x"))), name("u")),
    "diff(u^4 + inner(grad(u), x), u)");
  CHECK_BUILDS(call2("dt", name("u"), num(2)), "dt(dt(u))");
  CHECK_BUILDS(call1("unit", num(1)), "unit(1)");
  CHECK_BUILDS(call1("noise", name("x")), "noise(x[0], x[1], 0)");
  CHECK_BUILDS(call2("-", name("U"), call1("-", name("x"))), "U + x");
  CHECK_BUILDS(RungCall("if", 3, (const RungExpr[]){call2("<", name("u"), num(1)), name("U"), name("x")}),
               "if(u < 1, U, x)");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_first_error_is_carried(void)
{
  RungExpr wrong, other;
  PetscInt rank;
  char    *text;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  wrong = RungInner(RungGrad(name("U")), name("p"));
  other = RungAdd(name("U"), num(1));
  CHECK(wrong.node < 0 && other.node < 0);
  wrong = RungIntegrate(RungMul(RungCall("sin", 1, &wrong), other), RUNG_CELLS, NULL, -1);
  CHECK_RAISES(RungExprCheck(wrong),
               "inner() wants two arguments of one shape, got tensor[2][2] and scalar\n    in \"inner\" of grad(U), p");
  CHECK_RAISES(RungExprCheck(other),
               "a sum wants two terms of one shape, got vector[2] and scalar\n    in \"+\" of U, 1");
  CHECK_RAISES(RungExprGetShape(wrong, &rank, NULL, NULL, NULL), "inner() wants");
  CHECK_RAISES(RungExprToText(wrong, &text), "inner() wants");
  CHECK_RAISES(RungExprCheck(name("sigam")), "unknown name \"sigam\"; did you mean \"sigma\"?");
  CHECK_RAISES(RungExprCheck(call1("sinn", name("u"))), "\"sinn\" is not an operator; did you mean \"sin\"?");
  CHECK_RAISES(RungExprCheck(num((PetscReal)INFINITY)), "inf is not a finite number");
  CHECK_RAISES(RungExprCheck(RungIntegrate(name("u"), RUNG_CELLS, "a\"b", -1)), "names of parts have no quotes");
  CHECK_RAISES(RungExprCheck(RungIntegrate(name("u"), RUNG_CELLS, NULL, 201)), "a quadrature degree of 201");
  CHECK_RAISES(RungExprCheck(RungIndex(name("S"), 5, (const PetscInt[]){0, 0, 0, 0, 0})),
               "5 indices; a value has at most 4");
  CHECK_RAISES(RungExprCheck((RungExpr){NULL, 0}), "an expression without a scope");
  CHECK_RAISES(RungExprCheck((RungExpr){scope, PETSC_MIN_INT}), "memory ran out while an expression was built");
  PetscCall(RungScopeDefine(scope, "bad", "1 + +"));
  CHECK_RAISES(RungExprCheck(name("bad")), "definition \"bad\", column 5: unexpected + where an expression is wanted");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_nothing_is_neutral_in_sums(void)
{
  RungExpr nothing;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  nothing = (RungExpr){scope, RUNG_NO_EXPR};
  CHECK_BUILDS(RungAdd(nothing, name("u")), "u");
  CHECK_BUILDS(RungSub(name("u"), nothing), "u");
  CHECK(RungMul(nothing, name("u")).node == RUNG_NO_EXPR && RungAdd(nothing, nothing).node == RUNG_NO_EXPR);
  CHECK_RAISES(RungExprCheck(nothing), "an empty sum where an expression is wanted");
  CHECK_RAISES(RungExprCheck(RungGrad(nothing)), "an empty sum as argument of \"grad\"");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_two_scopes_do_not_mix(void)
{
  RungScope first;
  RungExpr  u;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  first = scope;
  u     = name("u");
  PetscCall(front_begin(2));
  CHECK_RAISES(RungExprCheck(RungAdd(u, name("u"))), "\"+\" of expressions of two scopes");
  CHECK_RAISES(RungExprCheck(RungSubstitute(u, u, name("p"))), "a substitution between two scopes");
  PetscCall(RungScopeDestroy(&first));
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_is_not_there_is_no_crash(void)
{
  RungExpr u, vector;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  u      = name("u");
  vector = name("U");
  CHECK_RAISES(RungExprCheck(RungCall(NULL, 1, &u)), "an operator without a name");
  CHECK_RAISES(RungExprCheck(RungCall("sin", 1, NULL)), "an expression without a scope");
  CHECK_RAISES(RungExprCheck(RungName(scope, NULL)), "unknown name \"\"");
  CHECK_RAISES(RungExprCheck(RungTable(u, NULL, NULL, PETSC_FALSE)), "table() of no file; give its name");
  CHECK_RAISES(RungExprCheck(RungIntegrate(u, (RungDomain)77, NULL, -1)),
               "an integral over domain 77; there are RUNG_CELLS");
  PetscCall(RungFileWrite(PETSC_COMM_WORLD, "build.csv", 8, "0 1\n1 2\n"));
  CHECK_RAISES(RungExprCheck(RungTable(vector, "build.csv", NULL, PETSC_FALSE)),
               "table() is a function of one number, got vector[2]; take a component, like a[0]");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_shapes_can_be_asked_for(void)
{
  PetscInt  rank, shape[2], arity;
  PetscBool integral;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  PetscCall(RungExprGetShape(name("R"), &rank, shape, &integral, &arity));
  CHECK(rank == 2 && shape[0] == 2 && shape[1] == 2 && !integral && arity == 1);
  PetscCall(RungExprGetShape(RungIntegrate(name("u"), RUNG_CELLS, NULL, -1), &rank, shape, &integral, &arity));
  CHECK(rank == 0 && shape[0] == 1 && integral && arity == 0);
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_builders_make_the_nodes_of_the_text), RUNG_TEST(test_the_first_error_is_carried),
               RUNG_TEST(test_nothing_is_neutral_in_sums), RUNG_TEST(test_two_scopes_do_not_mix),
               RUNG_TEST(test_what_is_not_there_is_no_crash), RUNG_TEST(test_shapes_can_be_asked_for))
