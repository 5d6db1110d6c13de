/* newton_slope.c - a kept matrix for another slope of the rates, without another derivative of F by the state.

       J(s) = dF/du + s M,   M = dF/du' constant:      J(s') = J(s) + (s' - s) M

   M is found once, as (J(2s) - J(s))/s at one state: the identity of rows with data drops out, and rounding is that of J.  For systems
   of order 1 whose unknowns have one slope, without conserved terms and internal variables; others, and matrices without entries, are evaluated anew. */
#include "line_solver_impl.h"

/* Is the slope of rates the same for all unknowns? */
static PetscBool is_one(const RungTraits *traits, const PetscReal slope[])
{
  for (PetscInt f = 1; f < traits->unknowns; ++f)
    if (slope[traits->unknowns + f] != slope[traits->unknowns] || slope[f] != slope[0]) return PETSC_FALSE;
  return slope[traits->unknowns] > 0 ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode may(RungLineSlot *slot, PetscBool *may)
{
  const RungTraits *traits = &slot->solver->traits;

  PetscFunctionBegin;
  *may = PETSC_FALSE;
  if (traits->order != 1 || !traits->constant_block[1] || traits->conserved || slot->solver->point ||
      !is_one(traits, slot->slope))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompareAny((PetscObject)slot->J, may, MATSEQAIJ, MATMPIAIJ, ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Out  slot->mass = M, slot->J = J(s) as before, up to rounding */
static PetscErrorCode find_mass(RungLineSlot *slot, Vec w)
{
  RungLineSolver  solver = slot->solver;
  const PetscInt  n      = solver->traits.unknowns;
  const PetscReal s      = slot->slope[n];
  RungLine        line   = *solver->line;
  PetscLogDouble  mark;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < n; ++f) line.slope[n + f] = 2 * s;
  PetscCall(RungLineClock(&mark, NULL));
  PetscCall(MatDestroy(&slot->mass));
  PetscCall(MatDuplicate(slot->J, MAT_COPY_VALUES, &slot->mass));
  PetscCall(RungTransientSystemStageJacobian(solver->ts, solver->t, &line, w, slot->J));
  ++solver->counts.jacobians;
  PetscCall(MatAYPX(slot->mass, -1, slot->J, SAME_NONZERO_PATTERN));
  PetscCall(MatScale(slot->mass, 1 / s));
  PetscCall(MatAXPY(slot->J, -s, slot->mass, SAME_NONZERO_PATTERN));
  slot->mass_data = slot->kept.data;
  PetscCall(RungLineClock(&mark, &solver->counts.assembly));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonLearnMass(RungLineSlot *slot, Vec w)
{
  PetscBool can;

  PetscFunctionBegin;
  if (slot->mass && slot->mass_data == slot->kept.data) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(may(slot, &can));
  if (can) PetscCall(find_mass(slot, w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonChangeSlope(RungLineSlot *slot, PetscBool *changed)
{
  RungLineSolver solver = slot->solver;
  const PetscInt n      = solver->traits.unknowns;
  PetscLogDouble mark;

  PetscFunctionBegin;
  *changed = PETSC_FALSE;
  if (!slot->mass || slot->mass_data != slot->kept.data || !slot->kept.valid) PetscFunctionReturn(PETSC_SUCCESS);
  if (!is_one(&solver->traits, slot->slope) || !is_one(&solver->traits, slot->made)) PetscFunctionReturn(PETSC_SUCCESS);
  if (slot->slope[0] != slot->made[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungLineClock(&mark, NULL));
  PetscCall(MatAXPY(slot->J, slot->slope[n] - slot->made[n], slot->mass, SAME_NONZERO_PATTERN));
  PetscCall(PetscObjectStateIncrease((PetscObject)slot->J)); /* sums of parallel matrices are not known as changes */
  PetscCall(RungLineClock(&mark, &solver->counts.assembly));
  PetscCall(PetscArraycpy(slot->made, slot->slope, sizeof slot->made / sizeof slot->made[0]));
  ++solver->counts.combinations;
  *changed = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
