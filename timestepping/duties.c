/* duties.c - what a family owes the loop: names of its own, plans that make sense, attempts that write all of the new level and nothing of
   those before.  Who does not keep to it is told at once, since its numbers would be wrong without a word. */
#include "step_impl.h"

#include <petsc/private/petscimpl.h> /* PetscObjectStateGet */

/* ---- names -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode check_name(RungStepperType type, const RungStepperOps *ops, PetscInt i)
{
  const char *name[2] = {ops->methods[i], ops->keys ? ops->keys[i] : NULL}, *other, *method;

  PetscFunctionBegin;
  for (int j = 0; j < 2; ++j) {
    if (j && !ops->keys) continue;
    PetscCheck(name[j] && name[j][0], PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
               "stepper type \"%s\" has a method without a %s, number %" PetscInt_FMT " of them", type,
               j ? "key" : "name", i + 1);
    PetscCall(RungStepperTypeOf(name[j], &other, &method));
    PetscCheck(!other, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "method \"%s\" of stepper type \"%s\" is one of type %s already; take another name", name[j], type,
               other);
  }
  for (PetscInt j = 0; j < i; ++j) {
    PetscCheck(strcmp(name[0], ops->methods[j]) != 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "stepper type \"%s\" has two methods \"%s\"; take another name for one", type, name[0]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An alias is of one method, and nobody's name. */
