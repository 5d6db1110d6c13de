/* test_lagrange.c - P and Q: stable nodes, and faces that are turned. */
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

/* The sum of |basis functions| stays small where equispaced nodes of degree 10 reach 30 on the line. */
static PetscErrorCode test_nodes_of_high_degree_are_stable(void)
{
  RungElement *e;
  PetscReal    table[66], worst = 0;

  PetscCall(create(RUNG_TRIANGLE, 10, PETSC_FALSE, &e));
  for (PetscInt i = 0; i <= 40; ++i)
    for (PetscInt j = 0; i + j <= 40; ++j) {
      const PetscReal x[2] = {i / 40., j / 40.};
      PetscReal       sum  = 0;

      PetscCall(RungElementTabulate(e, 1, x, 0, table));
      for (PetscInt n = 0; n < 66; ++n) sum += PetscAbsReal(table[n]);
      worst = PetscMax(worst, sum);
    }
  CHECK(worst > 2 && worst < 7.5);
  PetscCall(RungElementDestroy(&e));
  return PETSC_SUCCESS;
}

/* However a face is turned, a node goes to the same place between the sorted vertices. */
static PetscErrorCode test_a_turned_face_has_its_nodes_in_one_frame(void)
{
  const PetscInt turns[6][3] = {{7, 8, 9}, {7, 9, 8}, {8, 7, 9}, {8, 9, 7}, {9, 7, 8}, {9, 8, 7}};
  RungElement   *e, *f;

  PetscCall(create(RUNG_TETRAHEDRON, 5, PETSC_FALSE, &e));
  PetscCall(create(RUNG_TRIANGLE, 5, PETSC_FALSE, &f)); /* the inside of the triangle is ordered as a face is */
  for (int t = 0; t < 6; ++t)
    for (PetscInt i = 0; i < e->entity_nodes[2]; ++i) {
      const PetscInt  to   = e->turn[2][RungOrientation(RUNG_TRIANGLE, turns[t]) * e->entity_nodes[2] + i];
      const PetscInt *from = &f->lattice[4 * (f->entity_start[2] + i)],
                     *at   = &f->lattice[4 * (f->entity_start[2] + to)];

      for (int v = 0; v < 3; ++v) CHECK(from[v] == at[turns[t][v] - 7]);
    }
  PetscCall(RungElementDestroy(&f));
  PetscCall(RungElementDestroy(&e));
  return PETSC_SUCCESS;
}

/* The eight ways to see a quadrilateral: vertex v is at corner `seen[v]` of the frame whose corner 0 is the lowest and
   whose first axis leads to the lower neighbour. */
static PetscErrorCode test_a_turned_quadrilateral_has_its_nodes_in_one_frame(void)
{
  const PetscInt seen[8][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0},
                               {0, 2, 1, 3}, {2, 0, 3, 1}, {1, 3, 0, 2}, {3, 1, 2, 0}};
  RungElement   *e, *f;

  PetscCall(create(RUNG_HEXAHEDRON, 4, PETSC_FALSE, &e));
  PetscCall(create(RUNG_QUADRILATERAL, 4, PETSC_FALSE, &f));
  for (int t = 0; t < 8; ++t)
    for (PetscInt i = 0; i < 9; ++i) {
      const PetscInt   to = e->turn[2][RungOrientation(RUNG_QUADRILATERAL, seen[t]) * 9 + i];
      const PetscReal *x = &f->node[2 * (f->entity_start[2] + i)], *y = &f->node[2 * (f->entity_start[2] + to)];
      const PetscReal  w[4]  = {(1 - x[0]) * (1 - x[1]), x[0] * (1 - x[1]), (1 - x[0]) * x[1], x[0] * x[1]};
      PetscReal        at[2] = {0, 0};

      for (int v = 0; v < 4; ++v)
        for (int a = 0; a < 2; ++a) at[a] += w[v] * (PetscReal)((seen[t][v] >> a) & 1);
      CHECK_NEAR(y[0], at[0], 1e-14);
      CHECK_NEAR(y[1], at[1], 1e-14);
    }
  PetscCall(RungElementDestroy(&f));
  PetscCall(RungElementDestroy(&e));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_nodes_of_high_degree_are_stable),
               RUNG_TEST(test_a_turned_face_has_its_nodes_in_one_frame),
               RUNG_TEST(test_a_turned_quadrilateral_has_its_nodes_in_one_frame))
