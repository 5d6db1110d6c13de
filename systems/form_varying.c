/* form_varying.c - nonlinear systems some of whose blocks are constant:  J(sigma) = sum_k sigma_k K_k + V(t, u, sigma).

   K_k is what of dF/du^(k) depends neither on t nor on an unknown; it is assembled once.  J begins as the sum of the K_k and
   cells compute and add V alone, in the blocks of those pairs of unknowns that have something of it; of a J that holds the
   sum from the time before with the same slopes the other blocks are not even touched.  Every Jacobian is made so, the first
   one too, so that a run does not depend, to the bit, on where it was begun.

   It pays where V has few of the blocks of J: values that begin as a sum have to be read, and with two thirds of the entries
   (velocities of Navier-Stokes beside a pressure) that takes as long as to assemble all. */
#include "form_side_impl.h"

struct _RungVarying {
  PetscInt64 state; /* of constants and fields that K belongs to                            */
  PetscInt   n;     /* blocks that are not zero; 0: not made                                */
  PetscInt   k[RUNG_MAX_ORDER + 1];
  Mat        K[RUNG_MAX_ORDER + 1]; /* owned, [n]                                           */
};

/* Entries of a cell in blocks that vary are at most half of all. */
static PetscBool pays(RungSystem sys, const RungFormTraits *traits)
{
  const RungLayoutData *data    = sys->form->data;
  PetscInt              entries = 0, vary = 0;

  for (PetscInt f = 0; f < data->unknowns; ++f)
    for (PetscInt g = 0; g < data->unknowns; ++g) {
      const PetscInt n = (data->offset[f + 1] - data->offset[f]) * (data->offset[g + 1] - data->offset[g]);

      entries += traits->couple[f][g] ? n : 0;
      vary += traits->varying[f][g] ? n : 0;
    }
  return vary && 2 * vary <= entries ? PETSC_TRUE : PETSC_FALSE;
}

/* Conserved terms are added to J afterwards, other systems' fields change with every step. */
PetscErrorCode RungVaryingSetUp(RungSystem sys)
{
  RungFormTraits traits;

  PetscFunctionBegin;
  if (!sys->keep_blocks || sys->matrix_free || sys->typed || sys->traits.conserved || sys->form->couplings)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungFormGetTraits(sys->form->F, &traits));
  if (traits.facets || !pays(sys, &traits)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungFormSplitJacobian(sys->form->F));
  PetscCall(PetscNew(&sys->form->varying));
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
  for (PetscInt k = sys->traits.order; k >= 0; --k) {
    PetscReal sigma[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0}, norm;

    for (PetscInt g = 0; g < form->unknowns; ++g) sigma[k * form->unknowns + g] = 1;
    if (v->n) /* the places of the cells are handed on */
      PetscCall(MatDuplicate(v->K[0], MAT_DO_NOT_COPY_VALUES, &v->K[v->n]));
    else
      PetscCall(RungLayoutCreateMat(form->layout, form->couple, NULL, &v->K[0]));
    PetscCall(RungFormAssembleConstant(form->F, sigma, v->K[v->n]));
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

PetscErrorCode RungVaryingJacobian(RungSystem sys, RungForm F, PetscReal t, const Vec u[], const PetscReal sigma[],
                                   Mat J, PetscBool *done)
{
  RungVarying v = sys->form->varying;
  PetscReal   s[RUNG_MAX_ORDER + 1], c[RUNG_MAX_ORDER + 1];
  PetscInt64  state;

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  if (!v || F != sys->form->F || sys->form->condense || !slopes_agree(sys, sigma, s))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungFormGetDataState(F, &state));
  if (!v->n || state != v->state) PetscCall(make_blocks(sys, v));
  v->state = state;
  for (PetscInt i = 0; i < v->n; ++i) c[i] = s[v->k[i]];
  PetscCall(RungFormAssembleVarying(F, t, u, sigma, v->n, c, v->K, J));
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
