/* test_solver_next.c - what follows where multigrid on degrees fails. */
#include "check.h"
#include "levels_impl.h"
#include "vectors.h"

#define ELASTIC "(inner(sym(grad(u)), sym(grad(v))) + 1.5*div(u)*div(v))*dx"

/* A plate a thousand times as wide as thick, held on one side; J by kernels. */
static PetscErrorCode make_plate(RungSystem *sys, Mat *J)
{
  const PetscReal slope[] = {1};
  RungMesh        mesh;
  RungSpace       space;
  Vec             u;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter")); /* few cells */
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "hexahedron", 3, (PetscInt[]){10, 10, 1}, (PetscReal[]){1, 1, 1e-3}));
  PetscCall(RungSpaceCreate(mesh, "Q2^d", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(*sys, ELASTIC));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "0"));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(RungSystemSetUp(*sys));
  PetscCall(RungSystemCreateVec(*sys, &u));
  PetscCall(VecZeroEntries(u));
  PetscCall(RungShellCreate(*sys, J));
  PetscCall(RungSystemStageJacobian(*sys, 0, &u, slope, *J));
  (*sys)->kappa = PETSC_INFINITY; /* nothing but stiffness */
  PetscCall(VecDestroy(&u));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Jacobi would take thousands of iterations, and rounding leaves more of b than was asked for, which is no failure of factors. */
static PetscErrorCode test_plates_are_factored_at_once_where_levels_fail(void)
{
  const RungSolverRow row = {.name = "levels", .kind = RUNG_BY_LEVELS};
  KSPConvergedReason  reason;
  RungSolverFacts     facts;
  RungSolver          choice;
  RungSystem          sys;
  PetscInt            its;
  Vec                 x, b;
  KSP                 ksp;
  Mat                 J;

  PetscCall(make_plate(&sys, &J));
  PetscCall(RungSystemCreateVec(sys, &x));
  PetscCall(VecDuplicate(x, &b));
  PetscCall(vec_fill(b, 4));
  PetscCall(RungSolverGather(sys, RUNG_SOLVE_KEPT, PETSC_TRUE, &facts));
  RungSolverFill(sys, &facts, &row, &choice);
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(RungSolverApply(sys, ksp, &choice));
  PetscCall(RungSolverWatch(sys, ksp, &choice));
  PetscCall(KSPSetOperators(ksp, J, J));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  CHECK(reason > 0 && its == 51);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&J));
  PetscCall(RungSystemDestroy(&sys));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_plates_are_factored_at_once_where_levels_fail))
