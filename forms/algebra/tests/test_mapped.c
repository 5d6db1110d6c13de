/* test_mapped.c - integrals in derivatives of the reference cell: which take them, and that they are the same integrals. */
#include "kernel_tools.h"

#define LANES 2 /* of the compiled kernels, which the compiler takes a ninth of the time for that it takes for 8 */
#define NEO_HOOKEAN                                                                                                    \
  "F = I + grad(u); P = mu*(F - transpose(inv(F))) + 2*log(det(F))*transpose(inv(F)); inner(P, grad(v))*dx(degree: 2)"
#define FACET 2

/* memory[k][lane], some numbers that are the same for all numbers of lanes */
static void fill(PetscInt n, PetscInt lanes, double size, double rate, double start, double memory[])
{
  for (PetscInt k = 0; k < n; ++k) {
    for (PetscInt l = 0; l < lanes; ++l)
      memory[k * lanes + l] = size * sin(rate * (double)(k * RUNG_BATCH + l) + start);
  }
}

/* out[entry][LANES]: the matrices of the first cells of some that differ from the reference cell, of a kernel that this destroys;
   the caller frees. */
static PetscErrorCode run_kernel(Tools *tools, RungPlan plan, RungKernel kernel, double **out)
{
  const RungCell *cell = RungCellGet(tools->data->type);
  const PetscInt  dim = tools->data->dim, lanes = kernel->lanes, entries = plan->rows * plan->cols;
  const PetscInt  places = plan->geometry.nodes * dim, dofs = 3 * plan->dofs;
  const double    sigma[6] = {1, 1, 1, 1, 1, 1};
  RungKernelArgs  args     = {.sigma = sigma, .facet = (const int[]){FACET}};
  double         *x, *u, *all;

  PetscFunctionBegin;
  CHECK(lanes >= LANES && lanes <= RUNG_BATCH);
  PetscCall(RungAlignedAlloc((size_t)(places * lanes), &x));
  PetscCall(RungAlignedAlloc((size_t)(dofs * lanes), &u));
  PetscCall(RungAlignedAlloc((size_t)(entries * lanes), &all));
  PetscCall(RungAlignedAlloc((size_t)(entries * LANES), out));
  fill(places, lanes, 0.1, 1.7, 0, x);
  for (PetscInt k = 0; k < places * lanes; ++k) x[k] += (double)cell->x[k / lanes / dim][k / lanes % dim];
  fill(dofs, lanes, 0.05, 2.3, 1, u);
  args.x   = x;
  args.u   = u;
  args.out = all;
  (void)RungScopeConstants(tools->scope, &args.constant);
  kernel->run(kernel, &args);
  for (PetscInt e = 0; e < entries * LANES; ++e) (*out)[e] = all[e / LANES * lanes + e % LANES];
  PetscCall(RungKernelDestroy(&kernel));
  free(x);
  free(u);
  free(all);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The interpreter of the plain integral, and C of a plan in derivatives of the reference cell, whichever of them would be taken. */
static PetscErrorCode run_both(Tools *tools, const RungPlan plan[2], double *out[2])
{
  char               cache[] = "cache", none[] = "", flags[] = "-O0";
  RungCompileOptions options = {.cache = cache, .compiler = none, .flags = flags, .lanes = LANES};
  RungKernel         kernel;

  PetscFunctionBegin;
  PetscCall(RungKernelCreateInterpreter(plan[0], 1, &kernel));
  PetscCall(run_kernel(tools, plan[0], kernel, &out[0]));
  PetscCall(RungKernelsCompile(PETSC_COMM_SELF, 1, &plan[1], &options, &kernel));
  CHECK(kernel);
  PetscCall(run_kernel(tools, plan[1], kernel, &out[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In a symmetric form entries (i, j) and (j, i) are the same to the last bit. */
static PetscErrorCode compare(Tools *tools, const RungIntegral *plain, const RungIntegral *mapped)
{
  RungPlan plan[2];
  double  *out[2], size = 0, difference = 0, skew = 0;
  PetscInt n;

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) PetscCall(RungPlanCreate(k ? mapped : plain, tools->scope, tools->layout, &plan[k]));
  PetscCall(run_both(tools, plan, out));
  n = plan[0]->rows;
  CHECK(plan[1]->rows == n && plan[1]->cols == n && plan[0]->cols == n);
  for (PetscInt e = 0; e < n * n * LANES; ++e) {
    const PetscInt i = e / LANES / n, j = e / LANES % n;

    size       = PetscMax(size, PetscAbsReal(out[0][e]));
    difference = PetscMax(difference, PetscAbsReal(out[0][e] - out[1][e]));
    skew       = PetscMax(skew, PetscAbsReal(out[1][e] - out[1][(j * n + i) * LANES + e % LANES]));
  }
  CHECK(size > 0.01 && difference < 1e-13 * size);
  CHECK(!plain->symmetric || skew == 0);
  for (int k = 0; k < 2; ++k) {
    free(out[k]);
    PetscCall(RungPlanDestroy(&plan[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first integral of a form and the same in derivatives of the reference cell, and with its products by themselves,
   whichever of them a plan would take; of the last where there are products alone, and a plan can do them. */
static PetscErrorCode compare_all(Tools *tools, const char text[], PetscBool products)
{
  ToolsPlans    plans;
  RungIntegral  plain, mapped;
  RungIntegral *split;
  RungPlan      plan;

  PetscFunctionBegin;
  PetscCall(tools_lower(tools, text, PETSC_TRUE, -1, &plans));
  CHECK(plans.integral[0].mapped && plans.integral[0].mapped->in_reference && !plans.integral[0].in_reference);
  plain         = plans.integral[0];
  plain.mapped  = NULL;
  mapped        = *plans.integral[0].mapped;
  mapped.mapped = NULL;
  split         = plans.integral[0].mapped->mapped;
  PetscCall(compare(tools, &plain, &mapped));
  CHECK(!products || (split && split->products));
  if (products) {
    PetscCall(RungPlanCreate(split, tools->scope, tools->layout, &plan));
    CHECK(plan->outer && !plan->unfit);
    PetscCall(RungPlanDestroy(&plan));
    PetscCall(compare(tools, &plain, split));
  }
  PetscCall(tools_plans_destroy(&plans));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(RungCellType type, PetscBool bent, const char spec[], const char text[], PetscBool products)
{
  Tools tools;

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_SELF, type, bent, spec, NULL, &tools));
  PetscCall(compare_all(&tools, text, products));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_it_is_the_same_integral_on_affine_cells(void)
{
  PetscCall(check(RUNG_TETRAHEDRON, PETSC_FALSE, "1^d", NEO_HOOKEAN, PETSC_FALSE));
  PetscCall(check(RUNG_TETRAHEDRON, PETSC_TRUE, "2^d", NEO_HOOKEAN, PETSC_TRUE));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_it_is_the_same_integral_on_bent_cells(void)
{
  PetscCall(check(RUNG_HEXAHEDRON, PETSC_TRUE, "1+B^d", NEO_HOOKEAN, PETSC_TRUE));
  PetscCall(check(RUNG_HEXAHEDRON, PETSC_TRUE, "2^d", NEO_HOOKEAN, PETSC_FALSE));
  return PETSC_SUCCESS;
}

/* Values beside gradients, inertia, a right-hand side that follows the surface, no symmetry. */
static PetscErrorCode test_it_is_the_same_integral_with_other_terms(void)
{
  PetscCall(check(RUNG_TETRAHEDRON, PETSC_TRUE, "2^d",
                  "F = I + grad(u); E = (dot(transpose(F), F) - I)/2; (inner(dot(F, mu*E), grad(v)) + "
                  "inner(dt(dt(u)), v) + inner(dot(grad(u), u), v) + u[0]*div(u)*div(v))*dx(degree: 2)",
                  PETSC_FALSE));
  PetscCall(
    check(RUNG_HEXAHEDRON, PETSC_TRUE, "1^d",
          "F = I + grad(u); (inner(dot(F, dot(transpose(F), grad(u))), grad(v)) + x[0]*u[1]*v[2])*dx(degree: 2)",
          PETSC_FALSE));
  return PETSC_SUCCESS;
}

/* So many points that they are cut into chunks; a form that is not symmetric. */
static PetscErrorCode test_products_are_the_same_integral_in_chunks_and_without_symmetry(void)
{
  PetscCall(check(RUNG_TETRAHEDRON, PETSC_TRUE, "2^d",
                  "F = I + grad(u); P = mu*(F - transpose(inv(F))) + 2*log(det(F))*transpose(inv(F)); "
                  "inner(P, grad(v))*dx(degree: 6)",
                  PETSC_TRUE));
  PetscCall(check(RUNG_TETRAHEDRON, PETSC_TRUE, "2^d",
                  "F = I + grad(u); inner((1 + x[0])*transpose(inv(F)) + grad(u)[0, 1]*grad(u), grad(v))*dx(degree: 2)",
                  PETSC_FALSE));
  PetscCall(check(RUNG_TETRAHEDRON, PETSC_TRUE, "2^d",
                  "F = I + grad(u); (inner((1 + x[0])*transpose(inv(F)), grad(v)) + u[1]*v[0])*dx(degree: 2)",
                  PETSC_TRUE));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_it_is_the_same_integral_under_a_condition(void)
{
  PetscCall(check(RUNG_TETRAHEDRON, PETSC_FALSE, "2^d",
                  "F = I + grad(u); J = det(F); P = if(J > 0.9, mu*(F - transpose(inv(F))) + log(J)*transpose(inv(F)), "
                  "(mu + 1)*F); inner(P, grad(v))*dx(degree: 2)",
                  PETSC_FALSE));
  return PETSC_SUCCESS;
}

/* An integrand with many entries between gradients, the normal in it, on one facet of all cells. */
static PetscErrorCode test_it_is_the_same_integral_on_facets(void)
{
  static const char text[] = "F = I + grad(u); P = mu*(F - transpose(inv(F))) + 2*log(det(F))*transpose(inv(F)); "
                             "(inner(P, grad(v)) + inner(dot(P, n), dot(grad(v), n)))*ds(degree: 2)";

  PetscCall(check(RUNG_TETRAHEDRON, PETSC_TRUE, "1^d", text, PETSC_FALSE));
  PetscCall(check(RUNG_TETRAHEDRON, PETSC_TRUE, "2^d", text, PETSC_FALSE));
  PetscCall(check(RUNG_HEXAHEDRON, PETSC_TRUE, "1^d", text, PETSC_FALSE));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_what_needs_fewer_operations_is_compiled(void)
{
  Tools      tools;
  ToolsPlans plans;

  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TETRAHEDRON, PETSC_FALSE, "2^d", NULL, &tools));
  PetscCall(tools_lower(&tools, NEO_HOOKEAN, PETSC_TRUE, -1, &plans));
  CHECK(plans.plan[0]->compiled && plans.plan[0]->compiled->integral == plans.integral[0].mapped->mapped);
  CHECK(plans.plan[0]->compiled->outer);
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(
    tools_lower(&tools, "inner(mu*sym(grad(u)) + kappa*div(u)*I, grad(v))*dx(degree: 2)", PETSC_TRUE, -1, &plans));
  CHECK(!plans.integral[0].mapped && !plans.plan[0]->compiled);
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_it_is_the_same_integral_on_affine_cells),
               RUNG_TEST(test_it_is_the_same_integral_on_bent_cells),
               RUNG_TEST(test_it_is_the_same_integral_with_other_terms),
               RUNG_TEST(test_products_are_the_same_integral_in_chunks_and_without_symmetry),
               RUNG_TEST(test_it_is_the_same_integral_under_a_condition),
               RUNG_TEST(test_it_is_the_same_integral_on_facets),
               RUNG_TEST(test_what_needs_fewer_operations_is_compiled))
