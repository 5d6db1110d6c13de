/* times.c - the times that adaptive steps land on, the limits of their sizes, and the guard against runs that do not end. */
#include "step_impl.h"

#define STRETCH 1e-10 /* of a step: lengths this near are equal           */
#define SMALL   1e-9  /* of the run: steps below this are looked at       */
#define PATIENT 500   /* of them in a row without growth              */
#define SHORT   1e-6  /* of the run: a million steps to come          */
#define STUCK   50    /* every so many steps these may be of rounding */

/* ---- what the app says -------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
  const PetscReal x = *(const PetscReal *)a, y = *(const PetscReal *)b;

  return x < y ? -1 : x > y;
}

/* list[known] becomes longer by n, ascending. */
static PetscErrorCode add_times(RungStepper stepper, const char kind[], PetscInt n, const PetscReal t[],
                                PetscInt *known, PetscReal **list)
{
  PetscFunctionBegin;
  PetscCheck(n >= 0 && (t || !n), stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " %s times%s, wanted an array of 0 or more", n, kind, t ? "" : " in no array");
  for (PetscInt i = 0; i < n; ++i) {
    PetscCheck(!PetscIsInfOrNanReal(t[i]), stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
               "%s time %" PetscInt_FMT " is %g, wanted a finite number", kind, i, (double)t[i]);
  }
  PetscCall(PetscRealloc((size_t)(*known + n) * sizeof **list, list));
  PetscCall(PetscArraycpy(*list + *known, t, n));
  *known += n;
  if (n) qsort(*list, (size_t)*known, sizeof **list, compare);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperAddStopTimes(RungStepper stepper, PetscInt n, const PetscReal t[])
{
  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(add_times(stepper, "stop", n, t, &stepper->times.stops, &stepper->times.stop));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperAddLookTimes(RungStepper stepper, PetscInt n, const PetscReal t[])
{
  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(add_times(stepper, "look", n, t, &stepper->times.looks, &stepper->times.look));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperSetStepLimits(RungStepper stepper, PetscReal least, PetscReal most)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCheck(least >= 0 && !PetscIsInfOrNanReal(least), stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "the smallest step is %g, wanted 0 or a positive number", (double)least);
  PetscCheck(most > 0 && most >= least, stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "the largest step is %g, wanted a positive number of at least the smallest, %g", (double)most,
             (double)least);
  stepper->times.least = least;
  stepper->times.most  = most;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTimesDestroy(RungStepper stepper)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(stepper->times.stop));
  PetscCall(PetscFree(stepper->times.look));
  stepper->times.stops = stepper->times.looks = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTimesCheck(RungStepper stepper)
{
  const RungTimes *times = &stepper->times;

  PetscFunctionBegin;
  PetscCheck(stepper->adaptive || (times->least == 0 && times->most >= PETSC_INFINITY), stepper->comm,
             PETSC_ERR_ARG_INCOMP,
             "limits of the step (-stepper_dt_min, -stepper_dt_max) and no tolerances: all steps are dt; add "
             "-stepper_rtol, or leave them away");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscReal RungTimesRounding(PetscReal t)
{
  return 16 * PETSC_MACHINE_EPSILON * PetscAbsReal(t);
}

/* Fixed steps go through a stop time or never meet it. */
PetscErrorCode RungTimesCheckGrid(RungStepper stepper, PetscReal t0, PetscReal h)
{
  const RungTimes *times = &stepper->times;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < times->stops; ++i) {
    const PetscReal t = times->stop[i], n = PetscFloorReal((t - t0) / h + 0.5);

    PetscCheck(t <= t0 || t >= stepper->t1 ||
                 PetscAbsReal(t - t0 - n * h) <= STRETCH * PetscMax(h, n * h) + RungTimesRounding(t),
               stepper->comm, PETSC_ERR_ARG_INCOMP,
               "fixed steps of %g from %.10g do not meet the stop time %.10g; take a dt that divides it, or tolerances",
               (double)h, (double)t0, (double)t);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the next step -------------------------------------------------------------------------------------------------- */

/* The first of list[n] behind t, or the limit. */
static PetscReal first_behind(PetscReal t, PetscInt n, const PetscReal list[], PetscReal limit)
{
  for (PetscInt i = 0; i < n && list[i] < limit; ++i)
    if (list[i] > t) return list[i];
  return limit;
}

/* Values between levels of methods without a polynomial of their own are of order 3, or of order 4 by the level before. */
PetscBool RungTimesLands(RungStepper stepper)
{
  const RungMethodPlan *plan  = &stepper->plan;
  const PetscInt        dense = plan->dense ? plan->dense : RungKeepsBefore(plan) ? 4 : 3;

  return stepper->adaptive && plan->order > dense + 1 ? PETSC_TRUE : PETSC_FALSE;
}

/* The next look at sources that are yet to come, or the limit. */
static PetscReal next_look(RungStepper stepper, PetscReal t, PetscReal limit)
{
  for (PetscInt i = 1; i <= stepper->times.until; ++i) {
    const PetscReal look = stepper->t0 + (stepper->t1 - stepper->t0) * (PetscReal)i / RUNG_LOOKS;

    if (look > t + STRETCH * stepper->control.h + RungTimesRounding(t)) return PetscMin(look, limit);
  }
  return limit;
}

static PetscReal next_target(RungStepper stepper, PetscReal t)
{
  const RungTimes *times  = &stepper->times;
  PetscReal        target = first_behind(t, times->stops, times->stop, stepper->t1);

  if (RungTimesLands(stepper))
    target = PetscMin(RungOutputsNext(stepper, t), first_behind(t, times->looks, times->look, target));
  target = next_look(stepper, t, target);
  if (times->change > t && times->change < target - STRETCH * stepper->control.h) target = times->change;
  return target;
}

void RungTimesPlan(RungStepper stepper, PetscReal t, PetscReal *h, PetscReal *next, PetscBool *truncated)
{
  const PetscReal target = next_target(stepper, t), left = target - t;
  const PetscReal want = PetscMin(stepper->control.h, stepper->times.most);

  *h         = want;
  *truncated = PETSC_FALSE;
  *next      = target;
  if (PetscAbsReal(left - want) <= STRETCH * want + RungTimesRounding(target))
    return; /* slopes stay those of before, bit for bit */
  if (want > left)
    *h = left;
  else if (2 * want > left * (1 + STRETCH))
    *h = left / 2;
  if (*h < want) *truncated = PETSC_TRUE;
  if (*h != left) *next = t + *h;
}

/* ---- runs that do not end ------------------------------------------------------------------------------------------- *

   Small steps that do not grow are no end yet: layers of stiff oscillators take hundreds of them, with tolerances of 1e-10 thousands,
   and then the steps grow again.  So they have to be as many as all others of the run, too. */

static PetscErrorCode say_groups(RungStepper stepper, const RungVerdict *verdict, char text[], size_t size)
{
  PetscFunctionBegin;
  if (verdict->solved) {
    char groups[2048];

    PetscCall(RungWeightsExplain(stepper->weights, 3, groups, sizeof groups));
    PetscCall(PetscSNPrintf(text, size, "the local error is %.1e of what the tolerances allow (%s)",
                            (double)verdict->error, groups));
  } else
    PetscCall(PetscStrncpy(text, verdict->why, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTimesRefused(RungStepper stepper, PetscReal t, PetscReal h, const RungVerdict *verdict)
{
  const RungTimes *times = &stepper->times;
  const PetscReal  next  = stepper->control.h;
  const PetscBool  lost  = next <= 4 * PETSC_MACHINE_EPSILON * PetscAbsReal(t) || t + next <= t ? PETSC_TRUE
                                                                                                : PETSC_FALSE;
  char             why[2400], unresolved[512];

  PetscFunctionBegin;
  if (!lost && stepper->control.refused < RUNG_MOST_REFUSALS && (next >= times->least || h > times->least)) {
    stepper->control.h = PetscMax(next, times->least);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(say_groups(stepper, verdict, why, sizeof why));
  PetscCall(RungWeightsTellUnresolved(stepper->weights, unresolved, sizeof unresolved));
  PetscCheck(!lost, stepper->comm, PETSC_ERR_NOT_CONVERGED,
             "gave up at t = %.17g, step %" PetscInt_FMT ": a step of %.1e is lost in rounding; larger ones were "
             "refused: %s%s",
             (double)t, stepper->statistics.steps + 1, (double)next, why, unresolved);
  PetscCheck(next >= times->least, stepper->comm, PETSC_ERR_NOT_CONVERGED,
             "gave up at t = %.10g, step %" PetscInt_FMT
             ": a step of %.1e was refused, and -stepper_dt_min is %.1e: %s%s",
             (double)t, stepper->statistics.steps + 1, (double)h, (double)times->least, why, unresolved);
  SETERRQ(stepper->comm, PETSC_ERR_NOT_CONVERGED,
          "gave up at t = %.10g, step %" PetscInt_FMT ", dt = %.1e after %d rejections: %s%s", (double)t,
          stepper->statistics.steps + 1, (double)h, RUNG_MOST_REFUSALS, why, unresolved);
}

PetscErrorCode RungTimesCheckNext(RungStepper stepper, PetscReal t, PetscReal h, PetscReal next)
{
  char unresolved[512];

  PetscFunctionBegin;
  if (next > t) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungWeightsTellUnresolved(stepper->weights, unresolved, sizeof unresolved));
  SETERRQ(stepper->comm, PETSC_ERR_NOT_CONVERGED,
          "gave up at t = %.17g, step %" PetscInt_FMT ": a step of %.1e is lost in rounding, and the errors of those "
          "before ask for one; the solution may have no value beyond this time%s",
          (double)t, stepper->statistics.steps + 1, (double)h, unresolved);
}

PetscBool RungTimesAreStuck(RungStepper stepper, PetscReal h)
{
  const PetscInt steps = stepper->statistics.steps;

  return h < SHORT * (stepper->t1 - stepper->t0) && steps && steps % STUCK == 0 ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode RungTimesAccepted(RungStepper stepper, PetscReal t, PetscReal h, const RungVerdict *verdict)
{
  RungTimes *times = &stepper->times;
  char       why[2400], unresolved[512];

  PetscFunctionBegin;
  stepper->control.h = PetscMin(PetscMax(stepper->control.h, times->least), times->most);
  if (h >= SMALL * (stepper->t1 - stepper->t0) || times->small == 0 || h > 2 * times->first ||
      stepper->statistics.steps == 1) {
    times->small = h < SMALL * (stepper->t1 - stepper->t0) ? 1 : 0;
    times->first = h;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (++times->small < PATIENT || 2 * times->small < stepper->statistics.steps) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(say_groups(stepper, verdict, why, sizeof why));
  PetscCall(RungWeightsTellUnresolved(stepper->weights, unresolved, sizeof unresolved));
  SETERRQ(stepper->comm, PETSC_ERR_NOT_CONVERGED,
          "gave up at t = %.10g, step %" PetscInt_FMT
          ": %d steps of about %.1e without growth, %.1e would lead to t = %.10g; "
          "the last one: %s%s",
          (double)t, stepper->statistics.steps, (int)times->small, (double)h, (double)((stepper->t1 - t) / h),
          (double)stepper->t1, why, unresolved);
}
