/* form_signs.c - is J definite with the values that constants and fields have now?

   A program sets a system up before it fills its fields, and a way of loads or an event may turn the sign of a constant: what set-up
   said of the sign of J is asked again where a solver is made, and before solves with a matrix that stays. */
#include "form_side_impl.h"

PetscErrorCode RungSystemRenewSigns(RungSystem sys)
{
  RungFormTraits traits, outside;
  RungFormSide   form;
  PetscInt64     state;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  form = sys->form;
  if (!form || sys->traits.conserved || (sys->split && !form->implicit)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungFormGetTraits(form->F, &traits));
  if (!traits.sampled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungFormGetDataState(form->F, form->holds_fields, &state));
  if (form->signs == state) PetscFunctionReturn(PETSC_SUCCESS);
  form->signs = state;
  PetscCall(RungFormRenewSigns(form->F));
  PetscCall(RungFormGetTraits(form->F, &traits));
  outside = traits;
  if (sys->split) PetscCall(RungFormRenewSigns(form->implicit));
  if (sys->split) PetscCall(RungFormGetTraits(form->implicit, &outside));
  sys->traits.mass     = traits.mass && sys->traits.order == traits.order ? PETSC_TRUE : PETSC_FALSE;
  sys->traits.definite = sys->whole_definite = traits.definite;
  sys->implicit.mass = sys->traits.mass, sys->implicit.definite = outside.definite;
  RungSystemTakePart(sys, sys->part);
  PetscFunctionReturn(PETSC_SUCCESS);
}
