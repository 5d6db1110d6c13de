/* catch.c - errors that are kept, for who says more of them or goes on. */
#include "coupling_impl.h"
#include <rungtext_room.h>
#include <stdio.h>

PetscErrorCode RungCatchError(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode n,
                              PetscErrorType type, const char *text, void *ctx)
{
  RungCaught *caught = ctx;

  (void)comm, (void)line, (void)function, (void)file;
  if (type == PETSC_ERROR_INITIAL) {
    const char *generic = NULL;

    if (!text || !text[0] || !strcmp(text, " ")) (void)PetscErrorMessage(n, &generic, NULL);
    (void)snprintf(caught->message, sizeof caught->message, "%s", generic ? generic : text ? text : "unknown error");
    RungOptionsExplain(caught->message, sizeof caught->message);
  }
  return n;
}

PetscErrorCode RungCatchRaise(const RungCaught *caught)
{
  PetscFunctionBegin;
  if (caught->code == PETSC_ERR_MEM || caught->code == PETSC_ERR_MPI)
    SETERRQ(PETSC_COMM_SELF, caught->code, "%s", caught->message);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCatchWrite(MPI_Comm comm, const char path[], size_t size, const char bytes[], RungCaught *caught)
{
  PetscFunctionBegin;
  RungCatch(caught, RungFileWrite(comm, path, size, bytes));
  if (caught->code && caught->code != PETSC_ERR_FILE_WRITE)
    SETERRQ(PETSC_COMM_SELF, caught->code, "%s", caught->message);
  PetscFunctionReturn(PETSC_SUCCESS);
}
