/* test_sizes.c - adaptive runs with rtol alone whose unknowns have no size at first: reactions in a row, whose last products begin as high powers
   of t. */
#include "../step_impl.h"

#include "points.h"
#include <rungmethod.h>

#define ROW 8

/* y0' = -decay0 y0,  yi' = feed y(i-1) - decay_i yi,  y(0) = (1, 0, ..), each of its own unknown; feed is 1, or the decay of the one before. */
static PetscErrorCode make_row(const PetscReal decay[ROW], PetscBool keeps, RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace space;
  char      name[8], test[8], text[160];

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 1));
  PetscCall(RungSpaceCreate(mesh, "P0", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  for (int i = 0; i < ROW; ++i) {
    (void)snprintf(name, sizeof name, "y%d", i);
    (void)snprintf(test, sizeof test, "v%d", i);
    PetscCall(RungSystemAddUnknown(*sys, name, test, space));
    (void)snprintf(text, sizeof text, "(dt(y%d) - %g*y%d + %g*y%d)*v%d*dx", i,
                   i ? (double)(keeps ? decay[i - 1] : 1) : 0., i ? i - 1 : 0, (double)decay[i], i, i);
    PetscCall(RungSystemAddResidual(*sys, text));
  }
  PetscCall(RungSystemSetInitial(*sys, "y0", "1"));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs it to t1 with rtol alone; values: of all unknowns at t1. */
static PetscErrorCode run_row(RungSystem sys, const char type[], const char method[], PetscReal t1,
                              RungStepper *stepper, PetscReal value[ROW])
{
  RungStepperStatistics statistics;
  const RungState      *state;

  PetscFunctionBegin;
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, stepper));
  PetscCall(RungStepperSetSystem(*stepper, sys));
  if (type) PetscCall(RungStepperSetType(*stepper, type));
  if (type) PetscCall(RungStepperSetMethod(*stepper, method));
  PetscCall(RungStepperSetInterval(*stepper, 0, t1, PETSC_DEFAULT));
  PetscCall(RungStepperSetTolerances(*stepper, 1e-4, PETSC_DEFAULT));
  PetscCall(RungStepperSetMonitor(*stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSolve(*stepper));
  PetscCall(RungStepperGetStatistics(*stepper, &statistics));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %s: %" PetscInt_FMT " steps, %" PetscInt_FMT " refused\n",
                        type ? method : "by itself", statistics.steps, statistics.rejected));
  CHECK(statistics.steps < 6000);
  PetscCall(RungStepperGetState(*stepper, 0, &state));
  for (int f = 0; f < ROW; ++f) {
    const PetscScalar *x;
    PetscInt           start, end;

    PetscCall(RungSystemGetRange(sys, f, &start, &end));
    PetscCall(VecGetArrayRead(state->u[0], &x));
    value[f] = end > start ? PetscRealPart(x[start]) : 0;
    PetscCall(VecRestoreArrayRead(state->u[0], &x));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, value, ROW, MPIU_REAL, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Decays 1, 2, .. and feeds 1:  yi = e^-t (1 - e^-t)^i/i!, at most (i/(i + 1))^i/((i + 1) i!) */
static PetscErrorCode test_the_end_of_a_row_of_reactions_begins(void)
{
  static const PetscReal   decay[ROW]  = {1, 2, 3, 4, 5, 6, 7, 8};
  static const char *const method[][2] = {{NULL, NULL},
                                          {"explicit", "dopri54"},
                                          {"explicit", "bs32"},
                                          {"explicit", "tsit54"},
                                          {"dirk", "trbdf2"},
                                          {"dirk", "esdirk43"},
                                          {"alpha", "chung_hulbert"},
                                          {"rosenbrock", "rodas4p"},
                                          {"rosenbrock", "rodas5p"}};
  const PetscReal          e           = exp(-5);

  PetscFunctionBegin;
  for (size_t m = 0; m < PETSC_STATIC_ARRAY_LENGTH(method); ++m) {
    RungSystem  sys;
    RungStepper stepper;
    PetscReal   value[ROW], factorial = 1;

    PetscCall(make_row(decay, PETSC_FALSE, &sys));
    PetscCall(run_row(sys, method[m][0], method[m][1], 5, &stepper, value));
    for (int i = 0; i < ROW; ++i) {
      const PetscReal most = i ? PetscPowReal((PetscReal)i / (i + 1), i) / (i + 1) : 1;

      CHECK_NEAR(value[i] * factorial, e * PetscPowReal(1 - e, i), 2e-3 * most);
      factorial *= i + 1;
    }
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Products that are stiff before they begin: explicit attempts, whose steps are stable for what has a size, make 1e5 times of them, with errors
   that are moderate beside that. */
static PetscErrorCode test_what_is_stiff_before_it_begins_has_no_wrong_size(void)
{
  static const PetscReal   decay[ROW] = {1.9e-3, 4.8e-4, 2.5, 1.16, 12, 42, 0.25, 0.3};
  static const char *const method[]   = {"rodas5p", "tsit54", "dopri54", "fehlberg45", "dop853", "bs32"};
  PetscReal                right[ROW], value[ROW];

  PetscFunctionBegin;
  for (size_t m = 0; m < PETSC_STATIC_ARRAY_LENGTH(method); ++m) {
    RungSystem  sys;
    RungStepper stepper;

    PetscCall(make_row(decay, PETSC_TRUE, &sys));
    PetscCall(run_row(sys, m ? "explicit" : "rosenbrock", method[m], 240, &stepper, m ? value : right));
    for (int i = 0; i < ROW && m; ++i) {
      CHECK_NEAR(value[i], right[i], 1e-2 * right[i]);
      CHECK(RungWeightsSeen(stepper->weights)[2 * i] < 10);
    }
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A chain of decays, in seconds from 160e-6 to 1e17: first attempts make 1e60 of daughters, beside which a rate of 1 is lost in rounding. */
static PetscErrorCode test_what_is_stiff_by_22_orders_has_no_wrong_size(void)
{
  static const PetscReal decay[ROW] = {4.9e-18, 3.3e-7, 9.9e-3, 9e-14, 2.9e-13, 1.4e-11, 2.1e-6, 4.2e3};
  const PetscReal        t1         = 3e16;
  RungSystem             sys;
  RungStepper            stepper;
  PetscReal              value[ROW];

  PetscFunctionBegin;
  PetscCall(make_row(decay, PETSC_TRUE, &sys));
  PetscCall(run_row(sys, NULL, NULL, t1, &stepper, value));
  for (int i = 0; i < ROW; ++i) {
    const PetscReal right = exp(-decay[0] * t1) * (i ? decay[0] / decay[i] : 1);

    CHECK_NEAR(value[i], right, 1e-3 * right);
    CHECK(RungWeightsSeen(stepper->weights)[2 * i] < 2 * right);
  }
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y0' = 1e20, y1' = -y1: rounding of a source hides a rate of 1, and the source drives its unknown all the same. */
static PetscErrorCode test_a_large_source_is_followed(void)
{
  static const char *const name[] = {"y"}, *const space[] = {"P0^2"}, *const start[] = {"vector(0, 1)"};
  static const char *const residual[] = {"inner(dt(y) - vector(1e20, -y[1]), v)*dx",
                                         "inner(dt(y) - vector(1e20 - y[1]^2, -y[1]), v)*dx"};

  PetscFunctionBegin;
  for (int i = 0; i < 4; ++i) {
    RungStepper stepper;
    PetscReal   y[2];

    PetscCall(points_create(1, name, space, start, residual[i / 2], &stepper));
    PetscCall(RungStepperSetMethod(stepper, i % 2 ? "esdirk54" : "dopri54"));
    PetscCall(RungStepperSetInterval(stepper, 0, 1, PETSC_DEFAULT));
    PetscCall(RungStepperSetTolerances(stepper, 1e-6, PETSC_DEFAULT));
    PetscCall(points_solve(&stepper, 2, y, NULL));
    CHECK_NEAR(y[0], 1e20, 1e15);
    CHECK_NEAR(y[1], exp(-1), 1e-5);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_large_source_is_followed), RUNG_TEST(test_the_end_of_a_row_of_reactions_begins),
               RUNG_TEST(test_what_is_stiff_before_it_begins_has_no_wrong_size),
               RUNG_TEST(test_what_is_stiff_by_22_orders_has_no_wrong_size))
