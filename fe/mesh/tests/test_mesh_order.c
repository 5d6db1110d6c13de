/* test_mesh_order.c - reverse Cuthill-McKee brings neighbours together. */
#include "fe_impl.h"
#include "check.h"

/* Largest distance of two ends in the order; -1 if it is no permutation. */
static PetscErrorCode bandwidth(PetscInt n, PetscInt edges, const PetscInt edge[], PetscInt *width)
{
  const PetscInt ends[2] = {0, 1}; /* a cell is an edge */
  PetscInt      *order, *place;

  PetscCall(PetscMalloc2(n, &order, n, &place));
  PetscCall(RungOrderVertices(n, edges, 2, edge, 1, ends, 2, order));
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

/* Forty arms of two edges at one vertex, which are walked together; edges that are cut off would come behind all others. */
static PetscErrorCode test_a_vertex_may_have_many_neighbours(void)
{
  enum { ARMS = 40 };
  PetscInt edge[4 * ARMS], width = 0;

  for (PetscInt i = 0; i < ARMS; ++i) {
    edge[4 * i]     = 0;
    edge[4 * i + 1] = edge[4 * i + 2] = 1 + i;
    edge[4 * i + 3]                   = 1 + ARMS + i;
  }
  PetscCall(bandwidth(1 + 2 * ARMS, 2 * ARMS, edge, &width));
  CHECK(width == ARMS - 1);
  return PETSC_SUCCESS;
}

/* From 6 the walk comes to 1, whose neighbours 0 and 2 have three and two: an edge that many cells share counts once. */
static PetscErrorCode test_an_edge_of_several_cells_counts_once(void)
{
  const PetscInt edge[] = {0, 7, 0, 8, 0, 1, 1, 2, 1, 3, 2, 4, 4, 2, 2, 4, 4, 2, 2, 4, 3, 5, 3, 6}, ends[2] = {0, 1};
  PetscInt       order[9], place[9];

  PetscCall(RungOrderVertices(9, 12, 2, edge, 1, ends, 2, order));
  for (PetscInt i = 0; i < 9; ++i) place[order[i]] = i;
  CHECK(order[8] == 6 && place[2] > place[0]);
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_scrambled_path_becomes_a_path),
               RUNG_TEST(test_pieces_without_connection_are_all_ordered),
               RUNG_TEST(test_a_vertex_may_have_many_neighbours), RUNG_TEST(test_an_edge_of_several_cells_counts_once))
