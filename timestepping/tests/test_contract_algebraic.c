/* test_contract_algebraic.c - components without a time derivative in unknowns that have one: a pendulum of index 2 whose force is
   a component beside the motion, kinetics of index 1; who cannot have them, and index 3, are named. */
#include <check.h>
#include <rungstep.h>

#define GRAVITY "9.81"

/* other: the space of another unknown l, test function m, or NULL */
static PetscErrorCode make(const char space[], const char other[], PetscInt residuals, const char *const residual[],
                           PetscInt values, const char *const initial[][2], RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace given;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 1));
  PetscCall(RungSpaceCreate(mesh, space, &given));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "y", "z", given));
  if (other) {
    PetscCall(RungSpaceDestroy(&given));
    PetscCall(RungSpaceCreate(mesh, other, &given));
    PetscCall(RungSystemAddUnknown(*sys, "l", "m", given));
  }
  for (PetscInt i = 0; i < residuals; ++i) PetscCall(RungSystemAddResidual(*sys, residual[i]));
  for (PetscInt i = 0; i < values; ++i) PetscCall(RungSystemSetInitial(*sys, initial[i][0], initial[i][1]));
  PetscCall(RungSpaceDestroy(&given));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(RungSystem sys, const char method[], PetscReal end, PetscReal rtol, PetscInt *steps,
                          PetscScalar y[], PetscInt n)
{
  RungStepper           stepper;
  RungStepperStatistics s;
  const RungState      *state;
  const PetscScalar    *x;
  PetscErrorCode        code;

  PetscFunctionBegin;
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, end, 1e-2));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetMaxSteps(stepper, 2000));
  if (rtol > 0) PetscCall(RungStepperSetTolerances(stepper, rtol, rtol));
  code = RungStepperSolve(stepper);
  if (!code) {
    PetscCall(RungStepperGetStatistics(stepper, &s));
    *steps = s.steps + s.rejected + s.failed;
    PetscCall(RungStepperGetState(stepper, 0, &state));
    PetscCall(VecGetArrayRead(state->u[0], &x));
    for (PetscInt i = 0; i < n; ++i) y[i] = x[i];
    PetscCall(VecRestoreArrayRead(state->u[0], &x));
  }
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(code);
}

