/* test_mesh_refine.c - cells cut into 2^dim: what stays (volume, parts, maps), what multiplies, and that all fits. */
#include "check_curved.h"
#include "mesh_tools.h"

/* Owned nodes of a space over all ranks: the mesh conforms if they are as many as on the box of twice the cells. */
static PetscErrorCode count_nodes(RungMesh mesh, const char spec[], PetscInt *nodes)
{
  RungSpace            space;
  const RungSpaceData *data;

  PetscFunctionBegin;
  PetscCall(RungSpaceCreate(mesh, spec, &space));
  PetscCall(RungSpaceGetData(space, &data));
  *nodes = data->nodes_global;
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_refined_box_is_the_box_of_more_cells(void)
{
  const PetscReal size[3] = {1, 1.5, 0.75};

  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    RungMesh            mesh, twice;
    const RungMeshData *data;
    PetscReal           volume, area, count;
    PetscInt            nodes[2];

    PetscCall(make_box((RungCellType)type, 2, 3, 2, size, &mesh));
    PetscCall(make_box((RungCellType)type, 8, 12, 8, size, &twice));
    PetscCall(RungMeshSetRefinement(mesh, 2));
    PetscCall(RungMeshGetData(mesh, &data));
    for (PetscInt c = 0; c < data->cells; ++c) CHECK(cell_measure(data, c) > 0);
    PetscCall(volume_of(mesh, NULL, &volume));
    CHECK_NEAR(volume, data->dim == 1 ? 1 : data->dim == 2 ? 1.5 : 1.125, 1e-13);
    PetscCall(area_of(mesh, "right", &area, &count));
    CHECK_NEAR(area, data->dim == 1 ? 1 : data->dim == 2 ? 1.5 : 1.125, 1e-13);
    PetscCall(area_of(mesh, NULL, &area, &count));
    CHECK_NEAR(area, data->dim == 1 ? 2 : data->dim == 2 ? 5 : 2 * (1.5 + 1.125 + 0.75), 1e-13);
    PetscCall(count_nodes(mesh, "CG3", &nodes[0]));
    PetscCall(count_nodes(twice, "CG3", &nodes[1]));
    CHECK(nodes[0] == nodes[1]);
    PetscCall(RungMeshDestroy(&mesh));
    PetscCall(RungMeshDestroy(&twice));
  }
  return PETSC_SUCCESS;
}

/* x(node) of the refined mesh is that of the parent's map: the children of a curved cell fill it. */
static PetscErrorCode test_curved_cells_keep_their_maps_and_parts(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    const PetscInt dim    = RungCellGet((RungCellType)type)->dim;
    PetscReal      sum[2] = {0, 0};

    for (PetscInt times = 0; times < 2; ++times) {
      RungMesh             mesh;
      RungSpace            space;
      const RungSpaceData *data;
      PetscInt             count, *nodes;
      PetscReal            mine[2] = {0, 0}, all[2];

      PetscCall(curved_mesh((RungCellType)type, 2, 2, PETSC_FALSE, "refine.msh", &mesh));
      PetscCall(RungMeshSetRefinement(mesh, times));
      PetscCall(RungSpaceCreate(mesh, times ? "CG1" : "CG2", &space)); /* the same nodes */
      PetscCall(RungSpaceGetData(space, &data));
      PetscCall(RungSpaceGetPartNodes(space, "outer", &count, &nodes));
      for (PetscInt i = 0; i < count; ++i)
        for (PetscInt a = 0; a < dim && nodes[i] < data->owned; ++a)
          mine[0] += PetscSqr(data->x[nodes[i] * dim + a]) * (PetscReal)(a + 1), mine[1] += a ? 0 : 1;
      PetscCallMPI(MPI_Allreduce(mine, all, 2, MPIU_REAL, MPI_SUM, PETSC_COMM_WORLD));
      CHECK_NEAR(all[1], dim == 1 ? 1 : dim == 2 ? 5 : 25, dim == 1 ? 0 : 24);
      if (times) CHECK_NEAR(all[0], sum[0], 1e-12);
      sum[0] = all[0];
      PetscCall(PetscFree(nodes));
      PetscCall(RungSpaceDestroy(&space));
      PetscCall(RungMeshDestroy(&mesh));
    }
  }
  return PETSC_SUCCESS;
}

