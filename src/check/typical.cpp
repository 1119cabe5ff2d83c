// SPDX-License-Identifier: Apache-2.0
#include "check/typical.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "check/record.h"
#include "check/recurrences.h"
#include "check/simulated.h"
#include "check/told_output.h"
#include "compare/error_bound.h"
#include "core/random.h"
#include "exact/ratio.h"
#include "exact/real/pair.h"
#include "exact/rounding.h"
#include "exact/term_sink.h"
#include "kernels/kernels.h"
#include "system/deadline.h"

namespace opref::check {
namespace {

/// Elements at which kernels are compared: all, or stretches of neighbours that are drawn, and the worst.
class Sample {
 public:
  Sample(std::int64_t count, std::int64_t worst) {
    constexpr std::int64_t kMost = 4096, kStretch = 64;
    if (count <= kMost) {
      for (std::int64_t i = 0; i < count; ++i) places_.push_back(i);
      return;
    }
    const Random random(0);
    for (std::int64_t k = 0; k < kMost / kStretch; ++k) {
      const auto range = static_cast<std::uint64_t>(count - kStretch + 1);
      const auto first = static_cast<std::int64_t>(core::word64(random.draw(k), 0) % range);
      for (std::int64_t i = first; i < first + kStretch; ++i) places_.push_back(i);
    }
    places_.back() = worst;
    std::ranges::sort(places_);
    places_.erase(std::ranges::unique(places_).begin(), places_.end());
  }
  size_t size() const { return places_.size(); }
  std::int64_t operator[](size_t k) const { return places_[k]; }
  /// Which one it is; size() of what is none.
  size_t find(std::int64_t place) const {
    const auto found = std::ranges::lower_bound(places_, place);
    return found != places_.end() && *found == place ? static_cast<size_t>(found - places_.begin()) : size();
  }
  bool contains(std::int64_t place) const { return find(place) < size(); }

 private:
  std::vector<std::int64_t> places_;
};

/// Numbers of the sampled elements; NaN where nothing is known.
using Numbers = std::vector<double>;

/// high + low, by which kernels may differ by `bound`; of a simulated kernel its own. Formulas that only simulated
/// kernels tell have no bounds of their own, but are held to those of opref's.
struct Known {
  explicit Known(size_t size) : high(size, NAN), low(size, 0), bound(size, NAN), ranges(size) {}
  Numbers high, low, bound;
  std::vector<ResultRange> ranges;
  bool is_told = false;
};

/// Hears the bounds of a formula, or the numbers of a simulated kernel.
class SampledFormula : public TermSink {
 public:
  SampledFormula(const Sample& sample, const KnownStates& states)
      : sample_(sample), states_(states), heard_(sample.size()) {}
  bool asks_for_bounds() override { return true; }
  bool asks_for_bound(std::int64_t index) const override { return sample_.contains(index); }
  void bound(std::int64_t index, const Faithful& y, const ResultRange& range) override {
    const size_t k = sample_.find(index);
    heard_.ranges[k] = range, heard_.is_told = true;
    heard_.high[k] = y.high(), heard_.low[k] = y.low(), heard_.bound[k] = y.error();
  }
  std::optional<Faithful> known(size_t output, std::int64_t index) const override {
    return states_.known(output, index);
  }

  const Known& heard() const { return heard_; }

 private:
  const Sample& sample_;
  const KnownStates& states_;
  Known heard_;
};

/// Works out all of sums, and of norms of p = 1 and 2, in one go: what is known of them, and what each simulated kernel
/// makes of them. Elements of other formulas have no terms.
class SampledSums : public TermSink {
 public:
  SampledSums(const Sample& sample, const BoundedKernel& kernel, DType dtype, std::span<const SimulatedKernel> kernels)
      : known(sample.size()),
        simulated(kernels.size(), Numbers(sample.size(), NAN)),
        sample_(sample),
        bound_(kernel, dtype),
        kernels_(kernels) {}

