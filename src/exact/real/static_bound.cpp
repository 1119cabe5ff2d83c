// SPDX-License-Identifier: Apache-2.0
#include "exact/real/static_bound.h"

#include <algorithm>

namespace opref::exact {
namespace {

using bounded::kSteep;
using bounded::least;
using bounded::most;

constexpr double kUnit = 0x1p-53;

bool is_exact(const StaticBound& a) { return a.rel == 0 && a.abs == 0 && a.limit == kInfinity; }
bool is_zero(const StaticBound& a) { return a.lo == 0 && a.hi == 0 && is_exact(a); }
double greatest_size(const StaticBound& a) { return most(std::abs(a.lo), std::abs(a.hi)); }
double nearest_zero(const StaticBound& a) { return a.lo > 0 ? a.lo : a.hi < 0 ? -a.hi : 0; }
bool is_power_of_two(const StaticBound& a) {
  int exponent = 0;
  return a.lo == a.hi && std::abs(a.lo) < kInfinity && std::abs(std::frexp(a.lo, &exponent)) == 0.5;
}
int significant_bits(double x) {
  int exponent = 0, bits = 0;
  for (double rest = std::abs(std::frexp(x, &exponent)); rest > 0 && rest < kInfinity; ++bits)
    rest = rest * 2 - std::floor(rest * 2);
  return bits;
}
/// 0 times infinity is 0: what an exact factor inherits.
double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }
double underflow(double smallest) { return smallest < 0x1p-1000 ? 0x1p-1074 : 0; }
/// No longer exact, since v may be NaN though f is a number: no condition is known of it.
StaticBound given_up_elsewhere(const StaticBound& a) {
  StaticBound y = a;
  y.rel = most(a.rel, 0x1p-200), y.is_product = false;
  return y;
}
/// By how much a power's exponent is wrong at most where it is not clamped.
double power_error(const StaticBound& x) { return x.rel * least(greatest_size(x), quick::kClamp + 1) + x.abs; }

}  // namespace

StaticBound::StaticBound(double exact) : StaticBound(exact, exact, exact == 0 ? kInfinity : std::abs(exact)) {
  bits = significant_bits(exact);
}
StaticBound::StaticBound(const Bounded& scalar)
    : StaticBound(scalar.v - scalar.e, scalar.v + scalar.e, (std::abs(scalar.v) - scalar.e) / 2) {
  const double size = std::abs(scalar.v);
  if (scalar.e == 0)
    least = size == 0 ? kInfinity : size;
  else if (scalar.e <= size * 0x1p-20)
    rel = scalar.e / size * 1.01;
  else
    abs = scalar.e;
}
StaticBound StaticBound::of_whole(const Bounded& n) {
  StaticBound y(n.v);
  y.rel = n.e == 0 ? 0 : kUnit;
  return y;
}
StaticBound StaticBound::any_input() {
  StaticBound x(-0x1p128, 0x1p128, 0x1p-149);
  x.bits = 24, x.is_input = true;
  return x;
}
StaticBound StaticBound::unknown() { return {-kInfinity, kInfinity, 0, kInfinity, kInfinity, 0}; }

