/* lanes_impl.h - from numbers that lie anywhere to lanes and back: n numbers that follow each other, of as many places as a
   vector has lanes.

   A store for each number would keep the kernel's loads waiting for all of them: what is read together is built in
   registers, by transposition, and stored whole. */
#pragma once

#include "kernel_impl.h"
#if defined(__AVX2__)
  #include <immintrin.h>
#endif

/* to[lane] = *at[lane] */
RUNG_INLINE void GatherLanes1(const double *const at[], double to[])
{
#if RUNG_PACK == 8
  *(RungPack *)to = (RungPack){*at[0], *at[1], *at[2], *at[3], *at[4], *at[5], *at[6], *at[7]};
#elif RUNG_PACK == 4
  *(RungPack *)to = (RungPack){*at[0], *at[1], *at[2], *at[3]};
#else
  *(RungPack *)to = (RungPack){*at[0], *at[1]};
#endif
}

#if RUNG_PACK == 8 && defined(__AVX512F__) && defined(__AVX512VL__)
/* Four places that go to lanes 0, 2, 4, 6 of pairs (a, b): two numbers each. */
RUNG_INLINE __m512d Load2(const double *a, const double *b, const double *c, const double *d)
{
  const __m256d low  = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(a)), _mm_loadu_pd(b), 1);
  const __m256d high = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(c)), _mm_loadu_pd(d), 1);

  return _mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1);
}

/* to[i][lane], i < 2, at a distance of `lanes` */
RUNG_INLINE void GatherLanes2(const double *const at[], ptrdiff_t lanes, double to[])
{
  const __m512d even = Load2(at[0], at[2], at[4], at[6]), odd = Load2(at[1], at[3], at[5], at[7]);

  _mm512_store_pd(to, _mm512_unpacklo_pd(even, odd));
  _mm512_store_pd(to + lanes, _mm512_unpackhi_pd(even, odd));
}

/* n = 3 or 4 numbers of two places; what is behind them is not touched */
RUNG_INLINE __m512d Load4(const double *a, const double *b, int n)
{
  const __mmask8 mask = (__mmask8)((1 << n) - 1);
  const __m256d  low  = n == 4 ? _mm256_loadu_pd(a) : _mm256_maskz_loadu_pd(mask, a);
  const __m256d  high = n == 4 ? _mm256_loadu_pd(b) : _mm256_maskz_loadu_pd(mask, b);

  return _mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1);
}

RUNG_INLINE void GatherLanes4(const double *const at[], int n, ptrdiff_t lanes, double to[])
{
  const __m512d a = Load4(at[0], at[2], n), b = Load4(at[1], at[3], n), c = Load4(at[4], at[6], n),
                d  = Load4(at[5], at[7], n);
  const __m512d ab = _mm512_unpacklo_pd(a, b), cd = _mm512_unpacklo_pd(c, d); /* numbers 0 and 2 of four lanes each */
  const __m512d AB = _mm512_unpackhi_pd(a, b), CD = _mm512_unpackhi_pd(c, d); /* 1 and 3                            */

  _mm512_store_pd(to, _mm512_shuffle_f64x2(ab, cd, 0x88));
  _mm512_store_pd(to + lanes, _mm512_shuffle_f64x2(AB, CD, 0x88));
  _mm512_store_pd(to + 2 * lanes, _mm512_shuffle_f64x2(ab, cd, 0xdd));
  if (n == 4) _mm512_store_pd(to + 3 * lanes, _mm512_shuffle_f64x2(AB, CD, 0xdd));
}
#elif RUNG_PACK == 4 && defined(__AVX2__)
RUNG_INLINE __m256d Load2(const double *a, const double *b)
{
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(a)), _mm_loadu_pd(b), 1);
}

RUNG_INLINE void GatherLanes2(const double *const at[], ptrdiff_t lanes, double to[])
{
  const __m256d even = Load2(at[0], at[2]), odd = Load2(at[1], at[3]);

  _mm256_store_pd(to, _mm256_unpacklo_pd(even, odd));
  _mm256_store_pd(to + lanes, _mm256_unpackhi_pd(even, odd));
}

RUNG_INLINE __m256d Load4(const double *a, int n)
{
  return n == 4 ? _mm256_loadu_pd(a) : _mm256_maskload_pd(a, _mm256_setr_epi64x(-1, -1, -1, 0));
}

RUNG_INLINE void GatherLanes4(const double *const at[], int n, ptrdiff_t lanes, double to[])
{
  const __m256d a = Load4(at[0], n), b = Load4(at[1], n), c = Load4(at[2], n), d = Load4(at[3], n);
  const __m256d ab = _mm256_unpacklo_pd(a, b), cd = _mm256_unpacklo_pd(c, d);
  const __m256d AB = _mm256_unpackhi_pd(a, b), CD = _mm256_unpackhi_pd(c, d);

  _mm256_store_pd(to, _mm256_permute2f128_pd(ab, cd, 0x20));
  _mm256_store_pd(to + lanes, _mm256_permute2f128_pd(AB, CD, 0x20));
  _mm256_store_pd(to + 2 * lanes, _mm256_permute2f128_pd(ab, cd, 0x31));
  if (n == 4) _mm256_store_pd(to + 3 * lanes, _mm256_permute2f128_pd(AB, CD, 0x31));
}
#else
RUNG_INLINE void GatherLanes2(const double *const at[], ptrdiff_t lanes, double to[])
{
  const double *next[RUNG_PACK];

  for (int l = 0; l < RUNG_PACK; ++l) next[l] = at[l] + 1;
  GatherLanes1(at, to);
  GatherLanes1(next, to + lanes);
}

RUNG_INLINE void GatherLanes4(const double *const at[], int n, ptrdiff_t lanes, double to[])
{
  const double *next[RUNG_PACK];

  for (int l = 0; l < RUNG_PACK; ++l) next[l] = at[l] + 2;
  GatherLanes2(at, lanes, to);
  if (n == 4)
    GatherLanes2(next, lanes, to + 2 * lanes);
  else
    GatherLanes1(next, to + 2 * lanes);
}
#endif

/* to[i * lanes + lane] = at[lane][i], i < n */
RUNG_INLINE void GatherLanes(const double *const at[], ptrdiff_t n, ptrdiff_t lanes, double to[])
{
  const double *next[RUNG_PACK];
  ptrdiff_t     i = 0;

  for (; i + 3 <= n; i += i + 4 <= n ? 4 : 3) {
    for (int l = 0; l < RUNG_PACK; ++l) next[l] = at[l] + i;
    GatherLanes4(next, i + 4 <= n ? 4 : 3, lanes, to + i * lanes);
  }
  for (int l = 0; l < RUNG_PACK; ++l) next[l] = at[l] + i;
  if (i + 2 == n) GatherLanes2(next, lanes, to + i * lanes);
  if (i + 1 == n) GatherLanes1(next, to + i * lanes);
}

typedef double RungTwo __attribute__((vector_size(16), aligned(8), may_alias));

/* at[i] += from[i * lanes], i < n, of one lane */
RUNG_INLINE void ScatterLane(double at[], ptrdiff_t n, ptrdiff_t lanes, const double from[])
{
  ptrdiff_t i = 0;

  for (; i + 2 <= n; i += 2) *(RungTwo *)(at + i) += (RungTwo){from[i * lanes], from[(i + 1) * lanes]};
  if (i < n) at[i] += from[i * lanes];
}
