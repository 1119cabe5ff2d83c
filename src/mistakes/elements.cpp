// SPDX-License-Identifier: Apache-2.0
// Functions of elements, and of all elements along an axis.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/nearly.h"
#include "evaluators/elements.h"
#include "evaluators/strided.h"
#include "exact/convert.h"
#include "exact/real/interval.h"
#include "exact/rounding.h"
#include "exact/storage.h"
#include "mistakes/tools.h"
#include "ops/shared/elementwise.h"
#include "ops/shared/formulas.h"
#include "ops/shared/lookups.h"
#include "ops/shared/reductions.h"

namespace opref::mistakes {
namespace {

std::string_view first_name(const Call& call) { return call.schema().inputs()[0].name; }

// e^x beyond the type's range is Inf or 0: the greatest element is not subtracted first.
std::optional<Call> exponentials_overflow(const Call& call) {
  // ln of the greatest number, and of half the least one: where e^x becomes Inf and 0
  struct Range {
    double most, least;
  };
  const auto range = [&]() -> Range {
    switch (call.inputs().front().type.tensor.dtype) {
      case DType::float16:
        return {11.0898, -17.3287};
      case DType::bfloat16:
        return {88.7228, -92.8850};
      case DType::float32:
        return {88.72283, -103.97208};
      default:
        return {709.782712893384, -745.1332191019412};
    }
  }();
  return with_numbers(call, first_name(call), [range](double x) {
    return x > range.most ? INFINITY : x < range.least ? -INFINITY : x;
  });
}

// Softmax is rounded to the type first: below half its least number the logarithm is -Inf.
std::vector<Value> logarithm_of_rounded(const Call& call, std::span<const Output> outs) {
  return with_float(outs[0].type().dtype, [&]<class T>(T) {
    return with_first(computed_rightly(call, outs), [](double y) {
      T softmax{};
      double logarithm = 0;
      settle(exp(Interval(y)), softmax);
      settle(log(Interval(widen(softmax))), logarithm);
      return logarithm;
    });
  });
}

// NaN passed over in every input.
std::optional<Call> with_nan_as(const Call& call, double number) {
  if (!has_floats(call)) return std::nullopt;
  return call.with_tensors([number](const Tensor& tensor) {
    const bool has_infinity = is_floating(tensor.dtype()) && infinity_of(tensor.dtype(), false);
    return has_infinity ? of_each(tensor, [number](double x) { return std::isnan(x) ? number : x; }) : tensor;
  });
}
std::optional<Call> nan_passed_over_by_greatest(const Call& call) { return with_nan_as(call, -HUGE_VAL); }
std::optional<Call> nan_passed_over_by_least(const Call& call) { return with_nan_as(call, HUGE_VAL); }

// x·sigmoid(1.702·x)
struct QuickGelu : RealFormula<1> {
  static constexpr Sign sign = Sign::as_input;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return x * sigmoid(R(1702.0) / R(1000.0) * x);
  }
};

// x/(1 + x)
struct WithoutAbsolute : RealFormula<1> {
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return x / (R(1.0) + x);
  }
};

// A - floor(A/B)·B
struct FlooredRest : RealFormula<2> {
  static constexpr bool one_operation = true;
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    return floor_mod(a, b);
  }
};
bool has_rest_of_floats(const Call& call) { return has_floats(call) && call.flag("fmod"); }

double nan_below_zero(double x) { return x < 0 ? NAN : x; }

// condition·X + (1 - condition)·Y: NaN where the other one is no number.
std::vector<Value> where_by_products(const Call& call, std::span<const Output> outs) {
  const Tensor right = *computed_rightly(call, outs)[0].tensor(),
               other = *computed_rightly(call.with_input("X", call.value("Y")).with_input("Y", call.value("X")))[0]
                            .tensor();
  return {tensor_of_bits(right.type(), [&](std::int64_t i) {
    return std::isfinite(floating_element(other, i)) ? element_bits(right, i)
                                                     : converted(Number::of(NAN), right.dtype(), {});
  })};
}
bool selects_floats(const Call& call) { return is_floating(call.type("X").dtype); }

