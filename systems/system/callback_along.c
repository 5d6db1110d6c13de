/* callback_along.c - functions of callback systems differentiated along one direction, and by t: central differences.

   The step along a direction is relative to what it moves.  How fast F changes with t nobody says: a first guess is a step of the run, or the
   time in which u changes.  Shorter steps follow until two neighbouring results do not come nearer any more; where the first two were the
   nearest, and rounding is what parts them, longer ones do. */
#include "callback_impl.h"

#define SHORTER 8     /* than the step before, or longer                                            */
#define STEPS   32    /* at most                                                                    */
#define NEAR    1e-6  /* relative: from here on a result that is not nearer is the end              */
#define ENOUGH  1e-10 /* .. and from here on no longer steps are tried: central differences end there */

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

/* The time over which F may change: `within`, if somebody knows one. */
static PetscErrorCode first_step(RungSystem sys, PetscReal t, PetscReal within, const Vec u[], PetscReal *d)
{
  PetscReal value, rate = 0;

  PetscFunctionBegin;
  if (within > 0) {
    *d = PetscMax(within, 1e5 * PETSC_MACHINE_EPSILON * PetscAbsReal(t));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
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

/* Two results, cb->value and the one before in cb->point[0], d the shorter of their steps:  off, how far they are apart and rounding may have
   moved them, rounding alone, both over the larger of the two.  Rounding is that of the rows that changed: of F that t does not change
   differences are 0.  Infinite where a side is outside of what F is defined for. */
static PetscErrorCode compare(RungSystem sys, PetscReal d, PetscReal *off, PetscReal *rounding)
{
  RungCallbackSide   cb         = sys->callback;
  PetscReal          largest[3] = {0, 0, 0}; /* of results, of their distances, of rounding */
  const PetscScalar *now, *before, *F;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(cb->value, &now));
  PetscCall(VecGetArrayRead(cb->point[0], &before));
  PetscCall(VecGetArrayRead(cb->shifted, &F));
  for (PetscInt i = 0; i < sys->local; ++i) {
    const PetscReal size     = PetscMax(PetscAbsScalar(now[i]), PetscAbsScalar(before[i]));
    PetscReal       distance = PetscAbsScalar(now[i] - before[i]);

    if (PetscIsInfOrNanReal(distance)) distance = PETSC_INFINITY;
    largest[0] = PetscMax(largest[0], size);
    largest[1] = PetscMax(largest[1], distance);
    if (size != 0) largest[2] = PetscMax(largest[2], PETSC_MACHINE_EPSILON * PetscAbsScalar(F[i]) / d);
  }
  PetscCall(VecRestoreArrayRead(cb->shifted, &F));
  PetscCall(VecRestoreArrayRead(cb->point[0], &before));
  PetscCall(VecRestoreArrayRead(cb->value, &now));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, largest, 3, MPIU_REAL, MPI_MAX, sys->comm));
  *off = *rounding = 0;
  if (largest[1] == PETSC_INFINITY)
    *off = PETSC_INFINITY;
  else if (largest[0] > 0) {
    *off      = (largest[1] + largest[2]) / largest[0];
    *rounding = largest[2] / largest[0];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps d, d factor, d factor^2, ..: r is the result that is least off, if that is less than *least.  *first: it is that of the
   first two. */
static PetscErrorCode walk(RungSystem sys, RungDifferencedFn *function, PetscReal t, const Vec u[], PetscReal d,
                           PetscReal factor, PetscReal *least, PetscBool *first, Vec r)
{
  RungCallbackSide cb = sys->callback;
  PetscReal        off, rounding;

  PetscFunctionBegin;
  PetscCall(difference(sys, function, t, u, d, cb->value));
  for (int step = 1; step < STEPS; ++step) {
    const PetscReal before = d;

    d *= factor;
    if (d < 64 * PETSC_MACHINE_EPSILON * PetscAbsReal(t)) break;
    PetscCall(VecCopy(cb->value, cb->point[0]));
    PetscCall(difference(sys, function, t, u, d, cb->value));
    PetscCall(compare(sys, PetscMin(d, before), &off, &rounding));
    if (off < *least) {
      PetscCall(VecCopy(cb->value, r));
      *least = off;
      *first = step == 1 ? PETSC_TRUE : PETSC_FALSE;
    } else if (*least <= NEAR || factor > 1)
      break;
    if (*least == 0 || (factor < 1 && rounding >= *least)) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCallbackTimeDerivative(RungSystem sys, RungDifferencedFn *function, PetscReal t, PetscReal within,
                                          const Vec u[], Vec r)
{
  PetscReal least = PETSC_INFINITY, d;
  PetscBool first = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(first_step(sys, t, within, u, &d));
  d /= SHORTER;
  PetscCall(VecZeroEntries(r));
  PetscCall(walk(sys, function, t, u, d, 1. / SHORTER, &least, &first, r));
  if (first && least > ENOUGH) PetscCall(walk(sys, function, t, u, d, SHORTER, &least, &first, r));
  if (least == PETSC_INFINITY) PetscCall(VecCopy(sys->callback->value, r)); /* not finite */
  PetscFunctionReturn(PETSC_SUCCESS);
}
