/* test_disk.c - a store on a disk that refuses any of its writes, or any byte of them, is told of, and HDF5 ends cleanly. */
#define _GNU_SOURCE /* syscall */
#include "check.h"
#include "disk_impl.h"
#include "store_impl.h"
#include "limit.h"
#include "vectors.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#if H5_VERSION_GE(1, 13, 0)
  #include <H5FDdevelop.h>
#endif

/* What the disk does to writes from here on. */
static struct {
  int    writes;    /* so far                                              */
  int    refuse_at; /* the write that fails; 0: none                       */
  int    code;      /* .. with this errno                                  */
  size_t at_once;   /* bytes that one write takes; 0: all                  */
  int    interrupt; /* every second one is interrupted before it has begun */
} disk;

/* Stands before the one of the C library in this program, for what is linked into it. */
ssize_t pwrite(int file, const void *bytes, size_t size, off_t at)
{
  ++disk.writes;
  if (disk.interrupt && disk.writes % 2) {
    errno = EINTR;
    return -1;
  }
  if (disk.refuse_at && disk.writes >= disk.refuse_at) {
    errno = disk.code;
    return -1;
  }
  if (disk.at_once && size > disk.at_once) size = disk.at_once;
  return syscall(SYS_pwrite64, file, bytes, size, at);
}

