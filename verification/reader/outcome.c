/* outcome.c - what a run must have shown: references, summaries, errors, constants; each a line with value and wanted. */
#include "reader_impl.h"
#include <stdio.h>

/* why: it cannot be told, "": it can. */
static PetscErrorCode add(RungProblem problem, const char what[], PetscReal value, PetscReal wanted, PetscReal allowed,
                          const char why[], PetscBool tested, PetscBool passed)
{
  RungOutcome *o;

  PetscFunctionBegin;
  if (problem->group) problem = problem->group;
  if (problem->outcomes == problem->outcomes_room) {
    problem->outcomes_room = 2 * problem->outcomes_room + 16;
    PetscCall(PetscRealloc((size_t)problem->outcomes_room * sizeof *problem->outcome, &problem->outcome));
  }
  o  = &problem->outcome[problem->outcomes++];
  *o = (RungOutcome){.value = value, .wanted = wanted, .allowed = allowed, .tested = tested, .passed = passed};
  PetscCall(PetscStrncpy(o->what, what, sizeof o->what));
  PetscCall(PetscStrncpy(o->why, why, sizeof o->why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOutcomeAdd(RungProblem problem, const char what[], PetscReal value, PetscReal wanted,
                              PetscReal allowed)
{
  const PetscBool passed = PetscAbsReal(value - wanted) <= allowed ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(add(problem, what, value, wanted, allowed, "", PETSC_TRUE, passed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- summaries ---------------------------------------------------------------------------------------------------- */

/* What a quantity was between two times, at them and at the steps in between. */
typedef struct {
  PetscInt   n;
  PetscReal *t, *value; /* owned, [n] */
} Window;

static void find_extremes(const Window *w, PetscReal *least, PetscReal *most)
{
  *least = PETSC_INFINITY;
  *most  = PETSC_NINFINITY;
  for (PetscInt i = 0; i < w->n; ++i) {
    *least = PetscMin(*least, w->value[i]);
    *most  = PetscMax(*most, w->value[i]);
  }
}

/* When a value is there first. */
static PetscReal time_of(const Window *w, PetscReal value)
{
  PetscInt i = 0;

  while (i < w->n && w->value[i] != value) ++i;
  return i < w->n ? w->t[i] : NAN;
}

/* Mean over time of v^power, trapezoidal. */
static PetscReal mean_of(const Window *w, int power)
{
  PetscReal sum = 0;

  for (PetscInt i = 1; i < w->n; ++i)
    sum += 0.5 * (w->t[i] - w->t[i - 1]) * (PetscPowReal(w->value[i], power) + PetscPowReal(w->value[i - 1], power));
  return w->n > 1 ? sum / (w->t[w->n - 1] - w->t[0]) : PetscPowReal(w->value[0], power);
}

/* Mean distance of the times when v crosses the middle of its range upwards, and the same downwards. */
static PetscReal period_of(const Window *w)
{
  PetscReal least, most, first[2] = {0, 0}, last[2] = {0, 0}, length = 0;
  PetscInt  n[2] = {0, 0}, crossings = 0;

  find_extremes(w, &least, &most);
  for (PetscInt i = 1; i < w->n; ++i) {
    const PetscReal a = w->value[i - 1] - 0.5 * (least + most), b = w->value[i] - 0.5 * (least + most);
    const int       up = a < 0 ? 1 : 0;

    if ((a < 0) == (b < 0)) continue;
    last[up] = w->t[i - 1] + (w->t[i] - w->t[i - 1]) * a / (a - b);
    if (!n[up]++) first[up] = last[up];
  }
  for (int up = 0; up < 2; ++up) {
    length += last[up] - first[up];
    crossings += PetscMax(0, n[up] - 1);
  }
  return crossings ? length / (PetscReal)crossings : NAN;
}

/* Bounds FROM and TO of a summary are numbers that were checked when the file was read. */
static PetscErrorCode get_bounds(RungProblem problem, const RungStatement *s, PetscReal *from, PetscReal *to)
{
  PetscBool good = PETSC_TRUE;

  PetscFunctionBegin;
  *from = PETSC_NINFINITY;
  *to   = PETSC_INFINITY;
  if (s->args <= 4) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungGetReal(problem, s, 3, from, &good));
  PetscCall(RungGetReal(problem, s, 4, to, &good));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The value at t on the line between two rows, behind what the window holds. */
static void add_end(Window *w, const RungSeries *series, PetscInt row, PetscInt column, PetscReal t)
{
  const PetscReal *a = series->value + row * series->n + column, *b = a + series->n;

  w->t[w->n]       = t;
  w->value[w->n++] = *a + (*b - *a) * (t - series->t[row]) / (series->t[row + 1] - series->t[row]);
}

/* A run has rows at the bounds (read_outcome.c), but for several systems and where a bound is a level but for rounding. */
static PetscErrorCode make_window(RungProblem problem, const RungStatement *s, Window *w)
{
  const RungSeries *series = &problem->series;
  PetscReal         from, to;
  PetscInt          column, row = 0;

  PetscFunctionBegin;
  PetscCall(RungSeriesFind(problem, s->arg[2].text, &column));
  PetscCall(get_bounds(problem, s, &from, &to));
  w->n = 0;
  PetscCall(PetscMalloc2(series->rows + 2, &w->t, series->rows + 2, &w->value));
  while (row < series->rows && series->t[row] < from) ++row;
  if (row && row < series->rows && series->t[row] > from) add_end(w, series, row - 1, column, from);
  for (; row < series->rows && series->t[row] <= to; ++row) {
    w->t[w->n]       = series->t[row];
    w->value[w->n++] = series->value[row * series->n + column];
  }
  if (row && row < series->rows && series->t[row - 1] < to) add_end(w, series, row - 1, column, to);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Why the values of a summary are not known, "" if they are. */
static PetscErrorCode say_lacking(RungProblem problem, const RungStatement *s, char why[200])
{
  PetscReal from, to;
  PetscInt  column;

  PetscFunctionBegin;
  why[0] = 0;
  PetscCall(RungSeriesFind(problem, s->arg[2].text, &column));
  PetscCall(get_bounds(problem, s, &from, &to));
  if (!strcmp(s->arg[1].text, "last") || from >= problem->series.begun) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSeriesLacks(problem, column, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal summarize(const char what[], const Window *w)
{
  PetscReal least, most;

  find_extremes(w, &least, &most);
  if (!strcmp(what, "last")) return w->value[w->n - 1];
  if (!strcmp(what, "max")) return most;
  if (!strcmp(what, "min")) return least;
  if (!strcmp(what, "time_of_max")) return time_of(w, most);
  if (!strcmp(what, "time_of_min")) return time_of(w, least);
  if (!strcmp(what, "mean")) return mean_of(w, 1);
  if (!strcmp(what, "rms")) return PetscSqrtReal(mean_of(w, 2));
  if (!strcmp(what, "amplitude")) return 0.5 * (most - least);
  if (!strcmp(what, "period")) return period_of(w);
  return 1 / period_of(w); /* frequency */
}

PetscErrorCode RungSummarize(RungProblem problem, const RungStatement *s, PetscReal *value, char why[200])
{
  Window w;

  PetscFunctionBegin;
  *value = NAN;
  PetscCall(say_lacking(problem, s, why));
  if (why[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(make_window(problem, s, &w));
  if (w.n) *value = summarize(s->arg[1].text, &w);
  PetscCall(PetscFree2(w.t, w.value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *RungNumberText(PetscReal value, int digits, char text[32])
{
  (void)snprintf(text, 32, "%.*g", digits, (double)value);
  return text;
}

/* ---- tests -------------------------------------------------------------------------------------------------------- */

/* A column's value at a time. */
static PetscErrorCode find_value(RungProblem problem, PetscInt column, PetscReal t, PetscReal *value, PetscBool *there,
                                 char why[200])
{
  const RungSeries *series = &problem->series;

  PetscFunctionBegin;
  PetscCall(RungSeriesAt(problem, column, t, value, there));
  if (t >= series->begun) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSeriesLacks(problem, column, why));
  if (!why[0] && !*there)
    PetscCall(PetscSNPrintf(why, 200, "the run before the checkpoint of t = %.10g did not look at this time",
                            (double)series->begun));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A quantity or number at a time; a summary, whose time is that of the run. */
static PetscErrorCode test_reference(RungProblem problem, const RungStatement *s)
{
  PetscReal t, wanted, rel = 1e-6, value = NAN, allowed;
  PetscInt  column;
  PetscBool good = PETSC_TRUE, there = PETSC_FALSE;
  char      what[128], why[200]      = "";

  PetscFunctionBegin;
  PetscCall(RungGetReal(problem, s, 1, &t, &good));
  PetscCall(RungGetReal(problem, s, 2, &wanted, &good));
  if (s->args > 3) PetscCall(RungGetReal(problem, s, 3, &rel, &good));
  allowed = wanted != 0 ? rel * PetscAbsReal(wanted) : rel;
  PetscCall(RungSeriesFind(problem, s->arg[0].text, &column));
  if (column >= 0) PetscCall(find_value(problem, column, t, &value, &there, why));
  if (column >= 0 && !there && problem->changed[0])
    PetscFunctionReturn(PETSC_SUCCESS); /* the run does not come there */
  for (PetscInt i = 0; column < 0 && i < problem->statements; ++i) {
    const RungStatement *other = &problem->statement[i];

    if (RungIs(problem, i, "summary") && !strcmp(other->arg[0].text, s->arg[0].text))
      PetscCall(RungSummarize(problem, other, &value, why));
  }
  if (problem->step)
    (void)snprintf(what, sizeof what, "%.60s at t = %.10g, %.40s", s->arg[0].text, (double)t,
                   problem->step_name[problem->step]);
  else
    (void)snprintf(what, sizeof what, "%.60s at t = %.10g", s->arg[0].text, (double)t);
  if (why[0])
    PetscCall(add(problem, what, NAN, wanted, allowed, why, PETSC_FALSE, PETSC_TRUE));
  else
    PetscCall(RungOutcomeAdd(problem, what, value, wanted, allowed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define RETURNED 1e-10 /* of what it was: the exact solution is 0 but for rounding, as sin(2*pi*t) at t = 1  */
#define LOOKS    7     /* times before the end, at which an exact solution that ends with 0 is looked at instead */

/* size = |exact| at the time t of the end, which the error is larger than; the largest at earlier times where that is rounding beside it. */
static PetscErrorCode size_of_exact(RungProblem problem, const RungStatement *exact, PetscReal t, PetscReal *size)
{
  const Vec *u;
  PetscReal  start = t, most = 0, one, error;
  PetscBool  good = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(RungProblemGetState(problem, &error, &u));
  for (PetscInt i = 0; i < problem->statements; ++i)
    if (RungIs(problem, i, "time")) PetscCall(RungGetReal(problem, &problem->statement[i], 0, &start, &good));
  for (PetscInt k = 0; good && start < t && k < LOOKS; ++k) {
    PetscCall(RungError(problem->sys, exact->arg[0].text, "L2", exact->arg[1].text, start + k * (t - start) / LOOKS,
                        u[0], &error, &one));
    most = PetscMax(most, one);
  }
  if (*size <= RETURNED * most) *size = most;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExactError(RungProblem problem, PetscReal *error)
{
  const Vec *u;
  PetscReal  t;

  PetscFunctionBegin;
  *error = 0;
  PetscCall(RungProblemGetState(problem, &t, &u));
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s = &problem->statement[i];
    PetscReal            one, size;

    if (!RungIs(problem, i, "exact")) continue;
    PetscCall(RungError(problem->sys, s->arg[0].text, "L2", s->arg[1].text, t, u[0], &one, &size));
    if (one > size) PetscCall(size_of_exact(problem, s, t, &size));
    *error = PetscMax(*error, size > 0 ? one / size : one);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest departure of a quantity from its first value, over that value. */
static PetscErrorCode test_constant(RungProblem problem, const RungStatement *s)
{
  const RungSeries *series = &problem->series;
  PetscReal         drift  = 0, allowed, first;
  PetscInt          column;
  PetscBool         good = PETSC_TRUE;
  char              what[128], why[200];

  PetscFunctionBegin;
  PetscCall(RungGetReal(problem, s, 2, &allowed, &good));
  PetscCall(RungSeriesFind(problem, s->arg[1].text, &column));
  PetscCall(PetscSNPrintf(what, sizeof what, "drift of %.60s", s->arg[1].text));
  PetscCall(RungSeriesLacks(problem, column, why));
  if (why[0]) {
    PetscCall(add(problem, what, NAN, 0, allowed, why, PETSC_FALSE, PETSC_TRUE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  first = series->value[column];
  for (PetscInt i = 0; i < series->rows; ++i)
    drift = PetscMax(drift, PetscAbsReal(series->value[i * series->n + column] - first));
  if (first != 0 && drift > PetscAbsReal(first)) /* a zero but for rounding, as often as not */
    PetscCall(PetscSNPrintf(what, sizeof what, "drift of %.60s, which began with %.2e, over that", s->arg[1].text,
                            (double)first));
  PetscCall(RungOutcomeAdd(problem, what, first != 0 ? drift / PetscAbsReal(first) : drift, 0, allowed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_error(RungProblem problem, const RungStatement *s)
{
  PetscReal error, wanted, rel = 1e-3;
  PetscBool good = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(RungExactError(problem, &error));
  PetscCall(RungGetReal(problem, s, 1, &wanted, &good));
  if (s->args > 2) PetscCall(RungGetReal(problem, s, 2, &rel, &good));
  PetscCall(RungOutcomeAdd(problem, "error at the end", error, wanted, rel * wanted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The option of the command line that makes another problem of the file: what the file expects is then shown, not tested.  The end
   of the run comes last, which another run can go on behind. */
PetscErrorCode RungChangeFind(RungProblem problem)
{
  static const char *const list[] = {
    "-mesh_file",      "-mesh_points",        "-mesh_cell",     "-mesh_count",     "-mesh_size",     "-mesh_lower",
    "-mesh_periodic",  "-mesh_refine",        "-stepper_type",  "-stepper_method", "-stepper_order", "-stepper_rho_inf",
    "-stepper_beta",   "-stepper_gamma",      "-stepper_start", "-stepper_dt",     "-stepper_rtol",  "-stepper_atol",
    "-stepper_filter", "-stepper_alpha_form", "-form_degree"};
  char      option[128];
  PetscBool set;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(list) && !problem->changed[0]; ++i) {
    PetscCall(PetscOptionsHasName(NULL, NULL, list[i], &set));
    if (set) PetscCall(PetscStrncpy(problem->changed, list[i], sizeof problem->changed));
  }
  for (PetscInt i = 0; i < problem->statements && !problem->changed[0]; ++i) {
    const RungStatement *s = &problem->statement[i];

    if (strcmp(s->word->word, "unknown") != 0) continue;
    PetscCall(PetscSNPrintf(option, sizeof option, "-space_%.64s", s->arg[0].text));
    PetscCall(PetscOptionsHasName(NULL, NULL, option, &set));
    if (set) PetscCall(PetscStrncpy(problem->changed, option, sizeof problem->changed));
  }
  PetscCall(PetscOptionsHasName(NULL, NULL, "-stepper_end", &set));
  if (set && !problem->changed[0]) PetscCall(PetscStrncpy(problem->changed, "-stepper_end", sizeof problem->changed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Why a period was not found. */
static void say_no_period(const RungStatement *s, PetscReal value, char why[200])
{
  if (why[0] || !PetscIsNanReal(value) ||
      (strcmp(s->arg[1].text, "period") != 0 && strcmp(s->arg[1].text, "frequency") != 0))
    return;
  (void)snprintf(why, 200,
                 "%.60s does not cross the middle of its range twice in one direction, so that it has no whole period "
                 "there",
                 s->arg[2].text);
}

PetscErrorCode RungOutcomesTest(RungProblem problem)
{
  PetscFunctionBegin;
  PetscCall(RungChangeFind(problem));
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s = &problem->statement[i];
    PetscReal            value;
    char                 why[200];

    if (!RungHolds(problem, s)) continue;
    if (!strcmp(s->word->word, "summary")) {
      PetscCall(RungSummarize(problem, s, &value, why));
      say_no_period(s, value, why);
      PetscCall(add(problem, s->arg[0].text, value, NAN, NAN, why, PETSC_FALSE, PETSC_TRUE));
    }
    if (!strcmp(s->word->word, "reference")) PetscCall(test_reference(problem, s));
    if (!strcmp(s->word->word, "happens")) PetscCall(RungHappensTest(problem, s));
    if (strcmp(s->word->word, "expect") != 0) continue;
    if (!strcmp(s->arg[0].text, "constant")) PetscCall(test_constant(problem, s));
    if (!strcmp(s->arg[0].text, "error") && !RungHas(problem, "ladder")) PetscCall(test_error(problem, s));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOutcomesPrint(RungProblem problem, RungExit *status)
{
  PetscBool expected = PETSC_FALSE;

  PetscFunctionBegin;
  *status = RUNG_EXIT_DONE;
  for (PetscInt i = 0; i < problem->outcomes; ++i) {
    const RungOutcome *o = &problem->outcome[i];
    char               text[2][32];

    if (!o->passed && !problem->changed[0]) *status = RUNG_EXIT_FAILED;
    if (problem->quiet && (o->passed || problem->changed[0])) continue;
    if (o->why[0])
      PetscCall(PetscPrintf(problem->comm, "%s is not known%s: %s\n", o->what,
                            PetscIsNanReal(o->wanted) ? "" : ", not tested", o->why));
    else if (!o->tested)
      PetscCall(PetscPrintf(problem->comm, "%s = %s\n", o->what, RungNumberText(o->value, 12, text[0])));
    else
      PetscCall(PetscPrintf(problem->comm, "%s %s = %s, wanted %s, off by %.1e of %.1e\n",
                            problem->changed[0] ? "      "
                            : o->passed         ? "ok    "
                                                : "FAILED",
                            o->what, RungNumberText(o->value, 12, text[0]), RungNumberText(o->wanted, 12, text[1]),
                            (double)PetscAbsReal(o->value - o->wanted), (double)o->allowed));
    expected = expected || o->tested ? PETSC_TRUE : PETSC_FALSE;
  }
  if (expected && problem->changed[0] && !problem->quiet)
    PetscCall(PetscPrintf(problem->comm, "not tested: %s%s\n", problem->changed,
                          problem->changed[0] == '-' ? " makes another problem of the file" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}
