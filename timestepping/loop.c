/* loop.c - the loop: it alone accepts, rejects, counts and chooses the step.

   Fixed step: t_n = t0 + n h by index, so that neither times nor slopes wander.  A failed solve ends the run.
   Adaptive: the step is cut to land on stop times and on t1, or halved where that would leave a sliver; the uncut size
   is taken up again afterwards (times.c).  Outputs between the levels are interpolated.  Thirty attempts in a row that are rejected or fail end the run. */
#include "step_impl.h"
#include <rungcallback_room.h>

#define STRETCH 1e-10
#define SLIVER  1e-6 /* of a step: what an event leaves of one is made with the next */

/* The grid of a fixed step: `whole` steps of size h, and a shorter one where `rest` is true. */
typedef struct {
  PetscReal h;
  PetscInt  whole;
  PetscBool rest;
} Grid;

static PetscErrorCode make_grid(RungStepper stepper, PetscReal t0, Grid *grid)
{
  const PetscReal length = stepper->t1 - t0, quotient = length / stepper->dt, nearest = PetscFloorReal(quotient + 0.5);
  const PetscReal rounding = RungTimesRounding(PetscMax(PetscAbsReal(t0), PetscAbsReal(stepper->t1))) / stepper->dt;

  PetscFunctionBegin;
  PetscCheck(quotient < (PetscReal)PETSC_MAX_INT, stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "an interval of %g in steps of %g takes %g steps, more than can be counted; take a larger step",
             (double)length, (double)stepper->dt, (double)quotient);
  if (nearest >= 1 && PetscAbsReal(quotient - nearest) <= STRETCH * nearest + rounding) {
    *grid = (Grid){.h = length / nearest, .whole = (PetscInt)nearest, .rest = PETSC_FALSE};
  } else
    *grid = (Grid){
      .h = stepper->dt, .whole = (PetscInt)PetscFloorReal(quotient), .rest = length > 0 ? PETSC_TRUE : PETSC_FALSE};
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define SAMPLES 4096 /* entries of a level that a monitor is watched by: microseconds, whatever the size */

/* A number that the bits of this rank's entries lead to, all of them up to SAMPLES, then some at equal distances. */
static PetscErrorCode fingerprint(RungStepper stepper, const RungState *state, uint64_t *number)
{
  const PetscScalar *u;
  PetscInt           n;

  PetscFunctionBegin;
  *number = 0;
  for (PetscInt k = 0; k <= stepper->traits.order; ++k) {
    PetscCall(VecGetLocalSize(state->u[k], &n));
    PetscCall(VecGetArrayRead(state->u[k], &u));
    for (PetscInt i = 0; i < n; i += 1 + n / SAMPLES) {
      uint64_t bits;

      memcpy(&bits, &u[i], sizeof bits);
      *number = (*number ^ bits) * 0x100000001b3ull;
      *number ^= *number >> 29;
    }
    PetscCall(VecRestoreArrayRead(state->u[k], &u));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A level that a monitor writes into would be the start of the next step, and nobody would know. */
static PetscErrorCode call_monitor(RungStepper stepper, RungMonitorLink link, const RungState *state)
{
  uint64_t before, after;

  PetscFunctionBegin;
  PetscCall(fingerprint(stepper, state, &before));
  PetscCall(link->fn(stepper, stepper->statistics.steps, state->t, state->u, link->ctx));
  PetscCall(fingerprint(stepper, state, &after));
  PetscCheck(after == before, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
             "it has changed the level of t = %g, which it was lent to read; change a copy, or let an event change it",
             (double)state->t);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode call_monitors(RungStepper stepper)
{
  const RungState *state;

  PetscFunctionBegin;
  if (!stepper->monitors) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  for (RungMonitorLink link = stepper->monitors; link; link = link->link)
    RungCallback(stepper->comm, "monitor", call_monitor(stepper, link, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Events at level 0 happen; tables and monitors see what they leave. */
static PetscErrorCode happen(RungStepper stepper, PetscReal h)
{
  PetscBool changed;

  PetscFunctionBegin;
  PetscCall(RungEventsHappen(stepper, h, &changed));
  if (!changed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungRecordsJump(stepper));
  PetscCall(call_monitors(stepper));
  PetscCall(RungStableChanged(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Level 0 from a checkpoint. */
static PetscErrorCode resume(RungStepper stepper)
{
  const RungState *state = NULL;

  PetscFunctionBegin;
  PetscCall(RungRestartLoad(stepper));
  PetscCall(RungJumpsKnown(stepper, PETSC_FALSE));
  PetscCall(RungRecordsResume(stepper));
  PetscCall(RungEventsLogResume(stepper));
  PetscCall(happen(stepper, stepper->dt));
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  if (state->t < stepper->t1) PetscCall(RungJumpsCross(stepper, state->t, stepper->dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Level 0 is at t0: a former run has ended there, or it was made by hand. */
static PetscErrorCode is_there(RungStepper stepper, PetscInt *levels, PetscBool *there)
{
  const RungState *state = NULL;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetLevels(stepper->ts, levels));
  if (*levels) PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  *there = state && state->t == stepper->t0 ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Level 0 at t0: made here, or there before. */
static PetscErrorCode start(RungStepper stepper)
{
  const RungState *state = NULL;
  PetscInt         levels;
  PetscBool        anew, on;

  PetscFunctionBegin;
  PetscCall(is_there(stepper, &levels, &on));
  anew = on ? PETSC_FALSE : PETSC_TRUE;
  on   = on && stepper->begun ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(RungSuccessorStart(stepper, anew || levels == 1 ? PETSC_TRUE : PETSC_FALSE));
  PetscCall(RungJumpsStart(stepper, stepper->t0));
  if (anew) {
    PetscCall(RungTransientSystemStart(stepper->ts, stepper->t0));
    ++stepper->spent.starts;
    PetscCall(RungJumpsKnown(stepper, PETSC_TRUE));
  }
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  PetscCall(RungWeightsStart(stepper->weights, state, anew));
  if (!anew && stepper->t1 > stepper->t0) PetscCall(RungJumpsCross(stepper, stepper->t0, stepper->dt));
  PetscCall(PetscMemzero(&stepper->statistics, sizeof stepper->statistics));
  PetscCall(RungRecordsStart(stepper, on));
  PetscCall(RungEventsStart(stepper, anew));
  if (!on) PetscCall(RungEventsLogStart(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The method's attempt, which keeps to what it owes. */
static PetscErrorCode call_attempt(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                                   RungVerdict *verdict)
{
  RungDuties duties;

  PetscFunctionBegin;
  PetscCall(RungDutiesBegin(stepper, to, &duties));
  RungCallOrUndo(stepper->ops->attempt(stepper, from, h, to, verdict),
                 *to = duties.to); /* its vectors, whatever was put there */
  PetscCall(RungDutiesCheck(stepper, to, verdict, &duties));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One attempt from level 0 to t.  All ranks find the same verdict: it is made of reduced numbers only. */
static PetscErrorCode attempt(RungStepper stepper, PetscReal h, PetscReal t, RungVerdict *verdict)
{
  const RungState *from;
  RungState       *to;

  PetscFunctionBegin;
  *verdict = (RungVerdict){.solved = PETSC_TRUE, .error = -1};
  PetscCall(RungEffortBegin(stepper));
  PetscCall(RungTransientSystemPeekState(stepper->ts, 0, &from));
  PetscCall(RungTransientSystemGetProposal(stepper->ts, &to));
  to->t = t;
  PetscCall(RungSystemSetStep(stepper->sys, from->t, t));
  PetscCall(RungIntegralsBegin(stepper));
  RungCallOrUndo(call_attempt(stepper, from, h, to, verdict), PetscCall(RungTransientSystemRollBack(stepper->ts)));
  if (verdict->solved && PetscIsInfOrNanReal(verdict->error))
    RungVerdictBlame(verdict, RUNG_REFUSED_DOMAIN, "the error estimate is not finite");
  if (!verdict->solved || (stepper->adaptive && verdict->error > 1))
    PetscCall(RungTransientSystemRollBack(stepper->ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode show_all(RungStepper stepper, PetscReal h, PetscReal error)
{
  PetscFunctionBegin;
  PetscCall(RungRecordsStep(stepper));
  PetscCall(call_monitors(stepper));
  PetscCall(RungProgressStep(stepper, h, error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Monitors see a run that could be saved as it is: all that the step has taught is known, what is due has not happened yet. */
static PetscErrorCode show(RungStepper stepper, PetscReal h, PetscReal error)
{
  PetscFunctionBegin;
  PetscCall(RungLogPush(RUNG_LOG_OUTPUT));
  RungCallFinally(show_all(stepper, h, error), PetscCall(RungLogPop()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The method has the last word on the level that it has made. */
static PetscErrorCode close_level(RungStepper stepper, PetscReal *ratio)
{
  const RungState *from;
  RungState       *to;

  PetscFunctionBegin;
  *ratio = 0;
  PetscCall(RungTransientSystemPeekState(stepper->ts, 0, &from));
  PetscCall(RungTransientSystemGetProposal(stepper->ts, &to));
  if (stepper->ops->accepted)
    RungCallOrUndo(stepper->ops->accepted(stepper, from, to, ratio),
                   PetscCall(RungTransientSystemRollBack(stepper->ts)));
  RungCallOrUndo(RungIntegralsClose(stepper), PetscCall(RungTransientSystemRollBack(stepper->ts)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_good(const RungStepper stepper, const RungVerdict *verdict)
{
  return verdict->solved && !(stepper->adaptive && verdict->error > 1) ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode RungLoopPropose(RungStepper stepper, PetscReal h, PetscReal t, RungVerdict *verdict, PetscReal *ratio)
{
  PetscFunctionBegin;
  *ratio = 0;
  PetscCall(attempt(stepper, h, t, verdict));
  if (is_good(stepper, verdict)) PetscCall(close_level(stepper, ratio));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A proposal to *t, or to an event before it; *h and *t become its length and end.
   ratio: of the next step to this one, where the method chooses it, else 0 */
static PetscErrorCode propose(RungStepper stepper, PetscReal *h, PetscReal *t, RungVerdict *verdict, PetscReal *ratio,
                              RungMeeting *meeting)
{
  PetscFunctionBegin;
  PetscCall(RungLoopPropose(stepper, *h, *t, verdict, ratio));
  RungCallOrUndo(RungEventsMeet(stepper, h, t, verdict, ratio, meeting),
                 PetscCall(RungTransientSystemRollBack(stepper->ts)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The proposal, a step of length h, becomes level 0. */
static PetscErrorCode accept(RungStepper stepper, PetscReal h)
{
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemAccept(stepper->ts));
  RungEventsAccepted(stepper);
  PetscCall(RungTransientSystemPeekState(stepper->ts, 0, &state));
  if (stepper->adaptive) PetscCall(RungWeightsAccept(stepper->weights, state));
  ++stepper->statistics.steps;
  PetscCall(RungEffortAccept(stepper, state->t, h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_steps(RungStepper stepper, PetscReal t)
{
  PetscFunctionBegin;
  PetscCheck(stepper->max_steps < 0 || stepper->statistics.steps < stepper->max_steps, stepper->comm,
             PETSC_ERR_NOT_CONVERGED,
             "%" PetscInt_FMT " steps have led to t = %g, not to the end at %g; raise -stepper_max_steps",
             stepper->max_steps, (double)t, (double)stepper->t1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- fixed steps ------------------------------------------------------------------------------------------------ */

/* Where the grid begins and which of its steps comes first: a run that goes on keeps its grid if the interval and dt are
   still those that made it, else a new one begins at the level that was loaded. */
static PetscErrorCode find_place(RungStepper stepper, PetscReal *t0, PetscInt *first, Grid *grid)
{
  RungRestart     *restart = &stepper->restart;
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemPeekState(stepper->ts, 0, &state));
  *t0    = stepper->t0;
  *first = 0;
  PetscCall(make_grid(stepper, *t0, grid));
  if (restart->resumed) {
    *first = restart->index;
    if (restart->origin != *t0 || restart->h != grid->h || *first > grid->whole ||
        state->t < *t0 + (PetscReal)*first * grid->h || state->t >= *t0 + (PetscReal)(*first + 1) * grid->h) {
      *t0    = state->t;
      *first = 0;
      PetscCall(make_grid(stepper, *t0, grid));
    }
  }
  restart->origin = *t0;
  restart->h      = grid->h;
  restart->index  = *first;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define BOUNDLESS 1e50 /* a value that no unit explains */

/* Why a step of the grid cannot be made, and the way out. */
static PetscErrorCode give_up(RungStepper stepper, PetscReal t, PetscReal length, const RungVerdict *verdict)
{
  const RungState *from;
  PetscReal        size;
  char             out[160] = "";

  PetscFunctionBegin;
  PetscCall(RungTransientSystemPeekState(stepper->ts, 0, &from));
  PetscCall(VecNorm(from->u[0], NORM_INFINITY, &size));
  if (size > BOUNDLESS)
    (void)snprintf(out, sizeof out,
                   "; values have grown to %.1e: a term of the residual may have the wrong sign, or the step be too "
                   "long for what is not implicit",
                   (double)size);
  else if (!stepper->singular_mass)
    (void)snprintf(out, sizeof out, "; take a smaller -stepper_dt");
  SETERRQ(stepper->comm, PETSC_ERR_NOT_CONVERGED, "gave up at t = %g, step %" PetscInt_FMT ", dt = %g: %s%s", (double)t,
          stepper->statistics.steps + 1, (double)length, verdict->why, out);
}

/* A step of the grid, or what an event has left of one, is made; *t becomes its end, *done: that is its end on the grid. */
static PetscErrorCode step_fixed(RungStepper stepper, PetscReal h, PetscReal next, PetscReal *t, PetscBool *done)
{
  RungVerdict verdict;
  RungMeeting meeting;
  PetscReal   end = next, length = h, ratio;

  PetscFunctionBegin;
  PetscCall(check_steps(stepper, *t));
  PetscCall(RungJumpsTellMissed(stepper, *t, next));
  PetscCall(propose(stepper, &length, &end, &verdict, &ratio, &meeting));
  if (!verdict.solved) {
    RungEffortRefuse(stepper, &verdict);
    PetscCall(RungProgressRefused(stepper, length, &verdict));
  }
  if (!verdict.solved) PetscCall(give_up(stepper, *t, length, &verdict));
  *done = meeting == RUNG_MEETS_HERE ? PETSC_FALSE : (PetscBool)(end >= next);
  if (*done) ++stepper->restart.index;
  if (meeting != RUNG_MEETS_HERE) {
    PetscCall(accept(stepper, length));
    PetscCall(show(stepper, length, verdict.error));
    *t = end;
  }
  PetscCall(happen(stepper, stepper->dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve_fixed(RungStepper stepper)
{
  const PetscReal  t1 = stepper->t1;
  const RungState *state;
  Grid             grid;
  PetscReal        t0, t;
  PetscInt         first, steps;
  PetscBool        whole; /* level 0 is at a time of the grid */

  PetscFunctionBegin;
  PetscCall(find_place(stepper, &t0, &first, &grid));
  PetscCall(RungTimesCheckGrid(stepper, t0, grid.h));
  PetscCall(RungTransientSystemPeekState(stepper->ts, 0, &state));
  t     = t0 + (PetscReal)first * grid.h;
  whole = state->t <= t ? PETSC_TRUE : PETSC_FALSE;
  if (!whole) t = state->t;
  steps = grid.whole + (grid.rest ? 1 : 0);
  for (PetscInt n = first; n < steps && !stepper->events.stopped; n = stepper->restart.index) {
    const PetscBool last = n == steps - 1 ? PETSC_TRUE : PETSC_FALSE;
    const PetscReal next = last ? t1 : t0 + (PetscReal)(n + 1) * grid.h;
    PetscBool       stop;

    PetscCall(RungRestartAsk(stepper, &stop));
    if (stop) break;
    if (last && grid.rest) PetscCall(RungStableEnd(stepper)); /* a short step tells little of the others */
    if (!whole && !last && next - t < SLIVER * grid.h) {
      ++stepper->restart.index; /* an event has left next to nothing: the next step is longer by that */
      continue;
    }
    PetscCall(step_fixed(stepper, whole && n < grid.whole ? grid.h : next - t, next, &t, &whole));
    if (t < t1) PetscCall(RungJumpsCross(stepper, t, grid.h));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- adaptive steps --------------------------------------------------------------------------------------------- */

#define NOISY 2   /* errors of rounding fall with no higher power of the step */
#define OFF   3   /* refused attempts from one level, the last of which .. */
#define FALLS 0.5 /* .. has left as much of the error: the level may lie beside its equations */

/* The second refusal in a row: have shorter steps made the error smaller as those of a method do? */
static PetscBool looks_noisy(const RungControl *control, PetscReal h, PetscReal error)
{
  if (!control->refused || control->missed <= 0 || !(control->tried > h)) return PETSC_FALSE;
  return PetscLogReal(control->missed / error) < NOISY * PetscLogReal(control->tried / h) ? PETSC_TRUE : PETSC_FALSE;
}

/* An error that shorter steps do not make good may be that of rounding, in what has no size of its own, and so may that of rates that do not move
   their values, whose vibrations have errors as others have.  Steps of Newton's method in what has no rate, which no error test looks at, may be
   rounding as well: a multiplier of what is in balance is nothing else.  Where it is known to be, rounding changes with steps and values.  Without
   such evidence nothing is measured: where F is at rest it may be exact, and is not so at the states beside it. */
static PetscErrorCode look_for_rounding(RungStepper stepper, PetscReal h, const RungVerdict *verdict)
{
  const RungState *from;
  PetscReal        rounding[2 * RUNG_MAX_UNKNOWNS];
  PetscBool        in[RUNG_MAX_UNKNOWNS], look, doubt;
  PetscInt         f;

  PetscFunctionBegin;
  look  = RungWeightsRounds(stepper->weights, in);
  doubt = RungLineTakeDoubt(stepper->solver, in);
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  if ((verdict->error > 1 &&
       (looks_noisy(&stepper->control, h, verdict->error) || RungWeightsIsFaint(stepper->weights, h))) ||
      RungTimesAreStuck(stepper, h))
    look = RungWeightsMayRound(stepper->weights, &f);
  if (!look && !doubt) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemPeekState(stepper->ts, 0, &from));
  PetscCall(RungLineRounding(stepper->solver, from->t, from->u, h, in, rounding));
  RungWeightsSetRounding(stepper->weights, stepper->plan.limit == 0 ? PETSC_TRUE : PETSC_FALSE, rounding);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Equations without a rate have been solved for to the tolerances, or followed by their tangents.  Of a diode, whose current grows by e in 26 mV, a
   level may so lie where it conducts and has not to: steps are refused with the same error however short they are, or Newton's method finds no
   solution that near.  By tangents they may lead so far away that errors fall by orders, and to nothing good. */
static PetscBool is_off(RungStepper stepper, PetscReal h, const RungVerdict *verdict)
{
  const RungControl *control = &stepper->control;

  if (!stepper->algebraic || (control->refused + 1) % OFF) return PETSC_FALSE;
  if (stepper->plan.linear || !verdict->solved) return PETSC_TRUE;
  return control->missed > 0 && control->tried > h && verdict->error > FALLS * control->missed ? PETSC_TRUE
                                                                                               : PETSC_FALSE;
}

static PetscErrorCode refuse(RungStepper stepper, PetscReal t, PetscReal h, const RungVerdict *verdict)
{
  const PetscBool  off = is_off(stepper, h, verdict);
  const RungState *from;
  PetscReal        ratio = 0;

  PetscFunctionBegin;
  PetscCall(look_for_rounding(stepper, h, verdict));
  PetscCall(RungWeightsRefuse(stepper->weights, t + h, verdict->solved));
  PetscCall(RungProgressRefused(stepper, h, verdict));
  RungEffortRefuse(stepper, verdict);
  if (verdict->solved)
    RungControlReject(&stepper->control, h, verdict->error);
  else
    RungControlFail(&stepper->control, h);
  if (stepper->ops->refused) {
    PetscCall(RungTransientSystemPeekState(stepper->ts, 0, &from));
    PetscCall(stepper->ops->refused(stepper, from, h, verdict, &ratio));
  }
  if (ratio > 0) {
    stepper->control.h   = h * PetscMin(ratio, 0.9);
    stepper->control.why = "as the method asks";
  }
  PetscCall(RungExplainRefused(stepper, t, h, verdict));
  PetscCall(RungJumpsCount(stepper, t, PETSC_TRUE));
  if (off) PetscCall(RungJumpsMend(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The law that the method in use wants, from a step of length h on. */
static PetscErrorCode set_control(RungStepper stepper, PetscReal h)
{
  RungTraits traits; /* of what stages solve */

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetTraits(stepper->ts, &traits));
  RungControlStart(&stepper->control, h, (PetscReal)stepper->plan.exponent,
                   stepper->plan.growth > 0 ? stepper->plan.growth : 2,
                   traits.linear && traits.constant_jacobian ? 0.3 : 0, (PetscBool)(stepper->plan.solves == 0));
  if (!stepper->traits.linear) /* the explicit part is not: errors near 1 would soon be above */
    stepper->control.shrink = PetscMin(stepper->control.shrink, 0.1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A run that goes on keeps what the control has learnt. */
static PetscErrorCode start_control(RungStepper stepper, PetscReal *t)
{
  const RungControl learnt = stepper->control;
  const RungState  *state;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemPeekState(stepper->ts, 0, &state));
  *t                    = state->t;
  stepper->jumps.looked = -PETSC_MAX_REAL; /* constants and levels may be others now */
  PetscCall(set_control(stepper, stepper->dt));
  if (!stepper->restart.resumed && stepper->choose_first) PetscCall(RungFirstStep(stepper, &stepper->control.h));
  if (!stepper->restart.resumed || !(learnt.h > 0)) PetscFunctionReturn(PETSC_SUCCESS); /* fixed steps teach nothing */
  stepper->control.h       = learnt.h;
  stepper->control.error   = learnt.error;
  stepper->control.ratio   = learnt.ratio;
  stepper->control.refused = learnt.refused;
  stepper->control.steep   = learnt.steep;
  stepper->control.falling = learnt.falling;
  stepper->control.order   = learnt.order;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What an accepted step of size h to t tells of the next one. */
static PetscErrorCode learn(RungStepper stepper, PetscReal t, PetscReal h, PetscReal ratio, const RungVerdict *verdict,
                            PetscBool truncated)
{
  PetscFunctionBegin;
  PetscCall(look_for_rounding(stepper, h, verdict));
  RungWeightsCarryRounding(stepper->weights);
  if (ratio > 0)
    RungControlFollow(&stepper->control, h, ratio, verdict->error, truncated);
  else
    RungControlAccept(&stepper->control, h, verdict->error, truncated);
  if (ratio < 0) RungControlBound(&stepper->control, -ratio * h);
  PetscCall(RungExplainStep(stepper, t, h));
  PetscCall(RungTimesAccepted(stepper, t, h, verdict));
  PetscCall(RungJumpsCount(stepper, t, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve_adaptive(RungStepper stepper)
{
  const PetscReal t1 = stepper->t1;
  PetscReal       t, h, next, ratio;
  PetscBool       truncated, stop, exchanged;
  RungVerdict     verdict;
  RungMeeting     meeting;

  PetscFunctionBegin;
  PetscCall(start_control(stepper, &t));
  PetscCall(RungWeightsSurvey(stepper->weights, stepper->t0, t1, &stepper->times.until));
  while (t < t1 && !stepper->events.stopped) {
    PetscCall(RungSuccessorAsk(stepper, &exchanged));
    if (exchanged) PetscCall(set_control(stepper, stepper->control.h));
    PetscCall(RungRestartAsk(stepper, &stop));
    if (stop) break;
    PetscCall(check_steps(stepper, t));
    PetscCall(RungJumpsAhead(stepper, t, stepper->control.h));
    RungTimesPlan(stepper, t, &h, &next, &truncated);
    PetscCall(RungTimesCheckNext(stepper, t, h, next));
    PetscCall(propose(stepper, &h, &next, &verdict, &ratio, &meeting));
    if (!is_good(stepper, &verdict)) {
      PetscCall(refuse(stepper, t, h, &verdict));
      PetscCall(RungTimesRefused(stepper, t, h, &verdict));
      continue;
    }
    if (meeting != RUNG_MEETS_HERE) {
      PetscCall(accept(stepper, h));
      PetscCall(learn(stepper, next, h, ratio, &verdict, truncated || meeting != RUNG_MEETS_NOTHING));
      PetscCall(show(stepper, h, verdict.error));
      t = next;
    }
    PetscCall(happen(stepper, stepper->control.h));
    if (t < t1) PetscCall(RungJumpsCross(stepper, t, stepper->control.h));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode finish(RungStepper stepper)
{
  PetscFunctionBegin;
  PetscCall(RungRecordsFinish(stepper));
  PetscCall(RungProgressFinish(stepper));
  PetscCall(RungStatisticsWrite(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From the start to t1. */
static PetscErrorCode run(RungStepper stepper)
{
  PetscFunctionBegin;
  PetscCall(RungStableBegin(stepper));
  PetscCall(RungStableStep(stepper));
  PetscCall(RungProgressStart(stepper));
  PetscCall(RungRestartBegin(stepper));
  PetscCall(call_monitors(stepper));
  if (stepper->t1 == stepper->t0)
    PetscCall(
      RungNotice(stepper->comm, "the interval ends where it starts, at t = %g: nothing to do", (double)stepper->t0));
  else if (stepper->adaptive)
    PetscCall(solve_adaptive(stepper));
  else
    PetscCall(solve_fixed(stepper));
  PetscCall(RungTransientSystemFindLate(stepper->ts)); /* constants may change behind a run */
  PetscCall(RungDutiesEnd(stepper));
  PetscCall(RungStableEnd(stepper));
  if (stepper->events.stopped) stepper->reason = RUNG_STEPPER_EVENT;
  PetscCall(RungRestartFinish(stepper));
  PetscCall(RungLogPush(RUNG_LOG_OUTPUT));
  RungCallFinally(finish(stepper), PetscCall(RungLogPop()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A run that does not reach its end leaves tables under the names that they have while they are written. */
static PetscErrorCode run_or_tell(RungStepper stepper)
{
  PetscFunctionBegin;
  RungCallOrUndo(run(stepper), PetscCall(RungRecordsTellOpen(stepper)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(RungStepper stepper)
{
  const PetscReal length = stepper->t1 - stepper->t0;
  PetscInt        levels;
  PetscBool       there;
  int             status;

  PetscFunctionBegin;
  PetscCall(RungGetStatus(&status));
  if (status > 128) { /* a signal has ended a run before this one */
    stepper->signal = status - 128;
    stepper->reason = RUNG_STEPPER_SIGNALLED;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (stepper->ready) { /* what may be said at any time */
    PetscCall(RungStepperCheckRanks(stepper));
    PetscCall(RungSystemCheckConstants(stepper->sys));
  }
  PetscCall(RungStepperSetUp(stepper));
  PetscCall(RungAbilitiesWarn(stepper));
  if (length > 0 && stepper->dt > length) {
    if (stepper->dt - length > STRETCH * length) /* more than rounding of 0.7 - 0.5 */
      PetscCall(RungNotice(stepper->comm, "the step %g is longer than the interval, it becomes %g", (double)stepper->dt,
                           (double)length));
    stepper->dt = length;
  }
  PetscCall(is_there(stepper, &levels, &there)); /* a run that goes on from the end of one that went on */
  stepper->restart.resumed = stepper->restart.load[0] && !(there && stepper->begun) ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(RungLogPush(RUNG_LOG_START));
  RungEffortStart(stepper);
  RungCallFinally(stepper->restart.resumed ? resume(stepper) : start(stepper), PetscCall(RungLogPop()));
  stepper->begun = PETSC_TRUE;
  PetscCall(RungLogPush(RUNG_LOG_STEPS));
  RungCallFinally(run_or_tell(stepper), PetscCall(RungLogPop()));
  PetscCall(RungSystemClearStep(stepper->sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperSolve(RungStepper stepper)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCheck(!stepper->solving, stepper->comm, PETSC_ERR_ORDER,
             "RungStepperSolve by a method or monitor of the stepper that solves already");
  stepper->solving = PETSC_TRUE;
  PetscCall(RungSignalsCatch());
  RungCallFinally(solve(stepper), stepper->solving = PETSC_FALSE; PetscCall(RungSignalsRelease()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperGetReason(RungStepper stepper, RungStepperReason *reason)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeedArgument(reason);
  *reason = stepper->reason;
  PetscFunctionReturn(PETSC_SUCCESS);
}
