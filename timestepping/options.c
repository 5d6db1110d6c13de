/* options.c - what the command line may say to a stepper. */
#include "step_impl.h"
#include <rungtext_room.h>
#include <stdio.h>
#include <stdlib.h>

static PetscBool has_option(const RungMethodOption *option, const char name[])
{
  while (option && option->name && strcmp(option->name, name) != 0) ++option;
  return option && option->name ? PETSC_TRUE : PETSC_FALSE;
}

/* Options of the method that goes on where the stepper's own leaves; NULL: there is none. */
static PetscErrorCode find_successors(RungStepper stepper, const RungMethodOption **options)
{
  const RungStepperOps *ops;
  RungMethodPlan        plan = {0};
  const char           *type = NULL, *name;

  PetscFunctionBegin;
  *options = NULL;
  if (stepper->advice) /* the system is known, and decides */
    PetscCall(stepper->ops->plan(stepper, &stepper->traits, &plan));
  else if (stepper->type)
    PetscCall(RungStepperOwnPlan(stepper, &plan));
  if (plan.successor) PetscCall(RungStepperTypeOf(plan.successor, &type, &name));
  if (!type) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStepperOpsOf(type, &ops));
  *options = ops->options;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options that some types read: given to another they would have no effect. */
static PetscErrorCode refuse_foreign(RungStepper stepper)
{
  const RungMethodOption *successors;
  const char *const      *types;
  PetscInt                n;

  PetscFunctionBegin;
  PetscCall(RungStepperGetTypes(&n, &types));
  PetscCall(find_successors(stepper, &successors));
  for (PetscInt i = 0; i < n; ++i) {
    const RungStepperOps *ops;

    PetscCall(RungStepperOpsOf(types[i], &ops));
    for (const RungMethodOption *option = ops->options; option && option->name; ++option) {
      char      owners[256];
      PetscBool has;

      PetscCall(RungOptionGiven(option->name, option->about, &has));
      if (!has || !stepper->type || has_option(stepper->ops->options, option->name)) continue;
      if (has_option(successors, option->name)) continue;
      PetscCall(RungStepperListTypes(option->name, owners, sizeof owners));
      SETERRQ(stepper->comm, PETSC_ERR_ARG_INCOMP,
              "%s belongs to stepper type %s, this stepper has type %s; leave it away or add -stepper_type %s",
              option->name, owners, stepper->type, types[i]);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What parameters a type has, for messages: "theta or damped_steps". */
static PetscErrorCode list_parameters(const RungMethodOption *option, char list[], size_t size)
{
  PetscFunctionBegin;
  list[0] = 0;
  for (; option && option->name; ++option) {
    PetscCall(RungTextAppend(list, !list[0] ? "" : option[1].name ? ", " : " or ", size));
    PetscCall(RungTextAppend(list, option->name + strlen("-stepper_"), size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The type reads its parameters as options, with their ranges and messages, and keeps what it has read. */
PetscErrorCode RungStepperSetParameter(RungStepper stepper, const char name[], PetscReal value)
{
  char      option[64], text[32], list[256];
  PetscBool given;

  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCheck(name, stepper->comm, PETSC_ERR_ARG_NULL, "a parameter without a name; wanted one like \"theta\"");
  PetscCheck(!stepper->ready, stepper->comm, PETSC_ERR_ARG_WRONGSTATE,
             "parameter \"%s\" of a stepper that is set up; set it before", name);
  PetscCheck(stepper->type, stepper->comm, PETSC_ERR_ORDER,
             "parameter \"%s\" of a stepper without a method; call RungStepperSetMethod first", name);
  PetscCall(PetscSNPrintf(option, sizeof option, "-stepper_%s", name));
  if (!has_option(stepper->ops->options, option)) {
    PetscCall(list_parameters(stepper->ops->options, list, sizeof list));
    SETERRQ(stepper->comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "%s method \"%s\" has no parameter \"%s\"; it has %s",
            stepper->type, stepper->method[stepper->chosen], name, list[0] ? list : "none");
  }
  PetscCheck(stepper->ops->read, stepper->comm, PETSC_ERR_SUP, "stepper type %s does not read its options",
             stepper->type);
  PetscCall(PetscOptionsHasName(NULL, NULL, option, &given));
  if (given) PetscFunctionReturn(PETSC_SUCCESS);
  (void)snprintf(text, sizeof text, "%.15g", (double)value);
  if (strtod(text, NULL) != (double)value) (void)snprintf(text, sizeof text, "%.17g", (double)value);
  PetscCall(PetscOptionsSetValue(NULL, option, text));
  RungCallFinally(stepper->ops->read(stepper), PetscCall(PetscOptionsClearValue(NULL, option)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -stepper_method of another type than the program's or the file's takes its type along; options go before both. */
static PetscErrorCode take_type_of(RungStepper stepper, const char method[])
{
  const char *type, *name;

  PetscFunctionBegin;
  PetscCall(RungStepperTypeOf(method, &type, &name));
  if (type) PetscCall(RungStepperSetType(stepper, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without a type the system's default is taken, so that options of the type can be read. */
static PetscErrorCode read_type(RungStepper stepper)
{
  char      word[64] = "", types[256];
  PetscBool given, typed;
  PetscInt  order = 0;

  PetscFunctionBegin;
  PetscCall(RungStepperListTypes(NULL, types, sizeof types));
  if (stepper->type) PetscCall(PetscStrncpy(word, stepper->type, sizeof word));
  PetscCall(RungOptionText(stepper->comm, "-stepper_type", types, NULL, sizeof word, word, &typed));
  if (typed) PetscCall(RungStepperSetType(stepper, word));
  PetscCall(PetscStrncpy(word, stepper->type ? stepper->method[stepper->chosen] : "", sizeof word));
  PetscCall(RungOptionText(stepper->comm, "-stepper_method", "member of the type: esdirk43, trbdf2, bdf2, ..", NULL,
                           sizeof word, word, &given));
  if (given && stepper->type && !typed) PetscCall(take_type_of(stepper, word));
  if (given) PetscCall(RungStepperSetMethod(stepper, word));
  if (!stepper->type && stepper->sys && !RungHelpWanted()) {
    PetscCall(RungSystemSetUp(stepper->sys));
    PetscCall(RungSystemGetTraits(stepper->sys, &stepper->traits));
    PetscCall(RungAdviceTake(stepper));
  }
  PetscCall(refuse_foreign(stepper));
  if (!stepper->type) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsHasName(NULL, NULL, "-stepper_order", &given));
  if (given) {
    PetscCall(RungOptionIntIn(stepper->comm, "-stepper_order", NULL, "at least 1", &order, NULL));
    PetscCall(RungStepperSetOrder(stepper, order));
  }
  if (stepper->ops->read) PetscCall(stepper->ops->read(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_norm(RungStepper stepper)
{
  static const char *const words[] = {"rms", "max", "l2"};
  char                     word[8] = "";
  PetscBool                given, same = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RungOptionText(stepper->comm, "-stepper_error_norm", "rms, max or l2: of the errors of an unknown", NULL,
                           sizeof word, word, &given));
  for (int i = 0; given && i < 3 && !same; ++i) {
    PetscCall(PetscStrcmp(word, words[i], &same));
    if (same) PetscCall(RungStepperSetErrorNorm(stepper, (RungErrorNormType)i));
  }
  PetscCheck(!given || same, stepper->comm, PETSC_ERR_ARG_WRONG, "-stepper_error_norm %s, wanted rms, max or l2", word);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_limits(RungStepper stepper)
{
  PetscReal least = stepper->times.least, most = stepper->times.most;

  PetscFunctionBegin;
  PetscCall(RungOptionRealIn(stepper->comm, "-stepper_dt_min", "smallest adaptive step", "at least 0", &least, NULL));
  PetscCall(RungOptionRealIn(stepper->comm, "-stepper_dt_max", "largest adaptive step", "above 0", &most, NULL));
  PetscCall(RungStepperSetStepLimits(stepper, least, most));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_events(RungStepper stepper)
{
  PetscFunctionBegin;
  PetscCall(RungOptionIntIn(stepper->comm, "-stepper_event_parts",
                            "of each step, between which numbers that go through zero are looked at", "4 to 64",
                            &stepper->events.parts, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_interval(RungStepper stepper)
{
  const MPI_Comm comm = stepper->comm;

  PetscReal t0 = stepper->t0, t1 = stepper->t1, dt = stepper->dt, rtol = stepper->rtol, atol = stepper->atol;
  PetscBool has_t0, has_t1, has_dt, has_rtol, has_atol;
  PetscInt  steps = stepper->max_steps;

  PetscFunctionBegin;
  PetscCall(RungOptionReal(comm, "-stepper_start", "first time", &t0, &has_t0));
  PetscCall(RungOptionReal(comm, "-stepper_end", "last time", &t1, &has_t1));
  PetscCall(RungOptionRealIn(comm, "-stepper_dt", "step, or the first one", "above 0", &dt, &has_dt));
  if (!has_dt && (stepper->choose_first || !stepper->interval)) dt = PETSC_DEFAULT;
  if (has_t0 || has_t1 || has_dt) PetscCall(RungStepperSetInterval(stepper, t0, t1, dt));
  PetscCall(RungOptionRealIn(comm, "-stepper_rtol", "relative tolerance: steps of that error", "at least 0 and below 1",
                             &rtol, &has_rtol));
  PetscCall(RungOptionRealIn(comm, "-stepper_atol", "absolute tolerance, without it rtol times the largest value",
                             "at least 0", &atol, &has_atol));
  if (has_rtol || has_atol)
    PetscCall(RungStepperSetTolerances(stepper, rtol, atol < 0 && !has_atol ? PETSC_DEFAULT : atol));
  PetscCall(read_norm(stepper));
  PetscCall(read_limits(stepper));
  PetscCall(read_events(stepper));
  PetscCall(
    RungOptionIntIn(comm, "-stepper_max_steps", "more are an error, -1: any number", "at least -1", &steps, NULL));
  PetscCall(RungStepperSetMaxSteps(stepper, steps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_monitor(RungStepper stepper)
{
  static const char *const     words[] = {"none", "auto", "some", "all", "false", "true", "no", "yes", "0", "1"};
  static const RungMonitorMode modes[] = {RUNG_MONITOR_NONE, RUNG_MONITOR_AUTO, RUNG_MONITOR_SOME, RUNG_MONITOR_ALL,
                                          RUNG_MONITOR_NONE, RUNG_MONITOR_SOME, RUNG_MONITOR_NONE, RUNG_MONITOR_SOME,
                                          RUNG_MONITOR_NONE, RUNG_MONITOR_SOME};
  char                         word[16];
  PetscBool                    given, same = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(word, words[stepper->progress.mode], sizeof word));
  PetscCall(RungOptionText(stepper->comm, "-stepper_monitor", "progress: true, false, auto or all", "true", sizeof word,
                           word, &given));
  if (!given) PetscFunctionReturn(PETSC_SUCCESS);
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(words) && !same; ++i) {
    PetscCall(PetscStrcasecmp(word, words[i], &same));
    if (same) stepper->progress.mode = modes[i];
  }
  PetscCheck(same, stepper->comm, PETSC_ERR_ARG_WRONG, "-stepper_monitor %s, wanted true, false, auto or all", word);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is written, and how often in steps. */
static PetscErrorCode read_output(RungStepper stepper, PetscBool periodic)
{
  char      list[4096] = "";
  PetscInt  steps      = stepper->outputs ? stepper->outputs->steps : 0;
  PetscBool given, counted;

  PetscFunctionBegin;
  for (RungOutputRecord output = stepper->outputs; periodic && output; output = output->link) output->steps = 0;
  PetscCall(RungOptionIntIn(stepper->comm, "-stepper_output_steps", "accepted steps between outputs", "at least 1",
                            &steps, &counted));
  if (counted) PetscCall(RungStepperSetOutputSteps(stepper, steps));
  if (stepper->outputs && stepper->outputs->fields)
    PetscCall(PetscStrncpy(list, stepper->outputs->fields, sizeof list));
  PetscCall(RungOptionText(stepper->comm, "-stepper_output_fields", "unknowns, fields, expressions with commas between",
                           NULL, sizeof list, list, &given));
  for (RungOutputRecord output = stepper->outputs; given && output; output = output->link) output->chosen = PETSC_FALSE;
  if (given) PetscCall(RungStepperSetOutputFields(stepper, list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the program asked for gives way to a path of the command line, which keeps its list of fields and its period. */
static PetscErrorCode replace_outputs(RungStepper stepper, const char path[], PetscReal every)
{
  char    *fields = NULL;
  PetscInt steps  = stepper->outputs ? stepper->outputs->steps : 0;

  PetscFunctionBegin;
  if (stepper->outputs && stepper->outputs->fields) PetscCall(PetscStrallocpy(stepper->outputs->fields, &fields));
  PetscCall(RungOutputsDrop(stepper));
  if (strcmp(path, "none") != 0) {
    RungCallOrUndo(RungStepperAddOutput(stepper, path, every), PetscCall(PetscFree(fields)));
    stepper->outputs->fields = fields;
    stepper->outputs->steps  = steps;
  } else {
    PetscCall(PetscFree(fields));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "none" takes away what the program asked for; a period alone changes its period. */
static PetscErrorCode read_outputs(RungStepper stepper)
{
  char      path[PETSC_MAX_PATH_LEN] = "";
  PetscReal every                    = stepper->outputs ? stepper->outputs->every : 0;
  PetscBool given, periodic;

  PetscFunctionBegin;
  PetscCall(RungOptionRealIn(stepper->comm, "-stepper_output_every", "time between outputs, 0: each step", "at least 0",
                             &every, &periodic));
  if (stepper->outputs) PetscCall(PetscStrncpy(path, stepper->outputs->path, sizeof path));
  PetscCall(RungOptionText(stepper->comm, "-stepper_output", "series for ParaView, none: no series", NULL, sizeof path,
                           path, &given));
  if (given) PetscCall(replace_outputs(stepper, path, every));
  for (RungOutputRecord output = stepper->outputs; periodic && output; output = output->link) output->every = every;
  PetscCheck(!periodic || stepper->outputs, stepper->comm, PETSC_ERR_ARG_INCOMP,
             "-stepper_output_every without an output; add -stepper_output PATH");
  PetscCall(read_output(stepper, periodic));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_table(RungStepper stepper)
{
  char      path[PETSC_MAX_PATH_LEN] = "";
  PetscBool given;

  PetscFunctionBegin;
  if (stepper->tables) PetscCall(PetscStrncpy(path, stepper->tables->path, sizeof path));
  PetscCall(RungOptionText(stepper->comm, "-stepper_table", "CSV of quantities, none: no table", NULL, sizeof path,
                           path, &given));
  if (!given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTablesDrop(stepper));
  if (strcmp(path, "none") != 0) PetscCall(RungStepperAddTable(stepper, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_statistics(RungStepper stepper)
{
  RungEffort *work = &stepper->spent;
  PetscBool   none;

  PetscFunctionBegin;
  PetscCall(RungOptionText(stepper->comm, "-stepper_statistics", "JSON of a run's work, none: no file", NULL,
                           sizeof work->path, work->path, NULL));
  PetscCall(PetscStrcmp(work->path, "none", &none));
  if (none) work->path[0] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_restart(RungStepper stepper)
{
  RungRestart   *restart                  = &stepper->restart;
  const MPI_Comm comm                     = stepper->comm;
  char           path[PETSC_MAX_PATH_LEN] = "";
  PetscInt       every                    = restart->every;
  PetscReal      seconds                  = restart->seconds;
  PetscBool      given, period, clock, none, force = restart->force;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(path, restart->save, sizeof path));
  PetscCall(RungOptionText(comm, "-stepper_checkpoint", "file to continue from, none: no checkpoints", NULL,
                           sizeof path, path, &given));
  PetscCall(RungOptionIntIn(comm, "-stepper_checkpoint_every", "accepted steps between checkpoints, 0: 100",
                            "at least 0", &every, &period));
  PetscCall(RungOptionRealIn(comm, "-stepper_checkpoint_seconds", "wall time between checkpoints, 0: no matter",
                             "at least 0", &seconds, &clock));
  PetscCheck(!(period || clock) || given || restart->save[0], comm, PETSC_ERR_ARG_INCOMP,
             "%s without a checkpoint; add -stepper_checkpoint PATH",
             period ? "-stepper_checkpoint_every" : "-stepper_checkpoint_seconds");
  if (clock) PetscCall(RungStepperSetCheckpointSeconds(stepper, seconds));
  if (given || period) {
    PetscCall(PetscStrcmp(path, "none", &none));
    PetscCall(RungStepperSetCheckpoint(stepper, none ? "" : path, every));
  }
  PetscCall(RungOptionBool(comm, "-stepper_restart_force", "go on with other equations", &force, NULL));
  PetscCall(PetscStrncpy(path, restart->load, sizeof path));
  PetscCall(RungOptionText(comm, "-stepper_restart", "checkpoint to go on from", NULL, sizeof path, path, &given));
  PetscCall(RungStepperSetRestart(stepper, path, force));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refuse_pairs(RungStepper stepper)
{
  PetscBool every, steps;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-stepper_output_every", &every));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-stepper_output_steps", &steps));
  PetscCheck(!every || !steps, stepper->comm, PETSC_ERR_ARG_INCOMP,
             "-stepper_output_steps beside -stepper_output_every; give the one or the other");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The options of the system, if the app has not read them: before a type is chosen, which sets the system up. */
PetscErrorCode RungStepperReadSystem(RungStepper stepper)
{
  PetscBool set;

  PetscFunctionBegin;
  if (!stepper->sys || !stepper->from_options) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemIsSetUp(stepper->sys, &set));
  if (!set) PetscCall(RungSystemSetFromOptions(stepper->sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The type comes last: without one the system is set up, and what is refused is refused before. */
PetscErrorCode RungStepperSetFromOptions(RungStepper stepper)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  stepper->from_options = PETSC_TRUE;
  PetscCall(RungStepperReadSystem(stepper));
  PetscCall(refuse_pairs(stepper));
  PetscCall(read_interval(stepper));
  PetscCall(read_monitor(stepper));
  PetscCall(read_outputs(stepper));
  PetscCall(read_table(stepper));
  PetscCall(read_statistics(stepper));
  PetscCall(read_restart(stepper));
  PetscCall(RungOptionBool(stepper->comm, "-stepper_view", "print the stepper", &stepper->view, NULL));
  PetscCall(
    RungOptionBool(stepper->comm, "-stepper_explain", "say why steps are refused and chosen", &stepper->explain, NULL));
  PetscCall(RungOptionBool(stepper->comm, "-stepper_force", "take what is advised against", &stepper->force, NULL));
  PetscCall(RungOptionBool(stepper->comm, "-stepper_stable", "explicit methods: steps at most as long as is stable",
                           &stepper->stable, NULL));
  PetscCall(read_type(stepper));
  PetscCheck(
    !stepper->stable || !stepper->type || stepper->ops->stable, stepper->comm, PETSC_ERR_ARG_INCOMP,
    "-stepper_stable, and stepper type %s knows no longest stable step; leave it away or take an explicit method",
    stepper->type);
  PetscFunctionReturn(PETSC_SUCCESS);
}
