/* test_mesh_weight.c - cells weigh the dofs that they bring, times the factor of their part; the cut heeds it. */
#include "fe_impl.h"
#include "mesh_tools.h"

/* Weights of a box of 3 blocks along each axis, times the number of its dofs over the unit of weight. */
static PetscErrorCode weigh_box(RungCellType type, PetscInt degree, PetscInt dofs, double weight[], PetscInt *cells)
{
  RungFinding  finding = {""};
  RungPiece    whole   = {0};
  PetscSection section;
  RungMesh     mesh;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_SELF, &mesh));
  PetscCall(RungMeshSetBox(mesh, RungCellGet(type)->name, RungCellGet(type)->dim, (PetscInt[]){3, 3, 3}, NULL));
  PetscCall(RungMeshSetWeightDegree(mesh, degree));
  PetscCall(RungMeshMakeBox(mesh, NULL, &whole, &finding));
  PetscCall(RungPieceWeigh(mesh, &whole, NULL, &section));
  *cells = whole.cells;
  for (PetscInt c = 0; c < whole.cells; ++c) {
    PetscInt w;

    PetscCall(PetscSectionGetDof(section, c, &w));
    weight[c] = (double)w * (double)dofs / (1000 * (double)whole.cells);
  }
  PetscCall(PetscSectionDestroy(&section));
  PetscCall(RungPieceDestroy(&whole));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_shared_dof_weighs_its_share(void)
{
  double   w[27];
  PetscInt cells;

  PetscCall(weigh_box(RUNG_QUADRILATERAL, 1, 16, w, &cells));
  CHECK_NEAR(w[0], 1 + 0.5 + 0.5 + 0.25, 2e-3);
  CHECK_NEAR(w[1], 0.5 + 0.5 + 0.25 + 0.25, 2e-3);
  CHECK_NEAR(w[4], 1, 2e-3);
  PetscCall(weigh_box(RUNG_QUADRILATERAL, 3, 100, w, &cells));
  CHECK_NEAR(w[0], 2.25 + 2 * (1 + 1 + 0.5 + 0.5) + 4, 7e-3);
  CHECK_NEAR(w[4], 1 + 2 * (0.5 + 0.5 + 0.5 + 0.5) + 4, 7e-3);
  PetscCall(weigh_box(RUNG_HEXAHEDRON, 2, 343, w, &cells));
  CHECK(cells == 27);
  CHECK_NEAR(w[0], 3.375 + (3 + 6 * 0.5 + 3 * 0.25) + 4.5 + 1, 7e-3); /* vertices, edges, faces, inside */
  CHECK_NEAR(w[13], 1 + 3 + 3 + 1, 7e-3);
  return PETSC_SUCCESS;
}

static PetscErrorCode test_weights_add_up_to_the_dofs(void)
{
  static const PetscInt dofs[RUNG_CELL_TYPES] = {0, 13, 169, 169, 2197, 2197}; /* of degree 4 */

  for (RungCellType type = RUNG_INTERVAL; type <= RUNG_HEXAHEDRON; ++type) {
    double   w[162], least = 1e9, sum = 0;
    PetscInt cells;

    PetscCall(weigh_box(type, 4, dofs[type], w, &cells));
    for (PetscInt c = 0; c < cells; ++c) sum += w[c], least = PetscMin(least, w[c]);
    CHECK_NEAR(sum, (double)dofs[type], 1e-3 * (double)dofs[type]);
    CHECK_NEAR(least * (double)cells, (double)dofs[type], 0.35 * (double)dofs[type]);
  }
  return PETSC_SUCCESS;
}

