// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/quantized.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "core/nearly.h"
#include "evaluators/elements.h"
#include "exact/real/real_number.h"
#include "exact/rounding.h"
#include "ops/shared/parameters.h"
#include "ops/unspecified.h"
namespace opref::ops {
namespace {
constexpr std::int64_t kNewerInfinities = 24;  // since when float8 types without infinity saturate it

DType source(const Call& call) { return call.type("input").dtype; }
DType target(const Call& call) { return call.op().output_types(call)[0].tensor.dtype; }
/// Whether a number of the input is one for which it matters; true where they are not known.
template <class F>
bool any_number(const Call& call, const F& matters) {
  return any_of(call, "input", true, matters);
}

bool may_leave_range(const Call& call) {
  if (!is_floating(source(call)) || !is_integer(target(call))) return false;
  const DTypeInfo& to = info(target(call));
  const bool is_signed = to.kind == Kind::signed_integer;
  const double most = std::ldexp(1.0, to.bits - is_signed), least = is_signed ? -most : 0;
  return any_number(call, [&](double x) { return !(std::trunc(x) >= least && x < most); });
}
bool has_fraction(const Call& call) {
  return is_floating(source(call)) && is_integer(target(call)) &&
         any_number(call, [](double x) { return x != std::trunc(x); });
}
bool has_infinity(const Call& call) {
  const bool is_uz = target(call) == DType::float8_e4m3fnuz || target(call) == DType::float8_e5m2fnuz;
  return is_uz && call.flag("saturate") && is_floating(source(call)) &&
         any_number(call, [](double x) { return std::isinf(x); });
}
bool converts_nan(const Call& call) {
  return is_floating(target(call)) && info(target(call)).bits < 8 && is_floating(source(call)) &&
         any_number(call, [](double x) { return x != x; });
}
bool has_negative(const Call& call) {
  return target(call) == DType::float8_e8m0fnu && source(call) != DType::string &&
         any_number(call, [](double x) { return std::signbit(x) && x == x; });
}
bool is_float_to_text(const Call& call) { return is_floating(source(call)) && target(call) == DType::string; }
bool is_truth_to_text(const Call& call) { return source(call) == DType::boolean && target(call) == DType::string; }
bool is_text_to_integer(const Call& call) { return source(call) == DType::string && is_integer(target(call)); }
}  // namespace
Unspecified unspecified_of_cast(const Call& call, size_t) {
  if (!has_negative(call) || !call.has_value("input")) return nullptr;
  return [x = call.input("input")](std::int64_t i) {
    const double number = Elements(x).number(i);
    return std::signbit(number) && !std::isnan(number);
  };
}
DType named_type(const Call& call, std::string_view attribute) {
  const std::int64_t number = call.integer(attribute);
  for (const DTypeInfo& type : onnx_dtypes())
    if (static_cast<std::int64_t>(type.dtype) == number) return type.dtype;
  fail(Fault::invalid, "attribute '{}' is {}, but must be the number of an element type, 1 (FLOAT) to {}", attribute,
       number, onnx_dtypes().size());
}
std::optional<DType> stated_type(const Call& call, std::string_view attribute) {
  if (call.schema().find_attribute(attribute) == nullptr || call.integer(attribute) == 0) return std::nullopt;
  return named_type(call, attribute);
}

Conversion conversion_of(const Call& call) {
  Conversion how;
  if (call.has_here("saturate")) how.saturates = call.flag("saturate");
  if (call.has_here("round_mode")) how.power = call.choice<Conversion::Power>("round_mode");
  how.infinity_is_nan_without = call.version() < kNewerInfinities;
  if (!lists_reading(call, "cast.float_to_int")) return how;
  how.infinity_is_nan_without = call.reads("cast.float8_inf", "nan");
  if (source(call) == DType::string) {
    if (call.reads("cast.string_to_int", "reject")) how.fraction = Conversion::Fraction::reject;
  } else {
    how.fraction = call.reading_choice<Conversion::Fraction>("cast.float_fraction");
  }
  if (is_floating(source(call))) how.beyond = call.reading_choice<Conversion::Beyond>("cast.float_to_int");
  how.small_nan = call.reading_choice<Conversion::SmallNan>("cast.float4_nan");
  how.negative = call.reading_choice<Conversion::Negative>("cast.e8m0_negative");
  how.digits = call.reading_choice<Conversion::Digits>("cast.to_string");
  how.truth_is_word = call.reads("cast.bool_to_string", "word");
  return how;
}

Operator with_conversion_versions(Operator op) {
  const auto saturate = [](OpSchema& s) { s.attribute(with_default("saturate", 1, flag())); };
  const auto round_mode = [](OpSchema& s) {
    s.attribute(with_default("round_mode", "up", one_of({"up", "down", "nearest"})));
  };
  return std::move(op)
      .version(19, saturate, adds({"T1", "T2"}, types::float8))
      .version(21, adds({"T1", "T2"}, types::int4s))
      .version(23, adds({"T1", "T2"}, DType::float4_e2m1fn))
      .version(24, round_mode, adds({"T1", "T2"}, DType::float8_e8m0fnu))
      .version(25, adds({"T1", "T2"}, types::int2s));
}

std::vector<Reading> conversion_readings(std::int64_t first) {
  const std::int64_t texts = std::max<std::int64_t>(first, 9);
  return {{.name = "cast.float_to_int",
           .alternatives = {"low_bits: of what is beyond the range the low bits; of NaN and infinities 0",
                            "saturate: the least or greatest integer; of NaN 0", "reject: it is invalid",
                            "minimum: the least integer, as x86 has it"},
           .defaults = {{first, "low_bits"}},
           .reason = "the page leaves it undefined; ONNX's own cases for int4 and int2 keep the low bits",
           .may_change_values = may_leave_range},
          {.name = "cast.float_fraction",
           .alternatives = {"truncate: toward zero", "nearest: ties to the even integer"},
           .defaults = {{first, "truncate"}},
           .reason = "ONNX's own cases and onnx.reference truncate; to 4 bits some round halves away from 0",
           .may_change_values = has_fraction},
          {.name = "cast.string_to_int",
           .alternatives = {"truncate: toward zero", "reject: a fraction is invalid"},
           .defaults = {{texts, "truncate"}},
           .reason = "the page: \"100.5\" may become 100, and is undefined",
           .may_change_values = is_text_to_integer},
          {.name = "cast.to_string",
           .alternatives = {"plain: the shortest digits that read back, no exponent; NaN, INF",
                            "repr: as Python writes floats", "eight_digits: as %.8g"},
           .defaults = {{texts, "plain"}},
           .reason = "the page: plain floating-point representation, and its literals",
           .may_change_values = is_float_to_text},
          {.name = "cast.bool_to_string",
           .alternatives = {"digit: 1 and 0", "word: True and False"},
           .defaults = {{texts, "digit"}},
           .reason = "no text says; a bool is 1 or 0 in every other type",
           .may_change_values = is_truth_to_text},
          {.name = "cast.float8_inf",
           .alternatives = {"nan: infinity is NaN in the types without it, also where they saturate",
                            "saturate: it saturates"},
           .defaults = {{19, "nan"}, {24, ""}},
           .reason = "the table of the versions 19 to 23; from 24 on it saturates",
           .may_change_values = has_infinity},
          {.name = "cast.float4_nan",
           .alternatives = {"minus_zero: NaN is -0", "zero: +0", "largest: the greatest number"},
           .defaults = {{23, "minus_zero"}},
           .reason = "the text is silent; published test_cast_FLOAT_to_FLOAT4E2M1",
           .may_change_values = converts_nan},
          {.name = "cast.e8m0_negative",
           .alternatives = {"nan: numbers below 0 are NaN", "reject: they are invalid",
                            "magnitude: their sign is left out"},
           .defaults = {{24, "nan"}},
           .reason = "the page leaves them undefined",
           .may_change_values = has_negative}};
}
namespace {
constexpr std::string_view kScaleOfOne = "quantize.scale_of_one", kRank1 = "quantize.rank_1";

bool has_attribute(const Call& call, std::string_view name) { return call.schema().find_attribute(name) != nullptr; }
std::int64_t block_size(const Call& call) { return has_attribute(call, "block_size") ? call.integer("block_size") : 0; }
size_t axis_of(const Call& call) {
  const size_t rank = call.type("x").rank();
  if (!has_attribute(call, "axis") || (rank == 1 && lists_reading(call, kRank1) && call.reads(kRank1, "axis_ignored")))
    return 0;
  return call.axis("axis", rank);
}
bool is_one_number(const Call& call, const Dims& shape) {
  const bool is_per_axis = lists_reading(call, kScaleOfOne) && call.reads(kScaleOfOne, "per_axis");
  return shape.empty() || (shape == Dims{1} && !is_per_axis);
}

Ieee number(const Interval& x) { return Ieee(RealNumber(x.low()).nearest_double()); }
}  // namespace
Interval named_quotient(const Named& named, std::string_view name, const Interval& x, const Interval& scale,
                        std::optional<DType> precision) {
  const Interval exact = named(name, x / scale);
  if (!precision) return exact;
  const Ieee rounded = rounded_to(quotient_to_odd(number(x), number(scale)), *precision);
  return named(format("rounded to {}", *precision), Interval(rounded.v));
}
Interval named_integer(const Named& named, const Interval& quotient) {
  return named("rounded to an integer", Interval(round(number(quotient)).v));
}

Operand per_element(const Call& call, std::string_view parameter) {
  const Tensor& all = call.input(parameter);
  const Dims& x = call.type("x").shape;
  if (is_one_number(call, all.shape())) return {all.reshaped({})};
  const size_t axis = axis_of(call);
  const std::int64_t block = block_size(call), size = x[axis], inner = element_count(x.without_first(axis + 1));
  if (block == 0) {
    Dims shape{size};
    for (size_t k = axis + 1; k < x.size(); ++k) shape.push_back(1);
    return {all.reshaped(shape)};
  }
  return {all, [=, blocks = ceil_divide(size, block)](std::int64_t i) {
            const auto [outer, j, in] = split(i, size, inner);
            const std::int64_t at = (outer * blocks + j / block) * inner + in;
            return inner == 1 ? Run{at, std::min(block - j % block, size - j), 0} : Run{at, inner - in, 1};
          }};
}
Operand zero_points(const Call& call, std::string_view zero_point) {
  if (call.has(zero_point)) return per_element(call, zero_point);
  return {Tensor::of<float>(DType::float32, {}, std::array{0.0F})};
}

void check_quantization(const Call& call, std::string_view scale, std::string_view zero_point) {
  const Dims &x = call.type("x").shape, &s = call.type(scale).shape;
  if (call.has(zero_point)) {
    const Dims& z = call.type(zero_point).shape;
    const bool are_one = element_count(s) == 1 && s.size() <= 1 && element_count(z) == 1 && z.size() <= 1;
    require(z == s || are_one, "{} has shape {}, but {} has {}: they must be the same", zero_point, z, scale, s);
  }
  if (is_one_number(call, s)) return;
  require(has_attribute(call, "axis"), "{} has shape {}, but must be one number in {}", scale, s, call.title());
  const size_t axis = axis_of(call);
  const std::int64_t block = block_size(call);
  if (block == 0) {
    require(s == Dims{x[axis]}, "{} has shape {}, but must be one number or have shape {}", scale, s, Dims{x[axis]});
    return;
  }
  Dims blocks = x;
  blocks[axis] = ceil_divide(x[axis], block);
  require(s == blocks, "{} has shape {}, but must have {}: one per block of {}", scale, s, blocks, block);
}

void require_scale_per_axis(const Call& call, std::string_view scale, std::string_view zero_point) {
  const Dims& s = call.type(scale).shape;
  if (call.has(zero_point))
    require(call.type(zero_point).shape == s, "{} has shape {}, but {} {}: they must be the same", zero_point,
            call.type(zero_point).shape, scale, s);
  require(call.has("axis") || s.empty() || s == Dims{1},
          "{} has shape {}, but must be one number, [] or [1]: attribute 'axis' is not given", scale, s);
}
std::vector<Reading> quantization_readings() {
  return {
      {.name = kScaleOfOne,
       .alternatives = {"per_tensor: a scale of shape [1] is for all of x", "per_axis: it is for an axis of size 1"},
       .defaults = {{13, "per_tensor"}},
       .reason = "published data and onnx.reference take it for all of x, whatever axis says"},
      {.name = kRank1,
       .alternatives = {"axis_in_range: axis must be one of x, also where x has one axis",
                        "axis_ignored: it is that one"},
       .defaults = {{21, "axis_in_range"}},
       .reason = "\"When the rank of the input is 1, per-tensor quantization is applied\" stands against a "
                 "scale of one axis"}};
}
namespace {
/// m·2^exponent with m odd; x > 0.
struct Odd {
  std::uint64_t m;
  int exponent;
};
Odd odd_part(double x) {
  int exponent = 0;
  const auto m = static_cast<std::uint64_t>(std::ldexp(std::frexp(x, &exponent), 53));
  const int zeros = std::countr_zero(m);
  return {m >> zeros, exponent - 53 + zeros};
}

bool is_scale(double x) { return x > 0 && std::isfinite(x); }
}  // namespace
void require_scale_shapes(const Call& call, std::string_view scale, std::string_view zero_point,
                          std::optional<std::int64_t> channels) {
  const Dims &a = call.type(scale).shape, &b = call.type(zero_point).shape;
  const bool are_single = (a.empty() || a == Dims{1}) && (b.empty() || b == Dims{1});
  require(a == b, "{} has shape {}, but {} {}{}", scale, a, zero_point, b,
          are_single ? ": one number may be [] or [1], but both must be alike" : "");
  require(a.empty() || a == Dims{1} || (channels && a == Dims{*channels}), "{} has shape {}, but must be a scalar{}",
          scale, a, channels ? format(" or have {}", Dims{*channels}) : "");
}

void require_scales(const Call& call, std::string_view input) {
  const Tensor& scales = call.input(input);
  const evaluators::Elements values(scales);
  for (std::int64_t i = 0; i < scales.count(); ++i) {
    const double scale = values.number(i);
    require(is_scale(scale), "{}{} has {}, but must be finite and > 0", input,
            is_scale(scale) || scales.count() == 1 ? "" : format("{}", coordinates(i, scales.shape())), scale);
  }
}

float Rescale::in_float32() const { return static_cast<float>(a * b) / static_cast<float>(c); }

// The product of the quotient and c is exact, as a·b is.
bool Rescale::is_rounded_in_float32() const {
  return !is_scale(a) || !is_scale(b) || !is_scale(c) || widen(in_float32()) * c != a * b ||
         widen(static_cast<float>(a * b)) != a * b;
}

// n·p/q·2^e, p and q odd and without a common divisor, is an odd multiple of 1/2 iff n is one of q·2^(-e-1).
bool Rescale::may_tie(double most) const {
  if (!is_scale(a) || !is_scale(b) || !is_scale(c)) return true;
  const Odd product = odd_part(a * b), divisor = odd_part(c);
  const int e = product.exponent - divisor.exponent;
  const std::uint64_t q = divisor.m / std::gcd(product.m, divisor.m);
  return e < 0 && std::ldexp(nearly(q), -e - 1) <= most;
}

void require_float32_quotient(const Rescale& scale) {
  require(is_scale(scale.in_float32()), "x_scale·w_scale/y_scale is {} in float32", scale.in_float32());
}

double most_magnitude(const Call& call, std::string_view tensor, std::string_view zero_points) {
  const bool is_signed = info(call.type(tensor).dtype).kind == Kind::signed_integer;
  const std::int64_t least = is_signed ? -128 : 0, greatest = is_signed ? 127 : 255;
  if (!call.has_value(zero_points)) return 255;
  const Tensor& zeros = call.input(zero_points);
  std::int64_t most = 0;
  for (std::int64_t i = 0; i < zeros.count(); ++i) {
    const std::int64_t zero = evaluators::Elements(zeros).integer(i);
    most = std::max({most, zero - least, greatest - zero});
  }
  return nearly(most);
}

double most_int32(const Call& call, std::string_view input) {
  if (!call.has(input)) return 0;
  if (!call.has_value(input)) return 0x1p31;
  std::int64_t most = 0;
  for (const std::int32_t x : call.input(input).values<std::int32_t>())
    most = std::max(most, std::abs(static_cast<std::int64_t>(x)));
  return nearly(most);
}
}  // namespace opref::ops