/* A file with many names, long texts and vectors; `limit` is that of files once room was reserved. */
static PetscErrorCode put_all(rlim_t limit, PetscBool *ok, char why[], size_t room)
{
  RungStore store;
  char      name[64], text[1001];
  Vec       u;

  PetscFunctionBegin;
  memset(text, 'x', 1000);
  text[1000] = 0;
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, 700, PETSC_DETERMINE, &u));
  PetscCall(vec_fill(u, 3));
  PetscCall(RungStoreCreate(PETSC_COMM_WORLD, "checkpoint", "store.h5", &store));
  PetscCall(limit_files(limit));
  for (int i = 0; i < 12; ++i) {
    (void)snprintf(name, sizeof name, "name %d", i);
    PetscCall(RungStorePutNumber(store, name, i));
    (void)snprintf(name, sizeof name, "text %d", i);
    PetscCall(RungStorePutText(store, name, text));
    (void)snprintf(name, sizeof name, "vector %d", i);
    PetscCall(RungStorePutVec(store, i % 2 ? "/some" : "/others", name, u));
  }
  PetscCall(RungStoreFinish(&store, ok, why, room));
  PetscCall(limit_files(RLIM_INFINITY));
  CHECK(!store && H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) == 0);
  PetscCall(VecDestroy(&u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode is_whole(void)
{
  RungStore store;
  double    value;
  char     *text;
  Vec       u, v;
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, 700, PETSC_DETERMINE, &u));
  PetscCall(VecDuplicate(u, &v));
  PetscCall(vec_fill(u, 3));
  PetscCall(RungStoreOpen(PETSC_COMM_WORLD, "checkpoint", "store.h5", &store));
  PetscCall(RungStoreGetNumber(store, "name 11", &value));
  PetscCall(RungStoreGetText(store, "text 11", &text));
  PetscCall(RungStoreGetVec(store, "/some", "vector 11", v));
  PetscCall(RungStoreClose(&store));
  PetscCall(VecEqual(u, v, &same));
  CHECK(same && value == 11 && strlen(text) == 1000);
  PetscCall(PetscFree(text));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On every rank: the disk's word, and that nothing is left but the older file. */
static PetscErrorCode is_refused(PetscBool ok, const char why[], const char wanted[])
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (ok || !strstr(why, wanted)) fprintf(stderr, "after %d writes: \"%s\", wanted \"%s\"\n", disk.writes, why, wanted);
  CHECK(!ok && strstr(why, wanted));
  CHECK(rank || access("store.h5.part", F_OK) != 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_any_write_that_fails_is_told_and_the_older_file_stays(void)
{
  static const int codes[] = {ENOSPC, EIO, EDQUOT, EFBIG};
  PetscMPIInt      ranks;
  PetscBool        ok;
  char             why[256];
  int              writes, step;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  memset(&disk, 0, sizeof disk);
  PetscCall(put_all(RLIM_INFINITY, &ok, why, sizeof why));
  CHECK(ok);
  writes = disk.writes;
  PetscCallMPI(MPI_Bcast(&writes, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  CHECK(writes > 20);
  step = ranks == 1 ? 1 : 1 + writes / 7;
  for (int k = 1; k <= writes; k += step) {
    disk.writes    = 0;
    disk.refuse_at = k;
    disk.code      = codes[k % 4];
    PetscCall(put_all(RLIM_INFINITY, &ok, why, sizeof why));
    PetscCall(is_refused(ok, why, strerror(codes[k % 4])));
  }
  memset(&disk, 0, sizeof disk);
  PetscCall(is_whole());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes are cut short at the limit, wherever in the file it lies. */
static PetscErrorCode test_files_that_may_not_grow_end_at_any_byte(void)
{
  PetscMPIInt ranks, rank;
  PetscBool   ok;
  char        why[256];
  struct stat file   = {0};
  long long   length = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(put_all(RLIM_INFINITY, &ok, why, sizeof why));
  CHECK(ok);
  if (!rank) CHECK(stat("store.h5", &file) == 0);
  length = (long long)file.st_size;
  PetscCallMPI(MPI_Bcast(&length, 1, MPI_LONG_LONG, 0, PETSC_COMM_WORLD));
  for (long long limit = 0; limit < length; limit += ranks == 1 ? length / 29 : length / 5) {
    PetscCall(put_all((rlim_t)limit, &ok, why, sizeof why));
    PetscCall(is_refused(ok, why, strerror(EFBIG)));
  }
  PetscCall(is_whole());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_short_and_interrupted_writes_are_gone_on_with(void)
{
  PetscBool ok;
  char      why[256];

  PetscFunctionBegin;
  disk.at_once   = 37;
  disk.interrupt = 1;
  PetscCall(put_all(RLIM_INFINITY, &ok, why, sizeof why));
  memset(&disk, 0, sizeof disk);
  CHECK(ok);
  PetscCall(is_whole());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* HDF5 finds again what it wrote after the disk has refused: 0 ... 99 are on the disk, 50 ... 149 are not. */
static PetscErrorCode test_metadata_are_found_again_behind_a_refused_write(void)
{
  const hid_t   list    = H5Pcreate(H5P_FILE_ACCESS);
  int           trouble = 0;
  unsigned char first[100], second[100], found[200];
  H5FD_t       *file;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  memset(first, 1, sizeof first);
  memset(second, 2, sizeof second);
  CHECK(RungDiskUse(list, &trouble) == 0);
  file = H5FDopen("metadata.h5", H5F_ACC_RDWR | H5F_ACC_CREAT | H5F_ACC_TRUNC, list, HADDR_UNDEF);
  CHECK(file && H5FDset_eoa(file, H5FD_MEM_DEFAULT, (haddr_t)3 << 40) >= 0);
  CHECK(H5FDwrite(file, H5FD_MEM_OHDR, H5P_DEFAULT, 0, 100, first) >= 0 && trouble == 0);
  CHECK(H5FDwrite(file, H5FD_MEM_OHDR, H5P_DEFAULT, (haddr_t)1 << 40, 100, first) >= 0 && trouble == 0);
  disk.refuse_at = disk.writes + 1;
  disk.code      = EIO;
  CHECK(H5FDwrite(file, H5FD_MEM_OHDR, H5P_DEFAULT, 50, 100, second) >= 0 && trouble == EIO);
  disk.code = ENOSPC;
  CHECK(H5FDwrite(file, H5FD_MEM_DRAW, H5P_DEFAULT, 150, 50, second) >= 0 && trouble == EIO);
  CHECK(H5FDread(file, H5FD_MEM_OHDR, H5P_DEFAULT, 0, 200, found) >= 0);
  for (int i = 0; i < 200; ++i) CHECK(found[i] == (i < 50 ? 1 : i < 150 ? 2 : 0));
  CHECK(H5FDread(file, H5FD_MEM_OHDR, H5P_DEFAULT, ((haddr_t)1 << 40) + 50, 100, found) >= 0);
  for (int i = 0; i < 100; ++i) CHECK(found[i] == (i < 50 ? 1 : 0));
  CHECK(H5FDtruncate(file, H5P_DEFAULT, 1) >= 0 && H5FDclose(file) >= 0 && trouble == EIO);
  memset(&disk, 0, sizeof disk);
  CHECK(H5Pclose(list) >= 0 && unlink("metadata.h5") == 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* HDF5 1.10 lets go of a file's driver and calls it then to close the file. */
static PetscErrorCode test_the_driver_outlives_its_files_and_hdf5(void)
{
  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  for (int pass = 0; pass < 2; ++pass) {
    const hid_t list    = H5Pcreate(H5P_FILE_ACCESS);
    int         trouble = 0;
    hid_t       driver, file;

    CHECK(RungDiskUse(list, &trouble) == 0);
    driver = H5Pget_driver(list);
    file   = H5Fcreate("driver.h5", H5F_ACC_TRUNC, H5P_DEFAULT, list);
    CHECK(H5Pclose(list) >= 0 && H5Fclose(file) >= 0 && trouble == 0);
    CHECK(H5Iget_type(driver) == H5I_VFL);
    CHECK(H5close() >= 0); /* .. and begins anew */
  }
  CHECK(unlink("driver.h5") == 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_any_write_that_fails_is_told_and_the_older_file_stays),
               RUNG_TEST(test_files_that_may_not_grow_end_at_any_byte),
               RUNG_TEST(test_short_and_interrupted_writes_are_gone_on_with),
               RUNG_TEST(test_metadata_are_found_again_behind_a_refused_write),
               RUNG_TEST(test_the_driver_outlives_its_files_and_hdf5))
