/* fuzz.h - what fuzz programs begin and end with, as libFuzzer calls them, and as programs that take files.

   A program defines begin() and end(), what all inputs share, and LLVMFuzzerTestOneInput().  PETSc's error handler is taken off: errors
   are answers.  Under libFuzzer (cmake/fuzz.cmake) inputs grow from a corpus; as a program of its own, RUNG_FUZZ_FILES, it takes
   the files that it is given, each whole and cut at every tenth byte.  What MPI and PETSc keep from their start on is no leak. */
#ifndef RUNG_FUZZ_H
#define RUNG_FUZZ_H
#include <rungfe.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#if defined(__has_feature)
  #if __has_feature(address_sanitizer)
    #include <sanitizer/lsan_interface.h>
  #endif
#endif
#if !defined(SANITIZER_LSAN_INTERFACE_H)
  #define __lsan_disable()       (void)0
  #define __lsan_enable()        (void)0
  #define __lsan_do_leak_check() (void)0
#endif

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static PetscErrorCode begin(void); /* after RungInitialize() */
static PetscErrorCode end(void);   /* before RungFinalize()  */

static int fuzz_file; /* where readers of files find the input; opened by fuzz_open() */

static inline PetscErrorCode fuzz_open(const char path[])
{
  PetscFunctionBegin;
  fuzz_file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
  PetscCheck(fuzz_file >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "cannot open %s", path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline void fuzz_write(const uint8_t data[], size_t size)
{
  if (ftruncate(fuzz_file, 0) || pwrite(fuzz_file, data, size, 0) != (ssize_t)size) abort();
}

static PetscErrorCode fuzz_ignore(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode n,
                                  PetscErrorType type, const char *text, void *ctx)
{
  (void)comm, (void)line, (void)function, (void)file, (void)type, (void)text, (void)ctx;
  return n;
}

static PetscErrorCode fuzz_begin(void)
{
  static char  name[] = "fuzz";
  static char *args[] = {name, NULL};
  char       **argv   = args;
  int          argc   = 1;

  PetscFunctionBegin;
  PetscCall(RungInitialize(&argc, &argv, NULL));
  PetscCall(begin());
  PetscCall(PetscPushErrorHandler(fuzz_ignore, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fuzz_end(void)
{
  PetscFunctionBegin;
  PetscCall(PetscPopErrorHandler());
  PetscCall(end());
  PetscCall(RungFinalize());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Leaks are looked for before MPI takes its plug-ins away, and not again. */
static void fuzz_at_exit(void)
{
  __lsan_do_leak_check();
  if (fuzz_end()) abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  PetscErrorCode code;

  (void)argc, (void)argv;
  __lsan_disable();
  code = fuzz_begin();
  __lsan_enable();
  if (code) abort();
  return atexit(fuzz_at_exit);
}

#if defined(RUNG_FUZZ_FILES)
int main(int argc, char **argv)
{
  if (LLVMFuzzerInitialize(&argc, &argv)) return 1;
  for (int i = 1; i < argc; ++i) {
    FILE    *input = fopen(argv[i], "rb");
    uint8_t *bytes = (uint8_t *)malloc(1 << 20);
    size_t   size;

    if (!input || !bytes) return 1;
    size = fread(bytes, 1, 1 << 20, input);
    if (fclose(input)) return 1;
    for (size_t n = size; n > 0; n -= n < 10 ? n : 10) (void)LLVMFuzzerTestOneInput(bytes, n);
    free(bytes);
  }
  return 0;
}
#endif

#endif
