/* events.c - events of coupled systems.  A window in which the number of an event goes through zero is gone through
   again, to the time where it is zero: all systems stop there, what the event changes is put in, and the rest of the
   window is a window of its own.

   Numbers are looked at where windows end; behind an event, when its number may turn back at once, at quarters of the
   window, too. */
#include "coupling_impl.h"
#include <stdio.h>

#define ROUNDING (8 * PETSC_MACHINE_EPSILON) /* of the largest |g|: what says no more than 0 */
#define JUMPY    1e-4                        /* of the largest |g|: above it g was not near 0 */
#define PLACE    1e-12                       /* of a window: to find the time of an event      */
#define STUCK    1000                        /* events in one window                           */

/* ---- what is said ------------------------------------------------------------------------------------------------ */

PetscErrorCode RungHappeningsDestroy(RungCoupling c)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->consequences; ++i) {
    PetscCall(RungChangeDestroy(&c->consequence[i].change));
    PetscCall(PetscFree(c->consequence[i].target));
  }
  for (PetscInt i = 0; i < c->happenings; ++i) {
    RungHappening *h = &c->happening[i];

    PetscCall(RungGaugeDestroy(&h->gauge));
    PetscCall(RungJointDestroy(&h->value));
    PetscCall(PetscFree(h->name));
    PetscCall(PetscFree(h->said.text));
    PetscCall(PetscFree(h->t));
  }
  PetscCall(PetscFree(c->consequence));
  PetscCall(PetscFree(c->happening));
  PetscCall(PetscFree(c->saved_constant));
  PetscCall(PetscFree(c->whole_constant));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_event(RungCoupling c, const char name[], PetscInt *number)
{
  const char **list, *nearest;

  PetscFunctionBegin;
  PetscCheck(name, c->comm, PETSC_ERR_ARG_NULL, "an event without a name");
  for (*number = 0; *number < c->happenings; ++*number) {
    if (!strcmp(c->happening[*number].name, name)) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(c->happenings, &list));
  for (PetscInt i = 0; i < c->happenings; ++i) list[i] = c->happening[i].name;
  PetscCall(RungSuggest(name, c->happenings, list, &nearest));
  PetscCall(PetscFree(list));
  SETERRQ(c->comm, PETSC_ERR_ARG_WRONG, "there is no event \"%s\"%s%s%s", name,
          nearest ? "; did you mean \"" : ", add it to the coupling", nearest ? nearest : "", nearest ? "\"?" : "");
}

