// SPDX-License-Identifier: Apache-2.0
#include "evaluators/traced.h"

#include <algorithm>
#include <cmath>

#include "exact/lanes.h"

namespace opref::evaluators {
namespace {

/// Sums of non-negative bounds, each rounded a few times.
constexpr double kRoundings = 1.001;
/// Factors above are not traced: with weights of at most 2^20, what underflow costs D and P then stays below 2^-80.
constexpr double kMostFactor = 0x1p10, kUnderflow = 0x1p-80;

std::size_t padded(std::size_t n) { return (n + Weights::kLanes - 1) / Weights::kLanes * Weights::kLanes; }

/// c += a·b, of m by k and k by n numbers; m is a multiple of 8, n of 32.
struct Product {
  const float *a, *b;
  float* c;
  std::size_t m, k, n, a_stride, stride;  ///< of b and c
};
template <int L, int kRows>
OPREF_INLINE void multiply_tiles(const Product& t) {
  constexpr std::size_t kDepth = 128;  // b's part stays near
  constexpr int kVectors = 2, kFloats = 2 * L;
  using Lanes = Floats<kFloats>;
  for (std::size_t first = 0; first < t.k; first += kDepth) {
    const std::size_t last = first + kDepth < t.k ? first + kDepth : t.k;
    for (std::size_t j = 0; j < t.n; j += kVectors * kFloats)
      for (std::size_t i = 0; i < t.m; i += kRows) {
        Lanes sum[kRows][kVectors];
        float* const c = t.c + i * t.stride + j;
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
          for (int v = 0; v < kVectors; ++v) sum[r][v] = vector_at<kFloats>(c + r * t.stride + kFloats * v);
        for (std::size_t p = first; p < last; ++p) {
          const float* const b = t.b + p * t.stride + j;
#pragma GCC unroll 8
          for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
            for (int v = 0; v < kVectors; ++v)
              sum[r][v] += vector_at<kFloats>(b + kFloats * v) * t.a[(i + r) * t.a_stride + p];
        }
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
          for (int v = 0; v < kVectors; ++v) put_vector<kFloats>(c + r * t.stride + kFloats * v, sum[r][v]);
      }
  }
}
OPREF_FOR_LANES(multiply, (const Product& t), (multiply_tiles < kLanes, kLanes == 8 ? 8 : 4 > (t)))

/// y[i] = Σ |d[i][k]|·x[k], rows of n numbers; n is a multiple of 32.
struct Weighing {
  const float* d;
  std::size_t rows, n, stride;
  const double* x;
  double* y;
};
template <int L>
OPREF_INLINE void weigh_rows(const Weighing& t) {
  for (std::size_t i = 0; i < t.rows; ++i) {
    const float* const d = t.d + i * t.stride;
    Doubles<L> sum[2] = {};
    for (std::size_t k = 0; k < t.n; k += 2 * L)
#pragma GCC unroll 2
      for (int v = 0; v < 2; ++v) {
        const Doubles<L> w = __builtin_convertvector(vector_at<L>(d + k + L * v), Doubles<L>);
        sum[v] += (w < 0 ? -w : w) * vector_at<L>(t.x + k + L * v);
      }
    const Doubles<L> all = sum[0] + sum[1];
    double y = 0;
    for (int v = 0; v < L; ++v) y += all[v];
    t.y[i] = y;
  }
}
OPREF_FOR_LANES(weigh, (const Weighing& t), (weigh_rows<kLanes>(t)))

/// x, negative or not, times a factor, added to y; a factor of no size is 1, a y of no size 0.
OPREF_CLONES void add_to(double* __restrict y, const double* __restrict x, const double* __restrict factor,
                         std::size_t n) {
  if (factor == nullptr)
    for (std::size_t i = 0; i < n; ++i) y[i] += x[i];
  else
    for (std::size_t i = 0; i < n; ++i) y[i] += x[i] * factor[i];
}
void add(Plane& y, const Plane& x, const Plane& factor) {
  if (y.size() == 0 && factor.size() == 0) {
    y = x;
    return;
  }
  Plane z(x.size(), 0.0);
  if (y.size() != 0) std::copy_n(y.data(), y.size(), z.data());
  add_to(z.data(), x.data(), factor.size() == 0 ? nullptr : factor.data(), x.size());
  y = z;
}
/// D of y += factor·(D of x)
void add(Traced& y, const Traced& x, const Plane& factor) {
  for (std::size_t s = 0; s < Traced::kStates; ++s) {
    if (x.d[s].diagonal.size() != 0) add(y.d[s].diagonal, x.d[s].diagonal, factor);
    for (const Derivative::Term& term : x.d[s].terms) {
      auto& own = y.d[s].terms;
      auto at = std::ranges::find(own, term.matrix, &Derivative::Term::matrix);
      if (at == own.end()) at = own.insert(own.end(), {{}, term.matrix, term.owned});
      add(at->factor, term.factor, factor);
    }
  }
}
/// D without its diagonal, n rows of `width` numbers; false where a factor is too large.
OPREF_CLONES void add_row(float* __restrict to, const float* __restrict row, float factor, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) to[k] += factor * row[k];
}
bool materialize(const Derivative& d, std::size_t n, std::size_t width, float* to, std::size_t stride) {
  bool is_moderate = true;
  for (std::size_t i = 0; i < n; ++i) {
    std::fill_n(to + i * stride, width, 0.0F);
    for (const Derivative::Term& term : d.terms) {
      is_moderate = is_moderate && std::abs(term.factor[i]) <= kMostFactor;
      add_row(to + i * stride, term.matrix + i * width, static_cast<float>(term.factor[i]), width);
    }
  }
  return is_moderate;
}
void add_diagonal(const Plane& diagonal, std::size_t n, float* to, std::size_t stride) {
  if (diagonal.size() == 0) return;
  for (std::size_t i = 0; i < n; ++i) to[i * stride + i] += static_cast<float>(diagonal[i]);
}
bool is_moderate(const Plane& p) {
  for (std::size_t i = 0; i < p.size(); ++i)
    if (!(std::abs(p[i]) <= kMostFactor)) return false;
  return true;
}

/// What a sum of pairs is wrong by itself.
Traced of_sum(const Vector<Paired>& y, const Traced& a, const Traced& b) {
  Traced z(y);
  Plane r(y.size());
  for (std::size_t i = 0; i < y.size(); ++i)
    r[i] = (a.r[i] + b.r[i] + std::abs(y.h[i]) * paired::kSumError) * kRoundings;
  z.r = r;
  return z;
}

}  // namespace

