/* statistics.c - the work of a run as a file in JSON, -stepper_statistics: counts, iterations, sizes of steps, seconds. */
#include "step_impl.h"
#include <stdlib.h>

void RungEffortStart(RungStepper stepper)
{
  RungEffort            *work = &stepper->spent;
  RungStepperStatistics *s    = &stepper->statistics;

  work->starts = work->solves = work->last = work->most = work->applied = 0;
  work->begun = work->t = work->h = 0;
  work->found                     = RungTransientSystemCountFound(stepper->ts);
  s->jacobian_seconds = s->factorisation_seconds = s->solution_seconds = s->longest_seconds = 0;
}

void RungEffortSolve(RungStepper stepper, PetscInt iterations)
{
  RungEffort *work = &stepper->spent;

  ++work->solves;
  work->last = iterations;
  work->most = PetscMax(work->most, iterations);
}

PetscErrorCode RungStatisticsCheck(RungStepper stepper)
{
  PetscFunctionBegin;
  if (stepper->spent.path[0])
    PetscCall(RungFileCheck(stepper->comm, "the statistics", stepper->spent.path, RUNG_FILE_WORK));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungEffortRefuse(RungStepper stepper, const RungVerdict *verdict)
{
  RungStepperStatistics *s = &stepper->statistics;

  if (verdict->solved)
    ++s->rejected;
  else
    ++s->failed;
  ++s->refused[verdict->solved ? RUNG_REFUSED_ERROR : verdict->cause];
}

PetscErrorCode RungEffortBegin(RungStepper stepper)
{
  PetscFunctionBegin;
  PetscCall(PetscTime(&stepper->spent.begun));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEffortAccept(RungStepper stepper, PetscReal t, PetscReal h)
{
  RungEffort     *work    = &stepper->spent;
  PetscLogDouble *longest = &stepper->statistics.longest_seconds, now;

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  work->h = h;
  if (now - work->begun <= *longest) PetscFunctionReturn(PETSC_SUCCESS);
  *longest = now - work->begun;
  work->t  = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void put(FILE *file, const RungStepper stepper, PetscReal t, PetscLogDouble seconds)
{
  const RungStepperStatistics *s     = &stepper->statistics;
  const RungEffort            *work  = &stepper->spent;
  const PetscInt               found = RungTransientSystemCountFound(stepper->ts) - work->found;
  const struct {
    const char *name;
    PetscInt    n;
  } count[] = {{"steps", s->steps},
               {"rejected", s->rejected},
               {"failed", s->failed},
               {"refused_by_error", s->refused[RUNG_REFUSED_ERROR]},
               {"refused_by_newton", s->refused[RUNG_REFUSED_NEWTON]},
               {"refused_by_linear_solver", s->refused[RUNG_REFUSED_LINEAR]},
               {"refused_by_domain", s->refused[RUNG_REFUSED_DOMAIN]},
               {"refused_by_bounds", s->refused[RUNG_REFUSED_BOUND]},
               {"refused_by_points", s->refused[RUNG_REFUSED_POINT]},
               {"refused_by_method", s->refused[RUNG_REFUSED_METHOD]},
               {"starts", work->starts + found},
               {"solves", work->solves},
               {"solves_without_residual", work->applied},
               {"newton", s->newton},
               {"newton_last", work->last},
               {"newton_most", work->most},
               {"linear", s->linear},
               {"residuals", s->residuals},
               {"jacobians", s->jacobians},
               {"combinations", s->combinations},
               {"factorisations", s->factorisations}};

  fprintf(file, RUNG_WORK_HEAD "  \"type\": \"%s\",\n  \"method\": \"%s\",\n", stepper->type,
          stepper->method[stepper->chosen]);
  if (stepper->handed) fprintf(file, "  \"method_before\": \"%s\",\n", stepper->other.method[stepper->other.chosen]);
  fprintf(file, "  \"t\": %.17g,\n", (double)t);
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(count); ++i)
    fprintf(file, "  \"%s\": %ld,\n", count[i].name, (long)count[i].n);
  fprintf(file, "  \"dt_last\": %.17g,\n", (double)work->h);
  if (stepper->adaptive) fprintf(file, "  \"dt_next\": %.17g,\n", (double)stepper->control.h);
  fprintf(file,
          "  \"seconds\": %.6g,\n  \"seconds_of_jacobians\": %.6g,\n  \"seconds_of_factorisations\": %.6g,\n"
          "  \"seconds_of_solutions\": %.6g,\n",
          (double)seconds, (double)s->jacobian_seconds, (double)s->factorisation_seconds, (double)s->solution_seconds);
  fprintf(file, "  \"seconds_of_longest_step\": %.6g,\n  \"t_of_longest_step\": %.17g\n}\n", (double)s->longest_seconds,
          (double)work->t);
}

PetscErrorCode RungStatisticsWrite(RungStepper stepper)
{
  const RungState *state;
  PetscLogDouble   now;
  char            *bytes = NULL;
  size_t           size  = 0;
  FILE            *file;

  PetscFunctionBegin;
  if (!stepper->spent.path[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscTime(&now));
  PetscCall(RungTransientSystemPeekState(stepper->ts, 0, &state));
  file = open_memstream(&bytes, &size);
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for the statistics");
  put(file, stepper, state->t, now - stepper->progress.start);
  (void)fclose(file);
  RungCallFinally(RungFileWrite(stepper->comm, stepper->spent.path, size, bytes), free(bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}
