/* solver_balance.c - factors of matrices whose unknowns and equations have unlike units.

   Packages scale rows and columns before they factor, in a few sweeps over entries, which leave blocks of unlike units apart: of Stokes'
   equations in millimetres and microseconds, momentum beside div(u), a solve by MUMPS had no right digit, and nothing said so.  Here the
   matrix is scaled block by block,

       R J C,    r_f c_g max|J_fg| near 1 for all equations f and unknowns g,

   with the powers of 2 for which the sum of squares of log2(r_f c_g max|J_fg|) is least; for Cholesky's factors r = c.  J is scaled while it is factored
   and has its bits again behind that; a solve is x = C (R J C)^-1 R b.  Where no r and no c differ by more than 2^NARROW nothing is scaled.
   Rows that have their diagonal alone, as those of given entries and of slaves, are not looked at: each gets a scale of its own, by which its
   diagonal is near 1, too.  With that of its unknown, 2^-63 of steel in nanoseconds, the 1 of a given entry was a pivot of 1e-19. */
#include "solver_impl.h"

#include <math.h>
#include <petsc/private/pcimpl.h> /* ops->setup, ops->apply: of a factorisation that is scaled around */

#define SWEEPS 50
#define NARROW 20 /* bits: what packages even out by themselves */

typedef PetscErrorCode Apply(PC, Vec, Vec);

typedef struct {
  RungSystem sys; /* lent: it outlives its solvers */
  PetscErrorCode (*setup)(PC);
  Apply    *apply, *transposed;                                /* of the factorisation                        */
  PetscBool wide;                                              /* the present factors are those of R J C      */
  int       row[RUNG_MAX_UNKNOWNS], column[RUNG_MAX_UNKNOWNS]; /* log2 of r and c          */
  Vec       r, c, work;                                        /* owned, made when they are wanted first      */
} Balance;

static const char key[] = "rung_balance";

