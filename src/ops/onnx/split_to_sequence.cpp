// SPDX-License-Identifier: Apache-2.0
// ai.onnx SplitToSequence, versions 11, 24
// https://onnx.ai/onnx/operators/onnx__SplitToSequence.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_split_to_sequence {
namespace {
/// "'split' is either a scalar (tensor of empty shape), or a 1-D tensor".
void require_split_shape(const Call& call) {
  if (!call.has("split")) return;
  const Dims& shape = call.type("split").shape;
  require(shape.size() <= 1, "split has shape {}, but must be a scalar or a list", shape);
}

bool has_list(const Call& call) { return call.has("split") && !call.type("split").shape.empty(); }

/// Of all parts but the last one, which may be smaller: the scalar, or 1.
std::int64_t equal_size(const Call& call) {
  const std::int64_t size = call.has("split") ? call.integer("split") : 1;
  require(size > 0, "split is {}, but parts must have a size above 0", size);
  return size;
}

std::vector<std::int64_t> equal_sizes(const Call& call, std::int64_t size) {
  const std::int64_t part = equal_size(call);
  call.require_room(checked_multiply(ceil_divide(size, part), kSequenceElementBytes));
  std::vector<std::int64_t> parts;
  for (std::int64_t rest = size; rest > 0; rest -= parts.back()) parts.push_back(std::min(rest, part));
  return parts;
}

/// The list: the size of each part along the axis of `size`.
std::vector<std::int64_t> stated_sizes(const Call& call, std::int64_t size) {
  call.require_room(checked_multiply(element_count(call.type("split").shape), kSequenceElementBytes));
  const std::vector<std::int64_t> parts = call.integers("split");
  const bool allows_zero = call.reads("split_to_sequence.zero", "allowed");
  std::int64_t sum = 0;
  for (size_t k = 0; k < parts.size(); ++k) {
    require(parts[k] >= (allows_zero ? 0 : 1), "split[{}] is {}, but no part can be {}", k, parts[k],
            parts[k] < 0 ? "smaller than 0" : "empty; the reading split_to_sequence.zero=allowed takes it");
    sum = checked_add(sum, parts[k]);
  }
  require(sum == size, "the sizes in split are {} in all, but the axis has size {}", sum, size);
  return parts;
}

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, input] = call.type("input");
  require(!input.empty(), "input is a scalar, but needs an axis to be split along");
  const size_t axis = call.axis("axis", input.size());
  require_split_shape(call);
  if (has_list(call) && call.has_value("split")) stated_sizes(call, input[axis]);
  if (!has_list(call) && (!call.has("split") || call.has_value("split"))) equal_size(call);
  return {ValueType(Form::sequence, dtype)};
}

// output_sequence[k] = input[…, first … first + size[k], …], first being the sum of the sizes before
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& input = call.input("input");
  const auto axis = call.axis("axis", input.shape().size());
  const bool drops_axis = !call.has("split") && !call.flag("keepdims");
  Sequence parts{input.dtype(), {}};
  std::int64_t first = 0;
  const std::int64_t whole = input.shape()[axis];
  for (const std::int64_t size : has_list(call) ? stated_sizes(call, whole) : equal_sizes(call, whole)) {
    Dims shape = input.shape();
    shape[axis] = size;
    if (drops_axis) shape = without_axis(shape, axis);
    parts.elements.push_back(part_along(outs[0].inner({input.dtype(), shape}), input, axis, first));
    first += size;
  }
  return {std::move(parts)};
}

void version_11(OpSchema& s) {
  s.input("input", "T").input("split", "I", Arity::optional).output("output_sequence", "S");
  s.types("T", types::basic).types("I", types::signed_wide).types("S", sequences(types::basic));
  s.attribute(with_default("axis", 0)).attribute(with_default("keepdims", 1, flag()));
}
}  // namespace
Operator split_to_sequence() {
  return Operator("ai.onnx", "SplitToSequence")
      .summary("consecutive parts of a tensor along an axis, as a sequence")
      .version(11, version_11)
      .version(24, adds("T", DType::bfloat16), adds("S", sequences(DType::bfloat16)))
      .reading({.name = "split_to_sequence.zero",
                .alternatives = {"allowed: a part may have size 0", "invalid: it must be larger"},
                .defaults = {{11, "allowed"}},
                .reason = "the summary says \"positive numbers\", the input's own description \"must be >= 0\""})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_split_to_sequence
