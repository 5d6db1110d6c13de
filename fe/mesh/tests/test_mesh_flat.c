/* test_mesh_flat.c - numbers that all ranks agree on: the place of an entity depends on its global number only. */
#include "mesh_tools.h"
#include <rungnested_room.h>

/* The corners of the i-th entity of dimension d of a cell. */
static PetscInt corners_of(const RungCell *cell, PetscInt d, PetscInt i, PetscInt corner[8])
{
  if (d == 0) {
    corner[0] = i;
    return 1;
  }
  if (d == cell->dim) {
    for (PetscInt v = 0; v < cell->vertices; ++v) corner[v] = v;
    return cell->vertices;
  }
  if (d == cell->dim - 1) {
    for (PetscInt v = 0; v < RungCellGet(cell->facet_type)->vertices; ++v) corner[v] = cell->facet[i][v];
    return RungCellGet(cell->facet_type)->vertices;
  }
  corner[0] = cell->edge[i][0], corner[1] = cell->edge[i][1];
  return 2;
}

static PetscInt entities_of(const RungCell *cell, PetscInt d)
{
  return d == 0 ? cell->vertices : d == cell->dim ? 1 : d == cell->dim - 1 ? cell->facets : cell->edges;
}

/* Midpoints of all entities of dimension d by global number: least and largest that any cell of any rank finds. */
static PetscErrorCode midpoints(RungMesh mesh, PetscInt d, PetscInt total, PetscReal *low, PetscReal *high)
{
  const RungMeshData *data;
  const RungCell     *cell;

  PetscCall(RungMeshGetData(mesh, &data));
  cell = RungCellGet(data->type);
  for (PetscInt i = 0; i < 3 * total; ++i) low[i] = PETSC_MAX_REAL, high[i] = PETSC_MIN_REAL;
  for (PetscInt c = 0; c < data->cells; ++c) {
    for (PetscInt i = 0; i < entities_of(cell, d); ++i) {
      const PetscInt g = data->global[d][data->cell_entity[d][c * entities_of(cell, d) + i]];
      PetscInt       corner[8], n = corners_of(cell, d, i, corner);

      for (PetscInt a = 0; a < data->dim; ++a) {
        PetscReal mean = 0;

        for (PetscInt v = 0; v < n; ++v) {
          mean += data->x[data->cell_node[c * data->nodes_per_cell + corner[v]] * data->dim + a] / (PetscReal)n;
        }
        low[3 * g + a]  = PetscMin(low[3 * g + a], mean);
        high[3 * g + a] = PetscMax(high[3 * g + a], mean);
      }
    }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, low, (PetscMPIInt)(3 * total), MPIU_REAL, MPIU_MIN, RungMeshComm(mesh)));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, high, (PetscMPIInt)(3 * total), MPIU_REAL, MPIU_MAX, RungMeshComm(mesh)));
  return PETSC_SUCCESS;
}

/* One number, one place; two numbers, two places. */
static PetscErrorCode check_numbers(RungMesh mesh, PetscInt d, PetscInt wanted)
{
  const RungMeshData *data;
  PetscReal          *low, *high;
  PetscInt            total = wanted;

  PetscCall(RungMeshGetData(mesh, &data));
  CHECK(sum_all(mesh, (PetscReal)data->owned[d]) == (PetscReal)wanted);
  PetscCall(PetscMalloc2(3 * total, &low, 3 * total, &high));
  PetscCall(midpoints(mesh, d, total, low, high));
  for (PetscInt g = 0; g < total; ++g) {
    for (PetscInt a = 0; a < data->dim; ++a) CHECK_NEAR(high[3 * g + a], low[3 * g + a], 1e-14);
    for (PetscInt h = 0; h < g; ++h) {
      PetscReal distance = 0;

      for (PetscInt a = 0; a < data->dim; ++a) distance += fabs(low[3 * g + a] - low[3 * h + a]);
      CHECK(distance > 1e-3);
    }
  }
  PetscCall(PetscFree2(low, high));
  return PETSC_SUCCESS;
}

/* Owned first and contiguous; an owner knows itself; ghosts lie in the range of their owner. */
static PetscErrorCode check_owners(RungMesh mesh, PetscInt d)
{
  const RungMeshData *data;
  PetscInt           *starts;
  PetscMPIInt         rank, size;

  PetscCall(RungMeshGetData(mesh, &data));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscMalloc1(size + 1, &starts));
  PetscCallMPI(MPI_Allgather(&data->start[d], 1, MPIU_INT, starts, 1, MPIU_INT, PETSC_COMM_WORLD));
  starts[size] = PETSC_MAX_INT;
  for (PetscInt e = 0; e < data->entities[d]; ++e) {
    const PetscMPIInt owner = data->owner[d][e];

    CHECK((e < data->owned[d]) == (owner == rank));
    if (e < data->owned[d]) CHECK(data->global[d][e] == data->start[d] + e);
    CHECK(data->global[d][e] >= starts[owner] && data->global[d][e] < starts[owner + 1]);
  }
  PetscCall(PetscFree(starts));
  return PETSC_SUCCESS;
}

