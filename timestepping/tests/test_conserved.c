/* test_conserved.c - every method keeps d/dt m(u) whole: totals to rounding, and the order of the method. */
#include "../step_impl.h"
#include "conserving.h"

static PetscErrorCode conserving(const char type[], const char method[], PetscReal t1, PetscReal dt, PetscReal y[2])
{
  Ode         ode = conserving_ode();
  RungSystem  sys;
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(ode_create(PETSC_COMM_SELF, &ode, &sys));
  PetscCall(RungSystemSetConservedCallbacks(sys, density, density_jacobian));
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetType(stepper, type));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, t1, dt));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(ode_values(stepper, 0, 2, y));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_every_method_conserves_the_total_to_rounding(void)
{
  const PetscReal    start[2] = {1.5, 0.2};
  const char *const *type, *const *method;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &type, &method));
  for (PetscInt i = 0; i < n; ++i) {
    RungMethodPlan plan;
    PetscReal      y[2], large;

    PetscCall(RungStepperGetPlan(type[i], method[i], &plan));
    if (!(plan.can & RUNG_CAN_CONSERVE)) continue;
    if (!strcmp(type[i], RUNGALPHA) && strcmp(method[i], "chung_hulbert") != 0) continue;
    PetscCall(conserving(type[i], method[i], 2, 0.1, y));
    large = !strcmp(method[i], "sdirk_5_3_4") ? 4 : 1; /* its weights reach 7.8 */
    if (fabs(total(y) / total(start) - 1) > large * 1e-14) fprintf(stderr, "%s %s: ", type[i], method[i]);
    CHECK_NEAR(total(y) / total(start), 1, large * 1e-14);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_orders_with_conserved_terms(void)
{
  static const char *const type[]   = {RUNGDIRK, RUNGDIRK, RUNGDIRK, RUNGDIRK, RUNGDIRK, RUNGBDF, RUNGBDF, RUNGALPHA};
  static const char *const method[] = {"euler", "midpoint", "trbdf2",       "esdirk43", "sdirk34_crouzeix",
                                       "bdf1",  "bdf2",     "chung_hulbert"};
  static const PetscReal   order[]  = {1, 2, 2, 4, 4, 1, 2, 2};
  PetscReal                exact[2];

  PetscFunctionBegin;
  PetscCall(conserving(RUNGDIRK, "esdirk_16_8_5", 1, 1.0 / 64, exact));
  for (size_t m = 0; m < PETSC_STATIC_ARRAY_LENGTH(order); ++m) {
    PetscReal h[4], error[4];

    for (PetscInt i = 0; i < 4; ++i) {
      PetscReal y[2];

      h[i] = 1 / ((order[m] < 3 ? 40 : 8) * pow(2, (double)i));
      PetscCall(conserving(type[m], method[m], 1, h[i], y));
      error[i] = hypot(y[0] - exact[0], y[1] - exact[1]);
    }
    CHECK_ORDER(method[m], 4, h, error, order[m], order[m] < 3 ? 0.2 : 0.7, 0.25);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define MOVING "sin(3*t + 0.4)*(1 + x[0] + 2*x[0]^2)"
#define FORCE  "3*cos(3*t + 0.4)*(1 + x[0] + 2*x[0]^2)*(1 + 3*e^2) - 4*sin(3*t + 0.4)"

/* dt(u + u^3) in P2, where u is exact in space, with both edges moving: largest errors of u and its rate at t = 1. */
static PetscErrorCode moving_edge(const char density[], PetscInt steps, PetscReal error[2])
{
  RungMesh         mesh;
  RungSpace        space;
  RungSystem       sys;
  RungStepper      stepper;
  const RungState *state;
  char             residual[512];

  PetscFunctionBegin;
  PetscCall(
    PetscSNPrintf(residual, sizeof residual, "%s*v*dx + inner(grad(u), grad(v))*dx - (" FORCE ")*v*dx", density));
  PetscCall(RungMeshCreate(PETSC_COMM_SELF, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){8}, NULL));
  PetscCall(RungSpaceCreate(mesh, "P2", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_SELF, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemDefine(sys, "e", MOVING));
  PetscCall(RungSystemAddResidual(sys, residual));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", MOVING));
  PetscCall(RungSystemSetInitial(sys, "u", MOVING));
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMethod(stepper, "esdirk43"));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 1 / (PetscReal)steps));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(RungSystemNorm(sys, "u - (" MOVING ")", NULL, RUNG_NORM_MAX, 1, state->u, &error[0]));
  PetscCall(
    RungSystemNorm(sys, "dt(u) - 3*cos(3*t + 0.4)*(1 + x[0] + 2*x[0]^2)", NULL, RUNG_NORM_MAX, 1, state->u, &error[1]));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Stages whose boundary values follow the rate of u have errors of 6.1e-4, 4.6e-5, 3.3e-6 from 20 steps on, and rates of order 2. */
static PetscErrorCode test_moving_boundary_data_keep_the_order_of_conserved_terms(void)
{
  PetscReal error[4], rate[4];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 4; ++i) {
    const PetscInt steps = (PetscInt)10 << i;
    PetscReal      e[2];

    PetscCall(moving_edge("dt(u + u^3)", steps, e));
    error[i] = e[0];
    rate[i]  = e[1];
  }
  CHECK(PetscLog2Real(error[1] / error[3]) / 2 > 3.8);
  CHECK(PetscLog2Real(rate[1] / rate[3]) / 2 > 3.4);
  CHECK(error[1] < 6.1e-4 / 20 && error[2] < 4.6e-5 / 20 && error[3] < 3.3e-6 / 20);
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_every_method_conserves_the_total_to_rounding),
               RUNG_TEST(test_orders_with_conserved_terms),
               RUNG_TEST(test_moving_boundary_data_keep_the_order_of_conserved_terms))
