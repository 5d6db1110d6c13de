/* lanes_impl.h - from numbers that lie anywhere to lanes and back: n numbers that follow each other, of as many places as a
   vector has lanes.

   A store for each number would keep the kernel's loads waiting for all of them: what is read together is built in
   registers, by transposition, and stored whole. */
#pragma once

#include "kernel_impl.h"
#if defined(__AVX2__)
  #include <immintrin.h>
#endif

/* Where each lane of a vector reads: at[lane], or looked up, from[index[lane * distance] * scale]; `skip` numbers on.
   A place is worked out right where it is read: all of them at once would not fit in the registers. */
typedef struct {
  const double *const *at; /* NULL: looked up */
  const double        *from;
  const PetscInt      *index;
  ptrdiff_t            distance, scale, skip;
} Lanes;

RUNG_INLINE const double *LaneAt(Lanes lanes, int l)
{
  if (lanes.at) return lanes.at[l] + lanes.skip;
  return lanes.from + (ptrdiff_t)lanes.index[l * lanes.distance] * lanes.scale + lanes.skip;
}

RUNG_INLINE Lanes LanesSkip(Lanes lanes, ptrdiff_t n)
{
  lanes.skip += n;
  return lanes;
}

#if RUNG_PACK == 8 && defined(__AVX512F__) && defined(__AVX512VL__)
RUNG_INLINE __m512d Join8(__m256d low, __m256d high)
{
  return _mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1);
}

RUNG_INLINE __m256d Join4(__m128d low, __m128d high)
{
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
}

RUNG_INLINE __m128d Load1(const double *a, const double *b)
{
  return _mm_loadh_pd(_mm_load_sd(a), b);
}

/* to[lane] = the first number */
RUNG_INLINE void GatherLanes1(Lanes lanes, double to[])
{
  const __m256d low  = Join4(Load1(LaneAt(lanes, 0), LaneAt(lanes, 1)), Load1(LaneAt(lanes, 2), LaneAt(lanes, 3)));
  const __m256d high = Join4(Load1(LaneAt(lanes, 4), LaneAt(lanes, 5)), Load1(LaneAt(lanes, 6), LaneAt(lanes, 7)));

  _mm512_store_pd(to, Join8(low, high));
}

/* Lanes l, l + 2, l + 4, l + 6 of pairs (a, b): two numbers each. */
RUNG_INLINE __m512d Load2(Lanes lanes, int l)
{
  const __m256d low  = Join4(_mm_loadu_pd(LaneAt(lanes, l)), _mm_loadu_pd(LaneAt(lanes, l + 2)));
  const __m256d high = Join4(_mm_loadu_pd(LaneAt(lanes, l + 4)), _mm_loadu_pd(LaneAt(lanes, l + 6)));

  return Join8(low, high);
}

/* to[i][lane], i < 2, at a distance */
RUNG_INLINE void GatherLanes2(Lanes lanes, ptrdiff_t distance, double to[])
{
  const __m512d even = Load2(lanes, 0), odd = Load2(lanes, 1);

  _mm512_store_pd(to, _mm512_unpacklo_pd(even, odd));
  _mm512_store_pd(to + distance, _mm512_unpackhi_pd(even, odd));
}

/* n = 3 or 4 numbers of lanes l and l + 2; what is behind them is not touched */
RUNG_INLINE __m512d Load4(Lanes lanes, int l, int n)
{
  const __mmask8 mask = (__mmask8)((1 << n) - 1);

  if (n == 4) return Join8(_mm256_loadu_pd(LaneAt(lanes, l)), _mm256_loadu_pd(LaneAt(lanes, l + 2)));
  return Join8(_mm256_maskz_loadu_pd(mask, LaneAt(lanes, l)), _mm256_maskz_loadu_pd(mask, LaneAt(lanes, l + 2)));
}

RUNG_INLINE void GatherLanes4(Lanes lanes, int n, ptrdiff_t distance, double to[])
{
  const __m512d a = Load4(lanes, 0, n), b = Load4(lanes, 1, n), c = Load4(lanes, 4, n), d = Load4(lanes, 5, n);
  const __m512d ab = _mm512_unpacklo_pd(a, b), cd = _mm512_unpacklo_pd(c, d); /* numbers 0 and 2 of four lanes each */
  const __m512d AB = _mm512_unpackhi_pd(a, b), CD = _mm512_unpackhi_pd(c, d); /* 1 and 3                            */

  _mm512_store_pd(to, _mm512_shuffle_f64x2(ab, cd, 0x88));
  _mm512_store_pd(to + distance, _mm512_shuffle_f64x2(AB, CD, 0x88));
  _mm512_store_pd(to + 2 * distance, _mm512_shuffle_f64x2(ab, cd, 0xdd));
  if (n == 4) _mm512_store_pd(to + 3 * distance, _mm512_shuffle_f64x2(AB, CD, 0xdd));
}
#elif RUNG_PACK == 4 && defined(__AVX2__)
RUNG_INLINE __m256d Join4(__m128d low, __m128d high)
{
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
}

