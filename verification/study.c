/* study.c - a temporal study: one problem, one stepper, a ladder of steps. */
#include "verify_impl.h"

PetscErrorCode RungStudyCreate(MPI_Comm comm, RungStudy *study)
{
  RungStudy s;

  PetscFunctionBegin;
  RungNeedArgument(study);
  PetscCall(PetscNew(&s));
  PetscCall(PetscCommDuplicate(comm, &s->comm, NULL));
  PetscCall(PetscStrncpy(s->norm, "L2", sizeof s->norm));
  s->refine = 3;
  s->order = s->low = s->high = s->expect = s->expect_error = NAN;
  *study                                                    = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStudyDestroy(RungStudy *study)
{
  PetscFunctionBegin;
  RungNeedArgument(study);
  if (!*study) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCommDestroy(&(*study)->comm));
  PetscCall(PetscFree(*study));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStudySetLadder(RungStudy study, PetscInt n, const PetscReal dt[])
{
  PetscFunctionBegin;
  RungNeed(study);
  RungNeedArgument(dt);
  PetscCheck(n >= 1 && n <= RUNG_STUDY_LEVELS, study->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "a study has 1 to %d steps, found %" PetscInt_FMT, RUNG_STUDY_LEVELS, n);
  for (PetscInt i = 0; i < n; ++i) {
    PetscCheck(dt[i] > 0 && !PetscIsInfOrNanReal(dt[i]), study->comm, PETSC_ERR_ARG_OUTOFRANGE,
               "step %" PetscInt_FMT " of the study is %g; steps are positive numbers, as in -study_dt 0.2,0.1,0.05",
               i + 1, (double)dt[i]);
    for (PetscInt k = 0; k < i; ++k)
      PetscCheck(dt[k] != dt[i], study->comm, PETSC_ERR_ARG_WRONG,
                 "the study has the step %g twice; wanted different ones, as in -study_dt 0.2,0.1,0.05", (double)dt[i]);
    study->dt[i] = dt[i];
  }
  study->levels = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStudySetCase(RungStudy study, const char name[])
{
  PetscReal dt[RUNG_STUDY_LEVELS];
  PetscInt  n = 0;
  char     *copy, *word, *rest;

  PetscFunctionBegin;
  RungNeed(study);
  RungNeedArgument(name);
  PetscCall(RungCaseFind(study->comm, name, &study->problem));
  study->levels = 0;
  if (!study->problem->ladder) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrallocpy(study->problem->ladder, &copy));
  for (word = strtok_r(copy, ",", &rest); word && n < RUNG_STUDY_LEVELS; word = strtok_r(NULL, ",", &rest)) {
    dt[n++] = strtod(word, NULL);
  }
  PetscCall(PetscFree(copy));
  PetscCall(RungStudySetLadder(study, n, dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStudySetNorm(RungStudy study, const char norm[])
{
  PetscFunctionBegin;
  RungNeed(study);
  RungNeedArgument(norm);
  PetscCall(PetscStrncpy(study->norm, norm, sizeof study->norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStudySetStepper(RungStudy study, RungStepperType type, const char method[])
{
  PetscFunctionBegin;
  RungNeed(study);
  PetscCall(PetscStrncpy(study->type, type ? type : "", sizeof study->type));
  PetscCall(PetscStrncpy(study->method, method ? method : "", sizeof study->method));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStudyExpect(RungStudy study, PetscReal order, PetscReal slack)
{
  PetscFunctionBegin;
  RungNeed(study);
  study->expect = order;
  study->slack  = slack;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_files(RungStudy study)
{
  PetscFunctionBegin;
  PetscCall(
    RungOptionText(study->comm, "-study_json", "results for programs", NULL, sizeof study->json, study->json, NULL));
  PetscCall(
    RungOptionText(study->comm, "-study_csv", "table for spreadsheets", NULL, sizeof study->csv, study->csv, NULL));
  PetscCall(
    RungOptionText(study->comm, "-study_plot", "picture, NAME.png", NULL, sizeof study->plot, study->plot, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStudySetFromOptions(RungStudy study)
{
  char      name[128] = "";
  PetscReal dt[RUNG_STUDY_LEVELS];
  PetscInt  n = RUNG_STUDY_LEVELS;
  PetscBool set;

  PetscFunctionBegin;
  RungNeed(study);
  PetscCall(
    RungOptionText(study->comm, "-case", "problem of the registry; -list names all", NULL, sizeof name, name, &set));
  if (set) PetscCall(RungStudySetCase(study, name));
  PetscCall(RungOptionReals(study->comm, "-study_dt", "ladder of steps", "above 0", &n, dt, &set));
  if (set) PetscCall(RungStudySetLadder(study, n, dt));
  PetscCall(RungOptionText(study->comm, "-study_norm", "L2, H1 or max", NULL, sizeof study->norm, study->norm, NULL));
  PetscCall(RungOptionIntIn(study->comm, "-study_refine", "reference run: smallest step over 2^n", "1 to 20",
                            &study->refine, NULL));
  PetscCall(
    RungOptionRealIn(study->comm, "-study_expect", "order that must be seen", "at least 0", &study->expect, &set));
  if (set && study->slack == 0) study->slack = 0.1;
  PetscCall(RungOptionRealIn(study->comm, "-study_slack", "how far from it", "at least 0", &study->slack, NULL));
  PetscCall(RungOptionRealIn(study->comm, "-study_expect_error", "error of the first step, to three digits",
                             "at least 0", &study->expect_error, NULL));
  PetscCall(read_files(study));
  PetscCheck(study->refine >= 1 && study->refine <= 20, study->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-study_refine is %" PetscInt_FMT "; it is a number of halvings, 1 to 20", study->refine);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode configure(RungStudy study, PetscReal dt, RungStepper stepper)
{
  const RungCase *problem = study->problem;

  PetscFunctionBegin;
  if (study->type[0])
    PetscCall(RungStepperSetType(stepper, study->type));
  else if (problem->type && !study->method[0])
    PetscCall(RungStepperSetType(stepper, problem->type));
  if (study->method[0])
    PetscCall(RungStepperSetMethod(stepper, study->method)); /* without a type its own */
  else if (!study->type[0] && problem->method)
    PetscCall(RungStepperSetMethod(stepper, problem->method));
  PetscCall(RungStepperSetInterval(stepper, problem->start, problem->end, dt));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(RungStudy study, PetscReal dt, RungStepper stepper, RungSystem sys, Vec u, PetscReal *end)
{
  RungStepperType   type;
  const RungState  *state;
  const char       *method;
  PetscInt          order;
  PetscReal         t1;
  RungStepperReason reason;

  PetscFunctionBegin;
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(configure(study, dt, stepper));
  PetscCall(RungStepperCheckLadder(stepper, dt, 0));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetReason(stepper, &reason));
  PetscCall(RungStepperGetInterval(stepper, NULL, &t1, NULL));
  PetscCheck(reason == RUNG_STEPPER_REACHED_END, study->comm, PETSC_ERR_SIG,
             "a signal has ended the run with dt = %g before t = %g; the study has no result", (double)dt, (double)t1);
  PetscCall(RungStepperCheckLadder(stepper, dt, 0)); /* -stepper_stable may have shortened them */
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(VecCopy(state->u[0], u));
  *end = state->t;
  PetscCall(RungStepperGetType(stepper, &type));
  PetscCall(RungStepperGetMethod(stepper, &method, &order));
  PetscCall(PetscSNPrintf(study->ran, sizeof study->ran, "%s %s", type, method));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One run of the problem with steps dt; its last level is copied into u. */
static PetscErrorCode run_once(RungStudy study, PetscReal dt, RungSystem sys, Vec u, PetscReal *end)
{
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(RungStepperCreate(study->comm, &stepper));
  RungCallFinally(solve(study, dt, stepper, sys, u, end), PetscCall(RungStepperDestroy(&stepper)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode reference_run(RungStudy study, RungSystem sys, Vec *reference)
{
  PetscReal least = study->dt[0], end;

  PetscFunctionBegin;
  for (PetscInt i = 1; i < study->levels; ++i) least = PetscMin(least, study->dt[i]);
  PetscCall(RungSystemCreateVec(sys, reference));
  PetscCall(run_once(study, PetscPowReal(0.5, (PetscReal)study->refine) * least, sys, *reference, &end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Relative where the exact value is not zero. */
static PetscErrorCode level_error(RungStudy study, RungSystem sys, Vec reference, PetscReal end, Vec u,
                                  PetscReal *error)
{
  const RungCase *problem = study->problem;
  PetscReal       size;

  PetscFunctionBegin;
  if (reference) {
    PetscCall(VecAXPY(u, -1, reference));
    PetscCall(RungNorm(sys, problem->unknown, study->norm, u, error));
    PetscCall(RungNorm(sys, problem->unknown, study->norm, reference, &size));
  } else
    PetscCall(RungError(sys, problem->unknown, study->norm, problem->exact, end, u, error, &size));
  if (size > 0) *error /= size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -help without a case: the options of all cases. */
static PetscErrorCode show_help(RungStudy study)
{
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(RungStepperCreate(study->comm, &stepper));
  RungCallFinally(RungStepperSetFromOptions(stepper), PetscCall(RungStepperDestroy(&stepper)));
  PetscCall(RungFormCheckOptions(study->comm));
  PetscCall(RungOptionsCheck(study->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u, *reference: work; the caller destroys them. */
static PetscErrorCode run_levels(RungStudy study, RungSystem sys, Vec u, Vec *reference)
{
  PetscReal end;

  PetscFunctionBegin;
  if (!study->problem->exact) PetscCall(reference_run(study, sys, reference));
  for (PetscInt i = 0; i < study->levels; ++i) {
    PetscCall(run_once(study, study->dt[i], sys, u, &end));
    PetscCall(level_error(study, sys, *reference, end, u, &study->error[i]));
  }
  PetscCall(RungRate(study->levels, study->dt, study->error, &study->order, &study->low, &study->high));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_system(RungStudy study, RungSystem sys)
{
  Vec u, reference = NULL;

  PetscFunctionBegin;
  PetscCall(RungSystemCreateVec(sys, &u)); /* sets the system up */
  RungCallFinally(run_levels(study, sys, u, &reference), PetscCall(VecDestroy(&reference)); PetscCall(VecDestroy(&u)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStudyRun(RungStudy study)
{
  RungSystem sys;

  PetscFunctionBegin;
  RungNeed(study);
  if (RungHelpWanted() && !study->problem) PetscCall(show_help(study));
  PetscCheck(study->problem, study->comm, PETSC_ERR_ORDER,
             "a study has no case; name one with -case, -list shows them");
  PetscCheck(study->levels > 0, study->comm, PETSC_ERR_ORDER,
             "a study of \"%s\" without steps; its case has no ladder, give one with -study_dt 0.2,0.1,0.05",
             study->problem->name);
  PetscCheck(study->levels > 1 || PetscIsNanReal(study->expect), study->comm, PETSC_ERR_ARG_INCOMP,
             "an order is expected of one step, %g; a slope needs two or more, as in -study_dt 0.2,0.1,0.05",
             (double)study->dt[0]);
  PetscCall(RungStudyCheckFiles(study));
  PetscCall(study->problem->create(study->comm, study->problem, &sys));
  RungCallFinally(run_system(study, sys), PetscCall(RungSystemDestroy(&sys)));
  study->ran_all = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStudyGetResults(RungStudy study, PetscInt *n, const PetscReal **dt, const PetscReal **error,
                                   PetscReal *order, PetscReal *low, PetscReal *high)
{
  PetscFunctionBegin;
  RungNeed(study);
  PetscCheck(study->ran_all, study->comm, PETSC_ERR_ORDER, "a study has results after RungStudyRun()");
  if (n) *n = study->levels;
  if (dt) *dt = study->dt;
  if (error) *error = study->error;
  if (order) *order = study->order;
  if (low) *low = study->low;
  if (high) *high = study->high;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The order's interval (the slope itself with two levels) must meet expect -+ slack; the first error must agree to
   three digits, below 1e-12 to ten per cent; where the problem says "exact to rounding", every error must be that
   small. */
PetscErrorCode RungStudyGetPassed(RungStudy study, PetscBool *passed)
{
  RungNeed(study);
  const PetscReal low  = PetscIsNanReal(study->low) ? study->order : study->low;
  const PetscReal high = PetscIsNanReal(study->high) ? study->order : study->high;

  PetscFunctionBegin;
  RungNeedArgument(passed);
  *passed = PETSC_TRUE;
  if (!PetscIsNanReal(study->expect)) {
    if (!(study->order >= study->expect - study->slack && study->order <= study->expect + study->slack))
      *passed = PETSC_FALSE;
    if (!(low <= study->expect + study->slack && high >= study->expect - study->slack)) *passed = PETSC_FALSE;
  }
  if (!PetscIsNanReal(study->expect_error)) {
    const PetscReal digits = study->expect_error < 1e-12 ? 0.1 : 1e-3;

    if (!(PetscAbsReal(study->error[0] - study->expect_error) <= digits * study->expect_error)) *passed = PETSC_FALSE;
  }
  for (PetscInt i = 0; i < study->levels; ++i) {
    if (study->problem->rounding > 0 && !(study->error[i] <= study->problem->rounding)) *passed = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
