/* impulse.c - level 0 where data have jumped: its right limit.

   Where boundary values jump by [g], and the rates of unknowns of order 2 by [g'], free entries change by what the moving data
   give them through the mass M = dF/du^(order) alone, with C = dF/du':

       order 2    M_ff [u_f] = - M_fb [g],    M_ff [v_f] = - M_fb [g'] - C_ff [u_f] - C_fb [g]
       order 1    M_ff [u_f] = - M_fb [g],    conserved terms: m_f(u + [u]) = m_f(u),

   the limit of data that move fast and smoothly.  Unknowns of order 1 beside such of order 2 jump in the second step, where
   C [u] pushes them, too.  Algebraic entries and all rates are then made consistent.  Masses other than conserved ones are those of the
   left limit.  Entries that bounds have jumped past take their bounds, and give nothing to others.  Nothing else moves where no boundary value does, or where the mass does not couple it to free entries (quasi-static
   bodies, lumped masses). */
#include "consistent_impl.h"

#define ROUNDING 1e-12 /* of the largest value: jumps below are none */

typedef struct {
  RungTransientSystem ts;
  RungState          *state;  /* the left limit, becomes the right one                                    */
  Vec                 d[2];   /* owned: what u and u' change by                                           */
  Vec                 f0;     /* owned: F of the left limit with no highest derivative                    */
  Vec                 m0, m;  /* owned: conserved vectors; NULL without                                   */
  PetscBool           values; /* what is solved for is [u] of order 2; else its rate, and [u] of order 1 */
} Impulse;

