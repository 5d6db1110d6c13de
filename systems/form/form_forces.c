/* form_forces.c - F of weak forms where u^(n) is zero, n the order in time: the R of  M u^(n) + R(t, u, .., u^(n-1)) = 0.

   It is a form of its own, F with zeros in the place of u^(n): their terms fold to nothing, so that no rate is gathered and no mass
   integrated.  An explicit method whose mass is a diagonal evaluates nothing else.  There is none where u^(n) does not stand as
   such, as in dt(q(u)), and for small systems, in which its kernel would cost more than it saves.  Where products with constant
   blocks are cheaper than cells, these are taken. */
#include "form_side_impl.h"

static PetscErrorCode is_worth(RungSystem sys, PetscBool *worth)
{
  const RungLayoutData *data = sys->form->data;
  PetscReal             dofs = (PetscReal)data->cells * (PetscReal)data->cell_dofs;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &dofs, 1, MPIU_REAL, MPIU_SUM, sys->comm));
  *worth = dofs >= RUNG_KERNEL_WORTH && !sys->traits.conserved && !sys->form->constraints && !sys->form->condense
             ? PETSC_TRUE
             : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is anything left of F, and no u^(n) in it? */
static PetscErrorCode check(RungSystem sys, PetscBool *fits)
{
  RungFormTraits traits;

  PetscFunctionBegin;
  PetscCall(RungFormGetTraits(sys->form->forces, &traits));
  *fits = PETSC_FALSE;
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) *fits = *fits || traits.tested[f] ? PETSC_TRUE : PETSC_FALSE;
  if (traits.block[sys->traits.order] || traits.order >= sys->traits.order) *fits = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(RungSystem sys)
{
  RungFormSide form = sys->form;
  RungExpr     expr, outside, inside;
  PetscBool    fits;

  PetscFunctionBegin;
  PetscCall(RungSystemGetResidual(sys, &expr));
  PetscCall(RungSystemTakeSwitches(sys, &expr));
  PetscCall(RungExprSplitExplicit(expr, &expr, &outside, &inside));
  for (PetscInt f = 0; f < form->unknowns; ++f) {
    RungExpr rate = RungName(form->scope, form->name[f]);

    for (PetscInt k = 0; k < sys->traits.order; ++k) rate = RungDt(rate);
    expr = RungSubstitute(expr, rate, RungMul(RungNumber(form->scope, 0), RungName(form->scope, form->name[f])));
  }
  PetscCall(RungFormCreate(expr, "residual without the highest rates", form->layout, &form->forces));
  PetscCall(RungFormSetFromOptions(form->forces));
  PetscCall(check(sys, &fits));
  if (!fits) PetscCall(RungFormDestroy(&form->forces));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormSideForces(RungSystem sys, PetscReal t, const Vec u[], Vec r, PetscBool *done)
{
  RungFormSide form = sys->form;
  PetscBool    worth;

  PetscFunctionBegin;
  PetscCall(RungFormSideProducts(sys, t, u, r, done));
  if (*done) PetscFunctionReturn(PETSC_SUCCESS);
  if (!form->asked_forces) {
    form->asked_forces = PETSC_TRUE;
    PetscCall(is_worth(sys, &worth));
    if (worth) PetscCall(create(sys));
  }
  *done = form->forces ? PETSC_TRUE : PETSC_FALSE;
  if (*done) PetscCall(RungFormSideAssemble(sys, form->forces, t, u, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}
