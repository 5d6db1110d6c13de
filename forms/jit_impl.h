/* jit_impl.h - between compiling (compile.c), keeping objects on disk (cache.c) and loading them (jit.c).

   These run on rank 0 alone: they never raise PETSc errors, they return PETSC_FALSE and a reason. */
#pragma once

#include "kernel_impl.h"
#include <stdint.h>

#define RUNG_REASON_SIZE 1024

typedef struct {
  char path[PETSC_MAX_PATH_LEN]; /* of the program                    */
  char version[512];             /* first line of --version           */
} RungCompiler;

/* snprintf that is asked for nothing: a text that is too long is cut. */
void RungJitPrint(char to[], size_t size, const char format[], ...) __attribute__((format(printf, 3, 4)));

/* compile.c.  name "": the first of cc, gcc, clang. */
PetscBool RungCompilerFind(const char name[], RungCompiler *compiler, char reason[RUNG_REASON_SIZE]);
/* source, object: paths; folder: for the compiler's temporary files; flags: split at blanks */
PetscBool RungCompilerRun(const RungCompiler *compiler, const char flags[], const char define[], const char folder[],
                          const char source[], const char object[], char reason[RUNG_REASON_SIZE]);
void      RungMachineIsa(char isa[], size_t size); /* all that -march=native looks at */

/* cache.c.  Two 64-bit hashes of a text, continued from *hash. */
void RungHashText(const char text[], size_t n, uint64_t hash[2]);
/* wanted "": the default folder, or a temporary one where that cannot be used. */
PetscBool RungCacheOpen(const char wanted[], char folder[PETSC_MAX_PATH_LEN], char reason[RUNG_REASON_SIZE]);
/* bytes: malloc, the caller frees; NULL where there is none or it is damaged */
void RungCacheRead(const char folder[], const char key[], char **bytes, size_t *size);
/* Compiles source into the cache unless another job has done so, and reads the object. */
PetscBool RungCacheCompile(const char folder[], const char key[], const RungCompiler *compiler, const char flags[],
                           const char source[], char **bytes, size_t *size, char reason[RUNG_REASON_SIZE]);
void      RungCacheRemove(const char folder[], const char key[]);
