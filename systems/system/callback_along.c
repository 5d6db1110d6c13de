/* callback_along.c - functions of callback systems differentiated along one direction, and by t: central differences.

   The step along a direction is relative to what it moves.  How fast F changes with t nobody says: a first guess is the time in
   which u changes, and shorter steps follow until two neighbouring results do not come nearer any more. */
#include "callback_impl.h"

#define SHORTER 8    /* than the step before                                        */
#define STEPS   16   /* at most                                                     */
#define NEAR    1e-6 /* relative: from here on a result that is not nearer is the end */

/* delta with |sigma_k delta x| = eps^(1/3) |u^(k)| for the first k that moves; a vector of zeros has the size of the values, or
   1.  0: nothing moves. */
static PetscErrorCode find_step(RungSystem sys, const Vec u[], const PetscReal sigma[], Vec x, PetscReal *delta)
{
  PetscReal length, size = 0, of;
  PetscInt  k = 0;

  PetscFunctionBegin;
  *delta = 0;
  while (k <= sys->traits.order && sigma[k] == 0) ++k;
  if (k > sys->traits.order) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecNorm(x, NORM_INFINITY, &length));
  if (length == 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i <= k; i += PetscMax(k, 1)) { /* of the values, and of u^(k) */
    PetscCall(VecNorm(u[i], NORM_INFINITY, &of));
    size = PetscMax(size, of);
  }
  *delta = PetscCbrtReal(PETSC_MACHINE_EPSILON) * (size > 0 ? size : 1) / (PetscAbsReal(sigma[k]) * length);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* cb->point[k] = u^(k) + sigma_k delta x */
static PetscErrorCode move_along(RungSystem sys, const Vec u[], const PetscReal sigma[], PetscReal delta, Vec x)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k <= sys->traits.order; ++k)
    PetscCall(VecWAXPY(sys->callback->point[k], sigma[k] * delta, x, u[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCallbackAddAlong(RungSystem sys, RungDifferencedFn *function, PetscReal t, const Vec u[],
                                    const PetscReal sigma[], Vec x, Vec y)
{
  RungCallbackSide cb = sys->callback;
  PetscReal        delta;

  PetscFunctionBegin;
  PetscCall(find_step(sys, u, sigma, x, &delta));
  if (delta == 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (int side = -1; side <= 1; side += 2) {
    PetscCall(move_along(sys, u, sigma, side * delta, x));
    PetscCall(function(sys, t, cb->point, cb->shifted));
    PetscCall(VecAXPY(y, side / (2 * delta), cb->shifted));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- by t ---------------------------------------------------------------------------------------------------------- */

static PetscErrorCode first_step(RungSystem sys, PetscReal t, const Vec u[], PetscReal *d)
{
  PetscReal value, rate = 0;

  PetscFunctionBegin;
  PetscCall(VecNorm(u[0], NORM_INFINITY, &value));
  if (sys->traits.order > 0) PetscCall(VecNorm(u[1], NORM_INFINITY, &rate));
  *d = value > 0 && rate > 0 ? value / rate : PetscMax(PetscAbsReal(t), 1);
  if (PetscIsInfOrNanReal(*d)) *d = 1;
  *d = PetscMax(*d,
                1e-4 * PetscAbsReal(t)); /* u that goes through zero tells nothing, and t + d must be another time */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* to = (F(t + d) - F(t - d))/2d; d becomes the step that numbers near t have */
static PetscErrorCode difference(RungSystem sys, RungDifferencedFn *function, PetscReal t, const Vec u[], PetscReal d,
                                 Vec to)
{
  volatile const PetscReal before = t - d, after = t + d;

  PetscFunctionBegin;
  PetscCall(function(sys, before, u, sys->callback->shifted));
  PetscCall(function(sys, after, u, to));
  PetscCall(VecAXPY(to, -1, sys->callback->shifted));
  PetscCall(VecScale(to, 1 / (after - before)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCallbackTimeDerivative(RungSystem sys, RungDifferencedFn *function, PetscReal t, const Vec u[],
                                          Vec r)
{
  RungCallbackSide cb   = sys->callback;
  PetscReal        best = PETSC_INFINITY, d, size, distance;
  PetscBool        near = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(first_step(sys, t, u, &d));
  d /= SHORTER;
  PetscCall(difference(sys, function, t, u, d, cb->value));
  PetscCall(VecCopy(cb->value, r));
  for (int step = 1; step < STEPS; ++step) {
    d /= SHORTER;
    if (d < 64 * PETSC_MACHINE_EPSILON * PetscAbsReal(t)) break;
    PetscCall(VecCopy(cb->value, cb->point[0])); /* the one before */
    PetscCall(difference(sys, function, t, u, d, cb->value));
    PetscCall(VecAXPY(cb->point[0], -1, cb->value));
    PetscCall(VecNorm(cb->point[0], NORM_INFINITY, &distance));
    PetscCall(VecNorm(cb->value, NORM_INFINITY, &size));
    if (distance >= best && near) break;
    if (!(distance < best)) continue; /* nor where a side is outside of what F is defined for */
    PetscCall(VecCopy(cb->value, r));
    best = distance;
    near = distance <= NEAR * size ? PETSC_TRUE : PETSC_FALSE;
    if (distance == 0) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
