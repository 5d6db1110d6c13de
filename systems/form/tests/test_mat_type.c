/* test_mat_type.c - matrices of other types multiply like AIJ's; systems that they do not fit are refused. */
#include "system_impl.h"
#include "form_problems.h"
#include <check.h>

static const char *const elastic = "inner(dt(u), v)*dx + inner(sym(grad(u)), sym(grad(v)))*dx";

static PetscErrorCode create(const char type[], const char spec[], const char residual[], RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-system_mat_type", type));
  PetscCall(system_create("triangle", 2, 3, spec, sys));
  PetscCall(RungSystemAddResidual(*sys, residual));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "0"));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(PetscOptionsClearValue(NULL, "-system_mat_type"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J x with x = 1, 2, .. */
static PetscErrorCode product(const char type[], Vec *y)
{
  const PetscReal slope[] = {1, 30};
  RungSystem      sys;
  Mat             J;
  Vec             u[2], x;
  PetscInt        start, end;
  MatType         made;

  PetscFunctionBegin;
  PetscCall(create(type, "P2^d", elastic, &sys));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(MatGetType(J, &made));
  CHECK(strstr(made, type) != NULL);
  for (int k = 0; k < 2; ++k) PetscCall(RungSystemCreateVec(sys, &u[k]));
  for (int k = 0; k < 4; ++k) PetscCall(RungSystemStageJacobian(sys, 0, u, slope, J)); /* constant blocks in the end */
  PetscCall(VecDuplicate(u[0], &x));
  PetscCall(VecDuplicate(u[0], y));
  PetscCall(VecGetOwnershipRange(x, &start, &end));
  for (PetscInt i = start; i < end; ++i) PetscCall(VecSetValue(x, i, 1 + (PetscReal)i, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(x));
  PetscCall(VecAssemblyEnd(x));
  PetscCall(MatMult(J, x, *y));
  CHECK(sys->counts.combined > 0);
  for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&u[k]));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&J));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_products_are_those_of_aij(void)
{
  static const char *const type[] = {"baij", "sbaij", "sell", "is", "aijperm", "aijsell", "dense"};
  Vec                      y[2];
  PetscReal                size, norm;

  PetscCall(product("aij", &y[0]));
  PetscCall(VecNorm(y[0], NORM_2, &size));
  CHECK(size > 1);
  for (size_t i = 0; i < sizeof type / sizeof type[0]; ++i) {
    PetscCall(product(type[i], &y[1]));
    PetscCall(VecAXPY(y[1], -1, y[0]));
    PetscCall(VecNorm(y[1], NORM_2, &norm));
    CHECK_NEAR(norm, 0, 1e-13 * size);
    PetscCall(VecDestroy(&y[1]));
  }
  PetscCall(VecDestroy(&y[0]));
  return PETSC_SUCCESS;
}

/* What bounds leave free is solved for on single rows. */
static PetscErrorCode check_bounds(void)
{
  static const char *const type[] = {"shell", "sell", "aijperm", "is", "baij", "sbaij", "dense"};
  const char *const        spec[] = {"P1", "P1^d"};
  RungSystem               sys;
  Mat                      J;

  for (int i = 0; i < 7; ++i) {
    for (int vectors = 0; vectors < 2; ++vectors) {
      PetscCall(create(type[i], spec[vectors], vectors ? elastic : "dt(u)*v*dx + inner(grad(u), grad(v))*dx", &sys));
      PetscCall(RungSystemSetBounds(sys, "u", "0", NULL));
      if (i < 4 || (i < 6 && vectors))
        CHECK_RAISES(RungSystemCreateMat(sys, &J), "beside bounds");
      else {
        PetscCall(RungSystemCreateMat(sys, &J));
        PetscCall(MatDestroy(&J));
      }
      PetscCall(RungSystemDestroy(&sys));
    }
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_what_does_not_fit_is_refused(void)
{
  RungSystem sys;
  Mat        J;
  KSP        ksp;
  PC         pc;

  PetscCall(create("sbaij", "P1", "dt(u)*v*dx + grad(u)[0]*v*dx", &sys));
  CHECK_RAISES(RungSystemCreateMat(sys, &J), "take -system_mat_type baij or aij");
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(create("baij", "P1", "dt(u)*v*dx", &sys));
  PetscCall(RungSystemAddPeriodic(sys, "u", "top", "bottom", NULL, NULL));
  CHECK_RAISES(RungSystemCreateMat(sys, &J), "cannot eliminate constraints");
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(check_bounds());
  PetscCall(create("sbaij", "P1", "dt(u)*v*dx", &sys));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCILU));
  CHECK_RAISES(RungSystemCheckSolver(sys, ksp), "take -pc_type icc");
  PetscCall(KSPDestroy(&ksp));
  PetscCall(RungSystemDestroy(&sys));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_products_are_those_of_aij), RUNG_TEST(test_what_does_not_fit_is_refused))
