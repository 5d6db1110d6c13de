/* test_alike.c - what ranks are told differently is an error on all of them: texts, meshes, spaces. */
#include "check.h"
#include <rungfe_room.h>
#include <rungown_room.h>

/* On one rank nothing differs. */
static PetscErrorCode last_rank(PetscBool *several, PetscBool *last)
{
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  *several = size > 1 ? PETSC_TRUE : PETSC_FALSE;
  *last    = *several && rank == size - 1 ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_first_line_that_differs_is_told(void)
{
  RUNG_OWNED(RungDraftClear) RungDraft same = {0}, other = {0}, less = {0}, nothing = {0};
  PetscBool                            several, last;

  PetscFunctionBegin;
  PetscCall(last_rank(&several, &last));
  PetscCall(RungDraftAdd(&same, "a 1\nb 2\nc 3\n"));
  PetscCall(RungDraftAdd(&other, "a 1\nb %d\nc 3\n", last ? 22 : 2));
  PetscCall(RungDraftAdd(&less, last ? "a 1\nb 2\n" : "a 1\nb 2\nc 3\n"));
  if (last) PetscCall(RungDraftAdd(&nothing, "a\n"));
  PetscCall(RungDraftCheckAlike(PETSC_COMM_WORLD, "it", &same));
  if (!several) PetscFunctionReturn(PETSC_SUCCESS);
  CHECK_RAISES(RungDraftCheckAlike(PETSC_COMM_WORLD, "it", &other), "it differs between ranks: rank 0 has b 2, rank ");
  CHECK_RAISES(RungDraftCheckAlike(PETSC_COMM_WORLD, "it", &other), " b 22; make the same calls");
  CHECK_RAISES(RungDraftCheckAlike(PETSC_COMM_WORLD, "it", &less), "rank 0 has c 3, rank ");
  CHECK_RAISES(RungDraftCheckAlike(PETSC_COMM_WORLD, "it", &less), " nothing more; make");
  CHECK_RAISES(RungDraftCheckAlike(PETSC_COMM_WORLD, "it", &nothing), "rank 0 has nothing more, rank ");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_mesh(PetscInt n, PetscReal size, PetscInt refine, const char wanted[])
{
  RungMesh mesh;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){4, n}, (PetscReal[]){1, size}));
  PetscCall(RungMeshSetRefinement(mesh, refine));
  CHECK_RAISES(RungMeshSetUp(mesh), wanted);
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_meshes_and_spaces_are_the_same_on_all_ranks(void)
{
  RungMesh  mesh;
  RungSpace space;
  PetscBool several, last;

  PetscFunctionBegin;
  PetscCall(last_rank(&several, &last));
  if (!several) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(check_mesh(last ? 5 : 4, 1, 0, "the mesh differs between ranks: rank 0 has 4 cells along y"));
  PetscCall(check_mesh(4, last ? 2 : 1, 0, "the mesh differs between ranks: rank 0 has 4 cells along y, 1 long"));
  PetscCall(check_mesh(4, 1, last ? 1 : 0, "the mesh differs between ranks: rank 0 has 0 refinements"));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 7));
  CHECK_RAISES(RungSpaceCreate(mesh, last ? "P0^2" : "P0", &space),
               "a space differs between ranks: rank 0 has P0, rank");
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_the_first_line_that_differs_is_told),
               RUNG_TEST(test_meshes_and_spaces_are_the_same_on_all_ranks))
