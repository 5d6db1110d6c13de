/* group_event.c - events of several systems.  A window in which the number of an event goes through zero is gone through again, to the
   time where it is zero: all systems stop there, what the event changes is put in, and the rest of the window is a window of its own.

   Numbers are looked at where windows end; behind an event, when its number may turn back at once, at quarters of the window, too. */
#include "reader_impl.h"
#include <stdio.h>

#define ROUNDING (8 * PETSC_MACHINE_EPSILON) /* of the largest |g|: what says no more than 0 */
#define JUMPY    1e-4                        /* of the largest |g|: above it g was not near 0 */
#define PLACE    1e-12                       /* of a window: to find the time of an event      */
#define STUCK    1000                        /* events in one window                           */

/* ---- what is said --------------------------------------------------------------------------------------------------- */

PetscErrorCode RungHappeningsReset(RungProblem group)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < group->consequences; ++i) PetscCall(RungChangeDestroy(&group->consequence[i].change));
  for (PetscInt i = 0; i < group->happenings; ++i) {
    PetscCall(RungGaugeDestroy(&group->happening[i].gauge));
    PetscCall(RungPointwiseDestroy(&group->happening[i].value));
    PetscCall(PetscFree(group->happening[i].t));
  }
  PetscCall(PetscFree(group->consequence));
  PetscCall(PetscFree(group->happening));
  group->happenings = group->consequences = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The number of an event: of quantities of its system, or of those of all. */
