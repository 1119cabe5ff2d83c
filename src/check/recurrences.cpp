// SPDX-License-Identifier: Apache-2.0
#include "check/recurrences.h"

#include <algorithm>
#include <cmath>

#include "check/simulated.h"
#include "check/told_output.h"
#include "compare/error_bound.h"
#include "exact/rounding.h"
#include "exact/storage.h"
#include "exact/term_sink.h"

namespace opref::check {
namespace {

/// Hears the numbers of a simulated kernel.
class NumbersSink : public TermSink {
 public:
  explicit NumbersSink(std::int64_t count) : numbers_(static_cast<size_t>(count), NAN) {}
  bool asks_for_bounds() override { return true; }
  bool asks_for_bound(std::int64_t) const override { return true; }
  void bound(std::int64_t index, const Faithful& y, const ResultRange&) override {
    numbers_[static_cast<size_t>(index)] = y.high();
  }
  /// Of elements that no step puts it is 0.
  const std::vector<double>& numbers() const { return numbers_; }

 private:
  std::vector<double> numbers_;
};

}  // namespace

double stored(double x, DType dtype) {
  return with_float(dtype, [x]<class T>(T) { return widen(nearest<T>(x)); });
}

KnownStates::KnownStates(const Step& step, std::string_view output, const Tensor& foreign, const BoundedKernel& kernel)
    : place_(place_of(step, output)), foreign_(foreign), is_known_(has_limits(foreign.dtype())) {
  if (!is_known_) return;
  const FloatLimits limits = limits_of(foreign.dtype());
  if (limits.unit_roundoff <= model_of(kernel, foreign.dtype()).unit_roundoff()) return;
  relative_ = limits.unit_roundoff * (1 + limits.unit_roundoff);
  absolute_ = limits.smallest_subnormal;
}
std::optional<Faithful> KnownStates::known(size_t output, std::int64_t index) const {
  if (!is_known_ || output != place_) return std::nullopt;
  const double y = floating_element(foreign_, index);
  return Faithful(y, 0, Faithful::simulated != nullptr ? 0 : relative_ * std::abs(y) + absolute_);
}

std::vector<std::pair<std::int64_t, double>> shares_of_spread(const Step& step, std::string_view output,
                                                              const Tensor& foreign, const Tensor& ours,
                                                              const BoundedKernel& kernel) {
  constexpr std::uint32_t kRuns = 8;
  constexpr double kMost = 4;
  const DType dtype = ours.dtype();
  const std::int64_t count = ours.count(), units = std::max<std::int64_t>(
                                               1, ours.shape().empty() ? 1 : ours.shape()[ours.shape().size() - 1]);
  std::vector<double> squares(static_cast<size_t>(count / units));
  for (std::uint32_t run = 0; run < kRuns; ++run) {
    const SimulatedKernel simulated = simulated_kernel(run);
    const WithKernel with_kernel(model_of(kernel, dtype), &simulated);
    NumbersSink sink(count);
    tell(step, output, sink);
    for (std::int64_t i = 0; i < count; ++i) {
      const double off = stored(sink.numbers()[static_cast<size_t>(i)], dtype) - floating_element(ours, i);
      if (std::isfinite(off)) squares[static_cast<size_t>(i / units)] += off * off;
    }
  }
  const FloatLimits limits = limits_of(dtype);
  std::vector<std::pair<std::int64_t, double>> shares;
  for (std::int64_t i = 0; i < count; ++i) {
    const double a = floating_element(foreign, i), y = floating_element(ours, i);
    if (a == y || (std::isnan(a) && std::isnan(y))) continue;
    const double spread = std::sqrt(squares[static_cast<size_t>(i / units)] / static_cast<double>(kRuns * units));
    const double share =
        std::abs(a - y) / (kMost * (spread + limits.unit_roundoff * std::abs(y) + limits.smallest_subnormal));
    shares.emplace_back(i, std::isnan(share) ? HUGE_VAL : share);
  }
  return shares;
}

}  // namespace opref::check
