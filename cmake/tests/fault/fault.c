/* fault.c - a library that is put in front of a program's others (LD_PRELOAD) and lets one call of a chosen kind fail.

   The program is the one that users run; nothing of this is in it.  What to do stands in the environment:

     RUNG_FAIL_KIND   malloc, open, read, write, fsync, rename, collective, compile, factor, nan, clock
     RUNG_FAIL_AT     the call that fails, counted from 1 on; 0: none, calls are counted
     RUNG_FAIL_RANK   the rank on which it fails (0)
     RUNG_FAIL_EVER   1: that call and all behind it
     RUNG_FAIL_ROOT   folder: calls on files count only below it
     RUNG_FAIL_LOG    file to which each rank appends "rank calls failed"

   What counts: malloc, memory of PETSc and of the program's own code; open, files and folders opened, made, taken away; write,
   also lengths that are set; nan, values of exp(); clock, questions for the time of day, which is a day earlier from the one
   that fails on.  Seconds of MPI_Wtime() are a tenth of one, since ranks that wait for one that has failed do so for ten. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <math.h>
#include <mpi.h>
#include <petscmat.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* PETSc counts messages by macros of these names. */
#undef MPI_Allreduce
#undef MPI_Reduce
#undef MPI_Bcast
#undef MPI_Barrier
#undef MPI_Allgather
#undef MPI_Exscan
#undef MPI_Scan
#undef MPI_Wtime

enum { MALLOC, OPEN, READ, WRITE, FSYNC, RENAME, COLLECTIVE, COMPILE, FACTOR, NOT_A_NUMBER, CLOCK, KINDS };
static const char *const kind_names[KINDS] = {"malloc",     "open",    "read",   "write", "fsync", "rename",
                                              "collective", "compile", "factor", "nan",   "clock"};
enum { MAX_FILES = 4096, MAX_PATH = 4096 };

static struct {
  int       kind;               /* -1: nothing is counted                                            */
  long      at, calls;          /* the call that fails; calls so far                                 */
  int       here, ever, done;   /* this rank fails; calls behind too; one has failed                 */
  int       rank;               /* of MPI_COMM_WORLD, from the environment                           */
  char      root[MAX_PATH];     /* absolute, without a slash at its end                              */
  char      log[MAX_PATH];      /* empty: none                                                       */
  char      watched[MAX_FILES]; /* [descriptor] opened below root                                  */
  uintptr_t begin, end;         /* addresses of the program's own code                               */
} it = {.kind = -1};

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char name[])
{
  void *found = dlsym(RTLD_NEXT, name);

  if (!found) abort();
  return found;
}

