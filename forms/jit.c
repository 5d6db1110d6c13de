/* jit.c - encode, look up, compile, load: kernels for integrals, the same on all ranks.

   Looked for in this order: among the kernels that the program brought along (linked.c), in this process (object.c), in the
   cache (cache.c); else the compiler makes them (compile.c), while the caller waits or beside it.  Rank 0 finds or makes
   the object.  All ranks learn first whether it has one, then get its bytes, load them from memory and ask for its
   identity; they use it if all of them got the right answer, else they interpret.  So nothing is assumed of file systems,
   and no failure on one rank leaves another waiting. */
#define _GNU_SOURCE
#include "jit_impl.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CACHE_SIZE 256 /* megabytes, unless an option says otherwise */

/* ---- what to compile ----------------------------------------------------------------------------------------------
 */

/* On rank 0 all of it, elsewhere identity and lanes. */
typedef struct {
  RungIsa      isa;
  PetscInt     lanes;
  char         flags[1024];
  RungCompiler compiler;
  char         folder[PETSC_MAX_PATH_LEN];
  char        *source;  /* owned */
  char         any[40]; /* key without the compiler */
  char         key[40];
  char         identity[RUNG_IDENTITY_SIZE];
  char         reason[RUNG_REASON_SIZE];
} Task;

struct _p_RungJob {
  MPI_Comm                  comm; /* lent */
  PetscInt                  n;
  RungPlan                 *plan;    /* owned array, [n] lent */
  const RungCompileOptions *options; /* lent */
  PetscBool                 common;  /* a second try, for what every machine of the kind runs */
  char                      first[RUNG_REASON_SIZE];
  Task                      task;
  RungBuild                 build; /* rank 0 */
  PetscBool                 building;
};

