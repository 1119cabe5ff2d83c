// SPDX-License-Identifier: Apache-2.0
#include "ops/common/conversion.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "evaluators/elements.h"
#include "exact/rounding.h"
#include "ops/common/lists.h"

namespace opref::ops {
namespace {

constexpr std::int64_t kNewerInfinities = 24;  // since when float8 types without infinity saturate it

DType source(const Call& call) { return call.type("input").dtype; }
DType target(const Call& call) { return call.op().output_types(call)[0].tensor.dtype; }
/// Whether a number of the input is one for which it matters; true where they are not known.
template <class F>
bool any_number(const Call& call, const F& matters) {
  if (!call.has_value("input")) return true;
  const Elements x(call.input("input"));
  for (std::int64_t i = 0; i < call.input("input").count(); ++i)
    if (matters(x.number(i))) return true;
  return false;
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
bool has_nan(const Call& call) {
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

DType named_type(const Call& call, std::string_view attribute) {
  const std::int64_t number = call.integer(attribute);
  for (const DTypeInfo& type : all_dtypes())
    if (static_cast<std::int64_t>(type.dtype) == number) return type.dtype;
  fail(Fault::invalid, "attribute '{}' is {}, but must be the number of an element type, 1 (FLOAT) to {}", attribute,
       number, all_dtypes().size());
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

Operator with_conversion_readings(Operator op, std::int64_t first) {
  const std::int64_t texts = std::max<std::int64_t>(first, 9);
  return std::move(op)
      .reading({.name = "cast.float_to_int",
                .alternatives = {"low_bits: of what is beyond the range the low bits; of NaN and infinities 0",
                                 "saturate: the least or greatest integer; of NaN 0", "reject: it is invalid",
                                 "minimum: the least integer, as x86 has it"},
                .defaults = {{first, "low_bits"}},
                .reason = "the page leaves it undefined; ONNX's own cases for int4 and int2 keep the low bits",
                .may_change_values = may_leave_range})
      .reading({.name = "cast.float_fraction",
                .alternatives = {"truncate: toward zero", "nearest: ties to the even integer"},
                .defaults = {{first, "truncate"}},
                .reason = "ONNX's own cases and onnx.reference truncate; onnxruntime's casts to int4 and uint4 round",
                .may_change_values = has_fraction})
      .reading({.name = "cast.string_to_int",
                .alternatives = {"truncate: toward zero", "reject: a fraction is invalid"},
                .defaults = {{texts, "truncate"}},
                .reason = "the page: \"100.5\" may become 100, and is undefined",
                .may_change_values = is_text_to_integer})
      .reading({.name = "cast.to_string",
                .alternatives = {"plain: the shortest digits that read back, no exponent; NaN, INF",
                                 "repr: as Python writes floats", "eight_digits: as %.8g"},
                .defaults = {{texts, "plain"}},
                .reason = "the page: plain floating-point representation, and its literals",
                .may_change_values = is_float_to_text})
      .reading({.name = "cast.bool_to_string",
                .alternatives = {"digit: 1 and 0", "word: True and False"},
                .defaults = {{texts, "digit"}},
                .reason = "no text says; a bool is 1 or 0 in every other type",
                .may_change_values = is_truth_to_text})
      .reading({.name = "cast.float8_inf",
                .alternatives = {"nan: infinity is NaN in the types without it, also where they saturate",
                                 "saturate: it saturates"},
                .defaults = {{19, "nan"}, {24, ""}},
                .reason = "the table of the versions 19 to 23; from 24 on it saturates",
                .may_change_values = has_infinity})
      .reading({.name = "cast.float4_nan",
                .alternatives = {"minus_zero: NaN is -0", "zero: +0", "largest: the greatest number"},
                .defaults = {{23, "minus_zero"}},
                .reason = "the text is silent; published test_cast_FLOAT_to_FLOAT4E2M1",
                .may_change_values = has_nan})
      .reading({.name = "cast.e8m0_negative",
                .alternatives = {"nan: numbers below 0 are NaN", "reject: they are invalid",
                                 "magnitude: their sign is left out"},
                .defaults = {{24, "nan"}},
                .reason = "the page leaves them undefined",
                .may_change_values = has_negative});
}

}  // namespace opref::ops
