/* synonym.c - what other programs and books call a method, for those who type it here: PETSc's TS, SUNDIALS, Irksome, MATLAB.

   A name counts without regard to capitals, blanks, dashes and underscores; "TR-BDF2" is trbdf2, "HHT alpha" is hht. */
#include "step_impl.h"
#include <ctype.h>

#define EXPLICIT "an explicit method, and those here are implicit"
#define STAGES   "a method whose stages are solved together, and those here are solved one by one"
#define HIGHER   "of higher order than 2, and bdf ends there"

/* words: all that mean this method, or, with a reason why it is not the same, have it as the nearest */
static const struct {
  const char *method, *why, *words;
} table[] = {
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
  {"bdf2", NULL, " bdf gear "},
  {"esdirk43", HIGHER, " bdf3 bdf4 "},
  {"esdirk54", HIGHER, " bdf5 bdf6 "},
  {"bdf2", HIGHER, " ode15s ida cvode "},
  {"chung_hulbert", NULL, " alpha alpha2 generalizedalpha generalisedalpha genalpha galpha jwh jansenwhitinghulbert "},
  {"hht", NULL, " hhtalpha hilberhughestaylor "},
  {"wbz", NULL, " wbzalpha bossak bossaknewmark woodbossakzienkiewicz "},
  {"newmark", NULL, " newmarkbeta averageacceleration constantaverageacceleration "},
  {"newmark", "newmark with -stepper_beta 0.16666666666666667", " linearacceleration "},
  {"trbdf2", "a method of order 2 in time, trbdf2 is the same for systems of order 1", " bathe "},
  {"newmark", EXPLICIT, " centraldifference centraldifferences leapfrog verlet "},
  {"euler", EXPLICIT, " forwardeuler expliciteuler "},
  {"esdirk43", EXPLICIT, " rk rungekutta erk rk4 "},
  {"trbdf2", EXPLICIT, " rk2 heun "},
  {"esdirk32", EXPLICIT, " rk3 rk3bs ssp ssprk3 "},
  {"esdirk54", EXPLICIT, " rk45 ode45 rk5dp dopri5 dormandprince tsit5 "},
};

static void simplify(const char word[], char plain[], size_t size)
{
  size_t n = 0;

  for (; *word && n + 1 < size; ++word) {
    if (isalnum((unsigned char)*word)) plain[n++] = (char)tolower((unsigned char)*word);
  }
  plain[n] = '\0';
}

/* A method whose own name is written otherwise, among all of all types. */
static PetscErrorCode find_spelling(const char plain[], const char **method)
{
  const char *const *types, *const *methods;
  char     own[64];
  PetscInt n;

  PetscFunctionBegin;
  *method = NULL;
  PetscCall(RungStepperGetMethods(&n, &types, &methods));
  for (PetscInt i = 0; i < n && !*method; ++i) {
    simplify(methods[i], own, sizeof own);
    if (!strcmp(plain, own)) *method = methods[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_meaning(const char word[], const char **method, const char **why)
{
  char plain[64], key[66];

  PetscFunctionBegin;
  *why = NULL;
  simplify(word, plain, sizeof plain);
  (void)snprintf(key, sizeof key, " %s ", plain);
  PetscCall(find_spelling(plain, method));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(table) && !*method && plain[0]; ++i) {
    if (!strstr(table[i].words, key)) continue;
    *method = table[i].method;
    *why    = table[i].why;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperHint(RungStepperType type, const char word[], char text[], size_t size)
{
  const char *method, *why, *owner;

  PetscFunctionBegin;
  text[0] = '\0';
  PetscCall(find_meaning(word, &method, &why));
  if (!method) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStepperTypeOf(method, &owner));
  (void)snprintf(text, size, "; %s%s%s\"%s\"%s%s", why ? "that is " : "here it is ", why ? why : "",
                 why ? ": the nearest is " : "", method, type == owner ? "" : ", of stepper type ",
                 type == owner ? "" : owner);
  PetscFunctionReturn(PETSC_SUCCESS);
}
