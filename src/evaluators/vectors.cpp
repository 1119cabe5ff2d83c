// SPDX-License-Identifier: Apache-2.0
#include "evaluators/vectors.h"

#include <cmath>

#include "exact/lanes.h"

namespace opref::evaluators {
namespace {

/// Products are added up in chunks of so many, whose sums are added up.
constexpr std::size_t kChunk = 32;

template <int L>
OPREF_INLINE Doubles<L> numbers(const float* p) {
  return __builtin_convertvector(vector_at<L>(p), Doubles<L>);
}
template <int L>
OPREF_INLINE Doubles<L> numbers(const double* p) {
  return vector_at<L>(p);
}
template <int L>
OPREF_INLINE Doubles<L> fma(const Doubles<L>& a, const Doubles<L>& b, const Doubles<L>& c) {
  Doubles<L> y;
#pragma GCC unroll 8
  for (int i = 0; i < L; ++i) y[i] = __builtin_fma(a[i], b[i], c[i]);
  return y;
}
template <int L>
OPREF_INLINE Doubles<L> magnitude(const Doubles<L>& a) {
  return a < 0 ? -a : a;
}

/// A product's operands in planes, and its result; w is [k][row] with `stride`.
template <class W>
struct Task {
  const W* w;
  std::size_t rows, columns, stride;
  const double *h, *l, *error, *own;  ///< of x; l is null where it is 0, own where nobody asks
  double *y_h, *y_l, *y_error, *y_own;
};

/// y = Σ w·h and y_error = Σ |w|·error.
template <int L, class W>
OPREF_INLINE void multiply(const Task<W>& t) {
  constexpr int kVectors = 4;
  static_assert(Weights::kLanes % (L * kVectors) == 0);
  for (std::size_t i = 0; i < t.rows; i += L * kVectors) {
    Doubles<L> all[kVectors] = {}, error[kVectors] = {};
    for (std::size_t first = 0; first < t.columns; first += kChunk) {
      Doubles<L> s[kVectors] = {};
      const std::size_t last = first + kChunk < t.columns ? first + kChunk : t.columns;
      for (std::size_t k = first; k < last; ++k) {
        const W* row = t.w + k * t.stride + i;
        const Doubles<L> h = Doubles<L>{} + t.h[k], e = Doubles<L>{} + t.error[k];
#pragma GCC unroll 4
        for (int j = 0; j < kVectors; ++j) {
          const Doubles<L> a = numbers<L>(row + L * j);
          s[j] = fma<L>(a, h, s[j]), error[j] = fma<L>(magnitude<L>(a), e, error[j]);
        }
      }
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) all[j] += s[j];
    }
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j)
      if (i + static_cast<std::size_t>(L * j) < t.rows)
        put_vector<L>(t.y_h + i + L * j, all[j]), put_vector<L>(t.y_error + i + L * j, error[j]);
  }
}
/// Likewise in pairs (Ogita, Rump, Oishi 2005, Dot2): s by TwoSum; what that and products lose goes to c.
template <int L, bool kHasLow, bool kHasOwn, class W>
OPREF_INLINE void multiply_pairs(const Task<W>& t) {
  constexpr int kVectors = 2;
  for (std::size_t i = 0; i < t.rows; i += L * kVectors) {
    Doubles<L> all[kVectors] = {}, low[kVectors] = {}, error[kVectors] = {}, own[kVectors] = {};
    for (std::size_t first = 0; first < t.columns; first += kChunk) {
      Doubles<L> s[kVectors] = {}, c[kVectors] = {};
      const std::size_t last = first + kChunk < t.columns ? first + kChunk : t.columns;
      for (std::size_t k = first; k < last; ++k) {
        const W* row = t.w + k * t.stride + i;
        const Doubles<L> h = Doubles<L>{} + t.h[k], e = Doubles<L>{} + t.error[k];
#pragma GCC unroll 2
        for (int j = 0; j < kVectors; ++j) {
          const Doubles<L> a = numbers<L>(row + L * j), p = a * h, lost = fma<L>(a, h, -p), b = magnitude<L>(a);
          const Doubles<L> sum = s[j] + p, z = sum - s[j];
          const Doubles<L> of_sum = (s[j] - (sum - z)) + (p - z);
          s[j] = sum, error[j] = fma<L>(b, e, error[j]);
          c[j] += kHasLow ? fma<L>(a, Doubles<L>{} + t.l[k], of_sum + lost) : of_sum + lost;
          if (kHasOwn) own[j] = fma<L>(b, Doubles<L>{} + t.own[k], own[j]);
        }
      }
#pragma GCC unroll 2
      for (int j = 0; j < kVectors; ++j) {
        const Doubles<L> sum = all[j] + s[j], z = sum - all[j];
        low[j] += c[j] + ((all[j] - (sum - z)) + (s[j] - z)), all[j] = sum;
      }
    }
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j) {
      const std::size_t at = i + static_cast<std::size_t>(L * j);
      if (at >= t.rows) continue;
      const Doubles<L> sum = all[j] + low[j], z = sum - all[j];
      put_vector<L>(t.y_h + at, sum), put_vector<L>(t.y_l + at, (all[j] - (sum - z)) + (low[j] - z)),
          put_vector<L>(t.y_error + at, error[j]);
      if (kHasOwn) put_vector<L>(t.y_own + at, own[j]);
    }
  }
}
template <int L, class W>
OPREF_INLINE void multiply_any_pairs(const Task<W>& t) {
  if (t.own != nullptr)
    t.l != nullptr ? multiply_pairs<L, true, true>(t) : multiply_pairs<L, false, true>(t);
  else
    t.l != nullptr ? multiply_pairs<L, true, false>(t) : multiply_pairs<L, false, false>(t);
}
OPREF_FOR_LANES(multiply_doubles, (const Task<float>& t), (multiply<kLanes>(t)))
OPREF_FOR_LANES(multiply_doubles, (const Task<double>& t), (multiply<kLanes>(t)))
OPREF_FOR_LANES(multiply_by_pairs, (const Task<float>& t), (multiply_any_pairs<kLanes>(t)))
OPREF_FOR_LANES(multiply_by_pairs, (const Task<double>& t), (multiply_any_pairs<kLanes>(t)))

