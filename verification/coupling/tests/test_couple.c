/* test_couple.c - coupled systems of a program in C: orders of the schemes, numbers and events of all, restart, what
   is refused. */
#include "../coupling_impl.h"
#include "turn.h"
#include <rungsystem_room.h>

#define SIXTY "twelve_bytestwelve_bytestwelve_bytestwelve_bytestwelve_bytes"

/* Values of the last row that a monitor is told of, and how many there were. */
typedef struct {
  PetscInt  rows, again;
  PetscReal t, value[8];
} Told;

static PetscErrorCode tell(RungCoupling coupling, PetscReal t, PetscBool again, const PetscReal value[], void *ctx)
{
  Told    *told = ctx;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RungCouplingGetColumns(coupling, &n, NULL));
  CHECK(n <= 8);
  ++told->rows;
  told->again += again;
  told->t = t;
  PetscCall(PetscArraycpy(told->value, value, PetscMin(n, 8)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(RungCouplingScheme scheme, PetscReal window, Told *told)
{
  Turn t;

  PetscFunctionBegin;
  *told = (Told){.rows = 0};
  PetscCall(create(&t));
  PetscCall(add(&t));
  PetscCall(RungCouplingSetScheme(t.coupling, scheme));
  PetscCall(RungCouplingSetWindow(t.coupling, window));
  if (scheme == RUNG_COUPLING_ITERATE) PetscCall(RungCouplingSetTolerance(t.coupling, 1e-12, 40));
  PetscCall(RungCouplingAddNumber(t.coupling, "one", "half", "y/2"));
  PetscCall(RungCouplingSetConstant(t.coupling, "c", 2));
  PetscCall(RungCouplingAddNumber(t.coupling, NULL, "radius", "sqrt(one.y^2 + two.z^2)"));
  PetscCall(RungCouplingAddNumber(t.coupling, NULL, "more", "c*radius + t + one.half"));
  PetscCall(RungCouplingAddMonitor(t.coupling, tell, told));
  PetscCall(RungCouplingSolve(t.coupling));
  CHECK_RAISES(RungCouplingSolve(t.coupling), "a coupling was solved already");
  PetscCall(destroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From t = 1/2 on, with a last window that is shorter; columns are one.turned, one.y, one.half, two.z, radius, more. */
static PetscErrorCode test_orders_in_time_are_those_of_the_schemes(void)
{
  const PetscReal order[] = {1, 4, 1, 2};
  Told            told[2], odd;

  PetscFunctionBegin;
  for (int s = RUNG_COUPLING_EXPLICIT; s <= (int)RUNG_COUPLING_STRANG && check_alone(); ++s) {
    const PetscReal window = s == (int)RUNG_COUPLING_ITERATE ? 0.5 : 0.2;
    PetscReal       error[2];

    for (int k = 0; k < 2; ++k) {
      PetscCall(solve((RungCouplingScheme)s, k ? window / 2 : window, &told[k]));
      error[k] = hypot(told[k].value[1] - cos(1), told[k].value[3] - sin(1));
    }
    CHECK_NEAR(log2(error[0] / error[1]), order[s], 0.25);
    CHECK(told[0].rows == (s == (int)RUNG_COUPLING_ITERATE ? 3 : 6) && told[0].t == 1.5 && !told[0].again);
    CHECK_NEAR(told[1].value[0], 2 * sin(1), 0.1); /* two points */
    CHECK_NEAR(told[1].value[2], told[1].value[1] / 2, 1e-15);
    CHECK_NEAR(told[1].value[4], hypot(told[1].value[1], told[1].value[3]), 1e-14);
    CHECK_NEAR(told[1].value[5], 2 * told[1].value[4] + 1.5 + told[1].value[2], 1e-14);
  }
  PetscCall(solve(RUNG_COUPLING_STRANG, 0.7, &odd));
  CHECK(odd.rows == 3 && odd.t == 1.5);
  CHECK_NEAR(odd.value[1], cos(1), 0.1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The turn goes twice as fast behind the event, and one unknown is put back: saved each fifth window, or continued. */
static PetscErrorCode run_events(PetscReal end, const char save[], const char load[], Told *told,
                                 RungStepperReason *reason)
{
  Turn             t;
  PetscInt         n;
  const PetscReal *at;

  PetscFunctionBegin;
  *told = (Told){.rows = 0};
  PetscCall(create(&t));
  for (int i = 0; i < 2; ++i) PetscCall(RungStepperSetInterval(t.stepper[i], 0.5, end, 0.05));
  PetscCall(add(&t));
  PetscCall(RungCouplingSetScheme(t.coupling, RUNG_COUPLING_STRANG));
  PetscCall(RungCouplingSetWindow(t.coupling, 0.0625));
  PetscCall(RungCouplingAddEvent(t.coupling, "two", "high", &(RungEvent){.text = "z - 1/4", .direction = RUNG_RISING}));
  PetscCall(RungCouplingAddEvent(t.coupling, NULL, "met",
                                 &(RungEvent){.text = "one.y - two.z", .direction = RUNG_FALLING, .stop = 2}));
  PetscCall(RungCouplingSetEventChange(t.coupling, "high", "one", "k", "2"));
  PetscCall(RungCouplingSetEventChange(t.coupling, "high", "two", "k", "k + 1"));
  PetscCall(RungCouplingSetEventChange(t.coupling, "met", "two", "z", "z/2"));
  PetscCall(RungCouplingSetCheckpoint(t.coupling, save, 5));
  PetscCall(RungCouplingSetRestart(t.coupling, load));
  PetscCall(RungCouplingAddMonitor(t.coupling, tell, told));
  PetscCall(RungCouplingSolve(t.coupling));
  PetscCall(RungCouplingGetReason(t.coupling, reason));
  PetscCall(RungCouplingGetEvent(t.coupling, "high", &n, &at));
  CHECK(n == 1);
  if (n) CHECK_NEAR(at[0], 0.5 + asin(0.25), 1e-3);
  PetscCall(destroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_run_with_events_goes_on_from_its_checkpoints_bit_for_bit(void)
{
  Told              whole, part, rest;
  RungStepperReason reason;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS); /* reader.group does the same on two */
  PetscCall(run_events(1.4375, "whole.h5", NULL, &whole, &reason));
  CHECK(reason == RUNG_STEPPER_EVENT && whole.again == 3 && whole.t < 1.4375);
  PetscCall(run_events(1.125, "part.h5", NULL, &part, &reason));
  CHECK(reason == RUNG_STEPPER_REACHED_END && part.again == 2 && part.t == 1.125);
  PetscCall(run_events(1.4375, "rest.h5", "part.h5", &rest, &reason));
  CHECK(reason == RUNG_STEPPER_EVENT && rest.again == 1 && rest.t == whole.t);
  for (int i = 0; i < 3; ++i) CHECK(rest.value[i] == whole.value[i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adaptive steps of the second system have sizes that their tolerances follow, fixed steps of the first none. */
static PetscErrorCode check_sizes(const Turn *t, const char path[], PetscBool wanted, PetscInt i)
{
  RungCheckpoint file;
  PetscBool      has;

  PetscFunctionBegin;
  PetscCall(RungCheckpointOpen(t->sys[i], path, PETSC_FALSE, &file));
  PetscCall(RungCheckpointHas(file, "largest now 0", &has));
  CHECK(has == wanted);
  PetscCall(RungCheckpointHas(file, "rounding now 1", &has));
  CHECK(has == wanted);
  PetscCall(RungCheckpointClose(&file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_nonlinear(RungCouplingScheme scheme, PetscReal end, const char save[], const char load[],
                                    Told *told)
{
  Turn t;

  PetscFunctionBegin;
  PetscCall(create(&t));
  PetscCall(RungSystemAddResidual(t.sys[0], "0.7*y^2*v*dx"));
  PetscCall(RungSystemAddResidual(t.sys[1], "(sin(3*z) + 10*z)*v*dx"));
  for (int i = 0; i < 2; ++i) PetscCall(RungStepperSetInterval(t.stepper[i], 0.5, end, 0.05));
  PetscCall(RungStepperSetTolerances(t.stepper[1], 1e-3, PETSC_DEFAULT)); /* follows the largest value, at the start */
  PetscCall(RungSystemSetInitial(t.sys[1], "z", "3"));
  PetscCall(add(&t));
  PetscCall(RungCouplingSetScheme(t.coupling, scheme));
  if (scheme == RUNG_COUPLING_ITERATE) PetscCall(RungCouplingSetTolerance(t.coupling, 1e-4, 50)); /* of the same size */
  PetscCall(RungCouplingSetWindow(t.coupling, 0.0625));
  PetscCall(RungCouplingSetCheckpoint(t.coupling, save, 5));
  PetscCall(RungCouplingSetRestart(t.coupling, load));
  PetscCall(RungCouplingAddMonitor(t.coupling, tell, told));
  PetscCall(RungCouplingSolve(t.coupling));
  if (!strcmp(save, "part.h5")) {
    PetscCall(check_sizes(&t, "part_one.h5", PETSC_FALSE, 0));
    PetscCall(check_sizes(&t, "part_two.h5", PETSC_TRUE, 1));
  }
  PetscCall(destroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton's method ends by tolerances: its matrices and what it has learnt must not outlive a checkpoint. */
static PetscErrorCode test_a_nonlinear_run_goes_on_from_its_checkpoints_bit_for_bit(void)
{
  Told whole, part, rest;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    const RungCouplingScheme scheme = i ? RUNG_COUPLING_ITERATE : RUNG_COUPLING_EXPLICIT;

    PetscCall(run_nonlinear(scheme, 1.4375, "whole.h5", NULL, &whole));
    PetscCall(run_nonlinear(scheme, 1.125, "part.h5", NULL, &part));
    PetscCall(run_nonlinear(scheme, 1.4375, "rest.h5", "part.h5", &rest));
    CHECK(part.t == 1.125 && rest.t == whole.t);
    for (int k = 0; k < 3; ++k) CHECK(rest.value[k] == whole.value[k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* w and also are the same unknown of the other system: y' = -w whatever the difference of both is weighted with. */
static PetscErrorCode test_a_system_has_several_values_of_others(void)
{
  PetscReal y[2];

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    Turn             t;
    const RungState *state;

    PetscCall(create(&t));
    if (i) {
      PetscCall(RungSystemAddCoupling(t.sys[0], "also", t.sys[1], "z"));
      PetscCall(RungSystemAddResidual(t.sys[0], "7*(also - w)*v*dx"));
    }
    PetscCall(add(&t));
    PetscCall(RungCouplingSetScheme(t.coupling, RUNG_COUPLING_ITERATE));
    PetscCall(RungCouplingSetWindow(t.coupling, 0.25));
    PetscCall(RungCouplingSolve(t.coupling));
    PetscCall(RungStepperGetState(t.stepper[0], 0, &state));
    PetscCall(VecNorm(state->u[0], NORM_INFINITY, &y[i]));
    PetscCall(destroy(&t));
  }
  CHECK_NEAR(y[0], y[1], 1e-12);
  CHECK_NEAR(y[0], cos(1), 1e-3);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Still water, and its temperature: the velocity is rounding, whose size no iteration settles. */
static PetscErrorCode test_a_fluid_at_rest_is_iterated(void)
{
  RungCoupling     coupling;
  RungMesh         mesh;
  RungSpace        velocity, pressure, scalar;
  RungSystem       flow, heat;
  RungStepper      stepper[2];
  const RungState *state;
  PetscReal        norm;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "quadrilateral", 2, (PetscInt[]){4, 4}, NULL));
  PetscCall(RungSpaceCreate(mesh, "Q2^d", &velocity));
  PetscCall(RungSpaceCreate(mesh, "Q1", &pressure));
  PetscCall(RungSpaceCreate(mesh, "Q2", &scalar));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &flow));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &heat));
  PetscCall(RungSystemAddUnknown(flow, "u", "v", velocity));
  PetscCall(RungSystemAddUnknown(flow, "p", "q", pressure));
  PetscCall(RungSystemAddUnknown(heat, "T", "s", scalar));
  PetscCall(RungSystemAddCoupling(flow, "T", heat, "T"));
  PetscCall(RungSystemAddCoupling(heat, "u", flow, "u"));
  PetscCall(RungSystemAddResidual(flow, "(1000*inner(dt(u), v) + inner(grad(u), grad(v)) - p*div(v))*dx"));
  PetscCall(RungSystemAddResidual(flow, "(9810*(1 - 1e-3*(T - 293.15))*v[1] + div(u)*q)*dx"));
  PetscCall(RungSystemSetDirichlet(flow, "u", "boundary", "0"));
  PetscCall(
    RungSystemAddConstraint(flow, 1, (const char *const[]){"p"}, (PetscReal[]){0, 0, 0}, (PetscReal[]){1}, NULL));
  PetscCall(RungSystemAddResidual(heat, "((dt(T) + inner(u, grad(T)))*s + 1e-3*inner(grad(T), grad(s)))*dx"));
  PetscCall(RungSystemSetDirichlet(heat, "T", "bottom", "293.15"));
  PetscCall(RungSystemSetDirichlet(heat, "T", "top", "303.15"));
  PetscCall(RungSystemSetInitial(heat, "T", "293.15 + 10*x[1]"));
  PetscCall(RungCouplingCreate(PETSC_COMM_WORLD, &coupling));
  for (int i = 0; i < 2; ++i) {
    PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper[i]));
    PetscCall(RungStepperSetSystem(stepper[i], i ? heat : flow));
    PetscCall(RungStepperSetType(stepper[i], "dirk"));
    PetscCall(RungStepperSetMethod(stepper[i], "esdirk43"));
    PetscCall(RungStepperSetInterval(stepper[i], 0, 3, PETSC_DEFAULT));
    PetscCall(RungStepperSetTolerances(stepper[i], 1e-4, PETSC_DEFAULT));
    PetscCall(RungStepperSetMonitor(stepper[i], RUNG_MONITOR_NONE));
    PetscCall(RungCouplingAddSystem(coupling, i ? "heat" : "flow", stepper[i]));
  }
  PetscCall(RungCouplingSetScheme(coupling, RUNG_COUPLING_ITERATE));
  PetscCall(RungCouplingSetWindow(coupling, 1));
  PetscCall(RungCouplingSolve(coupling));
  PetscCall(RungStepperGetState(stepper[1], 0, &state));
  PetscCall(VecNorm(state->u[0], NORM_INFINITY, &norm));
  CHECK_NEAR(norm, 303.15, 1e-9);
  PetscCall(RungCouplingDestroy(&coupling));
  for (int i = 0; i < 2; ++i) PetscCall(RungStepperDestroy(&stepper[i]));
  PetscCall(RungSystemDestroy(&flow));
  PetscCall(RungSystemDestroy(&heat));
  PetscCall(RungSpaceDestroy(&velocity));
  PetscCall(RungSpaceDestroy(&pressure));
  PetscCall(RungSpaceDestroy(&scalar));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static PetscErrorCode test_systems_that_do_not_go_together_are_refused(void)
{
  Turn        t, other;
  RungStepper none;

  PetscFunctionBegin;
  PetscCall(create(&t));
  PetscCall(create(&other));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &none));
  CHECK_RAISES(RungCouplingSolve(t.coupling), "a coupling of no systems");
  CHECK_RAISES(RungCouplingAddSystem(t.coupling, "one", NULL), "a system without a name or without a stepper");
  CHECK_RAISES(RungCouplingAddSystem(t.coupling, "one", none), "has no system; RungStepperSetSystem() gives it one");
  CHECK_RAISES(RungCouplingAddSystem(t.coupling, "a b", t.stepper[0]), "is no name of a system");
  CHECK_RAISES(RungCouplingAddSystem(t.coupling, SIXTY "x", t.stepper[0]), "is no name of a system");
  PetscCall(RungCouplingAddSystem(t.coupling, "one", t.stepper[0]));
  CHECK_RAISES(RungCouplingAddSystem(t.coupling, "one", t.stepper[1]), "there is a system \"one\" already");
  CHECK_RAISES(RungCouplingAddSystem(t.coupling, "two", t.stepper[0]), "system two is the same as system one");
  CHECK_RAISES(RungCouplingSolve(t.coupling), "how long is a window?");
  PetscCall(RungCouplingSetWindow(t.coupling, 0.1));
  CHECK_RAISES(RungCouplingSolve(t.coupling), "\"w\" of system one is an unknown of a system that was not added");
  PetscCall(RungCouplingAddSystem(t.coupling, "two", t.stepper[1]));
  PetscCall(RungStepperSetInterval(t.stepper[1], 0.5, 2, 0.25));
  CHECK_RAISES(RungCouplingSolve(t.coupling), "wanted one interval, with steps of their own");
  PetscCall(RungStepperSetInterval(t.stepper[1], 0.5, 1.5, 0.25));
  PetscCall(RungStepperAddNumber(t.stepper[1], "n", "z"));
  CHECK_RAISES(RungCouplingSolve(t.coupling), "the stepper of system two has a number, which would begin anew");
  PetscCall(RungCouplingAddSystem(other.coupling, "one", other.stepper[0]));
  PetscCall(RungCouplingAddSystem(other.coupling, "two", other.stepper[1]));
  PetscCall(RungCouplingAddSystem(other.coupling, SIXTY, t.stepper[0]));
  PetscCall(RungCouplingSetWindow(other.coupling, 0.1));
  CHECK_RAISES(RungCouplingSolve(other.coupling),
               "\"w\" of system " SIXTY " is an unknown of a system that was not added");
  PetscCall(RungCouplingAddSystem(other.coupling, "four", t.stepper[1]));
  PetscCall(RungStepperDestroy(&none));
  PetscCall(destroy(&other));
  PetscCall(destroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A window that is 1 + 1e-13 times too long is meant to be right. */
static PetscErrorCode test_many_windows_meet_the_end(void)
{
  Turn t;

  PetscFunctionBegin;
  PetscCall(create(&t));
  PetscCall(add(&t));
  PetscCall(RungCouplingSetWindow(t.coupling, 1e-5 * (1 + 1e-13)));
  PetscCall(RungCouplingSetUp(t.coupling));
  CHECK(t.coupling->windows == 100000 && t.coupling->length == 1. / 100000);
  PetscCall(destroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_unknowns_of_one_name_on_two_meshes_are_refused(void)
{
  Turn t[2];

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    PetscCall(create(&t[i]));
    PetscCall(RungCouplingAddSystem(t[0].coupling, i ? "three" : "one", t[i].stepper[0]));
    PetscCall(RungCouplingAddSystem(t[0].coupling, i ? "four" : "two", t[i].stepper[1]));
  }
  PetscCall(RungCouplingSetWindow(t[0].coupling, 0.1));
  CHECK_RAISES(RungCouplingSolve(t[0].coupling), "that is a splitting, of Lie or Strang");
  PetscCall(RungCouplingSetScheme(t[0].coupling, RUNG_COUPLING_LIE));
  CHECK_RAISES(RungCouplingSolve(t[0].coupling), "systems that share an unknown have it on one space of one mesh");
  for (int i = 0; i < 2; ++i) PetscCall(destroy(&t[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On one rank each of the ranks alone is all of them. */
static PetscErrorCode test_systems_of_other_ranks_are_refused(void)
{
  RungCoupling alone;
  Turn         t;

  PetscFunctionBegin;
  if (check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(create(&t));
  PetscCall(RungCouplingCreate(PETSC_COMM_SELF, &alone));
  CHECK_RAISES(RungCouplingAddSystem(alone, "one", t.stepper[0]), "the coupling");
  PetscCall(RungCouplingDestroy(&alone));
  PetscCall(destroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two systems of one unknown: a splitting, on one space. */
static PetscErrorCode test_an_unknown_of_two_systems_is_split_on_one_space(void)
{
  Turn      t = {.coupling = NULL};
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &t.mesh));
  PetscCall(RungMeshSetBox(t.mesh, "interval", 1, (PetscInt[]){4}, NULL));
  PetscCall(create_system(&t, 0, "y", "(dt(y) + k*y)*v*dx"));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &t.sys[1]));
  PetscCall(RungSpaceCreate(t.mesh, "P1", &space));
  PetscCall(RungSystemAddUnknown(t.sys[1], "y", "v", space));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungSystemAddResidual(t.sys[1], "dt(y)*v*dx"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &t.stepper[1]));
  PetscCall(RungStepperSetSystem(t.stepper[1], t.sys[1]));
  PetscCall(RungStepperSetInterval(t.stepper[1], 0.5, 1.5, 0.25));
  PetscCall(RungCouplingCreate(PETSC_COMM_WORLD, &t.coupling));
  PetscCall(add(&t));
  PetscCall(RungCouplingSetWindow(t.coupling, 0.1));
  CHECK_RAISES(RungCouplingSolve(t.coupling), "systems one and two both have \"y\": that is a splitting");
  PetscCall(RungCouplingSetScheme(t.coupling, RUNG_COUPLING_LIE));
  CHECK_RAISES(RungCouplingSolve(t.coupling), "\"y\" is on P0 in system one, on P1 in system two");
  PetscCall(destroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_windows_and_tolerances_are_positive_numbers_that_fit_the_run(void)
{
  Turn t;

  PetscFunctionBegin;
  PetscCall(create(&t));
  PetscCall(add(&t));
  CHECK_RAISES(RungCouplingSetWindow(t.coupling, NAN), "a window of nan., wanted a positive number");
  CHECK_RAISES(RungCouplingSetWindow(t.coupling, PETSC_INFINITY), "wanted a positive number");
  CHECK_RAISES(RungCouplingSetWindow(t.coupling, (PetscReal)INFINITY), "a window of inf");
  CHECK_RAISES(RungCouplingSetWindow(t.coupling, 0), "wanted a positive number");
  CHECK_RAISES(RungCouplingSetTolerance(t.coupling, NAN, 5), "a tolerance of nan. and 5 solves at most");
  CHECK_RAISES(RungCouplingSetTolerance(t.coupling, 1e-8, 0), "1e-08 and 0 solves at most");
  CHECK_RAISES(RungCouplingSetScheme(t.coupling, (RungCouplingScheme)7), "there is no scheme 7");
  PetscCall(RungCouplingSetWindow(t.coupling, 1.5));
  CHECK_RAISES(RungCouplingSetUp(t.coupling), "a window of 1.5, and the run goes from t = 0.5 to t = 1.5");
  PetscCall(RungCouplingSetWindow(t.coupling, 1e-10));
  CHECK_RAISES(RungCouplingSetUp(t.coupling), "take longer ones");
  PetscCall(RungCouplingSetWindow(t.coupling, 0.5));
  PetscCall(RungCouplingSetTolerance(t.coupling, 1e-8, 5));
  CHECK_RAISES(RungCouplingSetUp(t.coupling), "a tolerance without iterations");
  PetscCall(RungCouplingSetScheme(t.coupling, RUNG_COUPLING_ITERATE));
  PetscCall(RungCouplingSetUp(t.coupling));
  CHECK_RAISES(RungCouplingSetWindow(t.coupling, 0.25), "after the coupling was set up");
  PetscCall(destroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_names_of_numbers_and_events_are_looked_at(void)
{
  const RungEvent event = {.text = "one.y"}, wrong = {.text = "one.q - 1"}, stop = {.text = "one.y", .stop = -1};
  Turn            t;

  PetscFunctionBegin;
  PetscCall(create(&t));
  PetscCall(add(&t));
  CHECK_RAISES(RungCouplingAddNumber(t.coupling, "oen", "n", "y"),
               "no system is called \"oen\"; did you mean \"one\"?");
  CHECK_RAISES(RungCouplingAddNumber(t.coupling, "one", "y", "y"), "system one has a column \"y\" already");
  PetscCall(RungCouplingAddNumber(t.coupling, NULL, "n", "one.y - two.z"));
  CHECK_RAISES(RungCouplingAddNumber(t.coupling, "one", "m", "y"), "behind the first number or event of all systems");
  CHECK_RAISES(RungCouplingAddNumber(t.coupling, NULL, "n", "1"), "there is a column \"n\" already");
  CHECK_RAISES(RungCouplingAddNumber(t.coupling, NULL, "m", "2*one.x"),
               "number m, column 3: unknown name \"one.x\"; did you mean \"one.y\"?");
  CHECK_RAISES(RungCouplingAddNumber(t.coupling, NULL, "m", "x[0]"), "holds x");
  CHECK_RAISES(RungCouplingAddEvent(t.coupling, NULL, "e", &wrong), "event e, column 1: unknown name \"one.q\"");
  CHECK_RAISES(RungCouplingAddEvent(t.coupling, NULL, "e", &stop), "wanted no negative numbers");
  PetscCall(RungCouplingAddEvent(t.coupling, NULL, "hit", &event));
  CHECK_RAISES(RungCouplingAddEvent(t.coupling, NULL, "hit", &event), "there is an event \"hit\" already");
  CHECK_RAISES(RungCouplingSetEventChange(t.coupling, "hot", "one", "y", "1"),
               "no event \"hot\"; did you mean \"hit\"?");
  CHECK_RAISES(RungCouplingSetEventChange(t.coupling, "hit", "three", "y", "1"), "no system is called \"three\"");
  CHECK_RAISES(RungCouplingSetEventChange(t.coupling, "hit", "one", "z", "1"), "\"z\"");
  PetscCall(RungCouplingSetEventChange(t.coupling, "hit", "one", "y", "1"));
  CHECK_RAISES(RungCouplingSetEventChange(t.coupling, "hit", "one", "y", "2"), "changes \"y\" twice");
  CHECK_RAISES(RungCouplingGetState(t.coupling, "tow", NULL, NULL), "did you mean \"two\"?");
  PetscCall(destroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_checkpoints_of_other_windows_are_refused(void)
{
  Turn t;
  Told told;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(create(&t));
  PetscCall(add(&t));
  PetscCall(RungCouplingSetWindow(t.coupling, 0.5));
  PetscCall(RungCouplingSetCheckpoint(t.coupling, "half", 0));
  PetscCall(RungCouplingSolve(t.coupling));
  PetscCall(destroy(&t));
  PetscCall(create(&t));
  PetscCall(add(&t));
  PetscCall(RungCouplingSetWindow(t.coupling, 0.25));
  PetscCall(RungCouplingSetRestart(t.coupling, "half"));
  PetscCall(RungCouplingAddMonitor(t.coupling, tell, &told));
  CHECK_RAISES(RungCouplingSolve(t.coupling), "the checkpoint is of windows of 0.5, this run has windows of 0.25");
  PetscCall(destroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A file with a right seal whose numbers nobody can have written. */
static PetscErrorCode put_wrong(const Turn *t, int i, PetscInt window, PetscInt times)
{
  RungCheckpoint file;
  Vec            u;

  PetscFunctionBegin;
  PetscCall(RungSystemSetUp(t->sys[i]));
  PetscCall(RungSystemCreateVec(t->sys[i], &u));
  PetscCall(VecSet(u, 1));
  PetscCall(RungCheckpointCreate(t->sys[i], i ? "wrong_two.h5" : "wrong_one.h5", &file));
  PetscCall(RungCheckpointPutReal(file, "window length", 0.25));
  PetscCall(RungCheckpointPutInt(file, "states", 1));
  PetscCall(RungCheckpointPutInt(file, "window now", window));
  PetscCall(RungCheckpointPutVec(file, "now0", u));
  PetscCall(RungCheckpointPutVec(file, "now1", u));
  PetscCall(RungCheckpointPutInt(file, "times of hit", times));
  PetscCall(RungCheckpointPutReal(file, "time 0 of hit", NAN));
  PetscCall(RungCheckpointSeal(&file));
  PetscCall(VecDestroy(&u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_checkpoints_of_senseless_numbers_are_refused(void)
{
  static const struct {
    PetscInt    window, times;
    const char *message;
  } wrong[] = {{-7, 0, "the checkpoint is of window -7, the run ends after 4"},
               {2, -5, "the checkpoint has -5 times of event \"hit\", wanted 0 to 10000000"},
               {2, 10000001, "the checkpoint has 10000001 times of event \"hit\", wanted 0 to 10000000"},
               {2, 1, "\"time 0 of hit\" is nan, wanted a finite number"}};

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(wrong); ++k) {
    Turn t;

    PetscCall(create(&t));
    PetscCall(add(&t));
    PetscCall(RungCouplingSetWindow(t.coupling, 0.25));
    PetscCall(RungCouplingAddEvent(t.coupling, "one", "hit", &(RungEvent){.text = "y"}));
    for (int i = 0; i < 2; ++i) PetscCall(put_wrong(&t, i, wrong[k].window, wrong[k].times));
    PetscCall(RungCouplingSetRestart(t.coupling, "wrong"));
    CHECK_RAISES(RungCouplingSolve(t.coupling), wrong[k].message);
    PetscCall(destroy(&t));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A file of window 1 alone, or of windows 2 and 1, in the second of which the matrix was found to be no definite one. */
static PetscErrorCode put_states(const Turn *t, int i)
{
  RungCheckpoint file;
  Vec            u;

  PetscFunctionBegin;
  PetscCall(RungSystemSetUp(t->sys[i]));
  PetscCall(RungSystemCreateVec(t->sys[i], &u));
  PetscCall(VecSet(u, 1));
  PetscCall(RungCheckpointCreate(t->sys[i], i ? "states_two.h5" : "states_one.h5", &file));
  PetscCall(RungCheckpointPutReal(file, "window length", 0.25));
  PetscCall(RungCheckpointPutInt(file, "states", i ? 1 : 2));
  PetscCall(RungCheckpointPutInt(file, "window now", i ? 1 : 2));
  PetscCall(RungCheckpointPutSolver(file, "", i ? PETSC_FALSE : PETSC_TRUE));
  PetscCall(RungCheckpointPutVec(file, "now0", u));
  PetscCall(RungCheckpointPutVec(file, "now1", u));
  if (!i) {
    PetscCall(RungCheckpointPutInt(file, "window before", 1));
    PetscCall(RungCheckpointPutVec(file, "before0", u));
    PetscCall(RungCheckpointPutVec(file, "before1", u));
  }
  PetscCall(RungCheckpointSeal(&file));
  PetscCall(VecDestroy(&u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_state_goes_on_with_the_solver_that_it_had(void)
{
  Turn t;

  PetscFunctionBegin;
  PetscCall(create(&t));
  PetscCall(add(&t));
  PetscCall(RungCouplingSetWindow(t.coupling, 0.25));
  for (int i = 0; i < 2; ++i) PetscCall(put_states(&t, i));
  PetscCall(RungCouplingSetRestart(t.coupling, "states"));
  PetscCall(RungCouplingSolve(t.coupling));
  CHECK(!RungSystemWasPresumedWrongly(t.sys[0]));
  PetscCall(destroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the disk refuses is known to all ranks and kept; any other error may be that of one of them, and goes on. */
static PetscErrorCode test_only_what_the_disk_refuses_is_kept(void)
{
  RungCaught caught;

  PetscFunctionBegin;
  PetscCall(RungCatchWrite(PETSC_COMM_WORLD, "nowhere/text", 4, "text", &caught));
  CHECK(caught.code == PETSC_ERR_FILE_WRITE && strstr(caught.message, "cannot write \"nowhere/text\""));
  PetscCall(RungCatchWrite(PETSC_COMM_WORLD, "caught.txt", 4, "text", &caught));
  CHECK(!caught.code && !caught.message[0]);
  CHECK_RAISES(RungCatchWrite(PETSC_COMM_WORLD, "", 4, "text", &caught), "a file without a path cannot be written");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Somebody's own file, and then none, at the path of the table of events, which has its head before anything happens. */
static PetscErrorCode test_tables_of_events_write_over_nothing_of_others(void)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  for (int own = 0; own < 2; ++own) {
    RungCaught caught;
    Turn       t;

    PetscCall(RungCatchWrite(PETSC_COMM_WORLD, "turn.events.csv", own ? 0 : 7, own ? "" : "my work", &caught));
    CHECK(!caught.code);
    PetscCall(create(&t));
    for (int i = 0; i < 2; ++i) PetscCall(RungStepperSetInterval(t.stepper[i], 0, 0.25, 0.05));
    PetscCall(add(&t));
    PetscCall(RungCouplingSetWindow(t.coupling, 0.0625));
    PetscCall(RungCouplingAddTable(t.coupling, NULL, "turn"));
    PetscCall(RungCouplingAddEvent(t.coupling, "two", "high", &(RungEvent){.text = "z - 5", .direction = RUNG_RISING}));
    if (own)
      PetscCall(RungCouplingSolve(t.coupling));
    else
      CHECK_RAISES(RungCouplingSolve(t.coupling), "turn.events.csv");
    PetscCall(destroy(&t));
    if (!rank) {
      char  line[64] = "";
      FILE *file     = fopen("turn.events.csv", "r");

      if (file) CHECK(fgets(line, sizeof line, file) != NULL);
      if (file) (void)fclose(file);
      CHECK(!strncmp(line, own ? "t,high," : "my work", 7));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(
  RUNG_TEST(test_tables_of_events_write_over_nothing_of_others), RUNG_TEST(test_a_system_has_several_values_of_others),
  RUNG_TEST(test_a_fluid_at_rest_is_iterated), RUNG_TEST(test_only_what_the_disk_refuses_is_kept),
  RUNG_TEST(test_checkpoints_of_senseless_numbers_are_refused),
  RUNG_TEST(test_a_state_goes_on_with_the_solver_that_it_had), RUNG_TEST(test_orders_in_time_are_those_of_the_schemes),
  RUNG_TEST(test_a_run_with_events_goes_on_from_its_checkpoints_bit_for_bit),
  RUNG_TEST(test_a_nonlinear_run_goes_on_from_its_checkpoints_bit_for_bit),
  RUNG_TEST(test_systems_that_do_not_go_together_are_refused), RUNG_TEST(test_many_windows_meet_the_end),
  RUNG_TEST(test_unknowns_of_one_name_on_two_meshes_are_refused), RUNG_TEST(test_systems_of_other_ranks_are_refused),
  RUNG_TEST(test_an_unknown_of_two_systems_is_split_on_one_space),
  RUNG_TEST(test_windows_and_tolerances_are_positive_numbers_that_fit_the_run),
  RUNG_TEST(test_names_of_numbers_and_events_are_looked_at), RUNG_TEST(test_checkpoints_of_other_windows_are_refused))
