// SPDX-License-Identifier: Apache-2.0
// Numbers for the second formulation in sweep_test.cpp: exact integers in a unit of a power of two, and the question
// whether some bits are the nearest floating-point number. Shares no arithmetic with src/exact.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <vector>

#include "core/dtype.h"

namespace opref::ops::sweep {

/// A well mixed function of an integer: the tests' only source of variety, the same on every machine.
inline std::uint64_t mixed(std::uint64_t n) {
  n = (n ^ (n >> 31)) * 0x9e3779b97f4a7c15u;
  n = (n ^ (n >> 29)) * 0xbf58476d1ce4e5b9u;
  return n ^ (n >> 32);
}

/// A binary format of IEEE 754, or bfloat16: `precision` counts the implicit bit.
struct FloatFormat {
  int bits, precision, min_exponent;

  std::uint64_t implicit() const { return std::uint64_t{1} << (precision - 1); }
  std::uint64_t sign() const { return std::uint64_t{1} << (bits - 1); }
  std::uint64_t infinity() const { return static_cast<std::uint64_t>(1 - 2 * min_exponent + 2) << (precision - 1); }
  std::uint64_t nan() const { return infinity() + implicit() / 2; }
};

inline FloatFormat float_format(DType dtype) {
  if (dtype == DType::float16) return {16, 11, -14};
  if (dtype == DType::bfloat16) return {16, 8, -126};
  if (dtype == DType::float32) return {32, 24, -126};
  return {64, 53, -1022};
}

/// significand · 2^exponent
struct Dyadic {
  mpz_class significand;
  long exponent;
};

/// What bits without a sign mean; infinity's mean the number that would follow the largest.
inline Dyadic magnitude_of(std::uint64_t bits, const FloatFormat& format) {
  const std::uint64_t field = bits >> (format.precision - 1), fraction = bits & (format.implicit() - 1);
  const long lowest = format.min_exponent - format.precision + 1;
  if (field == 0) return {mpz_class(fraction), lowest};
  return {mpz_class(fraction + format.implicit()), lowest + static_cast<long>(field) - 1};
}

/// The sign of (sum/divisor)^(1/(a/b)) - m, both positive: of sum^b - m^a * divisor^b.
inline int compare_root(const Dyadic& sum, long divisor, unsigned a, unsigned b, const Dyadic& m) {
  mpz_class left, right, divisors;
  mpz_pow_ui(left.get_mpz_t(), sum.significand.get_mpz_t(), b);
  mpz_pow_ui(right.get_mpz_t(), m.significand.get_mpz_t(), a);
  mpz_ui_pow_ui(divisors.get_mpz_t(), static_cast<unsigned long>(divisor), b);
  right *= divisors;
  const long shift = sum.exponent * static_cast<long>(b) - m.exponent * static_cast<long>(a);
  (shift > 0 ? left : right) <<= static_cast<mp_bitcnt_t>(shift > 0 ? shift : -shift);
  return cmp(left, right);
}

/// Whether `bits` (without a sign) are the number nearest to (sum/divisor)^(b/a), ties to even; sum >= 0.
inline bool is_nearest(std::uint64_t bits, const FloatFormat& format, const Dyadic& sum, unsigned a = 1, unsigned b = 1,
                       long divisor = 1) {
  if (bits > format.infinity()) return false;
  const bool even = bits % 2 == 0;
  const auto midpoint_after = [&](std::uint64_t n) {
    Dyadic value = magnitude_of(n, format);
    value.significand = 2 * value.significand + 1;
    --value.exponent;
    return value;
  };
  if (bits < format.infinity()) {
    const int above = compare_root(sum, divisor, a, b, midpoint_after(bits));
    if (above > 0 || (above == 0 && !even)) return false;
  }
  if (bits == 0) return true;
  const int below = compare_root(sum, divisor, a, b, midpoint_after(bits - 1));
  return below > 0 || (below == 0 && even);
}

/// An input element: its bits, and its value as ±|root|^b with root in units of 2^unit of its pool.
struct Number {
  enum class Class : std::uint8_t { finite, infinite, nan } kind = Class::finite;
  bool negative = false;
  std::uint64_t bits = 0;
  mpz_class root;
};

enum class Data : std::uint8_t {
  integers,   ///< small whole numbers: no operation rounds
  fractions,  ///< 1 to all significant bits, near 1: ties and roundings; integer types: all bits
  special     ///< as fractions, with NaN, infinities, -0, subnormal numbers and the largest among them
};

/// Numbers that test tensors draw from.
struct Pool {
  std::vector<Number> numbers;
  long unit = 0;
};

inline Pool integer_pool(DType dtype, Data data) {
  const bool is_signed = info(dtype).kind == Kind::signed_integer;
  const int bits = info(dtype).bits;
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
  Pool pool;
  for (std::uint64_t i = 0; i < 61; ++i) {
    Number number;
    number.bits = (data == Data::integers ? i % 9 - (is_signed ? 4 : 0) : mixed(i + 77) >> (i % 3)) & mask;
    number.root = mpz_class(number.bits);
    if (is_signed && number.bits >> (bits - 1)) number.root -= mpz_class(1) << static_cast<mp_bitcnt_t>(bits);
    pool.numbers.push_back(number);
  }
  return pool;
}

/// Every value is ±r^b with an r of the pool's unit.
inline Pool float_pool(DType dtype, Data data, unsigned b) {
  const FloatFormat format = float_format(dtype);
  std::vector<std::pair<std::uint64_t, Dyadic>> drawn;  // bits, r
  for (std::uint64_t i = 0; i < 61; ++i) {
    const std::uint64_t random = mixed(i + 1000);
    const int most = (format.precision + static_cast<int>(b) - 1) / static_cast<int>(b) - (b > 1 ? 1 : 0);
    const int used = data == Data::integers ? 2 : 1 + static_cast<int>(random % static_cast<std::uint64_t>(most));
    const std::uint64_t odd = (mixed(i) & ((std::uint64_t{1} << used) - 1)) | 1;
    const std::uint64_t r = data == Data::integers ? i % 5 : odd;
    const long exponent = data == Data::integers ? 0 : static_cast<long>(random >> 40 & 3) - used;
    std::uint64_t value = r, bits = 0;
    for (unsigned n = 1; n < b; ++n) value *= r;
    if (value > 0) {
      int length = 64 - __builtin_clzll(value);
      const long top = exponent * static_cast<long>(b) + length - 1;
      bits = (static_cast<std::uint64_t>(top - format.min_exponent + 1) << (format.precision - 1)) +
             (value << (format.precision - length)) - format.implicit();
    }
    drawn.emplace_back(random >> 50 & 1 && value > 0 ? bits | format.sign() : bits, Dyadic{mpz_class(r), exponent});
  }
  if (data == Data::special && b == 1) {
    const std::uint64_t infinity = format.infinity(), one = static_cast<std::uint64_t>(-format.min_exponent + 1)
                                                            << (format.precision - 1);
    for (const std::uint64_t bits :
         {infinity, infinity + format.sign(), infinity + 1, format.nan() + format.sign(), format.sign(),
          std::uint64_t{1}, format.sign() + 3, format.implicit() - 1, infinity - 1, infinity - 1 + format.sign(),
          infinity - 2, one, one + format.sign(), format.implicit(), one / 2, one / 2 + 1})
      drawn.emplace_back(bits, magnitude_of(bits & ~format.sign(), format));
  }
  Pool pool;
  pool.unit = drawn.front().second.exponent;
  for (const auto& [bits, r] : drawn) pool.unit = std::min(pool.unit, r.exponent);
  for (const auto& [bits, r] : drawn) {
    Number number;
    const std::uint64_t magnitude = bits & ~format.sign();
    number.bits = bits;
    number.negative = bits != magnitude;
    number.kind = magnitude > format.infinity()    ? Number::Class::nan
                  : magnitude == format.infinity() ? Number::Class::infinite
                                                   : Number::Class::finite;
    number.root = r.significand << static_cast<mp_bitcnt_t>(r.exponent - pool.unit);
    if (number.negative) number.root = -number.root;
    pool.numbers.push_back(number);
  }
  return pool;
}

}  // namespace opref::ops::sweep
