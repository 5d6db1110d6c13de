/* event.c - what is said of events, and the numbers g whose zeros they are. */
#include "step_impl.h"
#include <rungcallback_room.h>

/* ---- what is said ------------------------------------------------------------------------------------------------- */

static PetscErrorCode check_said(RungStepper stepper, const char name[], const RungEvent *said)
{
  const RungEvents *events = &stepper->events;

  PetscFunctionBegin;
  PetscCheck(!stepper->ready, stepper->comm, PETSC_ERR_ORDER, "an event after the stepper was set up; add it before");
  PetscCheck(said, stepper->comm, PETSC_ERR_ARG_NULL, "an event that nothing is said of");
  PetscCall(RungColumnCheck(stepper->comm, "an event", name));
  for (PetscInt i = 0; i < events->n; ++i)
    PetscCheck(strcmp(events->event[i].name, name) != 0, stepper->comm, PETSC_ERR_ARG_WRONG,
               "there is an event \"%s\" already; give this one another name", name);
  PetscCheck((said->text && said->text[0]) != (said->fn != NULL), stepper->comm, PETSC_ERR_ARG_WRONG,
             "event \"%s\" has %s; wanted one of them", name,
             said->fn ? "a text and a function" : "neither a text nor a function");
  PetscCheck(said->direction >= RUNG_FALLING && said->direction <= RUNG_RISING, stepper->comm, PETSC_ERR_ARG_WRONG,
             "event \"%s\" has direction %d, wanted RUNG_FALLING, RUNG_BOTH or RUNG_RISING", name,
             (int)said->direction);
  PetscCheck(said->tol >= 0 && !PetscIsInfOrNanReal(said->tol) && said->stop >= 0, stepper->comm, PETSC_ERR_ARG_WRONG,
             "event \"%s\" with tolerance %g that stops the run after %" PetscInt_FMT
             " times, wanted no negative numbers",
             name, (double)said->tol, said->stop);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperAddEvent(RungStepper stepper, const char name[], const RungEvent *said)
{
  RungEventRecord *event;

  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(check_said(stepper, name, said));
  PetscCall(PetscRealloc(sizeof *event * (size_t)(stepper->events.n + 1), &stepper->events.event));
  event  = &stepper->events.event[stepper->events.n++];
  *event = (RungEventRecord){.said = *said};
  PetscCall(PetscStrallocpy(name, &event->name));
  if (said->text) PetscCall(PetscStrallocpy(said->text, (char **)&event->said.text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEventFindRecord(RungStepper stepper, const char name[], PetscInt *number)
{
  const RungEvents *events = &stepper->events;
  const char      **list, *nearest;

  PetscFunctionBegin;
  PetscCheck(name, stepper->comm, PETSC_ERR_ARG_NULL, "an event without a name");
  for (*number = 0; *number < events->n; ++*number) {
    if (!strcmp(events->event[*number].name, name)) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(events->n, &list));
  for (PetscInt i = 0; i < events->n; ++i) list[i] = events->event[i].name;
  PetscCall(RungSuggest(name, events->n, list, &nearest));
  PetscCall(PetscFree(list));
  SETERRQ(stepper->comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "there is no event \"%s\"%s%s%s", name,
          nearest ? "; did you mean \"" : ", add it to the stepper", nearest ? nearest : "", nearest ? "\"" : "");
}

PetscErrorCode RungStepperSetEventJump(RungStepper stepper, const char name[], const char target[], const char text[])
{
  RungEventRecord *event;
  PetscInt         number;

  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCheck(!stepper->ready, stepper->comm, PETSC_ERR_ORDER,
             "a jump of an event after the stepper was set up; say it before");
  PetscCall(RungEventFindRecord(stepper, name, &number));
  PetscCheck(target && target[0] && text && text[0], stepper->comm, PETSC_ERR_ARG_NULL,
             "a jump of event \"%s\" needs the name of an unknown or a constant, and a text", name);
  event = &stepper->events.event[number];
  for (PetscInt i = 0; i < event->changes; ++i)
    PetscCheck(strcmp(event->change[i].name, target) != 0, stepper->comm, PETSC_ERR_ARG_WRONG,
               "event \"%s\" changes \"%s\" twice; leave one away", name, target);
  PetscCall(PetscRealloc(sizeof *event->change * (size_t)(event->changes + 1), &event->change));
  event->change[event->changes] = (RungEventChange){.change = NULL};
  PetscCall(PetscStrallocpy(target, &event->change[event->changes].name));
  PetscCall(PetscStrallocpy(text, &event->change[event->changes++].text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperGetEvent(RungStepper stepper, const char name[], PetscInt *n, const PetscReal *t[])
{
  PetscInt number;

  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(RungEventFindRecord(stepper, name, &number));
  if (n) *n = stepper->events.event[number].count;
  if (t) *t = stepper->events.event[number].t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- set-up ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode read_texts(RungStepper stepper, RungEventRecord *event)
{
  const PetscInt           more = stepper->quantities.numbers;
  const char *const *const name = (const char *const *)stepper->quantities.number_name;
  char                     label[RUNG_NAME_LENGTH + 64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(label, sizeof label, "event %s", event->name));
  if (event->said.text) PetscCall(RungGaugeCreate(stepper->sys, label, event->said.text, more, name, &event->gauge));
  for (PetscInt i = 0; i < event->changes; ++i) {
    RungEventChange *change = &event->change[i];

    PetscCall(PetscSNPrintf(label, sizeof label, "jump %.*s of %s", 32, event->name, change->name));
    PetscCall(RungChangeCreate(stepper->sys, label, change->name, change->text, more, name, &change->change));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEventsSetUp(RungStepper stepper)
{
  RungEvents *events = &stepper->events;

  PetscFunctionBegin;
  if (!events->n) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < events->n; ++i) PetscCall(read_texts(stepper, &events->event[i]));
  PetscCall(PetscCalloc1(stepper->quantities.n + stepper->quantities.numbers, &events->quantity));
  for (PetscInt k = 0; k <= stepper->traits.order; ++k) PetscCall(RungSystemCreateVec(stepper->sys, &events->u[k]));
  PetscCall(RungEventsLogCheck(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEventsReset(RungStepper stepper)
{
  RungEvents *events = &stepper->events;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < events->n; ++i) {
    PetscCall(RungGaugeDestroy(&events->event[i].gauge));
    for (PetscInt k = 0; k < events->event[i].changes; ++k)
      PetscCall(RungChangeDestroy(&events->event[i].change[k].change));
  }
  PetscCall(PetscFree(events->quantity));
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) PetscCall(VecDestroy(&events->u[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEventsDestroy(RungStepper stepper)
{
  RungEvents *events = &stepper->events;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < events->n; ++i) {
    RungEventRecord *event = &events->event[i];

    for (PetscInt k = 0; k < event->changes; ++k) {
      PetscCall(PetscFree(event->change[k].name));
      PetscCall(PetscFree(event->change[k].text));
    }
    PetscCall(PetscFree(event->change));
    PetscCall(PetscFree(event->said.text));
    PetscCall(PetscFree(event->name));
    PetscCall(PetscFree(event->t));
  }
  PetscCall(PetscFree(events->event));
  events->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "event bounce: height through 0, falling; then dt(y) = -e*dt(y)" */
static PetscErrorCode describe(const RungEventRecord *event, RungDraft *line)
{
  static const char *const way[] = {"falling", "both ways", "rising"};

  PetscFunctionBegin;
  PetscCall(RungDraftAdd(line, "event %s: %s through 0, %s", event->name,
                         event->said.text ? event->said.text : "a function", way[event->said.direction + 1]));
  for (PetscInt k = 0; k < event->changes; ++k)
    PetscCall(RungDraftAdd(line, "%s %s = %s", k ? "," : "; then", event->change[k].name, event->change[k].text));
  if (event->said.act) PetscCall(RungDraftAdd(line, "; a function is called"));
  if (event->said.stop) PetscCall(RungDraftAdd(line, "; ends the run after %d", (int)event->said.stop));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEventsView(RungStepper stepper, PetscViewer viewer)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < stepper->events.n; ++i) {
    RungDraft line = {0};

    PetscCall(describe(&stepper->events.event[i], &line));
    RungCallFinally(PetscViewerASCIIPrintf(viewer, "%s\n", line.text), PetscCall(RungDraftClear(&line)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

/* Quantities at a state, and the numbers made of them; sums of rates go on from level 0. */
PetscErrorCode RungEventsQuantities(RungStepper stepper, PetscReal t, const Vec u[])
{
  PetscFunctionBegin;
  PetscCall(RungSystemEvaluateQuantities(stepper->sys, t, u, stepper->events.quantity));
  PetscCall(RungIntegralsProposed(stepper, t, stepper->events.quantity));
  PetscCall(RungNumbersEvaluate(&stepper->quantities, t, stepper->events.quantity));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode call_function(RungStepper stepper, const RungEventRecord *event, PetscReal t, const Vec u[],
                                    PetscReal *g)
{
  char what[RUNG_NAME_LENGTH + 64];

  PetscFunctionBegin;
  *g = 0;
  PetscCall(PetscSNPrintf(what, sizeof what, "function of event \"%s\"", event->name));
  RungCallback(stepper->comm, what, event->said.fn(stepper, t, u, g, event->said.ctx));
  PetscCallMPI(MPI_Bcast(g, 1, MPIU_REAL, 0, stepper->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEventsEvaluate(RungStepper stepper, PetscInt only, PetscReal t, const Vec u[], PetscReal g[])
{
  RungEvents *events = &stepper->events;
  PetscBool   there  = PETSC_FALSE; /* quantities are those of this state */

  PetscFunctionBegin;
  for (PetscInt i = 0; i < events->n; ++i) {
    const RungEventRecord *event = &events->event[i];

    if (only >= 0 && i != only) continue;
    if (event->gauge) {
      if (!there) PetscCall(RungEventsQuantities(stepper, t, u));
      there = PETSC_TRUE;
      PetscCall(RungGaugeCheck(event->gauge, t, events->quantity));
      PetscCall(RungGaugeEvaluate(event->gauge, t, events->quantity, &g[i]));
    } else
      PetscCall(call_function(stepper, event, t, u, &g[i]));
    PetscCheck(!PetscIsInfOrNanReal(g[i]), stepper->comm, PETSC_ERR_FP, "event %s: \"%s\" is not finite at t = %.10g",
               event->name, event->said.text ? event->said.text : "its function", (double)t);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Level 0 continued with its rates, u^(k) + time u^(k+1), into events.u. */
static PetscErrorCode continue_level(RungStepper stepper, PetscReal time)
{
  RungEvents      *events = &stepper->events;
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  for (PetscInt k = 0; k <= stepper->traits.order; ++k) {
    PetscCall(VecCopy(state->u[k], events->u[k]));
    if (k < stepper->traits.order) PetscCall(VecAXPY(events->u[k], time, state->u[k + 1]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEventsAhead(RungStepper stepper, PetscInt e, PetscReal time, PetscReal *change)
{
  RungEvents            *events = &stepper->events;
  const RungEventRecord *event  = &events->event[e];
  const RungState       *state;
  PetscReal              g[2];

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  for (int i = 0; i < 2; ++i) {
    PetscCall(continue_level(stepper, i * time));
    if (event->gauge) {
      PetscCall(RungEventsQuantities(stepper, state->t + i * time, events->u));
      PetscCall(RungGaugeEvaluate(event->gauge, state->t + i * time, events->quantity, &g[i]));
    } else
      PetscCall(call_function(stepper, event, state->t + i * time, events->u, &g[i]));
  }
  *change = PetscIsInfOrNanReal(g[1]) ? NAN : g[1] - g[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}
