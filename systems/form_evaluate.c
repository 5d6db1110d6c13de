/* form_evaluate.c - F, the rest R and the conserved vector m of weak forms, by assembly. */
#include "form_side_impl.h"

static PetscErrorCode assemble_vec(RungSystem sys, RungForm form, PetscReal t, const Vec u[], Vec r)
{
  PetscBool done = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RungCouplingsCheck(sys));
  if (form) PetscCall(RungConstantResidual(sys, form, t, u, r, &done));
  if (form && !done)
    PetscCall(RungFormAssembleVec(form, t, u, r));
  else if (!form)
    PetscCall(VecZeroEntries(r));
  PetscCall(RungConstraintsReduce(sys, r));
  PetscCall(RungSystemZeroDirichlet(sys, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Into the matrix with all rows, C^T A C of it if there are constraints. */
static PetscErrorCode assemble_mat(RungSystem sys, RungForm form, PetscReal t, const Vec u[], const PetscReal sigma[],
                                   Mat given)
{
  Mat       J = given;
  PetscBool shell, done = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RungIsShell(given, &shell));
  if (shell) {
    PetscCall(RungShellSet(given, form, t, u, sigma));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (form) PetscCall(RungConstantJacobian(sys, form, sigma, J, &done));
  if (done) PetscFunctionReturn(PETSC_SUCCESS);
  if (sys->form->constraints) PetscCall(RungConstraintsFullMat(sys, PETSC_FALSE, &J));
  if (form) {
    PetscCall(RungVaryingJacobian(sys, form, t, u, sigma, J, &done));
    if (!done) PetscCall(RungFormAssembleMat(form, t, u, sigma, J));
  } else { /* nothing but the identity of Dirichlet rows */
    PetscCall(RungLayoutInsertBegin(sys->form->layout, J));
    PetscCall(RungLayoutInsertEnd(sys->form->layout, J));
  }
  if (sys->form->constraints) PetscCall(RungConstraintsReduceMat(sys, PETSC_FALSE, given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormSideResidual(RungSystem sys, PetscReal t, const Vec u[], Vec r)
{
  PetscFunctionBegin;
  PetscCall(assemble_vec(sys, sys->form->F, t, u, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormSideJacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J)
{
  PetscFunctionBegin;
  PetscCall(assemble_mat(sys, sys->form->F, t, u, sigma, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormSideRest(RungSystem sys, PetscReal t, const Vec u[], Vec r)
{
  PetscFunctionBegin;
  PetscCall(assemble_vec(sys, sys->traits.conserved ? sys->form->rest : sys->form->F, t, u, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormSideRestJacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J)
{
  PetscFunctionBegin;
  PetscCall(assemble_mat(sys, sys->traits.conserved ? sys->form->rest : sys->form->F, t, u, sigma, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormSideConserved(RungSystem sys, PetscReal t, Vec u, Vec m)
{
  const Vec all[RUNG_MAX_ORDER + 1] = {u, u, u};

  PetscFunctionBegin;
  PetscCall(assemble_vec(sys, sys->form->m, t, all, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same for a matrix of -system_mat_type: not every type scales rows, but one weight needs no scaling. */
static PetscErrorCode add_typed(RungSystem sys, PetscReal t, const Vec u[], const PetscReal one[],
                                const PetscReal weight[], Mat J)
{
  RungFormSide form = sys->form;

  PetscFunctionBegin;
  for (PetscInt f = 1; f < form->unknowns; ++f)
    PetscCheck(weight[f] == weight[0], sys->comm, PETSC_ERR_SUP,
               "-system_mat_type %s cannot weight the conserved terms of several unknowns apart; take "
               "-system_mat_type aij",
               sys->mat_type);
  if (!form->typed_M) PetscCall(RungTypedCreate(sys, form->couple, form->fixed, &form->typed_M));
  PetscCall(RungFormAssembleMat(form->m, t, u, one, form->typed_M));
  PetscCall(RungTypedAdd(sys, weight[0], form->typed_M, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of M are scaled, those of Dirichlet entries by 0: J has its identity there already. */
PetscErrorCode RungFormSideAddConservedJacobian(RungSystem sys, PetscReal t, Vec u, const PetscReal weight[], Mat J)
{
  RungFormSide form                                          = sys->form;
  const Vec    all[RUNG_MAX_ORDER + 1]                       = {u, u, u};
  PetscReal    one[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};
  PetscScalar *scale;
  Mat          A = J;
  PetscBool    shell, typed;

  PetscFunctionBegin;
  for (PetscInt g = 0; g < form->unknowns; ++g) one[g] = 1;
  PetscCall(RungIsShell(J, &shell));
  if (shell) {
    PetscCall(RungShellAddWeighted(J, form->m, one, weight));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungTypedIs(sys, J, &typed));
  if (sys->typed && typed) {
    PetscCall(add_typed(sys, t, all, one, weight, J));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!form->M) {
    PetscCall(RungLayoutCreateMat(form->layout, form->couple, form->fixed, &form->M));
    PetscCall(sys->ops->create_vec(sys, &form->scale));
  }
  PetscCall(RungFormAssembleMat(form->m, t, all, one, form->M));
  PetscCall(VecGetArrayWrite(form->scale, &scale));
  for (PetscInt f = 0; f < form->unknowns; ++f) {
    for (PetscInt i = sys->range[f]; i < sys->range[f + 1]; ++i) scale[i] = form->fixed[i] ? 0 : weight[f];
  }
  PetscCall(VecRestoreArrayWrite(form->scale, &scale));
  PetscCall(MatDiagonalScale(form->M, form->scale, NULL));
  if (form->constraints)
    PetscCall(RungConstraintsFullMat(sys, PETSC_FALSE, &A)); /* it still holds what J was made of */
  PetscCall(MatAXPY(A, 1, form->M, SAME_NONZERO_PATTERN));
  if (form->constraints) PetscCall(RungConstraintsReduceMat(sys, PETSC_FALSE, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormSideExplain(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], char message[],
                                   size_t size)
{
  PetscFunctionBegin;
  PetscCall(RungDirichletExplain(sys, t, message, size)); /* data that are not finite make F so in many cells */
  if (!message[0]) PetscCall(RungFormFindNonFinite(sys->form->F, t, u, sigma, message, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}
