/* series.c - quantities and numbers at the accepted steps of a run, kept for references, summaries and expectations. */
#include "reader_impl.h"
#include <rungscope_room.h>
#include <stdio.h>

#define SAME 1e-9 /* of a step: a time this near to a level is the level's */

static PetscInt count(RungProblem problem, const char word[])
{
  PetscInt n = 0;

  for (PetscInt i = 0; i < problem->statements; ++i) n += RungIs(problem, i, word);
  return n;
}

PetscErrorCode RungSeriesDestroy(RungProblem problem)
{
  RungSeries *series = &problem->series;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < series->numbers; ++i) PetscCall(RungPointwiseDestroy(&series->number[i]));
  PetscCall(PetscFree(series->number));
  PetscCall(RungScopeDestroy(&series->scope));
  PetscCall(PetscFree(series->name));
  PetscCall(PetscFree(series->t));
  PetscCall(PetscFree(series->value));
  PetscCall(PetscFree(series->lacks));
  *series = (RungSeries){.begun = PETSC_NINFINITY};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

/* The scope of numbers: constants, and quantities whose names can be said in an expression. */
static PetscErrorCode make_scope(RungProblem problem)
{
  RungSeries *series = &problem->series;
  RungCaught  caught;

  PetscFunctionBegin;
  PetscCall(RungScopeCreate(problem->comm, &series->scope));
  PetscCall(RungScopeSetDimension(series->scope, 1));
  for (PetscInt i = 0; i < problem->constants; ++i)
    PetscCall(RungScopeSetConstant(series->scope, problem->constant[i].name, problem->constant[i].value));
  for (PetscInt i = 0; i < series->n; ++i) {
    PetscReal other;

    RungCatch(&caught, RungScopeGetConstant(series->scope, series->name[i], &other));
    if (caught.code) RungCatch(&caught, RungScopeSetConstant(series->scope, series->name[i], 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A quantity whose name means something else in an expression is not what a number's text asks for. */
static PetscErrorCode check_words(RungProblem problem, const RungStatement *s)
{
  const RungSeries *series = &problem->series;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < series->n; ++i) {
    if (RungNameIsLeaf(series->name[i]) && RungHoldsWord(s->arg[1].text, series->name[i]))
      PetscCall(RungMistake(problem, s, s->arg[1].span,
                            "\"%s\" has a meaning of its own in expressions, it is not the quantity of that name; give "
                            "the quantity another name",
                            series->name[i]));
    for (PetscInt k = 0; k < problem->constants; ++k)
      if (!strcmp(problem->constant[k].name, series->name[i]) && RungHoldsWord(s->arg[1].text, series->name[i]))
        PetscCall(RungMistake(problem, s, s->arg[1].span,
                              "\"%s\" is a constant and a quantity; give one of both another name", series->name[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_number(RungProblem problem, const RungStatement *s)
{
  RungSeries *series = &problem->series;
  RungExpr    expr;

  PetscFunctionBegin;
  PetscCall(check_words(problem, s));
  if (RungIsMistaken(problem, s)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungScopeParse(series->scope, "", s->arg[1].text, &expr));
  PetscCall(RungPointwiseCreate(expr, &series->number[series->numbers]));
  ++series->numbers;
  PetscCall(RungScopeSetConstant(series->scope, s->arg[0].text, 1));
  series->name[series->n++] = s->arg[0].text;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a system among others, or of all: the coupling reads and evaluates it. */
static PetscErrorCode add_to_coupling(RungProblem problem, const RungStatement *s)
{
  RungSeries  *series = &problem->series;
  const char  *system;
  RungCoupling coupling = RungGroupCoupling(problem, &system);

  PetscFunctionBegin;
  if (!coupling || !series->name) PetscFunctionReturn(PETSC_SUCCESS); /* the system is wrong */
  RungPass(problem, s, RungCouplingAddNumber(coupling, system, s->arg[0].text, s->arg[1].text));
  if (!RungIsMistaken(problem, s)) series->name[series->n++] = s->arg[0].text;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_number(RungProblem problem, RungStatement *s)
{
  PetscInt column = -1;

  PetscFunctionBegin;
  if (problem->series.name) PetscCall(RungSeriesFind(problem, s->arg[0].text, &column));
  if (column >= 0) {
    PetscCall(RungMistake(problem, s, s->arg[0].span,
                          "there is a quantity or number \"%s\" already; give this one another name", s->arg[0].text));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (problem->group || problem->systems) {
    PetscCall(add_to_coupling(problem, s));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!problem->series.scope) PetscFunctionReturn(PETSC_SUCCESS); /* the system is wrong */
  RungPass(problem, s, make_number(problem, s));
  if (!RungHasRows(problem) && problem->stepper && !RungIsMistaken(problem, s))
    RungPass(problem, s, RungStepperAddNumber(problem->stepper, s->arg[0].text, s->arg[1].text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSeriesStart(RungProblem problem)
{
  RungSeries        *series  = &problem->series;
  const PetscInt     numbers = count(problem, "number");
  const char *const *name;
  const PetscBool   *rate;

  PetscFunctionBegin;
  PetscCall(RungSeriesDestroy(problem));
  PetscCall(RungSystemGetQuantities(problem->sys, &series->n, &name, &rate));
  series->quantities = series->n;
  series->rate       = rate;
  PetscCall(PetscMalloc1(series->n + numbers, &series->name));
  PetscCall(PetscCalloc1(numbers, &series->number));
  for (PetscInt i = 0; i < series->n; ++i) series->name[i] = name[i];
  series->keep = numbers || RungHas(problem, "reference") || RungHas(problem, "summary") || RungHas(problem, "expect")
                   ? PETSC_TRUE
                   : PETSC_FALSE;
  if (numbers && !problem->group) PetscCall(make_scope(problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

/* Constants that events change are those of now. */
static PetscErrorCode follow_constants(RungProblem problem)
{
  RungScope scope;

  PetscFunctionBegin;
  if (!problem->series.scope || !problem->sys || !RungHas(problem, "change")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemGetScope(problem->sys, &scope));
  for (PetscInt i = 0; i < problem->constants; ++i) {
    PetscReal value;

    PetscCall(RungScopeGetConstant(scope, problem->constant[i].name, &value));
    PetscCall(RungScopeSetConstant(problem->series.scope, problem->constant[i].name, value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_numbers(RungProblem problem, PetscReal t, PetscReal value[])
{
  const PetscReal origin[3] = {0, 0, 0};
  RungSeries     *series    = &problem->series;

  PetscFunctionBegin;
  PetscCall(follow_constants(problem));
  for (PetscInt i = 0; i < series->n && series->scope; ++i) {
    PetscScalar result = value[i];
    RungCaught  caught;

    if (i >= series->quantities) {
      PetscCall(RungPointwiseEvaluate(series->number[i - series->quantities], t, 1, origin, &result));
      value[i] = PetscRealPart(result);
    }
    RungCatch(&caught, RungScopeSetConstant(series->scope, series->name[i], value[i])); /* not a name, or not finite */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A new row behind the others; the only one where rows are not kept. */
static PetscErrorCode add_row(RungSeries *series, PetscReal t, PetscReal **value)
{
  PetscFunctionBegin;
  if (!series->keep) series->rows = 0;
  if (series->rows == series->room) {
    series->room = 2 * series->room + 64;
    PetscCall(PetscRealloc((size_t)series->room * sizeof *series->t, &series->t));
    PetscCall(PetscRealloc((size_t)(series->room * PetscMax(1, series->n)) * sizeof *series->value, &series->value));
  }
  *value                    = series->value + series->rows * series->n;
  series->t[series->rows++] = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Quantities at a time between the two newest levels. */
static PetscErrorCode add_between(RungProblem problem, RungStepper stepper, PetscReal t)
{
  RungSeries *series = &problem->series;
  Vec         u[RUNG_MAX_ORDER + 1];
  RungTraits  traits;
  PetscReal  *value, *now;

  PetscFunctionBegin;
  PetscCall(RungSystemGetTraits(problem->sys, &traits));
  for (PetscInt k = 0; k <= traits.order; ++k) PetscCall(RungSystemCreateVec(problem->sys, &u[k]));
  PetscCall(PetscMalloc1(series->n, &now));
  PetscCall(RungStepperEvaluateBetween(stepper, t, u, now));
  for (PetscInt k = 0; k <= traits.order; ++k) PetscCall(VecDestroy(&u[k]));
  PetscCall(add_row(series, t, &value));
  for (PetscInt i = 0; i < series->quantities; ++i) value[i] = now[i];
  PetscCall(PetscFree(now));
  PetscCall(set_numbers(problem, t, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Times of references that the step to t has passed. */
static PetscErrorCode add_passed(RungProblem problem, RungStepper stepper, PetscReal before, PetscReal t)
{
  RungSeries     *series = &problem->series;
  const PetscReal near   = SAME * (t - before) + 16 * PETSC_MACHINE_EPSILON * PetscAbsReal(t);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->times; ++i) {
    const PetscReal T = problem->time[i];

    if (T > before + near && T < t - near && (!series->rows || T > series->t[series->rows - 1]))
      PetscCall(add_between(problem, stepper, T));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The row of the level that a run goes on from has what the checkpoint holds of it, and now the rest. */
static PetscErrorCode fill_row(RungProblem problem, RungStepper stepper, PetscReal t)
{
  RungSeries *series = &problem->series;
  PetscReal  *value  = series->value + (series->rows - 1) * series->n;
  PetscBool   lacks  = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < series->n && series->lacks; ++i) {
    if (!series->lacks[i]) continue;
    lacks = PETSC_TRUE;
    if (i < series->quantities) PetscCall(RungStepperGetQuantity(stepper, series->name[i], &value[i]));
  }
  if (lacks) PetscCall(set_numbers(problem, t, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode watch(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  RungProblem problem = ctx;
  RungSeries *series  = &problem->series;
  PetscBool   again; /* an event has changed the level */
  PetscReal  *value;

  (void)u;
  PetscFunctionBegin;
  again = series->rows && t == series->t[series->rows - 1] && step && step == series->step ? PETSC_TRUE : PETSC_FALSE;
  if (series->rows && t == series->t[series->rows - 1] && !again) PetscCall(fill_row(problem, stepper, t));
  if (series->rows && t <= series->t[series->rows - 1] && !again) PetscFunctionReturn(PETSC_SUCCESS);
  series->step = step;
  if (series->keep && series->rows && !again) PetscCall(add_passed(problem, stepper, series->t[series->rows - 1], t));
  PetscCall(add_row(series, t, &value));
  for (PetscInt i = 0; i < series->quantities; ++i)
    PetscCall(RungStepperGetQuantity(stepper, series->name[i], &value[i]));
  PetscCall(set_numbers(problem, t, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RungProblem problem, const RungState *state, PetscReal value[])
{
  RungSeries *series = &problem->series;

  PetscFunctionBegin;
  PetscCall(RungSystemEvaluateQuantities(problem->sys, state->t, state->u, value));
  for (PetscInt i = 0; i < series->quantities; ++i) {
    if (!series->rate[i]) continue;
    value[i] = 0; /* no time passes: what the steps before have left */
    for (PetscInt k = 0; k < problem->carry.sums; ++k) {
      if (!strcmp(problem->carry.name[k], series->name[i])) value[i] = problem->carry.sum[k];
    }
  }
  for (PetscInt i = 0; i < problem->constants && series->scope; ++i)
    PetscCall(RungScopeSetConstant(series->scope, problem->constant[i].name, problem->constant[i].value));
  PetscCall(set_numbers(problem, state->t, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSeriesAdd(RungProblem problem, const RungState *state)
{
  PetscReal *value;

  PetscFunctionBegin;
  PetscCall(add_row(&problem->series, state->t, &value));
  PetscCall(evaluate(problem, state, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSeriesPut(RungProblem problem, PetscReal t, const PetscReal value[])
{
  PetscReal *row;

  PetscFunctionBegin;
  PetscCall(add_row(&problem->series, t, &row));
  PetscCall(PetscArraycpy(row, value, problem->series.n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSeriesPutAll(RungProblem problem, PetscReal t, const PetscReal value[])
{
  PetscInt n = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; problem->systems && i < problem->members; ++i) {
    PetscCall(RungSeriesPut(problem->member[i], t, value + n));
    n += problem->member[i]->series.n;
  }
  PetscCall(RungSeriesPut(problem, t, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSeriesBegin(RungProblem problem, PetscReal t, const PetscInt from[])
{
  RungSeries *series = &problem->series;

  PetscFunctionBegin;
  series->begun = t;
  PetscCall(PetscFree(series->lacks));
  PetscCall(PetscMalloc1(series->n, &series->lacks));
  for (PetscInt i = 0; i < series->n; ++i) series->lacks[i] = from[i] < 0 ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSeriesWatch(RungProblem problem)
{
  const RungKeeper keeper = RungSeriesKeeper(problem);

  PetscFunctionBegin;
  problem->series.rows = 0;
  problem->series.step = 0;
  PetscCall(RungStepperSetKeeper(problem->stepper, &keeper));
  if (problem->series.keep) PetscCall(RungStepperAddMonitor(problem->stepper, watch, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values at the end, where no rows were kept. */
PetscErrorCode RungSeriesEnd(RungProblem problem)
{
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungStepperGetState(problem->stepper, 0, &state));
  PetscCall(watch(problem->stepper, 0, state->t, state->u, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- questions ---------------------------------------------------------------------------------------------------- */

PetscErrorCode RungSeriesFind(RungProblem problem, const char name[], PetscInt *column)
{
  PetscFunctionBegin;
  *column = -1;
  for (PetscInt i = 0; i < problem->series.n && *column < 0; ++i) {
    if (!strcmp(problem->series.name[i], name)) *column = i;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSeriesLacks(RungProblem problem, PetscInt column, char why[200])
{
  const RungSeries *series = &problem->series;

  PetscFunctionBegin;
  why[0] = 0;
  if (column >= 0 && series->lacks && series->lacks[column])
    PetscCall(PetscSNPrintf(why, 200, "the checkpoint of t = %.10g holds nothing of \"%.100s\" before it",
                            (double)series->begun, series->name[column]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSeriesAt(RungProblem problem, PetscInt column, PetscReal t, PetscReal *value, PetscBool *there)
{
  const RungSeries *series = &problem->series;

  PetscFunctionBegin;
  *there = PETSC_FALSE;
  for (PetscInt i = series->rows - 1; i >= 0 && !*there; --i) { /* of a static step the last */
    const PetscReal h = i ? series->t[i] - series->t[i - 1] : series->rows > 1 ? series->t[1] - series->t[0] : 1;

    if (PetscAbsReal(series->t[i] - t) > SAME * h + 16 * PETSC_MACHINE_EPSILON * PetscAbsReal(t)) continue;
    *value = series->value[i * series->n + column];
    *there = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
