// SPDX-License-Identifier: Apache-2.0
// openvino PReLU, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_p_relu {
namespace {
// A slope of one axis with a value for each channel lies along axis 1, even where it fits the last axis too.
void along_channels(const Call& call, Restated& prelu) {
  const Dims &data = call.type("data").shape, &slope = call.type("slope").shape;
  if (slope.size() != 1 || data.size() < 2 || slope[0] != data[1] || call.reads("prelu.one_dimensional", "last"))
    return;
  Dims shape = Dims::filled(data.size() - 1, 1);
  shape[0] = slope[0];
  reshape(prelu.inputs[1], shape);
}
}  // namespace
Operator p_relu() {
  return Operator("openvino", "PReLU")
      .summary("data, but slope·data where that is below 0")
      .page("activation/prelu-1")
      .category("category activation function")
      .version(1,
               [](OpSchema& s) {
                 s.input("data", "T").input("slope", "T").output("output0", "T").types("T", computed_floats);
               })
      .reading({.name = "prelu.one_dimensional",
                .alternatives = {"channels: a slope of one axis with a value for each channel lies along axis 1",
                                 "last: it lies along the last axis, as NumPy's broadcasting has it"},
                .defaults = {{1, "channels"}},
                .reason = "the page: one slope per channel; the CPU plugin and the reference do so",
                .may_change_values = [](const Call& call) { return call.type("slope").rank() == 1; }})
      .as("ai.onnx", "PRelu", 16, {{"data", "X"}, {"output0", "Y"}})
      .restated(along_channels);
}
}  // namespace opref::ops::openvino::file_p_relu
