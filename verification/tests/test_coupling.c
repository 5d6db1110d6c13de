/* test_coupling.c - numbers beside fields, and constraints, in whole problems: orders in space, exact solutions in time,
   the same numbers on any number of ranks. */
#include "check.h"
#include "rungverify.h"

static PetscErrorCode create_mesh(const char cell[], PetscInt dim, PetscInt n, RungMesh *mesh)
{
  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RungMeshSetBox(*mesh, cell, dim, (PetscInt[]){n, n, n}, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_unknown(RungSystem sys, RungMesh mesh, const char name[], const char test[],
                                  const char spec[])
{
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungSpaceCreate(mesh, spec, &space));
  PetscCall(RungSystemAddUnknown(sys, name, test, space));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Stokes: the pressure has mean zero by a number ---------------------------------------------------------------- */

static PetscErrorCode stokes_errors(PetscInt n, PetscReal error[3])
{
  RungMesh            mesh;
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  PetscReal           size;

  PetscFunctionBegin;
  PetscCall(create_mesh("triangle", 2, n, &mesh));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(add_unknown(sys, mesh, "u", "v", "P2^d"));
  PetscCall(add_unknown(sys, mesh, "p", "q", "P1"));
  PetscCall(add_unknown(sys, mesh, "l", "m", "R"));
  PetscCall(RungSystemDefine(sys, "U", "vector(sin(pi*x[0])*cos(pi*x[1]), -cos(pi*x[0])*sin(pi*x[1]))"));
  PetscCall(RungSystemDefine(sys, "P", "cos(2*pi*x[0])*x[1]"));
  PetscCall(RungSystemDefine(sys, "f", "2*pi^2*U + vector(-2*pi*sin(2*pi*x[0])*x[1], cos(2*pi*x[0]))"));
  PetscCall(RungSystemAddResidual(sys, "inner(grad(u), grad(v))*dx - p*div(v)*dx - inner(f, v)*dx"));
  PetscCall(RungSystemAddResidual(sys, "-q*div(u)*dx + l*q*dx + p*m*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", "U"));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungTransientSystemStart(ts, 0));
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  PetscCall(RungError(sys, "u", "L2", "U", 0, state->u[0], &error[0], &size));
  PetscCall(RungError(sys, "p", "L2", "P", 0, state->u[0], &error[1], &size));
  PetscCall(RungSystemEvaluateQuantities(sys, 0, state->u, &error[2]));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_taylor_hood_has_orders_three_and_two(void)
{
  PetscReal coarse[3], fine[3];

  PetscFunctionBegin;
  PetscCall(stokes_errors(6, coarse));
  PetscCall(stokes_errors(12, fine));
  CHECK_NEAR(log2(coarse[0] / fine[0]), 3, 0.15);
  CHECK_NEAR(log2(coarse[1] / fine[1]), 2, 0.3);
  CHECK_NEAR(fine[0], 1.4e-4, 1e-4);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a windkessel behind an outlet ------------------------------------------------------------------------------- */

/* Potential flow through a square, pressure sin(t) at the inlet, conductance 1 of outlet and square, C p' + p/R = flow:
   C p' = (sin(t) - p)/2 - p/R, an equation with the exact solution below. */
static PetscErrorCode windkessel(const char type[], const char method[], PetscReal dt, PetscReal *pressure,
                                 PetscReal *exact)
{
  const PetscReal  C = 0.5, R = 2, a = (0.5 + 1 / R) / C, b = 0.5 / C, T = 1;
  RungMesh         mesh;
  RungSystem       sys;
  RungStepper      stepper;
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(create_mesh("quadrilateral", 2, 4, &mesh));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(add_unknown(sys, mesh, "u", "v", "Q1"));
  PetscCall(add_unknown(sys, mesh, "p", "q", "R"));
  PetscCall(RungSystemSetConstant(sys, "C", C));
  PetscCall(RungSystemSetConstant(sys, "Rp", R));
  PetscCall(RungSystemAddResidual(sys, "inner(grad(u), grad(v))*dx + (u - p)*v*ds(right)"));
  PetscCall(RungSystemAddResidual(sys, "(C*dt(p) + p/Rp)*q*dR - (u - p)*q*ds(right)"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "sin(t)"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetType(stepper, type));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, T, dt));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(RungSystemEvaluateQuantities(sys, state->t, state->u, pressure));
  *exact = b / (1 + a * a) * (a * PetscSinReal(T) - PetscCosReal(T) + PetscExpReal(-a * T));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_windkessel_follows_its_equation(void)
{
  const struct {
    const char *type, *method;
    PetscReal   order;
  } row[] = {{RUNGDIRK, "esdirk43", 4}, {RUNGBDF, "bdf2", 2}, {RUNGALPHA, "chung_hulbert", 2}};

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i) {
    PetscReal p[2], exact;

    PetscCall(windkessel(row[i].type, row[i].method, 0.1, &p[0], &exact));
    PetscCall(windkessel(row[i].type, row[i].method, 0.05, &p[1], &exact));
    CHECK_NEAR(log2(PetscAbsReal(p[0] - exact) / PetscAbsReal(p[1] - exact)), row[i].order, 0.35);
    CHECK(PetscAbsReal(p[1] - exact) < 2e-3);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a wave that leaves on the right and comes back on the left -------------------------------------------------------- */

static PetscErrorCode advect(const char type[], const char method[], PetscInt n, PetscReal dt, PetscReal value[3])
{
  RungMesh         mesh;
  RungSystem       sys;
  RungStepper      stepper;
  const RungState *state;
  PetscReal        size;

  PetscFunctionBegin;
  PetscCall(create_mesh("quadrilateral", 2, n, &mesh));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(add_unknown(sys, mesh, "u", "v", n % 4 ? "Q2" : "Q1"));
  PetscCall(RungSystemDefine(sys, "exact", "2 + sin(2*pi*(x[0] - t))*cos(2*pi*(x[1] - t/2))"));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + dot(vector(1, 0.5), grad(u))*v*dx"));
  PetscCall(RungSystemSetInitial(sys, "u", "exact"));
  PetscCall(RungSystemAddPeriodic(sys, "u", "left", "right", NULL, NULL));
  PetscCall(RungSystemAddPeriodic(sys, "u", "top", "bottom", NULL, NULL));
  PetscCall(RungSystemAddQuantity(sys, "total", "u*dx"));
  PetscCall(RungSystemAddQuantity(sys, "energy", "u^2*dx"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetType(stepper, type));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, 0.5, dt));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(RungSystemEvaluateQuantities(sys, state->t, state->u, value));
  PetscCall(RungError(sys, "u", "L2", "exact", state->t, state->u[0], &value[2], &size));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Midpoint keeps both the total and the energy of the torus; esdirk43 shows the order in space. */
static PetscErrorCode test_a_wave_goes_around_a_periodic_square(void)
{
  PetscReal coarse[3], fine[3];

  PetscFunctionBegin;
  PetscCall(advect(RUNGDIRK, "midpoint", 6, 0.05, fine));
  CHECK_NEAR(fine[0], 2, 1e-9);
  PetscCall(advect(RUNGDIRK, "midpoint", 6, 0.025, coarse));
  CHECK_NEAR(fine[1], coarse[1], 1e-9);
  PetscCall(advect(RUNGDIRK, "esdirk43", 8, 0.05, coarse));
  PetscCall(advect(RUNGDIRK, "esdirk43", 16, 0.025, fine));
  CHECK_NEAR(log2(coarse[2] / fine[2]), 2, 0.2); /* of Q1; centred schemes of even degree lose one */
  PetscCall(advect(RUNGBDF, "bdf2", 6, 0.05, fine));
  CHECK_NEAR(fine[0], 2, 1e-9);
  PetscCall(advect(RUNGALPHA, "chung_hulbert", 6, 0.05, fine));
  CHECK_NEAR(fine[0], 2, 1e-9);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- conditions that are terms of the residual --------------------------------------------------------------------- */

/* u = 1 + x^2 + 2 y is in the space: fluxes on the right and on top, values weakly on the left. */
static PetscErrorCode test_neumann_robin_and_nitsche_are_forms(void)
{
  RungMesh            mesh;
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  PetscReal           error, size;

  PetscFunctionBegin;
  PetscCall(create_mesh("triangle", 2, 3, &mesh));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(add_unknown(sys, mesh, "u", "v", "P2"));
  PetscCall(RungSystemDefine(sys, "g", "1 + x[0]^2 + 2*x[1]"));
  PetscCall(RungSystemAddResidual(sys, "inner(grad(u), grad(v))*dx + 2*v*dx - 2*v*ds(right)"));
  PetscCall(RungSystemAddResidual(sys, "3*(u - (g + 2/3))*v*ds(top)"));
  PetscCall(RungSystemAddResidual(sys, "(-dot(grad(u), n)*v - dot(grad(v), n)*(u - g) + 40/h*(u - g)*v)*ds(left)"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "bottom", "g"));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungTransientSystemStart(ts, 0));
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  PetscCall(RungError(sys, "u", "max", "g", 0, state->u[0], &error, &size));
  CHECK_NEAR(error, 0, 1e-11);
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- bounds -------------------------------------------------------------------------------------------------------- */

/* A string over a floor: u'' = 32 where it hangs free, u = 0 on [1/4, 3/4] in the end. */
static PetscErrorCode obstacle(const char type[], const char method[], RungSystem *sys, RungStepper *stepper)
{
  RungMesh mesh;

  PetscFunctionBegin;
  PetscCall(create_mesh("interval", 1, 40, &mesh));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(add_unknown(*sys, mesh, "u", "v", "P1"));
  PetscCall(RungSystemAddResidual(*sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx + 32*v*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "boundary", "1"));
  PetscCall(RungSystemSetInitial(*sys, "u", "1"));
  PetscCall(RungSystemSetBounds(*sys, "u", "0", NULL));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, stepper));
  PetscCall(RungStepperSetSystem(*stepper, *sys));
  PetscCall(RungStepperSetType(*stepper, type));
  PetscCall(RungStepperSetMethod(*stepper, method));
  PetscCall(RungStepperSetInterval(*stepper, 0, 2, 0.1));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_string_comes_to_lie_on_the_floor(void)
{
  const char *const type[] = {RUNGBDF, RUNGDIRK}, *const method[] = {"bdf1", "euler"};
  RungSystem       sys;
  RungStepper      stepper;
  const RungState *state;
  PetscReal        error, size, least;

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    PetscCall(obstacle(type[i], method[i], &sys, &stepper));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetState(stepper, 0, &state));
    PetscCall(RungError(sys, "u", "max", "16*max(abs(x[0] - 0.5) - 0.25, 0)^2", 2, state->u[0], &error, &size));
    CHECK_NEAR(error, 0, 1e-6);
    PetscCall(VecMin(state->u[0], NULL, &least));
    CHECK_NEAR(least, 0, 1e-12);
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscCall(obstacle(RUNGDIRK, "midpoint", &sys, &stepper));
  CHECK_RAISES(RungStepperSolve(stepper), "dirk method \"midpoint\" keeps no bounds, and \"");
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u falls onto a floor with a velocity, beside p, which has none: only u may not be bounded, by any type. */
static PetscErrorCode test_what_has_a_velocity_has_no_bounds(void)
{
  const char *const type[] = {RUNGBDF, RUNGDIRK, RUNGALPHA};

  PetscFunctionBegin;
  for (int i = 0; i < 6; ++i) {
    RungMesh    mesh;
    RungSystem  sys;
    RungStepper stepper;

    PetscCall(create_mesh("interval", 1, 8, &mesh));
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(add_unknown(sys, mesh, "u", "v", "P1"));
    PetscCall(add_unknown(sys, mesh, "p", "q", "P1"));
    PetscCall(RungSystemAddResidual(sys, "dt(u, 2)*v*dx + inner(grad(u), grad(v))*dx + (dt(p) + 4)*q*dx"));
    PetscCall(RungSystemSetInitial(sys, "p", "1"));
    PetscCall(RungSystemSetBounds(sys, i < 3 ? "u" : "p", "0", NULL));
    PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
    PetscCall(RungStepperSetSystem(stepper, sys));
    PetscCall(RungStepperSetType(stepper, type[i % 3]));
    PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.5));
    if (i < 3)
      CHECK_RAISES(RungStepperSolve(stepper), "bounds on \"u\", which has a second derivative in time");
    else if (i == 3) {
      const RungState *state;
      PetscReal        least;

      PetscCall(RungStepperSolve(stepper));
      PetscCall(RungStepperGetState(stepper, 0, &state));
      PetscCall(VecMin(state->u[0], NULL, &least));
      CHECK_NEAR(least, 0, 1e-12);
    }
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same string, both ends free but one: a bound of 1 at an end holds it, and by the constraint the other, whichever of
   them is the slave. */
static PetscErrorCode test_bounds_hold_what_constraints_join(void)
{
  const char *const part[] = {"left", "right"};

  PetscFunctionBegin;
  for (int i = 0; i < 4; ++i) {
    RungMesh         mesh;
    RungSystem       sys;
    RungStepper      stepper;
    const RungState *state;
    PetscReal        error, size;

    PetscCall(create_mesh("interval", 1, 40, &mesh));
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(add_unknown(sys, mesh, "u", "v", "P1"));
    PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx + 32*v*dx"));
    PetscCall(RungSystemSetInitial(sys, "u", "1"));
    PetscCall(RungSystemSetBounds(sys, "u", i < 2 ? "max(0, 1 - 1000*x[0])" : "max(0, 1 - 1000*(1 - x[0]))", NULL));
    PetscCall(RungSystemAddPeriodic(sys, "u", part[i % 2], part[1 - i % 2], NULL, NULL));
    PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
    PetscCall(RungStepperSetSystem(stepper, sys));
    PetscCall(RungStepperSetType(stepper, RUNGBDF));
    PetscCall(RungStepperSetMethod(stepper, "bdf1"));
    PetscCall(RungStepperSetInterval(stepper, 0, 2, 0.1));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetState(stepper, 0, &state));
    PetscCall(RungError(sys, "u", "max", "16*max(abs(x[0] - 0.5) - 0.25, 0)^2", 2, state->u[0], &error, &size));
    CHECK_NEAR(error, 0, 1e-6);
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_what_has_a_velocity_has_no_bounds), RUNG_TEST(test_bounds_hold_what_constraints_join),
               RUNG_TEST(test_neumann_robin_and_nitsche_are_forms), RUNG_TEST(test_a_string_comes_to_lie_on_the_floor),
               RUNG_TEST(test_taylor_hood_has_orders_three_and_two), RUNG_TEST(test_a_windkessel_follows_its_equation),
               RUNG_TEST(test_a_wave_goes_around_a_periodic_square))
