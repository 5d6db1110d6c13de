/* consistent_shift.c - consistent rates where the mass block is singular: F a little later than asked for, and
   extrapolation back (consistent.c). */
#include "consistent_impl.h"

#define RUNG_MIDDLE     1e-2  /* the first step h that is tried, in times of the system            */
#define RUNG_DOWN       11    /* smaller ones, a factor of ten apart                               */
#define RUNG_UP         3     /* larger ones                                                       */
#define RUNG_ROUNDS     4     /* projections of position and velocity, then the rates              */
#define RUNG_ACCURATE   1e-9  /* relative error estimate of the extrapolation that ends the search */
#define RUNG_POOR       1e-6  /* one that is told                                                  */
#define RUNG_ACCEPTABLE 1e-4  /* the largest one that is accepted                                  */
#define RUNG_WORSE      10.0  /* growth of the error estimate behind which a run is told of it again  */
#define RUNG_NOISE      1e-12 /* relative change of u that is left alone                          */
#define RUNG_JUMP       1e-3  /* |lim h^p w| / |h^p w(h)| above which w grows like h^-p            */

/* Weights of polynomial extrapolation to 0 from the points h/j, j = first .. RUNG_NODES:
       weight_j = prod_(i != j) i^-1 / (i^-1 - j^-1) */
static void extrapolation_weights(PetscInt first, PetscReal weight[])
{
  for (PetscInt j = first; j <= RUNG_NODES; ++j) {
    weight[j - first] = 1;
    for (PetscInt i = first; i <= RUNG_NODES; ++i) {
      if (i != j) weight[j - first] *= (1.0 / i) / (1.0 / i - 1.0 / j);
    }
  }
}

