/* newton_floor.c - is what is left of F nothing but rounding?  Asked row by row: no other equation decides.

       |F_i| <= 4 u (sum_j |J_ij| (|w_j| + |base_0,j|) + |load_i|)          u: unit of the last place

   The sum is as large as the terms of F_i, in the units of that row: a change of J in its last digits accounts for F_i, and
   Newton's method cannot do better.  F is summed up cell by cell, and J's entries are sums that cancel: where steps have stopped to shrink, some
   times as much is rounding, too.  Matrices of type aij are known entry by entry; of others nothing is said, and the steps
   decide.

   Rounding of one equation is also what another one hears: a fluid at rest has velocities that are p's rounding, and no row of div(u) = 0 says
   so.  What rounding does to w is e,

       J e = r,    r_i = +-4 u (the sum of above),    0 where values are given,

   signs by the number of the entry: a step d that is no larger, |d|_f <= 10 |e|_f for every unknown f, is made of rounding.

   F may be made of terms that J w shows nothing of: carriers in balance, n p - n_i^2, are so whatever the potentials are, and J is 0 there.  So
   F is also evaluated where w differs in its last digits, and r is what becomes of it,

       r = F(w (1 + 2 u xi)) - F(w),    1 <= |xi_i| < 2;

   but what rounding leaves open by this is a solution only where it changes terms of an equation by less than 1e-7: a body under next to no load, of
   which I + grad(u) shows no digit, has none. */
#include "line_solver_impl.h"

#define MADE  10   /* times e, which is an estimate        */
#define HEARD 1e-7 /* .. of those of a solution whose rounding J w does not show */
#define OPEN  1e-2 /* of the terms of an equation, that rounding may change */

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

