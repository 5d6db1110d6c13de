/* group_run.c - a run of several systems: its records, its errors, what is said of it. */
#include "reader_impl.h"

#include <rungbinding.h>

/* A row of each system's columns, and of all together. */
static PetscErrorCode record(RungCoupling coupling, PetscReal t, PetscBool again, const PetscReal value[], void *ctx)
{
  RungProblem       group  = ctx;
  const RungSeries *series = &group->series;

  (void)coupling;
  PetscFunctionBegin;
  if (!again && series->rows && t <= series->t[series->rows - 1]) /* a checkpoint has brought the row */
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSeriesPutAll(group, t, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "system NAME: .." of a system's solve has its place in the file. */
static PetscErrorCode raise_at(RungProblem group, RungCaught *caught)
{
  char message[RUNG_MISTAKE_SIZE];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < group->members; ++i) {
    const char  *name = group->step_name[i + 1];
    const size_t n    = strlen(name);

    if (strncmp(caught->message, "system ", 7) != 0 || strncmp(caught->message + 7, name, n) != 0 ||
        strncmp(caught->message + 7 + n, ": ", 2) != 0)
      continue;
    memmove(caught->message, caught->message + n + 9, strlen(caught->message + n + 9) + 1);
    PetscCall(RungPlaceMessage(group->member[i], caught, message));
    SETERRQ(PETSC_COMM_SELF, caught->code, "system %s: %s", name, message);
  }
  SETERRQ(PETSC_COMM_SELF, caught->code, "%s", caught->message);
}

PetscErrorCode RungGroupSolve(RungProblem group)
{
  const RungKeeper keeper = RungSeriesKeeper(group);
  RungCaught       caught;

  PetscFunctionBegin;
  group->series.keep = group->series.keep || keeper.save ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(RungCouplingSetKeeper(group->coupling, &keeper));
  PetscCall(RungCouplingAddMonitor(group->coupling, record, group));
  RungCatch(&caught, RungCouplingSolve(group->coupling));
  if (caught.code) PetscCall(RungStatusOfSolve(group, caught.code));
  if (caught.code) PetscCall(raise_at(group, &caught));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProblemGetState(RungProblem problem, PetscReal *t, const Vec **u)
{
  const RungState *state;

  PetscFunctionBegin;
  if (problem->group) {
    PetscCall(RungCouplingGetState(problem->group->coupling, problem->step_name[problem->step], t, u));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (problem->fixed.said) { /* what a step without time has found */
    *t = problem->fixed.t;
    *u = problem->carry.u;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungStepperGetState(problem->stepper, 0, &state));
  *t = state->t;
  *u = state->u;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is said of a run ------------------------------------------------------------------------------------------ */

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
                        RungNumberText(plan->length, 6, text[0]), RungNumberText(plan->t0, 10, text[1]),
                        RungNumberText(plan->t1, 10, text[2]), ranks, ranks == 1 ? "" : "s"));
  for (PetscInt i = 0; i < group->members; ++i) {
    RungProblem m = group->member[i];
    RungTraits  traits;
    PetscInt    size;
    PetscReal   dt;
    Vec         u;

    PetscCall(RungStepperGetInterval(m->stepper, NULL, NULL, &dt));
    PetscCall(RungSystemGetTraits(m->sys, &traits));
    PetscCall(RungSystemCreateVec(m->sys, &u));
    PetscCall(VecGetSize(u, &size));
    PetscCall(VecDestroy(&u));
    PetscCall(PetscPrintf(group->comm,
                          "system %s: %" PetscInt_FMT " values, order %" PetscInt_FMT " in time, %s, dt = %s\n",
                          group->step_name[i + 1], size, traits.order, m->ran, RungNumberText(dt, 6, text[3])));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of the systems in their order, then those of all, as the coupling has them. */
static PetscErrorCode say_event(RungProblem problem, const RungStatement *s)
{
  RungProblem      group = problem->group ? problem->group : problem;
  RungEvent        event;
  PetscInt         n;
  const PetscReal *t;
  PetscBool        good = PETSC_TRUE;
  char             text[32];

  PetscFunctionBegin;
  PetscCall(RungGetEvent(problem, s, &event, &good));
  PetscCall(RungCouplingGetEvent(group->coupling, s->arg[0].text, &n, &t));
  PetscCall(PetscPrintf(group->comm, "event %s: %" PetscInt_FMT " time%s", s->arg[0].text, n, n == 1 ? "" : "s"));
  if (n) PetscCall(PetscPrintf(group->comm, ", last at t = %s", RungNumberText(t[n - 1], 12, text)));
  PetscCall(PetscPrintf(group->comm, "%s\n", event.stop && n >= event.stop ? ", it ended the run" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode say_events(RungProblem group)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k <= group->members; ++k) {
    RungProblem problem = k < group->members ? group->member[k] : group;

    for (PetscInt i = 0; i < group->statements; ++i) {
      if (RungIs(problem, i, "event")) PetscCall(say_event(problem, &group->statement[i]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode say_end(RungProblem group)
{
  RungCouplingStatistics statistics;

  PetscFunctionBegin;
  if (group->quiet) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungCouplingGetStatistics(group->coupling, NULL, &statistics));
  PetscCall(PetscPrintf(group->comm, "%" PetscInt_FMT " windows, %" PetscInt_FMT " solves of a system over a window\n",
                        statistics.windows, statistics.solves));
  PetscCall(say_events(group));
  for (PetscInt i = 0; i < group->members; ++i) {
    RungProblem       m      = group->member[i];
    const RungSeries *series = &m->series;
    char              text[32];

    PetscCall(RungCouplingGetStatistics(group->coupling, group->step_name[i + 1], &statistics));
    PetscCall(PetscPrintf(group->comm, "%s: %" PetscInt_FMT " steps to t = %s", group->step_name[i + 1],
                          statistics.steps, RungNumberText(series->t[series->rows - 1], 10, text)));
    for (PetscInt k = 0; k < series->n && k < 8; ++k)
      PetscCall(PetscPrintf(group->comm, ", %s = %s", series->name[k],
                            RungNumberText(series->value[(series->rows - 1) * series->n + k], 9, text)));
    PetscCall(PetscPrintf(group->comm, "%s\n", series->n > 8 ? ", .." : ""));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGroupRun(RungProblem group)
{
  RungStepperReason reason;

  PetscFunctionBegin;
  PetscCall(say_group(group));
  for (PetscInt i = 0; i < group->members; ++i) PetscCall(RungLogWrite(group->member[i]));
  PetscCall(RungErrorStatus(RUNG_EXIT_GAVE_UP));
  PetscCall(RungGroupSolve(group));
  PetscCall(say_end(group));
  PetscCall(RungCouplingGetReason(group->coupling, &reason));
  if (reason == RUNG_STEPPER_SIGNALLED)
    PetscCall(PetscStrncpy(group->changed, "a signal ended the run", sizeof group->changed));
  for (PetscInt i = 0; i < group->members; ++i) {
    RungProblem m = group->member[i];

    if (group->changed[0]) PetscCall(PetscStrncpy(m->changed, group->changed, sizeof m->changed));
    PetscCall(RungOutcomesTest(m));
    if (!group->changed[0]) PetscCall(PetscStrncpy(group->changed, m->changed, sizeof group->changed));
  }
  PetscCall(RungOutcomesTest(group));
  PetscFunctionReturn(PETSC_SUCCESS);
}
