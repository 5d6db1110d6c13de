/* test_line_masses.c - masses of explicit methods: what F couples elsewhere is neither stored nor solved for. */
#include "form_problems.h"
#include "vectors.h"
#include <check.h>
#include <rungsystem_method.h>
#include <rungsolve_room.h>

typedef struct {
  RungSystem          sys;
  RungTransientSystem ts;
  RungLineSolver      solver;
  RungVerdict         verdict;
  Vec                 u[3];
  PetscReal           slope[3 * 3]; /* 1 on the highest rates */
} Masses;

static PetscErrorCode begin(Masses *m)
{
  const RungLineSolverPlan plan = {.matrices = 1, .masses = PETSC_TRUE};
  RungTraits               traits;

  PetscFunctionBegin;
  PetscCall(RungSystemSetUp(m->sys));
  PetscCall(RungSystemGetTraits(m->sys, &traits));
  CHECK(traits.mass);
  PetscCall(RungTransientSystemCreate(m->sys, 1, 0, &m->ts));
  PetscCall(RungLineSolverCreate(m->ts, &plan, &m->solver));
  PetscCall(vecs_create(m->sys, traits.order + 1, m->u));
  for (PetscInt f = 0; f < traits.unknowns; ++f) m->slope[traits.order * traits.unknowns + f] = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(Masses *m)
{
  RungTraits traits;

  PetscFunctionBegin;
  PetscCall(RungSystemGetTraits(m->sys, &traits));
  PetscCall(vecs_destroy(traits.order + 1, m->u));
  PetscCall(RungLineSolverDestroy(&m->solver));
  PetscCall(RungTransientSystemDestroy(&m->ts));
  PetscCall(RungSystemDestroy(&m->sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* M x = b by products that know no matrix.  Out  nz  of the matrix that was solved with;  its  iterations */
static PetscErrorCode solve(Masses *m, PetscReal *nz, PetscInt *its)
{
  RungSolveCounts counts;
  PetscReal       norm, distance;
  Vec             x, b, kept;
  MatInfo         info;
  SNES            snes;
  KSP             ksp;
  Mat             M;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(m->u[0], &x));
  PetscCall(VecDuplicate(x, &b));
  PetscCall(VecDuplicate(x, &kept));
  PetscCall(RungSystemTimeDerivative(m->sys, 0.3, m->u, b));
  PetscCall(RungSystemResidual(m->sys, 0.3, m->u, kept));
  PetscCall(VecAXPY(b, 1, kept));
  PetscCall(VecCopy(b, kept));
  PetscCall(RungLineLinearise(m->solver, 0.3, m->u, m->slope, &m->verdict));
  CHECK(m->verdict.solved);
  RungLineSolverTakeCounts(m->solver, &counts);
  PetscCall(RungLineApply(m->solver, b, x, &m->verdict));
  CHECK(m->verdict.solved);
  RungLineSolverTakeCounts(m->solver, &counts);
  *its = counts.linear;
  PetscCall(RungSystemAction(m->sys, 0.3, m->u, m->slope, x, b));
  PetscCall(VecNorm(kept, NORM_INFINITY, &norm));
  PetscCall(vec_distance(b, kept, &distance));
  CHECK(norm > 1e-3);
  CHECK_NEAR(distance, 0, 1e-9 * norm);
  PetscCall(RungLineSolverGetSNES(m->solver, &snes));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPGetOperators(ksp, &M, NULL));
  PetscCall(MatGetInfo(M, MAT_GLOBAL_SUM, &info));
  *nz = info.nz_used;
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Upwind fluxes between cells: cells are alone in the mass. */
static PetscErrorCode test_cells_are_alone_in_masses_of_discontinuous_functions(void)
{
  Masses    m = {.sys = NULL};
  PetscReal nz;
  PetscInt  its;

  PetscCall(system_create("hexahedron", 3, 6, "DG2", &m.sys));
  PetscCall(RungSystemAddResidual(m.sys, "2*dt(u)*v*dx + (x[0] + u^2)*v*dx + (plus(u) - minus(u))*jump(v)*dS"));
  PetscCall(begin(&m));
  PetscCall(solve(&m, &nz, &its));
  CHECK_NEAR(nz, 216. * 27 * 27, 0.5);
  CHECK(its < 60);
  PetscCall(end(&m));
  return PETSC_SUCCESS;
}

/* Components and unknowns have masses of their own, with data on the boundary, a periodic pair, a second order in time. */
static PetscErrorCode test_unknowns_and_components_are_alone(void)
{
  Masses    m = {.sys = NULL};
  PetscReal nz, all;
  PetscInt  its;
  MatInfo   info;
  Mat       J;

  PetscCall(system_create("tetrahedron", 3, 9, "P1^3", &m.sys));
  PetscCall(add_unknown(m.sys, "p", "q", "P1"));
  PetscCall(RungSystemAddResidual(m.sys, "(1 + x[0])*inner(dt(u, 2), v)*dx + inner(dot(grad(u), u) + grad(p), v)*dx"));
  PetscCall(RungSystemAddResidual(m.sys, "dt(p, 2)*q*dx + div(dt(u))*q*dx + (x[0] - p^3)*q*dx"));
  PetscCall(RungSystemSetDirichlet(m.sys, "u", "left", "vector(sin(t), 0, t^2)"));
  PetscCall(RungSystemAddPeriodic(m.sys, "p", "top", "bottom", NULL, "0"));
  PetscCall(begin(&m));
  PetscCall(solve(&m, &nz, &its));
  CHECK(its > 1 && its < 60);
  PetscCall(RungSystemCreateMat(m.sys, &J));
  PetscCall(MatGetInfo(J, MAT_GLOBAL_SUM, &info));
  all = info.nz_used;
  PetscCall(MatDestroy(&J));
  CHECK(nz > 0.2 * all && nz < 0.3 * all);
  PetscCall(end(&m));
  return PETSC_SUCCESS;
}

/* A mass that moves is made anew and has what it has; one that is full is not copied. */
static PetscErrorCode test_masses_that_move_are_solved_with(void)
{
  Masses    m = {.sys = NULL};
  PetscReal nz;
  PetscInt  its;

  PetscCall(system_create("quadrilateral", 2, 8, "Q2", &m.sys));
  PetscCall(RungSystemAddResidual(m.sys, "(1 + u^2)*dt(u)*v*dx + u*dot(vector(1, 2), grad(u))*v*dx - x[1]*v*dx"));
  PetscCall(begin(&m));
  PetscCall(solve(&m, &nz, &its));
  PetscCall(VecSet(m.u[0], 2));
  PetscCall(solve(&m, &nz, &its));
  PetscCall(end(&m));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_other_slopes_are_refused(void)
{
  Masses m = {.sys = NULL};

  PetscCall(system_create("triangle", 2, 2, "P1", &m.sys));
  PetscCall(RungSystemAddResidual(m.sys, "dt(u)*v*dx + u^2*v*dx"));
  PetscCall(begin(&m));
  m.slope[0] = 0.5;
  CHECK_RAISES(RungLineLinearise(m.solver, 0, m.u, m.slope, &m.verdict),
               "a slope of 0.5 on derivative 0 in time of \"u\" in a method whose plan says that it solves no stages");
  PetscCall(end(&m));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_cells_are_alone_in_masses_of_discontinuous_functions),
               RUNG_TEST(test_unknowns_and_components_are_alone), RUNG_TEST(test_masses_that_move_are_solved_with),
               RUNG_TEST(test_other_slopes_are_refused))
