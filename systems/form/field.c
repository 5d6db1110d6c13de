/* field.c - given functions as coefficients of a system: fields of the program. */
#include "form_side_impl.h"

PetscErrorCode RungSystemAddField(RungSystem sys, const char name[], RungField field)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemCheckNew(sys, "RungSystemAddField"));
  PetscCall(RungSystemNeedForm(sys, "RungSystemAddField"));
  PetscCheck(name && field, sys->comm, PETSC_ERR_ARG_NULL, "a coefficient needs a name and a field");
  PetscCall(RungScopeAddField(sys->form->scope, name, field));
  RungGrow(sys->form->fields, sys->form->field);
  sys->form->field[sys->form->fields] = (RungGivenField){.field = field};
  PetscCall(PetscStrallocpy(name, &sys->form->field[sys->form->fields++].name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemTellField(RungSystem sys, RungField field, const char text[])
{
  PetscFunctionBegin;
  RungNeed(sys);
  for (PetscInt f = 0; f < sys->form->fields; ++f) {
    RungGivenField *given = &sys->form->field[f];

    if (given->field != field) continue;
    PetscCall(PetscFree(given->text));
    PetscCall(PetscStrallocpy(text, &given->text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFieldsDestroy(RungSystem sys)
{
  PetscFunctionBegin;
  for (PetscInt f = 0; f < sys->form->fields; ++f) {
    PetscCall(PetscFree(sys->form->field[f].name));
    PetscCall(PetscFree(sys->form->field[f].text));
  }
  PetscCall(PetscFree(sys->form->field));
  PetscFunctionReturn(PETSC_SUCCESS);
}