RUNG_INLINE __m128d Load1(const double *a, const double *b)
{
  return _mm_loadh_pd(_mm_load_sd(a), b);
}

RUNG_INLINE void GatherLanes1(Lanes lanes, double to[])
{
  _mm256_store_pd(to, Join4(Load1(LaneAt(lanes, 0), LaneAt(lanes, 1)), Load1(LaneAt(lanes, 2), LaneAt(lanes, 3))));
}

RUNG_INLINE __m256d Load2(Lanes lanes, int l)
{
  return Join4(_mm_loadu_pd(LaneAt(lanes, l)), _mm_loadu_pd(LaneAt(lanes, l + 2)));
}

RUNG_INLINE void GatherLanes2(Lanes lanes, ptrdiff_t distance, double to[])
{
  const __m256d even = Load2(lanes, 0), odd = Load2(lanes, 1);

  _mm256_store_pd(to, _mm256_unpacklo_pd(even, odd));
  _mm256_store_pd(to + distance, _mm256_unpackhi_pd(even, odd));
}

RUNG_INLINE __m256d Load4(Lanes lanes, int l, int n)
{
  const double *a = LaneAt(lanes, l);

  return n == 4 ? _mm256_loadu_pd(a) : _mm256_maskload_pd(a, _mm256_setr_epi64x(-1, -1, -1, 0));
}

RUNG_INLINE void GatherLanes4(Lanes lanes, int n, ptrdiff_t distance, double to[])
{
  const __m256d a = Load4(lanes, 0, n), b = Load4(lanes, 1, n), c = Load4(lanes, 2, n), d = Load4(lanes, 3, n);
  const __m256d ab = _mm256_unpacklo_pd(a, b), cd = _mm256_unpacklo_pd(c, d);
  const __m256d AB = _mm256_unpackhi_pd(a, b), CD = _mm256_unpackhi_pd(c, d);

  _mm256_store_pd(to, _mm256_permute2f128_pd(ab, cd, 0x20));
  _mm256_store_pd(to + distance, _mm256_permute2f128_pd(AB, CD, 0x20));
  _mm256_store_pd(to + 2 * distance, _mm256_permute2f128_pd(ab, cd, 0x31));
  if (n == 4) _mm256_store_pd(to + 3 * distance, _mm256_permute2f128_pd(AB, CD, 0x31));
}
#else
RUNG_INLINE void GatherLanes1(Lanes lanes, double to[])
{
  RungPack pack;

  for (int l = 0; l < RUNG_PACK; ++l) pack[l] = *LaneAt(lanes, l);
  *(RungPack *)to = pack;
}

RUNG_INLINE void GatherLanes2(Lanes lanes, ptrdiff_t distance, double to[])
{
  GatherLanes1(lanes, to);
  GatherLanes1(LanesSkip(lanes, 1), to + distance);
}

RUNG_INLINE void GatherLanes4(Lanes lanes, int n, ptrdiff_t distance, double to[])
{
  GatherLanes2(lanes, distance, to);
  if (n == 4)
    GatherLanes2(LanesSkip(lanes, 2), distance, to + 2 * distance);
  else
    GatherLanes1(LanesSkip(lanes, 2), to + 2 * distance);
}
#endif

/* to[i * distance + lane] = number i of the lane, i < n */
RUNG_INLINE void GatherLanes(Lanes lanes, ptrdiff_t n, ptrdiff_t distance, double to[])
{
  ptrdiff_t i = 0;

  for (; i + 3 <= n; i += i + 4 <= n ? 4 : 3)
    GatherLanes4(LanesSkip(lanes, i), i + 4 <= n ? 4 : 3, distance, to + i * distance);
  if (i + 2 == n) GatherLanes2(LanesSkip(lanes, i), distance, to + i * distance);
  if (i + 1 == n) GatherLanes1(LanesSkip(lanes, i), to + i * distance);
}

typedef double RungTwo __attribute__((vector_size(16), aligned(8), may_alias));

/* at[i] += from[i * lanes], i < n, of one lane */
RUNG_INLINE void ScatterLane(double at[], ptrdiff_t n, ptrdiff_t lanes, const double from[])
{
  ptrdiff_t i = 0;

  for (; i + 2 <= n; i += 2) *(RungTwo *)(at + i) += (RungTwo){from[i * lanes], from[(i + 1) * lanes]};
  if (i < n) at[i] += from[i * lanes];
}
