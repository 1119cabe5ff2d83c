// SPDX-License-Identifier: Apache-2.0
// For tests: results by rational arithmetic, and inputs that were made to be hard.
#pragma once

#include <gmpxx.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/text.h"
#include "exact/rounding.h"

namespace opref::exact::oracle {

using Rational = mpq_class;
using Products = std::vector<std::pair<double, double>>;

template <class T>
constexpr DType kDType = std::is_same_v<T, Half>       ? DType::float16
                         : std::is_same_v<T, BFloat16> ? DType::bfloat16
                         : std::is_same_v<T, float>    ? DType::float32
                                                       : DType::float64;
template <class T>
using StorageOf = std::conditional_t<std::is_same_v<T, double>, double, float>;

// The oracle. It shares no arithmetic with what it judges: rationals, and a search among the numbers of T.

inline Rational power_of_two(long exponent) {
  mpz_class power = 1;
  power <<= static_cast<mp_bitcnt_t>(std::abs(exponent));
  return exponent >= 0 ? Rational(power) : Rational(1, power);
}

/// The number that bits of T mean, by the definition of the format; infinity's mean the number after the largest.
template <class T>
Rational value_of(std::uint64_t bits) {
  using F = Format<T>;
  const std::uint64_t implicit = std::uint64_t{1} << (F::precision - 1);
  const std::uint64_t field = bits >> (F::precision - 1), fraction = bits & (implicit - 1);
  const Rational place = power_of_two(F::min_exponent - F::precision + 1);
  if (field == 0) return Rational(mpz_class(fraction)) * place;
  return Rational(mpz_class(fraction + implicit)) * place * power_of_two(static_cast<long>(field) - 1);
}

template <class T>
Rational midpoint_after(std::uint64_t bits) {
  return (value_of<T>(bits) + value_of<T>(bits + 1)) / 2;
}

/// Bits of the nearest T to a positive number; compare(q) is the sign of (number - q).
template <class T, class Compare>
std::uint64_t nearest_bits(const Compare& compare) {
  std::uint64_t low = 0, high = infinity_bits<T>;  // low: the largest number that is not above
  while (low < high) {
    const std::uint64_t middle = (low + high + 1) / 2;
    if (compare(value_of<T>(middle)) >= 0)
      low = middle;
    else
      high = middle - 1;
  }
  if (low == infinity_bits<T>) return low;
  const int side = compare(midpoint_after<T>(low));
  return low + (side > 0 || (side == 0 && (low & 1) != 0) ? 1 : 0);
}

template <class T>
std::uint64_t nearest_bits(const Rational& q) {
  if (q == 0) return 0;
  const Rational magnitude = abs(q);
  return nearest_bits<T>([&](const Rational& other) { return cmp(magnitude, other); }) |
         (q < 0 ? std::uint64_t{sign_bit<T>} : 0);
}

template <class T>
std::uint64_t sum_of_products(const Products& products) {
  Rational sum = 0;
  bool nan = false, plus = false, minus = false;
  for (const auto& [a, b] : products) {
    if (std::isfinite(a) && std::isfinite(b))
      sum += Rational(a) * Rational(b);
    else if (std::isnan(a) || std::isnan(b) || a == 0 || b == 0)
      nan = true;
    else
      (std::signbit(a) == std::signbit(b) ? plus : minus) = true;
  }
  if (nan || (plus && minus)) return to_bits(quiet_nan<T>());
  if (plus || minus) return to_bits(infinity<T>(minus));
  return nearest_bits<T>(sum);
}

inline Rational power(const Rational& x, unsigned long p) {
  Rational result;
  mpz_pow_ui(result.get_num_mpz_t(), x.get_num_mpz_t(), p);
  mpz_pow_ui(result.get_den_mpz_t(), x.get_den_mpz_t(), p);
  return result;
}

/// floor(2^kFixed · x^(a/2^b))
constexpr unsigned long kFixed = 3400;
inline mpz_class fixed_power(const Rational& x, unsigned long a, unsigned b) {
  const unsigned long index = 1UL << b;
  const Rational inside = power(x, a);
  mpz_class scaled = inside.get_num() << (kFixed * index);
  scaled /= inside.get_den();
  mpz_class root;
  mpz_root(root.get_mpz_t(), scaled.get_mpz_t(), index);
  return root;
}

/// p = a/2^b
struct Power {
  unsigned long a;
  unsigned b = 0;
  double value() const { return std::ldexp(static_cast<double>(a), -static_cast<int>(b)); }
};

template <class T>
std::uint64_t norm(const std::vector<double>& window, Power p, const Rational& scale) {
  std::vector<Rational> terms;
  bool infinite = false;
  for (const double x : window) {
    if (std::isnan(x)) return to_bits(quiet_nan<T>());
    if (std::isinf(x))
      infinite = true;
    else if (x != 0)
      terms.push_back(abs(Rational(x)));
  }
  if (infinite) return to_bits(infinity<T>(false));
  if (terms.empty()) return 0;
  if (p.b == 0) {
    Rational sum = 0;
    for (const Rational& x : terms) sum += power(x, p.a);
    sum *= scale;
    return nearest_bits<T>([&](const Rational& q) { return cmp(sum, power(q, p.a)); });
  }
  mpz_class sum = 0;
  for (const Rational& x : terms) sum += fixed_power(x, p.a, p.b);
  return nearest_bits<T>([&](const Rational& q) {
    const mpz_class difference = sum * scale.get_num() - fixed_power(q, p.a, p.b) * scale.get_den();
    return mpz_sizeinbase(difference.get_mpz_t(), 2) < 64 ? 0 : sgn(difference);  // closer than 2^-3336: equal
  });
}

// The inputs. Everything random comes from one generator whose sequence the standard fixes.

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t bits() { return engine_(); }
  std::int64_t in(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool one_in(std::int64_t n) { return in(1, n) == 1; }
  double sign() { return one_in(2) ? -1 : 1; }
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(engine_() >> 11) * 0x1p-53;
    return sum;
  }
  template <class V>
  auto of(const V& values) {
    return values[static_cast<size_t>(in(0, static_cast<std::int64_t>(std::size(values)) - 1))];
  }
  template <class V>
  void shuffle(V& values) {
    for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[engine_() % i]);
  }

 private:
  std::mt19937_64 engine_;
};

