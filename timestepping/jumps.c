/* jumps.c - times where data jump: switches of the system, constants that changed, what the app says.

   A step sees data from its own side of a switch (RungSystemSetStep).  Where a step ends at a switch, level 0 becomes its right limit
   before the next one: boundary values with their impulse, consistent rates, no history; the control forgets the last error.  The
   same happens where a constant has another value than at the last step, and after RungStepperMarkJump().  Adaptive steps
   land on switches; fixed ones meet them or see both sides in one step.

   Systems with internal variables at points keep their level unless the mass is constant: a material that yields or unloads,
   dt(p) = max(0, dt(p) + f), has at f = 0 any rate that is not negative and at f > 0 none, so that F = 0 at a time finds no rates;
   methods without an explicit first stage (bdf1, euler, sdirk) do not ask for them, others lose an order at a switch there. */
#include "step_impl.h"

#define NEAR 1e-10 /* of a step: a switch this near to a level is met */

static PetscReal near(PetscReal t, PetscReal h)
{
  return NEAR * h + RungTimesRounding(t);
}

PetscErrorCode RungStepperMarkJump(RungStepper stepper)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  stepper->jumps.marked = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The data of a step from t that is not known yet: those up to the next switch. */
static PetscErrorCode look_ahead(RungStepper stepper, PetscReal t, PetscReal h)
{
  PetscReal end;

  PetscFunctionBegin;
  PetscCall(RungSystemGetNextSwitch(stepper->sys, t + near(t, h), t + h, &end));
  if (end > t) PetscCall(RungSystemSetStep(stepper->sys, t, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungJumpsStart(RungStepper stepper, PetscReal t)
{
  PetscFunctionBegin;
  stepper->jumps.told = stepper->jumps.slides = PETSC_FALSE;
  stepper->jumps.tries = stepper->jumps.missed = 0;
  PetscCall(look_ahead(stepper, t, stepper->dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungJumpsKnown(RungStepper stepper, PetscBool right)
{
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemPeekState(stepper->ts, 0, &state));
  if (right) stepper->jumps.crossed = state->t;
  stepper->jumps.marked = PETSC_FALSE;
  PetscCall(RungSystemGetConstantState(stepper->sys, &stepper->jumps.constants));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungJumpsTell(RungStepper stepper)
{
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungQuantitiesRenew(stepper));
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  if (stepper->adaptive) PetscCall(RungWeightsRenew(stepper->weights, state));
  stepper->control.error = -1;
  stepper->control.ratio = 1;
  stepper->control.steep = 0;
  stepper->control.order = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungJumpsCross(RungStepper stepper, PetscReal t, PetscReal h)
{
  RungJumps *jumps = &stepper->jumps;
  PetscInt64 constants;
  PetscBool  is, condensed;

  PetscFunctionBegin;
  PetscCall(RungSystemIsSwitch(stepper->sys, t, near(t, h), &is));
  if (jumps->crossed == t) is = PETSC_FALSE;
  PetscCall(RungSystemGetConstantState(stepper->sys, &constants));
  if (constants != jumps->constants || jumps->marked) is = PETSC_TRUE;
  PetscCall(RungSystemGetCondensed(stepper->sys, &condensed));
  if (!is || (condensed && !stepper->traits.constant_block[stepper->traits.order])) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemFindLate(stepper->ts)); /* by limits from the left */
  PetscCall(look_ahead(stepper, t, h));
  PetscCall(RungTransientSystemRenew(stepper->ts));
  ++stepper->spent.starts;
  PetscCall(RungJumpsKnown(stepper, PETSC_TRUE));
  PetscCall(RungJumpsTell(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define FAR 1 /* of the largest value so far: what moves a value by more is another solution, as of 1e23 V */

/* Is what F = 0 finds at a level near to it, and no other solution? */
static PetscErrorCode is_near(const RungState *from, const RungState *to, void *ctx, PetscBool *is)
{
  const RungStepper  stepper = (RungStepper)ctx;
  const PetscReal   *seen    = RungWeightsSeen(stepper->weights);
  const PetscScalar *u, *v;
  PetscInt           start, end, n;
  int                far = 0;

  PetscFunctionBegin;
  PetscCall(RungSystemCountUnknowns(stepper->sys, &n));
  PetscCall(VecGetArrayRead(from->u[0], &u));
  PetscCall(VecGetArrayRead(to->u[0], &v));
  for (PetscInt f = 0; f < n; ++f) {
    PetscCall(RungSystemGetRange(stepper->sys, f, &start, &end));
    for (PetscInt i = start; i < end; ++i)
      if (!(PetscAbsScalar(v[i] - u[i]) <= FAR * seen[2 * f])) far = 1;
  }
  PetscCall(VecRestoreArrayRead(to->u[0], &v));
  PetscCall(VecRestoreArrayRead(from->u[0], &u));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &far, 1, MPI_INT, MPI_MAX, stepper->comm));
  *is = far ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungJumpsMend(RungStepper stepper)
{
  const RungState *level;
  PetscBool        condensed, mended;

  PetscFunctionBegin;
  PetscCall(RungSystemGetCondensed(stepper->sys, &condensed));
  PetscCall(RungTransientSystemPeekState(stepper->ts, 0, &level));
  if (condensed || level->t == stepper->jumps.looked) PetscFunctionReturn(PETSC_SUCCESS);
  stepper->jumps.looked = level->t;
  PetscCall(RungTransientSystemMend(stepper->ts, is_near, stepper, &mended));
  if (!mended) PetscFunctionReturn(PETSC_SUCCESS);
  ++stepper->spent.starts;
  PetscCall(RungJumpsKnown(stepper, PETSC_FALSE));
  PetscCall(RungJumpsTell(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How far a step may go, for RungTimesPlan(). */
PetscErrorCode RungJumpsAhead(RungStepper stepper, PetscReal t, PetscReal h)
{
  PetscFunctionBegin;
  PetscCall(RungSystemGetNextSwitch(stepper->sys, t + near(t, h), t + 3 * h, &stepper->times.change));
  if (stepper->times.change >= t + 3 * h) stepper->times.change = PETSC_INFINITY;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungJumpsTellMissed(RungStepper stepper, PetscReal t, PetscReal next)
{
  const PetscReal h = next - t;
  PetscReal       found;

  PetscFunctionBegin;
  if (stepper->jumps.told || !stepper->dirichlet) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemGetNextSwitch(stepper->sys, t + near(t, h), next - near(next, h), &found));
  if (found >= next - near(next, h)) PetscFunctionReturn(PETSC_SUCCESS);
  stepper->jumps.told = PETSC_TRUE;
  PetscCall(
    RungWarning(stepper->comm,
                "the data switch at t = %.10g, inside of a step from %.10g to %.10g: where boundary values jump, "
                "results depend on the method; take a dt that meets it, or -stepper_rtol",
                (double)found, (double)t, (double)next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define TRIES 1000 /* attempts that are looked at together */
#define OFTEN 5    /* one of so many refused; control refuses fewer where solutions are smooth */

/* Where F jumps along an unknown and has opposite signs on both sides, as of dry friction that sticks, the solution stays on the jump, where F = 0
   has no solution: each step that crosses the jump has an error that does not fall with its length. */
PetscErrorCode RungJumpsCount(RungStepper stepper, PetscReal t, PetscBool refused)
{
  RungJumps *jumps = &stepper->jumps;
  PetscInt   missed;

  PetscFunctionBegin;
  if (!stepper->traits.jumps || jumps->slides) PetscFunctionReturn(PETSC_SUCCESS);
  if (refused) ++jumps->missed;
  if (++jumps->tries < TRIES) PetscFunctionReturn(PETSC_SUCCESS);
  missed       = jumps->missed;
  jumps->tries = jumps->missed = 0;
  if (OFTEN * missed < TRIES) PetscFunctionReturn(PETSC_SUCCESS);
  jumps->slides = PETSC_TRUE;
  PetscCall(RungWarning(
    stepper->comm,
    "%" PetscInt_FMT " of the last %d attempts at steps are refused, at t = %.10g: the residual jumps along an unknown "
    "(sign, if, a comparison), and the solution may slide along a jump, which steps of no length follow; take "
    "tanh(u/d) in place of sign(u), d small beside u, or an event",
    missed, TRIES, (double)t));
  PetscFunctionReturn(PETSC_SUCCESS);
}
