/* ring.h - a quarter of a ring of straight quadrilaterals as a Gmsh file: walls that are curved up to the mesh. */
#pragma once

#include <rungsystem.h>
#include <stdio.h>

/* Radii 1 to 2, n cells along each side; parts inner, outer, first (y = 0), last (x = 0); outer beyond 45 degrees is
   another part, rest, if `apart`. */
static inline PetscErrorCode ring_write_parts(const char path[], int n, int apart)
{
  FILE *file = fopen(path, "w");

  PetscFunctionBegin;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "\"%s\" cannot be written", path);
  fprintf(file,
          "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n6\n1 1 \"inner\"\n1 2 \"outer\"\n1 3 \"first\"\n");
  fprintf(file, "1 4 \"last\"\n1 6 \"rest\"\n2 5 \"ring\"\n$EndPhysicalNames\n$Nodes\n%d\n", (n + 1) * (n + 1));
  for (int j = 0; j <= n; ++j) {
    for (int i = 0; i <= n; ++i) {
      const double r = 1 + (double)i / n, phi = PETSC_PI / 2 * j / n;

      fprintf(file, "%d %.17g %.17g 0\n", 1 + i + j * (n + 1), r * cos(phi), r * sin(phi));
    }
  }
  fprintf(file, "$EndNodes\n$Elements\n%d\n", 4 * n + n * n);
  for (int k = 0, id = 1; k < n; ++k) {
    const int corner[4][2] = {{1 + k * (n + 1), 1 + (k + 1) * (n + 1)},
                              {1 + n + k * (n + 1), 1 + n + (k + 1) * (n + 1)},
                              {1 + k, 2 + k},
                              {1 + k + n * (n + 1), 2 + k + n * (n + 1)}};

    for (int side = 0; side < 4; ++side) {
      const int part = apart && side == 1 && 2 * k >= n ? 6 : side + 1;

      fprintf(file, "%d 1 2 %d %d %d %d\n", id++, part, part, corner[side][0], corner[side][1]);
    }
  }
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      const int a = 1 + i + j * (n + 1);

      fprintf(file, "%d 3 2 5 5 %d %d %d %d\n", 4 * n + 1 + i + j * n, a, a + 1, a + n + 2, a + n + 1);
    }
  }
  fprintf(file, "$EndElements\n");
  fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode ring_write(const char path[], int n)
{
  PetscFunctionBegin;
  PetscCall(ring_write_parts(path, n, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A space on the ring; the file is gone afterwards. */
static inline PetscErrorCode ring_space_parts(const char path[], int n, int apart, const char spec[], RungSpace *space)
{
  RungMesh    mesh;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) PetscCall(ring_write_parts(path, n, apart));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetFile(mesh, path));
  PetscCall(RungSpaceCreate(mesh, spec, space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (!rank) remove(path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode ring_space(const char path[], int n, const char spec[], RungSpace *space)
{
  PetscFunctionBegin;
  PetscCall(ring_space_parts(path, n, 0, spec, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}
