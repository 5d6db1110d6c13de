/* differences.h - derivatives of F by differences of order 4, along a vector and along t. */
#pragma once

#include "vectors.h"
#include <check.h>
#include <rungsystem_method.h>

#define DIFFERENCE 1e-3

/* p[k] = u[k] + sigma_k d x, unknown by unknown */
static inline PetscErrorCode move_along(RungSystem sys, const Vec u[], const PetscReal sigma[], PetscReal d, Vec x,
                                        Vec p[])
{
  RungTraits traits;

  PetscFunctionBegin;
  PetscCall(RungSystemGetTraits(sys, &traits));
  for (PetscInt k = 0; k <= traits.order; ++k) {
    const PetscScalar *from;
    PetscScalar       *to;
    PetscInt           start, end;

    PetscCall(VecCopy(u[k], p[k]));
    PetscCall(VecGetArrayRead(x, &from));
    PetscCall(VecGetArray(p[k], &to));
    for (PetscInt f = 0; f < traits.unknowns; ++f) {
      PetscCall(RungSystemGetRange(sys, f, &start, &end));
      for (PetscInt i = start; i < end; ++i) to[i] += d * sigma[k * traits.unknowns + f] * from[i];
    }
    PetscCall(VecRestoreArray(p[k], &to));
    PetscCall(VecRestoreArrayRead(x, &from));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (8 (F(d) - F(-d)) - (F(2d) - F(-2d)))/12d of a function like RungSystemResidual(), along x with the weights sigma,
   or with x NULL along t */
static inline PetscErrorCode differ_by(PetscErrorCode (*F)(RungSystem, PetscReal, const Vec[], Vec), RungSystem sys,
                                       PetscReal t, const Vec u[], const PetscReal sigma[], Vec x, Vec r)
{
  const PetscReal step[] = {DIFFERENCE, -DIFFERENCE, 2 * DIFFERENCE, -2 * DIFFERENCE}, weight[] = {8, -8, -1, 1};
  Vec             p[3], y;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(r));
  PetscCall(VecDuplicate(r, &y));
  for (int k = 0; k < 3; ++k) PetscCall(VecDuplicate(r, &p[k]));
  for (int i = 0; i < 4; ++i) {
    if (x) PetscCall(move_along(sys, u, sigma, step[i], x, p));
    PetscCall(F(sys, x ? t : t + step[i], x ? p : u, y));
    PetscCall(VecAXPY(r, weight[i] / (12 * DIFFERENCE), y));
  }
  for (int k = 0; k < 3; ++k) PetscCall(VecDestroy(&p[k]));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode differ(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Vec x, Vec r)
{
  PetscFunctionBegin;
  PetscCall(differ_by(RungSystemResidual, sys, t, u, sigma, x, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode check_same(Vec found, Vec wanted)
{
  PetscReal norm, distance;

  PetscFunctionBegin;
  PetscCall(VecNorm(wanted, NORM_INFINITY, &norm));
  PetscCall(vec_distance(found, wanted, &distance));
  CHECK(norm > 1e-4);
  CHECK_NEAR(distance, 0, 1e-9 * PetscMax(1, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
