/* test_mesh_view.c - what -mesh_view says. */
#include "mesh_tools.h"

/* Everything that is printed, the same on all ranks. */
static PetscErrorCode view(RungMesh mesh, char text[4096])
{
  PetscViewer viewer;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, "view.txt", &viewer));
  PetscCall(RungMeshView(mesh, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  memset(text, 0, 4096);
  if (!rank) {
    FILE *file = fopen("view.txt", "r");

    CHECK(file && fread(text, 1, 4095, file) > 0 && !fclose(file));
  }
  PetscCallMPI(MPI_Bcast(text, 4096, MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_counts_parts_box_and_balance_are_shown(void)
{
  const PetscReal size[3] = {1, 2, 4};
  RungMesh        mesh;
  char            text[4096];
  PetscMPIInt     ranks;

  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(make_box(RUNG_HEXAHEDRON, 6, 1, 1, size, &mesh));
  PetscCall(view(mesh, text));
  CHECK(strstr(text, "cells     6 of type hexahedron, affine\n"));
  CHECK(strstr(text, "entities  28 vertices, 52 edges, 31 faces\n"));
  CHECK(strstr(text, "lies in   [0., 1.] x [0., 2.] x [0., 4.]\n"));
  CHECK(strstr(text, "size      longest edge of a cell from 4. to 4., mean 4.\n"));
  CHECK(strstr(text, "quality   scaled Jacobian from 1.0000, mean 1.0000 (1 is best)\n"));
  CHECK(strstr(text, "boundary  26 facets\n"));
  CHECK(strstr(text, "part      top (4): 6 facets\n"));
  CHECK(strstr(text, ranks == 1 ? "ranks     1," : ranks == 2 ? "ranks     2 by bricks," : "ranks     3 by bricks,"));
  CHECK(strstr(text, ranks == 1 ? "edge cut 0 facets" : ranks == 2 ? "edge cut 1 facets" : "edge cut 2 facets"));
  CHECK(strstr(text, "balance 1.000 of cells, 1."));
  CHECK(!strstr(text, "rank 1") == (ranks == 1));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_points_have_no_boundary_to_show(void)
{
  RungMesh mesh;
  char     text[4096];

  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 3));
  PetscCall(view(mesh, text));
  CHECK(strstr(text, "cells     3 of type point") && !strstr(text, "boundary") && !strstr(text, "quality"));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_counts_parts_box_and_balance_are_shown), RUNG_TEST(test_points_have_no_boundary_to_show))
