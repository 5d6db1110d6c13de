/* switch.c - what a system's equations and boundary data decide by t alone, and the step that these decisions belong to. */
#include "form_side_impl.h"

#define INSIDE 1e-9 /* of a step: its decisions are taken so far inside of its ends */

PetscErrorCode RungSystemTakeSwitches(RungSystem sys, RungExpr *expr)
{
  RungFormSide form = sys->form;

  PetscFunctionBegin;
  if (!form->switches) PetscCall(RungSwitchesCreate(form->scope, &form->switches));
  PetscCall(RungSwitchesTake(form->switches, expr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_switches(RungSystem sys, RungSwitches *switches)
{
  PetscInt n = 0;

  PetscFunctionBegin;
  PetscCall(RungSystemSetUp(sys));
  *switches = sys->form ? sys->form->switches : NULL;
  if (*switches) PetscCall(RungSwitchesGetCount(*switches, &n));
  if (!n) *switches = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemSetStep(RungSystem sys, PetscReal t0, PetscReal t1)
{
  const PetscReal size   = PetscMax(PetscAbsReal(t0), PetscAbsReal(t1));
  const PetscReal inside = PetscMin((t1 - t0) / 4, INSIDE * (t1 - t0) + 32 * PETSC_MACHINE_EPSILON * size);
  RungSwitches    switches;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(get_switches(sys, &switches));
  if (!switches) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(t1 > t0, sys->comm, PETSC_ERR_ARG_OUTOFRANGE, "a step from t = %g to %g, wanted a later end", (double)t0,
             (double)t1);
  PetscCall(RungScopeSetStep(sys->form->scope, t0 + inside, t1 - inside));
  ++sys->form->constants_version;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemClearStep(RungSystem sys)
{
  RungSwitches switches;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(get_switches(sys, &switches));
  if (!switches) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungScopeSetStep(sys->form->scope, -PETSC_MAX_REAL, PETSC_MAX_REAL));
  ++sys->form->constants_version;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemGetNextSwitch(RungSystem sys, PetscReal t0, PetscReal t1, PetscReal *t)
{
  RungSwitches switches;

  PetscFunctionBegin;
  RungNeed(sys);
  *t = t1;
  PetscCall(get_switches(sys, &switches));
  if (switches && t1 > t0) PetscCall(RungSwitchesNext(switches, t0, t1, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemIsSwitch(RungSystem sys, PetscReal t, PetscReal near, PetscBool *is)
{
  RungSwitches switches;

  PetscFunctionBegin;
  RungNeed(sys);
  *is = PETSC_FALSE;
  PetscCall(get_switches(sys, &switches));
  if (switches) PetscCall(RungSwitchesDiffer(switches, t - near, t + near, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemGetConstantState(RungSystem sys, PetscInt64 *state)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  *state = 0;
  if (sys->form) PetscCall(RungFormGetDataState(sys->form->F, PETSC_FALSE, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}
