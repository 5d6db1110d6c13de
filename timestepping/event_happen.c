/* event_happen.c - events at level 0: what they change, and runs that cannot get past them.

   All that are due happen together.  Right sides are evaluated first; then unknowns get their values and rates become consistent, with
   the constants of before; then constants change, which RungJumpsCross() sees. */
#include "step_impl.h"
#include <petsc/private/petscimpl.h> /* PetscObjectStateIncrease */
#include <rungcallback_room.h>

#define ROUNDING (8 * PETSC_MACHINE_EPSILON) /* of the largest |g|: what says no more than 0             */
#define JUMPY    1e-4                        /* of the largest |g|: above it g was not near 0 at an event */
#define SOLVED   1e-7                        /* of the largest |g|: as far as rates found anew may move g   */
#define AHEAD    1e-2                        /* of a step: so far rates are followed that lead g through 0 */
#define STOPPED  1e-6                        /* of its rate before: what a jump leaves of it where it stops g */
#define NOW      1e-8                        /* of a step, and                                            */
#define NOW_RUN  1e-10                       /* of the run: an event so near happens with one that jumps   */
#define STUCK    100                         /* events at one time                                        */
#define FEW      10                          /* times that tell whether they pile up                      */
#define NEAR     1e-6                        /* of the time from the first of them to their limit         */

static int sign_of(PetscReal g)
{
  return g > 0 ? 1 : g < 0 ? -1 : 0;
}

