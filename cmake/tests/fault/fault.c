/* fault.c - a library that is put in front of a program's others (LD_PRELOAD) and lets one call of a chosen kind fail.

   The program is the one that users run; nothing of this is in it.  What to do stands in the environment:

     RUNG_FAIL_KIND   malloc, open, read, write, fsync, rename, collective, compile, factor, nan, clock
     RUNG_FAIL_AT     the call that fails, counted from 1 on; 0: none, calls are counted
     RUNG_FAIL_RANK   the rank on which it fails (0)
     RUNG_FAIL_EVER   1: that call and all behind it
     RUNG_FAIL_ROOT   folder: calls on files count only below it
     RUNG_FAIL_LOG    file to which each rank appends "rank calls failed"
     RUNG_FAIL_SITES  file to which each rank appends "rank site calls" for each place that calls come from
     RUNG_FAIL_SITE   a site: only calls from there count
     RUNG_FAIL_DEPTH  frames of the program that a site is told by, from the call outwards (4)

   A site is a sum over the return addresses of those frames, each counted once, so that a recursion is few of them, and over
   the one that calls, where it is in a library.  The innermost frame of PETSc's
   memory is the hook of fe/base/memory.c.

   What counts: malloc, memory of PETSc and of the program's own code; open, files and folders opened, made, taken away; write,
   also lengths that are set; nan, values of exp(); clock, questions for the time of day, which is a day earlier from the one
   that fails on.  Seconds of MPI_Wtime() are a tenth of one, since ranks that wait for one that has failed do so for ten.
   Memory that the program has from PETSc at lines of its own and does not give back before PetscFinalize() ends is told by a
   line "leak: n pieces, file:line, .." on standard error. */
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
#include <unwind.h>

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
enum { MAX_FILES = 4096, MAX_PATH = 4096, MAX_SITES = 1 << 17, MAX_PIECES = 1 << 20, MAX_DEPTH = 64 };

static struct {
  int      kind;               /* -1: nothing is counted                                            */
  long     at, calls;          /* the call that fails; calls so far                                 */
  int      here, ever, done;   /* this rank fails; calls behind too; one has failed                 */
  int      rank;               /* of MPI_COMM_WORLD, from the environment                           */
  char     root[MAX_PATH];     /* absolute, without a slash at its end                              */
  char     log[MAX_PATH];      /* empty: none                                                       */
  char     sites[MAX_PATH];    /* likewise                                                          */
  int      depth;              /* frames of a site                                                  */
  uint64_t site;               /* the only one whose calls count, 0: all do                         */
  char     watched[MAX_FILES]; /* [descriptor] opened below root                                  */
} it = {.kind = -1};

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char name[])
{
  void *found = dlsym(RTLD_NEXT, name);

  if (!found) abort();
  return found;
}

/* ---- places that calls come from -------------------------------------------------------------------------------------- */

static struct site {
  uint64_t name; /* 0: none */
  long     calls;
} sites[MAX_SITES]; /* [name modulo MAX_SITES, or behind] */

static struct object {
  uintptr_t begin, end, base;
} objects[512]; /* code of the program, which is the first one, and of the libraries that it starts with */
static int objects_n, own_library;

struct walk {
  uint64_t  name;
  int       n, outside;      /* frames so far; the caller is left */
  uintptr_t seen[MAX_DEPTH]; /* frames so far */
};

/* Of the code that the address lies in, -1: none that is known. */
static int object_of(uintptr_t at)
{
  for (int i = 0; i < objects_n; ++i) {
    if (at >= objects[i].begin && at < objects[i].end) return i;
  }
  return -1;
}

static uint64_t mix(uint64_t name, uint64_t word)
{
  name = (name ^ word) * 0x9e3779b97f4a7c15u;
  return name ^ (name >> 29);
}

