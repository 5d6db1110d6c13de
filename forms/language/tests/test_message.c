/* test_message.c - messages about nodes made by texts and by builders; names of shapes. */
#include "front_tools.h"

static PetscErrorCode test_a_node_is_shown_where_it_was_written(void)
{
  PetscInt node;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  PetscCall(front_read("u*v*dx +\n  dt(u*p)*v*dx", &node));
  PetscCall(front_read("dt(u*p)", &node));
  CHECK_RAISES(RungScopeRaise(scope, node, PETSC_ERR_SUP, "order %d is too much", 3),
               "text, line 2, column 3: order 3 is too much\n      dt(u*p)*v*dx\n      ^~~~~~~");
  node = RungGrad(RungMul(RungName(scope, "u"), RungName(scope, "p"))).node;
  CHECK_RAISES(RungScopeRaise(scope, node, PETSC_ERR_SUP, "too much"), "too much\n    in grad(u*p)");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_shapes_have_names(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(3));
  CHECK_SHAPE("u", "scalar 0");
  CHECK_SHAPE("W", "vector[3] 1");
  CHECK_SHAPE("grad(S)", "tensor[3][3][3] 0");
  CHECK_SHAPE("u*v*dx", "an integral 1");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_operators_are_listed(void)
{
  char list[RUNG_MESSAGE];

  PetscFunctionBegin;
  RungOperatorList(list, sizeof list);
  CHECK(strstr(list, "sqrt, exp") && strstr(list, "derive, diff"));
  CHECK(!strstr(list, "facet_area") && !strstr(list, "<") && !strstr(list, "+"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What users of other languages, of keyboards and of text editors write: one message each, with place and way out. */
static PetscErrorCode test_wrong_texts_say_the_way_out(void)
{
  static const char *const text[][2] = {
    {"u*v*DX", "column 5: unknown name \"DX\"; did you mean \"dx\"?\n    u*v*DX\n        ^~"},
    {"w*v*dx", "column 1: unknown name \"w\"\n    w*v*dx\n    ^"},
    {"not u*v*dx", "column 1: \"not\" stands in parentheses or as an argument, like (not a)"},
    {"inner(u*dx, v)", "\"inner\" wants point values, got an integral; apply it under the integral"},
    {"ln(u)*v*dx", "\"ln\" is not an operator; it is written log(a)"},
    {"pow(u, 2)*v*dx", "\"pow\" is not an operator; it is written a^b"},
    {"trace(S)*v*dx", "\"trace\" is not an operator; it is written tr(a)"},
    {"heaviside(u)*v*dx", "it is written if(a > 0, 1, 0)"},
    {"y*v*dx", "unknown name \"y\"; it is written x[1]"},
    {"Identity(3)*v*dx", "it is written I"},
    {"u_t*v*dx", "unknown name \"u_t\"; a derivative in time is written dt(u)"},
    {"u_tt*v*dx", "; a derivative in time is written dt(u, 2)"},
    {"u_xx*v*dx", "; derivatives in space are components of grad(u)"},
    {"w := u; w*v*dx", "column 3: unexpected :; a definition is written name = ..;"},
    {"int(u*v)", "\"int\" is not an operator; it is written f*dx"},
    {"h = 1; h*u*v*dx", "\"h\" is reserved (size of the cell: its longest edge); choose another name"},
    {"x(0)*v*dx", "\"x\" is a value, not an operator; a product is written x*(..), a component x[0]"},
    {"u(0)*v*dx", "\"u\" is an unknown, not an operator"},
    {"grad(u).grad(v)*dx", "column 8: unexpected character .; contractions are inner(a, b) and dot(a, b)"},
    {"u('+')*v('+')*dS", "unexpected character '; the sides of a facet are written plus(u) and minus(u)"},
    {"u'*v*dx", "unexpected character '; a derivative in time is written dt(u)"},
    {"u\302\267v*dx", "column 2: unexpected character \"\302\267\"; a product is written *"},
    {"\342\210\207u*v*dx", "write grad(u), div(u) or curl(u)"},
    {"u*v*dx \342\200\223 u*v*ds", "column 8: unexpected character \"\342\200\223\"; a minus is written -"},
    {"u*v*dx(\342\200\234left\342\200\235)", "column 8: unexpected character \"\342\200\234\"; write \""},
    {"u?1:0", "a choice is written if(a, b, c)"},
    {"if(u => 1, 1, 0)*v*dx",
     "column 6: unexpected = where a comma or a closing parenthesis is wanted; comparisons are <"},
    {"if(0 < u < 1, u, 0)*v*dx", "column 10: unexpected <"},
    {"1.e5.2*u*v*dx", "column 1: \"1.e5.2\" is no number; it has one point, and after e a whole exponent"},
    {"u*v*dx;", "column 7: unexpected ; where an operator or the end is wanted; definitions end with one"},
    {"u*v*dx(degre: 3)",
     "column 13: unexpected : where a comma or a closing parenthesis (a measure takes a part, and degree"},
    {"u*v*ds(left, right)",
     "column 14: unexpected right where the degree of quadrature (a measure has one part; write a sum"},
    {"u*v*ds(left + right)", "(it has one part; write a sum of integrals for several)"},
    {"value(left: U, else: u)*v*ds", "got vector[2] and, for \"else\", scalar"},
    {"0/0*v*dx", "column 1: a division by zero"},
    {"\n# only this\n", "line 3, column 1: the text ends where an expression is wanted"},
    {"u*v*dx\n+ p*v*dxx", "line 2, column 7: unknown name \"dxx\"; did you mean \"dx\"?\n    + p*v*dxx\n          ^~~"},
  };

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(text); ++i) CHECK_REFUSED(text[i][0], text[i][1]);
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_node_is_shown_where_it_was_written), RUNG_TEST(test_shapes_have_names),
               RUNG_TEST(test_operators_are_listed), RUNG_TEST(test_wrong_texts_say_the_way_out))
