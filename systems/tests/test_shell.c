/* test_shell.c - J without a matrix: products and diagonals are those of the matrix, what needs entries is refused. */
#include "../system_impl.h"
#include "form_problems.h"
#include <check.h>

static PetscErrorCode fill(Vec u, PetscReal phase)
{
  PetscInt     start, end;
  PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(u, &start, &end));
  PetscCall(VecGetArrayWrite(u, &x));
  for (PetscInt i = start; i < end; ++i) x[i - start] = 0.1 * sin(1.7 * (double)i + phase);
  PetscCall(VecRestoreArrayWrite(u, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_same(Vec a, Vec b)
{
  PetscReal norm, difference;

  PetscFunctionBegin;
  PetscCall(VecNorm(b, NORM_2, &norm));
  PetscCall(VecAXPY(a, -1, b));
  PetscCall(VecNorm(a, NORM_2, &difference));
  CHECK(norm > 1e-3);
  CHECK_NEAR(difference, 0, 2e-13 * norm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef enum { FREE, PERIODIC, SLIP } Constraint;

/* A nonlinear form with a conserved term and boundary data; under SLIP one of vectors. */
static PetscErrorCode create(const char cell[], PetscInt dim, const char spec[], Constraint constraint,
                             const char type[], RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-system_mat_type", type));
  PetscCall(system_create(cell, dim, 3, spec, sys));
  if (constraint == SLIP) {
    PetscCall(RungSystemAddResidual(*sys, "inner(dt(u), v)*dx + (1 + inner(u, u))*inner(grad(u), grad(v))*dx"));
    PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "0"));
    PetscCall(RungSystemSetSlip(*sys, "u", "top", NULL));
  } else {
    PetscCall(RungSystemAddResidual(*sys, "dt(u + u^3)*v*dx + (1 + u^2)*inner(grad(u), grad(v))*dx + u*v*ds(right)"));
    PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "sin(t)"));
  }
  if (constraint == PERIODIC) PetscCall(RungSystemAddPeriodic(*sys, "u", "top", "bottom", NULL, NULL));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(PetscOptionsClearValue(NULL, "-system_mat_type"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare(const char cell[], PetscInt dim, const char spec[], Constraint constraint)
{
  const PetscReal slope[] = {0.7, 3};
  RungSystem      sys[2]; /* aij, shell */
  Mat             J[2];
  Vec             u[2], x, y[2];

  PetscFunctionBegin;
  PetscCall(create(cell, dim, spec, constraint, "aij", &sys[0]));
  PetscCall(create(cell, dim, spec, constraint, "shell", &sys[1]));
  for (int k = 0; k < 2; ++k) PetscCall(RungSystemCreateVec(sys[0], &u[k]));
  for (int k = 0; k < 2; ++k) PetscCall(VecDuplicate(u[0], &y[k]));
  PetscCall(VecDuplicate(u[0], &x));
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < 2; ++k) PetscCall(fill(u[k], k));
    PetscCall(fill(x, 0.3));
    PetscCall(RungSystemCreateMat(sys[i], &J[i]));
    PetscCall(RungSystemStageJacobian(sys[i], 0.2, u, slope, J[i]));
    PetscCall(VecSet(u[0], 0)); /* the state was taken */
    PetscCall(MatMult(J[i], x, y[i]));
  }
  PetscCall(check_same(y[1], y[0]));
  for (int i = 0; i < 2; ++i) PetscCall(MatGetDiagonal(J[i], y[i]));
  PetscCall(check_same(y[1], y[0]));
  CHECK(sys[1]->counts.actions == 1 && sys[1]->counts.diagonals == 1);
  for (int i = 0; i < 2; ++i) {
    PetscCall(MatDestroy(&J[i]));
    PetscCall(VecDestroy(&u[i]));
    PetscCall(VecDestroy(&y[i]));
    PetscCall(RungSystemDestroy(&sys[i]));
  }
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_products_and_diagonals_are_those_of_the_matrix(void)
{
  PetscCall(compare("triangle", 2, "P2", FREE));
  PetscCall(compare("quadrilateral", 2, "Q3", FREE));
  PetscCall(compare("tetrahedron", 3, "P1", FREE));
  return PETSC_SUCCESS;
}

/* Slaves of the top have their masters in other cells or, with walls along the axes, none: diagonals are exact, too. */
static PetscErrorCode test_constraints_are_eliminated_in_products(void)
{
  PetscCall(compare("triangle", 2, "P2", PERIODIC));
  PetscCall(compare("quadrilateral", 2, "Q3", PERIODIC));
  PetscCall(compare("triangle", 2, "P2^2", SLIP));
  PetscCall(compare("quadrilateral", 2, "Q1^2", SLIP));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_preconditioners_that_need_entries_are_refused(void)
{
  RungSystem sys;
  KSP        ksp;
  PC         pc;
  PCType     type;

  PetscCall(create("triangle", 2, "P1", FREE, "shell", &sys));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(RungSystemSetSolverDefaults(sys, ksp, RUNG_SOLVE_ONCE));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &type));
  CHECK(!strcmp(type, PCJACOBI));
  PetscCall(RungSystemCheckSolver(sys, ksp));
  PetscCall(PCSetType(pc, PCSOR));
  CHECK_RAISES(RungSystemCheckSolver(sys, ksp), "take -pc_type jacobi");
  PetscCall(KSPDestroy(&ksp));
  PetscCall(RungSystemDestroy(&sys));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_unknown_types_are_refused(void)
{
  RungSystem sys;

  PetscCall(system_create("interval", 1, 4, "P1", &sys));
  PetscCall(PetscOptionsSetValue(NULL, "-system_mat_type", "shel"));
  CHECK_RAISES(RungSystemSetFromOptions(sys), "did you mean shell");
  PetscCall(PetscOptionsClearValue(NULL, "-system_mat_type"));
  PetscCall(RungSystemDestroy(&sys));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_products_and_diagonals_are_those_of_the_matrix),
               RUNG_TEST(test_constraints_are_eliminated_in_products),
               RUNG_TEST(test_preconditioners_that_need_entries_are_refused), RUNG_TEST(test_unknown_types_are_refused))
