/* moving.h - what a family of methods is asked for: orders on ODEs and on P2 with boundary data that move, an algebraic unknown, errors that
   follow tolerances, restarts at every step. */
#pragma once

#include <rungmethod.h>
#include "ode.h"
#include "points.h"

/* Levels of refinement: so many, steps of the first over the interval, ratio. */
typedef struct {
  PetscInt  n, steps;
  PetscReal ratio;
} Ladder;

/* The type that has the method. */
static inline PetscErrorCode type_of(const char method[], const char **type)
{
  const char *const *types, *const *methods;
  PetscInt n;

  PetscFunctionBegin;
  *type = "";
  PetscCall(RungStepperGetMethods(&n, &types, &methods));
  for (PetscInt i = 0; i < n; ++i)
    if (!strcmp(methods[i], method)) *type = types[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode ode_error(const char method[], Ode ode, PetscInt steps, PetscReal rtol, PetscReal *error)
{
  RungStepper stepper;
  const char *type;
  PetscReal   y[3], exact[3] = {1 + sin(2.0) / 2, 0, 0};

  PetscFunctionBegin;
  PetscCall(type_of(method, &type));
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, type, method, 0, 1, 1 / (PetscReal)steps, &stepper));
  if (rtol > 0) PetscCall(RungStepperSetTolerances(stepper, rtol, rtol));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(ode_values(stepper, 0, ode.local, y));
  if (ode.order == 1) kaps_exact(1, exact);
  *error = 0;
  for (PetscInt c = 0; c < ode.local; ++c) *error = PetscMax(*error, fabs(y[c] - exact[c]));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* kaps() or driven() to t = 1; most: of the first error */
static inline PetscErrorCode check_ode_order(const char method[], Ode ode, const Ladder *ladder, PetscReal order,
                                             PetscReal most)
{
  PetscReal h[8], error[8];

  PetscFunctionBegin;
  for (PetscInt l = 0; l < ladder->n; ++l) {
    const PetscInt steps = (PetscInt)round((double)ladder->steps * pow(ladder->ratio, (double)l));

    h[l] = 1 / (PetscReal)steps;
    PetscCall(ode_error(method, ode, steps, 0, &error[l]));
  }
  CHECK_ORDER(method, (int)ladder->n, h, error, order, 0.2, 0.2);
  if (!(error[0] < most)) fprintf(stderr, "%s: %s: first error %g\n", method, ode.name, error[0]);
  CHECK(error[0] < most);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode check_tolerances(const char method[], Ode ode, PetscReal factor)
{
  PetscFunctionBegin;
  for (int l = 0; l < 2; ++l) {
    const PetscReal rtol = l ? 1e-5 : 1e-3;
    PetscReal       error;

    PetscCall(ode_error(method, ode, 50, rtol, &error));
    if (!(error < factor * rtol)) fprintf(stderr, "%s: %s: error %g at %g\n", method, ode.name, error, rtol);
    CHECK(error < factor * rtol);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- u = sin(3 t + 0.4) (1 + x + 2 x^2) in P2, exact in space, both ends moving -------------------------------------- */

#define MOVING "sin(3*t + 0.4)*(1 + x[0] + 2*x[0]^2)"
#define RATE   "(3*cos(3*t + 0.4)*(1 + x[0] + 2*x[0]^2))"

/* flux: what takes the place of boundary data where there are none, with the same solution. */
typedef struct {
  const char *residual, *flux;
  PetscInt    order, cells;
  PetscBool   free;
} Moving;

#define FLUX "*sin(3*t + 0.4)*(1 + 4*x[0])*n[0]*v*ds"

static const Moving moving_heat = {"dt(u)*v*dx + 0.01*inner(grad(u), grad(v))*dx - (" RATE
                                   " - 0.04*sin(3*t + 0.4))*v*dx",
                                   "-0.01" FLUX, 1, 4, PETSC_FALSE};
static const Moving moving_bar  = {"dt(u, 2)*v*dx + 0.1*inner(grad(u), grad(v))*dx - (-9*" MOVING
                                   " - 0.4*sin(3*t + 0.4))*v*dx",
                                   "-0.1" FLUX, 2, 4, PETSC_FALSE};

static inline PetscErrorCode moving_create(const Moving *p, RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){p->cells}, NULL));
  PetscCall(RungSpaceCreate(mesh, "P2", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(*sys, p->residual));
  if (p->free)
    PetscCall(RungSystemAddResidual(*sys, p->flux));
  else
    PetscCall(RungSystemSetDirichlet(*sys, "u", "boundary", MOVING));
  PetscCall(RungSystemSetInitial(*sys, "u", MOVING));
  if (p->order == 2) PetscCall(RungSystemSetInitial(*sys, "dt(u)", RATE));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest errors of u and its rate at t = 1. */
static inline PetscErrorCode moving_run(const char method[], const Moving *p, PetscInt steps, PetscReal rtol,
                                        PetscReal error[2], RungStepperStatistics *s)
{
  RungSystem       sys;
  RungStepper      stepper;
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(moving_create(p, &sys));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 1 / (PetscReal)steps));
  if (rtol > 0) PetscCall(RungStepperSetTolerances(stepper, rtol, rtol));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, s));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(RungSystemNorm(sys, "u - (" MOVING ")", NULL, RUNG_NORM_MAX, 1, state->u, &error[0]));
  PetscCall(RungSystemNorm(sys, "dt(u) - " RATE, NULL, RUNG_NORM_MAX, 1, state->u, &error[1]));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Orders of u and of its rate from 20 steps on; factors: matrices that a run makes.  Data on the edges make errors at most half as
   large again as those of the same solution with its flux in their place: there errors add up at all nodes, here not on the edges. */