/* 20 intervals, the first 4 in part "rich" (7), all in "all" (1). */
static PetscErrorCode line(RungMesh *mesh)
{
  FILE *file;

  PetscFunctionBegin;
  PetscCall(PetscFOpen(PETSC_COMM_WORLD, "rich.msh", "w", &file));
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file,
                         "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n1 1 \"all\"\n1 7 "
                         "\"rich\"\n$EndPhysicalNames\n$Nodes\n21\n"));
  for (int i = 0; i < 21; ++i) PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file, "%d %d 0 0\n", i + 1, i));
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file, "$EndNodes\n$Elements\n20\n"));
  for (int i = 0; i < 20; ++i)
    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file, "%d 1 2 %d 1 %d %d\n", i + 1, i < 4 ? 7 : 1, i + 1, i + 2));
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file, "$EndElements\n"));
  PetscCall(PetscFClose(PETSC_COMM_WORLD, file));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RungMeshSetFile(*mesh, "rich.msh"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_heavy_parts_are_cut_smaller(void)
{
  const RungMeshData *data;
  RungMesh            mesh;
  PetscInt            most;
  PetscMPIInt         size;

  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (int option = 0; option < 2; ++option) {
    PetscCall(line(&mesh));
    if (option)
      PetscCall(PetscOptionsSetValue(NULL, "-mesh_part_weight", "rich:3,rich:4"));
    else
      PetscCall(RungMeshSetPartWeight(mesh, "7", 4));
    PetscCall(RungMeshSetFromOptions(mesh));
    PetscCall(RungMeshGetData(mesh, &data));
    PetscCallMPI(MPI_Allreduce(&data->cells, &most, 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD));
    if (size == 2) CHECK(most == 16); /* 4 of weight 4, 16 of weight 1 */
    PetscCall(PetscOptionsClearValue(NULL, "-mesh_part_weight"));
    PetscCall(RungMeshDestroy(&mesh));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_weighted_box_is_cut_cell_by_cell(void)
{
  RungMesh    mesh;
  PetscMPIInt size;

  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){6, 6}, NULL));
  PetscCall(RungMeshSetWeightDegree(mesh, 1));
  PetscCall(RungMeshSetUp(mesh));
  CHECK(!strcmp(mesh->partitioner, "metis"));
  CHECK((mesh->edge_cut > 0) == (size > 1));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_senseless_weights_are_refused(void)
{
  RungMesh mesh;

  PetscCall(line(&mesh));
  CHECK_RAISES(RungMeshSetPartWeight(mesh, "rich", 0), "part \"rich\" that weigh 0. times as much; wanted more than 0");
  CHECK_RAISES(RungMeshSetPartWeight(mesh, NULL, 2), "a weight of cells without a part");
  CHECK_RAISES(RungMeshSetWeightDegree(mesh, -1), "degree -1; wanted 1 to 64, or 0 for equal cells");
  PetscCall(RungMeshSetPartWeight(mesh, "poor", 2));
  CHECK_RAISES(RungMeshSetUp(mesh), "a weight for \"poor\", which is no part of this mesh's cells");
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(line(&mesh));
  PetscCall(PetscOptionsSetValue(NULL, "-mesh_part_weight", "rich=4"));
  CHECK_RAISES(RungMeshSetFromOptions(mesh),
               "-mesh_part_weight \"rich=4\"; wanted a part of cells and how much heavier");
  PetscCall(PetscOptionsClearValue(NULL, "-mesh_part_weight"));
  PetscCall(PetscOptionsSetValue(NULL, "-mesh_partitioner", "simple"));
  PetscCall(RungMeshSetWeightDegree(mesh, 2));
  PetscCall(RungMeshSetFromOptions(mesh));
  CHECK_RAISES(RungMeshSetUp(mesh), "simple makes blocks of equally many cells and takes no weights");
  PetscCall(PetscOptionsClearValue(NULL, "-mesh_partitioner"));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 3));
  PetscCall(RungMeshSetWeightDegree(mesh, 2));
  CHECK_RAISES(RungMeshSetUp(mesh), "weights for a mesh of points");
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_shared_dof_weighs_its_share), RUNG_TEST(test_weights_add_up_to_the_dofs),
               RUNG_TEST(test_heavy_parts_are_cut_smaller), RUNG_TEST(test_a_weighted_box_is_cut_cell_by_cell),
               RUNG_TEST(test_senseless_weights_are_refused))
