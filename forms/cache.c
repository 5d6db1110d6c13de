/* cache.c - compiled objects on disk: a private folder of KEY.so and, to be read, KEY.c.

   KEY hashes everything that decides about the object.  An object is made in a folder of its own, ends with its size
   and hash, and is renamed when it is whole; so a reader sees all of it or nothing, whatever is killed when.  Jobs that
   want the same key wait for each other at a lock. */
#include "jit_impl.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_PATIENCE 60.0 /* seconds to wait for a job that compiles the same; then compile beside it */
#define NAME_SIZE     (PETSC_MAX_PATH_LEN + 96)

void RungHashText(const char text[], size_t n, uint64_t hash[2])
{
  for (size_t i = 0; i < n; ++i) {
    hash[0] = (hash[0] ^ (unsigned char)text[i]) * 0x100000001b3u; /* FNV-1a */
    hash[1] = (hash[1] + (unsigned char)text[i] + 1) * 0x9e3779b97f4a7c15u;
    hash[1] ^= hash[1] >> 29;
  }
}

/* ---- the folder ---------------------------------------------------------------------------------------------------
 */

/* Ours, and nobody else may write to it: what is loaded from it runs in our name. */
static PetscBool IsPrivate(const char folder[], char reason[RUNG_REASON_SIZE])
{
  struct stat info;

  if (lstat(folder, &info) || !S_ISDIR(info.st_mode)) {
    RungJitPrint(reason, RUNG_REASON_SIZE, "cache folder \"%s\" is not a folder; name another one", folder);
  } else if (info.st_uid != geteuid()) {
    RungJitPrint(reason, RUNG_REASON_SIZE, "cache folder \"%s\" belongs to another user; name another one", folder);
  } else if (info.st_mode & (S_IWGRP | S_IWOTH)) {
    RungJitPrint(reason, RUNG_REASON_SIZE, "others may write to cache folder \"%s\"; chmod it to 700", folder);
  } else if (access(folder, R_OK | W_OK | X_OK)) {
    RungJitPrint(reason, RUNG_REASON_SIZE, "cache folder \"%s\" cannot be written", folder);
  } else {
    return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static PetscBool MakeFolder(const char folder[], char reason[RUNG_REASON_SIZE])
{
  char path[PETSC_MAX_PATH_LEN];

  RungJitPrint(path, sizeof path, "%s", folder);
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    (void)mkdir(path, 0700);
    *slash = '/';
  }
  if (mkdir(path, 0700) && errno != EEXIST) {
    RungJitPrint(reason, RUNG_REASON_SIZE, "cache folder \"%s\" cannot be made: %s", folder, strerror(errno));
    return PETSC_FALSE;
  }
  return IsPrivate(folder, reason);
}

/* Removes a folder of files. */
static void RemoveFolder(const char folder[])
{
  DIR           *list = opendir(folder);
  struct dirent *entry;
  char           path[NAME_SIZE + 256];

  while (list && (entry = readdir(list))) {
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    RungJitPrint(path, sizeof path, "%s/%s", folder, entry->d_name);
    (void)unlink(path);
  }
  if (list) (void)closedir(list);
  (void)rmdir(folder);
}

static char temporary[64]; /* folder for this process, removed at its end */

static void RemoveTemporary(void)
{
  if (temporary[0]) RemoveFolder(temporary);
  temporary[0] = 0;
}

PetscBool RungCacheOpen(const char wanted[], char folder[PETSC_MAX_PATH_LEN], char reason[RUNG_REASON_SIZE])
{
  const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

  if (wanted[0]) {
    RungJitPrint(folder, PETSC_MAX_PATH_LEN, "%s", wanted);
    return MakeFolder(folder, reason);
  }
  folder[0] = 0;
  if (base && base[0] == '/')
    RungJitPrint(folder, PETSC_MAX_PATH_LEN, "%s/rung", base);
  else if (home && home[0] == '/')
    RungJitPrint(folder, PETSC_MAX_PATH_LEN, "%s/.cache/rung", home);
  if (folder[0] && MakeFolder(folder, reason)) return PETSC_TRUE;
  if (!temporary[0]) {
    RungJitPrint(temporary, sizeof temporary, "/tmp/rung-XXXXXX");
    if (!mkdtemp(temporary)) {
      temporary[0] = 0;
      RungJitPrint(reason, RUNG_REASON_SIZE, "no cache folder can be made; name one with -form_cache");
      return PETSC_FALSE;
    }
    (void)atexit(RemoveTemporary);
  }
  RungJitPrint(folder, PETSC_MAX_PATH_LEN, "%s", temporary);
  return PETSC_TRUE;
}

/* ---- objects ------------------------------------------------------------------------------------------------------
 */

typedef struct {
  char     magic[8];
  uint64_t size, hash[2];
} Trailer;

static Trailer TrailerOf(const char bytes[], size_t size)
{
  Trailer trailer = {.magic = {'R', 'U', 'N', 'G', 'O', 'B', 'J', '1'}, .size = size, .hash = {1, 2}};

  RungHashText(bytes, size, trailer.hash);
  return trailer;
}

/* The whole file, malloc; NULL if it cannot be read. */
static char *ReadFile(const char path[], size_t *size)
{
  FILE *file  = fopen(path, "rb");
  char *bytes = NULL;
  long  n;

  if (!file) return NULL;
  if (!fseek(file, 0, SEEK_END) && (n = ftell(file)) > 0 && !fseek(file, 0, SEEK_SET)) {
    bytes = (char *)malloc((size_t)n);
    if (bytes && fread(bytes, 1, (size_t)n, file) != (size_t)n) {
      free(bytes);
      bytes = NULL;
    }
    *size = (size_t)n;
  }
  (void)fclose(file);
  return bytes;
}

void RungCacheRead(const char folder[], const char key[], char **bytes, size_t *size)
{
  char    path[NAME_SIZE];
  Trailer found, wanted;

  RungJitPrint(path, sizeof path, "%s/%s.so", folder, key);
  *bytes = ReadFile(path, size);
  if (!*bytes) return;
  if (*size > sizeof found) {
    *size -= sizeof found;
    memcpy(&found, *bytes + *size, sizeof found);
    wanted = TrailerOf(*bytes, *size);
    if (!memcmp(&found, &wanted, sizeof found)) return;
  }
  free(*bytes);
  *bytes = NULL;
}

void RungCacheRemove(const char folder[], const char key[])
{
  char path[NAME_SIZE];

  RungJitPrint(path, sizeof path, "%s/%s.so", folder, key);
  (void)unlink(path);
}

/* ---- making one ---------------------------------------------------------------------------------------------------
 */

static PetscBool WriteFile(const char path[], size_t size, const char bytes[], PetscBool append)
{
  const int file = open(path, O_WRONLY | (append ? O_APPEND : O_CREAT | O_TRUNC), 0600);
  PetscBool good = file < 0 ? PETSC_FALSE : PETSC_TRUE;

  for (size_t done = 0; good && done < size;) {
    const ssize_t n = write(file, bytes + done, size - done);

    if (n > 0)
      done += (size_t)n;
    else if (errno != EINTR)
      good = PETSC_FALSE;
  }
  if (good && fsync(file)) good = PETSC_FALSE;
  if (file >= 0 && close(file)) good = PETSC_FALSE;
  return good;
}

/* Open and locked, or -1 where that does not work (in time): the lock saves work, it does not keep things right. */
static int Lock(const char path[])
{
  const struct timespec pause = {0, 2000000};
  const int             file  = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

  for (double waited = 0; file >= 0 && waited < LOCK_PATIENCE; waited += 0.002) {
    if (!flock(file, LOCK_EX | LOCK_NB)) return file;
    if (errno != EWOULDBLOCK && errno != EINTR) break;
    (void)nanosleep(&pause, NULL);
  }
  if (file >= 0) (void)close(file);
  return -1;
}

/* What killed jobs have left: build folders and lock files that nobody has locked; young ones may be about to be. */
static void RemoveStale(const char folder[])
{
  DIR           *list = opendir(folder);
  struct dirent *entry;
  char           path[NAME_SIZE + 256], locked[NAME_SIZE + 320];

  while (list && (entry = readdir(list))) {
    const size_t    n     = strlen(entry->d_name);
    const PetscBool build = strncmp(entry->d_name, "build.", 6) ? PETSC_FALSE : PETSC_TRUE;
    struct stat     info;
    int             file;

    if (!build && (n < 5 || strcmp(entry->d_name + n - 5, ".lock") != 0)) continue;
    RungJitPrint(path, sizeof path, "%s/%s", folder, entry->d_name);
    RungJitPrint(locked, sizeof locked, "%s%s", path, build ? "/build" : "");
    if (stat(path, &info) || info.st_mtime > time(NULL) - 60) continue;
    file = open(locked, O_RDWR | O_CLOEXEC);
    if (file >= 0 && flock(file, LOCK_EX | LOCK_NB)) {
      (void)close(file);
      continue;
    }
    if (build)
      RemoveFolder(path);
    else
      (void)unlink(path);
    if (file >= 0) (void)close(file);
  }
  if (list) (void)closedir(list);
}

/* Compiles in the folder `build` and moves the whole object to its place. */
static PetscBool Build(const char folder[], const char build[], const char key[], const RungCompiler *compiler,
                       const char flags[], const char source[], char reason[RUNG_REASON_SIZE])
{
  char    text[NAME_SIZE + 32], object[NAME_SIZE + 32], place[NAME_SIZE], define[96], *bytes;
  size_t  size = 0;
  Trailer trailer;

  RungJitPrint(text, sizeof text, "%s/kernel.c", build);
  RungJitPrint(object, sizeof object, "%s/kernel.so", build);
  RungJitPrint(define, sizeof define, "-DRUNG_KEY=\"%s\"", key);
  if (!WriteFile(text, strlen(source), source, PETSC_FALSE)) {
    RungJitPrint(reason, RUNG_REASON_SIZE, "%s cannot be written: %s", text, strerror(errno));
    return PETSC_FALSE;
  }
  if (!RungCompilerRun(compiler, flags, define, build, text, object, reason)) return PETSC_FALSE;
  bytes = ReadFile(object, &size);
  if (!bytes) {
    RungJitPrint(reason, RUNG_REASON_SIZE, "%s reports success but has written no object", compiler->path);
    return PETSC_FALSE;
  }
  trailer = TrailerOf(bytes, size);
  free(bytes);
  RungJitPrint(place, sizeof place, "%s/%s.c", folder, key);
  (void)rename(text, place);
  RungJitPrint(place, sizeof place, "%s/%s.so", folder, key);
  if (WriteFile(object, sizeof trailer, (const char *)&trailer, PETSC_TRUE) && !rename(object, place))
    return PETSC_TRUE;
  RungJitPrint(reason, RUNG_REASON_SIZE, "%s cannot be written: %s", place, strerror(errno));
  return PETSC_FALSE;
}

PetscBool RungCacheCompile(const char folder[], const char key[], const RungCompiler *compiler, const char flags[],
                           const char source[], char **bytes, size_t *size, char reason[RUNG_REASON_SIZE])
{
  char      lock_path[NAME_SIZE], build[NAME_SIZE], build_path[NAME_SIZE + 8];
  int       lock, build_lock;
  PetscBool good = PETSC_TRUE;

  RemoveStale(folder);
  RungJitPrint(lock_path, sizeof lock_path, "%s/%s.lock", folder, key);
  lock = Lock(lock_path);
  RungCacheRead(folder, key, bytes, size); /* made while we waited */
  if (!*bytes) {
    RungJitPrint(build, sizeof build, "%s/build.XXXXXX", folder);
    if (!mkdtemp(build)) {
      RungJitPrint(reason, RUNG_REASON_SIZE, "%s cannot be written: %s", folder, strerror(errno));
      good = PETSC_FALSE;
    } else {
      RungJitPrint(build_path, sizeof build_path, "%s/build", build);
      build_lock = Lock(build_path);
      good       = Build(folder, build, key, compiler, flags, source, reason);
      RemoveFolder(build);
      if (build_lock >= 0) (void)close(build_lock);
    }
    if (good) RungCacheRead(folder, key, bytes, size);
    if (good && !*bytes) {
      RungJitPrint(reason, RUNG_REASON_SIZE, "the object of %s in %s cannot be read back", key, folder);
      good = PETSC_FALSE;
    }
  }
  (void)unlink(lock_path);
  if (lock >= 0) (void)close(lock);
  return good;
}
