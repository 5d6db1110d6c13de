/* stable.c - the longest stable step: the fastest part of a system, by Lanczos' process or power iteration, and what a run does about it.

   With M = dF/du^(n) and K = dF/du^(k) at a level, of unknowns of order n alone, the iteration  z = -M^-1 K x,  x <- z/|z|  turns x into
   the direction of the largest eigenvalue of  u^(n) = -M^-1 K u^(k).  Where that is real its size is the quotient (x, K x)/(x, M x), which
   for symmetric K and M is never too large; a pair of complex ones turns x for ever, and has the growth over two iterations.
   Stiffness (k = 0), damping (n = 2, k = 1) and unknowns of a lower order are looked at one by one: a method puts them together.
   Of terms inside of explicit(..) K x is a difference of their residual E.

   Where K and M are symmetric and M is definite, Lanczos' process in the product (x, M y) makes a tridiagonal matrix T of the same
   actions, whose largest eigenvalue is never too large either, and the best that polynomials of M^-1 K make of the first vector: on meshes
   its error falls as 1/k^2 or faster with the number k of vectors, where powers gain 1e-4 an iteration for hundreds of them.  It ends where
   that leaves LEFT of the size: steps are known to half of that at order 2.  A start by chance leaves more than
   (log(1.65 sqrt(n) / p) / (2 k - 1))^2 of n values with a probability of at most p (Kuczynski, Wozniakowski, SIAM J. Matrix Anal. Appl. 13,
   1992): after MOST_LANCZOS, and with 10^6 values, more than 0.07 with one of 1e-6.

   Fixed steps of explicit methods that are too long do not fail, they grow.  Of linear systems and long runs that is looked at before, of
   others behind a run whose solution has grown a thousandfold.  Slow oscillations beside a fastest part that decays bound steps of methods
   that have none of the imaginary axis, as forward Euler: they are not found before, but told behind such a run. */
#include "step_impl.h"
#include <stdint.h>

#define MOST_LANCZOS  40
#define LEAST_LANCZOS 8
#define LEFT          0.005 /* of the size: what may be missing */

#define MOST  100
#define CLOSE 1e-4 /* relative change of the size in an iteration */
#define REAL  0.9  /* cosine between x and z of real eigenvalues    */
#define SLOW  1e-4 /* eigenvalue times length of the run: less, as rounding of 0, bounds no step */

