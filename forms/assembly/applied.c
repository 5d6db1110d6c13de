/* applied.c - actions whose kernels make the matrix of a cell and apply it.

   The product of a Jacobian with a direction x is a sum over points: x and its derivatives at the points, coefficients times them, the
   same sums back.  In an affine cell whose coefficients are constant it is

       (J x)_i = sum_j (sum_c T_ijc G_c) x_j,

   G the coefficients pulled back to the reference cell, T constant tables (kernel_impl.h, CELL): for the mass of P2 on tetrahedra 156
   products for some 350; a solve by multigrid, J = 15 M + K, takes 0.85 of the time.  Where sums factorise T is a product of matrices of a line
   (plan_kronecker.c): half of the time on straight quadrilaterals and hexahedra.  The integrals of the matrix are lowered beside those of the
   action of a linear form; what is cheaper is compiled (plan_choose.c).  The interpreter sums over points. */
#include "kernel_impl.h"
#include <string.h>

/* Is the matrix m that of the action i, over the same places by the same rule? */
static PetscBool is_matrix_of(const RungIntegral *m, const RungIntegral *i)
{
  return m->domain == i->domain && m->degree == i->degree && m->rank == 2 && !strcmp(m->part, i->part) ? PETSC_TRUE
                                                                                                       : PETSC_FALSE;
}

PetscErrorCode RungFormTakeMatrices(RungForm form, RungFormPart *part)
{
  PetscBool may = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < part->n; ++p) may = may || RungPlanMayApply(part->plan[p]) ? PETSC_TRUE : PETSC_FALSE;
  if (!may || !form->compile || !form->traits.linear) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungLower(form->expr, RUNG_FORM_JACOBIAN, form->degree, &part->matrices, &part->matrix));
  for (PetscInt p = 0; p < part->n && part->matrices == part->integrals; ++p) {
    const RungPlan      plan   = part->plan[p];
    const RungIntegral *matrix = &part->matrix[plan->integral - part->integral];
    RungPlan            other;

    if (!RungPlanMayApply(plan) || !is_matrix_of(matrix, plan->integral)) continue;
    PetscCall(RungPlanCreateApplied(matrix, form->expr.scope, form->layout, plan->kind, &other));
    PetscCall(RungPlanTakeMatrix(plan, other));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
