/* disk.c - HDF5's way to the disk: a write that fails is remembered, and HDF5 never hears of it; a read that fails, or
   that goes behind the end of a file, is an error.

   HDF5 can neither flush nor close a file whose metadata it could not write, and its end in the process then crashes.  So this driver keeps
   the errno of the first failure and touches the file no more.  Metadata that HDF5 writes afterwards stays in memory, where HDF5 finds them
   again; numbers of data sets, which it reads no more, are dropped.  The file is then worthless, and the store removes it. */
#include "disk_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if H5_VERSION_GE(1, 13, 0)
  #include <H5FDdevelop.h>
#endif

#define LONGEST ((size_t)1 << 30) /* bytes of one call: Linux moves at most 2^31 - 4096 */

typedef struct Kept {
  struct Kept  *next;
  haddr_t       at;
  size_t        size;
  unsigned char bytes[]; /* [size] */
} Kept;

/* A file that is read keeps no trouble: HDF5 may let go of it when the place for that is gone. */
typedef struct {
  H5FD_t  base; /* of HDF5, stands first                                        */
  int     fd;   /* owned                                                        */
  int    *trouble;
  int     reads;        /* the file is open for reading alone                           */
  haddr_t eoa, eof;     /* end of what HDF5 has given out, and of what it wrote */
  Kept   *first, **end; /* owned: metadata since the trouble, in their order    */
} Disk;

static void remember(Disk *disk, int code)
{
  if (!*disk->trouble) *disk->trouble = code;
}

static H5FD_t *open_disk(const char name[], unsigned flags, hid_t list, haddr_t most)
{
  int *const *trouble = (int *const *)H5Pget_driver_info(list);
  const int   how     = (flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY) | (flags & H5F_ACC_TRUNC ? O_TRUNC : 0) |
                  (flags & H5F_ACC_CREAT ? O_CREAT : 0) | (flags & H5F_ACC_EXCL ? O_EXCL : 0);
  Disk *disk;

  (void)most;
  if (!trouble) return NULL;
  disk      = (Disk *)calloc(1, sizeof *disk);
  **trouble = disk ? 0 : ENOMEM; /* HDF5 opens twice: it looks for the file before it makes one */
  if (!disk) return NULL;
  disk->trouble = *trouble;
  disk->reads   = !(flags & H5F_ACC_RDWR);
  disk->end     = &disk->first;
  do disk->fd = open(name, how | O_CLOEXEC, 0666);
  while (disk->fd < 0 && errno == EINTR);
  if (disk->fd >= 0) {
    const off_t size = lseek(disk->fd, 0, SEEK_END);

    disk->eof = size > 0 ? (haddr_t)size : 0;
    return &disk->base;
  }
  remember(disk, errno);
  free(disk);
  return NULL;
}

static herr_t close_disk(H5FD_t *file)
{
  Disk *disk = (Disk *)file;

  if (close(disk->fd) != 0 && errno != EINTR && !disk->reads) remember(disk, errno);
  for (Kept *kept = disk->first, *next; kept; kept = next) {
    next = kept->next;
    free(kept);
  }
  free(disk);
  return 0;
}

/* Files get the bytes that HDF5's own driver gives them.  Where they are read metadata are not accumulated: HDF5 copies
   behind that buffer where a heap says a wrong length. */
static herr_t tell_abilities(const H5FD_t *file, unsigned long *flags)
{
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA;
  if (!file || !((const Disk *)file)->reads) *flags |= H5FD_FEAT_ACCUMULATE_METADATA;
  return 0;
}

static haddr_t get_eoa(const H5FD_t *file, H5FD_mem_t type)
{
  (void)type;
  return ((const Disk *)file)->eoa;
}

static herr_t set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t end)
{
  (void)type;
  ((Disk *)file)->eoa = end;
  return 0;
}

static haddr_t get_eof(const H5FD_t *file, H5FD_mem_t type)
{
  (void)type;
  return ((const Disk *)file)->eof;
}

/* What is behind the end of a file that is written is zero. */
static uint64_t number_at(const unsigned char bytes[8])
{
  uint64_t n = 0;

  for (int i = 7; i >= 0; --i) n = n << 8 | bytes[i];
  return n;
}

/* A heap: "HEAP", .., its length, the place of its first free block, its address; a free block has the place of the next one,
   1 behind the last.  HDF5 adds to the length before it asks whether so much is there, and follows blocks in a circle as
   long as there is memory. */
