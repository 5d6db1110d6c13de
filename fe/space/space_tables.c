/* space_tables.c - the basis of a space at points, and on a line where it is a product of such. */
#include "fe_space_impl.h"

PetscInt RungSpaceTableSize(RungSpace space, PetscInt points, PetscInt order)
{
  return RungDerivativeCount(RungCellGet(space->element->type)->dim, order) * points * space->element->nodes;
}

PetscErrorCode RungSpaceTabulate(RungSpace space, PetscInt points, const PetscReal x[], PetscInt order,
                                 PetscReal table[])
{
  PetscFunctionBegin;
  RungNeed(space);
  PetscCall(RungElementTabulate(space->element, points, x, order, table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- products --------------------------------------------------------------------------------------------------- */

PetscErrorCode RungSpaceGetProduct(RungSpace space, PetscInt *line, const PetscInt **lattice)
{
  RungNeed(space);
  const RungElement *e   = space->element;
  const PetscBool    box = RungCellGet(e->type)->dim > 1 && !RungCellGet(e->type)->simplex ? PETSC_TRUE : PETSC_FALSE;
  const PetscBool    yes = box && !e->rule && (e->line || e->degree == 0) ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  if (line) *line = yes ? e->degree + 1 : 0;
  if (lattice) *lattice = yes ? e->lattice : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSpaceTabulateLine(RungSpace space, PetscInt points, const PetscReal t[], PetscInt order,
                                     PetscReal table[])
{
  PetscInt line;

  PetscFunctionBegin;
  RungNeed(space);
  PetscCall(RungSpaceGetProduct(space, &line, NULL));
  PetscCheck(line, space->comm, PETSC_ERR_ARG_WRONG, "the basis of %s is no product of functions on a line",
             space->spec);
  PetscCall(RungElementTabulateLine(space->element, points, t, order, table));
  PetscFunctionReturn(PETSC_SUCCESS);
}
