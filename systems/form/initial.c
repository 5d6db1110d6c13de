/* initial.c - initial values: expressions of x and t at the nodes of their unknowns. */
#include <rungown_room.h>
#include "form_side_impl.h"

static PetscErrorCode read_value(RungSystem sys, PetscInt i)
{
  RungFormSide        form   = sys->form;
  const RungDataText *text   = &form->initial[i];
  RungTarget         *target = &form->target[i];
  char                label[512];
  RungExpr            expr;
  PetscBool           zero;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(label, sizeof label, "initial %s", text->name));
  PetscCall(RungTargetFind(sys, label, text->name, target));
  PetscCheck(target->k == 0 || sys->traits.unknown_order[target->unknown] > target->k, sys->comm, PETSC_ERR_ARG_WRONG,
             "%s: \"%s\" has order %" PetscInt_FMT
             " in time, so its initial rate follows from the equations; leave it out",
             label, form->name[target->unknown], sys->traits.unknown_order[target->unknown]);
  PetscCall(RungTargetRead(sys, target, label, text->text, &expr, &zero));
  if (!zero) PetscCall(RungPointwiseCreate(expr, &form->value[i]));
  PetscCall(RungGlobalCheckData(sys, target->unknown, label, text->text, form->value[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungInitialSetUp(RungSystem sys)
{
  RungFormSide form = sys->form;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(form->initials, &form->value));
  PetscCall(PetscCalloc1(form->initials, &form->target));
  for (PetscInt i = 0; i < form->initials; ++i) PetscCall(read_value(sys, i));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungInitialDestroy(RungSystem sys)
{
  RungFormSide form = sys->form;

  PetscFunctionBegin;
  for (PetscInt i = 0; form->value && i < form->initials; ++i) PetscCall(RungPointwiseDestroy(&form->value[i]));
  PetscCall(PetscFree(form->value));
  PetscCall(PetscFree(form->target));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&form->begin[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemSetInitialVec(RungSystem sys, PetscInt k, Vec u)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemNeedForm(sys, "RungSystemSetInitialVec"));
  PetscCall(RungSystemSetUp(sys));
  PetscCheck(k >= 0 && k < 2, sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "initial values of derivative %" PetscInt_FMT ", wanted 0, values, or 1, rates", k);
  if (!u) {
    PetscCall(VecDestroy(&sys->form->begin[k]));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!sys->form->begin[k]) PetscCall(RungSystemCreateVec(sys, &sys->form->begin[k]));
  PetscCall(VecCopy(u, sys->form->begin[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The nodes' values into the target's entries of the Vec; *bad: the first node whose value is not finite, else -1. */
static void put_values(RungSystem sys, const RungTarget *target, const RungSpaceData *space, const PetscScalar value[],
                       PetscScalar u[], PetscInt *bad)
{
  const PetscInt width = target->width, first = PetscMax(0, target->component);
  PetscScalar   *entry = u + sys->range[target->unknown];

  *bad = -1;
  for (PetscInt node = 0; node < space->owned; ++node) {
    for (PetscInt a = 0; a < width; ++a) {
      entry[node * space->components + first + a] = value[node * width + a];
      if (*bad < 0 && PetscIsInfOrNanScalar(value[node * width + a])) *bad = node;
    }
  }
}

static PetscErrorCode put(RungSystem sys, PetscInt i, PetscReal t, Vec u)
{
  const RungTarget      *target = &sys->form->target[i];
  const RungSpaceData   *space;
  PetscScalar           *x;
  RUNG_FREE PetscScalar *value = NULL;
  PetscInt               bad;
  char                   place[256] = "", label[512];

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(sys->form->space[target->unknown], &space));
  PetscCall(PetscCalloc1(space->owned * target->width, &value));
  if (sys->form->value[i]) PetscCall(RungPointwiseEvaluate(sys->form->value[i], t, space->owned, space->x, value));
  PetscCall(VecGetArray(u, &x));
  put_values(sys, target, space, value, x, &bad);
  PetscCall(VecRestoreArray(u, &x));
  PetscCall(PetscSNPrintf(label, sizeof label, "initial %s", sys->form->initial[i].name));
  PetscCall(RungSeamCheck(sys, label, sys->form->initial[i].text, sys->form->space[target->unknown], NULL,
                          sys->form->value[i], target->width, t, space->owned * target->width, value));
  if (bad >= 0) PetscCall(RungTargetPlace(space, bad, place, sizeof place));
  RungCheckAll(bad < 0, sys->comm, PETSC_ERR_FP, "initial %s: \"%s\" is not finite at %s, t = %g",
               sys->form->initial[i].name, sys->form->initial[i].text, place, (double)t);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungInitialValues(RungSystem sys, PetscReal t, PetscInt k, Vec u)
{
  PetscFunctionBegin;
  if (k < 2 && sys->form->begin[k])
    PetscCall(VecCopy(sys->form->begin[k], u));
  else
    PetscCall(VecZeroEntries(u));
  for (PetscInt i = 0; i < sys->form->initials; ++i) {
    if (sys->form->target[i].k == k) PetscCall(put(sys, i, t, u));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
