/* weights_low.c - components that fall below their tolerance and grow again.

   An absolute tolerance that follows the largest value leaves what falls far below it to chance.  That is right of what has died out, and wrong of
   what grows again out of the little that was left: the bromous acid of the Oregonator falls from 1e5 to 1, infections from thousands to one.
   At points, where a component is a number of its own, values below their tolerance for some steps in a row that come back to a part of their
   largest are kept in mind, and the end of a run tells. */
#include "weights_impl.h"
#include <rungtext_room.h>

#define STEPS 5   /* in a row: what swings through 0 is not there for as long */
#define BACK  0.1 /* of the largest value                                     */

struct _RungLow {
  PetscInt  steps;        /* in a row that have ended below the tolerance            */
  PetscBool up;           /* the value has been above it: what begins has not fallen */
  PetscBool deep, rose;   /* they were STEPS; and the value has come back since then */
  PetscReal least, below; /* the smallest value of those, and its tolerance          */
};

/* Unknowns at points have entries of it, as many as RUNG_MAX_PARTS in all. */
PetscErrorCode RungWeightsCreateLow(RungWeights weights)
{
  PetscFunctionBegin;
  weights->lows = 0;
  for (PetscInt f = 0; f < weights->n; ++f) {
    RungWeighedUnknown *unknown = &weights->unknown[f];

    if (!unknown->points || weights->lows + unknown->components > RUNG_MAX_PARTS) continue;
    PetscCall(PetscCalloc1(unknown->components, &unknown->low));
    weights->lows += unknown->components;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* most[]: the largest |u| of each component in a level, of all ranks */
static PetscErrorCode find_level(RungWeights weights, const RungState *level, PetscReal most[])
{
  const PetscScalar *x;
  PetscReal         *next = most;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(most, weights->lows));
  PetscCall(VecGetArrayRead(level->u[0], &x));
  for (PetscInt f = 0; f < weights->n; ++f) {
    const RungWeighedUnknown *unknown = &weights->unknown[f];

    for (PetscInt i = unknown->start; i < unknown->end && unknown->low; i += unknown->components)
      for (PetscInt c = 0; c < unknown->components; ++c) next[c] = PetscMax(next[c], PetscAbsScalar(x[i + c]));
    if (unknown->low) next += unknown->components;
  }
  PetscCall(VecRestoreArrayRead(level->u[0], &x));
  if (weights->ranks > 1)
    PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, most, (PetscMPIInt)weights->lows, MPIU_REAL, MPIU_MAX, RungSystemComm(weights->sys)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void watch(struct _RungLow *low, PetscReal value, PetscReal atol, PetscReal size)
{
  if (value > 0 && value >= atol) low->up = PETSC_TRUE;
  if (low->up && value > 0 && value < atol) {
    if (!low->steps || value < low->least) {
      low->least = value;
      low->below = atol;
    }
    if (++low->steps >= STEPS) low->deep = PETSC_TRUE;
    return;
  }
  if (low->deep && value > BACK * size) low->rose = PETSC_TRUE;
  if (!low->deep) low->steps = 0;
}

PetscErrorCode RungWeightsWatchLow(RungWeights weights, const RungState *level)
{
  PetscReal most[RUNG_MAX_PARTS], *next = most;

  PetscFunctionBegin;
  if (!weights->lows || weights->given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_level(weights, level, most));
  for (PetscInt f = 0; f < weights->n; ++f) {
    const RungWeighedUnknown *unknown = &weights->unknown[f];

    for (PetscInt c = 0; c < unknown->components && unknown->low; ++c) {
      PetscReal rtol, atol;

      RungWeightsGet(weights, f, 0, c, &rtol, &atol);
      if (unknown->atol[0][c] < 0 && rtol > 0) watch(&unknown->low[c], next[c], atol, atol / rtol);
    }
    if (unknown->low) next += unknown->components;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWeightsTellLow(RungWeights weights, char text[], size_t size)
{
  PetscFunctionBegin;
  RungNeed(weights);
  text[0] = 0;
  for (PetscInt f = 0; f < weights->n && !text[0]; ++f) {
    const RungWeighedUnknown *unknown = &weights->unknown[f];
    const char               *name;
    char                      place[32] = "";

    PetscCall(RungSystemGetUnknown(weights->sys, f, &name, NULL));
    for (PetscInt c = 0; c < unknown->components && unknown->low; ++c) {
      const struct _RungLow low = unknown->low[c];

      if (!low.rose) continue; /* a value that is down may come back in the next run */
      unknown->low[c].rose = unknown->low[c].deep = PETSC_FALSE;
      if (text[0]) continue; /* one word for an unknown is enough */
      if (unknown->components > 1) (void)snprintf(place, sizeof place, "[%ld]", (long)c);
      PetscCall(
        PetscSNPrintf(text, size,
                      "%s%s fell to %.2g, below its absolute tolerance of %.2g that follows its largest value, and "
                      "grew again: what it does down there is not resolved; say \"tolerances REL ABS %s%s\"",
                      name, place, (double)low.least, (double)low.below, name, place));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
