/* test_event_happen.c - what happens at events: runs that cannot get past them, several at once, ends of steps, the start, every method. */
#include "events.h"
#include "listen.h"
#include "ode.h"
#include <rungmethod.h>

/* 1 up to the time of the last event, -1 behind it */
static PetscErrorCode flip(RungStepper stepper, PetscReal t, const Vec u[], PetscReal *g, void *ctx)
{
  (void)stepper, (void)u;
  *g = t <= *(PetscReal *)ctx ? 1 : -1;
  return PETSC_SUCCESS;
}

static PetscErrorCode flip_back(RungStepper stepper, PetscReal t, const Vec u[], void *ctx)
{
  (void)stepper, (void)u;
  *(PetscReal *)ctx = t;
  return PETSC_SUCCESS;
}

static PetscErrorCode test_a_run_that_cannot_leave_a_time_is_told(void)
{
  RungStepper stepper;
  PetscReal   last = 0.3;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(relay(0, 100, 1, &stepper));
  PetscCall(RungStepperAddEvent(stepper, "flip", &(RungEvent){.fn = flip, .act = flip_back, .ctx = &last}));
  CHECK_RAISES(RungStepperSolve(stepper), "event \"flip\" happens again and again at t = 0.3");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_bounces_that_pile_up_are_told_with_their_limit(void)
{
  RungStepper      stepper;
  const PetscReal *t;
  PetscReal        time = FALL;
  PetscInt         n;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ball("", 0.8, "dopri54", 10, 0.1, 1e-9, &stepper));
  CHECK_RAISES(RungStepperSolve(stepper), "limit 4.063712769");
  PetscCall(RungStepperGetEvent(stepper, "bounce", &n, &t));
  for (PetscInt i = 0; i < 20; ++i) {
    CHECK_NEAR(t[i], time, 1e-12 * time);
    time += 2 * FALL * pow(0.8, i + 1);
  }
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(ball("", 0.8, "dopri54", 10, 0.1, 1e-9, &stepper));
  PetscCall(
    RungStepperAddEvent(stepper, "rest", &(RungEvent){.text = "height", .direction = RUNG_FALLING, .stop = 20}));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetEvent(stepper, "bounce", &n, NULL));
  CHECK(n == 20);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* t - 0.5, and 1e-9 less behind the event: what a reaction may be moved by where rates are found anew */
static PetscErrorCode nearly(RungStepper stepper, PetscReal t, const Vec u[], PetscReal *g, void *ctx)
{
  (void)stepper, (void)u;
  *g = t - 0.5 - 1e-9 * *(PetscInt *)ctx;
  return PETSC_SUCCESS;
}

static PetscErrorCode count_one(RungStepper stepper, PetscReal t, const Vec u[], void *ctx)
{
  (void)stepper, (void)t, (void)u;
  ++*(PetscInt *)ctx;
  return PETSC_SUCCESS;
}

static PetscErrorCode test_what_solves_leave_of_g_at_an_event_is_no_return(void)
{
  RungStepper stepper;
  PetscInt    n = 0;

  PetscFunctionBegin;
  PetscCall(relay(0, 100, 1, &stepper));
  PetscCall(RungStepperAddEvent(stepper, "half", &(RungEvent){.fn = nearly, .act = count_one, .ctx = &n}));
  PetscCall(RungStepperSolve(stepper));
  CHECK(n == 1);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The force that holds the end of a bar which is shaken goes through 0 three times, by trbdf2 with 4000 steps a second.  Accelerations of the end as
   differences leap at steps that are cut: the event happened again and again. */
static PetscErrorCode test_a_reaction_beside_a_boundary_that_moves(void)
{
  static const PetscReal time[] = {0.2305923, 2.1066696, 3.7113336};
  const PetscReal       *t;
  RungStepper            stepper;
  RungSystem             sys;
  RungMesh               mesh;
  RungSpace              space;
  PetscInt               n;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){20}, NULL));
  PetscCall(RungSpaceCreate(mesh, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(sys, "(dt(u, 2)*v + inner(grad(u), grad(v)))*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0.1*sin(3*t)"));
  PetscCall(RungSystemSetInitial(sys, "dt(u)", "0.3*(1 - x[0])"));
  PetscCall(RungSystemAddWatch(sys, RUNG_REACTION, "R", "u", "left"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMethod(stepper, "bdf2"));
  PetscCall(RungStepperSetInterval(stepper, 0, 6, 0.0025));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperAddEvent(stepper, "turn", &(RungEvent){.text = "R"}));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetEvent(stepper, "turn", &n, &t));
  CHECK(n == 3);
  for (PetscInt i = 0; i < PetscMin(n, 3); ++i) CHECK_NEAR(t[i], time[i], i ? 2e-3 : 2e-5);
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- returns that are lost in rounding ---------------------------------------------------------------------------- */

