/* condense_factors.c - factors of a matrix whose internal variables are eliminated, without the rows that these leave behind.

   A matrix of RungSystemCreateStageMat() has the identity for internal variables, which are most of its rows: eight points of a brick have 80
   for its three displacements.  Packages take each of them for a vertex without neighbours, over which orderings may go again and again: PORD, for
   which MUMPS decides where it was built without METIS, takes 46 CPU seconds for 160000 of them beside 7623 displacements, and no time without
   them.  Here the rows that are left are factored by themselves, and the others are solved with by their diagonal.

   One process and several: the rows that are left stay where they are. */
#include "condense_impl.h"
#include <petsc/private/pcimpl.h> /* ops->setup, ops->apply: of a factorisation of some rows */

typedef struct {
  RungSystem sys; /* lent: it outlives its solvers */
  PetscErrorCode (*setup)(PC);
  PetscErrorCode (*apply)(PC, Vec, Vec); /* of the factorisation                                             */
  PetscErrorCode (*transposed)(PC, Vec, Vec);
  PetscBool left;    /* the present factors are those of the rows that are left                         */
  IS        rows;    /* owned: these                                                                    */
  Mat       some;    /* owned: of J                                                                     */
  Vec       b, x;    /* owned, [rows]                                                                   */
  Vec       inverse; /* owned: 1 / J_ii of internal variables, 0 of others                              */
} Left;

static const char key[] = "rung_left";

static PetscErrorCode drop(Left *left)
{
  PetscFunctionBegin;
  PetscCall(ISDestroy(&left->rows));
  PetscCall(MatDestroy(&left->some));
  PetscCall(VecDestroy(&left->b));
  PetscCall(VecDestroy(&left->x));
  PetscCall(VecDestroy(&left->inverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RungContainerArg arg)
{
  Left *left = (Left *)RungContainerPointer(arg);

  PetscFunctionBegin;
  PetscCall(drop(left));
  PetscCall(PetscFree(left));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Has a row of J nothing but its diagonal? */
static PetscErrorCode is_alone(Mat J, PetscInt row, PetscBool *alone)
{
  const PetscInt    *column;
  const PetscScalar *value;
  PetscInt           entries;

  PetscFunctionBegin;
  PetscCall(MatGetRow(J, row, &entries, &column, &value));
  *alone = PETSC_TRUE;
  for (PetscInt k = 0; k < entries; ++k)
    if (column[k] != row && value[k] != 0) *alone = PETSC_FALSE;
  PetscCall(MatRestoreRow(J, row, &entries, &column, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Have internal variables the rows of the identity?  Those of consistent starts are coupled.  The others have no entries in their columns then. */
static PetscErrorCode stand_alone(RungSystem sys, Mat J, PetscBool *alone)
{
  PetscInt  first, rows;
  PetscBool known;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)J, &known, MATSEQAIJ, MATMPIAIJ, ""));
  PetscCall(MatGetLocalSize(J, &rows, NULL));
  *alone = known && rows == sys->local ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(MatGetOwnershipRange(J, &first, NULL));
  for (PetscInt f = 0; *alone && f < sys->form->unknowns; ++f) {
    for (PetscInt i = sys->range[f]; *alone && RungIsCondensed(sys, f) && i < sys->range[f + 1]; ++i)
      PetscCall(is_alone(J, first + i, alone));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, alone, 1, MPIU_BOOL, MPI_LAND, sys->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_rows(RungSystem sys, Mat J, IS *left)
{
  PetscInt first, n = 0, *row;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(J, &first, NULL));
  PetscCall(PetscMalloc1(sys->local + 1, &row));
  for (PetscInt f = 0; f < sys->form->unknowns; ++f)
    for (PetscInt i = sys->range[f]; !RungIsCondensed(sys, f) && i < sys->range[f + 1]; ++i) row[n++] = first + i;
  PetscCall(ISCreateGeneral(PetscObjectComm((PetscObject)J), n, row, PETSC_COPY_VALUES, left));
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows of J that are left, their vectors, and what solves with the others. */
static PetscErrorCode fill(Left *left, Mat J)
{
  PetscFunctionBegin;
  if (!left->rows) PetscCall(find_rows(left->sys, J, &left->rows));
  PetscCall(
    MatCreateSubMatrix(J, left->rows, left->rows, left->some ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, &left->some));
  if (!left->b) PetscCall(MatCreateVecs(left->some, &left->x, &left->b));
  if (!left->inverse) PetscCall(MatCreateVecs(J, &left->inverse, NULL));
  PetscCall(MatGetDiagonal(J, left->inverse));
  PetscCall(VecReciprocal(left->inverse));
  PetscCall(VecISSet(left->inverse, left->rows, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up_some(PC pc, Left *left, Mat J)
{
  PetscFunctionBegin;
  PetscCall(fill(left, J));
  pc->pmat = left->some;
  PetscCall((*left->setup)(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up(PC pc)
{
  const Mat J = pc->pmat;
  Left     *left;
  PetscBool alone;

  PetscFunctionBegin;
  PetscCall(RungComposedFind((PetscObject)pc, key, &left));
  PetscCall(stand_alone(left->sys, J, &alone));
  if (!pc->setupcalled || pc->flag != SAME_NONZERO_PATTERN || alone != left->left) {
    PetscCall(drop(left));
    if (left->left != alone || alone)
      PetscCall((*pc->ops->reset)(pc)); /* options have made room for factors of all rows */
    left->left      = alone;
    pc->setupcalled = PETSC_FALSE;
  }
  if (!left->left) {
    PetscCall((*left->setup)(pc));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  RungCallFinally(set_up_some(pc, left, J), pc->pmat = J);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode apply_any(PC pc, PetscBool transposed, Vec b, Vec x)
{
  PetscErrorCode (*inner)(PC, Vec, Vec);
  Left *left;

  PetscFunctionBegin;
  PetscCall(RungComposedFind((PetscObject)pc, key, &left));
  inner = transposed ? left->transposed : left->apply;
  if (!left->left) {
    PetscCall((*inner)(pc, b, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecISCopy(b, left->rows, SCATTER_REVERSE, left->b));
  PetscCall((*inner)(pc, left->b, left->x));
  PetscCall(VecPointwiseMult(x, b, left->inverse));
  PetscCall(VecISCopy(x, left->rows, SCATTER_FORWARD, left->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode apply(PC pc, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(apply_any(pc, PETSC_FALSE, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode apply_transposed(PC pc, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(apply_any(pc, PETSC_TRUE, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCondenseFactors(RungSystem sys, PC pc)
{
  Left *left;

  PetscFunctionBegin;
  if (!RungCondensedEntries(sys) || pc->setupcalled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungComposedFind((PetscObject)pc, key, &left));
  if (!left) PetscCall(RungComposedCreate((PetscObject)pc, key, sizeof *left, destroy, &left));
  left->sys               = sys;
  left->setup             = pc->ops->setup;
  left->apply             = pc->ops->apply;
  left->transposed        = pc->ops->applytranspose;
  pc->ops->setup          = set_up;
  pc->ops->apply          = apply;
  pc->ops->applytranspose = left->transposed ? apply_transposed : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
