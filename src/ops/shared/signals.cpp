// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/signals.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.h"
#include "core/nearly.h"
#include "evaluators/nothing.h"
#include "exact/real/turns.h"
#include "exact/rounding.h"
#include "ops/shared/parameters.h"
namespace opref::ops {
namespace {
// cos(2πe/M), e <= M/4: exact where it is 0, 1 or 1/2.
exact::Interval cosine(std::int64_t e, std::int64_t M) {
  using exact::Interval;
  if (4 * e == M) return Interval(0.0);
  if (6 * e == M) return Interval(0.5);
  const Interval one(1.0);
  return e == 0 ? one : cos(Interval(2.0) * pi(one) * Interval::whole(e) / Interval::whole(M));
}

/// cos(2πe/M) for e < M, all of them by those of the first quarter; M is a multiple of 4.
std::vector<exact::Interval> table(std::int64_t M) {
  std::vector<exact::Interval> all;
  all.reserve(static_cast<size_t>(M));
  const auto at = [&](std::int64_t e) { return all[static_cast<size_t>(e)]; };
  for (std::int64_t e = 0; e <= M / 4; ++e) all.push_back(cosine(e, M));
  for (std::int64_t e = M / 4 + 1; e <= M / 2; ++e) all.push_back(-at(M / 2 - e));
  for (std::int64_t e = M / 2 + 1; e < M; ++e) all.push_back(at(M - e));
  return all;
}

/// Places and what stands there, in order, none of it zero.
using Terms = std::vector<std::pair<std::int64_t, Rational>>;

Terms difference(const Terms& a, const Terms& b) {
  Terms y;
  y.reserve(a.size() + b.size());
  for (auto i = a.begin(), j = b.begin(); i != a.end() || j != b.end();)
    if (j == b.end() || (i != a.end() && i->first < j->first)) {
      y.push_back(*i++);
    } else if (i == a.end() || j->first < i->first) {
      y.emplace_back(j->first, -j->second), ++j;
    } else {
      if (const Rational c = i->second - j->second; c != Rational(0)) y.emplace_back(i->first, c);
      ++i, ++j;
    }
  return y;
}

/// Each at its place plus `step`, modulo M.
Terms turned(const Terms& a, std::int64_t step, std::int64_t M) {
  Terms y;
  y.reserve(a.size());
  const auto first = std::ranges::lower_bound(a, M - step, {}, &Terms::value_type::first);
  for (auto i = first; i != a.end(); ++i) y.emplace_back(i->first + step - M, i->second);
  for (auto i = a.begin(); i != first; ++i) y.emplace_back(i->first + step, i->second);
  return y;
}
}  // namespace
Turns::Turns(std::int64_t N, std::int64_t points)
    : N_(N), M_(checked_multiply(N, 4 / std::gcd<std::int64_t>(N, 4))), points_(std::max(N, points)) {
  constexpr std::int64_t kMost = std::int64_t{1} << 20;
  if (N > kMost) fail(Fault::unsupported, "a transform of length {}, more than {}", N, kMost);
  std::int64_t rest = M_;
  for (std::int64_t p = 2; p * p <= rest; ++p)
    if (rest % p == 0) {
      primes_.push_back(p);
      while (rest % p == 0) rest /= p;
    }
  if (rest > 1) primes_.push_back(rest);
}

const std::vector<exact::Bounded>& Turns::near() const {
  std::call_once(tables_->once, [&] {
    const exact::TurnTable turns(M_);
    for (std::int64_t e = 0; e < M_; ++e) {
      const auto [h, l] = turns.cosine(e);
      tables_->near.emplace_back(h, l == 0 ? 0 : std::abs(h) * 0x1p-52);
    }
  });
  return tables_->near;
}

const std::vector<exact::Faithful>& Turns::computed() const {
  std::vector<Faithful>& all = tables_->computed;
  if (!all.empty()) return all;
  const exact::TurnTable turns(M_);
  const double u = Faithful::kernel.unit_roundoff(),
               stages = nearly(2 + std::bit_width(static_cast<std::uint64_t>(points_ - 1)));
  for (std::int64_t e = 0; e < M_; ++e) {
    const Faithful turn = Faithful(2.0) * pi(Faithful(0.0)) * Faithful::whole(e) / Faithful::whole(M_);
    if (Faithful::simulated != nullptr) {
      all.push_back(cos(turn));
      continue;
    }
    const auto [h, l] = turns.cosine(e);
    // A complex product makes a part wrong by √2 of the turn's own error and 4 roundings, at most.
    constexpr double kParts = 1.5, kRoundings = 4;
    all.emplace_back(h, l, stages * (kParts * cos(turn).error() + kRoundings * u));
  }
  return all;
}

const std::vector<exact::Interval>& Turns::intervals() const {
  const std::lock_guard lock(tables_->mutex);
  const auto known = tables_->of.find(exact::Interval::precision);
  if (known != tables_->of.end()) return known->second;
  return tables_->of.emplace(exact::Interval::precision, table(M_)).first->second;
}

// The mean of the conjugates of cos(2πe/M) is μ(d)/φ(d), d = M/gcd(e, M).
Rational Turns::mean(const std::map<std::int64_t, Rational>& terms) const {
  Rational mean(0);
  for (const auto& [e, c] : terms) {
    std::int64_t d = M_ / std::gcd(e, M_), phi = 1;
    int sign = 1;
    for (const std::int64_t p : primes_) {
      if (d % p != 0) continue;
      d /= p, phi *= p - 1, sign = d % p == 0 ? 0 : -sign;
      if (sign == 0) break;
    }
    if (sign != 0) mean = mean + c * Rational(sign) / Rational(phi);
  }
  return mean;
}

// A polynomial f in ζ, of order M, is 0 iff f·Π(1 - x^(M/p)) over the primes of M is 0 modulo x^M - 1: the product is 0
// in all its other fields, but not in ζ's.
std::optional<Rational> Turns::rational(const std::map<std::int64_t, Rational>& terms) const {
  const Rational all = mean(terms);
  // Σ c·(x^e + x^-e) - 2·mean
  std::map<std::int64_t, Rational> doubled;
  const auto add = [&](std::int64_t e, const Rational& c) {
    Rational& place = doubled[e];
    place = place + c;
  };
  for (const auto& [e, c] : terms) add(e, c), add((M_ - e) % M_, c);
  add(0, Rational(-2) * all);
  Terms f;
  for (const auto& [e, c] : doubled)
    if (c != Rational(0)) f.emplace_back(e, c);
  for (const std::int64_t p : primes_) f = difference(f, turned(f, M_ / p, M_));
  return f.empty() ? std::optional(all) : std::nullopt;
}
namespace {
/// a + b; false where that is no double.
bool add_exactly(double& a, double b) {
  const double s = a + b, t = s - a, rest = (a - (s - t)) + (b - t);
  a = s;
  return rest == 0;
}
}  // namespace
ExactDouble operator*(const ExactDouble& a, const ExactDouble& b) {
  ExactDouble p(a.value * b.value);
  const bool is_zero = a.value == 0 || b.value == 0, is_large = std::abs(p.value) > 0x1p-900;
  p.is_exact = a.is_exact && b.is_exact && (is_zero || is_large) && std::fma(a.value, b.value, -p.value) == 0;
  return p;
}

void TurnSum<ExactDouble>::add(std::int64_t e, const ExactDouble& c) {
  is_exact_ = add_exactly(terms_[static_cast<size_t>((e % M_ + M_) % M_)], c.value) && c.is_exact && is_exact_;
}

// As `rational`, all times φ(M).
Turns::Answer Turns::is_rational(const std::vector<double>& c, Rational& mean) const {
  std::int64_t phi_of_M = M_;
  for (const std::int64_t p : primes_) phi_of_M = phi_of_M / p * (p - 1);
  const ExactDouble phi = ExactDouble::whole(phi_of_M);
  double sum = 0;
  bool is_exact = true;
  std::vector<double> f(c.size());
  for (std::int64_t e = 0; e < M_; ++e) {
    const double own = c[static_cast<size_t>(e)];
    if (own == 0) continue;
    std::int64_t d = M_ / std::gcd(e, M_), phi_of_d = 1;
    int sign = 1;
    for (const std::int64_t p : primes_) {
      if (d % p != 0) continue;
      d /= p, phi_of_d *= p - 1, sign = d % p == 0 ? 0 : -sign;
      if (sign == 0) break;
    }
    const ExactDouble part = ExactDouble(own) * ExactDouble::whole(phi_of_M / phi_of_d * sign),
                      all = ExactDouble(own) * phi;
    is_exact = is_exact && part.is_exact && all.is_exact && add_exactly(sum, part.value) &&
               add_exactly(f[static_cast<size_t>(e)], all.value) &&
               add_exactly(f[static_cast<size_t>((M_ - e) % M_)], all.value);
  }
  is_exact = is_exact && add_exactly(f[0], -2 * sum);
  for (const std::int64_t p : primes_) {
    const std::vector<double> g = f;
    const std::int64_t step = M_ / p;
    for (std::int64_t e = 0; e < M_; ++e)
      is_exact = add_exactly(f[static_cast<size_t>(e)], -g[static_cast<size_t>((e - step + M_) % M_)]) && is_exact;
  }
  if (!is_exact) return Answer::unknown;
  for (const double x : f)
    if (x != 0) return Answer::no;
  mean = Rational::of(sum) / Rational(phi_of_M);
  return Answer::yes;
}

namespace {
bool all_finite(const Tensor& x) {
  const evaluators::Elements elements(x);
  for (std::int64_t i = 0, count = x.count(); i < count; ++i)
    if (!std::isfinite(elements.number(i))) return false;
  return true;
}

struct Spectrum {
  explicit Spectrum(const fast::Spectra& spectra)
      : s(spectra),
        turns(s.N),
        x(s.x),
        window(s.window ? *s.window : s.x),
        is_finite(all_finite(s.x) && (!s.window || all_finite(*s.window))) {}

