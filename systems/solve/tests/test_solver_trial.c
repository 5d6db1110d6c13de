/* test_solver_trial.c - a preconditioner passes its trial by iterations, and fails early where there is no hope; incomplete factors by layers take
   few of them where the stiffness is along one axis. */
#include "check.h"
#include "form_problems.h"
#include "levels_impl.h"
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
  PC                  made;

  PetscFunctionBegin;
  PetscCall(system_create("interval", 1, n, "CG1", &sys));
  PetscCall(RungSystemAddResidual(sys, residual));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(vecs_create(sys, 2, v));
  for (int i = 0; i < 2; ++i) PetscCall(VecZeroEntries(v[i]));
  PetscCall(RungSystemJacobian(sys, 0, v, (PetscReal[]){1, 0, 0}, J));
  PetscCall(RungSolverTry(sys, J, &choice, most, NULL, solved, &made));
  CHECK(*solved == (made ? PETSC_TRUE : PETSC_FALSE));
  PetscCall(PCDestroy(&made));
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

/* x = J^-1 b by ksp, with so many Jacobians of the coarsest level until then. */
static PetscErrorCode solve(KSP ksp, Mat J, PetscInt jacobians, RungSystem coarsest)
{
  KSPConvergedReason reason;
  Vec                x, b;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(J, &x, &b));
  PetscCall(vec_fill(b, 4));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  CHECK(reason > 0 && coarsest->counts.jacobians == jacobians);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The levels of a trial are not filled again for the solves that it was for, until J changes. */
static PetscErrorCode test_the_preconditioner_of_a_trial_stays(void)
{
  const RungSolverRow row    = {.kind = RUNG_BY_LEVELS, .most = 30};
  RungSolver          choice = {.row = &row, .ksp = KSPCG, .pc = PCMG};
  RungSystem          sys;
  RungLevels         *levels;
  PetscBool           solved;
  PetscInt            jacobians;
  Mat                 J;
  Vec                 v[2];
  KSP                 ksp;
  PC                  made;

  PetscFunctionBegin;
  PetscCall(system_create("hexahedron", 3, 3, "Q2", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(vecs_create(sys, 2, v));
  for (int i = 0; i < 2; ++i) PetscCall(VecZeroEntries(v[i]));
  PetscCall(RungSystemJacobian(sys, 0, v, (PetscReal[]){1, 5}, J));
  PetscCall(RungSolverTry(sys, J, &choice, row.most, NULL, &solved, &made));
  CHECK(solved && made);
  PetscCall(RungLevelsGet(sys, RUNG_WHOLE, &levels));
  jacobians = levels->sys[0]->counts.jacobians;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  if (made) PetscCall(KSPSetPC(ksp, made));
  PetscCall(PCDestroy(&made));
  PetscCall(RungSolverApply(sys, ksp, &choice));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSetOperators(ksp, J, J));
  PetscCall(solve(ksp, J, jacobians, levels->sys[0]));
  PetscCall(RungSystemJacobian(sys, 0, v, (PetscReal[]){1, 50}, J));
  PetscCall(solve(ksp, J, jacobians + 1, levels->sys[0]));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(vecs_destroy(2, v));
  PetscCall(MatDestroy(&J));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J = 20 M + K of conduction so many times as good along the third axis, its upper half where that is asked for. */
static PetscErrorCode conduct(PetscReal times, PetscBool half, RungSystem *sys, Mat *J)
{
  char text[256];
  Vec  v[2];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, sizeof text, "dt(u)*v*dx + inner(grad(u), grad(v))*dx + %g*grad(u)[2]*grad(v)[2]*dx",
                          (double)(times - 1)));
  PetscCall(system_create("tetrahedron", 3, 9, "P1", sys));
  PetscCall(RungSystemAddResidual(*sys, text));
  PetscCall(RungSystemCreateMat(*sys, J));
  PetscCall(vecs_create(*sys, 2, v));
  for (int i = 0; i < 2; ++i) PetscCall(VecZeroEntries(v[i]));
  PetscCall(RungSystemJacobian(*sys, 0, v, (PetscReal[]){1, 20}, *J));
  PetscCall(vecs_destroy(2, v));
  PetscCall(MatSetOption(*J, MAT_SYMMETRIC, PETSC_TRUE));
  if (half) PetscCall(MatConvert(*J, MATSBAIJ, MAT_INPLACE_MATRIX, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Iterations to ten digits with ICC of a level of fill, of each rank's block. */
static PetscErrorCode count_iterations(RungSystem sys, Mat J, PetscBool lines, PetscInt *its)
{
  const RungSolverRow row    = {.kind = RUNG_BY_ICC};
  RungSolver          choice = {.row = &row, .ksp = KSPCG, .levels = 1, .lines = lines};
  KSPConvergedReason  reason;
  PetscMPIInt         size;
  Vec                 x, b;
  KSP                 ksp;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  choice.pc = size == 1 ? PCICC : PCBJACOBI;
  PetscCall(MatCreateVecs(J, &x, &b));
  PetscCall(vec_fill(b, 4));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(RungSolverApply(sys, ksp, &choice));
  PetscCall(KSPSetOperators(ksp, J, J));
  PetscCall(RungSolverSetBlocks(ksp, &choice));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  CHECK(reason > 0);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of whole rows and of one half; cuts between ranks may go through lines. */
static PetscErrorCode test_layers_across_lines_take_few_iterations(void)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (int half = 0; half < 2; ++half) {
    PetscInt   natural, layers;
    PetscReal  share;
    RungSystem sys;
    Mat        J;

    PetscCall(conduct(1000, half ? PETSC_TRUE : PETSC_FALSE, &sys, &J));
    PetscCall(RungLinesFind(J, &share));
    CHECK(share > 0.5);
    PetscCall(count_iterations(sys, J, PETSC_FALSE, &natural));
    PetscCall(count_iterations(sys, J, PETSC_TRUE, &layers));
    CHECK(size > 1 || 2 * layers < natural);
    PetscCall(MatDestroy(&J));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_is_alike_along_all_axes_has_no_lines(void)
{
  PetscReal  share;
  RungSystem sys;
  Mat        J;

  PetscFunctionBegin;
  PetscCall(conduct(1, PETSC_FALSE, &sys, &J));
  PetscCall(RungLinesFind(J, &share));
  CHECK(share < 0.2);
  PetscCall(MatDestroy(&J));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_so_many_iterations_are_allowed_as_are_asked_for),
               RUNG_TEST(test_what_has_no_hope_ends_early), RUNG_TEST(test_the_preconditioner_of_a_trial_stays),
               RUNG_TEST(test_layers_across_lines_take_few_iterations),
               RUNG_TEST(test_what_is_alike_along_all_axes_has_no_lines))