/* The angle a from the lowest point, a'' = -g sin a, by the classical Runge-Kutta method far below the errors looked at. */
static void exact(PetscReal t, PetscReal y[5])
{
  const int    n = 4000;
  const double h = t / n, g = 9.81;
  double       a = 0.6, v = 1.1;

  for (int i = 0; i < n; ++i) {
    const double k1 = v, l1 = -g * sin(a), k2 = v + h / 2 * l1, l2 = -g * sin(a + h / 2 * k1);
    const double k3 = v + h / 2 * l2, l3 = -g * sin(a + h / 2 * k2), k4 = v + h * l3, l4 = -g * sin(a + h * k3);

    a += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    v += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
  y[0] = sin(a);
  y[1] = -cos(a);
  y[2] = v * cos(a);
  y[3] = v * sin(a);
  y[4] = v * v + g * cos(a);
}

static const char *const start[][2] = {
  {"y[0]", "sin(0.6)"}, {"y[1]", "-cos(0.6)"}, {"y[2]", "1.1*cos(0.6)"}, {"y[3]", "1.1*sin(0.6)"}};
static const char motion[] = "((dt(y[0]) - y[2])*z[0] + (dt(y[1]) - y[3])*z[1] + (dt(y[2]) + y[0]*y[4])*z[2] + "
                             "(dt(y[3]) + y[1]*y[4] + " GRAVITY ")*z[3])*dx";

static PetscErrorCode test_a_pendulum_of_index_two_has_its_force_as_a_component(void)
{
  const char *const residual[] = {motion, "(y[0]*y[2] + y[1]*y[3])*z[4]*dx"};
  RungSystem        sys;
  PetscInt          steps;
  PetscScalar       y[5];
  PetscReal         right[5];

  PetscFunctionBegin;
  exact(1, right);
  for (int i = 0; i < 2; ++i) {
    PetscCall(make("P0^5", NULL, 2, residual, 4, start, &sys));
    PetscCall(run(sys, i ? "esdirk43" : "trbdf2", 1, 1e-5, &steps, y, 5));
    for (int c = 0; c < 5; ++c) CHECK_NEAR(y[c], right[c], (c < 4 ? 1e-4 : 1e-3) * 10);
    CHECK(steps <= 60);
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y0' = -y0, 0 = y0 - y1^3, whose derivative vanishes at 0: what ends its steps by weights is refused, with the component's name. */
static PetscErrorCode test_methods_are_refused_with_the_name_of_the_component(void)
{
  const char *const        residual[] = {"((dt(y[0]) + y[0])*z[0] + (y[0] - y[1]^3)*z[1])*dx"};
  static const char *const one[][2]   = {{"y[0]", "1"}, {"y[1]", "1"}};
  RungSystem               sys;
  PetscInt                 steps;
  PetscScalar              y[2];

  PetscFunctionBegin;
  PetscCall(make("P0^2", NULL, 1, residual, 2, one, &sys));
  CHECK_RAISES(run(sys, "midpoint", 1, 0, &steps, y, 2),
               "algebraic unknowns, here \"y[1]\", of which no equation holds a rate");
  CHECK_RAISES(run(sys, "sdirk23_crouzeix", 1, 0, &steps, y, 2), "insist with -stepper_force");
  PetscCall(run(sys, "esdirk43", 1, 1e-6, &steps, y, 2));
  CHECK_NEAR(y[1], exp(-1.0 / 3), 1e-6);
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The end of a step of ssp433 is no stage, and off the constraint by the method's error: that is no initial value. */
static PetscErrorCode test_levels_that_a_method_projects_are_no_initial_values(void)
{
  const char *const residual[]  = {"(dt(y[0])*z[0] + (dt(y[1]) + y[1])*z[1] + l*(z[0] + 2*z[1]))*dx",
                                   "-explicit(cos(3*t)*z[0]*dx)", "(y[0] + 2*y[1] - exp(-t))*m*dx"};
  const char *const values[][2] = {{"y[0]", "1"}, {"l", "0.4"}};
  RungSystem        sys;
  PetscInt          steps;
  PetscScalar       y[2];

  PetscFunctionBegin;
  PetscCall(make("P0^2", "P0", 3, residual, 2, values, &sys));
  PetscCall(PetscOptionsSetValue(NULL, "-system_initial", "check"));
  PetscCall(RungSystemSetFromOptions(sys));
  PetscCall(PetscOptionsClearValue(NULL, "-system_initial"));
  PetscCall(run(sys, "ssp433", 0.1, 0, &steps, y, 2));
  CHECK_NEAR(y[0] + 2 * y[1], exp(-0.1), 1e-12);
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With x^2 + y^2 = 1 in its place: from values whose rates violate it there is no start. */
static PetscErrorCode test_a_constraint_of_index_three_is_named(void)
{
  const char *const residual[] = {motion, "(y[0]^2 + y[1]^2 - 1)*z[4]*dx"};
  const char *const wrong[][2] = {{"y[0]", "sin(0.6)"}, {"y[1]", "-1.1*cos(0.6)"}};
  RungSystem        sys;
  PetscInt          steps;
  PetscScalar       y[5];

  PetscFunctionBegin;
  PetscCall(make("P0^5", NULL, 2, residual, 2, wrong, &sys));
  CHECK_RAISES(
    run(sys, "trbdf2", 1, 1e-5, &steps, y, 5),
    "the equation of y[4] of point 0 is a constraint of index 3, and the initial values or their rates do not");
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_pendulum_of_index_two_has_its_force_as_a_component),
               RUNG_TEST(test_methods_are_refused_with_the_name_of_the_component),
               RUNG_TEST(test_levels_that_a_method_projects_are_no_initial_values),
               RUNG_TEST(test_a_constraint_of_index_three_is_named))
