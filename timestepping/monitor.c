/* monitor.c - the progress line, notices, the files and the statistics of a run; rank 0, standard error. */
#include "step_impl.h"
#include <stdarg.h>

#define SECONDS 1 /* between two lines */

static PetscErrorCode say(MPI_Comm comm, const char kind[], const char format[], va_list arguments)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  RungNeedArgument(format);
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  fputs(kind, stderr);
  (void)vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNotice(MPI_Comm comm, const char format[], ...)
{
  va_list arguments;

  PetscFunctionBegin;
  va_start(arguments, format);
  RungCallFinally(say(comm, "note: ", format, arguments), va_end(arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperTell(RungStepper stepper, const char format[], ...)
{
  va_list arguments;

  PetscFunctionBegin;
  RungNeed(stepper);
  va_start(arguments, format);
  RungCallFinally(say(stepper->comm, "note: ", format, arguments), va_end(arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWarning(MPI_Comm comm, const char format[], ...)
{
  va_list arguments;

  PetscFunctionBegin;
  va_start(arguments, format);
  RungCallFinally(say(comm, "warning: ", format, arguments), va_end(arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProgressStart(RungStepper stepper)
{
  RungProgress    *progress = &stepper->progress;
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(PetscTime(&progress->start));
  progress->last   = progress->mode == RUNG_MONITOR_AUTO ? progress->start : progress->start - SECONDS;
  progress->spoken = PETSC_FALSE;
  PetscCall(RungTransientSystemPeekState(stepper->ts, 0, &state));
  RungPaceStart(&progress->pace, state->t);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_line(RungStepper stepper, PetscReal t, PetscReal h, PetscReal error, PetscLogDouble spent)
{
  const RungStepperStatistics *s = &stepper->statistics;
  PetscMPIInt                  rank;
  double                       left;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(stepper->comm, &rank));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  fprintf(stderr, "step %ld  t %.6g  dt %.3g", (long)s->steps, (double)t, (double)h);
  if (error >= 0) fprintf(stderr, "  error %.2g", (double)error);
  fprintf(stderr, "  newton %ld  linear %ld  refused %ld  %.0f s", (long)s->newton, (long)s->linear,
          (long)s->rejected + (long)s->failed, (double)spent);
  left = RungPaceLeft(&stepper->progress.pace, stepper->t1, stepper->adaptive);
  if (left >= 0) fprintf(stderr, ", %.0f s left", left);
  fputc('\n', stderr);
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
  PetscCall(RungTransientSystemPeekState(stepper->ts, 0, &state));
  RungPaceAdd(&progress->pace, now - progress->start, state->t);
  if (progress->mode != RUNG_MONITOR_ALL && now - progress->last < SECONDS) PetscFunctionReturn(PETSC_SUCCESS);
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

static void print_file(const char path[], const char extension[], PetscBool *any)
{
  const size_t n = strlen(path), m = strlen(extension);

  fprintf(stderr, "%s %s%s", *any ? "," : "files:", path, n > m && !strcmp(path + n - m, extension) ? "" : extension);
  *any = PETSC_TRUE;
}

/* One line with the files that this run has written: series, tables and their pictures, the last checkpoint; none if there
   are none. */
static PetscErrorCode print_files(RungStepper stepper)
{
  const RungRestart *restart = &stepper->restart;
  PetscBool          any     = PETSC_FALSE;
  char               picture[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  for (RungOutputRecord output = stepper->outputs; output; output = output->link) {
    if (output->times) print_file(output->path, ".pvd", &any);
  }
  for (RungTableRecord table = stepper->tables; table; table = table->link) {
    if (table->written) print_file(table->path, "", &any);
    if (!table->drawn) continue;
    PetscCall(RungTablePicture(table, picture));
    print_file(picture, "", &any);
  }
  if (restart->files) print_file(restart->file, "", &any);
  if (any) fputc('\n', stderr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProgressFinish(RungStepper stepper)
{
  const RungStepperStatistics *s        = &stepper->statistics;
  const RungProgress          *progress = &stepper->progress;
  PetscMPIInt                  rank;
  PetscLogDouble               now;

  PetscFunctionBegin;
  PetscCall(RungIntegralsTell(stepper));
  PetscCall(RungTolerancesTell(stepper));
  PetscCallMPI(MPI_Comm_rank(stepper->comm, &rank));
  if (rank || progress->mode == RUNG_MONITOR_NONE) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(print_files(stepper));
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
