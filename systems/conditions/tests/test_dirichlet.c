/* test_dirichlet.c - boundary data, their rates, and what is refused. */
#include "check.h"
#include "form_problems.h"
#include "vectors.h"

#define WAVE    "dt(u, 2)*v*dx + inner(grad(u), grad(v))*dx"
#define ELASTIC "inner(dt(u, 2), v)*dx + inner(grad(u), grad(v))*dx"

/* Starts and throws away, also after an error: the checks of the start are made. */
static PetscErrorCode start(RungSystem sys)
{
  RungTransientSystem ts = NULL;
  PetscErrorCode      code;

  PetscFunctionBegin;
  code = RungTransientSystemCreate(sys, 1, 0, &ts);
  if (!code) code = RungTransientSystemStart(ts, 0.0);
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscFunctionReturn(code);
}

/* On a mesh of one cell every node of P1 is on the boundary: the whole Vec is data. */
static PetscErrorCode test_data_and_rates_are_exact_at_any_time(void)
{
  static const char *const rate[] = {"sin(2*t)*(1 + x[0])", "2*cos(2*t)*(1 + x[0])", "-4*sin(2*t)*(1 + x[0])"};
  RungSystem               sys;
  Vec                      u;
  PetscReal                error;

  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 1, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, WAVE));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", rate[0]));
  PetscCall(RungSystemCreateVec(sys, &u));
  for (PetscInt k = 0; k < 3; ++k) {
    PetscCall(RungSystemImposeDirichlet(sys, 0.7, k, u));
    PetscCall(error_of(sys, u, rate[k], 0.7, &error));
    CHECK_NEAR(error, 0, 1e-14);
  }
  CHECK_RAISES(RungSystemImposeDirichlet(sys, 0, 3, u), "derivative 3 of boundary data in a system of order 2");
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same derivative at one time after the other, and back: nothing of the last time may stay. */
static PetscErrorCode test_moving_data_follow_the_time_that_is_asked_for(void)
{
  static const PetscReal t[] = {0.7, 0.2, 0.2, 0.7, -1};
  RungSystem             sys;
  Vec                    u;
  PetscReal              error;

  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 1, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, WAVE));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", "sin(2*t)*(1 + x[0])"));
  PetscCall(RungSystemCreateVec(sys, &u));
  for (PetscInt i = 0; i < 5; ++i) {
    PetscCall(RungSystemImposeDirichlet(sys, t[i], 0, u));
    PetscCall(error_of(sys, u, "sin(2*t)*(1 + x[0])", t[i], &error));
    CHECK_NEAR(error, 0, 1e-14);
    PetscCall(RungSystemImposeDirichlet(sys, t[i], 1, u));
    PetscCall(error_of(sys, u, "2*cos(2*t)*(1 + x[0])", t[i], &error));
    CHECK_NEAR(error, 0, 1e-14);
  }
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_new_constant_renews_data_that_do_not_move(void)
{
  RungSystem sys;
  Vec        u;
  PetscReal  error;

  PetscFunctionBegin;
  PetscCall(system_create("interval", 1, 1, "P1", &sys));
  PetscCall(RungSystemSetConstant(sys, "a", 2));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", "a*(1 + x[0])"));
  PetscCall(RungSystemCreateVec(sys, &u));
  for (PetscInt i = 0; i < 2; ++i) {
    PetscCall(RungSystemSetConstant(sys, "a", 3 + (PetscReal)i));
    PetscCall(RungSystemImposeDirichlet(sys, 1, 0, u));
    PetscCall(error_of(sys, u, i ? "4*(1 + x[0])" : "3*(1 + x[0])", 0, &error));
    CHECK_NEAR(error, 0, 1e-14);
  }
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_components_take_their_own_data(void)
{
  RungSystem sys;
  IS         rows;
  Vec        values;
  PetscInt   n, wanted;
  PetscReal  sum;

  PetscFunctionBegin;
  PetscCall(system_create("quadrilateral", 2, 4, "Q1^d", &sys));
  PetscCall(RungSystemAddResidual(sys, ELASTIC));
  PetscCall(RungSystemSetDirichlet(sys, "u[1]", "left", "7"));
  PetscCall(RungSystemGetDirichlet(sys, 0, 0, &rows, &values));
  PetscCall(ISGetSize(rows, &n));
  wanted = 5;
  CHECK(n == wanted);
  PetscCall(VecSum(values, &sum));
  CHECK_NEAR(sum, 35, 1e-12);
  PetscCall(ISDestroy(&rows));
  PetscCall(VecDestroy(&values));
  PetscCall(RungSystemCreateVec(sys, &values));
  PetscCall(RungSystemImposeDirichlet(sys, 0, 0, values));
  PetscCall(error_of(sys, values, "vector(0, if(x[0] < 0.1, 7, 0))", 0, &sum)); /* u[0] is left alone */
  CHECK_NEAR(sum, 0, 1e-14);
  PetscCall(VecDestroy(&values));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_rows_are_zero_in_r_and_identity_in_j(void)
{
  const PetscReal sigma[] = {1, 2, 30};
  RungSystem      sys;
  Vec             v[5], values; /* u, u', u'', r, d */
  IS              rows;
  Mat             J;
  PetscReal       norm;

  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 3, "P2", &sys));
  PetscCall(RungSystemAddResidual(sys, WAVE));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "1 + t"));
  PetscCall(vecs_create(sys, 5, v));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemGetDirichlet(sys, 0, 0, &rows, &values));
  PetscCall(RungSystemResidual(sys, 0, v, v[3]));
  PetscCall(VecISCopy(v[3], rows, SCATTER_REVERSE, values));
  PetscCall(VecNorm(values, NORM_INFINITY, &norm));
  CHECK(norm == 0);
  PetscCall(RungSystemJacobian(sys, 0, v, sigma, J));
  PetscCall(VecSet(v[4], 0));
  PetscCall(VecISSet(v[4], rows, 1)); /* a Dirichlet column is that of the identity: J d = d */
  PetscCall(MatMult(J, v[4], v[3]));
  PetscCall(vec_distance(v[3], v[4], &norm));
  CHECK(norm == 0);
  PetscCall(ISDestroy(&rows));
  PetscCall(VecDestroy(&values));
  PetscCall(MatDestroy(&J));
  PetscCall(vecs_destroy(5, v));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_error_mask_is_zero_on_boundary_data(void)
{
  RungSystem  sys;
  Vec         mask;
  PetscScalar sum;

  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 3, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, WAVE));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", "0"));
  PetscCall(RungSystemGetErrorMask(sys, &mask));
  PetscCall(VecSum(mask, &sum));
  CHECK(sum == 4); /* of 16 nodes 12 lie on the boundary */
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- where conditions meet ---------------------------------------------------------------------------------------- */

