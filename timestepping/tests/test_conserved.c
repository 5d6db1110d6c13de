/* test_conserved.c - every method keeps d/dt m(u) whole: totals to rounding, and the order of the method. */
#include "../step_impl.h"
#include "conserving.h"
#include "points.h"

/* From 0 to t1; type NULL: that of the method.  The stepper keeps ode. */
static PetscErrorCode prepare(Ode *ode, const char type[], const char method[], PetscReal t1, PetscReal dt,
                              RungSystem *sys, RungStepper *stepper)
{
  PetscFunctionBegin;
  PetscCall(ode_create(PETSC_COMM_SELF, ode, sys));
  PetscCall(RungSystemSetConservedCallbacks(*sys, density, density_jacobian));
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, stepper));
  PetscCall(RungStepperSetSystem(*stepper, *sys));
  if (type) PetscCall(RungStepperSetType(*stepper, type));
  PetscCall(RungStepperSetMethod(*stepper, method));
  PetscCall(RungStepperSetInterval(*stepper, 0, t1, dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode conserving_of(Ode *ode, const char type[], const char method[], PetscReal t1, PetscReal dt,
                                    PetscReal y[2])
{
  RungSystem  sys;
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(prepare(ode, type, method, t1, dt, &sys, &stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(ode_values(stepper, 0, 2, y));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode conserving(const char type[], const char method[], PetscReal t1, PetscReal dt, PetscReal y[2])
{
  Ode ode = conserving_ode();

  PetscFunctionBegin;
  PetscCall(conserving_of(&ode, type, method, t1, dt, y));
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
    large = !strcmp(method[i], "sdirk_5_3_4") || plan.stages >= 8
              ? 4
              : 1; /* its weights reach 7.8; as many roundings as stages */
    if (fabs(total(y) / total(start) - 1) > large * 1e-14) fprintf(stderr, "%s %s: ", type[i], method[i]);
    CHECK_NEAR(total(y) / total(start), 1, large * 1e-14);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* exchange() in the unit of time p[0], beside p[1] u' of rates that are not conserved */
static PetscErrorCode hasty(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  const Ode *ode = (const Ode *)ctx;

  PetscFunctionBegin;
  PetscCall(exchange(sys, t, u, r, ctx));
  PetscCall(VecScale(r, 1 / ode->p[0]));
  PetscCall(VecAXPY(r, ode->p[1], u[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode hasty_jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J,
                                     void *ctx)
{
  const Ode      *ode     = (const Ode *)ctx;
  const PetscReal part[2] = {sigma[0] / ode->p[0], 0};

  PetscFunctionBegin;
  PetscCall(exchange_jacobian(sys, t, u, part, J, ctx));
  for (PetscInt i = 0; i < 2; ++i) PetscCall(ode_add(J, i, i, ode->p[1] * sigma[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode in_unit(const char type[], const char method[], PetscReal unit, PetscReal own, PetscReal y[2])
{
  Ode ode = {"hasty", 1, PETSC_FALSE, hasty, hasty_jacobian, two_initial, 2, {unit, own}, PETSC_FALSE};

  PetscFunctionBegin;
  PetscCall(conserving_of(&ode, type, method, 2 * unit, 0.125 * unit, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A unit of 2^-30 changes no digit of any number but its exponent, so that the totals and values are the same ones. */
static PetscErrorCode test_totals_do_not_depend_on_the_unit_of_time(void)
{
  const char *const *type, *const *method;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &type, &method));
  for (PetscInt i = 0; i < n; ++i) {
    RungMethodPlan plan;

    PetscCall(RungStepperGetPlan(type[i], method[i], &plan));
    if (!(plan.can & RUNG_CAN_CONSERVE)) continue;
    if (!strcmp(type[i], RUNGALPHA) && strcmp(method[i], "chung_hulbert") != 0) continue;
    for (int own = 0; own < 2; ++own) {
      PetscReal y[2], z[2];

      PetscCall(in_unit(type[i], method[i], 1, own, y));
      PetscCall(in_unit(type[i], method[i], ldexp(1, -30), own, z));
      if (fabs(z[0] / y[0] - 1) > 1e-14) fprintf(stderr, "%s %s, %d: ", type[i], method[i], own);
      for (int k = 0; k < 2; ++k) CHECK_NEAR(z[k] / y[k], 1, 1e-14);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_orders_with_conserved_terms(void)
{
  static const struct {
    const char *type, *method;
    PetscReal   order;
  } row[] = {{RUNGDIRK, "euler", 1},    {RUNGDIRK, "midpoint", 2},         {RUNGDIRK, "trbdf2", 2},
             {RUNGDIRK, "esdirk43", 4}, {RUNGDIRK, "sdirk34_crouzeix", 4}, {RUNGBDF, "bdf1", 1},
             {RUNGBDF, "bdf2", 2},      {RUNGALPHA, "chung_hulbert", 2},   {RUNGEXPLICIT, "forward_euler", 1},
             {RUNGEXPLICIT, "ssp33", 3}};
  PetscReal exact[2];

  PetscFunctionBegin;
  PetscCall(conserving(RUNGDIRK, "esdirk_16_8_5", 1, 1.0 / 64, exact));
  for (size_t m = 0; m < PETSC_STATIC_ARRAY_LENGTH(row); ++m) {
    const PetscBool low = row[m].order < 3 ? PETSC_TRUE : PETSC_FALSE;
    PetscReal       h[4], error[4];

    for (PetscInt i = 0; i < 4; ++i) {
      PetscReal y[2];

      h[i] = 1 / ((low ? 40 : 8) * pow(2, (double)i));
      PetscCall(conserving(row[m].type, row[m].method, 1, h[i], y));
      error[i] = hypot(y[0] - exact[0], y[1] - exact[1]);
    }
    CHECK_ORDER(row[m].method, 4, h, error, row[m].order, low ? 0.2 : 0.7, 0.25);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define MOVING "sin(3*t + 0.4)*(1 + x[0] + 2*x[0]^2)"
#define FORCE  "3*cos(3*t + 0.4)*(1 + x[0] + 2*x[0]^2)*(1 + 3*e^2) - 4*k*sin(3*t + 0.4)"

/* dt(u + u^3) in P2, where u is exact in space, with both edges moving: largest errors of u and its rate at t = 1. */
static PetscErrorCode moving_edge(const char method[], const char residual[], PetscReal diffusivity, PetscInt steps,
                                  PetscReal error[2])
{
  RungMesh         mesh;
  RungSpace        space;
  RungSystem       sys;
  RungStepper      stepper;
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_SELF, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){8}, NULL));
  PetscCall(RungSpaceCreate(mesh, "P2", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_SELF, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemDefine(sys, "e", MOVING));
  PetscCall(RungSystemSetConstant(sys, "k", diffusivity));
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter"));
  PetscCall(RungSystemAddResidual(sys, residual));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", MOVING));
  PetscCall(RungSystemSetInitial(sys, "u", MOVING));
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMethod(stepper, method));
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

#define KEPT  "dt(u + u^3)*v*dx + k*inner(grad(u), grad(v))*dx - (" FORCE ")*v*dx"
#define MIXED "dt(u)*v*dx + dt(u^3)*v*dx + k*inner(grad(u), grad(v))*dx - (" FORCE ")*v*dx"
#define SPLIT "dt(u + u^3)*v*dx + k*inner(grad(u), grad(v))*dx - explicit((" FORCE ")*v*dx)"

/* Stages whose boundary values follow the rate of u have errors of 6.1e-4, 4.6e-5, 3.3e-6 from 20 steps on, and rates of order 2. */
static PetscErrorCode test_moving_boundary_data_keep_the_order_of_conserved_terms(void)
{
  PetscReal error[4], rate[4];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 4; ++i) {
    const PetscInt steps = (PetscInt)10 << i;
    PetscReal      e[2];

    PetscCall(moving_edge("esdirk43", KEPT, 1, steps, e));
    error[i] = e[0];
    rate[i]  = e[1];
  }
  CHECK(PetscLog2Real(error[1] / error[3]) / 2 > 3.8);
  CHECK(PetscLog2Real(rate[1] / rate[3]) / 2 > 3.4);
  CHECK(error[1] < 6.1e-4 / 20 && error[2] < 4.6e-5 / 20 && error[3] < 3.3e-6 / 20);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Explicit methods, on a mass beside what is conserved too, and implicit-explicit ones. */
/* The filter of its estimate takes the matrix of the last stage, not that of the match behind it: else the estimate is of order 1 and the
   run takes 1e5 steps. */
static PetscErrorCode test_filtered_estimates_shrink_beside_conserved_terms(void)
{
  Ode                   ode = conserving_ode();
  RungSystem            sys;
  RungStepper           stepper;
  RungStepperStatistics s;

  PetscFunctionBegin;
  PetscCall(prepare(&ode, RUNGDIRK, "billington_3_3_2", 1, 0.1, &sys, &stepper));
  PetscCall(RungStepperSetTolerances(stepper, 1e-4, 1e-4));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, &s));
  if (s.steps > 200) fprintf(stderr, "%d steps\n", (int)s.steps);
  CHECK(s.steps < 200);
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_other_families_keep_their_order_beside_moving_data(void)
{
  static const struct {
    const char *method, *residual;
    PetscInt    steps;
    PetscReal   diffusivity, order, most;
  } row[] = {{"rk4", KEPT, 40, 0.01, 3.8, 4e-7},
             {"rk4", MIXED, 40, 0.01, 3.8, 9e-7},
             {"ssp33", KEPT, 40, 0.01, 2.8, 4e-6},
             {"ark437", SPLIT, 20, 0.1, 3.4, 5e-5}};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    PetscReal error[2][2], order;

    for (int l = 0; l < 2; ++l)
      PetscCall(moving_edge(row[i].method, row[i].residual, row[i].diffusivity, row[i].steps << l, error[l]));
    order = PetscLog2Real(error[0][0] / error[1][0]);
    if (!(order > row[i].order && error[1][0] < row[i].most))
      fprintf(stderr, "%s on %.20s: %g %g, order %g\n", row[i].method, row[i].residual, error[0][0], error[1][0],
              order);
    CHECK(order > row[i].order && error[1][0] < row[i].most);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y + y^3 = 2 - 2 int y, z = y as an algebraic unknown: log y + 3/2 y^2 = 3/2 - t. */
static PetscErrorCode algebraic(const char method[], PetscReal dt, PetscReal *error)
{
  static const char *const name[] = {"y", "z"}, *const space[] = {"P0", "P0"}, *const start[] = {"1", "1"};
  RungStepper stepper;
  PetscReal   y[2];

  PetscFunctionBegin;
  PetscCall(
    points_create(2, name, space, start, "(dt(y + y^3) + z/2)*v*dx + explicit(y/2*v*dx) + (z - y)*q*dx", &stepper));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, dt));
  PetscCall(points_solve(&stepper, 2, y, NULL));
  *error = hypot(log(y[0]) + 1.5 * y[0] * y[0] - 0.5, y[1] - y[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_algebraic_unknowns_beside_what_is_conserved(void)
{
  PetscReal error[2];

  PetscFunctionBegin;
  for (int l = 0; l < 2; ++l) PetscCall(algebraic("ark324", 0.1 / (1 << l), &error[l]));
  CHECK(PetscLog2Real(error[0] / error[1]) > 2.8 && error[1] < 1e-7);
  CHECK_RAISES(algebraic("rk4", 0.1, error), "algebraic unknowns, here \"z\"");
  CHECK_RAISES(algebraic("rodas4p", 0.1, error), "rosenbrock method \"rodas4p\" does not keep conserved terms");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The error that the first step of size h is said to have, in units of a tolerance of 1e-9. */
static PetscErrorCode estimate(RungStepper stepper, PetscReal h, PetscReal *error)
{
  RungVerdict         verdict = {.solved = PETSC_TRUE, .error = -1};
  RungTransientSystem ts;
  const RungState    *from;
  RungState          *to;

  PetscFunctionBegin;
  PetscCall(RungStepperSetTolerances(stepper, 0, 1e-9));
  PetscCall(RungStepperGetTransientSystem(stepper, &ts));
  PetscCall(RungTransientSystemStart(ts, 0));
  PetscCall(RungTransientSystemGetState(ts, 0, &from));
  PetscCall(RungTransientSystemGetProposal(ts, &to));
  to->t = h;
  PetscCall(stepper->ops->attempt(stepper, from, h, to, &verdict));
  CHECK(verdict.solved);
  *error = verdict.error;
  PetscCall(RungTransientSystemRollBack(ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the exchange between two entries. */
static PetscErrorCode estimate_exchange(const char type[], const char method[], PetscReal h, PetscReal *error)
{
  Ode         ode = conserving_ode();
  RungSystem  sys;
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(prepare(&ode, type, method, 1, h, &sys, &stepper));
  PetscCall(estimate(stepper, h, error));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of y + y^3, half of whose loss is explicit, beside an unknown with a plain rate that follows it. */
static PetscErrorCode estimate_split(const char type[], const char method[], PetscReal h, PetscReal *error)
{
  static const char *const name[] = {"y", "z"}, *const space[] = {"P0", "P0"}, *const start[] = {"1", "0.2"};
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(points_create(2, name, space, start,
                          "(dt(y + y^3) + y - z)*v*dx + explicit(y*z*v*dx) + (dt(z) + z^2)*q*dx - explicit(y*q*dx)",
                          &stepper));
  PetscCall(RungStepperSetType(stepper, type));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, h));
  PetscCall(estimate(stepper, h, error));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of u, from differences of stage values, they fall as h^3 whatever the method. */
static PetscErrorCode test_estimates_fall_with_the_order_of_the_embedded_method(void)
{
  static const struct {
    PetscErrorCode (*estimate)(const char[], const char[], PetscReal, PetscReal *);
    const char *type, *method;
  } row[] = {{estimate_exchange, RUNGDIRK, "esdirk54"}, {estimate_exchange, RUNGDIRK, "esdirk43"},
             {estimate_exchange, RUNGDIRK, "esdirk32"}, {estimate_exchange, RUNGDIRK, "kvaerno_7_4_5"},
             {estimate_exchange, RUNGIMEX, "ark548"},   {estimate_split, RUNGIMEX, "ark436"},
             {estimate_split, RUNGIMEX, "ark437"},      {estimate_split, RUNGIMEX, "ark548"}};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    RungMethodPlan plan;
    PetscReal      error[2], order;

    PetscCall(RungStepperGetPlan(row[i].type, row[i].method, &plan));
    for (int k = 0; k < 2; ++k) PetscCall(row[i].estimate(row[i].type, row[i].method, 0.025 / (1 << k), &error[k]));
    order = PetscLog2Real(error[0] / error[1]);
    if (!(order > (PetscReal)plan.exponent - 0.5)) fprintf(stderr, "%s: h^%.2f\n", row[i].method, (double)order);
    CHECK(order > (PetscReal)plan.exponent - 0.5);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With tolerances, from a checkpoint in the middle: bit for bit. */
static PetscErrorCode saved(const char method[], PetscBool again, PetscReal y[2])
{
  Ode         ode = conserving_ode();
  RungSystem  sys;
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(prepare(&ode, NULL, method, 2, 0.1, &sys, &stepper));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetTolerances(stepper, 1e-6, 1e-6));
  if (again) PetscCall(RungStepperSetRestart(stepper, "conserved_4.h5", PETSC_FALSE));
  PetscCall(RungStepperSetCheckpoint(stepper, "conserved_{step}.h5", 4)); /* behind each matrices are made anew */
  PetscCall(RungStepperSolve(stepper));
  PetscCall(ode_values(stepper, 0, 2, y));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_runs_go_on_bit_for_bit(void)
{
  static const char *const method[] = {"dopri54", "ark437"};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(method); ++i) {
    PetscReal whole[2], rest[2];

    PetscCall(saved(method[i], PETSC_FALSE, whole));
    PetscCall(saved(method[i], PETSC_TRUE, rest));
    CHECK(whole[0] == rest[0] && whole[1] == rest[1]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_filtered_estimates_shrink_beside_conserved_terms),
               RUNG_TEST(test_every_method_conserves_the_total_to_rounding),
               RUNG_TEST(test_totals_do_not_depend_on_the_unit_of_time), RUNG_TEST(test_orders_with_conserved_terms),
               RUNG_TEST(test_moving_boundary_data_keep_the_order_of_conserved_terms),
               RUNG_TEST(test_other_families_keep_their_order_beside_moving_data),
               RUNG_TEST(test_estimates_fall_with_the_order_of_the_embedded_method),
               RUNG_TEST(test_algebraic_unknowns_beside_what_is_conserved), RUNG_TEST(test_runs_go_on_bit_for_bit))
