/* test_solver_trial.c - a preconditioner passes its trial by iterations, and fails early where there is no hope. */
#include "../solver_impl.h"
#include "check.h"
#include "form_problems.h"
#include "vectors.h"

/* Conjugate gradients with this preconditioner, tried on dF/du of a form in a box of n cells. */
static PetscErrorCode attempt(const char residual[], PetscInt n, PCType pc, PetscInt most, PetscBool *solved,
                              PetscLogDouble *flops)
{
  const RungSolverRow row    = {.most = most};
  const RungSolver    choice = {.row = &row, .ksp = KSPCG, .pc = pc};
  RungSystem          sys;
  Mat                 J;
  Vec                 v[2];

  PetscFunctionBegin;
  PetscCall(system_create("interval", 1, n, "CG1", &sys));
  PetscCall(RungSystemAddResidual(sys, residual));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(vecs_create(sys, 2, v));
  for (int i = 0; i < 2; ++i) PetscCall(VecZeroEntries(v[i]));
  PetscCall(RungSystemJacobian(sys, 0, v, (PetscReal[]){1, 0, 0}, J));
  PetscCall(RungSolverTry(sys, J, &choice, most, solved));
  CHECK(sys->counts.trials == 1 && sys->counts.trial_flops > 0);
  *flops = sys->counts.trial_flops;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, flops, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(vecs_destroy(2, v));
  PetscCall(MatDestroy(&J));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define MASS "dt(u)*v*dx + u*v*dx"
#define HEAT "dt(u)*v*dx + inner(grad(u), grad(v))*dx + 1e-3*u*v*dx"

/* Six digits of a mass take some 13 iterations behind its diagonal. */
static PetscErrorCode test_so_many_iterations_are_allowed_as_are_asked_for(void)
{
  PetscLogDouble flops;
  PetscBool      solved;

  PetscFunctionBegin;
  PetscCall(attempt(MASS, 200, PCJACOBI, 25, &solved, &flops));
  CHECK(solved);
  PetscCall(attempt(MASS, 200, PCJACOBI, 5, &solved, &flops));
  CHECK(!solved);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Along a line conjugate gradients alone take as many iterations as there are entries: the tenth of them tells. */
static PetscErrorCode test_what_has_no_hope_ends_early(void)
{
  PetscLogDouble flops[2];
  PetscBool      solved;

  PetscFunctionBegin;
  PetscCall(attempt(HEAT, 2000, PCJACOBI, 8, &solved, &flops[0]));
  CHECK(!solved);
  PetscCall(attempt(HEAT, 2000, PCJACOBI, 200, &solved, &flops[1]));
  CHECK(!solved);
  CHECK(flops[1] < 4 * flops[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_so_many_iterations_are_allowed_as_are_asked_for),
               RUNG_TEST(test_what_has_no_hope_ends_early))
