/* restart.c - a run saved so that it can be continued as if it had never stopped, bit for bit.

   A checkpoint holds the levels (RungTransientSystemSave), the counters, the state of the step-size control and the
   integrals of rates.  Matrices and factors are not saved: whoever saves forgets them, and so does whoever loads, so that
   both go on from the same state (a barrier).  A checkpoint that the disk refuses is told and the run goes on; it is missing at
   the end only if no later one was written.  Series and tables of a run that was killed later than its last checkpoint
   are cut back to it. */
#include "step_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEFAULT_EVERY 100 /* accepted steps between two checkpoints */

PetscErrorCode RungStepperSetCheckpoint(RungStepper stepper, const char path[], PetscInt every)
{
  RungNeed(stepper);
  RungRestart *restart = &stepper->restart;

  PetscFunctionBegin;
  PetscCheck(every >= 0, stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "a checkpoint every %" PetscInt_FMT " steps, wanted a positive number, or 0 for one every %d", every,
             DEFAULT_EVERY);
  if (path && path[0]) PetscCall(RungPathCheck(stepper->comm, "a checkpoint", path, "run.h5"));
  if (path != restart->save) PetscCall(PetscStrncpy(restart->save, path ? path : "", sizeof restart->save));
  restart->every = every;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperSetCheckpointSeconds(RungStepper stepper, PetscReal seconds)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCheck(seconds >= 0 && !PetscIsInfOrNanReal(seconds), stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "a checkpoint every %g seconds, wanted a positive number, or 0 for none by the clock", (double)seconds);
  stepper->restart.seconds = seconds;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperSetRestart(RungStepper stepper, const char path[], PetscBool force)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  if (path && path[0]) PetscCall(RungPathCheck(stepper->comm, "a checkpoint", path, "run.h5"));
  if (path != stepper->restart.load)
    PetscCall(PetscStrncpy(stepper->restart.load, path ? path : "", sizeof stepper->restart.load));
  stepper->restart.force = force;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperSetKeeper(RungStepper stepper, const RungKeeper *keeper)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  stepper->restart.keeper = *keeper;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what a stepper is -------------------------------------------------------------------------------------------- */

/* Type, method and the parameters that its view prints, in one line. */
static PetscErrorCode describe_method(RungStepper stepper, char text[], size_t size)
{
  PetscViewer viewer;
  char       *memory = NULL;
  size_t      length = 0;
  FILE       *stream = open_memstream(&memory, &length);

  PetscFunctionBegin;
  PetscCheck(stream, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for a line of text");
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, stream, &viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s %s ", stepper->type, stepper->method[stepper->chosen]));
  if (stepper->ops->view) PetscCall(stepper->ops->view(stepper, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  (void)fclose(stream);
  PetscCall(PetscStrncpy(text, memory, size));
  free(memory);
  for (char *p = text; *p; ++p) {
    if (*p == '\n') *p = ' ';
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All counters, by name: written and read in one loop. */
typedef struct {
  const char *name;
  PetscInt   *value;
} Counter;
#define COUNTERS 19
#define OLDEST   9 /* of them are in files of all versions */

static void list_counters(RungStepper stepper, Counter counter[COUNTERS])
{
  RungStepperStatistics *s             = &stepper->statistics;
  const Counter          all[COUNTERS] = {{"steps", &s->steps},
                                          {"rejected", &s->rejected},
                                          {"failed", &s->failed},
                                          {"newton", &s->newton},
                                          {"linear", &s->linear},
                                          {"residuals", &s->residuals},
                                          {"jacobians", &s->jacobians},
                                          {"factorisations", &s->factorisations},
                                          {"refused", &stepper->control.refused},
                                          {"events counted", &s->events},
                                          {"events located", &s->located},
                                          {"refused by method", &s->refused[RUNG_REFUSED_METHOD]},
                                          {"refused by error", &s->refused[RUNG_REFUSED_ERROR]},
                                          {"refused by newton", &s->refused[RUNG_REFUSED_NEWTON]},
                                          {"refused by linear", &s->refused[RUNG_REFUSED_LINEAR]},
                                          {"refused by domain", &s->refused[RUNG_REFUSED_DOMAIN]},
                                          {"refused by bounds", &s->refused[RUNG_REFUSED_BOUND]},
                                          {"refused by points", &s->refused[RUNG_REFUSED_POINT]},
                                          {"falling", &stepper->control.falling}};

  memcpy(counter, all, sizeof all);
}

/* The same for reals: the step-size control, and where the grid of fixed steps began. */
typedef struct {
  const char *name;
  PetscReal  *value;
} Number;
#define NUMBERS        7
#define OLDEST_NUMBERS 5

static void list_numbers(RungStepper stepper, Number number[NUMBERS])
{
  RungControl *control      = &stepper->control;
  const Number all[NUMBERS] = {{"control h", &control->h},         {"control error", &control->error},
                               {"control ratio", &control->ratio}, {"grid origin", &stepper->restart.origin},
                               {"grid step", &stepper->restart.h}, {"crossed", &stepper->jumps.crossed},
                               {"control steep", &control->steep}};

  memcpy(number, all, sizeof all);
}

static PetscErrorCode integral_name(const RungQuantities *q, PetscInt i, char name[], size_t size)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, size, "integral of %s", q->name[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "largest u", "largest dt(u)": of what RungWeightsSeen() gives as [f * 2 + k], "largest part 3" of the fourth behind them; "rounding u": of
   RungWeightsRounding() */
static PetscErrorCode size_name(RungStepper stepper, const char kind[], PetscInt i, char name[], size_t size)
{
  const PetscInt n = 2 * stepper->traits.unknowns;
  const char    *unknown;

  PetscFunctionBegin;
  if (i >= n) {
    PetscCall(PetscSNPrintf(name, size, "%s part %" PetscInt_FMT, kind, i - n));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungSystemGetUnknown(stepper->sys, i / 2, &unknown, NULL));
  PetscCall(PetscSNPrintf(name, size, i % 2 ? "%s dt(%s)" : "%s %s", kind, unknown));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- save --------------------------------------------------------------------------------------------------------- */

/* "run_{step}.h5" -> "run_120.h5" */
static PetscErrorCode path_of_step(RungStepper stepper, char path[], size_t size)
{
  const char *mark = strstr(stepper->restart.save, "{step}");

  PetscFunctionBegin;
  if (mark)
    PetscCall(PetscSNPrintf(path, size, "%.*s%" PetscInt_FMT "%s", (int)(mark - stepper->restart.save),
                            stepper->restart.save, stepper->statistics.steps, mark + strlen("{step}")));
  else
    PetscCall(PetscStrncpy(path, stepper->restart.save, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where no checkpoint can be made is known before the run, not after a hundred steps of it. */
PetscErrorCode RungRestartSetUp(RungStepper stepper)
{
  char path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  if (!stepper->restart.save[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(path_of_step(stepper, path, sizeof path));
  PetscCall(RungFileCheck(stepper->comm, "checkpoint", path, RUNG_FILE_SEALED));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define SURVEY (3 + 3 * RUNG_MAX_UNKNOWNS)

static PetscErrorCode save_survey(RungStepper stepper, RungCheckpoint file)
{
  PetscReal number[SURVEY];
  char      name[32];

  PetscFunctionBegin;
  RungWeightsGetSurvey(stepper->weights, number);
  for (PetscInt i = 0; i < 3 + 3 * stepper->traits.unknowns; ++i) {
    PetscCall(PetscSNPrintf(name, sizeof name, "survey %" PetscInt_FMT, i));
    PetscCall(RungCheckpointPutReal(file, name, number[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode save_to(RungStepper stepper, RungCheckpoint file)
{
  const RungQuantities *q = &stepper->quantities;
  Counter               counter[COUNTERS];
  Number                number[NUMBERS];
  char                  text[1024];

  PetscFunctionBegin;
  PetscCall(describe_method(stepper, text, sizeof text));
  PetscCall(RungCheckpointPutText(file, "method", text));
  list_counters(stepper, counter);
  for (int i = 0; i < COUNTERS; ++i) PetscCall(RungCheckpointPutInt(file, counter[i].name, *counter[i].value));
  PetscCall(RungCheckpointPutInt(file, "grid index", stepper->restart.index));
  if (stepper->control.order) PetscCall(RungCheckpointPutInt(file, "control order", stepper->control.order));
  list_numbers(stepper, number);
  for (int i = 0; i < NUMBERS; ++i) PetscCall(RungCheckpointPutReal(file, number[i].name, *number[i].value));
  for (PetscInt i = 0; i < q->n; ++i) {
    if (!q->rate[i]) continue;
    PetscCall(integral_name(q, i, text, sizeof text));
    PetscCall(RungCheckpointPutReal(file, text, q->integral[i]));
  }
  for (PetscInt i = 0; stepper->adaptive && i < RungWeightsSizes(stepper->weights); ++i) {
    PetscCall(size_name(stepper, "largest", i, text, sizeof text));
    PetscCall(RungCheckpointPutReal(file, text, RungWeightsSeen(stepper->weights)[i]));
  }
  for (PetscInt i = 0; stepper->adaptive && i < 2 * stepper->traits.unknowns; ++i) {
    const PetscReal rounding = RungWeightsRounding(stepper->weights)[i];

    PetscCall(size_name(stepper, "rounding", i, text, sizeof text));
    if (rounding > 0) PetscCall(RungCheckpointPutReal(file, text, rounding));
  }
  if (stepper->adaptive) PetscCall(save_survey(stepper, file));
  PetscCall(RungEventsSave(stepper, file));
  if (stepper->restart.keeper.save) PetscCall(stepper->restart.keeper.save(file, stepper->restart.keeper.ctx));
  PetscCall(RungTransientSystemSave(stepper->ts, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperSave(RungStepper stepper, const char path[])
{
  RungCheckpoint file;
  PetscInt       levels;

  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(RungStepperSetUp(stepper));
  PetscCall(RungTransientSystemGetLevels(stepper->ts, &levels));
  PetscCheck(levels, stepper->comm, PETSC_ERR_ORDER,
             "a checkpoint of a run that has not begun; save it by a monitor, or behind RungStepperSolve()");
  PetscCall(RungCheckpointCreate(stepper->sys, path, &file));
  RungCallOrUndo(save_to(stepper, file), PetscCall(RungCheckpointClose(&file)));
  PetscCall(RungCheckpointSeal(&file));
  PetscCall(RungStagesForget(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrices are forgotten whether the disk has taken the file or not: numbers do not depend on a disk. */
static PetscErrorCode try_to_save(RungStepper stepper)
{
  RungRestart     *restart = &stepper->restart;
  char             path[PETSC_MAX_PATH_LEN];
  const RungState *state;
  RungCheckpoint   file;
  PetscBool        written;

  PetscFunctionBegin;
  PetscCall(path_of_step(stepper, path, sizeof path));
  PetscCall(RungCheckpointTry(stepper->sys, path, &file));
  RungCallOrUndo(save_to(stepper, file), PetscCall(RungCheckpointClose(&file)));
  PetscCall(RungCheckpointFinish(&file, &written, restart->why, sizeof restart->why));
  PetscCall(RungStagesForget(stepper));
  restart->saved   = stepper->statistics.steps;
  restart->tried   = PETSC_TRUE;
  restart->missing = written ? PETSC_FALSE : PETSC_TRUE;
  if (written) {
    ++restart->files;
    PetscCall(PetscStrncpy(restart->file, path, sizeof restart->file));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  PetscCall(RungWarning(stepper->comm, "checkpoint \"%s\" of t = %.10g is not written: %s; the run goes on, %s", path,
                        (double)state->t, restart->why,
                        restart->files ? "an older one stays" : "and has written none so far"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of a clock that nobody sets. */
static double seconds_now(void)
{
  struct timespec now = {0};

  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

PetscErrorCode RungRestartBegin(RungStepper stepper)
{
  RungRestart *restart = &stepper->restart;

  PetscFunctionBegin;
  restart->saved   = stepper->statistics.steps;
  restart->tried   = PETSC_FALSE;
  restart->files   = 0;
  restart->missing = PETSC_FALSE;
  restart->clock   = seconds_now();
  stepper->reason  = RUNG_STEPPER_REACHED_END;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Accepted steps between two checkpoints; 0: the clock alone decides. */
static PetscInt period(const RungRestart *restart)
{
  return restart->every ? restart->every : restart->seconds > 0 ? 0 : DEFAULT_EVERY;
}

PetscErrorCode RungRestartAsk(RungStepper stepper, PetscBool *stop)
{
  RungRestart   *restart = &stepper->restart;
  const PetscInt every   = period(restart);
  PetscBool      due     = restart->seconds > 0 && seconds_now() - restart->clock >= (double)restart->seconds;
  PetscBool      fresh   = stepper->statistics.steps != restart->saved ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RungSignalsAgree(stepper->comm, &due, &stepper->signal));
  *stop = stepper->signal ? PETSC_TRUE : PETSC_FALSE;
  if (*stop) stepper->reason = RUNG_STEPPER_SIGNALLED;
  if (!restart->save[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (every && stepper->statistics.steps % every == 0) due = PETSC_TRUE;
  if ((due && fresh) || (*stop && (fresh || !restart->tried))) {
    PetscCall(try_to_save(stepper));
    restart->clock = seconds_now();
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What to do about a run that a signal has ended, or whose last checkpoint is missing. */
PetscErrorCode RungRestartFinish(RungStepper stepper)
{
  RungRestart     *restart = &stepper->restart;
  const RungState *state;
  char             path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  if (restart->save[0] && (stepper->statistics.steps != restart->saved || restart->missing))
    PetscCall(try_to_save(stepper));
  PetscCall(path_of_step(stepper, path, sizeof path));
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  if (stepper->reason == RUNG_STEPPER_SIGNALLED)
    PetscCall(RungNotice(stepper->comm, "%s has ended the run at t = %.10g, step %" PetscInt_FMT "%s%s",
                         RungSignalName(stepper->signal), (double)state->t, stepper->statistics.steps,
                         path[0] && !restart->missing ? "; it goes on with -stepper_restart " : "",
                         path[0] && !restart->missing ? path : ""));
  if (restart->missing)
    PetscCall(RungIncomplete(stepper->comm, "checkpoint \"%s\" of t = %.10g is missing: %s", path, (double)state->t,
                             restart->why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- load --------------------------------------------------------------------------------------------------------- */

static PetscErrorCode check_method(RungStepper stepper, RungCheckpoint file)
{
  char     *text, then[1024], now[1024];
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(describe_method(stepper, now, sizeof now));
  PetscCall(RungCheckpointGetText(file, "method", &text));
  PetscCall(PetscStrncpy(then, text, sizeof then));
  PetscCall(PetscFree(text));
  PetscCall(PetscStrcmp(now, then, &same));
  if (!same && stepper->other.type) { /* the run had been handed over, or this one */
    char other[1024];

    PetscCall(RungSuccessorExchange(stepper));
    PetscCall(describe_method(stepper, other, sizeof other));
    PetscCall(PetscStrcmp(other, then, &same));
    if (!same) PetscCall(RungSuccessorExchange(stepper));
  }
  PetscCheck(same, stepper->comm, PETSC_ERR_FILE_UNEXPECTED,
             "checkpoint \"%s\" was written by method \"%s\", this run has \"%s\"; continue with the same method",
             stepper->restart.load, then, now);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A count that can be added to. */
static PetscErrorCode get_count(RungStepper stepper, RungCheckpoint file, const char name[], PetscInt *value)
{
  PetscFunctionBegin;
  PetscCall(RungCheckpointGetInt(file, name, value));
  PetscCheck(*value >= 0 && *value <= PETSC_MAX_INT / 2, stepper->comm, PETSC_ERR_FILE_UNEXPECTED,
             "checkpoint \"%s\" is refused: \"%s\" is %" PetscInt_FMT
             ", wanted a count; take one that this program wrote",
             stepper->restart.load, name, *value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No run can have left a number outside of these bounds. */
static PetscErrorCode check_number(RungStepper stepper, const char name[], PetscReal value, PetscReal least,
                                   PetscReal most)
{
  PetscFunctionBegin;
  PetscCheck(value >= least && value <= most, stepper->comm, PETSC_ERR_FILE_UNEXPECTED,
             "checkpoint \"%s\" is refused: \"%s\" is %g, wanted one from %g to %g; take one that this program wrote",
             stepper->restart.load, name, (double)value, (double)least, (double)most);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_numbers(RungStepper stepper)
{
  const PetscReal longest = 1e12 * (PetscAbsReal(stepper->t0) + PetscAbsReal(stepper->t1) + stepper->dt);

  PetscFunctionBegin;
  PetscCall(check_number(stepper, "control h", stepper->control.h, 0, longest));
  PetscCall(check_number(stepper, "control error", stepper->control.error, -1, 1));
  PetscCall(check_number(stepper, "control ratio", stepper->control.ratio, 0, 1000));
  PetscCall(check_number(stepper, "control steep", stepper->control.steep, 0, PETSC_MAX_REAL));
  PetscCall(check_number(stepper, "falling", (PetscReal)stepper->control.falling, 0, 3));
  PetscCall(check_number(stepper, "grid step", stepper->restart.h, 0, longest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode load_integrals(RungStepper stepper, RungCheckpoint file)
{
  RungQuantities *q = &stepper->quantities;
  char            name[RUNG_NAME_LENGTH + 32];
  PetscBool       has;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < q->n; ++i) {
    if (!q->rate[i]) continue;
    PetscCall(integral_name(q, i, name, sizeof name));
    PetscCall(RungCheckpointHas(file, name, &has)); /* a rate that is new begins here */
    q->integral[i] = 0;
    if (has) PetscCall(RungCheckpointGetReal(file, name, &q->integral[i]));
    if (!has)
      PetscCall(RungWarning(stepper->comm,
                            "checkpoint \"%s\" has no integral of the rate \"%s\": it begins with 0 here",
                            stepper->restart.load, q->name[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperGetSizes(RungStepper stepper, PetscInt *n, const PetscReal **largest,
                                   const PetscReal **rounding)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  *n        = stepper->adaptive ? RungWeightsSizes(stepper->weights) : 0;
  *largest  = stepper->adaptive ? RungWeightsSeen(stepper->weights) : NULL;
  *rounding = stepper->adaptive ? RungWeightsRounding(stepper->weights) : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperSetSizes(RungStepper stepper, PetscReal t, const PetscReal largest[],
                                   const PetscReal rounding[])
{
  PetscFunctionBegin;
  RungNeed(stepper);
  if (!stepper->adaptive) PetscFunctionReturn(PETSC_SUCCESS);
  RungWeightsResume(stepper->weights, t, largest);
  PetscCall(PetscArraycpy(RungWeightsRounding(stepper->weights), rounding, 2 * stepper->traits.unknowns));
  RungWeightsCarryRounding(stepper->weights);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a file does not hold stays. */
static PetscErrorCode load_sizes(RungStepper stepper, RungCheckpoint file, const char kind[], PetscInt n,
                                 PetscReal value[])
{
  PetscBool has;
  char      name[256];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(size_name(stepper, kind, i, name, sizeof name));
    PetscCall(RungCheckpointHas(file, name, &has));
    if (has) PetscCall(RungCheckpointGetReal(file, name, &value[i]));
    PetscCheck(value[i] >= 0 && !PetscIsInfOrNanReal(value[i]), stepper->comm, PETSC_ERR_FILE_UNEXPECTED,
               "checkpoint \"%s\" is refused: \"%s\" is %g, wanted a size; take one that this program wrote",
               stepper->restart.load, name, (double)value[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the run had found when it looked along its data: files of older versions, and those of fixed steps, do not say. */
static PetscErrorCode load_survey(RungStepper stepper, RungCheckpoint file)
{
  PetscReal number[SURVEY];
  PetscBool has;
  char      name[32];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 + 3 * stepper->traits.unknowns; ++i) {
    PetscCall(PetscSNPrintf(name, sizeof name, "survey %" PetscInt_FMT, i));
    PetscCall(RungCheckpointHas(file, name, &has));
    if (!has) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(RungCheckpointGetReal(file, name, &number[i]));
    PetscCheck(isfinite(number[i]) && (i < 2 || number[i] >= 0) && (i != 2 || number[i] <= RUNG_LOOKS), stepper->comm,
               PETSC_ERR_FILE_UNEXPECTED,
               "checkpoint \"%s\" is refused: \"%s\" is %g; take one that this program wrote", stepper->restart.load,
               name, (double)number[i]);
  }
  RungWeightsSetSurvey(stepper->weights, number);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest values so far, which absolute tolerances follow, begin with the level; nothing is known of rounding. */
static PetscErrorCode load_largest(RungStepper stepper, RungCheckpoint file)
{
  const PetscInt   n = RungWeightsSizes(stepper->weights);
  const RungState *state;
  PetscReal        seen[2 * RUNG_MAX_UNKNOWNS + RUNG_MAX_PARTS];

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  PetscCall(RungWeightsStart(stepper->weights, state, PETSC_TRUE));
  PetscCall(PetscArraycpy(seen, RungWeightsSeen(stepper->weights), n));
  PetscCall(load_sizes(stepper, file, "largest", n, seen));
  RungWeightsResume(stepper->weights, state->t, seen);
  PetscCall(load_sizes(stepper, file, "rounding", 2 * stepper->traits.unknowns, RungWeightsRounding(stepper->weights)));
  RungWeightsCarryRounding(stepper->weights);
  if (stepper->adaptive) PetscCall(load_survey(stepper, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode load_numbers(RungStepper stepper, RungCheckpoint file)
{
  Counter   counter[COUNTERS];
  Number    number[NUMBERS];
  PetscBool learnt;

  PetscFunctionBegin;
  PetscCall(RungCheckpointHas(file, "control order", &learnt));
  stepper->control.order = 0;
  if (learnt) PetscCall(get_count(stepper, file, "control order", &stepper->control.order));
  list_counters(stepper, counter);
  for (int i = 0; i < COUNTERS; ++i) { /* files of older versions say nothing of events and causes */
    PetscBool has = PETSC_TRUE;

    *counter[i].value = 0;
    if (i >= OLDEST) PetscCall(RungCheckpointHas(file, counter[i].name, &has));
    if (has) PetscCall(get_count(stepper, file, counter[i].name, counter[i].value));
  }
  PetscCall(get_count(stepper, file, "grid index", &stepper->restart.index));
  list_numbers(stepper, number);
  stepper->jumps.crossed = -PETSC_MAX_REAL;
  stepper->control.steep = 0;
  for (int i = 0; i < NUMBERS; ++i) { /* files of older versions do not have the last ones */
    PetscBool has = PETSC_TRUE;

    if (i >= OLDEST_NUMBERS) PetscCall(RungCheckpointHas(file, number[i].name, &has));
    if (has) PetscCall(RungCheckpointGetReal(file, number[i].name, number[i].value));
  }
  PetscCall(check_numbers(stepper));
  PetscCall(load_integrals(stepper, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode load_from(RungStepper stepper, RungCheckpoint file)
{
  const RungKeeper *keeper = &stepper->restart.keeper;
  const RungState  *state;

  PetscFunctionBegin;
  PetscCall(check_method(stepper, file));
  PetscCall(load_numbers(stepper, file));
  PetscCall(RungEventsLoadConstants(stepper, file));
  PetscCall(RungTransientSystemLoad(stepper->ts, file));
  PetscCall(load_largest(stepper, file));
  PetscCall(RungEventsLoad(stepper, file));
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  if (keeper->load) PetscCall(keeper->load(file, state->t, keeper->ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRestartLoad(RungStepper stepper)
{
  RungCheckpoint   file;
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungCheckpointOpen(stepper->sys, stepper->restart.load, stepper->restart.force, &file));
  RungCallFinally(load_from(stepper, file), PetscCall(RungCheckpointClose(&file)));
  PetscCall(RungStagesForget(stepper));
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  PetscCheck(state->t >= stepper->t0 - 1e-6 * (stepper->t1 - stepper->t0), stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "checkpoint \"%s\" is of t = %.10g, this run starts at %g; lower -stepper_start", stepper->restart.load,
             (double)state->t, (double)stepper->t0);
  PetscCheck(state->t <= stepper->t1, stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "checkpoint \"%s\" is of t = %.10g, this run ends at %g; raise -stepper_end", stepper->restart.load,
             (double)state->t, (double)stepper->t1);
  PetscFunctionReturn(PETSC_SUCCESS);
}
