/* line.c - linear combinations that make the lines u^(k)(w) = base_k + slope_k w and the loads of a stage. */
#include "step_impl.h"

void RungLineSetSlope(RungStepper stepper, RungLine *line, PetscInt k, PetscReal value)
{
  for (PetscInt f = 0; f < stepper->traits.unknowns; ++f) line->slope[k * stepper->traits.unknowns + f] = value;
}

/* y = sum_j c_j x_j for entries in [start, end): the first term that counts is copied, the others are added, so that a
   single term with c = 1 is copied bit for bit. */
static PetscErrorCode combine(Vec y, PetscInt start, PetscInt end, PetscInt n, const PetscReal c[], const Vec x[])
{
  PetscScalar *to;
  PetscBool    first = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(VecGetArray(y, &to));
  for (PetscInt j = 0; j < n; ++j) {
    const PetscScalar *from;
    const PetscReal    a = c[j];

    if (a == 0) continue;
    PetscCall(VecGetArrayRead(x[j], &from));
    if (first) {
      for (PetscInt i = start; i < end; ++i) to[i] = a * from[i];
    } else {
      for (PetscInt i = start; i < end; ++i) to[i] += a * from[i];
    }
    first = PETSC_FALSE;
    PetscCall(VecRestoreArrayRead(x[j], &from));
  }
  for (PetscInt i = start; first && i < end; ++i) to[i] = 0;
  PetscCall(VecRestoreArray(y, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCombine(Vec y, PetscInt n, const PetscReal c[], const Vec x[])
{
  PetscInt size;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(y, &size));
  PetscCall(combine(y, 0, size, n, c, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCombineUnknown(RungStepper stepper, PetscInt f, Vec y, PetscInt n, const PetscReal c[],
                                  const Vec x[])
{
  PetscInt start, end;

  PetscFunctionBegin;
  PetscCall(RungSystemGetRange(stepper->sys, f, &start, &end));
  PetscCall(combine(y, start, end, n, c, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
