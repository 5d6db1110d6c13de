/* random_forms.h - forms from a seed: trees of text for every cell, degree and shape of unknown. */
#pragma once

#include <stdio.h>
#include <string.h>

/* Where unknowns u (vector, test v), p (scalar, test q) and S (tensor, test R) live; D: without continuity. */
typedef struct {
  RungCellType cell;
  PetscBool    bent;
  const char  *u, *p, *S;
} Setting;

/* Every cell comes among the first ten, every degree from 1 to 3. */
static const Setting settings[] = {
  {RUNG_TRIANGLE, PETSC_FALSE, "1^d", "1", "1^dxd"},      {RUNG_TETRAHEDRON, PETSC_FALSE, "1^d", "2", "1^dxd"},
  {RUNG_QUADRILATERAL, PETSC_TRUE, "2^d", "D1", "1^dxd"}, {RUNG_INTERVAL, PETSC_FALSE, "3^d", "D2", "1^dxd"},
  {RUNG_HEXAHEDRON, PETSC_TRUE, "1^d", "1", "1^dxd"},     {RUNG_POINT, PETSC_FALSE, "0^2", "0", "0^2x2"},
  {RUNG_TRIANGLE, PETSC_FALSE, "3^d", "2", "1^dxd"},      {RUNG_QUADRILATERAL, PETSC_FALSE, "1^d", "3", "2^dxd"},
  {RUNG_HEXAHEDRON, PETSC_FALSE, "1^d", "D1", "1^dxd"},   {RUNG_INTERVAL, PETSC_FALSE, "2^d", "1", "3^dxd"},
  {RUNG_TETRAHEDRON, PETSC_FALSE, "2^d", "D1", "1^dxd"},  {RUNG_TRIANGLE, PETSC_FALSE, "D2^d", "3", "2^dxd"},
  {RUNG_QUADRILATERAL, PETSC_TRUE, "3^d", "2", "1^dxd"},  {RUNG_HEXAHEDRON, PETSC_TRUE, "2^d", "1", "1^dxd"},
  {RUNG_TETRAHEDRON, PETSC_FALSE, "1^d", "3", "1^dxd"},   {RUNG_POINT, PETSC_FALSE, "0^2", "0", "0^2x2"},
  {RUNG_HEXAHEDRON, PETSC_FALSE, "1^d", "3", "1^dxd"}};
#define SETTINGS ((int)(sizeof settings / sizeof settings[0]))

/* ---- patterns: s, v, t behind % stand for a scalar, vector or tensor, e for integrals -------------------------------- */

enum { P = 1, D1 = 2, D2 = 4, D3 = 8, D23 = D2 | D3, D = D1 | D23, ALL = P | D, V2 = P | D2, NAMED = 16, STILL = 32 };

typedef struct {
  int         where; /* points, and dimensions of cells; NAMED: where there are definitions, STILL: none has a rate */
  const char *text;
} Pattern;

static const Pattern ends_s[] = {{ALL, "p"},
                                 {ALL, "u[0]"},
                                 {ALL, "x[0]"},
                                 {ALL, "t"},
                                 {ALL, "kappa"},
                                 {ALL, "2"},
                                 {D, "h"},
                                 {D, "volume"},
                                 {ALL, "dt(p)"},
                                 {ALL, "S[0, 0]"},
                                 {P | D23, "u[1]"},
                                 {D23, "x[1]"},
                                 {D3, "u[2]"},
                                 {ALL, "mu"},
                                 {D, "grad(p)[0]"},
                                 {D, "div(u)"},
                                 {ALL, "tr(S)"},
                                 {D2, "curl(u)"},
                                 {ALL, "dt(p, 2)"},
                                 {ALL, "dt(u[0]*p, 2)"},
                                 {ALL, "table(\"random.csv\", t)"},
                                 {ALL, "dt(p*table(\"smooth.csv\", t, method: cubic), 2)"},
                                 {NAMED, "a0"},
                                 {STILL, "dt(a0)"},
                                 {NAMED, "a0"}};