template <class T>
double number(std::uint64_t bits) {
  return widen(from_bits<T>(static_cast<BitsOf<T>>(bits)));
}
template <class T>
double rounded(double value) {
  return widen(nearest<T>(value));
}

enum class Inputs {
  any,
  finite,
  small_integers,
  integers,
  normal,
  subnormal,
  edges,
  special,
  around_one,
  tiny_products,
  big_products,
  wide
};

template <class T>
double random_number(Random& random, Inputs inputs) {
  using F = Format<T>;
  const std::uint64_t inf = infinity_bits<T>, implicit = std::uint64_t{1} << (F::precision - 1);
  const std::uint64_t sign = random.one_in(2) ? std::uint64_t{sign_bit<T>} : 0, one = to_bits(nearest<T>(1.0));
  const auto power = [&random](std::int64_t most, int exponent) {
    return rounded<T>(std::ldexp(random.sign() * static_cast<double>(random.in(1, most)), exponent));
  };
  switch (inputs) {
    case Inputs::any:
      return number<T>(random.bits());
    case Inputs::finite:
      return number<T>(sign | random.bits() % inf);
    case Inputs::small_integers:
      return rounded<T>(static_cast<double>(random.in(-4, 4)));
    case Inputs::integers:
      return rounded<T>(static_cast<double>(random.in(-300, 300)));
    case Inputs::normal:
      return rounded<T>(random.normal());
    case Inputs::subnormal:
      return number<T>(sign | random.bits() % implicit);
    case Inputs::edges:
      return number<T>(sign | random.of(std::vector<std::uint64_t>{0, 1, 2, implicit - 1, implicit, inf - 1, inf - 2,
                                                                   one, one + 1, one - 1}));
    case Inputs::special:
      return number<T>(random.of(
          std::vector<std::uint64_t>{sign, sign | inf, inf | implicit / 2, sign | one, sign | (inf - 1), sign | 1}));
    case Inputs::around_one:
      return number<T>(sign | (one + static_cast<std::uint64_t>(random.in(-3, 3))));
    case Inputs::tiny_products:  // products around the smallest subnormal
      return power(15, (F::min_exponent - F::precision + 1) / 2 + static_cast<int>(random.in(-3, 3)));
    case Inputs::big_products:
      return power(15, (F::max_exponent + 1) / 2 - 3 - static_cast<int>(random.in(0, 4)));
    case Inputs::wide:
      return power(9,
                   static_cast<int>(random.in(std::max(F::min_exponent / 2, -60), std::min(F::max_exponent / 2, 60))));
  }
  return 0;
}

template <class T>
std::vector<double> random_numbers(Random& random, std::int64_t count, Inputs inputs) {
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(random_number<T>(random, inputs));
  if (random.one_in(10))
    for (double& x : numbers)
      if (random.one_in(2)) x = 0;
  if (random.one_in(20)) numbers[random.bits() % numbers.size()] = random_number<T>(random, Inputs::special);
  return numbers;
}

