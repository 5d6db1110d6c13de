/* saddle_commutator.c - the Schur complement of p where convection rules the block of u.

   S = -C A^-1 B.  If derivatives of u and of p commuted, A Q^-1 B would be B F for some operator F on p, Q the mass
   matrix of u; F by least squares in the norm of Q^-1 gives

       S^-1 ~ -L^-1 (C Q^-1 A Q^-1 B) L^-1,   L = C Q^-1 B,

   H. Elman, V. E. Howle, J. Shadid, R. Shuttleworth, R. Tuminaro, SIAM J. Sci. Comput. 27 (2006) 1651.  Convection and
   rates are in A, so that nothing is asked of the forms.  Q is its diagonal here, and L^-1 is a cycle of multigrid for
   scalars, which stays as long as B and C do. */
#include "levels_impl.h"

#define CONSTANT 1e-10 /* of the diagonal: L maps a constant to nothing */
#define KEPT     1e-12 /* of C Q^-1 B x: B and C are those of before   */

struct RungCommutator_s {
  Vec weight;  /* owned, 1 / diagonal of Q                       */
  Vec u[2];    /* owned, work                                     */
  Vec p;       /* owned, work                                     */
  Vec given;   /* owned, 1 where p_i is given, else 0; of L       */
  Vec inverse; /* owned, 1 / D_ii where p_i is given, else 0      */
  Mat L;       /* owned, positive on its diagonal                 */
  Vec sample;  /* owned, C Q^-1 B x of a fixed x when L was made    */
  Mat A, B, C; /* lent, of the present matrix                     */
  KSP poisson; /* owned, solves with L                            */
};

