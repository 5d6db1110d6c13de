/* index.c - equations that are constraints of index 3, as far as places of the derivatives tell.

   With z the algebraic entries, a row with neither the highest rates nor z is a constraint.  Differentiated once it has to reach
   what moves z: at order 2 in time a row with u' does, one with u alone does not; at order 1 a row reaches z if it holds an entry
   whose rate stands in a row with z.  Rows that do not are to be differentiated once more before steps can be tested. */
#include "consistent_impl.h"
#include <form_side_impl.h>
#include <rungtext_room.h>

typedef struct {
  RungTransientSystem ts;
  Mat                 K[RUNG_MAX_ORDER + 1];   /* owned: dF/du^(k)                                                 */
  Vec                 z, mark, highest, level; /* owned: rows with z; entries; rows with the highest rates; others */
} Index;

/* mark = 1 on entries of an order, 0 elsewhere */
static PetscErrorCode mark_order(Index *it, PetscInt order)
{
  const PetscInt *of = it->ts->consistent->order;
  PetscScalar    *x;

  PetscFunctionBegin;
  PetscCall(VecGetArrayWrite(it->mark, &x));
  for (PetscInt i = 0; i < it->ts->sys->local; ++i) x[i] = of[i] == order ? 1 : 0;
  PetscCall(VecRestoreArrayWrite(it->mark, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* rows[i] = max_j |K_ij| mark_j: K stays */
static PetscErrorCode rows_with(Index *it, Mat K, Vec rows)
{
  Mat marked;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(K, MAT_COPY_VALUES, &marked));
  PetscCall(MatDiagonalScale(marked, NULL, it->mark));
  PetscCall(MatGetRowMaxAbs(marked, rows, NULL));
  PetscCall(MatDestroy(&marked));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* mark = entries whose rates stand in rows with z; weights that differ keep sums from vanishing by chance. */
static PetscErrorCode mark_driven(Index *it)
{
  PetscInt     start;
  PetscScalar *x;
  Vec          rows;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(it->z, &rows));
  PetscCall(VecCopy(it->z, rows));
  PetscCall(VecGetOwnershipRange(rows, &start, NULL));
  PetscCall(VecGetArray(rows, &x));
  for (PetscInt i = 0; i < it->ts->sys->local; ++i)
    x[i] = x[i] != 0.0 ? 1 + (PetscReal)((start + i) * 7919 % 1009) / 1013 : 0;
  PetscCall(VecRestoreArray(rows, &x));
  PetscCall(MatMultTranspose(it->K[1], rows, it->mark));
  PetscCall(VecGetArray(it->mark, &x));
  for (PetscInt i = 0; i < it->ts->sys->local; ++i) x[i] = x[i] != 0.0 && it->ts->consistent->order[i] ? 1 : 0;
  PetscCall(VecRestoreArray(it->mark, &x));
  PetscCall(VecDestroy(&rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* level = rows that one derivative takes to z */
static PetscErrorCode find_level(Index *it)
{
  PetscFunctionBegin;
  if (it->ts->order == 2) {
    PetscCall(mark_order(it, 2));
    PetscCall(rows_with(it, it->K[1], it->level));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(mark_driven(it));
  PetscCall(rows_with(it, it->K[0], it->level));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first constraint of this rank that no derivative below the second takes to z, -1: none.  Free rows only. */
static PetscErrorCode find_row(Index *it, PetscInt *row)
{
  const PetscScalar *z, *highest, *level;
  PetscScalar       *free_row;

  PetscFunctionBegin;
  *row = -1;
  PetscCall(VecSet(it->mark, 1));
  PetscCall(RungSystemZeroDirichlet(it->ts->sys, it->mark));
  PetscCall(VecGetArrayRead(it->z, &z));
  PetscCall(VecGetArrayRead(it->highest, &highest));
  PetscCall(VecGetArrayRead(it->level, &level));
  PetscCall(VecGetArray(it->mark, &free_row));
  for (PetscInt i = 0; i < it->ts->sys->local && *row < 0; ++i) {
    if (free_row[i] != 0.0 && z[i] == 0.0 && highest[i] == 0.0 && level[i] == 0.0) *row = i;
  }
  PetscCall(VecRestoreArray(it->mark, &free_row));
  PetscCall(VecRestoreArrayRead(it->level, &level));
  PetscCall(VecRestoreArrayRead(it->highest, &highest));
  PetscCall(VecRestoreArrayRead(it->z, &z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The name of the row's test function, of the lowest rank that has one. */
static PetscErrorCode describe_row(Index *it, PetscInt row, char name[256])
{
  char        place[128];
  PetscMPIInt rank, first, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(it->ts->sys->comm, &rank));
  PetscCallMPI(MPI_Comm_size(it->ts->sys->comm, &size));
  first = row < 0 ? size : rank;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, it->ts->sys->comm));
  name[0] = 0;
  if (first == size) PetscFunctionReturn(PETSC_SUCCESS);
  if (rank == first) {
    PetscCall(RungSystemDescribeEntry(it->ts->sys, row, name, 128, place, sizeof place));
    PetscCall(RungTextAppend(name, place, 256));
  }
  PetscCallMPI(MPI_Bcast(name, 256, MPI_CHAR, first, it->ts->sys->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find(Index *it, char name[256])
{
  RungConsistent c = it->ts->consistent;
  const PetscInt n = it->ts->sys->traits.unknowns;
  PetscInt       row;

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= it->ts->order; ++k) {
    PetscReal sigma[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};

    for (PetscInt f = 0; f < n; ++f) sigma[k * n + f] = 1;
    PetscCall(it->ts->sys->ops->create_mat(it->ts->sys, &it->K[k]));
    PetscCall(RungSystemJacobian(it->ts->sys, c->t, c->u, sigma, it->K[k]));
  }
  PetscCall(VecDuplicate(c->w, &it->z));
  PetscCall(VecDuplicate(c->w, &it->mark));
  PetscCall(VecDuplicate(c->w, &it->highest));
  PetscCall(VecDuplicate(c->w, &it->level));
  PetscCall(mark_order(it, 0));
  PetscCall(rows_with(it, it->K[0], it->z));
  PetscCall(mark_order(it, it->ts->order));
  PetscCall(rows_with(it, it->K[it->ts->order], it->highest));
  PetscCall(find_level(it));
  PetscCall(find_row(it, &row));
  PetscCall(describe_row(it, row, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(Index *it)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) PetscCall(MatDestroy(&it->K[k]));
  PetscCall(VecDestroy(&it->z));
  PetscCall(VecDestroy(&it->mark));
  PetscCall(VecDestroy(&it->highest));
  PetscCall(VecDestroy(&it->level));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConsistentFindIndex(RungTransientSystem ts, RungConsistent c, char name[256])
{
  Index    it = {.ts = ts};
  PetscInt algebraic;

  PetscFunctionBegin;
  name[0] = 0;
  PetscCall(ISGetSize(c->fixed, &algebraic));
  if (!algebraic || ts->order < 1) PetscFunctionReturn(PETSC_SUCCESS);
  c->h = 0;
  PetscCall(RungConsistentGuess(ts, c));
  PetscCall(RungConsistentLines(ts, c, c->w));
  RungCallFinally(find(&it, name), PetscCall(destroy(&it)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Has unknown f entries that nothing gives? */
static PetscErrorCode has_free(RungSystem sys, PetscInt f, PetscBool *any)
{
  Vec                mark;
  const PetscScalar *x;
  PetscBool          found = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(sys->error_mask, &mark));
  PetscCall(VecSet(mark, 1));
  RungCallOrUndo(RungSystemZeroDirichlet(sys, mark), PetscCall(VecDestroy(&mark)));
  PetscCall(VecGetArrayRead(mark, &x));
  for (PetscInt i = sys->range[f]; i < sys->range[f + 1]; ++i) found = found || x[i] != 0.0 ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(VecRestoreArrayRead(mark, &x));
  PetscCall(VecDestroy(&mark));
  PetscCallMPI(MPI_Allreduce(&found, any, 1, MPIU_BOOL, MPI_LOR, sys->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is the equation of unknown f a constraint by its text? */
static PetscErrorCode is_constraint(RungSystem sys, PetscInt f, PetscBool of_values, PetscBool *is)
{
  PetscFunctionBegin;
  *is = PETSC_FALSE;
  if (sys->form && sys->form->holds[f] <= (of_values ? 0 : 1)) PetscCall(has_free(sys, f, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemGetConstraint(RungSystem sys, PetscBool of_values, char name[], size_t size)
{
  PetscBool found = PETSC_FALSE;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  name[0] = 0;
  for (PetscInt f = 0; f < sys->traits.unknowns && !found; ++f) {
    PetscCall(is_constraint(sys, f, of_values, &found));
    if (found) PetscCall(PetscStrncpy(name, RungSystemNameOf(sys, f), size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does the equation of unknown f hold values and numbers of R without a rate, fewer of these than it has rows?  number[g]: such a number. */
static PetscErrorCode has_few_numbers(RungSystem sys, PetscInt f, PetscBool number[], PetscBool *has)
{
  const PetscInt n    = sys->traits.unknowns;
  PetscInt       rows = sys->range[f + 1] - sys->range[f];
  RungFormTraits traits;

  PetscFunctionBegin;
  *has = PETSC_FALSE;
  PetscCall(RungFormGetTraits(sys->form->F, &traits));
  for (PetscInt g = 0; g < n; ++g) {
    const unsigned orders = traits.unknown_order[g] < 0 ? 0 : traits.couple_rates[f][g];

    number[g] = orders && !traits.unknown_order[g] && RungGlobalUnknown(sys, g) ? PETSC_TRUE : PETSC_FALSE;
    if (orders && !number[g] && (!traits.unknown_order[g] || orders & ~1u)) PetscFunctionReturn(PETSC_SUCCESS);
    if (number[g]) rows -= sys->range[g + 1] - sys->range[g];
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &rows, 1, MPIU_INT, MPI_SUM, sys->comm));
  if (rows > 0) PetscCall(has_free(sys, f, has));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemFindConstraints(RungSystem sys, PetscBool is[], PetscBool number[])
{
  PetscBool held[RUNG_MAX_UNKNOWNS];
  PetscInt  n;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  n = sys->traits.unknowns;
  for (PetscInt f = 0; f < n; ++f) {
    is[f] = PETSC_FALSE;
    if (number) number[f] = PETSC_FALSE;
  }
  for (PetscInt f = 0; f < n && sys->form; ++f) {
    PetscCall(is_constraint(sys, f, PETSC_TRUE, &is[f]));
    if (is[f] || RungGlobalUnknown(sys, f)) continue;
    PetscCall(has_few_numbers(sys, f, held, &is[f]));
    for (PetscInt g = 0; g < n && is[f] && number; ++g) number[g] = number[g] || held[g] ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* forced[g]: unknown g has no rate, and constraints on values determine it: their own unknown, all of these where a constraint is the equation
   of one with a rate, and those whose equations hold one that is forced. */
static PetscErrorCode find_forced(RungSystem sys, PetscBool forced[])
{
  const PetscInt n = sys->traits.unknowns;
  PetscBool      is[RUNG_MAX_UNKNOWNS], all = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RungSystemFindConstraints(sys, is, NULL));
  for (PetscInt f = 0; f < n; ++f) all = all || (is[f] && sys->traits.unknown_order[f] > 0) ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt g = 0; g < n; ++g)
    forced[g] = sys->traits.unknown_order[g] <= 0 && (all || is[g]) ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt pass = 0; pass < n; ++pass) {
    for (PetscInt f = 0; f < n; ++f) {
      for (PetscInt g = 0; g < n && sys->traits.unknown_order[f] <= 0; ++g)
        if (forced[g] && sys->form->couple[f * n + g]) forced[f] = PETSC_TRUE;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemGetExplicitForce(RungSystem sys, char name[], size_t size)
{
  PetscBool      forced[RUNG_MAX_UNKNOWNS];
  RungFormTraits traits;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  name[0] = 0;
  if (!sys->form || !sys->form->explicit_part) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_forced(sys, forced));
  PetscCall(RungFormGetTraits(sys->form->explicit_part, &traits));
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) {
    for (PetscInt g = 0; g < sys->traits.unknowns && !name[0]; ++g)
      if (forced[g] && traits.couple_rates[f][g]) PetscCall(PetscStrncpy(name, RungSystemNameOf(sys, g), size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
