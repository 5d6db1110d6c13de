/* test_plan.c - tables, rates and evaluations that a plan finds. */
#include "kernel_tools.h"

static PetscErrorCode test_gradients_of_p1_are_constant_in_the_cell(void)
{
  Tools      tools;
  ToolsPlans plans;

  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TETRAHEDRON, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(tools_lower(&tools, "exp(inner(grad(u), grad(u)))*u*v*dx", PETSC_FALSE, 2, &plans));
  for (PetscInt i = 0; i < plans.integral[0].tape.inputs; ++i) {
    const RungInput *input = &plans.integral[0].tape.input[i];

    if (input->kind == RUNG_IN_UNKNOWN)
      CHECK(plans.plan[0]->rate[i] == (input->derivative ? RUNG_RATE_CELL : RUNG_RATE_POINT));
  }
  CHECK(plans.plan[0]->basis[0].constant[1] && !plans.plan[0]->basis[0].constant[0]);
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_tables_hold_whole_numbers_where_they_should(void)
{
  Tools         tools;
  ToolsPlans    plans;
  const double *table;

  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TETRAHEDRON, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(tools_lower(&tools, "inner(grad(u), grad(v))*dx", PETSC_TRUE, 2, &plans));
  for (PetscInt r = 1; r <= 3; ++r) {
    table = RungBasisTable(plans.plan[0], &plans.plan[0]->basis[0], r, 0);
    for (PetscInt i = 0; i < 4; ++i) CHECK(table[i] == (i == 0 ? -1 : i == r ? 1 : 0));
  }
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_only_levels_that_are_read_are_listed(void)
{
  Tools      tools;
  ToolsPlans plans;

  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TRIANGLE, PETSC_FALSE, "2", NULL, &tools));
  PetscCall(tools_lower(&tools, "dt(dt(u))*v*dx + kappa*x[0]*dt(u, 2)*v*dx", PETSC_FALSE, 4, &plans));
  CHECK(plans.n == 1 && !plans.plan[0]->levels[0] && !plans.plan[0]->levels[1] && plans.plan[0]->levels[2]);
  CHECK(plans.plan[0]->x && !plans.plan[0]->sizes && plans.plan[0]->evaluations == 1);
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_lower(&tools, "dt(u)*v*dx", PETSC_TRUE, -1, &plans));
  CHECK(!plans.plan[0]->levels[1] && !plans.plan[0]->evaluations);
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

/* Raises what a plan of z*w*dx with values at points of degree 2 raises in a rule of another degree. */
static PetscErrorCode plan_of_points(RungCellType type, PetscInt degree)
{
  Tools          tools;
  RungIntegral  *integral;
  RungPlan       plan;
  PetscInt       n;
  RungExpr       expr;
  RungSpace      space;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_SELF, type, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(RungSpaceCreate(tools.mesh, "Quad(2)", &space));
  PetscCall(RungScopeAddUnknown(tools.scope, "z", "w", space));
  PetscCall(RungLayoutDestroy(&tools.layout));
  PetscCall(RungLayoutCreate(PETSC_COMM_SELF, 2, (RungSpace[]){tools.space[0], space}, &tools.layout));
  PetscCall(RungScopeParse(tools.scope, "test", "z*w*dx", &expr));
  PetscCall(RungLower(expr, PETSC_FALSE, 2, &n, &integral));
  integral[0].degree = degree;
  code               = RungPlanCreate(&integral[0], tools.scope, tools.layout, &plan);
  if (!code) {
    CHECK(plan->basis[1].nodes == plan->points && RungBasisTable(plan, &plan->basis[1], 0, 0)[0] == 1);
    PetscCall(RungPlanDestroy(&plan));
  }
  PetscCall(RungIntegralsDestroy(n, &integral));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(tools_destroy(&tools));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_values_at_points_want_their_own_rule(void)
{
  PetscCall(plan_of_points(RUNG_TRIANGLE, 2));
  CHECK_RAISES(plan_of_points(RUNG_TRIANGLE, 3), "write dx(degree: 2)");
  PetscCall(plan_of_points(RUNG_QUADRILATERAL, 2));
  PetscCall(plan_of_points(RUNG_QUADRILATERAL, 3)); /* the same points */
  CHECK_RAISES(plan_of_points(RUNG_QUADRILATERAL, 4), "write dx(degree: 2)");
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_gradients_of_p1_are_constant_in_the_cell),
               RUNG_TEST(test_tables_hold_whole_numbers_where_they_should),
               RUNG_TEST(test_only_levels_that_are_read_are_listed),
               RUNG_TEST(test_values_at_points_want_their_own_rule))
