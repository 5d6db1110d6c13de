/* arithmetic.c - numbers as C computes them: a file and a program in C that say the same have the same bits.

       sum     = product { (+|-) product }          power   = primary [ ^ sign ]
       product = sign { (*|/) sign }                primary = number | name | function ( sum {, sum} ) | ( sum )
       sign    = [+|-] sign | power                                                                                    */
#include "reader_impl.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define DEPTH 200 /* brackets and signs in each other */

typedef struct {
  RungProblem    problem;
  const char    *text;
  PetscInt       at, depth;
  RungSourceSpan bad; /* where it went wrong           */
  char          *why; /* [256]; "" while all is well   */
} Reader;

static const struct {
  const char *name;
  double (*one)(double a);
  double (*two)(double a, double b);
} functions[] = {{"sqrt", sqrt, NULL},  {"exp", exp, NULL},   {"log", log, NULL},   {"sin", sin, NULL},
                 {"cos", cos, NULL},    {"tan", tan, NULL},   {"asin", asin, NULL}, {"acos", acos, NULL},
                 {"atan", atan, NULL},  {"sinh", sinh, NULL}, {"cosh", cosh, NULL}, {"tanh", tanh, NULL},
                 {"erf", erf, NULL},    {"abs", fabs, NULL},  {"min", NULL, fmin},  {"max", NULL, fmax},
                 {"atan2", NULL, atan2}};

static double read_sum(Reader *r);

static double fail(Reader *r, PetscInt begin, PetscInt length, const char format[], ...)
{
  va_list list;

  if (r->why[0]) return 0;
  va_start(list, format);
  (void)vsnprintf(r->why, 256, format, list);
  va_end(list);
  r->bad = (RungSourceSpan){begin, length};
  return 0;
}

/* The next letter that is no blank; 0 at the end. */
static char next(Reader *r)
{
  while (r->text[r->at] == ' ') ++r->at;
  return r->text[r->at];
}

static void need(Reader *r, char c)
{
  if (next(r) == c)
    ++r->at;
  else
    (void)fail(r, r->at, 1, "wanted \"%c\" here", c);
}

static double read_function(Reader *r, PetscInt begin, PetscInt length)
{
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(functions); ++i) {
    double a, b;

    if (strncmp(functions[i].name, r->text + begin, (size_t)length) != 0 || functions[i].name[length]) continue;
    need(r, '(');
    a = read_sum(r);
    if (functions[i].two) {
      need(r, ',');
      b = read_sum(r);
      need(r, ')');
      return functions[i].two(a, b);
    }
    need(r, ')');
    return functions[i].one(a);
  }
  return fail(r, begin, length, "\"%.*s\" is no function of numbers", (int)length, r->text + begin);
}

static double read_name(Reader *r)
{
  const char *list[256], *nearest = NULL;
  char        name[64];
  PetscInt    begin = r->at, n = 0;

  while (isalnum((unsigned char)r->text[r->at]) || r->text[r->at] == '_') ++r->at;
  if (next(r) == '(') return read_function(r, begin, (PetscInt)strcspn(r->text + begin, " ("));
  (void)snprintf(name, sizeof name, "%.*s",
                 (int)strspn(r->text + begin, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"),
                 r->text + begin);
  if (!strcmp(name, "pi")) return PETSC_PI;
  for (PetscInt i = 0; i < r->problem->constants; ++i) {
    if (!strcmp(r->problem->constant[i].name, name)) return r->problem->constant[i].value;
    if (n < 256) list[n++] = r->problem->constant[i].name;
  }
  (void)RungSuggest(name, n, list, &nearest);
  if (!strcmp(name, "t") || !strcmp(name, "x"))
    return fail(r, begin, 1,
                "\"%s\" is no number; wanted arithmetic of numbers and constants, or `define` for a function", name);
  return fail(r, begin, (PetscInt)strlen(name), "no constant above is called \"%s\"%s%s%s", name,
              nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

static double read_primary(Reader *r)
{
  const char c = next(r);
  double     value;
  char      *end;

  if (c == '(') {
    ++r->at;
    value = read_sum(r);
    need(r, ')');
    return value;
  }
  if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)r->text[r->at + 1]))) {
    value = strtod(r->text + r->at, &end);
    if (c == '0' && strchr("xX", r->text[r->at + 1]) && r->text[r->at + 1])
      return fail(r, r->at, 2, "wanted a decimal number");
    r->at = (PetscInt)(end - r->text);
    return value;
  }
  if (isalpha((unsigned char)c)) return read_name(r);
  return fail(r, r->at, 1,
              !c         ? "a number is missing"
              : c == '=' ? "no = stands here, the number does"
                         : "wanted a number here");
}

static double read_sign(Reader *r)
{
  const char c = next(r);
  double     value;

  if (++r->depth > DEPTH) return fail(r, r->at, 1, "more than %d brackets and signs in each other", DEPTH);
  if (c == '-' || c == '+') {
    ++r->at;
    value = read_sign(r);
    --r->depth;
    return c == '-' ? -value : value;
  }
  value = read_primary(r);
  if (!r->why[0] && next(r) == '^') {
    ++r->at;
    value = pow(value, read_sign(r));
  }
  --r->depth;
  return value;
}

static double read_product(Reader *r)
{
  double value = read_sign(r);

  while (!r->why[0] && (next(r) == '*' || next(r) == '/')) {
    const char   c     = r->text[r->at++];
    const double other = read_sign(r);

    value = c == '*' ? value * other : value / other;
  }
  return value;
}

static double read_sum(Reader *r)
{
  double value = read_product(r);

  while (!r->why[0] && (next(r) == '+' || next(r) == '-')) {
    const char   c     = r->text[r->at++];
    const double other = read_product(r);

    value = c == '+' ? value + other : value - other;
  }
  return value;
}

void RungArithmeticText(RungProblem problem, const char text[], PetscReal *value, char why[256], RungSourceSpan *bad)
{
  Reader r = {.problem = problem, .text = text, .why = why};

  why[0] = 0;
  *value = (PetscReal)read_sum(&r);
  if (!why[0] && next(&r))
    (void)fail(&r, r.at, (PetscInt)strlen(text) - r.at,
               next(&r) == ',' ? "one number is wanted here; those of a list stand apart by blanks, as 0.2 0.1"
                               : "wanted an operator here, or nothing; a unit stands in brackets, [m^2/s]");
  if (!why[0] && PetscIsInfOrNanReal(*value)) (void)fail(&r, 0, (PetscInt)strlen(text), "the value is not finite");
  *bad = r.bad;
}