  bool asks_for_bounds() override { return is_formula = true; }
  bool asks_for_terms(std::int64_t index) const override { return sample_.contains(index); }
  void norms(double p) override { power_ = p; }
  void begin(std::int64_t index) override {
    k_ = sample_.find(index);
    terms_.clear();
    scale_ = {1, 1};
    h_ = l_ = magnitude_ = 0;
  }
  void add(double x) override {
    if (power_ == 2)
      add(x, x);
    else
      take({power_ == 1 ? std::abs(x) : x, 0});
  }
  void add(double a, double b) override { take(exact::two_product(a, b)); }
  void scale(const Ratio& ratio) override { scale_ = {ratio.a, ratio.b}; }
  void end() override {
    if (k_ == sample_.size() || (power_ != 0 && power_ != 1 && power_ != 2)) return;
    const double factor = scale_.first / scale_.second, sum = h_ + l_, places = static_cast<double>(terms_.size());
    double y = sum * factor, rest = ((h_ - sum) + l_) * factor;
    double error = bound_.rough_error(places, magnitude_, 1) * factor;
    if (power_ == 2) {
      const double root = std::sqrt(y);
      error = root > 0 ? error / root : std::sqrt(error);
      rest = root > 0 ? (std::fma(-root, root, y) + rest) / (2 * root) : 0;
      y = root;
    }
    known.high[k_] = y, known.low[k_] = rest, known.bound[k_] = error;
    for (size_t run = 0; run < kernels_.size(); ++run) {
      Faithful::simulated = &kernels_[run];
      double a = exact::simulated_sum(terms_);
      if (scale_.first != 1) a = exact::nearest_held(a * scale_.first);
      if (scale_.second != 1) a = exact::nearest_held(a / scale_.second);
      simulated[run][k_] = power_ == 2 ? exact::nearest_held(std::sqrt(a)) : a;
    }
    Faithful::simulated = nullptr;
  }

  Known known;
  std::vector<Numbers> simulated;
  bool is_formula = false;

 private:
  void take(const exact::Pair& term) {
    require_time();
    const exact::Pair sum = exact::two_sum(h_, term.h);
    h_ = sum.h;
    l_ += sum.l + term.l;
    magnitude_ += std::abs(term.h);
    terms_.push_back(exact::nearest_held(term.h));
  }

  const Sample& sample_;
  ErrorBound bound_;
  std::span<const SimulatedKernel> kernels_;
  size_t k_ = 0;
  double power_ = 0, h_ = 0, l_ = 0, magnitude_ = 0;
  std::pair<double, double> scale_ = {1, 1};
  std::vector<double> terms_;
};

/// The median and the greatest share of the elements that have a bound.
struct Shares {
  bool is_empty = true;
  double median = 0, greatest = 0;

