// SPDX-License-Identifier: Apache-2.0
#include "ops/common/broadcast.h"

#include <algorithm>

#include "core/error.h"
#include "families/strided.h"

namespace opref::ops {
namespace {

constexpr std::string_view kUnitDims = "old_broadcast.unit_dims";

TensorType operand(const Call& call, size_t k) { return call.type(call.schema().inputs()[k].name); }

/// "If necessary the right-hand-side argument will be broadcasted to match the shape of left-hand-side argument."
bool is_old(const Call& call) { return call.schema().find_attribute("broadcast") != nullptr; }

/// "When broadcasting is specified, the second tensor can either be of element size 1 … or having its shape as a
/// contiguous subset of the first tensor's shape. The starting of the mutually equal shape is specified by the argument
/// 'axis', and if it is not set, suffix matching is assumed."
///
/// B's shape with axes of 1 at its end, so that it lies on A's axes from `axis` on.
Dims old_shape(const Call& call) {
  const Dims a = operand(call, 0).shape, b = operand(call, 1).shape;
  if (call.integer("broadcast") == 0) {
    require(a == b, "A has shape {}, but B {}; without broadcast they must be the same", a, b);
    return b;
  }
  require(b.size() <= a.size(), "B has shape {}, but cannot have more axes than A, which has shape {}", b, a);
  if (element_count(b) == 1) return Dims{};
  const auto suffix = static_cast<std::int64_t>(a.size() - b.size());
  const std::int64_t axis = call.has_here("axis") ? call.integer("axis") : suffix;
  require(axis >= 0 && axis <= suffix, "attribute 'axis' is {}, but B of shape {} lies on A of shape {} from 0 to {}",
          axis, b, a, suffix);
  Dims shape = b;
  for (size_t k = 0; k < b.size(); ++k) {
    const std::int64_t size = a[static_cast<size_t>(axis) + k];
    require(b[k] == size || (b[k] == 1 && call.reads(kUnitDims, "expand")),
            "B has shape {}, which does not fit A of shape {} from axis {} on", b, a, axis);
  }
  for (std::int64_t k = axis; k < suffix; ++k) shape.push_back(1);
  return shape;
}

void version_1(OpSchema& s) {
  s.attribute(optional(INT, "axis"))
      .attribute(with_default("broadcast", 0, flag()))
      .attribute(optional(INTS, "consumed_inputs"))
      .input("A", "T", "whose shape the output has")
      .input("B", "T", "broadcast to A where the attribute says so")
      .output("C", "T")
      .types("T", types::floats, "Constrain input and output types to float tensors.")
      .shape_inference(ShapeInference::none);
}

void version_6(OpSchema& s) {
  s.remove("consumed_inputs").add_types("T", types::wide).shape_inference(ShapeInference::onnx);
}

void version_7(OpSchema& s) {
  s.remove("axis").remove("broadcast").wording("A and B broadcast to each other, as in NumPy");
  s.change_parameter("A").meaning = s.change_parameter("B").meaning = "";
}

}  // namespace

std::vector<ValueType> broadcast_types(const Call& call) {
  const auto [dtype, a] = operand(call, 0);
  if (!is_old(call)) return {TensorType{dtype, broadcast(a, operand(call, 1).shape)}};
  old_shape(call);
  return {TensorType{dtype, a}};
}

std::vector<Tensor> broadcast_operands(const Call& call) {
  const auto& inputs = call.schema().inputs();
  const Tensor& b = call.input(inputs[1].name);
  return {call.input(inputs[0].name), is_old(call) ? b.reshaped(old_shape(call)) : b};
}

Reading unit_dims_reading() {
  return {kUnitDims,
          {"expand: an axis of size 1 is repeated", "reject: it is invalid"},
          {{1, "expand"}, {7, ""}},
          "the text says \"1-dim expansion doesn't work yet\", but the published add_size1_broadcast expands one"};
}

Operator arithmetic(std::string_view op_type) {
  return Operator("ai.onnx", op_type)
      .version(1, version_1)
      .version(6, version_6)
      .version(7, version_7)
      .version(13, adds("T", DType::bfloat16))
      .version(14, adds("T", types::narrow))
      .reading(unit_dims_reading())
      .output_types(broadcast_types);
}

}  // namespace opref::ops
