/* conserving.h - rho(u)' = exchange between two entries, rho = u + u^3: what is lost here is gained there. */
#pragma once

#include "ode.h"

/* R = -f:  entry 0 gives u0 - u1 to entry 1 */
static inline PetscErrorCode exchange(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  const PetscScalar *y;
  PetscScalar       *f;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecGetArrayRead(u[0], &y));
  PetscCall(VecGetArrayWrite(r, &f));
  f[0] = y[0] - y[1];
  f[1] = y[1] - y[0];
  PetscCall(VecRestoreArrayWrite(r, &f));
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode exchange_jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[],
                                               Mat J, void *ctx)
{
  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx, (void)u;
  for (PetscInt i = 0; i < 2; ++i) {
    for (PetscInt j = 0; j < 2; ++j) PetscCall(ode_add(J, i, j, i == j ? sigma[0] : -sigma[0]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode density(RungSystem sys, PetscReal t, Vec u, Vec m, void *ctx)
{
  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecPointwiseMult(m, u, u));
  PetscCall(VecShift(m, 1));
  PetscCall(VecPointwiseMult(m, m, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode density_jacobian(RungSystem sys, PetscReal t, Vec u, PetscReal sigma, Mat J, void *ctx)
{
  const PetscScalar *y;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecGetArrayRead(u, &y));
  for (PetscInt i = 0; i < 2; ++i) PetscCall(ode_add(J, i, i, sigma * (1 + 3 * y[i] * y[i])));
  PetscCall(VecRestoreArrayRead(u, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode two_initial(RungSystem sys, PetscReal t, PetscInt k, Vec u, void *ctx)
{
  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecSet(u, 0));
  if (k) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecSetValue(u, 0, 1.5, INSERT_VALUES));
  PetscCall(VecSetValue(u, 1, 0.2, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(u));
  PetscCall(VecAssemblyEnd(u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline Ode conserving_ode(void)
{
  return (Ode){"exchange", 1, PETSC_FALSE, exchange, exchange_jacobian, two_initial, 2, {0}, PETSC_FALSE};
}

static inline double total(const PetscReal y[2])
{
  return y[0] + pow(y[0], 3) + y[1] + pow(y[1], 3);
}
