/* jumps.h - heat between ends that rise at t = 100, and u' = -c u where c changes at t = 1: by any method. */
#pragma once

#include <check.h>
#include <rungmethod.h>

#define JUMPS_LIMIT 0.698847 /* mean of the heat below, data that rise within 1e-3 */

/* Of so many cells, or at one point. */
static inline PetscErrorCode jumps_create(PetscInt cells, const char residual[], const char data[], PetscReal dt,
                                          PetscReal end, RungSystem *sys, RungStepper *stepper)
{
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  if (cells)
    PetscCall(RungMeshSetBox(mesh, "interval", 1, &cells, (PetscReal[]){1}));
  else
    PetscCall(RungMeshSetPoints(mesh, 1));
  PetscCall(RungSpaceCreate(mesh, cells ? "P1" : "P0", &space));
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

#define JUMPS_HEAT "dt(u)*v*dx + 0.001*inner(grad(u), grad(v))*dx"

/* type NULL: that of the method; rtol 0: fixed steps; steps NULL: not asked for */
static inline PetscErrorCode jumps_mean(const char residual[], const char data[], const char type[],
                                        const char method[], PetscReal dt, PetscReal rtol, PetscReal *mean,
                                        PetscInt *steps)
{
  RungSystem            sys;
  RungStepper           stepper;
  RungStepperStatistics s;

  PetscFunctionBegin;
  PetscCall(jumps_create(16, residual, data, dt, 200, &sys, &stepper));
  if (type) PetscCall(RungStepperSetType(stepper, type));
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

static inline PetscErrorCode jumps_change(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  PetscFunctionBegin;
  (void)stepper, (void)u, (void)step;
  PetscCall(RungSystemSetConstant((RungSystem)ctx, "c", t < 1 - 1e-9 ? 1 : 5));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u(end) of u' = -c u, by fixed steps. */
static inline PetscErrorCode jumps_decay(const char type[], const char method[], PetscReal c, PetscReal from,
                                         PetscReal dt, PetscReal end, PetscReal *u)
{
  RungSystem  sys;
  RungStepper stepper;
  char        initial[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(initial, sizeof initial, "%.17g", (double)from));
  PetscCall(jumps_create(check_alone() ? 0 : 4, "dt(u)*v*dx + c*u*v*dx", NULL, dt, end, &sys, &stepper));
  PetscCall(RungSystemSetInitial(sys, "u", initial));
  PetscCall(RungSystemSetConstant(sys, "c", c));
  PetscCall(RungStepperSetType(stepper, type));
  PetscCall(RungStepperSetMethod(stepper, method));
  if (end > 1) PetscCall(RungStepperAddMonitor(stepper, jumps_change, sys));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetQuantity(stepper, "mean", u));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |u(2) - exp(-6)| where c = 1 up to t = 1 and 5 from there on: by one run, and by two, one behind the other. */
static inline PetscErrorCode jumps_errors(const char type[], const char method[], PetscReal dt, PetscReal *whole,
                                          PetscReal *split)
{
  PetscReal half;

  PetscFunctionBegin;
  PetscCall(jumps_decay(type, method, 1, 1, dt, 2, whole));
  PetscCall(jumps_decay(type, method, 1, 1, dt, 1, &half));
  PetscCall(jumps_decay(type, method, 5, half, dt, 1, split));
  *whole = PetscAbsReal(*whole - PetscExpReal(-6));
  *split = PetscAbsReal(*split - PetscExpReal(-6));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u' = -c u of one method: on all four levels the errors are at most twice those of two runs, and the orders between them are theirs;
   between the last two it is that of the method, or near it as that of two runs is. */
static inline PetscErrorCode jumps_check_change(const char type[], const char method[], PetscInt levels)
{
  PetscReal      whole[4], split[4];
  RungMethodPlan plan;
  PetscInt       order;

  PetscFunctionBegin;
  PetscCall(RungStepperGetPlan(type, method, &plan));
  if (!(plan.can & RUNG_CAN_ORDER1)) PetscFunctionReturn(PETSC_SUCCESS);
  order = !strcmp(type, RUNGALPHA) ? 2 : plan.order;
  for (int i = 0; i < levels; ++i) {
    const PetscReal dt = (order > 6 ? 0.2 : order > 4 ? 0.1 : 0.05) / (1 << i);
    PetscReal       of[2];

    PetscCall(jumps_errors(type, method, dt, &whole[i], &split[i]));
    CHECK(whole[i] <= 2 * split[i] + 1e-15);
    if (!i || whole[i] < 1e-14) continue;
    of[0] = PetscLog2Real(whole[i - 1] / whole[i]);
    of[1] = PetscLog2Real(split[i - 1] / split[i]);
    if (PetscAbsReal(of[0] - of[1]) > 0.05 || (i == 3 && of[0] <= order - 0.2))
      fprintf(stderr, "%s %s: order %.2f of one run, %.2f of two, wanted %d\n", type, method, of[0], of[1], (int)order);
    CHECK_NEAR(of[0], of[1], 0.05);
    if (i == 3 && strcmp(method, "grk4a") != 0) CHECK(of[0] > order - 0.2); /* grk4a: 3.74, its error changes sign */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
