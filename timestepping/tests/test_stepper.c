/* test_stepper.c - types, methods, intervals, tolerances and options: what is taken, what is refused, and the words. */
#include "../step_impl.h"
#include "ode.h"
#include "points.h"
#include <sys/stat.h>
#include <unistd.h>

static PetscErrorCode test_types_and_methods_are_suggested(void)
{
  Ode         ode = relaxation(1, 1);
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, NULL, 0, 1, 0.1, &stepper));
  CHECK_RAISES(RungStepperSetType(stepper, "drik"),
               "no stepper type \"drik\"; did you mean \"dirk\"; there are dirk, bdf, alpha");
  CHECK_RAISES(RungStepperSetMethod(stepper, "esdirk34"),
               "stepper type dirk has no method \"esdirk34\"; did you mean \"esdirk");
  CHECK_RAISES(RungStepperSetMethod(stepper, "hht"),
               "method \"hht\" belongs to stepper type alpha, this stepper has type dirk");
  CHECK_RAISES(RungStepperSetOrder(stepper, 2), "an order (-stepper_order) belongs to type bdf");
  CHECK_RAISES(RungStepperAlphaSetRadius(stepper, 0.5),
               "a spectral radius belongs to type alpha, this stepper has type dirk");
  PetscCall(RungStepperSetType(stepper, RUNGBDF));
  CHECK_RAISES(RungStepperSetOrder(stepper, 3), "bdf of order 3, wanted 1 or 2");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_names_keys_and_orders_choose_methods(void)
{
  Ode         ode = relaxation(1, 1);
  RungStepper stepper;
  const char *method, *type;
  PetscInt    order;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, "trbdf2_3_3_2", 0, 1, 0.1, &stepper));
  PetscCall(RungStepperGetMethod(stepper, &method, &order));
  CHECK(!strcmp(method, "trbdf2") && order == 2);
  PetscCall(RungStepperSetType(stepper, RUNGBDF));
  PetscCall(RungStepperSetOrder(stepper, 1));
  PetscCall(RungStepperGetMethod(stepper, &method, &order));
  CHECK(!strcmp(method, "bdf1") && order == 1);
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper)); /* a method alone brings its type */
  PetscCall(RungStepperSetMethod(stepper, "wbz"));
  PetscCall(RungStepperGetType(stepper, &type));
  CHECK(!strcmp(type, RUNGALPHA));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Not created, destroyed, without a name: an error that says so, and no crash. */
