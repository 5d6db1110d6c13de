/* jit.c - encode, look up, compile, load: kernels for integrals, the same on all ranks.

   Looked for in this order: among the kernels that the program brought along (linked.c), in this process (object.c), in the
   cache (cache.c); else the compiler makes them (compile.c), while the caller waits or beside it.  They come in units
   (unit.c), each an object of its own; several compilers run side by side.  Rank 0 finds or makes the objects.  All ranks
   learn first whether it has one, then get its bytes, load them from memory and ask for its identity; they use them if all
   of them got the right answers, else they interpret.  So nothing is assumed of file systems, and no failure on one rank
   leaves another waiting. */
#define _GNU_SOURCE
#include "jit_impl.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CACHE_SIZE 256 /* megabytes, unless an option says otherwise            */
#define COMPILERS  4   /* at once, at most; in the background one, beside a run */

struct _p_RungJob {
  MPI_Comm                  comm; /* lent */
  PetscInt                  n, units;
  RungPlan                 *plan;    /* owned array, [n] lent */
  RungUnit                 *unit;    /* owned, [units] */
  const RungCompileOptions *options; /* lent */
  RungIsa                   isa;
  PetscInt                  lanes;
  PetscBool                 common; /* a second try, for what every machine of the kind runs */
  char                      first[RUNG_REASON_SIZE], reason[RUNG_REASON_SIZE];
  RungCompiler              compiler;                   /* rank 0 */
  char                      folder[PETSC_MAX_PATH_LEN]; /* rank 0 */
};

/* The instruction set for all ranks: what was asked for (all have it); that of the machine if all are of one kind; else what all have. */
static PetscErrorCode choose_isa(MPI_Comm comm, RungIsa wanted, RungIsa *isa)
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

/* ---- rank 0 --------------------------------------------------------------------------------------------------------- */

enum { STATUS_FOUND, STATUS_COMPILE, STATUS_NONE, STATUS_NO_FOLDER, STATUS_PENDING };

/* Keys of objects that some compiler has made, where all of them are there. */
static int find_any(RungJob job)
{
  for (PetscInt i = 0; i < job->units; ++i) {
    if (!RungCacheFindAny(job->folder, job->unit[i].any, job->unit[i].key)) return STATUS_NONE;
  }
  return STATUS_FOUND;
}

/* Folder, keys.  FOUND: they are known; COMPILE: objects may have to be made; else the reason is set. */
static int encode(RungJob job)
{
  const RungCompileOptions *options = job->options;
  int                       status  = STATUS_COMPILE;

  if (!RungCacheOpen(options->cache, job->folder, job->reason))
    return options->cache[0] ? STATUS_NO_FOLDER : STATUS_NONE;
  for (PetscInt i = 0; i < job->units; ++i) RungUnitAnyKey(job->isa, job->lanes, &job->unit[i]);
  if (options->jit == RUNG_JIT_NEVER) {
    RungJitPrint(job->reason, sizeof job->reason, "-form_jit never, and no kernel of theirs is in cache folder \"%s\"",
                 job->folder);
    status = find_any(job);
  } else if (RungCompilerFind(options->compiler, &job->compiler, job->reason)) {
    for (PetscInt i = 0; i < job->units; ++i) RungUnitKey(&job->compiler, &job->unit[i]);
  } else {
    status = options->compiler[0] ? STATUS_NONE : find_any(job);
  }
  for (PetscInt i = 0; i < job->units; ++i) RungUnitIdentity(job->lanes, &job->unit[i]);
  return status;
}

/* The cached object, if it is whole and loads. */
static void cached(RungJob job, RungUnit *unit, char **bytes, size_t *size)
{
  RungCacheRead(job->folder, unit->key, bytes, size);
  if (*bytes) unit->object = RungObjectCreate(unit->identity, *bytes, *size);
  if (*bytes && !unit->object) RungCacheRemove(job->folder, unit->key);
  if (unit->object) return;
  free(*bytes);
  *bytes = NULL;
}

