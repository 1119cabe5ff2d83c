// SPDX-License-Identifier: Apache-2.0
#define MPFR_USE_INTMAX_T
#include "exact/convert.h"

#include <mpfr.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/text.h"
#include "exact/decimal.h"
#include "exact/mpfr.h"
#include "exact/real/interval.h"
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
constexpr std::string_view kPower = "";  // conversion_rule says it, by round_mode
constexpr std::array<std::array<std::string_view, 7>, 4> kRules = {{
    {"rounded once", "rounded once, by saturate beyond the range", "rounded once, the greatest beyond the range",
     kPower, "truncated, low bits", "0 is false, all else true", "shortest plain decimal"},
    {"rounded once", "rounded once, by saturate beyond the range", "rounded once, the greatest beyond the range",
     kPower, "low bits", "0 is false, all else true", "decimal digits"},
    {"0 or 1", "0 or 1", "0 or 1", kPower, "0 or 1", "the same", "0 or 1"},
    {"a decimal, rounded once", "a decimal, rounded once, by saturate beyond the range",
     "a decimal, rounded once, the greatest beyond the range", kPower, "a decimal, truncated, low bits",
     "a decimal: 0 is false, all else true", "the same bytes"},
}};

std::uint64_t low_bits_mask(int bits) { return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }
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

std::uint64_t to_small(const Number& x, DType to, const Conversion& how) {
  constexpr int kBeyondAll = 1000;
  using SmallNan = Conversion::SmallNan;
  if (x.form == Number::Form::nan && how.small_nan != SmallNan::largest)
    return sign_of(to, how.small_nan == SmallNan::minus_zero);
  if (x.form != Number::Form::finite) return encode_bits(to, x.negative, 1, kBeyondAll);
  return encode_bits(to, x.negative, x.significand, x.exponent);
}

/// For a message: what the number is, to the digits of a double.
std::string text_of(const Number& x) {
  if (x.form == Number::Form::nan) return "NaN";
  if (x.form == Number::Form::infinite) return x.negative ? "-Inf" : "Inf";
  const double size = std::ldexp(static_cast<double>(x.significand), x.exponent);
  if (std::isinf(size)) return "a number of more than 1024 bits";
  return format("{}", x.negative ? -size : size);
}

