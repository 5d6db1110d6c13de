/* test_interpret.c - the interpreter against integrals done by hand, and against itself with more batches at a time. */
#include "kernel_tools.h"

#define LANES RUNG_BATCH
#define DOFS  12 /* at most */

/* One reference triangle or tetrahedron in each lane, scaled by 1 + lane. */
static void simplices(PetscInt dim, double x[])
{
  for (PetscInt i = 0; i <= dim; ++i) {
    for (PetscInt a = 0; a < dim; ++a) {
      for (PetscInt l = 0; l < LANES; ++l) x[(i * dim + a) * LANES + l] = i == a + 1 ? 1 + (double)l : 0;
    }
  }
}

/* It is the only kernel: nobody clears `out`, and nobody has written to it. */
static PetscErrorCode claim_all(RungKernel kernel)
{
  RungWritten *written;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(kernel->plan->rows * kernel->plan->cols, &written));
  kernel->claim(kernel, written);
  PetscCall(kernel->clear(kernel, written));
  PetscCall(PetscFree(written));
  PetscFunctionReturn(PETSC_SUCCESS);
}

enum { TOGETHER = 1, CLAIMED = 2 };

/* Runs the first integral on n batches of scaled simplices, all at once or one after the other.  Dofs differ from batch to
   batch; out[batch][entry][lane], of `entries` numbers. */
static PetscErrorCode run_on(Tools *tools, const char text[], PetscBool jacobian, PetscInt n, int how, PetscInt entries,
                             double out[])
{
  const PetscInt  distance = (12 + DOFS) * LANES; /* of the batches: places, dofs */
  ToolsPlans      plans;
  RungKernel      kernel;
  const double    sigma[6] = {1, 1, 1, 1, 1, 1};
  double         *memory;
  RungKernelArgs *args;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n, &args));
  PetscCall(RungAlignedAlloc((size_t)(n * distance), &memory));
  PetscCall(tools_lower(tools, text, jacobian, -1, &plans));
  PetscCall(RungKernelCreateInterpreter(plans.plan[0], how & TOGETHER ? n : 1, &kernel));
  if (how & CLAIMED) PetscCall(claim_all(kernel));
  for (PetscInt k = 0; k < n; ++k) {
    double *x = memory + k * distance, *u = x + 12 * LANES;

    simplices(tools->data->dim, x);
    for (PetscInt i = 0; i < DOFS * LANES; ++i) u[i] = sin((double)(i + k + 1));
    args[k] = (RungKernelArgs){.x = x, .u = u, .sigma = sigma, .out = out + k * entries * LANES};
    (void)RungScopeConstants(tools->scope, &args[k].constant);
  }
  if (how & TOGETHER) kernel->prepare(kernel, n, args);
  for (PetscInt k = 0; k < n; ++k) kernel->run(kernel, &args[k]);
  PetscCall(RungKernelDestroy(&kernel));
  PetscCall(tools_plans_destroy(&plans));
  PetscCall(PetscFree(args));
  free(memory);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* int_T phi_i phi_j = 2 |T| (1 + delta_ij) / 24 */
