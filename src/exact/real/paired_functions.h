// SPDX-License-Identifier: Apache-2.0
// Functions of pairs. Kernels claim an error (k…Claim, in u², relative), counted step by step where they stand; what is
// composed of them carries its bound along. Only + - * / √ fma; conditions are selects; tables are small and read by
// index. Each says of which arguments it knows something: of all others, and of NaN, e is infinite ("open").
#pragma once

#include "exact/real/bounded_functions.h"
#include "exact/real/pair_constants.h"
#include "exact/real/paired.h"

namespace opref::exact {
namespace paired {

inline constexpr double kExpClaim = 4, kExpm1NearClaim = 20.5, kExpm1Claim = 3.1, kExpm1TableClaim = 3;
inline constexpr double kLogNearClaim = 14, kLogClaim = 4, kLogRestClaim = 19, kLogTableClaim = 2.5,
                        kLogScaleClaim = 4.6, kLogPairClaim = 3.1, kLog1pPairClaim = 12;
inline constexpr double kSinClaim = 26, kSinFarClaim = 28, kAtanSmallClaim = 14, kAtanNearClaim = 30, kAtanClaim = 16,
                        kAtanPairClaim = 23.5;
inline constexpr double kErfClaim = 13.5, kErfcClaim = 105, kCbrtClaim = 10;

/// e^r·2^(n/32) = scale·table·(1 + rest), |r| <= 0.01084. rest = r·(1 + r/2! + … + r^11/12!), whose remainder is below
/// 2^-110 of it: the sum has 4.6 and l <= 2.1u, the product 2·2.1 + 1 + 2.1 + 2 = 9.3: 14. In 1 + rest that is 0.15.
struct PairPower {
  Pair table, rest;
  double scale;
};
OPREF_INLINE PairPower power_of(double shifted, const Pair& r) {
  const std::uint64_t n = bits_of(shifted);
  const Pair sum = step({1, 0}, polynomial(kExpPairH, kExpPairL, kExpTail, r), r);
  return {{kPowerH[n & 31], kPowerL[n & 31]}, sum * r, from_bits(((n >> 5) + 1023) << 52)};
}
/// e^x, |x| <= 700, with n the integer nearest to 32x/ln 2. n·kStepA and n·kStepB are exact (37 bits and 15), and so is
/// x - n·kStepA, a multiple of 2^-59 or more below 2^-6.5 (or x). The two sums are exact, the last ones lose 2^-111 or
/// less: 0.1 of e^x, nothing where n = 0.
OPREF_INLINE PairPower power_of_e(const Pair& x) {
  const double shifted = __builtin_fma(x.h, kSteps, kShift), n = shifted - kShift;
  const Pair s = two_sum(__builtin_fma(-n, kStepA, x.h), -n * kStepB), t = two_sum(s.h, x.l);
  return power_of(shifted, fast_two_sum(t.h, t.l + (s.l - n * kStepC)));
}
/// table·(1 + rest): the table 0.5, the argument and rest 0.25, the product 6·0.011, the sum 3.05: 3.9, of which the
/// claim is 4.
OPREF_INLINE Pair whole(const PairPower& p) {
  const Pair y = ordered(p.table, p.table * p.rest);
  return {y.h * p.scale, y.l * p.scale};
}
/// (scale·table - 1) + scale·table·rest. Where that is rest (n = 0): 14 and 6, of which the claim is 20.5. Else the
/// first, a, is at least twice the second, b, |b| <= 0.011(1 + |y|): the sum has |y| + 2(|a| + |b|) <= 3|y| + 4|b|; of
/// 1 + |y| the table has 0.5, table.l and the rounding of table - 1 2, b itself and its product 0.22: the claims
/// are 3.1 of |y| and 3 of 1 + |y|.
OPREF_INLINE Paired less_one(const PairPower& p) {
  const Pair table{p.table.h * p.scale, p.table.l * p.scale}, d = two_sum(table.h, -1);
  const Pair y = ordered(fast_two_sum(d.h, d.l + table.l), table * p.rest);
  const double size = std::abs(y.h);
  return {y, (table.h == 1 ? size * kExpm1NearClaim : size * kExpm1Claim + (1 + size) * kExpm1TableClaim) * kUnit};
}
OPREF_INLINE double steep_exp(double x) { return x < -690 ? -x * kSteep : kSteep; }

/// log of a + b + c = 2^k·m, 0.7012 <= m.h < 1.4024, as k·ln 2 - log(c) + log1p(z), z = m·c - 1, |z| <= 2^-8 and a bit,
/// c of 20 bits, 1 around 1. b is below u·a, c below u·a. z is exact where b has 30 bits or less and c is 0; else,
/// where c is not 1, b costs 3 of 1 and c 4.5 of the result. log1p(z) = z·(1 - z/2 + … - z^13/14): sum 4.6,
/// product 9.3: 13.9.
struct PairLog {
  Pair table, rest;
  double k;
};
OPREF_INLINE PairLog log_parts(double a, double b, double c, bool is_log1p, const Pair& less_one) {
  constexpr std::uint64_t kBias = 2048;
  const std::uint64_t bits = bits_of(a), shifted = bits - kCut + (kBias << 52), field = shifted >> 52,
                      i = (shifted >> 45) & 127;
  const double k = from_bits(0x4330000000000000 | (field & 0xfff)) - (0x1p52 + kBias),
               m = from_bits(bits - ((field - kBias) << 52));
  const double scale = from_bits((kBias + 1023 - field) << 52), factor = kLogC[i];
  const Pair p = two_product(m, factor), known = two_sum(p.h - 1, __builtin_fma(factor, b * scale, p.l));
  const Pair z{known.h, __builtin_fma(factor, c * scale, known.l)};
  const double far = std::abs(k) + std::abs(factor - 1);
  const bool near = far == 0;
  const double zh = near ? less_one.h : z.h, zl = near ? less_one.l : z.l;
  const Pair x = is_log1p ? two_sum(zh, zl) : z;
  const Pair sum = step({1, 0}, polynomial(kLogPairH, kLogPairL, kLogTail, x), x);
  return {{kLogOfH[i], kLogOfL[i]}, sum * x, k};
}
/// k·ln 2 = a has 2.5 of itself and l <= 2u, the table 0.5, their sum s has |s| + 2(2|a| + |table|), log1p = r 13.9,
/// the result |y| + 2(|s| + |r|), of which |s| <= |y| + |r|: 4.51|k| + 2.5|table| + 4|y| + 18.9|r|, and what pairs
/// cost. Where there is nothing but r, 13.9|r|.
OPREF_INLINE Paired natural(const PairLog& p, double of_pairs, double of_result) {
  const Pair whole = two_product(p.k, kLn2PairH);
  const Pair y = ordered(ordered({whole.h, __builtin_fma(p.k, kLn2PairL, whole.l)}, p.table), p.rest);
  const double k = std::abs(p.k), table = std::abs(p.table.h), size = std::abs(y.h);
  const double far = k * kLogScaleClaim + table * kLogTableClaim + std::abs(p.rest.h) * kLogRestClaim +
                     size * (kLogClaim + of_result) + of_pairs;
  return {y, (k + table == 0 ? size * kLogNearClaim : far) * kUnit};
}
/// In units of the result: table and log1p have 0.5|table| + 13.9|r| + 3(|table| + |r|), their product with 1/ln 2
/// = 1.443 6.5 more, the sum with k |y| + 2(|k| + 1.443(|table| + |r|)): 17.3|table| + 36.7|r| + |y| + 2|k|. Where
/// there is nothing but r, 20.4. Powers of two are exact.
OPREF_INLINE Paired binary(const PairLog& p, double of_pairs) {
  const Pair y = ordered({p.k, 0}, ordered(p.table, p.rest) * Pair{kLog2EH, kLog2EL});
  const double k = std::abs(p.k), table = std::abs(p.table.h), rest = std::abs(p.rest.h), size = std::abs(y.h);
  return {y, (rest + table == 0 ? 0.0
              : k + table == 0  ? size * 20.5
                                : k * 2 + table * 18 + rest * 37 + size + of_pairs) *
                 kUnit};
}

/// sin or cos of x = k·π/2 + r, |r| <= 0.7855. sin r = r·S(r²), cos r = 1·S(r²): r has at most 7, r² 6 (0.7 of sin, 2.4
/// of cos; r's part of cos is 5.5), the sum 6.7 or 13.3 with l <= 2.6u in sin's, the product 10.7 of sin: 25.1
/// and 21.2, of which the claim is 26. Remainders are below 2^-112 and 2^-117.
OPREF_INLINE Pair wave(const Pair& r, bool is_cos) {
  const Pair z = r * r;
  double rest = is_cos ? kCosTail[5] : kSinTail[5];
#pragma GCC unroll 8
  for (int i = 4; i >= 0; --i) rest = __builtin_fma(rest, z.h, is_cos ? kCosTail[i] : kSinTail[i]);
  const Pair s = fast_two_sum(is_cos ? kCosPairH[7] : kSinPairH[7], rest * z.h);
  Pair p{s.h, s.l + (is_cos ? kCosPairL[7] : kSinPairL[7])};
#pragma GCC unroll 8
  for (int i = 6; i >= 0; --i)
    p = step({is_cos ? kCosPairH[i] : kSinPairH[i], is_cos ? kCosPairL[i] : kSinPairL[i]}, p, z);
  return step({1, 0}, p, z) * Pair{is_cos ? 1.0 : r.h, is_cos ? 0.0 : r.l};
}
/// r and k of |x| <= 2^20. x - k·A is exact, a multiple of 2^-53 below 1, and so are both sums, all products with k but
/// k·E. l1 is 0 where h1 is below 2^-13, l2 where h2 is below 2^-47 (multiples of 2^-66 and 2^-100): where something
/// cancels, nothing is rounded before. r has at most 7 of itself as long as it is not below 2^-75; none is below
/// 2^-60.5 (constants.py). x.l, up to 2^-33, costs 8 of itself.
struct PairTurn {
  Pair r;
  std::uint64_t quadrant;
  double e;
};
OPREF_INLINE PairTurn turn_of(const Paired& x) {
  const double shifted = __builtin_fma(x.h, kTwoOverPiH, kShift), k = shifted - kShift;
  const Pair s1 = two_sum(__builtin_fma(-k, kQuarterA, x.h), -k * kQuarterB), s2 = two_sum(s1.h, -k * kQuarterC);
  const Pair p = two_product(-k, kQuarterD), s3 = two_sum(s2.h, p.h), s = two_sum(s3.h, x.l);
  const double low = s3.l + ((s1.l + s2.l) + __builtin_fma(-k, kQuarterE, p.l));
  return {fast_two_sum(s.h, s.l + low), bits_of(shifted),
          x.e + std::abs(x.l) * (8 * kUnit) + unless(std::abs(x.h) <= 0x1p20)};
}
/// Payne and Hanek's reduction (1983) of 0.75 <= |x|, finite; below, r is x. x = m·2^E and 2/π = Σ w[i]·2^(-48(i + 1)),
/// w with two zeros before it. Terms with 48(i + 1) <= E - 2 are multiples of 4; six from there on leave out 2^-185 or
/// less. Products are exact as two doubles; of the first three the multiples of 4 are taken off, then the integer k
/// nearest to the sum. Two passes of TwoSum over the twelve (Ogita, Rump, Oishi 2005, SumK) leave the sum's head and a
/// rest of (12u)²·2^7 < 2^-91; the fraction is 2^-61.6 or more (constants.py), so after the third the rest is u of it,
/// and its sum has 2. Times π/2 6.5: r has 9. sin: 9 + 0.7 + 6.7 + 10.7 = 27.1 of the claim of 28; cos: 7.1 + 2.4
/// + 13.3.
OPREF_INLINE double less_fours(double a) { return a - 4 * __builtin_rint(a * 0.25); }
OPREF_INLINE PairTurn far_turn_of(const Paired& x) {
  const std::uint64_t exponent = bits_of(x.h) >> 52 & 0x7ff;
  const double e = from_bits(0x4330000000000000 | exponent) - (0x1p52 + 1075),
               first = __builtin_fma(e - 25.5, 1.0 / 48, kShift);
  const std::uint64_t at = (bits_of(first) + 2) & 31;  // of 0.75 <= |x|: 0 … 22
  const double y = x.h * from_bits((975 + 96 - 48 * at) << 52);
  const Pair p0 = two_product(y, kTwoOverPiDigits[at]), p1 = two_product(y, kTwoOverPiDigits[at + 1] * 0x1p-48);
  const Pair p2 = two_product(y, kTwoOverPiDigits[at + 2] * 0x1p-96),
             p3 = two_product(y, kTwoOverPiDigits[at + 3] * 0x1p-144);
  const Pair p4 = two_product(y, kTwoOverPiDigits[at + 4] * 0x1p-192);
  const double p5 = y * (kTwoOverPiDigits[at + 5] * 0x1p-240), a = less_fours(p0.h), b = less_fours(p0.l),
               c = less_fours(p1.h);
  const double shifted = (((a + b) + c) + (p1.l + p2.h)) + kShift, k = shifted - kShift;
  const Pair head = two_sum(a, -k);
  double v[12] = {p5, p4.l, p4.h, p3.l, p3.h, p2.l, p2.h, p1.l, c, b, head.l, head.h};
#pragma GCC unroll 4
  for (int pass = 0; pass < 3; ++pass)
#pragma GCC unroll 16
    for (int j = 1; j < 12; ++j) {
      const Pair s = two_sum(v[j], v[j - 1]);
      v[j] = s.h, v[j - 1] = s.l;
    }
  double rest = v[0];
#pragma GCC unroll 16
  for (int j = 1; j < 11; ++j) rest += v[j];
  const Pair r = fast_two_sum(v[11], rest) * Pair{kHalfPiH, kHalfPiL};
  const double size = std::abs(x.h);
  const bool below = size < 0.75;
  return {{below ? x.h : r.h, below ? 0.0 : r.l},
          bits_of(below ? kShift : shifted),
          x.e + unless(x.l == 0) + unless(size < kInfinity) + small(x)};
}
OPREF_INLINE Paired of_turn(const PairTurn& t, std::uint64_t quadrant, double claim) {
  const Pair y = wave(t.r, (quadrant & 1) != 0);
  const std::uint64_t sign = (quadrant & 2) << 62;
  return {from_bits(bits_of(y.h) ^ sign), from_bits(bits_of(y.l) ^ sign), std::abs(y.h) * (claim * kUnit) + t.e};
}

/// arctan(y/x), x, y >= 0, not both 0. Of the lesser over the greater, q, c = j/32 is nearest, and t = (lesser -
/// c·greater)/(greater + c·lesser), |t| <= 1/64: arctan c + t·(1 - t²/3 + … + t^16/17), remainder below 2^-111.
///   of t: the denominator 5, the quotient 11; the sum 4.5, the product 9: 29.5. Where t is y itself, a double or a
///   pair, 13.5. of q: the numerator, where c is not 0 (c·greater <= 2·lesser): 4 + 5 + 6 at q = 1/64, 2 + 3 + 4 at q =
///   1; of arctan q 15 and 11.5. None where x = 1 and y is a double <= 1; 2 where it is above. of the result y: where c
///   is not 0 the table is at least twice t and has 1, the sum 7. Where y is the greater, all is taken from π/2: the
///   result is above π/4, the difference 7, the sum 3.2, constants 1.
/// Claimed are 30|t| + 23.5|y|, of a double y and x = 1 30|t| + 16|y|.
OPREF_INLINE Paired arc(const Pair& y, const Pair& x, double near_claim, double far_claim) {
  const bool steep = y.h > x.h;
  const Pair lesser{steep ? x.h : y.h, steep ? x.l : y.l}, greater{steep ? y.h : x.h, steep ? y.l : x.l};
  const double shifted = __builtin_fma(lesser.h / greater.h, 32.0, kShift), c = (shifted - kShift) * 0x1p-5;
  const std::uint64_t n = bits_of(shifted) & 63, j = n < 32 ? n : 32;
  const Pair g = two_product(greater.h, c), s = two_sum(lesser.h, -g.h), l = two_product(lesser.h, c);
  const Pair numerator = two_sum(s.h, s.l + (lesser.l - __builtin_fma(greater.l, c, g.l)));
  const Pair denominator = ordered(greater, {l.h, __builtin_fma(lesser.l, c, l.l)});
  const Pair t = numerator / denominator, z = t * t;
  const Pair sum = step({1, 0}, polynomial(kAtanPairH, kAtanPairL, kAtanTail, z), z) * t;
  const double sign = steep ? -1.0 : 1.0;
  const Pair base = ordered({steep ? kHalfPiH : 0.0, steep ? kHalfPiL : 0.0}, {kAtanOfH[j] * sign, kAtanOfL[j] * sign});
  const Pair a = ordered(base, {sum.h * sign, sum.l * sign});
  const double size = std::abs(sum.h), far = size * kAtanNearClaim + a.h * far_claim;
  return {a, (base.h == 0 ? size * near_claim : far) * kUnit};
}

/// erf z for 0 <= z <= 1/2, z·(2/√π - …): sum 6.5, of z² 0.5, product 6: 13 of the claim of 13.5; remainder below
/// 2^-111.
OPREF_INLINE Pair erf_near(const Pair& z, const Pair& square) {
  return normalized(polynomial(kErfPairH, kErfPairL, kErfTail, square)) * z;
}
/// erfc z for 1/2 <= z <= 26: e^-q·F(d)·d, d = 1/(z + 3), q = z². As stored the polynomial F is wrong by 8.2
/// (constants.py proves it), its sum by 49.2; d by 10, to which F answers with 19.1 and 1.7; e^-q by 4; d and two
/// products have 10 + 12: 104.2 of the claim of 105, without what q is wrong by.
OPREF_INLINE Pair erfc_far(const Pair& z, const Pair& q) {
  const Pair s = two_sum(3, z.h), d = Pair{1, 0} / fast_two_sum(s.h, s.l + z.l), v = two_sum(d.h, -kErfcCentre);
  const Pair f = normalized(polynomial<kErfcFree>(kErfcPairH, kErfcPairL, kErfcTail, fast_two_sum(v.h, v.l + d.l)));
  return whole(power_of_e(-q)) * (f * d);
}
/// erf and erfc in one, of z = |x| and q = z²; `near_e` and `far_e` are what they are wrong by without what x is.
struct PairError {
  Pair near, far;
  double near_e, far_e, z;
};
OPREF_INLINE PairError error_of(const Pair& z, const Pair& q) {
  const bool is_near = z.h<0.5, is_beyond = z.h> 26;
  const double high = is_near ? 0.5 : z.h, low = is_near ? 0.0 : z.l, square = is_near ? 0.25 : q.h,
               square_low = is_near ? 0.0 : q.l;
  const Pair far = erfc_far({is_beyond ? 26.0 : high, is_beyond ? 0.0 : low},
                            {is_beyond ? 676.0 : square, is_beyond ? 0.0 : square_low});
  const Pair near = erf_near(z, q);
  const double near_e = near.h * (kErfClaim * kUnit) + (z.h < kLeast ? least(z.h, kLost) : 0.0);
  return {near, far, near_e, far.h * (is_beyond ? 3 : kErfcClaim * kUnit) + lost(far.h), z.h};
}
/// x = ±z: the slope of erfc is at most erfc z·(z + √(z² + 2)), and with z less by e at most e^(2ze) times that.
OPREF_INLINE PairError error_of(const Paired& x) {
  const double sign = std::copysign(1.0, x.h);
  const Pair z{x.h * sign, x.l * sign}, q = z * z;
  PairError p = error_of(z, q);
  p.near_e += 1.14 * x.e;
  const double of_square = x.l == 0 ? 0.0 : 6.25 * kUnit * least(q.h, 676);
  p.far_e += p.far.h * ((2 * least(z.h, 26) + 1.5) * 1.14 * x.e + of_square) + unless(x.e * (z.h + 1) <= kSteep);
  return p;
}
OPREF_INLINE Paired joined(const PairError& p, double start, double sign, bool near) {
  const Pair chosen{near ? p.near.h : p.far.h, near ? p.near.l : p.far.l};
  const Pair y = ordered({start, 0}, {sign * chosen.h, sign * chosen.l});
  const double e = near ? p.near_e : p.far_e, sum = start == 0 ? 0.0 : (std::abs(y.h) + 2 * (start + chosen.h)) * kUnit;
  return {y, e + sum + unless(p.z <= kInfinity)};
}

}  // namespace paired

OPREF_INLINE Paired pi(const Paired&) { return {2 * kHalfPiH, 2 * kHalfPiL, 2 * paired::kUnit}; }
/// |x| <= 690. Below, v ± 3v with v near e^max(x, -700).
OPREF_INLINE Paired exp(const Paired& x) {
  using namespace paired;
  const Pair y = whole(power_of_e({most(x.h, -700), x.h < -700 ? 0.0 : x.l}));
  return {y, y.h * (x.h < -690 ? 3 : kExpClaim * kUnit + x.e * 1.01) + lost(y.h) + unless(x.e < steep_exp(x.h)) +
                 unless(x.h <= 690)};
}
OPREF_INLINE Paired expm1(const Paired& x) {
  using namespace paired;
  const Paired p = less_one(power_of_e({most(x.h, -700), x.h < -700 ? 0.0 : x.l}));
  const double e = p.e + (x.h < -690 ? 0x1p-980 : (std::abs(p.h + 1) + 0x1p-50) * x.e * 1.01) + small(x);
  return {std::copysign(p.h, x.h), p.l, e + unless(x.e < steep_exp(x.h)) + unless(x.h <= 690)};
}
/// |x| <= 990. x - n/32 is exact; times ln 2 it has 6.5 of itself, 0.07 of the result.
OPREF_INLINE Paired exp2(const Paired& x) {
  using namespace paired;
  const double h = most(x.h, -1000), shifted = __builtin_fma(h, 32.0, kShift);
  const Pair r = two_sum(h - (shifted - kShift) * 0x1p-5, x.h < -1000 ? 0.0 : x.l);
  const Pair y = whole(power_of(shifted, r * Pair{kLn2PairH, kLn2PairL}));
  return {y, y.h * (x.h < -990 ? 3 : kExpClaim * kUnit + x.e * 0.71) + lost(y.h) + unless(x.e < steep_exp(x.h)) +
                 unless(x.h <= 990)};
}
/// 2^-960 <= x <= 2^1000.
OPREF_INLINE Paired log(const Paired& x) {
  using namespace paired;
  const Paired p = natural(log_parts(x.h, x.l, 0, false, {0, 0}), x.l == 0 ? 0.0 : kLogPairClaim, 0);
  return {p.pair(),
          p.e + x.e / x.h * 1.01 + unless(x.h >= kSmall) + unless(x.h <= 0x1p1000) + unless(x.e <= kSteep * x.h)};
}
OPREF_INLINE Paired log2(const Paired& x) {
  using namespace paired;
  const Paired p = binary(log_parts(x.h, x.l, 0, false, {0, 0}), x.l == 0 ? 0.0 : 1.443 * kLogPairClaim);
  return {p.pair(),
          p.e + x.e / x.h * 1.46 + unless(x.h >= kSmall) + unless(x.h <= 0x1p1000) + unless(x.e <= kSteep * x.h)};
}
/// 2^-900 <= 1 + x <= 2^1000. 1 + x.h is exact as two doubles, the second of which has 8 bits or fewer where it
/// matters, and is 0 where the sum cancels, so that x.l is below u of what it is added to.
OPREF_INLINE Paired log1p(const Paired& x) {
  using namespace paired;
  const Pair s = two_sum(1, x.h);
  const Pair t = two_sum(s.h, x.l);
  const double u = t.h;
  const Paired p = natural(log_parts(u, s.l, t.l, true, x.pair()), 0, x.l == 0 ? 0.0 : kLog1pPairClaim);
  const double e = p.e + x.e / u * 1.01 + small(x);
  return {std::copysign(p.h, x.h), p.l, e + unless(u >= 0x1p-900) + unless(u <= 0x1p1000) + unless(x.e <= kSteep * u)};
}
/// |x| <= 2^20.
OPREF_INLINE Paired sin(const Paired& x) {
  using namespace paired;
  const PairTurn t = turn_of(abs(x));
  const Paired y = of_turn(t, t.quadrant, kSinClaim);
  const double sign = std::copysign(1.0, x.h);
  return {y.h * sign, y.l * sign, y.e + small(x)};
}
OPREF_INLINE Paired cos(const Paired& x) {
  using namespace paired;
  const PairTurn t = turn_of(x);
  return of_turn(t, t.quadrant + 1, kSinClaim);
}
OPREF_INLINE Paired tan(const Paired& x) {
  using namespace paired;
  const PairTurn t = turn_of(abs(x));
  const Paired s = of_turn(t, t.quadrant, kSinClaim);
  return odd(x, Paired(s.h, s.l, s.e + small(x)) / of_turn(t, t.quadrant + 1, kSinClaim));
}
/// All finite doubles, at twice the price: for rows where one is above 2^20.
OPREF_INLINE Paired sin_far(const Paired& x) {
  using namespace paired;
  const PairTurn t = far_turn_of(abs(x));
  return odd(x, of_turn(t, t.quadrant, kSinFarClaim));
}
OPREF_INLINE Paired cos_far(const Paired& x) {
  using namespace paired;
  const PairTurn t = far_turn_of(abs(x));
  return of_turn(t, t.quadrant + 1, kSinFarClaim);
}

/// |x| <= 2^1000.
OPREF_INLINE Paired atan(const Paired& x) {
  using namespace paired;
  const double a = std::abs(x.h), sign = std::copysign(1.0, x.h);
  const Paired p = arc({a, x.l * sign}, {1, 0}, kAtanSmallClaim, x.l == 0 ? kAtanClaim : kAtanPairClaim);
  const double slope = x.e <= kSteep * (1 + a) ? 1.01 / (1 + a * a) : 1.0;
  return {p.h * sign, p.l * sign, p.e + x.e * slope + small(x) + unless(a <= 0x1p1000)};
}
/// arctan(y/x), x, y >= 0, the greater in [2^-450, 2^450]: the errors' parts are |dy|·x/(x² + y²) and |dx|·y/(x² + y²).
OPREF_INLINE Paired arc(const Paired& y, const Paired& x) {
  using namespace paired;
  const Paired p = arc(y.pair(), x.pair(), kAtanNearClaim, kAtanPairClaim);
  const double big = most(x.h, y.h),
               e = p.e + (y.e * x.h + x.e * y.h) / (big * big) * 1.02 + (y.h == 0 ? 0.0 : lost(p.h));
  return {p.pair(), e + unless((y.e + x.e) <= big * kSteep) + unless(big >= 0x1p-450) + unless(big <= 0x1p450)};
}
OPREF_INLINE Paired asin(const Paired& x) {
  const Paired a = abs(x);
  return odd(x, arc(a, sqrt((1.0 - a) * (1.0 + a))));
}
OPREF_INLINE Paired acos(const Paired& x) {
  const Paired a = abs(x), y = arc(sqrt((1.0 - a) * (1.0 + a)), a);
  const bool below = x.h < 0;
  const Paired start(below ? 2 * kHalfPiH : 0.0, below ? 2 * kHalfPiL : 0.0, below ? paired::kUnit * 2 : 0.0);
  return start + Paired(below ? -y.h : y.h, below ? -y.l : y.l, y.e);
}
/// All x: beyond 26 next to the limit.
OPREF_INLINE Paired erf(const Paired& x) {
  using namespace paired;
  const PairError p = error_of(x);
  const bool near = p.z < 0.5;
  return odd(x, joined(p, near ? 0.0 : 1.0, near ? 1.0 : -1.0, near));
}
namespace paired {
OPREF_INLINE Paired complement(const PairError& p, double sign) {  // erfc x, sign that of x
  const bool near = p.z < 0.5;
  return joined(p, near ? 1.0 : 1 - sign, near ? -sign : sign, near);
}
}  // namespace paired
OPREF_INLINE Paired erfc(const Paired& x) { return paired::complement(paired::error_of(x), std::copysign(1.0, x.h)); }
/// (1 + erf(x/√2))/2 = erfc(-x/√2)/2 of a double x: x²/2 is exact. |x|/√2 is wrong by 6.75, to which erf z answers
/// with 1.13 z, and e^(z²)·erfc z with 1.13 z·erfc z or less.
OPREF_INLINE Paired phi(double x) {
  using namespace paired;
  const double a = std::abs(x);
  const Pair z = Pair{a, 0} * Pair{kRootHalfH, kRootHalfL};
  PairError p = error_of(z, two_product(a, a * 0.5));
  const double e = 1.14 * z.h * (6.75 * kUnit);
  p.near_e += e, p.far_e += p.far.h * least(e, 1);
  return scaled(0.5, complement(p, -std::copysign(1.0, x)));
}
OPREF_INLINE Paired gelu(double x) { return Paired(x) * phi(x); }

/// x^y of x > 0, and of negative x with whole y, whose sign is (-1)^y. e^(y·log x): |y·log x| times log's error.
OPREF_INLINE Paired pow(const Paired& x, const Paired& y) {
  using namespace paired;
  const Paired a = exp(y * log(abs(x)));
  const double rest = std::abs(y.h - ((y.h + kShift) - kShift)), half = y.h * 0.5;
  const double parity = 2 * std::abs(half - ((half + kShift) - kShift)),
               sign = x.h < 0 ? 1 - 2 * parity : 1.0;  // 1 of odd y, 0 of even y
  const double blur = unless(rest + std::abs(y.l) + y.e == 0) + unless(std::abs(y.h) < 0x1p51);
  return {a.h * sign, a.l * sign, x.h > 0 ? a.e : a.e + blur};
}

/// The root of m = x·2^-3k, 1 <= m < 8: y by three of Halley's steps (each leaves 0.66 of the error's cube, of 8 % at
/// first) is wrong by 1.7u: 1 of the last difference, 0.7 of its y³. Then y + d - d²/y, d = (m + low - y³)/(3y²), |d|
/// <= 2u; third order: 2^-150. y² is exact as two doubles, of y³ the second has 2; with low 3, the difference 6.1, all
/// to a third; d has 3u of itself, 6: 9.7 of the claim of 10.
OPREF_INLINE Paired cbrt(const Paired& x) {
  using namespace paired;
  const double sign = std::copysign(1.0, x.h), size = std::abs(x.h);
  const double e = from_bits(0x4330000000000000 | (bits_of(size) >> 52)) - (0x1p52 + 1023),
               k = __builtin_fma(e - 1, 1.0 / 3, kShift) - kShift;
  const std::uint64_t n = bits_of(k + kShift) + 1023 - bits_of(kShift);  // k + 1023
  const double down = from_bits((4 * 1023 - 3 * n) << 52), up = from_bits(n << 52), m = size * down,
               low = x.l * sign * down;
  double y = __builtin_fma(m, __builtin_fma(m, -0.0167, 0.279), 0.725);
#pragma GCC unroll 4
  for (int i = 0; i < 3; ++i) {
    const double cube = y * y * y;
    y = y - y * (cube - m) / __builtin_fma(2, cube, m);
  }
  const Pair s = two_product(y, y), c = two_product(s.h, y);
  const double d = ((m - c.h) - (__builtin_fma(s.l, y, c.l) - low)) / (3 * s.h);
  const Pair root = fast_two_sum(y, d - d * d / y);
  const double h = root.h * up, zero = size + x.e;
  const double error =
      h * (kCbrtClaim * kUnit) + x.e / size * h * 0.34 + unless(size >= kSmall) + unless(x.e <= kSteep * size);
  return {x.h == 0 ? x.h : h * sign, x.h == 0 ? 0.0 : root.l * up * sign,
          (zero == 0 ? 0.0 : error) + unless(size <= 0x1p1000)};
}

// By composition.
OPREF_INLINE Paired tanh(const Paired& x) {
  const Paired t = expm1(scaled(-2.0, abs(x)));
  return odd(x, -t / (2.0 + t));
}
OPREF_INLINE Paired sigmoid(const Paired& x) {
  const Paired t = exp(-abs(x));
  return select(x.h < 0, t, Paired(1.0)) / (1.0 + t);
}
OPREF_INLINE Paired sinh(const Paired& x) {
  const Paired t = expm1(abs(x));
  return odd(x, scaled(0.5, t + t / (t + 1.0)));
}
OPREF_INLINE Paired cosh(const Paired& x) {
  const Paired t = exp(abs(x));
  return scaled(0.5, t + 1.0 / t);
}
OPREF_INLINE Paired asinh(const Paired& x) {
  const Paired a = abs(x), s = square(a);
  return odd(x, log1p(a + s / (1.0 + sqrt(1.0 + s))));
}
OPREF_INLINE Paired acosh(const Paired& x) {
  const Paired t = x - 1.0;
  return log1p(t + sqrt(t * (t + 2.0)));
}
OPREF_INLINE Paired atanh(const Paired& x) {
  const Paired a = abs(x);
  return odd(x, scaled(0.5, log1p(scaled(2.0, a) / (1.0 - a))));
}
/// max(x, 0) + log(1 + e^-|x|)
OPREF_INLINE Paired softplus(const Paired& x) { return max(x, 0.0) + log1p(exp(-abs(x))); }

}  // namespace opref::exact
