/* test_partition.c - METIS behind PetscPartitioner: balanced parts of a grid, and the sizes that METIS cannot take. */
#include "check.h"

/* Rows of an n x n grid are dealt to the ranks in blocks; part[] and the cut are found by adding up over ranks. */
static PetscErrorCode partition_grid(PetscInt n, PetscInt parts, PetscInt count[], PetscInt *cut)
{
  PetscPartitioner partitioner;
  PetscSection     section;
  IS               list;
  const PetscInt  *vertex;
  PetscInt         rows = PETSC_DECIDE, N = n, end, first, *start, *next, *part, k = 0;

  PetscCall(PetscSplitOwnership(PETSC_COMM_WORLD, &rows, &N));
  PetscCallMPI(MPI_Scan(&rows, &end, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  first = (end - rows) * n;
  PetscCall(PetscMalloc3(rows * n + 1, &start, 4 * rows * n, &next, n * n, &part));
  for (PetscInt v = first; v < first + rows * n; ++v) {
    start[v - first] = k;
    if (v % n) next[k++] = v - 1;
    if ((v + 1) % n) next[k++] = v + 1;
    if (v >= n) next[k++] = v - n;
    if (v + n < n * n) next[k++] = v + n;
  }
  start[rows * n] = k;
  PetscCall(PetscPartitionerCreate(PETSC_COMM_WORLD, &partitioner));
  PetscCall(PetscPartitionerSetType(partitioner, "metis"));
  PetscCall(PetscSectionCreate(PETSC_COMM_SELF, &section));
  PetscCall(PetscSectionSetChart(section, 0, parts));
  PetscCall(RungPartitionerPartition(partitioner, parts, rows * n, start, next, NULL, NULL, NULL, section, &list));
  PetscCall(ISGetIndices(list, &vertex));
  PetscCall(PetscArrayzero(part, n * n));
  for (PetscInt p = 0; p < parts; ++p) {
    PetscInt offset;

    PetscCall(PetscSectionGetDof(section, p, &count[p]));
    PetscCall(PetscSectionGetOffset(section, p, &offset));
    for (PetscInt i = 0; i < count[p]; ++i) part[first + vertex[offset + i]] = p + 1;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, part, (PetscMPIInt)(n * n), MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count, (PetscMPIInt)parts, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  *cut = 0;
  for (PetscInt v = 0; v < n * n; ++v) {
    CHECK(part[v] >= 1 && part[v] <= parts);
    *cut += (v % n && part[v] != part[v - 1] ? 1 : 0) + (v >= n && part[v] != part[v - n] ? 1 : 0);
  }
  PetscCall(ISRestoreIndices(list, &vertex));
  PetscCall(ISDestroy(&list));
  PetscCall(PetscSectionDestroy(&section));
  PetscCall(PetscPartitionerDestroy(&partitioner));
  PetscCall(PetscFree3(start, next, part));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_grid_is_cut_into_even_parts_with_a_short_cut(void)
{
  PetscInt count[4], cut;

  PetscCall(partition_grid(16, 4, count, &cut));
  for (int p = 0; p < 4; ++p) CHECK(count[p] >= 60 && count[p] <= 68);
  CHECK(cut <= 48); /* 32 is best */
  return PETSC_SUCCESS;
}

static PetscErrorCode test_one_part_needs_no_cut(void)
{
  PetscInt count[1], cut;

  PetscCall(partition_grid(3, 1, count, &cut));
  CHECK(count[0] == 9 && cut == 0);
  return PETSC_SUCCESS;
}

static PetscErrorCode test_more_parts_than_vertices_leave_some_empty(void)
{
  PetscInt count[7], cut, used = 0;

  PetscCall(partition_grid(2, 7, count, &cut));
  for (int p = 0; p < 7; ++p) {
    CHECK(count[p] <= 1);
    used += count[p];
  }
  CHECK(used == 4);
  return PETSC_SUCCESS;
}

/* How much each part holds, and how many edges of the line are cut; the last rank has the line. */
static PetscErrorCode read_parts(PetscSection section, IS list, PetscInt n, PetscInt broken, const PetscInt weight[],
                                 PetscInt parts, PetscInt sum[], PetscInt *cut)
{
  PetscInt        part[101];
  const PetscInt *vertex;
  PetscMPIInt     size;

  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscSectionSetUp(section));
  PetscCall(ISGetIndices(list, &vertex));
  *cut = 0;
  for (PetscInt p = 0, k = 0; p < parts; ++p) {
    PetscInt count;

    sum[p] = 0;
    PetscCall(PetscSectionGetDof(section, p, &count));
    for (PetscInt i = 0; i < count; ++i, ++k) {
      part[vertex[k]] = p;
      sum[p] += weight ? weight[vertex[k]] : 1;
    }
  }
  for (PetscInt v = 1; v < n; ++v) *cut += v % broken && part[v] != part[v - 1] ? 1 : 0;
  PetscCall(ISRestoreIndices(list, &vertex));
  PetscCallMPI(MPI_Bcast(sum, (PetscMPIInt)parts, MPIU_INT, size - 1, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Bcast(cut, 1, MPIU_INT, size - 1, PETSC_COMM_WORLD));
  return PETSC_SUCCESS;
}

/* A line of n vertices, all on the last rank, with an edge between v and v + 1 unless v + 1 is a multiple of `broken`.
   Out  sum[parts] of the weights (NULL: 1 each), the number of edges between parts. */
static PetscErrorCode partition_line(PetscInt n, PetscInt broken, const PetscInt weight[], PetscInt parts,
                                     const PetscInt target[], PetscInt sum[], PetscInt *cut)
{
  PetscPartitioner partitioner;
  PetscSection     section, heavy = NULL, wanted = NULL;
  PetscMPIInt      rank, size;
  PetscInt         start[101] = {0}, next[200], here;
  IS               list       = NULL;
  PetscErrorCode   code;

  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  here = rank == size - 1 ? n : 0;
  for (PetscInt v = 0; v < here; ++v) {
    start[v + 1] = start[v];
    if (v % broken) next[start[v + 1]++] = v - 1;
    if ((v + 1) % broken && v + 1 < n) next[start[v + 1]++] = v + 1;
  }
  if (weight) {
    PetscCall(PetscSectionCreate(PETSC_COMM_SELF, &heavy));
    PetscCall(PetscSectionSetChart(heavy, 0, here));
    for (PetscInt v = 0; v < here; ++v) PetscCall(PetscSectionSetDof(heavy, v, weight[v]));
    PetscCall(PetscSectionSetUp(heavy));
  }
  if (target) {
    PetscCall(PetscSectionCreate(PETSC_COMM_SELF, &wanted));
    PetscCall(PetscSectionSetChart(wanted, 0, parts));
    for (PetscInt p = 0; p < parts; ++p) PetscCall(PetscSectionSetDof(wanted, p, target[p]));
    PetscCall(PetscSectionSetUp(wanted));
  }
  PetscCall(PetscPartitionerCreate(PETSC_COMM_WORLD, &partitioner));
  PetscCall(PetscPartitionerSetType(partitioner, "metis"));
  PetscCall(PetscSectionCreate(PETSC_COMM_SELF, &section));
  PetscCall(PetscSectionSetChart(section, 0, parts));
  code = RungPartitionerPartition(partitioner, parts, here, start, next, heavy, NULL, wanted, section, &list);
  if (!code) PetscCall(read_parts(section, list, here, broken, weight, parts, sum, cut));
  PetscCall(ISDestroy(&list));
  PetscCall(PetscSectionDestroy(&section));
  PetscCall(PetscSectionDestroy(&heavy));
  PetscCall(PetscSectionDestroy(&wanted));
  PetscCall(PetscPartitionerDestroy(&partitioner));
  return code;
}

static PetscErrorCode test_parts_weigh_the_same(void)
{
  PetscInt weight[60], sum[2], cut;

  for (PetscInt v = 0; v < 60; ++v) weight[v] = v < 10 ? 9 : 1; /* 140 */
  PetscCall(partition_line(60, 100, weight, 2, NULL, sum, &cut));
  CHECK(sum[0] >= 64 && sum[0] <= 76 && sum[0] + sum[1] == 140);
  CHECK(cut == 1);
  for (PetscInt v = 0; v < 60; ++v) weight[v] = 0;
  PetscCall(partition_line(60, 100, weight, 2, NULL, sum, &cut));
  CHECK(sum[0] == 0 && sum[1] == 0 && cut <= 2);
  return PETSC_SUCCESS;
}

static PetscErrorCode test_weights_that_no_int_can_add_are_taken(void)
{
  PetscInt weight[8], sum[2], cut;

  for (PetscInt v = 0; v < 8; ++v) weight[v] = v < 2 ? 900000000 : 300000000;
  PetscCall(partition_line(8, 100, weight, 2, NULL, sum, &cut));
  CHECK(sum[0] == 1800000000 && sum[1] == 1800000000 && cut == 1);
  return PETSC_SUCCESS;
}

static PetscErrorCode test_parts_are_as_large_as_their_targets(void)
{
  PetscInt sum[3], cut;

  PetscCall(partition_line(60, 100, NULL, 2, (PetscInt[]){1, 3}, sum, &cut));
  CHECK(sum[0] >= 14 && sum[0] <= 16 && sum[0] + sum[1] == 60 && cut == 1);
  PetscCall(partition_line(60, 100, NULL, 3, (PetscInt[]){2, 0, 1}, sum, &cut));
  CHECK(sum[0] >= 39 && sum[0] <= 41 && sum[1] == 0 && sum[0] + sum[2] == 60 && cut == 1);
  PetscCall(partition_line(60, 100, NULL, 3, (PetscInt[]){0, 7, 0}, sum, &cut));
  CHECK(sum[0] == 0 && sum[1] == 60 && sum[2] == 0);
  CHECK_RAISES(partition_line(60, 100, NULL, 2, (PetscInt[]){0, 0}, sum, &cut),
               "has no part with a target above 0 for 60 vertices; wanted one");
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_graph_may_be_in_pieces_and_without_edges(void)
{
  PetscInt sum[9], cut;

  PetscCall(partition_line(60, 20, NULL, 3, NULL, sum, &cut)); /* three pieces of 20 */
  for (int p = 0; p < 3; ++p) CHECK(sum[p] >= 18 && sum[p] <= 22);
  PetscCall(partition_line(60, 1, NULL, 3, NULL, sum, &cut)); /* no edge at all */
  for (int p = 0; p < 3; ++p) CHECK(sum[p] >= 19 && sum[p] <= 21);
  CHECK(cut == 0);
  PetscCall(partition_line(0, 1, NULL, 3, NULL, sum, &cut)); /* nothing at all */
  for (int p = 0; p < 3; ++p) CHECK(sum[p] == 0);
  return PETSC_SUCCESS;
}

/* Each rank's part of a DMPlex of the user, by the dofs that are set on cells: 5 in the left half, 1 in the right. */
static PetscErrorCode test_a_dmplex_is_distributed_by_the_dofs_of_its_cells(void)
{
  PetscPartitioner partitioner;
  PetscSection     section;
  PetscInt         first, end;
  PetscMPIInt      size;
  PetscReal        mine = 0, most;
  DM               dm, parallel;

  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(
    DMPlexCreateBoxMesh(PETSC_COMM_WORLD, 2, PETSC_FALSE, (PetscInt[]){16, 16}, NULL, NULL, NULL, PETSC_TRUE, &dm));
  PetscCall(DMPlexGetChart(dm, &first, &end));
  PetscCall(PetscSectionCreate(PETSC_COMM_WORLD, &section));
  PetscCall(PetscSectionSetChart(section, first, end));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &first, &end));
  for (PetscInt c = first; c < end; ++c) PetscCall(PetscSectionSetDof(section, c, c % 16 < 8 ? 5 : 1));
  PetscCall(PetscSectionSetUp(section));
  PetscCall(DMSetLocalSection(dm, section));
  PetscCall(DMPlexGetPartitioner(dm, &partitioner));
  PetscCall(PetscPartitionerSetType(partitioner, "metis"));
  PetscCall(DMPlexDistribute(dm, 0, NULL, &parallel));
  if (parallel) {
    PetscCall(DMPlexGetHeightStratum(parallel, 0, &first, &end));
    for (PetscInt c = first; c < end; ++c) {
      PetscReal volume, x[3];

      PetscCall(DMPlexComputeCellGeometryFVM(parallel, c, &volume, x, NULL));
      mine += x[0] < 0.5 ? 5 : 1;
    }
    PetscCallMPI(MPI_Allreduce(&mine, &most, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
    CHECK(most * size < 1.06 * 16 * 8 * 6);
  } else
    CHECK(size == 1);
  PetscCall(PetscSectionDestroy(&section));
  PetscCall(DMDestroy(&parallel));
  PetscCall(DMDestroy(&dm));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_grid_is_cut_into_even_parts_with_a_short_cut), RUNG_TEST(test_one_part_needs_no_cut),
               RUNG_TEST(test_more_parts_than_vertices_leave_some_empty), RUNG_TEST(test_parts_weigh_the_same),
               RUNG_TEST(test_weights_that_no_int_can_add_are_taken),
               RUNG_TEST(test_parts_are_as_large_as_their_targets),
               RUNG_TEST(test_a_graph_may_be_in_pieces_and_without_edges),
               RUNG_TEST(test_a_dmplex_is_distributed_by_the_dofs_of_its_cells))
