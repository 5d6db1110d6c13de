/* event_save.c - events in a checkpoint: where each stands, when it has happened, what it has made of constants.

   Texts "event NAME": side, rest, scale, due, count, and their times in pieces behind it; "event NAME, came" while it sleeps behind a
   jump that stopped or turned g; "event NAME, what" in words what it is.  Numbers are hexadecimal, so that a run goes on bit for bit.  A constant that some event changes is a state, "changed NAME". */
#include "step_impl.h"

#include <stdlib.h>

#define PIECE 500 /* times of one text */

/* visit of every constant that an event changes */
static PetscErrorCode visit_constants(RungStepper stepper, RungCheckpoint file,
                                      PetscErrorCode (*visit)(RungStepper, RungCheckpoint, const char[], PetscReal))
{
  PetscFunctionBegin;
  for (PetscInt e = 0; e < stepper->events.n; ++e) {
    const RungEventRecord *event = &stepper->events.event[e];

    for (PetscInt i = 0; i < event->changes; ++i) {
      const char *constant;
      PetscReal   value;

      PetscCall(RungChangeGetConstant(event->change[i].change, &constant, &value));
      if (constant) PetscCall(visit(stepper, file, constant, value));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode constant_name(const char constant[], char name[], size_t size)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, size, "changed %s", constant));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode save_constant(RungStepper stepper, RungCheckpoint file, const char constant[], PetscReal value)
{
  char      name[RUNG_NAME_LENGTH + 32];
  PetscBool has;

  PetscFunctionBegin;
  (void)stepper;
  PetscCall(constant_name(constant, name, sizeof name));
  PetscCall(RungCheckpointHas(file, name, &has)); /* another event changes it, too */
  if (!has) PetscCall(RungCheckpointPutReal(file, name, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode load_constant(RungStepper stepper, RungCheckpoint file, const char constant[], PetscReal value)
{
  char      name[RUNG_NAME_LENGTH + 32];
  PetscBool has;

  PetscFunctionBegin;
  PetscCall(constant_name(constant, name, sizeof name));
  PetscCall(RungCheckpointHas(file, name, &has));
  if (has) PetscCall(RungCheckpointGetReal(file, name, &value));
  if (has) PetscCall(RungSystemSetConstant(stepper->sys, constant, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "event bounce", "event bounce, times 0", .. */
static PetscErrorCode text_name(const RungEventRecord *event, PetscInt piece, char name[], size_t size)
{
  PetscFunctionBegin;
  if (piece < 0)
    PetscCall(PetscSNPrintf(name, size, "event %s", event->name));
  else
    PetscCall(PetscSNPrintf(name, size, "event %s, times %" PetscInt_FMT, event->name, piece));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode came_name(const RungEventRecord *event, char name[], size_t size)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, size, "event %s, came", event->name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode save_came(const RungEventRecord *event, RungCheckpoint file)
{
  char name[RUNG_NAME_LENGTH + 64];

  PetscFunctionBegin;
  if (!event->came) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(came_name(event, name, sizeof name));
  PetscCall(RungCheckpointPutText(file, name, event->came > 0 ? "1" : "-1"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode save_times(const RungEventRecord *event, RungCheckpoint file)
{
  char      name[RUNG_NAME_LENGTH + 64];
  RungDraft text = {0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < event->count; ++i) {
    PetscCall(RungDraftAdd(&text, "%a ", (double)event->t[i]));
    if ((i + 1) % PIECE && i + 1 < event->count) continue;
    PetscCall(text_name(event, i / PIECE, name, sizeof name));
    PetscCall(RungCheckpointPutText(file, name, text.text));
    PetscCall(RungDraftClear(&text));
    text = (RungDraft){0};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "falling y: dt(y) becomes -e*dt(y)": what goes on under its name. */
static PetscErrorCode describe(const RungEventRecord *event, char name[], size_t size, RungDraft *what)
{
  const RungEvent *said = &event->said;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, size, "event %s, what", event->name));
  PetscCall(RungDraftAdd(what, "%s %s",
                         said->direction == RUNG_FALLING  ? "falling"
                         : said->direction == RUNG_RISING ? "rising"
                                                          : "both",
                         said->text ? said->text : "a function"));
  for (PetscInt i = 0; i < event->changes; ++i)
    PetscCall(RungDraftAdd(what, "%s %s becomes %s", i ? "," : ":", event->change[i].name, event->change[i].text));
  if (said->stop) PetscCall(RungDraftAdd(what, ", stop after %d", (int)said->stop));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode save_what(const RungEventRecord *event, RungCheckpoint file)
{
  char      name[RUNG_NAME_LENGTH + 64];
  RungDraft what = {0};

  PetscFunctionBegin;
  RungCallOrUndo(describe(event, name, sizeof name, &what), PetscCall(RungDraftClear(&what)));
  RungCallFinally(RungCheckpointPutText(file, name, what.text), PetscCall(RungDraftClear(&what)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEventsSave(RungStepper stepper, RungCheckpoint file)
{
  const RungEvents *events = &stepper->events;
  char              name[RUNG_NAME_LENGTH + 64], text[256];

  PetscFunctionBegin;
  if (!events->n) PetscFunctionReturn(PETSC_SUCCESS);
  (void)snprintf(text, sizeof text, "%d %d %a", (int)events->fresh, (int)events->stuck, (double)events->last);
  PetscCall(RungCheckpointPutText(file, "events", text));
  for (PetscInt e = 0; e < events->n; ++e) {
    const RungEventRecord *event = &events->event[e];

    (void)snprintf(text, sizeof text, "%d %a %a %d %d", event->side, (double)event->rest, (double)event->scale,
                   (int)event->due, (int)event->count);
    PetscCall(text_name(event, -1, name, sizeof name));
    PetscCall(RungCheckpointPutText(file, name, text));
    PetscCall(save_came(event, file));
    PetscCall(save_what(event, file));
    PetscCall(save_times(event, file));
  }
  PetscCall(visit_constants(stepper, file, save_constant));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- load --------------------------------------------------------------------------------------------------------- */

/* n numbers of a text */
static PetscErrorCode load_numbers(RungStepper stepper, RungCheckpoint file, const char name[], PetscInt n,
                                   PetscReal number[])
{
  char    *text, *at;
  PetscInt i = 0;

  PetscFunctionBegin;
  PetscCall(RungCheckpointGetText(file, name, &text));
  at = text;
  for (; i < n; ++i) {
    char *end;

    number[i] = (PetscReal)strtod(at, &end);
    if (end == at) break;
    at = end;
  }
  PetscCall(PetscFree(text));
  PetscCheck(i == n, stepper->comm, PETSC_ERR_FILE_UNEXPECTED,
             "checkpoint \"%s\" is refused: \"%s\" holds %" PetscInt_FMT " numbers, wanted %" PetscInt_FMT
             "; take one that this program wrote",
             stepper->restart.load, name, i, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode load_came(RungStepper stepper, RungEventRecord *event, RungCheckpoint file)
{
  char      name[RUNG_NAME_LENGTH + 64];
  PetscReal came = 0;
  PetscBool has;

  PetscFunctionBegin;
  PetscCall(came_name(event, name, sizeof name));
  PetscCall(RungCheckpointHas(file, name, &has));
  if (has) PetscCall(load_numbers(stepper, file, name, 1, &came));
  event->came = came > 0 ? 1 : came < 0 ? -1 : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Files of before it was kept have none. */
static PetscErrorCode compare_what(RungStepper stepper, const RungEventRecord *event, RungCheckpoint file)
{
  char           name[RUNG_NAME_LENGTH + 64], *then = NULL;
  RungDraft      what = {0};
  PetscBool      has, same = PETSC_TRUE;
  PetscErrorCode code = PETSC_SUCCESS;

  PetscFunctionBegin;
  RungCallOrUndo(describe(event, name, sizeof name, &what), PetscCall(RungDraftClear(&what)));
  PetscCall(RungCheckpointHas(file, name, &has));
  if (has) code = RungCheckpointGetText(file, name, &then);
  if (then) PetscCall(PetscStrcmp(then, what.text, &same));
  if (!same)
    code = RungWarning(stepper->comm,
                       "checkpoint \"%s\" was written with event %s \"%.300s\", going on with \"%.300s\"",
                       stepper->restart.load, event->name, then, what.text);
  PetscCall(PetscFree(then));
  PetscCall(RungDraftClear(&what));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode load_event(RungStepper stepper, RungEventRecord *event, RungCheckpoint file)
{
  char      name[RUNG_NAME_LENGTH + 64];
  PetscReal number[5] = {0};
  PetscBool has;

  PetscFunctionBegin;
  event->count = 0;
  PetscCall(text_name(event, -1, name, sizeof name));
  PetscCall(RungCheckpointHas(file, name, &has));
  if (!has) { /* it is new */
    PetscCall(RungWarning(stepper->comm, "checkpoint \"%s\" knows no event \"%s\": it is counted from here on",
                          stepper->restart.load, event->name));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(load_numbers(stepper, file, name, 5, number));
  PetscCheck(number[4] >= 0 && number[4] < 1e9, stepper->comm, PETSC_ERR_FILE_UNEXPECTED,
             "checkpoint \"%s\" is refused: event \"%s\" has happened %g times; take one that this program wrote",
             stepper->restart.load, event->name, (double)number[4]);
  event->side  = number[0] > 0 ? 1 : number[0] < 0 ? -1 : 0;
  event->rest  = number[1];
  event->scale = number[2];
  event->due   = number[3] != 0 ? PETSC_TRUE : PETSC_FALSE;
  event->count = event->room = (PetscInt)number[4];
  PetscCall(load_came(stepper, event, file));
  PetscCall(compare_what(stepper, event, file));
  PetscCall(PetscRealloc(sizeof *event->t * (size_t)event->room, &event->t));
  for (PetscInt i = 0; i < event->count; i += PIECE) {
    PetscCall(text_name(event, i / PIECE, name, sizeof name));
    PetscCall(load_numbers(stepper, file, name, PetscMin(PIECE, event->count - i), event->t + i));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEventsLoad(RungStepper stepper, RungCheckpoint file)
{
  RungEvents *events    = &stepper->events;
  PetscReal   number[3] = {1, 0, NAN};
  PetscBool   has;

  PetscFunctionBegin;
  if (!events->n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungEventsStart(stepper, PETSC_TRUE));
  PetscCall(RungCheckpointHas(file, "events", &has));
  if (has) PetscCall(load_numbers(stepper, file, "events", 3, number));
  events->fresh = number[0] != 0 ? PETSC_TRUE : PETSC_FALSE;
  events->stuck = (PetscInt)number[1];
  events->last  = number[2];
  for (PetscInt e = 0; e < events->n; ++e) PetscCall(load_event(stepper, &events->event[e], file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEventsLoadConstants(RungStepper stepper, RungCheckpoint file)
{
  PetscFunctionBegin;
  PetscCall(visit_constants(stepper, file, load_constant));
  PetscFunctionReturn(PETSC_SUCCESS);
}
