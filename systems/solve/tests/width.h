/* width.h - how wide a body is whose mesh a test writes. */
#ifndef TESTS_WIDTH_H
#define TESTS_WIDTH_H
#include "../solver_impl.h"

/* Width and length of a body, Q1; write: of its mesh, by rank 0, into a file `name` of this many ranks that is gone afterwards. */
static inline PetscErrorCode width_of_mesh(PetscErrorCode (*write)(const char path[]), const char name[],
                                           PetscReal *width, PetscReal *length)
{
  char        path[PETSC_MAX_PATH_LEN];
  PetscMPIInt rank, size;
  RungMesh    mesh;
  RungSpace   space;
  RungSystem  sys;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscSNPrintf(path, sizeof path, "%s_%d.msh", name, size));
  if (!rank) PetscCall(write(path));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetFile(mesh, path));
  PetscCall(RungSpaceCreate(mesh, "Q1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx"));
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungSolverWidth(sys, width, length));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (!rank) (void)remove(path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
