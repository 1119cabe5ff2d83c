// SPDX-License-Identifier: Apache-2.0
// ai.onnx ConvInteger, version 10
// https://onnx.ai/onnx/operators/onnx__ConvInteger.html
#include "core/error.h"
#include "families/sum.h"
#include "ops/common/convolution.h"

namespace opref::ops::onnx {
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
  const bool has_w_zero = call.has("w_zero_point");
  const Elements x(call.input("x"), call.has("x_zero_point") ? call.integer("x_zero_point") : 0), w(call.input("w")),
      w_zero_point(call.input(has_w_zero ? "w_zero_point" : "w"));
  const bool per_channel =
      has_w_zero && call.type("w_zero_point").shape != Dims{} && call.input("w_zero_point").count() > 1;
  return {sum(outs[0], DType::int32, [&](std::int64_t i, auto& sum) {
    const std::int64_t m = per_channel ? places.channel(i) : 0;
    places.add_products(i, x, w.less(has_w_zero ? w_zero_point.integer(m) : 0), sum);
  })};
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

}  // namespace opref::ops::onnx
