/* test_explicit.c - the word explicit: read, refused, and a residual split by it. */
#include "front_tools.h"

static RungExpr read_expr(const char text[])
{
  RungExpr e = {scope, -1};

  if (RungScopeParse(scope, "text", text, &e)) e.node = PETSC_MIN_INT;
  return e;
}

static PetscErrorCode check_split(const char text[], const char whole[], const char outside[], const char inside[])
{
  RungExpr w, o, i;

  PetscFunctionBegin;
  PetscCall(RungExprSplitExplicit(read_expr(text), &w, &o, &i));
  CHECK(w.node == read_expr(whole).node);
  CHECK(o.node == (outside[0] ? read_expr(outside).node : RUNG_NO_EXPR));
  CHECK(i.node == (inside[0] ? read_expr(inside).node : RUNG_NO_EXPR));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_residual_is_what_stands_outside_and_inside(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(2));
  PetscCall(check_split("dt(u)*v*dx - 2*explicit(u^2*v*dx + t*v*ds) + kappa*explicit(v*dx) + p*q*dx",
                        "dt(u)*v*dx - 2*(u^2*v*dx + t*v*ds) + kappa*v*dx + p*q*dx", "dt(u)*v*dx + p*q*dx",
                        "-2*(u^2*v*dx + t*v*ds) + kappa*v*dx"));
  PetscCall(check_split("u*v*dx + v*ds", "u*v*dx + v*ds", "u*v*dx + v*ds", ""));
  PetscCall(check_split("explicit(u*v*dx + v*ds)", "u*v*dx + v*ds", "", "u*v*dx + v*ds"));
  PetscCall(check_split("u*v*dx + explicit(derive(u^4/4*dx, u))", "u*v*dx + derive(u^4/4*dx, u)", "u*v*dx",
                        "derive(u^4/4*dx, u)"));
  PetscCall(check_split("dt(u)*v*dx + explicit(0*v*dx)", "dt(u)*v*dx", "dt(u)*v*dx", ""));
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_word_is_printed_where_it_was_read(void)
{
  static const char *const text[] = {"explicit(u^2*v*dx)", "dt(u)*v*dx + explicit(-2*u*v*dx + v*ds)"};
  char                    *printed;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  for (size_t i = 0; i < sizeof text / sizeof text[0]; ++i) {
    PetscCall(RungExprToText(read_expr(text[i]), &printed));
    if (strcmp(printed, text[i]) != 0) fprintf(stderr, "%s\n", printed);
    CHECK(!strcmp(printed, text[i]));
    PetscCall(PetscFree(printed));
  }
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_no_method_can_take_apart_is_refused_with_its_column(void)
{
  RungExpr e;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  CHECK_RAISES(RungScopeParse(scope, "text", "p*q*dx + explicit(dt(u)*v*dx)", &e),
               "text, column 10: dt() of an unknown");
  CHECK_RAISES(RungScopeParse(scope, "text", "explicit(v*dx + explicit(u*v*dx))", &e), "once is enough");
  CHECK_RAISES(RungScopeParse(scope, "text", "v*explicit(u)*dx", &e), "around whole terms, with their measure");
  CHECK_RAISES(RungScopeParse(scope, "text", "explicit(u*dx)", &e), "without a test function");
  PetscCall(RungScopeParse(scope, "text", "explicit(dt(t^2)*u*v*dx)", &e)); /* a rate of data */
  PetscCall(RungExprCheckExplicit(read_expr("u*v*dx + explicit(p*q*dx)"), 0, "which is not inside"));
  CHECK_RAISES(RungExprCheckExplicit(read_expr("u*v*dx + explicit(p*q*dx)"), 1, "which is"),
               "column 10: explicit() around a term of the equation of \"p\", which is");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_residual_is_what_stands_outside_and_inside),
               RUNG_TEST(test_the_word_is_printed_where_it_was_read),
               RUNG_TEST(test_what_no_method_can_take_apart_is_refused_with_its_column))
