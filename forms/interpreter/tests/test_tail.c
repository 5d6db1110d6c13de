/* test_tail.c - contractions against the sums that define them. */
#include "kernel_tools.h"

#define LANES RUNG_BATCH

/* sum over kinds and pairs of coefficient * tables, for one entry */
static double direct(RungPlan plan, const RungBlock *block, PetscInt i, PetscInt j, PetscInt l, double *coefficient[])
{
  double sum = 0;

  for (int kind = 0; kind < RUNG_PAIR_KINDS; ++kind) {
    for (PetscInt p = 0; p < block->pairs[kind]; ++p) {
      const RungPair *pair = &block->pair[kind][p];
      const double *v = RungBasisTable(plan, block->row, pair->r, 0), *w = RungBasisTable(plan, block->col, pair->s, 0);

      for (PetscInt q = 0; q < (kind == RUNG_PAIR_SUM ? 1 : plan->points); ++q) {
        const double tables = v[q * block->row->nodes + i] * w[q * block->col->nodes + j];
        const double c = kind == RUNG_PAIR_POINT ? coefficient[kind][(pair->coefficient * plan->points + q) * LANES + l]
                                                 : coefficient[kind][pair->coefficient * LANES + l];

        sum += (kind == RUNG_PAIR_CELL ? plan->weight[q] : 1) * c * tables;
      }
    }
  }
  return sum;
}

/* Two batches. */
static PetscErrorCode check_block(RungPlan plan, const RungBlock *block)
{
  double             *coefficient[RUNG_PAIR_KINDS], *scratch, *out;
  const size_t        n = (size_t)plan->rows * (size_t)plan->cols * LANES, behind = (size_t)plan->cols * LANES;
  const RungBatchSpan span = {.n = 2, .u = 100 * plan->points * LANES, .out = (PetscInt)n};

  PetscFunctionBegin;
  for (int kind = 0; kind < RUNG_PAIR_KINDS; ++kind) {
    PetscCall(RungAlignedAlloc((size_t)(span.n * span.u), &coefficient[kind]));
    for (PetscInt k = 0; k < span.n * span.u; ++k) coefficient[kind][k] = sin((double)(k * (kind + 1)));
  }
  PetscCall(RungAlignedAlloc((size_t)(2 * RUNG_MAX_DERIVATIVE * plan->points * LANES), &scratch));
  PetscCall(RungAlignedAlloc((size_t)span.n * n + behind, &out));
  for (size_t k = 0; k < behind; ++k) out[(size_t)span.n * n + k] = 7;
  RungTailBlock(plan, block, (const PetscInt[2]){0, 0}, span, coefficient, NULL, scratch, out);
  for (PetscInt k = 0; k < span.n; ++k) {
    double *c[RUNG_PAIR_KINDS];

    for (int kind = 0; kind < RUNG_PAIR_KINDS; ++kind) c[kind] = coefficient[kind] + k * span.u;
    for (PetscInt i = 0; i < block->row->nodes; ++i) {
      for (PetscInt j = 0; j < block->col->nodes; ++j) {
        for (PetscInt d = 0; d < block->destinations; ++d) {
          const RungDestination *to = &block->destination[d];

          CHECK_NEAR(out[k * span.out + (to->base + i * to->row + j * to->col) * LANES + 3],
                     direct(plan, block, i, j, 3, c), 1e-13);
        }
      }
    }
  }
  for (size_t k = 0; k < behind; ++k) CHECK(out[(size_t)span.n * n + k] == 7);
  for (int kind = 0; kind < RUNG_PAIR_KINDS; ++kind) free(coefficient[kind]);
  free(scratch);
  free(out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_text(RungCellType type, const char space[], const char text[], PetscBool jacobian)
{
  Tools      tools;
  ToolsPlans plans;

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_SELF, type, PETSC_FALSE, space, NULL, &tools));
  PetscCall(tools_lower(&tools, text, jacobian, 3, &plans));
  for (PetscInt b = 0; b < plans.plan[0]->blocks; ++b) PetscCall(check_block(plans.plan[0], &plans.plan[0]->block[b]));
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_blocks_are_the_sums_that_define_them(void)
{
  PetscCall(check_text(RUNG_TRIANGLE, "2", "u*v*dx + inner(grad(u), grad(v))*dx", PETSC_TRUE));
  PetscCall(check_text(RUNG_TRIANGLE, "2", "(1 + u)*inner(grad(u), grad(v))*dx + u^3*v*dx", PETSC_TRUE));
  PetscCall(
    check_text(RUNG_TETRAHEDRON, "1^d", "inner(exp(x[0])*sym(grad(u)), grad(v))*dx + inner(u, v)*dx", PETSC_TRUE));
  PetscCall(check_text(RUNG_QUADRILATERAL, "2^d", "(1 + inner(u, u))*inner(sym(grad(u)), grad(v))*dx", PETSC_TRUE));
  PetscCall(check_text(RUNG_TRIANGLE, "2", "grad(u)[0]*v*dx", PETSC_TRUE)); /* not symmetric */
  PetscCall(check_text(RUNG_HEXAHEDRON, "1", "u*v*dx + x[1]*inner(grad(u), grad(v))*dx", PETSC_FALSE));
  PetscCall(check_text(RUNG_HEXAHEDRON, "3", "exp(u)*v*dx(degree: 7) + (1 + u^2)*inner(grad(u), grad(v))*dx(degree: 7)",
                       PETSC_FALSE));
  PetscCall(check_text(RUNG_QUADRILATERAL, "4^d",
                       "inner(exp(u[0])*grad(u), grad(v))*dx(degree: 9) + inner(u, v)*dx(degree: 9)", PETSC_FALSE));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_evaluation_is_a_table_times_dofs(void)
{
  const double table[6] = {1, 2, 3, 4, 5, 6}; /* [point][node] */
  double      *u, *out;

  PetscCall(RungAlignedAlloc(3 * 2 * LANES, &u));
  PetscCall(RungAlignedAlloc(2 * LANES, &out));
  for (PetscInt k = 0; k < 3 * 2 * LANES; ++k) u[k] = cos((double)k);
  RungTailEvaluate(2, 3, table, 2, (RungBatchSpan){.n = 1}, u, out);
  for (PetscInt q = 0; q < 2; ++q) {
    for (PetscInt l = 0; l < LANES; ++l) {
      double sum = 0;

      for (PetscInt i = 0; i < 3; ++i) sum += table[3 * q + i] * u[2 * i * LANES + l];
      CHECK_NEAR(out[q * LANES + l], sum, 1e-14);
    }
  }
  free(u);
  free(out);
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_blocks_are_the_sums_that_define_them), RUNG_TEST(test_evaluation_is_a_table_times_dofs))
