/* option_value.c - reads options: every option of Rung passes here, is entered into what -help prints, and its value is
   taken as a whole or refused. */
#include "base_impl.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

/* The text of an option, NULL without one.
   In   alone  the option may come without a value
   Out  set    it was given */
static PetscErrorCode find_text(MPI_Comm comm, const char name[], PetscBool alone, const char about[],
                                const char standard[], const char **text, PetscBool *set)
{
  PetscFunctionBegin;
  PetscCall(RungOptionEnter(name, alone, about, standard));
  PetscCall(PetscOptionsFindPair(NULL, NULL, name, text, set));
  if (!*set || (*text && !(*text)[0])) *text = NULL;
  PetscCheck(!*set || *text || alone, comm, PETSC_ERR_ARG_WRONG,
             "option %s has no value; give it one, or leave it away", name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- one value -------------------------------------------------------------------------------------------------- */

static PetscErrorCode to_int(MPI_Comm comm, const char name[], const char word[], PetscInt *value)
{
  char     *end;
  long long number;

  PetscFunctionBegin;
  errno  = 0;
  number = strtoll(word, &end, 10);
  PetscCheck(end > word && !*end, comm, PETSC_ERR_ARG_WRONG, "%s: \"%s\" is no whole number; wanted one like 10", name,
             word);
  PetscCheck(!errno && number >= PETSC_MIN_INT && number <= PETSC_MAX_INT, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "%s: \"%s\" is beyond the whole numbers, which lie from %" PetscInt_FMT " to %" PetscInt_FMT, name, word,
             PETSC_MIN_INT, PETSC_MAX_INT);
  *value = (PetscInt)number;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode to_real(MPI_Comm comm, const char name[], const char word[], PetscReal *value)
{
  char  *end;
  double number;

  PetscFunctionBegin;
  errno  = 0;
  number = strtod(word, &end);
  PetscCheck(end > word && !*end && !PetscIsNanReal((PetscReal)number), comm, PETSC_ERR_ARG_WRONG,
             "%s: \"%s\" is no number; wanted one like 0.1", name, word);
  PetscCheck(!PetscIsInfReal((PetscReal)number) && !(errno && (PetscReal)number == 0), comm, PETSC_ERR_ARG_OUTOFRANGE,
             "%s: \"%s\" is beyond the numbers, which lie from %.1e to %.1e", name, word, (double)PETSC_MIN_REAL,
             (double)PETSC_MAX_REAL);
  *value = (PetscReal)number;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOptionBool(MPI_Comm comm, const char name[], const char about[], PetscBool *value, PetscBool *given)
{
  static const char *const yes[] = {"true", "yes", "on", "1"}, *const no[] = {"false", "no", "off", "0"};
  const char *text;
  PetscBool   set, known = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(find_text(comm, name, PETSC_TRUE, about, *value ? "true" : "false", &text, &set));
  if (given) *given = set;
  if (set && !text) *value = PETSC_TRUE;
  for (size_t i = 0; text && !known && i < PETSC_STATIC_ARRAY_LENGTH(yes); ++i) {
    PetscBool agree;

    PetscCall(PetscStrcasecmp(text, yes[i], &agree));
    PetscCall(PetscStrcasecmp(text, no[i], &known));
    if (agree || known) *value = agree;
    known = agree || known ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscCheck(!text || known, comm, PETSC_ERR_ARG_WRONG, "%s: \"%s\" is neither true nor false; wanted one of them",
             name, text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOptionInt(MPI_Comm comm, const char name[], const char about[], PetscInt *value, PetscBool *given)
{
  char        standard[32];
  const char *text;
  PetscBool   set;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(standard, sizeof standard, "%" PetscInt_FMT, *value));
  PetscCall(find_text(comm, name, PETSC_FALSE, about, standard, &text, &set));
  if (set) PetscCall(to_int(comm, name, text, value));
  if (given) *given = set;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOptionReal(MPI_Comm comm, const char name[], const char about[], PetscReal *value, PetscBool *given)
{
  char        standard[32];
  const char *text;
  PetscBool   set;

  PetscFunctionBegin;
  standard[0] = '\0';
  if (!PetscIsInfOrNanReal(*value)) PetscCall(PetscSNPrintf(standard, sizeof standard, "%.12g", (double)*value));
  PetscCall(find_text(comm, name, PETSC_FALSE, about, standard, &text, &set));
  if (set) PetscCall(to_real(comm, name, text, value));
  if (given) *given = set;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOptionText(MPI_Comm comm, const char name[], const char about[], const char alone[], size_t size,
                              char text[], PetscBool *given)
{
  const char *found;
  PetscBool   set;

  PetscFunctionBegin;
  PetscCall(find_text(comm, name, alone ? PETSC_TRUE : PETSC_FALSE, about, text, &found, &set));
  if (!found) found = alone;
  PetscCheck(!set || strlen(found) < size, comm, PETSC_ERR_ARG_SIZ,
             "%s has a value of %zu letters; wanted fewer than %zu", name, set ? strlen(found) : 0, size);
  if (set) PetscCall(PetscStrncpy(text, found, size));
  if (given) *given = set;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- lists ------------------------------------------------------------------------------------------------------ */

/* The words of a list with commas between, *n = 0 if it was not given.  words[*n] is the caller's, as its strings. */
static PetscErrorCode find_words(MPI_Comm comm, const char name[], const char about[], PetscInt room, PetscInt *n,
                                 char *words[], PetscBool *given)
{
  const char *text, *end;
  PetscBool   set;
  PetscInt    found = 1;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(find_text(comm, name, PETSC_FALSE, about, NULL, &text, &set));
  if (given) *given = set;
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  for (end = text; *end; ++end) found += *end == ',';
  PetscCheck(found <= room, comm, PETSC_ERR_ARG_SIZ, "%s is a list of %" PetscInt_FMT "; wanted at most %" PetscInt_FMT,
             name, found, room);
  for (const char *word = text; *n < found; word = end + 1) {
    end = word + strcspn(word, ",");
    PetscCall(PetscMalloc((size_t)(end - word) + 1, &words[*n]));
    PetscCall(PetscStrncpy(words[(*n)++], word, (size_t)(end - word) + 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOptionTexts(MPI_Comm comm, const char name[], const char about[], PetscInt *n, char *list[],
                               PetscBool *given)
{
  PetscFunctionBegin;
  PetscCall(find_words(comm, name, about, *n, n, list, given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode free_words(PetscInt n, char *words[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) PetscCall(PetscFree(words[i]));
  PetscCall(PetscFree(words));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode to_ints(MPI_Comm comm, const char name[], PetscInt n, char *words[], PetscInt list[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) PetscCall(to_int(comm, name, words[i], &list[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode to_reals(MPI_Comm comm, const char name[], PetscInt n, char *words[], PetscReal list[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) PetscCall(to_real(comm, name, words[i], &list[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOptionInts(MPI_Comm comm, const char name[], const char about[], PetscInt *n, PetscInt list[],
                              PetscBool *given)
{
  char **words;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(*n, &words));
  RungCallOrUndo(find_words(comm, name, about, *n, n, words, given), PetscCall(PetscFree(words)));
  RungCallFinally(to_ints(comm, name, *n, words, list), PetscCall(free_words(*n, words)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOptionReals(MPI_Comm comm, const char name[], const char about[], PetscInt *n, PetscReal list[],
                               PetscBool *given)
{
  char **words;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(*n, &words));
  RungCallOrUndo(find_words(comm, name, about, *n, n, words, given), PetscCall(PetscFree(words)));
  RungCallFinally(to_reals(comm, name, *n, words, list), PetscCall(free_words(*n, words)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- others ----------------------------------------------------------------------------------------------------- */

PetscErrorCode RungOptionGiven(const char name[], const char about[], PetscBool *given)
{
  PetscFunctionBegin;
  PetscCall(RungOptionEnter(name, PETSC_TRUE, about, NULL));
  PetscCall(PetscOptionsHasName(NULL, NULL, name, given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOptionViewer(MPI_Comm comm, const char name[], const char about[], PetscViewer *viewer,
                                PetscViewerFormat *format)
{
  PetscFunctionBegin;
  PetscCall(RungOptionEnter(name, PETSC_TRUE, about, NULL));
  PetscCall(PetscViewerDestroy(viewer));
  if (!RungHelpWanted()) PetscCall(PetscOptionsCreateViewer(comm, NULL, NULL, name, viewer, format, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
