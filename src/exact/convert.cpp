// SPDX-License-Identifier: Apache-2.0
#define MPFR_USE_INTMAX_T
#include "exact/convert.h"

#include <mpfr.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "core/error.h"
#include "core/text.h"
#include "exact/decimal.h"
#include "exact/mpfr_thread.h"
#include "exact/rounding.h"

namespace opref::exact {
namespace {

enum class Source : std::uint8_t { real, whole, truth, text };
enum class Target : std::uint8_t { ieee, float8, small, power, integer, truth, text };

Source source_of(DType dtype) {
  switch (info(dtype).kind) {
    case Kind::floating:
      return Source::real;
    case Kind::boolean:
      return Source::truth;
    case Kind::string:
      return Source::text;
    case Kind::complex:
      fail(Fault::unsupported, "{} is converted to nothing", dtype);
    default:
      return Source::whole;
  }
}
Target target_of(DType dtype) {
  switch (source_of(dtype)) {
    case Source::real:
      break;
    case Source::whole:
      return Target::integer;
    case Source::truth:
      return Target::truth;
    case Source::text:
      return Target::text;
  }
  if (dtype == DType::float8_e8m0fnu) return Target::power;
  return info(dtype).bits > 8 ? Target::ieee : info(dtype).bits == 8 ? Target::float8 : Target::small;
}

// Rows: what leaves; columns: ieee, float8, small, power, integer, truth, text.
constexpr std::array<std::array<std::string_view, 7>, 4> kRules = {{
    {"rounded once", "rounded once, by saturate beyond the range", "rounded once, the greatest beyond the range",
     "a power of two by round_mode", "truncated, low bits", "0 is false, all else true", "shortest plain decimal"},
    {"rounded once", "rounded once, by saturate beyond the range", "rounded once, the greatest beyond the range",
     "a power of two by round_mode", "low bits", "0 is false, all else true", "decimal digits"},
    {"0 or 1", "0 or 1", "0 or 1", "a power of two by round_mode", "0 or 1", "the same", "0 or 1"},
    {"a decimal, rounded once", "a decimal, rounded once, by saturate beyond the range",
     "a decimal, rounded once, the greatest beyond the range", "a decimal's power of two by round_mode",
     "a decimal, truncated, low bits", "a decimal: 0 is false, all else true", "the same bytes"},
}};

std::uint64_t sign_of(DType dtype, bool negative) { return negative ? std::uint64_t{1} << (info(dtype).bits - 1) : 0; }

std::uint64_t to_ieee(const Number& x, DType to) {
  if (x.form == Number::Form::nan) return *nan_of(to);
  if (x.form == Number::Form::infinite) return *infinity_of(to, x.negative);
  return encode_bits(to, x.negative, x.significand, x.exponent);
}

std::uint64_t to_float8(const Number& x, DType to, const Conversion& how) {
  if (x.form == Number::Form::nan) return *nan_of(to);
  if (x.form == Number::Form::finite)
    if (const auto bits = encode_finite(to, x.negative, x.significand, x.exponent)) return *bits;
  const bool is_uz = to == DType::float8_e4m3fnuz || to == DType::float8_e5m2fnuz;
  if (x.form == Number::Form::infinite && is_uz && how.infinity_is_nan_without) return *nan_of(to);
  if (!how.saturates) return to == DType::float8_e5m2 ? *infinity_of(to, x.negative) : *nan_of(to);
  const std::uint64_t greatest = to == DType::float8_e4m3fn ? 0x7e : to == DType::float8_e5m2 ? 0x7b : 0x7f;
  return greatest | sign_of(to, x.negative);
}

std::uint64_t to_small(const Number& x, DType to) {
  constexpr int kBeyondAll = 1000;
  if (x.form == Number::Form::nan) return sign_of(to, true);  // what is published: -0
  if (x.form == Number::Form::infinite) return encode_bits(to, x.negative, 1, kBeyondAll);
  return encode_bits(to, x.negative, x.significand, x.exponent);
}

std::uint64_t to_power(const Number& x, const Conversion& how) {
  constexpr std::uint64_t kNan = 0xff, kGreatest = 0xfe;
  if (x.form == Number::Form::nan || x.negative) return kNan;
  const int bits = x.significand == 0 ? 0 : 64 - std::countl_zero(x.significand), top = bits - 1 + x.exponent;
  const bool is_power = std::has_single_bit(x.significand);
  const bool beyond =
      x.form == Number::Form::infinite || (x.significand != 0 && (top > 127 || (top == 127 && !is_power)));
  if (beyond) return how.saturates ? kGreatest : kNan;
  if (x.significand == 0 || top < -127) return how.saturates ? 0 : kNan;
  const bool over_half = bits > 1 && (x.significand >> (bits - 2) & 1) != 0;
  const bool next =
      !is_power && (how.power == Conversion::Power::up || (how.power == Conversion::Power::nearest && over_half));
  return static_cast<std::uint64_t>(top + 127 + next);
}

/// Truncated toward zero, to the nearest where it saturates (it is whole there by then).
std::uint64_t to_integer(const Number& x, DType to, const Conversion& how) {
  const bool is_signed = info(to).kind == Kind::signed_integer;
  const int bits = info(to).bits - is_signed;
  const std::uint64_t most = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  const bool saturates = how.beyond == Conversion::Beyond::saturate;
  if (x.form == Number::Form::nan || (x.form == Number::Form::infinite && !saturates)) return 0;
  const bool is_wide =
      x.form == Number::Form::infinite || (x.significand != 0 && x.exponent > std::countl_zero(x.significand));
  std::uint64_t size = 0;
  if (x.form == Number::Form::finite && x.exponent > -64)
    size = x.exponent >= 64 ? 0 : x.exponent >= 0 ? x.significand << x.exponent : x.significand >> -x.exponent;
  if (saturates) {
    const std::uint64_t limit = x.negative ? (is_signed ? most + 1 : 0) : most;
    size = is_wide ? limit : std::min(size, limit);
  }
  return x.negative ? 0 - size : size;
}

bool is_true(const Number& x) { return x.form != Number::Form::finite || x.significand != 0; }

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}
bool is_decimal(std::string_view text) {
  size_t at = 0;
  const auto digits = [&] {
    const size_t first = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at - first;
  };
  const auto take = [&](std::string_view any) {
    return at < text.size() && any.find(text[at]) != std::string_view::npos ? (++at, true) : false;
  };
  take("+-");
  size_t count = digits();
  if (take(".")) count += digits();
  if (count == 0) return false;
  if (take("eE")) {
    take("+-");
    if (digits() == 0) return false;
  }
  return at == text.size();
}

/// The decimal's low 64 bits, truncated.
std::uint64_t low_bits(const std::string& text) {
  constexpr mpfr_prec_t kBits = 16384;  // of decimals below 1e4900
  mpfr_t x;
  mpz_t whole;
  mpfr_init2(x, kBits);
  mpz_init(whole);
  mpfr_strtofr(x, text.c_str(), nullptr, 10, MPFR_RNDZ);
  mpfr_get_z(whole, x, MPFR_RNDZ);
  mpz_fdiv_r_2exp(whole, whole, 64);
  const std::uint64_t bits = mpz_get_ui(whole);
  mpz_clear(whole);
  mpfr_clear(x);
  return bits;
}

/// Of an element of a type of at most 64 bits.
Number number_of(DType dtype, std::uint64_t bits) {
  const DTypeInfo& type = info(dtype);
  if (type.kind == Kind::floating) return Number::of(floating_value(dtype, bits));
  const int unused = 64 - type.bits;
  const bool negative = type.kind == Kind::signed_integer && (bits >> (type.bits - 1) & 1) != 0;
  return Number::of_integer(
      negative, negative ? 0 - (bits << unused >> unused | (unused == 0 ? 0 : ~std::uint64_t{0} << type.bits)) : bits);
}

std::string text_of(DType dtype, std::uint64_t bits) {
  const Number x = number_of(dtype, bits);
  const std::string sign = x.negative ? "-" : "";
  if (x.form == Number::Form::nan) return "NaN";
  if (x.form == Number::Form::infinite) return sign + "INF";
  return sign + (info(dtype).kind == Kind::floating
                     ? shortest_decimal(dtype, bits & ~sign_of(dtype, x.negative)).fixed()
                     : std::to_string(x.significand));
}

}  // namespace

