/* test_form_signs.c - what fields and constants say of the sign of J is asked when they have values, and again when they change. */
#include "form_problems.h"
#include "vectors.h"
#include <check.h>
#include <rungsolve_room.h>
#include <rungsystem_room.h>

typedef struct {
  RungSystem          sys;
  RungField           k;
  RungTransientSystem ts;
  RungLineSolver      solver;
} Body;

/* M u' + K u + c M u = x[0], k a field: 3375 entries, more than are factored in any case */
static PetscErrorCode begin(Body *body)
{
  const RungLineSolverPlan plan = {.matrices = 1};
  RungSpace                space;

  PetscFunctionBegin;
  PetscCall(system_create("tetrahedron", 3, 14, "P1", &body->sys));
  PetscCall(RungSystemGetUnknown(body->sys, 0, NULL, &space));
  PetscCall(RungFieldCreate(space, "k", &body->k));
  PetscCall(RungSystemAddField(body->sys, "k", body->k));
  PetscCall(RungSystemSetConstant(body->sys, "c", 1));
  PetscCall(RungSystemAddResidual(body->sys, "dt(u)*v*dx + k*inner(grad(u), grad(v))*dx + c*u*v*dx - x[0]*v*dx"));
  PetscCall(RungSystemSetSolvesAhead(body->sys, 2, 0)); /* factors pay for many */
  PetscCall(RungTransientSystemCreate(body->sys, 1, 0, &body->ts));
  PetscCall(RungLineSolverCreate(body->ts, &plan, &body->solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill(Body *body, PetscReal value)
{
  Vec u, v[3];

  PetscFunctionBegin;
  PetscCall(RungFieldGetVec(body->k, &u));
  PetscCall(VecSet(u, value));
  PetscCall(vecs_create(body->sys, 3, v));
  PetscCall(RungSystemResidual(body->sys, 0, v, v[2])); /* by blocks, whose type is that of the matrix */
  PetscCall(vecs_destroy(3, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One solve: its solver is conjugate gradients or it is not, and F is 0. */
static PetscErrorCode solve(Body *body, PetscBool gradients)
{
  const RungLine line = {.slope = {1, 1}};
  RungVerdict    verdict;
  PetscReal      norm;
  PetscBool      is;
  SNES           snes;
  KSP            ksp;
  Vec            u[2], r;

  PetscFunctionBegin;
  PetscCall(RungSystemCreateVec(body->sys, &u[0]));
  PetscCall(VecDuplicate(u[0], &r));
  PetscCall(VecZeroEntries(u[0]));
  PetscCall(RungLineSolve(body->solver, 0, &line, NULL, u[0], &verdict));
  CHECK(verdict.solved);
  PetscCall(RungLineSolverGetSNES(body->solver, &snes));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPCG, &is));
  CHECK(is == gradients);
  u[1] = u[0];
  PetscCall(RungSystemResidual(body->sys, 0, u, r));
  PetscCall(VecNorm(r, NORM_INFINITY, &norm));
  CHECK_NEAR(norm, 0, 1e-9);
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&u[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(Body *body)
{
  PetscFunctionBegin;
  PetscCall(RungLineSolverDestroy(&body->solver));
  PetscCall(RungTransientSystemDestroy(&body->ts));
  PetscCall(RungSystemDestroy(&body->sys));
  PetscCall(RungFieldDestroy(&body->k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_fields_that_are_filled_behind_set_up_show_their_sign(void)
{
  RungTraits traits;
  Body       body;

  PetscCall(begin(&body));
  PetscCall(RungSystemGetTraits(body.sys, &traits));
  CHECK(!traits.definite); /* 0 everywhere: nobody knows */
  PetscCall(fill(&body, 2));
  PetscCall(solve(&body, PETSC_TRUE));
  PetscCall(RungSystemGetTraits(body.sys, &traits));
  CHECK(traits.definite);
  PetscCall(end(&body));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_signs_that_turn_take_another_solver_and_back(void)
{
  Body body;

  PetscCall(begin(&body));
  PetscCall(fill(&body, 2));
  PetscCall(solve(&body, PETSC_TRUE));
  PetscCall(RungSystemSetConstant(body.sys, "c", -50)); /* eigenvalues of both signs */
  PetscCall(solve(&body, PETSC_FALSE));
  PetscCall(RungSystemSetConstant(body.sys, "c", 3));
  PetscCall(solve(&body, PETSC_TRUE));
  PetscCall(fill(&body, -1));
  PetscCall(solve(&body, PETSC_FALSE));
  PetscCall(end(&body));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_fields_that_are_filled_behind_set_up_show_their_sign),
               RUNG_TEST(test_signs_that_turn_take_another_solver_and_back))
