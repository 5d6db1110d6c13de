/* explain.c - why a step was refused or chosen, in words. */
#include "step_impl.h"

PetscErrorCode RungStepperSetExplain(RungStepper stepper, PetscBool explain)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  stepper->explain = explain;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- lines of a run ------------------------------------------------------------------------------------------------- */

PetscErrorCode RungExplainRefused(RungStepper stepper, PetscReal t, PetscReal h, const RungVerdict *verdict)
{
  const RungControl *control    = &stepper->control;
  char               text[2048] = "", *why;

  PetscFunctionBegin;
  if (!stepper->explain) PetscFunctionReturn(PETSC_SUCCESS);
  why = text;
  if (verdict->solved)
    PetscCall(RungWeightsExplain(stepper->weights, 1, text, sizeof text));
  else
    why = (char *)verdict->why;
  PetscCall(PetscFPrintf(stepper->comm, stderr, "explain: t = %.6g, dt = %.3g %s: %s; dt becomes %.3g: %s\n", (double)t,
                         (double)h, verdict->solved ? "rejected" : "failed", why, (double)control->h, control->why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExplainEvent(RungStepper stepper, const RungEventRecord *event)
{
  PetscFunctionBegin;
  if (!stepper->explain) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFPrintf(stepper->comm, stderr,
                         "explain: event %s happens at t = %.12g, for the %" PetscInt_FMT
                         ". time: %s = %.2e; %" PetscInt_FMT " attempts so far to find such times\n",
                         event->name, (double)event->t[event->count - 1], event->count,
                         event->said.text ? event->said.text : "its function", (double)event->value,
                         stepper->statistics.located));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExplainStep(RungStepper stepper, PetscReal t, PetscReal h)
{
  char text[2048];

  PetscFunctionBegin;
  if (!stepper->explain || stepper->statistics.steps % 10) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungWeightsExplain(stepper->weights, 1, text, sizeof text));
  PetscCall(PetscFPrintf(
    stepper->comm, stderr, "explain: step %" PetscInt_FMT ", t = %.6g, dt = %.3g: %s; dt becomes %.3g: %s\n",
    stepper->statistics.steps, (double)t, (double)h, text, (double)stepper->control.h, stepper->control.why));
  PetscFunctionReturn(PETSC_SUCCESS);
}
