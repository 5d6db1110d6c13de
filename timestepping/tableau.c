/* tableau.c - coefficients of diagonally implicit Runge-Kutta methods, expanded from tableaux.def. */
#include "tableau_impl.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* One array of each kind for each method; a method without an embedded one has bhat = {0} and is given NULL below. */
#define ROW(...)                                                                                                       \
  {                                                                                                                    \
    __VA_ARGS__                                                                                                        \
  }
#define RUNG_TABLEAU(symbol, name, key, citation, s, p, phat, q, limit, hat, accurate, c, a, b, bhat)                  \
  static const PetscReal symbol##_c[] = c, symbol##_a[] = a, symbol##_b[] = b, symbol##_bhat[] = bhat;
#include "tableaux.def"
#undef RUNG_TABLEAU

#define RUNG_TABLEAU(symbol, name, key, citation, s, p, phat, q, limit, hat, accurate, c, a, b, bhat)                  \
  {name,                                                                                                               \
   key,                                                                                                                \
   s,                                                                                                                  \
   p,                                                                                                                  \
   phat,                                                                                                               \
   q,                                                                                                                  \
   limit,                                                                                                              \
   hat,                                                                                                                \
   accurate ? PETSC_TRUE : PETSC_FALSE,                                                                                \
   symbol##_c,                                                                                                         \
   symbol##_a,                                                                                                         \
   symbol##_b,                                                                                                         \
   (phat) ? symbol##_bhat : NULL,                                                                                      \
   citation},
static const RungTableau table[] = {
#include "tableaux.def"
};
#undef RUNG_TABLEAU

#define RUNG_TABLEAU(symbol, name, ...) name,
const char *const RungTableauNames[] = {
#include "tableaux.def"
  NULL};
#undef RUNG_TABLEAU
#define RUNG_TABLEAU(symbol, name, key, ...) key,
const char *const RungTableauKeys[] = {
#include "tableaux.def"
  NULL};
#undef RUNG_TABLEAU
#undef ROW

#define EXPLICIT "an explicit method, and those here are implicit"
#define STAGES   "a method whose stages are solved together, and those here are solved one by one"

const RungMethodSynonym RungTableauSynonyms[] = {
  {"trapezoid", NULL, " cranknicolson cranknicholson cn trapezoidal trapezoidalrule trapezium ode23t "},
  {"trapezoid", "named by its theta, 1/2 is trapezoid and 1 is euler", " theta "},
  {"euler", NULL, " impliciteuler backwardeuler beuler eulerbackward eulerimplicit euler1 "},
  {"midpoint", NULL, " implicitmidpoint midpointrule "},
  {"midpoint", STAGES, " gausslegendre gauss "},
  {"esdirk54", STAGES, " radau radau5 radauiia irk "},
  {"esdirk43", STAGES, " lobattoiiic "},
  {"trapezoid", STAGES, " lobattoiiia "},
  {"trbdf2", NULL, " ode23tb esdirk2 "},
  {"alexander2", NULL, " sdirk sdirk2 sdirk22 "},
  {"alexander3", NULL, " sdirk3 sdirk33 alexander "},
  {"esdirk43", NULL, " esdirk dirk esdirk4 arkode "},
  {"esdirk32", NULL, " esdirk3 "},
  {"esdirk54", NULL, " esdirk5 "},
  {"esdirk43", "split into a stiff and another part, and methods here take all of it implicitly", " arkimex imex "},
  {"esdirk43", "a method with one iteration a stage, and those here iterate to the end", " rosenbrock rosw "},
  {"esdirk32", "a method with one iteration a stage, and those here iterate to the end", " ode23s "},
  {"trbdf2", "a method of order 2 in time, trbdf2 is the same for systems of order 1", " bathe "},
  {"euler", EXPLICIT, " forwardeuler expliciteuler "},
  {"esdirk43", EXPLICIT, " rk rungekutta erk rk4 "},
  {"trbdf2", EXPLICIT, " rk2 heun "},
  {"esdirk32", EXPLICIT, " rk3 rk3bs ssp ssprk3 "},
  {"esdirk54", EXPLICIT, " rk45 ode45 rk5dp dopri5 dormandprince tsit5 "},
  {NULL, NULL, NULL}};

PetscErrorCode RungTableauGetAll(PetscInt *n, const RungTableau **tableaux)
{
  PetscFunctionBegin;
  *n        = PETSC_STATIC_ARRAY_LENGTH(table);
  *tableaux = table;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTableauFind(const char name[], const RungTableau **found)
{
  PetscFunctionBegin;
  *found = NULL;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(table) && !*found; ++i) {
    if (!strcmp(name, table[i].name) || !strcmp(name, table[i].key)) *found = &table[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscReal RungTableauA(const RungTableau *tableau, PetscInt i, PetscInt j)
{
  return j > i ? 0 : tableau->a[i * (i + 1) / 2 + j];
}

/* c_i = 1 alone does not make a stage the end of a step: its row must be b.  Stages after it serve the estimate only. */
PetscInt RungTableauFinal(const RungTableau *tableau)
{
  for (PetscInt i = tableau->stages - 1; i >= 0; --i) {
    PetscReal off = PetscAbsReal(tableau->c[i] - 1);

    for (PetscInt j = 0; j < tableau->stages; ++j) {
      off = PetscMax(off, PetscAbsReal(RungTableauA(tableau, i, j) - tableau->b[j]));
    }
    if (off <= 4 * PETSC_MACHINE_EPSILON) return i;
  }
  return -1;
}

/* R(z) = 1 + z b (1 - z A)^-1 (1, .., 1) */
static double growth_at(const RungTableau *tableau, double complex z)
{
  double complex k[RUNG_MAX_STAGES], r = 1;

  for (PetscInt i = 0; i < tableau->stages; ++i) {
    k[i] = 1;
    for (PetscInt j = 0; j < i; ++j) k[i] += z * RungTableauA(tableau, i, j) * k[j];
    k[i] /= 1 - z * RungTableauA(tableau, i, i);
    r += z * tableau->b[i] * k[i];
  }
  return cabs(r);
}

PetscReal RungTableauAngle(const RungTableau *tableau)
{
  for (int degrees = 90; degrees > 0; --degrees) {
    double largest = 0;

    for (double size = 1e-2; size < 1e4; size *= 1.05)
      largest = fmax(largest, growth_at(tableau, -size * cexp(-_Complex_I * degrees * M_PI / 180)));
    if (largest <= 1 + 1e-7) return degrees;
  }
  return 0;
}
