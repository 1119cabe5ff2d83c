// SPDX-License-Identifier: Apache-2.0
// Every rule on every pair of values, against the rules written a second time.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "compare/compare_testing.h"

namespace opref::compare::rules_oracle_test {
namespace {

// The rules a second time, without the functions under test: values as long doubles or 128-bit integers, distances by
// enumerating all values or by walking from one to the next.

using Int128 = __int128;

enum class Style { ieee, finite, negative_zero_nan, exponent_only, none };
struct FloatLayout {
  DType dtype;
  int exponent_bits, fraction_bits, bias;
  Style style;
};
constexpr FloatLayout kLayouts[] = {
    {DType::float16, 5, 10, 15, Style::ieee},
    {DType::bfloat16, 8, 7, 127, Style::ieee},
    {DType::float32, 8, 23, 127, Style::ieee},
    {DType::float64, 11, 52, 1023, Style::ieee},
    {DType::float8_e4m3fn, 4, 3, 7, Style::finite},
    {DType::float8_e4m3fnuz, 4, 3, 8, Style::negative_zero_nan},
    {DType::float8_e5m2, 5, 2, 15, Style::ieee},
    {DType::float8_e5m2fnuz, 5, 2, 16, Style::negative_zero_nan},
    {DType::float8_e8m0fnu, 8, 0, 127, Style::exponent_only},
    {DType::float4_e2m1fn, 2, 1, 1, Style::none},
    {DType::float6_e2m3fn, 2, 3, 1, Style::none},
    {DType::float6_e3m2fn, 3, 2, 3, Style::none},
};
const FloatLayout& layout_of(DType dtype) { return *std::ranges::find(kLayouts, dtype, &FloatLayout::dtype); }

long double decode(const FloatLayout& layout, std::uint64_t code) {
  const int bits = layout.exponent_bits + layout.fraction_bits;
  const std::uint64_t field = code >> layout.fraction_bits & ((std::uint64_t{1} << layout.exponent_bits) - 1);
  const std::uint64_t fraction = code & ((std::uint64_t{1} << layout.fraction_bits) - 1);
  const bool all_ones = field == (std::uint64_t{1} << layout.exponent_bits) - 1;
  if (layout.style == Style::exponent_only)
    return all_ones ? kNan : std::ldexp(1.0L, static_cast<int>(field) - layout.bias);
  const long double sign = code >> bits != 0 ? -1 : 1;
  if (layout.style == Style::negative_zero_nan && code == std::uint64_t{1} << bits) return kNan;
  if (layout.style == Style::ieee && all_ones) return fraction == 0 ? sign * kInfinity : kNan;
  if (layout.style == Style::finite && all_ones && fraction == (std::uint64_t{1} << layout.fraction_bits) - 1)
    return kNan;
  const long double significand =
      static_cast<long double>(fraction) + (field == 0 ? 0 : std::ldexp(1.0L, layout.fraction_bits));
  return sign * std::ldexp(significand, std::max(static_cast<int>(field), 1) - layout.bias - layout.fraction_bits);
}

/// The values of all codes of a format of at most 16 bits.
std::vector<long double> decode_all(const FloatLayout& layout) {
  std::vector<long double> values(size_t{1} << info(layout.dtype).bits);
  for (std::uint64_t code = 0; code < values.size(); ++code) values[code] = decode(layout, code);
  return values;
}

/// The finite ones in order, each once.
std::vector<long double> finite_values(std::vector<long double> values) {
  std::erase_if(values, [](long double value) { return !std::isfinite(value); });
  std::ranges::sort(values);
  const auto repeated = std::ranges::unique(values);
  values.erase(repeated.begin(), repeated.end());
  return values;
}

template <class F>
bool reached_in_steps(F from, F to, std::int64_t steps) {
  for (; steps > 0 && from != to; --steps) from = std::nextafter(from, to);
  return from == to;
}

class Oracle {
 public:
  explicit Oracle(DType dtype) : dtype_(dtype) {
    if (info(dtype).kind != Kind::floating) return;
    layout_ = &layout_of(dtype);
    if (info(dtype).bits > 16) return;
    decoded_ = decode_all(*layout_);
    values_ = finite_values(decoded_);
  }

