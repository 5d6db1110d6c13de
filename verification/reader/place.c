/* place.c - where in the file an error of the libraries comes from.

   Messages name what a text was given for, "residual 2", "Dirichlet u on left": statements.def has the same names.  One
   with a column points into that text; of the others the words between quotes are looked for among the arguments. */
#include "reader_impl.h"
#include <stdio.h>
#include <stdlib.h>

RungSourceSpan RungSpanOf(const RungStatement *s)
{
  const PetscInt blank = (PetscInt)strspn(s->text, " ");

  return (RungSourceSpan){blank, (PetscInt)strlen(s->text) - blank};
}

RungSourceSpan RungSpanOfText(const RungStatement *s)
{
  return s->args ? s->arg[s->args - 1].span : RungSpanOf(s);
}

/* ---- names of statements ------------------------------------------------------------------------------------------ */

/* "Dirichlet %0 on %1" with the arguments put in. */
static void make_label(const RungStatement *s, char label[RUNG_MISTAKE_SIZE])
{
  size_t n = 0;

  for (const char *c = s->word->label; *c && n + 1 < RUNG_MISTAKE_SIZE; ++c) {
    if (*c == '%') {
      const PetscInt i = *++c - '0';

      n += (size_t)snprintf(label + n, RUNG_MISTAKE_SIZE - n, "%.400s", i < s->args ? s->arg[i].text : "");
    } else if (*c == '#')
      n += (size_t)snprintf(label + n, RUNG_MISTAKE_SIZE - n, "%" PetscInt_FMT, s->number);
    else
      label[n++] = *c;
  }
  label[n] = 0;
}

static PetscBool is_word_part(char c)
{
  return isalnum((unsigned char)c) || c == '_' || c == '[' ? PETSC_TRUE : PETSC_FALSE;
}

/* Where a name stands in a message for itself, not as a part of a longer one. */
static const char *find_name(const char message[], const char name[])
{
  const size_t n = strlen(name);

  for (const char *c = message; n && (c = strstr(c, name)); ++c) {
    if ((c == message || !is_word_part(c[-1]) || !is_word_part(name[0])) && !is_word_part(c[n])) return c;
  }
  return NULL;
}

PetscBool RungHoldsWord(const char text[], const char word[])
{
  return find_name(text, word) ? PETSC_TRUE : PETSC_FALSE;
}

/* The first statement that the message names; of those that begin alike the longest name, of these the step's. */
static const RungStatement *find_label(RungProblem problem, const char message[], const char **behind)
{
  const RungStatement *best = NULL;
  const char          *at   = NULL;
  size_t               most = 0;
  char                 label[RUNG_MISTAKE_SIZE];

  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s = &problem->statement[i];
    const char          *found;

    if (!s->word->label[0] || !s->number || !RungHolds(problem, s)) continue;
    make_label(s, label);
    found = find_name(message, label);
    if (!found || (at && found > at) || (found == at && strlen(label) < most)) continue;
    if (found == at && strlen(label) == most && s->step <= best->step) continue; /* what a step says holds there */
    best    = s;
    at      = found;
    most    = strlen(label);
    *behind = at + most;
  }
  return best;
}

/* The statement that declares a name which stands in the message between quotes; else one that has it as an argument. */
static const RungStatement *find_quoted(RungProblem problem, const char message[], PetscBool declared)
{
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s = &problem->statement[i];
    char                 quoted[RUNG_MISTAKE_SIZE];

    if (!RungHolds(problem, s) || s->word->phase == RUNG_PHASE_OUTCOME ||
        (s->word->phase == RUNG_PHASE_FIRST && !s->word->call[0]))
      continue;
    if (declared && strncmp(s->word->usage, "NAME", 4) != 0) continue;
    for (PetscInt k = 0; k < (declared ? PetscMin(1, s->args) : s->args); ++k) {
      (void)snprintf(quoted, sizeof quoted, "\"%.500s\"", s->arg[k].text);
      if (s->arg[k].text[0] && strstr(message, quoted)) return s;
    }
  }
  return NULL;
}

/* ---- columns ------------------------------------------------------------------------------------------------------ */

/* Byte of character n of a text, from 0. */
static PetscInt byte_of(const char text[], PetscInt n)
{
  PetscInt i = 0;

  while (text[i] && n > 0) {
    ++i, --n;
    while (((unsigned char)text[i] & 0xc0) == 0x80) ++i;
  }
  return i;
}