static PetscErrorCode test_mass_of_a_triangle(void)
{
  Tools   tools;
  double *out;

  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TRIANGLE, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(RungAlignedAlloc(9 * 8, &out));
  PetscCall(run_on(&tools, "u*v*dx", PETSC_TRUE, 1, 0, 9, out));
  for (PetscInt e = 0; e < 9; ++e) {
    for (PetscInt l = 0; l < 8; ++l) {
      const double size = (1. + (double)l) * (1. + (double)l);

      CHECK_NEAR(out[e * 8 + l], size * (e % 4 ? 1. : 2.) / 24, 1e-15 * size);
    }
  }
  free(out);
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

/* int grad phi_i . grad phi_j on a tetrahedron of edges s at a corner: s / 6 (3, -1; 1 on the diagonal, 0) */
static PetscErrorCode test_stiffness_of_a_tetrahedron(void)
{
  Tools   tools;
  double *out;

  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TETRAHEDRON, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(RungAlignedAlloc(16 * 8, &out));
  PetscCall(run_on(&tools, "inner(grad(u), grad(v))*dx", PETSC_TRUE, 1, 0, 16, out));
  for (PetscInt i = 0; i < 4; ++i) {
    for (PetscInt j = 0; j < 4; ++j) {
      const double wanted = i == 0 && j == 0 ? 3 : i == j ? 1 : i == 0 || j == 0 ? -1 : 0;

      for (PetscInt l = 0; l < 8; ++l) CHECK_NEAR(out[(i * 4 + j) * 8 + l], wanted * (1. + (double)l) / 6, 1e-14);
    }
  }
  free(out);
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

/* Kernels add; what a cell gets does not depend on how many batches go at once, to the bit: vectors, matrices that are
   computed with them and matrices that are computed batch by batch. */
static PetscErrorCode check_ahead(const char space[], const char text[], PetscBool jacobian, PetscInt entries)
{
  const PetscInt n = 5, all = n * entries * LANES;
  Tools          tools;
  double        *alone, *together;

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TRIANGLE, PETSC_FALSE, space, NULL, &tools));
  PetscCall(RungAlignedAlloc((size_t)all, &alone));
  PetscCall(RungAlignedAlloc((size_t)all, &together));
  PetscCall(run_on(&tools, text, jacobian, n, 0, entries, alone));
  PetscCall(run_on(&tools, text, jacobian, n, TOGETHER, entries, together));
  CHECK(alone[0] != 0 && alone[0] != alone[entries * LANES]);
  for (PetscInt i = 0; i < all; ++i) CHECK(alone[i] == together[i]);
  PetscCall(run_on(&tools, text, jacobian, n, TOGETHER, entries, together));
  for (PetscInt i = 0; i < all; ++i) CHECK_NEAR(together[i], 2 * alone[i], 1e-14 * (1e-3 + fabs(alone[i])));
  free(alone);
  free(together);
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_looking_ahead_does_not_change_results(void)
{
  static const char text[] = "exp(u)*kappa*(v + inner(grad(u), grad(v)))*dx";

  PetscCall(check_ahead("2", text, PETSC_FALSE, 6));
  PetscCall(check_ahead("1", text, PETSC_TRUE, 9));
  PetscCall(check_ahead("2^d", "inner(u, u)*inner(grad(u), grad(v))*dx", PETSC_TRUE, 144));
  PetscCall(check_ahead("1^d", "inner(u, u)*inner(sym(grad(u)), grad(v))*dx", PETSC_TRUE, 36));
  return PETSC_SUCCESS;
}

static PetscErrorCode check_claim(const char space[], const char text[], PetscBool jacobian, PetscInt entries, int how)
{
  const PetscInt n = 3, all = n * entries * LANES;
  Tools          tools;
  double        *added, *set;

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TRIANGLE, PETSC_FALSE, space, NULL, &tools));
  PetscCall(RungAlignedAlloc((size_t)all, &added));
  PetscCall(RungAlignedAlloc((size_t)all, &set));
  for (PetscInt i = 0; i < all; ++i) set[i] = NAN;
  PetscCall(run_on(&tools, text, jacobian, n, how, entries, added));
  PetscCall(run_on(&tools, text, jacobian, n, how | CLAIMED, entries, set));
  for (PetscInt i = 0; i < all; ++i) CHECK(set[i] == added[i]);
  free(added);
  free(set);
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks of all kinds of coefficients, symmetric ones, and entries that no block writes. */
static PetscErrorCode test_what_is_set_need_not_be_cleared(void)
{
  for (int how = 0; how <= TOGETHER; ++how) {
    PetscCall(check_claim("1", "inner(grad(u), grad(v))*dx", PETSC_TRUE, 9, how));
    PetscCall(check_claim("2", "(u*u*v + inner(grad(u), grad(v)))*dx(degree: 4)", PETSC_TRUE, 36, how));
    PetscCall(check_claim("2", "(u*u*v + inner(grad(u), grad(v)))*dx(degree: 4)", PETSC_FALSE, 6, how));
    PetscCall(check_claim("1^d", "inner(u, u)*inner(sym(grad(u)), grad(v))*dx", PETSC_TRUE, 36, how));
    PetscCall(check_claim("1^d", "(u[0]*v[0] + grad(u)[0, 1]*v[1])*dx(degree: 2)", PETSC_TRUE, 36, how));
    PetscCall(check_claim("1^d", "u[1]*v[1]*dx", PETSC_FALSE, 6, how));
  }
  return PETSC_SUCCESS;
}

/* A long expression: registers are shared, yet nothing is overwritten too early. */
static PetscErrorCode test_registers_are_shared_safely(void)
{
  Tools     tools;
  PetscReal value;
  double    wanted = 0;

  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_POINT, PETSC_FALSE, "0", NULL, &tools));
  PetscCall(tools_value(&tools,
                        "a = x[0] + 1; b = a*a - x[0]; c = sqrt(a*b); e = exp(-c); f = a/b + b/c + c/(1 + e);"
                        "(f*f - a*e + (b - c)*(b + c)/(1 + f) + sin(a)*cos(b))*dx",
                        &value));
  for (int i = 0; i < 11; ++i) {
    const double a = i + 1, b = a * a - i, c = sqrt(a * b), e = exp(-c), f = a / b + b / c + c / (1 + e);

    wanted += f * f - a * e + (b - c) * (b + c) / (1 + f) + sin(a) * cos(b);
  }
  CHECK_NEAR(value, wanted, 1e-12 * fabs(wanted));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_mass_of_a_triangle), RUNG_TEST(test_stiffness_of_a_tetrahedron),
               RUNG_TEST(test_looking_ahead_does_not_change_results), RUNG_TEST(test_what_is_set_need_not_be_cleared),
               RUNG_TEST(test_registers_are_shared_safely))
