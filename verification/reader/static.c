/* static.c - a static step: F(t, u) = 0 at one time, once or while a constant goes from one value to another.

   The step in the constant is halved where the equations cannot be solved from the guess, which the last two solutions are
   extrapolated to, and grows again up to the one that was given. */
#include "reader_impl.h"
#include <rungway_room.h>

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

PetscErrorCode RungRead_static(RungProblem problem, RungStatement *s)
{
  static const char *const none[] = {"time", "method", "tolerances"};
  RungTraits               traits;

  PetscFunctionBegin;
  PetscCall(read_values(problem, s));
  for (PetscInt i = 0; i < problem->statements; ++i) {
    const RungStatement *other = &problem->statement[i];

    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(none); ++k) {
      if (RungIs(problem, i, none[k]) && other->step == s->step)
        PetscCall(
          RungMistake(problem, other, RungSpanOf(other), "no time passes in a static step; take %s away", none[k]));
    }
    if (RungIs(problem, i, "bounds"))
      PetscCall(RungMistake(problem, other, RungSpanOf(other),
                            "a static step knows no bounds; take a step with time, long enough to come to rest"));
  }
  traits.order = 0;
  if (!problem->mistakes) PetscCall(RungSystemGetTraits(problem->sys, &traits));
  if (traits.order)
    PetscCall(RungMistake(problem, s, RungSpanOf(s),
                          "the equations hold time derivatives of order %" PetscInt_FMT
                          " and a static step has none; leave these terms, or the statement order, to a step with time",
                          traits.order));
  if (problem->step) PetscCall(RungStepTime(problem, problem->step, &problem->fixed.t));
  problem->fixed.said = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode save(RungProblem problem, RungTransientSystem ts)
{
  RungCheckpoint file;

  PetscFunctionBegin;
  if (!problem->fixed.save[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungCheckpointCreate(problem->sys, problem->fixed.save, &file));
  PetscCall(RungCheckpointPutReal(file, "static value", problem->fixed.value));
  RungCallOrUndo(RungTransientSystemSave(ts, file), PetscCall(RungCheckpointClose(&file)));
  PetscCall(RungCheckpointSeal(&file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solution has been found. */
static PetscErrorCode record(RungProblem problem, RungTransientSystem ts)
{
  RungStatic      *fixed = &problem->fixed;
  const RungState *state;

  PetscFunctionBegin;
  ++fixed->solutions;
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  PetscCall(RungSeriesAdd(problem, state));
  PetscCall(
    RungRowsWrite(problem, fixed->said->args ? fixed->said->arg[0].text : NULL, fixed->value, state, PETSC_TRUE));
  PetscCall(save(problem, ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- solutions ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode set_value(RungProblem problem, PetscReal value)
{
  PetscFunctionBegin;
  if (!problem->fixed.said->args) PetscFunctionReturn(PETSC_SUCCESS);
  problem->fixed.moves = PETSC_TRUE;
  problem->fixed.value = value;
  PetscCall(RungConstantsRead(problem));
  PetscCall(RungConstantsApply(problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  RungSystem sys;
  Vec        guess;
} Guess;

static PetscErrorCode put_guess(RungState *state, void *ctx)
{
  const Guess *g = ctx;

  PetscFunctionBegin;
  PetscCall(VecCopy(g->guess, state->u[0]));
  PetscCall(RungSystemImposeDirichlet(g->sys, state->t, 0, state->u[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A signal ends the step behind the solution in hand, which is in its files already. */
static PetscErrorCode is_ended(RungProblem problem, PetscBool *ended)
{
  const RungStatic *fixed = &problem->fixed;
  PetscBool         none  = PETSC_FALSE;
  int               number;

  PetscFunctionBegin;
  PetscCall(RungSignalsAgree(problem->comm, &none, &number));
  *ended = number ? PETSC_TRUE : PETSC_FALSE;
  if (number && fixed->said->args)
    PetscCall(RungNotice(problem->comm, "%s has ended the step at %s = %.9g%s%s", RungSignalName(number),
                         fixed->said->arg[0].text, (double)fixed->value,
                         fixed->save[0] ? "; it goes on with -stepper_restart " : "", fixed->save));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One step to a value; the level stays where the equations cannot be solved. */
static PetscErrorCode try_value(RungProblem problem, RungTransientSystem ts, PetscReal value, Vec guess,
                                RungCaught *caught)
{
  Guess g = {problem->sys, guess};

  PetscFunctionBegin;
  PetscCall(set_value(problem, value));
  PetscCall(RungTransientSystemForgetKept(ts));
  RungCatch(caught, RungTransientSystemJump(ts, put_guess, &g));
  if (caught->code && caught->code != PETSC_ERR_NOT_CONVERGED && caught->code != PETSC_ERR_FP)
    SETERRQ(PETSC_COMM_SELF, caught->code, "%s", caught->message);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* guess = u + (u - old) (to - value)/(value - old value) */
static PetscErrorCode extrapolate(Vec u, Vec old, PetscReal ratio, Vec guess)
{
  PetscFunctionBegin;
  PetscCall(VecCopy(u, guess));
  if (ratio > 0) {
    PetscCall(VecAXPY(guess, ratio, u));
    PetscCall(VecAXPY(guess, -ratio, old));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  RungProblem         problem;
  RungTransientSystem ts;
  Vec                 old, guess; /* the solution before that of now; a vector to work in                             */
  PetscReal           value;      /* of the constant, where the solution of now is                                    */
  PetscBool           halved;     /* since the last solution                                                          */
  RungCaught          first;      /* of the tries since the last solution: smaller steps say less of what is wrong    */
} Walk;

/* The solution at `next` becomes that of now, and is recorded; or a signal has come. */
static PetscErrorCode find(void *ctx, PetscReal next, PetscReal ratio, RungWayOutcome *outcome)
{
  Walk            *walk = ctx;
  const RungState *state;
  RungCaught       caught;
  PetscBool        ended;

  PetscFunctionBegin;
  *outcome = RUNG_WAY_ENDED;
  PetscCall(is_ended(walk->problem, &ended));
  if (ended) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemGetState(walk->ts, 0, &state));
  PetscCall(extrapolate(state->u[0], walk->old, ratio, walk->guess));
  PetscCall(VecCopy(state->u[0], walk->old));
  PetscCall(try_value(walk->problem, walk->ts, next, walk->guess, &caught));
  if (caught.code) {
    if (!walk->halved) walk->first = caught;
    walk->halved               = PETSC_TRUE;
    walk->problem->fixed.value = walk->value;
    *outcome                   = RUNG_WAY_NONE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(record(walk->problem, walk->ts));
  *outcome     = walk->halved ? RUNG_WAY_FOUND : RUNG_WAY_EASY;
  walk->value  = next;
  walk->halved = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From the solution of now to the last value.  old, guess: two vectors to work in. */
static PetscErrorCode go(RungProblem problem, RungTransientSystem ts, Vec old, Vec guess)
{
  const RungStatic *fixed = &problem->fixed;
  Walk              walk  = {.problem = problem, .ts = ts, .old = old, .guess = guess, .value = fixed->value};
  RungWay           way   = {.value = fixed->value, .to = fixed->to, .step = fixed->step, .most = fixed->step};

  PetscFunctionBegin;
  way.all  = PetscAbsReal(fixed->to - fixed->from);
  way.find = find;
  way.ctx  = &walk;
  PetscCall(RungWayGo(&way));
  PetscCheck(
    !way.lost, problem->comm, PETSC_ERR_NOT_CONVERGED,
    "gave up behind %s = %.9g, at steps of %g: it may be the largest load, or a point where solutions branch; %s",
    fixed->said->args ? fixed->said->arg[0].text : "t", (double)way.value, (double)way.step, walk.first.message);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first solution: of the first value, or that of a checkpoint. */
static PetscErrorCode start(RungProblem problem, RungTransientSystem ts)
{
  RungStatic    *fixed = &problem->fixed;
  RungCheckpoint file;
  PetscReal      value;

  PetscFunctionBegin;
  PetscCall(set_value(problem, fixed->from));
  if (!fixed->load[0]) {
    PetscCall(RungTransientSystemStart(ts, fixed->t));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungCheckpointOpen(problem->sys, fixed->load, PETSC_TRUE, &file));
  RungCallOrUndo(RungCheckpointGetReal(file, "static value", &value), PetscCall(RungCheckpointClose(&file)));
  RungCallFinally(RungTransientSystemLoad(ts, file), PetscCall(RungCheckpointClose(&file)));
  PetscCall(set_value(problem, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(RungProblem problem, RungTransientSystem ts, Vec old, Vec guess)
{
  RungCarry       *carry = &problem->carry;
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(start(problem, ts));
  PetscCall(record(problem, ts));
  PetscCall(go(problem, ts, old, guess));
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  carry->t = state->t;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&carry->u[k]));
  PetscCall(VecDuplicate(state->u[0], &carry->u[0]));
  PetscCall(VecCopy(state->u[0], carry->u[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The options that steps with time read into their stepper. */
static PetscErrorCode read_options(RungProblem problem)
{
  RungStatic *fixed = &problem->fixed;
  PetscBool   given, none;

  PetscFunctionBegin;
  PetscCall(RungOptionText(problem->comm, "-stepper_checkpoint", "file to continue from, none: no checkpoints", NULL,
                           sizeof fixed->save, fixed->save, &given));
  PetscCall(PetscStrcmp(fixed->save, "none", &none));
  if (none) fixed->save[0] = 0;
  PetscCall(RungOptionText(problem->comm, "-stepper_restart", "checkpoint to go on from", NULL, sizeof fixed->load,
                           fixed->load, &given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStaticSolve(RungProblem problem)
{
  RungTransientSystem ts;
  Vec                 old, guess;

  PetscFunctionBegin;
  PetscCall(read_options(problem));
  PetscCall(RungTransientSystemCreate(problem->sys, 1, 0, &ts));
  PetscCall(RungSystemCreateVec(problem->sys, &old));
  PetscCall(RungSystemCreateVec(problem->sys, &guess));
  PetscCall(RungSignalsCatch());
  RungCallFinally(solve(problem, ts, old, guess), PetscCall(RungSignalsRelease());
                  PetscCall(RungTransientSystemDestroy(&ts)); PetscCall(VecDestroy(&old));
                  PetscCall(VecDestroy(&guess)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
