/* dense.c - values between the two newest levels.

   With theta = (t - t_n)/h and D = x_n+1 - x_n, the cubic that has the values x and the slopes x' of both ends:

       x(t) = x_n + theta h x'_n + theta^2 (3 D - h (2 x'_n + x'_n+1)) + theta^3 (h (x'_n + x'_n+1) - 2 D) */
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

/* x = sum_j weight_j value_j for entries that the error mask leaves out: they have no rate to trust. */
static PetscErrorCode mend(RungStepper stepper, PetscInt n, const PetscReal weight[], const Vec value[], Vec x)
{
  const PetscScalar *given[3], *mask;
  PetscScalar       *p;
  PetscInt           size;
  Vec                m;

  PetscFunctionBegin;
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

/* Values: the parabola through (0, x0), (c, x_c), (1, x1) with the method's own x_c; without one, and of rates, the line. */
static PetscErrorCode straighten(RungStepper stepper, PetscInt k, PetscReal theta, const RungState *from,
                                 const RungState *to, Vec x)
{
  PetscReal c = 0;
  Vec       middle;

  PetscFunctionBegin;
  if (k == 0 && stepper->algebraic && stepper->ops->middle) {
    PetscCall(RungSystemCreateVec(stepper->sys, &middle));
    PetscCall(stepper->ops->middle(stepper, from, to, &c, middle));
    if (c > 0) {
      const PetscReal weight[3] = {(theta - c) * (theta - 1) / c, theta * (theta - 1) / (c * (c - 1)),
                                   theta * (theta - c) / (1 - c)};

      PetscCall(mend(stepper, 3, weight, (Vec[]){from->u[0], middle, to->u[0]}, x));
    }
    PetscCall(VecDestroy(&middle));
  }
  if (c == 0) PetscCall(mend(stepper, 2, (PetscReal[]){1 - theta, theta}, (Vec[]){from->u[k], to->u[k]}, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperInterpolate(RungStepper stepper, PetscReal t, const Vec u[])
{
  const RungState *from, *to;
  PetscReal        h, theta, c[4];

  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(RungStepperSetUp(stepper));
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &to));
  PetscCall(RungTransientSystemGetState(stepper->ts, 1, &from));
  PetscCheck(t >= from->t && t <= to->t, stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "values at t = %g, wanted a time between the two newest levels, %g and %g", (double)t, (double)from->t,
             (double)to->t);
  h     = to->t - from->t;
  theta = (t - from->t) / h;
  hermite(theta, h, c);
  for (PetscInt k = 0; k <= stepper->traits.order; ++k) {
    for (PetscInt f = 0; f < stepper->traits.unknowns; ++f) {
      const PetscInt next    = PetscMin(k + 1, stepper->traits.order);
      const Vec      x[4]    = {from->u[k], to->u[k], from->u[next], to->u[next]};
      PetscReal      line[4] = {1 - theta, theta, 0, 0};

      PetscCall(RungCombineUnknown(stepper, f, u[k], 4, k < stepper->traits.unknown_order[f] ? c : line, x));
    }
    PetscCall(straighten(stepper, k, theta, from, to, u[k]));
    if (stepper->dirichlet) PetscCall(RungSystemImposeDirichlet(stepper->sys, t, k, u[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
