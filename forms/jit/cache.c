/* cache.c - compiled objects on disk: a private folder of KEY.so and, to be read, KEY.c.

   KEY hashes everything that decides about the object.  An object is made in a folder of its own, ends with its size
   and hash, and is renamed when it is whole; so a reader sees all of it or nothing, whatever is killed when, and what a
   machine that stops leaves half-written on its disk is not taken either.  Jobs that
   want the same key wait for each other at a lock. */
#define _GNU_SOURCE
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
static PetscBool is_private(const char folder[], char reason[RUNG_REASON_SIZE])
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

static PetscBool make_folder(const char folder[], char reason[RUNG_REASON_SIZE])
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
  return is_private(folder, reason);
}

/* Removes a folder of files. */
static void remove_folder(const char folder[])
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

static char temporary[PETSC_MAX_PATH_LEN]; /* folder for this process, removed at its end */

static void remove_temporary(void)
{
  if (temporary[0]) remove_folder(temporary);
  temporary[0] = 0;
}

PetscBool RungCacheOpen(const char wanted[], char folder[PETSC_MAX_PATH_LEN], char reason[RUNG_REASON_SIZE])
{
  const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

  if (wanted[0]) {
    RungJitPrint(folder, PETSC_MAX_PATH_LEN, "%s%s", wanted[0] == '-' ? "./" : "",
                 wanted); /* no option of a compiler */
    return make_folder(folder, reason);
  }
  folder[0] = 0;
  if (base && base[0] == '/')
    RungJitPrint(folder, PETSC_MAX_PATH_LEN, "%s/rung", base);
  else if (home && home[0] == '/')
    RungJitPrint(folder, PETSC_MAX_PATH_LEN, "%s/.cache/rung", home);
  if (folder[0] && make_folder(folder, reason)) return PETSC_TRUE;
  if (!temporary[0]) {
    RungJitPrint(temporary, sizeof temporary, "%s/rung-XXXXXX", RungTemporaryFolder());
    if (!mkdtemp(temporary)) {
      temporary[0] = 0;
      RungJitPrint(reason, RUNG_REASON_SIZE, "no cache folder can be made; name one with -form_cache");
      return PETSC_FALSE;
    }
    (void)atexit(remove_temporary);
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

static Trailer trailer_of(const char bytes[], size_t size)
{
  Trailer trailer = {.magic = {'R', 'U', 'N', 'G', 'O', 'B', 'J', '1'}, .size = size, .hash = {1, 2}};

  RungHashText(bytes, size, trailer.hash);
  return trailer;
}

/* The whole file, malloc; NULL if it cannot be read. */
static char *read_file(const char path[], size_t *size)
{
  char  why[128];
  FILE *file  = RungFileOpen(path, why, sizeof why);
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
  *bytes = read_file(path, size);
  if (!*bytes) return;
  if (*size > sizeof found) {
    *size -= sizeof found;
    memcpy(&found, *bytes + *size, sizeof found);
    wanted = trailer_of(*bytes, *size);
    if (!memcmp(&found, &wanted, sizeof found)) {
      (void)utimensat(AT_FDCWD, path, NULL, 0); /* used now: see RungCacheTrim */
      return;
    }
  }
  free(*bytes);
  *bytes = NULL;
}

void RungCacheRemove(const char folder[], const char key[])
{
  char path[NAME_SIZE];

  RungJitPrint(path, sizeof path, "%s/%s.so", folder, key);
  (void)unlink(path);
  RungJitPrint(path, sizeof path, "%s/%s.c", folder, key);
  (void)unlink(path);
}

/* ---- objects of any compiler: a link KEY-WITHOUT-COMPILER.any to KEY.so -------------------------------------------- */

PetscBool RungCacheFindAny(const char folder[], const char any[], char key[40])
{
  char path[NAME_SIZE], to[64];

  RungJitPrint(path, sizeof path, "%s/%s.any", folder, any);
  if (readlink(path, to, sizeof to) != 35) return PETSC_FALSE;
  RungJitPrint(key, 40, "%.32s", to);
  RungJitPrint(path, sizeof path, "%s/%s.so", folder, key);
  return access(path, R_OK) ? PETSC_FALSE : PETSC_TRUE;
}

void RungCacheAddAny(const char folder[], const char any[], const char key[])
{
  char path[NAME_SIZE], fresh[NAME_SIZE], to[64];

  RungJitPrint(to, sizeof to, "%s.so", key);
  RungJitPrint(path, sizeof path, "%s/%s.any", folder, any);
  RungJitPrint(fresh, sizeof fresh, "%s/%s.%d.any", folder, any, (int)getpid());
  if (symlink(to, fresh)) return;
  if (rename(fresh, path)) (void)unlink(fresh);
}

/* Links to objects that are gone. */
static void remove_links(const char folder[])
{
  DIR           *list = opendir(folder);
  struct dirent *entry;
  char           path[NAME_SIZE + 256];

  while (list && (entry = readdir(list))) {
    const size_t n = strlen(entry->d_name);

    if (n < 4 || strcmp(entry->d_name + n - 4, ".any") != 0) continue;
    RungJitPrint(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (access(path, F_OK)) (void)unlink(path);
  }
  if (list) (void)closedir(list);
}

/* ---- its size ----------------------------------------------------------------------------------------------------- */

/* One object with its source. */
typedef struct {
  char            key[40];
  double          bytes;
  struct timespec used;
} Entry;

static int compare_use(const void *a, const void *b)
{
  const struct timespec *p = &((const Entry *)a)->used, *q = &((const Entry *)b)->used;

  if (p->tv_sec != q->tv_sec) return p->tv_sec < q->tv_sec ? -1 : 1;
  return p->tv_nsec < q->tv_nsec ? -1 : p->tv_nsec > q->tv_nsec;
}

/* The objects of the folder, malloc. */
static Entry *list_objects(const char folder[], size_t *n)
{
  DIR           *list = opendir(folder);
  struct dirent *file;
  Entry         *entry = NULL;

  *n = 0;
  while (list && (file = readdir(list))) {
    const size_t length = strlen(file->d_name);
    char         path[NAME_SIZE + 256];
    struct stat  info, source;
    Entry       *grown;

    if (length != 35 || strcmp(file->d_name + 32, ".so") != 0) continue;
    RungJitPrint(path, sizeof path, "%s/%s", folder, file->d_name);
    if (stat(path, &info) || !(grown = (Entry *)realloc(entry, (*n + 1) * sizeof *entry))) continue;
    entry = grown;
    RungJitPrint(entry[*n].key, sizeof entry->key, "%.32s", file->d_name);
    RungJitPrint(path, sizeof path, "%s/%s.c", folder, entry[*n].key);
    entry[*n].bytes    = (double)info.st_size + (stat(path, &source) ? 0. : (double)source.st_size);
    entry[(*n)++].used = info.st_mtim;
  }
  if (list) (void)closedir(list);
  return entry;
}

/* Another job may hold what goes: it has loaded the bytes already, or makes the object again. */
void RungCacheTrim(const char folder[], const char key[], double limit)
{
  size_t    n;
  Entry    *entry   = list_objects(folder, &n);
  double    sum     = 0;
  PetscBool removed = PETSC_FALSE;

  if (n) qsort(entry, n, sizeof *entry, compare_use);
  for (size_t i = 0; i < n; ++i) sum += entry[i].bytes;
  for (size_t i = 0; i < n && sum > limit; ++i) {
    if (!strcmp(entry[i].key, key)) continue;
    RungCacheRemove(folder, entry[i].key);
    sum -= entry[i].bytes;
    removed = PETSC_TRUE;
  }
  if (removed) remove_links(folder);
  free(entry);
}

/* ---- making one ---------------------------------------------------------------------------------------------------
 */

static PetscBool write_file(const char path[], size_t size, const char bytes[], PetscBool append)
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
  if (file >= 0 && close(file)) good = PETSC_FALSE;
  return good;
}

/* Open and locked; -1 where that does not work; *busy: another job has it.  The lock saves work, it does not keep things
   right. */
static int lock_file(const char path[], PetscBool *busy)
{
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600); /* never waits for a pipe */

  *busy = PETSC_FALSE;
  if (file < 0 || !flock(file, LOCK_EX | LOCK_NB)) return file;
  *busy = errno == EWOULDBLOCK || errno == EINTR ? PETSC_TRUE : PETSC_FALSE;
  (void)close(file);
  return -1;
}

/* What killed jobs have left: build folders and lock files that nobody has locked; young ones may be about to be. */
static void remove_stale(const char folder[])
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
    file = open(locked, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (file >= 0 && flock(file, LOCK_EX | LOCK_NB)) {
      (void)close(file);
      continue;
    }
    if (build)
      remove_folder(path);
    else
      (void)unlink(path);
    if (file >= 0) (void)close(file);
  }
  if (list) (void)closedir(list);
}

