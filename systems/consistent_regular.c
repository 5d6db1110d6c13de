/* consistent_regular.c - is the matrix of a start regular?

   A matrix that is singular up to its own error can give a solution that satisfies F = 0 and means nothing: what it says about the
   null space is rounding over rounding.  J is regular if x comes back from J^-1 (J x + e), with e as large as the error of J can
   make it: rounding of an assembly, or the truncation of finite differences.  Scales of rows and columns do not matter. */
#include "consistent_impl.h"

#define RUNG_REGULAR 1e-3  /* relative change of a solution by the error of J: more is singular */
#define RUNG_ASKED   1e-6  /* to which an iteration is asked for that solution                  */
#define RUNG_SPLIT   1e-10 /* .. where constraints are in the matrix, whose rows are of other sizes  */

/* What entry n of x becomes beside y, by a number. */
typedef PetscScalar Entry(PetscInt n, PetscScalar y, PetscScalar x, PetscReal number);

static PetscErrorCode for_entries(Entry *entry, PetscReal number, Vec beside, Vec v)
{
  PetscInt           start, local;
  const PetscScalar *y;
  PetscScalar       *x;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(v, &start, NULL));
  PetscCall(VecGetLocalSize(v, &local));
  PetscCall(VecGetArrayRead(beside, &y));
  PetscCall(VecGetArray(v, &x));
  for (PetscInt i = 0; i < local; ++i) x[i] = entry(start + i, y[i], x[i], number);
  PetscCall(VecRestoreArray(v, &x));
  PetscCall(VecRestoreArrayRead(beside, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v_i = sign_i (1 + ..) / |column i|, two patterns of signs: entries that let every column count alike */
static PetscScalar probe(PetscInt n, PetscScalar column, PetscScalar x, PetscReal pattern)
{
  const PetscReal size = PetscAbsScalar(column), sign = (n * (pattern > 0 ? 5 : 3) + (pattern > 0)) % 7 < 3 ? -1 : 1;

  (void)x;
  return sign * (1 + (PetscReal)(n * 5 % 13) / 13) / (size > 0 ? size : 1);
}

/* b_i += error max(|b_i|, |other_i|) with signs of its own: what an error of J may do to J x */
static PetscScalar disturb(PetscInt n, PetscScalar other, PetscScalar b, PetscReal error)
{
  return b + error * PetscMax(PetscAbsScalar(b), PetscAbsScalar(other)) * (n * 11 % 5 < 2 ? -1 : 1);
}

static PetscErrorCode close_to(RungTransientSystem ts, Vec found, Vec wanted, PetscBool *close)
{
  PetscInt           bad = 0;
  const PetscScalar *x, *y;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(found, &y));
  PetscCall(VecGetArrayRead(wanted, &x));
  for (PetscInt i = 0; i < ts->sys->local; ++i) {
    if (!(PetscAbsScalar(y[i] - x[i]) <= RUNG_REGULAR * PetscAbsScalar(x[i]))) bad = 1;
  }
  PetscCall(VecRestoreArrayRead(wanted, &x));
  PetscCall(VecRestoreArrayRead(found, &y));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPIU_INT, MPI_MAX, ts->sys->comm));
  *close = bad ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sums[columns[j]] += sum_i |part_ij|; columns NULL: those of this rank. */
