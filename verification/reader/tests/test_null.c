/* test_null.c - NULL for any argument of any public function ends in an error with the argument's name, or has a meaning: no
   call crashes.  The calls, null_calls.inc, are made of the installed headers (cmake/null_calls.py); each function is called in a
   process of its own. */
#include <check.h>
#include <rung.h>
#include <rungbinding.h>
#include <rungcoupling.h>
#include <rungfollow.h>
#include <rungforms.h>
#include <runglayout.h>
#include <rungmethod.h>
#include <rungreader.h>
#include <rungrecord.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROOM 4096

/* What calls are made with. */
static struct {
  RungMesh     mesh;
  RungSpace    space;
  RungLayout   layout;
  RungField    field;
  RungProbes   probes;
  RungOutput   output;
  RungScope    scope;          /* lent */
  RungExpr     expr, exprs[4]; /* the same four times over */
  RungForm     form;
  RungSystem   sys;
  RungStepper  stepper;
  RungCoupling coupling;
  RungStudy    study;
  RungProblem  problem;
  RungGauge    gauge;
  RungWriter   writer;
  Vec          u, level[8]; /* level: u eight times over */
  Mat          J;
  TS           ts;
  FILE        *file;
  const char  *names[4];
  RungState   *state; /* lent */
  PetscReal    zeros[ROOM], place[ROOM];
} own;

static PetscErrorCode nothing(void)
{
  return PETSC_SUCCESS;
}

