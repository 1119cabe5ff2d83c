// SPDX-License-Identifier: Apache-2.0
// openvino Inverse, version 14 (opset14)
#include "ops/operator_file.h"
#include "ops/shared/numbers.h"
#include "ops/shared/openvino.h"
#include "ops/shared/windows.h"
namespace opref::ops::openvino::file_inverse {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const TensorType& input = call.type("input");
  const Dims& x = input.shape;
  require(x.size() >= 2, "input has shape {}, but must have matrices, at least 2 axes", x);
  require(x[x.size() - 1] == x[x.size() - 2], "input has shape {}, but its matrices must be square", x);
  return {input};
}

/// n·n numbers, by rows.
template <class R>
struct Matrix {
  std::vector<R> numbers;
  size_t n;

  R& at(size_t i, size_t j) { return numbers[i * n + j]; }
  void exchange(size_t a, size_t b) {
    for (size_t j = 0; j < n; ++j) std::swap(at(a, j), at(b, j));
  }
  /// row a - row b·factor
  void subtract(size_t a, size_t b, const R& factor) {
    for (size_t j = 0; j < n; ++j) at(a, j) = at(a, j) - at(b, j) * factor;
  }
};

/// By Gauss and Jordan; nothing of a singular matrix.
std::optional<Matrix<Rational>> exact_inverse(Matrix<Rational> a) {
  Matrix<Rational> y{std::vector<Rational>(a.n * a.n), a.n};
  for (size_t k = 0; k < a.n; ++k) y.at(k, k) = 1;
  for (size_t k = 0; k < a.n; ++k) {
    size_t pivot = k;
    while (pivot < a.n && a.at(pivot, k) == Rational(0)) ++pivot;
    if (pivot == a.n) return std::nullopt;
    a.exchange(k, pivot), y.exchange(k, pivot);
    const Rational divisor = a.at(k, k);
    for (size_t j = 0; j < a.n; ++j) a.at(k, j) = a.at(k, j) / divisor, y.at(k, j) = y.at(k, j) / divisor;
    for (size_t i = 0; i < a.n; ++i) {
      const Rational factor = a.at(i, k);
      if (i == k || factor == Rational(0)) continue;
      require_time();
      a.subtract(i, k, factor), y.subtract(i, k, factor);
    }
  }
  return y;
}

/// As kernels compute it: by the greatest pivot of each column, then back from the last row.
Matrix<Faithful> computed_inverse(Matrix<Faithful> a) {
  Matrix<Faithful> y{std::vector<Faithful>(a.n * a.n, Faithful(0.0)), a.n};
  for (size_t k = 0; k < a.n; ++k) y.at(k, k) = Faithful(1.0);
  for (size_t k = 0; k < a.n; ++k) {
    size_t pivot = k;
    for (size_t i = k + 1; i < a.n; ++i)
      if (std::abs(a.at(i, k).high()) > std::abs(a.at(pivot, k).high())) pivot = i;
    a.exchange(k, pivot), y.exchange(k, pivot);
    for (size_t i = k + 1; i < a.n; ++i) {
      require_time();
      const Faithful factor = a.at(i, k) / a.at(k, k);
      a.subtract(i, k, factor), y.subtract(i, k, factor);
    }
  }
  for (size_t k = a.n; k-- > 0;)
    for (size_t j = 0; j < a.n; ++j) {
      SumOf<Faithful> sum;
      sum.add(y.at(k, j));
      for (size_t i = k + 1; i < a.n; ++i) sum.add(-(a.at(k, i) * y.at(i, j)));
      y.at(k, j) = sum.total() / a.at(k, k);
    }
  return y;
}

// output[b]·input[b] = 1, transposed where adjoint is set. A program is a matrix.
struct Inverses {
  explicit Inverses(const Call& call)
      : input(call.input("input")),
        n(call.type("input").shape[call.type("input").rank() - 1]),
        adjoint(call.flag("adjoint")) {
    const std::int64_t count = n == 0 ? 0 : call.input("input").count() / (n * n);
    for (std::int64_t b = 0; b < count; ++b) {
      std::optional<Matrix<Rational>> inverse =
          exact_inverse(matrix<Rational>([&](std::int64_t at) { return Rational::of(input.number(at)); }, b));
      require(inverse.has_value(), "input has a singular matrix: number {}", b);
      exact.push_back(*std::move(inverse));
    }
  }
  template <class R, class Number>
  Matrix<R> matrix(const Number& number, std::int64_t b) const {
    Matrix<R> y{{}, static_cast<size_t>(n)};
    for (std::int64_t at = b * n * n; at < (b + 1) * n * n; ++at) y.numbers.push_back(number(at));
    return y;
  }

  std::int64_t count() const { return std::ssize(exact); }
  std::int64_t program_of(size_t, std::int64_t at) const { return at / (n * n); }
  template <class R>
  void operator()(std::int64_t b, const Reader<R>& x, Writer<R>& y) const {
    const Matrix<R> read = matrix<R>([&](std::int64_t at) { return x(input, at); }, b);
    if constexpr (std::is_same_v<R, Faithful>) {
      const Matrix<Faithful> computed = computed_inverse(read);
      put(b, y, [&](size_t k) { return computed.numbers[k]; });
    } else {
      const Matrix<Rational>& known = exact[static_cast<size_t>(b)];
      put(b, y, [&](size_t k) {
        if constexpr (std::is_same_v<R, Interval>)
          return known.numbers[k].interval();
        else
          return estimate(known.numbers[k]);
      });
    }
  }

 private:
  template <class R, class Number>
  void put(std::int64_t b, Writer<R>& y, const Number& number) const {
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        y.put(0, (b * n + i) * n + j, [&] { return number(static_cast<size_t>(adjoint ? j * n + i : i * n + j)); });
  }
  static Bounded estimate(const Rational& number) {
    const double near = number.nearby();
    return {near, std::abs(near) * 0x1p-52 + 0x1p-1074};
  }

  Elements input;
  std::int64_t n;
  bool adjoint;
  std::vector<Matrix<Rational>> exact;
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  require_finite(call, "input");
  const Inverses inverses(call);
  return programs(outs, inverses.count(), inverses);
}
}  // namespace
Operator inverse() {
  return Operator("openvino", "Inverse")
      .summary("the inverse of each matrix, or its transpose")
      .page("matrix/inverse-14")
      .version(14,
               [](OpSchema& s) {
                 s.attribute(with_default("adjoint", 0, flag())).input("input", "T").output("output", "T");
                 s.types("T", computed_floats);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_inverse
