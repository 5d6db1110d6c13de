/* polynomial.c - orthonormal polynomials of the unit simplex and their derivatives (Dubiner 1991).

   With t_l = 1 - sum_{m > l} x_m and the Jacobi polynomials P_n^(a, 0) made homogeneous, P(x; t) = t^n P(x / t),

       phi_{q_0 q_1 ..} = prod_l  sqrt(2 s_l + l + 1)  P_{q_l}^(a_l, 0)(2 x_l - t_l; t_l),
       s_l = q_0 + .. + q_l,   a_l = 2 s_{l-1} + l,    sum q <= degree

   The homogeneous form has no division, so it holds at the collapsed corner too.  Every factor is carried as a jet
   (value, gradient, Hessian), so that derivatives follow from the product rule alone. */
#include "base_impl.h"

typedef struct {
  PetscReal v, g[3], h[3][3];
} Jet;

typedef struct {
  PetscInt dim, degree;
  Jet      x[3], t[3]; /* [level] the arguments of the homogeneous polynomials             */
  Jet     *factor;     /* owned, [level][n] workspace                                      */
  Jet     *phi;        /* owned, [polynomial] result                                       */
  PetscInt count;      /* polynomials done                                                 */
} Dubiner;

PetscInt RungDerivativeCount(PetscInt dim, PetscInt order)
{
  return 1 + (order > 0 ? dim : 0) + (order > 1 ? dim * (dim + 1) / 2 : 0);
}

PetscInt RungPolynomialCount(PetscInt dim, PetscInt degree)
{
  PetscInt n = 1;

  for (PetscInt a = 1; a <= dim; ++a) n = n * (degree + a) / a;
  return n;
}

static Jet times(const Jet *p, const Jet *q)
{
  Jet r = {.v = p->v * q->v};

  for (int a = 0; a < 3; ++a) {
    r.g[a] = p->g[a] * q->v + p->v * q->g[a];
    for (int b = 0; b < 3; ++b)
      r.h[a][b] = p->h[a][b] * q->v + p->g[a] * q->g[b] + p->g[b] * q->g[a] + p->v * q->h[a][b];
  }
  return r;
}

/* c p + d q */
static Jet combine(PetscReal c, const Jet *p, PetscReal d, const Jet *q)
{
  Jet r = {.v = c * p->v + d * q->v};

  for (int a = 0; a < 3; ++a) {
    r.g[a] = c * p->g[a] + d * q->g[a];
    for (int b = 0; b < 3; ++b) r.h[a][b] = c * p->h[a][b] + d * q->h[a][b];
  }
  return r;
}

/* P_0 .. P_n^(a, 0)(x; t) by the three-term recurrence. */
static void jacobi(PetscInt n, PetscReal a, const Jet *x, const Jet *t, Jet P[])
{
  const Jet tt = times(t, t);

  P[0] = (Jet){.v = 1};
  if (n > 0) P[1] = combine((a + 2) / 2, x, a / 2, t);
  for (PetscInt i = 1; i < n; ++i) {
    const PetscReal m  = 2 * (PetscReal)i + a;
    const PetscReal c1 = 2 * (i + 1) * (i + a + 1) * m, c2 = (m + 1) * a * a;
    const PetscReal c3 = m * (m + 1) * (m + 2), c4 = 2 * (i + a) * i * (m + 2);
    const Jet       line = combine(c3 / c1, x, c2 / c1, t);
    const Jet       p = times(&line, &P[i]), q = times(&tt, &P[i - 1]);

    P[i + 1] = combine(1, &p, -c4 / c1, &q);
  }
}

/* All products that begin with `product`, whose indices add up to `sum`. */
static void emit(Dubiner *d, PetscInt level, PetscInt sum, const Jet *product)
{
  Jet *P = d->factor + level * (d->degree + 1);

  if (level == d->dim) {
    d->phi[d->count++] = *product;
    return;
  }
  jacobi(d->degree - sum, 2. * (PetscReal)sum + (PetscReal)level, &d->x[level], &d->t[level], P);
  for (PetscInt q = 0; q <= d->degree - sum; ++q) {
    const PetscReal scale  = PetscSqrtReal((PetscReal)(2 * (sum + q) + level + 1));
    const Jet       scaled = combine(scale, &P[q], 0, &P[q]), next = times(product, &scaled);

    emit(d, level + 1, sum + q, &next);
  }
}

static void set_arguments(Dubiner *d, const PetscReal x[])
{
  Jet t = {.v = 1};

  for (PetscInt l = d->dim - 1; l >= 0; --l) {
    Jet xl = {.v = x[l]};

    xl.g[l] = 1;
    d->t[l] = t;
    d->x[l] = combine(2, &xl, -1, &t);
    t       = combine(1, &t, -1, &xl);
  }
}

PetscErrorCode RungPolynomialTabulate(PetscInt dim, PetscInt degree, PetscInt points, const PetscReal x[],
                                      PetscInt order, PetscReal table[])
{
  const PetscInt n = RungPolynomialCount(dim, degree), stride = points * n;
  const Jet      one = {.v = 1};
  Dubiner        d   = {.dim = dim, .degree = degree};

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(PetscMax(dim, 1) * (degree + 1), &d.factor, n, &d.phi));
  for (PetscInt p = 0; p < points; ++p) {
    set_arguments(&d, x + p * dim);
    d.count = 0;
    emit(&d, 0, 0, &one);
    for (PetscInt i = 0; i < n; ++i) {
      PetscReal *out = table + p * n + i;

      out[0] = d.phi[i].v;
      for (PetscInt a = 0; a < dim && order > 0; ++a) *(out += stride) = d.phi[i].g[a];
      for (PetscInt a = 0; a < dim && order > 1; ++a)
        for (PetscInt b = a; b < dim; ++b) *(out += stride) = d.phi[i].h[a][b];
    }
  }
  PetscCall(PetscFree2(d.factor, d.phi));
  PetscFunctionReturn(PETSC_SUCCESS);
}
