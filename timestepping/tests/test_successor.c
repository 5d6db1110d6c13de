/* test_successor.c - explicit steps that a run begins with, and implicit ones that go on where it gets stiff: when, on how many ranks, from
   any checkpoint, behind jumps and in runs that begin again. */
#include "../step_impl.h"
#include <check.h>

#define POINTS 5
#define EVERY  3 /* steps between two checkpoints */

typedef struct {
  const char *spec, *residual, *start, *rate, *method; /* method NULL: none is named */
  PetscReal   end, tol;
  const char *save, *load;
  PetscReal   jump;  /* of the constant c, to twice its value; 0: none */
  PetscReal   first; /* step; 0: found                                 */
} Run;

typedef struct {
  PetscReal             value;
  char                  method[32];
  RungStepperStatistics statistics;
} Found;

/* The reaction of Robertson; on each point a little faster than on the one before. */
static const Run robertson = {.spec     = "P0^3",
                              .residual = "inner(dt(y) - c*vector(-0.04*y[0] + 1e4*y[1]*y[2], "
                                          "0.04*y[0] - 1e4*y[1]*y[2] - 3e7*y[1]^2, 3e7*y[1]^2), v)*(1 + 0.01*x[0])*dx",
                              .start    = "vector(1, 0, 0)",
                              .end      = 40,
                              .tol      = 1e-6};
/* An orbit of eccentricity 0.5, of order 2 in time; nothing is stiff. */
static const Run orbit = {.spec     = "P0^2",
                          .residual = "inner(dt(y, 2) + c*y/inner(y, y)^1.5, v)*dx",
                          .start    = "vector(0.5, 0)",
                          .rate     = "vector(0, sqrt(3))",
                          .end      = 6,
                          .tol      = 1e-6};
/* Two masses, a stiff spring between them and a damper that is stiffer. */
static const Run spring = {
  .spec     = "P0^2",
  .residual = "inner(dt(y, 2) + c*vector(2e3*dt(y)[0] + 1e6*(y[0] - y[1]), 0.1*dt(y)[1] + y[1] + "
              "1e3*(y[1] - y[0])), v)*dx",
  .start    = "vector(1, 0)",
  .end      = 5,
  .tol      = 1e-6};

static PetscErrorCode create(const Run *run, RungSystem *sys, RungStepper *stepper)
{
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetPoints(mesh, POINTS));
  PetscCall(RungSpaceCreate(mesh, run->spec, &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "y", "v", space));
  PetscCall(RungSystemSetConstant(*sys, "c", 1));
  PetscCall(RungSystemAddResidual(*sys, run->residual));
  PetscCall(RungSystemSetInitial(*sys, "y", run->start));
  if (run->rate) PetscCall(RungSystemSetInitial(*sys, "dt(y)", run->rate));
  PetscCall(RungSystemAddQuantity(*sys, "value", !strcmp(run->spec, "P0") ? "y*dx" : "y[0]*dx"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, stepper));
  PetscCall(RungStepperSetSystem(*stepper, *sys));
  if (run->method) PetscCall(RungStepperSetMethod(*stepper, run->method));
  PetscCall(RungStepperSetInterval(*stepper, 0, run->end, run->first > 0 ? run->first : PETSC_DEFAULT));
  PetscCall(RungStepperSetTolerances(*stepper, run->tol, run->tol * 1e-2));
  PetscCall(RungStepperSetMonitor(*stepper, RUNG_MONITOR_NONE));
  if (run->save || run->load) PetscCall(RungStepperSetCheckpoint(*stepper, run->save ? run->save : "again.h5", EVERY));
  if (run->load) PetscCall(RungStepperSetRestart(*stepper, run->load, PETSC_FALSE));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* c becomes 1 + jump after so many steps. */
#define JUMPS_AFTER 40

