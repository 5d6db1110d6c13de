/* test_solver_dense.c - dense factors, which exchange rows, on each of several ranks. */
#include "check.h"
#include "vectors.h"
#include "../solver_impl.h"

#define N 60

/* An A of a band and of far places, whose diagonal is 0 but for one of seven rows, where it is next to nothing; these rows are in the largest
   units, so that it looks large. */
static PetscScalar entry(PetscInt i, PetscInt j, int units, PetscReal shift)
{
  const PetscScalar value = i == j ? (i % 7 ? 0 : 1e-12) : PetscSinReal((PetscReal)(7 * i + 3 * j) + shift);

  return ldexp(value, units * (i % 7 ? (int)(i % 5) : 8) - 2 * units * (int)(j % 4));
}

static PetscErrorCode fill(Mat A, int units, PetscReal shift)
{
  PetscInt start, end;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; ++i)
    for (PetscInt j = 0; j < N; ++j)
      if (PetscAbsInt(i - j) < 4 || (i + j) % 11 == 0)
        PetscCall(MatSetValue(A, i, j, entry(i, j, units, shift), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(PCType type, Mat *A, PC *pc)
{
  PetscFunctionBegin;
  PetscCall(RungDenseRegister());
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, N, N));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSetUp(*A));
  PetscCall(fill(*A, 0, 0));
  PetscCall(PCCreate(PETSC_COMM_WORLD, pc));
  PetscCall(PCSetOperators(*pc, *A, *A));
  PetscCall(PCSetType(*pc, type));
  PetscCall(PCFactorSetMatSolverType(*pc, RUNG_DENSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A x = A y, each entry to so many digits of its own size. */
static PetscErrorCode expect_solution(Mat A, PC pc, int units)
{
  PetscScalar *value;
  PetscInt     start, end;
  PetscReal    worst = 0;
  Vec          x, y, b;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(VecGetOwnershipRange(y, &start, &end));
  PetscCall(VecGetArrayWrite(y, &value));
  for (PetscInt i = start; i < end; ++i) value[i - start] = ldexp(1 + (PetscReal)(i % 7), 2 * units * (int)(i % 4));
  PetscCall(VecRestoreArrayWrite(y, &value));
  PetscCall(MatMult(A, y, b));
  PetscCall(PCApply(pc, b, x));
  PetscCall(VecAXPY(x, -1, y));
  PetscCall(VecPointwiseDivide(x, x, y));
  PetscCall(VecNorm(x, NORM_INFINITY, &worst));
  CHECK_NEAR(worst, 0, 1e-10);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Zeros on the diagonal, then other entries in the same places, then in units of 2^-480 to 2^640. */
static PetscErrorCode test_rows_are_exchanged_in_any_units(void)
{
  static const PCType type[] = {PCLU, PCCHOLESKY}; /* LU of what is said to be symmetric, too */
  Mat                 A;
  PC                  pc;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(type); ++i) {
    PetscCall(create(type[i], &A, &pc));
    PetscCall(PCSetUp(pc));
    PetscCall(expect_solution(A, pc, 0));
    PetscCall(fill(A, 0, 1));
    PetscCall(PCSetUp(pc));
    PetscCall(expect_solution(A, pc, 0));
    PetscCall(fill(A, 80, 1));
    PetscCall(PCSetUp(pc));
    PetscCall(expect_solution(A, pc, 80));
    PetscCall(PCDestroy(&pc));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix of zeros is told as other packages tell it, and forgotten with the next matrix. */
static PetscErrorCode test_a_singular_matrix_is_told(void)
{
  PCFailedReason reason;
  Mat            A;
  PC             pc;

  PetscFunctionBegin;
  PetscCall(create(PCLU, &A, &pc));
  PetscCall(PCSetErrorIfFailure(pc, PETSC_FALSE));
  PetscCall(MatZeroEntries(A));
  PetscCall(PCSetUp(pc));
  PetscCall(PCGetFailedReason(pc, &reason));
  CHECK(reason == PC_FACTOR_NUMERIC_ZEROPIVOT);
  PetscCall(fill(A, 0, 2));
  PetscCall(PCSetUp(pc));
  PetscCall(PCGetFailedReason(pc, &reason));
  CHECK(!reason);
  PetscCall(expect_solution(A, pc, 0));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_rows_are_exchanged_in_any_units), RUNG_TEST(test_a_singular_matrix_is_told))