/* d[k] on Dirichlet entries and slaves: what the data at state->t add to u^(k) + d[k]. */
static PetscErrorCode impose(Impulse *it, PetscInt k)
{
  PetscFunctionBegin;
  PetscCall(VecAXPY(it->d[k], 1, it->state->u[k]));
  PetscCall(RungSystemImposeDirichlet(it->ts->sys, it->state->t, k, it->d[k]));
  PetscCall(VecAXPY(it->d[k], -1, it->state->u[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode jumps(Impulse *it, PetscInt k, PetscBool *yes)
{
  PetscReal change, size;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(it->d[k]));
  PetscCall(impose(it, k));
  PetscCall(VecNorm(it->d[k], NORM_INFINITY, &change));
  PetscCall(VecNorm(it->state->u[k], NORM_INFINITY, &size));
  *yes = change > ROUNDING * size ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(Impulse *it, Vec r)
{
  const PetscReal none[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};
  RungSystem      sys                                            = it->ts->sys;

  PetscFunctionBegin;
  if (it->m)
    PetscCall(RungSystemStageResidual(sys, it->state->t, it->ts->consistent->u, none, r));
  else
    PetscCall(RungSystemResidual(sys, it->state->t, it->ts->consistent->u, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Takes d[0] and d[1] to the derivatives that they are integrals of.  values: the step for u of order 2 alone; else its
   rate jumps, and values of order 1. */
static PetscErrorCode put_increments(Impulse *it, PetscBool values)
{
  RungConsistent     c                     = it->ts->consistent;
  const PetscScalar *d[2]                  = {NULL, NULL};
  PetscScalar       *u[RUNG_MAX_ORDER + 1] = {NULL};

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= it->ts->order; ++k) {
    if (k == it->ts->order)
      PetscCall(VecZeroEntries(c->u[k]));
    else
      PetscCall(VecCopy(it->state->u[k], c->u[k]));
  }
  for (PetscInt k = 0; k < it->ts->order; ++k) PetscCall(VecGetArrayRead(it->d[k], &d[k]));
  for (PetscInt k = 1; k <= it->ts->order; ++k) PetscCall(VecGetArray(c->u[k], &u[k]));
  for (PetscInt i = 0; i < it->ts->sys->local; ++i) {
    const PetscInt order = c->order[i];

    if (order == 2 && values) u[2][i] = d[0][i];
    if (order == 2 && !values) u[2][i] = d[1][i], u[1][i] += d[0][i];
    if (order == 1 && !values) u[1][i] = it->ts->order == 2 ? u[1][i] + d[0][i] : d[0][i];
  }
  for (PetscInt k = 1; k <= it->ts->order; ++k) PetscCall(VecRestoreArray(c->u[k], &u[k]));
  for (PetscInt k = 0; k < it->ts->order; ++k) PetscCall(VecRestoreArrayRead(it->d[k], &d[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r = the sums above that are to vanish; rows of other entries 0. */
static PetscErrorCode sums(Impulse *it, Vec r)
{
  RungConsistent c = it->ts->consistent;
  PetscScalar   *x;

  PetscFunctionBegin;
  PetscCall(put_increments(it, it->values));
  PetscCall(evaluate(it, r));
  PetscCall(VecAXPY(r, -1, it->f0));
  if (it->m) {
    PetscCall(VecWAXPY(c->other, 1, it->d[0], it->state->u[0]));
    PetscCall(RungSystemConserved(it->ts->sys, it->state->t, c->other, it->m));
    PetscCall(VecAXPY(r, 1, it->m));
    PetscCall(VecAXPY(r, -1, it->m0));
  }
  PetscCall(VecGetArray(r, &x));
  for (PetscInt i = 0; i < it->ts->sys->local; ++i) {
    if (c->order[i] == 0 || (it->values && c->order[i] < 2)) x[i] = 0;
  }
  PetscCall(VecRestoreArray(r, &x));
  PetscCall(RungSystemZeroDirichlet(it->ts->sys, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d = w: of u of order 2, else of its rate and of u of order 1; data where there are some */
static PetscErrorCode put(Impulse *it, Vec w)
{
  RungConsistent     c = it->ts->consistent;
  const PetscScalar *x;
  PetscScalar       *d[2] = {NULL, NULL};

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(w, &x));
  for (PetscInt k = 0; k < it->ts->order; ++k) PetscCall(VecGetArray(it->d[k], &d[k]));
  for (PetscInt i = 0; i < it->ts->sys->local; ++i) {
    if (c->order[i] == 2) d[it->values ? 0 : 1][i] = x[i];
    if (c->order[i] == 1 && !it->values) d[0][i] = x[i];
  }
  for (PetscInt k = 0; k < it->ts->order; ++k) PetscCall(VecRestoreArray(it->d[k], &d[k]));
  PetscCall(VecRestoreArrayRead(w, &x));
  for (PetscInt k = 0; k < it->ts->order; ++k) PetscCall(impose(it, k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode residual(void *ctx, Vec w, Vec r)
{
  PetscFunctionBegin;
  PetscCall(put(ctx, w));
  PetscCall(sums(ctx, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix of the mass at the left limit, with conserved terms at u + d. */
static PetscErrorCode jacobian(void *ctx, Vec w, Mat J)
{
  Impulse       *it = ctx;
  RungConsistent c  = it->ts->consistent;

  PetscFunctionBegin;
  PetscCall(put(it, w));
  if (it->m) PetscCall(VecWAXPY(c->u[0], 1, it->d[0], it->state->u[0]));
  PetscCall(RungConsistentJacobian(it->ts, c, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sizes of the rounding errors of the sums. */
static PetscErrorCode measure(Impulse *it, RungLineGiven *given)
{
  RungConsistent c                       = it->ts->consistent;
  PetscReal      part[RUNG_MAX_UNKNOWNS] = {0};

  PetscFunctionBegin;
  PetscCall(put_increments(it, it->values));
  PetscCall(evaluate(it, c->r));
  PetscCall(RungConsistentDisturb(it->ts, c, 0));
  PetscCall(evaluate(it, c->other));
  PetscCall(VecAXPY(c->r, -1, c->other));
  PetscCall(RungNewtonNorms(c->solver, c->r, given->rounding));
  if (it->m) PetscCall(RungNewtonNorms(c->solver, it->m0, part));
  for (PetscInt f = 0; f < it->ts->sys->traits.unknowns; ++f) given->rounding[f] += 2 * PETSC_MACHINE_EPSILON * part[f];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(Impulse *it, PetscBool values)
{
  RungConsistent c       = it->ts->consistent;
  RungLineGiven  given   = {.residual = residual, .jacobian = jacobian, .ctx = it, .constant = !it->m};
  RungVerdict    verdict = {.error = -1};

  PetscFunctionBegin;
  it->values = values;
  PetscCall(measure(it, &given));
  PetscCall(VecZeroEntries(c->w));
  PetscCall(RungLineSolveGiven(c->solver, &given, PETSC_FALSE, c->w, &verdict));
  PetscCheck(
    verdict.solved, it->ts->sys->comm, PETSC_ERR_NOT_CONVERGED,
    "boundary data jump at t = %g, and the impulse that they give cannot be found: %s; the mass of the free entries is "
    "singular, or changes too much: let the data rise within a short time instead",
    (double)it->state->t, verdict.why);
  PetscCall(put(it, c->w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d of the free entries, from d of the others */
static PetscErrorCode find(Impulse *it)
{
  RungConsistent c = it->ts->consistent;

  PetscFunctionBegin;
  c->algebraic = PETSC_FALSE;
  c->t         = it->state->t;
  c->h         = 0;
  for (PetscInt k = 0; k <= it->ts->order; ++k) {
    PetscCall(VecCopy(it->state->u[k], c->u[k]));
    if (k == it->ts->order) PetscCall(VecZeroEntries(c->u[k]));
  }
  PetscCall(evaluate(it, it->f0));
  if (it->m) PetscCall(RungSystemConserved(it->ts->sys, it->state->t, it->state->u[0], it->m0));
  if (it->ts->order == 2) PetscCall(solve(it, PETSC_TRUE));
  PetscCall(solve(it, PETSC_FALSE));
  for (PetscInt k = 0; k < it->ts->order; ++k) PetscCall(VecAXPY(it->state->u[k], 1, it->d[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(Impulse *it)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&it->d[k]));
  PetscCall(VecDestroy(&it->f0));
  PetscCall(VecDestroy(&it->m0));
  PetscCall(VecDestroy(&it->m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode give(Impulse *it)
{
  PetscBool some = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < it->ts->order; ++k) PetscCall(VecDuplicate(it->state->u[0], &it->d[k]));
  PetscCall(VecDuplicate(it->state->u[0], &it->f0));
  if (it->state->m[0]) {
    PetscCall(VecDuplicate(it->state->u[0], &it->m0));
    PetscCall(VecDuplicate(it->state->u[0], &it->m));
  }
  for (PetscInt k = 0; k < it->ts->order; ++k) {
    PetscBool yes;

    PetscCall(jumps(it, k, &yes));
    some = some || yes ? PETSC_TRUE : PETSC_FALSE;
  }
  if (some) PetscCall(find(it));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode to_right_limit(RungState *state, void *ctx)
{
  Impulse it = {.ts = ctx, .state = state};

  PetscFunctionBegin;
  if (it.ts->order < 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungConsistentNeed(it.ts));
  RungCallFinally(give(&it), PetscCall(destroy(&it)));
  PetscCall(RungSystemJumpBounds(it.ts->sys, state->t, state->u[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTransientSystemRenew(RungTransientSystem ts)
{
  PetscFunctionBegin;
  RungNeed(ts);
  PetscCall(RungTransientSystemJump(ts, to_right_limit, ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}
