/* history.c - a table that an earlier run left goes on: its rows up to a time stay, under the columns that they have.

   Columns stay in their order.  A quantity that is new gets a column behind them, with empty cells in the rows that stay; the
   column of one that is no more gets empty cells from here on.  The file is read and understood as a whole before anything
   is renamed over it. */
#include "step_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>
#include <rungtext_room.h>

/* The whole text of a file that is not empty, NULL if there is none; free(). */
static char *read_whole(const char path[], char why[], size_t room)
{
  FILE *file = fopen(path, "r");
  char *text = NULL;
  long  size;

  if (!file && errno != ENOENT) (void)snprintf(why, room, "\"%s\" cannot be read: %s", path, strerror(errno));
  if (!file) return NULL;
  errno = 0;
  if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0 && fseek(file, 0, SEEK_SET) == 0) {
    text = (char *)malloc((size_t)size + 1);
    if (text) text[fread(text, 1, (size_t)size, file)] = '\0';
  }
  if (errno || ferror(file)) (void)snprintf(why, room, "\"%s\" cannot be read: %s", path, strerror(errno));
  (void)fclose(file);
  return text;
}

static PetscInt find(PetscInt n, const char *const list[], const char name[])
{
  for (PetscInt i = 0; i < n; ++i) {
    if (!strcmp(list[i], name)) return i;
  }
  return -1;
}

/* Of a quantity, or behind these of a number; -1: of none. */
static PetscInt column_of(const RungQuantities *q, const char name[])
{
  PetscInt i = find(q->n, q->name, name);

  if (i >= 0) return i;
  i = find(q->numbers, (const char *const *)q->number_name, name);
  return i < 0 ? i : q->n + i;
}

