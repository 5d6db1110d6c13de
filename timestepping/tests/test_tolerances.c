/* test_tolerances.c - tolerances of single unknowns by call and option; adaptive runs from rest; units do not matter. */
#include "../step_impl.h"

#include <check.h>
#include <rungmethod.h>

/* A number y driven from rest at order 2, y'' + y = S t, beside a vector z with z' = -z. */
static PetscErrorCode make_stepper(const char options[], PetscReal scale, RungStepper *stepper)
{
  RungMesh   mesh;
  RungSpace  one, two;
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 1));
  PetscCall(RungSpaceCreate(mesh, "P0", &one));
  PetscCall(RungSpaceCreate(mesh, "P0^2", &two));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "y", "v", one));
  PetscCall(RungSystemAddUnknown(sys, "z", "w", two));
  PetscCall(RungSystemSetConstant(sys, "S", scale));
  PetscCall(RungSystemAddResidual(sys, "(dt(y, 2) + y - S*t)*v*dx + inner(dt(z) + z, w)*dx"));
  PetscCall(RungSystemSetInitial(sys, "z", "vector(S, 2*S)"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, stepper));
  PetscCall(RungStepperSetSystem(*stepper, sys));
  PetscCall(RungStepperSetInterval(*stepper, 0, 4, 0.01));
  PetscCall(RungStepperSetMonitor(*stepper, RUNG_MONITOR_NONE));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&one));
  PetscCall(RungSpaceDestroy(&two));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_names_of_unknowns_components_and_rates(void)
{
  RungStepper stepper;
  PetscReal   rtol, atol;

  PetscFunctionBegin;
  PetscCall(make_stepper("-stepper_atol_z_1 3 -stepper_rtol_dt_y 0.5 -stepper_rtol 0.25", 1, &stepper));
  PetscCall(RungStepperSetUnknownTolerances(stepper, " z ", PETSC_DEFAULT, 7));
  PetscCall(RungStepperSetUnknownTolerances(stepper, "z[1]", 0.125, 9)); /* atol: the option wins */
  PetscCall(RungStepperSetUnknownTolerances(stepper, "dt( y )", PETSC_DEFAULT, 2));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungStepperSetUp(stepper));
  CHECK(stepper->adaptive);
  RungWeightsGet(stepper->weights, 0, 0, 0, &rtol, &atol);
  CHECK(rtol == 0.25 && atol == 0);
  RungWeightsGet(stepper->weights, 0, 1, 0, &rtol, &atol);
  CHECK(rtol == 0.5 && atol == 2);
  RungWeightsGet(stepper->weights, 1, 0, 0, &rtol, &atol);
  CHECK(rtol == 0.25 && atol == 7);
  RungWeightsGet(stepper->weights, 1, 0, 1, &rtol, &atol);
  CHECK(rtol == 0.125 && atol == 3);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refused(const char options[], const char unknown[], const char message[])
{
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(make_stepper(options, 1, &stepper));
  if (unknown) PetscCall(RungStepperSetUnknownTolerances(stepper, unknown, 0.1, PETSC_DEFAULT));
  PetscCall(RungStepperSetFromOptions(stepper));
  CHECK_RAISES(RungStepperSetUp(stepper), message);
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_is_no_unknown_is_refused_with_the_nearest(void)
{
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(
    refused("-stepper_rtol 1e-3", "z[2]", "tolerances of \"z[2]\", which is no unknown; did you mean \"z[0]\""));
  PetscCall(refused("-stepper_rtol 1e-3", "dt(z)", "did you mean \"dt(y)\""));
  PetscCall(refused("-stepper_rtol 1e-3 -stepper_atol_zz 1", NULL, "did you mean -stepper_atol_z"));
  PetscCall(refused("", "z", "\"y\" has no tolerance; give it one by -stepper_rtol, or -stepper_rtol_y"));
  PetscCall(
    refused("-stepper_rtol 1e-3 -stepper_atol_y -1", NULL, "-stepper_atol_y is -1; wanted a number at least 0"));
  PetscCall(make_stepper("", 1, &stepper));
  CHECK_RAISES(RungStepperSetUnknownTolerances(stepper, "y", 1e-17, 1), "rtol is 1e-17");
  CHECK_RAISES(RungStepperSetUnknownTolerances(stepper, "y", 1e-3, NAN), "atol is nan");
  CHECK_RAISES(RungStepperSetErrorNorm(stepper, (RungErrorNormType)7), "error norm 7");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first entry, of rank 0, which has the points. */
static PetscErrorCode first_entry(Vec u, PetscReal *value)
{
  const PetscScalar *x;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(u, &n));
  PetscCall(VecGetArrayRead(u, &x));
  *value = n ? PetscRealPart(x[0]) : 0;
  PetscCall(VecRestoreArrayRead(u, &x));
  PetscCallMPI(MPI_Bcast(value, 1, MPIU_REAL, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps and the error of y = t - sin(t) at the end. */
static PetscErrorCode run(const char options[], PetscReal scale, PetscInt *steps, PetscReal *error)
{
  RungStepper           stepper;
  RungStepperStatistics statistics;
  const RungState      *state;
  PetscReal             y;

  PetscFunctionBegin;
  PetscCall(make_stepper(options, scale, &stepper));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(first_entry(state->u[0], &y));
  *error = fabs(y / scale - (4 - sin(4)));
  PetscCall(RungStepperGetStatistics(stepper, &statistics));
  *steps = statistics.steps;
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_run_from_rest_with_rtol_alone_in_any_units(void)
{
  const char *const options[] = {"-stepper_rtol 1e-4", "-stepper_rtol 1e-4 -stepper_type dirk",
                                 "-stepper_rtol 1e-4 -stepper_type dirk -stepper_error_norm max",
                                 "-stepper_rtol 1e-4 -stepper_type dirk -stepper_error_norm l2"};
  PetscInt          steps, other;
  PetscReal         error, same;

  PetscFunctionBegin;
  for (int i = 0; i < 4; ++i) {
    PetscCall(run(options[i], 1, &steps, &error));
    CHECK(error < (i ? 5e-4 : 5e-3) && steps < (i ? 20 : 200));
    for (int sign = -1; sign <= 1; sign += 2) {
      PetscCall(run(options[i], pow(2, 20 * sign), &other, &same));
      CHECK(other == steps);
      CHECK_NEAR(same, error, 1e-10);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An oscillator, u'' = -u or two numbers of first order, beside T' = -1000 (T - cos t): steps, and |u - cos| at t = 10. */
static PetscErrorCode run_beside(PetscInt order, PetscReal rtol, PetscInt *steps, PetscReal *error)
{
  static const char *const residual[] = {"inner(dt(u) - vector(u[1], -u[0]), v)*dx", "(dt(u, 2) + u)*v*dx"};
  RungMesh                 mesh;
  RungSpace                space[2];
  RungSystem               sys;
  RungStepper              stepper;
  RungStepperStatistics    statistics;
  const RungState         *state;
  PetscReal                u;

  PetscFunctionBegin;
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 1));
  PetscCall(RungSpaceCreate(mesh, order == 1 ? "P0^2" : "P0", &space[0]));
  PetscCall(RungSpaceCreate(mesh, "P0", &space[1]));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space[0]));
  PetscCall(RungSystemAddUnknown(sys, "T", "q", space[1]));
  PetscCall(RungSystemAddResidual(sys, residual[order - 1]));
  PetscCall(RungSystemAddResidual(sys, "(dt(T) + 1000*(T - cos(t)))*q*dx"));
  PetscCall(RungSystemSetInitial(sys, "u", order == 1 ? "vector(1, 0)" : "1"));
  PetscCall(RungSystemSetInitial(sys, "T", "1000000/1000001"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetType(stepper, RUNGDIRK));
  PetscCall(RungStepperSetInterval(stepper, 0, 10, 0.01));
  PetscCall(RungStepperSetTolerances(stepper, rtol, rtol));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(first_entry(state->u[0], &u));
  *error = fabs(u - cos(10));
  PetscCall(RungStepperGetStatistics(stepper, &statistics));
  *steps = statistics.steps;
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  for (int i = 0; i < 2; ++i) PetscCall(RungSpaceDestroy(&space[i]));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_mixed_orders_cost_and_err_as_the_same_of_first_order(void)
{
  PetscFunctionBegin;
  for (PetscReal rtol = 1e-3; rtol > 1e-8; rtol /= 10) {
    PetscInt  steps[2];
    PetscReal error[2];

    for (int i = 0; i < 2; ++i) PetscCall(run_beside(i + 1, rtol, &steps[i], &error[i]));
    CHECK(PetscAbsInt(steps[1] - steps[0]) <= 2);
    CHECK(error[1] <= 1.25 * error[0] && error[0] <= 1.25 * error[1]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x' = y/S, y' = -S x: a circle whose second entry has another unit; both on rank 0. */
static PetscErrorCode circle(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  const PetscReal    S = *(const PetscReal *)ctx;
  const PetscScalar *value, *rate;
  PetscScalar       *out;
  PetscInt           n;

  (void)sys;
  (void)t;
  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(r, &n));
  PetscCall(VecGetArrayRead(u[0], &value));
  PetscCall(VecGetArrayRead(u[1], &rate));
  PetscCall(VecGetArray(r, &out));
  for (PetscInt i = 0; i < n; ++i) out[i] = rate[i] - (i ? -S * value[0] : value[1] / S);
  PetscCall(VecRestoreArray(r, &out));
  PetscCall(VecRestoreArrayRead(u[1], &rate));
  PetscCall(VecRestoreArrayRead(u[0], &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode circle_start(RungSystem sys, PetscReal t, PetscInt k, Vec u, void *ctx)
{
  PetscMPIInt rank;

  (void)sys;
  (void)t;
  (void)ctx;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(VecZeroEntries(u));
  if (!rank && k == 0) PetscCall(VecSetValue(u, 0, 1, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(u));
  PetscCall(VecAssemblyEnd(u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* atol 1e-6 of x, 1e-6*factor of y; factor 0: of all by RungStepperSetTolerances() */
static PetscErrorCode make_circle(PetscReal *S, PetscReal factor, RungStepper *stepper)
{
  RungSystem  sys;
  Vec         atol;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemSetCallbacks(sys, rank ? 0 : 2, (RungTraits){.unknowns = 1, .order = 1, .linear = PETSC_TRUE},
                                   circle, NULL, S));
  PetscCall(RungSystemSetInitialCallback(sys, circle_start));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, stepper));
  PetscCall(RungStepperSetSystem(*stepper, sys));
  PetscCall(RungStepperSetMethod(*stepper, "esdirk43"));
  PetscCall(RungStepperSetInterval(*stepper, 0, 4, 0.01));
  PetscCall(RungStepperSetMonitor(*stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetTolerances(*stepper, 1e-8, 1e-6));
  if (factor > 0) {
    PetscCall(RungSystemCreateVec(sys, &atol));
    PetscCall(VecSet(atol, 1e-6));
    if (!rank) PetscCall(VecSetValue(atol, 1, 1e-6 * factor, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(atol));
    PetscCall(VecAssemblyEnd(atol));
    PetscCall(RungStepperSetEntryTolerances(*stepper, atol));
    PetscCall(VecDestroy(&atol)); /* it was copied */
  }
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode count_circle(PetscReal S, PetscReal factor, PetscInt *steps)
{
  RungStepper           stepper;
  RungStepperStatistics statistics;

  PetscFunctionBegin;
  PetscCall(make_circle(&S, factor, &stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, &statistics));
  *steps = statistics.steps;
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_each_entry_of_callbacks_has_an_atol_of_its_own(void)
{
  PetscInt plain, same, scaled, blind;

  PetscFunctionBegin;
  PetscCall(count_circle(1, 0, &plain));
  PetscCall(count_circle(1, 1, &same));
  PetscCall(count_circle(1024, 1024, &scaled));
  PetscCall(count_circle(1024, 0, &blind));
  CHECK(same == plain);
  CHECK(scaled == plain);
  CHECK(blind > plain + 10);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_tolerances_of_entries_of_forms_leave_those_of_unknowns(void)
{
  RungStepper stepper;
  RungSystem  sys;
  Vec         atol;
  PetscReal   rtol, each;

  PetscFunctionBegin;
  PetscCall(make_stepper("", 1, &stepper));
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(RungSystemCreateVec(sys, &atol));
  PetscCall(VecSet(atol, 0.5));
  PetscCall(RungStepperSetUnknownTolerances(stepper, "z[1]", 0.125, 9));
  PetscCall(RungStepperSetEntryTolerances(stepper, atol));
  PetscCall(RungStepperSetUp(stepper));
  RungWeightsGet(stepper->weights, 1, 0, 1, &rtol, &each);
  CHECK(rtol == 0.125 && each == 9);
  CHECK_RAISES(RungStepperSetEntryTolerances(stepper, atol), "after the stepper was set up");
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(VecDestroy(&atol));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_tolerances_of_entries_that_are_none_are_refused(void)
{
  PetscReal   S = 1;
  RungStepper stepper;
  Vec         atol;

  PetscFunctionBegin;
  PetscCall(make_circle(&S, 0, &stepper));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, 3, PETSC_DETERMINE, &atol));
  PetscCall(VecSet(atol, -1));
  CHECK_RAISES(RungStepperSetEntryTolerances(stepper, atol), "atol of local entry 0 is -1.");
  PetscCall(VecSet(atol, 1));
  PetscCall(RungStepperSetEntryTolerances(stepper, atol));
  CHECK_RAISES(RungStepperSetUp(stepper), "absolute tolerances of 3 entries, the system has");
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(make_circle(&S, 1e-300, &stepper)); /* beside an rtol that is any number */
  PetscCall(RungStepperSetUp(stepper));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(VecDestroy(&atol));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_mixed_orders_cost_and_err_as_the_same_of_first_order),
               RUNG_TEST(test_each_entry_of_callbacks_has_an_atol_of_its_own),
               RUNG_TEST(test_tolerances_of_entries_of_forms_leave_those_of_unknowns),
               RUNG_TEST(test_tolerances_of_entries_that_are_none_are_refused),
               RUNG_TEST(test_names_of_unknowns_components_and_rates),
               RUNG_TEST(test_what_is_no_unknown_is_refused_with_the_nearest),
               RUNG_TEST(test_a_run_from_rest_with_rtol_alone_in_any_units))