/* 2 sqrt(2) / 3 of the first regular tetrahedron's height: the cut keeps the least volume over h^3 bounded. */
static PetscErrorCode test_repeated_cuts_of_a_tetrahedron_keep_its_angles(void)
{
  static const char text[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 .3 1 0\n4 .2 .4 1\n"
                             "$EndNodes\n$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n";
  PetscReal         worst[2] = {0, 0};

  for (PetscInt times = 1; times <= 4; times += 3) {
    RungMesh            mesh;
    const RungMeshData *data;
    PetscReal           mine = 0;

    PetscCall(write_file("one.msh", strlen(text), text));
    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetFile(mesh, "one.msh"));
    PetscCall(RungMeshSetRefinement(mesh, times));
    PetscCall(RungMeshGetData(mesh, &data));
    for (PetscInt c = 0; c < data->cells; ++c) {
      PetscReal h = 0;

      for (int e = 0; e < 6; ++e) {
        const PetscInt *edge = RungCellGet(RUNG_TETRAHEDRON)->edge[e], *node = &data->cell_node[4 * c];
        PetscReal       length = 0;

        for (int a = 0; a < 3; ++a) length += PetscSqr(data->x[3 * node[edge[0]] + a] - data->x[3 * node[edge[1]] + a]);
        h = PetscMax(h, PetscSqrtReal(length));
      }
      CHECK_NEAR(cell_measure(data, c), (1. / 6) / pow(8, (double)times), 1e-15);
      mine = PetscMax(mine, h * h * h / cell_measure(data, c));
    }
    PetscCallMPI(MPI_Allreduce(&mine, &worst[times > 1], 1, MPIU_REAL, MPI_MAX, PETSC_COMM_WORLD));
    CHECK(data->cells_global == (times == 1 ? 8 : 4096));
    PetscCall(RungMeshDestroy(&mesh));
  }
  CHECK(worst[1] < 1.3 * worst[0]);
  return PETSC_SUCCESS;
}

static PetscErrorCode test_periodic_boxes_share_their_ends(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type)
    for (int refine = 0; refine < 2; ++refine) {
      const PetscInt      dim         = RungCellGet((RungCellType)type)->dim;
      const PetscBool     periodic[3] = {PETSC_TRUE, PETSC_FALSE, dim > 2 ? PETSC_TRUE : PETSC_FALSE};
      RungMesh            mesh;
      const RungMeshData *data;
      const RungPlaces   *places;
      PetscReal           volume;
      PetscInt            nodes, x = refine ? 12 : 6, y = x, z = x;

      PetscCall(make_box((RungCellType)type, 3, 3, 3, NULL, &mesh));
      PetscCall(RungMeshSetPeriodic(mesh, periodic));
      PetscCall(RungMeshSetRefinement(mesh, refine));
      PetscCall(RungMeshGetData(mesh, &data));
      PetscCall(volume_of(mesh, NULL, &volume));
      CHECK_NEAR(volume, 1, 1e-13);
      PetscCall(count_nodes(mesh, "CG2", &nodes));
      CHECK(nodes == x * (dim > 1 ? y + 1 : 1) * (dim > 2 ? z : 1));
      PetscCall(RungMeshGetPlaces(mesh, RUNG_BOUNDARY, NULL, &places));
      CHECK_NEAR(sum_all(mesh, (PetscReal)places->count) > 0, dim > 1, 0);
      CHECK_RAISES(RungMeshGetPlaces(mesh, RUNG_BOUNDARY, "left", &places), "\"left\" does not exist");
      PetscCall(RungMeshDestroy(&mesh));
    }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_what_cannot_be_done_is_refused(void)
{
  const PetscBool all[3] = {PETSC_TRUE, PETSC_TRUE, PETSC_TRUE};
  RungMesh        mesh;

  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  CHECK_RAISES(RungMeshSetRefinement(mesh, -1), "refined -1 times");
  PetscCall(RungMeshSetPoints(mesh, 3));
  PetscCall(RungMeshSetRefinement(mesh, 1));
  CHECK_RAISES(RungMeshSetUp(mesh), "a mesh of points cannot be refined");
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(make_box(RUNG_TRIANGLE, 3, 2, 0, NULL, &mesh));
  PetscCall(RungMeshSetPeriodic(mesh, all));
  CHECK_RAISES(RungMeshSetUp(mesh), "2 cells along its periodic axis y; wanted at least 3");
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(make_box(RUNG_TRIANGLE, 3, 3, 0, NULL, &mesh));
  PetscCall(RungMeshSetPeriodic(mesh, all));
  CHECK_RAISES(RungMeshSetUp(mesh), "periodic along z, which is no axis of this box");
  PetscCall(PetscOptionsSetValue(NULL, "-mesh_periodic", "x,w"));
  CHECK_RAISES(RungMeshSetFromOptions(mesh), "-mesh_periodic names the axis \"w\"; wanted x, y or z");
  PetscCall(PetscOptionsClearValue(NULL, "-mesh_periodic"));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_refined_box_is_the_box_of_more_cells),
               RUNG_TEST(test_curved_cells_keep_their_maps_and_parts),
               RUNG_TEST(test_repeated_cuts_of_a_tetrahedron_keep_its_angles),
               RUNG_TEST(test_periodic_boxes_share_their_ends), RUNG_TEST(test_what_cannot_be_done_is_refused))
