// SPDX-License-Identifier: Apache-2.0
// ai.onnx ReverseSequence, versions 10, 28
// https://onnx.ai/onnx/operators/onnx__ReverseSequence.html
#include "ops/operator_file.h"
#include "ops/shared/control_flow.h"
namespace opref::ops::onnx::file_reverse_sequence {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const TensorType& input = call.type("input");
  const std::int64_t batch = call.integer("batch_axis"), time = call.integer("time_axis");
  require((batch == 0 && time == 1) || (batch == 1 && time == 0),
          "batch_axis is {} and time_axis {}, but one must be 0, the other 1", batch, time);
  require(input.rank() >= 2, "input has shape {}, but must have at least two axes", input.shape);
  const Dims &lens = call.type("sequence_lens").shape, wanted{input.shape[static_cast<size_t>(batch)]};
  require(lens == wanted, "sequence_lens has shape {}, but must have {}: a length for each batch row", lens, wanted);
  return {input};
}

// Y[b, t, …] = input[b, sequence_lens[b] - 1 - t, …] where t < sequence_lens[b], else input[b, t, …]
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims& input = outs[0].type().shape;
  const std::int64_t steps = input[static_cast<size_t>(call.integer("time_axis"))],
                     inner = element_count(input.without_first(2));
  const bool time_first = call.integer("time_axis") == 0;
  const SequenceLens lens(call, input[time_first ? 1 : 0], steps);
  return {move(outs[0], call.input("input"), [&](std::int64_t i) {
    const auto [first, second, in] = split(i, input[1], inner);
    const std::int64_t t = time_first ? first : second, len = lens[time_first ? second : first];
    const std::int64_t from = t < len ? len - 1 - t : t;
    return Run{(time_first ? from * input[1] + second : first * input[1] + from) * inner + in, inner - in};
  })};
}

void version_10(OpSchema& s) {
  s.input("input", "T").input("sequence_lens", "int64").output("Y", "T").types("T", types::basic);
  s.attribute(with_default("batch_axis", 1)).attribute(with_default("time_axis", 0));
}
}  // namespace
Operator reverse_sequence() {
  return Operator("ai.onnx", "ReverseSequence")
      .summary("each batch row with its first elements along time in the reverse order")
      .version(10, version_10)
      .version(28, adds("T", DType::bfloat16))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_reverse_sequence