inline Inputs random_inputs(Random& random) {
  return static_cast<Inputs>(random.in(0, static_cast<int>(Inputs::wide)));
}

/// One place away from zero or towards it, of a finite number.
template <class T>
double beside(double x) {
  return number<T>(to_bits(nearest<T>(x)) ^ 1);
}

template <class T>
Products random_products(Random& random) {
  const std::int64_t count = random.of(std::vector<std::int64_t>{1, 2, 3, 9, 16, 40});
  const Inputs kind = random_inputs(random);
  const auto x = random_numbers<T>(random, count, kind);
  const auto w = random_numbers<T>(random, count, random.one_in(2) ? kind : random_inputs(random));
  Products products;
  for (size_t i = 0; i < x.size(); ++i) products.emplace_back(x[i], w[i]);
  if (random.one_in(3)) {  // terms that cancel, or all but cancel
    for (size_t i = 0; i + 1 < products.size(); i += 2) {
      const auto& [a, b] = products[i];
      products[i + 1] = {a, -(std::isfinite(b) && random.one_in(3) ? beside<T>(b) : b)};
    }
  }
  if (random.one_in(2)) products.emplace_back(random_number<T>(random, random_inputs(random)), 1.0);
  return products;
}

/// Bits of a number whose midpoint to the next one is interesting: mostly of comfortable size.
template <class T>
std::uint64_t tie_bits(Random& random) {
  if (random.one_in(5)) return random.bits() % infinity_bits<T>;
  return to_bits(nearest<T>(random.of(std::vector<double>{1, 3, 10, 1000}))) +
         static_cast<std::uint64_t>(random.in(0, 97));
}

/// Integers of full precision whose products are around 2^53 and do not add exactly; half the time most of them cancel.
template <class T>
Products full_precision_products(Random& random) {
  constexpr int kPrecision = Format<T>::precision;
  const auto full = [&random] {
    const std::uint64_t implicit = std::uint64_t{1} << (kPrecision - 1);
    return static_cast<double>(implicit | random.bits() % implicit | 1);
  };
  const int shift = static_cast<int>(random.in(-8, 4));
  Products products;
  for (std::int64_t n = random.of(std::vector<std::int64_t>{8, 12, 40}); n > 0; --n)
    products.emplace_back(std::ldexp(full(), -kPrecision / 2 + (random.one_in(2) ? shift : 0)),
                          std::ldexp(full(), -kPrecision / 2));
  if (random.one_in(2)) {
    for (size_t i = products.size(); i-- > 1;) products.emplace_back(-products[i].first, products[i].second);
  }
  return products;
}

/// Big, -big, and a remainder at or beside a midpoint.
template <class T>
Products products_beside_tie(Random& random) {
  using F = Format<T>;
  Products products;
  for (std::int64_t n = random.in(1, 6); n > 0; --n) {
    const double a = rounded<T>(std::ldexp(static_cast<double>(random.in(1, 999)), static_cast<int>(random.in(0, 3))));
    const double b = static_cast<double>(random.in(1, 60));
    products.insert(products.end(), {{a, b}, {-a, b}});
  }
  Rational rest = random.one_in(2) ? midpoint_after<T>(tie_bits<T>(random)) : Rational(0);
  for (std::int64_t n = random.in(0, 4); n > 0; --n) {
    const double part = number<T>(nearest_bits<T>(rest));
    if (std::isinf(part)) break;
    products.emplace_back(part, 1.0);
    rest -= Rational(part);
  }
  if (!random.one_in(3)) {
    const int exponent = std::max(F::min_exponent - F::precision + 1, static_cast<int>(random.in(-100, 0)));
    products.emplace_back(std::ldexp(random.sign() * static_cast<double>(random.in(1, 3)), exponent),
                          std::ldexp(1.0, std::max(F::min_exponent, static_cast<int>(random.in(-60, 0)))));
  }
  return products;
}

template <class T>
Products products_for(Random& random) {
  if (random.one_in(2)) return random_products<T>(random);
  Products products = random.one_in(3) ? full_precision_products<T>(random) : products_beside_tie<T>(random);
  random.shuffle(products);
  return products;
}

struct Norm {
  std::vector<double> window;
  Power p;
  std::int64_t scale_to = 0;
};

/// Near the p-th root of q.
inline double root(const Rational& q, unsigned long p) {
  long above = 0, below = 0;
  const double numerator = mpz_get_d_2exp(&above, q.get_num_mpz_t());
  const double denominator = mpz_get_d_2exp(&below, q.get_den_mpz_t());
  const long exponent = above - below, part = exponent / static_cast<long>(p);
  const auto rest = static_cast<int>(exponent - part * static_cast<long>(p));
  return std::ldexp(std::pow(std::ldexp(numerator / denominator, rest), 1.0 / static_cast<double>(p)),
                    static_cast<int>(part));
}