std::uint64_t to_power(const Number& x, const Conversion& how) {
  constexpr std::uint64_t kNan = 0xff, kGreatest = 0xfe;
  using Negative = Conversion::Negative;
  if (x.form == Number::Form::nan) return kNan;
  if (x.negative && how.negative == Negative::reject)
    fail(Fault::invalid, "{} has no number of {}, which has no sign", text_of(x), DType::float8_e8m0fnu);
  if (x.negative && how.negative == Negative::nan) return kNan;
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

/// The low 64 bits of |x| as a whole number, and whether there are others.
struct Magnitude {
  std::uint64_t low;
  bool is_wide;
};
Magnitude whole_of(const Number& x, Conversion::Fraction fraction) {
  if (x.significand == 0 || x.exponent < -64) return {0, false};
  if (x.exponent >= 0)
    return {x.exponent >= 64 ? 0 : x.significand << x.exponent, x.exponent > std::countl_zero(x.significand)};
  const bool is_below_one = x.exponent == -64;
  const std::uint64_t whole = is_below_one ? 0 : x.significand >> -x.exponent,
                      half = std::uint64_t{1} << (-x.exponent - 1),
                      rest = is_below_one ? x.significand : x.significand & (2 * half - 1);
  const bool is_up = rest > half || (rest == half && (whole & 1) != 0);
  return {whole + (fraction == Conversion::Fraction::nearest && is_up), false};
}
bool has_fraction(const Number& x) {
  if (x.exponent >= 0 || x.significand == 0) return false;
  return x.exponent <= -64 || (x.significand & ((std::uint64_t{1} << -x.exponent) - 1)) != 0;
}

std::uint64_t to_integer(const Number& x, DType to, const Conversion& how) {
  using Beyond = Conversion::Beyond;
  const bool is_signed = info(to).kind == Kind::signed_integer, is_finite = x.form == Number::Form::finite;
  const std::uint64_t most = low_bits_mask(info(to).bits - is_signed), least = is_signed ? most + 1 : 0;
  if (is_finite && how.fraction == Conversion::Fraction::reject)
    require(!has_fraction(x), "{} is no whole number", text_of(x));
  const Magnitude size = is_finite ? whole_of(x, how.fraction) : Magnitude{0, true};
  const std::uint64_t limit = x.negative ? least : most;  // of the magnitude
  if (!size.is_wide && size.low <= limit) return x.negative ? 0 - size.low : size.low;
  switch (how.beyond) {
    case Beyond::reject:
      fail(Fault::invalid, "{} is beyond the range of {}", text_of(x), to);
    case Beyond::minimum:
      return 0 - least;
    case Beyond::saturate:
      if (x.form == Number::Form::nan) return how.nan_is_least ? 0 - least : 0;
      return x.negative ? 0 - limit : limit;
    case Beyond::low_bits:
      break;
  }
  return is_finite ? (x.negative ? 0 - size.low : size.low) : 0;
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

/// The decimal's low 64 bits, truncated. Ten to a power of 64 and more has 64 zeros at its end.
std::uint64_t low_bits(const std::string& text, const Conversion& how) {
  const auto precision = static_cast<mpfr_prec_t>(4 * text.size() + 512);
  mpfr_t x;
  mpfr_init2(x, precision);
  mpfr_strtofr(x, text.c_str(), nullptr, 10, MPFR_RNDZ);
  const bool is_whole = mpfr_integer_p(x) != 0;
  std::uint64_t bits = 0;
  if (mpfr_regular_p(x) != 0 && mpfr_get_exp(x) <= precision + 64) {
    mpz_t whole;
    mpz_init(whole);
    mpfr_get_z(whole, x, MPFR_RNDZ);
    mpz_fdiv_r_2exp(whole, whole, 64);
    bits = mpz_get_ui(whole);
    mpz_clear(whole);
  }
  mpfr_clear(x);
  require(is_whole || how.fraction != Conversion::Fraction::reject, "'{}' is no whole number", printable(text));
  return bits;
}

/// Python's repr of a finite number.
std::string repr(const Decimal& x) {
  constexpr int kLeast = -4, kMost = 16;
  if (x.exponent < kLeast || x.exponent >= kMost) return x.scientific();
  const std::string fixed = x.fixed();
  return fixed.find('.') == std::string::npos ? fixed + ".0" : fixed;
}
/// printf's %f
std::string six_decimals(double x) {
  std::array<char, 512> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::fixed, 6).ptr;
  return {text.data(), end};
}
/// printf's %.8g
std::string eight_digits(double x) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::general, 8).ptr;
  return {text.data(), end};
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
  constexpr mpfr_exp_t kBeyondAll = 100'000;
  if (mpfr_inf_p(x) != 0) y.significand = 1, y.exponent = kBeyondAll;  // beyond what MPFR has exponents for
  if (mpfr_regular_p(x) != 0) {
    y.exponent = static_cast<int>(std::clamp<mpfr_exp_t>(mpfr_get_exp(x), -kBeyondAll, kBeyondAll)) - 64;
    mpfr_abs(x, x, MPFR_RNDZ);
    mpfr_set_exp(x, 63);
    y.significand = mpfr_get_uj(x, MPFR_RNDZ) << 1 | (inexact ? 1 : 0);
  }
  mpfr_clear(x);
  return y;
}

Number number_of(DType dtype, std::uint64_t bits) {
  const DTypeInfo& type = info(dtype);
  if (type.kind == Kind::floating) return Number::of(floating_value(dtype, bits));
  const bool negative = type.kind == Kind::signed_integer && (bits >> (type.bits - 1) & 1) != 0;
  const std::uint64_t mask = low_bits_mask(type.bits);
  return Number::of_integer(negative, negative ? 0 - (bits | ~mask) : bits & mask);
}

std::string conversion_rule(DType from, DType to, const Conversion& how) {
  constexpr std::array<std::string_view, 4> kBeyond = {"low bits", "saturated", "beyond the range invalid",
                                                       "beyond the range the least"};
  constexpr std::array<std::string_view, 3> kFraction = {"truncated", "to the nearest integer", "no fraction"};
  constexpr std::array<std::string_view, 3> kPowers = {"the next power of two upwards",
                                                       "the next power of two downwards",
                                                       "the nearest power of two, of two the greater one"};
  const Source source = source_of(from);
  const Target target = target_of(to);
  if (target == Target::power)
    return format("{}{}, by saturate beyond the range", source == Source::text ? "a decimal, " : "",
                  kPowers[static_cast<size_t>(how.power)]);
  if (target == Target::integer && (source == Source::real || source == Source::text))
    return format("{}{}, {}", source == Source::text ? "a decimal, " : "", kFraction[static_cast<size_t>(how.fraction)],
                  kBeyond[static_cast<size_t>(how.beyond)]);
  if (target == Target::text && source == Source::real && how.digits != Conversion::Digits::plain)
    return how.digits == Conversion::Digits::repr ? "Python's repr" : "eight digits, as %.8g";
  if (target == Target::text && source == Source::truth && how.truth_is_word) return "True or False";
  return std::string(kRules[static_cast<size_t>(source)][static_cast<size_t>(target)]);
}

