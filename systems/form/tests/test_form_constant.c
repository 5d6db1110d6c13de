/* test_form_constant.c - what is made of constant blocks equals what is assembled. */
#include "check.h"
#include "form_problems.h"
#include "vectors.h"

/* A damped, loaded membrane with moving boundary values; order 2. */
static PetscErrorCode create(PetscReal damping, RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 16, "P1", sys));
  PetscCall(RungSystemSetConstant(*sys, "c", damping));
  PetscCall(RungSystemAddResidual(*sys, "dt(dt(u))*v*dx + c*dt(u)*v*dx + inner(grad(u), grad(v))*dx - x[0]*v*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "sin(t)*x[1]"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does the view say so? */
static PetscErrorCode view_has(RungSystem sys, const char what[], PetscBool *has)
{
  char        text[8192] = "";
  PetscViewer viewer;
  FILE       *file = tmpfile();
  size_t      n;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_WORLD, file, &viewer));
  PetscCall(RungSystemView(sys, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  rewind(file);
  n       = fread(text, 1, sizeof text - 1, file);
  text[n] = 0;
  (void)fclose(file);
  *has = strstr(text, what) ? PETSC_TRUE : PETSC_FALSE;
  PetscCallMPI(MPI_Bcast(has, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_residuals_by_products_equal_assembled_ones(void)
{
  RungSystem sys;
  PetscReal  distance;
  PetscBool  has;
  Vec        v[5];
  Mat        J;

  PetscCall(create(0.3, &sys));
  PetscCall(vecs_create(sys, 5, v));
  PetscCall(RungSystemResidual(sys, 0, v, v[3])); /* no matrix is there, so it is assembled */
  PetscCall(view_has(sys, "by products", &has));
  CHECK(!has);
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemResidual(sys, 0, v, v[4]));
  PetscCall(view_has(sys, "1 residuals by products", &has));
  CHECK(has);
  PetscCall(vec_distance(v[3], v[4], &distance));
  CHECK_NEAR(distance, 0, 1e-13);
  PetscCall(MatDestroy(&J));
  PetscCall(vecs_destroy(5, v));
  PetscCall(RungSystemDestroy(&sys));
  return PETSC_SUCCESS;
}

/* F and F with its load at other times; the smaller mesh is assembled as a whole. */
static PetscErrorCode test_loads_that_move_are_added_to_products(void)
{
  const PetscInt count[2] = {8, 21};
  PetscReal      sum[2], size;
  PetscBool      has;

  for (int i = 0; i < 2; ++i) {
    RungSystem sys;
    Vec        v[5];
    Mat        J;

    PetscCall(system_create("tetrahedron", 3, count[i], "P1", &sys));
    PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx - exp(t)*v*dx - sin(t)*v*ds"));
    PetscCall(RungSystemCreateMat(sys, &J));
    PetscCall(vecs_create(sys, 5, v));
    PetscCall(VecSet(v[0], 0.5));
    PetscCall(VecSet(v[1], 0.25));
    PetscCall(RungSystemResidual(sys, 0.5, v, v[3]));
    PetscCall(RungSystemResidual(sys, 2, v, v[3]));
    PetscCall(VecSum(v[3], &sum[i])); /* F(1) over the unit cube */
    PetscCall(VecNorm(v[3], NORM_2, &size));
    CHECK(size > 0);
    CHECK_NEAR(sum[i], 0.25 - exp(2) - 6 * sin(2), 1e-11);
    PetscCall(view_has(sys, "2 residuals by products", &has));
    CHECK(has == (i ? PETSC_TRUE : PETSC_FALSE));
    PetscCall(MatDestroy(&J));
    PetscCall(vecs_destroy(5, v));
    PetscCall(RungSystemDestroy(&sys));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_combined_jacobians_equal_assembled_ones(void)
{
  const PetscReal sigma[] = {1, 20, 300};
  RungSystem      sys;
  PetscReal       norm, size;
  PetscBool       has;
  Vec             v[3];
  Mat             J, K;

  PetscCall(create(0.3, &sys));
  PetscCall(vecs_create(sys, 3, v));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemCreateMat(sys, &K));
  PetscCall(RungSystemJacobian(sys, 0, v, sigma, J));
  for (int i = 0; i < 4; ++i) PetscCall(RungSystemJacobian(sys, 0, v, sigma, K));
  PetscCall(view_has(sys, "Jacobians combined", &has));
  CHECK(has);
  PetscCall(MatNorm(J, NORM_FROBENIUS, &size));
  PetscCall(MatAXPY(K, -1, J, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(K, NORM_FROBENIUS, &norm));
  CHECK_NEAR(norm / size, 0, 1e-14);
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&K));
  PetscCall(vecs_destroy(3, v));
  PetscCall(RungSystemDestroy(&sys));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_blocks_follow_the_constants(void)
{
  RungSystem sys[2];
  PetscReal  distance;
  Vec        v[5];
  Mat        J;

  PetscCall(create(0.3, &sys[0]));
  PetscCall(create(0.7, &sys[1]));
  PetscCall(vecs_create(sys[0], 5, v));
  PetscCall(RungSystemCreateMat(sys[0], &J));
  PetscCall(RungSystemResidual(sys[0], 0, v, v[3]));
  PetscCall(RungSystemSetConstant(sys[0], "c", 0.7));
  PetscCall(RungSystemResidual(sys[0], 0, v, v[3]));
  PetscCall(RungSystemResidual(sys[1], 0, v, v[4]));
  PetscCall(vec_distance(v[3], v[4], &distance));
  CHECK_NEAR(distance, 0, 1e-13);
  PetscCall(MatDestroy(&J));
  PetscCall(vecs_destroy(5, v));
  for (int i = 0; i < 2; ++i) PetscCall(RungSystemDestroy(&sys[i]));
  return PETSC_SUCCESS;
}

/* A load, a boundary value and a constraint's data leave matrices as they are; a stiffness does not, nor what the mass alone holds. */
static PetscErrorCode test_matrices_are_stale_by_what_they_hold(void)
{
  static const struct {
    const char *name;
    PetscBool   stale;
  } constant[] = {
    {"load", PETSC_FALSE}, {"edge", PETSC_FALSE}, {"push", PETSC_FALSE}, {"k", PETSC_TRUE}, {"rho", PETSC_TRUE}};
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 4, "P1^2", &sys));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(constant); ++i)
    PetscCall(RungSystemSetConstant(sys, constant[i].name, 1));
  PetscCall(RungSystemAddResidual(sys, "rho*inner(dt(u), v)*dx + k*inner(grad(u), grad(v))*dx - (load + k)*v[0]*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "edge*t*vector(1, 1)"));
  PetscCall(RungSystemSetSlip(sys, "u", "right", "push*t"));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(constant); ++i) {
    PetscInt64 before, after;

    PetscCall(RungSystemGetDataState(sys, &before));
    PetscCall(RungSystemSetConstant(sys, constant[i].name, 2));
    PetscCall(RungSystemGetDataState(sys, &after));
    CHECK((before != after) == constant[i].stale);
  }
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_residuals_by_products_equal_assembled_ones),
               RUNG_TEST(test_loads_that_move_are_added_to_products),
               RUNG_TEST(test_combined_jacobians_equal_assembled_ones), RUNG_TEST(test_blocks_follow_the_constants),
               RUNG_TEST(test_matrices_are_stale_by_what_they_hold))
