/* jit.c - encode, look up, compile, load, ask the kernel who it is.

   Rank 0 finds or makes the object.  All ranks learn first whether it has one, then get its bytes, load them from
   memory and ask for its identity; they use it if all of them got the right answer, else they interpret.  So nothing is
   assumed of file systems, and no failure on one rank leaves another waiting. */
#define _GNU_SOURCE
#include "jit_impl.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define IDENTITY_SIZE 160

/* ---- loaded objects -----------------------------------------------------------------------------------------------
 */

/* An object in this process, shared by all kernels of it. */
typedef struct _Object Object;
struct _Object {
  char                 identity[IDENTITY_SIZE];
  PetscInt             references;
  void                *handle;
  int                  file; /* open while it is loaded: the loader knows objects by their file number */
  RungKernelFn *const *kernel;
  Object              *next;
};
static Object *objects;

static Object *FindObject(const char identity[])
{
  for (Object *object = objects; object; object = object->next) {
    if (!strcmp(object->identity, identity)) return object;
  }
  return NULL;
}

static void Unload(Object *object)
{
  if (object->handle) (void)dlclose(object->handle);
  if (object->file >= 0) (void)close(object->file);
  free(object);
}

static void ReleaseObject(Object *object)
{
  Object **at = &objects;

  if (--object->references) return;
  while (*at && *at != object) at = &(*at)->next;
  if (*at) *at = object->next;
  Unload(object);
}

static PetscBool WriteAll(int file, const char bytes[], size_t size)
{
  for (size_t done = 0; done < size;) {
    const ssize_t n = write(file, bytes + done, size - done);

    if (n <= 0) return PETSC_FALSE;
    done += (size_t)n;
  }
  return PETSC_TRUE;
}

/* Where /proc is not mounted: a file of this process alone, gone as soon as it is loaded. */
static void *LoadFromDisk(const char bytes[], size_t size)
{
  char      path[] = "/tmp/rung-XXXXXX";
  const int file   = mkstemp(path);
  void     *handle = NULL;

  if (file < 0) return NULL;
  if (WriteAll(file, bytes, size)) handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  (void)unlink(path);
  (void)close(file);
  return handle;
}

