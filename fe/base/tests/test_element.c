/* test_element.c - families, and what all elements share: nodal bases and nodes on facets. */
#include "check.h"
#include "base_impl.h"

static PetscErrorCode create(RungCellType type, PetscInt degree, PetscBool discontinuous, RungElement **element)
{
  const PetscBool box = (PetscBool)!RungCellGet(type)->simplex;

  PetscFunctionBegin;
  PetscCall(RungElementCreate(PETSC_COMM_SELF, "test", discontinuous ? (box ? "DQ" : "DP") : (box ? "Q" : "P"), type,
                              degree, element));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_basis_functions_are_one_at_their_own_node(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type)
    for (PetscInt k = 1; k <= 6; ++k) {
      RungElement *e;
      PetscReal   *table;

      PetscCall(create((RungCellType)type, k, PETSC_FALSE, &e));
      PetscCall(PetscMalloc1(e->nodes * e->nodes, &table));
      PetscCall(RungElementTabulate(e, e->nodes, e->node, 0, table));
      for (PetscInt i = 0; i < e->nodes; ++i)
        for (PetscInt j = 0; j < e->nodes; ++j) CHECK_NEAR(table[i * e->nodes + j], i == j ? 1 : 0, 1e-12);
      PetscCall(PetscFree(table));
      PetscCall(RungElementDestroy(&e));
    }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_facets_hold_a_whole_element_of_their_own(void)
{
  for (int type = RUNG_TRIANGLE; type < RUNG_CELL_TYPES; ++type)
    for (PetscInt k = 1; k <= 5; ++k) {
      RungElement *e, *facet;

      PetscCall(create((RungCellType)type, k, PETSC_FALSE, &e));
      PetscCall(create(RungCellGet((RungCellType)type)->facet_type, k, PETSC_FALSE, &facet));
      for (PetscInt f = 0; f < RungCellGet((RungCellType)type)->facets; ++f)
        CHECK(e->facet_start[f + 1] - e->facet_start[f] == facet->nodes);
      PetscCall(RungElementDestroy(&facet));
      PetscCall(RungElementDestroy(&e));
    }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_families_and_cells_have_to_fit(void)
{
  const char  *family;
  RungElement *e;

  CHECK_RAISES(RungElementFindFamily(PETSC_COMM_SELF, "Lagrange2", "Lagrange", &family), "it is called P, or Q on box");
  CHECK_RAISES(RungElementFindFamily(PETSC_COMM_SELF, "RT1", "RT", &family), "DP0^d or DP1^d for a flux");
  CHECK_RAISES(RungElementFindFamily(PETSC_COMM_SELF, "BDM1", "BDM", &family), "DP0^d or DP1^d for a flux");
  CHECK_RAISES(RungElementFindFamily(PETSC_COMM_SELF, "N1curl", "N", &family), "a scalar potential");
  CHECK_RAISES(RungElementFindFamily(PETSC_COMM_SELF, "X1", "X", &family), "wanted one of P, Q, DP");
  CHECK_RAISES(RungElementCreate(PETSC_COMM_SELF, "Q2", "Q", RUNG_TETRAHEDRON, 2, &e), "use \"P2\"");
  CHECK_RAISES(RungElementCreate(PETSC_COMM_SELF, "DP3", "DP", RUNG_HEXAHEDRON, 3, &e), "use \"DQ3\"");
  CHECK_RAISES(RungElementCreate(PETSC_COMM_SELF, "P1", "P", RUNG_POINT, 1, &e), "only degree 0");
  PetscCall(RungElementCreate(PETSC_COMM_SELF, "Q2", "Q", RUNG_INTERVAL, 2, &e)); /* one and the same on intervals */
  CHECK(e->nodes == 3);
  PetscCall(RungElementDestroy(&e));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_basis_functions_are_one_at_their_own_node),
               RUNG_TEST(test_facets_hold_a_whole_element_of_their_own), RUNG_TEST(test_families_and_cells_have_to_fit))
