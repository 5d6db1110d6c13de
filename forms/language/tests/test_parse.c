/* test_parse.c - the grammar: what binds to what, and what is said where a text goes wrong. */
#include "front_tools.h"

static PetscErrorCode test_operators_bind_as_in_mathematics(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(2));
  CHECK_SAME("u + p*t^2", "u + (p*(t^2))");
  CHECK_SAME("-u^2", "-(u^2)");
  CHECK_SAME("u^-p", "u^(-p)");
  CHECK_SAME("u^p^t", "u^(p^t)");
  CHECK_OTHER("u^p^t", "(u^p)^t");
  CHECK_SAME("u/p/t", "(u/p)/t");
  CHECK_SAME("u - p - t", "(u - p) - t");
  CHECK_SAME("-U[0]^2", "-((U[0])^2)");
  CHECK_SAME("if(u < 1 and p < 2 or t < 3, 1, u)", "if(((u < 1) and (p < 2)) or (t < 3), 1, u)");
  CHECK_SAME("if(not u < 1 and p, 1, u)", "if((not (u < 1)) and p, 1, u)");
  CHECK_SAME("--u", "u");
  CHECK_SAME("S[0][1]", "S[0, 1]");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_integrals_are_sums_of_products_with_measures(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(2));
  CHECK_SAME("2*(u*v*dx - p*q*ds)/kappa", "2*u*v/kappa*dx - 2*(p*q)/kappa*ds");
  CHECK_SAME("-(u*v*dx + (p*v*dx + u*q*dx))", "-u*v*dx - p*v*dx - u*q*dx");
  CHECK_SAME("u*v*dx(2)", "u*v*dx(\"2\")");
  CHECK_SAME("u*v*dx(all)", "u*v*dx(\"all\")");
  CHECK_SAME("u*v*dx(\"\", 4)", "u*v*dx(degree: 4)");
  CHECK_SAME("u*v*dx(left, degree: 4)", "u*v*dx(left, 4)");
  CHECK_OTHER("u*v*dx(left)", "u*v*dx");
  CHECK_OTHER("u*v*dx(left)", "u*v*ds(left)");
  CHECK_SAME("t*kappa*(u*v*dx)", "(t*kappa)*(u*v)*dx");
  CHECK_SAME("0*u*v*dx + p*v*dx", "p*v*dx");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_mistakes_in_shape_carry_line_column_and_caret(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(2));
  CHECK_REFUSED("inner(sigma, grad(W))*dx - inner(U, q)*ds(right)",
                "text, column 28: inner() wants two arguments of one shape, got vector[2] and scalar\n"
                "    inner(sigma, grad(W))*dx - inner(U, q)*ds(right)\n"
                "                               ^~~~~~~~~~~");
  CHECK_REFUSED("u*v*dx # first\n  + inner(U,\n    W + v)*dx",
                "text, line 3, column 5: a sum wants two terms of one shape, got vector[2] and scalar\n"
                "        W + v)*dx\n"
                "        ^~~~~");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_mistakes_in_grammar_say_what_is_wanted(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(2));
  CHECK_REFUSED("", "text, column 1: the text ends where an expression is wanted");
  CHECK_REFUSED("u +", "text, column 4: the text ends where an expression is wanted\n    u +\n       ^");
  CHECK_REFUSED("(u", "the text ends where an operator or a closing parenthesis is wanted");
  CHECK_REFUSED("inner(grad(u), (1, 2))",
                "unexpected , where an operator or a closing parenthesis (vectors are vector(a, b))");
  CHECK_REFUSED("grad(u).T", "a.T is transpose(a)");
  CHECK_REFUSED("u)", "unexpected ) where an operator or the end is wanted\n    u)\n     ^");
  CHECK_REFUSED("u p", "unexpected p where an operator or the end is wanted");
  CHECK_REFUSED("u < p", "comparisons stand in parentheses or as arguments");
  CHECK_REFUSED("a = p", "the text ends where the semicolon after a definition is wanted");
  CHECK_REFUSED("u + a = p", "unknown name \"a\"");
  CHECK_REFUSED("u*(p = 1)", "definitions come first and end with a semicolon, equality is ==");
  CHECK_REFUSED("u ** 2", "text, column 3: unexpected **; a power is written ^\n    u ** 2\n      ^~");
  CHECK_REFUSED("sin(u:1)", "a named argument; measures, value() and table() have such");
  CHECK_REFUSED("\"left\"", "strings name parts of the mesh");
  CHECK_REFUSED("U[u]", "text, column 3: an index is a whole number\n    U[u]\n      ^");
  CHECK_REFUSED("U[0.5]", "an index is a whole number");
  CHECK_REFUSED("sin(u, p)", "sin() wants 1 argument, got 2");
  CHECK_REFUSED("inner(U)", "inner() wants 2 arguments, got 1");
  CHECK_REFUSED("dt()", "dt() wants 1 to 2 arguments, got 0");
  CHECK_REFUSED("vector()", "vector() wants at least 1 argument, got 0");
  CHECK_REFUSED("v*dx*dx", "an integral of an integral");
  CHECK_REFUSED("dx*u", "text, column 1: a measure without its integrand; it comes last in a product, like 1*dx or (a "
                        "+ b)*dx\n    dx*u\n    ^~");
  CHECK_REFUSED("u*v/dx", "a measure without its integrand");
  CHECK_REFUSED("u*dS(", "text, column 6: the text ends where a part of the mesh is wanted");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_long_lines_are_cut_around_the_caret(void)
{
  char text[2000] = "";

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  for (int i = 0; i < 100; ++i) strcat(text, "u + ");
  strcat(text, "zzz");
  for (int i = 0; i < 100; ++i) strcat(text, " + u");
  CHECK_REFUSED(
    text,
    "text, column 401: unknown name \"zzz\"\n"
    "    .. u + u + u + u + u + u + u + u + zzz + u + u + u + u + u + u + u + u + u + u + u + u + u + u + u + u..\n"
    "                                       ^~~");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_deep_nesting_is_refused(void)
{
  static const char *const open[] = {"(", "-", "sin(", "u^", "x[", "not ", "vector("};
  char                    *text;
  PetscInt                 n = 100000;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  PetscCall(PetscMalloc1(8 * n + 1, &text));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(open); ++k) {
    const size_t length = strlen(open[k]);

    for (PetscInt i = 0; i < n; ++i) memcpy(text + (size_t)i * length, open[k], length + 1);
    if (open[k][0] == 'n') memmove(text + 1, text, strlen(text) - 1), text[0] = '(';
    CHECK_REFUSED(text, "nested too deeply; 256 levels are the most, give parts of it names");
  }
  PetscCall(PetscFree(text));
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_long_sums_of_integrals_are_read(void)
{
  char    *text;
  PetscInt node, n = 2000, operands = 0;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  PetscCall(PetscMalloc1(16 * n + 1, &text));
  strcpy(text, "v*dx");
  for (PetscInt i = 1; i < n; ++i) snprintf(text + strlen(text), 16, " + %d*v*dx", (int)i);
  PetscCall(front_read(text, &node));
  CHECK(RungScopeNode(scope, node)->args == n);
  for (PetscInt i = 0; i <= node; ++i) operands += RungScopeNode(scope, i)->args;
  CHECK(operands < 10 * n); /* memory grows as the text does */
  for (PetscInt i = 0; i < n; ++i) memcpy(text + 4 * i, i ? "+u  " : " u  ", 5);
  for (PetscInt i = n; i < 2 * n; ++i) memcpy(text + 4 * i, "+u  ", 5);
  CHECK_REFUSED(text, "more than 3000 operators in one another; write long sums as sums of integrals");
  PetscCall(PetscFree(text));
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Texts of random tokens and bytes: an error or an expression, never anything else. */
static PetscErrorCode test_garbage_is_an_error(void)
{
  static const char *const word[] = {"u",  "v",     "U", "W",  "(", ")",   "+",   "-",    "*",    "/",      "^",
                                     ",",  "[",     "]", "0",  "1", "2.5", "dx",  "ds",   "grad", "inner",  "diff",
                                     "dt", "sigma", "=", ";",  "a", "<",   "and", "not",  "if",   "vector", "derive",
                                     ":",  "\"",    "#", "\n", "x", "I",   "e9",  "\200", "{"};
  unsigned long long       seed   = 7;
  char                     text[400], message[4096];
  PetscInt                 good = 0, node;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  for (PetscInt i = 0; i < 3000; ++i) {
    text[0] = 0;
    for (PetscInt j = 0; j < 1 + i % 40; ++j) {
      seed = seed * 6364136223846793005ull + 1442695040888963407ull;
      strcat(text, word[(seed >> 33) % PETSC_STATIC_ARRAY_LENGTH(word)]);
      if (seed >> 63) strcat(text, " ");
    }
    PetscCall(PetscPushErrorHandler(check_keep_message, message));
    good += !front_read(text, &node);
    PetscCall(PetscPopErrorHandler());
  }
  CHECK(good > 10 && good < 1500);
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_operators_bind_as_in_mathematics),
               RUNG_TEST(test_integrals_are_sums_of_products_with_measures),
               RUNG_TEST(test_mistakes_in_shape_carry_line_column_and_caret),
               RUNG_TEST(test_mistakes_in_grammar_say_what_is_wanted),
               RUNG_TEST(test_long_lines_are_cut_around_the_caret), RUNG_TEST(test_deep_nesting_is_refused),
               RUNG_TEST(test_long_sums_of_integrals_are_read), RUNG_TEST(test_garbage_is_an_error))
