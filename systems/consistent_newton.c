/* consistent_newton.c - F on the Taylor lines of consistent.c, its derivative, and Newton's method for it. */
#include "consistent_impl.h"

#define RUNG_NEWTON   25   /* iterations at most that do not halve |F|                             */
#define RUNG_SOLVED   1e-8 /* |F| against its first value                                         */
#define RUNG_FAST     0.1  /* a step that lowers |F| so far leaves its matrix to the next           */
#define RUNG_STAGNANT 0.1  /* a refinement that lowers |F| less than this has met rounding errors */
#define RUNG_HALVINGS 12   /* of a step that leads to where F is not finite                       */
#define RUNG_FIRST    3    /* steps that later ones are measured by                               */
#define RUNG_GROWN    10   /* times as long as they: full steps diverge                           */
#define RUNG_STANDS   0.3  /* |F| against the one before: a step does not get on                  */
#define RUNG_STANDING 1e-7 /* |step| against |w|, and two such steps: |F| is rounding             */
#define RUNG_VAGUE    1e-2 /* |step| against |w| where |F| is rounding that is too large          */

/* ---- F and its derivative on the lines ----------------------------------------------------------------------------
 */

/* du^(k)/dw of an entry */
static PetscReal slope_of(const RungConsistent c, PetscInt order, PetscInt k)
{
  const PetscReal taylor[RUNG_MAX_ORDER + 1][RUNG_MAX_ORDER + 1] = {
    {c->algebraic ? 1 : 0, 0, 0}, {c->h, 1, 0}, {c->h * c->h / 2, c->h, 1}};

  return taylor[order][k];
}