static const Pattern ends_v[] = {{ALL, "u"},     {D, "grad(p)"}, {D, "x"},           {ALL, "dt(u)"}, {D23, "unit(1)"},
                                 {D, "grad(p)"}, {ALL, "S[0]"},  {D, "grad(dt(p))"}, {D, "div(S)"},  {D3, "curl(u)"},
                                 {D, "unit(0)"}, {ALL, "u"},     {ALL, "dt(u, 2)"},  {NAMED, "a1"},  {NAMED, "a1"}};
static const Pattern ends_t[] = {{ALL, "S"},           {D, "grad(u)"},          {D, "I"},
                                 {D, "sym(grad(u))"},  {D, "grad(u)"},          {D, "outer(x, u)"},
                                 {D, "grad(dt(u))"},   {ALL, "dt(S)"},          {ALL, "S"},
                                 {ALL, "outer(u, u)"}, {D, "grad(grad(p))"},    {ALL, "dt(S, 2)"},
                                 {NAMED, "a2"},        {NAMED, "transpose(a2)"}};

static const Pattern inner_s[] = {{ALL, "(%s + %s)"},
                                  {ALL, "%s*%s"},
                                  {ALL, "(%s - %s)"},
                                  {ALL, "%s*%s"},
                                  {ALL, "sin(%s)"},
                                  {ALL, "cos(%s)"},
                                  {ALL, "tanh(%s)"},
                                  {ALL, "atan(%s)"},
                                  {ALL, "erf(%s)"},
                                  {ALL, "exp(sin(%s))"},
                                  {ALL, "sqrt(1 + (%s)^2)"},
                                  {ALL, "log(2 + (%s)^2)"},
                                  {ALL, "%s/(3 + (%s)^2)"},
                                  {ALL, "(2 + sin(%s))^1.5"},
                                  {ALL, "(2 + tanh(%s))^tanh(%s)"},
                                  {ALL, "(%s)^3"},
                                  {ALL, "inner(%v, %v)"},
                                  {ALL, "inner(%t, %t)"},
                                  {ALL, "tr(%t)"},
                                  {ALL, "det(%t)"},
                                  {ALL, "dot(%v, %v)"},
                                  {ALL, "(%v)[0]"},
                                  {P | D23, "(%v)[1]"},
                                  {D3, "(%v)[2]"},
                                  {P | D23, "(%t)[0, 1]"},
                                  {V2, "cross(%v, %v)"},
                                  {D3, "dot(cross(%v, %v), %v)"},
                                  {ALL, "if(x[0] < 0.4, %s, %s)"},
                                  {D23, "if(x[1] > 0.3 and not t > 1 or x[0] < 0.1, %s, %s)"},
                                  {ALL, "if(2 + tanh(%s) >= 0.5, %s, sqrt(-1 - x[0]^2))"},
                                  {ALL, "max(x[0], 0.5)*%s"},
                                  {ALL, "max(3 + tanh(%s), 1.5)"},
                                  {ALL, "min(t, x[0])*%s"},
                                  {ALL, "min(tanh(%s), 1.25 + exp(sin(%s)))"},
                                  {ALL, "abs(3 + tanh(%s))"},
                                  {ALL, "abs(tanh(%s) - 2)"},
                                  {ALL, "sign(x[0] - 0.5)*%s"},
                                  {ALL, "atan2(%s, 2 + tanh(%s))"},
                                  {ALL, "bessel_j0(%s)"},
                                  {ALL, "bessel_jn(3, %s)"},
                                  {ALL, "sinh(tanh(%s))"},
                                  {ALL, "cosh(sin(%s))"},
                                  {ALL, "asin(tanh(%s)/2)"},
                                  {ALL, "-%s"},
                                  {D, "noise(x)*%s"},
                                  {ALL, "table(\"random.csv\", 1 + tanh(%s)/9)"},
                                  {ALL, "table(\"smooth.csv\", 1 + tanh(%s)/3, method: cubic)"},
                                  {ALL, "diff(sin(p)*%s, p)"},
                                  {ALL, "inner(diff(inner(u, u)*%s, u), %v)"},
                                  {ALL, "inner(diff(inner(S, %t), S), %t)"},
                                  {D, "div(p*u)"},
                                  {D, "div(sin(p)*grad(p))"},
                                  {D2, "curl(p*u)"}};