  template <class R>
  R operator()(std::int64_t i, const Reader<R>& reader) const {
    const auto [outer, bin, inner, part] = evaluators::split(i, s.bins, s.inner, s.is_half ? 1 : 2);
    const std::int64_t first = s.lines(outer * s.inner + inner), k = s.inverse ? -bin : bin;
    const R sum = turn_sum(turns, reader, is_finite, [&, part = part](const auto& read, auto& y) {
      using Number = std::decay_t<decltype(read(x, 0))>;
      for (std::int64_t n = 0; n < s.used; ++n) {
        const std::int64_t j = k * n % s.N;
        const auto number = [&](std::int64_t p) {
          const Number a = read(x, first + n * s.step + p);
          return s.window ? a * read(window, n) : a;
        };
        if (s.is_half) {  // x[n]·e^… and the conjugate
          const bool is_single = n == 0 || 2 * n == s.N;
          const Number c = Number::whole(is_single ? 1 : 2);
          y.cosine(j, c * number(0));
          if (!is_single) y.sine(j, c * number(1));
        } else if (part == 0) {
          y.cosine(j, number(0));
          if (s.is_complex) y.sine(j, number(1));
        } else {
          y.sine(j, -number(0));
          if (s.is_complex) y.cosine(j, number(1));
        }
      }
    });
    return s.inverse ? sum / R::whole(s.N) : sum;
  }

