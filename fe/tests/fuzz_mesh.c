/* fuzz_mesh.c - any bytes are a Gmsh file: they become a mesh or a message, soon, and nothing is read behind their end. */
#include "fe_impl.h"
#include <fuzz.h>

static const char *path; /* of the file in memory that holds the input */

static PetscErrorCode begin(void)
{
  return fuzz_memory(&path);
}

static PetscErrorCode end(void)
{
  return PETSC_SUCCESS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  RungMesh            mesh;
  const RungMeshData *found;
  PetscErrorCode      code;

  fuzz_write(data, size);
  if (RungMeshCreate(PETSC_COMM_SELF, &mesh) || RungMeshSetFile(mesh, path)) abort();
  code = RungMeshSetUp(mesh);
  if (code && code != PETSC_ERR_FILE_UNEXPECTED) abort(); /* a message, and none of a library below */
  if (!code && (RungMeshGetData(mesh, &found) || found->cells < 1)) abort();
  if (RungMeshDestroy(&mesh)) abort();
  return 0;
}
