/* successor.c - a method that hands a run over to another one, its successor: an explicit one where the problem gets stiff.

   SetUp asks both what they need and makes levels that serve both; work vectors and solvers are those of the one in use.  The family
   says from which level on the successor goes on (RungStepperOps.leave), by what the level holds; attempts that are refused again and
   again say so, too.  Both are saved: a run that is continued from a checkpoint is handed over at the same level.  The names in a checkpoint tell which of both goes on from it.  Nobody hands back,
   but a new start begins with the first method again. */
#include "step_impl.h"

#define TRIES 6     /* attempts in a row that are refused, or .. */
#define SHORT 1e-12 /* .. a step of so much of the time: the successor may get on, or say more about why it does not */

static void swap(RungStepper stepper)
{
  const RungOtherMethod now = {.type    = stepper->type,
                               .ops     = stepper->ops,
                               .data    = stepper->data,
                               .methods = stepper->methods,
                               .chosen  = stepper->chosen,
                               .method  = stepper->method,
                               .plan    = stepper->plan};

  stepper->type    = stepper->other.type;
  stepper->ops     = stepper->other.ops;
  stepper->data    = stepper->other.data;
  stepper->methods = stepper->other.methods;
  stepper->chosen  = stepper->other.chosen;
  stepper->method  = stepper->other.method;
  stepper->plan    = stepper->other.plan;
  stepper->other   = now;
}

/* What the successor, in use for the moment, needs for this system. */
static PetscErrorCode plan_successor(RungStepper stepper)
{
  RungMethodPlan *plan = &stepper->plan;

  PetscFunctionBegin;
  if (stepper->from_options && stepper->ops->read) PetscCall(stepper->ops->read(stepper));
  PetscCall(stepper->ops->plan(stepper, &stepper->traits, plan));
  PetscCall(RungDutiesCheckPlan(stepper, plan));
  PetscCheck(!plan->carried && !plan->numbers && !((plan->can ^ stepper->other.plan.can) & RUNG_CAN_SPLIT),
             stepper->comm, PETSC_ERR_SUP,
             "method \"%s\" cannot go on from a level of \"%s\": it looks for vectors and numbers of its own, or takes "
             "other parts of the system",
             stepper->method[stepper->chosen], stepper->other.method[stepper->other.chosen]);
  PetscCall(RungAbilitiesCheck(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSuccessorFind(RungStepper stepper)
{
  RungOtherMethod *other = &stepper->other;
  const char      *name, *method;

  PetscFunctionBegin;
  if (stepper->stable) stepper->plan.successor = NULL; /* no step comes to the limit */
  if (!stepper->plan.successor) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(stepper->adaptive, stepper->comm, PETSC_ERR_ARG_INCOMP,
             "method \"%s\" goes over to \"%s\" in adaptive steps alone; give tolerances by -stepper_rtol",
             stepper->method[stepper->chosen], stepper->plan.successor);
  PetscCall(RungStepperTypeOf(stepper->plan.successor, &name, &method));
  PetscCheck(name, stepper->comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "method \"%s\" goes over to \"%s\", and there is none",
             stepper->method[stepper->chosen], stepper->plan.successor);
  PetscCall(RungStepperFindType(stepper->comm, name, &other->type, &other->ops));
  other->method = other->ops->methods;
  PetscCall(PetscCalloc(other->ops->size, &other->data));
  for (PetscInt i = 0; other->method[i]; ++i) {
    if (other->method[i] == method) other->chosen = i;
    other->methods = i + 1;
  }
  swap(stepper);
  RungCallFinally(plan_successor(stepper), swap(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSuccessorForget(RungStepper stepper)
{
  PetscFunctionBegin;
  if (!stepper->other.type) PetscFunctionReturn(PETSC_SUCCESS);
  if (!stepper->handed) swap(stepper);
  if (stepper->ops->destroy) PetscCall(stepper->ops->destroy(stepper));
  PetscCall(PetscFree(stepper->data));
  swap(stepper);
  stepper->other  = (RungOtherMethod){0};
  stepper->handed = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSuccessorExchange(RungStepper stepper)
{
  PetscFunctionBegin;
  PetscCall(RungMethodRelease(stepper));
  swap(stepper);
  stepper->handed = stepper->handed ? PETSC_FALSE : PETSC_TRUE;
  PetscCall(RungMethodPrepare(stepper));
  PetscCall(RungTellSolves(stepper));
  PetscCall(RungStagesSetUp(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSuccessorStart(RungStepper stepper, PetscBool fresh)
{
  PetscFunctionBegin;
  if (fresh && stepper->handed) PetscCall(RungSuccessorExchange(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSuccessorAsk(RungStepper stepper, PetscBool *exchanged)
{
  const RungState *level;

  PetscFunctionBegin;
  *exchanged = PETSC_FALSE;
  if (!stepper->other.type || stepper->handed || !stepper->ops->leave) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &level));
  PetscCall(stepper->ops->leave(stepper, level, exchanged));
  if (stepper->control.refused >= TRIES || stepper->control.h < SHORT * PetscAbsReal(level->t)) *exchanged = PETSC_TRUE;
  if (!*exchanged) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSuccessorExchange(stepper));
  if (stepper->progress.mode != RUNG_MONITOR_NONE)
    PetscCall(RungNotice(stepper->comm, "stiff at t = %g, where %s can take short steps alone: %s goes on",
                         (double)level->t, stepper->other.method[stepper->other.chosen],
                         stepper->method[stepper->chosen]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperGetSuccessor(RungStepper stepper, const char **method, PetscBool *found)
{
  const RungOtherMethod *other = &stepper->other;

  PetscFunctionBegin;
  RungNeed(stepper);
  *method = other->type && !stepper->handed ? other->method[other->chosen] : NULL;
  *found  = stepper->adaptive && stepper->choose_first ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
