/* runs_impl.h - runs of memory to lanes and back: n numbers that follow each other at each of as many places as a vector has
   lanes, number i to or from a row of its own, row[i] numbers on.

   Squares of numbers are transposed in registers: a load and a store serve a whole vector, not one number.  Nothing is
   stored under a mask: the next lane often reads it again at once, and would wait. */
#pragma once

#include "lanes_impl.h"

/* at[lane] of the numbers from i on */
RUNG_INLINE void advance(const double *const at[], ptrdiff_t i, const double *next[])
{
  for (int l = 0; l < RUNG_PACK; ++l) next[l] = at[l] + i;
}

/* to[row[i] + lane] = at[lane][i], i < n <= 4 */
RUNG_INLINE void gather_few(const double *const at[], int n, const int row[], double to[])
{
  double few[4 * RUNG_PACK] __attribute__((aligned(64)));

  if (n == 1) {
    gather_lanes1((Lanes){.at = at}, to + row[0]);
    return;
  }
  if (n == 2)
    gather_lanes2((Lanes){.at = at}, RUNG_PACK, few);
  else
    gather_lanes4((Lanes){.at = at}, n, RUNG_PACK, few);
  for (int i = 0; i < n; ++i) *(RungPack *)(to + row[i]) = ((RungPack *)few)[i];
}

/* at[lane][i] += from[row[i] + lane], i < n, number by number */
RUNG_INLINE void scatter_singly(double *const at[], int n, const int row[], const double from[])
{
  for (int l = 0; l < RUNG_PACK; ++l) {
    int i = 0;

    for (; i + 2 <= n; i += 2)
      *(RungDoublePair *)(at[l] + i) += (RungDoublePair){from[row[i] + l], from[row[i + 1] + l]};
    if (i < n) at[l][i] += from[row[i] + l];
  }
}

#if RUNG_PACK == 8 && defined(__AVX512F__) && defined(__AVX512VL__)
  #define RUNG_SQUARE 8

/* v[8] transposed */
RUNG_INLINE void transpose(__m512d v[])
{
  __m512d a[8], b[8];

  for (int i = 0; i < 8; i += 2) { /* pairs of lanes */
    a[i]     = _mm512_unpacklo_pd(v[i], v[i + 1]);
    a[i + 1] = _mm512_unpackhi_pd(v[i], v[i + 1]);
  }
  for (int i = 0; i < 2; ++i) { /* fours */
    b[i]     = _mm512_shuffle_f64x2(a[i], a[i + 2], 0x44);
    b[i + 2] = _mm512_shuffle_f64x2(a[i], a[i + 2], 0xee);
    b[i + 4] = _mm512_shuffle_f64x2(a[i + 4], a[i + 6], 0x44);
    b[i + 6] = _mm512_shuffle_f64x2(a[i + 4], a[i + 6], 0xee);
  }
  for (int i = 0; i < 2; ++i) {
    v[i]     = _mm512_shuffle_f64x2(b[i], b[i + 4], 0x88);
    v[i + 2] = _mm512_shuffle_f64x2(b[i], b[i + 4], 0xdd);
    v[i + 4] = _mm512_shuffle_f64x2(b[i + 2], b[i + 6], 0x88);
    v[i + 6] = _mm512_shuffle_f64x2(b[i + 2], b[i + 6], 0xdd);
  }
}

RUNG_INLINE void gather_square(const double *const at[], const int row[], double to[])
{
  __m512d v[8];

  for (int l = 0; l < 8; ++l) v[l] = _mm512_loadu_pd(at[l]);
  transpose(v);
  for (int i = 0; i < 8; ++i) _mm512_store_pd(to + row[i], v[i]);
}

RUNG_INLINE void scatter_square(double *const at[], const int row[], const double from[])
{
  __m512d v[8];

  for (int i = 0; i < 8; ++i) v[i] = _mm512_load_pd(from + row[i]);
  transpose(v);
  for (int l = 0; l < 8; ++l) _mm512_storeu_pd(at[l], _mm512_add_pd(_mm512_loadu_pd(at[l]), v[l]));
}

/* n = 3 or 4 */
RUNG_INLINE void add_four(double at[], int n, __m256d v)
{
  if (n == 4) {
    _mm256_storeu_pd(at, _mm256_add_pd(_mm256_loadu_pd(at), v));
    return;
  }
  _mm_storeu_pd(at, _mm_add_pd(_mm_loadu_pd(at), _mm256_castpd256_pd128(v)));
  _mm_store_sd(at + 2, _mm_add_sd(_mm_load_sd(at + 2), _mm256_extractf128_pd(v, 1)));
}

