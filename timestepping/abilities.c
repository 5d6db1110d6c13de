/* abilities.c - what a system asks of a method, in one place: who cannot is refused, with those who can. */
#include "step_impl.h"
#include <rungtext_room.h>

/* What the system asks for: all of it, the first that the method lacks, and how to say that. */
typedef struct {
  unsigned need, lacks;
  char     why[1024];
} Demand;

static void demand(const RungMethodPlan *plan, PetscBool force, Demand *d, unsigned ability, const char format[], ...)
{
  va_list arguments;

  d->need |= ability;
  if (d->lacks || ((plan->can | (force ? plan->forced : 0)) & ability)) return;
  d->lacks = ability;
  va_start(arguments, format);
  (void)vsnprintf(d->why, sizeof d->why, format, arguments);
  va_end(arguments);
}

static PetscErrorCode ask_of_orders(RungStepper stepper, const RungMethodPlan *plan, Demand *d)
{
  const RungTraits *traits = &stepper->traits;
  const char       *name   = "u";

  PetscFunctionBegin;
  for (PetscInt f = 0; f < traits->unknowns; ++f) {
    if (traits->unknown_order[f] == 2) PetscCall(RungSystemGetUnknown(stepper->sys, f, &name, NULL));
  }
  if (traits->order == 1)
    demand(plan, stepper->force, d, RUNG_CAN_ORDER1, "advances systems of order 2, this one has order 1");
  else
    demand(plan, stepper->force, d, RUNG_CAN_ORDER2,
           "advances systems of order 1, and \"%s\" has a second derivative in time", name);
  if (traits->conserved)
    demand(plan, stepper->force, d, RUNG_CAN_CONSERVE,
           "does not keep conserved terms, here dt() of what is no multiple of an unknown");
  if (!traits->constant_block[traits->order])
    demand(plan, stepper->force, d, RUNG_CAN_VARY_MASS,
           "keeps the derivative of F by the highest rates, and here it depends on t or on unknowns (callbacks say by "
           "traits.constant_block[%" PetscInt_FMT "] that it does not)",
           traits->order);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ask_of_parts(RungStepper stepper, const RungMethodPlan *plan, Demand *d)
{
  PetscBool condensed, bounded;

  PetscFunctionBegin;
  if (stepper->algebraic)
    demand(plan, stepper->force, d, RUNG_CAN_ALGEBRAIC,
           "does not keep its order in algebraic unknowns, here \"%s\", of which no equation holds a rate",
           stepper->unrated);
  for (PetscInt f = 0; f < stepper->traits.unknowns; ++f) {
    const char *name;

    PetscCall(RungSystemHasBoundsOn(stepper->sys, f, &bounded));
    PetscCall(RungSystemGetUnknown(stepper->sys, f, &name, NULL));
    if (bounded) demand(plan, stepper->force, d, RUNG_CAN_BOUND, "keeps no bounds, and \"%s\" has some", name);
  }
  PetscCall(RungSystemGetCondensed(stepper->sys, &condensed));
  if (condensed)
    demand(plan, stepper->force, d, RUNG_CAN_CONDENSE,
           "leaves internal variables at points in its matrix, and another stepper of the system eliminates them; "
           "-system_condense false leaves them there for all");
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define SHOWN 6 /* names in a list */

/* "esdirk43, bdf2 or 20 others": methods that can, the first ones of each family before all others; constrained: there is a
   constraint without highest rates and unknowns that have none. */
static PetscErrorCode list_able(unsigned need, PetscBool estimate, PetscBool constrained, const char but[], char text[],
                                size_t size)
{
  const char *const *types, *const *methods;
  PetscInt n, shown = 0, more = 0;

  PetscFunctionBegin;
  text[0] = '\0';
  PetscCall(RungStepperGetMethods(&n, &types, &methods));
  for (int first = 1; first >= 0; --first) {
    for (PetscInt i = 0; i < n; ++i) {
      const RungStepperOps *ops;
      RungMethodPlan        plan;

      PetscCall(RungStepperOpsOf(types[i], &ops));
      if (first != !strcmp(methods[i], ops->first ? ops->first : ops->methods[0]) || !strcmp(methods[i], but)) continue;
      PetscCall(RungStepperGetPlan(types[i], methods[i], &plan));
      if ((plan.can & need) != need || (estimate && !plan.exponent) || (constrained && plan.index1)) continue;
      if (shown == SHOWN) {
        ++more;
        continue;
      }
      if (shown++) PetscCall(RungTextAppend(text, ", ", size));
      PetscCall(RungTextAppend(text, methods[i], size));
    }
  }
  if (more) {
    char rest[64];

    PetscCall(PetscSNPrintf(rest, sizeof rest, " or one of %" PetscInt_FMT " others", more));
    PetscCall(RungTextAppend(text, rest, size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_estimate(RungStepper stepper, unsigned need, PetscBool constrained)
{
  const char *method = stepper->method[stepper->chosen];
  char        list[1024];

  PetscFunctionBegin;
  PetscCheck(
    stepper->adaptive || !stepper->choose_first, stepper->comm, PETSC_ERR_ORDER,
    "the stepper has no step; give it one by RungStepperSetInterval or -stepper_dt, or tolerances by -stepper_rtol");
  if (!stepper->adaptive || stepper->plan.exponent) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(list_able(need, PETSC_TRUE, constrained, method, list, sizeof list));
  SETERRQ(
    stepper->comm, PETSC_ERR_SUP,
    "%s method \"%s\" has no error estimate to choose steps by; leave the tolerances away, or take one that has: %s",
    stepper->type, method, list[0] ? list : "there is none");
}

/* What the start of the run would refuse (RungStageCheckRegular), as far as the text tells: for `rung check`, too. */
static PetscErrorCode check_index(RungStepper stepper, const char name[])
{
  PetscFunctionBegin;
  PetscCheck(!name[0], stepper->comm, PETSC_ERR_SUP,
             "%s method \"%s\" finds unknowns without a rate, as \"%s\", together with the rates of the others, and "
             "the equation of \"%s\" holds neither; take a method for constraints on values alone (index 2), as trbdf2",
             stepper->type, stepper->method[stepper->chosen], stepper->unrated, name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungAbilitiesCheck(RungStepper stepper)
{
  const char *method = stepper->method[stepper->chosen];
  char        list[1024], equation[RUNG_NAME_LENGTH] = "";
  PetscBool   constrained;
  Demand      d = {0, 0, ""};

  PetscFunctionBegin;
  if (stepper->algebraic) PetscCall(RungSystemGetConstraint(stepper->sys, PETSC_FALSE, equation, sizeof equation));
  constrained = equation[0] ? PETSC_TRUE : PETSC_FALSE;
  if (stepper->algebraic && stepper->plan.index1 != 1)
    PetscCall(RungSystemGetConstraint(stepper->sys, PETSC_TRUE, equation, sizeof equation));
  PetscCall(ask_of_orders(stepper, &stepper->plan, &d));
  PetscCall(ask_of_parts(stepper, &stepper->plan, &d));
  if (d.lacks) {
    const char *out = stepper->plan.way_out;

    PetscCall(list_able(d.need, stepper->adaptive, constrained, method, list, sizeof list));
    SETERRQ(stepper->comm, PETSC_ERR_SUP, "%s method \"%s\" %s; %s%s%s", stepper->type, method, d.why,
            out ? out : "take one that can: ",
            out       ? ""
            : list[0] ? list
                      : "there is none",
            stepper->plan.forced & d.lacks ? "; or insist with -stepper_force" : "");
  }
  if (stepper->plan.index1) PetscCall(check_index(stepper, equation));
  PetscCall(check_estimate(stepper, d.need, constrained));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperGetCaution(RungStepper stepper, char text[], size_t size)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  text[0] = 0;
  if (stepper->adaptive && stepper->plan.caution) PetscCall(PetscStrncpy(text, stepper->plan.caution, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungAbilitiesWarn(RungStepper stepper)
{
  PetscFunctionBegin;
  if (stepper->adaptive && stepper->plan.caution && !stepper->warned)
    PetscCall(RungWarning(stepper->comm, "%s method \"%s\" %s", stepper->type, stepper->method[stepper->chosen],
                          stepper->plan.caution));
  stepper->warned = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