static PetscErrorCode destroy(RungContainerArg arg)
{
  Balance *balance = (Balance *)RungContainerPointer(arg);

  PetscFunctionBegin;
  PetscCall(VecDestroy(&balance->r));
  PetscCall(VecDestroy(&balance->c));
  PetscCall(VecDestroy(&balance->work));
  PetscCall(PetscFree(balance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- scales ------------------------------------------------------------------------------------------------------- */

/* v = 2^power[f] on the entries of unknown f */
static PetscErrorCode fill(const RungSystem sys, const int power[], Vec v)
{
  PetscScalar *x;
  PetscInt     start, end;

  PetscFunctionBegin;
  PetscCall(VecGetArrayWrite(v, &x));
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) {
    PetscCall(RungSystemGetRange(sys, f, &start, &end));
    for (PetscInt i = start; i < end; ++i) x[i] = ldexp(1, power[f]);
  }
  PetscCall(VecRestoreArrayWrite(v, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *alone: the diagonal of a row of J that has nothing else, or 0 */
static PetscErrorCode find_alone(Mat J, PetscInt row, PetscScalar *alone)
{
  const PetscInt    *column;
  const PetscScalar *value;
  PetscInt           entries;
  PetscBool          coupled = PETSC_FALSE;

  PetscFunctionBegin;
  *alone = 0;
  PetscCall(MatGetRow(J, row, &entries, &column, &value));
  for (PetscInt i = 0; i < entries; ++i) {
    if (column[i] == row) *alone = value[i];
    if (column[i] != row && value[i] != 0) coupled = PETSC_TRUE;
  }
  PetscCall(MatRestoreRow(J, row, &entries, &column, &value));
  if (coupled) *alone = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r_i |J_ii| c_i near 1 in rows that have nothing else, by r_i; of a symmetric matrix, whose columns have nothing else either, by both. */
static PetscErrorCode scale_alone(Mat J, PetscBool symmetric, Vec r, Vec c)
{
  PetscScalar *row, *column;
  PetscInt     first, last;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(J, &first, &last));
  PetscCall(VecGetArray(r, &row));
  PetscCall(VecGetArray(c, &column));
  for (PetscInt i = first; i < last; ++i) {
    PetscScalar alone;

    PetscCall(find_alone(J, i, &alone));
    if (alone == 0 || !isfinite(PetscRealPart(alone))) continue;
    if (symmetric) column[i - first] = ldexp(1, -ilogb(PetscAbsScalar(alone)) / 2);
    row[i - first] = symmetric ? column[i - first]
                               : ldexp(1, -ilogb(PetscAbsScalar(alone)) - ilogb(PetscRealPart(column[i - first])));
  }
  PetscCall(VecRestoreArray(c, &column));
  PetscCall(VecRestoreArray(r, &row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* bounds[rank][f]: where the entries of unknown f begin among those of a rank, and where the last ones end */
static PetscErrorCode find_ranges(RungSystem sys, PetscMPIInt ranks, PetscInt **bounds)
{
  const PetscInt n = sys->traits.unknowns;
  PetscInt      *mine;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(ranks * (n + 1), bounds));
  PetscCall(PetscMalloc1(n + 1, &mine));
  for (PetscInt f = 0; f < n; ++f) PetscCall(RungSystemGetRange(sys, f, &mine[f], &mine[f + 1]));
  PetscCallMPI(MPI_Allgather(mine, (PetscMPIInt)(n + 1), MPIU_INT, *bounds, (PetscMPIInt)(n + 1), MPIU_INT, sys->comm));
  PetscCall(PetscFree(mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of one unknown on one rank, from first to before end: neighbours in a row are found there again. */
typedef struct {
  PetscInt first, end, unknown;
} Piece;

/* *piece: the one that holds the entry */
static PetscErrorCode find_piece(const RungSystem sys, PetscLayout layout, const PetscInt bounds[], PetscInt entry,
                                 Piece *piece)
{
  const PetscInt  n = sys->traits.unknowns;
  const PetscInt *range, *bound;
  PetscMPIInt     owner;
  PetscInt        f = 0;

  PetscFunctionBegin;
  if (entry >= piece->first && entry < piece->end) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLayoutFindOwner(layout, entry, &owner));
  PetscCall(PetscLayoutGetRanges(layout, &range));
  bound = bounds + owner * (n + 1);
  while (f + 1 < n && entry - range[owner] >= bound[f + 1]) ++f;
  *piece = (Piece){range[owner] + bound[f], range[owner] + bound[f + 1], f};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* most[f * unknowns + g] = max|J_fg| */
static PetscErrorCode measure(RungSystem sys, Mat J, const PetscInt bounds[], PetscReal most[])
{
  const PetscInt n = sys->traits.unknowns;
  PetscInt       first, last;
  PetscLayout    columns;
  Piece          own = {0}, other = {0};

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(J, &first, &last));
  PetscCall(MatGetLayouts(J, NULL, &columns));
  PetscCall(PetscArrayzero(most, n * n));
  for (PetscInt row = first; row < last; ++row) {
    const PetscInt    *column;
    const PetscScalar *value;
    PetscInt           entries;
    PetscBool          coupled = PETSC_FALSE;

    PetscCall(find_piece(sys, columns, bounds, row, &own));
    PetscCall(MatGetRow(J, row, &entries, &column, &value));
    for (PetscInt i = 0; i < entries; ++i)
      coupled = coupled || (column[i] != row && value[i] != 0) ? PETSC_TRUE : PETSC_FALSE;
    for (PetscInt i = 0; i < entries && coupled; ++i) {
      PetscReal *block;

      if (value[i] == 0) continue;
      PetscCall(find_piece(sys, columns, bounds, column[i], &other));
      block  = &most[own.unknown * n + other.unknown];
      *block = PetscMax(*block, PetscAbsScalar(value[i]));
    }
    PetscCall(MatRestoreRow(J, row, &entries, &column, &value));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, (PetscMPIInt)(n * n), MPIU_REAL, MPIU_MAX, sys->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sweeps over rows and columns, each the mean of what the blocks want.  Not finite: nothing is scaled. */
static void find_scales(PetscInt n, const PetscReal most[], PetscBool symmetric, Balance *balance)
{
  PetscReal side[2][RUNG_MAX_UNKNOWNS] = {{0}}, low[2] = {0}, high[2] = {0};

  balance->wide = PETSC_FALSE;
  for (PetscInt i = 0; i < n * n; ++i)
    if (PetscIsInfOrNanReal(most[i])) return;
  for (int sweep = 0; sweep < SWEEPS; ++sweep) {
    for (int of = 0; of < 2; ++of) {
      for (PetscInt f = 0; f < n; ++f) {
        PetscReal sum = 0, count = 0;

        for (PetscInt g = 0; g < n; ++g) {
          const PetscReal size = most[of ? g * n + f : f * n + g];

          if (size > 0) sum += log2(size) + side[1 - of][g], ++count;
        }
        if (count > 0) side[of][f] = -sum / count;
      }
    }
  }
  for (PetscInt f = 0; f < n; ++f) {
    if (symmetric) side[0][f] = side[1][f] = (side[0][f] + side[1][f]) / 2;
    for (int of = 0; of < 2; ++of) {
      low[of]  = f ? PetscMin(low[of], side[of][f]) : side[of][f];
      high[of] = f ? PetscMax(high[of], side[of][f]) : side[of][f];
    }
    balance->row[f]    = (int)lround(side[0][f]);
    balance->column[f] = (int)lround(side[1][f]);
  }
  balance->wide = PetscMax(high[0] - low[0], high[1] - low[1]) > NARROW ? PETSC_TRUE : PETSC_FALSE;
}

/* ---- what is done around the factorisation ------------------------------------------------------------------------ */

static PetscErrorCode make_scales(Balance *balance, Mat J, PetscBool symmetric)
{
  PetscFunctionBegin;
  if (!balance->r) PetscCall(MatCreateVecs(J, &balance->c, &balance->r));
  PetscCall(fill(balance->sys, balance->row, balance->r));
  PetscCall(fill(balance->sys, balance->column, balance->c));
  PetscCall(scale_alone(J, symmetric, balance->r, balance->c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J is again what it was: powers of 2 have exact reciprocals. */
static PetscErrorCode scale_back(const Balance *balance, Mat J)
{
  PetscFunctionBegin;
  PetscCall(VecReciprocal(balance->r));
  PetscCall(VecReciprocal(balance->c));
  PetscCall(MatDiagonalScale(J, balance->r, balance->c));
  PetscCall(VecReciprocal(balance->r));
  PetscCall(VecReciprocal(balance->c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up(PC pc)
{
  Balance         *balance;
  PetscObjectState state;
  PetscInt        *bounds, rows;
  PetscMPIInt      ranks;
  PetscBool        symmetric, known;
  PetscReal        most[RUNG_MAX_UNKNOWNS * RUNG_MAX_UNKNOWNS];

  PetscFunctionBegin;
  PetscCall(RungComposedFind((PetscObject)pc, key, &balance));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc->pmat, &known, MATSEQAIJ, MATMPIAIJ, ""));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCCHOLESKY, &symmetric));
  PetscCall(MatGetLocalSize(pc->pmat, &rows, NULL));
  if (rows != balance->sys->local) known = PETSC_FALSE;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &known, 1, MPIU_BOOL, MPI_LAND, balance->sys->comm));
  balance->wide = PETSC_FALSE;
  if (known) {
    PetscCallMPI(MPI_Comm_size(balance->sys->comm, &ranks));
    PetscCall(find_ranges(balance->sys, ranks, &bounds));
    RungCallFinally(measure(balance->sys, pc->pmat, bounds, most), PetscCall(PetscFree(bounds)));
    find_scales(balance->sys->traits.unknowns, most, symmetric, balance);
  }
  if (!balance->wide) {
    PetscCall((*balance->setup)(pc));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(make_scales(balance, pc->pmat, symmetric));
  PetscCall(PetscObjectStateGet((PetscObject)pc->pmat, &state));
  PetscCall(MatDiagonalScale(pc->pmat, balance->r, balance->c));
  RungCallFinally((*balance->setup)(pc), PetscCall(scale_back(balance, pc->pmat));
                  PetscCall(PetscObjectStateSet((PetscObject)pc->pmat, state)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode apply_scaled(PC pc, const Balance *balance, PetscBool transposed, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(VecPointwiseMult(balance->work, transposed ? balance->c : balance->r, b));
  PetscCall((transposed ? *balance->transposed : *balance->apply)(pc, balance->work, x));
  PetscCall(VecPointwiseMult(x, x, transposed ? balance->r : balance->c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode apply_any(PC pc, PetscBool transposed, Vec b, Vec x)
{
  Balance *balance;

  PetscFunctionBegin;
  PetscCall(RungComposedFind((PetscObject)pc, key, &balance));
  if (!balance->wide) {
    PetscCall((transposed ? *balance->transposed : *balance->apply)(pc, b, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!balance->work) PetscCall(VecDuplicate(b, &balance->work));
  PetscCall(apply_scaled(pc, balance, transposed, b, x));
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

PetscErrorCode RungSolverBalance(RungSystem sys, KSP ksp)
{
  PetscBool factors;
  Balance  *balance;
  PC        pc;

  PetscFunctionBegin;
  if (sys->traits.unknowns < 2) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &factors, PCLU, PCCHOLESKY, ""));
  if (!factors || pc->ops->apply == apply) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungComposedFind((PetscObject)pc, key, &balance));
  if (!balance) PetscCall(RungComposedCreate((PetscObject)pc, key, sizeof *balance, destroy, &balance));
  PetscCall(RungCondenseFactors(sys, pc)); /* of what is scaled */
  balance->sys            = sys;
  balance->setup          = pc->ops->setup;
  balance->apply          = pc->ops->apply;
  balance->transposed     = pc->ops->applytranspose;
  pc->ops->setup          = set_up;
  pc->ops->apply          = apply;
  pc->ops->applytranspose = balance->transposed ? apply_transposed : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
