/* blocks.c - pairs of unknowns that have entries in a Jacobian, for every domain and part of the mesh. */
#include "forms_impl.h"

PetscErrorCode RungBlocksAdd(RungBlocksOf **list, RungDomain domain, PetscInt part, PetscInt row, PetscInt col,
                             unsigned uses)
{
  const uint32_t bit = (uint32_t)1 << col;
  RungBlocksOf  *b;

  PetscFunctionBegin;
  for (b = *list; b && (b->domain != domain || b->part != part);) b = b->next;
  if (!b) {
    PetscCall(PetscNew(&b));
    b->domain = domain;
    b->part   = part;
    b->next   = *list;
    *list     = b;
  }
  b->all[row] |= bit;
  if (uses & (1u << RUNG_IN_UNKNOWN | 1u << RUNG_IN_TIME)) b->varying[row] |= bit;
  if (uses & 1u << RUNG_IN_FIELD) b->fields[row] |= bit;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungBlocksDestroy(RungBlocksOf **list)
{
  PetscFunctionBegin;
  while (*list) {
    RungBlocksOf *next = (*list)->next;

    PetscCall(PetscFree(*list));
    *list = next;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
