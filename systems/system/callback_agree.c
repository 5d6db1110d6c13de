/* callback_agree.c - does a Jacobian callback give the derivatives of its F?  Central differences along one direction for each u^(k), with
   a step for every entry in its own size; where a row disagrees, halves of the direction lead to the entry.

   A row agrees where J d is F(u + d) - F(u - d) over 2 but for DIFFERS of them, rounding of F, and what F bends within d: twice the distance of
   both one-sided differences, between which any slope is where F has a kink. */
#include "callback_impl.h"

#define LONGER  400                           /* than one-sided differences: eps^(1/3)/eps^(1/2) */
#define DIFFERS 1e-3                          /* of the larger one                               */
#define ROUNDS  (1e4 * PETSC_MACHINE_EPSILON) /* of F                                            */

/* What a search needs; lives during one call. */
typedef struct {
  RungSystem sys;
  PetscReal  t;
  const Vec *u;
  PetscInt   k;    /* the derivative in time by which F is differentiated */
  Mat        J;    /* dF/du^(k) of the callbacks                          */
  Vec        all;  /* the direction                                       */
  Vec        d;    /* a part of it                                        */
  Vec        Jd;   /* J d                                                 */
  Vec        side; /* F(u + d)                                            */
} Agree;

/* Of a row: how far J d is from differences, over what it may be; 0: agrees. */
typedef struct {
  PetscReal excess, given, found;
  PetscInt  row;
} Worst;

