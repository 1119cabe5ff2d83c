// SPDX-License-Identifier: Apache-2.0
// ai.onnx ConvInteger, version 10
// https://onnx.ai/onnx/operators/onnx__ConvInteger.html
#include "fast/fast.h"
#include "ops/operator_file.h"
#include "ops/shared/convolutions.h"
namespace opref::ops::onnx::file_conv_integer {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const Dims y = convolution_shape(call);
  for (const std::string_view name : {"x_zero_point", "w_zero_point"}) {
    if (!call.has(name)) continue;
    const Dims& shape = call.type(name).shape;
    const bool per_channel = name == "w_zero_point";
    require(shape.empty() || shape == Dims{1} || (per_channel && shape == Dims{y[1]}),
            "{} has shape {}, but must be a scalar{}", name, shape,
            per_channel ? format(" or have {}", Dims{y[1]}) : "");
  }
  return {TensorType{DType::int32, y}};
}

// y[n, m, o] = Σ (x[n, c, o*s + k*d - pb] - x_zero_point)·(w[m, c, k] - w_zero_point[m]),  modulo 2^32;
// padding is x_zero_point: it adds nothing
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Convolution places(call, outs[0].sink());
  const Tensor &data = call.input("x"), &kernels = call.input("w");
  const bool has_w_zero = call.has("w_zero_point");
  const std::int64_t x_zero = call.has("x_zero_point") ? call.integer("x_zero_point") : 0;
  const Elements x(data, x_zero), w(kernels), w_zero_point(has_w_zero ? call.input("w_zero_point") : kernels);
  const bool per_channel = has_w_zero && call.input("w_zero_point").count() > 1;
  const auto w_zero = [&](std::int64_t m) { return has_w_zero ? w_zero_point.integer(per_channel ? m : 0) : 0; };
  const auto definition = [&](std::int64_t i, auto& sum) {
    places.add_products(i, x, w.less(w_zero(places.channel(i))), sum);
  };
  const auto rows = [&](const RowTarget& y) {
    return fast::quantized_convolution(y, {data, kernels, call.integer("group"), places.axes(), x_zero, w_zero});
  };
  return {sum(outs[0], DType::int32, definition, {}, rows)};
}

void version_10(OpSchema& s) {
  s.attribute(auto_pad_attribute());
  convolution_attributes(s);
  s.input("x", "T1", "the data, (N, C, D1, …)")
      .input("w", "T2", "the kernels, (M, C/group, k1, …)")
      .input("x_zero_point", "T1", Arity::optional, "what is taken off x")
      .input("w_zero_point", "T2", Arity::optional, "what is taken off w, one number or one per output channel")
      .output("y", "T3", "the sums, (N, M, O1, …)")
      .types("T1", Types(DType::int8) | DType::uint8)
      .types("T2", Types(DType::int8) | DType::uint8)
      .types("T3", DType::int32);
}
}  // namespace
Operator conv_integer() {
  return convolution_operator("ConvInteger")
      .summary("the convolution of quantized numbers as they are, less their zero points")
      .version(10, version_10)
      .reading(pads_with_auto_pad_reading("conv_integer.pads_with_auto_pad", 10))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_conv_integer
