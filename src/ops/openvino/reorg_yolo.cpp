// SPDX-License-Identifier: Apache-2.0
// openvino ReorgYolo, version 2 (opset2)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_reorg_yolo {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, x] = call.type("input");
  const std::vector<std::int64_t> stride = call.integers("stride");
  require(stride.size() == 1, "attribute 'stride' has {}, but must have one", counted(std::ssize(stride), "value"));
  require(x.size() == 4, "input has rank {}, but must be [N, C, H, W]: rank 4", x.size());
  const std::int64_t s = stride[0], block = checked_multiply(s, s);
  require(x[2] % s == 0 && x[3] % s == 0, "input has shape {}, but H and W must be multiples of stride, {}", x, s);
  require(x[1] > 0 && x[1] % block == 0, "input has {}, but must have a multiple of stride² = {}",
          counted(x[1], "channel"), block);
  return {TensorType{dtype, Dims{x[0], checked_multiply(x[1], block), x[2] / s, x[3] / s}}};
}

// As Darknet has it, with D = C/s² and o = k div D, of k < C, j < H, i < W in each image:
//   output0[i + W·(j + H·k)] = input[i·s + o mod s + W·s·(j·s + o div s + H·s·(k mod D))]
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& input = call.input("input");
  const Dims& x = input.shape();
  const std::int64_t s = call.integers("stride")[0], C = x[1], H = x[2], W = x[3], D = C / (s * s);
  return {move(outs[0], input, [&](std::int64_t at) {
    const auto [n, k, j, i] = split(at, C, H, W);
    const std::int64_t o = k / D;
    return Run{n * C * H * W + i * s + o % s + W * s * (j * s + o / s + H * s * (k % D))};
  })};
}
}  // namespace
Operator reorg_yolo() {
  return Operator("openvino", "ReorgYolo")
      .summary("the elements in Darknet's order, as blocks of channels")
      .page("detection/reorg-yolo-1")
      .category("category object detection")
      .version(2,
               [](OpSchema& s) {
                 s.attribute(required(INTS, "stride", at_least(1)))
                     .input("input", "T")
                     .output("output0", "T")
                     .types("T", any_type);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_reorg_yolo
