/* integral.c - sums of rates in time:  the integral of r(t, u, u', ..) dt over the steps.

   Where a method has stages u_i at t_i with weights b_i, a step adds

       h sum_i b_i r(t_i, u_i, ..),

   the quadrature that makes u_n+1 of its rates: what the equations conserve is conserved together with what has left or entered, to
   rounding where r is linear.  Of other methods a step adds h (r_n + r_n+1)/2 up to order 2 and h (r_n + 4 r_n+1/2 + r_n+1)/6 beyond, with
   the values between levels; so it does, too, where a rate is not finite at a stage.

   In a step, at theta = (t - t_n)/h, a sum is  I_n + theta h (r_n + r(t))/2 + theta^3 c,  c so that it is I_n+1 at the end: the error of the
   trapezoidal rule grows with the third power of its length. */
#include "step_impl.h"

static PetscBool has_rates(const RungQuantities *q)
{
  return q->at ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode RungIntegralsSetUp(RungStepper stepper)
{
  RungQuantities *q   = &stepper->quantities;
  PetscBool       any = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < q->n; ++i) any = any || q->rate[i] ? PETSC_TRUE : PETSC_FALSE;
  if (!any) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc6(q->n, &q->at, q->n, &q->step, q->n, &q->bend, q->n, &q->from_value, q->n, &q->from_integral,
                         q->n, &q->middle));
  for (PetscInt k = 0; k <= stepper->traits.order && stepper->plan.order > 2; ++k)
    PetscCall(RungSystemCreateVec(stepper->sys, &q->between[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungIntegralsReset(RungStepper stepper)
{
  RungQuantities *q = &stepper->quantities;

  PetscFunctionBegin;
  PetscCall(PetscFree6(q->at, q->step, q->bend, q->from_value, q->from_integral, q->middle));
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) PetscCall(VecDestroy(&q->between[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungIntegralsBegin(RungStepper stepper)
{
  RungQuantities *q = &stepper->quantities;

  PetscFunctionBegin;
  q->weight = q->length = 0;
  if (!has_rates(q)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscArrayzero(q->step, q->n));
  PetscCall(PetscArrayzero(q->bend, q->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RungStageSums(RungStepper stepper)
{
  return has_rates(&stepper->quantities);
}

PetscErrorCode RungStageSum(RungStepper stepper, PetscReal t, const Vec u[], PetscReal weight)
{
  RungQuantities *q;

  PetscFunctionBegin;
  RungNeed(stepper);
  q = &stepper->quantities;
  if (!has_rates(q) || weight == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemEvaluateRates(stepper->sys, t, u, q->at));
  for (PetscInt i = 0; i < q->n; ++i)
    if (q->rate[i]) q->step[i] += weight * q->at[i];
  q->weight += weight;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Did the method sum up the whole step? */
static PetscBool is_summed(const RungQuantities *q, PetscReal h)
{
  PetscBool good = PetscAbsReal(q->weight - h) <= 1e-10 * PetscAbsReal(h) ? PETSC_TRUE : PETSC_FALSE;

  for (PetscInt i = 0; i < q->n; ++i)
    if (q->rate[i] && PetscIsInfOrNanReal(q->step[i])) good = PETSC_FALSE;
  return good;
}

PetscErrorCode RungIntegralsClose(RungStepper stepper)
{
  RungQuantities  *q = &stepper->quantities;
  const RungState *from;
  RungState       *to;
  PetscReal        h;

  PetscFunctionBegin;
  if (!has_rates(q)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &from));
  PetscCall(RungTransientSystemGetProposal(stepper->ts, &to));
  q->length = h = to->t - from->t;
  PetscCall(RungSystemEvaluateRates(stepper->sys, to->t, to->u, q->at));
  if (!is_summed(q, h)) {
    const PetscReal share = q->between[0] ? h / 6 : h / 2;

    for (PetscInt i = 0; i < q->n; ++i) q->step[i] = share * (q->value[i] + q->at[i]);
    if (q->between[0]) {
      PetscCall(RungStepperBetween(stepper, from, to, from->t + h / 2, q->between));
      PetscCall(RungSystemEvaluateRates(stepper->sys, from->t + h / 2, q->between, q->middle));
      for (PetscInt i = 0; i < q->n; ++i) q->step[i] += 4 * share * q->middle[i];
    }
  }
  for (PetscInt i = 0; i < q->n; ++i) q->bend[i] = q->step[i] - h / 2 * (q->value[i] + q->at[i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungIntegralsStep(RungStepper stepper)
{
  RungQuantities *q = &stepper->quantities;

  for (PetscInt i = 0; has_rates(q) && i < q->n; ++i) {
    q->from_value[i]    = q->value[i];
    q->from_integral[i] = q->integral[i];
    if (q->rate[i]) q->integral[i] += q->step[i];
  }
}

/* value[], rates at the time passed since the step's beginning, become sums; r and sum are those of its beginning. */
static void make_sums(const RungQuantities *q, const PetscReal r[], const PetscReal sum[], PetscReal passed,
                      PetscReal value[])
{
  const PetscReal theta = q->length ? passed / q->length : 0;

  for (PetscInt i = 0; i < q->n; ++i)
    if (q->rate[i]) value[i] = sum[i] + passed / 2 * (r[i] + value[i]) + theta * theta * theta * q->bend[i];
}

PetscErrorCode RungIntegralsProposed(RungStepper stepper, PetscReal t, PetscReal value[])
{
  const RungQuantities *q = &stepper->quantities;
  const RungState      *from;

  PetscFunctionBegin;
  if (!has_rates(q)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &from));
  make_sums(q, q->value, q->integral, t - from->t, value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperEvaluateBetween(RungStepper stepper, PetscReal t, const Vec u[], PetscReal value[])
{
  const RungQuantities *q = &stepper->quantities;
  const RungState      *from;

  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(RungStepperInterpolate(stepper, t, u));
  PetscCall(RungTransientSystemGetState(stepper->ts, 1, &from));
  PetscCall(RungSystemEvaluateQuantities(stepper->sys, t, u, value));
  if (has_rates(q)) make_sums(q, q->from_value, q->from_integral, t - from->t, value);
  PetscFunctionReturn(PETSC_SUCCESS);
}