static inline PetscErrorCode check_moving_order(const char method[], const Moving *p, PetscReal order, PetscInt factors)
{
  RungStepperStatistics s;
  PetscReal             h[4], error[4], rate[4], both[2], twin[2];
  Moving                free = *p;

  PetscFunctionBegin;
  free.free = PETSC_TRUE;
  PetscCall(moving_run(method, &free, 20, 0, twin, &s));
  for (PetscInt l = 0; l < 4; ++l) {
    const PetscInt steps = (PetscInt)round(20 * pow(1.5, (double)l));

    h[l] = 1 / (PetscReal)steps;
    PetscCall(moving_run(method, p, steps, 0, both, &s));
    error[l] = both[0];
    rate[l]  = both[1];
    if (s.factorisations > factors + 1) fprintf(stderr, "%s: %d factors\n", method, (int)s.factorisations);
    CHECK(s.factorisations <= factors + 1); /* and that of the start */
  }
  CHECK_ORDER(method, 4, h, error, order, 0.3, 0.4);
  CHECK_ORDER("its rate", 4, h, rate, order, 0.4, 0.6);
  if (!(error[0] < 1.5 * twin[0]))
    fprintf(stderr, "%s: first error %g, without data on the edges %g\n", method, error[0], twin[0]);
  CHECK(error[0] < 1.5 * twin[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- y' = -z, z = y^2: y = 1/(1 + t) -------------------------------------------------------------------------------- */

static inline PetscErrorCode index_1(const char method[], PetscInt steps, PetscReal error[2])
{
  static const char *const name[] = {"y", "z"}, *const space[] = {"P0", "P0"}, *const start[] = {"1", "0"};
  RungStepper stepper;
  PetscReal   y[2];

  PetscFunctionBegin;
  PetscCall(points_create(2, name, space, start, "(dt(y) + z)*v*dx + (z - y^2)*q*dx", &stepper));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 1 / (PetscReal)steps));
  PetscCall(points_solve(&stepper, 2, y, NULL));
  error[0] = fabs(y[0] - 0.5);
  error[1] = fabs(y[1] - 0.25);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- restarts ------------------------------------------------------------------------------------------------------- */

/* To t = 1 from the start, or from the checkpoint after step `from`; y[k] of all derivatives, n entries each. */
static inline PetscErrorCode restart_run(const char method[], Ode ode, PetscReal rtol, PetscInt from, PetscReal y[9],
                                         PetscInt *steps)
{
  RungStepper           stepper;
  RungStepperStatistics s;
  const char           *type;
  char                  path[64];

  PetscFunctionBegin;
  PetscCall(type_of(method, &type));
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, type, method, 0, 1, 0.15, &stepper));
  if (rtol > 0) PetscCall(RungStepperSetTolerances(stepper, rtol, rtol));
  (void)snprintf(path, sizeof path, from < 0 ? "%s_{step}.h5" : "%s_again.h5", method);
  PetscCall(RungStepperSetCheckpoint(stepper, path, 1)); /* both: what a checkpoint drops is dropped in both */
  (void)snprintf(path, sizeof path, "%s_%d.h5", method, (int)from);
  if (from >= 0) PetscCall(RungStepperSetRestart(stepper, path, PETSC_FALSE));
  PetscCall(RungStepperSolve(stepper));
  for (PetscInt k = 0; k <= ode.order; ++k) PetscCall(ode_values(stepper, k, ode.local, y + 3 * k));
  PetscCall(RungStepperGetStatistics(stepper, &s));
  *steps = s.steps;
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode check_restarts(const char method[], Ode ode, PetscReal rtol)
{
  PetscReal whole[9] = {0}, part[9] = {0};
  PetscInt  steps, rest;

  PetscFunctionBegin;
  PetscCall(restart_run(method, ode, rtol, -1, whole, &steps));
  CHECK(steps > 3);
  for (PetscInt from = 1; from < PetscMin(steps, 12); ++from) {
    PetscCall(restart_run(method, ode, rtol, from, part, &rest));
    if (memcmp(whole, part, sizeof whole) != 0)
      fprintf(stderr, "%s: from step %d: %.17g, not %.17g\n", method, (int)from, part[0], whole[0]);
    CHECK(!memcmp(whole, part, sizeof whole));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
