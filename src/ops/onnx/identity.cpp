// SPDX-License-Identifier: Apache-2.0
// ai.onnx Identity, versions 1, 13, 14, 16, 19, 21, 23, 24, 25
// https://onnx.ai/onnx/operators/onnx__Identity.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_identity {
namespace {
// output = input, a tensor, sequence or optional
std::vector<ValueType> output_types(const Call& call) { return {call.value_type("input")}; }

std::vector<Value> kernel(const Call& call, std::span<const Output>) { return {call.value("input")}; }

void version_14(OpSchema& s) {
  s.anew();
  s.input("input", "V").output("output", "V").types("V", types::ir4 | sequences(types::basic));
}
}  // namespace
Operator identity() {
  return Operator("ai.onnx", "Identity")
      .summary("the input")
      .version(1, [](OpSchema& s) { s.input("input", "T").output("output", "T").types("T", types::basic); })
      .version(13, allows("T", types::ir4))
      .version(14, version_14)
      .version(16, adds("V", optionals(types::basic)))
      .version(19, adds("V", types::float8))
      .version(21, adds("V", types::int4s))
      .version(23, adds("V", DType::float4_e2m1fn))
      .version(24, adds("V", DType::float8_e8m0fnu))
      .version(25, adds("V", types::int2s))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_identity
