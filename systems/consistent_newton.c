/* consistent_newton.c - F on the Taylor lines of consistent.c, its derivative, and its solution by the line solver. */
#include "consistent_impl.h"
#include "solver_impl.h"

#define RUNG_SWEEPS 8 /* iterations with factors of another h                                                  */
#define RUNG_ENOUGH                                                                                                    \
  1e-11 /* of F, where it has derivatives of constraints and is solved for by iterations: they are dear */

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

static PetscErrorCode norm_of(RungConsistent c, Vec r, PetscReal *norm)
{
  const PetscScalar *x, *unit;
  PetscInt           n;

  PetscFunctionBegin;
  if (!c->weighed) {
    PetscCall(VecNorm(r, NORM_2, norm));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *norm = 0;
  PetscCall(VecGetLocalSize(r, &n));
  PetscCall(VecGetArrayRead(r, &x));
  PetscCall(VecGetArrayRead(c->unit, &unit));
  for (PetscInt i = 0; i < n; ++i) *norm += PetscRealPart(x[i] * unit[i] * x[i] * unit[i]);
  PetscCall(VecRestoreArrayRead(c->unit, &unit));
  PetscCall(VecRestoreArrayRead(r, &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, norm, 1, MPIU_REAL, MPIU_SUM, c->ts->sys->comm));
  *norm = PetscSqrtReal(*norm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConsistentResidual(RungTransientSystem ts, RungConsistent c, Vec w, Vec r, PetscReal *norm)
{
  PetscFunctionBegin;
  PetscCall(RungConsistentLines(ts, c, w));
  PetscCall(RungSystemResidual(ts->sys, c->t + c->h, c->u, r));
  if (!c->algebraic) PetscCall(VecISSet(r, c->fixed, 0.0));
  PetscCall(norm_of(c, r, norm));
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
static PetscErrorCode jacobian_by_columns(RungTransientSystem ts, RungConsistent c, Mat J)
{
  const PetscInt n = ts->sys->traits.unknowns;

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= ts->order; ++k) {
    PetscReal sigma[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};
    Mat       into                                            = k ? c->K : J;

    for (PetscInt f = 0; f < n; ++f) sigma[k * n + f] = 1;
    PetscCall(RungSystemJacobian(ts->sys, c->t + c->h, c->u, sigma, into));
    PetscCall(set_weight(ts, c, k));
    PetscCall(MatDiagonalScale(into, NULL, c->weight));
    if (k) PetscCall(MatAXPY(J, 1, c->K, SAME_NONZERO_PATTERN));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConsistentJacobian(RungTransientSystem ts, RungConsistent c, Mat J)
{
  const RungTraits *traits                                          = &ts->sys->traits;
  const PetscInt    n                                               = traits->unknowns;
  PetscReal         sigma[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};
  PetscInt          fixed;

  PetscFunctionBegin;
  if (c->mixed) {
    PetscCall(jacobian_by_columns(ts, c, J));
  } else {
    for (PetscInt f = 0; f < n; ++f) {
      for (PetscInt k = 0; k <= ts->order; ++k)
        sigma[k * n + f] = slope_of(c, PetscMax(0, traits->unknown_order[f]), k);
    }
    PetscCall(RungSystemJacobian(ts->sys, c->t + c->h, c->u, sigma, J));
  }
  PetscCall(ISGetSize(c->fixed, &fixed));
  if (!c->algebraic && fixed) PetscCall(MatZeroRowsColumnsIS(J, c->fixed, 1.0, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rounding --------------------------------------------------------------------------------------------------- */

/* c->u[k] is changed in its last places, with signs that depend on the entry's number and on `turn` only. */
PetscErrorCode RungConsistentDisturb(RungTransientSystem ts, RungConsistent c, PetscInt turn)
{
  PetscInt start;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(c->w, &start, NULL));
  for (PetscInt k = 0; k <= ts->order; ++k) {
    PetscScalar *u;

    PetscCall(VecGetArray(c->u[k], &u));
    for (PetscInt i = 0; i < ts->sys->local; ++i) {
      const PetscReal sign = ((start + i + 3 * turn) * 7 + k * 3) % 11 < 5 ? -1 : 1;

      u[i] *= 1 + 2 * sign * PETSC_MACHINE_EPSILON;
    }
    PetscCall(VecRestoreArray(c->u[k], &u));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define ROWS  64 /* looked at for rounding in all turns, */
#define TURNS 11 /* of which there are no more           */

/* Rounding errors of F: the change by relative perturbations of one unit in the last places.  A few rows may have none by chance, as where each
   unknown is a number of its own: they are looked at in several turns, and the largest change counts. */
PetscErrorCode RungConsistentNoise(RungTransientSystem ts, RungConsistent c)
{
  PetscReal norm;
  PetscInt  size;

  PetscFunctionBegin;
  PetscCall(VecGetSize(c->w, &size));
  PetscCall(RungConsistentResidual(ts, c, c->w, c->step, &norm));
  for (PetscInt turn = 0; turn < TURNS && (turn == 0 || turn * size < ROWS); ++turn) {
    if (turn) PetscCall(RungConsistentLines(ts, c, c->w));
    PetscCall(RungConsistentDisturb(ts, c, turn));
    PetscCall(RungSystemResidual(ts->sys, c->t + c->h, c->u, c->r));
    PetscCall(VecAXPY(c->r, -1, c->step));
    if (turn)
      PetscCall(VecPointwiseMaxAbs(c->rounding, c->rounding, c->r));
    else
      PetscCall(VecCopy(c->r, c->rounding));
  }
  if (!c->algebraic) PetscCall(VecISSet(c->rounding, c->fixed, 0.0));
  PetscCall(norm_of(c, c->rounding, &c->noise));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- solutions -------------------------------------------------------------------------------------------------- */

PetscErrorCode RungConsistentStays(RungConsistent c, PetscBool *stays)
{
  const RungTraits *traits = &c->ts->sys->traits;

  PetscFunctionBegin;
  *stays = traits->linear;
  if (*stays || c->h != 0 || c->mixed || !traits->constant_block[c->ts->order]) PetscFunctionReturn(PETSC_SUCCESS);
  *stays = PETSC_TRUE; /* w is the highest derivative alone, and the mass constant */
  for (PetscInt f = 0; f < traits->unknowns; ++f) {
    if (traits->unknown_order[f] != c->ts->order) *stays = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* M + h K is near to the matrix of another small h, and rows of values only (constraints: h B) have one direction: with
   rows scaled to be alike, factors of one h precondition the matrices of others. */
PetscErrorCode RungConsistentLag(RungConsistent c, PetscBool on)
{
  static const char *const option[] = {"-ksp_type", "-pc_type"};
  SNES                     snes     = c->solver->slot[0].snes;
  PetscBool                factors, rows, given;
  PetscReal                rtol;
  PC                       pc;

  PetscFunctionBegin;
  if (on) PetscCall(SNESGetTolerances(snes, NULL, &c->rtol, NULL, NULL, NULL));
  PetscCall(KSPGetPC(c->ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCLU, &factors));
  rtol = !on ? c->rtol : factors || !c->differentiated ? 0 : RUNG_ENOUGH;
  PetscCall(SNESSetTolerances(snes, PETSC_CURRENT, rtol, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(MatHasOperation(c->J, MATOP_GET_ROW_MAX_ABS, &rows));
  PetscCall(RungSolverIsGiven(c->ksp, PETSC_STATIC_ARRAY_LENGTH(option), option, &given));
  if (!factors || !rows || given) PetscFunctionReturn(PETSC_SUCCESS);
  if (on) PetscCall(PetscObjectTypeCompare((PetscObject)c->ksp, KSPPREONLY, &c->once));
  if (c->once) PetscCall(KSPSetType(c->ksp, on ? KSPFGMRES : KSPPREONLY));
  PetscCall(RungNewtonLimitSweeps(c->ksp, on ? RUNG_SWEEPS : RUNG_NEWTON_SWEEPS));
  c->scaled              = on && !c->differentiated ? PETSC_TRUE : PETSC_FALSE; /* constraints are as they are wanted */
  c->solver->slot[0].lag = on || !c->once ? PETSC_TRUE : PETSC_FALSE;
  c->solver->slot[0].factored = -1;
  c->solver->slot[0].asked    = PETSC_FALSE; /* whose factors: those of a singular matrix have said nothing */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* c->J's columns in units of their unknowns (on), or as they were: powers of 2 leave every bit. */
static PetscErrorCode scale_columns(RungConsistent c, PetscBool on)
{
  const PetscInt *range = c->ts->sys->range;
  PetscScalar    *x;

  PetscFunctionBegin;
  PetscCall(VecGetArrayWrite(c->step, &x));
  for (PetscInt f = 0; f < c->ts->sys->traits.unknowns; ++f)
    for (PetscInt i = range[f]; i < range[f + 1]; ++i) x[i] = on ? c->of[f] : 1 / c->of[f];
  PetscCall(VecRestoreArrayWrite(c->step, &x));
  PetscCall(MatDiagonalScale(c->J, NULL, c->step));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConsistentRows(RungConsistent c, Vec rows)
{
  PetscScalar *x;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(RungConsistentLines(c->ts, c, c->w));
  PetscCall(RungConsistentJacobian(c->ts, c, c->J));
  PetscCall(scale_columns(c, PETSC_TRUE));
  PetscCall(MatGetRowMaxAbs(c->J, rows, NULL));
  PetscCall(scale_columns(c, PETSC_FALSE));
  PetscCall(VecGetLocalSize(rows, &n));
  PetscCall(VecGetArray(rows, &x));
  for (PetscInt i = 0; i < n; ++i) x[i] = PetscAbsScalar(x[i]) > 0 ? 1 / PetscAbsScalar(x[i]) : 1;
  PetscCall(VecRestoreArray(rows, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What of F is rounding: noise, and for h > 0, where solutions are as exact as can be, the last digits of F at the guess. */
static PetscErrorCode measure(RungConsistent c)
{
  PetscReal *rounding = c->start.rounding, later;

  PetscFunctionBegin;
  PetscCall(VecCopy(c->rounding, c->r));
  if (c->scaled) PetscCall(VecPointwiseMult(c->r, c->r, c->rows));
  PetscCall(RungNewtonNorms(c->solver, c->r, rounding));
  if (c->h == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(c->start.residual(c, c->w, c->r));
  PetscCall(VecNorm(c->r, NORM_2, &later));
  for (PetscInt f = 0; f < c->ts->sys->traits.unknowns; ++f)
    rounding[f] = PetscMax(rounding[f], PETSC_MACHINE_EPSILON * later);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConsistentNewton(RungTransientSystem ts, RungConsistent c, PetscBool current, PetscBool *solved)
{
  RungVerdict verdict = {.error = -1};
  PetscReal   norm;

  PetscFunctionBegin;
  (void)ts;
  PetscCall(RungConsistentStays(c, &c->start.constant));
  if (c->scaled) {
    PetscCall(RungConsistentRows(c, c->rows));
    PetscCall(MatDiagonalScale(c->J, c->rows, NULL));
  }
  PetscCall(measure(c));
  PetscCall(RungLineSolveGiven(c->solver, &c->start, c->scaled || current ? PETSC_TRUE : PETSC_FALSE, c->w, &verdict));
  *solved = verdict.solved;
  if (verdict.solved && c->h == 0) { /* what F stands at */
    PetscCall(SNESGetFunctionNorm(c->solver->slot[0].snes, &norm));
    c->noise = PetscMax(c->noise, norm);
  }
  PetscCall(PetscStrncpy(c->why, verdict.solved ? "" : verdict.why, sizeof c->why));
  PetscFunctionReturn(PETSC_SUCCESS);
}
