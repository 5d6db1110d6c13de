/* shell.c - the Jacobian without a matrix: a MATSHELL that keeps the state it is taken at and applies kernels.

       y = J x,   J = sum of terms  diag(weight) (sum_k sigma_k dG/du^(k))   of forms G (the rest; the conserved vector),

   on free entries; Dirichlet rows and columns are those of the identity, so that a symmetric form stays symmetric.
   With constraints, u_s = C u_m, it is C^T J C, where slaves have the identity too: x goes to the slaves, the rows of the
   slaves come back.  The diagonal comes from kernels of its own.  What needs entries is refused: there are none. */
#include <rungown_room.h>
#include "form_side_impl.h"
#include <petsc/private/petscimpl.h> /* PetscObjectStateIncrease */
#include <petsctime.h>

#define TERMS 2 /* the rest or F, and the conserved vector */

typedef struct {
  RungForm  form; /* lent by the system */
  PetscReal sigma[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS];
  PetscReal weight[RUNG_MAX_UNKNOWNS]; /* of rows                                     */
  PetscBool weighted;
} Term;

typedef struct {
  RungSystem sys; /* lent: a matrix does not outlive its system */
  PetscReal  t;
  PetscInt   levels;         /* of the state                                 */
  Vec u[RUNG_MAX_ORDER + 1]; /* owned, copies: the state is taken now; NULL of linear systems, whose J reads none */
  PetscInt     terms;
  Term         term[TERMS];
  PetscInt     fixed;
  PetscInt    *entry;  /* owned, [fixed] Dirichlet entries and slaves here     */
  Vec          x;      /* owned: x without Dirichlet entries, slaves following; NULL where there are no slaves */
  PetscScalar *hidden; /* owned, [fixed] of x while a product is made       */
  Vec          part;   /* owned: of one term; NULL until one needs it          */
} Shell;

/* ---- application -------------------------------------------------------------------------------------------------- */