StaticBound operator-(const StaticBound& a) {
  StaticBound y = a;
  y.lo = -a.hi, y.hi = -a.lo;
  return y;
}
StaticBound abs(const StaticBound& a) {
  StaticBound y = a;
  y.lo = nearest_zero(a), y.hi = greatest_size(a);
  return y;
}
StaticBound operator+(const StaticBound& a, const StaticBound& b) {
  if (is_zero(a)) return b;
  if (is_zero(b)) return a;
  StaticBound y(a.lo + b.lo, a.hi + b.hi, 0, 0, a.abs + b.abs, least(a.limit, b.limit) / 2);
  if (is_exact(a) && is_exact(b)) {  // multiples of the smaller one's last place
    y.least = least(a.least, b.least) * 0x1p-53, y.rel = kUnit;
    return y;
  }
  if ((a.lo >= 0 && b.lo >= 0) || (a.hi <= 0 && b.hi <= 0)) {
    y.least = least(a.least, b.least), y.rel = most(a.rel, b.rel) + kUnit;
    return y;
  }
  if (y.limit < kInfinity) return StaticBound::unknown();
  const double apart = nearest_zero(y), error = product(a.rel, greatest_size(a)) + product(b.rel, greatest_size(b));
  y.least = apart / 2, y.rel = (apart > 0 ? error / apart : 0) + kUnit, y.abs += apart > 0 ? 0 : error;
  return y;
}
StaticBound operator*(const StaticBound& a, const StaticBound& b) {
  const double corners[] = {product(a.lo, b.lo), product(a.lo, b.hi), product(a.hi, b.lo), product(a.hi, b.hi)};
  StaticBound y(corners[0], corners[0], a.least * b.least);
  for (const double corner : corners) y.lo = least(y.lo, corner), y.hi = most(y.hi, corner);
  y.bits = a.bits + b.bits;
  y.rel = a.rel + b.rel + (is_power_of_two(a) || is_power_of_two(b) || y.bits <= 53 ? 0 : kUnit);
  const double inherited = product(a.abs, greatest_size(b)) + product(b.abs, greatest_size(a)) + product(a.abs, b.abs);
  y.abs = inherited * 2 + underflow(y.least);
  const auto of_limit = [](const StaticBound& limited, const StaticBound& other) {
    return limited.limit < kInfinity ? product(limited.limit, nearest_zero(other)) : kInfinity;
  };
  y.limit = least(of_limit(a, b), of_limit(b, a)) / 2;
  y.is_product = is_exact(a) && is_exact(b) && y.abs == 0;
  return y;
}
StaticBound square(const StaticBound& a) {
  StaticBound y = a * a;
  y.lo = nearest_zero(a) * nearest_zero(a), y.hi = greatest_size(a) * greatest_size(a);
  return y;
}
StaticBound operator/(const StaticBound& a, const StaticBound& b) {
  const double apart = nearest_zero(b), greatest = apart > 0 ? greatest_size(a) / apart : kInfinity;
  const bool is_limited = b.limit < kInfinity, positive = a.lo >= 0 && b.lo >= 0;
  if ((a.limit < kInfinity && is_limited) || (apart == 0 && (a.abs > 0 || b.abs > 0)) || b.abs > apart * kSteep)
    return StaticBound::unknown();
  StaticBound y(positive ? 0 : -greatest, greatest, a.least / (is_limited ? 0x1p1000 : greatest_size(b) * 2));
  if (apart > 0 && positive) y.lo = a.lo / b.hi;
  y.rel = a.rel + b.rel + (is_power_of_two(b) ? 0 : kUnit);
  y.abs = underflow(y.least) + (apart > 0 ? (a.abs / apart + product(b.abs, greatest / apart)) * 2 : 0) +
          (is_limited ? greatest_size(a) / b.limit * 2 : 0);
  y.limit = a.limit < kInfinity ? a.limit / greatest_size(b) / 2 : kInfinity;
  return y;
}
StaticBound operator/(const StaticBound& a, const Bounded& scalar) {
  StaticBound y = a / StaticBound(scalar);
  y.rel += kUnit;  // by the reciprocal
  return y;
}
StaticBound sqrt(const StaticBound& a) {
  if (a.abs > 0 || a.limit < kInfinity || a.rel > kSteep) return StaticBound::unknown();
  return {0, most(a.hi, 1), least(a.least, 1), a.rel * 0.51 + kUnit};
}
StaticBound join(const StaticBound& a, const StaticBound& b) {
  StaticBound y(least(a.lo, b.lo), most(a.hi, b.hi), least(a.least, b.least), most(a.rel, b.rel), most(a.abs, b.abs),
                least(a.limit, b.limit));
  y.bits = std::max(a.bits, b.bits);
  return y;
}
// The greater one of what is computed differs from the greater number by no more than one of them does.
StaticBound max(const StaticBound& a, const StaticBound& b) {
  StaticBound y = join(a, b);
  y.lo = most(a.lo, b.lo);
  return y;
}
StaticBound min(const StaticBound& a, const StaticBound& b) { return -max(-a, -b); }
StaticBound pi(const StaticBound&) { return {3, 4, 3, kUnit}; }
StaticLess operator<(const StaticBound& a, const StaticBound& b) {
  return {(is_exact(a) && is_exact(b)) || (a.is_product && is_zero(b)) || (is_zero(a) && b.is_product)};
}
StaticBound nonnegative(const StaticBound& a) {
  StaticBound y = given_up_elsewhere(a);
  y.lo = most(a.lo, 0);
  return a.abs > 0 ? StaticBound::unknown() : y;
}
StaticBound at_most(const StaticBound& a, double greatest) {
  StaticBound y = given_up_elsewhere(a);
  y.hi = least(a.hi, greatest);
  return a.abs > 0 ? StaticBound::unknown() : y;
}
StaticBound odd(const StaticBound&, const StaticBound& of_abs) {
  StaticBound y = of_abs;
  y.lo = -greatest_size(of_abs), y.hi = greatest_size(of_abs);
  y.is_input = y.is_product = false;
  return y;
}

