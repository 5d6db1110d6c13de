/* test_global.c - unknowns that are numbers of the whole mesh, beside fields on it. */
#include "check.h"
#include "form_problems.h"
#include "vectors.h"

static PetscErrorCode add_unknowns(const char spec[], const char global[], RungSystem *sys)
{
  RungSpace            space, numbers;
  const RungSpaceData *data;

  PetscFunctionBegin;
  PetscCall(space_create("triangle", 2, 4, spec, &space));
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(RungSpaceCreate(data->mesh, global, &numbers));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSystemAddUnknown(*sys, "p", "q", numbers));
  PetscCall(RungSpaceDestroy(&numbers));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* - div grad u + p = f with n.grad u = 2 on the right, int u = 0: p takes up what f has too much. */
static PetscErrorCode test_a_multiplier_fixes_the_mean_of_a_neumann_problem(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  PetscReal           value[2], error;

  PetscFunctionBegin;
  PetscCall(add_unknowns("P2", "R", &sys));
  PetscCall(RungSystemDefine(sys, "f", "-2 + 0.75"));
  PetscCall(RungSystemAddResidual(sys, "inner(grad(u), grad(v))*dx + p*v*dx + u*q*dx - f*v*dx"));
  PetscCall(RungSystemAddResidual(sys, "-2*v*ds(right)"));
  PetscCall(RungSystemAddQuantity(sys, "mean", "u*dx"));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungTransientSystemStart(ts, 0));
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  PetscCall(RungSystemEvaluateQuantities(sys, 0, state->u, value));
  CHECK_NEAR(value[0], 0, 1e-13);
  CHECK_NEAR(value[1], 0.75, 1e-11);
  PetscCall(error_of(sys, state->u[0], "x[0]^2 - 1/3", 0, &error));
  CHECK_NEAR(error, 0, 1e-11);
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* C p' + p/R = flow, where flow is an integral over a part of the boundary: the rate follows at the start. */
static PetscErrorCode test_a_term_over_nothing_has_weight_one(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  PetscReal           value;
  Vec                 u[2];

  PetscFunctionBegin;
  PetscCall(add_unknowns("P1", "R", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx + p*v*ds(right)"));
  PetscCall(RungSystemAddResidual(sys, "(2*dt(p) + p/4)*q*dR - u*q*ds(right)"));
  PetscCall(RungSystemSetInitial(sys, "u", "1 + x[1]"));
  PetscCall(RungSystemSetInitial(sys, "p", "3*cos(t)"));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungTransientSystemStart(ts, 0));
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  PetscCall(RungSystemEvaluateQuantities(sys, 0, state->u, &value));
  CHECK_NEAR(value, 3, 0);
  u[0] = u[1] = state->u[1];
  PetscCall(RungSystemEvaluateQuantities(sys, 0, u, &value));
  CHECK_NEAR(value, (1.5 - 0.75) / 2, 1e-12);
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J of a form that couples fields and numbers in all ways, against differences; any number of ranks. */
static PetscErrorCode test_the_border_of_the_matrix_is_the_derivative(void)
{
  const PetscReal sigma[] = {1, 1, 0, 0}, h = 1e-6;
  RungSystem      sys;
  Mat             J;
  Vec             u[2], d, plus, minus;
  PetscReal       distance;

  PetscFunctionBegin;
  PetscCall(add_unknowns("P2^d", "R^3", &sys));
  PetscCall(RungSystemAddResidual(sys, "inner(dt(u), v)*dx + p[0]*p[1]*inner(u, v)*dx + p[2]^2*v[1]*ds(top)"));
  PetscCall(RungSystemAddResidual(sys, "inner(dt(p), q)*dR + u[0]*p[1]*q[2]*dx + p[0]^3*q[0]*dR + u[1]*q[1]*ds"));
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemJacobian(sys, 0, u, sigma, J));
  PetscCall(RungSystemCreateVec(sys, &d));
  PetscCall(VecDuplicate(d, &plus));
  PetscCall(VecDuplicate(d, &minus));
  PetscCall(vec_fill(d, 7));
  PetscCall(VecAXPY(u[0], h, d));
  PetscCall(RungSystemResidual(sys, 0, u, plus));
  PetscCall(VecAXPY(u[0], -2 * h, d));
  PetscCall(RungSystemResidual(sys, 0, u, minus));
  PetscCall(VecAXPBY(plus, -1 / (2 * h), 1 / (2 * h), minus));
  PetscCall(MatMult(J, d, minus));
  PetscCall(vec_distance(plus, minus, &distance));
  CHECK_NEAR(distance, 0, 1e-8);
  PetscCall(VecDestroy(&plus));
  PetscCall(VecDestroy(&minus));
  PetscCall(VecDestroy(&d));
  PetscCall(vecs_destroy(2, u));
  PetscCall(MatDestroy(&J));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refuse(const char residual[], const char initial[], const char text[])
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(add_unknowns("P1", "R", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + dt(p)*q*dR"));
  PetscCall(RungSystemAddResidual(sys, residual));
  PetscCall(RungSystemSetInitial(sys, "p", initial));
  CHECK_RAISES(RungSystemSetUp(sys), text);
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_has_no_value_over_nothing_is_refused(void)
{
  PetscFunctionBegin;
  PetscCall(refuse("x[0]*q*dR", "0", "dR is one place without coordinates: x is not known there"));
  PetscCall(refuse("p*q*dR(left)", "0", "dR has no parts"));
  PetscCall(refuse("u*q*dR", "0", "\"u\" lives in P1 and has no value under dR"));
  PetscCall(refuse("p*v*dR", "0", "\"u\" lives in P1 and has no value under dR"));
  PetscCall(refuse("p*q*dx", "x[0]", "initial p: \"x[0]\" depends on x, but \"p\" is one number"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u' = lap u + p with the mean of u held: columns of rates and of the multiplier are scaled apart, the matrix of the start
   is not symmetric though the form is. */
static PetscErrorCode test_a_multiplier_beside_a_rate_starts_on_any_number_of_ranks(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  RungSpace           space, global;
  Vec                 r;
  PetscReal           norm;

  PetscFunctionBegin;
  PetscCall(space_create("triangle", 2, 6, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  {
    const RungSpaceData *data;

    PetscCall(RungSpaceGetData(space, &data));
    PetscCall(RungSpaceCreate(data->mesh, "R", &global));
  }
  PetscCall(RungSystemAddUnknown(sys, "p", "q", global));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx + p*v*dx + u*q*dx"));
  PetscCall(RungSystemSetInitial(sys, "u", "x[0] - 0.5"));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungTransientSystemStart(ts, 0));
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  PetscCall(RungSystemCreateVec(sys, &r));
  PetscCall(RungSystemResidual(sys, 0, state->u, r));
  PetscCall(VecNorm(r, NORM_2, &norm));
  CHECK_NEAR(norm, 0, 1e-8);
  PetscCall(VecDestroy(&r));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&global));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_multiplier_fixes_the_mean_of_a_neumann_problem),
               RUNG_TEST(test_a_term_over_nothing_has_weight_one),
               RUNG_TEST(test_the_border_of_the_matrix_is_the_derivative),
               RUNG_TEST(test_what_has_no_value_over_nothing_is_refused),
               RUNG_TEST(test_a_multiplier_beside_a_rate_starts_on_any_number_of_ranks))
