/* way.c - a number goes from one value to another along solutions: steps that are halved where there is none, and grow again.

   The solution at the next value is looked for from the straight line through the last two, u + ratio (u - u_before).  Behind a step
   that failed it is looked for from u itself: the straight line may have been what led astray. */
#include <rungway_room.h>

#define LEAST 1e-6 /* part of the way below which steps are given up */

static PetscBool is_near(PetscReal value, PetscReal wanted)
{
  return PetscAbsReal(value - wanted) <= 1e-12 * PetscMax(PetscAbsReal(value), PetscAbsReal(wanted)) ? PETSC_TRUE
                                                                                                     : PETSC_FALSE;
}

PetscErrorCode RungWayGo(RungWay *way)
{
  const PetscReal sign   = way->to < way->value ? -1 : 1;
  PetscReal       before = way->value; /* where the solution before the last one is; value: there is none to go by */

  PetscFunctionBegin;
  way->lost = PETSC_FALSE;
  while (!is_near(way->value, way->to)) {
    const PetscReal value = way->value, left = PetscAbsReal(way->to - value);
    const PetscReal next = left <= way->step * (1 + 1e-9) ? way->to : value + sign * way->step;
    RungWayOutcome  outcome;

    PetscCall(way->find(way->ctx, next, value != before ? (next - value) / (value - before) : 0, &outcome));
    if (outcome == RUNG_WAY_ENDED) break;
    before = value;
    if (outcome == RUNG_WAY_NONE) {
      way->step = PetscAbsReal(next - value) / 2;
      way->lost = way->step > LEAST * way->all ? PETSC_FALSE : PETSC_TRUE;
      if (way->lost) break;
    } else {
      way->value = next;
      if (outcome == RUNG_WAY_EASY) way->step = PetscMin(way->most, 2 * way->step);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
