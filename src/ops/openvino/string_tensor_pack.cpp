// SPDX-License-Identifier: Apache-2.0
// openvino StringTensorPack, version 15 (opset15)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_string_tensor_pack {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const Dims &begins = call.type("begins").shape, &ends = call.type("ends").shape;
  require(ends == begins, "ends has shape {}, but begins has {}: both have one value for each string", ends, begins);
  require_list("symbols", call.type("symbols").shape);
  return {TensorType{DType::string, begins}};
}

// out[i] = the bytes symbols[begins[i]:ends[i]]
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const std::vector<std::int64_t> begins = call.integers("begins"), ends = call.integers("ends");
  const std::span<const char> symbols = call.input("symbols").values<char>();
  const std::string_view text(symbols.data(), symbols.size());
  std::vector<std::string> strings;
  for (size_t i = 0; i < begins.size(); ++i) {
    require(begins[i] >= 0 && begins[i] <= ends[i] && ends[i] <= std::ssize(text),
            "string {} is from begins {} to ends {}, which is no part of the {} of symbols",
            coordinates(static_cast<std::int64_t>(i), outs[0].type().shape), begins[i], ends[i],
            counted(std::ssize(text), "byte"));
    strings.emplace_back(text.substr(static_cast<size_t>(begins[i]), static_cast<size_t>(ends[i] - begins[i])));
  }
  return {Tensor(outs[0].type().shape, std::move(strings))};
}
}  // namespace
Operator string_tensor_pack() {
  return Operator("openvino", "StringTensorPack")
      .summary("strings, cut out of one row of bytes")
      .page("type/string-tensor-pack-15")
      .version(15,
               [](OpSchema& s) {
                 s.input("begins", "T_IND")
                     .input("ends", "T_IND")
                     .input("symbols", "uint8")
                     .output("out", "string")
                     .types("T_IND", types::signed_wide);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_string_tensor_pack
