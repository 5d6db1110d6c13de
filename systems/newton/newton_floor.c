/* newton_floor.c - is what is left of F nothing but rounding?  Asked row by row: no other equation decides.

       |F_i| <= 4 u (sum_j |J_ij| (|w_j| + |base_0,j|) + |load_i|)          u: unit of the last place

   The sum is as large as the terms of F_i, in the units of that row: a change of J in its last digits accounts for F_i, and
   Newton's method cannot do better.  F is summed up cell by cell, and J's entries are sums that cancel: where steps have stopped to shrink, some
   times as much is rounding, too.  Matrices of type aij are known entry by entry; of others nothing is said, and the steps
   decide.

   Rounding of one equation is also what another one hears: a fluid at rest has velocities that are p's rounding, and no row of div(u) = 0 says
   so.  What rounding does to w is e,

       J e = r,    r_i = +-4 u (the sum of above),    0 where values are given,

   signs by the number of the entry: a step d that is no larger, |d|_f <= 10 |e|_f for every unknown f, is made of rounding. */
#include "line_solver_impl.h"

#define MADE 10   /* times e, which is an estimate        */
#define OPEN 1e-2 /* of a solution, that rounding may change */

struct _RungNewtonFloor {
  Vec              size, terms; /* owned: |w| + |base_0|, the sum of each row                       */
  Vec              change;      /* owned: e; NULL before it was wanted                              */
  Vec              local;       /* owned, without entries but while it shows those of size here     */
  PetscObjectId    matrix;      /* ghosts are those of this matrix, with this pattern               */
  PetscObjectState pattern;
  Vec              ghost;   /* owned: size of the columns of other ranks                            */
  VecScatter       scatter; /* owned: from size to ghost; NULL: none yet                            */
};

