// SPDX-License-Identifier: Apache-2.0
// What a backend's errors look like: how near they are, of what size, in which pattern.
#include <algorithm>
#include <cmath>

#include "compare/compare.h"
#include "compare/element_rule.h"
#include "exact/convert.h"
#include "exact/rounding.h"
#include "exact/storage.h"
#include "explain/element.h"
#include "explain/elements.h"
#include "explain/search.h"

namespace opref::explain {
namespace {

/// Five of them.
double with_few_digits(double x) {
  if (x == 0) return 0;
  const double places = power_of_ten(4 - decimal_exponent(std::abs(x)));
  return std::nearbyint(x * places) / places;
}

/// Those beside 1 by their distance from it.
double near_one(double factor) {
  return std::abs(factor - 1) < 0.1 ? 1 + with_few_digits(factor - 1) : with_few_digits(factor);
}

/// Hears of real numbers.
struct RealListener : TermSink {
  void real(std::string_view, const Interval&) override { heard = true; }
  bool heard = false;
};

/// Whether the first element that differs is no sum, but a function of real numbers.
bool is_real_function(const Call& call, size_t output, const Tensor& ours, const Tensor& theirs) {
  std::int64_t k = 0;
  while (k + 1 < ours.count() && is_same_element(ours, theirs, k)) ++k;
  const auto heard = Search::unless_refused([&]() -> std::optional<bool> {
    RealListener listener;
    call.op().kernel(call, outputs_of(call, types_with_shapes(call), {output, k}, &listener));
    return listener.heard;
  });
  return heard.value_or(false);
}

}  // namespace

std::optional<Search::Nearness> Search::nearness(const Changed& changed) const {
  constexpr auto most_ulp = [](DType dtype) {
    return info(dtype).bits >= 32 ? 16 : dtype == DType::float16 ? 4 : dtype == DType::bfloat16 ? 2 : 0;
  };
  constexpr std::int64_t kTruncated = 8;
  const auto values = values_of(changed);
  if (!values) return std::nullopt;
  Nearness near;
  std::int64_t towards_zero = 0;
  bool is_real = false;
  for (size_t i = 0; i < actual_.size(); ++i) {
    const Tensor &ours = (*values)[i], &theirs = actual_[i];
    near.elements += theirs.count();
    const bool floating = info(theirs.dtype()).kind == Kind::floating && info(theirs.dtype()).bits >= 16;
    if (!floating) {
      if (!compare_values(theirs, ours, Tolerance{}).equal()) return std::nullopt;
      continue;
    }
    const double most = greatest(ours);
    const double ulp = most == 0 ? 0 : with_float(ours.dtype(), [&]<class T>(T) {
      return std::ldexp(1.0, std::ilogb(most) - Format<T>::precision + 1);
    });
    const std::int64_t limit = most_ulp(theirs.dtype()), before = near.differing;
    compare::ElementRule rule(theirs.dtype(), ours.dtype(), {.rule = Tolerance::Rule::ulp, .ulp = limit});
    for (std::int64_t k = 0; k < ours.count(); ++k) {
      if (is_same_element(ours, theirs, k)) continue;
      const double a = floating_element(theirs, k), b = floating_element(ours, k);
      if (!std::isfinite(a) || !std::isfinite(b) || ulp == 0) return std::nullopt;
      ++near.differing;
      const auto judged = rule.judge(element_bits(theirs, k), element_bits(ours, k));
      const double distance = std::ceil(std::abs(a - b) / ulp);
      if (!judged.passes && distance > static_cast<double>(limit)) return std::nullopt;
      near.absolute = std::max(near.absolute, static_cast<std::uint64_t>(distance));
      near.left += judged.passes ? 0 : 1;
      const std::uint64_t steps = judged.passes ? judged.ulp.value_or(0) : 0;
      near.ulp = std::max(near.ulp, steps);
      towards_zero += steps == 1 && std::abs(a) < std::abs(b) ? 1 : 0;
    }
    if (near.differing == before) continue;
    if (!is_real) is_real = is_real_function(changed.call, places_[i], ours, theirs);
  }
  near.is_truncated = near.differing >= kTruncated && towards_zero == near.differing;
  return is_real && near.differing > 0 ? std::optional(near) : std::nullopt;
}

std::vector<Changed> Search::by_a_number(const Call& call) const {
  constexpr size_t kLeast = 16;
  const auto values = values_of({"", call});
  if (actual_.size() != 1 || !values || info(dtype()).kind != Kind::floating || info(dtype()).bits > 64) return {};
  const Tensor &right = values->front(), &actual = actual_[0];
  std::vector<double> factors, terms;
  const double most = greatest(right);
  for (std::int64_t i = 0; i < right.count(); ++i) {
    const double x = floating_element(right, i), y = floating_element(actual, i);
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    terms.push_back(y - x);
    if (std::abs(x) * 64 > most) factors.push_back(y / x);
  }
  if (factors.size() < kLeast) return {};
  const auto median = [](std::vector<double>& numbers) {
    std::ranges::nth_element(numbers, numbers.begin() + std::ssize(numbers) / 2);
    return numbers[numbers.size() / 2];
  };
  const double factor = median(factors), term = median(terms);
  const auto changed = [&](std::string name, const std::function<double(double)>& f) {
    Changed change{.name = std::move(name), .call = call, .kind = Cause::Kind::mistake};
    change.computed = std::make_shared<const Tensor>(tensor_of_bits(right.type(), [&](std::int64_t i) {
      return converted(Number::of(f(floating_element(right, i))), dtype(), {});
    }));
    return change;
  };
  return {changed(format("mistake results times {}", near_one(factor)), [factor](double x) { return x * factor; }),
          changed(format("mistake {} added to results", with_few_digits(term)), [term](double x) { return x + term; })};
}

bool Search::errs_by_rows(const Changed& changed, const Call& right) const {
  constexpr std::int64_t kLeastRow = 8, kLeastRows = 8;
  constexpr double kApart = 8, kAlong = 0.9;
  const auto exact = values_of({"", right}), wrong = values_of(changed);
  if (actual_.size() != 1 || !exact || !wrong || actual_[0].shape().empty()) return false;
  const Tensor& actual = actual_[0];
  if (info(dtype()).kind != Kind::floating || info(dtype()).bits < 32 || info(dtype()).bits > 64) return false;
  const std::int64_t n = actual.shape()[actual.shape().size() - 1], rows = n == 0 ? 0 : actual.count() / n;
  if (n < kLeastRow || rows < kLeastRows) return false;
  double ours = 0, theirs = 0, along = 0;
  std::int64_t above = 0, below = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    double a = 0, b = 0, both = 0, outward = 0;
    for (std::int64_t i = row * n; i < (row + 1) * n; ++i) {
      const double y = floating_element(exact->front(), i), p = floating_element(actual, i) - y,
                   q = floating_element(wrong->front(), i) - y;
      if (!std::isfinite(p) || !std::isfinite(q)) return false;
      a += p * p, b += q * q, both += p * q, outward += q * y;
    }
    ours += b, theirs += a;
    if (a > 0 && b > 0) along += both * both / b;  // the part of a that is a multiple of the row
    above += outward > 0 ? 1 : 0, below += outward < 0 ? 1 : 0;
  }
  return along >= kAlong * kAlong * theirs && std::min(above, below) * 8 >= rows && theirs <= kApart * kApart * ours &&
         ours <= kApart * kApart * theirs;
}

