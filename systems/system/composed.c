/* composed.c - memory composed with an object of PETSc under a key: it is destroyed with the object. */
#include "system_impl.h"
#include <rungown_room.h>

PetscErrorCode RungComposedFind(PetscObject object, const char key[], void *memory)
{
  PetscContainer container;

  PetscFunctionBegin;
  *(void **)memory = NULL;
  PetscCall(PetscObjectQuery(object, key, (PetscObject *)&container));
  if (container) PetscCall(PetscContainerGetPointer(container, (void **)memory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungComposedCreate(PetscObject object, const char key[], size_t size,
                                  PetscErrorCode (*destroy)(RungContainerArg), void *memory)
{
  RUNG_OWNED(PetscContainerDestroy) PetscContainer container = NULL; /* the object has it, too */
  char                                            *made;

  PetscFunctionBegin;
  PetscCall(PetscContainerCreate(PetscObjectComm(object), &container));
  PetscCall(PetscCalloc1(size, &made));
  PetscCall(PetscContainerSetPointer(container, made));
  PetscCall(PetscContainerSetCtxDestroy(container, destroy));
  PetscCall(PetscObjectCompose(object, key, (PetscObject)container));
  *(void **)memory = made;
  PetscFunctionReturn(PETSC_SUCCESS);
}
