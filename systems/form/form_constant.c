/* form_constant.c - linear systems with a constant Jacobian,  F = sum_k K_k u^(k) + f:  the blocks K_k are assembled once.

   J(sigma) = sum_k sigma_k K_k is one pass over values, and the residual products with the blocks, where reading them is
   cheaper than to assemble: by measurement a nonzero costs a product about a quarter of what a dof of a cell costs an
   assembly.  The rule counts both, so that runs can be repeated.  Where F depends on t, f is a form of its own, F with zeros
   in the place of unknowns: what is left of it after folding is integrated anew for each t, and nothing else; it is taken
   for half of an assembly.  Blocks hold
   what stands in rows and columns of Dirichlet entries, too: products bring the boundary values into the residual. */
#include "form_side_impl.h"

#define NONZEROS_PER_DOF 4

struct _RungConstantBlocks {
  PetscInt64 state; /* of what the blocks belong to: constants, fields that they hold                           */
  PetscInt64 data;  /* of what f belongs to: constants and all fields                                           */
  PetscInt   n;     /* blocks that are not zero                                                                 */
  PetscInt   k[RUNG_MAX_ORDER + 1];
  Mat        K[RUNG_MAX_ORDER + 1]; /* owned, [n]                                                               */
  Vec        f, zero;               /* owned; f NULL: not made                                                  */
  Vec        part;                  /* owned: of one block; NULL where products add by themselves               */
  PetscInt   asked;                 /* Jacobians before the blocks were made                                    */
  PetscBool  moves;                 /* F depends on t                                                           */
  RungForm   load;                  /* owned: f where it depends on t, made when first wanted                   */
};