// ((A + B)/2 + C)/2 …
std::vector<Value> mean_of_means(const Call& call, std::span<const Output> outs) {
  const Dims& shape = outs[0].type().shape;
  return {tensor_of_bits(outs[0].type(), [&](std::int64_t i) {
    double mean = 0;
    for (size_t k = 0; k < call.inputs().size(); ++k) {
      const Tensor& x = *call.inputs()[k].value->tensor();
      const evaluators::Strided at(shape, evaluators::broadcast_strides(x.shape(), shape));
      const double number = floating_element(x, at(i));
      mean = k == 0 ? number : (mean + number) / 2;
    }
    return converted(Number::of(mean), outs[0].type().dtype, {});
  })};
}

// floor(A/B)
struct FloorQuotient : RealFormula<2> {
  static constexpr bool one_operation = true, integers = true;
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    const R rest = fmod(a, b), truncated = (a - rest) / b;
    return choose(
        floor_mod(a, b) == rest, [&] { return truncated; }, [&] { return truncated - R(1.0); });
  }
};

// Of the base 2.
std::vector<Value> powers_of_two(const Call& call, std::span<const Output> outs) {
  return through_float64(call, outs, [](double x) { return x * M_LN2; });
}

/// NaN of the first operand, or of all others, as a number that no other one is less (or greater) than.
template <bool of_first, bool greatest>
std::optional<Call> nan_lost(const Call& call) {
  if (!has_floats(call) || call.inputs().size() < 2) return std::nullopt;
  const std::byte* first = call.inputs().front().value->tensor()->identity();
  return call.with_tensors([first](const Tensor& tensor) {
    if ((tensor.identity() == first) != of_first) return tensor;
    return of_each(tensor, [](double x) { return std::isnan(x) ? (greatest ? -HUGE_VAL : HUGE_VAL) : x; });
  });
}

// Integers that saturate instead of wrapping.

struct Difference : RealFormula<2> {
  static constexpr bool one_operation = true;
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    return a - b;
  }
};
struct ProductOfTwo : RealFormula<2> {
  static constexpr bool one_operation = true;
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    return a * b;
  }
};
template <class F>
std::vector<Value> saturated(const Call& call, std::span<const Output> outs) {
  const Conversion how{.beyond = Conversion::Beyond::saturate};
  return {elementwise(outs[0], std::array{call.input("A"), call.input("B")}, F{}, how)};
}
std::vector<Value> reduced_saturated(const Call& call, std::span<const Output> outs) {
  std::vector<Value> right = computed_rightly(call, outs),
                     reals = through_float64(call, outs, [](double x) { return x; });
  if (!outs[0].wanted()) return right;
  const Tensor wrapped = *right[0].tensor(), limited = *reals[0].tensor();
  const DTypeInfo& type = info(wrapped.dtype());
  const std::uint64_t own = ~std::uint64_t{0} >> (64 - type.bits);
  const bool is_signed = type.kind == Kind::signed_integer;
  const std::uint64_t most = is_signed ? own >> 1 : own, least = is_signed ? most + 1 : 0;
  return {tensor_of_bits(wrapped.type(), [&](std::int64_t i) {
    const std::uint64_t bits = element_bits(limited, i);
    return bits == most || bits == least ? bits : element_bits(wrapped, i);
  })};
}

/// One after the other, and converted back.
std::vector<Value> reduced_in_float64(const Call& call, std::span<const Output> outs) {
  const evaluators::Elements numbers(call.input("data"));
  const ops::Reduction lines = ops::reduction(call);
  return {tensor_of_bits(outs[0].type(), [&](std::int64_t i) {
    double sum = 0;
    lines.each(i, [&](std::int64_t at) { sum += std::abs(nearly(numbers.integer(at))); });
    return converted(Number::of(sum), outs[0].type().dtype, {.beyond = Conversion::Beyond::saturate});
  })};
}

// x/2^y to the nearest integer, the even one of two.
std::vector<Value> shift_rounded(const Call& call, std::span<const Output> outs) {
  const evaluators::Elements x(call.input("X")), y(call.input("Y"));
  const Dims& shape = outs[0].type().shape;
  const evaluators::Strided x_at(shape, evaluators::broadcast_strides(call.type("X").shape, shape)),
      y_at(shape, evaluators::broadcast_strides(call.type("Y").shape, shape));
  return {tensor_of_bits(outs[0].type(), [&](std::int64_t i) {
    return static_cast<std::uint64_t>(
        std::nearbyint(std::ldexp(x.number(x_at(i)), -static_cast<int>(y.number(y_at(i))))));
  })};
}
bool is_shifted_right(const Call& call) { return call.string("direction") == "RIGHT"; }

