// SPDX-License-Identifier: Apache-2.0
// ai.onnx.ml CategoryMapper, version 1
// https://onnx.ai/onnx/operators/onnx_aionnxml_CategoryMapper.html
#include "ops/operator_file.h"
#include "ops/shared/lookups.h"
namespace opref::ops::onnx_ml::file_category_mapper {
namespace {
bool is_of_strings(const Call& call) { return call.type("X").dtype == DType::string; }

// "If strings are input, the output values are integers, and vice versa": X says the direction, no default does.
std::vector<ValueType> output_types(const Call& call) {
  for (const std::string_view name : {"cats_int64s", "cats_strings"})
    require(is_given(call, name), "{} is missing or empty, but both sides of the map must be given", name);
  require_equal_lengths(call, "cats_int64s", "cats_strings");
  return {TensorType{is_of_strings(call) ? DType::int64 : DType::string, call.type("X").shape}};
}

// Y = cats_int64s[k] where X = cats_strings[k], else default_int64; or the other way round. Of equal ones the last k.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor integers = list_tensor(call, "cats_int64s"), strings = list_tensor(call, "cats_strings");
  const Table table =
      is_of_strings(call)
          ? Table{strings, integers,
                  Tensor::of<std::int64_t>(DType::int64, {1}, std::array{call.integer("default_int64")})}
          : Table{integers, strings, Tensor({1}, {call.string("default_string")})};
  return {looked_up(outs[0], call.input("X"), table, Repeated::last)};
}

std::vector<Note> notes(const Call& call) {
  return unused_defaults(call, is_of_strings(call) ? "default_int64" : "default_string");
}

void version_1(OpSchema& s) {
  s.input("X", "T1")
      .output("Y", "T2")
      .types("T1", {DType::int64, DType::string})
      .types("T2", {DType::int64, DType::string});
  s.attribute(optional(INTS, "cats_int64s"))
      .attribute(optional(STRINGS, "cats_strings"))
      .attribute(with_default("default_int64", -1))
      .attribute(with_default("default_string", "_Unused"));
}
}  // namespace
Operator category_mapper() {
  return Operator("ai.onnx.ml", "CategoryMapper")
      .summary("integers for strings, or strings for integers, by two lists")
      .version(1, version_1)
      .output_types(output_types)
      .kernel(kernel)
      .notes(notes)
      .short_names(
          {{"cats_int64s", ""}, {"cats_strings", ""}, {"default_int64", "default"}, {"default_string", "default"}});
}
}  // namespace opref::ops::onnx_ml::file_category_mapper
