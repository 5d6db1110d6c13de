/* test_levels_lanczos.c - the largest eigenvalue of D^-1 J from few steps, where it is known. */
#include "check.h"
#include "levels_impl.h"
#include <petsc/private/kspimpl.h> /* vectors of a solver */

/* J = scale times five points on n x n squares, u = 0 around them: D^-1 J has 1 - (cos(i h) + cos(j h)) / 2, h = pi / n */
static PetscErrorCode create(PetscInt n, PetscReal scale, Mat *J)
{
  const PetscInt m = n - 1;
  PetscInt       start, end;

  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, m * m, m * m, 5, NULL, 4, NULL, J));
  PetscCall(MatGetOwnershipRange(*J, &start, &end));
  for (PetscInt i = start; i < end; ++i) {
    const PetscInt  column[] = {i, i % m ? i - 1 : -1, (i + 1) % m ? i + 1 : -1, i - m, i + m < m * m ? i + m : -1};
    const PetscReal unit     = scale * (1 + (PetscReal)(i % 3)); /* units of rows, which D takes out */

    for (int k = 0; k < 5; ++k) {
      const PetscReal other = column[k] < 0 ? 1 : 1 + (PetscReal)(column[k] % 3);

      if (column[k] >= 0) PetscCall(MatSetValue(*J, i, column[k], (k ? -1 : 4) * unit * other, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*J, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode estimate(Mat J, const char type[], PetscInt most, PetscInt *steps, PetscReal *largest)
{
  PetscScalar *x;
  PetscInt     start, n;
  KSP          ksp;
  PC           pc;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetType(ksp, type));
  PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, most));
  PetscCall(KSPSetOperators(ksp, J, J));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(MatCreateVecs(J, &ksp->vec_sol, &ksp->vec_rhs));
  PetscCall(VecGetOwnershipRange(ksp->vec_rhs, &start, NULL));
  PetscCall(VecGetLocalSize(ksp->vec_rhs, &n));
  PetscCall(VecGetArrayWrite(ksp->vec_rhs, &x));
  for (PetscInt i = 0; i < n; ++i) x[i] = (PetscReal)((unsigned)(start + i) * 2654435761u >> 16) / 65536 - 0.4;
  PetscCall(VecRestoreArrayWrite(ksp->vec_rhs, &x));
  PetscCall(KSPSetUp(ksp));
  PetscCall(RungLanczosLargest(ksp, steps, largest));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_four_steps_are_near_the_largest(void)
{
  for (PetscInt n = 16; n <= 64; n *= 2) {
    const PetscReal exact = 1 + PetscCosReal(PETSC_PI / (PetscReal)n);
    PetscReal       largest;
    PetscInt        steps;
    Mat             J;

    PetscCall(create(n, 7e5, &J));
    PetscCall(estimate(J, KSPCG, 4, &steps, &largest));
    CHECK(steps == 4);
    CHECK(largest > 0.96 * exact && largest < 1.07 * exact);
    PetscCall(estimate(J, KSPCG, 20, &steps, &largest));
    CHECK(steps == 20);
    CHECK(largest > 0.99 * exact && largest < 1.02 * exact);
    PetscCall(MatDestroy(&J));
  }
  return PETSC_SUCCESS;
}

/* Five points on n x n squares as above, and m triples of 1e8 times their size, of which D^-1 J has the eigenvalue 2.8 */
static PetscErrorCode create_stiff(PetscInt n, PetscInt m, Mat *J)
{
  const PetscInt soft = (n - 1) * (n - 1), all = soft + 3 * m;
  PetscInt       start, end;

  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, all, all, 5, NULL, 4, NULL, J));
  PetscCall(MatGetOwnershipRange(*J, &start, &end));
  for (PetscInt i = start; i < end; ++i) {
    const PetscInt first = i - (i - soft) % 3, m1 = n - 1;
    const PetscInt column[] = {i, i % m1 ? i - 1 : -1, (i + 1) % m1 ? i + 1 : -1, i - m1, i + m1 < soft ? i + m1 : -1};

    for (int k = 0; k < 5 && i < soft; ++k)
      if (column[k] >= 0) PetscCall(MatSetValue(*J, i, column[k], k ? -1 : 4, INSERT_VALUES));
    for (PetscInt j = first; j < first + 3 && i >= soft; ++j)
      PetscCall(MatSetValue(*J, i, j, i == j ? 1e8 : 0.9e8, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*J, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_stiff_part_is_seen(void)
{
  PetscReal largest;
  PetscInt  steps;
  Mat       J;

  PetscCall(create_stiff(32, 20, &J));
  PetscCall(estimate(J, KSPCG, 4, &steps, &largest));
  CHECK(largest > 0.96 * 2.8 && largest < 1.07 * 2.8);
  PetscCall(MatDestroy(&J));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_few_entries_end_the_steps(void)
{
  PetscReal largest;
  PetscInt  steps;
  Mat       J;

  PetscCall(create(2, 1, &J)); /* one entry: 1, and ranks without any */
  PetscCall(estimate(J, KSPCG, 4, &steps, &largest));
  CHECK(steps == 1 && PetscAbsReal(largest - 1) < 1e-5);
  PetscCall(MatDestroy(&J));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_nothing_is_said_of_other_solvers_and_signs(void)
{
  PetscReal largest = 1;
  PetscInt  steps   = 1;
  Mat       J;

  PetscCall(create(16, 1, &J));
  PetscCall(estimate(J, KSPGMRES, 4, &steps, &largest));
  CHECK(steps == 0 && largest == 0);
  PetscCall(MatShift(J, -5));
  PetscCall(estimate(J, KSPCG, 4, &steps, &largest));
  CHECK(steps < 4); /* it ends where J is seen not to be definite */
  PetscCall(MatDestroy(&J));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_four_steps_are_near_the_largest), RUNG_TEST(test_a_stiff_part_is_seen),
               RUNG_TEST(test_few_entries_end_the_steps), RUNG_TEST(test_nothing_is_said_of_other_solvers_and_signs))
