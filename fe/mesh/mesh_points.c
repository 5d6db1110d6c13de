/* mesh_points.c - meshes of points: no geometry, the global index is the coordinate; for ordinary differential
   equations.  Contiguous blocks on the ranks, as even as possible. */
#include "fe_impl.h"

PetscErrorCode RungMeshMakePoints(RungMesh mesh, RungPiece *piece)
{
  PetscInt n = PETSC_DECIDE, N = mesh->points, end;

  PetscFunctionBegin;
  PetscCall(PetscSplitOwnership(mesh->comm, &n, &N));
  PetscCallMPI(MPI_Scan(&n, &end, 1, MPIU_INT, MPI_SUM, mesh->comm));
  *piece = (RungPiece){.type = RUNG_POINT, .dim = 1, .cells = n, .nodes = n};
  PetscCall(PetscMalloc1(n, &piece->cell_node));
  PetscCall(PetscMalloc1(n, &piece->cell_id));
  PetscCall(PetscCalloc1(n, &piece->exterior));
  PetscCall(PetscMalloc1(n, &piece->node_id));
  PetscCall(PetscMalloc1(n, &piece->x));
  for (PetscInt i = 0; i < n; ++i) {
    piece->cell_node[i] = i;
    piece->cell_id[i] = piece->node_id[i] = end - n + i;
    piece->x[i]                           = (PetscReal)(end - n + i);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