/* "rank calls failed": at the end, and where a call fails, behind which there may be no end. */
static void tell(const char what[])
{
  char      text[512];
  int       n    = snprintf(text, sizeof text, "%d %ld %s\n", it.rank, it.calls, what), file;
  const int kind = it.kind;

  it.kind = -1;
  file    = it.log[0] ? REAL(open)(it.log, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
  if (file >= 0) {
    (void)!REAL(write)(file, text, (size_t)n);
    (void)REAL(close)(file);
  }
  it.kind = kind;
}

/* Whether this call of the kind is one to fail. */
static int fails(int kind, const char what[], const char detail[])
{
  char text[256];

  if (it.kind != kind) return 0;
  ++it.calls;
  if (!it.here || !it.at || (it.ever ? it.calls < it.at : it.calls != it.at)) return 0;
  (void)snprintf(text, sizeof text, "%s %s", what, detail ? detail : "");
  if (!it.done) tell(text);
  it.done = 1;
  return 1;
}

static int is_below(const char path[])
{
  char   full[2 * MAX_PATH];
  size_t length = strlen(it.root);

  if (it.kind < 0 || !path || !length) return 0;
  if (path[0] == '/') return !strncmp(path, it.root, length) && (path[length] == '/' || !path[length]);
  if (!getcwd(full, MAX_PATH)) return 0;
  return !strncmp(full, it.root, length);
}

static int is_watched(int file)
{
  return it.kind >= 0 && file >= 0 && file < MAX_FILES && it.watched[file];
}

static int watch(int file, const char path[])
{
  if (file >= 0 && file < MAX_FILES) it.watched[file] = (char)is_below(path);
  return file;
}

/* ---- files: descriptors ------------------------------------------------------------------------------------------- */

#define OPENS(name)                                                                                                    \
  int name(const char *path, int flags, ...)                                                                           \
  {                                                                                                                    \
    va_list list;                                                                                                      \
    mode_t  mode;                                                                                                      \
                                                                                                                       \
    va_start(list, flags);                                                                                             \
    mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;                                                   \
    va_end(list);                                                                                                      \
    if (is_below(path) && fails(OPEN, #name, path)) return errno = EACCES, -1;                                         \
    return watch(REAL(name)(path, flags, mode), path);                                                                 \
  }
OPENS(open)
OPENS(open64)

int close(int file)
{
  if (file >= 0 && file < MAX_FILES) it.watched[file] = 0;
  return REAL(close)(file);
}

int mkdir(const char *path, mode_t mode)
{
  if (is_below(path) && fails(OPEN, "mkdir", path)) return errno = EACCES, -1;
  return REAL(mkdir)(path, mode);
}

int mkstemp(char *path)
{
  if (is_below(path) && fails(OPEN, "mkstemp", path)) return errno = EACCES, -1;
  return watch(REAL(mkstemp)(path), path);
}

int unlink(const char *path)
{
  if (is_below(path) && fails(OPEN, "unlink", path)) return errno = EACCES, -1;
  return REAL(unlink)(path);
}

int rename(const char *from, const char *to)
{
  if (is_below(to) && fails(RENAME, "rename", to)) return errno = EACCES, -1;
  return REAL(rename)(from, to);
}

int fsync(int file)
{
  if (is_watched(file) && fails(FSYNC, "fsync", NULL)) return errno = EIO, -1;
  return REAL(fsync)(file);
}

#define READS(name, ...)                                                                                               \
  if (is_watched(file) && fails(READ, #name, NULL)) return errno = EIO, -1;                                            \
  return REAL(name)(__VA_ARGS__);
#define WRITES(name, ...)                                                                                              \
  if (is_watched(file) && fails(WRITE, #name, NULL)) return errno = ENOSPC, -1;                                        \
  return REAL(name)(__VA_ARGS__);

ssize_t read(int file, void *bytes, size_t n){READS(read, file, bytes, n)} ssize_t
  pread(int file, void *bytes, size_t n, off_t at){READS(pread, file, bytes, n, at)} ssize_t
  pread64(int file, void *bytes, size_t n, off64_t at){READS(pread64, file, bytes, n, at)} ssize_t
  write(int file, const void *bytes, size_t n){WRITES(write, file, bytes, n)} ssize_t
  pwrite(int file, const void *bytes, size_t n, off_t at){WRITES(pwrite, file, bytes, n, at)} ssize_t
  pwrite64(int file, const void *bytes, size_t n, off64_t at)
{
  WRITES(pwrite64, file, bytes, n, at)
}
int ftruncate(int file, off_t length)
{
  WRITES(ftruncate, file, length)
}
int ftruncate64(int file, off64_t length)
{
  WRITES(ftruncate64, file, length)
}

/* The same, which gives its error back. */
static int allocates(int file, int (*allocate)(int, off_t, off_t), off_t at, off_t length)
{
  if (is_watched(file) && fails(WRITE, "posix_fallocate", NULL)) return ENOSPC;
  return allocate(file, at, length);
}
int posix_fallocate(int file, off_t at, off_t length)
{
  return allocates(file, REAL(posix_fallocate), at, length);
}
int posix_fallocate64(int file, off64_t at, off64_t length)
{
  return allocates(file, REAL(posix_fallocate64), at, length);
}

/* ---- files: streams, whose own reads and writes cannot be seen: theirs are made by the functions above ------------- */

static ssize_t stream_read(void *cookie, char *bytes, size_t n)
{
  return read((int)(intptr_t)cookie, bytes, n);
}
static int stream_close(void *cookie)
{
  return close((int)(intptr_t)cookie);
}

/* 0 is an error of a stream's write. */
static ssize_t stream_write(void *cookie, const char *bytes, size_t n)
{
  const ssize_t written = write((int)(intptr_t)cookie, bytes, n);

  return written < 0 ? 0 : written;
}

static int stream_seek(void *cookie, off64_t *at, int from)
{
  const off64_t reached = lseek64((int)(intptr_t)cookie, *at, from);

  *at = reached;
  return reached < 0 ? -1 : 0;
}

static struct {
  FILE *stream;
  int   file;
} streams[64];

static FILE *make_stream(int file, const char mode[])
{
  const cookie_io_functions_t functions = {stream_read, stream_write, stream_seek, stream_close};
  FILE                       *stream    = fopencookie((void *)(intptr_t)file, mode, functions);

  for (int i = 0; stream && i < 64; ++i) {
    if (streams[i].stream) continue;
    streams[i].stream = stream;
    streams[i].file   = file;
    return stream;
  }
  abort();
}

int fileno(FILE *stream)
{
  for (int i = 0; i < 64; ++i) {
    if (stream && streams[i].stream == stream) return streams[i].file;
  }
  return REAL(fileno)(stream);
}

int fclose(FILE *stream)
{
  for (int i = 0; i < 64; ++i) {
    if (streams[i].stream == stream) streams[i].stream = NULL;
  }
  return REAL(fclose)(stream);
}

static FILE *open_stream(const char path[], const char mode[], FILE *(*open_it)(const char *, const char *))
{
  int flags = strchr(mode, '+') ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY, file;

  if (!is_below(path)) return open_it(path, mode);
  if (mode[0] == 'w') flags |= O_CREAT | O_TRUNC;
  if (mode[0] == 'a') flags |= O_CREAT | O_APPEND;
  if (strchr(mode, 'x')) flags |= O_EXCL;
  if (strchr(mode, 'e')) flags |= O_CLOEXEC;
  file = open(path, flags, 0666);
  return file < 0 ? NULL : make_stream(file, mode);
}
FILE *fopen(const char *path, const char *mode)
{
  return open_stream(path, mode, REAL(fopen));
}
FILE *fopen64(const char *path, const char *mode)
{
  return open_stream(path, mode, REAL(fopen64));
}
FILE *fdopen(int file, const char *mode)
{
  return is_watched(file) ? make_stream(file, mode) : REAL(fdopen)(file, mode);
}

/* ---- memory ----------------------------------------------------------------------------------------------------------- */

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t n);

static int is_own(const void *caller)
{
  return (uintptr_t)caller >= it.begin && (uintptr_t)caller < it.end;
}
#define OWN_FAILS(what) (it.kind == MALLOC && is_own(__builtin_return_address(0)) && fails(MALLOC, what, NULL))

void *malloc(size_t n)
{
  return OWN_FAILS("malloc") ? NULL : __libc_malloc(n);
}
void *calloc(size_t n, size_t size)
{
  return OWN_FAILS("calloc") ? NULL : __libc_calloc(n, size);
}
void *realloc(void *old, size_t n)
{
  return OWN_FAILS("realloc") ? NULL : __libc_realloc(old, n);
}

static __typeof__(PetscTrMalloc)  plain_malloc; /* as they were found */
static __typeof__(PetscTrRealloc) plain_realloc;

static PetscErrorCode petsc_malloc(size_t n, PetscBool clear, int line, const char function[], const char file[],
                                   void **result)
{
  *result = NULL;
  if (fails(MALLOC, function, file))
    return PetscError(PETSC_COMM_SELF, line, function, file, PETSC_ERR_MEM, PETSC_ERROR_INITIAL,
                      "Memory requested %.0f", (double)n);
  return plain_malloc(n, clear, line, function, file, result);
}

static PetscErrorCode petsc_realloc(size_t n, int line, const char function[], const char file[], void **result)
{
  if (fails(MALLOC, function, file))
    return PetscError(PETSC_COMM_SELF, line, function, file, PETSC_ERR_MEM, PETSC_ERROR_INITIAL,
                      "Memory requested %.0f", (double)n);
  return plain_realloc(n, line, function, file, result);
}

/* ---- messages, compilers, factors, values ---------------------------------------------------------------------------- */

#define COLLECTIVE_CALL(name, types, arguments)                                                                        \
  int name types                                                                                                       \
  {                                                                                                                    \
    if (fails(COLLECTIVE, #name, NULL)) return MPI_ERR_OTHER;                                                          \
    return P##name arguments;                                                                                          \
  }
COLLECTIVE_CALL(MPI_Allreduce, (const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
                (in, out, n, type, op, comm))
COLLECTIVE_CALL(MPI_Reduce, (const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
                (in, out, n, type, op, root, comm))
COLLECTIVE_CALL(MPI_Bcast, (void *data, int n, MPI_Datatype type, int root, MPI_Comm comm), (data, n, type, root, comm))
COLLECTIVE_CALL(MPI_Barrier, (MPI_Comm comm), (comm))
COLLECTIVE_CALL(MPI_Allgather,
                (const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype type_out, MPI_Comm comm),
                (in, n, type, out, m, type_out, comm))
COLLECTIVE_CALL(MPI_Exscan, (const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
                (in, out, n, type, op, comm))
COLLECTIVE_CALL(MPI_Scan, (const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
                (in, out, n, type, op, comm))

int posix_spawn(pid_t *id, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *how,
                char *const argv[], char *const env[])
{
  if (fails(COMPILE, "posix_spawn", path)) return EAGAIN;
  return REAL(posix_spawn)(id, path, actions, how, argv, env);
}

#define FACTORISES(name)                                                                                               \
  PetscErrorCode name(Mat F, Mat A, const MatFactorInfo *info)                                                         \
  {                                                                                                                    \
    if (fails(FACTOR, #name, NULL))                                                                                    \
      return PetscError(PETSC_COMM_SELF, __LINE__, #name, "fault.c", PETSC_ERR_MAT_LU_ZRPVT, PETSC_ERROR_INITIAL,      \
                        "Zero pivot");                                                                                 \
    return REAL(name)(F, A, info);                                                                                     \
  }
FACTORISES(MatLUFactorNumeric)
FACTORISES(MatCholeskyFactorNumeric)

double exp(double x)
{
  return fails(NOT_A_NUMBER, "exp", NULL) ? NAN : REAL(exp)(x);
}

/* A day earlier from the call that fails on. */
static time_t shift(const char what[])
{
  if (it.kind == CLOCK && !it.done) (void)fails(CLOCK, what, NULL);
  return it.kind == CLOCK && it.done ? 86400 : 0;
}

time_t time(time_t *seconds)
{
  const time_t now = REAL(time)(NULL) - shift("time");

  if (seconds) *seconds = now;
  return now;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
  const int code = REAL(gettimeofday)(now, zone);

  now->tv_sec -= shift("gettimeofday");
  return code;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
  const int code = REAL(clock_gettime)(clock, now);

  if (clock == CLOCK_REALTIME) now->tv_sec -= shift("clock_gettime");
  return code;
}

double MPI_Wtime(void)
{
  return 10 * PMPI_Wtime();
}

/* ---- begin and end ------------------------------------------------------------------------------------------------------ */

/* The first object that is listed is the program. */
static int find_code(struct dl_phdr_info *info, size_t size, void *unused)
{
  (void)size;
  (void)unused;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];

    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    it.begin = info->dlpi_addr + part->p_vaddr;
    it.end   = it.begin + part->p_memsz;
  }
  return 1;
}

static const char *word(const char name[])
{
  const char *text = getenv(name);

  return text ? text : "";
}

__attribute__((constructor)) static void begin(void)
{
  const char *kind = getenv("RUNG_FAIL_KIND");

  (void)unsetenv("LD_PRELOAD"); /* compilers and gnuplot run as ever */
  if (!kind) return;
  it.rank = atoi(word("OMPI_COMM_WORLD_RANK"));
  it.at   = atol(word("RUNG_FAIL_AT"));
  it.here = atoi(word("RUNG_FAIL_RANK")) == it.rank;
  it.ever = atoi(word("RUNG_FAIL_EVER"));
  (void)snprintf(it.root, sizeof it.root, "%s", word("RUNG_FAIL_ROOT"));
  (void)snprintf(it.log, sizeof it.log, "%s", word("RUNG_FAIL_LOG"));
  (void)dl_iterate_phdr(find_code, NULL);
  plain_malloc   = PetscTrMalloc;
  plain_realloc  = PetscTrRealloc;
  PetscTrMalloc  = petsc_malloc;
  PetscTrRealloc = petsc_realloc;
  for (int i = 0; i < KINDS; ++i) {
    if (!strcmp(kind, kind_names[i])) it.kind = i;
  }
  if (it.kind < 0) abort();
}

__attribute__((destructor)) static void end(void)
{
  if (it.kind >= 0) tell("-");
  it.kind = -1;
}
