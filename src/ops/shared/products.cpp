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
Product product(const Call& call, std::string_view a_name, std::string_view b_name) {
  Dims a = call.type(a_name).shape, b = call.type(b_name).shape;
  require(!a.empty() && !b.empty(), "{} has shape {}, {} {}: scalars have no matrix product; Mul multiplies by them",
          a_name, a, b_name, b);
  const bool row = a.size() == 1, column = b.size() == 1;
  if (row) a = join(Dims{1}, a);
  if (column) b.push_back(1);
  const Dims m = a.without_first(a.size() - 2), n = b.without_first(b.size() - 2);
  require(m[1] == n[0],
          "{} has shape {}, {} {}: the columns of the first, {}, must be as many as the rows of the second, {}", a_name,
          call.type(a_name).shape, b_name, call.type(b_name).shape, m[1], n[0]);
  const Dims a_batch = a.first(a.size() - 2), b_batch = b.first(b.size() - 2), batch = broadcast(a_batch, b_batch);
  Dims shape = batch;
  if (!row) shape.push_back(m[0]);
  if (!column) shape.push_back(n[1]);
  const auto places = [&](const Dims& own, std::int64_t elements) {
    const Dims strides = broadcast_strides(own, batch);
    return Strided(batch, strides * Dims::filled(strides.size(), elements));
  };
  return {shape,
          m[0],
          m[1],
          n[1],
          places(a_batch, 1),
          places(b_batch, 1),
          places(a_batch, element_count(m)),
          places(b_batch, element_count(n))};
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
}  // namespace opref::ops
