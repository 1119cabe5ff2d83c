// SPDX-License-Identifier: Apache-2.0
// ai.onnx QLinearMatMul, versions 10, 21
// https://onnx.ai/onnx/operators/onnx__QLinearMatMul.html
#include "ops/operator_file.h"
#include "ops/shared/products.h"
#include "ops/shared/quantized.h"
namespace opref::ops::onnx::file_q_linear_mat_mul {
namespace {
/// Numbers of 8 bits as integers: of float8 numbers times 2^kPlaces.
struct Quantized {
  static constexpr int kPlaces = 17;  // 2^-17 is the least number of float8e5m2fnuz
  Tensor tensor;
  double unit;
  Quantized(const Call& call, std::string_view name) : tensor(call.input(name)), unit(1) {
    if (is_integer(tensor.dtype())) return;
    const Elements numbers(tensor);
    TensorBuilder integers(TensorType{DType::int64, tensor.shape()});
    for (std::int64_t i = 0; i < tensor.count(); ++i) {
      const double number = numbers.number(i);
      require(std::isfinite(number), "{} has {}, which has no place among integers", name, number);
      integers.values<std::int64_t>()[static_cast<size_t>(i)] = static_cast<std::int64_t>(std::ldexp(number, kPlaces));
    }
    tensor = std::move(integers).finish();
    unit = std::ldexp(1.0, -kPlaces);
  }
};

struct Places {
  Product product;
  ParameterPlace a, b;  ///< of scales and zero points
};
Places places(const Call& call) {
  const Product p = product(call, "a", "b");
  for (const auto& [scale, zero_point] : {std::pair{"a_scale", "a_zero_point"}, std::pair{"b_scale", "b_zero_point"}})
    require(call.type(scale).shape == call.type(zero_point).shape, "{} has shape {}, but {} {}", scale,
            call.type(scale).shape, zero_point, call.type(zero_point).shape);
  require_scale_shapes(call, "y_scale", "y_zero_point");
  return {p, row_parameter(call, p, "a", "a_scale"), column_parameter(call, p, "b", "b_scale")};
}

std::vector<ValueType> output_types(const Call& call) {
  return {TensorType{call.type("y_zero_point").dtype, places(call).product.shape}};
}

// y[batch, m, n] = saturate(nearest(Σ over k of (a[batch, m, k] - a_zero_point[m])·a_scale[m] ·
//                                   (b[batch, k, n] - b_zero_point[n])·b_scale[n] / y_scale) + y_zero_point)
std::vector<Value> integers_of(const Call& call, std::span<const Output> outs, const Places& p) {
  const Quantized a_all(call, "a"), b_all(call, "b"), a_zero(call, "a_zero_point"), b_zero(call, "b_zero_point");
  const Elements a(a_all.tensor), b(b_all.tensor), a_scales(call.input("a_scale")), b_scales(call.input("b_scale"));
  const auto a_zero_point = integer_at(a_zero.tensor, p.a), b_zero_point = integer_at(b_zero.tensor, p.b);
  const auto a_scale = [&](std::int64_t i) { return a_scales.number(p.a(i)) * a_all.unit; };
  const auto b_scale = [&](std::int64_t i) { return b_scales.number(p.b(i)) * b_all.unit; };
  const double y_scale = call.number("y_scale");
  const Integers how{Integers::Rounding::nearest, call.integer("y_zero_point")};
  const auto definition = [&](std::int64_t i, auto& sum) {
    const Elements row = a.less(a_zero_point(i)), column = b.less(b_zero_point(i));
    sum.add(row[p.product.row(i)], column[p.product.column(i)]);
    sum.scale({a_scale(i) * b_scale(i), y_scale});
  };
  const auto rows = [&](const RowTarget& y) {
    const fast::Requantization requantized{a_scale, b_scale, y_scale, how};
    return fast::quantized_product(y,
                                   {p.product.of(a_all.tensor, b_all.tensor), a_zero_point, b_zero_point, requantized});
  };
  return {sum(outs[0], DType::int32, definition, how, rows)};
}

// Of float8: the quotient and the zero point together, rounded once
std::vector<Value> floats_of(const Call& call, std::span<const Output> outs, const Places& p) {
  const Elements a(call.input("a")), b(call.input("b")), a_zero_point(call.input("a_zero_point")),
      b_zero_point(call.input("b_zero_point")), a_scale(call.input("a_scale")), b_scale(call.input("b_scale")),
      y_scale(call.input("y_scale")), y_zero_point(call.input("y_zero_point"));
  const Conversion how{.saturates = call.reads("q_linear_mat_mul.float8", "saturate")};
  return {real(
      outs[0],
      [&]<class R>(std::int64_t i, const Reader<R>& x) {
        const Run row = p.product.row(i), column = p.product.column(i);
        R sum = x.zero();
        for (std::int64_t k = 0; k < row.count; ++k)
          sum = sum + (x(a, row.from + k) - x(a_zero_point, p.a(i))) *
                          (x(b, column.from + k * column.step) - x(b_zero_point, p.b(i)));
        const R scale = x(a_scale, p.a(i)) * x(b_scale, p.b(i)) / x(y_scale, 0);
        return x.named("the sum", sum) * scale + x(y_zero_point, 0);
      },
      how)};
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  for (const std::string_view scale : {"a_scale", "b_scale", "y_scale"}) require_scales(call, scale);
  const Places p = places(call);
  return is_integer(outs[0].type().dtype) ? integers_of(call, outs, p) : floats_of(call, outs, p);
}

bool has_float8(const Call& call) { return is_floating(call.type("y_zero_point").dtype); }

void version_10(OpSchema& s) {
  s.input("a", "T1").input("a_scale", "float32").input("a_zero_point", "T1");
  s.input("b", "T2").input("b_scale", "float32").input("b_zero_point", "T2");
  s.input("y_scale", "float32").input("y_zero_point", "T3").output("y", "T3");
  for (const char* variable : {"T1", "T2", "T3"}) s.types(variable, Types(DType::int8) | DType::uint8);
}

void version_21(OpSchema& s) {
  s.types("TS", Types(DType::bfloat16) | DType::float16 | DType::float32);
  for (const char* scale : {"a_scale", "b_scale", "y_scale"}) s.change_parameter(scale).type = "TS";
  for (const char* variable : {"T1", "T2", "T3"}) s.add_types(variable, types::float8);
}
}  // namespace
Operator q_linear_mat_mul() {
  return Operator("ai.onnx", "QLinearMatMul")
      .summary("the matrix product of quantized numbers, quantized again")
      .version(10, version_10)
      .version(21, version_21)
      .reading({.name = "q_linear_mat_mul.float8",
                .alternatives = {"saturate: beyond the range of a float8 type its greatest number",
                                 "overflow: infinity, or NaN where the type has none"},
                .defaults = {{21, "saturate"}},
                .reason = "the page says that the result saturates, as it does for integers",
                .may_change_values = has_float8})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_q_linear_mat_mul
