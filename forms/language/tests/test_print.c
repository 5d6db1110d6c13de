/* test_print.c - printing is the inverse of parsing, for chosen and for random expressions. */
#include "front_tools.h"

static PetscErrorCode test_terms_print_as_they_are_written(void)
{
  static const char *const text[] = {
    "dt(u)*v*dx + kappa*inner(grad(u), grad(v))*dx",
    "u*v*dx(left, 3) - 2*kappa*v*ds(\"two words\") + v*dx(degree: 4) + u*v*dx(7)",
    "u*v*dR",
    "1 - 2*u/3*p - (p - u)",
    "-u^2 - u^(-2) + (-u)^2 + 2^u^p + (2^u)^p",
    "u/p/2 + u/(p/kappa) + u/(p*kappa) + u*p*(kappa/mu)",
    "-(u + p)*kappa + (u + p)*(u - p)",
    "if(u < 1 and not p > 2 or u == 3, u, p)",
    "if((u or p) and (u != 1 or p >= 2), 1, 2*(u <= 1))",
    "dt(u, 2) + dt(dt(u)*p)",
    "S[0, 1] + grad(U)[1, 0] + U[0] + x[1] + (S + I)[0, 0]",
    "unit(1) + vector(1, t) - 2*U - n",
    "inner(S, vector(vector(1, 2), vector(u, p)))",
    "noise(x[0], x[1], t) + bessel_j0(u) + atan2(u, p) + min(u, p)",
    "0.1 + 1e-30*u + 123456789.123*p + pi",
    "derive(u^2*dx, u) - 2*v*dx",
    "derive(derive(u^2*p*dx, u), u, dt(p))",
    "h + volume + facet_area",
  };

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(text); ++i) CHECK_PRINTS(text[i], text[i]);
  CHECK_PRINTS("tr(eps)", "tr(sym(grad(U)))");
  CHECK_PRINTS("(S + I)[0, 0] + (S + I)[1][0]", "(S + I)[0, 0] + (S + I)[1, 0]");
  CHECK_PRINTS("2*pi*t", "6.283185307179586*t");
  CHECK_PRINTS("u*(p*t) + (u + (p + t))", "p + t + u + p*t*u");
  CHECK_PRINTS("2*(3/u*p)", "2*(3/u*p)");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_zeros_print_with_shape_and_test_function(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(2));
  CHECK_PRINTS("0*u*v*dx", "0*v*dx");
  CHECK_PRINTS("0*U", "vector(0, 0)");
  CHECK_PRINTS("0*S", "vector(vector(0, 0), vector(0, 0))");
  CHECK_PRINTS("0*W", "vector(0*W[0], 0*W[0])");
  CHECK_PRINTS("0*R[1, 1]", "0*R[0, 0]");
  CHECK_PRINTS("vector(0*v, v)", "vector(0*v, v)");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_variables_of_diff_print_as_definitions(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(2));
  CHECK_PRINTS("diff(u^4 + p, u)", "F1 = u; diff(F1^4 + p, F1)");
  CHECK_PRINTS("F = I + grad(U); J = det(F); diff(J^2, F)", "F1 = I + grad(U); diff(det(F1)^2, F1)");
  CHECK_PRINTS("F = grad(u); diff(diff(inner(F, F)^2, F)[0], F)",
               "F1 = grad(u); F2 = F1; diff(diff(inner(F2, F2)^2, F2)[0], F1)");
  CHECK_PRINTS("G = grad(U); H = grad(U); diff(diff(det(G)*det(H), G)[0, 0], H)",
               "F1 = grad(U); F2 = grad(U); diff(diff(det(F2)*det(F1), F2)[0, 0], F1)");
  PetscCall(RungScopeSetConstant(scope, "F1", 1));
  CHECK_PRINTS("diff(u^4 + F1, u)", "F2 = u; diff(F2^4 + F1, F2)");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- random expressions ------------------------------------------------------------------------------------------ */

static unsigned long long seed;

static PetscInt random_below(PetscInt n)
{
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return (PetscInt)((seed >> 33) % (unsigned long long)n);
}

static RungExpr random_expr(PetscInt rank, PetscInt depth);
static RungExpr call1(const char op[], RungExpr a)
{
  return RungCall(op, 1, &a);
}
static RungExpr call2(const char op[], RungExpr a, RungExpr b)
{
  return RungCall(op, 2, (const RungExpr[]){a, b});
}

static RungExpr random_leaf(PetscInt rank)
{
  static const char *const leaf[3][8] = {{"u", "p", "t", "kappa", "mu", "h", "d", "pi"},
                                         {"U", "x", "U", "x", "U", "x", "U", "x"},
                                         {"S", "I", "eps", "sigma", "S", "I", "eps", "sigma"}};

  if (!rank && random_below(3) == 0)
    return RungNumber(scope, (PetscReal)(random_below(9) - 4) / (PetscReal)(1 + random_below(3)));
  return RungName(scope, leaf[rank][random_below(8)]);
}

