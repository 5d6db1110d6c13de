/* file.c - files written whole or not at all, and whether one may be written at all: the folder, the name's length, what is
   there (file_kind.c). */
#include "file_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define ASIDE ".part" /* behind the name of a file that is not whole yet */

/* Is the file that was opened still the one of that name?  Who held its lock before may have given it its final name. */
static PetscBool is_named(int file, const char path[])
{
  struct stat opened, named;

  return fstat(file, &opened) == 0 && stat(path, &named) == 0 && opened.st_ino == named.st_ino &&
             opened.st_dev == named.st_dev
           ? PETSC_TRUE
           : PETSC_FALSE;
}

int RungFileLock(const char path[])
{
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);

  if (file < 0) return -1;
  if ((flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) && is_named(file, path)) return file;
  (void)close(file);
  errno = EWOULDBLOCK;
  return -1;
}

PetscErrorCode RungFileComplete(const char path[], const char extension[], char full[PETSC_MAX_PATH_LEN])
{
  const size_t n = strlen(path), m = strlen(extension);

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(full, PETSC_MAX_PATH_LEN, "%s%s", path,
                          n > m && !strcmp(path + n - m, extension) && path[n - m - 1] != '/' ? "" : extension));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* O_NONBLOCK: a pipe that nobody writes to is opened at once, and refused. */
FILE *RungFileOpen(const char path[], char why[], size_t room)
{
  const int   file   = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  FILE       *stream = NULL;
  struct stat status;

  if (file < 0 || fstat(file, &status) != 0)
    (void)snprintf(why, room, "%s", strerror(errno));
  else if (!S_ISREG(status.st_mode))
    (void)snprintf(why, room, "it is a %s; wanted a file", S_ISDIR(status.st_mode) ? "folder" : "pipe or device");
  else if (!(stream = fdopen(file, "rb")))
    (void)snprintf(why, room, "%s", strerror(errno));
  if (file >= 0 && !stream) (void)close(file);
  return stream;
}

/* Write aside, flush to the disk, rename: a reader sees the old file or the new one, never half of one. */
PetscBool RungFileWriteAside(const char path[], size_t size, const char bytes[], char why[], size_t room)
{
  char  aside[PETSC_MAX_PATH_LEN + 8];
  FILE *file;
  int   code = 0;

  (void)snprintf(aside, sizeof aside, "%s" ASIDE, path);
  if (!RungFileMayReplace(path, why, room) || !RungFileMayReplace(aside, why, room)) return PETSC_FALSE;
  file = fopen(aside, "wb");
  if (!file) {
    (void)snprintf(why, room, "%s", strerror(errno));
    return PETSC_FALSE;
  }
  if (fwrite(bytes, 1, size, file) != size || fflush(file) != 0 || fsync(fileno(file)) != 0) code = errno;
  if (fclose(file) != 0 && !code) code = errno;
  if (!code && rename(aside, path) != 0) code = errno;
  if (code) {
    (void)snprintf(why, room, "%s", strerror(code));
    (void)unlink(aside);
  }
  return code ? PETSC_FALSE : PETSC_TRUE;
}

PetscErrorCode RungFileWrite(MPI_Comm comm, const char path[], size_t size, const char bytes[])
{
  PetscMPIInt rank;
  PetscBool   ok       = PETSC_TRUE;
  char        why[256] = "";

  PetscFunctionBegin;
  PetscCheck(path && path[0], comm, PETSC_ERR_ARG_WRONG, "a file without a path cannot be written; give it one");
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) ok = RungFileWriteAside(path, size, bytes, why, sizeof why);
  RungCheckAll(ok, comm, PETSC_ERR_FILE_WRITE, "cannot write \"%s\": %s; choose another place", path, why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "/dev/null" with an extension behind it is not what was meant. */
static PetscBool is_no_device(const char path[], char why[], size_t room)
{
  const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  char        stem[PETSC_MAX_PATH_LEN];
  struct stat status;

  if (!dot || (slash && dot < slash)) return PETSC_TRUE;
  (void)snprintf(stem, sizeof stem, "%.*s", (int)(dot - path), path);
  if (stat(stem, &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) return PETSC_TRUE;
  (void)snprintf(why, room, "\"%.200s\" is a device or pipe", stem);
  return PETSC_FALSE;
}

/* The folder is there and can be written to, and its files may have names that long. */
static PetscBool has_place(const char path[], char why[], size_t room)
{
  const char  *slash  = strrchr(path, '/');
  const size_t length = strlen(slash ? slash + 1 : path) + strlen(ASIDE);
  char         folder[PETSC_MAX_PATH_LEN];
  struct stat  status;
  long         most;

  errno = 0;
  if (slash)
    (void)snprintf(folder, sizeof folder, "%.*s", (int)(slash == path ? 1 : slash - path), path);
  else
    (void)snprintf(folder, sizeof folder, ".");
  if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode) || access(folder, W_OK | X_OK) != 0) {
    (void)snprintf(why, room, "%s", errno ? strerror(errno) : strerror(ENOTDIR));
    return PETSC_FALSE;
  }
  most = pathconf(folder, _PC_NAME_MAX);
  if (most < 0 || length <= (size_t)most) return PETSC_TRUE;
  (void)snprintf(why, room, "its name with \"" ASIDE "\" has %d bytes, the folder takes %ld", (int)length, most);
  return PETSC_FALSE;
}

PetscErrorCode RungFileCheck(MPI_Comm comm, const char what[], const char path[], RungFileKind kind)
{
  const RungFileKind unfinished = kind == RUNG_FILE_SEALED ? RUNG_FILE_UNSEALED : kind;
  PetscMPIInt        rank;
  PetscBool          ok = PETSC_TRUE;
  char               aside[PETSC_MAX_PATH_LEN + 8], why[256] = "";

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscSNPrintf(aside, sizeof aside, "%s" ASIDE, path));
  if (!rank)
    ok = is_no_device(path, why, sizeof why) && RungFileIsOurs(path, kind, why, sizeof why) &&
             RungFileIsOurs(aside, unfinished, why, sizeof why) && has_place(path, why, sizeof why)
           ? PETSC_TRUE
           : PETSC_FALSE;
  RungCheckAll(ok, comm, PETSC_ERR_FILE_OPEN,
               "%s \"%s\" cannot be written: %s; take another place for it, or move what is in the way", what, path,
               why);
  PetscFunctionReturn(PETSC_SUCCESS);
}
