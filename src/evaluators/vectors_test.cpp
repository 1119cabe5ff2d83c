// SPDX-License-Identifier: Apache-2.0
// Bounds of vectors against the same formulas in 600 bits: each is above the error, and where the arguments are wrong
// by just what is given, nearly reached.
#include "evaluators/traced.h"

#include <catch2/catch.hpp>

#include "evaluators/recurrences.h"
#include "exact/real/function_oracle_testing.h"

namespace opref::evaluators {
namespace {

using exact::oracle::Random;
using exact::oracle::Wide;

Wide tanh(const Wide& a) { return Wide::of(mpfr_tanh, a); }
Wide sigmoid(const Wide& a) { return Wide(1) / (Wide(1) + Wide::of(mpfr_exp, -a)); }
Wide clipped(const Wide& a) { return Wide(0.5) < a ? Wide(0.5) : a < Wide(-0.5) ? Wide(-0.5) : a; }
double up(const Wide& a) { return std::abs(mpfr_get_d(a.number(), MPFR_RNDA)); }
using Wides = std::vector<Wide>;

Wides operator+(Wides a, const Wides& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] = a[i] + b[i];
  return a;
}
Wides operator-(Wides a, const Wides& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] = a[i] - b[i];
  return a;
}
Wides operator*(Wides a, const Wides& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] = a[i] * b[i];
  return a;
}
template <class F>
Wides each(const F& f, Wides a) {
  for (Wide& x : a) x = f(x);
  return a;
}
Wides gate(const Wides& a) {
  return each([](const Wide& x) { return sigmoid(x); }, a);
}
Wides candidate(const Wides& a) {
  return each([](const Wide& x) { return tanh(x); }, a);
}
Wides cut(const Wides& a) {
  return each([](const Wide& x) { return clipped(x); }, a);
}
template <class V>
V gate(const V& a) {
  using R = typename V::Number;
  return smooth([](const R& x) { return R(1.0) / (R(1.0) + exp(-x)); }, a, [](double y) { return y * (1 - y); },
                0.0963);
}
template <class V>
V candidate(const V& a) {
  return smooth([](const auto& x) { return tanh(x); }, a, [](double y) { return (1 - y) * (1 + y); }, 0.7699);
}
template <class V>
V cut(const V& a) {
  using R = typename V::Number;
  return bent([](const R& x) { return min(R(0.5), max(R(-0.5), x)); }, a, {{-0.5, 0.5}, {0, 1, 0}});
}

Wides product(const Weights& w, const Wides& x) {
  Wides y(w.rows(), Wide(0));
  for (size_t i = 0; i < w.rows(); ++i)
    for (size_t k = 0; k < w.columns(); ++k) y[i] = y[i] + x[k] * Wide(w.elements().number(w.at(i, k)));
  return y;
}

struct Layer {
  size_t units, steps, gates;
  bool cuts;
  std::vector<double> x, h, c;   ///< x: what is added to each gate of each step
  std::vector<Weights> weights;  ///< of each gate
};
std::vector<double> part(const std::vector<double>& x, size_t at, size_t n) {
  return {x.begin() + static_cast<std::ptrdiff_t>(at), x.begin() + static_cast<std::ptrdiff_t>(at + n)};
}
/// Each with what it is wrong by.
template <class V>
struct Make;
template <>
struct Make<Vector<Bounded>> {
  static Vector<Bounded> of(const std::vector<double>& x, double e) {
    Vector<Bounded> y(x.size());
    for (size_t i = 0; i < x.size(); ++i) y.at().set(i, {x[i], e});
    return y;
  }
};
template <>
struct Make<Vector<Paired>> {
  static Vector<Paired> of(const std::vector<double>& x, double e) {
    Vector<Paired> y(x.size());
    for (size_t i = 0; i < x.size(); ++i) y.at().set(i, {x[i], 0, e});
    return y;
  }
};
template <>
struct Make<Traced> {
  static Traced of(const std::vector<double>& x, double e) { return Traced(Make<Vector<Paired>>::of(x, e)); }
};
struct Nothing {
  template <class... X>
  Nothing(const X&...) {}
  template <class... X>
  void next(X&...) {}
};

