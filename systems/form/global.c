/* global.c - unknowns that are numbers of the whole mesh (space R): quantities of their own name, data without x. */
#include "form_side_impl.h"

PetscBool RungGlobalUnknown(RungSystem sys, PetscInt f)
{
  const RungSpaceData *space;

  (void)RungSpaceGetData(sys->form->space[f], &space);
  return space->single;
}

static PetscErrorCode add_quantity(RungSystem sys, PetscInt f, PetscInt component, const char name[])
{
  RungFormSide form = sys->form;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < form->quantities; ++i) {
    if (!strcmp(form->quantity[i].name, name)) PetscFunctionReturn(PETSC_SUCCESS); /* the app means something by it */
  }
  RungGrow(form->quantities, form->quantity);
  form->quantity[form->quantities] = (RungQuantity){
    .kind = RUNG_QUANTITY_GLOBAL, .unknown = f, .component = component, .extent = 1};
  PetscCall(PetscStrallocpy(name, &form->quantity[form->quantities].name));
  PetscCall(PetscStrallocpy(name, &form->quantity[form->quantities++].text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "q", "q[1]" or "q[0,1]" behind what the app asked for. */
PetscErrorCode RungGlobalAddQuantities(RungSystem sys)
{
  PetscFunctionBegin;
  for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
    const RungSpaceData *space;

    if (!RungGlobalUnknown(sys, f)) continue;
    PetscCall(RungSpaceGetData(sys->form->space[f], &space));
    for (PetscInt a = 0; a < space->components; ++a) {
      const PetscInt i = a / space->shape[1], j = a % space->shape[1];
      char           name[512], index[64]       = "";

      if (space->rank == 1) PetscCall(PetscSNPrintf(index, sizeof index, "[%" PetscInt_FMT "]", i));
      if (space->rank == 2)
        PetscCall(PetscSNPrintf(index, sizeof index, "[%" PetscInt_FMT ",%" PetscInt_FMT "]", i, j));
      PetscCall(PetscSNPrintf(name, sizeof name, "%s%s", sys->form->name[f], index));
      PetscCall(add_quantity(sys, f, a, name));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The owner has the value, all ranks get it. */
PetscErrorCode RungGlobalEvaluate(RungSystem sys, const RungQuantity *q, Vec u, PetscReal *value)
{
  const PetscInt     at   = sys->range[q->unknown] + q->component;
  PetscReal          mine = 0;
  const PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(u, &x));
  if (at < sys->range[q->unknown + 1]) mine = PetscRealPart(x[at]);
  PetscCall(VecRestoreArrayRead(u, &x));
  PetscCallMPI(MPI_Allreduce(&mine, value, 1, MPIU_REAL, MPIU_SUM, sys->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGlobalCheckData(RungSystem sys, PetscInt f, const char label[], const char text[],
                                   RungPointwise value)
{
  PetscBool placed = PETSC_FALSE;

  PetscFunctionBegin;
  if (!RungGlobalUnknown(sys, f) || !value) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungPointwiseIsPlaceDependent(value, &placed));
  PetscCheck(!placed, sys->comm, PETSC_ERR_ARG_WRONG,
             "%s: \"%s\" depends on x, but \"%s\" is one number of the whole mesh; wanted t and constants only", label,
             text, sys->form->name[f]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
