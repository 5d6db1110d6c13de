/* fuzz_mesh.c - any bytes are a Gmsh file: they become a mesh or a message, soon, and nothing is read behind their end.

   On several ranks all see the same file, of which each reads a part where its format lets them, and have the same inputs: they agree on what
   comes of each.  One rank that waits for another one never ends. */
#include "fe_impl.h"
#include <fuzz.h>

static const char *path; /* of the file that holds the input: in memory on one rank */
static PetscMPIInt rank, ranks;
static long        parted; /* inputs of which each rank has read a part */

static PetscErrorCode begin(void)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  if (ranks == 1) {
    PetscCall(fuzz_memory(&path));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  path = "fuzz_ranks.msh";
  if (!rank) PetscCall(fuzz_open(path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(void)
{
  if (ranks > 1 && !rank) printf("%ld inputs were read in parts\n", parted);
  return PETSC_SUCCESS;
}

/* Ranks that disagree abort. */
static void compare(PetscErrorCode code)
{
  int mine[2] = {(int)code, -(int)code}, most[2];

  if (MPI_Allreduce(mine, most, 2, MPI_INT, MPI_MAX, PETSC_COMM_WORLD) || most[0] != -most[1]) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  RungMesh            mesh;
  const RungMeshData *found;
  PetscErrorCode      code;

  if (!rank) fuzz_write(data, size);
  if (ranks > 1 && MPI_Barrier(PETSC_COMM_WORLD)) abort();
  if (RungMeshCreate(PETSC_COMM_WORLD, &mesh) || RungMeshSetFile(mesh, path)) abort();
  code = RungMeshSetUp(mesh);
  if (code && code != PETSC_ERR_FILE_UNEXPECTED) abort(); /* a message, and none of a library below */
  compare(code);
  if (!code && (RungMeshGetData(mesh, &found) || found->cells_global < 1)) abort();
  if (mesh->sliced) ++parted;
  if (RungMeshDestroy(&mesh)) abort();
  return 0;
}
