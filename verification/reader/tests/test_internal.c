/* test_internal.c - an internal variable at quadrature points that relaxes to the field that it acts on:

       (u' + s, v) = 0,   tau s' = u - s at every point,   tau = 1/2, u(0) = 1, s(0) = 0

   so that tau u'' + u' + u = 0:  u = exp(-t)(cos t + sin t),  s = 2 exp(-t) sin t. */
#include "check.h"
#include "problems.h"

static PetscErrorCode relaxing(RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace V, S;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){3, 3}, (PetscReal[]){1, 1}));
  PetscCall(RungSpaceCreate(mesh, "P1", &V));
  PetscCall(RungSpaceCreate(mesh, "Quad(2)", &S));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", V));
  PetscCall(RungSystemAddUnknown(*sys, "s", "q", S));
  PetscCall(RungSystemSetConstant(*sys, "tau", 0.5));
  PetscCall(RungSystemAddResidual(*sys, "(dt(u) + s)*v*dx"));
  PetscCall(RungSystemAddResidual(*sys, "(tau*dt(s) - u + s)*q*dx"));
  PetscCall(RungSystemSetInitial(*sys, "u", "1"));
  PetscCall(RungSystemSetInitial(*sys, "s", "0"));
  PetscCall(RungSystemSetUp(*sys));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungSpaceDestroy(&S));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest distance of all entries of u and s to the exact values at t. */
static PetscErrorCode find_distance(RungSystem sys, const RungState *state, PetscReal *distance)
{
  const PetscReal    exact[] = {exp(-state->t) * (cos(state->t) + sin(state->t)), 2 * exp(-state->t) * sin(state->t)};
  const PetscScalar *array;
  PetscInt           start, end;

  PetscFunctionBegin;
  *distance = 0;
  PetscCall(VecGetArrayRead(state->u[0], &array));
  for (PetscInt f = 0; f < 2; ++f) {
    PetscCall(RungSystemGetRange(sys, f, &start, &end));
    for (PetscInt i = start; i < end; ++i) *distance = PetscMax(*distance, PetscAbsScalar(array[i] - exact[f]));
  }
  PetscCall(VecRestoreArrayRead(state->u[0], &array));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, distance, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_relaxing(PetscReal dt, PetscReal tolerance, const char method[], PetscReal *distance,
                                   PetscInt *rejected)
{
  RungSystem            sys;
  RungStepper           stepper;
  const RungState      *state;
  RungStepperStatistics statistics;

  PetscFunctionBegin;
  PetscCall(relaxing(&sys));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetType(stepper, RUNGDIRK));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, dt));
  if (tolerance > 0) PetscCall(RungStepperSetTolerances(stepper, tolerance, tolerance));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(find_distance(sys, state, distance));
  PetscCall(RungStepperGetStatistics(stepper, &statistics));
  *rejected = statistics.rejected;
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_internal_variable_has_the_order_of_the_method(void)
{
  const PetscReal h[] = {0.25, 0.125, 0.0625, 0.03125};
  PetscReal       error[4], order, low, high;
  PetscInt        rejected;

  PetscFunctionBegin;
  for (int i = 0; i < 4; ++i) PetscCall(run_relaxing(h[i], 0, "esdirk43", &error[i], &rejected));
  PetscCall(RungRate(4, h, error, &order, &low, &high));
  CHECK_NEAR(order, 4, 0.2);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_rejected_steps_leave_no_trace_in_it(void)
{
  PetscReal distance;
  PetscInt  rejected;

  PetscFunctionBegin;
  PetscCall(run_relaxing(1, 1e-8, "esdirk43", &distance, &rejected));
  CHECK(rejected > 0);
  CHECK(distance < 1e-6);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The bar of Maxwell's material of the registry: stress is given, strain follows by quadrature in time. */
static PetscErrorCode test_maxwells_bar_has_the_order_of_the_method(void)
{
  const PetscReal  ladder[] = {0.5, 0.25, 0.125};
  RungStudy        study;
  PetscInt         levels;
  const PetscReal *dt, *error;
  PetscReal        order, low, high;

  PetscFunctionBegin;
  PetscCall(RungStudyCreate(PETSC_COMM_WORLD, &study));
  PetscCall(RungStudySetCase(study, "maxwell"));
  PetscCall(RungStudySetLadder(study, 3, ladder));
  PetscCall(RungStudySetStepper(study, RUNGDIRK, "trbdf2"));
  PetscCall(RungStudyRun(study));
  PetscCall(RungStudyGetResults(study, &levels, &dt, &error, &order, &low, &high));
  CHECK(levels == 3);
  CHECK_NEAR(order, 2, 0.1);
  CHECK(error[2] < 1e-2 && error[2] > 1e-6);
  PetscCall(RungStudyDestroy(&study));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_the_problems_are_there), RUNG_TEST(test_maxwells_bar_has_the_order_of_the_method),
               RUNG_TEST(test_the_internal_variable_has_the_order_of_the_method),
               RUNG_TEST(test_rejected_steps_leave_no_trace_in_it))
