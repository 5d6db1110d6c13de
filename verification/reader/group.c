/* group.c - several systems of one run: each is a problem of its own that shares files, mesh and mistakes with the others. */
#include "reader_impl.h"
#include <stdlib.h>

PetscInt RungMembers(RungProblem problem)
{
  return problem->systems ? problem->members : 1;
}

RungProblem RungMemberAt(RungProblem problem, PetscInt i)
{
  return problem->systems ? problem->member[i] : problem;
}

PetscBool RungHasRows(RungProblem problem)
{
  return problem->group || RungHas(problem, "static") ? PETSC_TRUE : PETSC_FALSE;
}

RungCoupling RungGroupCoupling(RungProblem problem, const char **system)
{
  *system = problem->group ? problem->step_name[problem->step] : NULL;
  return problem->group ? problem->group->coupling : problem->coupling;
}

/* That of the scheme; of iterations the least of the members' methods, which are followed by cubics. */
PetscInt RungGroupOrder(RungProblem group)
{
  PetscInt order = 4;

  if (group->plan.scheme != RUNG_COUPLING_ITERATE) return group->plan.scheme == RUNG_COUPLING_STRANG ? 2 : 1;
  for (PetscInt i = 0; i < group->members; ++i) order = PetscMin(order, group->member[i]->order);
  return order;
}

/* ---- statements ----------------------------------------------------------------------------------------------------- */

PetscErrorCode RungRead_system(RungProblem problem, RungStatement *s)
{
  (void)problem, (void)s;
  return PETSC_SUCCESS; /* was marked when the file was read */
}

