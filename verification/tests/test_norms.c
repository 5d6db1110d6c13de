/* test_norms.c - norms against integrals done by hand, and their refusals; the derivative test. */
#include "check.h"
#include "rungverify.h"

/* u = x y on the unit square in P2, one residual that makes the system complete. */
static PetscErrorCode square(RungSystem *sys, Vec *u, const char residual[])
{
  RungMesh  mesh;
  RungSpace V;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){3, 2}, (PetscReal[]){1, 1}));
  PetscCall(RungSpaceCreate(mesh, "P2", &V));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", V));
  PetscCall(RungSystemSetConstant(*sys, "a", 2));
  PetscCall(RungSystemAddResidual(*sys, residual));
  PetscCall(RungSystemSetInitial(*sys, "u", "x[0]*x[1]"));
  PetscCall(RungSystemSetUp(*sys));
  PetscCall(RungSystemCreateVec(*sys, u));
  PetscCall(RungSystemInitial(*sys, 0, 0, *u));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |xy|^2 = 1/9, |grad xy|^2 = |(y, x)|^2 = 2/3, max 1. */
static PetscErrorCode test_norms_of_a_product_of_coordinates(void)
{
  RungSystem sys;
  Vec        u;
  PetscReal  value;

  PetscFunctionBegin;
  PetscCall(square(&sys, &u, "dt(u)*v*dx"));
  PetscCall(RungNorm(sys, "u", "L2", u, &value));
  CHECK_NEAR(value, 1. / 3, 1e-14);
  PetscCall(RungNorm(sys, "u", "H1", u, &value));
  CHECK_NEAR(value, sqrt(1. / 9 + 2. / 3), 1e-14);
  PetscCall(RungNorm(sys, "u", "max", u, &value));
  CHECK_NEAR(value, 1, 1e-14);
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u_h - (xy + t a) is t a everywhere: 1 at t = 1/2, a = 2. */
static PetscErrorCode test_errors_see_time_and_constants(void)
{
  RungSystem sys;
  Vec        u;
  PetscReal  error, size;

  PetscFunctionBegin;
  PetscCall(square(&sys, &u, "dt(u)*v*dx"));
  PetscCall(RungError(sys, "u", "L2", "x[0]*x[1] + t*a", 0.5, u, &error, &size));
  CHECK_NEAR(error, 1, 1e-13);
  CHECK_NEAR(size, sqrt(1. / 9 + 0.5 + 1), 1e-13);
  PetscCall(RungError(sys, "u", "max", "x[0]*x[1] + t*a", 0.5, u, &error, &size));
  CHECK_NEAR(error, 1, 1e-13);
  CHECK_NEAR(size, 2, 1e-13);
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The square of x y - x^4 has degree 8, four more than that of P2: 1/9 - 1/6 + 1/9. */
static PetscErrorCode test_errors_are_integrated_beyond_the_degree_of_the_space(void)
{
  RungSystem sys;
  Vec        u;
  PetscReal  error, size;

  PetscFunctionBegin;
  PetscCall(square(&sys, &u, "dt(u)*v*dx"));
  PetscCall(RungError(sys, "u", "L2", "x[0]^4", 0, u, &error, &size));
  CHECK_NEAR(error, sqrt(1. / 18), 1e-14);
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_unknown_names_are_refused(void)
{
  RungSystem sys;
  Vec        u;
  PetscReal  value, size;

  PetscFunctionBegin;
  PetscCall(square(&sys, &u, "dt(u)*v*dx"));
  CHECK_RAISES(RungNorm(sys, "u", "L3", u, &value), "use L2, H1 or max");
  CHECK_RAISES(RungNorm(sys, "u", NULL, u, &value), "a norm without a name");
  CHECK_RAISES(RungSystemNorm(sys, "u", NULL, (RungNormType)7, 0, &u, &value), "a norm of type 7, wanted RUNG_NORM_L2");
  CHECK_RAISES(RungNorm(sys, "w", "L2", u, &value), "no unknown is named \"w\"");
  CHECK_RAISES(RungError(sys, "u", "L2", "x[0]*q", 0, u, &value, &size), "unknown name \"q\"");
  CHECK_RAISES(RungError(sys, "u", "max", "x[0]*q", 0, u, &value, &size), "unknown name \"q\"");
  CHECK_RAISES(RungError(sys, "u", "L2", "0*x[0] + u", 0, u, &value, &size),
               "the exact solution 0*x[0] + u holds the unknown \"u\", which is what is tested");
  CHECK_RAISES(RungError(sys, "u", "max", "x[0] + u", 0, u, &value, &size), "given data hold \"u\"");
  PetscCall(PetscOptionsSetValue(NULL, "-form_lanes", "3")); /* kernels of norms go by the options of all forms */
  CHECK_RAISES(RungNorm(sys, "u", "L2", u, &value), "-form_lanes is 3");
  PetscCall(PetscOptionsClearValue(NULL, "-form_lanes"));
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode slope(const char residual[], PetscReal *rate)
{
  const PetscReal sigma[] = {1, 3, 0};
  RungSystem      sys;
  Vec             u[RUNG_MAX_ORDER + 1] = {NULL, NULL, NULL};

  PetscFunctionBegin;
  PetscCall(square(&sys, &u[0], residual));
  PetscCall(VecDuplicate(u[0], &u[1]));
  PetscCall(VecCopy(u[0], u[1]));
  PetscCall(RungTaylorTest(sys, 0.3, u, sigma, rate));
  PetscCall(VecDestroy(&u[0]));
  PetscCall(VecDestroy(&u[1]));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_derivative_test_sees_slope_two_and_affine_forms(void)
{
  PetscReal rate;

  PetscFunctionBegin;
  PetscCall(slope("dt(u)*v*dx + (1 + u^2)*inner(grad(u), grad(v))*dx + exp(u)*v*ds", &rate));
  CHECK_NEAR(rate, 2, 0.05);
  PetscCall(slope("dt(u)*v*dx + inner(grad(u), grad(v))*dx - x[0]*v*dx", &rate));
  CHECK(PetscIsInfReal(rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_norms_of_a_product_of_coordinates), RUNG_TEST(test_errors_see_time_and_constants),
               RUNG_TEST(test_errors_are_integrated_beyond_the_degree_of_the_space),
               RUNG_TEST(test_unknown_names_are_refused),
               RUNG_TEST(test_the_derivative_test_sees_slope_two_and_affine_forms))
