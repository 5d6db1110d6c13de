/* tableau.c - coefficients of diagonally implicit Runge-Kutta methods, expanded from tableaux.def. */
#include "step_impl.h"

/* One array of each kind for each method; a method without an embedded one has bhat = {0} and is given NULL below. */
#define ROW(...)                                                                                                       \
  {                                                                                                                    \
    __VA_ARGS__                                                                                                        \
  }
#define RUNG_TABLEAU(symbol, name, key, s, p, phat, q, limit, hat, accurate, c, a, b, bhat)                            \
  static const PetscReal symbol##_c[] = c, symbol##_a[] = a, symbol##_b[] = b, symbol##_bhat[] = bhat;
#include "tableaux.def"
#undef RUNG_TABLEAU

#define RUNG_TABLEAU(symbol, name, key, s, p, phat, q, limit, hat, accurate, c, a, b, bhat)                            \
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
   (phat) ? symbol##_bhat : NULL},
static const RungTableau table[] = {
#include "tableaux.def"
};
#undef RUNG_TABLEAU
#undef ROW

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