Traced operator-(const Traced& a) {
  Traced y(-a.y);
  y.r = a.r;
  add(y, a, Plane(a.size(), -1.0));
  return y;
}
Traced operator+(const Traced& a, const Traced& b) {
  Traced y = of_sum(a.y + b.y, a, b);
  add(y, a, {}), add(y, b, {});
  return y;
}
Traced sum(const Traced& a, const Traced& b) {
  Traced y = of_sum(sum(a.y, b.y), a, b);
  add(y, a, {}), add(y, b, {});
  return y;
}
Traced operator-(const Traced& a, const Traced& b) { return a + -b; }
// (a + α)(b + β) = ab + aβ + bα + αβ
Traced operator*(const Traced& a, const Traced& b) {
  const Vector<Paired> product = a.y * b.y;
  Traced y(product);
  Plane r(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double inherited = std::abs(a.y.h[i]) * b.r[i] + std::abs(b.y.h[i]) * a.r[i] + a.y.e[i] * b.y.e[i];
    r[i] = inherited * kRoundings + std::abs(product.h[i]) * paired::kProductError * kRoundings +
           (product.e[i] == 0 ? 0.0 : 0x1p-900);
  }
  y.r = r;
  add(y, a, b.y.h), add(y, b, a.y.h);
  return y;
}
Vector<Paired> without_errors(const Vector<Paired>& x) {
  Vector<Paired> y = x;
  y.e = Plane(x.size(), 0.0);
  return y;
}
// f(x + d) = f(x) + slope·d + at most curvature/2·d²
Traced moved(const Traced& x, const Vector<Paired>& bare, const Plane& slope, double curvature) {
  Vector<Paired> y = bare;
  Plane r(x.size()), e(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double of_x = x.y.e[i], other = (curvature / 2 * of_x + 0x1p-40) * of_x + bare.e[i];
    r[i] = (std::abs(slope[i]) * x.r[i] + other) * kRoundings;
    e[i] = (std::abs(slope[i]) * of_x + other) * kRoundings;
  }
  y.e = e;
  Traced z(y);
  z.r = r;
  add(z, x, slope);
  return z;
}

