/* common.c - what the problems share: a mesh, a space, a system. */
#include "../verify_impl.h"

PetscErrorCode RungCaseSystem_Private(MPI_Comm comm, const char cell[], PetscInt dim, const PetscInt count[],
                                      const char spec[], RungSystem *sys)
{
  RungMesh            mesh;
  RungSpace           V;
  const RungMeshData *data;
  char                family[64];

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(comm, &mesh));
  PetscCall(RungMeshSetBox(mesh, cell, dim, count, (PetscReal[]){1, 1, 1}));
  PetscCall(RungMeshSetFromOptions(mesh));
  PetscCall(RungMeshGetData(mesh, &data));
  /* the user's mesh may have other cells than the default: P on simplices, Q on boxes, of the problem's degree */
  PetscCall(PetscStrncpy(family, spec, sizeof family));
  family[0] = RungCellGet(data->type)->simplex ? 'P' : 'Q';
  if (data->type == RUNG_POINT) family[1] = '0';
  PetscCall(RungSpaceCreate(mesh, family, &V));
  PetscCall(RungSystemCreate(comm, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", V));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}