  const fast::Spectra& s;
  Turns turns;
  evaluators::Elements x, window;
  bool is_finite;
};
}  // namespace
Tensor spectra(const Output& out, const fast::Spectra& s) {
  return real(out, Spectrum(s), {}, [&s](const evaluators::RowTarget& y) { return fast::spectra(y, s); });
}
namespace {
// Y[o] = Σ x[n]·e^(∓2πi·Σ o[a]·n[a]/size[a]), divided by the product of the sizes where it is inverse
struct SpectrumOfAxes {
  SpectrumOfAxes(const Output& out, const Tensor& from, const AxesTransform& transform)
      : t(transform),
        y(out.type().shape),
        shape(transform.is_complex ? from.shape().first(from.shape().size() - 1) : from.shape()),
        points(std::accumulate(t.sizes.begin(), t.sizes.end(), std::int64_t{1}, checked_multiply)),
        turns(std::accumulate(t.sizes.begin(), t.sizes.end(), std::int64_t{1}, common), points),
        x(from),
        is_finite(all_finite(from)) {
    const size_t last = t.axes.size() - 1;
    const std::int64_t own = shape[t.axes[last]], N = t.sizes[last];
    Dims used;  // numbers of each axis that take part
    for (size_t k = 0; k < last; ++k) used.push_back(std::min(shape[t.axes[k]], t.sizes[k]));
    used.push_back(!t.is_half        ? std::min(own, N)
                   : t.mirrors_first ? std::min(N, 2 * (own - 1))
                                     : std::min(own, N / 2 + 1));
    for (std::int64_t i = 0; i < element_count(used); ++i) {
      const Dims n = coordinates(i, used);
      const bool is_twice = t.is_half && !t.mirrors_first && n[last] != 0 && 2 * n[last] != N;
      terms.push_back({place(n), n[last] >= own, is_twice});
      for (size_t k = 0; k <= last; ++k) steps.push_back(n[k] * (turns.N() / t.sizes[k]));
    }
  }
  static std::int64_t common(std::int64_t a, std::int64_t b) { return checked_multiply(a / std::gcd(a, b), b); }