Number Number::of(double x) {
  if (x != x) return {Form::nan};
  if (std::isinf(x)) return {Form::infinite, x < 0};
  const Scaled parts = scaled(x);
  return {Form::finite, parts.negative, parts.significand, parts.exponent};
}

Number Number::of_text(const std::string& text) {
  const std::string small = lower(text);
  if (small == "nan") return {Form::nan};
  if (small == "inf" || small == "+inf" || small == "-inf") return {Form::infinite, small[0] == '-'};
  require(is_decimal(text), "'{}' is no number", printable(text));
  MpfrThread::prepare();
  mpfr_t x;
  mpfr_init2(x, 63);
  const bool inexact = mpfr_strtofr(x, text.c_str(), nullptr, 10, MPFR_RNDZ) != 0;
  Number y{Form::finite, mpfr_signbit(x) != 0};
  if (mpfr_regular_p(x) != 0) {
    constexpr mpfr_exp_t kBeyondAll = 100'000;
    y.exponent = static_cast<int>(std::clamp<mpfr_exp_t>(mpfr_get_exp(x), -kBeyondAll, kBeyondAll)) - 64;
    mpfr_abs(x, x, MPFR_RNDZ);
    mpfr_set_exp(x, 63);
    y.significand = mpfr_get_uj(x, MPFR_RNDZ) << 1 | (inexact ? 1 : 0);
  }
  mpfr_clear(x);
  return y;
}

