/* dense.c - values between the two newest levels.

   With theta = (t - t_n)/h and D = x_n+1 - x_n, the cubic that has the values x and the slopes x' of both ends:

       x(t) = x_n + theta h x'_n + theta^2 (3 D - h (2 x'_n + x'_n+1)) + theta^3 (h (x'_n + x'_n+1) - 2 D).

   Methods of order 5 and more keep one level more, x_b at theta_b < 0, and the quartic through it is the cubic H and

       (x_b - H(theta_b)) q(theta) / q(theta_b),  q = theta^2 (1 - theta)^2.

   The highest rate is their derivative, of order 2 or 3; of methods up to order 2 a straight line, which is as good and follows rates that jump. */
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

/* weights of the same and of x_b, of the quartic or of its derivative */
static void through_before(PetscReal theta, PetscReal before, PetscReal h, PetscBool rate, PetscReal c[5])
{
  const PetscReal q = PetscSqr(theta * (1 - theta)), slope = 2 * theta * (1 - theta) * (1 - 2 * theta) / h;
  PetscReal       there[4];

  hermite(before, h, there);
  c[4] = (rate ? slope : q) / PetscSqr(before * (1 - before));
  for (int i = 0; i < 4; ++i) c[i] -= c[4] * there[i];
}

#define FAR  5   /* a step that was so many times as long tells little of this one         */
#define NEAR 0.2 /* .. and the differences of one so short are rounding and errors of steps */

/* The level before `from` where the method has a use for it, NULL: none. */
static PetscErrorCode find_before(RungStepper stepper, const RungState *from, const RungState *to,
                                  const RungState **before)
{
  const RungState *state;
  PetscInt         levels;
  PetscReal        ratio;

  PetscFunctionBegin;
  *before = NULL;
  PetscCall(RungTransientSystemGetLevels(stepper->ts, &levels));
  for (PetscInt i = 0; i + 1 < levels && RungKeepsBefore(&stepper->plan); ++i) {
    PetscCall(RungTransientSystemPeekState(stepper->ts, i, &state));
    if (state == from) PetscCall(RungTransientSystemPeekState(stepper->ts, i + 1, before));
  }
  if (!*before) PetscFunctionReturn(PETSC_SUCCESS);
  ratio = (from->t - (*before)->t) / (to->t - from->t);
  if (!(ratio >= NEAR && ratio <= FAR)) *before = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define MOST_PLACES 8

/* Entries that the error mask leaves out have no rate to trust. */
PetscErrorCode RungStepperThrough(RungStepper stepper, PetscInt n, const PetscReal place[], const Vec value[],
                                  PetscReal theta, Vec u)
{
  const PetscScalar *given[MOST_PLACES], *mask;
  PetscScalar       *p;
  PetscReal          weight[MOST_PLACES];
  PetscInt           size;
  Vec                m;

  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeedArgument(place);
  RungNeedArgument(value);
  RungNeed(u);
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
  PetscCall(VecGetLocalSize(u, &size));
  PetscCall(VecGetArrayRead(m, &mask));
  for (PetscInt j = 0; j < n; ++j) PetscCall(VecGetArrayRead(value[j], &given[j]));
  PetscCall(VecGetArray(u, &p));
  for (PetscInt i = 0; i < size; ++i) {
    if (PetscRealPart(mask[i]) != 0) continue;
    p[i] = 0;
    for (PetscInt j = 0; j < n; ++j) p[i] += weight[j] * given[j][i];
  }
  PetscCall(VecRestoreArray(u, &p));
  for (PetscInt j = 0; j < n; ++j) PetscCall(VecRestoreArrayRead(value[j], &given[j]));
  PetscCall(VecRestoreArrayRead(m, &mask));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperHermite(RungStepper stepper, const RungState *from, const RungState *to, PetscReal theta,
                                  PetscInt k, Vec u)
{
  RungNeed(stepper);
  RungNeedArgument(from);
  RungNeedArgument(to);
  RungNeed(u);
  const RungTraits *traits = &stepper->traits;
  const PetscReal   line[] = {1 - theta, theta}, h = to->t - from->t;
  const PetscInt    next = PetscMin(k + 1, traits->order), below = PetscMax(k - 1, 0);
  const PetscBool   curved = stepper->plan.order > 2 ? PETSC_TRUE : PETSC_FALSE;
  const RungState  *before;
  Vec               x[5] = {from->u[k], to->u[k], from->u[next], to->u[next]};
  Vec               y[5] = {from->u[below], to->u[below], from->u[k], to->u[k]};
  PetscReal         c[5], d[5];
  PetscInt          n = 4;

  PetscFunctionBegin;
  hermite(theta, h, c);
  hermite_rate(theta, h, d);
  PetscCall(find_before(stepper, from, to, &before));
  if (before) {
    through_before(theta, (before->t - from->t) / h, h, PETSC_FALSE, c);
    through_before(theta, (before->t - from->t) / h, h, PETSC_TRUE, d);
    x[4] = before->u[k];
    y[4] = before->u[below];
    n    = 5;
  }
  for (PetscInt f = 0; f < traits->unknowns; ++f) {
    const PetscInt order = traits->unknown_order[f];

    if (k == order && k && curved)
      PetscCall(RungCombineUnknown(stepper, f, u, n, d, y));
    else
      PetscCall(RungCombineUnknown(stepper, f, u, k < order ? n : 2, k < order ? c : line, x));
  }
  PetscCall(RungStepperThrough(stepper, 2, (PetscReal[]){0, 1}, x, theta, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RungKeepsBefore(const RungMethodPlan *plan)
{
  return plan->order > 4 && !plan->dense ? PETSC_TRUE : PETSC_FALSE;
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
  for (PetscInt k = 0; k <= stepper->traits.order; ++k)
    PetscCheck(u && u[k], stepper->comm, PETSC_ERR_ARG_NULL,
               "no place for values between levels in u[%" PetscInt_FMT
               "]; wanted Vecs of RungSystemCreateVec() for k = 0 "
               ".. %" PetscInt_FMT,
               k, stepper->traits.order);
  for (PetscInt k = 0; k <= stepper->traits.order; ++k)
    PetscCall(RungSystemCheckVec(stepper->sys, u[k], "a place for values between levels"));
  for (PetscInt k = 1; k <= stepper->traits.order; ++k)
    for (PetscInt i = 0; i < k; ++i)
      PetscCheck(u[i] != u[k], stepper->comm, PETSC_ERR_ARG_IDN,
                 "values between levels in one Vec u[%" PetscInt_FMT "] = u[%" PetscInt_FMT "]; wanted a Vec for each",
                 i, k);
  PetscCall(RungStepperBetween(stepper, from, to, t, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}
