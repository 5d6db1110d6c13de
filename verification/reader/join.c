/* join.c - what is said of several systems together: numbers, references, summaries and events in front of the first system that name a
   quantity of one as SYSTEM.NAME.  The columns of the group are those of its members, one after the other, then its own numbers. */
#include "reader_impl.h"
#include <stdio.h>

static PetscBool is_letter(char c)
{
  return isalnum((unsigned char)c) || c == '_' ? PETSC_TRUE : PETSC_FALSE;
}

/* The first "SYSTEM." of a text, its point; NULL: none. */
static const char *find_point(RungProblem problem, const char text[])
{
  return RungFindPoint(problem->steps, problem->step_name + 1, text);
}

/* ---- which statements ----------------------------------------------------------------------------------------------- */

/* The argument that names a quantity, or is made of some; -1: none does. */
static PetscInt names_at(const RungStatement *s)
{
  static const struct {
    const char *word;
    PetscInt    arg;
  } list[] = {{"number", 1}, {"summary", 2}, {"reference", 0}, {"expect", 1}, {"event", 2}};

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(list); ++i) {
    if (strcmp(s->word->word, list[i].word) != 0) continue;
    if (!strcmp(list[i].word, "expect") && strcmp(s->arg[0].text, "constant") != 0) return -1;
    return list[i].arg < s->args ? list[i].arg : -1;
  }
  return -1;
}

PetscBool RungTellsOfValues(const RungStatement *s)
{
  return names_at(s) >= 0 || !strcmp(s->word->word, "happens") ? PETSC_TRUE : PETSC_FALSE;
}

/* A number or summary of all systems of that name. */
static PetscBool is_joint_name(RungProblem problem, const char name[])
{
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s = &problem->statement[i];

    if (s->joint && (!strcmp(s->word->word, "number") || !strcmp(s->word->word, "summary")) &&
        !strcmp(s->arg[0].text, name))
      return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Does a text hold a joint name as a word? */
static PetscBool holds_joint_name(RungProblem problem, const char text[])
{
  char word[128];

  if (is_joint_name(problem, text)) return PETSC_TRUE;
  for (const char *c = text; *c;) {
    size_t n = 0;

    while (is_letter(c[n])) ++n;
    if (n && n < sizeof word) {
      (void)snprintf(word, sizeof word, "%.*s", (int)n, c);
      if (is_joint_name(problem, word)) return PETSC_TRUE;
    }
    c += n ? n : 1;
  }
  return PETSC_FALSE;
}

PetscErrorCode RungJoinMark(RungProblem problem)
{
  PetscBool changed = PETSC_TRUE;

  PetscFunctionBegin;
  while (changed) { /* a reference may stand in front of the number that it is of */
    changed = PETSC_FALSE;
    for (PetscInt i = 0; i < problem->statements; ++i) {
      RungStatement *s  = &problem->statement[i];
      const PetscInt at = names_at(s);

      if ((s->step && strcmp(s->word->word, "happens") != 0) || s->joint || !RungTellsOfValues(s)) continue;
      s->joint = at < 0 || !strcmp(s->word->word, "event") || find_point(problem, s->arg[at].text) ||
                     holds_joint_name(problem, s->arg[at].text)
                   ? PETSC_TRUE
                   : PETSC_FALSE;
      changed  = changed || s->joint ? PETSC_TRUE : PETSC_FALSE;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- columns -------------------------------------------------------------------------------------------------------- */

/* Names of the members' columns; numbers of all come behind them. */
static PetscErrorCode make_columns(RungProblem group)
{
  RungSeries        *series  = &group->series;
  PetscInt           numbers = 0;
  const char *const *name;

  PetscFunctionBegin;
  PetscCall(RungSeriesDestroy(group));
  for (PetscInt i = 0; i < group->statements; ++i) numbers += RungIs(group, i, "number");
  PetscCall(RungCouplingGetColumns(group->coupling, &series->n, &name));
  series->quantities = series->n;
  PetscCall(PetscMalloc1(series->n + numbers + 1, &series->name));
  for (PetscInt i = 0; i < series->n; ++i) series->name[i] = name[i];
  series->keep = RungHas(group, "reference") || RungHas(group, "summary") || RungHas(group, "expect") ? PETSC_TRUE
                                                                                                      : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A jump or change of a system, and what follows it. */
static PetscErrorCode add_change(RungProblem member, const RungStatement *s, PetscInt n, const RungFollower list[])
{
  RungCoupling coupling = member->group->coupling;
  const char  *system   = member->step_name[member->step];

  PetscFunctionBegin;
  RungPass(member, s, RungCouplingSetEventChange(coupling, s->arg[0].text, system, s->arg[1].text, s->arg[2].text));
  for (PetscInt i = 0; i < n; ++i)
    RungPass(member, s, RungCouplingSetEventChange(coupling, s->arg[0].text, system, list[i].name, list[i].text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* jump and change of the systems, when all events are known. */
static PetscErrorCode add_changes(RungProblem group)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < group->members; ++k) {
    RungProblem member = group->member[k];

    for (PetscInt i = 0; i < group->statements; ++i) {
      const RungStatement *s = &group->statement[i];
      RungFollower        *list;
      PetscInt             n;

      if (!RungIs(member, i, "jump") && !RungIs(member, i, "change")) continue;
      PetscCall(RungFollowersCreate(member, s, &n, &list));
      RungCallFinally(add_change(member, s, n, list), PetscCall(RungFollowersDestroy(n, &list)));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* table, checkpoint and restart in front of all systems: those of all. */
static PetscBool is_record(const RungStatement *s)
{
  return !s->step && (!strcmp(s->word->word, "table") || !strcmp(s->word->word, "checkpoint") ||
                      !strcmp(s->word->word, "restart"))
           ? PETSC_TRUE
           : PETSC_FALSE;
}

PetscErrorCode RungJoinBuild(RungProblem group)
{
  PetscFunctionBegin;
  PetscCall(make_columns(group));
  for (int phase = 0; phase < 2; ++phase) { /* first what makes values, then what is asked of them */
    for (PetscInt i = 0; i < group->statements; ++i) {
      RungStatement  *s     = &group->statement[i];
      const PetscBool makes = !strcmp(s->word->word, "number") || !strcmp(s->word->word, "event") ? PETSC_TRUE
                                                                                                  : PETSC_FALSE;

      if ((s->joint && makes == !phase) || (!phase && is_record(s))) PetscCall(s->word->read(group, s));
    }
    if (!phase && !group->mistakes) PetscCall(add_changes(group));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
