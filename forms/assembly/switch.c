/* switch.c - from the interpreter to kernels that were compiled in the background; which back end runs what. */
#include "kernel_impl.h"

/* Kernels of the parts `of`, one after the other, into the form, where there are any. */
void RungFormTakeKernels(RungForm form, const PetscBool of[], const RungKernel kernel[])
{
  PetscInt at = 0;

  for (int p = 0; p < RUNG_FORM_PARTS; ++p) {
    for (PetscInt i = 0; of[p] && i < form->part[p].n; ++i, ++at) {
      if (kernel[at]) form->part[p].kernel[i] = kernel[at];
    }
  }
}

/* From the interpreter to these compiled kernels: other lanes, so other batches. */
static PetscErrorCode replace(RungForm form, const PetscBool of[], const RungKernel kernel[])
{
  PetscFunctionBegin;
  for (int p = 0; p < RUNG_FORM_PARTS; ++p) {
    RungFormPart *part = &form->part[p];

    for (PetscInt i = 0; of[p] && i < part->groups; ++i) PetscCall(RungBatchesDestroy(&part->batches[i]));
    for (PetscInt i = 0; of[p] && i < part->n; ++i) PetscCall(RungKernelDestroy(&part->kernel[i]));
    if (of[p]) PetscCall(PetscFree(part->rim));
    if (of[p]) part->groups = 0;
  }
  RungFormTakeKernels(form, of, kernel);
  for (int p = 0; p < RUNG_FORM_PARTS; ++p) {
    if (of[p]) PetscCall(RungFormCreateGroups(form, &form->part[p]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All kernels of a job come at once or not at all. */
static PetscErrorCode switch_job(RungForm form, int slot)
{
  const PetscBool *of = form->pending[slot].of;
  PetscInt         n  = 0;
  RungKernel      *kernel;

  PetscFunctionBegin;
  for (int p = 0; p < RUNG_FORM_PARTS; ++p) n += of[p] ? form->part[p].n : 0;
  PetscCall(PetscCalloc1(n, &kernel));
  PetscCall(RungJobLook(&form->pending[slot].job, PETSC_FALSE, kernel));
  if (kernel[0]) PetscCall(replace(form, of, kernel));
  PetscCall(PetscFree(kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormSwitch(RungForm form)
{
  PetscFunctionBegin;
  for (int slot = 0; slot < RUNG_FORM_PARTS; ++slot) {
    if (form->pending[slot].job) PetscCall(switch_job(form, slot));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormGetKernels(RungForm form, RungFormKernels *kernels)
{
  PetscFunctionBegin;
  RungNeed(form);
  RungNeedArgument(kernels);
  PetscCall(PetscMemzero(kernels, sizeof *kernels));
  for (int p = 0; p < RUNG_FORM_PARTS; ++p) {
    for (PetscInt i = 0; form->part[p].ready && i < form->part[p].n; ++i) {
      const char *origin = form->part[p].kernel[i]->origin;

      ++kernels->all;
      kernels->operations += form->part[p].integral[i].tape.instructions;
      if (!origin)
        ++kernels->interpreted;
      else if (!strcmp(origin, "linked"))
        ++kernels->linked;
      else if (!strcmp(origin, "cached"))
        ++kernels->cached;
      else
        ++kernels->compiled;
    }
    kernels->pending = kernels->pending || form->pending[p].job ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
