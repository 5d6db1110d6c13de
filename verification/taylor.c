/* taylor.c - the derivative test of a system's Jacobian. */
#include "verify_impl.h"

#define STEPS 5

/* A fixed direction of size one at every free dof; smooth enough for nonlinear forms, different at every dof. */
static PetscErrorCode direction(Vec d)
{
  PetscInt     start, end;
  PetscScalar *array;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(d, &start, &end));
  PetscCall(VecGetArray(d, &array));
  for (PetscInt i = 0; i < end - start; ++i) array[i] = PetscSinReal(1 + 0.7 * (PetscReal)(start + i));
  PetscCall(VecRestoreArray(d, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Zero where J is a row of the identity because of Dirichlet data. */
static PetscErrorCode free_only(RungSystem sys, Vec d)
{
  PetscBool       has;
  IS              rows;
  Vec             values;
  PetscInt        n, start;
  const PetscInt *row;
  PetscScalar    *array;

  PetscFunctionBegin;
  PetscCall(RungSystemHasDirichlet(sys, &has));
  if (!has) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemGetDirichlet(sys, 0, 0, &rows, &values));
  PetscCall(ISGetLocalSize(rows, &n));
  PetscCall(ISGetIndices(rows, &row));
  PetscCall(VecGetOwnershipRange(d, &start, NULL));
  PetscCall(VecGetArray(d, &array));
  for (PetscInt i = 0; i < n; ++i) array[row[i] - start] = 0;
  PetscCall(VecRestoreArray(d, &array));
  PetscCall(ISRestoreIndices(rows, &row));
  PetscCall(ISDestroy(&rows));
  PetscCall(VecDestroy(&values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTaylorTest(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], PetscReal *rate)
{
  RungTraits traits;
  Vec        moved[RUNG_MAX_ORDER + 1] = {NULL, NULL, NULL}, d, r0, r, Jd;
  Mat        J;
  PetscReal  h[STEPS], rest[STEPS], low, high, scale, floor_;
  PetscInt   start, end;

  PetscFunctionBegin;
  RungNeed(sys);
  RungNeedArgument(rate);
  PetscCall(RungSystemGetTraits(sys, &traits));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemJacobian(sys, t, u, sigma, J));
  for (PetscInt k = 0; k <= traits.order; ++k) PetscCall(VecDuplicate(u[0], &moved[k]));
  PetscCall(VecDuplicate(u[0], &d));
  PetscCall(VecDuplicate(u[0], &r0));
  PetscCall(VecDuplicate(u[0], &r));
  PetscCall(VecDuplicate(u[0], &Jd));
  PetscCall(direction(d));
  PetscCall(free_only(sys, d));
  PetscCall(MatMult(J, d, Jd));
  PetscCall(RungSystemExtend(sys, d)); /* slaves of constraints follow */
  PetscCall(RungSystemResidual(sys, t, u, r0));
  PetscCall(VecNorm(Jd, NORM_2, &scale));
  for (PetscInt i = 0; i < STEPS; ++i) {
    h[i] = 1e-2 * PetscPowReal(0.5, (PetscReal)i);
    for (PetscInt k = 0; k <= traits.order; ++k) {
      const PetscScalar *from;
      PetscScalar       *to;

      PetscCall(VecCopy(u[k], moved[k]));
      PetscCall(VecGetArrayRead(d, &from));
      PetscCall(VecGetArray(moved[k], &to));
      for (PetscInt f = 0; f < traits.unknowns; ++f) {
        PetscCall(RungSystemGetRange(sys, f, &start, &end));
        for (PetscInt j = start; j < end; ++j) to[j] += h[i] * sigma[k * traits.unknowns + f] * from[j];
      }
      PetscCall(VecRestoreArray(moved[k], &to));
      PetscCall(VecRestoreArrayRead(d, &from));
    }
    PetscCall(RungSystemResidual(sys, t, moved, r));
    PetscCall(VecAXPY(r, -1, r0));
    PetscCall(VecAXPY(r, -h[i], Jd));
    PetscCall(VecNorm(r, NORM_2, &rest[i]));
  }
  PetscCall(VecNorm(r0, NORM_2, &floor_));
  if (rest[0] <= 1e-11 * (floor_ + scale))
    *rate = (PetscReal)INFINITY;
  else
    PetscCall(RungRate(STEPS, h, rest, rate, &low, &high));
  for (PetscInt k = 0; k <= traits.order; ++k) PetscCall(VecDestroy(&moved[k]));
  PetscCall(VecDestroy(&d));
  PetscCall(VecDestroy(&r0));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&Jd));
  PetscCall(MatDestroy(&J));
  PetscFunctionReturn(PETSC_SUCCESS);
}
