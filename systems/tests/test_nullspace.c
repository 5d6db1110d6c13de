/* test_nullspace.c - what is found by trying: constants, rigid motions, pressures; splits by name. */
#include "check.h"
#include "form_problems.h"

static PetscErrorCode dimensions(RungSystem sys, PetscInt *near, PetscInt *null)
{
  MatNullSpace space;
  Mat          J;

  PetscFunctionBegin;
  *near = *null = 0;
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(MatGetNearNullSpace(J, &space));
  if (space) PetscCall(MatNullSpaceGetVecs(space, NULL, near, NULL));
  PetscCall(MatGetNullSpace(J, &space));
  if (space) PetscCall(MatNullSpaceGetVecs(space, NULL, null, NULL));
  PetscCall(MatDestroy(&J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_elasticity_has_its_rigid_motions(void)
{
  const char *const residual[]  = {"inner(dt(u, 2), v)*dx + inner(2*sym(grad(u)), grad(v))*dx",
                                   "inner(sym(grad(u)), grad(v))*dx + inner(u, u)*inner(u, v)*dx",
                                   "inner(grad(u), grad(v))*dx", "inner(grad(u), grad(v))*dx + u[0]*v[0]*dx"};
  const PetscInt    wanted[][2] = {{6, 0}, {6, 6}, {3, 3}, {2, 2}};

  PetscFunctionBegin;
  for (int i = 0; i < 4; ++i) {
    RungSystem sys;
    PetscInt   near, null;

    PetscCall(system_create("tetrahedron", 3, 2, "P1^d", &sys));
    PetscCall(RungSystemAddResidual(sys, residual[i]));
    PetscCall(dimensions(sys, &near, &null));
    CHECK_NEAR((double)near, (double)wanted[i][0], 0);
    CHECK_NEAR((double)null, (double)wanted[i][1], 0);
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode stokes(RungSystem *sys)
{
  RungSpace            velocity, pressure;
  const RungSpaceData *data;

  PetscFunctionBegin;
  PetscCall(space_create("triangle", 2, 4, "P2^d", &velocity));
  PetscCall(RungSpaceGetData(velocity, &data));
  PetscCall(RungSpaceCreate(data->mesh, "P1", &pressure));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", velocity));
  PetscCall(RungSystemAddUnknown(*sys, "p", "q", pressure));
  PetscCall(RungSystemAddResidual(*sys, "inner(grad(u), grad(v))*dx - p*div(v)*dx - q*div(u)*dx - x[1]*v[0]*dx"));
  PetscCall(RungSpaceDestroy(&velocity));
  PetscCall(RungSpaceDestroy(&pressure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Closed: the pressure's constant is open and the start solves for the rest; with an outlet it is not. */
static PetscErrorCode test_a_closed_flow_leaves_the_pressure_open(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  PetscInt            near, null;
  PetscReal           value;

  PetscFunctionBegin;
  PetscCall(stokes(&sys));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
  PetscCall(dimensions(sys, &near, &null));
  CHECK(near == 2 && null == 0);
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(stokes(&sys));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", "0"));
  PetscCall(RungSystemAddQuantity(sys, "vorticity", "(grad(u)[1,0] - grad(u)[0,1])^2*dx"));
  PetscCall(dimensions(sys, &near, &null));
  CHECK(null == 1);
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungTransientSystemStart(ts, 0));
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  PetscCall(RungSystemEvaluateQuantities(sys, 0, state->u, &value));
  CHECK(value > 1e-5 && value < 1e-2);
  PetscCall(VecSum(state->u[0], &value));
  CHECK(!PetscIsInfOrNanReal(value));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_field_splits_have_the_names_of_unknowns(void)
{
  const char *const option[][2] = {{"-pc_type", "fieldsplit"},
                                   {"-pc_fieldsplit_type", "schur"},
                                   {"-fieldsplit_u_ksp_type", "preonly"},
                                   {"-fieldsplit_u_pc_type", "jacobi"},
                                   {"-fieldsplit_p_pc_type", "none"}};
  RungSystem        sys;
  KSP               ksp, *sub;
  PC                pc;
  Mat               J;
  Vec               u[1];
  PetscInt          n;
  const PetscReal   sigma[] = {1, 1};
  PetscBool         same;

  PetscFunctionBegin;
  PetscCall(stokes(&sys));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
  for (int i = 0; i < 5; ++i) PetscCall(PetscOptionsSetValue(NULL, option[i][0], option[i][1]));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemCreateVec(sys, &u[0]));
  PetscCall(VecZeroEntries(u[0]));
  PetscCall(RungSystemJacobian(sys, 0, u, sigma, J));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(RungSystemSetSolverDefaults(sys, ksp, RUNG_SOLVE_ONCE));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSetOperators(ksp, J, J));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCFieldSplitGetSubKSP(pc, &n, &sub));
  CHECK(n == 2);
  PetscCall(KSPGetPC(sub[0], &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCJACOBI, &same));
  CHECK(same);
  PetscCall(PetscFree(sub));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&u[0]));
  for (int i = 0; i < 5; ++i) PetscCall(PetscOptionsClearValue(NULL, option[i][0]));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_elasticity_has_its_rigid_motions), RUNG_TEST(test_a_closed_flow_leaves_the_pressure_open),
               RUNG_TEST(test_field_splits_have_the_names_of_unknowns))
