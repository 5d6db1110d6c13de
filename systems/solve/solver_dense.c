/* solver_dense.c - dense factors of a matrix of few entries, with row exchanges, on one rank or a copy on each: a package of factors,
   RUNG_DENSE.

   A saddle point has zeros on its diagonal, so that PETSc's own sparse factors, which exchange nothing, are not for it.  MUMPS is,
   but keeps books: of 12 entries it takes 79 microseconds for factors and 62 for a sweep, on three ranks of two cores, which wait for
   each other's messages, 1300 and 930.  P A = L U by LAPACK takes 2/3 n^3 operations and a sweep 2 n^2, all in the cache (Golub and Van
   Loan, Matrix Computations, 3.4): less as long as n is small (decision 011). */
#include "solver_impl.h"
#include <math.h>
#include <petsc/private/matimpl.h>

typedef struct {
  Mat        lu;           /* owned, L and U of P R A C = L U                                 */
  PetscReal *row, *column; /* owned, diagonals of R and C, powers of 2                        */
  Mat       *whole;        /* owned, [1] the matrix on this rank, of several ranks; else NULL */
  VecScatter bring;        /* owned, likewise: from vectors of the matrix to `b`              */
  Vec        b, x;         /* owned, of the whole                                             */
} Dense;

static PetscErrorCode forget(Dense *d)
{
  PetscFunctionBegin;
  if (d->whole) PetscCall(MatDestroySubMatrices(1, &d->whole));
  PetscCall(VecScatterDestroy(&d->bring));
  PetscCall(VecDestroy(&d->b));
  PetscCall(VecDestroy(&d->x));
  PetscCall(MatDestroy(&d->lu));
  PetscCall(PetscFree(d->row));
  PetscCall(PetscFree(d->column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode dense_destroy(Mat F)
{
  PetscFunctionBegin;
  PetscCall(forget((Dense *)F->data));
  PetscCall(PetscObjectComposeFunction((PetscObject)F, "MatFactorGetSolverType_C", NULL));
  PetscCall(PetscFree(F->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode weigh(Vec x, const PetscReal weight[])
{
  PetscScalar *value;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArray(x, &value));
  for (PetscInt i = 0; i < n; ++i) value[i] *= weight[i];
  PetscCall(VecRestoreArray(x, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x = C U^-1 L^-1 P R b */
static PetscErrorCode dense_solve(Mat F, Vec b, Vec x)
{
  const Dense *d = (Dense *)F->data;

  PetscFunctionBegin;
  if (d->whole) {
    PetscCall(VecScatterBegin(d->bring, b, d->b, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(d->bring, b, d->b, INSERT_VALUES, SCATTER_FORWARD));
  } else {
    PetscCall(VecCopy(b, d->b));
  }
  PetscCall(weigh(d->b, d->row));
  PetscCall(MatSolve(d->lu, d->b, d->x));
  PetscCall(weigh(d->x, d->column));
  PetscCall(RungCopyTakeOwn(d->x, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A power of 2, which is a number for the least numbers, too, that brings `largest` near 1. */
static PetscReal near_one(PetscReal largest)
{
  int exponent = 0;

  if (largest > 0 && largest < PETSC_INFINITY) (void)frexp(largest, &exponent);
  return ldexp(1, PetscMin(-exponent, 1000));
}

/* The largest entry of each row, then of each column, comes near 1: rows of other units would have no say in which of them are exchanged. */
static void scale(const Dense *d, PetscInt n, PetscScalar a[])
{
  for (PetscInt i = 0; i < n; ++i) {
    PetscReal largest = 0;

    for (PetscInt j = 0; j < n; ++j) largest = PetscMax(largest, PetscAbsScalar(a[j * n + i]));
    d->row[i] = near_one(largest);
  }
  for (PetscInt j = 0; j < n; ++j) {
    PetscReal largest = 0;

    for (PetscInt i = 0; i < n; ++i) {
      a[j * n + i] *= d->row[i];
      largest = PetscMax(largest, PetscAbsScalar(a[j * n + i]));
    }
    d->column[j] = near_one(largest);
    for (PetscInt i = 0; i < n; ++i) a[j * n + i] *= d->column[j];
  }
}

/* lu = R A C, of an A that this rank has as a whole */
static PetscErrorCode spread(Dense *d, Mat A)
{
  const PetscInt    *start, *column;
  const PetscScalar *value;
  PetscScalar       *to;
  PetscInt           n;
  PetscBool          done;

  PetscFunctionBegin;
  PetscCall(MatSetUnfactored(d->lu));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &start, &column, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "dense factors of a matrix that does not say where its entries are");
  PetscCall(MatSeqAIJGetArrayRead(A, &value));
  PetscCall(MatDenseGetArrayWrite(d->lu, &to));
  PetscCall(PetscArrayzero(to, n * n));
  for (PetscInt row = 0; row < n; ++row)
    for (PetscInt k = start[row]; k < start[row + 1]; ++k) to[column[k] * n + row] = value[k];
  scale(d, n, to);
  PetscCall(MatDenseRestoreArrayWrite(d->lu, &to));
  PetscCall(MatSeqAIJRestoreArrayRead(A, &value));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &start, &column, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A pivot of zero, which PETSc's dense factors take for an error, is told as other packages tell it: all ranks have the same. */
static PetscErrorCode dense_numeric(Mat F, Mat A, const MatFactorInfo *options)
{
  Dense         *d = (Dense *)F->data;
  PetscErrorCode error;

  PetscFunctionBegin;
  (void)options;
  if (d->whole) PetscCall(RungCopyWhole(A, MAT_REUSE_MATRIX, &d->whole));
  PetscCall(spread(d, d->whole ? d->whole[0] : A));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  error = MatLUFactor(d->lu, NULL, NULL, NULL);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(!error || error == PETSC_ERR_MAT_LU_ZRPVT, PETSC_COMM_SELF, error,
             "dense factors could not be made (PETSc's error %d); take -pc_factor_mat_solver_type mumps", (int)error);
  F->factorerrortype = error ? MAT_FACTOR_NUMERIC_ZEROPIVOT : MAT_FACTOR_NOERROR;
  F->ops->solve      = dense_solve;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode dense_symbolic(Mat F, Mat A)
{
  Dense      *d = (Dense *)F->data;
  PetscMPIInt size;
  PetscInt    n;
  Vec         v;

  PetscFunctionBegin;
  PetscCall(forget(d));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, n, n, NULL, &d->lu));
  PetscCall(MatCreateVecs(d->lu, &d->x, NULL));
  PetscCall(PetscMalloc1(n, &d->row));
  PetscCall(PetscMalloc1(n, &d->column));
  if (size > 1) {
    PetscCall(RungCopyWhole(A, MAT_INITIAL_MATRIX, &d->whole));
    PetscCall(MatCreateVecs(A, NULL, &v));
    PetscCall(VecScatterCreateToAll(v, &d->bring, &d->b));
    PetscCall(VecDestroy(&v));
  } else {
    PetscCall(VecDuplicate(d->x, &d->b));
  }
  F->ops->lufactornumeric       = dense_numeric;
  F->ops->choleskyfactornumeric = dense_numeric;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode lu_symbolic(Mat F, Mat A, IS rows, IS columns, const MatFactorInfo *options)
{
  PetscFunctionBegin;
  (void)rows, (void)columns, (void)options; /* rows are exchanged by their values */
  PetscCall(dense_symbolic(F, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cholesky_symbolic(Mat F, Mat A, IS rows, const MatFactorInfo *options)
{
  PetscFunctionBegin;
  (void)rows, (void)options;
  PetscCall(dense_symbolic(F, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode dense_info(Mat F, MatInfoType type, MatInfo *info)
{
  PetscFunctionBegin;
  PetscCall(MatGetInfo(((const Dense *)F->data)->lu, type, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solver_type(Mat F, MatSolverType *type)
{
  PetscFunctionBegin;
  (void)F;
  *type = RUNG_DENSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode dense_create(Mat A, MatFactorType type, Mat *F)
{
  Dense *d;
  Mat    made;

  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), &made));
  PetscCall(MatSetSizes(made, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
  PetscCall(PetscStrallocpy(RUNG_DENSE, &((PetscObject)made)->type_name));
  PetscCall(MatSetUp(made));
  PetscCall(PetscNew(&d));
  made->data                        = d;
  made->factortype                  = type;
  made->ops->destroy                = dense_destroy;
  made->ops->getinfo                = dense_info;
  made->ops->lufactorsymbolic       = lu_symbolic;
  made->ops->choleskyfactorsymbolic = cholesky_symbolic;
  PetscCall(PetscFree(made->solvertype));
  PetscCall(PetscStrallocpy(RUNG_DENSE, &made->solvertype));
  PetscCall(PetscObjectComposeFunction((PetscObject)made, "MatFactorGetSolverType_C", solver_type));
  *F = made;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDenseRegister(void)
{
  static const MatFactorType type[] = {MAT_FACTOR_LU, MAT_FACTOR_CHOLESKY};
  static const char *const   of[]   = {MATSEQAIJ, MATMPIAIJ};
  PetscBool                  known;

  PetscFunctionBegin;
  PetscCall(
    MatSolverTypeGet(RUNG_DENSE, MATSEQAIJ, MAT_FACTOR_LU, &known, NULL, NULL)); /* PETSc forgets it at its end */
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(type) && !known; ++i)
    for (size_t j = 0; j < PETSC_STATIC_ARRAY_LENGTH(of); ++j)
      PetscCall(MatSolverTypeRegister(RUNG_DENSE, of[j], type[i], dense_create));
  PetscFunctionReturn(PETSC_SUCCESS);
}
