/* jit_impl.h - between compiling (compile.c), keeping objects on disk (cache.c), loading them (object.c), kernels that the
   program brought along (linked.c) and what decides among them (jit.c).

   What runs on rank 0 alone never raises PETSc errors; it returns PETSC_FALSE and a reason. */
#pragma once

#include "kernel_impl.h"
#include <stdint.h>
#include <sys/types.h>

#define RUNG_REASON_SIZE 1024

typedef struct {
  char path[PETSC_MAX_PATH_LEN]; /* of the program                            */
  char words[512];               /* that come first, "gcc" where it is ccache */
  char version[512];             /* first line of --version                   */
} RungCompiler;

/* snprintf that is asked for nothing: a text that is too long is cut. */
void RungJitPrint(char to[], size_t size, const char format[], ...) __attribute__((format(printf, 3, 4)));

/* compile.c.  name "": that of the environment, CC, or the first of cc, gcc, clang; words may follow the program. */
const char *RungTemporaryFolder(void); /* TMPDIR of the environment, else /tmp */
PetscBool   RungCompilerFind(const char name[], RungCompiler *compiler, char reason[RUNG_REASON_SIZE]);
/* A process that we started. */
typedef struct {
  pid_t  id;     /* -1: it has ended                                                 */
  int    status; /* its exit status, 128 + signal, -1: it could not be run           */
  double end;    /* when it is killed, seconds of time()                             */
} RungChild;
/* source, object: paths; folder: for the compiler's temporary files; flags: split at blanks */
PetscBool RungCompilerStart(const RungCompiler *compiler, const char flags[], const char define[], const char folder[],
                            const char source[], const char object[], RungChild *child, char reason[RUNG_REASON_SIZE]);
PetscBool RungCompilerEnded(RungChild *child); /* never waits */
PetscBool RungCompilerSucceeded(const RungCompiler *compiler, const char folder[], const RungChild *child,
                                char reason[RUNG_REASON_SIZE]);
void      RungCompilerStop(RungChild *child);
void      RungMachineIsa(char isa[], size_t size); /* all that -march=native looks at */

/* key.c.  Continues a hash with all that the source of a kernel is made of. */
void RungPlanHash(RungPlan plan, uint64_t hash[2]);

/* cache.c.  Two 64-bit hashes of a text, continued from *hash. */
void RungHashText(const char text[], size_t n, uint64_t hash[2]);
/* wanted "": the default folder, or a temporary one where that cannot be used. */
PetscBool RungCacheOpen(const char wanted[], char folder[PETSC_MAX_PATH_LEN], char reason[RUNG_REASON_SIZE]);
/* bytes: malloc, the caller frees; NULL where there is none or it is damaged */
void RungCacheRead(const char folder[], const char key[], char **bytes, size_t *size);
void RungCacheRemove(const char folder[], const char key[]);
/* Removes the objects that were used longest ago until the folder holds at most `limit` bytes; KEY stays. */
void RungCacheTrim(const char folder[], const char key[], double limit);

/* The key of an object that some compiler has made of what `any` hashes. */
PetscBool RungCacheFindAny(const char folder[], const char any[], char key[40]);
void      RungCacheAddAny(const char folder[], const char any[], const char key[]);

/* A source on its way into the cache. */
typedef enum { RUNG_BUILD_WAITING, RUNG_BUILD_COMPILING, RUNG_BUILD_GOOD, RUNG_BUILD_FAILED } RungBuildState;
typedef struct {
  RungBuildState state;
  char           folder[PETSC_MAX_PATH_LEN], key[40], flags[1024];
  char           build[PETSC_MAX_PATH_LEN + 96]; /* folder of its own while it compiles                      */
  int            lock, build_lock;               /* files, -1: none                                          */
  double         patience;                       /* until then another job is waited for, seconds of time()  */
  RungCompiler   compiler;
  RungChild      child;
  char          *source; /* owned, malloc                                            */
  char          *bytes;  /* owned, malloc: the object when GOOD                      */
  size_t         size;
} RungKernelBuild;
/* Compiles source into the cache unless another job does so.  Begin and Poll never wait; Poll is called until the state is
   GOOD or FAILED (with the reason); Free stops a compiler that still runs and leaves nothing of it behind. */
void RungBuildBegin(const char folder[], const char key[], const RungCompiler *compiler, const char flags[],
                    const char source[], RungKernelBuild *build, char reason[RUNG_REASON_SIZE]);
void RungBuildPoll(RungKernelBuild *build, char reason[RUNG_REASON_SIZE]);
void RungBuildFree(RungKernelBuild *build);

/* object.c.  An object in this process, shared by all kernels of it. */
#define RUNG_IDENTITY_SIZE 160
typedef struct _RungObject RungObject;
struct _RungObject {
  char                 identity[RUNG_IDENTITY_SIZE];
  PetscInt             references;
  void                *handle;
  int                  file; /* open while it is loaded: the loader knows objects by their file number */
  RungKernelFn *const *kernel;
  RungObject          *next;
};
RungObject *RungObjectFind(const char identity[]);
/* One that answers to its identity, or NULL; without references. */
RungObject *RungObjectCreate(const char identity[], const char bytes[], size_t size);
void        RungObjectRelease(RungObject *object); /* the last reference, or none, unloads it */

/* unit.c.  Kernels that are compiled, kept and loaded as one object. */
typedef struct {
  PetscInt        n;
  const RungPlan *plan; /* [n] lent                                                                        */
  char            flags[1024];
  char            any[40], key[40]; /* rank 0: without the compiler, and with it                           */
  char            identity[RUNG_IDENTITY_SIZE];
  RungKernelBuild build; /* rank 0, from RungBuildBegin on                                                 */
  PetscBool       begun;
  RungObject     *object; /* NULL: not there yet                                                           */
  const char     *origin; /* "cached" or "compiled", with the object                                       */
} RungUnit;
/* Deals plans out, in order, so that no unit takes a compiler long; the same on all ranks.  unit: owned, PetscFree. */
PetscErrorCode RungUnitsCreate(PetscInt n, const RungPlan plan[], PetscInt *units, RungUnit **unit);
/* What the compiler is told. */
void RungUnitFlags(const RungCompileOptions *options, RungIsa isa, PetscInt lanes, RungUnit *unit);
/* Keys and identity, the compiler known or NULL. */
void RungUnitAnyKey(RungIsa isa, PetscInt lanes, RungUnit *unit);
void RungUnitKey(const RungCompiler *compiler, RungUnit *unit);
void RungUnitIdentity(PetscInt lanes, RungUnit *unit);

/* linked.c.  What a source of RungKernelsWrite, which declares both alike, announces when the program starts. */
struct rung_linked_unit {
  int                      abi, lanes, isa, kernels;
  const char              *name;
  const char *const       *hash;   /* [kernels] */
  RungKernelFn *const     *kernel; /* [kernels] */
  struct rung_linked_unit *next;   /* ours      */
};
/* Names a kernel for `lanes` by the hash of its source, "0123..cdef": 32 digits. */
PetscErrorCode RungLinkedHash(RungPlan plan, PetscInt lanes, char hash[40]);
/* kernel[i] of plan[i] that the program brought along, or all NULL; sources: how many it brought at all; lanes: of them. */
PetscErrorCode RungLinkedFind(PetscInt n, const RungPlan plan[], RungIsa isa, RungKernelFn *kernel[], PetscInt *lanes,
                              PetscInt *sources, char reason[RUNG_REASON_SIZE]);
