/* rungkernel.h - the arguments of a kernel, and the only include of a generated one.

   A kernel computes one integral for `lanes` places (cells, or facets of cells) at a time; the lane is always the last,
   fastest index.  All arrays are aligned to 64 bytes.  Reals are doubles. */
#pragma once

typedef struct {
  double        t;        /* time                                                                                    */
  const double *x;        /* [geometry node][axis][lane]                                                             */
  const double *u;        /* [k][cell dof][lane]: all unknowns in order, k = 0 .. order                              */
  const double *field;    /* [coefficient dof][lane]                                                                 */
  const double *cell;     /* [per-cell number][lane]: h, volume, facet area; then part values                        */
  double       *point;    /* [quadrature point][state][lane]: internal variables condensed per point                 */
  const double *constant; /* [constant of the scope]                                                                 */
  const double *sigma;    /* [k][unknown], rank 2 (and internal variables) only                                      */
  const int    *facet;    /* [side]: local facet, the same for all lanes of a batch; facets only                     */
  const int    *orient;   /* [side]: orientation of the facet; interior facets only                                  */
  double       *out;      /* rank 0 [lane], rank 1 [test dof][lane], rank 2 [test dof][trial dof][lane]; added to     */
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
