/* stage.c - the solves of a stepper: the solver of its lines, whose work is counted in the stepper's statistics. */
#include "step_impl.h"

PetscErrorCode RungStagesSetUp(RungStepper stepper)
{
  const RungLineSolverPlan plan = {.matrices = PetscMax(1, stepper->plan.matrices),
                                   .matches  = stepper->plan.matches,
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
  all->combinations += counts.combinations;
}

PetscErrorCode RungStageSolve(RungStepper stepper, PetscReal t, const RungLine *line, Vec load, Vec w,
                              RungVerdict *verdict)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(RungLineSolve(stepper->solver, t, line, load, w, verdict));
  count(stepper);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageApply(RungStepper stepper, Vec b, Vec x, RungVerdict *verdict)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(RungLineApply(stepper->solver, b, x, verdict));
  count(stepper);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageLinearise(RungStepper stepper, PetscReal t, const Vec u[], const PetscReal slope[],
                                  RungVerdict *verdict)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(RungLineLinearise(stepper->solver, t, u, slope, verdict));
  count(stepper);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageMatch(RungStepper stepper, PetscReal t, Vec u, Vec target, Vec w, RungVerdict *verdict)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(RungLineMatch(stepper->solver, t, u, target, w, verdict));
  count(stepper);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStagePredict(RungStepper stepper, PetscReal t, Vec w)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(RungLinePredict(stepper->solver, t, w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStagePredictInside(RungStepper stepper, PetscReal t, Vec w)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(RungLinePredictStage(stepper->solver, t, w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageEvaluate(RungStepper stepper, const RungLine *line, Vec w, const Vec u[])
{
  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(RungTransientSystemEvaluateLine(stepper->ts, line, w, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageResidual(RungStepper stepper, PetscReal t, const RungLine *line, Vec load, Vec w, Vec r)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(RungTransientSystemResidual(stepper->ts, t, line, load, w, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageConsistent(RungStepper stepper, PetscBool algebraic, RungState *state)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(RungTransientSystemConsistent(stepper->ts, algebraic, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}
