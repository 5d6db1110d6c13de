/* listen.h - what a run writes on the standard error. */
#pragma once
#include <check.h>
#include <fcntl.h>
#include <unistd.h>

typedef struct {
  int screen, file;
} Listen;

/* Each rank has a file of its own. */
static inline PetscErrorCode listen_begin(Listen *listen)
{
  PetscMPIInt rank;
  char        path[64];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscSNPrintf(path, sizeof path, "said_%d.txt", rank));
  (void)fflush(stderr);
  listen->screen = dup(STDERR_FILENO);
  listen->file   = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  CHECK(listen->screen >= 0 && listen->file >= 0 && dup2(listen->file, STDERR_FILENO) >= 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode listen_end(Listen *listen, size_t size, char said[])
{
  ssize_t n;

  PetscFunctionBegin;
  (void)fflush(stderr);
  CHECK(dup2(listen->screen, STDERR_FILENO) >= 0);
  n                   = pread(listen->file, said, size - 1, 0);
  said[n > 0 ? n : 0] = 0;
  CHECK(close(listen->screen) == 0 && close(listen->file) == 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}
