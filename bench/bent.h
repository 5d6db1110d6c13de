/* bent.h - meshes of hexahedra, straight and bent, for programs that are compared with deal.II. */
#pragma once

#include "bench.h"
#include <unistd.h>

typedef enum { CARTESIAN, DEFORMED, REPEATING, MESHES } MeshKind;
static const char *const kinds[] = {"cartesian", "deformed", "repeating"};

/* A grid of n^3 bent hexahedra as a Gmsh file. */
static inline PetscErrorCode write_bent(PetscInt n, MeshKind kind, const char path[])
{
  const int m  = (int)n + 1;
  int       at = 0;
  FILE     *file;

  PetscFunctionBegin;
  PetscCall(PetscFOpen(PETSC_COMM_SELF, path, "w", &file));
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", m * m * m);
  for (int k = 0; k < m; ++k) {
    for (int j = 0; j < m; ++j) {
      for (int i = 0; i < m; ++i) {
        const double x[3] = {i / (double)n, j / (double)n, k / (double)n};
        const double s    = 3 * x[0] + 2 * x[1] - x[2] + (kind == DEFORMED ? 4 * x[0] * x[1] * x[2] : 0);

        fprintf(file, "%d %.17g %.17g %.17g\n", ++at, x[0] + 0.03 * sin(s), x[1] + 0.03 * sin(s + 1),
                x[2] + 0.03 * sin(s + 2));
      }
    }
  }
  fprintf(file, "$EndNodes\n$Elements\n%d\n", (int)(n * n * n));
  at = 0;
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        const int v = 1 + i + m * (j + m * k), w = v + m * m;

        fprintf(file, "%d 5 2 1 1 %d %d %d %d %d %d %d %d\n", ++at, v, v + 1, v + 1 + m, v + m, w, w + 1, w + 1 + m,
                w + m);
      }
    }
  }
  fprintf(file, "$EndElements\n");
  PetscCall(PetscFClose(PETSC_COMM_SELF, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode create_mesh(PetscInt n, MeshKind kind, RungMesh *mesh)
{
  char path[] = "/tmp/rung-matfree-XXXXXX.msh";
  int  file;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  if (kind == CARTESIAN) {
    PetscCall(RungMeshSetBox(*mesh, "hexahedron", 3, (PetscInt[]){n, n, n}, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  file = mkstemps(path, 4);
  PetscCheck(file >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "no temporary file %s", path);
  (void)close(file);
  PetscCall(write_bent(n, kind, path));
  PetscCall(RungMeshSetFile(*mesh, path));
  PetscCall(RungMeshSetUp(*mesh));
  (void)unlink(path);
  PetscFunctionReturn(PETSC_SUCCESS);
}
