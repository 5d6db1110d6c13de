/* test_mesh_entities.c - equal entities get one number, whatever the order of their vertices. */
#include "fe_impl.h"
#include "check.h"

/* Two triangles 0 1 2 and 2 1 3 share the edge 1-2. */
static PetscErrorCode test_two_triangles_share_one_edge(void)
{
  const PetscInt  node[6] = {0, 1, 2, 2, 1, 3};
  const PetscInt *corner;
  PetscInt        n, m, stride, count, *entity, *key;

  PetscCall(RungCellEntities(RungCellGet(RUNG_TRIANGLE), 1, &n, &m, &corner, &stride));
  PetscCall(RungNumberEntities(2, 3, node, n, m, corner, stride, &count, &entity, &key));
  CHECK(n == 3 && m == 2 && count == 5);
  CHECK(entity[0] == entity[5]); /* 1-2 is facet 0 of the first and facet 2 of the second */
  CHECK(entity[0] == 0 && key[0] == 1 && key[1] == 2);
  PetscCall(PetscFree(entity));
  PetscCall(PetscFree(key));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_counts_of_all_cells(void)
{
  static const PetscInt wanted[RUNG_CELL_TYPES][4] = {{1, 0, 0, 0}, {2, 1, 0, 0}, {3, 3, 1, 0},
                                                      {4, 4, 1, 0}, {4, 6, 4, 1}, {8, 12, 6, 1}};

  for (int type = 0; type < RUNG_CELL_TYPES; ++type) {
    for (PetscInt d = 0; d <= RungCellGet((RungCellType)type)->dim; ++d) {
      const PetscInt *corner;
      PetscInt        n, m, stride;

      PetscCall(RungCellEntities(RungCellGet((RungCellType)type), d, &n, &m, &corner, &stride));
      CHECK(n == wanted[type][d]);
    }
  }
  return PETSC_SUCCESS;
}

/* Edges 0-v, each in two cells that see it from either side, of vertices whose numbers are `stride` apart. */
static PetscErrorCode check_star(PetscInt edges, PetscInt stride)
{
  const PetscInt corner[2] = {0, 1};
  PetscInt      *node, count, *entity, *key;

  PetscCall(PetscMalloc1(4 * edges, &node));
  for (PetscInt i = 0; i < edges; ++i) {
    node[2 * i]                       = 0;
    node[2 * i + 1]                   = (1 + i) * stride;
    node[2 * (2 * edges - 1 - i)]     = (1 + i) * stride;
    node[2 * (2 * edges - 1 - i) + 1] = 0;
  }
  PetscCall(RungNumberEntities(2 * edges, 2, node, 1, 2, corner, 2, &count, &entity, &key));
  CHECK(count == edges);
  for (PetscInt i = 0; i < edges; ++i)
    CHECK(entity[i] == i && entity[2 * edges - 1 - i] == i && !key[2 * i] && key[2 * i + 1] == (1 + i) * stride);
  PetscCall(PetscFree(node));
  PetscCall(PetscFree(entity));
  PetscCall(PetscFree(key));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_vertex_may_have_very_many_edges(void)
{
  PetscCall(check_star(100000, 1));
  PetscCall(check_star(10000, 1 << 16));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_no_cells_have_no_entities(void)
{
  const PetscInt corner[2] = {0, 1};
  PetscInt       count     = 9, *entity, *key;

  PetscCall(RungNumberEntities(0, 2, NULL, 1, 2, corner, 2, &count, &entity, &key));
  CHECK(count == 0);
  PetscCall(PetscFree(entity));
  PetscCall(PetscFree(key));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_two_triangles_share_one_edge), RUNG_TEST(test_counts_of_all_cells),
               RUNG_TEST(test_a_vertex_may_have_very_many_edges), RUNG_TEST(test_no_cells_have_no_entities))
