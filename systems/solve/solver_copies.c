/* solver_copies.c - PETSc's own factors of a matrix of several ranks, a copy on each: a package of factors, RUNG_COPIES.

   Where fronts are next to nothing, MUMPS on several ranks does little but send messages: on a line of 1e5 entries a sweep takes 34
   milliseconds on one rank, more on two, and PETSc's own factors take 0.8.  So every rank has the whole matrix, factors it and
   sweeps for the whole solution, of which it keeps its entries; what travels is a right-hand side.  All ranks do the same
   arithmetic, and a zero pivot is one of all. */
#include "solver_impl.h"
#include <petsc/private/matimpl.h>

typedef struct {
  Mat       *whole;   /* owned, [1] the matrix on this rank        */
  Mat        factors; /* owned: of it                              */
  VecScatter bring;   /* owned: from vectors of the matrix to `b`  */
  Vec        b, x;    /* owned, of the whole                       */
} Copy;

PetscErrorCode RungCopyWhole(Mat A, MatReuse reuse, Mat **whole)
{
  PetscInt n;
  IS       all;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, n, 0, 1, &all));
  RungCallFinally(MatCreateSubMatrices(A, 1, &all, &all, reuse, whole), PetscCall(ISDestroy(&all)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode forget(Copy *copy)
{
  PetscFunctionBegin;
  if (copy->whole) PetscCall(MatDestroySubMatrices(1, &copy->whole));
  PetscCall(MatDestroy(&copy->factors));
  PetscCall(VecScatterDestroy(&copy->bring));
  PetscCall(VecDestroy(&copy->b));
  PetscCall(VecDestroy(&copy->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy_destroy(Mat F)
{
  PetscFunctionBegin;
  PetscCall(forget((Copy *)F->data));
  PetscCall(PetscObjectComposeFunction((PetscObject)F, "MatFactorGetSolverType_C", NULL));
  PetscCall(PetscFree(F->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCopyTakeOwn(Vec whole, Vec x)
{
  const PetscScalar *from;
  PetscScalar       *to;
  PetscInt           start, end;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(x, &start, &end));
  PetscCall(VecGetArrayRead(whole, &from));
  PetscCall(VecGetArrayWrite(x, &to));
  PetscCall(PetscArraycpy(to, from + start, end - start));
  PetscCall(VecRestoreArrayWrite(x, &to));
  PetscCall(VecRestoreArrayRead(whole, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy_solve(Mat F, Vec b, Vec x)
{
  Copy *copy = (Copy *)F->data;

  PetscFunctionBegin;
  PetscCall(VecScatterBegin(copy->bring, b, copy->b, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(copy->bring, b, copy->b, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(MatSolve(copy->factors, copy->b, copy->x));
  PetscCall(RungCopyTakeOwn(copy->x, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy_numeric(Mat F, Mat A, const MatFactorInfo *info)
{
  Copy *copy = (Copy *)F->data;

  PetscFunctionBegin;
  PetscCall(RungCopyWhole(A, MAT_REUSE_MATRIX, &copy->whole));
  if (F->factortype == MAT_FACTOR_LU)
    PetscCall(MatLUFactorNumeric(copy->factors, copy->whole[0], info));
  else
    PetscCall(MatCholeskyFactorNumeric(copy->factors, copy->whole[0], info));
  PetscCall(MatFactorGetError(copy->factors, &F->factorerrortype));
  F->ops->solve = copy_solve;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode analyse(Copy *copy, MatFactorType type, IS rows, IS columns, const MatFactorInfo *info)
{
  PetscFunctionBegin;
  if (type == MAT_FACTOR_LU)
    PetscCall(MatLUFactorSymbolic(copy->factors, copy->whole[0], rows, columns, info));
  else
    PetscCall(MatCholeskyFactorSymbolic(copy->factors, copy->whole[0], rows, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy_symbolic(Mat F, Mat A, const MatFactorInfo *info)
{
  Copy *copy = (Copy *)F->data;
  IS    rows, columns;
  Vec   v;

  PetscFunctionBegin;
  PetscCall(forget(copy));
  PetscCall(RungCopyWhole(A, MAT_INITIAL_MATRIX, &copy->whole));
  PetscCall(MatGetFactor(copy->whole[0], MATSOLVERPETSC, F->factortype, &copy->factors));
  PetscCall(MatGetOrdering(copy->whole[0], MATORDERINGND, &rows, &columns));
  RungCallFinally(analyse(copy, F->factortype, rows, columns, info), PetscCall(ISDestroy(&rows));
                  PetscCall(ISDestroy(&columns)));
  PetscCall(MatCreateVecs(copy->whole[0], &copy->x, NULL));
  PetscCall(MatCreateVecs(A, NULL, &v));
  PetscCall(VecScatterCreateToAll(v, &copy->bring, &copy->b));
  PetscCall(VecDestroy(&v));
  F->ops->lufactornumeric       = copy_numeric;
  F->ops->choleskyfactornumeric = copy_numeric;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode lu_symbolic(Mat F, Mat A, IS rows, IS columns, const MatFactorInfo *info)
{
  PetscFunctionBegin;
  (void)rows, (void)columns; /* an order of its own */
  PetscCall(copy_symbolic(F, A, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cholesky_symbolic(Mat F, Mat A, IS rows, const MatFactorInfo *info)
{
  PetscFunctionBegin;
  (void)rows;
  PetscCall(copy_symbolic(F, A, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy_info(Mat F, MatInfoType type, MatInfo *info)
{
  const Copy *copy = (Copy *)F->data;

  PetscFunctionBegin;
  PetscCall(MatGetInfo(copy->factors, type, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solver_type(Mat F, MatSolverType *type)
{
  PetscFunctionBegin;
  (void)F;
  *type = RUNG_COPIES;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy_create(Mat A, MatFactorType type, Mat *F)
{
  Copy *copy;
  Mat   made;

  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), &made));
  PetscCall(MatSetSizes(made, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
  PetscCall(PetscStrallocpy(RUNG_COPIES, &((PetscObject)made)->type_name));
  PetscCall(MatSetUp(made));
  PetscCall(PetscNew(&copy));
  made->data                        = copy;
  made->factortype                  = type;
  made->ops->destroy                = copy_destroy;
  made->ops->getinfo                = copy_info;
  made->ops->lufactorsymbolic       = lu_symbolic;
  made->ops->choleskyfactorsymbolic = cholesky_symbolic;
  PetscCall(PetscFree(made->solvertype));
  PetscCall(PetscStrallocpy(RUNG_COPIES, &made->solvertype));
  PetscCall(PetscObjectComposeFunction((PetscObject)made, "MatFactorGetSolverType_C", solver_type));
  *F = made;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCopiesRegister(void)
{
  static const MatFactorType type[] = {MAT_FACTOR_LU, MAT_FACTOR_CHOLESKY};
  PetscBool                  known;

  PetscFunctionBegin;
  PetscCall(
    MatSolverTypeGet(RUNG_COPIES, MATMPIAIJ, MAT_FACTOR_LU, &known, NULL, NULL)); /* PETSc forgets it at its end */
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(type) && !known; ++i)
    PetscCall(MatSolverTypeRegister(RUNG_COPIES, MATMPIAIJ, type[i], copy_create));
  PetscFunctionReturn(PETSC_SUCCESS);
}
