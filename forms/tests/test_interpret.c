/* test_interpret.c - the interpreter against integrals done by hand, and against itself with other lanes. */
#include "kernel_tools.h"

/* One reference triangle or tetrahedron in each lane, scaled by 1 + lane. */
static void Simplices(PetscInt dim, PetscInt lanes, double x[])
{
  for (PetscInt i = 0; i <= dim; ++i) {
    for (PetscInt a = 0; a < dim; ++a) {
      for (PetscInt l = 0; l < lanes; ++l) x[(i * dim + a) * lanes + l] = i == a + 1 ? 1 + (double)l : 0;
    }
  }
}

/* Runs the first integral on lanes of scaled simplices. */
static PetscErrorCode RunOn(Tools *tools, const char text[], PetscBool jacobian, PetscInt lanes, const double u[],
                            double out[])
{
  ToolsPlans     plans;
  RungKernel     kernel;
  const double   sigma[6] = {1, 1, 1, 1, 1, 1};
  double        *x;
  RungKernelArgs args = {.u = u, .sigma = sigma, .out = out};

  PetscFunctionBegin;
  PetscCall(RungAlignedAlloc(12 * (size_t)lanes, &x));
  Simplices(tools->data->dim, lanes, x);
  args.x = x;
  (void)RungScopeConstants(tools->scope, &args.constant);
  PetscCall(ToolsLower(tools, text, jacobian, -1, &plans));
  PetscCall(RungKernelCreateInterpreter(plans.plan[0], lanes, &kernel));
  kernel->run(kernel, &args);
  PetscCall(RungKernelDestroy(&kernel));
  PetscCall(ToolsPlansDestroy(&plans));
  free(x);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* int_T phi_i phi_j = 2 |T| (1 + delta_ij) / 24 */
static PetscErrorCode test_mass_of_a_triangle(void)
{
  Tools   tools;
  double *out;

  PetscCall(ToolsCreate(PETSC_COMM_SELF, RUNG_TRIANGLE, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(RungAlignedAlloc(9 * 8, &out));
  PetscCall(RunOn(&tools, "u*v*dx", PETSC_TRUE, 8, NULL, out));
  for (PetscInt e = 0; e < 9; ++e) {
    for (PetscInt l = 0; l < 8; ++l) {
      const double size = (1. + (double)l) * (1. + (double)l);

      CHECK_NEAR(out[e * 8 + l], size * (e % 4 ? 1. : 2.) / 24, 1e-15 * size);
    }
  }
  free(out);
  PetscCall(ToolsDestroy(&tools));
  return PETSC_SUCCESS;
}

/* int grad phi_i . grad phi_j on a tetrahedron of edges s at a corner: s / 6 (3, -1; 1 on the diagonal, 0) */
static PetscErrorCode test_stiffness_of_a_tetrahedron(void)
{
  Tools   tools;
  double *out;

  PetscCall(ToolsCreate(PETSC_COMM_SELF, RUNG_TETRAHEDRON, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(RungAlignedAlloc(16 * 8, &out));
  PetscCall(RunOn(&tools, "inner(grad(u), grad(v))*dx", PETSC_TRUE, 8, NULL, out));
  for (PetscInt i = 0; i < 4; ++i) {
    for (PetscInt j = 0; j < 4; ++j) {
      const double wanted = i == 0 && j == 0 ? 3 : i == j ? 1 : i == 0 || j == 0 ? -1 : 0;

      for (PetscInt l = 0; l < 8; ++l) CHECK_NEAR(out[(i * 4 + j) * 8 + l], wanted * (1. + (double)l) / 6, 1e-14);
    }
  }
  free(out);
  PetscCall(ToolsDestroy(&tools));
  return PETSC_SUCCESS;
}

/* Kernels add; a vector, whatever the lanes, is the same to the bit. */
static PetscErrorCode test_lanes_do_not_change_results(void)
{
  Tools   tools;
  double *u, *few, *many;

  PetscCall(ToolsCreate(PETSC_COMM_SELF, RUNG_TRIANGLE, PETSC_FALSE, "2", NULL, &tools));
  PetscCall(RungAlignedAlloc(6 * 64, &u));
  PetscCall(RungAlignedAlloc(6 * 8, &few));
  PetscCall(RungAlignedAlloc(6 * 64, &many));
  for (PetscInt i = 0; i < 6; ++i) {
    for (PetscInt l = 0; l < 64; ++l) u[i * 64 + l] = sin((double)(i + 1));
  }
  PetscCall(RunOn(&tools, "exp(u)*kappa*(v + inner(grad(u), grad(v)))*dx", PETSC_FALSE, 64, u, many));
  for (PetscInt i = 0; i < 6; ++i) {
    for (PetscInt l = 0; l < 8; ++l) u[i * 8 + l] = sin((double)(i + 1));
  }
  PetscCall(RunOn(&tools, "exp(u)*kappa*(v + inner(grad(u), grad(v)))*dx", PETSC_FALSE, 8, u, few));
  for (PetscInt i = 0; i < 6; ++i) {
    for (PetscInt l = 0; l < 8; ++l) CHECK(few[i * 8 + l] == many[i * 64 + l]);
  }
  PetscCall(RunOn(&tools, "exp(u)*kappa*(v + inner(grad(u), grad(v)))*dx", PETSC_FALSE, 8, u, few));
  CHECK_NEAR(few[0], 2 * many[0], 1e-14 * fabs(many[0]));
  free(u);
  free(few);
  free(many);
  PetscCall(ToolsDestroy(&tools));
  return PETSC_SUCCESS;
}

/* A long expression: registers are shared, yet nothing is overwritten too early. */
static PetscErrorCode test_registers_are_shared_safely(void)
{
  Tools     tools;
  PetscReal value;
  double    wanted = 0;

  PetscCall(ToolsCreate(PETSC_COMM_SELF, RUNG_POINT, PETSC_FALSE, "0", NULL, &tools));
  PetscCall(ToolsValue(&tools,
                       "a = x[0] + 1; b = a*a - x[0]; c = sqrt(a*b); e = exp(-c); f = a/b + b/c + c/(1 + e);"
                       "(f*f - a*e + (b - c)*(b + c)/(1 + f) + sin(a)*cos(b))*dx",
                       &value));
  for (int i = 0; i < 11; ++i) {
    const double a = i + 1, b = a * a - i, c = sqrt(a * b), e = exp(-c), f = a / b + b / c + c / (1 + e);

    wanted += f * f - a * e + (b - c) * (b + c) / (1 + f) + sin(a) * cos(b);
  }
  CHECK_NEAR(value, wanted, 1e-12 * fabs(wanted));
  PetscCall(ToolsDestroy(&tools));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_mass_of_a_triangle), RUNG_TEST(test_stiffness_of_a_tetrahedron),
               RUNG_TEST(test_lanes_do_not_change_results), RUNG_TEST(test_registers_are_shared_safely))
