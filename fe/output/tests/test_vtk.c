/* test_vtk.c - the order of points in VTK's cells; tests/read_vtu.py has VTK's own word on files. */
#include "check.h"
#include "output_impl.h"

/* Every lattice point of a P or Q element appears exactly once. */
static PetscErrorCode test_the_order_is_a_permutation_of_the_nodes(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type)
    for (PetscInt k = 1; k <= 7; ++k) {
      RungElement *e;
      PetscInt    *lattice, n;
      int          code;

      PetscCall(RungElementCreate(PETSC_COMM_SELF, "test", RungCellGet((RungCellType)type)->simplex ? "P" : "Q",
                                  (RungCellType)type, k, &e));
      PetscCall(RungVtkCell((RungCellType)type, k, &code, &n, &lattice));
      CHECK(n == e->nodes);
      for (PetscInt i = 0; i < e->nodes; ++i) {
        int found = 0;

        for (PetscInt j = 0; j < n; ++j) found += !memcmp(&lattice[4 * j], &e->lattice[4 * i], 4 * sizeof(PetscInt));
        CHECK(found == 1);
      }
      PetscCall(PetscFree(lattice));
      PetscCall(RungElementDestroy(&e));
    }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_linear_cells_are_plain(void)
{
  static const int linear[] = {1, 3, 5, 9, 10, 12}, lagrange[] = {1, 68, 69, 70, 71, 72};

  for (int type = RUNG_POINT; type < RUNG_CELL_TYPES; ++type)
    for (PetscInt k = type == RUNG_POINT ? 0 : 1; k <= (type == RUNG_POINT ? 0 : 2); ++k) {
      PetscInt *lattice, n;
      int       code;

      PetscCall(RungVtkCell((RungCellType)type, k, &code, &n, &lattice));
      CHECK(code == (k <= 1 ? linear[type] : lagrange[type]));
      PetscCall(PetscFree(lattice));
    }
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_the_order_is_a_permutation_of_the_nodes), RUNG_TEST(test_linear_cells_are_plain))