// Where a kink may be as near as x is wrong, all that y is wrong by is its own.
Traced moved(const Traced& x, const Vector<Paired>& plain, const Vector<Paired>& bare, const Bends& bends) {
  Traced y(plain);
  Plane r(x.size()), slope(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double h = x.y.h[i], e = x.y.e[i] * kRoundings + std::abs(h) * 0x1p-50;
    const auto is_apart = [&](double kink) { return std::abs(h - kink) > e + std::abs(kink) * 0x1p-40; };
    r[i] = plain.e[i];
    if (!std::ranges::all_of(bends.kinks, is_apart)) continue;
    const auto piece = std::ranges::lower_bound(bends.kinks, h) - bends.kinks.begin();
    slope[i] = bends.slopes[static_cast<std::size_t>(piece)];
    r[i] = (std::abs(slope[i]) * x.r[i] + bare.e[i]) * kRoundings;
  }
  y.r = r;
  add(y, x, slope);
  return y;
}

Traced product(const Weights& w, const Traced& x) {
  const std::size_t n = w.rows(), columns = w.columns();
  const bool is_moved = !x.d[0].is_zero() || !x.d[1].is_zero();
  if (!is_moved || w.by_rows().empty()) return Traced(product(w, x.y));
  const std::vector<float>& rows = w.by_rows();
  Plane own(n);
  Traced y(product_of_errors(w, x.y, own));
  Vector<Paired> rest(columns);
  std::copy_n(x.r.data(), columns, rest.e.data());
  std::fill_n(rest.h.data(), columns, 0.0), std::fill_n(rest.l.data(), columns, 0.0);
  const bool has_rest = std::any_of(x.r.data(), x.r.data() + columns, [](double r) { return r != 0; });
  if (has_rest) add(own, product(w, rest).e, {});
  Plane r(n);
  for (std::size_t i = 0; i < n; ++i) r[i] = own[i] * kRoundings;
  const Traced alone = y;
  y.r = r;
  for (std::size_t s = 0; s < Traced::kStates; ++s) {
    if (x.d[s].is_zero()) continue;
    if (x.is_state) {
      y.d[s].terms.push_back({Plane(n, 1.0), rows.data(), nullptr});
      continue;
    }
    // The state has as many units as x: a recurrence multiplies what has its own size.
    const std::size_t width = padded(columns), height = padded(n);
    std::vector<float> of_x(width * width);
    if (!materialize(x.d[s], columns, width, of_x.data(), width) || !is_moderate(x.d[s].diagonal)) return alone;
    add_diagonal(x.d[s].diagonal, columns, of_x.data(), width);
    auto made = std::make_shared<std::vector<float>>(height * width);
    multiply({rows.data(), of_x.data(), made->data(), height, columns, width, width, width});
    y.d[s].terms.push_back({Plane(n, 1.0), made->data(), made});
  }
  return y;
}

TracedStates::TracedStates(std::vector<Traced*> states, const Tracing& tracing)
    : n_(states[0]->size()),
      padded_(padded(n_)),
      all_(states.size() * padded_),
      untraced_(tracing.first),
      block_(tracing.block),
      lost_(std::max(0x1p-14, static_cast<double>(n_ + 32) * 0x1p-23)),
      gamma_(static_cast<double>(all_ + 4) * 0x1p-24 * 1.1),
      product_(all_ * all_),
      next_product_(all_ * all_),
      jacobian_(padded_ * padded_),
      start_(all_),
      r_(all_),
      moved_(all_) {
  if (untraced_ == 0) start(states);
}

void TracedStates::start(const std::vector<Traced*>& states) {
  for (std::size_t s = 0; s < states.size(); ++s) std::copy_n(states[s]->y.e.data(), n_, &start_[s * padded_]);
  renew(states);
}