/// Whether all of it is exactly zero.
bool is_zero(const Plane& numbers, const Plane& errors) {
  for (std::size_t k = 0; k < numbers.size(); ++k)
    if (numbers[k] != 0 || errors[k] != 0) return false;
  return true;
}
/// Products below 2^-969 lose more than their roundings: x below 2^-700 counts as that, which is more than enough with
/// weights of 2^-150 or more. Where weights are less, all sums are wrong by 2^-1000. An exact zero stays one.
double claimed(double x, double kappa) { return x == 0 ? 0.0 : std::max(kappa * std::abs(x), 0x1p-700); }
void pay_for_underflow(const Plane& e, const Plane& y, bool is_of_zeros, bool has_tiny) {
  constexpr double kHuge = 0x1p1000, kLost = 0x1p-1000;
  for (std::size_t i = 0; i < e.size(); ++i) {
    if (!is_of_zeros && (e[i] != 0 || has_tiny)) e[i] += kLost;
    if (!(std::abs(y[i]) < kHuge)) e[i] = HUGE_VAL;
  }
}

/// Some rows and columns of weights.
constexpr std::size_t kTile = 128;
using Tile = double[Weights::kLanes][kTile];
/// A number below 2^-150 that is not zero.
bool has_tiny(const double* w, std::size_t n) {
  int tiny = 0;
  for (std::size_t k = 0; k < n; ++k) tiny |= static_cast<int>(w[k] != 0) & static_cast<int>(std::abs(w[k]) < 0x1p-150);
  return tiny != 0;
}
bool is_moderate(const double* w, std::size_t n) {
  int moderate = 1;
  for (std::size_t k = 0; k < n; ++k) moderate &= static_cast<int>(std::abs(w[k]) <= 0x1p20);
  return moderate != 0;
}

template <class F>
void with_columns(const Weights::Columns& w, const F& f) {
  w.narrow.empty() ? f(w.wide.data()) : f(w.narrow.data());
}
Vector<Paired> product_in_pairs(const Weights& w, const Vector<Paired>& x, Plane* own) {
  const std::size_t n = w.columns();
  const double m = kChunk, q = static_cast<double>((n + kChunk - 1) / kChunk);
  const double kappa = (m + 2 * q + 4) * (m + q + 2) * 0x1p-106 * 1.02;
  Vector<Paired> y(w.rows());
  Plane of_x(n), error(n);
  bool has_low = false;
  for (std::size_t k = 0; k < n; ++k) {
    of_x[k] = claimed(x.h[k] == 0 ? x.e[k] : x.h[k], kappa), error[k] = x.e[k] * 1.001 + of_x[k];
    has_low |= x.l[k] != 0;
  }
  const Weights::Columns& columns = w.by_columns();
  with_columns(columns, [&]<class W>(const W* weights) {
    multiply_by_pairs({weights, w.rows(), n, columns.stride, x.h.data(), has_low ? x.l.data() : nullptr, error.data(),
                       own != nullptr ? of_x.data() : nullptr, y.h.data(), y.l.data(), y.e.data(),
                       own != nullptr ? own->data() : nullptr});
  });
  const bool is_of_zeros = is_zero(x.h, x.e);
  pay_for_underflow(y.e, y.h, is_of_zeros, columns.has_tiny);
  if (own != nullptr) pay_for_underflow(*own, y.h, is_of_zeros, columns.has_tiny);
  return y;
}

}  // namespace

