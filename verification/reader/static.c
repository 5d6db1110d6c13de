/* static.c - a static step: F(t, u) = 0 at one time, once or while a constant goes from one value to another: RungSystemFollow(). */
#include "reader_impl.h"
#include <rungfollow.h>
#include <stdio.h>

PetscErrorCode RungStaticReset(RungProblem problem)
{
  RungStatic *fixed = &problem->fixed;

  PetscFunctionBegin;
  *fixed = (RungStatic){.said = NULL};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* FROM, TO and STEP of a constant that there is; 0, 0 and 1 without one. */
static PetscErrorCode read_values(RungProblem problem, RungStatement *s)
{
  RungStatic *fixed = &problem->fixed;
  const char *list[256], *nearest;
  PetscInt    n    = 0;
  PetscBool   good = PETSC_TRUE, known = PETSC_FALSE;

  PetscFunctionBegin;
  fixed->step = 1;
  if (!s->args) PetscFunctionReturn(PETSC_SUCCESS); /* one solution */
  if (s->args < 4) {
    PetscCall(
      RungMistake(problem, s, RungSpanOf(s),
                  "wanted static alone, for one solution, or static CONSTANT FROM TO STEP, for those on the way"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = 0; i < problem->constants && n < 256; ++i) {
    list[n++] = problem->constant[i].name;
    known     = known || !strcmp(problem->constant[i].name, s->arg[0].text) ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscCall(RungSuggest(s->arg[0].text, n, list, &nearest));
  if (!known)
    PetscCall(RungMistake(problem, s, s->arg[0].span, "no constant is called \"%s\"%s%s%s", s->arg[0].text,
                          nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : ""));
  PetscCall(RungGetReal(problem, s, 1, &fixed->from, &good));
  PetscCall(RungGetReal(problem, s, 2, &fixed->to, &good));
  PetscCall(RungGetReal(problem, s, 3, &fixed->step, &good));
  if (good && !(fixed->step > 0))
    PetscCall(RungMistake(problem, s, s->arg[3].span, "a step of %g, wanted a positive number", (double)fixed->step));
  else if (good && PetscAbsReal(fixed->to - fixed->from) > 1e6 * fixed->step)
    PetscCall(RungMistake(problem, s, s->arg[3].span, "more than a million steps from %g to %g", (double)fixed->from,
                          (double)fixed->to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What belongs to steps with time, named at the first of it. */
static PetscErrorCode check_timeless(RungProblem problem, const RungStatement *s)
{
  static const char *const none[]  = {"time", "method", "tolerances", "steps", "stop"};
  const RungStatement     *first   = NULL;
  char                     all[64] = "";

  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *other = &problem->statement[i];

    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(none); ++k) {
      if (!RungIs(problem, i, none[k]) || other->step != s->step) continue;
      if (!first) first = other;
      if (RungHoldsWord(all, none[k])) continue;
      (void)snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", all[0] ? ", " : "", none[k]);
    }
  }
  if (first)
    PetscCall(RungMistake(problem, first, RungSpanOf(first), "no time passes in a static step; take %s away", all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_static(RungProblem problem, RungStatement *s)
{
  RungTraits         traits;
  const char *const *name;
  const PetscBool   *rate;
  PetscInt           n = 0;

  PetscFunctionBegin;
  PetscCall(read_values(problem, s));
  PetscCall(check_timeless(problem, s));
  traits.order = 0;
  if (!problem->mistakes) PetscCall(RungSystemGetTraits(problem->sys, &traits));
  if (traits.order)
    PetscCall(RungMistake(problem, s, RungSpanOf(s),
                          "the equations hold time derivatives of order %" PetscInt_FMT
                          " and a static step has none; leave these terms, or the statement order, to a step with time",
                          traits.order));
  if (s->args && !problem->mistakes) PetscCall(RungSystemGetQuantities(problem->sys, &n, &name, &rate));
  for (PetscInt i = 0; i < n; ++i) {
    if (!strcmp(name[i], s->arg[0].text))
      PetscCall(RungMistake(problem, s, s->arg[0].span,
                            "a quantity is called \"%s\", too, and tables have a column of each; give it another name",
                            name[i]));
  }
  if (problem->step) PetscCall(RungStepTime(problem, problem->step, &problem->fixed.t));
  problem->fixed.said = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_value(PetscReal value, void *ctx)
{
  RungProblem problem = ctx;

  PetscFunctionBegin;
  if (!problem->fixed.said->args) PetscFunctionReturn(PETSC_SUCCESS); /* one solution, no constant */
  problem->fixed.moves = PETSC_TRUE;
  problem->fixed.value = value;
  PetscCall(RungConstantsRead(problem));
  PetscCall(RungConstantsApply(problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solution has been found. */
static PetscErrorCode record(PetscReal value, const RungState *state, void *ctx)
{
  RungProblem       problem = ctx;
  RungStatic       *fixed   = &problem->fixed;
  const RungSeries *series  = &problem->series;

  PetscFunctionBegin;
  ++fixed->solutions;
  PetscCall(RungSeriesAdd(problem, state));
  if (problem->rows)
    PetscCall(RungRowsWrite(problem->rows,
                            &(RungRow){.t      = state->t,
                                       .column = fixed->said->args ? fixed->said->arg[0].text : NULL,
                                       .at     = value,
                                       .n      = series->n,
                                       .name   = series->name,
                                       .value  = series->value + (series->rows - 1) * series->n},
                            state->u, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStaticSolve(RungProblem problem)
{
  const RungStatic *fixed  = &problem->fixed;
  RungCarry        *carry  = &problem->carry;
  RungFollowPlan    plan   = {.name  = fixed->said->args ? fixed->said->arg[0].text : NULL,
                              .t     = fixed->t,
                              .from  = fixed->from,
                              .to    = fixed->to,
                              .step  = fixed->step,
                              .set   = set_value,
                              .found = record,
                              .ctx   = problem,
                              .save  = fixed->save,
                              .load  = fixed->load};
  const RungKeeper  keeper = RungSeriesKeeper(problem);
  Vec               u;

  PetscFunctionBegin;
  PetscCall(RungSystemCreateVec(problem->sys, &u));
  RungCallOrUndo(RungFollowKeeping(problem->sys, &plan, keeper.save ? &keeper : NULL, u), PetscCall(VecDestroy(&u)));
  if (problem->rows) PetscCall(RungRowsTell(problem->rows));
  carry->t = fixed->t;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&carry->u[k]));
  carry->u[0] = u;
  PetscFunctionReturn(PETSC_SUCCESS);
}
