/* step.c - steps of a run: which statements hold in which, and what goes from one to the next.

   Statements before the first `step` hold in all, those behind it in theirs alone.  Unknowns, their rates, sums of rates and the
   time go on; everything else is made anew from the statements. */
#include "reader_impl.h"
#include <stdio.h>

/* ---- which statement stands where --------------------------------------------------------------------------------- */

/* What makes one mesh, and the one set of unknowns of a run in steps, and what is read once. */
static PetscBool is_of_the_whole(const RungStatement *s, PetscBool systems)
{
  static const char *const word[]  = {"title", "source", "refuse", "option", "coupling"};
  static const char *const group[] = {"checkpoint", "restart", "ladder", "look"};
  PetscBool                whole   = s->word->phase == RUNG_PHASE_MESH ? PETSC_TRUE : PETSC_FALSE;

  if (s->word->phase == RUNG_PHASE_UNKNOWN && !systems) return PETSC_TRUE;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(word); ++i) whole = whole || !strcmp(word[i], s->word->word);
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(group); ++i)
    whole = whole || (systems && !strcmp(group[i], s->word->word));
  return whole;
}

static PetscErrorCode begin_step(RungProblem problem, RungStatement *s)
{
  const char     *name    = s->arg[0].text;
  const PetscBool systems = strcmp(s->word->word, "system") ? PETSC_FALSE : PETSC_TRUE;

  PetscFunctionBegin;
  if (problem->steps && systems != problem->systems)
    PetscCall(RungMistake(problem, s, RungSpanOf(s),
                          "a run has steps, one after the other, or systems, side by side, not both"));
  problem->systems = problem->steps ? problem->systems : systems;
  if (strlen(name) > 60 ||
      strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") < strlen(name))
    PetscCall(RungMistake(problem, s, s->arg[0].span, "\"%s\" is no name of a %s; wanted letters, digits and _", name,
                          s->word->word));
  for (PetscInt i = 1; i <= problem->steps; ++i) {
    if (!strcmp(problem->step_name[i], name))
      PetscCall(RungMistake(problem, s, s->arg[0].span, "there is a %s \"%s\" already; take another name",
                            s->word->word, name));
  }
  if (problem->steps == RUNG_STEPS) {
    PetscCall(RungMistake(problem, s, RungSpanOf(s), "more than %d %ss of one run", RUNG_STEPS, s->word->word));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  problem->step_name[++problem->steps] = name;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepsMark(RungProblem problem)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->statements; ++i) {
    RungStatement *s = &problem->statement[i];

    if (!strcmp(s->word->word, "step") || !strcmp(s->word->word, "system")) PetscCall(begin_step(problem, s));
    s->step = problem->steps;
    if (s->step && is_of_the_whole(s, problem->systems))
      PetscCall(RungMistake(problem, s, RungSpanOf(s), "%s belongs in front of the first %s: all %ss share it",
                            s->word->word, problem->systems ? "system" : "step", problem->systems ? "system" : "step"));
    if (s->step && !problem->systems && !strcmp(s->word->word, "restart")) problem->first = s->step;
    if (problem->systems && !strcmp(s->word->word, "static"))
      PetscCall(
        RungMistake(problem, s, RungSpanOf(s),
                    "a static step beside several systems; a system without dt() finds its solution in each window "
                    "by itself, take `static` away"));
  }
  if (problem->systems) PetscCall(RungJoinMark(problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_step(RungProblem problem, RungStatement *s)
{
  (void)problem, (void)s;
  return PETSC_SUCCESS; /* was marked when the file was read */
}

PetscErrorCode RungProblemSetStep(RungProblem problem, const char name[])
{
  const char *nearest;
  PetscInt    i = 1;

  PetscFunctionBegin;
  RungNeed(problem);
  RungNeedArgument(name);
  PetscCheck(problem->files, problem->comm, PETSC_ERR_ORDER, "a step of a problem that was not read");
  if (problem->systems) {
    PetscCall(RungMistakeInFile(problem, 0, -1, -1,
                                "-step %s: the systems of this file go through time together; leave -step away", name));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  while (i <= problem->steps && strcmp(problem->step_name[i], name) != 0) ++i;
  if (i > problem->steps) {
    PetscCall(RungSuggest(name, problem->steps, problem->step_name + 1, &nearest));
    if (problem->steps)
      PetscCall(RungMistakeInFile(problem, 0, -1, -1, "no step is called \"%s\"; %s \"%s\"%s", name,
                                  nearest ? "did you mean" : "the first one is",
                                  nearest ? nearest : problem->step_name[1], nearest ? "?" : ""));
    else
      PetscCall(RungMistakeInFile(problem, 0, -1, -1,
                                  "no step is called \"%s\", and the file has none; write `step %s`, "
                                  "or leave -step away",
                                  name, name));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  problem->first  = i;
  problem->chosen = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a step ------------------------------------------------------------------------------------------------------- */

PetscErrorCode RungStepEnter(RungProblem problem, PetscInt step)
{
  PetscFunctionBegin;
  problem->step        = step;
  problem->fixed.moves = PETSC_FALSE;
  PetscCall(RungConstantsRead(problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* START and END of a step's time; false without one. */
static PetscErrorCode read_time(RungProblem problem, PetscInt step, PetscReal value[2], PetscBool *timed)
{
  const PetscInt now = problem->step;

  PetscFunctionBegin;
  *timed        = PETSC_FALSE;
  problem->step = step;
  for (PetscInt i = 0; i < problem->statements && !RungHas(problem, "static"); ++i) {
    if (!RungIs(problem, i, "time")) continue;
    *timed = PETSC_TRUE;
    for (PetscInt k = 0; k < 2; ++k) PetscCall(RungGetReal(problem, &problem->statement[i], k, &value[k], timed));
  }
  problem->step = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the steps before have come to; where the next one begins, if there are none. */
PetscErrorCode RungStepTime(RungProblem problem, PetscInt step, PetscReal *t)
{
  PetscReal value[2];
  PetscBool timed = PETSC_FALSE;

  PetscFunctionBegin;
  *t = 0;
  for (PetscInt i = step - 1; i >= 1 && !timed; --i) {
    PetscCall(read_time(problem, i, value, &timed));
    if (timed) *t = value[1];
  }
  for (PetscInt i = step + 1; i <= problem->steps && !timed; ++i) {
    PetscCall(read_time(problem, i, value, &timed));
    if (timed) *t = value[0];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A step in time begins where the last one ended. */
static PetscErrorCode check_time(RungProblem problem)
{
  PetscReal before[2], value[2];
  PetscBool timed = PETSC_FALSE, earlier = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(read_time(problem, problem->step, value, &timed));
  for (PetscInt i = problem->step - 1; i >= 1 && timed && !earlier; --i)
    PetscCall(read_time(problem, i, before, &earlier));
  if (!timed || !earlier || value[0] == before[1]) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *s = &problem->statement[i];

    if (RungIs(problem, i, "time"))
      PetscCall(RungMistake(problem, s, s->arg[0].span,
                            "step \"%s\" begins at t = %.10g, the one before ends at t = %.10g",
                            problem->step_name[problem->step], (double)value[0], (double)before[1]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepsBuild(RungProblem problem)
{
  PetscFunctionBegin;
  if (problem->systems) {
    PetscCall(RungGroupBuild(problem, 0, PETSC_FALSE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = 1; i <= problem->steps && problem->mistakes < RUNG_MISTAKES; ++i) {
    PetscCall(RungStepEnter(problem, i));
    PetscCall(check_time(problem));
    PetscCall(RungBuild(problem, PETSC_FALSE));
    if (!problem->mesh || problem->mistakes) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- from one to the next ----------------------------------------------------------------------------------------- */

PetscErrorCode RungCarryDestroy(RungProblem problem)
{
  RungCarry *carry = &problem->carry;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&carry->u[k]));
  for (PetscInt i = 0; i < carry->sums; ++i) PetscCall(PetscFree(carry->name[i]));
  PetscCall(PetscFree(carry->name));
  PetscCall(PetscFree(carry->sum));
  *carry = (RungCarry){.there = PETSC_FALSE};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sum of a rate, new or with another value. */
PetscErrorCode RungCarryPutSum(RungCarry *carry, const char name[], PetscReal value)
{
  PetscInt i = 0;

  PetscFunctionBegin;
  while (i < carry->sums && strcmp(carry->name[i], name) != 0) ++i;
  if (i == carry->sums) {
    PetscCall(PetscRealloc((size_t)(i + 1) * sizeof *carry->name, &carry->name));
    PetscCall(PetscRealloc((size_t)(i + 1) * sizeof *carry->sum, &carry->sum));
    PetscCall(PetscStrallocpy(name, &carry->name[carry->sums++]));
  }
  carry->sum[i] = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u[] of the step's end; u[1] NULL after a step without rates: whoever needs them begins at rest. */
PetscErrorCode RungCarryKeep(RungProblem problem)
{
  const RungSeries *series = &problem->series;
  RungCarry        *carry  = &problem->carry;
  const RungState  *state;
  RungTraits        traits;

  PetscFunctionBegin;
  PetscCall(RungSystemGetTraits(problem->sys, &traits));
  if (!problem->fixed.said) { /* a static step has kept its values itself */
    PetscCall(RungStepperGetState(problem->stepper, 0, &state));
    carry->t = state->t;
    for (PetscInt k = 0; k < 2; ++k) {
      PetscCall(VecDestroy(&carry->u[k]));
      if (k > traits.order) continue;
      PetscCall(VecDuplicate(state->u[k], &carry->u[k]));
      PetscCall(VecCopy(state->u[k], carry->u[k]));
    }
  }
  for (PetscInt i = 0; i < series->quantities && series->rows; ++i) {
    if (series->rate[i])
      PetscCall(RungCarryPutSum(carry, series->name[i], series->value[(series->rows - 1) * series->n + i]));
  }
  carry->there = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCarryGive(RungProblem problem)
{
  const RungSeries *series = &problem->series;
  const RungCarry  *carry  = &problem->carry;

  PetscFunctionBegin;
  if (!carry->there) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < 2; ++k) PetscCall(RungSystemSetInitialVec(problem->sys, k, carry->u[k]));
  for (PetscInt i = 0; i < series->quantities && !problem->fixed.said; ++i) {
    for (PetscInt k = 0; k < carry->sums; ++k) {
      if (series->rate[i] && !strcmp(series->name[i], carry->name[k]))
        PetscCall(RungStepperSetIntegral(problem->stepper, carry->name[k], carry->sum[k]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
