/* test_line_slot.c - matrices of several slopes: what one of them has shown of a solver holds for the others. */
#include "form_problems.h"
#include "line_solver_impl.h"
#include "vectors.h"
#include <check.h>

/* Transport along a duct: three by three entries in 1202 sections, in space and not symmetric, so that ILU is tried; of odd counts, so that there are
   no levels behind it. */
static PetscErrorCode make_duct(RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "hexahedron", 3, (PetscInt[]){2, 2, 1201}, (PetscReal[]){1, 1, 600}));
  PetscCall(RungSpaceCreate(mesh, "Q1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(*sys, "(dt(u) + grad(u)[2] - 1)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(RungLineSolver solver, PetscReal slope)
{
  const RungLine line = {.slope = {1, slope}};
  RungVerdict    verdict;
  Vec            u;

  PetscFunctionBegin;
  PetscCall(RungSystemCreateVec(solver->sys, &u));
  PetscCall(VecZeroEntries(u));
  PetscCall(RungLineSolve(solver, 0, &line, NULL, u, &verdict));
  CHECK(verdict.solved);
  PetscCall(VecDestroy(&u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One iteration is not enough: factors solve, and the next matrix has them at once. */
static PetscErrorCode test_a_trial_that_failed_is_not_repeated_with_other_slopes(void)
{
  const RungLineSolverPlan plan = {.matrices = 2};
  RungTransientSystem      ts;
  RungLineSolver           solver;
  RungSystem               sys;
  RungSolveCounts          counts;
  PetscBool                once;
  KSP                      ksp;

  PetscCall(make_duct(&sys));
  PetscCall(PetscOptionsSetValue(NULL, "-ksp_max_it", "1"));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungLineSolverCreate(ts, &plan, &solver));
  CHECK(solver->slot[0].tries && solver->slot[1].tries);
  PetscCall(solve(solver, 3));
  RungLineSolverTakeCounts(solver, &counts);
  PetscCall(solve(solver, 2));
  RungLineSolverTakeCounts(solver, &counts);
  CHECK(counts.linear == 1 && !solver->last->tries);
  PetscCall(SNESGetKSP(solver->last->snes, &ksp));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPPREONLY, &once));
  CHECK(once);
  PetscCall(solve(solver, 3)); /* the first one takes them, too */
  PetscCall(RungLineSolverForget(solver));
  CHECK(!solver->gave && solver->slot[0].tries && solver->slot[1].tries); /* as a solver that is new */
  PetscCall(PetscOptionsClearValue(NULL, "-ksp_max_it"));
  PetscCall(RungLineSolverDestroy(&solver));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  return PETSC_SUCCESS;
}

/* u at t = 1 from zero; before: at t = 0 first, which is forgotten then. */
static PetscErrorCode solve_levels(RungSystem sys, PetscBool before, Vec *u)
{
  const RungLineSolverPlan plan = {.matrices = 1};
  const RungLine           line = {.slope = {1}};
  RungTransientSystem      ts;
  RungLineSolver           solver;
  RungVerdict              verdict;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungLineSolverCreate(ts, &plan, &solver));
  PetscCall(RungSystemCreateVec(sys, u));
  for (int i = before ? 0 : 1; i < 2; ++i) {
    PetscCall(VecZeroEntries(*u));
    PetscCall(RungLineSolve(solver, i, &line, NULL, *u, &verdict));
    CHECK(verdict.solved);
    if (i == 0) PetscCall(RungLineSolverForget(solver));
  }
  PetscCall(RungLineSolverDestroy(&solver));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A conductivity that changes less than levels are made anew for: those of an older state lead to other bits. */
static PetscErrorCode test_what_is_forgotten_leaves_no_levels_of_older_states(void)
{
  PetscBool  same;
  RungSystem sys;
  Vec        u[2];

  PetscCall(PetscOptionsSetValue(NULL, "-ksp_type", "cg"));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_type", "mg"));
  PetscCall(system_create("tetrahedron", 3, 2, "P2", &sys));
  PetscCall(RungSystemAddResidual(sys, "(1 + 0.1*t)*inner(grad(u), grad(v))*dx + (u + u^3 - x[0])*v*dx"));
  for (int before = 0; before < 2; ++before)
    PetscCall(solve_levels(sys, before ? PETSC_TRUE : PETSC_FALSE, &u[before]));
  PetscCall(VecEqual(u[0], u[1], &same));
  CHECK(same);
  PetscCall(PetscOptionsClearValue(NULL, "-pc_type"));
  PetscCall(PetscOptionsClearValue(NULL, "-ksp_type"));
  for (int before = 0; before < 2; ++before) PetscCall(VecDestroy(&u[before]));
  PetscCall(RungSystemDestroy(&sys));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_trial_that_failed_is_not_repeated_with_other_slopes),
               RUNG_TEST(test_what_is_forgotten_leaves_no_levels_of_older_states))
