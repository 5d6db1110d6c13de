/* points.h - equations of a few unknowns at one point: steppers for them, and their values at the end. */
#ifndef RUNG_TEST_POINTS_H
#define RUNG_TEST_POINTS_H
#include <check.h>
#include <rungstep.h>

/* One point; unknowns in the order of `unknown`, with test functions v, q, r. */
static inline PetscErrorCode points_create(PetscInt n, const char *const unknown[], const char *const spec[],
                                           const char *const initial[], const char residual[], RungStepper *stepper)
{
  static const char *const test[] = {"v", "q", "r"};
  RungMesh                 points;
  RungSpace                space;
  RungSystem               sys;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &points));
  PetscCall(RungMeshSetPoints(points, 1));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  for (PetscInt f = 0; f < n; ++f) {
    PetscCall(RungSpaceCreate(points, spec[f], &space));
    PetscCall(RungSystemAddUnknown(sys, unknown[f], test[f], space));
    PetscCall(RungSpaceDestroy(&space));
    PetscCall(RungSystemSetInitial(sys, unknown[f], initial[f]));
  }
  PetscCall(RungSystemAddResidual(sys, residual));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, stepper));
  PetscCall(RungStepperSetSystem(*stepper, sys));
  PetscCall(RungStepperSetMonitor(*stepper, RUNG_MONITOR_NONE));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungMeshDestroy(&points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first entries at the end. */
static inline PetscErrorCode points_values(RungStepper stepper, PetscInt n, PetscReal x[])
{
  const RungState   *state;
  const PetscScalar *u;

  PetscFunctionBegin;
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(VecGetArrayRead(state->u[0], &u));
  for (PetscInt i = 0; i < n; ++i) x[i] = PetscRealPart(u[i]);
  PetscCall(VecRestoreArrayRead(state->u[0], &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first entries at the end; the stepper is destroyed, after an error too. */
static inline PetscErrorCode points_solve(RungStepper *stepper, PetscInt n, PetscReal x[],
                                          RungStepperStatistics *statistics)
{
  PetscFunctionBegin;
  RungCallOrUndo(points_values(*stepper, n, x), PetscCall(RungStepperDestroy(stepper)));
  if (statistics) PetscCall(RungStepperGetStatistics(*stepper, statistics));
  PetscCall(RungStepperDestroy(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
