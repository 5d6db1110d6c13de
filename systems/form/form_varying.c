/* form_varying.c - nonlinear systems with much that is constant:  J(sigma) = sum_k sigma_k K_k + V(t, u, sigma).

   K_k is what of dF/du^(k) depends neither on t nor on an unknown; it is assembled once.  J begins as the sum of the K_k and
   cells compute and add V alone, those that have something of it, in the blocks of those pairs of unknowns that have; of a J
   that holds the sum from the time before with the same slopes nothing else is even touched.  Every Jacobian is made so, the
   first one too, so that a run does not depend, to the bit, on where it was begun.  Fields of other systems are expected to
   move with every step: what holds them belongs to V.

   It pays where V adds few of the values: those that begin as a sum have to be read, and with two thirds of the entries
   (velocities of Navier-Stokes beside a pressure) that takes as long as to assemble all. */
#include "form_side_impl.h"

struct _RungVarying {
  RungForm   F;      /* lent: what it is made of                                             */
  PetscBool  fields; /* K holds fields                                                       */
  PetscInt64 state;  /* of what K belongs to: constants, fields that it holds                */
  PetscInt   n;      /* blocks that are not zero; 0: not made                                */
  PetscInt   k[RUNG_MAX_ORDER + 1];
  Mat        K[RUNG_MAX_ORDER + 1]; /* owned, [n]                                           */
};

/* Conserved terms vary, as they are nonlinear. */
PetscErrorCode RungVaryingSetUp(RungSystem sys, RungForm F)
{
  RungFormSide    form   = sys->form;
  const PetscBool moving = form->couplings ? PETSC_TRUE : PETSC_FALSE;
  PetscReal       all, vary, more = 0, of;

  PetscFunctionBegin;
  if (!sys->keep_blocks || sys->matrix_free || sys->typed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungFormCountValues(F, moving, &all, &vary));
  if (form->m) PetscCall(RungFormCountValues(form->m, moving, &more, &of));
  if (vary + more == 0 || 2 * (vary + more) > all + more) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungFormSplitJacobian(F, moving));
  PetscCall(PetscNew(&form->varying));
  form->varying->F      = F;
  form->varying->fields = form->holds_fields && !moving ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_blocks(RungVarying v)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < v->n; ++i) PetscCall(MatDestroy(&v->K[i]));
  v->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At least one of them is kept, zero or not: J begins with it. */
static PetscErrorCode make_blocks(RungSystem sys, RungVarying v)
{
  RungFormSide form = sys->form;

  PetscFunctionBegin;
  PetscCall(destroy_blocks(v));
  ++sys->counts.kept;
  for (PetscInt k = sys->traits.order; k >= 0; --k) {
    PetscReal sigma[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0}, norm;

    for (PetscInt g = 0; g < form->unknowns; ++g) sigma[k * form->unknowns + g] = 1;
    if (v->n) /* the places of the cells are handed on */
      PetscCall(MatDuplicate(v->K[0], MAT_DO_NOT_COPY_VALUES, &v->K[v->n]));
    else
      PetscCall(RungLayoutCreateMat(form->layout, form->couple, NULL, &v->K[0]));
    PetscCall(RungFormAssembleConstant(v->F, sigma, v->K[v->n]));
    PetscCall(MatNorm(v->K[v->n], NORM_FROBENIUS, &norm));
    if (norm == 0 && (k || v->n))
      PetscCall(MatDestroy(&v->K[v->n]));
    else
      v->k[v->n++] = k;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One slope for all unknowns that have the derivative. */
static PetscBool slopes_agree(RungSystem sys, const PetscReal sigma[], PetscReal s[])
{
  const PetscInt n = sys->form->unknowns;

  for (PetscInt k = 0; k <= sys->traits.order; ++k) {
    PetscBool found = PETSC_FALSE;

    s[k] = 0;
    for (PetscInt g = 0; g < n; ++g) {
      if (sys->traits.unknown_order[g] < k) continue;
      if (found && sigma[k * n + g] != s[k]) return PETSC_FALSE;
      s[k]  = sigma[k * n + g];
      found = PETSC_TRUE;
    }
  }
  return PETSC_TRUE;
}

PetscErrorCode RungVaryingJacobian(RungSystem sys, RungForm F, RungForm also, PetscReal t, const Vec u[],
                                   const PetscReal sigma[], Mat J, PetscBool *done)
{
  RungVarying v = sys->form->varying;
  PetscReal   s[RUNG_MAX_ORDER + 1], c[RUNG_MAX_ORDER + 1];
  PetscInt64  state;

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  if (!v || F != v->F || sys->form->condense || !slopes_agree(sys, sigma, s)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungFormGetDataState(F, v->fields, &state));
  if (!v->n || state != v->state) PetscCall(make_blocks(sys, v));
  v->state = state;
  for (PetscInt i = 0; i < v->n; ++i) c[i] = s[v->k[i]];
  PetscCall(RungFormAssembleVarying(F, t, u, sigma, v->n, c, v->K, also, sigma + sys->form->unknowns, J));
  ++sys->counts.split;
  *done = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungVaryingDestroy(RungVarying *v)
{
  PetscFunctionBegin;
  if (!*v) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(destroy_blocks(*v));
  PetscCall(PetscFree(*v));
  PetscFunctionReturn(PETSC_SUCCESS);
}
