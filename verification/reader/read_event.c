/* read_event.c - statements of events: event, jump, change, and happens, which is tested when the file was run. */
#include "reader_impl.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* The event of a statement among those that hold; NULL and a mistake if there is none. */
static PetscErrorCode find_event(RungProblem problem, const RungStatement *s, const RungStatement **event)
{
  const char *list[256], *nearest;
  PetscInt    n = 0;

  PetscFunctionBegin;
  *event = NULL;
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *other = &problem->statement[i];
    const PetscBool any = problem->group || problem->systems ? PETSC_TRUE : PETSC_FALSE; /* also of other systems */

    if (any ? strcmp(other->word->word, "event") != 0 : !RungIs(problem, i, "event")) continue;
    if (!strcmp(other->arg[0].text, s->arg[0].text)) *event = other;
    if (n < 256) list[n++] = other->arg[0].text;
  }
  if (*event) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSuggest(s->arg[0].text, n, list, &nearest));
  PetscCall(RungMistake(problem, s, s->arg[0].span, "no event is called \"%s\"%s%s%s", s->arg[0].text,
                        nearest  ? "; did you mean \""
                        : n == 0 ? "; write event NAME falling|rising|both TEXT"
                                 : "",
                        nearest ? nearest : "", nearest ? "\"?" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The word that a text begins with, and what is behind it; false: it begins with another one, or nothing is behind. */
static PetscBool skip_word(const char word[], const char **text)
{
  const size_t n  = strlen(word);
  const char  *at = *text;

  if (strncmp(at, word, n) != 0 || at[n] != ' ') return PETSC_FALSE;
  *text = at + n + strspn(at + n, " ");
  return **text ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode RungGetEvent(RungProblem problem, const RungStatement *s, RungEvent *event, PetscBool *good)
{
  static const char *const way[] = {"falling", "both", "rising"};
  const char              *text  = s->arg[2].text, *rest;
  int                      k     = 0;

  PetscFunctionBegin;
  *event = (RungEvent){.text = text};
  while (k < 3 && strcmp(way[k], s->arg[1].text) != 0) ++k;
  if (k == 3) {
    PetscCall(RungMistake(problem, s, s->arg[1].span, "\"%s\" is no way through 0; there are falling, rising and both",
                          s->arg[1].text));
    *good = PETSC_FALSE;
  }
  event->direction = (RungEventDirection)(k - 1);
  rest             = text;
  if (!skip_word("stop", &rest)) PetscFunctionReturn(PETSC_SUCCESS);
  event->stop = 1;
  event->text = rest;
  if (!skip_word("after", &rest)) PetscFunctionReturn(PETSC_SUCCESS);
  event->stop = (PetscInt)strtol(rest, (char **)&event->text, 10);
  if (event->text > rest && *event->text == ' ' && event->stop > 0) {
    event->text += strspn(event->text, " ");
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungMistake(problem, s,
                        (RungSourceSpan){s->arg[2].span.begin + (PetscInt)(rest - text), (PetscInt)strcspn(rest, " ")},
                        "wanted `stop after N TEXT` with a whole number N from 1 on"));
  *good = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a system among others, or of all. */
static PetscErrorCode add_to_coupling(RungProblem problem, RungStatement *s, const RungEvent *event)
{
  const char  *system;
  RungCoupling coupling = RungGroupCoupling(problem, &system);

  PetscFunctionBegin;
  if (coupling) RungPass(problem, s, RungCouplingAddEvent(coupling, system, s->arg[0].text, event));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_event(RungProblem problem, RungStatement *s)
{
  RungEvent event;
  PetscBool good = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(RungGetEvent(problem, s, &event, &good));
  if (good && RungHas(problem, "static"))
    PetscCall(RungMistake(problem, s, RungSpanOf(s), "no time passes in a static step: nothing happens there"));
  else if (good && (problem->group || problem->systems))
    PetscCall(add_to_coupling(problem, s, &event));
  else if (good)
    RungPass(problem, s, RungStepperAddEvent(problem->stepper, s->arg[0].text, &event));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_jump(RungProblem problem, RungStatement *s)
{
  const RungStatement *event;

  PetscFunctionBegin;
  PetscCall(find_event(problem, s, &event));
  if (event && problem->group) PetscFunctionReturn(PETSC_SUCCESS); /* RungJoinBuild() makes it, behind all events */
  if (event && event > s)
    PetscCall(
      RungMistake(problem, s, s->arg[0].span, "event \"%s\" stands below; move it above this line", s->arg[0].text));
  else if (event)
    RungPass(problem, s, RungStepperSetEventJump(problem->stepper, s->arg[0].text, s->arg[1].text, s->arg[2].text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_jump(RungProblem problem, RungStatement *s)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->constants; ++i) {
    if (strcmp(problem->constant[i].name, s->arg[1].text) != 0) continue;
    PetscCall(RungMistake(problem, s, s->arg[1].span, "\"%s\" is a constant; write change %s %s ..", s->arg[1].text,
                          s->arg[0].text, s->arg[1].text));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(set_jump(problem, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- constants that follow those that an event changes ------------------------------------------------------------ */

#define LONG 4000 /* bytes of a text that is made of others */

/* What the event makes of a constant; NULL: it leaves it. */
static const char *changed_text(RungProblem problem, const char event[], PetscInt n, const RungFollower list[],
                                const char name[], size_t length)
{
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s = &problem->statement[i];

    if (RungIs(problem, i, "change") && !strcmp(s->arg[0].text, event) && !strncmp(s->arg[1].text, name, length) &&
        !s->arg[1].text[length])
      return s->arg[2].text;
  }
  for (PetscInt i = 0; i < n; ++i)
    if (!strncmp(list[i].name, name, length) && !list[i].name[length]) return list[i].text;
  return NULL;
}

/* The arithmetic of a constant with what the event makes of others in their place; *changed: there was one.  The language of texts
   has no sign +.  False: out is too short. */
static PetscBool replace_changed(RungProblem problem, const char event[], PetscInt n, const RungFollower list[],
                                 const char from[], PetscInt length, char out[LONG], PetscBool *changed)
{
  const char *const end  = from + length;
  size_t            at   = 0;
  char              last = 0; /* letter that is no blank */

  *changed = PETSC_FALSE;
  while (from < end) {
    const char *text = NULL;
    size_t      k    = 1;
    char       *behind;

    if (isdigit((unsigned char)*from) || *from == '.') {
      (void)strtod(from, &behind);
      k = behind > from ? (size_t)(behind - from) : 1;
    } else if (isalpha((unsigned char)*from)) {
      while (from + k < end && (isalnum((unsigned char)from[k]) || from[k] == '_')) ++k;
      text = changed_text(problem, event, n, list, from, k);
    }
    if (text) *changed = PETSC_TRUE;
    if (at + k + (text ? strlen(text) : 0) + 3 > LONG) return PETSC_FALSE;
    if (text)
      at += (size_t)snprintf(out + at, LONG - at, "(%s)", text);
    else if (*from != '+' || (last && !strchr("(+-*/^,", last)))
      at += (size_t)snprintf(out + at, LONG - at, "%.*s", (int)k, from);
    if (*from != ' ') last = *from;
    from += k;
  }
  return PETSC_TRUE;
}

PetscErrorCode RungFollowersDestroy(PetscInt n, RungFollower **list)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) PetscCall(PetscFree((*list)[i].text));
  PetscCall(PetscFree(*list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_followers(RungProblem problem, const RungStatement *s, PetscInt *n, RungFollower **list)
{
  const char *event = s->args ? s->arg[0].text : "";
  char        text[LONG];

  PetscFunctionBegin;
  if (strcmp(s->word->word, "change") != 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *other = &problem->statement[i];

    if (other > s && RungIs(problem, i, "change") && !strcmp(other->arg[0].text, event))
      PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscCalloc1(problem->constants, list));
  for (PetscInt i = 0; i < problem->constants; ++i) {
    const RungConstant *c = &problem->constant[i];
    PetscBool           changed;

    if (!c->length || changed_text(problem, event, *n, *list, c->name, strlen(c->name))) continue;
    if (!replace_changed(problem, event, *n, *list, c->said->arg[1].text, c->length, text, &changed))
      PetscCall(RungMistake(problem, s, RungSpanOf(s),
                            "what event \"%s\" makes of constant \"%s\", which follows from others, is longer than %d "
                            "letters; say it by a line of its own, change %s %s ..",
                            event, c->name, LONG, event, c->name));
    else if (changed) {
      (*list)[*n].name = c->name;
      PetscCall(PetscStrallocpy(text, &(*list)[(*n)++].text));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFollowersCreate(RungProblem problem, const RungStatement *s, PetscInt *n, RungFollower **list)
{
  PetscFunctionBegin;
  *n    = 0;
  *list = NULL;
  RungCallOrUndo(find_followers(problem, s, n, list), PetscCall(RungFollowersDestroy(*n, list)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode give_followers(RungProblem problem, const RungStatement *s, PetscInt n, const RungFollower list[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n && !RungIsMistaken(problem, s); ++i)
    RungPass(problem, s, RungStepperSetEventJump(problem->stepper, s->arg[0].text, list[i].name, list[i].text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_followers(RungProblem problem, const RungStatement *s)
{
  RungFollower *list;
  PetscInt      n;

  PetscFunctionBegin;
  if (problem->group) PetscFunctionReturn(PETSC_SUCCESS); /* RungJoinBuild() does it */
  PetscCall(RungFollowersCreate(problem, s, &n, &list));
  RungCallFinally(give_followers(problem, s, n, list), PetscCall(RungFollowersDestroy(n, &list)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_change(RungProblem problem, RungStatement *s)
{
  const char *list[256], *nearest;
  PetscInt    n     = 0;
  PetscBool   known = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->constants; ++i) {
    known = known || !strcmp(problem->constant[i].name, s->arg[1].text) ? PETSC_TRUE : PETSC_FALSE;
    if (n < 256) list[n++] = problem->constant[i].name;
  }
  if (known) {
    PetscCall(set_jump(problem, s));
    if (!problem->mistakes) PetscCall(set_followers(problem, s));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungSuggest(s->arg[1].text, n, list, &nearest));
  PetscCall(RungMistake(
    problem, s, s->arg[1].span, "no constant is called \"%s\"%s%s%s; an unknown jumps: jump %s %s ..", s->arg[1].text,
    nearest ? ", did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "", s->arg[0].text, s->arg[1].text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what must come out ------------------------------------------------------------------------------------------- */

PetscErrorCode RungRead_happens(RungProblem problem, RungStatement *s)
{
  const RungStatement *event;
  PetscInt             n;
  PetscReal            value;
  PetscBool            good = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(find_event(problem, s, &event));
  PetscCall(RungGetInt(problem, s, 1, &n, &good));
  if (good && n < 1) PetscCall(RungMistake(problem, s, s->arg[1].span, "events are counted from 1 on"));
  for (PetscInt i = 2; i < s->args; ++i) {
    PetscCall(RungGetReal(problem, s, i, &value, &good));
    if (good && i == 2) PetscCall(RungTimeInRun(problem, s, 2, value));
    if (good && i == 3 && !(value > 0))
      PetscCall(RungMistake(problem, s, s->arg[3].span, "%g, wanted a positive number", (double)value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungHappensTest(RungProblem problem, const RungStatement *s)
{
  const PetscReal *t;
  PetscReal        wanted = 0, rel = 1e-6;
  PetscInt         n    = 0, count;
  PetscBool        good = PETSC_TRUE;
  char             what[128];

  PetscFunctionBegin;
  PetscCall(RungGetInt(problem, s, 1, &n, &good));
  PetscCall(RungGetReal(problem, s, 2, &wanted, &good));
  if (s->args > 3) PetscCall(RungGetReal(problem, s, 3, &rel, &good));
  if (problem->systems)
    PetscCall(RungCouplingGetEvent(problem->coupling, s->arg[0].text, &count, &t));
  else
    PetscCall(RungStepperGetEvent(problem->stepper, s->arg[0].text, &count, &t));
  (void)snprintf(what, sizeof what, "time of %.60s %" PetscInt_FMT, s->arg[0].text, n);
  PetscCall(
    RungOutcomeAdd(problem, what, n <= count ? t[n - 1] : NAN, wanted, wanted != 0 ? rel * PetscAbsReal(wanted) : rel));
  PetscFunctionReturn(PETSC_SUCCESS);
}
