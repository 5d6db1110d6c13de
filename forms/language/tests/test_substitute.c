/* test_substitute.c - replacement everywhere, and residuals split into d/dt of something and a rest. */
#include "front_tools.h"

static RungExpr read_expr(const char text[])
{
  RungExpr e = {scope, -1};

  if (RungScopeParse(scope, "text", text, &e)) e.node = PETSC_MIN_INT;
  return e;
}

#define CHECK_SUBSTITUTES(text, from, to, wanted)                                                                      \
  CHECK(RungSubstitute(read_expr(text), read_expr(from), read_expr(to)).node == read_expr(wanted).node)

static PetscErrorCode test_every_occurrence_is_replaced(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(2));
  CHECK_SUBSTITUTES("dt(u)*v*dx + kappa*inner(grad(u), grad(v))*dx", "u", "exp(-t)*x[0]",
                    "dt(exp(-t)*x[0])*v*dx + kappa*inner(grad(exp(-t)*x[0]), grad(v))*dx");
  CHECK_SUBSTITUTES("dt(u, 2)*v*dx + u^2*v*ds(left)", "u", "t*p", "dt(t*p, 2)*v*dx + (t*p)^2*v*ds(left)");
  CHECK_SUBSTITUTES("sin(u*p) + u*p", "u*p", "t", "sin(t) + t");
  CHECK_SUBSTITUTES("u*v*dx + p*q*dx", "u", "0", "p*q*dx");
  CHECK_SUBSTITUTES("diff(u^4*p, u)*v*dx", "u", "t*p", "E = t*p; diff(E^4*p, E)*v*dx");
  CHECK_SUBSTITUTES("diff(u^4 + p*u, u)", "p", "t", "diff(u^4 + t*u, u)");
  CHECK_SUBSTITUTES("diff(diff(u^4, u), u)", "u", "p", "diff(diff(p^4, p), p)");
  CHECK_SUBSTITUTES("derive(u^2*p*dx, u)", "p", "t", "derive(u^2*t*dx, u)");
  CHECK_SUBSTITUTES("inner(U, W)", "U", "vector(t, x[0])", "inner(vector(t, x[0]), W)");
  CHECK_SUBSTITUTES("p", "u", "t", "p");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_replacements_that_do_not_fit_are_refused(void)
{
  RungExpr e;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  e = RungSubstitute(read_expr("u*v"), read_expr("u"), read_expr("x"));
  CHECK_RAISES(RungExprCheck(e), "a substitution wants two expressions of one shape, got scalar and vector[2]");
  e = RungSubstitute(read_expr("u*v"), read_expr("u"), read_expr("q"));
  CHECK_RAISES(RungExprCheck(e), "a product of test functions");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_split(const char text[], const char rest[], const char conserved[])
{
  RungExpr r, c;

  PetscFunctionBegin;
  PetscCall(RungExprSplitConserved(read_expr(text), &r, &c));
  if (r.node != (rest[0] ? read_expr(rest).node : RUNG_NO_EXPR)) fprintf(stderr, "rest of %s\n", text);
  CHECK(r.node == (rest[0] ? read_expr(rest).node : RUNG_NO_EXPR));
  if (c.node != (conserved[0] ? read_expr(conserved).node : RUNG_NO_EXPR))
    fprintf(stderr, "conserved part of %s\n", text);
  CHECK(c.node == (conserved[0] ? read_expr(conserved).node : RUNG_NO_EXPR));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_nonlinear_time_derivatives_are_kept_whole(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(2));
  PetscCall(
    check_split("dt(u + u^3)*v*dx + inner(grad(u), grad(v))*dx", "inner(grad(u), grad(v))*dx", "(u + u^3)*v*dx"));
  PetscCall(check_split("(dt(u^2) - p)*v*dx", "-p*v*dx", "u^2*v*dx"));
  PetscCall(check_split("-2*kappa*x[0]*dt(u*p)*v/h*dx", "", "-2*kappa*x[0]*(u*p)*v/h*dx"));
  PetscCall(check_split("inner(dt(u*U) - x, W)*dx + inner(dt(U), W)*ds", "inner(-x, W)*dx + inner(dt(U), W)*ds",
                        "inner(u*U, W)*dx"));
  PetscCall(check_split("inner(grad(dt(u^2)), grad(v))*dx", "", "inner(grad(u^2), grad(v))*dx"));
  PetscCall(check_split("dt(diff(u^4, u))*v*dx + p*q*ds", "p*q*ds", "diff(u^4, u)*v*dx"));
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_other_time_derivatives_stay_in_the_rest(void)
{
  static const char *const text[] = {
    "dt(u)*v*dx",       "dt(kappa*u + p)*v*dx", "dt(x[0]*t*u)*v*dx", /* linear */
    "u*dt(u^2)*v*dx",   "t*dt(u^2)*v*dx",                            /* other coefficients */
    "dt(u*dt(u))*v*dx", "dt(u^2, 2)*v*dx",                           /* second order */
    "dt(u^2)^2*v*dx",   "sin(dt(u^2))*v*dx",    "dt(t^2)*v*dx",      "inner(grad(u), grad(v))*dx",
  };

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(text); ++i) PetscCall(check_split(text[i], text[i], ""));
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_every_occurrence_is_replaced), RUNG_TEST(test_replacements_that_do_not_fit_are_refused),
               RUNG_TEST(test_nonlinear_time_derivatives_are_kept_whole),
               RUNG_TEST(test_other_time_derivatives_stay_in_the_rest))