static PetscErrorCode check_event(RungCoupling c, const char name[], const RungEvent *event)
{
  PetscFunctionBegin;
  PetscCall(RungCouplingCheckNew(c, "RungCouplingAddEvent"));
  PetscCheck(name && name[0] && event, c->comm, PETSC_ERR_ARG_NULL, "an event without a name, or without what it is");
  PetscCheck(!event->fn && !event->act, c->comm, PETSC_ERR_SUP,
             "event \"%s\" has a function, which sees one stepper; an event of several systems is a text and changes",
             name);
  PetscCheck(event->text && event->text[0], c->comm, PETSC_ERR_ARG_NULL, "event \"%s\" without a text", name);
  PetscCheck(event->stop >= 0 && event->tol >= 0, c->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "event \"%s\" with a tolerance of %g that stops after %" PetscInt_FMT " times, wanted no negative numbers",
             name, (double)event->tol, event->stop);
  for (PetscInt i = 0; i < c->happenings; ++i)
    PetscCheck(strcmp(c->happening[i].name, name) != 0, c->comm, PETSC_ERR_ARG_WRONG,
               "there is an event \"%s\" already; give this one another name", name);
  PetscCall(RungColumnCheck(c->comm, "an event", name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingAddEvent(RungCoupling c, const char system[], const char name[], const RungEvent *event)
{
  RungHappening h = {.name = NULL};
  char          label[RUNG_NAME_LENGTH + 64];

  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(check_event(c, name, event));
  PetscCall(RungMemberFind(c, system, &h.member));
  (void)snprintf(label, sizeof label, "event %.*s", RUNG_NAME_LENGTH, name);
  if (h.member)
    PetscCall(RungGaugeCreate(h.member->sys, label, event->text, h.member->numbers,
                              (const char *const *)h.member->number_name, &h.gauge));
  else
    RungCallOrUndo(RungJointRead(c, label, event->text, &h.value), PetscCall(RungJointDestroy(&h.value)));
  h.said = *event;
  PetscCall(PetscStrallocpy(event->text, (char **)&h.said.text));
  PetscCall(PetscStrallocpy(name, &h.name));
  PetscCall(PetscRealloc((size_t)(c->happenings + 1) * sizeof *c->happening, &c->happening));
  c->happening[c->happenings++] = h;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The constant of a scope by its name: is there one with the value? */
static PetscErrorCode has_constant(RungScope scope, const char name[], PetscReal value, PetscBool *has)
{
  const char *const *names;
  const PetscReal   *values;
  PetscInt           n;

  PetscFunctionBegin;
  *has = PETSC_FALSE;
  PetscCall(RungScopeGetConstants(scope, &n, &names, &values));
  for (PetscInt i = 0; i < n; ++i)
    if (!strcmp(names[i], name) && values[i] == value) *has = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode count_alike(RungCoupling c, RungConsequence *one)
{
  const char *name;
  PetscReal   value;
  PetscBool   has = PETSC_FALSE;

  PetscFunctionBegin;
  one->alike = 0;
  PetscCall(RungChangeGetConstant(one->change, &name, &value));
  if (name) PetscCall(has_constant(c->scope, name, value, &has));
  for (PetscInt i = 0; i < c->members && has; ++i) {
    RungScope scope;
    PetscBool its;

    PetscCall(RungSystemGetScope(c->member[i]->sys, &scope));
    PetscCall(has_constant(scope, name, value, &its));
    one->alike += its ? 1 : 0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConsequencesFollow(RungCoupling c)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->consequences; ++i) {
    const RungConsequence *one = &c->consequence[i];
    const char            *name;
    PetscReal              value;
    PetscInt               n = 0;

    for (PetscInt k = 0; k < c->consequences; ++k)
      n += c->consequence[k].alike && c->consequence[k].event == one->event &&
           !strcmp(c->consequence[k].target, one->target);
    if (!one->alike || n < one->alike) continue;
    PetscCall(RungChangeGetConstant(one->change, &name, &value));
    PetscCall(RungScopeSetConstant(c->scope, name, value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingSetEventChange(RungCoupling c, const char event[], const char system[], const char target[],
                                          const char text[])
{
  RungConsequence one;
  char            label[RUNG_NAME_LENGTH + 64];

  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(RungCouplingCheckNew(c, "RungCouplingSetEventChange"));
  PetscCall(find_event(c, event, &one.event));
  PetscCheck(system, c->comm, PETSC_ERR_ARG_NULL, "a change by event \"%s\" of which system?", event);
  PetscCall(RungMemberFind(c, system, &one.member));
  PetscCheck(target && target[0] && text && text[0], c->comm, PETSC_ERR_ARG_NULL,
             "a change by event \"%s\" needs the name of an unknown or a constant, and a text", event);
  for (PetscInt i = 0; i < c->consequences; ++i)
    PetscCheck(c->consequence[i].event != one.event || c->consequence[i].member != one.member ||
                 strcmp(c->consequence[i].target, target) != 0,
               c->comm, PETSC_ERR_ARG_WRONG, "event \"%s\" changes \"%s\" twice; leave one away", event, target);
  (void)snprintf(label, sizeof label, "jump %.32s of %.64s", event, target);
  PetscCall(RungChangeCreate(one.member->sys, label, target, text, one.member->numbers,
                             (const char *const *)one.member->number_name, &one.change));
  RungCallOrUndo(count_alike(c, &one), PetscCall(RungChangeDestroy(&one.change)));
  PetscCall(PetscStrallocpy(target, &one.target));
  PetscCall(PetscRealloc((size_t)(c->consequences + 1) * sizeof *c->consequence, &c->consequence));
  c->consequence[c->consequences++] = one;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingGetEvent(RungCoupling c, const char name[], PetscInt *n, const PetscReal **t)
{
  PetscInt i;

  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(find_event(c, name, &i));
  if (n) *n = c->happening[i].count;
  if (t) *t = c->happening[i].t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode evaluate(RungCoupling c, const RungHappening *h, PetscReal t, PetscReal *g)
{
  PetscFunctionBegin;
  if (h->gauge) {
    const PetscReal *own = c->value + h->member->first;

    PetscCall(RungGaugeCheck(h->gauge, t, own));
    PetscCall(RungGaugeEvaluate(h->gauge, t, own, g));
  } else {
    PetscCall(RungJointEvaluate(c, &h->value, t, g));
  }
  PetscCheck(!PetscIsInfOrNanReal(*g), c->comm, PETSC_ERR_FP, "event %s: \"%s\" is not finite at t = %.10g", h->name,
             h->said.text, (double)t);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int sign_of(PetscReal g)
{
  return g > 0 ? 1 : g < 0 ? -1 : 0;
}

PetscErrorCode RungHappeningsStart(RungCoupling c, PetscReal t, PetscBool anew)
{
  PetscFunctionBegin;
  for (PetscInt e = 0; e < c->happenings; ++e) {
    RungHappening *h = &c->happening[e];

    PetscCall(evaluate(c, h, t, &h->g));
    if (anew) h->count = 0;
    h->due = PETSC_FALSE;
    if (!h->loaded) h->now = (RungEventSide){sign_of(h->g), ROUNDING * PetscAbsReal(h->g), PetscAbsReal(h->g)};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- their times ------------------------------------------------------------------------------------------------- */

typedef struct {
  RungCoupling   coupling;
  PetscReal      a, b;
  RungHappening *event; /* whose number is looked for       */
  PetscBool      moved; /* the systems are elsewhere than at b */
} Search;

/* The systems once more, to a place of the window. */
static PetscErrorCode go_to(const Search *s, PetscReal t)
{
  PetscFunctionBegin;
  PetscCall(RungWindowRewind(s->coupling));
  PetscCall(RungWindowGo(s->coupling, s->a, t));
  PetscCall(RungColumnsEvaluate(s->coupling, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode look(PetscReal place, PetscReal *g, void *ctx)
{
  Search         *s = ctx;
  const PetscReal t = s->a + place * (s->b - s->a);

  PetscFunctionBegin;
  s->moved = PETSC_TRUE;
  PetscCall(go_to(s, t));
  PetscCall(evaluate(s->coupling, s->event, t, g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The place of the event's first crossing in the window, above 1: there is none. */
static PetscErrorCode find_place(Search *s, PetscReal *place)
{
  RungHappening  *h     = s->event;
  const PetscReal tol   = PetscMax(PLACE + 4 * PETSC_MACHINE_EPSILON * PetscAbsReal(s->b) / (s->b - s->a),
                                   h->said.tol / (s->b - s->a));
  RungTrack       track = {.n = 0, .fn = look, .ctx = s};
  RungCrossing    crossing;

  PetscFunctionBegin;
  *place = 2;
  if (h->now.side && sign_of(h->next) == h->now.side) PetscFunctionReturn(PETSC_SUCCESS);
  RungTrackAdd(&track, 0, h->g);
  for (int k = 1; k < 4 && !h->now.side; ++k) {
    PetscReal g;

    PetscCall(look(0.25 * k, &g, s));
    RungTrackAdd(&track, 0.25 * k, g);
  }
  RungTrackAdd(&track, 1, h->next);
  PetscCall(RungTrackFind(&track, h->now.side, h->now.rest, h->said.direction, tol, &crossing));
  if (crossing.found) *place = PetscMin(1, crossing.place);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those whose number has come to the other side, or to 0, at the time that the window ends at now; first: is one of
   them. */
static PetscErrorCode mark(RungCoupling c, PetscReal t, const RungHappening *first)
{
  PetscFunctionBegin;
  for (PetscInt e = 0; e < c->happenings; ++e) {
    RungHappening *h = &c->happening[e];
    int            now;

    PetscCall(evaluate(c, h, t, &h->next));
    now          = sign_of(h->next);
    h->due       = h == first ||
                 (h->now.side && now != h->now.side &&
                  (h->said.direction == RUNG_BOTH || (h->said.direction == RUNG_FALLING) == (h->now.side > 0)))
                     ? PETSC_TRUE
                     : PETSC_FALSE;
    h->now.scale = PetscMax(h->now.scale, PetscAbsReal(h->next));
    if (!h->due && (h->now.side ? now != 0 : PetscAbsReal(h->next) > h->now.rest)) h->now.side = now;
    h->g = h->next;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungHappeningsAdvance(RungCoupling c, PetscReal a, PetscReal b, PetscReal *reached)
{
  Search         s     = {.coupling = c, .a = a, .b = b};
  RungHappening *first = NULL;
  PetscReal      least = 2, place;

  PetscFunctionBegin;
  *reached = b;
  PetscCall(RungWindowGo(c, a, b));
  if (c->signalled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungColumnsEvaluate(c, b));
  for (PetscInt e = 0; e < c->happenings; ++e) PetscCall(evaluate(c, &c->happening[e], b, &c->happening[e].next));
  for (PetscInt e = 0; e < c->happenings; ++e) {
    s.event = &c->happening[e];
    PetscCall(find_place(&s, &place));
    if (place < least) least = place, first = s.event;
  }
  if (least < 1 - 1e-10) *reached = a + least * (b - a);
  if (s.moved || *reached != b) PetscCall(go_to(&s, *reached));
  PetscCall(mark(c, *reached, first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what happens ------------------------------------------------------------------------------------------------ */

static PetscErrorCode count(RungCoupling c, RungHappening *h, PetscReal t)
{
  PetscFunctionBegin;
  if (h->count == h->room) {
    h->room = 2 * h->room + 16;
    PetscCall(PetscRealloc(sizeof *h->t * (size_t)h->room, &h->t));
  }
  h->t[h->count++] = t;
  if (h->said.stop && h->count >= h->said.stop) c->stopped = PETSC_TRUE;
  PetscCheck(h->count <= STUCK || h->t[h->count - 1 - STUCK] < t - c->length, c->comm, PETSC_ERR_NOT_CONVERGED,
             "event \"%s\" happens ever faster (%" PetscInt_FMT
             " times to t = %.10g); end the run there with `stop after %" PetscInt_FMT "`",
             h->name, h->count, (double)t, h->count - STUCK / 2);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Right sides of all first, then the values; changed: there were some. */
static PetscErrorCode change(RungCoupling c, PetscReal t, PetscBool *changed)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->consequences; ++i) {
    const RungConsequence *one = &c->consequence[i];

    if (!c->happening[one->event].due) continue;
    PetscCall(RungMemberSee(one->member));
    PetscCall(RungChangeEvaluate(one->change, t, one->member->u, c->value + one->member->first));
  }
  for (PetscInt i = 0; i < c->consequences; ++i) {
    const RungConsequence *one = &c->consequence[i];

    if (!c->happening[one->event].due) continue;
    *changed = PETSC_TRUE;
    PetscCall(RungChangePut(one->change, one->member->u));
    PetscCall(RungChangeSet(one->change));
    one->member->age = ++c->clock;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungHappeningsHappen(RungCoupling c, PetscReal t, PetscBool *changed)
{
  PetscBool due = PETSC_FALSE;

  PetscFunctionBegin;
  *changed = PETSC_FALSE;
  for (PetscInt e = 0; e < c->happenings; ++e) {
    if (!c->happening[e].due) continue;
    due = PETSC_TRUE;
    PetscCall(count(c, &c->happening[e], t));
  }
  if (!due) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungCouplingTellEvents(c, t, PETSC_TRUE));
  PetscCall(change(c, t, changed));
  if (*changed) PetscCall(RungWindowSettle(c, t, PETSC_FALSE));
  if (*changed) PetscCall(RungColumnsEvaluate(c, t));
  for (PetscInt e = 0; e < c->happenings; ++e) {
    RungHappening *h = &c->happening[e];

    if (h->due) h->now.rest = PetscMax(PetscMin(4 * PetscAbsReal(h->g), JUMPY * h->now.scale), ROUNDING * h->now.scale);
    if (h->due || *changed) {
      PetscCall(evaluate(c, h, t, &h->g));
      h->now.side = PetscAbsReal(h->g) > h->now.rest ? sign_of(h->g) : 0;
    }
    h->due = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
