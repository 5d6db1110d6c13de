/* outside.h - problems and runs for families of methods that are built against the installed package alone. */
#pragma once

#include <rung.h>
#include <rungbinding.h>
#include <rungmethod.h>
#include <rungreader.h>
#include <string.h>

/* A program that finds something wrong ends with status 1 and says what. */
#define WANT(true_, ...)                                                                                               \
  PetscCheck(true_, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "line %d: not " #true_ "; found %s", __LINE__, say(__VA_ARGS__))

static inline const char *say(const char format[], double a, double b)
{
  static char text[128];

  (void)snprintf(text, sizeof text, format, a, b);
  return text;
}

/* How a run goes; zeros leave out. */
typedef struct {
  RungStepperType type;
  const char     *method;
  PetscReal       end, dt, rtol;
  const char     *save; /* checkpoints "x_{step}.h5", one every `every` steps */
  PetscInt        every;
  const char     *load; /* goes on from here */
} Run;

typedef struct {
  RungStepperStatistics count;
  PetscReal             y[2]; /* the first entry of a rank, and the first of the second unknown where there is one */
} Found;

/* Problems of one place in time: "decay" y' = -y^2; "index1" y' = -z, 0 = z - y^2; "oscillator" u'' = -u; "conserved" dt(y + y^3) =
   -y; "bounded" the decay with y >= 0.  y(0) = 1. */
static inline PetscErrorCode create(const char name[], RungSystem *sys)
{
  const PetscBool index1 = !strcmp(name, "index1") ? PETSC_TRUE : PETSC_FALSE;
  RungMesh        mesh;
  RungSpace       space;
  const char     *text = "(dt(y) + y^2)*v*dx";

  PetscFunctionBegin;
  if (index1) text = "(dt(y) + z)*v*dx + (z - y^2)*q*dx";
  if (!strcmp(name, "oscillator")) text = "(dt(y, 2) + y)*v*dx";
  if (!strcmp(name, "conserved")) text = "(dt(y + y^3) + y)*v*dx";
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 3));
  PetscCall(RungSpaceCreate(mesh, "P0", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "y", "v", space));
  if (index1) PetscCall(RungSystemAddUnknown(*sys, "z", "q", space));
  PetscCall(RungSystemAddResidual(*sys, text));
  PetscCall(RungSystemSetInitial(*sys, "y", "1"));
  if (!strcmp(name, "bounded")) PetscCall(RungSystemSetBounds(*sys, "y", "0", NULL));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode advance(RungStepper stepper, RungSystem sys, const Run *run, Found *found)
{
  const RungState   *state;
  const PetscScalar *u;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetType(stepper, run->type));
  if (run->method) PetscCall(RungStepperSetMethod(stepper, run->method));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetInterval(stepper, 0, run->end, run->dt));
  if (run->rtol > 0) PetscCall(RungStepperSetTolerances(stepper, run->rtol, run->rtol));
  if (run->save) PetscCall(RungStepperSetCheckpoint(stepper, run->save, run->every));
  if (run->load) PetscCall(RungStepperSetRestart(stepper, run->load, PETSC_FALSE));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetStatistics(stepper, &found->count));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(VecGetLocalSize(state->u[0], &n));
  PetscCall(VecGetArrayRead(state->u[0], &u));
  for (PetscInt i = 0; i < 2 && n > i; ++i) found->y[i] = PetscRealPart(u[i * (n / 2)]);
  PetscCall(VecRestoreArrayRead(state->u[0], &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whatever becomes of it, nothing is left. */
static inline PetscErrorCode go(const char problem[], const Run *run, Found *found)
{
  RungSystem     sys;
  RungStepper    stepper;
  PetscErrorCode code;

  PetscFunctionBegin;
  memset(found, 0, sizeof *found);
  PetscCall(create(problem, &sys));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  code = advance(stepper, sys, run, found);
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(code);
}

/* The run is refused with these words. */
static inline PetscErrorCode refused(const char problem[], const Run *run, const char words[])
{
  RungErrorInfo error;
  Found         found;

  PetscFunctionBegin;
  PetscCheck(go(problem, run, &found), PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s takes \"%s\"", run->type, problem);
  PetscCall(RungErrorGet(&error));
  PetscCheck(strstr(error.text, words), PETSC_COMM_WORLD, PETSC_ERR_PLIB, "wanted \"%s\" in \"%s\"", words, error.text);
  PetscCall(RungErrorClear());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A run that goes on from the checkpoint after step `step` ends with the bits of the whole one. */
static inline PetscErrorCode restarts(const char problem[], Run run, PetscInt every, PetscInt step)
{
  Found whole, rest;
  char  path[64];

  PetscFunctionBegin;
  run.save  = "outside_{step}.h5";
  run.every = every;
  PetscCall(go(problem, &run, &whole));
  (void)snprintf(path, sizeof path, "outside_%d.h5", (int)step);
  run.load = path;
  PetscCall(go(problem, &run, &rest));
  WANT(!memcmp(whole.y, rest.y, sizeof whole.y), "%.17g and %.17g", whole.y[0], rest.y[0]);
  WANT(whole.count.steps == rest.count.steps, "%g and %g steps", (double)whole.count.steps, (double)rest.count.steps);
  WANT(whole.count.rejected == rest.count.rejected, "%g and %g", (double)whole.count.rejected,
       (double)rest.count.rejected);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest error of y = 1/(1 + t) at the end of "decay", or of "index1" with z. */
static inline PetscErrorCode error_of(const char problem[], const Run *run, Found *found, PetscReal *error)
{
  const PetscReal exact = 1 / (1 + run->end);

  PetscFunctionBegin;
  PetscCall(go(problem, run, found));
  *error = PetscAbsReal(found->y[0] - exact);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The order of one of the library's problems by a study, and its first error. */
static inline PetscErrorCode study(RungStepperType type, const char method[], const char problem[], PetscReal dt,
                                   PetscReal *first, PetscReal *order)
{
  const PetscReal ladder[] = {dt, dt / 2, dt / 4}, *h, *error;
  PetscReal       low, high;
  RungStudy       it;
  PetscInt        n;

  PetscFunctionBegin;
  PetscCall(RungStudyCreate(PETSC_COMM_WORLD, &it));
  PetscCall(RungCaseReadFiles(PETSC_COMM_WORLD, PROBLEMS));
  PetscCall(RungStudySetCase(it, problem));
  PetscCall(RungStudySetStepper(it, type, method));
  PetscCall(RungStudySetLadder(it, 3, ladder));
  PetscCall(RungStudyRun(it));
  PetscCall(RungStudyGetResults(it, &n, &h, &error, order, &low, &high));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s %s on %s: errors %.3e %.3e %.3e, order %.2f\n", type, method, problem,
                        (double)error[0], (double)error[1], (double)error[2], (double)*order));
  *first = error[0];
  PetscCall(RungStudyDestroy(&it));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode is_listed(RungStepperType type, const char method[])
{
  const char *const *types, *const *methods;
  PetscInt  n;
  PetscBool found = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &types, &methods));
  for (PetscInt i = 0; i < n; ++i) {
    if (!strcmp(types[i], type) && !strcmp(methods[i], method)) found = PETSC_TRUE;
  }
  WANT(found, "%g methods%.0f", (double)n, 0.0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The program: the type is registered, its runs are checked, then what it refuses (errors return there). */
static inline PetscErrorCode check_all(int argc, char **argv, const char help[], const char type[],
                                       const RungStepperOps *ops, PetscErrorCode (*runs)(void),
                                       PetscErrorCode (*refusals)(void))
{
  PetscFunctionBegin;
  PetscCall(RungInitialize(&argc, &argv, help));
  PetscCall(RungStepperRegister(type, ops));
  PetscCall(runs());
  PetscCall(RungErrorBegin());
  PetscCall(refusals());
  PetscCall(RungErrorEnd());
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "all is well\n"));
  PetscCall(RungFinalize());
  PetscFunctionReturn(PETSC_SUCCESS);
}
