/* test_discontinuous.c - constants, and values at points. */
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

static PetscErrorCode test_constants_have_one_node_in_the_middle(void)
{
  for (int type = RUNG_POINT; type < RUNG_CELL_TYPES; ++type) {
    const RungCell *cell = RungCellGet((RungCellType)type);
    const PetscReal x[3] = {0.1, 0.2, 0.3};
    RungElement    *e;
    PetscReal       table[4];

    PetscCall(create((RungCellType)type, 0, PETSC_TRUE, &e));
    CHECK(e->nodes == 1 && e->entity_nodes[cell->dim] == 1 && !e->continuous);
    for (PetscInt a = 0; a < cell->dim; ++a)
      CHECK_NEAR(e->node[a], cell->simplex ? 1. / (double)(cell->dim + 1) : 0.5, 1e-15);
    PetscCall(RungElementTabulate(e, 1, x, 1, table));
    CHECK(table[0] == 1);
    for (PetscInt a = 0; a < cell->dim; ++a) CHECK(table[1 + a] == 0);
    PetscCall(RungElementDestroy(&e));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_points_are_known_at_points_only(void)
{
  const RungQuadrature *rule;
  RungElement          *e;
  PetscReal             table[5 * 9];

  PetscCall(RungElementCreate(PETSC_COMM_SELF, "Quad(2)", "Quad", RUNG_TRIANGLE, 2, &e));
  PetscCall(RungQuadratureGet(RUNG_TRIANGLE, 2, &rule));
  PetscCall(RungElementTabulate(e, rule->points, rule->x, 0, table));
  for (int i = 0; i < 9; ++i) CHECK(table[i] == (i % 4 == 0));
  CHECK_RAISES(RungElementTabulate(e, rule->points, rule->x, 1, table), "no derivatives");
  CHECK_RAISES(RungElementTabulate(e, 1, rule->x, 0, table), "other points");
  PetscCall(RungElementDestroy(&e));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_constants_have_one_node_in_the_middle), RUNG_TEST(test_points_are_known_at_points_only))
