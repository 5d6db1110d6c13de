/* test_mesh_order.c - reverse Cuthill-McKee brings neighbours together. */
#include "fe_impl.h"
#include "check.h"

/* Largest distance of two ends in the order; -1 if it is no permutation. */
static PetscErrorCode bandwidth(PetscInt n, PetscInt edges, const PetscInt edge[], PetscInt *width)
{
  PetscInt *order, *place;

  PetscCall(PetscMalloc2(n, &order, n, &place));
  PetscCall(RungOrderVertices(n, edges, edge, order));
  for (PetscInt i = 0; i < n; ++i) place[i] = -1;
  for (PetscInt i = 0; i < n; ++i) place[order[i]] = i;
  *width = 0;
  for (PetscInt e = 0; e < edges; ++e)
    *width = PetscMax(*width, PetscAbsInt(place[edge[2 * e]] - place[edge[2 * e + 1]]));
  for (PetscInt i = 0; i < n; ++i) *width = place[i] < 0 ? -1 : *width;
  PetscCall(PetscFree2(order, place));
  return PETSC_SUCCESS;
}

/* A path whose vertices are numbered by multiples of 7 modulo 31. */
static PetscErrorCode test_a_scrambled_path_becomes_a_path(void)
{
  PetscInt edge[60], width = 0;

  for (PetscInt i = 0; i < 30; ++i) edge[2 * i] = 7 * i % 31, edge[2 * i + 1] = 7 * (i + 1) % 31;
  PetscCall(bandwidth(31, 30, edge, &width));
  CHECK(width == 1);
  return PETSC_SUCCESS;
}

static PetscErrorCode test_pieces_without_connection_are_all_ordered(void)
{
  const PetscInt edge[8] = {0, 4, 4, 2, 1, 5, 5, 3};
  PetscInt       width   = 0;

  PetscCall(bandwidth(8, 4, edge, &width)); /* 6 and 7 stand alone */
  CHECK(width == 1);
  PetscCall(bandwidth(3, 0, NULL, &width));
  CHECK(width == 0);
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_scrambled_path_becomes_a_path),
               RUNG_TEST(test_pieces_without_connection_are_all_ordered))
