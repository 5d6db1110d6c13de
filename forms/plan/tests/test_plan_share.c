/* test_plan_share.c - blocks that are cut: what several have in common, halves of those that are symmetric in themselves. */
#include "kernel_tools.h"

#define MOMENTUM "(inner(dt(u), v) + inner(dot(grad(u), u), v) + inner(grad(u), grad(v)))*dx(degree: 5)"

/* How many blocks have so many places. */
static PetscInt count_blocks(RungPlan plan, PetscInt places)
{
  PetscInt n = 0;

  for (PetscInt b = 0; b < plan->blocks; ++b) n += plan->block[b].destinations == places;
  return n;
}

/* Places of a block's terms: where blocks are not transposed, the entries of the integral. */
static PetscInt count_places(RungPlan plan)
{
  PetscInt n = 0;

  for (PetscInt b = 0; b < plan->blocks; ++b) n += plan->block[b].terms * plan->block[b].destinations;
  return n;
}

static PetscErrorCode test_what_the_diagonal_blocks_of_a_flow_share_is_contracted_once(void)
{
  Tools      tools;
  ToolsPlans plans;

  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TETRAHEDRON, PETSC_FALSE, "2^d", NULL, &tools));
  PetscCall(tools_lower(&tools, MOMENTUM, PETSC_TRUE, -1, &plans));
  CHECK(count_blocks(plans.plan[0], 3) == 2); /* diffusion, of the cell; convection, at the points */
  CHECK(count_blocks(plans.plan[0], 1) == 9); /* d f_i / d u_k */
  CHECK(plans.plan[0]->blocks == 11);
  CHECK(count_places(plans.plan[0]) == plans.integral[0].entries); /* none is lost, none is there twice */
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_blocks_that_are_symmetric_in_themselves_are_halved(void)
{
  Tools      tools;
  ToolsPlans plans;

  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TRIANGLE, PETSC_FALSE, "2^d", NULL, &tools));
  PetscCall(tools_lower(&tools, "exp(u[0])*u[1]*v[0]*dx(degree: 4)", PETSC_TRUE, -1, &plans));
  CHECK(!plans.integral[0].symmetric && plans.plan[0]->blocks == 2);
  CHECK(plans.plan[0]->block[0].half && plans.plan[0]->block[1].half);
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_lower(&tools, "exp(u[0])*grad(u)[1, 0]*v[0]*dx(degree: 4)", PETSC_TRUE, -1, &plans));
  CHECK(plans.plan[0]->block[0].half && !plans.plan[0]->block[1].half); /* values; values and gradients */
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

/* Where little is in common, adding it to several places costs more than computing it. */
static PetscErrorCode test_blocks_that_share_too_little_stay_whole(void)
{
  Tools      tools;
  ToolsPlans plans;

  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TETRAHEDRON, PETSC_FALSE, "1^d", NULL, &tools));
  PetscCall(tools_lower(&tools, "(u[0]^2*v[0] + x[0]*u[1]*v[1] + x[1]*u[2]*v[2] + u[0]*inner(u, v))*dx(degree: 2)",
                        PETSC_TRUE, -1, &plans));
  CHECK(count_places(plans.plan[0]) == plans.integral[0].entries);
  for (PetscInt b = 0; b < plans.plan[0]->blocks; ++b) CHECK(plans.plan[0]->block[b].terms == 1);
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_what_the_diagonal_blocks_of_a_flow_share_is_contracted_once),
               RUNG_TEST(test_blocks_that_are_symmetric_in_themselves_are_halved),
               RUNG_TEST(test_blocks_that_share_too_little_stay_whole))
