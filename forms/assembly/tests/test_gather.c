/* test_gather.c - what a batch reads is what its cells have, whatever their counts; scattered values are sums over cells. */
#include "kernel_tools.h"

static void nothing(RungKernel kernel, const RungKernelArgs *args)
{
  (void)kernel, (void)args;
}

/* Coordinate a of node i of a cell: where places are read its own, else from node 0 on. */
static double coordinate(RungBatches batches, const PetscReal x[], const PetscInt node[], PetscInt i, PetscInt a,
                         PetscInt dim)
{
  return x[node[i] * dim + a] - (batches->plan->x ? 0 : x[node[0] * dim + a]);
}

/* Sum over places and nodes of |gathered - looked up|, for dofs and geometry; the same with what is scattered.  Translates of
   a cell share its geometry, up to rounding, unless places are read. */
static PetscErrorCode compare(RungBatches batches, const Tools *tools, const PetscScalar *u, PetscScalar sum[],
                              PetscScalar expected[], double *error)
{
  const PetscScalar *level[3] = {u, NULL, NULL};
  const PetscInt     n = batches->plan->dofs, lanes = batches->lanes, nodes = tools->data->nodes_per_cell,
                 dim = tools->data->dim;

  for (PetscInt b = 0, some; b < batches->batches; b += some) {
    some = RungBatchesRun(batches, b, level, NULL);
    for (PetscInt k = 0; k < some; ++k) {
      const RungKernelArgs *args = &batches->next[k];

      for (PetscInt i = 0; i < n * lanes; ++i) args->out[i] = 1. + (double)((7 * i + k) % 11);
      for (PetscInt p = batches->first[b + k]; p < batches->first[b + k + 1]; ++p) {
        const PetscInt  cell = batches->cell[p], l = p - batches->first[b + k];
        const PetscInt *dof = batches->layout->cell_dof + cell * n;

        for (PetscInt i = 0; i < n; ++i) {
          *error += fabs(args->u[i * lanes + l] - u[dof[i]]);
          expected[dof[i]] += args->out[i * lanes + l];
        }
        for (PetscInt i = 0; i < nodes * dim; ++i) {
          const double *x   = args->x + l;
          const double  got = x[i * lanes] - (batches->plan->x ? 0 : x[i % dim * lanes]);
          const double  off = fabs(
             got - coordinate(batches, tools->data->x, tools->data->cell_node + cell * nodes, i / dim, i % dim, dim));

          if (batches->plan->x || off > 1e-15) *error += off;
        }
      }
    }
    batches->scatter(batches, b, some, sum);
  }
  return PETSC_SUCCESS;
}

/* Nodes of the cells of a batch are not newer than it is noted, and what is noted ascends. */
static void check_newest(RungBatches batches, const RungTransfer *transfer)
{
  PetscBool ok = PETSC_TRUE;

  for (PetscInt b = 0; b < batches->batches; ++b) {
    if (b + 1 == batches->phase[1] || b + 1 == batches->phase[2]) continue; /* the next one begins anew */
    if (transfer->newest[b + 1] < transfer->newest[b]) ok = PETSC_FALSE;
    for (PetscInt p = batches->first[b]; p < batches->first[b + 1]; ++p)
      for (PetscInt i = 0; i < transfer->nodes; ++i) {
        const PetscInt node = transfer->map[batches->cell[p] * transfer->nodes + i];

        if (node >= transfer->newest[b + 1] && (!transfer->space || node < transfer->space->owned)) ok = PETSC_FALSE;
      }
  }
  CHECK(ok);
}

