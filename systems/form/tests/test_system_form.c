/* test_system_form.c - systems of weak forms: starts, traits, messages. */
#include "check.h"
#include "form_problems.h"
#include "vectors.h"
#include <rungforms.h>

static PetscErrorCode start(RungSystem sys, PetscReal t, RungTransientSystem *ts, const RungState **state)
{
  PetscFunctionBegin;
  PetscCall(RungTransientSystemCreate(sys, 1, 0, ts));
  PetscCall(RungTransientSystemStart(*ts, t));
  PetscCall(RungTransientSystemGetState(*ts, 0, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode finish(RungSystem *sys, RungTransientSystem *ts)
{
  PetscFunctionBegin;
  PetscCall(RungTransientSystemDestroy(ts));
  PetscCall(RungSystemDestroy(sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- starts ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode test_heat_starts_with_the_exact_rate(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  PetscReal           error;

  PetscFunctionBegin;
  PetscCall(heat_create(&sys));
  PetscCall(start(sys, 0.3, &ts, &state));
  PetscCall(error_of(sys, state->u[0], "g", 0.3, &error));
  CHECK_NEAR(error, 0, 1e-14);
  PetscCall(error_of(sys, state->u[1], "3*cos(3*t + 0.4)*(1 + x[0] + 2*x[1]^2)", 0.3, &error));
  CHECK_NEAR(error, 0, 1e-10);
  PetscCall(finish(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_elastodynamics_starts_with_the_exact_acceleration(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  PetscReal           error;

  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 2, "P2^d", &sys));
  PetscCall(RungSystemSetConstant(sys, "rho", 3));
  PetscCall(RungSystemDefine(sys, "w", "vector(x[0]^2 + x[1], x[0]*x[1])"));
  PetscCall(RungSystemDefine(sys, "f", "-rho*4*sin(2*t)*w - sin(2*t)*vector(4 + 1, 0)"));
  PetscCall(RungSystemAddResidual(sys, "rho*inner(dt(u, 2), v)*dx - inner(f, v)*dx"));
  PetscCall(RungSystemAddResidual(sys, "inner(2*sym(grad(u)), grad(v))*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", "sin(2*t)*w"));
  PetscCall(RungSystemSetInitial(sys, "u", "sin(2*t)*w"));
  PetscCall(RungSystemSetInitial(sys, "dt(u)", "2*cos(2*t)*w"));
  PetscCall(start(sys, 0.3, &ts, &state));
  PetscCall(error_of(sys, state->u[2], "-4*sin(2*t)*w", 0.3, &error));
  CHECK_NEAR(error, 0, 1e-9);
  PetscCall(finish(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two unknowns, one algebraic: it is solved for, and the differential one stays as it was given. */
static PetscErrorCode test_an_algebraic_unknown_is_solved_for(void)
{
  RungSpace           space;
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  Vec                 r;
  PetscReal           norm, error;

  PetscFunctionBegin;
  PetscCall(space_create("triangle", 2, 3, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "c", "p", space));
  PetscCall(RungSystemAddUnknown(sys, "m", "q", space));
  PetscCall(RungSystemAddResidual(sys, "dt(c)*p*dx + inner(grad(m), grad(p))*dx"));
  PetscCall(RungSystemAddResidual(sys, "(m + m^3)*q*dx - c^3*q*dx - inner(grad(c), grad(q))*dx"));
  PetscCall(RungSystemSetInitial(sys, "c", "cos(pi*x[0])"));
  PetscCall(start(sys, 0, &ts, &state));
  PetscCall(RungSystemCreateVec(sys, &r));
  PetscCall(RungSystemResidual(sys, 0, state->u, r));
  PetscCall(VecNorm(r, NORM_INFINITY, &norm));
  CHECK_NEAR(norm, 0, 1e-9);
  PetscCall(error_of(sys, state->u[0], "cos(pi*x[0])", 0, &error));
  CHECK_NEAR(error, 0, 1e-15);
  PetscCall(VecDestroy(&r));
  PetscCall(finish(&sys, &ts));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The coefficient of dt(u) vanishes in half of the mesh, which no text shows. */
static PetscErrorCode test_a_mass_that_vanishes_on_part_of_the_mesh_still_starts(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  Vec                 r;
  PetscReal           norm;

  PetscFunctionBegin;
  PetscCall(system_create("interval", 1, 8, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, "if(x[0] < 0.5, 1, 0)*dt(u)*v*dx + inner(grad(u), grad(v))*dx + u*v*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "1 + sin(t)"));
  PetscCall(RungSystemSetInitial(sys, "u", "1"));
  PetscCall(start(sys, 0, &ts, &state));
  PetscCall(RungSystemCreateVec(sys, &r));
  PetscCall(RungSystemResidual(sys, 0, state->u, r));
  PetscCall(VecNorm(r, NORM_INFINITY, &norm));
  CHECK_NEAR(norm, 0, 1e-5);
  PetscCall(VecDestroy(&r));
  PetscCall(finish(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_steady_state_with_boundary_value_starts_at_rest(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  PetscReal           norm;

  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 4, "P2", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", "3"));
  PetscCall(RungSystemSetInitial(sys, "u", "3"));
  PetscCall(start(sys, 0, &ts, &state));
  PetscCall(VecNorm(state->u[1], NORM_INFINITY, &norm));
  CHECK_NEAR(norm, 0, 1e-11);
  PetscCall(finish(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- traits ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode test_traits_are_read_off_the_forms(void)
{
  RungSystem sys;
  RungTraits traits;

  PetscFunctionBegin;
  PetscCall(heat_create(&sys));
  PetscCall(RungSystemGetTraits(sys, &traits));
  CHECK(traits.unknowns == 1 && traits.order == 1 && traits.unknown_order[0] == 1);
  CHECK(traits.linear && traits.constant_jacobian && traits.symmetric && traits.time_dependent && !traits.conserved);
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_stationary_form_is_a_system_of_order_zero(void)
{
  RungSystem sys;
  RungTraits traits;

  PetscFunctionBegin;
  PetscCall(system_create("interval", 1, 4, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, "inner(grad(u), grad(v))*dx - v*dx"));
  PetscCall(RungSystemGetTraits(sys, &traits));
  CHECK(traits.order == 0);
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- messages ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode refuse(const char residual[], const char message[])
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(system_create("interval", 1, 2, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx"));
  PetscCall(RungSystemAddResidual(sys, residual));
  CHECK_RAISES(RungSystemSetUp(sys), message);
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_messages_name_the_residual_by_its_number(void)
{
  PetscFunctionBegin;
  PetscCall(refuse("u*v", "residual 2"));
  PetscCall(refuse("u*dx", "residual 2"));
  PetscCall(refuse("u*v*dx +", "residual 2"));
  PetscCall(refuse("kapa*u*v*dx", "residual 2"));
  PetscCall(refuse("u*v*ds(rihgt)", "rihgt"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_an_unknown_without_equation_is_refused(void)
{
  RungSpace  space;
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(space_create("interval", 1, 2, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "c", "p", space));
  PetscCall(RungSystemAddUnknown(sys, "m", "q", space));
  PetscCall(RungSystemAddResidual(sys, "dt(c)*p*dx + m*p*dx"));
  CHECK_RAISES(RungSystemSetUp(sys), "unknown \"m\" has no equation: no residual contains its test function \"q\"");
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a set-up made before it was refused is gone: the next one makes it once. */
static PetscErrorCode test_a_system_that_was_refused_can_be_completed(void)
{
  const char *const *name;
  RungSpace          space;
  RungSystem         sys;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(space_create("interval", 1, 2, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddProbe(sys, "tip", "u", (PetscReal[]){0.5}));
  PetscCall(RungSystemAddQuantity(sys, "total", "scale*u*dx"));
  CHECK_RAISES(RungSystemSetUp(sys), "the system has no residual");
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx"));
  CHECK_RAISES(RungSystemSetUp(sys),
               "quantity total, column 1: unknown name \"scale\""); /* the probe is made already */
  PetscCall(RungSystemSetConstant(sys, "scale", 2));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungSystemGetQuantities(sys, &n, &name, NULL));
  CHECK(n == 2 && !strcmp(name[0], "total") && !strcmp(name[1], "tip"));
  CHECK_RAISES(RungSystemSetConstant(sys, "scael", 3), "has no constant \"scael\"; did you mean \"scale\"?");
  PetscCall(RungSystemSetConstant(sys, "later", 1)); /* for texts that are read from now on */
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_one_name_means_one_thing(void)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(system_create("interval", 1, 2, "P1", &sys));
  CHECK_RAISES(RungSystemSetConstant(sys, "u", 1), "u");
  PetscCall(RungSystemSetConstant(sys, "k", 1));
  CHECK_RAISES(RungSystemDefine(sys, "k", "2"), "k");
  CHECK_RAISES(RungSystemDefine(sys, "grad", "2"), "grad");
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_residual_that_is_not_finite_at_the_start_says_where(void)
{
  RungSystem          sys;
  RungTransientSystem ts;

  PetscFunctionBegin;
  PetscCall(system_create("interval", 1, 2, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + log(u)*v*dx"));
  PetscCall(RungSystemSetInitial(sys, "u", "-1"));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  CHECK_RAISES(RungTransientSystemStart(ts, 0), "not finite at t = 0");
  PetscCall(finish(&sys, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_names_may_be_declared_after_they_are_used(void)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(system_create("interval", 1, 2, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + kappa*inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemSetConstant(sys, "kappa", 2));
  PetscCall(RungSystemSetUp(sys));
  CHECK_RAISES(RungSystemAddResidual(sys, "u*v*dx"), "comes before the system is set up");
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_residual_that_was_built_is_that_of_its_text(void)
{
  RungSystem sys[2];
  RungScope  scope;
  RungExpr   u, v;
  Vec        at[2], r[2];
  PetscReal  distance;

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) PetscCall(system_create("triangle", 2, 3, "P2", &sys[i]));
  PetscCall(RungSystemAddResidual(sys[0], "(dt(u) + 3*u)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemGetScope(sys[1], &scope));
  u = RungName(scope, "u"), v = RungName(scope, "v");
  CHECK_RAISES(RungSystemAddResidualExpr(sys[0], RungIntegrate(RungMul(u, v), RUNG_CELLS, NULL, -1)),
               "an expression of another scope");
  PetscCall(RungSystemAddResidualExpr(
    sys[1], RungIntegrate(RungMul(RungAdd(RungDt(u), RungMul(RungNumber(scope, 3), u)), v), RUNG_CELLS, NULL, -1)));
  PetscCall(RungSystemAddResidualExpr(sys[1], RungIntegrate(RungInner(RungGrad(u), RungGrad(v)), RUNG_CELLS, "", -1)));
  PetscCall(vecs_create(sys[0], 2, at));
  for (int i = 0; i < 2; ++i) {
    PetscCall(RungSystemCreateVec(sys[i], &r[i]));
    PetscCall(RungSystemResidual(sys[i], 0, at, r[i]));
  }
  PetscCall(vec_distance(r[0], r[1], &distance));
  CHECK_NEAR(distance, 0, 1e-14);
  for (int i = 0; i < 2; ++i) {
    PetscCall(VecDestroy(&at[i]));
    PetscCall(VecDestroy(&r[i]));
    PetscCall(RungSystemDestroy(&sys[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is told ------------------------------------------------------------------------------------------------- */

static char said[8192]; /* what PetscPrintf() is given */

static PetscErrorCode hear(FILE *file, const char format[], va_list list)
{
  const size_t n = strlen(said);

  (void)file;
  return PetscVSNPrintf(said + n, sizeof said - n, format, NULL, list);
}

/* Elastic steel with plastic strains at the points of a rule; what is said when it is set up. */
static PetscErrorCode set_up_plastic(const char spec[], const char points[])
{
  PetscErrorCode (*before)(FILE *, const char *, va_list) = PetscVFPrintf;
  const char *const of[]                                  = {spec, points};
  RungMesh          mesh;
  RungSystem        sys;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "quadrilateral", 2, (PetscInt[]){1, 1}, NULL));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  for (int i = 0; i < 2; ++i) {
    RungSpace space;

    PetscCall(RungSpaceCreate(mesh, of[i], &space));
    PetscCall(RungSystemAddUnknown(sys, i ? "ep" : "u", i ? "eq" : "v", space));
    PetscCall(RungSpaceDestroy(&space));
  }
  PetscCall(RungSystemDefine(sys, "s", "dev(sym(grad(u)) - ep)"));
  PetscCall(RungSystemAddResidual(sys, "inner(s + 3*tr(grad(u))*I, grad(v))*dx + inner(dt(ep) - s, eq)*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
  PetscCall(RungSystemSetFromOptions(sys));
  said[0]       = 0;
  PetscVFPrintf = hear;
  RungCallFinally(RungSystemSetUp(sys), PetscVFPrintf = before);
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Too few points for Q2 are told of once, with the points that are enough; Q1 has enough of them; who means it says so. */
static PetscErrorCode test_points_that_see_too_little_are_told_of_once(void)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter"));
  PetscCall(set_up_plastic("Q2^d", "Quad(3)^dxd"));
  CHECK(rank ? !said[0] : strstr(said, "sees 12 of 15 ways in which \"u\" can vary in a cell, at 4 points") != NULL);
  CHECK(rank ||
        strstr(said, "give \"ep\" and what is beside it the space Quad(4), or say -system_reduced_integration"));
  PetscCall(set_up_plastic("Q2^d", "Quad(3)^dxd"));
  CHECK(!said[0]);
  PetscCall(set_up_plastic("Q2^d", "Quad(4)^dxd"));
  CHECK(!said[0]);
  PetscCall(set_up_plastic("Q1^d", "Quad(3)^dxd"));
  CHECK(!said[0]);
  PetscCall(PetscOptionsSetValue(NULL, "-system_reduced_integration", NULL));
  RungCallFinally(set_up_plastic("Q1^d", "Quad(1)^dxd"),
                  PetscCall(PetscOptionsClearValue(NULL, "-system_reduced_integration")));
  CHECK(!said[0]);
  PetscCall(set_up_plastic("Q1^d", "Quad(1)^dxd"));
  CHECK(rank || strstr(said, "sees 3 of 5 ways"));
  PetscCall(PetscOptionsClearValue(NULL, "-form_backend"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(
  RUNG_TEST(test_heat_starts_with_the_exact_rate), RUNG_TEST(test_elastodynamics_starts_with_the_exact_acceleration),
  RUNG_TEST(test_an_algebraic_unknown_is_solved_for),
  RUNG_TEST(test_a_mass_that_vanishes_on_part_of_the_mesh_still_starts),
  RUNG_TEST(test_a_steady_state_with_boundary_value_starts_at_rest), RUNG_TEST(test_traits_are_read_off_the_forms),
  RUNG_TEST(test_a_stationary_form_is_a_system_of_order_zero), RUNG_TEST(test_messages_name_the_residual_by_its_number),
  RUNG_TEST(test_an_unknown_without_equation_is_refused), RUNG_TEST(test_a_system_that_was_refused_can_be_completed),
  RUNG_TEST(test_one_name_means_one_thing), RUNG_TEST(test_a_residual_that_is_not_finite_at_the_start_says_where),
  RUNG_TEST(test_names_may_be_declared_after_they_are_used),
  RUNG_TEST(test_a_residual_that_was_built_is_that_of_its_text),
  RUNG_TEST(test_points_that_see_too_little_are_told_of_once))
