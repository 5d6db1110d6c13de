/* source.c - files and their lines: rank 0 reads, all ranks take apart; an `include` is followed where it stands.

   A statement is a line without its remark, or several that \ joins.  at[i] is the byte of the file that byte i of the
   statement comes from, so that a caret always points into the file. */
#include "reader_impl.h"
#include <rungtext_room.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

typedef struct {
  char     *text; /* owned */
  PetscInt *at;   /* owned */
  PetscInt  n, room;
} Line;

/* ---- files -------------------------------------------------------------------------------------------------------- */

/* Rank 0: the bytes of a file, or why not. */
static PetscErrorCode load(const char path[], char **text, PetscInt *size, int64_t id[2], char why[256])
{
  FILE       *file = NULL;
  size_t      room = 0, n = 0;
  struct stat about;

  PetscFunctionBegin;
  *text  = NULL;
  why[0] = 0;
  if (strncmp(path, "/dev/", 5) != 0 && !stat(path, &about) && S_ISFIFO(about.st_mode)) {
    (void)snprintf(why, 256, "it is a pipe, which may never end; wanted a file");
    *size = 0;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  file = fopen(path, "rb");
  while (file && !feof(file) && !ferror(file) && n <= RUNG_FILE_BYTES) {
    if (n + 1 >= room) PetscCall(PetscRealloc(room = 2 * room + 65536, text));
    n += fread(*text + n, 1, room - 1 - n, file);
  }
  if (!file || ferror(file)) (void)snprintf(why, 256, "%s", strerror(errno));
  if (n > RUNG_FILE_BYTES) (void)snprintf(why, 256, "it has more than %d MB", RUNG_FILE_BYTES >> 20);
  if (*text && memchr(*text, 0, n)) (void)snprintf(why, 256, "it holds bytes 0 and is no text");
  if (file && !fstat(fileno(file), &about)) {
    id[0] = (int64_t)about.st_dev;
    id[1] = (int64_t)about.st_ino;
  }
  if (file) (void)fclose(file);
  if (*text) (*text)[n] = 0;
  *size = (PetscInt)n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSourceOpen(RungProblem problem, const char path[], PetscInt parent, char why[256])
{
  RungSourceFile *file = &problem->file[problem->files];
  PetscMPIInt     rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(problem->comm, &rank));
  PetscCall(PetscStrallocpy(path, &file->path));
  file->parent = parent;
  ++problem->files;
  if (!rank) PetscCall(load(path, &file->text, &file->size, file->id, why));
  PetscCallMPI(MPI_Bcast(why, 256, MPI_CHAR, 0, problem->comm));
  PetscCallMPI(MPI_Bcast(&file->size, 1, MPIU_INT, 0, problem->comm));
  PetscCallMPI(MPI_Bcast(file->id, 2, MPI_INT64_T, 0, problem->comm));
  if (why[0]) file->size = 0;
  if (rank || !file->text) {
    PetscCall(PetscFree(file->text));
    PetscCall(PetscCalloc1(file->size + 1, &file->text));
  }
  file->text[file->size] = 0;
  PetscCallMPI(MPI_Bcast(file->text, (PetscMPIInt)file->size, MPI_CHAR, 0, problem->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPathBeside(RungProblem problem, const RungStatement *s, const char name[], char path[], size_t size)
{
  const char *beside = problem->file[s->file].path, *slash = strrchr(beside, '/');

  PetscFunctionBegin;
  if (name[0] == '/' || !slash)
    PetscCall(PetscStrncpy(path, name, size));
  else
    PetscCall(PetscSNPrintf(path, size, "%.*s/%s", (int)(slash - beside), beside, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- lines -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode put(Line *line, char c, PetscInt at)
{
  PetscFunctionBegin;
  if (line->n + 1 >= line->room) {
    line->room = 2 * line->room + 128;
    PetscCall(PetscRealloc((size_t)line->room, &line->text));
    PetscCall(PetscRealloc((size_t)line->room * sizeof *line->at, &line->at));
  }
  line->text[line->n] = c;
  line->at[line->n++] = at;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode line_destroy(Line *line)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(line->text));
  PetscCall(PetscFree(line->at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One line of the file without its remark and the blanks at its end; # between quotes of one line begins no remark. */
static PetscErrorCode put_line(const RungSourceFile *file, PetscInt begin, PetscInt end, Line *line)
{
  const char *text   = file->text;
  PetscInt    quoted = -1;

  PetscFunctionBegin;
  for (PetscInt i = begin; i < end; ++i) {
    if (text[i] == '"' && quoted < i) {
      const char *close = memchr(text + i + 1, '"', (size_t)(end - i - 1));

      if (close) quoted = (PetscInt)(close - text);
    }
    if (text[i] == '#' && i > quoted) break;
    PetscCall(put(line, isspace((unsigned char)text[i]) ? ' ' : text[i], i));
  }
  while (line->n && line->text[line->n - 1] == ' ' && line->at[line->n - 1] >= begin) --line->n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The line from byte *from on, and those that it goes on in; *from is behind them.  on: the file ends where it goes on. */
static PetscErrorCode next_line(const RungSourceFile *file, PetscInt *from, Line *line, PetscBool *on)
{
  PetscFunctionBegin;
  *line = (Line){0};
  do {
    const PetscInt begin = *from;
    PetscInt       end   = begin;

    while (end < file->size && file->text[end] != '\n') ++end;
    *from = PetscMin(end + 1, file->size);
    PetscCall(put_line(file, begin, end, line));
    *on = line->n && line->text[line->n - 1] == '\\' && line->at[line->n - 1] >= begin ? PETSC_TRUE : PETSC_FALSE;
    if (*on) line->text[line->n - 1] = ' ';
  } while (*on && *from < file->size);
  while (line->n && line->text[line->n - 1] == ' ') --line->n;
  PetscCall(put(line, 0, line->n ? line->at[line->n - 1] + 1 : *from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_statement(RungProblem problem, PetscInt file, Line *line, RungStatement **s)
{
  PetscFunctionBegin;
  if (problem->statements == problem->room) {
    problem->room = 2 * problem->room + 64;
    PetscCall(PetscRealloc((size_t)problem->room * sizeof *problem->statement, &problem->statement));
  }
  *s  = &problem->statement[problem->statements++];
  **s = (RungStatement){.file = file, .text = line->text, .at = line->at};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- includes ----------------------------------------------------------------------------------------------------- */

/* "a.rung -> b.rung -> a.rung" if the file is one of those that lead to it. */
static void find_circle(RungProblem problem, PetscInt file, char chain[RUNG_MISTAKE_SIZE])
{
  const int64_t *id    = problem->file[file].id;
  PetscBool      found = PETSC_FALSE;

  (void)snprintf(chain, RUNG_MISTAKE_SIZE, "%s", problem->file[file].path);
  for (PetscInt f = problem->file[file].parent; f >= 0 && !found; f = problem->file[f].parent) {
    char tail[RUNG_MISTAKE_SIZE];

    (void)snprintf(tail, sizeof tail, "%s", chain);
    (void)snprintf(chain, RUNG_MISTAKE_SIZE, "%.300s -> %.1500s", problem->file[f].path, tail);
    found = id[1] && problem->file[f].id[0] == id[0] && problem->file[f].id[1] == id[1] ? PETSC_TRUE : PETSC_FALSE;
  }
  if (!found) chain[0] = 0;
}

static PetscErrorCode follow(RungProblem problem, const RungStatement *include)
{
  const RungStatement s    = *include; /* the list of statements is going to move */
  const PetscInt      file = problem->files;
  char                path[PETSC_MAX_PATH_LEN], chain[RUNG_MISTAKE_SIZE], why[256] = "";

  PetscFunctionBegin;
  PetscCall(RungPathBeside(problem, &s, s.arg[0].text, path, sizeof path));
  if (file == RUNG_INCLUDES) {
    PetscCall(RungMistake(problem, &s, s.arg[0].span, "more than %d files of one problem", RUNG_INCLUDES));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungSourceOpen(problem, path, s.file, why));
  find_circle(problem, file, chain);
  if (why[0] || chain[0]) problem->lost = PETSC_TRUE;
  if (why[0])
    PetscCall(RungMistake(problem, &s, s.arg[0].span, "file \"%s\" cannot be read: %s", path, why));
  else if (chain[0])
    PetscCall(RungMistake(problem, &s, s.arg[0].span, "the file includes itself: %s", chain));
  else
    PetscCall(RungSourceRead(problem, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSourceRead(RungProblem problem, PetscInt file)
{
  const RungSourceFile *source = &problem->file[file];
  PetscInt              from   = !strncmp(source->text, "\xef\xbb\xbf", 3) ? 3 : 0; /* the mark of UTF-8 */
  int                   number = 0;
  const PetscInt        obeyed = RungTextObeyed(source->text, (size_t)source->size, &number);

  PetscFunctionBegin;
  if (obeyed >= 0)
    PetscCall(RungMistakeInFile(problem, file, obeyed, obeyed + 1,
                                "a control character (number %d), which a terminal obeys; take it out", number));
  while (from < source->size) {
    RungStatement *s;
    Line           line;
    PetscBool      on, good;

    RungCallOrUndo(next_line(source, &from, &line, &on), PetscCall(line_destroy(&line)));
    RungCallOrUndo(add_statement(problem, file, &line, &s), PetscCall(line_destroy(&line)));
    if (on) {
      PetscCall(RungMistake(problem, s, (RungSourceSpan){(PetscInt)strlen(s->text), 1},
                            "the file ends where a line goes on; take the \\ at its end away"));
    }
    PetscCall(RungStatementCut(problem, s, &good));
    if (!good) {
      PetscCall(RungStatementDestroy(s));
      --problem->statements;
    } else if (!strcmp(s->word->word, "include"))
      PetscCall(follow(problem, s));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