std::string_view conversion_rule(DType from, DType to) {
  return kRules[static_cast<size_t>(source_of(from))][static_cast<size_t>(target_of(to))];
}

std::uint64_t converted(const Number& x, DType to, const Conversion& how) {
  switch (target_of(to)) {
    case Target::ieee:
      return to_ieee(x, to);
    case Target::float8:
      return to_float8(x, to, how);
    case Target::small:
      return to_small(x, to);
    case Target::power:
      return to_power(x, how);
    case Target::integer: {
      const int bits = info(to).bits;
      return to_integer(x, to, how) & (bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1);
    }
    case Target::truth:
      return is_true(x) ? 1 : 0;
    case Target::text:
      break;
  }
  fail(Fault::internal, "a text has no bits");
}

Tensor convert(const Tensor& x, DType to, const Conversion& how) {
  const TensorType type{to, x.shape()};
  const Source from = source_of(x.dtype());
  const Target into = target_of(to);
  if (x.dtype() == to) return x;
  if (into == Target::text) {
    std::vector<std::string> texts;
    for (std::int64_t i = 0; i < x.count(); ++i) texts.push_back(text_of(x.dtype(), element_bits(x, i)));
    return {x.shape(), std::move(texts)};
  }
  if (from == Source::text) {
    const auto texts = x.strings();
    return tensor_of_bits(type, [&](std::int64_t i) {
      const std::string& text = texts[static_cast<size_t>(i)];
      const Number number = Number::of_text(text);
      if (into != Target::integer || number.form != Number::Form::finite) return converted(number, to, how);
      const int bits = info(to).bits;
      return low_bits(text) & (bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1);
    });
  }
  const std::span<const std::byte> bytes = x.bytes();
  const int width = info(x.dtype()).bits;
  return tensor_of_bits(
      type, [&](std::int64_t i) { return converted(number_of(x.dtype(), bits_at(bytes, width, i)), to, how); });
}

}  // namespace opref::exact
