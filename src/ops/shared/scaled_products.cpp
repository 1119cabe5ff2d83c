// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/scaled_products.h"

#include "core/error.h"
#include "evaluators/sum.h"
#include "ops/shared/parameters.h"
namespace opref::ops {
using namespace evaluators;
ProductSums::ProductSums(const Output& y, fast::QuantizedProduct product, std::function<Run(std::int64_t i)> row,
                         std::function<Run(std::int64_t i)> column)
    : product_(std::move(product)),
      row_(std::move(row)),
      column_(std::move(column)),
      a_(product_.of.a.x),
      b_(product_.of.b.x),
      told_(product_.of.a.x),
      wraps_(y.call().reads("integer_product.overflow", "modulo")) {
  if (y.sink() != nullptr || y.only() || !y.wanted()) return;
  const DType type = wraps_ || !may_overflow(product_.of.K) ? DType::int32 : DType::int64;
  const auto definition = [&](std::int64_t i, auto& sum) {
    const Elements a = a_.less(product_.a_zero(i)), b = b_.less(product_.b_zero(i));
    sum.add(a[row_(i)], b[column_(i)]);
  };
  const auto rows = [&](const RowTarget& target) { return fast::quantized_product(target, product_); };
  sums_ = evaluators::sum(y.inner({type, y.type().shape}), DType::int32, definition, {},
                          type == DType::int32 ? Rows(rows) : Rows());
}
std::int64_t ProductSums::one(std::int64_t i, const Run& row, const Run& column) const {
  const Elements a = a_.less(product_.a_zero(i)), b = b_.less(product_.b_zero(i));
  std::int64_t sum = 0;
  for (std::int64_t k = 0; k < row.count; ++k)
    sum += a.integer(row.from + k * row.step) * b.integer(column.from + k * column.step);
  return wraps_ ? static_cast<std::int32_t>(sum) : sum;
}
std::function<std::int64_t(std::int64_t i)> of_columns(const Call& call, std::string_view parameter,
                                                       std::int64_t columns) {
  if (!call.has(parameter)) return [](std::int64_t) { return 0; };
  const Dims& shape = call.type(parameter).shape;
  if (shape.empty() || shape == Dims{1}) return [](std::int64_t) { return 0; };
  require(shape == Dims{columns}, "{} has shape {}, but must be one number or have {}: one for each column", parameter,
          shape, Dims{columns});
  return [columns](std::int64_t i) { return i % columns; };
}

void require_column_bias(const Call& call, std::int64_t columns) {
  if (!call.has("bias")) return;
  require(call.type("bias").shape == Dims{columns}, "bias has shape {}, but must have {}: one number for each column",
          call.type("bias").shape, Dims{columns});
}

Tensor scaled_product(const Call& call, const Output& y, const Product& p, const ScaledFactor& a) {
  const auto of_scale = of_columns(call, "b_scale", p.N), of_zero = of_columns(call, "b_zero_point", p.N);
  const auto b_zero = integer_at(call.input(call.has("b_zero_point") ? "b_zero_point" : "B"),
                                 call.has("b_zero_point") ? ParameterPlace(of_zero) : nullptr);
  ProductSums sums(
      y, {p.of(a.integers, call.input("B")), a.zero_point, b_zero}, [p](std::int64_t i) { return p.row(i); },
      [p](std::int64_t i) { return p.column(i); });
  if (a.made_of) sums.read_instead(*a.made_of);
  const Elements a_scale(a.scale), b_scale(call.input("b_scale"));
  const std::optional<Elements> bias = elements_if_given(call, "bias");
  return real(y, [&]<class R>(std::int64_t i, const Reader<R>& x) {
    const R scaled =
        sums.of(i, x) * x.named("the scale of the first", x(a_scale, a.place(i))) * x(b_scale, of_scale(i));
    return bias ? x.sum(scaled, x(*bias, i % p.N)) : x.sum(scaled);
  });
}

Reading row_scale_reading() {
  return {
      .name = "matmul_integer_to_float.a_scale",
      .alternatives = {"scalar: A has one scale and one zero point",
                       "per_row: or one for each row, as those of MatMulInteger"},
      .defaults = {{1, "scalar"}},
      .reason = "the page speaks of columns of A, which no formula could take out of the sum; onnxruntime takes one"};
}
Reading overflow_reading(bool (*of)(const Call&)) {
  return {.name = "integer_product.overflow",
          .alternatives = {"exact: the sum of products is a number", "modulo: it is one modulo 2^32, as an int32"},
          .defaults = {{1, "exact"}},
          .reason = "a formula of numbers; sums beyond 2^31 need more than 33,000 products",
          .may_change_values = of};
}
}  // namespace opref::ops
