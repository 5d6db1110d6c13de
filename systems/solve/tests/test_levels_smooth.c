/* test_levels_smooth.c - our Chebyshev iterations make the numbers of PETSc's. */
#include "check.h"
#include "form_problems.h"
#include "levels_impl.h"
#include "vectors.h"

/* Largest difference to PETSc's on the interval, from 0 and from x, for 1 .. 4 iterations. */
static PetscErrorCode compare(KSP ours, PetscReal lowest, PetscReal highest, Vec b, Vec x)
{
  KSP theirs;
  Mat J;
  PC  jacobi;
  Vec y[2];

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(ours, &J, NULL));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &theirs));
  PetscCall(KSPSetType(theirs, KSPCHEBYSHEV));
  PetscCall(KSPChebyshevSetEigenvalues(theirs, highest, lowest));
  PetscCall(KSPSetOperators(theirs, J, J));
  PetscCall(KSPGetPC(theirs, &jacobi));
  PetscCall(PCSetType(jacobi, PCJACOBI));
  PetscCall(KSPSetNormType(theirs, KSP_NORM_NONE));
  PetscCall(KSPSetConvergenceTest(theirs, KSPConvergedSkip, NULL, NULL));
  for (int i = 0; i < 2; ++i) PetscCall(VecDuplicate(b, &y[i]));
  for (PetscInt n = 1; n <= 4; ++n) {
    for (int guess = 0; guess < 2; ++guess) {
      PetscReal size, difference;

      for (int i = 0; i < 2; ++i) {
        const KSP ksp = i ? theirs : ours;

        PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, n));
        PetscCall(KSPSetInitialGuessNonzero(ksp, guess ? PETSC_TRUE : PETSC_FALSE));
        PetscCall(VecCopy(x, y[i]));
        PetscCall(KSPSolve(ksp, b, y[i]));
      }
      PetscCall(VecNorm(y[1], NORM_2, &size));
      PetscCall(VecAXPY(y[0], -1, y[1]));
      PetscCall(VecNorm(y[0], NORM_2, &difference));
      CHECK(size > 1e-3 && difference <= 1e-12 * size);
    }
  }
  for (int i = 0; i < 2; ++i) PetscCall(VecDestroy(&y[i]));
  PetscCall(KSPDestroy(&theirs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define HEAT "dt(u)*v*dx + inner(grad(u), grad(v))*dx"

static PetscErrorCode fill(RungSystem sys, PetscReal sigma, Vec u[2], KSP ksp, Mat J)
{
  PetscFunctionBegin;
  PetscCall(RungSystemStageJacobian(sys, 0, u, (PetscReal[]){1, sigma}, J));
  PetscCall(KSPSetOperators(ksp, J, J));
  PetscCall(KSPSetUp(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The finest smoother on the bounds that it has to have, lowest over the estimate: own of its options, or the user's. */
static PetscErrorCode check(RungSystem sys, Vec u[2], KSP ksp, Mat J, PetscReal lowest, PetscReal highest)
{
  PetscReal largest, sigma[] = {1, 1e3, 1e3};
  PetscInt  n;
  KSP       finest;
  Vec       b, x;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(u[0], &b));
  PetscCall(VecDuplicate(u[0], &x));
  for (int i = 0; i < 3; ++i) { /* another matrix, and what a reset leaves */
    if (i == 2) PetscCall(KSPReset(ksp));
    PetscCall(fill(sys, sigma[i], u, ksp, J));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCMGGetLevels(pc, &n));
    PetscCall(PCMGGetSmoother(pc, n - 1, &finest));
    PetscCall(RungBoundsLargest(finest, &largest));
    CHECK(largest > 1 && largest < 10); /* of D^-1 J */
    PetscCall(vec_fill(b, 4));
    PetscCall(vec_fill(x, 7));
    PetscCall(compare(finest, lowest * largest, highest * largest, b, x));
  }
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare_with(const char cell[], PetscInt dim, const char spec[], const char *const option[],
                                   PetscReal lowest, PetscReal highest)
{
  RungSystem sys;
  Vec        u[2];
  KSP        ksp;
  Mat        J;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter")); /* few cells */
  for (int i = 0; option[i]; i += 2) PetscCall(PetscOptionsSetValue(NULL, option[i], option[i + 1]));
  PetscCall(system_create(cell, dim, 4, spec, &sys));
  PetscCall(RungSystemAddResidual(sys, HEAT));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
  PetscCall(RungSystemSetFromOptions(sys));
  PetscCall(vecs_create(sys, 2, u));
  for (int i = 0; i < 2; ++i) PetscCall(VecZeroEntries(u[i]));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(RungSystemSetSolverDefaults(sys, ksp, RUNG_SOLVE_ONCE));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(check(sys, u, ksp, J, lowest, highest));
  for (int i = 0; option[i]; i += 2) PetscCall(PetscOptionsClearValue(NULL, option[i]));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&J));
  PetscCall(vecs_destroy(2, u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_iterations_are_those_of_petsc(void)
{
  static const char *const shell[] = {"-pc_type", "mg", "-system_mat_type", "shell", NULL};
  static const char *const mat[]   = {"-pc_type", "mg", "-system_mat_type", "aij", NULL};

  PetscCall(compare_with("hexahedron", 3, "Q2", shell, RUNG_SMOOTHER_TENSOR, RUNG_SMOOTHER_HIGHEST));
  PetscCall(compare_with("triangle", 2, "P3", mat, RUNG_SMOOTHER_LOWEST, RUNG_SMOOTHER_HIGHEST));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_bounds_of_the_user_are_heard(void)
{
  static const char *const option[] = {"-pc_type", "mg", "-mg_levels_ksp_chebyshev_esteig", "0,0.3,0,1.4", NULL};

  PetscCall(compare_with("triangle", 2, "P2", option, 0.3, 1.4));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_iterations_are_those_of_petsc), RUNG_TEST(test_bounds_of_the_user_are_heard))
