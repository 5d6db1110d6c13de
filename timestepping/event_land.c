/* event_land.c - a step that meets an event is made again, so that it ends there.

   Where g goes through zero is found on values between the levels, which are of a lower order than the levels themselves.  So the step
   is made anew to that time, from the same level, and to the next guess of regula falsi (Illinois) between a length
   whose g has the old sign and one whose g has the new one, until the bracket is as short as the tolerance or g is 0
   but for rounding.  The level that is accepted has the new sign, or g = 0. */
#include "step_impl.h"

#define ATTEMPTS 12
#define FINE     20                           /* after an event places h/4, h/16, .. are looked at, so many */
#define FINEST   32                           /* parts of a step at most           */
#define SAME     (64 * PETSC_MACHINE_EPSILON) /* of the largest |g|: 0 but for rounding */
#define PART     0.1                          /* of the least |g|: how far a place may be from what others lead to */
#define END      1e-8                         /* of a step, and     */
#define END_RUN  1e-10                        /* of the run: an event so near to an end of a step happens there */

typedef struct {
  RungStepper      stepper;
  const RungState *from, *to;
  PetscInt         number; /* of the event that is looked for   */
  PetscReal       *g;      /* [events]                          */
} Look;

static PetscErrorCode look_at(const Look *it, PetscInt only, PetscReal place)
{
  RungEvents *events = &it->stepper->events;
  PetscReal   t      = it->from->t + place * (it->to->t - it->from->t);

  PetscFunctionBegin;
  PetscCall(RungStepperBetween(it->stepper, it->from, it->to, t, events->u));
  PetscCall(RungEventsEvaluate(it->stepper, only, t, events->u, it->g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode look_once(PetscReal place, PetscReal *g, void *ctx)
{
  const Look *it = ctx;

  PetscFunctionBegin;
  PetscCall(look_at(it, it->number, place));
  *g = it->g[it->number];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_place(const Look *it, PetscReal place, RungTrack track[])
{
  PetscFunctionBegin;
  if (place == 1)
    PetscCall(RungEventsEvaluate(it->stepper, -1, it->to->t, it->to->u, it->g));
  else if (place > 0)
    PetscCall(look_at(it, -1, place));
  for (PetscInt e = 0; e < it->stepper->events.n; ++e) {
    RungEventRecord *event = &it->stepper->events.event[e];

    if (place == 0) it->g[e] = event->value;
    if (place == 1) event->next = it->g[e];
    event->scale = PetscMax(event->scale, PetscAbsReal(it->g[e]));
    RungTrackAdd(&track[e], place, it->g[e]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Places added until g at one that is new is what those before lead to, as far as it matters for whether g comes near zero. */
static PetscErrorCode refine(const Look *it, RungTrack track[])
{
  PetscFunctionBegin;
  for (PetscInt parts = 2 * it->stepper->events.parts; parts <= FINEST; parts *= 2) {
    const PetscReal probe = (PetscReal)(5 * parts / 8 | 1) / (PetscReal)parts;
    PetscBool       seen  = PETSC_TRUE;

    PetscCall(look_at(it, -1, probe));
    for (PetscInt e = 0; e < it->stepper->events.n; ++e) {
      PetscReal least = PetscAbsReal(it->g[e]);

      for (PetscInt i = 0; i < track[e].n; ++i) least = PetscMin(least, PetscAbsReal(track[e].g[i]));
      if (PetscAbsReal(it->g[e] - RungTrackGuess(&track[e], probe)) >
          PetscMax(PART * least, it->stepper->events.event[e].rest))
        seen = PETSC_FALSE;
    }
    for (PetscInt e = 0; e < it->stepper->events.n; ++e) RungTrackAdd(&track[e], probe, it->g[e]);
    if (seen) break;
    for (PetscInt i = 1; i < parts; i += 2) {
      if (i / (PetscReal)parts != probe) PetscCall(add_place(it, i / (PetscReal)parts, track));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* g of all events at the ends of the step, at its quarters (-stepper_event_parts) or nearer, and near its beginning
   where one of them sleeps. */
static PetscErrorCode make_tracks(const Look *it, RungTrack track[])
{
  const PetscInt parts  = it->stepper->events.parts;
  PetscReal      place  = 0.25;
  PetscBool      sleeps = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < it->stepper->events.n; ++e) {
    track[e].n = 0;
    sleeps     = sleeps || (it->stepper->events.fresh && !it->stepper->events.event[e].side) ? PETSC_TRUE : PETSC_FALSE;
  }
  for (PetscInt i = 0; i <= parts; ++i) PetscCall(add_place(it, (PetscReal)i / (PetscReal)parts, track));
  PetscCall(refine(it, track));
  for (PetscInt i = 1; i < FINE && sleeps; ++i) {
    place /= 4;
    PetscCall(add_place(it, place, track));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How far apart two times are the same. */
static PetscReal tolerance(const RungEventRecord *event, PetscReal t)
{
  return PetscMax(event->said.tol, 8 * PETSC_MACHINE_EPSILON * PetscAbsReal(t));
}

/* crossing[events]; *first: the event that comes first, -1: none does. */
static PetscErrorCode find_first(Look *it, PetscReal h, RungTrack track[], RungCrossing crossing[], PetscInt *first)
{
  PetscFunctionBegin;
  *first = -1;
  PetscCall(make_tracks(it, track));
  for (PetscInt e = 0; e < it->stepper->events.n; ++e) {
    const RungEventRecord *event = &it->stepper->events.event[e];

    it->number   = e;
    track[e].fn  = look_once;
    track[e].ctx = it;
    PetscCall(RungTrackFind(&track[e], event->side, event->rest, event->said.direction,
                            tolerance(event, it->to->t) / (4 * h), &crossing[e]));
    if (crossing[e].found && (*first < 0 || crossing[e].place < crossing[*first].place)) *first = e;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- landing ------------------------------------------------------------------------------------------------------ */

/* Lengths of a step whose ends lie before and behind the event. */
typedef struct {
  PetscReal low, high, g_low, g_high, g_start; /* g_start: of level 0 */
  PetscBool low_made, high_made;               /* an attempt, or level 0, says so; else values between levels do */
  int       side;                              /* sign of g before the event                                   */
  int       last;                              /* the end that was moved last, -1: low, 1: high                 */
} Bracket;

/* Where the line through both ends goes through zero, within the bracket. */
static PetscReal guess(const Bracket *b, PetscReal tol)
{
  const PetscReal d = b->g_high - b->g_low, h = d != 0 ? b->low - b->g_low * (b->high - b->low) / d : b->high;

  if (!(h > b->low + tol / 2)) return PetscMin(b->low + tol / 2, b->high);
  if (!(h < b->high - tol / 2)) return b->high_made ? PetscMax(b->high - tol / 2, b->low) : b->high;
  return h;
}

static void take_end(Bracket *b, PetscReal h, PetscReal g, PetscReal tol)
{
  if (g * b->side <= 0) {
    if (b->last > 0) b->g_low /= 2; /* Illinois: the other end has stayed twice */
    if (!b->low_made && (h <= b->low + tol || PetscAbsReal(g) >= PetscAbsReal(b->g_low) / 2)) {
      /* Values between levels are off by about g, so that the event may be before their low end. */
      b->low = 0, b->low_made = PETSC_TRUE;
      b->g_low = b->side * PetscMax(b->g_start * b->side, PetscMax(PetscAbsReal(b->g_low), PetscAbsReal(g)));
    }
    b->high = h, b->g_high = g, b->high_made = PETSC_TRUE, b->last = 1;
    return;
  }
  if (b->last < 0) b->g_high /= 2;
  b->low = h, b->g_low = g, b->low_made = PETSC_TRUE, b->last = -1;
}

/* The step from level 0 of length h, and g there; *good: it may be accepted. */
static PetscErrorCode try_length(const Look *it, PetscReal h, RungVerdict *verdict, PetscReal *ratio, PetscBool *good)
{
  RungStepper stepper = it->stepper;
  RungState  *to;

  PetscFunctionBegin;
  ++stepper->statistics.located;
  PetscCall(RungLoopPropose(stepper, h, it->from->t + h, verdict, ratio));
  *good = verdict->solved && (!stepper->adaptive || verdict->error <= 1) ? PETSC_TRUE : PETSC_FALSE;
  if (!*good) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemGetProposal(stepper->ts, &to));
  PetscCall(RungEventsEvaluate(stepper, -1, to->t, to->u, it->g));
  for (PetscInt e = 0; e < stepper->events.n; ++e) {
    stepper->events.event[e].next  = it->g[e];
    stepper->events.event[e].scale = PetscMax(stepper->events.event[e].scale, PetscAbsReal(it->g[e]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *h is the length of the last attempt; *landed: it ends at the event. */
static PetscErrorCode close_in(const Look *it, const RungCrossing *crossing, PetscReal length, PetscReal *h,
                               RungVerdict *verdict, PetscReal *ratio, PetscBool *landed)
{
  const RungEventRecord *event = &it->stepper->events.event[it->number];
  const PetscReal        tol   = tolerance(event, it->from->t + length);
  Bracket                b     = {.low       = crossing->low * length,
                                  .high      = crossing->high * length,
                                  .g_low     = crossing->g_low,
                                  .g_high    = crossing->g_high,
                                  .g_start   = event->value,
                                  .low_made  = crossing->low == 0 ? PETSC_TRUE : PETSC_FALSE,
                                  .high_made = PETSC_FALSE,
                                  .side      = crossing->side};
  PetscBool              good  = PETSC_TRUE;

  PetscFunctionBegin;
  *landed = PETSC_FALSE;
  *h      = crossing->place * length;
  for (PetscInt i = 0; i < ATTEMPTS && good; ++i) {
    PetscReal g;

    PetscCall(try_length(it, *h, verdict, ratio, &good));
    if (!good) break;
    g = event->next;
    take_end(&b, *h, g, tol);
    *landed = g * b.side <= 0 ? PETSC_TRUE : PETSC_FALSE;
    if (*landed && (b.high - b.low <= tol || PetscAbsReal(g) <= 4 * PETSC_MACHINE_EPSILON * event->scale)) break;
    if (!*landed && !b.high_made && *h >= b.high - PETSC_MACHINE_EPSILON * *h) break; /* what was seen is not there */
    *h = i == ATTEMPTS - 2 || (b.high_made && b.high - b.low <= tol) ? b.high : guess(&b, tol);
  }
  if (!good) *landed = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How far behind its zero the end of a proposal of length h is, by the line from level 0; negative: before it.  The event has a side. */
static PetscReal lateness(const RungEventRecord *event, PetscReal h)
{
  const PetscReal value = PetscAbsReal(event->value), next = PetscAbsReal(event->next);

  if (next <= SAME * event->scale) return 0;
  return (event->next * event->side < 0 ? h : -h) * next / (value + next);
}

/* A step of rounding's size makes rates of nothing but rounding: what is nearer to an end of a step is taken to be there. */
static PetscReal nearness(const Look *it, PetscReal length)
{
  const PetscReal run  = it->stepper->t1 - it->stepper->t0;
  const PetscReal size = PetscMax(PetscAbsReal(it->from->t), PetscAbsReal(it->from->t + length));

  return PetscMax(PetscMin(END * length, END_RUN * run), 4 * PETSC_MACHINE_EPSILON * size);
}

/* Events that go through zero at the end of the proposal, or so near behind it that nobody can tell; of those that are awake the level
   itself says whether it is there yet: where g is 0 but for rounding, a slow one has its place far behind it. */
static void mark(const Look *it, const RungCrossing crossing[], PetscReal length, PetscReal h, PetscReal t)
{
  const PetscReal near = nearness(it, length);

  for (PetscInt e = 0; e < it->stepper->events.n; ++e) {
    RungEventRecord *event = &it->stepper->events.event[e];
    const PetscReal  tol   = 2 * tolerance(event, t);

    event->meets = crossing[e].found && crossing[e].place * length <= h + (event->side ? PetscMax(tol, near) : tol) &&
                       (!event->side || h == length || h <= 0 || lateness(event, h) >= -tol)
                     ? PETSC_TRUE
                     : PETSC_FALSE;
  }
}

/* The event that the proposal has gone past by most, besides the one that it ends at: values between levels had it later.  -1: none. */
static PetscInt find_earlier(const Look *it, PetscReal h, PetscReal t)
{
  PetscInt  found = -1;
  PetscReal most  = 0;

  for (PetscInt e = 0; e < it->stepper->events.n; ++e) {
    const RungEventRecord   *event     = &it->stepper->events.event[e];
    const RungEventDirection direction = event->side > 0 ? RUNG_FALLING : RUNG_RISING;

    if (e == it->number || !event->side || (event->said.direction && event->said.direction != direction)) continue;
    if (lateness(event, h) <= PetscMax(most, 2 * tolerance(event, t))) continue;
    most  = lateness(event, h);
    found = e;
  }
  return found;
}

/* The step that ends at the first event, by levels and not by values between them. */
static PetscErrorCode land(Look *it, RungCrossing crossing[], PetscReal length, PetscReal *h, RungVerdict *verdict,
                           PetscReal *ratio, PetscBool *landed)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < it->stepper->events.n; ++i) {
    const RungEventRecord *event;
    PetscInt               e;

    PetscCall(close_in(it, &crossing[it->number], length, h, verdict, ratio, landed));
    if (!*landed) break;
    crossing[it->number].place = *h / length;
    e                          = find_earlier(it, *h, it->from->t + *h);
    if (e < 0) break;
    event       = &it->stepper->events.event[e];
    crossing[e] = (RungCrossing){.found  = PETSC_TRUE,
                                 .place  = (*h - lateness(event, *h)) / length,
                                 .high   = *h / length,
                                 .g_low  = event->value,
                                 .g_high = event->next,
                                 .side   = event->side};
    it->number  = e;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Events that sleep and whose g has left 0 before the end of the proposal, where it may be near 0 again. */
static void wake(RungStepper stepper, const RungTrack track[], PetscReal end)
{
  for (PetscInt e = 0; e < stepper->events.n; ++e) {
    RungEventRecord *event = &stepper->events.event[e];

    for (PetscInt i = 0; i < track[e].n && track[e].place[i] < end; ++i) {
      if (PetscAbsReal(track[e].g[i]) > event->rest) event->wakes = track[e].g[i] > 0 ? 1 : -1;
    }
  }
}

static PetscErrorCode meet(Look *it, RungTrack track[], RungCrossing crossing[], PetscReal *h, PetscReal *t,
                           RungVerdict *verdict, PetscReal *ratio, RungMeeting *meeting)
{
  RungStepper     stepper = it->stepper;
  const PetscReal length = *h, near = nearness(it, length);
  PetscInt        first;
  PetscBool       landed;

  PetscFunctionBegin;
  PetscCall(find_first(it, length, track, crossing, &first));
  wake(stepper, track, first < 0 ? 1 : crossing[first].place);
  if (first < 0) PetscFunctionReturn(PETSC_SUCCESS);
  if (crossing[first].place * length <= near) {
    PetscCall(RungTransientSystemRollBack(stepper->ts));
    mark(it, crossing, length, near, *t);
    for (PetscInt e = 0; e < stepper->events.n; ++e) stepper->events.event[e].due = stepper->events.event[e].meets;
    *meeting = RUNG_MEETS_HERE;
    ++stepper->statistics.located;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *meeting   = RUNG_MEETS_LAND;
  it->number = first;
  if ((1 - crossing[first].place) * length <= PetscMax(near, tolerance(&stepper->events.event[first], *t)) &&
      stepper->events.event[first].next * crossing[first].side <= 0) {
    mark(it, crossing, length, length, *t); /* the step ends there anyway */
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(land(it, crossing, length, h, verdict, ratio, &landed));
  first = it->number;
  *t    = it->from->t + *h;
  if (landed)
    mark(it, crossing, length, *h, *t);
  else
    *meeting = RUNG_MEETS_SHORT;
  stepper->events.event[first].meets = landed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEventsMeet(RungStepper stepper, PetscReal *h, PetscReal *t, RungVerdict *verdict, PetscReal *ratio,
                              RungMeeting *meeting)
{
  const PetscInt n  = stepper->events.n;
  Look           it = {.stepper = stepper};
  RungState     *to;
  RungTrack     *track;
  RungCrossing  *crossing;

  PetscFunctionBegin;
  *meeting = RUNG_MEETS_NOTHING;
  for (PetscInt e = 0; e < n; ++e) {
    stepper->events.event[e].meets = PETSC_FALSE;
    stepper->events.event[e].wakes = 0;
  }
  if (!n || !verdict->solved || (stepper->adaptive && verdict->error > 1)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &it.from));
  PetscCall(RungTransientSystemGetProposal(stepper->ts, &to));
  it.to = to;
  PetscCall(PetscMalloc3(n, &it.g, n, &track, n, &crossing));
  RungCallFinally(meet(&it, track, crossing, h, t, verdict, ratio, meeting),
                  PetscCall(PetscFree3(it.g, track, crossing)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
