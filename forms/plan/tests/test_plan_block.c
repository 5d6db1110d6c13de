/* test_plan_block.c - blocks: joined, halved, pulled back; which kind of contraction. */
#include "kernel_tools.h"

static PetscErrorCode test_components_of_a_mass_matrix_are_one_block(void)
{
  Tools      tools;
  ToolsPlans plans;

  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TETRAHEDRON, PETSC_FALSE, "2^d", NULL, &tools));
  PetscCall(tools_lower(&tools, "inner(dt(u), v)*dx", PETSC_TRUE, -1, &plans));
  CHECK(plans.plan[0]->blocks == 1 && plans.plan[0]->block[0].destinations == 3 && plans.plan[0]->block[0].half);
  CHECK(plans.plan[0]->block[0].coefficients[RUNG_PAIR_CELL] == 1);
  CHECK(plans.plan[0]->block[0].coefficients[RUNG_PAIR_POINT] == 0);
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

/* Components with the same source are one block; one that has a flux besides is its own, whichever comes first. */
static PetscErrorCode test_components_of_a_vector_are_one_block_where_all_terms_are_the_same(void)
{
  static const struct {
    const char *text;
    PetscInt    blocks;
  } form[] = {{"x[0]*(v[0] + v[1])*dx", 1},
              {"x[0]*(v[0] + v[1])*dx(degree: 2) + x[1]*grad(v)[1, 0]*dx(degree: 2)", 2},
              {"x[0]*(v[0] + v[1])*dx(degree: 2) + x[1]*grad(v)[0, 0]*dx(degree: 2)", 2}};
  Tools      tools;
  ToolsPlans plans;

  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TRIANGLE, PETSC_FALSE, "2^d", NULL, &tools));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(form); ++i) {
    PetscCall(tools_lower(&tools, form[i].text, PETSC_FALSE, -1, &plans));
    CHECK(plans.plan[0]->blocks == form[i].blocks);
    CHECK(plans.plan[0]->block[0].destinations == 3 - form[i].blocks);
    PetscCall(tools_plans_destroy(&plans));
  }
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_symmetric_stiffness_has_six_coefficients(void)
{
  Tools      tools;
  ToolsPlans plans;

  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TETRAHEDRON, PETSC_FALSE, "2", NULL, &tools));
  PetscCall(tools_lower(&tools, "inner(grad(u), grad(v))*dx", PETSC_TRUE, -1, &plans));
  CHECK(plans.integral[0].symmetric && plans.plan[0]->blocks == 1);
  CHECK(plans.plan[0]->block[0].coefficients[RUNG_PAIR_CELL] == 6 &&
        plans.plan[0]->block[0].pairs[RUNG_PAIR_CELL] == 9);
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_lower(&tools, "(1 + u)*inner(grad(u), grad(v))*dx", PETSC_TRUE, 4, &plans));
  CHECK(!plans.integral[0].symmetric && plans.plan[0]->block[0].coefficients[RUNG_PAIR_POINT] == 12);
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

/* Gradients of P1 times a coefficient that changes in the cell: sum the coefficient, contract once. */
static PetscErrorCode test_constant_tables_are_contracted_once(void)
{
  Tools      tools;
  ToolsPlans plans;

  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TRIANGLE, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(tools_lower(&tools, "exp(x[0])*inner(grad(u), grad(v))*dx", PETSC_TRUE, 4, &plans));
  CHECK(plans.plan[0]->block[0].coefficients[RUNG_PAIR_SUM] == 3);
  CHECK(plans.plan[0]->block[0].coefficients[RUNG_PAIR_CELL] == 0);
  CHECK(plans.plan[0]->block[0].coefficients[RUNG_PAIR_POINT] == 0);
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_transposed_blocks_come_together(void)
{
  Tools      tools;
  ToolsPlans plans;

  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TRIANGLE, PETSC_FALSE, "2^d", NULL, &tools));
  PetscCall(tools_lower(&tools, "inner(mu*sym(grad(u)) + kappa*div(u)*I, grad(v))*dx", PETSC_TRUE, 2, &plans));
  CHECK(plans.integral[0].symmetric);
  CHECK(plans.plan[0]->blocks == 3); /* (0, 0), (0, 1), (1, 1) */
  for (PetscInt b = 0; b < plans.plan[0]->blocks; ++b) {
    const RungBlock *block = &plans.plan[0]->block[b];

    CHECK(block->destinations == (block->half ? 1 : 2));
  }
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_bent_cells_have_no_cell_tensors(void)
{
  Tools      tools;
  ToolsPlans plans;

  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_QUADRILATERAL, PETSC_TRUE, "1", NULL, &tools));
  PetscCall(tools_lower(&tools, "inner(grad(u), grad(v))*dx", PETSC_TRUE, 2, &plans));
  CHECK(!plans.plan[0]->affine && plans.plan[0]->block[0].coefficients[RUNG_PAIR_CELL] == 0);
  CHECK(plans.plan[0]->block[0].coefficients[RUNG_PAIR_POINT] == 3);
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_components_of_a_mass_matrix_are_one_block),
               RUNG_TEST(test_components_of_a_vector_are_one_block_where_all_terms_are_the_same),
               RUNG_TEST(test_symmetric_stiffness_has_six_coefficients),
               RUNG_TEST(test_constant_tables_are_contracted_once), RUNG_TEST(test_transposed_blocks_come_together),
               RUNG_TEST(test_bent_cells_have_no_cell_tensors))
