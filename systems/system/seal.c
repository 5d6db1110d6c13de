/* seal.c - a file that is whole or refused.

   HDF5 ignores what follows its own end of file.  There a checkpoint has 64 bytes of text: a mark, its length and a hash
   of all bytes before.  A file that was cut, has a wrong bit or comes from elsewhere is refused before HDF5 sees it. */
#include "seal_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
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

/* Sum over the blocks; 0 and errno on trouble. */
static int hash_file(const char path[], uint64_t size, uint64_t *sum)
{
  unsigned char *bytes;
  FILE          *file = fopen(path, "rb");
  int            ok   = 1;

  *sum = 0;
  if (!file) return 0;
  bytes = (unsigned char *)malloc(BLOCK);
  for (uint64_t b = 0; bytes && ok && b * BLOCK < size; ++b) {
    const size_t n = (size_t)(size - b * BLOCK < BLOCK ? size - b * BLOCK : BLOCK);

    errno = 0;
    ok    = fseeko(file, (off_t)(b * BLOCK), SEEK_SET) == 0 && fread(bytes, 1, n, file) == n;
    if (ok) *sum += hash_block(b, n, bytes);
  }
  if (!ok && !errno) errno = EIO;
  if (!bytes) errno = ENOMEM;
  ok = ok && bytes;
  free(bytes);
  (void)fclose(file); /* it was read */
  return ok;
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

int RungSealTry(const char path[], const char aside[], int *lock, char why[], size_t room)
{
  if (!RungFileIsOurs(path, RUNG_FILE_SEALED, why, room) || !RungFileIsOurs(aside, RUNG_FILE_UNSEALED, why, room))
    return 0;
  *lock = RungFileLock(aside);
  if (*lock >= 0 && ftruncate(*lock, 0) == 0) return 1;
  (void)snprintf(why, room, "%s", *lock < 0 && errno == EWOULDBLOCK ? "another run is writing it" : strerror(errno));
  if (*lock >= 0) (void)close(*lock);
  *lock = -1;
  return 0;
}

/* Bytes that are left to us on the disk of `path`, infinity where nobody knows. */
static double room_left(const char path[])
{
  struct statvfs disk;
  char           folder[PETSC_MAX_PATH_LEN], *slash;

  (void)snprintf(folder, sizeof folder, "%s", path);
  slash = strrchr(folder, '/');
  if (slash) slash[slash == folder ? 1 : 0] = 0;
  return statvfs(slash ? folder : ".", &disk) == 0 ? (double)disk.f_bavail * (double)disk.f_frsize : INFINITY;
}

/* Asked first, since some file systems reserve by writing zeros; some cannot at all, which is no trouble. */
int RungSealReserve(const char path[], const char aside[], double bytes, char why[], size_t room)
{
  const double left = room_left(path);
  struct stat  status;
  int          file, code = 0;

  if (bytes > left) {
    (void)snprintf(why, room, "it takes up to %.3g MB, its disk has %.3g MB left", bytes / 1e6, left / 1e6);
    return 0;
  }
  file = open(aside, O_WRONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &status) != 0) code = errno;
  if (!code) code = posix_fallocate(file, status.st_size, (off_t)bytes);
  if (file >= 0 && close(file) != 0 && !code) code = errno;
  if (!code || code == EOPNOTSUPP || code == EINVAL) return 1;
  (void)snprintf(why, room, "%s: %.3g MB cannot be had", strerror(code), bytes / 1e6);
  return 0;
}

int RungSealWrite(const char aside[], const char path[], char why[], size_t room)
{
  struct stat status;
  uint64_t    hash;
  char        seal[SEAL + 1];
  int         ok = stat(aside, &status) == 0 && hash_file(aside, (uint64_t)status.st_size, &hash);

  if (ok) {
    print_seal((uint64_t)status.st_size, hash, seal);
    ok = append_and_rename(aside, path, seal);
  }
  if (!ok) (void)snprintf(why, room, "%s", strerror(errno));
  if (!ok) (void)unlink(aside);
  return ok;
}

/* Length and hash that the seal states, or why there is none. */
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

int RungSealCheck(const char path[], char why[], size_t room)
{
  uint64_t size = 0, said = 0, hash;

  if (!read_seal(path, &size, &said, why, room)) return 0;
  if (!hash_file(path, size, &hash)) {
    (void)snprintf(why, room, "%s", strerror(errno));
    return 0;
  }
  if (hash == said) return 1;
  (void)snprintf(why, room, "its bytes are not those that were written");
  return 0;
}
