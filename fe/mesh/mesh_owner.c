/* mesh_owner.c - who owns what two ranks hold: a half of their cut each.

   The lower rank owns what lies low along the axis in which the cut is longest.  Halves keep lines of short edges whole, the
   strong couplings of thin plates and boundary layers, which preconditioners by blocks must not lose; and only the
   cells beside the other one's half have rows to send.  The lower rank decides, by its own coordinates: those of the
   other may differ by rounding, or by a period. */
#include <rungown_room.h>
#include "fe_impl.h"

#define SAME 1e-10 /* of the cut's length: what lies together stays together */

/* Coordinates along the longest axis of the box around the entities list[n].  Out along[n], length */
static void measure_cut(PetscInt dim, const PetscReal x[], PetscInt n, const PetscInt list[], PetscReal along[],
                        PetscReal *length)
{
  PetscInt axis = 0;

  *length = -1;
  for (PetscInt a = 0; a < dim; ++a) {
    PetscReal low = PETSC_MAX_REAL, high = PETSC_MIN_REAL;

    for (PetscInt i = 0; i < n; ++i) {
      low  = PetscMin(low, x[list[i] * dim + a]);
      high = PetscMax(high, x[list[i] * dim + a]);
    }
    if (high - low > *length) {
      *length = high - low;
      axis    = a;
    }
  }
  for (PetscInt i = 0; i < n; ++i) along[i] = x[list[i] * dim + axis];
}

/* One cut, of which this rank is the lower one.  owner[list[i]] is set; work[2][n] */
static PetscErrorCode halve(PetscMPIInt me, PetscInt other, PetscInt dim, const PetscReal x[], PetscInt n,
                            const PetscInt list[], PetscReal work[], PetscInt owner[])
{
  PetscReal *along = work, *sorted = work + n, length, middle;

  PetscFunctionBegin;
  measure_cut(dim, x, n, list, along, &length);
  PetscCall(PetscArraycpy(sorted, along, n));
  PetscCall(PetscSortReal(n, sorted));
  middle = sorted[(n - 1) / 2] + SAME * length;
  for (PetscInt i = 0; i < n; ++i) owner[list[i]] = along[i] <= middle ? me : other;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungOwnersHalve(MPI_Comm comm, PetscInt width, PetscInt n, const PetscInt name[],
                               const PetscInt partner[], PetscInt dim, const PetscReal x[], PetscInt owner[])
{
  RUNG_FREE PetscInt                            *other = NULL;
  RUNG_FREE PetscInt                            *list  = NULL;
  RUNG_FREE PetscReal                           *work  = NULL;
  PetscMPIInt                                    me;
  RUNG_OWNED(RungDirectoryDestroy) RungDirectory dir = NULL;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &me));
  PetscCall(PetscMalloc1(n, &list));
  PetscCall(PetscMalloc1(n, &other));
  PetscCall(PetscMalloc1(2 * n, &work));
  for (PetscInt i = 0; i < n; ++i) {
    list[i]  = i;
    other[i] = partner[i];
    owner[i] = -1; /* the other one knows */
  }
  PetscCall(PetscSortIntWithArray(n, other, list));
  for (PetscInt i = 0, end; i < n; i = end) {
    for (end = i; end < n && other[end] == other[i];) ++end;
    if (other[i] > me) PetscCall(halve(me, other[i], dim, x, end - i, list + i, work, owner));
  }
  PetscCall(RungDirectoryCreate(comm, width, n, name, &dir));
  PetscCall(RungDirectoryMax(dir, owner));
  PetscFunctionReturn(PETSC_SUCCESS);
}
