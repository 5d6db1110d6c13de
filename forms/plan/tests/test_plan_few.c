/* test_plan_few.c - coefficients that are polynomials of low degree: at how many points they are read, and that these say all. */
#include "kernel_tools.h"

static PetscErrorCode check_rank(PetscBool jacobian, RungCellType type, PetscBool bent, const char spec[],
                                 const char text[], PetscInt few)
{
  Tools      tools;
  ToolsPlans plans;
  PetscInt   found = 0;

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_SELF, type, bent, spec, NULL, &tools));
  PetscCall(tools_lower(&tools, text, jacobian, -1, &plans));
  for (PetscInt b = 0; b < plans.plan[0]->blocks; ++b) found = PetscMax(found, plans.plan[0]->block[b].few);
  CHECK(found == few);
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(RungCellType type, PetscBool bent, const char spec[], const char text[], PetscInt few)
{
  PetscFunctionBegin;
  PetscCall(check_rank(PETSC_TRUE, type, bent, spec, text, few));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_vectors_need_few_points_too(void)
{
  PetscCall(check_rank(PETSC_FALSE, RUNG_TRIANGLE, PETSC_FALSE, "1", "dt(u)*v*dx(degree: 4)", 3));
  PetscCall(check_rank(PETSC_FALSE, RUNG_TETRAHEDRON, PETSC_FALSE, "1^d", "inner(dt(u), v)*dx(degree: 4)", 4));
  PetscCall(
    check_rank(PETSC_FALSE, RUNG_TRIANGLE, PETSC_FALSE, "1", "u^2*v*dx(degree: 4)", 0)); /* as many as there are */
  PetscCall(check_rank(PETSC_FALSE, RUNG_TRIANGLE, PETSC_FALSE, "1", "exp(u)*v*dx(degree: 4)", 0));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_low_degrees_need_few_points(void)
{
  PetscCall(check(RUNG_TETRAHEDRON, PETSC_FALSE, "2^d", "inner(dot(grad(u), u), v)*dx(degree: 5)", 4));
  PetscCall(check(RUNG_TRIANGLE, PETSC_FALSE, "2^d", "inner(dot(grad(u), u), v)*dx(degree: 5)", 3));
  PetscCall(check(RUNG_TRIANGLE, PETSC_FALSE, "3", "u*(x[0] - 3)*v/mu*dx(degree: 7)", 3));
  PetscCall(check(RUNG_TRIANGLE, PETSC_FALSE, "3", "(u^2/2 + t*x[0]^3*u)*v*dx(degree: 9)", 10));
  PetscCall(check(RUNG_INTERVAL, PETSC_FALSE, "3", "u^2*v*dx(degree: 9)", 4));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_what_is_no_polynomial_takes_all_points(void)
{
  PetscCall(check(RUNG_TRIANGLE, PETSC_FALSE, "3", "u*exp(x[0])*v*dx(degree: 7)", 0));
  PetscCall(check(RUNG_TRIANGLE, PETSC_FALSE, "3", "u/(3 + x[0])*v*dx(degree: 7)", 0));
  PetscCall(check(RUNG_QUADRILATERAL, PETSC_FALSE, "1", "u*x[0]*v*dx(degree: 7)", 0));
  PetscCall(check(RUNG_QUADRILATERAL, PETSC_TRUE, "2", "u*v*dx(degree: 7)", 0)); /* det J is in it */
  PetscCall(check(RUNG_TRIANGLE, PETSC_FALSE, "3", "u*v*ds(degree: 7)", 0));     /* each side has its own points */
  PetscCall(check(RUNG_TRIANGLE, PETSC_FALSE, "1", "u^3*v*dx(degree: 2)", 0));   /* the rule has fewer points */
  return PETSC_SUCCESS;
}

/* sum_q w_q c(q) v_i(q) v_j(q) = sum_k c(q_k) w_{q_k} T[i][j][k] for c = (1 + x)(2 - y) and the values of P3 */
static PetscErrorCode test_few_points_say_all_of_a_polynomial(void)
{
  Tools                 tools;
  ToolsPlans            plans;
  const RungQuadrature *rule;
  const RungBlock      *block;
  double                worst = 0;

  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TRIANGLE, PETSC_FALSE, "3", NULL, &tools));
  PetscCall(tools_lower(&tools, "u*x[0]*x[1]*v*dx(degree: 9)", PETSC_TRUE, -1, &plans));
  PetscCall(RungQuadratureGet(RUNG_TRIANGLE, 9, &rule));
  block = &plans.plan[0]->block[0];
  CHECK(plans.plan[0]->blocks == 1 && block->few == 6);
  for (PetscInt e = 0; e < 100; ++e) {
    const double *v    = RungBasisTable(plans.plan[0], block->row, 0, 0);
    double        full = 0, few = 0;

    for (PetscInt q = 0; q < rule->points; ++q) {
      const double c = rule->weight[q] * (1 + rule->x[2 * q]) * (2 - rule->x[2 * q + 1]);

      full += c * v[10 * q + e / 10] * v[10 * q + e % 10];
      for (PetscInt k = 0; k < 6; ++k) few += block->few_point[k] == q ? c * block->few_tensor[6 * e + k] : 0;
    }
    worst = PetscMax(worst, PetscAbsReal(full - few));
  }
  CHECK(worst < 1e-15);
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_low_degrees_need_few_points), RUNG_TEST(test_vectors_need_few_points_too),
               RUNG_TEST(test_what_is_no_polynomial_takes_all_points),
               RUNG_TEST(test_few_points_say_all_of_a_polynomial))
