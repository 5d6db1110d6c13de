/* tableau.c - coefficients of Runge-Kutta methods whose stages are found one by one, expanded from tableaux.def and explicit.def. */
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
#include "explicit.def"
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
static const RungTableau implicit[] = {
#include "tableaux.def"
};
static const RungTableau explicit[] = {
#include "explicit.def"
};
#undef RUNG_TABLEAU

#define RUNG_TABLEAU(symbol, name, ...) name,
const char *const RungTableauNames[] = {
#include "tableaux.def"
  NULL};
const char *const RungExplicitNames[] = {
#include "explicit.def"
  NULL};
#undef RUNG_TABLEAU
#define RUNG_TABLEAU(symbol, name, key, ...) key,
const char *const RungTableauKeys[] = {
#include "tableaux.def"
  NULL};
const char *const RungExplicitKeys[] = {
#include "explicit.def"
  NULL};
#undef RUNG_TABLEAU
#undef ROW

#define STAGES "a method whose stages are solved together, and those here are solved one by one"

const RungMethodSynonym RungTableauSynonyms[] = {
  {"trapezoid", NULL, " trapezoidal trapezoidaldirk trapezoidalrule trapezium ode23t "},
  {"euler", NULL, " impliciteuler backwardeuler backwardseuler beuler bweuler eub eulerbackward eulerimplicit euler1 "},
  {"midpoint", NULL, " implicitmidpoint midpointrule "},
  {"midpoint", STAGES, " gausslegendre gauss "},
  {"esdirk54", STAGES, " radau radau5 radauiia irk "},
  {"esdirk43", STAGES, " lobattoiiic "},
  {"trapezoid", STAGES, " lobattoiiia "},
  {"trbdf2", NULL, " ode23tb esdirk2 "},
  {"alexander2", NULL, " sdirk sdirk2 sdirk22 sdirk22alexander "},
  {"alexander3", NULL, " sdirk3 sdirk33 sdirk33alexander alexander lstabledirk3 "},
  {"sdirk_5_3_4", NULL, " sdirk4 sdirk4hw lstablesdirk4 "},
  {"sdirk2_ssp_symplectic", NULL, " dirk2 dirk2pathsim "},
  {"sdirk3_4stage_half", NULL, " dirk3 dirk3pathsim "},
  {"kvaerno_4_2_3", NULL, " kvaerno3 "},
  {"kvaerno_5_3_4", NULL, " kvaerno4 "},
  {"kvaerno_7_4_5", NULL, " kvaerno5 "},
  {"esdirk43", NULL, " esdirk dirk esdirk4 arkode "},
  {"esdirk32", NULL, " esdirk3 "},
  {"esdirk54", NULL, " esdirk5 esdirk54kc2019 "},
  {"esdirk4_kc_gamma14", NULL, " esdirk4pathsim "},
  {"esdirk43i6l2sa_6_3_4", NULL, " esdirk43kc2019 "},
  {"esdirk_16_8_5", NULL, " esdirk85 esdirk85ak2024 "},
  {NULL, NULL, NULL}};

const RungMethodSynonym RungExplicitSynonyms[] = {
  {"forward_euler", NULL, " forwardeuler expliciteuler euf fweuler euler1explicit "},
  {"heun21", NULL, " heun heun2 ssprk22 mdeuler ssprk22heun21 "},
  {"explicit_midpoint21", NULL, " rk2 rk2midpoint explicitmidpoint "},
  {"bs32", NULL, " rkbs32 rk3bs bogackishampine bogackishampine32 rk23 ode23 "},
  {"ssp33", NULL, " ssp ssprk3 ssprk33 shuosher "},
  {"ssp43", NULL, " ssprk34 ssprk43 "},
  {"zonneveld43", NULL, " zonneveld4 "},
  {"cash_karp54", NULL, " rkck54 cashkarp "},
  {"dopri54", NULL, " rkdp54 dopri5 dormandprince dormandprince54 rk5dp rk45 ode45 "},
  {"verner65_1978", NULL, " verner6 "},
  {"verner65_robust", NULL, " rkv65 vern6 "},
  {"verner76", NULL, " vern7 verner76efficient "},
  {"verner98", NULL, " vern9 "},
  {"runge3", NULL, " rk3 rk3runge "},
  {"ralston3", NULL, " ralston33 "},
  {"rk4", NULL, " rk rungekutta rungekutta4 erk classicalrk4 rk4classic "},
  {"rk4_38", NULL, " rk4alt "},
  {"fehlberg21", NULL, " rkf21 "},
  {"merson43", NULL, " merson merson4 "},
  {"fehlberg45", NULL, " fehlberg fehlberg4 rkf45 "},
  {"tsit54", NULL, " tsit5 tsitouras tsitouras54 "},
  {"fehlberg78", NULL, " rkf78 fehlberg7 "},
  {"dopri87", NULL, " rkdp87 dormandprince87 dormandprince8713m "},
  {"dop853", NULL, " dopri8 dormandprince853 ode78 "},
  {NULL, NULL, NULL}};