  /// Where the numbers at n are, or at its mirrored place those of whose conjugates it has, in the first transform.
  std::int64_t place(const Dims& n) const {
    const size_t last = t.axes.size() - 1;
    const bool is_conjugate = n[last] >= shape[t.axes[last]];
    Dims at = Dims::filled(shape.size(), 0);
    for (size_t k = 0; k <= last; ++k) {
      const std::int64_t own = shape[t.axes[k]], size = k < last ? own : 2 * (own - 1);
      at[t.axes[k]] = is_conjugate ? (size - n[k]) % size : n[k];
    }
    return position(at, shape) * (t.is_complex ? 2 : 1);
  }

  template <class R>
  R operator()(std::int64_t i, const Reader<R>& reader) const {
    const Dims o = coordinates(i, y);
    const bool is_imaginary = !t.is_half && o[o.size() - 1] == 1;
    Dims first = o.first(shape.size());
    for (const size_t axis : t.axes) first[axis] = 0;
    const std::int64_t from = position(first, shape) * (t.is_complex ? 2 : 1);
    const R sum = turn_sum(turns, reader, is_finite, [&](const auto& read, auto& turned) {
      using Number = std::decay_t<decltype(read(x, 0))>;
      auto step = steps.begin();
      for (const auto& [place, is_conjugate, is_twice] : terms) {
        std::int64_t j = 0;
        for (const size_t axis : t.axes) j = (j + o[axis] * *step++) % turns.N();
        if (!t.inverse) j = -j;
        const Number times = Number::whole(is_twice ? 2 : 1), re = times * read(x, from + place);
        if (is_imaginary)
          turned.sine(j, re);
        else
          turned.cosine(j, re);
        if (!t.is_complex) continue;
        const Number part = times * read(x, from + place + 1), im = is_conjugate ? -part : part;
        if (is_imaginary)
          turned.cosine(j, im);
        else
          turned.sine(j, -im);
      }
    });
    return t.inverse ? sum / R::whole(points) : sum;
  }

  const AxesTransform& t;
  Dims y, shape;  ///< shape: x's, without the parts
  std::int64_t points;
  Turns turns;
  Elements x;
  bool is_finite;
  struct Term {
    std::int64_t place;
    bool is_conjugate, is_twice;
  };
  std::vector<Term> terms;
  std::vector<std::int64_t> steps;  ///< of each term and axis: turns for each step of the output along it
};
}  // namespace
fast::Spectra lines_of(const Output& out, const Tensor& x, const AxesTransform& t) {
  const size_t axis = t.axes[0];
  const Dims& shape = x.shape();
  const std::int64_t N = t.sizes[0], L = shape[axis], numbers = t.is_complex ? 2 : 1,
                     inner = element_count(shape.without_first(axis + 1)) / numbers;
  return {.x = x,
          .lines = Strided({element_count(shape.first(axis)), inner}, {L * inner * numbers, numbers}),
          .step = inner * numbers,
          .used = std::min(L, t.is_half ? N / 2 + 1 : N),
          .is_complex = t.is_complex,
          .N = N,
          .bins = out.type().shape[axis],
          .inner = inner,
          .inverse = t.inverse,
          .is_half = t.is_half};
}
Tensor transform(const Output& out, const Tensor& x, const AxesTransform& t) {
  if (const std::span outs(&out, 1); x.count() == 0 && ask_for_nothing(outs))
    return std::get<Tensor>(nothing(outs)[0]);  // without a table of its turns
  if (t.axes.size() > 1 || t.mirrors_first) return real(out, SpectrumOfAxes(out, x, t));
  return spectra(out, lines_of(out, x, t));
}
namespace {
std::vector<ValueType> window_types(const Call& call) {
  const std::int64_t size = rank_0(call, "size");
  require(size >= 0, "size is {}, but must be >= 0", size);
  return {TensorType{dtype_of_number(call, "output_datatype", kOutputDatatypes), Dims{size}}};
}

struct ExactWindow {
  const CosineWindow& w;
  std::int64_t P;
  Turns turns;

