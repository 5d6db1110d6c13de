/* form_evaluate.c - F, the rest R and the conserved vector m of weak forms, J x and dF/dt, by assembly. */
#include "form_side_impl.h"

/* What equations with given values, and those of slaves, leave of a vector of integrals. */
static PetscErrorCode leave_rows(RungSystem sys, Vec r)
{
  PetscFunctionBegin;
  PetscCall(RungConstraintsReduce(sys, r));
  PetscCall(RungSystemZeroDirichlet(sys, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormSideAssemble(RungSystem sys, RungForm form, PetscReal t, const Vec u[], Vec r)
{
  PetscBool done = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RungCouplingsFollow(sys, t));
  PetscCall(RungCouplingsCheck(sys));
  if (form) PetscCall(RungConstantResidual(sys, form, t, u, r, &done));
  if (form && !done)
    PetscCall(RungFormAssembleVec(form, t, u, r));
  else if (!form)
    PetscCall(VecZeroEntries(r));
  PetscCall(leave_rows(sys, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormSideProducts(RungSystem sys, PetscReal t, const Vec u[], Vec r, PetscBool *done)
{
  PetscFunctionBegin;
  PetscCall(RungCouplingsFollow(sys, t));
  PetscCall(RungCouplingsCheck(sys));
  PetscCall(RungConstantResidual(sys, sys->form->F, t, u, r, done));
  if (*done) PetscCall(leave_rows(sys, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_shell(RungSystem sys, RungForm form, RungForm m, PetscReal t, const Vec u[],
                                const PetscReal sigma[], Mat J)
{
  PetscReal one[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};

  PetscFunctionBegin;
  PetscCall(RungShellSet(J, form, t, u, sigma));
  for (PetscInt g = 0; g < sys->form->unknowns; ++g) one[g] = 1;
  if (m) PetscCall(RungShellAddWeighted(J, m, one, sigma + sys->form->unknowns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cells of both forms in one insertion; without any there is nothing but the identity of Dirichlet rows. */
static PetscErrorCode insert(RungSystem sys, RungForm form, RungForm m, PetscReal t, const Vec u[],
                             const PetscReal sigma[], Mat J)
{
  PetscFunctionBegin;
  if (form) PetscCall(RungFormAddMat(form, t, u, sigma, J, NULL, NULL));
  if (m) PetscCall(RungFormAddWeighted(m, t, u, sigma + sys->form->unknowns, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J(sigma) of a form, and of the conserved vector m unless it is NULL; into the matrix with all rows, C^T A C of it if there
   are constraints. */
static PetscErrorCode assemble_mat(RungSystem sys, RungForm form, RungForm m, PetscReal t, const Vec u[],
                                   const PetscReal sigma[], Mat given)
{
  Mat       J = given;
  PetscBool shell, done = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RungCouplingsFollow(sys, t));
  PetscCall(RungIsShell(given, &shell));
  if (shell) {
    PetscCall(set_shell(sys, form, m, t, u, sigma, given));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (form) PetscCall(RungConstantJacobian(sys, form, sigma, J, &done));
  if (done) PetscFunctionReturn(PETSC_SUCCESS);
  if (sys->form->constraints) PetscCall(RungConstraintsFullMat(sys, PETSC_FALSE, &J));
  if (form) PetscCall(RungVaryingJacobian(sys, form, m, t, u, sigma, J, &done));
  if (!done && form && !m) {
    PetscCall(RungFormAssembleMat(form, t, u, sigma, J));
  } else if (!done) {
    PetscCall(RungLayoutInsertBegin(sys->form->layout, J));
    RungCallFinally(insert(sys, form, m, t, u, sigma, J), PetscCall(RungLayoutInsertEnd(sys->form->layout, J)));
  }
  if (sys->form->constraints) PetscCall(RungConstraintsReduceMat(sys, PETSC_FALSE, given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormSideResidual(RungSystem sys, PetscReal t, const Vec u[], Vec r)
{
  PetscFunctionBegin;
  PetscCall(RungFormSideAssemble(sys, sys->form->F, t, u, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormSideJacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J)
{
  PetscFunctionBegin;
  PetscCall(assemble_mat(sys, sys->form->F, NULL, t, u, sigma, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormSideRest(RungSystem sys, RungSystemPart part, PetscReal t, const Vec u[], Vec r)
{
  PetscFunctionBegin;
  PetscCall(RungFormSideAssemble(sys, RungFormOfPart(sys, part), t, u, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormSideExplicit(RungSystem sys, PetscReal t, const Vec u[], Vec e)
{
  PetscFunctionBegin;
  PetscCall(RungFormSideAssemble(sys, sys->form->explicit_part, t, u, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormSideStageJacobian(RungSystem sys, RungSystemPart part, PetscReal t, const Vec u[],
                                         const PetscReal sigma[], Mat J)
{
  PetscFunctionBegin;
  PetscCall(assemble_mat(sys, RungFormOfPart(sys, part), sys->form->m, t, u, sigma, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the diagonal of J alone ---------------------------------------------------------------------------------------- */

typedef struct {
  const RungLayoutData *data;
  PetscScalar          *local; /* [local dof] */
} Diagonal;

static PetscErrorCode take_diagonal(PetscInt count, const PetscInt cell[], PetscScalar block[], PetscInt si,
                                    PetscInt sj, void *ctx)
{
  const Diagonal       *diagonal = (const Diagonal *)ctx;
  const RungLayoutData *data     = diagonal->data;

  for (PetscInt l = 0; l < count; ++l) {
    const PetscInt *dof = data->cell_dof + cell[l] * data->cell_dofs;

    for (PetscInt i = 0; i < data->cell_dofs; ++i) diagonal->local[dof[i]] += block[i * (si + sj) + l];
  }
  return PETSC_SUCCESS;
}

/* What is on the diagonal of matrices that are made of those of cells alone. */
static PetscErrorCode may_take(RungSystem sys, RungForm form, PetscBool *may)
{
  RungFormTraits traits;

  PetscFunctionBegin;
  *may = PETSC_FALSE;
  if (!form || sys->form->m || sys->form->constraints || sys->form->condense || sys->form->varying)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungFormGetTraits(form, &traits));
  *may = traits.facets ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormSideDiagonal(RungSystem sys, RungSystemPart part, PetscReal t, const Vec u[],
                                    const PetscReal sigma[], PetscInt every, Vec d, PetscBool *done)
{
  const RungForm form     = RungFormOfPart(sys, part);
  Diagonal       diagonal = {.data = sys->form->data};

  PetscFunctionBegin;
  PetscCall(may_take(sys, form, done));
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungCouplingsFollow(sys, t));
  PetscCall(VecZeroEntries(d));
  PetscCall(RungLayoutScatterBegin(sys->form->layout, d, &diagonal.local));
  RungCallFinally(RungFormShowSome(form, t, u, sigma, every, take_diagonal, &diagonal),
                  PetscCall(RungLayoutScatterEnd(sys->form->layout, d, &diagonal.local)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormSideConserved(RungSystem sys, PetscReal t, Vec u, Vec m)
{
  const Vec all[RUNG_MAX_ORDER + 1] = {u, u, u};

  PetscFunctionBegin;
  PetscCall(RungFormSideAssemble(sys, sys->form->m, t, all, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormSideAction(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(RungCouplingsFollow(sys, t));
  PetscCall(RungCouplingsCheck(sys));
  PetscCall(RungFormApply(sys->form->F, t, u, sigma, x, y));
  PetscCall(leave_rows(sys, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormSideTimeDerivative(RungSystem sys, PetscReal t, PetscReal within, const Vec u[], Vec r)
{
  PetscFunctionBegin;
  (void)within; /* exact */
  PetscCall(RungCouplingsFollow(sys, t));
  PetscCall(RungCouplingsCheckRates(sys));
  PetscCall(RungFormAssembleRate(sys->form->F, t, u, r));
  PetscCall(leave_rows(sys, r));
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