  bool passes(std::uint64_t actual, std::uint64_t expected, const Tolerance& tolerance) const {
    if (layout_ == nullptr) return integer_passes(integer(actual), integer(expected), tolerance);
    const long double a = value(actual), e = value(expected);
    if (std::isnan(a) || std::isnan(e))
      return std::isnan(a) && std::isnan(e) && (!tolerance.strict_nan || actual == expected);
    if (std::isinf(a) || std::isinf(e)) return a == e;
    switch (tolerance.rule) {
      case Rule::exact:
        return actual == expected;
      case Rule::ulp:
        return floating_within(a, e, tolerance.ulp);
      case Rule::relative:
        return close(a, e, tolerance);
      case Rule::bound:  // not of two tensors
        break;
    }
    return false;
  }

 private:
  long double value(std::uint64_t code) const { return decoded_.empty() ? decode(*layout_, code) : decoded_[code]; }

  Int128 integer(std::uint64_t code) const {
    const bool negative = info(dtype_).kind == Kind::signed_integer && (code >> (info(dtype_).bits - 1)) != 0;
    return Int128{code} - (negative ? Int128{1} << info(dtype_).bits : 0);
  }

  bool integer_passes(Int128 a, Int128 e, const Tolerance& tolerance) const {
    const Int128 difference = a < e ? e - a : a - e;
    return tolerance.rule == Rule::ulp && dtype_ != DType::boolean ? difference <= tolerance.ulp : a == e;
  }

  bool floating_within(long double a, long double e, std::int64_t ulp) const {
    if (dtype_ == DType::float32) return reached_in_steps(static_cast<float>(e), static_cast<float>(a), ulp);
    if (dtype_ == DType::float64) return reached_in_steps(static_cast<double>(e), static_cast<double>(a), ulp);
    const auto index = [this](long double value) { return std::ranges::lower_bound(values_, value) - values_.begin(); };
    return std::abs(index(a) - index(e)) <= ulp;
  }

  bool close(long double a, long double e, const Tolerance& tolerance) const {
    const long double error = std::abs(a - e), product = tolerance.rtol * std::abs(e), excess = error - product;
    if (error == 0) return true;
    // Either far apart, or computed without rounding: all numbers on one grid of 60 bits.
    const bool decided = std::abs(excess - tolerance.atol) > std::ldexp(error + product + tolerance.atol, -40);
    const auto exact = [places = 40 - std::ilogb(error)](long double x) {
      const long double steps = std::ldexp(x, places);
      return steps == std::rint(steps) && std::abs(steps) < 0x1p60;
    };
    if (!decided) REQUIRE((exact(a) && exact(e) && exact(product)));
    return excess <= tolerance.atol;
  }