/* "..column 28: what is wrong\n    text\n    ^~~": column, from 0, characters, and what is said; false without a column */
static PetscBool read_column(const char message[], PetscInt *column, PetscInt *length, char said[RUNG_MISTAKE_SIZE])
{
  const char *line = message + strcspn(message, "\n"), *word = strstr(message, "column "), *caret;
  char       *end;

  if (!word || word > line || (word > message && strncmp(word - 2, ", ", 2) != 0)) return PETSC_FALSE;
  *column = (PetscInt)strtol(word + 7, &end, 10) - 1;
  if (*column < 0 || strncmp(end, ": ", 2) != 0) return PETSC_FALSE;
  (void)snprintf(said, RUNG_MISTAKE_SIZE, "%.*s", (int)(line - end - 2), end + 2);
  caret   = *line ? strchr(line + 1, '\n') : NULL;
  caret   = caret ? caret + 1 + strspn(caret + 1, " ") : NULL;
  *length = caret && *caret == '^' ? 1 + (PetscInt)strspn(caret + 1, "~") : 1;
  return PETSC_TRUE;
}

/* Where `residual L = R` has its =, and where R begins; -1 without. */
static PetscInt find_equals(const char text[], PetscInt length, PetscInt *right)
{
  PetscInt found = -1, depth = 0;

  for (PetscInt i = 0; i < length; ++i) {
    if (text[i] == ';') found = -1;
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == ']') --depth;
    if (text[i] != '=' || depth || (i && strchr("<>=!:", text[i - 1])) || (i + 1 < length && text[i + 1] == '='))
      continue;
    if (found < 0) found = i;
  }
  for (*right = found + 1; *right < length && text[*right] == ' ';) ++*right;
  return found;
}

