/* field.c - a named function of a space. */
#include "fe_space_impl.h"

PetscErrorCode RungFieldCreate(RungSpace space, const char name[], RungField *field)
{
  RungField f;

  PetscFunctionBegin;
  PetscCheck(name && name[0], space->comm, PETSC_ERR_ARG_WRONG, "a field without a name; output needs one");
  PetscCall(PetscNew(&f));
  f->space = space;
  PetscCall(RungSpaceReference(space));
  PetscCall(RungLayoutCreate(space->comm, 1, &space, &f->layout));
  PetscCall(RungLayoutCreateVec(f->layout, &f->u));
  PetscCall(PetscObjectSetName((PetscObject)f->u, name));
  PetscCall(VecZeroEntries(f->u));
  PetscCall(PetscStrallocpy(name, &f->name));
  *field = f;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFieldGetVec(RungField field, Vec *u)
{
  PetscFunctionBegin;
  *u = field->u;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFieldGetSpace(RungField field, RungSpace *space)
{
  PetscFunctionBegin;
  *space = field->space;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFieldGetName(RungField field, const char **name)
{
  PetscFunctionBegin;
  *name = field->name;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFieldDestroy(RungField *field)
{
  PetscFunctionBegin;
  if (!*field) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDestroy(&(*field)->u));
  PetscCall(RungLayoutDestroy(&(*field)->layout));
  PetscCall(RungSpaceDestroy(&(*field)->space));
  PetscCall(PetscFree((*field)->name));
  PetscCall(PetscFree(*field));
  PetscFunctionReturn(PETSC_SUCCESS);
}
