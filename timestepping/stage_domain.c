/* stage_domain.c - Newton's steps that leave the domain of F, and trial values for which internal variables have no solution,
   are cut before the line search sees them.

   Line searches of PETSc end where |F| is not a number at the full step.  Here d is halved until F(w - d) is finite; the line
   search goes on from there and uses what was evaluated.  With bounds it tries what is nearest to w - d between them, and so is
   F here.  A step that was cut says nothing about convergence. */
#include "stage_impl.h"

#define HALVINGS 12

PetscErrorCode RungStageSlotRecall(RungStages stages, Vec w, Vec r, PetscBool *known)
{
  PetscFunctionBegin;
  *known = PETSC_FALSE;
  if (stages->known) {
    stages->known = PETSC_FALSE;
    PetscCall(VecEqual(w, stages->own, known));
    if (*known) PetscCall(VecCopy(stages->r, r));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!stages->trial || !stages->tried) PetscFunctionReturn(PETSC_SUCCESS);
  stages->tried = PETSC_FALSE; /* it is the next evaluation, or none */
  PetscCall(VecEqual(w, stages->trial, known));
  if (*known) PetscCall(VecCopy(stages->tried_r, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode try_step(RungStageSlot *slot, SNES snes, Vec w, Vec d, PetscReal lambda, PetscBool *finite)
{
  RungStages stages = slot->stages;
  PetscReal  norm;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(stages->trial, -lambda, d, w));
  if (stages->bound[0]) PetscCall(VecMedian(stages->bound[0], stages->trial, stages->bound[1], stages->trial));
  PetscCall(RungStageSlotResidual(snes, stages->trial, stages->tried_r, slot));
  PetscCall(VecNorm(stages->tried_r, NORM_2, &norm));
  *finite = PetscIsInfOrNanReal(norm) ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* before a line search from w along -d */
static PetscErrorCode cut(SNESLineSearch search, Vec w, Vec d, PetscBool *changed, void *ctx)
{
  RungStageSlot *slot   = (RungStageSlot *)ctx;
  RungStages     stages = slot->stages;
  PetscBool      finite;
  PetscReal      lambda, norm;
  SNES           snes;

  PetscFunctionBegin;
  *changed    = PETSC_FALSE;
  stages->cut = stages->tried = PETSC_FALSE;
  PetscCall(VecNorm(d, NORM_2, &norm));
  if (PetscIsInfOrNanReal(norm)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SNESLineSearchGetSNES(search, &snes));
  PetscCall(SNESLineSearchGetLambda(search, &lambda));
  PetscCall(try_step(slot, snes, w, d, lambda, &finite));
  if (!finite) {
    if (!stages->outside) PetscCall(VecDuplicate(stages->r, &stages->outside));
    PetscCall(VecCopy(stages->trial, stages->outside));
  }
  for (int i = 0; i < HALVINGS && !finite; ++i) {
    *changed = stages->cut = PETSC_TRUE;
    PetscCall(VecScale(d, 0.5));
    PetscCall(try_step(slot, snes, w, d, lambda, &finite));
  }
  stages->tried = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageSlotGuardDomain(RungStageSlot *slot)
{
  RungStages     stages = slot->stages;
  SNESLineSearch search;

  PetscFunctionBegin;
  if (stages->stepper->traits.linear) PetscFunctionReturn(PETSC_SUCCESS);
  if (!stages->trial) {
    PetscCall(VecDuplicate(stages->r, &stages->trial));
    PetscCall(VecDuplicate(stages->r, &stages->tried_r));
  }
  PetscCall(SNESGetLineSearch(slot->snes, &search));
  PetscCall(SNESLineSearchSetPreCheck(search, cut, slot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStagesDestroyDomain(RungStages stages)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&stages->trial));
  PetscCall(VecDestroy(&stages->tried_r));
  PetscCall(VecDestroy(&stages->outside));
  PetscFunctionReturn(PETSC_SUCCESS);
}
