/* run.c - a problem is run: its folder, its steps, its results, what it expects of them. */
#include "reader_impl.h"

#include <rungbinding.h>

/* What runs, in one line. */
static PetscErrorCode say_what(RungProblem problem)
{
  const RungMeshData *mesh;
  RungTraits          traits;
  Vec                 u;
  PetscInt            size;
  PetscMPIInt         ranks;
  PetscReal           t0, t1, dt;
  const char         *successor;
  PetscBool           found;
  char                text[4][32];

  PetscFunctionBegin;
  if (problem->quiet) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_size(problem->comm, &ranks));
  PetscCall(RungMeshGetData(problem->mesh, &mesh));
  PetscCall(RungSystemGetTraits(problem->sys, &traits));
  PetscCall(RungSystemCreateVec(problem->sys, &u));
  PetscCall(VecGetSize(u, &size));
  PetscCall(VecDestroy(&u));
  PetscCall(RungStepperGetInterval(problem->stepper, &t0, &t1, &dt));
  PetscCall(RungStepperGetSuccessor(problem->stepper, &successor, &found));
  if (problem->title && problem->step <= problem->first) PetscCall(PetscPrintf(problem->comm, "%s\n", problem->title));
  if (problem->step) PetscCall(PetscPrintf(problem->comm, "step %s: ", problem->step_name[problem->step]));
  PetscCall(PetscPrintf(problem->comm, "%" PetscInt_FMT " %s%s, %" PetscInt_FMT " values, ", mesh->cells_global,
                        RungCellGet(mesh->type)->name, mesh->cells_global == 1 ? "" : "s", size));
  if (problem->fixed.said && !problem->fixed.said->args)
    PetscCall(PetscPrintf(problem->comm, "static, t = %s", RungNumberText(problem->fixed.t, 10, text[0])));
  else if (problem->fixed.said)
    PetscCall(
      PetscPrintf(problem->comm, "static, %s = %s to %s by %s, t = %s", problem->fixed.said->arg[0].text,
                  RungNumberText(problem->fixed.from, 6, text[0]), RungNumberText(problem->fixed.to, 6, text[1]),
                  RungNumberText(problem->fixed.step, 6, text[2]), RungNumberText(problem->fixed.t, 10, text[3])));
  else
    PetscCall(PetscPrintf(problem->comm, "order %" PetscInt_FMT " in time, %s, t = %s to %s, %s%s", traits.order,
                          problem->ran, RungNumberText(t0, 10, text[0]), RungNumberText(t1, 10, text[1]),
                          found ? "the first step is found" : "dt = ", found ? "" : RungNumberText(dt, 6, text[2])));
  PetscCall(PetscPrintf(problem->comm, ", %d rank%s\n", ranks, ranks == 1 ? "" : "s"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode say_end(RungProblem problem)
{
  const RungSeries     *series = &problem->series;
  RungStepperStatistics statistics;
  char                  text[32];

  PetscFunctionBegin;
  if (problem->quiet) PetscFunctionReturn(PETSC_SUCCESS);
  if (problem->fixed.said && !problem->fixed.said->args) {
    PetscCall(PetscPrintf(problem->comm, "1 solution"));
  } else if (problem->fixed.said) {
    PetscCall(PetscPrintf(problem->comm, "%" PetscInt_FMT " solutions to %s = %s", problem->fixed.solutions,
                          problem->fixed.said->arg[0].text, RungNumberText(problem->fixed.value, 9, text)));
  } else {
    PetscCall(RungStepperGetStatistics(problem->stepper, &statistics));
    PetscCall(PetscPrintf(problem->comm, "%" PetscInt_FMT " steps to t = %s", statistics.steps,
                          RungNumberText(series->rows ? series->t[series->rows - 1] : 0, 10, text)));
  }
  for (PetscInt i = 0; series->rows && i < series->n && i < 8; ++i)
    PetscCall(PetscPrintf(problem->comm, ", %s = %s", series->name[i],
                          RungNumberText(series->value[(series->rows - 1) * series->n + i], 9, text)));
  PetscCall(PetscPrintf(problem->comm, "%s\n", series->n > 8 ? ", .." : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps in time, or those of a constant. */
static PetscErrorCode solve(RungProblem problem)
{
  PetscFunctionBegin;
  if (problem->fixed.said) {
    PetscCall(RungStaticSolve(problem));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungSeriesWatch(problem));
  PetscCall(RungStepperSolve(problem->stepper));
  PetscCall(RungSeriesEnd(problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStatusOfSolve(RungProblem problem, PetscErrorCode code)
{
  static const PetscErrorCode refusal[] = {PETSC_ERR_FILE_OPEN,      PETSC_ERR_FILE_READ,  PETSC_ERR_FILE_UNEXPECTED,
                                           PETSC_ERR_ARG_OUTOFRANGE, PETSC_ERR_ARG_INCOMP, PETSC_ERR_ARG_WRONG};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(refusal) && problem->series.rows <= 1; ++i) {
    if (code == refusal[i]) PetscCall(RungErrorStatus(RUNG_EXIT_REFUSED));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProblemSolve(RungProblem problem)
{
  RungCaught caught;
  char       message[RUNG_MISTAKE_SIZE];

  PetscFunctionBegin;
  RungCatch(&caught, solve(problem));
  if (!caught.code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStatusOfSolve(problem, caught.code));
  PetscCall(RungPlaceMessage(problem, &caught, message));
  if (problem->step) SETERRQ(PETSC_COMM_SELF, caught.code, "step %s: %s", problem->step_name[problem->step], message);
  SETERRQ(PETSC_COMM_SELF, caught.code, "%s", message);
}

/* What was built runs. */
static PetscErrorCode run_built(RungProblem problem)
{
  int ended; /* 128 + n: by signal n, before its time */

  PetscFunctionBegin;
  PetscCall(say_what(problem));
  PetscCall(RungLogWrite(problem));
  PetscCall(RungErrorStatus(RUNG_EXIT_GAVE_UP));
  PetscCall(RungProblemSolve(problem));
  PetscCall(say_end(problem));
  PetscCall(RungGetStatus(&ended));
  if (ended > 128) PetscCall(PetscStrncpy(problem->changed, "a signal ended the run", sizeof problem->changed));
  PetscCall(RungOutcomesTest(problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A checkpoint belongs to the step that the run begins with. */
static PetscErrorCode check_restart(RungProblem problem)
{
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-stepper_restart", &given));
  if (given && problem->steps > 1 && !problem->chosen)
    PetscCall(RungMistakeInFile(problem, 0, -1, -1,
                                "-stepper_restart of which step? add -step NAME, the one that the checkpoint is of"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* caught: from the first step on signals are caught between the steps, too. */
static PetscErrorCode run_each(RungProblem problem, PetscBool *caught)
{
  PetscFunctionBegin;
  for (PetscInt i = problem->first; i <= problem->steps && !problem->mistakes; ++i) {
    PetscCall(RungStepEnter(problem, i));
    PetscCall(RungBuild(problem, PETSC_TRUE));
    if (problem->mistakes) break;
    if (!*caught) PetscCall(RungSignalsCatch());
    *caught = PETSC_TRUE;
    PetscCall(run_built(problem));
    if (!strcmp(problem->changed, "a signal ended the run")) break;
    PetscCall(RungCarryKeep(problem));
    PetscCall(PetscOptionsClearValue(NULL, "-stepper_restart"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One after the other, all of them checked before the first runs. */
static PetscErrorCode run_steps(RungProblem problem)
{
  PetscBool caught = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(check_restart(problem));
  if (!problem->mistakes) PetscCall(RungStepsBuild(problem));
  PetscCall(RungCarryDestroy(problem));
  RungCallFinally(run_each(problem, &caught), PetscCall(caught ? RungSignalsRelease() : PETSC_SUCCESS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options of the file that nothing has asked for; those of the command line are told at the end of the program. */
static PetscErrorCode name_unused_options(RungProblem problem)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < problem->statements; ++i) {
    RungStatement *s = &problem->statement[i];
    PetscBool      used;

    if (!s->option) continue;
    PetscCall(PetscOptionsUsed(NULL, s->arg[0].text + 1, &used)); /* PETSc has names without hyphen */
    if (used) continue;
    PetscCall(RungRemark(problem, s, s->arg[0].span, "option %s was given and never used", s->arg[0].text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProblemRun(RungProblem problem, RungExit *status)
{
  PetscBool help;

  PetscFunctionBegin;
  RungNeed(problem);
  RungNeedArgument(status);
  *status = RUNG_EXIT_REFUSED;
  PetscCall(PetscOptionsHasHelp(NULL, &help));
  if (help) { /* what is built has asked for its options, which the end of the program prints */
    PetscCall(problem->steps ? RungStepsBuild(problem) : RungBuild(problem, PETSC_FALSE));
    if (!problem->mistakes) *status = RUNG_EXIT_DONE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  problem->running  = PETSC_TRUE;
  problem->outcomes = 0;
  if (problem->systems) {
    PetscCall(RungGroupBuild(problem, 0, PETSC_TRUE));
    if (!problem->mistakes) PetscCall(RungGroupRun(problem));
  } else if (problem->steps) {
    PetscCall(run_steps(problem));
  } else {
    PetscCall(RungBuild(problem, PETSC_TRUE));
    if (!problem->mistakes) PetscCall(run_built(problem));
  }
  problem->running = PETSC_FALSE;
  if (problem->mistakes) PetscFunctionReturn(PETSC_SUCCESS);
  if (problem->first > 1 && !problem->systems && !problem->quiet)
    PetscCall(PetscPrintf(problem->comm,
                          "the run began with step %s: what the steps before it are to show is not tested\n",
                          problem->step_name[problem->first]));
  PetscCall(name_unused_options(problem));
  PetscCall(RungSummaryWrite(problem));
  PetscCall(RungOutcomesPrint(problem, status));
  if (!problem->quiet && problem->folder[0]) {
    if (problem->look) PetscCall(PetscPrintf(problem->comm, "look at: %s\n", problem->look));
    PetscCall(PetscPrintf(problem->comm, "results: %s\n", problem->folder));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
