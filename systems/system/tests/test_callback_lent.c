/* test_callback_lent.c - a function that writes into the state that it is lent is told; one that asks for it as if to write is not.  What is
   left of a call that failed, and states that are not there. */
#include "check.h"
#include "ode_problems.h"
#include "vectors.h"

static PetscBool changes, in_jacobian, fails;

/* r = u' + u; entry 0 of u becomes 7 on the last rank if it `changes` */
static PetscErrorCode residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  PetscScalar *x;
  PetscMPIInt  rank, size;

  PetscFunctionBegin;
  (void)t, (void)ctx;
  PetscCall(VecWAXPY(r, 1, u[0], u[1]));
  PetscCallMPI(MPI_Comm_rank(RungSystemComm(sys), &rank));
  PetscCallMPI(MPI_Comm_size(RungSystemComm(sys), &size));
  PetscCall(VecGetArray(u[0], &x));
  if (changes && !in_jacobian && rank == size - 1) x[0] = 7;
  PetscCall(VecRestoreArray(u[0], &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J, void *ctx)
{
  PetscInt start, end;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(MatGetOwnershipRange(J, &start, &end));
  for (PetscInt i = start; i < end; ++i) PetscCall(MatSetValue(J, i, i, sigma[0] + sigma[1], INSERT_VALUES));
  if (changes && in_jacobian) PetscCall(VecScale(u[1], 2));
  PetscCheck(!fails, PETSC_COMM_SELF, PETSC_ERR_USER, "no Jacobian today");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_states_are_lent_to_read(void)
{
  const PetscReal sigma[] = {1, 1};

  PetscFunctionBegin;
  for (int i = 0; i < 3; ++i) {
    RungSystem sys;
    Vec        u[3];
    Mat        J;

    changes     = i > 0 ? PETSC_TRUE : PETSC_FALSE;
    in_jacobian = i > 1 ? PETSC_TRUE : PETSC_FALSE;
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemSetCallbacks(sys, 2, (RungTraits){.unknowns = 1, .order = 1}, residual, jacobian, NULL));
    PetscCall(vecs_create(sys, 3, u));
    PetscCall(RungSystemCreateMat(sys, &J));
    PetscCall(RungSystemResidual(sys, 0, u, u[2]));
    PetscCall(VecSet(u[0], 1)); /* 7 again would be no change */
    if (i == 1)
      CHECK_RAISES(RungSystemResidual(sys, 0, u, u[2]), "it has changed the state u that it was lent to read");
    else
      PetscCall(RungSystemResidual(sys, 0, u, u[2]));
    if (i == 2)
      CHECK_RAISES(RungSystemJacobian(sys, 0, u, sigma, J), "it has changed the state u that it was lent to read");
    else
      PetscCall(RungSystemJacobian(sys, 0, u, sigma, J));
    PetscCall(MatDestroy(&J));
    PetscCall(vecs_destroy(3, u));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A Jacobian callback that fails has entered something by then. */
static PetscErrorCode test_a_jacobian_is_filled_again_behind_an_error(void)
{
  const PetscReal sigma[] = {1, 1};
  RungSystem      sys;
  Vec             u[3];
  Mat             J;
  PetscReal       norm;

  PetscFunctionBegin;
  changes = PETSC_FALSE;
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemSetCallbacks(sys, 2, (RungTraits){.unknowns = 1, .order = 1}, residual, jacobian, NULL));
  PetscCall(vecs_create(sys, 3, u));
  PetscCall(RungSystemCreateMat(sys, &J));
  fails = PETSC_TRUE;
  CHECK_RAISES(RungSystemJacobian(sys, 0, u, sigma, J), "no Jacobian today");
  fails = PETSC_FALSE;
  PetscCall(RungSystemJacobian(sys, 0, u, sigma, J));
  PetscCall(MatNorm(J, NORM_INFINITY, &norm));
  CHECK_NEAR(norm, 2, 0);
  CHECK_RAISES(RungSystemResidual(sys, 0, (Vec[]){u[0], NULL}, u[2]), "F of callbacks, which read it, without u[1]");
  CHECK_RAISES(RungSystemJacobian(sys, 0, (Vec[]){u[0], NULL}, sigma, J),
               "J of callbacks, which read it, without u[1]");
  PetscCall(MatDestroy(&J));
  PetscCall(vecs_destroy(3, u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_states_are_lent_to_read), RUNG_TEST(test_a_jacobian_is_filled_again_behind_an_error))
