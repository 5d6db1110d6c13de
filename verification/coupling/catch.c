/* catch.c - errors that are kept, for who says more of them or goes on. */
#include "coupling_impl.h"
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
  }
  return n;
}
