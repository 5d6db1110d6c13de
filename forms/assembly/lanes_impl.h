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

RUNG_INLINE const double *lane_at(Lanes lanes, int l)
{
  if (lanes.at) return lanes.at[l] + lanes.skip;
  return lanes.from + (ptrdiff_t)lanes.index[l * lanes.distance] * lanes.scale + lanes.skip;
}

RUNG_INLINE Lanes lanes_skip(Lanes lanes, ptrdiff_t n)
{
  lanes.skip += n;
  return lanes;
}

#if RUNG_PACK == 8 && defined(__AVX512F__) && defined(__AVX512VL__)
RUNG_INLINE __m512d join8(__m256d low, __m256d high)
{
  return _mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1);
}

RUNG_INLINE __m256d join4(__m128d low, __m128d high)
{
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
}

RUNG_INLINE __m128d load1(const double *a, const double *b)
{
  return _mm_loadh_pd(_mm_load_sd(a), b);
}

/* to[lane] = the first number */
RUNG_INLINE void gather_lanes1(Lanes lanes, double to[])
{
  const __m256d low  = join4(load1(lane_at(lanes, 0), lane_at(lanes, 1)), load1(lane_at(lanes, 2), lane_at(lanes, 3)));
  const __m256d high = join4(load1(lane_at(lanes, 4), lane_at(lanes, 5)), load1(lane_at(lanes, 6), lane_at(lanes, 7)));

  _mm512_store_pd(to, join8(low, high));
}

/* Lanes l, l + 2, l + 4, l + 6 of pairs (a, b): two numbers each. */
RUNG_INLINE __m512d load2(Lanes lanes, int l)
{
  const __m256d low  = join4(_mm_loadu_pd(lane_at(lanes, l)), _mm_loadu_pd(lane_at(lanes, l + 2)));
  const __m256d high = join4(_mm_loadu_pd(lane_at(lanes, l + 4)), _mm_loadu_pd(lane_at(lanes, l + 6)));

  return join8(low, high);
}

/* to[i][lane], i < 2, at a distance */
RUNG_INLINE void gather_lanes2(Lanes lanes, ptrdiff_t distance, double to[])
{
  const __m512d even = load2(lanes, 0), odd = load2(lanes, 1);

  _mm512_store_pd(to, _mm512_unpacklo_pd(even, odd));
  _mm512_store_pd(to + distance, _mm512_unpackhi_pd(even, odd));
}

/* n = 3 or 4 numbers of lanes l and l + 2; what is behind them is not touched */
RUNG_INLINE __m512d load4(Lanes lanes, int l, int n)
{
  const __mmask8 mask = (__mmask8)((1 << n) - 1);

  if (n == 4) return join8(_mm256_loadu_pd(lane_at(lanes, l)), _mm256_loadu_pd(lane_at(lanes, l + 2)));
  return join8(_mm256_maskz_loadu_pd(mask, lane_at(lanes, l)), _mm256_maskz_loadu_pd(mask, lane_at(lanes, l + 2)));
}

RUNG_INLINE void gather_lanes4(Lanes lanes, int n, ptrdiff_t distance, double to[])
{
  const __m512d a = load4(lanes, 0, n), b = load4(lanes, 1, n), c = load4(lanes, 4, n), d = load4(lanes, 5, n);
  const __m512d ab = _mm512_unpacklo_pd(a, b), cd = _mm512_unpacklo_pd(c, d); /* numbers 0 and 2 of four lanes each */
  const __m512d AB = _mm512_unpackhi_pd(a, b), CD = _mm512_unpackhi_pd(c, d); /* 1 and 3                            */

  _mm512_store_pd(to, _mm512_shuffle_f64x2(ab, cd, 0x88));
  _mm512_store_pd(to + distance, _mm512_shuffle_f64x2(AB, CD, 0x88));
  _mm512_store_pd(to + 2 * distance, _mm512_shuffle_f64x2(ab, cd, 0xdd));
  if (n == 4) _mm512_store_pd(to + 3 * distance, _mm512_shuffle_f64x2(AB, CD, 0xdd));
}
#elif RUNG_PACK == 4 && defined(__AVX2__)
RUNG_INLINE __m256d join4(__m128d low, __m128d high)
{
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
}

