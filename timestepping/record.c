/* record.c - what a run writes: series for ParaView at given times, and tables (table.c) at each step. */
#include "step_impl.h"

#define SAME 1e-9 /* of a step: an output time this near to a level is the level's */

/* One file has all steps of a run; {step} is for checkpoints. */
static PetscErrorCode refuse_step(RungStepper stepper, const char what[], const char path[])
{
  PetscFunctionBegin;
  PetscCheck(!strstr(path, "{step}"), stepper->comm, PETSC_ERR_ARG_WRONG,
             "%s \"%s\": {step} is the number of a checkpoint's step, and one file has all steps here; leave it away",
             what, path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperAddOutput(RungStepper stepper, const char path[], PetscReal every)
{
  RungNeed(stepper);
  RungOutputRecord output, *end = &stepper->outputs;

  PetscFunctionBegin;
  PetscCheck(!stepper->ready, stepper->comm, PETSC_ERR_ORDER, "an output after the stepper was set up; add it before");
  PetscCheck(!PetscIsInfOrNanReal(every), stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "an output every %g, wanted a period, or 0 for each step", (double)every);
  PetscCall(RungPathCheck(stepper->comm, "an output", path, "out/heat.pvd"));
  PetscCall(refuse_step(stepper, "an output", path));
  PetscCall(PetscNew(&output));
  PetscCall(PetscStrncpy(output->path, path, sizeof output->path));
  output->every = every;
  while (*end) end = &(*end)->link;
  *end = output;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperSetOutputFields(RungStepper stepper, const char list[])
{
  PetscBool some = PETSC_FALSE; /* were added since the last call */

  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCheck(!stepper->ready, stepper->comm, PETSC_ERR_ORDER,
             "fields of an output after the stepper was set up; choose them before");
  PetscCheck(stepper->outputs, stepper->comm, PETSC_ERR_ARG_INCOMP, "output fields \"%s\" without an output; add one",
             list ? list : "");
  for (RungOutputRecord output = stepper->outputs; output; output = output->link) some = some || !output->chosen;
  for (RungOutputRecord output = stepper->outputs; output; output = output->link) {
    if (some && output->chosen) continue;
    PetscCall(PetscFree(output->fields));
    if (list) PetscCall(PetscStrallocpy(list, &output->fields));
    output->chosen = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperAddNumber(RungStepper stepper, const char name[], const char text[])
{
  RungNeed(stepper);
  RungQuantities *q = &stepper->quantities;
  const PetscInt  n = q->numbers;

  PetscFunctionBegin;
  PetscCheck(name && name[0] && text && text[0], stepper->comm, PETSC_ERR_ARG_NULL,
             "a number without a name or a text");
  PetscCheck(!stepper->ready, stepper->comm, PETSC_ERR_ORDER,
             "number \"%s\" after the stepper was set up; add it before", name);
  PetscCall(PetscRealloc((size_t)(n + 1) * sizeof *q->number_name, &q->number_name));
  PetscCall(PetscRealloc((size_t)(n + 1) * sizeof *q->number_text, &q->number_text));
  PetscCall(PetscStrallocpy(name, &q->number_name[n]));
  PetscCall(PetscStrallocpy(text, &q->number_text[n]));
  ++q->numbers;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperFindRecord(RungStepper stepper, const char **kind)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  *kind = stepper->outputs              ? "an output"
          : stepper->tables             ? "a table"
          : stepper->quantities.numbers ? "a number"
          : stepper->restart.save[0]    ? "a checkpoint"
          : stepper->restart.load[0]    ? "a restart"
          : stepper->events.n           ? "an event"
                                        : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperSetOutputSteps(RungStepper stepper, PetscInt steps)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCheck(!stepper->ready, stepper->comm, PETSC_ERR_ORDER,
             "steps of an output after the stepper was set up; choose them before");
  PetscCheck(stepper->outputs, stepper->comm, PETSC_ERR_ARG_INCOMP,
             "an output every %" PetscInt_FMT " steps, but there is no output; add one", steps);
  PetscCheck(steps > 0, stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "an output every %" PetscInt_FMT " steps, wanted a positive number", steps);
  for (RungOutputRecord output = stepper->outputs; output; output = output->link) {
    output->steps = steps;
    output->every = 0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperAddTable(RungStepper stepper, const char path[])
{
  RungNeed(stepper);
  RungTableRecord table, *end = &stepper->tables;
  char            full[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCheck(!stepper->ready, stepper->comm, PETSC_ERR_ORDER, "a table after the stepper was set up; add it before");
  PetscCall(RungPathCheck(stepper->comm, "a table", path, "heat.csv"));
  PetscCall(refuse_step(stepper, "a table", path));
  PetscCall(RungFileComplete(path, ".csv", full));
  for (; *end; end = &(*end)->link)
    PetscCheck(strcmp((*end)->path, full) != 0, stepper->comm, PETSC_ERR_ARG_WRONG,
               "there is a table \"%s\" already; give this one another name", full);
  PetscCall(PetscNew(&table));
  PetscCall(PetscStrncpy(table->path, full, sizeof table->path));
  *end = table;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOutputsDrop(RungStepper stepper)
{
  PetscFunctionBegin;
  while (stepper->outputs) {
    RungOutputRecord next = stepper->outputs->link;

    PetscCall(RungWriterDestroy(&stepper->outputs->writer));
    PetscCall(PetscFree(stepper->outputs->fields));
    PetscCall(PetscFree(stepper->outputs));
    stepper->outputs = next;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTablesDrop(RungStepper stepper)
{
  PetscFunctionBegin;
  while (stepper->tables) {
    RungTableRecord next = stepper->tables->link;

    PetscCall(RungTableForget(stepper->tables));
    PetscCall(PetscFree(stepper->tables));
    stepper->tables = next;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRecordsReset(RungStepper stepper)
{
  PetscFunctionBegin;
  for (RungOutputRecord output = stepper->outputs; output; output = output->link) {
    PetscCall(RungWriterDestroy(&output->writer));
  }
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) PetscCall(VecDestroy(&stepper->interpolated[k]));
  PetscCall(PetscFree(stepper->quantities.value));
  PetscCall(PetscFree(stepper->quantities.integral));
  PetscCall(RungIntegralsReset(stepper));
  PetscCall(PetscFree(stepper->quantities.before));
  for (PetscInt i = 0; stepper->quantities.gauge && i < stepper->quantities.numbers; ++i)
    PetscCall(RungGaugeDestroy(&stepper->quantities.gauge[i]));
  PetscCall(PetscFree(stepper->quantities.gauge));
  PetscCall(PetscFree(stepper->quantities.number));
  stepper->quantities.n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRecordsDestroy(RungStepper stepper)
{
  PetscFunctionBegin;
  PetscCall(RungRecordsReset(stepper));
  for (PetscInt i = 0; i < stepper->quantities.numbers; ++i) {
    PetscCall(PetscFree(stepper->quantities.number_name[i]));
    PetscCall(PetscFree(stepper->quantities.number_text[i]));
  }
  PetscCall(PetscFree(stepper->quantities.number_name));
  PetscCall(PetscFree(stepper->quantities.number_text));
  PetscCall(RungOutputsDrop(stepper));
  PetscCall(RungTablesDrop(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns of tables, and of the logs of events beside them. */
static PetscErrorCode check_columns(RungStepper stepper)
{
  const RungQuantities *q = &stepper->quantities;
  const RungEvents     *e = &stepper->events;
  const char          **name;
  PetscInt              n = 0;

  PetscFunctionBegin;
  if (!stepper->tables) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(e->n + q->n + q->numbers, &name));
  for (PetscInt i = 0; i < e->n; ++i) name[n++] = e->event[i].name;
  for (PetscInt i = 0; i < q->n; ++i) name[n++] = q->name[i];
  for (PetscInt i = 0; i < q->numbers; ++i) name[n++] = q->number_name[i];
  RungCallFinally(RungColumnsCheck(stepper->comm, n, name), PetscCall(PetscFree(name)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a run would write over is known before it, not at its end. */
static PetscErrorCode check_tables(RungStepper stepper)
{
  char        picture[PETSC_MAX_PATH_LEN], why[256] = "";
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(stepper->comm, &rank));
  PetscCall(RungStatisticsCheck(stepper));
  for (RungTableRecord table = stepper->tables; table; table = table->link) {
    PetscCall(RungFileCheck(stepper->comm, "the table", table->path, RUNG_FILE_TABLE));
    PetscCall(RungTablePicture(table, picture));
    table->barred = (PetscBool)(!rank && !RungFileIsOurs(picture, RUNG_FILE_PICTURE, why, sizeof why));
    if (table->barred)
      PetscCall(RungNotice(PETSC_COMM_SELF,
                           "the table \"%s\" will have no picture \"%s\": %s; move it away to have one", table->path,
                           picture, why));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Outputs between steps are as many as the interval has periods. */
static PetscErrorCode check_period(RungStepper stepper, RungOutputRecord output)
{
  const PetscReal length = stepper->t1 - stepper->t0;

  PetscFunctionBegin;
  PetscCheck(output->every <= 0 || length / output->every < RUNG_MOST_OUTPUTS, stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "output \"%s\" every %g from %g to %g would be written %g times, wanted fewer than %g; take a longer "
             "-stepper_output_every",
             output->path, (double)output->every, (double)stepper->t0, (double)stepper->t1,
             (double)(length / output->every), (double)RUNG_MOST_OUTPUTS);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers know the quantities, and the numbers before them. */
static PetscErrorCode make_numbers(RungStepper stepper)
{
  RungQuantities *q = &stepper->quantities;
  char            label[RUNG_NAME_LENGTH + 64];

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(q->numbers, &q->gauge));
  PetscCall(PetscCalloc1(q->numbers, &q->number));
  for (PetscInt i = 0; i < q->numbers; ++i) {
    PetscCall(PetscSNPrintf(label, sizeof label, "number %s", q->number_name[i]));
    PetscCall(
      RungGaugeCreate(stepper->sys, label, q->number_text[i], i, (const char *const *)q->number_name, &q->gauge[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNumbersEvaluate(const RungQuantities *q, PetscReal t, PetscReal value[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < q->numbers; ++i) PetscCall(RungGaugeEvaluate(q->gauge[i], t, value, &value[q->n + i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode begin_series(RungStepper stepper, RungOutputRecord output)
{
  PetscFunctionBegin;
  PetscCall(RungWriterDestroy(&output->writer));
  PetscCall(RungWriterCreate(stepper->sys, output->path, &output->writer));
  if (output->fields) PetscCall(RungWriterSetFields(output->writer, output->fields));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRecordsSetUp(RungStepper stepper)
{
  RungQuantities *q = &stepper->quantities;

  PetscFunctionBegin;
  PetscCall(check_tables(stepper));
  for (RungOutputRecord output = stepper->outputs; output; output = output->link) {
    PetscCall(check_period(stepper, output));
    PetscCall(begin_series(stepper, output));
  }
  for (PetscInt k = 0; k <= stepper->traits.order && stepper->outputs; ++k) {
    PetscCall(RungSystemCreateVec(stepper->sys, &stepper->interpolated[k]));
  }
  PetscCall(RungSystemGetQuantities(stepper->sys, &q->n, &q->name, &q->rate));
  PetscCall(check_columns(stepper));
  PetscCall(PetscCalloc1(q->n, &q->value));
  PetscCall(PetscCalloc1(q->n, &q->integral));
  PetscCall(PetscCalloc1(q->n, &q->before));
  q->t      = NAN;
  q->always = stepper->tables ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt i = 0; i < q->n; ++i) {
    if (q->rate[i]) q->always = PETSC_TRUE;
  }
  PetscCall(RungIntegralsSetUp(stepper));
  PetscCall(make_numbers(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- series ----------------------------------------------------------------------------------------------------- */

static PetscReal time_of(RungStepper stepper, RungOutputRecord output)
{
  const PetscReal t = stepper->t0 + (PetscReal)output->next * output->every;

  return t < stepper->t1 ? t : stepper->t1;
}

PetscReal RungOutputsNext(RungStepper stepper, PetscReal t)
{
  PetscReal next = stepper->t1;

  for (RungOutputRecord output = stepper->outputs; output; output = output->link)
    if (output->every > 0 && !output->steps && time_of(stepper, output) > t)
      next = PetscMin(next, time_of(stepper, output));
  return next;
}

PetscErrorCode RungMissingAdd(MPI_Comm comm, RungMissing *missing, const char kind[], const char path[], PetscReal t,
                              const char why[])
{
  PetscFunctionBegin;
  if (missing->n++) PetscFunctionReturn(PETSC_SUCCESS);
  missing->t = t;
  PetscCall(PetscStrncpy(missing->why, why, sizeof missing->why));
  PetscCall(RungWarning(comm, "a %s of \"%s\" at t = %g is not written: %s; the run goes on without it", kind, path,
                        (double)t, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMissingTell(MPI_Comm comm, const RungMissing *missing, const char kind[], const char path[])
{
  PetscFunctionBegin;
  if (missing->n)
    PetscCall(RungIncomplete(comm, "\"%s\" lacks %" PetscInt_FMT " %s%s, the first of t = %g: %s", path, missing->n,
                             kind, missing->n == 1 ? "" : "s", (double)missing->t, missing->why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_time(RungStepper stepper, RungOutputRecord output, PetscReal t, const Vec u[])
{
  PetscBool written;
  char      why[256] = "";

  PetscFunctionBegin;
  PetscCall(RungWriterTry(output->writer, t, u, &written, why, sizeof why));
  if (written) {
    ++output->times;
    output->last = t;
  } else
    PetscCall(RungMissingAdd(stepper->comm, &output->missing, "time", output->path, t, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_between(RungStepper stepper, RungOutputRecord output, PetscReal t)
{
  PetscFunctionBegin;
  PetscCall(RungStepperInterpolate(stepper, t, stepper->interpolated));
  PetscCall(write_time(stepper, output, t, stepper->interpolated));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every so many accepted steps, and the last one. */
static PetscBool is_due(RungStepper stepper, RungOutputRecord output, PetscReal t)
{
  return (PetscBool)(!output->steps || stepper->statistics.steps % output->steps == 0 || t >= stepper->t1);
}

/* All times of this output up to level 0; the last of all is t1.  A signal ends them: a step may have thousands. */
static PetscErrorCode write_due(RungStepper stepper, RungOutputRecord output)
{
  const RungState *from, *to;
  PetscReal        near;
  PetscBool        none = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemPeekState(stepper->ts, 0, &to));
  PetscCall(RungTransientSystemPeekState(stepper->ts, 1, &from));
  if (!is_due(stepper, output, to->t)) PetscFunctionReturn(PETSC_SUCCESS);
  near = SAME * (to->t - from->t);
  while (output->every > 0 && time_of(stepper, output) < to->t - near) {
    PetscCall(RungSignalsAgree(stepper->comm, &none, &stepper->signal));
    if (stepper->signal) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(write_between(stepper, output, PetscMax(from->t, time_of(stepper, output))));
    ++output->next;
  }
  if (output->every <= 0 || time_of(stepper, output) <= to->t + near) {
    PetscCall(RungTransientSystemGetState(stepper->ts, 0, &to));
    PetscCall(write_time(stepper, output, to->t, to->u));
    ++output->next;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After a signal a series ends with the state that the run ends with; times that it has come in between of are left out. */
static PetscErrorCode finish_series(RungStepper stepper, RungOutputRecord output)
{
  const RungState *state;
  PetscReal        next;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  next = output->every > 0 ? time_of(stepper, output) : state->t;
  if (stepper->signal && next < state->t && output->last < next)
    PetscCall(RungNotice(stepper->comm, "the series \"%s\" has no times from t = %g on, where %s came, to t = %g",
                         output->path, (double)next, RungSignalName(stepper->signal), (double)state->t));
  if ((stepper->signal || stepper->events.stopped) && !(output->last >= state->t))
    PetscCall(write_time(stepper, output, state->t, state->u));
  PetscCall(RungMissingTell(stepper->comm, &output->missing, "time", output->path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a run ------------------------------------------------------------------------------------------------------ */

static void forget_times(RungOutputRecord output)
{
  output->times     = 0;
  output->last      = NAN;
  output->missing.n = 0;
}

/* Where a former run of the stepper has written the level it is written once. */
PetscErrorCode RungRecordsStart(RungStepper stepper, PetscBool on)
{
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  PetscCall(RungQuantitiesStart(stepper, on));
  for (RungOutputRecord output = stepper->outputs; output; output = output->link) {
    const PetscReal last = output->last;

    if (stepper->begun && !on) PetscCall(begin_series(stepper, output));
    forget_times(output);
    if (on && last >= state->t)
      output->last = last;
    else
      PetscCall(write_time(stepper, output, state->t, state->u));
    output->next = 1;
  }
  for (RungTableRecord table = stepper->tables; table; table = table->link) {
    if (on)
      PetscCall(RungTableResume(stepper, table, state->t));
    else {
      PetscCall(RungTableOpen(stepper, table));
      PetscCall(RungTableRow(stepper, table, state->t));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first time of an output that comes after a level, counted as write_due() does. */
static void find_next(RungStepper stepper, RungOutputRecord output, PetscReal t, PetscReal h)
{
  output->next = 1;
  while (output->every > 0 && time_of(stepper, output) < stepper->t1 && time_of(stepper, output) <= t + SAME * h)
    ++output->next;
}

/* Times up to the level stay, but for a level that is in the series because a signal has ended the run there. */
static PetscReal last_kept(RungStepper stepper, RungOutputRecord output, PetscReal t, PetscReal h)
{
  const PetscReal due = stepper->t0 + (PetscReal)(output->next - 1) * output->every;

  if (output->every > 0 && due < t - SAME * h) return due + SAME * h;
  if (!is_due(stepper, output, t)) return t - SAME * h;
  return RungEventsPending(stepper) ? t : t + SAME * h; /* what an event makes of the level is written again */
}

PetscErrorCode RungRecordsResume(RungStepper stepper)
{
  const RungState *to, *from;
  PetscInt         levels;
  PetscReal        h = stepper->dt;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &to));
  PetscCall(RungTransientSystemGetLevels(stepper->ts, &levels));
  if (levels > 1) {
    PetscCall(RungTransientSystemGetState(stepper->ts, 1, &from));
    h = to->t - from->t;
  }
  PetscCall(RungQuantitiesResume(stepper));
  for (RungOutputRecord output = stepper->outputs; output; output = output->link) {
    if (stepper->begun) PetscCall(begin_series(stepper, output));
    forget_times(output);
    find_next(stepper, output, to->t, h);
    PetscCall(RungWriterResume(output->writer, last_kept(stepper, output, to->t, h)));
  }
  for (RungTableRecord table = stepper->tables; table; table = table->link)
    PetscCall(RungTableResume(stepper, table, to->t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRecordsStep(RungStepper stepper)
{
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemPeekState(stepper->ts, 0, &state));
  PetscCall(RungQuantitiesStep(stepper));
  for (RungOutputRecord output = stepper->outputs; output; output = output->link) PetscCall(write_due(stepper, output));
  for (RungTableRecord table = stepper->tables; table; table = table->link)
    PetscCall(RungTableRow(stepper, table, state->t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of what an event has made of level 0, and in series that have the level a next time, the nearest number behind it. */
PetscErrorCode RungRecordsJump(RungStepper stepper)
{
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  if (stepper->tables) PetscCall(RungQuantitiesUpdate(stepper));
  for (RungTableRecord table = stepper->tables; table; table = table->link)
    PetscCall(RungTableRow(stepper, table, state->t));
  for (RungOutputRecord output = stepper->outputs; output; output = output->link) {
    if (output->last == state->t) PetscCall(write_time(stepper, output, nextafter(state->t, PETSC_INFINITY), state->u));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRecordsFinish(RungStepper stepper)
{
  PetscFunctionBegin;
  for (RungOutputRecord output = stepper->outputs; output; output = output->link)
    PetscCall(finish_series(stepper, output));
  for (RungTableRecord table = stepper->tables; table; table = table->link) PetscCall(RungTableFinish(stepper, table));
  PetscCall(RungEventsLogFinish(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRecordsTellOpen(RungStepper stepper)
{
  PetscFunctionBegin;
  for (RungTableRecord table = stepper->tables; table; table = table->link)
    PetscCall(RungTableTellOpen(stepper, table));
  PetscFunctionReturn(PETSC_SUCCESS);
}