static const Pattern inner_v[] = {{ALL, "(%v + %v)"},
                                  {ALL, "%s*%v"},
                                  {ALL, "dot(%t, %v)"},
                                  {ALL, "dot(%v, %t)"},
                                  {D1, "vector(%s)"},
                                  {V2, "vector(%s, %s)"},
                                  {D3, "vector(%s, %s, %s)"},
                                  {ALL, "%v/(3 + (%s)^2)"},
                                  {ALL, "-%v"},
                                  {ALL, "if(x[0] < 0.4, %v, %v)"},
                                  {ALL, "(%t)[0]"},
                                  {P | D23, "(%t)[1]"},
                                  {D3, "cross(%v, %v)"},
                                  {D, "grad(sin(p)*x[0])"},
                                  {ALL, "diff(inner(u, %v)*cos(u[0]), u)"}};
static const Pattern inner_t[] = {{ALL, "(%t + %t)"},
                                  {ALL, "%s*%t"},
                                  {ALL, "dot(%t, %t)"},
                                  {ALL, "sym(%t)"},
                                  {ALL, "dev(%t)"},
                                  {ALL, "skew(%t)"},
                                  {ALL, "transpose(%t)"},
                                  {ALL, "cofactor(%t)"},
                                  {ALL, "outer(%v, %v)"},
                                  {D, "inv(5*I + tanh(%s)*I)"},
                                  {D, "inv(4*I + S)"},
                                  {D1, "vector(%v)"},
                                  {V2, "vector(%v, %v)"},
                                  {D3, "vector(%v, %v, %v)"},
                                  {ALL, "diff(inner(S, S)*%s, S)"}};
static const Pattern terms[]   = {{ALL, "%s*q*dx(degree: 3)"},
                                  {ALL, "inner(%v, v)*dx(degree: 3)"},
                                  {ALL, "inner(%t, R)*dx(degree: 2)"},
                                  {D, "inner(%t, grad(v))*dx(degree: 3)"},
                                  {D, "dot(%v, grad(q))*dx(degree: 3)"},
                                  {D, "%s*dot(v, n)*ds(left, degree: 3)"},
                                  {D, "%s*q*ds(degree: 3)"},
                                  {D, "dot(%t, n)[0]*tr(R)*ds(right, degree: 2)"},
                                  {D, "value(left: %s, else: %s)*q*ds(degree: 2)"},
                                  {D, "%s*div(v)*dx(degree: 3)"},
                                  {D, "avg(%s)*jump(q)*dS(degree: 2)"},
                                  {D, "plus(%s)*minus(%s)*avg(q)*dS(degree: 2)"},
                                  {D, "inner(jump(%v), minus(v))*dS(degree: 2)"},
                                  {D, "inner(avg(%t), plus(grad(v)))/plus(h)*dS(degree: 2)"},
                                  {D, "dot(avg(%v), jump(q, n))*dS(degree: 2)"},
                                  {ALL, "derive((%s)^2*dx(degree: 3), p)"},
                                  {ALL, "derive(sin(%s)*dx(degree: 3), u)"},
                                  {ALL, "derive(exp(tanh(%s))*dx(degree: 2), S)"},
                                  {D, "derive(avg(cos(%s))*dS(degree: 2), u)"}};

/* ---- trees ------------------------------------------------------------------------------------------------------------ */