double nan_below_all(double x) { return std::isnan(x) ? -HUGE_VAL : x; }
double fractions_unknown(double x) { return x == std::trunc(x) ? x : std::numeric_limits<double>::quiet_NaN(); }
double infinity_unknown(double x) { return std::isinf(x) ? std::numeric_limits<double>::quiet_NaN() : x; }

bool is_half(double x) { return std::abs(x - std::trunc(x)) == 0.5; }
double halves_away(double x) { return is_half(x) ? std::trunc(x) + std::copysign(1.0, x) : x; }
double halves_up(double x) { return is_half(x) ? std::ceil(x) : x; }

std::optional<Call> shifted_back(const Call& call) {
  return taken_as("direction", call.string("direction") == "LEFT" ? "RIGHT" : "LEFT")(call);
}

std::optional<Call> exponent_in_float32(const Call& call) {
  if (call.type("Y").dtype != DType::int64) return std::nullopt;
  const Tensor& y = call.input("Y");
  return call.with_input("Y", tensor_of_bits(y.type(), [&](std::int64_t i) -> std::uint64_t {
                           const auto exponent = static_cast<float>(static_cast<std::int64_t>(element_bits(y, i)));
                           constexpr float kTop = 0x1p63F;
                           return exponent < kTop ? static_cast<std::uint64_t>(static_cast<std::int64_t>(exponent))
                                                  : INT64_MAX - 1;
                         }));
}

// Clip: max(min, min(max, input)), which is another number only where min is above max, and then that.
std::optional<Call> min_wins(const Call& call) {
  if (!call.has("min") || !call.has("max")) return std::nullopt;
  const bool are_inputs = call.schema().find_attribute("max") == nullptr;
  const auto number = [&](std::string_view name) {
    return are_inputs ? evaluators::Elements(call.input(name)).number(0) : call.number(name);
  };
  if (!(number("min") > number("max"))) return std::nullopt;
  if (are_inputs) return call.with_input("max", call.value("min"));
  return call.with_attribute("max", AttributeValue::of(static_cast<float>(call.number("min"))));
}

// --- tables and scalers of ai.onnx.ml

// X·scale - offset
struct OffsetLast : RealFormula<3> {
  template <class R>
  OPREF_INLINE R operator()(const R& X, const R& offset, const R& scale) const {
    return X * scale - offset;
  }
};
// (X - offset)/scale
struct DividedByScale : RealFormula<3> {
  template <class R>
  OPREF_INLINE R operator()(const R& X, const R& offset, const R& scale) const {
    return (X - offset) / scale;
  }
};
template <class F>
std::vector<Value> scaled(const Call& call, std::span<const Output> outs) {
  const std::array operands{call.input("X"), list_tensor(call, "offset"), list_tensor(call, "scale")};
  return {elementwise(outs[0], operands, F{})};
}
std::optional<Call> offset_added(const Call& call) {
  std::vector<float> offset = call.numbers("offset");
  for (float& number : offset) number = -number;
  return call.with_attribute("offset", AttributeValue::of(offset));
}
// onnx.reference gives X's type, and so loses fractions.
std::vector<Value> fractions_lost(const Call& call, std::span<const Output> outs) {
  return with_first(computed_rightly(call, outs), [](double y) { return std::trunc(y); });
}

bool replaces_nan(const Call& call) { return has_floats(call) && std::isnan(call.number("replaced_value_float")); }
std::vector<Value> unchanged(const Call& call, std::span<const Output>) { return {call.input("X")}; }

}  // namespace

