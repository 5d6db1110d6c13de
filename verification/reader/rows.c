/* rows.c - tables and series of what no stepper writes: static steps, and systems that go through time together. */
#include "reader_impl.h"
#include <stdio.h>

#define SAME 1e-9 /* of a period: a time this near to one that is due is that one */

PetscBool RungHasRows(RungProblem problem)
{
  return problem->group || RungHas(problem, "static") ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode RungRowsReset(RungProblem problem)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->records; ++i) {
    PetscCall(RungWriterDestroy(&problem->record[i].writer));
    PetscCall(RungDraftClear(&problem->record[i].rows));
    PetscCall(RungDraftClear(&problem->record[i].happened));
  }
  PetscCall(PetscFree(problem->record));
  problem->records = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRowsAdd(RungProblem problem, const char path[], const char list[], PetscReal every, PetscBool table)
{
  RungRecord *record;

  PetscFunctionBegin;
  PetscCall(PetscRealloc((size_t)(problem->records + 1) * sizeof *problem->record, &problem->record));
  record  = &problem->record[problem->records++];
  *record = (RungRecord){.every = every};
  PetscCall(PetscStrncpy(record->path, path, sizeof record->path));
  if (table) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungWriterCreate(problem->sys, path, &record->writer));
  if (list) PetscCall(RungWriterSetFields(record->writer, list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* t,COLUMN,quantity,..: the head, where there is none yet, and a row. */
static PetscErrorCode add_row(RungProblem problem, const char column[], PetscReal value, PetscReal t, RungDraft *rows)
{
  const RungSeries *series = &problem->series;
  const PetscReal  *last   = series->value + (series->rows - 1) * series->n;

  PetscFunctionBegin;
  if (!rows->length) {
    PetscCall(RungDraftAdd(rows, "t"));
    if (column) PetscCall(RungDraftAdd(rows, ","));
    if (column) PetscCall(RungDraftAddName(rows, RUNG_CSV, column));
    for (PetscInt i = 0; i < series->n; ++i) {
      PetscCall(RungDraftAdd(rows, ","));
      PetscCall(RungDraftAddName(rows, RUNG_CSV, series->name[i]));
    }
    PetscCall(RungDraftAdd(rows, "\n"));
  }
  PetscCall(RungDraftAdd(rows, "%.15g", (double)t));
  if (column) PetscCall(RungDraftAdd(rows, ",%.15g", (double)value));
  for (PetscInt i = 0; i < series->n; ++i) PetscCall(RungDraftAdd(rows, ",%.15g", (double)last[i]));
  PetscCall(RungDraftAdd(rows, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* t,EVENT,..,quantity,..: an event has a number in the rows in which it happens. */
static PetscErrorCode add_happened(RungProblem group, PetscReal t, const PetscReal value[], RungDraft *rows)
{
  const RungSeries *series = &group->series;

  PetscFunctionBegin;
  if (!rows->length) {
    PetscCall(RungDraftAdd(rows, "t"));
    for (PetscInt i = 0; i < group->happenings + series->n; ++i) {
      PetscCall(RungDraftAdd(rows, ","));
      PetscCall(RungDraftAddName(rows, RUNG_CSV,
                                 i < group->happenings ? group->happening[i].said->arg[0].text
                                                       : series->name[i - group->happenings]));
    }
    PetscCall(RungDraftAdd(rows, "\n"));
  }
  PetscCall(RungDraftAdd(rows, "%.15g", (double)t));
  for (PetscInt i = 0; i < group->happenings; ++i) {
    PetscCall(RungDraftAdd(rows, ","));
    if (group->happening[i].due) PetscCall(RungDraftAdd(rows, "%d", (int)group->happening[i].count));
  }
  for (PetscInt i = 0; i < series->n; ++i) PetscCall(RungDraftAdd(rows, ",%.15g", (double)value[i]));
  PetscCall(RungDraftAdd(rows, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRowsHappened(RungProblem group, PetscReal t, const PetscReal value[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < group->records; ++i) {
    RungRecord *r = &group->record[i];
    char        path[PETSC_MAX_PATH_LEN];

    PetscCall(add_happened(group, t, value, &r->happened));
    (void)snprintf(path, sizeof path, "%.*s.events.csv", (int)strlen(r->path) - 4, r->path); /* NAME.csv */
    PetscCall(RungFileWrite(group->comm, path, r->happened.length, r->happened.text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is a time of a series due?  Then the next one is later. */
static PetscBool take_time(RungProblem problem, RungRecord *r, PetscReal t)
{
  PetscReal t0 = problem->group ? problem->group->plan.t0 : 0;
  PetscInt  n  = r->next;

  if (r->every <= 0) return PETSC_TRUE;
  while (t0 + (PetscReal)n * r->every <= t + SAME * r->every) ++n;
  if (n == r->next) return PETSC_FALSE;
  r->next = n;
  return PETSC_TRUE;
}

PetscErrorCode RungRowsAgain(RungProblem problem, PetscReal t)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->records; ++i) {
    if (problem->record[i].writer) continue;
    PetscCall(add_row(problem, NULL, 0, t, &problem->record[i].rows));
    ++problem->record[i].added;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRowsWrite(RungProblem problem, const char column[], PetscReal value, const RungState *state,
                             PetscBool last)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->records; ++i) {
    RungRecord     *r   = &problem->record[i];
    const PetscBool due = !column && r->writer && !take_time(problem, r, state->t) && !last ? PETSC_FALSE : PETSC_TRUE;

    if (r->writer && due) PetscCall(RungWriterWrite(r->writer, column ? value : state->t, state->u));
    if (r->writer) continue;
    PetscCall(add_row(problem, column, value, state->t, &r->rows));
    ++r->added;
    if (!last && r->added > 64 && r->added < r->written + r->added / 16) continue; /* long tables, now and then */
    PetscCall(RungFileWrite(problem->comm, r->path, r->rows.length, r->rows.text));
    r->written = r->added;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
