// SPDX-License-Identifier: Apache-2.0
// Operators that draw random numbers: the specification determines the types of what they give, not the values. What
// somebody drew is checked: that each number can be drawn, and that all of them are as numbers of the distribution are.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "evaluators/elements.h"
#include "schema/operator.h"
namespace opref::ops {
inline constexpr std::string_view kUndetermined = "its values are not determined by the specification";

/// The element type that the attribute dtype names, one of the output's; without it that of the input `like`, which
/// must then be one of them.
DType drawn_dtype(const Call& call, std::string_view like);

/// A check refuses what a right generator gives with a chance of 2·e^-kRare, 2·10^-10: of one output a few are made,
/// which together leave 1 in 10^9.
inline constexpr double kRare = 23;
inline constexpr std::string_view kSeldom = "by chance less than once in 10^9";
/// Of so many checks of one kind, each of which is refused with less chance: at least kRare + ln(checks).
double rare(std::int64_t checks);

/// Of a number in a message so many digits: an element has 9, what is made of all has 6. NaN and Inf by these names.
std::string digits(double number, int count = 9);
inline std::string about(double number) { return digits(number, 6); }

/// A sum of independent deviations from what is expected, by which a generator is judged: Bernstein's inequality.
class Deviations {
 public:
  /// `most`: the greatest size that it can have.
  void add(double deviation, double variance, double most) {
    sum_ += deviation;
    variance_ += variance;
    most_ = std::max(most_, most);
  }
  /// What rounding may have added to the sum.
  void add_slack(double slack) { slack_ += slack; }
  /// Whether a right generator's sum is as large with a chance above 2·e^-rare.
  bool are_likely(double rare = kRare) const {
    const double t = most_ * rare / 3;
    return std::abs(sum_) <= t + std::sqrt(t * t + 2 * variance_ * rare) + slack_;  // false for NaN
  }

 private:
  double sum_ = 0, variance_ = 0, most_ = 0, slack_ = 0;
};

/// output[i] is 1, or kept, with the chance chance(i), else 0, for all i < n; `is_one` says which. The noun is of the
/// message: "ones".
template <class IsOne, class Chance>
void require_likely_share(std::string_view output, std::string_view noun, std::int64_t n, const IsOne& is_one,
                          const Chance& chance) {
  Deviations deviations;
  double ones = 0, expected = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double p = chance(i), one = is_one(i) ? 1 : 0;
    require(p > 0 || one == 0, "{}: element {} is one of the {}, but has no chance of it", output, i, noun);
    require(p < 1 || one == 1, "{}: element {} is none of the {}, but is sure to be", output, i, noun);
    deviations.add(one - p, p * (1 - p), 1);
    ones += one;
    expected += p;
  }
  require(deviations.are_likely(), "{} has {} {} of {} elements, but {} are expected: {}", output, ones, noun, n,
          about(expected), kSeldom);
}

/// Whether a class that was drawn may be drawn again in its row; if not, the others share its chance.
enum class Replacement : std::uint8_t { yes, no };

/// output[b, k] is a class, whose number is below `classes`, drawn with a chance proportional to weights(b): numbers
/// >= 0. Of a row without weights nothing is known but that.
void require_likely_classes(const Tensor& output, std::int64_t classes, Replacement replacement,
                            const std::function<std::vector<double>(std::int64_t)>& weights);
/// e^x of each x of a row, divided by the greatest; nothing where that is no number.
std::vector<double> exponentials(const evaluators::Elements& x, std::int64_t row, std::int64_t classes);

// Versions 1 and 22 of an operator that draws from a distribution.
/// Its output has the shape that an attribute states.
Operator distribution(std::string_view op_type, std::string_view summary, const VersionChange& parameters,
                      OutputTypes types, Drawn drawn);
/// Its output has the shape of an input, and its type where dtype does not say another.
Operator distribution_like(std::string_view op_type, std::string_view summary, const VersionChange& parameters,
                           OutputTypes types, Drawn drawn);

/// mean and scale, low and high.
void normal_parameters(OpSchema& s);
void uniform_parameters(OpSchema& s);
/// The types of these operators, of normal and uniform distributions.
std::vector<ValueType> distribution_types(const Call& call);
std::vector<ValueType> uniform_types(const Call& call);
/// low <= y < high, of mean (low + high)/2 and variance (high - low)²/12.
std::vector<Value> uniform_drawn(const Call& call, std::span<const Output> outs, std::span<const Tensor* const> given);
/// Of the mean and the standard deviation `scale`.
std::vector<Value> normal_drawn(const Call& call, std::span<const Output> outs, std::span<const Tensor* const> given);
}  // namespace opref::ops
