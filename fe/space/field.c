/* field.c - a named function of a space. */
#include <rungown_room.h>
#include "fe_space_impl.h"

/* Takes the layout. */
static PetscErrorCode create(RungSpace space, RungLayout layout, const char name[], RungField *field)
{
  RUNG_OWNED(RungFieldDestroy) RungField f = NULL;

  PetscFunctionBegin;
  PetscCall(PetscNew(&f));
  f->layout = layout;
  PetscCall(RungSpaceReference(space));
  f->space = space;
  PetscCall(RungLayoutCreateVec(f->layout, &f->u));
  PetscCall(PetscObjectSetName((PetscObject)f->u, name));
  PetscCall(VecZeroEntries(f->u));
  PetscCall(PetscStrallocpy(name, &f->name));
  *field = f;
  f      = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFieldCreate(RungSpace space, const char name[], RungField *field)
{
  RungLayout layout;

  PetscFunctionBegin;
  RungNeed(space);
  RungNeedArgument(field);
  PetscCall(RungLabelCheck(space->comm, "a field", name));
  PetscCall(RungLayoutCreate(space->comm, 1, &space, &layout));
  PetscCall(create(space, layout, name, field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFieldDuplicate(RungField field, const char name[], RungField *copy)
{
  PetscFunctionBegin;
  RungNeed(field);
  PetscCall(RungLabelCheck(field->space->comm, "a field", name));
  PetscCall(RungLayoutReference(field->layout));
  PetscCall(create(field->space, field->layout, name, copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFieldGetVec(RungField field, Vec *u)
{
  PetscFunctionBegin;
  RungNeed(field);
  RungNeedArgument(u);
  *u = field->u;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFieldGetSpace(RungField field, RungSpace *space)
{
  PetscFunctionBegin;
  RungNeed(field);
  *space = field->space;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFieldGetName(RungField field, const char **name)
{
  PetscFunctionBegin;
  RungNeed(field);
  *name = field->name;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFieldSetRate(RungField field, RungField rate)
{
  RungNeed(field);
  const RungSpaceData *a = &field->space->data, *b;

  PetscFunctionBegin;
  if (rate) {
    b = &rate->space->data;
    PetscCheck(field->space->mesh == rate->space->mesh, field->space->comm, PETSC_ERR_ARG_INCOMP,
               "\"%s\" as the rate of \"%s\" lives on another mesh; RungFieldTransfer brings it here", rate->name,
               field->name);
    PetscCheck(a->rank == b->rank && a->shape[0] == b->shape[0] && a->shape[1] == b->shape[1], field->space->comm,
               PETSC_ERR_ARG_INCOMP, "\"%s\" in %s as the rate of \"%s\" in %s; wanted the same shape", rate->name,
               b->spec, field->name, a->spec);
    for (const struct _p_RungField *f = rate; f; f = f->rate)
      PetscCheck(f != field, field->space->comm, PETSC_ERR_ARG_WRONG,
                 "\"%s\" would be a rate of itself; wanted a field for each derivative", field->name);
  }
  field->rate = rate;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFieldGetRate(RungField field, RungField *rate)
{
  PetscFunctionBegin;
  RungNeed(field);
  *rate = field->rate;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFieldDestroy(RungField *field)
{
  PetscFunctionBegin;
  RungNeedArgument(field);
  if (!*field) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDestroy(&(*field)->u));
  PetscCall(RungLayoutDestroy(&(*field)->layout));
  PetscCall(RungSpaceDestroy(&(*field)->space));
  PetscCall(PetscFree((*field)->name));
  PetscCall(PetscFree(*field));
  PetscFunctionReturn(PETSC_SUCCESS);
}
