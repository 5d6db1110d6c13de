/* saddle_commutator.c - the Schur complement of p where convection rules the block of u.

   S = -C A^-1 B.  If derivatives of u and of p commuted, A Q^-1 B would be B F for some operator F on p, Q the mass
   matrix of u; F by least squares in the norm of Q^-1 gives

       S^-1 ~ -L^-1 (C Q^-1 A Q^-1 B) L^-1,   L = C Q^-1 B,

   H. Elman, V. E. Howle, J. Shadid, R. Shuttleworth, R. Tuminaro, SIAM J. Sci. Comput. 27 (2006) 1651.  Convection and
   rates are in A, so that nothing is asked of the forms.  Q is its diagonal here, and L^-1 is a cycle of multigrid for
   scalars. */
#include "levels_impl.h"

#define CONSTANT 1e-10 /* of the diagonal: L maps a constant to nothing */

struct RungCommutator_s {
  Vec weight;  /* owned, 1 / diagonal of Q                       */
  Vec u[2];    /* owned, work                                     */
  Vec p;       /* owned, work                                     */
  Vec given;   /* owned, 1 / D_ii where p_i is given, else 0      */
  Mat L;       /* owned, positive on its diagonal                 */
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
  PetscCall(VecPointwiseMult(s->p, s->given, x));
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
  for (int i = 0; i < 2; ++i) PetscCall(VecDestroy(&s->u[i]));
  PetscCall(MatDestroy(&s->L));
  PetscCall(KSPDestroy(&s->poisson));
  PetscCall(PetscFree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* L is 0 in rows of given p, which D has on its diagonal: they are solved by themselves. */
static PetscErrorCode close_given(RungCommutator s, Mat D)
{
  PetscScalar *d, *g, sum;
  PetscInt     n;
  Vec          diagonal;

  PetscFunctionBegin;
  if (!s->p) PetscCall(MatCreateVecs(s->L, &s->p, &s->given));
  PetscCall(VecDuplicate(s->p, &diagonal));
  PetscCall(MatGetDiagonal(D, s->given));
  PetscCall(MatGetDiagonal(s->L, diagonal));
  PetscCall(VecSum(diagonal, &sum));
  if (PetscRealPart(sum) < 0) PetscCall(MatScale(s->L, -1)); /* L^-1 is applied twice */
  PetscCall(VecGetSize(diagonal, &n));
  sum = PetscAbsScalar(sum) / (PetscReal)n;
  PetscCall(VecGetLocalSize(diagonal, &n));
  PetscCall(VecGetArray(diagonal, &d));
  PetscCall(VecGetArray(s->given, &g));
  for (PetscInt i = 0; i < n; ++i) {
    const PetscBool given = d[i] == 0 ? PETSC_TRUE : PETSC_FALSE;

    d[i] = given ? sum : 0;
    g[i] = given && g[i] != 0 ? 1 / g[i] : 0;
  }
  PetscCall(VecRestoreArray(s->given, &g));
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

PetscErrorCode RungCommutatorSetUp(RungCommutator s, Mat A, Mat B, Mat C, Mat D, PC pc)
{
  Mat weighted;

  PetscFunctionBegin;
  s->A = A, s->B = B, s->C = C;
  PetscCall(MatDuplicate(B, MAT_COPY_VALUES, &weighted));
  PetscCall(MatDiagonalScale(weighted, s->weight, NULL));
  PetscCall(MatDestroy(&s->L));
  PetscCall(MatMatMult(C, weighted, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &s->L));
  PetscCall(MatDestroy(&weighted));
  PetscCall(close_given(s, D));
  PetscCall(find_constant(s));
  PetscCall(KSPSetOperators(s->poisson, s->L, s->L));
  PetscCall(KSPSetFromOptions(s->poisson));
  PetscCall(PCShellSetContext(pc, s));
  PetscCall(PCShellSetApply(pc, apply));
  PetscCall(PCShellSetName(pc, "least squares commutator"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
