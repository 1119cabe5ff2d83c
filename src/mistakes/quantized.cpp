// SPDX-License-Identifier: Apache-2.0
// Numbers of few bits: conversions, quantization, convolutions of what is quantized.
#include <algorithm>
#include <bit>
#include <cmath>

#include "core/index.h"
#include "core/nearly.h"
#include "evaluators/strided.h"
#include "evaluators/sum.h"
#include "exact/rounding.h"
#include "mistakes/tools.h"
#include "ops/shared/convolutions.h"
#include "ops/shared/products.h"
#include "ops/shared/quantized.h"

namespace opref::mistakes {
namespace {

using evaluators::Elements;

DType result_of(const Call& call) { return right_types(call)[0].tensor.dtype; }

// --- Cast, CastLike

std::optional<Call> integers_saturated(const Call& call) {
  const DTypeInfo &from = info(call.type("input").dtype), &to = info(result_of(call));
  const bool is_signed = to.kind == Kind::signed_integer;
  if (!has_integers(call) || from.bits > 32 || (!is_signed && to.kind != Kind::unsigned_integer)) return std::nullopt;
  const double most = std::ldexp(1.0, to.bits - (is_signed ? 1 : 0)) - 1, least = is_signed ? -most - 1 : 0;
  return with_numbers(call, "input", [=](double x) { return std::clamp(x, least, most); });
}

// To a narrower floating type: further digits dropped.
std::optional<Call> digits_cut_off(const Call& call) {
  const DType to = result_of(call), from = call.type("input").dtype;
  if (!is_floating(from) || !is_floating(to) || info(to).bits < 16 || info(to).bits >= info(from).bits)
    return std::nullopt;
  return with_numbers(call, "input", [digits = precision_of(to)](double x) {
    if (x == 0 || !std::isfinite(x)) return x;
    int exponent = 0;
    const double part = std::frexp(x, &exponent);
    return std::ldexp(std::trunc(std::ldexp(part, digits)), exponent - digits);
  });
}

// Rounded twice.
std::optional<Call> by_way_of_float32(const Call& call) {
  const Tensor& input = call.input("input");
  if (input.dtype() != DType::float64 || !is_floating(result_of(call))) return std::nullopt;
  return call.with_input("input", tensor_of_bits({DType::float32, input.shape()}, [&](std::int64_t i) {
                           return to_bits(nearest<float>(floating_element(input, i)));
                         }));
}

std::optional<Call> fractions_are_false(const Call& call) {
  if (result_of(call) != DType::boolean || !has_floats(call)) return std::nullopt;
  return with_numbers(call, "input", [](double x) { return std::isnan(x) ? x : std::trunc(x); });
}

// Of real numbers the integers of 32 bits, to which they are rounded towards zero; beyond the range x86's -2^31, or the
// nearest.
template <bool saturates>
std::optional<Call> by_way_of_int32(const Call& call) {
  const std::string_view name = name_of(call, 0);
  if (name.empty() || !has_floats(call)) return std::nullopt;
  const Tensor& input = call.input(name);
  return call.with_input(name, tensor_of_bits({DType::int32, input.shape()}, [&](std::int64_t i) {
                           const double x = std::trunc(floating_element(input, i));
                           const bool fits = x >= -0x1p31 && x < 0x1p31;
                           const double nearest_one = std::isnan(x) ? 0 : std::clamp(x, -0x1p31, 0x1p31 - 1);
                           const double y = fits ? x : saturates ? nearest_one : -0x1p31;
                           return static_cast<std::uint64_t>(static_cast<std::int64_t>(y)) & 0xffffffff;
                         }));
}

// --- QuantizeLinear, DequantizeLinear

bool gives_integers(const Call& call) { return !is_floating(result_of(call)); }
bool gives_int8(const Call& call) { return result_of(call) == DType::int8; }

std::optional<Call> without_zero_point(const Call& call) {
  if (!call.has("y_zero_point") || call.type("y_zero_point").dtype == DType::uint8) return std::nullopt;
  const auto zero = [](std::int64_t) { return 0; };
  return call.with_input("y_zero_point", tensor_of_bits(call.type("y_zero_point"), zero));
}

// Of blocks along an axis, element i takes the scale of block i mod their number.
bool has_blocks(const Call& call) { return call.flag("block_size"); }
std::vector<Value> blocks_in_turn(const Call& call, std::span<const Output>) {
  const Dims& x = call.type("x").shape;
  const size_t axis = call.axis("axis", x.size());
  const std::int64_t size = call.integer("block_size"), blocks = x[axis] / size;
  if (blocks * size != x[axis]) return computed_rightly(call);
  const Call in_blocks = with_moved(call, "x", [=](Dims at) {
    at[axis] = at[axis] % size * blocks + at[axis] / size;
    return at;
  });
  return {moved(*computed_rightly(in_blocks)[0].tensor(), [=](Dims at) {
    at[axis] = at[axis] % blocks * size + at[axis] / blocks;
    return at;
  })};
}

enum class Taken : std::uint8_t { zero_point_first, zero_point_subtracted, away, up, truncated, floored, wrapped };
struct Quantized : RealFormula<3> {
  static constexpr bool one_operation = true;
  Taken taken;
  std::optional<DType> precision;
  template <class R>
  OPREF_INLINE R operator()(const R& x, const R& scale, const R& zero_point) const {
    const R exact = quotient_to_odd(x, scale), quotient = precision ? rounded_to(exact, *precision) : exact;
    const R half(taken == Taken::up || taken == Taken::away ? 0.5 : 0.0), size = floor(abs(quotient) + half);
    switch (taken) {
      case Taken::zero_point_first:
        return round(quotient + zero_point);
      case Taken::up:
      case Taken::floored:
        return floor(quotient + half) + zero_point;
      case Taken::away:
      case Taken::truncated:
        return select((quotient < R(0.0)).holds, -size, size) + zero_point;
      case Taken::zero_point_subtracted:
        return round(quotient) - zero_point;
      case Taken::wrapped:
        break;
    }
    return round(quotient) + zero_point;
  }
};
/// What the quotient is rounded to, if anything.
std::optional<DType> quotient_precision(const Call& call) {
  const DType scale = call.type("y_scale").dtype, precision = stated_type(call, "precision").value_or(scale);
  const bool is_rounded =
      call.reads("quantize_linear.division", "rounded") && is_floating(precision) && info(precision).bits > 8;
  return is_rounded ? std::optional(precision) : std::nullopt;
}
template <Taken taken>
std::vector<Value> quantized_as(const Call& call, std::span<const Output> outs) {
  Conversion how = conversion_of(call);
  if (taken != Taken::wrapped) how.beyond = Conversion::Beyond::saturate;
  how.nan_is_least = call.reads("quantize_linear.nan", "minimum");
  const Quantized formula{{}, taken, quotient_precision(call)};
  const std::array operands{evaluators::Operand{call.input("x")}, per_element(call, "y_scale"),
                            zero_points(call, "y_zero_point")};
  return {elementwise(outs[0], operands, formula, how)};
}

// The rounded quotient goes by way of int32, as x86 converts: what that does not hold, NaN too, is its least number, to
// which the zero point is added modulo 2^32.
struct Quotient : RealFormula<2> {
  static constexpr bool one_operation = true;
  std::optional<DType> precision;
  template <class R>
  OPREF_INLINE R operator()(const R& x, const R& scale) const {
    const R exact = quotient_to_odd(x, scale);
    return round(precision ? rounded_to(exact, *precision) : exact);
  }
};
struct Last : RealFormula<2> {
  static constexpr bool one_operation = true;
  template <class R>
  OPREF_INLINE R operator()(const R&, const R& last) const {
    return last;
  }
};
std::vector<Value> quotients_in_int32(const Call& call, std::span<const Output> outs) {
  const ValueType wide = TensorType{DType::int64, outs[0].type().shape};
  const std::vector<Output> integers = outputs_of(call, std::span(&wide, 1));
  const Conversion how{.beyond = Conversion::Beyond::saturate, .nan_is_least = true};
  const evaluators::Operand x{call.input("x")};
  const Tensor quotients = elementwise(integers[0], std::array{x, per_element(call, "y_scale")},
                                       Quotient{{}, quotient_precision(call)}, how);
  const Tensor zeros = elementwise(integers[0], std::array{x, zero_points(call, "y_zero_point")}, Last{}, how);
  const DTypeInfo& type = info(outs[0].type().dtype);
  const bool is_signed = type.kind == Kind::signed_integer;
  const std::int64_t least = is_signed ? -(std::int64_t{1} << (type.bits - 1)) : 0,
                     most = least + (std::int64_t{1} << type.bits) - 1;
  return {tensor_of_bits(outs[0].type(), [&](std::int64_t i) {
    const auto q = static_cast<std::int64_t>(element_bits(quotients, i)),
               zero = static_cast<std::int64_t>(element_bits(zeros, i));
    const std::int64_t held = q < INT32_MIN || q > INT32_MAX ? INT32_MIN : q;
    return static_cast<std::uint64_t>(std::clamp<std::int64_t>(static_cast<std::int32_t>(held + zero), least, most)) &
           ~(~std::uint64_t{0} << type.bits);
  })};
}

std::vector<Value> without_least(const Call& call, std::span<const Output> outs) {
  return with_first(computed_rightly(call, outs), [](double y) { return std::max(y, -127.0); });
}

struct ScaledFirst : RealFormula<3> {
  static constexpr bool one_operation = true;
  template <class R>
  OPREF_INLINE R operator()(const R& x, const R& scale, const R& zero_point) const {
    return x * scale - zero_point;
  }
};
struct Raised : RealFormula<3> {
  static constexpr bool one_operation = true;
  template <class R>
  OPREF_INLINE R operator()(const R& x, const R& scale, const R& zero_point) const {
    return (x + zero_point) * scale;
  }
};
std::vector<Value> zero_point_added(const Call& call, std::span<const Output> outs) {
  const std::array operands{evaluators::Operand{call.input("x")}, per_element(call, "x_scale"),
                            zero_points(call, "x_zero_point")};
  return {elementwise(outs[0], operands, Raised{})};
}
std::vector<Value> zero_point_after_scaling(const Call& call, std::span<const Output> outs) {
  const std::array operands{evaluators::Operand{call.input("x")}, per_element(call, "x_scale"),
                            zero_points(call, "x_zero_point")};
  return {elementwise(outs[0], operands, ScaledFirst{})};
}

// --- ConvInteger, QLinearConv

// Padding is an element 0, from which the zero point is subtracted.
std::optional<Call> padding_stored_as_zero(const Call& call) {
  if (!call.stated("pads") || name_of(call, 0).empty()) return std::nullopt;
  const Tensor& x = call.input(name_of(call, 0));
  const std::vector<std::int64_t> pads = call.integers("pads");
  const size_t axes = pads.size() / 2;
  constexpr std::int64_t kMost = 1 << 16;  // nobody pads by more, and what is padded has to be stored
  if (std::ranges::any_of(pads, [](std::int64_t pad) { return pad > kMost; })) return std::nullopt;
  Dims shape = x.shape();
  for (size_t a = 0; a < axes; ++a) shape[a + 2] += pads[a] + pads[axes + a];
  if (element_count(shape) > kMost * kMost / 256) return std::nullopt;
  const Tensor padded = tensor_of_bits({x.dtype(), shape}, [&](std::int64_t i) {
    Dims at = coordinates(i, shape);
    for (size_t a = 0; a < axes; ++a) at[a + 2] -= pads[a];
    for (size_t a = 2; a < at.size(); ++a)
      if (at[a] < 0 || at[a] >= x.shape()[a]) return std::uint64_t{0};
    return element_bits(x, position(at, x.shape()));
  });
  return with_list(call.with_input(name_of(call, 0), padded), "pads", std::vector<std::int64_t>(pads.size(), 0));
}

/// With the zero point, in the range of the type of 8 bits.
std::uint64_t integer_of(double y, const Call& call, DType type) {
  const double least = type == DType::int8 ? -128 : 0;
  const double sum = std::clamp(y + nearly(call.integer("y_zero_point")), least, least + 255);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(sum)) & 0xFF;
}

// The sum of terms and bias, each with w_scale[m], times x_scale / y_scale, rounded.
template <class AddTerms>
std::vector<Value> quantized_again(const Call& call, std::span<const Output> outs, const AddTerms& add_terms,
                                   double (*rounded)(double) = std::nearbyint) {
  const ops::Convolution places(call, nullptr);
  const Elements w_scale(call.input("w_scale")), B(call.input(call.has("B") ? "B" : "w"));
  const std::int64_t scales = call.input("w_scale").count();
  const Ratio scale{call.number("x_scale"), call.number("y_scale")};
  return {tensor_of_bits(outs[0].type(), [&](std::int64_t i) {
    const std::int64_t m = places.channel(i), of_m = scales == 1 ? 0 : m;
    ExactTerms terms;
    add_terms(places, i, of_m, terms);
    if (call.has("B")) terms.sum().add(nearly(B.integer(m)), w_scale.number(of_m));
    const double y = rounded(scaled(terms.sum(), scale).nearest);
    return integer_of(y, call, outs[0].type().dtype);
  })};
}

struct Whole64 {
  std::int64_t sum = 0;
  void add(const evaluators::Element& x, const evaluators::Element& w) { sum += x.integer() * w.integer(); }
};
double whole_of_halves_up(double x) { return std::floor(x + 0.5); }
template <double (*rounded)(double)>
std::vector<Value> convolved(const Call& call, std::span<const Output> outs) {
  const Elements w_zeros(call.input("w_zero_point")), x(call.input("x"), call.integer("x_zero_point")),
      w(call.input("w"));
  const std::int64_t zeros = call.input("w_zero_point").count();
  const Elements w_scale(call.input("w_scale"));
  const auto add_terms = [&](const ops::Convolution& places, std::int64_t i, std::int64_t of_m, ExactTerms& terms) {
    Whole64 whole;
    places.add_products(i, x, w.less(w_zeros.integer(zeros == 1 ? 0 : places.channel(i))), whole);
    terms.sum().add(nearly(whole.sum), w_scale.number(of_m));
  };
  return quantized_again(call, outs, add_terms, rounded);
}

/// The integer that a sum of integers becomes: the sum and the quotient of scales as float32, and their product.
std::uint64_t in_float32(std::int64_t sum, float scale, const Call& call, DType type) {
  const float product = static_cast<float>(sum) * scale;
  return integer_of(std::nearbyint(double{product}), call, type);
}
std::vector<Value> requantized_in_float32(const Call& call, std::span<const Output> outs) {
  const ops::Convolution places(call, nullptr);
  const Elements w_scale(call.input("w_scale")), w_zeros(call.input("w_zero_point")),
      x(call.input("x"), call.integer("x_zero_point")), w(call.input("w")), B(call.input(call.has("B") ? "B" : "w"));
  const std::int64_t scales = call.input("w_scale").count(), zeros = call.input("w_zero_point").count();
  const auto x_scale = static_cast<float>(call.number("x_scale")), y_scale = static_cast<float>(call.number("y_scale"));
  return {tensor_of_bits(outs[0].type(), [&](std::int64_t i) {
    const std::int64_t m = places.channel(i);
    Whole64 terms;
    places.add_products(i, x, w.less(w_zeros.integer(zeros == 1 ? 0 : m)), terms);
    if (call.has("B")) terms.sum += B.integer(m);
    const float scale = x_scale * static_cast<float>(w_scale.number(scales == 1 ? 0 : m)) / y_scale;
    return in_float32(terms.sum, scale, call, outs[0].type().dtype);
  })};
}
bool has_one_scale_each(const Call& call) {
  return has_integers(call) && element_count(call.type("a_scale").shape) == 1 &&
         element_count(call.type("b_scale").shape) == 1;
}
/// QLinearMatMul of one scale each: what `rounded` makes of the sums of integers.
template <class Rounded>
std::vector<Value> multiplied(const Call& call, std::span<const Output> outs, const Rounded& rounded) {
  const ops::Product places = ops::product(call, "a", "b");
  const Elements a(call.input("a"), call.integer("a_zero_point")), b(call.input("b"), call.integer("b_zero_point"));
  return {tensor_of_bits(outs[0].type(), [&](std::int64_t i) {
    const auto row = places.row(i), column = places.column(i);
    std::int64_t sum = 0;
    for (std::int64_t k = 0; k < places.K; ++k)
      sum += a.integer(row.from + k * row.step) * b.integer(column.from + k * column.step);
    return rounded(sum);
  })};
}
std::vector<Value> product_in_float32(const Call& call, std::span<const Output> outs) {
  const float scale = static_cast<float>(call.number("a_scale")) * static_cast<float>(call.number("b_scale")) /
                      static_cast<float>(call.number("y_scale"));
  return multiplied(call, outs, [&](std::int64_t sum) { return in_float32(sum, scale, call, outs[0].type().dtype); });
}
template <double (*rounded)(double)>
std::vector<Value> product_rounded(const Call& call, std::span<const Output> outs) {
  const Ratio scale{call.number("a_scale"), call.number("y_scale")};
  return multiplied(call, outs, [&](std::int64_t sum) {
    ExactTerms terms;
    terms.sum().add(nearly(sum), call.number("b_scale"));
    return integer_of(rounded(scaled(terms.sum(), scale).nearest), call, outs[0].type().dtype);
  });
}

// The bias is added to the sums before they are multiplied by b_scale.
std::optional<Call> bias_scaled(const Call& call) {
  if (!call.has("bias")) return std::nullopt;
  const Tensor& bias = call.input("bias");
  const Elements numbers(bias), scale(call.input("b_scale"));
  const std::int64_t scales = call.input("b_scale").count();
  if (scales != 1 && scales != bias.count()) return std::nullopt;
  return call.with_input("bias", tensor_of_bits(bias.type(), [&](std::int64_t i) {
                           return converted(Number::of(numbers.number(i) * scale.number(scales == 1 ? 0 : i)),
                                            bias.dtype(), {});
                         }));
}

std::optional<Call> float8_cut_off(const Call& call) {
  std::optional<Call> taken;
  for (const std::string_view name : {"a", "a_zero_point", "b", "b_zero_point"})
    if (is_floating(call.type(name).dtype))
      taken = with_numbers(taken.value_or(call), name, [](double x) { return std::trunc(x); });
  return taken;
}

// w_scale and w_zero_point belong to W's axis 1, the channels that are added up.
bool scales_fit_axis_1(const Call& call) {
  const std::int64_t count = element_count(call.type("w_scale").shape);
  return count > 1 && count == call.type("w").shape[1];
}
std::vector<Value> scaled_along_axis_1(const Call& call, std::span<const Output> outs) {
  const Tensor &W = call.input("w"), &zero_points = call.input("w_zero_point");
  const std::int64_t C = W.shape()[1], plane = element_count(W.shape().without_first(2));
  const Elements w_scale(call.input("w_scale")), w_number(W), w_zero_point(zero_points);
  const Tensor real_w = tensor_of_bits({DType::float64, W.shape()}, [&](std::int64_t i) {
    const std::int64_t c = i / plane % C;
    const double less = nearly(w_number.integer(i) - w_zero_point.integer(zero_points.count() == 1 ? 0 : c));
    return std::bit_cast<std::uint64_t>(less * w_scale.number(c));
  });
  const Elements x(call.input("x"), call.integer("x_zero_point")), w(real_w);
  return quantized_again(call, outs,
                         [&](const ops::Convolution& places, std::int64_t i, std::int64_t, ExactTerms& terms) {
                           places.add_products(i, x, w, terms);
                         });
}

// numpy's product with a w_scale of shape [1,M,1,1], which is right for images alone: it scales the axis before the
// last two, and adds one where the data are signals.
std::optional<Call> if_no_image(const Call& call) {
  const bool known = element_count(call.type("w_scale").shape) > 1 && call.type("x").rank() != 4;
  return known ? std::optional(call) : std::nullopt;
}
std::vector<ValueType> types_as_image(const Call& call) {
  const TensorType y = right_types(call).front().tensor;
  const std::int64_t scales = element_count(call.type("w_scale").shape);
  return {TensorType{y.dtype, evaluators::broadcast(y.shape, Dims{1, scales, 1, 1})}};
}
std::vector<Value> scaled_as_image(const Call& call, std::span<const Output> outs) {
  const Tensor& scales = call.input("w_scale");
  std::vector<Tensor> by_scale;
  for (std::int64_t m = 0; m < scales.count(); ++m)
    by_scale.push_back(
        *computed_rightly(with_moved(call, "w_scale", [m](const Dims&) { return Dims{m}; })).front().tensor());
  const Dims &y = by_scale.front().shape(), &image = outs[0].type().shape;
  return {tensor_of_bits(outs[0].type(), [&](std::int64_t i) {
    const Dims at = coordinates(i, image);
    Dims from = at.without_first(image.size() - y.size());
    for (size_t axis = 0; axis < from.size(); ++axis) from[axis] = std::min(from[axis], y[axis] - 1);
    return element_bits(by_scale[static_cast<size_t>(at[image.size() - 3])], position(from, y));
  })};
}

// The range of x is not widened to hold 0.
std::vector<Value> by_its_own_range(const Call& call, std::span<const Output> outs) {
  const Elements x(call.input("x"));
  const std::int64_t count = call.input("x").count();
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (std::int64_t i = 0; i < count; ++i) low = std::min(low, x.number(i)), high = std::max(high, x.number(i));
  const float scale = static_cast<float>((high - low) / 255);
  const double zero_point = std::clamp(std::nearbyint(-low / double{scale}), 0.0, 255.0);
  const auto y = [&](std::int64_t i) {
    const float quotient = static_cast<float>(x.number(i)) / scale;
    return static_cast<std::uint64_t>(std::clamp(std::nearbyint(double{quotient}) + zero_point, 0.0, 255.0));
  };
  return {tensor_of_bits(outs[0].type(), y), Tensor::of<float>(DType::float32, {}, std::array{scale}),
          tensor_of_bits({DType::uint8, {}}, [&](std::int64_t) { return static_cast<std::uint64_t>(zero_point); })};
}

// x86's vpmaddubsw adds products two by two in 16 bits that saturate: a tap's channels, then the next tap's.
struct Neighbours {
  std::int64_t C, K;
  std::vector<std::int64_t> x;
  void add(const evaluators::Element& number, const evaluators::Element& weight) {
    x[static_cast<size_t>(weight.at % K * C + weight.at / K % C)] = number.integer();
  }
};
/// Sums of element i, the pairs being of what is read; `zero` is the filter's zero point.
struct PairSums {
  std::int64_t C, K, x_zero;
  Elements x, w;