/// An LSTM of four gates, a GRU of three. put(step, H) hears each state.
template <class V, class S, class Reader, class Start, class Put>
void run(const Layer& l, const Reader& x, const Start& start, const Put& put) {
  V H = start(l.h), C = start(l.c);
  S states = l.gates == 4 ? S(x, H, C) : S(x, H);
  for (size_t step = 0; step < l.steps; ++step) {
    const auto input = [&](size_t k) { return start(part(l.x, (step * l.gates + k) * l.units, l.units), 0.0); };
    const auto of = [&](size_t k, const V& state) {
      const V s = product(l.weights[k], state) + input(k);
      return l.cuts ? cut(s) : s;
    };
    if (l.gates == 4) {
      V next_C = gate(of(0, H)) * C + gate(of(1, H)) * candidate(of(2, H));
      V next_H = gate(of(3, H)) * candidate(next_C);
      states.next(next_H, next_C);
      H = next_H, C = next_C;
    } else {
      const V z = gate(of(0, H)), r = gate(of(1, H)), h = candidate(of(2, r * H));
      V next = (h - z * h) + z * H;
      states.next(next);
      H = next;
    }
    put(step, H);
  }
}
Wide value(const Vector<Bounded>& x, size_t i) { return Wide(x.v[i]); }
Wide value(const Vector<Paired>& x, size_t i) { return Wide(x.h[i]) + Wide(x.l[i]); }
template <class V>
const auto& plain(const V& x) {
  if constexpr (std::is_same_v<V, Traced>)
    return x.y;
  else
    return x;
}
struct Seen {
  double worst = 0, bound = 0;  ///< error/bound; the greatest bound of the last step
};
template <class V>
Seen seen(const Layer& l, double blur, const std::vector<Wides>& truth, const Tracing& tracing = {}) {
  Seen result;
  Tier tier{.tracing = tracing};
  const auto start = [&](const std::vector<double>& x, std::optional<double> e = {}) {
    return Make<V>::of(x, e.value_or(blur));
  };
  run<V, States<V>>(l, VectorReader<V>(tier), start, [&](size_t step, const V& H) {
    const auto& y = plain(H);
    for (size_t i = 0; i < l.units; ++i) {
      if (step + 1 == l.steps) result.bound = std::max(result.bound, y.e[i]);
      if (!(y.e[i] < 1)) continue;
      const double error = up(truth[step][i] - value(y, i));
      result.worst = std::max(result.worst, error / (y.e[i] * 1.01 + 1e-300));
    }
  });
  return result;
}
Tensor random_weights(Random& random, size_t n, double scale) {
  TensorBuilder x(TensorType{DType::float32, {static_cast<std::int64_t>(n)}});
  for (float& w : x.values<float>()) w = static_cast<float>(random.normal() * scale);
  return std::move(x).finish();
}

}  // namespace

TEST_CASE("vectors: bounds of recurrences hold, and are nearly reached", "[real][vectors]") {
  Random random(5);
  double worst[3] = {};
  for (const double blur : {0.0, 0x1p-60, 0x1p-30, 0x1p-18})
    for (const double scale : {0.3, 1.0, 2.5})
      for (const size_t gates : {4U, 3U}) {
        const size_t n = random.one_in(2) ? 8 : 11, steps = 20;
        const Tensor weights = random_weights(random, gates * n * n, scale / std::sqrt(static_cast<double>(n)));
        Layer l{n, steps, gates, random.one_in(3), {}, {}, {}, {}};
        for (size_t i = 0; i < steps * gates * n; ++i) l.x.push_back(static_cast<float>(random.normal()));
        for (size_t i = 0; i < n; ++i) l.h.push_back(0.5 * random.normal()), l.c.push_back(random.normal());
        for (size_t k = 0; k < gates; ++k)
          l.weights.emplace_back(Elements(weights), static_cast<std::int64_t>(k * n * n), n, n,
                                 static_cast<std::int64_t>(n), 1);
        const auto off = [&](const std::vector<double>& x, std::optional<double> e = {}) {
          Wides y(x.begin(), x.end());
          for (Wide& v : y) v = v + Wide(e.value_or(random.one_in(2) ? blur : -blur));
          return y;
        };
        std::vector<Wides> truth(steps);
        run<Wides, Nothing>(l, 0, off, [&](size_t step, const Wides& H) { truth[step] = H; });
        const Seen of[] = {seen<Vector<Bounded>>(l, blur, truth), seen<Vector<Paired>>(l, blur, truth),
                           seen<Traced>(l, blur, truth, {blur == 0 ? 4 : 2, random.in(0, 2)})};
        for (int k = 0; k < 3; ++k) worst[k] = std::max(worst[k], of[k].worst);
        CHECK(of[2].bound <= of[1].bound);
        if (scale < 0.5) CHECK(of[2].bound < (blur == 0 ? 0x1p-90 : blur));  // the true error shrinks
      }
  for (const double w : worst) {
    CHECK(w <= 1);
    CHECK(w > 0.9);
  }
}

