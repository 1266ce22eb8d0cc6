// The functions of one number that kernels compute (arithmetic contract, rule 5), each written once, for any type of number: LowerMath instantiates
// them with Expression, which makes MLIR; test/unit/loops with MachineNumber, which computes: what is compiled has the same bits. The program
// math-errors judges what is compiled over all f32 (exp2 and erfc as parts of gelu). Largest errors in units in the last place:
//     exp 0.88, exp2 0.87, tanh 1.07, erf 1.01, log 0.91     all monotone
//     erfc 1.17, of the result or of 1/2 where that is more  falls by a last place here and there; only gelu takes it, which falls anyhow
//     sin 0.51, cos 0.51                                     while |x| <= 2^40; beyond, some number in [-1, 1]
// NaN stays NaN. Coefficients without a source are minimax polynomials of our own, rounded to f32 one after the other from the lowest power up.
#pragma once
#include <cstdint>
#include <limits>
#include <utility>

namespace heddle {

/// c[0] x^(n-1) + ... + c[n-1], by Horner's rule.
template <typename Number, typename Coefficient, int n> Number polynomial(Number x, const Coefficient (&c)[n]) {
  Number sum = x.like(c[0]);
  for (int i = 1; i < n; ++i)
    sum = fma(sum, x, c[i]);
  return sum;
}

/// The two factors of exp(x): a number in [0.7, 1.42] and a power of two, its exponent as a number and as a whole number.
template <typename Number> struct ScaledExponential {
  Number mantissa, exponent;
  decltype(bits(std::declval<Number>())) wholeExponent;
};

/// exp(x) = 2^n * exp(r), n the nearest whole number to x / ln 2, r = x - n ln 2 in two parts (Cody, Waite 1980), exp(r) = 1 + (r + r^2 q(r)) with
/// the polynomial of Cephes' expf.
template <typename Number> ScaledExponential<Number> splitExponential(Number x) {
  constexpr float magic = 12582912.0f; // 1.5 * 2^23: adding it rounds to a whole number that stands in the low bits
  Number shifted = fma(x, 1.44269504088896341f, x.like(magic)), n = shifted - magic;
  auto exponent = bits(shifted) - bits(x.like(magic)); // of the bits, so that a NaN is never converted
  Number high = fma(n, -0.693145751953125f, x);
  Number r = fma(n, -1.42860682030941723212e-6f, high), rest = fma(n, -1.42860682030941723212e-6f, high - r);
  Number q = polynomial(r, {1.9875691500E-4f, 1.3981999507E-3f, 8.3334519073E-3f, 4.1665795894E-2f, 1.6666665459E-1f, 5.0000001201E-1f});
  return {1.0f + (r + fma(q, r * r, rest)), n, exponent};
}

/// 2^n for n in [-126, 127].
template <typename Integer> auto powerOfTwo(Integer n) { return number((n + 127) << 23); }

/// x * 2^n, rounded once, for n in [-152, 130]. In two halves, so that results below the normal range round once too; Expression does it in one
/// instruction where the target has it.
template <typename Number> Number scaleByPowerOfTwo(const ScaledExponential<Number> &x) {
  auto half = x.wholeExponent >> 1;
  return x.mantissa * powerOfTwo(half) * powerOfTwo(x.wholeExponent - half);
}
/// The same where the result is normal.
template <typename Number> Number scaleWithinRange(const ScaledExponential<Number> &x) { return x.mantissa * powerOfTwo(x.wholeExponent); }

/// exp.
template <typename Number> Number exponential(Number x) {
  Number within = select(x < -105.0f, x.like(-105.0f), x);
  within = select(within > 89.5f, x.like(89.5f), within);
  return scaleByPowerOfTwo(splitExponential(within));
}

/// x = whole + fraction, both exact, the fraction at most 1/2; the whole number as a number and as one.
template <typename Number> struct SplitNumber {
  Number whole, fraction;
  decltype(bits(std::declval<Number>())) wholeBits;
};
/// For |x| < 2^22; Expression does it by two instructions where the target has them, for all x.
template <typename Number> SplitNumber<Number> splitAtWholeNumber(Number x) {
  constexpr float magic = 12582912.0f; // as above
  Number shifted = x + magic, n = shifted - magic;
  return {n, x - n, bits(shifted) - bits(x.like(magic))};
}

/// The two factors of 2^x, x = n + f: 2^f = 1 + (f ln 2 + f^2 q(f)): the first two terms rise steadily, so the sum does.
template <typename Number> ScaledExponential<Number> splitPowerOfTwo(Number x) {
  auto [n, f, exponent] = splitAtWholeNumber(x);
  Number q = polynomial(f, {0.000153264657f, 0.00133908063f, 0.00961850584f, 0.0555035993f, 0.240226477f});
  return {1.0f + fma(f, 0.693147182f, q * (f * f)), n, exponent};
}

/// A number that can be split, with the same power of two; not needed where all can be.
template <typename Number> Number withinPowersOfTwo(Number x) {
  Number within = select(x < -152.0f, x.like(-152.0f), x);
  return select(within > 129.0f, x.like(129.0f), within);
}

/// 2^x.
template <typename Number> Number exponentialOfTwo(Number x) { return scaleByPowerOfTwo(splitPowerOfTwo(withinPowersOfTwo(x))); }

/// exp where neither x nor the result needs care: x in [-87, 88] or NaN.
template <typename Number> Number exponentialWithinRange(Number x) { return scaleWithinRange(splitExponential(x)); }

/// |x| and the sign of x: odd functions are computed on |x| and get the sign back, -0 included.
template <typename Number> auto signOf(Number x) { return bits(x) & std::numeric_limits<int32_t>::min(); }
template <typename Number> Number magnitudeOf(Number x) { return number(bits(x) & std::numeric_limits<int32_t>::max()); }
template <typename Number, typename Integer> Number withSign(Number magnitude, Integer sign) { return number(bits(magnitude) | sign); }

/// tanh(x) = x + x^3 p(x^2) below 0.7, else 1 - 2 / (exp(2x) + 1). Every step of the latter is monotone.
template <typename Number> Number hyperbolicTangent(Number x) {
  Number magnitude = magnitudeOf(x), t = select(magnitude > 10.0f, x.like(10.0f), magnitude), square = t * t;
  Number p = polynomial(square, {-0.00514046336f, 0.0200943351f, -0.0535599627f, 0.133291319f, -0.333331913f});
  Number low = fma(p * square, t, t);
  Number high = 1.0f - 2.0f / (exponentialWithinRange(t + t) + 1.0f);
  return withSign(select(t < 0.7f, low, high), signOf(x));
}

/// erf(x) = x + x p(x^2) below 0.93, else 1 - exp(x q(x) - x): the exponential makes the error of q small where the result is near 1.
template <typename Number> Number errorFunction(Number x) {
  Number magnitude = magnitudeOf(x), t = select(magnitude > 4.0f, x.like(4.0f), magnitude);
  Number p = polynomial(t * t, {7.99528643e-05f, -0.000804954499f, 0.00519239344f, -0.0268557295f, 0.112836257f, -0.376126289f, 0.128379166f});
  Number q = polynomial(t, {-1.18055923e-05f, 0.00032849799f, -0.00366537692f, 0.0238100141f, -0.10629192f, -0.635118425f, -0.128656492f});
  Number low = fma(p, t, t), high = 1.0f - exponentialWithinRange(fma(q, t, -t));
  return withSign(select(t < 0.9277f, low, high), signOf(x));
}

/// erfc(x) = 2^(c t + t^2 q(t)), t = |x|, or 2 less that where x is negative: half the work of erf, which gelu needs nowhere but in 1 + erf.
template <typename Number> Number complementaryErrorFunction(Number x) {
  constexpr float zeroFrom = 7.2761f; // where the power rounds to 0
  Number magnitude = magnitudeOf(x), t = select(magnitude > zeroFrom, x.like(zeroFrom), magnitude);
  Number q = polynomial(t, {-4.53544708e-05f, 0.000445483049f, -0.00148940342f, -0.000774601416f, 0.0282535497f, -0.148481488f, -0.91841644f});
  Number tail = scaleByPowerOfTwo(splitPowerOfTwo(fma(t, -1.62790859f, q * (t * t))));
  return select(x < 0.0f, 2.0f - tail, tail);
}

/// log(x) = e ln 2 + log(1 + m), 2/3 <= 1 + m < 4/3, log(1 + m) = m + m^2 (-1/2 + m p(m)).
template <typename Number> Number logarithm(Number x) {
  constexpr float smallestNormal = std::numeric_limits<float>::min(), infinity = std::numeric_limits<float>::infinity();
  auto subnormal = x < smallestNormal;
  Number normal = select(subnormal, x * 8388608.0f, x); // 2^23
  auto steps = (bits(normal) - bits(x.like(2.0f / 3.0f))) & static_cast<int32_t>(0xff800000);
  Number m = number(bits(normal) - steps) - 1.0f;
  Number e = fma(toNumber(steps), 1.1920928955078125e-7f, select(subnormal, x.like(-23.0f), x.like(0.0f))); // 2^-23
  Number p = polynomial(
      m, {0.117478088f, -0.128743857f, 0.108216852f, -0.121881723f, 0.142989531f, -0.166800857f, 0.199997649f, -0.249998108f, 0.333333343f});
  Number fraction = fma(fma(p, m, -0.5f), m * m, m);
  Number finite = fma(e, 0.693147180559945309f, fraction);
  Number atMostZero = select(x == 0.0f, x.like(-infinity), x.like(std::numeric_limits<float>::quiet_NaN()));
  return select(x < infinity, select(x > 0.0f, finite, atMostZero), x);
}

/// sin(x + turns pi/2), in doubles because a reduction in f32 would need pi/2 in four parts: x = n pi/2 + r, then sin or cos of r and its sign, as n
/// + turns says. Where x is so large that n is not right, r is kept within bounds.
template <typename Number> Number sineAfterQuarterTurns(Number x, int64_t turns) {
  constexpr double magic = 6755399441055744.0, bound = 0.79; // 1.5 * 2^52, rounds as above; a little more than pi / 4, as n may be off by one
  auto wide = widen(x);
  auto shifted = fma(wide, 0.63661977236758134, wide.like(magic)), n = shifted - magic;
  auto r = fma(n, -6.123233995736766e-17, fma(n, -1.5707963267948966, wide));
  r = select(r > bound, r.like(bound), r);
  r = select(r < -bound, r.like(-bound), r);
  auto square = r * r;
  auto sine = fma(r * square, polynomial(square, {2.7181140589364316e-06, -0.00019839311477210344, 0.0083333293023832473, -0.16666666640775854}), r);
  auto cosine = fma(polynomial(square, {2.4433082671150085e-05, -0.0013887315616333826, 0.041666645670151846}), square * square,
                    fma(square, -0.5, square.like(1.0)));
  auto quarter = bits(shifted) + turns;
  auto result = select((quarter & 1) == 0, sine, cosine);
  return narrow(number(bits(result) ^ ((quarter & 2) << 62)));
}

template <typename Number> Number sine(Number x) { return number(bits(sineAfterQuarterTurns(magnitudeOf(x), 0)) ^ signOf(x)); }
template <typename Number> Number cosine(Number x) { return sineAfterQuarterTurns(x, 1); }

/// x^n, n > 0, by squaring: at most n - 1 roundings.
template <typename Number> Number wholePower(Number x, int n) {
  if (n == 1)
    return x;
  Number half = wholePower(x, n / 2), square = half * half;
  return n % 2 ? square * x : square;
}

/// x^(1/2). Unlike a square root it is 0 at -0 and infinite at -infinity (IEEE 754, 9.2.1).
template <typename Number> Number halfPower(Number x) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return select(x == -infinity, x.like(infinity), sqrt(x + 0.0f));
}

/// The exponents that power takes: whole ones up to 16 and halves. For others exp(y log x) would lose what y log x has before the point.
inline bool isExponent(double exponent) {
  double size = exponent < 0 ? -exponent : exponent;
  return size == 0.5 || (size <= 16 && size == static_cast<int>(size));
}
template <typename Number> Number power(Number x, double exponent) {
  if (exponent == 0)
    return x.like(1.0f);
  double size = exponent < 0 ? -exponent : exponent;
  Number result = size == 0.5 ? halfPower(x) : wholePower(x, static_cast<int>(size));
  return exponent < 0 ? 1.0f / result : result;
}

} // namespace heddle