/* to = F at u^(k) + sign d */
static PetscErrorCode evaluate(const Agree *it, PetscReal sign, Vec to)
{
  RungCallbackSide cb = it->sys->callback;

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= it->sys->traits.order; ++k) PetscCall(VecCopy(it->u[k], cb->point[k]));
  PetscCall(VecAXPY(cb->point[it->k], sign, it->d));
  PetscCall(RungSystemResidual(it->sys, it->t, cb->point, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest excess of all ranks, or that of row `only` if that is not negative. */
static PetscErrorCode share(const Agree *it, PetscInt only, const Worst *mine, Worst *worst)
{
  struct {
    PetscReal excess;
    int       rank;
  } least = {mine->row >= 0 && (only < 0 || mine->row == only) ? mine->excess : -1, 0};
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(it->sys->comm, &rank));
  least.rank = (int)rank;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE_INT, MPI_MAXLOC, it->sys->comm));
  *worst = *mine;
  PetscCallMPI(MPI_Bcast(worst, (PetscMPIInt)sizeof *worst, MPI_BYTE, least.rank, it->sys->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* F at u is cb->value.  only: the row that is looked at, negative: all. */
static PetscErrorCode compare(const Agree *it, PetscInt only, Worst *worst)
{
  RungCallbackSide   cb   = it->sys->callback;
  Worst              mine = {.row = -1};
  const PetscScalar *given, *before, *at, *after;
  PetscInt           start, n;

  PetscFunctionBegin;
  PetscCall(MatMult(it->J, it->d, it->Jd));
  PetscCall(evaluate(it, 1, it->side));
  PetscCall(evaluate(it, -1, cb->shifted));
  PetscCall(VecGetOwnershipRange(it->Jd, &start, NULL));
  PetscCall(VecGetLocalSize(it->Jd, &n));
  PetscCall(VecGetArrayRead(it->Jd, &given));
  PetscCall(VecGetArrayRead(cb->shifted, &before));
  PetscCall(VecGetArrayRead(cb->value, &at));
  PetscCall(VecGetArrayRead(it->side, &after));
  for (PetscInt i = 0; i < n; ++i) {
    const PetscReal J = PetscRealPart(given[i]), found = PetscRealPart(after[i] - before[i]) / 2;
    const PetscReal bends = PetscAbsScalar(after[i] - 2 * at[i] + before[i]);
    const PetscReal may   = DIFFERS * PetscMax(PetscAbsReal(J), PetscAbsReal(found)) + ROUNDS * PetscAbsScalar(at[i]) +
                          2 * bends;
    const PetscReal excess = PetscAbsReal(J - found) > may ? PetscAbsReal(J - found) / may : 0;

    if (only >= 0 ? start + i == only : !(excess <= mine.excess)) /* also where it is no number */
      mine = (Worst){.excess = excess, .given = J, .found = found, .row = start + i};
  }
  PetscCall(VecRestoreArrayRead(it->side, &after));
  PetscCall(VecRestoreArrayRead(cb->value, &at));
  PetscCall(VecRestoreArrayRead(cb->shifted, &before));
  PetscCall(VecRestoreArrayRead(it->Jd, &given));
  PetscCall(share(it, only, &mine, worst));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d = the direction in columns first .. last - 1 */
static PetscErrorCode restrict_to(const Agree *it, PetscInt first, PetscInt last)
{
  const PetscScalar *all;
  PetscScalar       *d;
  PetscInt           start, n;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(it->d, &start, NULL));
  PetscCall(VecGetLocalSize(it->d, &n));
  PetscCall(VecGetArrayRead(it->all, &all));
  PetscCall(VecGetArray(it->d, &d));
  for (PetscInt i = 0; i < n; ++i) d[i] = start + i >= first && start + i < last ? all[i] : 0;
  PetscCall(VecRestoreArray(it->d, &d));
  PetscCall(VecRestoreArrayRead(it->all, &all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The column that row worst->row disagrees in, and the step there. */
static PetscErrorCode find_column(const Agree *it, Worst *worst, PetscInt *column, PetscReal *step)
{
  PetscInt  first = 0, last = it->sys->global, start, n;
  PetscReal mine = 0;

  PetscFunctionBegin;
  while (last - first > 1) {
    const PetscInt middle = first + (last - first) / 2;
    Worst          half;

    PetscCall(restrict_to(it, first, middle));
    PetscCall(compare(it, worst->row, &half));
    if (half.excess > 0)
      last = middle;
    else
      first = middle;
  }
  PetscCall(restrict_to(it, first, last));
  PetscCall(compare(it, worst->row, worst));
  PetscCall(VecGetOwnershipRange(it->d, &start, NULL));
  PetscCall(VecGetLocalSize(it->d, &n));
  if (first >= start && first < start + n) {
    const PetscScalar *d;

    PetscCall(VecGetArrayRead(it->d, &d));
    mine = PetscRealPart(d[first - start]);
    PetscCall(VecRestoreArrayRead(it->d, &d));
  }
  PetscCallMPI(MPI_Allreduce(&mine, step, 1, MPIU_REAL, MPIU_SUM, it->sys->comm));
  *column = first;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode choose_direction(const Agree *it)
{
  const PetscReal sigma[RUNG_MAX_ORDER + 1] = {it->k == 0, it->k == 1, it->k == 2};
  PetscScalar    *d;
  PetscReal      *step;
  PetscInt        start, n;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(it->all, &start, NULL));
  PetscCall(VecGetLocalSize(it->all, &n));
  PetscCall(PetscMalloc1(n, &step));
  RungCallOrUndo(RungCallbackFindSteps(it->sys, it->u, sigma, step), PetscCall(PetscFree(step)));
  PetscCall(VecGetArray(it->all, &d));
  for (PetscInt i = 0; i < n; ++i) d[i] = LONGER * step[i] * (1.5 + PetscSinReal(1 + 0.7 * (PetscReal)(start + i)));
  PetscCall(VecRestoreArray(it->all, &d));
  PetscCall(PetscFree(step));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode tell(const Agree *it, Worst *worst, char why[], size_t size)
{
  static const char *const rate[] = {"u", "u'", "u''"};
  PetscInt                 column;
  PetscReal                step;

  PetscFunctionBegin;
  PetscCall(find_column(it, worst, &column, &step));
  if (worst->excess > 0 && step != 0 && !PetscIsInfOrNanReal(worst->found))
    PetscCall(PetscSNPrintf(
      why, size,
      "the Jacobian callback says that entry %" PetscInt_FMT " of F changes with entry %" PetscInt_FMT
      " of %s by %.6g, and differences of F say by %.6g (at t = %g)",
      worst->row, column, rate[it->k], (double)(worst->given / step), (double)(worst->found / step), (double)it->t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode agree(Agree *it, char why[], size_t size)
{
  Worst worst;

  PetscFunctionBegin;
  PetscCall(RungSystemResidual(it->sys, it->t, it->u, it->sys->callback->value));
  for (it->k = 0; it->k <= it->sys->traits.order && !why[0]; ++it->k) {
    const PetscReal sigma[RUNG_MAX_ORDER + 1] = {it->k == 0, it->k == 1, it->k == 2};

    PetscCall(RungSystemJacobian(it->sys, it->t, it->u, sigma, it->J));
    PetscCall(choose_direction(it));
    PetscCall(VecCopy(it->all, it->d));
    PetscCall(compare(it, -1, &worst));
    if (worst.excess > 0) PetscCall(tell(it, &worst, why, size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemTellJacobian(RungSystem sys, PetscReal t, const Vec u[], char why[], size_t size)
{
  const RungCallbackSide cb = sys->callback;
  Agree                  it = {.sys = sys, .t = t, .u = u};
  Vec                   *work;

  PetscFunctionBegin;
  why[0] = 0;
  if (!cb || !cb->jacobian || cb->conserved || (sys->split && !cb->explicit_jacobian))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemCreateMat(sys, &it.J));
  RungCallOrUndo(VecDuplicateVecs(u[0], 4, &work), PetscCall(MatDestroy(&it.J)));
  it.all = work[0], it.d = work[1], it.Jd = work[2], it.side = work[3];
  RungCallFinally(agree(&it, why, size), PetscCall(MatDestroy(&it.J)); PetscCall(VecDestroyVecs(4, &work)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
