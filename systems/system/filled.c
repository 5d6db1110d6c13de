/* filled.c - at which time and state, and with which slopes, a Jacobian was taken: what coarser levels of it are made of.

   The record hangs on the matrix.  States are copied for nonlinear systems alone, and not before a multigrid has asked for them
   (sys->keep_filled). */
#include "system_impl.h"

#define FILLED "RungFilled"

static PetscErrorCode destroy(RungContainerArg arg)
{
  RungFilled *filled = (RungFilled *)RungContainerPointer(arg);

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) PetscCall(VecDestroy(&filled->u[k]));
  PetscCall(PetscFree(filled));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFilledGet(Mat J, const RungFilled **filled)
{
  RungFilled *mine;

  PetscFunctionBegin;
  PetscCall(RungComposedFind((PetscObject)J, FILLED, &mine));
  *filled = mine;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFilledRecord(RungSystem sys, Mat J, RungFilledKind kind, RungSystemPart part, PetscReal t,
                                const Vec u[], const PetscReal slope[])
{
  RungFilled *filled;

  PetscFunctionBegin;
  PetscCall(RungComposedFind((PetscObject)J, FILLED, &filled));
  if (!filled) PetscCall(RungComposedCreate((PetscObject)J, FILLED, sizeof *filled, destroy, &filled));
  filled->kind = kind;
  filled->part = part;
  filled->t    = t;
  PetscCall(PetscArraycpy(filled->slope, slope, (sys->traits.order + 1) * sys->traits.unknowns));
  for (PetscInt k = 0; k <= sys->traits.order && sys->keep_filled && !sys->traits.linear; ++k) {
    if (!filled->u[k]) PetscCall(VecDuplicate(u[k], &filled->u[k]));
    PetscCall(VecCopy(u[k], filled->u[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
