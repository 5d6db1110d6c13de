/* test_line_diagonal.c - matrices that are diagonals: found, and solved with as any other. */
#include "form_problems.h"
#include "vectors.h"
#include "../line_solver_impl.h"
#include <check.h>
#include <rungsystem_method.h>

typedef struct {
  RungSystem          sys;
  RungTransientSystem ts;
  RungLineSolver      solver;
  RungLine            line;
  Vec                 base[2], w, work[2];
} Step;

#define DATA    "t^2 + t^3"
#define GENERAL "-ksp_type cg -pc_type jacobi -ksp_rtol 1e-14"

/* On a line with a slope of 0.1 on what the order leaves below the highest rate; options choose the solver. */
static PetscErrorCode begin(const char cell[], PetscInt dim, const char spec[], const char data[], const char text[],
                            const char options[], Step *s)
{
  const RungLineSolverPlan plan = {.matrices = 1, .masses = PETSC_TRUE};
  RungTraits               traits;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(system_create(cell, dim, 4, spec, &s->sys));
  PetscCall(RungSystemSetConstant(s->sys, "rho", 2));
  PetscCall(RungSystemAddResidual(s->sys, text));
  if (data) PetscCall(RungSystemSetDirichlet(s->sys, "u", "left", data));
  PetscCall(RungTransientSystemCreate(s->sys, 1, 0, &s->ts));
  PetscCall(RungLineSolverCreate(s->ts, &plan, &s->solver));
  PetscCall(RungSystemGetTraits(s->sys, &traits));
  s->line = (RungLine){.base = {NULL}};
  PetscCall(vecs_create(s->sys, 2, s->base));
  PetscCall(vecs_create(s->sys, 2, s->work));
  PetscCall(RungSystemCreateVec(s->sys, &s->w));
  for (PetscInt k = 0; k < traits.order; ++k) {
    PetscCall(vec_fill(s->base[k], 3 + k));
    PetscCall(RungSystemImposeDirichlet(s->sys, 0.3, k, s->base[k]));
    s->line.base[k] = s->base[k];
  }
  s->line.slope[traits.order] = 1;
  if (traits.order == 2) s->line.slope[1] = 0.1;
  PetscCall(vec_fill(s->w, 7));
  PetscCall(RungSystemImposeDirichlet(s->sys, 0.3, traits.order, s->w));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(Step *s)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&s->w));
  PetscCall(vecs_destroy(2, s->work));
  PetscCall(vecs_destroy(2, s->base));
  PetscCall(RungLineSolverDestroy(&s->solver));
  PetscCall(RungTransientSystemDestroy(&s->ts));
  PetscCall(RungSystemDestroy(&s->sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both ways into one system lead to what conjugate gradients find. */
static PetscErrorCode check_case(const char cell[], PetscInt dim, const char spec[], const char data[],
                                 const char text[], PetscBool diagonal)
{
  Step            s, other;
  RungVerdict     verdict;
  RungSolveCounts counts;
  PetscReal       distance, norm;
  PetscBool       is;

  PetscFunctionBegin;
  PetscCall(begin(cell, dim, spec, data, text, "", &s));
  PetscCall(begin(cell, dim, spec, data, text, GENERAL, &other));
  PetscCall(RungLineSolve(s.solver, 0.3, &s.line, NULL, s.w, &verdict));
  CHECK(verdict.solved);
  PetscCall(RungLineIsDiagonal(s.solver->last, &is));
  CHECK(is == diagonal);
  RungLineSolverTakeCounts(s.solver, &counts);
  if (diagonal) CHECK(counts.newton == 1 && counts.linear == 1 && counts.residuals == 1 && counts.factorisations == 1);
  PetscCall(RungLineSolve(other.solver, 0.3, &other.line, NULL, other.w, &verdict));
  CHECK(verdict.solved);
  PetscCall(RungLineIsDiagonal(other.solver->last, &is));
  CHECK(!is);
  PetscCall(VecNorm(other.w, NORM_INFINITY, &norm));
  PetscCall(vec_distance(s.w, other.w, &distance));
  CHECK(norm > 0.01);
  CHECK_NEAR(distance, 0, 1e-9 * norm);
  PetscCall(end(&s));
  PetscCall(end(&other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_lumped_masses_are_solved_without_a_solver(void)
{
  PetscCall(check_case("quadrilateral", 2, "Q2", DATA,
                       "rho*dt(u, 2)*v*dx(rule: nodes) + inner(grad(u), grad(v))*dx - sin(t)*v*dx", PETSC_TRUE));
  PetscCall(check_case("hexahedron", 3, "Q2^3", "vector(t^2, 0, t^3)",
                       "(1 + x[0])*dot(dt(u, 2), v)*dx(rule: nodes) + rho*dot(dt(u), v)*dx(rule: nodes) + "
                       "(1 + dot(u, u))*inner(grad(u), grad(v))*dx",
                       PETSC_TRUE));
  PetscCall(
    check_case("triangle", 2, "P1", DATA, "rho*dt(u)*v*dx(rule: nodes) + inner(grad(u), grad(v))*dx", PETSC_TRUE));
  PetscCall(check_case("quadrilateral", 2, "DG0", NULL, "rho*dt(u)*v*dx + u^2*v*dx", PETSC_TRUE));
  return PETSC_SUCCESS;
}

/* Consistent masses; components that are coupled, also by rows without a sum; damping beside a lumped mass. */
static PetscErrorCode test_other_masses_are_not(void)
{
  PetscCall(check_case("quadrilateral", 2, "Q2", DATA, "rho*dt(u, 2)*v*dx + inner(grad(u), grad(v))*dx", PETSC_FALSE));
  PetscCall(check_case("triangle", 2, "P1^2", "vector(0, t^2)",
                       "(rho*dt(u[0])*v[0] + dt(u[1])*v[1] + 0.5*dt(u[0])*v[1] + 0.5*dt(u[1])*v[0])*dx(rule: nodes) + "
                       "u[0]^2*v[0]*dx",
                       PETSC_FALSE));
  PetscCall(check_case("triangle", 2, "P1^4", "vector(0, t^2, 0, 0)",
                       "(dot(dt(u), v) + 0.25*(dt(u[0]) - dt(u[2]))*(v[1] - v[3]) + "
                       "0.25*(dt(u[1]) - dt(u[3]))*(v[0] - v[2]))*dx(rule: nodes) + u[0]^2*v[0]*dx",
                       PETSC_FALSE));
  PetscCall(check_case("quadrilateral", 2, "Q2", DATA,
                       "rho*dt(u, 2)*v*dx(rule: nodes) + inner(grad(dt(u)), grad(v))*dx + u*v*dx", PETSC_FALSE));
  return PETSC_SUCCESS;
}

/* The mass of a nonlinear system after RungLineLinearise(); its diagonal follows a constant. */
static PetscErrorCode test_rates_follow_the_constants_of_the_mass(void)
{
  const char *text = "rho*dt(u)*v*dx(rule: nodes) + (1 + u^2)*inner(grad(u), grad(v))*dx";

  Step            s;
  RungVerdict     verdict;
  RungSolveCounts counts;
  PetscReal       distance, norm;
  Vec             first;

  PetscCall(begin("quadrilateral", 2, "Q2", DATA, text, "", &s));
  PetscCall(VecDuplicate(s.w, &first));
  for (int i = 0; i < 3; ++i) {
    PetscCall(VecSet(s.w, 0));
    if (i == 2) PetscCall(RungSystemSetConstant(s.sys, "rho", 4));
    PetscCall(RungLineLinearise(s.solver, 0.3, (Vec[]){s.base[0], s.w}, s.line.slope, &verdict));
    PetscCall(RungLineFindRates(s.solver, 0.3, &s.line, NULL, s.work[0], s.work[1], s.w, &verdict));
    CHECK(verdict.solved);
    if (!i) PetscCall(VecCopy(s.w, first));
  }
  RungLineSolverTakeCounts(s.solver, &counts);
  CHECK(counts.jacobians == 2 && counts.applied == 3 && counts.factorisations == 2);
  PetscCall(VecScale(s.w, 2));
  PetscCall(VecNorm(first, NORM_INFINITY, &norm));
  PetscCall(vec_distance(first, s.w, &distance));
  CHECK(norm > 0.01);
  CHECK_NEAR(distance, 0, 1e-12 * norm);
  PetscCall(RungLineApply(s.solver, s.base[0], s.w, &verdict)); /* the matrix alone */
  PetscCall(RungSystemAction(s.sys, 0.3, (Vec[]){s.base[0], first}, s.line.slope, s.w, s.work[0]));
  PetscCall(RungSystemImposeDirichlet(s.sys, 0.3, 0, s.work[0])); /* as the right-hand side has it */
  PetscCall(vec_distance(s.work[0], s.base[0], &distance));
  CHECK_NEAR(distance, 0, 1e-12);
  PetscCall(VecDestroy(&first));
  PetscCall(end(&s));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_what_is_not_finite_is_told(void)
{
  Step        s;
  RungVerdict verdict;

  PetscCall(begin("quadrilateral", 2, "Q2", DATA, "rho*dt(u)*v*dx(rule: nodes) + sqrt(u - 10)*v*dx", "", &s));
  PetscCall(RungLineSolve(s.solver, 0.3, &s.line, NULL, s.w, &verdict));
  CHECK(!verdict.solved && verdict.cause == RUNG_REFUSED_DOMAIN);
  CHECK(strstr(verdict.why, "the residual is not finite: form \"residual\" is not finite in the cell at"));
  PetscCall(end(&s));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_lumped_masses_are_solved_without_a_solver), RUNG_TEST(test_other_masses_are_not),
               RUNG_TEST(test_rates_follow_the_constants_of_the_mass), RUNG_TEST(test_what_is_not_finite_is_told))