TEST_CASE("vectors: products of one huge weight and a remainder", "[real][vectors]") {
  Random random(6);
  double worst[2] = {};
  for (int i = 0; i < 300; ++i) {
    const auto n = static_cast<size_t>(random.in(1, 90));
    const double tiny = random.one_in(4) ? 0x1p-145 : 1;
    const DType dtype = random.one_in(2) ? DType::float32 : DType::float64;
    TensorBuilder builder(TensorType{dtype, {static_cast<std::int64_t>(n)}});
    const size_t huge = static_cast<size_t>(random.in(0, static_cast<std::int64_t>(n) - 1));
    const auto weight = [&](size_t k) { return random.normal() * (k == huge ? 0x1p60 : 1) * tiny; };
    with_float(dtype, [&]<class T>(T) {
      size_t k = 0;
      if constexpr (std::is_floating_point_v<T>)
        for (T& w : builder.values<T>()) w = static_cast<T>(weight(k++));
    });
    const Tensor tensor = std::move(builder).finish();
    const Weights w(Elements(tensor), 0, 1, n, 0, 1);
    Vector<Bounded> a(n);
    Vector<Paired> b(n);
    Wides x_a(n, Wide(0)), x_b(n, Wide(0));
    for (size_t k = 0; k < n; ++k) {
      const double h = random.normal() * (random.one_in(8) ? 0x1p-900 : 1), l = h * 0x1p-54 * random.normal() * 0.3;
      const double e = random.one_in(2) ? 0 : std::abs(h) * 0x1p-70;
      const Pair normal = exact::two_sum(h, l);
      a.at().set(k, {h, e}), b.at().set(k, {normal, e});
      x_a[k] = Wide(h) + Wide(random.one_in(2) ? e : -e), x_b[k] = Wide(h) + Wide(l) + Wide(random.one_in(2) ? e : -e);
    }
    const Vector<Bounded> y_a = product(w, a);
    const Vector<Paired> y_b = product(w, b);
    worst[0] = std::max(worst[0], up(product(w, x_a)[0] - value(y_a, 0)) / y_a.e[0]);
    worst[1] = std::max(worst[1], up(product(w, x_b)[0] - value(y_b, 0)) / y_b.e[0]);
  }
  CHECK((worst[0] <= 1 && worst[1] <= 1));
  CHECK((worst[0] > 0.01 && worst[1] > 0.2));
}

TEST_CASE("vectors: zeros are exact, and nothing is known of what overflows", "[real][vectors]") {
  TensorBuilder builder(TensorType{DType::float32, {4}});
  const std::span<float> numbers = builder.values<float>();
  numbers[0] = 0, numbers[1] = 0x1p127F, numbers[2] = HUGE_VALF, numbers[3] = 0x1p-149F;
  const Tensor tensor = std::move(builder).finish();
  const auto of = [&](std::int64_t weight, double x) {
    const Weights w(Elements(tensor), weight, 1, 1, 1, 1);
    const Vector<Bounded> a = product(w, Make<Vector<Bounded>>::of({x}, 0));
    const Vector<Paired> b = product(w, Make<Vector<Paired>>::of({x}, 0));
    CHECK((a.e[0] == 0) == (b.e[0] == 0));
    CHECK(std::isfinite(a.e[0]) == std::isfinite(b.e[0]));
    return a.e[0];
  };
  CHECK(of(0, 1) == 0);
  CHECK(of(1, 0) == 0);
  CHECK(!std::isfinite(of(1, 0x1p1000)));
  CHECK(!std::isfinite(of(2, 1)));
  CHECK(!std::isfinite(of(2, 0)));
  const double lost = of(3, 0x1p-1000);
  CHECK((lost > 0 && lost < 0x1p-800));  // of 2^-1149
}

}  // namespace opref::evaluators
