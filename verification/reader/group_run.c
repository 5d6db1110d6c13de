/* group_run.c - a run of several systems: their start, their records, what is said of them. */
#include "reader_impl.h"

#include <rungbinding.h>

static PetscErrorCode create_state(RungProblem member, PetscReal t0)
{
  RungMember *m = &member->state;
  RungTraits  traits;

  PetscFunctionBegin;
  PetscCall(RungSystemGetTraits(member->sys, &traits));
  m->order = traits.order;
  m->t     = t0;
  m->steps = m->newton = m->age = 0;
  PetscCall(PetscArrayzero(m->size, RUNG_MAX_UNKNOWNS));
  PetscCall(RungSystemCreateVec(member->sys, &m->last));
  PetscCall(RungSystemCreateVec(member->sys, &m->seen));
  for (PetscInt k = 0; k <= m->order; ++k) {
    PetscCall(RungSystemCreateVec(member->sys, &m->u[k]));
    PetscCall(RungSystemCreateVec(member->sys, &m->begin[k]));
    PetscCall(VecZeroEntries(m->u[k]));
    if (k < PetscMax(1, m->order)) PetscCall(RungSystemInitial(member->sys, t0, k, m->u[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Algebraic unknowns and rates of one system follow from those of others: as many rounds as there are systems.  fresh: from what the
   file says, in the first of them. */
static PetscErrorCode settle(RungProblem group, PetscReal t, PetscBool fresh)
{
  PetscFunctionBegin;
  for (PetscInt round = 0; round < group->members; ++round) {
    for (PetscInt i = 0; i < group->members; ++i) {
      RungProblem         member = group->member[i];
      RungMember         *m      = &member->state;
      RungTransientSystem ts;
      const RungState    *state;

      PetscCall(RungMemberSee(member));
      PetscCall(RungStepperGetTransientSystem(member->stepper, &ts));
      if (!round && fresh)
        PetscCall(RungTransientSystemStart(ts, t));
      else
        PetscCall(RungTransientSystemStartFrom(ts, t, m->u));
      PetscCall(RungTransientSystemGetState(ts, 0, &state));
      for (PetscInt k = 0; k <= m->order; ++k) PetscCall(VecCopy(state->u[k], m->u[k]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGroupSettle(RungProblem group, PetscReal t)
{
  PetscFunctionBegin;
  PetscCall(settle(group, t, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode start_members(RungProblem group)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < group->members; ++i) PetscCall(create_state(group->member[i], group->plan.t0));
  PetscCall(settle(group, group->plan.t0, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A row of each system's quantities, and of all together; series that are due.  value[]: of the group's columns. */
static PetscErrorCode record(RungProblem group, PetscReal t, const PetscReal value[], PetscBool last)
{
  RungState state = {.t = t};
  PetscInt  n     = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < group->members; ++i) {
    RungProblem member = group->member[i];

    for (PetscInt k = 0; k <= member->state.order; ++k) state.u[k] = member->state.u[k];
    PetscCall(RungMemberSee(member)); /* coefficients are those of now */
    PetscCall(RungSeriesPut(member, t, value + n));
    PetscCall(RungRowsWrite(member, NULL, 0, &state, last));
    n += member->series.n;
  }
  PetscCall(RungSeriesPut(group, t, value));
  PetscCall(RungRowsWrite(group, NULL, 0, &state, last));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What has happened at t; a second row if it changed something. */
static PetscErrorCode happen(RungProblem group, PetscReal t, PetscReal value[])
{
  PetscBool changed;
  PetscInt  n = 0;

  PetscFunctionBegin;
  PetscCall(RungHappeningsHappen(group, t, value, &changed));
  for (PetscInt i = 0; i < group->members && changed; ++i) {
    PetscCall(RungSeriesPut(group->member[i], t, value + n));
    PetscCall(RungRowsAgain(group->member[i], t));
    n += group->member[i]->series.n;
  }
  if (changed) PetscCall(RungSeriesPut(group, t, value));
  if (changed) PetscCall(RungRowsAgain(group, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- runs --------------------------------------------------------------------------------------------------------------- */

/* A signal ends the run with what the whole windows before it have come to.  inside: a window was begun.  whole: it began where the one
   before ended, not at an event, of which no checkpoint can be. */
static PetscErrorCode end_by_signal(RungProblem group, PetscBool inside, PetscBool whole)
{
  const RungGroup *plan  = &group->plan;
  const RungSaved *saved = &group->member[0]->saved;

  PetscFunctionBegin;
  if (inside) PetscCall(RungGroupRewind(group));
  if (plan->done && whole && (!saved->u[0] || saved->window < plan->done)) PetscCall(RungGroupSave(group, PETSC_TRUE));
  PetscCall(RungNotice(group->comm, "a signal has ended the run behind window %" PetscInt_FMT " of %" PetscInt_FMT,
                       plan->done, plan->windows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Window after window, each in parts where something happens in it. */
static PetscErrorCode go(RungProblem group, PetscReal value[])
{
  RungGroup *plan = &group->plan;
  PetscBool  none = PETSC_FALSE, inside = PETSC_FALSE, whole = PETSC_TRUE;
  int        number;
  PetscReal  a = plan->done == plan->windows ? plan->t1 : plan->t0 + (PetscReal)plan->done * plan->length;

  PetscFunctionBegin;
  PetscCall(RungJoinEvaluate(group, a, value));
  PetscCall(RungHappeningsStart(group, a, value, plan->done ? PETSC_FALSE : PETSC_TRUE));
  PetscCall(record(group, a, value, PETSC_FALSE));
  while (plan->done < plan->windows && !plan->stopped) {
    const PetscBool last = plan->done + 1 == plan->windows ? PETSC_TRUE : PETSC_FALSE;
    const PetscReal b    = last ? plan->t1 : plan->t0 + (PetscReal)(plan->done + 1) * plan->length;
    PetscReal       t;

    PetscCall(RungSignalsAgree(group->comm, &none, &number));
    plan->signalled = number ? PETSC_TRUE : PETSC_FALSE;
    if (plan->signalled) break;
    PetscCall(RungGroupAdvance(group, a, b, value, &t));
    inside = plan->signalled;
    if (inside) break;
    if (t == b) ++plan->done;
    PetscCall(record(group, t, value, t == b ? last : PETSC_FALSE));
    PetscCall(happen(group, t, value));
    if (t == b) PetscCall(RungGroupSave(group, last));
    a     = t;
    whole = t == b ? PETSC_TRUE : PETSC_FALSE;
  }
  if (plan->signalled) PetscCall(end_by_signal(group, inside, whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(RungProblem group)
{
  RungGroup *plan = &group->plan;
  PetscReal *value;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < group->members; ++i)
    PetscCall(RungStepperSetMonitor(group->member[i]->stepper, RUNG_MONITOR_NONE));
  PetscCall(start_members(group));
  plan->done = 0;
  PetscCall(RungGroupLoad(group));
  PetscCall(PetscMalloc1(group->series.n, &value));
  RungCallFinally(go(group, value), PetscCall(PetscFree(value)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGroupSolve(RungProblem group)
{
  PetscFunctionBegin;
  PetscCall(RungSignalsCatch());
  RungCallFinally(solve(group), PetscCall(RungSignalsRelease()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProblemGetState(RungProblem problem, PetscReal *t, const Vec **u)
{
  const RungState *state;

  PetscFunctionBegin;
  if (problem->group) {
    *t = problem->state.t;
    *u = problem->state.u;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungStepperGetState(problem->stepper, 0, &state));
  *t = state->t;
  *u = state->u;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode say_group(RungProblem group)
{
  const RungGroup    *plan = &group->plan;
  const RungMeshData *mesh;
  PetscMPIInt         ranks;
  char                text[4][32];

  PetscFunctionBegin;
  if (group->quiet) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_size(group->comm, &ranks));
  PetscCall(RungMeshGetData(group->mesh, &mesh));
  if (group->title) PetscCall(PetscPrintf(group->comm, "%s\n", group->title));
  PetscCall(PetscPrintf(group->comm,
                        "%" PetscInt_FMT " %s%s, %" PetscInt_FMT " systems, %s in %" PetscInt_FMT
                        " windows of %s, t = %s to %s, %d rank%s\n",
                        mesh->cells_global, RungCellGet(mesh->type)->name, mesh->cells_global == 1 ? "" : "s",
                        group->members, plan->said->arg[0].text, plan->windows,
                        RungNumberText(plan->length, 6, text[0]), RungNumberText(plan->t0, 6, text[1]),
                        RungNumberText(plan->t1, 6, text[2]), ranks, ranks == 1 ? "" : "s"));
  for (PetscInt i = 0; i < group->members; ++i) {
    RungProblem m = group->member[i];
    RungTraits  traits;
    PetscInt    size;
    Vec         u;

    PetscCall(RungSystemGetTraits(m->sys, &traits));
    PetscCall(RungSystemCreateVec(m->sys, &u));
    PetscCall(VecGetSize(u, &size));
    PetscCall(VecDestroy(&u));
    PetscCall(
      PetscPrintf(group->comm, "system %s: %" PetscInt_FMT " values, order %" PetscInt_FMT " in time, %s, dt = %s\n",
                  group->step_name[i + 1], size, traits.order, m->ran, RungNumberText(m->state.dt, 6, text[3])));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode say_events(RungProblem group)
{
  PetscFunctionBegin;
  for (PetscInt e = 0; e < group->happenings; ++e) {
    const RungHappening *h = &group->happening[e];
    char                 text[32];

    PetscCall(PetscPrintf(group->comm, "event %s: %" PetscInt_FMT " time%s", h->said->arg[0].text, h->count,
                          h->count == 1 ? "" : "s"));
    if (h->count) PetscCall(PetscPrintf(group->comm, ", last at t = %s", RungNumberText(h->t[h->count - 1], 12, text)));
    PetscCall(PetscPrintf(group->comm, "%s\n", h->event.stop && h->count >= h->event.stop ? ", it ended the run" : ""));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode say_end(RungProblem group)
{
  PetscFunctionBegin;
  if (group->quiet) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPrintf(group->comm, "%" PetscInt_FMT " windows, %" PetscInt_FMT " solves of a system over a window\n",
                        group->plan.done, group->plan.sweeps));
  PetscCall(say_events(group));
  for (PetscInt i = 0; i < group->members; ++i) {
    RungProblem       m      = group->member[i];
    const RungSeries *series = &m->series;
    char              text[32];

    PetscCall(PetscPrintf(group->comm, "%s: %" PetscInt_FMT " steps to t = %s", group->step_name[i + 1], m->state.steps,
                          RungNumberText(series->t[series->rows - 1], 9, text)));
    for (PetscInt k = 0; k < series->n && k < 8; ++k)
      PetscCall(PetscPrintf(group->comm, ", %s = %s", series->name[k],
                            RungNumberText(series->value[(series->rows - 1) * series->n + k], 9, text)));
    PetscCall(PetscPrintf(group->comm, "%s\n", series->n > 8 ? ", .." : ""));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGroupRun(RungProblem group)
{
  PetscFunctionBegin;
  PetscCall(say_group(group));
  for (PetscInt i = 0; i < group->members; ++i) PetscCall(RungLogWrite(group->member[i]));
  PetscCall(RungErrorStatus(RUNG_EXIT_GAVE_UP));
  PetscCall(RungGroupSolve(group));
  PetscCall(say_end(group));
  if (group->plan.signalled) PetscCall(PetscStrncpy(group->changed, "a signal ended the run", sizeof group->changed));
  for (PetscInt i = 0; i < group->members; ++i) {
    RungProblem m = group->member[i];

    if (group->changed[0]) PetscCall(PetscStrncpy(m->changed, group->changed, sizeof m->changed));
    PetscCall(RungOutcomesTest(m));
    if (!group->changed[0]) PetscCall(PetscStrncpy(group->changed, m->changed, sizeof group->changed));
  }
  PetscCall(RungOutcomesTest(group));
  PetscFunctionReturn(PETSC_SUCCESS);
}