void TracedStates::renew(const std::vector<Traced*>& states) const {
  for (std::size_t s = 0; s < states.size(); ++s) {
    Traced fresh(states[s]->y);
    fresh.r = Plane(n_, 0.0);
    fresh.d[s].diagonal = Plane(n_, 1.0);
    fresh.is_state = true;
    *states[s] = fresh;
  }
}

/// to += jacobian·from, from being a diagonal.
void TracedStates::add_scaled(const float* jacobian, const float* from, float* to) const {
  std::vector<float> diagonal(padded_);
  for (std::size_t k = 0; k < n_; ++k) diagonal[k] = from[k * all_ + k];
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t k = 0; k < n_; ++k) to[i * all_ + k] += jacobian[i * padded_ + k] * diagonal[k];
}

void TracedStates::next(const std::vector<Traced*>& states) {
  if (untraced_ > 0) {
    if (--untraced_ == 0) start(states);
    return;
  }
  const bool is_first = step_ % block_ == 0;
  std::vector<double> lost(all_), next_r(all_), weighed(padded_);
  for (std::size_t k = 0; k < all_; ++k) lost[k] = r_[k] + gamma_ * moved_[k];
  std::fill(next_product_.begin(), next_product_.end(), 0.0F);
  double beyond = 0, errors = 0;
  for (const double e : start_) errors += e;
  for (std::size_t s = 0; s < states.size(); ++s) {
    const Traced& x = *states[s];
    for (std::size_t i = 0; i < n_; ++i) {
      next_r[s * padded_ + i] = x.r[i] + x.y.e[i] * lost_;
      errors += x.y.e[i];
    }
    for (std::size_t t = 0; t < states.size(); ++t) {
      const Derivative& d = x.d[t];
      float* const to = &next_product_[s * padded_ * all_];
      if (!is_moderate(d.diagonal)) beyond = HUGE_VAL;
      if (is_first) {
        if (!materialize(d, n_, padded_, to + t * padded_, all_)) beyond = HUGE_VAL;
        add_diagonal(d.diagonal, n_, to + t * padded_, all_);
        continue;
      }
      const float* const from = &product_[t * padded_ * all_];
      if (!d.terms.empty()) {
        if (!materialize(d, n_, padded_, jacobian_.data(), padded_)) beyond = HUGE_VAL;
        weigh({jacobian_.data(), n_, padded_, padded_, &lost[t * padded_], weighed.data()});
        for (std::size_t i = 0; i < n_; ++i) next_r[s * padded_ + i] += weighed[i] * kRoundings;
        for (std::size_t u = 0; u < states.size(); ++u) {
          const std::size_t at = u * padded_;
          if (is_diagonal_[t][u])
            add_scaled(jacobian_.data(), from + at, to + at);
          else
            multiply({jacobian_.data(), from + at, to + at, padded_, n_, padded_, padded_, all_});
        }
      }
      for (std::size_t i = 0; d.diagonal.size() != 0 && i < n_; ++i) {
        next_r[s * padded_ + i] += std::abs(d.diagonal[i]) * lost[t * padded_ + i] * kRoundings;
        add_row(to + i * all_, from + i * all_, static_cast<float>(d.diagonal[i]), all_);
      }
    }
  }
  for (std::size_t s = 0; s < states.size(); ++s)
    for (std::size_t t = 0; t < states.size(); ++t) is_diagonal_[s][t] = is_first && states[s]->d[t].terms.empty();
  std::swap(product_, next_product_), std::swap(r_, next_r);
  weigh({product_.data(), all_, all_, all_, start_.data(), moved_.data()});
  for (std::size_t s = 0; s < states.size(); ++s) {
    Plane e(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      double& r = r_[s * padded_ + i];
      r += errors * kUnderflow + beyond;
      const double traced = (moved_[s * padded_ + i] + r) * kRoundings, plain = states[s]->y.e[i];
      e[i] = traced < plain ? traced : plain;
    }
    states[s]->y.e = e;
  }
  if (++step_ % block_ == 0)
    for (std::size_t s = 0; s < states.size(); ++s)
      for (std::size_t i = 0; i < n_; ++i) {
        const std::size_t at = s * padded_ + i;
        start_[at] = states[s]->y.e[i], r_[at] = moved_[at] = 0;
      }
  renew(states);
}

}  // namespace opref::evaluators