static PetscErrorCode read_number(RungProblem group, RungHappening *h)
{
  RungExpr expr;
  char    *text, label[128];

  PetscFunctionBegin;
  (void)snprintf(label, sizeof label, "event %.64s", h->said->arg[0].text);
  if (h->member) {
    PetscCall(RungGaugeCreate(h->member->sys, label, h->event.text, 0, NULL, &h->gauge));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungJoinText(group, h->event.text, &text));
  RungCallFinally(RungScopeParse(group->series.scope, label, text, &expr), PetscCall(PetscFree(text)));
  PetscCall(RungPointwiseCreate(expr, &h->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungHappeningAdd(RungProblem problem, const RungStatement *s, const RungEvent *event)
{
  RungProblem    group = problem->group ? problem->group : problem;
  RungHappening *h;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < group->happenings; ++i) {
    if (strcmp(group->happening[i].said->arg[0].text, s->arg[0].text) != 0) continue;
    PetscCall(RungMistake(problem, s, s->arg[0].span, "there is an event \"%s\" already; give this one another name",
                          s->arg[0].text));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscRealloc((size_t)(group->happenings + 1) * sizeof *group->happening, &group->happening));
  h  = &group->happening[group->happenings++];
  *h = (RungHappening){.said = s, .event = *event, .member = problem->group ? problem : NULL};
  RungPass(problem, s, RungColumnCheck(problem->comm, "an event", s->arg[0].text));
  RungPass(problem, s, read_number(group, h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConsequenceAdd(RungProblem member, const RungStatement *s)
{
  RungProblem      group = member->group;
  RungConsequence *c;
  char             label[256];

  PetscFunctionBegin;
  PetscCall(PetscRealloc((size_t)(group->consequences + 1) * sizeof *group->consequence, &group->consequence));
  c  = &group->consequence[group->consequences++];
  *c = (RungConsequence){.said = s, .member = member};
  (void)snprintf(label, sizeof label, "jump %.32s of %.64s", s->arg[0].text, s->arg[1].text);
  RungPass(member, s, RungChangeCreate(member->sys, label, s->arg[1].text, s->arg[2].text, &c->change));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungHappeningsCheck(RungProblem group)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < group->consequences; ++i) {
    RungConsequence *c = &group->consequence[i];

    for (PetscInt e = 0; e < group->happenings; ++e) {
      if (!strcmp(group->happening[e].said->arg[0].text, c->said->arg[0].text)) c->cause = &group->happening[e];
    }
    for (PetscInt k = 0; k < i; ++k) {
      const RungConsequence *other = &group->consequence[k];

      if (other->cause == c->cause && other->member == c->member &&
          !strcmp(other->said->arg[1].text, c->said->arg[1].text))
        PetscCall(RungMistake(group, c->said, RungSpanOf(c->said), "event \"%s\" changes \"%s\" twice; leave one away",
                              c->said->arg[0].text, c->said->arg[1].text));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungHappeningTimes(RungProblem group, const char name[], PetscInt *n, const PetscReal *t[])
{
  PetscFunctionBegin;
  *n = 0;
  *t = NULL;
  for (PetscInt e = 0; e < group->happenings; ++e) {
    if (strcmp(group->happening[e].said->arg[0].text, name) != 0) continue;
    *n = group->happening[e].count;
    *t = group->happening[e].t;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- numbers -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode evaluate(RungProblem group, const RungHappening *h, PetscReal t, const PetscReal value[],
                               PetscReal *g)
{
  const PetscReal origin[3] = {0, 0, 0};
  PetscScalar     result    = 0;

  PetscFunctionBegin;
  if (h->gauge) {
    PetscCall(RungGaugeCheck(h->gauge, t, value + RungJoinFirst(h->member)));
    PetscCall(RungGaugeEvaluate(h->gauge, t, value + RungJoinFirst(h->member), g));
  } else { /* the scope has the values of the row that was evaluated last */
    PetscCall(RungPointwiseEvaluate(h->value, t, 1, origin, &result));
    *g = PetscRealPart(result);
  }
  PetscCheck(!PetscIsInfOrNanReal(*g), group->comm, PETSC_ERR_FP, "event %s: \"%s\" is not finite at t = %.10g",
             h->said->arg[0].text, h->event.text, (double)t);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int sign_of(PetscReal g)
{
  return g > 0 ? 1 : g < 0 ? -1 : 0;
}

PetscErrorCode RungHappeningsStart(RungProblem group, PetscReal t, const PetscReal value[], PetscBool anew)
{
  PetscFunctionBegin;
  for (PetscInt e = 0; e < group->happenings; ++e) {
    RungHappening *h = &group->happening[e];

    PetscCall(evaluate(group, h, t, value, &h->g));
    if (anew) h->count = 0;
    h->due   = PETSC_FALSE;
    h->scale = PetscAbsReal(h->g);
    h->rest  = ROUNDING * h->scale;
    h->side  = sign_of(h->g);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- their times ------------------------------------------------------------------------------------------------------ */

typedef struct {
  RungProblem    group;
  PetscReal      a, b;
  RungHappening *event; /* whose number is looked for                */
  PetscBool      moved; /* the systems are elsewhere than at b       */
  PetscReal     *value;
} Search;

/* The systems once more, to a place of the window. */
static PetscErrorCode go_to(const Search *s, PetscReal t)
{
  PetscFunctionBegin;
  PetscCall(RungGroupRewind(s->group));
  PetscCall(RungGroupWindow(s->group, s->a, t));
  PetscCall(RungJoinEvaluate(s->group, t, s->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode look(PetscReal place, PetscReal *g, void *ctx)
{
  Search         *s = ctx;
  const PetscReal t = s->a + place * (s->b - s->a);

  PetscFunctionBegin;
  s->moved = PETSC_TRUE;
  PetscCall(go_to(s, t));
  PetscCall(evaluate(s->group, s->event, t, s->value, g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The place of the event's first crossing in the window, above 1: there is none. */
static PetscErrorCode find_place(Search *s, PetscReal *place)
{
  RungHappening  *h     = s->event;
  const PetscReal tol   = PLACE + 4 * PETSC_MACHINE_EPSILON * PetscAbsReal(s->b) / (s->b - s->a);
  RungTrack       track = {.n = 0, .fn = look, .ctx = s};
  RungCrossing    crossing;

  PetscFunctionBegin;
  *place = 2;
  if (h->side && sign_of(h->next) == h->side) PetscFunctionReturn(PETSC_SUCCESS);
  RungTrackAdd(&track, 0, h->g);
  for (int k = 1; k < 4 && !h->side; ++k) {
    PetscReal g;

    PetscCall(look(0.25 * k, &g, s));
    RungTrackAdd(&track, 0.25 * k, g);
  }
  RungTrackAdd(&track, 1, h->next);
  PetscCall(RungTrackFind(&track, h->side, h->rest, h->event.direction, tol, &crossing));
  if (crossing.found) *place = PetscMin(1, crossing.place);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those whose number has come to the other side, or to 0, at the time that the window ends at now; first: is one of them. */
static PetscErrorCode mark(const Search *s, PetscReal t, const RungHappening *first)
{
  PetscFunctionBegin;
  for (PetscInt e = 0; e < s->group->happenings; ++e) {
    RungHappening *h = &s->group->happening[e];
    int            now;

    PetscCall(evaluate(s->group, h, t, s->value, &h->next));
    now      = sign_of(h->next);
    h->due   = h == first || (h->side && now != h->side &&
                            (h->event.direction == RUNG_BOTH || (h->event.direction == RUNG_FALLING) == (h->side > 0)))
                 ? PETSC_TRUE
                 : PETSC_FALSE;
    h->scale = PetscMax(h->scale, PetscAbsReal(h->next));
    if (!h->due && (h->side ? now != 0 : PetscAbsReal(h->next) > h->rest)) h->side = now;
    h->g = h->next;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGroupAdvance(RungProblem group, PetscReal a, PetscReal b, PetscReal value[], PetscReal *reached)
{
  Search         s     = {.group = group, .a = a, .b = b, .value = value};
  RungHappening *first = NULL;
  PetscReal      least = 2, place;

  PetscFunctionBegin;
  *reached = b;
  PetscCall(RungGroupWindow(group, a, b));
  if (group->plan.signalled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungJoinEvaluate(group, b, value));
  for (PetscInt e = 0; e < group->happenings; ++e)
    PetscCall(evaluate(group, &group->happening[e], b, value, &group->happening[e].next));
  for (PetscInt e = 0; e < group->happenings; ++e) {
    s.event = &group->happening[e];
    PetscCall(find_place(&s, &place));
    if (place < least) least = place, first = s.event;
  }
  if (least < 1 - 1e-10) *reached = a + least * (b - a);
  if (s.moved || *reached != b) PetscCall(go_to(&s, *reached));
  PetscCall(mark(&s, *reached, first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what happens ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode count(RungProblem group, RungHappening *h, PetscReal t)
{
  PetscFunctionBegin;
  if (h->count == h->room) {
    h->room = 2 * h->room + 16;
    PetscCall(PetscRealloc(sizeof *h->t * (size_t)h->room, &h->t));
  }
  h->t[h->count++] = t;
  if (h->event.stop && h->count >= h->event.stop) group->plan.stopped = PETSC_TRUE;
  PetscCheck(h->count <= STUCK || h->t[h->count - 1 - STUCK] < t - group->plan.length, group->comm,
             PETSC_ERR_NOT_CONVERGED,
             "event \"%s\" happens ever faster (%" PetscInt_FMT
             " times to t = %.10g); end the run there with `stop after %" PetscInt_FMT "`",
             h->said->arg[0].text, h->count, (double)t, h->count - STUCK / 2);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Right sides of all first, then the values; changed: there were some. */
static PetscErrorCode change(RungProblem group, PetscReal t, const PetscReal value[], PetscBool *changed)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < group->consequences; ++i) {
    RungConsequence *c = &group->consequence[i];

    if (!c->cause->due) continue;
    PetscCall(RungMemberSee(c->member));
    PetscCall(RungChangeEvaluate(c->change, t, c->member->state.u, value + RungJoinFirst(c->member)));
  }
  for (PetscInt i = 0; i < group->consequences; ++i) {
    RungConsequence *c = &group->consequence[i];

    if (!c->cause->due) continue;
    *changed = PETSC_TRUE;
    PetscCall(RungChangePut(c->change, c->member->state.u));
    PetscCall(RungChangeSet(c->change));
    c->member->state.age = ++group->plan.clock;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungHappeningsHappen(RungProblem group, PetscReal t, PetscReal value[], PetscBool *changed)
{
  PetscBool due = PETSC_FALSE;

  PetscFunctionBegin;
  *changed = PETSC_FALSE;
  for (PetscInt e = 0; e < group->happenings; ++e) {
    RungHappening *h = &group->happening[e];

    if (!h->due) continue;
    due = PETSC_TRUE;
    PetscCall(count(group, h, t));
  }
  if (!due) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungRowsHappened(group, t, value));
  PetscCall(change(group, t, value, changed));
  if (*changed) PetscCall(RungGroupSettle(group, t));
  if (*changed) PetscCall(RungJoinEvaluate(group, t, value));
  for (PetscInt e = 0; e < group->happenings; ++e) {
    RungHappening *h = &group->happening[e];

    if (h->due) h->rest = PetscMax(PetscMin(4 * PetscAbsReal(h->g), JUMPY * h->scale), ROUNDING * h->scale);
    if (h->due || *changed) {
      PetscCall(evaluate(group, h, t, value, &h->g));
      h->side = PetscAbsReal(h->g) > h->rest ? sign_of(h->g) : 0;
    }
    h->due = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