const Table& elements() {
  static const Table table{
      {{"ReduceLogSumExp", "Softmax"}, "e^x overflows: the greatest element not subtracted", exponentials_overflow},
      {{"Softmax", "LogSoftmax"}, "powers of 2, not of e", computed_by(has_floats, powers_of_two)},
      {{"Softplus"}, "e^x overflows", exponentials_overflow},
      {{"LogSoftmax"}, "the logarithm of a rounded Softmax", computed_by(logarithm_of_rounded)},
      {{"Max"}, "NaN passed over", nan_passed_over_by_greatest},
      {{"Min", "ReduceMin"}, "NaN passed over", nan_passed_over_by_least},
      {{"Max"}, "NaN of the first operand passed over", nan_lost<true, true>},
      {{"Max"}, "NaN kept of the first operand alone", nan_lost<false, true>},
      {{"Min"}, "NaN of the first operand passed over", nan_lost<true, false>},
      {{"Min"}, "NaN kept of the first operand alone", nan_lost<false, false>},
      {{"Sub"}, "integer overflow saturates", computed_by(has_integers, saturated<Difference>)},
      {{"Mul"}, "integer overflow saturates", computed_by(has_integers, saturated<ProductOfTwo>)},
      {{"ReduceL1", "ReduceL2", "ReduceProd", "ReduceSum", "ReduceSumSquare"},
       "integer overflow saturates",
       computed_by(has_integers, reduced_saturated)},
      {{"ReduceL1"}, "integers added in float64, which saturates", computed_by(has_integers, reduced_in_float64)},
      {{"ai.onnx.ml.Scaler"}, "multiplied before the offset is taken", computed_by(scaled<OffsetLast>)},
      {{"ai.onnx.ml.Scaler"}, "divided by scale", computed_by(scaled<DividedByScale>)},
      {{"ai.onnx.ml.Scaler"}, "offset added", offset_added},
      {{"ai.onnx.ml.Scaler"}, "integers: fractions lost", computed_by(has_integers, fractions_lost)},
      {{"ai.onnx.ml.Imputer"}, "NaN not found, as it equals nothing", computed_by(replaces_nan, unchanged)},
      {{"ai.onnx.ml.OneHotEncoder"}, "floats rounded to the nearest integer", with_each("X", std::nearbyint)},
      {{"ai.onnx.ml.OneHotEncoder"}, "floats rounded down", with_each("X", std::floor)},
      {{"ai.onnx.ml.OneHotEncoder"}, "fractions are no category", with_each("X", fractions_unknown)},
      {{"Softsign"}, "x/(1 + x), without the absolute value", computed_by(each_element<WithoutAbsolute>)},
      {{"Mod"}, "of floats the sign of the divisor", computed_by(has_rest_of_floats, each_pair<FlooredRest>)},
      {{"Pow"}, "NaN of negative bases", with_each("X", nan_below_zero)},
      {{"Where"}, "as products: NaN of 0 times infinity", computed_by(selects_floats, where_by_products)},
      {{"Mean"}, "the mean of the mean before and the next one", computed_by(has_floats, mean_of_means)},
      {{"HardSigmoid"}, "alpha taken as 1/6", taken_as("alpha", 1.0F / 6)},
      {{"Gelu"}, "the approximation by tanh", taken_as("approximate", "tanh")},
      {{"Gelu"}, "x times the sigmoid of 1.702 x", computed_by(each_element<QuickGelu>)},
      {{"Round"}, "halves away from zero", with_each("X", halves_away)},
      {{"Round"}, "halves up", with_each("X", halves_up)},
      {{"Relu"}, "NaN passed over", with_each("X", nan_below_all)},
      {{"Clip"}, "NaN passed over", with_each("input", nan_below_all)},
      {{"Mod"}, "NaN of infinite divisors", with_each("B", infinity_unknown)},
      {{"Clip"}, "min wins where it is above max", min_wins},
      {{"BitShift"}, "shifted the other way", shifted_back},
      {{"BitShift"}, "divided and rounded", computed_by(is_shifted_right, shift_rounded)},
      {{"Div"}, "rounded down", computed_by(has_integers, each_pair<FloorQuotient>)},
      {{"Mod"}, "sign of the dividend", taken_as("fmod", 1)},
      {{"Div", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Mod", "Sub"},
       "operands exchanged",
       exchanged("A", "B")},
      {{"Pow"}, "operands exchanged", exchanged("X", "Y")},
      {{"Pow"}, "exponents rounded to float32", exponent_in_float32},
      {{"Where"}, "X and Y exchanged", exchanged("X", "Y")},
  };
  return table;
}

}  // namespace opref::mistakes