static PetscErrorCode add_columns(Mat part, const PetscInt columns[], Vec sums)
{
  const PetscScalar *value;
  const PetscInt    *column;
  PetscInt           rows, n, start;
  PetscScalar       *sum;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(sums, &start, NULL));
  PetscCall(MatGetLocalSize(part, &rows, &n));
  PetscCall(PetscCalloc1(n, &sum));
  for (PetscInt i = 0; i < rows; ++i) {
    PetscInt entries;

    PetscCall(MatGetRow(part, i, &entries, &column, &value));
    for (PetscInt j = 0; j < entries; ++j) sum[column[j]] += PetscAbsScalar(value[j]);
    PetscCall(MatRestoreRow(part, i, &entries, &column, &value));
  }
  for (PetscInt j = 0; j < n; ++j) PetscCall(VecSetValue(sums, columns ? columns[j] : start + j, sum[j], ADD_VALUES));
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums of the columns' sizes; without columns (a shell, one half) what the diagonal says of their scales. */
static PetscErrorCode column_sizes(RungConsistent c, Vec sizes)
{
  const PetscInt *columns = NULL;
  Mat             own = c->J, other = NULL;
  PetscBool       one, many;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)c->J, MATSEQAIJ, &one));
  PetscCall(PetscObjectTypeCompare((PetscObject)c->J, MATMPIAIJ, &many));
  if (!one && !many) {
    PetscCall(MatGetDiagonal(c->J, sizes));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecZeroEntries(sizes));
  if (many) PetscCall(MatMPIAIJGetSeqAIJ(c->J, &own, &other, &columns));
  PetscCall(add_columns(own, NULL, sizes));
  if (other) PetscCall(add_columns(other, columns, sizes));
  PetscCall(VecAssemblyBegin(sizes));
  PetscCall(VecAssemblyEnd(sizes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* step = J^-1 other, as exact as is asked for */
static PetscErrorCode solve_probe(RungConsistent c, PetscBool *solved)
{
  KSPConvergedReason reason;
  PetscReal          norm;
  PetscBool          factors;
  PC                 pc;

  PetscFunctionBegin;
  c->solver->problem = PROBLEM_STATE;
  c->solver->plain   = c->differentiated ? RUNG_SPLIT : RUNG_ASKED;
  PetscCall(KSPSetOperators(c->ksp, c->J, c->J));
  PetscCall(KSPSetReusePreconditioner(c->ksp, PETSC_FALSE));
  c->solver->slot[0].factored = -1;
  PetscCall(KSPSolve(c->ksp, c->other, c->step));
  c->solver->plain = 0;
  PetscCall(KSPGetConvergedReason(c->ksp, &reason));
  PetscCall(VecNorm(c->step, NORM_2, &norm));
  *solved = reason > 0 && !PetscIsInfOrNanReal(norm) ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(KSPGetPC(c->ksp, &pc));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &factors, PCLU, PCCHOLESKY, ""));
  if (!*solved && factors) PetscCall(KSPReset(c->ksp)); /* MUMPS factors nothing any more after it has failed once */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is a row nothing but zeros?  That of an equation of values alone, as that of a flow without sources, which rates do not meet: its
   factors would be found singular after pivots have been delayed from front to front. */
static PetscErrorCode has_empty_row(RungConsistent c, Vec work, PetscBool *has)
{
  PetscReal least;
  PetscBool rows;

  PetscFunctionBegin;
  *has = PETSC_FALSE;
  PetscCall(MatHasOperation(c->J, MATOP_GET_ROW_MAX_ABS, &rows));
  if (!rows) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetRowMaxAbs(c->J, work, NULL));
  PetscCall(VecMin(work, NULL, &least));
  *has = least == 0 ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConsistentIsRegular(RungTransientSystem ts, RungConsistent c, PetscBool *regular)
{
  MatNullSpace null;
  PetscBool    empty;

  PetscFunctionBegin;
  *regular = PETSC_FALSE;
  PetscCall(has_empty_row(c, c->other, &empty));
  if (!c->differentiated) c->empty_row = empty;
  if (empty) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(column_sizes(c, c->rows));
  PetscCall(for_entries(probe, 1, c->rows, c->best));
  PetscCall(MatMult(c->J, c->best, c->r));
  PetscCall(for_entries(probe, 0, c->rows, c->best));
  PetscCall(MatMult(c->J, c->best, c->other));
  PetscCall(for_entries(disturb, ts->sys->jacobian_error, c->r, c->other));
  PetscCall(solve_probe(c, regular));
  PetscCall(MatGetNullSpace(c->J, &null)); /* what is known to be open is no sign of a singular mass */
  if (null) PetscCall(MatNullSpaceRemove(null, c->best));
  if (*regular) PetscCall(close_to(ts, c->step, c->best, regular));
  PetscFunctionReturn(PETSC_SUCCESS);
}