  Shares(const Known& known, const Numbers& a) {
    std::vector<double> shares;
    for (size_t k = 0; k < a.size(); ++k) {
      const double share = std::abs((a[k] - known.high[k]) - known.low[k]) / known.bound[k];
      if (known.bound[k] > 0 && std::isfinite(known.bound[k]) && std::isfinite(share)) shares.push_back(share);
    }
    is_empty = shares.empty();
    if (is_empty) return;
    const auto middle = shares.begin() + std::ssize(shares) / 2;
    std::ranges::nth_element(shares, middle);
    median = *middle;
    greatest = *std::ranges::max_element(shares);
  }
  void take(const Shares& other) {
    median = std::max(median, other.median);
    greatest = std::max(greatest, other.greatest);
  }
};

double ratio_of(double a, double b) { return a == 0 ? 0 : a / b; }

/// Two kernels; the fewer elements, the more.
std::vector<SimulatedKernel> kernels_for(size_t elements) {
  constexpr size_t kEnough = 64, kLeast = 2, kMost = 16;
  const size_t runs = std::clamp(kEnough / std::max<size_t>(1, elements), kLeast, kMost);
  std::vector<SimulatedKernel> kernels;
  for (std::uint32_t run = 0; run < runs; ++run) kernels.push_back(simulated_kernel(run));
  return kernels;
}

/// What is known of the sampled elements, and what simulated kernels return of them, of one formula after the other.
struct Simulated {
  Known known;
  std::vector<Numbers> numbers;
};

Simulated simulate(const Step& step, std::string_view output, const Tensor& foreign, DType dtype,
                   const BoundedKernel& kernel, const Sample& sample, std::span<const SimulatedKernel> kernels) {
  using Formula = BoundedKernel::Formula;
  const KernelModel model = model_of(kernel, dtype);
  const KnownStates states(step, output, foreign, kernel);
  Simulated made{Known(sample.size()), {}};
  bool is_known = false;
  {
    const WithKernel with_kernel(model);
    SampledSums sums(sample, kernel, dtype, kernels);
    tell(step, output, sums);
    if (!sums.is_formula) made = {std::move(sums.known), std::move(sums.simulated)}, is_known = true;
  }
  if (!is_known) {
    std::vector<kernels::OtherFormula> others;
    if (kernel.formula != Formula::accurate) others = kernels::other_formulas(step.call);
    for (size_t formula = 0; formula <= others.size(); ++formula) {
      const auto hear = [&](const SimulatedKernel* of) {
        const WithKernel with_kernel(model, of);
        SampledFormula sink(sample, states);
        if (formula == 0)
          tell(step, output, sink);
        else
          others[formula - 1].tell(output_told(step, output, sink));
        return sink.heard();
      };
      const Known heard = hear(nullptr);
      if (formula == 0) made.known = heard;
      for (size_t k = 0; k < sample.size(); ++k) made.known.bound[k] = std::fmax(made.known.bound[k], heard.bound[k]);
      for (const SimulatedKernel& of : kernels) {
        made.numbers.push_back(hear(&of).high);
        for (size_t k = 0; k < sample.size(); ++k)
          if (!std::isfinite((heard.is_told ? heard : made.known).bound[k]))
            made.numbers.back()[k] = NAN;  // no right kernel computes it so
      }
    }
  }
  if (const FloatLimits limits = limits_of(dtype); limits.unit_roundoff != model.unit_roundoff())
    for (size_t k = 0; k < sample.size(); ++k)
      made.known.bound[k] += limits.unit_roundoff * std::abs(made.known.high[k]) + limits.smallest_subnormal;
  for (Numbers& numbers : made.numbers)
    for (double& number : numbers) number = stored(number, dtype);
  return made;
}

Numbers numbers_at(const Sample& sample, const Tensor& tensor) {
  Numbers numbers;
  for (size_t k = 0; k < sample.size(); ++k) numbers.push_back(floating_element(tensor, sample[k]));
  return numbers;
}

}  // namespace

std::optional<Typicality> typicality_of(const Step& step, std::string_view output, const Tensor& foreign,
                                        const Tensor& ours, const BoundedKernel& kernel, std::int64_t worst) {
  const DType dtype = ours.dtype();
  if (!has_limits(dtype) || std::ranges::equal(foreign.bytes(), ours.bytes())) return std::nullopt;
  if (kernel.input_error != 0 || kernel.subnormals == BoundedKernel::Subnormals::flushed) return std::nullopt;
  const Sample sample(ours.count(), worst);
  const Simulated simulated = simulate(step, output, foreign, dtype, kernel, sample, kernels_for(sample.size()));
  Shares usual(simulated.known, numbers_at(sample, ours));
  for (const Numbers& numbers : simulated.numbers) usual.take(Shares(simulated.known, numbers));
  const Shares actual(simulated.known, numbers_at(sample, foreign));
  if (actual.is_empty) return std::nullopt;
  return Typicality{ratio_of(actual.median, usual.median), ratio_of(actual.greatest, usual.greatest)};
}

std::vector<Tensor> simulated_outputs(const Step& step, std::string_view output, const Tensor& ours,
                                      const BoundedKernel& kernel, std::uint32_t runs) {
  const Sample sample(ours.count(), 0);
  std::vector<SimulatedKernel> kernels;
  for (std::uint32_t run = 0; run < runs; ++run) kernels.push_back(simulated_kernel(run));
  const Simulated simulated = simulate(step, output, ours, ours.dtype(), kernel, sample, kernels);
  std::vector<Tensor> tensors;
  for (const Numbers& numbers : simulated.numbers)
    tensors.push_back(tensor_of_bits(ours.type(), [&](std::int64_t i) {
      const size_t k = sample.find(i);
      if (k == sample.size() || !std::isfinite(simulated.known.bound[k]) || !std::isfinite(numbers[k]))
        return element_bits(ours, i);
      const auto [least, most] = simulated.known.ranges[k];
      const Scaled parts = scaled(std::clamp(numbers[k], least, most));
      return encode_bits(ours.dtype(), parts.negative, parts.significand, parts.exponent);
    }));
  return tensors;
}

std::string untypical_reason(std::string_view output, const Comparison& comparison) {
  if (!comparison.is_untypical()) return "";
  return format("output '{}' is within its bound, but {}", printable(output), untypical_text(comparison));
}

Explanation explain_untypical(const std::shared_ptr<const ReadyCase>& ready, std::vector<GivenOutput> outputs,
                              double seconds) {
  for (GivenOutput& output : outputs) output.tolerance = {};
  Explanation explanation = explain_outputs(ready, outputs, seconds);
  const auto is_right = [](const Cause& cause) { return cause.kind == Cause::Kind::arithmetic; };
  if (!explanation.within.empty() || !explanation.doubt.empty() || std::ranges::any_of(explanation.causes, is_right))
    explanation.causes.clear();
  return explanation;
}

void judge_untypical(CaseRecord& record, const std::string& reason, const Explanation& explanation, bool is_strict) {
  if (explanation.causes.empty() && !is_strict) {
    record.warnings.push_back(reason);
    return;
  }
  record.verdict = Verdict::fail;
  record.reason = reason;
  describe_causes(record, explanation);
}

}  // namespace opref::check
