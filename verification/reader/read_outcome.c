/* read_outcome.c - statements of what must come out: they are checked when the file is read and tested when it was run. */
#include "reader_impl.h"

static PetscErrorCode need_column(RungProblem problem, const RungStatement *s, PetscInt arg, PetscBool summaries)
{
  PetscInt    column, n = 0;
  const char *list[256], *nearest;

  PetscFunctionBegin;
  PetscCall(RungSeriesFind(problem, s->arg[arg].text, &column));
  if (column >= 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < problem->series.n && n < 200; ++i) list[n++] = problem->series.name[i];
  for (PetscInt i = 0; summaries && i < problem->statements && n < 256; ++i) {
    const RungStatement *other = &problem->statement[i];

    if (!RungIs(problem, i, "summary")) continue;
    if (!strcmp(other->arg[0].text, s->arg[arg].text)) PetscFunctionReturn(PETSC_SUCCESS);
    list[n++] = other->arg[0].text;
  }
  PetscCall(RungSuggest(s->arg[arg].text, n, list, &nearest));
  PetscCall(RungMistake(problem, s, s->arg[arg].span, "no quantity%s is called \"%s\"%s%s%s",
                        summaries ? ", number or summary" : " or number", s->arg[arg].text,
                        nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode need_positive(RungProblem problem, const RungStatement *s, PetscInt i, PetscReal *value,
                                    PetscBool *good)
{
  PetscFunctionBegin;
  PetscCall(RungGetReal(problem, s, i, value, good));
  if (*good && !(*value > 0)) {
    PetscCall(RungMistake(problem, s, s->arg[i].span, "%g, wanted a positive number", (double)*value));
    *good = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Times of references, and bounds of summaries, in increasing order: the run looks at them as it passes. */
static PetscErrorCode add_time(RungProblem problem, PetscReal t)
{
  PetscInt i;

  PetscFunctionBegin;
  if (problem->times == problem->times_room) {
    problem->times_room = 2 * problem->times_room + 16;
    PetscCall(PetscRealloc((size_t)problem->times_room * sizeof *problem->time, &problem->time));
  }
  for (i = problem->times++; i > 0 && problem->time[i - 1] > t; --i) problem->time[i] = problem->time[i - 1];
  problem->time[i] = t;
  if (problem->stepper && !problem->group) PetscCall(RungStepperAddLookTimes(problem->stepper, 1, &t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does the command line give the run other ends than the file?  References outside of them are left out then. */
static PetscErrorCode is_cut(PetscBool *cut)
{
  PetscBool end;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-stepper_start", cut));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-stepper_end", &end));
  *cut = *cut || end ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* cut: whatever they are, nothing is outside of them. */
static PetscErrorCode get_ends(RungProblem problem, PetscReal *t0, PetscReal *t1, PetscBool *cut)
{
  PetscFunctionBegin;
  *t0 = problem->plan.t0;
  *t1 = problem->plan.t1;
  if (problem->stepper) PetscCall(RungStepperGetInterval(problem->stepper, t0, t1, NULL));
  PetscCall(is_cut(cut));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode meets_run(RungProblem problem, const RungStatement *s, PetscReal from, PetscReal to)
{
  PetscReal t0, t1;
  PetscBool cut;

  PetscFunctionBegin;
  PetscCall(get_ends(problem, &t0, &t1, &cut));
  if ((to < t0 || from > t1) && !cut && !problem->fixed.said)
    PetscCall(RungMistake(problem, s, s->arg[3].span,
                          "from %g to %g is outside of the run, which goes from %.10g to %.10g", (double)from,
                          (double)to, (double)t0, (double)t1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTimeInRun(RungProblem problem, const RungStatement *s, PetscInt arg, PetscReal t)
{
  PetscReal t0, t1;
  PetscBool cut;

  PetscFunctionBegin;
  PetscCall(get_ends(problem, &t0, &t1, &cut));
  if (problem->fixed.said && t != problem->fixed.t)
    PetscCall(RungMistake(problem, s, s->arg[arg].span,
                          "no time passes in a static step: t = %.10g, not %g, is that of its last solution",
                          (double)problem->fixed.t, (double)t));
  else if ((t < t0 || t > t1) && !cut)
    PetscCall(RungMistake(problem, s, s->arg[arg].span, "t = %.10g is not in the run, which goes from %.10g to %.10g",
                          (double)t, (double)t0, (double)t1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_reference(RungProblem problem, RungStatement *s)
{
  PetscReal t, value, rel = 1;
  PetscBool good = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(need_column(problem, s, 0, PETSC_TRUE));
  PetscCall(RungGetReal(problem, s, 1, &t, &good));
  PetscCall(RungGetReal(problem, s, 2, &value, &good));
  if (s->args > 3) PetscCall(need_positive(problem, s, 3, &rel, &good));
  if (!good) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTimeInRun(problem, s, 1, t));
  PetscCall(add_time(problem, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_summary(RungProblem problem, RungStatement *s)
{
  static const char *const what[] = {"last", "max", "min",    "time_of_max", "time_of_min",
                                     "mean", "rms", "period", "frequency",   "amplitude"};
  const char              *nearest;
  PetscReal                from, to;
  PetscBool                good = PETSC_TRUE, known = PETSC_FALSE;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(what) && !known; ++i)
    PetscCall(PetscStrcmp(what[i], s->arg[1].text, &known));
  if (!known) {
    PetscCall(RungSuggest(s->arg[1].text, (PetscInt)PETSC_STATIC_ARRAY_LENGTH(what), what, &nearest));
    PetscCall(RungMistake(
      problem, s, s->arg[1].span,
      "a summary is last, max, min, time_of_max, time_of_min, mean, rms, period, frequency or amplitude%s%s%s",
      nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : ""));
  }
  PetscCall(need_column(problem, s, 2, PETSC_FALSE));
  if (s->args == 3) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungGetReal(problem, s, 3, &from, &good));
  if (s->args == 4)
    PetscCall(RungMistake(problem, s, s->arg[3].span, "TO is missing; wanted summary %s", s->word->usage));
  else
    PetscCall(RungGetReal(problem, s, 4, &to, &good));
  if (good && s->args > 4 && !(to > from))
    PetscCall(RungMistake(problem, s, s->arg[4].span, "from %g to %g is no interval", (double)from, (double)to));
  else if (good && s->args > 4) {
    PetscCall(meets_run(problem, s, from, to));
    PetscCall(add_time(problem, from));
    PetscCall(add_time(problem, to));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_exact(RungProblem problem, RungStatement *s)
{
  PetscReal  error, size, end;
  char       label[512];
  Vec        u;
  RungCaught caught;

  PetscFunctionBegin;
  PetscCall(RungSystemCreateVec(problem->sys, &u));
  PetscCall(VecZeroEntries(u));
  RungCatch(&caught, RungError(problem->sys, s->arg[0].text, "L2", s->arg[1].text, 0, u, &error, &size));
  PetscCall(VecDestroy(&u));
  if (caught.code && caught.code != PETSC_ERR_FP) PetscCall(RungMistakeCaught(problem, s, &caught));
  if (problem->mistakes || !problem->stepper) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(label, sizeof label, "exact %s", s->arg[0].text));
  PetscCall(RungStepperGetInterval(problem->stepper, NULL, &end, NULL));
  RungCatch(&caught, RungSystemCheckSeam(problem->sys, label, s->arg[0].text, s->arg[1].text, end)); /* not finite */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_ladder(RungProblem problem, RungStatement *s)
{
  PetscReal value;
  PetscBool good = PETSC_TRUE;

  PetscFunctionBegin;
  if (strcmp(s->arg[0].text, "dt") != 0 && strcmp(s->arg[0].text, "tol") != 0)
    PetscCall(RungMistake(problem, s, s->arg[0].span, "a ladder of \"%s\"; there are dt and tol", s->arg[0].text));
  for (PetscInt i = 1; i < s->args; ++i) PetscCall(need_positive(problem, s, i, &value, &good));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_expectation(const char kind[])
{
  return !strcmp(kind, "order") || !strcmp(kind, "error") || !strcmp(kind, "tolerance") || !strcmp(kind, "constant")
           ? PETSC_TRUE
           : PETSC_FALSE;
}

/* An order is that of a ladder of steps, errors over tolerances those of one of tolerances; the others take any or none. */
static PetscErrorCode need_ladder(RungProblem problem, const RungStatement *s)
{
  const PetscBool tolerance = !strcmp(s->arg[0].text, "tolerance") ? PETSC_TRUE : PETSC_FALSE;
  const char     *kind      = tolerance ? "tol" : "dt";

  PetscFunctionBegin;
  if (!tolerance && strcmp(s->arg[0].text, "order") != 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < problem->statements; ++i) {
    if (RungIs(problem, i, "ladder") && !strcmp(problem->statement[i].arg[0].text, kind))
      PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungMistake(problem, s, s->arg[0].span,
                        "expect %s is tested on a ladder of %s, and the file has none; write ladder %s", s->arg[0].text,
                        tolerance ? "tolerances" : "steps", tolerance ? "tol 1e-4 1e-6" : "dt 0.1 0.05"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_expect(RungProblem problem, RungStatement *s)
{
  const char    *kind = s->arg[0].text;
  const PetscInt n    = s->args - 1;
  PetscReal      value;
  PetscBool      good = PETSC_TRUE;

  PetscFunctionBegin;
  if (!strcmp(kind, "order") && n == 2) {
    if (strcmp(s->arg[1].text, "method") != 0) PetscCall(need_positive(problem, s, 1, &value, &good));
    PetscCall(need_positive(problem, s, 2, &value, &good));
  } else if (!strcmp(kind, "error") && (n == 1 || n == 2)) {
    for (PetscInt i = 1; i <= n; ++i) PetscCall(need_positive(problem, s, i, &value, &good));
    if (!RungHas(problem, "exact"))
      PetscCall(RungMistake(problem, s, s->arg[0].span, "expect error wants `exact UNKNOWN TEXT` beside it"));
  } else if (!strcmp(kind, "tolerance") && n == 2) {
    PetscReal low = 0;

    PetscCall(need_positive(problem, s, 1, &low, &good));
    PetscCall(need_positive(problem, s, 2, &value, &good));
    if (good && !(value > low))
      PetscCall(RungMistake(problem, s, s->arg[2].span, "from %g to %g is no interval", (double)low, (double)value));
  } else if (!strcmp(kind, "constant") && n == 2) {
    PetscCall(need_column(problem, s, 1, PETSC_FALSE));
    PetscCall(need_positive(problem, s, 2, &value, &good));
  } else
    PetscCall(RungMistake(problem, s, is_expectation(kind) ? RungSpanOf(s) : s->arg[0].span,
                          "wanted expect order P SLACK, expect order method SLACK, expect error VALUE [REL], expect "
                          "tolerance LOW HIGH or expect constant NAME DRIFT"));
  if (good && RungHas(problem, "ladder")) PetscCall(need_ladder(problem, s));
  if (good && problem->running && (!strcmp(kind, "order") || !strcmp(kind, "tolerance")) && !RungHas(problem, "ladder"))
    PetscCall(RungRemark(problem, s, s->arg[0].span,
                         "a single run has no %s to test, and no ladder says what rung study varies; write ladder %s",
                         !strcmp(kind, "order") ? "order" : "errors of tolerances",
                         !strcmp(kind, "order") ? "dt 0.1 0.05" : "tol 1e-4 1e-5 1e-6"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
