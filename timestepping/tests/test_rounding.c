/* test_rounding.c - adaptive runs of what is at rest: no digits of noise are asked for, in any units, by any method. */
#include "../step_impl.h"

#include <check.h>
#include <rungmethod.h>

/* Runs `sys`, which is destroyed and has values of `size`, to t = 1 with rtol alone: in few steps, and rounding is found to be small. */
static PetscErrorCode run(RungSystem sys, const char type[], const char method[], PetscReal size, PetscInt most)
{
  RungStepperStatistics statistics;
  RungStepper           stepper;

  PetscFunctionBegin;
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  if (type) PetscCall(RungStepperSetType(stepper, type));
  if (type) PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, PETSC_DEFAULT));
  PetscCall(RungStepperSetTolerances(stepper, 1e-4, PETSC_DEFAULT));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetMaxSteps(stepper, 20 * most));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, &statistics));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %s %s: %" PetscInt_FMT " steps, at most %" PetscInt_FMT "\n",
                        type ? type : "by itself", type ? method : "", statistics.steps, most));
  CHECK(statistics.steps <= most);
  for (PetscInt i = 0; i < 2 * stepper->traits.unknowns; ++i)
    CHECK(RungWeightsRounding(stepper->weights)[i] < 1e-7 * size);
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A fluid under its weight: pressures of g, velocities of nothing but rounding; MEAN: so is the number that keeps the mean of p. */
typedef enum { HELD, SPLIT, MEAN } Fluid;

static PetscErrorCode make_fluid(PetscReal scale, Fluid fluid, RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace velocity, pressure, number;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "quadrilateral", 2, (PetscInt[]){5, 5}, NULL));
  PetscCall(RungSpaceCreate(mesh, "Q2^d", &velocity));
  PetscCall(RungSpaceCreate(mesh, "Q1", &pressure));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "w", velocity));
  PetscCall(RungSystemAddUnknown(*sys, "p", "q", pressure));
  PetscCall(RungSystemSetConstant(*sys, "g", 9.81 * scale));
  PetscCall(RungSystemAddResidual(*sys, "(inner(dt(u), w) + inner(grad(u), grad(w)) - p*div(w) + g*w[1])*dx"));
  if (fluid == SPLIT) PetscCall(RungSystemAddResidual(*sys, "explicit(inner(dot(grad(u), u), w)*dx)"));
  if (fluid == MEAN) {
    PetscCall(RungSpaceCreate(mesh, "R", &number));
    PetscCall(RungSystemAddUnknown(*sys, "m", "r", number));
    PetscCall(RungSystemAddResidual(*sys, "(inner(dot(grad(u), u), w) + m*q + p*r)*dx"));
    PetscCall(RungSpaceDestroy(&number));
  }
  PetscCall(RungSystemAddResidual(*sys, "div(u)*q*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "boundary", "0"));
  if (fluid != MEAN)
    PetscCall(
      RungSystemAddConstraint(*sys, 1, (const char *const[]){"p"}, (PetscReal[]){0, 0, 0}, (PetscReal[]){1}, NULL));
  PetscCall(RungSpaceDestroy(&velocity));
  PetscCall(RungSpaceDestroy(&pressure));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A bar that hangs in balance with its weight: velocities of nothing but rounding. */
static PetscErrorCode make_bar(PetscReal scale, PetscInt cells, const char degree[], RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, &cells, NULL));
  PetscCall(RungSpaceCreate(mesh, degree, &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "w", space));
  PetscCall(RungSystemSetConstant(*sys, "g", scale));
  PetscCall(RungSystemAddResidual(*sys, "(dt(u, 2)*w + 1000*inner(grad(u), grad(w)) - g*w)*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "0"));
  PetscCall(RungSystemSetInitial(*sys, "u", "g/1000*(x[0] - x[0]^2/2)"));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same with an internal variable, and as two unknowns of order 1 between bounds. */
static PetscErrorCode make_bar_with(PetscBool internal, RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace space, other;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){10}, NULL));
  PetscCall(RungSpaceCreate(mesh, "P2", &space));
  PetscCall(RungSpaceCreate(mesh, internal ? "Quad(3)" : "P2", &other));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "w", space));
  PetscCall(RungSystemAddUnknown(*sys, "s", "q", other));
  if (internal) {
    PetscCall(RungSystemAddResidual(*sys, "(dt(u, 2)*w + (1000*grad(u)[0] + s)*grad(w)[0] - 10*w)*dx"));
    PetscCall(RungSystemAddResidual(*sys, "(dt(s) + 10*s - s^3)*q*dx"));
  } else {
    PetscCall(RungSystemAddResidual(*sys, "((dt(u) - s)*w + dt(s)*q + 1000*grad(u)[0]*grad(q)[0] - 10*q)*dx"));
    PetscCall(RungSystemSetDirichlet(*sys, "s", "left", "0"));
    PetscCall(RungSystemSetBounds(*sys, "u", "-1", "1"));
  }
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "0"));
  PetscCall(RungSystemSetInitial(*sys, "u", "10/1000*(x[0] - x[0]^2/2)"));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungSpaceDestroy(&other));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A product of what is in balance. */