/* The object that the compiler has made. */
static void built(RungJob job, RungUnit *unit, char **bytes, size_t *size)
{
  *bytes            = unit->build.bytes;
  *size             = unit->build.size;
  unit->build.bytes = NULL;
  unit->object      = RungObjectCreate(unit->identity, *bytes, *size);
  if (unit->object) {
    RungCacheAddAny(job->folder, unit->any, unit->key);
    RungCacheTrim(job->folder, unit->key,
                  1e6 * (double)(job->options->cache_size ? job->options->cache_size : CACHE_SIZE));
    return;
  }
  RungJitPrint(job->reason, sizeof job->reason, "%s reports success but its object is not what was asked for",
               job->compiler.path);
  RungCacheRemove(job->folder, unit->key);
  free(*bytes);
  *bytes = NULL;
}

/* How many compilers may run: they inherit the processors that this process may use. */
static PetscInt compilers(RungJob job)
{
  PetscInt processors = 1;
#if defined(__linux__)
  cpu_set_t set;

  if (!sched_getaffinity(0, sizeof set, &set)) processors = CPU_COUNT(&set);
#endif
  return job->options->jit == RUNG_JIT_BACKGROUND ? 1 : PetscMin(processors, COMPILERS);
}

static PetscErrorCode start(RungJob job, RungUnit *unit)
{
  char *source;

  PetscFunctionBegin;
  PetscCall(RungEmit(unit->n, unit->plan, job->lanes, &source));
  RungBuildBegin(job->folder, unit->key, &job->compiler, unit->flags, source, &unit->build, job->reason);
  PetscCall(PetscFree(source));
  unit->begun = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Starts and watches compilers: FOUND when all objects are made, NONE when one cannot be, else PENDING. */
static PetscErrorCode watch(RungJob job, int *status)
{
  const PetscInt most    = compilers(job);
  PetscInt       running = 0;

  PetscFunctionBegin;
  *status = STATUS_FOUND;
  for (PetscInt i = 0; i < job->units; ++i) {
    RungUnit *unit = &job->unit[i];

    if (unit->object) continue;
    if (unit->begun)
      RungBuildPoll(&unit->build, job->reason);
    else if (running < most)
      PetscCall(start(job, unit));
    if (unit->begun && unit->build.state == RUNG_BUILD_FAILED) {
      *status = STATUS_NONE;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (unit->begun && unit->build.state == RUNG_BUILD_GOOD) continue;
    *status = STATUS_PENDING;
    running += unit->begun;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- all ranks ------------------------------------------------------------------------------------------------------ */

static void drop_object(RungUnit *unit)
{
  if (unit->object && !unit->object->references) RungObjectRelease(unit->object);
  unit->object = NULL;
}

/* From rank 0 with its bytes to all ranks, or none. */
static PetscErrorCode share(RungJob job, RungUnit *unit, const char bytes[], size_t size)
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
    if (!unit->object) unit->object = RungObjectCreate(unit->identity, bytes, length);
  }
  free(copy);
  mine = unit->object ? 1 : 0;
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, job->comm));
  if (!all) drop_object(unit);
  if (!all && length && !rank)
    RungJitPrint(job->reason, sizeof job->reason, "a compiled form does not load on every rank");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An object that every rank has in its process, or that rank 0 finds in the cache. */
static PetscErrorCode look_up(RungJob job, RungUnit *unit)
{
  PetscMPIInt rank;
  char       *bytes = NULL;
  size_t      size  = 0;
  int         mine, all;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(job->comm, &rank));
  PetscCallMPI(MPI_Bcast(unit->identity, RUNG_IDENTITY_SIZE, MPI_CHAR, 0, job->comm));
  unit->object = RungObjectFind(unit->identity);
  unit->origin = "cached";
  mine         = unit->object ? 1 : 0;
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, job->comm));
  if (all) PetscFunctionReturn(PETSC_SUCCESS);
  if (!rank && unit->object) RungCacheRead(job->folder, unit->key, &bytes, &size);
  if (!rank && !unit->object) cached(job, unit, &bytes, &size);
  PetscCall(share(job, unit, bytes, size));
  free(bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Builds end, objects that nothing uses go. */
static PetscErrorCode give_up(RungJob job)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < job->units; ++i) {
    RungUnit *unit = &job->unit[i];

    if (unit->begun) RungBuildFree(&unit->build);
    unit->begun = PETSC_FALSE;
    for (PetscInt k = i + 1; k < job->units; ++k) { /* equal units share an object */
      if (job->unit[k].object == unit->object) job->unit[k].object = NULL;
    }
    drop_object(unit);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Looks up, and starts compilers where that is called for. */
static PetscErrorCode try_isa(RungJob job, RungIsa isa, int *status)
{
  PetscMPIInt rank;
  PetscBool   all = PETSC_TRUE;

  PetscFunctionBegin;
  *status = STATUS_NONE;
  PetscCallMPI(MPI_Comm_rank(job->comm, &rank));
  job->isa   = isa;
  job->lanes = job->options->lanes ? job->options->lanes : RungIsaLanes(isa);
  for (PetscInt i = 0; i < job->units; ++i) RungUnitFlags(job->options, isa, job->lanes, &job->unit[i]);
  if (!rank) *status = encode(job);
  PetscCallMPI(MPI_Bcast(status, 1, MPI_INT, 0, job->comm));
  RungCheckAll(*status != STATUS_NO_FOLDER, job->comm, PETSC_ERR_FILE_OPEN, "%s", job->reason);
  if (*status == STATUS_NONE) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < job->units; ++i) {
    PetscCall(look_up(job, &job->unit[i]));
    if (!job->unit[i].object) all = PETSC_FALSE;
  }
  if (all) {
    *status = STATUS_FOUND;
  } else if (*status == STATUS_COMPILE) {
    if (!rank) PetscCall(watch(job, status));
    *status = STATUS_PENDING; /* what became of it is seen by Look, on all ranks */
  } else {
    *status = STATUS_NONE;
    PetscCall(give_up(job));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Have the compilers ended?  FOUND with the objects, NONE, or PENDING (not if `wait`). */
static PetscErrorCode look_for_end(RungJob job, PetscBool wait, int *status)
{
  const struct timespec pause = {0, 500000};
  PetscMPIInt           rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(job->comm, &rank));
  *status = STATUS_PENDING;
  if (!rank) PetscCall(watch(job, status));
  while (!rank && wait && *status == STATUS_PENDING) {
    (void)nanosleep(&pause, NULL);
    PetscCall(watch(job, status));
  }
  PetscCallMPI(MPI_Bcast(status, 1, MPI_INT, 0, job->comm));
  for (PetscInt i = 0; *status == STATUS_FOUND && i < job->units; ++i) {
    RungUnit *unit  = &job->unit[i];
    char     *bytes = NULL;
    size_t    size  = 0;

    if (unit->object) continue;
    if (!rank) built(job, unit, &bytes, &size);
    PetscCall(share(job, unit, bytes, size));
    free(bytes);
    unit->origin = "compiled";
    if (!unit->object) *status = STATUS_NONE;
  }
  if (*status == STATUS_NONE) PetscCall(give_up(job));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- kernels ------------------------------------------------------------------------------------------------------
 */

static void run_compiled(RungKernel kernel, const RungKernelArgs *args)
{
  kernel->compiled(args);
}

static PetscErrorCode release_object(RungKernel kernel)
{
  PetscFunctionBegin;
  if (kernel->data) RungObjectRelease((RungObject *)kernel->data);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* object NULL: of the program itself */
static PetscErrorCode create_kernel(RungPlan plan, PetscInt lanes, RungObject *object, RungKernelFn *function,
                                    const char origin[], RungKernel *kernel)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(1, kernel));
  (*kernel)->plan     = plan;
  (*kernel)->lanes    = lanes;
  (*kernel)->run      = run_compiled;
  (*kernel)->compiled = function;
  (*kernel)->origin   = origin;
  (*kernel)->data     = object;
  (*kernel)->destroy  = release_object;
  if (object) ++object->references;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_kernels(RungJob job, RungKernel kernel[])
{
  PetscInt at = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < job->units; ++i) {
    const RungUnit *unit = &job->unit[i];

    for (PetscInt k = 0; k < unit->n; ++k, ++at) {
      PetscCall(
        create_kernel(unit->plan[k], job->lanes, unit->object, unit->object->kernel[k], unit->origin, &kernel[at]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode warn_once(RungJob job)
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
            job->reason);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  fprintf(stderr,
          "warning: forms are interpreted, which is slower: %s; install a C compiler (apt install gcc), name one with "
          "-form_compiler%s, take another folder for it by -form_cache, or choose -form_backend interpreter\n",
          job->first[0] ? job->first : job->reason, options->flags[0] ? ", check -form_flags" : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Somebody has made kernels ahead of time and does not get them. */
static PetscErrorCode warn_linked(RungJob job, PetscInt sources)
{
  static PetscBool warned;
  PetscMPIInt      rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(job->comm, &rank));
  if (warned || rank) PetscFunctionReturn(PETSC_SUCCESS);
  warned = PETSC_TRUE;
  fprintf(stderr, "warning: linked kernels (%d source%s) are not used: %s; run rung-compile again\n", (int)sources,
          sources == 1 ? "" : "s", job->reason[0] ? job->reason : "another rank cannot use them");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- jobs ----------------------------------------------------------------------------------------------------------- */

/* From what a try came to: kernels, a second try of a compiler that does not know this machine, or a warning. */
static PetscErrorCode settle(RungJob job, int status, RungKernel kernel[], PetscBool *done)
{
  PetscFunctionBegin;
  while (status == STATUS_NONE && !job->common && job->isa == RUNG_ISA_NATIVE && !job->options->flags[0]) {
    job->common = PETSC_TRUE;
    PetscCall(PetscStrncpy(job->first, job->reason, sizeof job->first));
    PetscCall(try_isa(job, RUNG_ISA_SSE2, &status));
  }
  if (status == STATUS_FOUND)
    PetscCall(create_kernels(job, kernel));
  else if (status == STATUS_NONE)
    PetscCall(warn_once(job));
  *done = status == STATUS_PENDING ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Kernels that were linked into the program: all of them on all ranks, or none. */
static PetscErrorCode try_linked(RungJob job, RungIsa isa, RungKernel kernel[], PetscBool *found)
{
  RungKernelFn **function;
  PetscInt       lanes, sources;
  int            mine, all;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(job->n, &function));
  PetscCall(RungLinkedFind(job->n, job->plan, isa, function, &lanes, &sources, job->reason));
  mine = function[0] ? 1 : 0;
  all  = 0;
  if (sources) PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, job->comm));
  *found = all ? PETSC_TRUE : PETSC_FALSE;
  if (sources && !all) PetscCall(warn_linked(job, sources));
  for (PetscInt i = 0; all && i < job->n; ++i) {
    PetscCall(create_kernel(job->plan[i], lanes, NULL, function[i], "linked", &kernel[i]));
  }
  PetscCall(PetscFree(function));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode begin(RungJob job, RungKernel kernel[], PetscBool *done)
{
  RungIsa isa;
  int     status;

  PetscFunctionBegin;
  PetscCall(choose_isa(job->comm, job->options->isa, &isa));
  PetscCall(try_linked(job, isa, kernel, done));
  if (*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungUnitsCreate(job->n, job->plan, &job->units, &job->unit));
  PetscCall(try_isa(job, isa, &status));
  PetscCall(settle(job, status, kernel, done));
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
  RungCallOrUndo(PetscMalloc1(n, &(*job)->plan), PetscCall(PetscFree(*job)));
  PetscCall(PetscArraycpy((*job)->plan, plan, n));
  (*job)->comm    = comm;
  (*job)->n       = n;
  (*job)->options = options;
  code            = begin(*job, kernel, &done);
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
    int status;

    PetscCall(look_for_end(*job, wait, &status));
    PetscCall(settle(*job, status, kernel, &done));
  } while (wait && !done);
  if (done) PetscCall(RungJobDestroy(job));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungJobDestroy(RungJob *job)
{
  PetscFunctionBegin;
  if (!*job) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(give_up(*job));
  PetscCall(PetscFree((*job)->unit));
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
