/* method.c - what a method asks its stepper. */
#include "step_impl.h"
#include <rungtext_room.h>

void *RungStepperGetData(RungStepper stepper)
{
  return stepper->data;
}

PetscErrorCode RungStepperGetFacts(RungStepper stepper, RungStepperFacts *facts)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeedArgument(facts);
  *facts = (RungStepperFacts){.comm      = stepper->comm,
                              .sys       = stepper->sys,
                              .method    = stepper->chosen,
                              .adaptive  = stepper->adaptive,
                              .ready     = stepper->ready,
                              .force     = stepper->force,
                              .itself    = stepper->advice ? PETSC_TRUE : PETSC_FALSE,
                              .traits    = &stepper->traits,
                              .algebraic = stepper->algebraic,
                              .dirichlet = stepper->dirichlet,
                              .points    = stepper->points};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperGetWork(RungStepper stepper, Vec **work)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeedArgument(work);
  PetscCheck(stepper->work, stepper->comm, PETSC_ERR_ORDER,
             "no work vectors for %s method \"%s\": plan() asks for none, or setup() was not reached yet",
             stepper->type, stepper->method[stepper->chosen]);
  *work = stepper->work;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperGetLevels(RungStepper stepper, PetscInt *levels)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeedArgument(levels);
  PetscCall(RungStepperSetUp(stepper));
  PetscCall(RungTransientSystemGetLevels(stepper->ts, levels));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperReadReal(RungStepper stepper, const char name[], const char range[], PetscReal *value,
                                   PetscBool *given)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeedArgument(name);
  RungNeedArgument(value);
  PetscCall(RungOptionRealIn(stepper->comm, name, NULL, range, value, given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperReadInt(RungStepper stepper, const char name[], const char range[], PetscInt *value,
                                  PetscBool *given)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeedArgument(name);
  RungNeedArgument(value);
  PetscCall(RungOptionIntIn(stepper->comm, name, NULL, range, value, given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperReadChoice(RungStepper stepper, const char name[], const char *const words[],
                                     PetscInt *choice)
{
  const char *near;
  char        word[64], list[512] = "";
  PetscInt    n = 0, found = 0;

  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeedArgument(name);
  RungNeedArgument(words);
  RungNeedArgument(choice);
  PetscCall(PetscStrncpy(word, words[*choice], sizeof word));
  PetscCall(RungOptionText(stepper->comm, name, NULL, NULL, sizeof word, word, NULL));
  while (words[found] && strcmp(word, words[found]) != 0) ++found;
  *choice = found;
  if (words[found]) PetscFunctionReturn(PETSC_SUCCESS);
  for (; words[n]; ++n) {
    PetscCall(RungTextAppend(list, !n ? "" : words[n + 1] ? ", " : " or ", sizeof list));
    PetscCall(RungTextAppend(list, words[n], sizeof list));
  }
  PetscCall(RungSuggest(word, n, words, &near));
  SETERRQ(stepper->comm, PETSC_ERR_ARG_WRONG, "%s %s, wanted %s%s%s%s", name, word, list, near ? "; did you mean " : "",
          near ? near : "", near ? "?" : "");
}

PetscErrorCode RungStepperSetNextOrder(RungStepper stepper, PetscInt order)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCheck(order >= 0, stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "order %" PetscInt_FMT " for the next step, wanted a positive one, or 0 for none", order);
  stepper->control.order = order;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperGetNextOrder(RungStepper stepper, PetscInt *order)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeedArgument(order);
  *order = stepper->control.order;
  PetscFunctionReturn(PETSC_SUCCESS);
}