static PetscErrorCode check_mesh(RungCellType type, const PetscInt count[3], const PetscInt entities[4])
{
  RungMesh mesh;

  PetscCall(make_box(type, count[0], count[1], count[2], NULL, &mesh));
  for (PetscInt d = 0; d <= RungCellGet(type)->dim; ++d) {
    PetscCall(RungMeshNeedEntities(mesh, d));
    PetscCall(check_numbers(mesh, d, entities[d]));
    PetscCall(check_owners(mesh, d));
  }
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

/* n boxes an axis: vertices (n+1)^3; Kuhn's cut has 7 edge directions, 12 triangle orientations. */
static PetscErrorCode test_ranks_agree_on_tetrahedra(void)
{
  const PetscInt n[3] = {2, 2, 2}, entities[4] = {27, 98, 120, 48};

  PetscCall(check_mesh(RUNG_TETRAHEDRON, n, entities));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_ranks_agree_on_hexahedra(void)
{
  const PetscInt n[3] = {3, 2, 2}, entities[4] = {36, 75, 52, 12};

  PetscCall(check_mesh(RUNG_HEXAHEDRON, n, entities));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_ranks_agree_in_two_dimensions(void)
{
  const PetscInt n[3] = {4, 3, 1}, triangles[4] = {20, 43, 24, 0}, quadrilaterals[4] = {20, 31, 12, 0};

  PetscCall(check_mesh(RUNG_TRIANGLE, n, triangles));
  PetscCall(check_mesh(RUNG_QUADRILATERAL, n, quadrilaterals));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_fewer_cells_than_ranks_work(void)
{
  const PetscInt n[3] = {1, 1, 1}, interval[4] = {2, 1, 0, 0}, hexahedron[4] = {8, 12, 6, 1};

  PetscCall(check_mesh(RUNG_INTERVAL, n, interval));
  PetscCall(check_mesh(RUNG_HEXAHEDRON, n, hexahedron));
  return PETSC_SUCCESS;
}

/* The largest distance of two vertices of a cell that this rank owns. */
static PetscErrorCode find_widest(RungMesh mesh, PetscInt *widest)
{
  const RungMeshData *data;

  PetscCall(RungMeshGetData(mesh, &data));
  *widest = 0;
  for (PetscInt c = 0; c < data->cells; ++c) {
    const PetscInt  nv   = RungCellGet(data->type)->vertices;
    const PetscInt *node = data->cell_entity[0] + c * nv;

    for (PetscInt i = 0; i < nv; ++i)
      for (PetscInt j = 0; j < nv; ++j)
        if (node[i] < data->owned[0] && node[j] < data->owned[0]) *widest = PetscMax(*widest, node[i] - node[j]);
  }
  return PETSC_SUCCESS;
}

/* Order: consecutive cells share vertices, so the numbers in a cell are close to each other. */
static PetscErrorCode test_numbers_in_a_cell_are_close(void)
{
  static const struct {
    RungCellType type;
    PetscInt     x, y, z, most;
  } box[] = {
    {RUNG_TRIANGLE, 40, 5, 1, 8}, /* by rows along x it would be 42, and 151 in space */
    {RUNG_TRIANGLE, 5, 40, 1, 8}, /* x need not be the longest axis                  */
    {RUNG_QUADRILATERAL, 40, 5, 1, 13}, {RUNG_TETRAHEDRON, 24, 4, 4, 40}, {RUNG_HEXAHEDRON, 24, 4, 4, 90},
  };

  for (size_t b = 0; b < PETSC_STATIC_ARRAY_LENGTH(box); ++b) {
    RungMesh mesh;
    PetscInt widest = 0;

    PetscCall(make_box(box[b].type, box[b].x, box[b].y, box[b].z, NULL, &mesh));
    PetscCall(find_widest(mesh, &widest));
    CHECK(widest > 0 && widest <= box[b].most);
    PetscCall(RungMeshDestroy(&mesh));
  }
  return PETSC_SUCCESS;
}

/* By the numbers of coarser cells, along x, it would be 13 + 3 13 + 1. */
static PetscErrorCode test_numbers_in_a_coarser_cell_are_close(void)
{
  RungMesh   mesh;
  RungFamily family;
  PetscInt   widest = 0;

  PetscCall(make_box(RUNG_TETRAHEDRON, 24, 4, 4, NULL, &mesh));
  PetscCall(RungMeshCoarsen(mesh, &family));
  if (family) {
    PetscCall(find_widest(family->coarse, &widest));
    CHECK(widest > 0 && widest <= 27);
  }
  PetscCall(RungFamilyDestroy(&family));
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

/* Four squares in a row and a cell that is twice as wide: a cell is like another exactly where their widths are the same. */
static PetscErrorCode test_translates_are_known(void)
{
  static const PetscReal place[] = {0, 1, 2, 3, 4, 6};
  RungMesh               mesh;
  const RungMeshData    *data;
  PetscMPIInt            rank;
  PetscInt               own = 0;

  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    FILE *out = fopen("row.msh", "w");

    CHECK(out && fprintf(out, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n12\n") > 0);
    for (int i = 0; out && i < 12; ++i) CHECK(fprintf(out, "%d %g %d 0\n", i + 1, (double)place[i / 2], i % 2) > 0);
    CHECK(out && fprintf(out, "$EndNodes\n$Elements\n5\n") > 0);
    for (int c = 0; out && c < 5; ++c)
      CHECK(fprintf(out, "%d 3 2 1 1 %d %d %d %d\n", c + 1, 2 * c + 1, 2 * c + 3, 2 * c + 4, 2 * c + 2) > 0);
    CHECK(out && fprintf(out, "$EndElements\n") > 0 && !fclose(out));
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetFile(mesh, "row.msh"));
  PetscCall(RungMeshGetData(mesh, &data));
  for (PetscInt c = 0; c < data->cells; ++c) {
    const PetscInt  like = data->cell_like[c];
    const PetscReal wide = data->x[2 * data->cell_node[4 * c + 3]] - data->x[2 * data->cell_node[4 * c]];

    CHECK(like <= c && data->cell_like[like] == like);
    CHECK_NEAR(wide, data->x[2 * data->cell_node[4 * like + 3]] - data->x[2 * data->cell_node[4 * like]], 1e-15);
    if (like == c) ++own;
  }
  CHECK(own <= PetscMin(3, data->cells) &&
        (own > 0) == (data->cells > 0)); /* the wide one may stand between the others */
  CHECK(data->straight);
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(make_box(RUNG_TRIANGLE, 4, 5, 1, NULL, &mesh));
  PetscCall(RungMeshGetData(mesh, &data));
  CHECK(!data->cell_like);
  PetscCall(RungMeshDestroy(&mesh));
  return PETSC_SUCCESS;
}

/* Nodes of higher degrees are numbered as cells touch them first: with the cells of a block in one row numbers of P2 had twice the bandwidth.
   On several ranks vertices of others, which come last, are no part of that. */
static PetscErrorCode test_cells_come_by_their_least_vertex(void)
{
  static const RungCellType types[] = {RUNG_TRIANGLE, RUNG_QUADRILATERAL, RUNG_TETRAHEDRON, RUNG_HEXAHEDRON};

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(types); ++i) {
    const RungMeshData *data;
    PetscInt            before = 0, vertices = RungCellGet(types[i])->vertices;
    RungMesh            mesh;

    PetscCall(make_box(types[i], 4, 5, 3, NULL, &mesh));
    PetscCall(RungMeshGetData(mesh, &data));
    for (PetscInt c = 0; c < data->cells; ++c) {
      PetscInt least = PETSC_MAX_INT, own = 0;

      for (PetscInt v = 0; v < vertices; ++v) {
        least = PetscMin(least, data->cell_entity[0][c * vertices + v]);
        if (data->cell_entity[0][c * vertices + v] < data->owned[0]) ++own;
      }
      if (own < vertices) continue;
      CHECK(least >= before);
      before = least;
    }
    PetscCall(RungMeshDestroy(&mesh));
  }
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_translates_are_known), RUNG_TEST(test_ranks_agree_on_tetrahedra),
               RUNG_TEST(test_ranks_agree_on_hexahedra), RUNG_TEST(test_ranks_agree_in_two_dimensions),
               RUNG_TEST(test_fewer_cells_than_ranks_work), RUNG_TEST(test_numbers_in_a_cell_are_close),
               RUNG_TEST(test_numbers_in_a_coarser_cell_are_close), RUNG_TEST(test_cells_come_by_their_least_vertex))
