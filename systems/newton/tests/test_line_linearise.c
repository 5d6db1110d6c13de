/* test_line_linearise.c - J at a state, factored: solves are those of the matrix; kept where nothing in it changes. */
#include "form_problems.h"
#include "ode_problems.h"
#include "vectors.h"
#include "../line_solver_impl.h"
#include <check.h>
#include <rungsystem_method.h>

static PetscErrorCode solver_create(RungSystem sys, RungTransientSystem *ts, RungLineSolver *solver)
{
  const RungLineSolverPlan plan = {.matrices = 2};

  PetscFunctionBegin;
  PetscCall(RungTransientSystemCreate(sys, 1, 0, ts));
  PetscCall(RungLineSolverCreate(*ts, &plan, solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(RungSystem *sys, RungTransientSystem *ts, RungLineSolver *solver)
{
  PetscFunctionBegin;
  PetscCall(RungLineSolverDestroy(solver));
  PetscCall(RungTransientSystemDestroy(ts));
  PetscCall(RungSystemDestroy(sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* W x = b by products that know no matrix, with x = W^-1 b; x is 0 on given entries, where b is. */
static PetscErrorCode check_solves(RungSystem *sys, PetscReal exact)
{
  RungLineSolver      solver;
  RungTransientSystem ts;
  RungTraits          traits;
  RungVerdict         verdict;
  PetscReal           slope[3 * 3], norm, distance;
  Vec                 u[3], x, b, kept;

  PetscFunctionBegin;
  PetscCall(solver_create(*sys, &ts, &solver));
  PetscCall(RungSystemGetTraits(*sys, &traits));
  for (PetscInt k = 0; k <= traits.order; ++k)
    for (PetscInt g = 0; g < traits.unknowns; ++g) slope[k * traits.unknowns + g] = PetscPowReal(7, (PetscReal)k);
  PetscCall(vecs_create(*sys, traits.order + 1, u));
  PetscCall(RungSystemCreateVec(*sys, &x));
  PetscCall(VecDuplicate(x, &b));
  PetscCall(VecDuplicate(x, &kept));
  PetscCall(RungSystemTimeDerivative(*sys, 0.3, u, b)); /* any right-hand side with 0 in the rows of given entries */
  PetscCall(RungSystemResidual(*sys, 0.3, u, kept));
  PetscCall(VecAXPY(b, 1, kept));
  PetscCall(VecCopy(b, kept));
  PetscCall(RungLineLinearise(solver, 0.3, u, slope, &verdict));
  CHECK(verdict.solved);
  PetscCall(RungLineApply(solver, b, x, &verdict));
  CHECK(verdict.solved);
  PetscCall(RungSystemAction(*sys, 0.3, u, slope, x, b));
  PetscCall(VecNorm(kept, NORM_INFINITY, &norm));
  PetscCall(vec_distance(b, kept, &distance));
  CHECK(norm > 1e-3);
  CHECK_NEAR(distance, 0, exact * norm);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&kept));
  PetscCall(vecs_destroy(traits.order + 1, u));
  PetscCall(end(sys, &ts, &solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_solves_are_those_of_the_products(void)
{
  RungSystem sys;

  PetscCall(heat_create(&sys));
  PetscCall(check_solves(&sys, 1e-9));
  PetscCall(system_create("quadrilateral", 2, 3, "Q2", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u, 2)*v*dx + (1 + t*u^2)*inner(grad(u), grad(v))*dx - sin(t)*x[0]*v*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "t^2"));
  PetscCall(RungSystemAddPeriodic(sys, "u", "top", "bottom", NULL, "0"));
  PetscCall(check_solves(&sys, 1e-9));
  return PETSC_SUCCESS;
}

/* A number of the whole mesh, and internal variables with linear rates in a nonlinear system. */
static PetscErrorCode test_numbers_and_internal_variables_are_solved_for(void)
{
  RungSystem sys;

  PetscCall(system_create("triangle", 2, 3, "P2", &sys));
  PetscCall(add_unknown(sys, "c", "e", "R"));
  PetscCall(add_unknown(sys, "s", "z", "Quad(4)"));
  PetscCall(
    RungSystemAddResidual(sys, "dt(u)*v*dx + (1 + u^2)*inner(grad(u), grad(v))*dx + (c*t + s)*v*dx(degree: 4)"));
  PetscCall(RungSystemAddResidual(sys, "(dt(c) + c)*e*dR - u*e*dx + (dt(s) + 3*s - u - sin(t))*z*dx(degree: 4)"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "sin(t)"));
  PetscCall(check_solves(&sys, 1e-9));
  return PETSC_SUCCESS;
}

/* The mass of a nonlinear system is factored once, until a constant in it changes; J at a state each time. */
static PetscErrorCode test_what_depends_on_no_state_is_kept(void)
{
  RungSystem          sys;
  RungLineSolver      solver;
  RungTransientSystem ts;
  RungVerdict         verdict;
  RungSolveCounts     counts;
  Vec                 u[2], x, y;
  PetscReal           distance;

  PetscCall(system_create("quadrilateral", 2, 3, "Q1", &sys));
  PetscCall(RungSystemSetConstant(sys, "rho", 1));
  PetscCall(RungSystemAddResidual(sys, "rho*dt(u)*v*dx + (1 + u^2)*inner(grad(u), grad(v))*dx"));
  PetscCall(solver_create(sys, &ts, &solver));
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(VecDuplicate(u[0], &x));
  PetscCall(VecDuplicate(u[0], &y));
  for (int i = 0; i < 3; ++i) {
    PetscCall(RungLineLinearise(solver, i, u, (PetscReal[]){0, 1}, &verdict));
    PetscCall(RungLineApply(solver, u[1], i ? y : x, &verdict));
    PetscCall(VecScale(u[0], 3));
  }
  RungLineSolverTakeCounts(solver, &counts);
  CHECK(counts.jacobians == 1 && counts.factorisations == 1);
  PetscCall(vec_distance(x, y, &distance));
  CHECK(distance == 0);
  PetscCall(RungSystemSetConstant(sys, "rho", 2));
  PetscCall(RungLineLinearise(solver, 0, u, (PetscReal[]){0, 1}, &verdict));
  PetscCall(RungLineApply(solver, u[1], y, &verdict));
  PetscCall(VecScale(y, 2));
  PetscCall(vec_distance(x, y, &distance));
  CHECK_NEAR(distance, 0, 1e-8);
  for (int i = 0; i < 2; ++i) PetscCall(RungLineLinearise(solver, 0, u, (PetscReal[]){1, 1}, &verdict));
  RungLineSolverTakeCounts(solver, &counts);
  CHECK(counts.jacobians == 3 && counts.factorisations == 3);
  PetscCall(vecs_destroy(2, u));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(end(&sys, &ts, &solver));
  return PETSC_SUCCESS;
}

/* Entries of the factors of the last matrix, and the distance of J x from b, x = J^-1 b. */
static PetscErrorCode look_at_factors(RungLineSolver solver, PetscReal *entries, PetscReal *distance)
{
  RungVerdict verdict;
  MatInfo     info;
  KSP         ksp;
  PC          pc;
  Mat         F;
  Vec         x, b, y;

  PetscFunctionBegin;
  PetscCall(SNESGetKSP(solver->last->snes, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCFactorGetMatrix(pc, &F));
  PetscCall(MatGetInfo(F, MAT_LOCAL, &info));
  *entries = info.nz_used;
  PetscCall(MatCreateVecs(solver->last->J, &x, &b));
  PetscCall(VecDuplicate(b, &y));
  PetscCall(vec_fill(b, 3));
  PetscCall(VecCopy(b, y));
  PetscCall(RungLineApply(solver, b, x, &verdict));
  PetscCall(MatMult(solver->last->J, x, b));
  PetscCall(vec_distance(b, y, distance));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Half of the factors are left out until a constant couples the components; behind a checkpoint both begin anew. */
static PetscErrorCode test_components_that_are_not_coupled_are_factored_apart(void)
{
  RungSystem          sys;
  RungLineSolver      solver;
  RungTransientSystem ts;
  RungVerdict         verdict;
  Vec                 u[2];
  PetscReal           entries[4], distance;
  const PetscReal     coupling[] = {0, 1, 0, 0};

  if (!check_alone()) return PETSC_SUCCESS;
  PetscCall(system_create("quadrilateral", 2, 12, "Q1^2", &sys));
  PetscCall(RungSystemSetConstant(sys, "c", 0));
  PetscCall(RungSystemAddResidual(sys, "inner(dt(u), v)*dx + inner(grad(u), grad(v))*dx + c*u[0]*v[1]*dx"));
  PetscCall(solver_create(sys, &ts, &solver));
  PetscCall(vecs_create(sys, 2, u));
  for (int i = 0; i < 4; ++i) {
    PetscCall(RungSystemSetConstant(sys, "c", coupling[i]));
    if (i == 3) PetscCall(RungLineSolverForget(solver));
    PetscCall(RungLineLinearise(solver, 0, u, (PetscReal[]){1, 1}, &verdict));
    CHECK(verdict.solved);
    PetscCall(look_at_factors(solver, &entries[i], &distance));
    CHECK_NEAR(distance, 0, 1e-9);
  }
  CHECK(entries[1] > 1.8 * entries[0] && entries[2] == entries[1] && entries[3] == entries[0]);
  PetscCall(vecs_destroy(2, u));
  PetscCall(end(&sys, &ts, &solver));
  return PETSC_SUCCESS;
}

/* A matrix without an inverse is a verdict, not an error; so is a state where J is not finite. */
static PetscErrorCode test_a_singular_matrix_is_a_verdict(void)
{
  RungSystem          sys;
  RungLineSolver      solver;
  RungTransientSystem ts;
  RungVerdict         verdict;
  Vec                 u[2];

  PetscCall(system_create("triangle", 2, 3, "P1", &sys));
  PetscCall(add_unknown(sys, "p", "q", "P1"));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + p*v*dx + (u + sqrt(p))*q*dx"));
  PetscCall(solver_create(sys, &ts, &solver));
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(VecSet(u[0], 1));
  PetscCall(RungLineLinearise(solver, 0, u, (PetscReal[]){0, 0, 1, 1}, &verdict));
  CHECK(!verdict.solved && strstr(verdict.why, "singular"));
  PetscCall(RungLineLinearise(solver, 0, u, (PetscReal[]){1, 1, 1, 1}, &verdict));
  CHECK(verdict.solved);
  PetscCall(vecs_destroy(2, u));
  PetscCall(end(&sys, &ts, &solver));
  return PETSC_SUCCESS;
}

static PetscErrorCode try(RungSystem *sys, const char message[])
{
  RungLineSolver      solver;
  RungTransientSystem ts;
  RungVerdict         verdict;
  Vec                 u[2];
  const PetscReal     slope[] = {1, 1, 1, 1};

  PetscFunctionBegin;
  PetscCall(solver_create(*sys, &ts, &solver));
  PetscCall(vecs_create(*sys, 2, u));
  CHECK_RAISES(RungLineApply(solver, u[0], u[1], &verdict), "there is no matrix");
  CHECK_RAISES(RungLineLinearise(solver, 0, u, slope, &verdict), message);
  PetscCall(vecs_destroy(2, u));
  PetscCall(end(sys, &ts, &solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_one_linear_solve_cannot_do_is_refused_by_name(void)
{
  RungSystem sys;

  PetscCall(system_create("triangle", 2, 3, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemSetBounds(sys, "u", "0", NULL));
  PetscCall(try(&sys, "unknown \"u\" has some"));
  PetscCall(system_create("triangle", 2, 3, "P1", &sys));
  PetscCall(add_unknown(sys, "s", "z", "Quad(2)"));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + s*v*dx(degree: 2) + (dt(s) + s^3 - u)*z*dx(degree: 2)"));
  PetscCall(try(&sys, "the internal variable \"s\""));
  PetscCall(system_create("triangle", 2, 3, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u + u^3)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(try(&sys, "-system_conserve false"));
  return PETSC_SUCCESS;
}

/* u'' + u = 0 with W = s_2 + s_0 */
static PetscErrorCode test_callbacks_have_their_matrix(void)
{
  RungSystem          sys;
  RungLineSolver      solver;
  RungTransientSystem ts;
  RungVerdict         verdict;
  Vec                 u[3], y;
  PetscReal           distance;

  PetscCall(oscillator_create(3, &sys));
  PetscCall(solver_create(sys, &ts, &solver));
  PetscCall(vecs_create(sys, 3, u));
  PetscCall(VecDuplicate(u[0], &y));
  PetscCall(RungLineLinearise(solver, 0, u, (PetscReal[]){1, 3, 4}, &verdict));
  PetscCall(RungLineApply(solver, u[0], y, &verdict));
  PetscCall(VecScale(y, 5));
  PetscCall(vec_distance(y, u[0], &distance));
  CHECK(verdict.solved);
  CHECK_NEAR(distance, 0, 1e-14);
  PetscCall(VecDestroy(&y));
  PetscCall(vecs_destroy(3, u));
  PetscCall(end(&sys, &ts, &solver));
  return PETSC_SUCCESS;
}

/* J x = b, solved for twice; whole: factors are whole ones the second time */
static PetscErrorCode check_incomplete(const char first[], const char second[], PetscBool whole)
{
  const PetscReal     slope[] = {1, 1, 9, whole ? 0 : 9}; /* values, then rates */
  RungSystem          sys;
  RungLineSolver      solver;
  RungTransientSystem ts;
  RungVerdict         verdict;
  Vec                 u[3], x;
  PetscReal           norm, distance;
  SNES                snes;
  KSP                 ksp;
  PC                  pc;

  PetscFunctionBegin;
  PetscCall(system_create("hexahedron", 3, 17, "Q1", &sys));
  PetscCall(add_unknown(sys, "p", "q", "Q1"));
  PetscCall(RungSystemAddResidual(sys, first));
  PetscCall(RungSystemAddResidual(sys, second));
  PetscCall(solver_create(sys, &ts, &solver));
  PetscCall(vecs_create(sys, 3, u));
  PetscCall(VecSet(u[0], 0.1));
  PetscCall(VecDuplicate(u[0], &x));
  PetscCall(RungLineSolverGetSNES(solver, &snes));
  PetscCall(SNESGetKSP(snes, &ksp));
  for (int i = 0; i < 2; ++i) {
    PetscBool lu;

    PetscCall(RungLineLinearise(solver, 0, u, slope, &verdict));
    CHECK(verdict.solved);
    PetscCall(RungLineApply(solver, u[1], x, &verdict));
    CHECK(verdict.solved);
    PetscCall(RungSystemAction(sys, 0, u, slope, x, u[2]));
    PetscCall(VecNorm(u[1], NORM_2, &norm));
    PetscCall(VecAXPY(u[2], -1, u[1]));
    PetscCall(VecNorm(u[2], NORM_2, &distance));
    CHECK(norm > 0);
    CHECK_NEAR(distance, 0, 1e-8 * norm);
    PetscCall(KSPGetPC(ksp, &pc)); /* another one, where factors have followed */
    PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCLU, &lu));
    CHECK(lu == (i && whole ? PETSC_TRUE : PETSC_FALSE));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(vecs_destroy(3, u));
  PetscCall(end(&sys, &ts, &solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In space, neither symmetric nor definite: incomplete factors while they are enough, whole ones behind a solve where
   they were not. */
static PetscErrorCode test_incomplete_factors_are_taken_while_they_are_enough(void)
{
  PetscCall(check_incomplete(
    "dt(u)*v*dx + 1e-3*inner(grad(u), grad(v))*dx + u*p^2*v*dx",
    "dt(p)*q*dx + dot(vector(x[1], -x[0], 0), grad(p))*q*dx + 0.1*inner(grad(p), grad(q))*dx - u*p*q*dx + p*q*dx",
    PETSC_FALSE));
  PetscCall(check_incomplete("dt(u)*v*dx + 100*inner(grad(p), grad(v))*dx",
                             "p*q*dx - u*q*dx - inner(grad(u), grad(q))*dx", PETSC_TRUE));
  return PETSC_SUCCESS;
}

/* An error of a step is filtered by the matrix of a line that is gone with the step: nothing of it is read, whichever solver has been chosen
   at it. */
static PetscErrorCode check_line_is_forgotten(PetscInt ahead, PetscBool factors)
{
  const RungLineSolverPlan plan = {.matrices = 1};
  RungLineSolver           solver;
  RungTransientSystem      ts;
  RungSystem               sys;
  RungVerdict              verdict = {0};
  RungLine                 line    = {.slope = {1, 1}};
  PetscBool                direct;
  PetscMPIInt              size;
  Vec                      u[4], small;
  KSP                      ksp;

  PetscFunctionBegin;
  PetscCall(system_create("tetrahedron", 3, 15, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx - v*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungSystemSetSolvesAhead(sys, ahead, 0));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungLineSolverCreate(ts, &plan, &solver));
  PetscCall(vecs_create(sys, 4, u));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, 1, &small));
  line.origin = line.base[0] = u[0];
  line.base[1]               = NULL;
  line.increment             = u[1];
  PetscCall(RungLineSolve(solver, 0, &line, NULL, u[2], &verdict));
  CHECK(verdict.solved);
  PetscCall(SNESGetKSP(solver->last->snes, &ksp));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPPREONLY, &direct));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) CHECK(direct == factors);             /* on several they are dearer */
  line.origin = line.base[0] = line.increment = small; /* what others have made of its memory */
  PetscCall(RungLineApply(solver, u[3], u[2], &verdict));
  CHECK(verdict.solved);
  PetscCall(VecDestroy(&small));
  PetscCall(vecs_destroy(4, u));
  PetscCall(end(&sys, &ts, &solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_solves_behind_a_line_read_nothing_of_it(void)
{
  PetscCall(check_line_is_forgotten(100000, PETSC_TRUE));
  PetscCall(check_line_is_forgotten(1, PETSC_FALSE));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(
  RUNG_TEST(test_solves_are_those_of_the_products), RUNG_TEST(test_numbers_and_internal_variables_are_solved_for),
  RUNG_TEST(test_what_depends_on_no_state_is_kept), RUNG_TEST(test_components_that_are_not_coupled_are_factored_apart),
  RUNG_TEST(test_a_singular_matrix_is_a_verdict), RUNG_TEST(test_what_one_linear_solve_cannot_do_is_refused_by_name),
  RUNG_TEST(test_callbacks_have_their_matrix), RUNG_TEST(test_incomplete_factors_are_taken_while_they_are_enough),
  RUNG_TEST(test_solves_behind_a_line_read_nothing_of_it))
