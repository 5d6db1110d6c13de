/* common.c - what the problems share: a mesh, a space, a system. */
#include "../verify_impl.h"

PetscErrorCode RungCaseSystem_Private(MPI_Comm comm, const char cell[], PetscInt dim, const PetscInt count[],
                                      const char spec[], RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace V;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(comm, &mesh));
  PetscCall(RungMeshSetBox(mesh, cell, dim, count, (PetscReal[]){1, 1, 1}));
  PetscCall(RungMeshSetFromOptions(mesh));
  PetscCall(RungSpaceCreate(mesh, spec, &V));
  PetscCall(RungSystemCreate(comm, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", V));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}