const RungMethodAlias RungTableauAliases[] = {{"euler", " EUB EulerBackward BwEuler backwards_euler "},
                                              {"midpoint", " implicit_midpoint "},
                                              {"trapezoid", " trapezoidal trapezoidal_dirk ode23t "},
                                              {"sdirk2_ssp_symplectic", " DIRK2 "},
                                              {"alexander2", " sdirk_2_2 sdirk22_alexander "},
                                              {"sdirk3_4stage_half", " DIRK3 "},
                                              {"alexander3", " l_stable_dirk_3 sdirk33_alexander "},
                                              {"sdirk_5_3_4", " l_stable_sdirk_4 sdirk4_hw "},
                                              {"esdirk32_pathsim", " ESDIRK32 "},
                                              {"esdirk4_kc_gamma14", " ESDIRK4 esdirk4_pathsim "},
                                              {"esdirk43i6l2sa_6_3_4", " ESDIRK43 esdirk43_kc2019 "},
                                              {"esdirk54", " ESDIRK54 esdirk54_kc2019 "},
                                              {"esdirk_16_8_5", " ESDIRK85 esdirk85_ak2024 "},
                                              {"kvaerno_4_2_3", " kvaerno3 "},
                                              {"kvaerno_5_3_4", " kvaerno4 "},
                                              {"kvaerno_7_4_5", " kvaerno5 "},
                                              {NULL, NULL}};

const RungMethodAlias RungExplicitAliases[] = {
  {"forward_euler", " EUF FwEuler "},
  {"heun21", " SSPRK22 MdEuler heun-21 ssprk22_heun21 "},
  {"explicit_midpoint21", " Rk2 rk2_midpoint "},
  {"bs32", " RKBS32 bogacki-shampine-32 rk23 ode23 "},
  {"ssp33", " SSPRK33 ssprk33 "},
  {"ssp43", " SSPRK34 ssprk43 "},
  {"zonneveld43", " Zonneveld4 zonneveld4 "},
  {"cash_karp54", " RKCK54 cash-karp-54 "},
  {"dopri54", " RKDP54 DoPri5 dormand-prince-54 dormand_prince54 rk45 ode45 "},
  {"verner65_1978", " Verner6 "},
  {"verner65_robust", " RKV65 "},
  {"verner76", " Vern7 vern7 verner76_efficient "},
  {"verner98", " Vern9 vern9 "},
  {"runge3", " Rk3 rk3_runge "},
  {"heun3", " Heun3 "},
  {"ralston3", " ralston-33 "},
  {"rk4", " RK4 Rk4 classical-rk4 rk4_classic "},
  {"rk4_38", " Rk4alt "},
  {"fehlberg21", " RKF21 rkf21 "},
  {"merson43", " Merson4 merson4 "},
  {"fehlberg45", " Fehlberg4 RKF45 fehlberg-45 "},
  {"tsit54", " Tsit5 tsit5 tsitouras54 "},
  {"fehlberg78", " RKF78 Fehlberg7 "},
  {"dopri87", " RKDP87 dormand_prince87_13m "},
  {"dop853", " DoPri8 dormand-prince-853 "},
  {NULL, NULL}};