static PetscErrorCode test_what_is_not_there_is_named(void)
{
  RungStepper           none = NULL, stepper;
  RungStepperStatistics statistics;
  const RungState      *state;
  PetscReal             value;

  PetscFunctionBegin;
  PetscCall(RungStepperDestroy(&none));
  CHECK_RAISES(RungStepperSolve(none), "RungStepperSolve was called with stepper = NULL");
  CHECK_RAISES(RungStepperSetUp(none), "stepper = NULL");
  CHECK_RAISES(RungStepperSetFromOptions(none), "stepper = NULL");
  CHECK_RAISES(RungStepperGetState(none, 0, &state), "stepper = NULL");
  CHECK_RAISES(RungStepperGetStatistics(none, &statistics), "stepper = NULL");
  CHECK_RAISES(RungStepperView(none, NULL), "stepper = NULL");
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
  CHECK_RAISES(RungStepperSetSystem(stepper, NULL), "sys = NULL");
  CHECK_RAISES(RungStepperSetType(stepper, NULL), "a stepper type without a name");
  CHECK_RAISES(RungStepperSetMethod(stepper, NULL), "a method without a name");
  CHECK_RAISES(RungStepperAddMonitor(stepper, NULL, NULL), "a monitor without a function");
  CHECK_RAISES(RungStepperAddOutput(stepper, NULL, 0), "an output without a path");
  CHECK_RAISES(RungStepperAddTable(stepper, NULL), "a table without a path");
  CHECK_RAISES(RungStepperGetQuantity(stepper, NULL, &value), "a quantity without a name");
  CHECK_RAISES(RungStepperSolve(stepper), "the stepper has no system");
  PetscCall(RungStepperDestroy(&stepper));
  CHECK(!stepper);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fail(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  PetscFunctionBegin;
  (void)stepper, (void)t, (void)u;
  PetscCheck(step != 2 || !*(PetscBool *)ctx, PETSC_COMM_SELF, PETSC_ERR_USER, "the monitor does not like step 2");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whoever mends what was wrong goes on from the accepted levels. */
static PetscErrorCode test_a_run_that_was_stopped_by_an_error_can_be_solved_again(void)
{
  Ode              ode   = relaxation(1, 1);
  PetscBool        fails = PETSC_TRUE;
  RungStepper      stepper;
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, "euler", 0, 0.4, 0.1, &stepper));
  PetscCall(RungStepperAddMonitor(stepper, fail, &fails));
  PetscCall(RungStepperAddOutput(stepper, "ode.pvd", 0)); /* of callbacks: refused after the stages are made */
  CHECK_RAISES(RungStepperSetUp(stepper), "a system of callbacks has no mesh to write");
  CHECK_RAISES(RungStepperSetUp(stepper), "a system of callbacks has no mesh to write");
  PetscCall(RungOutputsDrop(stepper));
  CHECK_RAISES(RungStepperSolve(stepper), "the monitor does not like step 2");
  fails = PETSC_FALSE;
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  CHECK_NEAR(state->t, 0.4, 0);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_bad_intervals_are_refused(void)
{
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
  CHECK_RAISES(RungStepperSetInterval(stepper, 1, 0, 0.1), "the interval ends at t = 0. before it starts at 1.");
  CHECK_RAISES(RungStepperSetInterval(stepper, 0, 1, 0), "the step is dt = 0., wanted a positive finite number");
  CHECK_RAISES(RungStepperSetInterval(stepper, 0, 1, -0.1), "the step is dt = -0.1");
  CHECK_RAISES(RungStepperSetInterval(stepper, 0, 1, NAN), "the step is dt = nan");
  CHECK_RAISES(RungStepperSetInterval(stepper, 0, INFINITY, 1), "wanted finite numbers");
  CHECK_RAISES(RungStepperSetInterval(stepper, 1e9, 1e9 + 1e-6, 1), "is lost in rounding");
  CHECK_RAISES(RungStepperSetInterval(stepper, 1e9, 1e9 + 1, 1e-8), "a step of 1e-08 at times from 1000000000 to");
  CHECK_RAISES(RungStepperSolve(stepper), "the stepper has no system");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_bad_tolerances_are_refused(void)
{
  Ode         ode = relaxation(1, 1);
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, "midpoint", 0, 1, 0.1, &stepper));
  CHECK_RAISES(RungStepperSetTolerances(stepper, -1, 1), "rtol is -1., wanted 0 or a number of at least");
  CHECK_RAISES(RungStepperSetTolerances(stepper, 1e-16, 0), "wanted 0 or a number of at least");
  CHECK_RAISES(RungStepperSetTolerances(stepper, 1e-3, NAN), "atol is nan");
  CHECK_RAISES(RungStepperSetTolerances(stepper, 0, 0), "rtol and atol are both 0");
  PetscCall(RungStepperSetTolerances(stepper, 1e-3, 1e-3));
  CHECK_RAISES(RungStepperSolve(stepper), "dirk method \"midpoint\" has no error estimate");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_setters_after_set_up_are_refused(void)
{
  Ode         ode = relaxation(1, 1);
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, NULL, 0, 1, 0.1, &stepper));
  PetscCall(RungStepperSetUp(stepper));
  CHECK_RAISES(RungStepperSetType(stepper, RUNGBDF), "RungStepperSetType after the stepper was set up");
  CHECK_RAISES(RungStepperSetMethod(stepper, "euler"), "RungStepperSetMethod after");
  CHECK_RAISES(RungStepperSetTolerances(stepper, 1, 1), "RungStepperSetTolerances after");
  CHECK_RAISES(RungStepperAddTable(stepper, "a.csv"), "a table after the stepper was set up");
  CHECK_RAISES(RungStepperAddOutput(stepper, "a.pvd", 1), "an output after the stepper was set up");
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode stationary(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecCopy(u[0], r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_system_that_was_set_up_as_stationary_is_refused(void)
{
  Ode         ode = {"stationary", 0, PETSC_TRUE, stationary, NULL, one_initial, 1, {0}, PETSC_FALSE};
  RungSystem  sys;
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(ode_create(PETSC_COMM_SELF, &ode, &sys));
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.1));
  CHECK_RAISES(RungStepperSolve(stepper), "the system has no time derivative");
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u' + u = 0 and 0 = u - z */
static PetscErrorCode algebraic_residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  const PetscScalar *y, *d;
  PetscScalar       *f;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecGetArrayRead(u[0], &y));
  PetscCall(VecGetArrayRead(u[1], &d));
  PetscCall(VecGetArrayWrite(r, &f));
  f[0] = d[0] + y[0];
  f[1] = y[0] - y[1];
  PetscCall(VecRestoreArrayWrite(r, &f));
  PetscCall(VecRestoreArrayRead(u[1], &d));
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve_algebraic(const char method[], PetscBool force, PetscReal y[2])
{
  Ode            ode = {"algebraic", 1, PETSC_FALSE, algebraic_residual, NULL, one_initial, 2, {0}, PETSC_FALSE};
  RungSystem     sys;
  RungStepper    stepper;
  Vec            mask;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(ode_create(PETSC_COMM_SELF, &ode, &sys));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, 2, &mask));
  PetscCall(VecSetValue(mask, 0, 1, INSERT_VALUES));
  PetscCall(RungSystemSetDifferential(sys, mask));
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.1));
  if (force) {
    PetscCall(PetscOptionsSetValue(NULL, "-stepper_force", NULL));
    PetscCall(RungStepperSetFromOptions(stepper));
    PetscCall(PetscOptionsClearValue(NULL, "-stepper_force"));
  }
  code = RungStepperSolve(stepper); /* whatever it is, nothing is left behind */
  if (!code) PetscCall(ode_values(stepper, 0, 2, y));
  PetscCall(VecDestroy(&mask));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(code);
}

