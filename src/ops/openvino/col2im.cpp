// SPDX-License-Identifier: Apache-2.0
// openvino Col2Im, version 15 (opset15)
#include "ops/operator_file.h"
#include "ops/shared/blocks.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_col2im {
namespace {
constexpr BlockInputs kInputs{"data", "output_size", "kernel_size"};

// The windows of output_size of which each column is one.
PoolingWindows blocks(const Call& call) {
  const auto [image, block] = image_and_block(call, kInputs);
  require(image.size() == 2, "output_size is {}, but must have a height and a width", image);
  return placed({image,
                 block,
                 per_axis(call, "strides", 2, 1),
                 per_axis(call, "dilations", 2, 1),
                 {per_axis(call, "pads_begin", 2, 0), per_axis(call, "pads_end", 2, 0)},
                 image},
                {});
}

std::vector<ValueType> output_types(const Call& call) {
  const Dims& data = call.type("data").shape;
  require(data.size() == 2 || data.size() == 3, "data has rank {}, but must be [C * kernel sizes, L] or [N, …]: 2 or 3",
          data.size());
  return {images_type(call, kInputs, blocks(call))};
}

// out[(n,) c, i] = Σ data[(n,) c*K + k, b] over blocks b and places k in a block with b*strides + k*dilations -
// pads_begin = i
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return {images_of(outs[0], call.input("data"), blocks(call))};
}
}  // namespace
Operator col2im() {
  return Operator("openvino", "Col2Im")
      .summary("adds up columns, each the elements of a block, at the blocks' places in images")
      .page("movement/col2im-15")
      .category("category data movement")
      .version(15,
               [](OpSchema& s) {
                 s.attribute(per_axis_attribute("strides", 1))
                     .attribute(per_axis_attribute("dilations", 1))
                     .attribute(per_axis_attribute("pads_begin", 0))
                     .attribute(per_axis_attribute("pads_end", 0))
                     .input("data", "T")
                     .input("output_size", "T_IND")
                     .input("kernel_size", "T_IND")
                     .output("out", "T")
                     .types("T", computed_numbers)
                     .types("T_IND", types::signed_wide);
               })
      .output_types(output_types)
      .placement([](const Call& call) {
        return std::vector<Dims>{blocks(call).pads.begin, blocks(call).O};
      })
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_col2im