  DType dtype_;
  const FloatLayout* layout_ = nullptr;
  std::vector<long double> decoded_, values_;
};

Codes special_codes(DType dtype) {
  const int bits = info(dtype).bits;
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1), all = sign | (sign - 1);
  switch (info(dtype).kind) {
    case Kind::boolean:
      return {0, 1};
    case Kind::unsigned_integer:
    case Kind::signed_integer: {
      std::set<std::uint64_t> codes{0, 1, 2, 3, sign - 1, sign, sign + 1, all - 1, all};
      if (bits >= 32) codes.insert({16777216, 16777217, 1000000, 1000001, 1001000});
      if (bits == 64)
        codes.insert({std::uint64_t{1} << 53, (std::uint64_t{1} << 53) + 1, (std::uint64_t{1} << 53) - 1});
      if (bits < 8) std::erase_if(codes, [all](std::uint64_t code) { return code > all; });
      return {codes.begin(), codes.end()};
    }
    default:
      break;
  }
  const FloatLayout& layout = layout_of(dtype);
  if (layout.style == Style::exponent_only) return {0, 1, 2, 126, 127, 128, 130, 253, 254, 255};
  const std::uint64_t one = static_cast<std::uint64_t>(layout.bias) << layout.fraction_bits;
  const std::uint64_t normal = std::uint64_t{1} << layout.fraction_bits, magnitudes = sign - 1;
  std::set<std::uint64_t> codes{0, 1, 2, normal, one, one + 1, one + 3, one - 1};
  for (const std::uint64_t distance : {0, 1, 2, 3}) codes.insert(magnitudes - distance);
  if (layout.style == Style::ieee) {
    const std::uint64_t infinity = magnitudes & ~(normal - 1);
    codes.insert({infinity - 1, infinity, infinity + 1, infinity + normal / 2});
  }
  for (const std::uint64_t code : Codes(codes.begin(), codes.end())) codes.insert(code | sign);
  return {codes.begin(), codes.end()};
}

const std::vector<Tolerance> kTolerances = {exactly(),
                                            exactly(true),
                                            within_ulp(0),
                                            within_ulp(1),
                                            within_ulp(4),
                                            relative(0, 0),
                                            relative(0x1p-10, 0),
                                            relative(0, 2.75),
                                            relative(0.5, 0.375),
                                            relative(0, 0x1p-20),
                                            relative(0x1p-10, 0x1p-20)};

TEST_CASE("Every rule decides every pair of special values of every type", "[compare]") {
  for (const DTypeInfo& type : all_dtypes()) {
    if (type.kind == Kind::complex || type.kind == Kind::string) continue;
    const Oracle oracle(type.dtype);
    const Codes codes = special_codes(type.dtype);
    std::vector<Tensor> tensors;
    for (const std::uint64_t code : codes) tensors.push_back(from_codes(type.dtype, {code}));
    for (const Tolerance& tolerance : kTolerances)
      for (size_t e = 0; e < codes.size(); ++e)
        for (size_t a = 0; a < codes.size(); ++a) {
          const bool pass = passes(tensors[a], tensors[e], tolerance);
          if (pass == oracle.passes(codes[a], codes[e], tolerance)) continue;
          FAIL_CHECK(type.name << " " << to_text(tolerance) << std::hex << ": 0x" << codes[a]
                               << (pass ? " passes for 0x" : " fails for 0x") << codes[e]);
        }
  }
}

TEST_CASE("Every rule decides every pair of the 8-, 6- and 4-bit formats", "[compare]") {
  for (const FloatLayout& layout : kLayouts) {
    const int bits = info(layout.dtype).bits;
    if (bits > 8) continue;
    const Oracle oracle(layout.dtype);
    Codes all;
    for (std::uint64_t code = 0; code < std::uint64_t{1} << bits; ++code) all.push_back(code);
    const Tensor actual = from_codes(layout.dtype, all);
    for (const Tolerance& tolerance : {exactly(), within_ulp(0), within_ulp(1), within_ulp(4), relative(0.5, 0.375)})
      for (const std::uint64_t expected : all) {
        std::int64_t mismatches = 0, first = -1;
        for (const std::uint64_t code : all)
          if (!oracle.passes(code, expected, tolerance) && mismatches++ == 0) first = static_cast<std::int64_t>(code);
        const Comparison comparison =
            compare_values(actual, from_codes(layout.dtype, Codes(all.size(), expected)), tolerance);
        const std::int64_t found = comparison.first ? comparison.first->index[0] : -1;
        if (comparison.mismatches == mismatches && found == first) continue;
        FAIL_CHECK(name(layout.dtype) << " " << to_text(tolerance) << ", expected code " << expected << ": "
                                      << comparison.mismatches << " mismatches, not " << mismatches << ", from "
                                      << found);
      }
  }
}

/// From `expected`, one of the values.
std::optional<std::uint64_t> counted_distance(const std::vector<long double>& values, long double number,
                                              long double expected) {
  if (number < values.front() || number > values.back()) return std::nullopt;
  if (number == expected) return 0;
  const auto [low, high] = std::minmax(number, expected);
  return 1 + std::ranges::count_if(values, [&](long double value) { return value > low && value < high; });
}

// A number between two values is as far away as the one beyond it: one more than the values strictly between.
TEST_CASE("Distances across types count the expected type's values", "[compare]") {
  for (const FloatLayout& layout : kLayouts) {
    if (info(layout.dtype).bits > 8) continue;
    const std::vector<long double> values = finite_values(decode_all(layout));
    std::vector<double> numbers;
    for (size_t i = 0; i < values.size(); i += 7) {
      const auto value = static_cast<double>(values[i]);
      numbers.insert(numbers.end(), {value, std::nextafter(value, kInfinity), std::nextafter(value, -kInfinity)});
    }
    for (std::uint64_t code = 0; code < std::uint64_t{1} << info(layout.dtype).bits; code += 5) {
      const long double expected = decode(layout, code);
      if (!std::isfinite(expected)) continue;
      for (const double number : numbers) {
        const auto distance = counted_distance(values, number, expected);
        const Comparison comparison =
            compare_values(doubles({number}), from_codes(layout.dtype, {code}), any_dtype(within_ulp(0)));
        const auto found = comparison.first ? comparison.first->ulp : 0;
        if (comparison.equal() == (distance == 0) && found == distance) continue;
        FAIL_CHECK(name(layout.dtype) << " " << number << ", expected code " << code);
      }
    }
  }
}

}  // namespace
}  // namespace opref::compare::rules_oracle_test