/* The entries of unknowns of one order alone. */
static PetscErrorCode keep_order(RungStepper stepper, PetscInt order, Vec x)
{
  PetscFunctionBegin;
  for (PetscInt f = 0; f < stepper->traits.unknowns; ++f) {
    if (stepper->traits.unknown_order[f] != order) PetscCall(RungCombineUnknown(stepper, f, x, 0, NULL, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A number in [-1, 1) for each i: the bits of a product, mixed. */
static PetscReal scattered(PetscInt i)
{
  uint64_t bits = ((uint64_t)i + 1) * UINT64_C(0x9E3779B97F4A7C15);

  bits ^= bits >> 32;
  bits *= UINT64_C(0xD6E8FEB86659FD93);
  bits ^= bits >> 32;
  return (PetscReal)(bits >> 11) / (PetscReal)(UINT64_C(1) << 52) - 1;
}

/* Numbers without a pattern in the entries of unknowns of an order, 0 in the others; zero at boundary data. */
static PetscErrorCode start(RungStepper stepper, PetscReal t, PetscInt order, Vec x)
{
  PetscScalar *value;
  PetscInt     first, size;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(x, &first, NULL));
  PetscCall(VecGetLocalSize(x, &size));
  PetscCall(VecGetArray(x, &value));
  for (PetscInt i = 0; i < size; ++i) value[i] = scattered(first + i);
  PetscCall(VecRestoreArray(x, &value));
  PetscCall(keep_order(stepper, order, x));
  if (stepper->dirichlet) {
    IS  rows;
    Vec values;

    PetscCall(RungSystemGetDirichlet(stepper->sys, t, 0, &rows, &values));
    RungCallFinally(VecISSet(x, rows, 0), PetscCall(ISDestroy(&rows)); PetscCall(VecDestroy(&values)));
    PetscCall(RungSystemExtend(stepper->sys, x));
  }
  PetscCall(VecNormalize(x, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What an iteration knows of those before. */
typedef struct {
  Vec      right;             /* lent work: what a solve overwrites                    */
  Vec      moved, moved_E, E; /* lent work: a state beside the level, E there and at the level; NULL: all of F */
  PetscInt order, k;          /* n and k above: M u^(n) + K u^(k) = 0                  */
  const PetscReal *slope;     /* of the matrix that is solved with for M; NULL: 1 on the highest rates */
  PetscReal        growth, mass, size, cosine; /* the last |z|; (x, M x) of the next x; what is wanted */
} Power;

/* y = K x */
static PetscErrorCode act(RungStepper stepper, const RungState *level, const PetscReal stiffness[], const Power *power,
                          Vec x, Vec y)
{
  PetscReal size, far;

  PetscFunctionBegin;
  if (!power->E) {
    PetscCall(RungSystemAction(stepper->sys, level->t, level->u, stiffness, x, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecNorm(level->u[0], NORM_2, &size));
  far = PetscSqrtReal(PETSC_MACHINE_EPSILON) * (size > 0 ? size : 1);
  PetscCall(VecWAXPY(power->moved, far, x, level->u[0]));
  PetscCall(RungSystemExplicit(stepper->sys, level->t, (Vec[]){power->moved, level->u[1]}, power->moved_E));
  PetscCall(VecWAXPY(y, -1, power->E, power->moved_E));
  PetscCall(VecScale(y, 1 / far));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x <- z/|z|; done: the size stands still, or nothing moves */
static PetscErrorCode iterate(RungStepper stepper, const RungState *level, const PetscReal stiffness[],
                              const Vec work[3], Power *power, PetscBool *done, RungVerdict *verdict)
{
  const Vec       x = work[0], y = work[1], z = work[2];
  const PetscReal before = power->size;
  PetscScalar     xz, xy, zy;
  PetscReal       norm;

  PetscFunctionBegin;
  PetscCall(act(stepper, level, stiffness, power, x, y));
  PetscCall(VecScale(y, -1));
  PetscCall(VecDot(x, y, &xy));
  PetscCall(VecCopy(y, power->right));
  PetscCall(RungStageApply(stepper, power->right, z, verdict));
  *done = PETSC_TRUE;
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(keep_order(stepper, power->order, z));
  PetscCall(VecDot(x, z, &xz));
  PetscCall(VecDot(z, y, &zy));
  PetscCall(VecNorm(z, NORM_2, &norm));
  if (!(norm > 0) || PetscIsInfOrNanReal(norm)) {
    power->size = 0;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  power->cosine = PetscRealPart(xz) / norm;
  if (PetscAbsReal(power->cosine) > REAL && power->mass > 0)
    power->size = PetscAbsScalar(xy) / power->mass;
  else
    power->size = power->growth > 0 ? PetscSqrtReal(norm * power->growth) : norm;
  power->growth = norm;
  power->mass   = PetscRealPart(zy) / (norm * norm);
  PetscCall(VecAXPBY(x, 1 / norm, 0, z));
  *done = PetscAbsReal(power->size - before) < CLOSE * power->size ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Eigenvalues below x of a symmetric tridiagonal matrix of n rows: the negative pivots of T - x. */
static PetscInt count_below(PetscInt n, const PetscReal diagonal[], const PetscReal beside[], PetscReal x)
{
  PetscReal pivot = 1;
  PetscInt  below = 0;

  for (PetscInt i = 0; i < n; ++i) {
    pivot = diagonal[i] - x - (i ? beside[i - 1] * beside[i - 1] / pivot : 0);
    if (pivot == 0) pivot = PETSC_MACHINE_EPSILON * (PetscAbsReal(x) + PETSC_MACHINE_EPSILON);
    below += pivot < 0 ? 1 : 0;
  }
  return below;
}

/* The eigenvalue of largest size, by bisection. */
static PetscReal largest_of(PetscInt n, const PetscReal diagonal[], const PetscReal beside[])
{
  PetscReal bound = 0, end[2];

  for (PetscInt i = 0; i < n; ++i)
    bound = PetscMax(bound, PetscAbsReal(diagonal[i]) + (i ? beside[i - 1] : 0) + (i + 1 < n ? beside[i] : 0));
  for (PetscInt last = 0; last < 2; ++last) { /* the first one, the last one */
    PetscReal low = -bound, high = bound;

    for (int i = 0; i < 40; ++i) {
      const PetscReal middle = (low + high) / 2;

      if (count_below(n, diagonal, beside, middle) > (last ? n - 1 : 0))
        high = middle;
      else
        low = middle;
    }
    end[last] = (low + high) / 2;
  }
  return PetscAbsReal(end[0]) > PetscAbsReal(end[1]) ? end[0] : end[1];
}

/* The first vector of Lanczos' process, M^-1 of something without a pattern; *definite: M seems so. */
static PetscErrorCode start_lanczos(RungStepper stepper, PetscReal t, const Vec work[3], const Power *power,
                                    PetscBool *definite, RungVerdict *verdict)
{
  PetscScalar norm;

  PetscFunctionBegin;
  PetscCall(start(stepper, t, power->order, work[1]));
  PetscCall(VecCopy(work[1], power->right));
  PetscCall(RungStageApply(stepper, power->right, work[0], verdict));
  *definite = PETSC_FALSE;
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDot(work[0], work[1], &norm));
  *definite = PetscRealPart(norm) > 0 && !PetscIsInfOrNanScalar(norm) ? PETSC_TRUE : PETSC_FALSE;
  if (*definite) PetscCall(VecScale(work[0], 1 / PetscSqrtScalar(norm)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x_{k+1} b_k = M^-1 K x_k - a_k x_k - b_{k-1} x_{k-1},  (x_i, M x_j) = 0, 1.  before: work.  *definite: M has been so throughout. */
static PetscErrorCode lanczos(RungStepper stepper, const RungState *level, const PetscReal stiffness[],
                              const Vec work[3], Vec before, Power *power, PetscBool *definite, RungVerdict *verdict)
{
  PetscReal a[MOST_LANCZOS], b[MOST_LANCZOS] = {0}, size[MOST_LANCZOS], carry = 0, next = 0;
  Vec       x = work[0], y = work[1], z = work[2], old = before;
  PetscBool done = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(start_lanczos(stepper, level->t, work, power, definite, verdict));
  PetscCall(VecZeroEntries(old));
  for (PetscInt k = 0; k < MOST_LANCZOS && verdict->solved && *definite && !done; ++k, carry = b[k - 1]) {
    PetscScalar xy, zy;
    const Vec   now = x;

    PetscCall(act(stepper, level, stiffness, power, x, y));
    PetscCall(VecDot(x, y, &xy));
    PetscCall(VecCopy(y, power->right));
    PetscCall(RungStageApply(stepper, power->right, z, verdict));
    if (!verdict->solved) break;
    PetscCall(VecDot(z, y, &zy));
    a[k]      = PetscRealPart(xy);
    next      = PetscRealPart(zy) - a[k] * a[k] - carry * carry;
    *definite = PetscRealPart(zy) >= 0 && !PetscIsInfOrNanScalar(zy) ? PETSC_TRUE : PETSC_FALSE;
    if (!*definite) break;
    size[k]       = largest_of(k + 1, a, b);
    done          = next <= 1e-12 * PetscRealPart(zy) ||
               (k + 1 >= LEAST_LANCZOS &&
                PetscAbsReal(size[k] - size[k - 4]) * (PetscReal)k / 8 < LEFT * PetscAbsReal(size[k]))
                      ? PETSC_TRUE
                      : PETSC_FALSE;
    power->size   = PetscAbsReal(size[k]);
    power->cosine = size[k] > 0 ? -1 : 1;
    if (done) break;
    b[k] = PetscSqrtReal(next);
    PetscCall(VecAXPBYPCZ(old, -a[k] / b[k], 1 / b[k], -carry / b[k], x, z));
    x   = old;
    old = now;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Symmetric K and M of rates of one order, by Lanczos' process; *definite: M is, and the size is known. */
static PetscErrorCode find_symmetric(RungStepper stepper, const RungState *level, const PetscReal stiffness[],
                                     const Vec work[3], Power *power, PetscBool *definite, RungVerdict *verdict)
{
  PetscBool alike = stepper->traits.symmetric && !power->E ? PETSC_TRUE : PETSC_FALSE;
  Vec       before;

  PetscFunctionBegin;
  *definite = PETSC_FALSE;
  for (PetscInt f = 0; f < stepper->traits.unknowns; ++f)
    if (stepper->traits.unknown_order[f] != power->order) alike = PETSC_FALSE;
  if (!alike) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(work[0], &before));
  RungCallFinally(lanczos(stepper, level, stiffness, work, before, power, definite, verdict),
                  PetscCall(VecDestroy(&before)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_fastest(RungStepper stepper, const RungState *level, const Vec work[], Power *power)
{
  const RungTraits *traits                                              = &stepper->traits;
  const PetscInt    n                                                   = traits->unknowns;
  const int         times                                               = (int)(power->order - power->k);
  PetscReal         mass[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS]      = {0};
  PetscReal         stiffness[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};
  RungVerdict       verdict                                             = {.solved = PETSC_TRUE};
  PetscBool         done                                                = PETSC_FALSE;
  PetscReal         weight                                              = 1; /* of M in this matrix */

  PetscFunctionBegin;
  for (PetscInt f = 0; f < n; ++f) {
    mass[traits->unknown_order[f] * n + f] = 1; /* algebraic unknowns keep the matrix regular */
    if (traits->unknown_order[f] != power->order) continue;
    stiffness[power->k * n + f] = 1;
    if (power->slope) weight = power->slope[power->order * n + f];
  }
  if (power->slope) PetscCall(PetscArraycpy(mass, power->slope, (traits->order + 1) * n));
  PetscCall(RungStageLinearise(stepper, level->t, level->u, mass, &verdict));
  if (verdict.solved) PetscCall(find_symmetric(stepper, level, stiffness, work, power, &done, &verdict));
  if (!done) power->growth = power->mass = power->size = power->cosine = 0;
  if (verdict.solved && !done) PetscCall(start(stepper, level->t, power->order, work[0]));
  for (PetscInt i = 0; i < MOST && verdict.solved && !done; ++i) {
    PetscCall(iterate(stepper, level, stiffness, work, power, &done, &verdict));
    if (i < 5 && power->growth > 0) done = PETSC_FALSE;
  }
  power->size *= weight;
  if (!verdict.solved || power->size * PetscPowRealInt(stepper->t1 - stepper->t0, times) < PetscPowRealInt(SLOW, times))
    power->size = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageFastest(RungStepper stepper, const RungState *level, const Vec work[4], PetscReal *size,
                                PetscReal *cosine)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(RungStageFastestOf(stepper, level, stepper->traits.order, 0, work, size, cosine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageFastestOf(RungStepper stepper, const RungState *level, PetscInt order, PetscInt k,
                                  const Vec work[4], PetscReal *size, PetscReal *cosine)
{
  RungNeedArgument(work);
  Power power = {.right = work[3], .order = order, .k = k};

  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeedArgument(level);
  RungNeedArgument(size);
  RungNeedArgument(cosine);
  PetscCheck(order >= 1 && order <= stepper->traits.order && k >= 0 && k < order, stepper->comm,
             PETSC_ERR_ARG_OUTOFRANGE,
             "M u^(%" PetscInt_FMT ") + K u^(%" PetscInt_FMT ") = 0 of a system of order "
             "%" PetscInt_FMT "; wanted 0 <= k < n <= order",
             order, k, stepper->traits.order);
  PetscCall(find_fastest(stepper, level, work, &power));
  *size   = power.size;
  *cosine = power.cosine;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStageFastestExplicit(RungStepper stepper, const RungState *level, const PetscReal slope[],
                                        const Vec work[7], PetscReal *size, PetscReal *cosine)
{
  RungNeedArgument(work);
  Power power = {.right = work[3], .moved = work[4], .moved_E = work[5], .E = work[6], .order = 1, .slope = slope};

  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeedArgument(level);
  RungNeedArgument(size);
  RungNeedArgument(cosine);
  PetscCall(RungSystemExplicit(stepper->sys, level->t, level->u, power.E));
  PetscCall(find_fastest(stepper, level, work, &power));
  *size   = power.size;
  *cosine = power.cosine;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define PART   0.95 /* of the longest stable step: what -stepper_stable takes */
#define BEYOND 1.01 /* of it: what is refused                                 */

#define LONG 300 /* solves of a run that are worth some 15 of Lanczos' process, up to 100 powers */

/* Fixed explicit steps of a linear system whose matrices stand still, and many of them: what is unstable would grow, and nothing would
   fail. */
static PetscBool may_grow(RungStepper stepper)
{
  const RungTraits *traits = &stepper->traits;
  PetscBool         still  = traits->linear;

  for (PetscInt k = 0; k <= traits->order; ++k) still = still && traits->constant_block[k] ? PETSC_TRUE : PETSC_FALSE;
  return still && !stepper->adaptive && !stepper->plan.solves && stepper->plan.stages &&
             (stepper->t1 - stepper->t0) / stepper->dt * (PetscReal)stepper->plan.stages > LONG
           ? PETSC_TRUE
           : PETSC_FALSE;
}

/* h: the longest stable step, negative where there is none, 0 where all are; part: of it is what steps may be. */
static PetscErrorCode warn(RungStepper stepper, PetscReal h, PetscReal part)
{
  const char *method = stepper->method[stepper->chosen];

  PetscFunctionBegin;
  if (h == 0 || (h > 0 && stepper->dt <= part * h)) PetscFunctionReturn(PETSC_SUCCESS);
  stepper->grows = PETSC_TRUE;
  if (h < 0)
    PetscCall(
      RungWarning(stepper->comm, "method \"%s\" amplifies oscillations in steps of any length; take rk4", method));
  else
    PetscCall(RungWarning(stepper->comm,
                          "dt = %g is beyond the longest stable step of method \"%s\", about %g: what the solution has "
                          "of the fastest oscillation or decay grows; take a smaller -stepper_dt or -stepper_stable",
                          (double)stepper->dt, method, (double)h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStableStep(RungStepper stepper)
{
  const RungState *level;
  PetscReal        h = 0;

  PetscFunctionBegin;
  if (!stepper->ops->stable) PetscFunctionReturn(PETSC_SUCCESS);
  if (stepper->restart.resumed) { /* the grid of the run that goes on */
    if (stepper->stable && !stepper->adaptive && stepper->restart.h > 0 && stepper->restart.h < stepper->dt)
      stepper->dt = stepper->restart.h;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!stepper->stable && (stepper->adaptive || stepper->force || !(stepper->plan.limited || may_grow(stepper))))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &level));
  PetscCall(stepper->ops->stable(stepper, level, &h));
  if (!stepper->stable && !stepper->plan.limited) PetscCall(warn(stepper, h, BEYOND));
  PetscCheck(!stepper->stable || h >= 0, stepper->comm, PETSC_ERR_SUP,
             "-stepper_stable: method \"%s\" amplifies oscillations in steps of any length; take one that does not, as "
             "rk4, or leave it away",
             stepper->method[stepper->chosen]);
  if (!(h > 0) || (!stepper->stable && !stepper->plan.limited)) PetscFunctionReturn(PETSC_SUCCESS);
  if (stepper->stable && stepper->adaptive) {
    stepper->times.most = PetscMin(stepper->times.most, PART * h);
  } else if (stepper->stable && stepper->dt > PART * h) {
    PetscCall(RungNotice(stepper->comm, "the step %g is longer than what is stable, it becomes %g", (double)stepper->dt,
                         (double)(PART * h)));
    stepper->dt = PART * h;
  }
  PetscCheck(stepper->stable || stepper->dt <= BEYOND * h, stepper->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "dt = %g is beyond the longest stable step of method \"%s\", about %g; take a smaller -stepper_dt, "
             "-stepper_stable, which finds one, an implicit method, as newmark, or insist with -stepper_force",
             (double)stepper->dt, stepper->method[stepper->chosen], (double)h);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStableChanged(RungStepper stepper)
{
  const RungState *level;
  PetscReal        h = 0;

  PetscFunctionBegin;
  if (!stepper->stable || !stepper->ops->stable) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &level));
  if (!(level->t < stepper->t1)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(stepper->ops->stable(stepper, level, &h));
  if (stepper->adaptive && h > 0) stepper->times.most = PetscMin(stepper->times.most, PART * h);
  PetscCheck(stepper->adaptive || (h >= 0 && !(h > 0 && stepper->dt > BEYOND * h)), stepper->comm,
             PETSC_ERR_NOT_CONVERGED,
             "-stepper_stable: steps are %g, and what events have changed at t = %.10g leaves method \"%s\" a longest "
             "stable step of %g; begin with a -stepper_dt below that, or take tolerances or an implicit method",
             (double)stepper->dt, (double)level->t, stepper->method[stepper->chosen], (double)PetscMax(h, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define GROWN 1e3  /* times as large as at the start: what is looked at behind a run           */
#define NEAR  0.99 /* of the longest stable step: it is known so well, and something has grown */

/* The largest value at the start, and what its rates make of it in a step. */
PetscErrorCode RungStableBegin(RungStepper stepper)
{
  const RungState *level;
  PetscReal        size, step = 1;

  PetscFunctionBegin;
  stepper->start_size = 0;
  stepper->grows      = PETSC_FALSE;
  if (!stepper->ops->stable || stepper->adaptive || stepper->force) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &level));
  for (PetscInt k = 0; k <= stepper->traits.order; ++k) {
    PetscCall(VecNorm(level->u[k], NORM_INFINITY, &size));
    stepper->start_size += step * size;
    step *= stepper->dt;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the last step |u|^2 has grown by more than twice what its rates say, h ((u, u') of both ends), and half as fast as on the average or
   faster: the method does it, to what is slow beside a fastest part that decays.  Events may have changed the level. */
static PetscErrorCode warn_of_growth(RungStepper stepper, PetscReal size)
{
  const RungState *end[2];
  PetscReal        square[2], said = 0, often;
  PetscInt         levels;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetLevels(stepper->ts, &levels));
  if (levels < 2 || stepper->events.n || !(stepper->start_size > 0)) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < 2; ++i) {
    PetscScalar moves;

    PetscCall(RungTransientSystemGetState(stepper->ts, i, &end[i]));
    PetscCall(VecNorm(end[i]->u[0], NORM_2, &square[i]));
    PetscCall(VecDot(end[i]->u[1], end[i]->u[0], &moves));
    square[i] *= square[i];
    said += PetscRealPart(moves);
  }
  said *= end[0]->t - end[1]->t;
  often = PetscLogReal(size / stepper->start_size) * (end[0]->t - end[1]->t) / (stepper->t1 - stepper->t0);
  if (square[0] - square[1] < often * square[1] || said > (square[0] - square[1]) / 2)
    PetscFunctionReturn(PETSC_SUCCESS);
  stepper->grows = PETSC_TRUE;
  PetscCall(RungWarning(
    stepper->comm,
    "the solution has grown %.1e times as large, and not by its own rates: method \"%s\" amplifies "
    "slow oscillations in steps of %g; take a smaller -stepper_dt, or a method that damps them, as -stepper_type dirk",
    (double)(size / stepper->start_size), stepper->method[stepper->chosen], (double)stepper->dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStableEnd(RungStepper stepper)
{
  const RungState *level;
  PetscReal        size, h = 0;

  PetscFunctionBegin;
  if (!stepper->ops->stable || stepper->adaptive || stepper->force || stepper->grows)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemPeekState(stepper->ts, 0, &level));
  PetscCall(VecNorm(level->u[0], NORM_INFINITY, &size));
  if (size <= GROWN * stepper->start_size) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemGetState(stepper->ts, 0, &level));
  PetscCall(stepper->ops->stable(stepper, level, &h));
  PetscCall(warn(stepper, h, NEAR));
  if (!stepper->grows) PetscCall(warn_of_growth(stepper, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}
