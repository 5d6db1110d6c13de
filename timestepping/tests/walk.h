/* walk.h - methods of the registry on problems that ask for one ability each: a method runs at its order or is refused by name. */
#pragma once

#include <check.h>
#include <rungmethod.h>
#include <stdlib.h>

/* A problem at a point; error(t, y, z) of values at the end, exact solutions by hand. */
typedef struct {
  const char *name, *residual, *initial, *rate;
  PetscBool   second_unknown, bounded;
  double (*error)(double t, double y, double z);
} Problem;

static double error_decay(double t, double y, double z)
{
  (void)z;
  return fabs(y - 1 / (1 + t));
}

static double error_index1(double t, double y, double z)
{
  return fmax(fabs(y - 1 / (1 + t)), fabs(z - 1 / ((1 + t) * (1 + t))));
}

static double error_oscillator(double t, double y, double z)
{
  (void)z;
  return fabs(y - cos(t));
}

static double error_mixed(double t, double y, double z)
{
  return fmax(fabs(y - cos(t)), fabs(z - exp(-t)));
}

/* (y + y^3)' = -y: log y + 3/2 y^2 = 3/2 - t */
static double error_conserved(double t, double y, double z)
{
  (void)z;
  return fabs(log(y) + 1.5 * y * y - 1.5 + t) / (1 / y + 3 * y);
}

static const Problem walk_problem[] = {
  {"order 1", "(dt(y) + y^2)*v*dx", "1", NULL, PETSC_FALSE, PETSC_FALSE, error_decay},
  {"order 2", "(dt(y, 2) + y)*v*dx", "1", "0", PETSC_FALSE, PETSC_FALSE, error_oscillator},
  {"mixed order", "(dt(y, 2) + y)*v*dx + (dt(z) + z)*q*dx", "1", "0", PETSC_TRUE, PETSC_FALSE, error_mixed},
  {"index 1", "(dt(y) + z)*v*dx + (z - y^2)*q*dx", "1", NULL, PETSC_TRUE, PETSC_FALSE, error_index1},
  {"conserved", "(dt(y + y^3) + y)*v*dx", "1", NULL, PETSC_FALSE, PETSC_FALSE, error_conserved},
  {"mass", "((1 + t)*dt(y) + (1 + t)*y^2)*v*dx", "1", NULL, PETSC_FALSE, PETSC_FALSE, error_decay},
  {"bounds", "(dt(y) + y^2)*v*dx", "1", NULL, PETSC_FALSE, PETSC_TRUE, error_decay}};
#define WALK_PROBLEMS ((PetscInt)PETSC_STATIC_ARRAY_LENGTH(walk_problem))

static inline PetscErrorCode walk_create(const Problem *problem, RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_SELF, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 1));
  PetscCall(RungSpaceCreate(mesh, "P0", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_SELF, sys));
  PetscCall(RungSystemAddUnknown(*sys, "y", "v", space));
  if (problem->second_unknown) PetscCall(RungSystemAddUnknown(*sys, "z", "q", space));
  PetscCall(RungSystemAddResidual(*sys, problem->residual));
  PetscCall(RungSystemSetInitial(*sys, "y", problem->initial));
  if (problem->second_unknown) PetscCall(RungSystemSetInitial(*sys, "z", "1"));
  if (problem->rate) PetscCall(RungSystemSetInitial(*sys, "dt(y)", problem->rate));
  if (problem->bounded) PetscCall(RungSystemSetBounds(*sys, "y", "0", NULL));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode walk_solve(RungStepper stepper, RungSystem sys, const char type[], const char method[],
                                        PetscReal h, const Problem *problem, PetscReal *error)
{
  const RungState   *state;
  const PetscScalar *u;

  PetscFunctionBegin;
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetType(stepper, type));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, h));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(VecGetArrayRead(state->u[0], &u));
  *error = problem->error(1, PetscRealPart(u[0]), problem->second_unknown ? PetscRealPart(u[1]) : 0);
  PetscCall(VecRestoreArrayRead(state->u[0], &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One run; nothing is left behind, whatever becomes of it. */
static inline PetscErrorCode walk_run(const Problem *problem, const char type[], const char method[], PetscReal h,
                                      PetscReal *error)
{
  RungSystem     sys;
  RungStepper    stepper;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(walk_create(problem, &sys));
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
  code = walk_solve(stepper, sys, type, method, h, problem, error);
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(code);
}

/* What the abilities of the method say of the problem. */
static inline PetscBool walk_takes(const Problem *problem, unsigned can)
{
  const PetscBool order2 = strstr(problem->residual, ", 2)") ? PETSC_TRUE : PETSC_FALSE;
  unsigned        need   = order2 ? RUNG_CAN_ORDER2 : RUNG_CAN_ORDER1;

  if (problem->error == error_index1) need |= RUNG_CAN_ALGEBRAIC;
  if (problem->error == error_conserved) need |= RUNG_CAN_CONSERVE;
  if (problem->bounded) need |= RUNG_CAN_BOUND;
  if (strstr(problem->residual, "(1 + t)*dt")) need |= RUNG_CAN_VARY_MASS;
  return (can & need) == need ? PETSC_TRUE : PETSC_FALSE;
}

/* Rounding and Newton's stop hide the order below this error. */
#define WALK_SMALL 2e-11

static inline PetscErrorCode walk(const char type[], const char method[])
{
  RungMethodPlan plan;
  char           name[128];

  PetscFunctionBegin;
  PetscCall(RungStepperGetPlan(type, method, &plan));
  (void)snprintf(name, sizeof name, "%s method \"%s\" ", type, method);
  for (PetscInt i = 0; i < WALK_PROBLEMS; ++i) {
    const Problem *problem  = &walk_problem[i];
    PetscReal      error[2] = {0, 0}, order;

    if (!walk_takes(problem, plan.can)) {
      CHECK_RAISES(walk_run(problem, type, method, 0.1, error), name);
      continue;
    }
    for (int k = 0; k < 2; ++k) PetscCall(walk_run(problem, type, method, k ? 0.025 : 0.05, &error[k]));
    order = log(error[0] / error[1]) / log(2.0);
    if (error[1] >= WALK_SMALL && order <= (PetscReal)plan.order - 0.4) { /* steps that are too large to tell yet */
      error[0] = error[1];
      PetscCall(walk_run(problem, type, method, 0.0125, &error[1]));
      order = log(error[0] / error[1]) / log(2.0);
    }
    if (!(error[1] < WALK_SMALL || order > (PetscReal)plan.order - 0.4))
      printf("%s on %s: errors %.2e %.2e, order %.2f, wanted %d\n", name, problem->name, error[0], error[1], order,
             (int)plan.order);
    CHECK(error[1] < WALK_SMALL || order > (PetscReal)plan.order - 0.4);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
