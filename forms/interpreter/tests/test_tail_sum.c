/* test_tail_sum.c - sums factorised against tables times dofs and their transpose. */
#include "kernel_tools.h"

#define LANES RUNG_BATCH

/* A smooth number for each place of an array. */
static void fill_array(PetscInt n, double *array)
{
  for (PetscInt i = 0; i < n; ++i) array[i] = PetscSinReal(1 + 0.37 * (PetscReal)i);
}

/* Values and reference derivatives of every component, the first of them times a number of each lane. */
static PetscErrorCode check_values(RungPlan plan, const double *u, double *scratch)
{
  const RungBasis *basis = &plan->basis[0];
  const PetscInt   P     = plan->points * LANES;
  double          *value, *wanted, *factor, *out[4] = {NULL};

  PetscFunctionBegin;
  CHECK(RungSumFits(plan, basis));
  PetscCall(RungAlignedAlloc(4 * (size_t)P, &value));
  PetscCall(RungAlignedAlloc((size_t)P, &wanted));
  PetscCall(RungAlignedAlloc(LANES, &factor));
  fill_array(LANES, factor);
  for (PetscInt r = 0; r <= plan->axes; ++r) out[r] = value + r * P;
  for (PetscInt c = 0; c < basis->components; ++c) {
    RungSumEvaluate(plan, basis, u + c * LANES, (const double *[3]){factor}, scratch, out);
    for (PetscInt r = 0; r <= plan->axes; ++r) {
      RungTailEvaluate(plan->points, basis->nodes, RungBasisTable(plan, basis, r, 0), basis->components,
                       (RungBatchSpan){.n = 1}, u + c * LANES, wanted);
      for (PetscInt i = 0; i < P; ++i) CHECK_NEAR(out[r][i], (r == 1 ? factor[i % LANES] : 1) * wanted[i], 1e-12);
    }
  }
  free(factor);
  free(wanted);
  free(value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* out[i] = sum_qr R_r(v_i)(q) c_r[q], or that added to what is there */
static PetscErrorCode check_vector(RungPlan plan, PetscBool again, double *scratch)
{
  const RungBlock *block = &plan->block[0];
  const PetscInt   P = plan->points * LANES, n = plan->dofs * LANES;
  const double    *of[4] = {NULL};
  double          *coefficient, *out;

  PetscFunctionBegin;
  PetscCall(RungAlignedAlloc(4 * (size_t)P, &coefficient));
  PetscCall(RungAlignedAlloc((size_t)n, &out));
  fill_array(4 * P, coefficient);
  for (PetscInt r = 0; r <= plan->axes; ++r) of[r] = coefficient + r * P;
  for (PetscInt i = 0; i < n; ++i) out[i] = again ? 1 : NAN;
  RungSumVector(plan, block, of, again ? PETSC_FALSE : PETSC_TRUE, scratch, out);
  for (PetscInt i = 0; i < block->row->nodes; ++i) {
    double sum = again ? 1 : 0;

    for (PetscInt r = 0; r <= plan->axes; ++r) {
      const double *table = RungBasisTable(plan, block->row, r, 0);

      for (PetscInt q = 0; q < plan->points; ++q) sum += table[q * block->row->nodes + i] * of[r][q * LANES + 3];
    }
    CHECK_NEAR(out[(block->destination[0].base + i * block->destination[0].row) * LANES + 3], sum, 1e-12);
  }
  free(out);
  free(coefficient);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(RungCellType type, const char degree[], PetscInt rule)
{
  Tools      tools;
  ToolsPlans plans;
  RungPlan   plan;
  double    *u, *scratch;

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_SELF, type, PETSC_TRUE, degree, NULL, &tools));
  PetscCall(tools_lower(&tools, "inner(u, v)*dx + inner(grad(u), grad(v))*dx", PETSC_FALSE, rule, &plans));
  plan = plans.plan[0];
  PetscCall(RungAlignedAlloc((size_t)(plan->dofs * LANES), &u));
  PetscCall(RungAlignedAlloc(RungSumScratch(plan), &scratch));
  fill_array(plan->dofs * LANES, u);
  PetscCall(check_values(plan, u, scratch));
  for (int again = 0; again < 2; ++again) PetscCall(check_vector(plan, again ? PETSC_TRUE : PETSC_FALSE, scratch));
  free(scratch);
  free(u);
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_hexahedra_agree_with_tables(void)
{
  PetscCall(check(RUNG_HEXAHEDRON, "2", -1));
  PetscCall(check(RUNG_HEXAHEDRON, "3^d", -1));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_quadrilaterals_agree_with_tables(void)
{
  PetscCall(check(RUNG_QUADRILATERAL, "2^d", -1));
  PetscCall(check(RUNG_QUADRILATERAL, "4", 13)); /* more points than nodes on a line */
  PetscCall(check(RUNG_QUADRILATERAL, "7", -1)); /* long lines */
  return PETSC_SUCCESS;
}

/* Too few points to know a polynomial by its values. */
static PetscErrorCode test_reduced_rules_do_not_fit(void)
{
  Tools      tools;
  ToolsPlans plans;

  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_QUADRILATERAL, PETSC_FALSE, "4", NULL, &tools));
  PetscCall(tools_lower(&tools, "u*v*dx", PETSC_FALSE, 5, &plans));
  CHECK(!RungSumFits(plans.plan[0], &plans.plan[0]->basis[0]));
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_hexahedra_agree_with_tables), RUNG_TEST(test_quadrilaterals_agree_with_tables),
               RUNG_TEST(test_reduced_rules_do_not_fit))
