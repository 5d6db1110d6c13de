/* run.c - a run of coupled systems: their start, window after window, what is recorded of them, and its end by a
   signal. */
#include "coupling_impl.h"

static RungRow row_of(RungCoupling c, PetscReal t, RungMember m)
{
  const PetscInt first = m ? m->first : 0, n = m ? m->quantities + m->numbers : c->columns;

  return (RungRow){
    .t = t, .n = n, .name = m ? (const char *const *)NULL : (const char *const *)c->column, .value = c->value + first};
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

typedef enum { FIRST, AGAIN, LAST, FINISH } Moment;

/* A row of one system's columns, or of all.  names: [n] to work in. */
static PetscErrorCode write_rows(RungCoupling c, RungMember m, PetscReal t, Moment moment, const char **names)
{
  RungRow    row  = row_of(c, t, m);
  RungRows   rows = m ? m->rows : c->rows;
  const Vec *u    = m ? m->u : NULL;

  PetscFunctionBegin;
  for (PetscInt i = 0; m && i < row.n; ++i)
    names[i] = i < m->quantities ? m->quantity[i] : m->number_name[i - m->quantities];
  if (m) row.name = names;
  if (m && moment != AGAIN) PetscCall(RungMemberSee(m)); /* coefficients are those of now */
  if (moment == AGAIN)
    PetscCall(RungRowsAgain(rows, &row));
  else if (moment == FINISH)
    PetscCall(RungRowsFinish(rows, &row, u));
  else
    PetscCall(RungRowsWrite(rows, &row, u, moment == LAST ? PETSC_TRUE : PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_all(RungCoupling c, PetscReal t, Moment moment)
{
  const char **names;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(c->columns, &names));
  for (PetscInt i = 0; i <= c->members; ++i) {
    RungMember m = i < c->members ? c->member[i] : NULL;

    RungCallOrUndo(write_rows(c, m, t, moment, names), PetscCall(PetscFree(names)));
  }
  PetscCall(PetscFree(names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode tell_monitors(RungCoupling c, PetscReal t, PetscBool again)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->monitors; ++i) PetscCall(c->monitor[i].fn(c, t, again, c->value, c->monitor[i].ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode record(RungCoupling c, PetscReal t, PetscBool last)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->members; ++i) c->member[i]->t = t;
  PetscCall(write_all(c, t, last ? LAST : FIRST));
  PetscCall(tell_monitors(c, t, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What has happened at t; a second row if it changed something. */
static PetscErrorCode happen(RungCoupling c, PetscReal t)
{
  PetscBool changed;

  PetscFunctionBegin;
  PetscCall(RungHappeningsHappen(c, t, &changed));
  if (!changed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(write_all(c, t, AGAIN));
  PetscCall(tell_monitors(c, t, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode tell_events(RungCoupling c, PetscReal t, PetscBool any, const char **name, PetscInt *count)
{
  const RungRow row = row_of(c, t, NULL);

  PetscFunctionBegin;
  for (PetscInt e = 0; e < c->happenings; ++e) {
    name[e]  = c->happening[e].name;
    count[e] = c->happening[e].due ? c->happening[e].count : 0;
  }
  PetscCall(RungRowsHappened(c->rows, &row, &(RungRowEvents){c->happenings, name, any ? count : NULL}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingTellEvents(RungCoupling c, PetscReal t, PetscBool any)
{
  const char **name;
  PetscInt    *count;

  PetscFunctionBegin;
  if (!c->happenings) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc2(c->happenings, &name, c->happenings, &count));
  RungCallFinally(tell_events(c, t, any, name, count), PetscCall(PetscFree2(name, count)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the way ----------------------------------------------------------------------------------------------------- */

/* A signal ends the run with what the whole windows before it have come to.  inside: a window was begun.  whole: it
   began where the one before ended, not at an event; else the checkpoint is of the last end of one. */
static PetscErrorCode end_by_signal(RungCoupling c, PetscReal t, PetscBool inside, PetscBool whole)
{
  PetscFunctionBegin;
  if (inside) PetscCall(RungWindowRewind(c));
  for (PetscInt i = 0; i < c->members; ++i) c->member[i]->t = t;
  PetscCall(write_all(c, t, FINISH));
  if (c->done && (!c->tried || c->saved < c->done)) {
    if (!whole) PetscCall(RungStoreReturn(c));
    PetscCall(RungStoreSave(c, PETSC_TRUE));
  }
  PetscCall(RungNotice(c->comm, "a signal has ended the run behind window %" PetscInt_FMT " of %" PetscInt_FMT, c->done,
                       c->windows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Window after window, each in parts where something happens in it. */
static PetscErrorCode go(RungCoupling c)
{
  PetscBool none = PETSC_FALSE, inside = PETSC_FALSE, whole = PETSC_TRUE;
  int       number;
  PetscReal a = c->done == c->windows ? c->t1 : c->t0 + (PetscReal)c->done * c->length;

  PetscFunctionBegin;
  PetscCall(RungColumnsEvaluate(c, a));
  PetscCall(RungHappeningsStart(c, a, c->done ? PETSC_FALSE : PETSC_TRUE));
  PetscCall(record(c, a, PETSC_FALSE));
  PetscCall(RungCouplingTellEvents(c, a, PETSC_FALSE));
  PetscCall(RungStoreKeep(c));
  while (c->done < c->windows && !c->stopped) {
    const PetscBool last = c->done + 1 == c->windows ? PETSC_TRUE : PETSC_FALSE;
    const PetscReal b    = last ? c->t1 : c->t0 + (PetscReal)(c->done + 1) * c->length;
    PetscReal       t;

    PetscCall(RungSignalsAgree(c->comm, &none, &number));
    c->signalled = number ? PETSC_TRUE : PETSC_FALSE;
    if (c->signalled) break;
    PetscCall(RungHappeningsAdvance(c, a, b, &t));
    inside = c->signalled;
    if (inside) break;
    if (t == b) ++c->done;
    PetscCall(record(c, t, t == b ? last : PETSC_FALSE));
    PetscCall(happen(c, t));
    if (t == b) PetscCall(RungStoreSave(c, last));
    if (t == b) PetscCall(RungStoreKeep(c));
    a     = t;
    whole = t == b ? PETSC_TRUE : PETSC_FALSE;
  }
  if (c->signalled)
    PetscCall(end_by_signal(c, a, inside, whole));
  else
    PetscCall(write_all(c, a, FINISH));
  PetscCall(RungMissingTell(c->comm, &c->missing, "file", c->save));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(RungCoupling c)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->members; ++i) {
    PetscCall(RungStepperSetMonitor(c->member[i]->stepper, RUNG_MONITOR_NONE));
    PetscCall(RungStepperSetUp(c->member[i]->stepper));
    PetscCall(RungMemberCreateState(c->member[i], c->t0));
  }
  PetscCall(RungWindowSettle(c, c->t0, PETSC_TRUE));
  PetscCall(RungStoreLoad(c));
  PetscCall(go(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steppers have the interval again that they were given with. */
static PetscErrorCode give_back(RungCoupling c)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->members; ++i)
    PetscCall(RungStepperSetInterval(c->member[i]->stepper, c->t0, c->t1, c->member[i]->dt));
  PetscCall(RungSignalsRelease());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingSolve(RungCoupling c)
{
  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(RungCouplingSetUp(c));
  PetscCheck(!c->solved, c->comm, PETSC_ERR_ORDER,
             "a coupling was solved already, and constants may no longer be what they were; create another one");
  c->solved = PETSC_TRUE;
  PetscCall(RungSignalsCatch());
  RungCallFinally(solve(c), PetscCall(give_back(c)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