static PetscErrorCode make_space(void)
{
  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_SELF, &own.mesh));
  PetscCall(RungMeshSetBox(own.mesh, "interval", 1, (PetscInt[]){4}, NULL));
  PetscCall(RungSpaceCreate(own.mesh, "P1", &own.space));
  PetscCall(RungLayoutCreate(PETSC_COMM_SELF, 1, &own.space, &own.layout));
  PetscCall(RungFieldCreate(own.space, "f", &own.field));
  PetscCall(RungProbesCreate(own.mesh, 1, (PetscReal[]){0.5}, &own.probes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_system(void)
{
  PetscFunctionBegin;
  PetscCall(RungSystemCreate(PETSC_COMM_SELF, &own.sys));
  PetscCall(RungSystemAddUnknown(own.sys, "u", "v", own.space));
  PetscCall(RungSystemAddResidual(own.sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemAddQuantity(own.sys, "E", "u*dx"));
  PetscCall(RungSystemSetConstant(own.sys, "c", 1));
  PetscCall(RungSystemSetInitial(own.sys, "u", "x[0]"));
  PetscCall(RungSystemSetUp(own.sys));
  PetscCall(RungSystemGetScope(own.sys, &own.scope));
  PetscCall(RungScopeParse(own.scope, "", "dt(u)*v*dx", &own.expr));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(own.exprs); ++i) own.exprs[i] = own.expr;
  PetscCall(RungFormCreate(own.expr, "f", own.layout, &own.form));
  PetscCall(RungSystemCreateVec(own.sys, &own.u));
  PetscCall(VecZeroEntries(own.u));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(own.level); ++i) PetscCall(VecDuplicate(own.u, &own.level[i]));
  PetscCall(RungSystemCreateMat(own.sys, &own.J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The system has been advanced, so that everything that lends has something to lend. */
static PetscErrorCode make_rest(void)
{
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, &own.stepper));
  PetscCall(RungStepperSetSystem(own.stepper, own.sys));
  PetscCall(RungStepperSetMonitor(own.stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetInterval(own.stepper, 0, 1, 0.1));
  PetscCall(RungStepperSetTolerances(own.stepper, 1e-2, 1e-2));
  PetscCall(RungStepperSolve(own.stepper));
  PetscCall(RungStepperGetState(own.stepper, 0, &state));
  memcpy(&own.state, &state, sizeof state);
  PetscCall(RungCouplingCreate(PETSC_COMM_SELF, &own.coupling));
  PetscCall(RungStudyCreate(PETSC_COMM_SELF, &own.study));
  PetscCall(RungProblemCreate(PETSC_COMM_SELF, &own.problem));
  PetscCall(RungGaugeCreate(own.sys, "gauge", "E", 0, NULL, &own.gauge));
  PetscCall(RungWriterCreate(own.sys, "written", &own.writer));
  PetscCall(RungOutputCreate(PETSC_COMM_SELF, "output", &own.output));
  PetscCall(TSCreate(PETSC_COMM_SELF, &own.ts));
  own.names[0] = "u";
  own.file     = fopen("/dev/null", "we");
  CHECK(own.file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(void)
{
  PetscFunctionBegin;
  if (own.file) (void)fclose(own.file);
  PetscCall(TSDestroy(&own.ts));
  PetscCall(RungOutputDestroy(&own.output));
  PetscCall(RungWriterDestroy(&own.writer));
  PetscCall(RungGaugeDestroy(&own.gauge));
  PetscCall(RungProblemDestroy(&own.problem));
  PetscCall(RungStudyDestroy(&own.study));
  PetscCall(RungCouplingDestroy(&own.coupling));
  PetscCall(RungStepperDestroy(&own.stepper));
  PetscCall(MatDestroy(&own.J));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(own.level); ++i) PetscCall(VecDestroy(&own.level[i]));
  PetscCall(VecDestroy(&own.u));
  PetscCall(RungFormDestroy(&own.form));
  PetscCall(RungSystemDestroy(&own.sys));
  PetscCall(RungProbesDestroy(&own.probes));
  PetscCall(RungFieldDestroy(&own.field));
  PetscCall(RungLayoutDestroy(&own.layout));
  PetscCall(RungSpaceDestroy(&own.space));
  PetscCall(RungMeshDestroy(&own.mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* Shared with the process that calls. */
typedef struct {
  char call[128], found[512];
} Seen;

static void be_alone(void)
{
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT};

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(signals); ++i) (void)signal(signals[i], SIG_DFL);
  (void)alarm(10);
  if (!freopen("/dev/null", "w", stdout)) _exit(1);
}

/* An error of ours about NULL names the argument as the header does. */
static void look(Seen *seen, const char argument[], PetscErrorCode code)
{
  RungErrorInfo error;
  char          named[80];

  (void)RungErrorGet(&error);
  (void)snprintf(named, sizeof named, " %s = NULL", argument);
  if (code && argument[0] && strstr(error.text, " was called with ") && !strstr(error.text, named))
    (void)snprintf(seen->found, sizeof seen->found, "%s: \"%.300s\"", seen->call, error.text);
}

static void judge(Seen *seen, pid_t child)
{
  int status = 0;

  (void)waitpid(child, &status, 0);
  if (status) (void)snprintf(seen->found, sizeof seen->found, "%s with NULL ends the process", seen->call);
  if (seen->found[0]) (void)fprintf(stderr, "%s\n", seen->found);
  CHECK(!seen->found[0]);
  seen->found[0] = 0;
}

#define begin(function)                                                                                                \
  (void)fflush(NULL);                                                                                                  \
  child = fork();                                                                                                      \
  if (child == 0) {                                                                                                    \
    be_alone();
#define call(function, argument, named, called)                                                                        \
  (void)snprintf(seen->call, sizeof seen->call, #function "(" #argument ")");                                          \
  look(seen, named ? #argument : "", called);
#define end()                                                                                                          \
  _exit(0);                                                                                                            \
  }                                                                                                                    \
  CHECK(child > 0);                                                                                                    \
  judge(seen, child);

static void call_all(Seen *seen)
{
  pid_t child;

#include "null_calls.inc"
}

static PetscErrorCode test_no_public_function_takes_null_for_an_address(void)
{
  Seen *seen = (Seen *)mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

  PetscFunctionBegin;
  CHECK(seen != MAP_FAILED);
  PetscCall(make_space());
  PetscCall(make_system());
  PetscCall(make_rest());
  PetscCall(RungErrorBegin());
  call_all(seen);
  PetscCall(RungErrorEnd());
  PetscCall(destroy());
  (void)munmap(seen, sizeof *seen);
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_no_public_function_takes_null_for_an_address))
