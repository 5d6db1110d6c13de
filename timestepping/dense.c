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

/* Entries that the error mask leaves out have no rate to trust: a straight line there. */
static PetscErrorCode straighten(RungStepper stepper, PetscReal theta, Vec x0, Vec x1, Vec x)
{
  const PetscScalar *p0, *p1, *pm;
  PetscScalar       *p;
  PetscInt           n;
  Vec                mask;

  PetscFunctionBegin;
  PetscCall(RungSystemGetErrorMask(stepper->sys, &mask));
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(mask, &pm));
  PetscCall(VecGetArrayRead(x0, &p0));
  PetscCall(VecGetArrayRead(x1, &p1));
  PetscCall(VecGetArray(x, &p));
  for (PetscInt i = 0; i < n; ++i) {
    if (PetscRealPart(pm[i]) == 0) p[i] = (1 - theta) * p0[i] + theta * p1[i];
  }
  PetscCall(VecRestoreArray(x, &p));
  PetscCall(VecRestoreArrayRead(x1, &p1));
  PetscCall(VecRestoreArrayRead(x0, &p0));
  PetscCall(VecRestoreArrayRead(mask, &pm));
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
    PetscCall(straighten(stepper, theta, from->u[k], to->u[k], u[k]));
    if (stepper->dirichlet) PetscCall(RungSystemImposeDirichlet(stepper->sys, t, k, u[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
