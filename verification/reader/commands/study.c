/* study.c - ladders of a problem file: errors at its end over steps or tolerances, orders, and what the file expects of them.

   Errors are relative, in L2, the largest of all unknowns: those of `exact`, or against a run with the smallest step over 8
   (the smallest tolerance over 100). */
#include "reader_impl.h"

#include <rungbinding.h>
#include <rungtext_room.h>
#include <stdio.h>
#include <stdlib.h>

#define LEVELS 32

typedef struct {
  PetscBool dt; /* steps, else tolerances */
  PetscInt  n;
  PetscReal value[LEVELS], error[LEVELS], order, low, high;
} Ladder;

/* Half a run has no error at its end. */
static PetscErrorCode check_signals(RungProblem problem, PetscBool dt, PetscReal value)
{
  PetscBool none = PETSC_FALSE;
  int       number;

  PetscFunctionBegin;
  PetscCall(RungSignalsAgree(problem->comm, &none, &number));
  PetscCheck(!number, problem->comm, PETSC_ERR_SIG, "%s has ended the study at %s = %g; it has no result",
             RungSignalName(number), dt ? "dt" : "tol", (double)value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_level(RungProblem problem, PetscBool dt, PetscReal value)
{
  RungCaught caught;

  PetscFunctionBegin;
  PetscCall(check_signals(problem, dt, value)); /* one has come between two levels */
  problem->dt      = dt ? value : 0;
  problem->tol     = dt ? 0 : value;
  problem->tol_set = PETSC_FALSE;
  if (problem->systems) { /* steps are windows, and the systems' own steps shrink with them */
    problem->dt = 0;
    PetscCall(RungGroupBuild(problem, value, PETSC_FALSE));
    if (!problem->mistakes) PetscCall(RungGroupSolve(problem));
    PetscCall(check_signals(problem, dt, value));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungConstantsApply(problem)); /* events of the level before may have changed some */
  PetscCall(RungBuildStepper(problem));
  if (problem->mistakes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStepperSetMonitor(problem->stepper, RUNG_MONITOR_NONE));
  PetscCall(RungProblemSolve(problem));
  PetscCall(check_signals(problem, dt, value));
  RungCatch(&caught, RungStepperCheckLadder(problem->stepper, problem->dt, problem->tol));
  if (caught.code) PetscCall(RungMistakeInFile(problem, 0, -1, -1, "%s", caught.message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the problem, or of a member of a group. */
static PetscErrorCode measure_one(RungProblem problem, Vec reference, PetscReal *error)
{
  RungTraits traits;
  const Vec *u;
  PetscReal  t;
  Vec        d;

  PetscFunctionBegin;
  if (!reference) {
    PetscCall(RungExactError(problem, error));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *error = 0;
  PetscCall(RungSystemGetTraits(problem->sys, &traits));
  PetscCall(RungProblemGetState(problem, &t, &u));
  PetscCall(RungSystemCreateVec(problem->sys, &d));
  PetscCall(VecWAXPY(d, -1, reference, u[0]));
  for (PetscInt f = 0; f < traits.unknowns; ++f) {
    const char *name;
    PetscReal   one, size;

    PetscCall(RungSystemGetUnknown(problem->sys, f, &name, NULL));
    PetscCall(RungNorm(problem->sys, name, "L2", d, &one));
    PetscCall(RungNorm(problem->sys, name, "L2", reference, &size));
    *error = PetscMax(*error, size > 0 ? one / size : one);
  }
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode measure(RungProblem problem, const Vec reference[], PetscReal *error)
{
  PetscReal one;

  PetscFunctionBegin;
  *error = 0;
  for (PetscInt i = 0; i < RungMembers(problem); ++i) {
    PetscCall(measure_one(RungMemberAt(problem, i), reference[i], &one));
    *error = PetscMax(*error, one);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is there an exact solution, in one of several systems if there are some? */
static PetscBool has_exact(RungProblem problem)
{
  for (PetscInt i = 0; i < RungMembers(problem); ++i) {
    if (RungHas(RungMemberAt(problem, i), "exact")) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* reference[member], NULL: the exact solution */
static PetscErrorCode run_reference(RungProblem problem, const Ladder *ladder, Vec reference[])
{
  PetscReal  least = ladder->value[0], t;
  const Vec *u;

  PetscFunctionBegin;
  if (has_exact(problem)) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 1; i < ladder->n; ++i) least = PetscMin(least, ladder->value[i]);
  PetscCall(run_level(problem, ladder->dt, ladder->dt ? least / 8 : least / 100));
  if (problem->mistakes) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < RungMembers(problem); ++i) {
    RungProblem member = RungMemberAt(problem, i);

    PetscCall(RungProblemGetState(member, &t, &u));
    PetscCall(RungSystemCreateVec(member->sys, &reference[i]));
    PetscCall(VecCopy(u[0], reference[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_levels(RungProblem problem, Ladder *ladder, const Vec reference[])
{
  char text[32];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < ladder->n; ++i) {
    PetscCall(run_level(problem, ladder->dt, ladder->value[i]));
    if (problem->mistakes) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(measure(problem, reference, &ladder->error[i]));
    if (!i) PetscCall(PetscPrintf(problem->comm, "%s\n", problem->ran));
    PetscCall(PetscPrintf(problem->comm, "  %s %-10s error %.3e", ladder->dt ? "dt " : "tol",
                          RungNumberText(ladder->value[i], 6, text), (double)ladder->error[i]));
    if (i && ladder->dt && ladder->error[i] > 0 && ladder->error[i - 1] > 0)
      PetscCall(PetscPrintf(problem->comm, "  order %.2f",
                            (double)(PetscLogReal(ladder->error[i - 1] / ladder->error[i]) /
                                     PetscLogReal(ladder->value[i - 1] / ladder->value[i]))));
    PetscCall(PetscPrintf(problem->comm, "\n"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Errors over tolerances lie between LOW and HIGH: the least and the largest of them. */
static PetscErrorCode test_tolerances(RungProblem problem, const Ladder *ladder, const RungStatement *s)
{
  PetscReal ratio[2] = {PETSC_INFINITY, 0}, low, high;
  PetscBool good     = PETSC_TRUE;
  char      what[128];

  PetscFunctionBegin;
  PetscCall(RungGetReal(problem, s, 1, &low, &good));
  PetscCall(RungGetReal(problem, s, 2, &high, &good));
  for (PetscInt i = 0; i < ladder->n; ++i) {
    ratio[0] = PetscMin(ratio[0], ladder->error[i] / ladder->value[i]);
    ratio[1] = PetscMax(ratio[1], ladder->error[i] / ladder->value[i]);
  }
  for (int i = 0; i < 2; ++i) {
    PetscCall(
      PetscSNPrintf(what, sizeof what, "%s error over tolerance of %.60s", i ? "largest" : "least", problem->ran));
    PetscCall(RungOutcomeAdd(problem, what, ratio[i], 0.5 * (low + high), 0.5 * (high - low)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The slope, or the whole interval where there is one, meets [p - slack, p + slack]. */
static PetscErrorCode test_ladder(RungProblem problem, const Ladder *ladder)
{
  char what[128];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s = &problem->statement[i];
    PetscReal            p = (PetscReal)problem->order, slack = 1e-3;
    PetscBool            good = PETSC_TRUE;

    if (strcmp(s->word->word, "expect") != 0) continue;
    if (!ladder->dt) {
      if (!strcmp(s->arg[0].text, "tolerance")) PetscCall(test_tolerances(problem, ladder, s));
      continue;
    }
    if (problem->method[0] && (s->args < 2 || strcmp(s->arg[1].text, "method") != 0))
      continue; /* numbers of another one */
    if (!strcmp(s->arg[0].text, "order")) {
      if (problem->systems) p = (PetscReal)RungGroupOrder(problem);
      if (strcmp(s->arg[1].text, "method") != 0) PetscCall(RungGetReal(problem, s, 1, &p, &good));
      PetscCall(RungGetReal(problem, s, 2, &slack, &good));
      PetscCall(PetscSNPrintf(what, sizeof what, "order of %.60s", problem->ran));
      PetscCall(RungOutcomeAdd(problem, what, ladder->order, p, slack));
    } else if (!strcmp(s->arg[0].text, "error")) {
      PetscCall(RungGetReal(problem, s, 1, &p, &good));
      if (s->args > 2) PetscCall(RungGetReal(problem, s, 2, &slack, &good));
      (void)snprintf(what, sizeof what, "error at dt = %g", (double)ladder->value[0]);
      PetscCall(RungOutcomeAdd(problem, what, ladder->error[0], p, slack * p));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An order needs different values, two at least. */
static PetscErrorCode check_ladder(RungProblem problem, const Ladder *ladder)
{
  PetscFunctionBegin;
  for (PetscInt i = 1; i < ladder->n; ++i) {
    PetscInt k = 0;

    while (k < i && ladder->value[k] != ladder->value[i]) ++k;
    if (k == i) continue;
    PetscCall(RungMistakeInFile(problem, 0, -1, -1, "the ladder has %s %g twice; wanted different ones, dt=0.1,0.05",
                                ladder->dt ? "dt" : "tol", (double)ladder->value[i]));
    break;
  }
  for (PetscInt i = 0; i < problem->statements && ladder->dt && ladder->n < 2; ++i) {
    const RungStatement *s = &problem->statement[i];

    if (!RungIs(problem, i, "expect") || strcmp(s->arg[0].text, "order") != 0) continue;
    PetscCall(RungMistake(problem, s, RungSpanOf(s),
                          "an order is expected of a ladder of one step, dt %g; a slope needs two or more, "
                          "ladder dt 0.1 0.05",
                          (double)ladder->value[0]));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What an error is not of: unknowns without an exact solution beside others that have one. */
static PetscErrorCode tell_untested(RungProblem problem)
{
  RungDraft names = {0};
  PetscBool some  = has_exact(problem);

  PetscFunctionBegin;
  for (PetscInt m = 0; m < RungMembers(problem) && some; ++m) {
    RungProblem member = RungMemberAt(problem, m);
    RungTraits  traits;

    PetscCall(RungSystemGetTraits(member->sys, &traits));
    for (PetscInt f = 0; f < traits.unknowns; ++f) {
      const char *name;
      PetscInt    i = 0;

      PetscCall(RungSystemGetUnknown(member->sys, f, &name, NULL));
      while (i < member->statements && !(RungIs(member, i, "exact") && !strcmp(member->statement[i].arg[0].text, name)))
        ++i;
      if (i == member->statements) PetscCall(RungDraftAdd(&names, "%s%s", names.text ? ", " : "", name));
    }
  }
  if (names.text)
    RungCallFinally(
      PetscPrintf(problem->comm, "note: errors are not those of %s: `exact` tells nothing of it\n", names.text),
      PetscCall(RungDraftClear(&names)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A last step that is shorter than the others has an error of its own. */
static PetscErrorCode tell_remainder(RungProblem problem, const Ladder *ladder)
{
  PetscReal t0, t1;

  PetscFunctionBegin;
  if (!ladder->dt || problem->systems) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStepperGetInterval(problem->stepper, &t0, &t1, NULL));
  for (PetscInt i = 0; i < ladder->n; ++i) {
    const PetscReal steps = (t1 - t0) / ladder->value[i];

    if (PetscAbsReal(steps - PetscFloorReal(steps + 0.5)) <= 1e-6) continue;
    PetscCall(
      PetscPrintf(problem->comm,
                  "note: dt = %g does not divide the run from %g to %g, its last step is shorter: orders beside it "
                  "may be off\n",
                  (double)ladder->value[i], (double)t0, (double)t1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Errors to an exact solution that smaller steps leave as they are, are not those of steps. */
static PetscErrorCode tell_rest(RungProblem problem, const Ladder *ladder)
{
  const PetscInt n = ladder->n;

  PetscFunctionBegin;
  if (!ladder->dt || n < 2 || !has_exact(problem) || ladder->value[n - 1] >= ladder->value[n - 2] ||
      ladder->error[n - 1] < 0.8 * ladder->error[n - 2] || ladder->error[n - 1] <= 1e-12)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPrintf(problem->comm,
                        "note: smaller steps leave an error of %.1e: that of the mesh, or `exact` does not solve the "
                        "equations; without `exact` errors are those to a run of smaller steps on the same mesh\n",
                        (double)ladder->error[n - 1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Errors of nothing but rounding have no order. */
static PetscErrorCode tell_rounding(RungProblem problem, const Ladder *ladder)
{
  PetscReal least = ladder->error[0];

  PetscFunctionBegin;
  for (PetscInt i = 1; i < ladder->n; ++i) least = PetscMin(least, ladder->error[i]);
  if (least > 100 * PETSC_MACHINE_EPSILON) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPrintf(problem->comm, "note: an error of %.1e is rounding, which %s\n", (double)least,
                        ladder->dt ? "has no order; take longer steps" : "follows no tolerance; take larger ones"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode climb(RungProblem problem, Ladder *ladder)
{
  Vec reference[RUNG_STEPS] = {NULL};

  PetscFunctionBegin;
  PetscCall(check_ladder(problem, ladder));
  if (problem->mistakes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(run_reference(problem, ladder, reference));
  if (!problem->mistakes)
    RungCallFinally(run_levels(problem, ladder, reference),
                    for (PetscInt i = 0; i < RUNG_STEPS; ++i) PetscCall(VecDestroy(&reference[i])));
  if (problem->mistakes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungRate(ladder->n, ladder->value, ladder->error, &ladder->order, &ladder->low, &ladder->high));
  if (ladder->n > 1 && PetscIsNanReal(ladder->order))
    PetscCall(PetscPrintf(problem->comm, "  no order: an error is 0"));
  else if (ladder->n > 1)
    PetscCall(PetscPrintf(problem->comm, "  %s %.2f",
                          ladder->dt ? "order" : "error goes with the tolerance to the power", (double)ladder->order));
  if (ladder->n > 2 && !PetscIsNanReal(ladder->order))
    PetscCall(PetscPrintf(problem->comm, " in [%.2f, %.2f]", (double)ladder->low, (double)ladder->high));
  if (ladder->n > 1) PetscCall(PetscPrintf(problem->comm, "\n"));
  PetscCall(tell_untested(problem));
  PetscCall(tell_remainder(problem, ladder));
  PetscCall(tell_rest(problem, ladder));
  PetscCall(tell_rounding(problem, ladder));
  PetscCall(test_ladder(problem, ladder));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Signals that come between its levels wait for the next one. */
static PetscErrorCode run_ladder(RungProblem problem, Ladder *ladder)
{
  PetscFunctionBegin;
  PetscCall(RungSignalsCatch());
  RungCallFinally(climb(problem, ladder), PetscCall(RungSignalsRelease()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- which ladders ------------------------------------------------------------------------------------------------ */

/* -ladder dt=0.1,0.05 in place of those of the file; set: it was given. */
static PetscErrorCode read_option(RungProblem problem, Ladder *ladder, PetscBool *set)
{
  char      text[1024], *c = text;
  char     *end  = text;
  PetscBool good = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(RungOptionText(problem->comm, "-ladder", "dt=0.1,0.05 or tol=1e-4,1e-6", NULL, sizeof text, text, set));
  if (!*set) PetscFunctionReturn(PETSC_SUCCESS);
  ladder->dt = !strncmp(text, "dt=", 3) ? PETSC_TRUE : PETSC_FALSE;
  ladder->n  = 0;
  if (ladder->dt || !strncmp(text, "tol=", 4)) {
    for (c = strchr(text, '=') + 1; good && ladder->n < LEVELS; c = end + 1) {
      const PetscReal value = strtod(c, &end);

      good                       = end > c && value > 0 && !PetscIsInfOrNanReal(value) ? PETSC_TRUE : PETSC_FALSE;
      ladder->value[ladder->n++] = value;
      if (*end != ',') break;
    }
  }
  if (!good || end == c || *end)
    PetscCall(RungMistakeInFile(problem, 0, -1, -1, "option -ladder %s; wanted dt=0.1,0.05 or tol=1e-4,1e-6", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* given: the ladder of the option, NULL: those of the file */
static PetscErrorCode run_ladders(RungProblem problem, Ladder *given)
{
  Ladder    ladder;
  PetscBool good = PETSC_TRUE;

  PetscFunctionBegin;
  if (given) PetscCall(run_ladder(problem, given));
  if (given) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < problem->statements && !problem->mistakes; ++i) {
    const RungStatement *s = &problem->statement[i];

    if (strcmp(s->word->word, "ladder") != 0) continue;
    ladder.dt = !strcmp(s->arg[0].text, "dt") ? PETSC_TRUE : PETSC_FALSE;
    ladder.n  = PetscMin(LEVELS, s->args - 1);
    for (PetscInt k = 0; k < ladder.n; ++k) PetscCall(RungGetReal(problem, s, k + 1, &ladder.value[k], &good));
    PetscCall(run_ladder(problem, &ladder));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does a pattern with commas and * match a name? */
static PetscBool matches(const char pattern[], const char name[])
{
  const char *p = pattern, *comma;

  for (;; p = comma + 1) {
    const char *c = p, *n = name;

    comma = p + strcspn(p, ",");
    while (c < comma && *c != '*' && *c == *n && *n) ++c, ++n;
    if ((c == comma && !*n) || (c < comma && *c == '*')) return PETSC_TRUE;
    if (!*comma) return PETSC_FALSE;
  }
}

/* Names that others give methods become those of here; patterns and names of nothing stay. */
static PetscErrorCode resolve_names(char pattern[], size_t size)
{
  char       *part, *rest, *name;
  const char *type, *method;

  PetscFunctionBegin;
  PetscCall(PetscStrallocpy(pattern, &part));
  rest       = part;
  pattern[0] = '\0';
  while ((name = strsep(&rest, ","))) {
    PetscCall(RungStepperTypeOf(name, &type, &method));
    PetscCall(RungTextAppend(pattern, type ? method : name, size));
    if (rest) PetscCall(RungTextAppend(pattern, ",", size));
  }
  PetscCall(PetscFree(part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every part of a pattern must be the name of a method, or begin those of some. */
static PetscErrorCode check_pattern(RungProblem problem, const char pattern[], PetscInt n, const char *const methods[])
{
  char       *part, *rest, *name;
  const char *nearest;

  PetscFunctionBegin;
  PetscCall(PetscStrallocpy(pattern, &part));
  rest = part;
  while ((name = strsep(&rest, ","))) {
    PetscInt i = 0;

    while (i < n && !matches(name, methods[i])) ++i;
    if (i < n) continue;
    PetscCall(RungSuggest(name, n, methods, &nearest));
    PetscCall(RungMistakeInFile(problem, 0, -1, -1, "no method matches -method %s%s%s%s", name,
                                nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : ""));
  }
  PetscCall(PetscFree(part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One of several methods: where it does not fit, or gives up, the others go on.  *taken: it fits. */
static PetscErrorCode run_method(RungProblem problem, Ladder *given, PetscBool *lost, PetscBool *taken)
{
  RungCaught caught;

  PetscFunctionBegin;
  RungCatch(&caught, run_ladders(problem, given));
  if (caught.code || !problem->mistakes) *taken = PETSC_TRUE;
  PetscCheck(caught.code != PETSC_ERR_SIG, problem->comm, PETSC_ERR_SIG, "%s; methods behind %s have none, too",
             caught.message, problem->ran);
  if (caught.code) {
    PetscCall(PetscPrintf(problem->comm, "%s\n  %s\n", problem->ran, caught.message));
    *lost = PETSC_TRUE;
  } else if (problem->mistakes) {
    const char *said = problem->mistake[0].text;

    PetscCall(PetscPrintf(problem->comm, "%s\n  %.*s\n", problem->method, (int)strcspn(said, "\n"), said));
    PetscCall(RungMistakesForget(problem));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those that a pattern names; a single one fails as it would without it. */
static PetscErrorCode run_methods(RungProblem problem, const char pattern[], Ladder *given, PetscBool *lost)
{
  const char *const *types, *const *methods;
  PetscInt  n, found = 0;
  PetscBool taken = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &types, &methods));
  PetscCall(check_pattern(problem, pattern, n, methods));
  for (PetscInt i = 0; i < n; ++i) found += matches(pattern, methods[i]);
  for (PetscInt i = 0; i < n && !problem->mistakes; ++i) {
    if (!matches(pattern, methods[i])) continue;
    PetscCall(PetscStrncpy(problem->method, methods[i], sizeof problem->method));
    if (found == 1)
      PetscCall(run_ladders(problem, given));
    else
      PetscCall(run_method(problem, given, lost, &taken));
  }
  problem->method[0] = 0;
  if (found > 1 && !taken && !problem->mistakes)
    PetscCall(RungMistakeInFile(problem, 0, -1, -1,
                                "none of the %" PetscInt_FMT
                                " methods of -method %s takes this problem; rung check tells which ones do",
                                found, pattern));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProblemStudy(RungProblem problem, RungExit *status)
{
  char      pattern[8192]; /* the names of all methods have some 2000 letters */
  PetscBool set, given, lost = PETSC_FALSE;
  Ladder    ladder;

  PetscFunctionBegin;
  RungNeed(problem);
  RungNeedArgument(status);
  *status = RUNG_EXIT_REFUSED;
  PetscCall(RungOptionText(problem->comm, "-method", "methods to study, a,b*", NULL, sizeof pattern, pattern, &set));
  PetscCall(read_option(problem, &ladder, &given));
  if (problem->systems)
    PetscCall(RungGroupBuild(problem, 0, PETSC_FALSE));
  else if (problem->steps)
    PetscCall(RungMistakeInFile(problem, 0, -1, -1,
                                "a study takes problems of one step, and this one has %" PetscInt_FMT, problem->steps));
  else
    PetscCall(RungBuild(problem, PETSC_FALSE));
  if (!problem->mistakes && !given && !RungHas(problem, "ladder"))
    PetscCall(RungMistakeInFile(problem, 0, -1, -1,
                                "there is no ladder; write ladder dt 0.1 0.05 or give -ladder dt=0.1,0.05"));
  if (!problem->mistakes && problem->fixed.said)
    PetscCall(RungMistake(problem, problem->fixed.said, RungSpanOf(problem->fixed.said),
                          "a study has ladders of steps in time, and none passes here; rung run solves it"));
  if (problem->systems && (set || (given && !ladder.dt)))
    PetscCall(
      RungMistakeInFile(problem, 0, -1, -1,
                        "a study of several systems has ladders of windows, -ladder dt=0.1,0.05; their methods and "
                        "tolerances stand in the file"));
  if (problem->mistakes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungErrorStatus(RUNG_EXIT_GAVE_UP));
  if (!problem->quiet && problem->title) PetscCall(PetscPrintf(problem->comm, "%s\n", problem->title));
  problem->outcomes = 0;
  if (!set) PetscCall(run_ladders(problem, given ? &ladder : NULL));
  if (set) PetscCall(resolve_names(pattern, sizeof pattern));
  if (set) PetscCall(run_methods(problem, pattern, given ? &ladder : NULL, &lost));
  if (problem->mistakes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungOutcomesPrint(problem, status));
  if (lost && *status == RUNG_EXIT_DONE) *status = RUNG_EXIT_GAVE_UP;
  PetscFunctionReturn(PETSC_SUCCESS);
}
