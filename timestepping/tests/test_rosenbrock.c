/* test_rosenbrock.c - Rosenbrock and W methods on equations with known solutions. */
#include "ode.h"
#include "listen.h"
#include "points.h"

#include <rungmethod.h>
#include <string.h>

/* The derivative by the highest rates is constant, as those of this family want it. */
static PetscErrorCode start(Ode *ode, const char method[], PetscReal t0, PetscReal t1, PetscReal dt,
                            RungStepper *stepper)
{
  PetscFunctionBegin;
  ode->mass = PETSC_TRUE;
  PetscCall(ode_stepper(PETSC_COMM_SELF, ode, RUNGROSENBROCK, method, t0, t1, dt, stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef PetscErrorCode Check(const char method[], const RungMethodPlan *plan);

static PetscErrorCode for_all(Check *check)
{
  const char *const *type, *const *method;
  PetscInt n, count = 0;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &type, &method));
  for (PetscInt i = 0; i < n; ++i) {
    RungMethodPlan plan;

    if (strcmp(type[i], RUNGROSENBROCK) != 0) continue;
    PetscCall(RungStepperGetPlan(type[i], method[i], &plan));
    PetscCall(check(method[i], &plan));
    ++count;
  }
  CHECK(count == 36);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- one step ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode one_step(const char method[], PetscReal lambda, PetscReal *y)
{
  Ode         ode = relaxation(lambda, 1);
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(start(&ode, method, 0, 1, 1, &stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(ode_values(stepper, 0, 1, y));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* R(z) = (1 + (1 - 2g)z + (g^2 - 2g + 1/2)z^2)/(1 - gz)^2 of two stages and order 2, (1 + (1 - 2g)z)/(1 - gz)^2 of ode23s, and
   the series of order 3 over (1 - gz)^3 of ros3p, at z = -1. */
static PetscErrorCode test_a_step_of_the_decay_is_the_stability_function(void)
{
  const PetscReal g = 1 + sqrt(0.5), d = 1 - sqrt(0.5), p = 0.5 + sqrt(3) / 6;
  PetscReal       y;

  PetscFunctionBegin;
  PetscCall(one_step("ros2", 1, &y));
  CHECK_NEAR(y, (1 - (1 - 2 * g) + (g * g - 2 * g + 0.5)) / pow(1 + g, 2), 1e-13);
  PetscCall(one_step("rosenbrock23", 1, &y));
  CHECK_NEAR(y, (1 - (1 - 2 * d)) / pow(1 + d, 2), 1e-14);
  PetscCall(one_step("ros3p", 1, &y));
  CHECK_NEAR(
    y, (1 - (1 - 3 * p) + (0.5 - 3 * p + 3 * p * p) - (1.0 / 6 - 1.5 * p + 3 * p * p - p * p * p)) / pow(1 + p, 3),
    1e-14);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_limit(const char method[], const RungMethodPlan *plan)
{
  PetscReal y;

  PetscFunctionBegin;
  PetscCall(one_step(method, 1e7, &y));
  if (fabs(fabs(y) - plan->limit) > 1e-4) fprintf(stderr, "%s: ", method);
  CHECK_NEAR(fabs(y), plan->limit, 1e-4);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_stiff_decay_in_one_step_is_the_limit_that_is_told(void)
{
  PetscFunctionBegin;
  PetscCall(for_all(check_limit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- orders ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode kaps_error(RungStepper stepper, PetscReal t, PetscReal *error)
{
  PetscReal y[3], exact[3];

  PetscFunctionBegin;
  PetscCall(ode_values(stepper, 0, 3, y));
  kaps_exact(t, exact);
  *error = 0;
  for (PetscInt c = 0; c < 3; ++c) *error = PetscMax(*error, fabs(y[c] - exact[c]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two runs, of n and 2n steps; from above, methods may be better than they say. */
static PetscErrorCode check_order(const char method[], const RungMethodPlan *plan, const PetscReal error[2])
{
  const PetscReal order = PetscLog2Real(error[0] / error[1]);

  PetscFunctionBegin;
  if (!(order > plan->order - 0.35 && order < plan->order + 1.3))
    fprintf(stderr, "%s: %.3e %.3e, order %.2f\n", method, error[0], error[1], order);
  CHECK(order > plan->order - 0.35);
  CHECK(order < plan->order + 1.3);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_kaps(const char method[], const RungMethodPlan *plan)
{
  static const PetscReal coarsest[] = {0, 60, 60, 60, 60, 50, 28};
  PetscReal              error[2];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 2; ++i) {
    Ode         ode = kaps();
    RungStepper stepper;

    PetscCall(start(&ode, method, -1, 3, 4 / (coarsest[plan->order] * (1 << i)), &stepper));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(kaps_error(stepper, 3, &error[i]));
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscCall(check_order(method, plan, error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_every_method_has_its_order_where_f_depends_on_t(void)
{
  PetscFunctionBegin;
  PetscCall(for_all(check_kaps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_driven(const char method[], const RungMethodPlan *plan)
{
  static const PetscReal coarsest[] = {0, 40, 40, 40, 24, 24, 12};
  PetscReal              error[2];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 2; ++i) {
    Ode         ode = driven();
    RungStepper stepper;
    PetscReal   y, v;

    PetscCall(start(&ode, method, -1, 0.5, 1.5 / (coarsest[plan->order] * (1 << i)), &stepper));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(ode_values(stepper, 0, 1, &y));
    PetscCall(ode_values(stepper, 1, 1, &v));
    error[i] = hypot(y - 1 - sin(1) / 2, v - cos(1));
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscCall(check_order(method, plan, error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_every_method_has_its_order_on_second_derivatives(void)
{
  PetscFunctionBegin;
  PetscCall(for_all(check_driven));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- errors and counts -------------------------------------------------------------------------------------------- */

static PetscErrorCode adaptive_kaps(const char method[], PetscReal tolerance, PetscReal *error,
                                    RungStepperStatistics *s)
{
  Ode         ode = kaps();
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(start(&ode, method, 0, 2, 0.01, &stepper));
  PetscCall(RungStepperSetTolerances(stepper, tolerance, tolerance));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, s));
  PetscCall(kaps_error(stepper, 2, error));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_tolerance(const char method[], const RungMethodPlan *plan)
{
  RungStepperStatistics coarse, fine;
  PetscReal             e1, e2;

  PetscFunctionBegin;
  if (!plan->exponent) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(adaptive_kaps(method, 1e-3, &e1, &coarse));
  PetscCall(adaptive_kaps(method, 1e-5, &e2, &fine));
  if (!(e1 < 2e-2 && e2 < 2e-4 && e2 < e1 && fine.steps > coarse.steps))
    fprintf(stderr, "%s: %g in %d, %g in %d steps\n", method, e1, (int)coarse.steps, e2, (int)fine.steps);
  CHECK(e1 < 2e-2);
  CHECK(e2 < 2e-4);
  CHECK(e2 < e1);
  CHECK(fine.steps > coarse.steps);
  CHECK(fine.steps < 2000);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of which both methods are the same for linear equations choose no steps by it. */
static PetscErrorCode test_estimates_that_vanish_for_linear_equations_are_none(void)
{
  static const char *const method[] = {"ros3p", "ros3pr", "ros34pw1a", "ros34pw1b", "ros3prl", "ros34pw2", "rodas4p"};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(method); ++i) {
    RungMethodPlan plan;

    PetscCall(RungStepperGetPlan(RUNGROSENBROCK, method[i], &plan));
    CHECK((plan.exponent > 0) == (i > 3));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_errors_follow_the_tolerance(void)
{
  PetscFunctionBegin;
  PetscCall(for_all(check_tolerance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_counts(const char method[], const RungMethodPlan *plan)
{
  Ode                   ode = kaps();
  RungStepper           stepper;
  RungStepperStatistics s;

  PetscFunctionBegin;
  PetscCall(start(&ode, method, 0, 1, 0.1, &stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, &s));
  CHECK(s.steps == 10 && s.newton == 0);
  CHECK(s.jacobians == 10);
  CHECK(s.factorisations == 10);
  CHECK(s.linear == 10 * plan->stages);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_step_takes_one_jacobian_and_one_factorisation(void)
{
  PetscFunctionBegin;
  PetscCall(for_all(check_counts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- algebraic unknowns and edges --------------------------------------------------------------------------------- */

static PetscErrorCode solve(RungSystem sys, const char method[], PetscReal end, PetscReal dt, RungStepper *stepper)
{
  PetscFunctionBegin;
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, stepper));
  PetscCall(RungStepperSetSystem(*stepper, sys));
  PetscCall(RungStepperSetType(*stepper, RUNGROSENBROCK));
  PetscCall(RungStepperSetMethod(*stepper, method));
  PetscCall(RungStepperSetMonitor(*stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetInterval(*stepper, 0, end, dt));
  PetscCall(RungStepperSolve(*stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y' = cos(t)(z - g), 0 = z - g - y^2, g = 0.3 sin(3t): y = 1/(2 - sin t).  */
static PetscErrorCode create_index1(RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_SELF, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 1));
  PetscCall(RungSpaceCreate(mesh, "P0", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_SELF, sys));
  PetscCall(RungSystemAddUnknown(*sys, "y", "v", space));
  PetscCall(RungSystemAddUnknown(*sys, "z", "q", space));
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter"));
  PetscCall(RungSystemAddResidual(*sys, "(dt(y) - cos(t)*(z - 0.3*sin(3*t)))*v*dx + (z - 0.3*sin(3*t) - y^2)*q*dx"));
  PetscCall(RungSystemSetInitial(*sys, "y", "0.5"));
  PetscCall(RungSystemSetInitial(*sys, "z", "0.25"));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode index1_error(RungSystem sys, const char method[], PetscReal dt, PetscReal *error)
{
  const PetscReal exact = 1 / (2 - sin(1.5));
  RungStepper     stepper;
  PetscReal       y[2];

  PetscFunctionBegin;
  PetscCall(solve(sys, method, 1.5, dt, &stepper));
  PetscCall(ode_values(stepper, 0, 2, y));
  *error = hypot(y[0] - exact, y[1] - exact * exact - 0.3 * sin(4.5));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_index1(const char method[], const RungMethodPlan *plan)
{
  RungSystem sys;
  PetscReal  error[2], order;

  PetscFunctionBegin;
  if (!(plan->can & RUNG_CAN_ALGEBRAIC)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(create_index1(&sys));
  for (int i = 0; i < 2; ++i) PetscCall(index1_error(sys, method, 0.075 / (1 << i), &error[i]));
  order = PetscLog2Real(error[0] / error[1]);
  if (!(order > plan->order - 0.6)) fprintf(stderr, "%s: %g %g, order %g\n", method, error[0], error[1], order);
  CHECK(order > plan->order - 0.6);
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_algebraic_unknowns_have_the_order_where_a_method_takes_them(void)
{
  PetscFunctionBegin;
  PetscCall(for_all(check_index1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y' = z, z^3 + z + y = cos(t)^3 + cos(t) + sin(t), y = sin(t): the error of z is not that of y. */
static PetscErrorCode cubic_error(const char method[], PetscReal end, PetscReal tol, PetscReal *error)
{
  RungMesh    mesh;
  RungSpace   space;
  RungSystem  sys;
  RungStepper stepper;
  PetscReal   y[2];

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_SELF, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 1));
  PetscCall(RungSpaceCreate(mesh, "P0", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_SELF, &sys));
  PetscCall(RungSystemAddUnknown(sys, "y", "v", space));
  PetscCall(RungSystemAddUnknown(sys, "z", "q", space));
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter"));
  PetscCall(RungSystemAddResidual(sys, "(dt(y) - z)*v*dx + (z^3 + z - cos(t)^3 - cos(t) + y - sin(t))*q*dx"));
  PetscCall(RungSystemSetInitial(sys, "z", "1"));
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetInterval(stepper, 0, end, 0.01));
  PetscCall(RungStepperSetTolerances(stepper, tol, tol));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(ode_values(stepper, 0, 2, y));
  *error = PetscMax(fabs(y[0] - sin(end)), fabs(y[1] - cos(end)));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_errors_of_algebraic_unknowns_are_tested(void)
{
  static const char *const methods[] = {"rodas5p", "rodas4p", "rodas3"};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(methods); ++i) {
    PetscReal worst = 0, error;

    for (int k = 4; k <= 20; ++k) {
      PetscCall(cubic_error(methods[i], 0.25 * k, 1e-3, &error));
      worst = PetscMax(worst, error);
    }
    if (!(worst < 2e-3)) fprintf(stderr, "%s: %g\n", methods[i], (double)worst);
    CHECK(worst < 2e-3);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define EXACT "sin(3*t + 0.4)*(1 + x[0] + 2*x[0]^2)"

/* Error at t = 1 of conduction, or of a bar with inertia, between edges whose values move; the elements hold the solution. */
static PetscErrorCode edge_error(PetscInt order, const char method[], PetscReal dt, PetscReal *error)
{
  RungMesh         mesh;
  RungSpace        space;
  RungSystem       sys;
  RungStepper      stepper;
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_SELF, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){4}, NULL));
  PetscCall(RungSpaceCreate(mesh, "P2", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_SELF, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter"));
  PetscCall(RungSystemAddResidual(sys, "inner(grad(u), grad(v))*dx + 4*sin(3*t + 0.4)*v*dx"));
  if (order == 1) PetscCall(RungSystemAddResidual(sys, "(dt(u) - 3*cos(3*t + 0.4)*(1 + x[0] + 2*x[0]^2))*v*dx"));
  if (order == 2) {
    PetscCall(RungSystemAddResidual(sys, "(dt(u, 2) + dt(u) + 9*" EXACT ")*v*dx"));
    PetscCall(RungSystemAddResidual(sys, "-3*cos(3*t + 0.4)*(1 + x[0] + 2*x[0]^2)*v*dx"));
    PetscCall(RungSystemSetInitial(sys, "dt(u)", "3*cos(0.4)*(1 + x[0] + 2*x[0]^2)"));
  }
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", EXACT));
  PetscCall(RungSystemSetInitial(sys, "u", EXACT));
  PetscCall(solve(sys, method, 1, dt, &stepper));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(RungSystemNorm(sys, "u - " EXACT, NULL, RUNG_NORM_L2, 1, state->u, error));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* RODASP's errors on 8 cells are 2.0e-5, 6.2e-7, 8.1e-8, 6.9e-9 at h = 1/5 .. 1/40; the elements have no error here. */
static PetscErrorCode test_moving_edges_keep_the_order(void)
{
  static const struct {
    PetscInt    order;
    const char *method;
    PetscReal   least, error;
  } row[] = {{1, "rodas4p", 3, 2.5e-7}, {1, "ros3p", 2.4, 6e-4}, {2, "rodas4p", 3, 1e-4}, {2, "ros3prl2", 2.4, 1e-3}};

  PetscFunctionBegin;
  for (int i = 0; i < 4; ++i) {
    PetscReal error[2], order;

    PetscCall(edge_error(row[i].order, row[i].method, 0.05, &error[0]));
    PetscCall(edge_error(row[i].order, row[i].method, 0.025, &error[1]));
    order = PetscLog2Real(error[0] / error[1]);
    if (!(order > row[i].least && error[0] < row[i].error))
      fprintf(stderr, "%s, order %d in time: %g %g, order %g\n", row[i].method, (int)row[i].order, error[0], error[1],
              order);
    CHECK(order > row[i].least);
    CHECK(error[0] < row[i].error);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- refusals ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode refuse(const char text[], PetscBool bounded, const char method[], const char message[])
{
  RungMesh    mesh;
  RungSpace   space;
  RungSystem  sys;
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_SELF, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 1));
  PetscCall(RungSpaceCreate(mesh, "P0", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_SELF, &sys));
  PetscCall(RungSystemAddUnknown(sys, "y", "v", space));
  if (strstr(text, "z")) PetscCall(RungSystemAddUnknown(sys, "z", "q", space));
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter"));
  PetscCall(RungSystemAddResidual(sys, text));
  PetscCall(RungSystemSetInitial(sys, "y", "1"));
  if (bounded) PetscCall(RungSystemSetBounds(sys, "y", "0", NULL));
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.1));
  CHECK_RAISES(RungStepperSetUp(stepper), message);
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_is_asked_too_much_is_refused(void)
{
  Ode         ode = kaps();
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(refuse("(dt(y + y^3) + y)*v*dx", PETSC_FALSE, "rodas4p",
                   "rosenbrock method \"rodas4p\" does not keep conserved terms"));
  PetscCall(refuse("(dt(y) + y)*v*dx", PETSC_TRUE, "rodas4p", "keeps no bounds, and \"y\" has some"));
  PetscCall(
    refuse("((1 + y^2)*dt(y) + y)*v*dx", PETSC_FALSE, "ros3p", "keeps the derivative of F by the highest rates"));
  PetscCall(refuse("(dt(y) + z)*v*dx + (z - y)*q*dx", PETSC_FALSE, "grk4t", "does not keep its order in algebraic"));
  PetscCall(start(&ode, "rosenbrockw6s4os", 0, 1, 0.1, &stepper));
  PetscCall(RungStepperSetTolerances(stepper, 1e-3, 1e-3));
  CHECK_RAISES(RungStepperSetUp(stepper), "estimate");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the reaction of Robertson the second value is below 1e-4, of which an absolute tolerance that follows the largest value sees little; where
   it becomes negative all grows without an end, and with it the tolerance.  Linear solves lead there without a word. */
static PetscErrorCode test_values_that_grow_are_not_believed(void)
{
  static const char *const name[] = {"y"}, *const spec[] = {"P0^3"}, *const initial[] = {"vector(1, 0, 0)"},
                           *const methods[] = {"rodas5p", "rodas4p", "rodas3"};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(methods); ++i) {
    for (PetscReal tol = 1e-2; tol > 5e-7; tol /= 10) {
      RungStepper stepper;
      PetscReal   y[3];

      PetscCall(points_create(1, name, spec, initial,
                              "inner(dt(y) - vector(-0.04*y[0] + 1e4*y[1]*y[2], 0.04*y[0] - 1e4*y[1]*y[2] - "
                              "3e7*y[1]^2, 3e7*y[1]^2), v)*dx",
                              &stepper));
      PetscCall(RungStepperSetMethod(stepper, methods[i]));
      PetscCall(RungStepperSetInterval(stepper, 0, 1e4, PETSC_DEFAULT));
      PetscCall(RungStepperSetTolerances(stepper, tol, PETSC_DEFAULT));
      PetscCall(points_solve(&stepper, 3, y, NULL));
      CHECK_NEAR(y[0], 0.107300429, tol); /* esdirk43 at 1e-9 */
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y reaches 0 at t = 2 and is the root's domain no more: refused steps say what is not finite, in a stage or where the step ends. */
static PetscErrorCode test_the_end_of_a_domain_is_told(void)
{
  static const char *const name[] = {"y"}, *const spec[] = {"P0"}, *const initial[] = {"1"},
                           *const methods[] = {"rodas5p", "rodas3", "ros2s", "ros34pw2"};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(methods); ++i) {
    for (PetscReal tol = 1e-2; tol > 1e-7; tol /= 5) {
      RungStepper stepper;
      PetscReal   y;

      PetscCall(points_create(1, name, spec, initial, "(dt(y) + sqrt(y))*v*dx", &stepper));
      PetscCall(RungStepperSetMethod(stepper, methods[i]));
      PetscCall(RungStepperSetInterval(stepper, 0, 3, PETSC_DEFAULT));
      PetscCall(RungStepperSetTolerances(stepper, tol, PETSC_DEFAULT));
      CHECK_RAISES(points_solve(&stepper, 1, &y, NULL),
                   tol < 1e-3 ? "larger ones were refused" : "\"sqrt(y)\" is not finite where y = -");
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static char said[4096]; /* what PetscPrintf() is given */

static PetscErrorCode hear(FILE *file, const char format[], va_list list)
{
  const size_t n = strlen(said);

  (void)file;
  return PetscVSNPrintf(said + n, sizeof said - n, format, NULL, list);
}

/* A capacitor between two nodes: a + b = t + r s(t)^1.25 with s = |sin(pi t/h)|, whose rate grows as a fourth root behind every level of steps
   h.  Rates there are extrapolated from those d, d/2, .. later: off by some r d^0.25/100, and by what rounding makes of a + b, 1e-16/d, at the
   best d alike behind each step.  With r = 0.02 that is 2e-5 (1e-6 with r = 1e-4): rates off by more than 1e-4 are no start, by less
   than 1e-6 are not told, and others where they are ten times as far off as was told.  So between 1e-5 and 1e-4 the first is the last. */
static PetscErrorCode known_to(PetscReal rough, PetscInt *told, PetscReal *error)
{
  static const char *const name[] = {"a", "b"}, *const spec[] = {"P0", "P0"}, *const zero[] = {"0", "0"};
  PetscErrorCode (*before)(FILE *, const char *, va_list) = PetscVFPrintf;
  RungStepper stepper;
  RungSystem  sys;
  PetscReal   y[2];

  PetscFunctionBegin;
  PetscCall(points_create(2, name, spec, zero,
                          "(dt(a) - dt(b) + a - t - rough*(sin(10*pi*t)^2 + 1e-40)^0.625)*v*dx"
                          "+ (dt(b) - dt(a) + b)*q*dx",
                          &stepper));
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(RungSystemSetConstant(sys, "rough", rough));
  PetscCall(RungStepperSetMethod(stepper, "rodas5p"));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.1));
  said[0]       = 0;
  PetscVFPrintf = hear;
  RungCallFinally(points_solve(&stepper, 2, y, NULL), PetscVFPrintf = before);
  *told  = 0;
  *error = 0;
  for (const char *at = said; (at = strstr(at, "are known to ")); ++*told) {
    at += strlen("are known to ");
    *error = PetscMax(*error, atof(at));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_rates_that_are_known_roughly_are_told_of_once(void)
{
  PetscReal error;
  PetscInt  told;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(known_to(0.02, &told, &error));
  CHECK(told == 1 && error >= 1e-5 && error <= 1e-4);
  PetscCall(known_to(1e-7, &told, &error));
  CHECK(!told);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A capacitor between two nodes: rates in both equations, and their sum holds none.  Levels satisfy that sum to the tolerance, which is no
   end and no news: steps of rodas3 at 1e-4 miss it by so little that rates a little later show nothing of it. */
static PetscErrorCode test_levels_beside_the_constraints_of_a_singular_mass_have_rates(void)
{
  static const char *const unknown[] = {"a", "b"}, *const spec[] = {"P0", "P0"}, *const zero[] = {"0", "0"};
  RungStepper stepper;
  Listen      listen;
  PetscReal   x[2], sum;
  char        heard[4096];

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(points_create(2, unknown, spec, zero,
                          "(1e-6*(dt(a) - dt(b)) + 1e-3*(a - sin(100*pi*t)))*v*dx + "
                          "(1e-6*(dt(b) - dt(a)) + 1e-3*(b + b^3))*q*dx",
                          &stepper));
  PetscCall(RungStepperSetMethod(stepper, "rodas3"));
  PetscCall(RungStepperSetInterval(stepper, 0, 0.0069, PETSC_DEFAULT));
  PetscCall(RungStepperSetTolerances(stepper, 1e-4, PETSC_DEFAULT));
  PetscCall(listen_begin(&listen));
  PetscCall(points_solve(&stepper, 2, x, NULL));
  PetscCall(listen_end(&listen, sizeof heard, heard));
  sum = x[0] - sin(0.69 * PETSC_PI) + x[1] + x[1] * x[1] * x[1];
  CHECK_NEAR(sum, 0, 1e-5);
  CHECK(!strstr(heard, "were changed"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_step_of_the_decay_is_the_stability_function),
               RUNG_TEST(test_stiff_decay_in_one_step_is_the_limit_that_is_told),
               RUNG_TEST(test_every_method_has_its_order_where_f_depends_on_t),
               RUNG_TEST(test_every_method_has_its_order_on_second_derivatives),
               RUNG_TEST(test_estimates_that_vanish_for_linear_equations_are_none),
               RUNG_TEST(test_errors_follow_the_tolerance),
               RUNG_TEST(test_a_step_takes_one_jacobian_and_one_factorisation),
               RUNG_TEST(test_algebraic_unknowns_have_the_order_where_a_method_takes_them),
               RUNG_TEST(test_errors_of_algebraic_unknowns_are_tested), RUNG_TEST(test_moving_edges_keep_the_order),
               RUNG_TEST(test_what_is_asked_too_much_is_refused), RUNG_TEST(test_values_that_grow_are_not_believed),
               RUNG_TEST(test_the_end_of_a_domain_is_told),
               RUNG_TEST(test_rates_that_are_known_roughly_are_told_of_once),
               RUNG_TEST(test_levels_beside_the_constraints_of_a_singular_mass_have_rates))
