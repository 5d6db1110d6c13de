/* steps.c - what tolerances buy: steps, evaluations and errors of adaptive runs, for comparing one state of the library with another.

       problem type tol  steps rejected failed  residuals jacobians factorisations  error

   error is the largest over all accepted steps and unknowns of |u - exact| in the maximum norm, divided by the largest
   |exact|; of `ends`, which has no solution in closed form, that of the mean at the end against a run with 1e-10.

   ode         three equations with solutions exp(-2t), exp(-t), 1/(2 - sin t)
   dae         y' = z with a cubic equation for z
   heat_edge   conduction between edges whose values move
   wave        a standing wave
   diffusion   nonlinear diffusion
   mixed       u'' = -u beside T' = -1000 (T - cos t)
   conserved   dt(u + u^3) with a moving edge
   copies      -bench_copies oscillators, the first of them fifty times as fast as the rest
   pair        an oscillating pair of numbers beside a field on -bench_count^2 cells
   ends        heat at rest, both ends rise at t = 100 within 0.1 (or as -bench_ends says, a function of t; -bench_mean
               is the mean to compare with then)

   Try   ./steps -bench_problem mixed,copies
         ./steps -bench_problem copies -bench_copies 10000 -bench_tol 1e-4
         ./steps -bench_problem ode -bench_scale 1048576     the unknowns and absolute tolerances times 2^20            */
#include <adaptive.h>
#include "bench.h"

static PetscErrorCode print(const AdaptiveProblem *problem, RungStepper stepper, PetscReal tol, PetscReal scale,
                            const AdaptiveWatch *watch)
{
  RungStepperStatistics s;
  RungStepperType       type;
  const PetscReal       size  = PetscMax(watch->size[0], watch->size[1]);
  PetscReal             error = size > 0 ? PetscMax(watch->error[0], watch->error[1]) / size : 0, mean = problem->mean;

  PetscFunctionBegin;
  PetscCall(RungStepperGetStatistics(stepper, &s));
  PetscCall(RungStepperGetType(stepper, &type));
  if (problem->mean) {
    PetscCall(RungStepperGetQuantity(stepper, "mean", &error));
    PetscCall(PetscOptionsGetReal(NULL, NULL, "-bench_mean", &mean, NULL));
    error = PetscAbsReal(error / scale - mean);
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-10s %-5s %.0e %6d %4d %3d %7d %6d %6d  %.2e\n", problem->name, type,
                        (double)tol, (int)s.steps, (int)s.rejected, (int)s.failed, (int)s.residuals, (int)s.jacobians,
                        (int)s.factorisations, (double)error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_problem(const AdaptiveProblem *problem, PetscReal scale, RungSystem *sys)
{
  const AdaptiveUnits units     = {{scale, scale}, {scale, scale}};
  char                ends[512] = "";
  PetscInt            n         = problem->count;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-bench_ends", ends, sizeof ends, NULL));
  if (!strcmp(problem->name, "copies")) PetscCall(PetscOptionsGetInt(NULL, NULL, "-bench_copies", &n, NULL));
  if (!strcmp(problem->name, "pair")) PetscCall(PetscOptionsGetInt(NULL, NULL, "-bench_count", &n, NULL));
  PetscCall(adaptive_create(problem, n, ends[0] ? ends : NULL, &units, sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_problem(const AdaptiveProblem *problem, PetscReal tol, PetscReal scale)
{
  AdaptiveWatch watch = {.problem = problem};
  RungStepper   stepper;
  PetscBool     automatic = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(create_problem(problem, scale, &watch.sys));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, watch.sys));
  if (problem->type) PetscCall(RungStepperSetType(stepper, problem->type));
  PetscCall(RungStepperSetInterval(stepper, 0, problem->end, problem->dt));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-bench_automatic", &automatic, NULL));
  PetscCall(RungStepperSetTolerances(stepper, tol, automatic ? PETSC_DEFAULT : tol * scale));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperAddMonitor(stepper, adaptive_watch, &watch));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(print(problem, stepper, tol, scale, &watch));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&watch.sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode is_wanted(const char name[], PetscBool *wanted)
{
  char     *list[16];
  PetscInt  n = 16;
  PetscBool given, same;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-bench_problem", list, &n, &given));
  *wanted = given ? PETSC_FALSE : PETSC_TRUE;
  for (PetscInt i = 0; given && i < n; ++i) {
    PetscCall(PetscStrcmp(list[i], name, &same));
    if (same) *wanted = PETSC_TRUE;
    PetscCall(PetscFree(list[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscReal tol[8] = {1e-3, 1e-5, 1e-7}, scale = 1;
  PetscInt  n = 8;
  PetscBool given, wanted;

  PetscCall(RungInitialize(&argc, &argv, "Steps and errors of adaptive runs.\n"));
  PetscCall(PetscOptionsGetRealArray(NULL, NULL, "-bench_tol", tol, &n, &given));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-bench_scale", &scale, NULL));
  for (PetscInt i = 0; i < ADAPTIVE_PROBLEMS; ++i) {
    PetscCall(is_wanted(adaptive_problems[i].name, &wanted));
    for (PetscInt k = 0; wanted && k < (given ? n : 3); ++k)
      PetscCall(run_problem(&adaptive_problems[i], tol[k], scale));
  }
  PetscCall(RungFinalize());
  return 0;
}
