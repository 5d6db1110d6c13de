/* initial.c - initial values: expressions of x and t at the nodes of their unknowns. */
#include <rungown_room.h>
#include "form_side_impl.h"

#define REPLACED 0.5 /* of an initial value that the start replaces is told */

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

/* Does an initial value say something of unknown f?  0 is what holds without one. */
static PetscInt text_of(RungFormSide form, PetscInt f, PetscBool zero)
{
  for (PetscInt i = 0; i < form->initials; ++i) {
    if (form->target[i].unknown == f && form->target[i].k == 0 && (zero || form->value[i])) return i;
  }
  return -1;
}

/* An unknown that has a rate and nothing that says how it begins; -1: none. */
static PetscInt silent_unknown(RungSystem sys)
{
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) {
    if (sys->traits.unknown_order[f] > 0 && text_of(sys->form, f, PETSC_TRUE) < 0) return f;
  }
  return -1;
}

/* |part of v that belongs to unknown f| */
static PetscErrorCode size_of(RungSystem sys, Vec v, PetscInt f, PetscReal *size)
{
  const PetscScalar *x;

  PetscFunctionBegin;
  *size = 0;
  PetscCall(VecGetArrayRead(v, &x));
  for (PetscInt i = sys->range[f]; i < sys->range[f + 1]; ++i) *size += PetscSqr(PetscAbsScalar(x[i]));
  PetscCall(VecRestoreArrayRead(v, &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, size, 1, MPIU_REAL, MPIU_SUM, sys->comm));
  *size = PetscSqrtReal(*size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_start(RungSystem sys, PetscReal t, Vec u, PetscInt silent, Vec given, Vec change)
{
  PetscFunctionBegin;
  PetscCall(RungInitialValues(sys, t, 0, given));
  PetscCall(VecWAXPY(change, -1, given, u));
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) {
    const PetscInt i = sys->traits.unknown_order[f] == 0 ? text_of(sys->form, f, PETSC_FALSE) : -1;
    PetscReal      size, moved;

    if (i < 0) continue;
    PetscCall(size_of(sys, given, f, &size));
    PetscCall(size_of(sys, change, f, &moved));
    if (!(moved > REPLACED * size)) continue;
    PetscCall(RungSystemWarn(sys,
                             "initial %s: no equation holds a rate of \"%s\", so that it begins as the others say and "
                             "not as given; of these \"%s\" has no initial value and begins at 0: say that one, too",
                             sys->form->initial[i].name, sys->form->name[f], sys->form->name[silent]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungInitialCheckStart(RungSystem sys, PetscReal t, Vec u)
{
  const PetscInt silent = silent_unknown(sys);
  Vec            given = NULL, change = NULL;

  PetscFunctionBegin;
  if (silent < 0 || sys->form->begin[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemCreateVec(sys, &given));
  PetscCall(RungSystemCreateVec(sys, &change));
  RungCallFinally(check_start(sys, t, u, silent, given, change), PetscCall(VecDestroy(&given));
                  PetscCall(VecDestroy(&change)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
