// SPDX-License-Identifier: Apache-2.0
// openvino AdaptiveMaxPool, version 8 (opset8)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/pooling.h"
namespace opref::ops::openvino::file_adaptive_max_pool {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const Dims shape = AdaptiveWindows(call).shape();
  return {TensorType{call.type("data").dtype, shape}, TensorType{element_type_of(call, "index_element_type"), shape}};
}

// output0[n, c, o] = the greatest data[n, c, i] of the elements i of window o;  NaN wins, +0 is greater than -0.
// output1 is its place in the plane, the first one of equals.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const AdaptiveWindows windows(call);
  const Tensor& data = call.input("data");
  const std::int64_t plane = element_count(spatial(data.shape()));
  const Selection greatest(first_wanted(outs), data, Zeros::ordered, Extreme::greatest, Tie::first,
                           [&](std::int64_t i, Best& best) {
                             windows.each(windows.window(i), [&](const Run& run) { best.consider(run); });
                           });
  std::vector<Value> found(2);
  if (outs[0].wanted()) found[0] = greatest.values(outs[0]);
  if (outs[1].wanted()) found[1] = greatest.places(outs[1], [&](std::int64_t, std::int64_t at) { return at % plane; });
  return found;
}
}  // namespace
Operator adaptive_max_pool() {
  return Operator("openvino", "AdaptiveMaxPool")
      .summary("the greatest elements of windows that divide the data into a given number of parts")
      .page("pooling/adaptive-max-pool-8")
      .version(8,
               [](OpSchema& s) {
                 s.attribute(with_default("index_element_type", "i64", index_types()))
                     .input("data", "T")
                     .input("output_shape", "T_SHAPE")
                     .output("output0", "T")
                     .output("output1", "T_IND")
                     .types("T", computed_floats)
                     .types("T_SHAPE", types::signed_wide)
                     .types("T_IND", types::signed_wide);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_adaptive_max_pool
