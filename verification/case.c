/* case.c - the registry of reference problems. */
#include "verify_impl.h"
#include <rungtext_room.h>

#define MAX_CASES 256

static RungCase registry[MAX_CASES];
static PetscInt registered;

PetscErrorCode RungCaseRegister(const RungCase *problem)
{
  PetscFunctionBegin;
  RungNeed(problem);
  PetscCheck(problem->name && problem->create, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL,
             "a case without a name or without create()");
  for (PetscInt i = 0; i < registered; ++i) {
    PetscCheck(strcmp(registry[i].name, problem->name) != 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "a case named \"%s\" exists already; choose another name", problem->name);
  }
  PetscCheck(registered < MAX_CASES, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "more than %d cases; enlarge MAX_CASES",
             MAX_CASES);
  registry[registered++] = *problem;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCaseGetAll(PetscInt *n, const RungCase **problems)
{
  PetscFunctionBegin;
  RungNeedArgument(n);
  RungNeedArgument(problems);
  *n        = registered;
  *problems = registry;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCaseFind(MPI_Comm comm, const char name[], const RungCase **problem)
{
  const char *names[MAX_CASES], *nearest;
  char        list[4096] = "", hint[160] = "";

  PetscFunctionBegin;
  RungNeedArgument(name);
  RungNeedArgument(problem);
  for (PetscInt i = 0; i < registered; ++i) {
    names[i] = registry[i].name;
    if (strcmp(name, names[i]) == 0) {
      *problem = &registry[i];
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(RungTextAppend(list, i ? ", " : "", sizeof list));
    PetscCall(RungTextAppend(list, names[i], sizeof list));
  }
  PetscCall(RungSuggest(name, registered, names, &nearest));
  if (nearest) PetscCall(PetscSNPrintf(hint, sizeof hint, "; did you mean \"%s\"?", nearest));
  SETERRQ(comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "no case is named \"%s\"%s known cases are %s", name, hint[0] ? hint : ";",
          registered ? list : "none: RungCaseReadFiles() reads those of a folder");
}