PetscErrorCode RungEventsStart(RungStepper stepper, PetscBool anew)
{
  RungEvents      *events = &stepper->events;
  const RungState *state;
  PetscReal       *g;

  PetscFunctionBegin;
  events->stopped = PETSC_FALSE;
  events->stuck   = 0;
  events->last    = NAN;
  events->fresh   = PETSC_TRUE;
  events->missing = (RungMissing){.n = 0};
  if (!events->n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  PetscCall(PetscMalloc1(events->n, &g));
  RungCallOrUndo(RungEventsEvaluate(stepper, -1, state->t, state->u, g), PetscCall(PetscFree(g)));
  for (PetscInt e = 0; e < events->n; ++e) {
    RungEventRecord *event = &events->event[e];

    event->value = g[e];
    event->count = 0;
    event->due = event->meets = event->lost = PETSC_FALSE;
    event->came                             = 0;
    if (anew) event->scale = event->rest = 0;
    event->scale = PetscMax(event->scale, PetscAbsReal(g[e]));
    if (anew || PetscAbsReal(g[e]) > event->rest) event->side = sign_of(g[e]);
  }
  PetscCall(PetscFree(g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does g go the way that the event is about? */
static PetscBool is_wanted(const RungEventRecord *event)
{
  return event->said.direction == RUNG_BOTH || (event->said.direction == RUNG_FALLING) == (event->side > 0)
           ? PETSC_TRUE
           : PETSC_FALSE;
}

/* A ball whose flights become so short that they are rounding, and that falls through its floor then. */
static void look_for_lost(RungEventRecord *event)
{
  if (!event->side) return;
  event->lost = event->came && event->side != event->came ? PETSC_TRUE : PETSC_FALSE;
  event->came = 0;
}

void RungEventsAccepted(RungStepper stepper)
{
  RungEvents *events = &stepper->events;

  events->fresh = PETSC_FALSE;
  for (PetscInt e = 0; e < events->n; ++e) {
    RungEventRecord *event = &events->event[e];
    const int        now   = sign_of(event->next);

    event->value = event->next;
    if (!event->side) event->side = event->wakes;
    event->wakes = 0;
    event->due   = event->meets || (event->side && now != event->side && is_wanted(event)) ? PETSC_TRUE : PETSC_FALSE;
    event->meets = PETSC_FALSE;
    if (event->due) continue;
    if (event->side ? now != 0 : PetscAbsReal(event->value) > event->rest)
      event->side = now;
    else if (event->side)
      event->side = 0, event->rest = ROUNDING * event->scale;
    look_for_lost(event);
  }
}

/* ---- changes ------------------------------------------------------------------------------------------------------ */

static PetscErrorCode act(RungState *state, void *ctx)
{
  RungStepper stepper = ctx;
  RungEvents *events  = &stepper->events;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < events->n; ++e) {
    const RungEventRecord *event = &events->event[e];
    char                   what[RUNG_NAME_LENGTH + 64];

    if (!event->due) continue;
    for (PetscInt i = 0; i < event->changes; ++i) PetscCall(RungChangePut(event->change[i].change, state->u));
    if (!event->said.act) continue;
    PetscCall(PetscSNPrintf(what, sizeof what, "function that event \"%s\" calls", event->name));
    RungCallback(stepper->comm, what, event->said.act(stepper, state->t, state->u, event->said.ctx));
    PetscCall(RungSystemCheckConstants(stepper->sys));    /* which it may change */
    for (PetscInt k = 0; k <= stepper->traits.order; ++k) /* on ranks whose function wrote nothing, too */
      PetscCall(PetscObjectStateIncrease((PetscObject)state->u[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Right sides of what is due; jumps: an unknown may change, constants: one does. */
static PetscErrorCode evaluate_changes(RungStepper stepper, const RungState *state, PetscBool *jumps,
                                       PetscBool *constants)
{
  RungEvents *events = &stepper->events;

  PetscFunctionBegin;
  *jumps = *constants = PETSC_FALSE;
  for (PetscInt e = 0; e < events->n; ++e) {
    const RungEventRecord *event = &events->event[e];

    if (!event->due) continue;
    if (event->said.act) *jumps = PETSC_TRUE;
    for (PetscInt i = 0; i < event->changes; ++i) {
      const char *constant;

      PetscCall(RungChangeEvaluate(event->change[i].change, state->t, state->u, events->quantity));
      PetscCall(RungChangeGetConstant(event->change[i].change, &constant, NULL));
      if (constant)
        *constants = PETSC_TRUE;
      else
        *jumps = PETSC_TRUE;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- runs that do not get past their events ------------------------------------------------------------------------- */

/* Times that come ever faster, each distance a part of the one before: where they lead to, if that is near. */
static PetscBool pile_up(const RungEventRecord *event, PetscReal *limit)
{
  const PetscReal *t = event->t + event->count - 1;
  PetscReal        last, part;

  if (event->count < FEW) return PETSC_FALSE;
  for (PetscInt i = 0; i < FEW - 2; ++i) {
    if (!(t[-i] - t[-i - 1] < (1 - 1e-6) * (t[-i - 1] - t[-i - 2]))) return PETSC_FALSE;
  }
  last   = t[0] - t[-1];
  part   = last / (t[-1] - t[-2]);
  *limit = t[0] + last * part / (1 - part);
  return *limit - t[0] < NEAR * (*limit - event->t[0]) ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode check_progress(RungStepper stepper, const RungEventRecord *event, PetscReal t)
{
  RungEvents *events = &stepper->events;
  PetscReal   limit;

  PetscFunctionBegin;
  events->stuck = t == events->last ? events->stuck + 1 : 0;
  events->last  = t;
  PetscCheck(events->stuck < STUCK, stepper->comm, PETSC_ERR_NOT_CONVERGED,
             "event \"%s\" happens again and again at t = %.12g, with others or alone: what it changes leads g back at "
             "once; let it change between two values of g that lie apart",
             event->name, (double)t);
  PetscCheck(!pile_up(event, &limit), stepper->comm, PETSC_ERR_NOT_CONVERGED,
             "event \"%s\" happens ever faster (%" PetscInt_FMT
             " times to t = %.10g, limit %.10g); end the run there with `stop after %" PetscInt_FMT
             "` of the event, or RungEvent.stop",
             event->name, event->count, (double)t, (double)limit, event->count - FEW);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is due -------------------------------------------------------------------------------------------------- */

static PetscErrorCode add_time(RungEventRecord *event, PetscReal t)
{
  PetscFunctionBegin;
  if (event->count == event->room) {
    event->room = 2 * event->room + 16;
    PetscCall(PetscRealloc(sizeof *event->t * (size_t)event->room, &event->t));
  }
  event->t[event->count++] = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counted, written, shown; quantities are those before it. */
static PetscErrorCode count_all(RungStepper stepper, PetscReal t)
{
  RungEvents *events = &stepper->events;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < events->n; ++e) {
    RungEventRecord *event = &events->event[e];

    if (!event->due) continue;
    PetscCall(add_time(event, t));
    ++stepper->statistics.events;
    PetscCall(RungExplainEvent(stepper, event));
    if (event->said.stop && event->count >= event->said.stop) events->stopped = PETSC_TRUE;
  }
  PetscCall(RungEventsLogRow(stepper, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does an event that is due change the level or a constant? */
static PetscBool changes_are_due(const RungEvents *events)
{
  for (PetscInt e = 0; e < events->n; ++e) {
    if (events->event[e].due && (events->event[e].changes || events->event[e].said.act)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* An event that is a rounding away from its zero, to which its rates lead it, happens with those that are due: what they change could
   take g away from zero. */
static PetscErrorCode join(RungStepper stepper, PetscReal h)
{
  RungEvents     *events = &stepper->events;
  const PetscReal near   = PetscMin(NOW * h, NOW_RUN * (stepper->t1 - stepper->t0));

  PetscFunctionBegin;
  if (!changes_are_due(events)) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt e = 0; e < events->n; ++e) {
    RungEventRecord *event = &events->event[e];
    PetscReal        goes;

    if (event->due || !event->side || !is_wanted(event) || !(PetscAbsReal(event->value) < JUMPY * event->scale))
      continue;
    PetscCall(RungEventsAhead(stepper, e, AHEAD * h, &goes));
    if (-event->side * goes * near >= PetscAbsReal(event->value) * AHEAD * h) event->due = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rates that lead g through zero, before what is due with a jump; h: of a step. */
static PetscErrorCode look_ahead(RungStepper stepper, PetscReal h)
{
  RungEvents *events = &stepper->events;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < events->n; ++e) {
    events->event[e].comes = NAN;
    if (events->event[e].due && (events->event[e].changes || events->event[e].said.act))
      PetscCall(RungEventsAhead(stepper, e, AHEAD * h, &events->event[e].comes));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Has the jump stopped g, which is 0 but for rounding, or turned it?  Then g has nothing to look for on the other side. */
static PetscErrorCode find_turn(RungStepper stepper, PetscInt e, PetscReal h, int side, PetscBool *turned)
{
  const RungEventRecord *event = &stepper->events.event[e];
  const PetscReal        comes = -side * event->comes; /* > 0: to the other side */
  PetscReal              goes;

  PetscFunctionBegin;
  *turned = PETSC_FALSE;
  if (!(comes > ROUNDING * event->scale)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungEventsAhead(stepper, e, AHEAD * h, &goes));
  if (-side * goes <= PetscMax(STOPPED * comes, ROUNDING * event->scale)) *turned = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where g stands behind the changes: events that have happened, and those whose g became 0 but for rounding by them, sleep until it has
   left 0.  A jump moves a g of highest rates, as a reaction, by the accuracy of what finds them: that is no return to its side.
   One whose g was so near to 0 before and is there still keeps its side: its zero is nearer than rounding can tell, and the next
   step says whether g goes through it. */
static PetscErrorCode renew_sides(RungStepper stepper, PetscBool jumps, PetscReal h, PetscReal g[])
{
  RungEvents      *events = &stepper->events;
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  PetscCall(RungEventsEvaluate(stepper, -1, state->t, state->u, g));
  for (PetscInt e = 0; e < events->n; ++e) {
    RungEventRecord *event = &events->event[e];

    if (event->due) {
      const int       side   = event->side;
      const PetscReal moved  = PetscAbsReal(g[e] - event->value);
      PetscBool       turned = PETSC_FALSE;

      event->rest = PetscMin(4 * PetscAbsReal(event->value), JUMPY * event->scale);
      event->rest = PetscMax(event->rest, ROUNDING * event->scale);
      if (moved <= SOLVED * event->scale) event->rest = PetscMax(event->rest, 4 * moved);
      event->side = PetscAbsReal(g[e]) > event->rest ? sign_of(g[e]) : 0;
      if (jumps && !event->side) PetscCall(find_turn(stepper, e, h, side, &turned));
      event->came = turned ? side : 0;
    } else {
      event->came = 0;
      if (event->side) event->rest = ROUNDING * event->scale;
      if (PetscAbsReal(g[e]) > event->rest)
        event->side = sign_of(g[e]);
      else if (PetscAbsReal(event->value) > event->rest)
        event->side = 0;
    }
    event->scale = PetscMax(event->scale, PetscAbsReal(g[e]));
    event->value = g[e];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode happen(RungStepper stepper, PetscReal h, PetscReal g[], PetscBool *changed)
{
  RungEvents      *events = &stepper->events;
  const RungState *state;
  PetscBool        jumps, constants;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  PetscCall(RungQuantitiesUpdate(stepper));
  PetscCall(join(stepper, h));
  PetscCall(look_ahead(stepper, h));
  PetscCall(RungEventsQuantities(stepper, state->t, state->u));
  PetscCall(evaluate_changes(stepper, state, &jumps, &constants));
  PetscCall(count_all(stepper, state->t));
  if (jumps) {
    PetscCall(RungTransientSystemJump(stepper->ts, act, stepper));
    PetscCall(RungJumpsTell(stepper));
  }
  for (PetscInt e = 0; e < events->n; ++e) {
    for (PetscInt i = 0; i < events->event[e].changes && events->event[e].due; ++i)
      PetscCall(RungChangeSet(events->event[e].change[i].change));
  }
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  if (state->t < stepper->t1) PetscCall(RungJumpsCross(stepper, state->t, h));
  PetscCall(renew_sides(stepper, jumps, h, g));
  *changed = (PetscBool)(jumps || constants);
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  for (PetscInt e = 0; e < events->n; ++e) {
    const PetscBool due = events->event[e].due;

    events->event[e].due = PETSC_FALSE;
    if (due && !events->stopped) PetscCall(check_progress(stepper, &events->event[e], state->t));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RungEventsPending(RungStepper stepper)
{
  for (PetscInt e = 0; e < stepper->events.n; ++e)
    if (stepper->events.event[e].due) return PETSC_TRUE;
  return PETSC_FALSE;
}

static PetscErrorCode tell_lost(RungStepper stepper)
{
  PetscFunctionBegin;
  for (PetscInt e = 0; e < stepper->events.n; ++e) {
    RungEventRecord *event = &stepper->events.event[e];

    if (!event->lost) continue;
    event->lost = PETSC_FALSE;
    PetscCall(
      RungWarning(stepper->comm,
                  "event \"%s\" has happened at t = %.10g, %" PetscInt_FMT
                  " times so far, and what it changes has stopped g or turned it, yet g has left 0 to the other side "
                  "since: a return so short is lost in rounding, and with it what the event changes; end the run "
                  "there with `stop after %" PetscInt_FMT "` of the event, or RungEvent.stop, or let it change what "
                  "holds g at 0",
                  event->name, (double)event->t[event->count - 1], event->count, event->count));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEventsHappen(RungStepper stepper, PetscReal h, PetscBool *changed)
{
  RungEvents *events = &stepper->events;
  PetscReal  *g;

  PetscFunctionBegin;
  *changed = PETSC_FALSE;
  PetscCall(tell_lost(stepper));
  if (!RungEventsPending(stepper)) PetscFunctionReturn(PETSC_SUCCESS);
  events->fresh = PETSC_TRUE;
  PetscCall(PetscMalloc1(events->n, &g));
  RungCallFinally(happen(stepper, h, g, changed), PetscCall(PetscFree(g)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