/* c->u[k] at w, Dirichlet data of time t + h put in */
PetscErrorCode RungConsistentLines(RungTransientSystem ts, RungConsistent c, Vec w)
{
  const PetscScalar *from, *u0, *v0 = NULL;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(w, &from));
  PetscCall(VecGetArrayRead(c->u0[0], &u0));
  if (ts->order == 2) PetscCall(VecGetArrayRead(c->u0[1], &v0));
  for (PetscInt k = 0; k <= ts->order; ++k) {
    PetscScalar *u;

    PetscCall(VecGetArrayWrite(c->u[k], &u));
    for (PetscInt i = 0; i < ts->sys->local; ++i) {
      const PetscInt    order = c->order[i];
      const PetscScalar v     = v0 && order == 2 ? v0[i] : 0;
      PetscScalar       base  = 0;

      if (k == 0 && (order > 0 || !c->algebraic)) base = u0[i] + c->h * v;
      if (k == 1) base = v;
      u[i] = base + slope_of(c, order, k) * from[i];
    }
    PetscCall(VecRestoreArrayWrite(c->u[k], &u));
    PetscCall(RungSystemImposeDirichlet(ts->sys, c->t + c->h, k, c->u[k]));
  }
  if (v0) PetscCall(VecRestoreArrayRead(c->u0[1], &v0));
  PetscCall(VecRestoreArrayRead(c->u0[0], &u0));
  PetscCall(VecRestoreArrayRead(w, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConsistentResidual(RungTransientSystem ts, RungConsistent c, Vec w, Vec r, PetscReal *norm)
{
  PetscFunctionBegin;
  PetscCall(RungConsistentLines(ts, c, w));
  PetscCall(RungSystemResidual(ts->sys, c->t + c->h, c->u, r));
  if (!c->algebraic) PetscCall(VecISSet(r, c->fixed, 0.0));
  PetscCall(VecNorm(r, NORM_2, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* weight[i] = slope of entry i at derivative k if its order is the one of `of` */
static PetscErrorCode set_weight(RungTransientSystem ts, RungConsistent c, PetscInt k)
{
  PetscScalar *weight;

  PetscFunctionBegin;
  PetscCall(VecGetArrayWrite(c->weight, &weight));
  for (PetscInt i = 0; i < ts->sys->local; ++i) weight[i] = slope_of(c, c->order[i], k);
  PetscCall(VecRestoreArrayWrite(c->weight, &weight));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of one unknown with several orders:  J = sum_k (dF/du^(k)) diag(slope of each column). */
static PetscErrorCode jacobian_by_columns(RungTransientSystem ts, RungConsistent c)
{
  const PetscInt n = ts->sys->traits.unknowns;

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= ts->order; ++k) {
    PetscReal sigma[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};
    Mat       into                                            = k ? c->K : c->J;

    for (PetscInt f = 0; f < n; ++f) sigma[k * n + f] = 1;
    PetscCall(RungSystemJacobian(ts->sys, c->t + c->h, c->u, sigma, into));
    PetscCall(set_weight(ts, c, k));
    PetscCall(MatDiagonalScale(into, NULL, c->weight));
    if (k) PetscCall(MatAXPY(c->J, 1, c->K, SAME_NONZERO_PATTERN));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* c->J = dF/dw at c->u */
PetscErrorCode RungConsistentJacobian(RungTransientSystem ts, RungConsistent c)
{
  const RungTraits *traits                                          = &ts->sys->traits;
  const PetscInt    n                                               = traits->unknowns;
  PetscReal         sigma[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};
  PetscInt          fixed;

  PetscFunctionBegin;
  if (c->mixed) {
    PetscCall(jacobian_by_columns(ts, c));
  } else {
    for (PetscInt f = 0; f < n; ++f) {
      for (PetscInt k = 0; k <= ts->order; ++k)
        sigma[k * n + f] = slope_of(c, PetscMax(0, traits->unknown_order[f]), k);
    }
    PetscCall(RungSystemJacobian(ts->sys, c->t + c->h, c->u, sigma, c->J));
  }
  PetscCall(ISGetSize(c->fixed, &fixed));
  if (!c->algebraic && fixed) PetscCall(MatZeroRowsColumnsIS(c->J, c->fixed, 1.0, NULL, NULL));
  PetscCall(KSPSetOperators(c->ksp, c->J, c->J));
  PetscCall(KSPSetReusePreconditioner(c->ksp, PETSC_FALSE));
  c->kept = c->stale = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Newton's method ----------------------------------------------------------------------------------------------
 */

/* A failed factorisation is thrown away whole: MUMPS refuses to factor anything after it. */
PetscErrorCode RungConsistentSolve(RungConsistent c, Vec b, Vec x, PetscBool *solved)
{
  MatNullSpace       null;
  KSPConvergedReason reason;
  PetscReal          norm;

  PetscFunctionBegin;
  PetscCall(KSPSolve(c->ksp, b, x));
  PetscCall(KSPGetConvergedReason(c->ksp, &reason));
  PetscCall(VecNorm(x, NORM_2, &norm));
  *solved = reason > 0 && !PetscIsInfOrNanReal(norm) ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(MatGetNullSpace(c->J, &null));
  if (null) PetscCall(MatNullSpaceRemove(null, x));
  if (!*solved) {
    PetscCall(KSPReset(c->ksp));
    c->kept = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Size of the rounding error of F: the change by relative perturbations of one unit in the last places, with signs that
   depend on the entry's number only. */
PetscErrorCode RungConsistentNoise(RungTransientSystem ts, RungConsistent c)
{
  PetscReal norm;
  PetscInt  start;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(c->w, &start, NULL));
  PetscCall(RungConsistentResidual(ts, c, c->w, c->step, &norm));
  for (PetscInt k = 0; k <= ts->order; ++k) {
    PetscScalar *u;

    PetscCall(VecGetArray(c->u[k], &u));
    for (PetscInt i = 0; i < ts->sys->local; ++i) {
      const PetscReal sign = ((start + i) * 7 + k * 3) % 11 < 5 ? -1 : 1;

      u[i] *= 1 + 2 * sign * PETSC_MACHINE_EPSILON;
    }
    PetscCall(VecRestoreArray(c->u[k], &u));
  }
  PetscCall(RungSystemResidual(ts->sys, c->t + c->h, c->u, c->r));
  PetscCall(VecAXPY(c->r, -1, c->step));
  PetscCall(VecNorm(c->r, NORM_2, &c->noise));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* w_new = w - lambda step with the largest lambda = 1, 1/2, .. that lowers |F|, of full steps with which F is finite; *norm is
   the new one. */
static PetscErrorCode try_step(RungTransientSystem ts, RungConsistent c, PetscBool full, PetscReal *norm,
                               PetscBool *lowered)
{
  const PetscReal least = full ? PetscPowRealInt(0.5, RUNG_HALVINGS) : 1e-4;
  PetscReal       old   = *norm;

  PetscFunctionBegin;
  *lowered = PETSC_FALSE;
  for (PetscReal lambda = 1; lambda > least && !*lowered; lambda /= 2) {
    PetscCall(VecWAXPY(c->w_new, -lambda, c->step, c->w));
    PetscCall(RungConsistentResidual(ts, c, c->w_new, c->r, norm));
    if (!PetscIsInfOrNanReal(*norm) && *norm <= (1 - 1e-4 * lambda) * old) *lowered = PETSC_TRUE;
    if (ts->sys->traits.linear || (full && !PetscIsInfOrNanReal(*norm))) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dF/dw does not depend on w: F is linear, or w is the highest derivative alone and the mass constant. */
static PetscBool stays(RungTransientSystem ts, RungConsistent c)
{
  const RungTraits *traits = &ts->sys->traits;

  if (traits->linear) return PETSC_TRUE;
  if (c->h != 0 || c->mixed || !traits->constant_block[ts->order]) return PETSC_FALSE;
  for (PetscInt f = 0; f < traits->unknowns; ++f) {
    if (traits->unknown_order[f] != ts->order) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* |F| <= 4 u |J| |w|: a change of J in its last digits accounts for all of F.  c->r is F. */
static PetscErrorCode is_rounding(RungConsistent c, PetscBool *rounding)
{
  PetscReal f, j, w;
  PetscBool known;

  PetscFunctionBegin;
  *rounding = PETSC_FALSE;
  PetscCall(MatHasOperation(c->J, MATOP_NORM, &known)); /* not without entries */
  if (!known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecNorm(c->r, NORM_INFINITY, &f));
  PetscCall(VecNorm(c->w, NORM_INFINITY, &w));
  PetscCall(MatNorm(c->J, NORM_INFINITY, &j));
  *rounding = f <= 4 * PETSC_MACHINE_EPSILON * j * w ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix of c->h at c->u.  Its factors serve for other h too (reuse). */
static PetscErrorCode renew(RungTransientSystem ts, RungConsistent c)
{
  PetscBool direct, rows;

  PetscFunctionBegin;
  PetscCall(RungConsistentJacobian(ts, c));
  PetscCall(PetscObjectTypeCompare((PetscObject)c->ksp, KSPPREONLY, &direct));
  PetscCall(MatHasOperation(c->J, MATOP_GET_ROW_MAX_ABS, &rows));
  if (!direct || !rows || c->h == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetRowMaxAbs(c->J, c->rows, NULL));
  c->kept = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* M + h K is near to the matrix of another small h, and rows of values only (constraints: h B) have one direction: factors
   of another h solve for a step once the rows of F are scaled,
       c->scale = max |row of the factored matrix| / max |row of J|.                                                       */
static PetscErrorCode reuse(RungTransientSystem ts, RungConsistent c)
{
  const PetscScalar *old;
  PetscScalar       *scale;

  PetscFunctionBegin;
  PetscCall(RungConsistentJacobian(ts, c));
  PetscCall(KSPSetReusePreconditioner(c->ksp, PETSC_TRUE));
  c->kept = c->stale = PETSC_TRUE;
  PetscCall(MatGetRowMaxAbs(c->J, c->scale, NULL));
  PetscCall(VecGetArrayRead(c->rows, &old));
  PetscCall(VecGetArray(c->scale, &scale));
  for (PetscInt i = 0; i < ts->sys->local; ++i) {
    scale[i] = PetscAbsScalar(scale[i]) > 0 && PetscAbsScalar(old[i]) > 0 ? old[i] / scale[i] : 1;
  }
  PetscCall(VecRestoreArray(c->scale, &scale));
  PetscCall(VecRestoreArrayRead(c->rows, &old));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscBool full;     /* steps are taken as they are         */
  PetscBool constant; /* dF/dw does not depend on w          */
  PetscBool fast;     /* the last step lowered |F| much      */
  PetscBool close;    /* |F| fell by RUNG_SOLVED             */
  PetscInt  fresh;    /* steps with the matrix of this c->h  */
  PetscReal reach;    /* the longest of the first steps      */
  PetscInt  spent;    /* steps that did not halve |F|        */
  PetscInt  slow;     /* the last ones, which did not get on */
} Progress;

/* max |v_i| of each unknown */
static PetscErrorCode sizes_of(RungSystem sys, Vec v, PetscReal size[RUNG_MAX_UNKNOWNS])
{
  const PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(size, RUNG_MAX_UNKNOWNS));
  PetscCall(VecGetArrayRead(v, &x));
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f)
    for (PetscInt i = sys->range[f]; i < sys->range[f + 1]; ++i) size[f] = PetscMax(size[f], PetscAbsScalar(x[i]));
  PetscCall(VecRestoreArrayRead(v, &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, size, RUNG_MAX_UNKNOWNS, MPIU_REAL, MPI_MAX, sys->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Terms of F may be larger than J w: I + grad(u) rounds as 1 does, however small a load is.  |F| stands there, where two full
   steps, the second with its own matrix, neither lower it nor change w: what it stands at is its rounding error.  c->vague tells of a stand that leaves w open. */
static PetscErrorCode look_for_stand(RungTransientSystem ts, RungConsistent c, PetscReal norm, PetscReal before,
                                     Progress *progress, PetscBool *stands)
{
  PetscReal step[RUNG_MAX_UNKNOWNS], size[RUNG_MAX_UNKNOWNS], change = 0;

  PetscFunctionBegin;
  *stands        = PETSC_FALSE;
  progress->slow = progress->full && norm > RUNG_STANDS * before ? progress->slow + 1 : 0;
  if (progress->slow < 2 || c->stale) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(sizes_of(ts->sys, c->step, step));
  PetscCall(sizes_of(ts->sys, c->w, size));
  for (PetscInt f = 0; f < ts->sys->traits.unknowns; ++f)
    if (step[f] > 0) change = PetscMax(change, size[f] > 0 ? step[f] / size[f] : PETSC_INFINITY);
  *stands = change <= RUNG_STANDING ? PETSC_TRUE : PETSC_FALSE;
  if (*stands) c->noise = PetscMax(c->noise, norm);
  c->vague = !*stands && change <= RUNG_VAGUE ? change : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Full steps with their own matrix go on where |F| rises; where they grow, the i-th from 0 on, they have diverged. */
static PetscErrorCode look_at_step(RungConsistent c, PetscInt i, PetscReal norm, Progress *progress, PetscBool *lowered,
                                   PetscBool *found)
{
  PetscReal step;

  PetscFunctionBegin;
  if (!progress->full) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecNorm(c->step, NORM_2, &step));
  if (i < RUNG_FIRST) progress->reach = PetscMax(progress->reach, step);
  if (step > RUNG_GROWN * progress->reach)
    *found = PETSC_FALSE;
  else if (!progress->close && !PetscIsInfOrNanReal(norm))
    *lowered = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix of the next step, the i-th. */
static PetscErrorCode prepare(RungTransientSystem ts, RungConsistent c, PetscInt i, PetscBool current,
                              const Progress *progress)
{
  PetscFunctionBegin;
  if (i == 0 && c->kept && !current) {
    PetscCall(reuse(ts, c));
  } else if (i == 0) {
    if (!current) PetscCall(renew(ts, c));
  } else if (!progress->fast && (c->stale || (!progress->constant && !progress->close))) {
    PetscCall(renew(ts, c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |F| that is enough before Newton begins: an iteration is not refined below what it was asked for. */
static PetscErrorCode asked_of(RungConsistent c, PetscReal first, PetscReal *enough)
{
  PetscBool direct;

  PetscFunctionBegin;
  *enough = 0;
  PetscCall(PetscObjectTypeCompare((PetscObject)c->ksp, KSPPREONLY, &direct));
  if (direct) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetTolerances(c->ksp, enough, NULL, NULL, NULL));
  *enough *= 1.01 * first;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One run from c->w.  A linear system takes one step, and one more to refine; others iterate down to the rounding error, with
   the last matrix while |F| falls fast: a solve is cheap, a factorisation is not; where |F| has fallen by RUNG_SOLVED, until
   it falls no more.  Steps that halve |F| are not counted: along a power of w of any degree n Newton's method goes by
   w/n, and |F| falls by (1 - 1/n)^n < 1/e, for as many steps as the powers of ten that the first one overshot ask for. */
static PetscErrorCode run(RungTransientSystem ts, RungConsistent c, PetscBool current, Progress progress,
                          PetscBool *solved)
{
  const PetscBool linear = ts->sys->traits.linear;
  PetscReal       first, norm, enough;
  PetscBool       lowered = PETSC_TRUE, found = PETSC_TRUE, rounding = PETSC_FALSE, stands;

  PetscFunctionBegin;
  PetscCall(RungConsistentResidual(ts, c, c->w, c->r, &norm));
  first = norm;
  PetscCall(asked_of(c, first, &enough));
  for (PetscInt i = 0; progress.spent < RUNG_NEWTON && norm > 0 && lowered && found && !(linear && progress.fresh == 2);
       ++i) {
    const PetscReal before = norm;

    if (i && c->h == 0 && norm <= PetscMax(c->noise, enough)) break; /* noise is that of h = 0 */
    PetscCall(prepare(ts, c, i, current, &progress));
    if (c->stale) PetscCall(VecPointwiseMult(c->r, c->r, c->scale));
    if (!c->stale) ++progress.fresh;
    PetscCall(RungConsistentSolve(c, c->r, c->step, &found));
    if (!found) break;
    PetscCall(try_step(ts, c, progress.full, &norm, &lowered));
    if (!lowered && (c->stale || (progress.fast && !progress.constant && !progress.close))) {
      /* from the same w with its own matrix */
      PetscCall(RungConsistentResidual(ts, c, c->w, c->r, &norm));
      PetscCall(is_rounding(c, &rounding));
      if (rounding) break;
      lowered       = PETSC_TRUE;
      progress.fast = PETSC_FALSE;
      continue;
    }
    PetscCall(look_at_step(c, i, norm, &progress, &lowered, &found));
    if (lowered || i == 0)
      PetscCall(VecSwap(c->w, c->w_new));
    else
      norm = before;
    PetscCall(look_for_stand(ts, c, norm, before, &progress, &stands));
    if (stands) break;
    if (norm > 0.5 * before) ++progress.spent;
    if (norm > RUNG_STAGNANT * before) PetscCall(is_rounding(c, &rounding));
    if (norm > RUNG_STAGNANT * before && ((progress.close && !c->stale) || rounding)) break;
    progress.fast  = norm <= RUNG_FAST * before ? PETSC_TRUE : PETSC_FALSE;
    progress.close = norm <= RUNG_SOLVED * first ? PETSC_TRUE : PETSC_FALSE;
  }
  enough  = PetscMax(c->noise,
                    c->h != 0 ? PETSC_MACHINE_EPSILON * c->later : 0); /* w of another h may do up to rounding */
  *solved = found && (norm <= RUNG_SOLVED * first || norm <= 100 * enough) ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves F(w) = 0 from c->w; current: c->J is dF/dw there.  Full steps, as in the stages (newton_search.c): |F| has to rise
   before it falls where slender bodies bend; where they come to no end, once more from the start with steps that lower |F|.  On
   Taylor lines, c->h > 0, u is near to what is given, and |F| falls.
 *solved: |F| fell by RUNG_SOLVED, or to its rounding error, or was there already. */
PetscErrorCode RungConsistentNewton(RungTransientSystem ts, RungConsistent c, PetscBool current, PetscBool *solved)
{
  Progress progress = {.constant = stays(ts, c)};

  PetscFunctionBegin;
  progress.full = !progress.constant && c->h == 0 ? PETSC_TRUE : PETSC_FALSE;
  if (c->h == 0) c->vague = 0;
  if (progress.full) PetscCall(VecCopy(c->w, c->begin));
  PetscCall(run(ts, c, current, progress, solved));
  if (*solved || !progress.full) PetscFunctionReturn(PETSC_SUCCESS);
  progress.full = PETSC_FALSE;
  PetscCall(VecCopy(c->begin, c->w));
  PetscCall(run(ts, c, PETSC_FALSE, progress, solved));
  PetscFunctionReturn(PETSC_SUCCESS);
}
