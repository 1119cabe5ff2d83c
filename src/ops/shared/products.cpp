// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/products.h"

#include "core/error.h"
#include "evaluators/elements.h"
namespace opref::ops {
namespace {
/// The rules of rows and columns: `line` is the place of one among those of all matrices, `size` how many each has.
ParameterPlace place_of(const Call& call, std::string_view operand, std::string_view parameter, bool of_rows,
                        std::int64_t size, const std::function<std::int64_t(std::int64_t)>& line) {
  const Dims &of = call.type(operand).shape, shape = call.type(parameter).shape;
  if (shape.size() <= 1 && element_count(shape) == 1) return [](std::int64_t) { return 0; };
  require(of.size() >= 2, "{} has shape {}, but must be a scalar: {} is a vector", parameter, shape, operand);
  const char* lines = of_rows ? "rows" : "columns";
  if (shape.size() == 1) {
    require(shape[0] == size, "{} has shape {}, but {} has {} {}", parameter, shape, operand, size, lines);
    return [=](std::int64_t i) { return line(i) % size; };
  }
  Dims expected = of;
  expected[of.size() - (of_rows ? 1 : 2)] = 1;
  require(shape == expected, "{} has shape {}, but must be a scalar, have {} or, one for each of the {} of {}, {}",
          parameter, shape, Dims{size}, lines, operand, expected);
  return line;
}
}  // namespace
Factor factor(const Call& call, std::string_view input) {
  const Dims& shape = call.type(input).shape;
  return {std::string(input), shape, strides_of(shape)};
}
Product product(const Factor& a_factor, const Factor& b_factor) {
  Dims a = a_factor.shape, b = b_factor.shape, a_strides = a_factor.strides, b_strides = b_factor.strides;
  require(!a.empty() && !b.empty(), "{} has shape {}, {} {}: scalars have no matrix product; Mul multiplies by them",
          a_factor.name, a, b_factor.name, b);
  const bool row = a.size() == 1, column = b.size() == 1;
  if (row) a = join(Dims{1}, a), a_strides = join(Dims{0}, a_strides);
  if (column) b.push_back(1), b_strides.push_back(0);
  const size_t a_axes = a.size() - 2, b_axes = b.size() - 2;
  const Dims m = a.without_first(a_axes), n = b.without_first(b_axes);
  require(m[1] == n[0],
          "{} has shape {}, {} {}: the columns of the first, {}, must be as many as the rows of the second, {}",
          a_factor.name, a_factor.shape, b_factor.name, b_factor.shape, m[1], n[0]);
  const Dims a_batch = a.first(a_axes), b_batch = b.first(b_axes), batch = broadcast(a_batch, b_batch);
  Dims shape = batch;
  if (!row) shape.push_back(m[0]);
  if (!column) shape.push_back(n[1]);
  const auto matrix = [&](const Dims& own) { return Strided(batch, broadcast_strides(own, batch)); };
  const auto begin = [&](const Dims& own, const Dims& strides) {
    Dims steps = Dims::filled(batch.size(), 0);
    for (size_t axis = 0, first = batch.size() - own.size(); axis < own.size(); ++axis)
      if (own[axis] != 1) steps[first + axis] = strides[axis];
    return Strided(batch, steps);
  };
  return {shape,
          m[0],
          m[1],
          n[1],
          matrix(a_batch),
          matrix(b_batch),
          begin(a_batch, a_strides),
          begin(b_batch, b_strides),
          a_strides[a_axes],
          a_strides[a_axes + 1],
          b_strides[b_axes + 1],
          b_strides[b_axes]};
}

ParameterPlace row_parameter(const Call& call, const Product& p, std::string_view a, std::string_view parameter) {
  return place_of(call, a, parameter, true, p.M, [p](std::int64_t i) { return p.a_row(i); });
}
ParameterPlace column_parameter(const Call& call, const Product& p, std::string_view b, std::string_view parameter) {
  return place_of(call, b, parameter, false, p.N, [p](std::int64_t i) { return p.b_column(i); });
}
std::function<std::int64_t(std::int64_t i)> integer_at(const Tensor& parameter, const ParameterPlace& place) {
  if (!place) return [](std::int64_t) { return 0; };
  return [integers = evaluators::Elements(parameter), place](std::int64_t i) { return integers.integer(place(i)); };
}

fast::MatrixProduct Matrices::of(const Tensor& a, const Tensor& b) const {
  const auto factor = [&](const Tensor& x, std::int64_t lines, bool by_line) {
    return fast::MatrixFactor{x, Strided({}, {}), by_line ? K : 1, by_line ? 1 : lines};
  };
  return {factor(a, M, !transA), factor(b, N, transB), M, N, K};
}

Matrices matrices(const Call& call) {
  const Dims &a = call.type("A").shape, b = call.type("B").shape;
  require(a.size() == 2, "A has shape {}, but must be a matrix", a);
  require(b.size() == 2, "B has shape {}, but must be a matrix", b);
  const bool transA = call.flag("transA"), transB = call.flag("transB");
  const std::int64_t K = a[transA ? 0 : 1], rows = b[transB ? 1 : 0];
  const std::int64_t other_K = a[transA ? 1 : 0], other_rows = b[transB ? 0 : 1];
  const std::string fitting = K == other_rows   ? format("transB={}", transB ? 0 : 1)
                              : other_K == rows ? format("transA={}", transA ? 0 : 1)
                              : other_K == other_rows
                                  ? format("transA={} and transB={}", transA ? 0 : 1, transB ? 0 : 1)
                                  : "";
  require(K == rows, "A{} has {} columns, but B{} has {} rows{}", transA ? " transposed" : "", K,
          transB ? " transposed" : "", rows, fitting.empty() ? "" : format("; with {} it would fit", fitting));
  const Matrices p{a[transA ? 1 : 0], K, b[transB ? 0 : 1], transA, transB};
  if (!call.has("C")) return p;
  // "Inputs C should be unidirectional broadcastable to (M, N)"
  const Dims &c = call.type("C").shape, y = p.shape();
  require(c.size() <= 2 && broadcast(c, y) == y, "C has shape {}, which does not broadcast to {}", c, y);
  return p;
}

ScaledProduct::ScaledProduct(const Call& call, bool counts_c)
    : p(matrices(call)),
      alpha(call.number("alpha")),
      beta(call.number("beta")),
      A(call.input("A")),
      B(call.input("B")),
      C(counts_c && call.has("C") ? std::optional<Elements>(call.input("C")) : std::nullopt),
      c_place(p.shape(), C ? broadcast_strides(call.type("C").shape, p.shape()) : Dims{0, 0}) {}
}  // namespace opref::ops
