// SPDX-License-Identifier: Apache-2.0
// Formulas over real numbers, each result rounded once: element by element (elementwise.h), or slice by slice
// (slices.h).
//
// A formula is a struct with one templated call operator, derived from RealFormula, whose traits say how it may be
// worked out:
// - Native<float>, where it is `one_operation` of IEEE 754 on elements of the result's type, float32 or a narrower one:
//   rounded once more it is right (Figueroa 1995: 24 >= 2·11 + 2)
// - Ieee, a double, where it is one but not that: rounded once more it is right for float32 too (53 >= 2·24 + 2)
// - Signed and Unsigned, where it has `integers` and all operands are of one signedness: modulo 2^64
// - Whole, where it has `wholes` and the result is an integer: 128 bits
// - Quick, a double that is equally wrong for all elements, where StaticBound says how much: decides nearly all of
//   narrow types
// - Bounded, a double and how wrong it can be: decides nearly all others of them
// - Paired, two doubles and how wrong they can be: decides nearly all of float64
// - Interval, an interval of rising precision: decides the rest
// - Faithful, what a kernel may compute that rounds every operation: for the bound of a comparison
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <string_view>

#include "core/error.h"
#include "exact/real/bounded_functions.h"
#include "exact/real/faithful.h"
#include "exact/real/interval.h"
#include "exact/real/paired_functions.h"
#include "exact/real/static_bound.h"
#include "exact/rows.h"
#include "exact/storage.h"
#include "exact/term_sink.h"
#include "schema/output.h"

namespace opref::evaluators {

/// The sign of a result that is not zero: +, that of the first input, or that of its estimate, which is never wrong.
enum class Sign : std::uint8_t { unknown, positive, as_input, as_estimate };

/// The traits of a formula of `inputs` numbers that states none.
template <int inputs>
struct RealFormula {
  static constexpr int arity = inputs;
  static constexpr bool one_operation = false, integers = false;
  static constexpr bool wholes = false;  ///< also of integers of different types, by Whole
  static constexpr bool is_real = true;  ///< where it is not one operation: also of Bounded and Interval
  static constexpr bool is_sum = false;  ///< of its inputs
  /// Though it is one operation, also of Interval: `explain` tells the exact number.
  static constexpr bool is_told = false;
  static constexpr Sign sign = Sign::unknown;
  static constexpr double greatest = kInfinity;  ///< no result has a greater magnitude
};

/// Where the results are of such a sign, for an input of this one, and of at most this magnitude.
inline exact::ResultRange range_of(Sign sign, double input, double greatest) {
  const bool is_positive = sign == Sign::positive || (sign == Sign::as_input && input > 0);
  return {is_positive ? 0 : -greatest, sign == Sign::as_input && input < 0 ? 0 : greatest};
}

/// Tells `explain` what a number is that the formula names: const R mean = named("mean", sum(x) / n). Gives it back.
class Named {
 public:
  explicit Named(const Output& out) : sink_(out.sink()) {}
  template <class R>
  OPREF_INLINE const R& operator()(std::string_view name, const R& x) const {
    if constexpr (std::is_same_v<R, Interval>)
      if (sink_ != nullptr) sink_->real(name, x);
    return x;
  }

 private:
  TermSink* sink_;
};

/// Pays for the roundings of the bound itself and of both ends. A number near zero whose sign is known, that of `like`,
/// is in (0, |v| + e], whose lower end may as well be 2^-40 of it: all below rounds to zero.
OPREF_INLINE Bounded finish_estimate(Sign sign, const Bounded& y, double like) {
  const double e = y.e == 0 ? 0 : y.e * 1.01 + std::abs(y.v) * 0x1p-52;
  if (sign == Sign::unknown) return {y.v, e};
  const double half = (std::abs(y.v) + e) / 2;
  const bool near_zero = (half < 0x1p-800) & (std::abs(y.v) <= e);
  return {near_zero ? std::copysign(half, like) : y.v, near_zero ? half * (1 - 0x1p-40) : e};
}

/// The highest precision of intervals, in bits.
inline constexpr exact::MpfrPrecision kLastPrecision = 24576;
/// Calls decide() by intervals of 96 bits, then of twice as many each time, until it is true; whether it ever is.
template <class Decide>
bool in_some_precision(const Decide& decide) {
  for (Interval::precision = 96; Interval::precision <= kLastPrecision; Interval::precision *= 2)
    if (decide()) return true;
  return false;
}
/// The element that at(level) tells, an interval of the precision of that level. `which` names it: one that the highest
/// precision leaves open is `unsupported`.
template <class T, class At, class Which>
T decided(const At& at, const Which& which) {
  T y{};
  std::size_t level = 0;
  if (in_some_precision([&] { return settle(at(level++), y); })) return y;
  fail(Fault::unsupported, "element {} cannot be told from a tie with {} bits", which(), kLastPrecision);
}
/// A row of estimates v ± e: the T nearest to all of each, and which have none. A -0 is that, and so is a known NaN.
template <class T, std::size_t size>
struct SettledRow {
  std::array<T, size + kRowSlack> y;
  std::array<std::uint64_t, size + kRowSlack> is_open;
  /// n of them, at most `size`, which lie in rows with slack; how many are open.
  std::size_t settle(const double* v, const double* e, std::size_t n) {
    std::size_t open = settle_row(v, e, 1.0, n, y.data(), is_open.data());
    for (std::size_t k = 0; k < n; ++k) {
      if (std::bit_cast<std::uint64_t>(v[k]) == exact::sign_bit<double>) y[k] = exact::encode<T>(true, 0, 0);
      if (v[k] != v[k] && e[k] == 0) y[k] = exact::quiet_nan<T>(), is_open[k] = 0, --open;
    }
    return open;
  }
};
/// How many elements by which tier.
inline void count_elements(const Numerics& numerics, std::int64_t estimated, std::int64_t exact,
                           std::int64_t quick = 0) {
  if (numerics.stats == nullptr) return;
  numerics.stats->estimated += estimated;
  numerics.stats->exact += exact;
  numerics.stats->quick += quick;
}
/// What the element is in rising precision, for `explain`.
template <class At>
void tell_parts(TermSink& sink, const At& at) {
  for (Interval::precision = 256; Interval::precision <= 4096; Interval::precision *= 4) sink.real("", at());
}

}  // namespace opref::evaluators