/* to += diag(weight) part */
static PetscErrorCode add_part(Shell *shell, const Term *term, Vec to)
{
  const RungSystem   sys = shell->sys;
  const PetscScalar *from;
  PetscScalar       *y;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(shell->part, &from));
  PetscCall(VecGetArray(to, &y));
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) {
    const PetscReal weight = term->weighted ? term->weight[f] : 1;

    for (PetscInt i = sys->range[f]; i < sys->range[f + 1]; ++i) y[i] += weight * from[i];
  }
  PetscCall(VecRestoreArray(to, &y));
  PetscCall(VecRestoreArrayRead(shell->part, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y[entry] = x[entry] on Dirichlet entries and slaves, or 1 where x is NULL */
static PetscErrorCode set_fixed(Shell *shell, Vec x, Vec y)
{
  const PetscScalar *from = NULL;
  PetscScalar       *to;

  PetscFunctionBegin;
  if (x) PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArray(y, &to));
  for (PetscInt i = 0; i < shell->fixed; ++i) to[shell->entry[i]] = from ? from[shell->entry[i]] : 1;
  PetscCall(VecRestoreArray(y, &to));
  if (x) PetscCall(VecRestoreArrayRead(x, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = sum of the terms, of J x or of the diagonal (x NULL); the first one that is not weighted goes straight into y. */
static PetscErrorCode sum_terms(Shell *shell, Vec x, Vec y)
{
  PetscBool straight = shell->terms && !shell->term[0].weighted ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  if (!straight) PetscCall(VecZeroEntries(y));
  for (PetscInt i = 0; i < shell->terms; ++i) {
    const Term *term = &shell->term[i];
    Vec         to   = y;

    if (i > 0 || !straight) {
      if (!shell->part) PetscCall(VecDuplicate(y, &shell->part));
      to = shell->part;
    }
    if (x)
      PetscCall(RungFormApply(term->form, shell->t, shell->u, term->sigma, x, to));
    else
      PetscCall(RungFormAssembleDiagonal(term->form, shell->t, shell->u, term->sigma, to));
    if (to != y) PetscCall(add_part(shell, term, y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x without Dirichlet entries, slaves following, in a vector of its own. */
static PetscErrorCode extend(Shell *shell, Vec x)
{
  PetscScalar *free;

  PetscFunctionBegin;
  PetscCall(VecCopy(x, shell->x));
  PetscCall(VecGetArray(shell->x, &free));
  for (PetscInt i = 0; i < shell->fixed; ++i) free[shell->entry[i]] = 0;
  PetscCall(VecRestoreArray(shell->x, &free));
  PetscCall(RungConstraintsExtend(shell->sys, shell->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where nothing follows, the Dirichlet entries of x itself are 0 for a while: in the end x is as before, which saves a copy of it. */
static PetscErrorCode hide_fixed(Shell *shell, PetscBool hide, Vec x)
{
  const PetscScalar *read;
  PetscScalar       *free;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &read));
  free = (PetscScalar *)read;
  for (PetscInt i = 0; i < shell->fixed; ++i) {
    if (hide) shell->hidden[i] = free[shell->entry[i]];
    free[shell->entry[i]] = hide ? 0 : shell->hidden[i];
  }
  PetscCall(VecRestoreArrayRead(x, &read));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode apply(Mat J, Vec x, Vec y)
{
  Shell *shell;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(J, &shell));
  PetscCall(PetscTimeSubtract(&shell->sys->counts.action_seconds));
  if (shell->x)
    PetscCall(extend(shell, x));
  else
    PetscCall(hide_fixed(shell, PETSC_TRUE, x));
  RungCallFinally(sum_terms(shell, shell->x ? shell->x : x, y),
                  if (!shell->x) PetscCall(hide_fixed(shell, PETSC_FALSE, x)));
  PetscCall(RungConstraintsReduce(shell->sys, y));
  PetscCall(set_fixed(shell, x, y));
  PetscCall(PetscTimeAdd(&shell->sys->counts.action_seconds));
  ++shell->sys->counts.actions;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of C^T J C: what comes from the diagonal of J, then what slaves share with masters and with each other. */
static PetscErrorCode get_diagonal(Mat J, Vec d)
{
  Shell *shell;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(J, &shell));
  PetscCall(sum_terms(shell, NULL, d));
  PetscCall(RungConstraintsReduceDiagonal(shell->sys, d));
  for (PetscInt i = 0; i < shell->terms; ++i) {
    const Term *term = &shell->term[i];

    PetscCall(RungConstraintsAddDiagonal(shell->sys, term->form, shell->t, shell->u, term->sigma,
                                         term->weighted ? term->weight : NULL, d));
  }
  PetscCall(set_fixed(shell, NULL, d));
  ++shell->sys->counts.diagonals;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- life --------------------------------------------------------------------------------------------------------- */

static PetscErrorCode destroy(Mat J)
{
  Shell *shell;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(J, &shell));
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) PetscCall(VecDestroy(&shell->u[k]));
  PetscCall(VecDestroy(&shell->x));
  PetscCall(VecDestroy(&shell->part));
  PetscCall(PetscFree2(shell->entry, shell->hidden));
  PetscCall(PetscFree(shell));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Dirichlet entries and slaves here. */
static PetscErrorCode list_fixed(RungSystem sys, const PetscBool follows[], Shell *shell)
{
  const PetscBool *fixed = sys->form->fixed;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < sys->local; ++i) shell->fixed += follows[i] || (fixed && fixed[i]) ? 1 : 0;
  PetscCall(PetscMalloc2(shell->fixed, &shell->entry, shell->fixed, &shell->hidden));
  for (PetscInt i = 0, n = 0; i < sys->local; ++i)
    if (follows[i] || (fixed && fixed[i])) shell->entry[n++] = i;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_work(RungSystem sys, Shell *shell)
{
  RUNG_FREE PetscBool *follows = NULL;
  PetscInt             slaves  = 0;

  PetscFunctionBegin;
  shell->levels = sys->traits.order + 1;
  for (PetscInt k = 0; k < shell->levels && !sys->traits.linear; ++k) PetscCall(RungSystemCreateVec(sys, &shell->u[k]));
  PetscCall(PetscCalloc1(sys->local + 1, &follows));
  RungConstraintsMark(sys, follows);
  PetscCall(list_fixed(sys, follows, shell));
  for (PetscInt i = 0; i < sys->local; ++i) slaves += follows[i] ? 1 : 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &slaves, 1, MPIU_INT, MPI_SUM, sys->comm));
  if (slaves) PetscCall(RungSystemCreateVec(sys, &shell->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungShellCreate(RungSystem sys, Mat *J)
{
  Shell *shell;

  PetscFunctionBegin;
  PetscCheck(
    sys->form, sys->comm, PETSC_ERR_SUP,
    "-system_mat_type shell wants weak forms, whose action is a kernel; this system is made of callbacks: take "
    "-system_mat_type aij");
  PetscCall(RungTypedCheckBounds(sys));
  PetscCall(PetscNew(&shell));
  shell->sys = sys;
  PetscCall(create_work(sys, shell));
  PetscCall(MatCreateShell(sys->comm, sys->local, sys->local, sys->global, sys->global, shell, J));
  PetscCall(MatShellSetManageScalingShifts(*J));
  PetscCall(MatShellSetOperation(*J, MATOP_MULT, (void (*)(void))apply));
  if (sys->traits.symmetric) {
    PetscCall(MatShellSetOperation(*J, MATOP_MULT_TRANSPOSE, (void (*)(void))apply));
    PetscCall(MatSetOption(*J, MAT_SYMMETRIC, PETSC_TRUE));
  }
  PetscCall(MatShellSetOperation(*J, MATOP_GET_DIAGONAL, (void (*)(void))get_diagonal));
  PetscCall(MatShellSetOperation(*J, MATOP_DESTROY, (void (*)(void))destroy));
  PetscCall(MatSetUp(*J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungIsShell(Mat J, PetscBool *shell)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)J, MATSHELL, shell));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what it is --------------------------------------------------------------------------------------------------- */

static PetscErrorCode changed(Mat J)
{
  PetscFunctionBegin;
  PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscObjectStateIncrease((PetscObject)J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungShellSet(Mat J, RungForm form, PetscReal t, const Vec u[], const PetscReal sigma[])
{
  Shell   *shell;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(J, &shell));
  shell->t = t;
  n        = shell->levels * shell->sys->traits.unknowns;
  for (PetscInt k = 0; k < shell->levels && shell->u[k]; ++k) PetscCall(VecCopy(u[k], shell->u[k]));
  shell->terms = form ? 1 : 0;
  if (form) {
    shell->term[0] = (Term){.form = form};
    PetscCall(PetscArraycpy(shell->term[0].sigma, sigma, n));
  }
  PetscCall(changed(J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungShellAddWeighted(Mat J, RungForm form, const PetscReal sigma[], const PetscReal weight[])
{
  Shell *shell;
  Term  *term;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(J, &shell));
  term  = &shell->term[shell->terms++];
  *term = (Term){.form = form, .weighted = PETSC_TRUE};
  PetscCall(PetscArraycpy(term->sigma, sigma, shell->levels * shell->sys->traits.unknowns));
  PetscCall(PetscArraycpy(term->weight, weight, shell->sys->traits.unknowns));
  PetscCall(changed(J));
  PetscFunctionReturn(PETSC_SUCCESS);
}
