// SPDX-License-Identifier: Apache-2.0
// openvino StringTensorUnpack, version 15 (opset15)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_string_tensor_unpack {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const TensorType each{DType::int32, call.type("data").shape};
  if (!call.has_value("data")) return {each, each, ValueType::of_unknown_shape(DType::uint8)};
  std::int64_t bytes = 0;
  for (const std::string& text : call.input("data").strings()) bytes += std::ssize(text);
  return {each, each, TensorType{DType::uint8, Dims{bytes}}};
}

// symbols = the bytes of all strings, one after another; string i lies from begins[i] to before ends[i]
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  std::vector<std::int32_t> begins, ends;
  std::string symbols;
  for (const std::string& text : call.input("data").strings()) {
    begins.push_back(static_cast<std::int32_t>(symbols.size()));
    symbols += text;
    ends.push_back(static_cast<std::int32_t>(symbols.size()));
  }
  const Dims& shape = call.type("data").shape;
  return {Tensor::of<std::int32_t>(DType::int32, shape, begins), Tensor::of<std::int32_t>(DType::int32, shape, ends),
          Tensor::of<char>(DType::uint8, outs[2].type().shape, symbols)};
}
}  // namespace
Operator string_tensor_unpack() {
  return Operator("openvino", "StringTensorUnpack")
      .summary("the bytes of strings in one row, and where each string lies there")
      .page("type/string-tensor-unpack-15")
      .version(15,
               [](OpSchema& s) {
                 s.input("data", "string").output("begins", "int32").output("ends", "int32").output("symbols", "uint8");
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_string_tensor_unpack