static PetscErrorCode apply(PC pc, Vec x, Vec y)
{
  RungCommutator s;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &s));
  PetscCall(KSPSolve(s->poisson, x, y));
  PetscCall(MatMult(s->B, y, s->u[0]));
  PetscCall(VecPointwiseMult(s->u[0], s->u[0], s->weight));
  PetscCall(MatMult(s->A, s->u[0], s->u[1]));
  PetscCall(VecPointwiseMult(s->u[1], s->u[1], s->weight));
  PetscCall(MatMult(s->C, s->u[1], s->p));
  PetscCall(VecScale(s->p, -1));
  PetscCall(KSPSolve(s->poisson, s->p, y));
  PetscCall(VecPointwiseMult(s->p, s->inverse, x));
  PetscCall(VecAXPY(y, 1, s->p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCommutatorCreate(Mat Q, PetscInt dim, const char prefix[], RungCommutator *commutator)
{
  RungCommutator s;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  *commutator = s;
  PetscCall(MatCreateVecs(Q, &s->weight, NULL));
  PetscCall(MatGetDiagonal(Q, s->weight));
  PetscCall(VecReciprocal(s->weight));
  for (int i = 0; i < 2; ++i) PetscCall(VecDuplicate(s->weight, &s->u[i]));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)Q), &s->poisson));
  PetscCall(KSPSetOptionsPrefix(s->poisson, prefix));
  PetscCall(KSPSetType(s->poisson, KSPPREONLY));
  PetscCall(RungCoarsestSetScalars(s->poisson, dim));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCommutatorDestroy(RungCommutator *commutator)
{
  RungCommutator s = *commutator;

  PetscFunctionBegin;
  *commutator = NULL;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDestroy(&s->weight));
  PetscCall(VecDestroy(&s->p));
  PetscCall(VecDestroy(&s->given));
  PetscCall(VecDestroy(&s->inverse));
  PetscCall(VecDestroy(&s->sample));
  for (int i = 0; i < 2; ++i) PetscCall(VecDestroy(&s->u[i]));
  PetscCall(MatDestroy(&s->L));
  PetscCall(KSPDestroy(&s->poisson));
  PetscCall(PetscFree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* L is 0 in rows of given p: they get the mean of its diagonal. */
static PetscErrorCode close_given(RungCommutator s)
{
  PetscScalar *d, *g, sum;
  PetscInt     n;
  Vec          diagonal;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(s->p, &diagonal));
  PetscCall(MatGetDiagonal(s->L, diagonal));
  PetscCall(VecSum(diagonal, &sum));
  if (PetscRealPart(sum) < 0) PetscCall(MatScale(s->L, -1)); /* L^-1 is applied twice */
  PetscCall(VecGetSize(diagonal, &n));
  sum = PetscAbsScalar(sum) / (PetscReal)n;
  PetscCall(VecGetLocalSize(diagonal, &n));
  PetscCall(VecGetArray(diagonal, &d));
  PetscCall(VecGetArrayWrite(s->given, &g));
  for (PetscInt i = 0; i < n; ++i) {
    g[i] = d[i] == 0 ? 1 : 0;
    d[i] = g[i] * sum;
  }
  PetscCall(VecRestoreArrayWrite(s->given, &g));
  PetscCall(VecRestoreArray(diagonal, &d));
  PetscCall(MatSetOption(s->L, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE)); /* empty rows */
  PetscCall(MatDiagonalSet(s->L, diagonal, ADD_VALUES));
  PetscCall(VecDestroy(&diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where p is known up to a constant L is singular. */
static PetscErrorCode find_constant(RungCommutator s)
{
  MatNullSpace constant;
  PetscReal    norm[2];
  Vec          one, product;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(s->L, &one, &product));
  PetscCall(VecSet(one, 1));
  PetscCall(MatMult(s->L, one, product));
  PetscCall(VecNorm(product, NORM_INFINITY, &norm[0]));
  PetscCall(MatGetDiagonal(s->L, one));
  PetscCall(VecNorm(one, NORM_INFINITY, &norm[1]));
  if (norm[0] <= CONSTANT * norm[1]) {
    PetscCall(MatNullSpaceCreate(PetscObjectComm((PetscObject)s->L), PETSC_TRUE, 0, NULL, &constant));
    PetscCall(MatSetNullSpace(s->L, constant));
    PetscCall(MatNullSpaceDestroy(&constant));
  }
  PetscCall(VecDestroy(&one));
  PetscCall(VecDestroy(&product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_poisson(RungCommutator s)
{
  Mat weighted;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(s->B, MAT_COPY_VALUES, &weighted));
  PetscCall(MatDiagonalScale(weighted, s->weight, NULL));
  PetscCall(MatDestroy(&s->L));
  PetscCall(MatMatMult(s->C, weighted, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &s->L));
  PetscCall(MatDestroy(&weighted));
  PetscCall(close_given(s));
  PetscCall(find_constant(s));
  PetscCall(KSPSetOperators(s->poisson, s->L, s->L));
  PetscCall(KSPSetFromOptions(s->poisson));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* L is that of B and C before where C Q^-1 B x is, x with entries of either sign. */
static PetscErrorCode is_kept(RungCommutator s, PetscBool *kept)
{
  PetscReal size, change;
  Vec       sample;

  PetscFunctionBegin;
  PetscCall(RungFillSigns(s->p));
  PetscCall(MatMult(s->B, s->p, s->u[0]));
  PetscCall(VecPointwiseMult(s->u[0], s->u[0], s->weight));
  PetscCall(VecDuplicate(s->p, &sample));
  PetscCall(MatMult(s->C, s->u[0], sample));
  PetscCall(VecNorm(sample, NORM_2, &size));
  PetscCall(VecAXPY(s->sample, -1, sample));
  PetscCall(VecNorm(s->sample, NORM_2, &change));
  *kept = s->L && change <= KEPT * size ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(VecDestroy(&s->sample));
  s->sample = sample;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_work(RungCommutator s, Mat D)
{
  PetscFunctionBegin;
  PetscCall(MatCreateVecs(D, &s->p, &s->given));
  PetscCall(VecDuplicate(s->p, &s->inverse));
  PetscCall(VecDuplicate(s->p, &s->sample));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCommutatorSetUp(RungCommutator s, Mat A, Mat B, Mat C, Mat D, PC pc)
{
  PetscBool kept;

  PetscFunctionBegin;
  s->A = A, s->B = B, s->C = C;
  if (!s->p) PetscCall(create_work(s, D));
  PetscCall(is_kept(s, &kept));
  if (!kept) PetscCall(make_poisson(s));
  PetscCall(MatGetDiagonal(D, s->inverse)); /* given p are solved by themselves */
  PetscCall(VecReciprocal(s->inverse));
  PetscCall(VecPointwiseMult(s->inverse, s->inverse, s->given));
  PetscCall(PCShellSetContext(pc, s));
  PetscCall(PCShellSetApply(pc, apply));
  PetscCall(PCShellSetName(pc, "least squares commutator"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
