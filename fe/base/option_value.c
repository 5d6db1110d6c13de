/* option_value.c - reads options: every option of Rung passes here, is entered into what -help prints, and its value is
   taken as a whole or refused. */
#include "base_impl.h"
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <stdlib.h>

/* The text of an option, NULL without one.
   In   alone  the option may come without a value
   Out  set    it was given */
static PetscErrorCode find_text(MPI_Comm comm, const char name[], PetscBool alone, const char about[],
                                const char range[], const char standard[], const char **text, PetscBool *set)
{
  PetscFunctionBegin;
  PetscCall(RungOptionEnter(name, alone, about, range, standard));
  PetscCall(PetscOptionsFindPair(NULL, NULL, name, text, set));
  if (!*set || (*text && !(*text)[0])) *text = NULL;
  PetscCheck(!*set || *text || alone, comm, PETSC_ERR_ARG_WRONG,
             "option %s has no value; give it one, or leave it away", name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- one value -------------------------------------------------------------------------------------------------- */

#define SHOWN 60 /* letters of a value that a message shows */

/* A number that a range allows: "above 0", "at least 1", "-1 to 200", "at least 0 and below 1"; NULL: any. */
static PetscErrorCode check_range(MPI_Comm comm, const char name[], const char word[], const char range[], double value)
{
  double    least, most;
  PetscBool within = PETSC_TRUE;

  PetscFunctionBegin;
  if (!range) PetscFunctionReturn(PETSC_SUCCESS);
  if (sscanf(range, "at least %lf and below %lf", &least, &most) == 2)
    within = (PetscBool)(value >= least && value < most);
  else if (sscanf(range, "at least %lf", &least) == 1)
    within = (PetscBool)(value >= least);
  else if (sscanf(range, "above %lf", &least) == 1)
    within = (PetscBool)(value > least);
  else if (sscanf(range, "%lf to %lf", &least, &most) == 2)
    within = (PetscBool)(value >= least && value <= most);
  else
    SETERRQ(comm, PETSC_ERR_PLIB, "%s has the range \"%s\", which nobody can read", name, range);
  PetscCheck(within, comm, PETSC_ERR_ARG_OUTOFRANGE, "%s is %.*s; wanted a number %s%s", name, SHOWN, word,
             strstr(range, " to ") ? "from " : "", range);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode to_int(MPI_Comm comm, const char name[], const char word[], const char range[], PetscInt *value)
{
  char     *end;
  long long number;

  PetscFunctionBegin;
  errno  = 0;
  number = strtoll(word, &end, 10);
  PetscCheck(end > word && !*end, comm, PETSC_ERR_ARG_WRONG, "%s: \"%.*s\"%s is no whole number; wanted one like 10",
             name, SHOWN, word, strlen(word) > SHOWN ? ".." : "");
  PetscCheck(!errno && number >= PETSC_MIN_INT && number <= PETSC_MAX_INT, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "%s: \"%s\" is beyond the whole numbers, which lie from %" PetscInt_FMT " to %" PetscInt_FMT, name, word,
             PETSC_MIN_INT, PETSC_MAX_INT);
  PetscCall(check_range(comm, name, word, range, (double)number));
  *value = (PetscInt)number;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode to_real(MPI_Comm comm, const char name[], const char word[], const char range[], PetscReal *value)
{
  char  *end;
  double number;

  PetscFunctionBegin;
  errno  = 0;
  number = strtod(word, &end);
  PetscCheck(end > word && !*end && !PetscIsNanReal((PetscReal)number), comm, PETSC_ERR_ARG_WRONG,
             "%s: \"%.*s\"%s is no number; wanted one like 0.1", name, SHOWN, word, strlen(word) > SHOWN ? ".." : "");
  PetscCheck(!errno || (PetscReal)number != 0, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "%s: \"%s\" is nearer to 0 than any number; wanted 0, or one of at least %.1e", name, word, DBL_MIN);
  PetscCheck(!PetscIsInfReal((PetscReal)number), comm, PETSC_ERR_ARG_OUTOFRANGE,
             "%s: \"%s\" is beyond the numbers, which lie from %.1e to %.1e", name, word, (double)PETSC_MIN_REAL,
             (double)PETSC_MAX_REAL);
  PetscCall(check_range(comm, name, word, range, number));
  *value = (PetscReal)number;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOptionBool(MPI_Comm comm, const char name[], const char about[], PetscBool *value, PetscBool *given)
{
  static const char *const yes[] = {"true", "yes", "on", "1"}, *const no[] = {"false", "no", "off", "0"};
  const char *text;
  PetscBool   set, known = PETSC_FALSE;

  PetscFunctionBegin;
  RungNeedArgument(name);
  RungNeedArgument(value);
  PetscCall(find_text(comm, name, PETSC_TRUE, about, NULL, *value ? "true" : "false", &text, &set));
  if (given) *given = set;
  if (set && !text) *value = PETSC_TRUE;
  for (size_t i = 0; text && !known && i < PETSC_STATIC_ARRAY_LENGTH(yes); ++i) {
    PetscBool agree;

    PetscCall(PetscStrcasecmp(text, yes[i], &agree));
    PetscCall(PetscStrcasecmp(text, no[i], &known));
    if (agree || known) *value = agree;
    known = agree || known ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscCheck(!text || known, comm, PETSC_ERR_ARG_WRONG, "%s: \"%.*s\" is neither true nor false; wanted one of them",
             name, SHOWN, text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOptionIntIn(MPI_Comm comm, const char name[], const char about[], const char range[],
                               PetscInt *value, PetscBool *given)
{
  char        standard[32];
  const char *text;
  PetscBool   set;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(standard, sizeof standard, "%" PetscInt_FMT, *value));
  PetscCall(find_text(comm, name, PETSC_FALSE, about, range, standard, &text, &set));
  if (set) PetscCall(to_int(comm, name, text, range, value));
  if (given) *given = set;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOptionInt(MPI_Comm comm, const char name[], const char about[], PetscInt *value, PetscBool *given)
{
  PetscFunctionBegin;
  RungNeedArgument(name);
  RungNeedArgument(value);
  PetscCall(RungOptionIntIn(comm, name, about, NULL, value, given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOptionReal(MPI_Comm comm, const char name[], const char about[], PetscReal *value, PetscBool *given)
{
  PetscFunctionBegin;
  RungNeedArgument(name);
  RungNeedArgument(value);
  PetscCall(RungOptionRealIn(comm, name, about, NULL, value, given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOptionRealIn(MPI_Comm comm, const char name[], const char about[], const char range[],
                                PetscReal *value, PetscBool *given)
{
  char        standard[32];
  const char *text;
  PetscBool   set;

  PetscFunctionBegin;
  standard[0] = '\0';
  if (!PetscIsInfOrNanReal(*value)) PetscCall(PetscSNPrintf(standard, sizeof standard, "%.12g", (double)*value));
  PetscCall(find_text(comm, name, PETSC_FALSE, about, range, standard, &text, &set));
  if (set) PetscCall(to_real(comm, name, text, range, value));
  if (given) *given = set;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOptionText(MPI_Comm comm, const char name[], const char about[], const char alone[], size_t size,
                              char text[], PetscBool *given)
{
  const char *found;
  PetscBool   set;

  PetscFunctionBegin;
  RungNeedArgument(name);
  RungNeedArgument(text);
  PetscCall(find_text(comm, name, alone ? PETSC_TRUE : PETSC_FALSE, about, NULL, text, &found, &set));
  if (!found) found = alone;
  PetscCheck(!set || strlen(found) < size, comm, PETSC_ERR_ARG_SIZ,
             "%s has a value of %zu letters; wanted fewer than %zu", name, set ? strlen(found) : 0, size);
  if (set) PetscCall(PetscStrncpy(text, found, size));
  if (given) *given = set;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- lists ------------------------------------------------------------------------------------------------------ */

/* The words of a list with commas between, *n = 0 if it was not given.  words[*n] is the caller's, as its strings. */
static PetscErrorCode find_words(MPI_Comm comm, const char name[], const char about[], const char range[],
                                 PetscInt room, PetscInt *n, char *words[], PetscBool *given)
{
  const char *text, *end;
  PetscBool   set;
  PetscInt    found = 1;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(find_text(comm, name, PETSC_FALSE, about, range, NULL, &text, &set));
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
  PetscCall(find_words(comm, name, about, NULL, *n, n, list, given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode free_words(PetscInt n, char *words[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) PetscCall(PetscFree(words[i]));
  PetscCall(PetscFree(words));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode to_ints(MPI_Comm comm, const char name[], const char range[], PetscInt n, char *words[],
                              PetscInt list[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) PetscCall(to_int(comm, name, words[i], range, &list[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode to_reals(MPI_Comm comm, const char name[], const char range[], PetscInt n, char *words[],
                               PetscReal list[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) PetscCall(to_real(comm, name, words[i], range, &list[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOptionInts(MPI_Comm comm, const char name[], const char about[], const char range[], PetscInt *n,
                              PetscInt list[], PetscBool *given)
{
  char **words;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(*n, &words));
  RungCallOrUndo(find_words(comm, name, about, range, *n, n, words, given), PetscCall(PetscFree(words)));
  RungCallFinally(to_ints(comm, name, range, *n, words, list), PetscCall(free_words(*n, words)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOptionReals(MPI_Comm comm, const char name[], const char about[], const char range[], PetscInt *n,
                               PetscReal list[], PetscBool *given)
{
  char **words;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(*n, &words));
  RungCallOrUndo(find_words(comm, name, about, range, *n, n, words, given), PetscCall(PetscFree(words)));
  RungCallFinally(to_reals(comm, name, range, *n, words, list), PetscCall(free_words(*n, words)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- others ----------------------------------------------------------------------------------------------------- */

PetscErrorCode RungOptionGiven(const char name[], const char about[], PetscBool *given)
{
  PetscFunctionBegin;
  RungNeedArgument(name);
  RungNeedArgument(given);
  PetscCall(RungOptionEnter(name, PETSC_TRUE, about, NULL, NULL));
  PetscCall(PetscOptionsHasName(NULL, NULL, name, given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The word in front of the first ":"; PETSc's own message would not say which option it is of. */
static PetscErrorCode check_viewer(MPI_Comm comm, const char name[])
{
  static const char *const list[] = {"ascii", "binary", "draw", "hdf5", "matlab", "vtk", "glvis", "saws", "socket"};
  const char              *text, *nearest;
  char                     word[SHOWN] = "";
  PetscBool                set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsFindPair(NULL, NULL, name, &text, &set));
  if (!set || !text || !text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(text, ":"), text);
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(list); ++i) {
    if (!word[0] || !strcmp(word, list[i])) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungSuggest(word, PETSC_STATIC_ARRAY_LENGTH(list), list, &nearest));
  SETERRQ(comm, PETSC_ERR_ARG_WRONG, "%s knows no \"%s\"%s%s%s; wanted nothing, :FILE, or PETSc's ascii:FILE:FORMAT",
          name, word, nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

PetscErrorCode RungOptionViewer(MPI_Comm comm, const char name[], const char about[], PetscViewer *viewer,
                                PetscViewerFormat *format)
{
  PetscFunctionBegin;
  PetscCall(RungOptionEnter(name, PETSC_TRUE, about, NULL, NULL));
  PetscCall(PetscViewerDestroy(viewer));
  PetscCall(check_viewer(comm, name));
  if (!RungHelpWanted()) PetscCall(PetscOptionsCreateViewer(comm, NULL, NULL, name, viewer, format, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
