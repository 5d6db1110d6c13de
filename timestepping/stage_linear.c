/* stage_linear.c - linear systems with a constant Jacobian, solved by iteration: J w = b for w itself.

   F(w) = J w - b, so that a Newton step from a guess w solves J d = F(w), whose right-hand side is small if the guess is good.
   An iteration that is told the tolerance of the answer has to see b: it starts from the guess and stops when
   |J w - b| <= rtol |b|.  b costs one evaluation of F at zero (RungTransientSystemRhs), and products with what is zero are
   left out: a step of BDF with constant blocks costs one product with the mass, and those of the iteration.

   Direct solvers keep to the step d, whose rounding is that of the small right-hand side. */
#include "stage_impl.h"

PetscErrorCode RungStageSlotChoosePath(RungStageSlot *slot)
{
  RungStages stages = slot->stages;
  PetscBool  direct, linear, has;
  KSP        ksp;

  PetscFunctionBegin;
  slot->affine = PETSC_FALSE;
  if (!stages->keep) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemHasRhs(stages->stepper->sys, &has));
  PetscCall(PetscObjectTypeCompare((PetscObject)slot->snes, SNESKSPONLY, &linear));
  PetscCall(SNESGetKSP(slot->snes, &ksp));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPPREONLY, &direct));
  slot->affine = has && linear && !direct ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageSlotSolveAffine(RungStageSlot *slot, Vec w, RungVerdict *verdict)
{
  RungStages             stages     = slot->stages;
  RungStepperStatistics *statistics = &stages->stepper->statistics;
  KSPConvergedReason     reason;
  PetscInt               its;
  KSP                    ksp;

  PetscFunctionBegin;
  stages->last = slot;
  PetscCall(RungTransientSystemRhs(stages->stepper->ts, stages->t, stages->line, stages->load, w, stages->r));
  ++statistics->residuals;
  PetscCall(SNESGetKSP(slot->snes, &ksp));
  PetscCall(KSPSetOperators(ksp, slot->J, slot->J));
  PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE));
  PetscCall(KSPSolve(ksp, stages->r, w));
  PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_FALSE)); /* RungStageApply() has none */
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  statistics->linear += its;
  ++statistics->newton;
  verdict->solved = PETSC_TRUE;
  if (reason == KSP_DIVERGED_PC_FAILED)
    PetscCall(RungStagesFailFactor(stages, w, ksp, verdict));
  else if (reason == KSP_DIVERGED_NANORINF)
    RungVerdictFail(verdict, "the residual is not finite");
  else if (reason < 0)
    RungVerdictFail(verdict, "the linear solver gave up after %ld iterations (%s)", (long)its,
                    KSPConvergedReasons[reason]);
  if (reason == KSP_DIVERGED_NANORINF) PetscCall(RungStagesExplain(stages, w, verdict));
  if (!verdict->solved) slot->filled = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
