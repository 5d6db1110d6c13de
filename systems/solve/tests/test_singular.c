/* test_singular.c - matrices that are singular for a reason, and one that is not. */
#include "check.h"
#include "form_problems.h"

/* dt(u) = .. and a second unknown p with its equation `text`; data on u if `fix`. */
static PetscErrorCode explain(const char text[], const char fix[], char why[256])
{
  const PetscReal sigma[4] = {1, 1, 10, 0}; /* [k][unknown] */
  RungSpace       space;
  RungSystem      sys;
  Vec             u[2];
  Mat             J;

  PetscFunctionBegin;
  PetscCall(space_create("triangle", 2, 3, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddUnknown(sys, "p", "q", space));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx"));
  PetscCall(RungSystemAddResidual(sys, text));
  if (fix) PetscCall(RungSystemSetDirichlet(sys, "p", fix, "0"));
  for (int k = 0; k < 2; ++k) {
    PetscCall(RungSystemCreateVec(sys, &u[k]));
    PetscCall(VecZeroEntries(u[k]));
  }
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemJacobian(sys, 0, u, sigma, J));
  PetscCall(RungSystemExplainSingular(sys, J, why, 256));
  PetscCall(MatDestroy(&J));
  for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&u[k]));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_an_unknown_without_a_level_is_named(void)
{
  char why[256];

  PetscFunctionBegin;
  PetscCall(explain("inner(grad(p), grad(q))*dx", NULL, why));
  CHECK(strstr(why, "\"p\" is known up to a constant only"));
  PetscCall(explain("inner(grad(p), grad(q))*dx", "left", why));
  CHECK(!why[0]);
  PetscCall(explain("inner(grad(p), grad(q))*dx + 1e-3*p*q*dx", NULL, why));
  CHECK(!why[0]);
  PetscCall(explain("1e-15*inner(grad(p), grad(q))*dx + 1e-15*p*q*dx", NULL, why)); /* far smaller than that of u */
  CHECK(!why[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_an_equation_without_unknowns_is_named(void)
{
  char why[256];

  PetscFunctionBegin;
  PetscCall(explain("(p - u)*q*ds(left)", NULL, why));
  CHECK(strstr(why, "one of \"p\", holds no unknown"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest entry of a row is 0 where it is no number: that is no row of zeros. */
static PetscErrorCode test_an_equation_whose_jacobian_is_no_number_is_named(void)
{
  char why[256];

  PetscFunctionBegin;
  PetscCall(explain("p*q*dx + log(u - 1)*p*q*ds(left)", NULL, why));
  CHECK(strstr(why, "one of \"p\", has entries that are not finite"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_an_unknown_without_a_level_is_named),
               RUNG_TEST(test_an_equation_whose_jacobian_is_no_number_is_named),
               RUNG_TEST(test_an_equation_without_unknowns_is_named))