static int is_wrong_heap(const Disk *disk, H5FD_mem_t type, const unsigned char bytes[], size_t size)
{
  unsigned char block[8];
  uint64_t      length, place, left;

  if (type != H5FD_MEM_LHEAP || size < 32 || memcmp(bytes, "HEAP", 4) != 0) return 0;
  length = number_at(bytes + 8);
  if (length > disk->eof) return 1;
  for (place = number_at(bytes + 16), left = length / 16; place != 1 && left; --left) {
    if (pread(disk->fd, block, sizeof block, (off_t)(number_at(bytes + 24) + place)) != sizeof block) return 1;
    place = number_at(block);
  }
  return place != 1;
}

static herr_t read_disk(H5FD_t *file, H5FD_mem_t type, hid_t list, haddr_t at, size_t size, void *buffer)
{
  Disk          *disk  = (Disk *)file;
  unsigned char *bytes = (unsigned char *)buffer;

  (void)list;
  for (size_t done = 0; done < size;) {
    const size_t  most = size - done < LONGEST ? size - done : LONGEST;
    const ssize_t n    = pread(disk->fd, bytes + done, most, (off_t)(at + done));

    if (n < 0 && errno == EINTR) continue;
    if (n <= 0 && disk->reads) return -1;
    if (n < 0) remember(disk, errno);
    if (n <= 0) {
      memset(bytes + done, 0, size - done);
      break;
    }
    done += (size_t)n;
  }
  for (const Kept *kept = disk->first; kept; kept = kept->next) {
    const haddr_t from = kept->at > at ? kept->at : at;
    const haddr_t to   = kept->at + kept->size < at + size ? kept->at + kept->size : at + size;

    if (from < to) memcpy(bytes + (from - at), kept->bytes + (from - kept->at), (size_t)(to - from));
  }
  return disk->reads && is_wrong_heap(disk, type, bytes, size) ? -1 : 0;
}

static void keep(Disk *disk, haddr_t at, size_t size, const unsigned char bytes[])
{
  Kept *kept = (Kept *)malloc(sizeof *kept + size);

  if (!kept) return;
  kept->next = NULL;
  kept->at   = at;
  kept->size = size;
  memcpy(kept->bytes, bytes, size);
  *disk->end = kept;
  disk->end  = &kept->next;
}

static herr_t write_disk(H5FD_t *file, H5FD_mem_t type, hid_t list, haddr_t at, size_t size, const void *buffer)
{
  Disk                *disk  = (Disk *)file;
  const unsigned char *bytes = (const unsigned char *)buffer;
  size_t               done  = 0;

  (void)list;
  while (done < size && !*disk->trouble) {
    const size_t  most = size - done < LONGEST ? size - done : LONGEST;
    const ssize_t n    = pwrite(disk->fd, bytes + done, most, (off_t)(at + done));

    if (n > 0) done += (size_t)n;
    if (n == 0 || (n < 0 && errno != EINTR)) remember(disk, n == 0 ? ENOSPC : errno);
  }
  if (done < size && type != H5FD_MEM_DRAW) keep(disk, at + done, size - done, bytes + done);
  if (at + size > disk->eof) disk->eof = at + size;
  return 0;
}

/* The file gets the length that HDF5 has given out. */
static herr_t cut_disk(H5FD_t *file, hid_t list, hbool_t closing)
{
  Disk *disk = (Disk *)file;
  int   code = 0;

  (void)list;
  (void)closing;
  if (disk->eoa == disk->eof || disk->reads) return 0;
  do code = *disk->trouble ? 0 : ftruncate(disk->fd, (off_t)disk->eoa);
  while (code != 0 && errno == EINTR);
  if (code != 0) remember(disk, errno);
  disk->eof = disk->eoa;
  return 0;
}

/* Of HDF5, until it ends: it looks at a driver once more when the last file that holds it has let go of it. */
static hid_t driver = -1;

static herr_t forget_driver(void)
{
  driver = -1;
  return 0;
}

static const H5FD_class_t DRIVER = {
#if H5_VERSION_GE(1, 13, 2)
  .version = H5FD_CLASS_VERSION,
  .value   = 400, /* of those that HDF5 leaves to others; no file has it */
#endif
  .name      = "rung_disk",
  .maxaddr   = ((haddr_t)1 << (8 * sizeof(off_t) - 1)) - 1,
  .fc_degree = H5F_CLOSE_WEAK,
  .terminate = forget_driver,
  .fapl_size = sizeof(int *),
  .open      = open_disk,
  .close     = close_disk,
  .query     = tell_abilities,
  .get_eoa   = get_eoa,
  .set_eoa   = set_eoa,
  .get_eof   = get_eof,
  .read      = read_disk,
  .write     = write_disk,
  .truncate  = cut_disk,
  .fl_map    = H5FD_FLMAP_DICHOTOMY,
};

int RungDiskUse(hid_t list, int *trouble)
{
  if (driver < 0) driver = H5FDregister(&DRIVER);
  return driver >= 0 && H5Pset_driver(list, driver, &trouble) >= 0 ? 0 : -1;
}