  std::int64_t operator()(const ops::Convolution& places, std::int64_t i, std::int64_t zero) const {
    Neighbours row{C, K, std::vector(static_cast<size_t>(C * K), x_zero)};
    places.add_products(i, x, w, row);
    std::int64_t sum = 0, pair = 0, first = places.channel(i) * C * K;
    for (std::int64_t at = 0; at < C * K; ++at) {
      const std::int64_t number = row.x[static_cast<size_t>(at)], weight = w.integer(first + at % C * K + at / C);
      pair = (at % 2 == 0 ? 0 : pair) + number * weight;
      if (at % 2 == 1 || at + 1 == C * K) sum += std::clamp<std::int64_t>(pair, INT16_MIN, INT16_MAX);
      sum += (number - x_zero) * (weight - zero) - number * weight;
    }
    return sum;
  }
};
PairSums pair_sums(const Call& call) {
  const Dims& shape = call.input("w").shape();
  const std::int64_t x_zero = call.has("x_zero_point") ? call.integer("x_zero_point") : 0;
  return {shape[1], element_count(shape.without_first(2)), x_zero, Elements(call.input("x")),
          Elements(call.input("w"))};
}
std::vector<Value> pairs_saturated(const Call& call, std::span<const Output> outs) {
  const PairSums sums = pair_sums(call);
  const Elements w_zeros(call.input("w_zero_point")), w_scale(call.input("w_scale"));
  return quantized_again(call, outs,
                         [&](const ops::Convolution& places, std::int64_t i, std::int64_t of_m, ExactTerms& terms) {
                           terms.sum().add(nearly(sums(places, i, w_zeros.integer(of_m))), w_scale.number(of_m));
                         });
}
std::vector<Value> integer_pairs_saturated(const Call& call, std::span<const Output> outs) {
  const PairSums sums = pair_sums(call);
  const ops::Convolution places(call, nullptr);
  const bool has_zeros = call.has("w_zero_point");
  const Elements zeros(call.input(has_zeros ? "w_zero_point" : "w"));
  const bool is_one = has_zeros && call.input("w_zero_point").count() == 1;
  return {tensor_of_bits(outs[0].type(), [&](std::int64_t i) {
    const std::int64_t zero = has_zeros ? zeros.integer(is_one ? 0 : places.channel(i)) : 0;
    return static_cast<std::uint64_t>(sums(places, i, zero)) & 0xffffffff;
  })};
}

// QLinearAdd and QLinearMul of com.microsoft: quotients of scales as float32, and the sum of their products with the
// zero point, which is rounded.
template <bool multiplies>
std::vector<Value> by_ratios_in_float32(const Call& call, std::span<const Output> outs) {
  const Dims& shape = outs[0].type().shape;
  const auto places = [&](std::string_view of) {
    return evaluators::Strided(shape, evaluators::broadcast_strides(call.type(of).shape, shape));
  };
  const auto zero = [&](std::string_view of) { return call.has(of) ? call.integer(of) : 0; };
  const auto scale = [&](std::string_view of) { return static_cast<float>(call.number(of)); };
  const evaluators::Strided of_a = places("A"), of_b = places("B");
  const Elements A(call.input("A"), zero("A_zero_point")), B(call.input("B"), zero("B_zero_point"));
  const float a_scale = scale("A_scale"), b_scale = scale("B_scale"), c_scale = scale("C_scale");
  const bool is_signed = info(outs[0].type().dtype).kind == Kind::signed_integer;
  return {tensor_of_bits(outs[0].type(), [&](std::int64_t i) {
    const auto a = static_cast<float>(A.integer(of_a(i))), b = static_cast<float>(B.integer(of_b(i)));
    const float v = multiplies ? a_scale * b_scale / c_scale * (a * b) : a_scale / c_scale * a + b_scale / c_scale * b;
    const float whole = std::nearbyint(v + static_cast<float>(zero("C_zero_point")));
    return static_cast<std::uint64_t>(
        static_cast<std::int64_t>(std::clamp(whole, is_signed ? -128.0F : 0.0F, is_signed ? 127.0F : 255.0F)));
  })};
}

// --- MatMulNBits

// A in blocks of block_size along its last axis, each of integers of 8 bits times a float32 scale, by which the
// greatest magnitude is 127: what accuracy_level 4 permits.
std::optional<Call> a_narrowed(const Call& call) {
  if (!call.has_value("A")) return std::nullopt;
  const Tensor& A = call.input("A");
  const std::int64_t K = call.integer("K"), block_size = call.integer("block_size");
  std::vector<double> narrowed;
  narrowed.reserve(static_cast<size_t>(A.count()));
  for (std::int64_t begin = 0; begin < A.count();) {
    const std::int64_t k = begin % K, end = begin + std::min(block_size, K - k);
    double most = 0;
    for (std::int64_t i = begin; i < end; ++i) most = std::max(most, std::abs(floating_element(A, i)));
    const float scale = static_cast<float>(most) / 127.0F, reciprocal = scale == 0 ? 0 : 1 / scale;
    for (; begin < end; ++begin) {
      const double x = floating_element(A, begin);
      if (!std::isfinite(x)) return std::nullopt;
      narrowed.push_back(std::nearbyint(static_cast<float>(x) * reciprocal) * scale);
    }
  }
  return call.with_input("A", tensor_of_bits(A.type(), [&](std::int64_t i) {
                           return converted(Number::of(narrowed[static_cast<size_t>(i)]), A.dtype(), {});
                         }));
}

}  // namespace

