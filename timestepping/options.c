/* options.c - what the command line may say to a stepper. */
#include "step_impl.h"

static const char *const known[] = {
  "stepper_type",     "stepper_method",        "stepper_order",         "stepper_rho_inf",
  "stepper_beta",     "stepper_gamma",         "stepper_start",         "stepper_end",
  "stepper_dt",       "stepper_rtol",          "stepper_atol",          "stepper_max_steps",
  "stepper_monitor?", "stepper_output",        "stepper_table",         "stepper_alpha_form",
  "stepper_filter?",  "stepper_output_every",  "stepper_output_fields", "stepper_output_steps",
  "stepper_view?",    "stepper_force?",        "stepper_checkpoint",    "stepper_checkpoint_every",
  "stepper_restart",  "stepper_restart_force?"};

/* Options that one type reads: given to another they would have no effect. */
static PetscErrorCode refuse_foreign(RungStepper stepper)
{
  static const struct {
    const char *option, *type;
  } owned[] = {{"-stepper_rho_inf", RUNGALPHA},    {"-stepper_beta", RUNGALPHA},  {"-stepper_gamma", RUNGALPHA},
               {"-stepper_alpha_form", RUNGALPHA}, {"-stepper_filter", RUNGDIRK}, {"-stepper_order", RUNGBDF}};
  PetscBool has;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(owned); ++i) {
    PetscCall(PetscOptionsHasName(NULL, NULL, owned[i].option, &has));
    PetscCheck(!has || !strcmp(stepper->type, owned[i].type), stepper->comm, PETSC_ERR_ARG_INCOMP,
               "%s belongs to stepper type %s, this stepper has type %s; leave it away or add -stepper_type %s",
               owned[i].option, owned[i].type, stepper->type, owned[i].type);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_type(RungStepper stepper, RungOptionItems PetscOptionsObject)
{
  char      word[64] = "";
  PetscBool given;
  PetscInt  order = 0;

  PetscFunctionBegin;
  PetscCall(PetscOptionsString("-stepper_type", "dirk, bdf or alpha", "RungStepperSetType", stepper->type, word,
                               sizeof word, &given));
  if (given) PetscCall(RungStepperSetType(stepper, word));
  PetscCall(PetscOptionsString("-stepper_method", "member of the type", "RungStepperSetMethod",
                               stepper->type ? stepper->method[stepper->chosen] : NULL, word, sizeof word, &given));
  if (given) PetscCall(RungStepperSetMethod(stepper, word));
  if (!stepper->type && stepper->sys) { /* the system's default, so that options of the type can be read */
    PetscCall(RungSystemSetUp(stepper->sys));
    PetscCall(RungSystemGetTraits(stepper->sys, &stepper->traits));
    PetscCall(RungStepperSetDefaultType(stepper));
  }
  if (!stepper->type) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(refuse_foreign(stepper));
  PetscCall(PetscOptionsInt("-stepper_order", "order of bdf", "RungStepperSetOrder", stepper->order, &order, &given));
  if (given) PetscCall(RungStepperSetOrder(stepper, order));
  PetscCall(
    PetscOptionsBool("-stepper_force", "take what is advised against", "", stepper->force, &stepper->force, NULL));
  if (stepper->ops->options) PetscCall(stepper->ops->options(stepper, PetscOptionsObject));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_interval(RungStepper stepper, RungOptionItems PetscOptionsObject)
{
  PetscReal t0 = stepper->t0, t1 = stepper->t1, dt = stepper->dt, rtol = stepper->rtol, atol = stepper->atol;
  PetscBool has_t0, has_t1, has_dt, has_rtol, has_atol;
  PetscInt  steps = stepper->max_steps;

  PetscFunctionBegin;
  PetscCall(PetscOptionsReal("-stepper_start", "first time", "RungStepperSetInterval", t0, &t0, &has_t0));
  PetscCall(PetscOptionsReal("-stepper_end", "last time", "RungStepperSetInterval", t1, &t1, &has_t1));
  PetscCall(PetscOptionsReal("-stepper_dt", "step, or the first one", "RungStepperSetInterval", dt, &dt, &has_dt));
  if (has_t0 || has_t1 || has_dt) PetscCall(RungStepperSetInterval(stepper, t0, t1, dt));
  PetscCall(
    PetscOptionsReal("-stepper_rtol", "relative tolerance", "RungStepperSetTolerances", rtol, &rtol, &has_rtol));
  PetscCall(
    PetscOptionsReal("-stepper_atol", "absolute tolerance", "RungStepperSetTolerances", atol, &atol, &has_atol));
  if (has_rtol || has_atol) PetscCall(RungStepperSetTolerances(stepper, rtol, atol));
  PetscCall(PetscOptionsInt("-stepper_max_steps", "more are an error", "RungStepperSetMaxSteps", steps, &steps, NULL));
  PetscCall(RungStepperSetMaxSteps(stepper, steps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_monitor(RungStepper stepper, RungOptionItems PetscOptionsObject)
{
  static const char *const     words[]  = {"none", "auto", "some", "all", "false", "true", "no", "yes", "0", "1"};
  static const RungMonitorMode modes[]  = {RUNG_MONITOR_NONE, RUNG_MONITOR_AUTO, RUNG_MONITOR_SOME, RUNG_MONITOR_ALL,
                                           RUNG_MONITOR_NONE, RUNG_MONITOR_SOME, RUNG_MONITOR_NONE, RUNG_MONITOR_SOME,
                                           RUNG_MONITOR_NONE, RUNG_MONITOR_SOME};
  char                         word[16] = "";
  PetscBool                    given, same = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscOptionsString("-stepper_monitor", "true, false, auto or all", "RungStepperSetMonitor",
                               words[stepper->progress.mode], word, sizeof word, &given));
  if (!given) PetscFunctionReturn(PETSC_SUCCESS);
  if (!word[0]) PetscCall(PetscStrncpy(word, "true", sizeof word));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(words) && !same; ++i) {
    PetscCall(PetscStrcasecmp(word, words[i], &same));
    if (same) stepper->progress.mode = modes[i];
  }
  PetscCheck(same, stepper->comm, PETSC_ERR_ARG_WRONG, "-stepper_monitor %s, wanted true, false, auto or all", word);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is written, and how often in steps. */
static PetscErrorCode read_output(RungStepper stepper, RungOptionItems PetscOptionsObject, PetscBool periodic)
{
  char      list[4096] = "";
  PetscInt  steps      = stepper->outputs ? stepper->outputs->steps : 0;
  PetscBool given, counted;

  PetscFunctionBegin;
  for (RungOutputRecord output = stepper->outputs; periodic && output; output = output->link) output->steps = 0;
  PetscCall(PetscOptionsInt("-stepper_output_steps", "accepted steps between outputs", "RungStepperSetOutputSteps",
                            steps, &steps, &counted));
  if (counted) PetscCall(RungStepperSetOutputSteps(stepper, steps));
  PetscCall(PetscOptionsString("-stepper_output_fields", "unknowns, quantities, expressions with commas between",
                               "RungStepperSetOutputFields", NULL, list, sizeof list, &given));
  if (given) PetscCall(RungStepperSetOutputFields(stepper, list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the program asked for gives way to a path of the command line, "none" takes it away; a period alone changes its
   period. */
static PetscErrorCode read_records(RungStepper stepper, RungOptionItems PetscOptionsObject)
{
  char      path[PETSC_MAX_PATH_LEN] = "";
  PetscReal every                    = stepper->outputs ? stepper->outputs->every : 0;
  PetscBool given, periodic, none;

  PetscFunctionBegin;
  PetscCall(PetscOptionsReal("-stepper_output_every", "time between outputs, 0: each step", "RungStepperAddOutput",
                             every, &every, &periodic));
  PetscCall(PetscOptionsString("-stepper_output", "series for ParaView, none: no series", "RungStepperAddOutput", NULL,
                               path, sizeof path, &given));
  if (given) {
    PetscCall(RungOutputsDrop(stepper));
    PetscCall(PetscStrcmp(path, "none", &none));
    if (!none) PetscCall(RungStepperAddOutput(stepper, path, every));
  }
  for (RungOutputRecord output = stepper->outputs; periodic && output; output = output->link) output->every = every;
  PetscCheck(!periodic || stepper->outputs, stepper->comm, PETSC_ERR_ARG_INCOMP,
             "-stepper_output_every without an output; add -stepper_output PATH");
  PetscCall(read_output(stepper, PetscOptionsObject, periodic));
  PetscCall(PetscOptionsString("-stepper_table", "CSV of quantities, none: no table", "RungStepperAddTable", NULL, path,
                               sizeof path, &given));
  if (!given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTablesDrop(stepper));
  PetscCall(PetscStrcmp(path, "none", &none));
  if (!none) PetscCall(RungStepperAddTable(stepper, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_restart(RungStepper stepper, RungOptionItems PetscOptionsObject)
{
  RungRestart *restart                  = &stepper->restart;
  char         path[PETSC_MAX_PATH_LEN] = "";
  PetscInt     every                    = restart->every;
  PetscBool    given, period, none, force = restart->force;

  PetscFunctionBegin;
  PetscCall(PetscOptionsString("-stepper_checkpoint", "file to continue from, none: no checkpoints",
                               "RungStepperSetCheckpoint", restart->save, path, sizeof path, &given));
  PetscCall(PetscOptionsInt("-stepper_checkpoint_every", "accepted steps between checkpoints",
                            "RungStepperSetCheckpoint", every, &every, &period));
  PetscCheck(!period || given || restart->save[0], stepper->comm, PETSC_ERR_ARG_INCOMP,
             "-stepper_checkpoint_every without a checkpoint; add -stepper_checkpoint PATH");
  if (given || period) {
    PetscCall(PetscStrcmp(path, "none", &none));
    if (!given) PetscCall(PetscStrncpy(path, restart->save, sizeof path));
    PetscCall(RungStepperSetCheckpoint(stepper, none ? "" : path, every));
  }
  PetscCall(PetscOptionsBool("-stepper_restart_force", "go on with other equations", "RungStepperSetRestart", force,
                             &force, NULL));
  PetscCall(PetscOptionsString("-stepper_restart", "checkpoint to go on from", "RungStepperSetRestart", restart->load,
                               path, sizeof path, &given));
  PetscCall(RungStepperSetRestart(stepper, given ? path : restart->load, force));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refuse_pairs(RungStepper stepper)
{
  PetscBool rho, beta, gamma, every, steps;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-stepper_rho_inf", &rho));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-stepper_beta", &beta));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-stepper_gamma", &gamma));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-stepper_output_every", &every));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-stepper_output_steps", &steps));
  PetscCheck(!every || !steps, stepper->comm, PETSC_ERR_ARG_INCOMP,
             "-stepper_output_steps beside -stepper_output_every; give the one or the other");
  PetscCheck(!rho || !(beta || gamma), stepper->comm, PETSC_ERR_ARG_INCOMP,
             "-stepper_rho_inf beside -stepper_beta or -stepper_gamma; rho_inf chooses both, give it or them");
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

static PetscErrorCode read_all(RungStepper stepper, PetscOptionItems *PetscOptionsObject)
{
  PetscFunctionBegin;
  PetscCall(read_type(stepper, PetscOptionsObject));
  PetscCall(read_interval(stepper, PetscOptionsObject));
  PetscCall(read_monitor(stepper, PetscOptionsObject));
  PetscCall(read_records(stepper, PetscOptionsObject));
  PetscCall(read_restart(stepper, PetscOptionsObject));
  PetscCall(
    PetscOptionsBool("-stepper_view", "print the stepper", "RungStepperView", stepper->view, &stepper->view, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is refused is raised after PetscOptionsEnd(), which frees what PetscOptionsBegin() has made. */
PetscErrorCode RungStepperSetFromOptions(RungStepper stepper)
{
  PetscErrorCode refused = PETSC_SUCCESS;

  PetscFunctionBegin;
  RungNeed(stepper);
  stepper->from_options = PETSC_TRUE;
  PetscCall(RungStepperReadSystem(stepper));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(known); ++i) PetscCall(RungOptionKnown(known[i]));
  PetscCall(refuse_pairs(stepper));
  PetscOptionsBegin(stepper->comm, NULL, "stepper", NULL);
  if (!refused) refused = read_all(stepper, PetscOptionsObject);
  PetscOptionsEnd();
  PetscCall(refused);
  PetscFunctionReturn(PETSC_SUCCESS);
}
