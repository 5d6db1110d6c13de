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
