/* integral.c - sums of rates in time:  the integral of r(t, u, u', ..) dt over the steps.

   Where a method has stages u_i at t_i with weights b_i, a step adds

       h sum_i b_i r(t_i, u_i, ..),

   the quadrature that makes u_n+1 of its rates: what the equations conserve is conserved together with what has left or entered, to
   rounding where r is linear.  Of other methods a step adds h (r_n + r_n+1)/2 up to order 2 and h (r_n + 4 r_n+1/2 + r_n+1)/6 beyond, with
   the values between levels; so it does, too, where a rate is not finite at a stage.

   In a step, at theta = (t - t_n)/h, a sum is  I_n + theta h (r_n + r(t))/2 + theta^3 c,  c so that it is I_n+1 at the end: the error of the
   trapezoidal rule grows with the third power of its length.

   Adaptive steps follow the errors of unknowns alone, and a rate may move faster: a pulse in data beside a solution at rest.  Each step of these
   is compared with Gauss' rule of three points, of order 6, on the values between levels; where the differences sum up to far more than rtol of
   the sum, the end of a run tells. */
#include "step_impl.h"

#define DOUBT 1000 /* times rtol, of what was summed up: no word is lost of less */
#define PART  0.03 /* .. nor is more left without                               */
#define USUAL 1e-4 /* rtol of runs with absolute tolerances alone               */

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
  PetscCall(PetscCalloc3(q->n, &q->off, q->n, &q->doubt, q->n, &q->total));
  for (PetscInt k = 0; k <= stepper->traits.order && (stepper->plan.order > 2 || stepper->adaptive); ++k)
    PetscCall(RungSystemCreateVec(stepper->sys, &q->between[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungIntegralsReset(RungStepper stepper)
{
  RungQuantities *q = &stepper->quantities;

  PetscFunctionBegin;
  PetscCall(PetscFree6(q->at, q->step, q->bend, q->from_value, q->from_integral, q->middle));
  PetscCall(PetscFree3(q->off, q->doubt, q->total));
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

/* off[i] = |step - that of Gauss' rule|;  h/18 (5 r(-s) + 8 r(0) + 5 r(s)),  s = sqrt(3/5) h/2 from the middle */
static PetscErrorCode compare(RungStepper stepper, const RungState *from, const RungState *to)
{
  static const PetscReal place[3] = {-0.774596669241483377, 0, 0.774596669241483377}, weight[3] = {5, 8, 5};
  RungQuantities        *q = &stepper->quantities;
  const PetscReal        h = to->t - from->t;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < q->n; ++i) q->off[i] = q->step[i];
  for (int p = 0; p < 3; ++p) {
    const PetscReal t = from->t + h / 2 * (1 + place[p]);

    PetscCall(RungStepperBetween(stepper, from, to, t, q->between));
    PetscCall(RungSystemEvaluateRates(stepper->sys, t, q->between, q->middle));
    for (PetscInt i = 0; i < q->n; ++i) q->off[i] -= h / 18 * weight[p] * q->middle[i];
  }
  for (PetscInt i = 0; i < q->n; ++i) q->off[i] = isfinite(q->off[i]) ? PetscAbsReal(q->off[i]) : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungIntegralsTell(RungStepper stepper)
{
  const PetscReal part = PetscMin(PART, DOUBT * (stepper->rtol > 0 ? stepper->rtol : USUAL));
  RungQuantities *q    = &stepper->quantities;

  PetscFunctionBegin;
  for (PetscInt i = 0; has_rates(q) && stepper->adaptive && i < q->n; ++i) {
    if (!q->rate[i] || !(q->doubt[i] > part * q->total[i])) continue;
    PetscCall(
      RungWarning(stepper->comm,
                  "the sum of the rate \"%s\" is uncertain by about %.1e, and its steps sum up to %.1e: steps follow "
                  "the errors of unknowns alone; take a smaller -stepper_dt_max, or an unknown with dt() of its "
                  "own for the sum",
                  q->name[i], (double)q->doubt[i], (double)q->total[i]));
    q->doubt[i] = -PETSC_INFINITY; /* one word is enough */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
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
    const PetscBool bent  = stepper->plan.order > 2 ? PETSC_TRUE : PETSC_FALSE;
    const PetscReal share = bent ? h / 6 : h / 2;

    for (PetscInt i = 0; i < q->n; ++i) q->step[i] = share * (q->value[i] + q->at[i]);
    if (bent) {
      PetscCall(RungStepperBetween(stepper, from, to, from->t + h / 2, q->between));
      PetscCall(RungSystemEvaluateRates(stepper->sys, from->t + h / 2, q->between, q->middle));
      for (PetscInt i = 0; i < q->n; ++i) q->step[i] += 4 * share * q->middle[i];
    }
  }
  for (PetscInt i = 0; i < q->n; ++i) q->bend[i] = q->step[i] - h / 2 * (q->value[i] + q->at[i]);
  if (stepper->adaptive) PetscCall(compare(stepper, from, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungIntegralsStep(RungStepper stepper)
{
  RungQuantities *q = &stepper->quantities;

  for (PetscInt i = 0; has_rates(q) && i < q->n; ++i) {
    q->from_value[i]    = q->value[i];
    q->from_integral[i] = q->integral[i];
    if (q->rate[i]) q->integral[i] += q->step[i];
    q->doubt[i] += q->off[i];
    q->total[i] += PetscAbsReal(q->step[i]);
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
