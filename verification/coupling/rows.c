/* rows.c - tables and series of what no stepper writes: static steps, and systems that go through time together. */
#include "coupling_impl.h"
#include <stdio.h>

#define SAME 1e-9 /* of a period: a time this near to one that is due is that one */

/* A series, or a table. */
typedef struct {
  char        path[PETSC_MAX_PATH_LEN];
  RungWriter  writer;          /* owned; NULL: a table                                        */
  RungDraft   rows;            /* owned: of a table, with its head                            */
  RungDraft   happened;        /* owned: rows of NAME.events.csv                              */
  PetscInt    added, written;  /* rows, of them in the file                                   */
  PetscReal   every;           /* time between two of a series; 0: all                        */
  PetscInt    next;            /* the time t0 + next every comes next                         */
  PetscReal   last;            /* the newest time of a series; nan: none                      */
  RungMissing missing, unsaid; /* times, or rows of a table; rows of NAME.events.csv          */
} Record;

struct _p_RungRows {
  MPI_Comm  comm; /* lent */
  PetscReal t0;
  PetscInt  records;
  Record   *record; /* owned */
};

PetscErrorCode RungRowsCreate(MPI_Comm comm, RungRows *rows)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(rows));
  (*rows)->comm = comm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRowsDestroy(RungRows *rows)
{
  RungRows r = *rows;

  PetscFunctionBegin;
  *rows = NULL;
  if (!r) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < r->records; ++i) {
    PetscCall(RungWriterDestroy(&r->record[i].writer));
    PetscCall(RungDraftClear(&r->record[i].rows));
    PetscCall(RungDraftClear(&r->record[i].happened));
  }
  PetscCall(PetscFree(r->record));
  PetscCall(PetscFree(r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRowsSetStart(RungRows rows, PetscReal t0)
{
  PetscFunctionBegin;
  RungNeed(rows);
  rows->t0 = t0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One more, with its path and its ending. */
static PetscErrorCode add_record(RungRows rows, const char path[], const char ending[], Record **record)
{
  const size_t    n = path ? strlen(path) : 0, m = strlen(ending);
  const PetscBool has = n > m && !strcmp(path + n - m, ending) ? PETSC_TRUE : PETSC_FALSE;
  char            full[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCheck(n && n + m < PETSC_MAX_PATH_LEN, rows->comm, PETSC_ERR_ARG_NULL,
             "a table or series without a path, or one that is too long");
  (void)snprintf(full, sizeof full, "%s%s", path, has ? "" : ending);
  for (PetscInt i = 0; i < rows->records; ++i)
    PetscCheck(strcmp(rows->record[i].path, full) != 0, rows->comm, PETSC_ERR_ARG_WRONG,
               "\"%s\" is written already; give this one another name", full);
  PetscCall(PetscRealloc((size_t)(rows->records + 1) * sizeof *rows->record, &rows->record));
  *record  = &rows->record[rows->records++];
  **record = (Record){.last = NAN};
  PetscCall(PetscStrncpy((*record)->path, full, sizeof(*record)->path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRowsAddTable(RungRows rows, const char path[])
{
  Record *record;

  PetscFunctionBegin;
  RungNeed(rows);
  PetscCall(add_record(rows, path, ".csv", &record));
  RungCallOrUndo(RungFileCheck(rows->comm, "the table", record->path, RUNG_FILE_TABLE), --rows->records);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_writer(RungSystem sys, const char list[], Record *record)
{
  PetscFunctionBegin;
  PetscCall(RungWriterCreate(sys, record->path, &record->writer));
  if (list) PetscCall(RungWriterSetFields(record->writer, list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRowsAddOutput(RungRows rows, RungSystem sys, const char path[], const char list[], PetscReal every)
{
  Record *record;

  PetscFunctionBegin;
  RungNeed(rows);
  PetscCall(add_record(rows, path, ".pvd", &record));
  record->every = every;
  RungCallOrUndo(make_writer(sys, list, record), PetscCall(RungWriterDestroy(&record->writer)); --rows->records);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static PetscErrorCode add_names(PetscInt n, const char *const name[], RungDraft *text)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(RungDraftAdd(text, ","));
    PetscCall(RungDraftAddName(text, RUNG_CSV, name[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_values(const RungRow *row, RungDraft *text)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < row->n; ++i) PetscCall(RungDraftAdd(text, ",%.15g", (double)row->value[i]));
  PetscCall(RungDraftAdd(text, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* t,COLUMN,quantity,..: the head, where there is none yet, and a row. */
static PetscErrorCode add_row(const RungRow *row, RungDraft *text)
{
  PetscFunctionBegin;
  if (!text->length) {
    PetscCall(RungDraftAdd(text, "t"));
    if (row->column) PetscCall(add_names(1, &row->column, text));
    PetscCall(add_names(row->n, row->name, text));
    PetscCall(RungDraftAdd(text, "\n"));
  }
  PetscCall(RungDraftAdd(text, "%.15g", (double)row->t));
  if (row->column) PetscCall(RungDraftAdd(text, ",%.15g", (double)row->at));
  PetscCall(add_values(row, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* t,EVENT,..,quantity,..: the head, where there is none yet, and a row, in which an event has a number if it happens there. */
static PetscErrorCode add_happened(const RungRow *row, const RungRowEvents *events, RungDraft *text)
{
  PetscFunctionBegin;
  if (!text->length) {
    PetscCall(RungDraftAdd(text, "t"));
    PetscCall(add_names(events->n, events->name, text));
    PetscCall(add_names(row->n, row->name, text));
    PetscCall(RungDraftAdd(text, "\n"));
  }
  if (!events->count) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungDraftAdd(text, "%.15g", (double)row->t));
  for (PetscInt i = 0; i < events->n; ++i) {
    PetscCall(RungDraftAdd(text, ","));
    if (events->count[i]) PetscCall(RungDraftAdd(text, "%" PetscInt_FMT, events->count[i]));
  }
  PetscCall(add_values(row, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRowsAgain(RungRows rows, const RungRow *row)
{
  PetscFunctionBegin;
  RungNeed(rows);
  for (PetscInt i = 0; i < rows->records; ++i) {
    if (rows->record[i].writer) continue;
    PetscCall(add_row(row, &rows->record[i].rows));
    ++rows->record[i].added;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* Is a time of a series due?  Then the next one is later. */
static PetscBool take_time(RungRows rows, Record *r, PetscReal t)
{
  const PetscReal near = SAME * r->every + 16 * PETSC_MACHINE_EPSILON * PetscAbsReal(t);
  PetscInt        n    = r->next;

  if (r->every <= 0) return PETSC_TRUE;
  while (rows->t0 + (PetscReal)n * r->every <= t + near) ++n;
  if (n == r->next) return PETSC_FALSE;
  r->next = n;
  return PETSC_TRUE;
}

static PetscErrorCode write_time(RungRows rows, Record *r, const RungRow *row, const Vec u[])
{
  PetscBool written;
  char      why[256] = "";

  PetscFunctionBegin;
  r->last = row->column ? row->at : row->t;
  PetscCall(RungWriterTry(r->writer, r->last, u, &written, why, sizeof why));
  if (!written) PetscCall(RungMissingAdd(rows->comm, &r->missing, "time", r->path, r->last, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The whole of it: what the disk has refused once it may take the next time. */
static PetscErrorCode write_table(RungRows rows, Record *r, PetscReal t)
{
  RungCaught caught;

  PetscFunctionBegin;
  PetscCall(RungCatchWrite(rows->comm, r->path, r->rows.length, r->rows.text, &caught));
  if (caught.code) {
    PetscCall(RungMissingAdd(rows->comm, &r->missing, "row", r->path, t, caught.message));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  r->written   = r->added;
  r->missing.n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAME.events.csv beside NAME.csv */
static void events_path(const Record *r, char path[PETSC_MAX_PATH_LEN])
{
  (void)snprintf(path, PETSC_MAX_PATH_LEN, "%.*s.events.csv", (int)strlen(r->path) - 4, r->path);
}

static PetscErrorCode write_happened(RungRows rows, Record *r, PetscReal t)
{
  char       path[PETSC_MAX_PATH_LEN];
  RungCaught caught;

  PetscFunctionBegin;
  events_path(r, path);
  PetscCall(RungCatchWrite(rows->comm, path, r->happened.length, r->happened.text, &caught));
  if (caught.code)
    PetscCall(RungMissingAdd(rows->comm, &r->unsaid, "row", path, t, caught.message));
  else
    r->unsaid.n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRowsHappened(RungRows rows, const RungRow *row, const RungRowEvents *events)
{
  PetscFunctionBegin;
  RungNeed(rows);
  for (PetscInt i = 0; i < rows->records; ++i) {
    Record *r = &rows->record[i];
    char    path[PETSC_MAX_PATH_LEN];

    if (r->writer) continue;
    events_path(r, path);
    if (!r->happened.length) PetscCall(RungFileCheck(rows->comm, "the table of events", path, RUNG_FILE_TABLE));
    PetscCall(add_happened(row, events, &r->happened));
    PetscCall(write_happened(rows, r, row->t));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRowsWrite(RungRows rows, const RungRow *row, const Vec u[], PetscBool last)
{
  PetscFunctionBegin;
  RungNeed(rows);
  for (PetscInt i = 0; i < rows->records; ++i) {
    Record         *r   = &rows->record[i];
    const PetscBool due = !row->column && r->writer && !take_time(rows, r, row->t) && !last ? PETSC_FALSE : PETSC_TRUE;

    if (r->writer && due) PetscCall(write_time(rows, r, row, u));
    if (r->writer) continue;
    PetscCall(add_row(row, &r->rows));
    ++r->added;
    if (!last && r->added > 64 && r->added < r->written + r->added / 16) continue; /* long tables, now and then */
    PetscCall(write_table(rows, r, row->t));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRowsTell(RungRows rows)
{
  PetscFunctionBegin;
  RungNeed(rows);
  for (PetscInt i = 0; i < rows->records; ++i) {
    const Record *r = &rows->record[i];
    char          path[PETSC_MAX_PATH_LEN];

    events_path(r, path);
    PetscCall(RungMissingTell(rows->comm, &r->missing, r->writer ? "time" : "row", r->path));
    PetscCall(RungMissingTell(rows->comm, &r->unsaid, "row", path));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRowsFinish(RungRows rows, const RungRow *row, const Vec u[])
{
  PetscFunctionBegin;
  RungNeed(rows);
  for (PetscInt i = 0; i < rows->records; ++i) {
    Record *r = &rows->record[i];

    if (r->writer && r->last != row->t) PetscCall(write_time(rows, r, row, u));
    if (!r->writer && r->written < r->added) PetscCall(write_table(rows, r, row->t));
    if (r->unsaid.n) PetscCall(write_happened(rows, r, row->t));
  }
  PetscCall(RungRowsTell(rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}
