/* group_file.c - checkpoints of several systems: a file for each, NAME_SYSTEM.h5, with the states of the last two windows that were
   saved, so that whatever moment a run is killed at all files have one of them. */
#include "reader_impl.h"
#include <stdio.h>

static PetscErrorCode find_statement(RungProblem group, const char word[], RungStatement **s)
{
  PetscFunctionBegin;
  *s = NULL;
  for (PetscInt i = 0; i < group->statements; ++i) {
    if (!strcmp(group->statement[i].word->word, word)) *s = &group->statement[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "dir/run" and member "heat": "dir/run_heat.h5" */
static void make_path(RungProblem member, const char stem[], char path[PETSC_MAX_PATH_LEN])
{
  const size_t n     = strlen(stem);
  const int    plain = (int)(n > 3 && !strcmp(stem + n - 3, ".h5") ? n - 3 : n);

  (void)snprintf(path, PETSC_MAX_PATH_LEN, "%.*s_%s.h5", plain, stem, member->step_name[member->step]);
}

/* One of the two states of a file; which: "now" or "before". */
static PetscErrorCode put_state(RungProblem member, RungCheckpoint file, const char which[], PetscInt window,
                                const Vec u[])
{
  char name[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof name, "window %s", which));
  PetscCall(RungCheckpointPutInt(file, name, window));
  for (PetscInt k = 0; k <= member->state.order; ++k) {
    PetscCall(PetscSNPrintf(name, sizeof name, "%s%" PetscInt_FMT, which, k));
    PetscCall(RungCheckpointPutVec(file, name, u[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Times of events, and the constants that they change: of now, and as they were saved before. */
static PetscErrorCode put_events(RungProblem group, RungCheckpoint file, const RungSaved *saved)
{
  char name[160];

  PetscFunctionBegin;
  for (PetscInt e = 0; e < group->happenings; ++e) {
    const RungHappening *h = &group->happening[e];

    PetscCall(PetscSNPrintf(name, sizeof name, "times of %.64s", h->said->arg[0].text));
    PetscCall(RungCheckpointPutInt(file, name, h->count));
    for (PetscInt k = 0; k < h->count; ++k) {
      PetscCall(PetscSNPrintf(name, sizeof name, "time %" PetscInt_FMT " of %.64s", k, h->said->arg[0].text));
      PetscCall(RungCheckpointPutReal(file, name, h->t[k]));
    }
  }
  for (PetscInt i = 0; i < group->consequences; ++i) {
    const char *constant;
    PetscReal   value;

    PetscCall(RungChangeGetConstant(group->consequence[i].change, &constant, &value));
    if (!constant) continue;
    PetscCall(PetscSNPrintf(name, sizeof name, "constant now %" PetscInt_FMT, i));
    PetscCall(RungCheckpointPutReal(file, name, value));
    PetscCall(PetscSNPrintf(name, sizeof name, "constant before %" PetscInt_FMT, i));
    if (saved->constant) PetscCall(RungCheckpointPutReal(file, name, saved->constant[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_all(RungProblem member, RungCheckpoint file, PetscBool before)
{
  RungSaved *saved = &member->saved;

  PetscFunctionBegin;
  PetscCall(RungCheckpointPutReal(file, "window length", member->group->plan.length));
  PetscCall(RungCheckpointPutInt(file, "states", before ? 2 : 1));
  PetscCall(put_state(member, file, "now", member->group->plan.done, member->state.u));
  if (before) PetscCall(put_state(member, file, "before", saved->window, saved->u));
  if (member == member->group->member[0]) PetscCall(put_events(member->group, file, saved));
  for (PetscInt i = 0; i < member->carry.sums; ++i) {
    char name[160];

    PetscCall(PetscSNPrintf(name, sizeof name, "sum now %.100s", member->carry.name[i]));
    PetscCall(RungCheckpointPutReal(file, name, member->carry.sum[i]));
    PetscCall(PetscSNPrintf(name, sizeof name, "sum before %.100s", member->carry.name[i]));
    if (before) PetscCall(RungCheckpointPutReal(file, name, saved->sum[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What was saved is what the next file has as "before". */
static PetscErrorCode remember(RungProblem member)
{
  RungSaved *saved = &member->saved;

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= member->state.order; ++k) {
    if (!saved->u[k]) PetscCall(VecDuplicate(member->state.u[k], &saved->u[k]));
    PetscCall(VecCopy(member->state.u[k], saved->u[k]));
  }
  PetscCall(PetscRealloc((size_t)(member->carry.sums + 1) * sizeof *saved->sum, &saved->sum));
  PetscCall(PetscArraycpy(saved->sum, member->carry.sum, member->carry.sums));
  PetscCall(PetscRealloc((size_t)(member->group->consequences + 1) * sizeof *saved->constant, &saved->constant));
  for (PetscInt i = 0; i < member->group->consequences; ++i) {
    const char *constant;

    PetscCall(RungChangeGetConstant(member->group->consequence[i].change, &constant, &saved->constant[i]));
  }
  saved->window = member->group->plan.done;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode save_member(RungProblem member, const char stem[])
{
  const PetscBool     before = member->saved.u[0] ? PETSC_TRUE : PETSC_FALSE;
  char                path[PETSC_MAX_PATH_LEN];
  RungCheckpoint      file;
  RungTransientSystem ts;

  PetscFunctionBegin;
  make_path(member, stem, path);
  PetscCall(RungCheckpointCreate(member->sys, path, &file));
  RungCallOrUndo(put_all(member, file, before), PetscCall(RungCheckpointClose(&file)));
  PetscCall(RungCheckpointSeal(&file));
  PetscCall(remember(member));
  PetscCall(RungStepperGetTransientSystem(member->stepper, &ts));
  PetscCall(RungTransientSystemForgetKept(ts)); /* what follows has the bits of a run that goes on from the file */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGroupSave(RungProblem group, PetscBool last)
{
  RungStatement *s;
  PetscInt       every = 0;
  PetscBool      good  = PETSC_TRUE;
  char           path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(find_statement(group, "checkpoint", &s));
  if (!s || !group->folder[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungGetInt(group, s, 1, &every, &good));
  if (!last && (every < 1 || group->plan.done % every)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungGetFile(group, s, 0, ".h5", path, sizeof path, &good));
  for (PetscInt i = 0; i < group->members; ++i) PetscCall(save_member(group->member[i], path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- restart -------------------------------------------------------------------------------------------------------- */

/* The windows that a file has: now, and before, -1 where there is none. */
static PetscErrorCode read_windows(RungProblem member, RungCheckpoint file, PetscInt window[2])
{
  PetscReal length;
  PetscInt  states;

  PetscFunctionBegin;
  window[1] = -1;
  PetscCall(RungCheckpointGetReal(file, "window length", &length));
  PetscCheck(PetscAbsReal(length - member->group->plan.length) <= 1e-10 * length, member->comm,
             PETSC_ERR_FILE_UNEXPECTED, "the checkpoint is of windows of %.17g, this run has windows of %.17g",
             (double)length, (double)member->group->plan.length);
  PetscCall(RungCheckpointGetInt(file, "states", &states));
  PetscCall(RungCheckpointGetInt(file, "window now", &window[0]));
  if (states > 1) PetscCall(RungCheckpointGetInt(file, "window before", &window[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_state(RungProblem member, RungCheckpoint file, const char which[])
{
  const RungSeries *series = &member->series;
  char              name[160];

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= member->state.order; ++k) {
    PetscCall(PetscSNPrintf(name, sizeof name, "%s%" PetscInt_FMT, which, k));
    PetscCall(RungCheckpointGetVec(file, name, member->state.u[k]));
  }
  for (PetscInt i = 0; i < series->quantities; ++i) {
    PetscReal sum = 0;
    PetscBool has;

    if (!series->rate[i]) continue;
    PetscCall(PetscSNPrintf(name, sizeof name, "sum %s %.100s", which, series->name[i]));
    PetscCall(RungCheckpointHas(file, name, &has));
    if (has) PetscCall(RungCheckpointGetReal(file, name, &sum));
    PetscCall(RungCarryPutSum(&member->carry, series->name[i], sum));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Events up to the time that a run goes on from. */
static PetscErrorCode get_events(RungProblem group, RungCheckpoint file, const char which[], PetscReal t)
{
  char name[160];

  PetscFunctionBegin;
  for (PetscInt e = 0; e < group->happenings; ++e) {
    RungHappening *h = &group->happening[e];
    PetscInt       n;
    PetscReal      one;

    PetscCall(PetscSNPrintf(name, sizeof name, "times of %.64s", h->said->arg[0].text));
    PetscCall(RungCheckpointGetInt(file, name, &n));
    PetscCall(PetscRealloc((size_t)(n + 1) * sizeof *h->t, &h->t));
    h->room  = n + 1;
    h->count = 0;
    for (PetscInt k = 0; k < n; ++k) {
      PetscCall(PetscSNPrintf(name, sizeof name, "time %" PetscInt_FMT " of %.64s", k, h->said->arg[0].text));
      PetscCall(RungCheckpointGetReal(file, name, &one));
      if (one <= t) h->t[h->count++] = one;
    }
  }
  for (PetscInt i = 0; i < group->consequences; ++i) {
    const RungConsequence *c = &group->consequence[i];
    const char            *constant;
    PetscReal              value;

    PetscCall(RungChangeGetConstant(c->change, &constant, NULL));
    if (!constant) continue;
    PetscCall(PetscSNPrintf(name, sizeof name, "constant %s %" PetscInt_FMT, which, i));
    PetscCall(RungCheckpointGetReal(file, name, &value));
    PetscCall(RungSystemSetConstant(c->member->sys, constant, value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a file has of a window: the state, and of the first member the events. */
static PetscErrorCode get_all(RungProblem member, RungCheckpoint file, const char which[], PetscInt window)
{
  const RungGroup *plan = &member->group->plan;

  PetscFunctionBegin;
  PetscCall(get_state(member, file, which));
  if (member == member->group->member[0])
    PetscCall(get_events(member->group, file, which,
                         window == plan->windows ? plan->t1 : plan->t0 + (PetscReal)window * plan->length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Opens a member's file; window 0: looks which it has, else reads that one. */
static PetscErrorCode read_member(RungProblem member, const char stem[], PetscInt window, PetscInt has[2])
{
  char           path[PETSC_MAX_PATH_LEN];
  RungCheckpoint file;

  PetscFunctionBegin;
  make_path(member, stem, path);
  PetscCall(RungCheckpointOpen(member->sys, path, PETSC_FALSE, &file));
  RungCallOrUndo(read_windows(member, file, has), PetscCall(RungCheckpointClose(&file)));
  if (window)
    RungCallOrUndo(get_all(member, file, has[0] == window ? "now" : "before", window),
                   PetscCall(RungCheckpointClose(&file)));
  PetscCall(RungCheckpointClose(&file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGroupLoad(RungProblem group)
{
  RungStatement *s;
  char           path[PETSC_MAX_PATH_LEN];
  PetscInt       has[2], window = PETSC_MAX_INT;

  PetscFunctionBegin;
  PetscCall(find_statement(group, "restart", &s));
  if (!s || !group->running) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungPathBeside(group, s, s->arg[0].text, path, sizeof path));
  for (PetscInt i = 0; i < group->members; ++i) { /* the newest window that all have */
    PetscCall(read_member(group->member[i], path, 0, has));
    window = PetscMin(window, has[0]);
  }
  for (PetscInt i = 0; i < group->members; ++i) {
    PetscCall(read_member(group->member[i], path, window, has));
    PetscCheck(has[0] == window || has[1] == window, group->comm, PETSC_ERR_FILE_UNEXPECTED,
               "checkpoint \"%s\" of system %s is of windows %" PetscInt_FMT " and %" PetscInt_FMT
               ", that of another system of window %" PetscInt_FMT ": they are not of one run",
               path, group->step_name[i + 1], has[1], has[0], window);
  }
  PetscCheck(window <= group->plan.windows, group->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "the checkpoint is of window %" PetscInt_FMT ", the run ends after %" PetscInt_FMT, window,
             group->plan.windows);
  group->plan.done = window;
  PetscCall(PetscStrncpy(group->changed, "the run began at a checkpoint", sizeof group->changed));
  PetscFunctionReturn(PETSC_SUCCESS);
}
