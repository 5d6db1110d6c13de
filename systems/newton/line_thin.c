/* line_thin.c - a matrix to be solved with, without the entries that couple components that are not coupled.

   The pattern of a matrix couples all components of an unknown with each other, and what explicit(..) alone couples.
   Diffusion of a vector, the mass of one, what is left of Burgers' equations outside of explicit(..): there whole
   blocks are zero, and factors of blocks that do not know of each other have half the entries and a quarter of the
   work, for two components; products and sweeps of incomplete factors take half as long.

   On one process, for factors and incomplete ones: pairs of components of which J has no entry but 0 are left out.  A later J that has
   one is taken as it is from then on.  Iterations multiply with the same matrix, unless internal variables hang on J, and with J itself
   where factors of an older J precondition: what was factored has the values of then, and not the couplings that have come since. */
#include <rungown_room.h>
#include "line_solver_impl.h"
#include "solver_impl.h"

struct _RungLineThin {
  Mat              P;  /* owned; NULL: J itself is factored                      */
  PetscObjectId    of; /* J that it was made of, and its pattern                 */
  PetscObjectState pattern;
  PetscObjectState values;  /* of J when P got its own                                */
  PetscBool        product; /* iterations multiply with P, too                        */
  PetscInt         kinds;   /* components of all unknowns                             */
  PetscInt        *kind;    /* owned, [row]                                           */
  PetscBool       *coupled; /* owned, [row's kind][column's]                          */
  PetscInt        *from;    /* owned, [entry of P] the entry of J                     */
};

static PetscErrorCode drop(RungLineThin thin)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&thin->P));
  PetscCall(PetscFree(thin->kind));
  PetscCall(PetscFree(thin->coupled));
  PetscCall(PetscFree(thin->from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineThinDestroy(RungLineThin *thin)
{
  PetscFunctionBegin;
  if (!*thin) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(drop(*thin));
  PetscCall(PetscFree(*thin));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factors of an AIJ matrix on one process, of which no rows are taken out. */
static PetscErrorCode may(RungLineSlot *slot, KSP ksp, PetscBool *may)
{
  PetscBool    rows, factors;
  MatNullSpace null;
  PC           pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)slot->J, MATSEQAIJ, &rows));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &factors, PCLU, PCCHOLESKY, PCICC, ""));
  PetscCall(MatGetNullSpace(slot->J, &null));
  *may = rows && factors && !null && !slot->given && !slot->packed && !slot->named && !slot->solver->bound[0]
           ? PETSC_TRUE
           : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_kinds(RungLineSolver solver, RungLineThin thin)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(solver->r, &n));
  PetscCall(PetscMalloc1(n, &thin->kind));
  thin->kinds = 0;
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f) {
    PetscInt  start, end, components;
    PetscBool points;

    PetscCall(RungSystemGetRange(solver->sys, f, &start, &end));
    PetscCall(RungSystemGetComponents(solver->sys, f, &components, &points));
    components = PetscMax(1, components);
    for (PetscInt i = start; i < end; ++i) thin->kind[i] = thin->kinds + (i - start) % components;
    thin->kinds += components;
  }
  PetscCall(PetscCalloc1(thin->kinds * thin->kinds, &thin->coupled));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* coupled[] of what J has besides; *more: there is something */
