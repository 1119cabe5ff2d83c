// SPDX-License-Identifier: Apache-2.0
// ai.onnx Constant, versions 1, 9, 11, 12, 13, 19, 21, 23, 24, 25
// https://onnx.ai/onnx/operators/onnx__Constant.html
#include "ops/operator_file.h"
#include "schema/sparse.h"
namespace opref::ops::onnx::file_constant {
namespace {
// output = the value of the one attribute that is stated; a sparse tensor is made dense, zeros elsewhere
/// "one and only one of the attributes": which one.
std::string_view stated_value(const Call& call) {
  std::vector<std::string_view> stated;
  for (const auto& [name, value] : call.attributes()) stated.push_back(name);
  require(stated.size() == 1, "{} takes exactly one attribute, but has {}{}", call.title(), stated.size(),
          stated.empty() ? "" : format(" ({})", join_text(stated, ", ")));
  return stated.front();
}

template <class T>
Tensor list(DType dtype, const std::vector<T>& elements) {
  return Tensor::of(dtype, Dims{std::ssize(elements)}, std::span<const T>(elements));
}

std::vector<ValueType> output_types(const Call& call) {
  const std::string_view name = stated_value(call);
  const auto length = [](const auto& values) { return Dims{std::ssize(values)}; };
  ValueType type;
  if (name == "value") type = call.tensor(name).type();
  if (name == "sparse_value") type = dense_type(call.sparse_tensor(name));
  if (name == "value_float") type = {DType::float32, {}};
  if (name == "value_floats") type = {DType::float32, length(call.numbers(name))};
  if (name == "value_int") type = {DType::int64, {}};
  if (name == "value_ints") type = {DType::int64, length(call.integers(name))};
  if (name == "value_string") type = {DType::string, {}};
  if (name == "value_strings") type = {DType::string, length(call.strings(name))};
  require(call.schema().types_of("T").contains(type.dtype()), "{} is {}, which {} does not give", name, type,
          call.title());
  return {type};
}

std::vector<Value> kernel(const Call& call, std::span<const Output>) {
  const std::string_view name = stated_value(call);
  if (name == "sparse_value") return {dense(call.sparse_tensor(name))};
  if (name == "value_float")
    return {list(DType::float32, std::vector{static_cast<float>(call.number(name))}).reshaped({})};
  if (name == "value_floats") return {list(DType::float32, call.numbers(name))};
  if (name == "value_int") return {list(DType::int64, std::vector{call.integer(name)}).reshaped({})};
  if (name == "value_ints") return {list(DType::int64, call.integers(name))};
  if (name == "value_string") return {Tensor(Dims{}, {call.string(name)})};
  if (name == "value_strings") return {Tensor(Dims{std::ssize(call.strings(name))}, call.strings(name))};
  return {call.tensor(name)};
}

void version_1(OpSchema& s) {
  s.output("output", "T").types("T", types::floats);
  s.attribute(required(TENSOR, "value"));
}

void version_11(OpSchema& s) {
  s.attribute(optional(SPARSE_TENSOR, "sparse_value")).change("value") = optional(TENSOR, "value");
}

void version_12(OpSchema& s) {
  s.attribute(optional(FLOAT, "value_float")).attribute(optional(FLOATS, "value_floats"));
  s.attribute(optional(INT, "value_int")).attribute(optional(INTS, "value_ints"));
  s.attribute(optional(STRING, "value_string")).attribute(optional(STRINGS, "value_strings"));
}
}  // namespace
Operator constant() {
  Operator op = Operator("ai.onnx", "Constant")
                    .summary("a tensor that the node itself states")
                    .version(1, version_1)
                    .version(9, allows("T", types::basic))
                    .version(11, version_11)
                    .version(12, version_12)
                    .version(13, allows("T", types::ir4))
                    .version(19, allows("T", types::ir9));
  return with_newer_types(std::move(op), "T").output_types(output_types).kernel(kernel);
}
}  // namespace opref::ops::onnx::file_constant
