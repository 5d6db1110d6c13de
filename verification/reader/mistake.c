/* mistake.c - what is wrong in a file: file:line:column, a sentence, the line with a caret; at most ten, each once. */
#include "reader_impl.h"
#include <rungtext_room.h>
#include <stdarg.h>
#include <stdio.h>

#define EXCERPT 100 /* columns of a line that are shown */

/* Characters of UTF-8: every byte but continuations. */
static PetscInt columns(const char text[], PetscInt from, PetscInt to)
{
  PetscInt n = 0;

  for (PetscInt i = from; i < to; ++i) n += ((unsigned char)text[i] & 0xc0) != 0x80;
  return n;
}

static PetscInt forward(const char text[], PetscInt from, PetscInt end, PetscInt n)
{
  while (from < end && n > 0) {
    ++from, --n;
    while (from < end && ((unsigned char)text[from] & 0xc0) == 0x80) ++from;
  }
  return from;
}

static void append(char out[RUNG_MISTAKE_SIZE], const char format[], ...)
{
  const size_t used = strlen(out);
  va_list      list;

  va_start(list, format);
  (void)vsnprintf(out + used, RUNG_MISTAKE_SIZE - used, format, list);
  va_end(list);
}

/* begin, end: bytes of the file; what lies behind the end of the first line is not underlined. */
void RungMistakeFormat(RungProblem problem, PetscInt file, PetscInt begin, PetscInt end, const char said[],
                       char out[RUNG_MISTAKE_SIZE])
{
  const RungSourceFile *source = &problem->file[file];
  PetscInt              line = 1, first = 0, last, left, right, span;

  for (PetscInt i = 0; i < begin; ++i) {
    if (source->text[i] == '\n') ++line, first = i + 1;
  }
  last = begin;
  while (last < source->size && source->text[last] != '\n' && source->text[last] != '\r') ++last;
  left = first;
  if (columns(source->text, first, last) > EXCERPT)
    left = forward(source->text, first, last, PetscMax(0, columns(source->text, first, begin) - EXCERPT / 3));
  right  = forward(source->text, left, last, EXCERPT);
  out[0] = 0;
  append(out, "%.300s:%" PetscInt_FMT ":%" PetscInt_FMT ": %.1200s\n    %s", source->path, line,
         1 + columns(source->text, first, begin), said, left > first ? ".." : "");
  for (PetscInt i = left; i < right; ++i) {
    const unsigned char c = (unsigned char)source->text[i];

    append(out, "%c", c < 32 || c == 127 ? ' ' : c);
  }
  append(out, "%s\n    %*s^", right < last ? ".." : "",
         (int)(columns(source->text, left, begin) + (left > first ? 2 : 0)), "");
  span = columns(source->text, begin, PetscMin(end, right));
  for (PetscInt i = 1; i < span; ++i) append(out, "~");
}

/* Does a mistake stand behind a place? */
static PetscBool is_behind(const RungShown *shown, PetscInt file, PetscInt at)
{
  return shown->file > file || (shown->file == file && shown->at > at) ? PETSC_TRUE : PETSC_FALSE;
}

/* A name that nothing declares is told of where it stands first.  told: that was elsewhere; else more: a
   place behind this one was told of, and is not shown any more. */
