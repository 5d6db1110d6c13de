/* consistent_units.c - units in which a system looks alike, and a time of it, where a start looks at F a little later.

   With m_fg and k_fg the sizes of the blocks of dF/du^(p) and dF/du, equation f by unknown g, p the highest order,

       r_f m_fg c_g    and    time^p r_f k_fg c_g      are near to 1:  least squares of their logarithms.

   Then |w| is that of w_i/c_g, with c_g rounded to a power of 2, and another unit of an unknown or of an equation changes no
   decision.  Sizes of blocks are those of what a vector of signs becomes; of one unknown alone they are the Frobenius norms.  Rows and columns of
   given entries and slaves are left out: the identity there has no units. */
#include "consistent_impl.h"

#define SWEEPS 200
#define CLOCK  2e-6 /* of |t|, at least: t + h has eight digits of the first h */

typedef struct {
  PetscInt  n;
  PetscReal block[2][RUNG_MAX_UNKNOWNS][RUNG_MAX_UNKNOWNS]; /* logarithms of m, k; -Inf: it is zero */
  PetscReal row[RUNG_MAX_UNKNOWNS], column[RUNG_MAX_UNKNOWNS], time;
} Balance;

/* signs of unknown g, by the number of the entry; 0 elsewhere */
static PetscErrorCode set_signs(RungSystem sys, PetscInt g, Vec v)
{
  PetscInt     start;
  PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(v));
  PetscCall(VecGetOwnershipRange(v, &start, NULL));
  PetscCall(VecGetArray(v, &x));
  for (PetscInt i = sys->range[g]; i < sys->range[g + 1]; ++i)
    x[i] = ((uint64_t)(start + i + 1) * 2654435761U >> 16) % 2 ? 1 : -1;
  PetscCall(VecRestoreArray(v, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of c->J; rows with data tell nothing. */
static PetscErrorCode measure_blocks(RungTransientSystem ts, RungConsistent c, Balance *it, PetscInt which)
{
  PetscReal norm[RUNG_MAX_UNKNOWNS];

  PetscFunctionBegin;
  for (PetscInt g = 0; g < it->n; ++g) {
    PetscCall(set_signs(ts->sys, g, c->other));
    PetscCall(RungSystemZeroDirichlet(ts->sys, c->other));
    PetscCall(MatMult(c->J, c->other, c->step));
    PetscCall(RungSystemZeroDirichlet(ts->sys, c->step));
    PetscCall(RungNewtonNorms(c->solver, c->step, norm));
    for (PetscInt f = 0; f < it->n; ++f) it->block[which][f][g] = PetscLogReal(norm[f]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of dF/du^(k) at c->u. */
static PetscErrorCode measure(RungTransientSystem ts, RungConsistent c, PetscInt k, Balance *it, PetscInt which)
{
  PetscReal sigma[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0}, norm;
  PetscBool shell;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < it->n; ++f) sigma[k * it->n + f] = 1;
  PetscCall(RungSystemJacobian(ts->sys, c->t, c->u, sigma, c->J));
  PetscCall(RungIsShell(c->J, &shell));
  if (it->n > 1 || shell) {
    PetscCall(measure_blocks(ts, c, it, which));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecSet(c->step, 1));
  PetscCall(RungSystemZeroDirichlet(ts->sys, c->step));
  PetscCall(MatDiagonalScale(c->J, c->step, c->step));
  PetscCall(MatNorm(c->J, NORM_FROBENIUS, &norm));
  it->block[which][0][0] = PetscLogReal(norm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What row f (side 0), column f (1) or time (2) is best with all others as they are. */
static PetscReal best_of(const Balance *it, int side, PetscInt of, PetscReal old)
{
  PetscReal sum   = 0;
  PetscInt  count = 0;

  for (int which = side == 2 ? 1 : 0; which < 2; ++which) {
    for (PetscInt f = 0; f < it->n; ++f) {
      for (PetscInt g = 0; g < it->n; ++g) {
        const PetscReal value = it->block[which][f][g];

        if (PetscIsInfOrNanReal(value) || (side == 0 && f != of) || (side == 1 && g != of)) continue;
        sum += value + (side == 0 ? 0 : it->row[f]) + (side == 1 ? 0 : it->column[g]) +
               (which == 1 && side != 2 ? it->time : 0);
        ++count;
      }
    }
  }
  return count ? -sum / (PetscReal)count : old;
}

static PetscBool has(const Balance *it, int which)
{
  for (PetscInt f = 0; f < it->n; ++f)
    for (PetscInt g = 0; g < it->n; ++g)
      if (!PetscIsInfOrNanReal(it->block[which][f][g])) return PETSC_TRUE;
  return PETSC_FALSE;
}

static void balance(Balance *it)
{
  const PetscBool times = has(it, 0) && has(it, 1) ? PETSC_TRUE : PETSC_FALSE;

  for (int sweep = 0; sweep < SWEEPS; ++sweep) {
    for (PetscInt f = 0; f < it->n; ++f) it->row[f] = best_of(it, 0, f, it->row[f]);
    for (PetscInt f = 0; f < it->n; ++f) it->column[f] = best_of(it, 1, f, it->column[f]);
    if (times) it->time = best_of(it, 2, 0, it->time);
  }
}

PetscErrorCode RungConsistentFindUnits(RungTransientSystem ts, RungConsistent c, PetscReal *time)
{
  Balance it = {.n = ts->sys->traits.unknowns};

  PetscFunctionBegin;
  c->h = 0;
  PetscCall(RungConsistentGuess(ts, c));
  PetscCall(RungConsistentLines(ts, c, c->w));
  PetscCall(measure(ts, c, ts->order, &it, 0));
  PetscCall(measure(ts, c, 0, &it, 1));
  balance(&it);
  for (PetscInt f = 0; f < it.n; ++f)
    c->of[f] = PetscPowReal(2, round((it.column[f] - it.column[0]) / PetscLogReal(2)));
  *time = PetscExpReal(it.time / (PetscReal)PetscMax(1, ts->order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConsistentFindTime(RungTransientSystem ts, RungConsistent c, PetscReal *time)
{
  PetscFunctionBegin;
  PetscCall(RungConsistentFindUnits(ts, c, time));
  *time = PetscMax(*time, CLOCK * PetscAbsReal(c->t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConsistentSize(RungConsistent c, Vec v, PetscReal *size)
{
  PetscReal norm[RUNG_MAX_UNKNOWNS];

  PetscFunctionBegin;
  PetscCall(RungNewtonNorms(c->solver, v, norm));
  *size = 0;
  for (PetscInt f = 0; f < c->ts->sys->traits.unknowns; ++f) *size = hypot(*size, norm[f] / c->of[f]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
