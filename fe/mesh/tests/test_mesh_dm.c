/* test_mesh_dm.c - the DMPlex of a mesh has its cells, vertices, places, volumes and parts, on any number of ranks. */
#include "fe_impl.h"
#include <check_curved.h>
#include <petscsf.h>

static PetscErrorCode box(RungCellType type, PetscBool periodic, PetscInt refine, RungMesh *mesh)
{
  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RungMeshSetBox(*mesh, RungCellGet(type)->name, RungCellGet(type)->dim, (PetscInt[]){3, 4, 3},
                           (PetscReal[]){1, 2, 0.5}));
  if (periodic) PetscCall(RungMeshSetPeriodic(*mesh, (PetscBool[]){PETSC_TRUE, PETSC_FALSE, PETSC_FALSE}));
  if (refine) PetscCall(RungMeshSetRefinement(*mesh, refine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode sum(PetscReal *value)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, value, 1, MPIU_REAL, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Points that no other rank owns. */
static PetscErrorCode mark_owned(DM dm, PetscBool owned[])
{
  PetscInt        first, end, leaves;
  const PetscInt *leaf;
  PetscSF         sf;

  PetscFunctionBegin;
  PetscCall(DMPlexGetChart(dm, &first, &end));
  for (PetscInt p = 0; p < end; ++p) owned[p] = PETSC_TRUE;
  PetscCall(DMGetPointSF(dm, &sf));
  PetscCall(PetscSFGetGraph(sf, NULL, &leaves, &leaf, NULL));
  for (PetscInt i = 0; i < leaves; ++i) owned[leaf ? leaf[i] : i] = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The point that RungMeshGetDM() promises for entity e of dimension d. */
static PetscInt point_of(const RungMeshData *data, PetscInt d, PetscInt e)
{
  const PetscInt dim = RungCellGet(data->type)->dim;

  return d == dim       ? e
         : !d           ? data->cells + e
         : d == dim - 1 ? data->cells + data->entities[0] + e
                        : data->cells + data->entities[0] + data->entities[2] + e;
}

/* The point of every entity of every cell has the vertices of the entity. */
static PetscErrorCode check_closures(const RungMeshData *data, DM dm)
{
  const RungCell *cell = RungCellGet(data->type);

  PetscFunctionBegin;
  for (PetscInt d = 0; d <= cell->dim && cell->dim; ++d) {
    PetscInt        n, m, stride;
    const PetscInt *corner;

    PetscCall(RungCellEntities(cell, d, &n, &m, &corner, &stride));
    for (PetscInt i = 0; i < data->cells * n; ++i) {
      PetscInt points, *closure = NULL, vertices = 0, found = 0;

      PetscCall(
        DMPlexGetTransitiveClosure(dm, point_of(data, d, data->cell_entity[d][i]), PETSC_TRUE, &points, &closure));
      for (PetscInt k = 0; k < points; ++k) {
        const PetscInt v = closure[2 * k] - data->cells;

        if (v < 0 || v >= data->entities[0]) continue;
        ++vertices;
        for (PetscInt j = 0; j < m; ++j)
          found += v == data->cell_entity[0][i / n * cell->vertices + corner[i % n * stride + j]];
      }
      CHECK(vertices == m && found == m);
      PetscCall(
        DMPlexRestoreTransitiveClosure(dm, point_of(data, d, data->cell_entity[d][i]), PETSC_TRUE, &points, &closure));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As many points of each dimension, here and over all ranks; a Plex without a fault. */
static PetscErrorCode check_points(RungMesh mesh, DM dm)
{
  const RungMeshData *data;
  PetscInt            first, end, dim;
  PetscBool          *owned;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(mesh, &data));
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMPlexCheck(dm));
  PetscCall(DMPlexCheckInterfaceCones(dm));
  PetscCall(check_closures(data, dm));
  PetscCall(DMPlexGetChart(dm, &first, &end));
  PetscCall(PetscMalloc1(end + 1, &owned));
  PetscCall(mark_owned(dm, owned));
  for (PetscInt d = 0; d <= dim; ++d) {
    PetscReal count[2] = {0, data->owned[d]};

    PetscCall(DMPlexGetDepthStratum(dm, d, &first, &end));
    CHECK(end - first == data->entities[d]);
    for (PetscInt p = first; p < end; ++p) count[0] += owned[p];
    for (int i = 0; i < 2; ++i) PetscCall(sum(&count[i]));
    CHECK_NEAR(count[0], count[1], 0);
  }
  PetscCall(PetscFree(owned));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells are positive, and together as large as Rung says by its own rule, cell by cell. */
static PetscErrorCode check_volumes(RungMesh mesh, DM dm)
{
  const RungMeshData   *data;
  const RungQuadrature *rule;
  PetscQuadrature       quadrature;
  const PetscReal      *weight;
  PetscReal             v[27 * 3 * 8], J[27 * 9 * 8], K[27 * 9 * 8], det[27 * 8], table[4 * 27 * 64];
  PetscInt              dim, points;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(mesh, &data));
  dim = data->dim;
  PetscCall(RungQuadratureGet(data->type, 4, &rule));
  PetscCall(RungCellTabulate(data->type, data->geometry_degree, rule->points, rule->x, 1, table));
  if (RungCellGet(data->type)->simplex)
    PetscCall(PetscDTStroudConicalQuadrature(dim, 1, 4, -1, 1, &quadrature));
  else
    PetscCall(PetscDTGaussTensorQuadrature(dim, 1, 4, -1, 1, &quadrature));
  PetscCall(PetscQuadratureGetData(quadrature, NULL, NULL, &points, NULL, &weight));
  for (PetscInt c = 0; c < data->cells; ++c) {
    PetscReal volume[2] = {0, 0};

    PetscCall(DMPlexComputeCellGeometryFEM(dm, c, quadrature, v, J, K, det));
    for (PetscInt q = 0; q < points; ++q) {
      CHECK(det[q] > 0);
      volume[0] += weight[q] * det[q];
    }
    for (PetscInt q = 0; q < rule->points; ++q) {
      PetscReal D[9] = {0};

      for (PetscInt i = 0; i < data->nodes_per_cell; ++i) {
        const PetscReal *x = data->x + data->cell_node[c * data->nodes_per_cell + i] * dim;

        for (PetscInt a = 0; a < dim; ++a) {
          for (PetscInt b = 0; b < dim; ++b)
            D[a * dim + b] += x[a] * table[((1 + b) * rule->points + q) * data->nodes_per_cell + i];
        }
      }
      volume[1] += rule->weight[q] * (dim == 1 ? D[0]
                                      : dim == 2
                                        ? D[0] * D[3] - D[1] * D[2]
                                        : D[0] * (D[4] * D[8] - D[5] * D[7]) - D[1] * (D[3] * D[8] - D[5] * D[6]) +
                                            D[2] * (D[3] * D[7] - D[4] * D[6]));
    }
    CHECK_NEAR(volume[0], volume[1], 1e-12 * volume[1]);
  }
  PetscCall(PetscQuadratureDestroy(&quadrature));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The members of a part over all ranks. */
static PetscErrorCode check_part(DM dm, const char name[], PetscInt value, PetscReal wanted)
{
  PetscInt   first, end;
  PetscBool  has;
  PetscBool *owned;
  PetscReal  count = 0;
  DMLabel    label;

  PetscFunctionBegin;
  PetscCall(DMHasLabel(dm, name, &has));
  CHECK(has);
  if (!has) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetLabel(dm, name, &label));
  PetscCall(DMPlexGetChart(dm, &first, &end));
  PetscCall(PetscMalloc1(end + 1, &owned));
  PetscCall(mark_owned(dm, owned));
  for (PetscInt p = first; p < end; ++p) {
    PetscBool here;

    PetscCall(DMLabelStratumHasPoint(label, value, p, &here));
    if (owned[p] && here) count += 1;
  }
  PetscCall(PetscFree(owned));
  PetscCall(sum(&count));
  CHECK_NEAR(count, wanted, 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_boxes_of_all_cells(void)
{
  static const PetscReal left[]     = {0, 1, 4, 4, 24, 12};
  static const PetscReal boundary[] = {0, 2, 14, 14, 132, 66};

  for (RungCellType type = RUNG_INTERVAL; type <= RUNG_HEXAHEDRON; ++type) {
    for (PetscInt refine = 0; refine < 2; ++refine) {
      const RungPart *part;
      RungMesh        mesh;
      DM              dm, again;

      PetscCall(box(type, PETSC_FALSE, refine, &mesh));
      PetscCall(RungMeshGetDM(mesh, &dm));
      PetscCall(RungMeshGetDM(mesh, &again));
      CHECK(dm == again);
      PetscCall(check_points(mesh, dm));
      PetscCall(check_volumes(mesh, dm));
      part = RungMeshFindPart(mesh, 0, RungCellGet(type)->dim - 1, "left");
      if (!refine) PetscCall(check_part(dm, "left", part->number, left[type]));
      if (!refine) PetscCall(check_part(dm, "boundary", 1, boundary[type]));
      PetscCall(RungMeshDestroy(&mesh));
    }
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_periodic_cells_keep_their_places(void)
{
  for (RungCellType type = RUNG_INTERVAL; type <= RUNG_HEXAHEDRON; ++type) {
    RungMesh mesh;
    DM       dm;

    PetscCall(box(type, PETSC_TRUE, 0, &mesh));
    PetscCall(RungMeshGetDM(mesh, &dm));
    PetscCall(check_points(mesh, dm));
    PetscCall(check_volumes(mesh, dm));
    PetscCall(RungMeshDestroy(&mesh));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_curved_cells_are_curved(void)
{
  static const PetscReal inner[] = {0, 1, 2, 2, 8, 4};

  for (RungCellType type = RUNG_INTERVAL; type <= RUNG_HEXAHEDRON; ++type) {
    RungMesh mesh;
    DM       dm;

    PetscCall(curved_mesh(type, 2, 2, PETSC_FALSE, "curved_dm.msh", &mesh));
    PetscCall(RungMeshGetDM(mesh, &dm));
    PetscCall(check_points(mesh, dm));
    PetscCall(check_volumes(mesh, dm));
    PetscCall(check_part(dm, "inner", 10, inner[type]));
    PetscCall(RungMeshDestroy(&mesh));
  }
  return PETSC_SUCCESS;
}

/* Vertices by their numbers; points are cells. */
static PetscErrorCode test_points_are_where_they_were(void)
{
  for (int type = RUNG_POINT; type <= RUNG_TRIANGLE; type += 2) {
    const RungMeshData *data;
    const PetscScalar  *at;
    RungMesh            mesh;
    PetscSection        section;
    PetscInt            offset;
    DM                  dm;
    Vec                 x;

    if (type == RUNG_POINT) {
      PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
      PetscCall(RungMeshSetPoints(mesh, 7));
    } else
      PetscCall(box(RUNG_TRIANGLE, PETSC_FALSE, 0, &mesh));
    PetscCall(RungMeshGetDM(mesh, &dm));
    PetscCall(RungMeshGetData(mesh, &data));
    PetscCall(DMGetCoordinatesLocal(dm, &x));
    PetscCall(DMGetCoordinateSection(dm, &section));
    PetscCall(VecGetArrayRead(x, &at));
    for (PetscInt c = 0; c < data->cells; ++c) {
      const PetscInt v = type == RUNG_POINT ? c : data->cells + data->cell_entity[0][3 * c + 1];
      const PetscInt i = data->cell_node[type == RUNG_POINT ? c : 3 * c + 1];

      PetscCall(PetscSectionGetOffset(section, v, &offset));
      for (PetscInt a = 0; a < data->dim; ++a) CHECK_NEAR(PetscRealPart(at[offset + a]), data->x[i * data->dim + a], 0);
    }
    PetscCall(VecRestoreArrayRead(x, &at));
    PetscCall(RungMeshDestroy(&mesh));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode cubic(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt n, PetscScalar u[], void *context)
{
  (void)t, (void)n, (void)context;
  u[0] = 1;
  for (PetscInt a = 0; a < dim; ++a) u[0] += (PetscScalar)(a + 1) * x[a] * x[a] * x[(a + 1) % dim];
  return PETSC_SUCCESS;
}

/* A function of PETSc's own elements on the DM: nodes on edges and faces agree in all cells and on all ranks. */
static PetscErrorCode check_projection(RungCellType type, PetscInt count, Vec *u)
{
  PetscErrorCode (*function[1])(PetscInt, PetscReal, const PetscReal[], PetscInt, PetscScalar[], void *) = {cubic};
  PetscReal error;
  RungMesh  mesh;
  PetscFE   fe;
  DM        lent, dm;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(
    RungMeshSetBox(mesh, RungCellGet(type)->name, RungCellGet(type)->dim, (PetscInt[]){count, count, count}, NULL));
  PetscCall(RungMeshGetDM(mesh, &lent));
  PetscCall(DMClone(lent, &dm));
  PetscCall(PetscFECreateLagrange(PETSC_COMM_WORLD, RungCellGet(type)->dim, 1, RungCellGet(type)->simplex, 3,
                                  PETSC_DETERMINE, &fe));
  PetscCall(DMSetField(dm, 0, NULL, (PetscObject)fe));
  PetscCall(DMCreateDS(dm));
  PetscCall(DMCreateGlobalVector(dm, u));
  PetscCall(PetscObjectSetName((PetscObject)*u, "u"));
  PetscCall(DMProjectFunction(dm, 0, function, NULL, INSERT_ALL_VALUES, *u));
  PetscCall(DMComputeL2Diff(dm, 0, function, NULL, *u, &error));
  CHECK_NEAR(error, 0, 1e-12);
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMDestroy(&dm));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_elements_of_petsc_work_on_it(void)
{
  for (RungCellType type = RUNG_INTERVAL; type <= RUNG_HEXAHEDRON; ++type) {
    for (PetscInt count = 1; count < 3; ++count) { /* 1: ranks without cells */
      Vec u;

      PetscCall(check_projection(type, count, &u));
      PetscCall(VecDestroy(&u));
    }
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode open_file(PetscFileMode mode, PetscViewer *file)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerCreate(PETSC_COMM_WORLD, file));
  PetscCall(PetscViewerSetType(*file, PETSCVIEWERHDF5));
  PetscCall(PetscViewerFileSetMode(*file, mode));
  PetscCall(PetscViewerFileSetName(*file, "dm.h5"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_vector_is_written_and_read_through_it(void)
{
  PetscViewer file;
  PetscReal   error;
  Vec         u, again;
  DM          dm;

  PetscCall(check_projection(RUNG_TETRAHEDRON, 2, &u));
  PetscCall(open_file(FILE_MODE_WRITE, &file));
  PetscCall(VecView(u, file));
  PetscCall(PetscViewerDestroy(&file));
  PetscCall(VecGetDM(u, &dm));
  PetscCall(DMCreateGlobalVector(dm, &again));
  PetscCall(PetscObjectSetName((PetscObject)again, "u"));
  PetscCall(open_file(FILE_MODE_READ, &file));
  PetscCall(VecLoad(again, file));
  PetscCall(PetscViewerDestroy(&file));
  PetscCall(VecAXPY(again, -1, u));
  PetscCall(VecNorm(again, NORM_INFINITY, &error));
  CHECK_NEAR(error, 0, 0);
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&again));
  return PETSC_SUCCESS;
}

/* Sides, edges and corners of a box, by name and in PETSc's sets. */
static PetscErrorCode test_all_parts_are_labels(void)
{
  static const char *const sets[] = {"Vertex Sets", "Edge Sets", "Face Sets"};

  for (PetscInt count = 1; count < 4; count += 2) {
    RungMesh mesh;
    DM       dm;

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetBox(mesh, "hexahedron", 3, (PetscInt[]){count, count, count}, NULL));
    PetscCall(RungMeshGetDM(mesh, &dm));
    PetscCall(check_points(mesh, dm));
    CHECK(mesh->parts.n == 6 + 12 + 8);
    for (PetscInt p = 0; p < mesh->parts.n; ++p) {
      const RungPart *part = &mesh->parts.part[p];
      const PetscReal n    = part->dim == 2 ? (PetscReal)(count * count) : part->dim ? (PetscReal)count : 1;

      PetscCall(check_part(dm, part->name, part->number, n));
      PetscCall(check_part(dm, sets[part->dim], part->number, n));
    }
    PetscCall(RungMeshDestroy(&mesh));
  }
  return PETSC_SUCCESS;
}

/* Two groups with the same cells, one of them called like a label of PETSc's. */
static PetscErrorCode test_a_point_may_have_several_labels(void)
{
  RungMesh mesh;
  DM       dm;
  FILE    *file = NULL;

  PetscCall(PetscFOpen(PETSC_COMM_WORLD, "twice.msh", "w", &file));
  PetscCall(
    PetscFPrintf(PETSC_COMM_WORLD, file,
                 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n0 5 \"foot\"\n1 1 \"steel\"\n1 2 "
                 "\"depth\"\n$EndPhysicalNames\n$Entities\n2 1 0 0\n1 0 0 0 1 5\n2 1 0 0 0\n1 0 0 0 1 0 0 2 1 2 2 1 "
                 "-2\n$EndEntities\n$Nodes\n1 3 1 3\n1 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0.5 0 0\n$EndNodes\n"
                 "$Elements\n2 3 1 3\n0 1 15 1\n1 1\n1 1 1 2\n2 1 3\n3 3 2\n$EndElements\n"));
  PetscCall(PetscFClose(PETSC_COMM_WORLD, file));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetFile(mesh, "twice.msh"));
  PetscCall(RungMeshGetDM(mesh, &dm));
  PetscCall(check_points(mesh, dm));
  PetscCall(check_part(dm, "steel", 1, 2));
  PetscCall(check_part(dm, "Cell Sets", 2, 2));
  PetscCall(check_part(dm, "Cell Sets", 1, 2));
  PetscCall(check_part(dm, "foot", 5, 1));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_what_is_curved_and_periodic_is_refused(void)
{
  RungMesh mesh;
  DM       dm;

  PetscCall(curved_mesh(RUNG_INTERVAL, 4, 2, PETSC_FALSE, "ring.msh", &mesh));
  PetscCall(RungMeshSetUp(mesh));
  mesh->glued = PETSC_TRUE;
  CHECK_RAISES(RungMeshGetDM(mesh, &dm), "a DMPlex of a mesh that is curved and periodic; wanted one of the two");
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_the_option_views_it(void)
{
  RungMesh  mesh;
  PetscBool there;

  PetscCall(PetscOptionsSetValue(NULL, "-dm_view", "ascii:dm_view.txt"));
  PetscCall(box(RUNG_TRIANGLE, PETSC_FALSE, 0, &mesh));
  PetscCall(RungMeshSetFromOptions(mesh));
  CHECK(!mesh->dm);
  PetscCall(RungMeshSetUp(mesh));
  CHECK(mesh->dm);
  PetscCall(PetscTestFile("dm_view.txt", 'r', &there));
  CHECK(there);
  PetscCall(PetscOptionsClearValue(NULL, "-dm_view"));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_boxes_of_all_cells), RUNG_TEST(test_periodic_cells_keep_their_places),
               RUNG_TEST(test_curved_cells_are_curved), RUNG_TEST(test_points_are_where_they_were),
               RUNG_TEST(test_elements_of_petsc_work_on_it), RUNG_TEST(test_a_vector_is_written_and_read_through_it),
               RUNG_TEST(test_all_parts_are_labels), RUNG_TEST(test_a_point_may_have_several_labels),
               RUNG_TEST(test_what_is_curved_and_periodic_is_refused), RUNG_TEST(test_the_option_views_it))
