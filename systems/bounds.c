/* bounds.c - lower and upper bounds on unknowns, expressions of x and t at the nodes. */
#include "form_side_impl.h"

/* One SetBounds call. */
struct _RungBound {
  char         *name, *text[2]; /* owned; text NULL: no bound on that side */
  RungTarget    target;         /* read when first asked for               */
  RungPointwise value[2];       /* owned, NULL: no bound, or zero          */
  PetscBool     ready;
};

PetscErrorCode RungSystemSetBounds(RungSystem sys, const char name[], const char lower[], const char upper[])
{
  RungBound *bound;

  PetscFunctionBegin;
  PetscCall(RungSystemCheckNew(sys, "RungSystemSetBounds"));
  PetscCall(RungSystemNeedForm(sys, "RungSystemSetBounds"));
  PetscCheck(name && (lower || upper), sys->comm, PETSC_ERR_ARG_NULL, "bounds without a name or without any bound");
  RungGrow(sys->form->bounds, sys->form->bound);
  bound  = &sys->form->bound[sys->form->bounds++];
  *bound = (RungBound){.name = NULL};
  PetscCall(PetscStrallocpy(name, &bound->name));
  PetscCall(PetscStrallocpy(lower, &bound->text[0]));
  PetscCall(PetscStrallocpy(upper, &bound->text[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungBoundsDestroy(RungSystem sys)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < sys->form->bounds; ++i) {
    RungBound *bound = &sys->form->bound[i];

    PetscCall(PetscFree(bound->name));
    for (int side = 0; side < 2; ++side) {
      PetscCall(PetscFree(bound->text[side]));
      PetscCall(RungPointwiseDestroy(&bound->value[side]));
    }
  }
  PetscCall(PetscFree(sys->form->bound));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemHasBounds(RungSystem sys, PetscBool *has)
{
  PetscFunctionBegin;
  PetscCall(RungSystemSetUp(sys));
  *has = sys->form && sys->form->bounds ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_bound(RungSystem sys, RungBound *bound)
{
  static const char *const side_name[] = {"lower", "upper"};

  PetscFunctionBegin;
  if (bound->ready) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTargetFind(sys, "bounds", bound->name, &bound->target));
  PetscCheck(bound->target.k == 0, sys->comm, PETSC_ERR_ARG_WRONG, "bounds are given for unknowns, not for \"%s\"",
             bound->name);
  for (int side = 0; side < 2; ++side) {
    RungExpr  expr;
    PetscBool zero;
    char      label[512];

    if (!bound->text[side]) continue;
    PetscCall(PetscSNPrintf(label, sizeof label, "%s bound of %s", side_name[side], bound->name));
    PetscCall(RungTargetRead(sys, &bound->target, label, bound->text[side], &expr, &zero));
    if (!zero) PetscCall(RungPointwiseCreate(expr, &bound->value[side]));
  }
  bound->ready = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The nodes' bounds into one side's Vec; where several are given the tighter one holds. */
static PetscErrorCode put(RungSystem sys, const RungBound *bound, int side, PetscReal t, PetscScalar u[])
{
  const RungTarget    *target = &bound->target;
  const PetscInt       first  = PetscMax(0, target->component);
  const RungSpaceData *space;
  PetscScalar         *value;

  PetscFunctionBegin;
  if (!bound->text[side]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSpaceGetData(sys->form->space[target->unknown], &space));
  PetscCall(PetscCalloc1(space->owned * target->width, &value));
  if (bound->value[side]) PetscCall(RungPointwiseEvaluate(bound->value[side], t, space->owned, space->x, value));
  for (PetscInt i = 0; i < space->owned * target->width; ++i) {
    PetscScalar *to = u + sys->range[target->unknown] + i / target->width * space->components + first +
                      i % target->width;

    *to = side ? PetscMin(PetscRealPart(*to), PetscRealPart(value[i]))
               : PetscMax(PetscRealPart(*to), PetscRealPart(value[i]));
  }
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemGetBounds(RungSystem sys, PetscReal t, Vec lower, Vec upper)
{
  const Vec       side_vec[2] = {lower, upper};
  const PetscReal open[2]     = {PETSC_NINFINITY, PETSC_INFINITY};
  PetscBool      *given;

  PetscFunctionBegin;
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungSystemNeedForm(sys, "RungSystemGetBounds"));
  PetscCall(PetscCalloc1(sys->local, &given));
  RungConstraintsMark(sys, given);
  for (PetscInt i = 0; i < sys->local; ++i) given[i] = (PetscBool)(given[i] || sys->form->fixed[i]);
  for (int side = 0; side < 2; ++side) {
    PetscScalar *u;

    PetscCall(VecSet(side_vec[side], open[side]));
    PetscCall(VecGetArray(side_vec[side], &u));
    for (PetscInt i = 0; i < sys->form->bounds; ++i) {
      PetscCall(read_bound(sys, &sys->form->bound[i]));
      PetscCall(put(sys, &sys->form->bound[i], side, t, u));
    }
    for (PetscInt i = 0; i < sys->local; ++i) {
      if (given[i]) u[i] = open[side]; /* boundary data and slaves have their values */
    }
    PetscCall(VecRestoreArray(side_vec[side], &u));
  }
  PetscCall(PetscFree(given));
  PetscFunctionReturn(PETSC_SUCCESS);
}
