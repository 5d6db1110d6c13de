/* test_plan_outer.c - which plans contract the vectors of products by themselves, and what is left to be done at the points. */
#include "kernel_tools.h"

#define NEO_HOOKEAN                                                                                                    \
  "F = I + grad(u); P = mu*(F - transpose(inv(F))) + 2*log(det(F))*transpose(inv(F)); inner(P, grad(v))*dx(degree: 2)"

static Tools      tools;
static ToolsPlans plans;
static RungPlan   plan;

/* The plan of the integral with its products by themselves. */
static PetscErrorCode begin(RungCellType type, const char spec[])
{
  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_SELF, type, PETSC_TRUE, spec, NULL, &tools));
  PetscCall(tools_lower(&tools, NEO_HOOKEAN, PETSC_TRUE, -1, &plans));
  CHECK(plans.integral[0].mapped && plans.integral[0].mapped->mapped);
  PetscCall(RungPlanCreate(plans.integral[0].mapped->mapped, tools.scope, tools.layout, &plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(void)
{
  PetscFunctionBegin;
  PetscCall(RungPlanDestroy(&plan));
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* F^-T (x) F^-T and its transpose: one product in each block (i, i), two in the others; mu K K^T is the cell's. */
static PetscErrorCode test_neo_hooke_is_fifteen_products_of_three_vectors(void)
{
  PetscCall(begin(RUNG_TETRAHEDRON, "2^d"));
  CHECK(plan->outer && plan->outer->half);
  if (!plan->outer) return end();
  CHECK(plan->outer->vectors == 3 && plan->outer->scales == 3 && plan->outer->scaleds == 9);
  CHECK(plan->outer->terms == 15 && plan->outer->destinations == 9);
  CHECK(plan->outer->moment == 0 && plan->blocks == 1);
  CHECK(plans.plan[0]->compiled && plans.plan[0]->compiled->outer);
  PetscCall(end());
  return PETSC_SUCCESS;
}

/* On bent cells K changes from point to point; then nothing is the cell's. */
static PetscErrorCode test_bent_cells_have_no_constant_part(void)
{
  PetscCall(begin(RUNG_HEXAHEDRON, "1+B^d")); /* no product of functions on a line */
  CHECK(plan->outer && plan->outer->terms == 15 && plan->outer->moment < 0 && plan->blocks == 1);
  CHECK(plans.plan[0]->compiled && plans.plan[0]->compiled->outer);
  PetscCall(end());
  return PETSC_SUCCESS;
}

/* Products of constant tables are constant tensors; sums that factorise take coefficients. */
static PetscErrorCode test_linear_and_factorised_elements_keep_coefficients(void)
{
  PetscCall(begin(RUNG_TETRAHEDRON, "1^d"));
  CHECK(plan->unfit && !plan->outer);
  CHECK(plans.plan[0]->compiled && !plans.plan[0]->compiled->outer);
  PetscCall(end());
  for (int k = 0; k < 2; ++k) {
    PetscCall(begin(RUNG_HEXAHEDRON, k ? "3^d" : "1^d"));
    CHECK(plan->unfit && !plan->outer && plan->tensor);
    PetscCall(end());
  }
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_neo_hooke_is_fifteen_products_of_three_vectors),
               RUNG_TEST(test_bent_cells_have_no_constant_part),
               RUNG_TEST(test_linear_and_factorised_elements_keep_coefficients))