typedef struct _Tree Tree;
struct _Tree {
  const char *pattern; /* one letter behind % for each kid */
  int         kids;
  Tree       *kid[4];
};
static Tree               pool[4096];
static Tree              *leaf[3]; /* [rank] what shrinking puts in the place of a tree */
static int                used, here;
static unsigned long long state;

static int below(int n)
{
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (int)((state >> 33) % (unsigned long long)n);
}

static const char *pick(int n, const Pattern list[])
{
  int i = below(n);

  while (!(list[i].where & here)) i = below(n);
  return list[i].text;
}

#define PICK(list) pick((int)(sizeof(list) / sizeof(list)[0]), list)

static Tree *grow(int rank, int depth);

static int rank_of(char letter)
{
  return letter == 's' ? 0 : letter == 'v' ? 1 : 2;
}

static Tree *make(const char pattern[], int depth)
{
  Tree *tree = &pool[used++];

  *tree = (Tree){.pattern = pattern};
  for (const char *c = pattern; (c = strchr(c, '%')); ++c) tree->kid[tree->kids++] = grow(rank_of(c[1]), depth - 1);
  return tree;
}

static Tree *grow(int rank, int depth)
{
  if (depth <= 0 || used > 3500) return make(rank == 0 ? PICK(ends_s) : rank == 1 ? PICK(ends_v) : PICK(ends_t), 0);
  return make(rank == 0 ? PICK(inner_s) : rank == 1 ? PICK(inner_v) : PICK(inner_t), depth);
}

static void print(const Tree *tree, char text[], size_t size)
{
  int kid = 0;

  for (const char *c = tree->pattern; *c; ++c) {
    const size_t n = strlen(text);

    if (*c == '%') {
      print(tree->kid[kid++], text, size);
      ++c;
    } else if (n + 1 < size) {
      text[n]     = *c;
      text[n + 1] = 0;
    }
  }
}

/* A term.  Test functions have no time derivative, so an expression with one has no derivative in their direction; names
   may hold one. */
static Tree *term_of(int depth)
{
  static char text[1 << 16];
  const int   before = used;
  Tree       *term;

  do {
    used    = before;
    text[0] = 0;
    term    = make(PICK(terms), depth);
    print(term, text, sizeof text);
  } while (strstr(text, "derive(") &&
           (strstr(text, "dt(") || strstr(text, "a0") || strstr(text, "a1") || strstr(text, "a2")));
  return term;
}

/* One to three terms for a setting, every third form behind definitions of a scalar, a vector and a tensor. */
static Tree *form_of(unsigned long long seed, const Setting *setting)
{
  static const char *const sum[]         = {"%e", "%e + %e", "%e - %e", "%e - %e + %e"};
  static const char *const names         = "a0 = %s; a1 = %v; a2 = %t; %e";
  const int                dim           = tools_dim[setting->cell];
  char                     text[1 << 12] = "";
  Tree                    *root, *top = NULL;
  int                      kids;

  here    = setting->cell == RUNG_POINT ? P : 1 << dim;
  used    = 0;
  state   = seed * 0x9e3779b97f4a7c15ull + 1;
  leaf[0] = make("p", 0);
  leaf[1] = make("u", 0);
  leaf[2] = make("S", 0);
  kids    = below(4);
  if (!below(3)) {
    top  = &pool[used++];
    *top = (Tree){.pattern = names, .kids = 4};
    for (int i = 0; i < 3; ++i) top->kid[i] = grow(i, 1 + below(2));
    for (int i = 0; i < 3; ++i) print(top->kid[i], text, sizeof text);
    here |= strstr(text, "dt(") ? NAMED : NAMED | STILL;
  }
  root  = &pool[used++];
  *root = (Tree){.pattern = sum[kids], .kids = (kids + 3) / 2};
  for (int i = 0; i < root->kids; ++i) root->kid[i] = term_of(1 + below(dim == 3 ? 3 : 4));
  if (!top) return root;
  top->kid[3] = root;
  return top;
}
