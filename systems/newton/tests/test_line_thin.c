/* test_line_thin.c - components that are not coupled, solved for by iterations: products and incomplete factors are without the
   entries that are zero. */
#include "form_problems.h"
#include "vectors.h"
#include "../line_solver_impl.h"
#include <check.h>

/* Diffusion of a vector, whose convection is explicit: what is left is definite, as a matrix with a step. */
static PetscErrorCode diffusion_create(PetscInt each, RungSystem *sys, RungTransientSystem *ts, RungLineSolver *solver)
{
  const RungLineSolverPlan plan = {.matrices = 1};

  PetscFunctionBegin;
  PetscCall(system_create("quadrilateral", 2, 40, "Q1^2", sys));
  PetscCall(RungSystemSetConstant(*sys, "c", 0));
  PetscCall(RungSystemAddResidual(*sys, "inner(dt(u) - vector(x[0], 1), v)*dx + inner(grad(u), grad(v))*dx + "
                                        "c^2*(u[0] + u[1])*(v[0] + v[1])*dx + explicit(inner(dot(grad(u), u), v)*dx)"));
  PetscCall(RungSystemSetSolvesAhead(*sys, 100, each));
  PetscCall(RungTransientSystemCreate(*sys, 1, 0, ts));
  PetscCall(RungTransientSystemSetPart(*ts, RUNG_IMPLICIT));
  PetscCall(RungLineSolverCreate(*ts, &plan, solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of what the last iteration multiplied with over those of J, and whether its factors are whole ones. */
static PetscErrorCode look(RungLineSolver solver, PetscReal *share, PetscBool *whole)
{
  MatInfo all, taken;
  Mat     A;
  KSP     ksp;
  PC      pc;

  PetscFunctionBegin;
  PetscCall(SNESGetKSP(solver->last->snes, &ksp));
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &taken));
  PetscCall(MatGetInfo(solver->last->J, MAT_GLOBAL_SUM, &all));
  *share = taken.nz_used / all.nz_used;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, whole, PCLU, PCCHOLESKY, ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solution for this slope, without the coupling; coupled: and then with it, which is the one that counts */
static PetscErrorCode solve(PetscInt each, PetscReal slope, PetscBool coupled, Vec *u, PetscReal *share,
                            PetscBool *whole)
{
  const RungLine      line = {.slope = {1, slope}};
  RungTransientSystem ts;
  RungLineSolver      solver;
  RungVerdict         verdict;
  RungSystem          sys;

  PetscFunctionBegin;
  PetscCall(diffusion_create(each, &sys, &ts, &solver));
  PetscCall(RungSystemCreateVec(sys, u));
  for (int i = 0; i < (coupled ? 2 : 1); ++i) {
    PetscCall(RungSystemSetConstant(sys, "c", i ? 100 : 0));
    PetscCall(VecZeroEntries(*u));
    PetscCall(RungLineSolve(solver, 0, &line, NULL, *u, &verdict));
    CHECK(verdict.solved);
  }
  PetscCall(look(solver, share, whole));
  PetscCall(RungLineSolverDestroy(&solver));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps of free size change the matrix after few solves: incomplete factors where the step is short, whole ones where it is long or stays. */
static PetscErrorCode test_few_solves_with_a_matrix_are_iterated_without_what_is_not_coupled(void)
{
  PetscReal   share, distance;
  PetscBool   whole;
  PetscMPIInt size;
  Vec         u[2];

  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(solve(28, 1e4, PETSC_FALSE, &u[0], &share, &whole));
  CHECK(!whole);
  CHECK_NEAR(share, size > 1 ? 1 : 0.5, 0.01);
  PetscCall(solve(0, 1e4, PETSC_FALSE, &u[1], &share, &whole));
  CHECK(whole && share == 1);
  PetscCall(vec_distance(u[0], u[1], &distance));
  CHECK_NEAR(distance, 0, 1e-12); /* of some 1e-4 */
  for (int i = 0; i < 2; ++i) PetscCall(VecDestroy(&u[i]));
  PetscCall(solve(28, 1, PETSC_FALSE, &u[0], &share, &whole));
  CHECK(whole);
  PetscCall(VecDestroy(&u[0]));
  return PETSC_SUCCESS;
}

/* A constant that couples them brings the entries back. */
static PetscErrorCode test_components_that_are_coupled_later_are_iterated_with_all_entries(void)
{
  PetscReal share, distance;
  PetscBool whole;
  Vec       u[2];

  PetscCall(solve(28, 1e4, PETSC_TRUE, &u[0], &share, &whole));
  CHECK(!whole && share == 1);
  PetscCall(solve(0, 1e4, PETSC_TRUE, &u[1], &share, &whole));
  CHECK(whole);
  PetscCall(vec_distance(u[0], u[1], &distance));
  CHECK_NEAR(distance, 0, 1e-12); /* of some 1e-4 */
  for (int i = 0; i < 2; ++i) PetscCall(VecDestroy(&u[i]));
  return PETSC_SUCCESS;
}

/* At rest nothing is coupled at u = 0, whose factors precondition what follows: that is another matrix, with couplings. */
static PetscErrorCode test_products_are_those_of_a_newer_matrix_than_the_factors(void)
{
  const RungLineSolverPlan plan = {.matrices = 1};
  const RungLine           line = {.slope = {1}};
  RungTransientSystem      ts;
  RungLineSolver           solver;
  RungVerdict              verdict;
  RungSystem               sys;
  Vec                      u;

  PetscCall(system_create("quadrilateral", 2, 40, "Q1^2", &sys));
  PetscCall(RungSystemAddResidual(sys, "inner(grad(u), grad(v))*dx + inner(dot(grad(u), u), v)*dx - "
                                       "100*(x[1] - x[0])*v[0]*dx - 300*x[0]*v[1]*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", "0"));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungLineSolverCreate(ts, &plan, &solver));
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(RungLineSolve(solver, 0, &line, NULL, u, &verdict));
  CHECK(verdict.solved);
  CHECK(solver->counts.newton >= 3 &&
        solver->counts.newton <= 6); /* by products with what was factored 75, no solution */
  CHECK(solver->counts.factorisations < solver->counts.newton);
  PetscCall(VecDestroy(&u));
  PetscCall(RungLineSolverDestroy(&solver));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_few_solves_with_a_matrix_are_iterated_without_what_is_not_coupled),
               RUNG_TEST(test_components_that_are_coupled_later_are_iterated_with_all_entries),
               RUNG_TEST(test_products_are_those_of_a_newer_matrix_than_the_factors))
