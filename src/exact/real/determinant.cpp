// SPDX-License-Identifier: Apache-2.0
#include "exact/real/determinant.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include "exact/mpfr.h"
#include "exact/real/with_precision.h"
#include "exact/rounding.h"
#include "system/deadline.h"

namespace opref::exact {
namespace {

class Integer {
 public:
  Integer() { mpz_init(z_); }
  Integer(Integer&& other) noexcept : Integer() { mpz_swap(z_, other.z_); }
  Integer& operator=(Integer&& other) noexcept {
    mpz_swap(z_, other.z_);
    return *this;
  }
  ~Integer() { mpz_clear(z_); }
  operator mpz_ptr() { return z_; }
  operator mpz_srcptr() const { return z_; }
  int sign() const { return mpz_sgn(z_); }

 private:
  mpz_t z_;
};

/// A matrix of integers times 2^exponent.
struct Whole {
  std::vector<std::vector<Integer>> rows;
  long exponent = 0;
};

/// Rows, then columns, are divided by the greatest power of two that they have in common.
Whole whole(const std::vector<double>& matrix, std::size_t n) {
  Whole y;
  for (std::size_t i = 0; i < n; ++i) {
    std::optional<int> least;
    for (std::size_t j = 0; j < n; ++j) {
      const Scaled x = scaled(matrix[i * n + j]);
      if (x.significand != 0) least = std::min(least.value_or(x.exponent), x.exponent);
    }
    std::vector<Integer>& row = y.rows.emplace_back(n);
    for (std::size_t j = 0; j < n; ++j) {
      const Scaled x = scaled(matrix[i * n + j]);
      mpz_set_ui(row[j], x.significand);
      if (x.significand != 0) mpz_mul_2exp(row[j], row[j], static_cast<unsigned long>(x.exponent - *least));
      if (x.negative) mpz_neg(row[j], row[j]);
    }
    y.exponent += least.value_or(0);
  }
  for (std::size_t j = 0; j < n; ++j) {
    std::optional<mp_bitcnt_t> least;
    for (const std::vector<Integer>& row : y.rows)
      if (row[j].sign() != 0) least = std::min(least.value_or(~mp_bitcnt_t{0}), mpz_scan1(row[j], 0));
    for (std::vector<Integer>& row : y.rows) mpz_tdiv_q_2exp(row[j], row[j], least.value_or(0));
    y.exponent += static_cast<long>(least.value_or(0));
  }
  return y;
}

/// Without fractions (Bareiss 1968): all numbers are minors of the matrix, so the divisions leave no rest.
Integer determinant(std::vector<std::vector<Integer>> a) {
  Integer divisor, product;
  mpz_set_ui(divisor, 1);
  bool is_negative = false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const auto pivot = std::find_if(a.begin() + static_cast<std::ptrdiff_t>(k), a.end(),
                                    [k](const std::vector<Integer>& row) { return row[k].sign() != 0; });
    if (pivot == a.end()) return {};
    if (pivot != a.begin() + static_cast<std::ptrdiff_t>(k)) std::swap(*pivot, a[k]), is_negative = !is_negative;
    for (std::size_t i = k + 1; i < a.size(); ++i) {
      require_time();
      for (std::size_t j = k + 1; j < a.size(); ++j) {
        mpz_mul(product, a[i][j], a[k][k]);
        mpz_submul(product, a[i][k], a[k][j]);
        mpz_divexact(a[i][j], product, divisor);
      }
    }
    mpz_set(divisor, a[k][k]);
  }
  if (is_negative) mpz_neg(divisor, divisor);
  return divisor;
}

/// z·2^exponent, in the precision that it needs.
Interval point(const Integer& z, long exponent) {
  const WithPrecision precision(std::max(Interval::precision, static_cast<MpfrPrecision>(mpz_sizeinbase(z, 2)) + 64));
  Interval y(0.0);
  for (std::size_t limb = mpz_size(z); limb-- > 0;)
    y = y * Interval(0x1p64) + Interval::of_integer(false, mpz_getlimbn(z, static_cast<mp_size_t>(limb)));
  for (long left = std::abs(exponent), step = 0; left > 0; left -= step) {
    step = std::min(left, 1000L);
    y = y * Interval(std::ldexp(1.0, static_cast<int>(exponent < 0 ? -step : step)));
  }
  return z.sign() < 0 ? -y : y;
}

}  // namespace

Interval determinant(const std::vector<double>& matrix, std::size_t n) {
  Whole a = whole(matrix, n);
  return point(determinant(std::move(a.rows)), a.exponent);
}

namespace {

double size_of(double x) { return std::abs(x); }
double size_of(const Faithful& x) { return std::abs(x.high()); }

/// P·A = L·U, each row by its greatest pivot: L below the diagonal, U from there on; which row is which. R is double,
/// or Faithful of a simulated kernel.
template <class R>
struct Triangles {
  std::vector<R> lu;
  std::vector<std::size_t> row;
  std::size_t n;
  bool is_singular = false, is_negative = false;  ///< negative: an odd number of rows are exchanged

