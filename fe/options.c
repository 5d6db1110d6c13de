/* options.c - options that are misspelt end the run with the name that was probably meant. */
#include "fe_impl.h"
#include <ctype.h>

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
  const PetscInt limit = PetscMin(3, (PetscInt)strlen(word) / 2);

  PetscFunctionBegin;
  PetscCall(nearest_within(word, n, list, limit, nearest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the known options ------------------------------------------------------------------------------------------ */

static struct {
  PetscInt     n, room;
  const char **name; /* [n] without the dash; the strings are ours */
} known;

static PetscErrorCode forget_known(void)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < known.n; ++i) PetscCall(PetscFree(known.name[i]));
  PetscCall(PetscFree(known.name));
  known.n = known.room = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOptionKnown(const char name[])
{
  PetscFunctionBegin;
  if (name[0] == '-') ++name;
  for (PetscInt i = 0; i < known.n; ++i) {
    if (!strcmp(known.name[i], name)) PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!known.room) PetscCall(PetscRegisterFinalize(forget_known));
  if (known.n == known.room) {
    known.room = PetscMax(64, 2 * known.room);
    PetscCall(PetscRealloc((size_t)known.room * sizeof *known.name, &known.name));
  }
  PetscCall(PetscStrallocpy(name, (char **)&known.name[known.n]));
  ++known.n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool has_class_word(const char name[])
{
  static const char *const word[] = {"mesh_", "space_", "form_", "system_", "stepper_", "study_", "case_", "rung_"};

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(word); ++i) {
    if (!strncmp(name, word[i], strlen(word[i]))) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* The first unused option that Rung refuses, or NULL; `nearest` as RungSuggest. */
static PetscErrorCode find_refused(PetscInt n, char **name, const char **refused, const char **nearest)
{
  PetscFunctionBegin;
  *refused = *nearest = NULL;
  for (PetscInt i = 0; i < n && !*refused; ++i) {
    if (has_class_word(name[i])) {
      PetscCall(RungSuggest(name[i], known.n, known.name, nearest));
      *refused = name[i];
    } else {
      PetscCall(nearest_within(name[i], known.n, known.name, 2, nearest));
      if (*nearest) *refused = name[i];
    }
    if (*nearest && !strcmp(*nearest, name[i])) *refused = NULL; /* known, and asked for later */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOptionsCheck(MPI_Comm comm)
{
  PetscInt    n;
  char      **name, **value, text[1024] = "";
  const char *refused, *nearest;

  PetscFunctionBegin;
  PetscCall(PetscOptionsLeftGet(NULL, &n, &name, &value));
  PetscCall(find_refused(n, name, &refused, &nearest));
  if (refused) {
    PetscCall(PetscSNPrintf(text, sizeof text, "there is no option -%s%s%s%s", refused,
                            nearest ? "; did you mean -" : "", nearest ? nearest : "", nearest ? "?" : ""));
  }
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &name, &value));
  RungCheckAll(!text[0], comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "%s", text);
  PetscFunctionReturn(PETSC_SUCCESS);
}
