/* init_ends.c - a program that ends in the way that its argument names; init_ends.sh looks at what comes out. */
#include <rungbinding.h>
#include <rungfe.h>
#include <errno.h>
#include <sys/wait.h>

static PetscErrorCode refuse(MPI_Comm comm)
{
  PetscFunctionBegin;
  SETERRQ(comm, PETSC_ERR_ARG_WRONG, "found one, wanted two; take another");
}

/* The ranks from `first` on fail, the others wait for them in a barrier. */
static PetscErrorCode refuse_from(PetscMPIInt first)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank >= first) PetscCall(refuse(PETSC_COMM_SELF));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Only the last rank has a finding; all raise it. */
static PetscErrorCode agree(void)
{
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  RungCheckAll(rank < size - 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "found one, wanted two; take another");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A program that takes files: prints them. */
static PetscErrorCode ask_for_words(void)
{
  PetscInt           n;
  const char *const *word;

  PetscFunctionBegin;
  PetscCall(RungArguments(&n, &word));
  PetscCall(RungOptionsCheck(PETSC_COMM_WORLD));
  for (PetscInt i = 0; i < n; ++i) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "word %s\n", word[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ask_for_memory(void)
{
  double *array;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)1 << 60, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A start leaves no other process beside this one. */
static PetscErrorCode be_alone(void)
{
  PetscFunctionBegin;
  PetscCheck(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, PETSC_COMM_SELF, PETSC_ERR_PLIB, "there is a child");
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char way[32] = "";

  PetscCall(RungInitialize(&argc, &argv, "Ends in several ways.\n"));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-way", way, sizeof way, NULL));
  if (!strcmp(way, "all")) PetscCall(refuse(PETSC_COMM_WORLD));
  if (!strcmp(way, "each")) PetscCall(refuse(PETSC_COMM_SELF));
  if (!strcmp(way, "some")) PetscCall(refuse_from(1));
  if (!strcmp(way, "agreed")) PetscCall(agree());
  if (!strcmp(way, "returned")) return refuse(PETSC_COMM_WORLD);
  if (!strcmp(way, "options")) PetscCall(RungOptionsCheck(PETSC_COMM_WORLD));
  if (!strcmp(way, "alone")) PetscCall(be_alone());
  if (!strcmp(way, "words")) PetscCall(ask_for_words());
  if (!strcmp(way, "memory")) PetscCall(ask_for_memory());
  if (!strcmp(way, "values")) {
    PetscReal number, list[3];
    PetscInt  whole, n = 3;
    PetscBool yes;

    PetscCall(PetscOptionsGetReal(NULL, NULL, "-number", &number, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-whole", &whole, NULL));
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-yes", &yes, NULL));
    PetscCall(PetscOptionsGetRealArray(NULL, NULL, "-list", list, &n, NULL));
  }
  if (!strcmp(way, "handled")) (void)refuse(PETSC_COMM_WORLD);
  if (!strcmp(way, "kept")) { /* by a program that asks for errors, and ends without RungFinalize() */
    (void)RungErrorBegin();
    return refuse(PETSC_COMM_WORLD) ? 0 : 1;
  }
  if (!strncmp(way, "incomplete", 10)) {
    PetscCall(RungIncomplete(PETSC_COMM_WORLD, "the file \"a\" is missing: no room"));
    PetscCall(RungIncomplete(PETSC_COMM_WORLD, "the file \"b\" is missing: no room"));
  }
  PetscCall(RungFinalize());
  return !strcmp(way, "incomplete_7") ? 7 : 0;
}