/* Columns of the head and their quantities; *rows is where its rows begin. */
static PetscErrorCode read_head(RungTableRecord table, const RungQuantities *q, const char text[], const char **rows,
                                char why[], size_t room)
{
  char        field[RUNG_NAME_LENGTH + 1] = "";
  const char *at                          = RungCsvField(text, field, sizeof field);

  PetscFunctionBegin;
  if (!at || strcmp(field, "t") != 0) (void)snprintf(why, room, "its first column is not t");
  while (!why[0] && at && *at == ',') {
    at = RungCsvField(at + 1, field, sizeof field);
    if (at && find(table->columns, (const char *const *)table->name, field) >= 0)
      (void)snprintf(why, room, "it has two columns \"%s\"", field);
    else if (at)
      PetscCall(RungTableAddColumn(table, field, column_of(q, field)));
  }
  if (!why[0] && (!at || *at != '\n')) (void)snprintf(why, room, "its first line is not one of names");
  *rows = why[0] ? NULL : at + 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The end of a row of a time and n numbers or empty cells; NULL: it is none. */
static const char *read_row(const char row[], PetscInt n, double *t)
{
  char *end;

  *t = strtod(row, &end);
  if (end == row) return NULL;
  for (PetscInt c = 0; c < n; ++c) {
    if (*end != ',') return NULL;
    ++end;
    if (*end != ',' && *end != '\n') (void)strtod(end, &end);
  }
  return *end == '\n' ? end : NULL;
}

/* The rows up to t, with empty cells for columns that they do not have. */
static PetscErrorCode keep_rows(const char rows[], PetscInt had, PetscInt columns, PetscReal t, RungDraft *kept,
                                char why[], size_t room)
{
  PetscFunctionBegin;
  for (PetscInt line = 2; strchr(rows, '\n'); ++line) { /* what is behind the last '\n' was cut off by a kill */
    double      time;
    const char *end = read_row(rows, had, &time);

    if (!end) {
      (void)snprintf(why, room, "its line %d is not a time and %d numbers", (int)line, (int)had);
      break;
    }
    if (time > (double)t) break;
    PetscCall(RungDraftAddBytes(kept, (size_t)(end - rows), rows));
    for (PetscInt c = had; c < columns; ++c) PetscCall(RungDraftAdd(kept, ","));
    PetscCall(RungDraftAdd(kept, "\n"));
    rows = end + 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_names(RungTableRecord table, PetscInt from, PetscInt to, PetscBool gone, RungDraft *list)
{
  PetscFunctionBegin;
  for (PetscInt c = from; c < to; ++c) {
    if (!gone || table->quantity[c] < 0)
      PetscCall(RungDraftAdd(list, "%s\"%s\"", list->length ? ", " : "", table->name[c]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the user should know of columns that came or went; the first `had` were there. */
static PetscErrorCode tell(RungTableRecord table, PetscInt had, PetscReal t, char note[], size_t length)
{
  RungDraft fresh = {0}, gone = {0};

  PetscFunctionBegin;
  PetscCall(list_names(table, had, table->columns, PETSC_FALSE, &fresh));
  PetscCall(list_names(table, 0, had, PETSC_TRUE, &gone));
  if (fresh.length && gone.length)
    (void)snprintf(note, length, "has new columns, empty up to t = %g: %s; these are empty from there on: %s",
                   (double)t, fresh.text, gone.text);
  else if (fresh.length)
    (void)snprintf(note, length, "has new columns, empty up to t = %g: %s", (double)t, fresh.text);
  else if (gone.length)
    (void)snprintf(note, length, "has columns that are empty after t = %g, where nothing has these names any more: %s",
                   (double)t, gone.text);
  PetscCall(RungDraftClear(&fresh));
  PetscCall(RungDraftClear(&gone));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The text takes the place of path.part when it is on the disk: whoever is killed here leaves the old one or the new one. */
static void replace(RungTableRecord table, const RungDraft *text, char why[], size_t room)
{
  char  part[PETSC_MAX_PATH_LEN + 8], fresh[PETSC_MAX_PATH_LEN + 16];
  FILE *file;

  (void)snprintf(part, sizeof part, "%s.part", table->path);
  (void)snprintf(fresh, sizeof fresh, "%s.new", part);
  if (!RungFileIsOurs(fresh, RUNG_FILE_TABLE, why, room)) return;
  file = fopen(fresh, "we");
  if (file) (void)flock(fileno(file), LOCK_EX | LOCK_NB); /* as table.c does */
  if (file && fwrite(text->text, 1, text->length, file) == text->length && !fflush(file) && !fsync(fileno(file)) &&
      !rename(fresh, part)) {
    table->file = file;
    table->open = PETSC_TRUE;
    return;
  }
  (void)snprintf(why, room, "%s", strerror(errno));
  if (file) (void)fclose(file);
  if (file) (void)unlink(fresh);
}

static PetscErrorCode go_on(RungTableRecord table, const RungQuantities *q, const char earlier[], PetscReal t,
                            RungDraft *text, char note[], size_t length, char why[], size_t room)
{
  const char *rows;
  PetscInt    had;

  PetscFunctionBegin;
  PetscCall(read_head(table, q, earlier, &rows, why, room));
  had = table->columns;
  for (PetscInt i = 0; !why[0] && i < q->n + q->numbers; ++i) {
    const char *name = i < q->n ? q->name[i] : q->number_name[i - q->n];

    if (find(had, (const char *const *)table->name, name) < 0) PetscCall(RungTableAddColumn(table, name, i));
  }
  PetscCall(RungTableHead(table, text));
  if (!why[0]) PetscCall(keep_rows(rows, had, table->columns, t + 1e-14 * PetscAbsReal(t), text, why, room));
  if (why[0]) {
    PetscCall(RungTextAppend(why, "; move it away or take another table", room));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  replace(table, text, why, room);
  PetscCall(tell(table, had, t, note, length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTableContinue(RungTableRecord table, const RungQuantities *q, PetscReal t, PetscBool *found,
                                 char note[], size_t length, char why[], size_t room)
{
  RungDraft text = {0};
  char      part[PETSC_MAX_PATH_LEN + 8], *earlier;

  PetscFunctionBegin;
  (void)snprintf(part, sizeof part, "%s.part", table->path);
  earlier = read_whole(part, why, room); /* a run that was killed leaves .part, one that ended leaves the table */
  if (!earlier && !why[0]) earlier = read_whole(table->path, why, room);
  *found = earlier ? PETSC_TRUE : PETSC_FALSE;
  if (earlier && !why[0])
    RungCallFinally(go_on(table, q, earlier, t, &text, note, length, why, room), PetscCall(RungDraftClear(&text));
                    free(earlier));
  else
    free(earlier);
  PetscFunctionReturn(PETSC_SUCCESS);
}
