/* event_log.c - NAME.events.csv beside the table NAME.csv: a row for each time at which events happen, with a column for each event,
   how often it has happened if it does then and else nothing, and all quantities before it.

   Rows are few: the file is opened for each, and is whole after it.  A run that goes on keeps the rows of what has happened up to
   its checkpoint. */
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

static PetscErrorCode add_row(RungStepper stepper, PetscReal t, RungDraft *row)
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
    PetscCall(add_row(stepper, t, &row));
    if (is_writer(stepper)) put(path, "ae", &row, why, sizeof why);
    PetscCall(RungDraftClear(&row));
    PetscCallMPI(MPI_Bcast(why, (PetscMPIInt)sizeof why, MPI_CHAR, 0, stepper->comm));
    if (why[0]) PetscCall(RungMissingAdd(stepper, &stepper->events.missing, "row", path, t, why));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a run that goes on ------------------------------------------------------------------------------------------- */

/* Has what the row tells happened in the run that goes on? */
static PetscBool has_happened(RungStepper stepper, const char row[])
{
  for (PetscInt e = 0; e < stepper->events.n; ++e) {
    row = strchr(row, ',');
    if (!row || strtol(++row, NULL, 10) > (long)stepper->events.event[e].count) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Its rows that stay, behind the head; none of a file with other columns. */
static PetscErrorCode keep_rows(RungStepper stepper, const char path[], RungDraft *kept)
{
  FILE  *file = fopen(path, "re");
  char  *row  = NULL;
  size_t room = 0;

  PetscFunctionBegin;
  if (file && getline(&row, &room, file) > 0 && !strcmp(row, kept->text)) {
    while (getline(&row, &room, file) > 0) {
      if (strchr(row, '\n') && has_happened(stepper, row)) PetscCall(RungDraftAdd(kept, "%s", row));
    }
  }
  free(row);
  if (file) (void)fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEventsLogResume(RungStepper stepper)
{
  char path[MOST_NAME], why[256] = "";

  PetscFunctionBegin;
  for (RungTableRecord table = stepper->tables; table && stepper->events.n; table = table->link) {
    RungDraft text = {0};

    log_path(table, path);
    PetscCall(make_head(stepper, &text));
    if (is_writer(stepper)) PetscCall(keep_rows(stepper, path, &text));
    if (is_writer(stepper)) put(path, "we", &text, why, sizeof why);
    PetscCall(RungDraftClear(&text));
    RungCheckAll(!why[0], stepper->comm, PETSC_ERR_FILE_OPEN, "the log of events \"%s\" cannot go on: %s", path, why);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
