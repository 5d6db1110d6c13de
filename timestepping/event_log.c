/* event_log.c - NAME.events.csv beside the table NAME.csv: a row for each time at which events happen, with a column for each event,
   how often it has happened if it does then and else nothing, and all quantities before it.

   Rows are few: the file is opened for each, and is whole after it.  A run that goes on keeps the rows of what has happened up to
   its checkpoint, under the names that they have: cells of new columns are empty, and columns of what is no more go to the end. */
#include "step_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST_NAME (PETSC_MAX_PATH_LEN + 16)

/* "ball.csv" -> "ball.events.csv" */
static void log_path(const struct _RungTableRecord *table, char path[MOST_NAME])
{
  const int plain = (int)strlen(table->path) - 4;

  (void)snprintf(path, MOST_NAME, "%.*s.events.csv", plain, table->path);
}

static PetscBool is_writer(RungStepper stepper)
{
  PetscMPIInt rank;

  return MPI_Comm_rank(stepper->comm, &rank) == MPI_SUCCESS && !rank ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode RungEventsLogCheck(RungStepper stepper)
{
  char path[MOST_NAME];

  PetscFunctionBegin;
  for (RungTableRecord table = stepper->tables; table && stepper->events.n; table = table->link) {
    log_path(table, path);
    PetscCall(RungFileCheck(stepper->comm, "the log of events", path, RUNG_FILE_TABLE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_head(RungStepper stepper, RungDraft *head)
{
  PetscFunctionBegin;
  PetscCall(RungDraftAdd(head, "t"));
  for (PetscInt i = 0; i < stepper->events.n + stepper->quantities.n; ++i) {
    const PetscInt q = i - stepper->events.n;

    PetscCall(RungDraftAdd(head, ","));
    PetscCall(RungDraftAddName(head, RUNG_CSV, q < 0 ? stepper->events.event[i].name : stepper->quantities.name[q]));
  }
  PetscCall(RungDraftAdd(head, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes, or adds, a text; why: "" if it is there. */
static void put(const char path[], const char mode[], const RungDraft *text, char why[], size_t room)
{
  FILE *file = fopen(path, mode);

  errno = 0;
  if (file && fwrite(text->text, 1, text->length, file) != text->length)
    (void)snprintf(why, room, "%s", strerror(errno ? errno : EIO));
  if ((!file || fclose(file)) && !why[0]) (void)snprintf(why, room, "%s", strerror(errno ? errno : EIO));
}

PetscErrorCode RungEventsLogStart(RungStepper stepper)
{
  char path[MOST_NAME], why[256] = "";

  PetscFunctionBegin;
  for (RungTableRecord table = stepper->tables; table && stepper->events.n; table = table->link) {
    RungDraft head = {0};

    log_path(table, path);
    PetscCall(make_head(stepper, &head));
    if (is_writer(stepper)) put(path, "we", &head, why, sizeof why);
    PetscCall(RungDraftClear(&head));
    RungCheckAll(!why[0], stepper->comm, PETSC_ERR_FILE_OPEN,
                 "the log of events \"%s\" cannot be written: %s; take another place for it", path, why);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns of the log that stay empty: an earlier run had them, and this one has not.  Somebody may have cut it off since. */
static PetscInt more_columns(RungStepper stepper, const char path[])
{
  FILE       *file = fopen(path, "re");
  char       *head = NULL, field[RUNG_NAME_LENGTH + 1];
  const char *at   = NULL;
  size_t      size = 0;
  PetscInt    n    = -1 - stepper->events.n - stepper->quantities.n;

  if (file && getline(&head, &size, file) > 0) at = head;
  for (; at && *at && *at != '\n'; ++n) {
    at = RungCsvField(at, field, sizeof field);
    if (at && *at == ',') ++at;
  }
  free(head);
  if (file) (void)fclose(file);
  return PetscMax(n, 0);
}

static PetscErrorCode add_row(RungStepper stepper, PetscReal t, PetscInt more, RungDraft *row)
{
  PetscFunctionBegin;
  PetscCall(RungDraftAdd(row, "%.15g", (double)t));
  for (PetscInt e = 0; e < stepper->events.n; ++e) {
    const RungEventRecord *event = &stepper->events.event[e];

    PetscCall(RungDraftAdd(row, ","));
    if (event->due) PetscCall(RungDraftAdd(row, "%d", (int)event->count));
  }
  for (PetscInt i = 0; i < stepper->quantities.n; ++i)
    PetscCall(RungDraftAdd(row, ",%.15g", (double)stepper->events.quantity[i]));
  while (more-- > 0) PetscCall(RungDraftAdd(row, ","));
  PetscCall(RungDraftAdd(row, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEventsLogRow(RungStepper stepper, PetscReal t)
{
  PetscFunctionBegin;
  for (RungTableRecord table = stepper->tables; table; table = table->link) {
    RungDraft row = {0};
    char      path[MOST_NAME], why[256] = "";

    log_path(table, path);
    if (is_writer(stepper)) PetscCall(add_row(stepper, t, more_columns(stepper, path), &row));
    if (is_writer(stepper)) put(path, "ae", &row, why, sizeof why);
    PetscCall(RungDraftClear(&row));
    PetscCallMPI(MPI_Bcast(why, (PetscMPIInt)sizeof why, MPI_CHAR, 0, stepper->comm));
    if (why[0]) PetscCall(RungMissingAdd(stepper->comm, &stepper->events.missing, "row", path, t, why));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEventsLogFinish(RungStepper stepper)
{
  char path[MOST_NAME];

  PetscFunctionBegin;
  if (!stepper->tables) PetscFunctionReturn(PETSC_SUCCESS);
  log_path(stepper->tables, path);
  PetscCall(RungMissingTell(stepper->comm, &stepper->events.missing, "row", path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a run that goes on ------------------------------------------------------------------------------------------- */

/* The name of column c behind t, as make_head() writes it; NULL: there is none. */
static const char *name_of(RungStepper stepper, PetscInt c)
{
  if (c < stepper->events.n) return stepper->events.event[c].name;
  c -= stepper->events.n;
  return c < stepper->quantities.n ? stepper->quantities.name[c] : NULL;
}

/* A column of an earlier log: which one of this run's it is, -1: of none, its cell in the row that is read. */
typedef struct {
  PetscInt now;
  char     name[RUNG_NAME_LENGTH + 1], cell[64];
} Column;

/* The columns of a head behind t; what it has and this run has not goes to the end of the new head. */
static PetscErrorCode read_head(RungStepper stepper, const char head[], RungDraft *text, PetscInt *n, Column *column,
                                char why[], size_t room)
{
  char        field[RUNG_NAME_LENGTH + 1] = "";
  const char *at                          = RungCsvField(head, field, sizeof field), *name;

  PetscFunctionBegin;
  *n = 0;
  while (at && *at == ',') {
    Column *c = &column[(*n)++];

    at = RungCsvField(at + 1, c->name, sizeof c->name);
    for (c->now = 0; (name = name_of(stepper, c->now)) && strcmp(name, c->name) != 0;) ++c->now;
    if (name) continue;
    c->now                     = -1;
    text->text[--text->length] = '\0'; /* its end of line */
    PetscCall(RungDraftAdd(text, ","));
    PetscCall(RungDraftAddName(text, RUNG_CSV, c->name));
    PetscCall(RungDraftAdd(text, "\n"));
  }
  if (strcmp(field, "t") != 0 || !at || *at != '\n')
    (void)snprintf(why, room, "its first line is not one of t and names; move it away or take another table");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Has what the row tells happened in the run that goes on from t? */
static PetscBool has_happened(RungStepper stepper, PetscReal t, const char row[], PetscInt n, const Column *column)
{
  if (strtod(row, NULL) > (double)(t + 1e-14 * PetscAbsReal(t))) return PETSC_FALSE;
  for (PetscInt c = 0; c < n; ++c) {
    const PetscInt e = column[c].now;

    if (e >= 0 && e < stepper->events.n && strtol(column[c].cell, NULL, 10) > (long)stepper->events.event[e].count)
      return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* The row under the columns of the new head; false: it has another number of cells than the head. */
static PetscErrorCode move_row(RungStepper stepper, PetscReal t, const char row[], PetscInt n, Column *column,
                               RungDraft *kept, PetscBool *good)
{
  char        time[64];
  const char *at = RungCsvField(row, time, sizeof time);
  PetscInt    c  = 0;

  PetscFunctionBegin;
  for (; at && *at == ',' && c < n; ++c) at = RungCsvField(at + 1, column[c].cell, sizeof column[c].cell);
  *good = at && *at == '\n' && c == n ? PETSC_TRUE : PETSC_FALSE;
  if (!*good || !has_happened(stepper, t, row, n, column)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungDraftAdd(kept, "%s", time));
  for (PetscInt now = 0; name_of(stepper, now); ++now) {
    for (c = 0; c < n && column[c].now != now;) ++c;
    PetscCall(RungDraftAdd(kept, ",%s", c < n ? column[c].cell : ""));
  }
  for (c = 0; c < n; ++c) {
    if (column[c].now < 0) PetscCall(RungDraftAdd(kept, ",%s", column[c].cell));
  }
  PetscCall(RungDraftAdd(kept, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows of an earlier log that stay, under their names, behind the new head. */
static PetscErrorCode keep_rows(RungStepper stepper, FILE *file, PetscReal t, RungDraft *kept, char why[], size_t room)
{
  char     *row  = NULL;
  size_t    size = 0;
  PetscInt  n    = 1;
  Column   *column;
  PetscBool good = PETSC_TRUE;

  PetscFunctionBegin;
  if (getline(&row, &size, file) > 0) {
    for (const char *c = row; *c; ++c) n += *c == ',' ? 1 : 0;
    PetscCall(PetscCalloc1(n, &column));
    PetscCall(read_head(stepper, row, kept, &n, column, why, room));
    for (PetscInt line = 2; !why[0] && getline(&row, &size, file) > 0; ++line) {
      if (!strchr(row, '\n')) break; /* cut off by a kill */
      PetscCall(move_row(stepper, t, row, n, column, kept, &good));
      if (!good)
        (void)snprintf(why, room, "its line %d has not %d cells; move it away or take another table", (int)line,
                       (int)n + 1);
    }
    PetscCall(PetscFree(column));
  }
  free(row);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEventsLogResume(RungStepper stepper)
{
  const RungState *state;
  char             path[MOST_NAME], why[256] = "";

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  for (RungTableRecord table = stepper->tables; table && stepper->events.n; table = table->link) {
    RungDraft text = {0};
    FILE     *file;

    log_path(table, path);
    PetscCall(make_head(stepper, &text));
    file = is_writer(stepper) ? fopen(path, "re") : NULL;
    if (file) PetscCall(keep_rows(stepper, file, state->t, &text, why, sizeof why));
    if (file) (void)fclose(file);
    if (why[0]) PetscCall(RungDraftClear(&text));
    RungCheckAll(!why[0], stepper->comm, PETSC_ERR_FILE_OPEN, "the log of events \"%s\" cannot go on: %s", path, why);
    RungCallFinally(RungFileWrite(stepper->comm, path, text.length, text.text), PetscCall(RungDraftClear(&text)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
