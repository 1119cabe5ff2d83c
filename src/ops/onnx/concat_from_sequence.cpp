// SPDX-License-Identifier: Apache-2.0
// ai.onnx ConcatFromSequence, version 11
// https://onnx.ai/onnx/operators/onnx__ConcatFromSequence.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_concat_from_sequence {
namespace {
bool is_new(const Call& call) { return call.flag("new_axis"); }

/// "Accepted range in [-r, r - 1] … When new_axis is 1, … [-r - 1, r]."
size_t axis_in(const Call& call, size_t rank) {
  require(rank > 0 || is_new(call), "the elements of input_sequence are scalars, which can only be put on a new axis");
  return call.axis("axis", rank + (is_new(call) ? 1 : 0));
}

/// Of elements that are all known.
Dims result_shape(const Call& call, const TensorList& elements) {
  require(!elements.empty(), "input_sequence has no elements, but {} needs one", call.title());
  const Dims& first = elements[0].shape();
  const size_t axis = axis_in(call, first.size());
  if (is_new(call)) {
    for (size_t k = 1; k < elements.size(); ++k)
      require(elements[k].shape() == first, "element {} has shape {}, but element 0 {}: on a new axis they must agree",
              k, elements[k].shape(), first);
    return with_axis(first, axis, std::ssize(elements));
  }
  Dims shape = first;
  for (size_t k = 1; k < elements.size(); ++k) {
    const Dims& own = elements[k].shape();
    Dims expected = first;
    if (own.size() == first.size()) shape[axis] = checked_add(shape[axis], expected[axis] = own[axis]);
    require(own == expected, "element {} has shape {}, but element 0 {}: they may differ along axis {} alone", k, own,
            first, axis);
  }
  return shape;
}

std::vector<ValueType> output_types(const Call& call) {
  const DType dtype = call.value_type("input_sequence").dtype();
  if (!call.has_value("input_sequence")) return {ValueType::of_unknown_shape(dtype)};
  return {TensorType{dtype, result_shape(call, call.sequence("input_sequence").elements)}};
}

// concat_result = the elements of input_sequence one after another along axis, which may be a new one
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const TensorList& list = call.sequence("input_sequence").elements;
  const std::vector<Tensor> elements(list.begin(), list.end());
  const size_t axis = axis_in(call, elements[0].shape().size());
  return {is_new(call) ? stacked(outs[0], elements, axis) : concatenated(outs[0], elements, axis)};
}

void version_11(OpSchema& s) {
  s.input("input_sequence", "S").output("concat_result", "T");
  s.types("S", sequences(types::basic)).types("T", types::basic);
  s.attribute(required(INT, "axis")).attribute(with_default("new_axis", 0, flag()));
}
}  // namespace
Operator concat_from_sequence() {
  return Operator("ai.onnx", "ConcatFromSequence")
      .summary("the tensors of a sequence one after another along an axis, or on a new one")
      .version(11, version_11)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_concat_from_sequence
