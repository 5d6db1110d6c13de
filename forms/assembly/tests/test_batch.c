/* test_batch.c - batches: every place once, padded, one facet a batch; gathered values are those of the layout. */
#include "kernel_tools.h"

static void nothing(RungKernel kernel, const RungKernelArgs *args)
{
  (void)kernel, (void)args;
}

static PetscErrorCode create(Tools *tools, ToolsPlans *plans, RungKernel kernel, RungBatches *batches)
{
  PetscFunctionBegin;
  *kernel       = (struct _p_RungKernel){0};
  kernel->plan  = plans->plan[0];
  kernel->lanes = 8;
  kernel->run   = nothing;
  PetscCall(RungBatchesCreate(1, &kernel, tools->layout, NULL, batches));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_gathered_values_are_those_of_the_cell(void)
{
  Tools                tools;
  ToolsPlans           plans;
  struct _p_RungKernel kernel;
  RungBatches          batches;
  const PetscScalar   *u[3] = {NULL, NULL, NULL};
  PetscInt             n, total = 0;

  PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "2^d", "1", &tools));
  PetscCall(tools_lower(&tools, "inner(dt(u), v)*dx + dt(p)*q*dx", PETSC_FALSE, 2, &plans));
  PetscCall(create(&tools, &plans, &kernel, &batches));
  PetscCall(RungLayoutGather(tools.layout, tools.u[1], 0, &u[1]));
  n = plans.plan[0]->dofs;
  for (PetscInt b = 0; b < batches->batches; ++b) {
    const PetscInt count = RungBatchRun(batches, b, u, NULL);

    total += count;
    for (PetscInt l = 0; l < 8; ++l) {
      const PetscInt  cell = batches->cell[batches->first[b] + PetscMin(l, count - 1)]; /* the last one again */
      const PetscInt *node = tools.data->cell_node + cell * 3;

      for (PetscInt i = 0; i < n; ++i)
        CHECK(batches->args.u[(n + i) * 8 + l] == u[1][batches->layout->cell_dof[cell * n + i]]);
      for (PetscInt i = 0; i < 3; ++i) CHECK(batches->args.x[(2 * i + 1) * 8 + l] == tools.data->x[2 * node[i] + 1]);
    }
  }
  CHECK(total == tools.data->cells);
  PetscCall(RungLayoutGatherRestore(tools.layout, tools.u[1], 0, &u[1]));
  PetscCall(RungBatchesDestroy(&batches));
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

/* Cells with dofs of other ranks are in phase 1, which may have others. */
static PetscErrorCode test_cells_of_the_edge_are_in_the_middle(void)
{
  Tools                tools;
  ToolsPlans           plans;
  struct _p_RungKernel kernel;
  RungBatches          batches;
  PetscInt             edge = 0, seen = 0;

  PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "2^d", "1", &tools));
  PetscCall(tools_lower(&tools, "inner(dt(u), v)*dx + dt(p)*q*dx", PETSC_FALSE, 2, &plans));
  PetscCall(create(&tools, &plans, &kernel, &batches));
  CHECK(batches->phase[0] == 0 && batches->phase[3] == batches->batches);
  for (PetscInt c = 0; c < tools.data->cells; ++c)
    if (batches->layout->cell_edge && batches->layout->cell_edge[c]) ++edge;
  for (PetscInt b = batches->phase[1]; b < batches->phase[2]; ++b) {
    for (PetscInt i = batches->first[b]; i < batches->first[b + 1]; ++i)
      if (batches->layout->cell_edge && batches->layout->cell_edge[batches->cell[i]]) ++seen;
  }
  CHECK(seen == edge);
  PetscCall(RungBatchesDestroy(&batches));
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

static PetscBool is_edge(RungBatches batches, PetscInt i)
{
  return batches->layout->cell_edge && batches->layout->cell_edge[batches->cell[i]] ? PETSC_TRUE : PETSC_FALSE;
}

