/* test_lines.c - what is fetched ahead are lines that a batch touches, each once while it stays in the cache. */
#include "kernel_tools.h"

static void nothing(RungKernel kernel, const RungKernelArgs *args)
{
  (void)kernel, (void)args;
}

/* Marks the lines of 8 numbers that a batch touches. */
static void touch(RungBatches batches, const RungTransfer *transfer, PetscInt b, char touched[])
{
  const PetscInt *map = transfer->map + batches->cell[batches->first[b]] * transfer->nodes;

  for (PetscInt i = 0; i < batches->lanes * transfer->nodes; ++i)
    for (PetscInt c = 0; c < transfer->components; ++c) touched[(map[i] * transfer->components + c) / 8] |= 1;
}

/* In a small mesh nothing leaves the cache: lines of regular batches are listed once, by the first that touches them. */
static PetscErrorCode check_list(RungBatches batches, const RungTransfer *transfer)
{
  RungLines *lines;
  char       touched[4096] = {0};
  PetscInt   found = 0, all = 0;

  PetscCall(RungLinesCreate(batches, transfer, &lines));
  for (PetscInt b = 0; b < batches->batches; ++b) {
    char before[4096];

    if (!batches->regular[b]) CHECK(lines->first[b] == lines->first[b + 1]);
    if (!batches->regular[b]) continue;
    memcpy(before, touched, sizeof before);
    touch(batches, transfer, b, touched);
    for (PetscInt k = lines->first[b]; k < lines->first[b + 1]; ++k) {
      CHECK(touched[lines->line[k]] && !before[lines->line[k]]);
      ++found;
    }
  }
  for (size_t i = 0; i < sizeof touched; ++i) all += touched[i];
  CHECK(found == all);
  PetscCall(RungLinesDestroy(&lines));
  return PETSC_SUCCESS;
}

static PetscErrorCode check(RungCellType type, const char spec[])
{
  Tools                tools;
  ToolsPlans           plans;
  RungBatches          batches;
  struct _p_RungKernel one    = {.lanes = 2, .run = nothing};
  RungKernel           kernel = &one;

  PetscCall(tools_create(PETSC_COMM_WORLD, type, PETSC_FALSE, spec, NULL, &tools));
  PetscCall(tools_lower(&tools, "inner(u, v)*dx", PETSC_FALSE, 2, &plans));
  one.plan = plans.plan[0];
  PetscCall(RungBatchesCreate(1, &kernel, tools.layout, NULL, &batches));
  for (PetscInt i = 0; i < batches->gathers.n; ++i) PetscCall(check_list(batches, &batches->gathers.transfer[i]));
  PetscCall(RungBatchesDestroy(&batches));
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_lines_are_listed_where_they_are_touched_first(void)
{
  PetscCall(check(RUNG_TRIANGLE, "1"));
  PetscCall(check(RUNG_QUADRILATERAL, "3^2"));
  PetscCall(check(RUNG_TETRAHEDRON, "2^3"));
  PetscCall(check(RUNG_HEXAHEDRON, "2"));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_lines_are_listed_where_they_are_touched_first))
