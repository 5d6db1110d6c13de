/* ode_problems.h - small systems of C functions that the tests of this room share. */
#pragma once

#include <rungsystem.h>

/* ---- oscillator: u'' + u = 0, order 2 ---------------------------------------------------------------------------- */

static inline PetscErrorCode oscillator_residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecWAXPY(r, 1, u[0], u[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode oscillator_jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[],
                                                 Mat J, void *ctx)
{
  PetscInt start, end;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)u, (void)ctx;
  PetscCall(MatGetOwnershipRange(J, &start, &end));
  for (PetscInt i = start; i < end; ++i) PetscCall(MatSetValue(J, i, i, sigma[0] + sigma[2], INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u_i(0) = 1 + i, u_i'(0) = -i */
static inline PetscErrorCode oscillator_initial(RungSystem sys, PetscReal t, PetscInt k, Vec u, void *ctx)
{
  PetscInt start, end;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecGetOwnershipRange(u, &start, &end));
  for (PetscInt i = start; i < end; ++i) {
    PetscCall(VecSetValue(u, i, k ? -(PetscReal)i : 1 + (PetscReal)i, INSERT_VALUES));
  }
  PetscCall(VecAssemblyBegin(u));
  PetscCall(VecAssemblyEnd(u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* `local` oscillators on each rank */
static inline PetscErrorCode oscillator_create(PetscInt local, RungSystem *sys)
{
  const RungTraits traits = {.unknowns = 1, .order = 2, .linear = PETSC_TRUE, .constant_jacobian = PETSC_TRUE};

  PetscFunctionBegin;
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemSetCallbacks(*sys, local, traits, oscillator_residual, oscillator_jacobian, NULL));
  PetscCall(RungSystemSetInitialCallback(*sys, oscillator_initial));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- any F of n numbers on one rank, by plain arrays ---------------------------------------------------------------
 */

/* r[n] = F(t, u, u', u''); u[k][n] */
typedef void OdeFn(PetscReal t, const PetscScalar *const u[], PetscScalar r[]);

typedef struct {
  PetscInt         n, order;
  OdeFn           *function;
  const PetscReal *initial;      /* [k][n] */
  const PetscReal *differential; /* [n] 1 or 0; NULL: all 1 */
  PetscBool        linear;
  PetscBool        exact; /* F is linear with constant coefficients: its Jacobian is taken column by column, exactly */
} Ode;

static inline PetscErrorCode ode_residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  const Ode         *ode                   = ctx;
  const PetscScalar *x[RUNG_MAX_ORDER + 1] = {NULL, NULL, NULL};
  PetscScalar       *y;

  PetscFunctionBegin;
  (void)sys;
  for (PetscInt k = 0; k <= ode->order; ++k) PetscCall(VecGetArrayRead(u[k], &x[k]));
  PetscCall(VecGetArrayWrite(r, &y));
  ode->function(t, x, y);
  PetscCall(VecRestoreArrayWrite(r, &y));
  for (PetscInt k = 0; k <= ode->order; ++k) PetscCall(VecRestoreArrayRead(u[k], &x[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode ode_initial(RungSystem sys, PetscReal t, PetscInt k, Vec u, void *ctx)
{
  const Ode *ode = ctx;

  PetscFunctionBegin;
  (void)sys, (void)t;
  for (PetscInt i = 0; i < ode->n; ++i) PetscCall(VecSetValue(u, i, ode->initial[k * ode->n + i], INSERT_VALUES));
  PetscCall(VecAssemblyBegin(u));
  PetscCall(VecAssemblyEnd(u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Column j of dF/du^(k) is F(e_j) - F(0). */
static inline PetscErrorCode ode_jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J,
                                          void *ctx)
{
  const Ode         *ode                      = ctx;
  PetscScalar        x[RUNG_MAX_ORDER + 1][8] = {{0}}, origin[8], column[8];
  const PetscScalar *at[RUNG_MAX_ORDER + 1]   = {x[0], x[1], x[2]};

  PetscFunctionBegin;
  (void)sys, (void)u;
  ode->function(t, at, origin);
  for (PetscInt k = 0; k <= ode->order; ++k) {
    for (PetscInt j = 0; j < ode->n; ++j) {
      x[k][j] = 1;
      ode->function(t, at, column);
      x[k][j] = 0;
      for (PetscInt i = 0; i < ode->n; ++i) {
        PetscCall(MatSetValue(J, i, j, sigma[k] * (column[i] - origin[i]), ADD_VALUES));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Jacobian by differences unless ode->exact.  ode is lent; n <= 8. */
static inline PetscErrorCode ode_create(const Ode *ode, RungSystem *sys)
{
  const RungTraits traits = {.unknowns = 1, .order = ode->order, .linear = ode->linear};

  PetscFunctionBegin;
  PetscCall(RungSystemCreate(PETSC_COMM_SELF, sys));
  PetscCall(RungSystemSetCallbacks(*sys, ode->n, traits, ode_residual, ode->exact ? ode_jacobian : NULL, (void *)ode));
  PetscCall(RungSystemSetInitialCallback(*sys, ode_initial));
  if (ode->differential) {
    Vec mask;

    PetscCall(VecCreateSeq(PETSC_COMM_SELF, ode->n, &mask));
    for (PetscInt i = 0; i < ode->n; ++i) PetscCall(VecSetValue(mask, i, ode->differential[i], INSERT_VALUES));
    PetscCall(VecAssemblyBegin(mask));
    PetscCall(VecAssemblyEnd(mask));
    PetscCall(RungSystemSetDifferential(*sys, mask));
    PetscCall(VecDestroy(&mask));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