PetscErrorCode RungRead_coupling(RungProblem problem, RungStatement *s)
{
  static const char *const scheme[] = {"explicit", "iterate", "lie", "strang"};
  RungGroup               *plan     = &problem->plan;
  const char              *nearest;
  PetscBool                good = PETSC_TRUE;
  int                      k    = 0;

  PetscFunctionBegin;
  while (k < 4 && strcmp(scheme[k], s->arg[0].text) != 0) ++k;
  if (k == 4) {
    PetscCall(RungSuggest(s->arg[0].text, 4, scheme, &nearest));
    PetscCall(RungMistake(
      problem, s, s->arg[0].span, "\"%s\" is no way to couple systems; there are explicit, iterate, lie, strang%s%s%s",
      s->arg[0].text, nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : ""));
    k = RUNG_COUPLING_ITERATE; /* which may have each of the words behind it: one message is enough */
  }
  *plan = (RungGroup){.said = s, .scheme = (RungCouplingScheme)k, .window = 1, .tolerance = 1e-8, .most = 50};
  PetscCall(RungGetReal(problem, s, 1, &plan->window, &good));
  if (s->args > 2) PetscCall(RungGetReal(problem, s, 2, &plan->tolerance, &good));
  if (s->args > 3) PetscCall(RungGetInt(problem, s, 3, &plan->most, &good));
  if (s->args > 2 && k != RUNG_COUPLING_ITERATE)
    PetscCall(RungMistake(problem, s, s->arg[2].span, "%s has no tolerance; iterate has one", scheme[k]));
  if (good && (!(plan->window > 0) || !(plan->tolerance > 0) || plan->most < 1))
    PetscCall(RungMistake(problem, s, s->arg[plan->window > 0 ? plan->tolerance > 0 ? 3 : 2 : 1].span,
                          "wanted a positive number"));
  if (!problem->systems)
    PetscCall(RungMistake(problem, s, RungSpanOf(s), "coupling of what? `system NAME` begins each of several systems"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* SYSTEM.UNKNOWN: the member; what stands behind the point. */
static PetscErrorCode find_member(RungProblem problem, const RungStatement *s, RungProblem *member,
                                  const char **unknown)
{
  const char *text = s->arg[1].text, *point = strchr(text, '.'), *nearest;
  char        name[128];

  PetscFunctionBegin;
  *member = NULL;
  if (!point || !problem->group) {
    PetscCall(RungMistake(problem, s, s->arg[1].span,
                          problem->group ? "\"%s\" is no unknown of another system; wanted SYSTEM.UNKNOWN"
                                         : "\"%s\": this file has one system; `system NAME` begins each of several",
                          text));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  (void)snprintf(name, sizeof name, "%.*s", (int)PetscMin(100, point - text), text);
  for (PetscInt i = 0; i < problem->group->members; ++i) {
    if (!strcmp(problem->step_name[i + 1], name)) *member = problem->group->member[i];
  }
  PetscCall(RungSuggest(name, problem->steps, problem->step_name + 1, &nearest));
  if (!*member)
    PetscCall(RungMistake(problem, s, s->arg[1].span, "no system is called \"%s\"%s%s%s", name,
                          nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : ""));
  *unknown = point + 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_couple(RungProblem problem, RungStatement *s)
{
  RungProblem member;
  const char *unknown;

  PetscFunctionBegin;
  PetscCall(find_member(problem, s, &member, &unknown));
  if (!member || !member->sys) problem->lost = PETSC_TRUE;
  if (member && member->sys)
    RungPass(problem, s, RungSystemAddCoupling(problem->sys, s->arg[0].text, member->sys, unknown));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- members -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode destroy_member(RungProblem *member)
{
  RungProblem m = *member;

  PetscFunctionBegin;
  PetscCall(RungSystemReset(m));
  PetscCall(RungCarryDestroy(m));
  PetscCall(PetscFree(m->constant));
  PetscCall(PetscFree(m->field));
  PetscCall(PetscFree(m->time));
  PetscCall(PetscFree(*member));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGroupReset(RungProblem group)
{
  PetscFunctionBegin;
  if (!group->group) PetscCall(RungCouplingDestroy(&group->coupling));
  for (PetscInt i = 0; i < group->members; ++i) PetscCall(destroy_member(&group->member[i]));
  PetscCall(PetscFree(group->member));
  group->members = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Member i: what is read is the group's, what is built of it is its own. */
static PetscErrorCode create_member(RungProblem group, PetscInt i, PetscReal shrink)
{
  RungProblem m;

  PetscFunctionBegin;
  PetscCall(PetscNew(&m));
  *m                = *group;
  group->member[i]  = m;
  group->members    = i + 1;
  m->group          = group;
  m->systems        = PETSC_FALSE;
  m->member         = NULL;
  m->shrink         = shrink;
  m->members        = 0;
  m->mistakes       = 0;
  m->shown          = 0;
  m->constant       = NULL;
  m->constants      = 0;
  m->constants_room = 0;
  m->field          = NULL;
  m->fields         = 0;
  m->fields_room    = 0;
  m->time           = NULL;
  m->times          = 0;
  m->times_room     = 0;
  m->outcome        = NULL;
  m->outcomes       = 0;
  m->mistake_text   = NULL;
  m->sys            = NULL;
  m->stepper        = NULL;
  m->rows           = NULL;
  m->coupling       = NULL;
  m->residuals      = 0;
  m->energies       = 0;
  m->series         = (RungSeries){0};
  m->carry          = (RungCarry){.there = PETSC_FALSE};
  PetscCall(RungStepEnter(m, i + 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what must fit together ----------------------------------------------------------------------------------------- */

/* An unknown that two systems have is one state, of which each has some of the terms. */
static PetscErrorCode check_shared(RungProblem group, PetscInt i, PetscInt j)
{
  for (PetscInt a = 0; a < group->statements; ++a) {
    const RungStatement *s = &group->statement[a];

    for (PetscInt b = 0; b < group->statements; ++b) {
      const RungStatement *other = &group->statement[b];

      if (s->word->phase != RUNG_PHASE_UNKNOWN || other->word != s->word || s->step != i || other->step != j ||
          strcmp(s->arg[0].text, other->arg[0].text) != 0)
        continue;
      if (strcmp(s->arg[2].text, other->arg[2].text) != 0)
        PetscCall(RungMistake(group, other, other->arg[2].span,
                              "\"%s\" is on %s in system %s; systems that share an unknown have it on one space",
                              s->arg[0].text, s->arg[2].text, group->step_name[i]));
    }
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode check_split(RungProblem group)
{
  const RungCouplingScheme scheme = group->plan.scheme;

  PetscFunctionBegin;
  for (PetscInt i = 1; i <= group->steps; ++i) {
    for (PetscInt j = i + 1; j <= group->steps; ++j) PetscCall(check_shared(group, i, j));
  }
  if (scheme == RUNG_COUPLING_LIE || scheme == RUNG_COUPLING_STRANG || !group->plan.said)
    PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt a = 0; a < group->statements; ++a) {
    const RungStatement *s = &group->statement[a];

    if (s->word->phase == RUNG_PHASE_UNKNOWN && !s->step)
      PetscCall(RungMistake(
        group, s, RungSpanOf(s),
        "an unknown of all systems is one that is split, coupling lie or strang; else put it into one of them"));
    for (PetscInt b = 0; b < a; ++b) {
      const RungStatement *other = &group->statement[b];

      if (s->word->phase == RUNG_PHASE_UNKNOWN && other->word == s->word && s->step && other->step &&
          s->step != other->step && !strcmp(s->arg[0].text, other->arg[0].text))
        PetscCall(RungMistake(group, s, s->arg[0].span,
                              "system %s has \"%s\" too: that is a splitting, coupling lie or strang; else take "
                              "another name and `couple` them",
                              group->step_name[other->step], s->arg[0].text));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A time that windows end at. */
static PetscBool is_end(const RungGroup *plan, PetscReal t)
{
  const PetscReal n = (t - plan->t0) / plan->length;

  return PetscAbsReal(n - PetscFloorReal(n + 0.5)) <
               1e-9 * PetscMax(1, n) + 16 * PETSC_MACHINE_EPSILON * PetscAbsReal(t) / plan->length ||
             PetscAbsReal(t - plan->t1) < 1e-12 * PetscAbsReal(plan->t1)
           ? PETSC_TRUE
           : PETSC_FALSE;
}

static PetscErrorCode check_references(RungProblem member)
{
  const RungGroup *plan = member->group ? &member->group->plan : &member->plan;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < member->statements; ++i) {
    const RungStatement *s = &member->statement[i];
    PetscReal            t;
    PetscInt             column;
    PetscBool            good = PETSC_TRUE;

    if (!RungIs(member, i, "reference")) continue;
    PetscCall(RungGetReal(member, s, 1, &t, &good));
    PetscCall(RungSeriesFind(member, s->arg[0].text, &column));
    if (good && column >= 0 && !is_end(plan, t))
      PetscCall(RungMistake(
        member, s, s->arg[1].span,
        "t = %.10g is inside of a window; values of several systems belong together where windows of %g end", (double)t,
        (double)plan->length));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The coupling, of constants in front of all systems; window > 0: in place of the file's. */
static PetscErrorCode make_coupling(RungProblem group, PetscReal window)
{
  const RungGroup *plan = &group->plan;

  PetscFunctionBegin;
  PetscCall(RungCouplingCreate(group->comm, &group->coupling));
  PetscCall(RungCouplingSetScheme(group->coupling, plan->scheme));
  RungPass(group, plan->said, RungCouplingSetWindow(group->coupling, window > 0 ? window : plan->window));
  if (plan->scheme == RUNG_COUPLING_ITERATE)
    PetscCall(RungCouplingSetTolerance(group->coupling, plan->tolerance, plan->most));
  for (PetscInt i = 0; i < group->constants; ++i)
    PetscCall(RungCouplingSetConstant(group->coupling, group->constant[i].name, group->constant[i].value));
  PetscCall(PetscSNPrintf(group->ran, sizeof group->ran, "%s, windows", plan->said->arg[0].text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is said of all systems, and whether they fit together. */
static PetscErrorCode finish_coupling(RungProblem group)
{
  RungGroup *plan = &group->plan;

  PetscFunctionBegin;
  PetscCall(RungStepperGetInterval(group->member[0]->stepper, &plan->t0, &plan->t1, NULL));
  PetscCall(RungJoinBuild(group));
  if (group->mistakes) PetscFunctionReturn(PETSC_SUCCESS);
  RungPass(group, plan->said, RungCouplingSetUp(group->coupling));
  if (group->mistakes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungCouplingGetWindows(group->coupling, &plan->t0, &plan->t1, &plan->length, &plan->windows));
  for (PetscInt i = 0; i < group->members; ++i) PetscCall(check_references(group->member[i]));
  PetscCall(check_references(group));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What one stepper writes or begins with is not the whole of a run of several. */
static PetscErrorCode check_run_options(RungProblem group)
{
  static const char *const list[] = {"-stepper_restart", "-stepper_checkpoint", "-stepper_output", "-stepper_table",
                                     "-stepper_start",   "-stepper_end",        "-stepper_dt"};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(list); ++i) {
    PetscBool set;

    PetscCall(PetscOptionsHasName(NULL, NULL, list[i], &set));
    if (set)
      PetscCall(RungMistakeInFile(group, 0, -1, -1,
                                  "%s is of one system, and this file has %" PetscInt_FMT "; say it in the file",
                                  list[i], group->steps));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- building ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode build_members(RungProblem group, PetscBool *good)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < group->members; ++i) group->member[i]->mesh = group->mesh;
  for (PetscInt i = 0; i < group->members; ++i) PetscCall(RungBuildUnknowns(group->member[i]));
  PetscCall(check_split(group));
  for (PetscInt i = 0; i < group->members && group->mistakes < RUNG_MISTAKES; ++i) {
    PetscCall(RungSystemSetLeastOrder(group->member[i]->sys, 1)); /* one without dt() follows the others */
    PetscCall(RungBuildEquations(group->member[i]));
  }
  *good = group->mistakes ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode build_rest(RungProblem group, PetscReal window)
{
  PetscFunctionBegin;
  PetscCall(make_coupling(group, window));
  for (PetscInt i = 0; i < group->members; ++i) {
    PetscCall(PetscStrncpy(group->member[i]->folder, group->folder, sizeof group->folder));
    PetscCall(RungBuildRest(group->member[i]));
  }
  if (!group->mistakes) PetscCall(finish_coupling(group));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGroupBuild(RungProblem group, PetscReal window, PetscBool writes)
{
  PetscBool good;

  PetscFunctionBegin;
  PetscCall(RungGroupReset(group));
  PetscCall(RungBuildReset(group));
  if (!group->plan.said && !group->lost)
    PetscCall(RungMistakeMissing(
      group, "nothing says how the systems go together; write coupling explicit WINDOW in front of them, or "
             "iterate, lie, strang"));
  PetscCall(check_run_options(group));
  PetscCall(PetscCalloc1(group->steps, &group->member));
  for (PetscInt i = 0; i < group->steps; ++i)
    PetscCall(create_member(group, i, window > 0 ? window / group->plan.window : 1));
  PetscCall(RungBuildMesh(group, &good));
  if (good) PetscCall(build_members(group, &good));
  if (!good || group->mistakes || !group->plan.said) PetscFunctionReturn(PETSC_SUCCESS);
  if (writes) PetscCall(RungFolderMake(group, "out"));
  RungCallOrUndo(build_rest(group, window), PetscCall(RungFolderDrop(group)));
  if (group->mistakes) PetscCall(RungFolderDrop(group));
  PetscFunctionReturn(PETSC_SUCCESS);
}