RUNG_INLINE __m128d load1(const double *a, const double *b)
{
  return _mm_loadh_pd(_mm_load_sd(a), b);
}

RUNG_INLINE void gather_lanes1(Lanes lanes, double to[])
{
  _mm256_store_pd(to, join4(load1(lane_at(lanes, 0), lane_at(lanes, 1)), load1(lane_at(lanes, 2), lane_at(lanes, 3))));
}

RUNG_INLINE __m256d load2(Lanes lanes, int l)
{
  return join4(_mm_loadu_pd(lane_at(lanes, l)), _mm_loadu_pd(lane_at(lanes, l + 2)));
}

RUNG_INLINE void gather_lanes2(Lanes lanes, ptrdiff_t distance, double to[])
{
  const __m256d even = load2(lanes, 0), odd = load2(lanes, 1);

  _mm256_store_pd(to, _mm256_unpacklo_pd(even, odd));
  _mm256_store_pd(to + distance, _mm256_unpackhi_pd(even, odd));
}

RUNG_INLINE __m256d load4(Lanes lanes, int l, int n)
{
  const double *a = lane_at(lanes, l);

  return n == 4 ? _mm256_loadu_pd(a) : _mm256_maskload_pd(a, _mm256_setr_epi64x(-1, -1, -1, 0));
}

RUNG_INLINE void gather_lanes4(Lanes lanes, int n, ptrdiff_t distance, double to[])
{
  const __m256d a = load4(lanes, 0, n), b = load4(lanes, 1, n), c = load4(lanes, 2, n), d = load4(lanes, 3, n);
  const __m256d ab = _mm256_unpacklo_pd(a, b), cd = _mm256_unpacklo_pd(c, d);
  const __m256d AB = _mm256_unpackhi_pd(a, b), CD = _mm256_unpackhi_pd(c, d);

  _mm256_store_pd(to, _mm256_permute2f128_pd(ab, cd, 0x20));
  _mm256_store_pd(to + distance, _mm256_permute2f128_pd(AB, CD, 0x20));
  _mm256_store_pd(to + 2 * distance, _mm256_permute2f128_pd(ab, cd, 0x31));
  if (n == 4) _mm256_store_pd(to + 3 * distance, _mm256_permute2f128_pd(AB, CD, 0x31));
}
#else
RUNG_INLINE void gather_lanes1(Lanes lanes, double to[])
{
  RungPack pack;

  for (int l = 0; l < RUNG_PACK; ++l) pack[l] = *lane_at(lanes, l);
  *(RungPack *)to = pack;
}

RUNG_INLINE void gather_lanes2(Lanes lanes, ptrdiff_t distance, double to[])
{
  gather_lanes1(lanes, to);
  gather_lanes1(lanes_skip(lanes, 1), to + distance);
}

RUNG_INLINE void gather_lanes4(Lanes lanes, int n, ptrdiff_t distance, double to[])
{
  gather_lanes2(lanes, distance, to);
  if (n == 4)
    gather_lanes2(lanes_skip(lanes, 2), distance, to + 2 * distance);
  else
    gather_lanes1(lanes_skip(lanes, 2), to + 2 * distance);
}
#endif

/* to[i * distance + lane] = number i of the lane, i < n */
RUNG_INLINE void gather_lanes(Lanes lanes, ptrdiff_t n, ptrdiff_t distance, double to[])
{
  ptrdiff_t i = 0;

  for (; i + 3 <= n; i += i + 4 <= n ? 4 : 3)
    gather_lanes4(lanes_skip(lanes, i), i + 4 <= n ? 4 : 3, distance, to + i * distance);
  if (i + 2 == n) gather_lanes2(lanes_skip(lanes, i), distance, to + i * distance);
  if (i + 1 == n) gather_lanes1(lanes_skip(lanes, i), to + i * distance);
}

typedef double RungDoublePair __attribute__((vector_size(16), aligned(8), may_alias));

/* at[i] += from[i * lanes], i < n, of one lane */
RUNG_INLINE void scatter_lane(double at[], ptrdiff_t n, ptrdiff_t lanes, const double from[])
{
  ptrdiff_t i = 0;

  for (; i + 2 <= n; i += 2) *(RungDoublePair *)(at + i) += (RungDoublePair){from[i * lanes], from[(i + 1) * lanes]};
  if (i < n) at[i] += from[i * lanes];
}
