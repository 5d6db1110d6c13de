/* options.c - options that are misspelt end the run with the name that was probably meant, values that are not of their
   kind with the name of the option. */
#include "base_impl.h"
#include <rungtext_room.h>
#include <ctype.h>
#include <strings.h>

#define ALIKE 8 /* options that a message names */

/* ---- the nearest word ------------------------------------------------------------------------------------------- */

/* 0 for equal letters, 1 for the small and the capital one, 2 for others */
static PetscInt letters(char a, char b)
{
  if (a == b) return 0;
  return tolower((unsigned char)a) == tolower((unsigned char)b) ? 1 : 2;
}

/* Twice the edits (insert, delete, replace a letter, swap two neighbours; a change of case is half of one) that lead from
   a to b: optimal string alignment,

     d(i, j) = min( d(i-1, j) + 2, d(i, j-1) + 2, d(i-1, j-1) + letters(a_i, b_j), d(i-2, j-2) + 2 if swapped )

   Oommen and Loke, Pattern recognition of strings with substitutions, insertions, deletions and generalized
   transpositions, 1997.  row[i % 3] holds line i; row is work space of 3 (|b| + 1) numbers. */
static PetscInt edits(const char a[], const char b[], PetscInt row[])
{
  const PetscInt na = (PetscInt)strlen(a), nb = (PetscInt)strlen(b);

  for (PetscInt j = 0; j <= nb; ++j) row[j] = 2 * j;
  for (PetscInt i = 1; i <= na; ++i) {
    const PetscInt *back = row + ((i + 1) % 3) * (nb + 1), *last = row + ((i + 2) % 3) * (nb + 1);
    PetscInt       *here = row + (i % 3) * (nb + 1);

    here[0] = 2 * i;
    for (PetscInt j = 1; j <= nb; ++j) {
      here[j] = PetscMin(PetscMin(last[j], here[j - 1]) + 2, last[j - 1] + letters(a[i - 1], b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) here[j] = PetscMin(here[j], back[j - 2] + 2);
    }
  }
  return row[(na % 3) * (nb + 1) + nb];
}

/* The word of the list with the fewest edits, the first of equals, if there are at most `limit`; NULL otherwise. */
static PetscErrorCode nearest_within(const char word[], PetscInt n, const char *const list[], PetscInt limit,
                                     const char **nearest)
{
  PetscInt best    = 2 * limit + 1, *row;
  size_t   longest = 0;

  PetscFunctionBegin;
  *nearest = NULL;
  for (PetscInt i = 0; i < n; ++i) longest = PetscMax(longest, strlen(list[i]));
  PetscCall(PetscMalloc1(3 * (longest + 1), &row));
  for (PetscInt i = 0; i < n; ++i) {
    const PetscInt distance = edits(word, list[i], row);

    if (distance < best) *nearest = list[i];
    best = PetscMin(best, distance);
  }
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSuggest(const char word[], PetscInt n, const char *const list[], const char **nearest)
{
  RungNeedArgument(word);
  const PetscInt limit = PetscMin(3, (PetscInt)strlen(word) / 2);

  PetscFunctionBegin;
  if (n > 0) RungNeedArgument(list);
  RungNeedArgument(nearest);
  PetscCall(nearest_within(word, n, list, limit, nearest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the known options ------------------------------------------------------------------------------------------ */

static struct {
  PetscInt     n, room;
  RungOption  *option; /* [n] what was entered, owned           */
  const char **name;   /* [n] option[i].name, for RungSuggest() */
} known;

static PetscErrorCode forget_known(void)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < known.n; ++i) {
    PetscCall(PetscFree(known.option[i].name));
    PetscCall(PetscFree(known.option[i].about));
    PetscCall(PetscFree(known.option[i].range));
    PetscCall(PetscFree(known.option[i].standard));
  }
  PetscCall(PetscFree(known.option));
  PetscCall(PetscFree(known.name));
  known.n = known.room = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungOptionsGetKnown(PetscInt *n, const RungOption **option)
{
  *n      = known.n;
  *option = known.option;
}

static PetscErrorCode make_room(void)
{
  PetscFunctionBegin;
  if (known.n < known.room) PetscFunctionReturn(PETSC_SUCCESS);
  if (!known.room) PetscCall(PetscRegisterFinalize(forget_known));
  known.room = PetscMax(64, 2 * known.room);
  PetscCall(PetscRealloc((size_t)known.room * sizeof *known.option, &known.option));
  PetscCall(PetscRealloc((size_t)known.room * sizeof *known.name, &known.name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOptionEnter(const char name[], PetscBool alone, const char about[], const char range[],
                               const char standard[])
{
  const char *plain = name[0] == '-' ? name + 1 : name;
  RungOption *option;
  PetscInt    i;

  PetscFunctionBegin;
  for (i = 0; i < known.n && strcmp(known.name[i], plain) != 0; ++i) {
  }
  if (i == known.n) {
    PetscCall(make_room());
    known.option[i] = (RungOption){.alone = PETSC_TRUE};
    PetscCall(PetscStrallocpy(plain, &known.option[i].name));
    known.name[i] = known.option[i].name;
    ++known.n;
  }
  option        = &known.option[i];
  option->alone = option->alone && alone ? PETSC_TRUE : PETSC_FALSE;
  if (about && !option->about) PetscCall(PetscStrallocpy(about, &option->about));
  if (range && !option->range) PetscCall(PetscStrallocpy(range, &option->range));
  if (standard && !option->standard) PetscCall(PetscStrallocpy(standard, &option->standard));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOptionKnown(const char name[])
{
  char   plain[PETSC_MAX_OPTION_NAME];
  size_t n;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(plain, name, sizeof plain));
  n = strlen(plain);
  if (n && plain[n - 1] == '?') plain[n - 1] = '\0';
  PetscCall(RungOptionEnter(plain, name[n - 1] == '?' ? PETSC_TRUE : PETSC_FALSE, NULL, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The letters of the class word that a name begins with, 0 without one. */
static size_t class_word(const char name[])
{
  static const char *const word[] = {"mesh", "space", "form", "field", "system", "stepper", "study", "case", "rung"};

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(word); ++i) {
    const size_t n = strlen(word[i]);

    if (!strncasecmp(name, word[i], n) && (!name[n] || strchr("_=", name[n]))) return n;
  }
  return 0;
}

/* "dt" of "stepper_dt", of "study_dt" and of "dt" */
static const char *own_part(const char name[])
{
  const size_t n = class_word(name);

  return n && name[n] == '_' ? name + n + 1 : name;
}

/* A known option that is the word but for its class word and the case of letters, NULL without one. */
static const char *find_namesake(const char word[])
{
  for (PetscInt i = 0; i < known.n; ++i) {
    if (!strcasecmp(own_part(known.name[i]), own_part(word))) return known.name[i];
  }
  return NULL;
}

/* The first unused option that Rung refuses, or NULL; `nearest` as RungSuggest for its letters up to a "=". */
static PetscErrorCode find_refused(PetscInt n, char **name, const char **refused, const char **nearest)
{
  PetscFunctionBegin;
  *refused = *nearest = NULL;
  for (PetscInt i = 0; i < n && !*refused; ++i) {
    char         word[PETSC_MAX_OPTION_NAME];
    const size_t letters = strcspn(name[i], "=");

    PetscCall(PetscStrncpy(word, name[i], PetscMin(letters + 1, sizeof word)));
    if (class_word(name[i]))
      PetscCall(RungSuggest(word, known.n, known.name, nearest));
    else
      PetscCall(nearest_within(word, known.n, known.name, 2, nearest));
    if (!*nearest) *nearest = find_namesake(word);
    if (*nearest || class_word(name[i])) *refused = name[i];
    if (*nearest && !strcmp(*nearest, name[i])) *refused = NULL; /* known, and asked for later */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOptionSuggest(const char word[], const char **nearest)
{
  PetscFunctionBegin;
  PetscCall(RungSuggest(word, known.n, known.name, nearest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc does not look at the case of letters, so that "-Stepper_dt" is read; it is not the name that we document.
   all: "-name value -name ..", as PetscOptionsGetAll() gives them.  Out  refused[size]  "" if there is none */
static void find_other_case(const char all[], char refused[], size_t size, const char **nearest)
{
  refused[0] = '\0';
  while ((all = strchr(all, '-'))) {
    const size_t n = strcspn(++all, " ");

    for (PetscInt i = 0; i < known.n && n < size; ++i) {
      if (strlen(known.name[i]) != n || strncasecmp(known.name[i], all, n) != 0) continue;
      *nearest = known.name[i];
      (void)snprintf(refused, size, "%.*s", (int)n, all);
      if (strcmp(refused, *nearest) != 0) continue;
      refused[0] = '\0'; /* itself */
      break;
    }
    if (refused[0]) return;
    all = strstr(all, " -");
    if (!all) return;
  }
}

/* PETSc takes a number without a value for one that was not given: "-stepper_dt $DT" with an empty DT. */
static PetscErrorCode find_empty(const char **empty)
{
  PetscFunctionBegin;
  *empty = NULL;
  for (PetscInt i = 0; i < known.n && !*empty; ++i) {
    char        option[PETSC_MAX_OPTION_NAME];
    const char *value;
    PetscBool   set;

    if (known.option[i].alone || !class_word(known.name[i])) continue;
    PetscCall(PetscSNPrintf(option, sizeof option, "-%s", known.name[i]));
    PetscCall(PetscOptionsFindPair(NULL, NULL, option, &value, &set));
    if (set && (!value || !value[0])) *empty = known.name[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The known options that share most of the first words of `word`, more than the class word alone; "": none does. */
static PetscErrorCode list_alike(const char word[], char list[], size_t size)
{
  size_t   n     = strcspn(word, "=");
  PetscInt shown = 0;

  PetscFunctionBegin;
  list[0] = '\0';
  while (!shown && n > 0) {
    while (n > 0 && word[n - 1] != '_') --n;
    if (n) --n; /* at the "_" */
    if (n <= strcspn(word, "_")) break;
    for (PetscInt i = 0; i < known.n && shown < ALIKE; ++i) {
      const char *name = known.name[i];

      if (strncmp(name, word, n) != 0 || (name[n] && name[n] != '_')) continue;
      PetscCall(RungTextAppend(list, shown++ ? ", -" : "-", size));
      PetscCall(RungTextAppend(list, name, size));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "-stepper_dt=0.01" is one name to PETSc. */
static PetscErrorCode describe_refused(const char refused[], const char nearest[], char text[], size_t size)
{
  const char *value = strchr(refused, '=');
  char        alike[512];

  PetscFunctionBegin;
  PetscCall(list_alike(refused, alike, sizeof alike));
  if (value && nearest)
    PetscCall(PetscSNPrintf(text, size, "there is no option -%s; a value stands behind a blank, -%s %s", refused,
                            nearest, value + 1));
  else if (nearest)
    PetscCall(PetscSNPrintf(text, size, "there is no option -%s; did you mean -%s?", refused, nearest));
  else if (alike[0])
    PetscCall(PetscSNPrintf(text, size, "there is no option -%s; there is %s, and -help lists all", refused, alike));
  else
    PetscCall(PetscSNPrintf(text, size, "there is no option -%s; -help lists those that there are", refused));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOptionsCheck(MPI_Comm comm)
{
  PetscInt    n;
  char      **name, **value, *all, text[1024] = "", other[PETSC_MAX_OPTION_NAME];
  const char *refused, *nearest, *empty;

  PetscFunctionBegin;
  PetscCall(RungHelpShow());
  PetscCall(RungWordsCheck(comm));
  PetscCall(PetscOptionsGetAll(NULL, &all));
  find_other_case(all, other, sizeof other, &nearest);
  PetscCall(PetscFree(all));
  RungCheckAll(!other[0], comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "there is no option -%s; did you mean -%s?", other,
               nearest);
  PetscCall(PetscOptionsLeftGet(NULL, &n, &name, &value));
  PetscCall(find_refused(n, name, &refused, &nearest));
  if (refused) PetscCall(describe_refused(refused, nearest, text, sizeof text));
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &name, &value));
  RungCheckAll(!text[0], comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "%s", text);
  PetscCall(find_empty(&empty));
  RungCheckAll(!empty, comm, PETSC_ERR_ARG_WRONG, "option -%s has no value; give it one, or leave it away", empty);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* What PETSc says of a value that it cannot read, without the name of the option, and what is said instead. */
static const struct {
  const char *before, *after, *wanted;
} unread[] = {{"Input string ", " has no numeric value", "no number; wanted one like 0.1"},
              {"Input string ", " has no integer value", "no whole number; wanted one like 10"},
              {"Unknown logical value: ", "", "neither true nor false; wanted one of them"},
              {"Unable to find requested KSP type ", "", "no linear solver; PETSc has cg, gmres, preonly, .."},
              {"Unable to find requested PC type ", "", "no preconditioner; PETSc has jacobi, gamg, lu, .."},
              {"Unable to find requested SNES type ", "", "no nonlinear solver; PETSc has newtonls, newtontr, .."},
              {"Unable to find requested Line Search type ", "", "no line search; PETSc has basic, bt, l2, .."},
              {"Unknown Mat type given: ", "", "no type of matrix; PETSc has aij, baij, sbaij, .."}};

/* The word that a message complains of; *kind: which of unread[], -1 none. */
static void find_unread(const char message[], char word[], size_t size, PetscInt *kind)
{
  *kind = -1;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(unread) && *kind < 0; ++i) {
    const size_t before = strlen(unread[i].before);
    const char  *end;

    if (strncmp(message, unread[i].before, before) != 0) continue;
    end = unread[i].after[0] ? strstr(message, unread[i].after) : message + strlen(message);
    if (!end || (size_t)(end - message) - before >= size) continue;
    (void)snprintf(word, size, "%.*s", (int)(end - message - (ptrdiff_t)before), message + before);
    *kind = (PetscInt)i;
  }
}

/* Is it a value, or one of a list with commas between? */
static PetscBool holds(const char value[], size_t length, const char word[])
{
  const size_t n = strlen(word);

  while (length >= n) {
    if (!strncmp(value, word, n) && (length == n || value[n] == ',')) return PETSC_TRUE;
    while (length && *value != ',') ++value, --length;
    if (length) ++value, --length;
  }
  return PETSC_FALSE;
}

/* all: "-name value -name -name value ..", as PetscOptionsGetAll() gives them; names of those with the word, " or " between */
static void find_owners(const char all[], const char word[], char names[], size_t size)
{
  size_t used = 0;

  names[0] = '\0';
  while ((all = strchr(all, '-'))) {
    const size_t name  = strcspn(all, " ");
    const char  *value = all + name + strspn(all + name, " "), *end = strstr(value, " -");
    size_t       length;

    if (value[0] == '-' && isalpha((unsigned char)value[1])) { /* an option without a value */
      all = value;
      continue;
    }
    while (end && !isalpha((unsigned char)end[2])) end = strstr(end + 1, " -"); /* a negative number */
    length = end ? (size_t)(end - value) : strlen(value);
    while (length && value[length - 1] == ' ') --length;
    if (holds(value, length, word) && used + name + 8 < size)
      used += (size_t)snprintf(names + used, size - used, "%s%.*s", used ? " or " : "", (int)name, all);
    if (!end) break;
    all = end + 1;
  }
}

void RungOptionsExplain(char message[], size_t size)
{
  char     word[256], names[512] = "", *all = NULL;
  PetscInt kind;

  find_unread(message, word, sizeof word, &kind);
  if (kind < 0 || PetscOptionsGetAll(NULL, &all)) return;
  if (word[0]) find_owners(all, word, names, sizeof names);
  (void)PetscFree(all);
  if (names[0])
    (void)snprintf(message, size, "%s: \"%s\" is %s", names, word, unread[kind].wanted);
  else if (!word[0])
    (void)snprintf(message, size, "an option without a value is %s; give it one", unread[kind].wanted);
}