static void lock_path(const RungKernelBuild *build, char path[NAME_SIZE])
{
  RungJitPrint(path, NAME_SIZE, "%s/%s.lock", build->folder, build->key);
}

/* Removes what the build has on disk and lets others have a go. */
static void end_build(RungKernelBuild *build, RungBuildState state)
{
  char path[NAME_SIZE];

  build->state = state;
  if (build->build[0]) remove_folder(build->build);
  build->build[0] = 0;
  if (build->build_lock >= 0) (void)close(build->build_lock);
  lock_path(build, path);
  if (build->lock >= 0) {
    (void)unlink(path);
    (void)close(build->lock);
  }
  build->lock = build->build_lock = -1;
}

/* Source and compiler in a folder of their own. */
static PetscBool start_compiler(RungKernelBuild *build, char reason[RUNG_REASON_SIZE])
{
  char      path[NAME_SIZE + 32], object[NAME_SIZE + 32], define[96];
  PetscBool busy;

  RungJitPrint(build->build, sizeof build->build, "%s/build.XXXXXX", build->folder);
  if (!mkdtemp(build->build)) {
    build->build[0] = 0;
    RungJitPrint(reason, RUNG_REASON_SIZE, "%s cannot be written: %s", build->folder, strerror(errno));
    return PETSC_FALSE;
  }
  RungJitPrint(path, sizeof path, "%s/build", build->build);
  build->build_lock = lock_file(path, &busy);
  RungJitPrint(path, sizeof path, "%s/kernel.c", build->build);
  RungJitPrint(object, sizeof object, "%s/kernel.so", build->build);
  RungJitPrint(define, sizeof define, "-DRUNG_KEY=\"%s\"", build->key);
  if (!write_file(path, strlen(build->source), build->source, PETSC_FALSE)) {
    RungJitPrint(reason, RUNG_REASON_SIZE, "%s cannot be written: %s", path, strerror(errno));
    return PETSC_FALSE;
  }
  return RungCompilerStart(&build->compiler, build->flags, define, build->build, path, object, &build->child, reason);
}

