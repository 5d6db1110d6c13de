/* monitor.c - the progress line, notices and the statistics of a run; rank 0, standard error. */
#include "step_impl.h"
#include <stdarg.h>

#define SECONDS 1 /* between two lines */

PetscErrorCode RungNotice(MPI_Comm comm, const char format[], ...)
{
  PetscMPIInt rank;
  va_list     arguments;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) {
    va_start(arguments, format);
    fputs("note: ", stderr);
    (void)vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProgressStart(RungStepper stepper)
{
  RungProgress *progress = &stepper->progress;

  PetscFunctionBegin;
  PetscCall(PetscTime(&progress->start));
  progress->last   = progress->mode == RUNG_MONITOR_AUTO ? progress->start : 0;
  progress->spoken = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rest takes as long per unit of time as what is done; adaptive steps make this a guess. */
static double seconds_left(RungStepper stepper, PetscReal t, PetscLogDouble spent)
{
  const PetscReal done = t - stepper->t0;

  return done > 0 ? (double)(spent * (stepper->t1 - t) / done) : 0;
}

static PetscErrorCode print_line(RungStepper stepper, PetscReal t, PetscReal h, PetscReal error, PetscLogDouble spent)
{
  const RungStepperStatistics *s = &stepper->statistics;
  PetscMPIInt                  rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(stepper->comm, &rank));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  fprintf(stderr, "step %ld  t %.6g  dt %.3g", (long)s->steps, (double)t, (double)h);
  if (error >= 0) fprintf(stderr, "  error %.2g", (double)error);
  fprintf(stderr, "  newton %ld  linear %ld  refused %ld  %.0f s, %.0f s left\n", (long)s->newton, (long)s->linear,
          (long)s->rejected + (long)s->failed, (double)spent, seconds_left(stepper, t, spent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProgressStep(RungStepper stepper, PetscReal h, PetscReal error)
{
  RungProgress    *progress = &stepper->progress;
  const RungState *state;
  PetscLogDouble   now;

  PetscFunctionBegin;
  if (progress->mode == RUNG_MONITOR_NONE) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscTime(&now));
  if (progress->mode != RUNG_MONITOR_ALL && now - progress->last < SECONDS) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  PetscCall(print_line(stepper, state->t, h, error, now - progress->start));
  progress->last   = now;
  progress->spoken = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProgressRefused(RungStepper stepper, PetscReal h, const RungVerdict *verdict)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(stepper->comm, &rank));
  if (stepper->progress.mode != RUNG_MONITOR_ALL || rank) PetscFunctionReturn(PETSC_SUCCESS);
  if (verdict->solved)
    fprintf(stderr, "rejected  dt %.3g  error %.2g\n", (double)h, (double)verdict->error);
  else
    fprintf(stderr, "failed  dt %.3g  %s\n", (double)h, verdict->why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProgressFinish(RungStepper stepper)
{
  const RungStepperStatistics *s        = &stepper->statistics;
  const RungProgress          *progress = &stepper->progress;
  PetscMPIInt                  rank;
  PetscLogDouble               now;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(stepper->comm, &rank));
  if (rank || progress->mode == RUNG_MONITOR_NONE) PetscFunctionReturn(PETSC_SUCCESS);
  if (progress->mode == RUNG_MONITOR_AUTO && !progress->spoken) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscTime(&now));
  fprintf(
    stderr,
    "%s %s: %ld steps, %ld rejected, %ld failed; %ld Newton and %ld linear iterations; %ld residuals, %ld Jacobians, "
    "%ld factorisations; %.1f s\n",
    stepper->type, stepper->method[stepper->chosen], (long)s->steps, (long)s->rejected, (long)s->failed,
    (long)s->newton, (long)s->linear, (long)s->residuals, (long)s->jacobians, (long)s->factorisations,
    (double)(now - progress->start));
  PetscFunctionReturn(PETSC_SUCCESS);
}
