/* test_tabulate.c - bases reproduce polynomials with their derivatives and add up to one. */
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

/* f = (1 + x_0 + 2 x_1 + 3 x_2)^k is reproduced with its first and second derivatives. */
static PetscErrorCode check_reproduction(const RungElement *e)
{
  static const PetscReal slope[3] = {1, 2, 3}, x[3] = {0.11, 0.23, 0.31};
  const PetscInt         dim = RungCellGet(e->type)->dim, k = e->degree;
  PetscReal             *table, base = 1, u[10] = {0};
  PetscInt               n = 1 + dim;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(RungDerivativeCount(dim, 2) * e->nodes, &table));
  PetscCall(RungElementTabulate(e, 1, x, 2, table));
  for (PetscInt a = 0; a < dim; ++a) base += slope[a] * x[a];
  for (PetscInt i = 0; i < e->nodes; ++i) {
    PetscReal at = 1;

    for (PetscInt a = 0; a < dim; ++a) at += slope[a] * e->node[i * dim + a];
    for (PetscInt d = 0; d < RungDerivativeCount(dim, 2); ++d)
      u[d] += table[d * e->nodes + i] * PetscPowReal(at, (PetscReal)k);
  }
  CHECK_NEAR(u[0], PetscPowReal(base, (PetscReal)k), 1e-9);
  for (PetscInt a = 0; a < dim; ++a) {
    CHECK_NEAR(u[1 + a], (PetscReal)k * PetscPowReal(base, (PetscReal)(k - 1)) * slope[a], 1e-8);
    for (PetscInt b = a; b < dim; ++b, ++n)
      CHECK_NEAR(u[n], (PetscReal)(k * (k - 1)) * PetscPowReal(base, (PetscReal)(k - 2)) * slope[a] * slope[b], 1e-7);
  }
  PetscCall(PetscFree(table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_polynomials_of_the_degree_are_reproduced(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type)
    for (PetscInt k = 1; k <= 6; ++k) {
      RungElement *e;

      PetscCall(create((RungCellType)type, k, (PetscBool)(k % 2), &e));
      PetscCall(check_reproduction(e));
      PetscCall(RungElementDestroy(&e));
    }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_the_basis_is_a_partition_of_unity(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type)
    for (PetscInt k = 0; k <= 6; ++k) {
      const PetscReal x[3] = {0.3, 0.1, 0.25};
      const PetscInt  dim  = RungCellGet((RungCellType)type)->dim;
      RungElement    *e;
      PetscReal      *table;

      PetscCall(create((RungCellType)type, k, PETSC_TRUE, &e));
      PetscCall(PetscMalloc1((1 + dim) * e->nodes, &table));
      PetscCall(RungElementTabulate(e, 1, x, 1, table));
      for (PetscInt d = 0; d <= dim; ++d) {
        PetscReal sum = 0;

        for (PetscInt i = 0; i < e->nodes; ++i) sum += table[d * e->nodes + i];
        CHECK_NEAR(sum, d == 0 ? 1 : 0, 1e-11);
      }
      PetscCall(PetscFree(table));
      PetscCall(RungElementDestroy(&e));
    }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_linear_slopes_are_exact_integers(void)
{
  const PetscReal x[3] = {0.25, 0.5, 0.125};
  RungElement    *e;
  PetscReal       table[4 * 4];

  PetscCall(create(RUNG_TETRAHEDRON, 1, PETSC_FALSE, &e));
  PetscCall(RungElementTabulate(e, 1, x, 1, table));
  for (PetscInt d = 1; d <= 3; ++d)
    for (PetscInt i = 0; i < 4; ++i) CHECK(table[d * 4 + i] == (i == 0 ? -1 : i == d ? 1 : 0));
  PetscCall(RungElementDestroy(&e));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_other_orders_are_refused(void)
{
  const PetscReal x[2] = {0.25, 0.5};
  RungElement    *e;
  PetscReal       table[30];

  PetscCall(create(RUNG_TRIANGLE, 1, PETSC_FALSE, &e));
  CHECK_RAISES(RungElementTabulate(e, 1, x, 3, table), "wanted 0, 1 or 2");
  PetscCall(RungElementDestroy(&e));
  return PETSC_SUCCESS;
}

/* phi_i(X) = l(X_0) l(X_1) l(X_2) with the functions on a line */
static PetscErrorCode test_bases_of_boxes_are_products(void)
{
  const PetscReal x[3] = {0.11, 0.23, 0.31};
  RungMesh        mesh;
  RungSpace       space;
  const PetscInt *lattice;
  PetscInt        line;
  PetscReal       table[64], t[3 * 4];

  PetscCall(RungMeshCreate(PETSC_COMM_SELF, &mesh));
  PetscCall(RungMeshSetBox(mesh, "hexahedron", 3, (const PetscInt[]){1, 1, 1}, NULL));
  PetscCall(RungSpaceCreate(mesh, "DQ3", &space));
  PetscCall(RungSpaceGetProduct(space, &line, &lattice));
  CHECK(line == 4);
  PetscCall(RungSpaceTabulate(space, 1, x, 0, table));
  PetscCall(RungSpaceTabulateLine(space, 3, x, 0, t));
  for (PetscInt i = 0; i < 64; ++i) {
    const PetscInt *l = &lattice[4 * i];

    CHECK_NEAR(table[i], t[l[0]] * t[4 + l[1]] * t[8 + l[2]], 1e-14);
  }
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_polynomials_of_the_degree_are_reproduced),
               RUNG_TEST(test_the_basis_is_a_partition_of_unity), RUNG_TEST(test_linear_slopes_are_exact_integers),
               RUNG_TEST(test_other_orders_are_refused), RUNG_TEST(test_bases_of_boxes_are_products))
