/* synonym.c - what other programs and books call a method, for those who type it here: PETSc's TS, SUNDIALS, Irksome, MATLAB.

   Each family has its own words (RungMethodSynonym).  A name counts without regard to capitals, blanks, dashes and underscores; "TR-BDF2" is trbdf2, "HHT alpha" is hht. */
#include "step_impl.h"
#include <ctype.h>

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

/* The family's words for a method; key: the word with blanks around it. */
static const RungMethodSynonym *find_word(const RungStepperOps *ops, const char key[])
{
  const RungMethodSynonym *s = ops->synonyms;

  while (s && s->method && !strstr(s->words, key)) ++s;
  return s && s->method ? s : NULL;
}

PetscErrorCode RungStepperFindSynonym(const char word[], const char **method, const char **why)
{
  const char *const *types;
  char               plain[64], key[66];
  PetscInt           n;

  PetscFunctionBegin;
  *why = NULL;
  simplify(word, plain, sizeof plain);
  (void)snprintf(key, sizeof key, " %s ", plain);
  PetscCall(find_spelling(plain, method));
  PetscCall(RungStepperGetTypes(&n, &types));
  for (PetscInt i = 0; i < n && !*method && plain[0]; ++i) {
    const RungStepperOps    *ops;
    const RungMethodSynonym *found;

    PetscCall(RungStepperOpsOf(types[i], &ops));
    found = find_word(ops, key);
    if (!found) continue;
    *method = found->method;
    *why    = found->why;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperGetSynonyms(const char method[], char text[], size_t size)
{
  const char *const *types;
  PetscInt           n;

  PetscFunctionBegin;
  text[0] = '\0';
  PetscCall(RungStepperGetTypes(&n, &types));
  for (PetscInt i = 0; i < n; ++i) {
    const RungStepperOps *ops;

    PetscCall(RungStepperOpsOf(types[i], &ops));
    for (const RungMethodSynonym *s = ops->synonyms; s && s->method; ++s)
      if (!s->why && !strcmp(s->method, method))
        (void)snprintf(text + strlen(text), size - strlen(text), "%.*s", (int)strlen(s->words) - 1, s->words);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperHint(RungStepperType type, const char word[], char text[], size_t size)
{
  const char *method, *why, *owner, *name;

  PetscFunctionBegin;
  text[0] = '\0';
  PetscCall(RungStepperFindSynonym(word, &method, &why));
  if (!method) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStepperTypeOf(method, &owner, &name));
  (void)snprintf(text, size, "; %s%s%s\"%s\"%s%s", why ? "that is " : "here it is ", why ? why : "",
                 why ? ": the nearest is " : "", method, type == owner ? "" : ", of stepper type ",
                 type == owner ? "" : owner);
  PetscFunctionReturn(PETSC_SUCCESS);
}
