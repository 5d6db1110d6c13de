/* event_find.c - where a number g goes through zero within a step, of which values at some places are known.

   Places are 0 (the beginning) to 1.  Between two places of one sign g may turn and come back: where the polynomial through the five
   places around leads near zero the least |g| is looked for (Brent, Algorithms for Minimization without Derivatives, chapter 5), and
   where that has the other sign, a place is added.  Values between levels are cubics, so that what is linear in them is seen exactly.
   Then the first crossing in the direction that is wanted is closed in on by Brent's method for zeros (chapter 4). */
#include "step_impl.h"

#define GOLDEN  0.3819660112501051
#define MOST    100 /* evaluations of one search                        */
#define PLACES  5   /* that lead a polynomial                            */
#define SCANNED 32  /* parts of the way between two places: its low ones */

static PetscErrorCode look(const RungTrack *track, PetscReal place, PetscReal *g)
{
  PetscFunctionBegin;
  PetscCall(track->fn(place, g, track->ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- turns -------------------------------------------------------------------------------------------------------- */

/* Coefficients of Newton's form of the polynomial through n places from `first` on. */
static void divide_differences(const RungTrack *track, PetscInt first, PetscInt n, PetscReal c[])
{
  const PetscReal *x = track->place + first;

  for (PetscInt i = 0; i < n; ++i) c[i] = track->g[first + i];
  for (PetscInt k = 1; k < n; ++k) {
    for (PetscInt i = n - 1; i >= k; --i) c[i] = (c[i] - c[i - 1]) / (x[i] - x[i - k]);
  }
}

static PetscReal value_at(const RungTrack *track, PetscInt first, PetscInt n, const PetscReal c[], PetscReal place)
{
  PetscReal value = c[n - 1];

  for (PetscInt i = n - 2; i >= 0; --i) value = c[i] + (place - track->place[first + i]) * value;
  return value;
}

/* The first of the places that lead the polynomial between i and i + 1. */
static PetscInt first_of(const RungTrack *track, PetscInt i)
{
  return PetscMax(0, PetscMin(i - (PLACES - 2) / 2, track->n - PLACES));
}

PetscReal RungTrackGuess(const RungTrack *track, PetscReal place)
{
  const PetscInt n = PetscMin(PLACES, track->n);
  PetscReal      c[PLACES];
  PetscInt       i = 0;

  while (i + 2 < track->n && track->place[i + 1] <= place) ++i;
  i = first_of(track, i);
  divide_differences(track, i, n, c);
  return value_at(track, i, n, c, place);
}

/* Between places i and i + 1, of one sign: where the polynomial through places around is least, if that is low. */
static PetscBool find_low(const RungTrack *track, PetscInt i, PetscReal sign, PetscReal *at)
{
  const PetscInt   n = PetscMin(PLACES, track->n), first = first_of(track, i);
  const PetscReal *x = track->place + i, ends = PetscMin(sign * track->g[i], sign * track->g[i + 1]);
  PetscReal        c[PLACES], least           = ends;

  divide_differences(track, first, n, c);
  for (PetscInt k = 1; k < SCANNED; ++k) {
    const PetscReal place = x[0] + (x[1] - x[0]) * (PetscReal)k / SCANNED;
    const PetscReal value = sign * value_at(track, first, n, c, place);

    if (value < least) least = value, *at = place;
  }
  return least < 0.5 * ends ? PETSC_TRUE : PETSC_FALSE;
}

typedef struct {
  PetscReal a, b;                /* the least value is between                                         */
  PetscReal x, w, v, fx, fw, fv; /* the best place so far, the second, the one before; sign * g there  */
  PetscReal step, before;        /* the last two                                                       */
} Least;

/* A step of the search: by a parabola through the three best places, or of the golden section. */
static PetscReal next_place(Least *s, PetscReal tol)
{
  const PetscReal middle = 0.5 * (s->a + s->b);
  PetscReal       p = 0, q = 0, last = s->before;

  if (PetscAbsReal(s->before) > tol) {
    const PetscReal r = (s->x - s->w) * (s->fx - s->fv), z = (s->x - s->v) * (s->fx - s->fw);

    p = (s->x - s->v) * z - (s->x - s->w) * r;
    q = 2 * (z - r);
    if (q > 0) p = -p;
    q         = PetscAbsReal(q);
    s->before = s->step;
  }
  if (q > 0 && PetscAbsReal(p) < PetscAbsReal(0.5 * q * last) && p > q * (s->a - s->x) && p < q * (s->b - s->x)) {
    s->step = p / q;
    if (s->x + s->step - s->a < 2 * tol || s->b - s->x - s->step < 2 * tol) s->step = s->x < middle ? tol : -tol;
  } else {
    s->before = (s->x < middle ? s->b : s->a) - s->x;
    s->step   = GOLDEN * s->before;
  }
  return s->x + (PetscAbsReal(s->step) >= tol ? s->step : s->step > 0 ? tol : -tol);
}

static void take_place(Least *s, PetscReal u, PetscReal fu)
{
  if (fu <= s->fx) {
    if (u < s->x)
      s->b = s->x;
    else
      s->a = s->x;
    s->v = s->w, s->fv = s->fw;
    s->w = s->x, s->fw = s->fx;
    s->x = u, s->fx = fu;
    return;
  }
  if (u < s->x)
    s->a = u;
  else
    s->b = u;
  if (fu <= s->fw || s->w == s->x) {
    s->v = s->w, s->fv = s->fw;
    s->w = u, s->fw = fu;
  } else if (fu <= s->fv || s->v == s->x || s->v == s->w)
    s->v = u, s->fv = fu;
}

/* Between a and b: ends as soon as sign g is not above 0, or where it is least. */
static PetscErrorCode find_least(const RungTrack *track, PetscReal sign, PetscReal a, PetscReal b, PetscReal at,
                                 PetscReal *place, PetscReal *g)
{
  Least s = {.a = a, .b = b, .x = at, .w = at, .v = at};

  PetscFunctionBegin;
  PetscCall(look(track, at, &s.fx));
  s.fx *= sign;
  s.fw = s.fv = s.fx;
  for (PetscInt i = 0; i < MOST && s.fx > 0; ++i) {
    const PetscReal tol = 1e-9 * PetscAbsReal(s.x) + 1e-10 * (b - a), middle = 0.5 * (s.a + s.b);
    PetscReal       u, fu;

    if (PetscAbsReal(s.x - middle) <= 2 * tol - 0.5 * (s.b - s.a)) break;
    u = next_place(&s, tol);
    PetscCall(look(track, u, &fu));
    take_place(&s, u, sign * fu);
  }
  *place = s.x;
  *g     = sign * s.fx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungTrackAdd(RungTrack *track, PetscReal place, PetscReal g)
{
  PetscInt i = track->n;

  if (track->n == RUNG_TRACK) return;
  for (; i > 0 && track->place[i - 1] > place; --i) {
    track->place[i] = track->place[i - 1];
    track->g[i]     = track->g[i - 1];
  }
  track->place[i] = place;
  track->g[i]     = g;
  ++track->n;
}

/* Adds places where g has turned across zero and back. */
static PetscErrorCode add_turns(RungTrack *track, PetscReal rest)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i + 1 < track->n; ++i) {
    const PetscReal *x = track->place + i, *y = track->g + i, sign = y[0] > 0 ? 1 : -1;
    PetscReal        at = x[0], g;

    if (!(sign * y[0] > rest && sign * y[1] > rest) || !find_low(track, i, sign, &at)) continue;
    PetscCall(find_least(track, sign, x[0], x[1], at, &at, &g));
    if (sign * g > 0) continue;
    RungTrackAdd(track, at, g);
    ++i;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- crossings ---------------------------------------------------------------------------------------------------- */

/* Brent's zero between a and b, of different signs: *at the best place. */
static PetscErrorCode find_zero(const RungTrack *track, PetscReal a, PetscReal b, PetscReal fa, PetscReal fb,
                                PetscReal tol, PetscReal *at)
{
  PetscReal c = a, fc = fa, d = b - a, e = d;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < MOST && fb != 0; ++i) {
    PetscReal m, t, p, q, r;

    if ((fb > 0) == (fc > 0)) c = a, fc = fa, d = e = b - a;
    if (PetscAbsReal(fc) < PetscAbsReal(fb)) a = b, b = c, c = a, fa = fb, fb = fc, fc = fa;
    t = 2 * PETSC_MACHINE_EPSILON * PetscAbsReal(b) + 0.5 * tol;
    m = 0.5 * (c - b);
    if (PetscAbsReal(m) <= t) break;
    if (PetscAbsReal(e) >= t && PetscAbsReal(fa) > PetscAbsReal(fb)) {
      r = fb / fa;
      if (a == c) {
        p = 2 * m * r;
        q = 1 - r;
      } else {
        const PetscReal s = fa / fc, z = fb / fc;

        p = r * (2 * m * s * (s - z) - (b - a) * (z - 1));
        q = (s - 1) * (z - 1) * (r - 1);
      }
      if (p > 0) q = -q;
      p = PetscAbsReal(p);
      if (2 * p < PetscMin(3 * m * q - PetscAbsReal(t * q), PetscAbsReal(e * q)))
        e = d, d = p / q;
      else
        d = e = m;
    } else
      d = e = m;
    a = b, fa = fb;
    b += PetscAbsReal(d) > t ? d : m > 0 ? t : -t;
    PetscCall(look(track, b, &fb));
  }
  *at = b;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTrackFind(RungTrack *track, int side, PetscReal rest, RungEventDirection direction, PetscReal tol,
                             RungCrossing *crossing)
{
  PetscFunctionBegin;
  crossing->found = PETSC_FALSE;
  PetscCall(add_turns(track, rest));
  for (PetscInt i = side ? 1 : 0; i < track->n; ++i) {
    const PetscReal g   = track->g[i];
    const int       now = g > 0 ? 1 : g < 0 ? -1 : 0;

    if (!side && PetscAbsReal(g) > rest) side = now;
    if (now == side || !side) continue;
    if (direction == RUNG_BOTH || (direction == RUNG_FALLING) == (side > 0)) {
      *crossing = (RungCrossing){.found  = PETSC_TRUE,
                                 .side   = side,
                                 .low    = track->place[i - 1],
                                 .high   = track->place[i],
                                 .g_low  = track->g[i - 1],
                                 .g_high = g};
      break;
    }
    side = now;
  }
  if (!crossing->found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_zero(track, crossing->low, crossing->high, crossing->g_low, crossing->g_high, tol, &crossing->place));
  PetscFunctionReturn(PETSC_SUCCESS);
}
