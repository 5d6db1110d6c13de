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

static PetscErrorCode test_metis_takes_no_target_sizes(void)
{
  PetscPartitioner partitioner;
  PetscSection     section, target;
  PetscInt         start[1] = {0};
  IS               list;

  PetscCall(PetscPartitionerCreate(PETSC_COMM_WORLD, &partitioner));
  PetscCall(PetscPartitionerSetType(partitioner, "metis"));
  PetscCall(PetscSectionCreate(PETSC_COMM_SELF, &section));
  PetscCall(PetscSectionSetChart(section, 0, 2));
  PetscCall(PetscSectionCreate(PETSC_COMM_SELF, &target));
  PetscCall(PetscSectionSetChart(target, 0, 2));
  PetscCall(PetscSectionSetUp(target));
  CHECK_RAISES(RungPartitionerPartition(partitioner, 2, 0, start, NULL, NULL, NULL, target, section, &list),
               "makes parts of equal size");
  PetscCall(PetscSectionDestroy(&section));
  PetscCall(PetscSectionDestroy(&target));
  PetscCall(PetscPartitionerDestroy(&partitioner));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_grid_is_cut_into_even_parts_with_a_short_cut), RUNG_TEST(test_one_part_needs_no_cut),
               RUNG_TEST(test_more_parts_than_vertices_leave_some_empty), RUNG_TEST(test_metis_takes_no_target_sizes))