// A power's exponent may be wrong by 2^-20.
StaticBound exp(const StaticBound& x) {
  const double e = power_error(x);
  if (!(e <= 0x1p-20) || x.limit < kInfinity) return StaticBound::unknown();
  return {0,
          x.hi <= 0 ? 1 : 0x1p506,
          0x1p-506,
          quick::kExpError + e * 1.01,
          x.lo < 1 - quick::kClamp ? 0x1p-503 : 0,
          x.hi > quick::kClamp - 1 ? 0x1p502 : kInfinity};
}
StaticBound expm1(const StaticBound& x) {  // x·e^x/(e^x - 1) <= 1 + max(x, 0)
  if (!(power_error(x) <= 0x1p-20) || x.limit < kInfinity || (x.abs > 0 && x.hi > 0)) return StaticBound::unknown();
  const double steep = 1 + most(least(x.hi, quick::kClamp + 1), 0);
  return {x.lo >= 0 ? 0.0 : -1.0, x.hi <= 0 ? 0 : 0x1p506,
          least(x.least, 1) / 4,  quick::kExpm1Error + product(steep * 1.01, x.rel),
          x.abs * 1.01,           x.hi > quick::kClamp - 1 ? 0x1p502 : kInfinity};
}
StaticBound log(const StaticBound& x) {
  if (!is_exact(x) && (x.lo < 2 || x.abs > 0 || x.limit < kInfinity)) return StaticBound::unknown();
  return {x.lo >= 1 ? 0.0 : -746.0, 746, 0x1p-54, quick::kLogError + x.rel * 1.5};
}
StaticBound log1p(const StaticBound& x) {  // x/((1 + x)·log1p x) <= 1 for x >= 0
  if (!is_exact(x) && (x.lo < 0 || x.limit < kInfinity)) return StaticBound::unknown();
  return {x.lo >= 0 ? 0.0 : -746.0, 746, least(x.least, 1) / 4, quick::kLogError + x.rel * 1.01, x.abs};
}
StaticBound sin(const StaticBound& x) {
  return x.is_input ? StaticBound(-1, 1, x.least / 4, quick::kSinError) : StaticBound::unknown();
}
StaticBound cos(const StaticBound& x) {
  return x.is_input ? StaticBound(-1, 1, 0x1p-41, quick::kSinError) : StaticBound::unknown();
}
StaticBound atan(const StaticBound& x) {  // x/((1 + x²)·arctan x) <= 1
  if (x.limit < kInfinity) return StaticBound::unknown();
  return {x.lo >= 0 ? 0.0 : -2.0, 2, least(x.least, 1) / 4, quick::kAtanError + x.rel * 1.01, x.abs};
}
StaticBound erfc(const StaticBound& x) {  // -x·erfc'(x)/erfc x <= 2x² + 1
  constexpr double kSteepest = 2 * quick::kErfcMost * quick::kErfcMost + 3;
  if (!(x.rel <= 0x1p-30) || x.abs > 0 || x.limit < kInfinity) return StaticBound::unknown();
  return {0, 2, 0x1p-520, quick::kErfcError + x.rel * kSteepest * 1.01, 0x1p-503};
}
StaticBound erf(const StaticBound& x) {  // x·erf'(x)/erf x <= 1
  if (!(x.rel <= 0x1p-30) || x.abs > 0 || x.limit < kInfinity) return StaticBound::unknown();
  return {-1, 1, least(x.least, 1) / 4, quick::kErfError + x.rel * 1.01};
}
StaticBound pow(const StaticBound& x, const StaticBound& y) {
  const StaticBound size = exp(y * log(abs(x)));
  return is_exact(x) && is_exact(y) ? join(size, -size) : StaticBound::unknown();
}

// 1.02 pays for the roundings of the bound and for |f| against |v|, 2^-51 for those of v ± scale·v and for abs.
double quick_scale(const StaticBound& y) {
  const bool is_good = y.rel <= 0x1p-34 && y.abs <= 0x1p-215 && y.limit >= 0x1p200;
  return is_good ? y.rel * 1.02 + 0x1p-51 : kInfinity;
}

}  // namespace opref::exact