/* The object gets its trailer and moves to its place, whole. */
static PetscBool keep_object(RungKernelBuild *build, char reason[RUNG_REASON_SIZE])
{
  char    text[NAME_SIZE + 32], object[NAME_SIZE + 32], place[NAME_SIZE], *bytes;
  size_t  size = 0;
  Trailer trailer;

  RungJitPrint(text, sizeof text, "%s/kernel.c", build->build);
  RungJitPrint(object, sizeof object, "%s/kernel.so", build->build);
  bytes = read_file(object, &size);
  if (!bytes) {
    RungJitPrint(reason, RUNG_REASON_SIZE, "%s reports success but has written no object", build->compiler.path);
    return PETSC_FALSE;
  }
  trailer = trailer_of(bytes, size);
  free(bytes);
  RungJitPrint(place, sizeof place, "%s/%s.c", build->folder, build->key);
  (void)rename(text, place);
  RungJitPrint(place, sizeof place, "%s/%s.so", build->folder, build->key);
  if (!write_file(object, sizeof trailer, (const char *)&trailer, PETSC_TRUE) || rename(object, place)) {
    RungJitPrint(reason, RUNG_REASON_SIZE, "%s cannot be written: %s", place, strerror(errno));
    return PETSC_FALSE;
  }
  RungCacheRead(build->folder, build->key, &build->bytes, &build->size);
  if (!build->bytes) RungJitPrint(reason, RUNG_REASON_SIZE, "%s cannot be read back", place);
  return build->bytes ? PETSC_TRUE : PETSC_FALSE;
}

void RungBuildBegin(const char folder[], const char key[], const RungCompiler *compiler, const char flags[],
                    const char source[], RungKernelBuild *build, char reason[RUNG_REASON_SIZE])
{
  memset(build, 0, sizeof *build);
  RungJitPrint(build->folder, sizeof build->folder, "%s", folder);
  RungJitPrint(build->key, sizeof build->key, "%s", key);
  RungJitPrint(build->flags, sizeof build->flags, "%s", flags);
  build->compiler = *compiler;
  build->child.id = -1;
  build->lock = build->build_lock = -1;
  build->patience                 = (double)time(NULL) + LOCK_PATIENCE;
  build->source                   = strdup(source);
  remove_stale(folder);
  if (build->source) {
    RungBuildPoll(build, reason);
  } else {
    build->state = RUNG_BUILD_FAILED;
    RungJitPrint(reason, RUNG_REASON_SIZE, "no memory for the source of a form");
  }
}

void RungBuildPoll(RungKernelBuild *build, char reason[RUNG_REASON_SIZE])
{
  if (build->state == RUNG_BUILD_WAITING) {
    char      path[NAME_SIZE];
    PetscBool busy;

    lock_path(build, path);
    build->lock = lock_file(path, &busy);
    if (busy && (double)time(NULL) < build->patience) return;
    RungCacheRead(build->folder, build->key, &build->bytes, &build->size); /* made while we waited */
    if (build->bytes)
      end_build(build, RUNG_BUILD_GOOD);
    else if (start_compiler(build, reason))
      build->state = RUNG_BUILD_COMPILING;
    else
      end_build(build, RUNG_BUILD_FAILED);
    return;
  }
  if (build->state != RUNG_BUILD_COMPILING || !RungCompilerEnded(&build->child)) return;
  if (RungCompilerSucceeded(&build->compiler, build->build, &build->child, reason) && keep_object(build, reason))
    end_build(build, RUNG_BUILD_GOOD);
  else
    end_build(build, RUNG_BUILD_FAILED);
}

void RungBuildFree(RungKernelBuild *build)
{
  if (build->state == RUNG_BUILD_WAITING || build->state == RUNG_BUILD_COMPILING) {
    RungCompilerStop(&build->child);
    end_build(build, RUNG_BUILD_FAILED);
  }
  free(build->source);
  free(build->bytes);
  build->source = build->bytes = NULL;
}
