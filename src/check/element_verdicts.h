// SPDX-License-Identifier: Apache-2.0
// What is found of the elements of one output, and how one is judged by what a formula says of it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "check/bound.h"
#include "compare/error_bound.h"
#include "core/tensor.h"
#include "exact/convert.h"
#include "exact/real/faithful.h"
#include "exact/rounding.h"

namespace opref::check {

/// What was found of elements, by place.
struct Verdicts {
  struct Failing {
    std::int64_t place;
    double share, allowed;  ///< as ErrorBound::Judgement has them
    auto operator<=>(const Failing&) const = default;
  };
  std::vector<Failing> failing;  ///< ascending once sorted
  std::vector<double> passing;   ///< the shares of those that pass, in any order
  std::int64_t greatest = 0;     ///< of those that pass the one with the greatest share
  double greatest_share = 0;
  std::vector<std::int64_t> without_bound;

  void add(std::int64_t index, const ErrorBound::Judgement& judgement) {
    if (!judgement.passes) return failing.push_back({index, judgement.ratio, judgement.allowed});
    passing.push_back(judgement.ratio);
    if (judgement.ratio > greatest_share) greatest = index, greatest_share = judgement.ratio;
  }
  void sort() {
    std::ranges::sort(failing, {}, &Failing::place);
    std::ranges::sort(without_bound);
  }
  bool fails(std::int64_t index) const {
    const auto found = std::ranges::lower_bound(failing, index, {}, &Failing::place);
    return found != failing.end() && found->place == index;
  }
  /// The worst of all, and its share: one that fails has a greater share than all that pass.
  std::pair<std::int64_t, double> worst() const {
    if (failing.empty()) return {greatest, greatest_share};
    const Failing& worst = *std::ranges::max_element(failing, {}, &Failing::share);
    return {worst.place, worst.share};
  }
  /// Of other elements.
  void join(const Verdicts& other) {
    failing.insert(failing.end(), other.failing.begin(), other.failing.end());
    passing.insert(passing.end(), other.passing.begin(), other.passing.end());
    if (other.greatest_share > greatest_share) greatest = other.greatest, greatest_share = other.greatest_share;
    without_bound.insert(without_bound.end(), other.without_bound.begin(), other.without_bound.end());
    sort();
  }
  /// Of those that fail here, what other kernels say: each has the least share. The greatest of those that pass is then
  /// one that these kernels alone pass. Both are sorted.
  void take(const Verdicts& other) {
    std::vector<Failing> left;
    auto next = other.failing.begin();
    for (const Failing& one : failing) {
      while (next != other.failing.end() && next->place < one.place) ++next;
      if (next != other.failing.end() && next->place == one.place)
        left.push_back(one.share < next->share ? one : *next);
    }
    failing = std::move(left);
    passing.insert(passing.end(), other.passing.begin(), other.passing.end());
    if (!other.passing.empty()) greatest = other.greatest, greatest_share = other.greatest_share;
    std::erase_if(without_bound,
                  [&](std::int64_t place) { return !std::ranges::binary_search(other.without_bound, place); });
  }
};

/// Judges elements of one output by what formulas say of them.
class Judge {
 public:
  Judge(const BoundedKernel& kernel, const Tensor& foreign, const Tensor& ours)
      : bound_(kernel, has_limits(ours.dtype()) ? ours.dtype() : DType::float32), foreign_(foreign), ours_(ours) {}

  DType dtype() const { return ours_.dtype(); }
  double foreign(std::int64_t index) const { return floating_element(foreign_, index); }
  double right(std::int64_t index) const { return floating_element(ours_, index); }
  /// Elements of the same bits, and NaN beside NaN, need no bound.
  bool differs(std::int64_t index) const {
    if (element_bits(foreign_, index) == element_bits(ours_, index)) return false;
    if (!is_floating(ours_.dtype())) return true;
    return foreign(index) != right(index) && !(std::isnan(foreign(index)) && std::isnan(right(index)));
  }
  void judge(std::int64_t index, const Faithful& y, const ResultRange& range, Verdicts& verdicts) const {
    if (!is_finite(y)) {
      verdicts.without_bound.push_back(index);
      verdicts.add(index, {false, std::numeric_limits<double>::infinity()});
    } else if (!is_floating(ours_.dtype())) {
      verdicts.add(index, ErrorBound::judge_integer(y, integer_range(ours_.dtype()), integer_element(foreign_, index)));
    } else if (has_limits(ours_.dtype())) {
      verdicts.add(index, bound_.judge_formula(y, range, foreign(index)));
    } else {
      verdicts.add(index, judge_narrow(y, foreign(index)));
    }
  }

 private:
  static std::pair<double, double> integer_range(DType dtype) {
    const DTypeInfo& type = info(dtype);
    const bool is_signed = type.kind == Kind::signed_integer;
    const double end = std::ldexp(1.0, type.bits - (is_signed ? 1 : 0));
    return {is_signed ? -end : 0, end - 1};
  }
  /// Of numbers of 8 and 4 bits: one within E of y becomes it.
  ErrorBound::Judgement judge_narrow(const Faithful& y, double a) const {
    const auto rounded = [&](double x) { return floating_value(dtype(), converted(Number::of(x), dtype(), {})); };
    return ErrorBound::judge_between(rounded(y.high() - y.error()), rounded(y.high()), rounded(y.high() + y.error()),
                                     a);
  }
  static double integer_element(const Tensor& tensor, std::int64_t index) {
    const Number number = number_of(tensor.dtype(), element_bits(tensor, index));
    const double size = std::ldexp(static_cast<double>(number.significand), number.exponent);
    return number.negative ? -size : size;
  }

  ErrorBound bound_;
  const Tensor &foreign_, &ours_;
};

/// The comparison of all elements, of which these verdicts are known, by the bound of such an accumulator.
Comparison with_verdicts(Comparison comparison, const Verdicts& verdicts, const Tensor& actual, const Tensor& expected,
                         Foreign foreign, DType accumulator);

}  // namespace opref::check