static PetscErrorCode find_pairs(RungLineThin thin, Mat J, PetscBool *more)
{
  const PetscScalar *value;
  const PetscInt    *row, *column;
  PetscInt           n;
  PetscBool          done;

  PetscFunctionBegin;
  *more = PETSC_FALSE;
  PetscCall(MatGetRowIJ(J, 0, PETSC_FALSE, PETSC_FALSE, &n, &row, &column, &done));
  PetscCall(MatSeqAIJGetArrayRead(J, &value));
  for (PetscInt i = 0; i < n; ++i) {
    PetscBool *coupled = thin->coupled + thin->kind[i] * thin->kinds;

    for (PetscInt k = row[i]; k < row[i + 1]; ++k) {
      if (coupled[thin->kind[column[k]]] || (value[k] == 0 && thin->kind[column[k]] != thin->kind[i])) continue;
      coupled[thin->kind[column[k]]] = *more = PETSC_TRUE;
    }
  }
  PetscCall(MatSeqAIJRestoreArrayRead(J, &value));
  PetscCall(MatRestoreRowIJ(J, 0, PETSC_FALSE, PETSC_FALSE, &n, &row, &column, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_matrix(RungLineThin thin, Mat J)
{
  const PetscInt     *row, *column;
  RUNG_FREE PetscInt *start = NULL, *kept = NULL;
  PetscInt            n, entries          = 0;
  PetscBool           done, set, symmetric;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(J, 0, PETSC_FALSE, PETSC_FALSE, &n, &row, &column, &done));
  PetscCall(PetscMalloc1(n + 1, &start));
  PetscCall(PetscMalloc1(row[n], &kept));
  PetscCall(PetscMalloc1(row[n], &thin->from));
  for (PetscInt i = 0; i < n; ++i) {
    start[i] = entries;
    for (PetscInt k = row[i]; k < row[i + 1]; ++k) {
      if (!thin->coupled[thin->kind[i] * thin->kinds + thin->kind[column[k]]]) continue;
      kept[entries]         = column[k];
      thin->from[entries++] = k;
    }
  }
  start[n] = entries;
  PetscCall(MatRestoreRowIJ(J, 0, PETSC_FALSE, PETSC_FALSE, &n, &row, &column, &done));
  PetscCall(MatGetLocalSize(J, &n, NULL));
  PetscCall(RungMatBegin(PetscObjectComm((PetscObject)J), n, 0, MATSEQAIJ, &thin->P));
  PetscCall(MatSeqAIJSetPreallocationCSR(thin->P, start, kept, NULL));
  PetscCall(MatIsSymmetricKnown(J, &set, &symmetric));
  if (set && symmetric) PetscCall(MatSetOption(thin->P, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy_values(RungLineThin thin, Mat J)
{
  const PetscScalar *from;
  PetscScalar       *to;
  MatInfo            info;

  PetscFunctionBegin;
  PetscCall(MatGetInfo(thin->P, MAT_LOCAL, &info));
  PetscCall(MatSeqAIJGetArrayRead(J, &from));
  PetscCall(MatSeqAIJGetArray(thin->P, &to));
  for (PetscInt k = 0; k < (PetscInt)info.nz_used; ++k) to[k] = from[thin->from[k]];
  PetscCall(MatSeqAIJRestoreArray(thin->P, &to));
  PetscCall(MatSeqAIJRestoreArrayRead(J, &from));
  PetscCall(PetscObjectStateGet((PetscObject)J, &thin->values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a J that none was made of yet. */
static PetscErrorCode make(RungLineSlot *slot)
{
  RungLineThin thin = slot->thin;
  PetscBool    some = PETSC_FALSE, more, condensed;

  PetscFunctionBegin;
  PetscCall(drop(thin));
  PetscCall(RungSystemGetCondensed(slot->solver->sys, &condensed));
  thin->product = slot->iterative && !condensed ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(PetscObjectGetId((PetscObject)slot->J, &thin->of));
  PetscCall(MatGetNonzeroState(slot->J, &thin->pattern));
  PetscCall(set_kinds(slot->solver, thin));
  PetscCall(find_pairs(thin, slot->J, &more));
  for (PetscInt p = 0; p < thin->kinds * thin->kinds; ++p) some = some || !thin->coupled[p] ? PETSC_TRUE : PETSC_FALSE;
  if (some) PetscCall(create_matrix(thin, slot->J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineThinForget(RungLineSlot *slot)
{
  KSP ksp;

  PetscFunctionBegin;
  if (!slot->thin) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungLineThinDestroy(&slot->thin));
  PetscCall(SNESGetKSP(slot->snes, &ksp));
  PetscCall(RungLineSetOperators(slot, ksp));
  if (slot->own) PetscCall(RungSystemDropFactors(slot->solver->sys, ksp));
  slot->own = slot->asked = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineThinFollow(RungLineSlot *slot, KSP ksp)
{
  PetscObjectState pattern;
  PetscObjectId    id;
  PetscBool        can, more = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(may(slot, ksp, &can));
  if (!can) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectGetId((PetscObject)slot->J, &id));
  PetscCall(MatGetNonzeroState(slot->J, &pattern));
  if (slot->thin && (slot->thin->of != id || slot->thin->pattern != pattern)) PetscCall(RungLineThinForget(slot));
  if (!slot->thin) {
    PetscCall(PetscNew(&slot->thin));
    PetscCall(make(slot));
  } else if (slot->thin->P) {
    PetscCall(find_pairs(slot->thin, slot->J, &more));
  }
  if (more) {
    PetscCall(drop(slot->thin));
    PetscCall(RungLineSetOperators(slot, ksp));
    if (slot->own) PetscCall(RungSystemDropFactors(slot->solver->sys, ksp));
    slot->own = slot->asked = PETSC_FALSE; /* other factors may be the better ones */
  }
  if (slot->thin->P) PetscCall(copy_values(slot->thin, slot->J));
  PetscCall(RungLineSetOperators(slot, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLineSetOperators(RungLineSlot *slot, KSP ksp)
{
  const RungLineThin thin = slot->thin && slot->thin->P && !slot->packed ? slot->thin : NULL;
  const Mat          A    = slot->packed ? slot->packed : slot->J;
  PetscObjectState   values;

  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet((PetscObject)slot->J, &values));
  PetscCall(KSPSetOperators(ksp, thin && thin->product && thin->values == values ? thin->P : A, thin ? thin->P : A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
