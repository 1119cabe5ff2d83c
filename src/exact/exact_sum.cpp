// SPDX-License-Identifier: Apache-2.0
#include "exact/exact_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "exact/rounding.h"

namespace opref::exact {
namespace {

constexpr std::int64_t kDigitMask = 0xffffffff;
/// Each term adds less than 2^32 to a digit: so many may follow each other before a digit could overflow.
constexpr int kMaxPending = 1 << 30;

}  // namespace

void ExactSum::flush() {
  for (int i = 0; i < queued_; ++i) accumulate(waiting_[i]);
  queued_ = 0;
}

/// Adds ±magnitude·2^position lowest weights.
void ExactSum::add_digits(unsigned __int128 magnitude, bool negative, int position) {
  const int shift = position & 31;
  const int low = position >> 5;
  first_ = std::min(first_, low);
  const std::int64_t sign = negative ? -1 : 0;
  const auto signed_piece = [sign](std::uint64_t piece) { return (static_cast<std::int64_t>(piece) ^ sign) - sign; };
  std::uint64_t carry = 0;
  for (int k = 0; k < 4; ++k) {
    const std::uint64_t piece = (std::uint64_t{static_cast<std::uint32_t>(magnitude >> (32 * k))} << shift) + carry;
    digits_[low + k] += signed_piece(piece & kDigitMask);
    carry = piece >> 32;
  }
  digits_[low + 4] += signed_piece(carry);
  last_ = std::max(last_, low + 4);
  if (++pending_ == kMaxPending) propagate();
}

void ExactSum::accumulate(const Term& term) {
  if (!std::isfinite(term.a) || !std::isfinite(term.b)) return add_special(term.a * term.b);
  const Scaled a = scaled(term.a), b = scaled(term.b);
  const unsigned __int128 product = static_cast<unsigned __int128>(a.significand) * b.significand;
  if (product == 0) return;  // its exponent would only widen [first_, last_]
  add_digits(product, a.negative != b.negative, a.exponent + b.exponent - kLowest);
}

void ExactSum::add_scaled(double a, double b, int exponent) {
  const Scaled x = scaled(a), y = scaled(b);
  const unsigned __int128 product = static_cast<unsigned __int128>(x.significand) * y.significand;
  if (product != 0) add_digits(product, x.negative != y.negative, x.exponent + y.exponent + exponent - kLowest);
}

void ExactSum::add_multiple(ExactSum& terms, double factor, int exponent) {
  terms.sign();  // makes its digits definite
  const Scaled f = scaled(factor);
  for (int i = terms.first_; i <= terms.last_; ++i) {
    const std::int64_t digit = terms.digits_[i];
    auto product = static_cast<unsigned __int128>(f.significand) * static_cast<std::uint64_t>(std::abs(digit));
    int position = f.exponent + exponent + 32 * i;
    if (position < 0) {
      product = position <= -128 ? 0 : product >> -position;
      position = 0;
    }
    if (product != 0) add_digits(product, f.negative != (digit < 0), position);
  }
}

void ExactSum::add_special(double product) {
  if (std::isnan(product))
    nan_ = true;
  else
    (product > 0 ? plus_infinity_ : minus_infinity_) = true;
}

/// Afterwards every digit is in [0, 2^32), except that the top one carries the sign and is in [-2^32, 2^32).
void ExactSum::propagate() {
  pending_ = 0;
  if (first_ > last_) return;
  std::int64_t carry = 0;
  for (int i = first_; i < last_; ++i) {
    const std::int64_t digit = digits_[i] + carry;
    carry = digit >> 32;
    digits_[i] = digit & kDigitMask;
  }
  digits_[last_] += carry;
  const std::int64_t beyond = digits_[last_] >> 32;
  if (beyond == 0 || beyond == -1) return;
  digits_[last_] &= kDigitMask;
  digits_[++last_] = beyond;
}

void ExactSum::negate() {
  for (int i = first_; i <= last_; ++i) digits_[i] = -digits_[i];
  propagate();
}

/// Of propagated digits: the top one outweighs all others unless it is zero.
int ExactSum::sign_of_digits() const {
  if (first_ > last_) return 0;
  if (digits_[last_] < 0) return -1;
  return std::any_of(&digits_[first_], &digits_[last_] + 1, [](std::int64_t digit) { return digit != 0; }) ? 1 : 0;
}

int ExactSum::sign() {
  flush();
  if (nan_) return 0;
  if (!finite()) return int{plus_infinity_} - int{minus_infinity_};
  propagate();
  return sign_of_digits();
}

bool ExactSum::is_finite() {
  flush();
  return finite();
}

int ExactSum::exponent() {
  sign();  // propagates
  return leading().exponent + 63;
}

/// Of a sum that is propagated and not zero.
ExactSum::Leading ExactSum::leading() {
  const bool negative = sign_of_digits() < 0;
  if (negative) negate();
  const auto digit = [this](int i) { return i >= first_ ? static_cast<std::uint64_t>(digits_[i]) : 0; };
  int top = last_;
  while (digits_[top] == 0) --top;
  const int lead = std::countl_zero(static_cast<std::uint32_t>(digit(top)));
  std::uint64_t significand = (digit(top) << 32 | digit(top - 1)) << lead | digit(top - 2) >> (32 - lead);
  bool sticky = static_cast<std::uint32_t>(digit(top - 2) << lead) != 0;
  for (int i = top - 3; i >= first_ && !sticky; --i) sticky = digits_[i] != 0;
  if (sticky) significand |= 1;
  if (negative) negate();
  return {negative, significand, 32 * (top - 1) - lead + kLowest};
}

template <class T>
T ExactSum::round() {
  const int s = sign();
  if (nan_ || (plus_infinity_ && minus_infinity_)) return quiet_nan<T>();
  if (!finite()) return infinity<T>(minus_infinity_);
  if (s == 0) return from_bits<T>(0);
  const Leading bits = leading();
  return encode<T>(bits.negative, bits.significand, bits.exponent);
}

template Half ExactSum::round<Half>();
template BFloat16 ExactSum::round<BFloat16>();
template float ExactSum::round<float>();
template double ExactSum::round<double>();

void ExactSum::clear() {
  if (first_ <= last_) std::fill(&digits_[first_], &digits_[last_] + 1, 0);
  first_ = kDigits;
  last_ = -1;
  pending_ = queued_ = 0;
  nan_ = plus_infinity_ = minus_infinity_ = false;
}

}  // namespace opref::exact