std::uint64_t converted(const Number& x, DType to, const Conversion& how) {
  switch (target_of(to)) {
    case Target::ieee:
      return to_ieee(x, to);
    case Target::float8:
      return to_float8(x, to, how);
    case Target::small:
      return to_small(x, to, how);
    case Target::power:
      return to_power(x, how);
    case Target::integer:
      return to_integer(x, to, how) & low_bits_mask(info(to).bits);
    case Target::truth:
      return is_true(x) ? 1 : 0;
    case Target::text:
      break;
  }
  fail(Fault::internal, "a text has no bits");
}

std::uint64_t converted(const std::string& text, DType to, const Conversion& how) {
  const Number number = Number::of_text(text);
  const bool is_whole = target_of(to) == Target::integer && number.form == Number::Form::finite;
  if (!is_whole || how.beyond != Conversion::Beyond::low_bits) return converted(number, to, how);
  return low_bits(text, how) & low_bits_mask(info(to).bits);
}

std::optional<std::uint64_t> converted(const Interval& y, DType to, const Conversion& how) {
  constexpr mpfr_exp_t kMostBits = 1 << 16;
  if (y.is_anything()) return std::nullopt;
  if (y.is_nan() || (y.is_point() && mpfr_inf_p(y.low()) != 0))
    return converted(Number::of(mpfr_get_d(y.low(), MPFR_RNDN)), to, how);
  const auto is_large = [](mpfr_srcptr end) {
    return mpfr_inf_p(end) != 0 || (mpfr_regular_p(end) != 0 && mpfr_get_exp(end) > kMostBits);
  };
  const auto beyond = [](bool negative) { return Number{Number::Form::finite, negative, 1, kMostBits}; };
  const bool one_sign = mpfr_signbit(y.low()) == mpfr_signbit(y.high());
  if (how.beyond != Conversion::Beyond::low_bits && is_large(y.low()) && is_large(y.high()) && one_sign)
    return converted(beyond(mpfr_signbit(y.low()) != 0), to, how);
  if (is_large(y.low()) || is_large(y.high())) return std::nullopt;
  const mpfr_rnd_t rounding = how.fraction == Conversion::Fraction::nearest ? MPFR_RNDN : MPFR_RNDZ;
  struct Integers {  // cleared where a conversion refuses the number, too
    Integers() { mpz_inits(low, high, nullptr); }
    Integers(const Integers&) = delete;
    Integers& operator=(const Integers&) = delete;
    ~Integers() { mpz_clears(low, high, nullptr); }
    mpz_t low, high;
  } integers;
  mpz_t &low = integers.low, &high = integers.high;
  mpfr_get_z(low, y.low(), rounding);
  mpfr_get_z(high, y.high(), rounding);
  std::optional<std::uint64_t> bits;
  const bool negative = mpz_sgn(low) < 0;
  if (how.beyond == Conversion::Beyond::low_bits) {
    const bool is_known = mpz_cmp(low, high) == 0;
    mpz_fdiv_r_2exp(low, low, 64);
    if (is_known) bits = mpz_get_ui(low);
  } else {
    const auto number = [&](const mpz_t& z) {
      return mpz_sizeinbase(z, 2) > 64 ? beyond(mpz_sgn(z) < 0) : Number::of_integer(mpz_sgn(z) < 0, mpz_get_ui(z));
    };
    const Number least = number(low), most = number(high);
    const bool is_known = mpz_cmp(low, high) == 0 || (least.exponent == kMostBits && most.exponent == kMostBits &&
                                                      negative == (mpz_sgn(high) < 0));
    if (is_known) bits = converted(least, to, how);
  }
  return bits;
}

std::string converted_to_text(DType dtype, std::uint64_t bits, const Conversion& how) {
  using Digits = Conversion::Digits;
  const DTypeInfo& type = info(dtype);
  if (type.kind == Kind::boolean && how.truth_is_word) return bits != 0 ? "True" : "False";
  const Number x = number_of(dtype, bits);
  const std::string sign = x.negative ? "-" : "";
  if (type.kind != Kind::floating) return sign + std::to_string(x.significand);
  const bool is_repr = how.digits == Digits::repr || how.digits == Digits::six_decimals;
  if (x.form == Number::Form::nan) return is_repr ? "nan" : "NaN";
  if (x.form == Number::Form::infinite) return sign + (is_repr ? "inf" : "INF");
  if (how.digits == Digits::six_decimals) return six_decimals(floating_value(dtype, bits));
  if (how.digits == Digits::eight) return eight_digits(floating_value(dtype, bits));
  const Decimal decimal = shortest_decimal(dtype, bits & ~sign_of(dtype, x.negative));
  return sign + (is_repr ? repr(decimal) : decimal.fixed());
}

}  // namespace opref::exact
