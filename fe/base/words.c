/* words.c - the words of the command line: the same on all ranks, and none that nobody asks for.

   A word belongs to an option if it begins with "-" and a letter, or stands behind such a word; PETSc passes over all
   others, so that "heat stepper_dt 0.01" would run with another step. */
#include "base_impl.h"
#include <ctype.h>
#include <stdlib.h>

static struct {
  const char **bare;   /* [n] words that belong to no option, lent from argv */
  const char **before; /* [n] the option in front of each, NULL: none        */
  PetscInt     n;
  PetscBool    asked; /* the program takes them                             */
} words;

PetscErrorCode RungWordsKeep(int argc, char **argv)
{
  const char *last = NULL;

  PetscFunctionBegin;
  words.n     = 0;
  words.asked = PETSC_FALSE;
  if (argc <= 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc2((size_t)argc, &words.bare, (size_t)argc, &words.before));
  for (int i = 1; i < argc; ++i) {
    PetscBool option = PETSC_FALSE, next = PETSC_FALSE;

    PetscCall(PetscOptionsValidKey(argv[i], &option));
    if (option) {
      last = argv[i];
      if (i + 1 < argc) PetscCall(PetscOptionsValidKey(argv[i + 1], &next));
      if (i + 1 < argc && !next) ++i;
      continue;
    }
    words.bare[words.n]     = argv[i];
    words.before[words.n++] = last;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWordsForget(void)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(words.bare, words.before));
  words.n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungArguments(PetscInt *n, const char *const **word)
{
  PetscFunctionBegin;
  RungNeedArgument(n);
  RungNeedArgument(word);
  words.asked = PETSC_TRUE;
  *n          = words.n;
  *word       = words.bare;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWordsCheck(MPI_Comm comm)
{
  const char *nearest = NULL, *word = words.n ? words.bare[0] : NULL;

  PetscFunctionBegin;
  if (!word || words.asked) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungOptionSuggest(word, &nearest));
  PetscCheck(!nearest, comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "\"%s\" belongs to no option; did you mean -%s?", word,
             nearest);
  PetscCheck(
    !words.before[0], comm, PETSC_ERR_ARG_UNKNOWN_TYPE,
    "\"%s\" behind %s and its value belongs to no option; a list has commas and no blanks, a value with blanks "
    "stands in quotes",
    word, words.before[0]);
  SETERRQ(comm, PETSC_ERR_ARG_UNKNOWN_TYPE,
          "\"%s\" belongs to no option, and this program takes options only; they begin with \"-\"", word);
}

/* ---- the same on all ranks -------------------------------------------------------------------------------------- */

char *RungWordsJoin(int argc, char **argv)
{
  size_t size = 1, used = 0;
  char  *text;

  for (int i = 1; i < argc; ++i) size += strlen(argv[i]) + 3;
  text = (char *)calloc(size, 1);
  for (int i = 1; text && i < argc; ++i) {
    const char *quote = argv[i][0] && !strpbrk(argv[i], " \"") ? "" : "\"";

    used += (size_t)snprintf(text + used, size - used, "%s%s%s ", quote, argv[i], quote);
  }
  return text;
}

/* The letters of the option at the begin of a text, with its value. */
static int length_of(const char text[])
{
  size_t n = 0;

  for (; text[n] && (!n || text[n] != '-' || text[n - 1] != ' ' || !isalpha((unsigned char)text[n + 1])); ++n) {
    const char *end = n && text[n] == '"' && text[n - 1] == ' ' ? strstr(text + n + 1, "\" ") : NULL;

    if (end) n = (size_t)(end - text); /* what stands in quotes is one word */
  }
  while (n && text[n - 1] == ' ') --n;
  return (int)n;
}

static void describe_difference(const char first[], const char mine[], int rank, char text[], size_t size)
{
  int a = length_of(first), b = length_of(mine);

  while (a && a == b && !strncmp(first, mine, (size_t)a)) {
    first += a + (int)strspn(first + a, " ");
    mine += b + (int)strspn(mine + b, " ");
    a = length_of(first);
    b = length_of(mine);
  }
  if (a || b)
    (void)snprintf(text, size, "the options differ between ranks: rank 0 has %.*s, rank %d has %.*s; give all the same",
                   a ? PetscMin(a, 500) : 7, a ? first : "nothing", rank, b ? PetscMin(b, 500) : 7,
                   b ? mine : "nothing");
}

void RungTextNeed(MPI_Comm comm, PetscBool good)
{
  if (good) return;
  fprintf(stderr, "error: ranks cannot compare their command lines: MPI has failed, or there is no memory\n");
  MPI_Abort(comm, 1);
}

void RungTextDiffer(MPI_Comm comm, const char mine[], char text[], size_t size)
{
  int           rank;
  unsigned long length = strlen(mine);
  char         *first;

  text[0] = '\0';
  MPI_Comm_rank(comm, &rank);
  RungTextNeed(comm, (PetscBool)(MPI_Bcast(&length, 1, MPI_UNSIGNED_LONG, 0, comm) == MPI_SUCCESS));
  first = (char *)calloc(length + 1, 1);
  RungTextNeed(comm, (PetscBool)(first != NULL));
  if (!rank) memcpy(first, mine, length);
  RungTextNeed(comm, (PetscBool)(MPI_Bcast(first, (int)length, MPI_CHAR, 0, comm) == MPI_SUCCESS));
  describe_difference(first, mine, rank, text, size);
  free(first);
}
