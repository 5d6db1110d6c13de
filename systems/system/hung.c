/* hung.c - what hangs on an object of PETSc's under a key: memory of ours, which is destroyed with the object. */
#include "system_impl.h"
#include <rungown_room.h>

PetscErrorCode RungHungFind(PetscObject object, const char key[], void *hung)
{
  PetscContainer container;

  PetscFunctionBegin;
  *(void **)hung = NULL;
  PetscCall(PetscObjectQuery(object, key, (PetscObject *)&container));
  if (container) PetscCall(PetscContainerGetPointer(container, (void **)hung));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungHungAttach(PetscObject object, const char key[], size_t size,
                              PetscErrorCode (*destroy)(RungContainerArg), void *hung)
{
  RUNG_OWNED(PetscContainerDestroy) PetscContainer container = NULL; /* the object has it, too */
  char                                            *memory;

  PetscFunctionBegin;
  PetscCall(PetscContainerCreate(PetscObjectComm(object), &container));
  PetscCall(PetscCalloc1(size, &memory));
  PetscCall(PetscContainerSetPointer(container, memory));
  PetscCall(PetscContainerSetCtxDestroy(container, destroy));
  PetscCall(PetscObjectCompose(object, key, (PetscObject)container));
  *(void **)hung = memory;
  PetscFunctionReturn(PETSC_SUCCESS);
}
