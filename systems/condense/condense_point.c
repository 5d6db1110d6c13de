/* condense_point.c - Newton's method for the internal variables of one point, g(s) = 0.

   A point is done when

       |g_i| <= 16 u sum_j |K_ij| |w_j|   for all its entries, or a full step changed no entry by more than 1e-9 of it,

   the second because the next step would change it by the square of that.  Steps are judged by max_i |g_i|/weight_i with the
   weights of the first iteration, what cancels in each equation: units do not matter.

   Material laws have kinks (max, if, abs), across which full steps are right though the merit grows, and powers, where it
   takes a line search.  A watchdog serves both (Chamberlain, Powell, Lemarechal and Pedersen 1982): the best point is
   remembered with its step; up to PATIENCE full steps may go on without a better one, then the point goes back to it and
   shortens that step until the merit falls (Armijo).  So a law that is piecewise linear ends after as many steps as it has
   pieces on the way, and every few evaluations the least merit falls. */
#include "condense_impl.h"

#define TRIES      100
#define PATIENCE   5
#define WILD       1e6 /* a merit that grows by this is no way on */
#define ROUNDING   (16 * PETSC_MACHINE_EPSILON)
#define SMALL_STEP 1e-9
#define DESCENT    1e-4 /* of Armijo */
#define SHORTEST   (1.0 / 1024)

PetscBool RungPointIsAtRest(const RungPoint *p)
{
  return p->search->state == RUNG_POINT_DONE || p->search->state == RUNG_POINT_FAILED ? PETSC_TRUE : PETSC_FALSE;
}

static PetscBool is_solved(const RungPoint *p)
{
  for (PetscInt a = 0; a < p->n; ++a) {
    if (!(PetscAbsScalar(p->g[p->entry[a]]) <= ROUNDING * p->floor[a])) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static PetscReal merit(const RungPoint *p)
{
  PetscReal largest = 0;

  for (PetscInt a = 0; a < p->n; ++a) {
    const PetscReal ratio = PetscAbsScalar(p->g[p->entry[a]]) / p->weight[a];

    if (!(ratio <= largest)) largest = ratio; /* NaN stays */
  }
  return largest;
}

/* weight_i = sum_j |K_ij| (|w_j| + |d_j|): the size of what cancels in g_i */
static void set_weight(const RungPoint *p, const PetscScalar K[], const PetscScalar d[])
{
  for (PetscInt a = 0; a < p->n; ++a) {
    p->weight[a] = p->floor[a];
    for (PetscInt b = 0; b < p->n; ++b) p->weight[a] += PetscAbsScalar(K[a * p->n + b] * d[b]);
    if (!(p->weight[a] > 0)) p->weight[a] = 1;
  }
}

/* d = -K^-1 g and copy = K; false where K is singular or d not finite. */
static PetscBool find_step(const RungPoint *p, const RungPointWork *work)
{
  PetscBool regular;

  for (PetscInt i = 0; i < p->n * p->n; ++i) work->copy[i] = p->K[i];
  regular = RungCondenseInvert(p->n, p->K, work->pivot, work->work);
  for (PetscInt a = 0; a < p->n; ++a) work->g[a] = -p->g[p->entry[a]];
  RungCondenseMultiply(p->n, p->K, work->g, work->d);
  for (PetscInt a = 0; a < p->n; ++a)
    regular = regular && !PetscIsInfOrNanScalar(work->d[a]) ? PETSC_TRUE : PETSC_FALSE;
  return regular;
}

static PetscBool is_small(const RungPoint *p, const PetscScalar d[])
{
  for (PetscInt a = 0; a < p->n; ++a) {
    if (!(PetscAbsScalar(d[a]) <= SMALL_STEP * PetscRealPart(p->size[p->entry[a]]))) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* s += d; done if that is little. */
static void go_on(const RungPoint *p, const PetscScalar d[])
{
  p->search->state = is_small(p, d) ? RUNG_POINT_DONE : RUNG_POINT_TRIED;
  for (PetscInt a = 0; a < p->n; ++a) p->w[p->entry[a]] += d[a];
}

/* From the best point, half as far. */
static void go_back(const RungPoint *p)
{
  RungPointSearch *search = p->search;

  search->alpha /= 2;
  if (search->alpha < SHORTEST) search->state = RUNG_POINT_FAILED;
  for (PetscInt a = 0; a < p->n; ++a) p->w[p->entry[a]] = p->from[a] + search->alpha * p->step[a];
}

/* Where the point is now is the best so far. */
static void start_anew(const RungPoint *p, const RungPointWork *work, PetscReal now)
{
  p->search->merit    = now;
  p->search->alpha    = 1;
  p->search->patience = 0;
  for (PetscInt a = 0; a < p->n; ++a) {
    p->from[a] = PetscRealPart(p->w[p->entry[a]]);
    p->step[a] = PetscRealPart(work->d[a]);
  }
  go_on(p, work->d);
}

static void begin(const RungPoint *p, const RungPointWork *work)
{
  PetscReal now;

  if (!find_step(p, work)) {
    p->search->state = RUNG_POINT_FAILED;
    return;
  }
  set_weight(p, work->copy, work->d);
  now = merit(p);
  if (PetscIsInfOrNanReal(now))
    p->search->state = RUNG_POINT_FAILED;
  else
    start_anew(p, work, now);
}

/* The merit at a step that was tried decides: it is the best, or a full step goes on from it all the same, or back. */
static void judge(const RungPoint *p, const RungPointWork *work)
{
  RungPointSearch *search = p->search;
  const PetscReal  now    = merit(p);
  const PetscBool  better = now <= (1 - DESCENT * search->alpha) * search->merit ? PETSC_TRUE : PETSC_FALSE;
  const PetscBool  bears  = search->alpha == 1 && search->patience < PATIENCE && now <= WILD * search->merit;

  if (!(better || bears) || !find_step(p, work))
    go_back(p);
  else if (better)
    start_anew(p, work, now);
  else {
    ++search->patience;
    go_on(p, work->d);
  }
}

PetscErrorCode RungPointIterate(const RungPoint *p, const RungPointWork *work)
{
  PetscFunctionBegin;
  if (is_solved(p))
    p->search->state = RUNG_POINT_DONE;
  else if (p->search->state == RUNG_POINT_FIRST)
    begin(p, work);
  else if (++p->search->tries > TRIES)
    p->search->state = RUNG_POINT_FAILED;
  else
    judge(p, work);
  PetscFunctionReturn(PETSC_SUCCESS);
}
