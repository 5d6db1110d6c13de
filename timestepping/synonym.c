/* synonym.c - what other programs and books call a method, for those who type it here: PETSc's TS, SUNDIALS, Irksome, MATLAB.

   Each family has its own words.  Names that suites give a method (RungMethodAlias) choose it, as they write them; all others, and words for
   families of methods (RungMethodSynonym), are told in messages, where a name counts without regard to capitals, blanks, dashes and underscores; "TR-BDF2" is trbdf2, "HHT alpha" is hht. */
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

static void claim(const char name[], PetscInt *n, const char *method[])
{
  for (PetscInt i = 0; i < *n; ++i)
    if (!strcmp(method[i], name)) return;
  if (*n < RUNG_CLAIMS) method[(*n)++] = name;
}

/* Methods whose own name is written otherwise, among all of all types. */
static PetscErrorCode claim_spelling(const char plain[], PetscInt *found, const char *method[])
{
  const char *const *types, *const *methods;
  char     own[64];
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &types, &methods));
  for (PetscInt i = 0; i < n; ++i) {
    simplify(methods[i], own, sizeof own);
    if (!strcmp(plain, own)) claim(methods[i], found, method);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The method that is called so, letter by letter, whatever others are called by others. */
static PetscErrorCode claim_name(const char word[], PetscInt *found, const char *method[])
{
  const char *const *types, *const *methods;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &types, &methods));
  for (PetscInt i = 0; i < n; ++i) {
    if (!strcmp(methods[i], word)) claim(methods[i], found, method);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Methods of which an alias is written otherwise. */
static void claim_aliases(const RungStepperOps *ops, const char plain[], PetscInt *n, const char *method[])
{
  char name[64], own[64];

  for (const RungMethodAlias *alias = ops->aliases; alias && alias->method; ++alias) {
    int read;

    for (const char *at = alias->names; sscanf(at, " %63s%n", name, &read) == 1; at += read) {
      simplify(name, own, sizeof own);
      if (!strcmp(plain, own)) claim(alias->method, n, method);
    }
  }
}

/* The family's words for a method; key: the word with blanks around it. */
static const RungMethodSynonym *find_word(const RungStepperOps *ops, const char key[])
{
  const RungMethodSynonym *s = ops->synonyms;

  while (s && s->method && !strstr(s->words, key)) ++s;
  return s && s->method ? s : NULL;
}

PetscErrorCode RungStepperFindSynonyms(const char word[], PetscInt *found, const char *method[RUNG_CLAIMS],
                                       const char **why)
{
  const char *const       *types;
  const RungMethodSynonym *nearest = NULL;
  char                     plain[64], key[66];
  PetscInt                 n;

  PetscFunctionBegin;
  *why   = NULL;
  *found = 0;
  simplify(word, plain, sizeof plain);
  if (!plain[0]) PetscFunctionReturn(PETSC_SUCCESS);
  (void)snprintf(key, sizeof key, " %s ", plain);
  PetscCall(claim_name(word, found, method));
  if (*found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(claim_spelling(plain, found, method));
  PetscCall(RungStepperGetTypes(&n, &types));
  for (PetscInt i = 0; i < n; ++i) {
    const RungStepperOps    *ops;
    const RungMethodSynonym *s;

    PetscCall(RungStepperOpsOf(types[i], &ops));
    claim_aliases(ops, plain, found, method);
    s = find_word(ops, key);
    if (s && !s->why) claim(s->method, found, method);
    if (s && s->why && !nearest) nearest = s;
  }
  if (!*found && nearest) {
    claim(nearest->method, found, method);
    *why = nearest->why;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* words end in a blank, which follows none of what is appended. */
static void append(char text[], size_t size, const char words[])
{
  const size_t n = strlen(text);

  (void)snprintf(text + n, size - n, "%.*s", (int)strlen(words) - 1, words);
}

PetscErrorCode RungStepperGetOtherNames(const char method[], PetscBool aliases, char text[], size_t size)
{
  const char *const *types;
  PetscInt           n;

  PetscFunctionBegin;
  text[0] = '\0';
  PetscCall(RungStepperGetTypes(&n, &types));
  for (PetscInt i = 0; i < n; ++i) {
    const RungStepperOps *ops;

    PetscCall(RungStepperOpsOf(types[i], &ops));
    for (const RungMethodAlias *alias = aliases ? ops->aliases : NULL; alias && alias->method; ++alias)
      if (!strcmp(alias->method, method)) append(text, size, alias->names);
    for (const RungMethodSynonym *s = aliases ? NULL : ops->synonyms; s && s->method; ++s)
      if (!s->why && !strcmp(s->method, method)) append(text, size, s->words);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperHint(RungStepperType type, const char word[], char text[], size_t size)
{
  const char *method[RUNG_CLAIMS], *why, *owner, *name;
  PetscInt    n;

  PetscFunctionBegin;
  text[0] = '\0';
  PetscCall(RungStepperFindSynonyms(word, &n, method, &why));
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  if (n > 1) {
    (void)snprintf(text, size, "; it may be");
    for (PetscInt i = 0; i < n; ++i)
      (void)snprintf(text + strlen(text), size - strlen(text), "%s \"%s\"",
                     !i           ? ""
                     : i + 1 == n ? " or"
                                  : ",",
                     method[i]);
    (void)snprintf(text + strlen(text), size - strlen(text), ": name the one that is meant");
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungStepperTypeOf(method[0], &owner, &name));
  (void)snprintf(text, size, "; %s%s%s\"%s\"%s%s", why ? "that is " : "here it is ", why ? why : "",
                 why ? ": the nearest is " : "", method[0], type == owner ? "" : ", of stepper type ",
                 type == owner ? "" : owner);
  PetscFunctionReturn(PETSC_SUCCESS);
}