/* Rows of matrices stay in the cache from a cell to its neighbours. */
static PetscErrorCode test_cells_of_matrices_keep_their_order(void)
{
  Tools                tools;
  ToolsPlans           plans;
  struct _p_RungKernel kernel;
  RungBatches          batches;

  PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "2^d", "1", &tools));
  PetscCall(tools_lower(&tools, "inner(dt(u), v)*dx + dt(p)*q*dx", PETSC_TRUE, 2, &plans));
  PetscCall(create(&tools, &plans, &kernel, &batches));
  CHECK(batches->places == tools.data->cells && batches->plan->cols > 1);
  for (PetscInt i = 0; i < batches->places; ++i) CHECK(batches->cell[i] == i);
  for (int phase = 0; phase < 3; phase += 2)
    for (PetscInt i = batches->first[batches->phase[phase]]; i < batches->first[batches->phase[phase + 1]]; ++i)
      CHECK(!is_edge(batches, i));
  PetscCall(RungBatchesDestroy(&batches));
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_places_of_a_batch_share_their_facet(void)
{
  Tools                tools;
  ToolsPlans           plans;
  struct _p_RungKernel kernel;
  RungBatches          batches;
  const RungPlaces    *places;
  PetscInt             found = 0;

  PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_HEXAHEDRON, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(tools_lower(&tools, "x[0]*v*ds", PETSC_FALSE, 2, &plans));
  PetscCall(create(&tools, &plans, &kernel, &batches));
  PetscCall(RungMeshGetPlaces(tools.mesh, RUNG_BOUNDARY, "", &places));
  CHECK(batches->places == places->count);
  for (PetscInt b = 0; b < batches->batches; ++b) {
    const PetscScalar *none[3] = {NULL, NULL, NULL};
    const PetscInt     count   = RungBatchRun(batches, b, none, NULL);

    CHECK(count > 0 && count <= 8 && batches->args.facet[0] == batches->facet[2 * b]);
    for (PetscInt l = 0; l < count; ++l) {
      for (PetscInt i = 0; i < places->count; ++i) {
        found += places->cell[0][i] == batches->cell[batches->first[b] + l] &&
                 places->facet[0][i] == batches->facet[2 * b];
      }
    }
  }
  CHECK(found == places->count);
  PetscCall(RungBatchesDestroy(&batches));
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

/* Place i of the mesh in batch b. */
static PetscBool is_there(RungBatches batches, PetscInt b, PetscInt at, const RungPlaces *places, PetscInt i)
{
  const RungPlan plan = batches->plan;

  return batches->number[at] == places->number[i] && batches->cell[at] == places->cell[0][i] &&
         batches->minus[at] == places->cell[1][i] && batches->facet[2 * b] / plan->turns == places->facet[0][i] &&
         batches->facet[2 * b + 1] == places->facet[1][i] * plan->turns + places->turn[i];
}

static PetscBool same_group(RungBatches batches, PetscInt a, PetscInt b)
{
  return batches->facet[2 * a] == batches->facet[2 * b] && batches->facet[2 * a + 1] == batches->facet[2 * b + 1];
}

/* Some batches of a group stay together; these follow the first cells. */
static PetscErrorCode test_batches_of_interior_facets_follow_their_cells(void)
{
  Tools                tools;
  ToolsPlans           plans;
  struct _p_RungKernel kernel;
  RungBatches          batches;
  const RungPlaces    *places;
  PetscInt             found = 0, falls = 0;

  PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_TETRAHEDRON, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(tools_lower(&tools, "jump(u)*jump(v)*dS", PETSC_FALSE, 2, &plans));
  PetscCall(create(&tools, &plans, &kernel, &batches));
  PetscCall(RungMeshGetPlaces(tools.mesh, RUNG_INTERIOR_FACETS, "", &places));
  CHECK(batches->places == places->count && batches->first[batches->batches] == places->count);
  for (PetscInt b = 1, start = 0; b < batches->batches; ++b) {
    if (b < start + 16 && same_group(batches, start, b)) continue;
    falls += batches->cell[batches->first[start]] > batches->cell[batches->first[b]];
    start = b;
  }
  CHECK(falls <= (batches->layout->cell_edge ? 2 : 0)); /* between phases, which need not begin where others end */
  for (PetscInt b = 0; b < batches->batches; ++b)
    for (PetscInt at = batches->first[b]; at < batches->first[b + 1]; ++at)
      for (PetscInt i = 0; i < places->count; ++i) found += is_there(batches, b, at, places, i);
  CHECK(found == places->count);
  PetscCall(RungBatchesDestroy(&batches));
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_the_order_of_facets_is_that_of_other_lanes(void)
{
  Tools                tools;
  ToolsPlans           plans;
  struct _p_RungKernel kernel;
  RungBatches          eight, two;

  PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(tools_lower(&tools, "jump(u)*jump(v)*dS", PETSC_FALSE, 2, &plans));
  PetscCall(create(&tools, &plans, &kernel, &eight));
  kernel.lanes = 2;
  PetscCall(RungBatchesCreate(1, (RungKernel[]){&kernel}, tools.layout, NULL, &two));
  CHECK(two->places == eight->places && two->batches >= eight->batches);
  for (PetscInt i = 0; i < two->places; ++i) CHECK(two->number[i] == eight->number[i]);
  PetscCall(RungBatchesDestroy(&two));
  PetscCall(RungBatchesDestroy(&eight));
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_gathered_values_are_those_of_the_cell),
               RUNG_TEST(test_cells_of_the_edge_are_in_the_middle), RUNG_TEST(test_cells_of_matrices_keep_their_order),
               RUNG_TEST(test_places_of_a_batch_share_their_facet),
               RUNG_TEST(test_batches_of_interior_facets_follow_their_cells),
               RUNG_TEST(test_the_order_of_facets_is_that_of_other_lanes))
