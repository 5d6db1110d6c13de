/* turns.c - backward differences of order 1 and 2 by turns, as a family from outside: which order a step has is a number of its level,
   a refusal asks for order 1, which the control keeps and saves, since the level's number is rolled back with it.

       order 1   h u'_n+1 = u_n+1 - u_n
       order 2   h u'_n+1 = (1 + 2 w)/(1 + w) u_n+1 - (1 + w) u_n + w^2/(1 + w) u_n-1,     w = h_n+1/h_n */
#include "outside.h"

typedef struct {
  RungStepperFacts facts;
  Vec              base, e;  /* lent work                                      */
  PetscInt         order;    /* of the attempt in hand                         */
  PetscInt         lowered;  /* steps that a refusal has lowered, for the test */
  PetscReal        strength; /* -stepper_turn_shrink: of a step after a refusal */
} Turns;

static const char *const methods[] = {"turns", NULL};
static PetscInt          lowered; /* of the last run */

static PetscErrorCode read_options(RungStepper stepper)
{
  Turns *turns = RungStepperGetData(stepper);

  PetscFunctionBegin;
  if (turns->strength == 0) turns->strength = 0.5;
  PetscCall(RungStepperReadReal(stepper, "-stepper_turn_shrink", "above 0 and below 1", &turns->strength, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode plan(RungStepper stepper, const RungTraits *traits, RungMethodPlan *plan)
{
  Turns *turns = RungStepperGetData(stepper);

  PetscFunctionBegin;
  (void)traits;
  PetscCall(RungStepperGetFacts(stepper, &turns->facts));
  plan->order       = 1;
  plan->exponent    = 2;
  plan->depth       = 2;
  plan->numbers     = 1;
  plan->matrices    = 2;
  plan->work        = 2;
  plan->can         = RUNG_CAN_ORDER1 | RUNG_CAN_ALGEBRAIC | RUNG_CAN_VARY_MASS | RUNG_CAN_BOUND;
  plan->stages      = 1;
  plan->solves      = 1;
  plan->stage_order = 1;
  plan->angle       = 90;
  plan->citation    = "Curtiss and Hirschfelder, Proc. Nat. Acad. Sci. 38, 1952";
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode setup(RungStepper stepper)
{
  Turns *turns = RungStepperGetData(stepper);
  Vec   *work;

  PetscFunctionBegin;
  PetscCall(RungStepperGetWork(stepper, &work));
  turns->base    = work[0];
  turns->e       = work[1];
  turns->lowered = lowered = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where there is one level only the order is 1; else what a refusal wants, or the level. */
static PetscErrorCode choose_order(RungStepper stepper, const RungState *from, PetscInt *order)
{
  PetscInt levels, asked;

  PetscFunctionBegin;
  PetscCall(RungStepperGetLevels(stepper, &levels));
  PetscCall(RungStepperGetNextOrder(stepper, &asked));
  *order = levels < 2 ? 1 : asked ? asked : (PetscInt)from->number[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode attempt(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                              RungVerdict *verdict)
{
  Turns           *turns  = RungStepperGetData(stepper);
  const RungState *before = NULL;
  PetscReal        slope = 1 / h, c[2] = {-1 / h, 0};
  RungLine         line;

  PetscFunctionBegin;
  PetscCall(choose_order(stepper, from, &turns->order));
  if (turns->order == 2) {
    PetscReal w;

    PetscCall(RungStepperGetState(stepper, 1, &before));
    w     = h / (from->t - before->t);
    slope = (1 + 2 * w) / ((1 + w) * h);
    c[0]  = -(1 + w) / h;
    c[1]  = w * w / ((1 + w) * h);
  }
  memset(&line, 0, sizeof line);
  RungLineSetSlope(stepper, &line, 0, 1);
  RungLineSetSlope(stepper, &line, 1, slope);
  PetscCall(RungCombine(turns->base, 2, c, (Vec[]){from->u[0], before ? before->u[0] : NULL}));
  line.base[1] = turns->base;
  PetscCall(VecCopy(from->u[0], to->u[0]));
  PetscCall(RungStagePredict(stepper, to->t, to->u[0]));
  PetscCall(RungStageSolve(stepper, to->t, &line, NULL, to->u[0], verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecWAXPY(to->u[1], slope, to->u[0], turns->base));
  to->number[0] = turns->order;
  if (!turns->facts.adaptive) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecWAXPY(turns->e, -1, from->u[1], to->u[1]));
  PetscCall(VecScale(turns->e, turns->order == 1 ? h / 2 : h / 8));
  PetscCall(RungStepperMeasure(stepper, (Vec[]){turns->e, NULL}, NULL, from, to, &verdict->error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next one has the other order. */
static PetscErrorCode accepted(RungStepper stepper, const RungState *from, RungState *to, PetscReal *ratio)
{
  Turns   *turns = RungStepperGetData(stepper);
  PetscInt asked;

  PetscFunctionBegin;
  (void)from, (void)ratio;
  PetscCall(RungStepperGetNextOrder(stepper, &asked));
  if (asked) lowered = ++turns->lowered;
  to->number[0] = turns->order == 1 ? 2 : 1;
  PetscCall(RungStepperSetNextOrder(stepper, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode lower(RungStepper stepper, const RungState *from, PetscReal h, const RungVerdict *verdict,
                            PetscReal *ratio)
{
  Turns *turns = RungStepperGetData(stepper);

  PetscFunctionBegin;
  (void)from, (void)h, (void)verdict;
  PetscCall(RungStepperSetNextOrder(stepper, 1));
  *ratio = turns->strength > 0 ? turns->strength : 0.5;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const RungMethodOption options[] = {{"-stepper_turn_shrink", "turns: of a step that was refused, 0 to 1"},
                                           {NULL, NULL}};

static const RungStepperOps ops = {.methods  = methods,
                                   .options  = options,
                                   .size     = sizeof(Turns),
                                   .read     = read_options,
                                   .plan     = plan,
                                   .setup    = setup,
                                   .attempt  = attempt,
                                   .accepted = accepted,
                                   .refused  = lower};

/* ---- does it work? ------------------------------------------------------------------------------------------------ */

static PetscErrorCode check_runs(void)
{
  Run       run = {.type = "turns", .end = 1, .dt = 0.1};
  Found     found;
  PetscReal error[2], order;

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i, run.dt /= 2) PetscCall(error_of("index1", &run, &found, &error[i]));
  WANT(error[0] / error[1] > 1.7 && error[0] / error[1] < 2.6, "errors %.3e %.3e", error[0], error[1]);
  run.dt   = 1; /* too long: refused, at order 1 then */
  run.rtol = 1e-4;
  PetscCall(error_of("decay", &run, &found, &error[0]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "turns at 1e-4: %d steps, %d rejected, %d lowered, error %.3e\n",
                        (int)found.count.steps, (int)found.count.rejected, (int)lowered, (double)error[0]));
  WANT(found.count.rejected > 0 && lowered > 0 && error[0] < 1e-2, "%g rejected, error %.3e",
       (double)found.count.rejected, error[0]);
  PetscCall(study("turns", "turns", "power_edge", 0.0125, &error[0], &order));
  WANT(order > 0.85, "order %g%.0f", order, 0.0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_the_rest(void)
{
  Run run = {.type = "turns", .end = 1, .dt = 0.1};

  PetscFunctionBegin;
  PetscCall(is_listed("turns", "turns"));
  for (PetscInt step = 3; step <= 5; ++step) PetscCall(restarts("decay", run, 1, step)); /* at each order */
  run.rtol = 1e-3;
  for (PetscInt step = 1; step <= 5; step += 2) PetscCall(restarts("index1", run, 1, step));
  run.rtol = 0;
  PetscCall(refused("oscillator", &run, "advances systems of order 1"));
  PetscCall(refused("conserved", &run, "does not keep conserved terms"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(check_all(argc, argv, "Two orders by turns from outside.\n", "turns", &ops, check_runs, check_the_rest));
  return 0;
}
