/* first.c - the first adaptive step where the app leaves it to us (Hairer, Norsett, Wanner I, II.4).

   1.  h_0 = 0.01 |u|/|u'| at the start, the least of all groups of the norm of errors: the time in which the fastest group changes by a
       hundredth.  Both norms are in units of the tolerances, so that no unit of u or t matters.  Groups at rest, or that are 0
       at the start, tell nothing: a hundredth of the run; at most the shortest time between two outputs.
   2.  A second evaluation tells how u' changes.  Here it is an attempt of the method over h_0, whose error e = O(h^k) allows
       h_0 e^(-1/k) times the safety of the control, up to 100 h_0; what it has made is thrown away. */
#include "step_impl.h"

#define CHANGE 0.01
#define MOST   100

/* |u^(k)| of each group at a level, in the units of its tolerances; values[group] */
static PetscErrorCode measure_level(RungStepper stepper, const RungState *level, PetscInt shift, PetscReal values[])
{
  RungMeasured     measured = {.error = {level->u[shift]}, .from = {level->u[0]}};
  const PetscReal *value;
  PetscReal        largest;
  PetscInt         groups;

  PetscFunctionBegin;
  PetscCall(RungSystemGetErrorMask(stepper->sys, &measured.mask));
  if (stepper->traits.order == 2) {
    measured.error[1] = level->u[1 + shift];
    measured.from[1]  = level->u[1];
  }
  PetscCall(RungWeightsMeasure(stepper->weights, &measured, &largest));
  value = RungWeightsValues(stepper->weights, &groups);
  PetscCall(PetscArraycpy(values, value, groups));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By the rates of the start; told: they say something. */
static PetscErrorCode guess(RungStepper stepper, const RungState *level, PetscReal *h, PetscBool *told)
{
  const PetscReal end = PetscMax(PetscAbsReal(stepper->t0), PetscAbsReal(stepper->t1));
  PetscReal      *size, *rate;
  PetscInt        groups;

  PetscFunctionBegin;
  *told = PETSC_FALSE;
  *h    = (stepper->t1 - stepper->t0) / 100;
  (void)RungWeightsValues(stepper->weights, &groups);
  PetscCall(PetscMalloc2(groups, &size, groups, &rate));
  PetscCall(measure_level(stepper, level, 0, size));
  PetscCall(measure_level(stepper, level, 1, rate));
  for (PetscInt g = 0; g < groups; ++g) {
    if (!(size[g] > 0) || !(rate[g] > 0) || PetscIsInfOrNanReal(rate[g])) continue;
    *h    = PetscMin(*h, CHANGE * size[g] / rate[g]);
    *told = PETSC_TRUE;
  }
  *h = PetscMax(*h, 100 * PETSC_MACHINE_EPSILON * end);
  PetscCall(PetscFree2(size, rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many times as long an attempt over h may be; 1 where it fails, or would meet a switch or the end. */
static PetscErrorCode try_out(RungStepper stepper, PetscReal t, PetscReal h, PetscReal *longer)
{
  RungVerdict verdict;
  PetscReal   ratio;

  PetscFunctionBegin;
  *longer = 1;
  PetscCall(RungJumpsAhead(stepper, t, h));
  if (t + 2 * h >= PetscMin(stepper->t1, stepper->times.change)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungLoopPropose(stepper, h, t + h, &verdict, &ratio));
  if (!verdict.solved || verdict.error > 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemRollBack(stepper->ts));
  *longer = PetscMax(1, PetscMin(MOST, RungControlElementary(&stepper->control, verdict.error)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFirstStep(RungStepper stepper, PetscReal *h)
{
  const RungState *level;
  PetscReal        longer = 1;
  PetscBool        told;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &level));
  PetscCall(guess(stepper, level, h, &told));
  if (told) PetscCall(try_out(stepper, level->t, *h, &longer));
  *h = PetscMin(*h * longer, (stepper->t1 - stepper->t0) / 10);
  for (RungOutputRecord output = stepper->outputs; output; output = output->link) {
    if (output->every > 0 && !output->steps) *h = PetscMin(*h, output->every);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