PetscErrorCode RungResidualText(const RungStatement *s, char **text)
{
  const char    *given = s->arg[0].text;
  const PetscInt n     = (PetscInt)strlen(given);
  PetscInt       right, equals = find_equals(given, n, &right);

  PetscFunctionBegin;
  if (equals < 0) {
    PetscCall(PetscStrallocpy(given, text));
  } else {
    PetscCall(PetscMalloc1((size_t)n + 8, text));
    (void)snprintf(*text, (size_t)n + 8, "%.*s- (%s)", (int)equals, given, given + right);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_name_part(char c)
{
  return isalnum((unsigned char)c) || c == '_' ? PETSC_TRUE : PETSC_FALSE;
}

/* The first name between quotes that stands in the text. */
static void point_at_quoted(const RungStatement *s, RungSourceSpan text, const char message[], RungSourceSpan *span)
{
  for (const char *quote = strchr(message, '"'), *end; quote; quote = strchr(end + 1, '"')) {
    char        name[128];
    const char *found;

    end = strchr(quote + 1, '"');
    if (!end) return;
    if (end == quote + 1 || (size_t)(end - quote) > sizeof name) continue;
    (void)snprintf(name, sizeof name, "%.*s", (int)(end - quote - 1), quote + 1);
    found = strstr(s->text + text.begin, name);
    while (found && ((found > s->text && is_name_part(found[-1])) || is_name_part(found[strlen(name)])))
      found = strstr(found + 1, name);
    if (!found) continue;
    *span = (RungSourceSpan){(PetscInt)(found - s->text), (PetscInt)strlen(name)};
    return;
  }
}

PetscErrorCode RungPlaceText(const RungStatement *s, RungSourceSpan text, const char message[], RungSourceSpan *span,
                             char said[RUNG_MISTAKE_SIZE])
{
  PetscInt    column, length, at, right, equals = -1;
  const char *first = NULL;

  PetscFunctionBegin;
  *span = RungSpanOf(s);
  PetscCall(PetscStrncpy(said, message, RUNG_MISTAKE_SIZE));
  if (read_column(message, &column, &length, said)) {
    if (!strcmp(s->word->word, "residual")) equals = find_equals(s->text + text.begin, text.length, &right);
    at = byte_of(s->text + text.begin, column);
    if (equals >= 0 && column > equals)
      at = right + byte_of(s->text + text.begin + right, PetscMax(0, column - equals - 3));
    *span = (RungSourceSpan){text.begin + at, byte_of(s->text + text.begin + at, length)};
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int quotes = 1; quotes >= 0 && !first; --quotes) {
    for (PetscInt i = 0; i < s->args; ++i) {
      const char *found;
      char        name[RUNG_MISTAKE_SIZE];

      (void)snprintf(name, sizeof name, quotes ? "\"%.500s\"" : "%.500s", s->arg[i].text);
      found = s->arg[i].span.length < (quotes ? 1 : 4) ? NULL
              : quotes                                 ? strstr(message, name)
                                                       : find_name(message, name);
      if (!found || (first && found >= first)) continue;
      first = found;
      *span = s->arg[i].span;
    }
  }
  if (!first) point_at_quoted(s, text, message, span);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where a text has the name of a part: behind the parenthesis of a measure, or (not measured), as in value(..), anywhere; NULL: nowhere. */
static const char *find_part_name(const char text[], const char name[], PetscBool measured)
{
  static const char *const measure[] = {"dx", "ds", "dS", "dl", "dP"};

  for (const char *found = find_name(text, name); found; found = find_name(found + 1, name)) {
    const char *c = found;

    while (c > text && (c[-1] == ' ' || c[-1] == '"')) --c;
    if (c == text || *--c != '(') continue;
    while (c > text && c[-1] == ' ') --c;
    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(measure) && c - text >= 2; ++i)
      if (!strncmp(c - 2, measure[i], 2)) return found;
  }
  return measured ? NULL : find_name(text, name);
}

/* Where a text names the part of a mesh that the message says there is not: "boundary part "rigth" ..", of a measure. */
static const RungStatement *find_part(RungProblem problem, const char message[], PetscBool measured,
                                      RungSourceSpan *span)
{
  const char *quote = strstr(message, "part ");
  char        name[128];

  quote = quote ? strchr(quote, '"') : NULL;
  if (!quote || strcspn(quote + 1, "\"") >= sizeof name) return NULL;
  (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(quote + 1, "\""), quote + 1);
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s = &problem->statement[i];
    const char          *found;

    if (!RungHolds(problem, s) || (s->word->phase != RUNG_PHASE_RESIDUAL && s->word->phase != RUNG_PHASE_SYSTEM))
      continue;
    found = s->args ? find_part_name(s->arg[s->args - 1].text, name, measured) : NULL;
    if (!found) continue;
    *span = (RungSourceSpan){s->arg[s->args - 1].span.begin + (PetscInt)(found - s->arg[s->args - 1].text),
                             (PetscInt)strlen(name)};
    return s;
  }
  return NULL;
}

/* Bytes of the text that are those of the word but for blanks; 0: others. */
static PetscInt match_without_blanks(const char text[], const char word[], size_t length)
{
  PetscInt n = 0;

  for (size_t i = 0; i < length; ++i) {
    if (word[i] == ' ') continue;
    while (text[n] == ' ') ++n;
    if (text[n++] != word[i]) return 0;
  }
  return n;
}

/* Where a text has the expression that a message shows between quotes: "exp(u)" is not finite. */
static const RungStatement *find_expression(RungProblem problem, const char message[], RungSourceSpan *span)
{
  for (const char *quote = strchr(message, '"'), *end; quote; quote = strchr(end + 1, '"')) {
    end = strchr(quote + 1, '"');
    if (!end) return NULL;
    if (strcspn(quote + 1, "(/^*[") >= (size_t)(end - quote - 1)) continue; /* a name */
    for (PetscInt i = 0; i < problem->statements; ++i) {
      const RungStatement *s = &problem->statement[i];

      if (!RungHolds(problem, s) || !s->args || s->word->phase == RUNG_PHASE_FIRST) continue;
      for (PetscInt at = s->arg[s->args - 1].span.begin; s->text[at]; ++at) {
        const PetscInt n = match_without_blanks(s->text + at, quote + 1, (size_t)(end - quote - 1));

        if (!n || s->text[at] == ' ' || (at && is_name_part(s->text[at - 1]))) continue;
        *span = (RungSourceSpan){at, n};
        return s;
      }
    }
  }
  return NULL;
}

/* What the message is about, if it names nothing of the file: the last statement of that word, and what a file may do where the
   message tells what a program may. */
static const RungStatement *find_about(RungProblem problem, const char message[], const char **instead)
{
  static const char *const about[][3] = {
    {"stop time", "stop", NULL},
    {"an interval of", "time", NULL},
    {"the step is dt", "time", NULL},
    {"weight for", "weight", NULL},
    {"smallest step", "steps", NULL},
    {"largest step", "steps", NULL},
    {"than can be counted", "time", NULL},
    {"the system has no time derivative", "time",
     "the equations hold no dt(), and time passes; write static for one solution, or order 1 for one at each step"},
    {"the stepper has no step", "time",
     "nothing says how long a step is; write time START END STEP, or tolerances REL, by which steps are found"}};
  const RungStatement *best = NULL;

  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(about) && !best; ++k) {
    for (PetscInt i = 0; i < problem->statements && strstr(message, about[k][0]); ++i) {
      if (RungIs(problem, i, about[k][1])) best = &problem->statement[i], *instead = about[k][2];
    }
  }
  return best;
}

