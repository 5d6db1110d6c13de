/* test_mesh_shape.c - curved cells of Gmsh files: their maps, their copies on other ranks, spaces and output on them. */
#include "check_curved.h"

/* det J of the map at a point of a cell: table[1 + axis][node]. */
static double determinant_at(const RungMeshData *data, PetscInt c, PetscInt points, PetscInt q, const PetscReal table[])
{
  const PetscInt dim = data->dim, n = data->nodes_per_cell;
  double         J[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

  for (PetscInt b = 0; b < dim; ++b)
    for (PetscInt a = 0; a < dim; ++a) {
      J[a][b] = 0;
      for (PetscInt i = 0; i < n; ++i)
        J[a][b] += table[((1 + b) * points + q) * n + i] * data->x[data->cell_node[c * n + i] * dim + a];
    }
  return J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) - J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
         J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
}

static PetscErrorCode volume_of_map(RungMesh mesh, PetscReal *volume)
{
  const RungMeshData   *data;
  const RungQuadrature *rule;
  PetscReal            *table, mine = 0;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(mesh, &data));
  PetscCall(RungQuadratureGet(data->type, 6, &rule));
  PetscCall(PetscMalloc1((1 + data->dim) * rule->points * data->nodes_per_cell, &table));
  PetscCall(RungCellTabulate(data->type, data->geometry_degree, rule->points, rule->x, 1, table));
  for (PetscInt c = 0; c < data->cells; ++c)
    for (PetscInt q = 0; q < rule->points; ++q)
      mine += rule->weight[q] * determinant_at(data, c, rule->points, q, table);
  PetscCall(PetscFree(table));
  PetscCallMPI(MPI_Allreduce(&mine, volume, 1, MPIU_REAL, MPI_SUM, RungMeshComm(mesh)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Quadratic maps miss the volume by O(h^4), straight ones by O(h^2). */
static PetscErrorCode test_volumes_of_curved_cells_are_nearly_right(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type)
    for (int eight = 0; eight < 2; ++eight) {
      const PetscInt dim    = RungCellGet((RungCellType)type)->dim;
      PetscReal      off[2] = {0, 0};

      for (PetscInt order = 1; order <= 2; ++order) {
        RungMesh mesh;

        PetscCall(curved_mesh((RungCellType)type, 2, order, eight ? PETSC_TRUE : PETSC_FALSE, "curved.msh", &mesh));
        PetscCall(volume_of_map(mesh, &off[order - 1]));
        off[order - 1] = fabs(off[order - 1] - curved_volume(dim));
        PetscCall(RungMeshDestroy(&mesh));
      }
      CHECK(off[1] < (dim == 1 ? 1e-14 : 0.008));
      CHECK(dim == 1 || off[0] > 12 * off[1]);
    }
  return PETSC_SUCCESS;
}

/* Every node of a space of degree 2 lies where the map has it: on the sphere if it is on the part. */
static PetscErrorCode test_nodes_of_spaces_lie_on_the_curved_boundary(void)
{
  for (int type = RUNG_TRIANGLE; type < RUNG_CELL_TYPES; ++type) {
    const PetscInt       dim = RungCellGet((RungCellType)type)->dim;
    RungMesh             mesh;
    RungSpace            space;
    const RungSpaceData *data;
    PetscInt             count, *nodes;

    PetscCall(curved_mesh((RungCellType)type, 3, 2, PETSC_FALSE, "curved.msh", &mesh));
    PetscCall(RungSpaceCreate(mesh, "CG2", &space));
    PetscCall(RungSpaceGetData(space, &data));
    PetscCall(RungSpaceGetPartNodes(space, "outer", &count, &nodes));
    for (PetscInt i = 0; i < count; ++i) {
      PetscReal r = 0;

      for (PetscInt a = 0; a < dim; ++a) r += PetscSqr(data->x[nodes[i] * dim + a]);
      CHECK_NEAR(PetscSqrtReal(r), 2, 1e-14);
    }
    PetscCall(PetscFree(nodes));
    PetscCall(RungSpaceDestroy(&space));
    PetscCall(RungMeshDestroy(&mesh));
  }
  return PETSC_SUCCESS;
}

#define MIRRORED                                                                                                       \
  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n9\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 .5 -.1 0\n6 1.1 .5 0\n"      \
  "7 .5 1.2 0\n8 -.3 .5 0\n9 .5 .5 0\n$EndNodes\n$Elements\n1\n1 10 2 1 1 1 4 3 2 8 7 6 5 9\n$EndElements\n"

/* The mirrored cell is the same set of points: its area is 1 + 2/3 of the sum of the bulges. */
static PetscErrorCode test_a_mirrored_curved_cell_is_turned_with_its_nodes(void)
{
  RungMesh    mesh;
  PetscReal   area;
  PetscMPIInt rank;

  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(RungFileWrite(PETSC_COMM_WORLD, "mirrored.msh", strlen(MIRRORED), MIRRORED));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetFile(mesh, "mirrored.msh"));
  PetscCall(volume_of_map(mesh, &area));
  CHECK_NEAR(area, 1 + 2. / 3 * (0.1 + 0.1 + 0.2 + 0.3), 1e-14);
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_volumes_of_curved_cells_are_nearly_right),
               RUNG_TEST(test_nodes_of_spaces_lie_on_the_curved_boundary),
               RUNG_TEST(test_a_mirrored_curved_cell_is_turned_with_its_nodes))