/* The instruction set for all ranks: what was asked for (all have it); that of the machine if all are of one kind; else what all have. */
static PetscErrorCode ChooseIsa(MPI_Comm comm, RungIsa wanted, RungIsa *isa)
{
  char               text[2560];
  uint64_t           hash[2] = {1, 2};
  unsigned long long mine[3], least[3];

  PetscFunctionBegin;
  RungMachineIsa(text, sizeof text);
  RungHashText(text, strlen(text), hash);
  mine[0] = hash[0];
  mine[1] = ~hash[0];
  mine[2] = (unsigned long long)RungIsaBest();
  PetscCallMPI(MPI_Allreduce(mine, least, 3, MPI_UNSIGNED_LONG_LONG, MPI_MIN, comm));
  *isa = wanted;
  if (wanted == RUNG_ISA_NATIVE && least[0] != ~least[1]) *isa = least[2] ? (RungIsa)least[2] : RUNG_ISA_SSE2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void ChooseFlags(const RungCompileOptions *options, RungIsa isa, Task *task)
{
  const PetscInt own = RungIsaLanes(isa);

  task->isa   = isa;
  task->lanes = options->lanes ? options->lanes : own;
  if (options->flags[0]) {
    RungJitPrint(task->flags, sizeof task->flags, "%s %s", options->flags,
                 options->isa == RUNG_ISA_NATIVE ? "" : RungIsaFlags(isa));
    return;
  }
  RungJitPrint(task->flags, sizeof task->flags, "-O2 -funroll-loops -fno-math-errno %s%s", RungIsaFlags(isa),
               task->lanes == 8 && own == 8 ? " -mprefer-vector-width=512" : "");
}

static void PrintHash(const uint64_t hash[2], char text[40])
{
  RungJitPrint(text, 40, "%016llx%016llx", (unsigned long long)hash[0], (unsigned long long)hash[1]);
}

/* The key hashes all that decides about the object; `any` is the part of it that is known without a compiler. */
static void SetAnyKey(Task *task)
{
  char     isa[2560], numbers[64];
  uint64_t hash[2] = {0xcbf29ce484222325u, 0x84222325cbf29ce4u};

  RungJitPrint(isa, sizeof isa, "%s", RungIsaName(task->isa));
  if (task->isa == RUNG_ISA_NATIVE) RungMachineIsa(isa, sizeof isa);
  RungJitPrint(numbers, sizeof numbers, "abi %d lanes %d", RUNG_ABI, (int)task->lanes);
  RungHashText(task->source, strlen(task->source) + 1, hash);
  RungHashText(task->flags, strlen(task->flags) + 1, hash);
  RungHashText(isa, strlen(isa) + 1, hash);
  RungHashText(numbers, strlen(numbers) + 1, hash);
  PrintHash(hash, task->any);
}

static void SetKey(Task *task)
{
  uint64_t hash[2] = {0xcbf29ce484222325u, 0x84222325cbf29ce4u};

  RungHashText(task->any, strlen(task->any) + 1, hash);
  RungHashText(task->compiler.path, strlen(task->compiler.path) + 1, hash);
  RungHashText(task->compiler.version, strlen(task->compiler.version) + 1, hash);
  PrintHash(hash, task->key);
}

/* What the object for task->key answers. */
static void SetIdentity(PetscInt n, Task *task)
{
  const char *hash = strstr(task->source, "rung_identity(void)"); /* behind all texts of forms */

  hash = hash ? strstr(hash, "hash ") : NULL;
  RungJitPrint(task->identity, sizeof task->identity, "abi %d, lanes %d, kernels %d, %.21s, key %s", RUNG_ABI,
               (int)task->lanes, (int)n, hash ? hash : "", task->key);
}

/* ---- rank 0 --------------------------------------------------------------------------------------------------------- */

enum { STATUS_FOUND, STATUS_COMPILE, STATUS_NONE, STATUS_NO_FOLDER, STATUS_PENDING };

/* Source, folder, key.  FOUND: the key is known; COMPILE: it may have to be made; else the reason is set. */
static PetscErrorCode Encode(const RungJob job, int *status)
{
  Task                     *task    = &job->task;
  const RungCompileOptions *options = job->options;

  PetscFunctionBegin;
  *status = STATUS_COMPILE;
  if (!RungCacheOpen(options->cache, task->folder, task->reason)) {
    *status = options->cache[0] ? STATUS_NO_FOLDER : STATUS_NONE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscFree(task->source));
  PetscCall(RungEmit(job->n, job->plan, task->lanes, &task->source));
  SetAnyKey(task);
  if (options->jit == RUNG_JIT_NEVER) {
    RungJitPrint(task->reason, sizeof task->reason,
                 "-form_jit never, and no kernel of theirs is in cache folder \"%s\"", task->folder);
    *status = RungCacheFindAny(task->folder, task->any, task->key) ? STATUS_FOUND : STATUS_NONE;
  } else if (RungCompilerFind(options->compiler, &task->compiler, task->reason)) {
    SetKey(task);
  } else {
    *status = STATUS_NONE;
    if (!options->compiler[0] && RungCacheFindAny(task->folder, task->any, task->key)) *status = STATUS_FOUND;
  }
  SetIdentity(job->n, task);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cached object, if it is whole and loads. */
static void Cached(Task *task, char **bytes, size_t *size, RungObject **object)
{
  *object = NULL;
  RungCacheRead(task->folder, task->key, bytes, size);
  if (*bytes) *object = RungObjectCreate(task->identity, *bytes, *size);
  if (*bytes && !*object) RungCacheRemove(task->folder, task->key);
  if (*object) return;
  free(*bytes);
  *bytes = NULL;
}

/* The object that the compiler has made. */
static void Built(RungJob job, char **bytes, size_t *size, RungObject **object)
{
  Task *task = &job->task;

  *bytes           = job->build.bytes;
  *size            = job->build.size;
  job->build.bytes = NULL;
  *object          = RungObjectCreate(task->identity, *bytes, *size);
  if (*object) {
    RungCacheAddAny(task->folder, task->any, task->key);
    RungCacheTrim(task->folder, task->key,
                  1e6 * (double)(job->options->cache_size ? job->options->cache_size : CACHE_SIZE));
    return;
  }
  RungJitPrint(task->reason, sizeof task->reason, "%s reports success but its object is not what was asked for",
               task->compiler.path);
  RungCacheRemove(task->folder, task->key);
  free(*bytes);
  *bytes = NULL;
}

/* ---- all ranks ------------------------------------------------------------------------------------------------------ */

/* From rank 0 with its bytes to all ranks, or none. */
static PetscErrorCode Share(RungJob job, const char bytes[], size_t size, RungObject **object)
{
  PetscMPIInt        rank;
  unsigned long long length = bytes ? size : 0;
  char              *copy   = NULL;
  int                mine, all;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(job->comm, &rank));
  PetscCallMPI(MPI_Bcast(&length, 1, MPI_UNSIGNED_LONG_LONG, 0, job->comm));
  if (length) {
    PetscCheck(length < 1u << 30, job->comm, PETSC_ERR_SUP, "a compiled form takes %llu bytes", length);
    if (rank) bytes = copy = (char *)malloc(length);
    PetscCheck(bytes, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for %llu bytes of a compiled form", length);
    PetscCallMPI(MPI_Bcast((char *)bytes, (PetscMPIInt)length, MPI_CHAR, 0, job->comm));
    if (!*object) *object = RungObjectCreate(job->task.identity, bytes, length);
  }
  free(copy);
  mine = *object ? 1 : 0;
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, job->comm));
  if (!all && *object && !(*object)->references) RungObjectRelease(*object);
  if (!all) *object = NULL;
  if (!all && length && !rank) {
    RungJitPrint(job->task.reason, sizeof job->task.reason, "a compiled form does not load on every rank");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An object that every rank has in its process, or that rank 0 finds in the cache. */
static PetscErrorCode LookUp(RungJob job, RungObject **object)
{
  PetscMPIInt rank;
  char       *bytes = NULL;
  size_t      size  = 0;
  int         mine, all;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(job->comm, &rank));
  PetscCallMPI(MPI_Bcast(job->task.identity, RUNG_IDENTITY_SIZE, MPI_CHAR, 0, job->comm));
  *object = RungObjectFind(job->task.identity);
  mine    = *object ? 1 : 0;
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, job->comm));
  if (all) PetscFunctionReturn(PETSC_SUCCESS);
  if (!rank && *object) RungCacheRead(job->task.folder, job->task.key, &bytes, &size);
  if (!rank && !*object) Cached(&job->task, &bytes, &size, object);
  PetscCall(Share(job, bytes, size, object));
  free(bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Looks up, and starts the compiler where that is called for. */
static PetscErrorCode Try(RungJob job, RungIsa isa, int *status, RungObject **object)
{
  Task       *task = &job->task;
  PetscMPIInt rank;

  PetscFunctionBegin;
  *object = NULL;
  *status = STATUS_NONE;
  PetscCallMPI(MPI_Comm_rank(job->comm, &rank));
  ChooseFlags(job->options, isa, task);
  if (!rank) PetscCall(Encode(job, status));
  PetscCallMPI(MPI_Bcast(status, 1, MPI_INT, 0, job->comm));
  RungCheckAll(*status != STATUS_NO_FOLDER, job->comm, PETSC_ERR_FILE_OPEN, "%s", task->reason);
  if (*status == STATUS_NONE) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(LookUp(job, object));
  if (!*object && *status == STATUS_COMPILE) {
    if (!rank) {
      RungBuildBegin(task->folder, task->key, &task->compiler, task->flags, task->source, &job->build, task->reason);
    }
    job->building = PETSC_TRUE;
    *status       = STATUS_PENDING;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *status = *object ? STATUS_FOUND : STATUS_NONE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Has the compiler ended?  FOUND with the object, NONE, or PENDING (not if `wait`). */
static PetscErrorCode Look(RungJob job, PetscBool wait, int *status, RungObject **object)
{
  const struct timespec pause = {0, 500000};
  PetscMPIInt           rank;
  char                 *bytes = NULL;
  size_t                size  = 0;

  PetscFunctionBegin;
  *object = NULL;
  PetscCallMPI(MPI_Comm_rank(job->comm, &rank));
  for (*status = STATUS_PENDING; !rank && *status == STATUS_PENDING;) {
    RungBuildPoll(&job->build, job->task.reason);
    if (job->build.state == RUNG_BUILD_GOOD) *status = STATUS_FOUND;
    if (job->build.state == RUNG_BUILD_FAILED) *status = STATUS_NONE;
    if (!wait) break;
    if (*status == STATUS_PENDING) (void)nanosleep(&pause, NULL);
  }
  PetscCallMPI(MPI_Bcast(status, 1, MPI_INT, 0, job->comm));
  if (*status == STATUS_PENDING) PetscFunctionReturn(PETSC_SUCCESS);
  if (!rank && *status == STATUS_FOUND) Built(job, &bytes, &size, object);
  if (*status == STATUS_FOUND) PetscCall(Share(job, bytes, size, object));
  free(bytes);
  if (!rank) RungBuildFree(&job->build);
  job->building = PETSC_FALSE;
  *status       = *object ? STATUS_FOUND : STATUS_NONE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- kernels ------------------------------------------------------------------------------------------------------
 */

static void Run(RungKernel kernel, const RungKernelArgs *args)
{
  kernel->compiled(args);
}

static PetscErrorCode Destroy(RungKernel kernel)
{
  PetscFunctionBegin;
  if (kernel->data) RungObjectRelease((RungObject *)kernel->data);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* object NULL: of the program itself */
static PetscErrorCode CreateKernels(RungJob job, PetscInt lanes, RungObject *object, RungKernelFn *const function[],
                                    const char origin[], RungKernel kernel[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < job->n; ++i) {
    PetscCall(PetscCalloc1(1, &kernel[i]));
    PetscCall(PetscStrncpy(kernel[i]->identity, object ? job->task.key : origin, sizeof kernel[i]->identity));
    kernel[i]->plan     = job->plan[i];
    kernel[i]->lanes    = lanes;
    kernel[i]->run      = Run;
    kernel[i]->compiled = function[i];
    kernel[i]->origin   = origin;
    kernel[i]->data     = object;
    kernel[i]->destroy  = Destroy;
    if (object) ++object->references;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Warn(RungJob job)
{
  static PetscBool          warned;
  const RungCompileOptions *options = job->options;
  PetscMPIInt               rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(job->comm, &rank));
  if (warned || rank) PetscFunctionReturn(PETSC_SUCCESS);
  warned = PETSC_TRUE;
  if (options->jit == RUNG_JIT_NEVER) {
    fprintf(stderr,
            "warning: forms are interpreted, which is slower: %s; make kernels with rung-compile, or choose -form_jit "
            "wait or -form_backend interpreter\n",
            job->task.reason);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  fprintf(stderr,
          "warning: forms are interpreted, which is slower: %s; install a C compiler (apt install gcc), name one with "
          "-form_compiler%s, or choose -form_backend interpreter\n",
          job->first[0] ? job->first : job->task.reason, options->flags[0] ? ", check -form_flags" : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Somebody has made kernels ahead of time and does not get them. */
static PetscErrorCode WarnLinked(RungJob job, PetscInt sources)
{
  static PetscBool warned;
  PetscMPIInt      rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(job->comm, &rank));
  if (warned || rank) PetscFunctionReturn(PETSC_SUCCESS);
  warned = PETSC_TRUE;
  fprintf(stderr, "warning: linked kernels (%d source%s) are not used: %s; run rung-compile again\n", (int)sources,
          sources == 1 ? "" : "s", job->task.reason[0] ? job->task.reason : "another rank cannot use them");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- jobs ----------------------------------------------------------------------------------------------------------- */

/* From what a try came to: kernels, a second try of a compiler that does not know this machine, or a warning. */
static PetscErrorCode Settle(RungJob job, int status, RungObject *object, const char origin[], RungKernel kernel[],
                             PetscBool *done)
{
  PetscFunctionBegin;
  while (status == STATUS_NONE && !job->common && job->task.isa == RUNG_ISA_NATIVE && !job->options->flags[0]) {
    job->common = PETSC_TRUE;
    PetscCall(PetscStrncpy(job->first, job->task.reason, sizeof job->first));
    PetscCall(Try(job, RUNG_ISA_SSE2, &status, &object));
  }
  if (status == STATUS_FOUND)
    PetscCall(CreateKernels(job, job->task.lanes, object, object->kernel, origin, kernel));
  else if (status == STATUS_NONE)
    PetscCall(Warn(job));
  *done = status == STATUS_PENDING ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Kernels that were linked into the program: all of them on all ranks, or none. */
static PetscErrorCode TryLinked(RungJob job, RungIsa isa, RungKernel kernel[], PetscBool *found)
{
  RungKernelFn **function;
  PetscInt       lanes, sources;
  int            mine, all;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(job->n, &function));
  PetscCall(RungLinkedFind(job->n, job->plan, isa, function, &lanes, &sources, job->task.reason));
  mine = function[0] ? 1 : 0;
  all  = 0;
  if (sources) PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, job->comm));
  *found = all ? PETSC_TRUE : PETSC_FALSE;
  if (sources && !all) PetscCall(WarnLinked(job, sources));
  if (all) PetscCall(CreateKernels(job, lanes, NULL, function, "linked", kernel));
  PetscCall(PetscFree(function));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Begin(RungJob job, RungKernel kernel[], PetscBool *done)
{
  RungObject *object;
  RungIsa     isa;
  int         status;

  PetscFunctionBegin;
  PetscCall(ChooseIsa(job->comm, job->options->isa, &isa));
  PetscCall(TryLinked(job, isa, kernel, done));
  if (*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Try(job, isa, &status, &object));
  PetscCall(Settle(job, status, object, "cached", kernel, done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungJobCreate(MPI_Comm comm, PetscInt n, const RungPlan plan[], const RungCompileOptions *options,
                             RungKernel kernel[], RungJob *job)
{
  PetscBool      done = PETSC_FALSE;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(kernel, n));
  PetscCall(PetscCalloc1(1, job));
  PetscCall(PetscMalloc1(n, &(*job)->plan));
  PetscCall(PetscArraycpy((*job)->plan, plan, n));
  (*job)->comm    = comm;
  (*job)->n       = n;
  (*job)->options = options;
  code            = Begin(*job, kernel, &done);
  if (code || done) PetscCall(RungJobDestroy(job));
  PetscCall(code); /* a cache folder that is refused */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungJobLook(RungJob *job, PetscBool wait, RungKernel kernel[])
{
  PetscBool done = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(kernel, (*job)->n));
  do {
    RungObject *object;
    int         status;

    PetscCall(Look(*job, wait, &status, &object));
    PetscCall(Settle(*job, status, object, "compiled", kernel, &done));
  } while (wait && !done);
  if (done) PetscCall(RungJobDestroy(job));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungJobDestroy(RungJob *job)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  if (!*job) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank((*job)->comm, &rank));
  if (!rank && (*job)->building) RungBuildFree(&(*job)->build);
  PetscCall(PetscFree((*job)->task.source));
  PetscCall(PetscFree((*job)->plan));
  PetscCall(PetscFree(*job));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungKernelsCompile(MPI_Comm comm, PetscInt n, const RungPlan plan[], const RungCompileOptions *options,
                                  RungKernel kernel[])
{
  RungJob job;

  PetscFunctionBegin;
  PetscCall(RungJobCreate(comm, n, plan, options, kernel, &job));
  if (job) PetscCall(RungJobLook(&job, PETSC_TRUE, kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}
