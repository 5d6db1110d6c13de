/* test_monitor.c - what a run says on the standard error: lines of steps, refusals, files, statistics; rank 0 alone. */
#include "../step_impl.h"
#include "listen.h"
#include "points.h"
#include <sys/stat.h>

static char said[1 << 14];

/* Does the rank that speaks say it?  The others say nothing. */
static PetscBool says(const char words[])
{
  PetscMPIInt rank;

  (void)MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (rank) return said[0] ? PETSC_FALSE : PETSC_TRUE;
  return strstr(said, words) ? PETSC_TRUE : PETSC_FALSE;
}

static PetscBool is_silent(void)
{
  return said[0] ? PETSC_FALSE : PETSC_TRUE;
}

static PetscInt lines(void)
{
  PetscInt n = 0;

  for (const char *c = said; *c; ++c) n += *c == '\n';
  return n;
}

/* A solve of the equation from 1 at t = 0 to t = 1; its first steps are dt.  prepare may be NULL. */
static PetscErrorCode run(const char residual[], PetscReal dt, PetscReal rtol, RungMonitorMode mode,
                          PetscErrorCode (*prepare)(RungStepper), PetscErrorCode *code)
{
  Listen      listen;
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(points_create(1, (const char *const[]){"y"}, (const char *const[]){"P0"}, (const char *const[]){"1"},
                          residual, &stepper));
  PetscCall(RungStepperSetMethod(stepper, rtol > 0 ? "esdirk43" : "euler"));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, dt));
  if (rtol > 0) PetscCall(RungStepperSetTolerances(stepper, rtol, rtol));
  PetscCall(RungStepperSetMonitor(stepper, mode));
  if (prepare) PetscCall(prepare(stepper));
  PetscCall(listen_begin(&listen));
  PetscCall(PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
  *code = RungStepperSolve(stepper);
  PetscCall(PetscPopErrorHandler());
  PetscCall(listen_end(&listen, sizeof said, said));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define DECAY "(dt(y) + y)*v*dx"

static PetscErrorCode test_each_step_has_a_line_and_the_run_its_statistics(void)
{
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(run(DECAY, 0.25, 0, RUNG_MONITOR_ALL, NULL, &code));
  CHECK(!code && says("step 1  t 0.25  dt 0.25  newton 1  linear "));
  CHECK(says("\nstep 4  t 1  dt 0.25  newton 4  linear ") && says("refused 0  "));
  CHECK(says("\ndirk euler: 4 steps, 0 rejected, 0 failed; 4 Newton and "));
  CHECK(!strstr(said, "error") && (!said[0] || lines() == 5)); /* fixed steps have no estimate */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_refused_steps_are_told_with_their_reason(void)
{
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(run("(dt(y) + 50*(y - cos(9*t)))*v*dx", 1, check_alone() ? 1e-6 : 1e-2, RUNG_MONITOR_ALL, NULL, &code));
  CHECK(!code && says("rejected  dt ") && says("  error ") && says("\nstep 1  t "));
  CHECK(!strstr(said, "failed  dt "));
  PetscCall(run("(dt(y) + 1/(y - 0.55))*v*dx", 0.1, 0, RUNG_MONITOR_ALL, NULL, &code));
  CHECK(code && says("failed  dt 0.1  "));
  PetscCall(run("(dt(y) + 1/(y - 0.55))*v*dx", 0.1, 0, RUNG_MONITOR_SOME, NULL, &code));
  CHECK(code && !strstr(said, "failed  dt "));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* However slow the machine is, no second has passed when a step ends. */
static PetscErrorCode hurry(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  PetscFunctionBegin;
  (void)step, (void)t, (void)u, (void)ctx;
  PetscCall(PetscTime(&stepper->progress.last));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode be_quick(RungStepper stepper)
{
  PetscFunctionBegin;
  PetscCall(RungStepperAddMonitor(stepper, hurry, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* AUTO speaks once a run has taken a second; SOME has a line at once, then one a second, and the statistics. */
static PetscErrorCode test_short_runs_say_as_much_as_they_are_asked_for(void)
{
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(run(DECAY, 0.25, 0, RUNG_MONITOR_NONE, NULL, &code));
  CHECK(!code && is_silent());
  PetscCall(run(DECAY, 0.25, 0, RUNG_MONITOR_AUTO, be_quick, &code));
  CHECK(!code && is_silent());
  PetscCall(run(DECAY, 0.25, 0, RUNG_MONITOR_SOME, NULL, &code));
  CHECK(!code && says("step 1  t 0.25 ") && says("dirk euler: 4 steps"));
  PetscCall(run(DECAY, 0.25, 0, RUNG_MONITOR_SOME, be_quick, &code));
  CHECK(!code && !strstr(said, "step ") && says("dirk euler: 4 steps"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first step ends more than a second after the start. */
static PetscErrorCode wait(RungStepper stepper)
{
  PetscFunctionBegin;
  stepper->progress.start -= 2;
  stepper->progress.last -= 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode wait_in_step(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  PetscFunctionBegin;
  (void)t, (void)u, (void)ctx;
  if (step == 2) PetscCall(wait(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode be_slow(RungStepper stepper)
{
  PetscFunctionBegin;
  PetscCall(RungStepperAddMonitor(stepper, wait_in_step, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_runs_of_more_than_a_second_speak_up(void)
{
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(run(DECAY, 0.25, 0, RUNG_MONITOR_AUTO, be_slow, &code));
  CHECK(!code && says(" t ") && says("refused 0  2 s") && says("dirk euler: 4 steps"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_files(RungStepper stepper)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(RungSystemAddQuantity(sys, "total", "y*dx"));
  PetscCall(be_quick(stepper));
  PetscCall(RungStepperAddOutput(stepper, "series", 0));
  PetscCall(RungStepperAddOutput(stepper, "other.pvd", 0));
  PetscCall(RungStepperAddTable(stepper, "rows"));
  PetscCall(RungStepperSetCheckpoint(stepper, "kept_{step}.h5", 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_files_of_a_run_are_named_in_one_line(void)
{
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(run(DECAY, 0.25, 0, RUNG_MONITOR_AUTO, write_files, &code));
  CHECK(!code && says("files: ") && says("series.pvd") && says("other.pvd") && !strstr(said, "other.pvd.pvd"));
  CHECK(says(", rows.csv") && says(", kept_4.h5\n") && !strstr(said, "files: ,") && (!said[0] || lines() == 1));
  PetscCall(run(DECAY, 0.25, 0, RUNG_MONITOR_NONE, write_files, &code));
  CHECK(!code && is_silent());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_notices_and_warnings_are_said_once(void)
{
  Listen listen;

  PetscFunctionBegin;
  PetscCall(listen_begin(&listen));
  PetscCall(RungNotice(PETSC_COMM_WORLD, "%d words of %s", 3, "a kind"));
  PetscCall(RungWarning(PETSC_COMM_WORLD, "%s", "another"));
  PetscCall(listen_end(&listen, sizeof said, said));
  CHECK(says("note: 3 words of a kind\nwarning: another\n") && (!said[0] || lines() == 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The folder of the checkpoints is not there for that of the step that ctx tells; functions of monitors come before. */
static PetscErrorCode lose_folder(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  (void)stepper, (void)t, (void)u;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (step == *(const PetscInt *)ctx) CHECK(rank || rename("shelf", "shelf.lost") == 0);
  if (step == *(const PetscInt *)ctx + 1) CHECK(rank || rename("shelf.lost", "shelf") == 0);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode keep_on_a_shelf(RungStepper stepper, PetscInt *lost)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) (void)mkdir("shelf", 0700);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(RungStepperSetCheckpoint(stepper, "shelf/kept.h5", 1));
  PetscCall(RungStepperAddMonitor(stepper, lose_folder, lost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode lose_it_at_once(RungStepper stepper)
{
  static PetscInt lost = 1;

  return keep_on_a_shelf(stepper, &lost);
}

static PetscErrorCode lose_it_later(RungStepper stepper)
{
  static PetscInt lost = 2;

  return keep_on_a_shelf(stepper, &lost);
}

static PetscErrorCode test_a_checkpoint_that_is_not_written_says_whether_there_is_an_older_one(void)
{
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(run(DECAY, 0.25, 0, RUNG_MONITOR_NONE, lose_it_at_once, &code));
  CHECK(!code && says("of t = 0.25 is not written: ") && says("the run goes on, and has written none so far"));
  PetscCall(run(DECAY, 0.25, 0, RUNG_MONITOR_NONE, lose_it_later, &code));
  CHECK(!code && says("of t = 0.5 is not written: ") && says("the run goes on, an older one stays"));
  CHECK(!says("none so far") || is_silent());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode take_rk4(RungStepper stepper)
{
  PetscFunctionBegin;
  PetscCall(RungStepperSetType(stepper, "explicit"));
  PetscCall(RungStepperSetMethod(stepper, "rk4"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode take_euler(RungStepper stepper)
{
  PetscFunctionBegin;
  PetscCall(RungStepperSetType(stepper, "explicit"));
  PetscCall(RungStepperSetMethod(stepper, "forward_euler"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode take_bs32(RungStepper stepper)
{
  PetscFunctionBegin;
  PetscCall(RungStepperSetType(stepper, "explicit"));
  PetscCall(RungStepperSetMethod(stepper, "bs32"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode take_ars443(RungStepper stepper)
{
  PetscFunctionBegin;
  PetscCall(RungStepperSetType(stepper, "imex"));
  PetscCall(RungStepperSetMethod(stepper, "ars443"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs that are short against what looking for the longest step costs, and those that are not linear, or explicit in a part: where they
   have grown. */
static PetscErrorCode test_what_has_grown_by_unstable_steps_is_told_behind_the_run(void)
{
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(run("(dt(y) + 400*y)*v*dx", 0.1, 0, RUNG_MONITOR_NONE, take_bs32, &code));
  CHECK(!code && says("dt = 0.1 is beyond the longest stable step of method \"bs32\", about 0.00628"));
  PetscCall(run("(dt(y) + 400*sin(y))*v*dx", 0.0001, 0, RUNG_MONITOR_NONE, take_bs32, &code));
  CHECK(!code && is_silent());
  PetscCall(run("(dt(y) + y)*v*dx + explicit(40*y*v*dx)", 0.25, 0, RUNG_MONITOR_NONE, take_ars443, &code));
  CHECK(!code && says("dt = 0.25 is beyond the longest stable step of method \"ars443\", about 0.0535"));
  PetscCall(run("(dt(y) + y)*v*dx + explicit(40*y*v*dx)", 0.05, 0, RUNG_MONITOR_NONE, take_ars443, &code));
  CHECK(!code && is_silent());
  PetscCall(run("(dt(y) - 40*y)*v*dx", 0.1, 0, RUNG_MONITOR_NONE, take_bs32, &code)); /* it does grow */
  CHECK(!code && is_silent());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |R(-4)| = 5 of rk4 and 3 of Euler's method, and nothing fails. */
static PetscErrorCode test_unstable_steps_are_told(void)
{
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(run("(dt(y) + 400*y)*v*dx", 0.01, 0, RUNG_MONITOR_NONE, take_rk4, &code));
  CHECK(!code && says("beyond the longest stable step of method \"rk4\", about 0.00696"));
  PetscCall(run("(dt(y) + 400*y)*v*dx", 0.005, 0, RUNG_MONITOR_NONE, take_rk4, &code));
  CHECK(!code && is_silent());
  PetscCall(run("(dt(y, 2) + 400*dt(y) + y)*v*dx", 0.01, 0, RUNG_MONITOR_NONE, take_rk4, &code));
  CHECK(!code && says("beyond the longest stable step of method \"rk4\", about 0.00696"));
  PetscCall(run("(dt(y) + 1600*y)*v*dx", 0.0025, 0, RUNG_MONITOR_NONE, take_euler, &code));
  CHECK(!code && says("beyond the longest stable step of method \"forward_euler\", about 0.00125"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode take_stable_rk4(RungStepper stepper)
{
  PetscFunctionBegin;
  PetscCall(take_rk4(stepper));
  stepper->stable = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode take_stable_euler(RungStepper stepper)
{
  PetscFunctionBegin;
  PetscCall(take_euler(stepper));
  stepper->stable = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nothing moves, all moves evenly, grows as the solution does, or turns slower than rounding of the terms says. */
static PetscErrorCode test_steps_that_nothing_bounds_are_not_warned_of(void)
{
  static const char *const still[] = {"(dt(y) - 1)*v*dx",       "(dt(y) + 0*y)*v*dx",       "(dt(y) - y)*v*dx",
                                      "dt(y, 2)*v*dx",          "(dt(y, 2) + 9.81)*v*dx",   "(dt(y, 2) - y)*v*dx",
                                      "(dt(y) + 1e-17*y)*v*dx", "(dt(y, 2) + 1e-17*y)*v*dx"};
  PetscErrorCode (*const take[])(RungStepper) = {take_rk4, take_euler, take_stable_rk4, take_stable_euler};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(still); ++i) {
    for (int m = 0; m < 4; ++m) {
      PetscErrorCode code;

      PetscCall(run(still[i], m % 2 ? 0.0025 : 0.01, 0, RUNG_MONITOR_NONE, take[m], &code));
      if (code || !is_silent()) fprintf(stderr, "%s, %d: %d %s\n", still[i], m, (int)code, said);
      CHECK(!code && is_silent());
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_unstable_steps_are_told),
               RUNG_TEST(test_what_has_grown_by_unstable_steps_is_told_behind_the_run),
               RUNG_TEST(test_steps_that_nothing_bounds_are_not_warned_of),
               RUNG_TEST(test_each_step_has_a_line_and_the_run_its_statistics),
               RUNG_TEST(test_refused_steps_are_told_with_their_reason),
               RUNG_TEST(test_short_runs_say_as_much_as_they_are_asked_for),
               RUNG_TEST(test_runs_of_more_than_a_second_speak_up),
               RUNG_TEST(test_the_files_of_a_run_are_named_in_one_line),
               RUNG_TEST(test_a_checkpoint_that_is_not_written_says_whether_there_is_an_older_one),
               RUNG_TEST(test_notices_and_warnings_are_said_once))
