/* constraint_diagonal.c - the diagonal of C^T A C without A, exactly.

       d_m = sum_ab C_am C_bm A_ab,    a = m if it is no slave, else one of the slaves of m, likewise b

   The terms with a = b come from the diagonal of A (RungConstraintsReduceDiagonal).  The others couple a slave with its
   master, or two slaves of one master, and such pairs lie in one cell or at one facet: they are summed up from the blocks
   of the cells and facets that have a slave. */
#include "constraint_impl.h"

typedef struct {
  RungConstraints       c;
  const RungLayoutData *layout;
  const PetscReal      *weight; /* [unknown] of rows; NULL: 1 */
  Vec                   d;
} Summing;

/* Masters of a local dof, or itself, with coefficients; fixed masters take nothing. */
static PetscErrorCode take_masters(const Summing *s, PetscInt dof, PetscInt *n, const PetscInt **key,
                                   const PetscReal **value, PetscInt *own)
{
  static const PetscReal one = 1;
  PetscInt               index;

  PetscFunctionBegin;
  *own   = s->layout->global[dof];
  *n     = 1;
  *key   = own;
  *value = &one;
  if (!s->c->follows[dof]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscHMapIGet(s->c->index, *own, &index));
  *n     = s->c->slave[index].masters.n;
  *key   = s->c->slave[index].masters.key;
  *value = s->c->slave[index].masters.value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d_m += C_am C_bm entry for all m */
static PetscErrorCode add_pair(const Summing *s, PetscInt a, PetscInt b, PetscScalar entry)
{
  const PetscInt  *key[2];
  const PetscReal *value[2];
  PetscInt         n[2], own[2], fixed;

  PetscFunctionBegin;
  PetscCall(take_masters(s, a, &n[0], &key[0], &value[0], &own[0]));
  PetscCall(take_masters(s, b, &n[1], &key[1], &value[1], &own[1]));
  for (PetscInt i = 0; i < n[0]; ++i) {
    for (PetscInt j = 0; j < n[1]; ++j) {
      if (key[0][i] != key[1][j]) continue;
      PetscCall(PetscHMapIGet(s->c->fixed, key[0][i], &fixed));
      if (fixed < 0) PetscCall(VecSetValue(s->d, key[0][i], value[0][i] * value[1][j] * entry, ADD_VALUES));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal weight_of(const Summing *s, PetscInt dof)
{
  const PetscInt *range = s->layout->range, *ghost = s->layout->ghost;

  for (PetscInt f = 0; s->weight && f < s->layout->unknowns; ++f) {
    if ((dof >= range[f] && dof < range[f + 1]) || (dof >= ghost[f] && dof < ghost[f + 1])) return s->weight[f];
  }
  return 1;
}

static PetscErrorCode add_block(PetscInt n, const PetscInt dof[], const PetscScalar block[], PetscInt stride_i,
                                PetscInt stride_j, void *ctx)
{
  const Summing *s = (const Summing *)ctx;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) {
    const PetscReal weight = weight_of(s, dof[i]);

    for (PetscInt j = 0; j < n; ++j) {
      if (dof[i] == dof[j] || !(s->c->follows[dof[i]] || s->c->follows[dof[j]])) continue;
      PetscCall(add_pair(s, dof[i], dof[j], weight * block[i * stride_i + j * stride_j]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode mark_slaves(RungConstraints c, const RungLayoutData *layout)
{
  PetscInt index;

  PetscFunctionBegin;
  if (c->follows) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(layout->local + 1, &c->follows));
  for (PetscInt i = 0; i < layout->local; ++i) {
    PetscCall(PetscHMapIGet(c->index, layout->global[i], &index));
    c->follows[i] = index >= 0 ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConstraintsAddDiagonal(RungSystem sys, RungForm form, PetscReal t, const Vec u[],
                                          const PetscReal sigma[], const PetscReal weight[], Vec d)
{
  Summing summing = {.c = sys->form->constraints, .layout = sys->form->data, .weight = weight, .d = d};

  PetscFunctionBegin;
  if (!summing.c) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(mark_slaves(summing.c, summing.layout));
  PetscCall(RungFormShowBlocks(form, t, u, sigma, summing.c->follows, add_block, &summing));
  PetscCall(VecAssemblyBegin(d));
  PetscCall(VecAssemblyEnd(d));
  PetscFunctionReturn(PETSC_SUCCESS);
}
