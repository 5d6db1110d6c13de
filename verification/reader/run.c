/* run.c - a problem is run: its folder, its steps, its results, what it expects of them. */
#include "reader_impl.h"

/* What runs, in one line. */
static PetscErrorCode say_what(RungProblem problem)
{
  const RungMeshData *mesh;
  RungLayout          layout;
  RungTraits          traits;
  Vec                 u;
  PetscInt            size;
  PetscMPIInt         ranks;
  PetscReal           t0, t1, dt;
  char                text[3][32];

  PetscFunctionBegin;
  if (problem->quiet) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_size(problem->comm, &ranks));
  PetscCall(RungMeshGetData(problem->mesh, &mesh));
  PetscCall(RungSystemGetLayout(problem->sys, &layout));
  PetscCall(RungSystemGetTraits(problem->sys, &traits));
  PetscCall(RungSystemCreateVec(problem->sys, &u));
  PetscCall(VecGetSize(u, &size));
  PetscCall(VecDestroy(&u));
  PetscCall(RungStepperGetInterval(problem->stepper, &t0, &t1, &dt));
  if (problem->title) PetscCall(PetscPrintf(problem->comm, "%s\n", problem->title));
  PetscCall(PetscPrintf(problem->comm,
                        "%" PetscInt_FMT " %s%s, %" PetscInt_FMT " values, order %" PetscInt_FMT
                        " in time, %s, t = %s to %s, dt = %s, %d rank%s\n",
                        mesh->cells_global, RungCellGet(mesh->type)->name, mesh->cells_global == 1 ? "" : "s", size,
                        traits.order, problem->ran, RungNumberText(t0, 6, text[0]), RungNumberText(t1, 6, text[1]),
                        RungNumberText(dt, 6, text[2]), ranks, ranks == 1 ? "" : "s"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode say_end(RungProblem problem)
{
  const RungSeries     *series = &problem->series;
  RungStepperStatistics statistics;
  char                  text[32];

  PetscFunctionBegin;
  if (problem->quiet) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStepperGetStatistics(problem->stepper, &statistics));
  PetscCall(PetscPrintf(problem->comm, "%" PetscInt_FMT " steps to t = %s", statistics.steps,
                        RungNumberText(series->rows ? series->t[series->rows - 1] : 0, 9, text)));
  for (PetscInt i = 0; series->rows && i < series->n && i < 8; ++i)
    PetscCall(PetscPrintf(problem->comm, ", %s = %s", series->name[i],
                          RungNumberText(series->value[(series->rows - 1) * series->n + i], 9, text)));
  PetscCall(PetscPrintf(problem->comm, "%s\n", series->n > 8 ? ", .." : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProblemSolve(RungProblem problem)
{
  RungCaught caught;
  char       message[RUNG_MISTAKE_SIZE];

  PetscFunctionBegin;
  PetscCall(RungSeriesWatch(problem));
  RungCatch(&caught, RungStepperSolve(problem->stepper));
  if (caught.code) {
    PetscCall(RungPlaceMessage(problem, &caught, message));
    SETERRQ(caught.alone ? PETSC_COMM_SELF : problem->comm, caught.code, "%s", message);
  }
  PetscCall(RungSeriesEnd(problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProblemRun(RungProblem problem, RungExit *status)
{
  int ended; /* 128 + n: by signal n, before its time */

  PetscFunctionBegin;
  RungNeed(problem);
  *status = RUNG_EXIT_REFUSED;
  PetscCall(RungBuild(problem, PETSC_TRUE));
  if (problem->mistakes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(say_what(problem));
  PetscCall(RungLogWrite(problem));
  PetscCall(RungErrorStatus(RUNG_EXIT_GAVE_UP));
  PetscCall(RungProblemSolve(problem));
  PetscCall(say_end(problem));
  PetscCall(RungGetStatus(&ended));
  if (ended > 128) PetscCall(PetscStrncpy(problem->changed, "a signal ended the run", sizeof problem->changed));
  PetscCall(RungOutcomesTest(problem));
  PetscCall(RungSummaryWrite(problem));
  PetscCall(RungOutcomesPrint(problem, status));
  if (!problem->quiet && problem->folder[0]) {
    if (problem->look) PetscCall(PetscPrintf(problem->comm, "look at: %s\n", problem->look));
    PetscCall(PetscPrintf(problem->comm, "results: %s\n", problem->folder));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
