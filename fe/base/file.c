/* file.c - text files written whole or not at all, and pictures drawn of them by gnuplot. */
#include "rungfe.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

PetscBool RungFileMayReplace(const char path[], char why[], size_t room)
{
  struct stat status;

  if (stat(path, &status) != 0 || S_ISREG(status.st_mode)) return PETSC_TRUE;
  (void)snprintf(why, room, "a %s of that name exists", S_ISDIR(status.st_mode) ? "folder" : "device or pipe");
  return PETSC_FALSE;
}

/* Write aside, flush to the disk, rename: a reader sees the old file or the new one, never half of one. */
static int WriteAside(const char path[], size_t size, const char bytes[], char why[], size_t room)
{
  char  aside[PETSC_MAX_PATH_LEN];
  FILE *file;
  int   bad;

  if (!RungFileMayReplace(path, why, room)) return 0;
  (void)snprintf(aside, sizeof aside, "%s.part", path);
  file = fopen(aside, "wb");
  if (!file) {
    (void)snprintf(why, room, "%s", strerror(errno));
    return 0;
  }
  bad = fwrite(bytes, 1, size, file) != size || fflush(file) != 0 || fsync(fileno(file)) != 0;
  if (bad) (void)snprintf(why, room, "%s", strerror(errno));
  if (fclose(file) != 0 && !bad) {
    (void)snprintf(why, room, "%s", strerror(errno));
    bad = 1;
  }
  if (!bad && rename(aside, path) != 0) {
    (void)snprintf(why, room, "%s", strerror(errno));
    bad = 1;
  }
  if (bad) (void)remove(aside);
  return !bad;
}

PetscErrorCode RungFileWrite(MPI_Comm comm, const char path[], size_t size, const char bytes[])
{
  PetscMPIInt rank;
  int         ok       = 1;
  char        why[256] = "";

  PetscFunctionBegin;
  PetscCheck(path && path[0], comm, PETSC_ERR_ARG_WRONG, "a file without a path cannot be written; give it one");
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) ok = WriteAside(path, size, bytes, why, sizeof why);
  RungCheckAll(ok, comm, PETSC_ERR_FILE_WRITE, "cannot write \"%s\": %s; choose another place", path, why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Exit status of a program, 127 where it cannot be started. */
static int Run(const char program[], const char argument[])
{
  char *const argv[] = {(char *)program, (char *)argument, NULL};
  pid_t       child;
  int         status;

  if (posix_spawnp(&child, program, NULL, NULL, argv, environ) != 0) return 127;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 127;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

PetscErrorCode RungPlot(MPI_Comm comm, const char path[], const char script[])
{
  PetscMPIInt rank;
  char        name[PETSC_MAX_PATH_LEN], *text;
  size_t      size = strlen(path) + strlen(script) + 256;
  int         status;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscSNPrintf(name, sizeof name, "%s.gp", path));
  PetscCall(PetscMalloc1(size, &text));
  PetscCall(PetscSNPrintf(text, size, "set terminal pngcairo size 900,600\nset output '%s'\n%s", path, script));
  PetscCall(RungFileWrite(comm, name, strlen(text), text));
  PetscCall(PetscFree(text));
  if (!rank) {
    status = Run("gnuplot", name);
    if (status == 127)
      PetscCall(PetscPrintf(PETSC_COMM_SELF,
                            "note: no picture %s: gnuplot is not installed (package gnuplot-nox); its script is %s\n",
                            path, name));
    else if (status)
      PetscCall(
        PetscPrintf(PETSC_COMM_SELF, "note: no picture %s: gnuplot ended with status %d on %s\n", path, status, name));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