static PetscErrorCode solve_nodes(RungTransientSystem ts, RungConsistent c, PetscReal h, PetscBool *solved)
{
  PetscFunctionBegin;
  *solved = PETSC_TRUE;
  for (PetscInt j = 1; j <= RUNG_NODES && *solved; ++j) {
    c->h = h / j;
    PetscCall(RungConsistentGuess(ts, c)); /* another w(h) is so near that F there would be no measure */
    PetscCall(RungConsistentNewton(ts, c, PETSC_FALSE, solved));
    PetscCall(VecCopy(c->w, c->node[j - 1]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *still: the guess, no rates and the algebraic values that were given, satisfies F up to rounding at all nodes of h.
   What Newton's method would find then is nothing but rounding, which no step h extrapolates. */
static PetscErrorCode stands_still(RungTransientSystem ts, RungConsistent c, PetscReal h, PetscBool *still)
{
  PetscFunctionBegin;
  *still = PETSC_TRUE;
  PetscCall(RungConsistentGuess(ts, c));
  for (PetscInt j = 1; j <= RUNG_NODES && *still; ++j) {
    PetscReal norm;

    c->h = h / (PetscReal)j;
    PetscCall(RungConsistentResidual(ts, c, c->w, c->r, &norm));
    c->later = PetscMax(c->later, norm);
    *still   = norm <= 100 * c->noise ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* c->w = w(0) from w(h), w(h/2), ..; *error its estimate: the difference to one node less, relative to |w(0)|, or to the
   largest |w(h)| so far: a start from rest has w(0) = 0. */
static PetscErrorCode extrapolate(RungConsistent c, PetscReal *largest, PetscReal *error)
{
  PetscReal weight[RUNG_NODES], norm, later;

  PetscFunctionBegin;
  extrapolation_weights(1, weight);
  PetscCall(VecZeroEntries(c->w));
  PetscCall(VecMAXPY(c->w, RUNG_NODES, weight, c->node));
  extrapolation_weights(2, weight);
  PetscCall(VecZeroEntries(c->other));
  PetscCall(VecMAXPY(c->other, RUNG_NODES - 1, weight, c->node + 1));
  PetscCall(VecAXPY(c->other, -1, c->w));
  PetscCall(RungConsistentSize(c, c->other, error));
  PetscCall(RungConsistentSize(c, c->w, &norm));
  PetscCall(RungConsistentSize(c, c->node[0], &later));
  *largest = PetscMax(*largest, PetscMax(norm, later));
  *error   = *largest > 0 ? *error / *largest : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What can grow like h^-p: entries of `order`, whose u^(derivative) then is off by lim h^p w / p!. */
typedef struct {
  PetscInt order, p, derivative;
} Growth;
static const Growth growths[] = {{2, 2, 0}, {1, 1, 0}, {2, 1, 1}}; /* positions first, then velocities */
#define RUNG_GROWTHS ((PetscInt)(sizeof growths / sizeof growths[0]))

/* v = 0 on entries of another order */
static PetscErrorCode keep_order(RungTransientSystem ts, RungConsistent c, PetscInt order, Vec v)
{
  PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(VecGetArray(v, &x));
  for (PetscInt i = 0; i < ts->sys->local; ++i) {
    if (c->order[i] != order) x[i] = 0;
  }
  PetscCall(VecRestoreArray(v, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* c->jump[0] = lim h^p/p! w(h); *grows: it is neither noise nor small against h^p/p! w(h) itself.  Rates that are nothing but
   rounding have limits like that, too, where a pressure balances all loads: their share of J w is as small against F. */
static PetscErrorCode find_jump(RungTransientSystem ts, RungConsistent c, PetscReal h, const Growth *growth,
                                PetscBool *grows)
{
  PetscReal weight[RUNG_NODES], limit, size, given, share;

  PetscFunctionBegin;
  extrapolation_weights(1, weight);
  for (PetscInt j = 1; j <= RUNG_NODES; ++j) {
    weight[j - 1] *= PetscPowRealInt(h / (PetscReal)j, (int)growth->p) / (PetscReal)growth->p;
  }
  PetscCall(VecZeroEntries(c->jump[0]));
  PetscCall(VecMAXPY(c->jump[0], RUNG_NODES, weight, c->node));
  PetscCall(VecCopy(c->node[0], c->other));
  PetscCall(keep_order(ts, c, growth->order, c->jump[0]));
  PetscCall(keep_order(ts, c, growth->order, c->other));
  PetscCall(RungConsistentSize(c, c->jump[0], &limit));
  PetscCall(RungConsistentSize(c, c->other, &size));
  PetscCall(RungConsistentSize(c, c->u0[growth->derivative], &given));
  PetscCall(MatMult(c->J, c->other, c->step));
  if (c->scaled) PetscCall(VecPointwiseDivide(c->step, c->step, c->rows));
  PetscCall(VecPointwiseMult(c->step, c->step, c->unit));
  PetscCall(VecNorm(c->step, NORM_2, &share));
  size *= PetscPowRealInt(h, (int)growth->p) / (PetscReal)growth->p;
  *grows = limit > RUNG_JUMP * size && limit > RUNG_NOISE * given && share > RUNG_NOISE * c->later ? PETSC_TRUE
                                                                                                   : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two steps h must agree on a jump before it is believed: what is fast and not infinitely fast shows otherwise. */
static PetscErrorCode jumps_agree(RungConsistent c, PetscBool *agree)
{
  PetscReal size, difference;

  PetscFunctionBegin;
  PetscCall(RungConsistentSize(c, c->jump[0], &size));
  PetscCall(VecWAXPY(c->other, -1, c->jump[1], c->jump[0]));
  PetscCall(RungConsistentSize(c, c->other, &difference));
  *agree = difference <= 1e-2 * size ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Looks for jumps in the nodes of step h.  *last: the growth seen at the last h, -1 none.  A jump that two steps agree
   on is added to the given state. */
static PetscErrorCode project(RungTransientSystem ts, RungConsistent c, PetscReal h, PetscInt *last,
                              PetscBool *projected)
{
  PetscInt  i;
  PetscBool grows = PETSC_FALSE;

  PetscFunctionBegin;
  *projected = PETSC_FALSE;
  for (i = 0; i < RUNG_GROWTHS && !grows; ++i) {
    if (growths[i].order <= ts->order) PetscCall(find_jump(ts, c, h, &growths[i], &grows));
  }
  if (grows && *last == i - 1) PetscCall(jumps_agree(c, projected));
  if (*projected) PetscCall(VecAXPY(c->u0[growths[i - 1].derivative], 1, c->jump[0]));
  *last = grows ? i - 1 : -1;
  PetscCall(VecSwap(c->jump[0], c->jump[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt  last;      /* the growth seen at the last h, -1 none                  */
  PetscReal best;      /* smallest error estimate so far; c->best is its solution */
  PetscReal largest;   /* |w(h)| or |w(0)| so far                                 */
  PetscBool projected; /* the given state was changed: all begins anew            */
} Sweep;

/* *off: the best w so far does not satisfy F at the time itself.  What was given then misses a constraint by so little that w does not grow
   at these h, as levels of a method that satisfies constraints to its tolerance; at smaller ones it will. */
static PetscErrorCode is_off(RungTransientSystem ts, RungConsistent c, PetscBool *off)
{
  PetscReal left;
  PetscBool holds;

  PetscFunctionBegin;
  PetscCall(RungConsistentHolds(ts, c, &left, &holds));
  *off = holds ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One step h.  *on: a smaller or larger one may do better. */
static PetscErrorCode try_step(RungTransientSystem ts, RungConsistent c, PetscReal h, Sweep *sweep, PetscBool *on)
{
  PetscReal error;
  PetscBool solved;

  PetscFunctionBegin;
  *on = PETSC_TRUE;
  PetscCall(solve_nodes(ts, c, h, &solved));
  if (!solved) *on = sweep->best > RUNG_ACCEPTABLE ? PETSC_TRUE : PETSC_FALSE; /* rounding has taken over */
  if (!solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(project(ts, c, h, &sweep->last, &sweep->projected));
  if (sweep->projected) *on = PETSC_FALSE;
  if (sweep->projected || sweep->last >= 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(extrapolate(c, &sweep->largest, &error));
  if (error < sweep->best) {
    PetscCall(VecCopy(c->w, c->best));
    sweep->best = error;
  }
  if (sweep->best <= RUNG_ACCURATE || (sweep->best <= RUNG_POOR && error > 100 * sweep->best))
    PetscCall(is_off(ts, c, on));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps h from RUNG_MIDDLE scale downwards, where rounding takes over in the end; if none of them will do, upwards: the
   time of a system is a guess.  Large steps are the harder problems where F is nonlinear, hence their turn is last. */
static PetscErrorCode sweep(RungTransientSystem ts, RungConsistent c, PetscReal scale, PetscReal *best,
                            PetscBool *projected)
{
  Sweep     sweep = {-1, PETSC_INFINITY, 0, PETSC_FALSE};
  PetscReal h     = RUNG_MIDDLE * scale;
  PetscBool on    = PETSC_TRUE, still;

  PetscFunctionBegin;
  PetscCall(stands_still(ts, c, h, &still));
  if (still) {
    PetscCall(VecCopy(c->w, c->best));
    *best      = 0;
    *projected = PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = 0; i < RUNG_DOWN && on; ++i, h /= 10) PetscCall(try_step(ts, c, h, &sweep, &on));
  if (!sweep.projected && sweep.best > RUNG_POOR) {
    sweep.last = -1;
    on         = PETSC_TRUE;
    h          = RUNG_MIDDLE * scale * 10;
    for (PetscInt i = 0; i < RUNG_UP && on; ++i, h *= 10) PetscCall(try_step(ts, c, h, &sweep, &on));
  }
  *best      = sweep.best;
  *projected = sweep.projected;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows have their units by what F is at the first h. */
static PetscErrorCode weigh(RungTransientSystem ts, RungConsistent c, PetscReal *scale)
{
  PetscBool rows;

  PetscFunctionBegin;
  PetscCall(RungConsistentFindTime(ts, c, scale));
  PetscCall(MatHasOperation(c->J, MATOP_GET_ROW_MAX_ABS, &rows));
  if (!c->unit) PetscCall(VecDuplicate(c->w, &c->unit));
  PetscCall(VecSet(c->unit, 1));
  c->h = RUNG_MIDDLE * *scale;
  PetscCall(RungConsistentGuess(ts, c));
  if (rows) PetscCall(RungConsistentRows(c, c->unit));
  c->weighed = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A state that was projected has other rounding errors than the one that was given, which may be zero. */
static PetscErrorCode measure_noise(RungTransientSystem ts, RungConsistent c)
{
  PetscFunctionBegin;
  c->h = 0;
  PetscCall(RungConsistentGuess(ts, c));
  PetscCall(RungConsistentNoise(ts, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode extrapolate_start(RungTransientSystem ts, RungConsistent c, PetscBool *solved)
{
  PetscReal scale, error = PETSC_INFINITY;
  PetscBool projected = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(weigh(ts, c, &scale));
  PetscCall(measure_noise(ts, c));
  for (PetscInt round = 0; round < RUNG_ROUNDS && projected; ++round) {
    PetscCall(sweep(ts, c, scale, &error, &projected));
    if (projected) PetscCall(measure_noise(ts, c));
  }
  *solved = !projected && error <= RUNG_ACCEPTABLE ? PETSC_TRUE : PETSC_FALSE;
  if (*solved) PetscCall(VecCopy(c->best, c->w));
  if (*solved && error > RUNG_POOR && error > RUNG_WORSE * c->told) {
    PetscCall(RungSystemWarn(ts->sys,
                             "rates at t = %g are known to %.1g only: the mass is singular there; later ones are told "
                             "of where they are ten times as far off",
                             (double)c->t, (double)error));
    c->told = error;
  }
  c->h = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConsistentShifted(RungTransientSystem ts, RungConsistent c, PetscBool *solved)
{
  PetscFunctionBegin;
  PetscCall(RungConsistentLag(c, PETSC_TRUE));
  RungCallFinally(extrapolate_start(ts, c, solved), PetscCall(RungConsistentLag(c, PETSC_FALSE)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