RUNG_INLINE void scatter_four(double *const at[], int n, const int row[], const double from[])
{
  const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
  __m512d       v[4], pair[4];

  for (int i = 0; i < 4; ++i) v[i] = _mm512_load_pd(from + row[PetscMin(i, n - 1)]);
  for (int i = 0; i < 2; ++i) { /* even lanes, odd lanes */
    const __m512d a = i ? _mm512_unpackhi_pd(v[0], v[1]) : _mm512_unpacklo_pd(v[0], v[1]);
    const __m512d b = i ? _mm512_unpackhi_pd(v[2], v[3]) : _mm512_unpacklo_pd(v[2], v[3]);

    pair[i]     = _mm512_permutex2var_pd(a, low, b);  /* lanes i, i + 2 */
    pair[i + 2] = _mm512_permutex2var_pd(a, high, b); /* i + 4, i + 6   */
  }
  for (int l = 0; l < 8; ++l) {
    const __m512d from2 = pair[l % 2 + l / 4 * 2];

    add_four(at[l], n, l / 2 % 2 ? _mm512_extractf64x4_pd(from2, 1) : _mm512_castpd512_pd256(from2));
  }
}
#elif RUNG_PACK == 4 && defined(__AVX2__)
  #define RUNG_SQUARE 4

RUNG_INLINE void transpose(__m256d v[])
{
  const __m256d a = _mm256_unpacklo_pd(v[0], v[1]), b = _mm256_unpackhi_pd(v[0], v[1]),
                c = _mm256_unpacklo_pd(v[2], v[3]), d = _mm256_unpackhi_pd(v[2], v[3]);

  v[0] = _mm256_permute2f128_pd(a, c, 0x20);
  v[1] = _mm256_permute2f128_pd(b, d, 0x20);
  v[2] = _mm256_permute2f128_pd(a, c, 0x31);
  v[3] = _mm256_permute2f128_pd(b, d, 0x31);
}

RUNG_INLINE void gather_square(const double *const at[], const int row[], double to[])
{
  __m256d v[4];

  for (int l = 0; l < 4; ++l) v[l] = _mm256_loadu_pd(at[l]);
  transpose(v);
  for (int i = 0; i < 4; ++i) _mm256_store_pd(to + row[i], v[i]);
}

RUNG_INLINE void scatter_square(double *const at[], const int row[], const double from[])
{
  __m256d v[4];

  for (int i = 0; i < 4; ++i) v[i] = _mm256_load_pd(from + row[i]);
  transpose(v);
  for (int l = 0; l < 4; ++l) _mm256_storeu_pd(at[l], _mm256_add_pd(_mm256_loadu_pd(at[l]), v[l]));
}

RUNG_INLINE void scatter_four(double *const at[], int n, const int row[], const double from[])
{
  if (n == 4)
    scatter_square(at, row, from);
  else
    scatter_singly(at, n, row, from);
}
#else
  #define RUNG_SQUARE 4

RUNG_INLINE void gather_square(const double *const at[], const int row[], double to[])
{
  gather_few(at, 4, row, to);
}

RUNG_INLINE void scatter_square(double *const at[], const int row[], const double from[])
{
  scatter_singly(at, 4, row, from);
}

RUNG_INLINE void scatter_four(double *const at[], int n, const int row[], const double from[])
{
  scatter_singly(at, n, row, from);
}
#endif

/* to[row[i] + lane] = start[lane][i], i < n */
RUNG_INLINE void gather_piece(const double *const start[], ptrdiff_t n, const int row[], double to[])
{
  const double *at[RUNG_PACK];
  ptrdiff_t     i = 0;

  for (; i + RUNG_SQUARE <= n; i += RUNG_SQUARE) {
    advance(start, i, at);
    gather_square(at, row + i, to);
  }
  if (i + 4 <= n) {
    advance(start, i, at);
    gather_few(at, 4, row + i, to);
    i += 4;
  }
  advance(start, i, at);
  if (i + 3 == n) gather_few(at, 3, row + i, to);
  if (i + 2 == n) gather_few(at, 2, row + i, to);
  if (i + 1 == n) gather_few(at, 1, row + i, to);
}

/* start[lane][i] += from[row[i] + lane], i < n */
RUNG_INLINE void scatter_piece(double *const start[], ptrdiff_t n, const int row[], const double from[])
{
  double   *at[RUNG_PACK];
  ptrdiff_t i = 0;

  for (; i + RUNG_SQUARE <= n; i += RUNG_SQUARE) {
    advance((const double *const *)start, i, (const double **)at);
    scatter_square(at, row + i, from);
  }
  if (i + 4 <= n) {
    advance((const double *const *)start, i, (const double **)at);
    scatter_four(at, 4, row + i, from);
    i += 4;
  }
  advance((const double *const *)start, i, (const double **)at);
  if (i + 3 == n) scatter_four(at, 3, row + i, from);
  if (i + 2 == n) scatter_singly(at, 2, row + i, from);
  if (i + 1 == n) scatter_singly(at, 1, row + i, from);
}
