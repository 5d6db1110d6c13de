/* language_page.c - docs/language.md, from ops.def and the grammar at the head of parse.c: rung_language forms/language/parse.c > page */
#include <stdio.h>
#include <string.h>

typedef struct {
  const char *name, *d[3], *doc, *example;
} Row;

#define RUNG_TERMINAL(code, name, doc, example) {name, {"", "", ""}, doc, example},
static const Row leaf[] = {
#include "ops.def"
};
#define RUNG_SCALAR(code, name, args, test, c, da, db, dc, doc, example) {name, {da, db, dc}, doc, example},
static const Row scalar[] = {
#include "ops.def"
};
#define RUNG_TENSOR(code, name, min, max, test, shape, expand, rule, doc, example) {name, {rule, "", ""}, doc, example},
static const Row tensor[] = {
#include "ops.def"
};

static const char *const head =
  "# The form language\n\n"
  "<!-- Made from forms/language/ops.def and the head of forms/language/parse.c: cmake --build BUILD -t docs.  Do not "
  "edit. -->\n\n"
  "A form is a sum of integrals, linear in the test functions, written as text:\n\n"
  "```\n"
  "F = I + grad(U); J = det(F);                          # definitions come first\n"
  "rho*inner(dt(U, 2), W)*dx + derive(mu/2*(tr(dot(transpose(F), F)) - 2*log(J))*dx, U, W) - inner(g, W)*ds(right)\n"
  "```\n\n"
  "- **Names** are unknowns, test functions, constants, fields and definitions of the program, and those that the "
  "text\n"
  "  itself defines, `name = ..;`, in front of its sum.  `#` begins a comment.  Operators, `x t n h d I pi` and "
  "measures\n"
  "  are reserved.\n"
  "- **Measures** are `dx` (cells), `ds` (boundary), `dS` (interior facets), `dl` (edges), `dP` (a sum over vertices)\n"
  "  and `dR` (once, for global numbers); `dx(steel)`, `ds(3)`,\n"
  "  `dx(\"left lung\")` run over a part, `dx(steel, 4)` and `dx(degree: 4)` with a rule exact to degree 4.  Without "
  "one\n"
  "  the degree is estimated from the integrand; one that leaves a cell hourglass modes is warned of.\n"
  "  `dx(rule: nodes)`, `dx(steel, rule: nodes)` take the nodes of the test function as points (Gauss and\n"
  "  Lobatto's rule, on simplices the vertices for P1): `dt(u)*v*dx(rule: nodes)` is a lumped mass, a diagonal, and\n"
  "  `-system_lumped_mass` writes it so.  Any degree of P on intervals and of Q, P1 on simplices.\n"
  "- **Shapes** are scalars, vectors, tensors; sums want one shape, products a scalar on one side.  `vector(..)` "
  "makes\n"
  "  vectors of scalars and tensors of vectors; `A[i, j]` is a component, `A[i]` a row, counted from 0.\n"
  "- **Time**: `dt(a)` of any point value, unknowns and data alike, by the chain rule and exactly; `dt(u, 2)` is the "
  "second\n"
  "  derivative.  A term `dt(q)*v` with `q` nonlinear in the unknowns is kept whole by a system of order 1, so that "
  "the\n"
  "  total of `q` is conserved; `-system_conserve false` expands it.\n"
  "- **Parts**: `explicit(..)` around whole terms says what a method with an explicit and an implicit part takes from "
  "values\n"
  "  that it knows already, `dt(u)*v*dx + inner(grad(u), grad(v))*dx - explicit(u*(1 - u)*v*dx)`; for all other "
  "methods\n"
  "  it changes nothing.  Terms with `dt()` of unknowns, and equations of unknowns without one, stay outside.\n"
  "- **Derivatives**: `derive(E, u)` is the Gateaux derivative of an integral in direction of u's test function,\n"
  "  `derive(E, u, w)` in direction w; `diff(W, F)` the pointwise one by an unknown or a definition.  `if`, `min`, "
  "`max`,\n"
  "  `abs` and `table` differentiate piecewise.  `sign` and comparisons jump: a step that comes to lie on a jump has "
  "no\n"
  "  solution, and steps grow short there; `tanh(u/d)`, d small beside u, or an event, is a way out.\n"
  "- **Data**: constants change without recompiling; `value(steel: 210e9, else: 1e6)` has a value for each part of the "
  "mesh,\n"
  "  a cell in none of them or in two is refused; `table(\"inflow.csv\")` is a column of a file over its first one, at "
  "t or\n"
  "  at `table(\"curve.csv\", u)`, `column: 2` or `column: flow` chooses it (counted from 0), `method: cubic` is "
  "monotone and\n"
  "  smooth instead of linear.  A file has rows of numbers that commas, semicolons or blanks separate, with increasing "
  "first\n"
  "  column, `#` for comments and at most one row of names; outside of its rows the end values hold.  Relative names "
  "are\n"
  "  looked for in the working directory.  Fields are given functions of any space on the mesh, or an unknown of "
  "another system.\n";

static void cell(const char text[], int code)
{
  if (!text[0]) return;
  if (code) putchar('`');
  for (const char *c = text; *c; ++c) {
    if (*c == '|') putchar('\\');
    putchar(*c);
  }
  if (code) putchar('`');
}

static void print_row(const Row *row)
{
  static const char operand[] = "abc";
  int               some      = 0;

  printf("| ");
  cell(row->name, 1);
  printf(" | ");
  cell(row->doc, 0);
  printf(" | ");
  cell(row->example, 1);
  printf(" | ");
  for (int i = 0; i < 3; ++i) {
    if (!row->d[i][0]) continue;
    if (row->d[1][0]) printf("%s%c: ", some ? ", " : "", operand[i]);
    cell(row->d[i], 1);
    some = 1;
  }
  printf(" |\n");
}

static void print_table(const char title[], const char text[], size_t n, const Row row[])
{
  printf("\n## %s\n\n%s\n\n| | | example | derivative |\n|---|---|---|---|\n", title, text);
  for (size_t i = 0; i < n; ++i) {
    if (row[i].example[0]) print_row(&row[i]);
  }
}

/* The lines of the first comment that are indented by more than three blanks. */
static int print_grammar(const char path[])
{
  FILE *file = fopen(path, "r");
  char  line[256];

  if (!file) return 1;
  printf("\n## Grammar\n\n```\n");
  while (fgets(line, sizeof line, file) && strncmp(line, "#include", 8) != 0) {
    if (!strncmp(line, "     ", 5)) printf("%s", line + 5);
  }
  printf("```\n");
  return fclose(file);
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

int main(int argc, char **argv)
{
  if (argc != 2) return 2;
  printf("%s", head);
  print_table("Leaves", "What an expression is made of.  Examples in angle brackets are names of the program.",
              COUNT(leaf), leaf);
  print_table(
    "Operators on numbers",
    "Derivatives by the operands a, b, c, where r is the result; an operand without one is flat.  Examples are of an\n"
    "unknown u with test function v, vectors U and x, a constant kappa.  Comparisons are 1 or 0, and every number but\n"
    "0 is true; they stand in parentheses or as arguments.",
    COUNT(scalar), scalar);
  print_table("Operators on vectors and tensors, derivatives, integrals",
              "The derivative of the whole in the operands A, B and their derivatives dA, dB, for the example.",
              COUNT(tensor), tensor);
  return print_grammar(argv[1]);
}
