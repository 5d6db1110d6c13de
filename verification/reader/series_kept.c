/* series_kept.c - rows of a series in checkpoints: summaries, references and expectations of a run that goes on are those of a run
   that was never cut.

   In a checkpoint: "rows of", one line for each column, its name and the statement that makes it; "rows", [row][t, columns];
   "rows changed", the option that had made another problem of the run.  Only columns that something is asked of are kept. */
#include "reader_impl.h"
#include <stdio.h>

#define BEFORE " of the run before the checkpoint"

/* ---- columns ------------------------------------------------------------------------------------------------------ */

/* The problem whose statements make a column: a member of several systems, whose own name of it *name becomes. */
static RungProblem find_maker(RungProblem problem, const char **name)
{
  const char *point = problem->systems ? RungFindPoint(problem->steps, problem->step_name + 1, *name) : NULL;

  for (PetscInt i = 0; point && i < problem->members; ++i) {
    const char *system = problem->step_name[i + 1];

    if (strlen(system) != (size_t)(point - *name) || strncmp(system, *name, strlen(system)) != 0) continue;
    *name = point + 1;
    return problem->member[i];
  }
  return problem;
}

/* Does a statement that holds in the problem ask for a column's values of the whole run? */
static PetscBool is_asked_by(RungProblem problem, const char name[])
{
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s = &problem->statement[i];

    if ((RungIs(problem, i, "summary") && !strcmp(s->arg[2].text, name)) ||
        (RungIs(problem, i, "reference") && !strcmp(s->arg[0].text, name)) ||
        (RungIs(problem, i, "expect") && !strcmp(s->arg[0].text, "constant") && !strcmp(s->arg[1].text, name)))
      return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static PetscBool is_asked(RungProblem problem, PetscInt column)
{
  const char       *name  = problem->series.name[column];
  const RungProblem maker = find_maker(problem, &name);

  return is_asked_by(problem, problem->series.name[column]) || is_asked_by(maker, name) ? PETSC_TRUE : PETSC_FALSE;
}

/* "NAME: STATEMENT\n"; a column that has another text is another one. */
static PetscErrorCode add_key(RungProblem problem, PetscInt column, RungDraft *key)
{
  static const char *const word[] = {"quantity", "rate", "mean", "probe", "reaction", "max", "min", "number"};
  const char              *name   = problem->series.name[column];
  const RungProblem        maker  = find_maker(problem, &name);
  const char              *text   = "";

  PetscFunctionBegin;
  for (PetscInt i = 0; i < maker->statements; ++i) {
    const RungStatement *s = &maker->statement[i];
    const size_t         n = s->args ? strlen(s->arg[0].text) : 0;

    for (size_t k = 0; n && k < PETSC_STATIC_ARRAY_LENGTH(word); ++k) { /* NAME.x is of max and min */
      if (RungIs(maker, i, word[k]) && !strncmp(s->arg[0].text, name, n) && (!name[n] || name[n] == '.'))
        text = s->text;
    }
  }
  PetscCall(RungDraftAdd(key, "%s: %s\n", problem->series.name[column], text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- save --------------------------------------------------------------------------------------------------------- */

static PetscErrorCode put_rows(RungProblem problem, RungCheckpoint file, PetscInt n, const PetscInt column[])
{
  const RungSeries *series = &problem->series;
  PetscReal        *value, *to;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(series->rows * (n + 1), &value));
  to = value;
  for (PetscInt r = 0; r < series->rows; ++r) {
    *to++ = series->t[r];
    for (PetscInt i = 0; i < n; ++i) *to++ = series->value[r * series->n + column[i]];
  }
  RungCallFinally(RungCheckpointPutReals(file, "rows", series->rows * (n + 1), value), PetscCall(PetscFree(value)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_columns(RungProblem problem, RungCheckpoint file, PetscInt column[], RungDraft *keys)
{
  PetscInt n = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->series.n; ++i) {
    if (!is_asked(problem, i)) continue;
    PetscCall(add_key(problem, i, keys));
    column[n++] = i;
  }
  PetscCall(RungCheckpointPutText(file, "rows of", keys->text ? keys->text : ""));
  PetscCall(put_rows(problem, file, n, column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode save(RungCheckpoint file, void *ctx)
{
  RungProblem problem = ctx;
  RungDraft   keys    = {0};
  PetscInt   *column;

  PetscFunctionBegin;
  PetscCall(RungChangeFind(problem));
  if (problem->changed[0] && strcmp(problem->changed, "-stepper_end") != 0) /* a run that ended early is no other one */
    PetscCall(RungCheckpointPutText(file, "rows changed", problem->changed));
  PetscCall(PetscMalloc1(problem->series.n, &column));
  RungCallFinally(put_columns(problem, file, column, &keys), PetscCall(RungDraftClear(&keys));
                  PetscCall(PetscFree(column)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- load --------------------------------------------------------------------------------------------------------- */

/* Which column of the file each one is, -1: none; n: how many the file has. */
static PetscErrorCode match(RungProblem problem, const char keys[], PetscInt from[], PetscInt *n)
{
  PetscFunctionBegin;
  *n = 0;
  for (const char *c = keys; *c; ++c) *n += *c == '\n';
  for (PetscInt i = 0; i < problem->series.n; ++i) {
    RungDraft key = {0};
    PetscInt  at  = 0;

    PetscCall(add_key(problem, i, &key));
    from[i] = -1;
    for (const char *line = keys; *line && strchr(line, '\n'); line = strchr(line, '\n') + 1, ++at) {
      if (!strncmp(line, key.text, strlen(key.text))) from[i] = at;
    }
    PetscCall(RungDraftClear(&key));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of the file up to t; what it does not hold is not known before t. */
static PetscErrorCode take_rows(RungProblem problem, PetscReal t, PetscInt n, const PetscInt from[], PetscInt rows,
                                const PetscReal value[])
{
  RungSeries *series = &problem->series;
  PetscReal  *row;

  PetscFunctionBegin;
  while (rows && value[(rows - 1) * (n + 1)] > t) --rows;
  if (problem->fixed.said && rows) --rows; /* of a static step the last one is told of once more */
  if (problem->fixed.said) problem->fixed.solutions = rows;
  PetscCall(PetscMalloc1(series->n, &row));
  for (PetscInt r = 0; r < rows; ++r) {
    const PetscReal *of = value + r * (n + 1);

    for (PetscInt i = 0; i < series->n; ++i) row[i] = from[i] < 0 ? NAN : of[1 + from[i]];
    RungCallOrUndo(RungSeriesPutAll(problem, of[0], row), PetscCall(PetscFree(row)));
  }
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns that the file does not hold begin at t. */
static PetscErrorCode begin_at(RungProblem problem, PetscReal t, const PetscInt from[])
{
  PetscInt n = 0;

  PetscFunctionBegin;
  PetscCall(RungSeriesBegin(problem, t, from));
  for (PetscInt i = 0; problem->systems && i < problem->members; ++i) {
    PetscCall(RungSeriesBegin(problem->member[i], t, from + n));
    n += problem->member[i]->series.n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_rows(RungProblem problem, RungCheckpoint file, PetscReal t, const char keys[],
                                PetscInt from[])
{
  PetscInt   n = 0, entries = 0;
  PetscReal *value = NULL;
  PetscBool  has;

  PetscFunctionBegin;
  PetscCall(match(problem, keys, from, &n));
  PetscCall(RungCheckpointHas(file, "rows of", &has));
  if (has) PetscCall(RungCheckpointGetReals(file, "rows", &entries, &value));
  if (entries % (n + 1)) PetscCall(PetscFree(value));
  PetscCheck(entries % (n + 1) == 0, problem->comm, PETSC_ERR_FILE_UNEXPECTED,
             "the checkpoint is refused: \"rows\" has %" PetscInt_FMT " numbers, wanted rows of %" PetscInt_FMT
             "; take one that this program wrote",
             entries, n + 1);
  PetscCall(begin_at(problem, t, from));
  RungCallFinally(take_rows(problem, t, n, from, entries / (n + 1), value), PetscCall(PetscFree(value)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "rows changed": what the run was before the checkpoint. */
static PetscErrorCode read_change(RungProblem problem, RungCheckpoint file)
{
  PetscBool has;
  char     *text;

  PetscFunctionBegin;
  PetscCall(RungCheckpointHas(file, "rows changed", &has));
  if (!has || problem->changed[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungCheckpointGetText(file, "rows changed", &text));
  if (!strstr(text, BEFORE)) PetscCall(PetscSNPrintf(problem->changed, sizeof problem->changed, "%.60s" BEFORE, text));
  if (strstr(text, BEFORE)) PetscCall(PetscStrncpy(problem->changed, text, sizeof problem->changed));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode load(RungCheckpoint file, PetscReal t, void *ctx)
{
  RungProblem problem = ctx;
  PetscInt   *from;
  PetscBool   has;
  char       *keys = NULL;

  PetscFunctionBegin;
  PetscCall(read_change(problem, file));
  PetscCall(RungCheckpointHas(file, "rows of", &has));
  if (has) PetscCall(RungCheckpointGetText(file, "rows of", &keys));
  PetscCall(PetscMalloc1(problem->series.n, &from));
  RungCallFinally(read_rows(problem, file, t, keys ? keys : "", from), PetscCall(PetscFree(from));
                  PetscCall(PetscFree(keys)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RungKeeper RungSeriesKeeper(RungProblem problem)
{
  PetscBool asked = PETSC_FALSE;

  for (PetscInt i = 0; i < problem->series.n; ++i) asked = asked || is_asked(problem, i) ? PETSC_TRUE : PETSC_FALSE;
  return asked ? (RungKeeper){.save = save, .load = load, .ctx = problem} : (RungKeeper){.save = NULL};
}