PetscErrorCode RungTableauGetAll(PetscInt *n, const RungTableau **tableaux)
{
  PetscFunctionBegin;
  *n        = PETSC_STATIC_ARRAY_LENGTH(implicit);
  *tableaux = implicit;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExplicitGetAll(PetscInt *n, const RungTableau **tableaux)
{
  PetscFunctionBegin;
  *n        = PETSC_STATIC_ARRAY_LENGTH(explicit);
  *tableaux = explicit;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTableauFind(const char name[], const RungTableau **found)
{
  PetscFunctionBegin;
  *found = NULL;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(implicit) && !*found; ++i) {
    if (!strcmp(name, implicit[i].name) || !strcmp(name, implicit[i].key)) *found = &implicit[i];
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

#define LOOSE 1e-4 /* a tolerance for which steps are long */

/* R(z) = 1 + z b (1 - z A)^-1 (1, .., 1), with other weights in the place of b */
static double complex response_at(const RungTableau *tableau, const PetscReal weight[], double complex z)
{
  double complex k[RUNG_MAX_STAGES], r = 1;

  for (PetscInt i = 0; i < tableau->stages; ++i) {
    k[i] = 1;
    for (PetscInt j = 0; j < i; ++j) k[i] += z * RungTableauA(tableau, i, j) * k[j];
    k[i] /= 1 - z * RungTableauA(tableau, i, i);
    r += z * weight[i] * k[i];
  }
  return r;
}

static double growth_at(const RungTableau *tableau, double complex z)
{
  return cabs(response_at(tableau, tableau->b, z));
}

#define ROWS (PETSC_STATIC_ARRAY_LENGTH(implicit) + PETSC_STATIC_ARRAY_LENGTH(explicit))

/* Where a scan of a row keeps what it has found, since rows never change; *other of what is no row. */
static PetscReal *place_of(const RungTableau *tableau, PetscReal kept[ROWS], PetscReal *other)
{
  *other = 0;
  for (size_t i = 0; i < ROWS; ++i) {
    const size_t first = PETSC_STATIC_ARRAY_LENGTH(implicit);

    if (tableau == (i < first ? &implicit[i] : &explicit[i - first])) return &kept[i];
  }
  return other;
}

static PetscReal scan_angle(const RungTableau *tableau)
{
  for (int degrees = 90; degrees > 0; --degrees) {
    double largest = 0;

    for (double size = 1e-2; size < 1e4; size *= 1.05)
      largest = fmax(largest, growth_at(tableau, -size * cexp(-_Complex_I * degrees * M_PI / 180)));
    if (largest <= 1 + 1e-7) return degrees;
  }
  return 0;
}

PetscReal RungTableauAngle(const RungTableau *tableau)
{
  static PetscReal kept[ROWS]; /* 1 + the angle; 0: not known yet */
  PetscReal        other, *place = place_of(tableau, kept, &other);

  if (*place == 0) *place = 1 + scan_angle(tableau);
  return *place - 1;
}

PetscReal RungTableauReach(const RungTableau *tableau, PetscReal cosine)
{
  const double complex ray  = cosine + _Complex_I * sqrt(fmax(0, 1 - cosine * cosine));
  double               size = 0;

  while (size < 1e3 && growth_at(tableau, (size + 1e-3) * ray) <= 1 + 1e-9) size += 1e-3;
  return size;
}

static PetscReal scan_estimates(const RungTableau *tableau)
{
  double worst = 0;

  for (int ray = 0; ray < 2 && tableau->bhat; ++ray) {
    double complex z    = 0;
    double         size = 1e-3, estimate = 0;

    for (; size < 3 && estimate < LOOSE; size *= 1.02) {
      z        = size * (ray ? _Complex_I : -1);
      estimate = cabs(response_at(tableau, tableau->b, z) - response_at(tableau, tableau->bhat, z));
    }
    if (estimate >= LOOSE) worst = fmax(worst, cabs(response_at(tableau, tableau->b, z) - cexp(z)) / estimate);
  }
  return worst;
}

PetscReal RungTableauHides(const RungTableau *tableau)
{
  static PetscReal kept[ROWS]; /* 0: not known yet, or no estimate */
  PetscReal        other, *place = place_of(tableau, kept, &other);

  if (*place == 0) *place = scan_estimates(tableau);
  return *place;
}
