/* vector_math.h - functions of Reals (vectors of doubles) for emitted sources: each is copied there when it is wanted.

   Without branches, calls or tables, so that all lanes go at once; errors stay below one unit in the last place of the
   result but for rounding.  Zeros, denormals, infinities and what is not a number come out as the C library has them.
   The polynomials are Chebyshev fits of the ranges named. */

/* a = 2^k m with m in [1/sqrt 2, sqrt 2]; log m = 2 atanh s, s = (m - 1)/(m + 1), as f - (f^2/2 - s (f^2/2 + R(s^2)))
   with f = m - 1 and R(z) = 2 atanh(s)/s - 2 on [0, 0.0295]. */
static inline Real each_log(Real a)
{
  typedef unsigned long long Bits __attribute__((vector_size(8 * LANES)));
  const Mask                 tiny = a < 2.2250738585072014e-308; /* not normal: 2^54 times as large */
  const Bits                 bits = (Bits)choose(tiny, a * 18014398509481984., a) + 0x95f619980c433ull;
  const Real k = (Real)((bits >> 52) + 0x4338000000000000ull) - 6755399441056767. - choose(tiny, all(54), all(0));
  const Real f = (Real)((bits & 0xfffffffffffffull) + 0x3fe6a09e667f3bcdull) - 1., s = f / (2. + f), z = s * s;
  const Real h = 0.5 * f * f;
  Real       r = 0.14616585424888623 * z + 0.15331710618210773;

  r = (((r * z + 0.18182889455674947) * z + 0.22222211130259878) * z + 0.2857142862600327) * z;
  r = ((r + 0.39999999999899444) * z + 0.666666666666667) * z;
  r = k * 0.6931471804855391 - ((h - (s * (h + r) + k * 7.440617110012397e-11)) - f);
  r = choose(a == __builtin_inf(), a, r);
  r = choose(a == 0., all(-__builtin_inf()), r);
  return choose(a >= 0., r, all(__builtin_nan("")));
}

/* a = n log 2 + r; exp r = 1 + r + r^2 (1/2 + r E(r)) on [-0.347, 0.347]; times 2^n in two steps, for results that are
   not normal. */
static inline Real each_exp(Real a)
{
  const Real b     = choose(a > 710., all(710), choose(a < -746., all(-746), a));
  const Real n     = (b * 1.4426950408889634 + 6755399441055744.) - 6755399441055744.;
  const Real r     = (b - n * 0.6931471804855391) - n * 7.440617110012397e-11;
  const Real first = 0.5 * n + 6755399441055744., second = n - (first - 6755399441055744.) + 6755399441055744.;
  Real       e = 2.509563297507093e-08 * r + 2.761390867578486e-07;

  e = ((e * r + 2.755727992579576e-06) * r + 2.480153620505534e-05) * r + 0.00019841269854409363;
  e = ((e * r + 0.0013888888905973543) * r + 0.008333333333332147) * r + 0.041666666666651246;
  e = 1. + (r + r * r * (0.5 + r * (e * r + 0.16666666666666666)));
  e = e * (Real)(((Mask)first - 0x4337fffffffffc01ll) << 52);
  return e * (Real)(((Mask)second - 0x4337fffffffffc01ll) << 52);
}
