/* follow.c - F(t, u) = 0 at one time, once or while a number goes from one value to another.

   The step is halved where the equations cannot be solved from the guess, which the last two solutions are extrapolated to, and grows
   again up to the one that was given. */
#include "verify_impl.h"
#include <rungcoupling_room.h>
#include <rungstep_room.h>
#include <rungway_room.h>

typedef struct {
  RungSystem            sys;
  const RungFollowPlan *plan;
  const RungKeeper     *keeper;    /* NULL: nothing is kept                     */
  RungTransientSystem   ts;        /* owned                                     */
  Vec                   old;       /* owned: the solution before that of now     */
  Vec                   guess;     /* owned: to work in                          */
  RungMissing           missing;   /* the last checkpoint                       */
  PetscReal             value;     /* where the solution of now is               */
  PetscBool             halved;    /* since the last solution                    */
  char                  why[2048]; /* of the first try since the last solution: smaller
                                                                          steps say less of what is wrong            */
  char                  save[PETSC_MAX_PATH_LEN], load[PETSC_MAX_PATH_LEN]; /* checkpoints; "": none                 */
} Walk;

static PetscErrorCode put_all(Walk *walk, RungCheckpoint file)
{
  PetscFunctionBegin;
  PetscCall(RungCheckpointPutReal(file, "static value", walk->value));
  if (walk->keeper) PetscCall(walk->keeper->save(file, walk->keeper->ctx));
  PetscCall(RungTransientSystemSave(walk->ts, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_all(Walk *walk, RungCheckpoint file, PetscReal *value)
{
  PetscFunctionBegin;
  PetscCall(RungCheckpointGetReal(file, "static value", value));
  PetscCall(RungTransientSystemLoad(walk->ts, file));
  if (walk->keeper) PetscCall(walk->keeper->load(file, walk->plan->t, walk->keeper->ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode save(Walk *walk)
{
  RungCheckpoint file;
  PetscBool      written;
  char           why[256];

  PetscFunctionBegin;
  if (!walk->save[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungCheckpointTry(walk->sys, walk->save, &file));
  RungCallOrUndo(put_all(walk, file), PetscCall(RungCheckpointClose(&file)));
  PetscCall(RungCheckpointFinish(&file, &written, why, sizeof why));
  walk->missing.n = 0; /* of older ones nobody asks */
  if (!written)
    PetscCall(RungMissingAdd(RungSystemComm(walk->sys), &walk->missing, "checkpoint", walk->save, walk->plan->t, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solution has been found. */
static PetscErrorCode record(Walk *walk, PetscReal value)
{
  const RungState *state;

  PetscFunctionBegin;
  walk->value = value;
  PetscCall(RungTransientSystemGetState(walk->ts, 0, &state));
  if (walk->plan->found) PetscCall(walk->plan->found(value, state, walk->plan->ctx));
  PetscCall(save(walk));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A signal ends the way behind the solution in hand, which has been told of already. */
static PetscErrorCode is_ended(Walk *walk, PetscBool *ended)
{
  const MPI_Comm comm = RungSystemComm(walk->sys);
  PetscBool      none = PETSC_FALSE;
  int            number;

  PetscFunctionBegin;
  PetscCall(RungSignalsAgree(comm, &none, &number));
  *ended = number ? PETSC_TRUE : PETSC_FALSE;
  if (number)
    PetscCall(RungNotice(comm, "%s has ended the step at %s = %.9g%s%s", RungSignalName(number), walk->plan->name,
                         (double)walk->value, walk->save[0] ? "; it goes on with -stepper_restart " : "", walk->save));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_guess(RungState *state, void *ctx)
{
  const Walk *walk = ctx;

  PetscFunctionBegin;
  PetscCall(VecCopy(walk->guess, state->u[0]));
  PetscCall(RungSystemImposeDirichlet(walk->sys, state->t, 0, state->u[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* guess = u + (u - old) (to - value)/(value - old value) */
static PetscErrorCode extrapolate(Walk *walk, Vec u, PetscReal ratio)
{
  PetscFunctionBegin;
  PetscCall(VecCopy(u, walk->guess));
  if (ratio > 0) {
    PetscCall(VecAXPY(walk->guess, ratio, u));
    PetscCall(VecAXPY(walk->guess, -ratio, walk->old));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One step to a value; the level stays where the equations cannot be solved. */
static PetscErrorCode try_value(Walk *walk, PetscReal value, RungCaught *caught)
{
  RungLayout forms; /* NULL: callbacks */

  PetscFunctionBegin;
  PetscCall(walk->plan->set(value, walk->plan->ctx));
  PetscCall(RungSystemGetLayout(walk->sys, &forms));
  if (!forms) PetscCall(RungTransientSystemForgetKept(walk->ts)); /* what set() changes for callbacks leaves no trace */
  RungCatch(caught, RungTransientSystemJump(walk->ts, put_guess, walk));
  if (caught->code && caught->code != PETSC_ERR_NOT_CONVERGED && caught->code != PETSC_ERR_FP)
    SETERRQ(PETSC_COMM_SELF, caught->code, "%s", caught->message);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solution at `next` becomes that of now, and is told of; or a signal has come. */
static PetscErrorCode find(void *ctx, PetscReal next, PetscReal ratio, RungWayOutcome *outcome)
{
  Walk            *walk = ctx;
  const RungState *state;
  RungCaught       caught;
  PetscBool        ended;

  PetscFunctionBegin;
  *outcome = RUNG_WAY_ENDED;
  PetscCall(is_ended(walk, &ended));
  if (ended) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemGetState(walk->ts, 0, &state));
  PetscCall(extrapolate(walk, state->u[0], ratio));
  PetscCall(VecCopy(state->u[0], walk->old));
  PetscCall(try_value(walk, next, &caught));
  if (caught.code) {
    if (!walk->halved) PetscCall(PetscStrncpy(walk->why, caught.message, sizeof walk->why));
    walk->halved = PETSC_TRUE;
    *outcome     = RUNG_WAY_NONE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(record(walk, next));
  *outcome     = walk->halved ? RUNG_WAY_FOUND : RUNG_WAY_EASY;
  walk->halved = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From the solution of now to the last value. */
static PetscErrorCode go(Walk *walk)
{
  const RungFollowPlan *plan = walk->plan;
  RungWay               way  = {.value = walk->value, .to = plan->to, .step = plan->step, .most = plan->step};

  PetscFunctionBegin;
  way.all  = PetscAbsReal(plan->to - plan->from);
  way.find = find;
  way.ctx  = walk;
  PetscCall(RungWayGo(&way));
  PetscCheck(
    !way.lost, RungSystemComm(walk->sys), PETSC_ERR_NOT_CONVERGED,
    "gave up behind %s = %.9g, at steps of %g: it may be the largest load, or a point where solutions branch; %s",
    plan->name, (double)way.value, (double)way.step, walk->why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first solution: of the first value, or that of a checkpoint. */
static PetscErrorCode start(Walk *walk, PetscReal *value)
{
  const RungFollowPlan *plan = walk->plan;
  RungCheckpoint        file;

  PetscFunctionBegin;
  *value = plan->from;
  if (plan->name) PetscCall(plan->set(plan->from, plan->ctx));
  if (!walk->load[0]) {
    PetscCall(RungTransientSystemStart(walk->ts, plan->t));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungCheckpointOpen(walk->sys, walk->load, PETSC_TRUE, &file));
  RungCallFinally(get_all(walk, file, value), PetscCall(RungCheckpointClose(&file)));
  if (plan->name) PetscCall(plan->set(*value, plan->ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The options that steps with time read into their stepper. */
static PetscErrorCode read_options(Walk *walk)
{
  const MPI_Comm comm = RungSystemComm(walk->sys);
  PetscBool      given, none;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(walk->save, walk->plan->save ? walk->plan->save : "", sizeof walk->save));
  PetscCall(PetscStrncpy(walk->load, walk->plan->load ? walk->plan->load : "", sizeof walk->load));
  PetscCall(RungOptionText(comm, "-stepper_checkpoint", "file to continue from, none: no checkpoints", NULL,
                           sizeof walk->save, walk->save, &given));
  PetscCall(PetscStrcmp(walk->save, "none", &none));
  if (none) walk->save[0] = 0;
  PetscCall(
    RungOptionText(comm, "-stepper_restart", "checkpoint to go on from", NULL, sizeof walk->load, walk->load, &given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode walk_all(Walk *walk, Vec u)
{
  const RungState *state;
  PetscReal        value;

  PetscFunctionBegin;
  PetscCall(read_options(walk));
  if (!walk->plan->name) PetscCall(RungSystemSetSolvesAhead(walk->sys, 1, 0)); /* of a way nobody knows */
  PetscCall(RungTransientSystemCreate(walk->sys, 1, 0, &walk->ts));
  PetscCall(RungSystemCreateVec(walk->sys, &walk->old));
  PetscCall(RungSystemCreateVec(walk->sys, &walk->guess));
  PetscCall(start(walk, &value));
  PetscCall(record(walk, value));
  if (walk->plan->name) PetscCall(go(walk));
  PetscCall(RungMissingTell(RungSystemComm(walk->sys), &walk->missing, "checkpoint", walk->save));
  PetscCall(RungTransientSystemGetState(walk->ts, 0, &state));
  if (u) PetscCall(VecCopy(state->u[0], u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_way(MPI_Comm comm, const RungFollowPlan *plan)
{
  PetscFunctionBegin;
  PetscCheck(plan->set, comm, PETSC_ERR_ARG_NULL, "a way of %s without set()", plan->name);
  PetscCheck(plan->step > 0, comm, PETSC_ERR_ARG_OUTOFRANGE, "a step of %g, wanted a positive number",
             (double)plan->step);
  PetscCheck(PetscAbsReal(plan->to - plan->from) <= 1e6 * plan->step, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "more than a million steps from %g to %g", (double)plan->from, (double)plan->to);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(RungSystem sys, const RungFollowPlan *plan)
{
  const MPI_Comm comm = RungSystemComm(sys);
  RungTraits     traits;

  PetscFunctionBegin;
  PetscCheck(plan, comm, PETSC_ERR_ARG_NULL, "a way without a plan");
  if (plan->name) PetscCall(check_way(comm, plan));
  PetscCall(RungSystemGetTraits(sys, &traits));
  PetscCheck(!traits.order, comm, PETSC_ERR_ARG_WRONG,
             "solutions without time of equations with time derivatives of order %" PetscInt_FMT
             "; leave these terms to a stepper",
             traits.order);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemFollow(RungSystem sys, const RungFollowPlan *plan, Vec u)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungFollowKeeping(sys, plan, NULL, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFollowKeeping(RungSystem sys, const RungFollowPlan *plan, const RungKeeper *keeper, Vec u)
{
  Walk walk = {.sys = sys, .plan = plan, .keeper = keeper};

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(check(sys, plan));
  PetscCall(RungSignalsCatch());
  RungCallFinally(walk_all(&walk, u), PetscCall(RungSignalsRelease()); PetscCall(RungTransientSystemDestroy(&walk.ts));
                  PetscCall(VecDestroy(&walk.old)); PetscCall(VecDestroy(&walk.guess));
                  PetscCall(RungSystemSetSolvesAhead(sys, 0, 0)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