static PetscErrorCode make_reaction(PetscReal scale, RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 1));
  PetscCall(RungSpaceCreate(mesh, "P0", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "a", "p", space));
  PetscCall(RungSystemAddUnknown(*sys, "b", "q", space));
  PetscCall(RungSystemAddUnknown(*sys, "c", "r", space));
  PetscCall(RungSystemSetConstant(*sys, "S", 0.3 * scale));
  PetscCall(RungSystemAddResidual(*sys, "(dt(a)*p + dt(b)*q + dt(c)*r + 1e6*(a - b)*(p - q - r) + 1e-3*c*r)*dx"));
  PetscCall(RungSystemSetInitial(*sys, "a", "S"));
  PetscCall(RungSystemSetInitial(*sys, "b", "S"));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_fluid_at_rest_takes_long_steps(void)
{
  const char *const method[][2] = {
    {"dirk", "esdirk54"}, {"dirk", "trbdf2"}, {"dirk", "esdirk43"}, {"imex", "ark436"}, {"dirk", "esdirk43"}};
  const PetscReal scale[] = {1, 1e-9, 1e12};
  RungSystem      sys;

  PetscFunctionBegin;
  for (size_t m = 0; m < sizeof method / sizeof *method; ++m) {
    for (int s = 0; s < 3; ++s) {
      PetscCall(make_fluid(scale[s], m == 3 ? SPLIT : m == 4 ? MEAN : HELD, &sys));
      PetscCall(run(sys, method[m][0], method[m][1], scale[s], 100));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton's method comes to a stand with steps that p's rounding makes in u and m. */
static PetscErrorCode test_fixed_steps_of_a_fluid_at_rest_are_solved(void)
{
  const PetscReal scale[] = {1, 1e-9, 1e5};

  PetscFunctionBegin;
  for (int s = 0; s < 3; ++s) {
    RungSystem       sys;
    RungStepper      stepper;
    const RungState *state;
    PetscReal        norm;

    PetscCall(make_fluid(scale[s], MEAN, &sys));
    PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
    PetscCall(RungStepperSetSystem(stepper, sys));
    PetscCall(RungStepperSetType(stepper, "dirk"));
    PetscCall(RungStepperSetMethod(stepper, "esdirk43"));
    PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.25));
    PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetState(stepper, 0, &state));
    PetscCall(VecNorm(state->u[0], NORM_INFINITY, &norm));
    CHECK(norm < 20 * scale[s]); /* p */
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The potentials inside and outside of tissue that is excited at one side; l keeps the mean of the second one, whose equation is in balance without. */
static PetscErrorCode make_tissue(RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace space, number;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){10, 10}, (PetscReal[]){20, 20}));
  PetscCall(RungSpaceCreate(mesh, "P1", &space));
  PetscCall(RungSpaceCreate(mesh, "R", &number));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "V", "v", space));
  PetscCall(RungSystemAddUnknown(*sys, "U", "q", space));
  PetscCall(RungSystemAddUnknown(*sys, "l", "m", number));
  PetscCall(
    RungSystemAddResidual(*sys, "dt(V)*v*dx + 0.2*inner(grad(V) + grad(U), grad(v))*dx - 10*V*(1 - V)*(V - 0.1)*v*dx"));
  PetscCall(RungSystemAddResidual(*sys, "(inner(0.2*grad(V) + 0.7*grad(U), grad(q)) + l*q + U*m)*dx"));
  PetscCall(RungSystemSetInitial(*sys, "V", "if(x[0] < 3, 1, 0)"));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungSpaceDestroy(&number));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A multiplier that is 0 but for rounding is in no error test, and Newton's method does not wait for it: it takes as many steps as with an atol. */