/// A greedy expansion Σx^p of the p-th power of a midpoint: the terms agree with it to 2^-60, at times to 2^-150. A
/// term adds nearly as many bits to the agreement as T has.
template <class T>
Norm norm_beside_tie(Random& random) {
  const unsigned long p = random.of(std::vector<unsigned long>{1, 2, 2, 3, 3, 4, 5});
  Rational rest = power(midpoint_after<T>(tie_bits<T>(random)), p);
  std::vector<std::uint64_t> bits;
  const std::int64_t equal = random.in(0, 4);  // so many terms of nearly the same size come first
  const std::int64_t count = equal + random.in(2, 6 + 150 / Format<T>::precision);
  for (std::int64_t i = 0; i < count && rest > 0; ++i) {
    const Rational part = i < equal ? Rational(rest / (equal + 1 - i)) : rest;
    std::uint64_t u = std::min<std::uint64_t>(to_bits(nearest<T>(root(part, p))), infinity_bits<T> - 1);
    while (u > 0 && power(value_of<T>(u), p) > part) --u;
    bits.push_back(u);
    rest -= power(value_of<T>(u), p);
  }
  if (random.one_in(2)) bits.back() = std::min<std::uint64_t>(bits.back() + 1, infinity_bits<T> - 1);
  if (random.one_in(2)) random.shuffle(bits);
  Norm norm{{}, {p}};
  for (const std::uint64_t u : bits) norm.window.push_back(random.sign() * number<T>(u));
  return norm;
}

/// Numbers of full precision whose norm is an integer of one more bit: a tie that no other type can represent.
template <class T>
Norm norm_at_tie(Random& random) {
  struct Coincidence {
    std::vector<std::int64_t> terms;
    unsigned long p;
    std::int64_t root;
  };
  const auto coincidence = random.of(std::vector<Coincidence>{{{3, 4}, 2, 5}, {{2, 3, 6}, 2, 7}, {{1, 6, 8}, 3, 9}});
  const std::int64_t least = (std::int64_t{1} << Format<T>::precision) / coincidence.root + 1;
  const std::int64_t factor = random.in(least, least + least / 2) | 1;
  Norm norm{{}, {coincidence.p}};
  for (const std::int64_t term : coincidence.terms)
    norm.window.push_back(random.sign() * std::ldexp(static_cast<double>(term * factor), -Format<T>::precision));
  if (random.one_in(2)) norm.window.push_back(number<T>(random.one_in(2) ? 0 : 1));
  return norm;
}

/// Integers with a mean that often is a tie.
template <class T>
Norm mean_at_tie(Random& random) {
  Norm norm{{}, {1}, random.in(1, 20)};
  const auto least = std::int64_t{1} << Format<T>::precision;
  for (std::int64_t n = random.in(2, 13); n > 0; --n)
    norm.window.push_back(static_cast<double>(least + 2 * random.in(0, 20)));
  return norm;
}

template <class T>
Norm norm_for(Random& random) {
  if (random.one_in(3)) return norm_beside_tie<T>(random);
  if (random.one_in(8)) return norm_at_tie<T>(random);
  const std::int64_t count = random.in(1, 12);
  Norm norm{random_numbers<T>(random, count, random_inputs(random)),
            {random.of(std::vector<unsigned long>{1, 1, 2, 2, 2, 3, 3, 4, 5, 7, 13, 40})}};
  if (random.one_in(6)) {
    norm.p = random.of(std::vector<Power>{{1, 1}, {3, 1}, {5, 1}, {3, 2}, {9, 3}, {37, 4}});
    if (!random.one_in(3)) std::fill(norm.window.begin(), norm.window.end(), norm.window[0]);
  }
  if (random.one_in(5)) {  // coincidences of squares and cubes, scaled
    const auto base = random.of(std::vector<std::vector<double>>{
        {3, 4, 0}, {5, 12, 0}, {3, 4, 5}, {1, 6, 8}, {8, 15, 0}, {7, 24, 0}, {20, 21, 0}, {119, 120, 0}, {2, 3, 6}});
    const auto exponent = static_cast<int>(random.in(std::max(Format<T>::min_exponent, -30), 8));
    for (double& x : norm.window) x = rounded<T>(std::ldexp(random.of(base), exponent));
  }
  if (random.one_in(5)) norm.scale_to = count + random.in(0, 6);
  return norm;
}

inline std::string described(const Products& products) {
  std::string text;
  for (const auto& [a, b] : products) text += format("({}, {}) ", a, b);
  return text;
}

}  // namespace opref::exact::oracle