static RungExpr random_scalar(PetscInt depth)
{
  static const char *const one[] = {"-", "sin", "exp", "tanh", "abs", "not", "-"};
  static const char *const two[] = {
    "+", "-", "*", "/", "^", "<", ">=", "==", "and", "or", "min", "atan2", "+", "-", "*", "*"};
  const PetscInt i = random_below(2), j = random_below(2);
  RungExpr       c;

  switch (random_below(9)) {
  case 0: return call1(one[random_below(7)], random_expr(0, depth - 1));
  case 1: return call2("inner", random_expr(1, depth - 1), random_expr(1, depth - 1));
  case 2: return call1(random_below(2) ? "tr" : "det", random_expr(2, depth - 1));
  case 3: return RungIndex(random_expr(1, depth - 1), 1, &i);
  case 4: return RungIndex(random_expr(2, depth - 1), 2, (const PetscInt[]){i, j});
  case 5:
    c = random_expr(0, depth - 1);
    return RungCall("if", 3, (const RungExpr[]){c, random_expr(0, depth - 1), random_expr(0, depth - 1)});
  default: return call2(two[random_below(16)], random_expr(0, depth - 1), random_expr(0, depth - 1));
  }
}

static RungExpr random_tensor(PetscInt rank, PetscInt depth)
{
  switch (random_below(8)) {
  case 0: return RungMul(random_expr(0, depth - 1), random_expr(rank, depth - 1));
  case 1: return RungDiv(random_expr(rank, depth - 1), random_expr(0, depth - 1));
  case 2: return RungSub(random_expr(rank, depth - 1), random_expr(rank, depth - 1));
  case 3: return call1("-", random_expr(rank, depth - 1));
  case 4: return RungDot(random_expr(2, depth - 1), random_expr(rank, depth - 1));
  case 5: return RungVector(2, (const RungExpr[]){random_expr(rank - 1, depth - 1), random_expr(rank - 1, depth - 1)});
  case 6: return rank == 2 ? call1(random_below(2) ? "sym" : "transpose", random_expr(2, depth - 1)) : random_leaf(1);
  default: return RungAdd(random_expr(rank, depth - 1), random_expr(rank, depth - 1));
  }
}

/* A shape of d = 2; errors (a division by zero, ..) are replaced by leaves. */
static RungExpr random_expr(PetscInt rank, PetscInt depth)
{
  RungExpr e;

  if (depth <= 0 || random_below(6) == 0) return random_leaf(rank);
  e = rank ? random_tensor(rank, depth) : random_scalar(depth);
  if (e.node >= 0 && !rank && random_below(10) == 0) e = call2("diff", e, RungName(scope, "u"));
  return e.node < 0 ? random_leaf(rank) : e;
}

static size_t printed; /* characters: a check that the expressions are worth reading */

static PetscErrorCode check_round_trip(RungExpr e, PetscInt number)
{
  char    *text;
  PetscInt again;

  PetscFunctionBegin;
  PetscCall(RungExprToText(e, &text));
  printed += strlen(text);
  PetscCall(front_read(text, &again));
  if (again != e.node) fprintf(stderr, "expression %" PetscInt_FMT ": %s\n", number, text);
  CHECK(again == e.node);
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_random_expressions_are_read_as_they_are_printed(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(2));
  for (PetscInt i = 0; i < 300 && !check_failures; ++i) {
    RungExpr e;

    seed = (unsigned long long)(i + 1) * 0x9e3779b97f4a7c15ull;
    e    = random_expr(i % 3, 3 + i % 5);
    if (e.node >= 0) PetscCall(check_round_trip(e, i));
    if (e.node < 0 || i % 3) continue;
    e = RungAdd(RungIntegrate(RungMul(e, RungName(scope, "v")), RUNG_CELLS, NULL, -1),
                RungIntegrate(RungMul(random_expr(0, 3), RungName(scope, "q")), RUNG_BOUNDARY, "left", i % 4));
    PetscCall(RungExprCheck(e));
    PetscCall(check_round_trip(e, i));
  }
  CHECK(printed > 30000);
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_large_shared_expressions_print_in_parts(void)
{
  RungExpr e;
  char    *text;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  e = RungName(scope, "u");
  for (PetscInt i = 0; i < 60; ++i) e = RungAdd(RungMul(e, e), RungName(scope, "p"));
  PetscCall(RungExprToText(e, &text));
  CHECK(strlen(text) < 10000);
  PetscCall(PetscFree(text));
  PetscCall(check_round_trip(e, 0));
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_deeply_nested_expressions_can_be_read_again(void)
{
  RungExpr e, s;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  e = s = RungName(scope, "u");
  for (PetscInt i = 0; i < 1000; ++i) e = i % 2 ? call1("sin", e) : RungDiv(RungName(scope, "p"), e);
  PetscCall(check_round_trip(e, 0));
  for (PetscInt i = 0; i < 1000; ++i) s = RungAdd(s, RungMul(RungNumber(scope, (PetscReal)i), RungName(scope, "p")));
  PetscCall(check_round_trip(s, 1));
  for (PetscInt i = 0; i < 1000; ++i) e = RungAdd(RungAdd(RungName(scope, "u"), RungNumber(scope, (PetscReal)i)), e);
  PetscCall(check_round_trip(e, 2));
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_terms_print_as_they_are_written),
               RUNG_TEST(test_zeros_print_with_shape_and_test_function),
               RUNG_TEST(test_variables_of_diff_print_as_definitions),
               RUNG_TEST(test_random_expressions_are_read_as_they_are_printed),
               RUNG_TEST(test_large_shared_expressions_print_in_parts),
               RUNG_TEST(test_deeply_nested_expressions_can_be_read_again))