/* floor->terms = |load| + sum_j |J_ij| size_j of J, which has rows; load: NULL is none. */
static PetscErrorCode set_terms(RungNewtonFloor floor, Mat J, Vec load)
{
  Mat             own = J, other = NULL;
  const PetscInt *columns = NULL;
  PetscBool       many;
  PetscScalar    *terms;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)J, MATMPIAIJ, &many));
  if (many) PetscCall(MatMPIAIJGetSeqAIJ(J, &own, &other, &columns));
  if (other) PetscCall(get_ghosts(floor, J, other, columns));
  if (load)
    PetscCall(VecCopy(load, floor->terms));
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
  PetscBool one, many;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)J, MATSEQAIJ, &one));
  PetscCall(PetscObjectTypeCompare((PetscObject)J, MATMPIAIJ, &many));
  *known = one || many ? PETSC_TRUE : PETSC_FALSE;
  if (!*known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(need(solver, floor));
  PetscCall(set_size(solver, *floor, w));
  PetscCall(set_terms(*floor, J, solver->load));
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

/* v_i = 0 where values are given, in slaves of constraints, and in internal variables, whose rows J does not have */
static PetscErrorCode keep_free(RungLineSolver solver, Vec v)
{
  PetscFunctionBegin;
  PetscCall(RungSystemZeroDirichlet(solver->sys, v));
  PetscCall(RungSystemZeroCondensed(solver->sys, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v_i = +-4 u v_i; 0 in what is not free */
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
  PetscCall(keep_free(solver, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonRoundingOfSolve(RungLineSolver solver, Mat J, Vec w, Vec r, PetscBool *known)
{
  RungNewtonFloor floor;
  PetscBool       one, many;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)J, MATSEQAIJ, &one));
  PetscCall(PetscObjectTypeCompare((PetscObject)J, MATMPIAIJ, &many));
  *known = one || many ? PETSC_TRUE : PETSC_FALSE;
  if (!*known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(need(solver, &floor));
  PetscCall(VecCopy(w, floor->size));
  PetscCall(RungSystemZeroCondensed(solver->sys, floor->size));
  PetscCall(VecAbs(floor->size));
  PetscCall(set_terms(floor, J, NULL));
  PetscCall(VecCopy(floor->terms, r));
  PetscCall(sign_rounding(solver, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* change[f] = |e|_f at w, by the matrix of the last step; *known: J has rows, and was solved with. */
static PetscErrorCode find_change(RungLineSolver solver, SNES snes, Vec w, PetscReal change[], PetscBool *known)
{
  RungNewtonFloor    floor;
  KSPConvergedReason solved;
  MatNullSpace       null;
  Mat                J;
  KSP                ksp;

  PetscFunctionBegin;
  PetscCall(SNESGetJacobian(snes, &J, NULL, NULL, NULL));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(find_terms(solver, J, w, &floor, known));
  if (!*known) PetscFunctionReturn(PETSC_SUCCESS);
  if (!floor->change) PetscCall(VecDuplicate(floor->terms, &floor->change));
  PetscCall(sign_rounding(solver, floor->terms));
  PetscCall(MatGetNullSpace(J, &null));
  if (null) PetscCall(MatNullSpaceRemove(null, floor->terms));
  PetscCall(RungLineSolveStep(solver, NULL, ksp, floor->terms, floor->change));
  if (null) PetscCall(MatNullSpaceRemove(null, floor->change));
  PetscCall(KSPGetConvergedReason(ksp, &solved));
  PetscCall(RungNewtonNorms(solver, floor->change, change));
  if (solved < 0) *known = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factors alone: an iteration would have to be made twice.  Without a pattern of small blocks or a diagonal. */
static PetscErrorCode is_factored(const RungLineSlot *slot, PetscBool *yes)
{
  KSP ksp;

  PetscFunctionBegin;
  *yes = PETSC_FALSE;
  if (!slot || !slot->snes || slot->blocks || slot->inverse || slot->solver->bound[0])
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SNESGetKSP(slot->snes, &ksp));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPPREONLY, yes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* norm[g] of floor->terms in the equations of g, where no values are given */
static PetscErrorCode measure_terms(RungLineSolver solver, RungNewtonFloor floor, PetscReal norm[])
{
  PetscFunctionBegin;
  PetscCall(RungSystemZeroDirichlet(solver->sys, floor->terms));
  PetscCall(RungNewtonNorms(solver, floor->terms, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* floor->size = |e| in the entries of unknown f, 0 in all others */
static PetscErrorCode set_size_of_change(RungLineSolver solver, RungNewtonFloor floor, PetscInt f)
{
  const PetscScalar *e;
  PetscScalar       *size;
  PetscInt           start, end;

  PetscFunctionBegin;
  PetscCall(RungSystemGetRange(solver->sys, f, &start, &end));
  PetscCall(VecZeroEntries(floor->size));
  PetscCall(VecGetArrayRead(floor->change, &e));
  PetscCall(VecGetArray(floor->size, &size));
  for (PetscInt i = start; i < end; ++i) size[i] = PetscAbsScalar(e[i]);
  PetscCall(VecRestoreArray(floor->size, &size));
  PetscCall(VecRestoreArrayRead(floor->change, &e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What rounding may change. */
typedef struct {
  PetscInt  f;          /* the unknown that is most open, -1: none has terms                    */
  PetscReal size;       /* of the terms of an equation, that it may change                      */
  PetscBool multiplier; /* f does not enter its own equation                                    */
} Open;

/* How much of the terms of its equations rounding may change by e, for the unknown for which that is most; the equation of all that it
   enters where that is least: in one whose terms are rounding themselves, as div(u) = 0 of a fluid at rest, it says nothing. */
static PetscErrorCode find_open(RungLineSolver solver, Mat J, Vec w, Open *open)
{
  const PetscInt  n = solver->traits.unknowns;
  RungNewtonFloor floor;
  PetscBool       known;
  PetscReal       all[RUNG_MAX_UNKNOWNS], part[RUNG_MAX_UNKNOWNS];

  PetscFunctionBegin;
  *open = (Open){.f = -1};
  PetscCall(find_terms(solver, J, w, &floor, &known));
  PetscCall(measure_terms(solver, floor, all));
  for (PetscInt f = 0; f < n; ++f) {
    PetscReal least = PETSC_INFINITY;

    PetscCall(set_size_of_change(solver, floor, f));
    PetscCall(set_terms(floor, J, NULL));
    PetscCall(measure_terms(solver, floor, part));
    for (PetscInt g = 0; g < n; ++g)
      if (all[g] > 0 && part[g] > 0) least = PetscMin(least, part[g] / all[g]);
    if (least < PETSC_INFINITY && least >= open->size) *open = (Open){f, least, part[f] > 0 ? PETSC_FALSE : PETSC_TRUE};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* floor->terms = F(w (1 + 2 u xi)) - F(w) in what is free */
static PetscErrorCode differ_in_digits(RungLineSolver solver, SNES snes, RungNewtonFloor floor, Vec w)
{
  PetscScalar *x;
  PetscInt     start, n;
  Vec          F;

  PetscFunctionBegin;
  PetscCall(SNESGetFunction(snes, &F, NULL, NULL));
  PetscCall(VecCopy(w, floor->size));
  PetscCall(VecGetOwnershipRange(w, &start, NULL));
  PetscCall(VecGetLocalSize(w, &n));
  PetscCall(VecGetArray(floor->size, &x));
  for (PetscInt i = 0; i < n; ++i) x[i] *= 1 + 2 * PETSC_MACHINE_EPSILON * RungChanceOf(start + i);
  PetscCall(VecRestoreArray(floor->size, &x));
  ++solver->counts.residuals;
  PetscCall(RungTransientSystemResidual(solver->ts, solver->t, solver->line, solver->load, floor->size, floor->terms));
  PetscCall(VecAXPY(floor->terms, -1, F));
  PetscCall(keep_free(solver, floor->terms));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* floor->change = J^-1 (F(w (1 + 2 u xi)) - F(w)); change[f] becomes its norm where that is more. */
static PetscErrorCode add_digits(RungLineSolver solver, SNES snes, Vec w, PetscReal change[])
{
  RungNewtonFloor    floor = solver->floor;
  KSPConvergedReason solved;
  PetscReal          more[RUNG_MAX_UNKNOWNS];
  KSP                ksp;

  PetscFunctionBegin;
  PetscCall(differ_in_digits(solver, snes, floor, w));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(RungLineSolveStep(solver, NULL, ksp, floor->terms, floor->change));
  PetscCall(KSPGetConvergedReason(ksp, &solved));
  PetscCall(RungNewtonNorms(solver, floor->change, more));
  for (PetscInt f = 0; f < solver->traits.unknowns && solved >= 0; ++f) change[f] = PetscMax(change[f], more[f]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_made(RungLineSolver solver, const PetscReal step[], const PetscReal change[])
{
  for (PetscInt f = 0; f < solver->traits.unknowns; ++f)
    if (!(step[f] <= MADE * change[f])) return PETSC_FALSE;
  return PETSC_TRUE;
}

PetscErrorCode RungNewtonIsMadeOfRounding(RungLineSolver solver, SNES snes, Vec w, Vec d, PetscBool *made)
{
  PetscReal step[RUNG_MAX_UNKNOWNS], change[RUNG_MAX_UNKNOWNS];
  Open      open;
  Mat       J;

  PetscFunctionBegin;
  PetscCall(find_change(solver, snes, w, change, made));
  if (!*made) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungNewtonNorms(solver, d, step));
  *made = is_made(solver, step, change);
  if (*made || solver->problem == PROBLEM_GIVEN || solver->point) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(add_digits(solver, snes, w, change));
  if (!is_made(solver, step, change)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SNESGetJacobian(snes, &J, NULL, NULL, NULL));
  PetscCall(find_open(solver, J, w, &open));
  *made = open.size <= HEARD ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define MULTIPLIER                                                                                                     \
  "of too high a degree, as a pressure P2 or DP1 beside a velocity P2^d; take a lower one, as P1 or P0, or add terms " \
  "that hold it"

static PetscErrorCode tell_open(RungLineSolver solver, const Open *open)
{
  const char *name;

  PetscFunctionBegin;
  PetscCall(RungSystemGetUnknown(solver->sys, open->f, &name, NULL));
  PetscCall(RungSystemWarn(
    solver->sys, "rounding leaves \"%s\" open by about %.1g of its size: %s", name, (double)open->size,
    open->multiplier
      ? "it is a multiplier " MULTIPLIER
      : "entries of the matrix differ by more than a number has digits, as in very thin bodies and cells, beside "
        "springs that are much too stiff, or where hardly anything holds it; take fewer cells of a higher degree along "
        "what is thin, beam or shell equations, softer springs, or hold it"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* floor->size = +-1 to +-2 in the free entries of unknown f, 0 in all others, without what null has of it */
static PetscErrorCode set_rough(RungLineSolver solver, RungNewtonFloor floor, PetscInt f, MatNullSpace null)
{
  PetscScalar *size;
  PetscInt     start, first, end;

  PetscFunctionBegin;
  PetscCall(RungSystemGetRange(solver->sys, f, &first, &end));
  PetscCall(VecGetOwnershipRange(floor->size, &start, NULL));
  PetscCall(VecZeroEntries(floor->size));
  PetscCall(VecGetArray(floor->size, &size));
  for (PetscInt i = first; i < end; ++i) size[i] = RungChanceOf(start + i);
  PetscCall(VecRestoreArray(floor->size, &size));
  PetscCall(keep_free(solver, floor->size));
  PetscCall(MatNullSpaceRemove(null, floor->size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factors of a matrix with a null space leave null pivots out, those of what nobody knows of, too, and e shows nothing of them:
   J d = J r has another d than r there.  r is 0 in slaves of constraints, and d follows its masters there.  *f: an unknown that has one, -1: none. */
static PetscErrorCode find_left_out(RungLineSolver solver, SNES snes, Mat J, PetscInt *f)
{
  RungNewtonFloor floor = solver->floor;
  PetscReal       rough[RUNG_MAX_UNKNOWNS], left[RUNG_MAX_UNKNOWNS];
  MatNullSpace    null;
  KSP             ksp;

  PetscFunctionBegin;
  *f = -1;
  PetscCall(MatGetNullSpace(J, &null));
  if (!null) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SNESGetKSP(snes, &ksp));
  for (PetscInt g = 0; g < solver->traits.unknowns && *f < 0; ++g) {
    PetscCall(set_rough(solver, floor, g, null));
    PetscCall(RungNewtonNorms(solver, floor->size, rough));
    PetscCall(MatMult(J, floor->size, floor->terms));
    PetscCall(RungLineSolveStep(solver, NULL, ksp, floor->terms, floor->change));
    PetscCall(keep_free(solver, floor->change));
    PetscCall(VecAXPY(floor->change, -1, floor->size));
    PetscCall(MatNullSpaceRemove(null, floor->change));
    PetscCall(RungNewtonNorms(solver, floor->change, left));
    if (left[g] > OPEN * rough[g]) *f = g;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode tell_left_out(RungLineSolver solver, PetscInt f)
{
  const char *name;

  PetscFunctionBegin;
  PetscCall(RungSystemGetUnknown(solver->sys, f, &name, NULL));
  PetscCall(RungSystemWarn(
    solver->sys,
    "the equations leave more of \"%s\" open than constants and rigid motions, and one of many solutions is taken by "
    "chance: it may be a multiplier " MULTIPLIER,
    name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNewtonTellOpen(RungLineSolver solver, Vec w, PetscBool *looked)
{
  PetscReal change[RUNG_MAX_UNKNOWNS];
  PetscBool known;
  PetscInt  f;
  SNES      snes;
  Mat       J;
  Open      open;

  PetscFunctionBegin;
  *looked = PETSC_FALSE;
  PetscCall(is_factored(solver->last, &known));
  if (!known) PetscFunctionReturn(PETSC_SUCCESS);
  snes = solver->last->snes;
  PetscCall(find_change(solver, snes, w, change, &known));
  if (!known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SNESGetJacobian(snes, &J, NULL, NULL, NULL));
  PetscCall(find_open(solver, J, w, &open));
  if (open.f < 0) PetscFunctionReturn(PETSC_SUCCESS); /* all terms are 0 */
  *looked = PETSC_TRUE;
  if (open.size > OPEN) {
    PetscCall(tell_open(solver, &open));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(find_left_out(solver, snes, J, &f));
  if (f >= 0) PetscCall(tell_left_out(solver, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}
