// SPDX-License-Identifier: Apache-2.0
// com.microsoft QLinearWhere, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearWhere
#include "ops/operator_file.h"
#include "ops/shared/requantized.h"
namespace opref::ops::microsoft::file_q_linear_where {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  require_single_numbers(call, {"x_scale", "x_zero_point", "y_scale", "y_zero_point", "z_scale", "z_zero_point"});
  const Dims pair = broadcast(call.type("X").shape, call.type("Y").shape);
  return {TensorType{call.type("X").dtype, broadcast(call.type("condition").shape, pair)}};
}

// Z = saturate(nearest(v / z_scale) + z_zero_point), v being (X - x_zero_point)·x_scale where the condition is true,
// else (Y - y_zero_point)·y_scale
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  require_usual_scales(call, {"x_scale", "y_scale", "z_scale"});
  const Dims& shape = outs[0].type().shape;
  const auto places = [&](std::string_view of) {
    return Strided(shape, broadcast_strides(call.type(of).shape, shape));
  };
  const Strided of_condition = places("condition"), of_x = places("X"), of_y = places("Y");
  const Elements condition(call.input("condition")), X(call.input("X")), Y(call.input("Y")),
      x_scale(call.input("x_scale")), x_zero_point(call.input("x_zero_point")), y_scale(call.input("y_scale")),
      y_zero_point(call.input("y_zero_point")), z_scale(call.input("z_scale")),
      z_zero_point(call.input("z_zero_point"));
  const Requantizing how(outs[0]);
  return {real(outs[0], [&]<class R>(std::int64_t i, const Reader<R>& x) {
    const std::int64_t at = of_condition(i);
    x(condition, at);
    const R v = condition.integer(at) != 0 ? how.real(x(X, of_x(i)), x(x_scale, 0), x(x_zero_point, 0))
                                           : how.real(x(Y, of_y(i)), x(y_scale, 0), x(y_zero_point, 0));
    return how.integer(v, x(z_scale, 0), x(z_zero_point, 0));
  })};
}

void version_1(OpSchema& s) {
  s.input("condition", "B").input("X", "T").input("x_scale", "TF").input("x_zero_point", "T");
  s.input("Y", "T").input("y_scale", "TF").input("y_zero_point", "T").input("z_scale", "TF").input("z_zero_point", "T");
  s.output("Z", "T").types("B", DType::boolean).types("TF", DType::float32).types("T", {DType::int8, DType::uint8});
}
}  // namespace
Operator q_linear_where() {
  return Operator("com.microsoft", "QLinearWhere")
      .summary("the quantized numbers of X where the condition is true, else those of Y, quantized again")
      .version(1, version_1)
      .reading(arithmetic_reading())
      .reading(any_scale_reading(has_unusual_scale))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_q_linear_where