/* From a file that exists in memory only. */
static PetscBool Load(Object *object, const char bytes[], size_t size)
{
  char path[64];

  object->file = memfd_create("rung", MFD_CLOEXEC);
  if (object->file >= 0 && WriteAll(object->file, bytes, size)) {
    RungJitPrint(path, sizeof path, "/proc/self/fd/%d", object->file);
    object->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  if (!object->handle && access("/proc/self/fd", F_OK) != 0) object->handle = LoadFromDisk(bytes, size);
  return object->handle ? PETSC_TRUE : PETSC_FALSE;
}

/* An object that answers to its identity, or NULL. */
static Object *CreateObject(const char identity[], const char bytes[], size_t size)
{
  Object *object = (Object *)calloc(1, sizeof *object);
  const char *(*ask)(void);
  void *symbol;

  if (!object) return NULL;
  RungJitPrint(object->identity, sizeof object->identity, "%s", identity);
  object->file = -1;
  if (Load(object, bytes, size) && (symbol = dlsym(object->handle, "rung_identity"))) {
    memcpy(&ask, &symbol, sizeof ask);
    if (!strcmp(ask(), identity)) object->kernel = (RungKernelFn *const *)dlsym(object->handle, "rung_kernels");
  }
  if (!object->kernel) {
    Unload(object);
    return NULL;
  }
  object->next = objects;
  objects      = object;
  return object;
}

/* ---- what to compile ----------------------------------------------------------------------------------------------
 */

/* On rank 0 all of it, elsewhere identity and lanes. */
typedef struct {
  PetscInt     lanes;
  char         flags[1024];
  RungCompiler compiler;
  char         folder[PETSC_MAX_PATH_LEN];
  char        *source; /* owned */
  char         key[40];
  char         identity[IDENTITY_SIZE];
  char         reason[RUNG_REASON_SIZE];
} Task;

/* Do all ranks run on one kind of machine? */
static PetscErrorCode SameMachine(MPI_Comm comm, PetscBool *same)
{
  char               isa[2560];
  uint64_t           hash[2] = {1, 2};
  unsigned long long mine[2], least[2];

  PetscFunctionBegin;
  RungMachineIsa(isa, sizeof isa);
  RungHashText(isa, strlen(isa), hash);
  mine[0] = hash[0];
  mine[1] = ~hash[0];
  PetscCallMPI(MPI_Allreduce(mine, least, 2, MPI_UNSIGNED_LONG_LONG, MPI_MIN, comm));
  *same = least[0] == ~least[1] ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* native: for the machine that we run on; else what every machine of its kind runs */
static void ChooseFlags(const RungCompileOptions *options, PetscBool native, Task *task)
{
  const PetscInt own = native ? RungMachineLanes() : 2;

  task->lanes = options->lanes ? options->lanes : own;
  if (options->flags[0]) {
    RungJitPrint(task->flags, sizeof task->flags, "%s", options->flags);
    return;
  }
  RungJitPrint(task->flags, sizeof task->flags, "-O2 -funroll-loops -fno-math-errno%s%s",
               native ? " -march=native" : "",
               native && task->lanes == 8 && own == 8 ? " -mprefer-vector-width=512" : "");
}

/* The key hashes all that decides about the object. */
static void SetKey(PetscInt n, PetscBool native, Task *task)
{
  char        isa[2560]      = "portable", numbers[64];
  uint64_t    hash[2]        = {0xcbf29ce484222325u, 0x84222325cbf29ce4u};
  const char *hash_of_source = strstr(task->source, "rung_identity(void)"); /* behind all texts of forms */

  hash_of_source = hash_of_source ? strstr(hash_of_source, "hash ") : NULL;
  if (native) RungMachineIsa(isa, sizeof isa);
  RungJitPrint(numbers, sizeof numbers, "abi %d lanes %d", RUNG_ABI, (int)task->lanes);
  RungHashText(task->source, strlen(task->source) + 1, hash);
  RungHashText(task->compiler.path, strlen(task->compiler.path) + 1, hash);
  RungHashText(task->compiler.version, strlen(task->compiler.version) + 1, hash);
  RungHashText(task->flags, strlen(task->flags) + 1, hash);
  RungHashText(isa, strlen(isa) + 1, hash);
  RungHashText(numbers, strlen(numbers) + 1, hash);
  RungJitPrint(task->key, sizeof task->key, "%016llx%016llx", (unsigned long long)hash[0], (unsigned long long)hash[1]);
  RungJitPrint(task->identity, sizeof task->identity, "abi %d, lanes %d, kernels %d, %.21s, key %s", RUNG_ABI,
               (int)task->lanes, (int)n, hash_of_source ? hash_of_source : "", task->key);
}

/* ---- the ways of a task -------------------------------------------------------------------------------------------
 */

enum { STATUS_GOOD, STATUS_NO_COMPILER, STATUS_NO_FOLDER };

/* Rank 0: compiler, folder, source, key. */
static PetscErrorCode Encode(PetscInt n, const RungPlan plan[], const RungCompileOptions *options, PetscBool native,
                             Task *task, int *status)
{
  PetscFunctionBegin;
  *status = STATUS_GOOD;
  if (!RungCompilerFind(options->compiler, &task->compiler, task->reason))
    *status = STATUS_NO_COMPILER;
  else if (!RungCacheOpen(options->cache, task->folder, task->reason)) {
    *status = options->cache[0] ? STATUS_NO_FOLDER : STATUS_NO_COMPILER;
  }
  if (*status != STATUS_GOOD) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungEmit(n, plan, task->lanes, &task->source));
  SetKey(n, native, task);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0: the object's bytes (malloc) and the object itself, from the cache or by the compiler; a cached object that
   does not load is made again. */
static void Obtain(Task *task, char **bytes, size_t *size, Object **object)
{
  *object = NULL;
  RungCacheRead(task->folder, task->key, bytes, size);
  if (*bytes) *object = CreateObject(task->identity, *bytes, *size);
  if (*object) return;
  if (*bytes) RungCacheRemove(task->folder, task->key);
  free(*bytes);
  *bytes = NULL;
  if (!RungCacheCompile(task->folder, task->key, &task->compiler, task->flags, task->source, bytes, size,
                        task->reason)) {
    return;
  }
  *object = CreateObject(task->identity, *bytes, *size);
  if (*object) return;
  RungJitPrint(task->reason, sizeof task->reason, "%s reports success but its object is not what was asked for",
               task->compiler.path);
  RungCacheRemove(task->folder, task->key);
  free(*bytes);
  *bytes = NULL;
}

/* The object on all ranks, or on none. */
static PetscErrorCode Share(MPI_Comm comm, Task *task, Object **object)
{
  PetscMPIInt        rank;
  char              *bytes = NULL;
  size_t             size  = 0;
  unsigned long long length;
  int                mine, all;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  *object = FindObject(task->identity);
  mine    = *object ? 1 : 0;
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm));
  if (all) PetscFunctionReturn(PETSC_SUCCESS);
  if (!rank && *object) {
    RungCacheRead(task->folder, task->key, &bytes, &size);
    if (!bytes) *object = NULL; /* removed from the disk meanwhile: make it again */
  }
  if (!rank && !*object) Obtain(task, &bytes, &size, object);
  length = bytes ? size : 0;
  PetscCallMPI(MPI_Bcast(&length, 1, MPI_UNSIGNED_LONG_LONG, 0, comm));
  if (length) {
    PetscCheck(length < 1u << 30, comm, PETSC_ERR_SUP, "a compiled form takes %llu bytes", length);
    if (rank) bytes = (char *)malloc(length);
    PetscCheck(bytes, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for %llu bytes of a compiled form", length);
    PetscCallMPI(MPI_Bcast(bytes, (PetscMPIInt)length, MPI_CHAR, 0, comm));
    if (!*object) *object = CreateObject(task->identity, bytes, length);
  }
  free(bytes);
  mine = *object ? 1 : 0;
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm));
  if (!all && *object && !(*object)->references) {
    (*object)->references = 1;
    ReleaseObject(*object);
  }
  if (!all) *object = NULL;
  if (!all && length && !rank) {
    RungJitPrint(task->reason, sizeof task->reason, "a compiled form does not load on every rank");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Attempt(MPI_Comm comm, PetscInt n, const RungPlan plan[], const RungCompileOptions *options,
                              PetscBool native, Task *task, Object **object)
{
  PetscMPIInt rank;
  int         status = STATUS_GOOD;

  PetscFunctionBegin;
  *object = NULL;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  ChooseFlags(options, native, task);
  if (!rank) PetscCall(Encode(n, plan, options, native, task, &status));
  PetscCallMPI(MPI_Bcast(&status, 1, MPI_INT, 0, comm));
  RungCheckAll(status != STATUS_NO_FOLDER, comm, PETSC_ERR_FILE_OPEN, "%s", task->reason);
  if (status != STATUS_GOOD) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Bcast(task->identity, IDENTITY_SIZE, MPI_CHAR, 0, comm));
  PetscCall(Share(comm, task, object));
  PetscCall(PetscFree(task->source));
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
  ReleaseObject((Object *)kernel->data);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateKernels(PetscInt n, const RungPlan plan[], PetscInt lanes, Object *object,
                                    RungKernel kernel[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(PetscCalloc1(1, &kernel[i]));
    kernel[i]->plan     = plan[i];
    kernel[i]->lanes    = lanes;
    kernel[i]->run      = Run;
    kernel[i]->compiled = object->kernel[i];
    kernel[i]->data     = object;
    kernel[i]->destroy  = Destroy;
    ++object->references;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Warn(MPI_Comm comm, const RungCompileOptions *options, const char reason[])
{
  static PetscBool warned;
  PetscMPIInt      rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (warned || rank) PetscFunctionReturn(PETSC_SUCCESS);
  warned = PETSC_TRUE;
  fprintf(stderr,
          "warning: forms are interpreted, which is slower: %s; install a C compiler (apt install gcc), name one with "
          "-form_compiler%s, or choose -form_backend interpreter\n",
          reason, options->flags[0] ? ", check -form_flags" : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tries the machine's own instruction set, then what every machine of the kind has; no object: a warning. */
static PetscErrorCode AttemptAll(MPI_Comm comm, PetscInt n, const RungPlan plan[], const RungCompileOptions *options,
                                 Task *task, RungKernel kernel[])
{
  Object   *object = NULL;
  PetscBool native = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(SameMachine(comm, &native));
  PetscCall(Attempt(comm, n, plan, options, native, task, &object));
  if (!object && native && !options->flags[0]) { /* a compiler that does not know this machine */
    char reason[RUNG_REASON_SIZE];

    PetscCall(PetscStrncpy(reason, task->reason, sizeof reason));
    PetscCall(Attempt(comm, n, plan, options, PETSC_FALSE, task, &object));
    if (!object) PetscCall(PetscStrncpy(task->reason, reason, sizeof task->reason));
  }
  if (object)
    PetscCall(CreateKernels(n, plan, task->lanes, object, kernel));
  else
    PetscCall(Warn(comm, options, task->reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungKernelsCompile(MPI_Comm comm, PetscInt n, const RungPlan plan[], const RungCompileOptions *options,
                                  RungKernel kernel[])
{
  Task          *task;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(kernel, n));
  PetscCall(PetscCalloc1(1, &task));
  code = AttemptAll(comm, n, plan, options, task, kernel);
  PetscCall(PetscFree(task));
  PetscCall(code); /* a cache folder that is refused */
  PetscFunctionReturn(PETSC_SUCCESS);
}