static PetscErrorCode test_newton_does_not_wait_for_a_multiplier_that_is_rounding(void)
{
  RungStepperStatistics statistics[2];

  PetscFunctionBegin;
  for (int given = 0; given < 2; ++given) {
    RungSystem  sys;
    RungStepper stepper;

    PetscCall(make_tissue(&sys));
    PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
    PetscCall(RungStepperSetSystem(stepper, sys));
    PetscCall(RungStepperSetType(stepper, "dirk"));
    PetscCall(RungStepperSetMethod(stepper, "esdirk54"));
    PetscCall(RungStepperSetInterval(stepper, 0, 5, PETSC_DEFAULT));
    PetscCall(RungStepperSetTolerances(stepper, 1e-4, PETSC_DEFAULT));
    if (given) PetscCall(RungStepperSetUnknownTolerances(stepper, "l", PETSC_DEFAULT, 1e-4));
    PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetStatistics(stepper, &statistics[given]));
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %" PetscInt_FMT " Newton iterations, %" PetscInt_FMT " with an atol\n",
                        statistics[0].newton, statistics[1].newton));
  CHECK(4 * statistics[0].newton <= 5 * statistics[1].newton);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A method, and the most steps that it may take. */
typedef struct {
  const char *type, *name;
  PetscInt    most;
} Row;

