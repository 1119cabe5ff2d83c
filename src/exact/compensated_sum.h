// SPDX-License-Identifier: Apache-2.0
// A sum in double that knows what its additions lost: the first of the two tiers, for results of every floating type.
//
// Numbers are added by Knuth's TwoSum, products by an FMA before it: hi is their sum, and what each operation loses,
// which is a double too, is an item x. lo sums the items, lost their magnitudes. Without overflow and underflow the
// exact sum is hi + Σx, and
//   |lo - Σx| <= ((1+u)^h - 1)·lost,   u = 2^-53,
// where no item takes part in more than h additions that round. So the exact sum lies in [hi + (lo - e), hi + (lo + e)]
// with e = (h + slack)·u·1.01·lost; where nothing was lost it is hi, where h is 0 it is hi + lo, ties and zeros
// included. What is counted, `joined` being how often something was added to lo:
//   a number         its item is added to lo                          1 addition of all items before it
//   a product        its two items are added, then their sum to lo    1 more of its own
//   a part of a run  summed in 16 lanes, the lanes by twos, lo of that and what adding its hi loses as of a product
//                    n/16 - 2 additions of a lane (n/16 of products, rounded up), 2 for each of 4 steps, 1 more
// The first addition to lo does not round, and of numbers alone the first one loses nothing: h = joined - 1 + the most
// of "more", or joined - 2. Overflow makes lost NaN or infinite. A product loses more than a double can hold only if it
// is below 2^-968 without a factor that is zero. Sums never underflow; where lost is so small that e does, lo does not
// round.
//
// Scaled by a/b: with value + rest = hi + lo (TwoSum), p = fl(value·a), q = fl(p/b), their FMA remainders of_p and of_q
// (value·a = p + of_p, p = q·b + of_q), and of_rest = fl(rest·a), the scaled sum is
//   q + (of_p + of_q + rest·a)/b + (what hi + lo is wrong by)·a/b,
// and no part of the bracket's numerator meets more than 3 roundings: its own product, the additions, the division.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>

#include "exact/ratio.h"
#include "exact/rounding.h"
#include "exact/slack.h"

namespace opref::exact {

/// A real number between value + low and value + high, low <= high.
struct Bracket {
  double value, low, high;

  /// The double that rounds to a format of at most 51 bits as the lower end does, and the upper one's.
  double low_end() const { return add_to_odd(value, low); }
  double high_end() const { return add_to_odd(value, high); }
};

/// The T to which all numbers of a bracket round; false if there is none, and y is unchanged. A bracket across zero
/// has none. T is Half, BFloat16, float or double.
template <class T>
bool settle(const Bracket& sum, T& y) {
  const auto end = [&](double rest) {
    return std::is_same_v<T, double> ? nearest<T>(sum.value + rest) : nearest<T>(add_to_odd(sum.value, rest));
  };
  const T low = end(sum.low);
  if (sum.low != sum.high && to_bits(low) != to_bits(end(sum.high))) return false;
  y = low;
  return true;
}

class CompensatedSum {
 public:
  CompensatedSum() = default;
  /// Of so many numbers that were added elsewhere, one by one: their sum, what that lost, and the same in magnitude.
  static CompensatedSum of(double sum, double low, double lost, std::int64_t numbers) {
    CompensatedSum known;
    known.hi_ = sum, known.lo_ = low, known.lost_ = lost, known.joined_ = numbers;
    return known;
  }
  void add(double x) { join(x, 0, 0); }
  /// The product of two doubles. Of two numbers that float can hold it is exact: then add(a * b) is the same, faster.
  void add(double a, double b) {
    const double product = a * b;
    const double item = __builtin_fma(a, b, -product);
    join(product, item, std::abs(item));
    own_ = std::max<std::int64_t>(own_, 1);
    lost_bits_ |= (std::abs(product) < kLeastProduct) & (a != 0) & (b != 0);
  }
  /// Each number, and each product x[i]·w[i] of equally many, which are exact or any; vector loops for many.
  enum class Products : std::uint8_t { exact, any };
  void add(std::span<const double> x);
  void add(std::span<const double> x, std::span<const double> w, Products products);
  /// The sum is to be multiplied by a/b: at most once, after all terms.
  void scale(const Ratio& ratio) { ratio_ = ratio; }

  /// Where the sum, times its ratio, lies; nothing where a NaN, an infinity, an overflow or an underflow leaves that
  /// open.
  std::optional<Bracket> bracket(const Slack& slack = {}) const;
  template <class T>
  bool round(T& y, const Slack& slack = {}) const {
    const std::optional<Bracket> sum = bracket(slack);
    return sum && settle(*sum, y);
  }

  /// A product that is not smaller loses what a double holds.
  static constexpr double kLeastProduct = 0x1p-960;

 private:
  /// Adds `term`, and to lo what that loses and `items`, a sum of items of this magnitude.
  void join(double term, double items, double magnitude) {
    const double sum = hi_ + term, part = sum - hi_;
    const double lost = (hi_ - (sum - part)) + (term - part);
    hi_ = sum;
    lo_ += lost + items;
    lost_ += std::abs(lost) + magnitude;
    ++joined_;
  }
  template <class Terms>
  void add_parts(const Terms& terms, std::size_t n);
  double roundings() const;
  std::optional<Bracket> scaled_bracket(double error, const Slack& slack) const;

  double hi_ = 0, lo_ = 0, lost_ = 0;  ///< never -0
  std::int64_t joined_ = 0;            ///< additions to lo
  std::int64_t own_ = 0;               ///< roundings of an item before it is added to lo, at most
  bool lost_bits_ = false;             ///< a product may have lost what no double holds
  Ratio ratio_;
};

}  // namespace opref::exact