const Table& quantized() {
  static const std::vector<std::string_view> casts{"Cast", "CastLike"}, both{"DequantizeLinear", "QuantizeLinear"};
  static const Table table{
      {casts, "integers saturated", integers_saturated},
      {casts, "digits cut off", digits_cut_off},
      {casts, "by way of float32", by_way_of_float32},
      {casts, "numbers below 1 false", fractions_are_false},
      {{"Cast", "CastLike", "openvino.Convert", "openvino.ConvertLike"}, "by way of int32", by_way_of_int32<false>},
      {{"Cast", "CastLike", "openvino.Convert", "openvino.ConvertLike"},
       "by way of int32, saturated",
       by_way_of_int32<true>},
      {{"QuantizeLinear"}, "y_zero_point taken as 0", without_zero_point},
      {{"QuantizeLinear"},
       "the zero point subtracted",
       computed_by(gives_integers, quantized_as<Taken::zero_point_subtracted>)},
      {{"DequantizeLinear"}, "the zero point added", computed_by(zero_point_added)},
      {both, "scales of blocks in turn", computed_by(has_blocks, blocks_in_turn)},
      {{"QLinearConv"}, "halves away from zero", computed_by(convolved<std::round>)},
      {{"QLinearConv"}, "halves up", computed_by(convolved<whole_of_halves_up>)},
      {{"QLinearConv"}, "truncated", computed_by(convolved<std::trunc>)},
      {{"QLinearConv"}, "rounded down", computed_by(convolved<std::floor>)},
      {{"QLinearMatMul"}, "halves away from zero", computed_by(has_one_scale_each, product_rounded<std::round>)},
      {{"QLinearMatMul"}, "halves up", computed_by(has_one_scale_each, product_rounded<whole_of_halves_up>)},
      {{"QLinearMatMul"}, "truncated", computed_by(has_one_scale_each, product_rounded<std::trunc>)},
      {{"QLinearMatMul"}, "rounded down", computed_by(has_one_scale_each, product_rounded<std::floor>)},
      {{"QLinearConv", "com.microsoft.QLinearConv"}, "requantized in float32", computed_by(requantized_in_float32)},
      {{"QLinearMatMul"}, "float8 numbers cut off to integers", float8_cut_off},
      {{"QLinearMatMul"}, "requantized in float32", computed_by(has_one_scale_each, product_in_float32)},
      {both, "scale along the first axis", taken_as("axis", 0)},
      {both, "scale along the last axis", taken_as("axis", -1)},
      {{"QuantizeLinear"},
       "the zero point added before rounding",
       computed_by(gives_integers, quantized_as<Taken::zero_point_first>)},
      {{"QuantizeLinear"}, "halves away from zero", computed_by(gives_integers, quantized_as<Taken::away>)},
      {{"QuantizeLinear"}, "halves up", computed_by(gives_integers, quantized_as<Taken::up>)},
      {{"QuantizeLinear"}, "rounded down", computed_by(gives_integers, quantized_as<Taken::floored>)},
      {{"QuantizeLinear"}, "saturated to [-127, 127]", computed_by(gives_int8, without_least)},
      {{"QuantizeLinear"}, "truncated", computed_by(gives_integers, quantized_as<Taken::truncated>)},
      {{"QuantizeLinear"}, "wrapped, not saturated", computed_by(gives_integers, quantized_as<Taken::wrapped>)},
      {{"QuantizeLinear"}, "by way of int32, which overflows", computed_by(gives_integers, quotients_in_int32)},
      {{"DequantizeLinear"}, "the zero point subtracted after scaling", computed_by(zero_point_after_scaling)},
      {{"com.microsoft.QLinearAdd"}, "requantized in float32", computed_by(by_ratios_in_float32<false>)},
      {{"com.microsoft.QLinearMul"}, "requantized in float32", computed_by(by_ratios_in_float32<true>)},
      {{"ConvInteger", "QLinearConv"}, "padding is stored as 0, not as the zero point", padding_stored_as_zero},
      {{"QLinearConv"},
       "w_scale and w_zero_point along W's axis 1",
       computed_by(scales_fit_axis_1, scaled_along_axis_1)},
      {{"QLinearConv"}, "w_scale of shape [1,M,1,1]", computed_by(if_no_image, scaled_as_image, types_as_image)},
      {{"DynamicQuantizeLinear"}, "the range not widened to hold 0", computed_by(by_its_own_range)},
      {{"com.microsoft.DynamicQuantizeMatMul"}, "bias multiplied by b_scale", bias_scaled},
      {{"ConvInteger"}, "two products at a time saturate in 16 bits", computed_by(integer_pairs_saturated)},
      {{"QLinearConv"}, "two products at a time saturate in 16 bits", computed_by(pairs_saturated)},
      {{"com.microsoft.MatMulNBits"}, "A in blocks of 8 bits, as accuracy_level 4 permits", a_narrowed},
  };
  return table;
}

}  // namespace opref::mistakes
