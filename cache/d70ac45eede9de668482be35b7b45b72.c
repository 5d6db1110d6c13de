/* Written by Rung; unit 8665b71cd65a3f7c of 1 kernels for 8 places at a time. */

#define RUNG_KERNEL_SOURCE
/* rungkernel.h - the arguments of a kernel, and the only include of a generated one.

   A kernel computes one integral for `lanes` places (cells, or facets of cells) at a time; the lane is always the last,
   fastest index.  All arrays are aligned to 64 bytes.  Reals are doubles. */

typedef struct {
  double        t;        /* time                                                                                    */
  const double *x;        /* [geometry node][axis][lane]                                                             */
  const double *u;        /* [k][cell dof][lane]: all unknowns in order, k = 0 .. order                              */
  const double *field;    /* [coefficient dof][lane]                                                                 */
  const double *cell;     /* [per-cell number][lane]: h, volume, facet area                                          */
  double       *point;    /* [quadrature point][state][lane]: internal variables condensed per point                 */
  const double *constant; /* [constant of the scope]                                                                 */
  const double *sigma;    /* [k][unknown], rank 2 (and internal variables) only                                      */
  /* [cell of the place] local facet, the same for all lanes of a batch; facets only.

     On interior facets x, u, field and out hold both cells, one after the other, each number of `cell` is there
     twice, and this is facet * turns + turn. */
  const int           *facet;
  const double *const *table; /* [table of the scope]: see rung_table                                                 */
  double *out; /* rank 0 [lane], rank 1 [test dof][lane], rank 2 [test dof][trial dof][lane]; added to     */
} RungKernelArgs;

/* noise(a, b, c): a number in [0, 1) fixed by its operands (a finalizer of splitmix64 per operand) up to 1e-10 of them:
   a place that is computed in two ways differs in its last bits. */
static inline double rung_noise(double a, double b, double c)
{
  const double       place[3] = {a + 0., b + 0., c + 0.}; /* -0 becomes 0 */
  unsigned long long bits     = 0x9e3779b97f4a7c15ull;

  for (int i = 0; i < 3; ++i) {
    union {
      double             number;
      unsigned long long bits;
    } key = {place[i]};

    bits = (bits ^ ((key.bits + (1ull << 19)) >> 20)) + 0x9e3779b97f4a7c15ull;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ull;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebull;
    bits ^= bits >> 31;
  }
  return (double)(bits >> 11) * (1. / 9007199254740992.); /* 53 bits */
}

/* table() of the language: tables of the scope whose kernel runs, set by every kernel that reads one. */
#ifdef RUNG_KERNEL_SOURCE
static const double *const *rung_tables __attribute__((unused));
#else
extern const double *const *rung_tables;
#endif

/* A derivative at x of table `which`, [n, n knots, (n - 1) x 4 coefficients, the last value]: on interval i
   c0 + s (c1 + s (c2 + s c3)) with s = x - knot i; constant before the first and after the last knot. */
static inline double rung_table(double x, double which, double derivative)
{
  const double *knot = rung_tables[(int)which] + 1, *c;
  const int     n = (int)knot[-1], k = (int)derivative;
  int           low = 0, high = n - 1;
  double        s;

  if (x < knot[0]) return k ? 0 : knot[n];
  if (x > knot[n - 1]) return k ? 0 : knot[n + 4 * (n - 1)];
  while (high - low > 1) {
    const int middle = (low + high) / 2;

    if (x < knot[middle])
      high = middle;
    else
      low = middle;
  }
  c = knot + n + 4 * low;
  s = x - knot[low];
  if (k == 0) return c[0] + s * (c[1] + s * (c[2] + s * c[3]));
  if (k == 1) return c[1] + s * (2 * c[2] + s * 3 * c[3]);
  return k == 2 ? 2 * c[2] + s * 6 * c[3] : k == 3 ? 6 * c[3] : 0;
}

/* Bessel functions of whole order, given as a double. */
extern double        jn(int, double);
extern double        yn(int, double);
static inline double rung_jn(double order, double x)
{
  return jn((int)order, x);
}
static inline double rung_yn(double order, double x)
{
  return yn((int)order, x);
}

#define LANES 8

typedef double    Real __attribute__((vector_size(8 * LANES))); /* a number for each of LANES places */
typedef long long Mask __attribute__((vector_size(8 * LANES)));


static inline Real all(double a)
{
  return a + (Real){0};
}

static inline Real choose(Mask which, Real a, Real b)
{
  return (Real)((which & (Mask)a) | (~which & (Mask)b));
}

static inline Real truth(Mask which)
{
  return (Real)(which & (Mask)all(1));
}

static inline Real each_abs(Real a)
{
  return (Real)((Mask)a & 0x7fffffffffffffffll);
}


static void contract(const Real *restrict c, Real *out0)
{
  out0[0] += c[0];
}

/* kernel_8665b71cd65a3f7c_0: rank 0 over cells of a mesh of affine triangle cells; u in P1; exact to degree 0

     kappa*(1 + t)*dx
 */
static void kernel_8665b71cd65a3f7c_0(const RungKernelArgs *args)
{
  const Real(*x)[2] = (const Real(*)[2])args->x;
  Real *out = (Real *)args->out;
  const double c_kappa = args->constant[0];
  const double t = args->t;
  const double v4 = c_kappa * (t + 1.);

  const Real J00 = x[1][0] - x[0][0];
  const Real J01 = x[2][0] - x[0][0];
  const Real J10 = x[1][1] - x[0][1];
  const Real J11 = x[2][1] - x[0][1];
  const Real det = J00 * J11 - J01 * J10;
  const Real over = 1. / det;
  const Real C00 = J11, C01 = -J01, C10 = -J10, C11 = J00;
  const Real K00 = C00 * over, K01 = C01 * over;
  const Real K10 = C10 * over, K11 = C11 * over;
  const Real measure = each_abs(det);

  Real G0[1];
  const Real scaled = 0.5 * measure; /* the tables hold multiples of this number */
  {
    const Real w = scaled * v4;
    G0[0] = w;
  }

  contract(G0, out + 0);
}

void (*const rung_kernels[])(const RungKernelArgs *args) = {
  kernel_8665b71cd65a3f7c_0,
};

const char *rung_identity(void)
{
  return "abi 2, lanes 8, kernels 1, key " RUNG_KEY;
}
