/* record.c - what a run writes: series for ParaView at given times, and tables (table.c) at each step. */
#include "step_impl.h"

#define SAME         1e-9 /* of a step: an output time this near to a level is the level's */
#define MOST_OUTPUTS 1e6  /* of one series: its pieces are files with six digits in their names */

PetscErrorCode RungStepperAddOutput(RungStepper stepper, const char path[], PetscReal every)
{
  RungNeed(stepper);
  RungOutputRecord output, *end = &stepper->outputs;

  PetscFunctionBegin;
  PetscCheck(!stepper->ready, stepper->comm, PETSC_ERR_ORDER, "an output after the stepper was set up; add it before");
  PetscCheck(!PetscIsInfOrNanReal(every), stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "an output every %g, wanted a period, or 0 for each step", (double)every);
  PetscCall(RungPathCheck(stepper->comm, "an output", path, "out/heat.pvd"));
  PetscCall(PetscNew(&output));
  PetscCall(PetscStrncpy(output->path, path, sizeof output->path));
  output->every = every;
  while (*end) end = &(*end)->link;
  *end = output;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperSetOutputFields(RungStepper stepper, const char list[])
{
  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCheck(!stepper->ready, stepper->comm, PETSC_ERR_ORDER,
             "fields of an output after the stepper was set up; choose them before");
  PetscCheck(stepper->outputs, stepper->comm, PETSC_ERR_ARG_INCOMP, "output fields \"%s\" without an output; add one",
             list);
  for (RungOutputRecord output = stepper->outputs; output; output = output->link) {
    PetscCall(PetscFree(output->fields));
    PetscCall(PetscStrallocpy(list, &output->fields));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperSetLastOutputFields(RungStepper stepper, const char list[])
{
  RungNeed(stepper);
  RungOutputRecord output = stepper->outputs;

  PetscFunctionBegin;
  PetscCheck(!stepper->ready && output, stepper->comm, PETSC_ERR_ORDER,
             "fields of an output: before the stepper is set up and behind the output");
  while (output->link) output = output->link;
  PetscCall(PetscFree(output->fields));
  PetscCall(PetscStrallocpy(list, &output->fields));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperSetNumbers(RungStepper stepper, PetscInt n, const char *const names[], RungNumbersFn *fn,
                                     void *ctx)
{
  RungQuantities *q = &stepper->quantities;

  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCheck(!stepper->ready && !q->numbers, stepper->comm, PETSC_ERR_ORDER,
             "numbers of a table: once, before the stepper is set up");
  PetscCall(PetscCalloc1(n, &q->number_name));
  for (PetscInt i = 0; i < n; ++i) PetscCall(PetscStrallocpy(names[i], &q->number_name[i]));
  PetscCall(PetscCalloc1(n, &q->number));
  q->numbers = n;
  q->make    = fn;
  q->ctx     = ctx;
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
  PetscCall(PetscFree(stepper->quantities.before));
  stepper->quantities.n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRecordsDestroy(RungStepper stepper)
{
  PetscFunctionBegin;
  PetscCall(RungRecordsReset(stepper));
  for (PetscInt i = 0; i < stepper->quantities.numbers; ++i) PetscCall(PetscFree(stepper->quantities.number_name[i]));
  PetscCall(PetscFree(stepper->quantities.number_name));
  PetscCall(PetscFree(stepper->quantities.number));
  PetscCall(RungOutputsDrop(stepper));
  PetscCall(RungTablesDrop(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a run would write over is known before it, not at its end. */
static PetscErrorCode check_tables(RungStepper stepper)
{
  char        picture[PETSC_MAX_PATH_LEN], why[256] = "";
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(stepper->comm, &rank));
  for (RungTableRecord table = stepper->tables; table; table = table->link) {
    PetscCall(RungFileCheck(stepper->comm, "the table", table->path, RUNG_FILE_TABLE));
    PetscCall(RungTablePicture(table, picture));
    if (!rank && !RungFileIsOurs(picture, RUNG_FILE_PICTURE, why, sizeof why))
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
  PetscCheck(output->every <= 0 || length / output->every < MOST_OUTPUTS, stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "output \"%s\" every %g from %g to %g would be written %g times, wanted fewer than %g; take a longer "
             "-stepper_output_every",
             output->path, (double)output->every, (double)stepper->t0, (double)stepper->t1,
             (double)(length / output->every), (double)MOST_OUTPUTS);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRecordsSetUp(RungStepper stepper)
{
  RungQuantities *q = &stepper->quantities;

  PetscFunctionBegin;
  PetscCall(check_tables(stepper));
  for (RungOutputRecord output = stepper->outputs; output; output = output->link) {
    PetscCall(check_period(stepper, output));
    PetscCall(RungWriterCreate(stepper->sys, output->path, &output->writer));
    if (output->fields) PetscCall(RungWriterSetFields(output->writer, output->fields));
  }
  for (PetscInt k = 0; k <= stepper->traits.order && stepper->outputs; ++k) {
    PetscCall(RungSystemCreateVec(stepper->sys, &stepper->interpolated[k]));
  }
  PetscCall(RungSystemGetQuantities(stepper->sys, &q->n, &q->name, &q->rate));
  PetscCall(PetscCalloc1(q->n, &q->value));
  PetscCall(PetscCalloc1(q->n, &q->integral));
  PetscCall(PetscCalloc1(q->n, &q->before));
  q->t      = NAN;
  q->always = stepper->tables ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt i = 0; i < q->n; ++i) {
    if (q->rate[i]) q->always = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- series ----------------------------------------------------------------------------------------------------- */

static PetscReal time_of(RungStepper stepper, RungOutputRecord output)
{
  const PetscReal t = stepper->t0 + (PetscReal)output->next * output->every;

  return t < stepper->t1 ? t : stepper->t1;
}

static PetscErrorCode write_between(RungStepper stepper, RungOutputRecord output, PetscReal t)
{
  PetscFunctionBegin;
  PetscCall(RungStepperInterpolate(stepper, t, stepper->interpolated));
  PetscCall(RungWriterWrite(output->writer, t, stepper->interpolated));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every so many accepted steps, and the last one. */
static PetscBool is_due(RungStepper stepper, RungOutputRecord output, PetscReal t)
{
  return (PetscBool)(!output->steps || stepper->statistics.steps % output->steps == 0 || t >= stepper->t1);
}

/* All times of this output up to level 0; the last of all is t1. */
static PetscErrorCode write_due(RungStepper stepper, RungOutputRecord output)
{
  const RungState *from, *to;
  PetscReal        near;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &to));
  PetscCall(RungTransientSystemGetState(stepper->ts, 1, &from));
  if (!is_due(stepper, output, to->t)) PetscFunctionReturn(PETSC_SUCCESS);
  near = SAME * (to->t - from->t);
  while (output->every > 0 && time_of(stepper, output) < to->t - near) {
    PetscCall(write_between(stepper, output, PetscMax(from->t, time_of(stepper, output))));
    ++output->next;
  }
  if (output->every <= 0 || time_of(stepper, output) <= to->t + near) {
    PetscCall(RungWriterWrite(output->writer, to->t, to->u));
    ++output->next;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a run ------------------------------------------------------------------------------------------------------ */

PetscErrorCode RungRecordsStart(RungStepper stepper)
{
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  PetscCall(RungQuantitiesStart(stepper));
  for (RungOutputRecord output = stepper->outputs; output; output = output->link) {
    PetscCall(RungWriterWrite(output->writer, state->t, state->u));
    output->next = 1;
  }
  for (RungTableRecord table = stepper->tables; table; table = table->link) {
    PetscCall(RungTableOpen(stepper, table));
    PetscCall(RungTableRow(stepper, table, state->t));
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
    PetscCall(RungWriterResume(output->writer, to->t + SAME * h));
    find_next(stepper, output, to->t, h);
  }
  for (RungTableRecord table = stepper->tables; table; table = table->link)
    PetscCall(RungTableResume(stepper, table, to->t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRecordsStep(RungStepper stepper)
{
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  PetscCall(RungQuantitiesStep(stepper));
  for (RungOutputRecord output = stepper->outputs; output; output = output->link) PetscCall(write_due(stepper, output));
  for (RungTableRecord table = stepper->tables; table; table = table->link)
    PetscCall(RungTableRow(stepper, table, state->t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRecordsFinish(RungStepper stepper)
{
  PetscFunctionBegin;
  for (RungTableRecord table = stepper->tables; table; table = table->link) PetscCall(RungTableFinish(stepper, table));
  PetscFunctionReturn(PETSC_SUCCESS);
}
