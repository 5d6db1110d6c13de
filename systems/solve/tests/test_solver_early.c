/* test_solver_early.c - what iterations that are left are taken to cost. */
#include "check.h"
#include "form_problems.h"
#include "levels_impl.h"

/* A porous body and the pressure in it: an iteration of levels with whole rows is twelve products, so that twenty of them in each of ten solves take
   longer than factors, and two in one solve do not. */
static PetscErrorCode test_levels_with_whole_rows_make_place_for_factors(void)
{
  static const PetscInt  ahead[] = {10, 1};
  static const PetscReal left[] = {20, 2}, slope[] = {1, 1, 10, 10};
  RungSolverKind         other;
  RungSystem             sys;
  PetscBool              faster;
  Vec                    u[2];
  Mat                    J;

  PetscFunctionBegin;
  PetscCall(system_create("hexahedron", 3, 4, "Q2^d", &sys));
  PetscCall(add_unknown(sys, "p", "q", "Q1"));
  PetscCall(RungSystemAddResidual(sys, "inner(sym(grad(u)), sym(grad(v)))*dx - p*div(v)*dx"));
  PetscCall(RungSystemAddResidual(sys, "(div(dt(u)) + 0.01*dt(p))*q*dx + 1e-3*inner(grad(p), grad(q))*dx"));
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungSystemCreateVec(sys, &u[0]));
  PetscCall(VecZeroEntries(u[0]));
  u[1] = u[0];
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemJacobian(sys, 0, u, slope, J));
  for (int i = 0; i < 2; ++i) {
    PetscCall(RungSystemSetSolvesAhead(sys, ahead[i], 0));
    PetscCall(RungSolverIsOtherFaster(sys, RUNG_BY_LEVELS, J, left[i], &other, &faster));
    CHECK(other == RUNG_BY_FACTORS && faster == (i ? PETSC_FALSE : PETSC_TRUE));
  }
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&u[0]));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_levels_with_whole_rows_make_place_for_factors))