/* One frame, from the call outwards. */
static _Unwind_Reason_Code step_out(struct _Unwind_Context *context, void *data)
{
  struct walk    *w      = data;
  const uintptr_t at     = _Unwind_GetIP(context);
  const int       object = object_of(at);

  if (object == own_library) return _URC_NO_REASON;
  if (object && !w->outside) w->name = mix(w->name, object < 0 ? at & 4095 : at - objects[object].base);
  w->outside = 1;
  if (object) return _URC_NO_REASON;
  for (int i = 0; i < w->n; ++i) {
    if (w->seen[i] == at) return _URC_NO_REASON;
  }
  w->seen[w->n++] = at;
  w->name         = mix(w->name, at - objects[0].base);
  return w->n < it.depth && w->n < MAX_DEPTH ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static uint64_t site_here(void)
{
  struct walk w = {.name = (uint64_t)it.kind + 1};

  (void)_Unwind_Backtrace(step_out, &w);
  return w.name ? w.name : 1;
}

static void count_site(uint64_t name)
{
  for (size_t i = 0; i < MAX_SITES; ++i) {
    struct site *site = &sites[(name + i) % MAX_SITES];

    if (site->name && site->name != name) continue;
    site->name = name;
    ++site->calls;
    return;
  }
  abort();
}

static void tell_sites(void)
{
  char      text[128];
  const int file = it.sites[0] ? REAL(open)(it.sites, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;

  for (int i = 0; file >= 0 && i < MAX_SITES; ++i) {
    if (!sites[i].name) continue;
    const int n = snprintf(text, sizeof text, "%d %016llx %ld\n", it.rank, (unsigned long long)sites[i].name,
                           sites[i].calls);
    (void)!REAL(write)(file, text, (size_t)n);
  }
  if (file >= 0) (void)REAL(close)(file);
}

/* ---- calls that fail -------------------------------------------------------------------------------------------------- */

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
  const uint64_t site = it.kind == kind && (it.sites[0] || it.site) ? site_here() : 0;
  char           text[256];

  if (it.kind != kind || (it.site && it.site != site)) return 0;
  ++it.calls;
  if (it.sites[0]) count_site(site);
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
  return (uintptr_t)caller >= objects[0].begin && (uintptr_t)caller < objects[0].end;
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
static __typeof__(PetscTrFree)    plain_free;

/* What the program has from PETSc at lines of its own. */
static struct piece {
  void       *at; /* NULL: none; the address of the table: one that was given back */
  const char *file;
  int         line;
} pieces[MAX_PIECES]; /* [address modulo MAX_PIECES, or behind] */

static size_t place_of(const void *at)
{
  return (size_t)(((uintptr_t)at >> 4) * 0x9e3779b97f4a7c15u >> 40) % MAX_PIECES;
}

static void enter(void *at, int line, const char file[])
{
  if (!at || !file || strstr(file, "src/") || strstr(file, "petsc")) return;
  for (size_t i = place_of(at), n = 0; n < MAX_PIECES; ++n, i = (i + 1) % MAX_PIECES) {
    if (pieces[i].at && pieces[i].at != (void *)pieces) continue;
    pieces[i] = (struct piece){at, file, line};
    return;
  }
  abort();
}

static void leave(const void *at)
{
  for (size_t i = place_of(at), n = 0; at && pieces[i].at && n < MAX_PIECES; ++n, i = (i + 1) % MAX_PIECES) {
    if (pieces[i].at != at) continue;
    pieces[i].at = (void *)pieces;
    return;
  }
}

static void tell_leaks(void)
{
  char text[512] = "";
  int  n = 0, used = 0;

  for (size_t i = 0; i < MAX_PIECES; ++i) {
    if (!pieces[i].at || pieces[i].at == (void *)pieces) continue;
    if (n++ < 6)
      used += snprintf(text + used, sizeof text - (size_t)used, ", %.80s:%d", pieces[i].file, pieces[i].line);
  }
  if (n && PetscFinalizeCalled) (void)fprintf(stderr, "leak: %d pieces%s\n", n, text);
}

static PetscErrorCode petsc_malloc(size_t n, PetscBool clear, int line, const char function[], const char file[],
                                   void **result)
{
  *result = NULL;
  if (fails(MALLOC, function, file))
    return PetscError(PETSC_COMM_SELF, line, function, file, PETSC_ERR_MEM, PETSC_ERROR_INITIAL,
                      "Memory requested %.0f", (double)n);
  const PetscErrorCode code = plain_malloc(n, clear, line, function, file, result);

  if (!code) enter(*result, line, file);
  return code;
}

static PetscErrorCode petsc_realloc(size_t n, int line, const char function[], const char file[], void **result)
{
  if (fails(MALLOC, function, file))
    return PetscError(PETSC_COMM_SELF, line, function, file, PETSC_ERR_MEM, PETSC_ERROR_INITIAL,
                      "Memory requested %.0f", (double)n);
  leave(*result);
  const PetscErrorCode code = plain_realloc(n, line, function, file, result);

  enter(*result, line, file);
  return code;
}

static PetscErrorCode petsc_free(void *at, int line, const char function[], const char file[])
{
  leave(at);
  return plain_free(at, line, function, file);
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
  for (int i = 0; i < info->dlpi_phnum && objects_n < 512; ++i) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + part->p_vaddr, here = (uintptr_t)find_code;

    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    if (here >= begin && here < begin + part->p_memsz) own_library = objects_n;
    objects[objects_n++] = (struct object){begin, begin + part->p_memsz, info->dlpi_addr};
  }
  return 0;
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
  (void)snprintf(it.sites, sizeof it.sites, "%s", word("RUNG_FAIL_SITES"));
  it.site  = strtoull(word("RUNG_FAIL_SITE"), NULL, 16);
  it.depth = getenv("RUNG_FAIL_DEPTH") ? atoi(word("RUNG_FAIL_DEPTH")) : 4;
  (void)dl_iterate_phdr(find_code, NULL);
  plain_malloc   = PetscTrMalloc;
  plain_realloc  = PetscTrRealloc;
  PetscTrMalloc  = petsc_malloc;
  PetscTrRealloc = petsc_realloc;
  plain_free     = PetscTrFree;
  PetscTrFree    = petsc_free;
  for (int i = 0; i < KINDS; ++i) {
    if (!strcmp(kind, kind_names[i])) it.kind = i;
  }
  if (it.kind < 0) abort();
}

__attribute__((destructor)) static void end(void)
{
  const int counted = it.kind >= 0;

  if (counted) tell("-");
  it.kind = -1;
  if (counted) tell_sites();
  if (counted) tell_leaks();
}
