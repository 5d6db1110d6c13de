/* test_solver_given.c - preconditioners that the user names: each solves, or is refused. */
#include "check.h"
#include "form_problems.h"
#include "vectors.h"

/* Heat, which is definite, and transport, which is not symmetric. */
static PetscErrorCode problem_create_on(const char cell[], PetscInt dim, PetscInt n, PetscBool definite,
                                        RungSystem *sys, Mat *J)
{
  const PetscReal weight[] = {1, 10};
  Vec             v[2];

  PetscFunctionBegin;
  PetscCall(system_create(cell, dim, n, "P1", sys));
  PetscCall(RungSystemAddResidual(*sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"));
  if (!definite) PetscCall(RungSystemAddResidual(*sys, "5*grad(u)[0]*v*dx"));
  PetscCall(RungSystemCreateMat(*sys, J));
  PetscCall(vecs_create(*sys, 2, v));
  PetscCall(RungSystemJacobian(*sys, 0, v, weight, *J));
  PetscCall(vecs_destroy(2, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode problem_create(PetscBool definite, RungSystem *sys, Mat *J)
{
  PetscFunctionBegin;
  PetscCall(problem_create_on("triangle", 2, 4, definite, sys, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve as steppers do it; |J x - b| / |b|, -1 where the solver said that it gave up. */
static PetscErrorCode solve(RungSystem sys, Mat J, const char options[], PetscReal *left)
{
  KSPConvergedReason reason;
  PetscReal          size;
  Vec                x, b, r;
  KSP                ksp;

  PetscFunctionBegin;
  *left = 0;
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(RungSystemSetSolverDefaults(sys, ksp, RUNG_SOLVE_ONCE));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(MatCreateVecs(J, &x, &b));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(vec_fill(b, 4));
  PetscCall(KSPSetOperators(ksp, J, J));
  RungCallOrUndo(KSPSolve(ksp, b, x), PetscCall(VecDestroy(&x)); PetscCall(VecDestroy(&b)); PetscCall(VecDestroy(&r));
                 PetscCall(KSPDestroy(&ksp)); PetscCall(PetscOptionsClear(NULL)));
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(MatMult(J, x, r));
  PetscCall(vec_distance(r, b, left));
  PetscCall(VecNorm(b, NORM_INFINITY, &size));
  *left = reason < 0 ? -1 : *left / size;
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&r));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All that a matrix of rows has on any number of ranks; lu on several ranks is a matter of packages. */
static PetscErrorCode test_a_preconditioner_alone_gets_an_iteration(void)
{
  static const char *const type[] = {"none", "jacobi", "pbjacobi", "bjacobi", "asm",
                                     "gasm", "gamg",   "ksp",      "sor",     "redundant"};

  PetscFunctionBegin;
  for (int definite = 0; definite < 2; ++definite) {
    RungSystem sys;
    Mat        J;

    PetscCall(problem_create((PetscBool)definite, &sys, &J));
    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(type); ++i) {
      char      options[64];
      PetscReal left;

      PetscCall(PetscSNPrintf(options, sizeof options, "-pc_type %s", type[i]));
      PetscCall(solve(sys, J, options, &left));
      CHECK_NEAR(left, 0, 1e-8);
    }
    PetscCall(MatDestroy(&J));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_does_not_solve_is_refused(void)
{
  RungSystem sys;
  Mat        J;
  PetscReal  left;

  PetscFunctionBegin;
  PetscCall(problem_create(PETSC_TRUE, &sys, &J));
  CHECK_RAISES(solve(sys, J, "-ksp_type preonly -pc_type jacobi", &left), "take an iteration");
  CHECK_RAISES(solve(sys, J, "-ksp_type preonly -pc_type bjacobi -sub_pc_type icc", &left), "-ksp_type preonly with");
  CHECK_RAISES(solve(sys, J, "-ksp_type cg -pc_type lmvm", &left), "of a linear system unsolved");
  CHECK_RAISES(solve(sys, J, "-ksp_type richardson -pc_type jacobi -ksp_max_it 2 -ksp_convergence_test skip", &left),
               "unsolved");
  PetscCall(solve(sys, J, "-ksp_type preonly -pc_type redundant", &left));
  CHECK_NEAR(left, 0, 1e-8);
  PetscCall(solve(sys, J, "-pc_type jacobi -ksp_rtol 1e-3", &left)); /* as asked for */
  CHECK(left > 1e-8 && left < 0.1);
  PetscCall(MatDestroy(&J));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_defaults(RungSystem sys, const char options[])
{
  KSP ksp;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  RungCallFinally(RungSystemSetSolverDefaults(sys, ksp, RUNG_SOLVE_ONCE), PetscCall(KSPDestroy(&ksp));
                  PetscCall(PetscOptionsClear(NULL)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A multiplier in R, which gave what is not finite; a pressure has a Schur complement. */
static PetscErrorCode test_splits_with_a_block_of_zeros_are_refused(void)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 4, "P1", &sys));
  PetscCall(add_unknown(sys, "m", "q", "R"));
  PetscCall(RungSystemAddResidual(sys, "inner(grad(u), grad(v))*dx + m*v*dx + u*q*dx - x[0]*v*dx"));
  CHECK_RAISES(set_defaults(sys, "-pc_type fieldsplit"), "its block is zero");
  PetscCall(set_defaults(sys, "-pc_type fieldsplit -pc_fieldsplit_type schur"));
  PetscCall(set_defaults(sys, "-pc_type fieldsplit -fieldsplit_m_pc_type none"));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(system_create("triangle", 2, 4, "P2^d", &sys));
  PetscCall(add_unknown(sys, "p", "q", "P1"));
  PetscCall(RungSystemAddResidual(sys, "inner(grad(u), grad(v))*dx - p*div(v)*dx - q*div(u)*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
  PetscCall(set_defaults(sys, "-pc_type fieldsplit"));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which package factors, and by which method, where the options are these. */
static PetscErrorCode package_of(RungSystem sys, const char options[], PetscBool *mumps, PetscBool *once, PetscBool *lu)
{
  MatSolverType package;
  KSP           ksp;
  PC            pc;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(RungSystemSetSolverDefaults(sys, ksp, RUNG_SOLVE_ONCE));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCFactorGetMatSolverType(pc, &package));
  PetscCall(PetscStrcmp(package, MATSOLVERMUMPS, mumps));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPPREONLY, once));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCLU, lu));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 10648 entries in space: incomplete factors by default, of a definite system those of Cholesky. */
static PetscErrorCode test_factors_by_name_are_of_the_package_that_pivots(void)
{
  static const char *const options[] = {"-pc_type lu", "-pc_type lu -ksp_type gmres", "-pc_type cholesky",
                                        "-pc_type lu -pc_factor_mat_solver_type superlu_dist"};

  PetscBool mumps, once, lu;

  PetscFunctionBegin;
  for (int definite = 0; definite < 2; ++definite) {
    RungSystem sys;
    Mat        J;

    PetscCall(problem_create_on("tetrahedron", 3, 21, definite ? PETSC_TRUE : PETSC_FALSE, &sys, &J));
    for (int i = 0; i < 4; ++i) {
      PetscCall(package_of(sys, options[i], &mumps, &once, &lu));
      CHECK(mumps == (i < 3));
      CHECK(once == (i != 1));
      CHECK(lu == (i != 2));
    }
    PetscCall(MatDestroy(&J));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A tolerance or a count of iterations says nothing against the factors that stand behind a trial; a preconditioner does. */
static PetscErrorCode test_what_is_tried_may_fail(void)
{
  RungSystem sys;
  Mat        J;
  PetscReal  left;

  PetscFunctionBegin;
  PetscCall(problem_create_on("tetrahedron", 3, 21, PETSC_FALSE, &sys, &J));
  PetscCall(solve(sys, J, "-ksp_max_it 1 -ksp_rtol 1e-12", &left));
  CHECK_NEAR(left, 0, 1e-9);
  PetscCall(solve(sys, J, "-ksp_max_it 1 -pc_type bjacobi", &left));
  CHECK_NEAR(left, -1, 0);
  PetscCall(MatDestroy(&J));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_factors_by_name_are_of_the_package_that_pivots), RUNG_TEST(test_what_is_tried_may_fail),
               RUNG_TEST(test_a_preconditioner_alone_gets_an_iteration), RUNG_TEST(test_what_does_not_solve_is_refused),
               RUNG_TEST(test_splits_with_a_block_of_zeros_are_refused))