template Vector<Bounded> operator-(const Vector<Bounded>&);
template Vector<Bounded> operator+(const Vector<Bounded>&, const Vector<Bounded>&);
template Vector<Bounded> operator-(const Vector<Bounded>&, const Vector<Bounded>&);
template Vector<Bounded> operator*(const Vector<Bounded>&, const Vector<Bounded>&);
template Vector<Bounded> sum(const Vector<Bounded>&, const Vector<Bounded>&);
template Vector<Paired> operator-(const Vector<Paired>&);
template Vector<Paired> operator+(const Vector<Paired>&, const Vector<Paired>&);
template Vector<Paired> operator-(const Vector<Paired>&, const Vector<Paired>&);
template Vector<Paired> operator*(const Vector<Paired>&, const Vector<Paired>&);
template Vector<Paired> sum(const Vector<Paired>&, const Vector<Paired>&);

Weights::Weights(const Elements& x, std::int64_t first, std::size_t rows, std::size_t columns, std::int64_t row_step,
                 std::int64_t column_step)
    : x_(x), first_(first), row_step_(row_step), column_step_(column_step), rows_(rows), columns_(columns) {}

void Weights::read_row(std::size_t i, std::size_t k, std::size_t n, double* to) const {
  x_.numbers({at(i, k), static_cast<std::int64_t>(n), column_step_}, to);
}
const Weights::Columns& Weights::by_columns() const {
  std::call_once(made_->columns_once, [&] {
    Columns& made = made_->columns;
    made.stride = (rows_ + kLanes - 1) / kLanes * kLanes;
    const auto fill = [&](auto& to) {
      to.resize(std::max<std::size_t>(1, made.stride * columns_));
      Tile tile;  // so that neighbours are read, and written, together
      for (std::size_t i = 0; i < rows_; i += kLanes)
        for (std::size_t k = 0; k < columns_; k += kTile) {
          const std::size_t n = std::min(kLanes, rows_ - i), width = std::min(kTile, columns_ - k);
          for (std::size_t r = 0; r < n; ++r) {
            read_row(i + r, k, width, tile[r]);
            made.has_tiny |= has_tiny(tile[r], width);
          }
          for (std::size_t c = 0; c < width; ++c)
            for (std::size_t r = 0; r < n; ++r)
              to[(k + c) * made.stride + i + r] = static_cast<std::decay_t<decltype(to[0])>>(tile[r][c]);
        }
    };
    x_.dtype() == DType::float64 ? fill(made.wide) : fill(made.narrow);
  });
  return made_->columns;
}
const std::vector<float>& Weights::by_rows() const {
  std::call_once(made_->rows_once, [&] {
    const auto padded = [](std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; };
    std::vector<float>& made = made_->rows;
    made.resize(padded(rows_) * padded(columns_));
    std::vector<double> row(columns_);
    for (std::size_t i = 0; i < rows_; ++i) {
      read_row(i, 0, columns_, row.data());
      if (!is_moderate(row.data(), columns_)) return made.clear();
      std::ranges::transform(row, made.begin() + static_cast<std::ptrdiff_t>(i * padded(columns_)),
                             [](double w) { return static_cast<float>(w); });
    }
  });
  return made_->rows;
}

// In chunks of m no product meets more than m + q additions, q the number of chunks: the sum is wrong by at most
// (m + q + 3)·u·1.01·Σ|w x|, and by Σ|w|·e of what x is wrong by.
Vector<Bounded> product(const Weights& w, const Vector<Bounded>& x) {
  const std::size_t n = w.columns();
  const double kappa = static_cast<double>(kChunk + (n + kChunk - 1) / kChunk + 3) * 0x1p-53 * 1.01;
  Vector<Bounded> y(w.rows());
  Plane error(n);
  for (std::size_t k = 0; k < n; ++k) error[k] = x.e[k] * 1.001 + claimed(x.v[k] == 0 ? x.e[k] : x.v[k], kappa);
  const Weights::Columns& columns = w.by_columns();
  with_columns(columns, [&]<class W>(const W* weights) {
    multiply_doubles({weights, w.rows(), n, columns.stride, x.v.data(), nullptr, error.data(), nullptr, y.v.data(),
                      nullptr, y.e.data(), nullptr});
  });
  pay_for_underflow(y.e, y.v, is_zero(x.v, x.e), columns.has_tiny);
  return y;
}
// In a chunk Σ(|what sums lose| + |what products lose| + |w·l|) <= (m + 2)·u·S, S = Σ|w h|, in all (m + 2 + q)·u·S; an
// item meets one rounding as the sum of both, one with w·l, m - 1 in its chunk and 2q after it. So c is wrong by at
// most (m + 2q + 4)·(m + q + 2)·u²·1.01·S.
Vector<Paired> product(const Weights& w, const Vector<Paired>& x) { return product_in_pairs(w, x, nullptr); }
Vector<Paired> product_of_errors(const Weights& w, const Vector<Paired>& x, Plane& own) {
  return product_in_pairs(w, x, &own);
}

}  // namespace opref::evaluators
