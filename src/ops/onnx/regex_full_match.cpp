// SPDX-License-Identifier: Apache-2.0
// ai.onnx RegexFullMatch, version 20
// https://onnx.ai/onnx/operators/onnx__RegexFullMatch.html
#include "core/regular_expression.h"
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_regex_full_match {
namespace {
/// "The pattern … must be a valid RE2 regular expression": https://github.com/google/re2/wiki/Syntax
RegularExpression pattern_of(const Call& call) {
  require(call.has("pattern"), "attribute 'pattern' is missing; {} requires it", call.title());
  RegularExpression pattern(call.string("pattern"), ExpressionUnit::code_point);
  if (pattern.is_too_large())
    fail(Fault::unsupported, "attribute 'pattern' is '{}', which is too large for opref: {}",
         printable(call.string("pattern")), printable(pattern.complaint()));
  require(pattern.complaint().empty(), "attribute 'pattern' is '{}', which is no regular expression of RE2: {}",
          printable(call.string("pattern")), printable(pattern.complaint()));
  return pattern;
}

std::vector<ValueType> output_types(const Call& call) {
  pattern_of(call);
  return {TensorType{DType::boolean, call.type("X").shape}};
}

// Y = whether the pattern matches all of X
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const RegularExpression pattern = pattern_of(call);
  std::vector<std::uint8_t> Y;
  for (const std::string& x : call.input("X").strings()) Y.push_back(pattern.matches_all_of(x) ? 1 : 0);
  return {Tensor::of<std::uint8_t>(DType::boolean, outs[0].type().shape, Y)};
}

void version_20(OpSchema& s) {
  s.input("X", "T1").output("Y", "T2").types("T1", DType::string).types("T2", DType::boolean);
  s.attribute(optional(STRING, "pattern"));
}
}  // namespace
Operator regex_full_match() {
  return Operator("ai.onnx", "RegexFullMatch")
      .summary("whether a regular expression matches each string")
      .version(20, version_20)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_regex_full_match