/* Initial values of an unknown may be those of fields and of other unknowns where the statement says so. */
static void add_from(RungProblem problem, const RungStatement *s, char said[RUNG_MISTAKE_SIZE])
{
  static const char hold[] = "given data hold \"";
  const char       *name   = said + sizeof hold - 1;
  const size_t      used   = strlen(said);
  size_t            length;
  PetscBool         is[2] = {PETSC_FALSE, PETSC_FALSE}; /* the unknown of the statement, something that has values */

  if (strcmp(s->word->word, "initial") != 0 || strncmp(said, hold, sizeof hold - 1) != 0) return;
  length = strcspn(name, "\"");
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *other   = &problem->statement[i];
    const PetscBool      unknown = RungIs(problem, i, "unknown");

    if (!RungHolds(problem, other) || !other->args) continue;
    if (unknown && !strcmp(other->arg[0].text, s->arg[0].text)) is[0] = PETSC_TRUE;
    if ((unknown || RungIs(problem, i, "field")) && strcmp(other->arg[0].text, s->arg[0].text) != 0 &&
        strlen(other->arg[0].text) == length && !strncmp(other->arg[0].text, name, length))
      is[1] = PETSC_TRUE;
  }
  if (is[0] && is[1])
    (void)snprintf(said + used, RUNG_MISTAKE_SIZE - used, "; of fields and other unknowns: initial %.64s from %.200s%s",
                   s->arg[0].text, s->arg[1].text, strlen(s->arg[1].text) > 200 ? " .." : "");
}

PetscErrorCode RungPlaceFind(RungProblem problem, const char message[], const RungStatement **s, RungSourceSpan *span,
                             char said[RUNG_MISTAKE_SIZE])
{
  const char *behind = message, *instead = NULL;

  PetscFunctionBegin;
  *s = find_label(problem, message, &behind);
  if (!*s && (*s = find_part(problem, message, PETSC_TRUE, span))) {
    PetscCall(PetscStrncpy(said, message, RUNG_MISTAKE_SIZE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!*s) *s = find_quoted(problem, message, PETSC_TRUE);
  if (!*s) *s = find_quoted(problem, message, PETSC_FALSE);
  if (*s) {
    PetscCall(RungPlaceText(*s, RungSpanOfText(*s), message, span, said));
    add_from(problem, *s, said);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscStrncpy(said, message, RUNG_MISTAKE_SIZE));
  *s = find_part(problem, message, PETSC_FALSE, span);
  if (*s) PetscFunctionReturn(PETSC_SUCCESS);
  *s = find_expression(problem, message, span);
  if (*s) PetscFunctionReturn(PETSC_SUCCESS);
  *s = find_about(problem, message, &instead);
  if (*s) *span = RungSpanOf(*s);
  if (instead) PetscCall(PetscStrncpy(said, instead, RUNG_MISTAKE_SIZE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- errors ------------------------------------------------------------------------------------------------------- */

PetscErrorCode RungPlaceMessage(RungProblem problem, const RungCaught *caught, char message[RUNG_MISTAKE_SIZE])
{
  const RungStatement *s;
  RungSourceSpan       span;
  char                 said[RUNG_MISTAKE_SIZE];

  PetscFunctionBegin;
  PetscCall(RungPlaceFind(problem, caught->message, &s, &span, said));
  if (s)
    RungMistakeFormat(problem, s->file, s->at[span.begin], s->at[span.begin + PetscMax(1, span.length) - 1] + 1, said,
                      message);
  else
    PetscCall(PetscSNPrintf(message, RUNG_MISTAKE_SIZE, "%.300s: %.1600s", problem->file[0].path, caught->message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMistakeCaught(RungProblem problem, const RungStatement *s, const RungCaught *caught)
{
  RungSourceSpan span;
  char           said[RUNG_MISTAKE_SIZE];

  PetscFunctionBegin;
  PetscCall(RungPlaceMessage(problem, caught, said));
  PetscCall(RungErrorMeet(problem->comm, caught->code, said));
  if (s)
    PetscCall(RungPlaceText(s, RungSpanOfText(s), caught->message, &span, said));
  else
    PetscCall(RungPlaceFind(problem, caught->message, &s, &span, said));
  if (s)
    PetscCall(RungMistake(problem, s, span, "%s", said));
  else
    PetscCall(RungMistakeInFile(problem, 0, -1, -1, "%s", caught->message));
  PetscFunctionReturn(PETSC_SUCCESS);
}
