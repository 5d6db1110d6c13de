/* test_mesh_coarsen.c - the coarser mesh is the one that was cut: cells, places and parts, on any number of ranks. */
#include "check_curved.h"
#include "mesh_tools.h"
#include <rungnested_room.h>
#include <rungown_room.h>
#include "fe_impl.h"

static PetscErrorCode check_same(RungMesh a, RungMesh b)
{
  char print[2][17];

  PetscFunctionBegin;
  PetscCall(RungMeshGetFingerprint(a, print[0]));
  PetscCall(RungMeshGetFingerprint(b, print[1]));
  CHECK(!strcmp(print[0], print[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a part of facets: as large as that of the other mesh, and as many members. */
static PetscErrorCode check_part(RungMesh a, RungMesh b, const char name[])
{
  PetscReal area[2], count[2];

  PetscFunctionBegin;
  PetscCall(area_of(a, name, &area[0], &count[0]));
  PetscCall(area_of(b, name, &area[1], &count[1]));
  CHECK_NEAR(area[0], area[1], 1e-13 * area[1]);
  CHECK(count[0] == count[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_refined_mesh_was_the_one_that_was_refined(void)
{
  const PetscReal size[3] = {1, 1.5, 0.75};

  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    RungMesh   mesh, before;
    RungFamily family[2];

    PetscCall(make_box((RungCellType)type, 2, 3, 2, size, &mesh));
    PetscCall(make_box((RungCellType)type, 2, 3, 2, size, &before));
    PetscCall(RungMeshSetRefinement(mesh, 2));
    PetscCall(RungMeshCoarsen(mesh, &family[0]));
    PetscCall(RungMeshCoarsen(family[0]->coarse, &family[1]));
    PetscCall(check_same(family[1]->coarse, before));
    PetscCall(check_part(family[1]->coarse, before, "left"));
    PetscCall(check_part(family[1]->coarse, before, NULL));
    for (int i = 0; i < 2; ++i) PetscCall(RungFamilyDestroy(&family[i]));
    PetscCall(RungMeshDestroy(&mesh));
    PetscCall(RungMeshDestroy(&before));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_curved_maps_come_back(void)
{
  for (int type = RUNG_TRIANGLE; type < RUNG_CELL_TYPES; ++type) {
    RungMesh   mesh, before;
    RungFamily family;

    PetscCall(curved_mesh((RungCellType)type, 2, 2, PETSC_FALSE, "coarsen.msh", &mesh));
    PetscCall(RungMeshSetRefinement(mesh, 1));
    PetscCall(curved_mesh((RungCellType)type, 2, 2, PETSC_FALSE, "coarsen.msh", &before));
    PetscCall(RungMeshCoarsen(mesh, &family));
    PetscCall(check_same(family->coarse, before));
    PetscCall(RungFamilyDestroy(&family));
    PetscCall(RungMeshDestroy(&mesh));
    PetscCall(RungMeshDestroy(&before));
  }
  return PETSC_SUCCESS;
}

/* Whatever its sides, and periodic along x; children of one rank each where the bricks are even. */
static PetscErrorCode test_a_box_of_even_counts_is_one_of_half_the_counts(void)
{
  const PetscReal size[3] = {1, 1.5, 0.3};
  PetscMPIInt     ranks;

  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    for (int round = 0; round < 2; ++round) {
      const PetscBool periodic[3] = {round ? PETSC_TRUE : PETSC_FALSE, PETSC_FALSE, PETSC_FALSE};
      RungMesh        mesh, before;
      RungFamily      family;

      PetscCall(make_box((RungCellType)type, 8, 4, 4, size, &mesh));
      PetscCall(make_box((RungCellType)type, 4, 2, 2, size, &before));
      PetscCall(RungMeshSetPeriodic(mesh, periodic));
      PetscCall(RungMeshSetPeriodic(before, periodic));
      PetscCall(RungMeshCoarsen(mesh, &family));
      CHECK(family || ranks == 3);
      if (family) PetscCall(check_same(family->coarse, before));
      if (family && type > RUNG_INTERVAL) PetscCall(check_part(family->coarse, before, "top"));
      PetscCall(RungFamilyDestroy(&family));
      PetscCall(RungMeshDestroy(&mesh));
      PetscCall(RungMeshDestroy(&before));
    }
  }
  return PETSC_SUCCESS;
}

/* All children of a parent are on its rank, and a child's vertices lie where its way says. */
static PetscErrorCode check_children(RungFamily family)
{
  RUNG_OWNED(RungElementDestroy) RungElement *map   = NULL; /* of degree 2 */
  RUNG_FREE PetscInt                         *count = NULL;
  const RungMeshData                         *fine, *coarse;
  const RungCell                             *cell;
  PetscReal                                   off = 0;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(family->fine, &fine));
  PetscCall(RungMeshGetData(family->coarse, &coarse));
  cell = RungCellGet(fine->type);
  PetscCall(RungElementCreateMap(fine->type, 2, &map));
  PetscCall(PetscCalloc1(coarse->cells, &count));
  for (PetscInt c = 0; c < fine->cells; ++c) {
    const PetscInt   p = family->parent[c], dim = fine->dim, *node = coarse->cell_node + p * coarse->nodes_per_cell;
    const PetscReal *x0 = coarse->x + node[0] * dim;

    ++count[p];
    for (PetscInt v = 0; v < cell->vertices; ++v) {
      const PetscReal *at = map->node + family->corner[(int)family->place[c]][v] * cell->dim;
      const PetscReal *x  = fine->x + fine->cell_node[c * fine->nodes_per_cell + v] * dim;

      for (PetscInt a = 0; a < dim; ++a) {
        PetscReal sum = x0[a];

        for (PetscInt b = 0; b < dim; ++b)
          sum += at[b] * (coarse->x[node[cell->simplex ? 1 + b : 1 << b] * dim + a] - x0[a]);
        off = PetscMax(off, PetscAbsReal(x[a] - sum));
      }
    }
  }
  CHECK_NEAR(off, 0, 1e-14);
  for (PetscInt p = 0; p < coarse->cells; ++p) CHECK(count[p] == 1 << cell->dim);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of a box have blocks of their own, those of a cut are numbered; sides, edges and corners have the members that they had. */
static PetscErrorCode test_children_lie_in_their_parents(void)
{
  const PetscReal size[3] = {1, 1.5, 0.75};

  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type)
    for (int refine = 0; refine < 2; ++refine) {
      RungMesh   mesh, before;
      RungFamily family;

      PetscCall(make_box((RungCellType)type, refine ? 4 : 8, refine ? 2 : 4, refine ? 2 : 4, size, &mesh));
      PetscCall(make_box((RungCellType)type, 4, 2, 2, size, &before));
      PetscCall(RungMeshSetRefinement(mesh, refine));
      PetscCall(RungMeshSetUp(before));
      PetscCall(RungMeshCoarsen(mesh, &family));
      if (family) {
        PetscCall(check_children(family));
        CHECK(family->coarse->parts.n == before->parts.n);
        for (PetscInt p = 0; p < before->parts.n; ++p) {
          const RungPart *one = &family->coarse->parts.part[p], *other = &before->parts.part[p];

          CHECK(!strcmp(one->name, other->name) && one->total == other->total);
          CHECK(sum_all(mesh, (PetscReal)one->count) == sum_all(mesh, (PetscReal)other->count));
          for (PetscInt i = 1; i < one->count; ++i)
            CHECK(one->cell[i - 1] < one->cell[i] ||
                  (one->cell[i - 1] == one->cell[i] && one->entity[i - 1] < one->entity[i]));
        }
      }
      PetscCall(RungFamilyDestroy(&family));
      PetscCall(RungMeshDestroy(&mesh));
      PetscCall(RungMeshDestroy(&before));
    }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_what_was_not_cut_has_no_parents(void)
{
  RungMesh   mesh;
  RungFamily family;

  PetscCall(make_box(RUNG_QUADRILATERAL, 4, 3, 1, (const PetscReal[]){1, 1, 1}, &mesh));
  PetscCall(RungMeshCoarsen(mesh, &family));
  CHECK(!family);
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(curved_mesh(RUNG_TRIANGLE, 2, 2, PETSC_FALSE, "whole.msh", &mesh));
  PetscCall(RungMeshCoarsen(mesh, &family));
  CHECK(!family);
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_refined_mesh_was_the_one_that_was_refined), RUNG_TEST(test_curved_maps_come_back),
               RUNG_TEST(test_a_box_of_even_counts_is_one_of_half_the_counts),
               RUNG_TEST(test_children_lie_in_their_parents), RUNG_TEST(test_what_was_not_cut_has_no_parents))