static PetscErrorCode run_bars(size_t n, const Row row[], PetscInt cells, const char degree[])
{
  const PetscReal scale[] = {9.81, 1e-9, 1e12};

  PetscFunctionBegin;
  for (size_t i = 0; i < 3 * n; ++i) {
    RungSystem sys;

    PetscCall(make_bar(scale[i % 3], cells, degree, &sys));
    PetscCall(run(sys, row[i / 3].type, row[i / 3].name, scale[i % 3], row[i / 3].most));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_bar_in_balance_takes_long_steps(void)
{
  static const Row row[] = {{"dirk", "esdirk54", 100},       {"dirk", "trbdf2", 100},
                            {"rosenbrock", "rodas4", 100},   {"alpha", "newmark", 100},
                            {"alpha", "chung_hulbert", 100}, {"bathe", "bathe", 100},
                            {"theta", "crank_nicolson", 400}};

  PetscFunctionBegin;
  PetscCall(run_bars(PETSC_STATIC_ARRAY_LENGTH(row), row, 10, "P2"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Many cells vibrate fast: what follows vibrations of rounding takes steps of their length, to the end.  Central differences have to be stable. */
static PetscErrorCode test_vibrations_of_rounding_are_not_followed(void)
{
  /* what rounding is differs from compiler to compiler: 38 to 204 steps of esdirk54 */
  static const Row row[] = {{"dirk", "esdirk54", 600},         {"rosenbrock", "rodas5p", 600},
                            {"alpha", "newmark", 2000},        {"alpha", "chung_hulbert", 400},
                            {"theta", "crank_nicolson", 2500}, {"acceleration", "central_difference", 10000}};

  PetscFunctionBegin;
  PetscCall(run_bars(PETSC_STATIC_ARRAY_LENGTH(row), row, 60, "P1"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_internal_variables_and_bounds_make_no_difference(void)
{
  const char *const method[] = {"esdirk54", "trbdf2"};
  RungSystem        sys;

  PetscFunctionBegin;
  for (int m = 0; m < 2; ++m) {
    for (int internal = 0; internal < 2; ++internal) {
      PetscCall(make_bar_with(internal ? PETSC_TRUE : PETSC_FALSE, &sys));
      PetscCall(run(sys, "dirk", method[m], 10, 100));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_reaction_in_balance_takes_long_steps(void)
{
  const char *const method[][2] = {{"dirk", "esdirk54"}, {"dirk", "trbdf2"}, {"rosenbrock", "rodas4"}};
  const PetscReal   scale[]     = {1, 1e-9, 1e12};
  RungSystem        sys;

  PetscFunctionBegin;
  for (size_t m = 0; m < sizeof method / sizeof *method; ++m) {
    for (int s = 0; s < 3; ++s) {
      PetscCall(make_reaction(scale[s], &sys));
      PetscCall(run(sys, method[m][0], method[m][1], scale[s], 100));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values of 2/3 and 1/3 with powers of 2 between them: products with 1e6 and 2e6 round alike, also with changes alike, and their difference
   seemed to be free of rounding.  dopri54, which is taken by itself, has no differences of stages that tell of stiffness there. */
static PetscErrorCode test_roundings_alike_are_seen(void)
{
  const char *const method[][2] = {
    {"dirk", "esdirk54"}, {"rosenbrock", "rodas5p"}, {"rosenbrock", "rodas4"}, {NULL, NULL}};
  RungMesh   mesh;
  RungSpace  space;
  RungSystem sys;

  PetscFunctionBegin;
  for (size_t m = 0; m < sizeof method / sizeof *method; ++m) {
    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetPoints(mesh, 1));
    PetscCall(RungSpaceCreate(mesh, "P0", &space));
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemAddUnknown(sys, "a", "p", space));
    PetscCall(RungSystemAddUnknown(sys, "b", "q", space));
    PetscCall(RungSystemAddUnknown(sys, "c", "r", space));
    PetscCall(RungSystemAddResidual(sys, "(dt(a)*p + dt(b)*q + dt(c)*r + (1e6*a - 2e6*b)*(p - q - r))*dx"));
    PetscCall(RungSystemSetInitial(sys, "a", "2/3"));
    PetscCall(RungSystemSetInitial(sys, "b", "1/3"));
    PetscCall(run(sys, method[m][0], method[m][1], 1, 100));
    PetscCall(RungSpaceDestroy(&space));
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *v of the free end at t = 1 of a bar in balance that was kicked by a billionth of its size; atol 0: none is given */
static PetscErrorCode kick(PetscReal atol, PetscReal *v)
{
  const RungState *state;
  RungSystem       sys;
  RungStepper      stepper;

  PetscFunctionBegin;
  PetscCall(make_bar(9.81, 10, "P2", &sys));
  PetscCall(RungSystemSetInitial(sys, "dt(u)", "1e-9*x[0]"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetType(stepper, "dirk"));
  PetscCall(RungStepperSetMethod(stepper, "esdirk43"));
  PetscCall(RungStepperSetInterval(stepper, 0, 0.1, 0.05)); /* the first attempts are refused */
  PetscCall(RungStepperSetTolerances(stepper, 1e-6, PETSC_DEFAULT));
  if (atol > 0) PetscCall(RungStepperSetUnknownTolerances(stepper, "dt(u)", PETSC_DEFAULT, atol));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  PetscCall(VecNorm(state->u[1], NORM_INFINITY, v));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is small beside what it hangs on, but more than rounding, is as exact as with an atol of its own. */
static PetscErrorCode test_small_vibrations_are_not_taken_for_rounding(void)
{
  PetscReal v[2];

  PetscFunctionBegin;
  PetscCall(kick(0, &v[0]));
  PetscCall(kick(1e-15, &v[1]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  v %.6e and %.6e\n", (double)v[0], (double)v[1]));
  CHECK(v[1] > 1e-10 && PetscAbsReal(v[0] - v[1]) <
                          1e-2 * 1e-9); /* of the largest velocity, as tolerances are; 2e-3 to 6e-3 is rounding,
                                                     by the order of operations and what steps have added to it */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Attempts that blow up are no size for what they take along: b and c are 1e118 in the first one here. */
static PetscErrorCode test_what_has_blown_up_is_no_size(void)
{
  RungMesh    mesh;
  RungSpace   space;
  RungSystem  sys;
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 1));
  PetscCall(RungSpaceCreate(mesh, "P0", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "a", "p", space));
  PetscCall(RungSystemAddUnknown(sys, "b", "q", space));
  PetscCall(RungSystemAddUnknown(sys, "c", "r", space));
  PetscCall(
    RungSystemAddResidual(sys, "(dt(a)*p + dt(b)*q + dt(c)*r + (0.04*a - 1e4*b*c)*(p - q) + 3e7*b^2*(q - r))*dx"));
  PetscCall(RungSystemSetInitial(sys, "a", "1"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetType(stepper, "rosenbrock"));
  PetscCall(RungStepperSetMethod(stepper, "rodas5p"));
  PetscCall(RungStepperSetInterval(stepper, 0, 1e3, 1e3));
  PetscCall(RungStepperSetTolerances(stepper, 1e-4, PETSC_DEFAULT));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSolve(stepper));
  for (PetscInt f = 0; f < 3; ++f) CHECK(RungWeightsSeen(stepper->weights)[2 * f] < 10);
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_what_has_blown_up_is_no_size),
               RUNG_TEST(test_small_vibrations_are_not_taken_for_rounding),
               RUNG_TEST(test_a_fluid_at_rest_takes_long_steps),
               RUNG_TEST(test_fixed_steps_of_a_fluid_at_rest_are_solved),
               RUNG_TEST(test_newton_does_not_wait_for_a_multiplier_that_is_rounding),
               RUNG_TEST(test_a_bar_in_balance_takes_long_steps),
               RUNG_TEST(test_vibrations_of_rounding_are_not_followed),
               RUNG_TEST(test_internal_variables_and_bounds_make_no_difference),
               RUNG_TEST(test_a_reaction_in_balance_takes_long_steps), RUNG_TEST(test_roundings_alike_are_seen))
