/* test_bubble.c - enriched elements: nodal, the sum of the basis is one, bubbles vanish on facets, neighbours agree. */
#include "base_impl.h"
#include "check.h"

static const char *family_of(RungCellType type)
{
  return RungCellGet(type)->simplex ? "P+B" : "Q+B";
}

static PetscInt most_of(RungCellType type)
{
  return RungCellGet(type)->simplex ? RungCellGet(type)->dim : 1;
}

static PetscErrorCode test_the_basis_is_nodal_and_sums_to_one(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type)
    for (PetscInt k = 1; k <= most_of((RungCellType)type); ++k) {
      RungElement *e;
      PetscReal   *table;

      PetscCall(RungElementCreate(PETSC_COMM_SELF, "test", family_of((RungCellType)type), (RungCellType)type, k, &e));
      PetscCall(PetscMalloc1(4 * e->nodes * e->nodes, &table));
      PetscCall(RungElementTabulate(e, e->nodes, e->node, 1, table));
      for (PetscInt p = 0; p < e->nodes; ++p) {
        PetscReal slope = 0;

        for (PetscInt i = 0; i < e->nodes; ++i) {
          CHECK_NEAR(table[p * e->nodes + i], p == i, 1e-13);
          slope += table[(e->nodes + p) * e->nodes + i];
        }
        CHECK_NEAR(slope, 0, 1e-12);
      }
      PetscCall(PetscFree(table));
      PetscCall(RungElementDestroy(&e));
    }
  return PETSC_SUCCESS;
}

/* 27 l0 l1 l2 at (1/4, 1/4), 256 l0 l1 l2 l3 at (1/8, 1/8, 1/4), and zero on facets. */
static PetscErrorCode test_the_last_function_is_the_bubble(void)
{
  const PetscReal inside[3] = {0.25, 0.25, 0.25};
  const double    wanted[]  = {0, 0.75, 27. / 32, 9. / 16, 256. / 256, 27. / 64};

  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    RungElement          *e;
    PetscReal            *table;
    const RungQuadrature *rule;

    PetscCall(RungElementCreate(PETSC_COMM_SELF, "test", family_of((RungCellType)type), (RungCellType)type, 1, &e));
    PetscCall(RungQuadratureGetFacet((RungCellType)type, 0, 3, &rule));
    PetscCall(PetscMalloc1((1 + rule->points) * e->nodes, &table));
    PetscCall(RungElementTabulate(e, 1, inside, 0, table));
    CHECK_NEAR(table[e->nodes - 1], wanted[type], 1e-13);
    PetscCall(RungElementTabulate(e, rule->points, rule->x, 0, table));
    for (PetscInt p = 0; p < rule->points; ++p) CHECK_NEAR(table[(p + 1) * e->nodes - 1], 0, 1e-13);
    PetscCall(PetscFree(table));
    PetscCall(RungElementDestroy(&e));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_spaces_count_one_more_node_a_cell(void)
{
  const PetscInt count[3] = {2, 2, 2};

  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    const RungCell      *cell = RungCellGet((RungCellType)type);
    RungMesh             mesh;
    RungSpace            plain, rich;
    const RungSpaceData *data[2];
    const RungMeshData  *flat;

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetBox(mesh, cell->name, cell->dim, count, NULL));
    PetscCall(RungMeshGetData(mesh, &flat));
    PetscCall(RungSpaceCreate(mesh, "CG1", &plain));
    PetscCall(RungSpaceCreate(mesh, cell->simplex ? "P1+B^d" : "Q1+B^d", &rich));
    PetscCall(RungSpaceGetData(plain, &data[0]));
    PetscCall(RungSpaceGetData(rich, &data[1]));
    CHECK(data[1]->nodes_global == data[0]->nodes_global + flat->cells_global);
    CHECK(data[1]->degree == (cell->simplex ? cell->dim + 1 : 2) && data[1]->components == cell->dim);
    CHECK_RAISES(RungSpaceCreate(mesh, cell->simplex ? "P4+B" : "Q2+B", &plain), "above it the bubble is in the space");
    PetscCall(RungSpaceDestroy(&rich));
    PetscCall(RungSpaceDestroy(&plain));
    PetscCall(RungMeshDestroy(&mesh));
  }
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_the_basis_is_nodal_and_sums_to_one), RUNG_TEST(test_the_last_function_is_the_bubble),
               RUNG_TEST(test_spaces_count_one_more_node_a_cell))
