/* log.c - the stages of a run for -log_view: set-up, start, steps, output; PETSc's and Rung's events are told apart by them. */
#include "step_impl.h"

PetscErrorCode RungLogPush(RungLogStage stage)
{
  static const char *const name[RUNG_LOG_STAGES] = {"Rung set-up", "Rung start", "Rung steps", "Rung output"};
  static PetscLogStage     id[RUNG_LOG_STAGES];
  static PetscBool         registered = PETSC_FALSE;

  PetscFunctionBegin;
  for (int i = 0; i < RUNG_LOG_STAGES && !registered; ++i) PetscCall(PetscLogStageRegister(name[i], &id[i]));
  registered = PETSC_TRUE;
  PetscCall(PetscLogStagePush(id[stage]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLogPop(void)
{
  PetscFunctionBegin;
  PetscCall(PetscLogStagePop());
  PetscFunctionReturn(PETSC_SUCCESS);
}
