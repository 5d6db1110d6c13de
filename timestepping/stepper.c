/* stepper.c - life of a stepper: type, method, interval, set-up, view. */
#include "step_impl.h"
#include <rungtext_room.h>

#define STEPS_AHEAD 20 /* of free size, as far as the choice of a solver asks */
#define STEPS_ALIKE 4  /* steps of one size between changes of it, in the mean */

PetscErrorCode RungStepperCreate(MPI_Comm comm, RungStepper *created)
{
  RungStepper stepper;

  PetscFunctionBegin;
  RungNeedArgument(created);
  PetscCall(PetscNew(&stepper));
  PetscCall(PetscCommDuplicate(comm, &stepper->comm, NULL));
  stepper->max_steps     = -1;
  stepper->atol          = RUNG_AUTOMATIC;
  stepper->times.most    = PETSC_INFINITY;
  stepper->events.parts  = 4;
  stepper->progress.mode = RUNG_MONITOR_AUTO;
  *created               = stepper;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_new(RungStepper stepper, const char what[])
{
  PetscFunctionBegin;
  PetscCheck(!stepper->ready, stepper->comm, PETSC_ERR_ORDER, "%s after the stepper was set up; call it before", what);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperSetSystem(RungStepper stepper, RungSystem sys)
{
  PetscBool set;

  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(check_new(stepper, "RungStepperSetSystem"));
  RungNeed(sys);
  PetscCall(RungCommCheck(RungSystemComm(sys), "the system", stepper->comm, "the stepper"));
  PetscCall(RungSystemIsSetUp(sys, &set));
  if (!set) PetscCall(RungSystemSetLeastOrder(sys, 1)); /* a quasi-static one */
  PetscCall(RungSystemReference(sys));
  PetscCall(RungSystemDestroy(&stepper->sys));
  stepper->sys = sys;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperGetSystem(RungStepper stepper, RungSystem *sys)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeedArgument(sys);
  *sys = stepper->sys;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- type and method -------------------------------------------------------------------------------------------- */

static PetscErrorCode drop_type(RungStepper stepper)
{
  PetscFunctionBegin;
  if (stepper->ops && stepper->ops->destroy) PetscCall(stepper->ops->destroy(stepper));
  PetscCall(PetscFree(stepper->data));
  stepper->ops     = NULL;
  stepper->type    = NULL;
  stepper->methods = stepper->chosen = stepper->advice = 0;
  stepper->method                                      = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperSetType(RungStepper stepper, RungStepperType type)
{
  const RungStepperOps *ops;
  const char           *name;

  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(check_new(stepper, "RungStepperSetType"));
  PetscCall(RungStepperFindType(stepper->comm, type, &name, &ops));
  if (stepper->type == name) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(drop_type(stepper));
  PetscCall(PetscCalloc(ops->size, &stepper->data));
  stepper->type   = name;
  stepper->ops    = ops;
  stepper->method = ops->methods;
  while (ops->methods[stepper->methods]) ++stepper->methods;
  while (ops->first && strcmp(ops->first, ops->methods[stepper->chosen]) != 0) ++stepper->chosen;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperGetType(RungStepper stepper, RungStepperType *type)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeedArgument(type);
  *type = stepper->type;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refuse_method(RungStepper stepper, const char method[])
{
  const char *nearest, *type, *name;
  char        list[2048] = "", hint[256];

  PetscFunctionBegin;
  PetscCall(RungStepperTypeOf(method, &type, &name));
  PetscCheck(!type, stepper->comm, PETSC_ERR_ARG_UNKNOWN_TYPE,
             "method \"%s\" belongs to stepper type %s, this stepper has type %s; add -stepper_type %s", method, type,
             stepper->type, type);
  PetscCall(RungStepperHint(stepper->type, method, hint, sizeof hint));
  PetscCall(RungSuggest(method, stepper->methods, stepper->method, &nearest));
  if (!hint[0] && nearest) PetscCall(PetscSNPrintf(hint, sizeof hint, "; did you mean \"%s\"", nearest));
  for (PetscInt i = 0; i < stepper->methods; ++i) {
    PetscCall(RungTextAppend(list, i ? ", " : "", sizeof list));
    PetscCall(RungTextAppend(list, stepper->method[i], sizeof list));
  }
  SETERRQ(stepper->comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "stepper type %s has no method \"%s\"%s; there are %s",
          stepper->type, method, hint, list);
}

/* A method of no type, where none has been chosen. */
static PetscErrorCode refuse_name(RungStepper stepper, const char method[])
{
  const char *nearest, *const *types, *const *methods;
  char     hint[256];
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &types, &methods));
  PetscCall(RungSuggest(method, n, (const char **)methods, &nearest));
  PetscCall(RungStepperHint(NULL, method, hint, sizeof hint));
  if (!hint[0] && nearest) PetscCall(PetscSNPrintf(hint, sizeof hint, "; did you mean \"%s\"?", nearest));
  SETERRQ(stepper->comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "no method is called \"%s\"%s", method,
          hint[0] ? hint : "; docs/methods.md and `rung list methods` have all of them");
}

PetscErrorCode RungStepperSetMethod(RungStepper stepper, const char method[])
{
  const char *type, *name;

  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(check_new(stepper, "RungStepperSetMethod"));
  PetscCheck(method, stepper->comm, PETSC_ERR_ARG_NULL, "a method without a name; wanted one like \"esdirk43\"");
  PetscCall(RungStepperTypeOf(method, &type, &name));
  if (!stepper->type && !type) PetscCall(refuse_name(stepper, method));
  if (!stepper->type) PetscCall(RungStepperSetType(stepper, type));
  for (PetscInt i = 0; i < stepper->methods; ++i) {
    if (type != stepper->type || strcmp(name, stepper->method[i]) != 0) continue;
    stepper->chosen = i;
    stepper->advice = 0;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(refuse_method(stepper, method));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperKeepMethod(RungStepper stepper)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  if (stepper->ready || stepper->lasting) PetscFunctionReturn(PETSC_SUCCESS);
  stepper->lasting = PETSC_TRUE;
  if (!stepper->advice) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(drop_type(stepper)); /* options have made it take one */
  PetscCall(RungAdviceTake(stepper));
  if (stepper->ops->read) PetscCall(stepper->ops->read(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the method for its system, or by itself where there is none yet. */
static PetscErrorCode find_order(RungStepper stepper, PetscInt *order)
{
  RungMethodPlan plan = stepper->plan;

  PetscFunctionBegin;
  if (!stepper->ready) PetscCall(RungStepperOwnPlan(stepper, &plan));
  *order = plan.order;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperGetMethod(RungStepper stepper, const char **method, PetscInt *order)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  if (method) *method = stepper->type && stepper->methods ? stepper->method[stepper->chosen] : NULL;
  if (order) *order = 0;
  if (order && stepper->type) PetscCall(find_order(stepper, order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The order chooses a method of types that have the option. */
PetscErrorCode RungStepperSetOrder(RungStepper stepper, PetscInt order)
{
  const RungMethodOption *option;
  char                    types[256], orders[256] = "", item[16];

  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(check_new(stepper, "RungStepperSetOrder"));
  option = stepper->type ? stepper->ops->options : NULL;
  while (option && option->name && strcmp(option->name, "-stepper_order") != 0) ++option;
  PetscCall(RungStepperListTypes("-stepper_order", types, sizeof types));
  PetscCheck(
    option && option->name, stepper->comm, PETSC_ERR_ARG_WRONGSTATE,
    "an order (-stepper_order) belongs to type %s, this stepper has %s; other types choose it by -stepper_method",
    types, stepper->type ? stepper->type : "no type");
  for (PetscInt i = 0; i < stepper->methods; ++i) {
    RungMethodPlan plan;

    PetscCall(RungStepperGetPlan(stepper->type, stepper->method[i], &plan));
    if (plan.order == order) {
      stepper->chosen = i;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(PetscSNPrintf(item, sizeof item, "%s%" PetscInt_FMT, i ? " or " : "", plan.order));
    PetscCall(RungTextAppend(orders, item, sizeof orders));
  }
  SETERRQ(stepper->comm, PETSC_ERR_ARG_OUTOFRANGE, "%s of order %" PetscInt_FMT ", wanted %s", stepper->type, order,
          orders);
}

/* ---- interval ---------------------------------------------------------------------------------------------------- */

PetscErrorCode RungStepperSetInterval(RungStepper stepper, PetscReal t0, PetscReal t1, PetscReal dt)
{
  const PetscReal length = t1 - t0, size = PetscMax(PetscAbsReal(t0), PetscAbsReal(t1));

  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCheck(
    !stepper->solving, stepper->comm, PETSC_ERR_ORDER,
    "RungStepperSetInterval by a callback, monitor or event of the stepper while it solves, which is half way through "
    "the interval that it has; let Solve come back before, by an event that stops it, or add a stop time");
  PetscCheck(!PetscIsInfOrNanReal(t0) && !PetscIsInfOrNanReal(t1), stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "an interval from t = %g to %g, wanted finite numbers", (double)t0, (double)t1);
  PetscCheck(t1 >= t0, stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "the interval ends at t = %g before it starts at %g; time runs forwards, exchange them", (double)t1,
             (double)t0);
  PetscCheck((dt > 0 || dt == PETSC_DEFAULT) && !PetscIsInfOrNanReal(dt), stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "the step is dt = %g, wanted a positive finite number", (double)dt);
  /* with tolerances it is the first step alone: from 1e-6 they may grow on the way to 1e11 */
  PetscCheck(
    dt == PETSC_DEFAULT || dt > 4 * PETSC_MACHINE_EPSILON * PetscAbsReal(t0), stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
    "a step of %g at times from %.17g to %.17g is lost in rounding; take larger ones, or move the origin of time",
    (double)dt, (double)t0, (double)t1);
  PetscCheck(length == 0 || length >= 100 * PETSC_MACHINE_EPSILON * size, stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "the interval from t = %.17g to %.17g is lost in rounding; move the origin of time", (double)t0,
             (double)t1);
  stepper->t0           = t0;
  stepper->t1           = t1;
  stepper->dt           = dt > 0 ? dt : t1 - t0;
  stepper->choose_first = dt > 0 ? PETSC_FALSE : PETSC_TRUE;
  stepper->interval     = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperGetInterval(RungStepper stepper, PetscReal *t0, PetscReal *t1, PetscReal *dt)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  if (t0) *t0 = stepper->t0;
  if (t1) *t1 = stepper->t1;
  if (dt) *dt = stepper->dt;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperCheckLadder(RungStepper stepper, PetscReal dt, PetscReal rtol)
{
  RungNeed(stepper);
  const PetscReal length = stepper->t1 - stepper->t0;

  PetscFunctionBegin;
  if (dt > 0) {
    PetscCheck(
      !stepper->adaptive, stepper->comm, PETSC_ERR_ARG_INCOMP,
      "a ladder of steps, dt = %g, and tolerances choose those of the run: leave -stepper_rtol and -stepper_atol "
      "away, or study a ladder of tolerances",
      (double)dt);
    PetscCheck(PetscAbsReal(dt - length) <= 1e-9 * length || dt < length, stepper->comm, PETSC_ERR_ARG_INCOMP,
               "a ladder of steps with dt = %g, and the run from t = %g to %g is shorter; take steps that fit into it",
               (double)dt, (double)stepper->t0, (double)stepper->t1);
    PetscCheck(PetscAbsReal(dt - stepper->dt) <= 1e-9 * dt, stepper->comm, PETSC_ERR_ARG_INCOMP,
               "a ladder of steps with dt = %g, and the run has gone in steps of %g: leave -stepper_dt and "
               "-stepper_stable away",
               (double)dt, (double)stepper->dt);
  } else
    PetscCheck(PetscAbsReal(rtol - stepper->rtol) <= 1e-9 * rtol, stepper->comm, PETSC_ERR_ARG_INCOMP,
               "a ladder of tolerances with tol = %g, and the run had rtol = %g: leave -stepper_rtol away",
               (double)rtol, (double)stepper->rtol);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperSetMaxSteps(RungStepper stepper, PetscInt steps)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCheck(steps != 0, stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "at most 0 steps, wanted a positive number, or -1 for no limit");
  stepper->max_steps = steps;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperSetMonitor(RungStepper stepper, RungMonitorMode mode)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCheck(mode >= RUNG_MONITOR_NONE && mode <= RUNG_MONITOR_ALL, stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "monitor %d, wanted RUNG_MONITOR_NONE, RUNG_MONITOR_AUTO, RUNG_MONITOR_SOME or RUNG_MONITOR_ALL",
             (int)mode);
  stepper->progress.mode = mode;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperAddMonitor(RungStepper stepper, RungMonitorFn *monitor, void *ctx)
{
  RungNeed(stepper);
  RungMonitorLink link, *end = &stepper->monitors;

  PetscFunctionBegin;
  PetscCheck(monitor, stepper->comm, PETSC_ERR_ARG_NULL, "a monitor without a function");
  PetscCall(PetscNew(&link));
  link->fn  = monitor;
  link->ctx = ctx;
  while (*end) end = &(*end)->link;
  *end = link;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- set-up ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode make_work(RungStepper stepper)
{
  const PetscInt n = stepper->plan.work;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n, &stepper->work));
  stepper->works = n;
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(RungSystemCreateVec(stepper->sys, &stepper->work[i]));
    PetscCall(VecZeroEntries(stepper->work[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What hits a bound with a velocity needs a law of impact; of methods, stages say which keep bounds. */
static PetscErrorCode check_bounds(RungStepper stepper)
{
  PetscFunctionBegin;
  for (PetscInt f = 0; f < stepper->traits.unknowns; ++f) {
    const char *name;
    PetscBool   bounded;

    if (stepper->traits.unknown_order[f] < 2) continue;
    PetscCall(RungSystemHasBoundsOn(stepper->sys, f, &bounded));
    PetscCall(RungSystemGetUnknown(stepper->sys, f, &name, NULL));
    PetscCheck(
      !bounded, stepper->comm, PETSC_ERR_SUP,
      "bounds on \"%s\", which has a second derivative in time: how it rebounds is not said by a bound; take a "
      "force that grows with the penetration, as 1e6*max(0, -%s)",
      name, name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A method that does not eliminate internal variables at points has them in its matrix. */
static PetscErrorCode keep_internal(RungStepper stepper)
{
  RungMethodPlan plan = {0};

  PetscFunctionBegin;
  if (!stepper->type) PetscFunctionReturn(PETSC_SUCCESS); /* defaults do */
  PetscCall(RungStepperOwnPlan(stepper, &plan));
  if (!(plan.can & RUNG_CAN_CONDENSE)) PetscCall(RungSystemKeepInternal(stepper->sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up_system(RungStepper stepper)
{
  PetscFunctionBegin;
  PetscCheck(stepper->sys, stepper->comm, PETSC_ERR_ORDER,
             "the stepper has no system; give it one by RungStepperSetSystem");
  PetscCheck(stepper->interval, stepper->comm, PETSC_ERR_ORDER,
             "the stepper has no interval; give it one by RungStepperSetInterval or -stepper_end and -stepper_dt");
  PetscCall(keep_internal(stepper));
  PetscCall(RungSystemSetUp(stepper->sys));
  PetscCall(RungSystemGetTraits(stepper->sys, &stepper->traits));
  PetscCheck(stepper->traits.order >= 1, stepper->comm, PETSC_ERR_ARG_WRONG,
             "the system has no time derivative and is set up as a stationary one; give it to the stepper before it is "
             "set up, or "
             "call RungSystemSetLeastOrder(sys, 1)");
  PetscCall(RungSystemHasDirichlet(stepper->sys, &stepper->dirichlet));
  PetscCall(RungSystemGetAlgebraic(stepper->sys, &stepper->algebraic, stepper->unrated, sizeof stepper->unrated));
  PetscCall(RungTolerancesSetUp(stepper));
  PetscCall(RungAdviceTake(stepper));
  PetscCall(check_bounds(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Errors of a run are O(tol^(p/k)) with steps whose error is O(h^k); where k is p + 1, as with generalized-alpha or TR-BDF2, six digits
   asked for were five.  Oscillations add up errors as long as they last, and algebraic entries have orders of their own: no
   proportion is to be had there. */
static void set_proportion(RungStepper stepper)
{
  const RungMethodPlan *plan  = &stepper->plan;
  PetscReal             power = (PetscReal)plan->exponent / (PetscReal)PetscMax(1, plan->order) - 1;

  if (stepper->traits.order != 1 || stepper->algebraic) power = 0;
  RungWeightsSetPower(stepper->weights, PetscMax(0, power));
}

/* What the method wants for this system, if the system is for it. */
static PetscErrorCode set_up_method(RungStepper stepper)
{
  PetscFunctionBegin;
  memset(&stepper->plan, 0, sizeof stepper->plan);
  PetscCall(stepper->ops->plan(stepper, &stepper->traits, &stepper->plan));
  PetscCall(RungDutiesCheckPlan(stepper, &stepper->plan));
  PetscCall(RungAbilitiesCheck(stepper));
  PetscCall(RungSuccessorFind(stepper));
  PetscCall(RungMethodPrepare(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMethodPrepare(RungStepper stepper)
{
  PetscFunctionBegin;
  set_proportion(stepper);
  PetscCall(make_work(stepper));
  if (stepper->ops->setup) PetscCall(stepper->ops->setup(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungMethodRelease(RungStepper stepper)
{
  PetscFunctionBegin;
  if (stepper->ops && stepper->ops->reset) PetscCall(stepper->ops->reset(stepper));
  PetscCall(RungLineSolverDestroy(&stepper->solver));
  for (PetscInt i = 0; i < stepper->works; ++i) PetscCall(VecDestroy(&stepper->work[i]));
  stepper->works = 0;
  PetscCall(PetscFree(stepper->work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Forgets what SetUp made; what the app said stays. */
static PetscErrorCode reset(RungStepper stepper)
{
  PetscFunctionBegin;
  PetscCall(RungMethodRelease(stepper));
  PetscCall(RungSuccessorForget(stepper));
  PetscCall(RungEventsReset(stepper));
  PetscCall(RungRecordsReset(stepper));
  PetscCall(RungTransientSystemDestroy(&stepper->ts));
  PetscCall(RungWeightsDestroy(&stepper->weights));
  PetscCall(VecDestroy(&stepper->free));
  stepper->ready = stepper->warned = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The implicit stages of all steps.  Fixed steps: the whole run's, wherever it goes on from, so that its continuation chooses the same
   solver.  How many steps of free size there will be nobody knows. */
PetscErrorCode RungTellSolves(RungStepper stepper)
{
  const PetscReal steps  = stepper->adaptive ? STEPS_AHEAD : (stepper->t1 - stepper->t0) / stepper->dt;
  const PetscReal solves = PetscMax(1, steps) * (PetscReal)PetscMax(1, stepper->plan.solves);
  const PetscInt  each   = stepper->adaptive ? STEPS_ALIKE * PetscMax(1, stepper->plan.solves) : 0;

  PetscFunctionBegin;
  PetscCall(RungSystemSetSolvesAhead(stepper->sys, (PetscInt)PetscMin(solves, 1e9), each));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_all(RungStepper stepper)
{
  const RungMethodPlan *plan = &stepper->plan, *next = &stepper->other.plan; /* zeros without a successor */
  PetscInt              kept;

  PetscFunctionBegin;
  PetscCall(RungStepperCheckRanks(stepper));
  PetscCall(RungStepperReadSystem(stepper));
  PetscCall(RungTolerancesReadOptions(stepper));
  PetscCall(RungOptionsCheck(stepper->comm));
  PetscCall(set_up_system(stepper));
  PetscCall(set_up_method(stepper));
  PetscCall(RungTimesCheck(stepper));
  kept = RungKeepsBefore(plan) || RungKeepsBefore(next) ? 3 : 2;
  PetscCall(RungTransientSystemCreate(stepper->sys, PetscMax(kept, PetscMax(plan->depth, next->depth)), plan->carried,
                                      &stepper->ts));
  PetscCall(RungTransientSystemSetNumbers(stepper->ts, plan->numbers));
  if (stepper->plan.can & RUNG_CAN_SPLIT) PetscCall(RungTransientSystemSetPart(stepper->ts, RUNG_IMPLICIT));
  PetscCall(RungTellSolves(stepper));
  PetscCall(RungStagesSetUp(stepper));
  PetscCall(RungRecordsSetUp(stepper));
  PetscCall(RungEventsSetUp(stepper));
  PetscCall(RungRestartSetUp(stepper));
  stepper->ready = PETSC_TRUE;
  if (stepper->view) PetscCall(RungStepperView(stepper, PETSC_VIEWER_STDOUT_(stepper->comm)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_or_reset(RungStepper stepper)
{
  PetscFunctionBegin;
  RungCallOrUndo(make_all(stepper), PetscCall(reset(stepper)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperSetUp(RungStepper stepper)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  if (stepper->ready) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(
    !stepper->making, stepper->comm, PETSC_ERR_ORDER,
    "the stepper is asked for what it has when it is set up, by plan() or setup() of a method; levels and lines are "
    "there from the first attempt on");
  stepper->making = PETSC_TRUE;
  PetscCall(RungLogPush(RUNG_LOG_SETUP));
  RungCallFinally(make_or_reset(stepper), stepper->making = PETSC_FALSE; PetscCall(RungLogPop()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what others ask -------------------------------------------------------------------------------------------- */

PetscErrorCode RungStepperGetTransientSystem(RungStepper stepper, RungTransientSystem *ts)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(RungStepperSetUp(stepper));
  *ts = stepper->ts;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperGetState(RungStepper stepper, PetscInt back, const RungState **state)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeedArgument(state);
  PetscCall(RungStepperSetUp(stepper));
  PetscCall(RungTransientSystemGetState(stepper->ts, back, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperGetStatistics(RungStepper stepper, RungStepperStatistics *statistics)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeedArgument(statistics);
  *statistics = stepper->statistics;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperView(RungStepper stepper, PetscViewer viewer)
{
  RungNeed(stepper);
  const PetscBool known    = stepper->type ? PETSC_TRUE : PETSC_FALSE;
  char            rest[96] = "", first[160];
  PetscInt        order;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethod(stepper, NULL, &order));
  if (!viewer) PetscCall(PetscViewerASCIIGetStdout(stepper->comm, &viewer));
  if (stepper->adaptive && stepper->atol >= 0)
    (void)snprintf(rest, sizeof rest, " at first, rtol = %g, atol = %g", (double)stepper->rtol, (double)stepper->atol);
  else if (stepper->adaptive)
    (void)snprintf(rest, sizeof rest, " at first, rtol = %g, atol = rtol times the largest value",
                   (double)stepper->rtol);
  PetscCall(PetscViewerASCIIPrintf(viewer, "stepper: %s %s, order %" PetscInt_FMT "\n",
                                   known ? stepper->type : "no type yet", known ? stepper->method[stepper->chosen] : "",
                                   order));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(RungAdviceView(stepper, viewer));
  if (known && stepper->ops->view) PetscCall(stepper->ops->view(stepper, viewer));
  if (stepper->adaptive && stepper->choose_first)
    PetscCall(PetscSNPrintf(first, sizeof first, "the first step is found%s", strchr(rest, ',')));
  else
    PetscCall(PetscSNPrintf(first, sizeof first, "dt = %g%s", (double)stepper->dt, rest));
  PetscCall(PetscViewerASCIIPrintf(viewer, "t from %g to %g, %s\n", (double)stepper->t0, (double)stepper->t1, first));
  if (stepper->ready && RungTimesLands(stepper))
    PetscCall(PetscViewerASCIIPrintf(
      viewer, "steps end at times of outputs: values between levels would be of a lower order than the method\n"));
  PetscCall(RungEventsView(stepper, viewer));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperDestroy(RungStepper *destroyed)
{
  RungNeedArgument(destroyed);
  RungStepper stepper = *destroyed;

  PetscFunctionBegin;
  if (!stepper) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(
    !stepper->solving, stepper->comm, PETSC_ERR_ORDER,
    "RungStepperDestroy by a method, monitor or event of the stepper while it solves; let Solve come back before, by "
    "an event that stops it or an error");
  PetscCall(reset(stepper));
  PetscCall(drop_type(stepper));
  PetscCall(RungRecordsDestroy(stepper));
  PetscCall(RungTolerancesDrop(stepper));
  PetscCall(RungTimesDestroy(stepper));
  PetscCall(RungEventsDestroy(stepper));
  while (stepper->monitors) {
    RungMonitorLink next = stepper->monitors->link;

    PetscCall(PetscFree(stepper->monitors));
    stepper->monitors = next;
  }
  PetscCall(RungSystemDestroy(&stepper->sys));
  PetscCall(PetscCommDestroy(&stepper->comm));
  PetscCall(PetscFree(*destroyed));
  PetscFunctionReturn(PETSC_SUCCESS);
}
