// From the terms of an output element to its bytes: the two tiers, counted.
//
// An element is given as a callable `at(sum)` that adds its terms to any accumulator, and may be called more than once.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>

#include "core/tensor.h"
#include "exact/compensated_sum.h"
#include "exact/exact_sum.h"
#include "exact/integer_sum.h"
#include "exact/numerics.h"
#include "exact/power_sum.h"
#include "exact/term_sink.h"

namespace opref {

/// How one floating type rounds and stores. An estimate may leave an element undecided: false, and nothing is stored.
struct FloatRounding {
  bool (*estimated)(const CompensatedSum&, const Slack&, std::byte* element);
  void (*exact)(ExactSum&, std::byte* element);
  bool (*root)(double sum, const Power& p, double relative, std::byte* element);
  void (*norm)(std::span<const double> window, double p, Scale scale, std::byte* element);
};
const FloatRounding& float_rounding(DType dtype);

/// Where elements go and how many each tier decided; the counts are added to the Stats at the end.
class ResultCounter {
 public:
  ResultCounter(TensorBuilder& y, DType dtype, const Numerics& numerics)
      : bytes_(y.bytes()), size_(static_cast<size_t>(info(dtype).bits) / 8), numerics_(numerics) {}
  ResultCounter(const ResultCounter&) = delete;
  ResultCounter& operator=(const ResultCounter&) = delete;
  ~ResultCounter() {
    if (numerics_.stats == nullptr) return;
    numerics_.stats->estimated += estimated_;
    numerics_.stats->exact += exact_;
  }

 protected:
  std::byte* element(std::int64_t index) { return &bytes_[static_cast<size_t>(index) * size_]; }
  size_t element_size() const { return size_; }
  bool exact_only() const { return numerics_.exact_only; }
  const Slack& slack() const { return numerics_.slack; }
  void count_estimated() { ++estimated_; }
  void count_exact() { ++exact_; }

 private:
  std::span<std::byte> bytes_;
  size_t size_;
  Numerics numerics_;
  std::int64_t estimated_ = 0, exact_ = 0;
};

/// Sums, rounded once. S is the storage of the terms' factors; the estimate relies on exact products, so that double
/// goes straight to the exact tier.
template <class S>
class SumResults : public ResultCounter {
 public:
  SumResults(TensorBuilder& y, DType dtype, const Numerics& numerics)
      : ResultCounter(y, dtype, numerics), rounding_(float_rounding(dtype)) {}
  template <class At>
  void operator()(std::int64_t index, const At& at) {
    if constexpr (std::is_same_v<S, float>) {
      if (!exact_only()) {
        CompensatedSum estimate;
        at(estimate);
        if (rounding_.estimated(estimate, slack(), element(index))) return count_estimated();
      }
    }
    exact_.clear();
    at(exact_);
    rounding_.exact(exact_, element(index));
    count_exact();
  }

 private:
  const FloatRounding& rounding_;
  ExactSum exact_;
};

/// Integer sums, wrapped or clamped to the type. Sum is WrappingSum or a SaturatingSum.
template <class Sum>
class IntegerResults : public ResultCounter {
 public:
  using ResultCounter::ResultCounter;
  template <class At>
  void operator()(std::int64_t index, const At& at) {
    Sum sum;
    at(sum);
    const std::uint64_t bits = sum.round(static_cast<int>(8 * element_size()));
    std::memcpy(element(index), &bits, element_size());  // little endian: the low bits come first
    count_exact();
  }
};

/// p-norms, rounded once.
template <class S>
class NormResults : public ResultCounter {
 public:
  NormResults(TensorBuilder& y, DType dtype, const Numerics& numerics, const PowerSum& finish)
      : ResultCounter(y, dtype, numerics), rounding_(float_rounding(dtype)), finish_(finish) {
    require_supported_power(finish.p);
    if (std::is_same_v<S, float> && !exact_only()) estimated_power_ = Power::of(finish.p);
  }
  template <class At>
  void operator()(std::int64_t index, const At& at) {
    if (estimated_power_ && by_estimate(index, at)) return count_estimated();
    window_.clear();
    at(window_);
    rounding_.norm(window_.terms(), finish_.p, scale(static_cast<std::int64_t>(window_.terms().size())),
                   element(index));
    count_exact();
  }

 private:
  Scale scale(std::int64_t terms) const {
    return finish_.scale_to == 0 || terms == 0 ? Scale{} : Scale{finish_.scale_to, terms};
  }

  template <class At>
  bool by_estimate(std::int64_t index, const At& at) {
    const Power& p = *estimated_power_;
    PowerEstimate estimate(p);
    at(estimate);
    const Scale s = scale(static_cast<std::int64_t>(estimate.terms()));
    const double factor = static_cast<double>(s.numerator) / static_cast<double>(s.denominator);
    const double terms = estimate.terms() + (s.is_one() ? 0 : 2);
    const double relative = estimate.is_exact() && s.is_one() ? 0 : root_bound(terms, p, slack());
    return rounding_.root(estimate.value() * factor, p, relative, element(index));
  }

  const FloatRounding& rounding_;
  PowerSum finish_;
  std::optional<Power> estimated_power_;
  WindowTerms window_;
};

}  // namespace opref
