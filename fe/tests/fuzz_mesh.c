/* fuzz_mesh.c - any bytes are a Gmsh file: they become a mesh or a message, soon, and nothing is read behind their end.

   Under libFuzzer (cmake/fuzz.cmake) the inputs grow from a corpus; as a program of its own, RUNG_FUZZ_FILES, it takes the
   files that it is given, each whole and cut at every tenth byte.  PETSc's error handler is taken off: errors are answers. */
#include "fe_impl.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
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

#define PATH "fuzz.msh"

static int file; /* of this path, where the input is read from */

static PetscErrorCode ignore(MPI_Comm comm, int line, const char *function, const char *name, PetscErrorCode n,
                             PetscErrorType type, const char *text, void *ctx)
{
  (void)comm, (void)line, (void)function, (void)name, (void)type, (void)text, (void)ctx;
  return n;
}

static PetscErrorCode begin(void)
{
  static char  name[] = "fuzz_mesh";
  static char *args[] = {name, NULL};
  char       **argv   = args;
  int          argc   = 1;

  PetscFunctionBegin;
  PetscCall(RungInitialize(&argc, &argv, NULL));
  file = open(PATH, O_RDWR | O_CREAT | O_TRUNC, 0666);
  PetscCheck(file >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "cannot open " PATH);
  PetscCall(PetscPushErrorHandler(ignore, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(void)
{
  PetscFunctionBegin;
  PetscCall(PetscPopErrorHandler());
  PetscCall(RungFinalize());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Leaks are looked for before MPI takes its plug-ins away, and not again. */
static void at_exit(void)
{
  __lsan_do_leak_check();
  if (end()) abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  PetscErrorCode code;

  (void)argc, (void)argv;
  __lsan_disable();
  code = begin();
  __lsan_enable();
  if (code) abort();
  return atexit(at_exit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  RungMesh            mesh;
  const RungMeshData *found;
  PetscErrorCode      code;

  if (ftruncate(file, 0) || pwrite(file, data, size, 0) != (ssize_t)size) abort();
  if (RungMeshCreate(PETSC_COMM_SELF, &mesh) || RungMeshSetFile(mesh, PATH)) abort();
  code = RungMeshSetUp(mesh);
  if (code && code != PETSC_ERR_FILE_UNEXPECTED) abort(); /* a message, and none of a library below */
  if (!code && (RungMeshGetData(mesh, &found) || found->cells < 1)) abort();
  if (RungMeshDestroy(&mesh)) abort();
  return 0;
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