/* A ball whose speed becomes `text` on the floor, and its weight `weight` times as large: is a run to t = 1 told that it sinks?
   from: the checkpoint that it goes on from; "": it writes some; NULL: neither. */
static PetscErrorCode run_to_the_floor(const char method[], const char text[], const char weight[], const char from[],
                                       PetscBool *told)
{
  static const char *const name[] = {"y"}, *const space[] = {"P0"}, *const start[] = {"1"};
  RungStepper stepper;
  RungSystem  sys;
  Listen      listen;
  char        said[1024];

  PetscFunctionBegin;
  PetscCall(points_create(1, name, space, start, "(dt(y, 2) + g)*v*dx", &stepper));
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(RungSystemSetConstant(sys, "g", G));
  PetscCall(RungSystemAddProbe(sys, "height", "y", (PetscReal[]){0}));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.01));
  PetscCall(RungStepperAddEvent(stepper, "floor", &(RungEvent){.text = "height", .direction = RUNG_FALLING}));
  PetscCall(RungStepperSetEventJump(stepper, "floor", "dt(y)", text));
  PetscCall(RungStepperSetEventJump(stepper, "floor", "g", weight));
  if (from) PetscCall(RungStepperSetCheckpoint(stepper, "floor_{step}.h5", 23));
  if (from) PetscCall(RungStepperSetRestart(stepper, from, PETSC_FALSE));
  PetscCall(listen_begin(&listen));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(listen_end(&listen, sizeof said, said));
  *told = strstr(said, "\"floor\" has happened at t = 0.4515236") && strstr(said, "1 times so far") ? PETSC_TRUE
                                                                                                    : PETSC_FALSE;
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_one_bounce_that_is_lost_in_rounding_is_told(void)
{
  PetscBool told;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    const char *method = i ? "dopri54" : "newmark";

    PetscCall(run_to_the_floor(method, "-1e-9*dt(y)", "g", NULL, &told));
    CHECK(told);
    PetscCall(run_to_the_floor(method, "0*dt(y)", "g", NULL, &told)); /* nothing holds it */
    CHECK(told);
    PetscCall(run_to_the_floor(method, "0.1*dt(y)", "g", NULL, &told)); /* no floor, a brake */
    CHECK(!told);
    PetscCall(run_to_the_floor(method, "0*dt(y)", "0*g", NULL, &told)); /* it stays */
    CHECK(!told);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Step 46 ends on the floor: its checkpoint is one between what the event changes and the step that leaves 0. */
static PetscErrorCode test_a_bounce_that_is_lost_behind_a_checkpoint_is_told(void)
{
  PetscBool told;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(run_to_the_floor("newmark", "0*dt(y)", "g", "", &told));
  CHECK(told);
  PetscCall(run_to_the_floor("newmark", "0*dt(y)", "g", "floor_46.h5", &told));
  CHECK(told);
  PetscCall(run_to_the_floor("newmark", "0*dt(y)", "g", "floor_69.h5", &told)); /* it was told before */
  CHECK(!told);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- at once, at ends, at the start ------------------------------------------------------------------------------- */

/* How often a series has a time and the nearest number behind it. */
static PetscInt count_sides(const char path[], const PetscReal t[], PetscInt n)
{
  FILE    *file = fopen(path, "re");
  PetscInt both = 0;
  char     line[512];
  double   before = NAN;

  while (file && fgets(line, sizeof line, file)) {
    const char  *at   = strstr(line, "timestep=\"");
    const double time = at ? strtod(at + 10, NULL) : NAN;

    for (PetscInt i = 0; i < n; ++i) both += before == t[i] && time == nextafter(t[i], INFINITY);
    if (at) before = time;
  }
  if (file) (void)fclose(file);
  return both;
}

static PetscErrorCode test_events_at_one_time_happen_together(void)
{
  RungStepper           stepper;
  const PetscReal      *one, *two;
  PetscInt              n, m;
  RungStepperStatistics s;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ball("", 1, "dopri54", 2, 0.1, 1e-9, &stepper));
  PetscCall(RungStepperAddEvent(stepper, "count", &(RungEvent){.text = "3*height", .direction = RUNG_FALLING}));
  PetscCall(RungStepperAddOutput(stepper, "sides.pvd", 0));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetEvent(stepper, "bounce", &n, &one));
  PetscCall(RungStepperGetEvent(stepper, "count", &m, &two));
  CHECK(count_sides("sides.pvd", one, n) == 2); /* before and behind what the events change */
  CHECK(n == 2 && m == 2 && one[0] == two[0] && one[1] == two[1]);
  PetscCall(RungStepperGetStatistics(stepper, &s));
  CHECK(s.events == 4);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = exp(-t) comes to a level, and 1e-15 later to another one: rounding, beside the start's 1. */
static PetscErrorCode meet_two_levels(const char level[], PetscReal t1, PetscReal dt, PetscReal *one, PetscReal *two,
                                      PetscReal *b)
{
  static const char *const name[] = {"y"}, *const space[] = {"P0"}, *const start[] = {"1"};
  RungStepper      stepper;
  RungSystem       sys;
  PetscInt         n, m;
  const PetscReal *t, *u;
  char             text[64];

  PetscFunctionBegin;
  PetscCall(points_create(1, name, space, start, "(dt(y) + y)*v*dx", &stepper));
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(RungSystemSetConstant(sys, "a", 0));
  PetscCall(RungSystemSetConstant(sys, "b", 0));
  PetscCall(RungSystemAddProbe(sys, "height", "y", (PetscReal[]){0}));
  PetscCall(RungSystemAddQuantity(sys, "second", "b*dx"));
  PetscCall(RungStepperSetMethod(stepper, "rk4"));
  PetscCall(RungStepperSetInterval(stepper, 0, t1, dt));
  for (int i = 0; i < 2; ++i) {
    (void)snprintf(text, sizeof text, "height - %s%s", level, i ? " + 1e-15" : "");
    PetscCall(RungStepperAddEvent(stepper, i ? "two" : "one", &(RungEvent){.text = text, .direction = RUNG_FALLING}));
  }
  PetscCall(RungStepperSetEventJump(stepper, "one", "a", "1"));
  PetscCall(RungStepperSetEventJump(stepper, "two", "b", "2 + a"));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetEvent(stepper, "one", &n, &t));
  PetscCall(RungStepperGetEvent(stepper, "two", &m, &u));
  CHECK(n == 1 && m == 1);
  *one = n ? t[0] : NAN;
  *two = m ? u[0] : NAN;
  PetscCall(RungStepperGetQuantity(stepper, "second", b));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An event whose g is 0 but for rounding, where another one happens, is neither lost nor led astray. */
static PetscErrorCode test_events_apart_by_rounding_both_happen(void)
{
  PetscReal one, two, b;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(meet_two_levels("exp(-5)", 6, 0.1, &one, &two, &b));
  CHECK(one == two && b == 2); /* together: a is that before both */
  PetscCall(meet_two_levels("1e-7", 17, 0.01, &one, &two, &b));
  CHECK(two >= one && two < one + 2e-8); /* as slow as y is, rounding is 1e-8 of time */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two numbers that reach zero but for rounding together, of which one throws both back by its jump: none is lost, whether steps end there
   by the grid (y' = -1) or are made to (y' = -y), and one that is behind by what can be told is. */
static PetscErrorCode throw_back(const char rate[], const char behind[], PetscInt *one, PetscInt *two)
{
  static const char *const name[] = {"y"}, *const space[] = {"P0"}, *const start[] = {"1"};
  RungStepper stepper;
  RungSystem  sys;
  char        text[64];

  PetscFunctionBegin;
  (void)snprintf(text, sizeof text, "(dt(y) + %s)*v*dx", rate);
  PetscCall(points_create(1, name, space, start, text, &stepper));
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(RungSystemAddProbe(sys, "height", "y", (PetscReal[]){0}));
  PetscCall(RungStepperSetMethod(stepper, "rk4"));
  PetscCall(RungStepperSetInterval(stepper, 0, 3.3, 0.125));
  PetscCall(RungStepperAddEvent(stepper, "one", &(RungEvent){.text = "height - 0.5", .direction = RUNG_FALLING}));
  PetscCall(RungStepperSetEventJump(stepper, "one", "y", "2*y"));
  (void)snprintf(text, sizeof text, "height - 0.5 + %s", behind);
  PetscCall(RungStepperAddEvent(stepper, "two", &(RungEvent){.text = text, .direction = RUNG_FALLING}));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetEvent(stepper, "one", one, NULL));
  PetscCall(RungStepperGetEvent(stepper, "two", two, NULL));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_jump_takes_no_event_away_that_is_there_but_for_rounding(void)
{
  PetscInt one, two;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(throw_back("y", "4e-16", &one, &two));
  CHECK(one == 4 && two == 4);
  PetscCall(throw_back("1", "4e-16", &one, &two));
  CHECK(one == 6 && two == 6);
  PetscCall(throw_back("y", "1e-6", &one, &two));
  CHECK(one == 4 && two == 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes on the first rank alone, behind a norm that PETSc keeps. */
static PetscErrorCode write_on_one_rank(RungStepper stepper, PetscReal t, const Vec u[], void *ctx)
{
  PetscScalar *x;
  PetscReal    norm;
  PetscMPIInt  rank;

  PetscFunctionBegin;
  (void)stepper, (void)t, (void)ctx;
  PetscCall(VecNorm(u[0], NORM_2, &norm));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArray(u[0], &x));
  x[0] += 1;
  PetscCall(VecRestoreArray(u[0], &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode look_for_norm(RungStepper stepper, PetscReal t, const Vec u[], void *ctx)
{
  PetscBool kept;
  PetscReal norm;

  PetscFunctionBegin;
  (void)stepper, (void)t;
  PetscCall(VecNormAvailable(u[0], NORM_2, &kept, &norm));
  *(PetscInt *)ctx += kept ? 100 : 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A rank that took its vector for what it was before would not be there when the others sum up its next norm. */
static PetscErrorCode test_what_a_function_writes_on_one_rank_is_new_on_all(void)
{
  RungStepper stepper;
  PetscInt    looks = 0;

  PetscFunctionBegin;
  PetscCall(ball("", 1, "dopri54", 0.5, 0.1, 1e-9, &stepper));
  PetscCall(RungStepperAddEvent(stepper, "write",
                                &(RungEvent){.text = "height", .direction = RUNG_FALLING, .act = write_on_one_rank}));
  PetscCall(RungStepperAddEvent(
    stepper, "look", &(RungEvent){.text = "height", .direction = RUNG_FALLING, .act = look_for_norm, .ctx = &looks}));
  PetscCall(RungStepperSolve(stepper));
  CHECK(looks == 1);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* g = t - 0.5 is 0 where a step of the grid ends; t (t - 0.35) is 0 at the start. */
static PetscErrorCode test_ends_of_steps_and_the_start(void)
{
  RungStepper           stepper;
  const PetscReal      *t;
  PetscInt              n;
  RungStepperStatistics s;

  PetscFunctionBegin;
  PetscCall(relay(0, 100, 1, &stepper));
  PetscCall(RungStepperAddEvent(stepper, "half", &(RungEvent){.text = "t - 0.5"}));
  PetscCall(RungStepperAddEvent(stepper, "start", &(RungEvent){.text = "t*(t - 0.35)"}));
  PetscCall(RungStepperAddEvent(stepper, "end", &(RungEvent){.text = "t - 1", .tol = 1e-6}));
  PetscCall(RungStepperAddStopTimes(stepper, 1, (PetscReal[]){0.5}));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetEvent(stepper, "half", &n, &t));
  CHECK(n == 1 && t[0] == 0.5);
  PetscCall(RungStepperGetEvent(stepper, "start", &n, &t));
  CHECK(n == 1);
  CHECK_NEAR(t[0], 0.35, 1e-15);
  PetscCall(RungStepperGetEvent(stepper, "end", &n, &t));
  CHECK(n == 1 && t[0] == 1);
  PetscCall(RungStepperGetStatistics(stepper, &s));
  CHECK(s.events == 3 && s.located <= 2);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A run that an event has ended goes on where it is, and does not meet that event again. */
static PetscErrorCode test_a_run_goes_on_behind_the_event_that_ended_it(void)
{
  RungStepper       stepper;
  RungStepperReason reason;
  const RungState  *state;
  const PetscReal  *t;
  PetscInt          n;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(relay(18, 100, 2, &stepper));
  PetscCall(RungStepperAddEvent(stepper, "stop", &(RungEvent){.text = "room - 20", .stop = 1}));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetReason(stepper, &reason));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  CHECK(reason == RUNG_STEPPER_EVENT);
  CHECK_NEAR(state->t, log(2), 1e-10);
  PetscCall(RungStepperSetInterval(stepper, state->t, 2, 0.05));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetReason(stepper, &reason));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(RungStepperGetEvent(stepper, "stop", &n, &t));
  CHECK(reason == RUNG_STEPPER_REACHED_END && state->t == 2 && n == 0);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- callbacks: every method ---------------------------------------------------------------------------------------- */

/* y' = v, v' = -g of order 1, y'' = -g of order 2, the same on each rank */
static void fall(const Ode *ode, const PetscScalar y[], const PetscScalar d[], PetscScalar r[])
{
  if (ode->order == 2)
    r[0] = d[0] + G;
  else
    r[0] = d[0] - y[1], r[1] = d[1] + G;
}

static PetscErrorCode fall_residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  PetscFunctionBegin;
  (void)sys, (void)t;
  PetscCall(ode_plain(fall, (const Ode *)ctx, u, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fall_jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J,
                                    void *ctx)
{
  const Ode *ode = (const Ode *)ctx;
  PetscInt   start;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)u;
  PetscCall(MatGetOwnershipRange(J, &start, NULL));
  PetscCall(ode_add(J, start, start, sigma[ode->order]));
  if (ode->order == 2) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ode_add(J, start, start + 1, -sigma[0]));
  PetscCall(ode_add(J, start + 1, start + 1, sigma[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fall_initial(RungSystem sys, PetscReal t, PetscInt k, Vec u, void *ctx)
{
  PetscScalar *y;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecSet(u, 0));
  PetscCall(VecGetArray(u, &y));
  if (!k) y[0] = 1;
  PetscCall(VecRestoreArray(u, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fall_height(RungStepper stepper, PetscReal t, const Vec u[], PetscReal *g, void *ctx)
{
  const PetscScalar *y;

  PetscFunctionBegin;
  (void)stepper, (void)t, (void)ctx;
  PetscCall(VecGetArrayRead(u[0], &y));
  *g = PetscRealPart(y[0]);
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fall_turn(RungStepper stepper, PetscReal t, const Vec u[], void *ctx)
{
  const Ode   *ode = (const Ode *)ctx;
  PetscScalar *v;

  PetscFunctionBegin;
  (void)stepper, (void)t;
  PetscCall(VecGetArray(u[ode->order - 1], &v));
  v[ode->order == 2 ? 0 : 1] *= -1;
  PetscCall(VecRestoreArray(u[ode->order - 1], &v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two bounces by one method; with tolerances where it has an estimate and `adaptive` asks for them. */
static PetscErrorCode check_method(const char type[], const char method[], const RungMethodPlan *plan, PetscInt order,
                                   PetscBool adaptive)
{
  Ode ode = {"fall", order, PETSC_TRUE, fall_residual, fall_jacobian, fall_initial, 3 - order, {0}, PETSC_FALSE};
  RungStepper      stepper;
  const PetscReal *t;
  PetscInt         n;
  PetscReal        close = plan->order >= 3 && strcmp(type, RUNGBDF) != 0 ? 1e-9 : 0.1;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_WORLD, &ode, type, method, 0, 2, plan->order == 1 ? 0.02 : 0.1, &stepper));
  if (adaptive) PetscCall(RungStepperSetTolerances(stepper, 1e-6, 1e-8));
  if (adaptive) close = PetscMax(close, 1e-3);
  PetscCall(RungStepperAddEvent(
    stepper, "floor", &(RungEvent){.fn = fall_height, .act = fall_turn, .ctx = &ode, .direction = RUNG_FALLING}));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetEvent(stepper, "floor", &n, &t));
  if (n != 2 || !(fabs(t[0] - FALL) < close) || !(fabs(t[1] - 3 * FALL) < 3 * close))
    fprintf(stderr, "%s %s, order %d in time%s: %d bounces, %.3e, %.3e\n", type, method, (int)order,
            adaptive ? ", with tolerances" : "", (int)n, n > 0 ? (double)(t[0] - FALL) : 0,
            n > 1 ? (double)(t[1] - 3 * FALL) : 0);
  CHECK(n == 2 && fabs(t[0] - FALL) < close && fabs(t[1] - 3 * FALL) < 3 * close);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_every_method_meets_events(void)
{
  const char *const *type, *const *method;
  PetscInt n, checked = 0;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &type, &method));
  for (PetscInt i = 0; i < n; i += check_alone() ? 1 : 67) {
    RungMethodPlan plan;

    PetscCall(RungStepperGetPlan(type[i], method[i], &plan));
    if (plan.can & RUNG_CAN_ORDER1) PetscCall(check_method(type[i], method[i], &plan, 1, PETSC_FALSE));
    if (plan.can & RUNG_CAN_ORDER2) PetscCall(check_method(type[i], method[i], &plan, 2, PETSC_FALSE));
    if ((plan.can & RUNG_CAN_ORDER2) && plan.exponent > 2)
      PetscCall(check_method(type[i], method[i], &plan, 2, PETSC_TRUE));
    ++checked;
  }
  CHECK(checked > n / 70);
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_what_a_function_writes_on_one_rank_is_new_on_all),
               RUNG_TEST(test_a_run_that_cannot_leave_a_time_is_told),
               RUNG_TEST(test_bounces_that_pile_up_are_told_with_their_limit),
               RUNG_TEST(test_what_solves_leave_of_g_at_an_event_is_no_return),
               RUNG_TEST(test_a_reaction_beside_a_boundary_that_moves),
               RUNG_TEST(test_one_bounce_that_is_lost_in_rounding_is_told),
               RUNG_TEST(test_a_bounce_that_is_lost_behind_a_checkpoint_is_told),
               RUNG_TEST(test_events_at_one_time_happen_together), RUNG_TEST(test_events_apart_by_rounding_both_happen),
               RUNG_TEST(test_a_jump_takes_no_event_away_that_is_there_but_for_rounding),
               RUNG_TEST(test_ends_of_steps_and_the_start),
               RUNG_TEST(test_a_run_goes_on_behind_the_event_that_ended_it), RUNG_TEST(test_every_method_meets_events))
