/* join.c - what is said of several systems together: numbers, references, summaries and events in front of the first system that name a
   quantity of one as SYSTEM.NAME.  The columns of the group are those of its members, one after the other, then its own numbers. */
#include "reader_impl.h"
#include <stdio.h>

static PetscBool is_letter(char c)
{
  return isalnum((unsigned char)c) || c == '_' ? PETSC_TRUE : PETSC_FALSE;
}

/* Where the next "SYSTEM." of a text stands, its point; NULL: none. */
static const char *find_point(RungProblem problem, const char text[])
{
  for (const char *point = strchr(text, '.'); point; point = strchr(point + 1, '.')) {
    for (PetscInt i = 1; i <= problem->steps; ++i) {
      const char  *name = problem->step_name[i];
      const size_t n    = strlen(name);

      if ((size_t)(point - text) < n || strncmp(point - n, name, n) != 0 || !point[1]) continue;
      if (point - n == text || !is_letter(point[-(ptrdiff_t)n - 1])) return point;
    }
  }
  return NULL;
}

PetscErrorCode RungJoinText(RungProblem group, const char text[], char **out)
{
  PetscFunctionBegin;
  PetscCall(PetscStrallocpy(text, out));
  for (char *point = group->systems ? (char *)find_point(group, *out) : NULL; point;
       point       = (char *)find_point(group, *out))
    *point = '_';
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is SYSTEM.NAME a column of one of the systems, or a word of what is said of all of them? */
static PetscBool is_said(RungProblem group, const char name[])
{
  for (PetscInt i = 0; i < group->series.n; ++i) {
    if (!strcmp(group->series.name[i], name)) return PETSC_TRUE;
  }
  for (PetscInt i = 0; i < group->statements; ++i) {
    if (group->statement[i].joint && strstr(group->statement[i].text, name)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

void RungJoinMend(RungProblem group, char message[])
{
  char name[256];

  for (char *quote = strchr(message, '"'); quote; quote = strchr(quote + 1, '"')) {
    const size_t length = strcspn(quote + 1, "\"");

    if (!quote[length + 1] || length >= sizeof name) continue;
    for (PetscInt i = 1; i <= group->steps; ++i) {
      const size_t n = strlen(group->step_name[i]);

      if (n >= length || strncmp(quote + 1, group->step_name[i], n) != 0 || quote[n + 1] != '_') continue;
      (void)snprintf(name, sizeof name, "%.*s", (int)length, quote + 1);
      name[n] = '.';
      if (is_said(group, name)) quote[n + 1] = '.';
    }
  }
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

PetscInt RungJoinFirst(RungProblem member)
{
  PetscInt n = 0;

  for (PetscInt i = 0; member->group->member[i] != member; ++i) n += member->group->member[i]->series.n;
  return n;
}

/* Names of the members' columns; in the scope a point is a line below, so that columns of messages stay. */
static PetscErrorCode name_columns(RungProblem group)
{
  RungSeries *series = &group->series;
  char        name[320];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < group->members; ++i) {
    const RungSeries *own = &group->member[i]->series;

    for (PetscInt k = 0; k < own->n; ++k) {
      (void)snprintf(name, sizeof name, "%s.%s", group->step_name[i + 1], own->name[k]);
      PetscCall(PetscStrallocpy(name, (char **)&series->name[series->n]));
      name[strlen(group->step_name[i + 1])] = '_';
      PetscCall(PetscStrallocpy(name, &series->alias[series->n++]));
      ++series->quantities;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_columns(RungProblem group)
{
  RungSeries *series = &group->series;
  PetscInt    n = 0, numbers = 0;

  PetscFunctionBegin;
  PetscCall(RungSeriesDestroy(group));
  for (PetscInt i = 0; i < group->statements; ++i) numbers += RungIs(group, i, "number");
  for (PetscInt i = 0; i < group->members; ++i) n += group->member[i]->series.n;
  PetscCall(PetscCalloc1(n + numbers, &series->name));
  PetscCall(PetscCalloc1(n, &series->alias));
  PetscCall(PetscCalloc1(numbers, &series->number));
  PetscCall(name_columns(group));
  series->keep = RungHas(group, "reference") || RungHas(group, "summary") || RungHas(group, "expect") ? PETSC_TRUE
                                                                                                      : PETSC_FALSE;
  PetscCall(RungSeriesScope(group));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A table in front of all systems is one of each, and one of all. */
static PetscErrorCode add_table(RungProblem group, const RungStatement *s)
{
  char      path[PETSC_MAX_PATH_LEN];
  PetscBool good = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(RungGetFile(group, s, 0, ".csv", path, sizeof path, &good));
  if (good && group->folder[0]) PetscCall(RungRowsAdd(group, path, NULL, 0, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
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

      if (s->joint && makes == !phase) PetscCall(s->word->read(group, s));
      if (!phase && !s->step && !strcmp(s->word->word, "table")) PetscCall(add_table(group, s));
    }
  }
  if (!group->mistakes) PetscCall(RungHappeningsCheck(group));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungJoinEvaluate(RungProblem group, PetscReal t, PetscReal value[])
{
  PetscInt n = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < group->members; ++i) {
    RungProblem member = group->member[i];
    RungState   state  = {.t = t};

    for (PetscInt k = 0; k <= member->state.order; ++k) state.u[k] = member->state.u[k];
    PetscCall(RungMemberSee(member));
    PetscCall(RungSeriesEvaluate(member, &state, value + n));
    n += member->series.n;
  }
  PetscCall(RungSeriesSet(group, t, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}
