/* test_jumps.c - data that switch at a time: every method has one limit, that of fast smooth data; a changed constant keeps
   the order; a run that goes on across a switch repeats bit for bit. */
#include <check.h>
#include <rungstep.h>
#include <stdio.h>
#include <unistd.h>

#define LIMIT 0.698847 /* mean of the heat below, data that rise within 1e-3 */

static PetscErrorCode make(const char residual[], const char data[], PetscReal dt, PetscReal end, RungSystem *sys,
                           RungStepper *stepper)
{
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){16}, (PetscReal[]){1}));
  PetscCall(RungSpaceCreate(mesh, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSystemSetConstant(*sys, "c", 1));
  PetscCall(RungSystemAddResidual(*sys, residual));
  if (data) PetscCall(RungSystemSetDirichlet(*sys, "u", "boundary", data));
  if (!data) PetscCall(RungSystemSetInitial(*sys, "u", "1"));
  PetscCall(RungSystemAddQuantity(*sys, "mean", "u*dx"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, stepper));
  PetscCall(RungStepperSetSystem(*stepper, *sys));
  PetscCall(RungStepperSetInterval(*stepper, 0, end, dt));
  PetscCall(RungStepperSetMonitor(*stepper, RUNG_MONITOR_NONE));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char heat[] = "dt(u)*v*dx + 0.001*inner(grad(u), grad(v))*dx";

static PetscErrorCode mean_of(const char residual[], const char data[], const char method[], PetscReal dt,
                              PetscReal rtol, PetscReal *mean, PetscInt *steps)
{
  RungSystem            sys;
  RungStepper           stepper;
  RungStepperStatistics s;

  PetscFunctionBegin;
  PetscCall(make(residual, data, dt, 200, &sys, &stepper));
  PetscCall(RungStepperSetMethod(stepper, method));
  if (rtol > 0) PetscCall(RungStepperSetTolerances(stepper, rtol, PETSC_DEFAULT));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetQuantity(stepper, "mean", mean));
  PetscCall(RungStepperGetStatistics(stepper, &s));
  if (steps) *steps = s.steps;
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_adaptive_steps_land_on_switches_and_see_one_side(void)
{
  static const struct {
    const char *data;
    PetscReal   mean;
  } rows[]                          = {{"if(t < 100, 0, 1)", LIMIT},
                                       {"if(not (t <= 90 + 10) and t > 3, 1, 0)", LIMIT},
                                       {"min(1, max(0, (t - 100)/0.5))", 0.6980999005},
                                       {"table(\"jumps.csv\")", 0.6980999005}};
  static const char *const method[] = {"esdirk43", "trbdf2", "chung_hulbert"};
  PetscMPIInt              rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    FILE *file = fopen("jumps.csv", "w");

    CHECK(file != NULL);
    fprintf(file, "0 0\n100 0\n100.5 1\n300 1\n");
    (void)fclose(file);
  }
  for (size_t i = 0; i < 4; ++i) {
    for (int m = 0; m < 3; ++m) {
      for (PetscReal rtol = 1e-4; rtol >= 1e-6; rtol /= 100) {
        PetscReal mean;
        PetscInt  steps;

        if (rtol < 1e-5 && m) continue;
        PetscCall(mean_of(heat, rows[i].data, method[m], 0.1, rtol, &mean, &steps));
        CHECK_NEAR(mean, rows[i].mean, 2 * rtol);
        CHECK(steps <= (m ? 250 : 100));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_fixed_steps_that_meet_a_switch_have_one_limit(void)
{
  static const char *const method[] = {"esdirk43", "midpoint", "bdf2", "euler", "chung_hulbert"};

  PetscFunctionBegin;
  for (int m = 0; m < 5; ++m) {
    PetscReal mean;

    PetscCall(mean_of(heat, "if(t < 100, 0, 1)", method[m], m == 3 ? 0.05 : 0.25, 0, &mean, NULL));
    CHECK_NEAR(mean, LIMIT, 1e-4);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Order 2 in time against data that rise within 1e-4; conserved terms against the same. */
static PetscErrorCode test_impulses_are_those_of_fast_smooth_data(void)
{
  static const char *const residual[] = {
    "dt(u, 2)*v*dx + 0.3*dt(u)*v*dx + 0.001*inner(grad(u), grad(v))*dx + dt(u)*v*ds(left)*0.1",
    "dt(u + 0.3*u^2)*v*dx + 0.001*inner(grad(u), grad(v))*dx"};

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    PetscReal mean[2];

    PetscCall(mean_of(residual[i], "if(t < 150, 0, 1)", "esdirk43", 0.1, 1e-7, &mean[0], NULL));
    PetscCall(mean_of(residual[i], "max(0, min(1, (t - 150)*1e5))", "esdirk43", 0.1, 1e-7, &mean[1], NULL));
    CHECK_NEAR(mean[0], mean[1], 2e-5);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode change(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  PetscFunctionBegin;
  (void)stepper, (void)u, (void)step;
  PetscCall(RungSystemSetConstant((RungSystem)ctx, "c", t < 1 - 1e-9 ? 1 : 5));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u' = -c u with c = 1 up to t = 1, 5 from there on; u(2) = exp(-6). */
static PetscErrorCode test_a_constant_that_changes_keeps_the_order(void)
{
  static const char *const method[] = {"esdirk43", "trbdf2", "bdf2", "chung_hulbert", "midpoint"};
  static const PetscReal   order[]  = {4, 2, 2, 2, 2};

  PetscFunctionBegin;
  for (int m = 0; m < 5; ++m) {
    PetscReal error[2];

    for (int i = 0; i < 2; ++i) {
      RungSystem  sys;
      RungStepper stepper;
      PetscReal   mean;

      PetscCall(make("dt(u)*v*dx + c*u*v*dx", NULL, i ? 0.0125 : 0.025, 2, &sys, &stepper));
      PetscCall(RungStepperSetMethod(stepper, method[m]));
      PetscCall(RungStepperAddMonitor(stepper, change, sys));
      PetscCall(RungStepperSolve(stepper));
      PetscCall(RungStepperGetQuantity(stepper, "mean", &mean));
      error[i] = PetscAbsReal(mean - PetscExpReal(-6));
      PetscCall(RungStepperDestroy(&stepper));
      PetscCall(RungSystemDestroy(&sys));
    }
    CHECK(PetscLog2Real(error[0] / error[1]) > order[m] - 0.2);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A whole run with checkpoints, or its continuation from the one behind `from` steps. */
static PetscErrorCode run_through(const char method[], PetscReal rtol, PetscInt from, PetscInt *steps, Vec *u)
{
  RungSystem            sys;
  RungStepper           stepper;
  RungStepperStatistics s;
  const RungState      *state;
  RungTransientSystem   ts;
  char                  path[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(path, sizeof path, "jumps_%" PetscInt_FMT ".h5", from));
  PetscCall(make(heat, "if(t < 100, 0, 1) + 1.5 - abs(t - 150)/100", 10, 200, &sys, &stepper));
  PetscCall(RungStepperSetMethod(stepper, method));
  if (rtol > 0) PetscCall(RungStepperSetTolerances(stepper, rtol, PETSC_DEFAULT));
  PetscCall(RungStepperSetCheckpoint(stepper, "jumps_{step}.h5", 1));
  if (from >= 0) PetscCall(RungStepperSetRestart(stepper, path, PETSC_FALSE));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetTransientSystem(stepper, &ts));
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  PetscCall(VecDuplicate(state->u[0], u));
  PetscCall(VecCopy(state->u[0], *u));
  PetscCall(RungStepperGetStatistics(stepper, &s));
  *steps = s.steps;
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_run_that_goes_on_from_a_switch_or_before_repeats(void)
{
  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    const char *method = i ? "bdf2" : "esdirk43";
    PetscInt    steps, again;
    Vec         u, v;

    PetscCall(run_through(method, i ? 0 : 1e-3, -1, &steps, &u));
    for (PetscInt from = i ? 9 : steps / 4; from < steps - 1;
         from += i ? 1 : 2) { /* of fixed steps 10 ends at t = 100 */
      PetscBool same;

      if (i && from == 12) break;
      PetscCall(run_through(method, i ? 0 : 1e-3, from, &again, &v));
      PetscCall(VecEqual(u, v, &same));
      CHECK(again == steps && same);
      PetscCall(VecDestroy(&v));
    }
    PetscCall(VecDestroy(&u));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_adaptive_steps_land_on_switches_and_see_one_side),
               RUNG_TEST(test_fixed_steps_that_meet_a_switch_have_one_limit),
               RUNG_TEST(test_impulses_are_those_of_fast_smooth_data),
               RUNG_TEST(test_a_constant_that_changes_keeps_the_order),
               RUNG_TEST(test_a_run_that_goes_on_from_a_switch_or_before_repeats))
