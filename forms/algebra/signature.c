/* signature.c - arithmetic modulo two primes, in which scalar nodes are compared (see scalar_impl.h).

   The primes are 2^61 - 31 and 2^61 - 45.  In both the order of 2 is above 2^57, so that different doubles, m 2^e, have
   different residues (modulo 2^61 - 1 the order is 61, and 2^-52 would be 512). */
#include "scalar_impl.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 Wide;

static const uint64_t defect[2] = {31, 45};

static uint64_t prime(int w)
{
  return (UINT64_C(1) << 61) - defect[w];
}

/* x < 2^122: 2^61 = defect modulo p, so the high part, times defect, is added to the low one, twice */
static uint64_t reduce(int w, Wide x)
{
  const uint64_t low = (UINT64_C(1) << 61) - 1;
  uint64_t       r;

  x = (x & low) + (x >> 61) * defect[w];
  r = (uint64_t)(x & low) + (uint64_t)(x >> 61) * defect[w];
  return r >= prime(w) ? r - prime(w) : r;
}

static uint64_t product(int w, uint64_t a, uint64_t b)
{
  return reduce(w, (Wide)a * b);
}

static uint64_t power(int w, uint64_t a, uint64_t n)
{
  uint64_t r = 1;

  for (; n; n >>= 1, a = product(w, a, a)) {
    if (n & 1) r = product(w, r, a);
  }
  return r;
}

/* by Fermat a^(p - 2) is the inverse of a */
static uint64_t inverse(int w, uint64_t a)
{
  return power(w, a, prime(w) - 2);
}

/* The finaliser of Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014 */
static uint64_t mix_bits(uint64_t z)
{
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

RungSignature RungSignatureHash(PetscInt n, const uint64_t word[])
{
  RungSignature s;

  for (int w = 0; w < 2; ++w) {
    uint64_t h = mix_bits(UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(w + 1));

    for (PetscInt i = 0; i < n; ++i) h = mix_bits(h + UINT64_C(0x9e3779b97f4a7c15) + mix_bits(word[i]));
    s.w[w] = reduce(w, (Wide)h);
  }
  return s;
}

RungSignature RungSignatureNumber(double value)
{
  RungSignature s;
  int           exponent;
  uint64_t      m;

  if (!(fabs(value) <= DBL_MAX)) {
    const uint64_t word[2] = {UINT64_C(0x6e6f742066696e69), value > 0 ? 1u : (value < 0 ? 2u : 3u)};

    return RungSignatureHash(2, word);
  }
  m = (uint64_t)ldexp(frexp(fabs(value), &exponent), 53);
  exponent -= 53;
  for (int w = 0; w < 2; ++w) {
    const uint64_t half = (prime(w) + 1) / 2;

    s.w[w] = product(w, m, power(w, exponent < 0 ? half : 2, (uint64_t)abs(exponent)));
  }
  return value < 0 ? RungSignatureNeg(s) : s;
}

RungSignature RungSignatureAdd(RungSignature a, RungSignature b)
{
  return (RungSignature){{reduce(0, (Wide)a.w[0] + b.w[0]), reduce(1, (Wide)a.w[1] + b.w[1])}};
}

RungSignature RungSignatureNeg(RungSignature a)
{
  return (RungSignature){{a.w[0] ? prime(0) - a.w[0] : 0, a.w[1] ? prime(1) - a.w[1] : 0}};
}

RungSignature RungSignatureMul(RungSignature a, RungSignature b)
{
  return (RungSignature){{product(0, a.w[0], b.w[0]), product(1, a.w[1], b.w[1])}};
}

RungSignature RungSignatureInverse(RungSignature a)
{
  return (RungSignature){{inverse(0, a.w[0]), inverse(1, a.w[1])}};
}

PetscBool RungSignatureEqual(RungSignature a, RungSignature b)
{
  return a.w[0] == b.w[0] && a.w[1] == b.w[1] ? PETSC_TRUE : PETSC_FALSE;
}

PetscBool RungSignatureIsZero(RungSignature a)
{
  return a.w[0] == 0 || a.w[1] == 0 ? PETSC_TRUE : PETSC_FALSE;
}
