// SPDX-License-Identifier: Apache-2.0
// openvino ReverseSequence, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_reverse_sequence {
namespace {
struct Axes {
  size_t batch, time;
};
Axes axes_of_node(const Call& call) {
  const size_t rank = call.type("data").rank();
  const Axes axes{call.axis("batch_axis", rank), call.axis("seq_axis", rank)};
  require(axes.batch != axes.time, "batch_axis and seq_axis are both {}", axes.batch);
  return axes;
}

std::vector<ValueType> output_types(const Call& call) {
  const TensorType& data = call.type("data");
  const Dims &lengths = call.type("seq_lengths").shape, wanted{data.shape[axes_of_node(call).batch]};
  require(lengths == wanted, "seq_lengths has shape {}, but must have {}: a length for each batch row", lengths,
          wanted);
  return {data};
}

std::vector<std::int64_t> lengths_of(const Call& call, std::int64_t steps) {
  std::vector<std::int64_t> lengths;
  const Elements stated(call.input("seq_lengths"));
  for (std::int64_t b = 0; b < call.input("seq_lengths").count(); ++b) {
    const double length = stated.number(b);
    require(length >= 1 && length <= nearly(steps) && length == std::floor(length),
            "seq_lengths[{}] is {}, but must be from 1 to {}, the steps of data", b, length, steps);
    lengths.push_back(static_cast<std::int64_t>(length));
  }
  return lengths;
}

// output0[…b…t…] = data[…b…seq_lengths[b] - 1 - t…] where t < seq_lengths[b], else data[…b…t…]
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims& data = outs[0].type().shape;
  const Axes axes = axes_of_node(call);
  const std::vector<std::int64_t> lengths = lengths_of(call, data[axes.time]);
  return {move(outs[0], call.input("data"), [&](std::int64_t i) {
    Dims at = coordinates(i, data);
    const std::int64_t length = lengths[static_cast<size_t>(at[axes.batch])];
    if (at[axes.time] < length) at[axes.time] = length - 1 - at[axes.time];
    return Run{position(at, data)};
  })};
}
}  // namespace
Operator reverse_sequence() {
  return Operator("openvino", "ReverseSequence")
      .summary("each batch row with its first elements along time in the reverse order")
      .page("movement/reverse-sequence-1")
      .category("category data movement")
      .version(1,
               [](OpSchema& s) {
                 s.attribute(with_default("batch_axis", 0))
                     .attribute(with_default("seq_axis", 1))
                     .input("data", "T1")
                     .input("seq_lengths", "T2")
                     .output("output0", "T1")
                     .types("T1", any_type)
                     .types("T2", computed_numbers);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_reverse_sequence