static PetscErrorCode forget_ghosts(RungNewtonFloor floor)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&floor->ghost));
  PetscCall(VecScatterDestroy(&floor->scatter));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonFloorDestroy(RungNewtonFloor *destroyed)
{
  RungNewtonFloor floor = *destroyed;

  PetscFunctionBegin;
  if (!floor) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(forget_ghosts(floor));
  PetscCall(VecDestroy(&floor->size));
  PetscCall(VecDestroy(&floor->terms));
  PetscCall(VecDestroy(&floor->change));
  PetscCall(VecDestroy(&floor->local));
  PetscCall(PetscFree(*destroyed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode need(RungLineSolver solver, RungNewtonFloor *floor)
{
  PetscFunctionBegin;
  *floor = solver->floor;
  if (*floor) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(floor));
  solver->floor = *floor;
  PetscCall(VecDuplicate(solver->r, &(*floor)->size));
  PetscCall(VecDuplicate(solver->r, &(*floor)->terms));
  PetscCall(VecCreateLocalVector((*floor)->size, &(*floor)->local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- sum_j |J_ij| size_j ------------------------------------------------------------------------------------------- */

static PetscErrorCode add_rows(Mat part, Vec size, PetscScalar terms[])
{
  const PetscScalar *x, *value;
  const PetscInt    *column;
  PetscInt           rows, n;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(part, &rows, NULL));
  PetscCall(VecGetArrayRead(size, &x));
  for (PetscInt i = 0; i < rows; ++i) {
    PetscCall(MatGetRow(part, i, &n, &column, &value));
    for (PetscInt j = 0; j < n; ++j) terms[i] += PetscAbsScalar(value[j]) * PetscRealPart(x[column[j]]);
    PetscCall(MatRestoreRow(part, i, &n, &column, &value));
  }
  PetscCall(VecRestoreArrayRead(size, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* floor->ghost: size of the columns that `other`, the part of J with columns of other ranks, has.  Collective. */
static PetscErrorCode get_ghosts(RungNewtonFloor floor, Mat J, Mat other, const PetscInt columns[])
{
  PetscObjectId    matrix;
  PetscObjectState pattern;
  PetscInt         n;
  IS               is;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)J, &matrix));
  PetscCall(MatGetNonzeroState(J, &pattern));
  if (!floor->scatter || floor->matrix != matrix || floor->pattern != pattern) {
    PetscCall(forget_ghosts(floor));
    PetscCall(MatGetLocalSize(other, NULL, &n));
    PetscCall(VecCreateSeq(PETSC_COMM_SELF, n, &floor->ghost));
    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, columns, PETSC_COPY_VALUES, &is));
    PetscCall(VecScatterCreate(floor->size, is, floor->ghost, NULL, &floor->scatter));
    PetscCall(ISDestroy(&is));
    floor->matrix  = matrix;
    floor->pattern = pattern;
  }
  PetscCall(VecScatterBegin(floor->scatter, floor->size, floor->ghost, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(floor->scatter, floor->size, floor->ghost, INSERT_VALUES, SCATTER_FORWARD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* floor->size of the values at w, entries of internal variables left out: their columns are not part of J. */
static PetscErrorCode set_size(RungLineSolver solver, RungNewtonFloor floor, Vec w)
{
  PetscFunctionBegin;
  PetscCall(VecCopy(w, floor->size));
  PetscCall(RungSystemZeroCondensed(solver->sys, floor->size));
  PetscCall(VecAbs(floor->size));
  if (solver->problem == PROBLEM_GIVEN || !solver->line->base[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecCopy(solver->line->base[0], floor->terms));
  PetscCall(VecAbs(floor->terms));
  PetscCall(VecAXPY(floor->size, 1, floor->terms));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_terms(RungLineSolver solver, RungNewtonFloor floor, Mat J, Mat own, Mat other,
                                const PetscInt columns[])
{
  PetscScalar *terms;

  PetscFunctionBegin;
  if (other) PetscCall(get_ghosts(floor, J, other, columns));
  if (solver->load)
    PetscCall(VecCopy(solver->load, floor->terms));
  else
    PetscCall(VecZeroEntries(floor->terms));
  PetscCall(VecAbs(floor->terms));
  PetscCall(VecGetLocalVectorRead(floor->size, floor->local));
  PetscCall(VecGetArray(floor->terms, &terms));
  PetscCall(add_rows(own, floor->local, terms));
  if (other) PetscCall(add_rows(other, floor->ghost, terms));
  PetscCall(VecRestoreArray(floor->terms, &terms));
  PetscCall(VecRestoreLocalVectorRead(floor->size, floor->local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the question --------------------------------------------------------------------------------------------------- */

/* The equation of entry i is one of those that hold: w is not at a bound that F presses it against. */
static PetscBool holds(const PetscScalar *bound[2], PetscInt i, PetscScalar w, PetscScalar F)
{
  if (!bound[0]) return PETSC_TRUE;
  if (PetscRealPart(w) <= PetscRealPart(bound[0][i])) return PetscRealPart(F) < 0 ? PETSC_TRUE : PETSC_FALSE;
  if (PetscRealPart(w) >= PetscRealPart(bound[1][i])) return PetscRealPart(F) > 0 ? PETSC_TRUE : PETSC_FALSE;
  return PETSC_TRUE;
}

static PetscErrorCode are_below(RungLineSolver solver, RungNewtonFloor floor, Vec w, Vec F, PetscReal times,
                                PetscBool *below)
{
  const PetscScalar *f, *x, *terms, *bound[2] = {NULL, NULL};
  PetscInt           n, above = 0;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(F, &n));
  PetscCall(VecGetArrayRead(F, &f));
  PetscCall(VecGetArrayRead(w, &x));
  PetscCall(VecGetArrayRead(floor->terms, &terms));
  for (int side = 0; side < 2 && solver->bound[0]; ++side)
    PetscCall(VecGetArrayRead(solver->bound[side], &bound[side]));
  for (PetscInt i = 0; i < n && !above; ++i) {
    if (!holds(bound, i, x[i], f[i])) continue;
    if (!(PetscAbsScalar(f[i]) <= times * 4 * PETSC_MACHINE_EPSILON * PetscRealPart(terms[i]))) above = 1;
  }
  for (int side = 0; side < 2 && solver->bound[0]; ++side)
    PetscCall(VecRestoreArrayRead(solver->bound[side], &bound[side]));
  PetscCall(VecRestoreArrayRead(floor->terms, &terms));
  PetscCall(VecRestoreArrayRead(w, &x));
  PetscCall(VecRestoreArrayRead(F, &f));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &above, 1, MPIU_INT, MPI_MAX, solver->comm));
  *below = above ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* solver->floor->terms of J at w; *known: J has rows.  Collective. */
static PetscErrorCode find_terms(RungLineSolver solver, Mat J, Vec w, RungNewtonFloor *floor, PetscBool *known)
{
  Mat             own = J, other = NULL;
  const PetscInt *columns = NULL;
  PetscBool       one, many;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)J, MATSEQAIJ, &one));
  PetscCall(PetscObjectTypeCompare((PetscObject)J, MATMPIAIJ, &many));
  *known = one || many ? PETSC_TRUE : PETSC_FALSE;
  if (!*known) PetscFunctionReturn(PETSC_SUCCESS);
  if (many) PetscCall(MatMPIAIJGetSeqAIJ(J, &own, &other, &columns));
  PetscCall(need(solver, floor));
  PetscCall(set_size(solver, *floor, w));
  PetscCall(set_terms(solver, *floor, J, own, other, columns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonIsFloor(RungLineSolver solver, Mat J, Vec w, Vec F, PetscReal times, PetscBool *below)
{
  RungNewtonFloor floor;
  PetscBool       known;

  PetscFunctionBegin;
  *below = PETSC_FALSE;
  PetscCall(find_terms(solver, J, w, &floor, &known));
  if (known) PetscCall(are_below(solver, floor, w, F, times, below));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonRounding(RungLineSolver solver, Mat J, Vec w, PetscReal rounding[])
{
  RungNewtonFloor floor;
  PetscBool       known;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(rounding, solver->traits.unknowns));
  PetscCall(find_terms(solver, J, w, &floor, &known));
  if (!known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungNewtonNorms(solver, floor->terms, rounding));
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f) rounding[f] *= 4 * PETSC_MACHINE_EPSILON;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v_i = +-4 u v_i; 0 where values are given and in internal variables, whose rows J does not have */
static PetscErrorCode sign_rounding(RungLineSolver solver, Vec v)
{
  PetscScalar *x;
  PetscInt     start, n;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(v, &start, NULL));
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetArray(v, &x));
  for (PetscInt i = 0; i < n; ++i) x[i] *= 4 * PETSC_MACHINE_EPSILON * (RungChanceOf(start + i) > 0 ? 1 : -1);
  PetscCall(VecRestoreArray(v, &x));
  PetscCall(RungSystemZeroDirichlet(solver->sys, v));
  PetscCall(RungSystemZeroCondensed(solver->sys, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* change[f] = |e|_f at w, by the matrix of the last step; *known: J has rows, and was solved with. */
static PetscErrorCode find_change(RungLineSolver solver, SNES snes, Vec w, PetscReal change[], PetscBool *known)
{
  RungNewtonFloor    floor;
  KSPConvergedReason solved;
  Mat                J;
  KSP                ksp;

  PetscFunctionBegin;
  PetscCall(SNESGetJacobian(snes, &J, NULL, NULL, NULL));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(find_terms(solver, J, w, &floor, known));
  if (!*known) PetscFunctionReturn(PETSC_SUCCESS);
  if (!floor->change) PetscCall(VecDuplicate(floor->terms, &floor->change));
  PetscCall(sign_rounding(solver, floor->terms));
  PetscCall(RungLineSolveStep(solver, NULL, ksp, floor->terms, floor->change));
  PetscCall(KSPGetConvergedReason(ksp, &solved));
  PetscCall(RungNewtonNorms(solver, floor->change, change));
  if (solved < 0) *known = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonIsMadeOfRounding(RungLineSolver solver, SNES snes, Vec w, Vec d, PetscBool *made)
{
  PetscReal step[RUNG_MAX_UNKNOWNS], change[RUNG_MAX_UNKNOWNS];

  PetscFunctionBegin;
  PetscCall(find_change(solver, snes, w, change, made));
  if (!*made) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungNewtonNorms(solver, d, step));
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f)
    if (!(step[f] <= MADE * change[f])) *made = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factors alone: an iteration would have to be made twice.  Without a pattern of small blocks, a diagonal or a null space. */
static PetscErrorCode is_factored(const RungLineSlot *slot, PetscBool *yes)
{
  MatNullSpace null;
  KSP          ksp;

  PetscFunctionBegin;
  *yes = PETSC_FALSE;
  if (!slot || !slot->snes || slot->blocks || slot->inverse || slot->solver->bound[0])
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetNullSpace(slot->J, &null));
  PetscCall(SNESGetKSP(slot->snes, &ksp));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPPREONLY, yes));
  if (null) *yes = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonTellOpen(RungLineSolver solver, Vec w, PetscBool *looked)
{
  PetscReal size[RUNG_MAX_UNKNOWNS], change[RUNG_MAX_UNKNOWNS], open = 1;
  PetscBool known;

  PetscFunctionBegin;
  *looked = PETSC_FALSE;
  PetscCall(is_factored(solver->last, &known));
  if (known) PetscCall(find_change(solver, solver->last->snes, w, change, &known));
  if (!known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungNewtonNorms(solver, w, size));
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f)
    if (size[f] > 0) {
      *looked = PETSC_TRUE;
      open    = PetscMin(open, change[f] / size[f]);
    }
  if (!*looked || open <= OPEN) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemWarn(
    solver->sys,
    "rounding leaves the solution open by about %.1g of its size: entries of the matrix differ by more than a number "
    "has "
    "digits, as in very thin bodies and cells, beside springs that are much too stiff, or where hardly anything holds "
    "it; "
    "take fewer cells of a higher degree along what is thin, beam or shell equations, softer springs, or hold it",
    (double)open));
  PetscFunctionReturn(PETSC_SUCCESS);
}