static PetscErrorCode meet(const char left[], const char bottom[], const char message[])
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 2, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx"));
  PetscCall(RungSystemSetInitial(sys, "u", "x[0]"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", left));
  PetscCall(RungSystemSetDirichlet(sys, "u", "bottom", bottom));
  if (message)
    CHECK_RAISES(start(sys), message);
  else
    PetscCall(start(sys));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_conditions_that_agree_in_a_corner_are_taken(void)
{
  PetscFunctionBegin;
  PetscCall(meet("0", "x[0]", NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_conditions_that_contradict_name_both(void)
{
  PetscFunctionBegin;
  PetscCall(meet("0", "x[0] + 1", "Dirichlet u on bottom (x[0] + 1) and Dirichlet u on left (0) meet at x = (0"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is refused ---------------------------------------------------------------------------------------------- */

static PetscErrorCode refuse(const char spec[], const char name[], const char part[], const char text[],
                             const char message[])
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 2, spec, &sys));
  PetscCall(RungSystemAddResidual(sys, "inner(dt(u), v)*dx"));
  PetscCall(RungSystemSetDirichlet(sys, name, part, text));
  CHECK_RAISES(start(sys), message);
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_data_that_make_no_sense_are_refused(void)
{
  PetscFunctionBegin;
  PetscCall(refuse("P1", "u", "rihgt", "0", "rihgt"));
  PetscCall(refuse("P1", "w", "left", "0", "\"w\" is no unknown"));
  PetscCall(refuse("P1", "dt(u)", "left", "0", "rates follow by differentiation"));
  PetscCall(refuse("P1", "u", "left", "u + 1", "\"u\""));
  PetscCall(refuse("P1", "u", "left", "v", "a test function"));
  PetscCall(refuse("P1^d", "u", "left", "1", "is a scalar, wanted a vector[2]"));
  PetscCall(refuse("DP1", "u", "left", "0", "no values on the boundary"));
  PetscCall(refuse("P1", "u", "left", "log(-1 - x[1])", "Dirichlet u on left: the data is not finite at x = (0"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* message NULL: the data agree with the initial state */
static PetscErrorCode check_initial(const char initial[], const char part[], const char data[], const char message[])
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 2, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx"));
  PetscCall(RungSystemSetInitial(sys, "u", initial));
  PetscCall(RungSystemSetDirichlet(sys, "u", part, data));
  PetscCall(PetscOptionsSetValue(NULL, "-system_initial", "check"));
  PetscCall(RungSystemSetFromOptions(sys));
  PetscCall(PetscOptionsClearValue(NULL, "-system_initial"));
  if (message)
    CHECK_RAISES(start(sys), message);
  else
    PetscCall(start(sys));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_data_that_contradict_the_initial_state_can_be_an_error(void)
{
  PetscFunctionBegin;
  PetscCall(check_initial("1", "left", "1.5", "Dirichlet u on left contradicts the initial state by 0.5 at x = (0"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Zeros that rounding has moved are zeros, small numbers that were meant are not. */
static PetscErrorCode test_rounding_of_zero_is_no_contradiction(void)
{
  PetscFunctionBegin;
  PetscCall(check_initial("0", "right", "sin(pi*x[0])^2", NULL));
  PetscCall(check_initial("sin(pi*x[0])^2*x[1]", "right", "0", NULL));
  PetscCall(check_initial("sin(pi*x[0])*sin(pi*x[1])", "boundary", "0", NULL));
  PetscCall(check_initial("1e-20*sin(pi*x[0])", "right", "1e-36*x[0]", NULL));
  PetscCall(check_initial("0", "right", "1e-32*x[0]", "contradicts the initial state by 1e-32"));
  PetscCall(check_initial("1e-20", "left", "2e-20", "contradicts the initial state by 1e-20"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where conditions meet, numbers count by their size too. */
static PetscErrorCode test_small_conditions_that_contradict_are_seen(void)
{
  PetscFunctionBegin;
  PetscCall(meet("1e-20", "2e-20", "differ at t = 0.: 2e-20 and 1e-20"));
  PetscCall(meet("0", "sin(pi*(1 + x[0]))", NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A switch in the corner, where rounding can take either side, is no rounding of the nodes beside it. */
static PetscErrorCode test_a_switch_hides_no_contradiction(void)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 2, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", "0"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "top", "if(x[0]*(1 - x[0]) > 0, 1, 0)"));
  CHECK_RAISES(start(sys), "meet at x = (0.5, 1.) and differ at t = 0.: 1. and 0.");
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(meet("0", "if(x[0] > 0, 1, 0)", NULL));
  PetscCall(check_initial("0", "left", "if(x[1] > 0.5, 1, 0)", "contradicts the initial state by 1. at x = (0., 1.)"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A lid that begins to move beside walls that do not: 0 in the corners now, and not for long. */
static PetscErrorCode test_conditions_that_part_can_be_an_error(void)
{
  RungSystem sys;

  PetscFunctionBegin;
  for (int parts = 0; parts < 2; ++parts) {
    PetscCall(system_create("quadrilateral", 2, 2, "Q1", &sys));
    PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx"));
    PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
    PetscCall(RungSystemSetDirichlet(sys, "u", "top", parts ? "sin(t)" : "sin(t)*x[0]"));
    PetscCall(PetscOptionsSetValue(NULL, "-system_initial", "check"));
    PetscCall(RungSystemSetFromOptions(sys));
    PetscCall(PetscOptionsClearValue(NULL, "-system_initial"));
    if (parts)
      CHECK_RAISES(start(sys), "Dirichlet u on top and Dirichlet u on left meet at x = (0., 1.) and part after t = ");
    else
      PetscCall(start(sys));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A lid behind `boundary` that begins gently; the same data twice are no mistake, and two walls that have a short lid between them are two. */
static PetscErrorCode test_moving_data_that_are_nowhere_are_refused(void)
{
  static const char *const data[][4] = {{"boundary", "0", "t^2", "gives nothing: Dirichlet u on boundary (0) in front"},
                                        {"boundary", "t^2", "0", "gives nothing: Dirichlet u on boundary (t^2) in fr"},
                                        {"boundary", "t^2", "t^2", NULL},
                                        {"boundary", "x[1]", "1", NULL},
                                        {"left", "0", "t^2", NULL}};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(data); ++i) {
    RungSystem sys;

    PetscCall(system_create("quadrilateral", 2, 1, "Q1", &sys));
    PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx"));
    PetscCall(RungSystemSetDirichlet(sys, "u", data[i][0], data[i][1]));
    if (i == 4) PetscCall(RungSystemSetDirichlet(sys, "u", "right", "0"));
    PetscCall(RungSystemSetDirichlet(sys, "u", "top", data[i][2]));
    if (data[i][3])
      CHECK_RAISES(RungSystemSetUp(sys), data[i][3]);
    else
      PetscCall(RungSystemSetUp(sys));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(
  RUNG_TEST(test_moving_data_that_are_nowhere_are_refused), RUNG_TEST(test_conditions_that_part_can_be_an_error),
  RUNG_TEST(test_data_and_rates_are_exact_at_any_time), RUNG_TEST(test_moving_data_follow_the_time_that_is_asked_for),
  RUNG_TEST(test_a_new_constant_renews_data_that_do_not_move), RUNG_TEST(test_components_take_their_own_data),
  RUNG_TEST(test_rows_are_zero_in_r_and_identity_in_j), RUNG_TEST(test_the_error_mask_is_zero_on_boundary_data),
  RUNG_TEST(test_conditions_that_agree_in_a_corner_are_taken), RUNG_TEST(test_conditions_that_contradict_name_both),
  RUNG_TEST(test_data_that_make_no_sense_are_refused),
  RUNG_TEST(test_data_that_contradict_the_initial_state_can_be_an_error),
  RUNG_TEST(test_rounding_of_zero_is_no_contradiction), RUNG_TEST(test_small_conditions_that_contradict_are_seen),
  RUNG_TEST(test_a_switch_hides_no_contradiction))
