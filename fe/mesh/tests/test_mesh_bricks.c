/* test_mesh_bricks.c - boxes of which every rank makes its own part are those that METIS cuts, and evenly cut. */
#include "fe_impl.h"

#include "mesh_tools.h"

static PetscErrorCode make(RungCellType type, PetscBool periodic, const char partitioner[], RungMesh *mesh)
{
  const PetscBool closed[3] = {PETSC_FALSE, periodic, periodic};

  PetscFunctionBegin;
  PetscCall(make_box(type, 12, 6, 6, (PetscReal[]){2, 1, 1}, mesh));
  if (periodic && RungCellGet(type)->dim == 3) PetscCall(RungMeshSetPeriodic(*mesh, closed));
  PetscCall(PetscStrncpy((*mesh)->partitioner, partitioner, sizeof(*mesh)->partitioner));
  PetscCall(RungMeshSetRefinement(*mesh, periodic ? 1 : 0));
  PetscCall(RungMeshSetUp(*mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_box_of_bricks_is_the_box_that_metis_cuts(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type)
    for (int periodic = 0; periodic < 2; ++periodic) {
      RungMesh  mesh[2];
      PetscReal volume[2], area[2], count[2];
      char      print[2][17];
      PetscInt  entities[2][3];

      for (int i = 0; i < 2; ++i) {
        PetscCall(make((RungCellType)type, periodic ? PETSC_TRUE : PETSC_FALSE, i ? "metis" : "", &mesh[i]));
        PetscCall(RungMeshGetFingerprint(mesh[i], print[i]));
        for (PetscInt d = 0; d < mesh[i]->data.dim; ++d) PetscCall(RungMeshNeedEntities(mesh[i], d));
        PetscCallMPI(MPI_Allreduce(mesh[i]->data.owned, entities[i], 3, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
        PetscCall(volume_of(mesh[i], "", &volume[i]));
        PetscCall(area_of(mesh[i], "right", &area[i], &count[i]));
      }
      CHECK(!strcmp(mesh[0]->partitioner, "bricks") && !strcmp(mesh[1]->partitioner, "metis"));
      CHECK(!strcmp(print[0], print[1]));
      for (PetscInt d = 0; d < mesh[0]->data.dim; ++d) CHECK(entities[0][d] == entities[1][d]);
      CHECK_NEAR(volume[0], volume[1], 1e-13);
      CHECK_NEAR(area[0], area[1], 1e-13);
      CHECK(count[0] == count[1] && mesh[0]->parts.n == mesh[1]->parts.n);
      for (PetscInt p = 0; p < mesh[0]->parts.n; ++p)
        CHECK(mesh[0]->parts.part[p].total == mesh[1]->parts.part[p].total);
      for (int i = 0; i < 2; ++i) PetscCall(RungMeshDestroy(&mesh[i]));
    }
  return PETSC_SUCCESS;
}

/* The cut is that of the facets whose cells are on different ranks, and no more than twice what METIS cuts. */
static PetscErrorCode test_the_cut_is_counted_and_short(void)
{
  for (int type = RUNG_TRIANGLE; type < RUNG_CELL_TYPES; ++type)
    for (int periodic = 0; periodic < 2; ++periodic) {
      RungMesh          mesh[2];
      const RungPlaces *places;
      PetscInt          far = 0, all;

      for (int i = 0; i < 2; ++i)
        PetscCall(make((RungCellType)type, periodic ? PETSC_TRUE : PETSC_FALSE, i ? "metis" : "", &mesh[i]));
      PetscCall(RungMeshGetPlaces(mesh[0], RUNG_INTERIOR_FACETS, NULL, &places));
      for (PetscInt i = 0; i < places->count; ++i)
        if (places->cell[0][i] >= mesh[0]->data.cells || places->cell[1][i] >= mesh[0]->data.cells) ++far;
      PetscCallMPI(MPI_Allreduce(&far, &all, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
      CHECK(all == mesh[0]->edge_cut);
      CHECK(mesh[0]->edge_cut <= 2 * mesh[1]->edge_cut);
      for (int i = 0; i < 2; ++i) PetscCall(RungMeshDestroy(&mesh[i]));
    }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_boxes_that_bricks_cannot_cut_evenly_go_to_metis(void)
{
  RungMesh    mesh;
  PetscMPIInt size;

  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(make_box(RUNG_TETRAHEDRON, 1, 1, 1, NULL, &mesh));
  PetscCall(RungMeshSetUp(mesh));
  CHECK(!strcmp(mesh->partitioner, size > 1 ? "metis" : "bricks"));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_box_of_bricks_is_the_box_that_metis_cuts), RUNG_TEST(test_the_cut_is_counted_and_short),
               RUNG_TEST(test_boxes_that_bricks_cannot_cut_evenly_go_to_metis))