static PetscErrorCode test_methods_without_a_final_stage_are_refused_for_algebraic_unknowns(void)
{
  PetscReal y[2];

  PetscFunctionBegin;
  CHECK_RAISES(solve_algebraic("midpoint", PETSC_TRUE, y),
               "dirk method \"midpoint\" does not keep its order in algebraic unknowns, here \"entry 1\"");
  CHECK_RAISES(solve_algebraic("sdirk23_crouzeix", PETSC_FALSE, y),
               "take one that can: esdirk43, bdf2, chung_hulbert, ");
  CHECK_RAISES(solve_algebraic("sdirk23_crouzeix", PETSC_FALSE, y), "or insist with -stepper_force");
  PetscCall(solve_algebraic("sdirk23_crouzeix", PETSC_TRUE, y));
  CHECK_NEAR(y[1], exp(-1), 1e-3);
  PetscCall(solve_algebraic("esdirk43", PETSC_FALSE, y));
  CHECK_NEAR(y[1], y[0], 1e-14);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- options ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode with_options(const char text[], RungStepper *stepper)
{
  static Ode ode;

  PetscFunctionBegin;
  ode = oscillator(1, 0);
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(PetscOptionsInsertString(NULL, text));
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGALPHA, NULL, 0, 1, 0.1, stepper));
  PetscCall(RungStepperSetFromOptions(*stepper));
  PetscCall(RungStepperSetUp(*stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_options_are_read(void)
{
  RungStepper stepper;
  const char *type, *method;
  PetscReal   t0, t1, dt;

  PetscFunctionBegin;
  PetscCall(
    with_options("-stepper_type dirk -stepper_method esdirk32 -stepper_start -1 -stepper_end 2 -stepper_dt 0.5 "
                 "-stepper_rtol 1e-4 -stepper_atol 1e-5 -stepper_max_steps 100 -stepper_filter -stepper_monitor false",
                 &stepper));
  PetscCall(RungStepperGetType(stepper, &type));
  PetscCall(RungStepperGetMethod(stepper, &method, NULL));
  PetscCall(RungStepperGetInterval(stepper, &t0, &t1, &dt));
  CHECK(!strcmp(type, "dirk") && !strcmp(method, "esdirk32"));
  CHECK(t0 == -1 && t1 == 2 && dt == 0.5);
  CHECK(stepper->adaptive && stepper->rtol == 1e-4 && stepper->atol == 1e-5 && stepper->max_steps == 100);
  CHECK(stepper->progress.mode == RUNG_MONITOR_NONE);
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Decay of a mesh of points whose rate comes from the command line. */
static PetscErrorCode test_the_options_of_the_system_are_read_too(void)
{
  static const char *const name[] = {"u"}, *const space[] = {"P0"}, *const start[] = {"1"};
  RungSystem  sys;
  RungStepper stepper;
  PetscReal   u;

  PetscFunctionBegin;
  PetscCall(points_create(1, name, space, start, "(dt(u) + rate*u)*v*dx", &stepper));
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(RungSystemSetConstant(sys, "rate", 1));
  PetscCall(PetscOptionsInsertString(NULL, "-system_rate 2 -stepper_monitor false"));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.1));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(points_solve(&stepper, 1, &u, NULL));
  CHECK_NEAR(u, exp(-2), 1e-5);
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_options_without_effect_are_refused(void)
{
  static const char *const text[][2] = {
    {"-stepper_order 2", "-stepper_order belongs to stepper type bdf, this stepper has type alpha"},
    {"-stepper_type bdf -stepper_rho_inf 0.5",
     "-stepper_rho_inf belongs to stepper type alpha or bathe, this stepper has type bdf"},
    {"-stepper_type bdf -stepper_filter", "-stepper_filter belongs to stepper type dirk"},
    {"-stepper_type dirk -stepper_method euler -stepper_filter",
     "dirk method \"euler\" has no error estimate to filter"},
    {"-stepper_method hht -stepper_beta 0.3",
     "-stepper_beta and -stepper_gamma are those of method newmark, not of \"hht\""},
    {"-stepper_dtt 0.1", "no option -stepper_dtt; did you mean -stepper_dt"},
    {"-stepper_monitor loud", "-stepper_monitor loud, wanted true, false, auto or all"},
    {"-stepper_output_every 0.1", "-stepper_output_every without an output"},
    {"-stepper_dt -1", "-stepper_dt is -1; wanted a number above 0"},
    {"-stepper_dt -stepper_end 2", "option -stepper_dt has no value; give it one, or leave it away"}};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(text); ++i) {
    RungStepper stepper;

    CHECK_RAISES(with_options(text[i][0], &stepper), text[i][1]);
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Before the run, not after its first hundred steps. */
static PetscErrorCode test_a_checkpoint_that_cannot_be_written_is_told_at_once(void)
{
  Ode         ode = relaxation(1, 1);
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGDIRK, NULL, 0, 1, 0.1, &stepper));
  PetscCall(RungStepperSetCheckpoint(stepper, "no_such_folder/run_{step}.h5", 0));
  CHECK_RAISES(
    RungStepperSetUp(stepper),
    "checkpoint \"no_such_folder/run_0.h5\" cannot be written: No such file or directory; take another place for it");
  CHECK_RAISES(RungStepperSetCheckpoint(stepper, ".", 0), "a checkpoint \".\": the file name is missing");
  (void)mkdir("stepper_folder", 0777);
  PetscCall(RungStepperSetCheckpoint(stepper, "stepper_folder", 0));
  CHECK_RAISES(RungStepperSetUp(stepper),
               "checkpoint \"stepper_folder\" cannot be written: a folder of that name exists");
  PetscCall(RungStepperSetCheckpoint(stepper, "stepper_can.h5", 0));
  PetscCall(RungStepperSetUp(stepper));
  CHECK(access("stepper_can.h5.part", F_OK) != 0);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_view_names_method_and_parameters(void)
{
  RungStepper stepper;
  PetscViewer viewer;
  char        text[2048];
  FILE       *file;

  PetscFunctionBegin;
  PetscCall(with_options("-stepper_rho_inf 0.5", &stepper));
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_SELF, "view.txt", &viewer));
  PetscCall(RungStepperView(stepper, viewer));
  PetscCall(RungStepperView(stepper, NULL)); /* on the standard output */
  PetscCall(PetscViewerDestroy(&viewer));
  file = fopen("view.txt", "r");
  CHECK(file);
  text[file ? fread(text, 1, sizeof text - 1, file) : 0] = '\0';
  if (file) fclose(file);
  CHECK(strstr(text, "stepper: alpha chung_hulbert, order 2"));
  CHECK(strstr(text, "rho_inf = 0.5"));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- registry --------------------------------------------------------------------------------------------------- */

static const char *const only[] = {"only", NULL}, *const none[] = {NULL};

static PetscErrorCode plan_nothing(RungStepper stepper, const RungTraits *traits, RungMethodPlan *plan)
{
  PetscFunctionBegin;
  (void)stepper, (void)traits;
  plan->order = 1;
  plan->can   = RUNG_CAN_ORDER1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode attempt_nothing(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                                      RungVerdict *verdict)
{
  PetscFunctionBegin;
  (void)stepper, (void)from, (void)h, (void)to, (void)verdict;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const RungMethodOption foreign_option[] = {{"-mine", "an option"}, {NULL, NULL}};
static const RungStepperOps   idle             = {.methods = only, .plan = plan_nothing, .attempt = attempt_nothing};
static const RungStepperOps   without_methods  = {.methods = none, .plan = plan_nothing, .attempt = attempt_nothing};
static const RungStepperOps   without_plan     = {.methods = only, .attempt = attempt_nothing};
static const RungStepperOps   without_attempt  = {.methods = only, .plan = plan_nothing};
static const RungStepperOps   other_options    = {
       .methods = only, .plan = plan_nothing, .attempt = attempt_nothing, .options = foreign_option};

static PetscErrorCode test_a_registered_type_is_listed(void)
{
  const char *const *type, *const *method;
  PetscInt before, after;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&before, &type, &method));
  CHECK(before >= 50 + 2 + 4);
  PetscCall(RungStepperRegister("idle", &idle));
  PetscCall(RungStepperGetMethods(&after, &type, &method));
  CHECK(after == before + 1);
  CHECK(!strcmp(type[before], "idle") && !strcmp(method[before], "only"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* And is not listed, so that nothing stumbles over it later. */
static PetscErrorCode test_a_type_without_its_parts_is_refused(void)
{
  const char *const *type, *const *method;
  PetscInt    before, after;
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&before, &type, &method));
  CHECK_RAISES(RungStepperRegister("bdf", &idle), "a stepper type \"bdf\" is registered already");
  CHECK_RAISES(RungStepperRegister(NULL, &idle), "a stepper type without a name");
  CHECK_RAISES(RungStepperRegister("", &idle), "a stepper type without a name");
  CHECK_RAISES(RungStepperRegister("mine", NULL), "stepper type \"mine\" without functions");
  CHECK_RAISES(RungStepperRegister("mine", &without_plan), "stepper type \"mine\" has no plan");
  CHECK_RAISES(RungStepperRegister("mine", &without_attempt), "stepper type \"mine\" has no attempt");
  CHECK_RAISES(RungStepperRegister("mine", &without_methods), "stepper type \"mine\" has no methods");
  CHECK_RAISES(RungStepperRegister("mine", &other_options), "wanted one that begins with -stepper_");
  PetscCall(RungStepperGetMethods(&after, &type, &method));
  CHECK(after == before);
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
  CHECK_RAISES(RungStepperSetType(stepper, "mine"), "no stepper type \"mine\"");
  PetscCall(RungStepperSetMethod(stepper, "esdirk43"));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_checkpoint_that_cannot_be_written_is_told_at_once),
               RUNG_TEST(test_what_is_not_there_is_named),
               RUNG_TEST(test_a_run_that_was_stopped_by_an_error_can_be_solved_again),
               RUNG_TEST(test_types_and_methods_are_suggested), RUNG_TEST(test_names_keys_and_orders_choose_methods),
               RUNG_TEST(test_bad_intervals_are_refused), RUNG_TEST(test_bad_tolerances_are_refused),
               RUNG_TEST(test_setters_after_set_up_are_refused),
               RUNG_TEST(test_a_system_that_was_set_up_as_stationary_is_refused),
               RUNG_TEST(test_methods_without_a_final_stage_are_refused_for_algebraic_unknowns),
               RUNG_TEST(test_options_are_read), RUNG_TEST(test_the_options_of_the_system_are_read_too),
               RUNG_TEST(test_options_without_effect_are_refused), RUNG_TEST(test_the_view_names_method_and_parameters),
               RUNG_TEST(test_a_registered_type_is_listed), RUNG_TEST(test_a_type_without_its_parts_is_refused))
