/* log.c - the stages of a run for -log_view: set-up, start, steps, output; PETSc's and Rung's events are told apart by them. */
#include "step_impl.h"

static struct {
  PetscLogStage id[RUNG_LOG_STAGES];
  PetscBool     known; /* to PETSc, from the first use to PetscFinalize() */
} stages;

static PetscErrorCode forget_stages(void)
{
  PetscFunctionBegin;
  stages.known = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode register_stages(void)
{
  static const char *const name[RUNG_LOG_STAGES] = {"Rung set-up", "Rung start", "Rung steps", "Rung output"};

  PetscFunctionBegin;
  for (int i = 0; i < RUNG_LOG_STAGES; ++i) PetscCall(PetscLogStageRegister(name[i], &stages.id[i]));
  PetscCall(PetscRegisterFinalize(forget_stages));
  stages.known = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLogPush(RungLogStage stage)
{
  PetscFunctionBegin;
  if (!stages.known) PetscCall(register_stages());
  PetscCall(PetscLogStagePush(stages.id[stage]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLogPop(void)
{
  PetscFunctionBegin;
  PetscCall(PetscLogStagePop());
  PetscFunctionReturn(PETSC_SUCCESS);
}
