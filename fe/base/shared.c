/* shared.c - is a folder the same for all ranks?  A rank on another machine, or with another working directory, would write
   its share of a result where nobody looks for it. */
#include "base_impl.h"
#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#define NONCE 16 /* bytes */

/* A word that no file from before can hold: the time and the process. */
static void choose(unsigned char nonce[NONCE])
{
  struct timespec now;
  const pid_t     pid = getpid();

  memset(nonce, 0, NONCE);
  (void)clock_gettime(CLOCK_REALTIME, &now);
  memcpy(nonce, &now.tv_nsec, 4);
  memcpy(nonce + 4, &now.tv_sec, 8);
  memcpy(nonce + 12, &pid, 4);
}

static int put(const char path[], const unsigned char nonce[NONCE])
{
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  int       ok;

  if (file < 0) return 0;
  ok = write(file, nonce, NONCE) == NONCE;
  if (close(file) != 0) ok = 0;
  return ok;
}

static int get(const char path[], const unsigned char nonce[NONCE], char why[], size_t room)
{
  const int     file = open(path, O_RDONLY | O_CLOEXEC);
  unsigned char found[NONCE];
  int           ok;

  ok = file >= 0 && read(file, found, NONCE) == NONCE && memcmp(found, nonce, NONCE) == 0;
  if (!ok) (void)snprintf(why, room, "%s", file < 0 ? strerror(errno) : "it holds something else");
  if (file >= 0) (void)close(file);
  return ok;
}

PetscErrorCode RungFolderCheckShared(MPI_Comm comm, const char folder[])
{
  PetscMPIInt   rank, ranks;
  unsigned char nonce[NONCE];
  char          path[PETSC_MAX_PATH_LEN + 16], why[256] = "";
  int           ok = 1;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  if (ranks == 1) PetscFunctionReturn(PETSC_SUCCESS);
  (void)snprintf(path, sizeof path, "%s/.rung_shared", folder);
  choose(nonce);
  if (!rank) {
    ok = put(path, nonce);
    if (!ok) (void)snprintf(why, sizeof why, "%s", strerror(errno));
  }
  RungCheckAll(ok, comm, PETSC_ERR_FILE_OPEN, "cannot write into the folder \"%s\": %s; choose another place", folder,
               why);
  PetscCallMPI(MPI_Bcast(nonce, NONCE, MPI_BYTE, 0, comm));
  if (rank) ok = get(path, nonce, why, sizeof why);
  PetscCallMPI(MPI_Barrier(comm));
  if (!rank) (void)unlink(path);
  RungCheckAll(ok, comm, PETSC_ERR_FILE_OPEN,
               "rank %d does not see the folder \"%s\" that rank 0 writes into: %s; take one that all ranks share",
               rank, folder, why);
  PetscFunctionReturn(PETSC_SUCCESS);
}
