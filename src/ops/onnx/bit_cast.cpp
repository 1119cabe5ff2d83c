// SPDX-License-Identifier: Apache-2.0
// ai.onnx BitCast, version 26
// https://onnx.ai/onnx/operators/onnx__BitCast.html
#include "ops/operator_file.h"
#include "ops/shared/quantized.h"
namespace opref::ops::onnx::file_bit_cast {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [from, shape] = call.type("input");
  const DType to = named_type(call, "to");
  require(call.schema().types_of("T2").contains(to), "attribute 'to' is {}, which is no type of {}", to, call.title());
  require(info(from).bits == info(to).bits, "attribute 'to' is {}, of {} bits, but input is {}, of {}", to,
          info(to).bits, from, info(from).bits);
  return {TensorType{to, shape}};
}

// output = the bits of input
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return {same_bits(outs[0], call.input("input"))};
}

void version_26(OpSchema& s) {
  s.input("input", "T1").output("output", "T2").attribute(required(INT, "to", element_types()));
  for (const char* variable : {"T1", "T2"}) s.types(variable, types::ir13 - DType::string);
}
}  // namespace
Operator bit_cast() {
  return Operator("ai.onnx", "BitCast")
      .summary("the bits of each element as an element of another type of as many bits")
      .version(26, version_26)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_bit_cast
