/* quantity.c - named integrals: values at a level, means over a part, and rates that the stepper integrates over accepted
   steps. */
#include "form_side_impl.h"
#include <rungown_room.h>

static PetscErrorCode add(RungSystem sys, const char setter[], const char name[], const char text[],
                          RungQuantityKind kind)
{
  RungFormSide form;

  PetscFunctionBegin;
  PetscCall(RungSystemCheckNew(sys, setter));
  PetscCall(RungSystemNeedForm(sys, setter));
  form = sys->form;
  PetscCheck(name && name[0] && text, sys->comm, PETSC_ERR_ARG_NULL, "a quantity needs a name and a text");
  PetscCall(RungColumnCheck(sys->comm, "a quantity", name));
  for (PetscInt i = 0; i < form->quantities; ++i) {
    PetscCheck(strcmp(form->quantity[i].name, name), sys->comm, PETSC_ERR_ARG_WRONG,
               "there is a quantity \"%s\" already; give this one another name", name);
  }
  RungGrow(form->quantities, form->quantity);
  form->quantity[form->quantities] = (RungQuantity){.kind = kind};
  PetscCall(PetscStrallocpy(name, &form->quantity[form->quantities].name));
  PetscCall(PetscStrallocpy(text, &form->quantity[form->quantities++].text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemAddQuantity(RungSystem sys, const char name[], const char text[])
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(add(sys, "RungSystemAddQuantity", name, text, RUNG_QUANTITY_VALUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemAddMean(RungSystem sys, const char name[], const char text[])
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(add(sys, "RungSystemAddMean", name, text, RUNG_QUANTITY_MEAN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemAddRate(RungSystem sys, const char name[], const char text[])
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(add(sys, "RungSystemAddRate", name, text, RUNG_QUANTITY_RATE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The form of the extent that a mean is divided by. */
static PetscErrorCode create_extent(RungSystem sys, RungQuantity *q, const char label[], RungExpr integral)
{
  RungExpr extent = RungExtent(integral);

  PetscFunctionBegin;
  PetscCall(RungExprCheck(extent));
  PetscCall(RungFormCreate(extent, label, sys->form->layout, &q->measure));
  PetscCall(RungFormSetFromOptions(q->measure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An extent does not change: it is integrated once. */
static PetscErrorCode measure_extent(RungSystem sys, RungQuantity *q)
{
  const Vec none[RUNG_MAX_ORDER + 1] = {NULL, NULL, NULL};

  PetscFunctionBegin;
  PetscCall(RungFormIntegrate(q->measure, 0, none, &q->extent));
  PetscCall(RungFormDestroy(&q->measure));
  PetscCheck(q->extent > 0, sys->comm, PETSC_ERR_ARG_WRONG,
             "quantity %s: \"%s\" runs over nothing; there is no mean of it", q->name, q->text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_form(RungSystem sys, RungQuantity *q)
{
  RungFormTraits traits;
  RungExpr       expr;
  PetscInt       rank, shape[2], arity;
  PetscBool      integral;
  char           label[512];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(label, sizeof label, "quantity %s", q->name));
  PetscCall(RungScopeParse(sys->form->scope, label, q->text, &expr));
  PetscCall(RungExprCheck(expr));
  PetscCall(RungExprGetShape(expr, &rank, shape, &integral, &arity));
  PetscCheck(integral && arity == 0, sys->comm, PETSC_ERR_ARG_WRONG, "%s: \"%s\" %s; wanted an integral, a number",
             label, q->text, integral ? "holds a test function" : "is not integrated (* dx or * ds)");
  PetscCall(RungSystemTakeSwitches(sys, &expr));
  PetscCall(RungFormCreate(expr, label, sys->form->layout, &q->form));
  PetscCall(RungFormGetTraits(q->form, &traits));
  PetscCheck(traits.order <= sys->traits.order, sys->comm, PETSC_ERR_ARG_WRONG,
             "%s: \"%s\" holds a time derivative of order %" PetscInt_FMT ", the system has order %" PetscInt_FMT,
             label, q->text, traits.order, sys->traits.order);
  PetscCall(RungFormSetFromOptions(q->form));
  q->extent = 1;
  if (q->kind == RUNG_QUANTITY_MEAN) PetscCall(create_extent(sys, q, label, expr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The forms of all quantities go to the compiler together. */
static PetscErrorCode set_up_forms(RungSystem sys)
{
  RungFormSide        form = sys->form;
  RUNG_FREE RungForm *list = NULL;
  PetscInt            n    = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(2 * form->quantities + 1, &list));
  for (PetscInt i = 0; i < form->quantities; ++i) {
    if (form->quantity[i].form) list[n++] = form->quantity[i].form;
    if (form->quantity[i].measure) list[n++] = form->quantity[i].measure;
  }
  PetscCall(RungFormsSetUp(n, list));
  for (PetscInt i = 0; i < form->quantities; ++i)
    if (form->quantity[i].measure) PetscCall(measure_extent(sys, &form->quantity[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungQuantitySetUp(RungSystem sys)
{
  RungFormSide form = sys->form;

  PetscFunctionBegin;
  PetscCall(RungGlobalAddQuantities(sys));
  PetscCall(RungProbesSetUp(sys));
  PetscCall(RungWatchesSetUp(sys));
  PetscCall(PetscMalloc1(form->quantities, &form->quantity_name));
  PetscCall(PetscMalloc1(form->quantities, &form->quantity_rate));
  for (PetscInt i = 0; i < form->quantities; ++i) {
    if (form->quantity[i].kind < RUNG_QUANTITY_GLOBAL) PetscCall(create_form(sys, &form->quantity[i]));
    form->quantity_name[i] = form->quantity[i].name;
    form->quantity_rate[i] = (PetscBool)(form->quantity[i].kind == RUNG_QUANTITY_RATE);
  }
  PetscCall(set_up_forms(sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_last(RungFormSide form)
{
  RungQuantity *q = &form->quantity[--form->quantities];

  PetscFunctionBegin;
  PetscCall(RungFormDestroy(&q->form));
  PetscCall(RungFormDestroy(&q->measure));
  PetscCall(PetscFree(q->name));
  PetscCall(PetscFree(q->text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of global numbers, probes and watches were made by SetUp and come last. */
PetscErrorCode RungQuantityReset(RungSystem sys)
{
  RungFormSide form = sys->form;

  PetscFunctionBegin;
  PetscCall(RungProbesReset(sys));
  PetscCall(RungWatchesReset(sys));
  while (form->quantities && form->quantity[form->quantities - 1].kind >= RUNG_QUANTITY_GLOBAL) {
    PetscCall(destroy_last(form));
  }
  for (PetscInt i = 0; i < form->quantities; ++i) {
    PetscCall(RungFormDestroy(&form->quantity[i].form));
    PetscCall(RungFormDestroy(&form->quantity[i].measure));
  }
  PetscCall(PetscFree(form->quantity_name));
  PetscCall(PetscFree(form->quantity_rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungQuantityDestroy(RungSystem sys)
{
  RungFormSide form = sys->form;

  PetscFunctionBegin;
  PetscCall(RungQuantityReset(sys));
  PetscCall(RungProbesDestroyTexts(sys));
  PetscCall(RungWatchesDestroyTexts(sys));
  while (form->quantities) PetscCall(destroy_last(form));
  PetscCall(PetscFree(form->quantity));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemGetQuantities(RungSystem sys, PetscInt *n, const char *const **names, const PetscBool **rates)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  if (n) *n = sys->form ? sys->form->quantities : 0;
  if (names) *names = sys->form ? sys->form->quantity_name : NULL;
  if (rates) *rates = sys->form ? sys->form->quantity_rate : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemEvaluateQuantities(RungSystem sys, PetscReal t, const Vec u[], PetscReal values[])
{
  PetscFunctionBegin;
  RungNeed(sys);
  if (sys->form && sys->form->quantities > 0) RungNeedArgument(values);
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungCouplingsFollow(sys, t));
  if (sys->form) PetscCall(RungProbesRead(sys, t, u));
  if (sys->form) PetscCall(RungWatchesRead(sys, t, u));
  for (PetscInt i = 0; sys->form && i < sys->form->quantities; ++i) {
    const RungQuantity *q = &sys->form->quantity[i];

    if (q->kind == RUNG_QUANTITY_PROBE)
      values[i] = PetscRealPart(sys->form->probed[sys->form->probe[q->unknown].first + q->component]);
    else if (q->kind == RUNG_QUANTITY_WATCH)
      values[i] = sys->form->watch[q->unknown].value[q->component];
    else if (q->kind == RUNG_QUANTITY_GLOBAL)
      PetscCall(RungGlobalEvaluate(sys, q, u[0], &values[i]));
    else
      PetscCall(RungFormIntegrate(q->form, t, u, &values[i]));
    values[i] /= q->extent;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemEvaluateRates(RungSystem sys, PetscReal t, const Vec u[], PetscReal values[])
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungCouplingsFollow(sys, t));
  for (PetscInt i = 0; sys->form && i < sys->form->quantities; ++i) {
    const RungQuantity *q = &sys->form->quantity[i];

    if (q->kind == RUNG_QUANTITY_RATE) PetscCall(RungFormIntegrate(q->form, t, u, &values[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