static PetscErrorCode check_both(RungCellType type, const char spec[], const char spec2[], PetscInt lanes,
                                 const char text[])
{
  Tools                tools;
  ToolsPlans           plans;
  RungBatches          batches;
  struct _p_RungKernel one    = {.lanes = lanes, .run = nothing};
  RungKernel           kernel = &one;
  const PetscScalar   *u;
  PetscScalar         *sum, *expected;
  double               error = 0;

  PetscCall(tools_create(PETSC_COMM_WORLD, type, PETSC_FALSE, spec, spec2, &tools));
  PetscCall(tools_lower(&tools, text, PETSC_FALSE, 2, &plans));
  one.plan = plans.plan[0];
  PetscCall(RungBatchesCreate(1, &kernel, tools.layout, NULL, &batches));
  PetscCall(PetscCalloc2(batches->layout->local, &sum, batches->layout->local, &expected));
  PetscCall(RungLayoutGather(tools.layout, tools.u[0], 0, &u));
  PetscCall(compare(batches, &tools, u, sum, expected, &error));
  for (PetscInt i = 0; i < batches->gathers.n; ++i)
    if (batches->gathers.transfer[i].newest) check_newest(batches, &batches->gathers.transfer[i]);
  for (PetscInt i = 0; i < batches->layout->local; ++i) error += fabs(sum[i] - expected[i]);
  CHECK(error == 0);
  PetscCall(RungLayoutGatherRestore(tools.layout, tools.u[0], 0, &u));
  PetscCall(PetscFree2(sum, expected));
  PetscCall(RungBatchesDestroy(&batches));
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

static PetscErrorCode check(RungCellType type, const char spec[], PetscInt lanes, const char text[])
{
  PetscCall(check_both(type, spec, NULL, lanes, text));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_what_is_gathered_and_scattered_is_that_of_the_cells(void)
{
  const char *const spec[] = {"1", "2", "1^2", "2^3", "1^4"};

  for (int type = RUNG_INTERVAL; type <= RUNG_HEXAHEDRON; ++type)
    for (int i = 0; i < 5; ++i)
      for (PetscInt lanes = 2; lanes <= 8; lanes *= 2) {
        PetscCall(check((RungCellType)type, spec[i], lanes, "inner(u, v)*dx"));
        PetscCall(check((RungCellType)type, spec[i], lanes, "x[0]*inner(u, v)*dx"));
      }
  return PETSC_SUCCESS;
}

/* Unknowns of one space travel together. */
static PetscErrorCode test_several_unknowns_are_gathered_and_scattered_apart(void)
{
  const char *const text = "inner(u, v)*dx + inner(p, q)*dx";

  for (int type = RUNG_INTERVAL; type <= RUNG_HEXAHEDRON; ++type)
    for (PetscInt lanes = 2; lanes <= 8; lanes *= 2) {
      PetscCall(check_both((RungCellType)type, "1", "1", lanes, text));
      PetscCall(check_both((RungCellType)type, "2", "2", lanes, text));
      PetscCall(check_both((RungCellType)type, "3^2", "3^2", lanes, text));
      PetscCall(check_both((RungCellType)type, "2^2", "1", lanes, text));
    }
  return PETSC_SUCCESS;
}

/* Entities with so many nodes are read as runs; cells of triangles see their edges in both orders. */
static PetscErrorCode test_runs_of_high_degrees_are_those_of_the_cells(void)
{
  for (PetscInt lanes = 2; lanes <= 8; lanes *= 2) {
    PetscCall(check(RUNG_INTERVAL, "20", lanes, "inner(u, v)*dx")); /* one piece */
    PetscCall(check(RUNG_TRIANGLE, "9", lanes, "inner(u, v)*dx"));
    PetscCall(check(RUNG_TRIANGLE, "9^3", lanes, "inner(u, v)*dx"));
    PetscCall(check(RUNG_QUADRILATERAL, "8^2", lanes, "inner(u, v)*dx"));
    PetscCall(check(RUNG_HEXAHEDRON, "5", lanes, "inner(u, v)*dx"));
    PetscCall(check(RUNG_HEXAHEDRON, "6", lanes, "inner(u, v)*dx"));
    PetscCall(check(RUNG_HEXAHEDRON, "5^3", lanes, "inner(u, v)*dx"));
  }
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_what_is_gathered_and_scattered_is_that_of_the_cells),
               RUNG_TEST(test_several_unknowns_are_gathered_and_scattered_apart),
               RUNG_TEST(test_runs_of_high_degrees_are_those_of_the_cells))
