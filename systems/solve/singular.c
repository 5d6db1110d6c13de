/* singular.c - why a matrix is singular, as far as one look tells: an equation without unknowns, an unknown in no equation,
   or an unknown that is known up to a constant.  Whoever has met a factorisation that failed asks. */
#include "form_side_impl.h"

#define NOTHING 1e-10 /* of the largest entry of a row: what rounding leaves of its sum */

/* The first unknown with an entry of v at or below `least`, or, where that is negative, one that is no number, and where; f = -1: none.
   The same on all ranks. */
static PetscErrorCode find_small(RungSystem sys, Vec v, PetscReal least, PetscInt *f, PetscInt *entry)
{
  const PetscScalar *x;
  PetscInt           start, mine[2] = {PETSC_MAX_INT, 0}, first;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(v, &start, NULL));
  PetscCall(VecGetArrayRead(v, &x));
  for (PetscInt g = 0; g < sys->traits.unknowns && mine[0] == PETSC_MAX_INT; ++g) {
    for (PetscInt i = sys->range[g]; i < sys->range[g + 1] && mine[0] == PETSC_MAX_INT; ++i) {
      if (PetscAbsScalar(x[i]) <= least || (least < 0 && PetscIsInfOrNanScalar(x[i]))) mine[0] = start + i, mine[1] = g;
    }
  }
  PetscCall(VecRestoreArrayRead(v, &x));
  PetscCallMPI(MPI_Allreduce(&mine[0], &first, 1, MPIU_INT, MPI_MIN, sys->comm));
  *entry = first;
  *f     = mine[0] == first && first != PETSC_MAX_INT ? mine[1] : -1;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, f, 1, MPIU_INT, MPI_MAX, sys->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest entry of a row is 0 where it is no number: such rows are told by their product with zeros. */
static PetscErrorCode explain_numbers(RungSystem sys, Mat J, Vec zero, Vec product, char why[], size_t size)
{
  PetscInt f, entry;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(zero));
  PetscCall(MatMult(J, zero, product));
  PetscCall(find_small(sys, product, -1, &f, &entry));
  if (f >= 0)
    PetscCall(PetscSNPrintf(why, size, "equation %" PetscInt_FMT ", one of \"%s\", has entries that are not finite",
                            entry, RungSystemNameOf(sys, f)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* most: the largest entry of each row */
static PetscErrorCode explain_rows(RungSystem sys, Mat J, Vec most, PetscReal *largest, char why[], size_t size)
{
  PetscInt f, entry;

  PetscFunctionBegin;
  PetscCall(MatGetRowMaxAbs(J, most, NULL));
  PetscCall(VecNorm(most, NORM_INFINITY, largest));
  if (PetscIsInfOrNanReal(*largest)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_small(sys, most, 0, &f, &entry)); /* a small one is an equation in other units */
  if (f >= 0)
    PetscCall(PetscSNPrintf(why, size, "equation %" PetscInt_FMT ", one of \"%s\", holds no unknown", entry,
                            RungSystemNameOf(sys, f)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Components of unknown f; 1 for callbacks. */
static PetscErrorCode components_of(RungSystem sys, PetscInt f, PetscInt *n)
{
  const RungSpaceData *space;

  PetscFunctionBegin;
  *n = 1;
  if (!sys->form) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSpaceGetData(sys->form->space[f], &space));
  *n = space->components;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J times 1 in a component of an unknown, each row in units of its largest entry: 0 where only differences of it count. */
static PetscErrorCode explain_constant(RungSystem sys, Mat J, PetscInt f, PetscInt a, PetscInt n, Vec most, Vec one,
                                       Vec product, PetscReal *norm)
{
  PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(one));
  PetscCall(VecGetArray(one, &x));
  for (PetscInt i = sys->range[f] + a; i < sys->range[f + 1]; i += n) x[i] = 1;
  PetscCall(VecRestoreArray(one, &x));
  PetscCall(MatMult(J, one, product));
  PetscCall(VecPointwiseDivide(product, product, most));
  PetscCall(VecNorm(product, NORM_INFINITY, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode explain_aij(RungSystem sys, Mat J, Vec most, Vec one, Vec product, char why[], size_t size)
{
  PetscReal largest, norm;

  PetscFunctionBegin;
  PetscCall(explain_numbers(sys, J, one, product, why, size));
  if (why[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(explain_rows(sys, J, most, &largest, why, size));
  for (PetscInt f = 0; f < sys->traits.unknowns && !why[0] && !PetscIsInfOrNanReal(largest); ++f) {
    PetscInt n;

    PetscCall(components_of(sys, f, &n));
    for (PetscInt a = 0; a < n && !why[0]; ++a) {
      char index[32] = "";

      PetscCall(explain_constant(sys, J, f, a, n, most, one, product, &norm));
      if (norm > NOTHING) continue;
      if (n > 1) PetscCall(PetscSNPrintf(index, sizeof index, ", component %" PetscInt_FMT, a));
      PetscCall(PetscSNPrintf(
        why, size, "\"%s\"%s is known up to a constant only: fix a value of it, or its mean by an unknown in R",
        RungSystemNameOf(sys, f), index));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemExplainSingular(RungSystem sys, Mat J, char why[], size_t size)
{
  PetscBool aij;
  Vec       like, *work;

  PetscFunctionBegin;
  RungNeed(sys);
  why[0] = 0;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)J, &aij, MATSEQAIJ, MATMPIAIJ, ""));
  if (!aij) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatCreateVecs(J, &like, NULL));
  RungCallFinally(VecDuplicateVecs(like, 3, &work), PetscCall(VecDestroy(&like)));
  RungCallFinally(explain_aij(sys, J, work[0], work[1], work[2], why, size), PetscCall(VecDestroyVecs(3, &work)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