std::optional<double> Search::error_in_ulp_of_one(const Changed& right) const {
  const auto values = values_of(right);
  if (actual_.size() != 1 || !values || info(dtype()).kind != Kind::floating || info(dtype()).bits > 64) return {};
  constexpr std::int64_t kMany = 32;
  std::int64_t differing = 0;
  double most = 0;
  for (std::int64_t i = 0; i < actual_[0].count(); ++i) {
    if (is_same_element(values->front(), actual_[0], i)) continue;
    ++differing;
    const double error = std::abs(floating_element(actual_[0], i) - floating_element(values->front(), i));
    if (!std::isfinite(error)) return {};
    most = std::max(most, error);
  }
  if (differing < kMany || !is_real_function(right.call, places_.front(), values->front(), actual_[0])) return {};
  return std::ldexp(most, precision_of(dtype()) - 1);
}

std::optional<int> Search::correct_bits(const Changed& right) const {
  constexpr std::int64_t kLeast = 32;
  constexpr double kMostApart = 64, kMost = 0x1p-4;
  const auto values = values_of(right);
  if (actual_.size() != 1 || !values || info(dtype()).kind != Kind::floating || info(dtype()).bits > 64) return {};
  std::vector<double> errors;
  for (std::int64_t i = 0; i < actual_[0].count(); ++i) {
    const double x = floating_element(values->front(), i), y = floating_element(actual_[0], i);
    if (is_same_element(values->front(), actual_[0], i)) continue;
    if (!std::isfinite(x) || !std::isfinite(y) || x == 0) return {};
    errors.push_back(std::abs(y / x - 1));
  }
  if (std::ssize(errors) < kLeast || std::ssize(errors) * 2 < actual_[0].count()) return {};
  std::ranges::sort(errors);
  const double greatest_one = errors.back(), middle = errors[errors.size() / 2];
  if (greatest_one > kMost || greatest_one > kMostApart * middle) return {};
  if (!is_real_function(right.call, places_.front(), values->front(), actual_[0])) return {};
  return -std::ilogb(greatest_one) - 1;
}

}  // namespace opref::explain
