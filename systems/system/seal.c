/* seal.c - a file that is whole or refused.

   HDF5 ignores what follows its own end of file.  There a checkpoint has 64 bytes of text: a mark, its length and a hash
   of all bytes before.  A file that was cut, has a wrong bit or comes from elsewhere is refused before HDF5 sees it.  The
   hash is a sum over blocks, so that all ranks can read a share of them. */
#include "seal_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MARK  RUNG_SEAL_MARK
#define SEAL  RUNG_SEAL_LENGTH
#define BLOCK (1 << 20)

static uint64_t scramble(uint64_t z) /* splitmix64 */
{
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static uint64_t hash_block(uint64_t index, size_t n, const unsigned char bytes[])
{
  uint64_t hash = scramble(index ^ (uint64_t)n << 32), word = 0;

  for (size_t i = 0; i + 8 <= n; i += 8) {
    memcpy(&word, bytes + i, 8);
    hash = scramble(hash ^ word);
  }
  word = 0;
  memcpy(&word, bytes + n / 8 * 8, n % 8);
  return scramble(hash ^ word);
}

/* Sum over the blocks first, first + stride, ..; 0 and errno on trouble. */
static int hash_file(const char path[], uint64_t size, uint64_t first, uint64_t stride, uint64_t *sum)
{
  unsigned char *bytes;
  FILE          *file = fopen(path, "rb");
  int            ok   = 1;

  *sum = 0;
  if (!file) return 0;
  bytes = (unsigned char *)malloc(BLOCK);
  for (uint64_t b = first; bytes && ok && b * BLOCK < size; b += stride) {
    const size_t n = (size_t)(size - b * BLOCK < BLOCK ? size - b * BLOCK : BLOCK);

    errno = 0;
    ok    = fseeko(file, (off_t)(b * BLOCK), SEEK_SET) == 0 && fread(bytes, 1, n, file) == n;
    if (ok) *sum += hash_block(b, n, bytes);
  }
  if (!ok && !errno) errno = EIO;
  ok = ok && bytes;
  free(bytes);
  (void)fclose(file);
  return ok;
}

static PetscErrorCode hash_by_all(MPI_Comm comm, const char path[], uint64_t size, uint64_t *hash)
{
  PetscMPIInt rank, ranks;
  uint64_t    mine;
  int         ok, code;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCallMPI(MPI_Bcast(&size, 1, MPI_UINT64_T, 0, comm));
  ok   = hash_file(path, size, (uint64_t)rank, (uint64_t)ranks, &mine);
  code = errno;
  RungCheckAll(ok, comm, PETSC_ERR_FILE_READ, "checkpoint \"%s\" cannot be read: %s", path, strerror(code));
  PetscCallMPI(MPI_Allreduce(&mine, hash, 1, MPI_UINT64_T, MPI_SUM, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void print_seal(uint64_t size, uint64_t hash, char seal[SEAL + 1])
{
  (void)snprintf(seal, SEAL + 1, "%s%016llx %016llx %10s\n", MARK, (unsigned long long)size, (unsigned long long)hash,
                 "");
  seal[SEAL - 1] = '\n';
}

/* Flush of the folder, so that the new name is on the disk too; not every file system can. */
static void flush_folder(const char path[])
{
  char  folder[PETSC_MAX_PATH_LEN];
  char *slash;
  int   fd;

  (void)snprintf(folder, sizeof folder, "%s", path);
  slash = strrchr(folder, '/');
  if (slash)
    slash[slash == folder ? 1 : 0] = 0;
  else
    (void)snprintf(folder, sizeof folder, ".");
  fd = open(folder, O_RDONLY);
  if (fd < 0) return;
  (void)fsync(fd);
  (void)close(fd);
}

static int append_and_rename(const char aside[], const char path[], const char seal[])
{
  FILE *file = fopen(aside, "ab");
  int   ok;

  if (!file) return 0;
  ok = fwrite(seal, 1, SEAL, file) == SEAL && fflush(file) == 0 && fsync(fileno(file)) == 0;
  if (fclose(file) != 0) ok = 0;
  if (!ok || rename(aside, path) != 0) return 0;
  flush_folder(path);
  return 1;
}

PetscErrorCode RungSealTry(MPI_Comm comm, const char path[], const char aside[], PetscBool *ok, char why[], size_t room)
{
  PetscMPIInt rank;
  FILE       *file;

  PetscFunctionBegin;
  *ok = PETSC_TRUE;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  *ok = RungFileIsOurs(path, RUNG_FILE_SEALED, why, room) && RungFileIsOurs(aside, RUNG_FILE_UNSEALED, why, room)
          ? PETSC_TRUE
          : PETSC_FALSE;
  if (!*ok) PetscFunctionReturn(PETSC_SUCCESS);
  file = fopen(aside, "wb");
  *ok  = file && fclose(file) == 0 ? PETSC_TRUE : PETSC_FALSE;
  if (!*ok) (void)snprintf(why, room, "%s", strerror(errno));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSealRoom(MPI_Comm comm, const char path[], double bytes)
{
  PetscMPIInt    rank;
  struct statvfs disk;
  const double   most = bytes + 65536; /* with names, attributes and the tree of an HDF5 file */
  double         room = PETSC_INFINITY;
  char           folder[PETSC_MAX_PATH_LEN], *slash;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscStrncpy(folder, path, sizeof folder));
  slash = strrchr(folder, '/');
  if (slash) slash[slash == folder ? 1 : 0] = 0;
  if (!rank && statvfs(slash ? folder : ".", &disk) == 0) room = (double)disk.f_bavail * (double)disk.f_frsize;
  RungCheckAll(most <= room, comm, PETSC_ERR_FILE_WRITE,
               "\"%s\" takes up to %.3g MB, its disk has %.3g MB left; choose another place, the one before it stays",
               path, most / 1e6, room / 1e6);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSealForget(MPI_Comm comm, const char aside[])
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) (void)remove(aside);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSealWrite(MPI_Comm comm, const char aside[], const char path[])
{
  PetscMPIInt rank;
  struct stat status;
  uint64_t    size = 0, hash;
  char        seal[SEAL + 1];
  int         ok = 1, code = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) {
    ok   = stat(aside, &status) == 0;
    code = errno;
    if (ok) size = (uint64_t)status.st_size;
  }
  RungCheckAll(ok, comm, PETSC_ERR_FILE_WRITE, "checkpoint \"%s\" cannot be written: %s", path, strerror(code));
  PetscCall(hash_by_all(comm, aside, size, &hash));
  if (!rank) {
    print_seal(size, hash, seal);
    ok   = append_and_rename(aside, path, seal);
    code = errno;
    if (!ok) (void)remove(aside);
  }
  RungCheckAll(ok, comm, PETSC_ERR_FILE_WRITE, "checkpoint \"%s\" cannot be written: %s; the one before it stays", path,
               strerror(code));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0: length and hash that the seal states, or why there is none. */
static int read_seal(const char path[], uint64_t *size, uint64_t *hash, char why[], size_t room)
{
  char               seal[SEAL + 1] = "";
  unsigned long long said[2]        = {0, 0};
  FILE              *file           = RungFileOpen(path, why, room);
  off_t              length;
  int                ok;

  if (!file) return 0;
  ok     = fseeko(file, 0, SEEK_END) == 0;
  length = ftello(file);
  ok     = ok && length >= SEAL && fseeko(file, length - SEAL, SEEK_SET) == 0 && fread(seal, 1, SEAL, file) == SEAL;
  (void)fclose(file);
  if (!ok || strncmp(seal, MARK, strlen(MARK)) != 0 ||
      sscanf(seal + strlen(MARK), "%llx %llx", &said[0], &said[1]) != 2) {
    (void)snprintf(why, room, "it does not end with the seal of a checkpoint: cut short, or no checkpoint at all");
    return 0;
  }
  *size = said[0];
  *hash = said[1];
  if (*size == (uint64_t)length - SEAL) return 1;
  (void)snprintf(why, room, "it has %lld bytes, its seal speaks of %llu", (long long)(length - SEAL), said[0]);
  return 0;
}

PetscErrorCode RungSealCheck(MPI_Comm comm, const char path[])
{
  PetscMPIInt rank;
  uint64_t    size = 0, said = 0, hash;
  char        why[256] = "";
  int         ok       = 1;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) ok = read_seal(path, &size, &said, why, sizeof why);
  RungCheckAll(ok, comm, PETSC_ERR_FILE_UNEXPECTED, "checkpoint \"%s\" is refused: %s; take an older one", path, why);
  PetscCall(hash_by_all(comm, path, size, &hash));
  RungCheckAll(rank || hash == said, comm, PETSC_ERR_FILE_UNEXPECTED,
               "checkpoint \"%s\" is refused: its bytes are not those that were written; take an older one", path);
  PetscFunctionReturn(PETSC_SUCCESS);
}
