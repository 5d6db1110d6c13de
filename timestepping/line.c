/* line.c - linear combinations that make the lines u^(k)(w) = base_k + slope_k w and the loads of a stage. */
#include "step_impl.h"

void RungLineSetSlope(RungStepper stepper, RungLine *line, PetscInt k, PetscReal value)
{
  for (PetscInt f = 0; f < stepper->traits.unknowns; ++f) line->slope[k * stepper->traits.unknowns + f] = value;
}

/* x + y, and 0 where that is rounding */
static PetscScalar sum(PetscScalar x, PetscScalar y)
{
  const PetscReal rounding = 4 * PETSC_MACHINE_EPSILON * PetscAbsScalar(x);

  return PetscAbsScalar(x + y) <= rounding ? 0 : x + y;
}

/* by = 0 where it would lose digits of the origin */
static PetscErrorCode keep_digits(Vec origin, Vec by)
{
  const PetscScalar *from;
  PetscScalar       *d;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(by, &n));
  PetscCall(VecGetArrayRead(origin, &from));
  PetscCall(VecGetArray(by, &d));
  for (PetscInt i = 0; i < n; ++i)
    if (!(PetscAbsScalar(d[i]) <= PetscAbsScalar(from[i]))) d[i] = 0;
  PetscCall(VecRestoreArray(by, &d));
  PetscCall(VecRestoreArrayRead(origin, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y += slope[f] by */
static PetscErrorCode add(RungStepper stepper, const PetscReal slope[], Vec by, Vec y)
{
  const PetscScalar *d;
  PetscScalar       *x;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(by, &d));
  PetscCall(VecGetArray(y, &x));
  for (PetscInt f = 0; f < stepper->traits.unknowns; ++f) {
    PetscInt start, end;

    PetscCall(RungSystemGetRange(stepper->sys, f, &start, &end));
    for (PetscInt i = start; i < end; ++i)
      if (d[i] != 0.0) x[i] = sum(x[i], slope[f] * d[i]);
  }
  PetscCall(VecRestoreArray(y, &x));
  PetscCall(VecRestoreArrayRead(by, &d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineMove(RungStepper stepper, RungLine *line, Vec by)
{
  RungNeed(stepper);
  const PetscInt n = stepper->traits.unknowns;

  PetscFunctionBegin;
  RungNeed(line);
  RungNeed(by);
  PetscCall(keep_digits(line->origin, by));
  for (PetscInt k = 0; k <= stepper->traits.order; ++k)
    if (line->base[k] != line->origin) PetscCall(add(stepper, line->slope + k * n, by, line->base[k]));
  PetscCall(VecAXPY(line->origin, 1, by));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCombineUnknown(RungStepper stepper, PetscInt f, Vec y, PetscInt n, const PetscReal c[],
                                  const Vec x[])
{
  PetscInt start, end;

  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeed(y);
  PetscCall(RungSystemGetRange(stepper->sys, f, &start, &end));
  PetscCall(RungCombinePart(y, start, end, n, c, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageImposeRates(RungStepper stepper, PetscReal t, Vec w, Vec work)
{
  const RungTraits *traits;
  const PetscReal   one = 1;

  PetscFunctionBegin;
  RungNeed(stepper);
  traits = &stepper->traits;
  if (!stepper->dirichlet) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k <= traits->order; ++k) {
    PetscBool some = PETSC_FALSE;

    for (PetscInt f = 0; f < traits->unknowns; ++f)
      some = some || traits->unknown_order[f] == k ? PETSC_TRUE : PETSC_FALSE;
    if (!some) continue;
    PetscCall(VecCopy(w, work));
    PetscCall(RungSystemImposeDirichlet(stepper->sys, t, k, work));
    for (PetscInt f = 0; f < traits->unknowns; ++f) {
      if (traits->unknown_order[f] == k) PetscCall(RungCombineUnknown(stepper, f, w, 1, &one, &work));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
