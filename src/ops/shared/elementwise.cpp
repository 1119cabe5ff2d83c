// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/elementwise.h"
#include <algorithm>
#include "ops/shared/axes.h"
#include "ops/shared/parameters.h"

#include "core/error.h"
#include "core/text.h"
#include "evaluators/elements.h"
#include "evaluators/strided.h"
namespace opref::ops {
std::vector<ValueType> same_type(const Call& call) { return {call.type(call.schema().inputs()[0].name)}; }

std::vector<ValueType> truth_of_each(const Call& call) {
  return {TensorType{DType::boolean, call.type(call.schema().inputs()[0].name).shape}};
}

bool has_element(const Call& call, bool (*is_such)(double)) {
  return any_of(call, call.schema().inputs()[0].name, false, is_such);
}

void with_consumed_inputs(OpSchema& s) {
  s.attribute(optional(INTS, "consumed_inputs")).shape_inference(ShapeInference::none);
}
void without_consumed_inputs(OpSchema& s) { s.remove("consumed_inputs").shape_inference(ShapeInference::onnx); }
namespace {
Operator unary_of(std::string_view op_type, const Types& integers, std::string_view input, std::string_view output) {
  const auto version_1 = [=](OpSchema& s) {
    s.input(input, "T").output(output, "T").types("T", types::floats);
    with_consumed_inputs(s);
  };
  return Operator("ai.onnx", op_type)
      .version(1, version_1)
      .version(6, without_consumed_inputs, adds("T", integers))
      .version(13, adds("T", DType::bfloat16))
      .output_types(same_type);
}
}  // namespace
Operator unary_since_1(std::string_view op_type, std::string_view input, std::string_view output) {
  return unary_of(op_type, {}, input, output);
}
Operator unary_with_integers(std::string_view op_type, const Types& integers) {
  return unary_of(op_type, integers, "X", "Y");
}

Operator unary_until_22(std::string_view op_type, std::int64_t since_version, std::string_view input,
                        std::string_view output) {
  return Operator("ai.onnx", op_type)
      .version(since_version, [=](OpSchema& s) { s.input(input, "T").output(output, "T").types("T", types::floats); })
      .version(22, adds("T", DType::bfloat16))
      .output_types(same_type);
}
namespace {
constexpr std::string_view kUnitDims = "old_broadcast.unit_dims";

std::string_view name(const Call& call, size_t k) { return call.schema().inputs()[k].name; }
TensorType operand(const Call& call, size_t k) { return call.type(name(call, k)); }

/// "If necessary the right-hand-side argument will be broadcasted to match the shape of left-hand-side argument."
bool is_old(const Call& call) { return call.schema().find_attribute("broadcast") != nullptr; }

/// "When broadcasting is specified, the second tensor can either be of element size 1 … or having its shape as a
/// contiguous subset of the first tensor's shape. The starting of the mutually equal shape is specified by the argument
/// 'axis', and if it is not set, suffix matching is assumed."
///
/// B's shape with axes of 1 at its end, so that it lies on A's axes from `axis` on.
Dims old_shape(const Call& call) {
  const Dims a = operand(call, 0).shape, b = operand(call, 1).shape;
  const std::string_view A = name(call, 0), B = name(call, 1);
  if (!call.flag("broadcast")) {
    require(a == b, "{} has shape {}, but {} {}; without broadcast they must be the same", A, a, B, b);
    return b;
  }
  require(b.size() <= a.size(), "{} has shape {}, but cannot have more axes than {}, which has shape {}", B, b, A, a);
  if (element_count(b) == 1) return Dims{};
  const auto suffix = static_cast<std::int64_t>(a.size() - b.size());
  const std::int64_t axis = call.has_here("axis") ? call.integer("axis") : suffix;
  require(axis >= 0 && axis <= suffix, "attribute 'axis' is {}, but {} of shape {} lies on {} of shape {} from 0 to {}",
          axis, B, b, A, a, suffix);
  Dims shape = b;
  for (size_t k = 0; k < b.size(); ++k) {
    const std::int64_t size = a[static_cast<size_t>(axis) + k];
    require(b[k] == size || (b[k] == 1 && call.reads(kUnitDims, "expand")),
            "{} has shape {}, which does not fit {} of shape {} from axis {} on", B, b, A, a, axis);
  }
  for (std::int64_t k = axis; k < suffix; ++k) shape.push_back(1);
  return shape;
}

void arithmetic_1(OpSchema& s) {
  s.input("A", "T", "whose shape the output has")
      .input("B", "T", "broadcast to A where the attribute says so")
      .output("C", "T")
      .types("T", types::floats, "Constrain input and output types to float tensors.")
      .attribute(optional(INTS, "consumed_inputs"))
      .shape_inference(ShapeInference::none);
  with_old_broadcast(s);
}
void arithmetic_6(OpSchema& s) {
  s.remove("consumed_inputs").add_types("T", types::wide).shape_inference(ShapeInference::onnx);
}
void arithmetic_7(OpSchema& s) {
  with_numpy_broadcast(s);
  s.change_parameter("A").meaning = s.change_parameter("B").meaning = "";
}
/// Two inputs of one type, and a result of bool.
OpSchema& comparison(OpSchema& s, const Types& types) {
  return s.input("A", "T").input("B", "T").output("C", "T1").types("T", types).types("T1", DType::boolean);
}
}  // namespace
std::vector<ValueType> broadcast_types(const Call& call) {
  const auto [dtype, a] = operand(call, 0);
  if (!is_old(call)) return {TensorType{dtype, broadcast(a, operand(call, 1).shape)}};
  old_shape(call);
  return {TensorType{dtype, a}};
}

std::vector<ValueType> truth_types(const Call& call) {
  return {TensorType{DType::boolean, broadcast_types(call)[0].tensor.shape}};
}

std::vector<Tensor> broadcast_operands(const Call& call) {
  const auto& inputs = call.schema().inputs();
  const Tensor& b = call.input(inputs[1].name);
  return {call.input(inputs[0].name), is_old(call) ? b.reshaped(old_shape(call)) : b};
}

void with_old_broadcast(OpSchema& s) {
  s.attribute(optional(INT, "axis")).attribute(with_default("broadcast", 0, flag()));
}
void with_numpy_broadcast(OpSchema& s) {
  s.remove("axis").remove("broadcast").wording("the inputs broadcast to each other, as in NumPy");
}

Reading unit_dims_reading() {
  return {.name = kUnitDims,
          .alternatives = {"expand: an axis of size 1 is repeated", "reject: it is invalid"},
          .defaults = {{1, "expand"}, {7, ""}},
          .reason =
              "the text says \"1-dim expansion doesn't work yet\", but the published add_size1_broadcast expands one"};
}

Operator arithmetic(std::string_view op_type) {
  return Operator("ai.onnx", op_type)
      .version(1, arithmetic_1)
      .version(6, arithmetic_6)
      .version(7, arithmetic_7)
      .version(13, adds("T", DType::bfloat16))
      .version(14, adds("T", types::narrow))
      .reading(unit_dims_reading())
      .output_types(broadcast_types);
}
Operator ordered(std::string_view op_type) {
  return Operator("ai.onnx", op_type)
      .version(1, [](OpSchema& s) { with_old_broadcast(comparison(s, types::floats)); })
      .version(7, with_numpy_broadcast)
      .version(9, allows("T", types::numbers))
      .version(13, adds("T", DType::bfloat16))
      .reading(unit_dims_reading())
      .output_types(truth_types);
}
Operator ordered_or_equal(std::string_view op_type) {
  return Operator("ai.onnx", op_type)
      .version(12, [](OpSchema& s) { comparison(s, types::numbers).shape_inference(ShapeInference::none); })
      .version(16, [](OpSchema& s) { s.add_types("T", DType::bfloat16).shape_inference(ShapeInference::onnx); })
      .output_types(truth_types);
}
Operator logical(std::string_view op_type) {
  return Operator("ai.onnx", op_type)
      .version(1, [](OpSchema& s) { with_old_broadcast(comparison(s, DType::boolean)); })
      .version(7, with_numpy_broadcast)
      .reading(unit_dims_reading())
      .output_types(truth_types);
}
Operator bitwise(std::string_view op_type) {
  return Operator("ai.onnx", op_type)
      .version(18, [](OpSchema& s) { s.input("A", "T").input("B", "T").output("C", "T").types("T", types::integers); })
      .output_types(broadcast_types);
}
namespace {
/// "All inputs must be of the same shape" before version 8, which broadcasts.
std::vector<ValueType> variadic_types(const Call& call) {
  const std::span<const Input> inputs = call.inputs("data_0");
  auto [dtype, shape] = inputs[0].type.tensor;
  for (const Input& input : inputs) {
    const Dims& other = input.type.tensor.shape;
    require(call.version() >= 8 || other == shape,
            "'{}' has shape {}, but '{}' has {}; before opset 8 they must be the same", printable(input.name), other,
            printable(inputs[0].name), shape);
    shape = evaluators::broadcast(shape, other);
  }
  return {TensorType{dtype, shape}};
}
}  // namespace
Operator variadic(std::string_view op_type, std::string_view output, Integers12 integers) {
  Operator op = Operator("ai.onnx", op_type)
                    .version(1,
                             [=](OpSchema& s) {
                               s.input("data_0", "T", Arity::variadic).output(output, "T").types("T", types::floats);
                               with_consumed_inputs(s);
                             })
                    .version(6, without_consumed_inputs)
                    .version(8, words("the inputs broadcast to each other, as in NumPy"));
  if (integers == Integers12::yes) op = std::move(op).version(12, allows("T", types::numbers));
  return std::move(op).version(13, adds("T", DType::bfloat16)).output_types(variadic_types);
}

std::vector<Strided> input_places(std::span<const Tensor> inputs, const Dims& output) {
  std::vector<Strided> places;
  for (const Tensor& input : inputs) places.push_back(broadcast_places(input.shape(), output));
  return places;
}
}  // namespace opref::ops
