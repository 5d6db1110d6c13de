/* applied.c - vectors whose kernels make the matrix of a cell and apply it.

   The product of a Jacobian with a direction x is a sum over points: x and its derivatives at the points, coefficients times them, the
   same sums back.  In an affine cell whose coefficients are constant it is

       (J x)_i = sum_j (sum_c T_ijc G_c) x_j,

   G the coefficients pulled back to the reference cell, T constant tables (kernel_impl.h, CELL): for the mass of P2 on tetrahedra 156
   products for some 350; a solve by multigrid, J = 15 M + K, takes 0.85 of the time.  Where sums factorise T is a product of matrices of a line
   (plan_kronecker.c): M + K takes 0.33 of the time on straight hexahedra of degree 4, a solve 0.75.  F itself, where it is zero with u, is
   sum_k dF/du^(k) u^(k).  The integrals of the matrix are lowered beside those of the vector of a linear form; what is cheaper is compiled
   (plan_choose.c).  The interpreter sums over points. */
#include "kernel_impl.h"
#include <string.h>

/* Is the matrix m that of the vector i, over the same places by the same rule?  There is one at most. */
static PetscBool is_matrix_of(const RungIntegral *m, const RungIntegral *i)
{
  return m->domain == i->domain && m->degree == i->degree && m->rank == 2 && !strcmp(m->part, i->part) ? PETSC_TRUE
                                                                                                       : PETSC_FALSE;
}

static PetscErrorCode take_matrix(RungForm form, RungFormPart *part, RungPlan plan)
{
  RungPlan  other;
  PetscBool yes;

  PetscFunctionBegin;
  PetscCall(RungTapeVanishes(&plan->integral->tape, &yes));
  for (PetscInt m = 0; m < part->matrices && yes && RungPlanMayApply(plan); ++m) {
    if (!is_matrix_of(&part->matrix[m], plan->integral)) continue;
    PetscCall(RungPlanCreateApplied(&part->matrix[m], form->expr.scope, form->layout, plan->kind, &other));
    PetscCall(RungPlanTakeMatrix(plan, other));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormTakeMatrices(RungForm form, RungFormPart *part)
{
  PetscBool may = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < part->n; ++p) may = may || RungPlanMayApply(part->plan[p]) ? PETSC_TRUE : PETSC_FALSE;
  if (!may || !form->traits.linear) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungLower(form->expr, RUNG_FORM_JACOBIAN, form->degree, &part->matrices, &part->matrix));
  for (PetscInt p = 0; p < part->n; ++p) PetscCall(take_matrix(form, part, part->plan[p]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
