/* dense.c - values between the two newest levels.

   With theta = (t - t_n)/h and D = x_n+1 - x_n, the cubic that has the values x and the slopes x' of both ends:

       x(t) = x_n + theta h x'_n + theta^2 (3 D - h (2 x'_n + x'_n+1)) + theta^3 (h (x'_n + x'_n+1) - 2 D).

   The highest rate is its derivative, of order 2; of methods up to order 2 a straight line, which is as good and follows rates that jump. */
#include "step_impl.h"

/* weights of (x_n, x_n+1, x'_n, x'_n+1) */
static void hermite(PetscReal theta, PetscReal h, PetscReal c[4])
{
  const PetscReal p = theta * theta, q = p * theta;

  c[1] = 3 * p - 2 * q;
  c[0] = 1 - c[1];
  c[2] = h * (theta - 2 * p + q);
  c[3] = h * (q - p);
}

/* weights of the same of the cubic's derivative */
static void hermite_rate(PetscReal theta, PetscReal h, PetscReal c[4])
{
  const PetscReal p = theta * theta;

  c[1] = 6 * (theta - p) / h;
  c[0] = -c[1];
  c[2] = 1 - 4 * theta + 3 * p;
  c[3] = 3 * p - 2 * theta;
}

#define MOST_PLACES 8

/* Entries that the error mask leaves out have no rate to trust. */
PetscErrorCode RungStepperThrough(RungStepper stepper, PetscInt n, const PetscReal place[], const Vec value[],
                                  PetscReal theta, Vec x)
{
  const PetscScalar *given[MOST_PLACES], *mask;
  PetscScalar       *p;
  PetscReal          weight[MOST_PLACES];
  PetscInt           size;
  Vec                m;

  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCheck(n >= 1 && n <= MOST_PLACES, stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "a polynomial through %" PetscInt_FMT " places, wanted 1 to %d", n, MOST_PLACES);
  for (PetscInt j = 0; j < n; ++j) {
    PetscReal above = 1, below = 1;

    for (PetscInt i = 0; i < n; ++i) {
      if (i == j) continue;
      above *= theta - place[i];
      below *= place[j] - place[i];
    }
    weight[j] = above / below;
  }
  PetscCall(RungSystemGetErrorMask(stepper->sys, &m));
  PetscCall(VecGetLocalSize(x, &size));
  PetscCall(VecGetArrayRead(m, &mask));
  for (PetscInt j = 0; j < n; ++j) PetscCall(VecGetArrayRead(value[j], &given[j]));
  PetscCall(VecGetArray(x, &p));
  for (PetscInt i = 0; i < size; ++i) {
    if (PetscRealPart(mask[i]) != 0) continue;
    p[i] = 0;
    for (PetscInt j = 0; j < n; ++j) p[i] += weight[j] * given[j][i];
  }
  PetscCall(VecRestoreArray(x, &p));
  for (PetscInt j = 0; j < n; ++j) PetscCall(VecRestoreArrayRead(value[j], &given[j]));
  PetscCall(VecRestoreArrayRead(m, &mask));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperHermite(RungStepper stepper, const RungState *from, const RungState *to, PetscReal theta,
                                  PetscInt k, Vec u)
{
  const RungTraits *traits = &stepper->traits;
  const PetscReal   line[] = {1 - theta, theta, 0, 0}, h = to->t - from->t;
  const PetscInt    next = PetscMin(k + 1, traits->order), below = PetscMax(k - 1, 0);
  const PetscBool   curved = stepper->plan.order > 2 ? PETSC_TRUE : PETSC_FALSE;
  const Vec         x[4]   = {from->u[k], to->u[k], from->u[next], to->u[next]};
  const Vec         y[4]   = {from->u[below], to->u[below], from->u[k], to->u[k]};
  PetscReal         c[4], d[4];

  PetscFunctionBegin;
  RungNeed(stepper);
  hermite(theta, h, c);
  hermite_rate(theta, h, d);
  for (PetscInt f = 0; f < traits->unknowns; ++f) {
    const PetscInt order = traits->unknown_order[f];

    if (k == order && k && curved)
      PetscCall(RungCombineUnknown(stepper, f, u, 4, d, y));
    else
      PetscCall(RungCombineUnknown(stepper, f, u, 4, k < order ? c : line, x));
  }
  PetscCall(RungStepperThrough(stepper, 2, (PetscReal[]){0, 1}, x, theta, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperBetween(RungStepper stepper, const RungState *from, const RungState *to, PetscReal t,
                                  const Vec u[])
{
  const PetscReal place = (t - from->t) / (to->t - from->t);

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= stepper->traits.order; ++k) {
    if (stepper->ops->between)
      PetscCall(stepper->ops->between(stepper, from, to, place, k, u[k]));
    else
      PetscCall(RungStepperHermite(stepper, from, to, place, k, u[k]));
    if (stepper->dirichlet) PetscCall(RungSystemImposeDirichlet(stepper->sys, t, k, u[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperInterpolate(RungStepper stepper, PetscReal t, const Vec u[])
{
  const RungState *from, *to;

  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(RungStepperSetUp(stepper));
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &to));
  PetscCall(RungTransientSystemGetState(stepper->ts, 1, &from));
  PetscCheck(t >= from->t && t <= to->t, stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "values at t = %g, wanted a time between the two newest levels, %g and %g", (double)t, (double)from->t,
             (double)to->t);
  PetscCall(RungStepperBetween(stepper, from, to, t, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}
