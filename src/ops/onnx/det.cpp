// SPDX-License-Identifier: Apache-2.0
// ai.onnx Det, versions 11, 22
// https://onnx.ai/onnx/operators/onnx__Det.html
#include "exact/real/determinant.h"
#include "exact/real/steps.h"
#include "ops/operator_file.h"
#include "ops/unspecified.h"
namespace opref::ops::onnx::file_det {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, x] = call.type("X");
  require(x.size() >= 2, "X has shape {}, but must have matrices, at least 2 axes", x);
  require(x[x.size() - 1] == x[x.size() - 2], "X has shape {}, but its matrices must be square", x);
  return {TensorType{dtype, x.first(x.size() - 2)}};
}

constexpr std::int64_t kMostByPermutations = 3;

/// Σ over the permutations p of sign(p)·Π X[i, p(i)], of n <= 3: also with infinities.
template <class R>
R by_permutations(const std::vector<R>& x, size_t n) {
  std::vector<size_t> p(n);
  std::iota(p.begin(), p.end(), 0);
  R sum(0.0);
  do {
    R product(1.0);
    size_t inversions = 0;
    for (size_t i = 0; i < n; ++i) {
      product = product * x[i * n + p[i]];
      for (size_t j = i + 1; j < n; ++j) inversions += p[i] > p[j] ? 1 : 0;
    }
    sum = sum + (inversions % 2 == 0 ? product : -product);
  } while (std::ranges::next_permutation(p).found);
  return sum;
}

/// The same of finite numbers without divisions, in n^4 steps (Berkowitz 1984): the coefficients of the characteristic
/// polynomials of the leading minors, one after another. So an estimate is exact where its digits are.
template <class R>
R by_minors(const Reader<R>& reader, const std::vector<R>& x, size_t n) {
  std::vector<R> polynomial{R(1.0)};  // of the empty matrix, the highest power first
  for (size_t r = 0; r < n; ++r) {
    // The Toeplitz column 1, -a, -R·S, -R·M·S, -R·M²·S, …: M is the leading minor, R its row below, S its column.
    std::vector<R> column{R(1.0), -x[r * n + r]}, power;
    for (size_t i = 0; i < r; ++i) power.push_back(x[i * n + r]);
    for (size_t k = 0; k < r; ++k) {
      const auto times_power = [&](size_t i) {
        return reader.dot(std::span(x).subspan(i * n, r), std::span<const R>(power));
      };
      column.push_back(-times_power(r));
      std::vector<R> next;
      for (size_t i = 0; i < r && k + 1 < r; ++i) next.push_back(times_power(i));
      power = std::move(next);
    }
    std::vector<R> grown;
    for (size_t i = 0; i <= r + 1; ++i) {
      R sum(0.0);
      for (size_t j = 0; j <= std::min(i, r); ++j) sum = sum + column[i - j] * polynomial[j];
      grown.push_back(sum);
    }
    polynomial = std::move(grown);
  }
  return n % 2 == 0 ? polynomial.back() : -polynomial.back();
}

/// Few are added up as they stand, or eliminated as more are: as one simulated kernel does it, and the next one.
Faithful as_computed(const std::vector<Faithful>& x, const std::vector<double>& numbers, size_t n) {
  const Faithful eliminated = exact::computed_determinant(numbers, n);
  if (n > kMostByPermutations) return eliminated;
  const Faithful added = by_permutations(x, n);
  if (const exact::SimulatedKernel* kernel = Faithful::simulated) return kernel->run % 2 == 0 ? added : eliminated;
  return added.error() > eliminated.error() ? added : eliminated;
}

// Y[batch] = Σ over all permutations p of sign(p) · Π over i of X[batch, i, p(i)];  of no elements 1
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Elements X(call.input("X"));
  const Dims& shape = call.type("X").shape;
  const std::int64_t n = shape[shape.size() - 1];
  return {real(outs[0], [&]<class R>(std::int64_t i, const Reader<R>& x) {
    std::vector<R> matrix;
    std::vector<double> numbers;
    bool is_finite = true;
    for (std::int64_t k = i * n * n; k < (i + 1) * n * n; ++k) {
      matrix.push_back(x(X, k)), numbers.push_back(X.number(k));
      is_finite &= std::isfinite(numbers.back());
    }
    if constexpr (std::is_same_v<R, Faithful>)
      if (is_finite) return as_computed(matrix, numbers, static_cast<size_t>(n));
    if (n <= kMostByPermutations) return by_permutations(matrix, static_cast<size_t>(n));
    // An infinity meets a zero, or products of both signs.
    if (!is_finite) return x.zero() / x.zero();
    if constexpr (std::is_same_v<R, Interval>)
      if (!exact::Steps::type()) return exact::determinant(numbers, static_cast<size_t>(n));
    return x.sum(by_minors(x, matrix, static_cast<size_t>(n)));
  })};
}

void version_11(OpSchema& s) {
  s.input("X", "T").output("Y", "T").types("T", types::floats,
                                           "Constrain input and output types to floating-point tensors.");
}
}  // namespace
Unspecified unspecified_of_det(const Call& call, size_t) {
  const Dims& shape = call.type("X").shape;
  const std::int64_t n = shape[shape.size() - 1];
  if (!call.has_value("X") || n < 2) return nullptr;
  return [x = call.input("X"), n](std::int64_t i) {
    const Elements X(x);
    bool has_infinity = false;
    for (std::int64_t k = i * n * n; k < (i + 1) * n * n; ++k) {
      if (std::isnan(X.number(k))) return false;
      has_infinity |= std::isinf(X.number(k));
    }
    return has_infinity;
  };
}
Operator det() {
  return Operator("ai.onnx", "Det")
      .summary("the determinant of each matrix")
      .version(11, version_11)
      .version(22, adds("T", DType::bfloat16))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_det
