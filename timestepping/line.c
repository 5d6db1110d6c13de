/* line.c - linear combinations that make the lines u^(k)(w) = base_k + slope_k w and the loads of a stage. */
#include "step_impl.h"

void RungLineSetSlope(RungStepper stepper, RungLine *line, PetscInt k, PetscReal value)
{
  for (PetscInt f = 0; f < stepper->traits.unknowns; ++f) line->slope[k * stepper->traits.unknowns + f] = value;
}

PetscErrorCode RungCombineUnknown(RungStepper stepper, PetscInt f, Vec y, PetscInt n, const PetscReal c[],
                                  const Vec x[])
{
  PetscInt start, end;

  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(RungSystemGetRange(stepper->sys, f, &start, &end));
  PetscCall(RungCombinePart(y, start, end, n, c, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageImposeRates(RungStepper stepper, PetscReal t, Vec w, Vec work)
{
  const RungTraits *traits = &stepper->traits;
  const PetscReal   one    = 1;

  PetscFunctionBegin;
  RungNeed(stepper);
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