  template <class R>
  R operator()(std::int64_t n, const Reader<R>& x) const {
    if constexpr (std::is_same_v<R, Faithful>)
      return computed(n, x);
    else
      return exactly(n, x);
  }
  Faithful computed(std::int64_t n, const Reader<Faithful>& x) const {
    const Faithful turn = Faithful(2.0) * pi(x.zero()) * Faithful::whole(n) / Faithful::whole(P);
    const auto term = [&](std::int64_t a) { return Faithful::whole(a) / Faithful::whole(w.over); };
    return x.sum(term(w.a0), -(term(w.a1) * cos(turn)), term(w.a2) * cos(Faithful(2.0) * turn));
  }
  template <class R>
  R exactly(std::int64_t n, const Reader<R>& x) const {
    const R sum = short_turn_sum(turns, x, [&](const auto& read, auto& y) {
      using Number = decltype(read.zero());
      y.cosine(0, Number::whole(w.a0));
      y.cosine(n % P, Number::whole(-w.a1));
      if (w.a2 != 0) y.cosine(2 * n % P, Number::whole(w.a2));
    });
    return sum / R::whole(w.over);
  }
};

/// With the coefficients that the body stores, as integers over 2^27: 0.08 is the least one.
CosineWindow rounded_coefficients(const CosineWindow& w) {
  constexpr std::int64_t kOver = std::int64_t{1} << 27;
  const auto over = [&](size_t k) { return static_cast<std::int64_t>(widen(w.in_float32[k]) * double{kOver}); };
  return {.a0 = over(0), .a1 = over(1), .a2 = over(2), .over = kOver, .in_float32 = w.in_float32};
}

// With the body's constants, 2π among them.
struct BodyWindow {
  const CosineWindow& w;
  std::int64_t P;

  template <class R>
  R operator()(std::int64_t n, const Reader<R>& x) const {
    constexpr double kTwoPi = 6.2831855F;
    const R turn = R(kTwoPi) * R::whole(n) / R::whole(P);
    const auto term = [&](size_t k) { return R(widen(w.in_float32[k])); };
    return x.sum(term(0) - term(1) * cosine(turn), term(2) * cosine(R(2.0) * turn));
  }
  static Interval cosine(const Interval& x) { return cos(x); }
  static Faithful cosine(const Faithful& x) { return cos(x); }
  static Bounded cosine(const Bounded& x) { return {x.v, kInfinity}; }  // intervals decide
};

struct One {
  double one;
  template <class R>
  R operator()(std::int64_t, const Reader<R>&) const {
    return R(one);
  }
};
}  // namespace
std::int64_t rank_0(const Call& call, std::string_view input) {
  require_scalar(call, input);
  return call.integer(input);
}

AttributeSchema output_datatype_attribute() { return with_default("output_datatype", 1, element_types()); }

std::vector<Value> cosine_window(const Call& call, std::span<const Output> outs, const CosineWindow& window) {
  const std::int64_t size = call.integer("size"), P = call.flag("periodic") ? size : size - 1;
  if (P < 1) {
    const bool is_one = call.reads("window.one", "one");
    return {real(outs[0], One{is_one ? 1 : std::numeric_limits<double>::quiet_NaN()})};
  }
  if (call.reads("window.constants", "function")) return {real(outs[0], BodyWindow{window, P})};
  const CosineWindow rounded = rounded_coefficients(window);
  return {real(outs[0], ExactWindow{call.reads("window.constants", "exact") ? window : rounded, P, Turns(P)})};
}

Operator cosine_window_operator(std::string_view op_type) {
  return Operator("ai.onnx", op_type)
      .version(17,
               [](OpSchema& s) {
                 s.attribute(output_datatype_attribute())
                     .attribute(with_default("periodic", 1, flag()))
                     .input("size", "T1", "the number of elements")
                     .output("output", "T2", "the window, (size)")
                     .types("T1", types::signed_wide, "Constrain the input size to int64_t.")
                     .types("T2", kOutputDatatypes, "Constrain output types to numeric tensors.");
               })
      .reading({.name = "window.constants",
                .alternatives = {"exact: the formula's", "function: those of the function's body, float32, 2π too",
                                 "coefficients: the formula's coefficients as float32, but the true π"},
                .defaults = {{17, "exact"}},
                .reason = "the paper and onnx.reference; onnxruntime has float32 coefficients, the body all in float32",
                .may_change_values = [](const Call&) { return true; }})
      .reading({.name = "window.one",
                .alternatives = {"one: the only element is 1", "nan: it is NaN"},
                .defaults = {{17, "one"}},
                .reason = "torch; the function's body has 0·Inf",
                .may_change_values =
                    [](const Call& call) {
                      if (call.flag("periodic")) return false;
                      return !call.has_value("size") || call.integer("size") == 1;
                    }})
      .output_types(window_types);
}
}  // namespace opref::ops