static PetscErrorCode change(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  RungSystem sys;

  PetscFunctionBegin;
  (void)t, (void)u;
  PetscCall(RungStepperGetSystem(stepper, &sys));
  if (step == JUMPS_AFTER) PetscCall(RungSystemSetConstant(sys, "c", 1 + *(const PetscReal *)ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(RungStepper stepper, Found *found)
{
  const char *method;

  PetscFunctionBegin;
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetQuantity(stepper, "value", &found->value));
  PetscCall(RungStepperGetMethod(stepper, &method, NULL));
  PetscCall(PetscStrncpy(found->method, method, sizeof found->method));
  PetscCall(RungStepperGetStatistics(stepper, &found->statistics));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(const Run *run, Found *found)
{
  RungSystem  sys;
  RungStepper stepper;
  PetscReal   jump = run->jump;

  PetscFunctionBegin;
  PetscCall(create(run, &sys, &stepper));
  if (jump > 0) PetscCall(RungStepperAddMonitor(stepper, change, &jump));
  RungCallOrUndo(solve(stepper, found), PetscCall(RungStepperDestroy(&stepper)); PetscCall(RungSystemDestroy(&sys)));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As exact as the implicit method by itself, in at most so many steps more. */
static PetscErrorCode compare(Run problem, PetscReal within, PetscInt more)
{
  Found found, implicit, exact;

  PetscFunctionBegin;
  PetscCall(run(&problem, &found));
  problem.method = "rodas5p";
  PetscCall(run(&problem, &implicit));
  problem.tol *= 1e-3;
  PetscCall(run(&problem, &exact));
  CHECK(!strcmp(found.method, "rodas5p"));
  CHECK_NEAR(found.value / exact.value, 1, within);
  CHECK(found.statistics.steps <= implicit.statistics.steps + more);
  CHECK(found.statistics.rejected <= implicit.statistics.rejected + 3); /* the slope is not forgotten at once */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_stiff_problems_are_left_to_the_implicit_method(void)
{
  PetscFunctionBegin;
  PetscCall(compare(robertson, 1e-6, 25));
  PetscCall(compare(spring, 1e-5, 30));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A little stiff: what follows data fast leaves errors as large as tolerances in all steps that are stable, which so seem to be as long as
   errors let them be; the solution moves in a time twenty times as long. */
static PetscErrorCode test_errors_of_what_is_a_little_stiff_do_not_hide_it(void)
{
  const Run problem = {
    .spec = "P0", .residual = "(dt(y) + 50*c*(y - cos(t)))*v*dx", .start = "0", .end = 20, .tol = 3e-5};
  Found found;

  PetscFunctionBegin;
  PetscCall(run(&problem, &found));
  CHECK(!strcmp(found.method, "rodas5p"));
  CHECK(found.statistics.steps < 150); /* about 440 of dopri54 */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As loose that the fast unknown, 4e-5, is of no matter: steps beyond what is stable would lead it out of where the equation has
   solutions. */
static PetscErrorCode test_loose_tolerances_do_not_lead_astray(void)
{
  Run   problem = robertson;
  Found found, exact;

  PetscFunctionBegin;
  PetscCall(run(&problem, &exact));
  for (problem.first = 1e-4; problem.first < 0.02; problem.first *= 10) {
    for (problem.tol = 1e-3; problem.tol < 0.2; problem.tol *= 2.2) {
      PetscCall(run(&problem, &found));
      CHECK(!strcmp(found.method, "rodas5p"));
      CHECK_NEAR(found.value / exact.value, 1, problem.tol);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One matrix, of the mass. */
static PetscErrorCode test_what_is_not_stiff_stays_explicit(void)
{
  Found found, named;
  Run   problem = orbit;

  PetscFunctionBegin;
  PetscCall(run(&problem, &found));
  problem.method = "dopri54";
  PetscCall(run(&problem, &named));
  CHECK(!strcmp(found.method, "dopri54") && found.statistics.jacobians == 1);
  CHECK(found.value == named.value && found.statistics.steps == named.statistics.steps);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From before the method changed, from that level, from behind it and behind a jump: the same digits. */
static PetscErrorCode test_a_run_goes_on_from_any_checkpoint(void)
{
  Run   problem = robertson, again;
  Found found, more;
  char  path[64];

  PetscFunctionBegin;
  problem.save = "successor_{step}.h5"; /* matrices begin anew */
  problem.tol  = 1e-4;
  PetscCall(run(&problem, &found));
  again      = problem;
  again.save = NULL;
  again.load = path;
  for (PetscInt n = EVERY; n < found.statistics.steps; n += EVERY) {
    PetscCall(PetscSNPrintf(path, sizeof path, "successor_%" PetscInt_FMT ".h5", n));
    PetscCall(run(&again, &more));
    CHECK(more.value == found.value && more.statistics.steps == found.statistics.steps);
    CHECK(more.statistics.jacobians == found.statistics.jacobians);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a run by the implicit method has left, and nobody says which it was. */
static PetscErrorCode test_a_run_of_the_implicit_method_goes_on(void)
{
  Run   problem = robertson;
  Found found, more;

  PetscFunctionBegin;
  problem.tol    = 1e-4;
  problem.method = "rodas5p";
  problem.save   = "implicit_{step}.h5";
  PetscCall(run(&problem, &found));
  problem.method = NULL;
  problem.save   = NULL;
  problem.load   = "implicit_21.h5";
  PetscCall(run(&problem, &more));
  CHECK(more.value == found.value);
  problem.method = "trbdf2";
  CHECK_RAISES(run(&problem, &more), "was written by method \"rosenbrock rodas5p");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_new_start_begins_explicitly_again(void)
{
  RungSystem  sys;
  RungStepper stepper;
  Found       first, second;

  PetscFunctionBegin;
  PetscCall(create(&robertson, &sys, &stepper));
  PetscCall(solve(stepper, &first));
  PetscCall(solve(stepper, &second));
  CHECK(first.value == second.value && first.statistics.steps == second.statistics.steps);
  PetscCall(RungStepperSetInterval(stepper, 40, 400, PETSC_DEFAULT)); /* it goes on */
  PetscCall(solve(stepper, &second));
  CHECK(!strcmp(second.method, "rodas5p") && second.statistics.steps < 40);
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A jump behind the change of methods changes nothing of that. */
static PetscErrorCode test_a_jump_leaves_the_method(void)
{
  Run   problem = robertson;
  Found found, exact;

  PetscFunctionBegin;
  problem.jump = 1;
  PetscCall(run(&problem, &found));
  CHECK(!strcmp(found.method, "rodas5p"));
  problem.method = "rodas5p";
  PetscCall(run(&problem, &exact));
  CHECK(found.statistics.steps < exact.statistics.steps + 40);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve_with(const char options[], const char method[], PetscReal tol, Found *found)
{
  RungSystem  sys;
  RungStepper stepper;
  Run         problem = robertson;

  PetscFunctionBegin;
  problem.method = method;
  problem.tol    = tol > 0 ? tol : 1e-6;
  PetscCall(create(&problem, &sys, &stepper));
  if (!(tol > 0)) { /* fixed steps */
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
    PetscCall(RungStepperSetSystem(stepper, sys));
    PetscCall(RungStepperSetMethod(stepper, method));
    PetscCall(RungStepperSetInterval(stepper, 0, 1e-3, 1e-4));
    PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  }
  PetscCall(PetscOptionsInsertString(NULL, options));
  RungCallOrUndo(RungStepperSetFromOptions(stepper), PetscCall(RungStepperDestroy(&stepper));
                 PetscCall(RungSystemDestroy(&sys)));
  RungCallOrUndo(solve(stepper, found), PetscCall(RungStepperDestroy(&stepper)); PetscCall(RungSystemDestroy(&sys)));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Methods that have a sign of stiffness leave where that is asked for, and nobody leaves who was told to stay. */
static PetscErrorCode test_who_leaves_can_be_said(void)
{
  Found found;

  PetscFunctionBegin;
  PetscCall(solve_with("-stepper_stiffness leave", "dopri54", 1e-4, &found));
  CHECK(!strcmp(found.method, "rodas5p"));
  PetscCall(solve_with("-stepper_stiffness leave", "dop853", 1e-4, &found));
  CHECK(!strcmp(found.method, "rodas5p"));
  CHECK_RAISES(solve_with("-stepper_stiffness stop", NULL, 1e-4, &found), "stiff since t = 0.0");
  PetscCall(PetscOptionsClear(NULL));
  CHECK_RAISES(solve_with("-stepper_stiffness leave", "dopri54", 0, &found), "give tolerances by -stepper_rtol");
  PetscCall(PetscOptionsClear(NULL));
  CHECK_RAISES(solve_with("-stepper_stiffness leave", "rk4", 1e-4, &found), "which has no sign of it");
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y reaches 0 with all steps refused beyond it: the implicit method says what is the matter. */
static PetscErrorCode test_the_end_of_a_domain_is_told_as_such(void)
{
  const Run   problem = {.spec = "P0", .residual = "(dt(y) + 1e3*c*sqrt(y))*v*dx", .start = "1", .end = 1, .tol = 1e-6};
  RungSystem  sys;
  RungStepper stepper;
  Found       found;

  PetscFunctionBegin;
  PetscCall(create(&problem, &sys, &stepper));
  CHECK_RAISES(solve(stepper, &found), "\"sqrt(y)\" is not finite where y = -");
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_stiff_problems_are_left_to_the_implicit_method),
               RUNG_TEST(test_errors_of_what_is_a_little_stiff_do_not_hide_it),
               RUNG_TEST(test_loose_tolerances_do_not_lead_astray), RUNG_TEST(test_what_is_not_stiff_stays_explicit),
               RUNG_TEST(test_a_run_goes_on_from_any_checkpoint), RUNG_TEST(test_a_run_of_the_implicit_method_goes_on),
               RUNG_TEST(test_a_new_start_begins_explicitly_again), RUNG_TEST(test_a_jump_leaves_the_method),
               RUNG_TEST(test_who_leaves_can_be_said), RUNG_TEST(test_the_end_of_a_domain_is_told_as_such))