static PetscErrorCode find_name(RungProblem problem, PetscInt file, PetscInt at, const char name[], PetscBool *told,
                                PetscBool *more)
{
  PetscFunctionBegin;
  *told = PETSC_FALSE;
  *more = PETSC_FALSE;
  for (PetscInt i = 0; i < problem->shown && name[0]; ++i) {
    RungShown *other = &problem->mistake[i];

    if (strcmp(other->name, name) != 0) continue;
    *told = is_behind(other, file, at) ? PETSC_FALSE : PETSC_TRUE;
    if (*told) {
      other->more = PETSC_TRUE;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    *more = PETSC_TRUE;
    PetscCall(PetscFree(other->text));
    --problem->mistakes;
    --problem->shown;
    for (PetscInt k = i; k < problem->shown; ++k) problem->mistake[k] = problem->mistake[k + 1];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ten at most, those of the whole first and then in the order of the files.  Those of a member are its group's. */
static PetscErrorCode keep(RungProblem problem, PetscInt file, PetscInt at, const char text[], const char name[])
{
  PetscInt  i;
  PetscBool told, more;

  PetscFunctionBegin;
  if (problem->group) {
    ++problem->mistakes;
    PetscCall(keep(problem->group, file, at, text, name));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (i = 0; i < problem->shown; ++i) {
    if (!strcmp(problem->mistake[i].text, text)) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(find_name(problem, file, at, name, &told, &more));
  if (told) PetscFunctionReturn(PETSC_SUCCESS);
  ++problem->mistakes;
  if (problem->shown == RUNG_MISTAKES) PetscFunctionReturn(PETSC_SUCCESS);
  for (i = problem->shown++; i > 0; --i) {
    if (!is_behind(&problem->mistake[i - 1], file, at)) break;
    problem->mistake[i] = problem->mistake[i - 1];
  }
  problem->mistake[i] = (RungShown){.file = file, .at = at, .more = more};
  PetscCall(PetscStrncpy(problem->mistake[i].name, name, sizeof problem->mistake[i].name));
  PetscCall(PetscStrallocpy(text, &problem->mistake[i].text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMistakeInFile(RungProblem problem, PetscInt file, PetscInt begin, PetscInt end, const char format[],
                                 ...)
{
  char    said[RUNG_MISTAKE_SIZE], out[RUNG_MISTAKE_SIZE], name[64] = "";
  va_list list;

  PetscFunctionBegin;
  va_start(list, format);
  (void)vsnprintf(said, sizeof said, format, list);
  va_end(list);
  if (begin < 0)
    PetscCall(PetscSNPrintf(out, sizeof out, "%.300s: %.1600s", problem->file[file].path, said));
  else
    RungMistakeFormat(problem, file, begin, end, said, out);
  RungTextShow(out);
  if (begin >= 0 && !strncmp(said, "unknown name \"", 14))
    (void)snprintf(name, sizeof name, "%.*s", (int)(strcspn(said + 14, "\"") + 14), said);
  PetscCall(keep(problem, file, begin, out, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRemark(RungProblem problem, RungStatement *s, RungSourceSpan span, const char format[], ...)
{
  char    said[RUNG_MISTAKE_SIZE], message[RUNG_MISTAKE_SIZE];
  va_list list;

  PetscFunctionBegin;
  if (s->told) PetscFunctionReturn(PETSC_SUCCESS);
  s->told = PETSC_TRUE;
  va_start(list, format);
  (void)vsnprintf(said, sizeof said, format, list);
  va_end(list);
  RungMistakeFormat(problem, s->file, s->at[span.begin], s->at[span.begin + PetscMax(1, span.length) - 1] + 1, said,
                    message);
  RungTextShow(message);
  PetscCall(PetscFPrintf(problem->comm, stderr, "warning: %s\n", message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMistakeMissing(RungProblem problem, const char text[])
{
  const RungStatement *last = NULL;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->statements; ++i) {
    if (RungHolds(problem, &problem->statement[i]) || !last) last = &problem->statement[i];
  }
  if (last)
    PetscCall(RungMistake(problem, last, RungSpanOf(last), "%s", text));
  else
    PetscCall(RungMistakeInFile(problem, 0, 0, 0, "%s", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RungIsMistaken(RungProblem problem, const RungStatement *s)
{
  const RungProblem whole = problem->group ? problem->group : problem;
  const PetscInt    n     = (PetscInt)strlen(s->text);

  for (PetscInt i = 0; i < whole->shown; ++i) {
    if (whole->mistake[i].file == s->file && n && whole->mistake[i].at >= s->at[0] &&
        whole->mistake[i].at <= s->at[n - 1])
      return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

PetscErrorCode RungMistakesForget(RungProblem problem)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->shown; ++i) PetscCall(PetscFree(problem->mistake[i].text));
  problem->shown = problem->mistakes = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMistake(RungProblem problem, const RungStatement *s, RungSourceSpan span, const char format[], ...)
{
  const PetscInt length = (PetscInt)strlen(s->text), begin = PetscMin(span.begin, length);
  const PetscInt last = PetscMax(begin, PetscMin(begin + span.length, length) - 1);
  char           said[RUNG_MISTAKE_SIZE];
  va_list        list;

  PetscFunctionBegin;
  va_start(list, format);
  (void)vsnprintf(said, sizeof said, format, list);
  va_end(list);
  PetscCall(RungMistakeInFile(problem, s->file, s->at[begin], s->at[last] + 1, "%s", said));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProblemGetMistakes(RungProblem problem, PetscInt *n, const char **text)
{
  static const char elsewhere[] = "\n    and in other places";
  size_t            room = 128, used = 0;

  PetscFunctionBegin;
  RungNeed(problem);
  if (n) *n = problem->mistakes;
  if (!text) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < problem->shown; ++i) room += strlen(problem->mistake[i].text) + sizeof elsewhere + 1;
  PetscCall(PetscFree(problem->mistake_text));
  PetscCall(PetscMalloc1(room, &problem->mistake_text));
  problem->mistake_text[0] = 0;
  for (PetscInt i = 0; i < problem->shown; ++i)
    used += (size_t)snprintf(problem->mistake_text + used, room - used, "%s%s%s", i ? "\n" : "",
                             problem->mistake[i].text, problem->mistake[i].more ? elsewhere : "");
  if (problem->mistakes > problem->shown)
    (void)snprintf(problem->mistake_text + used, room - used, "\n(and %" PetscInt_FMT " more)",
                   problem->mistakes - problem->shown);
  *text = problem->mistake_text;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProblemGetRefusal(RungProblem problem, PetscBool *wanted, PetscBool *met)
{
  const char *text;

  PetscFunctionBegin;
  RungNeed(problem);
  RungNeedArgument(wanted);
  RungNeedArgument(met);
  PetscCall(RungProblemGetMistakes(problem, NULL, &text));
  *wanted = PETSC_FALSE;
  *met    = PETSC_TRUE;
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s = &problem->statement[i];

    if (strcmp(s->word->word, "refuse") != 0) continue;
    *wanted = PETSC_TRUE;
    if (!strstr(text, s->arg[0].text)) *met = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