static PetscErrorCode destroy_blocks(RungConstantBlocks c)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->n; ++i) PetscCall(MatDestroy(&c->K[i]));
  c->n = 0;
  PetscCall(VecDestroy(&c->f));
  PetscCall(VecDestroy(&c->zero));
  PetscCall(VecDestroy(&c->part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConstantForget(RungSystem sys)
{
  PetscFunctionBegin;
  if (!sys->form || !sys->form->constant) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(destroy_blocks(sys->form->constant));
  sys->form->constant->asked = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nonzeros of all blocks against dofs of all cells, over all ranks. */
static PetscErrorCode products_pay(RungSystem sys, PetscInt blocks, PetscBool moves, PetscBool *pay)
{
  const RungLayoutData *data    = sys->form->data;
  PetscReal             mine[2] = {(PetscReal)blocks * sys->form->nonzeros, 0}, all[2];

  PetscFunctionBegin;
  mine[1] = (PetscReal)data->cells * (PetscReal)data->cell_dofs;
  PetscCallMPI(MPI_Allreduce(mine, all, 2, MPIU_REAL, MPIU_SUM, sys->comm));
  *pay = all[0] <= NONZEROS_PER_DOF * all[1] / (moves ? 2 : 1) && (!moves || all[1] >= RUNG_KERNEL_WORTH);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_blocks(RungSystem sys, RungConstantBlocks c)
{
  RungFormSide form = sys->form;

  PetscFunctionBegin;
  PetscCall(destroy_blocks(c));
  PetscCall(RungSystemCreateVec(sys, &c->zero));
  PetscCall(VecZeroEntries(c->zero));
  for (PetscInt k = 0; k <= sys->traits.order; ++k) {
    PetscReal sigma[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};
    Vec       u[RUNG_MAX_ORDER + 1]                           = {c->zero, c->zero, c->zero};
    PetscReal norm                                            = 1;
    PetscBool known;

    for (PetscInt g = 0; g < form->unknowns; ++g) sigma[k * form->unknowns + g] = 1;
    if (c->n) /* the places of the cells are handed on */
      PetscCall(MatDuplicate(c->K[0], MAT_DO_NOT_COPY_VALUES, &c->K[c->n]));
    else
      PetscCall(RungTypedCreate(sys, form->couple, NULL, &c->K[c->n]));
    PetscCall(RungFormAssembleMat(form->F, 0, u, sigma, c->K[c->n]));
    PetscCall(MatHasOperation(c->K[c->n], MATOP_NORM, &known));
    if (known) PetscCall(MatNorm(c->K[c->n], NORM_FROBENIUS, &norm)); /* else it is kept, zero or not */
    if (norm == 0)
      PetscCall(MatDestroy(&c->K[c->n]));
    else
      c->k[c->n++] = k;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* F at zero, as an expression: terms with unknowns fold to nothing. */
static PetscErrorCode create_load(RungSystem sys, RungConstantBlocks c)
{
  RungFormSide form = sys->form;
  RungExpr     expr;

  PetscFunctionBegin;
  PetscCall(RungSystemGetResidual(sys, &expr));
  for (PetscInt f = 0; f < form->unknowns; ++f) {
    const RungExpr u = RungName(form->scope, form->name[f]);

    expr = RungSubstitute(expr, u, RungMul(RungNumber(form->scope, 0), u));
  }
  PetscCall(RungSystemTakeSwitches(sys, &expr));
  PetscCall(RungFormCreate(expr, "load", form->layout, &c->load));
  PetscCall(RungFormSetFromOptions(c->load));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* f, constant or at t */
static PetscErrorCode get_load(RungSystem sys, RungConstantBlocks c, PetscReal t, PetscBool moves)
{
  Vec u[RUNG_MAX_ORDER + 1] = {c->zero, c->zero, c->zero};

  PetscFunctionBegin;
  if (c->f && !moves) PetscFunctionReturn(PETSC_SUCCESS);
  if (!c->f) PetscCall(RungSystemCreateVec(sys, &c->f));
  if (moves && !c->load) PetscCall(create_load(sys, c));
  PetscCall(RungFormAssembleVec(moves ? c->load : sys->form->F, t, u, c->f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemGetDataState(RungSystem sys, PetscInt64 *state)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  *state = 0;
  if (sys->form && (sys->form->m || sys->form->couplings)) /* which hold others */
    PetscCall(RungFormGetDataState(sys->form->F, sys->form->holds_fields, state));
  else if (sys->form)
    PetscCall(RungFormGetMatrixState(sys->form->F, sys->form->holds_fields, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemGetResidualState(RungSystem sys, PetscInt64 *state)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  *state = ++sys->asked;
  if (sys->form) PetscCall(RungFormGetDataState(sys->form->F, PETSC_TRUE, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_blocks(RungForm F, RungConstantBlocks *created)
{
  RungFormTraits traits; /* large: not to be asked for in each residual */

  PetscFunctionBegin;
  PetscCall(PetscNew(created));
  PetscCall(RungFormGetTraits(F, &traits));
  (*created)->moves = traits.time_dependent;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is F of the kind?  Makes sys->form->constant, without what constants and fields have made stale. */
static PetscErrorCode get_constant(RungSystem sys, RungForm F, RungConstantBlocks *c)
{
  const RungTraits *traits = &sys->traits;
  PetscInt64        state;

  PetscFunctionBegin;
  *c = NULL;
  if (F != sys->form->F || !traits->linear || !traits->constant_jacobian || traits->conserved || traits->order < 1 ||
      sys->form->constraints)
    PetscFunctionReturn(PETSC_SUCCESS);
  if (!sys->form->constant) PetscCall(create_blocks(F, &sys->form->constant));
  *c = sys->form->constant;
  PetscCall(RungSystemGetDataState(sys, &state));
  if (state != (*c)->state) PetscCall(destroy_blocks(*c));
  (*c)->state = state;
  PetscCall(RungFormGetDataState(F, PETSC_TRUE, &state));
  if (state != (*c)->data) PetscCall(VecDestroy(&(*c)->f));
  (*c)->data = state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConstantJacobian(RungSystem sys, RungForm F, const PetscReal sigma[], Mat J, PetscBool *done)
{
  const PetscInt     n = sys->form->unknowns;
  RungConstantBlocks c;
  PetscReal          s[RUNG_MAX_ORDER + 1];
  PetscBool          alike;

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  PetscCall(get_constant(sys, F, &c));
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTypedIs(sys, J, &alike)); /* that of a start is always AIJ */
  if (!alike) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k <= sys->traits.order; ++k) {
    for (PetscInt g = 1; g < n; ++g)
      if (sigma[k * n + g] != sigma[k * n]) PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!c->n && ++c->asked <= sys->traits.order + 1)
    PetscFunctionReturn(PETSC_SUCCESS); /* few slopes: blocks cost more */
  if (!c->n) PetscCall(make_blocks(sys, c));
  for (PetscInt i = 0; i < c->n; ++i) s[i] = sigma[c->k[i] * n];
  PetscCall(RungLayoutCombineMats(sys->form->layout, c->n, s, c->K, J));
  ++sys->counts.combined;
  *done = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is u zero on all ranks, or NULL?  The right-hand side of a linear stage is F where most is zero. */
static PetscErrorCode is_zero(RungSystem sys, Vec u, PetscBool *zero)
{
  const PetscScalar *x;
  PetscInt           n, i = 0;
  PetscBool          mine;

  PetscFunctionBegin;
  *zero = PETSC_TRUE;
  if (!u) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetLocalSize(u, &n));
  PetscCall(VecGetArrayRead(u, &x));
  while (i < n && x[i] == 0.0) ++i;
  PetscCall(VecRestoreArrayRead(u, &x));
  mine = i == n ? PETSC_TRUE : PETSC_FALSE;
  PetscCallMPI(MPI_Allreduce(&mine, zero, 1, RUNG_MPI_BOOL, MPI_LAND, sys->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r += K u.  The product that adds to a vector is slow in PETSc's SBAIJ, the plain one is not. */
static PetscErrorCode add_product(RungConstantBlocks c, Mat K, Vec u, Vec r)
{
  PetscBool half;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)K, &half, MATSEQSBAIJ, MATMPISBAIJ, ""));
  if (half) {
    if (!c->part) PetscCall(VecDuplicate(r, &c->part));
    PetscCall(MatMult(K, u, c->part));
    PetscCall(VecAXPY(r, 1, c->part));
  } else
    PetscCall(MatMultAdd(K, u, r, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConstantResidual(RungSystem sys, RungForm F, PetscReal t, const Vec u[], Vec r, PetscBool *done)
{
  RungConstantBlocks c;

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  PetscCall(get_constant(sys, F, &c));
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  if (!sys->form->counted) PetscFunctionReturn(PETSC_SUCCESS);
  if (!c->f) {
    PetscBool pay;

    PetscCall(products_pay(sys, sys->traits.order + 1, c->moves, &pay));
    if (!pay) PetscFunctionReturn(PETSC_SUCCESS);
    if (!c->n) PetscCall(make_blocks(sys, c));
  }
  PetscCall(get_load(sys, c, t, c->moves));
  PetscCall(VecCopy(c->f, r));
  for (PetscInt i = 0; i < c->n; ++i) {
    PetscBool zero;

    PetscCall(is_zero(sys, u[c->k[i]], &zero));
    if (!zero) PetscCall(add_product(c, c->K[i], u[c->k[i]], r));
  }
  ++sys->counts.products;
  *done = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConstantBlocksDestroy(RungConstantBlocks *c)
{
  PetscFunctionBegin;
  if (!*c) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(destroy_blocks(*c));
  PetscCall(RungFormDestroy(&(*c)->load));
  PetscCall(PetscFree(*c));
  PetscFunctionReturn(PETSC_SUCCESS);
}