  Triangles(std::vector<R> matrix, std::size_t size) : lu(std::move(matrix)), n(size) {
    for (std::size_t i = 0; i < n; ++i) row.push_back(i);
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t pivot = k;
      for (std::size_t i = k + 1; i < n; ++i)
        if (size_of(at(i, k)) > size_of(at(pivot, k))) pivot = i;
      if (size_of(at(pivot, k)) == 0) {
        is_singular = true;
        continue;
      }
      if (pivot != k) {
        std::swap(row[k], row[pivot]), is_negative = !is_negative;
        for (std::size_t j = 0; j < n; ++j) std::swap(at(k, j), at(pivot, j));
      }
      for (std::size_t i = k + 1; i < n; ++i) {
        require_time();
        at(i, k) = at(i, k) / at(k, k);
        for (std::size_t j = k + 1; j < n; ++j) at(i, j) = at(i, j) - at(i, k) * at(k, j);
      }
    }
  }
  R& at(std::size_t i, std::size_t j) { return lu[i * n + j]; }
  const R& at(std::size_t i, std::size_t j) const { return lu[i * n + j]; }
  /// |L|·|U| of the matrix's row and column.
  double size(std::size_t i, std::size_t j) const {
    double sum = i <= j ? std::abs(at(i, j)) : 0;
    for (std::size_t k = 0; k < std::min(i, j + 1); ++k) sum += std::abs(at(i, k)) * std::abs(at(k, j));
    return sum;
  }
  /// Column j of the inverse, which belongs to the matrix's row `row[j]`.
  std::vector<double> inverse_column(std::size_t j) const {
    std::vector<double> x(n);
    x[j] = 1;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < i; ++k) x[i] -= at(i, k) * x[k];
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) x[i] -= at(i, k) * x[k];
      x[i] /= at(i, i);
    }
    return x;
  }
};

/// The simulated kernel's own.
Faithful simulated_determinant(const std::vector<double>& matrix, std::size_t n) {
  std::vector<Faithful> numbers;
  for (const double x : matrix) numbers.push_back(Faithful::input(x));
  const Triangles<Faithful> triangles(std::move(numbers), n);
  Faithful product(triangles.is_singular ? 0.0 : triangles.is_negative ? -1.0 : 1.0);
  for (std::size_t k = 0; k < n; ++k) product = product * triangles.at(k, k);
  return product;
}

/// Π (1 + x) - 1 and less than the sum's exponential.
double product_less_one(const std::vector<double>& x) {
  double logarithm = 0;
  for (const double one : x) logarithm += one;
  return logarithm < 1 ? logarithm * (1 + logarithm) : HUGE_VAL;
}

}  // namespace

Faithful computed_determinant(const std::vector<double>& matrix, std::size_t n) {
  if (Faithful::simulated != nullptr) return simulated_determinant(matrix, n);
  constexpr double kPay = 2;  // other pivots, and what doubles lose
  const KernelModel& kernel = Faithful::kernel;
  const double u = kernel.unit_roundoff(),
               of_sums = 1.01 * (static_cast<double>(n) + 2 * kernel.functions.division) * u;
  double high = 0, low = 0;
  const Interval exact = determinant(matrix, n);
  settle(exact, high);
  settle(exact - Interval(high), low);
  const Triangles<double> triangles(matrix, n);
  std::vector<double> delta(n * n);  // of the matrix's rows as the triangles have them
  double by_rows = 0, lengths = 1;
  for (std::size_t i = 0; i < n; ++i) {
    double length = 0, moved = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double a = std::abs(matrix[triangles.row[i] * n + j]);
      delta[i * n + j] = kPay * of_sums * triangles.size(i, j) + Faithful::input(a).error();
      length += a * a, moved += delta[i * n + j] * delta[i * n + j];
    }
    // (Π lengths + what they are moved) - Π lengths, a row at a time
    const double all = std::sqrt(length) + std::sqrt(moved);
    by_rows = by_rows * all + lengths * std::sqrt(moved);
    lengths *= std::sqrt(length);
  }
  double error = by_rows;
  if (!triangles.is_singular) {
    // |det(I + E) - 1| <= Π (1 + Σ_j |E_ij|) - 1 with E = A^-1·Δ
    std::vector<double> sums(n);
    for (std::size_t k = 0; k < n; ++k) {
      const std::vector<double> inverse = triangles.inverse_column(k);
      double of_row = 0;
      for (std::size_t j = 0; j < n; ++j) of_row += delta[k * n + j];
      for (std::size_t i = 0; i < n; ++i) sums[i] += std::abs(inverse[i]) * of_row;
    }
    error = std::min(error, std::abs(high) * product_less_one(sums));
  }
  const double of_product = static_cast<double>(n) * u * (std::abs(high) + error);
  return {high, low, (error + of_product) * 1.01};
}

}  // namespace opref::exact
