/* test_tail_diagonal.c - action and diagonal kernels against the matrix, interpreted and compiled, on every cell. */
#include "kernel_tools.h"

static const char *const solid =
  "rho = 2; F = I + grad(u); J = det(F); rho*inner(dt(dt(u)), v)*dx(degree: 4)"
  " + inner(mu*(F - inv(transpose(F))) + kappa*log(J)*inv(transpose(F)), grad(v))*dx(degree: 4)"
  " + (1 + p^2)*inner(grad(p), grad(q))*dx(degree: 4) + dt(p)*exp(p)*J*q*dx(degree: 4)"
  " - p*dot(v, n)*ds(degree: 4) + tanh(p - x[0]*t)*q*ds(right, degree: 4)";
static const PetscReal sigma[6] = {1, 1.2, 0.7, 0.9, 1.1, 0.8}; /* [k][unknown] */

/* |a - b| <= 1e-13 |b| in the norm, and b is not zero */
static PetscErrorCode check_equal(Vec a, Vec b)
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

/* J x by the action kernel and diag J by its own, against the matrix that the interpreter assembles. */
static PetscErrorCode compare(Tools *tools, const char text[], PetscBool compile)
{
  const PetscBool couple[] = {PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE};
  RungForm        form, plain;
  Mat             J;
  Vec             x, y, z;

  PetscFunctionBegin;
  PetscCall(VecScale(tools->u[0], 0.5)); /* det(F) > 0 in any order of the nodes, whose numbers make the values */
  PetscCall(tools_form(tools, text, compile, &form));
  PetscCall(tools_quick_compiler(form));
  PetscCall(tools_form(tools, text, PETSC_FALSE, &plain));
  PetscCall(VecDuplicate(tools->u[0], &x));
  PetscCall(VecDuplicate(tools->u[0], &y));
  PetscCall(VecDuplicate(tools->u[0], &z));
  PetscCall(VecCopy(tools->u[2], x));
  PetscCall(RungLayoutCreateMat(tools->layout, couple, NULL, &J));
  PetscCall(RungFormAssembleMat(plain, 0.3, tools->u, sigma, J));
  PetscCall(MatMult(J, x, z));
  PetscCall(RungFormApply(form, 0.3, tools->u, sigma, x, y));
  PetscCall(check_equal(y, z));
  PetscCall(MatGetDiagonal(J, z));
  PetscCall(RungFormAssembleDiagonal(form, 0.3, tools->u, sigma, y));
  PetscCall(check_equal(y, z));
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&z));
  PetscCall(RungFormDestroy(&form));
  PetscCall(RungFormDestroy(&plain));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_action_and_diagonal_are_those_of_the_matrix(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    for (int bent = 0; bent < 2; ++bent) {
      Tools tools;

      PetscCall(
        tools_create(PETSC_COMM_WORLD, (RungCellType)type, bent ? PETSC_TRUE : PETSC_FALSE, "1^d", "1", &tools));
      PetscCall(compare(&tools, solid, PETSC_FALSE));
      PetscCall(tools_destroy(&tools));
    }
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_they_are_compiled(void)
{
  static const RungCellType types[] = {RUNG_INTERVAL, RUNG_TRIANGLE, RUNG_TETRAHEDRON};

  for (int i = 0; i < 3; ++i) {
    Tools tools;

    PetscCall(tools_create(PETSC_COMM_WORLD, types[i], PETSC_TRUE, "2^d", "1", &tools));
    PetscCall(compare(&tools, solid, PETSC_TRUE));
    PetscCall(tools_destroy(&tools));
  }
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_action_and_diagonal_are_those_of_the_matrix), RUNG_TEST(test_they_are_compiled))