static PetscErrorCode check_aliases(RungStepperType type, const RungStepperOps *ops)
{
  PetscFunctionBegin;
  for (const RungMethodAlias *alias = ops->aliases; alias && alias->method; ++alias) {
    const char *other, *method;
    char        name[64];
    PetscInt    own = 0;
    int         read;

    while (ops->methods[own] && strcmp(ops->methods[own], alias->method) != 0) ++own;
    PetscCheck(ops->methods[own], PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
               "stepper type \"%s\" has aliases of \"%s\", which is none of its methods", type, alias->method);
    for (const char *at = alias->names; sscanf(at, " %63s%n", name, &read) == 1; at += read) {
      PetscCall(RungStepperTypeOf(name, &other, &method));
      for (const RungMethodAlias *before = ops->aliases; before < alias && !other; ++before) {
        char key[66];

        (void)snprintf(key, sizeof key, " %s ", name);
        if (strstr(before->names, key)) other = type, method = before->method;
      }
      PetscCheck(!other, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
                 "\"%s\" would be method \"%s\" of stepper type %s and \"%s\" of type %s; take another name", name,
                 alias->method, type, method, other);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDutiesCheckNames(RungStepperType type, const RungStepperOps *ops)
{
  PetscBool found = ops->first ? PETSC_FALSE : PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt i = 0; ops->methods[i]; ++i) {
    PetscCall(check_name(type, ops, i));
    if (ops->first && !strcmp(ops->first, ops->methods[i])) found = PETSC_TRUE;
  }
  PetscCheck(
    found, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
    "stepper type \"%s\" begins with method \"%s\", which is none of its own; wanted one of them, or NULL for %s", type,
    ops->first, ops->methods[0]);
  PetscCall(check_aliases(type, ops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- plans -------------------------------------------------------------------------------------------------------- */

PetscErrorCode RungDutiesCheckPlan(RungStepper stepper, const RungMethodPlan *plan)
{
  const struct {
    const char *name;
    PetscInt    value, least;
  } row[] = {
    {"order", plan->order, 1},     {"exponent", plan->exponent, 0}, {"depth", plan->depth, 0},
    {"carried", plan->carried, 0}, {"numbers", plan->numbers, 0},   {"matrices", plan->matrices, 0},
    {"work", plan->work, 0},       {"stages", plan->stages, 0},     {"stage_order", plan->stage_order, 0},
    {"solves", plan->solves, 0},   {"dense", plan->dense, 0},
  };
  const char *type = stepper->type, *method = stepper->method[stepper->chosen];

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    PetscCheck(row[i].value >= row[i].least, stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
               "plan() of %s method \"%s\" says %s = %" PetscInt_FMT ", wanted at least %" PetscInt_FMT, type, method,
               row[i].name, row[i].value, row[i].least);
  }
  PetscCheck(plan->growth == 0 || (plan->growth > 1 && plan->growth < PETSC_INFINITY), stepper->comm,
             PETSC_ERR_ARG_OUTOFRANGE, "plan() of %s method \"%s\" says growth = %g, wanted more than 1, or 0 for 2",
             type, method, (double)plan->growth);
  PetscCheck(!((plan->can | plan->forced) & ~(unsigned)RUNG_CAN_ALL), stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "plan() of %s method \"%s\" says can = %u, forced = %u, which holds what is no RUNG_CAN_..", type, method,
             plan->can, plan->forced);
  PetscCheck(
    plan->can & (RUNG_CAN_ORDER1 | RUNG_CAN_ORDER2), stepper->comm, PETSC_ERR_ARG_INCOMP,
    "plan() of %s method \"%s\" says that it advances no system; add RUNG_CAN_ORDER1 or RUNG_CAN_ORDER2 to can", type,
    method);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- attempts ----------------------------------------------------------------------------------------------------- */

/* How often the vectors of a level have been written. */
static PetscErrorCode add_writes(RungStepper stepper, const RungState *state, PetscObjectState *sum)
{
  PetscObjectState one;

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= stepper->traits.order; ++k) {
    PetscCall(PetscObjectStateGet((PetscObject)state->u[k], &one));
    *sum += one;
  }
  for (PetscInt i = 0; i < stepper->plan.carried; ++i) {
    PetscCall(PetscObjectStateGet((PetscObject)state->carry[i], &one));
    *sum += one;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode count_past(RungStepper stepper, PetscInt *levels, PetscObjectState *sum)
{
  const RungState *state;

  PetscFunctionBegin;
  *sum = 0;
  PetscCall(RungTransientSystemGetLevels(stepper->ts, levels));
  for (PetscInt i = 0; i < *levels; ++i) {
    PetscCall(RungTransientSystemPeekState(stepper->ts, i, &state));
    PetscCall(add_writes(stepper, state, sum));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDutiesBegin(RungStepper stepper, const RungState *to, RungDuties *duties)
{
  PetscFunctionBegin;
  duties->t  = to->t;
  duties->to = *to;
  PetscCall(count_past(stepper, &duties->levels, &duties->past));
  duties->found = RungTransientSystemCountFound(stepper->ts);
  for (PetscInt k = 0; k <= stepper->traits.order; ++k)
    PetscCall(PetscObjectStateGet((PetscObject)to->u[k], &duties->u[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of an attempt that is going to be accepted: one that is refused may have ended early. */
static PetscErrorCode check_level(RungStepper stepper, const RungState *to, PetscReal error, const RungDuties *duties)
{
  const char      *type = stepper->type, *method = stepper->method[stepper->chosen];
  PetscObjectState state;

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= stepper->traits.order; ++k) {
    PetscCall(PetscObjectStateGet((PetscObject)to->u[k], &state));
    PetscCheck(state != duties->u[k], stepper->comm, PETSC_ERR_ARG_WRONGSTATE,
               "attempt() of %s method \"%s\" does not write u[%" PetscInt_FMT
               "] of the new level, which holds what an older one left; wanted all of u[0] to u[%" PetscInt_FMT "]",
               type, method, k, stepper->traits.order);
  }
  PetscCheck(!stepper->adaptive || error >= 0 || PetscIsNanReal(error) ||
               duties->levels < PetscMax(2, stepper->plan.depth),
             stepper->comm, PETSC_ERR_ARG_WRONGSTATE,
             "attempt() of %s method \"%s\" estimates no error, though its plan says exponent = %" PetscInt_FMT
             "; call RungStepperMeasure(), or leave the exponent 0",
             type, method, stepper->plan.exponent);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The new level has the vectors that it had. */
static PetscErrorCode check_vectors(RungStepper stepper, RungState *to, const RungDuties *duties)
{
  const RungState found = *to;

  PetscFunctionBegin;
  *to   = duties->to;
  to->t = found.t;
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k)
    PetscCheck(found.u[k] == to->u[k], stepper->comm, PETSC_ERR_ARG_WRONGSTATE,
               "attempt() of %s method \"%s\" puts another vector in the place of u[%" PetscInt_FMT
               "]; copy its values",
               stepper->type, stepper->method[stepper->chosen], k);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDutiesCheck(RungStepper stepper, RungState *to, RungVerdict *verdict, const RungDuties *duties)
{
  const char      *type = stepper->type, *method = stepper->method[stepper->chosen];
  PetscObjectState past;
  PetscInt         levels;

  PetscFunctionBegin;
  PetscCall(check_vectors(stepper, to, duties));
  PetscCall(count_past(stepper, &levels, &past));
  if (RungTransientSystemCountFound(stepper->ts) != duties->found) past = duties->past;
  PetscCheck(levels == duties->levels && past == duties->past, stepper->comm, PETSC_ERR_ARG_WRONGSTATE,
             "attempt() of %s method \"%s\" writes to an accepted level, which the next attempt begins with; it may "
             "write to the new one alone",
             type, method);
  PetscCheck(to->t == duties->t, stepper->comm, PETSC_ERR_ARG_WRONGSTATE,
             "attempt() of %s method \"%s\" moves the new level from t = %.17g to %.17g; its time is the loop's", type,
             method, (double)duties->t, (double)to->t);
  if (verdict->solved && !(stepper->adaptive && verdict->error > 1))
    PetscCall(check_level(stepper, to, verdict->error, duties));
  if (!verdict->solved && !verdict->why[0])
    PetscCall(PetscSNPrintf(verdict->why, sizeof verdict->why, "%s method \"%s\" gives no reason", type, method));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDutiesEnd(RungStepper stepper)
{
  const RungState *state;
  PetscReal        size;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &state));
  for (PetscInt k = 0; k < stepper->traits.order; ++k) {
    PetscCall(VecNorm(state->u[k], NORM_INFINITY, &size));
    PetscCheck(!PetscIsInfOrNanReal(size), stepper->comm, PETSC_ERR_NOT_CONVERGED,
               "%s method \"%s\" ends at t = %g with values that are not finite, which none of its solves has seen; "
               "take smaller steps",
               stepper->type, stepper->method[stepper->chosen], (double)state->t);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
