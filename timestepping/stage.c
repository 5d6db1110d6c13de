/* stage.c - the solves of a stepper: the solver of its lines, whose work is counted in the stepper's statistics. */
#include "step_impl.h"

PetscErrorCode RungStagesSetUp(RungStepper stepper)
{
  const RungLineSolverPlan plan = {.matrices = stepper->matrices,
                                   .matches  = stepper->matches,
                                   .weights  = stepper->adaptive ? stepper->weights : NULL,
                                   .rtol     = stepper->rtol};

  PetscFunctionBegin;
  PetscCall(RungLineSolverCreate(stepper->ts, &plan, &stepper->solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void count(RungStepper stepper)
{
  RungStepperStatistics *all = &stepper->statistics;
  RungSolveCounts        counts;

  RungLineSolverTakeCounts(stepper->solver, &counts);
  all->newton += counts.newton;
  all->linear += counts.linear;
  all->residuals += counts.residuals;
  all->jacobians += counts.jacobians;
  all->factorisations += counts.factorisations;
}

PetscErrorCode RungStageSolve(RungStepper stepper, PetscReal t, const RungLine *line, Vec load, Vec w,
                              RungVerdict *verdict)
{
  PetscFunctionBegin;
  PetscCall(RungLineSolve(stepper->solver, t, line, load, w, verdict));
  count(stepper);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageApply(RungStepper stepper, Vec b, Vec x, RungVerdict *verdict)
{
  PetscFunctionBegin;
  PetscCall(RungLineApply(stepper->solver, b, x, verdict));
  count(stepper);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageMatch(RungStepper stepper, PetscReal t, Vec u, Vec target, Vec w, RungVerdict *verdict)
{
  PetscFunctionBegin;
  PetscCall(RungLineMatch(stepper->solver, t, u, target, w, verdict));
  count(stepper);
  PetscFunctionReturn(PETSC_SUCCESS);
}
