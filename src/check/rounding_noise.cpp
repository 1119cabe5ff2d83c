// SPDX-License-Identifier: Apache-2.0
#include "check/rounding_noise.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "compare/error_bound.h"
#include "core/error.h"
#include "exact/real/interval.h"
#include "exact/rounding.h"
#include "exact/storage.h"
#include "exact/term_sink.h"
#include "system/deadline.h"
#include "system/machine_error.h"

namespace opref::check {
namespace {

double unit_roundoff_of(DType dtype) { return dtype == DType::float64 ? 0x1p-53 : 0x1p-24; }

/// While it lives, the thread's formulas tell the error of this type's kernel, whose functions are within an ULP.
class FunctionsWithinOne {
 public:
  explicit FunctionsWithinOne(DType dtype) : former_(Faithful::kernel) {
    Faithful::kernel = model_of({}, dtype);
    Faithful::kernel.functions = FunctionErrors::all(1);
  }
  FunctionsWithinOne(const FunctionsWithinOne&) = delete;
  FunctionsWithinOne& operator=(const FunctionsWithinOne&) = delete;
  ~FunctionsWithinOne() { Faithful::kernel = former_; }

 private:
  KernelModel former_;
};

/// Hears how one element is made.
class WorkSink : public TermSink {
 public:
  /// All is said.
  struct Enough {};

  WorkSink(std::int64_t index, double u) : index_(index), u_(u) {}
  void add(double) override { ++terms_; }
  void add(double, double) override { ++terms_, is_rounded_ = true; }
  void scale(const Ratio&) override { is_rounded_ = true; }
  bool asks_for_bounds() override { return true; }
  bool asks_for_bound(std::int64_t index) const override { return index == index_; }
  void bound(std::int64_t, const Faithful& y, const ResultRange&) override {
    is_bounded_ = true;
    operations_ = y.error() / (u_ * std::abs(y.high()));
    if (y.error() == 0) operations_ = 0;
  }
  void reads(const Place&) override { ++reads_; }
  void moves(const Place&) override { moves_ = true; }
  void names(const Place&) override { moves_ = true; }
  void considers(const Place&) override { moves_ = true; }
  void fills() override { moves_ = true; }
  void converts(const std::string&) override { moves_ = true; }
  void exact() override { moves_ = true; }
  void other() override { computes_ = true; }
  void real(std::string_view name, const Interval&) override {
    if (name.empty()) throw Enough{};
  }

  /// An axis of `longest` elements is the longest one of the inputs.
  std::int64_t roundings(std::int64_t longest) const {
    if (moves_) return 0;
    if (terms_ > 0) return terms_ == 1 && !is_rounded_ ? 0 : terms_;
    if (!is_bounded_) return computes_ ? std::clamp<std::int64_t>(reads_, 1, longest) : 0;
    if (operations_ == 0) return 0;
    return operations_ < static_cast<double>(longest) ? std::max<std::int64_t>(1, std::llround(operations_)) : longest;
  }

 private:
  std::int64_t index_;
  double u_;
  bool moves_ = false, computes_ = false, is_rounded_ = false, is_bounded_ = false;
  std::int64_t terms_ = 0, reads_ = 0;
  double operations_ = 0;
};

std::int64_t longest_axis(const Call& call) {
  std::int64_t longest = 1;
  for (const Input& input : call.inputs())
    if (!input.name.empty() && input.type.has_shape)
      for (const std::int64_t size : input.type.tensor.shape) longest = std::max(longest, size);
  return longest;
}

/// Where elements are that are finite and not zero, one for each third at most.
std::set<std::int64_t> typical_elements(const Tensor& value) {
  constexpr std::int64_t kParts = 3;
  std::set<std::int64_t> places;
  const std::int64_t count = value.count();
  for (std::int64_t part = 0; part < kParts; ++part)
    for (std::int64_t i = count / kParts * part; i < count; ++i) {
      const double y = floating_element(value, i);
      if (y == 0 || !std::isfinite(y)) continue;
      places.insert(i);
      break;
    }
  return places;
}

std::int64_t roundings_at(const Step& step, size_t output, std::int64_t at, DType dtype) {
  WorkSink sink(at, unit_roundoff_of(dtype));
  try {
    step.call.op().kernel(step.call, outputs_of(step.call, step.types, Asked{output, at}, &sink));
  } catch (const WorkSink::Enough&) {
  } catch (const Error& error) {  // of what is asked alone: nothing is known
    pass_on(error);
    return 1;
  }
  return sink.roundings(longest_axis(step.call));
}

/// A number from 0 to 1, without 1.
double fraction_of(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

}  // namespace

std::int64_t roundings_of(const Step& step, size_t output, const Tensor& value) {
  if (!is_floating(value.dtype()) || !has_limits(value.dtype())) return 0;
  const FunctionsWithinOne functions(value.dtype());
  std::int64_t most = 0;
  for (const std::int64_t at : typical_elements(value))
    most = std::max(most, roundings_at(step, output, at, value.dtype()));
  return most;
}

Tensor with_noise(const Tensor& y, std::int64_t roundings, const Random& random, std::uint32_t number) {
  constexpr double kRootOf3 = 1.7320508075688772;  // the range of uniform numbers of rms 1
  const double size = unit_roundoff_of(y.dtype()) * std::sqrt(static_cast<double>(roundings)) * kRootOf3;
  TensorBuilder moved(y.type(), Content::any);
  const std::span<const std::byte> bytes = y.bytes();
  with_float(y.dtype(), [&]<class T>(T) {
    using Bits = BitsOf<T>;
    const Bits sign = sign_bit<T>, infinity_bits = to_bits(infinity<T>(false));
    const std::span<const T> from = y.values<T>();
    const std::span<T> to = moved.values<T>();
    for (std::int64_t i = 0; i < y.count(); ++i) {
      require_time();
      const auto place = static_cast<size_t>(i);
      const Bits bits = to_bits(from[place]), magnitude = bits & static_cast<Bits>(~sign);
      to[place] = from[place];
      if (magnitude == 0 || magnitude >= infinity_bits - 1) continue;
      const double value = widen(from_bits<T>(magnitude)),
                   gap = widen(from_bits<T>(static_cast<Bits>(magnitude + 1))) - value;
      const auto drawn = random.draw(i, number);
      const double d = size * value * (2 * fraction_of(word64(drawn, 0)) - 1);
      const auto steps = static_cast<std::int64_t>(std::floor(d / gap + fraction_of(word64(drawn, 1))));
      const std::int64_t result = std::clamp<std::int64_t>(static_cast<std::int64_t>(magnitude) + steps, 1,
                                                           static_cast<std::int64_t>(infinity_bits) - 1);
      to[place] = from_bits<T>(static_cast<Bits>(static_cast<Bits>(result) | (bits & sign)));
    }
  });
  return std::move(moved).finish();
}

}  // namespace opref::check
